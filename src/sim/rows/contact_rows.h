/* What the rows of a contact's constraint are: forces along axes, moments about them. */
#ifndef CR_SIM_CONTACT_ROWS_H
#define CR_SIM_CONTACT_ROWS_H

#include "problem/law_table.h"
#include "sim/contact/contact_point.h"

/* A row: the force along an axis, or its velocity; or the moment about it over `length`, and the
 * angular velocity times it. */
typedef struct cr_contact_row {
  v3 axis;       /* world */
  double length; /* m; 0: a force */
} cr_contact_row;

/* Lists the rows of a contact's constraint; returns how many.
 * @param moment as in cr_constraint
 * @param rows [CR_LAW_MAX_ROWS] */
int cr_contact_rows_list(cr_law_kind kind, uint32_t moment, const cr_contact_point* point,
                         cr_contact_row* rows);

/* What the rows' velocities head for where a surface moves: to go with it along the tangents and
 * about the normal.
 * @param v_hat [CR_LAW_MAX_ROWS] receives it; zeros where no surface moves
 * @return how many rows there are */
int cr_contact_rows_find_drift(cr_law_kind kind, uint32_t moment, const cr_contact_point* point,
                               double* v_hat);

/* Force and moments of a contact's constraint, N s and N m s in world axes. */
typedef struct cr_contact_impulse {
  v3 force, moment;
} cr_contact_impulse;

/* From the impulses of its rows, whatever they are; and these. */
cr_contact_impulse cr_contact_rows_sum_any(cr_law_kind kind, uint32_t moment,
                                           const cr_contact_point* point, const double* gamma);
void cr_contact_rows_split_any(cr_law_kind kind, uint32_t moment, const cr_contact_point* point,
                               const cr_contact_impulse* impulse, double* gamma);

/* From the impulses of its rows. */
static inline cr_contact_impulse cr_contact_rows_sum(cr_law_kind kind, uint32_t moment,
                                                     const cr_contact_point* point,
                                                     const double* gamma) {
  if (kind != CR_LAW_CONTACT) return cr_contact_rows_sum_any(kind, moment, point, gamma);
  v3 along = v3_add(v3_scale(gamma[0], point->tangent[0]), v3_scale(gamma[1], point->tangent[1]));
  return (cr_contact_impulse){v3_add(along, v3_scale(gamma[2], point->normal)), v3_zero()};
}

/* Impulses of its rows. */
static inline void cr_contact_rows_split(cr_law_kind kind, uint32_t moment,
                                         const cr_contact_point* point,
                                         const cr_contact_impulse* impulse, double* gamma) {
  if (kind != CR_LAW_CONTACT) {
    cr_contact_rows_split_any(kind, moment, point, impulse, gamma);
    return;
  }
  for (int k = 0; k < 2; k++) gamma[k] = v3_dot(impulse->force, point->tangent[k]);
  gamma[2] = v3_dot(impulse->force, point->normal);
}

#endif
