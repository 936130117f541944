/* Book-keeping of a step: records for the warm start, the user's contacts, slip, float, and the
 * work of impulses (gamma . mean velocity of the step) and of dampers and actuators. */
#include "sim/account.h"

#include "force/elements.h"
#include "force/tendon.h"
#include "sim/external.h"
#include "sim/soft_step.h"
#include "tree/algorithms.h"

#include <math.h>

/* A cone is sticking when its impulse is inside by this share. */
#define STICK_SHARE 1e-9

/* Normal impulses below this share of the step's largest are round-off: nothing touches there. */
#define LEAST_SHARE 1e-12

typedef struct ledger {
  cr_step* step;
  const cr_touches* touches;
  const cr_step_problem* problem;
  const double* v_c;
  carom_step_report* report;
  double least;  /* N s, normal impulses above it are contact */
  double energy; /* of compliant contacts */
} ledger;

/* --- Contacts -----------------------------------------------------------------------------------
 */

static v3 world_impulse(const cr_step_problem* problem, int place, const cr_touch* t) {
  const double* gamma = problem->gamma + problem->problem.row[place];
  v3 normal = v3_scale(gamma[0], t->normal);
  switch (problem->problem.kind[place]) {
  case CR_LAW_BOUNDS:
    return normal;
  case CR_LAW_DISC:
    return v3_add(v3_scale(gamma[0], t->tangent[0]), v3_scale(gamma[1], t->tangent[1]));
  default:
    return v3_add(v3_add(v3_scale(gamma[0], t->tangent[0]), v3_scale(gamma[1], t->tangent[1])),
                  v3_scale(gamma[2], t->normal));
  }
}

/* LEAST_SHARE of the largest normal impulse. */
static double find_least(const ledger* l) {
  double largest = 0;
  for (int i = 0; i < l->problem->problem.num_constraints; i++) {
    int touch = l->problem->constraints[l->problem->order[i]].touch;
    if (touch < 0) continue;
    const cr_touch* t = &l->touches->items[touch];
    largest = fmax(largest, v3_dot(world_impulse(l->problem, i, t), t->normal));
  }
  return LEAST_SHARE * largest;
}

static carom_contact_state classify(const ledger* l, const cr_touch* t, v3 impulse) {
  double normal = v3_dot(impulse, t->normal);
  double tangential = v3_norm(v3_axpy(impulse, -normal, t->normal));
  if (normal <= l->least) return CAROM_SEPARATED;
  if (t->condim < 3) return CAROM_SLIDING;
  bool inside = tangential <= (1 - STICK_SHARE) * t->friction * normal;
  return inside ? CAROM_STICKING : CAROM_SLIDING;
}

/* The anchor of a place; null where nothing gives way. */
static const cr_anchor* anchor_of(const cr_step_problem* problem, int place) {
  if (!problem->anchors || problem->problem.kind[place] != CR_LAW_CONTACT) return NULL;
  const cr_anchor* anchor = &problem->anchors[place];
  return isfinite(anchor->stiffness) ? anchor : NULL;
}

/* Displacement of the anchor at the end of the step. */
static v3 stretch_of(const ledger* l, int place, const cr_touch* t) {
  v3 gamma = world_impulse(l->problem, place, t);
  return cr_anchor_compute_stretch(anchor_of(l->problem, place), t, l->step->dt, gamma);
}

/* Velocity along the tangents at the end of the step, less the rate at which an anchor gives way;
 * frictionless rows do not know it. */
static double slip_of(const ledger* l, int place, const cr_touch* t) {
  if (l->problem->problem.kind[place] == CR_LAW_BOUNDS) return 0;
  const double* v = l->v_c + l->problem->problem.row[place];
  const cr_anchor* anchor = anchor_of(l->problem, place);
  if (!anchor) return hypot(v[0], v[1]);
  v3 given = v3_sub(stretch_of(l, place, t), anchor->stretch), slip = v3_zero();
  for (int k = 0; k < 2; k++) slip = v3_axpy(slip, v[k], t->tangent[k]);
  return v3_norm(v3_axpy(slip, -1 / l->step->dt, given));
}

/* The impulse less what the slip asks for leaves the cone: the contact slides, although a solution
 * to the tolerance may leave its impulse a little inside. */
static bool is_pulled_out(const ledger* l, int place, const cr_touch* t) {
  const cr_problem* p = &l->problem->problem;
  if (p->kind[place] != CR_LAW_CONTACT) return false;
  int row = p->row[place];
  const double *gamma = l->problem->gamma + row, *v = l->v_c + row, *R = p->R + row;
  const double* v_hat = p->v_hat + row;
  const double* W = l->problem->W + p->room * row;
  double rho = 2 / (W[0] + W[4]), z[2];
  for (int k = 0; k < 2; k++) z[k] = gamma[k] - rho * (v[k] - v_hat[k] + R[k] * gamma[k]);
  return hypot(z[0], z[1]) > t->friction * gamma[2];
}

