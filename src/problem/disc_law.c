/* Friction with a given bound: rows t1 t2, |gamma| <= radius, isotropic R.
 *
 * With d = v_c - v_hat and y = -d / R: gamma(v_c) is y, cut back to the disc. The primal-dual step
 * projects at rho = 1 / scale; in the frame (t, b) of z the derivative of the projection is
 * diag(0, radius / |z|) outside the disc and the identity inside. */
#include "problem/disc_law.h"

#include "math/scalar.h"
#include "problem/gap.h"
#include "problem/local.h"

#include <string.h>

static double square(double x) { return x * x; }

typedef struct disc {
  double R, radius;
  double d[2], gamma[2];
} disc;

static disc load(const cr_law_batch* batch, const cr_law_point* point, int i) {
  int r = batch->row[i];
  disc c = {.R = point->R[r], .radius = batch->parameter[2 * i]};
  for (int k = 0; k < 2; k++) {
    c.d[k] = point->v_c[r + k] - point->v_hat[r + k];
    c.gamma[k] = point->gamma ? point->gamma[r + k] : 0;
  }
  return c;
}

static void cut(double radius, const double z[2], double p[2]) {
  double n = scalar_norm2(z[0], z[1]), s = n > radius ? radius / n : 1;
  p[0] = s * z[0], p[1] = s * z[1];
}

/* gamma(v_c), without dividing by R where the disc cuts. */
static void inverse_dynamics(const disc* c, double gamma[2]) {
  double n = scalar_norm2(c->d[0], c->d[1]);
  bool outside = n > c->R * c->radius;
  double s = outside ? c->radius / n : c->R > 0 ? 1 / c->R : 0;
  gamma[0] = -s * c->d[0], gamma[1] = -s * c->d[1];
}

static void inverse_gradient(const disc* c, double G[4]) {
  double n = scalar_norm2(c->d[0], c->d[1]);
  G[1] = G[2] = 0;
  G[0] = G[3] = 1 / c->R;
  if (n <= c->R * c->radius) return;
  double t0 = c->d[0] / n, t1 = c->d[1] / n, across = c->radius / n;
  G[0] = across * t1 * t1, G[3] = across * t0 * t0, G[1] = G[2] = -across * t0 * t1;
}

static double evaluate(const cr_law_batch* batch, const cr_law_point* point, double* gamma,
                       double* G) {
  double cost = 0;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    disc c = load(batch, point, i);
    inverse_dynamics(&c, gamma + r);
    const double* g = gamma + r;
    cost += -g[0] * c.d[0] - g[1] * c.d[1] - 0.5 * c.R * (g[0] * g[0] + g[1] * g[1]);
    if (G) inverse_gradient(&c, G + batch->ld * r);
  }
  return cost;
}

/* z = gamma - s / scale. */
static void shifted(const cr_law_batch* batch, const cr_law_mode* mode, const disc* c, int i,
                    double s[2], double z[2]) {
  int r = batch->row[i];
  double weight = scalar_max(mode->proximal * batch->scale[i] - c->R, 0);
  for (int k = 0; k < 2; k++) {
    s[k] = c->d[k] + c->R * c->gamma[k];
    if (mode->anchor) s[k] += weight * (c->gamma[k] - mode->anchor[r + k]);
    z[k] = c->gamma[k] - s[k] / batch->scale[i];
  }
}

static void linearize_outside(const disc* c, double scale, double Rp, const double z[2],
                              const double p[2], double G[4], double h[2]) {
  double n = scalar_norm2(z[0], z[1]), t0 = z[0] / n, t1 = z[1] / n;
  double inside = c->radius / n, pivot = 1 / (1 - inside + inside * Rp / scale);
  double across = inside / scale * pivot;
  double e0 = p[0] - c->gamma[0], e1 = p[1] - c->gamma[1];
  double et = t0 * e0 + t1 * e1, eb = pivot * (t0 * e1 - t1 * e0);
  h[0] = t0 * et - t1 * eb, h[1] = t1 * et + t0 * eb;
  G[0] = across * t1 * t1, G[3] = across * t0 * t0, G[1] = G[2] = -across * t0 * t1;
}

static double linearize(const cr_law_batch* batch, const cr_law_point* point,
                        const cr_law_mode* mode, const cr_law_linearization* out) {
  double merit = 0;
  cr_law_mode here = *mode;
  here.anchor = NULL;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    disc c = load(batch, point, i);
    double s[2], z[2], p[2], scale = batch->scale[i], Rp = scalar_max(c.R, mode->proximal * scale);
    double* G = out->G + batch->ld * r;
    shifted(batch, &here, &c, i, s, z);
    cut(c.radius, z, p);
    if (scalar_norm2(z[0], z[1]) > c.radius)
      linearize_outside(&c, scale, Rp, z, p, G, out->h + r);
    else {
      G[0] = G[3] = 1 / Rp, G[1] = G[2] = 0;
      out->h[r] = -s[0] / Rp, out->h[r + 1] = -s[1] / Rp;
    }
    if (mode->coulomb > 0)
      for (int k = 0; k < 4; k++) out->G_coulomb[batch->ld * r + k] = G[k];
    merit += scale * (square(c.gamma[0] - p[0]) + square(c.gamma[1] - p[1]));
  }
  return merit;
}

static double merit(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    disc c = load(batch, point, i);
    double s[2], z[2], p[2];
    shifted(batch, mode, &c, i, s, z);
    cut(c.radius, z, p);
    sum += batch->scale[i] * (square(c.gamma[0] - p[0]) + square(c.gamma[1] - p[1]));
  }
  return sum;
}

static void project(const cr_law_batch* batch, const double* gamma, double* projected) {
  for (int i = 0; i < batch->count; i++)
    cut(batch->parameter[2 * i], gamma + batch->row[i], projected + batch->row[i]);
}

static double residual(const cr_law_batch* batch, const cr_law_point* point,
                       const cr_law_mode* mode, const double* rho, double* projected) {
  (void)mode;
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    disc c = load(batch, point, i);
    double z[2], p[2];
    for (int k = 0; k < 2; k++)
      z[k] = c.gamma[k] - rho[batch->row[i]] * (c.d[k] + c.R * c.gamma[k]);
    cut(c.radius, z, p);
    if (projected) memcpy(projected + batch->row[i], p, sizeof(p));
    sum += square(c.gamma[0] - p[0]) + square(c.gamma[1] - p[1]);
  }
  return sum;
}

/* gammaᵀ (R P + d): where the disc cuts, |d| - R radius times what gamma lags behind P. */
static double find_work(const disc* c) {
  double n = scalar_norm2(c->d[0], c->d[1]), size = n - c->R * c->radius;
  if (!(size > 0)) return 0;
  double t[2] = {-c->d[0] / n, -c->d[1] / n};
  return size * cr_gap_lag(c->radius, c->gamma, t, 2);
}

static double gap(const cr_law_batch* batch, const cr_law_point* point) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    disc c = load(batch, point, i);
    double P[2];
    inverse_dynamics(&c, P);
    sum += find_work(&c);
    for (int k = 0; k < 2; k++) sum += 0.5 * c.R * square(c.gamma[k] - P[k]);
  }
  return sum;
}

const cr_law cr_disc_law = {.name = "disc",
                            .rows = 2,
                            .evaluate = evaluate,
                            .linearize = linearize,
                            .merit = merit,
                            .project = project,
                            .residual = residual,
                            .compute_shift = cr_law_clear_shift,
                            .gap = gap,
                            .minimize = cr_disc_minimize,
                            .interior = &cr_disc_interior};
