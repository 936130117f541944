/* Motion in configuration space: the kinematic map q' = N(q) v, and its discrete forms of
 * steps. All functions work on one tree's joints; a result may overwrite an input
 * of the same kind (q on q0, u on v). */
#ifndef CR_TREE_COORDINATES_H
#define CR_TREE_COORDINATES_H

#include "tree/tree.h"

/* How rotations advance at theta_q = 1/2. */
typedef enum cr_rotation_update {
  CR_ROTATION_CAYLEY, /* q0 ∘ (1, dt w / 2), normalised: keeps the momentum of a free body */
  CR_ROTATION_LINEAR, /* q0 + dt N(q^theta) w: the published update */
} cr_rotation_update;

/* How far from the Cayley map a step's rotations are, see coordinates.c. */
double cr_tree_find_stretch(double theta, cr_rotation_update update);

/* q^theta: the configuration at the fraction theta of the step dt with velocity v (internal).
 * Rotations: normalise(q0 ∘ (1, theta dt w / 2)). theta = 0 copies q0. */
void cr_tree_compute_mid_configuration(const cr_tree_model* model, int tree, const double* q0,
                                       const double* v, double dt, double theta, double* q);

/* q = q0 + dt N(q^theta) v. Rotations: the Cayley map at theta = 1/2 when asked, else the
 * normalised q0 + dt N(q^theta) w, with q^theta from v. Anchors of free joints move by dt v. */
void cr_tree_advance(const cr_tree_model* model, int tree, const double* q0, const double* v,
                     double dt, double theta, cr_rotation_update update, double* q);

/* dq/dt = N(q) v, for the user's interface velocities (a free joint's origin). */
void cr_tree_compute_rates(const cr_tree_model* model, int tree, const double* q, const double* v,
                           double* q_dot);

/* The velocity v (internal) that leads from q0 to q1 in unit time: differences for hinge, slide and
 * the position of a free joint's anchor, the rotation vector (body frame, at most pi long) for
 * quaternions. Used for spring forces. */
void cr_tree_compute_difference(const cr_tree_model* model, int tree, const double* q0,
                                const double* q1, double* v);

/* Between the interface's velocities v (free joints: the frame origin) and internal ones u. */
void cr_tree_to_internal(const cr_tree_model* model, int tree, const double* q, const double* v,
                         double* u);
void cr_tree_to_interface(const cr_tree_model* model, int tree, const double* q, const double* u,
                          double* v);

/* The same for generalised forces: force . velocity is the power on either side. */
void cr_tree_force_to_internal(const cr_tree_model* model, int tree, const double* q,
                               const double* interface_force, double* internal_force);
void cr_tree_force_to_interface(const cr_tree_model* model, int tree, const double* q,
                                const double* internal_force, double* interface_force);

/* dv/dt of the interface from du/dt and the velocities (either kind: only angular parts count). */
void cr_tree_acceleration_to_interface(const cr_tree_model* model, int tree, const double* q,
                                       const double* velocity, const double* u_dot, double* v_dot);

/* Normalises the quaternions of q in place: those of a tree, those of mocap links. */
void cr_tree_normalize(const cr_tree_model* model, int tree, double* q);
void cr_tree_normalize_mocaps(const cr_tree_model* model, double* q);

#endif
