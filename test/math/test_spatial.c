/* Spatial vectors and inertias against their definition by points and mass points. */
#include "math/random.h"
#include "math/spatial.h"
#include "support/check.h"

#define CASES     1000
#define ROUND_OFF 1e-12 /* of sums of a few dozen products of order ten */

/* The same vector about a reference point that lies at offset r. */
static sv motion_about(sv a, v3 r) { return (sv){a.ang, sv_point_velocity(a, r)}; }
static sv force_about(sv f, v3 r) { return (sv){v3_sub(f.ang, v3_cross(r, f.lin)), f.lin}; }

static void test_power_does_not_depend_on_the_reference_point(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < CASES; i++) {
    sv v = random_sv(&random), f = random_sv(&random);
    v3 r = random_v3(&random), force = random_v3(&random);
    check_near(sv_dot(motion_about(v, r), force_about(f, r)), sv_dot(v, f), ROUND_OFF);
    check_near(sv_dot(v, sv_point_force(force, r)), v3_dot(force, sv_point_velocity(v, r)),
               ROUND_OFF);
  }
}

static void test_cross_products(void** state) {
  (void)state;
  check_random random = {2};
  for (int i = 0; i < CASES; i++) {
    sv a = random_sv(&random), b = random_sv(&random), c = random_sv(&random);
    sv f = random_sv(&random);
    /* a × a = 0 and a × b = -b × a. */
    check_sv(sv_cross_motion(a, a), sv_zero(), 0);
    check_sv(sv_add(sv_cross_motion(a, b), sv_cross_motion(b, a)), sv_zero(), ROUND_OFF);
    /* The motion and the force product are dual: (a ×* f)·b = -f·(a × b). */
    check_near(sv_dot(sv_cross_force(a, f), b), -sv_dot(f, sv_cross_motion(a, b)), ROUND_OFF);
    /* Jacobi: a × (b × c) + b × (c × a) + c × (a × b) = 0. */
    sv sum = sv_add(sv_cross_motion(a, sv_cross_motion(b, c)),
                    sv_cross_motion(b, sv_cross_motion(c, a)));
    check_sv(sv_add(sum, sv_cross_motion(c, sv_cross_motion(a, b))), sv_zero(), 10 * ROUND_OFF);
  }
}

static void test_linear_operations(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < CASES; i++) {
    sv a = random_sv(&random), b = random_sv(&random);
    double s = check_random_normal(&random);
    check_sv(sv_axpy(a, s, b), sv_add(a, sv_scale(s, b)), ROUND_OFF);
    check_sv(sv_sub(sv_add(a, b), b), a, ROUND_OFF);
  }
}

/* A cloud of mass points: its momentum, point by point, is the inertia's. */
static void test_inertia_of_mass_points(void** state) {
  (void)state;
  check_random random = {4};
  for (int i = 0; i < CASES; i++) {
    spatial_inertia total = {0};
    sv v = random_sv(&random), momentum = sv_zero();
    double energy = 0;
    m3 none = m3_zero();
    for (int k = 0; k < 5; k++) {
      double mass = check_random_uniform(&random, 0.1, 2);
      v3 r = random_v3(&random), velocity = sv_point_velocity(v, r);
      spatial_inertia point = spatial_inertia_make(mass, r, &none);
      total = spatial_inertia_add(&total, &point);
      momentum = sv_add(momentum, sv_point_force(v3_scale(mass, velocity), r));
      energy += 0.5 * mass * v3_norm2(velocity);
    }
    sv product = spatial_inertia_mulv(&total, v);
    check_sv(product, momentum, 10 * ROUND_OFF);
    check_near(0.5 * sv_dot(product, v), energy, 10 * ROUND_OFF);
  }
}

/* Energy by König: that of the mass at its centre and that of the turning about it. */
static void test_inertia_of_a_body(void** state) {
  (void)state;
  check_random random = {5};
  for (int i = 0; i < CASES; i++) {
    double mass = check_random_uniform(&random, 0.1, 5);
    v3 c = random_v3(&random);
    m3 Ic = random_spd(&random);
    spatial_inertia I = spatial_inertia_make(mass, c, &Ic);
    sv v = random_sv(&random), w = random_sv(&random);
    double energy =
        0.5 * mass * v3_norm2(sv_point_velocity(v, c)) + 0.5 * v3_dot(v.ang, m3_mulv(&Ic, v.ang));
    check_near(0.5 * sv_dot(v, spatial_inertia_mulv(&I, v)), energy, 100 * ROUND_OFF);
    check_near(sv_dot(w, spatial_inertia_mulv(&I, v)), sv_dot(v, spatial_inertia_mulv(&I, w)),
               100 * ROUND_OFF);
    m3 packed = m3_symmetric(I.I);
    check_v3(spatial_symmetric_mulv(I.I, c), m3_mulv(&packed, c), ROUND_OFF * 10);
  }
}

/* The rate of a force vector that is fixed in a body: the difference quotient of a force that turns
 * and moves with it, seen from the fixed reference point. */
static void test_cross_force_is_a_rate(void** state) {
  (void)state;
  check_random random = {6};
  double h = 1e-6;
  for (int i = 0; i < CASES; i++) {
    sv v = random_sv(&random);
    v3 force = random_v3(&random), r = random_v3(&random);
    sv rate = sv_cross_force(v, sv_point_force(force, r));
    sv at[2];
    for (int k = 0; k < 2; k++) {
      double t = k ? h : -h;
      v3 turned = v3_axpy(force, t, v3_cross(v.ang, force));
      at[k] = sv_point_force(turned, v3_axpy(r, t, sv_point_velocity(v, r)));
    }
    /* Central: the error is round-off over h alone, as the force is quadratic in time. */
    check_sv(sv_scale(0.5 / h, sv_sub(at[1], at[0])), rate, 1e-8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_power_does_not_depend_on_the_reference_point),
      cmocka_unit_test(test_cross_products),
      cmocka_unit_test(test_linear_operations),
      cmocka_unit_test(test_inertia_of_mass_points),
      cmocka_unit_test(test_inertia_of_a_body),
      cmocka_unit_test(test_cross_force_is_a_rate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
