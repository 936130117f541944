/* A limit's distance is s (x - bound), that of an equality what its anchors are apart, or a joint
 * less the polynomial of another, sum over k of c_k x^k. */
#include "derive/row_parameters.h"

#include "base/error.h"
#include "derive/force_parameters.h"
#include "derive/line_tangent.h"
#include "force/actuator.h"
#include "model/record.h"
#include "sim/rows/row_values.h"
#include "sim/tree/damping.h"

#include <math.h>

static int index_of(const cr_constraint* c) { return (int)(c->key.pair & 0xffffffff); }

static bool is_of_equality(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_EQUALITY_ANCHOR1;
}

static bool is_of_tendon(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_TENDON_RANGE && theta->kind <= CR_THETA_TENDON_FRICTION_LOSS;
}

static const carom_equality_def* equality_of(const carom_model* m, int equality) {
  return &CR_AT(&m->description->equalities, cr_equality_record, equality)->def;
}

/* --- What has none ------------------------------------------------------------------------------
 */

static carom_status refuse(const cr_step_tangent* t, const char* what) {
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none with respect to %s", what);
}

static bool is_anchored(const carom_equality_def* def) {
  return def->type == CAROM_EQUALITY_CONNECT || def->type == CAROM_EQUALITY_WELD ||
         def->type == CAROM_EQUALITY_DISTANCE;
}

carom_status cr_row_theta_check(const cr_step_tangent* t, const cr_theta_column* theta) {
  if (!is_of_equality(theta)) return CAROM_OK;
  const carom_equality_def* def = equality_of(t->step->model, theta->index);
  bool is_anchor =
      theta->kind == CR_THETA_EQUALITY_ANCHOR1 || theta->kind == CR_THETA_EQUALITY_ANCHOR2;
  if (!is_anchor) return CAROM_OK;
  if (!is_anchored(def)) return refuse(t, "anchors of an equality of joints");
  if (isnan(def->anchor2[0]))
    return refuse(t, "anchors of an equality whose anchor2 is that of the reference configuration; "
                     "give it");
  if (def->type == CAROM_EQUALITY_WELD && isnan(def->relative_position[0]))
    return refuse(t, "anchors of a weld that is posed by the reference configuration");
  if (def->type == CAROM_EQUALITY_DISTANCE && isnan(def->distance))
    return refuse(t, "anchors of an equality whose distance is that of the reference "
                     "configuration; give it");
  return CAROM_OK;
}

/* --- Values -------------------------------------------------------------------------------------
 */

static bool is_its(const cr_theta_column* theta, const cr_constraint* c) {
  int which = (int)(c->key.pair >> 32 & 3);
  cr_row_rule rule = is_of_equality(theta)                          ? CR_ROW_EQUALITY
                     : theta->kind == CR_THETA_TENDON_FRICTION_LOSS ? CR_ROW_DRY
                                                                    : CR_ROW_CONTACT;
  if (c->point >= 0 || c->is_tie || c->rule != rule || index_of(c) != theta->index) return false;
  if (is_of_equality(theta)) return true;
  if (rule == CR_ROW_DRY) return which == 2;
  return (which == 1) == is_of_tendon(theta);
}

/* Rows that follow from the places of the anchors. */
static bool is_of_places(const cr_row_shape* row) { return row->kind == CR_ROW_OF_POINT; }

/* World, for a unit of it; side k. */
static v3 move_anchor(const cr_step* step, const cr_theta_column* theta, int* k) {
  const carom_model* m = step->model;
  const carom_equality_def* def = equality_of(m, theta->index);
  *k = theta->kind == CR_THETA_EQUALITY_ANCHOR2;
  int body = m->place.body_index[*k ? def->body2.id : def->body1.id];
  m3 R = m3_mul(&step->kinematics.link_pose[m->body.link[body]].R, &m->body.local[body].R);
  bool counts = *k || def->type != CAROM_EQUALITY_WELD; /* which has a pose in its place */
  return counts ? m3_column(&R, theta->element) : v3_zero();
}

