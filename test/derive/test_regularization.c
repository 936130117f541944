/* Derivatives of steps with the published regularisation of contact, R_t = sigma w and R_n >=
 * beta² w / 4 pi², whose w moves with the mobility of each contact's force. */
#include "support/parameter_differences.h"

#include <stdio.h>

/* A leg with a damped knee whose foot is a ball that resists rolling, a ball, and a tripod that
 * resists spinning, all in the floor; `contact` is what geometries have beside. */
static const char SCENE[] =
    "<mujoco><option timestep='0.002'/><default><geom friction='0.6 0.01 0.002' %s/>"
    "<joint armature='0.001'/></default><worldbody><geom name='floor' type='plane' size='5 5 1'/>"
    "<body name='hip' pos='0 0 0.4558'><joint type='slide' axis='0 0 1'/>"
    "<joint type='slide' axis='1 0 0'/>"
    "<geom type='box' size='0.1 0.1 0.05' contype='0' conaffinity='0'/>"
    "<body euler='0 40 0'><joint name='knee' axis='0 1 0' damping='2'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.03' contype='0' conaffinity='0'/>"
    "<body name='foot' pos='0 0 -0.25' euler='0 -70 10'><joint axis='0 1 0'/>"
    "<joint axis='1 0 0' stiffness='5'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.02' contype='0' conaffinity='0'/>"
    "<geom name='ball' pos='0 0 -0.27' size='0.03' condim='6'/></body></body></body>"
    "<body pos='1 0 0.0498'><freejoint/><geom size='0.05'/></body>"
    "<body pos='-1 0 0.0497' euler='0.03 0.02 20'><freejoint/>"
    "<geom size='0.02' pos='0.1 0 -0.03' condim='4'/>"
    "<geom size='0.02' pos='-0.1 0.1 -0.03' condim='4'/>"
    "<geom size='0.02' pos='-0.1 -0.1 -0.03' condim='4'/></body></worldbody></mujoco>";

typedef struct course {
  const char* contact;
  double sigma, beta;
  double share; /* of the random velocities */
} course;

static carom_sim_def define(const course* run, int scheme) {
  carom_sim_def def = carom_sim_def_default();
  def.scheme = step_schemes[scheme];
  def.friction = scheme ? CAROM_FRICTION_COULOMB : CAROM_FRICTION_CONVEX;
  def.tolerance = 1e-13, def.sleep_share = 0;
  def.sigma = run->sigma, def.beta = run->beta;
  return def;
}

static void expect(const course* run) {
  char text[4096];
  int compared = 0;
  snprintf(text, sizeof text, SCENE, run->contact);
  for (int k = 0; k < 9; k++) {
    carom_sim_def def = define(run, k % 3);
    step_differences d = step_differences_create(text, &def, 1 + k / 3);
    step_differences_push(&d, run->share, 0);
    if (!step_differences_has_kink(&d)) {
      assert_int_equal(d.found.num_held, 0);
      step_differences_expect(&d, 1e-6, 3e-7);
      compared++;
    }
    step_differences_destroy(&d);
  }
  assert_true(compared > 3);
}

static void test_rigid(void** state) {
  (void)state;
  expect(&(course){"", 1e-3, 1, 0.2});
  expect(&(course){"", 0.1, 3, 1});
}

/* Springs that are softer than the film, and harder. */
static void test_compliant(void** state) {
  (void)state;
  expect(&(course){"carom:stiffness='1e5'", 0.05, 0, 0.05});
  expect(&(course){"carom:stiffness='1e8'", 0.01, 2, 0.2});
}

/* Masses, sizes, and what surfaces are made of. */
static void test_parameters(void** state) {
  (void)state;
  static const char* const NAMES[] = {"body.foot.mass", "geom.ball.size", "geom.floor.stiffness",
                                      "body.foot.position"};
  static const course RUNS[] = {{"", 0.1, 3, 1}, {"carom:stiffness='1e5'", 0.05, 1, 0.2}};
  char text[4096];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text, SCENE, RUNS[i].contact);
    carom_sim_def def = define(&RUNS[i], 1);
    step_differences d = step_differences_create(text, &def, 1);
    step_differences_push(&d, RUNS[i].share, 0);
    parameter_differences_expect(&d, NAMES, i ? 4 : 2, 1e-4);
    step_differences_destroy(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rigid), cmocka_unit_test(test_compliant),
                                     cmocka_unit_test(test_parameters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
