/* States of a simulation: saved and restored to the bit, in whatever simulation of the model; twins
 * stay twins; what is no state, or not finite, is refused with a sentence and changes nothing. */
#include "support/scene.h"
#include "support/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_refused(carom_status status, carom_status expected, const carom_error* error,
                           const char* sentence) {
  assert_int_equal(status, expected);
  assert_string_equal(error->message, sentence);
}

/* --- To the bit ---------------------------------------------------------------------------------
 */

static carom_sim_def def_of(int way) {
  static const carom_scheme schemes[] = {CAROM_MIDPOINT, CAROM_IMPLICIT, CAROM_SYMPLECTIC,
                                         CAROM_EXPLICIT, CAROM_MIDPOINT};
  carom_sim_def def = world_def(0.004, schemes[way]);
  def.friction = way == 3 ? CAROM_FRICTION_LAGGED : CAROM_FRICTION_COULOMB;
  if (way == 4) def.friction = CAROM_FRICTION_ANCHORED;
  def.relinearise = way % 2;
  return def;
}

/* Compliant boxes on a slope, one on the other. */
static const char STRETCHED[] =
    "<mujoco><option gravity='2 0 -9.6'/><default><geom friction='.6' carom:stiffness='2e4'/>"
    "</default><worldbody><geom type='plane' size='9 9 1'/>"
    "<body pos='0 0 .1'><freejoint/><geom type='box' size='.2 .2 .1' mass='2'/></body>"
    "<body pos='0 0 .25'><freejoint/><geom type='box' size='.1 .1 .05' mass='1'/></body>"
    "</worldbody></mujoco>";

/* Three stones and a box that fall on each other: hulls of a few points. */
static const char STONES[] =
    "<mujoco><asset><mesh name='s' vertex='.1 0 0  -.09 .02 .01  0 .11 .01  .01 -.1 0  0 .02 .08 "
    " .03 .01 -.09  .06 .06 .05  -.05 -.06 .05  .05 -.06 -.05'/>"
    "<mesh name='t' vertex='.2 .2 .05  -.2 .2 .05  -.2 -.2 .05  .2 -.2 .05  .2 .2 -.05  -.2 .2 "
    "-.05  -.2 -.2 -.05  .2 -.2 -.05'/></asset><option gravity='.2 .1 -9.8'/><worldbody>"
    "<geom type='plane' size='9 9 1'/>"
    "<body pos='0 0 .06'><freejoint/><geom type='mesh' mesh='t' mass='2'/></body>"
    "<body pos='-.1 0 .21'><freejoint/><geom type='mesh' mesh='s' mass='1'/></body>"
    "<body pos='.08 .05 .22'><freejoint/><geom type='mesh' mesh='s' mass='1'/></body>"
    "<body pos='0 .02 .4'><freejoint/><geom type='box' size='.1 .1 .05' mass='1'/></body>"
    "</worldbody></mujoco>";

/* Everything that a user may set: controls, a wrench, the step. */
static void set_all(world* w) {
  const double force[3] = {0.3, 0, 0.1}, torque[3] = {0, 0.02, 0};
  double* ctrl = carom_sim_controls(w->sim);
  for (int a = 0; a < w->sizes.num_actuators; a++) ctrl[a] = 0.2 + 0.1 * a;
  assert_int_equal(carom_sim_set_wrench(w->sim, 2, force, torque, NULL), CAROM_OK);
  assert_int_equal(carom_sim_set_dt(w->sim, 0.003, NULL), CAROM_OK);
}

/* Undoes it. */
static void spoil(world* w) {
  const double zero[3] = {0, 0, 0};
  double* ctrl = carom_sim_controls(w->sim);
  for (int a = 0; a < w->sizes.num_actuators; a++) ctrl[a] = -1;
  assert_int_equal(carom_sim_set_wrench(w->sim, 2, zero, zero, NULL), CAROM_OK);
  assert_int_equal(carom_sim_set_dt(w->sim, 0.005, NULL), CAROM_OK);
  world_run(w, 7);
}

