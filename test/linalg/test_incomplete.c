/* Incomplete factors against whole ones, and conjugate gradients against known solutions. */
#include "linalg/conjugate.h"
#include "support/dense.h"
#include "support/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  matrix_sample m;
  cr_incomplete inner;
  int n;
  double *least, *x, *b, *expected;
} fixture;

/* Unit masses are on the diagonal of all samples. */
static void setup(fixture* f, const matrix_def* def) {
  matrix_sample_init(&f->m, def);
  f->n = f->m.pattern.num_rows;
  assert_true(cr_incomplete_init(&f->m.pattern, &f->m.arena, &f->inner));
  f->least = dense_zeros(f->n), f->x = dense_zeros(f->n), f->b = dense_zeros(f->n);
  f->expected = dense_zeros(f->n);
  for (int i = 0; i < f->n; i++) f->least[i] = 1, f->expected[i] = sin(3.0 * i + 1);
  cr_bsm_multiply(&f->m.pattern, f->m.values, f->expected, f->b);
}

static void teardown(fixture* f) {
  free(f->least), free(f->x), free(f->b), free(f->expected);
  matrix_sample_destroy(&f->m);
}

/* Where elimination from the end fills nothing, the factor is whole. */
static void test_no_fill(void** state) {
  (void)state;
  const matrix_shape shapes[] = {SHAPE_SINGLE, SHAPE_CHAIN, SHAPE_ARROW_FIRST, SHAPE_FULL};
  for (int k = 0; k < 4; k++)
    for (int sizes = 0; sizes < SIZES_COUNT; sizes++) {
      matrix_def def = {shapes[k], (matrix_sizes)sizes, 12, 100, 3};
      fixture f;
      setup(&f, &def);
      assert_true(cr_incomplete_factor(&f.inner, f.m.values, f.least));
      cr_incomplete_solve(&f.inner, f.m.pattern.num_blocks, f.b);
      for (int i = 0; i < f.n; i++) check_near(f.b[i], f.expected[i], 1e-9);
      teardown(&f);
    }
}

/* |e|²_A of the error e = x - expected */
static double error_norm(const fixture* f) {
  double* e = dense_zeros(f->n);
  double *Ae = dense_zeros(f->n), sum = 0;
  for (int i = 0; i < f->n; i++) e[i] = f->x[i] - f->expected[i];
  cr_bsm_multiply(&f->m.pattern, f->m.values, e, Ae);
  for (int i = 0; i < f->n; i++) sum += e[i] * Ae[i];
  free(e), free(Ae);
  return sqrt(fmax(sum, 0));
}

/* From zero and from near by, to a relative and an absolute goal: the error is within the bound,
 * and the bound within the goal. */
static void check_goal(fixture* f, const cr_conjugate_goal* goal, double start) {
  cr_conjugate c = {.values = f->m.values, .inner = &f->inner, .least = f->least};
  cr_scratch_mark mark = cr_arena_mark_scratch(&f->m.arena);
  assert_true(cr_conjugate_init(&c, &f->m.arena));
  for (int i = 0; i < f->n; i++) f->x[i] = start * f->expected[i];
  cr_conjugate_report report = cr_conjugate_solve(&c, f->b, goal, f->x);
  double error = error_norm(f), round_off = 1e-13 * sqrt(report.energy) * f->n;
  assert_true(report.is_done);
  assert_true(report.left <= fmax(goal->absolute, goal->relative * sqrt(report.energy)));
  assert_true(error <= report.left + round_off);
  cr_arena_pop_scratch(&f->m.arena, mark);
}

static void test_solutions(void** state) {
  (void)state;
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (int sizes = 0; sizes < SIZES_COUNT; sizes++)
      for (double stiffness = 1; stiffness < 1e6; stiffness *= 1e4) {
        matrix_def def = {(matrix_shape)shape, (matrix_sizes)sizes, 30, stiffness, 11};
        fixture f;
        setup(&f, &def);
        assert_true(cr_incomplete_factor(&f.inner, f.m.values, f.least));
        check_goal(&f, &(cr_conjugate_goal){0, 1e-8, 5000}, 0);
        check_goal(&f, &(cr_conjugate_goal){1e-6, 0, 5000}, 0.999);
        teardown(&f);
      }
}

/* A grid too stiff for a handful of iterations says so. */
static void test_too_few_iterations(void** state) {
  (void)state;
  matrix_def def = {SHAPE_GRID, SIZES_THREE, 100, 1e6, 2};
  fixture f;
  setup(&f, &def);
  assert_true(cr_incomplete_factor(&f.inner, f.m.values, f.least));
  cr_conjugate c = {.values = f.m.values, .inner = &f.inner, .least = f.least};
  assert_true(cr_conjugate_init(&c, &f.m.arena));
  const cr_conjugate_goal goal = {0, 1e-10, 3};
  cr_conjugate_report report = cr_conjugate_solve(&c, f.b, &goal, f.x);
  assert_false(report.is_done);
  assert_int_equal(report.iterations, 3);
  teardown(&f);
}

/* No factor of what is not positive definite. */
static void test_indefinite(void** state) {
  (void)state;
  matrix_def def = {SHAPE_CHAIN, SIZES_SMALL, 5, 10, 4};
  fixture f;
  setup(&f, &def);
  f.m.values[f.m.pattern.value_start[f.m.pattern.col_start[2]]] = -1;
  assert_false(cr_incomplete_factor(&f.inner, f.m.values, f.least));
  f.m.values[f.m.pattern.value_start[f.m.pattern.col_start[2]]] = NAN;
  assert_false(cr_incomplete_factor(&f.inner, f.m.values, f.least));
  teardown(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_fill), cmocka_unit_test(test_solutions),
      cmocka_unit_test(test_too_few_iterations), cmocka_unit_test(test_indefinite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
