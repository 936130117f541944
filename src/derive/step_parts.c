/* The step under a look: in one part, or in parts where it fails or a body would go through what it
 * touches, x1 = f_n(… f_1(x0)). Forwards the parts are differentiated as they are taken; backwards
 * each is taken again, to the same bits, from the last to the first. A part goes on with what the
 * one before it has found: that is held. */
#include "base/alloc.h"
#include "base/copy.h"
#include "base/error.h"
#include "derive/central_path.h"
#include "derive/step_tangent.h"
#include "sim/state.h"
#include "sim/step/observer.h"

#include <math.h>
#include <string.h>

/* The state before a part. */
typedef struct part_start {
  cr_attempt how;
  void* state; /* of so many bytes */
  size_t size;
} part_start;

typedef struct look {
  const cr_derivation* how;
  const carom_allocator* allocator;
  carom_error* error;
  carom_status status;
  cr_attempt at;      /* the part at hand */
  int accepted;       /* parts that were */
  bool is_replay;     /* they are taken again */
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
    t->num_held += is_kept || isfinite(memory->records[i].slip[0]);
}

/* Keeps aside what the step has come to while it is placed elsewhere. */
static carom_status derive(const look* l, cr_step_tangent* t, const cr_contact_set* set,
                           const cr_step_problem* problem) {
  cr_step* step = t->step;
  size_t num_v = (size_t)step->model->num_v;
  double* const live[] = {step->q_mid, step->v_q, step->v, problem->gamma};
  const size_t count[] = {(size_t)step->model->num_q, num_v, num_v,
                          (size_t)problem->problem.num_rows};
  double* kept[4];
  CR_TRY(cr_derive_check(t));
  for (int i = 0; i < 4; i++) kept[i] = CR_PUSH(t->arena, double, count[i]);
  t->q_end = CR_PUSH(t->arena, double, count[0]);
  if (t->arena->failed) return cr_error_memory(t->error);
  int num = count[3] > 0 ? 4 : 3; /* without constraints there is no γ */
  for (int i = 0; i < num; i++) CR_COPY(kept[i], live[i], count[i]);
  CR_COPY(t->q_end, step->q_mid, count[0]);
  count_held(t);
  t->num_held += problem->num_relaxed;
  carom_status status = cr_central_path_take(t, problem);
  if (status == CAROM_OK) status = l->how->derive(l->how->data, t, set, problem);
  for (int i = 0; i < num; i++) CR_COPY(live[i], kept[i], count[i]);
  return status;
}

static cr_result look_at(void* data, cr_step* step, const cr_contact_set* set,
                         const cr_step_problem* problem) {
  look* l = data;
  l->accepted++;
  bool waits = l->how->is_backwards && l->at.parts > 1 && !l->is_replay;
  if (l->status != CAROM_OK || waits) return CR_DONE;
  cr_step_tangent t = {.step = step,
                       .arena = step->arena,
                       .error = l->error,
                       .smoothing = l->how->smoothing,
                       .forces = l->how->forces,
                       .memory = l->at.parts > 1 ? NULL : l->how->memory, /* it is held */
                       .part = l->at.part,
                       .parts = l->at.parts,
                       .carry = l->carry,
                       .num_kinks = l->num_kinks,
                       .num_held = l->num_held,
                       .nearest_kink = l->nearest_kink,
                       .kink_speed = l->kink_speed};
  if (l->at.is_retry && t.part == 0) cr_step_tangent_mark_kink(&t, 0);
  l->status = derive(l, &t, set, problem);
  l->num_kinks = t.num_kinks, l->num_held = t.num_held;
  l->nearest_kink = t.nearest_kink, l->kink_speed = t.kink_speed;
  return CR_DONE;
}

/* --- Parts --------------------------------------------------------------------------------------
 */

static void start_anew(look* l) {
  l->status = CAROM_OK;
  l->num_kinks = l->num_held = l->accepted = 0;
  l->nearest_kink = l->kink_speed = INFINITY;
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

static bool begin(void* data, const carom_sim* sim, const cr_attempt* how) {
  look* l = data;
  l->at = *how;
  if (l->is_replay) return true;
  if (how->part == 0) start_anew(l);
  return !(l->how->is_backwards && how->parts > 1) || keep_start(l, sim);
}

/* Takes the parts again, from the last one. */
static carom_status finish(void* data, carom_sim* sim) {
  look* l = data;
  int parts = l->at.parts, num_x = carom_model_get_num_x(sim->model);
  if (!l->how->is_backwards || parts == 1 || l->accepted != parts) return CAROM_OK;
  l->carry = cr_alloc(l->allocator, sizeof *l->carry * (size_t)(num_x + 1));
  if (!l->carry) return CAROM_ERROR_OUT_OF_MEMORY;
  l->is_replay = true;
  for (int k = parts - 1; k >= 0 && l->status == CAROM_OK; k--) {
    carom_step_report report;
    CR_TRY(cr_sim_take_up(sim, l->starts[k].state, NULL));
    CR_TRY(cr_step_attempt(sim, &l->starts[k].how, &report));
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
  look l = {.how = how, .allocator = &sim->allocator, .error = error};
  cr_step_observer observer = {.begin = begin,
                               .look = look_at,
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
