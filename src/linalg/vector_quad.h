/* Vectors of four doubles for row-major Jacobians, shared by the AVX2 and AVX-512 kernels. */
#ifndef CR_LINALG_VECTOR_QUAD_H
#define CR_LINALG_VECTOR_QUAD_H

#include <immintrin.h>

typedef __m256d quad;

static inline quad quad_load(const double* p) { return _mm256_loadu_pd(p); }
static inline void quad_store(double* p, quad a) { _mm256_storeu_pd(p, a); }
static inline quad quad_zero(void) { return _mm256_setzero_pd(); }
static inline quad quad_make(double a, double b, double c, double d) {
  return _mm256_set_pd(d, c, b, a);
}
static inline quad quad_spread(double x) { return _mm256_set1_pd(x); }
static inline quad quad_add(quad a, quad b) { return _mm256_add_pd(a, b); }
static inline quad quad_subtract(quad a, quad b) { return _mm256_sub_pd(a, b); }
static inline void add_four(const double* from, double* to) {
  quad_store(to, quad_add(quad_load(to), quad_load(from)));
}
static inline quad quad_multiply(quad a, quad b) { return _mm256_mul_pd(a, b); }
static inline quad quad_add_product(quad c, quad a, quad b) { return _mm256_fmadd_pd(a, b, c); }
static inline quad quad_subtract_product(quad c, quad a, quad b) {
  return _mm256_fnmadd_pd(a, b, c);
}

/* (a1, a2, a3, a0) and (a2, a3, a0, a1) */
static inline quad quad_rotate(quad a) { return _mm256_permute4x64_pd(a, 0x39); }
static inline quad quad_swap_halves(quad a) { return _mm256_permute4x64_pd(a, 0x4e); }

/* The sums (a0 + a1) + (a2 + a3) of four vectors. */
static inline quad quad_sum_each(quad a, quad b, quad c, quad d) {
  quad ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31));
}
static inline double quad_sum(quad a) { return _mm256_cvtsd_f64(quad_sum_each(a, a, a, a)); }

/* a b + c, rounded once */
static inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

#endif
