/* With a force f(l, l') along a row J, tau = Jᵀ f, and its term w J Jᵀ in A, a number has df and dw
 * at l and l' held; one that moves the row by dJ, and l and l' with it, has those of l and l', too.
 */
#include "derive/force_parameters.h"

#include "base/copy.h"
#include "base/error.h"
#include "force/actuator.h"
#include "force/controller.h"
#include "force/elements.h"
#include "force/muscle.h"
#include "force/polynomial.h"
#include "force/tendon.h"
#include "model/record.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/lines.h"

#include <math.h>
#include <string.h>

/* --- Which they are -----------------------------------------------------------------------------
 */

/* Kinds of an owner's numbers. */
static const struct range {
  cr_theta_kind first, last;
} RANGES[] = {
    [CR_FORCE_OF_DOF] = {CR_THETA_STIFFNESS_MORE, CR_THETA_DAMPING_MORE},
    [CR_FORCE_OF_ACTUATOR] = {CR_THETA_GAIN, CR_THETA_FORCE_RANGE},
    [CR_FORCE_OF_TENDON] = {CR_THETA_TENDON_STIFFNESS, CR_THETA_TENDON_ARMATURE},
    [CR_FORCE_OF_SPRING] = {CR_THETA_SPRING_STIFFNESS, CR_THETA_SPRING_POINT2},
};

static bool is_of(const cr_step_tangent* t, const cr_theta_column* theta, cr_force_owner of) {
  const struct range* range = &RANGES[of.kind];
  int index = of.kind == CR_FORCE_OF_DOF ? t->step->model->tree.dof_joint[of.index] : of.index;
  return theta->kind >= range->first && theta->kind <= range->last && theta->index == index;
}

int cr_force_thetas_count(const cr_step_tangent* t, cr_force_owner of) {
  int count = 0;
  for (int i = 0; i < t->num_thetas; i++) count += is_of(t, &t->thetas[i], of);
  return count;
}

/* --- What has none ------------------------------------------------------------------------------
 */

static carom_status refuse(const cr_step_tangent* t, const char* what, const char* why) {
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none with respect to %s: %s", what, why);
}

static const carom_actuator_def* actuator_of(const carom_model* m, int actuator) {
  return &CR_AT(&m->description->actuators, cr_actuator_record, actuator)->def;
}

static bool is_muscle(const carom_actuator_def* def) {
  return def->is_muscle_gain || def->is_muscle_bias;
}

static carom_status check_actuator(const cr_step_tangent* t, const cr_theta_column* theta) {
  const carom_actuator_def* def = actuator_of(t->step->model, theta->index);
  cr_theta_kind kind = theta->kind;
  const cr_force_model* force = &t->step->model->force;
  bool is_input = cr_theta_is_of_input(theta), sticks = force->actuator_body[theta->index] >= 0;
  if (force->actuator_law[theta->index] >= 0 || (sticks && !is_input))
    return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                        "derivatives: there are none yet with respect to numbers of controllers "
                        "and motors, and gains of adhesion");
  if (is_input) return CAROM_OK;
  bool is_gain = kind == CR_THETA_GAIN || kind == CR_THETA_GAIN_FEEDBACK;
  bool is_bias = kind == CR_THETA_BIAS;
  bool is_range = kind == CR_THETA_FORCE_RANGE || kind == CR_THETA_LENGTH_RANGE;
  if ((is_gain && def->is_muscle_gain) || (is_bias && def->is_muscle_bias))
    return refuse(t, "an actuator's gain and bias", "they are a muscle's curves");
  if (kind == CR_THETA_WRENCH && !def->site.id && !def->joint.id)
    return refuse(t, "an actuator's wrench",
                  "it works along another length; there are for its "
                  "gear");
  if (kind == CR_THETA_LENGTH_RANGE && is_muscle(def) && isnan(def->length_range[0]))
    return refuse(t, "a muscle's length_range", "it is what its mechanism can reach; give it");
  if (!is_gain && !is_bias && !is_range && is_muscle(def))
    return refuse(t, "the gear of a muscle", "its range of lengths and peak force go with it");
  bool is_ratio = !isnan(def->damping_ratio) && !is_range && !(is_bias && theta->element < 2);
  if (is_ratio)
    return refuse(t, "gear and gain of an actuator",
                  "its damping is of a given ratio to the critical one, and goes with them; there "
                  "are where bias gives it");
  return CAROM_OK;
}

