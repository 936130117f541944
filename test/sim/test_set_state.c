/* A state that is written back between steps, as controllers, estimators and co-simulations do:
 * what still fits stays, what does not is lost, and after carom_sim_forget nothing is left. */
#include "support/simulation.h"
#include "support/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTLED 3.0 /* s, after which the pile below hardly moves */

/* A pile in a bin, fallen; single balls still roll. */
static simulation settle(int count) {
  char* text = world_write_pile(count);
  simulation s = simulation_create(text, NULL);
  free(text);
  for (int i = simulation_count_steps(&s, SETTLED); i > 0; i--)
    assert_int_equal(carom_sim_step(s.sim, NULL, NULL), CAROM_OK);
  return s;
}

/* Boxes that sleep, two metres apart. */
static simulation sleep_boxes(void) {
  simulation s =
      simulation_create("<mujoco><worldbody><geom type='plane' size='9 9 1'/>"
                        "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
                        "<body pos='2 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
                        "</worldbody></mujoco>",
                        NULL);
  simulation_run_until(&s, SETTLED);
  assert_int_equal(s.report.sleeping_trees, 2);
  return s;
}

static simulation copy(const simulation* s) {
  simulation c = {.model = s->model};
  carom_error error;
  check_ok(carom_sim_copy(s->sim, &c.sim, &error), &error);
  c.q = carom_sim_coordinates(c.sim), c.v = carom_sim_velocities(c.sim);
  return c;
}

static void set_state(carom_sim* sim, double time, const double* q, const double* v) {
  carom_error error;
  check_ok(carom_sim_set_state(sim, time, q, v, &error), &error);
}

static size_t size_q(const simulation* s) {
  return sizeof(double) * (size_t)carom_model_get_sizes(s->model).num_q;
}

static size_t size_v(const simulation* s) {
  return sizeof(double) * (size_t)carom_model_get_sizes(s->model).num_v;
}

static void expect_same(const simulation* a, const simulation* b) {
  assert_memory_equal(a->q, b->q, size_q(a));
  assert_memory_equal(a->v, b->v, size_v(a));
}

/* Writing back what is there changes no bit, wakes nothing, and keeps the contacts. */
static void test_same_state(void** state) {
  (void)state;
  for (int sleeps = 0; sleeps < 2; sleeps++) {
    simulation a = sleeps ? sleep_boxes() : settle(20), b = copy(&a);
    for (int i = 0; i < 100; i++) {
      int before, after;
      carom_sim_contacts(b.sim, &before);
      set_state(b.sim, carom_sim_time(b.sim), b.q, b.v);
      carom_sim_contacts(b.sim, &after);
      assert_int_equal(before, after);
      simulation_step(&a), simulation_step(&b);
      expect_same(&a, &b);
      assert_int_equal(a.report.iterations, b.report.iterations);
      assert_int_equal(a.report.sleeping_trees, b.report.sleeping_trees);
    }
    int count;
    carom_sim_contacts(b.sim, &count);
    assert_true(count > 0);
    carom_sim_destroy(b.sim);
    simulation_destroy(&a);
  }
}

/* Velocities that are set anew by less than steps are solved to (over areas a thousandth of the
 * tolerance), at every step: on average at most one iteration more than the same pile that is left
 * alone, although both are different piles before long. */
static void test_nudged_velocities(void** state) {
  (void)state;
  simulation a = settle(20), b = copy(&a);
  check_random random = {5};
  int alone = 0, nudged = 0;
  double* v = malloc(size_v(&b));
  assert_non_null(v);
  for (int i = 0; i < 200; i++) {
    memcpy(v, b.v, size_v(&b));
    for (size_t k = 0; k < size_v(&b) / sizeof *v; k++)
      v[k] += check_random_uniform(&random, -1e-10, 1e-10);
    set_state(b.sim, carom_sim_time(b.sim), NULL, v);
    simulation_step(&a), simulation_step(&b);
    alone += a.report.iterations, nudged += b.report.iterations;
  }
  if (nudged > alone + 200) fail_msg("%d iterations, alone %d", nudged, alone);
  free(v);
  carom_sim_destroy(b.sim);
  simulation_destroy(&a);
}

/* Only what changes wakes: one of two boxes that sleep is pushed. */
static void test_wakes_what_changes(void** state) {
  (void)state;
  simulation s = sleep_boxes();
  double v[12] = {0};
  v[6] = 0.5;
  set_state(s.sim, SETTLED, NULL, v);
  simulation_step(&s);
  assert_int_equal(s.report.sleeping_trees, 1);
  assert_true(s.v[6] > 0.4);
  assert_true(s.v[0] == 0);
  simulation_destroy(&s);
}

/* A box held on a slope by anchored friction: what its contacts have given way by stays where
 * velocities are set, so that it does not move, and is lost where the box is put elsewhere: there
 * it gives way by x = m g_x / (4 k_t) at least, k_t = 0.82 k. */
static void test_anchors(void** state) {
  (void)state;
  const double k = 1e4, given = 4.0 / (4 * 0.82 * k);
  carom_sim_def def = carom_sim_def_default();
  def.friction = CAROM_FRICTION_ANCHORED;
  simulation s = simulation_create(
      "<mujoco><option gravity='4 0 -9'/><worldbody><geom type='plane' size='9 9 1' "
      "carom:stiffness='1e4'/><body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' "
      "mass='1' friction='.9'/></body></worldbody></mujoco>",
      &def);
  simulation_run_until(&s, 2);
  double at = s.q[0], v[6] = {0}, q[7];
  assert_true(at > given);
  set_state(s.sim, 2, NULL, v);
  simulation_run_until(&s, 3);
  check_near(s.q[0], at, 1e-3 * given);
  memcpy(q, s.q, sizeof q);
  q[0] += 1;
  set_state(s.sim, 3, q, v);
  simulation_run_until(&s, 5);
  assert_true(s.q[0] - 1 - at > given);
  simulation_destroy(&s);
}

/* After carom_sim_forget nothing tells where a state came from. */
static void test_forget(void** state) {
  (void)state;
  simulation a = settle(12), b = copy(&a);
  int count;
  for (int i = 0; i < 50; i++) simulation_step(&b);
  set_state(b.sim, SETTLED, a.q, a.v);
  carom_sim_forget(a.sim), carom_sim_forget(b.sim);
  carom_sim_contacts(a.sim, &count);
  assert_int_equal(count, 0);
  for (int i = 0; i < 50; i++) {
    simulation_step(&a), simulation_step(&b);
    expect_same(&a, &b);
  }
  carom_sim_destroy(b.sim);
  simulation_destroy(&a);
}

/* A copy goes on with the same bits. */
static void test_copy(void** state) {
  (void)state;
  simulation a = settle(12), b = copy(&a);
  assert_true(carom_sim_time(a.sim) == carom_sim_time(b.sim));
  for (int i = 0; i < 50; i++) {
    simulation_step(&a), simulation_step(&b);
    expect_same(&a, &b);
  }
  carom_sim_destroy(b.sim);
  simulation_destroy(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_state),
      cmocka_unit_test(test_nudged_velocities),
      cmocka_unit_test(test_wakes_what_changes),
      cmocka_unit_test(test_anchors),
      cmocka_unit_test(test_forget),
      cmocka_unit_test(test_copy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
