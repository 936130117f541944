/* Costs and optimality of contact problems, densely. */
#include "support/solution.h"

#include "problem/law_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double* reals(int count) { return calloc((size_t)count + 1, sizeof(double)); }

/* v_c = J v, by the dense Jacobian. */
static double* constraint_velocities(const cr_problem* p, const double* v) {
  int n = p->pattern.num_rows;
  double *J = test_problem_dense_J(p), *v_c = reals(p->num_rows);
  for (int r = 0; r < p->num_rows; r++)
    for (int i = 0; i < n; i++) v_c[r] += J[r * n + i] * v[i];
  free(J);
  return v_c;
}

/* A (v - v*) - Jᵀ gamma. */
static double* momentum(const cr_problem* p, const double* v, const double* gamma) {
  int n = p->pattern.num_rows;
  double *J = test_problem_dense_J(p), *dv = reals(n), *r = reals(n);
  for (int i = 0; i < n; i++) dv[i] = v[i] - p->v_star[i];
  cr_bsm_multiply(&p->pattern, p->A, dv, r);
  for (int k = 0; k < p->num_rows; k++)
    for (int i = 0; i < n; i++) r[i] -= J[k * n + i] * gamma[k];
  free(J), free(dv);
  return r;
}

static double inverse_norm2(const cr_problem* p, const double* r) {
  int n = p->pattern.num_rows;
  double *x = reals(n), *scratch = reals(p->A_symbolic->scratch_size), sum = 0;
  memcpy(x, r, sizeof(double) * (size_t)n);
  cr_cholesky_solve(p->A_symbolic, p->A_factor, x, 1, n, scratch);
  for (int i = 0; i < n; i++) sum += x[i] * r[i];
  free(x), free(scratch);
  return sum;
}

double test_primal_cost(const cr_problem* p, const double* v, double* gradient_norm2,
                        double* gamma) {
  int n = p->pattern.num_rows;
  double *dv = reals(n), *Adv = reals(n), *v_c = constraint_velocities(p, v), cost = 0;
  for (int i = 0; i < n; i++) dv[i] = v[i] - p->v_star[i];
  cr_bsm_multiply(&p->pattern, p->A, dv, Adv);
  for (int i = 0; i < n; i++) cost += 0.5 * dv[i] * Adv[i];
  for (int i = 0; i < p->num_constraints; i++) {
    double scale = 1;
    int rows = cr_law_get(p->kind[i])->rows;
    cr_law_batch batch = {1, p->row + i, p->parameter + 2 * i, &scale, rows, p->ld};
    cr_law_point point = {p->R, p->v_hat, v_c, NULL};
    cost += cr_law_get(p->kind[i])->evaluate(&batch, &point, gamma, NULL);
  }
  double* r = momentum(p, v, gamma);
  *gradient_norm2 = inverse_norm2(p, r);
  free(dv), free(Adv), free(v_c), free(r);
  return cost;
}

double test_dual_cost(const cr_problem* p, const double* gamma) {
  double *v_c = constraint_velocities(p, p->v_star), cost = 0;
  double* impulse = momentum(p, p->v_star, gamma);
  cost = 0.5 * inverse_norm2(p, impulse);
  for (int k = 0; k < p->num_rows; k++)
    cost += 0.5 * p->R[k] * gamma[k] * gamma[k] + gamma[k] * (v_c[k] - p->v_hat[k]);
  free(v_c), free(impulse);
  return cost;
}

/* Violation of one cone: s in the dual cone, gamma in the cone, both complementary; s and gamma in
 * units of their scales. */
static double cone_violation(double mu, int rows, const double* s, const double* gamma, double vs,
                             double gs) {
  double st = 0, gt = 0, sn = s[rows - 1], gn = gamma[rows - 1], product = sn * gn;
  for (int k = 0; k < rows - 1; k++)
    st = hypot(st, s[k]), gt = hypot(gt, gamma[k]), product += s[k] * gamma[k];
  double dual = fmax(mu * st - sn, 0) / vs, primal = fmax(gt - mu * gn, 0) / gs;
  return fmax(fmax(dual, primal), fabs(product) / (vs * gs));
}

