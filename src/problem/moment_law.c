/* Contacts with moments (moment_law.h): the contact's cone in four or six dimensions.
 *
 * Laws of docs/theory.md, "Analytic inverse dynamics". Scaled variables as in contact_law.c: x =
 * (d_n / mu, d_t), u = (mu gamma_n, gamma_t), R~ = diag(R_n / mu², R_t), s = x + R~ u, both cones
 * the Lorentz cone; scaled vectors have the normal first. R may differ from row to row: friction
 * that gives way does so in sliding alone. */
#include "problem/moment_law.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "math/small.h"
#include "problem/gap.h"
#include "problem/local.h"

#include <string.h>

/* One contact, gathered; rows in their order. */
typedef struct moment_contact {
  int n; /* rows */
  double mu;
  double R[SMALL_MAX], d[SMALL_MAX], gamma[SMALL_MAX]; /* d = v_c - v_hat */
} moment_contact;

static double norm(const double* x, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

static double dot(const double* x, const double* y, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
}

static moment_contact load(const cr_law_batch* batch, const cr_law_point* point, int i) {
  int r = batch->row[i];
  moment_contact c = {.n = batch->rows, .mu = batch->parameter[2 * i]};
  for (int k = 0; k < c.n; k++) {
    c.R[k] = point->R[r + k];
    c.d[k] = point->v_c[r + k] - point->v_hat[r + k];
    c.gamma[k] = point->gamma ? point->gamma[r + k] : 0;
  }
  return c;
}

/* --- The surface of the cone --------------------------------------------------------------------
 */

/* A derivative on the cone's surface along t: friction turns in the directions across t, with the
 * derivative `inside` of the projection at the step rho. */
typedef struct surface {
  int n;           /* rows */
  const double* t; /* [n - 1] unit */
  double inside, inv_rho;
  double R[SMALL_MAX];            /* R~ */
  double B[SMALL_MAX][SMALL_MAX]; /* [j] the j-th direction: (1, t) / sqrt 2, then across t */
} surface;

/* Directions across t: columns of the reflection that takes e_0 to -+t. */
static void fill_directions(surface* s) {
  int m = s->n - 1;
  double v[SMALL_MAX] = {0}, sign = s->t[0] < 0 ? -1 : 1;
  for (int k = 0; k < m; k++) v[k] = s->t[k] + (k == 0 ? sign : 0);
  double scale = 2 / dot(v, v, m);
  s->B[0][0] = sqrt(0.5);
  for (int k = 0; k < m; k++) s->B[0][1 + k] = sqrt(0.5) * s->t[k];
  for (int j = 1; j < m; j++) {
    s->B[j][0] = 0;
    for (int k = 0; k < m; k++) s->B[j][1 + k] = (j == k) - scale * v[j] * v[k];
  }
}

/* Takes what rounding has left between both triangles away. */
static void symmetrize(int n, double* g) {
  for (int a = 0; a < n; a++)
    for (int b = 0; b < a; b++) g[n * a + b] = g[n * b + a] = 0.5 * (g[n * a + b] + g[n * b + a]);
}

/* Friction's R all alike: along (1, t) 1 / (R_n + R_t), across t R_t and the turning.
 * @param r the defect p - u, null: zeros */
static void linearize_isotropic(const surface* s, const double* r, double* G, double* h) {
  int n = s->n;
  double Rn = s->R[0], Rt = s->R[1], rho = 1 / s->inv_rho, along = 1 / (Rn + Rt);
  double across = s->inside / ((1 - s->inside) * s->inv_rho + s->inside * Rt);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      double ta = a ? s->t[a - 1] : 1, tb = b ? s->t[b - 1] : 1;
      G[n * a + b] = along * ta * tb + (a && b ? across * ((a == b) - ta * tb) : 0);
    }
  if (!r) return;
  double rt = dot(s->t, r + 1, n - 1), pivot = 1 / (1 - s->inside + rho * s->inside * Rt);
  double h0 = along * s->inv_rho * ((1 + rho * Rt) * r[0] + (1 - rho * Rt) * rt);
  double ht = along * s->inv_rho * ((1 - rho * Rn) * r[0] + (1 + rho * Rn) * rt);
  h[0] = h0;
  for (int k = 1; k < n; k++) h[k] = s->t[k - 1] * ht + pivot * (r[k] - rt * s->t[k - 1]);
}

