/* Files of contact problems: each form round trip, the forms of FCLIB's matrices, and what a form
 * cannot hold. */
#include "support/convex.h"

#include "carom/problem_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Round trips --------------------------------------------------------------------------------
 */

static carom_problem* reload(const carom_problem* p, carom_problem_format format) {
  carom_error error;
  check_ok(carom_problem_save(p, test_convex_path, format, &error), &error);
  return test_convex_load();
}

static carom_solution* solve(const carom_problem* p, double tolerance) {
  carom_error error;
  carom_solution* s;
  carom_solve_def def = carom_solve_def_default();
  def.tolerance = tolerance;
  check_ok(carom_problem_solve(p, &def, &s, &error), &error);
  assert_int_equal(carom_solution_get_report(s)->status, CAROM_SOLVE_CERTIFIED);
  return s;
}

static test_problem_def contacts_def(void) {
  return (test_problem_def){.bodies = 5,
                            .contacts = 12,
                            .mass_ratio = 10,
                            .stiffness_low = 1e3,
                            .stiffness_high = 1e5,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .sigma = 1e-2};
}

/* Both problems have solutions of the same impulses (and velocities where the unknowns are the
 * same).
 */
static void expect_same_solution(const carom_problem* a, const carom_problem* b, bool velocities) {
  carom_solution *x = solve(a, 1e-9), *y = solve(b, 1e-9);
  const carom_solve_report* report = carom_solution_get_report(x);
  carom_problem_sizes sizes = carom_problem_get_sizes(a);
  check_near_array(carom_solution_get_gamma(y), carom_solution_get_gamma(x), sizes.num_rows, 1e-5);
  check_near(carom_solution_get_report(y)->dual_cost, report->dual_cost,
             1e-11 * fabs(report->dual_cost));
  if (velocities)
    check_near_array(carom_solution_get_v(y), carom_solution_get_v(x), sizes.num_unknowns, 1e-6);
  carom_solution_destroy(x), carom_solution_destroy(y);
}

static void test_own_form(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < check_repeats(20); i++) {
    test_problem t;
    test_problem_def def = contacts_def();
    def.bounds = 6, def.full_A = true, def.mu_low = i % 2 ? 0 : 0.1;
    def.moments = 0.3, def.length_low = 1e-2, def.length_high = 0.1;
    test_problem_make_random(&def, &random, &t);
    carom_problem* a = test_convex_copy(&t, t.problem.v_hat);
    carom_problem* b = reload(a, CAROM_PROBLEM_CAROM);
    test_convex_expect_same(b, a, 0);
    check_near_array(carom_problem_get_guess(b), carom_problem_get_guess(a), t.problem.num_rows, 0);
    assert_true(carom_problem_get_dt(b) == 0.01);
    expect_same_solution(a, b, true);
    carom_problem_destroy(a), carom_problem_destroy(b), test_problem_destroy(&t);
  }
}

static void test_sap(void** state) {
  (void)state;
  check_random random = {2};
  for (int i = 0; i < check_repeats(20); i++) {
    test_problem t;
    const test_problem_def def = contacts_def();
    test_problem_make_random(&def, &random, &t);
    snprintf(t.name, sizeof t.name, "random_%d", i);
    carom_problem* a = test_convex_copy(&t, NULL);
    carom_problem* b = reload(a, CAROM_PROBLEM_SAP);
    test_convex_expect_same(b, a, 1e-14);
    carom_problem_destroy(a), carom_problem_destroy(b), test_problem_destroy(&t);
  }
}

/* The local form keeps the dual problem: W + R and q. */
static void test_fclib_local(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < check_repeats(20); i++) {
    test_problem t;
    test_problem_def def = contacts_def();
    def.full_A = true;
    test_problem_make_random(&def, &random, &t);
    carom_problem* a = test_convex_copy(&t, NULL);
    carom_problem* b = reload(a, CAROM_PROBLEM_FCLIB_LOCAL);
    expect_same_solution(a, b, false);
    carom_problem* c = reload(b, CAROM_PROBLEM_FCLIB_LOCAL);
    check_near(carom_problem_compute_trace(c), carom_problem_compute_trace(b),
               1e-12 * carom_problem_compute_trace(b));
    expect_same_solution(a, c, false);
    carom_problem_destroy(a), carom_problem_destroy(b), carom_problem_destroy(c);
    test_problem_destroy(&t);
  }
}

static void clear_R(test_problem* t) {
  for (int r = 0; r < t->problem.num_rows; r++) t->problem.R[r] = 0;
}

