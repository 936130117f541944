/* Responses A^-1 J_iᵀ over the blocks that A couples, against dense solves; blocks outside are not
 * moved at all. */
#include "solve/newton/inverse_columns.h"
#include "support/solution.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static test_problem_def random_def(check_random* random) {
  return (test_problem_def){.bodies = check_random_int(random, 1, 12),
                            .contacts = check_random_int(random, 1, 20),
                            .mass_ratio = 100,
                            .stiffness_low = 1e3,
                            .stiffness_high = 1e5,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .redundant = 0.3,
                            .bounds = check_random_int(random, 0, 10),
                            .full_A = check_random_int(random, 0, 1) == 1};
}

/* The column of a row, scattered into x [n]. */
static void expand(const cr_inverse_columns* inverse, const cr_problem* p, int group, int row,
                   double* x) {
  const cr_inverse_columns_group* g = &inverse->group[group];
  int place = row - p->group[group].row_start;
  memset(x, 0, sizeof(double) * (size_t)p->pattern.num_rows);
  cr_inverse_columns_scatter(inverse, p, group,
                             inverse->B + g->B_start + (int64_t)place * g->columns, x);
}

static void check_group(const cr_inverse_columns* inverse, cr_system* system, const double* J,
                        int group, double* x, double* y) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  for (int r = 0; r < p->group[group].row_count; r++) {
    int row = p->group[group].row_start + r;
    double size = 0;
    expand(inverse, p, group, row, x);
    memcpy(y, J + (size_t)row * (size_t)n, sizeof(double) * (size_t)n);
    cr_cholesky_solve(p->A_symbolic, p->A_factor, y, 1, n, system->scratch_solve);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(y[i]));
    check_near_array(x, y, n, 100 * DBL_EPSILON * size);
  }
}

static void test_responses(void** state) {
  (void)state;
  check_random random = {77};
  for (int k = 0; k < check_repeats(300); k++) {
    test_problem p;
    cr_arena arena;
    cr_system system;
    cr_inverse_columns inverse;
    test_problem_def def = random_def(&random);
    test_problem_make_random(&def, &random, &p);
    cr_arena_init(&arena, NULL);
    assert_true(cr_system_init(&system, &p.problem, NULL, &arena));
    assert_true(cr_inverse_columns_init(&inverse, &system, &arena));
    double* J = test_problem_dense_J(&p.problem);
    double* x = calloc(2 * (size_t)p.problem.pattern.num_rows, sizeof(double));
    for (int g = 0; g < p.problem.num_groups; g++)
      check_group(&inverse, &system, J, g, x, x + p.problem.pattern.num_rows);
    free(J), free(x);
    cr_arena_destroy(&arena);
    test_problem_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_responses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
