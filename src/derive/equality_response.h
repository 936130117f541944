/* How the velocities to which recovery bounds equalities follow from what they are bounded by. */
#ifndef CR_DERIVE_EQUALITY_RESPONSE_H
#define CR_DERIVE_EQUALITY_RESPONSE_H

#include "derive/step_tangent.h"
#include "sim/rows/recovery_equalities.h"

/* The factor of the pivots' mobilities, W = L Lᵀ, and what is bounded along each: z = L⁻¹ wanted is
 * taken as far as z'. With r pivots: */
typedef struct cr_equality_response {
  const cr_equality_bounds* bounds;
  double* L;     /* [r, r] row-major, lower half */
  double* z;     /* [r], as the next */
  double* taken; /* z' */
  bool* is_cut;  /* [r] whether they differ */
  double share;  /* by which all is scaled down */
  bool is_plain; /* all of z is taken */
  double*
      border; /* [r + 1] how near the bound of each, and of all together, is to where it begins
                 to hold, relative; and [r + 1] whether what it does to a column differs there */
  bool *is_felt, any_near;
  double *X, *dz; /* [r, r], [r] work */
} cr_equality_response;

/* Counts kinks, but for those of bounds that are about to hold. False when memory ran out. */
bool cr_equality_response_find(cr_step_tangent* t, const cr_equality_bounds* bounds,
                               cr_equality_response* out);

/* What bounds move by; all in units of the rows' links. */
typedef struct cr_equality_move {
  const double* W;      /* [count, count] lower half; null: it does not */
  const double* wanted; /* [count] */
  double allowed;
} cr_equality_move;

/* Counts bounds that are about to hold, or not to, where any column so far says otherwise then. */
void cr_equality_response_mark(cr_step_tangent* t, const cr_equality_response* e);

/* @param out [num_first] what the velocities do; of rows without a pivot nothing */
void cr_equality_response_apply(const cr_equality_response* e, const cr_equality_move* move,
                                double* out);

/* What a row that waits takes of all, u with W u = 0 along pivots: its share is uᵀ W u.
 * @param u [count] */
void cr_equality_response_find_rest(const cr_equality_response* e, int at, double* u);

/* An entry of a symmetric matrix of which the lower half is kept. */
static inline double cr_equality_entry(const double* W, int count, int i, int j) {
  return W[i > j ? i * count + j : j * count + i];
}

#endif
