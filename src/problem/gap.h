/* The parts of a pair gap, without cancellation. With P = gamma(v_c) of the inverse dynamics and s
 * = R P + d a constraint's part of the gap is 1/2 |gamma - P|² in R, and sᵀ (gamma - P) = sᵀ gamma.
 * Where friction slides in P, its s_t is -|s_t| t with t = P_t / |P_t|, and
 *
 *   sᵀ gamma = |s_t| (limit - tᵀ gamma_t),   |gamma_t| <= limit,
 *
 * is a product of two numbers that are small near the solution. */
#ifndef CR_PROBLEM_GAP_H
#define CR_PROBLEM_GAP_H

#include "problem/cone_scale.h"

#include <math.h>

/* limit - tᵀ g = limit - |g| + |g - |g| t|² / 2 |g|. What is at the limit but for round-off is
 * taken as if it were there: impulses that differ by so little from gamma have this gap.
 * @param g [n], of size `limit` at most
 * @param t [n] of size one */
static inline double cr_gap_lag(double limit, const double* g, const double* t, int n) {
  double size2 = 0, off = 0;
  for (int k = 0; k < n; k++) size2 += g[k] * g[k];
  double size = sqrt(size2), slack = limit - size;
  if (size == 0) return limit;
  for (int k = 0; k < n; k++) off += (g[k] - size * t[k]) * (g[k] - size * t[k]);
  return (slack > CR_CONE_ULPS * 0x1p-52 * size ? slack : 0) + 0.5 * off / size;
}

#endif
