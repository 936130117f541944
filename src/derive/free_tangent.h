/* What a tree's free motion is differentiated with, forwards (free_tangent.c) and backwards
 * (adjoint.c). */
#ifndef CR_DERIVE_FREE_TANGENT_H
#define CR_DERIVE_FREE_TANGENT_H

#include "derive/parameters.h"

/* One tree. Vectors are [num_v], of which its entries count. */
typedef struct cr_free_tangent {
  cr_step_tangent* t;
  int tree, start, n;
  bool is_known;
  double *M, *J;    /* [n, n] symmetric; row-major, d m / d v*, later its LU factors */
  int* pivot;       /* [n] */
  double* diagonal; /* of A less M, where that is known */
  double *zero, *v_at, *v_q, *q_mid, *dm; /* work */
  cr_joint_slopes joints;
} cr_free_tangent;

/* Room for the largest tree; false when memory ran out. */
bool cr_free_tangent_init(cr_free_tangent* f);

/* Slopes of a tree's balance, t.slope and t.mid with them, and the factors of J. The tree is left
 * where it is linearised: at v*. */
carom_status cr_free_tangent_factor(cr_free_tangent* f, int tree);

/* Leaves a tree there without differentiating it. */
void cr_free_tangent_place(cr_free_tangent* f, int tree);

/* y += s X x, X [n, n] column-major; and its transpose. */
void cr_free_tangent_add_product(const cr_free_tangent* f, double s, const double* X,
                                 const double* x, double* y);
void cr_free_tangent_add_transposed(const cr_free_tangent* f, double s, const double* X,
                                    const double* x, double* y);

#endif
