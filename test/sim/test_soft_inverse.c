/* Steps with conjugate gradients in place of factors: the same within the tolerance, the same to
 * the bit from the same state and with any number of threads, and by a factor where they fail. */
#include "support/soft_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A block on the ground with a ball on top and the arm; another, held on one side, at `y`. */
static world make(const carom_sim_def* options, double young, double poisson) {
  const double ball[3] = {0.06, 0, 0};
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def def = soft_block(0.2, 4, 0.1);
  def.young = young, def.poisson = poisson;
  soft_scene_add_plane(&s);
  carom_soft soft = soft_scene_add(&s, &def);
  soft_scene_add_free(&s, CAROM_GEOM_SPHERE, ball, 0.262, 0.5);
  soft_scene_add_arm(&s, soft);
  def.position[1] = 1;
  carom_attachment_def hold = carom_attachment_def_default();
  hold.soft = soft_scene_add(&s, &def);
  for (int k = 0; k < 3; k++) hold.low[k] = -2, hold.high[k] = k ? 2 : -0.1 + 1e-9;
  check_ok(carom_builder_add_attachment(s.builder, &hold, &s.error), &s.error);
  return soft_scene_finish(&s, options);
}

static carom_sim_def options_of(carom_soft_solver solver, carom_scheme scheme, double tolerance) {
  carom_sim_def options = world_def(0.005, scheme);
  options.soft_solver = solver, options.tolerance = tolerance;
  return options;
}

static void run_certified(world* w, int steps, double tolerance) {
  for (int i = 0; i < steps; i++) {
    carom_step_report report = world_step(w);
    assert_true(report.contacts > 0);
    assert_int_equal(report.substeps, 1);
    assert_true(report.residual <= tolerance);
  }
}

/* Both are within the certificate of the solution: in every step 2 tolerance |v* - v0|_A, of which
 * g dt sqrt(mass) is the most, may stand between the velocities of the lightest nodes; and as much
 * again for what a step makes of the difference before it. Rigid contact gives way by 1e-8 of the
 * effective mass, which iterations only estimate. */
static void test_same_steps(void** state) {
  (void)state;
  const double tolerance = 1e-9, dt = 0.005;
  for (int scheme = CAROM_IMPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    world w[2];
    for (int k = 0; k < 2; k++) {
      carom_sim_def options =
          options_of(k ? CAROM_SOFT_ITERATIVE : CAROM_SOFT_DIRECT, (carom_scheme)scheme, tolerance);
      w[k] = make(&options, 1e5, 0.3);
      run_certified(&w[k], 20, tolerance);
    }
    double largest = 0, mass = 17, lightest = 8.0 / 64 / 24;
    for (int i = 0; i < w[0].sizes.num_q; i++)
      largest = fmax(largest, fabs(world_q(&w[0])[i] - world_q(&w[1])[i]));
    double each = 2 * (tolerance + 1e-8) * 9.81 * dt * sqrt(mass / lightest);
    print_message("%.1e m apart of %.1e\n", largest, 20 * 20 * dt * each);
    assert_true(largest <= 20 * 20 * dt * each);
    assert_true(largest > 0); /* they are two ways */
    for (int k = 0; k < 2; k++) world_destroy(&w[k]);
  }
}

/* Nothing but the state is kept from step to step. */
static void test_restored(void** state) {
  (void)state;
  carom_sim_def options = options_of(CAROM_SOFT_ITERATIVE, CAROM_IMPLICIT, 1e-6);
  world a = make(&options, 1e5, 0.3), b = make(&options, 1e5, 0.3);
  world_run(&a, 10);
  world_state middle = world_save(&a);
  world_restore(&b, &middle);
  world_run(&a, 10), world_run(&b, 10);
  world_state ends[2] = {world_save(&a), world_save(&b)};
  world_expect_same(&ends[0], &ends[1]);
  free(middle.bytes), free(ends[0].bytes), free(ends[1].bytes);
  world_destroy(&a), world_destroy(&b);
}

static void test_threads(void** state) {
  (void)state;
  world_state ends[3];
  for (int k = 0; k < 3; k++) {
    carom_sim_def options = options_of(CAROM_SOFT_ITERATIVE, CAROM_MIDPOINT, 1e-6);
    options.threads = 1 << k;
    world w = make(&options, 1e5, 0.3);
    world_run(&w, 10);
    ends[k] = world_save(&w);
    world_destroy(&w);
  }
  for (int k = 1; k < 3; k++) world_expect_same(&ends[0], &ends[k]);
  for (int k = 0; k < 3; k++) free(ends[k].bytes);
}

static world_state run_to_end(carom_soft_solver solver, double young, double poisson,
                              double tolerance) {
  carom_sim_def options = options_of(solver, CAROM_IMPLICIT, tolerance);
  options.dt = 0.02;
  world w = make(&options, young, poisson);
  world_run(&w, 3);
  world_state end = world_save(&w);
  world_destroy(&w);
  return end;
}

/* In a nearly incompressible and very stiff block a tolerance near round-off cannot be certified by
 * iterations: the steps are those of factors, to the bit. */
static void test_fallback(void** state) {
  (void)state;
  world_state iterative = run_to_end(CAROM_SOFT_ITERATIVE, 1e10, 0.499, 1e-9);
  world_state direct = run_to_end(CAROM_SOFT_DIRECT, 1e10, 0.499, 1e-9);
  world_expect_same(&iterative, &direct);
  free(iterative.bytes), free(direct.bytes);
}

/* Small bodies are factored where nothing else is asked for. */
static void test_auto(void** state) {
  (void)state;
  world_state chosen = run_to_end(CAROM_SOFT_AUTO, 1e5, 0.3, 1e-6);
  world_state direct = run_to_end(CAROM_SOFT_DIRECT, 1e5, 0.3, 1e-6);
  world_expect_same(&chosen, &direct);
  free(chosen.bytes), free(direct.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_steps), cmocka_unit_test(test_restored),
      cmocka_unit_test(test_threads), cmocka_unit_test(test_fallback), cmocka_unit_test(test_auto)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
