/* A fluid: added masses from books, forces by hand, damping as the slope of the force, energy, and
 * stiff drag at steps far beyond what explicit schemes bear. */
#include "force/fluid.h"
#include "support/scene.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

/* Lamb, Hydrodynamics, articles 114 and 115: a sphere drags half of what it displaces along; of a
 * prolate spheroid with the eccentricity e, masses along and across, and the moment across. */
static void test_added_mass(void** state) {
  (void)state;
  double added[6], sphere[3] = {2, 2, 2};
  cr_fluid_compute_added_mass(sphere, added);
  for (int i = 0; i < 3; i++) check_near(added[i], 2.0 / 3 * PI * 8, 1e-12);
  for (double a = 1.25; a < 30; a *= 2) {
    double size[3] = {1, a, 1}, volume = 4.0 / 3 * PI * a, moment = volume * (a * a + 1) / 5;
    double e2 = 1 - 1 / (a * a), e = sqrt(e2), turn = atanh(e);
    double along = 2 * (1 - e2) / (e * e2) * (turn - e);
    double across = 1 / e2 - (1 - e2) / (e * e2) * turn, difference = across - along;
    double k = e2 * e2 * difference / ((2 - e2) * (2 * e2 - (2 - e2) * difference));
    cr_fluid_compute_added_mass(size, added);
    check_near(added[1], volume * along / (2 - along), 1e-11 * volume);
    check_near(added[0], volume * across / (2 - across), 1e-11 * volume);
    check_near(added[2], added[0], 1e-12 * volume);
    check_near(added[3], moment * k, 1e-11 * moment);
    check_near(added[4], 0, 1e-12 * moment);
  }
}

/* One part with the half axes or sides of `size`. */
static cr_fluid_model make_part(int is_ellipsoid, double* coefficient, double* added) {
  static const int KIND[2] = {0, 1};
  static const double SIZE[3] = {0.3, 0.2, 0.5};
  cr_fluid_compute_added_mass(SIZE, added);
  return (cr_fluid_model){.density = 900,
                          .viscosity = 3,
                          .num_parts = 1,
                          .is_ellipsoid = &KIND[is_ellipsoid],
                          .size = SIZE,
                          .coefficient = coefficient,
                          .added = added};
}

static sv random_motion(check_random* random) {
  double x[6];
  for (int k = 0; k < 6; k++) x[k] = check_random_normal(random);
  return (sv){v3_load(x), v3_load(x + 3)};
}

/* Lift and added mass do no work; drag takes it. */
static void test_work(void** state) {
  (void)state;
  check_random random = {5};
  double lift[5] = {0, 0, 0, 1, 1}, drag[5] = {0.5, 0.25, 1.5, 1, 1}, added[6];
  cr_fluid_model lifted = make_part(1, lift, added), dragged = make_part(1, drag, added);
  lifted.viscosity = 0;
  for (int i = 0; i < 100; i++) {
    sv V = random_motion(&random), f = cr_fluid_compute_force(&lifted, 0, V);
    double scale = sqrt(sv_dot(f, f) * sv_dot(V, V));
    check_near(sv_dot(f, V), 0, 1e-12 * scale);
    assert_true(sv_dot(cr_fluid_compute_force(&dragged, 0, V), V) < 0);
  }
}

/* The box's damping is the slope of its force; the ellipsoid's too, of what is along the velocity.
 */
static void test_damping(void** state) {
  (void)state;
  check_random random = {6};
  double drag[5] = {0.5, 0.25, 1.5, 0, 0}, added[6];
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < 50; i++) {
      cr_fluid_model f = make_part(kind, drag, added);
      sv V = random_motion(&random);
      m3 linear, angular;
      V.ang = v3_zero();
      cr_fluid_compute_damping(&f, 0, V, &linear, &angular);
      double h = 1e-6;
      sv d = {v3_zero(), kind ? V.lin : random_motion(&random).lin};
      v3 high = cr_fluid_compute_force(&f, 0, sv_axpy(V, h, d)).lin;
      v3 low = cr_fluid_compute_force(&f, 0, sv_axpy(V, -h, d)).lin;
      v3 slope = v3_scale(-0.5 / h, v3_sub(high, low)), got = m3_mulv(&linear, d.lin);
      check_near(v3_norm(v3_sub(slope, got)), 0, 1e-7 * v3_norm(got));
    }
}

/* A box falls until drag bears its weight: v² = 2 m g / (rho A); its Jacobian is joint space's. */
static void test_terminal_speed(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.005, (carom_scheme)scheme);
    world w = world_create("<mujoco><option density='1.2'/><worldbody><body><freejoint/>"
                           "<geom type='box' size='.2 .3 .1' mass='0.5'/></body></worldbody>"
                           "</mujoco>",
                           &def);
    world_run(&w, 3000);
    check_near(world_v(&w)[2], -sqrt(2 * 0.5 * 9.81 / (1.2 * 0.4 * 0.6)), 1e-9);
    world_destroy(&w);
  }
}

#define SWIMMER                                                                                   \
  "<worldbody><body><freejoint/><geom type='ellipsoid' size='.05 .2 .1' fluidshape='ellipsoid'/>" \
  "<body pos='0 -.25 0'><joint axis='0 0 1' pos='0 .05 0'/>"                                      \
  "<geom type='ellipsoid' size='.01 .1 .1' fluidshape='ellipsoid' fluidcoef='.5 .25 1.5 1 1'/>"   \
  "<body pos='0 -.2 0'><joint axis='1 0 0' pos='0 .1 0'/>"                                        \
  "<geom type='box' size='.01 .1 .05'/></body></body></body></worldbody></mujoco>"

/* What energy is lost, the fluid took, to the order of the midpoint rule. */
static double lose_energy(double dt) {
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create("<mujoco><option density='100' viscosity='.1'/>" SWIMMER, &def);
  world_set(&w, NULL, (double[]){1, 2, 0.5, 3, 1, 2, -4, 3});
  double start = world_energy(&w), dissipated = 0;
  for (int i = 0; i < 1 / dt - 0.5; i++) dissipated += world_step(&w).dissipated;
  double lost = start - world_energy(&w) - dissipated;
  assert_true(dissipated > 1);
  world_destroy(&w);
  return lost;
}

static void test_energy(void** state) {
  (void)state;
  double coarse = lose_energy(0.004), fine = lose_energy(0.002);
  assert_true(fabs(fine) < 1e-3);
  assert_true(fabs(coarse) > 3 * fabs(fine));
}

/* Honey: damping times are microseconds, the step is a hundredth of a second. Everything comes to
 * rest relative to the wind. */
static void test_stiff_drag(void** state) {
  (void)state;
  for (int scheme = CAROM_SYMPLECTIC; scheme <= CAROM_IMPLICIT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    world w = world_create("<mujoco><option viscosity='1e4' wind='1 2 3' gravity='0 0 0'/>" SWIMMER,
                           &def);
    world_set(&w, NULL, (double[]){10, 20, 5, 30, 10, 20, -40, 30});
    world_run(&w, 100);
    check_near_array(world_v(&w), ((double[]){1, 2, 3, 0, 0, 0, 0, 0}), 8, 1e-6);
    world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_added_mass), cmocka_unit_test(test_work),
      cmocka_unit_test(test_damping),    cmocka_unit_test(test_terminal_speed),
      cmocka_unit_test(test_energy),     cmocka_unit_test(test_stiff_drag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
