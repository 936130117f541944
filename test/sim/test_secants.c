/* Broyden's method from a wrong Jacobian: a linear problem is solved in 2 n steps (Gay 1979), and
 * one that bends in fewer steps than without what the steps have shown. */
#include "sim/tree/secants.h"
#include "support/check.h"

#include <math.h>

enum { N = 4, MOST = 60 };

/* What is believed of the Jacobian, and what it is beside that. */
static const double DIAGONAL[N] = {1, 3, 0.5, 40};
static const double REST[N][N] = {
    {0.1, 0.3, 0, 1}, {-0.2, 0.2, 0.1, 0}, {0, 0.1, -0.1, 0.4}, {2, -1, 0.3, 5}};

/* r = (D + R) x + bend x³ - 1 */
static void find_residual(const double* x, double bend, double* r) {
  for (int i = 0; i < N; i++) {
    r[i] = DIAGONAL[i] * x[i] + bend * DIAGONAL[i] * x[i] * x[i] * x[i] - 1;
    for (int j = 0; j < N; j++) r[i] += REST[i][j] * x[j];
  }
}

/* How many steps until |r| is below a bound. */
static int solve(double bend, bool learns, double bound) {
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  cr_secants secants;
  assert_true(cr_secants_init(&secants, N, &arena));
  double x[N] = {0}, r[N], d[N], size = INFINITY;
  int count = 0;
  for (; count < MOST && size > bound; count++) {
    find_residual(x, bend, r);
    for (int i = 0; i < N; i++) d[i] = r[i] / DIAGONAL[i];
    if (learns) cr_secants_correct(&secants, r, d);
    size = 0;
    for (int i = 0; i < N; i++) x[i] -= d[i], size = fmax(size, fabs(r[i]));
  }
  cr_arena_destroy(&arena);
  return count;
}

static void test_linear(void** state) {
  (void)state;
  int learned = solve(0, true, 1e-12), plain = solve(0, false, 1e-12);
  print_message("%d steps, %d without secants\n", learned, plain);
  assert_in_range(learned, 2, 2 * N + 1); /* and one to see it */
  assert_true(plain > 2 * learned);
}

static void test_bent(void** state) {
  (void)state;
  int learned = solve(0.1, true, 1e-12), plain = solve(0.1, false, 1e-12);
  print_message("%d steps, %d without secants\n", learned, plain);
  assert_true(2 * learned < plain);
}

/* Where a step says that the Jacobian has turned its sign, it is not believed: the step that
 * follows is the one without secants. */
static void test_unbelievable(void** state) {
  (void)state;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  cr_secants secants;
  assert_true(cr_secants_init(&secants, 1, &arena));
  double d = 1, r = 1;
  cr_secants_correct(&secants, &r, &d);
  check_near(d, 1, 0);
  r = d = 2; /* 1 - 2 / 1 < 0 */
  cr_secants_correct(&secants, &r, &d);
  check_near(d, 2, 0);
  assert_int_equal(secants.count, 1);
  cr_secants_forget(&secants);
  r = d = 0.5;
  cr_secants_correct(&secants, &r, &d);
  check_near(d, 0.5, 0);
  r = d = 0.25; /* in one dimension: Aitken, 0.25 / (1 - 0.25 / 0.5) */
  cr_secants_correct(&secants, &r, &d);
  check_near(d, 0.5, 1e-15);
  cr_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_linear), cmocka_unit_test(test_bent),
                                     cmocka_unit_test(test_unbelievable)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
