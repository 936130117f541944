/* The compiled model: immutable flat arrays in one block, read by any number of threads. */
#ifndef CR_MODEL_MODEL_H
#define CR_MODEL_MODEL_H

#include "base/alloc.h"
#include "force/force.h"
#include "geom/broadphase.h"
#include "geom/surface.h"
#include "soft/surface.h"
#include "tree/tree.h"

#include "carom/sensor.h"

/* One-sided joint limits and dry friction, per joint and dof. */
typedef struct cr_limit_model {
  const int* joint_limited;              /* [num_joints] 0 or 1 */
  const double* joint_range;             /* [2 each] m or rad; ball: [1] bounds the angle */
  const double* joint_limit_margin;      /* m or rad */
  const double* joint_limit_stiffness;   /* N/m or N m/rad; inf: rigid */
  const double* joint_limit_dissipation; /* s; NaN: default of the stiffness */
  const double* joint_speed_limit;       /* m/s or rad/s, not enforced; inf: none */
  const double* dof_friction_loss;       /* [num_v] N or N m */
} cr_limit_model;

/* Equality constraints [num_equalities]; points and poses are in link frames. */
typedef struct cr_equality_model {
  int num_equalities;
  const int* type;                   /* carom_equality_type */
  const int* active;                 /* 0 or 1 */
  const int* link;                   /* [2 each] connect, weld */
  const double* anchor;              /* [6 each] connect, weld: a point of either link */
  const double* relative_quaternion; /* [4 each] weld: orientation of link 2's in link 1's frame */
  const int* joint;                  /* [2 each] joint; -1: none */
  const int* tendon;                 /* [2 each] tendon; -1: none */
  const double* polynomial;          /* [5 each] joint, tendon */
  const double* distance;            /* m, distance */
  const double* stiffness;           /* N/m or N m/rad; inf: rigid */
  const double* dissipation;         /* s; NaN: default of the stiffness */
} cr_equality_model;

/* Does it tie joints or tendons, not bodies? */
static inline bool cr_equality_is_coupling(const cr_equality_model* equality, int index) {
  int type = equality->type[index];
  return type == CAROM_EQUALITY_JOINT || type == CAROM_EQUALITY_TENDON;
}

/* What a contact needs beyond its geometry; per geometry, and per explicit pair. */
typedef struct cr_contact_model {
  int friction_rule;            /* carom_friction_rule */
  int is_plain;                 /* no surface makes moments, moves, has static friction of its own,
                                   Hunt-Crossley dissipation, restitution or adhesion */
  int num_moving;               /* geometries whose surface moves */
  int num_sticky;               /* geometries and pairs whose contacts pull */
  int num_fields;               /* geometries whose inside has a pressure */
  double rest_speed;            /* m/s, slower impacts do not rebound */
  int patches;                  /* carom_patches of simulations that do not say, as the next */
  double patch_error;           /* 1 */
  const int* condim;            /* [num_geoms] 1, 3, 4 or 6 */
  const int* priority;          /* [num_geoms] */
  const double* friction;       /* [num_geoms] */
  const double* gap;            /* [num_geoms] m */
  const double* stiffness;      /* [num_geoms] N/m; inf: rigid */
  const double* dissipation;    /* [num_geoms] s; NaN: default of the stiffness */
  const double* pressure;       /* [num_geoms] Pa at an extent of 1, see geom/field.h; inf: none;
                                   where one has it, as the next */
  const double* slope;          /* [num_geoms] Pa/m, of the pressure by the depth; inf: rigid */
  const carom_surface* surface; /* [num_geoms] static friction without NaN */
  const double* velocity; /* [6 num_geoms] of surfaces, in the geometry's frame; where one moves */
  const int* pair_condim; /* [num_pairs] resolved, as all below */
  const double* pair_friction;
  const double* pair_gap;
  const double* pair_stiffness;
  const double* pair_dissipation;
  const carom_surface* pair_surface;
} cr_contact_model;

