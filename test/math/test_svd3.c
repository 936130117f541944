/* The decomposition against the matrix and against LAPACK: over many magnitudes, repeated, tiny and
 * negative values. */
#include "math/random.h"
#include "math/svd3.h"
#include "support/check.h"

#include <lapacke.h>

#define CASES 2000
#define UNITS 1e-14

static double norm_of(const m3* a) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum = hypot(sum, (&a->m[0][0])[i]);
  return sum;
}

static void expect_rotation(const m3* R) {
  m3 Rt = m3_transpose(R), product = m3_mul(&Rt, R), one = m3_identity();
  check_m3(product, one, UNITS);
  check_near(m3_determinant(R), 1, UNITS);
}

static void expect_decomposition_as(const m3* F, const m3_svd* svd) {
  double tolerance = UNITS * norm_of(F);
  expect_rotation(&svd->U);
  expect_rotation(&svd->V);
  assert_true(svd->sigma.x >= svd->sigma.y - tolerance);
  assert_true(svd->sigma.y >= fabs(svd->sigma.z) - tolerance);

  m3 D = m3_diagonal(svd->sigma), UD = m3_mul(&svd->U, &D), Vt = m3_transpose(&svd->V);
  m3 back = m3_mul(&UD, &Vt);
  check_m3(back, *F, tolerance);

  double a[9], expected[3], superb[2];
  for (int i = 0; i < 9; i++) a[i] = (&F->m[0][0])[i];
  assert_int_equal(
      LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', 3, 3, a, 3, expected, NULL, 3, NULL, 3, superb),
      0);
  check_near_array(((const double[3]){svd->sigma.x, svd->sigma.y, fabs(svd->sigma.z)}), expected, 3,
                   tolerance);
}

static void expect_decomposition(const m3* F) {
  m3_svd svd = m3_svd_compute(F);
  expect_decomposition_as(F, &svd);
}

/* U diag(d) Vᵀ with random rotations. */
static m3 with_values(check_random* random, v3 d) {
  m3 U = quat_to_m3(random_quat(random)), V = quat_to_m3(random_quat(random));
  m3 D = m3_diagonal(d), UD = m3_mul(&U, &D), Vt = m3_transpose(&V);
  return m3_mul(&UD, &Vt);
}

static void test_random_matrices(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < CASES; i++) {
    m3 F = random_m3(&random), scaled;
    scaled = m3_scale(pow(10, check_random_uniform(&random, -100, 100)), &F);
    expect_decomposition(&scaled);
    m3_svd svd = m3_svd_compute(&scaled);
    assert_true((svd.sigma.z > 0) == (m3_determinant(&F) > 0));
  }
}

static void test_values_of_all_magnitudes(void** state) {
  (void)state;
  check_random random = {2};
  for (int i = 0; i < CASES; i++) {
    double d[3];
    for (int k = 0; k < 3; k++)
      d[k] = check_random_normal(&random) * pow(10, check_random_uniform(&random, -18, 0));
    m3 F = with_values(&random, v3_load(d));
    expect_decomposition(&F);
  }
}

static void test_repeated_and_clustered_values(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < CASES; i++) {
    double gap = i % 2 ? pow(10, check_random_uniform(&random, -17, -1)) : 0;
    m3 F = with_values(&random, v3_make(1, 1 + gap, i % 3 ? 1 - gap : -1));
    expect_decomposition(&F);
  }
}

static void test_special_matrices(void** state) {
  (void)state;
  m3 zero = m3_zero(), one = m3_identity(), minus = m3_scale(-1, &one);
  m3 rank_one = m3_outer(v3_make(1, 2, 3), v3_make(-3, 1, 0));
  m3 tiny = {{{1, 1e-200, 0}, {1e-200, 2, 1e-300}, {0, 1e-300, 3}}};
  const m3* all[] = {&zero, &one, &minus, &rank_one, &tiny};
  for (int i = 0; i < 5; i++) expect_decomposition(all[i]);
}

/* The rotation of the polar decomposition R S, S positive definite, is the one put in. */
static void test_rotation(void** state) {
  (void)state;
  check_random random = {4};
  for (int i = 0; i < CASES; i++) {
    m3 R = quat_to_m3(random_quat(&random)), S = random_spd(&random), F = m3_mul(&R, &S);
    m3_svd svd = m3_svd_compute(&F);
    m3 found = m3_svd_rotation(&svd);
    check_m3(found, R, 10 * UNITS * norm_of(&S)); /* S >= 1: its condition is at most its norm */
  }
}

/* From the V of a matrix nearby, from any rotation, and on and on, as a step's evaluations do. */
static void test_from_a_guess(void** state) {
  (void)state;
  check_random random = {5};
  for (int i = 0; i < CASES / 10; i++) {
    m3 F = random_m3(&random), V = quat_to_m3(random_quat(&random));
    for (int k = 0; k < 10; k++) {
      m3_svd svd = m3_svd_compute_near(&F, &V);
      expect_decomposition_as(&F, &svd);
      V = svd.V;
      F.m[k % 3][k / 3 % 3] += pow(10, -k);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_matrices),
      cmocka_unit_test(test_values_of_all_magnitudes),
      cmocka_unit_test(test_repeated_and_clustered_values),
      cmocka_unit_test(test_special_matrices),
      cmocka_unit_test(test_rotation),
      cmocka_unit_test(test_from_a_guess),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
