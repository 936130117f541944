/* Factors of semi-definite matrices: W = F Fᵀ with the rank it was made with, and what is
 * indefinite by rounding, or more. */
#include "linalg/semidefinite.h"
#include "support/check.h"
#include "support/dense.h"

#include <math.h>
#include <stdlib.h>

/* W = sum over k of d_k b_k b_kᵀ [n, n] with random b. */
static double* make(int n, int rank, const double* d, check_random* random) {
  double *B = dense_zeros(n * rank), *scaled = dense_zeros(n * rank);
  for (int i = 0; i < n * rank; i++) {
    B[i] = check_random_normal(random);
    scaled[i] = B[i] * (d ? d[i % rank] : 1);
  }
  double* transposed = dense_transpose(B, n, rank);
  double* W = dense_product(scaled, transposed, n, rank, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) W[i * n + j] = W[j * n + i];
  free(B), free(scaled), free(transposed);
  return W;
}

static double largest_difference(const double* W, const double* F, int n, int rank) {
  double most = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < rank; k++) sum += F[i * rank + k] * F[j * rank + k];
      most = fmax(most, fabs(W[i * n + j] - sum));
    }
  return most;
}

static void test_ranks(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < check_repeats(200); i++) {
    int n = check_random_int(&random, 1, 40), rank = check_random_int(&random, 1, n), found;
    double *W = make(n, rank, NULL, &random), *F, shift, worst;
    cr_arena arena;
    cr_arena_init(&arena, NULL);
    assert_int_equal(cr_semidefinite_factor(W, n, &arena, &F, &found, &shift, &worst),
                     CR_SEMIDEFINITE_DONE);
    assert_int_equal(found, rank);
    assert_true(shift == 0);
    check_near(largest_difference(W, F, n, rank), 0, 1e-12 * n * rank);
    cr_arena_destroy(&arena);
    free(W);
  }
}

/* Negative eigenvalues far below the largest ask for a shift of their size, and nothing else. */
static void test_slightly_indefinite(void** state) {
  (void)state;
  const double d[3] = {1, 1e-3, -1e-8};
  check_random random = {2};
  for (int i = 0; i < check_repeats(50); i++) {
    int n = check_random_int(&random, 3, 20), rank;
    double *W = make(n, 3, d, &random), *F, shift, worst;
    cr_arena arena;
    cr_arena_init(&arena, NULL);
    assert_int_equal(cr_semidefinite_factor(W, n, &arena, &F, &rank, &shift, &worst),
                     CR_SEMIDEFINITE_DONE);
    assert_true(worst <= 0 && worst >= -1e-6 * n && shift == -worst);
    for (int k = 0; k < n; k++) W[k * n + k] += shift;
    check_near(largest_difference(W, F, n, rank), 0, 1e-9);
    cr_arena_destroy(&arena);
    free(W);
  }
}

static void test_indefinite(void** state) {
  (void)state;
  const double W[4] = {1, 2, 2, 1};
  double *F, shift, worst;
  int rank;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  assert_int_equal(cr_semidefinite_factor(W, 2, &arena, &F, &rank, &shift, &worst),
                   CR_SEMIDEFINITE_INDEFINITE);
  check_near(worst, -1, 1e-14);
  cr_arena_destroy(&arena);
}

static void test_zero(void** state) {
  (void)state;
  const double W[4] = {0, 0, 0, 0};
  double *F, shift, worst;
  int rank;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  assert_int_equal(cr_semidefinite_factor(W, 2, &arena, &F, &rank, &shift, &worst),
                   CR_SEMIDEFINITE_DONE);
  assert_int_equal(rank, 0);
  cr_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ranks), cmocka_unit_test(test_slightly_indefinite),
      cmocka_unit_test(test_indefinite), cmocka_unit_test(test_zero)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
