/** @file
 * The builder: a mutable description of a mechanism, checked as it grows, compiled into a model.
 *
 * Every definition is made by its `carom_*_def_default()` function, filled, and copied on use. A
 * definition that was not made so is refused. Frames: a body's position and orientation are given
 * in its parent's body frame, at the reference configuration; everything on a body in that body's
 * frame. Quaternions are (w, x, y, z) and are normalised on use. Unset numbers are NaN where the
 * comment says so.
 *
 * The model puts bodies depth first, children in the order of their addition, and joints and
 * geometries in the order of their bodies. Where a mechanism is built in that order, a body's index
 * in the model is its handle's id, and that of any other part is the id less one. What hangs on no
 * single body or has no order there (sites, tendons, actuators, sensors, constraints) stays in the
 * order of addition.
 */
#ifndef CAROM_BUILDER_H
#define CAROM_BUILDER_H

#include "carom/allocator.h"
#include "carom/status.h"
#include "carom/types.h"

#include <stddef.h>

CAROM_BEGIN_DECLS

/** Owns a description under construction. One thread at a time. */
typedef struct carom_builder carom_builder;

/** A compiled model, immutable; see carom/model.h. */
typedef struct carom_model carom_model;

/** When mass and inertia are computed from geometries. */
typedef enum carom_inertia_source {
  CAROM_INERTIA_AUTO,   /**< from geometries where a body gives none */
  CAROM_INERTIA_GEOMS,  /**< always from geometries, where there are any */
  CAROM_INERTIA_BODIES, /**< never from geometries */
} carom_inertia_source;

/** How two geometries' coefficients of friction make that of their pair. */
typedef enum carom_friction_rule {
  CAROM_FRICTION_RULE_LARGER,   /**< the larger one (MJCF) */
  CAROM_FRICTION_RULE_HARMONIC, /**< 2 mu1 mu2 / (mu1 + mu2), zero where both are (Drake's; URDF) */
  CAROM_FRICTION_RULE_SMALLER,  /**< the smaller one (Gazebo's; SDF) */
} carom_friction_rule;

/** What the points of a patch stand for where faces, or a face and an edge, touch. */
typedef enum carom_patches {
  CAROM_PATCHES_CORNERS, /**< its corners, alike: right for forces and tipping, up to twice the
                              moment of friction in a spin */
  CAROM_PATCHES_AREA,    /**< its area: more points, with weights that make the moment of friction
                              under uniform pressure right (docs/contact.md, "Areas") */
  CAROM_PATCHES_AUTO,    /**< of a simulation: what the model says */
} carom_patches;

/** Options of a whole model. */
typedef struct carom_builder_def {
  uint32_t cookie;
  carom_allocator allocator; /**< used by the builder and the models compiled from it */
  const char* name;          /**< name of the model, may be null */
  double gravity[3];         /**< m/s², world frame; default 0 0 -9.81 */
  double magnetic[3];        /**< field that magnetometers read, world frame; default 0 -0.5 0 */
  double timestep;           /**< s, the step that the scene suggests; default 0.002 */
  carom_inertia_source inertia_source;
  double total_mass;      /**< kg; masses and inertias are scaled to it; 0: as given */
  double minimum_mass;    /**< kg; lighter bodies are given this mass; default 0 */
  double minimum_inertia; /**< kg m²; smaller principal moments are raised to it; default 0 */
  bool balance_inertia;   /**< an inertia that breaks the triangle inequality becomes a sphere's */
  bool allow_unphysical;  /**< accept inertias that break the triangle inequality, with a note */
  carom_friction_rule friction_rule; /**< default: the larger one */
  bool disable_contacts;             /**< no two geometries collide, explicit pairs included */
  bool parents_collide;              /**< bodies collide with their parents too; default false */
  double contact_stiffness;          /**< N/m of geometries that give none; inf: rigid (default) */
  double contact_dissipation; /**< s, likewise; NaN: critical damping at the contact's time scale */
  double rest_speed;          /**< m/s: slower impacts do not rebound; default 0.01 */
  carom_patches patches;      /**< of simulations that do not say; area (default) or corners */
  double patch_error;         /**< likewise; default 0.1 */
  double fluid_density; /**< kg/m³ of what fills the space; drag and lift, no buoyancy; default 0 */
  double fluid_viscosity; /**< Pa s; default 0 */
  double wind[3];         /**< m/s, velocity of the fluid, world frame */
} carom_builder_def;

/** A rigid body. Without joints it is welded to its parent, or moves as it is told: a mocap body.
 */
typedef struct carom_body_def {
  uint32_t cookie;
  carom_source source;
  const char* name;            /**< unique among bodies, may be null */
  carom_body parent;           /**< zero: the world */
  double position[3];          /**< m, of the body frame in the parent's frame */
  double quaternion[4];        /**< of the body frame in the parent's frame; default 1 0 0 0 */
  double mass;                 /**< kg; NaN: from geometries */
  double com[3];               /**< m, centre of mass in the body frame */
  double inertia[6];           /**< kg m², xx yy zz xy xz yz about the centre of mass, body axes */
  double gravity_compensation; /**< share of the weight that a force at the centre of mass bears */
  bool mocap; /**< hangs on the world without joints, at a pose that is set between steps
                   (carom_sim_set_mocap); default false */
} carom_body_def;

