/* Contact problems built in code: what is refused and in which words, and solutions against what is
 * known by hand, against the solver on plain data, and against the conic form's conditions. */
#include "support/convex.h"
#include "support/memory.h"
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- By hand ------------------------------------------------------------------------------------
 */

static carom_solution* solve(const carom_problem* p, carom_friction friction, double tolerance) {
  carom_solve_def def = carom_solve_def_default();
  carom_solution* s;
  carom_error error;
  def.friction = friction, def.tolerance = tolerance;
  check_ok(carom_problem_solve(p, &def, &s, &error), &error);
  assert_int_equal(carom_solution_get_report(s)->status, CAROM_SOLVE_CERTIFIED);
  return s;
}

/* Two unit masses that fall at 1 m/s and slide, one on the other: gamma_n = 2 and 1. The ground
 * takes mu 2 = 1 N s of momentum from both, which stay together. */
static void test_two_masses(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p = test_convex_make_two(3, 0.5);
  check_ok(carom_problem_finish(p, &error), &error);
  carom_solution* s = solve(p, CAROM_FRICTION_COULOMB, 1e-12);
  const double v[6] = {2.5, 0, 0, 2.5, 0, 0}, gamma[6] = {-1, 0, 2, -0.5, 0, 1};
  check_near_array(carom_solution_get_v(s), v, 6, 1e-10);
  check_near_array(carom_solution_get_gamma(s), gamma, 6, 1e-10);
  assert_int_equal(carom_solution_get_states(s)[0], CAROM_STATE_SLIDE);
  check_near(carom_solution_get_slip(s)[0], 2.5, 1e-10);
  check_near(carom_solution_get_float(s)[0], 0, 1e-10);
  carom_solution_destroy(s);
  /* Convex friction: u_n = mu |u_t| while sliding. */
  s = solve(p, CAROM_FRICTION_CONVEX, 1e-12);
  const double* u = carom_solution_get_u(s);
  check_near(u[2], 0.5 * hypot(u[0], u[1]), 1e-10);
  check_near(carom_solution_get_report(s)->sliding_float, u[2], 1e-10);
  carom_solution_destroy(s);
  carom_problem_destroy(p);
}

static void test_states(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p = test_convex_make_two(0.1, 0.5);
  check_ok(carom_problem_finish(p, &error), &error);
  carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, 1e-12);
  assert_int_equal(carom_solution_get_states(s)[0], CAROM_STATE_STICK);
  check_near(carom_solution_get_v(s)[0], 0, 1e-10);
  carom_solution_destroy(s), carom_problem_destroy(p);
  /* The lower body is pulled down faster than the upper one follows. */
  p = test_convex_make_two(0, 0.5);
  const double v_star[6] = {0, 0, -2, 0, 0, 1};
  check_ok(carom_problem_set_velocities(p, v_star, NULL, &error), &error);
  check_ok(carom_problem_finish(p, &error), &error);
  s = solve(p, CAROM_FRICTION_COULOMB, 1e-12);
  assert_int_equal(carom_solution_get_states(s)[0], CAROM_STATE_STICK);
  assert_int_equal(carom_solution_get_states(s)[1], CAROM_STATE_SEPARATE);
  carom_solution_destroy(s), carom_problem_destroy(p);
}

/* A block of one unknown with bounded rows, A = 2. */
static carom_problem* make_row(double v_star, double low, double high, double R) {
  const int size = 1, block = 0;
  const double A = 2, J = 1;
  const double* parts[1] = {&J};
  carom_problem* p;
  carom_error error;
  carom_problem_def def = carom_problem_def_default();
  carom_constraint_def row = carom_constraint_def_default();
  def.num_blocks = 1, def.block_size = &size;
  row.kind = CAROM_CONSTRAINT_BOUNDS, row.low = low, row.high = high, row.R = &R;
  row.num_blocks = 1, row.blocks = &block, row.jacobian = parts;
  check_ok(carom_problem_create(&def, &p, &error), &error);
  check_ok(carom_problem_set_block(p, 0, 0, &A, &error), &error);
  check_ok(carom_problem_set_velocities(p, &v_star, NULL, &error), &error);
  check_ok(carom_problem_add(p, &row, NULL, &error), &error);
  check_ok(carom_problem_finish(p, &error), &error);
  return p;
}

