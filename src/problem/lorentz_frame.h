/* The algebra of the Lorentz cone in the frame of a scaling, in up to six dimensions:
 * cone_lanes.h's for vectors of any length, inline so that a length that is known is unrolled.
 *
 * An element x of the frame is x0 + x_axis, x0 - x_axis and what is across the axis. The small part
 * of an element near the cone's surface keeps its digits there. Products and pulls are of elements
 * in one frame. */
#ifndef CR_PROBLEM_LORENTZ_FRAME_H
#define CR_PROBLEM_LORENTZ_FRAME_H

#include "problem/centrality.h"
#include "problem/lorentz.h"

#define FRAME_INLINE static inline __attribute__((always_inline))

/* W of a scaling in its eigenvectors (1, axis), (1, -axis) and across: b times (stretch,
 * 1 / stretch, 1). What is across is in the directions to which the reflection of the axis to
 * `sign` times the first direction takes all but the first. */
typedef struct lorentz_frame {
  double b, stretch, sign, share; /* share: 1 / (1 - sign axis_1) */
  double axis[SMALL_MAX];         /* [1, n) of an element */
} lorentz_frame;

/* The frame of W with W u = W^-1 s, for u and s in the interior (Nesterov and Todd 1997). */
FRAME_INLINE lorentz_frame lorentz_find_frame(const double* u, const double* s, int n) {
  double du = lorentz_determinant(u, n), ds = lorentz_determinant(s, n);
  double iu = 1 / sqrt(du), is = 1 / sqrt(ds), w[SMALL_MAX] = {0};
  double g = 1 / sqrt(2 * (1 + iu * is * lorentz_dot(u, s, 0, n)));
  for (int k = 0; k < n; k++) w[k] = g * (is * s[k] + (k ? -iu : iu) * u[k]);
  double tail = lorentz_tail(w, n), scale = tail > 0 ? 1 / tail : 0;
  lorentz_frame f = {.b = sqrt(sqrt(ds / du)), .stretch = w[0] + tail};
  for (int k = 1; k < n; k++) f.axis[k] = tail > 0 ? scale * w[k] : k == 1;
  f.sign = f.axis[1] > 0 ? -1 : 1;
  f.share = 1 / (1 - f.sign * f.axis[1]);
  return f;
}

FRAME_INLINE void lorentz_to_frame(const lorentz_frame* f, const double* x, int n, double* y) {
  double along = lorentz_dot(f->axis, x, 1, n), first = x[0];
  double t = f->share * (along - f->sign * x[1]);
  for (int k = 2; k < n; k++) y[k] = x[k] - t * f->axis[k];
  y[0] = first + along, y[1] = first - along;
}

FRAME_INLINE void lorentz_from_frame(const lorentz_frame* f, const double* y, int n, double* x) {
  double along = f->sign * 0.5 * (y[0] - y[1]), mirror = f->axis[1] - f->sign;
  double t = f->share * (along * mirror + lorentz_dot(f->axis, y, 2, n));
  for (int k = 2; k < n; k++) x[k] = y[k] - t * f->axis[k];
  x[0] = 0.5 * (y[0] + y[1]), x[1] = along - t * mirror;
}

/* Jordan product out = a ∘ b. */
FRAME_INLINE void lorentz_frame_multiply(const double* a, const double* b, int n, double* out) {
  double across = lorentz_dot(a, b, 2, n);
  double a0 = 0.5 * (a[0] + a[1]), b0 = 0.5 * (b[0] + b[1]);
  double plus = a[0] * b[0] + across, minus = a[1] * b[1] + across;
  for (int k = 2; k < n; k++) out[k] = a0 * b[k] + b0 * a[k];
  out[0] = plus, out[1] = minus;
}

/* The out with a ∘ out = b. */
FRAME_INLINE void lorentz_frame_divide(const double* a, const double* b, int n, double* out) {
  double det = a[0] * a[1] - lorentz_dot(a, a, 2, n), twice = 2 / (a[0] + a[1]), d = 0;
  double c0 = (0.5 * (a[0] * b[1] + a[1] * b[0]) - lorentz_dot(a, b, 2, n)) / det;
  double plus = b[0], minus = b[1];
  for (int k = 2; k < n; k++) {
    double across = twice * (b[k] - c0 * a[k]);
    d += a[k] * across;
    out[k] = across;
  }
  out[0] = (plus - d) / a[0], out[1] = (minus - d) / a[1];
}

/* cr_centrality_pull for both eigenvalues of a product, in its place; false, and nothing, where
 * both are within the range. */
