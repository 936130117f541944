/* What v and gamma are worth (docs/theory.md, "Duality theorem"): costs, the pair gap
 *
 *   gap = 1/2 |A (v - v*) - Jᵀ gamma|² in A^-1 + sum of the laws' gaps,
 *
 * natural residuals, and the state of each constraint. It is computed here for the whole problem,
 * from v and gamma alone, whoever found them. */
#include "base/copy.h"
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
  double *gamma, *v_c, *scratch_rows; /* [rows] */
  double *impulse, *response;         /* [n] Jᵀ gamma, and A^-1 times that */
  double *x, *y, *scratch_solve, *scratch_local;
} work;

static bool init(const carom_problem* p, cr_arena* arena, work* w) {
  size_t n = (size_t)p->num_unknowns, rows = (size_t)p->problem.num_rows;
  *w = (work){.p = p, .q = &p->problem, .n = p->num_unknowns, .rows = p->problem.num_rows};
  double** vectors[] = {&w->gamma, &w->v_c, &w->scratch_rows};
  for (int i = 0; i < 3; i++) *vectors[i] = CR_SCRATCH(arena, double, rows);
  double** unknowns[] = {&w->x, &w->y, &w->impulse, &w->response};
  for (int i = 0; i < 4; i++) *unknowns[i] = CR_SCRATCH(arena, double, n);
  w->scratch_solve = CR_SCRATCH(arena, double, p->A_symbolic.scratch_size);
  w->scratch_local = CR_SCRATCH(arena, double, cr_problem_scratch_size(&p->problem));
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

bool cr_convex_is_convex(const carom_problem* p) { return p->least_R >= 0; }

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
  CR_COPY(w->response, w->impulse, w->n);
  cr_convex_solve_A(w->p, w->response, w->scratch_solve);
}

static double dual_cost(const work* w) {
  const double *R = w->q->R, *q = w->p->scales.q;
  for (int r = 0; r < w->rows; r++) w->scratch_rows[r] = 0.5 * R[r] * w->gamma[r] + q[r];
  return 0.5 * scalar_dot(w->response, w->impulse, w->n) +
         scalar_dot(w->gamma, w->scratch_rows, w->rows);
}

/* |A (v - v*) - Jᵀ gamma|² in A^-1.
 * @param dv2 receives |v - v*|² in A */
static double momentum2(work* w, const double* v, double* dv2) {
  for (int i = 0; i < w->n; i++) w->x[i] = w->q->v_star[i] - v[i];
  cr_bsm_multiply(&w->q->pattern, w->q->A, w->x, w->y);
  *dv2 = fmax(scalar_dot(w->x, w->y, w->n), 0);
  for (int i = 0; i < w->n; i++) w->y[i] += w->impulse[i];
  return cr_cholesky_inverse_norm2(&w->p->A_symbolic, w->q->A_factor, w->y, w->scratch_solve);
}

static double sum_law_gaps(work* w) {
  cr_law_point point = point_at(w, w->v_c, w->gamma);
  double gap = 0;
  CR_FOR_EACH_LAW (k, w->p->batch) gap += cr_law_get(k)->gap(&w->p->batch[k], &point);
  return isnan(gap) ? INFINITY : fmax(gap, 0);
}

/* --- Residuals ----------------------------------------------------------------------------------
 */

/* Natural residual at v_c, over its size |rho q|; 0 where q = 0. */
static double natural_residual(const work* w, const double* v_c, bool coulomb,
                               const cr_convex_rho* rho) {
  const cr_law_mode mode = {.coulomb = coulomb};
  cr_law_point point = point_at(w, v_c, w->gamma);
  double sum = 0;
  CR_FOR_EACH_LAW (k, w->p->batch)
    sum += cr_law_get(k)->residual(&w->p->batch[k], &point, &mode, rho->rho, NULL);
  return sum > 0 ? sqrt(sum / rho->size2) : isnan(sum) ? INFINITY : 0;
}

