/* The attachments of soft bodies in a recording (docs/recording.md): whom they hold at which nodes.
 */
#ifndef CR_RECORD_ATTACHMENTS_H
#define CR_RECORD_ATTACHMENTS_H

#include "base/arena.h"
#include "record/parts.h"

/* What attachments refer to. */
typedef struct cr_attachment_owners {
  const carom_soft_info* softs; /* [num_softs] */
  int num_softs, num_bodies;
} cr_attachment_owners;

/* Writes the nodes of a model's attachments, nothing where it has none.
 * @return CAROM_OK, CAROM_ERROR_FILE or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_attachments_write(hid_t file, const carom_model* model,
                                  const carom_allocator* allocator);

/* Reads and checks the nodes of the attachments that a table of parts names.
 * @param arena holds the arrays
 * @param attachments receives [table->count], null where there are none
 * @return CAROM_OK, CAROM_ERROR_BAD_INPUT or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_attachments_read(hid_t file, const cr_part_table* table,
                                 const cr_attachment_owners* owners, cr_arena* arena,
                                 carom_attachment_info** attachments);

#endif
