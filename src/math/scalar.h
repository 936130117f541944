/* Scalar helpers that compile to a few instructions; none treats NaN specially. */
#ifndef CR_MATH_SCALAR_H
#define CR_MATH_SCALAR_H

#include <math.h>

static inline double scalar_max(double a, double b) { return a > b ? a : b; }
static inline double scalar_min(double a, double b) { return a < b ? a : b; }
static inline double scalar_clamp(double x, double low, double high) {
  return scalar_min(scalar_max(x, low), high);
}

/* sqrt(x² + y²) without hypot's care for overflow: for numbers within 1e-150 and 1e150. */
static inline double scalar_norm2(double x, double y) { return sqrt(x * x + y * y); }

#endif