static void check_row(double v_star, double low, double high, double R, double gamma,
                      carom_constraint_state state) {
  carom_problem* p = make_row(v_star, low, high, R);
  carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, 1e-12);
  check_near(carom_solution_get_gamma(s)[0], gamma, 1e-10);
  check_near(carom_solution_get_v(s)[0], v_star + gamma / 2, 1e-10);
  assert_int_equal(carom_solution_get_states(s)[0], state);
  carom_solution_destroy(s), carom_problem_destroy(p);
}

static void test_bounds(void** state) {
  (void)state;
  check_row(-1, 0, INFINITY, 0, 2, CAROM_STATE_INSIDE);         /* a limit that holds */
  check_row(1, 0, INFINITY, 0, 0, CAROM_STATE_AT_BOUND);        /* and one that does not */
  check_row(1, -INFINITY, INFINITY, 0, -2, CAROM_STATE_INSIDE); /* an equality */
  check_row(1, -0.5, 0.5, 0, -0.5, CAROM_STATE_AT_BOUND);       /* dry friction that slips */
  check_row(0.1, -0.5, 0.5, 0, -0.2, CAROM_STATE_INSIDE);       /* and one that holds */
  check_row(-1, 0, INFINITY, 0.5, 1, CAROM_STATE_INSIDE);       /* gamma = 1 / (W + R) */
}

/* Without friction a contact is a limit along its normal. */
static void test_frictionless(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p = test_convex_make_two(3, 0);
  check_ok(carom_problem_finish(p, &error), &error);
  carom_solution* s = solve(p, CAROM_FRICTION_COULOMB, 1e-12);
  const double v[6] = {3, 0, 0, 3, 0, 0}, gamma[6] = {0, 0, 2, 0, 0, 1};
  check_near_array(carom_solution_get_v(s), v, 6, 1e-10);
  check_near_array(carom_solution_get_gamma(s), gamma, 6, 1e-10);
  check_near(carom_solution_get_v_c(s)[0], 3, 1e-10);
  carom_solution_destroy(s), carom_problem_destroy(p);
}

static void test_nothing_constrained(void** state) {
  (void)state;
  const int size = 1;
  const double A = 2, f = 3;
  carom_problem* p;
  carom_error error;
  carom_problem_def def = carom_problem_def_default();
  def.num_blocks = 1, def.block_size = &size;
  check_ok(carom_problem_create(&def, &p, &error), &error);
  check_ok(carom_problem_set_block(p, 0, 0, &A, &error), &error);
  check_ok(carom_problem_set_momentum(p, &f, &error), &error);
  check_ok(carom_problem_finish(p, &error), &error);
  carom_solution* s = solve(p, CAROM_FRICTION_COULOMB, 1e-6);
  check_near(carom_solution_get_v(s)[0], 1.5, 1e-15);
  carom_solution_destroy(s), carom_problem_destroy(p);
}

/* --- Random problems ----------------------------------------------------------------------------
 */

static const test_problem_def DEF = {.bodies = 6,
                                     .contacts = 14,
                                     .mass_ratio = 30,
                                     .stiffness_low = 1e3,
                                     .stiffness_high = 1e6,
                                     .mu_low = 0.1,
                                     .mu_high = 1,
                                     .sigma = 1e-3,
                                     .redundant = 0.2,
                                     .bounds = 6,
                                     .full_A = true,
                                     .moments = 0.3,
                                     .length_low = 1e-2,
                                     .length_high = 0.1};

/* The report against dense and independent computations. */
static void check_report(const test_problem* t, const carom_problem* p, const carom_solution* s) {
  const carom_solve_report* report = carom_solution_get_report(s);
  int rows = t->problem.num_rows;
  double* gamma = calloc((size_t)rows + 1, sizeof *gamma);
  double* scratch = calloc((size_t)rows + 1, sizeof *scratch);
  for (int k = 0; k < t->problem.num_constraints; k++) {
    carom_constraint_info info = carom_problem_get_constraint(p, t->order[k]);
    for (int r = 0; r < info.num_rows; r++)
      gamma[t->problem.row[k] + r] = carom_solution_get_gamma(s)[info.row + r];
  }
  double norm2, primal = test_primal_cost(&t->problem, carom_solution_get_v(s), &norm2, scratch);
  double dual = test_dual_cost(&t->problem, gamma);
  check_near(report->primal_cost, primal, 1e-11 * fabs(primal));
  check_near(report->dual_cost, dual, 1e-11 * fabs(dual));
  check_near(report->gap, primal + dual, 1e-11 * fabs(primal));
  assert_true(report->relative_gap <= 1e-11 && report->residual <= 1e-5);
  free(gamma), free(scratch);
}

