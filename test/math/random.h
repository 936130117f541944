/* Random vectors, matrices and rotations for the tests of math. */
#ifndef CR_TEST_MATH_RANDOM_H
#define CR_TEST_MATH_RANDOM_H

#include "math/quat.h"
#include "math/spatial.h"
#include "support/check.h"

static inline v3 random_v3(check_random* random) {
  double x = check_random_normal(random), y = check_random_normal(random);
  return v3_make(x, y, check_random_normal(random));
}

static inline v3 random_unit(check_random* random) {
  return v3_normalize_or(random_v3(random), v3_make(1, 0, 0));
}

static inline m3 random_m3(check_random* random) {
  v3 a = random_v3(random), b = random_v3(random);
  return m3_from_rows(a, b, random_v3(random));
}

/* Uniform over the rotations. */
static inline quat random_quat(check_random* random) {
  v3 a = random_v3(random);
  return quat_normalize((quat){check_random_normal(random), a.x, a.y, a.z});
}

static inline pose random_pose(check_random* random) {
  quat q = random_quat(random);
  return (pose){random_v3(random), quat_to_m3(q)};
}

static inline sv random_sv(check_random* random) {
  v3 ang = random_v3(random);
  return (sv){ang, random_v3(random)};
}

/* Symmetric and positive definite. */
static inline m3 random_spd(check_random* random) {
  m3 a = random_m3(random), at = m3_transpose(&a), product = m3_mul(&a, &at), one = m3_identity();
  return m3_add(&product, &one);
}

/* As check_near, by component. */
#define check_v3(actual, expected, tolerance) \
  check_v3_at((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
#define check_m3(actual, expected, tolerance) \
  check_near_array(&(actual).m[0][0], &(expected).m[0][0], 9, tolerance)
#define check_sv(actual, expected, tolerance) \
  check_sv_at((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

static inline void check_v3_at(v3 actual, v3 expected, double tolerance, const char* what,
                               const char* file, int line) {
  double a[3], b[3];
  v3_store(actual, a);
  v3_store(expected, b);
  check_near_array_at(a, b, 3, tolerance, what, file, line);
}

static inline void check_sv_at(sv actual, sv expected, double tolerance, const char* what,
                               const char* file, int line) {
  check_v3_at(actual.ang, expected.ang, tolerance, what, file, line);
  check_v3_at(actual.lin, expected.lin, tolerance, what, file, line);
}

#endif
