/* Islands = whole: the partition covers a problem exactly, the parts are its submatrices, and their
 * solutions together are that of the whole. Warm starts and kept analyses change no answer. */
#include "problem/law.h"
#include "solve/certificate.h"
#include "solve/island.h"
#include "solve/newton/primal_dual.h"
#include "solve/prepare.h"
#include "solve/schedule/workers.h"
#include "support/dense.h"
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Many bodies, few contacts: several islands, and bodies without any. */
static test_problem_def sparse_def(check_random* random) {
  int bodies = check_random_int(random, 2, 30), contacts = check_random_int(random, 0, bodies);
  return test_problem_def_mild(bodies, contacts, check_random_int(random, 0, 6), bodies % 2 == 0);
}

#define FOR_ALL_PROBLEMS(p, seed, repeats)                        \
  check_random random = {seed};                                   \
  test_problem made;                                              \
  for (int repeat = 0; repeat < check_repeats(repeats); repeat++) \
    for (test_problem* p = make(&random, &made); p; test_problem_destroy(p), p = NULL)

/* The problem points into itself: it may not move. */
static test_problem* make(check_random* random, test_problem* p) {
  test_problem_def def = sparse_def(random);
  test_problem_make_random(&def, random, p);
  return p;
}

/* --- Partition ----------------------------------------------------------------------------------
 */

/* Island of every block, -1: none; fails where one is in two. */
static void list_owners(const cr_islands* islands, int num_blocks, int* owner) {
  for (int b = 0; b < num_blocks; b++) owner[b] = -1;
  for (int i = 0; i < islands->count; i++)
    for (int k = islands->block_start[i]; k < islands->block_start[i + 1]; k++) {
      assert_int_equal(owner[islands->block[k]], -1);
      owner[islands->block[k]] = i;
    }
}

/* True when the blocks of an island hang together: a flood from its first reaches all. */
static bool is_connected(const cr_problem* p, const int* owner, int island, int first) {
  int n = p->pattern.num_blocks, left = 0;
  bool grew = true, *reached = calloc((size_t)n, sizeof(bool));
  reached[first] = true;
  while (grew) {
    grew = false;
    for (int g = 0; g < p->num_groups; g++) {
      const int* blocks = p->group_block + p->group[g].block_start;
      bool any = false;
      for (int k = 0; k < p->group[g].block_count; k++) any |= reached[blocks[k]];
      for (int k = 0; k < p->group[g].block_count && any; k++)
        if (!reached[blocks[k]]) grew = reached[blocks[k]] = true;
    }
    for (int j = 0; j < n; j++)
      for (int k = p->pattern.col_start[j]; k < p->pattern.col_start[j + 1]; k++) {
        int i = p->pattern.row_index[k];
        if (reached[i] != reached[j]) grew = reached[i] = reached[j] = true;
      }
  }
  for (int b = 0; b < n; b++) left += owner[b] == island && !reached[b];
  free(reached);
  return left == 0;
}

/* Nothing that is coupled is apart, and what is together hangs together. */
static void test_partition(void** state) {
  (void)state;
  int most = 0;
  FOR_ALL_PROBLEMS(p, 1, 500) {
    const cr_problem* problem = &p->problem;
    cr_islands islands;
    int owner[64];
    assert_true(cr_islands_find(problem, &p->arena, &islands));
    list_owners(&islands, problem->pattern.num_blocks, owner);
    for (int j = 0; j < problem->pattern.num_blocks; j++)
      for (int k = problem->pattern.col_start[j]; k < problem->pattern.col_start[j + 1]; k++)
        assert_int_equal(owner[j], owner[problem->pattern.row_index[k]]);
    for (int g = 0; g < problem->num_groups; g++)
      for (int k = 0; k < problem->group[g].block_count; k++)
        assert_true(owner[problem->group_block[problem->group[g].block_start + k]] >= 0);
    for (int i = 0; i < islands.count; i++) {
      assert_true(islands.group_start[i] < islands.group_start[i + 1]);
      assert_true(is_connected(problem, owner, i, islands.block[islands.block_start[i]]));
    }
    most = islands.count > most ? islands.count : most;
  }
  assert_true(most > 5);
}