carom_status cr_force_theta_check(const cr_step_tangent* t, const cr_theta_column* theta) {
  const carom_model* m = t->step->model;
  bool is_point = theta->kind == CR_THETA_SPRING_POINT1 || theta->kind == CR_THETA_SPRING_POINT2;
  bool is_of_actuator = theta->kind >= CR_THETA_GAIN && theta->kind <= CR_THETA_FORCE_RANGE;
  if (is_of_actuator || cr_theta_is_of_input(theta)) return check_actuator(t, theta);
  if (theta->kind == CR_THETA_TENDON_REST &&
      isnan(CR_AT(&m->description->tendons, cr_tendon_record, theta->index)->def.rest[0]))
    return refuse(t, "a tendon's rest", "it is its length at the reference configuration; give it");
  if (is_point &&
      isnan(CR_AT(&m->description->springs, cr_spring_record, theta->index)->def.rest_length))
    return refuse(t, "a spring's points",
                  "its rest length is that at the reference configuration; give it");
  return CAROM_OK;
}

static bool takes_from_mechanism(const carom_actuator_def* def) {
  bool is_gain = def->is_muscle_gain && def->muscle_gain.force < 0;
  bool is_bias = def->is_muscle_bias && def->muscle_bias.force < 0;
  bool is_range = is_muscle(def) && isnan(def->length_range[0]);
  return is_gain || is_bias || is_range || !isnan(def->damping_ratio);
}

bool cr_force_takes_from_masses(const carom_model* m) {
  bool any = false;
  for (int a = 0; a < m->force.num_actuators; a++) any |= takes_from_mechanism(actuator_of(m, a));
  return any;
}

/* --- Rows that move -----------------------------------------------------------------------------
 */

static double product(const cr_line_tangent* line, const double* J, const double* x) {
  double sum = 0;
  for (int i = 0; i < line->n; i++) sum += J[i] * x[line->dof[i]];
  return sum;
}

cr_row_force_input cr_force_move_row(const cr_step* step, const cr_force_at* at,
                                     const cr_row_force* p, const double* dJ, double length) {
  double v = product(&p->line, dJ, step->v_star), v0 = product(&p->line, dJ, step->v0);
  double dl = length + cr_weight_shift(at->w, step->dt, v, v0);
  double dl_dot = product(&p->line, dJ, step->v_f) + cr_weight_rate(at->w, v, v0);
  return (cr_row_force_input){.force = -p->stiffness * dl - p->damping * dl_dot,
                              .weight = p->weight_by[0] * dl + p->weight_by[1] * dl_dot,
                              .J = dJ};
}

/* --- Springs and dampers ------------------------------------------------------------------------
 */

/* A spring's power beyond the first, by where it is from its rest; and a damper's, by its rate. */
static cr_row_force_input of_power(int power, double x, double h, bool resists) {
  double size = pow(x, power);
  return (cr_row_force_input){.force = -size * x, .weight = resists ? h * (power + 1) * size : 0};
}

static cr_row_force_input of_damper_power(int power, double rate, double h, bool resists) {
  double size = pow(fabs(rate), power);
  return (cr_row_force_input){.force = -size * rate,
                              .weight = resists ? h * (power + 1) * size : 0};
}

cr_row_force_input cr_force_theta_of_tendon(const cr_step* step, const cr_theta_column* theta,
                                            const cr_force_at* at, const cr_row_force* p) {
  const cr_tendon_model* n = &step->model->force.tendon;
  int i = theta->index, e = theta->element;
  double x = cr_tendon_compute_stretch(n, i, at->length), v = at->rate;
  const double* more = n->stiffness_more + 2 * i;
  double k = x != 0 ? cr_spring_slope(n->stiffness[i], more, x) : 0;
  double b = cr_damper_slope(n->damping[i], n->damping_more + 2 * i, v);
  bool is_active = e == 0 ? x < 0 : x > 0;
  switch (theta->kind) {
  case CR_THETA_TENDON_STIFFNESS:
    return of_power(0, x, at->h[0], x != 0 && k >= 0);
  case CR_THETA_TENDON_STIFFNESS_MORE:
    return of_power(e + 1, x, at->h[0], x != 0 && k >= 0);
  case CR_THETA_TENDON_DAMPING:
    return of_damper_power(0, v, at->h[1], b >= 0);
  case CR_THETA_TENDON_DAMPING_MORE:
    return of_damper_power(e + 1, v, at->h[1], b >= 0);
  case CR_THETA_TENDON_REST:
    if (!is_active) return (cr_row_force_input){0};
    return (cr_row_force_input){.force = k,
                                .weight = k > 0 ? -at->h[0] * (2 * more[0] + 6 * more[1] * x) : 0};
  default: { /* its armature, which counts by the change of the rate */
    double change =
        cr_line_tangent_rate(&p->line, step->v_star) - cr_line_tangent_rate(&p->line, step->v0);
    return (cr_row_force_input){.force = (at->is_known ? 0 : -change / step->dt) - p->drift,
                                .weight = 1};
  }
  }
}

