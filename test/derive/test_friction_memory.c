/* Derivatives of steps whose friction takes something over from the step before, anchored and
 * lagged, with that held, against differences of steps that have it. */
#include "support/step_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOFT            " carom:stiffness='4e5' carom:dissipation='0.004'"
#define FREE(pos, geom) "<body pos='" pos "'><freejoint/><geom " geom "/></body>"

static int num_compared;

/* A state some steps after a push, a number of times more of the first step's speed. */
typedef struct course {
  int steps;
  double push, tolerance;
} course;

static void compare(const char* text, const carom_sim_def* def, int seed, const course* run) {
  step_differences d = step_differences_create(text, def, seed);
  step_differences_push(&d, run->push, run->steps);
  d.keeps_memory = true;
  if (!step_differences_has_kink(&d) && d.found.num_held == 0) {
    step_differences_expect(&d, 1e-5, run->tolerance);
    num_compared++;
  }
  step_differences_destroy(&d);
}

static void expect(carom_friction friction, const char* geom, const char* body, const course* run) {
  static const carom_scheme SCHEMES[] = {CAROM_MIDPOINT, CAROM_SYMPLECTIC, CAROM_IMPLICIT};
  char text[4096];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.002' gravity='0 0 -200'/><default><geom"
           " friction='0.6 0.02 0.01'%s/></default><worldbody><geom type='plane' size='5 5 1'/>%s"
           "</worldbody></mujoco>",
           geom, body);
  num_compared = 0;
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= 3; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = SCHEMES[i], def.friction = friction, def.tolerance = 1e-13;
      def.solver = CAROM_SOLVER_IPM, def.recovery_speed = 1e3, def.sleep_share = 0;
      compare(text, &def, seed, run);
    }
  assert_true(num_compared >= 3);
}

/* Sticking, then sliding, the springs along the tangents stretched. */
static void test_anchored(void** state) {
  (void)state;
  const course stick = {30, 0.1, 3e-7}, slide = {30, 2, 3e-7};
  const char *ball = FREE("0 0 0.1", "size='0.1'"),
             *box = FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'"),
             *two = FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'")
                 FREE("0.02 0.01 0.26", "size='0.06'");
  expect(CAROM_FRICTION_ANCHORED, SOFT, ball, &stick);
  expect(CAROM_FRICTION_ANCHORED, SOFT, box, &stick);
  expect(CAROM_FRICTION_ANCHORED, SOFT, box, &slide);
  expect(CAROM_FRICTION_ANCHORED, " carom:stiffness='4e5'", box, &stick);
  expect(CAROM_FRICTION_ANCHORED, SOFT, two, &stick);
}

static void test_lagged(void** state) {
  (void)state;
  const course stick = {30, 0.1, 3e-7}, slide = {30, 2, 3e-7};
  const char *ball = FREE("0 0 0.1", "size='0.1' condim='6'"),
             *box = FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'");
  expect(CAROM_FRICTION_LAGGED, SOFT, ball, &stick);
  expect(CAROM_FRICTION_LAGGED, SOFT, ball, &slide);
  expect(CAROM_FRICTION_LAGGED, "", box, &stick);
  expect(CAROM_FRICTION_LAGGED, "", box, &slide);
}

/* What would have to follow the memory from step to step, or to know a disc's central path. */
static void test_refusal(void** state) {
  (void)state;
  carom_sim_def def = carom_sim_def_default();
  def.friction = CAROM_FRICTION_LAGGED;
  step_differences d = step_differences_create(
      "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>", &def,
      0);
  carom_tape* tape = NULL;
  carom_error error;
  assert_int_equal(carom_tape_create(d.sim, NULL, &tape, &error), CAROM_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "which a tape does not follow"));
  carom_linearization out = {.A = d.A, .smoothing = 1e-3};
  assert_int_equal(carom_sim_linearize(d.sim, &out, &error), CAROM_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "lagged friction on the central path"));
  step_differences_destroy(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_anchored),
      cmocka_unit_test(test_lagged),
      cmocka_unit_test(test_refusal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
