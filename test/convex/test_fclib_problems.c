/* The public rigid problems of FCLIB and Siconos against their reference solutions: convex friction
 * (cost and u), the same with W + eta I (cost, r, u), and Coulomb friction (the residual alone, as
 * solutions are not unique). problems/README.md of the shared folder defines all of them. */
#include "h5/h5.h"
#include "import/problem/fclib.h"
#include "support/convex.h"

#include "carom/problem_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 100 };

/* Of costs, relative. */
#define COST_TOLERANCE 1e-10

/* Of u against |q|, largest elements. The cost's error bounds that of velocities by its root. */
#define VELOCITY_TOLERANCE 1e-7

/* Of v of sapproblem files, m/s, solved to SAP_TOLERANCE. */
#define SAP_VELOCITY_TOLERANCE 1e-8
#define SAP_TOLERANCE          1e-9

/* Of r, relative to the largest: its error is that of u over eta. */
#define IMPULSE_TOLERANCE 1e-6

/* --- References ---------------------------------------------------------------------------------
 */

typedef struct reference {
  cr_arena arena;
  double cost_convex, cost_reg, eta;
  double *u_convex, *u_reg, *r_reg; /* in our order of rows */
  double convex_gap, coulomb_residual;
} reference;

/* A dataset of reals, from rows (n, t1, t2) to ours where it has three a contact. */
static double* read_rows(hid_t file, const char* name, cr_arena* arena, int rows) {
  double *x, *out = CR_PUSH(arena, double, rows);
  int64_t count;
  const char* wrong = cr_h5_load_reals(file, name, arena, &x, &count);
  if (wrong) fail_msg("%s %s", name, wrong);
  assert_int_equal(count, rows);
  for (int i = 0; i < rows; i++) out[rows == 1 ? 0 : 3 * (i / 3) + CR_FCLIB_ROW[i % 3]] = x[i];
  return out;
}

/* The field of a column in a row of a table, both separated by commas. */
static void read_field(const char* header, const char* row, const char* column, double* x) {
  size_t length = strlen(column);
  for (; *header && *row; header++, row++) {
    if (strncmp(header, column, length) == 0 && (header[length] == ',' || header[length] == '\n')) {
      assert_int_equal(sscanf(row, "%lf", x), 1);
      return;
    }
    header += strcspn(header, ","), row += strcspn(row, ",");
    if (!*header || !*row) break;
  }
  fail_msg("refs.csv has no %s", column);
}

static void read_table(const char* folder, const char* name, reference* ref) {
  char path[1400], header[4096], row[4096];
  size_t length = strlen(name);
  snprintf(path, sizeof path, "%s/refs.csv", folder);
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(header, sizeof header, file));
  do assert_non_null(fgets(row, sizeof row, file));
  while (strncmp(row, name, length) != 0 || row[length] != ',');
  fclose(file);
  read_field(header, row, "convex_gap_rel", &ref->convex_gap);
  read_field(header, row, "coulomb_nm", &ref->coulomb_residual);
}

static void read_reference(const char* folder, const char* name, int rows, reference* ref) {
  char path[1400];
  snprintf(path, sizeof path, "%s/%s.ref.h5", folder, name);
  *ref = (reference){0};
  cr_arena_init(&ref->arena, NULL);
  cr_h5_guard guard;
  cr_h5_begin(&guard);
  hid_t file = cr_h5_open(path, H5F_ACC_RDONLY, &guard);
  assert_true(file >= 0);
  ref->cost_convex = *read_rows(file, "cost_convex", &ref->arena, 1);
  ref->cost_reg = *read_rows(file, "cost_reg", &ref->arena, 1);
  ref->eta = *read_rows(file, "eta", &ref->arena, 1);
  ref->u_convex = read_rows(file, "u_convex", &ref->arena, rows);
  ref->u_reg = read_rows(file, "u_reg", &ref->arena, rows);
  ref->r_reg = read_rows(file, "r_reg", &ref->arena, rows);
  H5Fclose(file);
  cr_h5_end(&guard);
  read_table(folder, name, ref);
}

/* --- Comparisons --------------------------------------------------------------------------------
 */

