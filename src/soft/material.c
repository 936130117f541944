/* Isotropic energies psi(sigma) by their derivatives with respect to the singular values of F:
 * P = U diag(psi_i) Vᵀ, and the eigensystem of dP/dF (Stomakhin et al. 2012; Smith, de Goes, Kim:
 * Analytic eigensystems for isotropic distortion energies, 2019): three scaling modes with the
 * matrix psi_ij; for each pair a twist with (psi_i + psi_j) / (sigma_i + sigma_j) and a flip with
 * (psi_i - psi_j) / (sigma_i - sigma_j), here with the differences divided out by hand. The linear
 * law has the same form with U = V = 1. */
#include "soft/material.h"

#include "math/eigen3.h"
#include "math/scalar.h"
#include "math/svd3.h"

#define SMOOTHING CR_SOFT_SMOOTHING
#define NO_KINK   18 /* exp(-2 NO_KINK) is round-off */

/* psi and its derivatives; quotients are numbered by the value that is not in the pair. */
typedef struct response {
  double psi;
  double d[3];     /* psi_i */
  double H[3][3];  /* psi_ij */
  double twist[3]; /* (psi_i + psi_j) / (sigma_i + sigma_j) */
  double flip[3];  /* (psi_i - psi_j) / (sigma_i - sigma_j) */
} response;

carom_status cr_soft_material_init(cr_soft_material* material, cr_soft_law law, double young,
                                   double poisson, double density, carom_error* error) {
  if (!(young > 0) || !isfinite(young))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "material: Young's modulus is %g Pa, must be positive", young);
  if (!(poisson > -1 && poisson < 0.5))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "material: Poisson's ratio is %g, must be above -1 and below 0.5", poisson);
  if (!(density > 0) || !isfinite(density))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "material: density is %g kg/m3, must be positive", density);
  *material = (cr_soft_material){
      .law = law,
      .mu = young / (2 * (1 + poisson)),
      .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
      .density = density,
  };
  return cr_error_clear(error);
}

/* T, a trace without kinks. Where F is inverted, sum sigma is no smooth function of it: it is the
 * largest of the eigenvalues e_0 = s0 + s1 + s2, e_i = s_i - s_j - s_k of a matrix that is linear
 * in F (Horn: Closed-form solution of absolute orientation using unit quaternions, 1987), two of
 * which meet where s_j + s_k = 0. T is their soft maximum tau log sum exp(e / tau), the sum to
 * round-off unless two values nearly cancel. */
typedef struct blunt_trace {
  double T;
  double share[4]; /* exp(e / tau) over their sum */
} blunt_trace;

static blunt_trace trace_of(const double s[3]) {
  blunt_trace t = {s[0] + s[1] + s[2], {1, 0, 0, 0}};
  double smallest = s[0] + s[1] + s[2] - scalar_max(scalar_max(s[0], s[1]), s[2]);
  if (smallest > NO_KINK * SMOOTHING) return t;
  double sum = 1;
  for (int i = 0; i < 3; i++)
    sum += t.share[i + 1] = exp(-2 * (s[(i + 1) % 3] + s[(i + 2) % 3]) / SMOOTHING);
  t.T += SMOOTHING * log(sum);
  for (int m = 0; m < 4; m++) t.share[m] /= sum;
  return t;
}

/* share (1 - exp(-2 d / tau)) / d, also for d = 0 */
static double share_difference(double share, double d) {
  double x = 2 * d / SMOOTHING;
  if (share == 0) return 0;
  if (x > 2 * NO_KINK) return share / d;
  return share * (fabs(x) < 1e-8 ? 2 / SMOOTHING : -expm1(-x) / d);
}

/* mu (|sigma|² - 2 T + 3) + lambda/2 (T - 3)², the corotated laws' */
static void add_corotated(double mu, double lambda, const double s[3], response* r) {
  blunt_trace t = trace_of(s);
  double slope = lambda * (t.T - 3) - 2 * mu;
  r->psi += 0.5 * lambda * (t.T - 3) * (t.T - 3) - 2 * mu * (t.T - (s[0] + s[1] + s[2]));
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    const double *p = t.share, *own = t.share + 1;
    double T_i = 1 - 2 * (own[j] + own[k]), T_j = 1 - 2 * (own[i] + own[k]);
    double T_ii = (1 - T_i * T_i) / SMOOTHING;
    double T_ij = (p[0] - own[i] - own[j] + own[k] - T_i * T_j) / SMOOTHING;
    r->psi += mu * (s[i] - 1) * (s[i] - 1);
    r->d[i] += 2 * mu * (s[i] - 1) + lambda * (t.T - 3) * T_i + 2 * mu * (1 - T_i);
    r->H[i][i] += 2 * mu + lambda * T_i * T_i + slope * T_ii;
    r->H[i][j] += lambda * T_i * T_j + slope * T_ij;
    r->H[j][i] = r->H[i][j];
    r->twist[i] += 2 * mu + slope * 2 * share_difference(p[0], s[j] + s[k]);
    r->flip[i] += 2 * mu + slope * (s[j] > s[k] ? 2 * share_difference(own[j], s[j] - s[k])
                                                : 2 * share_difference(own[k], s[k] - s[j]));
  }
}

