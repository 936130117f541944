/* Half solutions along paths: panel after panel on the way to the root, with dense columns as
 * working memory, which are then packed. Products run over what two paths have in common. */
#include "linalg/half.h"

#include "base/assert.h"
#include "base/copy.h"
#include "linalg/substitution.h"

#include <string.h>

bool cr_half_init(cr_half* half, const cr_symbolic* symbolic, int most, cr_arena* arena) {
  const cr_plan* plan = symbolic->plan;
  *half = (cr_half){.symbolic = symbolic, .most = most, .arena = arena};
  half->group = CR_SCRATCH(arena, cr_half_group, most);
  half->path = CR_SCRATCH(arena, int, most * plan->num_supernodes);
  half->head = CR_SCRATCH(arena, int, symbolic->pattern.num_blocks);
  return !arena->failed;
}

void cr_half_start(cr_half* half, cr_precision precision, const void* factor, double* scratch,
                   double* spare, int64_t num_spare) {
  half->precision = precision;
  half->factor = factor;
  half->scratch = scratch;
  half->spare = spare, half->num_spare = num_spare;
  half->next_path = half->path;
  half->columns = half->num_groups = 0;
}

/* --- Columns ------------------------------------------------------------------------------------
 */

/* Of the heads of all paths, takes the supernode that is eliminated first; its paths move on to its
 * parent, those that met as one. */
static int advance(const cr_plan* plan, int* head, int* count) {
  int first = head[0], kept = 0;
  for (int k = 1; k < *count; k++) first = head[k] < first ? head[k] : first;
  for (int k = 0; k < *count; k++)
    if (head[k] != first) head[kept++] = head[k];
  if (plan->supernode[first].parent >= 0) head[kept++] = plan->supernode[first].parent;
  *count = kept;
  return first;
}

/* Lists the supernodes on the paths of the blocks. */
static void list_path(cr_half* half, const int* block, int num_blocks, cr_half_group* g) {
  const cr_plan* plan = half->symbolic->plan;
  for (int b = 0; b < num_blocks; b++) half->head[b] = plan->block_supernode[block[b]];
  g->path = half->next_path, g->num_path = g->rows = 0;
  for (int left = num_blocks; left > 0; g->num_path++) {
    int next = advance(plan, half->head, &left);
    half->next_path[g->num_path] = next;
    g->rows += plan->supernode[next].width;
  }
  half->next_path += g->num_path;
}

/* Sets a working column to zero in the rows of the path. */
static void clear(const cr_substitution* f, const cr_half_group* g, int r) {
  size_t size = f->kernels->number_size;
  char* column = (char*)f->vectors.y + size * (size_t)r * (size_t)f->vectors.y_stride;
  for (int k = 0; k < g->num_path; k++) {
    const cr_supernode* node = &f->plan->supernode[g->path[k]];
    memset(column + size * (size_t)node->first_row, 0, size * (size_t)node->width);
  }
}

/* Writes a block's elements to the rows from `row` on of a working column. */
static void put_block(const cr_substitution* f, cr_precision precision, int r, int row, int size,
                      const double* values) {
  for (int i = 0; i < size; i++)
    if (precision == CR_SINGLE)
      cr_substitution_single_column(f, r)[row + i] = (float)values[i];
    else
      cr_substitution_column(f, r)[row + i] = values[i];
}

/* Sets the working columns to P B in the rows of the path. */
static void scatter(const cr_substitution* f, const cr_half* half, const cr_half_group* g,
                    const int* block, int num_blocks, const double* values, int stride) {
  for (int r = 0; r < g->columns; r++) {
    const double* from = values + (ptrdiff_t)stride * r;
    clear(f, g, r);
    for (int b = 0; b < num_blocks; b++) {
      int size = half->symbolic->pattern.size[block[b]];
      put_block(f, half->precision, r, f->plan->block_row[block[b]], size, from);
      from += size;
    }
  }
}

/* Memory for a group's columns of Y. */
static double* take_memory(cr_half* half, const cr_half_group* g) {
  int64_t size = (int64_t)g->rows * g->columns;
  if (size > half->num_spare) return CR_SCRATCH(half->arena, double, size);
  double* y = half->spare;
  half->spare += size, half->num_spare -= size;
  return y;
}

/* Packs the rows of the path. */
static void pack(const cr_substitution* f, const cr_half* half, const cr_half_group* g) {
  double* y = g->y;
  for (int r = 0; r < g->columns; r++)
    for (int k = 0; k < g->num_path; k++) {
      const cr_supernode* node = &f->plan->supernode[g->path[k]];
      if (half->precision == CR_SINGLE) {
        const float* from = cr_substitution_single_column(f, r) + node->first_row;
        for (int i = 0; i < node->width; i++) *y++ = (double)from[i];
      } else {
        CR_COPY(y, cr_substitution_column(f, r) + node->first_row, node->width);
        y += node->width;
      }
    }
}

