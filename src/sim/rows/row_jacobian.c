/* Jacobians of the rows of the model's constraints, and their place in the problem. */
#include "sim/rows/constraints.h"
#include "sim/rows/row_values.h"
#include "sim/soft/soft_rows.h"

#include <math.h>

static void fill_limit(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                       const cr_model_row* row, double* J) {
  const cr_tree_model* tree = &step->model->tree;
  if (row->line >= 0) {
    cr_path_add_line(step, blocks, path, row->line, row->sign, J);
    return;
  }
  int dof = tree->joint_v_start[row->index];
  if (tree->joint_type[row->index] != CAROM_JOINT_BALL) {
    cr_path_add_dof(step, blocks, path, dof, row->sign, J);
    return;
  }
  for (int k = 0; k < 3; k++)
    cr_path_add_dof(step, blocks, path, dof + k, row->sign * v3_get(row->axis, k), J);
}

static void fill_coupling(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                          const cr_model_row* row, double* J) {
  const cr_equality_model* e = &step->model->equality;
  const double* c = e->polynomial + 5 * row->index;
  double x = cr_row_coupled_coordinate(step, row->index, 1);
  double slope = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * 4 * c[4]));
  for (int k = 0; k < 2; k++) {
    int joint = e->joint[2 * row->index + k], tendon = e->tendon[2 * row->index + k];
    double scale = k == 0 ? 1 : -slope;
    if (tendon >= 0) cr_path_add_line(step, blocks, path, tendon, scale, J);
    if (joint >= 0)
      cr_path_add_dof(step, blocks, path, step->model->tree.joint_v_start[joint], scale, J);
  }
}

/* Rows 0 to 2: position in world axes, or along the line that joins the points; 3 to 5: rotation in
 * the axes of link 2. */
static void fill_link_equality(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                               const cr_model_row* row, double* J, int stride) {
  const cr_equality_model* e = &step->model->equality;
  const pose* pose_of = step->kinematics.link_pose;
  for (int k = 0; k < 2; k++) {
    int link = e->link[2 * row->index + k];
    double sign = k ? 1 : -1;
    if (row->row < 3) {
      v3 x = pose_point(&pose_of[link], v3_load(e->anchor + 6 * row->index + 3 * k));
      cr_mover_point point = {.link = link, .place = x};
      v3 direction = v3_set(v3_zero(), row->row, 1);
      if (e->type[row->index] == CAROM_EQUALITY_DISTANCE)
        direction = cr_equality_direction(e, row->index, pose_of);
      cr_point_rows rows = {sign, &direction, 1, J, stride};
      cr_path_add_point_rows(step, blocks, path, &point, &rows);
    } else {
      v3 axis = m3_column(&pose_of[e->link[2 * row->index + 1]].R, row->row - 3);
      cr_point_rows rows = {sign, &axis, 1, J, stride};
      cr_path_add_angular_rows(step, blocks, path, link, &rows);
    }
  }
}

/* An actuator with feedback: R = 1 / (dt kappa), v_hat = f0 / kappa at the scheme's weights. */
static void fill_actuator(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                          const cr_model_row* row, cr_assembly_rows* out) {
  double gear = step->model->force.actuator_gear[row->index];
  if (row->line >= 0)
    cr_path_add_line(step, blocks, path, row->line, gear, out->J);
  else
    cr_path_add_dof(step, blocks, path, step->model->force.actuator_dof[row->index], gear, out->J);
  cr_row_law law = cr_row_find_law(step, row);
  out->R[0] = 1 / (step->dt * law.kappa);
  out->v_hat[0] = law.f0 / law.kappa;
}