/* Bodies as the user knows them: rigidly attached to links. Body 0 is the world. */
typedef struct cr_body_model {
  int num_bodies;
  const int* parent; /* -1 for the world */
  const int* link;
  const pose* local;                  /* body frame in the link's frame */
  const double* mass;                 /* kg */
  const double* com;                  /* [3 each] body frame */
  const double* inertia;              /* [6 each] about the centre of mass, body axes */
  const double* gravity_compensation; /* share of the weight that a force bears */
  int num_compensated;                /* bodies where that is not 0 */
  const int* link_body;               /* [num_links] the body whose frame and joints the link has */
} cr_body_model;

/* Frames on bodies [num_sites], in the order of addition. */
typedef struct cr_site_model {
  int num_sites;
  const int* body;
  const int* link;
  const pose* local;        /* in the link's frame */
  const double* position;   /* [3 each] in the body's frame */
  const double* quaternion; /* [4 each] likewise, unit */
  const cr_shape* shape;    /* for drawing, and the zone of touch sensors */
  const int* group;
  const float* rgba; /* [4 each] */
} cr_site_model;

/* What has to be known for a model's sensors, or-ed. */
enum { CR_NEEDS_ACCELERATION = 1, CR_NEEDS_FORCE = 2, CR_NEEDS_ACTUATION = 4, CR_NEEDS_STEP = 8 };

/* What a contact sensor looks for; see carom_contact_query. */
typedef struct cr_contact_query {
  int side[2], index[2]; /* carom_contact_side_type; geometry or body */
  int site;              /* -1: anywhere */
  int num, reduction;
  unsigned data;
} cr_contact_query;

/* Sensors [num_sensors]. */
typedef struct cr_sensor_model {
  int num_sensors, num_readings;
  int needs;            /* of any of them */
  double magnetic[3];   /* world frame */
  const int* type;      /* carom_sensor_type */
  const int* address;   /* [num_sensors + 1] into the readings */
  const int* object;    /* joint, tendon, actuator, site; body of subtrees and sites' forces */
  const int* link;      /* [2 each] of the frame and the reference frame; -1: no frame */
  const pose* local;    /* [2 each] in the links */
  const int* text;      /* name of what it is on; -1: none */
  const double* cutoff; /* inf: none */
  const double* sign;   /* of forces on sites: -1 where reversed */
  const cr_contact_query* contact; /* of contact sensors */
} cr_sensor_model;

/* Stored states [num_keyframes]. */
typedef struct cr_keyframe_model {
  int num_keyframes;
  const double* time;
  const double* q;    /* [num_q each] */
  const double* v;    /* [num_v each] interface velocities */
  const double* ctrl; /* [num_actuators each] */
  const double* act;  /* [num_activations each] */
} cr_keyframe_model;

/* Names as offsets into one text; -1: unnamed. Notes as offsets too. */
typedef struct cr_name_model {
  const char* text;
  const int* model; /* [1] */
  const int* body;
  const int* joint;
  const int* geom;
  const int* actuator;
  const int* equality;
  const int* spring;
  const int* keyframe;
  const int* tendon;
  const int* site;
  const int* soft;
  const int* sensor;
  const int* attachment;
  int num_notes;
  const int* note; /* [2 each] text, carom_note_kind */
  int num_slots;   /* a power of two; see cr_model_find_name */
  const int* slot; /* [2 each] cr_part and index of a named part, open addressing; -1: empty */
} cr_name_model;

/* Drawing [num_geoms]. */
typedef struct cr_visual_model {
  const float* rgba; /* [4 each] */
  const int* group;
  const int* geom_mesh;          /* -1: none */
  const double* geom_position;   /* [3 each] in the frame of the body it was attached to */
  const double* geom_quaternion; /* [4 each] likewise */
} cr_visual_model;

/* Surfaces of meshes, then of height fields, for drawing: what collides, about the middle of the
 * bounds; height fields as coarse as pictures bear. Their arrays are those of the description. */
typedef struct cr_mesh_model {
  int num_meshes;
  const carom_mesh_info* info;
} cr_mesh_model;

