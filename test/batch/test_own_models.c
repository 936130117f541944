/* Worlds with models of their own: each has the bits of a simulation of that model, from any state
 * on, and from its start; what sleeps wakes; other models are refused. */
#include "base/tasks.h"
#include "batch/pairing.h"
#include "sim/sim.h"

enum { VARIED = 5, DOLL_Q = 8 };

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
    if (keyframe < 0) assert_true(row(carom_batch_coordinates(p.batch), 4, DOLL_Q)[2] == 0.5);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_models),       cmocka_unit_test(test_reset_of_own_models),
      cmocka_unit_test(test_own_gravity),      cmocka_unit_test(test_own_model_wakes),
      cmocka_unit_test(test_misuse_of_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
