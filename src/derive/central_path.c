/* With impulses u = (mu gamma_n, gamma_t) and slacks s = (s_n / mu, s_t) in the Lorentz cone the
 * central path is u ∘ s = kappa e (Alizadeh and Goldfarb, Second-order cone programming, 2003),
 *
 *   s = kappa u⁻¹,    u⁻¹ = (u_0, -u_t) / det u,    d(u⁻¹) = - P du,  P = 2 u⁻¹ u⁻ᵀ - diag(1, -I) /
 * det u,
 *
 * of an impulse between bounds s = kappa / (gamma - low) - kappa / (high - gamma), and of one in a
 * disc s = - 2 kappa gamma / (r² - |gamma|²): u = (r, gamma) with a slack (s_0, s_t) of which s_0
 * is free, and twice the product, as for two bounds. The product is kappa = e² / W for a speed e
 * and the constraint's Delassus scale W: bodies that are free to move part with about e. In De
 * Saxce's term |s_t| is sqrt(s_t² + e²) - e. The path is followed from a large speed down; dense.
 */
#include "derive/central_path.h"

#include "base/copy.h"
#include "base/error.h"
#include "linalg/lu.h"
#include "math/scalar.h"
#include "problem/law_table.h"
#include "sim/step/solution.h"
#include "tree/coordinates.h"

#include <math.h>
#include <string.h>

/* What all points of an area count as: those of a box's face, where the scale is some 4 / m. */
#define AREA_POINTS 4.0

#define FACTOR      3.0  /* from one speed to the next */
#define MOST_STEPS  100  /* of Newton */
#define INSIDE      0.95 /* of the way to the surface */
#define NEAR        0.5  /* of a Newton step, after which the speed falls */
#define TOLERANCE   1e-9 /* relative, of slacks and products */
#define ROUND_OFF   1e-5 /* of what a product is made of, over the tolerance */

/* --- Laws ---------------------------------------------------------------------------------------
 */

static void find_bounds(const cr_problem* p, int i, const double* gamma, const cr_central_speed* at,
                        cr_law_tangent* out) {
  const double* bound = p->parameter + 2 * i;
  int row = p->row[i];
  if (!(bound[0] < bound[1])) { /* nothing moves it */
    out->state = CR_LAW_OPEN, out->E[0][0] = 1;
    return;
  }
  double kappa = at->speed * at->speed / at->scale;
  double low = gamma[0] - bound[0], high = bound[1] - gamma[0];
  out->D[0][0] = 1;
  out->E[0][0] = fmax(p->R[row], CR_LAW_LEAST_R * at->scale);
  out->E[0][0] += kappa / (low * low) + kappa / (high * high);
  out->widen[0] = kappa / (high * high) - kappa / (low * low);
}

/* u⁻¹, its normal part last as in rows; returns det u. */
static double invert(const double* gamma, int t, double mu, double* inverse) {
  double first = mu * gamma[t], square = 0;
  for (int k = 0; k < t; k++) square += gamma[k] * gamma[k];
  double across = sqrt(square), det = (first - across) * (first + across);
  for (int k = 0; k < t; k++) inverse[k] = -gamma[k] / det;
  inverse[t] = first / det;
  return det;
}

static void find_cone(const cr_problem* p, int i, const double* v_c, const double* gamma,
                      const cr_central_speed* at, cr_law_tangent* out) {
  int row = p->row[i], t = out->rows - 1;
  double mu = p->parameter[2 * i], kappa = at->speed * at->speed / at->scale;
  double inverse[CR_LAW_MAX_ROWS], s[CR_LAW_MAX_ROWS], slip2 = 0;
  double det = invert(gamma, t, mu, inverse);
  for (int k = 0; k <= t; k++) {
    s[k] = v_c[k] - p->v_hat[row + k] + p->R[row + k] * gamma[k];
    if (k < t) slip2 += s[k] * s[k];
  }
  double soft = sqrt(slip2 + at->speed * at->speed),
         slip = at->is_coulomb ? slip2 / (soft + at->speed) : 0;
  for (int k = 0; k <= t; k++) out->D[k][k] = 1;
  for (int k = 0; k < t && at->is_coulomb; k++) out->D[t][k] = mu * s[k] / soft;
  for (int k = 0; k <= t; k++)
    for (int j = 0; j <= t; j++) {
      double N = (k == t ? mu : 1) * (j == t ? mu : 1), J = k != j ? 0 : k == t ? 1 : -1;
      out->E[k][j] =
          out->D[k][j] * p->R[row + j] + kappa * N * (2 * inverse[k] * inverse[j] - J / det);
    }
  double P00 = 2 * inverse[t] * inverse[t] - 1 / det;
  for (int k = 0; k < t; k++) out->widen[k] = -kappa * 2 * inverse[k] * inverse[t] * gamma[t];
  out->widen[t] = kappa * (inverse[t] - mu * P00 * gamma[t]) - slip;
}

