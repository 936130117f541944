/* Lengths, rates and forces of actuators as readings, each as sim/sense has it. */
#include "derive/force_parameters.h"
#include "derive/law_way.h"
#include "derive/place_parameters.h"
#include "derive/readings.h"
#include "derive/reference.h"
#include "force/actuator.h"

static double input_change(const cr_readings* r, const cr_reading_direction* d, int a) {
  cr_input_way w = cr_input_way_of_state(&r->t, a);
  double sum = 0;
  for (int i = 0; i < w.count; i++) {
    int column = w.column[i], first = r->t.first_control;
    sum += w.by[i] * (column < first ? d->dx[column] : d->du[column - first]);
  }
  return d->theta ? sum + cr_input_way_by_theta(&w, d->theta) : sum;
}

/* What a place does to a line, whose row it leaves in `moved`; returns the change of its length. */
static double displace(const cr_readings* r, const cr_reading_direction* d, int line) {
  const carom_model* m = r->step.model;
  cr_tree_insertion in[2];
  cr_line_place at = {&m->force.line, &m->tree, &r->place.kinematics, r->place.q};
  bool is_place = d->theta && cr_theta_is_of_place(d->theta);
  const cr_line_displacement by = {is_place ? cr_place_theta_list(&r->step, d->theta, in) : 0, in};
  return cr_line_tangent_displace(&at, &r->lines[line], &by);
}

double cr_rest_differentiate(const cr_readings* r, const cr_reading_direction* d, bool is_spring,
                             int index) {
  if (!d->theta || !cr_theta_is_of_place(d->theta)) return 0;
  return is_spring ? cr_reference_move_spring(&r->t, d->theta, index)
                   : cr_reference_move_rest(&r->t, d->theta, index);
}

double cr_line_length_differentiate(const cr_readings* r, const cr_reading_direction* d, int line) {
  return cr_line_tangent_length(&r->lines[line], d->q) + displace(r, d, line);
}

double cr_line_rate_differentiate(const cr_readings* r, const cr_reading_direction* d, int line) {
  const cr_line_tangent* t = &r->lines[line];
  double sum = cr_line_tangent_rate(t, d->v) + cr_line_tangent_bend(t, d->q, r->s.u);
  displace(r, d, line);
  for (int i = 0; i < t->n; i++) sum += t->moved[i] * r->s.u[t->dof[i]];
  return sum;
}

/* Of what an actuator works on, before its gear. */
double cr_actuator_length_differentiate(const cr_readings* r, const cr_reading_direction* d,
                                        int a) {
  const cr_force_model* f = &r->step.model->force;
  int line = f->actuator_line[a];
  return line < 0 ? d->q[f->actuator_dof[a]] : cr_line_length_differentiate(r, d, line);
}

double cr_actuator_rate_differentiate(const cr_readings* r, const cr_reading_direction* d, int a) {
  const cr_force_model* f = &r->step.model->force;
  int line = f->actuator_line[a];
  return line < 0 ? d->v[f->actuator_dof[a]] : cr_line_rate_differentiate(r, d, line);
}

/* What a number of its own does to a force that no range holds. */
static double gain_change(const cr_readings* r, const cr_theta_column* theta, int a) {
  const cr_force_model* f = &r->step.model->force;
  bool is_its = theta && theta->index == a && theta->kind >= CR_THETA_GAIN &&
                theta->kind <= CR_THETA_LENGTH_RANGE;
  if (!is_its) return 0;
  return cr_force_theta_of_actuator(f, r->s.input, theta,
                                    cr_actuator_find_coordinate(f, a, &r->s.lines, r->s.q),
                                    cr_actuator_find_rate(f, a, &r->s.lines, r->s.u));
}

/* Of an actuator's force where nothing holds it; and what that is. */
static double free_change(const cr_readings* r, const cr_reading_direction* d, int a,
                          double* force) {
  const cr_force_model* f = &r->step.model->force;
  double x = cr_actuator_find_coordinate(f, a, &r->s.lines, r->s.q);
  double x_dot = cr_actuator_find_rate(f, a, &r->s.lines, r->s.u), gear = f->actuator_gear[a];
  cr_actuator_tangent t = cr_actuator_tangent_find_free(f, a, r->s.input, x, x_dot);
  *force = cr_actuator_compute_force(f, a, r->s.input, gear * x, gear * x_dot);
  double by = t.own_input * input_change(r, d, a) + gain_change(r, d->theta, a);
  if (gear == 0) return by;
  return by - (t.stiffness * cr_actuator_length_differentiate(r, d, a) +
               t.damping * cr_actuator_rate_differentiate(r, d, a)) /
                  gear;
}

/* A tendon that bounds what its actuators do together, f, at F has each at the share F / f. */
static double shared_change(const cr_readings* r, const cr_reading_direction* d, int a,
                            double* force) {
  const cr_force_model* f = &r->step.model->force;
  double own = free_change(r, d, a, force), sum = 0, change = 0, other;
  int line = f->actuator_line[a];
  if (!cr_actuator_is_bounded(f, line)) return own;
  double share = cr_actuator_find_share(f, line, r->s.input, r->s.lines.length[line],
                                        cr_line_compute_rate(&f->line, &r->s.lines, line, r->s.u));
  if (share == 1) return own;
  for (int i = 0; i < f->num_actuators; i++) {
    if (f->actuator_line[i] != line) continue;
    change += free_change(r, d, i, &other);
    sum += other;
  }
  own = share * (own - *force * change / sum);
  *force *= share;
  return own;
}

