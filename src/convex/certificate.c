/* What v and gamma are worth (formulation, section 7): costs, the pair gap
 *
 *   gap = 1/2 |A (v - v*) - Jᵀ gamma|² in A^-1 + sum of the laws' gaps,
 *
 * natural residuals, and the state of each constraint. It is computed here for the whole problem,
 * from v and gamma alone, whoever found them. */
#include "convex/solution.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

/* Velocities below this share of |v*|_A are round-off. */
#define FLOOR 1e-12

/* States closer to a bound than this many ulps count as on it. */
#define STATE_ULPS 4.0

/* Everything of a measurement, in the problem's order of rows. */
typedef struct work {
  const carom_problem* p;
  const cr_problem* q;
  int n, rows;
  double *gamma, *v_c, *bias, *rho, *scratch_rows; /* [rows] */
  double *impulse, *response;                      /* [n] Jᵀ gamma, and A^-1 times that */
  double *r, *x, *y, *scratch_solve, *scratch_local;
} work;

static bool init(const carom_problem* p, cr_arena* arena, work* w) {
  size_t n = (size_t)p->num_unknowns, rows = (size_t)p->problem.num_rows;
  *w = (work){.p = p, .q = &p->problem, .n = p->num_unknowns, .rows = p->problem.num_rows};
  double** vectors[] = {&w->gamma, &w->v_c, &w->bias, &w->rho, &w->scratch_rows};
  for (int i = 0; i < 5; i++) *vectors[i] = CR_SCRATCH(arena, double, rows);
  double** unknowns[] = {&w->r, &w->x, &w->y, &w->impulse, &w->response};
  for (int i = 0; i < 5; i++) *unknowns[i] = CR_SCRATCH(arena, double, n);
  w->scratch_solve = CR_SCRATCH(arena, double, p->A_symbolic.scratch_size);
  w->scratch_local = CR_SCRATCH(arena, double, p->problem.max_stride + 1);
  return !arena->failed;
}

void cr_convex_gather(const carom_problem* p, const double* rows, double* compiled) {
  for (int r = 0; r < p->num_rows; r++)
    if (p->row_of[r] >= 0) compiled[p->row_of[r]] = rows[r];
}

void cr_convex_scatter(const carom_problem* p, const double* compiled, double* rows) {
  for (int r = 0; r < p->num_rows; r++) rows[r] = p->row_of[r] >= 0 ? compiled[p->row_of[r]] : 0;
}

void cr_convex_solve_A(const carom_problem* p, double* x, double* scratch) {
  cr_cholesky_solve(&p->A_symbolic, p->problem.A_factor, x, 1, p->num_unknowns, scratch);
}

/* |a - b|² in A. */
static double distance2(work* w, const double* a, const double* b) {
  for (int i = 0; i < w->n; i++) w->x[i] = a[i] - b[i];
  cr_bsm_multiply(&w->q->pattern, w->q->A, w->x, w->y);
  return fmax(scalar_dot(w->x, w->y, w->n), 0);
}

static double norm2(work* w, const double* a) {
  cr_bsm_multiply(&w->q->pattern, w->q->A, a, w->y);
  return fmax(scalar_dot(a, w->y, w->n), 0);
}

/* The least R of all rows: positive where all are regularised, negative where the problem is not
 * convex. */
static double least_R(const carom_problem* p) {
  double least = INFINITY;
  for (int r = 0; r < p->problem.num_rows; r++) least = fmin(least, p->problem.R[r]);
  return least;
}

bool cr_convex_is_convex(const carom_problem* p) { return least_R(p) >= 0; }

/* --- Costs --------------------------------------------------------------------------------------
 */

static cr_law_point point_at(const work* w, const double* v_c, const double* gamma) {
  return (cr_law_point){w->q->R, w->q->v_hat, v_c, gamma};
}

static double sum_law_costs(work* w) {
  cr_law_point point = point_at(w, w->v_c, NULL);
  double cost = 0;
  CR_FOR_EACH_LAW (k, w->p->batch)
    cost += cr_law_get(k)->evaluate(&w->p->batch[k], &point, w->scratch_rows, NULL);
  return isnan(cost) ? INFINITY : cost;
}

static void respond(work* w) {
  memset(w->impulse, 0, sizeof(double) * (size_t)w->n);
  cr_problem_add_J_transposed(w->q, w->gamma, w->impulse, w->scratch_local);
  memcpy(w->response, w->impulse, sizeof(double) * (size_t)w->n);
  cr_convex_solve_A(w->p, w->response, w->scratch_solve);
}

