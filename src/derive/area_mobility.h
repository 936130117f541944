/* The mean mobility over an area, W̄ = Σ w_i W_i of its points in the problem, which says how
 * rigid ones give way (sim/rows/compliance.c). */
#ifndef CR_DERIVE_AREA_MOBILITY_H
#define CR_DERIVE_AREA_MOBILITY_H

#include "derive/constraint_state.h"
#include "derive/mobility_tangent.h"

/* A point of it. */
typedef struct cr_area_item {
  const cr_contact_point* point;
  const cr_contact_tangent* contact;
  cr_row_shape row; /* the normal one */
  double mobility;
  cr_answer answer;
} cr_area_item;

struct cr_area_mobility {
  int first; /* of the patch's points */
  int count;
  cr_area_item* items;
  double mean;
  int column;       /* in which it was looked at last, see cr_contact_column; */
  double moved;     /* how the mean changes in it */
  double cotangent; /* of the mean, in an adjoint */
  struct cr_area_mobility* next;
};

/* Gives the active constraints that stand for areas theirs. False when memory ran out, or an error
 * is set. */
carom_status cr_area_mobilities_find(cr_constraint_state* s, const cr_contact_set* set);

/* How the mean changes in a column in which the rows move.
 * @param dof -1: none moves */
double cr_area_mobility_move_rows(const cr_constraint_state* s, cr_area_mobility* area,
                                  const cr_contact_column* column, int dof);

/* How it does by what else is in A (mobility_tangent.h); its transpose, by the area's cotangent. */
double cr_area_mobility_move_matrix(const cr_constraint_state* s, const cr_area_mobility* area,
                                    const cr_matrix_way* way, double* work);
void cr_area_mobility_pull(const cr_constraint_state* s, cr_area_mobility* area,
                           const cr_mobility_cotangents* out);

#endif