FRAME_INLINE bool lorentz_frame_pull(double* product, int n, cr_law_range range) {
  double x0 = 0.5 * (product[0] + product[1]), along = 0.5 * (product[0] - product[1]);
  double tail = sqrt(along * along + lorentz_dot(product, product, 2, n));
  double high = x0 + tail, low = x0 - tail;
  if (low >= range.low && high <= range.high) return false;
  double a = cr_centrality_pull(high, range), b = cr_centrality_pull(low, range);
  double scale = tail > 0 ? 0.5 * (a - b) / tail : 0;
  for (int k = 2; k < n; k++) product[k] *= scale;
  product[0] = 0.5 * (a + b) + scale * along, product[1] = 0.5 * (a + b) - scale * along;
  return true;
}

/* y = W x, W^-1 x and W² x. */
FRAME_INLINE void lorentz_frame_scale(double b, double k, const double* x, int n, double* y) {
  y[0] = b * k * x[0], y[1] = b / k * x[1];
  for (int i = 2; i < n; i++) y[i] = b * x[i];
}

FRAME_INLINE void lorentz_frame_apply(const lorentz_frame* f, const double* x, int n, double* y) {
  lorentz_frame_scale(f->b, f->stretch, x, n, y);
}

FRAME_INLINE void lorentz_frame_apply_inverse(const lorentz_frame* f, const double* x, int n,
                                              double* y) {
  lorentz_frame_scale(1 / f->b, 1 / f->stretch, x, n, y);
}

FRAME_INLINE void lorentz_frame_apply_squared(const lorentz_frame* f, const double* x, int n,
                                              double* y) {
  lorentz_frame_scale(f->b * f->b, f->stretch * f->stretch, x, n, y);
}

/* --- (D + W²)^-1 --------------------------------------------------------------------------------
 *
 * By Cholesky in the orthonormal frame (1, axis) / √2, across, (1, -axis) / √2: from the largest to
 * the smallest eigenvalue of W, so that each keeps its digits. */

/* Where place k of the factor stands in an element of the frame, and its length there. */
FRAME_INLINE int lorentz_frame_place(int k, int n) { return k == 0 ? 0 : k == n - 1 ? 1 : k + 1; }
FRAME_INLINE double lorentz_frame_length(int k, int n) {
  return k == 0 || k == n - 1 ? M_SQRT2 : 1;
}

/* The factor for a diagonal matrix D [n] of no frame.
 * @param L [n (n + 1) / 2] its rows one after the other, with inverse diagonals */
FRAME_INLINE void lorentz_frame_factor(const lorentz_frame* f, const double* D, int n, double* L) {
  double rows[SMALL_MAX][SMALL_MAX], w[SMALL_MAX], one[SMALL_MAX] = {1, 1, 1, 1, 1, 1};
  lorentz_frame_apply_squared(f, one, n, w);
  for (int a = 0, at = 0; a < n; a++) {
    double unit[SMALL_MAX] = {0};
    unit[lorentz_frame_place(a, n)] = lorentz_frame_length(a, n);
    lorentz_from_frame(f, unit, n, rows[a]);
    for (int b = 0; b <= a; b++, at++) {
      double sum = a == b ? w[lorentz_frame_place(a, n)] : 0;
      for (int k = 0; k < n; k++) sum += rows[a][k] * D[k] * rows[b][k];
      for (int k = 0; k < b; k++) sum -= L[a * (a + 1) / 2 + k] * L[b * (b + 1) / 2 + k];
      L[at] = a == b ? 1 / sqrt(sum) : sum * L[b * (b + 1) / 2 + b];
    }
  }
}

/* x = (D + W²)^-1 y, both in the frame. */
FRAME_INLINE void lorentz_frame_solve(const double* L, const double* y, int n, double* x) {
  double z[SMALL_MAX];
  for (int a = 0; a < n; a++) {
    z[a] = y[lorentz_frame_place(a, n)] / lorentz_frame_length(a, n);
    for (int b = 0; b < a; b++) z[a] -= L[a * (a + 1) / 2 + b] * z[b];
    z[a] *= L[a * (a + 1) / 2 + a];
  }
  for (int a = n - 1; a >= 0; a--) {
    for (int b = a + 1; b < n; b++) z[a] -= L[b * (b + 1) / 2 + a] * z[b];
    z[a] *= L[a * (a + 1) / 2 + a];
  }
  for (int a = 0; a < n; a++) x[lorentz_frame_place(a, n)] = lorentz_frame_length(a, n) * z[a];
}

#endif