/* G = B (Lambda BᵀR~B + (1 - Lambda) / rho)^-1 Lambda Bᵀ, and h for the defect r = p - u (null: not
 * wanted), whose part off the surface goes as it is. */
static void linearize_mixed(surface* s, const double* r, double* G, double* h) {
  int n = s->n, m = n - 1;
  double S[SMALL_MAX * SMALL_MAX], right[SMALL_MAX * (SMALL_MAX + 1)], off[SMALL_MAX], z = 0;
  fill_directions(s);
  off[0] = sqrt(0.5);
  for (int k = 0; k < m; k++) off[1 + k] = -sqrt(0.5) * s->t[k];
  if (r) z = dot(off, r, n);
  for (int i = 0; i < m; i++) {
    double lambda = i == 0 ? 1 : s->inside, own = r ? s->inv_rho * dot(s->B[i], r, n) : 0;
    for (int j = 0; j < m; j++) {
      S[m * i + j] = i == j ? (1 - lambda) * s->inv_rho : 0;
      for (int k = 0; k < n; k++) S[m * i + j] += lambda * s->B[i][k] * s->R[k] * s->B[j][k];
    }
    for (int k = 0; k < n; k++) right[(n + 1) * i + k] = lambda * s->B[i][k];
    for (int k = 0; k < n; k++) own -= lambda * s->B[i][k] * s->R[k] * off[k] * z;
    right[(n + 1) * i + n] = own;
  }
  small_solve(S, m, right, n + 1);
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) G[n * a + b] = 0;
    for (int j = 0; j < m; j++)
      for (int b = 0; b < n; b++) G[n * a + b] += s->B[j][a] * right[(n + 1) * j + b];
    if (!r) continue;
    h[a] = off[a] * z;
    for (int j = 0; j < m; j++) h[a] += s->B[j][a] * right[(n + 1) * j + n];
  }
  symmetrize(n, G);
}

static void linearize_surface(surface* s, const double* r, double* G, double* h) {
  bool alike = true;
  for (int k = 2; k < s->n; k++) alike &= s->R[k] == s->R[1];
  if (alike)
    linearize_isotropic(s, r, G, h);
  else
    linearize_mixed(s, r, G, h);
}

/* The De Saxce term with the slip along w (its weight times a unit vector, [n - 1]) makes N = 1 +
 * e_0 wᵀ of the slack's derivative: M + rho D e_0 wᵀR~ in place of M, whose inverse differs by a
 * matrix of rank one, and G = M^-1 rho D N. */
static void add_slip(const surface* s, const double* w, double* G, double* h) {
  int n = s->n;
  double first[SMALL_MAX] = {0}, row[SMALL_MAX] = {0}, of_h = 0;
  for (int a = 0; a < n; a++) first[a] = G[n * a];
  for (int k = 1; k < n; k++) {
    double weight = w[k - 1] * s->R[k];
    of_h += weight * h[k];
    for (int b = 0; b < n; b++) row[b] += weight * G[n * k + b];
  }
  double part = 1 / (1 + row[0]), lead = row[0];
  for (int b = 1; b < n; b++) row[b] += lead * w[b - 1];
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) G[n * a + b] += first[a] * ((b ? w[b - 1] : 0) - part * row[b]);
    h[a] -= part * of_h * first[a];
  }
}