static double dual_cost(work* w) {
  double cost = 0.5 * scalar_dot(w->response, w->impulse, w->n);
  for (int r = 0; r < w->rows; r++)
    cost += 0.5 * w->gamma[r] * w->q->R[r] * w->gamma[r] + w->gamma[r] * w->bias[r];
  return cost;
}

/* |A (v - v*) - Jᵀ gamma|² in A^-1. */
static double momentum2(work* w, const double* v) {
  for (int i = 0; i < w->n; i++) w->x[i] = w->q->v_star[i] - v[i];
  cr_bsm_multiply(&w->q->pattern, w->q->A, w->x, w->r);
  for (int i = 0; i < w->n; i++) w->r[i] += w->impulse[i];
  memcpy(w->x, w->r, sizeof(double) * (size_t)w->n);
  cr_convex_solve_A(w->p, w->x, w->scratch_solve);
  return fmax(scalar_dot(w->x, w->r, w->n), 0);
}

static double sum_law_gaps(work* w) {
  cr_law_point point = point_at(w, w->v_c, w->gamma);
  double gap = 0;
  CR_FOR_EACH_LAW (k, w->p->batch) gap += cr_law_get(k)->gap(&w->p->batch[k], &point);
  return isnan(gap) ? INFINITY : fmax(gap, 0);
}

/* --- Residuals ----------------------------------------------------------------------------------
 */

/* Natural residual at v_c with the rho at hand, over its size |rho q|; 0 where q = 0. */
static double natural_residual(work* w, const double* v_c, bool coulomb) {
  const cr_law_mode mode = {.coulomb = coulomb};
  cr_law_point point = point_at(w, v_c, w->gamma);
  double sum = 0, scale = 0;
  CR_FOR_EACH_LAW (k, w->p->batch)
    sum += cr_law_get(k)->residual(&w->p->batch[k], &point, &mode, w->rho);
  for (int r = 0; r < w->rows; r++) scale += w->rho[r] * w->bias[r] * w->rho[r] * w->bias[r];
  return sum > 0 ? sqrt(sum / scale) : isnan(sum) ? INFINITY : 0;
}

/* rho = rows / trace(W), the same for all rows. */
static void set_global_rho(work* w) {
  double rho = w->rows / carom_problem_compute_trace(w->p);
  for (int r = 0; r < w->rows; r++) w->rho[r] = rho;
}

static void set_row_rho(work* w) {
  for (int i = 0; i < w->q->num_constraints; i++) {
    int row = w->q->row[i], rows = cr_law_get(w->q->kind[i])->rows;
    double trace = 0;
    for (int r = 0; r < rows; r++) trace += w->p->W[w->q->room * row + r * rows + r];
    for (int r = 0; r < rows; r++) w->rho[row + r] = rows / trace;
  }
}

static void measure_residuals(work* w, bool coulomb, carom_solve_report* report) {
  set_row_rho(w);
  report->row_residual = natural_residual(w, w->v_c, coulomb);
  for (int i = 0; i < w->n; i++) w->x[i] = w->response[i] + w->q->v_star[i];
  cr_problem_apply_J(w->q, w->x, w->scratch_rows, w->scratch_local);
  set_global_rho(w);
  report->residual = natural_residual(w, w->scratch_rows, coulomb);
}

static void measure_costs(work* w, bool coulomb, const double* v, carom_solve_report* report) {
  double dv2 = distance2(w, v, w->q->v_star), start2 = distance2(w, w->q->v_star, w->q->v0);
  double floor = FLOOR * sqrt(norm2(w, w->q->v_star)) + 1e-300;
  double scale = fmax(sqrt(fmax(dv2, start2)), floor), r2 = momentum2(w, v);
  bool convex = cr_convex_is_convex(w->p);
  report->primal_cost = convex ? 0.5 * dv2 + sum_law_costs(w) : INFINITY;
  report->dual_cost = dual_cost(w);
  report->gap = coulomb || !convex ? INFINITY : 0.5 * r2 + sum_law_gaps(w);
  double size = fmax(fabs(report->primal_cost), fabs(report->dual_cost));
  report->relative_gap = report->gap > 0 ? report->gap / size : 0;
  if (isinf(report->gap)) report->relative_gap = INFINITY;
  report->velocity_error = sqrt(2 * report->gap) / scale;
  report->momentum = sqrt(r2) / scale;
}

/* --- States -------------------------------------------------------------------------------------
 */

