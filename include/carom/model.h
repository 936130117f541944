/** @file
 * The compiled model: immutable, may be shared by any number of threads.
 *
 * Indices here count from zero: body 0 is the world; joints, geometries, actuators in the order of
 * the coordinates and arrays. Coordinates stand depth first, in the order of the joints:
 *
 * | joint | q | v |
 * |---|---|---|
 * | hinge, slide | angle or displacement | rate |
 * | ball | quaternion w x y z | angular velocity in the child's frame |
 * | free | position of the body frame's origin, quaternion | velocity of that origin in the world
 *   frame, angular velocity in the body's frame |
 *
 * (MuJoCo's qpos and qvel.) Behind those of the joints stand the nodes of the soft bodies, body
 * after body: three numbers of each, its position in q and its velocity in v, world frame. Nodes
 * that are fixed in the world have theirs too, and stand still. SI units.
 */
#ifndef CAROM_MODEL_H
#define CAROM_MODEL_H

#include "carom/builder.h"

CAROM_BEGIN_DECLS

/** Frees a model; null is allowed. No simulation may use it any more. */
CAROM_API void carom_model_destroy(carom_model* model);

/** Sizes of a model. */
typedef struct carom_model_sizes {
  int num_q;      /**< configuration coordinates */
  int num_v;      /**< velocities, degrees of freedom */
  int num_bodies; /**< with the world */
  int num_joints;
  int num_geoms;
  int num_actuators;
  int num_equalities;
  int num_springs;
  int num_tendons;
  int num_keyframes;
  int num_notes;
  int num_trees; /**< kinematic trees that hang on the world */
  int num_meshes;
  int num_sites;
  int num_softs;      /**< soft bodies */
  int num_soft_nodes; /**< of all of them */
  int num_sensors;
  int num_readings;    /**< numbers that the sensors give together */
  int num_activations; /**< states of actuators */
  int num_controls;    /**< numbers that actuators are told, one of most */
  int num_attachments; /**< regions of soft bodies that are held */
  int num_mocaps;      /**< mocap bodies; their poses are the last 7 num_mocaps numbers of q */
} carom_model_sizes;

/** The sizes of a model. */
CAROM_API carom_model_sizes carom_model_get_sizes(const carom_model* model);

/** What a body is, for lists and drawings. Strings, here and below, live as long as the model and
 * are empty, not null, where there is no name. */
typedef struct carom_body_info {
  const char* name;
  int parent;        /**< body, -1 for the world */
  double mass;       /**< kg */
  double com[3];     /**< m, body frame */
  double inertia[6]; /**< kg m², xx yy zz xy xz yz about the centre of mass, body axes */
  int mocap_address; /**< of the pose of a mocap body in q: position, quaternion; -1: it is none,
                          or a recording does not say */
} carom_body_info;

/** What a joint is. */
typedef struct carom_joint_info {
  const char* name;
  carom_joint_type type;
  int body;
  int q_address;      /**< first coordinate in q */
  int v_address;      /**< first velocity in v */
  double anchor[3];   /**< m, in the frame of the joint's body; free: zero */
  double axis[3];     /**< unit, in the frame of the joint's body; hinge and slide */
  bool limited;       /**< `range` is enforced */
  double range[2];    /**< m or rad */
  double pitch;       /**< m, way of a hinge along its axis per revolution: a screw where not 0 */
  double speed_limit; /**< m/s or rad/s, not enforced; inf: none is known, or a recording does not
                           say */
} carom_joint_info;

/** What a geometry is. */
typedef struct carom_geom_info {
  const char* name;
  carom_geom_type type;
  int body;
  double size[3];       /**< m, see carom_geom_type */
  double position[3];   /**< m, in the body frame */
  double quaternion[4]; /**< in the body frame, unit */
  double friction;      /**< coefficient of sliding friction */
  double stiffness;     /**< N/m, inf: rigid */
  double dissipation;   /**< s, NaN: default of the stiffness */
  int condim;           /**< 1, 3, 4 or 6: see carom_geom_def; 0 of recordings that do not say */
  carom_surface surface;
  int group;
  float rgba[4];
  int mesh; /**< its surface, see carom_model_get_mesh; -1: it is neither mesh nor height field */
} carom_geom_info;

/** What a site is. */
typedef struct carom_site_info {
  const char* name;
  int body;
  double position[3];   /**< m, in the body frame */
  double quaternion[4]; /**< in the body frame, unit */
  carom_geom_type type;
  double size[3]; /**< m, see carom_geom_type */
  int group;
  float rgba[4];
} carom_site_info;

