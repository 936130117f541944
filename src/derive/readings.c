/* The derivative of readings h(x, u, theta) along columns: units of state, controls and parameters,
 * or, after a step, the columns of its own derivative, with u and theta as they count at the end.
 */
#include "derive/readings.h"

#include "base/alloc.h"
#include "base/error.h"
#include "derive/central_path.h"
#include "derive/force_tangent.h"
#include "sim/step/observer.h"

#include <math.h>
#include <string.h>

/* --- Rows ---------------------------------------------------------------------------------------
 */

static int count_rows(const carom_model* m, int of) {
  if (of == CAROM_READING_KINETIC || of == CAROM_READING_POTENTIAL) return 1;
  if (of < 0 || of >= m->sensor.num_sensors) return -1;
  return m->sensor.address[of + 1] - m->sensor.address[of];
}

int carom_model_count_readings(const carom_model* model, const int* of, int num_of) {
  int sum = 0;
  for (int i = 0; i < num_of; i++) {
    int own = count_rows(model, of[i]);
    if (own < 0) return -1;
    sum += own;
  }
  return sum;
}

static void read_column(const cr_readings* r, const cr_reading_direction* d, int of, double* out) {
  if (of == CAROM_READING_KINETIC)
    out[0] = cr_kinetic_differentiate(r, d);
  else if (of == CAROM_READING_POTENTIAL)
    out[0] = cr_potential_differentiate(r, d);
  else
    cr_reading_differentiate(r, d, of, out);
}

static carom_status check(const cr_readings* r, const carom_reading_derivatives* out) {
  if (r->forces && r->forces->num_contacts != r->s.num_contacts)
    return cr_error_set(r->t.error, CAROM_ERROR_NUMERICAL,
                        "readings: the step does not have the same contacts when taken again");
  for (int i = 0; i < out->num_of; i++)
    if (out->of[i] >= 0) CR_TRY(cr_readings_check(r, out->of[i], r->t.thetas, r->t.num_thetas));
  return CAROM_OK;
}

/* --- Columns ------------------------------------------------------------------------------------
 */

/* Derivatives of the step that has led here; null: none has. */
typedef struct step_columns {
  const double *A, *B, *C; /* as in carom_linearization */
  const double *q0, *v0;   /* where it began */
  const cr_force_tangents* forces;
} step_columns;

typedef struct columns {
  cr_readings* r;
  carom_reading_derivatives* out;
  const step_columns* chain;
  double *dx, *du, *a, *column; /* [num_x], [num_controls], [num_v], rows */
  int rows;
} columns;

/* What moves in a column. */
static void seed(const columns* c, int at, cr_reading_direction* d) {
  const cr_step_tangent* t = &c->r->t;
  int num_x = t->first_control;
  memset(c->dx, 0, sizeof(double) * (size_t)num_x);
  memset(c->du, 0, sizeof(double) * (size_t)t->num_controls);
  if (at >= num_x && at < t->first_theta) c->du[at - num_x] = 1;
  d->theta = at < t->first_theta ? NULL : &t->thetas[at - t->first_theta];
  if (!c->chain) {
    if (at < num_x) c->dx[at] = 1;
    return;
  }
  const double* M = at < num_x ? c->chain->A : at < t->first_theta ? c->chain->B : c->chain->C;
  int first = at < num_x ? 0 : at < t->first_theta ? num_x : t->first_theta;
  int stride = at < num_x ? num_x : at < t->first_theta ? t->num_controls : t->num_thetas;
  for (int i = 0; i < num_x; i++) c->dx[i] = M[(size_t)i * (size_t)stride + (size_t)(at - first)];
}

/* (v1 - v0) / dt of a column, internal. */
static void find_acceleration(const columns* c, int at, const cr_reading_direction* d) {
  const cr_readings* r = c->r;
  const cr_tree_model* model = &r->step.model->tree;
  int nv = r->t.num_v;
  double *dx0 = c->dx, *du0 = c->a;
  const cr_force_tangents* f = r->forces;
  size_t num_x = (size_t)r->t.first_control;
  memset(dx0, 0, sizeof(double) * num_x);
  if (at < 2 * nv) dx0[at] = 1;
  if (f->start) memcpy(dx0, f->start + (size_t)at * num_x, sizeof(double) * num_x);
  const double* q0 = f->start ? f->q0 : c->chain->q0;
  const double* v0 = f->start ? f->v0 : c->chain->v0;
  for (int i = 0; i < model->num_trees; i++)
    cr_tree_velocity_tangent_to_internal(model, i, q0, v0, dx0, dx0 + nv, du0);
  for (int i = 0; i < nv; i++) c->a[i] = (d->v[i] - du0[i]) / r->step.dt;
}

