/* Vectors of the AVX2 kernels: a segment is two registers. */
#ifndef CR_LINALG_VECTOR_AVX2_H
#define CR_LINALG_VECTOR_AVX2_H

#include <immintrin.h>

/* Segments of a tile: 1 x 6 accumulators of two registers, two of A and one broadcast of B fill
 * 16 registers. */
#define TILE_SEGMENTS 1

typedef struct segment {
  __m256d low, high;
} segment;
typedef __m256d spread; /* one number in all lanes */

static inline segment segment_load(const double* p) {
  return (segment){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}
/* The first `count` lanes, the others zero. */
static inline segment segment_load_part(const double* p, int count) {
  const __m256i low = _mm256_set_epi64x(3, 2, 1, 0), high = _mm256_set_epi64x(7, 6, 5, 4);
  __m256i end = _mm256_set1_epi64x(count);
  return (segment){_mm256_maskload_pd(p, _mm256_cmpgt_epi64(end, low)),
                   _mm256_maskload_pd(p + 4, _mm256_cmpgt_epi64(end, high))};
}
static inline void segment_store(double* p, segment a) {
  _mm256_storeu_pd(p, a.low);
  _mm256_storeu_pd(p + 4, a.high);
}
static inline void segment_store_part(double* p, segment a, int count) {
  if (count == 8) {
    segment_store(p, a);
    return;
  }
  if (count & 4) {
    _mm256_storeu_pd(p, a.low);
    p += 4;
    a.low = a.high;
  }
  __m128d rest = _mm256_castpd256_pd128(a.low);
  if (count & 2) {
    _mm_storeu_pd(p, rest);
    p += 2;
    rest = _mm256_extractf128_pd(a.low, 1);
  }
  if (count & 1) _mm_store_sd(p, rest);
}
static inline segment segment_add(segment a, segment b) {
  return (segment){_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
}
static inline segment segment_zero(void) {
  return (segment){_mm256_setzero_pd(), _mm256_setzero_pd()};
}
static inline spread spread_number(double x) { return _mm256_set1_pd(x); }
static inline segment segment_scale(segment a, spread b) {
  return (segment){_mm256_mul_pd(a.low, b), _mm256_mul_pd(a.high, b)};
}

/* c - a b and c + a b, rounded once */
static inline segment segment_subtract_scaled(segment c, segment a, spread b) {
  return (segment){_mm256_fnmadd_pd(a.low, b, c.low), _mm256_fnmadd_pd(a.high, b, c.high)};
}
static inline segment segment_add_product(segment c, segment a, segment b) {
  return (segment){_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}

/* Halves, then quarters, then the last pair: the tree of every segment_sum. */
static inline double segment_sum(segment a) {
  __m256d half = _mm256_add_pd(a.low, a.high);
  __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

#include "linalg/vector_quad.h"

#endif
