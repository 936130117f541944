/* A force counts at l + dt (s v + s' v0) and at l' of v_f + w (v - v0), the weights of damping.h in
 * l' = J v, so that with H = dJ/dq
 *
 *   dl  = (G + dt Hᵀ(s v + s' v0)) dq + dt J (s dv + s' dv0)
 *   dl' = Hᵀ(v_f + w (v - v0)) dq + J dv_f + w J (dv - dv0). */
#include "derive/row_forces.h"

#include "base/error.h"
#include "derive/controller_tangent.h"
#include "derive/fluid_tangent.h"
#include "derive/law_way.h"
#include "derive/line_drift.h"
#include "derive/place_rows.h"
#include "derive/weight_way.h"
#include "force/actuator.h"
#include "force/elements.h"
#include "force/polynomial.h"
#include "force/tendon.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/lines.h"

#include <math.h>
#include <string.h>

/* --- Where a force counts -----------------------------------------------------------------------
 */

/* What moves length and rate; x_e and v_e stand at v*, or at v0 where that is known. */
static bool find_ways(const cr_step_tangent* t, cr_weight w, cr_row_force* p) {
  const cr_step* step = t->step;
  const cr_line_tangent* line = &p->line;
  cr_theta theta = step->theta[p->tree];
  double dt = step->dt;
  p->length.by_q = CR_PUSH(t->arena, double, line->n);
  p->rate.by_q = CR_PUSH(t->arena, double, line->n);
  if (t->arena->failed) return false;
  p->length.J = p->rate.J = line->J;
  p->length.by_v = dt * w.end, p->length.by_v0 = dt * w.start;
  p->rate.by_v = theta.v + w.rate, p->rate.by_v0 = 1 - theta.v - w.rate;
  if (cr_step_tangent_is_known(t, p->tree)) {
    p->length.by_v0 += p->length.by_v, p->rate.by_v0 += p->rate.by_v;
    p->length.by_v = p->rate.by_v = 0;
  }
  for (int j = 0; j < line->n; j++) {
    p->length.by_q[j] = line->G[j], p->rate.by_q[j] = 0;
    for (int k = 0; k < line->n; k++) {
      double v = step->v_star[line->dof[k]], v0 = step->v0[line->dof[k]];
      double H = line->H[k * line->n + j];
      p->length.by_q[j] += H * (p->length.by_v * v + p->length.by_v0 * v0);
      p->rate.by_q[j] += H * (p->rate.by_v * v + p->rate.by_v0 * v0);
    }
  }
  return true;
}

bool cr_row_force_find_ways(const cr_step_tangent* t, cr_row_force* p) {
  return find_ways(t, (cr_weight){0}, p);
}

/* Length and rate of a line there. */
static void measure(const cr_step* step, const cr_row_force* p, cr_weight w, double length,
                    double at[2]) {
  double v = cr_line_tangent_rate(&p->line, step->v_star);
  double v0 = cr_line_tangent_rate(&p->line, step->v0);
  at[0] = length + cr_weight_shift(w, step->dt, v, v0);
  at[1] = cr_line_tangent_rate(&p->line, step->v_f) + cr_weight_rate(w, v, v0);
}

/* What the weights of its damper move, whose length is that of `along`. */
static void add_weight(const cr_step_tangent* t, const cr_weight_tangent* z,
                       const cr_row_force* along, cr_row_force* p) {
  const cr_step* step = t->step;
  if (!z) return;
  double v = cr_line_tangent_rate(&along->line, step->v_star);
  double v0 = cr_line_tangent_rate(&along->line, step->v0), dt = step->dt;
  double length = cr_weight_shift(z->by, dt, v, v0), rate = cr_weight_rate(z->by, v, v0);
  p->z = z;
  p->z_force = -p->stiffness * length - p->damping * rate;
  p->z_weight = dt * (dt * z->by.end * p->resists[0] + z->by.rate * p->resists[1]) +
                p->weight_by[0] * length + p->weight_by[1] * rate;
}