/* Where each unknown of an island stands in the whole. */
static int* list_unknowns(const cr_problem* p, const cr_islands* islands, int island) {
  int* unknowns = calloc((size_t)p->pattern.num_rows, sizeof(int));
  for (int k = islands->block_start[island], at = 0; k < islands->block_start[island + 1]; k++)
    for (int i = 0; i < p->pattern.size[islands->block[k]]; i++)
      unknowns[at++] = p->pattern.row_start[islands->block[k]] + i;
  return unknowns;
}

static void check_island(const cr_problem* p, const cr_problem* part, const int* unknowns,
                         const int* rows) {
  int n = p->pattern.num_rows, k = part->pattern.num_rows;
  double *A = dense_A(p), *J = test_problem_dense_J(p);
  double *A_part = dense_A(part), *J_part = test_problem_dense_J(part);
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) check_near(A_part[i * k + j], A[unknowns[i] * n + unknowns[j]], 0);
    for (int r = 0; r < part->num_rows; r++)
      check_near(J_part[r * k + i], J[rows[r] * n + unknowns[i]], 0);
    check_near(part->v_star[i], p->v_star[unknowns[i]], 0);
    check_near(part->v0[i], p->v0[unknowns[i]], 0);
  }
  for (int r = 0; r < part->num_rows; r++) {
    check_near(part->R[r], p->R[rows[r]], 0);
    check_near(part->v_hat[r], p->v_hat[rows[r]], 0);
  }
  free(A), free(J), free(A_part), free(J_part);
}

static void test_extraction(void** state) {
  (void)state;
  FOR_ALL_PROBLEMS(p, 2, 200) {
    cr_islands islands;
    int sum = 0, *seen = calloc((size_t)p->problem.num_rows + 1, sizeof(int));
    assert_true(cr_islands_find(&p->problem, &p->arena, &islands));
    for (int i = 0; i < islands.count; i++) {
      cr_problem part;
      int *rows, *unknowns = list_unknowns(&p->problem, &islands, i);
      assert_true(cr_islands_extract(&p->problem, &islands, i, &p->arena, &part, &rows));
      check_island(&p->problem, &part, unknowns, rows);
      for (int r = 0; r < part.num_rows; r++) assert_int_equal(seen[rows[r]]++, 0);
      sum += part.num_rows;
      free(unknowns);
    }
    assert_int_equal(sum, p->problem.num_rows);
    free(seen);
  }
}

/* The factor of an island's A is found in that of the whole, to the bit, or not taken.
 * @return whether it was taken */
static bool check_factor(test_problem* p, const cr_islands* islands, int island,
                         cr_ordering ordering) {
  cr_problem part;
  cr_symbolic symbolic;
  int* rows;
  assert_true(cr_islands_extract(&p->problem, islands, island, &p->arena, &part, &rows));
  assert_true(cr_symbolic_analyze(&part.pattern, ordering, &p->arena, &symbolic));
  double* factor = dense_zeros((int)symbolic.factor_size);
  double* taken = dense_zeros((int)symbolic.factor_size);
  double* scratch = dense_zeros(symbolic.scratch_size);
  cr_cholesky_load(&symbolic, part.A, factor);
  assert_int_equal(cr_cholesky_factor(&symbolic, factor, scratch), -1);
  bool is_taken = cr_cholesky_extract(&p->A_symbolic, p->problem.A_factor, &symbolic,
                                      islands->block + islands->block_start[island], taken);
  if (is_taken) assert_memory_equal(taken, factor, sizeof(double) * (size_t)symbolic.factor_size);
  free(factor), free(taken), free(scratch);
  return is_taken;
}

