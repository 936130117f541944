/* Three-vectors and 3x3 matrices by value. */
#ifndef CR_MATH_VEC3_H
#define CR_MATH_VEC3_H

#include <math.h>
#include <stdbool.h>

typedef struct v3 {
  double x, y, z;
} v3;

/* Row-major: m[row][column]. */
typedef struct m3 {
  double m[3][3];
} m3;

static inline v3 v3_make(double x, double y, double z) { return (v3){x, y, z}; }
static inline v3 v3_load(const double* p) { return (v3){p[0], p[1], p[2]}; }
static inline void v3_store(v3 a, double* p) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline v3 v3_zero(void) { return (v3){0, 0, 0}; }
static inline v3 v3_nan(void) { return (v3){NAN, NAN, NAN}; }
static inline v3 v3_add(v3 a, v3 b) { return (v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline v3 v3_sub(v3 a, v3 b) { return (v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline v3 v3_neg(v3 a) { return (v3){-a.x, -a.y, -a.z}; }
static inline v3 v3_scale(double s, v3 a) { return (v3){s * a.x, s * a.y, s * a.z}; }

/* a + s b */
static inline v3 v3_axpy(v3 a, double s, v3 b) {
  return (v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 v3_cross(v3 a, v3 b) {
  return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_norm2(v3 a) { return v3_dot(a, a); }
static inline double v3_norm(v3 a) { return sqrt(v3_dot(a, a)); }

/* a/|a|, or `fallback` where a is zero. */
static inline v3 v3_normalize_or(v3 a, v3 fallback) {
  double n = v3_norm(a);
  return n > 0 ? v3_scale(1 / n, a) : fallback;
}

/* How the unit vector of a changes where a changes by da; zero where a is. */
static inline v3 v3_normalize_change(v3 a, v3 da) {
  double size = v3_norm(a);
  if (!(size > 0)) return v3_zero();
  v3 u = v3_scale(1 / size, a);
  return v3_scale(1 / size, v3_axpy(da, -v3_dot(u, da), u));
}
static inline v3 v3_mul(v3 a, v3 b) { return (v3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static inline v3 v3_abs(v3 a) { return (v3){fabs(a.x), fabs(a.y), fabs(a.z)}; }

/* Component 0, 1 or 2. */
static inline double v3_get(v3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }
static inline v3 v3_set(v3 a, int i, double value) {
  if (i == 0)
    a.x = value;
  else if (i == 1)
    a.y = value;
  else
    a.z = value;
  return a;
}

/* Two unit vectors that make a right-handed frame (t1, t2, n) with the unit vector n; continuous
 * on either side of n.z = 0, where they jump (Duff et al. 2017). */
static inline void v3_tangents(v3 n, v3* t1, v3* t2) {
  double sign = copysign(1.0, n.z);
  double a = -1.0 / (sign + n.z);
  double b = n.x * n.y * a;
  *t1 = v3_make(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *t2 = v3_make(b, sign + n.y * n.y * a, -n.y);
}

static inline m3 m3_identity(void) { return (m3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline m3 m3_zero(void) { return (m3){{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}; }
static inline m3 m3_diagonal(v3 d) { return (m3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}; }
static inline m3 m3_from_rows(v3 a, v3 b, v3 c) {
  return (m3){{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
}
static inline m3 m3_from_columns(v3 a, v3 b, v3 c) {
  return (m3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}
static inline v3 m3_row(const m3* a, int i) { return (v3){a->m[i][0], a->m[i][1], a->m[i][2]}; }
static inline v3 m3_column(const m3* a, int j) { return (v3){a->m[0][j], a->m[1][j], a->m[2][j]}; }

/* A x */
static inline v3 m3_mulv(const m3* a, v3 x) {
  return (v3){a->m[0][0] * x.x + a->m[0][1] * x.y + a->m[0][2] * x.z,
              a->m[1][0] * x.x + a->m[1][1] * x.y + a->m[1][2] * x.z,
              a->m[2][0] * x.x + a->m[2][1] * x.y + a->m[2][2] * x.z};
}

/* Aᵀ x */
static inline v3 m3_tmulv(const m3* a, v3 x) {
  return (v3){a->m[0][0] * x.x + a->m[1][0] * x.y + a->m[2][0] * x.z,
              a->m[0][1] * x.x + a->m[1][1] * x.y + a->m[2][1] * x.z,
              a->m[0][2] * x.x + a->m[1][2] * x.y + a->m[2][2] * x.z};
}

static inline m3 m3_mul(const m3* a, const m3* b) {
  m3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
  return c;
}

static inline m3 m3_transpose(const m3* a) {
  m3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c.m[i][j] = a->m[j][i];
  return c;
}

static inline m3 m3_add(const m3* a, const m3* b) {
  m3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c.m[i][j] = a->m[i][j] + b->m[i][j];
  return c;
}

static inline m3 m3_scale(double s, const m3* a) {
  m3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c.m[i][j] = s * a->m[i][j];
  return c;
}

/* The matrix of x -> a × x. */
static inline m3 m3_skew(v3 a) { return (m3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}}; }

/* a bᵀ */
static inline m3 m3_outer(v3 a, v3 b) {
  return m3_from_rows(v3_scale(a.x, b), v3_scale(a.y, b), v3_scale(a.z, b));
}

static inline double m3_determinant(const m3* a) {
  return v3_dot(m3_row(a, 0), v3_cross(m3_row(a, 1), m3_row(a, 2)));
}

/* Solves A x = b by Cramer's rule; A must not be singular. */
static inline v3 m3_solve(const m3* a, v3 b) {
  v3 c0 = m3_column(a, 0), c1 = m3_column(a, 1), c2 = m3_column(a, 2);
  v3 c12 = v3_cross(c1, c2);
  double scale = 1 / v3_dot(c0, c12);
  return v3_scale(
      scale, v3_make(v3_dot(b, c12), v3_dot(c0, v3_cross(b, c2)), v3_dot(c0, v3_cross(c1, b))));
}

/* R A Rᵀ */
static inline m3 m3_congruence(const m3* r, const m3* a) {
  m3 ra = m3_mul(r, a), rt = m3_transpose(r);
  return m3_mul(&ra, &rt);
}

/* The symmetric matrix of (xx, yy, zz, xy, xz, yz). */
static inline m3 m3_symmetric(const double* s) {
  return (m3){{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
}

/* R A Rᵀ for A given like that, with half the products where A is diagonal. */
static inline m3 m3_turn_symmetric(const m3* r, const double* s) {
  double half[3][3];
  bool is_diagonal = s[3] == 0 && s[4] == 0 && s[5] == 0;
  m3 out;
  for (int i = 0; i < 3; i++) {
    const double* row = r->m[i];
    for (int k = 0; k < 3; k++) half[i][k] = row[k] * s[k];
    if (is_diagonal) continue;
    half[i][0] += row[1] * s[3] + row[2] * s[4];
    half[i][1] += row[0] * s[3] + row[2] * s[5];
    half[i][2] += row[0] * s[4] + row[1] * s[5];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++)
      out.m[i][j] = out.m[j][i] =
          half[i][0] * r->m[j][0] + half[i][1] * r->m[j][1] + half[i][2] * r->m[j][2];
  return out;
}

#endif
