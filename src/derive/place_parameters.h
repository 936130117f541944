/* Places of bodies in their parents, anchors and axes of joints, as parameters: each displaces what
 * a joint carries as a dof would that stands before it, and for joints back again behind it. */
#ifndef CR_DERIVE_PLACE_PARAMETERS_H
#define CR_DERIVE_PLACE_PARAMETERS_H

#include "derive/step_tangent.h"
#include "derive/theta.h"

static inline bool cr_theta_is_of_place(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_BODY_PLACE && theta->kind <= CR_THETA_JOINT_AXIS;
}

/* Refuses what has none yet: bodies without joints, and what strings, springs and equalities take
 * from the reference configuration. */
carom_status cr_place_theta_check(const cr_step_tangent* t, const cr_theta_column* theta);

/* Whether anything of a line stands on links that a displacement carries, and of two links whether
 * it carries one alone. */
bool cr_place_moves_line(const carom_model* model, const cr_tree_insertion* in, int line);
bool cr_place_parts(const cr_tree_model* model, const cr_tree_insertion* in, const int link[2]);

/* Displacements for a unit of a number, where the step is placed; returns how many. */
int cr_place_theta_list(const cr_step* step, const cr_theta_column* theta,
                        cr_tree_insertion out[2]);

/* What of the velocity of a link that is displaced does not turn with it, in a motion v [num_v]. */
sv cr_place_theta_find_drift(const cr_step* step, const cr_tree_insertion* in, const double* v);

/* As cr_theta_add_balance. */
void cr_place_theta_add_balance(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                                double* dm);

/* As cr_theta_add_matrix; with impulses on the links, which they carry along, d(A x - Jᵀ gamma). */
typedef struct cr_place_load {
  const double* x;   /* [num_v] */
  const sv* impulse; /* [num_links] about the trees' origins; null: none */
} cr_place_load;
void cr_place_theta_add_matrix(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                               const cr_place_load* load, double* out);

#endif
