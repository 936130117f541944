#include "problem/lorentz.h"

#include "math/scalar.h"
#include "problem/centrality.h"
#include "problem/cone.h"

double lorentz_longest_step(const double* a, const double* d, int n) {
  /* det(a + t d) = c + 2 b t + q t²; its smallest positive root bounds the step. */
  double q = lorentz_determinant(d, n), c = scalar_max(lorentz_determinant(a, n), 0);
  double b = a[0] * d[0] - lorentz_dot(a, d, 1, n);
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
  product = scalar_max(product, CONE_SPLIT_LEAST * lorentz_dot(z, z, 0, n));
  scalar_split(z[0] + tail, product, &plus[0], &minus[0]);
  scalar_split(z[0] - tail, product, &plus[1], &minus[1]);
  u[0] = 0.5 * (plus[0] + plus[1]), s[0] = 0.5 * (minus[0] + minus[1]);
  for (int k = 1; k < n; k++) {
    double direction = tail > 0 ? z[k] / tail : k == 1;
    u[k] = 0.5 * (plus[0] - plus[1]) * direction;
    s[k] = 0.5 * (minus[0] - minus[1]) * direction;
  }
}

/* Axis of the scaling, along the tail of w. */
static void find_axis(const double* u, const double* s, int n, double* axis) {
  double ratio = sqrt(lorentz_determinant(s, n) / lorentz_determinant(u, n)), size = 0;
  for (int k = 1; k < n; k++) {
    axis[k] = s[k] - ratio * u[k];
    size += axis[k] * axis[k];
  }
  for (int k = 1; k < n; k++) axis[k] = size > 0 ? axis[k] / sqrt(size) : k == 1;
}

/* The eigenvalues of the product have the sum 2 uᵀs and the product det(u) det(s). */
bool lorentz_lift(double* u, double* s, int n, double scale, double least) {
  if (lorentz_determinant(u, n) * lorentz_determinant(s, n) >= 2 * least * lorentz_dot(u, s, 0, n))
    return false;
  double axis[SMALL_MAX] = {0}, more_u[2], more_s[2];
  find_axis(u, s, n, axis);
  for (int k = 0; k < 2; k++) {
    double sign = k == 0 ? 1 : -1;
    double point = u[0] + sign * lorentz_dot(axis, u, 1, n), lifted = point;
    double slack = s[0] + sign * lorentz_dot(axis, s, 1, n), lifted_slack = slack;
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