static void fill_column(const columns* c, int at, cr_reading_direction* d) {
  d->a = NULL, d->column = at;
  seed(c, at, d);
  cr_reading_direction_fill(c->r, d);
  if (!c->chain) return;
  find_acceleration(c, at, d);
  d->a = c->a;
  seed(c, at, d);
  cr_reading_direction_fill(c->r, d);
}

static void store_column(const columns* c, int at) {
  const cr_step_tangent* t = &c->r->t;
  int num_x = t->first_control;
  double* to = at < num_x ? c->out->x : at < t->first_theta ? c->out->u : c->out->theta;
  int first = at < num_x ? 0 : at < t->first_theta ? num_x : t->first_theta;
  int stride = at < num_x ? num_x : at < t->first_theta ? t->num_controls : t->num_thetas;
  for (int i = 0; i < c->rows && to; i++)
    to[(size_t)i * (size_t)stride + (size_t)(at - first)] = c->column[i];
}

static carom_status differentiate(columns* c) {
  cr_readings* r = c->r;
  cr_reading_direction d = {.dx = NULL};
  CR_TRY(cr_readings_init(r));
  CR_TRY(cr_thetas_find(&r->t, c->out->parameters, c->out->num_parameters));
  r->forces = c->chain ? c->chain->forces : NULL;
  if (r->forces) r->step.dt = r->step.sim->memory.dt; /* of the step's last part */
  CR_TRY(check(r, c->out));
  c->dx = CR_PUSH(r->t.arena, double, r->t.first_control);
  c->du = CR_PUSH(r->t.arena, double, r->t.num_controls);
  c->a = CR_PUSH(r->t.arena, double, r->t.num_v);
  c->column = CR_PUSH(r->t.arena, double, c->rows);
  if (!cr_reading_direction_push(r, &d)) return cr_error_memory(r->t.error);
  d.dx = c->dx, d.du = c->du;
  memset(c->a, 0, sizeof(double) * (size_t)r->t.num_v);
  for (int at = 0; at < r->t.first_theta + r->t.num_thetas; at++) {
    int row = 0;
    fill_column(c, at, &d);
    for (int i = 0; i < c->out->num_of; i++) {
      read_column(r, &d, c->out->of[i], c->column + row);
      row += count_rows(r->step.model, c->out->of[i]);
    }
    store_column(c, at);
  }
  return CAROM_OK;
}

/* --- After a step -------------------------------------------------------------------------------
 */

static carom_status differentiate_here(carom_sim* sim, carom_reading_derivatives* out,
                                       const step_columns* chain, carom_error* error) {
  cr_arena_reset(&sim->arena);
  cr_readings r = {.t = {.arena = &sim->arena, .error = error}, .step = {.sim = sim}};
  columns c = {.r = &r,
               .out = out,
               .chain = chain,
               .rows = carom_model_count_readings(sim->model, out->of, out->num_of)};
  return differentiate(&c);
}

typedef struct trial {
  carom_reading_derivatives* out;
  const step_columns* chain;
  carom_error* error;
  carom_status status;
} trial;

/* An observer is there so that the step is the one that was linearised: with all that sleeps awake.
 */
static bool begin_nothing(void* data, const carom_sim* sim, const cr_attempt* how) {
  (void)data, (void)sim, (void)how;
  return true;
}

static carom_status finish_nothing(void* data, carom_sim* sim) {
  (void)data, (void)sim;
  return CAROM_OK;
}

static cr_result look_at_nothing(void* data, cr_step* step, const cr_contact_set* set,
                                 const cr_step_problem* problem) {
  (void)data, (void)step, (void)set, (void)problem;
  return CR_DONE;
}

