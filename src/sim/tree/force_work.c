/* Work of forces in a step. A force counts where the scheme takes it, at v^tv and q^tq of the
 * solution, or where its stiff damper has a weight of its own (damping.h); it works along the mean
 * velocity of the step. Where a spring counts at another time than the scheme's, what it does
 * beyond what it stores there is taken with its damper. */
#include "sim/tree/force_work.h"

#include "force/actuator.h"
#include "force/elements.h"
#include "force/tendon.h"
#include "math/scalar.h"
#include "sim/tree/adhesion.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/limited_actuators.h"
#include "sim/tree/lines.h"
#include "tree/algorithms.h"

#include <math.h>

/* Where forces count by the scheme. */
typedef struct course {
  double* rate;  /* [num_v] v^tv of the solution */
  double* move;  /* [num_v] from q_mid, where the step is linearised, to q^tq of the solution */
  double* way;   /* [num_v] from the start of the step to its end */
  double* back;  /* [num_v] from the start to q^tq of the solution */
  double* drive; /* [2 num_v] scratch */
} course;

/* A coordinate in the step. */
typedef struct place {
  double mean;   /* rate of the step */
  double before; /* rate at its start */
  double rate;   /* where dampers count */
  double shift;  /* from q^tq of the solution to where springs count */
} place;

static bool init_course(const cr_step* step, course* c) {
  int num_v = step->model->tree.num_v;
  c->rate = CR_SCRATCH(step->arena, double, num_v);
  c->move = CR_SCRATCH(step->arena, double, num_v);
  c->way = CR_SCRATCH(step->arena, double, num_v);
  c->back = CR_SCRATCH(step->arena, double, num_v);
  c->drive = CR_SCRATCH(step->arena, double, 2 * (size_t)num_v);
  if (step->arena->failed) return false;
  for (int t = 0; t < step->model->tree.num_trees; t++) {
    cr_theta theta = step->theta[t];
    double h = theta.q * theta.vq * step->dt;
    cr_step_blend(step, t, theta.v, step->v, step->v0, c->rate);
    cr_step_blend(step, t, h, step->v, step->v_lin, c->move);
    cr_step_blend(step, t, theta.vq, step->v, step->v0, c->way);
    for (int i = step->model->tree.tree_v_start[t]; i < step->model->tree.tree_v_start[t + 1];
         i++) {
      c->move[i] -= step->v_lin[i];
      c->way[i] *= step->dt;
      c->back[i] = theta.q * c->way[i];
    }
  }
  return true;
}

/* @param rate of the coordinate at v^tv; v and v0 at the end and the start */
static place find_place(const cr_step* step, cr_weight w, double rate, double v, double v0) {
  return (place){0.5 * (v + v0), v0, rate + cr_weight_rate(w, v, v0),
                 cr_weight_shift(w, step->dt, v, v0)};
}

static place find_dof_place(const cr_step* step, int dof, const course* c) {
  return find_place(step, cr_damping_of_dof(step, dof), c->rate[dof], step->v[dof], step->v0[dof]);
}

static place find_line_place(const cr_step* step, int line, const course* c) {
  return find_place(step, cr_damping_of_line(step, line), cr_step_line_rate(step, line, c->rate),
                    cr_step_line_rate(step, line, step->v),
                    cr_step_line_rate(step, line, step->v0));
}

/* What a damper and the spring of the stiffness k beside it take. */
static double find_loss(const cr_step* step, const place* p, double damping, double k) {
  return step->dt * (damping * p->rate + k * p->shift) * p->mean;
}

/* --- Joints and lines ---------------------------------------------------------------------------
 */

static double find_joint_loss(const cr_step* step, int dof, const course* c) {
  const cr_force_model* force = &step->model->force;
  double slope[2] = {0};
  place p = find_dof_place(step, dof, c);
  if (p.shift != 0)
    cr_force_find_slopes(force, &step->model->tree, dof, step->q_mid, p.rate, slope);
  return find_loss(step, &p, cr_force_find_damping(force, dof, p.rate), slope[0]);
}

static double find_tendon_loss(const cr_step* step, int tendon, const course* c) {
  const cr_tendon_model* n = &step->model->force.tendon;
  double slope[2] = {0};
  place p = find_line_place(step, tendon, c);
  if (p.shift != 0) cr_tendon_compute_slopes(n, tendon, step->lines.length[tendon], p.rate, slope);
  return find_loss(step, &p, cr_tendon_compute_damping(n, tendon, p.rate), slope[0]);
}

static place find_actuator_place(const cr_step* step, int a, const course* c) {
  const cr_force_model* force = &step->model->force;
  int line = force->actuator_line[a];
  return line < 0 ? find_dof_place(step, force->actuator_dof[a], c)
                  : find_line_place(step, line, c);
}

/* Where a drive counts. */
static double find_drive_place(const cr_step* step, int a, const course* c, const place* p) {
  const cr_force_model* force = &step->model->force;
  return cr_actuator_find_coordinate(force, a, &step->lines, step->q_mid) +
         cr_actuator_find_rate(force, a, &step->lines, c->move) + p->shift;
}