/** A joint between a body and its parent. Several joints of a body act in the order of addition. */
typedef struct carom_joint_def {
  uint32_t cookie;
  carom_source source;
  const char* name; /**< unique among joints, may be null */
  carom_body body;
  carom_joint_type type;    /**< default hinge */
  double anchor[3];         /**< m, body frame; not used by free joints */
  double axis[3];           /**< body frame, of any length but zero, which it is by default; hinge
                                 and slide */
  double reference;         /**< m or rad: the coordinate at the reference configuration */
  double pitch;             /**< m, of a hinge: way along the axis per revolution, positive where
                                 right-handed: a screw; default 0 */
  bool limited;             /**< `range` is enforced (ball: range[1] bounds the rotation angle;
                                 0: it does not turn) */
  double range[2];          /**< m or rad */
  double limit_margin;      /**< m or rad: the limit enters the problem this early */
  double limit_stiffness;   /**< N/m or N m/rad; inf: rigid */
  double limit_dissipation; /**< s; NaN: default of the stiffness */
  double stiffness;         /**< N/m or N m/rad, spring towards `spring_reference` */
  double
      stiffness_more[2]; /**< of hinges and slides: k2 and k3 of k x + k2 x² + k3 x³; default 0 */
  double spring_reference; /**< m or rad; NaN: the reference configuration */
  double damping;          /**< N s/m or N m s/rad */
  double damping_more[2];  /**< of hinges and slides: b2 and b3 of b v + b2 v |v| + b3 v³ */
  double spring_damper[2]; /**< s, 1: where both are positive, the time constant and the damping
                                ratio of a spring and damper in place of the two above, on the
                                inertia m that the joint feels at the reference configuration with
                                all else free, the harmonic mean of its dofs': damping 2 m / t,
                                stiffness m / (t z)² */
  double armature;         /**< kg or kg m²: reflected inertia, added to the mass matrix */
  double friction_loss;    /**< N or N m: dry friction */
  bool drive_bears_weight; /**< what bears weight (`gravity_compensation`) counts among what the
                                actuators do to this joint, not as a passive force */
  bool drive_limited;      /**< all actuators together are clamped to `drive_range`: hinge, slide */
  double drive_range[2];   /**< N or N m */
  double speed_limit; /**< m/s or rad/s that the joint is made for, of a hinge or slide; inf: none
                           is known (default). Kept for those who drive it: steps do not enforce
                           it */
} carom_joint_def;

/** What of a mesh gives mass. */
typedef enum carom_mesh_inertia {
  CAROM_MESH_CONVEX, /**< its convex hull */
  CAROM_MESH_EXACT,  /**< the solid that it encloses, exactly; the surface must be closed */
  CAROM_MESH_LEGACY, /**< the sum of the triangles' cones to the middle of the surface: more than
                        the solid where it is not convex */
  CAROM_MESH_SHELL,  /**< its surface; the density is per area, kg/m² */
} carom_mesh_inertia;

/** A mesh; geometries of it collide as its convex hull, or as the surface that it is, or are only
 * drawn. */
typedef struct carom_mesh_def {
  uint32_t cookie;
  carom_source source;
  const char* name;       /**< for error sentences, may be null */
  const double* vertices; /**< [3 num_vertices] m */
  int num_vertices;
  const int* triangles; /**< [3 num_triangles] vertices from 0, counterclockwise from outside */
  int num_triangles;    /**< 0: the hull of the vertices */
  carom_mesh_inertia inertia; /**< default convex */
  bool convex; /**< collides as its hull; default true. Else as its surface, whose edges other than
                    open ones should have two triangles */
  bool only_drawn; /**< for geometries that do not collide, and give mass only with the inertia of a
                      shell: any triangles will do, no hull is made, and steps do not see them;
                      default false */
  int family;      /**< two surfaces of one family, such as the links of a robot, meet each other as
                        their hulls; default 0: it has none */
} carom_mesh_def;

/** A field of heights over a grid, solid below; what stands on it stands still. */
typedef struct carom_height_field_def {
  uint32_t cookie;
  carom_source source;
  const char* name;      /**< for error sentences, may be null */
  int num_columns;       /**< along x, at least 2 */
  int num_rows;          /**< along y, at least 2 */
  const double* heights; /**< m, [num_rows num_columns], the row of least y first; null: zeros */
  double size[2];        /**< m, half the width along x and y, about the frame's origin */
  double base;           /**< m, how far the solid reaches below the frame's origin, for drawing */
} carom_height_field_def;

