/* Frictional contact: rows t1 t2 n, |gamma_t| <= mu gamma_n.
 *
 * Analytic inverse dynamics: formulation section 5. Primal-dual linearisation in the scaled
 * variables x = (d_n / mu, d_t), u = (mu gamma_n, gamma_t), R~ = diag(R_n / mu², R_t, R_t), s = x +
 * R~ u, for which both cones are the Lorentz cone Q; the optimum is u in Q, s in Q, uᵀ s = 0. R is
 * isotropic in the tangent plane. mu must be positive: a frictionless contact is three rows of
 * bounds. */
#include "problem/contact_law.h"

#include "math/scalar.h"
#include "math/vec3.h"
#include "problem/cone_scale.h"
#include "problem/local.h"

/* One contact, gathered. */
typedef struct contact {
  double mu, Rt, Rn;
  double d[3];     /* v_c - v_hat, order t1 t2 n */
  double gamma[3]; /* likewise */
} contact;

/* Inline, so that it is taken apart into registers. */
static inline __attribute__((always_inline)) contact load(const cr_law_batch* batch,
                                                          const cr_law_point* point, int i) {
  int r = batch->row[i];
  contact c = {.mu = batch->parameter[2 * i], .Rt = point->R[r], .Rn = point->R[r + 2]};
  for (int k = 0; k < 3; k++) {
    c.d[k] = point->v_c[r + k] - point->v_hat[r + k];
    c.gamma[k] = point->gamma ? point->gamma[r + k] : 0;
  }
  return c;
}

/* --- Analytic inverse dynamics ------------------------------------------------------------------
 */

/* In slide: gamma_n = (mu |d_t| - d_n) / (R_n + mu² R_t), gamma_t = -mu gamma_n d_t / |d_t|;
 * written with d = -R y, so that R_t = 0 (no regularisation of friction) is allowed. */
static double inverse_slide(const contact* c, double dt, double gamma[3]) {
  double mu = c->mu;
  gamma[2] = (mu * dt - c->d[2]) / (c->Rn + mu * mu * c->Rt);
  gamma[0] = -mu * gamma[2] * c->d[0] / dt;
  gamma[1] = -mu * gamma[2] * c->d[1] / dt;
  return 0.5 * gamma[2] * (mu * dt - c->d[2]);
}

typedef enum contact_state { CONTACT_SEPARATE, CONTACT_STICK, CONTACT_SLIDE } contact_state;

/* The region of y = -d / R, by products only. */
static contact_state classify(const contact* c, double dt) {
  if (c->d[2] >= c->mu * dt) return CONTACT_SEPARATE;
  if (dt * c->Rn <= -c->mu * c->d[2] * c->Rt) return CONTACT_STICK;
  return CONTACT_SLIDE;
}

static double inverse_dynamics(const contact* c, double gamma[3]) {
  double dt = scalar_norm2(c->d[0], c->d[1]);
  contact_state state = classify(c, dt);
  gamma[0] = gamma[1] = gamma[2] = 0;
  if (state == CONTACT_SEPARATE) return 0;
  if (state == CONTACT_SLIDE) return inverse_slide(c, dt, gamma);
  gamma[2] = -c->d[2] / c->Rn;
  if (c->Rt > 0) {
    gamma[0] = -c->d[0] / c->Rt;
    gamma[1] = -c->d[1] / c->Rt;
  }
  return -0.5 * (gamma[0] * c->d[0] + gamma[1] * c->d[1] + gamma[2] * c->d[2]);
}

/* G = -dgamma/dv_c in the region of d. */
static void inverse_gradient(const contact* c, const double gamma[3], double G[9]) {
  double dt = scalar_norm2(c->d[0], c->d[1]), mu = c->mu;
  contact_state state = classify(c, dt);
  for (int k = 0; k < 9; k++) G[k] = 0;
  if (state == CONTACT_SEPARATE) return;
  if (state == CONTACT_STICK) {
    G[0] = G[4] = 1 / c->Rt;
    G[8] = 1 / c->Rn;
    return;
  }
  double t0 = c->d[0] / dt, t1 = c->d[1] / dt;
  double g = 1 / (c->Rn + mu * mu * c->Rt), across = mu * gamma[2] / dt;
  double along = mu * mu * g;
  G[0] = along * t0 * t0 + across * t1 * t1;
  G[4] = along * t1 * t1 + across * t0 * t0;
  G[1] = G[3] = (along - across) * t0 * t1;
  G[2] = G[6] = -mu * g * t0;
  G[5] = G[7] = -mu * g * t1;
  G[8] = g;
}

