/* What of a step's result sensors read beside the new state, column by column: impulses, and where
 * contacts lie. */
#ifndef CR_DERIVE_FORCE_TANGENT_H
#define CR_DERIVE_FORCE_TANGENT_H

#include "derive/constraint_tangent.h"

/* How a contact of the step moves in a column. */
typedef struct cr_contact_move {
  v3 force, moment; /* N s and N m s, world */
  v3 position, normal;
  double distance;
} cr_contact_move;

/* Of all contacts, in the order of carom_sim_get_contacts, and of rows that are none. */
typedef struct cr_force_tangents {
  const carom_allocator* allocator;
  bool wants_open; /* also of contacts that transmit nothing */
  int num_columns, num_contacts, num_rows;
  cr_contact_move* contacts; /* [num_columns, num_contacts] */
  cr_contact_key* keys;      /* [num_rows] */
  double* rows;              /* [num_columns, num_rows] N s, or N m s */
  int num_x, num_q, num_v;
  double* start;   /* [num_columns, num_x] the state before the last of a step's parts, with its */
  double *q0, *v0; /* [num_q], [num_v]; null: the step has one part */
} cr_force_tangents;

/* Empties them before a part of a step. */
void cr_force_tangents_start(cr_step_tangent* t);

/* Fills those of t.forces where the constraints are solved.
 * @param rows [num_columns, c.s.num_rows] dgamma */
carom_status cr_force_tangents_find(cr_constraint_tangent* c, const cr_contact_set* set,
                                    const double* rows);

/* Those of a part behind others, whose derivative so far is `before`. */
carom_status cr_force_tangents_compose(const cr_step_tangent* t, const carom_linearization* before);

void cr_force_tangents_destroy(cr_force_tangents* forces);

/* How the impulse of a row moves in a column, N s; 0 where it did not act. */
double cr_force_tangents_find_row(const cr_force_tangents* forces, int column, uint64_t pair,
                                  int row);

#endif
