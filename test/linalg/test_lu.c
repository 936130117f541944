/* LU factors of matrices that are not symmetric: all ways of solving, against products. */
#include "linalg/lu.h"
#include "support/check.h"

#define N 23

static void multiply(const double* A, bool transposed, const double* x, double* y) {
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int k = 0; k < N; k++) y[i] += (transposed ? A[k * N + i] : A[i * N + k]) * x[k];
  }
}

static void test_solutions(void** state) {
  (void)state;
  check_random random = {7};
  double A[N * N], LU[N * N], x[CR_LU_WIDTH][N], y[N];
  int pivot[N];
  cr_lu_row rows[N];
  for (int i = 0; i < N * N; i++) LU[i] = A[i] = check_random_uniform(&random, -1, 1);
  assert_true(cr_lu_factor(LU, N, pivot));
  for (int c = 0; c < CR_LU_WIDTH; c++) {
    for (int i = 0; i < N; i++) x[c][i] = check_random_uniform(&random, -1, 1);
    multiply(A, true, x[c], y);
    cr_lu_solve_transposed(LU, pivot, N, y);
    for (int i = 0; i < N; i++) check_near(y[i], x[c][i], 1e-10);
    multiply(A, false, x[c], y);
    for (int i = 0; i < N; i++) rows[i].x[c] = y[i];
    cr_lu_solve(LU, pivot, N, y);
    for (int i = 0; i < N; i++) check_near(y[i], x[c][i], 1e-10);
  }
  cr_lu_solve_rows(LU, pivot, N, rows);
  for (int c = 0; c < CR_LU_WIDTH; c++)
    for (int i = 0; i < N; i++) check_near(rows[i].x[c], x[c][i], 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solutions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
