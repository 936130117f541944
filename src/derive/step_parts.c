/* The step under a look: in one part, or in parts where it fails or a body would go through what it
 * touches, x1 = f_n(… f_1(x0)). Forwards the parts are differentiated as they are taken; backwards
 * each is taken again, to the same bits, from the last to the first. A part goes on with what the
 * one before it has found: that is held. A part that is linearised anew at solutions is so, too,
 * v = f_k(x0, v_lin) in turn, and so is one whose recovery a solution slows, v = f_k(x0, shares).
 */
#include "base/alloc.h"
#include "base/copy.h"
#include "base/error.h"
#include "derive/central_path.h"
#include "derive/constraint_state.h"
#include "derive/step_tangent.h"
#include "sim/soft/soft_step.h"
#include "sim/state.h"
#include "sim/step/observer.h"

#include <math.h>
#include <string.h>

#define FINAL (-1)

/* The state before a part. */
typedef struct part_start {
  cr_attempt how;
  void* state; /* of so many bytes */
  size_t size;
} part_start;

/* Solutions of a part that others have followed from, so far. */
typedef struct solutions {
  int count;      /* how many there were */
  int last;       /* the last one that has led on, -1: none has; */
  int linearised; /* how often the step had been linearised anew at the last one of these, -1, */
  int before;     /* and what was the last one then */
  int softer;     /* how many since have slowed recovery */
} solutions;

static solutions no_solutions(void) { return (solutions){0, -1, -1, -1, 0}; }

typedef struct look {
  const cr_derivation* how;
  const carom_allocator* allocator;
  carom_error* error;
  carom_status status;
  cr_attempt at;      /* the part at hand */
  int accepted;       /* parts that were */
  bool is_replay;     /* they are taken again */
  int wanted;         /* then: which solution is, FINAL: the last one, */
  bool is_found;      /* and it has come; */
  int next;           /* which is wanted next, those before it from the last on, -1: none */
  solutions at_hand;  /* of the part */
  part_start* starts; /* [capacity] of parts that are pulled back */
  int capacity;
  double* carry; /* [num_x] */
  int num_kinks, num_held;
  double nearest_kink, kink_speed;
} look;

/* --- A part -------------------------------------------------------------------------------------
 */

/* What the part before has found and this one goes on with: what constraints did, and how contacts
 * moved. */
static void count_held(cr_step_tangent* t) {
  const cr_step* step = t->step;
  const cr_contact_memory* memory = &step->sim->memory;
  carom_friction friction = step->sim->def.friction;
  bool is_kept = friction == CAROM_FRICTION_ANCHORED || friction == CAROM_FRICTION_LAGGED;
  if (t->part == 0) return;
  for (int i = 0; i < step->model->tree.num_trees; i++) t->num_held += step->carries[i];
  for (int i = 0; i < memory->count; i++)
    t->num_held +=
        is_kept || isfinite(memory->records[i].slip[0]) || memory->records[i].recovery < 1;
}

/* Movers of the problem where the step is linearised at a solution. */
static bool find_at_solution(cr_step_tangent* t, const cr_step_problem* problem) {
  const cr_step* step = t->step;
  bool* is_at = CR_PUSH(t->arena, bool, step->model->num_movers);
  if (t->arena->failed) return false;
  for (int i = 0; i < step->model->num_movers; i++) is_at[i] = false;
  for (int k = 0; problem->problem.num_constraints > 0 && k < problem->blocks.num_movers; k++)
    is_at[problem->blocks.movers[k]] = true;
  t->is_at_solution = is_at;
  return true;
}

/* There v_lin stands for v*. */
static void take_solutions(const cr_step_tangent* t) {
  const carom_model* m = t->step->model;
  for (int k = 0; k < m->num_movers; k++) {
    bool is_tree = k < m->tree.num_trees;
    const cr_step_soft* soft = is_tree ? NULL : &t->step->soft[k - m->tree.num_trees];
    int first = is_tree ? m->tree.tree_v_start[k] : soft->first_v;
    int end = is_tree ? m->tree.tree_v_start[k + 1] : first + 3 * soft->part->mesh.num_nodes;
    if (cr_step_tangent_is_at_solution(t, k))
      CR_COPY(t->step->v_star + first, t->step->v_lin + first, end - first);
  }
}

