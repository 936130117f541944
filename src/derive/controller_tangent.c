/* A law's activations end at the length and rate of the solution,
 *
 *   l = l(q_mid) + h J (v - v*),   l' = J v_f,   h = theta_q theta_vq dt. */
#include "derive/controller_tangent.h"

#include "derive/law_way.h"
#include "derive/row_forces.h"

#include <math.h>

/* --- Force --------------------------------------------------------------------------------------
 */

/* What the force, and A with a share h of each slope that resists, move with a number. */
static cr_row_force_input find_input(const cr_law_drive* d, double gear, const double h[2],
                                     int by) {
  cr_row_force_input in = {.force = gear * d->force.by[by]};
  if (d->stiffness.x > 0) in.weight += gear * gear * h[0] * d->stiffness.by[by];
  if (d->damping.x > 0) in.weight += gear * gear * h[1] * d->damping.by[by];
  return in;
}

void cr_law_add_force(cr_step_tangent* t, cr_row_force* p, int actuator, const double h[2],
                      const double at[2]) {
  const cr_force_model* force = &t->step->model->force;
  int a = actuator;
  double gear = force->actuator_gear[a], square = gear * gear;
  const double along[2] = {gear * at[0], gear * at[1]};
  cr_actuator_state s = cr_law_state_at(t, cr_law_find_start(t, a), 0);
  cr_law_drive d = cr_law_find_drive(force, a, &s, cr_law_find_time(t), along);
  cr_step_tangent_mark_kink(t, d.nearest);
  p->force += gear * d.force.x;
  p->stiffness -= square * d.force.by[CR_BY_LENGTH];
  p->damping -= square * d.force.by[CR_BY_RATE];
  p->start += square * d.force.by[CR_BY_START];
  if (d.force.by[CR_BY_START] != 0)
    p->start_G = force->actuator_line[a] >= 0 ? t->law_starts[a].G : p->line.G;
  p->weight += square * (h[0] * fmax(d.stiffness.x, 0) + h[1] * fmax(d.damping.x, 0));
  for (int k = 0; k < 2; k++)
    p->weight_by[k] += gear * find_input(&d, gear, h, k ? CR_BY_RATE : CR_BY_LENGTH).weight;
  for (int k = 0; k < CR_BY_START; k++) {
    cr_row_force_input in = find_input(&d, gear, h, k);
    if (in.force == 0 && in.weight == 0) continue;
    cr_input_way_put(&in.way, cr_law_find_column(t, a, k), 1);
    p->inputs[p->num_inputs++] = in;
  }
}

/* --- Activations --------------------------------------------------------------------------------
 */

/* A dof that length and rate at the end of the step go with: by its q_mid, by v (less v*), and by
 * v_f. */
typedef struct end_dof {
  int dof;
  double length[2], rate[2]; /* by q_mid, by v */
  double theta;
} end_dof;

/* The row of an actuator; null: its joint's own dof. */
static const cr_line_tangent* find_row(const cr_step_tangent* t, int a) {
  int line = t->step->model->force.actuator_line[a];
  const cr_row_force* p = line < 0 ? NULL : cr_row_forces_find_line(t, line);
  return p ? &p->line : NULL;
}

static int count_dofs(const cr_step_tangent* t, int a) {
  const cr_line_tangent* row = find_row(t, a);
  return row ? row->n : t->step->model->force.actuator_dof[a] >= 0;
}

static double rate_of(const cr_step* step, cr_theta theta, int dof) {
  return theta.v * step->v[dof] + (1 - theta.v) * step->v0[dof];
}

static cr_theta theta_of(const cr_step* step, int dof) {
  return step->theta[step->model->tree.link_tree[step->model->tree.dof_link[dof]]];
}

static end_dof find_dof(const cr_step_tangent* t, int a, int i) {
  const cr_step* step = t->step;
  const cr_line_tangent* row = find_row(t, a);
  int dof = row ? row->dof[i] : step->model->force.actuator_dof[a];
  cr_theta theta = theta_of(step, dof);
  double h = theta.q * theta.vq * step->dt, gear = step->model->force.actuator_gear[a];
  double J = row ? row->J[i] : 1;
  end_dof d = {dof, {row ? row->G[i] : 1, h * J}, {0, J}, theta.v};
  for (int k = 0; row && k < row->n; k++) {
    int other = row->dof[k];
    cr_theta own = theta_of(step, other);
    double H = row->H[k * row->n + i];
    d.length[0] += H * own.q * own.vq * step->dt * (step->v[other] - step->v_star[other]);
    d.rate[0] += H * rate_of(step, own, other);
  }
  for (int k = 0; k < 2; k++) d.length[k] *= gear, d.rate[k] *= gear;
  return d;
}

