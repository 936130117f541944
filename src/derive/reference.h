/* What places of bodies and joints move where a model takes it from the reference configuration, or
 * from that of its springs: anchors and poses of equalities, rests of tendons and of springs
 * between points, where nodes of soft bodies are tied to links. */
#ifndef CR_DERIVE_REFERENCE_H
#define CR_DERIVE_REFERENCE_H

#include "derive/row_tangent.h"
#include "derive/theta.h"

/* Places t.reference and t.spring_reference, where a number is one of a place; false when memory
 * ran out. */
bool cr_references_find(cr_step_tangent* t);

/* How the rest of a tendon moves, and that of a spring between points; 0 where it is given. */
double cr_reference_move_rest(const cr_step_tangent* t, const cr_theta_column* theta, int tendon);
double cr_reference_move_spring(const cr_step_tangent* t, const cr_theta_column* theta, int spring);

/* Adds what it does to the row of an equality or a tie whose links have been displaced; returns
 * what that does to its distance. */
double cr_reference_move_row(const cr_step_tangent* t, const cr_theta_column* theta,
                             const cr_constraint* constraint, const cr_row_shape* row,
                             cr_row_change* change);

#endif