static void test_random(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < check_repeats(40); i++) {
    test_problem t;
    test_problem_make_random(&DEF, &random, &t);
    carom_problem* p = test_convex_copy(&t, NULL);
    cr_solve_options options = cr_solve_options_default();
    options.friction = CR_FRICTION_CONVEX, options.tolerance = 1e-8;
    double* v = calloc((size_t)t.problem.pattern.num_rows + 1, sizeof *v);
    double* gamma = calloc((size_t)t.problem.num_rows + 1, sizeof *gamma);
    cr_solve_report report = test_solve(&t.problem, &options, v, gamma);
    carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, 1e-8);
    assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
    check_near_array(carom_solution_get_v(s), v, t.problem.pattern.num_rows, 1e-6);
    check_report(&t, p, s);
    free(v), free(gamma);
    carom_solution_destroy(s), carom_problem_destroy(p), test_problem_destroy(&t);
  }
}

/* A solution measured again, and the same from its impulses alone; both solvers agree. */
static void test_evaluate(void** state) {
  (void)state;
  check_random random = {2};
  test_problem t;
  carom_error error;
  carom_solution *again, *from_gamma, *primal;
  test_problem_make_random(&DEF, &random, &t);
  carom_problem* p = test_convex_copy(&t, NULL);
  carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, 1e-8);
  carom_solve_def def = carom_solve_def_default();
  const double *v = carom_solution_get_v(s), *gamma = carom_solution_get_gamma(s);
  check_ok(carom_problem_evaluate(p, &def, v, gamma, &again, &error), &error);
  check_ok(carom_problem_evaluate(p, &def, NULL, gamma, &from_gamma, &error), &error);
  assert_int_equal(carom_solution_get_report(again)->status, CAROM_SOLVE_CERTIFIED);
  assert_true(carom_solution_get_report(again)->gap == carom_solution_get_report(s)->gap);
  int n = carom_problem_get_sizes(p).num_unknowns;
  check_near_array(carom_solution_get_v(from_gamma), v, n, 1e-6);
  def.solver = CAROM_SOLVER_PRIMAL, def.tolerance = 1e-7, def.guess = gamma;
  check_ok(carom_problem_solve(p, &def, &primal, &error), &error);
  check_near_array(carom_solution_get_v(primal), v, n, 1e-5);
  carom_solution_destroy(s), carom_solution_destroy(again), carom_solution_destroy(from_gamma);
  carom_solution_destroy(primal), carom_problem_destroy(p), test_problem_destroy(&t);
}

/* Unmeasured solutions are those that are measured, by their certificates where the gap counts, by
 * their residuals where rows are rigid. */
static void check_unmeasured(const carom_problem* p, const carom_solution* measured) {
  carom_solve_def def = carom_solve_def_default();
  carom_solution* s;
  carom_error error;
  def.tolerance = 1e-8, def.unmeasured = true;
  check_ok(carom_problem_solve(p, &def, &s, &error), &error);
  carom_problem_sizes sizes = carom_problem_get_sizes(p);
  const carom_solve_report *report = carom_solution_get_report(s),
                           *full = carom_solution_get_report(measured);
  check_near_array(carom_solution_get_v(s), carom_solution_get_v(measured), sizes.num_unknowns, 0);
  check_near_array(carom_solution_get_gamma(s), carom_solution_get_gamma(measured), sizes.num_rows,
                   0);
  assert_int_equal(report->status, full->status);
  assert_int_equal(report->iterations, full->iterations);
  assert_true(isnan(report->primal_cost) && isnan(report->dual_cost) && isnan(report->residual));
  bool by_gap = isfinite(full->gap);
  assert_true(by_gap ? isnan(report->row_residual) : report->row_residual <= def.tolerance);
  if (by_gap) {
    check_near(report->gap, full->gap, 1e-3 * full->gap + 1e-14 * full->primal_cost);
    assert_true(report->velocity_error <= def.tolerance);
  }
  assert_null(carom_solution_get_u(s));
  assert_null(carom_solution_get_states(s));
  carom_solution_destroy(s);
}

