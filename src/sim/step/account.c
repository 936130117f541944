/* Book-keeping of a step: records for the warm start, the user's contacts, slip, float, and the
 * work of impulses (gamma . mean velocity of the step) and of dampers and actuators. */
#include "sim/step/account.h"

#include "math/scalar.h"
#include "sim/mover.h"
#include "sim/rows/contact_rows.h"
#include "sim/rows/recovery.h"
#include "sim/sleep.h"
#include "sim/step/energy_watch.h"
#include "sim/step/settle.h"

#include <math.h>
#include <string.h>

/* A cone is sticking when its impulse is inside by this share. */
#define STICK_SHARE 1e-9

/* Normal impulses below this share of the step's largest are round-off: nothing touches there. */
#define LEAST_SHARE 1e-12

/* What a contact's place transmits. */
typedef struct transmitted {
  cr_contact_impulse impulse;
  carom_contact_state state;
} transmitted;

typedef struct ledger {
  cr_step* step;
  const cr_contact_points* points;
  const cr_step_problem* problem;
  const double* v_c;
  carom_step_report* report;
  double least;       /* N s, normal impulses above it are contact */
  double fall;        /* m/s, what gravity gives in a step */
  double energy;      /* of compliant contacts */
  transmitted* found; /* [num_constraints] by place, of contacts */
  int* num_sticking;  /* [points] of each area, by its first point */
} ledger;

/* --- Contacts -----------------------------------------------------------------------------------
 */

static inline cr_contact_impulse sum_impulse(const cr_step_problem* problem, int place,
                                             const cr_contact_point* point) {
  const cr_problem* p = &problem->problem;
  uint32_t moment = problem->constraints[problem->order[place]].moment;
  return cr_contact_rows_sum(p->kind[place], moment, point, problem->gamma + p->row[place]);
}

static v3 world_impulse(const cr_step_problem* problem, int place, const cr_contact_point* point) {
  return sum_impulse(problem, place, point).force;
}

/* The normal impulse of a contact's place; 0 where it has none. */
static double find_normal_impulse(const cr_step_problem* problem, int place) {
  const cr_problem* p = &problem->problem;
  const cr_law* law = cr_law_get(p->kind[place]);
  bool has_normal = law->is_cone || (law->rows == 1 && p->parameter[2 * place] == 0);
  return has_normal ? problem->gamma[p->row[place] + law->rows - 1] : 0;
}

/* LEAST_SHARE of the largest normal impulse. */
static double find_least(const ledger* l) {
  double largest = 0;
  for (int i = 0; i < l->problem->problem.num_constraints; i++) {
    int point = l->problem->constraints[l->problem->order[i]].point;
    if (point < 0) continue;
    largest = scalar_max(find_normal_impulse(l->problem, i), largest);
  }
  return LEAST_SHARE * largest;
}

/* Friction counts its moments, each over its length, as the cone does. */
static carom_contact_state classify(const ledger* l, const cr_contact_point* point,
                                    const cr_contact_impulse* impulse) {
  double normal = v3_dot(impulse->force, point->normal);
  double tangential = v3_norm(v3_axpy(impulse->force, -normal, point->normal));
  if (point->condim > 3) {
    double twist = v3_dot(impulse->moment, point->normal);
    v3 roll = v3_axpy(impulse->moment, -twist, point->normal);
    double rolling = point->condim == 6 ? v3_norm(roll) / point->extra->length[1] : 0;
    tangential = hypot(tangential, hypot(twist / point->extra->length[0], rolling));
  }
  if (normal <= l->least) return CAROM_SEPARATED;
  if (point->condim < 3) return CAROM_SLIDING;
  bool inside = tangential <= (1 - STICK_SHARE) * point->friction * normal;
  return inside ? CAROM_STICKING : CAROM_SLIDING;
}

