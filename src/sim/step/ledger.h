/* What a solved step is accounted from: its constraints and velocities, and what contacts transmit.
 */
#ifndef CR_SIM_LEDGER_H
#define CR_SIM_LEDGER_H

#include "sim/rows/contact_rows.h"
#include "sim/rows/step_problem.h"

/* What a contact's place transmits. */
typedef struct cr_transmitted {
  cr_contact_impulse impulse;
  carom_contact_state state;
} cr_transmitted;

typedef struct cr_ledger {
  cr_step* step;
  const cr_contact_points* points;
  const cr_step_problem* problem;
  const double* v_c;
  carom_step_report* report;
  double least;          /* N s, normal impulses above it are contact */
  double fall;           /* m/s, what gravity gives in a step */
  double energy;         /* of compliant contacts */
  cr_transmitted* found; /* [num_constraints] by place, of contacts */
  int* num_sticking;     /* [points] of each area, by its first point */
} cr_ledger;

static inline bool cr_ledger_drifts(const cr_contact_point* point) {
  return point->extra && point->extra->drifts;
}

static inline bool cr_ledger_is_driven(const cr_contact_point* point) {
  return point->extra && point->extra->is_driven;
}

/* What all contacts transmit. False when memory ran out. */
bool cr_ledger_find_transmitted(cr_ledger* l);

/* The anchor of a place; null where nothing gives way. */
const cr_anchor* cr_ledger_anchor(const cr_ledger* l, int place);

/* Displacement of the anchor at the end of the step. */
v3 cr_ledger_find_stretch(const cr_ledger* l, int place, const cr_contact_point* point);

/* Adds what a place tells of its contact to the user's list. */
void cr_ledger_report_contact(cr_ledger* l, int place);

#endif
