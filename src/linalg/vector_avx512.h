/* Vectors of the AVX-512 kernels: a segment is one register. */
#ifndef CR_LINALG_VECTOR_AVX512_H
#define CR_LINALG_VECTOR_AVX512_H

#include <immintrin.h>

/* Segments of a tile: 4 x 6 accumulators, 4 segments of A and one broadcast of B fill 32
 * registers. */
#define TILE_SEGMENTS 4

typedef __m512d segment;
typedef __m512d spread; /* one number in all lanes */

static inline segment segment_load(const double* p) { return _mm512_loadu_pd(p); }
/* The first `count` lanes, the others zero. */
static inline segment segment_load_part(const double* p, int count) {
  return _mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), p);
}
static inline void segment_store(double* p, segment a) { _mm512_storeu_pd(p, a); }
static inline void segment_store_part(double* p, segment a, int count) {
  if (count == 8) {
    _mm512_storeu_pd(p, a);
    return;
  }
  if (count == 6) {
    _mm256_storeu_pd(p, _mm512_castpd512_pd256(a));
    _mm_storeu_pd(p + 4, _mm512_extractf64x2_pd(a, 2));
    return;
  }
  _mm512_mask_storeu_pd(p, (__mmask8)((1u << count) - 1), a);
}
static inline segment segment_add(segment a, segment b) { return _mm512_add_pd(a, b); }
static inline segment segment_zero(void) { return _mm512_setzero_pd(); }
static inline spread spread_number(double x) { return _mm512_set1_pd(x); }
static inline segment segment_scale(segment a, spread b) { return _mm512_mul_pd(a, b); }

/* c - a b and c + a b, rounded once */
static inline segment segment_subtract_scaled(segment c, segment a, spread b) {
  return _mm512_fnmadd_pd(a, b, c);
}
static inline segment segment_add_product(segment c, segment a, segment b) {
  return _mm512_fmadd_pd(a, b, c);
}

/* Halves, then quarters, then the last pair: the tree of every segment_sum. */
static inline double segment_sum(segment a) {
  __m256d half = _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
  __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

#include "linalg/vector_quad.h"

#endif