/* What all contacts transmit. False when memory ran out. */
static bool find_transmitted(ledger* l) {
  const cr_step_problem* problem = l->problem;
  l->found = CR_SCRATCH(l->step->arena, transmitted, problem->num_constraints);
  l->num_sticking = CR_SCRATCH(l->step->arena, int, l->points->count);
  if (l->step->arena->failed) return false;
  memset(l->num_sticking, 0, sizeof(int) * (size_t)l->points->count);
  for (int i = 0; i < problem->num_constraints; i++) {
    int index = problem->constraints[problem->order[i]].point;
    if (index < 0) continue;
    const cr_contact_point* point = &l->points->items[index];
    l->found[i].impulse = sum_impulse(problem, i, point);
    l->found[i].state = classify(l, point, &l->found[i].impulse);
    if (point->is_area) l->num_sticking[point->first] += l->found[i].state == CAROM_STICKING;
  }
  return true;
}

/* The anchor of a place; null where nothing gives way. */
static const cr_anchor* anchor_of(const cr_step_problem* problem, int place) {
  if (!problem->anchors || !cr_law_get(problem->problem.kind[place])->is_cone) return NULL;
  const cr_anchor* anchor = &problem->anchors[place];
  return isfinite(anchor->stiffness) ? anchor : NULL;
}

/* Displacement of the anchor at the end of the step. */
static v3 stretch_of(const ledger* l, int place, const cr_contact_point* point) {
  v3 gamma = world_impulse(l->problem, place, point);
  return cr_anchor_compute_stretch(anchor_of(l->problem, place), point, l->step->dt, gamma);
}

static bool drifts(const cr_contact_point* point) { return point->extra && point->extra->drifts; }

static bool is_driven(const cr_contact_point* point) {
  return point->extra && point->extra->is_driven;
}

/* Velocity along the tangents at the end of the step, beside what surfaces move by, less the rate
 * at which an anchor gives way; frictionless rows do not know it. */
static double slip_of(const ledger* l, int place, const cr_contact_point* point) {
  if (l->problem->problem.kind[place] == CR_LAW_BOUNDS) return 0;
  const cr_anchor* anchor = anchor_of(l->problem, place);
  const double *at = l->v_c + l->problem->problem.row[place], *roll = l->problem->roll + 2 * place;
  const double v[2] = {at[0] - roll[0], at[1] - roll[1]};
  if (!anchor && !drifts(point) && !is_driven(point)) return scalar_norm2(v[0], v[1]);
  v3 given = v3_zero(), slip = v3_zero();
  if (anchor) given = v3_sub(stretch_of(l, place, point), anchor->stretch);
  for (int k = 0; k < 2; k++) {
    double own = drifts(point) ? v3_dot(point->extra->drift, point->tangent[k]) : 0;
    if (is_driven(point)) own += v3_dot(point->extra->motion, point->tangent[k]);
    slip = v3_axpy(slip, v[k] + own, point->tangent[k]);
  }
  return v3_norm(v3_axpy(slip, -1 / l->step->dt, given));
}

/* The impulse less what the slip asks for leaves the cone: the contact slides, although a solution
 * to the tolerance may leave its impulse a little inside. */
static bool is_pulled_out(const ledger* l, int place, const cr_contact_point* point) {
  const cr_problem* p = &l->problem->problem;
  const cr_law* law = cr_law_get(p->kind[place]);
  if (!law->is_cone) return false;
  int row = p->row[place], n = law->rows - 1;
  const double *gamma = l->problem->gamma + row, *v = l->v_c + row, *R = p->R + row;
  const double* v_hat = p->v_hat + row;
  const double* W = l->problem->W + p->ld * row;
  double rho = 2 / (W[0] + W[law->rows + 1]), sum = 0;
  for (int k = 0; k < n; k++) {
    double z = gamma[k] - rho * (v[k] - v_hat[k] + R[k] * gamma[k]);
    sum += z * z;
  }
  return sqrt(sum) > point->friction * gamma[n];
}

