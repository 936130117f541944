/* Files of contact problems: each form round trip, the three forms of FCLIB's matrices, and what is
 * refused, in which words. */
#include "import/problem/reader.h"
#include "support/convex.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static int make_path(void** state) {
  (void)state;
  snprintf(path, sizeof path, "/tmp/carom-problem-%ld", (long)getpid());
  return 0;
}

static int remove_path(void** state) {
  (void)state;
  unlink(path);
  return 0;
}

/* --- Round trips --------------------------------------------------------------------------------
 */

static carom_problem* load(void) {
  carom_error error;
  carom_problem* p;
  check_ok(carom_problem_load(path, &p, &error), &error);
  return p;
}

static carom_problem* reload(const carom_problem* p, carom_problem_format format) {
  carom_error error;
  check_ok(carom_problem_save(p, path, format, &error), &error);
  return load();
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
  check_ok(carom_problem_save(p, path, format, &error), &error);
  for (int twice = 0; twice < 2; twice++)
    check_ok(carom_solution_save(s, p, path, format, &error), &error);
  check_ok(carom_solution_load(path, p, &def, &back, &error), &error);
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
  assert_int_equal(carom_problem_save(p, path, format, &error), CAROM_ERROR_UNSUPPORTED);
  assert_string_equal(error.message + strlen(path) + 2, sentence);
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

/* --- Bad text -----------------------------------------------------------------------------------
 */

static const char GOOD[] = "sapproblem 1\none\ndt 0.01\nbeta 1\nsigma 1e-3\nblocks 1\n"
                           "3 1 0 0 0 1 0 0 0 1\nvstar 3 0 0 -1\nv0 3 0 0 0\ncontacts 1\n"
                           "0 -1 0 0.5 1e5 0.1 1 0 0 0 1 0 0 0 1\nend\n";

static void expect_text_refused(const char* text, const char* sentence) {
  carom_error error;
  carom_problem* p;
  carom_status status = cr_problem_load_memory("f.txt", text, strlen(text), &p, &error);
  assert_string_equal(error.message, sentence);
  assert_true(status == CAROM_ERROR_BAD_INPUT);
  assert_null(p);
}

/* GOOD with `from`, which it has once, replaced. */
static void expect_change_refused(const char* from, const char* to, const char* sentence) {
  char text[sizeof GOOD + 100];
  const char* at = strstr(GOOD, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - GOOD), GOOD, to, at + strlen(from));
  expect_text_refused(text, sentence);
}

static void test_bad_text(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p;
  check_ok(cr_problem_load_memory("f.txt", GOOD, strlen(GOOD), &p, &error), &error);
  carom_problem_destroy(p);
  expect_text_refused("", "f.txt: is no contact problem: neither HDF5 nor text that begins with "
                          "'sapproblem'");
  expect_text_refused("sapsolution 1\n", "f.txt: is a solution, not a problem");
  expect_change_refused("sapproblem 1", "sapproblem 2",
                        "f.txt:1: the version is 2, must be a whole number within 1 and 1");
  expect_change_refused("dt 0.01", "dt 0", "f.txt:3: dt is 0, must be positive");
  expect_change_refused("dt 0.01", "dt nan", "f.txt:3: dt is 'nan', must be a finite number");
  expect_change_refused("beta 1", "gamma 1", "f.txt:4: 'gamma' stands where 'beta' must");
  expect_change_refused("sigma 1e-3", "sigma -1", "f.txt:5: sigma is -1, must be 0 or more");
  expect_change_refused("blocks 1", "blocks 1000000",
                        "f.txt:6: the number of blocks is 1e+06, must be a whole number within 1 "
                        "and 54");
  expect_change_refused("3 1 0 0", "3 1 7 0",
                        "f.txt:7: block 0: A is not symmetric: element (1, 0) is 0, element (0, 1) "
                        "is 7");
  expect_change_refused("3 1 0 0", "3 -1 0 0",
                        "f.txt: block 0: A is not positive definite: pivot 0 of the block is -1");
  expect_change_refused("vstar 3", "vstar 4",
                        "f.txt:8: the length of vstar is 4, must be a whole number within 3 and 3");
  expect_change_refused("0 -1 0 0.5", "1 -1 0 0.5",
                        "f.txt:11: block 0 of a contact is 1, must be a whole number within 0 and "
                        "0");
  expect_change_refused("0 -1 0 0.5", "0 0 0 0.5",
                        "f.txt:12: an element of J1 is 'end', must be a "
                        "finite number");
  expect_change_refused("0 -1 0 0.5", "0 -1 0 -0.5",
                        "f.txt:11: mu of a contact is -0.5, must be 0 or more");
  expect_change_refused("1e5", "0", "f.txt:11: k of a contact is 0, must be positive");
  expect_change_refused("1e5", "1e999",
                        "f.txt:11: k of a contact is '1e999', must be a finite "
                        "number");
  expect_change_refused("\nend\n", "\n", "f.txt:12: the file ends before end");
}