/* All of a law's activations, at the length and rate of the solution. */
static double find_end(const cr_step_tangent* t, int a, cr_moving* act) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  int line = force->actuator_line[a];
  double gear = force->actuator_gear[a], rate = 0;
  double l = gear * (line < 0 ? step->q_mid[force->actuator_q[a]] : step->lines.length[line]);
  for (int i = 0; i < count_dofs(t, a); i++) {
    end_dof d = find_dof(t, a, i);
    l += d.length[1] * (step->v[d.dof] - step->v_star[d.dof]);
    rate += d.rate[1] * rate_of(step, theta_of(step, d.dof), d.dof);
  }
  cr_actuator_state s = cr_law_state_at(t, l, rate);
  return cr_law_find_advance(force, a, &s, act);
}

void cr_law_mark_kinks(cr_step_tangent* t) {
  const cr_force_model* force = &t->step->model->force;
  cr_moving act[CR_LAW_MAX_ACTIVATIONS];
  for (int a = 0; a < force->num_actuators && t->smoothing == 0; a++)
    if (force->actuator_law[a] >= 0) cr_step_tangent_mark_kink(t, find_end(t, a, act));
}

static int count_activations(const cr_step_tangent* t, int a) {
  const int* start = t->step->model->force.actuator_activation;
  return start[a + 1] - start[a];
}

void cr_law_finish_column(const cr_step_tangent* t, int a, int column, double* x1) {
  cr_moving act[CR_LAW_MAX_ACTIVATIONS];
  int first = t->first_activation + t->step->model->force.actuator_activation[a];
  const double *q = cr_column(t, t->q_mid, column), *v = cr_column(t, t->v, column);
  const double *v_star = cr_column(t, t->v_star, column), *v0 = cr_column(t, t->v0, column);
  double length = 0, rate = 0;
  if (count_activations(t, a) == 0) return;
  find_end(t, a, act);
  for (int i = 0; i < count_dofs(t, a); i++) {
    end_dof d = find_dof(t, a, i);
    length += d.length[0] * q[d.dof] + d.length[1] * (v[d.dof] - v_star[d.dof]);
    rate += d.rate[0] * q[d.dof] + d.rate[1] * (d.theta * v[d.dof] + (1 - d.theta) * v0[d.dof]);
  }
  for (int i = 0; i < count_activations(t, a); i++) {
    x1[first + i] = act[i].by[CR_BY_LENGTH] * length + act[i].by[CR_BY_RATE] * rate;
    for (int k = 0; k < CR_BY_START; k++)
      if (cr_law_find_column(t, a, k) == column) x1[first + i] += act[i].by[k];
  }
}

void cr_law_pull_end(cr_step_tangent* t, int a, const double* x1, const cr_law_cotangents* to) {
  cr_moving act[CR_LAW_MAX_ACTIVATIONS];
  int first = t->first_activation + t->step->model->force.actuator_activation[a];
  double length = 0, rate = 0;
  if (count_activations(t, a) == 0) return;
  find_end(t, a, act);
  for (int i = 0; i < count_activations(t, a); i++) {
    length += act[i].by[CR_BY_LENGTH] * x1[first + i];
    rate += act[i].by[CR_BY_RATE] * x1[first + i];
    for (int k = 0; k < CR_BY_START; k++)
      if (cr_law_find_column(t, a, k) >= 0)
        to->inputs[cr_law_find_column(t, a, k) - t->first_activation] +=
            act[i].by[k] * x1[first + i];
  }
  for (int i = 0; i < count_dofs(t, a); i++) {
    end_dof d = find_dof(t, a, i);
    to->q_mid[d.dof] += d.length[0] * length + d.rate[0] * rate;
    to->v[d.dof] += d.length[1] * length + d.theta * d.rate[1] * rate;
    to->v_star[d.dof] -= d.length[1] * length;
    to->v0[d.dof] += (1 - d.theta) * d.rate[1] * rate;
  }
}
