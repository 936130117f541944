/* Small dense matrices against LAPACK: solutions of systems of up to some hundred unknowns, which
 * are eliminated in blocks, Cholesky factors, and eigenvalues.
 *
 * Elimination with row pivoting leaves a residual of some n units in the last place of |L| |U| |x|
 * (Golub & Van Loan, theorem 3.3.1), which random matrices let grow by n at most. */
#include "math/small.h"
#include "support/check.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100, COLUMNS_MOST = 9 };

static double A[MOST * MOST], M[MOST * MOST], B[MOST * COLUMNS_MOST], X[MOST * COLUMNS_MOST];

static void fill(check_random* random, double* x, int count) {
  for (int i = 0; i < count; i++) x[i] = check_random_uniform(random, -1, 1);
}

/* The residual of every column, and the solution beside LAPACK's by the condition number. */
static void check_solution(int n, int columns) {
  static double expected[MOST * COLUMNS_MOST];
  int pivots[MOST];
  double condition;
  memcpy(M, A, sizeof(double) * (size_t)(n * n));
  memcpy(X, B, sizeof(double) * (size_t)(n * columns));
  memcpy(expected, B, sizeof(double) * (size_t)(n * columns));
  small_solve(M, n, X, columns);
  memcpy(M, A, sizeof(double) * (size_t)(n * n));
  double norm = LAPACKE_dlange(LAPACK_ROW_MAJOR, '1', n, n, A, n);
  assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, columns, M, n, pivots, expected, columns), 0);
  assert_int_equal(LAPACKE_dgecon(LAPACK_ROW_MAJOR, '1', n, M, n, norm, &condition), 0);
  for (int c = 0; c < columns; c++) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(expected[i * columns + c]));
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += A[i * n + j] * X[j * columns + c];
      check_near(sum, B[i * columns + c], n * n * DBL_EPSILON * largest);
      check_near(X[i * columns + c], expected[i * columns + c],
                 n * n * DBL_EPSILON / condition * largest);
    }
  }
}

static void systems_are_solved(void** state) {
  (void)state;
  check_random random = {1};
  for (int n = 1; n <= MOST; n += n < 20 ? 1 : 7)
    for (int columns = 1; columns <= COLUMNS_MOST; columns += 4) {
      fill(&random, A, n * n);
      fill(&random, B, n * columns);
      check_solution(n, columns);
    }
}

/* Rows in an order in which no pivot is where it is looked for first. */
static void rows_are_exchanged(void** state) {
  (void)state;
  check_random random = {2};
  for (int n = 2; n <= MOST; n += 7) {
    fill(&random, A, n * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i * n + j] = j < n - 1 - i ? 0 : A[i * n + j];
    for (int i = 0; i < n; i++) A[i * n + n - 1 - i] = n;
    fill(&random, B, n);
    check_solution(n, 1);
  }
}

static void singular_systems_have_no_finite_solution(void** state) {
  (void)state;
  for (int n = 1; n <= MOST; n += 11) {
    for (int i = 0; i < n * n; i++) A[i] = 0;
    for (int i = 0; i + 1 < n; i++) A[i * n + i] = 1;
    for (int i = 0; i < n; i++) X[i] = 1;
    small_solve(A, n, X, 1);
    assert_false(isfinite(X[n - 1]));
  }
}

static void factors_multiply_back(void** state) {
  (void)state;
  check_random random = {3};
  for (int n = 1; n <= MOST; n += n < 10 ? 1 : 9) {
    fill(&random, M, n * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        A[i * n + j] = i == j;
        for (int k = 0; k < n; k++) A[i * n + j] += M[i * n + k] * M[j * n + k];
      }
    memcpy(M, A, sizeof(double) * (size_t)(n * n));
    small_factor(M, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) {
        double sum = 0;
        for (int k = 0; k <= j; k++) sum += M[i * n + k] * M[j * n + k];
        check_near(sum, A[i * n + j], (n + 2) * DBL_EPSILON * sqrt(A[i * n + i] * A[j * n + j]));
      }
  }
}

static void eigenvalues_are_those_of_lapack(void** state) {
  (void)state;
  check_random random = {4};
  for (int repeat = 0; repeat < check_repeats(500); repeat++) {
    int n = 1 + repeat % SMALL_MAX;
    double S[SMALL_MAX * SMALL_MAX], V[SMALL_MAX * SMALL_MAX], found[SMALL_MAX];
    double values[SMALL_MAX], norm = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        S[i * n + j] = S[j * n + i] = check_random_uniform(&random, -1, 1);
    for (int i = 0; i < n * n; i++) norm = hypot(norm, S[i]), M[i] = S[i], A[i] = S[i];
    small_eigen(A, n, V);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, M, n, values), 0);
    for (int i = 0; i < n; i++) {
      found[i] = A[i * n + i];
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += S[j * n + k] * V[k * n + i];
        check_near(sum, found[i] * V[j * n + i], 30 * n * DBL_EPSILON * norm);
      }
    }
    for (int i = 1; i < n; i++)
      for (int j = i; j > 0 && found[j - 1] > found[j]; j--) {
        double larger = found[j - 1];
        found[j - 1] = found[j], found[j] = larger;
      }
    check_near_array(found, values, n, 30 * n * DBL_EPSILON * norm);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(systems_are_solved), cmocka_unit_test(rows_are_exchanged),
      cmocka_unit_test(singular_systems_have_no_finite_solution),
      cmocka_unit_test(factors_multiply_back), cmocka_unit_test(eigenvalues_are_those_of_lapack)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