/* --- Bad HDF5 -----------------------------------------------------------------------------------
 */

/* A dataset of the file, replaced. */
static void put_ints(const char* dataset, const int* values, int count) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0 && H5Ldelete(file, dataset, H5P_DEFAULT) >= 0);
  assert_true(cr_h5_save_ints(file, dataset, values, count));
  H5Fclose(file);
}

static void put_reals(const char* dataset, const double* values, int count) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0 && H5Ldelete(file, dataset, H5P_DEFAULT) >= 0);
  assert_true(cr_h5_save_reals(file, dataset, values, count));
  H5Fclose(file);
}

static void expect_file_refused(const char* sentence) {
  carom_error error;
  carom_problem* p;
  assert_int_equal(carom_problem_load(path, &p, &error), CAROM_ERROR_BAD_INPUT);
  assert_null(p);
  assert_string_equal(error.message + strlen(path), sentence);
}

static void save_two(carom_problem_format format) {
  carom_error error;
  carom_problem* p = test_convex_make_two(3, 0.5);
  check_ok(carom_problem_finish(p, &error), &error);
  check_ok(carom_problem_save(p, path, format, &error), &error);
  carom_problem_destroy(p);
}

/* The same matrix as triplets, one of them in two parts, and by rows. */
static void test_matrix_forms(void** state) {
  (void)state;
  const int nz = 7, csr = -2, i[7] = {5, 1, 2, 3, 4, 0, 5}, start[7] = {0, 1, 2, 3, 4, 5, 6};
  const int column[6] = {0, 1, 2, 3, 4, 5};
  const double x[7] = {0.5, 1, 1, 1, 1, 1, 0.5}, ones[6] = {1, 1, 1, 1, 1, 1};
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  carom_problem* a = load();
  put_ints("fclib_global/M/nz", &nz, 1);
  put_ints("fclib_global/M/i", i, 7), put_ints("fclib_global/M/p", i, 7);
  put_reals("fclib_global/M/x", x, 7);
  carom_problem* b = load();
  test_convex_expect_same(b, a, 1e-15);
  carom_problem_destroy(b);
  put_ints("fclib_global/M/nz", &csr, 1);
  put_ints("fclib_global/M/i", column, 6), put_ints("fclib_global/M/p", start, 7);
  put_reals("fclib_global/M/x", ones, 6);
  b = load();
  test_convex_expect_same(b, a, 1e-15);
  carom_problem_destroy(a), carom_problem_destroy(b);
}

/* A W that is not semi-definite by rounding is kept as it is, in files and in solutions. */
static void test_slightly_indefinite(void** state) {
  (void)state;
  const int nz = 6, i[6] = {0, 1, 2, 3, 4, 5};
  const double x[6] = {1, 1, -1e-8, 1, 1, 1};
  save_two(CAROM_PROBLEM_FCLIB_LOCAL);
  put_ints("fclib_local/W/nz", &nz, 1);
  put_ints("fclib_local/W/i", i, 6), put_ints("fclib_local/W/p", i, 6);
  put_reals("fclib_local/W/x", x, 6);
  carom_problem* a = load();
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
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_ints("fclib_global/M/nz", &nz, 1);
  put_ints("fclib_global/M/i", i, 7), put_ints("fclib_global/M/p", p, 7);
  put_reals("fclib_global/M/x", x, 7);
  carom_problem* b = load();
  /* f = (3 0 -1 3 0 -1) of the identity, so v* solves [2 .5; .5 2] v = (3, 0). */
  check_near(carom_problem_get_v_star(b)[0], 1.6, 1e-14);
  check_near(carom_problem_get_v_star(b)[1], -0.4, 1e-14);
  carom_problem_destroy(b);
}