/* A function g of J = s0 s1 s2. */
static void add_volume(double g, double dg, double ddg, const double s[3], response* r) {
  const double c[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]}; /* dJ/ds */
  r->psi += g;
  for (int i = 0; i < 3; i++) {
    r->d[i] += dg * c[i];
    for (int j = 0; j < 3; j++) r->H[i][j] += ddg * c[i] * c[j] + (i == j ? 0 : dg * s[3 - i - j]);
    r->flip[i] -= dg * s[i];
    r->twist[i] += dg * s[i];
  }
}

static void add_green(double mu, double lambda, const double s[3], response* r) {
  double E[3], trace = 0;
  for (int i = 0; i < 3; i++) trace += E[i] = 0.5 * (s[i] - 1) * (s[i] + 1);
  r->psi += 0.5 * lambda * trace * trace;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    r->psi += mu * E[i] * E[i];
    r->d[i] += s[i] * (2 * mu * E[i] + lambda * trace);
    for (int l = 0; l < 3; l++) r->H[i][l] += lambda * s[i] * s[l];
    r->H[i][i] += lambda * trace + mu * (3 * s[i] * s[i] - 1);
    double squares = s[j] * s[j] + s[k] * s[k] - 1, product = s[j] * s[k];
    r->flip[i] += lambda * trace + mu * (squares + product);
    r->twist[i] += lambda * trace + mu * (squares - product);
  }
}

static void add_neo_hookean(double mu, double lambda, const double s[3], response* r) {
  for (int i = 0; i < 3; i++) {
    r->psi += 0.5 * mu * (s[i] - 1) * (s[i] + 1);
    r->d[i] += mu * s[i];
    r->H[i][i] += mu;
    r->flip[i] += mu;
    r->twist[i] += mu;
  }
  double J = s[0] * s[1] * s[2], x = scalar_max(J, CR_SOFT_SMALLEST_VOLUME), l = log(x);
  /* near 1 to round-off of the strains, which cancel the sum above */
  if (s[2] > CR_SOFT_SMALLEST_VOLUME && x == J)
    l = log1p(s[0] - 1) + log1p(s[1] - 1) + log1p(s[2] - 1);
  double g = -mu * l + 0.5 * lambda * l * l, dg = (lambda * l - mu) / x;
  double ddg = (mu + lambda * (1 - l)) / (x * x);
  add_volume(g + (J - x) * (dg + 0.5 * (J - x) * ddg), dg + (J - x) * ddg, ddg, s, r);
}

static response respond(const cr_soft_material* material, v3 sigma) {
  response r = {0};
  const double s[3] = {sigma.x, sigma.y, sigma.z};
  double mu = material->mu, lambda = material->lambda, growth = s[0] * s[1] * s[2] - 1;
  switch (material->law) {
  case CR_SOFT_FIXED_COROTATED:
    add_corotated(mu, 0, s, &r);
    add_volume(0.5 * lambda * growth * growth, lambda * growth, lambda, s, &r);
    break;
  case CR_SOFT_ST_VENANT_KIRCHHOFF:
    add_green(mu, lambda, s, &r);
    break;
  case CR_SOFT_NEO_HOOKEAN:
    add_neo_hookean(mu, lambda, s, &r);
    break;
  default:
    add_corotated(mu, lambda, s, &r);
  }
  return r;
}

/* U diag(d) Vᵀ */
static m3 rotate_back(const m3_svd* svd, const double d[3]) {
  m3 UD, Vt = m3_transpose(&svd->V);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) UD.m[i][j] = svd->U.m[i][j] * d[j];
  return m3_mul(&UD, &Vt);
}

/* 2 mu e + lambda tr(e) and its energy */
static double linear_stress(const cr_soft_material* material, const m3* F, m3* P) {
  double trace = F->m[0][0] + F->m[1][1] + F->m[2][2] - 3, squares = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double e = 0.5 * (F->m[i][j] + F->m[j][i]) - (i == j);
      squares += e * e;
      P->m[i][j] = 2 * material->mu * e + (i == j ? material->lambda * trace : 0);
    }
  return material->mu * squares + 0.5 * material->lambda * trace * trace;
}

