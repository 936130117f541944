/* Meshes of soft bodies: written before frames come, read back and checked once. */
#include "record/softs.h"

#include <math.h>
#include <string.h>

enum { NODES, ELEMENTS, TRIANGLES, HELD, NUM_COLUMNS };

static const cr_part_column COLUMNS[NUM_COLUMNS] = {
    {"softs/nodes", 3, true, "m", "at rest, world frame, body after body", false},
    {"softs/elements", 1, false, "1", "nodes of the tetrahedra, from 0 in each body", false},
    {"softs/triangles", 3, false, "1", "nodes of the surface, counterclockwise", false},
    {"softs/held", 1, false, "1", "of each node: 1 fixed, 2 glued to a moving body", false},
};

/* Numbers that a soft body has in each column. */
static void count_numbers(const carom_soft_info* soft, int64_t counts[NUM_COLUMNS]) {
  counts[NODES] = 3 * (int64_t)soft->num_nodes;
  counts[ELEMENTS] = (int64_t)soft->nodes_per_element * soft->num_elements;
  counts[TRIANGLES] = 3 * (int64_t)soft->num_triangles;
  counts[HELD] = soft->num_nodes;
}

/* --- Writing ------------------------------------------------------------------------------------
 */

/* One column of all bodies; false where HDF5 fails or, as the arena says, memory ran out. */
static bool write_column(hid_t file, const carom_model* model, int column, cr_arena* arena) {
  const cr_part_column* c = &COLUMNS[column];
  size_t cell = c->is_real ? sizeof(double) : sizeof(int), total = 0;
  int num_softs = carom_model_get_sizes(model).num_softs;
  int64_t counts[NUM_COLUMNS];
  for (int i = 0; i < num_softs; i++) {
    carom_soft_info soft = carom_model_get_soft(model, i);
    count_numbers(&soft, counts);
    total += (size_t)counts[column];
  }
  char *cells = cr_arena_push(arena, cell * total), *end = cells;
  if (arena->failed) return false;
  for (int i = 0; i < num_softs; i++) {
    carom_soft_info soft = carom_model_get_soft(model, i);
    const void* const arrays[] = {soft.nodes, soft.elements, soft.triangles, soft.held};
    count_numbers(&soft, counts);
    memcpy(end, arrays[column], cell * (size_t)counts[column]);
    end += cell * (size_t)counts[column];
  }
  return cr_part_write_column(file, c, (int)(total / (size_t)c->columns), cells);
}

carom_status cr_softs_write(hid_t file, const carom_model* model,
                            const carom_allocator* allocator) {
  if (carom_model_get_sizes(model).num_softs == 0) return CAROM_OK;
  cr_arena arena;
  cr_arena_init(&arena, allocator);
  bool done = true;
  for (int k = 0; k < NUM_COLUMNS && done; k++) done = write_column(file, model, k, &arena);
  carom_status failure = arena.failed ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_ERROR_FILE;
  cr_arena_destroy(&arena);
  return done ? CAROM_OK : failure;
}

/* --- Reading ------------------------------------------------------------------------------------
 */

/* What the columns hold. */
typedef struct columns {
  double* nodes;
  int *elements, *triangles, *held;
  int64_t counts[NUM_COLUMNS];
} columns;

/* @return null or what is wrong */
static const char* load(hid_t file, cr_arena* arena, columns* c) {
  int** const wholes[NUM_COLUMNS] = {NULL, &c->elements, &c->triangles, &c->held};
  const char* fault = cr_h5_load_reals(file, COLUMNS[NODES].path, arena, &c->nodes, c->counts);
  for (int k = ELEMENTS; k < NUM_COLUMNS && !fault; k++)
    fault = cr_h5_load_ints(file, COLUMNS[k].path, arena, wholes[k], &c->counts[k]);
  return fault;
}

/* A body without its arrays. */
static carom_soft_info describe(const cr_part_table* table, int index) {
  cr_part_row row = cr_parts_get(table, CR_PART_SOFT, index);
  carom_soft_info soft = {.name = row.name,
                          .q_address = row.ints[0],
                          .v_address = row.ints[1],
                          .num_nodes = row.ints[2],
                          .num_elements = row.ints[3],
                          .num_triangles = row.ints[4],
                          .nodes_per_element = row.ints[5],
                          .law = (carom_soft_law)row.ints[6],
                          .group = row.ints[7],
                          .young = row.reals[0],
                          .poisson = row.reals[1],
                          .density = row.reals[2],
                          .alpha = row.reals[3],
                          .beta = row.reals[4],
                          .friction = row.reals[5],
                          .mass = row.reals[6],
                          .volume = row.reals[7]};
  for (int k = 0; k < 4; k++) soft.rgba[k] = (float)row.reals[8 + k];
  return soft;
}

static bool are_counts_sound(const carom_soft_info* soft, int num_q, int num_v) {
  int64_t size = 3 * (int64_t)soft->num_nodes;
  return soft->num_nodes > 0 && soft->num_elements > 0 && soft->num_triangles >= 0 &&
         (soft->nodes_per_element == 4 || soft->nodes_per_element == 10) && (int)soft->law >= 0 &&
         soft->law <= CAROM_SOFT_NEO_HOOKEAN && soft->q_address >= 0 &&
         soft->q_address + size <= num_q && soft->v_address >= 0 && soft->v_address + size <= num_v;
}

static bool are_nodes(const int* index, int64_t count, int num_nodes) {
  bool fits = true;
  for (int64_t k = 0; k < count && fits; k++) fits = index[k] >= 0 && index[k] < num_nodes;
  return fits;
}

/* Takes a body's share of the columns, which start after the shares of those before it. */
static bool take(carom_soft_info* soft, const columns* c, int64_t used[NUM_COLUMNS]) {
  int64_t counts[NUM_COLUMNS];
  count_numbers(soft, counts);
  soft->nodes = c->nodes + used[NODES], soft->elements = c->elements + used[ELEMENTS];
  soft->triangles = c->triangles + used[TRIANGLES], soft->held = c->held + used[HELD];
  for (int k = 0; k < NUM_COLUMNS; k++) {
    used[k] += counts[k];
    if (used[k] > c->counts[k]) return false;
  }
  for (int64_t k = 0; k < counts[NODES]; k++)
    if (!isfinite(soft->nodes[k])) return false;
  return are_nodes(soft->elements, counts[ELEMENTS], soft->num_nodes) &&
         are_nodes(soft->triangles, counts[TRIANGLES], soft->num_nodes);
}

carom_status cr_softs_read(hid_t file, const cr_part_table* table, int num_q, int num_v,
                           cr_arena* arena, carom_soft_info** softs) {
  columns c = {0};
  int64_t used[NUM_COLUMNS] = {0};
  *softs = NULL;
  if (table->count == 0) return CAROM_OK;
  const char* fault = load(file, arena, &c);
  if (fault == CR_H5_OUT_OF_MEMORY) return CAROM_ERROR_OUT_OF_MEMORY;
  if (fault) return CAROM_ERROR_BAD_INPUT;
  carom_soft_info* all = CR_PUSH(arena, carom_soft_info, table->count);
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < table->count; i++) {
    all[i] = describe(table, i);
    if (!are_counts_sound(&all[i], num_q, num_v) || !take(&all[i], &c, used))
      return CAROM_ERROR_BAD_INPUT;
  }
  *softs = all;
  return memcmp(used, c.counts, sizeof used) == 0 ? CAROM_OK : CAROM_ERROR_BAD_INPUT;
}
