/* Global FCLIB problems: M v = H r + f, u = Hᵀ v + w, and 0 = Gᵀ v + b where there are equalities.
 * A = M, v* = M^-1 f, J = Hᵀ, v_hat = -w. The unknowns keep their order: M is cut into blocks where
 * none of its elements crosses, and what stays longer than that into short blocks with couplings.
 */
#include "import/problem/fclib.h"

#include <math.h>
#include <string.h>

#define MOST_BLOCK  64 /* unknowns of a block that stays whole */
#define SHORT_BLOCK 12 /* of the pieces of a longer one */

typedef struct global {
  cr_sparse M, H, G;
  double *f, *b;
  cr_fclib_contacts contacts;
  int num_blocks;
  int *size, *start;   /* of blocks */
  int* block_of;       /* [n] */
  double* panel;       /* dense rows of one constraint or columns of one block */
  int *touched, *list; /* [num_blocks] */
} global;

/* --- Blocks -------------------------------------------------------------------------------------
 */

static void add_block(global* g, int* next, int end, int most) {
  while (*next < end) {
    int size = end - *next < most ? end - *next : most;
    g->size[g->num_blocks] = size, g->start[g->num_blocks] = *next;
    for (int i = 0; i < size; i++) g->block_of[*next + i] = g->num_blocks;
    g->num_blocks++, *next += size;
  }
}

static bool cut_into_blocks(cr_problem_source* s, global* g) {
  int n = g->M.n;
  g->size = CR_PUSH(&s->arena, int, n + 1);
  g->start = CR_PUSH(&s->arena, int, n + 1);
  g->block_of = CR_PUSH(&s->arena, int, n + 1);
  if (s->arena.failed) return false;
  for (int c = 0, begin = 0, reach = 0; c < n; c++) {
    for (int e = g->M.start[c]; e < g->M.start[c + 1]; e++)
      if (g->M.row[e] > reach) reach = g->M.row[e];
    if (reach > c) continue;
    int next = begin;
    add_block(g, &next, c + 1, c + 1 - begin <= MOST_BLOCK ? MOST_BLOCK : SHORT_BLOCK);
    begin = reach = c + 1;
  }
  g->start[g->num_blocks] = n;
  g->touched = CR_PUSH(&s->arena, int, g->num_blocks + 1);
  g->list = CR_PUSH(&s->arena, int, g->num_blocks + 1);
  g->panel = CR_PUSH(&s->arena, double, (size_t)n* MOST_BLOCK);
  if (s->arena.failed) return false;
  memset(g->touched, 0, sizeof *g->touched * (size_t)g->num_blocks);
  return true;
}

static void touch(global* g, int block, int* count) {
  if (g->touched[block]) return;
  g->touched[block] = 1;
  g->list[(*count)++] = block;
}

/* --- M ------------------------------------------------------------------------------------------
 */

/* The blocks of one block column on and below the diagonal. The panel holds each of them row-major
 * at its first row times MOST_BLOCK. */