static void write_contact(ledger* l, int place, const cr_touch* t, v3 impulse) {
  carom_contact* c = &l->step->sim->contacts[l->step->sim->num_contacts++];
  *c = (carom_contact){.geom1 = t->geom[0], .geom2 = t->geom[1], .distance = t->distance};
  v3_store(t->position, c->position);
  v3_store(t->normal, c->normal);
  v3_store(impulse, c->impulse);
  c->slip = slip_of(l, place, t);
  c->state = classify(l, t, impulse);
  if (c->state == CAROM_STICKING && is_pulled_out(l, place, t)) c->state = CAROM_SLIDING;
  if (c->state == CAROM_STICKING) l->report->stick_slip = fmax(l->report->stick_slip, c->slip);
  bool floats = c->state == CAROM_SLIDING && l->step->sim->def.friction == CAROM_FRICTION_CONVEX;
  if (floats && t->condim >= 3) {
    double tau = isinf(t->stiffness) || isnan(t->dissipation) ? 0 : t->dissipation;
    double height = (l->step->dt + tau) * t->friction * c->slip;
    l->report->float_distance = fmax(l->report->float_distance, height);
  }
}

/* Lagged friction splits a contact in two places; its second half completes the first. */
static void complete_contact(ledger* l, const cr_touch* t, v3 impulse) {
  carom_contact* c = &l->step->sim->contacts[l->step->sim->num_contacts - 1];
  v3 sum = v3_add(v3_load(c->impulse), impulse);
  v3_store(sum, c->impulse);
  c->state = classify(l, t, sum);
}

/* --- Work ---------------------------------------------------------------------------------------
 */

/* Distance of a row at the end of the step. */
static double end_distance(const ledger* l, const cr_constraint* c, int row) {
  cr_theta theta = c->theta;
  double dt = l->step->dt, v0 = l->problem->v_c0[row], lin = l->problem->v_c_lin[row];
  double start = c->distance - theta.q * dt * (theta.vq * lin + (1 - theta.vq) * v0);
  return start + dt * (theta.vq * l->v_c[row] + (1 - theta.vq) * v0);
}

/* Elastic energy of a compliant distance row at the end of the step: that of its length, k d²/2, or
 * where its period is shorter than the step, so that the length of one moment says nothing, that of
 * its mean force, f²/(2 k).
 * @param W of the row, 1/kg */
static double stored_energy(const ledger* l, const cr_constraint* c, int row, double W) {
  double dt = l->step->dt, k = c->stiffness;
  if (isinf(k) || (c->rule != CR_ROW_CONTACT && c->rule != CR_ROW_EQUALITY)) return 0;
  double force = l->problem->gamma[row] / dt, end = end_distance(l, c, row);
  if (k * W * dt * dt > 1) return 0.5 * force * force / k;
  if (c->rule == CR_ROW_CONTACT) end = fmin(end, 0);
  return 0.5 * k * end * end;
}

static void add_work(ledger* l, int place, const cr_constraint* c) {
  int row = l->problem->problem.row[place];
  int rows = cr_law_get(l->problem->problem.kind[place])->rows;
  double work = 0;
  for (int k = row; k < row + rows; k++)
    work += l->problem->gamma[k] * 0.5 * (l->v_c[k] + l->problem->v_c0[k]);
  double mean = 0.5 * (l->v_c[row] + l->problem->v_c0[row]);
  if (c->rule == CR_ROW_SERVO)
    l->report->actuator_work += work;
  else if (c->rule == CR_ROW_SPRING)
    l->report->dissipated += l->step->dt * c->dissipation * mean * mean;
  else
    l->report->dissipated -= work;
  double W = l->problem->W[l->problem->problem.room * row + rows * rows - 1];
  l->energy += stored_energy(l, c, row + rows - 1, W);
  const cr_anchor* anchor = anchor_of(l->problem, place);
  if (anchor)
    l->energy +=
        cr_anchor_compute_energy(anchor, stretch_of(l, place, &l->touches->items[c->touch]));
}

/* Dampers and unlimited actuators at the mean velocity of the step. */
static void add_joint_work(ledger* l) {
  const cr_step* step = l->step;
  const cr_force_model* force = &step->model->force;
  for (int i = 0; i < step->model->tree.num_v; i++) {
    double mean = 0.5 * (step->v[i] + step->v0[i]);
    l->report->dissipated += step->dt * force->dof_damping[i] * mean * mean;
  }
  for (int a = 0; a < force->num_actuators; a++) {
    if (step->sim->plan.is_servo[a]) continue;
    double mean = 0.5 * (cr_force_find_driven_rate(force, a, step->v) +
                         cr_force_find_driven_rate(force, a, step->v0));
    double f = cr_force_compute_actuation(force, a, step->sim->ctrl[a],
                                          cr_force_find_driven(force, a, step->q_mid), mean);
    l->report->actuator_work += step->dt * f * mean;
  }
  const cr_tendon_model* n = &force->tendon;
  for (int i = 0; i < n->num_tendons; i++) {
    if (step->sim->plan.is_spring[i]) continue;
    double mean =
        0.5 * (cr_tendon_compute_rate(n, i, step->v) + cr_tendon_compute_rate(n, i, step->v0));
    l->report->dissipated += step->dt * n->damping[i] * mean * mean;
  }
}

