/* Gram matrices G = Bᵀ A⁻¹ B = Yᵀ Y with L Y = P B, for a B that is zero outside a few block rows.
 *
 * Y differs from zero only on the paths of those block rows in the elimination tree. Its columns
 * stand side by side, CR_GRAM_COLUMNS of them always, so that a row is one vector. */
#include "linalg/cholesky.h"
#include "linalg/plan.h"

#include <string.h>

/* What a Gram matrix is made of: B, on a few blocks. */
typedef struct touched {
  int num_blocks;
  const int* block;
  const double* B; /* [rows of the blocks, num_rhs] row-major */
  int num_rhs;
  const int* size; /* of every block */
} touched;

/* --- Blocks that stand alone --------------------------------------------------------------------
 */

enum { MOST_ALONE = 12 }; /* columns of a panel below which plain loops beat the kernels */

/* True when each block is a small panel of its own that no other row follows, as free bodies are.
 */
static bool stand_alone(const cr_plan* plan, const touched* t) {
  for (int b = 0; b < t->num_blocks; b++) {
    const cr_supernode* node = &plan->supernode[plan->block_supernode[t->block[b]]];
    bool is_last = node->parent < 0 && node[1].first_run == node->first_run;
    if (!is_last || node->width != t->size[t->block[b]] || node->width > MOST_ALONE) return false;
  }
  return true;
}

/* G += Bᵀ A⁻¹ B for one panel, in its upper triangle. The panel's diagonal holds reciprocals. */
static inline void add_alone(const double* L, const cr_supernode* node, const double* B,
                             const int num_rhs, double* G) {
  double z[MOST_ALONE][CR_GRAM_COLUMNS];
  for (int i = 0; i < node->width; i++, B += num_rhs) {
    double* x = z[i];
    for (int r = 0; r < num_rhs; r++) x[r] = B[r];
    for (int k = 0; k < i; k++)
      for (int r = 0; r < num_rhs; r++) x[r] -= L[i + k * node->stride] * z[k][r];
    for (int r = 0; r < num_rhs; r++) x[r] *= L[i + i * node->stride];
    for (int a = 0; a < num_rhs; a++)
      for (int b = a; b < num_rhs; b++) G[a * num_rhs + b] += x[a] * x[b];
  }
}

static void compute_alone(const cr_plan* plan, const double* factor, const touched* t, double* G) {
  const double* B = t->B;
  int num_rhs = t->num_rhs;
  memset(G, 0, sizeof(double) * (size_t)(num_rhs * num_rhs));
  for (int b = 0; b < t->num_blocks; b++) {
    const cr_supernode* node = &plan->supernode[plan->block_supernode[t->block[b]]];
    const double* L = factor + node->offset;
    if (num_rhs == 3)
      add_alone(L, node, B, 3, G);
    else
      add_alone(L, node, B, num_rhs, G);
    B += node->width * num_rhs;
  }
  for (int a = 0; a < num_rhs; a++)
    for (int b = 0; b < a; b++) G[a * num_rhs + b] = G[b * num_rhs + a];
}

/* --- Paths --------------------------------------------------------------------------------------
 */

/* The blocks on the paths from the touched blocks, in the order of elimination. */
typedef struct reach {
  int* block;
  int count;
} reach;

/* Lists the head that is eliminated first, which moves on to its parent, until no path goes on;
 * paths that meet go on as one.
 * @param room for num_touched and as many blocks as there are */
static reach find_reach(const cr_plan* plan, const touched* t, int* room) {
  int *head = room, left = t->num_blocks;
  reach found = {room + t->num_blocks, 0};
  for (int k = 0; k < left; k++) head[k] = t->block[k];
  while (left > 0) {
    int first = head[0], kept = 0;
    for (int k = 1; k < left; k++)
      if (plan->block_row[head[k]] < plan->block_row[first]) first = head[k];
    for (int k = 0; k < left; k++)
      if (head[k] != first) head[kept++] = head[k];
    if (plan->block_parent[first] >= 0) head[kept++] = plan->block_parent[first];
    left = kept;
    found.block[found.count++] = first;
  }
  return found;
}

