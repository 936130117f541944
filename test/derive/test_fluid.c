/* Derivatives of steps in a fluid that moves, of boxes of inertia and of ellipsoids, in the air and
 * on a floor, against differences of steps; and the slopes of the forces against differences. */
#include "force/fluid.h"
#include "support/parameter_differences.h"

#include <math.h>
#include <stdio.h>

/* An arm with a ball, and a free body: `shape` says what the fluid takes geometries for. */
#define POND                                                                                  \
  "<mujoco><option timestep='0.005' density='%g' viscosity='%g' wind='0.7 -0.4 0.2'/>"        \
  "<default><geom friction='0.6' %s/></default><worldbody>"                                   \
  "<geom type='plane' size='5 5 1'/>"                                                         \
  "<body name='a' pos='0 0 1'><joint axis='0 1 0.2'/>"                                        \
  "<geom type='ellipsoid' size='0.2 0.05 0.03' pos='0.2 0 0.02' mass='0.3'/>"                 \
  "<body name='b' pos='0.4 0 0' euler='20 40 10'><joint type='ball'/>"                        \
  "<geom type='ellipsoid' size='0.15 0.08 0.05' pos='0.15 0.03 0' mass='0.2'/></body></body>" \
  "<body name='c' pos='1 1 %g'><freejoint/>"                                                  \
  "<geom type='ellipsoid' size='0.1 0.07 0.05' mass='0.4'/></body></worldbody></mujoco>"

static const char* const SHAPE[] = {"", "fluidshape='ellipsoid' fluidcoef='0.5 0.25 1.5 1 1'"};

static void test_slopes(void** state) {
  (void)state;
  check_random random = {3};
  const double coefficient[] = {0.5, 0.25, 1.5, 0.8, 1.2};
  double size[3] = {0.2, 0.05, 0.11}, added[6], h = 1e-5;
  cr_fluid_compute_added_mass(size, added);
  for (int i = 0; i < 6; i++) added[i] *= 1.3;
  for (int is_ellipsoid = 0; is_ellipsoid < 2; is_ellipsoid++) {
    const cr_fluid_model fluid = {.density = 1.3,
                                  .viscosity = 0.2,
                                  .num_parts = 1,
                                  .is_ellipsoid = &is_ellipsoid,
                                  .size = size,
                                  .coefficient = coefficient,
                                  .added = added};
    for (int k = 0; k < 20; k++) {
      double v[6];
      for (int i = 0; i < 6; i++) v[i] = check_random_normal(&random);
      cr_fluid_slopes s = cr_fluid_find_slopes(&fluid, 0, (sv){v3_load(v), v3_load(v + 3)});
      for (int i = 0; i < 6; i++) {
        sv f[2];
        m3 D[2][2];
        double at = v[i];
        for (int side = 0; side < 2; side++) {
          v[i] = at + (side ? h : -h);
          f[side] = cr_fluid_compute_force(&fluid, 0, (sv){v3_load(v), v3_load(v + 3)});
          cr_fluid_compute_damping(&fluid, 0, (sv){v3_load(v), v3_load(v + 3)}, &D[side][1],
                                   &D[side][0]);
        }
        v[i] = at;
        for (int r = 0; r < 3; r++) {
          check_near(s.by[r][i], (v3_get(f[1].ang, r) - v3_get(f[0].ang, r)) / (2 * h), 1e-8);
          check_near(s.by[3 + r][i], (v3_get(f[1].lin, r) - v3_get(f[0].lin, r)) / (2 * h), 1e-8);
          for (int c = 0; c < 3; c++)
            check_near((i < 3 ? s.angular_by[i] : s.linear_by[i - 3]).m[r][c],
                       (D[1][i >= 3].m[r][c] - D[0][i >= 3].m[r][c]) / (2 * h), 1e-8);
        }
      }
    }
  }
}

static void test_flight(void** state) {
  (void)state;
  char text[4096];
  for (int shape = 0; shape < 2; shape++) {
    snprintf(text, sizeof text, POND, 50.0, 3.0, SHAPE[shape], 3.0);
    step_differences_expect_all(text, 4, 1e-4, 1e-7);
  }
}

static void test_parameters(void** state) {
  (void)state;
  static const char* const NAMES[] = {"model.fluid_density", "model.fluid_viscosity", "model.wind"};
  char text[4096];
  for (int i = 0; i < 6; i++) {
    snprintf(text, sizeof text, POND, 50.0, 3.0, SHAPE[i % 2], i > 2 ? 0.05 : 3.0);
    carom_sim_def def = carom_sim_def_default();
    def.tolerance = 1e-13;
    step_differences d = step_differences_create(text, &def, 1 + i);
    if (i > 2) step_differences_push(&d, 0.2, 10);
    parameter_differences_expect(&d, NAMES, 3, 1e-3);
    step_differences_destroy(&d);
  }
}

/* The damping is a part of A, which contacts feel. */
static void test_floor(void** state) {
  (void)state;
  char text[4096];
  int compared = 0;
  for (int i = 0; i < 12; i++) {
    snprintf(text, sizeof text, POND, 50.0, 3.0, SHAPE[i % 2], 0.05);
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[i / 2 % 3], def.tolerance = 1e-13, def.sleep_share = 0,
    def.recovery_speed = 1e3;
    step_differences d = step_differences_create(text, &def, 1 + i);
    step_differences_push(&d, 0.3, 20);
    if (!step_differences_has_kink(&d)) {
      step_differences_expect(&d, 1e-6, 1e-7);
      assert_int_equal(d.found.num_held, 0);
      compared++;
    }
    step_differences_destroy(&d);
  }
  assert_true(compared > 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slopes),
      cmocka_unit_test(test_flight),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_floor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