/* Where the step solved with iterations, the factor of its matrix. */
static carom_status factor_A(const cr_step_tangent* t, cr_step_problem* own) {
  cr_problem* p = &own->problem;
  if (p->num_constraints == 0 || !p->A_least) return CAROM_OK;
  if (!cr_symbolic_analyze(&p->pattern, CR_ORDERING_AUTO, t->arena, &own->A_symbolic))
    return cr_error_memory(t->error);
  double* factor = CR_PUSH(t->arena, double, own->A_symbolic.factor_size);
  double* scratch = CR_PUSH(t->arena, double, own->A_symbolic.scratch_size);
  if (t->arena->failed) return cr_error_memory(t->error);
  p->A_symbolic = &own->A_symbolic, p->A_factor = factor;
  cr_cholesky_load(p->A_symbolic, p->A, factor);
  if (cr_cholesky_factor(p->A_symbolic, factor, scratch) < 0) return CAROM_OK;
  return cr_error_set(t->error, CAROM_ERROR_NUMERICAL,
                      "derivatives: the step's matrix is not positive definite");
}

/* Keeps aside what the step has come to while it is placed elsewhere. */
static carom_status derive(const look* l, cr_step_tangent* t, const cr_contact_set* set,
                           const cr_step_problem* problem) {
  enum { KEPT = 5 };
  cr_step* step = t->step;
  size_t num_v = (size_t)step->model->num_v;
  double* const live[] = {step->q_mid, step->v_q, step->v, step->v_star, problem->gamma};
  const size_t count[] = {(size_t)step->model->num_q, num_v, num_v, num_v,
                          (size_t)problem->problem.num_rows};
  double* kept[KEPT];
  for (int i = 0; i < KEPT; i++) kept[i] = CR_PUSH(t->arena, double, count[i]);
  t->q_end = CR_PUSH(t->arena, double, count[0]);
  if (t->arena->failed || (step->relinearised > 0 && !find_at_solution(t, problem)))
    return cr_error_memory(t->error);
  int num = count[KEPT - 1] > 0 ? KEPT : KEPT - 1; /* without constraints there is no γ */
  for (int i = 0; i < num; i++) CR_COPY(kept[i], live[i], count[i]);
  CR_COPY(t->q_end, step->q_mid, count[0]);
  count_held(t);
  t->num_held += problem->num_relaxed;
  cr_step_problem own = *problem;
  carom_status status = factor_A(t, &own);
  if (status == CAROM_OK) status = cr_central_path_take(t, &own);
  take_solutions(t);
  if (status == CAROM_OK) status = l->how->derive(l->how->data, t, set, &own);
  for (int i = 0; i < num; i++) CR_COPY(live[i], kept[i], count[i]);
  return status;
}

/* Adds the derivative of a solution of the part.
 * @param onward what follows from it; null: it is the last one */
static void look_once(look* l, cr_step* step, const cr_contact_set* set,
                      const cr_step_problem* problem, const cr_onward* onward) {
  bool is_passed = onward != NULL;
  cr_memory_cotangents begun;
  cr_memory_cotangents* memory = l->at.parts > 1 ? NULL : l->how->memory; /* it is held */
  if (memory && is_passed) begun = (cr_memory_cotangents){.begun = memory->begun};
  cr_step_tangent t = {.step = step,
                       .arena = step->arena,
                       .error = l->error,
                       .smoothing = l->how->smoothing,
                       .forces = is_passed ? NULL : l->how->forces,
                       .memory = memory && is_passed ? &begun : memory,
                       .is_first = l->at_hand.last < 0,
                       .is_passed = is_passed,
                       .is_softer = is_passed && *onward == CR_ONWARD_SOFTER,
                       .part = l->at.part,
                       .parts = l->at.parts,
                       .carry = l->carry,
                       .num_kinks = l->num_kinks,
                       .num_held = l->num_held,
                       .nearest_kink = l->nearest_kink,
                       .kink_speed = l->kink_speed};
  if (l->at.is_retry && t.part == 0 && !is_passed) cr_step_tangent_mark_kink(&t, 0);
  l->status = derive(l, &t, set, problem);
  l->num_kinks = t.num_kinks, l->num_held = t.num_held;
  l->nearest_kink = t.nearest_kink, l->kink_speed = t.kink_speed;
}

