/* Rigid contacts with Coulomb friction, which may have many solutions or none that can be found:
 * how much a bounded step leaves of the residual where robots are jammed, stacks topple and clutter
 * falls. */
#include "support/world.h"

#include "carom/scene.h"

#include <math.h>
#include <stdlib.h>

/* What some runs have left, of steps; the first of a run, which has no guess, is not bounded. */
typedef struct tally {
  int steps, missed, gross, most_iterations;
  double largest;
} tally;

static void add(const carom_step_report* report, double tolerance, tally* t) {
  t->steps++;
  t->missed += report->residual > tolerance;
  t->gross += report->residual > 1e-2;
  t->largest = fmax(t->largest, report->residual);
  if (report->iterations > t->most_iterations) t->most_iterations = report->iterations;
}

/* A scene from velocities that are off by up to `speed`, once from each seed. */
static tally run(const char* scene, double speed, int seeds, int steps) {
  carom_sim_def def = carom_sim_def_default();
  def.dt = 0.005;
  tally t = {0};
  for (int seed = 1; seed <= seeds; seed++) {
    check_random random = {(uint64_t)seed};
    carom_model* model;
    carom_error error;
    check_ok(carom_model_load(scene, NULL, &model, &error), &error);
    world w = world_create_from(model, &def);
    double* v = malloc(sizeof(double) * (size_t)w.sizes.num_v);
    for (int i = 0; i < w.sizes.num_v; i++)
      v[i] = world_v(&w)[i] + check_random_uniform(&random, -speed, speed);
    world_set(&w, world_q(&w), v);
    free(v);
    world_step(&w);
    for (int k = 1; k < steps; k++) {
      carom_step_report report = world_step(&w);
      add(&report, def.tolerance, &t);
    }
    world_destroy(&w);
  }
  print_message(
      "%s: %d of %d steps above the tolerance, %d above 1e-2, %g the most, %d iterations\n", scene,
      t.missed, t.steps, t.gross, t.largest, t.most_iterations);
  return t;
}

/* A robot that jams between its joints and the ground: one step in a hundred is missed, or so. */
static void test_robot(void** state) {
  (void)state;
  tally t = run(CR_SOURCE_DIR "/scenes/humanoid.xml", 1, 6, 400);
  assert_true(t.missed < t.steps / 25);
  assert_int_equal(t.gross, 0);
  assert_in_range(t.most_iterations, 1, 200);
}

/* Bodies that slide on redundant contacts are left above the tolerance, but not far above. */
static void test_stack(void** state) {
  (void)state;
  tally t = run(CR_SOURCE_DIR "/scenes/stack.xml", 0.25, 2, 150);
  assert_true(t.gross < t.steps / 50);
  assert_in_range(t.most_iterations, 1, 200);
}

static void test_clutter(void** state) {
  (void)state;
  tally t = run(CR_SOURCE_DIR "/scenes/clutter.xml", 0.25, 2, 200);
  assert_true(t.gross < t.steps / 50);
  assert_true(t.missed < t.steps / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_robot), cmocka_unit_test(test_stack),
                                     cmocka_unit_test(test_clutter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