static cr_row_force_input of_dof(const cr_step* step, const cr_theta_column* theta, int dof,
                                 const cr_force_at* at) {
  const cr_force_model* f = &step->model->force;
  static const double LINEAR[2] = {0, 0};
  const double *k = f->num_polynomials ? f->dof_spring_more + 2 * dof : LINEAR,
               *b = f->num_polynomials ? f->dof_damper_more + 2 * dof : LINEAR;
  double stiffness = f->joint_stiffness[step->model->tree.dof_joint[dof]];
  if (theta->kind == CR_THETA_STIFFNESS_MORE)
    return of_power(theta->element + 1, at->length, at->h[0],
                    cr_spring_slope(stiffness, k, at->length) >= 0);
  return of_damper_power(theta->element + 1, at->rate, at->h[1],
                         cr_damper_slope(f->dof_damping[dof], b, at->rate) >= 0);
}

/* --- Springs between points ---------------------------------------------------------------------
 */

/* How the stiffness that spreads across a spring grows, see row_forces.c. */
static double find_spread(const cr_step* step, const cr_theta_column* theta, double h2) {
  const cr_force_model* f = &step->model->force;
  cr_force_spring s = cr_force_locate_spring(f, theta->index, step->kinematics.link_pose);
  double k = h2 * f->spring_stiffness[theta->index], rest = f->spring_rest_length[theta->index];
  if (theta->kind == CR_THETA_SPRING_STIFFNESS) {
    if (!(s.length > 0)) return rest > 0 ? 0 : h2;
    return h2 * fmax(1 - rest / s.length, 0);
  }
  bool spreads = theta->kind == CR_THETA_SPRING_REST && s.length > rest;
  return spreads ? -k / s.length : 0;
}

static v3 way_of(const cr_step* step, int link, int dof, v3 point) {
  const cr_tree_model* model = &step->model->tree;
  int tree = model->link_tree[link], k = tree < 0 ? -1 : model->link_last_dof[link];
  while (k > dof) k = model->dof_parent[k];
  if (k != dof || tree < 0) return v3_zero();
  return sv_point_velocity(step->kinematics.S[dof], v3_sub(point, step->kinematics.origin[tree]));
}

static v3 turn_of(const cr_step* step, int link, int dof) {
  const cr_tree_model* model = &step->model->tree;
  int k = model->link_tree[link] < 0 ? -1 : model->link_last_dof[link];
  while (k > dof) k = model->dof_parent[k];
  return k == dof ? step->kinematics.S[dof].ang : v3_zero();
}

/* How a row along the spring, or along an axis, moves with one of its points, and the length. */
static double move_point(const cr_step* step, const cr_theta_column* theta, const v3* axis,
                         const cr_line_tangent* line, double* dJ) {
  const carom_model* m = step->model;
  cr_force_spring s = cr_force_locate_spring(&m->force, theta->index, step->kinematics.link_pose);
  const carom_spring_def* def =
      &CR_AT(&m->description->springs, cr_spring_record, theta->index)->def;
  int k = theta->kind == CR_THETA_SPRING_POINT2;
  int body = m->place.body_index[k ? def->body2.id : def->body1.id];
  m3 R = m3_mul(&step->kinematics.link_pose[s.link[k]].R, &m->body.local[body].R);
  v3 way = m3_column(&R, theta->element), apart = v3_scale(k ? 1 : -1, way);
  double along = v3_dot(s.direction, apart);
  v3 turn = v3_zero(), n = axis ? *axis : s.direction;
  if (!axis && s.length > 0) turn = v3_scale(1 / s.length, v3_axpy(apart, -along, s.direction));
  for (int j = 0; j < line->n; j++) {
    int dof = line->dof[j];
    v3 ways =
        v3_sub(way_of(step, s.link[1], dof, s.point[1]), way_of(step, s.link[0], dof, s.point[0]));
    dJ[j] = v3_dot(turn, ways) + v3_dot(n, v3_cross(turn_of(step, s.link[k], dof), apart));
  }
  return along;
}