static void measure_residuals(work* w, bool coulomb, carom_solve_report* report) {
  report->row_residual = natural_residual(w, w->v_c, coulomb, &w->p->scales.of_row);
  for (int i = 0; i < w->n; i++) w->x[i] = w->response[i] + w->q->v_star[i];
  cr_problem_apply_J(w->q, w->x, w->scratch_rows, w->scratch_local);
  report->residual = natural_residual(w, w->scratch_rows, coulomb, &w->p->scales.of_all);
}

static void measure_costs(work* w, bool coulomb, const double* v, carom_solve_report* report) {
  const cr_convex_scales* scales = &w->p->scales;
  double dv2, r2 = momentum2(w, v, &dv2);
  double scale = fmax(sqrt(fmax(dv2, scales->start2)), FLOOR * scales->star + 1e-300);
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
  double mu = c->parameter[0], slip2 = 0, zt2 = 0;
  for (int k = 0; k < n; k++) {
    double z = gamma[k] - s[k] / scale;
    slip2 += s[k] * s[k], zt2 += z * z;
  }
  double slip = sqrt(slip2), zt = sqrt(zt2);
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
  double s[CR_LAW_MAX_ROWS] = {0}, scale = p->scales.largest[p->place[i]] + R[c->rows - 1];
  bool contact = cr_convex_is_contact(c->kind);
  for (int r = 0; r < c->rows; r++) s[r] = u[r] + R[r] * gamma[r];
  out->states[i] =
      contact ? classify_contact(c, scale, gamma, s, coulomb) : classify_bounds(c, scale, gamma, s);
  out->slip[i] = c->rows > 1 ? scalar_norm2(u[0], u[1]) : 0;
  out->float_speed[i] = contact && out->states[i] == CAROM_STATE_SLIDE ? s[c->rows - 1] : 0;
  if (contact && out->states[i] == CAROM_STATE_STICK)
    out->report.stick_slip = fmax(out->report.stick_slip, out->slip[i]);
  out->report.sliding_float = fmax(out->report.sliding_float, out->float_speed[i]);
}

/* v_c and u of the rows as given; those that the problem has not are computed from what was given.
 * @param v_c in the problem's order */
static void set_velocities(const carom_problem* p, const double* v_c, carom_solution* out) {
  const double* v_hat = cr_convex_reals(&p->v_hat);
  if (p->problem.num_rows < p->num_rows) cr_convex_apply_J(p, out->v, out->v_c);
  for (int r = 0; r < p->num_rows; r++) {
    if (p->row_of[r] >= 0) out->v_c[r] = v_c[p->row_of[r]];
    out->u[r] = out->v_c[r] - v_hat[r];
    if (p->concave) out->u[r] -= p->concave[r] * out->gamma[r];
  }
}

bool cr_convex_solution_measure(const carom_problem* p, bool coulomb, cr_arena* arena,
                                carom_solution* out) {
  work w;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!init(p, arena, &w)) return false;
  cr_convex_gather(p, out->gamma, w.gamma);
  cr_problem_apply_J(w.q, out->v, w.v_c, w.scratch_local);
  respond(&w);
  measure_costs(&w, coulomb, out->v, &out->report);
  measure_residuals(&w, coulomb, &out->report);
  set_velocities(p, w.v_c, out);
  cr_arena_pop_scratch(arena, mark);
  for (int i = 0; i < p->num_constraints; i++) describe(p, i, coulomb, out);
  return true;
}

bool cr_convex_is_measured_by_gap(const carom_problem* p, bool coulomb) {
  return !coulomb && p->least_R > 0;
}

double cr_convex_solution_get_measure(const carom_problem* p, bool coulomb,
                                      const carom_solution* solution) {
  const carom_solve_report* report = &solution->report;
  if (cr_convex_is_measured_by_gap(p, coulomb)) return report->velocity_error;
  return fmax(report->row_residual, report->momentum);
}