/* Dampers between points, the fluid, and what bears weight, likewise. */
static void add_spring_work(ledger* l) {
  cr_step* step = l->step;
  const cr_tree_model* model = &step->model->tree;
  const cr_force_model* force = &step->model->force;
  if (!force->num_springs && !force->fluid.num_parts && !step->model->body.num_compensated) return;
  for (int t = 0; t < model->num_trees; t++) {
    cr_step_blend(step, t, 0.5, step->v, step->v0, step->work);
    cr_tree_update_velocities(model, t, &step->kinematics, step->work, &step->velocities);
  }
  l->report->dissipated += step->dt * cr_external_compute_damping_power(
                                          step->model, &step->kinematics, &step->velocities);
  l->report->dissipated +=
      step->dt * cr_external_compute_fluid_power(step->model, &step->kinematics, &step->velocities);
  l->report->actuator_work += step->dt * cr_external_compute_compensation_power(
                                             step->model, &step->kinematics, &step->velocities);
}

/* --- All ----------------------------------------------------------------------------------------
 */

/* What a constraint leaves for the next step. */
static cr_contact_record make_record(const cr_step* step, const cr_touches* touches,
                                     const cr_step_problem* problem, int place) {
  const cr_constraint* c = &problem->constraints[problem->order[place]];
  cr_contact_record record = {.key = c->key, .is_hit = c->is_hit};
  if (c->touch < 0) {
    record.impulse[0] = problem->gamma[problem->problem.row[place]];
    return record;
  }
  const cr_touch* t = &touches->items[c->touch];
  v3 impulse = world_impulse(problem, place, t);
  v3_store(impulse, record.impulse);
  const cr_anchor* anchor = anchor_of(problem, place);
  if (anchor)
    cr_anchor_store(step, t, cr_anchor_compute_stretch(anchor, t, step->dt, impulse), &record);
  return record;
}

static bool write_records(cr_step* step, const cr_touches* touches,
                          const cr_step_problem* problem) {
  carom_sim* sim = step->sim;
  if (!cr_contact_memory_start(&sim->next, &sim->allocator, problem->num_constraints, step->dt))
    return false;
  for (int i = 0; i < problem->num_constraints; i++) {
    cr_contact_record record = make_record(step, touches, problem, i);
    cr_contact_memory_add(&sim->next, &record);
  }
  cr_contact_memory_sort(&sim->next);
  return true;
}

bool cr_account_guess(cr_step* step, const cr_touches* touches, const cr_step_problem* problem) {
  step->guess = &step->sim->next;
  return write_records(step, touches, problem);
}

bool cr_account_reserve_contacts(carom_sim* sim, int wanted) {
  sim->num_contacts = 0;
  if (wanted <= sim->capacity_contacts) return true;
  int capacity = wanted + wanted / 2 + 16;
  carom_contact* contacts = cr_alloc(&sim->allocator, sizeof(carom_contact) * (size_t)capacity);
  if (!contacts) return false;
  cr_release(&sim->allocator, sim->contacts,
             sizeof(carom_contact) * (size_t)sim->capacity_contacts);
  sim->contacts = contacts;
  sim->capacity_contacts = capacity;
  return true;
}

static void account_contact(ledger* l, int place, const cr_constraint* c) {
  const cr_touch* t = &l->touches->items[c->touch];
  v3 impulse = world_impulse(l->problem, place, t);
  bool second = l->problem->problem.kind[place] == CR_LAW_BOUNDS && t->condim >= 3;
  if (second)
    complete_contact(l, t, impulse);
  else
    write_contact(l, place, t, impulse);
}

bool cr_account_step(cr_step* step, const cr_touches* touches, const cr_step_problem* problem,
                     const double* v_c, carom_step_report* report, double* contact_energy) {
  ledger l = {step, touches, problem, v_c, report, 0, 0};
  l.least = find_least(&l);
  if (!cr_account_reserve_contacts(step->sim, problem->num_constraints) ||
      !write_records(step, touches, problem))
    return false;
  add_joint_work(&l);
  for (int k = 0; k < step->model->soft.num_parts; k++)
    report->dissipated += cr_soft_compute_loss(step, &step->soft[k]);
  add_spring_work(&l);
  for (int i = 0; i < problem->num_constraints; i++) {
    const cr_constraint* c = &problem->constraints[problem->order[i]];
    if (c->touch >= 0) account_contact(&l, i, c);
    add_work(&l, i, c);
  }
  report->contacts = step->sim->num_contacts;
  report->constraints = problem->num_constraints;
  report->dissipated -= l.energy - step->sim->contact_energy;
  *contact_energy = l.energy;
  return true;
}
