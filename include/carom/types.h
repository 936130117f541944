/** @file
 * Handles and enumerations shared by builder, model, simulation and contact problems.
 *
 * Parts are handles by value, always passed with their owner; zero is null (for a body: the world).
 */
#ifndef CAROM_TYPES_H
#define CAROM_TYPES_H

#include "carom/export.h"

#include <stdbool.h>
#include <stdint.h>

CAROM_BEGIN_DECLS

/** A body of a builder; id 0 is the world. */
typedef struct carom_body {
  int32_t id;
} carom_body;

/** A joint of a builder. */
typedef struct carom_joint {
  int32_t id;
} carom_joint;

/** A geometry of a builder. */
typedef struct carom_geom {
  int32_t id;
} carom_geom;

/** A site of a builder. */
typedef struct carom_site {
  int32_t id;
} carom_site;

/** A mesh of a builder, for any number of geometries. */
typedef struct carom_mesh {
  int32_t id;
} carom_mesh;

/** A height field of a builder, for any number of geometries. */
typedef struct carom_height_field {
  int32_t id;
} carom_height_field;

/** An actuator of a builder. */
typedef struct carom_actuator {
  int32_t id;
} carom_actuator;

/** An equality constraint of a builder. */
typedef struct carom_equality {
  int32_t id;
} carom_equality;

/** A tendon of a builder. */
typedef struct carom_tendon {
  int32_t id;
} carom_tendon;

/** A soft body of a builder. */
typedef struct carom_soft {
  int32_t id;
} carom_soft;

/** What a surface brings into contacts beside its coefficient of sliding friction and its
 * compliance. Two geometries' values make those of their pair as docs/contact.md says. */
typedef struct carom_surface {
  double torsional_friction; /**< m: moment about the normal over the normal force, of contacts of 4
                                  and 6 dimensions; default 0.005 */
  double rolling_friction; /**< m: moment along the surface over the normal force, of contacts of 6
                                dimensions; default 0.0001 */
  double static_friction;  /**< coefficient of sliding friction at rest, not below that in motion;
                                NaN (default): the same */
  double stribeck_speed;   /**< m/s, of the transition between both; default 0.01 */
  double hunt_crossley;    /**< s/m, d of the normal force k x (1 + d v); compliant contact only;
                                default 0 */
  double restitution;      /**< speed of a rebound over that of the impact, 0 (default) to 1; rigid
                                contact only */
  double adhesion;         /**< N with which each point of contact pulls, default 0: what holds
                                against it makes friction too */
} carom_surface;

/** Kind of a joint; in brackets the numbers of coordinates q and velocities v. */
typedef enum carom_joint_type {
  CAROM_JOINT_FREE,  /**< [7, 6] position and quaternion; see interfaces in carom/model.h */
  CAROM_JOINT_BALL,  /**< [4, 3] quaternion; angular velocity in the child's frame */
  CAROM_JOINT_SLIDE, /**< [1, 1] displacement along the axis, m */
  CAROM_JOINT_HINGE, /**< [1, 1] angle about the axis, rad */
} carom_joint_type;

/** Kind of a geometry; in brackets what `size` holds, in metres. */
typedef enum carom_geom_type {
  CAROM_GEOM_PLANE,        /**< [half x, half y (drawing only, 0: endless), -] half space z <= 0 */
  CAROM_GEOM_SPHERE,       /**< [radius, -, -] */
  CAROM_GEOM_CAPSULE,      /**< [radius, half length of the cylinder, -] along z */
  CAROM_GEOM_CYLINDER,     /**< [radius, half length, -] along z */
  CAROM_GEOM_BOX,          /**< [half x, half y, half z] */
  CAROM_GEOM_ELLIPSOID,    /**< [half x, half y, half z] half axes */
  CAROM_GEOM_MESH,         /**< [half x, half y, half z] of its bounds; definitions leave it */
  CAROM_GEOM_HEIGHT_FIELD, /**< likewise */
} carom_geom_type;

/** Kind of an equality constraint; in brackets its rows. */
typedef enum carom_equality_type {
  CAROM_EQUALITY_CONNECT,  /**< [3] a point of body 1 and a point of body 2 coincide */
  CAROM_EQUALITY_WELD,     /**< [6] body 2 keeps its pose relative to body 1 */
  CAROM_EQUALITY_JOINT,    /**< [1] joint 1 is a polynomial of joint 2, or constant */
  CAROM_EQUALITY_TENDON,   /**< [1] the length of tendon 1 is a polynomial of that of tendon 2 */
  CAROM_EQUALITY_DISTANCE, /**< [1] a point of body 1 and a point of body 2 keep their distance */
} carom_equality_type;