/** A geometry on a body: collides, gives mass, is drawn. */
typedef struct carom_geom_def {
  uint32_t cookie;
  carom_source source;
  const char* name; /**< unique among geometries, may be null */
  carom_body body;
  carom_geom_type type;
  double size[3];  /**< m, see carom_geom_type */
  carom_mesh mesh; /**< of a geometry of type mesh; its position is that of the mesh's frame */
  carom_height_field height_field; /**< of a geometry of type height field */
  double position[3];              /**< m, in the body frame */
  double quaternion[4];            /**< in the body frame */
  double mass;                     /**< kg; NaN: from density */
  double density;                  /**< kg/m³; default 1000 */
  bool shell;       /**< mass is on its surface, and `density` in kg/m²; not of meshes, which say
                         so themselves; default false */
  bool gives_mass;  /**< counts when inertia is computed from geometries; default true */
  uint32_t contype; /**< two geometries may collide when contype & conaffinity of the other */
  uint32_t conaffinity; /**< is not zero for either order; default 1 and 1 */
  int condim;           /**< 1: frictionless, 3: sliding friction, 4: torsional friction too, 6: and
                             rolling friction */
  int priority;         /**< the geometry of higher priority decides the pair's friction */
  double friction;      /**< coefficient of sliding friction; see carom_friction_rule */
  double margin;        /**< m: pairs enter the problem this early; a pair takes the sum */
  double gap;           /**< m: pairs beyond the margin by up to the gap are found, but push
                             nothing; a pair takes the sum */
  double stiffness;     /**< N/m of a contact of this geometry; inf: rigid; NaN: the model's */
  double dissipation;   /**< s; NaN: the model's, or 0 with Hunt-Crossley dissipation */
  double modulus;       /**< Pa: the inside has a pressure that grows with the depth to this, and
                             contacts are where pressures are equal; inf (default): it has none, and
                             is rigid to what has one. See docs/contact.md, "Pressure fields" */
  double layer;         /**< m: depth at which the pressure is the modulus; NaN (default): half the
                             least thickness, which planes do not have */
  carom_surface surface;
  double surface_velocity[6]; /**< m/s and rad/s, in the geometry's frame: its surface moves by v +
                                 w × x at x as contacts feel it, along the surface, while it stays
                                   where it is (belts, turntables); default 0 */
  int group;                  /**< drawing group */
  float rgba[4];              /**< colour */
  bool fluid_ellipsoid; /**< feels the fluid as an ellipsoid of its half sizes; a body that has such
                             geometries does not feel it as the box of its inertia; default false */
  double fluid_coefficients[5]; /**< of that: blunt, slender and angular drag, Kutta and Magnus
                                     lift; default 0.5 0.25 1.5 1 1 */
} carom_geom_def;

/** A place on a body: a frame that moves with it, for tendons, actuators, sensors and constraints.
 * Its shape is drawn, and is the zone of touch sensors; it neither collides nor has mass. */
typedef struct carom_site_def {
  uint32_t cookie;
  carom_source source;
  const char* name; /**< unique among sites, may be null */
  carom_body body;
  double position[3];   /**< m, in the body frame */
  double quaternion[4]; /**< in the body frame */
  carom_geom_type type; /**< sphere (default), capsule, cylinder, box or ellipsoid */
  double size[3];       /**< m, see carom_geom_type; default 0.005 each */
  int group;            /**< drawing group */
  float rgba[4];        /**< colour */
} carom_site_def;

/** A pair of geometries that collides whatever their filters say, with values of its own. */
typedef struct carom_pair_def {
  uint32_t cookie;
  carom_source source;
  carom_geom geom1;
  carom_geom geom2;
  int condim;            /**< 0: by the geometries' rule */
  double friction;       /**< NaN: by the geometries' rule */
  double margin;         /**< m; NaN: by the geometries' rule */
  double gap;            /**< m; NaN: by the geometries' rule */
  double stiffness;      /**< N/m; NaN: the geometries in series */
  double dissipation;    /**< s; NaN: the geometries in series */
  carom_surface surface; /**< NaN (default of each): by the geometries' rule */
} carom_pair_def;

/** A linear spring and damper between two points, along the line that joins them. */
typedef struct carom_spring_def {
  uint32_t cookie;
  carom_source source;
  const char* name;
  carom_body body1;
  carom_body body2;
  double point1[3];   /**< m, in the frame of body 1 (the world if zero) */
  double point2[3];   /**< m, in the frame of body 2 */
  double stiffness;   /**< N/m */
  double damping;     /**< N s/m */
  double rest_length; /**< m; NaN: the distance at the reference configuration */
} carom_spring_def;

/** A joint's share of a tendon's length. */
typedef struct carom_tendon_term {
  carom_joint joint;  /**< a hinge or slide */
  double coefficient; /**< length per coordinate */
} carom_tendon_term;

/** A station of a spatial tendon. */
typedef struct carom_tendon_point {
  carom_path_type type;
  carom_site site; /**< CAROM_PATH_SITE */
  carom_geom geom; /**< CAROM_PATH_GEOM: a sphere, or a cylinder, which counts as endless */
  carom_site
      side_site;  /**< CAROM_PATH_GEOM: the side that it passes, or, within the geometry, that it
                       runs inside and touches the surface from there; zero: the shorter way */
  double divisor; /**< CAROM_PATH_PULLEY: what the length of the string is divided by */
} carom_tendon_point;