/* The region of z = gamma - s / scale. */
static carom_constraint_state classify_contact(const cr_convex_constraint* c, double scale,
                                               const double* gamma, const double* s, bool coulomb) {
  int n = c->rows - 1;
  double mu = c->parameter[0], slip = 0, zt = 0;
  for (int k = 0; k < n; k++) slip = hypot(slip, s[k]), zt = hypot(zt, gamma[k] - s[k] / scale);
  double zn = gamma[n] - (s[n] + (coulomb ? mu * slip : 0)) / scale;
  if (mu == 0) return zn > 0 ? CAROM_STATE_SLIDE : CAROM_STATE_SEPARATE;
  if (mu * zn >= zt - STATE_ULPS * 0x1p-52 * (mu * fabs(zn) + zt)) return CAROM_STATE_STICK;
  return zn <= -mu * zt ? CAROM_STATE_SEPARATE : CAROM_STATE_SLIDE;
}

static carom_constraint_state classify_bounds(const cr_convex_constraint* c, double scale,
                                              const double* gamma, const double* s) {
  double z = c->kind == CAROM_CONSTRAINT_DISC
                 ? hypot(gamma[0] - s[0] / scale, gamma[1] - s[1] / scale)
                 : gamma[0] - s[0] / scale;
  double low = c->kind == CAROM_CONSTRAINT_DISC ? -1 : c->parameter[0];
  double high = c->kind == CAROM_CONSTRAINT_DISC ? c->parameter[0] : c->parameter[1];
  return z <= low || z >= high ? CAROM_STATE_AT_BOUND : CAROM_STATE_INSIDE;
}

/* State, slip and float of constraint i, from the rows as the user gave them. */
static void describe(const carom_problem* p, int i, bool coulomb, carom_solution* out) {
  const cr_convex_constraint* c = cr_convex_get(p, i);
  const double *gamma = out->gamma + c->row, *u = out->u + c->row;
  const double* R = cr_convex_reals(&p->R) + c->row;
  int at = p->place[i], rows = cr_law_get(p->problem.kind[at])->rows;
  const double* W = p->W + p->problem.room * p->problem.row[at];
  double s[CR_LAW_MAX_ROWS] = {0}, scale = cr_law_largest_eigenvalue(W, rows) + R[c->rows - 1];
  bool contact = cr_convex_is_contact(c->kind);
  for (int r = 0; r < c->rows; r++) s[r] = u[r] + R[r] * gamma[r];
  out->states[i] =
      contact ? classify_contact(c, scale, gamma, s, coulomb) : classify_bounds(c, scale, gamma, s);
  out->slip[i] = c->rows > 1 ? hypot(u[0], u[1]) : 0;
  out->float_speed[i] = contact && out->states[i] == CAROM_STATE_SLIDE ? s[c->rows - 1] : 0;
  if (contact && out->states[i] == CAROM_STATE_STICK)
    out->report.stick_slip = fmax(out->report.stick_slip, out->slip[i]);
  out->report.sliding_float = fmax(out->report.sliding_float, out->float_speed[i]);
}

bool cr_convex_solution_measure(const carom_problem* p, bool coulomb, carom_solution* out) {
  work w;
  size_t mark = cr_arena_mark_scratch(&out->arena);
  if (!init(p, &out->arena, &w)) return false;
  cr_convex_gather(p, out->gamma, w.gamma);
  cr_problem_apply_J(w.q, w.q->v_star, w.bias, w.scratch_local);
  for (int r = 0; r < w.rows; r++) w.bias[r] -= w.q->v_hat[r];
  cr_problem_apply_J(w.q, out->v, w.v_c, w.scratch_local);
  respond(&w);
  measure_costs(&w, coulomb, out->v, &out->report);
  measure_residuals(&w, coulomb, &out->report);
  cr_arena_pop_scratch(&out->arena, mark);
  cr_convex_apply_J(p, out->v, out->v_c);
  for (int r = 0; r < p->num_rows; r++) {
    out->u[r] = out->v_c[r] - cr_convex_reals(&p->v_hat)[r];
    if (p->concave) out->u[r] -= p->concave[r] * out->gamma[r];
  }
  for (int i = 0; i < p->num_constraints; i++) describe(p, i, coulomb, out);
  return true;
}

double cr_convex_solution_get_measure(const carom_problem* p, bool coulomb,
                                      const carom_solution* solution) {
  const carom_solve_report* report = &solution->report;
  if (!coulomb && least_R(p) > 0) return report->velocity_error;
  return fmax(report->row_residual, report->momentum);
}