/** The surface that a mesh or height field has, for drawing: of a convex mesh that of its hull,
 * which is what collides, of one that is only drawn its triangles; of a large height field a
 * coarser one. Arrays live as long as what they were asked of. */
typedef struct carom_mesh_info {
  int num_vertices, num_triangles;
  const double* vertices; /**< [3 num_vertices] m, in the frame of the geometries */
  const int* triangles;   /**< [3 num_triangles] vertices, counterclockwise as seen from outside */
} carom_mesh_info;

/** A tendon. */
typedef struct carom_tendon_info {
  const char* name;
  int num_terms;             /**< joints that it runs over; 0: spatial */
  int num_points;            /**< of a spatial one: sites, geometries and pulleys on its way */
  bool limited;              /**< `range` is enforced */
  double range[2];           /**< of the length */
  double stiffness, damping; /**< force per length, per rate */
  double friction_loss;      /**< dry friction */
} carom_tendon_info;

/** What an actuator is. */
typedef struct carom_actuator_info {
  const char* name;
  int joint;               /**< hinge or slide; -1: on something else */
  int tendon;              /**< -1: on something else */
  int site;                /**< that takes its force, or the slider's of a slider-crank; -1: none */
  int body;                /**< that sticks to what it touches; -1: on something else */
  int activation;          /**< index of its first state; -1: none */
  int num_activations;     /**< how many it has, which follow each other */
  int control;             /**< index of its first control */
  int num_controls;        /**< how many it has, which follow each other */
  double control_range[2]; /**< -inf, inf where not limited */
  double force_range[2];   /**< N or N m, likewise */
} carom_actuator_info;

/** One of the numbers that actuators are told. */
typedef struct carom_control_info {
  int actuator;
  int kind;        /**< carom_control_kind; 0: the only control of its actuator */
  double range[2]; /**< -inf, inf where not limited */
} carom_control_info;

/** An equality constraint. */
typedef struct carom_equality_info {
  const char* name;
  carom_equality_type type;
  bool active;
  int parts[2];       /**< bodies of connect and weld; joints or tendons, -1: none */
  double stiffness;   /**< N/m or N m/rad per row; inf: rigid */
  double dissipation; /**< s, NaN: default of the stiffness */
} carom_equality_info;

/** A spring between two points. */
typedef struct carom_spring_info {
  const char* name;
  int bodies[2];
  double stiffness;   /**< N/m */
  double damping;     /**< N s/m */
  double rest_length; /**< m */
} carom_spring_info;

/** A soft body. Arrays live as long as the model. */
typedef struct carom_soft_info {
  const char* name;
  int num_nodes, num_elements, nodes_per_element;
  int q_address; /**< of its first node in q */
  int v_address; /**< of its first node in v */
  double mass;   /**< kg, of all nodes */
  double volume; /**< m³, at rest */
  carom_soft_law law;
  double young, poisson; /**< Pa, - */
  double density;        /**< kg/m³ */
  double alpha, beta;    /**< 1/s, s: Rayleigh damping */
  double friction;       /**< coefficient of sliding friction */
  const double* nodes;   /**< [3 num_nodes] m, at rest, world frame */
  const int* elements;   /**< [nodes_per_element num_elements] */
  int num_triangles;
  const int* triangles; /**< [3 num_triangles] nodes of the surface, counterclockwise as seen from
                             outside; faces of 6 nodes are four */
  const int* held;      /**< [num_nodes] 1: fixed in the world, 2: glued to a moving body, else 0 */
  int group;
  float rgba[4];
} carom_soft_info;

/** A region of a soft body that is fixed in the world or glued to a moving body. */
typedef struct carom_attachment_info {
  const char* name;
  int soft, body; /**< body 0: the world */
  int num_nodes;
  const int* nodes; /**< [num_nodes] of the soft body, from 0 */
} carom_attachment_info;

/** Details of a body; `index`, here and below, must be in range. */
CAROM_API carom_body_info carom_model_get_body(const carom_model* model, int index);
/** Details of a joint. */
CAROM_API carom_joint_info carom_model_get_joint(const carom_model* model, int index);
/** Details of a geometry. */
CAROM_API carom_geom_info carom_model_get_geom(const carom_model* model, int index);
/** Details of a site. */
CAROM_API carom_site_info carom_model_get_site(const carom_model* model, int index);
/** The surface of a mesh, which any number of geometries may have. */
CAROM_API carom_mesh_info carom_model_get_mesh(const carom_model* model, int index);
/** Details of a tendon. */
CAROM_API carom_tendon_info carom_model_get_tendon(const carom_model* model, int index);
/** Details of an actuator. */
CAROM_API carom_actuator_info carom_model_get_actuator(const carom_model* model, int index);
CAROM_API carom_control_info carom_model_get_control(const carom_model* model, int index);

