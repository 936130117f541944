/* Forces along lines as links feel them: springs, dampers, inertia, actuators and constraints of
 * tendons, actuators on sites and through rods. */
#include "force/tendon.h"
#include "sim/sense/sensing.h"

#include <string.h>

/* Impulse over the step of a row that acts along degrees of freedom; `kind` as the row's key has
 * it (rows/row_jacobian.c): 1 a limited actuator that is a law, 2 the dry friction of a tendon. */
static double find_dof_force(const cr_sensing* s, unsigned kind, int index) {
  return cr_sensing_find_force(s, CR_KEY_DOF | (uint64_t)kind << 32 | (unsigned)index, 0);
}

static bool is_row(const cr_sensing* s, int actuator) {
  cr_contact_key key = {.pair = CR_KEY_DOF | UINT64_C(1) << 32 | (unsigned)actuator};
  return s->memory && s->memory->count && cr_contact_memory_find(s->memory, key);
}

/* What the actuators of each line do along it, added to [num_lines]. */
static void add_actuators(const cr_sensing* s, double* force) {
  const cr_force_model* f = &s->model->force;
  for (int a = 0; a < f->num_actuators; a++) {
    if (f->actuator_line[a] < 0) continue;
    double own = is_row(s, a) ? find_dof_force(s, 1, a) : cr_sensing_find_actuator_force(s, a);
    force[f->actuator_line[a]] += f->actuator_gear[a] * own;
  }
}

/* Equalities hold the first tendon at a polynomial of the second. */
static void add_couplings(const cr_sensing* s, double* force) {
  const cr_equality_model* e = &s->model->equality;
  const cr_line_model* n = &s->model->force.line;
  for (int i = 0; i < e->num_equalities; i++) {
    if (e->type[i] != CAROM_EQUALITY_TENDON || !e->active[i]) continue;
    const double* c = e->polynomial + 5 * i;
    int first = e->tendon[2 * i], second = e->tendon[2 * i + 1];
    double own = cr_sensing_find_force(s, CR_KEY_EQUALITY | (unsigned)i, 0);
    force[first] += own;
    if (second < 0) continue;
    double x = s->lines.length[second] - n->reference[second];
    force[second] -= own * (c[1] + x * (2 * c[2] + x * (3 * c[3] + x * 4 * c[4])));
  }
}

/* Spring, damper, inertia, limits and dry friction of a tendon. */
static double find_tendon_force(const cr_sensing* s, int i) {
  const carom_model* m = s->model;
  const cr_tendon_model* n = &m->force.tendon;
  cr_line_place place = {&m->force.line, &m->tree, s->kinematics, s->q};
  uint64_t limit = CR_KEY_LIMIT | UINT64_C(1) << 32 | (unsigned)i;
  double rate = cr_line_compute_rate(&m->force.line, &s->lines, i, s->u);
  double force = cr_tendon_compute_force(n, i, s->lines.length[i], rate);
  force += cr_sensing_find_force(s, limit, 0) - cr_sensing_find_force(s, limit, 1);
  force += find_dof_force(s, 2, i);
  if (!(n->armature[i] > 0)) return force;
  double change = cr_line_compute_rate(&m->force.line, &s->lines, i, s->u_dot) +
                  cr_line_compute_drift(&place, s->velocities, i);
  return force - n->armature[i] * change;
}

void cr_sensing_compute_line_forces(const cr_sensing* s, sv* link_force) {
  const carom_model* m = s->model;
  cr_line_place place = {&m->force.line, &m->tree, s->kinematics, s->q};
  double* force = s->line_force;
  for (int l = 0; l < m->tree.num_links; l++) link_force[l] = sv_zero();
  for (int i = 0; i < m->force.line.num_lines; i++)
    force[i] = i < m->force.tendon.num_tendons ? find_tendon_force(s, i) : 0;
  add_actuators(s, force);
  add_couplings(s, force);
  for (int i = 0; i < m->force.line.num_lines; i++)
    cr_line_add_link_forces(&place, i, force[i], link_force);
}