static carom_status run(carom_sim* sim, void* data) {
  trial* t = data;
  const cr_step_observer observer = {.begin = begin_nothing,
                                     .look = look_at_nothing,
                                     .finish = finish_nothing,
                                     .ahead = CR_CENTRAL_REACH * t->out->smoothing};
  carom_sim_forget_motion(sim);
  sim->observer = &observer, sim->ahead = observer.ahead;
  t->status = carom_sim_step(sim, NULL, t->error);
  sim->observer = NULL, sim->ahead = 0;
  if (t->status == CAROM_OK) t->status = differentiate_here(sim, t->out, t->chain, t->error);
  return CAROM_OK;
}

static size_t count_thetas(const carom_reading_derivatives* out) {
  int count = 0;
  for (int i = 0; i < out->num_parameters; i++) count += out->parameters[i].count;
  return (size_t)count;
}

/* Whether one of the readings is about contacts that may transmit nothing. */
static bool wants_open(const carom_sim* sim, const carom_reading_derivatives* out) {
  bool any = false;
  for (int i = 0; i < out->num_of; i++)
    any |= out->of[i] >= 0 && sim->model->sensor.type[out->of[i]] == CAROM_SENSOR_CONTACT;
  return any;
}

/* Its derivative, the step, and the readings there.
 * @param memory for the chain */
static carom_status go_on(carom_sim* sim, carom_reading_derivatives* out, double* memory,
                          cr_force_tangents* forces, carom_error* error) {
  const carom_model* m = sim->model;
  size_t nx = (size_t)carom_model_get_num_x(m), nu = (size_t)m->force.num_controls;
  double *B = memory + nx * nx, *C = B + nx * nu, *q0 = C + nx * count_thetas(out);
  double* v0 = q0 + m->num_q;
  carom_linearization step = {.A = memory,
                              .B = B,
                              .C = C,
                              .parameters = out->parameters,
                              .num_parameters = out->num_parameters,
                              .smoothing = out->smoothing};
  forces->wants_open = wants_open(sim, out);
  CR_TRY(cr_sim_linearize(sim, &step, forces, error));
  memcpy(q0, sim->q, sizeof(double) * (size_t)m->num_q);
  memcpy(v0, sim->v, sizeof(double) * (size_t)m->num_v);
  out->num_kinks = step.num_kinks, out->nearest_kink = step.nearest_kink;
  out->num_held = step.num_held, out->kink_speed = step.kink_speed;
  const step_columns chain = {memory, B, C, q0, v0, forces};
  trial t = {.out = out, .chain = &chain, .error = error};
  carom_error of_trial;
  carom_status status = cr_sim_try(sim, run, &t, &of_trial);
  return status == CAROM_OK ? t.status : cr_error_memory(error);
}

static carom_status differentiate_after(carom_sim* sim, carom_reading_derivatives* out,
                                        carom_error* error) {
  const carom_model* m = sim->model;
  size_t nx = (size_t)carom_model_get_num_x(m);
  size_t width = nx + (size_t)m->force.num_controls + count_thetas(out);
  size_t size = sizeof(double) * (nx * width + (size_t)m->num_q + (size_t)m->num_v);
  double* memory = cr_alloc(&sim->allocator, size);
  if (!memory) return cr_error_memory(error);
  cr_force_tangents forces = {.allocator = &sim->allocator};
  carom_status status = go_on(sim, out, memory, &forces, error);
  cr_force_tangents_destroy(&forces);
  cr_release(&sim->allocator, memory, size);
  return status;
}

carom_status carom_sim_differentiate_readings(carom_sim* sim, carom_reading_derivatives* out,
                                              carom_error* error) {
  if (!sim || !out || (out->num_of > 0 && !out->of))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "readings: an argument is null");
  for (int i = 0; i < out->num_of; i++)
    if (count_rows(sim->model, out->of[i]) < 0)
      return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                          "readings: there is no sensor %d, the model has %d", out->of[i],
                          sim->model->sensor.num_sensors);
  CR_TRY(cr_sim_check_controls(sim, error));
  if (out->after_step) return differentiate_after(sim, out, error);
  out->num_kinks = out->num_held = 0, out->nearest_kink = out->kink_speed = INFINITY;
  CR_TRY(differentiate_here(sim, out, NULL, error));
  return cr_error_clear(error);
}
