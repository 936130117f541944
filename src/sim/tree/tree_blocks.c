/* Every segment of a tree couples with its ancestors. */
#include "sim/tree/tree_blocks.h"

#include "sim/tree/tree_matrix.h"

#include <string.h>

/* Segments of a tree are contiguous, like its dofs. */
static int first_segment(const cr_tree_model* model, int tree) {
  return model->dof_segment[model->tree_v_start[tree]];
}

static int end_segment(const cr_tree_model* model, int tree) {
  return model->dof_segment[model->tree_v_start[tree + 1] - 1] + 1;
}

int cr_tree_list_segments(const cr_step* step, int tree, int* segments) {
  const cr_tree_model* model = &step->model->tree;
  int first = first_segment(model, tree), end = end_segment(model, tree);
  for (int s = first; segments && s < end; s++) segments[s - first] = s;
  return end - first;
}

int cr_tree_couple(const cr_step* step, const cr_blocks* blocks, int tree, int (*couplings)[2]) {
  const cr_tree_model* model = &step->model->tree;
  int count = 0;
  for (int s = first_segment(model, tree); s < end_segment(model, tree); s++)
    for (int up = model->segment_parent[s]; up >= 0; up = model->segment_parent[up], count++) {
      if (!couplings) continue;
      couplings[count][0] = blocks->segment_block[s];
      couplings[count][1] = blocks->segment_block[up];
    }
  return count;
}

/* Copies the block (row segment, column segment) out of a tree's matrix, of which the row-major
 * lower triangle is given; a diagonal block whole. */
static void copy_block(const cr_tree_model* model, int tree, const double* M, int row, int column,
                       double* block) {
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  int r0 = model->segment_v_start[row] - start, c0 = model->segment_v_start[column] - start;
  int rows = model->segment_v_start[row + 1] - model->segment_v_start[row];
  int columns = model->segment_v_start[column + 1] - model->segment_v_start[column];
  for (int r = 0; r < rows; r++) {
    const double* from = M + (size_t)(r0 + r) * n + c0;
    if (row == column)
      for (int c = 0; c <= r; c++) block[c * rows + r] = block[r * rows + c] = from[c];
    else
      for (int c = 0; c < columns; c++) block[c * rows + r] = from[c];
  }
}

static bool is_on_path(const cr_tree_model* model, int above, int segment) {
  while (segment > above) segment = model->segment_parent[segment];
  return segment == above;
}

/* Segments that only a spring or line joins, of other trees or of other branches, for which the
 * tree's matrix holds nothing, do not couple by inertia. */
void cr_tree_fill_blocks(cr_step* step, int tree, cr_blocks* blocks) {
  const cr_tree_model* model = &step->model->tree;
  const double* M = cr_step_find_matrix(step, tree);
  for (int s = first_segment(model, tree); s < end_segment(model, tree); s++) {
    int column = blocks->segment_block[s];
    for (int k = blocks->pattern.col_start[column]; k < blocks->pattern.col_start[column + 1];
         k++) {
      int row = blocks->block_segment[blocks->pattern.row_index[k]];
      double* block = blocks->values + blocks->pattern.value_start[k];
      int size = blocks->pattern.value_start[k + 1] - blocks->pattern.value_start[k];
      if (is_on_path(model, s, row))
        copy_block(model, tree, M, row, s, block);
      else
        memset(block, 0, sizeof(double) * (size_t)size);
    }
  }
}

/* --- Points -------------------------------------------------------------------------------------
 */

void cr_tree_count_path(const carom_model* model, const cr_mover_point* point, int* blocks,
                        int* columns) {
  const cr_tree_model* tree = &model->tree;
  int dof = tree->link_last_dof[point->link];
  int segment = dof < 0 ? -1 : tree->dof_segment[dof];
  for (; segment >= 0; segment = tree->segment_parent[segment], ++*blocks)
    *columns += tree->segment_v_start[segment + 1] - tree->segment_v_start[segment];
}

bool cr_tree_add_path(const cr_step* step, const cr_blocks* blocks, const cr_mover_point* point,
                      cr_path* path) {
  return cr_path_add_link(step, blocks, point->link, path);
}
