/* What actuators take from the whole mechanism. Muscles: their peak force, from the acceleration
 * that a unit of force gives it at the reference configuration, and the extremes of their length
 * within the limits of the joints. Servos along lines: their damping, of a given ratio to the
 * critical one on the inertia that the line feels there. */
#include "base/copy.h"
#include "force/actuator.h"
#include "force/tendon_inertia.h"
#include "model/compile.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

#define SAMPLES    12 /* of a coordinate's range, to start a search between */
#define HALVINGS   50
#define MOST_SWEEP 20
#define STILL      1e-9  /* of the length: a change that is none */
#define SETTLED    1e-13 /* of the length: sweeps that gain less end */

/* A mechanism at configurations of its own. */
typedef struct probe {
  cr_compile* c;
  double* q;
  cr_tree_kinematics kinematics;
  cr_tree_scratch scratch;
  cr_lines lines;
  cr_tendon_inertia inertia;
  double* work; /* [num_v] */
} probe;

static bool init(cr_compile* c, probe* p) {
  const cr_tree_model* tree = &c->model->tree;
  p->c = c;
  p->q = CR_PUSH(&c->arena, double, tree->num_q);
  p->work = CR_PUSH(&c->arena, double, tree->num_v);
  if (c->arena.failed || !cr_tree_push_kinematics(&c->arena, tree, &p->kinematics) ||
      !cr_tree_push_scratch(&c->arena, tree, &p->scratch) ||
      !cr_lines_push(&c->arena, &c->model->force.line, &p->lines) ||
      !cr_tendon_inertia_push(&c->arena, &c->model->force, tree->num_v, &p->inertia))
    return false;
  CR_COPY(p->q, c->model->q_reference, tree->num_q);
  cr_tree_update_ground(tree, NULL, &p->kinematics, NULL);
  return true;
}

static void place(probe* p) {
  const carom_model* m = p->c->model;
  for (int t = 0; t < m->tree.num_trees; t++)
    cr_tree_update_kinematics(&m->tree, t, p->q, &p->kinematics);
  cr_line_place at = {&m->force.line, &m->tree, &p->kinematics, p->q};
  cr_lines_update(&at, &p->lines);
}

/* --- Peak force ---------------------------------------------------------------------------------
 */

/* tau = Jᵀ and x = M^-1 Jᵀ of an actuator at the reference configuration. */
static bool push(probe* p, int a, double* tau, double* x) {
  const carom_model* m = p->c->model;
  memset(tau, 0, sizeof(double) * (size_t)m->tree.num_v);
  cr_actuator_add_force(&m->force, a, &p->lines, m->force.actuator_gear[a], tau);
  cr_tree_loads loads = {.gravity = {0, 0, 0}};
  for (int t = 0; t < m->tree.num_trees; t++)
    if (!cr_tree_compute_forward_dynamics(&m->tree, t, &p->kinematics, NULL, tau, NULL, &loads,
                                          &p->scratch, x))
      return false;
  if (m->force.tendon.num_armatures == 0) return true;
  cr_line_place at = {&m->force.line, &m->tree, &p->kinematics, p->q};
  if (!cr_tendon_inertia_update(&m->force, &m->tree, &p->kinematics, &p->scratch, &p->lines,
                                p->work, &p->inertia))
    return false;
  cr_tendon_inertia_apply(&at, &m->force.tendon, &p->lines, NULL, &p->inertia, x);
  return true;
}

