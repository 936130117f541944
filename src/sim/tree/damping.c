/* Weights of stiff dampers and the springs beside them; see damping.h. */
#include "sim/tree/damping.h"

#include "base/copy.h"
#include "force/actuator.h"
#include "force/elements.h"
#include "force/tendon.h"
#include "math/scalar.h"
#include "sim/tree/damping_mass.h"

#include <math.h>
#include <string.h>

/* dt d / m up to which the weights are those of the scheme, and from which on they are theta(z)'s:
 * midpoint turns no sign below 2, and is right to 1 in 50 at the first of these. */
#define LEAST_STIFFNESS 0.5
#define STIFF           1.0

/* --- Weights ------------------------------------------------------------------------------------
 */

/* 1 / (1 - exp(-z)) - 1 / z */
static double find_theta(double z) {
  if (z < 1e-2) return 0.5 + z / 12;
  return -1 / expm1(-z) - 1 / z;
}

/* Leads from 0 to z. */
static double soften(double z) {
  return z < STIFF ? STIFF * (z - LEAST_STIFFNESS) / (STIFF - LEAST_STIFFNESS) : z;
}

cr_weight cr_damping_find_weight(cr_theta theta, double dt, double k, double d, double m) {
  double z = soften(m > 0 ? dt * d / m : INFINITY);
  if (!(d > 0) || !(z > 0)) return (cr_weight){0};
  cr_weight w = {.rate = fmax(find_theta(z) - theta.v, 0)};
  if (!(k > 0)) return w;
  double root = exp(-0.5 * z), share = (4 / ((1 + root) * (1 + root)) - 1) / 3;
  double own = theta.q * theta.vq, kappa = dt * k / d;
  double loose = own + fmax(0.5 - own, 0) * share, tight = own + (1 - own) * share;
  double end = loose + (tight - loose) * (2 * find_theta(kappa) - 1);
  double start = 1 - theta.vq - root * root * (end + 1 - theta.vq - theta.q);
  w.end = end - own;
  w.start = start - theta.q * (1 - theta.vq);
  return w;
}

static double find_theta_slope(double z) {
  if (z < 1e-2) return 1.0 / 12;
  double rest = -expm1(-z);
  return 1 / (z * z) - exp(-z) / (rest * rest);
}

cr_weight cr_damping_differentiate_weight(cr_theta theta, double dt, double k, double d, double m) {
  double raw = m > 0 ? dt * d / m : INFINITY, z = soften(raw);
  if (!(d > 0) || !(z > 0) || isinf(raw)) return (cr_weight){0};
  double by = raw < STIFF ? STIFF / (STIFF - LEAST_STIFFNESS) : 1;
  cr_weight w = {.rate = find_theta(z) > theta.v ? by * find_theta_slope(z) : 0};
  if (!(k > 0)) return w;
  double root = exp(-0.5 * z), droot = -0.5 * root;
  double share = (4 / ((1 + root) * (1 + root)) - 1) / 3;
  double dshare = -8 * droot / (3 * (1 + root) * (1 + root) * (1 + root));
  double own = theta.q * theta.vq, least = fmax(0.5 - own, 0), kappa = dt * k / d;
  double loose = own + least * share, tight = own + (1 - own) * share;
  double part = 2 * find_theta(kappa) - 1, end = loose + (tight - loose) * part;
  w.end = by * dshare * (least + (1 - own - least) * part);
  w.start = -2 * root * droot * by * (end + 1 - theta.vq - theta.q) - root * root * w.end;
  return w;
}

/* --- Springs and dampers of dofs ----------------------------------------------------------------
 */

/* How an actuator of a joint gives way; rows of the problem too. */
static void add_actuator(const cr_step* step, int a, double slope[2]) {
  const cr_force_model* f = &step->model->force;
  int dof = f->actuator_dof[a];
  double gear = f->actuator_gear[a];
  cr_drive drive = {0, -gear * gear * f->actuator_bias[3 * a + 1],
                    -gear * gear * f->actuator_bias[3 * a + 2]};
  if (!step->sim->plan.is_limited[a])
    drive =
        cr_actuator_compute_drive(f, a, step->input, step->q_mid[f->actuator_q[a]], step->v0[dof]);
  slope[0] += scalar_max(drive.stiffness, 0), slope[1] += scalar_max(drive.damping, 0);
}

/* The slopes of all that pulls at the tree's dofs, at the velocity v0, into slope [2 num_v]. */
static void find_slopes(const cr_step* step, int tree, double* slope) {
  const cr_tree_model* model = &step->model->tree;
  const cr_sim_plan* plan = &step->sim->plan;
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
    cr_force_find_slopes(&step->model->force, model, i, step->q_mid, step->v0[i], slope + 2 * i);
  for (int k = plan->actuator_start[tree]; k < plan->actuator_start[tree + 1]; k++)
    add_actuator(step, plan->actuator[k],
                 slope + 2 * step->model->force.actuator_dof[plan->actuator[k]]);
}

