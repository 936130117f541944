/* Steps that can be gone back: states of every so many steps and the controls of all are kept; on
 * the way back the steps of a stretch are taken again, to the same bits, and pulled back one by
 * one. */
#include "base/alloc.h"
#include "base/copy.h"
#include "base/error.h"
#include "derive/constraint_state.h"
#include "derive/parameters.h"
#include "sim/state.h"

#include <math.h>
#include <string.h>

/* A growing array of bytes. */
typedef struct bytes {
  char* items;
  size_t size, capacity;
} bytes;

struct carom_tape {
  carom_allocator allocator;
  carom_sim* sim;
  carom_tape_def def;
  carom_parameter* parameters;
  int num_thetas, num_steps;
  bytes states, starts;          /* one after the other; where each begins [kept] size_t */
  bytes ctrl;                    /* [num_steps, num_controls] */
  bytes stretch, stretch_starts; /* the same of a stretch at hand */
  bytes left, begun; /* cotangents of what contacts remember behind and before the step at hand */
  bytes work;
};

static bool reserve(const carom_tape* tape, bytes* b, size_t more) {
  size_t capacity = b->size + more;
  if (capacity <= b->capacity) return true;
  if (capacity < 2 * b->capacity) capacity = 2 * b->capacity;
  char* items = cr_realloc(&tape->allocator, b->items, b->capacity, capacity);
  if (!items) return false;
  b->items = items, b->capacity = capacity;
  return true;
}

static bool append(const carom_tape* tape, bytes* b, const void* data, size_t size) {
  if (!reserve(tape, b, size)) return false;
  if (size > 0) memcpy(b->items + b->size, data, size);
  b->size += size;
  return true;
}

static bool append_state(const carom_tape* tape, bytes* states, bytes* starts) {
  size_t size = carom_sim_state_size(tape->sim), start = states->size;
  if (!reserve(tape, states, size) || !append(tape, starts, &start, sizeof start)) return false;
  cr_sim_put_away(tape->sim, states->items + start);
  states->size += size;
  return true;
}

static carom_status take_up(const carom_tape* tape, const bytes* states, const bytes* starts,
                            int index, carom_error* error) {
  size_t start;
  memcpy(&start, starts->items + (size_t)index * sizeof start, sizeof start);
  return cr_sim_take_up(tape->sim, states->items + start, error);
}

/* --- Recording ----------------------------------------------------------------------------------
 */

static size_t ctrl_size(const carom_tape* tape) {
  return sizeof(double) * (size_t)tape->sim->model->force.num_controls;
}

carom_status carom_tape_create(carom_sim* sim, const carom_tape_def* def, carom_tape** tape,
                               carom_error* error) {
  if (!sim || !tape)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "tape: an argument is null");
  *tape = NULL;
  carom_tape_def given = def ? *def : (carom_tape_def){.keep = 1};
  if (given.keep == 0) given.keep = 1;
  if (given.keep < 0 || given.num_parameters < 0)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "tape: keep is %d and num_parameters %d, must not be negative", given.keep,
                        given.num_parameters);
  carom_tape* made = cr_alloc_zero(&sim->allocator, sizeof *made);
  size_t size = sizeof *made->parameters * (size_t)given.num_parameters;
  if (made) made->parameters = cr_alloc(&sim->allocator, size);
  if (!made || !made->parameters) {
    cr_release(&sim->allocator, made, sizeof *made);
    return cr_error_memory(error);
  }
  if (size > 0) memcpy(made->parameters, given.parameters, size);
  made->allocator = sim->allocator, made->sim = sim, made->def = given,
  made->def.parameters = made->parameters;
  for (int i = 0; i < given.num_parameters; i++) made->num_thetas += made->parameters[i].count;
  *tape = made;
  return cr_error_clear(error);
}

void carom_tape_destroy(carom_tape* tape) {
  if (!tape) return;
  carom_allocator allocator = tape->allocator;
  bytes* all[] = {&tape->states,         &tape->starts, &tape->ctrl, &tape->stretch,
                  &tape->stretch_starts, &tape->work,   &tape->left, &tape->begun};
  for (int i = 0; i < 8; i++) cr_release(&allocator, all[i]->items, all[i]->capacity);
  cr_release(&allocator, tape->parameters,
             sizeof *tape->parameters * (size_t)tape->def.num_parameters);
  cr_release(&allocator, tape, sizeof *tape);
}

int carom_tape_get_num_steps(const carom_tape* tape) { return tape->num_steps; }

carom_status carom_tape_step(carom_tape* tape, carom_step_report* report, carom_error* error) {
  if (!tape) return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "tape: it is null");
  carom_sim_forget_motion(tape->sim); /* as the steps are that derivatives are of */
  if (tape->num_steps % tape->def.keep == 0 && !append_state(tape, &tape->states, &tape->starts))
    return cr_error_memory(error);
  if (!append(tape, &tape->ctrl, tape->sim->ctrl, ctrl_size(tape))) return cr_error_memory(error);
  tape->num_steps++;
  return carom_sim_step(tape->sim, report, error);
}

/* --- Back ---------------------------------------------------------------------------------------
 */

/* Puts back the controls of a step. */
static void put_controls(const carom_tape* tape, int step) {
  size_t size = ctrl_size(tape);
  if (size > 0) memcpy(tape->sim->ctrl, tape->ctrl.items + (size_t)step * size, size);
}

