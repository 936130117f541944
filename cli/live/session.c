/* The simulation behind a live view. Everything here is done by one thread, through the library's
 * public interface. */
#include "session.h"

#include "../progress.h"
#include "../state.h"
#include "../words.h"
#include "spring.h"

#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Making -------------------------------------------------------------------------------------
 */

static carom_status out_of_memory(carom_error* error) {
  return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

/* The present state of a simulation, to be freed. */
static void* save(const carom_sim* sim, size_t* size) {
  *size = carom_sim_state_size(sim);
  void* bytes = malloc(*size);
  if (bytes) carom_sim_save(sim, bytes);
  return bytes;
}

static carom_status make_sim(live_session* s, carom_error* error) {
  carom_status status = carom_sim_create(s->model, &s->def.sim, &s->sim, error);
  if (status == CAROM_OK && s->def.keyframe)
    status = cli_keyframe_set(s->def.keyframe, s->def.scene, s->sim, error);
  if (status == CAROM_OK && s->def.state) status = cli_state_load(s->def.state, s->sim, error);
  if (status != CAROM_OK) return status;
  carom_model_sizes sizes = carom_model_get_sizes(s->model);
  s->start = save(s->sim, &s->start_size);
  s->poses = calloc((size_t)sizes.num_bodies * 7, sizeof(double));
  s->J = calloc((size_t)sizes.num_v * 3 + 1, sizeof(double));
  bool has_memory = live_softs_create(s->model, &s->softs) && s->start && s->poses && s->J;
  return has_memory ? CAROM_OK : out_of_memory(error);
}

carom_status live_session_create(const live_session_def* def, live_session* session,
                                 carom_error* error) {
  *session = (live_session){.def = *def, .is_playing = !def->is_paused, .speed = 1};
  carom_status status = carom_model_load(def->scene, &def->load, &session->model, error);
  if (status == CAROM_OK) status = make_sim(session, error);
  if (status == CAROM_OK)
    status = carom_dynamics_create(session->model, NULL, &session->dynamics, error);
  if (status == CAROM_OK) carom_model_get_gravity(session->model, session->gravity);
  return status;
}

void live_session_destroy(live_session* s) {
  carom_dynamics_destroy(s->dynamics);
  carom_sim_destroy(s->sim);
  carom_model_destroy(s->model);
  live_softs_free(&s->softs);
  free(s->start);
  free(s->poses);
  free(s->J);
}

/* --- Options ------------------------------------------------------------------------------------
 */

/* Models of one scene under different gravity have the same parts, unless the file changed. */
static carom_status check_same(const carom_model* a, const carom_model* b, carom_error* error) {
  carom_model_sizes s = carom_model_get_sizes(a), t = carom_model_get_sizes(b);
  if (memcmp(&s, &t, sizeof s) == 0) return CAROM_OK;
  return cli_error(error, CAROM_ERROR_BAD_INPUT,
                   "the scene's file is another one by now; start anew to see it");
}

/* What takes the place of model and simulation when options change; complete or nothing. */
typedef struct replacement {
  carom_model* model; /* null: the old one stays */
  carom_dynamics* dynamics;
  carom_sim* sim;
} replacement;

static carom_status load_again(const live_session* s, const double* gravity, replacement* r,
                               carom_error* error) {
  carom_load_def load = s->def.load;
  load.gravity = gravity;
  carom_status status = carom_model_load(s->def.scene, &load, &r->model, error);
  if (status == CAROM_OK) status = check_same(r->model, s->model, error);
  if (status == CAROM_OK) status = carom_dynamics_create(r->model, NULL, &r->dynamics, error);
  return status;
}

/* A simulation with other options in the present state. */
static carom_status make_again(const live_session* s, const carom_sim_def* def, replacement* r,
                               carom_error* error) {
  size_t size;
  const carom_model* model = r->model ? r->model : s->model;
  void* bytes = save(s->sim, &size);
  carom_status status = bytes ? CAROM_OK : out_of_memory(error);
  if (status == CAROM_OK) status = carom_sim_create(model, def, &r->sim, error);
  if (status == CAROM_OK) status = carom_sim_restore(r->sim, bytes, size, error);
  if (status == CAROM_OK) status = carom_sim_set_dt(r->sim, def->dt, error);
  free(bytes);
  return status;
}

static void destroy_replacement(replacement* r) {
  carom_sim_destroy(r->sim);
  carom_dynamics_destroy(r->dynamics);
  carom_model_destroy(r->model);
}

/* Puts the new parts in, the old ones into `r`. */
static void exchange(live_session* s, replacement* r) {
  replacement old = {.sim = s->sim};
  s->sim = r->sim;
  if (r->model) {
    old.model = s->model, old.dynamics = s->dynamics;
    s->model = r->model, s->dynamics = r->dynamics;
    carom_model_get_gravity(s->model, s->gravity);
    s->def.load.gravity = s->gravity;
  }
  *r = old;
}

static carom_status change_options(live_session* s, const live_change* change, carom_error* error) {
  replacement r = {0};
  carom_sim_def def = carom_sim_get_options(s->sim);
  carom_status status = CAROM_OK;
  if (change->has_dt) def.dt = change->dt;
  if (change->has_scheme) def.scheme = change->scheme;
  if (change->has_friction) def.friction = change->friction;
  if (change->has_gravity) status = load_again(s, change->gravity, &r, error);
  if (status == CAROM_OK) status = make_again(s, &def, &r, error);
  if (status == CAROM_OK) {
    s->def.sim = def;
    exchange(s, &r);
  }
  destroy_replacement(&r);
  return status;
}

/* --- Commands -----------------------------------------------------------------------------------
 */

static carom_status reset(live_session* s, carom_error* error) {
  double dt = carom_sim_dt(s->sim);
  carom_status status = carom_sim_restore(s->sim, s->start, s->start_size, error);
  if (status == CAROM_OK) status = carom_sim_set_dt(s->sim, dt, error);
  if (status != CAROM_OK) return status;
  memset(s->is_dragged, 0, sizeof s->is_dragged);
  s->dissipated = s->actuator_work = s->debt = 0;
  s->figures = (live_figures){0};
  s->note[0] = '\0';
  s->run++;
  return CAROM_OK;
}

static carom_status drag(live_session* s, int client, const live_spring* spring,
                         carom_error* error) {
  int num_bodies = carom_model_get_sizes(s->model).num_bodies;
  if (spring->body < 1 || spring->body >= num_bodies)
    return cli_error(error, CAROM_ERROR_BAD_INPUT,
                     "message: \"body\" is %d, the model has bodies 1 to %d", spring->body,
                     num_bodies - 1);
  s->springs[client] = *spring;
  s->is_dragged[client] = true;
  return CAROM_OK;
}

/* One step; false where it failed: the state stays, and the session pauses. */
static bool take_step(live_session* s);

carom_status live_session_obey(live_session* s, int client, const live_command* command,
                               carom_error* error) {
  switch (command->verb) {
  case LIVE_PLAY:
  case LIVE_PAUSE:
    s->is_playing = command->verb == LIVE_PLAY;
    s->debt = 0;
    if (s->is_playing) s->note[0] = '\0';
    return CAROM_OK;
  case LIVE_STEP:
    s->is_playing = false;
    take_step(s);
    return CAROM_OK;
  case LIVE_RESET:
    return reset(s, error);
  case LIVE_SPEED:
    s->speed = command->speed;
    return CAROM_OK;
  case LIVE_DRAG:
    return drag(s, client, &command->spring, error);
  case LIVE_RELEASE:
    s->is_dragged[client] = false;
    return CAROM_OK;
  case LIVE_SET:
    return change_options(s, &command->change, error);
  case LIVE_SEEN:
    return CAROM_OK;
  }
  return CAROM_OK;
}

/* --- Steps --------------------------------------------------------------------------------------
 */

bool live_session_locate(const live_session* s, int client, double point[3]) {
  if (!s->is_dragged[client]) return false;
  const live_spring* spring = &s->springs[client];
  live_place_point(s->poses + (ptrdiff_t)7 * spring->body, spring->point, point);
  return true;
}

/* The sum of all springs at a body. */
static void add_springs(live_session* s, int body, double sum[6]) {
  for (int i = 0; i < LIVE_MAX_CLIENTS; i++) {
    double wrench[6];
    if (!s->is_dragged[i] || s->springs[i].body != body) continue;
    live_spring_compute(&s->springs[i], s->model, s->dynamics, s->poses + (ptrdiff_t)7 * body,
                        carom_sim_velocities(s->sim), s->J, carom_sim_dt(s->sim), wrench);
    for (int k = 0; k < 6; k++) sum[k] += wrench[k];
  }
}

/* Forces of the springs, held for the next step. */
static carom_status apply_springs(live_session* s, bool is_pulling, carom_error* error) {
  const double *q = carom_sim_coordinates(s->sim), *v = carom_sim_velocities(s->sim);
  carom_status status = CAROM_OK;
  if (is_pulling) {
    status = carom_dynamics_set(s->dynamics, q, v, NULL, error);
    if (status == CAROM_OK) carom_dynamics_compute_poses(s->dynamics, s->poses);
  }
  for (int i = 0; i < LIVE_MAX_CLIENTS && status == CAROM_OK; i++) {
    double sum[6] = {0};
    if (!s->is_dragged[i]) continue;
    if (is_pulling) add_springs(s, s->springs[i].body, sum);
    status = carom_sim_set_wrench(s->sim, s->springs[i].body, sum, sum + 3, error);
  }
  return status;
}

static void add_report(live_session* s, const carom_step_report* report, double wall_time) {
  live_figures* f = &s->figures;
  f->steps++;
  if (report->substeps > f->substeps) f->substeps = report->substeps;
  if (report->iterations > f->iterations) f->iterations = report->iterations;
  if (report->outer_iterations > f->outer_iterations)
    f->outer_iterations = report->outer_iterations;
  f->error_bound = fmax(f->error_bound, report->error_bound);
  f->residual = fmax(f->residual, report->residual);
  f->stick_slip = fmax(f->stick_slip, report->stick_slip);
  f->wall_time += wall_time;
  s->dissipated += report->dissipated;
  s->actuator_work += report->actuator_work;
}

static void stop(live_session* s, const char* why) {
  s->is_playing = false;
  snprintf(s->note, sizeof s->note, "Paused at %.6g s: %.300s. The state is that before the step.",
           carom_sim_time(s->sim), why);
}

static const char* outcome_text(carom_step_outcome outcome) {
  static const char* const TEXTS[] = {
      [CAROM_STEP_FREE_MOTION] = "the free motion of a step did not converge",
      [CAROM_STEP_SOLVER] = "the contact problem of a step was not solved to the tolerance",
      [CAROM_STEP_NOT_FINITE] = "a coordinate or velocity of a step is not finite",
      [CAROM_STEP_ENERGY] = "a step adds energy that nothing explains",
      [CAROM_STEP_PASSED] = "a body would go through what it touches"};
  return TEXTS[outcome];
}

static bool take_step(live_session* s) {
  carom_step_report report;
  carom_error error = {0}, own;
  double begin = cli_wall_time();
  carom_status status = apply_springs(s, true, &error);
  if (status == CAROM_OK) status = carom_sim_step(s->sim, &report, &error);
  apply_springs(s, false, &own); /* none is left in a state that is saved or restored */
  if (status != CAROM_OK) {
    stop(s, error.message);
    return false;
  }
  if (report.outcome != CAROM_STEP_DONE) {
    stop(s, outcome_text(report.outcome));
    return false;
  }
  add_report(s, &report, cli_wall_time() - begin);
  return true;
}

/* The speed reached, smoothed over about a second. */
static void measure_speed(live_session* s, double simulated, double seconds) {
  double weight = fmin(seconds, 1), now = seconds > 0 ? simulated / seconds : 0;
  s->achieved += weight * (now - s->achieved);
}

void live_session_advance(live_session* s, double seconds, double budget) {
  double begin = cli_wall_time(), dt = carom_sim_dt(s->sim), simulated = 0;
  if (s->is_playing) {
    s->debt += seconds * s->speed;
    while (s->debt >= dt && s->is_playing && cli_wall_time() - begin < budget) {
      if (!take_step(s)) break;
      s->debt -= dt, simulated += dt;
    }
    /* What a slow simulation does not reach is let go, else it would race on to catch up. */
    s->debt = fmin(s->debt, dt);
  }
  measure_speed(s, simulated, seconds);
}