double cr_force_theta_find_length(const cr_step* step, const cr_theta_column* theta) {
  const cr_line_tangent none = {.n = 0};
  return move_point(step, theta, NULL, &none, NULL);
}

static cr_row_force_input of_spring(const cr_step* step, const cr_theta_column* theta,
                                    const cr_force_at* at) {
  const cr_force_model* f = &step->model->force;
  double spread = find_spread(step, theta, at->h[0]);
  cr_row_force_input in = {.weight = -spread};
  if (theta->kind == CR_THETA_SPRING_STIFFNESS) {
    in.force = -(at->length - f->spring_rest_length[theta->index]);
    in.weight += at->h[0];
  } else if (theta->kind == CR_THETA_SPRING_REST) {
    in.force = f->spring_stiffness[theta->index];
  } else {
    in.force = -at->rate, in.weight = at->h[1];
  }
  return in;
}

/* --- Actuators ----------------------------------------------------------------------------------
 */

/* By how many turns the nearest setpoint on a circle is off, times a turn. */
static double find_wrap(const cr_force_model* f, const double* inputs, int a, double length) {
  double period = f->actuator_period[a], setpoint = inputs[f->actuator_input[a]];
  return period > 0 ? cr_controller_wrap(setpoint, length, period) - setpoint : 0;
}

/* What an end of its range of lengths does to a muscle's force and to slopes of that: curves go by
 * the share of the way through the range, and rates by its width. */
typedef struct muscle_change {
  double force, slope[2]; /* over length and rate */
} muscle_change;

static void add_curve(const cr_muscle_slopes* c, double scale, const double by[3],
                      muscle_change* m) {
  m->force += scale * (c->l * by[0] + c->v * by[1]);
  m->slope[0] += scale * (c->ll * by[0] + c->lv * by[1] + c->l * by[2]);
  m->slope[1] += scale * (c->lv * by[0] + c->vv * by[1] + c->v * by[2]);
}

static muscle_change change_muscle(const cr_force_model* f, const double* inputs,
                                   const cr_theta_column* theta, double l, double l_dot) {
  int a = theta->index, is_upper = theta->element;
  const double *range = f->actuator_length_range + 2 * a, width = range[1] - range[0];
  const double* p = f->actuator_muscle + 2 * CR_MUSCLE_NUM_PARAMETERS * a;
  double sign = is_upper ? -1 : 1, share = (l - range[0]) / width;
  const double by[3] = {is_upper ? -share : share - 1, sign * l_dot / width, sign / width};
  muscle_change m = {0};
  if (f->actuator_gain_part[a] == CR_ACTUATOR_MUSCLE) {
    cr_muscle_slopes gain = cr_muscle_find_gain_slopes(range, p, l, l_dot);
    add_curve(&gain, inputs[f->actuator_input[a]], by, &m);
  }
  if (f->actuator_bias_part[a] == CR_ACTUATOR_MUSCLE) {
    cr_muscle_slopes bias = cr_muscle_find_bias_slopes(range, p + CR_MUSCLE_NUM_PARAMETERS, l);
    add_curve(&bias, 1, by, &m);
  }
  return m;
}

double cr_force_theta_of_actuator(const cr_force_model* f, const double* inputs,
                                  const cr_theta_column* theta, double x, double x_dot) {
  int a = theta->index;
  double gear = f->actuator_gear[a], u = inputs[f->actuator_input[a]];
  const double by[3] = {1, gear * x, gear * x_dot}, *bias = f->actuator_bias + 3 * a;
  if (theta->kind == CR_THETA_GAIN) return u;
  if (theta->kind == CR_THETA_GAIN_FEEDBACK) return u * by[theta->element + 1];
  if (theta->kind == CR_THETA_BIAS) return by[theta->element];
  if (theta->kind == CR_THETA_LENGTH_RANGE)
    return change_muscle(f, inputs, theta, by[1], by[2]).force;
  if (theta->kind != CR_THETA_GEAR) return 0;
  const double* gain = f->actuator_gain + 3 * a;
  double wrap = gear != 0 ? find_wrap(f, inputs, a, gear * x) / gear : 0;
  return (gain[1] * u + bias[1]) * x + (gain[2] * u + bias[2]) * x_dot - bias[1] * wrap;
}

