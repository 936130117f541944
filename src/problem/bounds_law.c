/* One row with low <= gamma <= high: one-sided limits, equalities, dry friction, limited servos.
 *
 * With d = v_c - v_hat and y = -d / R: gamma(v_c) = clamp(y), l = -gamma d - 1/2 R gamma².
 * The primal-dual step projects at rho = 1 / W_jj. */
#include "problem/bounds_law.h"

#include "math/scalar.h"
#include "problem/local.h"

typedef struct bounded_row {
  double R, d, gamma, low, high;
} bounded_row;

static bounded_row load(const cr_law_batch* batch, const cr_law_point* point, int i) {
  int r = batch->row[i];
  return (bounded_row){point->R[r], point->v_c[r] - point->v_hat[r],
                       point->gamma ? point->gamma[r] : 0, batch->parameter[2 * i],
                       batch->parameter[2 * i + 1]};
}

/* gamma(v_c); without regularisation the bound that d points to. */
static double inverse_dynamics(const bounded_row* b) {
  if (b->R > 0) return scalar_clamp(-b->d / b->R, b->low, b->high);
  if (b->d == 0) return scalar_clamp(0, b->low, b->high);
  return b->d > 0 ? b->low : b->high;
}

static double evaluate(const cr_law_batch* batch, const cr_law_point* point, double* gamma,
                       double* G) {
  double cost = 0;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    bounded_row b = load(batch, point, i);
    double g = inverse_dynamics(&b);
    gamma[r] = g;
    if (G) G[batch->ld * r] = b.low < g && g < b.high ? 1 / b.R : 0;
    if (g != 0) cost += -g * b.d - 0.5 * b.R * g * g;
  }
  return cost;
}

/* Slack of the row with the frozen shift and the proximal pull. */
static double slack(const cr_law_batch* batch, const cr_law_mode* mode, const bounded_row* b,
                    int i) {
  int r = batch->row[i];
  double s = b->d + b->R * b->gamma;
  if (mode->shift) s += mode->shift[r];
  double weight = scalar_max(mode->proximal * batch->scale[i] - b->R, 0);
  if (mode->anchor) s += weight * (b->gamma - mode->anchor[r]);
  return s;
}

static double linearize(const cr_law_batch* batch, const cr_law_point* point,
                        const cr_law_mode* mode, const cr_law_linearization* out) {
  double merit = 0;
  cr_law_mode here = *mode;
  here.anchor = NULL;
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    bounded_row b = load(batch, point, i);
    double s = slack(batch, &here, &b, i), z = b.gamma - s / batch->scale[i];
    double p = scalar_clamp(z, b.low, b.high),
           Rp = scalar_max(b.R, mode->proximal * batch->scale[i]);
    bool inside = b.low < z && z < b.high;
    out->G[batch->ld * r] = inside ? 1 / Rp : 0;
    if (mode->coulomb > 0) out->G_coulomb[batch->ld * r] = out->G[batch->ld * r];
    out->h[r] = inside ? -s / Rp : p - b.gamma;
    merit += batch->scale[i] * (b.gamma - p) * (b.gamma - p);
  }
  return merit;
}

static double merit(const cr_law_batch* batch, const cr_law_point* point, const cr_law_mode* mode) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    bounded_row b = load(batch, point, i);
    double z = b.gamma - slack(batch, mode, &b, i) / batch->scale[i];
    double e = b.gamma - scalar_clamp(z, b.low, b.high);
    sum += batch->scale[i] * e * e;
  }
  return sum;
}

static void project(const cr_law_batch* batch, const double* gamma, double* projected) {
  for (int i = 0; i < batch->count; i++) {
    int r = batch->row[i];
    projected[r] = scalar_clamp(gamma[r], batch->parameter[2 * i], batch->parameter[2 * i + 1]);
  }
}

static double residual(const cr_law_batch* batch, const cr_law_point* point,
                       const cr_law_mode* mode, const double* rho, double* projected) {
  double sum = 0;
  cr_law_mode here = {.shift = mode->shift};
  for (int i = 0; i < batch->count; i++) {
    bounded_row b = load(batch, point, i);
    double z = b.gamma - rho[batch->row[i]] * slack(batch, &here, &b, i);
    double p = scalar_clamp(z, b.low, b.high), e = b.gamma - p;
    if (projected) projected[batch->row[i]] = p;
    sum += e * e;
  }
  return sum;
}

/* Without regularisation l = -P d with P at the bound that d points to. */
static double gap(const cr_law_batch* batch, const cr_law_point* point) {
  double sum = 0;
  for (int i = 0; i < batch->count; i++) {
    bounded_row b = load(batch, point, i);
    double P = inverse_dynamics(&b), e = b.gamma - P;
    if (b.R > 0)
      sum += 0.5 * b.R * e * e + e * (b.R * P + b.d);
    else if (b.d != 0)
      sum += e * b.d;
  }
  return sum;
}

const cr_law cr_bounds_law = {.name = "bounds",
                              .rows = 1,
                              .evaluate = evaluate,
                              .linearize = linearize,
                              .merit = merit,
                              .project = project,
                              .residual = residual,
                              .compute_shift = cr_law_clear_shift,
                              .gap = gap,
                              .minimize = cr_bounds_minimize,
                              .interior = &cr_bounds_interior};
