/* What a builder remembers of each definition, and what its files share. */
#ifndef CR_MODEL_RECORD_H
#define CR_MODEL_RECORD_H

#include "base/cookie.h"
#include "base/share.h"
#include "base/shared.h"
#include "geom/surface.h"
#include "math/quat.h"
#include "mesh/hull.h"
#include "model/check.h"
#include "model/names.h"
#include "soft/mesh.h"

#include "carom/sensor.h"

/* Name and file of a definition as offsets into the builder's text; -1: none. */
typedef struct cr_label {
  int name, file, line;
} cr_label;

/* Copies of the definitions; their pointers are cleared. Lists within a body run in the order of
 * addition and end with -1; entries are indices into the builder's lists. */
typedef struct cr_body_record {
  carom_body_def def;
  cr_label label;
  int first_child, last_child, next;
  int first_joint, last_joint;
  int first_geom, last_geom;
} cr_body_record;

typedef struct cr_joint_record {
  carom_joint_def def;
  cr_label label;
  int next;
} cr_joint_record;

typedef struct cr_geom_record {
  carom_geom_def def;
  cr_label label;
  int next;
} cr_geom_record;

typedef struct cr_site_record {
  carom_site_def def;
  cr_label label;
} cr_site_record;

typedef struct cr_sensor_record {
  carom_sensor_def def;
  cr_label label;
} cr_sensor_record;

/* A mesh's hull about its centre of mass, its surface where that collides, and its mass at unit
 * density. What is behind pointers belongs to all copies of the record, and none changes it. */
typedef struct cr_mesh_record {
  cr_label label;
  cr_share* share;
  cr_hull* hull;
  cr_trisurface* surface; /* null: it collides as its hull */
  int family;             /* see carom_mesh_def */
  cr_mesh_mass mass;
  cr_mesh drawn; /* of a mesh that is only drawn, which has nothing of the above; else empty */
  cr_mesh shown; /* what pictures show of it, about the middle of its bounds */
  cr_aabb bounds;
} cr_mesh_record;

static inline bool cr_mesh_is_drawn(const cr_mesh_record* mesh) { return !mesh->hull; }

/* Likewise. */
typedef struct cr_height_field_record {
  cr_label label;
  cr_share* share;
  cr_trisurface* surface;
  cr_mesh shown; /* as coarse as pictures bear */
} cr_height_field_record;

typedef struct cr_pair_record {
  carom_pair_def def;
  cr_label label;
} cr_pair_record;

typedef struct cr_exclude_record {
  int body1, body2;
} cr_exclude_record;

typedef struct cr_spring_record {
  carom_spring_def def;
  cr_label label;
} cr_spring_record;

/* The terms and points stand in the builder's lists of them. */
typedef struct cr_tendon_record {
  carom_tendon_def def;
  cr_label label;
  int first_term, first_point;
} cr_tendon_record;

typedef struct cr_actuator_record {
  carom_actuator_def def;
  cr_label label;
} cr_actuator_record;

typedef struct cr_equality_record {
  carom_equality_def def;
  cr_label label;
} cr_equality_record;

/* The mesh stands in its own frame, and belongs to all copies of the record. */
typedef struct cr_soft_record {
  carom_soft_def def;
  cr_label label;
  cr_share* share;
  cr_soft_mesh mesh;
} cr_soft_record;

/* The nodes stand in the builder's list of them. */
typedef struct cr_attachment_record {
  carom_attachment_def def;
  cr_label label;
  int first_node;
} cr_attachment_record;

/* A sentence, as an offset into text. */
typedef struct cr_note_record {
  int text;
  int kind; /* carom_note_kind */
} cr_note_record;

/* The arrays of a keyframe stand in the builder's numbers; -1: not given. */
typedef struct cr_keyframe_record {
  carom_keyframe_def def;
  cr_label label;
  int q, v, ctrl, act, mocap_position, mocap_quaternion;
} cr_keyframe_record;

struct carom_builder {
  carom_builder_def def; /* its name is cleared */
  int name;              /* offset into text, -1: none */
  cr_text text;
  cr_name_table names;
  int last_file; /* the file named last, as an offset; most definitions share it */
  cr_list meshes, height_fields;
  cr_list bodies, joints, geoms, pairs, excludes, springs, actuators, equalities, keyframes;
  cr_list tendons, tendon_terms, tendon_points, sites, sensors;
  int num_readings;                             /* of all sensors */
  cr_list softs, attachments, attachment_nodes; /* the last of int */
  cr_list notes;                                /* of cr_note_record */
  cr_list numbers;                              /* of double: the keyframes' */
};

/* A part that is being added, or whose definition changes. */
typedef struct cr_addition {
  carom_builder* builder;
  cr_list* list; /* of its records */
  int part;      /* cr_part; -1: its name is not kept in the table of names */
  cr_subject subject;
} cr_addition;

/* In place of a part: there is such a part, and its definition changes. */
#define CR_PART_CHANGES (-2)

/* Compiles a builder and destroys it, whatever comes of it. */
CR_SHARED carom_status cr_builder_finish(carom_builder* builder, carom_model** model,
                                         carom_error* error);

