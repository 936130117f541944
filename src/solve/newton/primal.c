/* Newton on l(v) = 1/2 |v - v*|²_A + sum l_i(J_i v), arXiv 2110.10107: gradient A (v - v*) - Jᵀ
 * gamma(v), Hessian A + JᵀGJ, exact line search by safeguarded Newton on dl/dalpha with v_c affine
 * along the ray. Around it the proximal point method: R + rho, v_hat + rho gamma_k. */
#include "solve/newton/primal.h"

#include "math/scalar.h"
#include "solve/tuning.h"

#include <math.h>
#include <string.h>

typedef struct primal {
  cr_system* system;
  const cr_primal_settings* settings;
  cr_iterate* iterate;
  double *R, *v_hat;          /* [num_rows] of the inner problem */
  double *G, *d, *d_c;        /* Hessian blocks and direction */
  double *gamma, *v_c;        /* a trial point */
  double *G_trial, *gradient; /* of the trial, and of l */
} primal;

static bool allocate(primal* s, cr_arena* arena) {
  int rows = s->system->problem->num_rows, n = s->system->problem->pattern.num_rows;
  s->R = CR_SCRATCH(arena, double, rows);
  s->v_hat = CR_SCRATCH(arena, double, rows);
  s->G = CR_SCRATCH(arena, double, s->system->problem->ld* rows);
  s->G_trial = CR_SCRATCH(arena, double, s->system->problem->ld* rows);
  s->d = CR_SCRATCH(arena, double, n);
  s->d_c = CR_SCRATCH(arena, double, rows);
  s->gamma = CR_SCRATCH(arena, double, rows);
  s->v_c = CR_SCRATCH(arena, double, rows);
  s->gradient = CR_SCRATCH(arena, double, n);
  return !arena->failed;
}

static double evaluate(primal* s, const double* v_c, double* gamma, double* G) {
  cr_law_point point = {s->R, s->v_hat, v_c, NULL};
  double cost = 0;
  CR_FOR_EACH_LAW (k, s->system->batch)
    cost += cr_law_get(k)->evaluate(&s->system->batch[k], &point, gamma, G);
  return cost;
}

/* R + rho and v_hat + rho gamma_k - shift, with rho what a row lacks to the proximal weight. */
static void set_proximal(primal* s) {
  const cr_problem* p = s->system->problem;
  const double* gamma_k = s->iterate->gamma;
  CR_FOR_EACH_LAW (k, s->system->batch)
    for (int i = 0; i < s->system->batch[k].count; i++)
      for (int r = 0; r < cr_law_get(k)->rows; r++) {
        int row = s->system->batch[k].row[i] + r;
        double lack = s->settings->proximal * s->system->batch[k].scale[i] - p->R[row];
        double rho = fmax(lack, 0), shift = s->settings->shift ? s->settings->shift[row] : 0;
        s->R[row] = p->R[row] + rho;
        s->v_hat[row] = p->v_hat[row] + rho * gamma_k[row] - shift;
      }
}

/* dl/dalpha and its derivative at alpha along d; slope0 = d.A(v - v*), curvature = d.A d. */
static double slope(primal* s, double alpha, double slope0, double curvature, double* derivative) {
  const cr_problem* p = s->system->problem;
  for (int i = 0; i < p->num_rows; i++) s->v_c[i] = s->iterate->v_c[i] + alpha * s->d_c[i];
  evaluate(s, s->v_c, s->gamma, s->G_trial);
  double value = slope0 + alpha * curvature - scalar_dot(s->gamma, s->d_c, p->num_rows);
  cr_system_multiply_G(s->system, s->G_trial, s->d_c, s->v_c);
  *derivative = curvature + scalar_dot(s->v_c, s->d_c, p->num_rows);
  return value;
}

/* Root of dl/dalpha by Newton within a bracket. l is convex, so its slope grows with alpha. */
static double line_search(primal* s) {
  const cr_problem* p = s->system->problem;
  int n = p->pattern.num_rows;
  cr_system_multiply_A(s->system, s->d, s->system->scratch_n);
  double curvature = scalar_dot(s->d, s->system->scratch_n, n), slope0 = 0, derivative;
  for (int i = 0; i < n; i++) slope0 += s->system->scratch_n[i] * (s->iterate->v[i] - p->v_star[i]);
  double start = fabs(slope(s, 0, slope0, curvature, &derivative));
  double alpha = 1;
  scalar_bracket bracket = {0, INFINITY};
  for (int i = 0; i < CR_MOST; i++) {
    double value = slope(s, alpha, slope0, curvature, &derivative);
    if (fabs(value) <= 1e-10 * start) break;
    double next = scalar_bracket_next(&bracket, alpha, value, derivative);
    if (fabs(next - alpha) <= 1e-14 * alpha) break;
    alpha = next;
  }
  return alpha;
}

