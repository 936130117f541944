/* Derivatives of steps with contacts, against differences of steps. */
#include "support/step_differences.h"

#include <math.h>
#include <stdio.h>

#define WORLD(option, body)                                                                 \
  "<mujoco><option timestep='0.002' " option "/><worldbody><geom name='floor' type='plane'" \
  " size='5 5 1' " FLOOR "/>" body "</worldbody></mujoco>"
#define FLOOR "friction='0.6 0.005 0.0001'"

/* Lets bodies fall and settle with a velocity, then compares. */
static void expect(const char* text, int steps, double push, carom_friction friction) {
  static const carom_scheme SCHEMES[] = {CAROM_MIDPOINT, CAROM_SYMPLECTIC, CAROM_IMPLICIT};
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= 3; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = SCHEMES[i], def.tolerance = 1e-13, def.friction = friction;
      def.recovery_speed = 1e3, def.rest_share = 0;
      step_differences d = step_differences_create(text, &def, seed);
      double* v = (double*)carom_sim_velocities(d.sim);
      for (int k = 0; k < d.model->num_v; k++) v[k] *= push;
      carom_sim_set_state(d.sim, 0, d.model->q_reference, NULL, NULL);
      for (int k = 0; k < steps; k++) carom_sim_step(d.sim, NULL, NULL);
      step_differences_expect(&d, 5e-6, 1e-7);
      step_differences_destroy(&d);
    }
}

static const char BALL_ON_FLOOR[] =
    WORLD("", "<body pos='0 0 0.1'><freejoint/><geom size='0.1' friction='0.6'/></body>");
static const char BOX[] = WORLD(
    "",
    "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.15 0.1' friction='0.6'/></body>");

static void test_ball(void** state) {
  (void)state;
  expect(BALL_ON_FLOOR, 100, 1, CAROM_FRICTION_COULOMB);
  expect(BALL_ON_FLOOR, 100, 1, CAROM_FRICTION_CONVEX);
}

static void test_box(void** state) {
  (void)state;
  expect(BOX, 100, 0.5, CAROM_FRICTION_COULOMB);
  expect(BOX, 100, 0.5, CAROM_FRICTION_CONVEX);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball), cmocka_unit_test(test_box)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
