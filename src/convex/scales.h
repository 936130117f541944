/* What the measures of all solutions of one problem are relative to, made when it is finished. */
#ifndef CR_CONVEX_SCALES_H
#define CR_CONVEX_SCALES_H

#include "problem/problem.h"

/* Scales of a natural residual: rho of every row, constant over a constraint's rows. */
typedef struct cr_convex_rho {
  double* rho;  /* [num_rows] */
  double size2; /* |rho q|² */
} cr_convex_rho;

/* Rows in the order of the compiled problem. None of these depends on R. */
typedef struct cr_convex_scales {
  double* v_c_star;             /* [num_rows] J v* */
  double* v_c0;                 /* [num_rows] J v0 */
  double* q;                    /* [num_rows] J v* - v_hat */
  cr_convex_rho of_row, of_all; /* rows / trace(W_ii), rows / trace(W) */
  double* largest;              /* [num_constraints] largest eigenvalue of W_ii */
  double start2;                /* |v* - v0|² in A */
  double star;                  /* |v*| in A */
} cr_convex_scales;

/* Of a problem whose W is known. False when memory ran out. */
bool cr_convex_scales_compute(const cr_problem* problem, cr_arena* arena, cr_convex_scales* scales);

/* trace(W_ii). */
double cr_convex_get_trace(const cr_problem* problem, int constraint);

#endif