/* Gradient of l at the iterate, whose gamma becomes gamma(v); returns its A^-1 norm. */
static double compute_gradient(primal* s, double* gamma) {
  const cr_problem* p = s->system->problem;
  int n = p->pattern.num_rows;
  evaluate(s, s->iterate->v_c, gamma, s->G);
  for (int i = 0; i < n; i++) s->system->scratch_n[i] = p->v_star[i] - s->iterate->v[i];
  cr_system_multiply_A(s->system, s->system->scratch_n, s->gradient);
  cr_problem_add_J_transposed(p, gamma, s->gradient, s->system->scratch_local);
  for (int i = 0; i < n; i++) s->gradient[i] = -s->gradient[i];
  return sqrt(cr_system_inverse_norm2(s->system, s->gradient));
}

/* gamma of the last linear model, P_C(gamma(v) - G J d), with v moved by d: better than gamma(v +
 * d) where 1/R amplifies round-off. */
static void take_linear_model(primal* s) {
  cr_system_multiply_G(s->system, s->G, s->d_c, s->v_c);
  for (int i = 0; i < s->system->problem->num_rows; i++)
    s->gamma[i] = s->iterate->gamma[i] - s->v_c[i];
  CR_FOR_EACH_LAW (k, s->system->batch)
    cr_law_get(k)->project(&s->system->batch[k], s->gamma, s->iterate->gamma);
}

static void move(primal* s, double alpha) {
  for (int i = 0; i < s->system->problem->pattern.num_rows; i++)
    s->iterate->v[i] += alpha * s->d[i];
  cr_iterate_update(s->system, s->iterate);
}

/* Newton on the inner problem until the gradient is below a tolerance; every full step also hands
 * its linear model to the outer iteration. */
static cr_newton_outcome solve_inner(primal* s, double tolerance, int limit, int* iterations) {
  const cr_problem* p = s->system->problem;
  for (;;) {
    double norm = compute_gradient(s, s->iterate->gamma);
    if (norm <= tolerance) return CR_NEWTON_CONVERGED;
    if (*iterations >= limit || !isfinite(norm)) return CR_NEWTON_STALLED;
    if (!cr_system_factor(s->system, s->G)) return CR_NEWTON_FAILED;
    for (int i = 0; i < p->pattern.num_rows; i++) s->d[i] = -s->gradient[i];
    cr_system_solve(s->system, s->d);
    cr_problem_apply_J(p, s->d, s->d_c, s->system->scratch_local);
    double alpha = line_search(s);
    ++*iterations;
    if (fabs(alpha - 1) < 1e-3) {
      take_linear_model(s);
      move(s, 1);
      cr_law_mode mode = {.shift = s->settings->shift};
      double value = cr_certificate_value(s->system, s->iterate, &mode, s->gamma);
      if (value <= s->settings->tolerance) return CR_NEWTON_CONVERGED;
    } else
      move(s, alpha);
  }
}

cr_newton_outcome cr_primal_newton(cr_system* system, const cr_primal_settings* settings,
                                   cr_arena* arena, cr_iterate* iterate, int* iterations,
                                   int* outer) {
  primal s = {.system = system, .settings = settings, .iterate = iterate};
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!allocate(&s, arena)) return CR_NEWTON_FAILED;
  cr_system_set_precision(system, CR_DOUBLE);
  cr_law_mode mode = {.shift = settings->shift};
  int limit = *iterations + settings->max_iterations;
  int idle = 0;
  double inner = INFINITY;
  cr_newton_outcome outcome = CR_NEWTON_STALLED;
  for (;;) {
    double value = cr_certificate_value(system, iterate, &mode, s.gamma);
    outcome = value <= settings->tolerance ? CR_NEWTON_CONVERGED : CR_NEWTON_STALLED;
    if (outcome == CR_NEWTON_CONVERGED || *iterations >= limit) break;
    cr_certificate measure = cr_certificate_residual(system, iterate, &mode);
    double share = settings->proximal > 0 ? CR_DONE * fmin(value, 1) : 0.1 * settings->tolerance;
    inner = fmin(0.5 * inner, share * measure.scale);
    if (settings->proximal > 0) inner = fmax(inner, CR_DONE * settings->tolerance * measure.scale);
    set_proximal(&s);
    int before = *iterations;
    outcome = solve_inner(&s, inner, limit, iterations);
    /* gamma may have changed since the last step. */
    cr_iterate_update(system, iterate);
    ++*outer;
    if (outcome == CR_NEWTON_FAILED) break;
    idle = *iterations == before ? idle + 1 : 0;
    if (idle > 0 && settings->proximal == 0) break;
    if (isfinite(value) && idle <= CR_MOST) continue;
    outcome = CR_NEWTON_STALLED;
    break;
  }
  cr_arena_pop_scratch(arena, mark);
  return outcome;
}