/* A drive at the coordinate x and a rate. */
static double find_drive(const cr_step* step, int a, double x, double rate) {
  const cr_force_model* force = &step->model->force;
  double share = cr_actuator_find_share(force, force->actuator_line[a], step->input, x, rate);
  return cr_actuator_compute_held_drive(force, a, step->input, x, rate, share).force;
}

/* The weights of the tree that an actuator moves; the scheme's on lines. */
static cr_theta find_theta(const cr_step* step, int a) {
  const cr_tree_model* model = &step->model->tree;
  int dof = step->model->force.actuator_dof[a];
  return dof >= 0            ? step->theta[model->link_tree[model->dof_link[dof]]]
         : step->is_implicit ? (cr_theta){1, 1, 1}
                             : step->sim->theta;
}

/* The same without a rate, no more than its joint bears. */
static double find_borne_drive(const cr_step* step, int a, double x) {
  const cr_force_model* force = &step->model->force;
  int dof = force->actuator_dof[a];
  double f = find_drive(step, a, x, 0);
  if (dof < 0 || !force->num_drive_ranges) return f;
  const double* range = force->dof_drive_range + 2 * (size_t)dof;
  return scalar_clamp(f, range[0], range[1]);
}

/* The gain that is the scheme's own where a drive counts before the middle of the way: in the step
 * it is a spring from where its control holds it, which gives less on the way than it does in the
 * step, equation (6) of docs/theory.md. By symplectic Euler that way is half of the last one and
 * half of the next. In the step of an impact what opposes the drive is no gain.
 * @param x where the drive counts */
static void add_early_gain(cr_step* step, int a, const course* c, double x) {
  const cr_force_model* force = &step->model->force;
  if (!cr_actuator_has_feedback(force, a) || find_theta(step, a).q >= 0.5) return;
  double way = cr_actuator_find_rate(force, a, &step->lines, c->way);
  double back = cr_actuator_find_rate(force, a, &step->lines, c->back);
  place p = find_actuator_place(step, a, c);
  double x0 = x - p.shift - back, last = step->dt * p.before;
  double f = find_borne_drive(step, a, x), start = find_borne_drive(step, a, x0);
  double given = 0.5 * (start + find_borne_drive(step, a, x0 + way)) * way;
  double done = step->dt * f * p.mean;
  if (cr_step_is_staggered(step))
    given = 0.5 * (given + 0.5 * (start + find_borne_drive(step, a, x0 - last)) * last);
  else if (step->sim->theta.vq >= 0.5)
    done = fmin(done, f * way);
  step->actuator_gain += done - given;
}

/* The mean of what is linear from a to b, within a range. */
static double find_held_mean(double a, double b, const double range[2]) {
  const double ends[2] = {a, b};
  double sum[2];
  if (!(fabs(b - a) > 1e-9 * (fabs(a) + fabs(b)))) return scalar_clamp(a, range[0], range[1]);
  for (int k = 0; k < 2; k++) {
    double held = scalar_clamp(ends[k], range[0], range[1]);
    sum[k] = 0.5 * held * held + held * (ends[k] - held);
  }
  return (sum[1] - sum[0]) / (b - a);
}

/* The gain of a servo whose bounds the step sees at one place, with which it does more there than
 * on the way: that of one that is pressed to a bound at the start and has passed its target at the
 * end is none. */
static void add_bound_gain(cr_step* step, int a, const course* c, double x) {
  const cr_force_model* force = &step->model->force;
  const double* range = step->sim->plan.limited_range + 2 * a;
  if (!step->sim->plan.is_limited[a] || find_theta(step, a).q < 0.5) return;
  double gear = force->actuator_gear[a];
  double way = gear * cr_actuator_find_rate(force, a, &step->lines, c->way);
  double back = gear * cr_actuator_find_rate(force, a, &step->lines, c->back);
  place p = find_actuator_place(step, a, c);
  double l = gear * x, start = l - gear * p.shift - back, rate = gear * p.rate;
  double f[3] = {cr_actuator_compute_force(force, a, step->input, start, rate),
                 cr_actuator_compute_force(force, a, step->input, l, rate),
                 cr_actuator_compute_force(force, a, step->input, start + way, rate)};
  bool is_held = false;
  for (int k = 0; k < 3; k++) is_held |= !(f[k] >= range[0] && f[k] <= range[1]);
  if (!is_held) return;
  double done = step->dt * gear * p.mean * scalar_clamp(f[1], range[0], range[1]);
  step->actuator_gain += fmax(0, done - find_held_mean(f[0], f[2], range) * way);
}

