/* Singular values of 3x3 matrices, with rotations on both sides. */
#ifndef CR_MATH_SVD3_H
#define CR_MATH_SVD3_H

#include "math/vec3.h"

/* F = U diag(sigma) Vᵀ, det U = det V = 1, sigma.x >= sigma.y >= |sigma.z| to round-off; the last
 * one carries the sign of det F. */
typedef struct m3_svd {
  m3 U, V;
  v3 sigma;
} m3_svd;

/* Decomposes any finite matrix to round-off of its largest entry. */
m3_svd m3_svd_compute(const m3* F);

/* The same from a rotation that V is near to, such as that of a matrix nearby: in fewer
 * sweeps. Any rotation will do. */
m3_svd m3_svd_compute_near(const m3* F, const m3* V);

/* The rotation R = U Vᵀ nearest to F, also where det F <= 0. */
m3 m3_svd_rotation(const m3_svd* svd);

#endif