/* Violation of a bounded row: s >= 0 at the lower bound, <= 0 at the upper, 0 between. */
static double bounds_violation(double low, double high, double s, double gamma, double vs,
                               double gs) {
  double outside = fmax(fmax(low - gamma, gamma - high), 0) / gs;
  double up = s > 0 ? fmin(s / vs, isinf(low) ? INFINITY : (gamma - low) / gs) : 0;
  double down = s < 0 ? fmin(-s / vs, isinf(high) ? INFINITY : (high - gamma) / gs) : 0;
  return fmax(outside, fmax(up, down));
}

/* Violation of a disc: gamma at the rim against s, or s = 0. */
static double disc_violation(double radius, const double* s, const double* gamma, double vs,
                             double gs) {
  double n = hypot(s[0], s[1]), g = hypot(gamma[0], gamma[1]);
  double outside = fmax(g - radius, 0) / gs;
  double power = s[0] * gamma[0] + s[1] * gamma[1] + radius * n;
  return fmax(outside, fmin(n / vs, fabs(power) / (vs * gs)));
}

static double row_violation(const cr_problem* p, int i, const double* s_all, const double* gamma,
                            bool coulomb, double vs, double gs) {
  int r = p->row[i];
  const double* x = p->parameter + 2 * i;
  int rows = cr_law_get(p->kind[i])->rows;
  double s[CR_LAW_MAX_ROWS], slip = 0;
  memcpy(s, s_all + r, sizeof(double) * (size_t)rows);
  switch (p->kind[i]) {
  case CR_LAW_BOUNDS:
    return bounds_violation(x[0], x[1], s[0], gamma[r], vs, gs);
  case CR_LAW_DISC:
    return disc_violation(x[0], s_all + r, gamma + r, vs, gs);
  default:
    for (int k = 0; k < rows - 1; k++) slip = hypot(slip, s[k]);
    if (coulomb) s[rows - 1] += x[0] * slip;
    return cone_violation(x[0], rows, s, gamma + r, vs, gs);
  }
}

double test_distance(const cr_problem* p, const double* a, const double* b) {
  int n = p->pattern.num_rows;
  double *d = reals(n), *Ad = reals(n), sum = 0;
  for (int i = 0; i < n; i++) d[i] = a[i] - b[i];
  cr_bsm_multiply(&p->pattern, p->A, d, Ad);
  for (int i = 0; i < n; i++) sum += d[i] * Ad[i];
  free(d), free(Ad);
  return sqrt(fmax(sum, 0));
}

/* W_ii of all constraints, laid out as the problem says. */
static double* delassus_blocks(const cr_problem* p) {
  double *W = reals(p->ld * p->num_rows), *solve = reals(p->A_symbolic->scratch_size);
  cr_problem_compute_delassus(p, W, solve);
  free(solve);
  return W;
}

double test_smallest_epsilon(const cr_problem* p) {
  double *W = delassus_blocks(p), least = 1;
  for (int i = 0; i < p->num_constraints; i++) {
    int rows = cr_law_get(p->kind[i])->rows;
    double scale = cr_law_largest_eigenvalue(W + p->ld * p->row[i], rows);
    for (int r = p->row[i]; r < p->row[i] + rows; r++)
      least = fmin(least, p->R[r] / (scale + p->R[r]));
  }
  free(W);
  return least;
}

/* Traces of the constraints' W_ii. */
static double* delassus_traces(const cr_problem* p) {
  double *W = delassus_blocks(p), *trace = reals(p->num_constraints);
  for (int i = 0; i < p->num_constraints; i++) {
    int rows = cr_law_get(p->kind[i])->rows;
    for (int k = 0; k < rows; k++) trace[i] += W[p->ld * p->row[i] + (rows + 1) * k];
  }
  free(W);
  return trace;
}

/* Scales of velocities and impulses: what the free motion has too much, and what stops it. */
static void find_scales(const cr_problem* p, const double* gamma, double* vs, double* gs) {
  double *start = constraint_velocities(p, p->v_star), *trace = delassus_traces(p);
  *vs = *gs = 1e-300;
  for (int i = 0; i < p->num_constraints; i++)
    for (int k = p->row[i]; k < p->row[i] + cr_law_get(p->kind[i])->rows; k++) {
      double excess = fabs(start[k] - p->v_hat[k]);
      *vs = fmax(*vs, excess);
      *gs = fmax(*gs, fmax(fabs(gamma[k]), excess / trace[i]));
    }
  free(start), free(trace);
}

