/* With w fixed in the link, S_j and w turn together and S_j · w stays; so what counts of a wrench
 * that changes by dw while its link moves by the twist T is dw - T ×* w. A link's velocity changes
 * by T × V + D, with D the sum of the drifts (tree/rnea_derivatives.h), so that
 *
 *   d(w · V) = dw · V + w · (T × V + D) = (dw - T ×* w) · V + w · D. */
#include "derive/row_tangent.h"

bool cr_row_motion_push(const cr_step_tangent* t, const double* v, cr_row_motion* motion) {
  const cr_tree_model* model = &t->step->model->tree;
  motion->v = v;
  motion->link = CR_PUSH(t->arena, sv, model->num_links);
  motion->drift = CR_PUSH(t->arena, sv, model->num_v);
  motion->link_drift = CR_PUSH(t->arena, sv, model->num_links);
  motion->link_change = CR_PUSH(t->arena, sv, model->num_links);
  return !t->arena->failed;
}

void cr_row_motion_find(const cr_step* step, int tree, cr_row_motion* motion) {
  const cr_tree_model* model = &step->model->tree;
  cr_tree_update_link_velocities(model, tree, &step->kinematics, motion->v, motion->link);
  cr_tree_find_drift(model, tree, &step->kinematics, motion->v, motion->drift);
}

static v3 arm(const cr_step* step, int link, v3 place) {
  return v3_sub(place, step->kinematics.origin[step->model->tree.link_tree[link]]);
}

sv cr_row_wrench(const cr_step* step, const cr_row_shape* row, int k) {
  double sign = k ? 1 : -1;
  if (row->kind == CR_ROW_OF_MOMENT)
    return (sv){v3_scale(sign * row->length, row->axis), v3_zero()};
  return sv_point_force(v3_scale(sign, row->axis), arm(step, row->link[k], row->place[k]));
}

double cr_row_find_rate(const cr_step* step, const cr_row_shape* row, const cr_row_motion* motion) {
  double sum = 0;
  for (int k = 0; k < row->num_dofs; k++) sum += row->coefficient[k] * motion->v[row->dof[k]];
  for (int k = 0; k < 2; k++)
    if (step->model->tree.link_tree[row->link[k]] >= 0)
      sum += sv_dot(cr_row_wrench(step, row, k), motion->link[row->link[k]]);
  return sum;
}

/* How side k's wrench moves, but for what its link carries along. */
static sv turn_wrench(const cr_step* step, const cr_row_shape* row, const cr_row_change* change,
                      int k, sv twist) {
  double sign = k ? 1 : -1;
  v3 axis = v3_sub(change->axis, v3_cross(twist.ang, row->axis));
  if (row->kind == CR_ROW_OF_MOMENT)
    return (sv){v3_scale(sign, v3_axpy(v3_scale(row->length, axis), change->length, row->axis)),
                v3_zero()};
  v3 r = arm(step, row->link[k], row->place[k]);
  v3 way = v3_sub(change->place[k], sv_point_velocity(twist, r));
  sv moved = {v3_add(v3_cross(way, row->axis), v3_cross(r, axis)), axis};
  return sv_scale(sign, moved);
}

void cr_row_carry(const cr_step* step, const cr_row_shape* row, const sv* twist,
                  cr_row_change* change) {
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++) {
    if (step->model->tree.link_tree[row->link[k]] < 0) continue;
    change->wrench[k] = cr_row_wrench(step, row, k);
    change->turned[k] = turn_wrench(step, row, change, k, twist[row->link[k]]);
  }
}

/* Of dofs with coefficients that change. */
static double change_of_dofs(const cr_row_shape* row, const cr_row_change* change,
                             const double* v) {
  double sum = 0;
  for (int k = 0; k < row->num_dofs; k++) sum += change->coefficient[k] * v[row->dof[k]];
  return sum;
}

double cr_row_velocity_change(const cr_step* step, const cr_row_shape* row,
                              const cr_row_change* change, const cr_row_motion* motion) {
  double sum = row->num_dofs > 0 ? change_of_dofs(row, change, motion->v) : 0;
  if (row->kind == CR_ROW_OF_DOFS) return sum;
  for (int k = 0; k < 2; k++) {
    int link = row->link[k];
    if (step->model->tree.link_tree[link] < 0) continue;
    sum += sv_dot(change->turned[k], motion->link[link]);
    sum += sv_dot(change->wrench[k], motion->link_drift[link]);
  }
  return sum;
}

void cr_row_velocity_changes(const cr_step* step, const cr_row_shape* row,
                             const cr_row_change* change, const cr_row_unit* unit, double* out) {
  const cr_tree_model* model = &step->model->tree;
  const cr_row_motion* motion = unit->motion;
  for (int j = 0; j < unit->count; j++)
    out[j] = row->num_dofs > 0 ? change_of_dofs(row, change, motion[j].v) : 0;
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++) {
    int link = row->link[k];
    if (model->link_tree[link] < 0) continue;
    bool moves = cr_dof_moves(model, unit->dof, link);
    for (int j = 0; j < unit->count; j++) {
      out[j] += sv_dot(change->turned[k], motion[j].link[link]);
      if (moves) out[j] += sv_dot(change->wrench[k], motion[j].drift[unit->dof]);
    }
  }
}

double cr_row_rate_change(const cr_step* step, const cr_row_shape* row, const cr_row_change* change,
                          const cr_row_motion* motion) {
  double sum = cr_row_velocity_change(step, row, change, motion);
  for (int k = 0; k < row->num_dofs; k++) sum += row->coefficient[k] * motion->dv[row->dof[k]];
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++)
    if (step->model->tree.link_tree[row->link[k]] >= 0)
      sum += sv_dot(change->wrench[k], motion->link_change[row->link[k]]);
  return sum;
}