static bool reserve_starts(look* l, int count) {
  if (count <= l->capacity) return true;
  size_t old = sizeof *l->starts * (size_t)l->capacity, size = sizeof *l->starts * (size_t)count;
  part_start* starts = cr_realloc(l->allocator, l->starts, old, size);
  if (!starts) return false;
  for (int i = l->capacity; i < count; i++) starts[i] = (part_start){.size = 0};
  l->starts = starts, l->capacity = count;
  return true;
}

static bool keep_start(look* l, const carom_sim* sim) {
  size_t size = carom_sim_state_size(sim);
  if (!reserve_starts(l, l->at.parts)) return false;
  part_start* start = &l->starts[l->at.part];
  if (size > start->size) {
    cr_release(l->allocator, start->state, start->size);
    start->state = cr_alloc(l->allocator, size);
    start->size = start->state ? size : 0;
  }
  if (!start->state) return false;
  start->how = l->at;
  cr_sim_put_away(sim, start->state);
  return true;
}

/* A linearisation that has not led on is left behind, with what has followed from it. */
static void go_back(look* l, const cr_step* step) {
  solutions* s = &l->at_hand;
  if (step->relinearised > s->linearised) return;
  l->num_held += l->is_replay ? 0 : s->softer; /* shares that were handed on there */
  s->last = s->before, s->linearised = step->relinearised - 1, s->softer = 0;
}

static cr_result look_at(void* data, cr_step* step, const cr_contact_set* set,
                         const cr_step_problem* problem) {
  look* l = data;
  l->accepted++;
  go_back(l, step);
  bool waits = l->how->is_backwards && l->at.parts > 1 && !l->is_replay;
  if (l->wanted != FINAL) return CR_DONE;
  if (l->status == CAROM_OK && !waits) look_once(l, step, set, problem, NULL);
  l->is_found = true, l->next = l->at_hand.last;
  return CR_DONE;
}

static void count_solution(solutions* s, const cr_step* step, bool is_softer) {
  if (!is_softer) s->before = s->last, s->linearised = step->relinearised;
  s->softer = is_softer ? s->softer + 1 : 0;
  s->last = s->count++;
}

static cr_result pass(void* data, cr_step* step, const cr_contact_set* set,
                      const cr_step_problem* problem, cr_onward onward) {
  look* l = data;
  bool is_softer = onward == CR_ONWARD_SOFTER, is_backwards = l->how->is_backwards;
  bool is_wanted = !is_backwards || l->wanted == l->at_hand.count;
  bool is_start = l->at_hand.count == 0 && l->at.parts == 1 && !l->is_replay;
  bool is_held = onward == CR_ONWARD_ANEW || (is_softer && l->how->smoothing > 0);
  go_back(l, step);
  l->num_held += is_held && !l->is_replay;
  if (is_held) return CR_DONE;
  if (is_backwards && is_start && !keep_start(l, step->sim)) return CR_NO_MEMORY;
  if (l->status == CAROM_OK && is_wanted) look_once(l, step, set, problem, &onward);
  if (is_backwards && is_wanted) l->is_found = true, l->next = l->at_hand.last;
  count_solution(&l->at_hand, step, is_softer);
  return CR_DONE;
}

/* --- Parts --------------------------------------------------------------------------------------
 */

static void start_anew(look* l) {
  l->status = CAROM_OK;
  l->num_kinks = l->num_held = l->accepted = 0;
  l->nearest_kink = l->kink_speed = INFINITY;
}

