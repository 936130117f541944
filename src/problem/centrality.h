/* Products of point and slack that are not what they should be. */
#ifndef CR_PROBLEM_CENTRALITY_H
#define CR_PROBLEM_CENTRALITY_H

#include "math/scalar.h"
#include "problem/law.h"

#include <math.h>

/* Corrections of centrality (Gondzio 1996; Colombo & Gondzio 2008): what moves a product into a
 * range, by no more than the range's upper end downwards. */
static inline double cr_centrality_pull(double product, cr_law_range range) {
  if (product < range.low) return range.low - product;
  return product > range.high ? -scalar_min(product - range.high, range.high) : 0;
}

/* Adds to the less of a point and its slack, in units in which the scale is one, what makes their
 * product `least` at least; to both where both are below its root. Neither moves by more than that.
 */
static inline void cr_centrality_lift(double* point, double* slack, double scale, double least) {
  double root = sqrt(scale), a = root * *point, b = *slack / root, floor = sqrt(least);
  double more_a = a > b ? scalar_max(floor - a, 0) : least / scalar_max(b, floor);
  double more_b = a > b ? least / scalar_max(a, floor) : scalar_max(floor - b, 0);
  *point += more_a / root, *slack += more_b * root;
}

#endif
