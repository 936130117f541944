/* Book-keeping of a step: records for the warm start, the user's contacts, and the work of impulses
 * (gamma . mean velocity of the step) and of dampers and actuators. */
#include "sim/step/account.h"

#include "math/scalar.h"
#include "sim/contact/rolling.h"
#include "sim/mover.h"
#include "sim/rows/recovery.h"
#include "sim/sleep.h"
#include "sim/step/energy_watch.h"
#include "sim/step/ledger.h"
#include "sim/step/settle.h"

#include <math.h>
#include <string.h>

/* --- Work ---------------------------------------------------------------------------------------
 */

/* Distance of a row at the end of the step. */
static double end_distance(const cr_ledger* l, const cr_constraint* c, int row) {
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
static double stored_energy(const cr_ledger* l, const cr_constraint* c, int row, double W) {
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
static double find_rebound_work(const cr_ledger* l, int normal, double W) {
  double fall = l->problem->v_c0[normal] - l->problem->v_c_lin[normal];
  return 0.5 * (l->problem->gamma[normal] - fall / W) * fall;
}

/* Adds elastic energy, also to that of a tree, which keeps it while it sleeps; soft bodies do not
 * sleep. */
static void add_energy(cr_ledger* l, const cr_constraint* c, double energy) {
  int mover = energy != 0 ? cr_settle_find_mover(l->step->sim, &c->key) : -1;
  l->energy += energy;
  if (mover >= 0 && mover < l->step->model->tree.num_trees) l->step->elastic[mover] += energy;
}

/* What the row's bias may give to what it pushes: the trees of both sides, kg, or what a mechanism
 * with a small lever arm makes of them, 1 / W. A one-sided row that lets bodies come nearer asks
 * for nothing. */
static inline void add_recovery(cr_ledger* l, int place, const int rows, const cr_constraint* c) {
  const cr_step* step = l->step;
  const cr_problem* p = &l->problem->problem;
  int row = p->row[place];
  if (cr_recovery_is_equality(c)) return;
  double speed = 0, mass = 0, drift[CR_LAW_MAX_ROWS], own[CR_LAW_MAX_ROWS] = {0};
  const cr_contact_point* point = c->point >= 0 ? &l->points->items[c->point] : NULL;
  bool moves = point && (cr_ledger_drifts(point) || cr_ledger_is_driven(point));
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
                      : cr_settle_find_mover(step->sim, &c->key);
    if (mover >= 0) mass += step->sim->plan.mass[mover];
  }
  double W = l->problem->W[p->ld * row + rows * rows - 1];
  if (W > 0) mass = scalar_max(1 / W, mass);
  l->step->recovery += cr_recovery_bound_energy(l->fall, speed, mass);
}

/* What drives a moving surface against the friction on it, or a body against what touches it. */
static double find_driven_work(const cr_ledger* l, int place, const cr_constraint* c) {
  const cr_problem* p = &l->problem->problem;
  double drift[CR_LAW_MAX_ROWS], sum = 0;
  if (c->point < 0) return 0;
  if (!cr_ledger_drifts(&l->points->items[c->point]) &&
      !cr_ledger_is_driven(&l->points->items[c->point]))
    return 0;
  int count =
      cr_contact_rows_find_drift(p->kind[place], c->moment, &l->points->items[c->point], drift);
  for (int k = 0; k < count; k++) sum += l->problem->gamma[p->row[place] + k] * drift[k];
  return sum;
}

static inline void add_work(cr_ledger* l, int place, const int rows, const cr_constraint* c) {
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
  const cr_anchor* anchor = cr_ledger_anchor(l, place);
  if (anchor)
    energy += cr_anchor_compute_energy(
        anchor, cr_ledger_find_stretch(l, place, &l->points->items[c->point]));
  add_energy(l, c, energy);
}

/* --- All ----------------------------------------------------------------------------------------
 */

static void start_record(const cr_ledger* l, int place, cr_contact_record* record) {
  const cr_step_problem* problem = l->problem;
  const cr_constraint* c = &problem->constraints[problem->order[place]];
  record->key = c->key;
  for (int k = 0; k < 3; k++) record->impulse[k] = record->stretch[k] = record->place[k] = 0;
  record->link = 0, record->is_hit = c->is_hit;
  record->shared = problem->shared ? (unsigned)problem->shared[place] & INT32_MAX : 0;
  record->gap = 0, record->recovery = 1;
  v3_store(v3_nan(), record->slip);
  for (int k = 0; k < 2; k++) v3_store(v3_nan(), record->began[k]);
  record->rise = NAN;
}

/* Convex friction floats what slides, so that a contact pushes at a distance. What rebounds flies
 * on. */
static double find_gap(const cr_ledger* l, const cr_constraint* c, int place) {
  const cr_problem* p = &l->problem->problem;
  int normal = p->row[place] + cr_law_get(p->kind[place])->rows - 1;
  if (!l->v_c || c->moment || c->rule != CR_ROW_CONTACT || rebounds(c)) return 0;
  if (!(l->problem->gamma[normal] > 0)) return 0;
  return scalar_max(end_distance(l, c, normal), 0);
}

/* Where two points of an area stick all do, although forces that are not unique may put some at the
 * edge of their cones. */
static bool sticks(const cr_ledger* l, int place, const cr_contact_point* point) {
  carom_contact_state state = l->found[place].state;
  return state == CAROM_STICKING ||
         (state == CAROM_SLIDING && point->is_area && l->num_sticking[point->first] > 1);
}

/* Of a contact that sticks, J v along its tangents beside what surfaces move by, for the next step;
 * not known where an impact was looked at elsewhere in time, nor of bodies that move as prescribed,
 * whose velocities may jump from step to step. */
static v3 find_slip(const cr_ledger* l, int place, const cr_contact_point* point) {
  const cr_constraint* c = &l->problem->constraints[l->problem->order[place]];
  bool is_regular = c->theta.q == l->step->sim->theta.q && !cr_ledger_is_driven(point);
  if (!l->v_c || !is_regular || !cr_law_get(l->problem->problem.kind[place])->is_cone)
    return v3_nan();
  if (!sticks(l, place, point)) return v3_nan();
  const double* v = l->v_c + l->problem->problem.row[place];
  v3 slip = cr_ledger_drifts(point) ? point->extra->drift : v3_zero();
  return v3_axpy(v3_axpy(slip, v[0], point->tangent[0]), v[1], point->tangent[1]);
}

static void write_slip(const cr_ledger* l, int place, const cr_contact_point* point,
                       cr_contact_record* record) {
  const cr_step_problem* problem = l->problem;
  int row = problem->problem.row[place], rows = cr_law_get(problem->problem.kind[place])->rows;
  v3 slip = find_slip(l, place, point);
  v3_store(slip, record->slip);
  if (isnan(slip.x)) return;
  record->rise = l->v_c[row + rows - 1];
  if (!point->record) return;
  v3_store(cr_rolling_find_start(point, problem->v_c0 + row, rows), record->began[0]);
  v3_store(v3_load(point->record->began[0]), record->began[1]);
}

/* What a constraint leaves for the next step. */
static void write_record(const cr_ledger* l, int place, cr_contact_record* record) {
  const cr_step* step = l->step;
  const cr_step_problem* problem = l->problem;
  const cr_constraint* c = &problem->constraints[problem->order[place]];
  start_record(l, place, record);
  record->recovery = problem->next_share[place];
  if (c->point < 0) {
    record->impulse[0] = problem->gamma[problem->problem.row[place]];
    return;
  }
  const cr_contact_point* point = &l->points->items[c->point];
  const cr_contact_impulse* sum = &l->found[place].impulse;
  record->gap = find_gap(l, c, place);
  v3 impulse = c->moment ? sum->moment : sum->force;
  v3_store(impulse, record->impulse);
  write_slip(l, place, point, record);
  const cr_anchor* anchor = cr_ledger_anchor(l, place);
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
static void write_moment_record(const cr_ledger* l, int place, cr_contact_record* record) {
  start_record(l, place, record);
  record->key.moment = 1, record->is_hit = false;
  v3_store(l->found[place].impulse.moment, record->impulse);
}

/* In the order in which the constraints were found, which is nearly that of their keys. */
static void add_records(const cr_ledger* l, int* place_of) {
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

static bool write_records(const cr_ledger* l) {
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
  cr_ledger l = {.step = step, .points = points, .problem = problem};
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  bool done = cr_ledger_find_transmitted(&l) && write_records(&l);
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

/* Contacts and elastic energy of what sleeps. */
static void add_sleeping(cr_ledger* l) {
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

/* See rolling.h: what each contact of a tree allows. */
static bool find_rolling(const cr_ledger* l) {
  cr_step* step = l->step;
  const cr_tree_model* tree = &step->model->tree;
  int count = tree->num_trees;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int* contacts = CR_SCRATCH(step->arena, int, count);
  step->rolls = CR_PUSH(step->arena, bool, count);
  if (step->arena->failed) return false;
  for (int t = 0; t < count; t++) {
    contacts[t] = 0;
    step->rolls[t] = cr_rolling_may_go_on(step, t);
  }
  for (int i = 0; i < l->problem->num_constraints; i++) {
    const cr_constraint* c = &l->problem->constraints[l->problem->order[i]];
    if (c->point < 0 || c->moment || l->found[i].state == CAROM_SEPARATED) continue;
    const cr_contact_point* point = &l->points->items[c->point];
    bool is_only = cr_rolling_find_point(l->points->items + point->first, point->count) == point;
    bool rolls = is_only && point->record && isfinite(point->record->began[1][0]) &&
                 !isnan(find_slip(l, i, point).x);
    for (int k = 0; k < 2; k++) {
      int t = point->link[k] < tree->num_links ? tree->link_tree[point->link[k]] : -1;
      if (t < 0) continue;
      contacts[t]++;
      step->rolls[t] &= rolls;
    }
  }
  for (int t = 0; t < count; t++) step->rolls[t] &= contacts[t] == 1;
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* All constraints, and what sleeps. */
static bool account(cr_ledger* l) {
  cr_step* step = l->step;
  const cr_step_problem* problem = l->problem;
  int num_trees = step->model->tree.num_trees, kept = step->sim->sleep.num_contacts;
  step->elastic = CR_PUSH(step->arena, double, num_trees);
  if (step->arena->failed ||
      !cr_account_reserve_contacts(step->sim, problem->num_constraints + kept) ||
      !write_records(l) || !find_rolling(l) ||
      !cr_movers_find_reactions(step, l->points, problem) || !find_constraint_force(step, problem))
    return false;
  for (int t = 0; t < num_trees; t++) step->elastic[t] = 0;
  if (problem->num_constraints > 0) step->recovery += problem->equality_recovery;
  if (!cr_movers_add_work(step, l->report)) return false;
  for (int i = 0; i < problem->num_constraints; i++) {
    const cr_constraint* c = &problem->constraints[problem->order[i]];
    if (c->point >= 0) cr_ledger_report_contact(l, i);
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
  cr_ledger l = {.step = step,
                 .points = points,
                 .problem = problem,
                 .v_c = v_c,
                 .report = report,
                 .fall = cr_recovery_find_fall(step)};
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  if (!cr_ledger_find_transmitted(&l) || !account(&l)) return false;
  cr_arena_pop_scratch(step->arena, mark);
  report->contacts = step->sim->num_contacts;
  report->constraints = problem->num_constraints;
  step->contact_gain = l.energy - step->sim->contact_energy;
  report->dissipated -= step->contact_gain;
  *contact_energy = l.energy;
  return true;
}
