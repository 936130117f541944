/* One SDF document on its way into a builder: what the files of this folder share.
 *
 * A document is a tree of scopes: the world, models in it, models in these. In each stand named
 * frames: links, joints, frames, and the models' own. A name means a frame of the same scope, or,
 * behind "model::", of a model in it. */
#ifndef CR_IMPORT_SDF_READER_H
#define CR_IMPORT_SDF_READER_H

#include "import/asset.h"
#include "import/proximity.h"
#include "import/sdf/load.h"

#include "carom/scene.h"

/* Index of the scope and of the frame that are the world. */
#define CR_SDF_WORLD 0

/* Of shapes that name none. */
#define CR_SDF_ALL_BITS 0xffffu

/* In place of an index: none; not found out yet. */
enum { CR_SDF_NONE = -1, CR_SDF_UNKNOWN = -2 };

typedef enum cr_sdf_kind {
  CR_SDF_MODEL, /* also the world */
  CR_SDF_LINK,
  CR_SDF_JOINT,
  CR_SDF_FRAME,
} cr_sdf_kind;

/* Kinds of joint, in the order of their words. */
typedef enum cr_sdf_type {
  CR_SDF_REVOLUTE,
  CR_SDF_CONTINUOUS,
  CR_SDF_PRISMATIC,
  CR_SDF_FIXED,
  CR_SDF_BALL,
  CR_SDF_UNIVERSAL,
  CR_SDF_REVOLUTE2,
  CR_SDF_SCREW,
  CR_SDF_GEARBOX,
  CR_SDF_PLANAR, /* Drake's */
} cr_sdf_type;

/* How far a frame is worked out. */
typedef enum cr_sdf_progress { CR_SDF_OPEN, CR_SDF_BUSY, CR_SDF_DONE } cr_sdf_progress;

/* Something that poses can be relative to. */
typedef struct cr_sdf_frame {
  cr_sdf_kind kind;
  const cr_xml_element* element; /* null: the world of a file without one */
  const cr_xml_element* pose;    /* null: none is given */
  const char* name;              /* without its scope */
  int scope;                     /* whose frame its pose is given in at last */
  int item;                      /* link, joint, or the scope of a model */
  cr_sdf_progress placed, attached;
  pose local; /* in the frame of its scope's model */
  pose world;
  int link; /* that it moves with; CR_SDF_NONE: the world */
} cr_sdf_frame;

/* A model, or the world. */
typedef struct cr_sdf_scope {
  const cr_xml_element* element;
  int frame;
  int parent;  /* CR_SDF_NONE: the world's */
  int names;   /* the scope whose names these are: itself, or the one that it is merged into */
  int version; /* 1.11 is 111 */
  int first_link, end_link; /* its own and those of models in it */
  bool is_static, self_collides;
  const char* prefix;    /* of its parts' names, "robot::arm::" */
  const char* placement; /* the frame that the model's pose places; null: its own */
} cr_sdf_scope;

typedef struct cr_sdf_link {
  const cr_xml_element* element;
  const char* name; /* with its scope */
  int frame, scope;
  int parent;                  /* joint; CR_SDF_NONE: free, or static */
  int first_child, last_child; /* joints, in the order of the file */
  bool collides;               /* it has a shape that does */
  bool self_collides;
  bool takes_mass; /* from its shapes */
  bool stands;     /* kinematic, on no joint: it does not move */
  bool is_held;    /* kinematic, on a joint: welded to the world */
  carom_body body;
} cr_sdf_link;

typedef struct cr_sdf_joint {
  const cr_xml_element* element;
  const char* name; /* with its scope */
  cr_sdf_type type;
  int frame, scope;
  int parent, child; /* links; parent CR_SDF_NONE: the world */
  int next;          /* joint of the same parent; CR_SDF_NONE: the last */
  bool is_reversed;  /* the file's child is the world */
  bool is_idle;      /* neither of its links moves */
  bool closes_loop;  /* its child hangs on another joint */
  carom_body half;   /* of the child, that it moves where it closes a loop of a kind that no
                        constraint stands for; else zero */
  carom_joint part;  /* of a joint that is one hinge, slide or screw; else zero */
  v3 axis;           /* of that, in the world */
} cr_sdf_joint;