/* --- Terms --------------------------------------------------------------------------------------
 */

/* What counts of stiffness and damping in A. */
static void find_shares(const cr_step* step, const cr_row_force* p, cr_weight w, double h[2]) {
  cr_theta theta = step->theta[p->tree];
  h[0] = (theta.q * theta.vq + w.end) * step->dt * step->dt;
  h[1] = (theta.v + w.rate) * step->dt;
}

/* Adds a spring and a damper, how steep they are and how that grows; A has them where they resist.
 */
static void add_slopes(cr_row_force* p, const double h[2], const double slope[2],
                       const double bend[2]) {
  p->stiffness += slope[0], p->damping += slope[1];
  for (int k = 0; k < 2; k++) {
    if (!(slope[k] > 0)) continue;
    p->resists[k] += slope[k];
    p->weight += h[k] * slope[k];
    p->weight_by[k] += h[k] * bend[k];
  }
}

static void add_actuator(cr_step_tangent* t, cr_row_force* p, int a, const double h[2],
                         const double at[2]) {
  const cr_force_model* force = &t->step->model->force;
  if (force->actuator_law[a] >= 0) {
    cr_law_add_force(t, p, a, h, at);
    return;
  }
  cr_actuator_tangent s = cr_actuator_tangent_find(force, a, t->step->input, at[0], at[1]);
  p->force += cr_actuator_compute_drive(force, a, t->step->input, at[0], at[1]).force;
  p->stiffness += s.stiffness, p->damping += s.damping;
  cr_row_force_input in = {.force = s.input, .way = cr_input_way_find(t, a)};
  for (int k = 0; k < 2; k++) {
    if (s.stiffness > 0) p->weight_by[k] += h[0] * s.stiffness_by[k];
    if (s.damping > 0) p->weight_by[k] += h[1] * s.damping_by[k];
  }
  p->weight += h[0] * fmax(s.stiffness, 0) + h[1] * fmax(s.damping, 0);
  p->resists[0] += fmax(s.stiffness, 0), p->resists[1] += fmax(s.damping, 0);
  if (s.stiffness > 0) in.weight += h[0] * s.stiffness_by[2];
  if (s.damping > 0) in.weight += h[1] * s.damping_by[2];
  p->inputs[p->num_inputs++] = in;
}

/* --- Lines --------------------------------------------------------------------------------------
 */

static void add_tendon(const cr_step* step, cr_row_force* p, int tendon, const double h[2],
                       const double at[2]) {
  const cr_tendon_model* n = &step->model->force.tendon;
  const double *k = n->stiffness_more + 2 * tendon, *b = n->damping_more + 2 * tendon;
  double stretch = cr_tendon_compute_stretch(n, tendon, at[0]), speed = fabs(at[1]);
  const double slope[2] = {stretch != 0 ? cr_spring_slope(n->stiffness[tendon], k, stretch) : 0,
                           cr_damper_slope(n->damping[tendon], b, at[1])};
  const double bend[2] = {stretch != 0 ? 2 * k[0] + 6 * k[1] * stretch : 0,
                          copysign(2 * b[0] + 6 * b[1] * speed, at[1])};
  p->force += cr_tendon_compute_force(n, tendon, at[0], at[1]);
  p->inertia = n->armature[tendon];
  p->weight += p->inertia;
  add_slopes(p, h, slope, bend);
}

