/** @file
 * Simulation: one state of a model and its steps in time.
 */
#ifndef CAROM_SIM_H
#define CAROM_SIM_H

#include "carom/model.h"
#include "carom/problem.h"
#include "carom/tasks.h"

CAROM_BEGIN_DECLS

/** One state and its workspace. One thread at a time; many may share one model. */
typedef struct carom_sim carom_sim;

/** Members of the theta-method,
 *
 *     M(q^tq) (v - v0) + dt F(q^tq, v^tv) = Jᵀ gamma,   q = q0 + dt N(q^tq) v^tvq,
 *
 * with x^t = t x + (1 - t) x0. */
typedef enum carom_scheme {
  CAROM_EXPLICIT,    /**< 0, 0, 0: explicit Euler, order 1 */
  CAROM_SYMPLECTIC,  /**< 0, 1, 1: symplectic Euler, order 1 */
  CAROM_IMPLICIT,    /**< 1, 1, 1: implicit Euler, order 1 */
  CAROM_MIDPOINT,    /**< 1/2, 1/2, 1/2: symplectic midpoint rule, order 2 */
  CAROM_THETA,       /**< as given in `theta` */
  CAROM_SCHEME_AUTO, /**< midpoint; implicit Euler where the model has soft bodies, whose stiff
                          modes it damps (docs/soft.md) */
} carom_scheme;

/** When in the step a contact's distance and velocity count. */
typedef enum carom_contact_timing {
  CAROM_CONTACT_IMPLICIT, /**< at its end: no rebound, whatever the scheme */
  CAROM_CONTACT_SCHEME,   /**< as the scheme: second order and energy-keeping with midpoint, for
                               compliant contacts */
} carom_contact_timing;

/** Which forces are told where rigid constraints leave them undetermined. */
typedef enum carom_forces {
  CAROM_FORCES_FOUND, /**< those that the solver found: some of many */
  CAROM_FORCES_LEAST, /**< the least: one, whatever the order of bodies and what was before */
} carom_forces;

/** How rotations advance under the midpoint rule. */
typedef enum carom_rotation {
  CAROM_ROTATION_CAYLEY, /**< keeps a free body's energy and angular momentum to round-off */
  CAROM_ROTATION_LINEAR, /**< q0 + dt N(q^t) w: turns the angular momentum slowly */
} carom_rotation;

/** How the linear systems of soft bodies are solved. Both lead to the same steps within the
 * tolerance. */
typedef enum carom_soft_solver {
  CAROM_SOFT_AUTO,      /**< body by body what is expected to be faster */
  CAROM_SOFT_DIRECT,    /**< by sparse factors */
  CAROM_SOFT_ITERATIVE, /**< by conjugate gradients, in little memory; by a factor where these fail,
                             with solvers other than Newton, and where springs between bodies or
                             tendons join trees */
} carom_soft_solver;

/** What happens after a step that fails in every way it can be taken. */
typedef enum carom_on_failure {
  CAROM_FAILURE_STOP,     /**< the state stays as before the step, and the report says why */
  CAROM_FAILURE_CONTINUE, /**< what failed is stopped where it is, and all else moves on */
} carom_on_failure;