static bool add_group(cr_half* half, const int* block, int num_blocks, const double* values,
                      int stride, int columns) {
  cr_half_group* g = &half->group[half->num_groups++];
  *g = (cr_half_group){.columns = columns, .first = half->columns};
  list_path(half, block, num_blocks, g);
  g->y = take_memory(half, g);
  if (half->arena->failed) return false;
  cr_substitution f =
      cr_substitution_start(half->symbolic, half->precision, half->factor, columns, half->scratch);
  scatter(&f, half, g, block, num_blocks, values, stride);
  for (int k = 0; k < g->num_path; k++)
    cr_substitute_panel_forward(&f, &f.plan->supernode[g->path[k]]);
  pack(&f, half, g);
  half->columns += columns;
  return true;
}

bool cr_half_add(cr_half* half, const int* block, int num_blocks, const double* values, int stride,
                 int columns) {
  CR_ASSERT(half->columns + columns <= half->most);
  for (int first = 0; first < columns; first += CR_SOLVE_GROUP) {
    int count = columns - first < CR_SOLVE_GROUP ? columns - first : CR_SOLVE_GROUP;
    const double* from = values + (ptrdiff_t)stride * first;
    if (!add_group(half, block, num_blocks, from, stride, count)) return false;
  }
  return true;
}

/* --- Products -----------------------------------------------------------------------------------
 */

/* Rows that two groups have in common, one after the other in both. */
typedef struct stretch {
  int of_a, of_b, rows;
} stretch;

/* The next of them; `at` is where the search stands in the two paths.
 * @return false at the end */
static bool find_stretch(const cr_plan* plan, const cr_half_group* a, const cr_half_group* b,
                         stretch* next, int at[2]) {
  next->of_a += next->rows, next->of_b += next->rows, next->rows = 0;
  while (at[0] < a->num_path && at[1] < b->num_path) {
    int in_a = a->path[at[0]], in_b = b->path[at[1]];
    if (in_a != in_b && next->rows > 0) return true;
    if (in_a < in_b) {
      next->of_a += plan->supernode[in_a].width, at[0]++;
    } else if (in_b < in_a) {
      next->of_b += plan->supernode[in_b].width, at[1]++;
    } else {
      next->rows += plan->supernode[in_a].width, at[0]++, at[1]++;
    }
  }
  return next->rows > 0;
}

/* The products of the columns of two groups. */
static void multiply(const cr_half* half, const cr_half_group* a, const cr_half_group* b, double* G,
                     int ld) {
  double sum[CR_SOLVE_GROUP][CR_SOLVE_GROUP] = {{0}};
  stretch s = {0, 0, 0};
  for (int at[2] = {0, 0}; find_stretch(half->symbolic->plan, a, b, &s, at);)
    half->symbolic->kernels->add_dots(a->y + s.of_a, a->rows, a->columns, b->y + s.of_b, b->rows,
                                      b->columns, s.rows, sum[0]);
  for (int i = 0; i < a->columns; i++)
    for (int j = 0; j < b->columns; j++)
      G[ld * (a->first + i) + b->first + j] = G[ld * (b->first + j) + a->first + i] = sum[i][j];
}

void cr_half_compute_gram(const cr_half* half, int first, double* G, int ld) {
  for (int a = 0; a < half->num_groups; a++) {
    if (half->group[a].first < first) continue;
    for (int b = 0; b <= a; b++) multiply(half, &half->group[a], &half->group[b], G, ld);
  }
}

/* --- The other half -----------------------------------------------------------------------------
 */

/* z = Y c in the order of elimination. */
static void combine(const cr_half* half, const double* c, int num_rows, double* z) {
  const cr_plan* plan = half->symbolic->plan;
  memset(z, 0, sizeof(double) * (size_t)num_rows);
  for (int k = 0; k < half->num_groups; k++) {
    const cr_half_group* g = &half->group[k];
    const double* y = g->y;
    for (int r = 0; r < g->columns; r++)
      for (int s = 0; s < g->num_path; s++) {
        const cr_supernode* node = &plan->supernode[g->path[s]];
        double* to = z + node->first_row;
        scalar_axpy(to, c[g->first + r], y, node->width, to);
        y += node->width;
      }
  }
}

void cr_half_solve(const cr_half* half, const double* c, double* x) {
  int n = half->symbolic->pattern.num_rows;
  cr_substitution f =
      cr_substitution_start(half->symbolic, half->precision, half->factor, 1, half->scratch);
  if (half->precision == CR_SINGLE) {
    combine(half, c, n, x);
    double scale = cr_substitution_put_single(&f, n, x, NULL);
    if (scale == 0) return;
    cr_substitute_backward(&f);
    cr_substitution_get_single(&f, n, scale, x);
  } else {
    combine(half, c, n, cr_substitution_column(&f, 0));
    cr_substitute_backward(&f);
    cr_substitution_get(&f, n, 0, x);
  }
}
