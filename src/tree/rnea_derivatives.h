/* Derivatives of inverse dynamics over configuration and velocity, of one tree.
 *
 * Configurations are moved along tangents in the coordinates of velocities: dof k by x is what a
 * unit rate of it does in the time x, so that everything that it carries moves with the twist S_k.
 * Sources: Carpentier and Mansard, RSS 2018; Singh, Russell and Wensing, RA-L 2022. In world axes
 * about a point that stays, both come down to one 6x6 matrix for each link; ours is the form for
 * joints of several dofs that carry each other (docs/derivatives.md). */
#ifndef CR_TREE_RNEA_DERIVATIVES_H
#define CR_TREE_RNEA_DERIVATIVES_H

#include "tree/algorithms.h"

/* Where inverse dynamics is differentiated. */
typedef struct cr_tree_motion {
  const cr_tree_kinematics* kinematics;
  const cr_tree_velocities* velocities; /* at v */
  const double* v;                      /* [num_v] */
  const double* a;                      /* [num_v] null: zero */
  cr_tree_loads loads;
} cr_tree_motion;

/* Working memory, for one thread. */
typedef struct cr_rnea_tangents {
  cr_tree_scratch* scratch;
  sv (*B)[6]; /* [num_links] columns: what a force answers to a change of velocity, and of a frame
                 that moves: B d = I (d × V) + d ×* I V + V ×* I d, summed over what hangs on it */
  sv* drift;  /* [num_v] d_k = V^_k × S_k with V^_k the velocity of what dof k does not carry */
  sv* fall; /* [num_v] A^_k × S_k + V^_k × d_k, with A^_k its acceleration, gravity counted in */
  sv* turn; /* [num_v] (W_k + V^_k) × S_k with W_k × S_k the rate of S_k */
} cr_rnea_tangents;

/* Derivatives of joint forces [n, n], column-major over a tree's n dofs: column k that along dof k,
 * zero where two dofs are on different branches. */
typedef struct cr_rnea_derivatives {
  double *q, *v;
} cr_rnea_derivatives;

/* Uninitialised scratch; false when memory ran out. */
bool cr_tree_push_rnea_tangents(cr_arena* arena, const cr_tree_model* model,
                                cr_tree_scratch* scratch, cr_rnea_tangents* tangents);

/* The drifts alone, of the dofs of a tree at the velocity v [num_v]. */
void cr_tree_find_drift(const cr_tree_model* model, int tree, const cr_tree_kinematics* kinematics,
                        const double* v, sv* drift);

/* Drifts, falls and turns of a tree's dofs; the links' accelerations into a of the scratch. */
void cr_tree_describe_motion(const cr_tree_model* model, int tree, const cr_tree_motion* at,
                             cr_rnea_tangents* tangents);

/* Of tau = M a + C(q, v) - gravity - external as cr_tree_compute_inverse_dynamics finds it, with a
 * and v held. External forces are taken to be carried along by their links: what they do beside
 * that is the caller's to add.
 * @param tangents a, f and composite of its scratch are used
 * @param out all entries are written; v null: not wanted, of a tree whose velocities are zero */
void cr_tree_differentiate_inverse_dynamics(const cr_tree_model* model, int tree,
                                            const cr_tree_motion* motion,
                                            cr_rnea_tangents* tangents,
                                            const cr_rnea_derivatives* out);

/* A displacement that no dof is of: of all that a joint carries, with its own dofs or behind them,
 * by the twist S about the tree's origin. */
typedef struct cr_tree_insertion {
  int joint;
  bool is_behind;
  sv S;
} cr_tree_insertion;

/* The last dof that an insertion does not carry; -1: none. */
int cr_tree_find_insertion_dof(const cr_tree_model* model, const cr_tree_insertion* insertion);

/* Whether it carries a link. */
bool cr_tree_carries(const cr_tree_model* model, const cr_tree_insertion* insertion, int link);

/* The drift and the fall of what it carries, in this order, where
 * cr_tree_differentiate_inverse_dynamics was called last, as next. */
void cr_tree_find_insertion_motion(const cr_tree_model* model, const cr_tree_motion* motion,
                                   cr_rnea_tangents* tangents, const cr_tree_insertion* insertion,
                                   sv out[2]);

/* out [num_v] += how tau changes with it. */
void cr_tree_add_insertion(const cr_tree_model* model, const cr_tree_motion* motion,
                           cr_rnea_tangents* tangents, const cr_tree_insertion* insertion,
                           double* out);

#endif