/* Keeps where a tree is weighed, for derivatives. */
static void record(cr_step* step, int tree, const double* slope) {
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  int first = cr_tree_q_start(model, tree), last = cr_tree_q_end(model, tree);
  CR_COPY(step->weighed.q + first, step->q_mid + first, last - first);
  CR_COPY(step->weighed.v_q + start, step->v_q + start, end - start);
  CR_COPY(step->weighed.slope + 2 * start, slope + 2 * start, 2 * (end - start));
}

static void weigh_dofs(cr_step* step, int tree, double* slope) {
  const cr_tree_model* model = &step->model->tree;
  const cr_damping_groups* groups = step->sim->damping;
  for (int g = groups->tree_start[tree]; g < groups->tree_start[tree + 1]; g++)
    if (groups->rows[g] > 0)
      cr_damping_groups_invert(groups, model, &step->kinematics, g, step->group_W[g]);
  find_slopes(step, tree, slope);
  record(step, tree, slope);
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    int group = groups->dof_group[i];
    step->dof_weight[i] = (cr_weight){0};
    if (!(slope[2 * i + 1] > 0)) continue;
    double m =
        cr_damping_groups_dof_mass(groups, model, i, group < 0 ? NULL : step->group_W[group]);
    step->dof_weight[i] =
        cr_damping_find_weight(step->theta[tree], step->dt, slope[2 * i], slope[2 * i + 1], m);
  }
}

/* --- What is stiff ------------------------------------------------------------------------------
 */

/* A damper of a dof at any velocity and control; inf: it depends on them. */
static double find_most_damping(const cr_force_model* f, int dof) {
  double d = f->dof_damping[dof];
  for (int k = 0; k < 2 && f->num_polynomials; k++)
    if (f->dof_damper_more[2 * dof + k] > 0) return INFINITY;
  for (int a = 0; a < f->num_actuators; a++) {
    if (f->actuator_dof[a] != dof || !cr_damping_may_damp(f, a)) continue;
    if (!cr_damping_is_linear(f, a)) return INFINITY;
    d += fmax(-f->actuator_gear[a] * f->actuator_gear[a] * f->actuator_bias[3 * a + 2], 0);
  }
  return d;
}

static void raise_rates(const carom_model* m, const cr_tree_kinematics* kinematics,
                        cr_damping_groups* groups) {
  double W[CR_GROUP_MAX * CR_GROUP_MAX];
  for (int i = 0; i < m->tree.num_v; i++) {
    double d = find_most_damping(&m->force, i),
           *rate = groups->rate + m->tree.link_tree[m->tree.dof_link[i]];
    if (!(d > 0)) continue;
    if (groups->dof_group[i] >= 0)
      cr_damping_groups_invert(groups, &m->tree, kinematics, groups->dof_group[i], W);
    double mass = cr_damping_groups_dof_mass(groups, &m->tree, i, W);
    *rate = fmax(*rate, mass > 0 ? d / mass : INFINITY);
  }
}

static void mark_tree(int tree, double* rate) {
  if (tree >= 0) rate[tree] = INFINITY;
}

/* Where lines and springs have dampers their rows are to be seen in every step. */
static void mark_lines(const carom_model* m, double* rate) {
  const cr_force_model* f = &m->force;
  for (int n = 0; n < f->line.num_lines; n++)
    for (int k = f->line.start[n]; cr_damping_is_line_damped(f, n) && k < f->line.start[n + 1]; k++)
      mark_tree(m->tree.link_tree[f->line.link[k]], rate);
  for (int s = 0; s < 2 * f->num_springs; s++)
    if (f->spring_damping[s / 2] > 0) mark_tree(m->tree.link_tree[f->spring_link[s]], rate);
}

bool cr_damping_plan(carom_sim* sim) {
  const carom_model* m = sim->model;
  cr_tree_kinematics kinematics;
  cr_damping_groups* groups = CR_PUSH(&sim->fixed, cr_damping_groups, 1);
  if (!groups || !cr_damping_groups_create(sim, groups) ||
      !cr_tree_push_kinematics(&sim->arena, &m->tree, &kinematics))
    return false;
  cr_tree_update_ground(&m->tree, NULL, &kinematics, NULL);
  for (int t = 0; t < m->tree.num_trees; t++) {
    groups->rate[t] = 0;
    cr_tree_update_kinematics(&m->tree, t, m->q_reference, &kinematics);
  }
  raise_rates(m, &kinematics, groups);
  mark_lines(m, groups->rate);
  sim->damping = groups;
  cr_arena_reset(&sim->arena);
  return true;
}

/* --- In a step ----------------------------------------------------------------------------------
 */

static bool is_stiff(const cr_step* step, int tree) {
  return step->dt * step->sim->damping->rate[tree] > LEAST_STIFFNESS;
}