static double evaluate(const cr_law_batch* batch, const cr_law_point* point, double* gamma,
                       double* G) {
  double cost = 0;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    contact c = load(batch, point, i);
    cost += inverse_dynamics(&c, gamma + r);
    if (G) inverse_gradient(&c, gamma + r, G + batch->room * r);
  }
  return cost;
}

/* --- Primal-dual linearisation ------------------------------------------------------------------
 */

/* A contact in the scaled variables, and its projection step. */
typedef struct scaled {
  double mu, rho;
  double Rn, Rt; /* R~, with the proximal weight in linearisations */
  double u[3];   /* u0, u_t */
  double s[3];   /* slack, without the De Saxce term */
  double st;     /* |s_t|; zero without the De Saxce term */
  double z[3];   /* u - rho (s + De Saxce) */
  double zt;     /* |z_t| */
  contact_state state;
  double p[3]; /* projection of z on Q */
} scaled;

static inline __attribute__((always_inline)) void project_on_cone(scaled* c) {
  double slack = CR_CONE_ULPS * 0x1p-52 * (fabs(c->z[0]) + c->zt);
  if (c->z[0] >= c->zt - slack) {
    c->state = CONTACT_STICK;
    for (int k = 0; k < 3; k++) c->p[k] = c->z[k];
  } else if (c->z[0] <= -c->zt) {
    c->state = CONTACT_SEPARATE;
    for (int k = 0; k < 3; k++) c->p[k] = 0;
  } else {
    c->state = CONTACT_SLIDE;
    double p0 = 0.5 * (c->z[0] + c->zt), ratio = p0 / c->zt;
    c->p[0] = p0, c->p[1] = ratio * c->z[1], c->p[2] = ratio * c->z[2];
  }
}

/* Inline, so that each caller computes no more than it reads. */
static inline __attribute__((always_inline)) scaled
load_scaled(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode, int i) {
  contact c = load(batch, point, i);
  int r = batch->row[i];
  double weight = mode->proximal * batch->scale[i];
  double Pn = scalar_max(weight - c.Rn, 0), Pt = scalar_max(weight - c.Rt, 0);
  double pull[3] = {0, 0, 0};
  if (mode->anchor)
    for (int k = 0; k < 3; k++) pull[k] = (k == 2 ? Pn : Pt) * (c.gamma[k] - mode->anchor[r + k]);
  double scale = batch->scale[i] + scalar_max(c.Rn, c.Rt);
  scaled q = {.mu = c.mu, .rho = cr_cone_choose_rho(mode) * c.mu / scale};
  q.Rn = (c.Rn + Pn) / (c.mu * c.mu);
  q.Rt = c.Rt + Pt;
  q.u[0] = c.mu * c.gamma[2], q.u[1] = c.gamma[0], q.u[2] = c.gamma[1];
  q.s[0] = (c.d[2] + c.Rn * c.gamma[2] + pull[2] + (mode->shift ? mode->shift[r + 2] : 0)) / c.mu;
  q.s[1] = c.d[0] + c.Rt * c.gamma[0] + pull[0];
  q.s[2] = c.d[1] + c.Rt * c.gamma[1] + pull[1];
  q.st = mode->coulomb > 0 ? scalar_norm2(q.s[1], q.s[2]) : 0;
  q.z[0] = q.u[0] - q.rho * (q.s[0] + mode->coulomb * q.st);
  q.z[1] = q.u[1] - q.rho * q.s[1];
  q.z[2] = q.u[2] - q.rho * q.s[2];
  q.zt = scalar_norm2(q.z[1], q.z[2]);
  project_on_cone(&q);
  return q;
}

static double residual2(const scaled* c) {
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += (c->u[k] - c->p[k]) * (c->u[k] - c->p[k]);
  return sum;
}

/* Writes a scaled matrix and step back in the constraint's rows: gamma = Tᵀ u with T = diag in the
 * order (n, t1, t2). */
