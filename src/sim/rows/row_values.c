/* Lengths, forces and links of the rows of the model's constraints. */
#include "sim/rows/row_values.h"

#include "force/actuator.h"
#include "sim/tree/damping.h"

double cr_row_coupled_coordinate(const cr_step* step, int index, int k) {
  const cr_tree_model* tree = &step->model->tree;
  int j = step->model->equality.joint[2 * index + k];
  int line = step->model->equality.tendon[2 * index + k];
  if (line >= 0) return step->lines.length[line] - step->model->force.line.reference[line];
  return j < 0 ? 0 : step->q_mid[tree->joint_q_start[j]] - tree->joint_reference[j];
}

v3 cr_equality_direction(const cr_equality_model* e, int index, const pose* link) {
  v3 x[2];
  for (int k = 0; k < 2; k++)
    x[k] = pose_point(&link[e->link[2 * index + k]], v3_load(e->anchor + 6 * index + 3 * k));
  return v3_normalize_or(v3_sub(x[1], x[0]), v3_make(0, 0, 1));
}

/* Length at the scheme's weights less what the new velocity adds to it, and the rate's old part. A
 * law without damping in a step whose configuration is the start's gets h from the whole step. */
cr_row_law cr_row_find_law(const cr_step* step, const cr_model_row* row) {
  const cr_force_model* force = &step->model->force;
  int a = row->index, link = cr_model_row_get_link(step->model, row, 0);
  cr_theta theta = step->theta[step->model->tree.link_tree[link]];
  double h = theta.q * theta.vq * step->dt, whole = theta.vq * step->dt;
  const double* bias = force->actuator_bias + 3 * a;
  double gear = force->actuator_gear[a];
  double v0 = cr_actuator_find_rate(force, a, &step->lines, step->v0);
  cr_weight w = force->actuator_line[a] < 0 ? cr_damping_of_dof(step, force->actuator_dof[a])
                                            : cr_damping_of_line(step, force->actuator_line[a]);
  double x = cr_actuator_find_coordinate(force, a, &step->lines, step->q_mid);
  double l = gear * (x - h * cr_actuator_find_rate(force, a, &step->lines, step->v_lin) +
                     step->dt * w.start * v0);
  double l_dot = gear * (1 - theta.v - w.rate) * v0;
  double by_length = h + step->dt * w.end, by_rate = theta.v + w.rate;
  double kappa = -(bias[1] * by_length + bias[2] * by_rate);
  if (!(kappa > 0)) kappa = -bias[1] * whole, by_length = whole;
  return (cr_row_law){cr_actuator_compute_force(force, a, step->input, l, l_dot),
                      kappa,
                      {l, l_dot},
                      {by_length, by_rate}};
}

cr_contact_key cr_row_limit_key(const cr_model_row* row) {
  uint64_t kind = row->line >= 0;
  return (cr_contact_key){.pair = CR_KEY_LIMIT | kind << 32 | (unsigned)row->index,
                          .feature = (unsigned)row->row};
}

/* Link k of a line, -1 past its last. */
static int line_link(const cr_line_model* n, int line, int k) {
  int place = n->start[line] + k;
  return place < n->start[line + 1] ? n->link[place] : -1;
}

/* Link k of an equality's two ends, each a body, a joint, or a tendon with links of its own. */
static int equality_link(const carom_model* model, int index, int k) {
  const cr_equality_model* e = &model->equality;
  const cr_line_model* n = &model->force.line;
  if (e->type[index] == CAROM_EQUALITY_TENDON) {
    int first = e->tendon[2 * index], second = e->tendon[2 * index + 1];
    int count = n->start[first + 1] - n->start[first];
    if (k < count) return line_link(n, first, k);
    return second < 0 ? -1 : line_link(n, second, k - count);
  }
  if (k > 1) return -1;
  if (!cr_equality_is_coupling(e, index)) return e->link[2 * index + k];
  int joint = e->joint[2 * index + k];
  return joint < 0 ? 0 : model->tree.joint_link[joint];
}

int cr_model_row_get_link(const carom_model* model, const cr_model_row* row, int k) {
  const cr_tree_model* tree = &model->tree;
  if (row->line >= 0) return line_link(&model->force.line, row->line, k);
  if (row->barycentric && k < 2)
    return k ? tree->num_links + model->soft.tie_part[row->index]
             : model->soft.tie_link[row->index];
  if (row->barycentric) return -1;
  if (row->rule == CR_ROW_EQUALITY) return equality_link(model, row->index, k);
  if (k > 0) return -1;
  if (row->rule == CR_ROW_CONTACT) return tree->joint_link[row->index];
  if (row->rule == CR_ROW_DRY) return tree->dof_link[row->index];
  return tree->dof_link[model->force.actuator_dof[row->index]];
}
