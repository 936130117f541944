#include "convex/scales.h"

#include "math/scalar.h"
#include "problem/law_table.h"

double cr_convex_get_trace(const cr_problem* p, int constraint) {
  int rows = cr_law_get(p->kind[constraint])->rows;
  const double* W = p->W + p->ld * p->row[constraint];
  double sum = 0;
  for (int r = 0; r < rows; r++) sum += W[r * rows + r];
  return sum;
}

/* rho by constraint, and |rho q|². */
static void set_rho(const cr_problem* p, const double* q, double trace, cr_convex_rho* out) {
  for (int i = 0; i < p->num_constraints; i++) {
    int row = p->row[i], rows = cr_law_get(p->kind[i])->rows;
    double rho = trace > 0 ? p->num_rows / trace : rows / cr_convex_get_trace(p, i);
    for (int r = row; r < row + rows; r++) out->rho[r] = rho;
  }
  out->size2 = 0;
  for (int r = 0; r < p->num_rows; r++) out->size2 += out->rho[r] * q[r] * out->rho[r] * q[r];
}

static bool allocate(const cr_problem* p, cr_arena* arena, cr_convex_scales* s) {
  double** rows[] = {&s->v_c_star, &s->v_c0, &s->q, &s->of_row.rho, &s->of_all.rho};
  for (int i = 0; i < 5; i++) *rows[i] = CR_PUSH(arena, double, p->num_rows);
  s->largest = CR_PUSH(arena, double, p->num_constraints);
  return !arena->failed;
}

/* |a - b|² in A; b may be null. */
static double distance2(const cr_problem* p, const double* a, const double* b, double* x,
                        double* y) {
  int n = p->pattern.num_rows;
  for (int i = 0; i < n; i++) x[i] = b ? a[i] - b[i] : a[i];
  cr_bsm_multiply(&p->pattern, p->A, x, y);
  return scalar_max(scalar_dot(x, y, n), 0);
}

static bool compute_norms(const cr_problem* p, cr_arena* arena, cr_convex_scales* s) {
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* x = CR_SCRATCH(arena, double, p->pattern.num_rows);
  double* y = CR_SCRATCH(arena, double, p->pattern.num_rows);
  double* local = CR_SCRATCH(arena, double, cr_problem_scratch_size(p));
  if (arena->failed) return false;
  s->start2 = distance2(p, p->v_star, p->v0, x, y);
  s->star = sqrt(distance2(p, p->v_star, NULL, x, y));
  cr_problem_apply_J(p, p->v_star, s->v_c_star, local);
  cr_problem_apply_J(p, p->v0, s->v_c0, local);
  cr_arena_pop_scratch(arena, mark);
  return true;
}

bool cr_convex_scales_compute(const cr_problem* p, cr_arena* arena, cr_convex_scales* s) {
  if (!allocate(p, arena, s) || !compute_norms(p, arena, s)) return false;
  double trace = 0;
  for (int r = 0; r < p->num_rows; r++) s->q[r] = s->v_c_star[r] - p->v_hat[r];
  for (int i = 0; i < p->num_constraints; i++) {
    const double* W = p->W + p->ld * p->row[i];
    s->largest[i] = cr_law_largest_eigenvalue(W, cr_law_get(p->kind[i])->rows);
    trace += cr_convex_get_trace(p, i);
  }
  set_rho(p, s->q, 0, &s->of_row);
  set_rho(p, s->q, trace, &s->of_all);
  return true;
}