/* Writes a scaled matrix in the constraint's rows: gamma = Tᵀ u, T = diag(1 / mu, 1, ...). */
static void store(int n, double mu, const double* g, double* G) {
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      double scale = (a == 0 ? 1 / mu : 1) * (b == 0 ? 1 / mu : 1);
      G[n * (a ? a - 1 : n - 1) + (b ? b - 1 : n - 1)] = scale * g[n * a + b];
    }
}

/* --- Analytic inverse dynamics ------------------------------------------------------------------
 */

typedef enum moment_state { MOMENT_SEPARATE, MOMENT_STICK, MOMENT_SLIDE } moment_state;

/* -d_t / R_t within mu gamma_n of -d_n / R_n; rows without R stick where they do not move. */
static bool sticks(const moment_contact* c) {
  double sum = 0, dn = c->d[c->n - 1];
  for (int k = 0; k < c->n - 1; k++) {
    if (c->d[k] == 0) continue;
    if (c->R[k] <= 0) return false;
    sum += c->d[k] * c->d[k] / (c->R[k] * c->R[k]);
  }
  return sqrt(sum) * c->R[c->n - 1] <= -c->mu * dn;
}

/* All friction rows with one R: gamma_n = (mu |d_t| - d_n) / (R_n + mu² R_t). */
static bool is_isotropic(const moment_contact* c) {
  for (int k = 1; k < c->n - 1; k++)
    if (c->R[k] != c->R[0]) return false;
  return true;
}

static void inverse_slide(const moment_contact* c, double dt, double* gamma) {
  int m = c->n - 1;
  if (is_isotropic(c)) {
    gamma[m] = (c->mu * dt - c->d[m]) / (c->R[m] + c->mu * c->mu * c->R[0]);
    for (int k = 0; k < m; k++) gamma[k] = -c->mu * gamma[m] * c->d[k] / dt;
    return;
  }
  cr_moment_slide slide = {.n = m, .mu = c->mu, .Mnn = c->R[m], .bn = c->d[m]};
  for (int k = 0; k < m; k++) slide.lambda[k] = c->R[k], slide.b[k] = c->d[k];
  gamma[m] = cr_moment_find_normal(&slide);
  for (int k = 0; k < m; k++) gamma[k] = slide.x[k];
}

/* gamma(v_c); *cost: l, as gammaᵀ(-d - 1/2 R gamma). */
static moment_state inverse_dynamics(const moment_contact* c, double* gamma, double* cost) {
  int m = c->n - 1;
  double dt = norm(c->d, m);
  *cost = 0;
  for (int k = 0; k < c->n; k++) gamma[k] = 0;
  if (c->d[m] >= c->mu * dt) return MOMENT_SEPARATE;
  moment_state state = sticks(c) ? MOMENT_STICK : MOMENT_SLIDE;
  if (state == MOMENT_SLIDE)
    inverse_slide(c, dt, gamma);
  else
    for (int k = 0; k < c->n; k++) gamma[k] = c->d[k] != 0 ? -c->d[k] / c->R[k] : 0;
  for (int k = 0; k < c->n; k++)
    *cost -= gamma[k] * (c->d[k] + (gamma[k] != 0 ? 0.5 * c->R[k] * gamma[k] : 0));
  return state;
}

/* G = -dgamma/dv_c: 1/R in stick; in slide s = d + R gamma = sigma (1, -t) scaled, and gamma turns
 * with sigma / u_0 across t. */
