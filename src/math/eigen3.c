/* Cyclic Jacobi rotations on a symmetric 3x3 matrix (Golub & Van Loan, section 8.5). */
#include "math/eigen3.h"

/* Zeroes a[p][q] by a rotation, applied to V as well. */
static void rotate(double a[3][3], double v[3][3], int p, int q) {
  if (a[p][q] == 0) return;
  double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double t = copysign(1.0, tau) / (fabs(tau) + sqrt(1 + tau * tau));
  double c = 1 / sqrt(1 + t * t), s = t * c;
  for (int k = 0; k < 3; k++) {
    double akp = a[k][p], akq = a[k][q];
    a[k][p] = c * akp - s * akq;
    a[k][q] = s * akp + c * akq;
  }
  for (int k = 0; k < 3; k++) {
    double apk = a[p][k], aqk = a[q][k];
    a[p][k] = c * apk - s * aqk;
    a[q][k] = s * apk + c * aqk;
  }
  a[p][q] = a[q][p] = 0;
  for (int k = 0; k < 3; k++) {
    double vkp = v[k][p], vkq = v[k][q];
    v[k][p] = c * vkp - s * vkq;
    v[k][q] = s * vkp + c * vkq;
  }
}

static void swap_columns(m3* v, double* d, int i, int j) {
  double t = d[i];
  d[i] = d[j];
  d[j] = t;
  for (int k = 0; k < 3; k++) {
    t = v->m[k][i];
    v->m[k][i] = v->m[k][j];
    v->m[k][j] = t;
  }
}

v3 m3_eigen_symmetric(const m3* A, m3* V) {
  m3 a = *A, v = m3_identity();
  for (int sweep = 0; sweep < 32; sweep++) {
    double off = fabs(a.m[0][1]) + fabs(a.m[0][2]) + fabs(a.m[1][2]);
    if (off == 0) break;
    rotate(a.m, v.m, 0, 1);
    rotate(a.m, v.m, 0, 2);
    rotate(a.m, v.m, 1, 2);
  }
  double d[3] = {a.m[0][0], a.m[1][1], a.m[2][2]};
  if (d[1] < d[0]) swap_columns(&v, d, 0, 1);
  if (d[2] < d[0]) swap_columns(&v, d, 0, 2);
  if (d[2] < d[1]) swap_columns(&v, d, 1, 2);
  if (m3_determinant(&v) < 0)
    for (int k = 0; k < 3; k++) v.m[k][2] = -v.m[k][2];
  if (V) *V = v;
  return v3_make(d[0], d[1], d[2]);
}