/* The inertia of a tendon, which pushes with - m l'', l'' = J (v* - v0) / dt + (dJ/dt) v_f. */
static bool add_inertia(cr_step_tangent* t, cr_row_force* p) {
  const cr_step* step = t->step;
  const cr_line_tangent* line = &p->line;
  double dt = step->dt, theta = step->theta[p->tree].v, change = 0;
  for (int k = 0; k < 3; k++) p->inertia_by[k] = CR_PUSH(t->arena, double, line->n);
  if (t->arena->failed) return false;
  bool is_fixed = step->model->force.line.kind[line->line] == CR_LINE_FIXED;
  if (!is_fixed) cr_line_drift_look(t);
  for (int j = 0; j < line->n; j++) {
    const cr_drift_motion by_q = {CR_DRIFT_BY_Q, line->dof[j], NULL};
    const cr_drift_motion by_v = {CR_DRIFT_BY_V, line->dof[j], NULL};
    double q = is_fixed ? 0 : dt * cr_line_drift_move(t, line->line, &by_q);
    double v = is_fixed ? 0 : dt * cr_line_drift_move(t, line->line, &by_v);
    for (int k = 0; k < line->n; k++)
      q += line->H[k * line->n + j] * (step->v_star[line->dof[k]] - step->v0[line->dof[k]]);
    change += line->J[j] * (step->v_star[line->dof[j]] - step->v0[line->dof[j]]);
    p->inertia_by[0][j] = q;
    p->inertia_by[1][j] = line->J[j] + theta * v;
    p->inertia_by[2][j] = -line->J[j] + (1 - theta) * v;
  }
  p->force -= p->inertia * (change / dt + p->drift);
  return true;
}

/* Room for its inputs: actuators, and numbers that it and they are made of. */
static bool push_inputs(const cr_step_tangent* t, int line, cr_row_force* p) {
  const cr_force_model* f = &t->step->model->force;
  int tendon = line < f->tendon.num_tendons ? line : -1;
  int room = cr_force_thetas_count(t, (cr_force_owner){CR_FORCE_OF_TENDON, tendon}) +
             cr_place_rows_count(t);
  for (int a = 0; a < f->num_actuators; a++)
    if (f->actuator_line[a] == line)
      room += CR_BY_START + cr_force_thetas_count(t, (cr_force_owner){CR_FORCE_OF_ACTUATOR, a});
  p->inputs = CR_PUSH(t->arena, cr_row_force_input, room);
  return !t->arena->failed;
}

/* Its actuators, of whose force a share is left where the tendon bounds it. */
static void add_actuators(cr_step_tangent* t, cr_row_force* p, const cr_force_at* at) {
  const cr_step* step = t->step;
  const cr_force_model* f = &step->model->force;
  const double place[2] = {at->length, at->rate};
  int line = p->line.line;
  double share = cr_actuator_find_share(f, line, step->input, at->length, at->rate);
  for (int a = 0; a < f->num_actuators; a++) {
    if (f->actuator_line[a] != line || step->sim->plan.is_limited[a]) continue;
    if (share == 1)
      add_actuator(t, p, a, at->h, place);
    else
      p->force +=
          cr_actuator_compute_held_drive(f, a, step->input, at->length, at->rate, share).force;
  }
}

/* Numbers of its actuators; what a tendon bounds is held. */
static bool add_actuator_thetas(cr_step_tangent* t, cr_row_force* p, const cr_force_at* at) {
  const cr_step* step = t->step;
  const cr_force_model* f = &step->model->force;
  int line = p->line.line;
  double share = cr_actuator_find_share(f, line, step->input, at->length, at->rate);
  for (int a = 0; a < f->num_actuators; a++) {
    const cr_force_owner of = {CR_FORCE_OF_ACTUATOR, a};
    if (f->actuator_line[a] != line || step->sim->plan.is_limited[a]) continue;
    if (share != 1)
      t->num_held += cr_force_thetas_count(t, of) > 0;
    else if (!cr_force_thetas_add(t, of, at, p))
      return false;
  }
  return true;
}

/* The rows of the joints that are not at their bounds. */
static bool mask_held(const cr_step_tangent* t, cr_line_tangent* line) {
  size_t n = (size_t)line->n;
  double *J = CR_PUSH(t->arena, double, n), *H = CR_PUSH(t->arena, double, n*n);
  if (t->arena->failed) return false;
  for (size_t i = 0; i < n; i++) {
    double share = t->step->is_held[line->dof[i]] ? 0 : 1;
    J[i] = share * line->J[i];
    for (size_t j = 0; j < n; j++) H[i * n + j] = share * line->H[i * n + j];
  }
  line->J = J, line->H = H, line->left_out = t->step->is_held;
  return true;
}