/** Options of a simulation. */
typedef struct carom_sim_def {
  uint32_t cookie;
  carom_allocator allocator;
  double dt;                    /**< s; 0: the model's */
  carom_scheme scheme;          /**< default auto */
  double theta[3];              /**< theta_q, theta_v, theta_vq in [0, 1], for CAROM_THETA */
  carom_contact_timing contact; /**< default implicit */
  int relinearise;              /**< times the momentum balance is linearised anew at the solution;
                                     1 restores order 2 with constraints; one that does not
                                     converge is taken back; default 0 */
  carom_friction friction;      /**< default Coulomb */
  carom_patches patches;        /**< default auto */
  double patch_error;  /**< relative, of the moment of friction of an area, whatever it turns about:
                            areas have as few points as keep it, as far as there are rules
                            (docs/geometry.md); 0: the model's (default). In a spin about the
                            centroid it is right all the same, to 1e-3 */
  carom_forces forces; /**< default found; least: every step takes some solves more. Velocities
                            are the same, the next step starts from these impulses */
  double sigma;        /**< R_t = sigma w: the published regularisation of friction; default 0 */
  double beta;         /**< R_n >= beta² w / (4 pi²): published near-rigid bound; default 0 */
  carom_solver solver; /**< default Newton */
  carom_soft_solver soft_solver; /**< default auto */
  double tolerance;              /**< of the solver's certificate, relative; default 1e-6 */
  int max_iterations; /**< Newton or interior-point iterations of an attempt, a hundredth of those
                           of pgs and apgd; default 100 */
  carom_rotation rotation; /**< default Cayley */
  bool implicit_coriolis;  /**< symplectic Euler: Coriolis terms at the new velocity */
  bool disable_contacts;   /**< no collisions; joint limits and equalities stay */
  double recovery_speed;   /**< m/s: rigid overlaps, limits and equalities that are violated are
                                undone no faster than this, nor with more energy than the links'
                                own masses have at it; default 0.25 */
  double mocap_time;       /**< s: equalities that hold a mocap body close their violation by 1/e
                                in this time where that is faster; default 0.02 */
  double sleep_share; /**< an island whose trees have moved for ten steps by less than this share of
                          the tolerance, times what gravity adds in a step, is at rest: steps leave
                          it out until something meets it, or forces or controls on it change;
                          0: none ever is; default 1e-3 */
  double tangent_ratio; /**< anchored friction: tangential over normal stiffness of a contact; inf:
                             the tangent is rigid; default 0.82 (Mindlin 1949, nu = 0.3) */
  int threads; /**< that solve islands (bodies that touch each other) side by side, or a large one
                    together, and move many robots and look at many pairs side by side; the caller's
                    among them, at most 256; 0 or 1: the caller's alone (default). Changes no bit of
                    any result. With more than one the allocator's hooks are called from any of
                    them, never from two at once */
  carom_on_failure on_failure; /**< default stop */
  carom_tasks tasks; /**< the host's threads, used where `threads` is more than one; zero: own ones,
                          which live as long as the simulation */
} carom_sim_def;

CAROM_API carom_sim_def carom_sim_def_default(void);

/** Makes a simulation at the model's reference configuration, at rest.
 * @param model must outlive the simulation
 * @param def null: the defaults */
CAROM_API carom_status carom_sim_create(const carom_model* model, const carom_sim_def* def,
                                        carom_sim** sim, carom_error* error);

/** Frees a simulation; null is allowed. */
CAROM_API void carom_sim_destroy(carom_sim* sim);

/** Energies of a state, J. */
typedef struct carom_energy {
  double kinetic;   /**< armature included */
  double potential; /**< - sum m g.x */
  double elastic;   /**< joint springs, springs between points, compliant contacts of the last step,
                         along their tangents too with anchored friction */
} carom_energy;

/** How a step ended. */
typedef enum carom_step_outcome {
  CAROM_STEP_DONE,
  CAROM_STEP_FREE_MOTION, /**< failed: the free motion did not converge */
  CAROM_STEP_SOLVER,      /**< failed: the contact problem was not solved to the tolerance */
  CAROM_STEP_NOT_FINITE,  /**< failed: a coordinate or velocity is not finite */
  CAROM_STEP_ENERGY,      /**< of an attempt only: it adds energy that nothing explains */
  CAROM_STEP_PASSED,      /**< of an attempt only: a body that turns by a radian or more would go
                               through what it touches */
} carom_step_outcome;

/** What a step did. A step that fails, or adds energy that nothing explains, is taken again: in
 * halves and quarters, then by implicit Euler, whole and in as many as 256 parts. One that leads a
 * body through what it touches is taken in 4 to 256 parts. */
