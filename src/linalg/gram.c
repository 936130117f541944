/* Gram matrices G = B A⁻¹ Bᵀ = Yᵀ Y with L Y = P Bᵀ.
 *
 * Y differs from zero only on the paths of the touched block rows in the elimination tree. Its
 * columns stand side by side, CR_GRAM_COLUMNS of them always, so that a row is one vector. */
#include "linalg/gram.h"

#include "linalg/plan.h"

#include <string.h>

/* --- Blocks that stand alone --------------------------------------------------------------------
 */

static const cr_supernode* node_of(const cr_gram* gram, int touched) {
  const cr_plan* plan = gram->symbolic->plan;
  return &plan->supernode[plan->block_supernode[gram->blocks[touched]]];
}

/* True when each block is a small panel of its own that no other row follows, as free bodies are.
 */
static bool stand_alone(const cr_gram* gram) {
  const int* size = gram->symbolic->pattern.size;
  for (int b = 0; b < gram->num_touched; b++) {
    const cr_supernode* node = node_of(gram, b);
    bool is_last = node->parent < 0 && node[1].first_run == node->first_run;
    if (!is_last || node->width != size[gram->blocks[b]] || node->width > CR_ALONE_WIDTH)
      return false;
  }
  return true;
}

static cr_panel find_panel(const cr_gram* gram, const cr_supernode* node) {
  /* Substitutions only read the panel. */
  return (cr_panel){(double*)gram->factor + node->offset, node->width, node->below, node->rows,
                    node->stride};
}

static void list_panels(cr_gram* gram, cr_panel* panel) {
  for (int b = 0; b < gram->num_touched; b++) panel[b] = find_panel(gram, node_of(gram, b));
  gram->panel = panel;
}

/* --- Paths --------------------------------------------------------------------------------------
 */

/* A supernode on the paths, and the runs of its rows that they touch. */
typedef struct cr_gram_node {
  const cr_supernode* node;
  cr_row_run* run;
  int num_runs;
} cr_gram_node;

/* Of the heads of all paths, takes the block that is eliminated first; its paths move on to its
 * parent, those that met as one.
 * @return the block */
static int advance_paths(const cr_plan* plan, int* head, int* count) {
  int first = head[0], kept = 0;
  for (int k = 1; k < *count; k++)
    if (plan->block_row[head[k]] < plan->block_row[first]) first = head[k];
  for (int k = 0; k < *count; k++)
    if (head[k] != first) head[kept++] = head[k];
  if (plan->block_parent[first] >= 0) head[kept++] = plan->block_parent[first];
  *count = kept;
  return first;
}

static void add_run(cr_gram_node* to, int start, int count) {
  cr_row_run* last = to->run + to->num_runs - 1;
  if (to->num_runs && last->start + last->count == start)
    last->count += count;
  else
    to->run[to->num_runs++] = (cr_row_run){start, count};
}

/* Lists the supernodes on the paths.
 * @return how many */
static int list_nodes(const cr_gram* gram, int* head, cr_row_run* run, cr_gram_node* node) {
  const cr_plan* plan = gram->symbolic->plan;
  int count = 0, left = gram->num_touched;
  for (int k = 0; k < left; k++) head[k] = gram->blocks[k];
  while (left > 0) {
    int block = advance_paths(plan, head, &left);
    const cr_supernode* own = &plan->supernode[plan->block_supernode[block]];
    if (count == 0 || node[count - 1].node != own) {
      if (count) run += node[count - 1].num_runs;
      node[count++] = (cr_gram_node){own, run, 0};
    }
    add_run(&node[count - 1], plan->block_row[block] - own->first_row,
            gram->symbolic->pattern.size[block]);
  }
  return count;
}

void cr_gram_init(cr_gram* gram, const cr_symbolic* symbolic, const double* factor, int num_touched,
                  const int* blocks, double* scratch) {
  *gram = (cr_gram){symbolic, factor, num_touched, blocks, 0, NULL, NULL, scratch};
  if (stand_alone(gram)) {
    list_panels(gram, (cr_panel*)(void*)scratch);
    return;
  }
  size_t num_blocks = (size_t)symbolic->pattern.num_blocks;
  double* rest = scratch + CR_GRAM_COLUMNS * (size_t)symbolic->pattern.num_rows;
  cr_gram_node* node = (cr_gram_node*)(void*)rest;
  cr_row_run* run = (cr_row_run*)(void*)(node + num_blocks);
  gram->num_nodes = list_nodes(gram, (int*)(void*)(run + num_blocks), run, node);
  gram->node = node;
}

/* Sets Y to P Bᵀ in the rows of the supernodes that the paths touch. */
static void scatter_rows(const cr_gram* gram, const double* B, int num_rows, int stride) {
  const cr_plan* plan = gram->symbolic->plan;
  for (int k = 0; k < gram->num_nodes; k++) {
    const cr_supernode* node = gram->node[k].node;
    memset(gram->Y + (ptrdiff_t)CR_GRAM_COLUMNS * node->first_row, 0,
           sizeof(double) * CR_GRAM_COLUMNS * (size_t)node->width);
  }
  for (int b = 0; b < gram->num_touched; b++) {
    int block = gram->blocks[b], size = gram->symbolic->pattern.size[block];
    double* y = gram->Y + (ptrdiff_t)CR_GRAM_COLUMNS * plan->block_row[block];
    for (int k = 0; k < size; k++, B++, y += CR_GRAM_COLUMNS)
      for (int r = 0; r < num_rows; r++) y[r] = B[r * stride];
  }
}

/* G from its diagonals: element (r, (r + d) mod CR_GRAM_COLUMNS) stands at products[d][r]. */
static inline void unpack(double products[3][CR_GRAM_COLUMNS], const int num_rows, double* G) {
  for (int r = 0; r < num_rows; r++)
    for (int c = r; c < num_rows; c++)
      G[r * num_rows + c] = G[c * num_rows + r] = c - r < 3 ? products[c - r][r] : products[1][c];
}

void cr_gram_compute(const cr_gram* gram, const double* B, int num_rows, int stride, double* G) {
  double products[3][CR_GRAM_COLUMNS] = {{0}};
  if (gram->num_nodes == 0) {
    const cr_rows rows = {B, num_rows, 0, stride};
    gram->symbolic->kernels->accumulate_gram_alone(gram->panel, gram->num_touched, &rows,
                                                   products[0]);
    if (num_rows == 3)
      unpack(products, 3, G);
    else
      unpack(products, num_rows, G);
    return;
  }
  const cr_plan* plan = gram->symbolic->plan;
  scatter_rows(gram, B, num_rows, stride);
  for (int k = 0; k < gram->num_nodes; k++) {
    const cr_gram_node* at = &gram->node[k];
    const cr_supernode* node = at->node;
    cr_panel panel = find_panel(gram, node);
    cr_panel_rows rows = {node->first_row, node[1].first_run - node->first_run,
                          plan->run + node->first_run};
    gram->symbolic->kernels->accumulate_gram(&panel, &rows, at->run, at->num_runs, gram->Y,
                                             products[0]);
  }
  unpack(products, num_rows, G);
}