/* What the actuators of a line do, where joints bound some of it: A does without their slopes. */
static bool add_held_drive(cr_step_tangent* t, const cr_row_force* of, const cr_force_at* at) {
  cr_row_force* p = &t->row_forces->items[t->row_forces->count];
  cr_force_at own = *at;
  own.h[0] = own.h[1] = 0;
  *p = (cr_row_force){.tree = of->tree, .line = of->line, .length = of->length, .rate = of->rate};
  if (!push_inputs(t, of->line.line, p) || !mask_held(t, &p->line)) return false;
  add_actuators(t, p, &own);
  p->resists[0] = p->resists[1] = 0;
  add_weight(t, t->weights->line[of->line.line], p, p);
  if (!cr_place_rows_add(t, &own, p, p)) return false;
  t->row_forces->count++;
  return add_actuator_thetas(t, p, &own);
}

static carom_status add_line(cr_step_tangent* t, int line) {
  cr_step* step = t->step;
  const cr_force_model* f = &step->model->force;
  cr_row_forces* all = t->row_forces;
  cr_row_force* p = &all->items[all->count];
  cr_line_place place = cr_step_line_place(step);
  bool is_joined = step->sim->plan.is_joined[line] != 0;
  *p = (cr_row_force){.tree = cr_step_line_tree(step, line)};
  if (!push_inputs(t, line, p)) return cr_error_memory(t->error);
  if (!is_joined) cr_line_update(&place, line, &step->lines);
  if (!cr_line_tangent_find(&place, &step->lines, line, t->arena, &p->line))
    return cr_error_memory(t->error);
  cr_weight w = cr_damping_of_line(step, line);
  cr_force_at at = {.w = w, .is_known = cr_step_tangent_is_known(t, p->tree)};
  double place_of[2] = {0, 0};
  if (!find_ways(t, w, p)) return cr_error_memory(t->error);
  find_shares(step, p, w, at.h);
  measure(step, p, w, step->lines.length[line], place_of);
  at.length = place_of[0], at.rate = place_of[1];
  if (is_joined && line < f->tendon.num_tendons) add_tendon(step, p, line, at.h, place_of);
  p->drift = cr_line_compute_drift(&place, &step->velocities, line);
  if (p->inertia > 0 && !add_inertia(t, p)) return cr_error_memory(t->error);
  const cr_force_owner tendon = {CR_FORCE_OF_TENDON, line};
  bool is_tendon = line < f->tendon.num_tendons, is_held = cr_step_line_is_held(step, line);
  if (!is_held) add_actuators(t, p, &at);
  add_weight(t, t->weights->line[line], p, p);
  if (is_tendon && !cr_force_thetas_add(t, tendon, &at, p)) return cr_error_memory(t->error);
  if (!cr_place_rows_add(t, &at, p, p)) return cr_error_memory(t->error);
  all->count++;
  bool done = is_held ? add_held_drive(t, p, &at) : add_actuator_thetas(t, p, &at);
  return done ? CAROM_OK : cr_error_memory(t->error);
}

/* --- Springs between points ---------------------------------------------------------------------
 */

/* d(w) of the spread of a spring's stiffness across it, as cr_external_spring_matrix has it. */
static double find_spread(const cr_step* step, int spring, const cr_line_strand* strand, double h2,
                          double* slope) {
  const cr_force_model* f = &step->model->force;
  double length = v3_norm(v3_sub(strand->point[1], strand->point[0]));
  double k = h2 * f->spring_stiffness[spring], rest = f->spring_rest_length[spring];
  double across = length > 0 ? fmax(k * (1 - rest / length), 0) : rest > 0 ? 0 : k;
  *slope = across > 0 && length > 0 ? k * rest / (length * length) : 0;
  return across;
}