typedef struct cr_sdf {
  cr_document document;
  const carom_load_def* load; /* how it is to be read */
  cr_asset_search search;
  const cr_sdf_files* files; /* may be null */
  carom_base base;
  int friction_rule; /* -1: the file's */
  bool floor, has_bits;
  const double* gravity; /* [3] in place of the file's; null: the file's */
  int num_includes;
  carom_builder_def def;
  carom_builder* builder;
  cr_text text;
  cr_name_table names; /* kind: the scope; id: the frame */
  cr_list scopes;      /* of cr_sdf_scope */
  cr_list frames;      /* of cr_sdf_frame */
  cr_list links;       /* of cr_sdf_link */
  cr_list joints;      /* of cr_sdf_joint */
} cr_sdf;

static inline cr_sdf_scope* cr_sdf_scope_at(const cr_sdf* s, int index) {
  return CR_AT(&s->scopes, cr_sdf_scope, index);
}
static inline cr_sdf_frame* cr_sdf_frame_at(const cr_sdf* s, int index) {
  return CR_AT(&s->frames, cr_sdf_frame, index);
}
static inline cr_sdf_link* cr_sdf_link_at(const cr_sdf* s, int index) {
  return CR_AT(&s->links, cr_sdf_link, index);
}
static inline cr_sdf_joint* cr_sdf_joint_at(const cr_sdf* s, int index) {
  return CR_AT(&s->joints, cr_sdf_joint, index);
}

/* ---- Values: the texts of child elements, see document.h. */

static inline carom_status cr_sdf_word(cr_sdf* s, const cr_xml_element* element, const char* name,
                                       const char** word) {
  return cr_document_child_word(&s->document, element, name, word);
}
static inline carom_status cr_sdf_numbers(cr_sdf* s, const cr_xml_element* element,
                                          const char* name, int count, double* values) {
  return cr_document_child_numbers(&s->document, element, name, count, values);
}
static inline carom_status cr_sdf_bound(cr_sdf* s, const cr_xml_element* element, const char* name,
                                        double* value) {
  return cr_document_child_bound(&s->document, element, name, value);
}
static inline carom_status cr_sdf_flag(cr_sdf* s, const cr_xml_element* element, const char* name,
                                       bool* flag) {
  return cr_document_child_flag(&s->document, element, name, flag);
}

/* What a <pose> says; none, or an empty one: the identity. */
carom_status cr_sdf_pose(cr_sdf* s, const cr_xml_element* pose_element, pose* result);

static inline const char* cr_sdf_join(cr_sdf* s, const char* a, const char* b) {
  return cr_document_join(&s->document, a, b);
}

/* ---- Passes, in their order */

/* Reads the document that an include names; `model` receives the <model> in it. */
carom_status cr_sdf_include(cr_sdf* s, const cr_xml_element* include, int depth,
                            const cr_xml_element** model, int* version);

/* The number of a file's version, 1.11 as 111. */
carom_status cr_sdf_version(const cr_sdf* s, const cr_xml_element* root, int* version);

/* Lists scopes, frames, links and joints of a world, or of a document's models. */
carom_status cr_sdf_index(cr_sdf* s, const cr_xml_element* root);

/* The frame that a name means within a scope. `what` says in sentences where it stands. */
carom_status cr_sdf_resolve(cr_sdf* s, int scope, const cr_xml_element* element, const char* what,
                            const char* name, int* frame);

/* Works out where all frames are and what they move with. */
carom_status cr_sdf_place(cr_sdf* s);

/* The pose of an element in the world that may be relative to any frame, else to `base`. */
carom_status cr_sdf_place_element(cr_sdf* s, int scope, const cr_xml_element* element, int base,
                                  pose* world);

/* Finds out which links the joints join, and which joints close loops. */
carom_status cr_sdf_hang(cr_sdf* s);

