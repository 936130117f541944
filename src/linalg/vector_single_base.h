/* Vectors of the base kernels in single precision: fours of floats. A product and its sum are
 * rounded apart. */
#ifndef CR_LINALG_VECTOR_SINGLE_BASE_H
#define CR_LINALG_VECTOR_SINGLE_BASE_H

#include <string.h>

#define TILE_SEGMENTS 1

typedef float four __attribute__((vector_size(16)));

typedef struct segment {
  four a, b;
} segment;
typedef four spread; /* one number in all lanes */

static inline segment segment_load(const float* p) {
  segment v;
  memcpy(&v, p, sizeof v);
  return v;
}
/* The first `count` lanes, the others zero. */
static inline segment segment_load_part(const float* p, int count) {
  float lane[8] = {0};
  for (int k = 0; k < count; k++) lane[k] = p[k];
  return segment_load(lane);
}
static inline void segment_store(float* p, segment v) { memcpy(p, &v, sizeof v); }
static inline void segment_store_part(float* p, segment v, int count) {
  float lane[8];
  segment_store(lane, v);
  for (int k = 0; k < count; k++) p[k] = lane[k];
}
static inline segment segment_add(segment v, segment w) { return (segment){v.a + w.a, v.b + w.b}; }
static inline segment segment_zero(void) { return (segment){{0}, {0}}; }
static inline spread spread_number(float x) { return (four){x, x, x, x}; }
static inline segment segment_scale(segment v, spread s) { return (segment){v.a * s, v.b * s}; }

/* z - x s and z + x y */
static inline segment segment_subtract_scaled(segment z, segment x, spread s) {
  return (segment){z.a - x.a * s, z.b - x.b * s};
}
static inline segment segment_add_product(segment z, segment x, segment y) {
  return (segment){z.a + x.a * y.a, z.b + x.b * y.b};
}

/* Halves, then quarters, then the last pair: the tree of every segment_sum. */
static inline float segment_sum(segment v) {
  four half = v.a + v.b;
  return (half[0] + half[2]) + (half[1] + half[3]);
}

/* to += from, four numbers */
static inline void add_four(const double* from, float* to) {
  for (int k = 0; k < 4; k++) to[k] += (float)from[k];
}

static inline float fused(float a, float b, float c) { return a * b + c; }

#endif