/** The material law of a soft body, see docs/soft.md. */
typedef enum carom_soft_law {
  CAROM_SOFT_COROTATED,           /**< large rotations, moderate strains */
  CAROM_SOFT_LINEAR,              /**< small rotations only */
  CAROM_SOFT_FIXED_COROTATED,     /**< large strains, resists inversion */
  CAROM_SOFT_ST_VENANT_KIRCHHOFF, /**< thin, large rotations; collapses when squeezed */
  CAROM_SOFT_NEO_HOOKEAN,         /**< rubber */
} carom_soft_law;

/** Shapes that a soft body can be made of without a mesh. */
typedef enum carom_soft_shape {
  CAROM_SOFT_MESH,     /**< none: the mesh that is given */
  CAROM_SOFT_BOX,      /**< a grid of cells, five tetrahedra each */
  CAROM_SOFT_CYLINDER, /**< about z; elliptic where x and y differ */
  CAROM_SOFT_BALL,     /**< or ellipsoid */
} carom_soft_shape;

/** How the activation a of an actuator follows its control u, and the force with it. */
typedef enum carom_activation {
  CAROM_ACTIVATION_NONE,       /**< no activation: the force depends on the control */
  CAROM_ACTIVATION_INTEGRATOR, /**< a' = u */
  CAROM_ACTIVATION_FILTER,     /**< a' = (u - a) / T */
  CAROM_ACTIVATION_MUSCLE,     /**< the same, T longer for a rise and shorter for a fall with a */
} carom_activation;

/** How the force of an actuator comes about. */
typedef enum carom_actuator_law {
  CAROM_LAW_GENERAL, /**< gain u + bias, with one control */
  CAROM_LAW_PID, /**< a controller: kp (p - l) + kd (r - l') + ki z + f + bias[0], with the controls
                      p, r and f, kp = -bias[1], kd = -bias[2], and z' = p - l */
  CAROM_LAW_DC_MOTOR, /**< a motor at the voltage that is its control, or that a controller makes of
                           the controls p, r and f */
} carom_actuator_law;

/** What the controls of controllers and motors are: a set, in this order. */
typedef enum carom_control_kind {
  CAROM_CONTROL_POSITION = 1, /**< p: the length to be reached */
  CAROM_CONTROL_VELOCITY = 2, /**< r: its rate */
  CAROM_CONTROL_FORCE = 4,    /**< f: a force beside the controller's */
  CAROM_CONTROL_VOLTAGE = 8,  /**< V beside the controller's */
  CAROM_CONTROL_NONE = 16,    /**< no control at all */
} carom_control_kind;

/** What lies on the way of a spatial tendon. */
typedef enum carom_path_type {
  CAROM_PATH_SITE,   /**< it runs through a site */
  CAROM_PATH_GEOM,   /**< it winds around a sphere or cylinder, between two sites */
  CAROM_PATH_PULLEY, /**< a new string begins, which counts by 1 / divisor */
} carom_path_type;

/** The law of friction. */
typedef enum carom_friction {
  CAROM_FRICTION_COULOMB,  /**< true Coulomb friction */
  CAROM_FRICTION_CONVEX,   /**< the convex relaxation (Anitescu 2006): floats while it slides */
  CAROM_FRICTION_LAGGED,   /**< bound by the previous step's normal impulse: one convex problem */
  CAROM_FRICTION_ANCHORED, /**< Coulomb friction on a tangential spring at every compliant contact;
                                rigid contacts as with Coulomb */
} carom_friction;

/** The algorithm for the contact problem. */
typedef enum carom_solver {
  CAROM_SOLVER_NEWTON, /**< primal-dual Newton with its safeguards */
  CAROM_SOLVER_PRIMAL, /**< Newton on the primal cost with exact line search (arXiv 2110.10107) */
  CAROM_SOLVER_PGS,    /**< block projected Gauss-Seidel on the dual (Anitescu & Tasora 2010) */
  CAROM_SOLVER_APGD,   /**< accelerated projected gradient on the dual (Mazhar et al. 2015) */
  CAROM_SOLVER_IPM,    /**< primal-dual interior point */
} carom_solver;

/** Where a definition came from, for error sentences. Zeroed: made in code. */
typedef struct carom_source {
  const char* file; /**< file name as the user gave it, or null */
  int line;         /**< first line is 1; 0: unknown */
} carom_source;

CAROM_END_DECLS

#endif
