/** @file
 * Sensors: instruments on a model, and what they read.
 *
 * A sensor is defined in a builder and read from a simulation or from a state in carom_dynamics.
 * Positions and velocities are those of the present state. Accelerations and forces are those of
 * the step that led to it: the change of velocity over dt, impulses over dt (docs/sensors.md).
 * Meanings and names are MJCF's. SI units.
 */
#ifndef CAROM_SENSOR_H
#define CAROM_SENSOR_H

#include "carom/dynamics.h"
#include "carom/sim.h"

CAROM_BEGIN_DECLS

/** A sensor of a builder. */
typedef struct carom_sensor {
  int32_t id;
} carom_sensor;

/** What a sensor reads; in brackets how many numbers, then what it is on. */
typedef enum carom_sensor_type {
  CAROM_SENSOR_JOINT_POSITION,             /**< [1] hinge or slide: its coordinate, rad or m */
  CAROM_SENSOR_JOINT_VELOCITY,             /**< [1] hinge or slide: its rate */
  CAROM_SENSOR_JOINT_LIMIT_POSITION,       /**< [1] joint: distance to the limit, less the margin,
                                              where that is negative; else 0 */
  CAROM_SENSOR_JOINT_LIMIT_VELOCITY,       /**< [1] joint: rate of that distance */
  CAROM_SENSOR_JOINT_LIMIT_FORCE,          /**< [1] joint: force of its limits, N or N m, >= 0 */
  CAROM_SENSOR_JOINT_ACTUATOR_FORCE,       /**< [1] hinge or slide: sum of its actuators' forces */
  CAROM_SENSOR_BALL_QUATERNION,            /**< [4] ball joint: w x y z */
  CAROM_SENSOR_BALL_VELOCITY,              /**< [3] ball joint: rad/s in the child's frame */
  CAROM_SENSOR_TENDON_POSITION,            /**< [1] tendon: its length */
  CAROM_SENSOR_TENDON_VELOCITY,            /**< [1] tendon: rate of its length */
  CAROM_SENSOR_TENDON_LIMIT_POSITION,      /**< [1] tendon: as of joints */
  CAROM_SENSOR_TENDON_LIMIT_VELOCITY,      /**< [1] tendon */
  CAROM_SENSOR_TENDON_LIMIT_FORCE,         /**< [1] tendon */
  CAROM_SENSOR_TENDON_ACTUATOR_FORCE,      /**< [1] tendon: sum of its actuators' forces */
  CAROM_SENSOR_ACTUATOR_POSITION,          /**< [1] actuator: its length, gear included */
  CAROM_SENSOR_ACTUATOR_VELOCITY,          /**< [1] actuator: rate of its length */
  CAROM_SENSOR_ACTUATOR_FORCE,             /**< [1] actuator: its force, before the gear */
  CAROM_SENSOR_FRAME_POSITION,             /**< [3] frame: m, in the reference frame, as all next */
  CAROM_SENSOR_FRAME_QUATERNION,           /**< [4] frame: w x y z */
  CAROM_SENSOR_FRAME_X_AXIS,               /**< [3] frame: its x axis */
  CAROM_SENSOR_FRAME_Y_AXIS,               /**< [3] frame */
  CAROM_SENSOR_FRAME_Z_AXIS,               /**< [3] frame */
  CAROM_SENSOR_FRAME_LINEAR_VELOCITY,      /**< [3] frame: m/s of its origin as seen from the
                                              reference frame, which may turn */
  CAROM_SENSOR_FRAME_ANGULAR_VELOCITY,     /**< [3] frame: rad/s relative to the reference frame */
  CAROM_SENSOR_FRAME_LINEAR_ACCELERATION,  /**< [3] frame: m/s², less gravity, world axes */
  CAROM_SENSOR_FRAME_ANGULAR_ACCELERATION, /**< [3] frame: rad/s², world axes */
  CAROM_SENSOR_SUBTREE_COM,                /**< [3] body and all that hangs on it: centre of mass */
  CAROM_SENSOR_SUBTREE_LINEAR_VELOCITY,    /**< [3] body: velocity of that centre, m/s */
  CAROM_SENSOR_SUBTREE_ANGULAR_MOMENTUM,   /**< [3] body: about that centre, kg m²/s */
  CAROM_SENSOR_VELOCIMETER,                /**< [3] site: m/s in its axes, as all next */
  CAROM_SENSOR_GYRO,                       /**< [3] site: rad/s */
  CAROM_SENSOR_ACCELEROMETER,    /**< [3] site: m/s², less gravity: 9.81 upwards at rest */
  CAROM_SENSOR_MAGNETOMETER,     /**< [3] site: carom_builder_def.magnetic, in its axes */
  CAROM_SENSOR_FORCE,            /**< [3] site: N with which its body's parent holds the body */
  CAROM_SENSOR_TORQUE,           /**< [3] site: N m, likewise, about the site */
  CAROM_SENSOR_TOUCH,            /**< [1] site: N, normal forces on its body from contacts
                                    whose outward line from the point meets its shape */
  CAROM_SENSOR_RANGEFINDER,      /**< [1] site: m along its z axis to a geometry of another
                                    body; -1: there is none */
  CAROM_SENSOR_CONTACT,          /**< [num times the sizes of `data`] see carom_contact_query
                                  */
  CAROM_SENSOR_CLOCK,            /**< [1] s, simulated time */
  CAROM_SENSOR_POTENTIAL_ENERGY, /**< [1] J, gravity, springs */
  CAROM_SENSOR_KINETIC_ENERGY,   /**< [1] J */
} carom_sensor_type;

