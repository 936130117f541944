/* LU factors of matrices that are not symmetric: all ways of solving, against products. */
#include "linalg/lu.h"
#include "support/check.h"

#include <math.h>

#define N     43
#define WIDTH 37

static void multiply(const double* A, bool transposed, const double* x, double* y) {
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int k = 0; k < N; k++) y[i] += (transposed ? A[k * N + i] : A[i * N + k]) * x[k];
  }
}

/* @param part elements of so many neighbours, or of the last ones, differ from zero */
static void check_solutions(int part) {
  check_random random = {7};
  static double A[N * N], LU[N * N], x[WIDTH][N], rows[N * WIDTH];
  double y[N];
  int pivot[N];
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      bool is_joined = i / part == k / part || i >= N - 5 || k >= N - 5;
      LU[i * N + k] = A[i * N + k] = is_joined ? check_random_uniform(&random, -1, 1) : 0;
    }
  assert_true(cr_lu_factor(LU, N, pivot));
  for (int c = 0; c < WIDTH; c++) {
    for (int i = 0; i < N; i++) x[c][i] = check_random_uniform(&random, -1, 1);
    multiply(A, true, x[c], y);
    cr_lu_solve_transposed(LU, pivot, N, y);
    for (int i = 0; i < N; i++) check_near(y[i], x[c][i], 1e-10);
    multiply(A, false, x[c], y);
    for (int i = 0; i < N; i++) rows[i * WIDTH + c] = y[i];
    cr_lu_solve(LU, pivot, N, y);
    for (int i = 0; i < N; i++) check_near(y[i], x[c][i], 1e-10);
  }
  cr_lu_solve_rows(LU, pivot, N, WIDTH, rows);
  for (int c = 0; c < WIDTH; c++)
    for (int i = 0; i < N; i++) check_near(rows[i * WIDTH + c], x[c][i], 1e-10);
}

static void test_dense(void** state) {
  (void)state;
  check_solutions(N);
}

static void test_parts_that_touch(void** state) {
  (void)state;
  check_solutions(6);
}

static void test_not_finite(void** state) {
  (void)state;
  double A[4] = {1, 2, NAN, 1}, zero[1] = {0};
  int pivot[2];
  assert_false(cr_lu_factor(A, 2, pivot));
  assert_false(cr_lu_factor(zero, 1, pivot));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense),
                                     cmocka_unit_test(test_parts_that_touch),
                                     cmocka_unit_test(test_not_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
