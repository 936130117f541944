/* Scalar helpers that compile to a few instructions; none treats NaN specially. */
#ifndef CR_MATH_SCALAR_H
#define CR_MATH_SCALAR_H

#include <math.h>

static inline double scalar_max(double a, double b) { return a > b ? a : b; }
static inline double scalar_min(double a, double b) { return a < b ? a : b; }
static inline int int_max(int a, int b) { return a > b ? a : b; }
static inline int int_min(int a, int b) { return a < b ? a : b; }
static inline double scalar_clamp(double x, double low, double high) {
  return scalar_min(scalar_max(x, low), high);
}

/* sqrt(x² + y²) without hypot's care for overflow: for numbers within 1e-150 and 1e150. */
static inline double scalar_norm2(double x, double y) { return sqrt(x * x + y * y); }

/* Sum of a[i] b[i], in four sums that need not wait for each other. */
static inline double scalar_dot(const double* a, const double* b, int n) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 3 < n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
  for (; i < n; i++) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* out = x + a y, four at a time; out may be x or y. */
static inline void scalar_axpy(const double* x, double a, const double* y, int n, double* out) {
  int i = 0;
  for (; i + 3 < n; i += 4) {
    double sum[4];
    for (int k = 0; k < 4; k++) sum[k] = x[i + k] + a * y[i + k];
    for (int k = 0; k < 4; k++) out[i + k] = sum[k];
  }
  for (; i < n; i++) out[i] = x[i] + a * y[i];
}

/* out = a x + (1 - a) y, likewise. */
static inline void scalar_blend(const double* x, double a, const double* y, int n, double* out) {
  int i = 0;
  for (; i + 3 < n; i += 4) {
    double sum[4];
    for (int k = 0; k < 4; k++) sum[k] = a * x[i + k] + (1 - a) * y[i + k];
    for (int k = 0; k < 4; k++) out[i + k] = sum[k];
  }
  for (; i < n; i++) out[i] = a * x[i] + (1 - a) * y[i];
}

/* The positive a and b with a - b = x and a b = product > 0: max(x, 0) and max(-x, 0), smoothed. */
static inline void scalar_split(double x, double product, double* a, double* b) {
  double large = 0.5 * (fabs(x) + sqrt(x * x + 4 * product)), small = product / large;
  *a = x > 0 ? large : small;
  *b = x > 0 ? small : large;
}

/* Where an increasing function is known to have its root. */
typedef struct scalar_bracket {
  double low, high; /* high may be infinite */
} scalar_bracket;

/* Takes in the function's value at x > 0; the next x by Newton, where that leaves the bracket by
 * halving it, or by doubling x while it has no end. */
static inline double scalar_bracket_next(scalar_bracket* b, double x, double value, double slope) {
  if (value > 0)
    b->high = x;
  else
    b->low = x;
  double next = x - value / slope;
  if (next > b->low && next < b->high) return next;
  return isfinite(b->high) ? 0.5 * (b->low + b->high) : 2 * x;
}

#endif
