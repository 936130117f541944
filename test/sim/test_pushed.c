/* How exact the free motion is: to round-off where a tree moves freely or on equalities alone,
 * whatever the tolerance of the solver; to a share of the tolerance where it is pushed. */
#include "support/world.h"

#include <math.h>
#include <string.h>

enum { STEPS = 200, MOST_Q = 16 };

#define CHAIN(more)                                                               \
  "<mujoco><option timestep='.005'/><worldbody><geom type='plane' size='5 5 1'/>" \
  "<body pos='0 0 1.2'><joint name='a' axis='0 1 0'/>"                            \
  "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.04'/>"                       \
  "<body name='end' pos='.4 0 0'><joint name='b' axis='0 1 0'" more               \
  "/><geom type='capsule' fromto='0 0 0 .5 0 0' size='.04'/></body></body></worldbody>"

static const char FREE[] = CHAIN("") "</mujoco>";
static const char LIMITED[] = CHAIN(" limited='true' range='-10 10'") "</mujoco>";
static const char LOOP[] =
    CHAIN("") "<equality><connect body1='end' anchor='.5 0 0'/></equality></mujoco>";
static const char DRIVEN[] =
    CHAIN("") "<actuator><position joint='b' kp='50' kv='5' "
              "forcelimited='true' forcerange='-3 3'/></actuator></mujoco>";

typedef struct outcome {
  int evaluations;
  double q[MOST_Q];
} outcome;

static outcome run(const char* text, double tolerance) {
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = tolerance;
  def.rest_share = 0; /* what rests is not evaluated */
  world w = world_create(text, &def);
  outcome o = {0};
  for (int i = 0; i < STEPS; i++) o.evaluations += world_step(&w).free_iterations;
  memcpy(o.q, world_q(&w), sizeof(double) * (size_t)w.sizes.num_q);
  world_destroy(&w);
  return o;
}

static void test_free_motion(void** state) {
  (void)state;
  outcome loose = run(FREE, 1e-6), tight = run(FREE, 1e-10);
  assert_memory_equal(loose.q, tight.q, sizeof loose.q);
  assert_int_equal(loose.evaluations, tight.evaluations);
}

static void test_loop(void** state) {
  (void)state;
  assert_int_equal(run(LOOP, 1e-6).evaluations, run(LOOP, 1e-10).evaluations);
}

/* Errors of a share of the tolerance, a step, add up to no more than the tolerance times the steps
 * and what a second of swinging grows them by. */
static void test_pushed(void** state) {
  (void)state;
  const char* scenes[] = {LIMITED, DRIVEN};
  for (int i = 0; i < 2; i++) {
    outcome loose = run(scenes[i], 1e-6), tight = run(scenes[i], 1e-10);
    print_message("%d evaluations, %d\n", loose.evaluations, tight.evaluations);
    assert_true(loose.evaluations < tight.evaluations);
    check_near_array(loose.q, tight.q, 2, 1e-6 * STEPS);
  }
}

/* Where the configuration is known, what was pushed goes by A and what was not by a sweep, to one
 * and the same step: a second simulation starts from each state without records. */
static void test_known_configuration(void** state) {
  (void)state;
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-12, def.scheme = CAROM_SYMPLECTIC;
  world w = world_create(LIMITED, &def), fresh = world_create(LIMITED, &def);
  int pushed = 0;
  for (int k = 0; k < STEPS; k++) {
    world_set(&fresh, world_q(&w), world_v(&w));
    pushed += world_step(&w).constraints > 0;
    world_step(&fresh);
    check_near_array(world_v(&fresh), world_v(&w), 2, 1e-9);
  }
  assert_in_range(pushed, 10, STEPS - 10);
  world_destroy(&w);
  world_destroy(&fresh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_motion),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_pushed),
      cmocka_unit_test(test_known_configuration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
