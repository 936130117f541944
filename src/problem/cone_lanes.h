/* The algebra of cone.h for four cones at a time. */
#ifndef CR_PROBLEM_CONE_LANES_H
#define CR_PROBLEM_CONE_LANES_H

#include "math/lanes.h"
#include "problem/law.h"

typedef struct cone_lanes {
  lanes x[3];
} cone_lanes;

/* W of cone_scaling in its eigenvectors (1, axis), (1, -axis) and across: b (stretch, 1 / stretch,
 * 1). The small part of an element near the cone's surface keeps its digits in this frame, where
 * what stands is x0 + x_axis, x0 - x_axis and x_across; products and pulls below are of elements in
 * one frame. */
typedef struct cone_lanes_scaling {
  lanes b, stretch;
  lanes axis[2];
} cone_lanes_scaling;

LANES_INLINE lanes cone_lanes_tail(cone_lanes a) { return lanes_norm2(a.x[1], a.x[2]); }

LANES_INLINE lanes cone_lanes_determinant(cone_lanes a) {
  lanes t = cone_lanes_tail(a);
  return (a.x[0] - t) * (a.x[0] + t);
}

LANES_INLINE lanes cone_lanes_dot(cone_lanes a, cone_lanes b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

LANES_INLINE cone_lanes cone_lanes_to_frame(const cone_lanes_scaling* scaling, cone_lanes x) {
  const lanes* a = scaling->axis;
  lanes along = x.x[1] * a[0] + x.x[2] * a[1];
  return (cone_lanes){{x.x[0] + along, x.x[0] - along, x.x[2] * a[0] - x.x[1] * a[1]}};
}

LANES_INLINE cone_lanes cone_lanes_from_frame(const cone_lanes_scaling* scaling, cone_lanes x) {
  const lanes* a = scaling->axis;
  lanes along = 0.5 * (x.x[0] - x.x[1]);
  return (cone_lanes){
      {0.5 * (x.x[0] + x.x[1]), along * a[0] - x.x[2] * a[1], along * a[1] + x.x[2] * a[0]}};
}

/* a ∘ b */
LANES_INLINE cone_lanes cone_lanes_product(cone_lanes a, cone_lanes b) {
  lanes c = a.x[2] * b.x[2];
  return (cone_lanes){{a.x[0] * b.x[0] + c, a.x[1] * b.x[1] + c,
                       0.5 * ((a.x[0] + a.x[1]) * b.x[2] + (b.x[0] + b.x[1]) * a.x[2])}};
}

/* The c with a ∘ c = b. */
LANES_INLINE cone_lanes cone_lanes_divide(cone_lanes a, cone_lanes b) {
  lanes determinant = a.x[0] * a.x[1] - a.x[2] * a.x[2];
  lanes c0 = (0.5 * (a.x[0] * b.x[1] + a.x[1] * b.x[0]) - a.x[2] * b.x[2]) / determinant;
  lanes across = 2 * (b.x[2] - c0 * a.x[2]) / (a.x[0] + a.x[1]), d = a.x[2] * across;
  return (cone_lanes){{(b.x[0] - d) / a.x[0], (b.x[1] - d) / a.x[1], across}};
}

/* W x and W^-1 x */
LANES_INLINE cone_lanes cone_lanes_apply(const cone_lanes_scaling* scaling, cone_lanes x) {
  lanes b = scaling->b, k = scaling->stretch;
  return (cone_lanes){{b * k * x.x[0], b / k * x.x[1], b * x.x[2]}};
}

LANES_INLINE cone_lanes cone_lanes_apply_inverse(const cone_lanes_scaling* scaling, cone_lanes x) {
  lanes b = 1 / scaling->b, k = scaling->stretch;
  return (cone_lanes){{b / k * x.x[0], b * k * x.x[1], b * x.x[2]}};
}

/* Of u and s that are in no frame. */
LANES_INLINE cone_lanes_scaling cone_lanes_compute_scaling(cone_lanes u, cone_lanes s) {
  lanes du = cone_lanes_determinant(u), ds = cone_lanes_determinant(s);
  lanes iu = 1 / lanes_sqrt(du), is = 1 / lanes_sqrt(ds);
  for (int k = 0; k < 3; k++) u.x[k] = iu * u.x[k], s.x[k] = is * s.x[k];
  lanes g = 1 / lanes_sqrt(2 * (1 + cone_lanes_dot(u, s)));
  cone_lanes w = {{g * (s.x[0] + u.x[0]), g * (s.x[1] - u.x[1]), g * (s.x[2] - u.x[2])}};
  lanes tail = cone_lanes_tail(w), one = lanes_spread(1), size = lanes_choose(tail > 0, tail, one);
  return (cone_lanes_scaling){.b = lanes_sqrt(lanes_sqrt(ds / du)),
                              .stretch = w.x[0] + tail,
                              .axis = {lanes_choose(tail > 0, w.x[1] / size, one), w.x[2] / size}};
}

/* As cr_centrality_pull. */
LANES_INLINE lanes cone_lanes_pull_one(lanes product, cr_law_range range) {
  lanes zero = lanes_spread(0), above = product - range.high;
  lanes down = lanes_choose(above < range.high, above, lanes_spread(range.high));
  return lanes_choose(product < range.low, range.low - product,
                      lanes_choose(above > 0, -down, zero));
}

/* Eigenvalues of elements in a frame, and their half difference along its axis. */
typedef struct cone_lanes_spectrum {
  lanes high, low, along, tail;
} cone_lanes_spectrum;

LANES_INLINE cone_lanes_spectrum cone_lanes_find_spectrum(cone_lanes a) {
  lanes x0 = 0.5 * (a.x[0] + a.x[1]), along = 0.5 * (a.x[0] - a.x[1]);
  lanes tail = lanes_norm2(along, a.x[2]);
  return (cone_lanes_spectrum){x0 + tail, x0 - tail, along, tail};
}

/* Whether nothing of four products is off the range. */
LANES_INLINE bool cone_lanes_are_within(cone_lanes product, cr_law_range range) {
  cone_lanes_spectrum p = cone_lanes_find_spectrum(product);
  lanes_mask within = (p.low >= range.low) & (p.high <= range.high);
  return within[0] & within[1] & within[2] & within[3];
}

/* As cone_pull. */
LANES_INLINE cone_lanes cone_lanes_pull(cone_lanes product, cr_law_range range) {
  cone_lanes_spectrum p = cone_lanes_find_spectrum(product);
  lanes one = lanes_spread(1), size = lanes_choose(p.tail > 0, p.tail, one);
  lanes a = cone_lanes_pull_one(p.high, range), b = cone_lanes_pull_one(p.low, range);
  lanes mean = 0.5 * (a + b), half = 0.5 * (a - b);
  lanes along = half * lanes_choose(p.tail > 0, p.along / size, one);
  return (cone_lanes){{mean + along, mean - along, half * (product.x[2] / size)}};
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