/* States before the steps [first, end). */
static carom_status fill_stretch(carom_tape* tape, int first, int end, carom_error* error) {
  tape->stretch.size = tape->stretch_starts.size = 0;
  CR_TRY(take_up(tape, &tape->states, &tape->starts, first / tape->def.keep, error));
  for (int k = first; k < end; k++) {
    carom_sim_forget_motion(tape->sim);
    if (!append_state(tape, &tape->stretch, &tape->stretch_starts)) return cr_error_memory(error);
    if (k == end - 1) break;
    put_controls(tape, k);
    CR_TRY(carom_sim_step(tape->sim, NULL, error));
  }
  return CAROM_OK;
}

/* What is pulled back: the cotangent at hand, and sums. */
typedef struct pulled {
  const double* running;
  double *x, *next, *theta;
  carom_vjp* out;
} pulled;

static bool remembers(const carom_tape* tape) {
  carom_friction friction = tape->sim->def.friction;
  return friction == CAROM_FRICTION_ANCHORED || friction == CAROM_FRICTION_LAGGED;
}

/* Room for the cotangents of the records before the step. False when memory ran out. */
static bool start_memory(carom_tape* tape, cr_memory_cotangents* m) {
  const cr_contact_memory* memory = &tape->sim->memory;
  size_t size = sizeof(cr_memory_cotangent) * (size_t)memory->count;
  tape->begun.size = 0;
  if (!reserve(tape, &tape->begun, size + 1)) return false;
  tape->begun.size = size;
  m->left = (const cr_memory_cotangent*)(const void*)tape->left.items;
  m->num_left = (int)(tape->left.size / sizeof *m->left);
  m->begun = (cr_memory_cotangent*)(void*)tape->begun.items;
  for (int i = 0; i < memory->count; i++)
    m->begun[i] = (cr_memory_cotangent){.key = memory->records[i].key};
  return true;
}

static carom_status pull_step(carom_tape* tape, int step, const pulled* p, carom_error* error) {
  int num_x = carom_model_get_num_x(tape->sim->model);
  size_t num_controls = (size_t)tape->sim->model->force.num_controls;
  carom_vjp one = {.x0 = p->next,
                   .u = p->out->u ? p->out->u + (size_t)step * num_controls : NULL,
                   .theta = p->theta,
                   .parameters = tape->parameters,
                   .num_parameters = tape->def.num_parameters,
                   .smoothing = tape->def.smoothing};
  CR_TRY(take_up(tape, &tape->stretch, &tape->stretch_starts, step % tape->def.keep, error));
  put_controls(tape, step);
  cr_memory_cotangents memory = {.num_left = 0};
  if (remembers(tape) && !start_memory(tape, &memory)) return cr_error_memory(error);
  CR_TRY(cr_sim_compute_vjp(tape->sim, p->x, &one, remembers(tape) ? &memory : NULL, error));
  bytes left = tape->left;
  tape->left = tape->begun, tape->begun = left;
  for (int i = 0; i < num_x; i++)
    p->x[i] = p->next[i] + (p->running ? p->running[(size_t)step * (size_t)num_x + (size_t)i] : 0);
  for (int i = 0; i < tape->num_thetas && p->out->theta; i++) p->out->theta[i] += p->theta[i];
  p->out->num_kinks += one.num_kinks, p->out->num_held += one.num_held;
  p->out->nearest_kink = fmin(p->out->nearest_kink, one.nearest_kink);
  p->out->kink_speed = fmin(p->out->kink_speed, one.kink_speed);
  return CAROM_OK;
}

static carom_status pull_all(carom_tape* tape, const pulled* p, carom_error* error) {
  int end = tape->num_steps;
  while (end > 0) {
    int first = (end - 1) / tape->def.keep * tape->def.keep;
    CR_TRY(fill_stretch(tape, first, end, error));
    for (int k = end - 1; k >= first; k--) CR_TRY(pull_step(tape, k, p, error));
    end = first;
  }
  return CAROM_OK;
}

carom_status carom_tape_pull_back(carom_tape* tape, const double* end, const double* running,
                                  carom_vjp* out, carom_error* error) {
  if (!tape || !end || !out)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "tape: an argument is null");
  size_t num_x = (size_t)carom_model_get_num_x(tape->sim->model);
  CR_TRY(cr_sim_check_finite("end", end, (int)num_x, error));
  size_t thetas = (size_t)tape->num_thetas, state = carom_sim_state_size(tape->sim);
  tape->work.size = tape->left.size = 0;
  if (!reserve(tape, &tape->work, sizeof(double) * (2 * num_x + thetas) + state))
    return cr_error_memory(error);
  double* x = (double*)(void*)tape->work.items;
  pulled p = {running, x, x + num_x, x + 2 * num_x, out};
  CR_COPY(x, end, num_x);
  out->num_kinks = out->num_held = 0, out->nearest_kink = out->kink_speed = INFINITY;
  if (out->theta) memset(out->theta, 0, sizeof *x * thetas);
  cr_sim_put_away(tape->sim, x + 2 * num_x + thetas);
  carom_status status = pull_all(tape, &p, error);
  carom_error of_state;
  CR_TRY(cr_sim_take_up(tape->sim, x + 2 * num_x + thetas, status == CAROM_OK ? error : &of_state));
  if (status == CAROM_OK && out->x0) CR_COPY(out->x0, x, num_x);
  return status;
}
