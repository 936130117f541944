/* How the weights of one stiff damper move with the start of a step, see weight_tangent.h. */
#ifndef CR_DERIVE_WEIGHT_WAY_H
#define CR_DERIVE_WEIGHT_WAY_H

#include "sim/tree/damping.h"

typedef struct cr_weight_tangent {
  int dof, n;    /* dof -1: of a line, or of a spring between points */
  int* group;    /* [n] dofs that z moves with */
  double *q, *v; /* [n] d z / d q0, v0 */
  cr_weight by;  /* d / d z */
  double matrix; /* d A_ii / d z, of a dof */
} cr_weight_tangent;

struct cr_weight_tangents {
  int count;
  cr_weight_tangent* items;                 /* of dofs */
  int* of_dof;                              /* [num_v] -1: it does not move */
  const cr_weight_tangent **line, **spring; /* of [num_lines], [num_springs]; null: likewise */
};
typedef struct cr_weight_tangents cr_weight_tangents;

/* dz of a column. */
static inline double cr_weight_tangent_move(const cr_weight_tangent* w, const double* q0,
                                            const double* v0) {
  double sum = 0;
  for (int i = 0; i < w->n; i++) sum += w->q[i] * q0[w->group[i]] + w->v[i] * v0[w->group[i]];
  return sum;
}

#endif