static void linear_tangent(const cr_soft_material* material, cr_soft_tangent* tangent) {
  tangent->U = tangent->V = m3_identity();
  for (int i = 0; i < 3; i++) {
    tangent->a[i] = tangent->b[i] = material->mu;
    for (int j = 0; j < 3; j++)
      tangent->H[i][j] = material->lambda + (i == j ? 2 * material->mu : 0);
  }
}

static m3_svd decompose(const m3* F, m3* V) {
  if (!V) return m3_svd_compute(F);
  m3_svd svd = m3_svd_compute_near(F, V);
  *V = svd.V;
  return svd;
}

double cr_soft_compute_stress(const cr_soft_material* material, const m3* F, m3* V, m3* P) {
  if (material->law == CR_SOFT_LINEAR) return linear_stress(material, F, P);
  m3_svd svd = decompose(F, V);
  response r = respond(material, svd.sigma);
  *P = rotate_back(&svd, r.d);
  return r.psi;
}

/* Sets the negative eigenvalues of the scaling modes to zero. */
static void project_scaling(double H[3][3]) {
  m3 A = m3_from_rows(v3_load(H[0]), v3_load(H[1]), v3_load(H[2])), V;
  /* diagonally dominant matrices need no decomposition */
  bool is_dominant = true;
  for (int i = 0; i < 3; i++)
    is_dominant &= H[i][i] >= fabs(H[i][(i + 1) % 3]) + fabs(H[i][(i + 2) % 3]);
  if (is_dominant) return;
  v3 d = m3_eigen_symmetric(&A, &V);
  if (d.x >= 0) return;
  m3 D = m3_diagonal(v3_make(0, scalar_max(d.y, 0), scalar_max(d.z, 0)));
  A = m3_congruence(&V, &D);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) H[i][j] = 0.5 * (A.m[i][j] + A.m[j][i]);
}

double cr_soft_compute_tangent(const cr_soft_material* material, const m3* F, bool is_projected,
                               m3* V, m3* P, cr_soft_tangent* tangent) {
  m3 unused;
  if (material->law == CR_SOFT_LINEAR) {
    linear_tangent(material, tangent);
    return linear_stress(material, F, P ? P : &unused);
  }
  m3_svd svd = decompose(F, V);
  response r = respond(material, svd.sigma);
  if (P) *P = rotate_back(&svd, r.d);
  if (is_projected) project_scaling(r.H);
  for (int i = 0; i < 3; i++) {
    double twist = is_projected ? scalar_max(r.twist[i], 0) : r.twist[i];
    double flip = is_projected ? scalar_max(r.flip[i], 0) : r.flip[i];
    tangent->a[i] = 0.5 * (flip + twist);
    tangent->b[i] = 0.5 * (flip - twist);
    for (int j = 0; j < 3; j++) tangent->H[i][j] = r.H[i][j];
  }
  tangent->U = svd.U;
  tangent->V = svd.V;
  return r.psi;
}

m3 cr_soft_tangent_apply(const cr_soft_tangent* t, const m3* dF) {
  m3 Ut = m3_transpose(&t->U), Vt = m3_transpose(&t->V), dP;
  m3 UtF = m3_mul(&Ut, dF), f = m3_mul(&UtF, &t->V);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      dP.m[i][j] = i == j ? t->H[i][0] * f.m[0][0] + t->H[i][1] * f.m[1][1] + t->H[i][2] * f.m[2][2]
                          : t->a[3 - i - j] * f.m[i][j] + t->b[3 - i - j] * f.m[j][i];
  m3 UP = m3_mul(&t->U, &dP);
  return m3_mul(&UP, &Vt);
}

m3 cr_soft_tangent_contract(const cr_soft_tangent* t, v3 g, v3 h) {
  v3 gt = m3_tmulv(&t->V, g), ht = m3_tmulv(&t->V, h);
  const double x[3] = {gt.x, gt.y, gt.z}, y[3] = {ht.x, ht.y, ht.z};
  m3 K;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    K.m[i][i] = t->H[i][i] * x[i] * y[i] + t->a[k] * x[j] * y[j] + t->a[j] * x[k] * y[k];
    K.m[i][j] = t->H[i][j] * x[i] * y[j] + t->b[k] * x[j] * y[i];
    K.m[i][k] = t->H[i][k] * x[i] * y[k] + t->b[j] * x[k] * y[i];
  }
  return m3_congruence(&t->U, &K);
}