static void test_bad_fclib(void** state) {
  (void)state;
  const int four = 4, two = 2, seven[6] = {0, 1, 2, 3, 4, 77}, down[7] = {0, 1, 0, 3, 4, 5, 6};
  const double mu[2] = {0.5, -1}, nan[6] = {0, 0, NAN, 0, 0, 0}, bad[6] = {1, 1, 1, 1, -2, 1};
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_ints("fclib_global/spacedim", &four, 1);
  expect_file_refused(": /fclib_global/spacedim is 4, only problems in 3 dimensions are read");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_ints("fclib_global/M/m", &two, 1);
  expect_file_refused(": /fclib_global/M: row 2 of entry 2 is not within 0 and 1");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_ints("fclib_global/M/i", seven, 6);
  expect_file_refused(": /fclib_global/M: row 77 of entry 5 is not within 0 and 5");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_ints("fclib_global/M/p", down, 7);
  expect_file_refused(": /fclib_global/M/p[2] is 0, less than the one before it");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_ints("fclib_global/M/p", seven, 6);
  expect_file_refused(": /fclib_global/M/p has 6 numbers, must have 7");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_reals("fclib_global/M/x", nan, 6);
  expect_file_refused(": /fclib_global/M: entry 2 (row 2, column 2) is nan, must be finite");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_reals("fclib_global/M/x", bad, 6);
  expect_file_refused(": block 4: A is not positive definite: pivot 0 of the block is -2");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_reals("fclib_global/vectors/mu", mu, 2);
  expect_file_refused(": constraint 1: mu is -1, must be 0 or more");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_reals("fclib_global/vectors/w", nan, 6);
  expect_file_refused(": constraint 0: v_hat[1] is nan, must be finite");
  save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  put_reals("fclib_global/vectors/f", nan, 5);
  expect_file_refused(": /fclib_global/vectors/f has 5 numbers, must have 6");
}

static void test_bad_local(void** state) {
  (void)state;
  const int nz = 4, zero = 0, i[4] = {0, 1, 2, 0}, p[4] = {0, 1, 2, 1}, p_both[5] = {0, 1, 2, 1, 0};
  const int i_both[5] = {0, 1, 2, 0, 1}, five = 5;
  const double x[4] = {1, 1, 1, 5}, x_both[5] = {1, 1, 1, 0.5, 0.25};
  save_two(CAROM_PROBLEM_FCLIB_LOCAL);
  put_ints("fclib_local/W/nz", &nz, 1);
  put_ints("fclib_local/W/i", i, 4), put_ints("fclib_local/W/p", p, 4);
  put_reals("fclib_local/W/x", x, 4);
  expect_file_refused(": /fclib_local/W is not positive semi-definite: the part of contact 0 (1 "
                      "contacts) has an eigenvalue or pivot of -4");
  put_ints("fclib_local/W/nz", &five, 1);
  put_ints("fclib_local/W/i", i_both, 5), put_ints("fclib_local/W/p", p_both, 5);
  put_reals("fclib_local/W/x", x_both, 5);
  expect_file_refused(
      ": /fclib_local/W is not symmetric: element (1, 0) is 0.25, element (0, 1) is "
      "0.5");
  put_ints("fclib_local/W/nz", &zero, 1);
  expect_file_refused(": /fclib_local/W: the rows of contact 0 are zero");
}