static double* get_rows(const cr_plan* plan, double* Y, int block) {
  return Y + (ptrdiff_t)CR_GRAM_COLUMNS * plan->block_row[block];
}

/* Sets Y to P B in the rows of the supernodes that the reach touches. */
static void scatter_touched(const cr_plan* plan, const reach* paths, const touched* t, double* Y) {
  for (int k = 0, last = -1; k < paths->count; k++) {
    int s = plan->block_supernode[paths->block[k]];
    const cr_supernode* node = &plan->supernode[s];
    if (s != last)
      memset(Y + (ptrdiff_t)CR_GRAM_COLUMNS * node->first_row, 0,
             sizeof(double) * CR_GRAM_COLUMNS * (size_t)node->width);
    last = s;
  }
  const double* B = t->B;
  for (int b = 0; b < t->num_blocks; b++) {
    double* y = get_rows(plan, Y, t->block[b]);
    for (int k = 0; k < t->size[t->block[b]]; k++, B += t->num_rhs, y += CR_GRAM_COLUMNS)
      for (int r = 0; r < t->num_rhs; r++) y[r] = B[r];
  }
}

/* The runs of one supernode's rows that the reach touches, from its block number `from` on.

 * @return the number of the next block */
static int list_runs(const cr_plan* plan, const touched* t, const reach* paths, int from,
                     cr_row_run* run, int* count) {
  int s = plan->block_supernode[paths->block[from]], k = from;
  *count = 0;
  for (; k < paths->count && plan->block_supernode[paths->block[k]] == s; k++) {
    int block = paths->block[k], start = plan->block_row[block] - plan->supernode[s].first_row;
    cr_row_run* last = *count ? &run[*count - 1] : NULL;
    if (last && last->start + last->count == start)
      last->count += t->size[block];
    else
      run[(*count)++] = (cr_row_run){start, t->size[block]};
  }
  return k;
}

/* G from its diagonals: element (r, (r + d) mod CR_GRAM_COLUMNS) stands at products[d][r]. */
static void unpack(double products[3][CR_GRAM_COLUMNS], int num_rhs, double* G) {
  for (int r = 0; r < num_rhs; r++)
    for (int c = r; c < num_rhs; c++)
      G[r * num_rhs + c] = G[c * num_rhs + r] = c - r < 3 ? products[c - r][r] : products[1][c];
}

void cr_cholesky_compute_gram(const cr_symbolic* symbolic, const double* factor, int num_touched,
                              const int* blocks, const double* B, int num_rhs, double* G,
                              double* scratch) {
  const cr_plan* plan = symbolic->plan;
  touched t = {num_touched, blocks, B, num_rhs, symbolic->pattern.size};
  if (stand_alone(plan, &t)) {
    compute_alone(plan, factor, &t, G);
    return;
  }
  double products[3][CR_GRAM_COLUMNS] = {{0}};
  int* room = (int*)(void*)(scratch + CR_GRAM_COLUMNS * (size_t)symbolic->pattern.num_rows);
  cr_row_run* own = (cr_row_run*)(void*)(room + 2 * symbolic->pattern.num_blocks);
  reach paths = find_reach(plan, &t, room);
  scatter_touched(plan, &paths, &t, scratch);
  for (int k = 0, num_own; k < paths.count;) {
    const cr_supernode* node = &plan->supernode[plan->block_supernode[paths.block[k]]];
    /* Substitutions only read the panel. */
    cr_panel panel = {(double*)factor + node->offset, node->width, node->below, node->rows,
                      node->stride};
    cr_panel_rows rows = {node->first_row, node[1].first_run - node->first_run,
                          plan->run + node->first_run};
    k = list_runs(plan, &t, &paths, k, own, &num_own);
    symbolic->kernels->accumulate_gram(&panel, &rows, own, num_own, scratch, products[0]);
  }
  unpack(products, num_rhs, G);
}