static void inverse_gradient(const moment_contact* c, moment_state state, const double* gamma,
                             double* G) {
  int n = c->n, m = n - 1;
  memset(G, 0, sizeof(double) * (size_t)(n * n));
  if (state == MOMENT_SEPARATE) return;
  if (state == MOMENT_STICK) {
    for (int k = 0; k < n; k++) G[(n + 1) * k] = 1 / c->R[k];
    return;
  }
  double t[SMALL_MAX], g[SMALL_MAX * SMALL_MAX], u0 = c->mu * gamma[m];
  for (int k = 0; k < m; k++) t[k] = gamma[k] / u0;
  double size = norm(t, m), sigma = (c->d[m] + c->R[m] * gamma[m]) / c->mu;
  for (int k = 0; k < m; k++) t[k] /= size;
  surface s = {.n = n, .t = t, .inside = 0.5, .inv_rho = scalar_max(sigma, 0) / u0};
  s.R[0] = c->R[m] / (c->mu * c->mu);
  for (int k = 0; k < m; k++) s.R[1 + k] = c->R[k];
  linearize_surface(&s, NULL, g, NULL);
  store(n, c->mu, g, G);
}

static double evaluate(const cr_law_batch* batch, const cr_law_point* point, double* gamma,
                       double* G) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    moment_contact c = load(batch, point, i);
    double cost;
    moment_state state = inverse_dynamics(&c, gamma + r, &cost);
    if (G) inverse_gradient(&c, state, gamma + r, G + batch->ld * r);
    sum += cost;
  }
  return sum;
}

/* --- Primal-dual linearisation ------------------------------------------------------------------
 */

/* A contact in the scaled variables, and its projection step. */
typedef struct scaled {
  int n;
  double mu, rho;
  double R[SMALL_MAX]; /* R~, with the proximal weights in linearisations */
  double u[SMALL_MAX], s[SMALL_MAX], z[SMALL_MAX], p[SMALL_MAX];
  double st, zt; /* |s_t|, |z_t| */
  moment_state state;
} scaled;

static void project_on_cone(scaled* c) {
  double slack = CR_CONE_ULPS * 0x1p-52 * (fabs(c->z[0]) + c->zt);
  c->state = c->z[0] >= c->zt - slack ? MOMENT_STICK
             : c->z[0] <= -c->zt      ? MOMENT_SEPARATE
                                      : MOMENT_SLIDE;
  double p0 = 0.5 * (c->z[0] + c->zt);
  for (int k = 0; k < c->n; k++)
    c->p[k] = c->state == MOMENT_STICK      ? c->z[k]
              : c->state == MOMENT_SEPARATE ? 0
              : k == 0                      ? p0
                                            : p0 / c->zt * c->z[k];
}

static scaled load_scaled(const cr_law_batch* batch, const cr_law_point* point,
                          const cr_law_mode* mode, int i) {
  moment_contact c = load(batch, point, i);
  int row = batch->row[i], m = c.n - 1;
  double largest = 0;
  scaled q = {.n = c.n, .mu = c.mu};
  for (int k = 0; k < c.n; k++) {
    int to = k == m ? 0 : k + 1;
    double weight = mode->proximal * batch->scale[i];
    double lack = scalar_max(weight - c.R[k], 0);
    largest = scalar_max(largest, c.R[k]);
    q.u[to] = c.gamma[k], q.R[to] = c.R[k] + lack;
    q.s[to] = c.d[k] + c.R[k] * c.gamma[k] + (mode->shift ? mode->shift[row + k] : 0);
    if (mode->anchor) q.s[to] += lack * (c.gamma[k] - mode->anchor[row + k]);
  }
  q.u[0] *= c.mu, q.s[0] /= c.mu, q.R[0] /= c.mu * c.mu;
  q.rho = cr_cone_choose_rho(mode) * c.mu / (batch->scale[i] + largest);
  q.st = norm(q.s + 1, m);
  for (int k = 0; k < c.n; k++)
    q.z[k] = q.u[k] - q.rho * (q.s[k] + (k == 0 ? mode->coulomb * q.st : 0));
  q.zt = norm(q.z + 1, m);
  project_on_cone(&q);
  return q;
}

static double residual2(const scaled* c) {
  double sum = 0;
  for (int k = 0; k < c->n; k++) sum += (c->u[k] - c->p[k]) * (c->u[k] - c->p[k]);
  return sum;
}

