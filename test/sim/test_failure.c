/* Steps that fail: the state stays, the report says what happened, and before that the step is
 * tried in halves and quarters, and by implicit Euler in up to 256 parts. */
#include "support/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two iterations of each of the solver's methods fail at the impacts of a pile, the more often the
 * smaller the tolerance; 0: all that it needs. */
static carom_sim_def hurried_def(double tolerance) {
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  def.friction = CAROM_FRICTION_CONVEX;
  def.solver = CAROM_SOLVER_PRIMAL;
  def.patches = CAROM_PATCHES_CORNERS; /* areas are solved to less than is asked for */
  if (tolerance > 0) def.max_iterations = 2, def.tolerance = tolerance;
  return def;
}

static carom_step_report step(world* w) {
  carom_step_report report;
  carom_error error;
  check_ok(carom_sim_step(w->sim, &report, &error), &error);
  return report;
}

static void expect_unchanged(world* w, const world_state* before) {
  world_state now = world_save(w);
  world_expect_same(&now, before);
  free(now.bytes);
}

/* A step in parts is as many steps of a simulation that takes them on its own, to the bit. */
static void check_parts(const char* text, const carom_sim_def* def, const world_state* before,
                        const world* after, const carom_step_report* report) {
  world w = world_create(text, def);
  double time = 0;
  int struck = 0, factorizations = 0;
  double dissipated = 0;
  world_restore(&w, before);
  time = carom_sim_time(w.sim) + report->dt;
  check_ok(carom_sim_set_dt(w.sim, report->dt / report->substeps, NULL), &(carom_error){0});
  for (int i = 0; i < report->substeps; i++) {
    carom_step_report part = world_step(&w);
    assert_int_equal(part.substeps, 1);
    struck += part.impact_islands, dissipated += part.dissipated;
    factorizations += part.factorizations;
  }
  assert_memory_equal(world_q(&w), world_q(after), sizeof(double) * (size_t)w.sizes.num_q);
  assert_memory_equal(world_v(&w), world_v(after), sizeof(double) * (size_t)w.sizes.num_v);
  assert_int_equal(struck, report->impact_islands);
  assert_int_equal(factorizations, report->factorizations);
  check_near(dissipated, report->dissipated, 1e-14 * fabs(dissipated));
  check_near(carom_sim_time(after->sim), time, 0);
  world_destroy(&w);
}

/* Many seeds of trouble: the same pile with smaller and smaller tolerances. Every outcome comes:
 * done at once, in halves, in quarters, not at all. */
static void test_parts(void** state) {
  (void)state;
  char* pile = world_write_pile(12);
  int seen[257] = {0}, failed = 0;
  for (double tolerance = 1e-9; tolerance > 1e-14; tolerance /= 2.5) {
    carom_sim_def def = hurried_def(tolerance);
    world w = world_create(pile, &def);
    for (int i = 0; i < 60; i++) {
      world_state before = world_save(&w);
      double time = carom_sim_time(w.sim);
      carom_step_report report = step(&w);
      assert_true(report.dt == def.dt);
      if (report.outcome == CAROM_STEP_DONE) {
        seen[report.substeps]++;
        assert_true(report.time == time + def.dt && carom_sim_time(w.sim) == report.time);
        if (report.substeps > 1 && !report.is_implicit)
          check_parts(pile, &def, &before, &w, &report);
      } else {
        failed++;
        assert_int_equal(report.outcome, CAROM_STEP_SOLVER);
        assert_int_equal(report.substeps, 256);
        assert_in_range(report.failed_body, 1, 12);
        assert_true(report.time == time);
        expect_unchanged(&w, &before);
      }
      free(before.bytes);
      if (report.outcome != CAROM_STEP_DONE) break;
    }
    world_destroy(&w);
  }
  print_message("%d steps whole, %d in halves, %d in quarters, %d failed\n", seen[1], seen[2],
                seen[4], failed);
  assert_true(seen[1] > 0 && seen[2] > 0 && seen[4] > 0 && failed > 0);
  free(pile);
}

