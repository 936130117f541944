/* Nodes of a soft body that no constraint touches, eliminated from A; and velocities by A. */
#ifndef CR_SIM_SOFT_ELIMINATE_H
#define CR_SIM_SOFT_ELIMINATE_H

#include "sim/soft/soft_step.h"

/* A at v_lin and, where it is factored, its factor, and S of the kept nodes. CR_UNSOLVED
 * where A is not positive definite. */
cr_result cr_soft_eliminate(cr_step* step, cr_step_soft* soft);

/* v* - v_lin = -A^-1 m(v_lin) for a body that is linearised at v_lin, after cr_soft_eliminate;
 * false when memory ran out. */
bool cr_soft_linearize(cr_step* step, cr_step_soft* soft);

/* Velocities of the nodes that are not kept, from those of the kept ones in step->v: v_e = v_e* -
 * A_ee^-1 A_ek (v_k - v_k*). False when memory ran out. */
bool cr_soft_complete(cr_step* step, const cr_step_soft* soft);

/* Whether the body's elements have bent so much from where it was linearised that the solution v
 * misses the balance of momentum by a share of what the step has changed, and by more energy than
 * its damping takes: then such steps may feed each other. */
bool cr_soft_bends(const cr_step* step, const cr_step_soft* soft);

#endif