static bool begin(void* data, const carom_sim* sim, const cr_attempt* how) {
  look* l = data;
  l->at = *how, l->at_hand = no_solutions();
  if (l->is_replay) return true;
  if (how->part == 0) start_anew(l);
  return !l->how->is_backwards || how->parts == 1 || keep_start(l, sim);
}

static carom_status take_again(look* l, carom_sim* sim, int part, int wanted) {
  carom_step_report report;
  l->wanted = wanted, l->is_found = false;
  CR_TRY(cr_sim_take_up(sim, l->starts[part].state, NULL));
  CR_TRY(cr_step_attempt(sim, &l->starts[part].how, &report));
  if (!l->is_found)
    l->status = cr_error_set(l->error, CAROM_ERROR_NUMERICAL,
                             "derivatives: the step was not taken again as it had been");
  return CAROM_OK;
}

/* Takes the parts again, from the last one, each as often as solutions have led to its last. */
static carom_status finish(void* data, carom_sim* sim) {
  look* l = data;
  int parts = l->at.parts, num_x = carom_model_get_num_x(sim->model);
  bool is_again = parts > 1 || l->next >= 0;
  if (!l->how->is_backwards || !is_again || l->accepted != parts) return CAROM_OK;
  l->carry = cr_alloc(l->allocator, sizeof *l->carry * (size_t)(num_x + 1));
  if (!l->carry) return CAROM_ERROR_OUT_OF_MEMORY;
  l->is_replay = true;
  for (int k = parts - 1; k >= 0; k--) {
    if (parts > 1 && l->status == CAROM_OK) CR_TRY(take_again(l, sim, k, FINAL));
    while (l->next >= 0 && l->status == CAROM_OK) CR_TRY(take_again(l, sim, k, l->next));
  }
  l->accepted = parts;
  return CAROM_OK;
}

static void release(look* l, const carom_model* model) {
  for (int i = 0; i < l->capacity; i++)
    cr_release(l->allocator, l->starts[i].state, l->starts[i].size);
  cr_release(l->allocator, l->starts, sizeof *l->starts * (size_t)l->capacity);
  size_t num_x = (size_t)carom_model_get_num_x(model);
  if (l->carry) cr_release(l->allocator, l->carry, sizeof *l->carry * (num_x + 1));
}

static carom_status check_outcome(const look* l, const carom_step_report* report,
                                  carom_error* error) {
  if (report->outcome != CAROM_STEP_DONE)
    return cr_error_set(error, CAROM_ERROR_NUMERICAL,
                        "derivatives: the step fails, so that it has none");
  if (report->braked > 0)
    return cr_error_set(error, CAROM_ERROR_NUMERICAL,
                        "derivatives: there are none of a step that gains energy whichever way it "
                        "is taken, so that its velocities are braked");
  if (l->accepted == l->at.parts) return cr_error_clear(error);
  return cr_error_set(error, CAROM_ERROR_NUMERICAL,
                      "derivatives: %d of the step's %d parts were seen", l->accepted, l->at.parts);
}

carom_status cr_derive_step(carom_sim* sim, const cr_derivation* how, carom_error* error) {
  look l = {.how = how, .allocator = &sim->allocator, .error = error, .wanted = FINAL, .next = -1};
  cr_step_observer observer = {.begin = begin,
                               .look = look_at,
                               .pass = pass,
                               .finish = finish,
                               .data = &l,
                               .ahead = CR_CENTRAL_REACH * how->smoothing};
  carom_step_report report;
  carom_error of_step;
  if (!(how->smoothing >= 0 && isfinite(how->smoothing)))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "derivatives: smoothing is %g m/s, must be a speed, or 0 for none",
                        how->smoothing);
  carom_status status = cr_sim_observe_step(sim, &observer, &report, &of_step);
  release(&l, sim->model);
  if (status != CAROM_OK) return cr_error_set(error, status, "%s", of_step.message);
  return l.status != CAROM_OK ? l.status : check_outcome(&l, &report, error);
}
