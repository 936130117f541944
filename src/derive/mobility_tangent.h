/* How mobilities of rows move. */
#ifndef CR_DERIVE_MOBILITY_TANGENT_H
#define CR_DERIVE_MOBILITY_TANGENT_H

#include "derive/constraint_state.h"
#include "derive/row_force.h"

/* - dD of a dof by the place of another one, which it carries or not. */
double cr_mobility_find_radius_slope(const cr_step* step, const spatial_inertia* composite, int by,
                                     int dof);

/* Some rows of the problem together: row[k] times by[k]. */
typedef struct cr_row_sum {
  int count;
  const int* row;
  const double* by;
} cr_row_sum;

/* Room for a velocity, its motion and what it does by q_mid, all zero [num_v] but for the motion.
 * False when memory ran out. */
bool cr_answer_push(const cr_constraint_state* s, cr_row_motion** motion, double** v,
                    double** slope);

/* The answer to an impulse along rows of the problem. False when memory ran out. */
bool cr_answer_find(cr_constraint_state* s, const cr_row_sum* along, cr_answer* answer);

/* The same to a unit along one. */
static inline bool cr_answer_find_row(cr_constraint_state* s, int row, cr_answer* answer) {
  double one = 1;
  return cr_answer_find(s, &(cr_row_sum){1, &row, &one}, answer);
}

/* What moves the part of A that is not of the links' inertia. */
typedef struct cr_matrix_way {
  const cr_weight_tangent* weight; /* of a damper, a unit of it; null: forces along rows, */
  int column;                      /* in a column */
} cr_matrix_way;

/* What that makes of the mobility of a row; the transpose of all of it.
 * @param z [num_v] its answer
 * @param work [num_v] zeros, and zeros afterwards */
double cr_mobility_tangent_move(const cr_constraint_state* s, const double* z,
                                const cr_matrix_way* way, double* work);
typedef struct cr_mobility_cotangents {
  double *q0, *v0; /* [num_v] */
  cr_row_force_cotangents of_forces;
} cr_mobility_cotangents;
void cr_mobility_tangent_pull(const cr_constraint_state* s, const double* z, double cotangent,
                              const cr_mobility_cotangents* out);

#endif