static void store(const scaled* c, double g[3][3], double* G) {
  double inv = 1 / c->mu;
  double scale[3] = {inv, 1, 1};
  static const int at[3] = {2, 0, 1};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) G[3 * at[a] + at[b]] = scale[a] * g[a][b] * scale[b];
}

static void store_step(const scaled* c, const double h[3], double* out) {
  out[2] = h[0] / c->mu;
  out[0] = h[1];
  out[1] = h[2];
}

/* Slide without the De Saxce term, in the frame (e0, t, b) of z: G~ = g [1 1; 1 1] and G_b across.
 */
static void linearize_slide(const scaled* c, double g[3][3], double h[3]) {
  double t0 = c->z[1] / c->zt, t1 = c->z[2] / c->zt;
  double along = 1 / (c->Rn + c->Rt);
  double inside = (c->zt + c->z[0]) / (2 * c->zt), outside = (c->zt - c->z[0]) / (2 * c->zt);
  double pivot = 1 / (outside + c->rho * inside * c->Rt);
  double across = c->rho * inside * pivot;
  double r0 = c->p[0] - c->u[0], r1 = c->p[1] - c->u[1], r2 = c->p[2] - c->u[2];
  double rt = t0 * r1 + t1 * r2, rb = t0 * r2 - t1 * r1;
  double scale = along / c->rho;
  double h0 = scale * ((1 + c->rho * c->Rt) * r0 + (1 - c->rho * c->Rt) * rt);
  double ht = scale * ((1 - c->rho * c->Rn) * r0 + (1 + c->rho * c->Rn) * rt);
  double hb = pivot * rb;
  h[0] = h0, h[1] = t0 * ht - t1 * hb, h[2] = t1 * ht + t0 * hb;
  g[0][0] = along;
  g[0][1] = g[1][0] = along * t0;
  g[0][2] = g[2][0] = along * t1;
  g[1][1] = along * t0 * t0 + across * t1 * t1;
  g[2][2] = along * t1 * t1 + across * t0 * t0;
  g[1][2] = g[2][1] = (along - across) * t0 * t1;
}

/* Slide with the De Saxce term: M = E + rho D N R~, G~ = M^-1 rho D N, h = M^-1 (p - u), where N
 * adds the direction of s_t to the normal row. */
static void linearize_slide_coulomb(const scaled* c, double coulomb, double g[3][3], double h[3]) {
  double t0 = c->z[1] / c->zt, t1 = c->z[2] / c->zt, ratio = c->z[0] / c->zt;
  m3 D = {{{0.5, 0.5 * t0, 0.5 * t1},
           {0.5 * t0, 0.5 * (1 + ratio - ratio * t0 * t0), -0.5 * ratio * t0 * t1},
           {0.5 * t1, -0.5 * ratio * t0 * t1, 0.5 * (1 + ratio - ratio * t1 * t1)}}};
  m3 N = m3_identity();
  if (c->st > 0) {
    N.m[0][1] = coulomb * c->s[1] / c->st;
    N.m[0][2] = coulomb * c->s[2] / c->st;
  }
  m3 DN = m3_mul(&D, &N), M;
  double R[3] = {c->Rn, c->Rt, c->Rt};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      M.m[a][b] = (a == b ? 1.0 : 0.0) - D.m[a][b] + c->rho * DN.m[a][b] * R[b];
  for (int b = 0; b < 3; b++) {
    v3 column = m3_solve(&M, v3_scale(c->rho, m3_column(&DN, b)));
    g[0][b] = column.x, g[1][b] = column.y, g[2][b] = column.z;
  }
  v3 step = m3_solve(&M, v3_make(c->p[0] - c->u[0], c->p[1] - c->u[1], c->p[2] - c->u[2]));
  v3_store(step, h);
}

/* Stick and separate: the same with and without the De Saxce term. */
static void linearize_flat(const scaled* c, double g[3][3], double h[3]) {
  double R[3] = {c->Rn, c->Rt, c->Rt};
  bool stick = c->state == CONTACT_STICK;
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) g[a][b] = 0;
    if (stick) g[a][a] = 1 / R[a];
    h[a] = stick ? -c->s[a] / R[a] : -c->u[a];
  }
}