/** What a frame is of. */
typedef enum carom_frame_type {
  CAROM_FRAME_WORLD,   /**< the world's */
  CAROM_FRAME_BODY,    /**< a body's */
  CAROM_FRAME_INERTIA, /**< the centre of mass of a body, along its principal axes: the body's axes
                            where these are principal, else with ascending moments */
  CAROM_FRAME_GEOM,    /**< a geometry's; of a mesh about its centre of mass */
  CAROM_FRAME_SITE,    /**< a site's */
} carom_frame_type;

/** A frame of a builder: `id` is that of the body's, geometry's or site's handle. */
typedef struct carom_frame_of {
  carom_frame_type type;
  int32_t id;
} carom_frame_of;

/** One of the two sides of the contacts that a contact sensor counts. */
typedef enum carom_contact_side_type {
  CAROM_SIDE_ANY,     /**< any */
  CAROM_SIDE_GEOM,    /**< a geometry */
  CAROM_SIDE_BODY,    /**< those of a body */
  CAROM_SIDE_SUBTREE, /**< those of a body and of all that hangs on it */
} carom_contact_side_type;

/** What a contact sensor says of a contact; in this order, in brackets how many numbers. */
typedef enum carom_contact_data {
  CAROM_CONTACT_FOUND = 1,    /**< [1] contacts that were found; 0: this place is empty */
  CAROM_CONTACT_FORCE = 2,    /**< [3] N on the second side: along normal and tangents */
  CAROM_CONTACT_TORQUE = 4,   /**< [3] N m, likewise */
  CAROM_CONTACT_DISTANCE = 8, /**< [1] m, negative in penetration */
  CAROM_CONTACT_POINT = 16,   /**< [3] m, world */
  CAROM_CONTACT_NORMAL = 32,  /**< [3] from the first side to the second, world */
  CAROM_CONTACT_TANGENT = 64, /**< [3] the first tangent, world */
} carom_contact_data;

/** Which contacts come first where there are more than places. */
typedef enum carom_contact_reduction {
  CAROM_CONTACT_ANY_FIRST,     /**< as they come */
  CAROM_CONTACT_NEAREST_FIRST, /**< smallest distance first */
  CAROM_CONTACT_LARGEST_FIRST, /**< largest force first */
  CAROM_CONTACT_NET, /**< one place: the sum of all forces in world axes, at their point of
                          application */
} carom_contact_reduction;

/** What a contact sensor looks for and says. */
typedef struct carom_contact_query {
  carom_contact_side_type side[2];
  int32_t id[2];   /**< of the geometry's or body's handle */
  carom_site site; /**< only contacts within its shape; zero: anywhere */
  int num;         /**< places, default 1 */
  unsigned data;   /**< carom_contact_data, or-ed; default found */
  carom_contact_reduction reduction;
} carom_contact_query;

/** A sensor. */
typedef struct carom_sensor_def {
  uint32_t cookie;
  carom_source source;
  const char* name; /**< unique among sensors, may be null */
  carom_sensor_type type;
  carom_joint joint;        /**< what it is on, as its type says; the others are zero */
  carom_tendon tendon;      /**< likewise, as all next */
  carom_actuator actuator;  /**< */
  carom_body body;          /**< of subtrees; zero: the world, everything */
  carom_site site;          /**< */
  carom_frame_of frame;     /**< */
  carom_frame_of reference; /**< of positions, axes and velocities of frames; default the world */
  carom_contact_query contact;
  bool reversed; /**< forces and torques on sites: those of the body on its parent, in place of the
                      parent's on the body */
  double
      cutoff; /**< readings beyond it are cut to it; 0: none; not of quaternions, axes, contacts */
} carom_sensor_def;

/** Joint position, no cutoff. */
CAROM_API carom_sensor_def carom_sensor_def_default(void);

/** Adds a sensor; see carom_builder_add_body. */
CAROM_API carom_status carom_builder_add_sensor(carom_builder* builder, const carom_sensor_def* def,
                                                carom_sensor* sensor, carom_error* error);

/** What a sensor of a model is. */
typedef struct carom_sensor_info {
  const char* name;
  carom_sensor_type type;
  const char* kind;   /**< MJCF's word for the type */
  const char* unit;   /**< of its readings */
  const char* object; /**< name of what it is on, empty where that has none */
  int address;        /**< first of its readings */
  int dim;            /**< how many */
  double cutoff;      /**< inf: none */
} carom_sensor_info;

/** Details of a sensor; `index` must be in range. */
CAROM_API carom_sensor_info carom_model_get_sensor(const carom_model* model, int index);
/** Index of a named sensor, or -1. */
CAROM_API int carom_model_find_sensor(const carom_model* model, const char* name);

/** Readings of all sensors [num_readings] at the state, without constraints and contacts: the
 * acceleration is that of carom_dynamics_compute_forward with all forces.
 * @return CAROM_ERROR_NUMERICAL where the mass matrix is not positive definite */
CAROM_API carom_status carom_dynamics_compute_sensors(carom_dynamics* dynamics, double* readings,
                                                      carom_error* error);

/** Readings of all sensors [num_readings]: the state, with the accelerations and forces of the last
 * step. Where there is none since the state was set, a step is tried for them and taken back; the
 * list of contacts is then empty. They are NaN where that fails.
 * @return CAROM_ERROR_INVALID_ARGUMENT where a control is not finite; CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_sim_compute_sensors(carom_sim* sim, double* readings,
                                                 carom_error* error);

CAROM_END_DECLS

#endif
