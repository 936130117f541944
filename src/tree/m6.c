/* Symmetric 6x6 matrices. These stand in a file of their own because compilers vectorise them well
 * as functions and badly when they are inlined into a sweep. */
#include "tree/m6.h"

void cr_m6_from_inertia(const spatial_inertia* a, cr_m6* A) {
  const double* I = a->I;
  const v3 h = a->mc;
  const double m = a->mass;
  *A = (cr_m6){{
      {I[0], I[3], I[4], 0, -h.z, h.y},
      {I[3], I[1], I[5], h.z, 0, -h.x},
      {I[4], I[5], I[2], -h.y, h.x, 0},
      {0, h.z, -h.y, m, 0, 0},
      {-h.z, 0, h.x, 0, m, 0},
      {h.y, -h.x, 0, 0, 0, m},
  }};
}

sv cr_m6_mulv(const cr_m6* A, const sv* x) {
  const double s[6] = {x->ang.x, x->ang.y, x->ang.z, x->lin.x, x->lin.y, x->lin.z};
  double y[6] = {0};
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < 6; r++) y[r] += A->m[c][r] * s[c];
  return (sv){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

void cr_m6_subtract_outer(cr_m6* A, double s, const sv* x) {
  const double u[6] = {x->ang.x, x->ang.y, x->ang.z, x->lin.x, x->lin.y, x->lin.z};
  for (int c = 0; c < 6; c++) {
    double su = s * u[c];
    for (int r = 0; r < 6; r++) A->m[c][r] -= su * u[r];
  }
}

void cr_m6_add(cr_m6* A, const cr_m6* B) {
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < 6; r++) A->m[c][r] += B->m[c][r];
}
