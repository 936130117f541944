/* A soft body's balance (sim/soft/soft_step.h)
 *
 *   m(v) = M (v - v0) + dt ((alpha M + beta K) v_e + dE/dx(x) - f),    K at K_x, projected
 *
 * has m(v*) = 0, where its derivative by v* is M + dt tv (alpha M + beta K) + dt² tq tvq E'' with
 * the elastic energy's whole second derivative; what is touched and slow has A (v* - v0) = -m(v0)
 * with the projected one, which moves with the body: (dA) w is summed of how the points of its
 * elements bend (soft/slopes.h). So is (dA)(v - v*) in the second stage. */
#include "derive/soft_tangent.h"

#include "base/copy.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

#define STRAINED 1e-9 /* of strains, whose kinks are told of */

/* --- Set-up -------------------------------------------------------------------------------------
 */

static bool is_fixed(const cr_soft_tangents* s, int i) { return s->soft->held[i / 3] == 1; }

static int count_points(const cr_soft_tangents* s) {
  return s->soft->part->mesh.num_elements * s->soft->part->body.num_points;
}

static cr_soft_slope* push_slopes(const cr_step_tangent* t, const cr_soft_tangents* s) {
  size_t count = (size_t)count_points(s);
  cr_soft_slope* X = CR_PUSH(t->arena, cr_soft_slope, count);
  if (X) memset(X, 0, sizeof *X * count);
  return X;
}

static bool push(const cr_step_tangent* t, cr_soft_tangents* s) {
  double** vectors[] = {&s->change, &s->by, &s->dx, &s->y};
  for (int i = 0; i < 4; i++) *vectors[i] = CR_PUSH(t->arena, double, s->n);
  size_t scratch = (size_t)s->soft->cache->whole.scratch_size;
  if (s->soft->cache->is_kept && (size_t)s->soft->cache->partly.scratch_size > scratch)
    scratch = (size_t)s->soft->cache->partly.scratch_size;
  s->scratch = CR_PUSH(t->arena, double, scratch);
  s->free = push_slopes(t, s);
  return !t->arena->failed;
}

/* Where forces count, and how that follows from the start. */
static bool find_place(const cr_step_tangent* t, cr_soft_tangents* s) {
  const cr_step* step = t->step;
  cr_theta theta = s->soft->theta;
  double *x = CR_PUSH(t->arena, double, s->n), *v_e = CR_PUSH(t->arena, double, s->n);
  if (t->arena->failed) return false;
  const double *v0 = step->v0 + s->soft->first_v, *v = step->v_lin + s->soft->first_v;
  cr_soft_compute_mid(step, s->soft, theta, v, x);
  for (int i = 0; i < s->n; i++) v_e[i] = theta.v * v[i] + (1 - theta.v) * v0[i];
  s->x = x, s->v_e = v_e;
  s->by_v0 = theta.q * step->dt * (s->is_known ? 1 : 1 - theta.vq);
  s->by_star = s->is_known ? 0 : theta.q * step->dt * theta.vq;
  for (int i = 0; i < s->n; i++)
    s->change[i] = step->v[s->soft->first_v + i] - step->v_star[s->soft->first_v + i];
  return true;
}

/* X += (D K[.]) w where that counts: at K_x, or at x. */
static void add_bend(const cr_soft_tangents* s, const double* x, const double* w, double scale,
                     cr_soft_slope* X) {
  if (scale == 0) return;
  cr_soft_body_add_bends(&s->soft->part->body, cr_soft_rows_of(x), cr_soft_rows_of(w), scale, X);
}

