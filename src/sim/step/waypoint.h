/* Where a step is linearised: at v* first, then at its own solutions, and back when one of these
 * Newton steps does not converge. */
#ifndef CR_SIM_WAYPOINT_H
#define CR_SIM_WAYPOINT_H

#include "sim/rows/step_problem.h"

/* The linearisation before the present one. */
typedef struct cr_waypoint {
  double *v_lin, *v_star; /* [num_v] */
  bool relinearised;
} cr_waypoint;

/* False when memory ran out. */
bool cr_waypoint_init(cr_step* step, cr_waypoint* waypoint);

/* Linearises at the last solution from here on; the waypoint keeps where it was before. */
void cr_waypoint_advance(cr_step* step, cr_waypoint* waypoint);

/* Linearises where it was before. */
void cr_waypoint_restore(cr_step* step, const cr_waypoint* waypoint);

/* How far a solution went from where it was linearised: |v - v_lin|² in A over the trees that take
 * part. False when memory ran out. */
bool cr_waypoint_measure(cr_step* step, const cr_step_problem* problem, double* move);

#endif