static double find_disc_det(const cr_problem* p, int i, const double* gamma) {
  double r = p->parameter[2 * i], across = hypot(gamma[0], gamma[1]);
  return (r - across) * (r + across);
}

static void find_disc(const cr_problem* p, int i, const double* gamma, const cr_central_speed* at,
                      cr_law_tangent* out) {
  double r = p->parameter[2 * i], kappa = at->speed * at->speed / at->scale;
  double det = find_disc_det(p, i, gamma);
  if (!(r > 0)) { /* as between bounds that are one */
    out->state = CR_LAW_OPEN, out->E[0][0] = out->E[1][1] = 1;
    return;
  }
  for (int k = 0; k < 2; k++) {
    out->D[k][k] = 1;
    for (int j = 0; j < 2; j++) out->E[k][j] = 4 * kappa * gamma[k] * gamma[j] / (det * det);
    out->E[k][k] += fmax(p->R[p->row[i] + k], CR_LAW_LEAST_R * at->scale) + 2 * kappa / det;
    out->widen[k] = 4 * kappa * r * gamma[k] / (det * det);
  }
}

void cr_central_law_find(const cr_problem* problem, int constraint, const double* v_c,
                         const double* gamma, const cr_central_speed* at, cr_law_tangent* out) {
  const cr_law* law = cr_law_get(problem->kind[constraint]);
  *out = (cr_law_tangent){
      .state = CR_LAW_STICK, .rows = law->rows, .kink = INFINITY, .kink_speed = INFINITY};
  if (law->is_cone)
    find_cone(problem, constraint, v_c, gamma, at, out);
  else if (problem->kind[constraint] == CR_LAW_DISC)
    find_disc(problem, constraint, gamma, at, out);
  else
    find_bounds(problem, constraint, gamma, at, out);
}

bool cr_central_path_leaves_out(const cr_step_problem* problem, int place) {
  int point = problem->constraints[problem->order[place]].point;
  return point >= 0 && problem->points->items[point].is_ahead;
}

/* The points of an area share by weight what its corners would have: else finer rules would keep
 * faces further apart. */
double cr_central_path_find_scale(const cr_step_problem* problem, int place) {
  double scale = cr_law_tangent_find_scale(&problem->problem, problem->W, place);
  int index = problem->constraints[problem->order[place]].point;
  const cr_contact_point* point = index >= 0 ? &problem->points->items[index] : NULL;
  return point && point->is_area ? scale / (AREA_POINTS * point->weight) : scale;
}

/* --- The path -----------------------------------------------------------------------------------
 *
 * Primal-dual Newton with impulses and slacks both unknown, which stay inside. With the arrow
 * matrices L(u) x = u ∘ x (AHO's direction; Alizadeh, Haeberly and Overton, 1998) it solves
 *
 *   (N L(u)⁻¹ L(s) N + D (W + R)) dgamma = N L(u)⁻¹ (kappa e - u ∘ s) + r,   N = diag(1, mu),
 *
 * r the slack less what it should be. */

typedef struct path {
  const cr_step_problem* problem;
  const cr_problem* p;
  bool is_coulomb;
  int m;               /* rows */
  const double* scale; /* [constraints] */
  double *Z, *W;       /* A⁻¹Jᵀ [n, m] and J A⁻¹Jᵀ [m, m], by columns */
  double *v_free, *v_c, *gamma, *slack, *upper; /* [m]; J v* first; slacks, of high bounds upper, of
                                                   discs s_0 */
  double *step, *slack_step, *upper_step;       /* [m] */
  double* S;                                    /* [m, m] */
  int* pivot;
  double speed;
} path;

/* One constraint's part of the system. */
typedef struct newton {
  int rows;
  double D[CR_LAW_MAX_ROWS][CR_LAW_MAX_ROWS];
  double K[CR_LAW_MAX_ROWS][CR_LAW_MAX_ROWS]; /* what ds answers to - dgamma */
  double h[CR_LAW_MAX_ROWS];                  /* and of itself: ds = h - K dgamma */
  double off[CR_LAW_MAX_ROWS];                /* the slack less what it should be, */
  double product;                             /* and the products, relative */
} newton;