static double move_apart(const cr_step* step, const cr_theta_column* theta,
                         const cr_row_shape* row) {
  int k;
  v3 way = move_anchor(step, theta, &k);
  return (k ? 1 : -1) * v3_dot(row->axis, way);
}

/* The second joint's or tendon's part of a coupling stands behind the first's. */
static void move_polynomial(const cr_step* step, const cr_theta_column* theta,
                            const cr_row_shape* row, cr_row_change* change) {
  const cr_equality_model* e = &step->model->equality;
  double x = cr_row_coupled_coordinate(step, theta->index, 1);
  double slope = theta->element * pow(x, theta->element - 1);
  int first = row->line[0] ? row->line[0]->n : e->joint[2 * theta->index] >= 0;
  for (int i = 0; i < row->num_dofs; i++)
    row->moved[i] = i < first ? 0 : -slope * (row->line[1] ? row->line[1]->J[i - first] : 1);
  change->coefficient = row->moved;
}

/* --- Limited actuators: R = 1 / (dt kappa), v_hat = f0 / kappa of row_values.c ------------------
 */

/* How the length and rate at which its law begins grow with a row whose rates are `at` by v_lin and
 * v0, and whose length is given. */
static void move_start(const cr_step* step, int a, double length, const double at[2],
                       double moved[2]) {
  const cr_force_model* force = &step->model->force;
  int line = force->actuator_line[a], dof = force->line.dof[force->line.start[line]];
  cr_theta theta = step->theta[step->model->tree.link_tree[step->model->tree.dof_link[dof]]];
  cr_weight w = cr_damping_of_line(step, line);
  moved[0] = length + step->dt * w.start * at[1] - theta.q * theta.vq * step->dt * at[0];
  moved[1] = (1 - theta.v - w.rate) * at[1];
}

/* The row for a unit of a wrench's number, in `moved`; returns what its length is. */
static double find_wrench(const cr_step_tangent* t, const cr_theta_column* theta,
                          const cr_row_shape* row) {
  double length = 0, gear = t->step->model->force.actuator_gear[theta->index];
  if (!cr_force_theta_find_wrench(t, theta, row->moved, &length)) return 0; /* the arena says so */
  for (int i = 0; i < row->num_dofs; i++) row->moved[i] *= gear;
  return gear * length;
}

static double product(const cr_row_shape* row, const double* J, const double* v) {
  double sum = 0;
  for (int i = 0; i < row->num_dofs; i++) sum += J[i] * v[row->dof[i]];
  return sum;
}

static cr_row_theta find_actuator(const cr_step_tangent* t, const cr_theta_column* theta,
                                  const cr_row_shape* row) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  int a = theta->index, e = theta->element;
  const double *range = force->actuator_force_range + 2 * a, *bias = force->actuator_bias + 3 * a;
  cr_row_theta out = {.is_moved = theta->kind == CR_THETA_GEAR || theta->kind == CR_THETA_WRENCH};
  if (theta->kind == CR_THETA_FORCE_RANGE) {
    out.bound[e] = step->sim->plan.limited_range[2 * a + e] == range[e];
    return out;
  }
  cr_model_row model = {.rule = CR_ROW_ACTUATOR, .index = a, .line = force->actuator_line[a]};
  cr_row_law law = cr_row_find_law(step, &model);
  double gear = force->actuator_gear[a], by;
  if (theta->kind == CR_THETA_WRENCH) {
    double moved[2], length = find_wrench(t, theta, row);
    const double rates[2] = {product(row, row->moved, step->v_lin),
                             product(row, row->moved, step->v0)};
    move_start(step, a, length, rates, moved);
    by = bias[1] * moved[0] + bias[2] * moved[1];
  } else {
    double per = gear != 0 ? 1 / gear : 0;
    by = cr_force_theta_of_actuator(force, step->input, theta, law.start[0] * per,
                                    law.start[1] * per);
  }
  double kappa = theta->kind == CR_THETA_BIAS && e > 0 ? -law.growth[e - 1] : 0;
  out.R = -kappa / (step->dt * law.kappa * law.kappa);
  out.v_hat = (by - law.f0 / law.kappa * kappa) / law.kappa;
  return out;
}