static void test_unmeasured(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < check_repeats(20); i++) {
    test_problem t;
    test_problem_def def = DEF;
    if (i % 2) def.stiffness_low = def.stiffness_high = INFINITY, def.sigma = 0, def.redundant = 0;
    test_problem_make_random(&def, &random, &t);
    carom_problem* p = test_convex_copy(&t, NULL);
    carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, 1e-8);
    check_unmeasured(p, s);
    carom_solution_destroy(s), carom_problem_destroy(p), test_problem_destroy(&t);
  }
}

static void test_regularization(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p = test_convex_make_two(0, 0.5);
  check_ok(carom_problem_finish(p, &error), &error);
  check_near(carom_problem_compute_trace(p), 9, 1e-14);
  check_ok(carom_problem_add_regularization(p, 1, &error), &error);
  check_near(carom_problem_get_R(p)[5], 1, 0);
  carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, 1e-10);
  /* Along the normal W + 1 = [2 -1; -1 3], q = (-1, 0). */
  check_near(carom_solution_get_gamma(s)[2], 0.6, 1e-9);
  check_near(carom_solution_get_gamma(s)[5], 0.2, 1e-9);
  carom_solution_destroy(s), carom_problem_destroy(p);
}

/* --- Bad input ----------------------------------------------------------------------------------
 */

static void expect_refused(carom_status status, carom_status expected, const carom_error* error,
                           const char* sentence) {
  assert_int_equal(status, expected);
  assert_int_equal(error->status, expected);
  assert_string_equal(error->message, sentence);
}

