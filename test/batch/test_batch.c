/* Worlds of a batch: each has the bits of a simulation alone, for any number of threads; what is
 * written into the arrays is set as in a simulation; worlds with models of their own are as
 * simulations of those; failed worlds stay; warm steps take no memory. */
#include "base/tasks.h"
#include "sim/sim.h"
#include "support/memory.h"
#include "support/scene.h"
#include "support/world.h"

#include "carom/batch.h"
#include "carom/parameter.h"
#include "carom/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 13, STEPS = 60 };

/* --- Worlds and simulations side by side --------------------------------------------------------
 */

/* A batch, and as many simulations as it has worlds. */
typedef struct pairing {
  carom_model* model;
  carom_batch* batch;
  carom_sim* sims[WORLDS];
  carom_model_sizes sizes;
} pairing;

static carom_sim_def make_def(int threads) {
  carom_sim_def def = world_def(0.004, CAROM_MIDPOINT);
  def.threads = threads;
  return def;
}

static carom_model* load(const char* text) {
  carom_model* model;
  carom_error error;
  check_ok(carom_model_load_string(text, strlen(text), "batch", NULL, &model, &error), &error);
  return model;
}

static pairing pair_up(const char* text, int threads) {
  carom_sim_def def = make_def(threads), alone = make_def(1);
  carom_error error;
  pairing p = {.model = load(text)};
  p.sizes = carom_model_get_sizes(p.model);
  check_ok(carom_batch_create(p.model, WORLDS, &def, &p.batch, &error), &error);
  for (int w = 0; w < WORLDS; w++)
    check_ok(carom_sim_create(p.model, &alone, &p.sims[w], &error), &error);
  return p;
}

static void part(pairing* p) {
  for (int w = 0; w < WORLDS; w++) carom_sim_destroy(p->sims[w]);
  carom_batch_destroy(p->batch);
  carom_model_destroy(p->model);
}

static double* row(double* rows, int w, int size) { return rows + (size_t)w * (size_t)size; }

/* Other controls for every world and step. */
static void control(pairing* p, int step) {
  for (int w = 0; w < WORLDS; w++)
    for (int a = 0; a < p->sizes.num_actuators; a++) {
      double u = sin(0.1 * step + 0.7 * w + a);
      row(carom_batch_controls(p->batch), w, p->sizes.num_actuators)[a] = u;
      carom_sim_controls(p->sims[w])[a] = u;
    }
}

/* Another velocity for every world, through the arrays and through carom_sim_set_state. */
static void push(pairing* p) {
  for (int w = 0; w < WORLDS; w++) {
    double* v = row(carom_batch_velocities(p->batch), w, p->sizes.num_v);
    for (int i = 0; i < p->sizes.num_v; i++) v[i] += 0.1 * sin(w + 2.0 * i);
    carom_sim* sim = p->sims[w];
    check_ok(carom_sim_set_state(sim, carom_sim_time(sim), NULL, v, NULL), &(carom_error){0});
  }
}

static void expect_same_world(pairing* p, int w) {
  int count, expected;
  const carom_contact* contacts = carom_batch_contacts(p->batch, w, &count);
  const carom_contact* of_sim = carom_sim_contacts(p->sims[w], &expected);
  assert_int_equal(count, expected);
  for (int i = 0; i < count; i++)
    assert_memory_equal(contacts[i].impulse, of_sim[i].impulse, sizeof of_sim[i].impulse);
  assert_memory_equal(row(carom_batch_coordinates(p->batch), w, p->sizes.num_q),
                      carom_sim_coordinates(p->sims[w]), sizeof(double) * (size_t)p->sizes.num_q);
  assert_memory_equal(row(carom_batch_velocities(p->batch), w, p->sizes.num_v),
                      carom_sim_velocities(p->sims[w]), sizeof(double) * (size_t)p->sizes.num_v);
  assert_true(carom_batch_times(p->batch)[w] == carom_sim_time(p->sims[w]));
}

static void expect_same_readings(pairing* p, int w) {
  double* readings = calloc((size_t)p->sizes.num_readings + 1, sizeof *readings);
  check_ok(carom_sim_compute_sensors(p->sims[w], readings, NULL), &(carom_error){0});
  assert_memory_equal(carom_batch_readings(p->batch) + (size_t)w * (size_t)p->sizes.num_readings,
                      readings, sizeof(double) * (size_t)p->sizes.num_readings);
  free(readings);
}

