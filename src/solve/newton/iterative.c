#include "solve/newton/iterative.h"

#include "base/copy.h"
#include "solve/tuning.h"

#include <math.h>
#include <string.h>

bool cr_iterative_lay_out(const cr_bsm_pattern* pattern, cr_arena* arena, cr_symbolic* H) {
  cr_factor_target* target = CR_PUSH(arena, cr_factor_target, pattern->num_lower);
  if (arena->failed) return false;
  for (int j = 0; j < pattern->num_blocks; j++)
    for (int k = pattern->col_start[j]; k < pattern->col_start[j + 1]; k++)
      target[k] =
          (cr_factor_target){pattern->value_start[k], 1, pattern->size[pattern->row_index[k]]};
  *H = (cr_symbolic){.pattern = *pattern,
                     .factor_size = pattern->num_values,
                     .target = target,
                     .kernels = cr_kernels_select()};
  return true;
}

/* Conjugate gradients share their scratch: one solve ends before the next begins. */
cr_iterative* cr_iterative_create(const cr_problem* p, const cr_symbolic* H, const double* values,
                                  double tolerance, double scale, cr_arena* arena) {
  int n = p->pattern.num_rows;
  cr_iterative* it = CR_PUSH(arena, cr_iterative, 1);
  if (arena->failed) return NULL;
  *it = (cr_iterative){.n = n, .enough = CR_DONE * tolerance * scale, .most = p->most_iterations};
  it->x = CR_PUSH(arena, double, n);
  if (!cr_incomplete_init(&p->pattern, arena, &it->A_inner) ||
      !cr_incomplete_init(&H->pattern, arena, &it->H_inner))
    return NULL;
  double* vectors[4];
  for (int k = 0; k < 4; k++) vectors[k] = CR_PUSH(arena, double, n);
  it->A = (cr_conjugate){p->A,       &it->A_inner, p->A_least, vectors[0],
                         vectors[1], vectors[2],   vectors[3]};
  it->H = it->A;
  it->H.values = values, it->H.inner = &it->H_inner;
  it->has_failed = !cr_incomplete_factor(&it->A_inner, p->A, p->A_least);
  return arena->failed ? NULL : it;
}

bool cr_iterative_factor(cr_iterative* it) {
  if (!cr_incomplete_factor(&it->H_inner, it->H.values, it->H.least)) it->has_failed = true;
  return !it->has_failed;
}

/* x = the matrix's inverse times b, from zero, within the iterations that are left. */
static cr_conjugate_report solve(cr_iterative* it, cr_conjugate* conjugate,
                                 const cr_conjugate_goal* goal, const double* b, double* x) {
  memset(x, 0, sizeof *x * (size_t)it->n);
  cr_conjugate_report report = {0};
  if (it->has_failed) return report;
  cr_conjugate_goal within = *goal;
  within.most = it->most < CR_KRYLOV_MOST ? it->most : CR_KRYLOV_MOST;
  report = cr_conjugate_solve(conjugate, b, &within, x);
  it->most -= report.iterations;
  it->has_failed = !report.is_done;
  return report;
}

static void solve_in_place(cr_iterative* it, cr_conjugate* conjugate, const cr_conjugate_goal* goal,
                           double* x) {
  CR_COPY(it->x, x, it->n);
  solve(it, conjugate, goal, it->x, x);
}

void cr_iterative_solve(cr_iterative* it, double* x) {
  const cr_conjugate_goal goal = {it->enough, CR_GMRES_LEAST, 0};
  solve_in_place(it, &it->H, &goal, x);
}

void cr_iterative_solve_A(cr_iterative* it, double* x) {
  const cr_conjugate_goal goal = {it->enough, 0, 0};
  solve_in_place(it, &it->A, &goal, x);
}

/* The residual of conjugate gradients from zero is orthogonal to their solution y, so that
 * |x|² in A^-1 is |y|² in A and |x - A y|² in A^-1. */
double cr_iterative_inverse_norm2(cr_iterative* it, const double* x) {
  const cr_conjugate_goal goal = {it->enough, 0.5, 0};
  cr_conjugate_report report = solve(it, &it->A, &goal, x, it->x);
  return it->has_failed ? INFINITY : report.energy + report.left * report.left;
}
