/* What a step might meet: contact points and rows, and which trees are about to have an impact. */
#ifndef CR_SIM_CONTACT_SET_H
#define CR_SIM_CONTACT_SET_H

#include "sim/contact/contact_point.h"
#include "sim/rows/constraints.h"

typedef struct cr_contact_set {
  cr_contact_points points;
  cr_model_rows rows;
  sv *lin, *start;         /* [num_links] velocities at v_lin (later at a solution) and v0 */
  int *has_impact, *fresh; /* [num_movers] */
  double impact_border; /* m/s, how near an approach was at least to where it begins, or ceases, to
                           be an impact; for observers */
} cr_contact_set;

/* Nothing met yet. False when memory ran out. */
bool cr_contact_set_init(cr_step* step, cr_contact_set* set);

/* Everything near at v_lin; trees that are about to have an impact, or whose limited actuators
 * reach their bounds, start anew, until no more are found. */
cr_result cr_contact_set_detect(cr_step* step, cr_contact_set* set);

/* Marks the trees that have an impact, and those that active points and rows join to them; returns
 * whether any was not marked yet. */
bool cr_contact_set_mark_impacts(const cr_step* step, cr_contact_set* set);

/* Trees with an impact take the step (theta_q, theta_vq) = (0, 1): free motion, distances and
 * Jacobian at q0, positions advanced by v. */
cr_result cr_contact_set_restart_impacts(cr_step* step, const cr_contact_set* set);

/* Trees whose limited actuators reach their bounds at the velocities v start anew. A balance that
 * is linearised at a solution is anew in any case.
 * @param any receives whether there were some */
cr_result cr_contact_set_restart_limited(cr_step* step, cr_contact_set* set, const double* v,
                                         bool* any);

/* Makes active what the solution would run into; returns how many points and rows. */
int cr_contact_set_activate(cr_step* step, cr_contact_set* set);

/* Whether an impact makes something rebound: there its speed after the step is that of the impact
 * law, and its configuration is that of the start, so that nothing is left to linearise anew. */
bool cr_contact_set_rebounds(const cr_step* step, const cr_contact_set* set);

#endif
