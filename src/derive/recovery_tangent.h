/* How recovery and rebounds bound R and v_hat of rigid one-sided rows (sim/rows/recovery.c,
 * compliance.c), and how that moves. */
#ifndef CR_DERIVE_RECOVERY_TANGENT_H
#define CR_DERIVE_RECOVERY_TANGENT_H

#include "derive/compliance_tangent.h"
#include "sim/rows/recovery.h"

/* What both follow from, and how they grow with it. */
typedef struct cr_recovery_slopes {
  double v_hat;    /* what closes the gap at once */
  double mobility; /* of the row, 1/kg */
  double lever;    /* that of its joints' geometry */
  double area;     /* the mean of the area's that it stands for a part of, */
  double weight;   /* and that part */
  double film;     /* of its cone's force */
  double v0, v1;   /* rates before and in the free motion, of rebounds */
  double distance; /* likewise, */
  double restitution;
} cr_recovery_slopes;

typedef struct cr_recovery_tangent {
  bool is_known; /* the step has taken what follows here */
  cr_recovery_slopes R, v_hat;
  cr_recovery_slopes energy; /* that the row may take, see cr_recovery_bound, */
  double energy_by_own;      /* and by an equality's mobility of the joints' geometry, */
  bool has_energy;           /* where that is known */
  double ease;               /* the share that v_hat has of what it is bounded at */
  double kink; /* m/s, how near what closes the gap at once is to where another bound holds */
} cr_recovery_tangent;

/* A rigid one-sided row. */
typedef struct cr_recovery_row {
  const cr_constraint* constraint;
  const cr_distance_row* at;
  int row;      /* of the problem */
  double v_hat; /* that closes the gap at once */
  double ease;  /* by which the speed is less since the row has pressed in vain before */
  cr_recovery_reach reach;
} cr_recovery_row;

void cr_recovery_tangent_find(const cr_step* step, const cr_step_problem* problem,
                              const cr_recovery_row* row, cr_recovery_tangent* out);

/* What they change by: the row's change, what closes the gap at once, and the lever's. */
static inline double cr_recovery_slopes_apply(const cr_recovery_slopes* s,
                                              const cr_distance_row* change, double v_hat,
                                              double lever) {
  return s->v_hat * v_hat + s->mobility * change->mobility + s->lever * lever +
         s->area * change->area + s->weight * change->weight + s->film * change->film +
         s->v0 * change->v0 + s->v1 * change->v1 + s->distance * change->distance +
         s->restitution * change->restitution;
}

#endif
