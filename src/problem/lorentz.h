/* The Lorentz cone in up to six dimensions, x0 >= |(x1, x2, ...)|: cone.h's algebra for vectors of
 * any length. */
#ifndef CR_PROBLEM_LORENTZ_H
#define CR_PROBLEM_LORENTZ_H

#include "math/small.h"
#include "problem/law.h"

#include <math.h>

/* a · b of the elements [first, n). */
static inline double lorentz_dot(const double* a, const double* b, int first, int n) {
  double sum = 0;
  for (int k = first; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* |(x1, ...)|. */
static inline double lorentz_tail(const double* a, int n) { return sqrt(lorentz_dot(a, a, 1, n)); }

/* x0² - |x1|², without cancellation near the surface. */
static inline double lorentz_determinant(const double* a, int n) {
  double t = lorentz_tail(a, n);
  return (a[0] - t) * (a[0] + t);
}

/* Largest t >= 0 with a + t d in the cone (infinite if all are), for a in the interior. */
double lorentz_longest_step(const double* a, const double* d, int n);

/* z = u - s with u and s in the interior and u ∘ s = product (1, 0, ...), see cone_split. */
void lorentz_split(const double* z, double product, int n, double* u, double* s);

/* Moves u and s, which are inside, off the surface where the least eigenvalue of their product may
 * be below `least`: both of their parts along the scaling's axis by cr_centrality_lift. False where
 * it is not. */
bool lorentz_lift(double* u, double* s, int n, double scale, double least);

#endif
