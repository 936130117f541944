/* Jacobian rows over the segments between links and their trees' roots. */
#include "sim/blocks.h"

/* Inserts a block in ascending order; false when there is no room. */
static bool insert(cr_path* path, int block) {
  int at = path->count;
  while (at > 0 && path->block[at - 1] > block) at--;
  if (at > 0 && path->block[at - 1] == block) return true;
  if (path->count == CR_PATH_MAX) return false;
  for (int i = path->count; i > at; i--) path->block[i] = path->block[i - 1];
  path->block[at] = block;
  path->count++;
  return true;
}

bool cr_path_add_link(const cr_step* step, const cr_blocks* blocks, int link, cr_path* path) {
  const cr_tree_model* model = &step->model->tree;
  int dof = model->link_last_dof[link];
  int segment = dof < 0 ? -1 : model->dof_segment[dof];
  for (; segment >= 0; segment = model->segment_parent[segment])
    if (!insert(path, blocks->segment_block[segment])) return false;
  return true;
}

void cr_path_finish(const cr_blocks* blocks, cr_path* path) {
  path->columns = 0;
  for (int i = 0; i < path->count; i++) {
    path->column[i] = path->columns;
    path->columns += blocks->pattern.size[path->block[i]];
  }
}

/* Column where a segment's dofs start. */
static int find_column(const cr_blocks* blocks, const cr_path* path, int segment) {
  int block = blocks->segment_block[segment], low = 0, high = path->count - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (path->block[middle] < block)
      low = middle + 1;
    else
      high = middle;
  }
  return path->column[low];
}

/* Walks the dofs from a link to its root; `column` is that of dof 0 in the columns of its segment.
 */
typedef struct dof_walk {
  int dof, segment, column;
} dof_walk;

static void enter_dof(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      dof_walk* walk, int dof) {
  const cr_tree_model* model = &step->model->tree;
  walk->dof = dof;
  if (dof < 0 || model->dof_segment[dof] == walk->segment) return;
  walk->segment = model->dof_segment[dof];
  walk->column = find_column(blocks, path, walk->segment) - model->segment_v_start[walk->segment];
}

void cr_path_add_point_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                            int link, v3 x, double sign, const v3* directions, int rows, double* J,
                            int stride) {
  const cr_tree_model* model = &step->model->tree;
  dof_walk walk = {.segment = -1};
  if (link == 0) return;
  v3 arm = v3_sub(x, step->kinematics.origin[model->link_tree[link]]);
  enter_dof(step, blocks, path, &walk, model->link_last_dof[link]);
  while (walk.dof >= 0) {
    v3 u = sv_point_velocity(step->kinematics.S[walk.dof], arm);
    double* column = J + walk.column + walk.dof;
    for (int k = 0; k < rows; k++) column[k * stride] += sign * v3_dot(directions[k], u);
    enter_dof(step, blocks, path, &walk, model->dof_parent[walk.dof]);
  }
}

void cr_path_add_angular_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                              int link, double sign, const v3* directions, int rows, double* J,
                              int stride) {
  const cr_tree_model* model = &step->model->tree;
  dof_walk walk = {.segment = -1};
  if (link == 0) return;
  enter_dof(step, blocks, path, &walk, model->link_last_dof[link]);
  while (walk.dof >= 0) {
    v3 w = step->kinematics.S[walk.dof].ang;
    double* column = J + walk.column + walk.dof;
    for (int k = 0; k < rows; k++) column[k * stride] += sign * v3_dot(directions[k], w);
    enter_dof(step, blocks, path, &walk, model->dof_parent[walk.dof]);
  }
}

void cr_path_add_dof(const cr_step* step, const cr_blocks* blocks, const cr_path* path, int dof,
                     double value, double* J) {
  const cr_tree_model* model = &step->model->tree;
  int segment = model->dof_segment[dof];
  J[find_column(blocks, path, segment) + dof - model->segment_v_start[segment]] += value;
}
