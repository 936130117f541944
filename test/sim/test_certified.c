/* Every step with Coulomb's friction ends in a problem that is solved to the tolerance, whatever is
 * piled up, wedged or gripped; how far that is from Coulomb's law stands in a figure of its own. */
#include "math/vec3.h"
#include "support/check.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 16, SEEDS = 40 };

typedef struct text {
  char data[MOST_TEXT];
  size_t size;
} text;

static void add(text* t, const char* piece) {
  size_t size = strlen(piece);
  assert_true(t->size + size < MOST_TEXT);
  memcpy(t->data + t->size, piece, size + 1);
  t->size += size;
}

static text* begin(double dt) {
  char piece[256];
  text* t = calloc(1, sizeof *t);
  assert_non_null(t);
  snprintf(piece, sizeof piece,
           "<mujoco><option timestep='%g'/><worldbody><geom type='plane' size='9 9 1'/>", dt);
  add(t, piece);
  return t;
}

static void add_box(text* t, v3 place, v3 half, double mass) {
  char piece[512];
  snprintf(piece, sizeof piece,
           "<body pos='%.6f %.6f %.6f'><freejoint/><geom type='box' size='%.6f %.6f %.6f' "
           "mass='%.6g' friction='.7'/></body>",
           place.x, place.y, place.z, half.x, half.y, half.z, mass);
  add(t, piece);
}

static double energy_of(const world* w) {
  carom_energy energy = carom_sim_compute_energy(w->sim);
  return energy.kinetic + energy.potential + energy.elastic;
}

/* Steps, each certified; returns the largest distance to Coulomb's law. */
static double run(world* w, int steps) {
  double most = 0;
  for (int i = 0; i < steps; i++) {
    carom_step_report report = world_step(w);
    assert_int_equal(report.outcome, CAROM_STEP_DONE);
    if (!(report.residual <= 1e-6))
      fail_msg("step %d: residual %g, %d islands frozen", i, report.residual,
               report.relaxed_islands);
    most = fmax(most, report.coulomb_residual);
  }
  return most;
}

/* Boxes of 1 g to 1 t on top of each other, thrown sideways: they slide, tip and fall. */
static void test_random_stacks(void** state) {
  (void)state;
  for (int seed = 0; seed < check_repeats(SEEDS); seed++) {
    check_random random = {.state = (uint64_t)(77 + seed)};
    text* t = begin(0.004);
    double z = 0;
    for (int i = 0; i < 6; i++) {
      double h = check_random_uniform(&random, 0.02, 0.2),
             w = check_random_uniform(&random, 0.1, 0.3);
      double x = check_random_uniform(&random, -0.05, 0.05);
      add_box(t, v3_make(x, 0, z + h), v3_make(w, w, h),
              pow(10, check_random_uniform(&random, -3, 3)));
      z += 2 * h;
    }
    add(t, "</worldbody></mujoco>");
    carom_sim_def def = carom_sim_def_default();
    world w = world_create(t->data, &def);
    double v[36] = {0};
    for (int i = 0; i < 36; i++) v[i] = i % 6 < 2 ? check_random_uniform(&random, -1, 1) : 0;
    world_set(&w, NULL, v);
    double before = energy_of(&w);
    run(&w, 150);
    assert_true(energy_of(&w) <= before * (1 + 1e-6));
    world_destroy(&w);
    free(t);
  }
}

/* 300 kg on seven boxes of 50 g. */
static void check_heavy_on_light(carom_patches patches) {
  text* t = begin(0.005);
  for (int i = 0; i < 7; i++)
    add_box(t, v3_make(0, 0, 0.06 + 0.12 * i), v3_make(.06, .06, .06), 0.05);
  add_box(t, v3_make(0, 0, 0.84 + 0.2), v3_make(0.2, 0.2, 0.2), 300);
  add(t, "</worldbody></mujoco>");
  carom_sim_def def = carom_sim_def_default();
  def.patches = patches;
  world w = world_create(t->data, &def);
  double far = run(&w, 300);
  check_near(world_q(&w)[7 * 7 + 2], 1.04, 1e-4);
  assert_true(far <= 1e-3);
  world_destroy(&w);
  free(t);
}

static void test_heavy_on_light(void** state) {
  (void)state;
  check_heavy_on_light(CAROM_PATCHES_CORNERS);
  check_heavy_on_light(CAROM_PATCHES_AREA);
}

/* 400 kg on six boxes of 30 g that stand askew: light bodies, which the certificate weighs by their
 * mass, stand as still as the heavy one; and what carries it through them is found in a few steps
 * of Newton (16 with a proximal weight that knows nothing of masses), none of them repeated. */
static void check_light_stands_still(carom_patches patches) {
  text* t = begin(0.004);
  for (int i = 0; i < 6; i++)
    add_box(t, v3_make(.008 * (i % 3), .006 * (i % 2), 0.07 + 0.14 * i), v3_make(.07, .07, .07),
            0.03);
  add_box(t, v3_make(0, 0, 0.84 + 0.1), v3_make(0.1, 0.1, 0.1), 400);
  add(t, "</worldbody></mujoco>");
  carom_sim_def def = carom_sim_def_default();
  def.patches = patches;
  world w = world_create(t->data, &def);
  run(&w, 300);
  for (int i = 0; i < 7 * 6; i++) check_near(world_v(&w)[i], 0, 1e-6);
  int iterations = 0;
  for (int k = 0; k < 20; k++) {
    carom_step_report report = world_step(&w);
    iterations += report.iterations;
    assert_int_equal(report.substeps, 1);
  }
  assert_true(iterations <= 5 * 20);
  world_destroy(&w);
  free(t);
}

static void test_light_stands_still(void** state) {
  (void)state;
  check_light_stands_still(CAROM_PATCHES_CORNERS);
  check_light_stands_still(CAROM_PATCHES_AREA);
}

/* Two pads of 7 x 7 boxes on slides close on a box: 196 points and more on few unknowns. */
static void add_pad(text* t, const char* joint, double x, double axis) {
  char piece[512];
  snprintf(piece, sizeof piece,
           "<body pos='%g 0 .1'><joint name='%s' type='slide' axis='%g 0 0' damping='2'/>", x,
           joint, axis);
  add(t, piece);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 7; j++) {
      snprintf(piece, sizeof piece,
               "<geom type='box' size='.005 .0049 .0049' pos='0 %g %g' mass='.002'/>",
               0.01 * (i - 3), 0.01 * (j - 3));
      add(t, piece);
    }
  add(t, "</body>");
}

static void test_grip(void** state) {
  (void)state;
  text* t = begin(0.002);
  add_pad(t, "left", -0.058, 1);
  add_pad(t, "right", 0.058, -1);
  add_box(t, v3_make(0, 0, 0.1), v3_make(0.05, 0.04, 0.1), 0.4);
  add(t, "</worldbody><actuator><motor joint='left'/><motor joint='right'/></actuator></mujoco>");
  carom_sim_def def = carom_sim_def_default();
  world w = world_create(t->data, &def);
  for (int k = 0; k < 2; k++) carom_sim_controls(w.sim)[k] = 60;
  assert_true(run(&w, 200) <= 1e-3);
  world_destroy(&w);
  free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_stacks), cmocka_unit_test(test_heavy_on_light),
      cmocka_unit_test(test_light_stands_still), cmocka_unit_test(test_grip)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
