/* Worlds of a batch: each has the bits of a simulation alone, for any number of threads; what is
 * written into the arrays is set as in a simulation; failed worlds stay; warm steps take no memory.
 */
#include "base/tasks.h"
#include "batch/pairing.h"
#include "support/memory.h"

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
      cmocka_unit_test(test_warm_steps),
      cmocka_unit_test(test_every_allocation_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