typedef struct carom_step_report {
  carom_step_outcome outcome; /**< other than done: the state is as before the step */
  double time;                /**< s, at the end */
  double dt;                  /**< s, of the whole step */
  int substeps;               /**< 1, or 2 to 256 after failures */
  int contacts;               /**< contact points in the problem, and those of bodies at rest */
  int constraints;            /**< constraints in the problem, contacts included */
  int islands;                /**< solved; those at rest are left out, see sleep_share */
  int sleeping_trees;         /**< after the step */
  int relaxed_islands;  /**< islands whose last problem is convex, with the slip frozen: Coulomb's
                           own  was not solved within reach, see coulomb_residual */
  int impact_islands;   /**< islands that took the step of an impact */
  int iterations;       /**< Newton iterations, each with its own factor, largest over islands */
  int outer_iterations; /**< proximal and friction iterations, likewise */
  int factorizations;   /**< all islands */
  int free_iterations;  /**< of the free motion, largest over trees */
  double residual;      /**< natural residual of the last problem, relative, largest over islands */
  double coulomb_residual; /**< the same of Coulomb's law where the last problem is convex with a
                                frozen slip: how far it is from that law */
  double error_bound;      /**< bound on |v - v_opt|_A over the scale of velocities; inf if rigid */
  double stick_slip;       /**< m/s, largest slip of a sticking contact */
  double float_distance;   /**< m, largest float of a sliding contact (convex friction) */
  double dissipated;       /**< J, taken by contacts, friction and dampers in this step */
  double actuator_work;    /**< J, done by actuators in this step, and by what moves surfaces */
  double external_work;    /**< J, done by wrenches and forces on nodes in this step */
  double patch_error;      /**< largest carom_contact.area_error over what bears; 0 with corners,
                                which know no area */
  int undetermined;        /**< constraints that share forces which rigid bodies leave undetermined;
                                0 too where the least were not asked for */
  int undetermined_groups; /**< among how many such forces: numbers of carom_contact.shared_force */
  bool is_least_norm;      /**< the forces are the least, as asked for; false where they were not
                                found to round-off */
  double penetration;      /**< m, deepest loaded contact, where the step looked at it */
  double unexplained;      /**< J, of energy that the step has added and that none of these, nor
                                gravity, springs, or bounded recovery explains; 0 where it lost */
  double unexplained_sum;  /**< J, what the steps since the state was set have added so, less what
                                they lost, never below zero */
  double braked;           /**< J, of energy that every way to take the step added and nothing
                                explained, taken off the velocities of what gained it */
  bool is_implicit;        /**< it was taken by implicit Euler, whatever the scheme */
  carom_step_outcome first_outcome; /**< of the first attempt: other than done, the step was taken
                                         again */
  int held_trees;                   /**< whose velocities were set to zero, see on_failure */
  int failed_body; /**< the first of the tree that failed, or of one whose contacts were not solved;
                        -1: none, or not known */
} carom_step_report;

/** Advances by one dt.
 * @param report may be null
 * @return CAROM_OK also when the step failed numerically: look at report.outcome;
 *         CAROM_ERROR_INVALID_ARGUMENT where a control is not finite, CAROM_ERROR_OUT_OF_MEMORY:
 *         the state is then as before */
CAROM_API carom_status carom_sim_step(carom_sim* sim, carom_step_report* report,
                                      carom_error* error);

/** The options, with `dt`, `scheme`, `patches` and `patch_error` as the model has resolved them. */
CAROM_API carom_sim_def carom_sim_get_options(const carom_sim* sim);

/** The model and the time, s; dt as resolved. */
CAROM_API const carom_model* carom_sim_model(const carom_sim* sim);
CAROM_API double carom_sim_time(const carom_sim* sim);
CAROM_API double carom_sim_dt(const carom_sim* sim);

/** Coordinates [num_q] and velocities [num_v] of the state, alive until the simulation is destroyed
 * and changed by every step. Poses of mocap bodies stand last in the coordinates; velocities they
 * have none. */
CAROM_API const double* carom_sim_coordinates(const carom_sim* sim);
CAROM_API const double* carom_sim_velocities(const carom_sim* sim);

/** The actuators' controls [num_controls], to be written between steps. */
CAROM_API double* carom_sim_controls(carom_sim* sim);

/** The actuators' activations [num_activations], to be written between steps. A new simulation's
 * are zero. */
CAROM_API double* carom_sim_activations(carom_sim* sim);

/** Sets the state; null leaves a part as it is. Quaternions are normalised. Of what steps carry all
 * that still fits stays: impulses and accelerations, which are guesses for the next step; sleep,
 * where neither q nor v of a tree changes; displacements of anchored friction and contacts with an
 * impact, where its q does not. What carom_sim_forget_motion forgets is lost where any of q or v
 * changes. So the results of steps depend on what was simulated before, within the solver's
 * tolerance; where they must not, call carom_sim_forget.
 * @return CAROM_ERROR_INVALID_ARGUMENT where a number is not finite */
CAROM_API carom_status carom_sim_set_state(carom_sim* sim, double time, const double* q,
                                           const double* v, carom_error* error);

/** Forgets what steps carry beside the state: the next step starts a trajectory, and is the same
 * whatever was simulated before. Contacts, reactions and what was unexplained are empty. */