/* The three axes across which a spring's stiffness spreads. */
static carom_status add_spread(cr_step_tangent* t, int spring, const cr_line_strand* strand,
                               const cr_row_force* of, const cr_force_at* at) {
  cr_row_forces* all = t->row_forces;
  cr_line_place place = cr_step_line_place(t->step);
  double slope, weight = find_spread(t->step, spring, strand, at->h[0], &slope);
  int room = cr_force_thetas_count(t, (cr_force_owner){CR_FORCE_OF_SPRING, spring}) +
             cr_place_rows_count(t);
  for (int k = 0; k < 3 && weight > 0; k++) {
    cr_row_force* p = &all->items[all->count];
    *p = (cr_row_force){
        .tree = of->tree, .length = of->length, .rate = of->rate, .spring = spring + 1};
    v3 axis = v3_set(v3_zero(), k, 1);
    p->inputs = CR_PUSH(t->arena, cr_row_force_input, room);
    if (!cr_line_tangent_of_strand(&place, strand, &axis, t->arena, &p->line))
      return cr_error_memory(t->error);
    p->weight = weight, p->weight_by[0] = slope, p->resists[0] = weight / at->h[0];
    add_weight(t, t->weights->spring[spring], of, p);
    if (!cr_force_thetas_add_spread(t, spring, at, &axis, p) || !cr_place_rows_add(t, at, of, p))
      return cr_error_memory(t->error);
    all->count++;
  }
  return CAROM_OK;
}

static carom_status add_spring(cr_step_tangent* t, int spring) {
  const cr_step* step = t->step;
  const cr_force_model* f = &step->model->force;
  cr_row_forces* all = t->row_forces;
  cr_row_force* p = &all->items[all->count];
  cr_force_spring s = cr_force_locate_spring(f, spring, step->kinematics.link_pose);
  cr_line_place place = cr_step_line_place(step);
  const cr_force_owner of = {CR_FORCE_OF_SPRING, spring};
  *p = (cr_row_force){.tree = cr_step_find_tree(step, s.link[0], s.link[1]), .spring = spring + 1};
  if (p->tree < 0) return CAROM_OK;
  const cr_line_strand strand = {{s.link[0], s.link[1]}, {s.point[0], s.point[1]}, 1, false};
  p->inputs =
      CR_PUSH(t->arena, cr_row_force_input, cr_force_thetas_count(t, of) + cr_place_rows_count(t));
  if (!cr_line_tangent_of_strand(&place, &strand, NULL, t->arena, &p->line))
    return cr_error_memory(t->error);
  cr_force_at at = {.w = cr_damping_of_spring(step, spring),
                    .is_known = cr_step_tangent_is_known(t, p->tree)};
  double place_of[2], slope;
  if (!find_ways(t, at.w, p)) return cr_error_memory(t->error);
  find_shares(step, p, at.w, at.h);
  measure(step, p, at.w, s.length, place_of);
  at.length = place_of[0], at.rate = place_of[1];
  p->is_external = true;
  p->stiffness = f->spring_stiffness[spring], p->damping = f->spring_damping[spring];
  p->force = -cr_force_compute_tension(f, spring, at.length, at.rate);
  double across = find_spread(step, spring, &strand, at.h[0], &slope);
  p->weight = at.h[0] * p->stiffness + at.h[1] * p->damping - across, p->weight_by[0] = -slope;
  p->resists[0] = p->stiffness - (at.h[0] > 0 ? across / at.h[0] : 0), p->resists[1] = p->damping;
  add_weight(t, t->weights->spring[spring], p, p);
  if (!cr_force_thetas_add(t, of, &at, p) || !cr_place_rows_add(t, &at, p, p))
    return cr_error_memory(t->error);
  all->count++;
  return add_spread(t, spring, &strand, p, &at);
}

