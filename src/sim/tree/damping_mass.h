/* Lower bounds of the mass that each damper of a mechanism works on.
 *
 * A group is the dofs between two links that have mass, or between one and the ground: those of a
 * joint, or of several at massless links. Each link's inertia is dealt out in equal shares among
 * the groups with dampers and the springs that touch it. The kinetic energy is then the sum of the
 * groups', each no less than ½ q'ᵀ M_g q', where M_g is what its own dofs feel while the link that
 * it hangs on is free to move: M >= diag(M_g), at any configuration. Where several dampers touch a
 * group each has an equal share of M_g. */
#ifndef CR_SIM_DAMPING_MASS_H
#define CR_SIM_DAMPING_MASS_H

#include "sim/sim.h"

#define CR_GROUP_MAX 6 /* dofs; of longer chains of massless links only the armature counts */

struct cr_damping_groups {
  int num_groups;
  const int* tree_start; /* [num_trees + 1] groups of a tree */
  const int* dof_start;  /* [num_groups + 1] */
  const int* dof;        /* of the groups, from the outer link inwards */
  const int* link;       /* [2 num_groups] outer and inner; the inner one may be the ground */
  const int* rows;       /* [num_groups] dampers that touch it */
  const int* share;      /* [num_links] groups with dampers and ends of springs */
  const int* dof_group;  /* [num_v] -1: none, the armature is all there is */
  const int* dof_place;  /* [num_v] in its group */
  double* rate;          /* [num_trees] 1/s, largest d / m at the reference configuration; inf: it
                          * cannot be known beforehand */
};

/* Whether an actuator may damp what it works on; whether always by the same number. */
bool cr_damping_may_damp(const cr_force_model* force, int actuator);
bool cr_damping_is_linear(const cr_force_model* force, int actuator);

/* Whether a tendon's damper or an actuator may damp a line. */
bool cr_damping_is_line_damped(const cr_force_model* force, int line);

/* Lays out the groups of a simulation in its fixed memory; false when it ran out. */
bool cr_damping_groups_create(carom_sim* sim, cr_damping_groups* groups);

/* W [k, k] = M_g^-1 of a group of k dofs, infinite or large where M_g is singular. */
void cr_damping_groups_invert(const cr_damping_groups* groups, const cr_tree_model* model,
                              const cr_tree_kinematics* kinematics, int group, double* W);

/* How J W Jᵀ of a row J over the dofs of a group moves with the configuration's tangents along
 * them, J held. @param x [k] W Jᵀ; @param slope [k] */
void cr_damping_groups_differentiate(const cr_damping_groups* groups, const cr_tree_model* model,
                                     const cr_tree_kinematics* kinematics, int group,
                                     const double* x, double* slope);

/* The mass that a damper of a dof works on, with the W of its group; 0: none. */
double cr_damping_groups_dof_mass(const cr_damping_groups* groups, const cr_tree_model* model,
                                  int dof, const double* W);

/* One over the mass that a spring between points works on at one of them: infinite for links
 * without mass, 0 for what does not move. */
double cr_damping_groups_point_mobility(const cr_damping_groups* groups, const cr_tree_model* model,
                                        const cr_tree_kinematics* kinematics, int link, v3 point,
                                        v3 direction);

/* How a link with mass would answer an impulse by itself, with its share of its inertia. */
sv cr_damping_groups_link_answer(const cr_damping_groups* groups,
                                 const cr_tree_kinematics* kinematics, int link, sv impulse);

#endif