static double find_kappa(const path* a, int i) { return a->speed * a->speed / a->scale[i]; }

static void linearise_bounds(const path* a, int i, newton* out) {
  int row = a->p->row[i];
  const double* bound = a->p->parameter + 2 * i;
  double kappa = find_kappa(a, i), low = a->gamma[row] - bound[0], high = bound[1] - a->gamma[row];
  double z = isinf(low) ? 0 : a->slack[row], y = isinf(high) ? 0 : a->upper[row];
  double S = a->v_c[row] - a->p->v_hat[row] + a->p->R[row] * a->gamma[row];
  out->D[0][0] = 1;
  out->off[0] = z - y - S;
  out->K[0][0] = z / low + y / high;
  out->h[0] = (kappa / low - z) - (kappa / high - y);
  if (isfinite(low)) out->product = fmax(out->product, fabs(z * low / kappa - 1));
  if (isfinite(high)) out->product = fmax(out->product, fabs(y * high / kappa - 1));
}

/* x <- L(u)⁻¹ x, the first part last. */
static void divide(const double* u, int t, double* x) {
  double det = u[t] * u[t], sum = u[t] * x[t];
  for (int k = 0; k < t; k++) det -= u[k] * u[k], sum -= u[k] * x[k];
  x[t] = sum / det;
  for (int k = 0; k < t; k++) x[k] = (x[k] - x[t] * u[k]) / u[t];
}

static void linearise_cone(const path* a, int i, newton* out) {
  int row = a->p->row[i], t = out->rows - 1;
  double mu = a->p->parameter[2 * i], kappa = find_kappa(a, i), slip2 = 0;
  double u[CR_LAW_MAX_ROWS] = {0}, s[CR_LAW_MAX_ROWS] = {0}, S[CR_LAW_MAX_ROWS] = {0};
  for (int k = 0; k <= t; k++) {
    u[k] = a->gamma[row + k] * (k == t ? mu : 1), s[k] = a->slack[row + k] / (k == t ? mu : 1);
    S[k] = a->v_c[row + k] - a->p->v_hat[row + k] + a->p->R[row + k] * a->gamma[row + k];
    if (k < t) slip2 += S[k] * S[k];
    out->D[k][k] = 1;
  }
  double soft = sqrt(slip2 + a->speed * a->speed);
  if (a->is_coulomb) S[t] += mu * slip2 / (soft + a->speed);
  for (int k = 0; k < t && a->is_coulomb; k++) out->D[t][k] = mu * S[k] / soft;
  double* h = out->h;
  h[t] = kappa;
  for (int k = 0; k <= t; k++) h[t] -= u[k] * s[k];
  for (int k = 0; k < t; k++) h[k] = -u[t] * s[k] - s[t] * u[k];
  for (int k = 0; k <= t; k++) {
    out->product = fmax(out->product, fabs(h[k]) / fmax(kappa, ROUND_OFF * u[t] * s[t]));
    out->off[k] = a->slack[row + k] - S[k];
  }
  divide(u, t, h);
  h[t] *= mu;
  for (int k = 0; k <= t; k++) { /* L(s) N e_k */
    double x[CR_LAW_MAX_ROWS] = {0};
    x[t] = s[k], x[k] += k < t ? s[t] : 0;
    for (int j = 0; j < t && k == t; j++) x[j] = s[j];
    divide(u, t, x);
    for (int j = 0; j <= t; j++) out->K[j][k] = x[j] * (j == t ? mu : 1) * (k == t ? mu : 1);
  }
}

/* The longest share of dx that keeps x with its weights in the Lorentz cone, last part first. */
static double find_way(const double* x, const double* dx, int t, double first, double most) {
  double a = first * first * dx[t] * dx[t], b = first * first * x[t] * dx[t];
  double c = first * first * x[t] * x[t];
  for (int k = 0; k < t; k++) a -= dx[k] * dx[k], b -= x[k] * dx[k], c -= x[k] * x[k];
  double way = dx[t] < 0 ? fmin(most, -x[t] / dx[t]) : most, root = b * b - a * c;
  if (root < 0) return way;
  double q = -(b + copysign(sqrt(root), b)), one = q / a, two = c / q;
  if (one > 0) way = fmin(way, one);
  if (two > 0) way = fmin(way, two);
  return way;
}

static bool is_disc(const path* a, int i) { return a->p->kind[i] == CR_LAW_DISC; }