/* The global form keeps rigid problems with everything but R; equalities are G. */
static void test_fclib_global(void** state) {
  (void)state;
  check_random random = {4};
  for (int i = 0; i < check_repeats(20); i++) {
    test_problem t;
    test_problem_def def = contacts_def();
    def.full_A = true;
    test_problem_make_random(&def, &random, &t);
    clear_R(&t);
    carom_problem* a = test_convex_copy(&t, t.problem.v_hat);
    carom_problem* b = reload(a, CAROM_PROBLEM_FCLIB_GLOBAL);
    carom_error error;
    int n = carom_problem_get_sizes(a).num_unknowns;
    check_near_array(carom_problem_get_v_star(b), carom_problem_get_v_star(a), n, 1e-12);
    check_near_array(carom_problem_get_guess(b), carom_problem_get_guess(a), t.problem.num_rows, 0);
    check_ok(carom_problem_add_regularization(a, 1e-3, &error), &error);
    check_ok(carom_problem_add_regularization(b, 1e-3, &error), &error);
    expect_same_solution(a, b, true);
    carom_problem_destroy(a), carom_problem_destroy(b), test_problem_destroy(&t);
  }
}

static void test_equalities(void** state) {
  (void)state;
  const int block = 1;
  const double J[3] = {0, 1, 0}, v_hat = 0.25;
  const double* parts[1] = {J};
  carom_error error;
  carom_problem* a = test_convex_make_two(3, 0.5);
  carom_constraint_def def = carom_constraint_def_default();
  def.kind = CAROM_CONSTRAINT_BOUNDS, def.low = -INFINITY, def.v_hat = &v_hat;
  def.num_blocks = 1, def.blocks = &block, def.jacobian = parts;
  check_ok(carom_problem_add(a, &def, NULL, &error), &error);
  check_ok(carom_problem_finish(a, &error), &error);
  carom_problem* b = reload(a, CAROM_PROBLEM_FCLIB_GLOBAL);
  assert_int_equal(carom_problem_get_sizes(b).num_constraints, 3);
  carom_solution* s = solve(b, 1e-10);
  check_near(carom_solution_get_v(s)[4], 0.25, 1e-9);
  carom_solution_destroy(s), carom_problem_destroy(a), carom_problem_destroy(b);
}

/* --- Solutions ----------------------------------------------------------------------------------
 */

/* Saved twice, as the second replaces the first. */
static void check_solution(const carom_problem* p, carom_problem_format format) {
  carom_error error;
  carom_solution *s = solve(p, 1e-9), *back;
  const carom_solve_def def = carom_solve_def_default();
  carom_problem_sizes sizes = carom_problem_get_sizes(p);
  check_ok(carom_problem_save(p, test_convex_path, format, &error), &error);
  for (int twice = 0; twice < 2; twice++)
    check_ok(carom_solution_save(s, p, test_convex_path, format, &error), &error);
  check_ok(carom_solution_load(test_convex_path, p, &def, &back, &error), &error);
  check_near_array(carom_solution_get_gamma(back), carom_solution_get_gamma(s), sizes.num_rows,
                   1e-14);
  check_near_array(carom_solution_get_v(back), carom_solution_get_v(s), sizes.num_unknowns, 1e-6);
  assert_int_equal(carom_solution_get_report(back)->status, CAROM_SOLVE_CERTIFIED);
  carom_solution_destroy(s), carom_solution_destroy(back);
}

static void test_solutions(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p = test_convex_make_two(3, 0.5);
  check_ok(carom_problem_finish(p, &error), &error);
  for (int format = CAROM_PROBLEM_CAROM; format <= CAROM_PROBLEM_FCLIB_GLOBAL; format++)
    check_solution(p, (carom_problem_format)format);
  carom_problem_destroy(p);
  check_random random = {7};
  test_problem t;
  const test_problem_def def = contacts_def();
  test_problem_make_random(&def, &random, &t);
  p = test_convex_copy(&t, NULL);
  check_solution(p, CAROM_PROBLEM_SAP);
  carom_problem_destroy(p), test_problem_destroy(&t);
}

/* --- What a form cannot hold --------------------------------------------------------------------
 */

static void expect_not_saved(const carom_problem* p, carom_problem_format format,
                             const char* sentence) {
  carom_error error;
  assert_int_equal(carom_problem_save(p, test_convex_path, format, &error),
                   CAROM_ERROR_UNSUPPORTED);
  assert_string_equal(error.message + strlen(test_convex_path) + 2, sentence);
}

static void test_unsupported(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p = test_convex_make_two(3, 0.5);
  check_ok(carom_problem_finish(p, &error), &error);
  expect_not_saved(p, CAROM_PROBLEM_SAP,
                   "the text form holds compliant contacts only, and the problem has R = 0");
  check_ok(carom_problem_add_regularization(p, 1e-3, &error), &error);
  expect_not_saved(p, CAROM_PROBLEM_FCLIB_GLOBAL,
                   "FCLIB's global form holds rigid rows only, and the problem has R > 0");
  carom_problem_destroy(p);
  check_random random = {5};
  test_problem t;
  test_problem_def def = contacts_def();
  def.bounds = 3;
  test_problem_make_random(&def, &random, &t);
  p = test_convex_copy(&t, NULL);
  expect_not_saved(p, CAROM_PROBLEM_FCLIB_LOCAL,
                   "FCLIB's local form holds contacts only, and the problem has other constraints");
  carom_problem_destroy(p), test_problem_destroy(&t);
}