static void test_bad_creation(void** state) {
  (void)state;
  const int sizes[2] = {3, 0};
  carom_problem* p;
  carom_error error;
  carom_problem_def def = carom_problem_def_default();
  expect_refused(carom_problem_create(&def, &p, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "problem: the number of blocks is 0, must be 1 or more");
  def.num_blocks = 2, def.block_size = sizes;
  expect_refused(carom_problem_create(&def, &p, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "block 1: its size is 0, must be positive");
  def.dt = -1;
  expect_refused(carom_problem_create(&def, &p, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "problem: dt is -1, must be 0 or more");
  def.cookie = 0;
  expect_refused(carom_problem_create(&def, &p, &error), CAROM_ERROR_INVALID_ARGUMENT, &error,
                 "problem: the definition was not made by carom_problem_def_default()");
  assert_null(p);
}

static void test_bad_A(void** state) {
  (void)state;
  const int sizes[2] = {2, 1};
  const double good[4] = {2, 1, 1, 2}, asymmetric[4] = {2, 1, 0.5, 2}, indefinite[4] = {1, 2, 2, 1};
  const double nan[4] = {1, 0, 0, NAN}, one = 1, strong[2] = {2, 2};
  carom_problem* p;
  carom_error error;
  carom_problem_def def = carom_problem_def_default();
  def.num_blocks = 2, def.block_size = sizes;
  check_ok(carom_problem_create(&def, &p, &error), &error);
  expect_refused(carom_problem_set_block(p, 0, 2, good, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "block (0, 2): index 2 is not within 0 and 1");
  expect_refused(carom_problem_set_block(p, 0, 0, asymmetric, &error), CAROM_ERROR_BAD_INPUT,
                 &error, "block 0: A is not symmetric: element (1, 0) is 0.5, element (0, 1) is 1");
  expect_refused(carom_problem_set_block(p, 0, 0, nan, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "block (0, 0): element (1, 1) of A is nan, must be finite");
  check_ok(carom_problem_set_block(p, 0, 0, indefinite, &error), &error);
  expect_refused(carom_problem_set_block(p, 0, 0, good, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "block (0, 0) of A is given twice");
  expect_refused(carom_problem_finish(p, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "block 1: A has no diagonal block");
  check_ok(carom_problem_set_block(p, 1, 1, &one, &error), &error);
  expect_refused(carom_problem_finish(p, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "block 0: A is not positive definite: pivot 1 of the block is -3");
  carom_problem_destroy(p);
  check_ok(carom_problem_create(&def, &p, &error), &error);
  check_ok(carom_problem_set_block(p, 0, 0, good, &error), &error);
  check_ok(carom_problem_set_block(p, 1, 1, &one, &error), &error);
  check_ok(carom_problem_set_block(p, 1, 0, strong, &error), &error);
  carom_status status = carom_problem_finish(p, &error);
  assert_int_equal(status, CAROM_ERROR_BAD_INPUT);
  assert_non_null(strstr(error.message, "is not positive once the blocks coupled to it"));
  carom_problem_destroy(p);
}

/* One contact definition with one thing wrong. */
static void expect_constraint_refused(const carom_constraint_def* def, const char* sentence) {
  carom_problem* p = test_convex_make_two(0, 1);
  carom_error error;
  carom_problem_sizes before = carom_problem_get_sizes(p);
  carom_status status = carom_problem_add(p, def, NULL, &error);
  assert_string_equal(error.message, sentence);
  assert_true(status == CAROM_ERROR_BAD_INPUT || status == CAROM_ERROR_INVALID_ARGUMENT);
  carom_problem_sizes after = carom_problem_get_sizes(p);
  assert_memory_equal(&before, &after, sizeof before);
  carom_problem_destroy(p);
}

static void test_bad_constraints(void** state) {
  (void)state;
  double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, R[3] = {0, 0, -1}, v_hat[3] = {0, INFINITY, 0};
  const int good = 0, outside = 2, twice[2] = {1, 1};
  const double* parts[2] = {J, J};
  carom_constraint_def def = carom_constraint_def_default(), bad;
  def.num_blocks = 1, def.blocks = &good, def.jacobian = parts, def.mu = 1;
  bad = def, bad.mu = -0.5;
  expect_constraint_refused(&bad, "constraint 2: mu is -0.5, must be 0 or more");
  bad = def, bad.mu = NAN;
  expect_constraint_refused(&bad, "constraint 2: mu is nan, must be 0 or more");
  bad = def, bad.kind = CAROM_CONSTRAINT_DISC, bad.radius = -1;
  expect_constraint_refused(&bad, "constraint 2: radius is -1, must be 0 or more");
  bad = def, bad.kind = CAROM_CONSTRAINT_BOUNDS, bad.low = 1, bad.high = 0;
  expect_constraint_refused(&bad,
                            "constraint 2: high is 0, must be a number not below low, or inf");
  bad = def, bad.num_blocks = 0;
  expect_constraint_refused(&bad, "constraint 2: the number of blocks is 0, must be 1 or more");
  bad = def, bad.blocks = &outside;
  expect_constraint_refused(&bad, "constraint 2: block 2 is not within 0 and 1");
  bad = def, bad.num_blocks = 2, bad.blocks = twice;
  expect_constraint_refused(&bad, "constraint 2: block 1 is given twice");
  bad = def, bad.R = R;
  expect_constraint_refused(&bad, "constraint 2: R[2] is -1, must be 0 or more");
  bad = def, bad.v_hat = v_hat;
  expect_constraint_refused(&bad, "constraint 2: v_hat[1] is inf, must be finite");
  R[2] = 0, R[0] = 1, bad = def, bad.R = R;
  expect_constraint_refused(
      &bad, "constraint 2: R[1] is 0, must be equal to R[0], as friction has no direction");
  bad = def, bad.cookie = 0;
  expect_constraint_refused(
      &bad, "constraint 2: the definition was not made by carom_constraint_def_default()");
  J[5] = NAN;
  expect_constraint_refused(
      &def, "constraint 2: element (1, 2) of the Jacobian of block 0 is nan, must be finite");
}

static void test_bad_use(void** state) {
  (void)state;
  static const double zero[9] = {0}, v[6] = {0, 0, 0, 0, 0, NAN};
  const int block = 0;
  const double* parts[1] = {zero};
  carom_error error;
  carom_solution* s;
  carom_problem* p = test_convex_make_two(0, 1);
  expect_refused(carom_problem_solve(p, NULL, &s, &error), CAROM_ERROR_INVALID_ARGUMENT, &error,
                 "problem: carom_problem_finish() has not been called");
  expect_refused(carom_problem_set_velocities(p, v, NULL, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "v*[5] is nan, must be finite");
  carom_constraint_def row = carom_constraint_def_default();
  row.num_blocks = 1, row.blocks = &block, row.jacobian = parts;
  check_ok(carom_problem_add(p, &row, NULL, &error), &error);
  expect_refused(
      carom_problem_finish(p, &error), CAROM_ERROR_BAD_INPUT, &error,
      "constraint 2: the trace of J A^-1 J' is 0, must be positive: no unknown moves it");
  carom_problem_destroy(p);
  p = test_convex_make_two(0, 1);
  check_ok(carom_problem_finish(p, &error), &error);
  expect_refused(carom_problem_finish(p, &error), CAROM_ERROR_INVALID_ARGUMENT, &error,
                 "problem: it is finished and no longer changes");
  carom_solve_def def = carom_solve_def_default();
  def.tolerance = 0;
  expect_refused(carom_problem_solve(p, &def, &s, &error), CAROM_ERROR_INVALID_ARGUMENT, &error,
                 "solve: tolerance is 0, must be positive");
  def = carom_solve_def_default(), def.friction = CAROM_FRICTION_LAGGED;
  expect_refused(carom_problem_solve(p, &def, &s, &error), CAROM_ERROR_INVALID_ARGUMENT, &error,
                 "solve: friction must be Coulomb or convex");
  def = carom_solve_def_default(), def.guess = v;
  expect_refused(carom_problem_solve(p, &def, &s, &error), CAROM_ERROR_BAD_INPUT, &error,
                 "guess[5] is nan, must be finite");
  carom_problem_destroy(p);
}

/* --- Memory -------------------------------------------------------------------------------------
 */

/* Makes, fills, finishes and solves; whatever fails, everything is given back. */
static carom_status build_and_solve(const carom_allocator* hooks) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, v[3] = {1, 0, -1};
  const int size = 3, block = 0;
  const double* parts[1] = {identity};
  carom_error error;
  carom_problem* p;
  carom_solution* s = NULL;
  carom_problem_def def = carom_problem_def_default();
  carom_constraint_def contact = carom_constraint_def_default();
  def.allocator = *hooks, def.num_blocks = 1, def.block_size = &size;
  contact.mu = 0.3, contact.num_blocks = 1, contact.blocks = &block, contact.jacobian = parts;
  carom_status status = carom_problem_create(&def, &p, &error);
  if (status == CAROM_OK) status = carom_problem_set_block(p, 0, 0, identity, &error);
  if (status == CAROM_OK) status = carom_problem_set_velocities(p, v, NULL, &error);
  if (status == CAROM_OK) status = carom_problem_add(p, &contact, NULL, &error);
  if (status == CAROM_OK) status = carom_problem_finish(p, &error);
  if (status == CAROM_OK) status = carom_problem_solve(p, NULL, &s, &error);
  carom_solution_destroy(s), carom_problem_destroy(p);
  return status;
}

static void test_memory(void** state) {
  (void)state;
  carom_status status = CAROM_ERROR_OUT_OF_MEMORY;
  for (int fail_at = 0; status != CAROM_OK; fail_at++) {
    check_memory memory = check_memory_make();
    memory.fail_at = fail_at;
    carom_allocator hooks = check_memory_hooks(&memory);
    status = build_and_solve(&hooks);
    assert_true(status == CAROM_OK || status == CAROM_ERROR_OUT_OF_MEMORY);
    check_memory_expect_empty(&memory);
    assert_true(fail_at < 1000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_masses),
                                     cmocka_unit_test(test_states),
                                     cmocka_unit_test(test_bounds),
                                     cmocka_unit_test(test_frictionless),
                                     cmocka_unit_test(test_nothing_constrained),
                                     cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_evaluate),
                                     cmocka_unit_test(test_unmeasured),
                                     cmocka_unit_test(test_regularization),
                                     cmocka_unit_test(test_bad_creation),
                                     cmocka_unit_test(test_bad_A),
                                     cmocka_unit_test(test_bad_constraints),
                                     cmocka_unit_test(test_bad_use),
                                     cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