/* Adds the work of an actuator, and what of it is a gain. */
static void add_actuator_work(cr_step* step, int a, const course* c, carom_step_report* report) {
  place p = find_actuator_place(step, a, c);
  double x = find_drive_place(step, a, c, &p), f = find_drive(step, a, x, p.rate);
  if (!step->sim->plan.is_limited[a]) report->actuator_work += step->dt * f * p.mean;
  if (!step->sim->plan.is_limited[a] || !step->is_law[a]) add_early_gain(step, a, c, x);
  add_bound_gain(step, a, c, x);
}

/* What joints that bound their actuators take off the work of these. */
static double find_clamped_work(const cr_step* step, const course* c) {
  const cr_force_model* force = &step->model->force;
  int num_v = step->model->tree.num_v;
  double *whole = c->drive, *held = c->drive + num_v, sum = 0;
  if (!force->num_drive_ranges) return 0;
  for (int i = 0; i < num_v; i++) whole[i] = 0;
  for (int a = 0; a < force->num_actuators; a++) {
    if (step->sim->plan.is_limited[a]) continue;
    place p = find_actuator_place(step, a, c);
    double f = find_drive(step, a, find_drive_place(step, a, c, &p), p.rate);
    cr_actuator_add_force(force, a, &step->lines, f, whole);
  }
  for (int t = 0; t < step->model->tree.num_trees; t++)
    cr_external_add_borne(step->model, t, &step->kinematics, 1, whole);
  for (int i = 0; i < num_v; i++) held[i] = whole[i];
  cr_actuator_clamp_drives(force, 0, num_v, held, NULL);
  for (int i = 0; i < num_v; i++)
    sum += step->dt * (held[i] - whole[i]) * 0.5 * (step->v[i] + step->v0[i]);
  return sum;
}

static void add_joint_work(cr_step* step, const course* c, carom_step_report* report) {
  const cr_force_model* force = &step->model->force;
  const cr_tree_model* model = &step->model->tree;
  for (int t = 0; t < model->num_trees; t++)
    for (int i = model->tree_v_start[t];
         i < model->tree_v_start[t + 1] && step->sim->plan.has_joint_forces[t]; i++)
      report->dissipated += find_joint_loss(step, i, c);
  for (int a = 0; a < force->num_actuators; a++) add_actuator_work(step, a, c, report);
  report->actuator_work += cr_limited_actuators_compute_work(step) + find_clamped_work(step, c);
  for (int i = 0; i < force->tendon.num_tendons; i++)
    report->dissipated += find_tendon_loss(step, i, c);
}

/* --- Links --------------------------------------------------------------------------------------
 */

static double find_spring_loss(const cr_step* step, int spring, const course* c) {
  const cr_force_model* force = &step->model->force;
  cr_force_spring s = cr_force_locate_spring(force, spring, step->kinematics.link_pose);
  place p =
      find_place(step, cr_damping_of_spring(step, spring), cr_step_spring_rate(step, &s, c->rate),
                 cr_step_spring_rate(step, &s, step->v), cr_step_spring_rate(step, &s, step->v0));
  return find_loss(step, &p, force->spring_damping[spring], force->spring_stiffness[spring]);
}

/* The fluid, what bears weight, adhesion and wrenches, at the mean velocity. */
static void add_link_work(cr_step* step, carom_step_report* report) {
  const carom_model* m = step->model;
  if (!m->force.fluid.num_parts && !m->body.num_compensated && !step->sim->num_adhesion &&
      !step->sim->num_wrenches)
    return;
  for (int t = 0; t < m->tree.num_trees; t++) {
    cr_step_blend(step, t, 0.5, step->v, step->v0, step->work);
    cr_tree_update_velocities(&m->tree, t, &step->kinematics, step->work, &step->velocities);
  }
  report->dissipated +=
      step->dt * cr_external_compute_fluid_power(m, &step->kinematics, &step->velocities);
  report->actuator_work +=
      step->dt * cr_external_compute_compensation_power(m, &step->kinematics, &step->velocities);
  report->actuator_work += cr_adhesion_compute_work(step, &step->velocities);
  report->external_work += step->dt * cr_external_compute_wrench_power(step);
}

/* --- All ----------------------------------------------------------------------------------------
 */

/* Whether there are forces between links. */
static bool has_forces(const cr_step* step) {
  const cr_force_model* f = &step->model->force;
  bool any = f->num_actuators || f->num_springs || f->num_drive_ranges || f->tendon.num_tendons;
  for (int t = 0; t < step->model->tree.num_trees && !any; t++)
    any = step->sim->plan.has_joint_forces[t];
  return any;
}

static bool add_inner_work(cr_step* step, carom_step_report* report) {
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  course c;
  if (!init_course(step, &c)) return false;
  add_joint_work(step, &c, report);
  for (int i = 0; i < step->model->force.num_springs; i++)
    if (step->model->force.spring_damping[i] > 0)
      report->dissipated += find_spring_loss(step, i, &c);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

bool cr_force_work_add(cr_step* step, carom_step_report* report) {
  if (has_forces(step) && !add_inner_work(step, report)) return false;
  add_link_work(step, report);
  return true;
}
