/* The Lorentz cone Q in three dimensions, x = (x0, x1, x2) with x0 >= |(x1, x2)|: its algebra and
 * the Nesterov-Todd scaling of a pair of interior points (Nesterov & Todd 1998; Alizadeh & Goldfarb
 * 2003). */
#ifndef CR_PROBLEM_CONE_H
#define CR_PROBLEM_CONE_H

#include "math/scalar.h"
#include "problem/law.h"

typedef struct cone3 {
  double x[3];
} cone3;

static inline double cone_tail(cone3 a) { return scalar_norm2(a.x[1], a.x[2]); }

/* x0² - |x1|², without cancellation near the surface. */
static inline double cone_determinant(cone3 a) {
  double t = cone_tail(a);
  return (a.x[0] - t) * (a.x[0] + t);
}

static inline double cone_dot(cone3 a, cone3 b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

/* Jordan product a ∘ b. */
static inline cone3 cone_product(cone3 a, cone3 b) {
  return (cone3){
      {cone_dot(a, b), a.x[0] * b.x[1] + b.x[0] * a.x[1], a.x[0] * b.x[2] + b.x[0] * a.x[2]}};
}

/* The c with a ∘ c = b, for a in the interior. */
static inline cone3 cone_divide(cone3 a, cone3 b) {
  double c0 = (a.x[0] * b.x[0] - a.x[1] * b.x[1] - a.x[2] * b.x[2]) / cone_determinant(a);
  return (cone3){{c0, (b.x[1] - c0 * a.x[1]) / a.x[0], (b.x[2] - c0 * a.x[2]) / a.x[0]}};
}

/* Largest t >= 0 with a + t d in Q (infinite if all are), for a in the interior. */
double cone_longest_step(cone3 a, cone3 d);

/* Share of |z|² that the product of a split is at least, or round-off would take one of both to the
 * cone's surface. */
#define CONE_SPLIT_LEAST 1e-13

/* z = u - s with u and s in the interior and u ∘ s = product (1, 0, 0): the projections of z and
 * -z on Q, smoothed (Fukushima, Luo & Tseng 2001). */
void cone_split(cone3 z, double product, cone3* u, cone3* s);

/* Scaling W = b (2 v vᵀ - diag(1, -1, -1)) with W u = W^-1 s, and the scaling point w (W² = b² (2 w
 * wᵀ
 * - diag(1, -1, -1)), w0² - |w1|² = 1). */
typedef struct cone_scaling {
  double b;
  cone3 w, v;
} cone_scaling;

/* cr_centrality_pull for both eigenvalues of a product. */
cone3 cone_pull(cone3 product, cr_law_range range);

cone_scaling cone_compute_scaling(cone3 u, cone3 s);
cone3 cone_apply(const cone_scaling* scaling, cone3 x);         /* W x */
cone3 cone_apply_inverse(const cone_scaling* scaling, cone3 x); /* W^-1 x */

#endif