/** A tendon: fixed, its length a weighted sum of joint coordinates, or spatial, the shortest string
 * through points and around geometries. It pulls with a spring, a damper, dry friction, limits of
 * its length, actuators. */
typedef struct carom_tendon_def {
  uint32_t cookie;
  carom_source source;
  const char* name;               /**< unique among tendons, may be null */
  const carom_tendon_term* terms; /**< [num_terms], copied */
  int num_terms;                  /**< 1 or more; 0: spatial */
  const carom_tendon_point* path; /**< [num_points], copied: of a spatial tendon */
  int num_points;
  bool limited;             /**< `range` is enforced */
  double range[2];          /**< of the length */
  double limit_margin;      /**< the limit enters the problem this early */
  double limit_stiffness;   /**< force per length; inf: rigid */
  double limit_dissipation; /**< s; NaN: default of the stiffness */
  double stiffness;         /**< force per length outside `rest` */
  double stiffness_more[2]; /**< k2 and k3 of k x + k2 x² + k3 x³, x the stretch; default 0 */
  double rest[2];           /**< lengths between which the spring is slack; NaN: the length
                                 where the joints' springs rest */
  double damping;           /**< force per rate */
  double damping_more[2];   /**< b2 and b3 of b v + b2 v |v| + b3 v³; default 0 */
  double friction_loss;     /**< dry friction */
  double armature;          /**< inertia m of the rate l' of the length: kinetic energy m l'²/2;
                                 default 0. Not of a tendon that winds around geometries */
  bool drive_limited;       /**< `drive_range` holds what its actuators do together */
  double drive_range[2]; /**< of the sum of their forces, before gears: beyond it they all pull by
                              the same share of what they would */
} carom_tendon_def;

/** A muscle's curves: MJCF's, of lengths in units of the optimal one. */
typedef struct carom_muscle {
  double range[2];  /**< lengths that the ends of `length_range` stand for; default 0.75 1.05 */
  double force;     /**< N, peak active force at rest; negative (default): `scale` over the
                         acceleration that a unit of force gives the mechanism at its reference */
  double scale;     /**< default 200 */
  double low, high; /**< lengths between which it pulls; default 0.5 1.6 */
  double speed;     /**< 1/s, of shortening at which it does not pull; default 1.5 */
  double passive;   /**< passive force at `high` over the peak force; default 1.3 */
  double eccentric; /**< force at fast lengthening over the peak force; default 1.2 */
} carom_muscle;

/** The controller of a CAROM_LAW_PID or CAROM_LAW_DC_MOTOR. Its integral z and, with a slew limit,
 * the position setpoint that it has reached are activations. */
typedef struct carom_controller {
  double proportional;   /**< N or N m per length; of motors, controllers have theirs in `bias` */
  double derivative;     /**< per rate, likewise */
  double integral;       /**< per length and second; 0 (default): no integral is kept */
  double integral_limit; /**< of |z|, beyond which it does not grow; 0 (default): none */
  double slew_limit;     /**< of the setpoint's rate; 0 (default): none */
  double voltage_limit;  /**< V, of motors; 0 (default): none */
  bool is_stepwise; /**< of a PID, the integral of a step's end counts and is held within its limit,
                         and the integral stands before the setpoint */
} carom_controller;

/** A direct-current motor: torque K i with R i + L i' = V - K l', and what else it has. In that
 * order its activations are those of the controller, the temperature above the ambient one, the
 * deflection of the bristles, and the current. */
typedef struct carom_motor {
  double resistance;              /**< Ohm; R at the reference temperature */
  double constant;                /**< N m/A and V s: K */
  double time_constant;           /**< s, L/R; 0 (default): the current follows at once */
  double current_rate;            /**< A/s, the most; 0 (default): no limit */
  double thermal_resistance;      /**< K/W to the ambience; 0 (default): it does not heat up */
  double thermal_capacitance;     /**< J/K */
  double ambient_temperature;     /**< as `reference_temperature` */
  double reference_temperature;   /**< where R is `resistance` */
  double temperature_coefficient; /**< 1/K of R */
  double cogging[3];              /**< N m, cycles per length, phase in rad: a sin(n l + p) */
  double bristle_stiffness;       /**< N m per length, of LuGre friction; 0 (default): none */
  double bristle_damping;         /**< N m s per length */
  double coulomb_friction;        /**< N m */
  double static_friction;         /**< N m */
  double stribeck_speed;          /**< of the length */
} carom_motor;

/** An actuator: force = clamp(gain u + bias), with gain and bias affine in its length l and rate,
 * or a muscle's; u is the control or, with an activation, that. l = gear x, where x is the
 * coordinate of a hinge or slide or the length of a tendon, which feels gear times the force. What
 * else it may act on (one of them): a ball or free joint, a site, a slider-crank, a body; see
 * below. */