static double largest(const double* x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double difference(const double* a, const double* b, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* The largest element of q: u without impulses. */
static double measure_q(const carom_problem* p) {
  carom_error error;
  carom_solution* s;
  int rows = carom_problem_get_sizes(p).num_rows;
  double* zero = calloc((size_t)rows, sizeof *zero);
  check_ok(carom_problem_evaluate(p, NULL, NULL, zero, &s, &error), &error);
  double q = largest(carom_solution_get_u(s), rows);
  carom_solution_destroy(s), free(zero);
  return q;
}

static carom_solution* solve(const carom_problem* p, carom_friction friction, double tolerance) {
  carom_error error;
  carom_solution* s;
  carom_solve_def def = carom_solve_def_default();
  def.friction = friction, def.tolerance = tolerance;
  check_ok(carom_problem_solve(p, &def, &s, &error), &error);
  return s;
}

static double relative(double x, double expected) { return fabs(x - expected) / fabs(expected); }

static void check_convex(const carom_problem* p, const char* name, const reference* ref, double q) {
  carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, 1e-10);
  const carom_solve_report* report = carom_solution_get_report(s);
  int rows = carom_problem_get_sizes(p).num_rows;
  double cost = relative(report->dual_cost, ref->cost_convex);
  double u = difference(carom_solution_get_u(s), ref->u_convex, rows) / q;
  print_message("%-40s convex  %4d iterations, cost %.0e, u %.0e, residual %.0e\n", name,
                report->iterations, cost, u, report->residual);
  assert_int_equal(report->status, CAROM_SOLVE_CERTIFIED);
  assert_true(cost <= fmax(COST_TOLERANCE, 3 * ref->convex_gap));
  assert_true(u <= VELOCITY_TOLERANCE);
  assert_true(report->residual <= 1e-9);
  carom_solution_destroy(s);
}

static void check_coulomb(const carom_problem* p, const char* name, const reference* ref) {
  carom_solution* s = solve(p, CAROM_FRICTION_COULOMB, 3e-9);
  const carom_solve_report* report = carom_solution_get_report(s);
  print_message("%-40s coulomb %4d iterations, residual %.0e\n", name, report->iterations,
                report->residual);
  assert_int_equal(report->status, CAROM_SOLVE_CERTIFIED);
  assert_true(report->residual <= 1e-8 || ref->coulomb_residual > 1e-8);
  carom_solution_destroy(s);
}

static void check_regularized(carom_problem* p, const char* name, const reference* ref, double q) {
  carom_error error;
  check_ok(carom_problem_add_regularization(p, ref->eta, &error), &error);
  carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, 1e-8);
  const carom_solve_report* report = carom_solution_get_report(s);
  int rows = carom_problem_get_sizes(p).num_rows;
  double cost = relative(report->dual_cost, ref->cost_reg);
  double u = difference(carom_solution_get_u(s), ref->u_reg, rows) / q;
  double r = difference(carom_solution_get_gamma(s), ref->r_reg, rows) / largest(ref->r_reg, rows);
  print_message("%-40s W + eta %4d iterations, cost %.0e, u %.0e, r %.0e, gap %.0e\n", name,
                report->iterations, cost, u, r, report->relative_gap);
  assert_int_equal(report->status, CAROM_SOLVE_CERTIFIED);
  assert_true(cost <= COST_TOLERANCE && report->relative_gap <= 1e-10);
  assert_true(u <= VELOCITY_TOLERANCE);
  assert_true(r <= IMPULSE_TOLERANCE);
  carom_solution_destroy(s);
}

static void check_problem(const char* folder, const char* name) {
  char path[1400];
  carom_error error;
  carom_problem* p;
  reference ref;
  snprintf(path, sizeof path, "%s/%s.hdf5", folder, name);
  check_ok(carom_problem_load(path, &p, &error), &error);
  read_reference(folder, name, carom_problem_get_sizes(p).num_rows, &ref);
  double q = measure_q(p);
  check_convex(p, name, &ref, q);
  check_coulomb(p, name, &ref);
  check_regularized(p, name, &ref, q);
  carom_problem_destroy(p);
  cr_arena_destroy(&ref.arena);
}

static void test_references(void** state) {
  (void)state;
  static char names[MOST_FILES][CHECK_FILE_NAME];
  char folder[1100];
  const char* shared = check_shared_folder();
  if (!shared) skip();
  snprintf(folder, sizeof folder, "%s/problems", shared);
  int count = check_list_files(folder, ".hdf5", MOST_FILES, names), tried = check_repeats(count);
  if (count == 0) {
    print_error("SKIPPED: there are no problems in %s\n", folder);
    skip();
  }
  for (int i = 0; i < tried; i++) check_problem(folder, names[(long)i * count / tried]);
}

/* One sapproblem file through the public reader: cost, velocities and certificate of its .sol; and
 * that Coulomb friction has a solution, too, which is found. */
static void check_sap_problem(const char* folder, const char* name) {
  char path[2400];
  carom_error error;
  carom_problem* p;
  carom_solution* ref;
  snprintf(path, sizeof path, "%s/%s.txt", folder, name);
  check_ok(carom_problem_load(path, &p, &error), &error);
  snprintf(path, sizeof path, "%s/%s.sol", folder, name);
  check_ok(carom_solution_load(path, p, NULL, &ref, &error), &error);
  carom_solution* s = solve(p, CAROM_FRICTION_CONVEX, SAP_TOLERANCE);
  const carom_solve_report *ours = carom_solution_get_report(s),
                           *theirs = carom_solution_get_report(ref);
  assert_int_equal(ours->status, CAROM_SOLVE_CERTIFIED);
  check_near(ours->primal_cost, theirs->primal_cost, 1e-10 * theirs->primal_cost);
  check_near_array(carom_solution_get_v(s), carom_solution_get_v(ref),
                   carom_problem_get_sizes(p).num_unknowns, SAP_VELOCITY_TOLERANCE);
  carom_solution_destroy(s);
  s = solve(p, CAROM_FRICTION_COULOMB, 1e-8);
  assert_int_equal(carom_solution_get_report(s)->status, CAROM_SOLVE_CERTIFIED);
  carom_solution_destroy(s), carom_solution_destroy(ref), carom_problem_destroy(p);
}

static void test_sap_references(void** state) {
  (void)state;
  static char names[MOST_FILES][CHECK_FILE_NAME];
  char folder[1100];
  const char* shared = check_shared_folder();
  if (!shared) skip();
  snprintf(folder, sizeof folder, "%s/problems/sap", shared);
  int count = check_list_files(folder, ".txt", MOST_FILES, names), tried = check_repeats(count);
  if (count == 0) {
    print_error("SKIPPED: there are no problems in %s\n", folder);
    skip();
  }
  for (int i = 0; i < tried; i++) check_sap_problem(folder, names[(long)i * count / tried]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_references),
                                     cmocka_unit_test(test_sap_references)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