/* What of an actuator's stiffness and damping in A grows, which are - gear² times slopes of its
 * force. */
static double find_actuator_weight(const cr_step* step, const cr_theta_column* theta,
                                   const cr_force_at* at) {
  const cr_force_model* f = &step->model->force;
  int a = theta->index;
  double gear = f->actuator_gear[a], u = step->input[f->actuator_input[a]], sum = 0;
  cr_actuator_tangent s = cr_actuator_tangent_find(f, a, step->input, at->length, at->rate);
  const double slope[2] = {s.stiffness, s.damping};
  muscle_change muscle = {0};
  if (theta->kind == CR_THETA_LENGTH_RANGE)
    muscle = change_muscle(f, step->input, theta, gear * at->length, gear * at->rate);
  for (int k = 0; k < 2; k++) {
    double by = -gear * gear * muscle.slope[k];
    if (!(slope[k] > 0)) continue;
    if (theta->kind == CR_THETA_GEAR) by = 2 * slope[k] / gear;
    if (theta->kind == CR_THETA_GAIN_FEEDBACK && theta->element == k) by = -gear * gear * u;
    if (theta->kind == CR_THETA_BIAS && theta->element == k + 1) by = -gear * gear;
    sum += at->h[k] * by;
  }
  return sum;
}

/* Where its range holds it, it is that, and its gear. */
static cr_row_force_input of_held_actuator(const cr_force_model* f, const cr_theta_column* theta,
                                           bool is_upper) {
  int a = theta->index;
  double bound = f->actuator_force_range[2 * a + is_upper];
  bool is_bound = theta->kind == CR_THETA_FORCE_RANGE && theta->element == is_upper;
  return (cr_row_force_input){.force = is_bound                       ? f->actuator_gear[a]
                                       : theta->kind == CR_THETA_GEAR ? bound
                                                                      : 0};
}

static cr_row_force_input of_actuator(const cr_step* step, const cr_theta_column* theta,
                                      const cr_force_at* at) {
  const cr_force_model* f = &step->model->force;
  int a = theta->index;
  double gear = f->actuator_gear[a], x = at->length, x_dot = at->rate;
  const double* range = f->actuator_force_range + 2 * a;
  double force = cr_actuator_compute_force(f, a, step->input, gear * x, gear * x_dot);
  bool is_free = step->sim->plan.is_limited[a] || (force > range[0] && force < range[1]);
  if (!is_free) return of_held_actuator(f, theta, force >= range[1]);
  cr_row_force_input in = {.force =
                               gear * cr_force_theta_of_actuator(f, step->input, theta, x, x_dot),
                           .weight = find_actuator_weight(step, theta, at)};
  if (theta->kind == CR_THETA_GEAR) in.force += force;
  return in;
}

/* The line of a unit of its wrench's number. */
bool cr_force_theta_find_wrench(const cr_step_tangent* t, const cr_theta_column* theta, double* J,
                                double* length) {
  cr_line_place place = cr_step_line_place(t->step);
  cr_line_model unit = *place.model;
  int line = t->step->model->force.actuator_line[theta->index], first = unit.start[line];
  double* wrench = CR_PUSH(t->arena, double, 6 * (size_t)unit.num_lines);
  cr_lines lines;
  if (!cr_lines_push(t->arena, &unit, &lines) || t->arena->failed) return false;
  memset(wrench, 0, sizeof(double) * 6 * (size_t)unit.num_lines);
  wrench[6 * line + theta->element] = 1;
  unit.wrench = wrench, place.model = &unit;
  cr_line_update(&place, line, &lines);
  CR_COPY(J, lines.J + first, unit.start[line + 1] - first);
  *length = lines.length[line];
  return true;
}

/* The setpoint of a servo on a circle goes by turns that its wrench makes longer. */
static double find_wrench_wrap(const cr_step* step, const cr_theta_column* theta,
                               const cr_force_at* at) {
  const cr_force_model* f = &step->model->force;
  int a = theta->index;
  const double* w = f->line.wrench + 6 * (size_t)f->actuator_line[a];
  double gear = f->actuator_gear[a], wrap = find_wrap(f, step->input, a, gear * at->length),
         square = 0;
  int first = f->line.kind[f->actuator_line[a]] == CR_LINE_WRENCH ? 3 : 0;
  for (int i = first; i < first + 3; i++) square += w[i] * w[i];
  bool counts = wrap != 0 && theta->element >= first && theta->element < first + 3;
  return counts ? -gear * f->actuator_bias[3 * a + 1] * wrap * w[theta->element] / square : 0;
}