static void write_contact(ledger* l, int place, const cr_contact_point* point) {
  const cr_contact_impulse* impulse = &l->found[place].impulse;
  carom_contact* c = &l->step->sim->contacts[l->step->sim->num_contacts++];
  c->geom1 = point->geom[0], c->geom2 = point->geom[1], c->distance = point->distance;
  c->area = point->area, c->area_error = point->area_error;
  v3_store(point->position, c->position);
  v3_store(point->normal, c->normal);
  v3_store(impulse->force, c->impulse);
  v3_store(impulse->moment, c->moment);
  c->slip = slip_of(l, place, point);
  c->shared_force = l->problem->shared ? l->problem->shared[place] : 0;
  c->is_undetermined = c->shared_force != 0;
  c->state = l->found[place].state;
  if (c->state == CAROM_STICKING && is_pulled_out(l, place, point)) c->state = CAROM_SLIDING;
  carom_step_report* report = l->report;
  if (c->state != CAROM_SEPARATED) {
    report->penetration = scalar_max(-c->distance, report->penetration);
    report->patch_error = scalar_max(point->area_error, report->patch_error);
  }
  if (c->state == CAROM_STICKING) report->stick_slip = scalar_max(c->slip, report->stick_slip);
  bool floats = c->state == CAROM_SLIDING && l->step->sim->def.friction == CAROM_FRICTION_CONVEX;
  if (floats && point->condim >= 3) {
    double tau = isinf(point->stiffness) || isnan(point->dissipation) ? 0 : point->dissipation;
    double height = (l->step->dt + tau) * point->friction * c->slip;
    report->float_distance = scalar_max(height, report->float_distance);
  }
}

/* Lagged friction splits a contact in several places; those after the first complete it. */
static void complete_contact(ledger* l, const cr_contact_point* point,
                             const cr_contact_impulse* impulse) {
  carom_contact* c = &l->step->sim->contacts[l->step->sim->num_contacts - 1];
  cr_contact_impulse sum = {v3_add(v3_load(c->impulse), impulse->force),
                            v3_add(v3_load(c->moment), impulse->moment)};
  v3_store(sum.force, c->impulse);
  v3_store(sum.moment, c->moment);
  c->state = classify(l, point, &sum);
}

/* --- Work ---------------------------------------------------------------------------------------
 */