CAROM_API void carom_sim_forget(carom_sim* sim);

/** Forgets of these only how things moved in the last step: the slip of contacts that stay, and
 * accelerations of loaded bodies, from which a step takes how contacts go on over curved surfaces
 * (docs/theory.md, "Curved contact"). The next step is a function of the state, and of guesses
 * within the solver's tolerance; derivatives are of such steps. */
CAROM_API void carom_sim_forget_motion(carom_sim* sim);

/** Sets state, controls and activations to a keyframe of the model, and forgets what steps carry.
 */
CAROM_API carom_status carom_sim_set_keyframe(carom_sim* sim, int keyframe, carom_error* error);

/** Moves a mocap body: its frame is there from now on, for the next step and until it is moved
 * again. What touches it or is constrained to it meets it there, at rest: to slide or to be
 * carried along on it, a body needs what holds it.
 * @param body its index; @param position m, world frame, null: as it is; @param quaternion of any
 *        length, null: as it is
 * @return CAROM_ERROR_INVALID_ARGUMENT where the body is no mocap body, a number is not finite or
 *         the quaternion zero; the simulation is then as before */
CAROM_API carom_status carom_sim_set_mocap(carom_sim* sim, int body, const double position[3],
                                           const double quaternion[4], carom_error* error);

/** Moves a mocap body from its pose on at this velocity, step after step until it is changed, as a
 * drive that nothing stops. What touches it is carried along: a table that shakes, a conveyor, a
 * cam. What the drive does against contacts is in `actuator_work`. What is tied to the body by an
 * equality follows it as one that is moved between steps (`mocap_time`).
 * @param body its index; @param velocity m/s of its frame's origin, world axes, null: as it is;
 * @param rate rad/s, world axes, null: as it is
 * @return CAROM_ERROR_INVALID_ARGUMENT where the body is no mocap body or a number is not finite;
 *         the simulation is then as before */
CAROM_API carom_status carom_sim_set_motion(carom_sim* sim, int body, const double velocity[3],
                                            const double rate[3], carom_error* error);

/** Changes dt, s. */
CAROM_API carom_status carom_sim_set_dt(carom_sim* sim, double dt, carom_error* error);

/** A force and torque (world frame, N and N m) on a body at its centre of mass, held until changed.
 */
CAROM_API carom_status carom_sim_set_wrench(carom_sim* sim, int body, const double force[3],
                                            const double torque[3], carom_error* error);

/** A force (world axes, N) on a node of a soft body, held until changed. What a node that is fixed
 * in the world bears goes into the reaction of its attachment.
 * @param soft index of the body; @param node of it, from 0
 * @return CAROM_ERROR_INVALID_ARGUMENT where there is no such node, or for a number that is not
 *         finite */
CAROM_API carom_status carom_sim_set_node_force(carom_sim* sim, int soft, int node,
                                                const double force[3], carom_error* error);

/** Bytes that carom_sim_save writes now. */
CAROM_API size_t carom_sim_state_size(const carom_sim* sim);

/** Saves everything a step depends on: a restored simulation goes on with the same bits.
 * @param buffer [carom_sim_state_size] */
CAROM_API void carom_sim_save(const carom_sim* sim, void* buffer);

/** Restores what carom_sim_save wrote for the same model and options.
 * @return CAROM_ERROR_BAD_INPUT when the buffer is not such a state; the simulation is unchanged */
CAROM_API carom_status carom_sim_restore(carom_sim* sim, const void* buffer, size_t size,
                                         carom_error* error);

/** Makes a second simulation of the same model, with the same options and state, that goes on with
 * the same bits; contacts and reactions of the last step are not copied.
 * @param copy receives it, to be destroyed by the caller; null on failure
 * @return CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_sim_copy(const carom_sim* sim, carom_sim** copy, carom_error* error);

/** Energies of the state; kinetic and potential energy are NaN where memory ran out. */
CAROM_API carom_energy carom_sim_compute_energy(carom_sim* sim);

/** Poses of all bodies: position of the frame's origin and quaternion [7 num_bodies]. */
CAROM_API void carom_sim_compute_poses(carom_sim* sim, double* poses);

/** Von Mises' stress of Cauchy's stress in every element of a soft body, Pa, the mean over its
 * quadrature points, at the positions of the state; dampers have no part in it.
 * @param soft its index, in range; @param stress [num_elements] */