/* s_0 is eliminated. */
static void linearise_disc(const path* a, int i, newton* out) {
  int row = a->p->row[i];
  double r = a->p->parameter[2 * i], kappa = 2 * find_kappa(a, i), s0 = a->upper[row];
  const double *g = a->gamma + row, *s = a->slack + row;
  double det = find_disc_det(a->p, i, g), rest = kappa - r * s0 - g[0] * s[0] - g[1] * s[1];
  double x[3][2]; /* what ds is made of: itself, and by dgamma, before (r - gamma gammaᵀ / r)⁻¹ */
  out->product = fabs(rest) / fmax(kappa, ROUND_OFF * r * s0);
  for (int k = 0; k < 2; k++) {
    double S = a->v_c[row + k] - a->p->v_hat[row + k] + a->p->R[row + k] * g[k];
    double off = -(r * s[k] + s0 * g[k]);
    out->D[k][k] = 1, out->off[k] = s[k] - S;
    out->product = fmax(out->product, fabs(off) / fmax(kappa, ROUND_OFF * r * s0));
    x[0][k] = off - g[k] * rest / r;
    for (int j = 0; j < 2; j++) x[1 + j][k] = (k == j) * s0 - g[k] * s[j] / r;
  }
  for (int c = 0; c < 3; c++) {
    double along = (g[0] * x[c][0] + g[1] * x[c][1]) / det;
    for (int k = 0; k < 2; k++)
      *(c == 0 ? &out->h[k] : &out->K[k][c - 1]) = (x[c][k] + g[k] * along) / r;
  }
}

/* What s_0 does with the step. */
static void complete_disc(const path* a, int i) {
  int row = a->p->row[i];
  double r = a->p->parameter[2 * i], sum = 2 * find_kappa(a, i) - r * a->upper[row];
  for (int k = row; k < row + 2; k++)
    sum -= a->gamma[k] * (a->slack[k] + a->slack_step[k]) + a->slack[k] * a->step[k];
  a->upper_step[row] = sum / r;
}

/* The longest share of the step that keeps a disc's impulse and slack inside. */
static double find_disc_way(const path* a, int i, double most) {
  int row = a->p->row[i];
  const double *g = a->gamma + row, *dg = a->step + row, *s = a->slack + row;
  const double* ds = a->slack_step + row;
  const double u[3] = {g[0], g[1], a->p->parameter[2 * i]}, du[3] = {dg[0], dg[1], 0};
  const double z[3] = {s[0], s[1], a->upper[row]}, dz[3] = {ds[0], ds[1], a->upper_step[row]};
  return find_way(z, dz, 2, 1, find_way(u, du, 2, 1, most));
}

/* Nothing moves an impulse between bounds that are one, nor of what is left out. */
static bool is_fixed(const path* a, int i) {
  const double* bound = a->p->parameter + 2 * i;
  if (cr_central_path_leaves_out(a->problem, i)) return true;
  if (is_disc(a, i)) return !(bound[0] > 0);
  return !cr_law_get(a->p->kind[i])->is_cone && !(bound[0] < bound[1]);
}

static void linearise(const path* a, int i, newton* out) {
  const cr_law* law = cr_law_get(a->p->kind[i]);
  *out = (newton){.rows = law->rows};
  for (int r = 0; r < law->rows && is_fixed(a, i); r++) out->K[r][r] = 1;
  if (is_fixed(a, i)) return;
  (law->is_cone ? linearise_cone : is_disc(a, i) ? linearise_disc : linearise_bounds)(a, i, out);
}

/* Fills and solves the system; returns how far the point is from the path at this speed, relative.
 */
static double find_step(const path* a) {
  size_t m = (size_t)a->m;
  double far = 0, size = a->speed;
  for (int i = 0; i < a->m; i++) size = fmax(size, fabs(a->v_c[i]));
  for (int i = 0; i < a->p->num_constraints; i++) {
    newton at;
    int row = a->p->row[i];
    linearise(a, i, &at);
    far = fmax(far, at.product);
    for (int r = 0; r < at.rows; r++) {
      double* to = a->S + (size_t)(row + r) * m;
      memset(to, 0, sizeof(double) * m);
      for (int j = 0; j < at.rows; j++)
        scalar_axpy(to, at.D[r][j], a->W + (size_t)(row + j) * m, a->m, to);
      for (int j = 0; j < at.rows; j++)
        to[row + j] +=
            at.K[r][j] + at.D[r][j] * (a->p->R[row + j] + (r == j) * CR_LAW_LEAST_R * a->scale[i]);
      a->step[row + r] = at.h[r] + at.off[r];
      far = fmax(far, fabs(at.off[r]) / size);
    }
  }
  return far;
}