static double linearize(const cr_law_batch* batch, const cr_law_point* point,
                        const cr_law_mode* mode, const cr_law_linearization* out) {
  double merit = 0;
  cr_law_mode here = *mode;
  here.anchor = NULL;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    scaled c = load_scaled(batch, point, &here, i);
    double g[3][3], h[3];
    merit += batch->scale[i] * residual2(&c);
    if (c.state == CONTACT_SLIDE)
      linearize_slide(&c, g, h);
    else
      linearize_flat(&c, g, h);
    store(&c, g, out->G + batch->room * r);
    if (mode->coulomb > 0) {
      if (c.state == CONTACT_SLIDE) linearize_slide_coulomb(&c, mode->coulomb, g, h);
      store(&c, g, out->G_coulomb + batch->room * r);
    }
    store_step(&c, h, out->h + r);
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
static void project_one(double mu, const double gamma[3], double out[3]) {
  double gt = scalar_norm2(gamma[0], gamma[1]), gn = gamma[2];
  if (gt <= mu * gn) {
    for (int k = 0; k < 3; k++) out[k] = gamma[k];
  } else if (mu * gt <= -gn) {
    for (int k = 0; k < 3; k++) out[k] = 0;
  } else {
    out[2] = (gn + mu * gt) / (1 + mu * mu);
    out[0] = mu * out[2] / gt * gamma[0];
    out[1] = mu * out[2] / gt * gamma[1];
  }
}

static void project(const cr_law_batch* batch, const double* gamma, double* projected) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    project_one(batch->parameter[2 * i], gamma + r, projected + r);
  }
}

static double residual(const cr_law_batch* batch, const cr_law_point* point,
                       const cr_law_mode* mode, const double* rho) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    contact c = load(batch, point, i);
    double s[3] = {c.d[0] + c.Rt * c.gamma[0], c.d[1] + c.Rt * c.gamma[1],
                   c.d[2] + c.Rn * c.gamma[2]};
    if (mode->shift) s[2] += mode->shift[r + 2];
    if (mode->coulomb > 0) s[2] += mode->coulomb * c.mu * scalar_norm2(s[0], s[1]);
    double z[3], p[3];
    for (int k = 0; k < 3; k++) z[k] = c.gamma[k] - rho[r] * s[k];
    project_one(c.mu, z, p);
    for (int k = 0; k < 3; k++) sum += (c.gamma[k] - p[k]) * (c.gamma[k] - p[k]);
  }
  return sum;
}

static void compute_shift(const cr_law_batch* batch, const cr_law_point* point, double* shift) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    contact c = load(batch, point, i);
    shift[r] = shift[r + 1] = 0;
    shift[r + 2] = c.mu * scalar_norm2(c.d[0] + c.Rt * c.gamma[0], c.d[1] + c.Rt * c.gamma[1]);
  }
}

/* The gap of a contact without any regularisation: gammaᵀ d where d is in the dual cone. */
static double rigid_gap(const contact* c) {
  double dt = scalar_norm2(c->d[0], c->d[1]);
  if (c->mu * dt > c->d[2]) return INFINITY;
  return c->gamma[0] * c->d[0] + c->gamma[1] * c->d[1] + c->gamma[2] * c->d[2];
}

static double gap(const cr_law_batch* batch, const cr_law_point* point) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    contact c = load(batch, point, i);
    if (c.Rn + c.mu * c.mu * c.Rt <= 0) {
      sum += rigid_gap(&c);
      continue;
    }
    double P[3], R[3] = {c.Rt, c.Rt, c.Rn};
    inverse_dynamics(&c, P);
    for (int k = 0; k < 3; k++) {
      double e = c.gamma[k] - P[k];
      sum += 0.5 * R[k] * e * e + e * (R[k] * P[k] + c.d[k]);
    }
  }
  return sum;
}

const cr_law cr_contact_law = {.name = "contact",
                               .rows = 3,
                               .is_cone = true,
                               .evaluate = evaluate,
                               .linearize = linearize,
                               .merit = merit,
                               .project = project,
                               .residual = residual,
                               .compute_shift = compute_shift,
                               .gap = gap,
                               .minimize = cr_contact_minimize,
                               .interior = &cr_contact_interior};
