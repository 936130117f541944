/* The mobility of a cone's force, w = |W|_F / 3, which the published regularisation is in
 * proportion to (sim/rows/compliance.c): R_t = sigma w, R_n >= beta² w / (4 pi²). */
#ifndef CR_DERIVE_FILM_MOBILITY_H
#define CR_DERIVE_FILM_MOBILITY_H

#include "derive/constraint_state.h"
#include "derive/mobility_tangent.h"

struct cr_film_mobility {
  int count;           /* of answers: three, less where a row repeats another */
  double scale;        /* 1 / (3 |W|_F) */
  double by[3][3];     /* [count, rows of force] W = Σ by byᵀ */
  cr_answer answer[3]; /* [count] to impulses `by` along the rows of force */
};

/* Gives the active cones theirs, where a regularisation is asked for. False when memory ran out. */
bool cr_film_mobilities_find(cr_constraint_state* s);

/* How w changes in a column in which the rows move.
 * @param dof -1: none moves */
double cr_film_mobility_move_rows(const cr_constraint_state* s, const cr_active_constraint* a,
                                  const cr_row_change* change, int dof);

/* How it does by what else is in A (mobility_tangent.h); its transpose. */
double cr_film_mobility_move_matrix(const cr_constraint_state* s, const cr_film_mobility* film,
                                    const cr_matrix_way* way, double* work);
void cr_film_mobility_pull(const cr_constraint_state* s, const cr_film_mobility* film,
                           double cotangent, const cr_mobility_cotangents* out);

#endif
