/* Tangents of configurations: small displacements in the coordinates of internal velocities (of
 * quaternions the rotation vector in the body's frame, of free joints the way of the anchor), and
 * how the discrete kinematic maps of coordinates.h carry them. */
#ifndef CR_TREE_TANGENT_H
#define CR_TREE_TANGENT_H

#include "tree/coordinates.h"

/* What a step does to a rotation's tangents: d(end) = start d(begin) + rate d(angular velocity). */
typedef struct cr_turn_tangent {
  m3 start, rate;
} cr_turn_tangent;

/* Of cr_tree_compute_mid_configuration or cr_tree_advance at a velocity. */
typedef struct cr_stride_tangent {
  double length;         /* s: of all other coordinates d(end) = d(begin) + length d(velocity) */
  cr_turn_tangent* turn; /* [num_joints] of balls and free joints */
} cr_stride_tangent;

/* Uninitialised; false when memory ran out. */
bool cr_tree_push_stride_tangent(cr_arena* arena, const cr_tree_model* model,
                                 cr_stride_tangent* tangent);

/* Of cr_tree_compute_mid_configuration.
 * @param v [num_v] */
void cr_tree_find_mid_tangent(const cr_tree_model* model, int tree, const double* v, double dt,
                              double theta, cr_stride_tangent* tangent);

/* Of cr_tree_advance. */
void cr_tree_find_advance_tangent(const cr_tree_model* model, int tree, const double* v, double dt,
                                  double theta, cr_rotation_update update,
                                  cr_stride_tangent* tangent);

/* dq = start dq0 + rate dv; all [num_v], dq another than these. */
void cr_tree_apply_stride_tangent(const cr_tree_model* model, int tree,
                                  const cr_stride_tangent* tangent, const double* dq0,
                                  const double* dv, double* dq);

/* Its transpose: dq0 += startᵀ dq, dv += s rateᵀ dq. */
void cr_tree_add_stride_cotangent(const cr_tree_model* model, int tree,
                                  const cr_stride_tangent* tangent, const double* dq, double s,
                                  double* dq0, double* dv);

/* What depends on dq by rows q, one a dof, as it does on dq0 and on the velocity (1 - share) v0 +
 * share v1: q0 += startᵀ q, v0 += (1 - share) rateᵀ q, v1 += share rateᵀ q. */
typedef struct cr_stride_rows {
  int width, stride; /* of a row, and between rows */
  const double* q;   /* [dofs of the tree, width], as all */
  double *q0, *v0, *v1;
  double share;
} cr_stride_rows;
void cr_tree_add_stride_rows(const cr_tree_model* model, int tree, const cr_stride_tangent* tangent,
                             const cr_stride_rows* rows);

/* Of cr_tree_to_internal for velocities at (q, v), and of the way back; tangents of configurations
 * go by cr_tree_to_internal and cr_tree_to_interface themselves, as where a free joint's origin is
 * moved to. Results may overwrite dv or du.
 * @param dq of either kind: only rotations count */
void cr_tree_velocity_tangent_to_internal(const cr_tree_model* model, int tree, const double* q,
                                          const double* v, const double* dq, const double* dv,
                                          double* du);
void cr_tree_velocity_tangent_to_interface(const cr_tree_model* model, int tree, const double* q,
                                           const double* u, const double* dq, const double* du,
                                           double* dv);

/* What cotangents du of internal velocities make of those of the rotation on the way to internal
 * (sign 1), and cotangents of the interface's on the way back (sign -1): dq += sign (w × c) × Rᵀ
 * du. Their own go by cr_tree_force_to_interface and cr_tree_force_to_internal.
 * @param velocity of either kind */
void cr_tree_add_velocity_cotangent(const cr_tree_model* model, int tree, const double* q,
                                    const double* velocity, double sign, const double* du,
                                    double* dq);

#endif