static void describe(const cr_step* step, const cr_model_row* row, cr_constraint* c) {
  const cr_limit_model* limit = &step->model->limit;
  const cr_equality_model* e = &step->model->equality;
  const cr_tendon_model* n = &step->model->force.tendon;
  if (row->rule == CR_ROW_CONTACT) {
    bool is_tendon = row->line >= 0;
    c->stiffness = (is_tendon ? n->limit_stiffness : limit->joint_limit_stiffness)[row->index];
    c->dissipation =
        (is_tendon ? n->limit_dissipation : limit->joint_limit_dissipation)[row->index];
    c->key = cr_row_limit_key(row);
    return;
  }
  if (row->barycentric) {
    cr_soft_describe_tie(step, row, c);
    return;
  }
  if (row->rule == CR_ROW_EQUALITY) {
    c->stiffness = e->stiffness[row->index];
    c->dissipation = e->dissipation[row->index];
    c->key.pair = CR_KEY_EQUALITY | (unsigned)row->index;
  } else {
    unsigned kind = row->rule == CR_ROW_ACTUATOR ? 1 : row->line >= 0 ? 2 : 0;
    c->key.pair = CR_KEY_DOF | (uint64_t)kind << 32 | (unsigned)row->index;
  }
  c->key.feature = (unsigned)row->row;
}

static bool is_mocap(const cr_tree_model* tree, int link) {
  return link > 0 && tree->link_tree[link] < 0;
}

/* The links that a row's mobility is measured by: those that it holds together, or the ends of a
 * string. Joints, and what is coupled by polynomials, are their own measure. */
static void describe_links(const cr_step* step, const cr_model_row* row, cr_constraint* c) {
  const cr_equality_model* e = &step->model->equality;
  const cr_line_model* n = &step->model->force.line;
  const cr_tree_model* tree = &step->model->tree;
  c->link[0] = c->link[1] = -1;
  c->is_tie = row->barycentric != NULL;
  if (row->line >= 0 && n->kind[row->line] == CR_LINE_SPATIAL) {
    c->link[0] = n->point[n->point_start[row->line]].link;
    c->link[1] = n->point[n->point_start[row->line + 1] - 1].link;
  }
  if (row->rule != CR_ROW_EQUALITY || row->barycentric || cr_equality_is_coupling(e, row->index))
    return;
  for (int k = 0; k < 2; k++) {
    c->link[k] = e->link[2 * row->index + k];
    c->is_mocap |= is_mocap(tree, c->link[k]);
  }
  c->is_angular = row->row >= 3;
}

/* The first tree that a row acts on; it acts on one. */
static int find_tree(const cr_step* step, const cr_model_row* row) {
  int tree = -1;
  for (int k = 0, link; (link = cr_model_row_get_link(step->model, row, k)) >= 0 && tree < 0; k++)
    tree = step->model->tree.link_tree[link];
  return tree;
}

void cr_model_row_add(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_model_row* row, cr_assembly* assembly, cr_constraint* constraint) {
  const cr_equality_model* e = &step->model->equality;
  cr_assembly_rows out =
      cr_assembly_add(assembly, CR_LAW_BOUNDS, path->block, path->count, row->low, row->high);
  int tree = find_tree(step, row);
  *constraint = (cr_constraint){.rule = row->rule,
                                .point = -1,
                                .distance = row->distance,
                                .theta = step->theta[tree],
                                .is_hit = row->is_hit};
  describe(step, row, constraint);
  describe_links(step, row, constraint);
  switch (row->rule) {
  case CR_ROW_CONTACT:
    fill_limit(step, blocks, path, row, out.J);
    break;
  case CR_ROW_DRY:
    if (row->line >= 0)
      cr_path_add_line(step, blocks, path, row->line, 1, out.J);
    else
      cr_path_add_dof(step, blocks, path, row->index, 1, out.J);
    break;
  case CR_ROW_ACTUATOR:
    fill_actuator(step, blocks, path, row, &out);
    break;
  case CR_ROW_EQUALITY:
    if (row->barycentric)
      cr_soft_fill_tie(step, blocks, path, row, &out);
    else if (cr_equality_is_coupling(e, row->index))
      fill_coupling(step, blocks, path, row, out.J);
    else
      fill_link_equality(step, blocks, path, row, out.J, out.stride);
  }
}
