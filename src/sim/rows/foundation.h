/* Rigid areas as the limit of an elastic foundation.
 *
 * Where faces touch, many distributions of the force carry the same load; an elastic foundation has
 * one, whose pressure is linear in the place where it bears. Its compliance has to be well above
 * the solver's accuracy to be found, and then it would be seen as a velocity with which loads sink
 * in. The method of multipliers (Hestenes 1969; Powell 1969) has the one without the other: points
 * of rigid areas are soft while the problem is solved, and their v_hat is larger by what the
 * foundation gives way. That is linear over a patch, hence the same for every distribution of one
 * load, so that it selects none: neither what the last step had nor what an earlier solution found.
 */
#ifndef CR_SIM_FOUNDATION_H
#define CR_SIM_FOUNDATION_H

#include "problem/problem.h"
#include "sim/contact/contact_point.h"

/* A rigid point of an area. */
typedef struct cr_footing {
  const cr_contact_point* point;
  int row;         /* its normal one */
  double soft;     /* R while the problem is solved, 1/kg */
  double R, v_hat; /* those of rigid contact */
  double give;     /* m/s, what v_hat is larger by */
} cr_footing;

typedef struct cr_foundation {
  int count;
  double softness;   /* of a patch's mobility, while the problem is solved */
  cr_footing* items; /* those of a patch follow each other */
} cr_foundation;

/* Adds a point of an area whose mean mobility is W; there is room for it. */
void cr_foundation_add(cr_foundation* foundation, const cr_contact_point* point, int row, double W);

/* Makes the problem's areas soft. They give nothing to begin with: what the last step's impulses
 * would have them give grows from step to step in stacks. */
void cr_foundation_lay(cr_foundation* foundation, cr_problem* problem);

/* Moves v_hat to what they give under impulses.
 * @param tolerance of pressures, of the mean one of a patch
 * @return whether they changed by more, so that the problem is to be solved again */
bool cr_foundation_gives(cr_foundation* foundation, cr_problem* problem, const double* gamma,
                         double tolerance);

/* Makes them rigid again. */
void cr_foundation_lift(const cr_foundation* foundation, cr_problem* problem);

#endif