static bool add_wrench(const cr_step_tangent* t, const cr_theta_column* theta,
                       const cr_force_at* at, const cr_row_force* p, cr_row_force_input* in) {
  double *dJ = CR_PUSH(t->arena, double, p->line.n), length;
  if (t->arena->failed || !cr_force_theta_find_wrench(t, theta, dJ, &length)) return false;
  *in = cr_force_move_row(t->step, at, p, dJ, length);
  in->force += find_wrench_wrap(t->step, theta, at);
  for (int i = 0; i < p->line.n && t->step->is_held; i++) /* joints that bound what it does */
    if (t->step->is_held[p->line.dof[i]]) dJ[i] = 0;
  return true;
}

/* --- All ----------------------------------------------------------------------------------------
 */

void cr_force_append_theta(const cr_step_tangent* t, const cr_theta_column* theta, cr_row_force* p,
                           cr_row_force_input in) {
  int column = t->first_theta + (int)(theta - t->thetas);
  in.way = (cr_input_way){.count = 0};
  cr_input_way_put(&in.way, column, 1);
  p->inputs[p->num_inputs++] = in;
}

static bool is_point(const cr_theta_column* theta) {
  return theta->kind == CR_THETA_SPRING_POINT1 || theta->kind == CR_THETA_SPRING_POINT2;
}

/* One that moves the row; false when memory ran out. */
static bool find_moved(const cr_step_tangent* t, const cr_theta_column* theta,
                       const cr_force_at* at, const cr_row_force* p, cr_row_force_input* in) {
  if (theta->kind == CR_THETA_WRENCH) return add_wrench(t, theta, at, p, in);
  double* dJ = CR_PUSH(t->arena, double, p->line.n);
  if (t->arena->failed) return false;
  double length = move_point(t->step, theta, NULL, &p->line, dJ);
  *in = cr_force_move_row(t->step, at, p, dJ, length);
  return true;
}

bool cr_force_thetas_add(const cr_step_tangent* t, cr_force_owner of, const cr_force_at* at,
                         cr_row_force* force) {
  const cr_step* step = t->step;
  for (int i = 0; i < t->num_thetas; i++) {
    const cr_theta_column* theta = &t->thetas[i];
    cr_row_force_input in;
    if (!is_of(t, theta, of)) continue;
    if (theta->kind == CR_THETA_WRENCH || is_point(theta)) {
      if (!find_moved(t, theta, at, force, &in)) return false;
    } else {
      in = of.kind == CR_FORCE_OF_DOF        ? of_dof(step, theta, of.index, at)
           : of.kind == CR_FORCE_OF_TENDON   ? cr_force_theta_of_tendon(step, theta, at, force)
           : of.kind == CR_FORCE_OF_ACTUATOR ? of_actuator(step, theta, at)
                                             : of_spring(step, theta, at);
    }
    cr_force_append_theta(t, theta, force, in);
  }
  return true;
}

bool cr_force_thetas_add_spread(const cr_step_tangent* t, int spring, const cr_force_at* at,
                                const v3* axis, cr_row_force* force) {
  const cr_force_owner of = {CR_FORCE_OF_SPRING, spring};
  for (int i = 0; i < t->num_thetas; i++) {
    const cr_theta_column* theta = &t->thetas[i];
    if (!is_of(t, theta, of)) continue;
    cr_row_force_input in = {.weight = find_spread(t->step, theta, at->h[0])};
    if (is_point(theta)) {
      double *dJ = CR_PUSH(t->arena, double, force->line.n), length;
      double* none = CR_PUSH(t->arena, double, force->line.n);
      if (t->arena->failed) return false;
      length = move_point(t->step, theta, NULL, &force->line, none);
      move_point(t->step, theta, axis, &force->line, dJ);
      in = (cr_row_force_input){
          .weight = cr_force_move_row(t->step, at, force, none, length).weight, .J = dJ};
    }
    cr_force_append_theta(t, theta, force, in);
  }
  return true;
}