/* What slacks do with the step. */
static void complete(const path* a) {
  for (int i = 0; i < a->p->num_constraints; i++) {
    newton at;
    int row = a->p->row[i];
    linearise(a, i, &at);
    for (int r = 0; r < at.rows; r++) {
      a->slack_step[row + r] = at.h[r];
      for (int j = 0; j < at.rows; j++) a->slack_step[row + r] -= at.K[r][j] * a->step[row + j];
    }
    if (cr_law_get(a->p->kind[i])->is_cone || is_fixed(a, i)) continue;
    if (is_disc(a, i)) {
      complete_disc(a, i);
      continue;
    }
    const double* bound = a->p->parameter + 2 * i;
    double kappa = find_kappa(a, i), low = a->gamma[row] - bound[0],
           high = bound[1] - a->gamma[row];
    double z = a->slack[row], y = a->upper[row], by = a->step[row];
    a->slack_step[row] = isinf(low) ? 0 : kappa / low - z - z / low * by;
    a->upper_step[row] = isinf(high) ? 0 : kappa / high - y + y / high * by;
  }
}

static double find_positive_way(double x, double dx, double most) {
  return dx < 0 ? fmin(most, -x / dx) : most;
}

static double find_longest(const path* a) {
  double way = 1 / INSIDE;
  for (int i = 0; i < a->p->num_constraints; i++) {
    int row = a->p->row[i], t = cr_law_get(a->p->kind[i])->rows - 1;
    const double* bound = a->p->parameter + 2 * i;
    if (is_fixed(a, i)) continue;
    if (cr_law_get(a->p->kind[i])->is_cone) {
      way = find_way(a->gamma + row, a->step + row, t, bound[0], way);
      way = find_way(a->slack + row, a->slack_step + row, t, 1 / bound[0], way);
    } else if (is_disc(a, i)) {
      way = find_disc_way(a, i, way);
    } else {
      way = find_positive_way(a->gamma[row] - bound[0], a->step[row], way);
      way = find_positive_way(bound[1] - a->gamma[row], -a->step[row], way);
      if (isfinite(bound[0])) way = find_positive_way(a->slack[row], a->slack_step[row], way);
      if (isfinite(bound[1])) way = find_positive_way(a->upper[row], a->upper_step[row], way);
    }
  }
  return INSIDE * way;
}

static void update_v_c(const path* a) {
  CR_COPY(a->v_c, a->v_free, a->m);
  for (int k = 0; k < a->m; k++)
    scalar_axpy(a->v_c, a->gamma[k], a->W + (size_t)k * (size_t)a->m, a->m, a->v_c);
}

/* A constraint's impulse and slack inside, their product that of the speed. */
static void start_constraint(const path* a, int i) {
  const cr_law* law = cr_law_get(a->p->kind[i]);
  const double* bound = a->p->parameter + 2 * i;
  int row = a->p->row[i], t = law->rows - 1;
  double away = a->speed / a->scale[i], *g = a->gamma + row;
  for (int k = 0; k < t; k++) g[k] = a->slack[row + k] = 0;
  a->upper[row + t] = a->slack[row + t] = a->speed;
  if (is_fixed(a, i))
    g[t] = law->is_cone || is_disc(a, i) ? 0 : bound[0];
  else if (law->is_cone)
    g[t] = away;
  else if (is_disc(a, i))
    g[0] = g[1] = a->slack[row + 1] = 0, a->upper[row] = 2 * find_kappa(a, i) / bound[0];
  else {
    double least = fmin(away, 0.5 * (bound[1] - bound[0]));
    g[0] = fmax(bound[0] + least, fmin(bound[1] - least, 0));
    a->slack[row] = find_kappa(a, i) / (g[0] - bound[0]);
    a->upper[row] = find_kappa(a, i) / (bound[1] - g[0]);
  }
}

