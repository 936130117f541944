/* How recovery bounds rigid equalities that hold together (sim/rows/recovery_equalities.c), and how
 * that moves. */
#ifndef CR_DERIVE_EQUALITY_TANGENT_H
#define CR_DERIVE_EQUALITY_TANGENT_H

#include "derive/constraint_rows.h"
#include "sim/rows/recovery_equalities.h"

/* Rows that hold together, and those that wait for them. */
struct cr_equality_tangent {
  const cr_equality_bounds* bounds;
  const double* v_hat; /* [p.num_rows] as bounded */
  double* share;       /* [count] of their links' mobility, that is left to rows that wait */
  bool is_known;       /* what bounds them has derivatives */
  int num_dofs;
  const int* dof; /* [num_dofs] of all their trees */
  double* by[3];  /* [count, num_v] by q_mid, v* and v0 (cr_unit_source): what v_hat of its rows
                     changes by, or the shares of their links' mobility that are left to those
                     that wait, */
  double* own;    /* and by q_mid what the mobilities of the rows themselves do */
  cr_equality_tangent* next;
};

/* Those of a problem, a list, of which none is filled. False when memory ran out.
 * @param look where mobilities are looked at */
bool cr_equality_tangents_find(cr_constraint_state* s, cr_equality_tangent** list);

/* The one that has a row of the problem, filled; null: memory ran out.
 * @param at receives which of its rows */
const cr_equality_tangent* cr_equality_tangent_of_row(cr_constraint_state* s,
                                                      cr_equality_tangent* list, int row, int* at);

/* Whether the step has taken v_hat of one of its rows as it follows here, eased by a share. */
bool cr_equality_tangent_is_known(const cr_equality_tangent* e, const cr_problem* p, int at,
                                  double ease);

/* What one of its rows may take, see cr_recovery_tangent. */
void cr_equality_tangent_find_energy(const cr_constraint_state* s, const cr_active_constraint* a,
                                     cr_recovery_tangent* out);

#endif