typedef struct carom_actuator_def {
  uint32_t cookie;
  carom_source source;
  const char* name; /**< unique among actuators, may be null */
  carom_joint joint;
  carom_tendon tendon;       /**< in place of a joint */
  carom_site site;           /**< in place of a joint: takes force and torque of `wrench` */
  carom_site reference_site; /**< takes the opposite, and has the axes of `wrench`; zero: none, the
                                axes are those of `site` */
  carom_site slider_site; /**< in place of a joint: x is how far a slider is along this site's z, */
  carom_site crank_site;  /**< which a rod joins to this site, */
  double crank_length;    /**< m, of this length */
  carom_body body;  /**< in place of a joint: adhesion. Each contact of the body's geometries is
                       pulled  along its normal, by the force over their number; its length is 0 */
  bool in_parent;   /**< ball and free joints: torques are in the parent's axes, not the child's */
  double gear;      /**< default 1 */
  double wrench[6]; /**< N and N m at a unit of force, times the gear: of sites in their axes; of
                       free joints forces in world axes, torques as `in_parent` says; of ball joints
                       the first three are the torque */
  double gain;      /**< default 1: a motor */
  double gain_feedback[2]; /**< of the gain per length and per velocity; default 0 */
  double bias[3];          /**< constant, per length, per velocity; default 0: a motor */
  bool is_muscle_gain;     /**< the gain is that of `muscle_gain` */
  bool is_muscle_bias;     /**< the bias is that of `muscle_bias` */
  carom_muscle muscle_gain, muscle_bias;
  double length_range[2]; /**< m, of muscles; NaN: the extremes within the limits of the joints */
  carom_activation activation;
  double time_constant[3]; /**< s; [0] of a filter; of a muscle rise, fall and the width of the
                              change over which they blend; default 1 0 0 */
  bool activation_limited; /**< the activation is clamped to `activation_range` */
  double activation_range[2];
  bool activation_early; /**< the force follows the activation of the end of the step */
  double damping_ratio;  /**< NaN, or sets bias[2] to this fraction of critical damping of `gain` on
                              the inertia that is felt along the length at the reference
                              configuration with all else free; 0 where nothing moves it */
  carom_actuator_law law; /**< default CAROM_LAW_GENERAL */
  int controls; /**< set of carom_control_kind, of other laws; 0 (default): position and velocity of
                   a PID, the voltage of a motor */
  carom_controller controller;
  carom_motor motor;    /**< its cogging and friction come on top of `force_range` */
  bool control_limited; /**< the control is clamped to `control_range`; of a PID that of position,
                           of a motor every one */
  double control_range[2];
  bool velocity_limited; /**< of a PID, the control of velocity is clamped to `velocity_range` */
  double velocity_range[2];
  bool feedforward_limited; /**< of a PID, the control of force is clamped to `feedforward_range` */
  double feedforward_range[2];
  bool force_limited;    /**< the force is clamped to `force_range` */
  double force_range[2]; /**< N or N m, before the gear */
} carom_actuator_def;

/** An equality constraint; closes loops. */
typedef struct carom_equality_def {
  uint32_t cookie;
  carom_source source;
  const char* name;
  carom_equality_type type;
  bool active;       /**< default true */
  carom_body body1;  /**< connect, weld, distance */
  carom_body body2;  /**< connect, weld, distance; zero: the world */
  double anchor1[3]; /**< m, connect, distance: the point in the frame of body 1 */
  double anchor2[3]; /**< m, the point in the frame of body 2; NaN: connect: where anchor1 is at the
                          reference configuration; weld, distance: the frame's origin */
  double distance;   /**< m, positive; NaN: as at the reference configuration */
  double relative_position[3];   /**< m, weld: anchor2 in the frame of body 1; NaN: this and the
                                      orientation as at the reference configuration */
  double relative_quaternion[4]; /**< weld: orientation of body 2 in body 1 */
  carom_joint joint1;            /**< joint */
  carom_joint joint2;            /**< joint; zero: joint 1 is held at polynomial[0] */
  carom_tendon tendon1;          /**< tendon */
  carom_tendon tendon2;          /**< tendon; zero: tendon 1 is held at polynomial[0] */
  double polynomial[5];          /**< q1 - q1_ref = sum_k polynomial[k] (q2 - q2_ref)^k */
  double stiffness;              /**< N/m or N m/rad per row; inf: rigid */
  double dissipation;            /**< s; NaN: default of the stiffness */
} carom_equality_def;

/** A named part of a soft body's mesh, which attachments may hold. */
typedef struct carom_soft_region {
  const char* name; /**< unique in the body */
  const int* nodes; /**< [num_nodes] of the body; those of the elements count without being named */
  int num_nodes;
  const int* elements; /**< [num_elements] whole elements */
  int num_elements;
} carom_soft_region;

/** A soft body: a mesh of tetrahedra of one material, its nodes free but where attachments hold
 * them. It touches geometries, other soft bodies and itself with its surface. */