/* A soft body. Its mesh, tables and surface have memory of their own. */
typedef struct cr_soft_part {
  cr_soft_mesh mesh; /* at rest, where the reference configuration has it in the world */
  cr_soft_body body;
  cr_soft_surface surface;
  cr_trisurface* rest; /* the surface at rest; triangles and their numbers are those above */
  cr_box_tree solids;  /* of the tetrahedra of cr_soft_mesh_get_tet at rest */
  int first_node;      /* among those of all soft bodies */
  double mass, volume;
  double young, poisson;
  double pressure; /* Pa, inside */
  int num_held_elements;
  const int* held_element; /* [num_held_elements] that have a node fixed in the world */
  uint32_t contype, conaffinity;
  int condim, priority;
  double friction, radius, margin;
  double stiffness;              /* Pa/m; inf: rigid */
  double dissipation;            /* s; NaN: default of the stiffness */
  carom_surface contact_surface; /* its static friction is a number */
  bool touches_itself;
  int group;
  float rgba[4];
} cr_soft_part;

/* A barycentric point of a soft body: a node, or a point between the nodes of an edge, triangle or
 * tetrahedron. */
typedef struct cr_barycentric_point {
  int count;        /* 1 to 4 */
  int node[4];      /* among all soft nodes */
  double weight[4]; /* they add up to 1 */
} cr_barycentric_point;

/* Soft bodies. Their nodes' coordinates stand behind those of the trees, and count as links and
 * trees do there: body s is link num_links + s of tree num_trees + s in tree.link_tree, and node k
 * of all is segment num_segments + k in tree.segment_v_start. */
typedef struct cr_soft_model {
  int num_parts, num_nodes, num_ties, num_attachments, num_attached;
  cr_soft_part* part; /* [num_parts] */
  const int* held;    /* [num_nodes] 1: fixed in the world, 2: tied to a link, else 0 */

  /* What holds nodes: the holds of attachment i are those from its start to the next one's. */
  const int* attachment_part; /* [num_attachments] */
  const int* attachment_body;
  const int* attachment_start; /* [num_attachments + 1] */
  const int* attached_node;    /* [num_attached] of the part */
  const int* attached_tie;     /* [num_attached] -1: fixed in the world */
  const int* node_attached;    /* [num_nodes] -1: none */

  /* Nodes that are glued to a moving link [num_ties]. */
  const cr_barycentric_point* tie_barycentric; /* the node */
  const int* tie_part;
  const int* tie_link;
  const double* tie_point;       /* [3 each] in the link's frame */
  const double* tie_stiffness;   /* N/m; inf: rigid */
  const double* tie_dissipation; /* s; NaN: default of the stiffness */
} cr_soft_model;

/* Where parts with an order of their own stand in the builder's lists, and the other way. */
typedef struct cr_place_model {
  const int *body_record, *body_index;   /* [num_bodies] */
  const int *joint_record, *joint_index; /* [num_joints] */
  const int *geom_record, *geom_index;   /* [num_geoms] */
} cr_place_model;

/* Lies at the start of one block that holds every array below. */
struct carom_model {
  carom_allocator allocator;
  size_t block_size;
  double timestep; /* s, as the scene suggests */
  int num_q;       /* coordinates: the trees', then those of soft nodes and mocap bodies */
  int num_v;       /* velocities, likewise */
  int num_movers;  /* what moves: trees, then soft bodies */
  cr_tree_model tree;
  cr_force_model force;
  cr_geom_model geom;
  cr_limit_model limit;
  cr_equality_model equality;
  cr_contact_model contact;
  cr_body_model body;
  cr_site_model site;
  cr_sensor_model sensor;
  cr_keyframe_model keyframe;
  cr_name_model name;
  cr_visual_model visual;
  cr_mesh_model mesh;
  cr_soft_model soft;
  cr_place_model place;
  const double* q_reference;  /* [num_q] the reference configuration */
  carom_builder* description; /* what it was compiled from; has the hulls and surfaces of shapes */
};

#endif
