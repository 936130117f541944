#include "problem/lorentz.h"

#include "math/scalar.h"
#include "problem/centrality.h"
#include "problem/cone.h"

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

double lorentz_tail(const double* a, int n) { return sqrt(dot(a + 1, a + 1, n - 1)); }

/* x0² - |x1|², without cancellation near the surface. */
static double determinant(const double* a, int n) {
  double t = lorentz_tail(a, n);
  return (a[0] - t) * (a[0] + t);
}

void lorentz_multiply(const double* a, const double* b, int n, double* out) {
  double first = dot(a, b, n);
  for (int k = 1; k < n; k++) out[k] = a[0] * b[k] + b[0] * a[k];
  out[0] = first;
}

void lorentz_divide(const double* a, const double* b, int n, double* out) {
  double c0 = (a[0] * b[0] - dot(a + 1, b + 1, n - 1)) / determinant(a, n);
  for (int k = 1; k < n; k++) out[k] = (b[k] - c0 * a[k]) / a[0];
  out[0] = c0;
}

double lorentz_longest_step(const double* a, const double* d, int n) {
  /* det(a + t d) = c + 2 b t + q t²; its smallest positive root bounds the step. */
  double q = determinant(d, n), c = scalar_max(determinant(a, n), 0);
  double b = a[0] * d[0] - dot(a + 1, d + 1, n - 1);
  double longest = d[0] < 0 ? -a[0] / d[0] : INFINITY, discriminant = b * b - q * c;
  if (discriminant < 0) return longest;
  double half = -(b + copysign(sqrt(discriminant), b));
  double first = q != 0 ? half / q : INFINITY, second = half != 0 ? c / half : INFINITY;
  if (first > 0) longest = scalar_min(longest, first);
  if (second > 0) longest = scalar_min(longest, second);
  return longest;
}

void lorentz_split(const double* z, double product, int n, double* u, double* s) {
  double tail = lorentz_tail(z, n), plus[2], minus[2];
  product = scalar_max(product, CONE_SPLIT_LEAST * dot(z, z, n));
  scalar_split(z[0] + tail, product, &plus[0], &minus[0]);
  scalar_split(z[0] - tail, product, &plus[1], &minus[1]);
  u[0] = 0.5 * (plus[0] + plus[1]), s[0] = 0.5 * (minus[0] + minus[1]);
  for (int k = 1; k < n; k++) {
    double direction = tail > 0 ? z[k] / tail : k == 1;
    u[k] = 0.5 * (plus[0] - plus[1]) * direction;
    s[k] = 0.5 * (minus[0] - minus[1]) * direction;
  }
}

/* b (2 v vᵀ - diag(1, -1, ...)), with the tail of v turned by `sign`. */
static void fill(double b, const double* v, double sign, int n, double* out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double turned = (i ? sign : 1) * (j ? sign : 1) * v[i] * v[j];
      out[n * i + j] = b * (2 * turned - (i == j ? (i ? -1 : 1) : 0));
    }
}

/* Axis of the scaling, along the tail of w. */
static void find_axis(const double* u, const double* s, int n, double* axis) {
  double ratio = sqrt(determinant(s, n) / determinant(u, n)), size = 0;
  for (int k = 1; k < n; k++) {
    axis[k] = s[k] - ratio * u[k];
    size += axis[k] * axis[k];
  }
  for (int k = 1; k < n; k++) axis[k] = size > 0 ? axis[k] / sqrt(size) : k == 1;
}

/* The eigenvalues of the product have the sum 2 uᵀs and the product det(u) det(s). */
bool lorentz_lift(double* u, double* s, int n, double scale, double least) {
  if (determinant(u, n) * determinant(s, n) >= 2 * least * dot(u, s, n)) return false;
  double axis[SMALL_MAX] = {0}, more_u[2], more_s[2];
  find_axis(u, s, n, axis);
  for (int k = 0; k < 2; k++) {
    double sign = k == 0 ? 1 : -1;
    double point = u[0] + sign * dot(axis + 1, u + 1, n - 1), lifted = point;
    double slack = s[0] + sign * dot(axis + 1, s + 1, n - 1), lifted_slack = slack;
    cr_centrality_lift(&lifted, &lifted_slack, scale, least);
    more_u[k] = 0.5 * (lifted - point), more_s[k] = 0.5 * (lifted_slack - slack);
  }
  u[0] += more_u[0] + more_u[1], s[0] += more_s[0] + more_s[1];
  for (int k = 1; k < n; k++) {
    u[k] += (more_u[0] - more_u[1]) * axis[k];
    s[k] += (more_s[0] - more_s[1]) * axis[k];
  }
  return true;
}

void lorentz_compute_scaling(const double* u, const double* s, int n, lorentz_scaling* scaling) {
  double du = determinant(u, n), ds = determinant(s, n);
  double su = 1 / sqrt(du), ss = 1 / sqrt(ds), b = sqrt(sqrt(ds / du)), v[SMALL_MAX] = {0};
  double g = 1 / sqrt(2 * (1 + su * ss * dot(u, s, n)));
  for (int k = 0; k < n; k++) v[k] = g * (ss * s[k] + (k ? -su : su) * u[k]);
  double scale = 1 / sqrt(2 * (v[0] + 1));
  v[0] += 1;
  for (int k = 0; k < n; k++) v[k] *= scale;
  scaling->n = n;
  fill(b, v, 1, n, scaling->W);
  fill(1 / b, v, -1, n, scaling->inverse);
}

void lorentz_apply(const double* A, const double* x, int n, double* y) {
  for (int i = 0; i < n; i++) y[i] = dot(A + n * i, x, n);
}

void lorentz_pull(double* product, int n, cr_law_range range) {
  double tail = lorentz_tail(product, n), first = product[0];
  double a = cr_centrality_pull(first + tail, range), b = cr_centrality_pull(first - tail, range);
  product[0] = 0.5 * (a + b);
  for (int k = 1; k < n; k++) product[k] = tail > 0 ? 0.5 * (a - b) * product[k] / tail : 0;
}
