/* Rigid-body algorithms on one tree (Featherstone 2008), all O(links) unless said otherwise.
 *
 * Every function takes the tree's index and touches only that tree's links and dofs of the given
 * arrays, which are indexed by the whole model's links and dofs. None allocates. */
#ifndef CR_TREE_ALGORITHMS_H
#define CR_TREE_ALGORITHMS_H

#include "tree/tree.h"

/* Poses, inertias and motion vectors from q [num_q]; quaternions are normalised on use. */
void cr_tree_update_kinematics(const cr_tree_model* model, int tree, const double* q,
                               cr_tree_kinematics* kinematics);

/* The entries of links of no tree, before those of the trees that hang on them: the ground at rest
 * at the world's origin, mocap links at rest where q [num_q of all] has them.
 * @param q null: mocap links at their reference poses; @param velocities may be null */
void cr_tree_update_ground(const cr_tree_model* model, const double* q,
                           cr_tree_kinematics* kinematics, cr_tree_velocities* velocities);

/* Link velocities and bias accelerations from v [num_v]. */
void cr_tree_update_velocities(const cr_tree_model* model, int tree,
                               const cr_tree_kinematics* kinematics, const double* v,
                               cr_tree_velocities* velocities);

/* Link velocities alone [num_links], to the bit the same. */
void cr_tree_update_link_velocities(const cr_tree_model* model, int tree,
                                    const cr_tree_kinematics* kinematics, const double* v,
                                    sv* link_V);

/* Recursive Newton-Euler: tau = M a + C(q, v) - gravity - external, armature included.
 * @param velocities null: at rest
 * @param a [num_v] joint accelerations, null: zero
 * @param scratch a and f are used; f is left holding the force that each link's joints transmit
 * @param tau [num_v] result, this tree's entries */
void cr_tree_compute_inverse_dynamics(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics,
                                      const cr_tree_velocities* velocities, const double* a,
                                      const cr_tree_loads* loads, cr_tree_scratch* scratch,
                                      double* tau);

/* Inertia of every link together with its descendants, composite [num_links]. */
void cr_tree_compute_composites(const cr_tree_model* model, int tree,
                                const cr_tree_kinematics* kinematics, spatial_inertia* composite);

/* Composite rigid body algorithm, armature included: the tree's own dense mass matrix, n = its
 * number of dofs. O(n depth) beside the zeros. For a free link it is diag(m, m, m, I) to the bit.
 * @param scratch composite is used
 * @param M [n, n] column-major, both triangles; zero where two dofs are on different branches */
void cr_tree_compute_mass_matrix(const cr_tree_model* model, int tree,
                                 const cr_tree_kinematics* kinematics, cr_tree_scratch* scratch,
                                 double* M);

/* The same, but only the rows' elements up to the diagonal are written, and of these only those at
 * the dofs from k to the root; the others are never read by what follows. */
void cr_tree_compute_mass_rows(const cr_tree_model* model, int tree,
                               const cr_tree_kinematics* kinematics, cr_tree_scratch* scratch,
                               double* M);

/* Articulated-body algorithm: a with (M + diag(extra)) a + C - gravity - external = tau.
 * @param velocities null: at rest
 * @param tau [num_v] joint forces, null: zero
 * @param extra [num_v] added to the diagonal of M, beside the armature; null: zero
 * @param scratch all but composite is used
 * @param a [num_v] result, this tree's entries
 * @return false when a pivot is not positive (a massless chain); a is then undefined */
bool cr_tree_compute_forward_dynamics(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics,
                                      const cr_tree_velocities* velocities, const double* tau,
                                      const double* extra, const cr_tree_loads* loads,
                                      cr_tree_scratch* scratch, double* a);

/* Velocity of the world point x as a point of the dof's links, per unit rate of the dof. */
static inline v3 cr_tree_dof_point_velocity(const cr_tree_kinematics* kinematics, int tree, int dof,
                                            v3 x) {
  return sv_point_velocity(kinematics->S[dof], v3_sub(x, kinematics->origin[tree]));
}

/* Dense Jacobians of a frame that moves with a link: `linear` [3, num_v] row-major gives the
 * velocity of the world point x, `angular` [3, num_v] the angular velocity (world axes); either may
 * be null. All columns are written. */
void cr_tree_compute_jacobian(const cr_tree_model* model, const cr_tree_kinematics* kinematics,
                              int link, v3 x, double* linear, double* angular);

/* A tree's state, and where it hangs. */
typedef struct cr_tree_state {
  pose base;           /* of the link that its first one hangs on, which is at rest */
  v3 gravity;          /* m/s² */
  const double *q, *v; /* [num_q], [num_v] of all, the velocities internal */
} cr_tree_state;

/* Energies, armature included, J, and the power of gravity, W. */
typedef struct cr_tree_energies {
  double kinetic, potential, fall;
} cr_tree_energies;

/* Energies from the state alone.
 * @param scratch frame is used */
cr_tree_energies cr_tree_compute_energies(const cr_tree_model* model, int tree,
                                          const cr_tree_state* at, cr_tree_scratch* scratch);

/* Kinetic energy, armature included (which needs v), J. */
double cr_tree_compute_kinetic_energy(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics,
                                      const cr_tree_velocities* velocities, const double* v);

/* Potential energy of gravity, - sum m g.x, J. */
double cr_tree_compute_gravity_energy(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics, v3 gravity);

/* Total mass and first moment sum m x (world), added to *mass and *moment. */
void cr_tree_add_mass_moment(const cr_tree_model* model, int tree,
                             const cr_tree_kinematics* kinematics, double* mass, v3* moment);

/* Momentum about the world origin (angular, linear), armature not included. */
sv cr_tree_compute_momentum(const cr_tree_model* model, int tree,
                            const cr_tree_kinematics* kinematics,
                            const cr_tree_velocities* velocities);

#endif