/* A restored run goes on with the same bits, in the same simulation and in a new one. */
static void check_restored(const char* text, int way, int steps) {
  carom_sim_def def = def_of(way);
  world w = world_create(text, &def), other = world_create(text, &def);
  set_all(&w);
  world_run(&w, steps);
  world_state middle = world_save(&w);
  world_run(&w, steps);
  world_state end = world_save(&w);

  spoil(&w);
  world_restore(&w, &middle);
  world_state again = world_save(&w);
  world_expect_same(&again, &middle);
  world_run(&w, steps);
  world_restore(&other, &middle);
  world_run(&other, steps);
  world_expect_twins(&w, &other);
  free(again.bytes);
  again = world_save(&w);
  world_expect_same(&again, &end);
  free(middle.bytes), free(end.bytes), free(again.bytes);
  world_destroy(&w);
  world_destroy(&other);
}

static void test_restored_runs(void** state) {
  (void)state;
  char* pile = world_write_pile(8);
  for (int way = 0; way < 5; way++) {
    check_restored(WORLD_MACHINE, way, 80);
    check_restored(pile, way, 60);
    check_restored(STONES, way, 150);
  }
  check_restored(STRETCHED, 4, 60);
  free(pile);
}

/* Displacements of anchored friction belong to the state: without them the boxes start to swing.
 */
static void test_displacements_are_state(void** state) {
  (void)state;
  carom_sim_def def = def_of(4);
  world w = world_create(STRETCHED, &def);
  world_run(&w, 500);
  world_state rest = world_save(&w);
  world_run(&w, 1);
  for (int i = 0; i < w.sizes.num_v; i++) check_near(world_v(&w)[i], 0, 1e-9);
  world_restore(&w, &rest);
  world_set(&w, NULL, NULL);
  world_run(&w, 1);
  assert_true(fabs(world_v(&w)[0]) > 1e-3);
  free(rest.bytes);
  world_destroy(&w);
}

/* Rigid contacts do not give way: anchored friction is Coulomb's, to the bit. */
static void test_rigid_is_not_anchored(void** state) {
  (void)state;
  char* pile = world_write_pile(8);
  carom_sim_def coulomb = def_of(0), anchored = def_of(4);
  world a = world_create(pile, &coulomb), b = world_create(pile, &anchored);
  world_run(&a, 150);
  world_run(&b, 150);
  world_expect_twins(&a, &b);
  free(pile);
  world_destroy(&a);
  world_destroy(&b);
}

/* Reading, and asking for accelerations and contacts, changes nothing of what follows. */
static void test_queries_change_nothing(void** state) {
  (void)state;
  world a = world_create(WORLD_MACHINE, NULL), b = world_create(WORLD_MACHINE, NULL);
  double* poses = calloc((size_t)a.sizes.num_bodies, 7 * sizeof(double));
  double* acceleration = calloc((size_t)a.sizes.num_v, sizeof(double));
  for (int i = 0; i < 100; i++) {
    const carom_contact* contacts;
    int count;
    world_step(&a);
    world_step(&b);
    carom_sim_compute_energy(a.sim);
    carom_sim_compute_poses(a.sim, poses);
    assert_int_equal(carom_sim_compute_contacts(a.sim, &contacts, &count, NULL), CAROM_OK);
    assert_int_equal(carom_sim_compute_acceleration(a.sim, acceleration, NULL, NULL), CAROM_OK);
    world_expect_twins(&a, &b);
  }
  free(poses), free(acceleration);
  world_destroy(&a);
  world_destroy(&b);
}

/* An acceleration is that of the step which follows: (v1 - v0) / dt in coordinates where velocities
 * are their own derivatives. */
static void test_acceleration_is_that_of_the_step(void** state) {
  (void)state;
  world w = world_create(WORLD_MACHINE, NULL);
  double a[64], v0[64];
  int arm = 18; /* shoulder and elbow, after three free bodies */
  assert_int_equal(w.sizes.num_v, 31);
  for (int i = 0; i < 150; i++) {
    memcpy(v0, world_v(&w), sizeof(double) * (size_t)w.sizes.num_v);
    assert_int_equal(carom_sim_compute_acceleration(w.sim, a, NULL, NULL), CAROM_OK);
    carom_step_report report = world_step(&w);
    for (int k = arm; k < arm + 2; k++)
      check_near(a[k], (world_v(&w)[k] - v0[k]) / report.dt, 1e-12 / report.dt);
  }
  world_destroy(&w);
}