typedef struct carom_soft_def {
  uint32_t cookie;
  carom_source source;
  const char* name;     /**< unique among soft bodies, may be null */
  carom_body body;      /**< in whose frame, at the reference configuration, it is placed; it does
                             not hang on it. Zero: the world */
  double position[3];   /**< m, of the mesh's frame in the body's */
  double quaternion[4]; /**< of the mesh's frame in the body's; default 1 0 0 0 */
  carom_soft_shape shape;
  double size[3];      /**< m, whole lengths of the shape along x, y, z, about the frame's origin */
  int cells[3];        /**< of the shape along x, y, z; cylinders and balls: at least 2 across */
  const double* nodes; /**< [3 num_nodes] m, of a mesh; copied */
  int num_nodes;
  const int* elements; /**< [nodes_per_element num_elements] nodes from 0: corners so that (x1 - x0)
                            × (x2 - x0) . (x3 - x0) > 0, then the middles of the edges 01, 12, 02,
                            03, 13, 23; copied */
  int num_elements;
  int nodes_per_element;            /**< 4 (default) or 10 */
  const carom_soft_region* regions; /**< [num_regions] of a mesh; copied */
  int num_regions;
  bool quadratic;     /**< elements of four nodes get ten */
  carom_soft_law law; /**< default corotated */
  double young;       /**< Pa, Young's modulus */
  double poisson;     /**< Poisson's ratio, above -1 and below 1/2; default 0.3 */
  double density;     /**< kg/m³; default 1000 */
  double mass;        /**< kg of the whole, in place of the density; NaN (default): not given */
  double alpha;       /**< 1/s, Rayleigh damping by mass */
  double beta;        /**< s, Rayleigh damping by stiffness */
  double pressure;    /**< Pa, inside, on the whole surface; default 0 */
  uint32_t contype;   /**< as of geometries; default 1 and 1 */
  uint32_t conaffinity;
  int condim;            /**< 1: frictionless, 3: sliding friction */
  int priority;          /**< as of geometries */
  double friction;       /**< coefficient of sliding friction; default 1 */
  double radius;         /**< m, thickness of the skin that touches; default 0 */
  double margin;         /**< m, as of geometries */
  double stiffness;      /**< Pa/m, pressure per depth of contacts; inf: rigid (default) */
  double dissipation;    /**< s; NaN: critical damping at the contact's time scale */
  carom_surface surface; /**< friction at rest, Hunt-Crossley dissipation; nodes bear no moments,
                            and what rebounds does so by its elasticity: restitution must be 0 */
  bool self_contact;     /**< it touches itself, where contype and conaffinity share a bit; default
                              true */
  int group;             /**< drawing group */
  float rgba[4];         /**< colour */
} carom_soft_def;

/** Holds a region of a soft body: fixed in the world, or glued to a moving body. */
typedef struct carom_attachment_def {
  uint32_t cookie;
  carom_source source;
  const char* name; /**< for sentences, may be null */
  carom_soft soft;
  carom_body body;  /**< zero: the world */
  const int* nodes; /**< [num_nodes] of the soft body; null: of the region, or within the box */
  int num_nodes;
  const char* region; /**< of the soft body's mesh; null: those within the box below */
  double low[3];      /**< m, corners of a box in the frame of the soft body's mesh, inclusive */
  double high[3];
  double stiffness;   /**< N/m of each node's hold on a moving body; inf: rigid (default) */
  double dissipation; /**< s; NaN: default of the stiffness */
} carom_attachment_def;

/** A named state. Null arrays leave the reference values. Lengths are checked at compile. */
typedef struct carom_keyframe_def {
  uint32_t cookie;
  carom_source source;
  const char* name;
  double time;     /**< s */
  const double* q; /**< [num_q], or without the mocap bodies' poses */
  int num_q;
  const double* v; /**< [num_v] */
  int num_v;
  const double* ctrl; /**< [num_ctrl] */
  int num_ctrl;
  const double* act; /**< [num_act] activations */
  int num_act;
  const double* mocap_position; /**< [num_mocap_position] m, three for each mocap body, in place of
                                     those of q */
  int num_mocap_position;
  const double* mocap_quaternion; /**< [num_mocap_quaternion] four for each, likewise */
  int num_mocap_quaternion;
} carom_keyframe_def;

/** Definitions with every default in place; the only valid start of a definition. */
CAROM_API carom_builder_def carom_builder_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_body_def carom_body_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_joint_def carom_joint_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_geom_def carom_geom_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_site_def carom_site_def_default(void);
/** No vertices, mass of the hull. */
CAROM_API carom_mesh_def carom_mesh_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_height_field_def carom_height_field_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_pair_def carom_pair_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_spring_def carom_spring_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_tendon_def carom_tendon_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_actuator_def carom_actuator_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_equality_def carom_equality_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_soft_def carom_soft_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_attachment_def carom_attachment_def_default(void);
/** See carom_builder_def_default. */
CAROM_API carom_keyframe_def carom_keyframe_def_default(void);

/** Makes an empty description.
 * @param def options, copied; null: the defaults
 * @param builder receives the new builder, null on failure
 * @param error filled on failure, may be null */
CAROM_API carom_status carom_builder_create(const carom_builder_def* def, carom_builder** builder,
                                            carom_error* error);

