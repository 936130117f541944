/* Time advances with every step, or the step is refused: steps whose square is no number, and times
 * so large that a step does not change them. */
#include "support/check.h"

#include "carom/scene.h"
#include "carom/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char SCENE[] =
    "<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.2'/></body></worldbody>"
    "<keyframe><key name='late' time='1e300'/><key name='soon' time='7'/></keyframe></mujoco>";

static carom_model* model;

static int set_up(void** state) {
  (void)state;
  carom_error error;
  return carom_model_load_string(SCENE, strlen(SCENE), "scene.xml", NULL, &model, &error);
}

static int tear_down(void** state) {
  (void)state;
  carom_model_destroy(model);
  return 0;
}

static carom_status create(double dt, carom_sim** sim, carom_error* error) {
  carom_sim_def def = carom_sim_def_default();
  def.dt = dt;
  return carom_sim_create(model, &def, sim, error);
}

static void test_steps(void** state) {
  (void)state;
  static const double BAD[] = {1e-300, 1e-160, 1e155, 1e308, -1e-3, INFINITY, NAN};
  static const double GOOD[] = {1e-150, 1e-9, 3, 1e150};
  carom_sim* sim;
  carom_error error;
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    assert_int_equal(create(BAD[i], &sim, &error), CAROM_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "simulation: dt is "));
  }
  for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
    check_ok(create(GOOD[i], &sim, &error), &error);
    carom_sim_destroy(sim);
  }
}

static void test_times(void** state) {
  (void)state;
  static const double BAD[] = {1e308, -1e308, 1e17, -1e17, DBL_MAX, 4503599627370496.0};
  static const double GOOD[] = {0, 1e9, -1e9, 1e12};
  carom_sim* sim;
  carom_error error;
  carom_step_report report;
  check_ok(create(0.003, &sim, &error), &error);
  for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
    check_ok(carom_sim_set_state(sim, GOOD[i], NULL, NULL, &error), &error);
    check_ok(carom_sim_step(sim, &report, &error), &error);
    assert_true(carom_sim_time(sim) > GOOD[i]);
  }
  double before = carom_sim_time(sim);
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    carom_status status = carom_sim_set_state(sim, BAD[i], NULL, NULL, &error);
    assert_int_equal(status, CAROM_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "which a step of 0.003 s does not advance"));
    assert_true(carom_sim_time(sim) == before);
  }
  assert_int_equal(carom_sim_set_keyframe(sim, 0, &error), CAROM_ERROR_INVALID_ARGUMENT);
  check_ok(carom_sim_set_keyframe(sim, 1, &error), &error);
  carom_sim_destroy(sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps), cmocka_unit_test(test_times)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