/* Stick and separate: the same with and without the De Saxce term. */
static void linearize_flat(const scaled* c, double* G, double* G_coulomb, double* h) {
  bool stick = c->state == MOMENT_STICK;
  double g[SMALL_MAX * SMALL_MAX] = {0};
  for (int k = 0; k < c->n; k++) {
    if (stick) g[(c->n + 1) * k] = 1 / c->R[k];
    h[k] = stick ? -c->s[k] / c->R[k] : -c->u[k];
  }
  store(c->n, c->mu, g, G);
  if (G_coulomb) store(c->n, c->mu, g, G_coulomb);
}

static surface make_surface(const scaled* c, double* t) {
  for (int k = 0; k < c->n - 1; k++) t[k] = c->z[1 + k] / c->zt;
  surface s = {.n = c->n, .t = t, .inside = (c->zt + c->z[0]) / (2 * c->zt), .inv_rho = 1 / c->rho};
  memcpy(s.R, c->R, sizeof s.R);
  return s;
}

/* Both linearisations in slide, written to their places. */
static void linearize_slide(const scaled* c, double coulomb, double* G, double* G_coulomb,
                            double* h) {
  double t[SMALL_MAX], w[SMALL_MAX] = {0}, r[SMALL_MAX] = {0}, g[SMALL_MAX * SMALL_MAX];
  surface s = make_surface(c, t);
  for (int k = 0; k < c->n; k++) r[k] = c->p[k] - c->u[k];
  linearize_surface(&s, r, g, h);
  store(c->n, c->mu, g, G);
  if (!G_coulomb) return;
  for (int k = 0; k < c->n - 1; k++) w[k] = c->st > 0 ? coulomb * c->s[1 + k] / c->st : 0;
  add_slip(&s, w, g, h);
  store(c->n, c->mu, g, G_coulomb);
}

static double linearize(const cr_law_batch* batch, const cr_law_point* point,
                        const cr_law_mode* mode, const cr_law_linearization* out) {
  double merit = 0;
  cr_law_mode here = *mode;
  here.anchor = NULL;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    scaled c = load_scaled(batch, point, &here, i);
    double h[SMALL_MAX] = {0}, *G = out->G + batch->ld * r;
    double* G_coulomb = mode->coulomb > 0 ? out->G_coulomb + batch->ld * r : NULL;
    merit += batch->scale[i] * residual2(&c);
    if (c.state == MOMENT_SLIDE)
      linearize_slide(&c, mode->coulomb, G, G_coulomb, h);
    else
      linearize_flat(&c, G, G_coulomb, h);
    out->h[r + c.n - 1] = h[0] / c.mu;
    for (int k = 1; k < c.n; k++) out->h[r + k - 1] = h[k];
  }
  return merit;
}

static double merit(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    scaled c = load_scaled(batch, point, mode, i);
    sum += batch->scale[i] * residual2(&c);
  }
  return sum;
}

/* --- Projection, residual, certificate ----------------------------------------------------------
 */

/* Euclidean projection on |gamma_t| <= mu gamma_n. */
static void project_one(double mu, int n, const double* gamma, double* out) {
  double gt = norm(gamma, n - 1), gn = gamma[n - 1];
  bool inside = gt <= mu * gn, apart = mu * gt <= -gn;
  double normal = inside ? gn : apart ? 0 : (gn + mu * gt) / (1 + mu * mu);
  double cut = inside ? 1 : apart ? 0 : mu * normal / gt;
  for (int k = 0; k < n - 1; k++) out[k] = cut * gamma[k];
  out[n - 1] = normal;
}

static void project(const cr_law_batch* batch, const double* gamma, double* projected) {
  for (int i = 0; i < batch->count; i++)
    project_one(batch->parameter[2 * i], batch->rows, gamma + batch->row[i],
                projected + batch->row[i]);
}

