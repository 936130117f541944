/* What the rows of a contact's constraint are: forces along axes, moments about them. */
#ifndef CR_SIM_CONTACT_ROWS_H
#define CR_SIM_CONTACT_ROWS_H

#include "problem/law.h"
#include "sim/constraints.h"
#include "sim/contacts.h"

/* A row: the force along an axis, or its velocity; or the moment about it over `length`, and the
 * angular velocity times it. */
typedef struct cr_contact_row {
  v3 axis;       /* world */
  double length; /* m; 0: a force */
} cr_contact_row;

/* Lists the rows of a contact's constraint; returns how many.
 * @param moment as in cr_constraint
 * @param rows [CR_LAW_MAX_ROWS] */
int cr_contact_rows_list(cr_law_kind kind, uint32_t moment, const cr_touch* t,
                         cr_contact_row* rows);

/* Force and moments of a contact's constraint, N s and N m s in world axes. */
typedef struct cr_contact_impulse {
  v3 force, moment;
} cr_contact_impulse;

/* From the impulses of its rows. */
cr_contact_impulse cr_contact_rows_sum(cr_law_kind kind, uint32_t moment, const cr_touch* t,
                                       const double* gamma);

/* Impulses of its rows. */
void cr_contact_rows_split(cr_law_kind kind, uint32_t moment, const cr_touch* t,
                           const cr_contact_impulse* impulse, double* gamma);

#endif
