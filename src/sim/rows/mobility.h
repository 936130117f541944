/* How far a mechanism lets its links and rows move, by geometry alone: what rows of constraints are
 * compared with, so that one along which hardly anything can move is known as such.
 *
 * The squared size of a motion is the sum over dofs of squared rates times squared radii of
 * gyration about the dof's axis (1 of slides) of what hangs on it: about the squared speed of what
 * moves, whatever the masses. A row's mobility is its squared velocity in the motion of size 1 that
 * has most of it, J D⁻¹ Jᵀ with D of those squared radii. */
#ifndef CR_SIM_MOBILITY_H
#define CR_SIM_MOBILITY_H

#include "sim/rows/step_problem.h"

typedef struct cr_mobilities {
  const cr_step* step;
  const cr_step_problem* out;
  double* radius2;            /* [num_v] m², or 1; < 0: not known yet */
  spatial_inertia* composite; /* [num_links] scratch */
  double* x;                  /* [num_v] a motion, zero where nothing is asked for */
} cr_mobilities;

/* A row of the problem, and the group that has its Jacobian. */
typedef struct cr_row_place {
  int group, row;
} cr_row_place;

/* False when memory ran out. */
bool cr_mobilities_init(const cr_step* step, const cr_step_problem* out, cr_arena* arena,
                        cr_mobilities* m);

/* Mobility of a point and of a rotation of a link that nothing joins to others. */
typedef struct cr_mobility {
  double linear;  /* 1 */
  double angular; /* 1/m², one over its squared radius of gyration */
} cr_mobility;

/* Of two links together. The ground, mocap links, elastic ones and -1 have none;
 * a link without mass has infinite angular mobility. */
cr_mobility cr_mobility_of_links(const cr_step* step, const int link[2]);

/* The largest squared radius of gyration, m², of what hangs on a joint of a link's tree that turns;
 * 0 where there is none, as of a body that moves freely. */
double cr_mobility_of_turns(cr_mobilities* m, int link);

/* The tree of the k-th block of a group. */
int cr_mobility_find_tree(const cr_mobilities* m, const cr_problem_group* g, int k);

/* x = the motion of most velocity along a row, D⁻¹ Jᵀ, of a mechanism that was at rest. */
void cr_mobility_move(cr_mobilities* m, cr_row_place at);

/* x = 0 in the trees of a row. */
void cr_mobility_rest(cr_mobilities* m, cr_row_place at);

/* Velocity of a row in the motion x: J x. */
double cr_mobility_find_velocity(const cr_mobilities* m, cr_row_place at);

/* Of a row. */
double cr_mobility_of_row(cr_mobilities* m, cr_row_place at);

#endif