/* The elements' part of m, and of (dA)(v* - v0) where v* follows so. False when memory ran out. */
static bool find_free_slopes(const cr_step_tangent* t, cr_soft_tangents* s) {
  const cr_step* step = t->step;
  double dt = step->dt, beta = s->soft->part->body.material.beta;
  cr_soft_weights w = cr_soft_find_weights(step, s);
  double* by = s->dx;
  cr_soft_body_add_tangents(&s->soft->part->body, cr_soft_rows_of(s->x), dt, s->free);
  if (s->is_known) {
    const double *v_star = step->v_star + s->soft->first_v, *v0 = step->v0 + s->soft->first_v;
    for (int i = 0; i < s->n; i++)
      by[i] = dt * beta * s->v_e[i] + (w.stiffness + w.damping) * (v_star[i] - v0[i]);
    add_bend(s, s->x, by, 1, s->free);
  } else if (beta > 0) {
    s->free_K = push_slopes(t, s);
    if (!s->free_K) return false;
    add_bend(s, s->soft->K_x, s->v_e, dt * beta, s->free_K);
  }
  return true;
}

/* Of A, where the body is touched. Likewise. */
static bool find_bends(const cr_step_tangent* t, cr_soft_tangents* s) {
  cr_soft_weights w = cr_soft_find_weights(t->step, s);
  bool is_apart = !s->is_known && w.damping > 0;
  s->bend = push_slopes(t, s);
  if (is_apart) s->bend_K = push_slopes(t, s);
  if (t->arena->failed) return false;
  add_bend(s, s->x, s->change, is_apart ? w.stiffness : w.stiffness + w.damping, s->bend);
  if (is_apart) add_bend(s, s->soft->K_x, s->change, w.damping, s->bend_K);
  return true;
}

/* Curvatures about to be cut off. As one is, the derivative of an element's forces changes by about
 * as much of its stiffness as the step strains it along that mode, which is to be seen. */
static void mark_kink(cr_step_tangent* t, const cr_soft_tangents* s, const double* x) {
  const cr_soft_body* body = &s->soft->part->body;
  const double(*w)[3] = cr_soft_rows_of(s->dx);
  double nearest = cr_soft_body_find_kink(body, cr_soft_rows_of(x), w, STRAINED);
  cr_step_tangent_note_kink(t, nearest, INFINITY);
  if (nearest < CR_DERIVE_NEAR_KINK)
    t->num_kinks +=
        cr_soft_body_find_kink(body, cr_soft_rows_of(x), w, CR_DERIVE_FELT) < CR_DERIVE_NEAR_KINK;
}

/* Those of what the step strains. */
static void mark_kinks(cr_step_tangent* t, const cr_soft_tangents* s) {
  const cr_step* step = t->step;
  const cr_soft_body* body = &s->soft->part->body;
  const double *v = step->v + s->soft->first_v, *v0 = step->v0 + s->soft->first_v;
  cr_soft_weights w = cr_soft_find_weights(step, s);
  bool is_bent = s->is_touched && w.stiffness > 0;
  for (int i = 0; i < s->n; i++) s->dx[i] = step->dt * (v[i] - v0[i]);
  if (is_bent) mark_kink(t, s, s->x);
  if (body->material.beta == 0) return;
  for (int i = 0; i < s->n; i++) s->dx[i] = step->dt * v[i];
  mark_kink(t, s, s->soft->K_x);
}

/* All of a matrix of the body's. */
static carom_status factor(const cr_step_tangent* t, const cr_soft_tangents* s, const double* A,
                           const double** factor) {
  const cr_symbolic* symbolic = &s->soft->cache->whole;
  double* values = CR_PUSH(t->arena, double, symbolic->factor_size);
  if (t->arena->failed) return cr_error_memory(t->error);
  cr_cholesky_load(symbolic, A, values);
  *factor = values;
  if (cr_cholesky_factor(symbolic, values, s->scratch) < 0) return CAROM_OK;
  return cr_error_set(t->error, CAROM_ERROR_NUMERICAL,
                      "derivatives: the free motion of soft body %d is no minimum of its potential",
                      s->soft->tree - t->step->model->tree.num_trees);
}

/* The step's own factor, or where it solved with iterations one that is made here. */
static carom_status factor_A(const cr_step_tangent* t, cr_soft_tangents* s) {
  const cr_step_soft* soft = s->soft;
  s->A_symbolic = soft->is_iterative ? &soft->cache->whole : &soft->cache->partly;
  s->A_factor = soft->factor;
  bool is_wanted = soft->is_iterative && (s->is_known || s->is_touched);
  return is_wanted ? factor(t, s, soft->A, &s->A_factor) : CAROM_OK;
}