/* From a large speed down to the one that is asked for; false where it is not reached. */
static bool follow(path* a, double speed) {
  a->speed = speed;
  for (int i = 0; i < a->m; i++) a->speed = fmax(a->speed, fabs(a->v_free[i]));
  for (int i = 0; i < a->p->num_constraints; i++) start_constraint(a, i);
  update_v_c(a);
  for (int k = 0; k < MOST_STEPS; k++) {
    double far = find_step(a);
    if (a->speed == speed && far <= TOLERANCE) return true;
    if (!cr_lu_factor(a->S, a->m, a->pivot)) return false;
    cr_lu_solve(a->S, a->pivot, a->m, a->step);
    complete(a);
    double share = fmin(find_longest(a), 1);
    for (int i = 0; i < a->m; i++) {
      a->gamma[i] += share * a->step[i], a->slack[i] += share * a->slack_step[i];
      a->upper[i] += share * a->upper_step[i];
    }
    update_v_c(a);
    if (share > NEAR) a->speed = fmax(speed, a->speed / FACTOR);
  }
  return false;
}

/* --- The step -----------------------------------------------------------------------------------
 */

static bool push(path* a, cr_arena* arena, size_t n) {
  size_t m = (size_t)a->m;
  double** vectors[] = {&a->v_free, &a->v_c,        &a->slack,     &a->upper,
                        &a->step,   &a->slack_step, &a->upper_step};
  for (int i = 0; i < 7; i++) *vectors[i] = CR_PUSH(arena, double, m);
  a->Z = CR_PUSH(arena, double, n* m);
  a->W = CR_PUSH(arena, double, m* m);
  a->S = CR_PUSH(arena, double, m* m);
  a->pivot = CR_PUSH(arena, int, m);
  return !arena->failed;
}

/* Z, W and J v*. */
static bool prepare(path* a, cr_arena* arena, const double* v_star, int n) {
  const cr_problem* p = a->p;
  double* chol = CR_PUSH(arena, double, p->A_symbolic->scratch_size);
  double* local = CR_PUSH(arena, double, cr_problem_scratch_size(p));
  if (arena->failed) return false;
  memset(a->Z, 0, sizeof(double) * (size_t)n * (size_t)a->m);
  memset(a->step, 0, sizeof(double) * (size_t)a->m);
  memset(a->upper_step, 0, sizeof(double) * (size_t)a->m);
  for (int k = 0; k < a->m; k++) {
    a->step[k] = 1;
    cr_problem_add_J_transposed(p, a->step, a->Z + (size_t)k * (size_t)n, local);
    a->step[k] = 0;
  }
  cr_cholesky_solve(p->A_symbolic, p->A_factor, a->Z, a->m, n, chol);
  for (int k = 0; k < a->m; k++)
    cr_problem_apply_J(p, a->Z + (size_t)k * (size_t)n, a->W + (size_t)k * (size_t)a->m, local);
  cr_problem_apply_J(p, v_star, a->v_free, local);
  return true;
}

/* The new state that these velocities lead to, as tree_mover.c advances. */
static void advance(cr_step_tangent* t) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_rotation_update update = cr_step_find_rotation(step);
  for (int i = 0; i < model->num_trees; i++) {
    cr_theta theta = step->theta[i];
    cr_step_blend(step, i, theta.vq, step->v, step->v0, step->v_q);
    cr_tree_advance(model, i, step->sim->q, step->v_q, step->dt, theta.q, update, t->q_end);
  }
}

carom_status cr_central_path_take(cr_step_tangent* t, const cr_step_problem* problem) {
  const cr_problem* p = &problem->problem;
  int n = p->pattern.num_rows;
  if (t->smoothing == 0 || p->num_constraints == 0) return CAROM_OK;
  path a = {.problem = problem,
            .p = p,
            .is_coulomb = cr_step_tangent_is_coulomb(t),
            .m = p->num_rows,
            .gamma = problem->gamma};
  double* x = CR_PUSH(t->arena, double, n);
  double* scale = CR_PUSH(t->arena, double, p->num_constraints);
  if (!push(&a, t->arena, (size_t)n) || !prepare(&a, t->arena, problem->v_star, n))
    return cr_error_memory(t->error);
  for (int i = 0; i < p->num_constraints; i++) scale[i] = cr_central_path_find_scale(problem, i);
  a.scale = scale;
  if (!follow(&a, t->smoothing))
    return cr_error_set(
        t->error, CAROM_ERROR_NUMERICAL,
        "derivatives: the central path at smoothing %g m/s is not reached; take a larger one",
        t->smoothing);
  CR_COPY(x, problem->v_star, n);
  for (int k = 0; k < a.m; k++) scalar_axpy(x, a.gamma[k], a.Z + (size_t)k * (size_t)n, n, x);
  if (!cr_solution_scatter(t->step, problem, x)) return cr_error_memory(t->error);
  advance(t);
  return CAROM_OK;
}
