/* How friction moves that takes something over from the step before: the bound of lagged friction,
 * and what anchored friction's elastic displacements make of R and v_hat (sim/contact/anchor.h).
 * Impulses and displacements of the last step are given, each in the axes that it is kept in, or
 * move as a seed says; what a step leaves for the next one is pulled back. */
#ifndef CR_DERIVE_FRICTION_MEMORY_H
#define CR_DERIVE_FRICTION_MEMORY_H

#include "derive/constraint_state.h"
#include "derive/parameters.h"

/* How what a record holds moves, each in the axes that it is kept in. */
typedef struct cr_memory_seed {
  const cr_contact_record* record;
  v3 impulse, stretch, place;
} cr_memory_seed;

/* A column, as friction's memory asks for it. */
typedef struct cr_memory_column {
  const sv* twist;               /* [num_links] about the trees' origins */
  v3 position;                   /* how far the point moves, */
  v3 normal;                     /* and the normal */
  double dissipation, stiffness; /* what the dissipation time grows by, and the point's stiffness */
  const cr_memory_seed* seed;    /* null: what the last step has left is given */
} cr_memory_column;

/* What d + R gamma of both tangential rows of an anchored contact grows by beside v_c. */
void cr_anchor_differentiate(const cr_constraint_state* s, const cr_active_constraint* a,
                             const cr_memory_column* column, double d[2]);

/* What the bound of a lagged contact's friction, N s, grows by as its normal turns, and one that is
 * new as it is elsewhere on a soft body, after its rows were differentiated; by a parameter. */
double cr_lagged_differentiate(const cr_step* step, const cr_contact_tangent* contact,
                               const cr_contact_point* point);
double cr_lagged_differentiate_theta(const cr_step_tangent* t, const cr_contact_point* point,
                                     const cr_theta_column* theta);
double cr_lagged_differentiate_seed(const cr_step* step, const cr_contact_point* point,
                                    const cr_memory_seed* seed);

/* What a cotangent of the record that a contact leaves makes of its impulses; and of a column in
 * which its rows' axes move, the impulses held.
 * @param change null: the axes stay */
void cr_memory_add_impulses(const cr_constraint_state* s, cr_active_constraint* a);
double cr_memory_pull_record(const cr_constraint_state* s, const cr_active_constraint* a,
                             const cr_memory_column* column, const cr_row_change* change);

#endif
