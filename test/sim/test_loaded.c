/* How exact the free motion is: to round-off where a tree moves freely, whatever the tolerance of
 * the solver; to a share of the tolerance where it is loaded or where dampers and motors work; and
 * where constraints do what they did in the last step, to a share of that, since the balance of
 * momentum is linear about there. */
#include "sim/sim.h"
#include "support/world.h"

#include <math.h>
#include <stdlib.h>
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

static const char DAMPED[] = CHAIN(" damping='.1'") "</mujoco>";
static const char MOTOR[] = CHAIN("") "<actuator><motor joint='b'/></actuator></mujoco>";

typedef struct outcome {
  int evaluations;
  double q[MOST_Q];
} outcome;

static outcome run(const char* text, double tolerance) {
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = tolerance;
  def.sleep_share = 0; /* what rests is not evaluated */
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
  outcome loose = run(LOOP, 1e-6), tight = run(LOOP, 1e-10);
  assert_true(loose.evaluations <= tight.evaluations);
  check_near_array(loose.q, tight.q, 2, 1e-6 * STEPS);
}

/* Errors of a share of the tolerance, a step, add up to no more than the tolerance times the steps
 * and what a second of swinging grows them by. */
static void test_loaded(void** state) {
  (void)state;
  const char* scenes[] = {LIMITED, DRIVEN, DAMPED, MOTOR};
  for (int i = 0; i < 4; i++) {
    outcome loose = run(scenes[i], 1e-6), tight = run(scenes[i], 1e-10);
    print_message("%d evaluations, %d\n", loose.evaluations, tight.evaluations);
    assert_true(loose.evaluations < tight.evaluations);
    check_near_array(loose.q, tight.q, 2, 1e-6 * STEPS);
  }
}

/* Where the configuration is known, what was loaded goes by A and what was not by a sweep, to one
 * and the same step: a second simulation starts from each state without records. */
static void test_known_configuration(void** state) {
  (void)state;
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-12, def.scheme = CAROM_SYMPLECTIC;
  world w = world_create(LIMITED, &def), fresh = world_create(LIMITED, &def);
  int loaded = 0;
  for (int k = 0; k < STEPS; k++) {
    world_set(&fresh, world_q(&w), world_v(&w));
    loaded += world_step(&w).constraints > 0;
    world_step(&fresh);
    check_near_array(world_v(&fresh), world_v(&w), 2, 1e-9);
  }
  assert_in_range(loaded, 10, STEPS - 10);
  world_destroy(&w);
  world_destroy(&fresh);
}

static const char TUMBLER[] =
    "<mujoco><option timestep='.005'/><worldbody><geom type='plane' size='5 5 1'/>"
    "<body pos='0 0 .5' euler='20 50 0'><freejoint/><geom type='box' size='.1 .06 .04'/>"
    "<body pos='.12 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .2 0 0' "
    "size='.03'/>"
    "<body pos='.2 0 0'><joint axis='0 0 1'/><joint axis='1 0 0'/>"
    "<geom type='capsule' fromto='0 0 0 .1 .15 0' "
    "size='.03'/></body></body></body></worldbody></mujoco>";

static double distance(const world* a, const world* b) {
  double sum = 0;
  for (int i = 0; i < a->sizes.num_v; i++) {
    double d = world_v(a)[i] - world_v(b)[i];
    sum += d * d;
  }
  return sqrt(sum);
}

/* Lets a simulation think that next to nothing was loaded in the last step: impulses are where the
 * solver begins, so that its solution stays what it is, but v* goes to the tolerance. */
static void shrink_impulses(world* w) {
  for (int i = 0; i < w->sim->memory.count; i++)
    for (int k = 0; k < 3; k++) w->sim->memory.records[i].impulse[k] *= 1e-9;
}

/* A step from one state with one linearisation, with v* to the tolerance, and with many: the
 * difference of the last two is what a step misses, of which its free motion adds a tenth at most.
 */
static void test_share_of_linearisation(void** state) {
  (void)state;
  enum { FALL = 400 };
  carom_sim_def def = carom_sim_def_default();
  def.friction = CAROM_FRICTION_CONVEX, def.sigma = 1e-3, def.beta = 1;
  def.tolerance = 1e-11, def.sleep_share = 0;
  world w = world_create(TUMBLER, &def), strict = world_create(TUMBLER, &def);
  def.relinearise = 12;
  world often = world_create(TUMBLER, &def);
  double missed = 0, added = 0, v[9];
  int evaluations = 0, strict_evaluations = 0, touching = 0;
  for (int i = 0; i < 9; i++) v[i] = i < 3 ? 0.3 : 5 - i;
  world_set(&w, world_q(&w), v);
  for (int k = 0; k < FALL; k++) {
    world_state before = world_save(&w);
    world_restore(&strict, &before);
    world_restore(&often, &before);
    free(before.bytes);
    shrink_impulses(&strict);
    carom_step_report report = world_step(&w);
    strict_evaluations += world_step(&strict).free_iterations;
    world_step(&often);
    evaluations += report.free_iterations;
    touching += report.constraints > 0;
    missed += distance(&strict, &often);
    added += distance(&w, &strict);
  }
  print_message("%d of %d steps touch: %g m/s missed, %g added, %d evaluations for %d\n", touching,
                FALL, missed, added, evaluations, strict_evaluations);
  assert_true(touching > FALL / 2);
  assert_true(added > 0 && added < 0.1 * missed);
  assert_true(evaluations < strict_evaluations);
  world_destroy(&w), world_destroy(&strict), world_destroy(&often);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_motion),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_loaded),
      cmocka_unit_test(test_known_configuration),
      cmocka_unit_test(test_share_of_linearisation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