double test_optimality(const cr_problem* p, const double* v, const double* gamma, bool coulomb) {
  double *v_c = constraint_velocities(p, v), *r = momentum(p, v, gamma), vs, gs;
  find_scales(p, gamma, &vs, &gs);
  for (int k = 0; k < p->num_rows; k++) v_c[k] += -p->v_hat[k] + p->R[k] * gamma[k];
  double* moved = momentum(p, p->v_star, gamma);
  double scale = fmax(sqrt(inverse_norm2(p, moved)), test_distance(p, p->v_star, p->v0));
  double worst = sqrt(inverse_norm2(p, r)) / fmax(scale, 1e-300);
  for (int i = 0; i < p->num_constraints; i++)
    worst = fmax(worst, row_violation(p, i, v_c, gamma, coulomb, vs, gs));
  free(v_c), free(r), free(moved);
  return worst;
}

/* 0 / 0 is 0: what is not violated. */
static double ratio(double violation, double bound) {
  return violation == 0 ? 0 : violation / bound;
}

/* A cone of `rows` rows, the normal last. Its slack is off by at most (sqrt(W) + sqrt(R)) b, which
 * counts sqrt(1 + mu²) times in the dual cone; sᵀgamma by at most b² + b |gamma|_R. */
static double cone_excess(double mu, int rows, const double* s, const double* gamma,
                          const double* R, double trace, double b) {
  double st = 0, gt = 0, product = 0, norm2 = 0, largest_R = 0;
  for (int k = 0; k < rows; k++) {
    if (k < rows - 1) st = hypot(st, s[k]), gt = hypot(gt, gamma[k]);
    product += s[k] * gamma[k], norm2 += R[k] * gamma[k] * gamma[k];
    largest_R = fmax(largest_R, R[k]);
  }
  double dual = fmax(mu * st - s[rows - 1], 0);
  double dual_bound = sqrt(1 + mu * mu) * (sqrt(trace) + sqrt(largest_R)) * b;
  /* gamma is a projection: outside its cone by round-off at most. */
  assert_true(gt <= mu * gamma[rows - 1] * (1 + 1e-14));
  return fmax(ratio(dual, dual_bound), ratio(fabs(product), b * b + b * sqrt(norm2)));
}

double test_gap_excess(const cr_problem* p, const double* v, const double* gamma, double gap) {
  double *s = constraint_velocities(p, v), *r = momentum(p, v, gamma);
  double *trace = delassus_traces(p), b = sqrt(2 * gap),
         worst = ratio(sqrt(inverse_norm2(p, r)), b);
  for (int k = 0; k < p->num_rows; k++) s[k] += -p->v_hat[k] + p->R[k] * gamma[k];
  for (int i = 0; i < p->num_constraints; i++) {
    int row = p->row[i], rows = cr_law_get(p->kind[i])->rows;
    const double* parameter = p->parameter + 2 * i;
    assert_true(rows >= 3 || (rows == 1 && parameter[0] == 0 && isinf(parameter[1])));
    double mu = rows >= 3 ? parameter[0] : 0;
    worst = fmax(worst, cone_excess(mu, rows, s + row, gamma + row, p->R + row, trace[i], b));
  }
  free(s), free(r), free(trace);
  return worst;
}

void test_solver_init(test_solver* solver, const cr_problem* p) {
  cr_arena_init(&solver->arena, NULL);
  assert_true(cr_system_init(&solver->system, p, NULL, &solver->arena));
  assert_true(cr_iterate_init(&solver->iterate, p, &solver->arena));
  memset(solver->iterate.gamma, 0, sizeof(double) * (size_t)p->num_rows);
}

void test_solver_destroy(test_solver* solver) { cr_arena_destroy(&solver->arena); }

cr_solve_report test_solve(const cr_problem* p, const cr_solve_options* options, double* v,
                           double* gamma) {
  cr_arena arena;
  cr_solve_report report;
  cr_arena_init(&arena, NULL);
  assert_int_equal(cr_solve(p, options, NULL, &arena, v, gamma, &report), CAROM_OK);
  cr_arena_destroy(&arena);
  return report;
}
