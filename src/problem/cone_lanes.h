/* The algebra of cone.h for four cones at a time. */
#ifndef CR_PROBLEM_CONE_LANES_H
#define CR_PROBLEM_CONE_LANES_H

#include "math/lanes.h"
#include "problem/law.h"

typedef struct cone_lanes {
  lanes x[3];
} cone_lanes;

/* b (2 v vᵀ - diag(1, -1, -1)), and its w, as in cone_scaling */
typedef struct cone_lanes_scaling {
  lanes b;
  cone_lanes v, w;
} cone_lanes_scaling;

LANES_INLINE lanes cone_lanes_tail(cone_lanes a) { return lanes_norm2(a.x[1], a.x[2]); }

LANES_INLINE lanes cone_lanes_determinant(cone_lanes a) {
  lanes t = cone_lanes_tail(a);
  return (a.x[0] - t) * (a.x[0] + t);
}

LANES_INLINE lanes cone_lanes_dot(cone_lanes a, cone_lanes b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

LANES_INLINE cone_lanes cone_lanes_product(cone_lanes a, cone_lanes b) {
  return (cone_lanes){
      {cone_lanes_dot(a, b), a.x[0] * b.x[1] + b.x[0] * a.x[1], a.x[0] * b.x[2] + b.x[0] * a.x[2]}};
}

/* The c with a ∘ c = b. */
LANES_INLINE cone_lanes cone_lanes_divide(cone_lanes a, cone_lanes b) {
  lanes c0 = (a.x[0] * b.x[0] - a.x[1] * b.x[1] - a.x[2] * b.x[2]) / cone_lanes_determinant(a);
  return (cone_lanes){{c0, (b.x[1] - c0 * a.x[1]) / a.x[0], (b.x[2] - c0 * a.x[2]) / a.x[0]}};
}

/* b (2 v vᵀ - diag(1, -1, -1)) x */
LANES_INLINE cone_lanes cone_lanes_reflect(lanes b, cone_lanes v, cone_lanes x) {
  lanes d = 2 * cone_lanes_dot(v, x);
  return (cone_lanes){
      {b * (d * v.x[0] - x.x[0]), b * (d * v.x[1] + x.x[1]), b * (d * v.x[2] + x.x[2])}};
}

/* W x and W^-1 x */
LANES_INLINE cone_lanes cone_lanes_apply(const cone_lanes_scaling* scaling, cone_lanes x) {
  return cone_lanes_reflect(scaling->b, scaling->v, x);
}

LANES_INLINE cone_lanes cone_lanes_apply_inverse(const cone_lanes_scaling* scaling, cone_lanes x) {
  cone_lanes v = {{scaling->v.x[0], -scaling->v.x[1], -scaling->v.x[2]}};
  return cone_lanes_reflect(1 / scaling->b, v, x);
}

LANES_INLINE cone_lanes_scaling cone_lanes_compute_scaling(cone_lanes u, cone_lanes s) {
  lanes du = cone_lanes_determinant(u), ds = cone_lanes_determinant(s);
  lanes iu = 1 / lanes_sqrt(du), is = 1 / lanes_sqrt(ds);
  for (int k = 0; k < 3; k++) u.x[k] = iu * u.x[k], s.x[k] = is * s.x[k];
  lanes g = 1 / lanes_sqrt(2 * (1 + cone_lanes_dot(u, s)));
  cone_lanes_scaling scaling = {.b = lanes_sqrt(lanes_sqrt(ds / du))};
  cone_lanes* w = &scaling.w;
  w->x[0] = g * (s.x[0] + u.x[0]);
  for (int k = 1; k < 3; k++) w->x[k] = g * (s.x[k] - u.x[k]);
  lanes n = 1 / lanes_sqrt(2 * (w->x[0] + 1));
  scaling.v = (cone_lanes){{n * (w->x[0] + 1), n * w->x[1], n * w->x[2]}};
  return scaling;
}

/* The eigenvalues a and b along (1, t) / 2 and (1, -t) / 2, with t along the tail of an element. */
LANES_INLINE cone_lanes cone_lanes_compose(lanes a, lanes b, cone_lanes element, lanes tail) {
  lanes half = 0.5 * (a - b), inverse = 1 / lanes_choose(tail > 0, tail, lanes_spread(1));
  lanes t0 = lanes_choose(tail > 0, element.x[1] * inverse, lanes_spread(1));
  return (cone_lanes){{0.5 * (a + b), half * t0, half * (element.x[2] * inverse)}};
}

/* As cr_centrality_pull. */
LANES_INLINE lanes cone_lanes_pull_one(lanes product, cr_law_range range) {
  lanes zero = lanes_spread(0), above = product - range.high;
  lanes down = lanes_choose(above < range.high, above, lanes_spread(range.high));
  return lanes_choose(product < range.low, range.low - product,
                      lanes_choose(above > 0, -down, zero));
}

/* As cone_pull. */
LANES_INLINE cone_lanes cone_lanes_pull(cone_lanes product, cr_law_range range) {
  lanes tail = cone_lanes_tail(product);
  lanes a = cone_lanes_pull_one(product.x[0] + tail, range);
  lanes b = cone_lanes_pull_one(product.x[0] - tail, range);
  return cone_lanes_compose(a, b, product, tail);
}

/* The smallest positive of a root, and what there is; x / 0 is no root. */
LANES_INLINE lanes cone_lanes_first_root(lanes numerator, lanes divisor, lanes least) {
  lanes root = numerator / lanes_choose(divisor != 0, divisor, lanes_spread(1));
  return lanes_choose((divisor != 0) & (root > 0) & (root < least), root, least);
}

/* As cone_longest_step. */
LANES_INLINE lanes cone_lanes_longest_step(cone_lanes a, cone_lanes d) {
  lanes zero = lanes_spread(0), q = cone_lanes_determinant(d);
  lanes c = lanes_max(cone_lanes_determinant(a), zero);
  lanes b = a.x[0] * d.x[0] - a.x[1] * d.x[1] - a.x[2] * d.x[2];
  lanes longest = cone_lanes_first_root(-a.x[0], lanes_choose(d.x[0] < 0, d.x[0], zero),
                                        lanes_spread(INFINITY));
  lanes discriminant = b * b - q * c, root = lanes_sqrt(lanes_max(discriminant, zero));
  lanes half = -(b + lanes_choose(b < 0, -root, root));
  lanes least = cone_lanes_first_root(c, half, cone_lanes_first_root(half, q, longest));
  return lanes_choose(discriminant < 0, longest, least);
}

#endif
