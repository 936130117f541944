/* How violated rigid constraints are undone: with bounded energy, whatever the lever arm. */
#ifndef CR_SIM_RECOVERY_H
#define CR_SIM_RECOVERY_H

#include "sim/mobility.h"

/* A row of the problem, and the group that has its Jacobian. */
typedef struct cr_row_place {
  int group, row;
} cr_row_place;

/* A violated one-sided row that waits for the equalities that hold its trees. */
typedef struct cr_late_row {
  cr_row_place at;
  int link[2]; /* -1: none */
  double W;    /* 1/kg */
} cr_late_row;

/* What bounds the recovery of a step's rows. */
typedef struct cr_recovery {
  cr_step* step;
  cr_step_problem* out;
  cr_mobilities mobilities;
  double* x;         /* [num_v] scratch, zero between uses */
  bool* is_held;     /* [num_trees + num_parts] by rigid equalities */
  cr_late_row* late; /* [num_late] null: no tree is held */
  int num_late;
} cr_recovery;

/* False when memory ran out. */
bool cr_recovery_init(cr_step* step, cr_step_problem* out, cr_recovery* recovery);

/* A rigid one-sided row whose v_hat would close it at once: opens no faster than the recovery
 * speed, nor than lets bodies move at about that speed; one that can hardly be moved along is left
 * out. Sets R and v_hat, or later with the equalities that hold its trees.
 * @param W of the row, 1/kg */
void cr_recovery_bound_contact(cr_recovery* recovery, const int link[2], cr_row_place at, double W);

/* All rigid equality rows, those that share trees together: violations are closed at once where
 * bodies move at about the recovery speed for it, else slower; those with mocap bodies with the
 * time constant where that is faster. A row along which the mechanism cannot move once others are
 * held is left out: see docs/contact.md. Sets R and v_hat. False when memory ran out. */
bool cr_recovery_bound_equalities(cr_recovery* recovery);

/* Slows the recovery of rows that press on others in vain, as a solution shows: lowers their v_hat;
 * returns whether there are any. */
bool cr_recovery_soften(cr_step_problem* out);

#endif
