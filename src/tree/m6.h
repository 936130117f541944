/* Symmetric 6x6 matrices that take motions to forces: articulated inertias. */
#ifndef CR_TREE_M6_H
#define CR_TREE_M6_H

#include "math/spatial.h"

/* Both triangles: m[column][row], angular before linear. Stored whole, so that the products run
 * along columns. */
typedef struct cr_m6 {
  double m[6][6];
} cr_m6;

void cr_m6_from_inertia(const spatial_inertia* a, cr_m6* A);

/* A x */
sv cr_m6_mulv(const cr_m6* A, const sv* x);

/* A -= s x xᵀ */
void cr_m6_subtract_outer(cr_m6* A, double s, const sv* x);

/* A += B */
void cr_m6_add(cr_m6* A, const cr_m6* B);

#endif