/* |M^-1 Jᵀ|; 0 where M is singular. */
static double find_acceleration(probe* p, int a, double* tau, double* x) {
  double sum = 0;
  if (!push(p, a, tau, x)) return 0;
  for (int i = 0; i < p->c->model->tree.num_v; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* Damping 2 z sqrt(k m), with 1/m = J M^-1 Jᵀ. */
static void resolve_damping(probe* p, int a, double ratio, double* tau, double* x) {
  const carom_model* m = p->c->model;
  double inverse = 0;
  if (!push(p, a, tau, x)) return;
  for (int i = 0; i < m->tree.num_v; i++) inverse += tau[i] * x[i];
  double gain = CR_AT(&p->c->builder->actuators, cr_actuator_record, a)->def.gain;
  CR_SET(double, m->force.actuator_bias, 3 * a + 2,
         inverse > 0 ? -2 * ratio * sqrt(gain / inverse) : 0);
}

static void resolve_force(const carom_model* m, int a, double acceleration) {
  for (int part = 0; part < 2; part++) {
    double* x =
        CR_FILL(double, m->force.actuator_muscle) + CR_MUSCLE_NUM_PARAMETERS * (2 * a + part);
    if (x[CR_MUSCLE_FORCE] < 0) x[CR_MUSCLE_FORCE] = x[CR_MUSCLE_SCALE] / fmax(acceleration, 1e-15);
  }
}

/* --- Extremes of the length ---------------------------------------------------------------------
 */

static double length_at(probe* p, int a, int q, double value, double sign) {
  const cr_force_model* f = &p->c->model->force;
  p->q[q] = value;
  place(p);
  return sign * f->actuator_gear[a] * cr_actuator_find_coordinate(f, a, &p->lines, p->q);
}

/* The best place of one coordinate: samples, then golden sections between the neighbours of the
 * best one. */
static double search_coordinate(probe* p, int a, int q, const double range[2], double sign) {
  double best = -INFINITY, at = range[0], step = (range[1] - range[0]) / SAMPLES;
  for (int i = 0; i <= SAMPLES; i++) {
    double x = i == SAMPLES ? range[1] : range[0] + i * step, l = length_at(p, a, q, x, sign);
    if (l > best) best = l, at = x;
  }
  double low = fmax(at - step, range[0]), high = fmin(at + step, range[1]);
  const double share = 0.5 * (sqrt(5) - 1);
  for (int i = 0; i < HALVINGS; i++) {
    double x = high - share * (high - low), y = low + share * (high - low);
    if (length_at(p, a, q, x, sign) > length_at(p, a, q, y, sign))
      high = y;
    else
      low = x;
  }
  double middle = 0.5 * (low + high), l = length_at(p, a, q, middle, sign);
  return l > best ? l : length_at(p, a, q, at, sign);
}

/* Hinges and slides that an actuator's length hangs on, with their ranges: hinges without a limit
 * go all around; slides without one, balls and free joints stay where they are. */
static bool find_range(const carom_model* m, int dof, int* q, double range[2]) {
  int joint = m->tree.dof_joint[dof];
  carom_joint_type type = (carom_joint_type)m->tree.joint_type[joint];
  *q = m->tree.joint_q_start[joint];
  range[0] = -M_PI, range[1] = M_PI;
  if (m->limit.joint_limited[joint]) CR_COPY(range, m->limit.joint_range + 2 * joint, 2);
  return type == CAROM_JOINT_HINGE || (type == CAROM_JOINT_SLIDE && m->limit.joint_limited[joint]);
}

/* The longest (sign 1) or shortest (-1) length, coordinate by coordinate until nothing is gained.
 */
static double search(probe* p, int a, double sign) {
  const carom_model* m = p->c->model;
  const cr_line_model* line = &m->force.line;
  int own = m->force.actuator_line[a], q;
  double range[2], best = -INFINITY;
  CR_COPY(p->q, m->q_reference, m->tree.num_q);
  for (int sweep = 0; sweep < MOST_SWEEP; sweep++) {
    double before = best;
    best = length_at(p, a, 0, p->q[0], sign);
    for (int i = own < 0 ? 0 : line->start[own]; i < (own < 0 ? 1 : line->start[own + 1]); i++)
      if (find_range(m, own < 0 ? m->force.actuator_dof[a] : line->dof[i], &q, range))
        best = search_coordinate(p, a, q, range, sign);
    if (best - before <= SETTLED * fabs(best)) break;
  }
  return sign * best;
}

/* What the limit of an actuator's tendon leaves of its range; all of that where nothing else moves
 * the tendon within bounds. */
static void keep_to_tendon(const cr_compile* c, int a, double range[2]) {
  const carom_actuator_def* def = &CR_AT(&c->builder->actuators, cr_actuator_record, a)->def;
  if (!def->tendon.id) return;
  const carom_tendon_def* tendon =
      &CR_AT(&c->builder->tendons, cr_tendon_record, def->tendon.id - 1)->def;
  if (!tendon->limited) return;
  double gear = c->model->force.actuator_gear[a];
  double low = gear * tendon->range[gear < 0], high = gear * tendon->range[gear >= 0];
  bool is_still = !(range[1] - range[0] > STILL * fabs(range[1]));
  range[0] = is_still ? low : fmax(range[0], low);
  range[1] = is_still ? high : fmin(range[1], high);
}

/* A muscle whose length nothing changes moves nothing: any range does. */
static void find_length_range(probe* p, int a) {
  const carom_model* m = p->c->model;
  double* range = CR_FILL(double, m->force.actuator_length_range) + 2 * a;
  if (!isnan(range[0])) return;
  range[0] = search(p, a, -1);
  range[1] = search(p, a, 1);
  keep_to_tendon(p->c, a, range);
  if (range[1] - range[0] > STILL * fabs(range[1])) return;
  double length = 0.5 * (range[0] + range[1]), half = fmax(0.5 * fabs(length), 1e-3);
  range[0] = length - half, range[1] = length + half;
}

/* The damping ratio of a servo along a line; NaN: it is none. */
static double find_ratio(const cr_compile* c, int a) {
  const carom_actuator_def* def = &CR_AT(&c->builder->actuators, cr_actuator_record, a)->def;
  return c->model->force.actuator_line[a] >= 0 ? def->damping_ratio : NAN;
}

static bool is_muscle(const cr_force_model* f, int a) {
  return f->actuator_gain_part[a] == CR_ACTUATOR_MUSCLE ||
         f->actuator_bias_part[a] == CR_ACTUATOR_MUSCLE;
}

carom_status cr_compile_muscles(cr_compile* c) {
  const cr_force_model* f = &c->model->force;
  bool any = false;
  probe p;
  for (int a = 0; a < f->num_actuators; a++) any |= is_muscle(f, a) || !isnan(find_ratio(c, a));
  if (!any) return CAROM_OK;
  double *tau = CR_PUSH(&c->arena, double, c->model->tree.num_v),
         *x = CR_PUSH(&c->arena, double, c->model->tree.num_v);
  if (c->arena.failed || !init(c, &p)) return cr_error_memory(c->error);
  for (int a = 0; a < f->num_actuators; a++) {
    double ratio = find_ratio(c, a);
    if (!is_muscle(f, a) && isnan(ratio)) continue;
    CR_COPY(p.q, c->model->q_reference, c->model->tree.num_q);
    place(&p);
    if (!isnan(ratio)) resolve_damping(&p, a, ratio, tau, x);
    if (!is_muscle(f, a)) continue;
    resolve_force(c->model, a, find_acceleration(&p, a, tau, x));
    find_length_range(&p, a);
  }
  return CAROM_OK;
}