static void test_factors(void** state) {
  (void)state;
  int taken = 0, refused = 0;
  FOR_ALL_PROBLEMS(p, 6, 200) {
    cr_islands islands;
    assert_true(cr_islands_find(&p->problem, &p->arena, &islands));
    for (int i = 0; i < islands.count; i++)
      for (int ordering = CR_ORDERING_AUTO; ordering <= CR_ORDERING_REVERSE; ordering++)
        if (check_factor(p, &islands, i, (cr_ordering)ordering))
          taken++;
        else
          refused++;
  }
  print_message("%d factors taken, %d refused\n", taken, refused);
  assert_true(taken > refused && refused > 0);
}

/* --- Solutions ----------------------------------------------------------------------------------
 */

/* The whole problem at once, as if it were connected; its bound on |v - v_opt|_A. */
static double solve_whole(const cr_problem* p, double* v) {
  test_solver t;
  int iterations = 0;
  memcpy(v, p->v_star, sizeof(double) * (size_t)p->pattern.num_rows);
  if (p->num_rows == 0) return 0;
  double* gamma = dense_zeros(p->num_rows);
  test_solver_init(&t, p);
  cr_iterate_balance(&t.system, &t.iterate);
  cr_primal_dual_settings settings = cr_primal_dual_settings_default(&t.system, 1e-7);
  settings.max_iterations = 100;
  cr_newton_outcome outcome =
      cr_primal_dual(&t.system, &settings, &t.arena, &t.iterate, &iterations);
  double bound = sqrt(2 * cr_certificate_gap(&t.system, &t.iterate, gamma));
  memcpy(v, t.iterate.v, sizeof(double) * (size_t)p->pattern.num_rows);
  free(gamma);
  test_solver_destroy(&t);
  return outcome == CR_NEWTON_CONVERGED ? bound : INFINITY;
}

static cr_solve_options tight_options(void) {
  cr_solve_options options = cr_solve_options_default();
  options.friction = CR_FRICTION_CONVEX;
  options.tolerance = 1e-7;
  return options;
}

/* What no constraint touches, directly or through A, keeps v*. */
static void check_untouched(test_problem* p, const double* v) {
  cr_islands islands;
  int owner[64];
  assert_true(cr_islands_find(&p->problem, &p->arena, &islands));
  list_owners(&islands, p->problem.pattern.num_blocks, owner);
  for (int b = 0; b < p->problem.pattern.num_blocks; b++) {
    int start = p->problem.pattern.row_start[b];
    if (owner[b] < 0)
      check_near_array(v + start, p->problem.v_star + start, p->problem.pattern.size[b], 0);
  }
}

/* Within what both certificates prove, and the round-off of velocities. */
static void test_solutions(void** state) {
  (void)state;
  int unproven = 0, divided = 0;
  FOR_ALL_PROBLEMS(p, 3, 500) {
    int n = p->problem.pattern.num_rows, m = p->problem.num_rows;
    double *v = dense_zeros(n), *whole = dense_zeros(n), *gamma = dense_zeros(m), norm2;
    cr_solve_options options = tight_options();
    cr_solve_report report = test_solve(&p->problem, &options, v, gamma);
    assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
    double bound = solve_whole(&p->problem, whole);
    double floor = 1e-12 * sqrt(2 * test_primal_cost(&p->problem, v, &norm2, gamma));

    assert_true(test_distance(&p->problem, v, whole) <= report.error_bound + bound + floor);
    unproven += isinf(bound), divided += report.islands > 1;
    check_untouched(p, v);
    free(v), free(whole), free(gamma);
  }
  assert_int_equal(unproven, 0);
  assert_true(divided > check_repeats(500) / 5);
}

/* From its own solution a problem takes one iteration at most, and stays where it is, within what
 * both certificates prove and the round-off of velocities. */