bool cr_damping_init(cr_step* step) {
  const carom_model* m = step->model;
  bool any = false;
  for (int t = 0; t < m->tree.num_trees; t++) any |= is_stiff(step, t);
  if (!any) return true;
  size_t nv = (size_t)m->tree.num_v, nl = (size_t)m->force.line.num_lines;
  step->is_weighed = CR_PUSH(step->arena, bool, m->tree.num_trees);
  step->dof_weight = CR_PUSH(step->arena, cr_weight, nv);
  step->line_weight = CR_PUSH(step->arena, cr_weight, nl);
  step->spring_weight = CR_PUSH(step->arena, cr_weight, m->force.num_springs);
  step->is_line_weighed = CR_PUSH(step->arena, bool, nl);
  step->is_spring_weighed = CR_PUSH(step->arena, bool, m->force.num_springs);
  step->weighed.q = CR_PUSH(step->arena, double, m->num_q);
  step->weighed.v_q = CR_PUSH(step->arena, double, nv);
  step->weighed.slope = CR_PUSH(step->arena, double, 2 * nv);
  step->x_e = CR_PUSH(step->arena, double, nv);
  step->v_e = CR_PUSH(step->arena, double, nv);
  step->v_now = CR_PUSH(step->arena, double, nv);
  step->group_W =
      (double(*)[36])CR_PUSH(step->arena, double, 36 * (size_t)step->sim->damping->num_groups);
  if (step->arena->failed) return false;
  for (int t = 0; t < m->tree.num_trees; t++) step->is_weighed[t] = false;
  for (size_t i = 0; i < nv; i++) step->dof_weight[i] = (cr_weight){0}, step->x_e[i] = 0;
  for (size_t i = 0; i < nl; i++)
    step->line_weight[i] = (cr_weight){0}, step->is_line_weighed[i] = false;
  for (int i = 0; i < m->force.num_springs; i++)
    step->spring_weight[i] = (cr_weight){0}, step->is_spring_weighed[i] = false;
  return true;
}

static void weigh_tree(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  double* slope = CR_SCRATCH(step->arena, double, 2 * n);
  step->is_weighed[tree] = true;
  if (slope) weigh_dofs(step, tree, slope - 2 * start);
  cr_arena_pop_scratch(step->arena, mark);
}

void cr_damping_place(cr_step* step, int tree, const double* v) {
  const cr_tree_model* model = &step->model->tree;
  if (!step->dof_weight) return;
  if (is_stiff(step, tree) && !step->is_weighed[tree]) weigh_tree(step, tree);
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    cr_weight w = step->dof_weight[i];
    step->v_now[i] = v[i];
    step->x_e[i] = cr_weight_shift(w, step->dt, v[i], step->v0[i]);
    step->v_e[i] = step->v_f[i] + cr_weight_rate(w, v[i], step->v0[i]);
  }
}

void cr_damping_forget(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  const cr_line_model* line = &step->model->force.line;
  if (!step->dof_weight) return;
  step->is_weighed[tree] = false;
  for (int n = 0; n < line->num_lines; n++)
    for (int k = line->start[n]; k < line->start[n + 1]; k++)
      if (model->link_tree[line->link[k]] == tree) step->is_line_weighed[n] = false;
  for (int s = 0; s < 2 * step->model->force.num_springs; s++)
    if (model->link_tree[step->model->force.spring_link[s]] == tree)
      step->is_spring_weighed[s / 2] = false;
}

/* --- Springs
 * --------------------------------------------------------------------------------------
 */

static bool has_spring_weights(const cr_step* step, int spring) {
  bool all = true;
  for (int k = 0; k < 2; k++) {
    int tree = step->model->tree.link_tree[step->model->force.spring_link[2 * spring + k]];
    all &= tree < 0 || step->is_weighed[tree];
  }
  return all;
}

void cr_damping_weigh_springs(cr_step* step) {
  const cr_force_model* f = &step->model->force;
  const cr_tree_model* model = &step->model->tree;
  for (int s = 0; step->dof_weight && s < f->num_springs; s++) {
    if (step->is_spring_weighed[s] || !(f->spring_damping[s] > 0)) continue;
    int tree = cr_step_find_tree(step, f->spring_link[2 * s], f->spring_link[2 * s + 1]);
    if (!has_spring_weights(step, s) || tree < 0) continue;
    cr_force_spring at = cr_force_locate_spring(f, s, step->kinematics.link_pose);
    double mobility = 0;
    for (int k = 0; k < 2; k++)
      mobility += cr_damping_groups_point_mobility(step->sim->damping, model, &step->kinematics,
                                                   at.link[k], at.point[k], at.direction);
    step->spring_weight[s] = cr_damping_find_weight(
        step->theta[tree], step->dt, f->spring_stiffness[s], f->spring_damping[s], 1 / mobility);
    step->is_spring_weighed[s] = true;
  }
}