/* The derivative of m by v*: A where that was known by it, else where v* is that of m(v*) = 0. */
static carom_status factor_free(const cr_step_tangent* t, cr_soft_tangents* s) {
  s->symbolic = s->is_known || s->is_at_solution ? s->A_symbolic : &s->soft->cache->whole;
  s->factor = s->A_factor;
  if (s->is_known || s->is_at_solution) return CAROM_OK;
  double* A = CR_PUSH(t->arena, double, s->symbolic->pattern.num_values);
  if (!A) return cr_error_memory(t->error);
  cr_soft_compute_matrix(t->step, s->soft, cr_soft_rows_of(s->x), false, A);
  return factor(t, s, A, &s->factor);
}

static bool is_in(const cr_step_problem* problem, int mover) {
  if (!problem || problem->problem.num_constraints == 0) return false;
  for (int i = 0; i < problem->blocks.num_movers; i++)
    if (problem->blocks.movers[i] == mover) return true;
  return false;
}

static carom_status find_body(cr_step_tangent* t, const cr_step_problem* problem,
                              cr_soft_tangents* s) {
  if (!push(t, s) || !find_place(t, s)) return cr_error_memory(t->error);
  cr_soft_place(t->step, s->soft, t->step->v_lin); /* where contacts were looked at */
  s->is_touched = is_in(problem, s->soft->tree);
  if (!find_free_slopes(t, s) || (s->is_touched && !find_bends(t, s)))
    return cr_error_memory(t->error);
  mark_kinks(t, s);
  CR_TRY(factor_A(t, s));
  return factor_free(t, s);
}

carom_status cr_soft_tangents_find(cr_step_tangent* t, const cr_step_problem* problem) {
  int count = t->step->model->soft.num_parts;
  t->softs = CR_PUSH(t->arena, cr_soft_tangents, count);
  if (t->arena->failed) return cr_error_memory(t->error);
  for (int k = 0; k < count; k++) {
    cr_step_soft* soft = &t->step->soft[k];
    bool is_at_solution = cr_step_tangent_is_at_solution(t, soft->tree);
    t->softs[k] = (cr_soft_tangents){.soft = soft,
                                     .n = 3 * soft->part->mesh.num_nodes,
                                     .is_known = soft->is_waiting && !is_at_solution,
                                     .is_at_solution = is_at_solution};
    CR_TRY(find_body(t, problem, &t->softs[k]));
  }
  return CAROM_OK;
}

void cr_soft_add_K(const cr_soft_tangents* s, double scale, const double* x, double* out) {
  if (scale == 0 || !s->soft->K) return;
  cr_bsm_multiply(&s->soft->part->body.pattern, s->soft->K, x, s->y);
  for (int i = 0; i < s->n; i++) out[i] += scale * s->y[i];
}

/* --- Free motion --------------------------------------------------------------------------------
 */

/* s.dx = q0 + h v0. */
static void move(const cr_soft_tangents* s, const double* q0, double h, const double* v0) {
  for (int i = 0; i < s->n; i++) s->dx[i] = q0[i] + h * v0[i];
}

/* y += the elements' part for moves of x by s.dx. */
static void add_slopes(const cr_soft_tangents* s, const cr_soft_slope* X, double* y) {
  cr_soft_body_apply_slopes(&s->soft->part->body, X, cr_soft_rows_of(s->dx), y);
}

/* What of v dampers and inertia take. */
typedef struct rate_share {
  double damping, inertia;
} rate_share;

/* y += what they do of it. */
static void add_share(const cr_step_tangent* t, const cr_soft_tangents* s, rate_share share,
                      const double* v, double* y) {
  const cr_soft_body* body = &s->soft->part->body;
  double damping = t->step->dt * share.damping, beta = body->material.beta;
  double mass = damping * body->material.alpha + share.inertia;
  for (int i = 0; i < s->n; i++) y[i] += mass * body->mass[i / 3] * v[i];
  if (beta > 0) cr_soft_add_K(s, damping * beta, v, y);
}