static void test_bad_own(void** state) {
  (void)state;
  const int kind[2] = {0, 7}, start[3] = {0, 1, 9}, block[3] = {0, 0, 5}, sizes[2] = {3, 2};
  const double J[3] = {1, 2, 3};
  save_two(CAROM_PROBLEM_CAROM);
  put_ints("constraints/kind", kind, 2);
  expect_file_refused(": /constraints/kind[1] is 7, must be within 0 and 2");
  save_two(CAROM_PROBLEM_CAROM);
  put_ints("constraints/block_start", start, 3);
  expect_file_refused(": /constraints/block_start does not ascend from 0 to 3");
  save_two(CAROM_PROBLEM_CAROM);
  put_ints("constraints/block", block, 3);
  expect_file_refused(": constraint 1: block 5 is not within 0 and 1");
  save_two(CAROM_PROBLEM_CAROM);
  put_reals("constraints/J", J, 3);
  expect_file_refused(": /constraints/J ends within constraint 0");
  save_two(CAROM_PROBLEM_CAROM);
  put_ints("unknowns/block_size", sizes, 2);
  expect_file_refused(": /unknowns/v_star has 6 numbers, the blocks have 5 unknowns");
  save_two(CAROM_PROBLEM_CAROM);
  put_reals("unknowns/block_size", J, 3);
  expect_file_refused(": /unknowns/block_size does not hold whole numbers");
}

static void test_no_problem(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p;
  unlink(path);
  assert_int_equal(carom_problem_load(path, &p, &error), CAROM_ERROR_FILE);
  assert_non_null(strstr(error.message, ": cannot be opened: No such file or directory"));
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  expect_file_refused(": is an HDF5 file, but holds no contact problem of FCLIB or Carom");
}

/* --- Damage -------------------------------------------------------------------------------------
 */

static char* read_file(size_t* size) {
  FILE* file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char* data = malloc(*size);
  assert_true(fread(data, 1, *size, file) == *size);
  fclose(file);
  return data;
}

/* Cut anywhere, a file is refused in a sentence. */
static void test_truncated(void** state) {
  (void)state;
  for (int format = CAROM_PROBLEM_CAROM; format <= CAROM_PROBLEM_FCLIB_GLOBAL; format++) {
    size_t size;
    save_two((carom_problem_format)format);
    char* data = read_file(&size);
    int tries = check_repeats(100);
    for (int i = 0; i < tries; i++) {
      carom_error error;
      carom_problem* p;
      size_t length = size * (size_t)i / (size_t)tries;
      assert_int_equal(cr_problem_load_memory("cut", data, length, &p, &error),
                       CAROM_ERROR_BAD_INPUT);
      assert_true(strncmp(error.message, "cut: ", 5) == 0 && !strchr(error.message, '\n'));
    }
    free(data);
  }
}

/* With single bytes changed it is refused, or it is a problem. */
static void test_corrupt(void** state) {
  (void)state;
#ifdef CR_SANITIZED
  print_error("SKIPPED: HDF5 itself leaks and asks for any amount of memory on such files\n");
  skip();
#endif
  check_random random = {6};
  for (int format = CAROM_PROBLEM_CAROM; format <= CAROM_PROBLEM_FCLIB_GLOBAL; format++) {
    size_t size;
    save_two((carom_problem_format)format);
    char* data = read_file(&size);
    for (int i = 0; i < check_repeats(300); i++) {
      carom_error error;
      carom_problem* p;
      int at = check_random_int(&random, 8, (int)size - 1), bit = check_random_int(&random, 0, 7);
      data[at] = (char)(data[at] ^ (1 << bit));
      carom_status status = cr_problem_load_memory("bad", data, size, &p, &error);
      assert_true((status == CAROM_OK) == (p != NULL));
      data[at] = (char)(data[at] ^ (1 << bit));
      carom_problem_destroy(p);
    }
    free(data);
  }
}

