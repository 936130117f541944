/* Vectors of the AVX2 kernels in single precision. */
#ifndef CR_LINALG_VECTOR_SINGLE_AVX2_H
#define CR_LINALG_VECTOR_SINGLE_AVX2_H

#include "linalg/vector_octet.h"

/* Segments of a tile: 2 x 6 accumulators, two segments of A and one broadcast of B fill 15 of 16
 * registers. */
#define TILE_SEGMENTS 2

/* The first `count` lanes, the others zero. */
static inline segment segment_load_part(const float* p, int count) {
  const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane));
}

#endif