/* --- Dofs ---------------------------------------------------------------------------------------
 */

/* The row of a hinge or slide. */
static bool find_dof_row(const cr_step_tangent* t, int dof, cr_line_tangent* line) {
  int* dofs = CR_PUSH(t->arena, int, 1);
  double* J = CR_PUSH(t->arena, double, 1);
  *line = (cr_line_tangent){.line = -1,
                            .n = 1,
                            .dof = dofs,
                            .J = J,
                            .G = CR_PUSH(t->arena, double, 1),
                            .H = CR_PUSH(t->arena, double, 1),
                            .carried = CR_PUSH(t->arena, double, 1)};
  if (t->arena->failed) return false;
  dofs[0] = dof;
  J[0] = line->G[0] = 1, line->H[0] = line->carried[0] = 0;
  return true;
}

/* What a dof's spring and damper with powers beyond the first pull. */
static void add_powers(const cr_step* step, cr_row_force* p, int dof, const cr_force_at* at) {
  const cr_force_model* f = &step->model->force;
  const double *k = f->dof_spring_more + 2 * dof, *b = f->dof_damper_more + 2 * dof;
  double way = at->length, rate = at->rate;
  double stiffness = f->joint_stiffness[step->model->tree.dof_joint[dof]];
  const double slope[2] = {cr_spring_slope(stiffness, k, way),
                           cr_damper_slope(f->dof_damping[dof], b, rate)};
  const double bend[2] = {2 * k[0] + 6 * k[1] * way,
                          copysign(2 * b[0] + 6 * b[1] * fabs(rate), rate)};
  p->force = -cr_spring_secant(stiffness, k, way) * way -
             cr_damper_secant(f->dof_damping[dof], b, rate) * rate;
  add_slopes(p, at->h, slope, bend);
}

/* A dof whose spring or damper has such powers, or is asked for them. */
static carom_status add_dof(cr_step_tangent* t, int tree, int dof) {
  const cr_step* step = t->step;
  const carom_model* m = step->model;
  const cr_force_owner of = {CR_FORCE_OF_DOF, dof};
  bool has_powers = cr_force_has_powers(&m->force, &m->tree, m->tree.dof_joint[dof]);
  int room = cr_force_thetas_count(t, of);
  cr_row_force* p = &t->row_forces->items[t->row_forces->count];
  if (!has_powers && room == 0) return CAROM_OK;
  cr_tree_compute_difference(&m->tree, tree, m->force.q_spring, step->q_mid, step->work);
  cr_force_at at = {.length = step->work[dof] + (step->x_e ? step->x_e[dof] : 0),
                    .rate = cr_step_joint_rate(step, dof),
                    .w = cr_damping_of_dof(step, dof)};
  *p = (cr_row_force){.tree = tree, .inputs = CR_PUSH(t->arena, cr_row_force_input, room)};
  if (!find_dof_row(t, dof, &p->line) || !find_ways(t, at.w, p)) return cr_error_memory(t->error);
  find_shares(step, p, at.w, at.h);
  if (has_powers) add_powers(step, p, dof, &at);
  if (!cr_force_thetas_add(t, of, &at, p)) return cr_error_memory(t->error);
  t->row_forces->count++;
  return CAROM_OK;
}

/* Of a limited controller that integrates, which joint_forces.c has: what its length at the start
 * does. */
static double find_start(const cr_step_tangent* t, int a) {
  const cr_force_model* f = &t->step->model->force;
  double gear = f->actuator_gear[a];
  bool integrates = f->actuator_law[a] >= 0 && cr_law_integrates_start(f, a);
  if (!t->step->sim->plan.is_limited[a] || !integrates) return 0;
  return gear * gear * f->actuator_gain[3 * a] * cr_law_find_start_slope(t, a);
}

/* An actuator of a joint whose force is no straight line, or the numbers that are asked for of one
 * that joint_forces.c has. */