/* Gives joints that move no inertia of their own a trace of armature, and a body that has mass but
 * no inertia about an axis of its joint that of its shapes, or the joint that of a ball of water,
 * with a note each: for formats whose files hold such links. Fails as compiling would where that
 * does not help. */
CR_SHARED carom_status cr_builder_give_inertia(carom_builder* builder, carom_error* error);

/* Answer to a null builder or definition. */
carom_status cr_refuse_null(const char* kind, const carom_builder* builder, carom_error* error);

/* Checks what all definitions share: the cookie, before anything else is read, and that the name is
 * free. */
#define CR_ADDITION_BEGIN(addition, def, name) \
  cr_addition_begin(addition, (def)->cookie, CR_COOKIE(name), "carom_" #name "_def")
carom_status cr_addition_begin(const cr_addition* addition, uint32_t cookie, uint32_t expected,
                               const char* type);

/* Copies name and source into the record's label, then the record to the end of its list. Changes
 * nothing on failure.
 * @param label lies within `record`
 * @param index receives the record's place */
carom_status cr_addition_finish(const cr_addition* addition, void* record, cr_label* label,
                                int* index);

/* The subject of a stored record, for sentences at compile. */
cr_subject cr_label_subject(const carom_builder* builder, const cr_label* label, const char* kind,
                            int number, carom_error* error);

/* Checks a handle: between `lowest` (0 where null is allowed) and what the builder holds. */
carom_status cr_check_body(const cr_addition* addition, const char* field, carom_body body,
                           int lowest);
carom_status cr_check_joint(const cr_addition* addition, const char* field, carom_joint joint,
                            int lowest);
carom_status cr_check_tendon(const cr_addition* addition, const char* field, carom_tendon tendon,
                             int lowest);
/* A joint of one degree of freedom. */
carom_status cr_check_scalar_joint(const cr_addition* addition, const char* field,
                                   carom_joint joint, int lowest);
carom_status cr_check_site(const cr_addition* addition, const char* field, carom_site site,
                           int lowest);
carom_status cr_check_actuator(const cr_addition* addition, const char* field,
                               carom_actuator actuator);
carom_status cr_check_geom(const cr_addition* addition, const char* field, carom_geom geom);

/* The numbers of `size` that a shape has are positive; those that a plane may have are finite. */
carom_status cr_check_shape_size(const cr_subject* subject, carom_geom_type type,
                                 const double size[3]);

/* Whether a joint's spring and damper are given by time constant and ratio. */
static inline bool cr_joint_has_spring_damper(const carom_joint_def* def) {
  return def->spring_damper[0] > 0 && def->spring_damper[1] > 0;
}

/* Whether its surface moves. */
static inline bool cr_geom_moves(const carom_geom_def* def) {
  bool moves = false;
  for (int i = 0; i < 6; i++) moves = moves || def->surface_velocity[i] != 0;
  return moves;
}

/* The mesh of a geometry of type mesh. */
CR_SHARED const cr_mesh_record* cr_geom_mesh(const carom_builder* builder,
                                             const carom_geom_def* def);

/* Why a geometry's inside can have no pressure: a word for what it is, and a clause on what would
 * do; false where it can. */
CR_SHARED bool cr_geom_lacks_inside(const carom_builder* builder, const carom_geom_def* def,
                                    const char** what, const char** remedy);

/* How deep the inside of a geometry with a modulus is, where its mesh does not know it yet. */
void cr_geom_measure_inside(const carom_builder* builder, const carom_geom_def* def);

/* The height field of a geometry of that type. */
CR_SHARED const cr_height_field_record* cr_geom_height_field(const carom_builder* builder,
                                                             const carom_geom_def* def);

/* Lets go of the meshes' hulls and surfaces, those of height fields, and the lists. */
void cr_meshes_release(carom_builder* builder);
void cr_height_field_release(cr_height_field_record* field, const carom_allocator* allocator);

/* Fills `shown`, and the bounds, of a record that has all else; false without memory. */
bool cr_show_mesh(cr_mesh_record* mesh, const carom_allocator* allocator);
bool cr_show_height_field(cr_height_field_record* field, const carom_allocator* allocator);

/* The checked mesh of a definition, to be destroyed. */
CR_SHARED carom_status cr_soft_def_make_mesh(const cr_subject* subject, const carom_soft_def* def,
                                             const carom_allocator* allocator, cr_soft_mesh* mesh);

/* Lets go of the soft bodies' meshes, and frees the list. */
void cr_softs_release(carom_builder* builder);

/* Numbers q and v of a joint type. */
static inline int cr_joint_num_q(carom_joint_type type) {
  return type == CAROM_JOINT_FREE ? 7 : type == CAROM_JOINT_BALL ? 4 : 1;
}
static inline int cr_joint_num_v(carom_joint_type type) {
  return type == CAROM_JOINT_FREE ? 6 : type == CAROM_JOINT_BALL ? 3 : 1;
}

/* The unit quaternion along four numbers of any magnitude, not all zero. */
CR_SHARED quat cr_quat_unit(const double* numbers);

#endif