/* Setting a state forgets what steps carry: the same state gives the same run. */
static void test_set_state_forgets(void** state) {
  (void)state;
  world fresh = world_create(WORLD_MACHINE, NULL), used = world_create(WORLD_MACHINE, NULL);
  const double* reference = carom_model_get_reference(fresh.model);
  double* rest = calloc((size_t)fresh.sizes.num_v, sizeof(double));
  world_run(&used, 150);
  world_set(&used, reference, rest);
  world_set(&fresh, reference, rest);
  world_expect_twins(&fresh, &used);
  world_run(&fresh, 50);
  world_run(&used, 50);
  world_expect_twins(&fresh, &used);
  free(rest);
  world_destroy(&fresh);
  world_destroy(&used);
}

/* --- Refused ------------------------------------------------------------------------------------
 */

/* Whatever byte of a saved state is turned, and wherever it is cut. */
static void test_damaged_states(void** state) {
  (void)state;
  world w = world_create(WORLD_MACHINE, NULL);
  world_run(&w, 60);
  world_state good = world_save(&w);
  unsigned char* bad = malloc(good.size);
  carom_error error;
  for (size_t i = 0; i < good.size; i++) {
    memcpy(bad, good.bytes, good.size);
    bad[i] ^= 0x10;
    assert_int_equal(carom_sim_restore(w.sim, bad, good.size, &error), CAROM_ERROR_BAD_INPUT);
  }
  assert_string_equal(error.message, "state: the buffer is damaged");
  memcpy(bad, good.bytes, good.size);
  for (size_t size = 0; size < good.size; size++)
    assert_int_equal(carom_sim_restore(w.sim, bad, size, &error), CAROM_ERROR_BAD_INPUT);
  expect_refused(carom_sim_restore(w.sim, bad, 5, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "state: 5 bytes are too few");
  world_state now = world_save(&w);
  world_expect_same(&now, &good);
  free(bad), free(good.bytes), free(now.bytes);
  world_destroy(&w);
}

static void test_state_of_another_model(void** state) {
  (void)state;
  char* pile = world_write_pile(4);
  world w = world_create(WORLD_MACHINE, NULL), other = world_create(pile, NULL);
  world_state good = world_save(&w);
  carom_error error;
  expect_refused(carom_sim_restore(other.sim, good.bytes, good.size, &error), CAROM_ERROR_BAD_INPUT,
                 &error, "state: saved from another model");
  free(good.bytes), free(pile);
  world_destroy(&w);
  world_destroy(&other);
}

/* NaN and infinities in states, controls, wrenches and steps. */
static void test_not_finite(void** state) {
  (void)state;
  const double bad[3] = {0, NAN, 0}, good[3] = {0, 0, 0};
  const carom_status refused = CAROM_ERROR_INVALID_ARGUMENT;
  world w = world_create(WORLD_MACHINE, NULL);
  world_state before = world_save(&w);
  double x[64] = {0}, a[64];
  carom_error error;
  x[5] = INFINITY;
  expect_refused(carom_sim_set_state(w.sim, 0, x, NULL, &error), refused, &error,
                 "state: q[5] is inf, must be finite");
  expect_refused(carom_sim_set_state(w.sim, 0, NULL, x, &error), refused, &error,
                 "state: v[5] is inf, must be finite");
  expect_refused(carom_sim_set_state(w.sim, NAN, NULL, NULL, &error), refused, &error,
                 "state: time[0] is nan, must be finite");
  expect_refused(carom_sim_set_wrench(w.sim, 1, bad, good, &error), refused, &error,
                 "state: force[1] is nan, must be finite");
  expect_refused(carom_sim_set_wrench(w.sim, 1, good, bad, &error), refused, &error,
                 "state: torque[1] is nan, must be finite");
  expect_refused(carom_sim_set_dt(w.sim, NAN, &error), refused, &error,
                 "simulation: dt is nan, must be positive");
  expect_refused(carom_sim_set_dt(w.sim, -1, &error), refused, &error,
                 "simulation: dt is -1, must be positive");
  world_state after = world_save(&w);
  world_expect_same(&after, &before);
  carom_sim_controls(w.sim)[1] = NAN;
  expect_refused(carom_sim_step(w.sim, NULL, &error), refused, &error,
                 "state: ctrl[1] is nan, must be finite");
  expect_refused(carom_sim_compute_acceleration(w.sim, a, NULL, &error), refused, &error,
                 "state: ctrl[1] is nan, must be finite");
  carom_sim_controls(w.sim)[1] = 0;
  free(after.bytes);
  after = world_save(&w);
  world_expect_same(&after, &before);
  free(before.bytes), free(after.bytes);
  world_destroy(&w);
}

static void test_wrong_numbers(void** state) {
  (void)state;
  const double zero[3] = {0, 0, 0};
  const carom_status refused = CAROM_ERROR_INVALID_ARGUMENT;
  world w = world_create(WORLD_MACHINE, NULL);
  carom_error error;
  expect_refused(carom_sim_set_wrench(w.sim, 0, zero, zero, &error), refused, &error,
                 "wrench: there is no body 0");
  expect_refused(carom_sim_set_wrench(w.sim, 99, zero, zero, &error), refused, &error,
                 "wrench: there is no body 99");
  expect_refused(carom_sim_set_keyframe(w.sim, 0, &error), refused, &error,
                 "keyframe: index is 0, the model has 0 keyframes");
  expect_refused(carom_sim_step(NULL, NULL, &error), refused, &error,
                 "step: the simulation is null");
  world_destroy(&w);
}

/* Every option out of its range. */
static void test_options(void** state) {
  (void)state;
  carom_model* model = scene_load(WORLD_MACHINE);
  carom_sim_def fine = carom_sim_def_default(), defs[13];
  const char* const sentences[13] = {
      "simulation: the definition was not made by carom_sim_def_default()",
      "simulation: dt is inf, must be positive",
      "simulation: theta is 1.5, must be within 0 and 1",
      "simulation: relinearise is -1, must be 0 or more",
      "simulation: sigma is nan, must be 0 or more",
      "simulation: beta is -1, must be 0 or more",
      "simulation: tolerance is 0, must be positive",
      "simulation: max_iterations is 0, must be 1 or more",
      "simulation: recovery_speed is nan, must be 0 or more",
      "simulation: tangent_ratio is 0, must be positive",
      "simulation: soft_solver is 3, must be auto, direct or iterative (0, 1, 2)",
      "simulation: patches is 3, must be corners, area or auto (0, 1, 2)",
      "simulation: patch_error is -1, must be 0 or more"};
  for (int i = 0; i < 13; i++) defs[i] = fine;
  defs[0].cookie = 0, defs[1].dt = INFINITY, defs[2].theta[1] = 1.5, defs[3].relinearise = -1;
  defs[4].sigma = NAN, defs[5].beta = -1, defs[6].tolerance = 0, defs[7].max_iterations = 0;
  defs[8].recovery_speed = NAN, defs[9].tangent_ratio = 0;
  defs[10].soft_solver = (carom_soft_solver)3;
  defs[11].patches = (carom_patches)3, defs[12].patch_error = -1;
  for (int i = 0; i < 13; i++) {
    carom_sim* sim = NULL;
    carom_error error;
    expect_refused(carom_sim_create(model, &defs[i], &sim, &error), CAROM_ERROR_INVALID_ARGUMENT,
                   &error, sentences[i]);
    assert_null(sim);
  }
  carom_model_destroy(model);
}

/* Quaternions of a state need not be of unit length. */
static void test_quaternions_are_normalised(void** state) {
  (void)state;
  world w = world_create(WORLD_MACHINE, NULL);
  double q[64];
  memcpy(q, carom_model_get_reference(w.model), sizeof(double) * (size_t)w.sizes.num_q);
  q[3] = 1, q[4] = 2, q[5] = 2, q[6] = 4;
  world_set(&w, q, NULL);
  const double expected[4] = {0.2, 0.4, 0.4, 0.8};
  check_near_array(world_q(&w) + 3, expected, 4, 1e-16);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_restored_runs),
      cmocka_unit_test(test_displacements_are_state),
      cmocka_unit_test(test_rigid_is_not_anchored),
      cmocka_unit_test(test_queries_change_nothing),
      cmocka_unit_test(test_acceleration_is_that_of_the_step),
      cmocka_unit_test(test_set_state_forgets),
      cmocka_unit_test(test_damaged_states),
      cmocka_unit_test(test_state_of_another_model),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_wrong_numbers),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_quaternions_are_normalised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