static double residual(const cr_law_batch* batch, const cr_law_point* point,
                       const cr_law_mode* mode, const double* rho, double* projected) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i], m = batch->rows - 1;
    moment_contact c = load(batch, point, i);
    double z[SMALL_MAX] = {0}, p[SMALL_MAX] = {0}, s[SMALL_MAX];
    for (int k = 0; k <= m; k++) s[k] = c.d[k] + c.R[k] * c.gamma[k];
    if (mode->shift) s[m] += mode->shift[r + m];
    if (mode->coulomb > 0) s[m] += mode->coulomb * c.mu * norm(s, m);
    for (int k = 0; k <= m; k++) z[k] = c.gamma[k] - rho[r] * s[k];
    project_one(c.mu, c.n, z, p);
    if (projected) CR_COPY(projected + r, p, c.n);
    for (int k = 0; k <= m; k++) sum += (c.gamma[k] - p[k]) * (c.gamma[k] - p[k]);
  }
  return sum;
}

static void compute_shift(const cr_law_batch* batch, const cr_law_point* point, double* shift) {
  for (int i = 0; i < batch->count; i++) {
    moment_contact c = load(batch, point, i);
    double *out = shift + batch->row[i], s[SMALL_MAX];
    for (int k = 0; k < c.n - 1; k++) out[k] = 0, s[k] = c.d[k] + c.R[k] * c.gamma[k];
    out[c.n - 1] = c.mu * norm(s, c.n - 1);
  }
}

/* Whether l is finite everywhere: the normal has an R, or every row of friction. */
static bool is_regularized(const moment_contact* c) {
  double least = INFINITY;
  for (int k = 0; k < c->n - 1; k++) least = scalar_min(least, c->R[k]);
  return c->R[c->n - 1] > 0 || least > 0;
}

/* The gap without regularisation: gammaᵀ d where d is in the dual cone. */
static double rigid_gap(const moment_contact* c) {
  int m = c->n - 1;
  return c->mu * norm(c->d, m) > c->d[m] ? INFINITY : dot(c->gamma, c->d, c->n);
}

/* gammaᵀ (R P + d). */
static double find_work(const moment_contact* c, moment_state state, const double* P) {
  int m = c->n - 1;
  if (state == MOMENT_STICK) return 0;
  if (state == MOMENT_SEPARATE) return dot(c->gamma, c->d, c->n);
  double t[SMALL_MAX], size = norm(P, m), tail = (c->d[m] + c->R[m] * P[m]) / c->mu;
  for (int k = 0; k < m; k++) t[k] = P[k] / size;
  return scalar_max(tail, 0) * cr_gap_lag(c->mu * c->gamma[m], c->gamma, t, m);
}

static double gap(const cr_law_batch* batch, const cr_law_point* point) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    moment_contact c = load(batch, point, i);
    if (!is_regularized(&c)) {
      sum += rigid_gap(&c);
      continue;
    }
    double P[SMALL_MAX], cost;
    sum += find_work(&c, inverse_dynamics(&c, P, &cost), P);
    for (int k = 0; k < c.n; k++) {
      double e = c.gamma[k] - P[k];
      sum += 0.5 * c.R[k] * e * e;
    }
  }
  return sum;
}

#define MOMENT_LAW(rows_, name_, minimize_, interior_)                                           \
  {                                                                                              \
    .name = name_, .rows = rows_, .is_cone = true, .evaluate = evaluate, .linearize = linearize, \
    .merit = merit, .project = project, .residual = residual, .compute_shift = compute_shift,    \
    .gap = gap, .minimize = minimize_, .interior = interior_                                     \
  }

const cr_law cr_contact4_law =
    MOMENT_LAW(4, "contact4", cr_contact4_minimize, &cr_contact4_interior);
const cr_law cr_contact6_law =
    MOMENT_LAW(6, "contact6", cr_contact6_minimize, &cr_contact6_interior);