static void test_cannot_be_written(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p = test_convex_make_two(3, 0.5);
  check_ok(carom_problem_finish(p, &error), &error);
  for (int format = CAROM_PROBLEM_CAROM; format < CAROM_PROBLEM_SAP; format++) {
    const char* nowhere = "/tmp/there/is/no/such/folder";
    carom_status status = carom_problem_save(p, nowhere, (carom_problem_format)format, &error);
    assert_int_equal(status, CAROM_ERROR_FILE);
    assert_non_null(strstr(error.message, "/tmp/there/is/no/such/folder: cannot be written: "));
  }
  carom_problem_destroy(p);
}

/* The same matrix as triplets, one of them in two parts, and by rows. */
static void test_matrix_forms(void** state) {
  (void)state;
  const int nz = 7, csr = -2, i[7] = {5, 1, 2, 3, 4, 0, 5}, start[7] = {0, 1, 2, 3, 4, 5, 6};
  const int column[6] = {0, 1, 2, 3, 4, 5};
  const double x[7] = {0.5, 1, 1, 1, 1, 1, 0.5}, ones[6] = {1, 1, 1, 1, 1, 1};
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  carom_problem* a = test_convex_load();
  test_convex_put_ints("fclib_global/M/nz", &nz, 1);
  test_convex_put_ints("fclib_global/M/i", i, 7), test_convex_put_ints("fclib_global/M/p", i, 7);
  test_convex_put_reals("fclib_global/M/x", x, 7);
  carom_problem* b = test_convex_load();
  test_convex_expect_same(b, a, 1e-15);
  carom_problem_destroy(b);
  test_convex_put_ints("fclib_global/M/nz", &csr, 1);
  test_convex_put_ints("fclib_global/M/i", column, 6),
      test_convex_put_ints("fclib_global/M/p", start, 7);
  test_convex_put_reals("fclib_global/M/x", ones, 6);
  b = test_convex_load();
  test_convex_expect_same(b, a, 1e-15);
  carom_problem_destroy(a), carom_problem_destroy(b);
}

/* A W that is not semi-definite by rounding is kept as it is, in files and in solutions. */
static void test_slightly_indefinite(void** state) {
  (void)state;
  const int nz = 6, i[6] = {0, 1, 2, 3, 4, 5};
  const double x[6] = {1, 1, -1e-8, 1, 1, 1};
  test_convex_save_two(CAROM_PROBLEM_FCLIB_LOCAL);
  test_convex_put_ints("fclib_local/W/nz", &nz, 1);
  test_convex_put_ints("fclib_local/W/i", i, 6), test_convex_put_ints("fclib_local/W/p", i, 6);
  test_convex_put_reals("fclib_local/W/x", x, 6);
  carom_problem* a = test_convex_load();
  carom_problem* b = reload(a, CAROM_PROBLEM_CAROM);
  carom_problem* c = reload(b, CAROM_PROBLEM_FCLIB_LOCAL);
  assert_int_equal(carom_problem_get_sizes(a).num_unknowns, 6);
  expect_same_solution(a, b, true);
  expect_same_solution(a, c, false);
  check_near(carom_problem_compute_trace(c), carom_problem_compute_trace(a), 1e-12);
  carom_problem_destroy(a), carom_problem_destroy(b), carom_problem_destroy(c);
}

/* One triangle stands for both; rows of H by their order (n, t1, t2). */
static void test_one_triangle(void** state) {
  (void)state;
  const int nz = 7, i[7] = {0, 1, 2, 3, 4, 5, 1}, p[7] = {0, 1, 2, 3, 4, 5, 0};
  const double x[7] = {2, 2, 2, 2, 2, 2, 0.5};
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_ints("fclib_global/M/nz", &nz, 1);
  test_convex_put_ints("fclib_global/M/i", i, 7), test_convex_put_ints("fclib_global/M/p", p, 7);
  test_convex_put_reals("fclib_global/M/x", x, 7);
  carom_problem* b = test_convex_load();
  /* f = (3 0 -1 3 0 -1) of the identity, so v* solves [2 .5; .5 2] v = (3, 0). */
  check_near(carom_problem_get_v_star(b)[0], 1.6, 1e-14);
  check_near(carom_problem_get_v_star(b)[1], -0.4, 1e-14);
  carom_problem_destroy(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_form),           cmocka_unit_test(test_sap),
      cmocka_unit_test(test_fclib_local),        cmocka_unit_test(test_fclib_global),
      cmocka_unit_test(test_equalities),         cmocka_unit_test(test_solutions),
      cmocka_unit_test(test_unsupported),        cmocka_unit_test(test_cannot_be_written),
      cmocka_unit_test(test_matrix_forms),       cmocka_unit_test(test_one_triangle),
      cmocka_unit_test(test_slightly_indefinite)};
  return cmocka_run_group_tests(tests, test_convex_make_path, test_convex_remove_path);
}
