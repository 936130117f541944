/* Step lengths and Nesterov-Todd scalings on the Lorentz cone. */
#include "problem/cone.h"

#include "math/scalar.h"
#include "problem/centrality.h"

double cone_longest_step(cone3 a, cone3 d) {
  /* det(a + t d) = c + 2 b t + q t²; its smallest positive root bounds the step. */
  double q = cone_determinant(d), c = scalar_max(cone_determinant(a), 0);
  double b = a.x[0] * d.x[0] - a.x[1] * d.x[1] - a.x[2] * d.x[2];
  double longest = d.x[0] < 0 ? -a.x[0] / d.x[0] : INFINITY;
  double discriminant = b * b - q * c;
  if (discriminant < 0) return longest;
  double half = -(b + copysign(sqrt(discriminant), b));
  double roots[2] = {q != 0 ? half / q : INFINITY, half != 0 ? c / half : INFINITY};
  for (int i = 0; i < 2; i++)
    if (roots[i] > 0) longest = scalar_min(longest, roots[i]);
  return longest;
}

/* The point with the eigenvalues a and b along the directions (1, t) / 2 and (1, -t) / 2. */
static cone3 compose(double a, double b, double t0, double t1) {
  double half = 0.5 * (a - b);
  return (cone3){{0.5 * (a + b), half * t0, half * t1}};
}

void cone_split(cone3 z, double product, cone3* u, cone3* s) {
  double tail = cone_tail(z), t0 = tail > 0 ? z.x[1] / tail : 1, t1 = tail > 0 ? z.x[2] / tail : 0;
  double plus[2], minus[2];
  product = scalar_max(product, CONE_SPLIT_LEAST * cone_dot(z, z));
  scalar_split(z.x[0] + tail, product, &plus[0], &minus[0]);
  scalar_split(z.x[0] - tail, product, &plus[1], &minus[1]);
  *u = compose(plus[0], plus[1], t0, t1);
  *s = compose(minus[0], minus[1], t0, t1);
}

cone3 cone_pull(cone3 product, cr_law_range range) {
  double tail = cone_tail(product), t0 = tail > 0 ? product.x[1] / tail : 1;
  return compose(cr_centrality_pull(product.x[0] + tail, range),
                 cr_centrality_pull(product.x[0] - tail, range), t0,
                 tail > 0 ? product.x[2] / tail : 0);
}

static cone3 scale(double s, cone3 a) { return (cone3){{s * a.x[0], s * a.x[1], s * a.x[2]}}; }

cone_scaling cone_compute_scaling(cone3 u, cone3 s) {
  double du = cone_determinant(u), ds = cone_determinant(s);
  cone3 ub = scale(1 / sqrt(du), u), sb = scale(1 / sqrt(ds), s);
  double g = 1 / sqrt(2 * (1 + cone_dot(ub, sb)));
  cone3 w = {{g * (sb.x[0] + ub.x[0]), g * (sb.x[1] - ub.x[1]), g * (sb.x[2] - ub.x[2])}};
  double n = 1 / sqrt(2 * (w.x[0] + 1));
  cone3 v = {{n * (w.x[0] + 1), n * w.x[1], n * w.x[2]}};
  return (cone_scaling){sqrt(sqrt(ds / du)), w, v};
}

/* b (2 v vᵀ - diag(1, -1, -1)) x */
static cone3 reflect(double b, cone3 v, cone3 x) {
  double d = 2 * cone_dot(v, x);
  return (cone3){{b * (d * v.x[0] - x.x[0]), b * (d * v.x[1] + x.x[1]), b * (d * v.x[2] + x.x[2])}};
}

cone3 cone_apply(const cone_scaling* scaling, cone3 x) {
  return reflect(scaling->b, scaling->v, x);
}

cone3 cone_apply_inverse(const cone_scaling* scaling, cone3 x) {
  cone3 v = {{scaling->v.x[0], -scaling->v.x[1], -scaling->v.x[2]}};
  return reflect(1 / scaling->b, v, x);
}