static carom_status set_column(cr_problem_source* s, global* g, int block, carom_problem* p) {
  int count = 0, size = g->size[block], first = g->start[block];
  touch(g, block, &count);
  for (int c = first; c < first + size; c++)
    for (int e = g->M.start[c]; e < g->M.start[c + 1]; e++)
      if (g->block_of[g->M.row[e]] >= block) touch(g, g->block_of[g->M.row[e]], &count);
  for (int k = 0; k < count; k++)
    memset(g->panel + (size_t)g->start[g->list[k]] * MOST_BLOCK, 0,
           sizeof *g->panel * (size_t)g->size[g->list[k]] * MOST_BLOCK);
  for (int c = first; c < first + size; c++)
    for (int e = g->M.start[c]; e < g->M.start[c + 1]; e++) {
      int row = g->M.row[e], to = g->block_of[row];
      if (to < block) continue;
      g->panel[(size_t)g->start[to] * MOST_BLOCK +
               (size_t)((row - g->start[to]) * size + c - first)] = g->M.value[e];
    }
  for (int k = 0; k < count; k++) {
    const double* values = g->panel + (size_t)g->start[g->list[k]] * MOST_BLOCK;
    carom_status status = carom_problem_set_block(p, g->list[k], block, values, s->error);
    CR_TRY(cr_problem_pass(s, 0, status));
    g->touched[g->list[k]] = 0;
  }
  return CAROM_OK;
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

/* Gathers columns [first, first + rows) of H or G as dense parts [rows, size] by block; row k of a
 * part is column order[k].
 * @param parts [num_blocks] receives the parts, in the panel */
static int gather_rows(global* g, const cr_sparse* H, int first, int rows, const int* order,
                       const double** parts) {
  int count = 0;
  for (int c = first; c < first + rows; c++)
    for (int e = H->start[c]; e < H->start[c + 1]; e++) touch(g, g->block_of[H->row[e]], &count);
  if (count == 0) touch(g, 0, &count);
  for (int k = 0; k < count; k++) {
    int block = g->list[k];
    double* part = g->panel + (size_t)g->start[block] * MOST_BLOCK;
    memset(part, 0, sizeof *part * 3 * (size_t)g->size[block]);
    parts[k] = part;
    g->touched[block] = 0;
  }
  for (int k = 0; k < rows; k++)
    for (int e = H->start[first + k]; e < H->start[first + k + 1]; e++) {
      int block = g->block_of[H->row[e]];
      g->panel[(size_t)g->start[block] * MOST_BLOCK +
               (size_t)(order[k] * g->size[block] + H->row[e] - g->start[block])] = H->value[e];
    }
  return count;
}

static carom_status add_contacts(cr_problem_source* s, global* g, const double** parts,
                                 carom_problem* p) {
  for (int i = 0; i < g->contacts.count; i++) {
    int count = gather_rows(g, &g->H, 3 * i, 3, CR_FCLIB_ROW, parts);
    CR_TRY(cr_fclib_add(s, &g->contacts, i, count, g->list, parts, p));
  }
  return CAROM_OK;
}

static carom_status add_equalities(cr_problem_source* s, global* g, const double** parts,
                                   carom_problem* p) {
  const int order[1] = {0};
  for (int i = 0; i < g->G.n; i++) {
    carom_constraint_def def = carom_constraint_def_default();
    double v_hat = -g->b[i];
    def.kind = CAROM_CONSTRAINT_BOUNDS;
    def.low = -INFINITY;
    def.num_blocks = gather_rows(g, &g->G, i, 1, order, parts);
    def.blocks = g->list, def.jacobian = parts, def.v_hat = &v_hat;
    CR_TRY(cr_problem_pass(s, 0, carom_problem_add(p, &def, NULL, s->error)));
  }
  return CAROM_OK;
}

/* --- Problem ------------------------------------------------------------------------------------
 */

static carom_status read_matrices(cr_problem_source* s, hid_t file, global* g) {
  CR_TRY(cr_sparse_load(s, file, "fclib_global/M", &g->M));
  CR_TRY(cr_sparse_make_symmetric(s, "fclib_global/M", &g->M));
  CR_TRY(cr_sparse_load(s, file, "fclib_global/H", &g->H));
  if (g->H.m != g->M.n)
    return cr_problem_refuse(s, "/fclib_global/H has %d rows, must have those of M, %d", g->H.m,
                             g->M.n);
  int64_t n = g->M.n;
  CR_TRY(cr_problem_load_reals(s, file, "fclib_global/vectors/f", &n, &g->f));
  if (!cr_h5_exists(file, "fclib_global/G")) return CAROM_OK;
  CR_TRY(cr_sparse_load(s, file, "fclib_global/G", &g->G));
  if (g->G.m != g->M.n)
    return cr_problem_refuse(s, "/fclib_global/G has %d rows, must have those of M, %d", g->G.m,
                             g->M.n);
  int64_t equalities = g->G.n;
  return cr_problem_load_reals(s, file, "fclib_global/vectors/b", &equalities, &g->b);
}

static carom_status create(cr_problem_source* s, hid_t file, const global* g,
                           carom_problem** problem) {
  carom_problem_def def = carom_problem_def_default();
  def.name = cr_fclib_load_name(s, file, "fclib_global");
  def.num_blocks = g->num_blocks, def.block_size = g->size;
  return cr_problem_pass(s, 0, carom_problem_create(&def, problem, s->error));
}

static carom_status fill(cr_problem_source* s, global* g, carom_problem* p) {
  const double** parts = cr_arena_push(&s->arena, sizeof(const double*) * (size_t)g->num_blocks);
  if (!parts) return cr_error_memory(s->error);
  for (int b = 0; b < g->num_blocks; b++) CR_TRY(set_column(s, g, b, p));
  CR_TRY(cr_problem_pass(s, 0, carom_problem_set_momentum(p, g->f, s->error)));
  CR_TRY(add_contacts(s, g, parts, p));
  CR_TRY(add_equalities(s, g, parts, p));
  return cr_problem_pass(s, 0, carom_problem_finish(p, s->error));
}

carom_status cr_fclib_load_global(cr_problem_source* s, hid_t file, carom_problem** problem) {
  global g = {0};
  CR_TRY(read_matrices(s, file, &g));
  CR_TRY(cr_fclib_load_contacts(s, file, "fclib_global", "w", g.H.n, &g.contacts));
  if (!cut_into_blocks(s, &g)) return cr_error_memory(s->error);
  CR_TRY(create(s, file, &g, problem));
  carom_status status = fill(s, &g, *problem);
  if (status == CAROM_OK) return CAROM_OK;
  carom_problem_destroy(*problem);
  *problem = NULL;
  return status;
}
