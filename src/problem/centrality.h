/* Corrections of centrality (Gondzio 1996; Colombo & Gondzio 2008): what moves a product of point
 * and slack into a range, by no more than the range's upper end downwards. */
#ifndef CR_PROBLEM_CENTRALITY_H
#define CR_PROBLEM_CENTRALITY_H

#include "math/scalar.h"
#include "problem/law.h"

static inline double cr_centrality_pull(double product, cr_law_range range) {
  if (product < range.low) return range.low - product;
  return product > range.high ? -scalar_min(product - range.high, range.high) : 0;
}

#endif