/** The name of a control: its actuator's, and of one of several "NAME.position", "NAME.velocity",
 * "NAME.force" or "NAME.voltage"; without its actuator's name "actuatorI", from 0 on.
 * @param size of `name`, which is cut where it is longer */
CAROM_API void carom_model_get_control_name(const carom_model* model, int index, char* name,
                                            size_t size);

/** The control of that name, an actuator's own name for its only or first one; -1: there is none.
 */
CAROM_API int carom_model_find_control(const carom_model* model, const char* name);
/** Details of an equality constraint. */
CAROM_API carom_equality_info carom_model_get_equality(const carom_model* model, int index);
/** Details of a spring between points. */
CAROM_API carom_spring_info carom_model_get_spring(const carom_model* model, int index);

/** Details of a soft body. */
CAROM_API carom_soft_info carom_model_get_soft(const carom_model* model, int index);

/** Details of an attachment, in the order in which they were added. */
CAROM_API carom_attachment_info carom_model_get_attachment(const carom_model* model, int index);

/** Index of a named body, or -1; in constant time, as all below. */
CAROM_API int carom_model_find_body(const carom_model* model, const char* name);
/** Index of a named joint, or -1. */
CAROM_API int carom_model_find_joint(const carom_model* model, const char* name);
/** Index of a named geometry, or -1. */
CAROM_API int carom_model_find_geom(const carom_model* model, const char* name);
/** Index of a named site, or -1. */
CAROM_API int carom_model_find_site(const carom_model* model, const char* name);
/** Index of a named actuator, or -1. */
CAROM_API int carom_model_find_actuator(const carom_model* model, const char* name);
/** Index of a named tendon, or -1. */
CAROM_API int carom_model_find_tendon(const carom_model* model, const char* name);
/** Index of a named equality constraint, or -1. */
CAROM_API int carom_model_find_equality(const carom_model* model, const char* name);
/** Index of a named spring between points, or -1. */
CAROM_API int carom_model_find_spring(const carom_model* model, const char* name);
/** Index of a named soft body, or -1. */
CAROM_API int carom_model_find_soft(const carom_model* model, const char* name);
/** Index of the first attachment of this name, or -1. */
CAROM_API int carom_model_find_attachment(const carom_model* model, const char* name);
/** Index of a named keyframe, or -1. */
CAROM_API int carom_model_find_keyframe(const carom_model* model, const char* name);

/** Name of a keyframe, empty where it has none. */
CAROM_API const char* carom_model_get_keyframe_name(const carom_model* model, int index);

/** Index of a body by its handle in the description (and in what was compiled), or -1. Other parts
 * than bodies, joints and geometries have no order of their own: the index is the handle's id less
 * one; of springs and attachments it is their number from 0. */
CAROM_API int carom_model_index_of_body(const carom_model* model, carom_body body);
/** See carom_model_index_of_body. */
CAROM_API int carom_model_index_of_joint(const carom_model* model, carom_joint joint);
/** See carom_model_index_of_body. */
CAROM_API int carom_model_index_of_geom(const carom_model* model, carom_geom geom);
/** Handle in the description of a body by its index. */
CAROM_API carom_body carom_model_get_body_handle(const carom_model* model, int index);
/** See carom_model_get_body_handle. */
CAROM_API carom_joint carom_model_get_joint_handle(const carom_model* model, int index);
/** See carom_model_get_body_handle. */
CAROM_API carom_geom carom_model_get_geom_handle(const carom_model* model, int index);

/** What the model was compiled from, as long as the model lives: to be read by any number of
 * threads, and copied (carom_builder_copy) to make another model with other numbers or more parts;
 * see carom/parameter.h. */
CAROM_API const carom_builder* carom_model_get_description(const carom_model* model);

/** Name of the model, empty where it has none. */
CAROM_API const char* carom_model_get_name(const carom_model* model);

/** The step that the scene suggests, s. */
CAROM_API double carom_model_get_timestep(const carom_model* model);

/** Gravity, m/s², world frame. */
CAROM_API void carom_model_get_gravity(const carom_model* model, double gravity[3]);

/** The reference configuration [num_q], alive as long as the model: the coordinates at which every
 * body is where its definition puts it. */
CAROM_API const double* carom_model_get_reference(const carom_model* model);

/** What was ignored or mapped while reading, one sentence each with file and line. */
CAROM_API const char* carom_model_get_note(const carom_model* model, int index);
/** What the note speaks of. */
CAROM_API carom_note_kind carom_model_get_note_kind(const carom_model* model, int index);

CAROM_END_DECLS

#endif
