/* The right sides of constraints, b and c of constraint_tangent.c, as small matrices over the dofs
 * that move a constraint's links. */
#ifndef CR_DERIVE_CONSTRAINT_BLOCK_H
#define CR_DERIVE_CONSTRAINT_BLOCK_H

#include "derive/constraint_state.h"
#include "derive/parameters.h"

/* Makes the blocks of all that is active. False when memory ran out. */
bool cr_constraint_blocks_make(cr_constraint_state* s);

/* Adds what a constraint makes of a column: b [num_v] and its own rows of c. */
void cr_constraint_block_apply(const cr_constraint_state* s, const cr_active_constraint* a,
                               int column, double* b, double* c);

/* What of_column of a constraint that has one comes to in a column by these. */
double cr_constraint_block_apply_record(const cr_constraint_state* s, const cr_active_constraint* a,
                                        int column);

/* The transpose of the first: adds what the cotangents of b [num_v] and of its own rows of c make
 * of those of q_mid, v* and v0 [num_v]. */
typedef struct cr_stage_cotangents {
  double *q_mid, *v_star, *v0;
} cr_stage_cotangents;
void cr_constraint_block_apply_transposed(const cr_active_constraint* a, const double* b,
                                          const double* c, const cr_stage_cotangents* out);

/* Adds what a parameter does to its rows, and to b [num_v] beside the change of A. */
double cr_constraint_add_theta(cr_constraint_state* s, cr_active_constraint* a,
                               const cr_theta_column* theta, double* b, double* c);

/* What of_column makes of the fields, and the cotangents of a contact's own rows of c of the
 * records that the step begins with (t.memory). */
void cr_constraint_pull_memory(const cr_constraint_state* s, const cr_active_constraint* a,
                               const double* rows, const cr_stage_cotangents* out);

#endif
