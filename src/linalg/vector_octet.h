/* Vectors of eight floats, shared by the single-precision kernels for AVX2 and AVX-512: a segment
 * is one register of 256 bits, whose lanes are as many as a segment has rows. */
#ifndef CR_LINALG_VECTOR_OCTET_H
#define CR_LINALG_VECTOR_OCTET_H

#include <immintrin.h>

typedef __m256 segment;
typedef __m256 spread; /* one number in all lanes */

static inline segment segment_load(const float* p) { return _mm256_loadu_ps(p); }
static inline void segment_store(float* p, segment a) { _mm256_storeu_ps(p, a); }
static inline segment segment_add(segment a, segment b) { return _mm256_add_ps(a, b); }
static inline segment segment_zero(void) { return _mm256_setzero_ps(); }
static inline spread spread_number(float x) { return _mm256_set1_ps(x); }
static inline segment segment_scale(segment a, spread b) { return _mm256_mul_ps(a, b); }

/* c - a b and c + a b, rounded once */
static inline segment segment_subtract_scaled(segment c, segment a, spread b) {
  return _mm256_fnmadd_ps(a, b, c);
}
static inline segment segment_add_product(segment c, segment a, segment b) {
  return _mm256_fmadd_ps(a, b, c);
}

/* The first 1 to 7 lanes, by their counts' binary digits. */
static inline void segment_store_digits(float* p, segment a, int count) {
  __m128 rest = _mm256_castps256_ps128(a);
  if (count & 4) {
    _mm_storeu_ps(p, rest);
    p += 4;
    rest = _mm256_extractf128_ps(a, 1);
  }
  if (count & 2) {
    _mm_storel_pi((__m64*)p, rest);
    p += 2;
    rest = _mm_movehl_ps(rest, rest);
  }
  if (count & 1) _mm_store_ss(p, rest);
}
static inline void segment_store_part(float* p, segment a, int count) {
  if (count == 8)
    _mm256_storeu_ps(p, a);
  else
    segment_store_digits(p, a, count);
}

/* Halves, then quarters, then the last pair: the tree of every segment_sum. */
static inline float segment_sum(segment a) {
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
}

/* to += from, four numbers */
static inline void add_four(const double* from, float* to) {
  _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), _mm256_cvtpd_ps(_mm256_loadu_pd(from))));
}

/* a b + c, rounded once */
static inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#endif