/* Of a controller or motor with states of its own, within its range. */
static double law_change(const cr_readings* r, const cr_reading_direction* d, int a) {
  const cr_force_model* f = &r->step.model->force;
  double gear = f->actuator_gear[a], sum = 0;
  const double at[2] = {gear * cr_actuator_find_coordinate(f, a, &r->s.lines, r->s.q),
                        gear * cr_actuator_find_rate(f, a, &r->s.lines, r->s.u)};
  const cr_actuator_state state = {r->s.ctrl, r->s.act, at[0], at[1], r->step.model->timestep};
  cr_moving force = cr_law_find_drive(f, a, &state, 0, at).force;
  for (int k = 0; k < CR_BY_START; k++) {
    int column = cr_law_find_column(&r->t, a, k), first = r->t.first_control;
    if (column >= 0) sum += force.by[k] * (column < first ? d->dx[column] : d->du[column - first]);
  }
  sum += (force.by[CR_BY_START] + force.by[CR_BY_LENGTH]) * gear *
         cr_actuator_length_differentiate(r, d, a);
  return sum + force.by[CR_BY_RATE] * gear * cr_actuator_rate_differentiate(r, d, a);
}

double cr_actuator_force_differentiate(const cr_readings* r, const cr_reading_direction* d, int a) {
  if (r->step.model->force.actuator_law[a] >= 0) return law_change(r, d, a);
  const double* range = r->step.model->force.actuator_force_range + 2 * (size_t)a;
  double force, by = shared_change(r, d, a, &force);
  if (force > range[0] && force < range[1]) return by;
  const cr_theta_column* theta = d->theta;
  bool is_range = theta && theta->kind == CR_THETA_FORCE_RANGE && theta->index == a;
  return is_range && theta->element == (force >= range[1]) ? 1 : 0;
}

/* Of the weight that a dof bears, its axis times the lift of all that it carries. */
static double borne_change(const cr_readings* r, const cr_reading_direction* d, int dof) {
  const carom_model* m = r->step.model;
  const cr_tree_model* tree = &m->tree;
  double sum = 0;
  if (m->force.num_bearers == 0 || !m->force.dof_bears_weight[dof]) return 0;
  sv S = r->place.kinematics.S[dof];
  sv dS = sv_cross_motion(cr_reading_find_axis_twist(r, d, dof), S);
  for (int b = 1; b < m->body.num_bodies; b++) {
    int k = tree->link_last_dof[m->body.link[b]];
    while (k > dof) k = tree->dof_parent[k];
    if (k != dof) continue;
    v3 dcom, com = cr_reading_move_com(r, d, b, &dcom);
    v3 dlift, lift = cr_reading_find_lift(r, d, b, &dlift);
    v3 arm = v3_sub(com, cr_sensing_origin(&r->s, m->body.link[b]));
    sum += v3_dot(v3_add(sv_point_velocity(dS, arm), v3_cross(S.ang, dcom)), lift);
    sum += v3_dot(sv_point_velocity(S, arm), dlift);
  }
  return sum;
}

/* All that actuators do to a dof; 0 where the joint bounds it. */
double cr_actuation_differentiate(const cr_readings* r, const cr_reading_direction* d, int dof) {
  const cr_force_model* f = &r->step.model->force;
  const double* range = f->dof_drive_range + 2 * (size_t)dof;
  double sum = borne_change(r, d, dof), tau = r->s.actuation[dof];
  if (f->num_drive_ranges && !(tau > range[0] && tau < range[1])) return 0;
  for (int a = 0; a < f->num_actuators; a++) {
    int line = f->actuator_line[a];
    double gear = f->actuator_gear[a], change = gear * cr_actuator_force_differentiate(r, d, a);
    if (cr_theta_is_of_gear(d->theta, a)) change += cr_sensing_find_actuator_force(&r->s, a);
    if (line < 0) sum += f->actuator_dof[a] == dof ? change : 0;
    const cr_line_tangent* t = line < 0 ? NULL : &r->lines[line];
    if (t) displace(r, d, line);
    for (int i = 0; t && i < t->n; i++) {
      if (t->dof[i] != dof) continue;
      double bend = t->moved[i], force = gear * cr_sensing_find_actuator_force(&r->s, a);
      for (int k = 0; k < t->n; k++) bend += t->H[i * t->n + k] * d->q[t->dof[k]];
      sum += t->J[i] * change + force * bend;
    }
  }
  return sum;
}

double cr_tendon_actuators_differentiate(const cr_readings* r, const cr_reading_direction* d,
                                         int tendon) {
  const cr_force_model* f = &r->step.model->force;
  double sum = 0;
  for (int a = 0; a < f->num_actuators; a++)
    if (f->actuator_line[a] == tendon) sum += cr_actuator_force_differentiate(r, d, a);
  return sum;
}