CAROM_API void carom_sim_compute_soft_stress(const carom_sim* sim, int soft, double* stress);

/** Von Mises' equivalent of Green's strain E = (FᵀF - 1)/2 in every element of a soft body,
 * sqrt(2/3 e:e) of its deviator e, the mean over its quadrature points, at the positions of the
 * state.
 * @param soft its index, in range; @param strain [num_elements] */
CAROM_API void carom_sim_compute_soft_strain(const carom_sim* sim, int soft, double* strain);

/** What an attachment does to its soft body. */
typedef struct carom_reaction {
  double force[3];  /**< N, on the soft body, world axes; the other body feels the opposite */
  double moment[3]; /**< N m, about `center` */
  double center[3]; /**< m, mean place of the attachment's nodes, world */
} carom_reaction;

/** The reaction of an attachment in the last step, or its last part where it was taken in parts:
 * what, beside elasticity, damping, loads and contacts, the nodes' motion needs; of glued nodes the
 * constraints' impulses. All zero where no step was taken since the start, or since
 * carom_sim_forget.
 * @param attachment its index, in range */
CAROM_API carom_reaction carom_sim_compute_reaction(const carom_sim* sim, int attachment);

/** Forces and moments of all attachments, one row after the other.
 * @param rows [attachments, 6] N, N m */
CAROM_API void carom_sim_compute_reactions(const carom_sim* sim, double* rows);

/** The same for each node of an attachment, N, world axes.
 * @param forces [3 num_nodes] in the order of carom_attachment_info.nodes */
CAROM_API void carom_sim_compute_node_reactions(const carom_sim* sim, int attachment,
                                                double* forces);

/** What passes through a joint from the parent to the joint's body. */
typedef struct carom_joint_reaction {
  carom_reaction on_body; /**< on the joint's body, world axes, about the joint's anchor; the parent
                               feels the opposite. Of a free joint about the body frame's origin */
  double force[3];        /**< N, the same in the frame of the joint's body */
  double moment[3];       /**< N m, likewise */
  double limit;       /**< N or N m, what of it its limits do, along its coordinate; of a ball joint
                           along the angle that is limited */
  double friction[6]; /**< N or N m, what its dry friction does, along its velocities */
  int shared_limit;   /**< as carom_contact.shared_force, of its limits */
  int shared_friction[6]; /**< likewise, of its dry friction */
} carom_joint_reaction;

/** What passes through all joints in the last step, or its last part where it was taken in parts:
 * as mean forces of the step, what each body's inertia and gravity ask for less what else acts on
 * it: contacts, equalities, wrenches, springs between points, tendons through sites, actuators on
 * sites, soft bodies, the fluid. So it holds what springs, dampers, limits and actuators of the
 * joint do themselves. By Newton-Euler at the configuration where the step linearised the balance
 * of momentum, with which it agrees. Joints of one body transmit the same, each about its own
 * anchor. Bodies without joints are one with their parents. Wrenches, controls and activations
 * count as they are when it is called. All zero where no step was taken since the start, or since
 * the state was set, restored or forgotten. Overwrites the step's memory, not the contacts.
 * @param reactions [num_joints]
 * @return CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_sim_compute_joint_reactions(carom_sim* sim,
                                                         carom_joint_reaction* reactions,
                                                         carom_error* error);

/** What an equality does. */
typedef struct carom_equality_reaction {
  int num_rows;   /**< as carom_equality_type says */
  double rows[6]; /**< N or N m: of connect and weld force on body 2 in world axes, of weld then
                       torque in its frame's axes; of distance along the line from body 1 to 2; of
                       joints and tendons along the first one's coordinate or length */
  carom_reaction on_body2; /**< of connect, weld and distance: on body 2, about its anchor; body 1
                                feels the opposite at its own */
  int shared_force[6];     /**< as carom_contact.shared_force, of each row */
} carom_equality_reaction;

/** What equalities did in the last step; see carom_sim_compute_joint_reactions. Of what sleeps,
 * those of the step before it fell asleep.
 * @param reactions [num_equalities] zero where not active */
CAROM_API carom_status carom_sim_compute_equality_reactions(carom_sim* sim,
                                                            carom_equality_reaction* reactions,
                                                            carom_error* error);

/** What an equality does as six numbers, those of recordings and tables: force and moment of
 * on_body2; of joints and tendons rows[0], then zeros. */
