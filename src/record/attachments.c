/* Nodes of attachments: written before frames come, read back and checked once. What the
 * attachments do to their bodies is a stream of frames. */
#include "record/attachments.h"

#include "base/copy.h"

static const cr_part_column NODES = {
    "attachments/nodes", 1, false, "1", "of the soft bodies, from 0 in each", false};

/* --- Writing ------------------------------------------------------------------------------------
 */

carom_status cr_attachments_write(hid_t file, const carom_model* model,
                                  const carom_allocator* allocator) {
  int count = carom_model_get_sizes(model).num_attachments, total = 0;
  if (count == 0) return CAROM_OK;
  for (int i = 0; i < count; i++) total += carom_model_get_attachment(model, i).num_nodes;
  cr_arena arena;
  cr_arena_init(&arena, allocator);
  int *nodes = CR_PUSH(&arena, int, total), *end = nodes;
  carom_status status = arena.failed ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_OK;
  for (int i = 0; i < count && status == CAROM_OK; i++) {
    carom_attachment_info info = carom_model_get_attachment(model, i);
    CR_COPY(end, info.nodes, info.num_nodes);
    end += info.num_nodes;
  }
  if (status == CAROM_OK && !cr_part_write_column(file, &NODES, total, nodes))
    status = CAROM_ERROR_FILE;
  cr_arena_destroy(&arena);
  return status;
}

/* --- Reading ------------------------------------------------------------------------------------
 */

/* Whether an attachment holds nodes that there are, and of those left in the column. */
static bool is_sound(const carom_attachment_info* a, const cr_attachment_owners* owners,
                     int64_t left) {
  if (a->soft < 0 || a->soft >= owners->num_softs || a->body < 0 || a->body >= owners->num_bodies)
    return false;
  if (a->num_nodes < 1 || a->num_nodes > left) return false;
  for (int i = 0; i < a->num_nodes; i++)
    if (a->nodes[i] < 0 || a->nodes[i] >= owners->softs[a->soft].num_nodes) return false;
  return true;
}

carom_status cr_attachments_read(hid_t file, const cr_part_table* table,
                                 const cr_attachment_owners* owners, cr_arena* arena,
                                 carom_attachment_info** attachments) {
  int* nodes = NULL;
  int64_t count = 0, used = 0;
  *attachments = NULL;
  if (table->count == 0) return CAROM_OK;
  const char* fault = cr_h5_load_ints(file, NODES.path, arena, &nodes, &count);
  if (fault == CR_H5_OUT_OF_MEMORY) return CAROM_ERROR_OUT_OF_MEMORY;
  if (fault) return CAROM_ERROR_BAD_INPUT;
  carom_attachment_info* all = CR_PUSH(arena, carom_attachment_info, table->count);
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < table->count; i++) {
    cr_part_row row = cr_parts_get(table, CR_PART_ATTACHMENT, i);
    all[i] = (carom_attachment_info){row.name, row.ints[0], row.ints[1], row.ints[2], nodes + used};
    if (!is_sound(&all[i], owners, count - used)) return CAROM_ERROR_BAD_INPUT;
    used += all[i].num_nodes;
  }
  *attachments = all;
  return used == count ? CAROM_OK : CAROM_ERROR_BAD_INPUT;
}