static void test_warm_start(void** state) {
  (void)state;
  FOR_ALL_PROBLEMS(p, 4, 300) {
    int n = p->problem.pattern.num_rows, m = p->problem.num_rows;
    double *v = dense_zeros(n), *again = dense_zeros(n), *gamma = dense_zeros(m), norm2;
    cr_solve_options options = tight_options();
    cr_solve_report first = test_solve(&p->problem, &options, v, gamma);
    options.start = CR_START_IMPULSES;
    cr_solve_report second = test_solve(&p->problem, &options, again, gamma);
    assert_int_equal(second.outcome, CR_SOLVE_CERTIFIED);
    assert_true(second.iterations <= 1);
    double floor = 1e-12 * sqrt(2 * test_primal_cost(&p->problem, v, &norm2, gamma));
    assert_true(test_distance(&p->problem, v, again) <=
                first.error_bound + second.error_bound + floor);
    free(v), free(again), free(gamma);
  }
}

/* Kept analyses give the same bits, in the turn that made them, in the next, and after a pause. */
static void test_cache(void** state) {
  (void)state;
  cr_solve_workers* workers = cr_solve_workers_create(NULL, 3);
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  FOR_ALL_PROBLEMS(p, 5, 50) {
    size_t size = sizeof(double) * (size_t)p->problem.pattern.num_rows;
    double *v = malloc(size), *kept = malloc(size), *gamma = dense_zeros(p->problem.num_rows);
    cr_solve_options options = tight_options();
    cr_solve_report report;
    test_solve(&p->problem, &options, v, gamma);
    for (int turn = 0; turn < 4; turn++) {
      for (int ends = 0; ends < turn; ends++) cr_solve_workers_turn(workers);
      cr_arena_reset(&arena);
      assert_int_equal(cr_solve(&p->problem, &options, workers, &arena, kept, gamma, &report),
                       CAROM_OK);
      assert_memory_equal(v, kept, size);
    }
    free(v), free(kept), free(gamma);
  }
  cr_arena_destroy(&arena);
  cr_solve_workers_destroy(workers);
}

/* A prepared problem is solved to the same bits as one that is not, whole and in islands, also
 * after its R has changed. */
static void test_preparation(void** state) {
  (void)state;
  int whole = 0, divided = 0;
  FOR_ALL_PROBLEMS(p, 6, 200) {
    size_t size = sizeof(double) * (size_t)p->problem.pattern.num_rows;
    size_t rows = sizeof(double) * (size_t)p->problem.num_rows;
    double *v = malloc(size), *prepared = malloc(size);
    double *gamma = dense_zeros(p->problem.num_rows), *again = dense_zeros(p->problem.num_rows);
    cr_solve_options options = tight_options();
    options.preparation = cr_solve_prepare(&p->problem, &p->arena);
    assert_non_null(options.preparation);
    for (int change = 0; change < 2; change++) {
      for (int r = 0; r < p->problem.num_rows && change; r++) p->problem.R[r] *= 2;
      cr_solve_options anew = tight_options();
      cr_solve_report first = test_solve(&p->problem, &anew, v, gamma);
      cr_solve_report second = test_solve(&p->problem, &options, prepared, again);
      assert_memory_equal(v, prepared, size);
      if (rows) assert_memory_equal(gamma, again, rows);
      assert_int_equal(first.iterations, second.iterations);
      assert_int_equal(first.islands, second.islands);
    }
    whole += options.preparation->is_whole && rows > 0, divided += !options.preparation->is_whole;
    free(v), free(prepared), free(gamma), free(again);
  }
  assert_true(whole > 0 && divided > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_partition),  cmocka_unit_test(test_extraction),
      cmocka_unit_test(test_factors),    cmocka_unit_test(test_solutions),
      cmocka_unit_test(test_warm_start), cmocka_unit_test(test_cache),
      cmocka_unit_test(test_preparation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