CAROM_API void carom_equality_reaction_store(const carom_equality_reaction* reaction,
                                             double numbers[6]);

/** What the constraints of a tendon do along it: positive makes it longer. */
typedef struct carom_tendon_reaction {
  double limit;                      /**< N or N m */
  double friction;                   /**< N or N m */
  int shared_limit, shared_friction; /**< as carom_contact.shared_force */
} carom_tendon_reaction;

/** What constraints of tendons did in the last step; see carom_sim_compute_equality_reactions.
 * @param reactions [num_tendons] */
CAROM_API void carom_sim_compute_tendon_reactions(const carom_sim* sim,
                                                  carom_tendon_reaction* reactions);

/** State of a contact after a step. */
typedef enum carom_contact_state {
  CAROM_SEPARATED,
  CAROM_STICKING,
  CAROM_SLIDING
} carom_contact_state;

/** A contact point of the last step. */
typedef struct carom_contact {
  int geom1, geom2;
  double position[3]; /**< m, world */
  double normal[3];   /**< unit, from the first to the second */
  double distance;    /**< m, negative in penetration, where the step looked at it */
  double impulse[3];  /**< N s, on the second body, world */
  double moment[3];   /**< N m s, of torsional and rolling friction about `position`, likewise */
  double slip;        /**< m/s, relative tangential speed at the end of the step; anchored friction:
                           less the rate of the elastic displacement */
  double area;        /**< m², of the area that its patch touches over, what it stands for, so that
                           force over area is pressure and shear; 0: not known (corners, edges) */
  double
      area_error; /**< relative, by which the moment of friction of its patch may be off from
                       that of even pressure over the area, whatever it turns about; 0: no area */
  carom_contact_state state;
  int shared_force; /**< its force is one of many that do the same: contacts, limits, dry friction
                         and equalities of one number, from 1 on, share what is undetermined (see
                         carom_joint_reaction, carom_equality_reaction); 0: determined, or the least
                         were not asked for (carom_sim_def.forces) */
  bool is_undetermined; /**< shared_force is not 0 */
} carom_contact;

/** Contact points of the last step, alive until the next call that changes the state. */
CAROM_API const carom_contact* carom_sim_contacts(const carom_sim* sim, int* count);

/** What the contacts between two bodies do together. */
typedef struct carom_contact_sum {
  int count;        /**< points that press */
  double force[3];  /**< N, on the second body, world axes; the mean of the last step */
  double moment[3]; /**< N m, likewise, about `center`: of forces and of moments of friction */
  double center[3]; /**< m, centre of pressure: the mean place of the points, each with its normal
                         force; NaN where none presses */
  double normal;    /**< N, sum of the normal forces */
  double area;      /**< m², over which they press; 0: not known, see carom_contact */
} carom_contact_sum;

/** Sums the contacts of the last step between two bodies.
 * @param body1, body2 their indices; -1: whatever touches the other, soft bodies too */
CAROM_API carom_contact_sum carom_sim_sum_contacts(const carom_sim* sim, int body1, int body2);

/** A triangle of an area over which contacts press; runs counterclockwise about their normal. */
typedef struct carom_pressure_triangle {
  double corner[3][4]; /**< m, x y z in the world, and Pa, the pressure there; linear between */
} carom_pressure_triangle;

/** The areas over which the contacts of the last step press, where the state is: of
 * patches that stand for an area (carom_contact.area) the polygon, the disc or the faces with holes
 * that it is, as far as it presses, with the pressure of an elastic foundation; of pressure fields
 * the surface on which the pressures are equal. None of corners and edges.
 * @param triangles alive until the next call that changes the state, or of this function
 * @return CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_sim_list_pressure(carom_sim* sim,
                                               const carom_pressure_triangle** triangles,
                                               int* count, carom_error* error);

/** Finds the contact points of the present state without a step: those of pairs that touch or are
 * nearer than their margin, and a micrometre more, so that what lies at rest counts. Their impulses
 * are zero. Takes the place of the last step's contacts.
 * @param contacts alive until the next call that changes the state
 * @return CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_sim_compute_contacts(carom_sim* sim, const carom_contact** contacts,
                                                  int* count, carom_error* error);

/** Generalised forces of all constraints together in the last step, or its last part where it was
 * taken in parts: contacts, limits, dry friction, equalities, and servos at their bounds, as mean
 * forces of the step, Jᵀ gamma / dt in the user's coordinates, so that what they do to v is
 * M⁻¹ force dt. Of what sleeps, those of the step before it fell asleep. Zero where no step was
 * taken since the start, since carom_sim_forget, or since a state was restored.
 * @param force [num_v] N, N m; of nodes of soft bodies N, world axes */