/* After failed steps all goes on as if they had never been tried. */
static void test_failure_leaves_no_trace(void** state) {
  (void)state;
  char* pile = world_write_pile(12);
  const double none[3] = {0}, much[3] = {1e308, 1e308, 0};
  carom_sim_def def = hurried_def(0);
  world w = world_create(pile, &def), healthy = world_create(pile, &def);
  for (int i = 0; i < 100; i++) {
    check_ok(carom_sim_set_wrench(w.sim, 1 + i % 12, much, none, NULL), &(carom_error){0});
    for (int k = 0; k < i % 4; k++) assert_int_not_equal(step(&w).outcome, CAROM_STEP_DONE);
    check_ok(carom_sim_set_wrench(w.sim, 1 + i % 12, none, none, NULL), &(carom_error){0});
    world_step(&w);
    world_step(&healthy);
    world_expect_twins(&w, &healthy);
  }
  free(pile);
  world_destroy(&w);
  world_destroy(&healthy);
}

/* Numbers that overflow: the state stays finite, and as it was. */
static void test_not_finite(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    world w = world_create(WORLD_MACHINE, &def);
    const double force[3] = {1e308, 1e308, 0}, torque[3] = {0, 0, 1e308};
    for (int body = 1; body < 4; body++)
      check_ok(carom_sim_set_wrench(w.sim, body, force, torque, NULL), &(carom_error){0});
    world_state before = world_save(&w);
    carom_step_report report = step(&w);
    assert_int_not_equal(report.outcome, CAROM_STEP_DONE);
    expect_unchanged(&w, &before);
    double a[64];
    assert_int_equal(carom_sim_compute_acceleration(w.sim, a, &report, NULL), CAROM_OK);
    assert_int_not_equal(report.outcome, CAROM_STEP_DONE);
    for (int i = 0; i < w.sizes.num_v; i++) assert_true(isnan(a[i]));
    expect_unchanged(&w, &before);
    free(before.bytes);
    world_destroy(&w);
  }
}

/* Without gravity two rods whirl about hinges faster than an implicit step can follow: the free
 * motion is tried in parts, braked where all of these gain, and never ends far from what is
 * possible. */
static void test_free_motion(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.5, CAROM_IMPLICIT);
  world w = world_create("<mujoco><option gravity='0 0 0'/><worldbody>"
                         "<body><joint name='a' axis='0 1 0'/><geom type='capsule' "
                         "fromto='0 0 0 1 0 0' size='.03'/>"
                         "<body pos='1 0 0'><joint name='b' axis='0 1 0'/><geom type='capsule' "
                         "fromto='0 0 0 1 0 0' size='.03' contype='0'/></body></body>"
                         "</worldbody></mujoco>",
                         &def);
  int failures = 0, parts = 0, braked = 0;
  for (int i = 0; i < 60; i++) {
    double v[2] = {pow(10, 0.1 * i), -2 * pow(10, 0.1 * i)}, q[2] = {0.3 * i, 1};
    world_set(&w, q, v);
    world_state before = world_save(&w);
    double energy = world_energy(&w);
    carom_step_report report = step(&w);
    if (report.outcome != CAROM_STEP_DONE) {
      failures++;
      assert_int_equal(report.outcome, CAROM_STEP_FREE_MOTION);
      expect_unchanged(&w, &before);
    } else
      assert_true(world_energy(&w) <= 1.3 * energy);
    parts += report.outcome == CAROM_STEP_DONE && report.substeps > 1;
    braked += report.braked > 0;
    free(before.bytes);
  }
  print_message("%d steps in parts, %d braked, %d failed\n", parts, braked, failures);
  assert_true(parts > 0 && braked > 0);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts), cmocka_unit_test(test_failure_leaves_no_trace),
      cmocka_unit_test(test_not_finite), cmocka_unit_test(test_free_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