static carom_status add_joint_actuator(cr_step_tangent* t, int tree, int a) {
  const cr_step* step = t->step;
  const cr_force_model* f = &step->model->force;
  const cr_force_owner of = {CR_FORCE_OF_ACTUATOR, a};
  int dof = f->actuator_dof[a], room = cr_force_thetas_count(t, of);
  bool is_own = cr_row_force_is_actuator(t, a);
  double start = step->is_law[a] ? 0 : find_start(t, a);
  cr_row_force* p = &t->row_forces->items[t->row_forces->count];
  if ((!is_own && room == 0 && start == 0) || step->is_law[a]) return CAROM_OK;
  *p = (cr_row_force){.tree = tree,
                      .inputs = CR_PUSH(t->arena, cr_row_force_input, CR_BY_START + room)};
  cr_force_at at = {.length = cr_step_joint_coordinate(step, f->actuator_q[a], dof),
                    .rate = cr_step_joint_rate(step, dof),
                    .w = cr_damping_of_dof(step, dof)};
  if (!find_dof_row(t, dof, &p->line) || !find_ways(t, at.w, p)) return cr_error_memory(t->error);
  find_shares(step, p, at.w, at.h);
  bool is_held = step->is_held && step->is_held[dof];
  if (!is_held) p->start += start, p->start_G = p->line.G;
  if (is_own && !is_held) add_actuator(t, p, a, at.h, (const double[2]){at.length, at.rate});
  if (!is_held && !cr_force_thetas_add(t, of, &at, p)) return cr_error_memory(t->error);
  t->row_forces->count++;
  return CAROM_OK;
}

/* --- All ----------------------------------------------------------------------------------------
 */

static carom_status add_tree(cr_step_tangent* t, int tree) {
  const carom_model* m = t->step->model;
  const cr_sim_plan* plan = &t->step->sim->plan;
  for (int i = m->tree.tree_v_start[tree]; i < m->tree.tree_v_start[tree + 1]; i++)
    CR_TRY(add_dof(t, tree, i));
  for (int k = plan->actuator_start[tree]; k < plan->actuator_start[tree + 1]; k++)
    CR_TRY(add_joint_actuator(t, tree, plan->actuator[k]));
  return CAROM_OK;
}

carom_status cr_row_forces_find(cr_step_tangent* t) {
  const carom_model* m = t->step->model;
  const cr_force_model* f = &m->force;
  int most = 2 * f->line.num_lines + 4 * f->num_springs + m->num_v + f->num_actuators +
             CR_FLUID_ROWS * f->fluid.num_parts;
  t->row_forces = CR_PUSH(t->arena, cr_row_forces, 1);
  t->fluids = CR_PUSH(t->arena, cr_fluid_tangent, f->fluid.num_parts);
  if (t->arena->failed) return cr_error_memory(t->error);
  *t->row_forces = (cr_row_forces){.items = CR_PUSH(t->arena, cr_row_force, most)};
  if (t->arena->failed) return cr_error_memory(t->error);
  for (int i = 0; i < f->line.num_lines; i++)
    if (!cr_line_is_still(&f->line, i)) CR_TRY(add_line(t, i));
  for (int i = 0; i < f->num_springs; i++) CR_TRY(add_spring(t, i));
  for (int i = 0; i < m->tree.num_trees; i++) CR_TRY(add_tree(t, i));
  for (int i = 0; i < f->fluid.num_parts; i++)
    if (!cr_fluid_rows_add(t, i)) return cr_error_memory(t->error);
  cr_law_mark_kinks(t);
  t->num_held += t->step->sim->num_adhesion;
  return CAROM_OK;
}

const cr_row_force* cr_row_forces_find_line(const cr_step_tangent* t, int line) {
  for (int i = 0; i < t->row_forces->count; i++)
    if (t->row_forces->items[i].line.line == line) return &t->row_forces->items[i];
  return NULL;
}