/* Distance of a row at the end of the step. */
static double end_distance(const ledger* l, const cr_constraint* c, int row) {
  cr_theta theta = c->theta;
  double dt = l->step->dt, push = c->extra ? c->extra->push : 0;
  double v0 = l->problem->v_c0[row] + push, lin = l->problem->v_c_lin[row] + push;
  double start = c->distance - theta.q * dt * (theta.vq * lin + (1 - theta.vq) * v0);
  return start + dt * (theta.vq * (l->v_c[row] + push) + (1 - theta.vq) * v0);
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

static bool rebounds(const cr_constraint* c) {
  return c->extra && c->is_hit && c->extra->restitution > 0;
}

/* An impact takes the step that positions advance with the new velocity in, where weight works
 * along that too: with g dt = v0 - v*, what (gamma - g dt / W) g dt / 2 adds is what makes energies
 * add up.
 * @param W of the normal row, 1/kg */
static double find_rebound_work(const ledger* l, int normal, double W) {
  double fall = l->problem->v_c0[normal] - l->problem->v_c_lin[normal];
  return 0.5 * (l->problem->gamma[normal] - fall / W) * fall;
}

/* Adds elastic energy, also to that of a tree, which keeps it while it sleeps. */
static void add_energy(ledger* l, const cr_constraint* c, double energy) {
  int tree = energy != 0 ? cr_settle_find_tree(l->step->sim, &c->key) : -1;
  l->energy += energy;
  if (tree >= 0) l->step->elastic[tree] += energy;
}

/* What the row's bias may give to what it pushes: the trees of both sides, kg, or what a mechanism
 * with a small lever arm makes of them, 1 / W. A one-sided row that lets bodies come nearer asks
 * for nothing. */
static inline void add_recovery(ledger* l, int place, const int rows, const cr_constraint* c) {
  const cr_step* step = l->step;
  const cr_problem* p = &l->problem->problem;
  int row = p->row[place];
  if (cr_recovery_is_equality(c)) return;
  double speed = 0, mass = 0, drift[CR_LAW_MAX_ROWS], own[CR_LAW_MAX_ROWS] = {0};
  const cr_contact_point* point = c->point >= 0 ? &l->points->items[c->point] : NULL;
  bool moves = point && (drifts(point) || is_driven(point));
  if (moves) cr_contact_rows_find_drift(p->kind[place], c->moment, point, drift);
  for (int k = 0; k < 2 && point && rows > 1; k++) own[k] = l->problem->roll[2 * place + k];
  bool is_one_sided = c->rule == CR_ROW_CONTACT && !c->moment && !moves;
  for (int k = 0; k < rows; k++) {
    double asked = p->v_hat[row + k] - (moves ? drift[k] : 0) - own[k];
    speed = scalar_max(is_one_sided && k == rows - 1 ? asked : fabs(asked), speed);
  }
  if (speed == 0) return;
  for (int k = 0; k < (point ? 2 : 1); k++) {
    int mover = point ? step->model->tree.link_tree[point->link[k]]
                      : cr_settle_find_tree(step->sim, &c->key);
    if (mover >= 0) mass += step->sim->plan.mass[mover];
  }
  double W = l->problem->W[p->ld * row + rows * rows - 1];
  if (W > 0) mass = scalar_max(1 / W, mass);
  l->step->recovery += cr_recovery_bound_energy(l->fall, speed, mass);
}

/* What drives a moving surface against the friction on it, or a body against what touches it. */
static double find_driven_work(const ledger* l, int place, const cr_constraint* c) {
  const cr_problem* p = &l->problem->problem;
  double drift[CR_LAW_MAX_ROWS], sum = 0;
  if (c->point < 0) return 0;
  if (!drifts(&l->points->items[c->point]) && !is_driven(&l->points->items[c->point])) return 0;
  int count =
      cr_contact_rows_find_drift(p->kind[place], c->moment, &l->points->items[c->point], drift);
  for (int k = 0; k < count; k++) sum += l->problem->gamma[p->row[place] + k] * drift[k];
  return sum;
}

static inline void add_work(ledger* l, int place, const int rows, const cr_constraint* c) {
  int row = l->problem->problem.row[place];
  double work = 0;
  for (int k = row; k < row + rows; k++)
    work += l->problem->gamma[k] * 0.5 * (l->v_c[k] + l->problem->v_c0[k]);
  double W = l->problem->W[l->problem->problem.ld * row + rows * rows - 1];
  if (rebounds(c)) work += find_rebound_work(l, row + rows - 1, W);
  if (c->rule == CR_ROW_ACTUATOR) {
    l->report->actuator_work += work;
  } else {
    double driven = find_driven_work(l, place, c);
    l->report->actuator_work += driven;
    l->report->dissipated -= work - driven;
    l->step->passive_work += work - driven;
    add_recovery(l, place, rows, c);
  }
  double energy = stored_energy(l, c, row + rows - 1, W);
  const cr_anchor* anchor = anchor_of(l->problem, place);
  if (anchor)
    energy += cr_anchor_compute_energy(anchor, stretch_of(l, place, &l->points->items[c->point]));
  add_energy(l, c, energy);
}

/* --- All ----------------------------------------------------------------------------------------
 */

static void start_record(const ledger* l, int place, cr_contact_record* record) {
  const cr_step_problem* problem = l->problem;
  const cr_constraint* c = &problem->constraints[problem->order[place]];
  record->key = c->key;
  for (int k = 0; k < 3; k++) record->impulse[k] = record->stretch[k] = record->place[k] = 0;
  record->link = 0, record->is_hit = c->is_hit;
  record->shared = problem->shared ? (unsigned)problem->shared[place] & INT32_MAX : 0;
  record->gap = 0, record->recovery = 1;
  v3_store(v3_nan(), record->slip);
}

/* Convex friction floats what slides, so that a contact pushes at a distance. What rebounds flies
 * on. */
static double find_gap(const ledger* l, const cr_constraint* c, int place) {
  const cr_problem* p = &l->problem->problem;
  int normal = p->row[place] + cr_law_get(p->kind[place])->rows - 1;
  if (!l->v_c || c->moment || c->rule != CR_ROW_CONTACT || rebounds(c)) return 0;
  if (!(l->problem->gamma[normal] > 0)) return 0;
  return scalar_max(end_distance(l, c, normal), 0);
}

/* Where two points of an area stick all do, although forces that are not unique may put some at the
 * edge of their cones. */
static bool sticks(const ledger* l, int place, const cr_contact_point* point) {
  carom_contact_state state = l->found[place].state;
  return state == CAROM_STICKING ||
         (state == CAROM_SLIDING && point->is_area && l->num_sticking[point->first] > 1);
}

/* Of a contact that sticks, J v along its tangents beside what surfaces move by, for the next step;
 * not known where an impact was looked at elsewhere in time, nor of bodies that move as prescribed,
 * whose velocities may jump from step to step. */
static v3 find_slip(const ledger* l, int place, const cr_contact_point* point) {
  const cr_constraint* c = &l->problem->constraints[l->problem->order[place]];
  bool is_regular = c->theta.q == l->step->sim->theta.q && !is_driven(point);
  if (!l->v_c || !is_regular || !cr_law_get(l->problem->problem.kind[place])->is_cone)
    return v3_nan();
  if (!sticks(l, place, point)) return v3_nan();
  const double* v = l->v_c + l->problem->problem.row[place];
  v3 slip = drifts(point) ? point->extra->drift : v3_zero();
  return v3_axpy(v3_axpy(slip, v[0], point->tangent[0]), v[1], point->tangent[1]);
}

/* What a constraint leaves for the next step. */
static void write_record(const ledger* l, int place, cr_contact_record* record) {
  const cr_step* step = l->step;
  const cr_step_problem* problem = l->problem;
  const cr_constraint* c = &problem->constraints[problem->order[place]];
  start_record(l, place, record);
  record->recovery = problem->recovery_share[place];
  if (c->point < 0) {
    record->impulse[0] = problem->gamma[problem->problem.row[place]];
    return;
  }
  const cr_contact_point* point = &l->points->items[c->point];
  const cr_contact_impulse* sum = &l->found[place].impulse;
  record->gap = find_gap(l, c, place);
  v3 impulse = c->moment ? sum->moment : sum->force;
  v3_store(impulse, record->impulse);
  v3_store(find_slip(l, place, point), record->slip);
  const cr_anchor* anchor = anchor_of(problem, place);
  if (anchor)
    cr_anchor_store(step, point, cr_anchor_compute_stretch(anchor, point, step->dt, impulse),
                    record);
}

/* A cone that transmits moments besides its force. */
static bool has_moments(const cr_step_problem* problem, int place) {
  int kind = problem->problem.kind[place];
  return kind == CR_LAW_CONTACT4 || kind == CR_LAW_CONTACT6;
}

/* The moments of such a cone. */
static void write_moment_record(const ledger* l, int place, cr_contact_record* record) {
  start_record(l, place, record);
  record->key.moment = 1, record->is_hit = false;
  v3_store(l->found[place].impulse.moment, record->impulse);
}

/* In the order in which the constraints were found, which is nearly that of their keys. */
static void add_records(const ledger* l, int* place_of) {
  const cr_step_problem* problem = l->problem;
  carom_sim* sim = l->step->sim;
  bool plain = l->step->model->contact.is_plain;
  for (int i = 0; i < problem->num_constraints; i++) place_of[problem->order[i]] = i;
  for (int i = 0; i < problem->num_constraints; i++) {
    int place = place_of[i];
    write_record(l, place, cr_contact_memory_append(&sim->next));
    if (plain || !has_moments(problem, place)) continue;
    write_moment_record(l, place, cr_contact_memory_append(&sim->next));
  }
  cr_settle_keep_records(sim, &sim->next);
  cr_contact_memory_sort(&sim->next);
}

static bool write_records(const ledger* l) {
  cr_step* step = l->step;
  const cr_step_problem* problem = l->problem;
  carom_sim* sim = step->sim;
  int count = problem->num_constraints + cr_settle_count_records(sim);
  for (int i = 0; i < problem->num_constraints && !step->model->contact.is_plain; i++)
    count += has_moments(problem, i);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int* place_of = CR_SCRATCH(step->arena, int, problem->num_constraints);
  if (step->arena->failed || !cr_contact_memory_start(&sim->next, &sim->allocator, count, step->dt))
    return false;
  add_records(l, place_of);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

bool cr_account_guess(cr_step* step, const cr_contact_points* points,
                      const cr_step_problem* problem) {
  step->guess = &step->sim->next;
  ledger l = {.step = step, .points = points, .problem = problem};
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  bool done = find_transmitted(&l) && write_records(&l);
  cr_arena_pop_scratch(step->arena, mark);
  return done;
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
  const cr_contact_point* point = &l->points->items[c->point];
  bool later =
      c->moment || (l->problem->problem.kind[place] == CR_LAW_BOUNDS && point->condim >= 3);
  if (later)
    complete_contact(l, point, &l->found[place].impulse);
  else
    write_contact(l, place, point);
}

/* Contacts and elastic energy of what sleeps. */
static void add_sleeping(ledger* l) {
  carom_sim* sim = l->step->sim;
  for (int i = 0; i < sim->sleep.num_contacts; i++)
    sim->contacts[sim->num_contacts++] = sim->sleep.contacts[i];
  l->energy += cr_sleep_sum_energy(sim);
}

/* What all constraints do to the dofs, by the impulses of the step. */
static bool find_constraint_force(cr_step* step, const cr_step_problem* problem) {
  const cr_problem* p = &problem->problem;
  int num_v = step->model->num_v, n = p->pattern.num_rows;
  step->constraint_force = CR_PUSH(step->arena, double, num_v);
  if (step->arena->failed) return false;
  for (int i = 0; i < num_v; i++) step->constraint_force[i] = 0;
  if (problem->num_constraints == 0) return true;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* impulse = CR_SCRATCH(step->arena, double, n);
  double* scratch = CR_SCRATCH(step->arena, double, cr_problem_scratch_size(p));
  if (step->arena->failed) return false;
  for (int i = 0; i < n; i++) impulse[i] = 0;
  cr_problem_add_J_transposed(p, problem->gamma, impulse, scratch);
  for (int i = 0; i < n; i++) impulse[i] /= step->dt;
  cr_blocks_scatter(step, &problem->blocks, impulse, step->constraint_force);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* All constraints, and what sleeps. */
static bool account(ledger* l) {
  cr_step* step = l->step;
  const cr_step_problem* problem = l->problem;
  int num_trees = step->model->tree.num_trees, kept = step->sim->sleep.num_contacts;
  step->elastic = CR_PUSH(step->arena, double, num_trees);
  if (step->arena->failed ||
      !cr_account_reserve_contacts(step->sim, problem->num_constraints + kept) ||
      !write_records(l) || !cr_movers_find_reactions(step, l->points, problem) ||
      !find_constraint_force(step, problem))
    return false;
  for (int t = 0; t < num_trees; t++) step->elastic[t] = 0;
  if (problem->num_constraints > 0) step->recovery += problem->equality_recovery;
  if (!cr_movers_add_work(step, l->report)) return false;
  for (int i = 0; i < problem->num_constraints; i++) {
    const cr_constraint* c = &problem->constraints[problem->order[i]];
    if (c->point >= 0) account_contact(l, i, c);
    int rows = cr_law_get(problem->problem.kind[i])->rows;
    if (rows == 3) /* as most have, whose loops are unrolled */
      add_work(l, i, 3, c);
    else
      add_work(l, i, rows, c);
  }
  add_sleeping(l);
  return true;
}

bool cr_account_step(cr_step* step, const cr_contact_points* points, const cr_step_problem* problem,
                     const double* v_c, carom_step_report* report, double* contact_energy) {
  ledger l = {.step = step,
              .points = points,
              .problem = problem,
              .v_c = v_c,
              .report = report,
              .fall = cr_recovery_find_fall(step)};
  l.least = find_least(&l);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  if (!find_transmitted(&l) || !account(&l)) return false;
  cr_arena_pop_scratch(step->arena, mark);
  report->contacts = step->sim->num_contacts;
  report->constraints = problem->num_constraints;
  step->contact_gain = l.energy - step->sim->contact_energy;
  report->dissipated -= step->contact_gain;
  *contact_energy = l.energy;
  return true;
}
