/* Free bodies that roll: whose only contact has one point and has stuck for three steps of one
 * length. Their accelerations are smooth, so that where they go in a step is known before
 * it is taken to third order, and a contact can be placed such that its force does the work of
 * closing its gap and no other (theory.md, "Curved contact"). */
#ifndef CR_SIM_ROLLING_H
#define CR_SIM_ROLLING_H

#include "sim/contact/scan.h"

/* What is foreseen of the trees that roll. */
typedef struct cr_rolling {
  const bool* is_known; /* [num_trees] */
  const double* q_end;  /* [num_q] */
  const sv* mean;       /* [num_links] velocities of the step, about the trees' origins */
} cr_rolling;

/* By the accelerations that the last steps lead to, or by the solution that the step is linearised
 * at. False when memory ran out.
 * @param rolling null where nothing rolls */
bool cr_rolling_foresee(cr_step* step, const cr_rolling** rolling);

/* The one point of a patch by which its bodies touch; null: several or none. */
static inline cr_contact_point* cr_rolling_find_point(cr_contact_point* patch, int count) {
  cr_contact_point* only = NULL;
  for (int i = 0; i < count; i++) {
    if (patch[i].is_active && only) return NULL;
    if (patch[i].is_active) only = &patch[i];
  }
  return only;
}

/* Velocity of B less that of A at the start of the step, beside what surfaces move by, where both
 * bodies then touch: the mean of what this step and the one before take for it, world.
 * @param v0 [rows] of this one, J v0 */
v3 cr_rolling_find_start(const cr_contact_point* point, const double* v0, int rows);

/* Moves the one point of a patch to where its force does the work of closing the gap; false where
 * it does not roll.
 * @param distance at the start of the step, m */
bool cr_rolling_place(const cr_scan* s, cr_contact_point* point, double* distance);

/* Whether a tree is a free body that hardly turns within the step, which is as long as the last. */
bool cr_rolling_may_go_on(const cr_step* step, int tree);

/* The acceleration of the next step, from those of this one and the two before. */
double cr_rolling_extrapolate(double now, const double before[2]);

#endif