/** Frees a builder; null is allowed. Models compiled from it live on. */
CAROM_API void carom_builder_destroy(carom_builder* builder);

/** Adds a body. This and the functions below check every field and say which one is wrong, in a
 * sentence that starts with the definition's source. On failure nothing is added. Names and arrays
 * are copied.
 * @param body receives the handle, may be null
 * @return CAROM_ERROR_BAD_INPUT for a bad value, CAROM_ERROR_INVALID_ARGUMENT for a null or an
 *         unmade definition, CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_builder_add_body(carom_builder* builder, const carom_body_def* def,
                                              carom_body* body, carom_error* error);
/** Adds a joint between a body and its parent; see carom_builder_add_body. A free joint is the only
 * one of its body, and the body's parent does not move. */
CAROM_API carom_status carom_builder_add_joint(carom_builder* builder, const carom_joint_def* def,
                                               carom_joint* joint, carom_error* error);
/** Adds a mesh, makes its hull and measures its mass; see carom_builder_add_body. The vertices must
 * span a volume; what of the surface is open or inverted is refused where the mass hangs on it. */
CAROM_API carom_status carom_builder_add_mesh(carom_builder* builder, const carom_mesh_def* def,
                                              carom_mesh* mesh, carom_error* error);
/** Adds a height field; see carom_builder_add_body. */
CAROM_API carom_status carom_builder_add_height_field(carom_builder* builder,
                                                      const carom_height_field_def* def,
                                                      carom_height_field* field,
                                                      carom_error* error);
/** Adds a geometry to a body; see carom_builder_add_body. Planes and height fields belong on what
 * does not move. */
CAROM_API carom_status carom_builder_add_geom(carom_builder* builder, const carom_geom_def* def,
                                              carom_geom* geom, carom_error* error);
/** Adds a site to a body; see carom_builder_add_body. */
CAROM_API carom_status carom_builder_add_site(carom_builder* builder, const carom_site_def* def,
                                              carom_site* site, carom_error* error);
/** Adds a pair that collides whatever the filters say; see carom_builder_add_body. */
CAROM_API carom_status carom_builder_add_pair(carom_builder* builder, const carom_pair_def* def,
                                              carom_error* error);
/** Keeps the geometries of two bodies from colliding. */
CAROM_API carom_status carom_builder_add_exclude(carom_builder* builder, carom_body body1,
                                                 carom_body body2, carom_error* error);
/** Adds a spring and damper between two points; see carom_builder_add_body. */
CAROM_API carom_status carom_builder_add_spring(carom_builder* builder, const carom_spring_def* def,
                                                carom_error* error);
/** Adds a tendon; see carom_builder_add_body. */
CAROM_API carom_status carom_builder_add_tendon(carom_builder* builder, const carom_tendon_def* def,
                                                carom_tendon* tendon, carom_error* error);
/** Adds an actuator; see carom_builder_add_body. */
CAROM_API carom_status carom_builder_add_actuator(carom_builder* builder,
                                                  const carom_actuator_def* def,
                                                  carom_actuator* actuator, carom_error* error);
/** Adds an equality constraint; see carom_builder_add_body. */
CAROM_API carom_status carom_builder_add_equality(carom_builder* builder,
                                                  const carom_equality_def* def,
                                                  carom_equality* equality, carom_error* error);
/** Adds a soft body; see carom_builder_add_body. Refused, with the number of the element or node
 * from 0: a mesh that no simulation can use (docs/soft.md), a modulus that is not positive, a
 * Poisson's ratio of 1/2 or more. */
CAROM_API carom_status carom_builder_add_soft(carom_builder* builder, const carom_soft_def* def,
                                              carom_soft* soft, carom_error* error);
/** Gives a definition the modulus, Poisson's ratio and density that a substance was published with
 * (docs/soft.md has the sources): liver, rubber, polyethylene, nylon, aluminium, steel.
 * @return CAROM_ERROR_BAD_INPUT for a name that is none of them, in a sentence that lists them;
 *         CAROM_ERROR_INVALID_ARGUMENT for a null */
CAROM_API carom_status carom_soft_def_set_substance(carom_soft_def* def, const char* name,
                                                    carom_error* error);
/** Adds an attachment; see carom_builder_add_body. A region without a node is refused, as is one
 * that is not there, in a sentence that lists those that are. */
CAROM_API carom_status carom_builder_add_attachment(carom_builder* builder,
                                                    const carom_attachment_def* def,
                                                    carom_error* error);
/** Adds a named state; see carom_builder_add_body. Lengths are checked at compile. */
CAROM_API carom_status carom_builder_add_keyframe(carom_builder* builder,
                                                  const carom_keyframe_def* def,
                                                  carom_error* error);

/** What a note speaks of. */
typedef enum carom_note_kind {
  CAROM_NOTE_IGNORED, /**< what would change the motion or what can be read of it, and is not there
                       */
  CAROM_NOTE_MAPPED,  /**< what is read otherwise than it is written */
  CAROM_NOTE_UNUSED,  /**< what is for drawing, for the methods of other programs, or for others to
                           use: it has no part in the motion here */
} carom_note_kind;

