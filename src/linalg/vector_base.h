/* Vectors of the base kernels: pairs of doubles, which every 64-bit machine has. A product and its
 * sum are rounded apart. */
#ifndef CR_LINALG_VECTOR_BASE_H
#define CR_LINALG_VECTOR_BASE_H

#include <string.h>

#define TILE_SEGMENTS 1

typedef double pair __attribute__((vector_size(16)));

typedef struct segment {
  pair a, b, c, d;
} segment;
typedef pair spread; /* one number in all lanes */

typedef struct quad {
  pair low, high;
} quad;

static inline pair pair_load(const double* p) {
  pair v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline void pair_store(double* p, pair v) { memcpy(p, &v, sizeof v); }

static inline segment segment_load(const double* p) {
  return (segment){pair_load(p), pair_load(p + 2), pair_load(p + 4), pair_load(p + 6)};
}
/* The first `count` lanes, the others zero. */
static inline segment segment_load_part(const double* p, int count) {
  double lane[8] = {0};
  for (int k = 0; k < count; k++) lane[k] = p[k];
  return segment_load(lane);
}
static inline void segment_store(double* p, segment v) {
  pair_store(p, v.a);
  pair_store(p + 2, v.b);
  pair_store(p + 4, v.c);
  pair_store(p + 6, v.d);
}
static inline void segment_store_part(double* p, segment v, int count) {
  double lane[8];
  segment_store(lane, v);
  for (int k = 0; k < count; k++) p[k] = lane[k];
}
static inline segment segment_add(segment v, segment w) {
  return (segment){v.a + w.a, v.b + w.b, v.c + w.c, v.d + w.d};
}
static inline segment segment_zero(void) { return (segment){{0}, {0}, {0}, {0}}; }
static inline spread spread_number(double x) { return (pair){x, x}; }
static inline segment segment_scale(segment v, spread s) {
  return (segment){v.a * s, v.b * s, v.c * s, v.d * s};
}

/* z - x s and z + x y */
static inline segment segment_subtract_scaled(segment z, segment x, spread s) {
  return (segment){z.a - x.a * s, z.b - x.b * s, z.c - x.c * s, z.d - x.d * s};
}
static inline segment segment_add_product(segment z, segment x, segment y) {
  return (segment){z.a + x.a * y.a, z.b + x.b * y.b, z.c + x.c * y.c, z.d + x.d * y.d};
}

/* Halves, then quarters, then the last pair: the tree of every segment_sum. */
static inline double segment_sum(segment v) {
  pair sum = (v.a + v.c) + (v.b + v.d);
  return sum[0] + sum[1];
}

static inline quad quad_load(const double* p) { return (quad){pair_load(p), pair_load(p + 2)}; }
static inline void quad_store(double* p, quad v) {
  pair_store(p, v.low);
  pair_store(p + 2, v.high);
}
static inline quad quad_zero(void) { return (quad){{0}, {0}}; }
static inline quad quad_make(double a, double b, double c, double d) {
  return (quad){{a, b}, {c, d}};
}
static inline quad quad_spread(double x) { return (quad){{x, x}, {x, x}}; }
static inline quad quad_add(quad x, quad y) { return (quad){x.low + y.low, x.high + y.high}; }
static inline quad quad_subtract(quad x, quad y) { return (quad){x.low - y.low, x.high - y.high}; }
static inline void add_four(const double* from, double* to) {
  quad_store(to, quad_add(quad_load(to), quad_load(from)));
}
static inline quad quad_multiply(quad x, quad y) { return (quad){x.low * y.low, x.high * y.high}; }
static inline quad quad_add_product(quad z, quad x, quad y) {
  return (quad){z.low + x.low * y.low, z.high + x.high * y.high};
}
static inline quad quad_subtract_product(quad z, quad x, quad y) {
  return (quad){z.low - x.low * y.low, z.high - x.high * y.high};
}

/* (v1, v2, v3, v0) and (v2, v3, v0, v1) */
static inline quad quad_rotate(quad v) {
  return (quad){{v.low[1], v.high[0]}, {v.high[1], v.low[0]}};
}
static inline quad quad_swap_halves(quad v) { return (quad){v.high, v.low}; }
static inline double quad_sum(quad v) { return (v.low[0] + v.low[1]) + (v.high[0] + v.high[1]); }
static inline quad quad_sum_each(quad a, quad b, quad c, quad d) {
  return (quad){{quad_sum(a), quad_sum(b)}, {quad_sum(c), quad_sum(d)}};
}

static inline double fused(double a, double b, double c) { return a * b + c; }

#endif
