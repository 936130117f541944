/* One-sided Jacobi rotations (Hestenes; Golub & Van Loan, section 8.6.3): V is turned until the
 * columns of B = F V are orthogonal. The signs are put into the smallest value, so that U and V are
 * rotations (Irving, Teran, Fedkiw: Invertible finite elements, 2004). */
#include "math/svd3.h"

/* Columns whose squared cosine is below this count as orthogonal. */
#define ORTHOGONAL 1e-32
/* What a sweep of smaller turns leaves is of their square. */
#define SMALL_TURN 1e-8
#define SWEEPS     16

/* Makes two columns of B orthogonal; returns whether another sweep is needed. */
static int rotate(v3* bp, v3* bq, v3* vp, v3* vq) {
  double pp = v3_norm2(*bp), qq = v3_norm2(*bq), pq = v3_dot(*bp, *bq);
  if (pq * pq <= ORTHOGONAL * pp * qq) return 0;
  double tau = (qq - pp) / (2 * pq);
  double t = copysign(1.0, tau) / (fabs(tau) + sqrt(1 + tau * tau));
  double c = 1 / sqrt(1 + t * t), s = t * c;
  v3 b = *bp, v = *vp;
  *bp = v3_axpy(v3_scale(c, b), -s, *bq);
  *bq = v3_axpy(v3_scale(s, b), c, *bq);
  *vp = v3_axpy(v3_scale(c, v), -s, *vq);
  *vq = v3_axpy(v3_scale(s, v), c, *vq);
  return fabs(t) > SMALL_TURN;
}

static void order(v3* b, v3* v, int i, int j) {
  if (v3_norm2(b[i]) >= v3_norm2(b[j])) return;
  v3 t = b[i];
  b[i] = b[j], b[j] = t;
  t = v[i];
  v[i] = v[j], v[j] = t;
}

/* U and the values from orthogonal columns in order of their lengths. */
static void finish(const v3 b[3], m3_svd* svd) {
  double longest = v3_norm(b[0]);
  v3 u0 = v3_normalize_or(b[0], v3_make(1, 0, 0)), u1, u2;
  v3_tangents(u0, &u1, &u2);
  /* what is left of a tiny column may lean on the first one: it is straightened twice */
  v3 rest = v3_axpy(b[1], -v3_dot(u0, b[1]), u0);
  u1 = v3_normalize_or(rest, u1);
  u1 = v3_normalize_or(v3_axpy(u1, -v3_dot(u0, u1), u0), u1);
  u2 = v3_cross(u0, u1);
  svd->U = m3_from_columns(u0, u1, u2);
  svd->sigma = v3_make(longest, v3_dot(u1, b[1]), v3_dot(u2, b[2]));
}

/* The largest of all magnitudes, as a power of two: what is divided by it stays as exact. */
static double magnitude(const m3* F) {
  double largest = 0;
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs((&F->m[0][0])[i]));
  int exponent;
  frexp(largest, &exponent);
  return largest > 0 ? ldexp(1, exponent < 1000 ? exponent : 1000) : 1;
}

/* Turns V on until the columns of A = F V / scale are orthogonal. */
static m3_svd decompose(const m3* A, double scale, const m3* V) {
  v3 b[3] = {m3_column(A, 0), m3_column(A, 1), m3_column(A, 2)};
  v3 v[3] = {m3_column(V, 0), m3_column(V, 1), m3_column(V, 2)};
  for (int sweep = 0, turned = 1; turned && sweep < SWEEPS; sweep++) {
    turned = rotate(&b[0], &b[1], &v[0], &v[1]);
    turned |= rotate(&b[0], &b[2], &v[0], &v[2]);
    turned |= rotate(&b[1], &b[2], &v[1], &v[2]);
  }
  order(b, v, 0, 1);
  order(b, v, 0, 2);
  order(b, v, 1, 2);
  if (v3_dot(v[0], v3_cross(v[1], v[2])) < 0) {
    v[2] = v3_neg(v[2]);
    b[2] = v3_neg(b[2]);
  }
  m3_svd svd = {.V = m3_from_columns(v[0], v[1], v[2])};
  finish(b, &svd);
  svd.sigma = v3_scale(scale, svd.sigma);
  return svd;
}

m3_svd m3_svd_compute(const m3* F) {
  double scale = magnitude(F);
  m3 A = m3_scale(1 / scale, F), V = m3_identity();
  return decompose(&A, scale, &V);
}

m3_svd m3_svd_compute_near(const m3* F, const m3* V) {
  double scale = magnitude(F);
  m3 A = m3_scale(1 / scale, F), B = m3_mul(&A, V);
  return decompose(&B, scale, V);
}

m3 m3_svd_rotation(const m3_svd* svd) {
  m3 Vt = m3_transpose(&svd->V);
  return m3_mul(&svd->U, &Vt);
}