/* The same of v0. */
static void add_rates(const cr_step_tangent* t, const cr_soft_tangents* s, const double* v0,
                      double* y) {
  const cr_soft_body* body = &s->soft->part->body;
  const rate_share all = {1, 0}, of_start = {1 - s->soft->theta.v, -1};
  add_share(t, s, s->is_known ? all : of_start, v0, y);
  if (!s->is_known) return;
  cr_bsm_multiply(&body->pattern, s->soft->A, v0, s->y);
  for (int i = 0; i < s->n; i++) y[i] -= s->y[i];
}

static void add_load(const cr_step_tangent* t, const cr_soft_tangents* s, const double* q0,
                     double* y) {
  const cr_soft_part* part = s->soft->part;
  if (part->pressure == 0) return;
  memset(s->y, 0, sizeof(double) * (size_t)s->n);
  cr_soft_body_add_pressure_change(&part->body, s->soft->x0, cr_soft_rows_of(q0), &part->surface,
                                   (double(*)[3])s->y);
  for (int i = 0; i < s->n; i++) y[i] += t->step->dt * part->pressure * s->y[i];
}

static bool is_zero(const double* x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

/* dm of a column with v* held. */
static void find_balance(const cr_step_tangent* t, const cr_soft_tangents* s, int column,
                         double* dm) {
  const double* q0 = cr_column(t, t->q0, column) + s->soft->first_v;
  const double* v0 = cr_column(t, t->v0, column) + s->soft->first_v;
  memset(dm, 0, sizeof(double) * (size_t)s->n);
  if (column >= t->first_theta)
    cr_soft_theta_add_balance(t, s, &t->thetas[column - t->first_theta], dm);
  if (is_zero(q0, s->n) && is_zero(v0, s->n)) return;
  move(s, q0, s->by_v0, v0);
  add_slopes(s, s->free, dm);
  if (s->free_K) {
    move(s, q0, s->soft->K_time, v0);
    add_slopes(s, s->free_K, dm);
  }
  add_rates(t, s, v0, dm);
  add_load(t, s, q0, dm);
}

static void mask(const cr_soft_tangents* s, double* x) {
  for (int i = 0; i < s->n; i++)
    if (is_fixed(s, i)) x[i] = 0;
}

/* q_mid, where the step looked at contacts, with the velocity of v_lin. */
static void place_column(const cr_step_tangent* t, const cr_soft_tangents* s, int column) {
  cr_theta theta = t->step->theta[s->soft->tree];
  const double* q0 = cr_column(t, t->q0, column) + s->soft->first_v;
  const double* v0 = cr_column(t, t->v0, column) + s->soft->first_v;
  const double* v = s->is_known ? v0 : cr_column(t, t->v_star, column) + s->soft->first_v;
  double* q_mid = cr_column(t, t->q_mid, column) + s->soft->first_v;
  for (int i = 0; i < s->n; i++)
    q_mid[i] = q0[i] + theta.q * t->step->dt * (theta.vq * v[i] + (1 - theta.vq) * v0[i]);
}

/* - dm of a column at a solution. */
static void balance_column(const cr_step_tangent* t, const cr_soft_tangents* s, int column) {
  double* dm = cr_column(t, t->balance, column) + s->soft->first_v;
  const double* v = cr_column(t, t->v_star, column) + s->soft->first_v;
  find_balance(t, s, column, dm);
  for (int i = 0; i < s->n; i++) s->dx[i] = s->by_star * v[i];
  add_slopes(s, s->free, dm);
  add_share(t, s, (rate_share){s->soft->theta.v, 1}, v, dm);
  for (int i = 0; i < s->n; i++) dm[i] = is_fixed(s, i) ? 0 : -dm[i];
}

carom_status cr_soft_derive_free_motion(cr_step_tangent* t) {
  for (int k = 0; k < t->step->model->soft.num_parts; k++) {
    const cr_soft_tangents* s = &t->softs[k];
    for (int c = 0; c < t->num_columns; c++) {
      double* v_star = cr_column(t, t->v_star, c) + s->soft->first_v;
      if (s->is_at_solution) {
        balance_column(t, s, c);
        place_column(t, s, c);
        continue;
      }
      find_balance(t, s, c, v_star);
      if (!is_zero(v_star, s->n)) {
        for (int i = 0; i < s->n; i++) v_star[i] = is_fixed(s, i) ? 0 : -v_star[i];
        cr_cholesky_solve(s->symbolic, s->factor, v_star, 1, s->n, s->scratch);
      }
      place_column(t, s, c);
    }
  }
  return CAROM_OK;
}

/* --- Backwards ----------------------------------------------------------------------------------
 */

/* s.dx = the cotangent of moves of x, of one `by` of that product. */
static void pull_slopes(const cr_soft_tangents* s, const cr_soft_slope* X, const double* by) {
  memset(s->dx, 0, sizeof(double) * (size_t)s->n);
  cr_soft_body_apply_slopes_transposed(&s->soft->part->body, X, cr_soft_rows_of(by), s->dx);
}

/* Takes scale s.dx to the start. */
static void pull_move(const cr_soft_tangents* s, double scale, double h,
                      const cr_soft_cotangents* to) {
  double *q0 = to->q0 + s->soft->first_v, *v0 = to->v0 + s->soft->first_v;
  for (int i = 0; i < s->n; i++) q0[i] += scale * s->dx[i], v0[i] += scale * h * s->dx[i];
}

/* Cotangents of q_mid to those of what it follows from. */
static void pull_place(const cr_step_tangent* t, const cr_soft_tangents* s,
                       const cr_soft_cotangents* to) {
  cr_theta theta = t->step->theta[s->soft->tree];
  double h = theta.q * t->step->dt;
  for (int i = s->soft->first_v; i < s->soft->first_v + s->n; i++) {
    to->q0[i] += to->q_mid[i];
    to->v0[i] += h * (s->is_known ? 1 : 1 - theta.vq) * to->q_mid[i];
    if (!s->is_known) to->v_star[i] += h * theta.vq * to->q_mid[i];
    to->q_mid[i] = 0;
  }
}

/* What the cotangent of dm at a solution, by, makes of that of the solution, v*. */
static void pull_solution(const cr_step_tangent* t, const cr_soft_tangents* s, const double* by,
                          double* v_star) {
  if (!s->is_at_solution) return;
  for (int i = 0; i < s->n; i++) v_star[i] += s->by_star * s->dx[i];
  add_share(t, s, (rate_share){s->soft->theta.v, 1}, by, v_star);
}

/* By the cotangent of dm. */
static void pull_body(cr_step_tangent* t, const cr_soft_tangents* s, double* by,
                      const cr_soft_cotangents* to) {
  for (int i = 0; i < s->n; i++) by[i] = is_fixed(s, i) ? 0 : -by[i];
  pull_slopes(s, s->free, by);
  pull_move(s, 1, s->by_v0, to);
  pull_solution(t, s, by, to->v_star + s->soft->first_v);
  if (s->free_K) {
    pull_slopes(s, s->free_K, by);
    pull_move(s, 1, s->soft->K_time, to);
  }
  add_rates(t, s, by, to->v0 + s->soft->first_v);
  add_load(t, s, by, to->q0 + s->soft->first_v);
  for (int k = 0; k < t->num_thetas; k++) {
    double* dm = s->change; /* v - v* is not asked for any more */
    memset(dm, 0, sizeof(double) * (size_t)s->n);
    cr_soft_theta_add_balance(t, s, &t->thetas[k], dm);
    for (int i = 0; i < s->n; i++) to->thetas[k] += dm[i] * by[i];
  }
}

void cr_soft_pull_free_motion(cr_step_tangent* t, const double* full,
                              const cr_soft_cotangents* to) {
  for (int k = 0; k < t->step->model->soft.num_parts; k++) {
    const cr_soft_tangents* s = &t->softs[k];
    double *by = s->by, *v_star = to->v_star + s->soft->first_v;
    pull_place(t, s, to);
    CR_COPY(by, s->is_at_solution ? full + s->soft->first_v : v_star, (size_t)s->n);
    if (!s->is_at_solution) cr_cholesky_solve(s->symbolic, s->factor, by, 1, s->n, s->scratch);
    pull_body(t, s, by, to);
  }
}

/* --- Second stage -------------------------------------------------------------------------------
 */

void cr_soft_subtract_bend(const cr_step_tangent* t, const cr_soft_tangents* s, int column,
                           double* full) {
  int first = s->soft->first_v;
  const double* q0 = cr_column(t, t->q0, column) + first;
  const double* v0 = cr_column(t, t->v0, column) + first;
  const double* v_star = cr_column(t, t->v_star, column) + first;
  double* out = s->y;
  memset(out, 0, sizeof(double) * (size_t)s->n);
  for (int i = 0; i < s->n; i++) s->dx[i] = q0[i] + s->by_v0 * v0[i] + s->by_star * v_star[i];
  if (!is_zero(s->dx, s->n)) add_slopes(s, s->bend, out);
  if (s->bend_K) {
    move(s, q0, s->soft->K_time, v0);
    add_slopes(s, s->bend_K, out);
  }
  for (int i = 0; i < s->n; i++) full[first + i] -= out[i];
}

void cr_soft_subtract_bend_transposed(const cr_step_tangent* t, const cr_soft_tangents* s,
                                      const double* full, const cr_soft_cotangents* to) {
  (void)t;
  const double* by = full + s->soft->first_v;
  pull_slopes(s, s->bend, by);
  pull_move(s, -1, s->by_v0, to);
  for (int i = 0; i < s->n; i++) to->v_star[s->soft->first_v + i] -= s->by_star * s->dx[i];
  if (!s->bend_K) return;
  pull_slopes(s, s->bend_K, by);
  pull_move(s, -1, s->soft->K_time, to);
}

void cr_soft_solve(const cr_step_tangent* t, const cr_soft_tangents* s, double* x) {
  (void)t;
  double* own = x + s->soft->first_v;
  mask(s, own);
  cr_cholesky_solve(s->A_symbolic, s->A_factor, own, 1, s->n, s->scratch);
}

/* --- Ends ---------------------------------------------------------------------------------------
 */

void cr_soft_finish_column(const cr_step_tangent* t, int column, double* q1, double* v1) {
  const double *q0 = cr_column(t, t->q0, column), *v0 = cr_column(t, t->v0, column);
  const double* v = cr_column(t, t->v, column);
  for (int k = 0; k < t->step->model->soft.num_parts; k++) {
    const cr_soft_tangents* s = &t->softs[k];
    double vq = t->step->theta[s->soft->tree].vq;
    for (int i = s->soft->first_v; i < s->soft->first_v + s->n; i++) {
      q1[i] = q0[i] + t->step->dt * (vq * v[i] + (1 - vq) * v0[i]);
      v1[i] = v[i];
    }
  }
}

void cr_soft_pull_end(const cr_step_tangent* t, const double* q1, const double* v1,
                      const cr_soft_cotangents* to) {
  for (int k = 0; k < t->step->model->soft.num_parts; k++) {
    const cr_step_soft* soft = &t->step->soft[k];
    double vq = t->step->theta[soft->tree].vq, dt = t->step->dt;
    for (int i = soft->first_v; i < soft->first_v + 3 * soft->part->mesh.num_nodes; i++) {
      to->q0[i] += q1[i];
      to->v0[i] += dt * (1 - vq) * q1[i];
      to->v[i] += v1[i] + dt * vq * q1[i];
    }
  }
}

void cr_soft_mask_held(const cr_step_tangent* t, double* x) {
  for (int k = 0; k < t->step->model->soft.num_parts; k++) {
    const cr_step_soft* soft = &t->step->soft[k];
    for (int i = 0; i < 3 * soft->part->mesh.num_nodes; i++)
      if (soft->held[i / 3] == 1) x[soft->first_v + i] = 0;
  }
}

const cr_soft_tangents* cr_soft_tangents_of_dof(const cr_step_tangent* t, int dof) {
  int k = 0;
  while (dof >= t->softs[k].soft->first_v + t->softs[k].n) k++;
  return &t->softs[k];
}
