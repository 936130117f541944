/* Force elements of one tree's joints, and springs between points: generalised forces and their
 * positive semi-definite stiffness and damping. */
#ifndef CR_FORCE_ELEMENTS_H
#define CR_FORCE_ELEMENTS_H

#include "force/force.h"
#include "tree/algorithms.h"

/* Where forces of joints count. */
typedef struct cr_joint_state {
  const double* q;     /* [num_q] */
  const double* shift; /* [num_v] added to the dofs' distances from where springs are at rest; null:
                        * none */
  const double* v;     /* [num_v] */
} cr_joint_state;

/* tau += forces of the tree's joint springs and dampers (interface velocities; where a
 * free joint has its anchor at the centre of mass the tree has neither).
 * @param scratch [num_v] */
void cr_force_add_joint_forces(const cr_force_model* force, const cr_tree_model* tree_model,
                               int tree, const cr_joint_state* at, double* scratch, double* tau);

/* Stiffness and damping of a dof's spring and damper, where they are positive, at q and the rate of
 * the dof where they are no straight lines. */
void cr_force_find_slopes(const cr_force_model* force, const cr_tree_model* tree_model, int dof,
                          const double* q, double rate, double slope[2]);

/* Has a joint of the tree a spring or a damper? */
bool cr_force_has_joint_forces(const cr_force_model* force, const cr_tree_model* tree_model,
                               int tree);

/* Has a joint of the tree a damper? */
bool cr_force_has_dampers(const cr_force_model* force, const cr_tree_model* tree_model, int tree);

/* Has a joint's spring or damper powers beyond the first? */
bool cr_force_has_powers(const cr_force_model* force, const cr_tree_model* tree_model, int joint);

/* The force of a dof's damper at a rate, over that rate. */
double cr_force_find_damping(const cr_force_model* force, int dof, double rate);

/* Elastic energy of a tree's joint springs, J. scratch: [num_v]. */
double cr_force_compute_joint_energy(const cr_force_model* force, const cr_tree_model* tree_model,
                                     int tree, const double* q, double* scratch);

/* A spring between two points: geometry at a configuration. */
typedef struct cr_force_spring {
  int link[2];
  v3 point[2];  /* world */
  v3 direction; /* unit, from the first to the second point */
  double length;
} cr_force_spring;

cr_force_spring cr_force_locate_spring(const cr_force_model* force, int spring,
                                       const pose* link_pose);

/* Tension, N: pulls the points together when positive. rate = d(length)/dt. */
double cr_force_compute_tension(const cr_force_model* force, int spring, double length,
                                double rate);

/* Elastic energy of a spring between points, J. */
double cr_force_compute_spring_energy(const cr_force_model* force, int spring, double length);

#endif
