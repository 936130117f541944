/* What limits, equalities and dry friction of tendons are made of, as parameters. */
#ifndef CR_DERIVE_ROW_PARAMETERS_H
#define CR_DERIVE_ROW_PARAMETERS_H

#include "derive/row_tangent.h"
#include "derive/step_tangent.h"
#include "derive/theta.h"

static inline bool cr_theta_is_of_row(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_RANGE && theta->kind <= CR_THETA_EQUALITY_DISSIPATION;
}

/* Refuses what is taken at the reference configuration, or not asked for. */
carom_status cr_row_theta_check(const cr_step_tangent* t, const cr_theta_column* theta);

/* What a unit of it does to a constraint that is no contact. */
typedef struct cr_row_theta {
  double distance, stiffness, dissipation;
  double friction; /* N, of the bound of dry friction */
  double R, v_hat; /* of a limited actuator */
  double bound[2]; /* N, likewise */
  bool is_moved;   /* its row moves, too: */
} cr_row_theta;
cr_row_theta cr_row_theta_find(const cr_step_tangent* t, const cr_theta_column* theta,
                               const cr_constraint* constraint, const cr_row_shape* row);

/* How the row does, but for what is zero. Room for coefficients is the row's. */
void cr_row_theta_move(const cr_step_tangent* t, const cr_theta_column* theta,
                       const cr_constraint* constraint, const cr_row_shape* row,
                       cr_row_change* change);

#endif