/* The row is gear times that of the line or joint. */
static void move_actuator(const cr_step_tangent* t, const cr_theta_column* theta,
                          const cr_row_shape* row) {
  double gear = t->step->model->force.actuator_gear[theta->index];
  if (theta->kind == CR_THETA_WRENCH)
    find_wrench(t, theta, row);
  else
    for (int i = 0; i < row->num_dofs; i++)
      row->moved[i] = gear != 0 ? row->coefficient[i] / gear : 0;
}

/* --- All ----------------------------------------------------------------------------------------
 */

static bool is_of_actuator(const cr_theta_column* theta, const cr_constraint* c) {
  bool is_kind = theta->kind >= CR_THETA_GAIN && theta->kind <= CR_THETA_FORCE_RANGE;
  return is_kind && c->rule == CR_ROW_ACTUATOR && index_of(c) == theta->index;
}

cr_row_theta cr_row_theta_find(const cr_step_tangent* t, const cr_theta_column* theta,
                               const cr_constraint* c, const cr_row_shape* row) {
  const cr_step* step = t->step;
  cr_row_theta out = {0};
  if (is_of_actuator(theta, c)) return find_actuator(t, theta, row);
  if (!cr_theta_is_of_row(theta) || !is_its(theta, c)) return out;
  switch (theta->kind) {
  case CR_THETA_RANGE:
  case CR_THETA_TENDON_RANGE:
    if ((int)c->key.feature == theta->element) out.distance = theta->element ? 1 : -1;
    break;
  case CR_THETA_LIMIT_STIFFNESS:
  case CR_THETA_TENDON_LIMIT_STIFFNESS:
  case CR_THETA_EQUALITY_STIFFNESS:
    out.stiffness = 1;
    break;
  case CR_THETA_LIMIT_DISSIPATION:
  case CR_THETA_TENDON_LIMIT_DISSIPATION:
  case CR_THETA_EQUALITY_DISSIPATION:
    out.dissipation = 1;
    break;
  case CR_THETA_TENDON_FRICTION_LOSS:
    out.friction = 1;
    break;
  case CR_THETA_EQUALITY_DISTANCE:
    out.distance = step->model->equality.type[theta->index] == CAROM_EQUALITY_DISTANCE ? -1 : 0;
    break;
  case CR_THETA_EQUALITY_POLYNOMIAL:
    out.distance = -pow(cr_row_coupled_coordinate(step, theta->index, 1), theta->element);
    out.is_moved = theta->element > 0;
    break;
  default: /* anchors */
    out.is_moved = is_of_places(row);
    if (out.is_moved) out.distance = move_apart(step, theta, row);
  }
  return out;
}

void cr_row_theta_move(const cr_step_tangent* t, const cr_theta_column* theta,
                       const cr_constraint* c, const cr_row_shape* row, cr_row_change* change) {
  const cr_step* step = t->step;
  *change = (cr_row_change){.coefficient = row->moved};
  if (is_of_actuator(theta, c)) {
    move_actuator(t, theta, row);
    return;
  }
  if (theta->kind == CR_THETA_EQUALITY_POLYNOMIAL) {
    move_polynomial(step, theta, row, change);
    return;
  }
  int k;
  change->place[0] = change->place[1] = v3_zero();
  v3 way = move_anchor(step, theta, &k);
  change->place[k] = way;
  double length = v3_norm(v3_sub(row->place[1], row->place[0]));
  bool turns = step->model->equality.type[index_of(c)] == CAROM_EQUALITY_DISTANCE && length > 0;
  way = v3_scale(k ? 1 : -1, way);
  if (turns) change->axis = v3_scale(1 / length, v3_axpy(way, -v3_dot(row->axis, way), row->axis));
}