/* @param contacts that some world has at some time, at least */
static void expect_same_run(const char* text, int threads, int contacts) {
  pairing p = pair_up(text, threads);
  carom_error error;
  int most_contacts = 0;
  for (int step = 0; step < STEPS; step++) {
    control(&p, step);
    if (step % 20 == 7) push(&p);
    check_ok(carom_batch_step(p.batch, 1 + step % 2, &error), &error);
    for (int w = 0; w < WORLDS; w++) {
      carom_step_report report;
      for (int i = 0; i < 1 + step % 2; i++)
        check_ok(carom_sim_step(p.sims[w], &report, &error), &error);
      expect_same_world(&p, w);
      assert_true(carom_batch_reports(p.batch)[w].residual == report.residual);
      assert_int_equal(carom_batch_reports(p.batch)[w].iterations, report.iterations);
      if (report.contacts > most_contacts) most_contacts = report.contacts;
    }
  }
  for (int w = 0; w < WORLDS; w++) expect_same_readings(&p, w);
  assert_true(most_contacts >= contacts);
  part(&p);
}

static void test_as_simulations_alone(void** state) {
  (void)state;
  char* pile = world_write_pile(8);
  for (int threads = 1; threads < 5; threads++) {
    expect_same_run(WORLD_MACHINE, threads, 4);
    expect_same_run(pile, threads, 8);
  }
  free(pile);
}

static const char* const DOLL =
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/>"
    "<body pos='0 0 .4'><freejoint/><geom type='capsule' size='.1 .15'/><site name='s'/>"
    "<body pos='.1 0 -.2'><joint name='j' axis='0 1 0' range='-60 60' damping='.1'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.25' size='.04'/></body></body></worldbody>"
    "<actuator><motor joint='j' gear='5'/><general joint='j' dyntype='filter' dynprm='.1'/>"
    "</actuator><sensor><accelerometer site='s'/><jointpos joint='j'/></sensor>"
    "<keyframe><key name='low' qpos='0 0 .3 1 0 0 0 .2' act='.5' ctrl='.1 .2'/></keyframe>"
    "</mujoco>";

static void test_sensors_and_activations(void** state) {
  (void)state;
  expect_same_run(DOLL, 1, 1);
  expect_same_run(DOLL, 3, 1);
}

/* --- Tasks of the host --------------------------------------------------------------------------
 */

static void run_backwards(void* user, int count, carom_task* task, void* data) {
  ++*(int*)user;
  while (count-- > 0) task(data, count);
}

static void test_tasks_of_the_host(void** state) {
  (void)state;
  int runs = 0;
  carom_error error;
  carom_sim_def def = make_def(2);
  def.tasks = (carom_tasks){run_backwards, &runs};
  pairing p = pair_up(WORLD_MACHINE, 1);
  carom_batch_destroy(p.batch);
  check_ok(carom_batch_create(p.model, WORLDS, &def, &p.batch, &error), &error);
  for (int step = 0; step < STEPS; step++) {
    check_ok(carom_batch_step(p.batch, 1, &error), &error);
    for (int w = 0; w < WORLDS; w++) {
      check_ok(carom_sim_step(p.sims[w], NULL, &error), &error);
      expect_same_world(&p, w);
    }
  }
  assert_true(runs >= STEPS);
  part(&p);
}

/* --- Reset --------------------------------------------------------------------------------------
 */

