/* Vectors of the AVX-512 kernels in single precision, with twice the registers of AVX2. */
#ifndef CR_LINALG_VECTOR_SINGLE_AVX512_H
#define CR_LINALG_VECTOR_SINGLE_AVX512_H

#include "linalg/vector_octet.h"

/* Segments of a tile: 4 x 6 accumulators, 4 segments of A and one broadcast of B fill 29 of 32
 * registers. */
#define TILE_SEGMENTS 4

/* The first `count` lanes, the others zero. */
static inline segment segment_load_part(const float* p, int count) {
  return _mm256_maskz_loadu_ps((__mmask8)((1u << count) - 1), p);
}

#endif
