/* Eigenvalues of symmetric 3x3 matrices against LAPACK, and the decomposition against the matrix:
 * over many magnitudes, repeated and clustered eigenvalues. Six sweeps of three rotations, each
 * good to about five rounding units, leave 1e-14 of the matrix's norm. */
#include "math/eigen3.h"
#include "math/random.h"
#include "support/check.h"

#include <lapacke.h>

#define CASES 2000
#define UNITS 1e-14

static double norm_of(const m3* a) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum = hypot(sum, (&a->m[0][0])[i]);
  return sum;
}

static void expect_decomposition(const m3* A) {
  m3 V, one = m3_identity();
  v3 d = m3_eigen_symmetric(A, &V);
  double tolerance = UNITS * norm_of(A);
  assert_true(d.x <= d.y && d.y <= d.z);

  m3 D = m3_diagonal(d), back = m3_congruence(&V, &D);
  check_m3(back, *A, tolerance);
  m3 Vt = m3_transpose(&V), VtV = m3_mul(&Vt, &V);
  check_m3(VtV, one, UNITS);
  check_near(m3_determinant(&V), 1, UNITS);
  check_v3(m3_eigen_symmetric(A, NULL), d, 0);

  double a[9], expected[3];
  for (int i = 0; i < 9; i++) a[i] = (&A->m[0][0])[i];
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, a, 3, expected), 0);
  check_near_array(((const double[3]){d.x, d.y, d.z}), expected, 3, tolerance);
}

/* R diag(d) Rᵀ, exactly symmetric. */
static m3 with_eigenvalues(v3 d, quat q) {
  m3 R = quat_to_m3(q), D = m3_diagonal(d), a = m3_congruence(&R, &D);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) a.m[i][j] = a.m[j][i];
  return a;
}

static void test_random_matrices(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < CASES; i++) {
    m3 a = random_m3(&random), at = m3_transpose(&a), sum = m3_add(&a, &at);
    m3 scaled = m3_scale(pow(10, check_random_uniform(&random, -100, 100)), &sum);
    expect_decomposition(&scaled);
  }
}

static void test_eigenvalues_of_all_magnitudes(void** state) {
  (void)state;
  check_random random = {2};
  for (int i = 0; i < CASES; i++) {
    double d[3];
    for (int k = 0; k < 3; k++)
      d[k] = check_random_normal(&random) * pow(10, check_random_uniform(&random, -16, 0));
    m3 a = with_eigenvalues(v3_load(d), random_quat(&random));
    expect_decomposition(&a);
  }
}

static void test_repeated_and_clustered_eigenvalues(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < CASES; i++) {
    double gap = i % 2 ? pow(10, check_random_uniform(&random, -17, -1)) : 0;
    v3 d = {1, 1 + gap, i % 3 ? 1 - gap : 5};
    m3 a = with_eigenvalues(d, random_quat(&random));
    expect_decomposition(&a);
  }
}

static void test_special_matrices(void** state) {
  (void)state;
  m3 zero = m3_zero(), one = m3_identity(), diagonal = m3_diagonal(v3_make(3, -1, 2));
  m3 ones = m3_outer(v3_make(1, 1, 1), v3_make(1, 1, 1));
  m3 tiny = {{{1, 1e-200, 0}, {1e-200, 2, 1e-300}, {0, 1e-300, 3}}};
  const m3* all[] = {&zero, &one, &diagonal, &ones, &tiny};
  for (int i = 0; i < 5; i++) expect_decomposition(all[i]);
  check_v3(m3_eigen_symmetric(&diagonal, NULL), v3_make(-1, 2, 3), 0);
}

/* The moments of a box of 1 x 2 x 3 m and 12 kg, turned. */
static void test_moments_of_a_box(void** state) {
  (void)state;
  check_random random = {4};
  m3 a = with_eigenvalues(v3_make(13, 10, 5), random_quat(&random));
  check_v3(m3_eigen_symmetric(&a, NULL), v3_make(5, 10, 13), 20 * UNITS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_matrices),
      cmocka_unit_test(test_eigenvalues_of_all_magnitudes),
      cmocka_unit_test(test_repeated_and_clustered_eigenvalues),
      cmocka_unit_test(test_special_matrices),
      cmocka_unit_test(test_moments_of_a_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