static void test_reset(void** state) {
  (void)state;
  carom_error error;
  bool mask[WORLDS] = {[2] = true, [5] = true};
  pairing p = pair_up(DOLL, 2);
  check_ok(carom_batch_step(p.batch, 40, &error), &error);
  for (int w = 0; w < WORLDS; w++)
    for (int i = 0; i < 40; i++) check_ok(carom_sim_step(p.sims[w], NULL, &error), &error);
  check_ok(carom_batch_reset(p.batch, mask, 0, &error), &error);
  for (int w = 0; w < WORLDS; w++)
    if (mask[w]) check_ok(carom_sim_set_keyframe(p.sims[w], 0, &error), &error);
  assert_true(row(carom_batch_controls(p.batch), 5, 2)[1] == 0.2);
  for (int step = 0; step < 40; step++) {
    check_ok(carom_batch_step(p.batch, 1, &error), &error);
    for (int w = 0; w < WORLDS; w++) {
      check_ok(carom_sim_step(p.sims[w], NULL, &error), &error);
      expect_same_world(&p, w);
    }
  }
  check_ok(carom_batch_reset(p.batch, NULL, -1, &error), &error);
  assert_memory_equal(carom_batch_coordinates(p.batch), carom_model_get_reference(p.model),
                      sizeof(double) * (size_t)p.sizes.num_q);
  assert_int_equal(carom_batch_reset(p.batch, NULL, 1, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "batch: there is no keyframe 1");
  part(&p);
}

/* --- Failures -----------------------------------------------------------------------------------
 */

/* A world that moves so fast that its next coordinates are no numbers. */
static void test_failed_world_stays(void** state) {
  (void)state;
  carom_error error;
  pairing p = pair_up(DOLL, 2);
  double* q = row(carom_batch_coordinates(p.batch), 3, p.sizes.num_q);
  double* v = row(carom_batch_velocities(p.batch), 3, p.sizes.num_v);
  double before[8];
  v[0] = 1e308, q[0] = 1.7e308;
  memcpy(before, q, sizeof before);
  check_ok(carom_batch_step(p.batch, 5, &error), &error);
  const carom_step_report* reports = carom_batch_reports(p.batch);
  for (int w = 0; w < WORLDS; w++) {
    assert_true((reports[w].outcome == CAROM_STEP_DONE) == (w != 3));
    for (int i = 0; i < 5 && w != 3; i++) check_ok(carom_sim_step(p.sims[w], NULL, &error), &error);
    if (w != 3) expect_same_world(&p, w);
  }
  assert_memory_equal(before, q, sizeof before);
  assert_true(carom_batch_times(p.batch)[3] == 0);
  part(&p);
}

static void test_numbers_that_are_none(void** state) {
  (void)state;
  carom_error error;
  pairing p = pair_up(DOLL, 2);
  row(carom_batch_controls(p.batch), 4, 2)[1] = NAN;
  assert_int_equal(carom_batch_step(p.batch, 3, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "ctrl[4, 1]"));
  for (int w = 0; w < WORLDS; w++) expect_same_world(&p, w);
  part(&p);
}

static void test_misuse(void** state) {
  (void)state;
  carom_error error;
  carom_batch* batch;
  carom_model* model = load(DOLL);
  carom_sim_def def = make_def(257);
  assert_int_equal(carom_batch_create(model, 3, &def, &batch, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  def = (carom_sim_def){0};
  assert_int_equal(carom_batch_create(model, 3, &def, &batch, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_batch_create(model, 0, NULL, &batch, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_null(batch);
  check_ok(carom_batch_create(model, 2, NULL, &batch, &error), &error);
  assert_int_equal(carom_batch_step(batch, -1, &error), CAROM_ERROR_INVALID_ARGUMENT);
  int failed[2];
  carom_rollout rollout = {.num_steps = 3, .first = 2, .count = 2, .failed = failed};
  assert_int_equal(carom_batch_rollout(batch, &rollout, &error), CAROM_ERROR_INVALID_ARGUMENT);
  double ctrl[2][3][2] = {[1][1][0] = NAN};
  rollout.first = 1, rollout.ctrl = &ctrl[0][0][0];
  assert_int_equal(carom_batch_rollout(batch, &rollout, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "rollout: ctrl[1, 1, 0] is nan, must be finite");
  carom_batch_destroy(batch);
  carom_model_destroy(model);
}

/* --- Rollouts -----------------------------------------------------------------------------------
 */

enum { ROLL_STEPS = 30, ROLL_Q = 8, ROLL_V = 7, ROLL_CTRL = 2, ROLL_READINGS = 4 };

typedef struct motions {
  double ctrl[WORLDS][ROLL_STEPS][ROLL_CTRL];
  double q[WORLDS][ROLL_STEPS + 1][ROLL_Q], v[WORLDS][ROLL_STEPS + 1][ROLL_V];
  double readings[WORLDS][ROLL_STEPS][ROLL_READINGS];
  int failed[WORLDS];
} motions;

static void roll(carom_batch* batch, motions* m, int first, int count) {
  carom_error error;
  carom_rollout rollout = {.num_steps = ROLL_STEPS,
                           .first = first,
                           .count = count,
                           .ctrl = &m->ctrl[0][0][0],
                           .q = &m->q[0][0][0],
                           .v = &m->v[0][0][0],
                           .readings = &m->readings[0][0][0],
                           .failed = m->failed};
  check_ok(carom_batch_rollout(batch, &rollout, &error), &error);
}

/* In one call and in three, as by hand. */
static void test_rollout(void** state) {
  (void)state;
  carom_error error;
  pairing p = pair_up(DOLL, 2);
  motions *whole = calloc(1, sizeof *whole), *parts = calloc(1, sizeof *parts);
  for (int i = 0; i < WORLDS * ROLL_STEPS * ROLL_CTRL; i++)
    (&whole->ctrl[0][0][0])[i] = (&parts->ctrl[0][0][0])[i] = sin(i);
  roll(p.batch, whole, 0, ROLL_STEPS);
  check_ok(carom_batch_reset(p.batch, NULL, -1, &error), &error);
  roll(p.batch, parts, 0, 11);
  roll(p.batch, parts, 11, 0);
  roll(p.batch, parts, 11, ROLL_STEPS - 11);
  assert_memory_equal(whole, parts, sizeof *whole);
  for (int w = 0; w < WORLDS; w++) {
    carom_sim* sim = p.sims[w];
    assert_int_equal(whole->failed[w], -1);
    for (int step = 0; step < ROLL_STEPS; step++) {
      double readings[ROLL_READINGS];
      memcpy(carom_sim_controls(sim), whole->ctrl[w][step], sizeof whole->ctrl[w][step]);
      assert_memory_equal(whole->q[w][step], carom_sim_coordinates(sim), sizeof whole->q[w][step]);
      check_ok(carom_sim_step(sim, NULL, &error), &error);
      assert_memory_equal(whole->v[w][step + 1], carom_sim_velocities(sim),
                          sizeof whole->v[w][step]);
      check_ok(carom_sim_compute_sensors(sim, readings, &error), &error);
      assert_memory_equal(whole->readings[w][step], readings, sizeof readings);
    }
    expect_same_world(&p, w);
  }
  free(whole), free(parts);
  part(&p);
}

static void test_rollout_that_fails(void** state) {
  (void)state;
  pairing p = pair_up(DOLL, 1);
  motions* m = calloc(1, sizeof *m);
  row(carom_batch_coordinates(p.batch), 6, ROLL_Q)[0] = 1.7e308;
  row(carom_batch_velocities(p.batch), 6, ROLL_V)[0] = 1e308;
  roll(p.batch, m, 0, 5);
  roll(p.batch, m, 5, ROLL_STEPS - 5);
  for (int w = 0; w < WORLDS; w++) assert_int_equal(m->failed[w], w == 6 ? 0 : -1);
  assert_memory_equal(m->q[6][0], m->q[6][ROLL_STEPS], sizeof m->q[6][0]);
  assert_true(isnan(m->readings[6][ROLL_STEPS - 1][3]));
  free(m);
  part(&p);
}

/* --- One world in a simulation ------------------------------------------------------------------
 */

static void test_world_in_a_simulation(void** state) {
  (void)state;
  carom_error error;
  pairing p = pair_up(WORLD_MACHINE, 2);
  for (int i = 0; i < 50; i++) control(&p, i);
  check_ok(carom_batch_step(p.batch, 50, &error), &error);
  check_ok(carom_batch_get_world(p.batch, 4, p.sims[4], &error), &error);
  check_ok(carom_batch_set_world(p.batch, 9, p.sims[4], &error), &error);
  check_ok(carom_batch_get_world(p.batch, 9, p.sims[9], &error), &error);
  for (int step = 0; step < 20; step++) {
    check_ok(carom_batch_step(p.batch, 1, &error), &error);
    check_ok(carom_sim_step(p.sims[4], NULL, &error), &error);
    check_ok(carom_sim_step(p.sims[9], NULL, &error), &error);
    expect_same_world(&p, 4);
    expect_same_world(&p, 9);
  }
  assert_int_equal(carom_batch_get_world(p.batch, WORLDS, p.sims[4], &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  part(&p);
}

/* --- Models of their own ------------------------------------------------------------------------
 */

/* A copy of a model with another number. */
static carom_model* vary(const carom_model* model, const char* name, double value) {
  carom_builder* builder;
  carom_parameter parameter;
  carom_model* varied;
  carom_error error;
  check_ok(carom_builder_copy(carom_model_get_description(model), &builder, &error), &error);
  check_ok(carom_builder_find_parameter(builder, name, &parameter, &error), &error);
  check_ok(carom_builder_set_parameter(builder, &parameter, &value, &error), &error);
  check_ok(carom_builder_compile(builder, &varied, &error), &error);
  carom_builder_destroy(builder);
  return varied;
}

enum { VARIED = 5 };

/* Gravity, mass, damping, size and place, one of each. */
static void vary_all(const carom_model* model, carom_model* varied[VARIED]) {
  varied[0] = vary(model, "model.gravity[2]", -3);
  varied[1] = vary(model, "geom.0.friction", 0.1);
  varied[2] = vary(model, "body.1.mass", 0.7);
  varied[3] = vary(model, "joint.1.damping", 2);
  varied[4] = vary(model, "body.1.position[2]", 0.5);
}

/* The world and its simulation get a model; the simulation is made anew in the state it has. */
static void give(pairing* p, int w, const carom_model* model) {
  carom_error error;
  carom_sim_def def = make_def(1);
  size_t size = carom_sim_state_size(p->sims[w]);
  void* saved = malloc(size);
  check_ok(carom_batch_set_model(p->batch, w, model, &error), &error);
  carom_sim_save(p->sims[w], saved);
  carom_sim_destroy(p->sims[w]);
  check_ok(carom_sim_create(model, &def, &p->sims[w], &error), &error);
  check_ok(carom_sim_restore(p->sims[w], saved, size, &error), &error);
  free(saved);
}

static void step_both(pairing* p, int steps) {
  carom_error error;
  for (int i = 0; i < steps; i++) {
    control(p, i);
    if (i % 20 == 7) push(p);
    check_ok(carom_batch_step(p->batch, 1, &error), &error);
    for (int w = 0; w < WORLDS; w++) {
      check_ok(carom_sim_step(p->sims[w], NULL, &error), &error);
      expect_same_world(p, w);
    }
  }
  for (int w = 0; w < WORLDS; w++) expect_same_readings(p, w);
}

/* From some state on, changed again, shared by worlds, and back to the batch's. */
static void expect_own_models(const char* text, int threads) {
  pairing p = pair_up(text, threads);
  carom_model* varied[VARIED];
  vary_all(p.model, varied);
  step_both(&p, 15);
  for (int w = 0; w < WORLDS; w++)
    if (w % 3) give(&p, w, varied[w % VARIED]);
  assert_ptr_equal(carom_batch_get_model(p.batch, 4), varied[4]);
  assert_ptr_equal(carom_batch_get_model(p.batch, 3), p.model);
  step_both(&p, 30);
  give(&p, 4, p.model);
  give(&p, 5, varied[1]);
  step_both(&p, 30);
  for (int w = 0; w < WORLDS; w++)
    check_ok(carom_batch_get_world(p.batch, w, p.sims[w], NULL), &(carom_error){0});
  step_both(&p, 10);
  part(&p);
  for (int i = 0; i < VARIED; i++) carom_model_destroy(varied[i]);
}

static void test_own_models(void** state) {
  (void)state;
  for (int threads = 1; threads < 4; threads++) {
    expect_own_models(WORLD_MACHINE, threads);
    expect_own_models(DOLL, threads);
  }
}

/* To the start of the world's own model, and to its keyframe. */
static void test_reset_of_own_models(void** state) {
  (void)state;
  carom_error error;
  pairing p = pair_up(DOLL, 2);
  carom_model* varied[VARIED];
  vary_all(p.model, varied);
  for (int w = 0; w < VARIED; w++) give(&p, w, varied[w]);
  for (int keyframe = -1; keyframe < 1; keyframe++) {
    step_both(&p, 20);
    check_ok(carom_batch_reset(p.batch, NULL, keyframe, &error), &error);
    for (int w = 0; w < WORLDS; w++) {
      carom_sim_def def = make_def(1);
      const carom_model* model = carom_batch_get_model(p.batch, w);
      carom_sim_destroy(p.sims[w]);
      check_ok(carom_sim_create(model, &def, &p.sims[w], &error), &error);
      if (keyframe == 0) check_ok(carom_sim_set_keyframe(p.sims[w], 0, &error), &error);
      expect_same_world(&p, w);
      expect_same_readings(&p, w);
    }
    if (keyframe < 0) assert_true(row(carom_batch_coordinates(p.batch), 4, ROLL_Q)[2] == 0.5);
  }
  step_both(&p, 20);
  part(&p);
  for (int i = 0; i < VARIED; i++) carom_model_destroy(varied[i]);
}

/* What falls freely for a time t falls by g t^2 / 2, which the midpoint rule has exactly. */
static void test_own_gravity(void** state) {
  (void)state;
  carom_error error;
  carom_sim_def def = make_def(2);
  carom_model* model = load("<mujoco><worldbody><body pos='0 0 9'><freejoint/><geom size='.1'/>"
                            "</body></worldbody></mujoco>");
  carom_model* varied[4];
  carom_batch* batch;
  check_ok(carom_batch_create(model, 4, &def, &batch, &error), &error);
  for (int w = 0; w < 4; w++) {
    varied[w] = vary(model, "model.gravity[2]", -1.5 * w);
    check_ok(carom_batch_set_model(batch, w, varied[w], &error), &error);
  }
  check_ok(carom_batch_step(batch, 250, &error), &error);
  for (int w = 0; w < 4; w++)
    assert_true(fabs(row(carom_batch_coordinates(batch), w, 7)[2] - (9 - 0.75 * w)) < 1e-12);
  carom_batch_destroy(batch);
  for (int w = 0; w < 4; w++) carom_model_destroy(varied[w]);
  carom_model_destroy(model);
}

/* A box that sleeps on a slope slides as soon as its friction is gone. */
static void test_own_model_wakes(void** state) {
  (void)state;
  carom_error error;
  carom_sim_def def = make_def(1);
  carom_model* model =
      load("<mujoco><option gravity='3 0 -9'/><worldbody><geom type='plane' size='0 0 1'/>"
           "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' friction='1'/></body>"
           "</worldbody></mujoco>");
  carom_model* smooth = vary(model, "geom.0.friction", 0);
  carom_model* slippery = vary(smooth, "geom.1.friction", 0);
  carom_batch* batch;
  carom_sim* sim;
  check_ok(carom_batch_create(model, 2, &def, &batch, &error), &error);
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  check_ok(carom_batch_step(batch, 500, &error), &error);
  check_ok(carom_batch_get_world(batch, 1, sim, &error), &error);
  assert_true(sim->sleep.count == 1);
  check_ok(carom_batch_set_model(batch, 1, slippery, &error), &error);
  check_ok(carom_batch_step(batch, 250, &error), &error);
  const double* v = carom_batch_velocities(batch);
  assert_true(fabs(v[0]) < 1e-6 && fabs(v[6] - 3) < 1e-3);
  carom_sim_destroy(sim);
  carom_batch_destroy(batch);
  carom_model_destroy(slippery);
  carom_model_destroy(smooth);
  carom_model_destroy(model);
}

static void test_misuse_of_models(void** state) {
  (void)state;
  carom_error error;
  carom_batch* batch;
  carom_model *model = load(DOLL), *other = load(WORLD_MACHINE);
  check_ok(carom_batch_create(model, 2, NULL, &batch, &error), &error);
  assert_int_equal(carom_batch_set_model(batch, 2, model, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_batch_set_model(batch, 1, other, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "batch: the model of world 1 has other parts than the batch's");
  carom_model* heavy = vary(model, "body.1.mass", 3);
  carom_sim* sim;
  check_ok(carom_sim_create(model, NULL, &sim, &error), &error);
  check_ok(carom_batch_set_model(batch, 1, heavy, &error), &error);
  assert_int_equal(carom_batch_get_world(batch, 1, sim, &error), CAROM_ERROR_INVALID_ARGUMENT);
  check_ok(carom_batch_set_model(batch, 1, NULL, &error), &error);
  check_ok(carom_batch_get_world(batch, 1, sim, &error), &error);
  carom_sim_destroy(sim);
  carom_batch_destroy(batch);
  carom_model_destroy(heavy);
  carom_model_destroy(other);
  carom_model_destroy(model);
}

/* --- Memory -------------------------------------------------------------------------------------
 */

/* The second run of the same motion takes no memory, with models of their own neither. */
static void test_warm_steps(void** state) {
  (void)state;
  for (int threads = 1; threads < 3; threads++) {
    carom_error error;
    check_memory memory = check_memory_make();
    carom_model* model = load(WORLD_MACHINE);
    carom_model* light = vary(model, "model.gravity[2]", -5);
    carom_sim_def def = make_def(threads);
    def.allocator = check_memory_hooks(&memory);
    carom_batch* batch;
    check_ok(carom_batch_create(model, WORLDS, &def, &batch, &error), &error);
    for (int w = 0; w < WORLDS; w += 2)
      check_ok(carom_batch_set_model(batch, w, light, &error), &error);
    for (int pass = 0, warm = 0; pass < 3; pass++) {
      check_ok(carom_batch_reset(batch, NULL, -1, &error), &error);
      for (int step = 0; step < 150; step++) check_ok(carom_batch_step(batch, 1, &error), &error);
      if (pass == 1) warm = memory.num_allocations;
      if (pass == 2) assert_int_equal(memory.num_allocations, warm);
    }
    carom_batch_destroy(batch);
    carom_model_destroy(light);
    carom_model_destroy(model);
    check_memory_expect_empty(&memory);
  }
}

/* Creation, reset and first steps; the n-th allocation and all later ones fail. */
static carom_status live(const carom_model* model, const carom_model* other,
                         const carom_sim_def* def) {
  carom_error error;
  carom_batch* batch;
  carom_status status = carom_batch_create(model, 3, def, &batch, &error);
  assert_true((status == CAROM_OK) == (batch != NULL));
  if (status == CAROM_OK) carom_batch_coordinates(batch)[2] = 0.08;
  for (int i = 0; i < 3 && status == CAROM_OK; i++) {
    status = carom_batch_step(batch, 2, &error);
    if (status == CAROM_OK) status = carom_batch_set_model(batch, i, i ? other : NULL, &error);
    if (status != CAROM_OK && batch) assert_ptr_equal(carom_batch_get_model(batch, i), model);
  }
  carom_batch_destroy(batch);
  return status;
}

static void test_every_allocation_fails(void** state) {
  (void)state;
  carom_model *model = load(WORLD_MACHINE), *other = vary(model, "model.gravity[2]", -5);
  carom_status status = CAROM_ERROR_OUT_OF_MEMORY;
  int i = 0;
  for (; status != CAROM_OK; i++) {
    check_memory memory = check_memory_make();
    carom_sim_def def = make_def(2);
    def.allocator = check_memory_hooks(&memory);
    memory.fail_at = i;
    status = live(model, other, &def);
    if (status != CAROM_OK) assert_int_equal(status, CAROM_ERROR_OUT_OF_MEMORY);
    check_memory_expect_empty(&memory);
  }
  assert_true(i > 50);
  carom_model_destroy(other);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_simulations_alone),
      cmocka_unit_test(test_sensors_and_activations),
      cmocka_unit_test(test_tasks_of_the_host),
      cmocka_unit_test(test_reset),
      cmocka_unit_test(test_failed_world_stays),
      cmocka_unit_test(test_numbers_that_are_none),
      cmocka_unit_test(test_misuse),
      cmocka_unit_test(test_rollout),
      cmocka_unit_test(test_rollout_that_fails),
      cmocka_unit_test(test_world_in_a_simulation),
      cmocka_unit_test(test_own_models),
      cmocka_unit_test(test_reset_of_own_models),
      cmocka_unit_test(test_own_gravity),
      cmocka_unit_test(test_own_model_wakes),
      cmocka_unit_test(test_misuse_of_models),
      cmocka_unit_test(test_warm_steps),
      cmocka_unit_test(test_every_allocation_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