/** Keeps a sentence with the model: what a reader ignored or mapped, and why. */
CAROM_API carom_status carom_builder_add_note(carom_builder* builder, carom_note_kind kind,
                                              const char* note, carom_error* error);

/** Makes a builder with the same parts, under the same handles, to be changed, added to and
 * compiled without the first. What is made of meshes, height fields and meshes of soft bodies is
 * shared, not made again; the allocator is the same.
 * @param copy receives it, to be freed with carom_builder_destroy; null on failure
 * @return CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_builder_copy(const carom_builder* builder, carom_builder** copy,
                                          carom_error* error);

/** The options of the whole model; the name lives until the builder is changed. */
CAROM_API carom_builder_def carom_builder_get_options(const carom_builder* builder);
/** Changes the options, checked as where the builder was made; name and allocator stay. Inertias
 * that bodies were given are not checked again. */
CAROM_API carom_status carom_builder_set_options(carom_builder* builder,
                                                 const carom_builder_def* def, carom_error* error);

/** Reads the definition of a body, as it was given: what it leaves unset is unset. This and the
 * functions below change nothing; any number of threads may read. Strings and arrays belong to the
 * builder and live until it is changed; those of meshes are null.
 * @param body not the world
 * @return CAROM_ERROR_INVALID_ARGUMENT for a handle that the builder did not give */
CAROM_API carom_status carom_builder_get_body(const carom_builder* builder, carom_body body,
                                              carom_body_def* def, carom_error* error);
/** Gives a body another definition, best one that carom_builder_get_body has read and of which some
 * fields are changed. This and the functions below check every field as where the part was added,
 * and change nothing on failure. What a part hangs on and consists of stays: its name, type, body,
 * joints, mesh.
 * @return CAROM_ERROR_BAD_INPUT for a bad value, CAROM_ERROR_UNSUPPORTED where it changes what
 * stays, CAROM_ERROR_INVALID_ARGUMENT for a null, an unmade definition or a handle that the builder
 *         did not give */
CAROM_API carom_status carom_builder_set_body(carom_builder* builder, carom_body body,
                                              const carom_body_def* def, carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_joint(const carom_builder* builder, carom_joint joint,
                                               carom_joint_def* def, carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_joint(carom_builder* builder, carom_joint joint,
                                               const carom_joint_def* def, carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_geom(const carom_builder* builder, carom_geom geom,
                                              carom_geom_def* def, carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_geom(carom_builder* builder, carom_geom geom,
                                              const carom_geom_def* def, carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_site(const carom_builder* builder, carom_site site,
                                              carom_site_def* def, carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_site(carom_builder* builder, carom_site site,
                                              const carom_site_def* def, carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_tendon(const carom_builder* builder, carom_tendon tendon,
                                                carom_tendon_def* def, carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_tendon(carom_builder* builder, carom_tendon tendon,
                                                const carom_tendon_def* def, carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_actuator(const carom_builder* builder,
                                                  carom_actuator actuator, carom_actuator_def* def,
                                                  carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_actuator(carom_builder* builder, carom_actuator actuator,
                                                  const carom_actuator_def* def,
                                                  carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_equality(const carom_builder* builder,
                                                  carom_equality equality, carom_equality_def* def,
                                                  carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_equality(carom_builder* builder, carom_equality equality,
                                                  const carom_equality_def* def,
                                                  carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_soft(const carom_builder* builder, carom_soft soft,
                                              carom_soft_def* def, carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_soft(carom_builder* builder, carom_soft soft,
                                              const carom_soft_def* def, carom_error* error);
/** See carom_builder_get_body; pairs, springs and attachments count from 0 in the order of
 * addition. */
CAROM_API carom_status carom_builder_get_pair(const carom_builder* builder, int pair,
                                              carom_pair_def* def, carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_pair(carom_builder* builder, int pair,
                                              const carom_pair_def* def, carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_spring(const carom_builder* builder, int spring,
                                                carom_spring_def* def, carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_spring(carom_builder* builder, int spring,
                                                const carom_spring_def* def, carom_error* error);
/** See carom_builder_get_body. */
CAROM_API carom_status carom_builder_get_attachment(const carom_builder* builder, int attachment,
                                                    carom_attachment_def* def, carom_error* error);
/** See carom_builder_set_body. */
CAROM_API carom_status carom_builder_set_attachment(carom_builder* builder, int attachment,
                                                    const carom_attachment_def* def,
                                                    carom_error* error);

/** Freezes the description into a model.
 * Checks what only the whole shows: keyframe lengths, planes and free joints on moving bodies, ends
 * of constraints on one rigid body, and that the joint-space mass matrix is positive definite at
 * the reference configuration (armature counts; the sentence names the joint that moves nothing
 * heavy).
 * @param model receives the model, to be freed with carom_model_destroy; null on failure */
CAROM_API carom_status carom_builder_compile(const carom_builder* builder, carom_model** model,
                                             carom_error* error);

CAROM_END_DECLS

#endif
