#include "derive/idle_kinks.h"

#include "force/actuator.h"
#include "force/muscle.h"
#include "sim/contact/scan.h"
#include "sim/tree/damping.h"

#include <float.h>
#include <math.h>

/* A gap that is left at the end of the step, with the normal velocities that make it. */
static void mark_gap(cr_step_tangent* t, double start, double v0, double v1) {
  double dt = t->step->dt, end = start + dt * v1;
  double size = fabs(start) + dt * (fabs(v0) + fabs(v1)), speed = fabs(end) / dt;
  t->num_kinks += speed < CR_DERIVE_SMALL_CHANGE;
  cr_step_tangent_note_kink(t, size > 0 ? fabs(end) / size : 0, speed);
}

/* Velocity of a point on side k; v [num_v] is that of soft bodies' nodes. */
static v3 find_velocity(const cr_step* step, const cr_motion* motion, const cr_contact_point* p,
                        int k) {
  const cr_barycentric_point* at = p->barycentric[k];
  if (!at) return cr_contact_find_velocity(step, motion->link, p->link[k], p->position);
  v3 sum = v3_zero();
  for (int i = 0; i < at->count; i++) {
    const double* v = motion->v + step->model->tree.num_v + 3 * (size_t)at->node[i];
    sum = v3_axpy(sum, at->weight[i], v3_load(v));
  }
  return sum;
}

static v3 relative_velocity(const cr_step* step, const cr_motion* motion,
                            const cr_contact_point* p) {
  return v3_sub(find_velocity(step, motion, p, 1), find_velocity(step, motion, p, 0));
}

static double normal_velocity(const cr_step* step, const cr_motion* motion,
                              const cr_contact_point* p) {
  return v3_dot(p->normal, relative_velocity(step, motion, p));
}

/* Trees with an impact take the step otherwise. */
static void mark_impacts(cr_step_tangent* t, const cr_contact_set* set) {
  if (isinf(set->impact_border)) return;
  t->num_kinks += set->impact_border < CR_DERIVE_SMALL_CHANGE;
  cr_step_tangent_note_kink(t, INFINITY, set->impact_border);
}

/* By the convex law what slides presses before it meets, if it is active. */
static void mark_entering(cr_step_tangent* t, const cr_motion* end, const cr_contact_point* p) {
  v3 v = relative_velocity(t->step, end, p);
  double v_n = v3_dot(p->normal, v), v_t = v3_norm(v3_axpy(v, -v_n, p->normal));
  bool is_convex = t->step->sim->def.friction == CAROM_FRICTION_CONVEX && p->condim > 1;
  if (!is_convex || p->distance0 / t->step->dt + v_n > p->friction * v_t) return;
  t->num_kinks += -p->activity < CR_DERIVE_SMALL_CHANGE;
  cr_step_tangent_note_kink(t, INFINITY, -p->activity);
}

/* Compliant points that follow the scheme's own timing push by their distance alone. */
static void mark_points(cr_step_tangent* t, const cr_contact_set* set) {
  const cr_motion start = {set->start, t->step->v0}, end = {set->lin, t->step->v};
  bool is_scheme = t->step->sim->def.contact == CAROM_CONTACT_SCHEME;
  for (int i = 0; i < set->points.count; i++) {
    const cr_contact_point* p = &set->points.items[i];
    if (p->is_active) continue;
    mark_entering(t, &end, p);
    if (is_scheme && isfinite(p->stiffness)) continue;
    mark_gap(t, p->distance0, normal_velocity(t->step, &start, p),
             normal_velocity(t->step, &end, p));
  }
}

static void mark_limits(cr_step_tangent* t, const cr_contact_set* set) {
  const cr_step* step = t->step;
  const int* first = step->model->tree.joint_v_start;
  for (int i = 0; i < set->rows.num_idle; i++) {
    const cr_idle_limit* limit = &set->rows.idle[i];
    int dof = first[limit->joint];
    mark_gap(t, limit->start, limit->sign * step->v0[dof], limit->sign * step->v[dof]);
  }
}

/* The force of an actuator of a hinge or slide at the solution, not held. */
static double find_force(const cr_step* step, int a) {
  const cr_force_model* force = &step->model->force;
  int dof = force->actuator_dof[a];
  cr_theta theta = step->theta[step->model->tree.link_tree[step->model->tree.dof_link[dof]]];
  double gear = force->actuator_gear[a], v = step->v[dof], v0 = step->v0[dof];
  cr_weight w = cr_damping_of_dof(step, dof);
  double x = step->sim->q[force->actuator_q[a]] +
             theta.q * step->dt * (theta.vq * v + (1 - theta.vq) * v0) +
             cr_weight_shift(w, step->dt, v, v0);
  double rate = theta.v * v + (1 - theta.v) * v0 + cr_weight_rate(w, v, v0);
  return cr_actuator_compute_force(force, a, step->input, gear * x, gear * rate);
}

/* Those that are rows of the problem have their kinks there. */
static void mark_actuators(cr_step_tangent* t) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  for (int a = 0; a < force->num_actuators; a++) {
    const double* range = force->actuator_force_range + 2 * (size_t)a;
    bool is_bounded = isfinite(range[0]) || isfinite(range[1]);
    if (!is_bounded || force->actuator_dof[a] < 0 || step->is_law[a]) continue;
    double f = find_force(step, a), left = fmin(fabs(f - range[0]), fabs(range[1] - f));
    cr_step_tangent_mark_kink(t, left / (fabs(f) + left));
  }
}

/* A control at a bound, beyond which it is clamped. */
static void mark_control(cr_step_tangent* t, double u, const double range[2]) {
  double left = fmin(fabs(u - range[0]), fabs(range[1] - u));
  if (isinf(left)) return;
  t->num_kinks += left < CR_DERIVE_SMALL_CHANGE;
  cr_step_tangent_note_kink(t, left > 0 ? left / (fabs(u) + left) : 0, INFINITY);
}

/* A muscle's activation rises as fast as one time constant says and falls as another does. */
static void mark_activation(cr_step_tangent* t, int a, double u) {
  const cr_force_model* force = &t->step->model->force;
  const double* time = force->actuator_time + 3 * (size_t)a;
  double act = t->step->sim->act[force->actuator_activation[a]], left = fabs(u - act);
  double rise = cr_muscle_compute_time(time, act, DBL_MIN);
  double fall = cr_muscle_compute_time(time, act, -DBL_MIN);
  if (rise == fall || u < 0 || u > 1) return;
  t->num_kinks += left < CR_DERIVE_SMALL_CHANGE;
  cr_step_tangent_note_kink(t, left > 0 ? left / (fabs(u) + left) : 0, INFINITY);
}

static void mark_controls(cr_step_tangent* t) {
  const cr_force_model* force = &t->step->model->force;
  const double *ctrl = t->step->sim->ctrl, of_muscle[2] = {0, 1};
  for (int a = 0; a < force->num_actuators; a++) {
    bool is_muscle = force->actuator_dynamics[a] == CAROM_ACTIVATION_MUSCLE;
    for (int i = force->actuator_control[a]; i < force->actuator_control[a + 1]; i++) {
      mark_control(t, ctrl[i], is_muscle ? of_muscle : force->control_range + 2 * (size_t)i);
      if (is_muscle) mark_activation(t, a, ctrl[i]);
    }
  }
}

void cr_idle_kinks_mark(cr_step_tangent* t, const cr_contact_set* set) {
  if (t->smoothing > 0) return;
  mark_impacts(t, set);
  mark_points(t, set);
  mark_limits(t, set);
  mark_actuators(t);
  mark_controls(t);
}
