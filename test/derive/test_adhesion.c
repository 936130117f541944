/* Derivatives of steps in which actuators make bodies stick to what they touch, against differences
 * of steps: by the controls all of it, by the state where what they touch does not move along. */
#include "support/parameter_differences.h"

#include "carom/parameter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two balls on one line that stick together, the second one pulled away. */
static const char LINE[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><joint name='ja' type='slide'"
    " axis='1 0 0'/><geom size='.1' mass='1'/></body><body name='b' pos='.2 0 0'><joint name='jb'"
    " type='slide' axis='1 0 0'/><geom size='.1' mass='3'/></body></worldbody><actuator>"
    "<adhesion body='a' gain='2' ctrlrange='0 1'/><motor joint='ja'/>"
    "<general body='b' gainprm='2' dyntype='filter' dynprm='0.1'/></actuator></mujoco>";

/* A cup that slides down a wall. */
static const char WALL[] =
    "<mujoco><option carom:contact_stiffness='1e5'/><worldbody><geom type='box' size='.1 1 1' "
    "pos='.15 0 0' friction='.1' priority='1'/>"
    "<body name='cup'><freejoint/><geom type='box' size='.05 .1 .08' mass='2'/></body></worldbody>"
    "<actuator>"
    "<adhesion name='a' body='cup' ctrlrange='0 1' gain='30'/></actuator></mujoco>";

static void test_line(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[i], def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d = step_differences_create(LINE, &def, 0);
    double v[2] = {0.3, 0.1};
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    double* u = carom_sim_controls(d.sim);
    u[0] = 0.6, u[1] = -1, u[2] = 0.5;
    for (int k = 0; k < 5; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    assert_false(step_differences_has_kink(&d));
    assert_true(d.found.num_held > 0);
    step_differences_expect(&d, 1e-7, 1e-6);
    step_differences_destroy(&d);
  }
}

static void test_wall(void** state) {
  (void)state;
  int compared = 0;
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed < 5; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13, def.sleep_share = 0;
      step_differences d = step_differences_create(WALL, &def, seed);
      carom_sim_controls(d.sim)[0] = 0.3 + 0.1 * seed;
      step_differences_push(&d, 0.05, 5);
      if (!step_differences_has_kink(&d)) {
        step_differences_compute(&d, 1e-5);
        step_differences_expect_transpose(&d, &d.found);
        int nv = d.model->num_v;
        double most = 1e-3;
        for (int r = 0; r < nv; r++) most = fmax(most, fabs(d.dB[nv + r]));
        for (int r = 0; r < nv; r++) check_near(d.B[nv + r] / most, d.dB[nv + r] / most, 1e-6);
        compared++;
      }
      step_differences_destroy(&d);
    }

  assert_true(compared > 3);
}

/* A ball that hangs from a slab by what sticks, and is swung along it. */
static const char STICKY[] =
    "<mujoco><worldbody><geom name='slab' type='box' size='1 1 .1' pos='0 0 .3' adhesion='20'"
    " friction='.4'/><body pos='0 0 .1'><freejoint/><geom name='ball' size='.1' mass='2'"
    " adhesion='15' friction='.4'/></body></worldbody></mujoco>";

/* The column of a parameter of one number against a difference of v1. */
static void expect_column(const step_differences* d, const carom_parameter* p, const double* C) {
  int nv = d->model->num_v;
  double h = 1e-3, v[2][6], most = 1e-3;
  for (int k = 0; k < 2; k++) {
    carom_model* model = NULL;
    carom_sim* sim = parameter_differences_vary(d, p, 0, k ? h : -h, &model);
    assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
    memcpy(v[k], carom_sim_velocities(sim), sizeof v[k]);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
  }
  for (int i = 0; i < nv; i++) most = fmax(most, fabs(v[1][i] - v[0][i]) / (2 * h));
  for (int i = 0; i < nv; i++)
    check_near(C[nv + i] / most, (v[1][i] - v[0][i]) / (2 * h) / most, 1e-6);
  assert_true(most > 2e-3); /* it slides the less the more it sticks */
}

static void test_sticky(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.slab.adhesion", "geom.ball.adhesion"};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      carom_sim_def def = carom_sim_def_default();
      carom_parameter p;
      carom_error error;
      def.scheme = step_schemes[i], def.tolerance = 1e-13, def.sleep_share = 0;
      step_differences d = step_differences_create(STICKY, &def, 0);
      const double v[6] = {1, 0.5, 0, 0, 0, 0};
      double* C = calloc((size_t)d.num_x, sizeof *C);
      assert_non_null(C);
      assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
      for (int s = 0; s < 5; s++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
      carom_sim_forget_motion(d.sim);
      assert_int_equal(
          carom_builder_find_parameter(carom_model_get_description(d.model), NAMES[k], &p, &error),
          0);
      carom_linearization out = {.C = C, .parameters = &p, .num_parameters = 1};
      step_differences_save(&d);
      if (carom_sim_linearize(d.sim, &out, &error) != CAROM_OK) fail_msg("%s", error.message);
      expect_column(&d, &p, C);
      free(C);
      step_differences_destroy(&d);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_line), cmocka_unit_test(test_wall),
                                     cmocka_unit_test(test_sticky)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
