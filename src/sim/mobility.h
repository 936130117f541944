/* How far a mechanism lets its links and rows move, by geometry alone: what rows of constraints are
 * compared with, so that one along which hardly anything can move is known as such. */
#ifndef CR_SIM_MOBILITY_H
#define CR_SIM_MOBILITY_H

#include "sim/assemble.h"

/* The squared size of a motion is the sum over dofs of squared rates times squared radii of
 * gyration about the dof's axis (1 of slides) of what hangs on it: about the squared speed of what
 * moves, whatever the masses. A row's mobility is its squared velocity in the motion of size 1 that
 * has most of it, J D⁻¹ Jᵀ with D of those squared radii. */
typedef struct cr_mobilities {
  double* radius2; /* [num_v] m², or 1; < 0: not known yet */
  double* mass;    /* [num_v] scratch */
} cr_mobilities;

/* False when memory ran out. */
bool cr_mobilities_init(const cr_step* step, cr_arena* arena, cr_mobilities* out);

/* x <- D⁻¹ x over a tree's dofs: of a row x the motion with most velocity along it. */
void cr_mobility_apply(const cr_step* step, int tree, cr_mobilities* known, double* x);

/* Mobility of a point and of a rotation of a link that nothing joins to others. */
typedef struct cr_mobility {
  double linear;  /* 1 */
  double angular; /* 1/m², one over its squared radius of gyration */
} cr_mobility;

/* The ground, mocap links and soft bodies (link >= num_links) have none; a link without mass has
 * infinite angular mobility. */
cr_mobility cr_mobility_of_link(const cr_step* step, int link);

#endif