CAROM_API void carom_sim_compute_constraint_force(const carom_sim* sim, double* force);

/** Jacobians of a contact of the last step in the user's coordinates, row-major [3, num_v] in world
 * axes: velocity of the second body at `position` less that of the first, and the same of angular
 * velocities, at the configuration where the step linearised the balance of momentum. The contact
 * gives linearᵀ impulse + angularᵀ moment, over dt, to carom_sim_compute_constraint_force, to
 * round-off; of what sleeps, whose forces are of another step than its contacts, up to what it
 * moved between the two, and of a contact that a fast body meets ahead, up to how far its sides are
 * apart along it. Overwrites the step's memory, not the contacts.
 * @param contact index into carom_sim_contacts, of two geometries
 * @param linear, angular either may be null
 * @return CAROM_ERROR_INVALID_ARGUMENT where there is no such contact, or one side is a soft body;
 *         CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_sim_compute_contact_jacobian(carom_sim* sim, int contact,
                                                          double* linear, double* angular,
                                                          carom_error* error);

/** Acceleration [num_v] of the state in the user's coordinates with all constraints on: (v1 - v0) /
 * dt of one attempt at the step that the simulation would take next; the state stays. Impulses of
 * impacts count as forces that last for dt. With the explicit scheme every other force is that of
 * the present state, so that without constraints this is the acceleration of carom_dynamics.
 * @param report how the attempt ended, may be null; a is NaN where it failed
 * @return CAROM_OK also then; CAROM_ERROR_INVALID_ARGUMENT where a control is not finite;
 *         CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_sim_compute_acceleration(carom_sim* sim, double* a,
                                                      carom_step_report* report,
                                                      carom_error* error);

/** The contact problem of the step that the simulation would take next, as it stands when it is
 * solved for the last time; the state stays. Its unknowns are the velocities of the trees that take
 * part, in the solver's own coordinates and blocks; its guess are the impulses carried over.
 * @param problem receives it, to be destroyed by the caller; null where nothing constrains the
 * step, or its free motion fails
 * @return CAROM_ERROR_INVALID_ARGUMENT where a control is not finite; CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_sim_compute_problem(carom_sim* sim, carom_problem** problem,
                                                 carom_error* error);

/** What a constraint of a problem stands for. */
typedef enum carom_origin_kind {
  CAROM_ORIGIN_CONTACT,
  CAROM_ORIGIN_JOINT_LIMIT,
  CAROM_ORIGIN_TENDON_LIMIT,
  CAROM_ORIGIN_EQUALITY,
  CAROM_ORIGIN_ATTACHMENT,      /**< a node of a soft body that is glued to a moving body */
  CAROM_ORIGIN_JOINT_FRICTION,  /**< dry friction */
  CAROM_ORIGIN_TENDON_FRICTION, /**< likewise */
  CAROM_ORIGIN_ACTUATOR,        /**< a servo whose force is limited */
} carom_origin_kind;

/** Where a constraint of a problem comes from. */
typedef struct carom_constraint_origin {
  carom_origin_kind kind;
  int index; /**< of the joint, tendon, equality, attachment or actuator; contacts: -1 */
  int row;  /**< of a limit 0: the lower, 1: the upper; of an equality, attachment or joint which of
                 its rows or velocities; of a contact 0: force, perhaps with moments, 1: torsion
                 alone, 2: rolling alone */
  int node; /**< of an attachment: of the soft body */
  int geoms[2];       /**< of a contact, as in carom_contact; else -1 */
  double position[3]; /**< m, world, of a contact */
  double normal[3];   /**< unit, from the first to the second */
} carom_constraint_origin;

/** What the constraints of the problem that carom_sim_compute_problem gave last stand for, in the
 * order of carom_problem_get_constraint. Alive until a problem is asked for again or the simulation
 * is destroyed. */
CAROM_API const carom_constraint_origin* carom_sim_get_problem_origins(const carom_sim* sim,
                                                                       int* count);

CAROM_END_DECLS

#endif