/* Takes the settings of world and models, and notes what there is for other programs. */
carom_status cr_sdf_read_settings(cr_sdf* s, const cr_xml_element* root);

/* Adds the bodies, from the roots outwards, with their joints and shapes. */
carom_status cr_sdf_add_links(cr_sdf* s);

/* Makes the robot of an included URDF file an SDF model of version 1.12.
 * @param model receives it, in the pool of the document */
carom_status cr_sdf_convert_urdf(cr_sdf* s, const cr_xml_element* robot,
                                 const cr_xml_element** model);

/* Adds the inertia of a <fluid_added_mass> to a body's. */
carom_status cr_sdf_add_fluid(cr_sdf* s, const cr_xml_element* fluid, carom_body_def* def);

/* Cuts the child of a joint that closes a loop into two halves, of which the second hangs on the
 * joint's parent; both have the frame of the link. */
carom_status cr_sdf_split_link(cr_sdf* s, cr_sdf_joint* joint);

/* Adds the joint of a link to its parent, or what hangs a link on the world that has none. */
carom_status cr_sdf_add_joint(cr_sdf* s, cr_sdf_joint* joint);
carom_status cr_sdf_add_base(cr_sdf* s, const cr_sdf_link* link);

/* Whether two directions are one, or opposite. */
static inline bool cr_sdf_are_parallel(v3 a, v3 b) {
  return v3_norm2(v3_cross(a, b)) <= 1e-12 * v3_norm2(a) * v3_norm2(b);
}

/* The direction in the world, of an axis in the joint's frame, in that of the model (always before
 * 1.5, then where use_parent_model_frame says so) or in one that is named;
 * null: z of the joint. */
carom_status cr_sdf_direction(cr_sdf* s, const cr_sdf_joint* joint, const cr_xml_element* axis,
                              v3* direction);

/* What makes a link a soft body, or null. */
const cr_xml_element* cr_sdf_find_deformable(const cr_sdf_link* link);

/* Adds a soft body in place of a link. */
carom_status cr_sdf_add_deformable(cr_sdf* s, const cr_sdf_link* link,
                                   const cr_xml_element* properties);

/* Makes a geometry the solid of a <polyline>, with its mass: a hull where the polygon is convex,
 * else its surface. */
carom_status cr_sdf_read_polyline(cr_sdf* s, const cr_xml_element* shape, carom_geom_def* geom);

/* Makes a geometry the solid of a <cone>, the hull of its tip and 48 corners, with its mass. */
carom_status cr_sdf_read_cone(cr_sdf* s, const cr_xml_element* shape, carom_geom_def* geom);

/* Makes a geometry the height field of a <heightmap>.
 * @param offset receives where its middle is in the element's frame
 * @param is_there receives false where a permissive reader leaves it out */
carom_status cr_sdf_read_heightmap(cr_sdf* s, const cr_xml_element* shape, carom_geom_def* geom,
                                   v3* offset, bool* is_there);

/* Adds the shapes of a link. */
carom_status cr_sdf_add_geometry(cr_sdf* s, cr_sdf_link* link);

/* What a <collision> says of its surface. */
carom_status cr_sdf_read_surface(cr_sdf* s, const cr_xml_element* collision, cr_surface* surface);

/* Whom a <collision> meets: the bits of its collide_bitmask; none where it collides without
 * contact. */
carom_status cr_sdf_read_bits(cr_sdf* s, const cr_xml_element* collision, uint32_t* bits);

/* What a document says all over: bit masks, the rule of friction. */
void cr_sdf_scan(cr_sdf* s, const cr_xml_element* root);

/* Adds what names joints and links: loops, couplings, motors, filters. */
carom_status cr_sdf_add_couplings(cr_sdf* s);
carom_status cr_sdf_add_filters(cr_sdf* s);

/* Adds Drake's ball constraints and springs. */
carom_status cr_sdf_add_ties(cr_sdf* s);

/* Adds the sensors of links and joints. */
carom_status cr_sdf_add_sensors(cr_sdf* s);

#endif
