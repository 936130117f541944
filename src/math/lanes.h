/* Four numbers side by side, in whatever registers the file is compiled for. Every operation is
 * rounded by itself, lane by lane, so that the results are those of plain numbers on any machine.
 */
#ifndef CR_MATH_LANES_H
#define CR_MATH_LANES_H

#include <math.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define LANES 4

/* Inlined without exception: how they would pass such registers depends on the file's options, of
 * which gcc warns. */
#define LANES_INLINE static inline __attribute__((always_inline))
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double lanes __attribute__((vector_size(32)));
typedef long long lanes_mask __attribute__((vector_size(32))); /* of a comparison: 0 or -1 */

LANES_INLINE lanes lanes_spread(double x) { return (lanes){x, x, x, x}; }

LANES_INLINE lanes lanes_load(const double* p) {
  lanes x;
  memcpy(&x, p, sizeof x);
  return x;
}

LANES_INLINE void lanes_store(double* p, lanes x) { memcpy(p, &x, sizeof x); }

/* The elements of four triples that stand one behind the other. */
LANES_INLINE void lanes_load_triples(const double* p, lanes x[3]) {
#if defined(__AVX2__)
  __m256d a = _mm256_loadu_pd(p), b = _mm256_loadu_pd(p + 4), c = _mm256_loadu_pd(p + 8);
  __m256d x0 = _mm256_blend_pd(_mm256_blend_pd(a, c, 2), b, 4); /* 0 3 2 1 */
  __m256d x1 = _mm256_blend_pd(_mm256_blend_pd(b, a, 2), c, 4); /* 1 0 3 2 */
  __m256d x2 = _mm256_blend_pd(_mm256_blend_pd(c, b, 2), a, 4); /* 2 1 0 3 */
  x[0] = (lanes)_mm256_permute4x64_pd(x0, 0x6c);
  x[1] = (lanes)_mm256_permute_pd(x1, 0x5);
  x[2] = (lanes)_mm256_permute4x64_pd(x2, 0xc6);
#else
  for (int k = 0; k < 3; k++) x[k] = (lanes){p[k], p[3 + k], p[6 + k], p[9 + k]};
#endif
}

/* The other way round. */
LANES_INLINE void lanes_store_triples(double* p, const lanes x[3]) {
#if defined(__AVX2__)
  __m256d x0 = _mm256_permute4x64_pd((__m256d)x[0], 0x6c); /* of each, the place in its four */
  __m256d x1 = _mm256_permute_pd((__m256d)x[1], 0x5);
  __m256d x2 = _mm256_permute4x64_pd((__m256d)x[2], 0xc6);
  _mm256_storeu_pd(p, _mm256_blend_pd(_mm256_blend_pd(x0, x1, 2), x2, 4));
  _mm256_storeu_pd(p + 4, _mm256_blend_pd(_mm256_blend_pd(x1, x2, 2), x0, 4));
  _mm256_storeu_pd(p + 8, _mm256_blend_pd(_mm256_blend_pd(x2, x0, 2), x1, 4));
#else
  for (int i = 0; i < LANES; i++)
    for (int k = 0; k < 3; k++) p[3 * i + k] = x[k][i];
#endif
}

/* Rows to columns: y[k][i] = x[i][k]. */
LANES_INLINE void lanes_transpose(const lanes x[4], lanes y[4]) {
#if defined(__AVX2__)
  __m256d a = _mm256_unpacklo_pd((__m256d)x[0], (__m256d)x[1]); /* 00 10 02 12 */
  __m256d b = _mm256_unpackhi_pd((__m256d)x[0], (__m256d)x[1]); /* 01 11 03 13 */
  __m256d c = _mm256_unpacklo_pd((__m256d)x[2], (__m256d)x[3]);
  __m256d d = _mm256_unpackhi_pd((__m256d)x[2], (__m256d)x[3]);
  y[0] = (lanes)_mm256_permute2f128_pd(a, c, 0x20);
  y[1] = (lanes)_mm256_permute2f128_pd(b, d, 0x20);
  y[2] = (lanes)_mm256_permute2f128_pd(a, c, 0x31);
  y[3] = (lanes)_mm256_permute2f128_pd(b, d, 0x31);
#else
  for (int k = 0; k < LANES; k++) y[k] = (lanes){x[0][k], x[1][k], x[2][k], x[3][k]};
#endif
}

/* mask ? a : b */
LANES_INLINE lanes lanes_choose(lanes_mask mask, lanes a, lanes b) {
#if defined(__AVX2__)
  return (lanes)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
  return (lanes)((mask & (lanes_mask)a) | (~mask & (lanes_mask)b));
#endif
}

/* As scalar_max: b where one of them is not a number. */
LANES_INLINE lanes lanes_max(lanes a, lanes b) { return lanes_choose(a > b, a, b); }

LANES_INLINE lanes lanes_abs(lanes a) { return (lanes)((lanes_mask)a & 0x7fffffffffffffff); }

LANES_INLINE lanes lanes_sqrt(lanes a) {
#if defined(__AVX2__)
  return (lanes)_mm256_sqrt_pd((__m256d)a);
#else
  return (lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

/* As scalar_norm2. */
LANES_INLINE lanes lanes_norm2(lanes x, lanes y) { return lanes_sqrt(x * x + y * y); }

#endif
