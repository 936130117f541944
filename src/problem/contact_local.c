/* The local problem of a frictional contact.
 *
 * Separate where b is in the dual cone, stick where -M^-1 b is in the cone; else the minimiser
 * slides, on the cone's surface. There, for a given normal impulse n the friction solves the
 * problem of a disc of radius mu n, and what remains is convex in n: its derivative
 *
 *   F'(n) = M_nn n + m.x_t + b_n - mu² kappa n,     (M_tt + kappa) x_t = -(b_t + m n), |x_t| = mu n
 *
 * rises from b_n - mu |b_t| < 0 to the root, which Newton finds within a bracket. */
#include "math/scalar.h"
#include "problem/local.h"

/* The problem in the eigenframe of M_tt. */
typedef struct slide {
  double mu, Mnn, bn;
  double lambda[2], m[2], b[2]; /* M_tt, M_tn, b_t */
  double x[2];                  /* friction for the n at hand */
} slide;

/* F'(n), and F''(n) by implicit differentiation; *size: what round-off in F' is relative to. */
static double evaluate(slide* s, double n, double* curvature, double* size) {
  double c[2] = {s->b[0] + n * s->m[0], s->b[1] + n * s->m[1]}, mu2 = s->mu * s->mu;
  double kappa = cr_disc_minimize_in_frame(s->lambda, c, s->mu * n, s->x);
  double k0 = 1 / (s->lambda[0] + kappa), k1 = 1 / (s->lambda[1] + kappa);
  double mx = s->m[0] * s->x[0] + s->m[1] * s->x[1];
  double mKm = k0 * s->m[0] * s->m[0] + k1 * s->m[1] * s->m[1];
  *curvature = s->Mnn - mKm;
  if (kappa > 0) {
    double xKm = k0 * s->x[0] * s->m[0] + k1 * s->x[1] * s->m[1];
    double xKx = k0 * s->x[0] * s->x[0] + k1 * s->x[1] * s->x[1];
    double dkappa = -(mu2 * n + xKm) / xKx;
    *curvature += -dkappa * (xKm + mu2 * n) - mu2 * kappa;
  }
  *size = fabs(s->Mnn * n) + fabs(mx) + fabs(s->bn) + mu2 * kappa * n;
  return s->Mnn * n + mx + s->bn - mu2 * kappa * n;
}

/* The normal impulse; the start is the best impulse opposite to b_t. */
static double find_normal(slide* s) {
  double bt = scalar_norm2(s->b[0], s->b[1]);
  double t0 = bt > 0 ? -s->b[0] / bt : 0, t1 = bt > 0 ? -s->b[1] / bt : 0;
  double along = s->mu * s->mu * (s->lambda[0] * t0 * t0 + s->lambda[1] * t1 * t1) +
                 2 * s->mu * (s->m[0] * t0 + s->m[1] * t1) + s->Mnn;
  double n = (s->mu * bt - s->bn) / along;
  scalar_bracket bracket = {0, INFINITY};
  for (int i = 0; i < CR_SLIDE_MAX; i++) {
    double curvature, size, value = evaluate(s, n, &curvature, &size);
    if (fabs(value) <= 0x1p-51 * size) break;
    double next = scalar_bracket_next(&bracket, n, value, curvature);
    if (fabs(next - n) <= 0x1p-52 * n) break;
    n = next;
  }
  return n;
}

/* x = -M^-1 b by Cholesky, whose residual is round-off whatever M's condition. */
static void solve_stick(const double* M, const double* b, double* x) {
  double l00 = sqrt(M[0]), l10 = M[3] / l00, l20 = M[6] / l00;
  double l11 = sqrt(M[4] - l10 * l10), l21 = (M[7] - l20 * l10) / l11;
  double l22 = sqrt(M[8] - l20 * l20 - l21 * l21);
  double y0 = -b[0] / l00, y1 = (-b[1] - l10 * y0) / l11, y2 = (-b[2] - l20 * y0 - l21 * y1) / l22;
  x[2] = y2 / l22;
  x[1] = (y1 - l21 * x[2]) / l11;
  x[0] = (y0 - l10 * x[1] - l20 * x[2]) / l00;
}

void cr_contact_minimize(const double* M, const double* b, const double* parameter, double* x) {
  double mu = parameter[0], bt = scalar_norm2(b[0], b[1]);
  if (b[2] >= mu * bt) {
    x[0] = x[1] = x[2] = 0;
    return;
  }
  solve_stick(M, b, x);
  if (scalar_norm2(x[0], x[1]) <= mu * x[2]) return;
  cr_frame2 frame = cr_frame2_compute(M[0], M[1], M[4]);
  slide s = {.mu = mu, .Mnn = M[8], .bn = b[2], .lambda = {frame.lambda[0], frame.lambda[1]}};
  cr_frame2_enter(&frame, (double[2]){M[2], M[5]}, s.m);
  cr_frame2_enter(&frame, b, s.b);
  double n = find_normal(&s), size = scalar_norm2(s.x[0], s.x[1]);
  double cut = size > 0 ? mu * n / size : 0;
  s.x[0] *= cut, s.x[1] *= cut;
  cr_frame2_leave(&frame, s.x, x);
  x[2] = n;
}
