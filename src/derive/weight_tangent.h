/* How the weights of stiff dampers (sim/tree/damping.h) move: each is a function of z = dt d / m,
 * and m of how the links beside the damper stand where it is weighed, which follows from q0 and v0.
 */
#ifndef CR_DERIVE_WEIGHT_TANGENT_H
#define CR_DERIVE_WEIGHT_TANGENT_H

#include "derive/step_tangent.h"
#include "sim/tree/damping_mass.h"

typedef struct cr_weight_tangent {
  int dof, n;
  int group[CR_GROUP_MAX];                 /* [n] dofs that z moves with */
  double q[CR_GROUP_MAX], v[CR_GROUP_MAX]; /* [n] d z / d q0, v0 */
  cr_weight by;                            /* d / d z */
  double matrix;                           /* d A_ii / d z */
} cr_weight_tangent;

struct cr_weight_tangents {
  int count;
  cr_weight_tangent* items;
  int* of_dof; /* [num_v] -1: it does not move */
};
typedef struct cr_weight_tangents cr_weight_tangents;

/* Those that move, into t.weights; counts what moves otherwise as held. Leaves trees elsewhere than
 * they were placed. */
bool cr_weight_tangents_find(cr_step_tangent* t);

/* dz of a column. */
double cr_weight_tangent_move(const cr_weight_tangent* w, const double* q0, const double* v0);

/* How much d = R gamma - v_hat of a limited actuator's row (sim/rows/row_values.h) moves with z. */
double cr_weight_tangent_of_actuator(const cr_step* step, const cr_weight_tangent* w, int actuator,
                                     double gamma);

#endif
