/* Derivatives of R and v_hat of distance rows (sim/rows/compliance.c). */
#ifndef CR_DERIVE_COMPLIANCE_TANGENT_H
#define CR_DERIVE_COMPLIANCE_TANGENT_H

#include "derive/step_tangent.h"

/* What a distance row's R and v_hat follow from: of a constraint, or its change in a column. */
typedef struct cr_distance_row {
  double distance;               /* where the step looks at it */
  double v1, v0;                 /* rates of the row at v_lin and v0 */
  double mobility;               /* its Delassus scalar, 1/kg */
  double area, weight;           /* of a rigid point of an area: the mean of its mobilities, and the
                                    point's share; 0: it is none */
  double film;                   /* the mobility of its cone's force, where that is regularised */
  double stiffness, dissipation; /* of a change: what those that are given change by, as next */
  double restitution;
  double own; /* of a change: of an equality's mobility of the joints' geometry */
} cr_distance_row;

/* Whether nothing of a change is any. */
static inline bool cr_distance_row_is_still(const cr_distance_row* c) {
  return c->distance == 0 && c->v1 == 0 && c->v0 == 0 && c->mobility == 0 && c->area == 0 &&
         c->weight == 0 && c->film == 0 && c->stiffness == 0 && c->dissipation == 0 &&
         c->restitution == 0;
}

typedef struct cr_compliance_change {
  double R, v_hat;
} cr_compliance_change;

/* Whether a row's dissipation time follows from its mobility. */
bool cr_compliance_asks_for_mobility(const cr_constraint* constraint);

/* v_hat as it follows from the row itself. */
double cr_compliance_find_v_hat(const cr_step* step, const cr_constraint* constraint,
                                const cr_distance_row* at);

/* Whether the step has taken R and v_hat of the row as they follow from the row itself; recovery
 * and rebounds bound them otherwise.
 * @param row of the problem */
bool cr_compliance_is_plain(const cr_step* step, const cr_step_problem* problem,
                            const cr_constraint* constraint, const cr_distance_row* at, int row);

/* Whether recovery has given a rigid row more compliance than its trace, or than its part of an
 * area has, which grows with the depth. */
bool cr_compliance_is_deep(const cr_step* step, const cr_step_problem* problem,
                           const cr_constraint* constraint, const cr_distance_row* at, int row);

/* How the dissipation time changes. */
double cr_compliance_differentiate_dissipation(const cr_constraint* constraint,
                                               const cr_distance_row* at,
                                               const cr_distance_row* change);

/* How they change. */
cr_compliance_change cr_compliance_differentiate(const cr_step* step,
                                                 const cr_constraint* constraint,
                                                 const cr_distance_row* at,
                                                 const cr_distance_row* change);

#endif