/* Changes one number of one dataset, to something near, large or negative. */
static void spoil(hid_t file, const char* dataset, check_random* random) {
  static const int INTS[] = {-1, 0, 1, 2, 3, 6, 7, 1000, 2147483647, -2147483647 - 1};
  static const double REALS[] = {-1, 0, 1e-300, 1e300, INFINITY, NAN, 3, -1e300, 1e-9, 0.5};
  cr_arena arena;
  int64_t count;
  int *ints, which = check_random_int(random, 0, 9);
  double* reals;
  cr_arena_init(&arena, NULL);
  hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT);
  if (!cr_h5_load_ints(file, dataset, &arena, &ints, &count) && count > 0) {
    ints[check_random_int(random, 0, (int)count - 1)] = INTS[which];
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ints) >= 0);
  } else if (!cr_h5_load_reals(file, dataset, &arena, &reals, &count) && count > 0) {
    reals[check_random_int(random, 0, (int)count - 1)] = REALS[which];
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, reals) >= 0);
  }
  H5Dclose(set);
  cr_arena_destroy(&arena);
}

static void spoil_one(carom_problem_format format, check_random* random) {
  static const char* const OWN[] = {"unknowns/block_size",
                                    "unknowns/v_star",
                                    "unknowns/v0",
                                    "A/row",
                                    "A/column",
                                    "A/value",
                                    "constraints/kind",
                                    "constraints/parameter",
                                    "constraints/R",
                                    "constraints/v_hat",
                                    "constraints/block_start",
                                    "constraints/block",
                                    "constraints/J"};
  static const char* const GLOBAL[] = {
      "fclib_global/M/p",      "fclib_global/M/i",  "fclib_global/M/x", "fclib_global/M/m",
      "fclib_global/M/n",      "fclib_global/M/nz", "fclib_global/H/p", "fclib_global/H/i",
      "fclib_global/H/x",      "fclib_global/H/nz", "fclib_global/H/n", "fclib_global/vectors/f",
      "fclib_global/vectors/w"};
  static const char* const LOCAL[] = {
      "fclib_local/W/p",      "fclib_local/W/i",  "fclib_local/W/x",       "fclib_local/W/m",
      "fclib_local/W/n",      "fclib_local/W/nz", "fclib_local/vectors/q", "fclib_local/vectors/mu",
      "fclib_local/spacedim", "fclib_local/W/p",  "fclib_local/W/i",       "fclib_local/W/x",
      "fclib_local/W/nz"};
  const char* const* lists[] = {OWN, LOCAL, GLOBAL};
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  spoil(file, lists[format][check_random_int(random, 0, 12)], random);
  H5Fclose(file);
}

/* With numbers changed it is refused in a sentence, or it is a problem that can be solved. */
static void test_spoiled(void** state) {
  (void)state;
  check_random random = {8};
  for (int i = 0; i < check_repeats(600); i++) {
    carom_error error;
    carom_problem* p;
    carom_solution* s;
    alarm(60); /* a solver that never ends is a failure too */
    carom_problem_format format = (carom_problem_format)(i % 3);
    save_two(format);
    for (int k = 0; k <= i % 2; k++) spoil_one(format, &random);
    carom_status status = carom_problem_load(path, &p, &error);
    assert_true((status == CAROM_OK) == (p != NULL));
    if (!p) assert_true(strncmp(error.message, path, strlen(path)) == 0);
    if (!p) continue;
    check_ok(carom_problem_solve(p, NULL, &s, &error), &error);
    carom_solution_destroy(s), carom_problem_destroy(p);
  }
}

int main(void) {
  H5dont_atexit(); /* HDF5 fails to tidy up after files that it could not read, and says so */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_form),     cmocka_unit_test(test_sap),
      cmocka_unit_test(test_fclib_local),  cmocka_unit_test(test_fclib_global),
      cmocka_unit_test(test_equalities),   cmocka_unit_test(test_solutions),
      cmocka_unit_test(test_unsupported),  cmocka_unit_test(test_cannot_be_written),
      cmocka_unit_test(test_bad_text),     cmocka_unit_test(test_matrix_forms),
      cmocka_unit_test(test_one_triangle), cmocka_unit_test(test_slightly_indefinite),
      cmocka_unit_test(test_bad_fclib),    cmocka_unit_test(test_bad_local),
      cmocka_unit_test(test_bad_own),      cmocka_unit_test(test_no_problem),
      cmocka_unit_test(test_truncated),    cmocka_unit_test(test_corrupt),
      cmocka_unit_test(test_spoiled)};
  return cmocka_run_group_tests(tests, make_path, remove_path);
}
