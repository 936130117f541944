/* Jacobian rows over the segments between links and their trees' roots. */
#include "sim/rows/blocks.h"

bool cr_path_insert(cr_path* path, int block) {
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
    if (!cr_path_insert(path, blocks->segment_block[segment])) return false;
  return true;
}

void cr_path_finish(const cr_blocks* blocks, cr_path* path) {
  path->columns = 0;
  for (int i = 0; i < path->count; i++) {
    path->column[i] = path->columns;
    path->columns += blocks->pattern.size[path->block[i]];
  }
}

void cr_path_find_links(const cr_step* step, const cr_blocks* blocks, const int link[2],
                        cr_path* path) {
  const cr_tree_model* model = &step->model->tree;
  path->count = path->columns = 0;
  for (int k = 0; k < 2; k++) {
    int dof = model->link_last_dof[link[k]];
    if (dof >= 0 && blocks->segment_block[model->dof_segment[dof]] < 0) return;
  }
  for (int k = 0; k < 2; k++) cr_path_add_link(step, blocks, link[k], path);
  cr_path_finish(blocks, path);
}

void cr_path_find_line(const cr_step* step, const cr_blocks* blocks, int line, cr_path* path) {
  const cr_line_model* model = &step->model->force.line;
  const cr_tree_model* tree = &step->model->tree;
  path->count = path->columns = 0;
  for (int i = model->start[line]; i < model->start[line + 1]; i++)
    if (blocks->segment_block[tree->dof_segment[model->dof[i]]] < 0) return;
  for (int i = model->start[line]; i < model->start[line + 1]; i++)
    cr_path_insert(path, blocks->segment_block[tree->dof_segment[model->dof[i]]]);
  cr_path_finish(blocks, path);
}

int cr_path_find_column(const cr_blocks* blocks, const cr_path* path, int segment) {
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

/* Adds rows for the dofs from a link to its root: their columns are the velocities of the point at
 * `arm`, or without one the angular velocities.
 * @param directions [rows], with the sign of the rows */
static inline void add_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                            int link, const v3* arm, const v3* directions, const int rows,
                            double* J, int stride) {
  const cr_tree_model* model = &step->model->tree;
  int dof = model->link_last_dof[link];
  while (dof >= 0) {
    int segment = model->dof_segment[dof], first = model->segment_v_start[segment];
    double* columns = J + cr_path_find_column(blocks, path, segment) - first;
    for (; dof >= first; dof--) {
      sv S = step->kinematics.S[dof];
      v3 u = arm ? sv_point_velocity(S, *arm) : S.ang;
      for (int k = 0; k < rows; k++) columns[k * stride + dof] += v3_dot(directions[k], u);
    }
    dof = model->dof_parent[first];
  }
}

cr_path_side cr_path_find_side(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                               int link) {
  const cr_tree_model* model = &step->model->tree;
  int tree = model->link_tree[link];
  cr_path_side side = {.is_still = tree < 0 && link < model->num_links};
  if (tree < 0 || link >= model->num_links || !model->tree_is_free_link[tree]) return side;
  int dof = model->tree_v_start[tree];
  side.is_free = true;
  side.column = cr_path_find_column(blocks, path, model->dof_segment[dof]);
  side.S = step->kinematics.S + dof + 3;
  side.origin = step->kinematics.origin[tree];
  return side;
}

/* Its translations are along the world's axes, and its rotations go through its tree's origin. */
void cr_path_set_free_rows(const cr_path_side* side, double sign, const v3* directions, v3 place,
                           double* J, int stride) {
  v3 arm = v3_sub(place, side->origin);
  const v3 axis[3] = {side->S[0].ang, side->S[1].ang, side->S[2].ang};
  J += side->column;
  for (int k = 0; k < 3; k++, J += stride) {
    v3 direction = v3_scale(sign, directions[k]), moment = v3_cross(arm, direction);
    v3_store(direction, J);
    for (int i = 0; i < 3; i++) J[3 + i] = v3_dot(moment, axis[i]);
  }
}

void cr_path_add_point_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                            const cr_mover_point* point, const cr_point_rows* out) {
  v3 directions[3];
  int tree = step->model->tree.link_tree[point->link], rows = out->rows;
  if (tree < 0) return;
  v3 arm = v3_sub(point->place, step->kinematics.origin[tree]);
  for (int k = 0; k < rows; k++) directions[k] = v3_scale(out->sign, out->directions[k]);
  if (rows == 3)
    add_rows(step, blocks, path, point->link, &arm, directions, 3, out->J, out->stride);
  else
    add_rows(step, blocks, path, point->link, &arm, directions, rows, out->J, out->stride);
}

void cr_path_add_angular_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                              int link, const cr_point_rows* out) {
  v3 directions[3];
  if (step->model->tree.link_tree[link] < 0) return;
  for (int k = 0; k < out->rows; k++) directions[k] = v3_scale(out->sign, out->directions[k]);
  add_rows(step, blocks, path, link, NULL, directions, out->rows, out->J, out->stride);
}

void cr_path_add_dof(const cr_step* step, const cr_blocks* blocks, const cr_path* path, int dof,
                     double value, double* J) {
  const cr_tree_model* model = &step->model->tree;
  int segment = model->dof_segment[dof];
  J[cr_path_find_column(blocks, path, segment) + dof - model->segment_v_start[segment]] += value;
}

void cr_path_add_line(const cr_step* step, const cr_blocks* blocks, const cr_path* path, int line,
                      double scale, double* J) {
  const cr_line_model* model = &step->model->force.line;
  for (int i = model->start[line]; i < model->start[line + 1]; i++)
    cr_path_add_dof(step, blocks, path, model->dof[i], scale * step->lines.J[i], J);
}
