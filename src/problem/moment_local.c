/* The local problem of a contact with moments; contact_local.c says how, in three dimensions.
 *
 * Without coupling (M diagonal) it is the contact's analytic inverse dynamics. */
#include "math/scalar.h"
#include "math/small.h"
#include "problem/local.h"

#include <stdbool.h>

#define SECULAR_MAX 60

/* --- A ball of friction -------------------------------------------------------------------------
 */

static double norm(const double* x, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

/* x(kappa) = -(Lambda + kappa)^-1 b. */
static void move_to(const double* lambda, const double* b, int n, double kappa, double* x) {
  for (int k = 0; k < n; k++) x[k] = b[k] != 0 ? -b[k] / (lambda[k] + kappa) : 0;
}

/* Whether x(0) exists and lies in the ball. */
static bool is_inside(const double* lambda, const double* b, int n, double radius, double* x) {
  for (int k = 0; k < n; k++)
    if (b[k] != 0 && lambda[k] <= 0) return false;
  move_to(lambda, b, n, 0, x);
  return norm(x, n) <= radius * (1 + 0x1p-50);
}

/* min over |x| <= radius of 1/2 xᵀ diag(lambda) x + bᵀ x, lambda >= 0, by Newton on 1/|x(kappa)|
 * from the left of the root; returns kappa. */
static double minimize_in_ball(const double* lambda, const double* b, int n, double radius,
                               double* x) {
  if (is_inside(lambda, b, n, radius, x)) return 0;
  double kappa = 0;
  for (int k = 0; k < n; k++) kappa = scalar_max(kappa, fabs(b[k]) / radius - lambda[k]);
  for (int i = 0; i < SECULAR_MAX; i++) {
    move_to(lambda, b, n, kappa, x);
    double size = norm(x, n), slope = 0;
    if (size <= radius * (1 + 0x1p-50)) break;
    for (int k = 0; k < n; k++)
      if (x[k] != 0) slope += x[k] * x[k] / (lambda[k] + kappa);
    double next = kappa + size * size / slope * ((size - radius) / radius);
    if (!(next > kappa)) break;
    kappa = next;
  }
  return kappa;
}

/* --- Slide --------------------------------------------------------------------------------------
 */

/* F'(n) and F''(n), see contact_local.c; *size: what round-off in F' is relative to. */
static double evaluate(cr_moment_slide* s, double n, double* curvature, double* size) {
  double c[SMALL_MAX], mu2 = s->mu * s->mu, mx = 0, mKm = 0, xKm = 0, xKx = 0;
  for (int k = 0; k < s->n; k++) c[k] = s->b[k] + n * s->m[k];
  double kappa = minimize_in_ball(s->lambda, c, s->n, s->mu * n, s->x);
  for (int k = 0; k < s->n; k++) {
    mx += s->m[k] * s->x[k];
    if (s->m[k] == 0 && s->x[k] == 0) continue;
    double inv = 1 / (s->lambda[k] + kappa);
    mKm += inv * s->m[k] * s->m[k], xKm += inv * s->x[k] * s->m[k], xKx += inv * s->x[k] * s->x[k];
  }
  *curvature = s->Mnn - mKm;
  if (kappa > 0 && xKx > 0) {
    double dkappa = -(mu2 * n + xKm) / xKx;
    *curvature += -dkappa * (xKm + mu2 * n) - mu2 * kappa;
  }
  *size = fabs(s->Mnn * n) + fabs(mx) + fabs(s->bn) + mu2 * kappa * n;
  return s->Mnn * n + mx + s->bn - mu2 * kappa * n;
}

/* The best impulse opposite to b. */
static double guess_normal(const cr_moment_slide* s) {
  double size = norm(s->b, s->n), along = s->Mnn;
  for (int k = 0; k < s->n && size > 0; k++) {
    double t = -s->b[k] / size;
    along += s->mu * s->mu * s->lambda[k] * t * t + 2 * s->mu * s->m[k] * t;
  }
  return (s->mu * size - s->bn) / along;
}

double cr_moment_find_normal(cr_moment_slide* s) {
  double n = guess_normal(s);
  scalar_bracket bracket = {0, INFINITY};
  for (int i = 0; i < CR_SLIDE_MAX; i++) {
    double curvature, size, value = evaluate(s, n, &curvature, &size);
    if (fabs(value) <= 0x1p-51 * size) break;
    double next = scalar_bracket_next(&bracket, n, value, curvature);
    if (fabs(next - n) <= 0x1p-52 * n) break;
    n = next;
  }
  double size = norm(s->x, s->n), cut = size > 0 ? s->mu * n / size : 0;
  for (int k = 0; k < s->n; k++) s->x[k] *= cut;
  return n;
}

/* --- A full matrix ------------------------------------------------------------------------------
 */

/* x = -M^-1 b, refined once. */
static void solve_stick(const double* M, const double* b, int n, double* x) {
  double A[SMALL_MAX * SMALL_MAX], r[SMALL_MAX];
  for (int k = 0; k < n; k++) x[k] = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int a = 0; a < n; a++) {
      r[a] = -b[a];
      for (int c = 0; c < n; c++) A[n * a + c] = M[n * a + c], r[a] -= M[n * a + c] * x[c];
    }
    small_solve(A, n, r, 1);
    for (int k = 0; k < n; k++) x[k] += r[k];
  }
}

/* The problem in the eigenframe V of M's friction part; n: rows of the contact. */
static cr_moment_slide enter_frame(const double* M, const double* b, double mu, int n, double* V) {
  cr_moment_slide s = {.n = n - 1, .mu = mu, .Mnn = M[n * n - 1], .bn = b[n - 1]};
  double A[SMALL_MAX * SMALL_MAX], largest = 0;
  int t = n - 1;
  for (int a = 0; a < t; a++)
    for (int c = 0; c < t; c++) A[t * a + c] = M[n * a + c];
  small_eigen(A, t, V);
  for (int k = 0; k < t; k++) largest = scalar_max(largest, A[(t + 1) * k]);
  for (int k = 0; k < t; k++) {
    s.lambda[k] = scalar_max(A[(t + 1) * k], largest * 0x1p-52);
    for (int a = 0; a < t; a++)
      s.m[k] += V[t * a + k] * M[n * a + t], s.b[k] += V[t * a + k] * b[a];
  }
  return s;
}

static void minimize(const double* M, const double* b, double mu, int n, double* x) {
  int t = n - 1;
  for (int k = 0; k < n; k++) x[k] = 0;
  if (b[t] >= mu * norm(b, t)) return;
  solve_stick(M, b, n, x);
  if (norm(x, t) <= mu * x[t]) return;
  double V[SMALL_MAX * SMALL_MAX];
  cr_moment_slide s = enter_frame(M, b, mu, n, V);
  x[t] = cr_moment_find_normal(&s);
  for (int a = 0; a < t; a++) {
    x[a] = 0;
    for (int k = 0; k < t; k++) x[a] += V[t * a + k] * s.x[k];
  }
}

void cr_contact4_minimize(const double* M, const double* b, const double* parameter, double* x) {
  minimize(M, b, parameter[0], 4, x);
}

void cr_contact6_minimize(const double* M, const double* b, const double* parameter, double* x) {
  minimize(M, b, parameter[0], 6, x);
}
