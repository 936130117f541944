/* Numbers and vectors with their derivatives by the six coordinates of a small displacement: what
 * the chain rule needs, and no more. */
#ifndef CR_GEOM_JET_H
#define CR_GEOM_JET_H

#include "math/vec3.h"

#define JET_SIZE 6

typedef struct jet {
  double x, d[JET_SIZE];
} jet;

typedef struct jet3 {
  v3 x, d[JET_SIZE];
} jet3;

static inline jet3 jet3_constant(v3 x) { return (jet3){.x = x}; }

/* a + s b */
static inline jet3 jet3_axpy(jet3 a, double s, jet3 b) {
  a.x = v3_axpy(a.x, s, b.x);
  for (int i = 0; i < JET_SIZE; i++) a.d[i] = v3_axpy(a.d[i], s, b.d[i]);
  return a;
}

static inline jet3 jet3_sub(jet3 a, jet3 b) { return jet3_axpy(a, -1, b); }
static inline jet3 jet3_scale(double s, jet3 a) { return jet3_axpy((jet3){.x = {0}}, s, a); }

static inline jet jet3_dot(jet3 a, jet3 b) {
  jet c = {.x = v3_dot(a.x, b.x)};
  for (int i = 0; i < JET_SIZE; i++) c.d[i] = v3_dot(a.d[i], b.x) + v3_dot(a.x, b.d[i]);
  return c;
}

static inline jet3 jet3_cross(jet3 a, jet3 b) {
  jet3 c = {.x = v3_cross(a.x, b.x)};
  for (int i = 0; i < JET_SIZE; i++) c.d[i] = v3_add(v3_cross(a.d[i], b.x), v3_cross(a.x, b.d[i]));
  return c;
}

/* a + s b, where s varies too. */
static inline jet3 jet3_add_scaled(jet3 a, jet s, jet3 b) {
  for (int i = 0; i < JET_SIZE; i++)
    a.d[i] = v3_add(a.d[i], v3_axpy(v3_scale(s.d[i], b.x), s.x, b.d[i]));
  a.x = v3_axpy(a.x, s.x, b.x);
  return a;
}

/* a / b */
static inline jet jet_div(jet a, jet b) {
  jet c = {.x = a.x / b.x};
  for (int i = 0; i < JET_SIZE; i++) c.d[i] = (a.d[i] - c.x * b.d[i]) / b.x;
  return c;
}

static inline jet jet_neg(jet a) {
  a.x = -a.x;
  for (int i = 0; i < JET_SIZE; i++) a.d[i] = -a.d[i];
  return a;
}

/* a / |a|, of a vector that is not zero. */
static inline jet3 jet3_normalize(jet3 a) {
  double length = v3_norm(a.x);
  jet3 n = {.x = v3_scale(1 / length, a.x)};
  for (int i = 0; i < JET_SIZE; i++)
    n.d[i] = v3_scale(1 / length, v3_axpy(a.d[i], -v3_dot(n.x, a.d[i]), n.x));
  return n;
}

/* The part of a across the unit vector u. */
static inline jet3 jet3_reject(jet3 a, jet3 u) {
  return jet3_add_scaled(a, jet_neg(jet3_dot(a, u)), u);
}

#endif
