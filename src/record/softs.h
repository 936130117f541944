/* The meshes of soft bodies in a recording (docs/recording.md). Their nodes move in q and v. */
#ifndef CR_RECORD_SOFTS_H
#define CR_RECORD_SOFTS_H

#include "base/arena.h"
#include "record/parts.h"

/* Writes the meshes of a model's soft bodies, nothing where it has none.
 * @return CAROM_OK, CAROM_ERROR_FILE or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_softs_write(hid_t file, const carom_model* model, const carom_allocator* allocator);

/* Reads and checks the meshes of the soft bodies that a table of parts names.
 * @param num_q numbers of a frame's q; @param num_v of its v: the nodes are within
 * @param arena holds the arrays
 * @param softs receives [table->count], null where there are none
 * @return CAROM_OK, CAROM_ERROR_BAD_INPUT or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_softs_read(hid_t file, const cr_part_table* table, int num_q, int num_v,
                           cr_arena* arena, carom_soft_info** softs);

#endif
