/* One MJCF document on its way into a builder: what the files of this folder share. */
#ifndef CR_IMPORT_MJCF_READER_H
#define CR_IMPORT_MJCF_READER_H

#include "import/mjcf/attribute.h"
#include "import/mjcf/files.h"
#include "import/remark.h"
#include "model/record.h"

#include "carom/model.h"

/* Kinds in the reader's table of names. */
enum {
  CR_MJCF_NAME_CLASS,     /* default classes; the id is an index into `classes` */
  CR_MJCF_NAME_MATERIAL,  /* the id is an index into `materials` */
  CR_MJCF_NAME_MESH,      /* the id is an index into `meshes` */
  CR_MJCF_NAME_HFIELD,    /* the id is an index into `hfields` */
  CR_MJCF_NAME_FLEX_NODE, /* bodies that flexes name; the id is an index into `flex_nodes` */
  CR_MJCF_NAME_LEFT_OUT,  /* parts that were left out; plus the cr_part */
  CR_MJCF_NAME_COMPLIANCE = CR_MJCF_NAME_LEFT_OUT + CR_NUM_PARTS, /* see custom.c */
};

/* The compiler section. */
typedef struct cr_mjcf_compiler {
  int angle;      /* 0: degrees, 1: radians */
  int coordinate; /* 0: local, the only one */
  bool autolimits, balanceinertia, strippath, unphysical, alignfree, fitaabb;
  const char *meshdir, *assetdir; /* null: not given */
  const char* eulerseq;
  int inertiafromgeom; /* 0: false, 1: true, 2: auto */
  cr_numbers inertiagrouprange;
  double boundmass, boundinertia, settotalmass;
} cr_mjcf_compiler;

/* The file of the model, or of a model that is attached to it. */
typedef struct cr_mjcf_document {
  const cr_xml_element* attach; /* the element that attaches it; null: the main file */
  const char* file;
  int main_class;            /* of elements that name no class and inherit none */
  cr_xml_element* root;      /* of an attached model, where its keyframes stand */
  int first_slot, num_slots; /* what these count, see layout.h */
  cr_mjcf_compiler compiler; /* of documents other than the current one */
} cr_mjcf_document;

/* The option section; flags of what is disabled. */
typedef struct cr_mjcf_option {
  double timestep;
  cr_numbers gravity, magnetic;
  double contact_stiffness, contact_dissipation, rest_speed, density, viscosity;
  int friction_rule; /* carom_friction_rule */
  int patches;       /* carom_patches */
  double patch_error;
  cr_numbers wind;
  int no_gravity, no_contact, no_constraint, no_equality, no_limit, no_frictionloss, no_spring,
      no_damper, no_clampctrl, no_actuation, no_passive, no_filterparent,
      no_override;       /* 1: disabled */
  double o_margin;       /* of all contacts, where they are overridden */
  cr_numbers o_friction; /* likewise */
  cr_numbers actuatorgroupdisable;
} cr_mjcf_option;

/* A stiffness or dissipation that <custom> gives a part. */
typedef struct cr_mjcf_compliance {
  const cr_xml_element* element;
  const char *kind, *name; /* of the part */
  double value;
  bool is_used;
} cr_mjcf_compliance;

/* A body that vertices of a <flex> stand on, and what it leaves where it is a node of a soft body
 * and no body here. */
typedef struct cr_mjcf_flex_node {
  int num_vertices; /* that stand on it, of all flexes */
  bool is_node;
  carom_body parent;
  pose place;  /* in the parent's frame */
  double mass; /* kg */
} cr_mjcf_flex_node;

struct cr_mjcf {
  carom_allocator allocator;
  carom_error* error;
  const cr_mjcf_files* files;
  const char* main_path;
  bool permissive, floor, outside, alone, is_text;
  const double* gravity; /* [3] in place of the file's; null: the file's */
  cr_xml_tree xml;
  const cr_xml_element* root;
  carom_builder* builder;
  cr_list documents;         /* of cr_mjcf_document; 0 is the main file */
  int document;              /* the current one: that of the element read last */
  cr_mjcf_compiler compiler; /* its options */
  cr_mjcf_option option;
  cr_text text;
  cr_name_table names;
  cr_list classes;     /* of cr_mjcf_class; 0 is "main" */
  cr_list materials;   /* of cr_numbers: rgba */
  cr_list meshes;      /* of cr_mjcf_mesh */
  cr_list hfields;     /* of cr_mjcf_hfield */
  bool has_rigid_flex; /* a flexcomp has become a body: its nodes are no coordinates */
  cr_list flex_nodes;  /* of cr_mjcf_flex_node */
  cr_list compliance;  /* of cr_mjcf_compliance */
  cr_list remarks;     /* of cr_remark */
  cr_list aligned;     /* of the bodies that align.c turns, in a section */
  cr_list slots;       /* of cr_mjcf_slot */
  cr_list waiting;  /* of int: 1 + the first slot that waits for a part, by cr_xml_element.slot */
  cr_list left_out; /* of int: actuators of the file that the model does not have */
  int num_controls; /* of the file's actuators, left out or not */
  bool has_plane;
  int num_copies; /* made by <replicate>, and elements in them */
};

/* The subject of sentences about an element. */
cr_subject cr_mjcf_subject(const cr_mjcf* m, const cr_xml_element* element);

/* Notes that an element, or an attribute of it, is not used, and why. Remarks of one key become one
 * note with the number of places. `text` lives as long as the reader. */
carom_status cr_mjcf_remark_on(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                               const void* key, const char* text);

/* What would change the physics: CAROM_ERROR_UNSUPPORTED with the sentence, or, for a permissive
 * reader, a remark and CAROM_OK. */
carom_status cr_mjcf_refuse(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                            const void* key, const char* text);

/* A note of its own about one element: "file:line: kind 'name': text". */
carom_status cr_mjcf_note(cr_mjcf* m, const cr_xml_element* element, const char* text);

/* Hands the remarks to the builder, in the order of their first places. */
carom_status cr_mjcf_write_remarks(cr_mjcf* m);

/* Name and source of an element, for a definition. */
carom_source cr_mjcf_source(const cr_xml_element* element);

/* Adds a name to the reader's table. */
carom_status cr_mjcf_add_name(cr_mjcf* m, int kind, const char* name, int id);

/* The builder's record of a named part: its index, or -1. */
int cr_mjcf_find_part(const cr_mjcf* m, cr_part part, const char* name);

/* Resolves attribute `attribute` of an element, which names a part that must exist.
 * @param index of its record; -1 when the part was left out of the model and the element is to be
 *              left out too, with a note */
carom_status cr_mjcf_resolve(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                             const char* name, cr_part part, int* index);

/* Fails for children of an element that must have none. */
carom_status cr_mjcf_expect_no_children(const cr_mjcf* m, const cr_xml_element* element);

/* An element that its parent cannot have. */
carom_status cr_mjcf_unknown_element(const cr_mjcf* m, const cr_xml_element* element);

/* Sections, in the order in which they are read; each reads one element of the root. */
carom_status cr_mjcf_read_compiler(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_option(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_custom(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_default(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_asset(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_list_flex_nodes(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_worldbody(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_contact(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_tendon(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_equality(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_deformable(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_actuator(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_sensor(cr_mjcf* m, const cr_xml_element* section);
carom_status cr_mjcf_read_keyframe(cr_mjcf* m, const cr_xml_element* section);

/* The keyframes of attached models, behind those of the model around them. */
carom_status cr_mjcf_read_attached_keyframes(cr_mjcf* m);

/* Fails when <custom> names the compliance of a part that is not there. */
carom_status cr_mjcf_check_compliance(const cr_mjcf* m);

/* Turns the free bodies of a <worldbody> that are to be aligned. */
carom_status cr_mjcf_align_bodies(cr_mjcf* m);

/* Splices the documents that <include> names into the tree. */
carom_status cr_mjcf_include(cr_mjcf* m, cr_xml_element* root, const char* path);

/* Opens a file that an element names: beside the main file, then beside the element's own. `path`
 * receives where it was found, or refused, or looked for last, in the pool; null without memory. */
FILE* cr_mjcf_find_file(cr_mjcf* m, const char* main_path, const cr_xml_element* element,
                        const char* file, char** path);

/* The sentence for a file that is not opened: it is not there, or lies outside the model's tree.
 * @param file what the sentence calls it
 * @param path as it is, or would be, opened */
carom_status cr_mjcf_fail_open(const cr_mjcf* m, const cr_subject* subject, const char* file,
                               const char* path);

/* Whether a path leads out of the model's tree (import/asset.h), which is not allowed. */
bool cr_mjcf_is_outside(const cr_mjcf* m, const char* path);

/* Puts the bodies of other models where <attach> stands, and their sections beside those of
 * `root`. */
carom_status cr_mjcf_attach(cr_mjcf* m, cr_xml_element* root);

/* Refuses attached models whose compiler options about masses are others than the main file's. */
carom_status cr_mjcf_check_documents(cr_mjcf* m);

/* Makes a document the current one. */
void cr_mjcf_select_document(cr_mjcf* m, int document);

/* The compiler options that hold for an element. */
const cr_mjcf_compiler* cr_mjcf_compiler_of(const cr_mjcf* m, const cr_xml_element* element);

/* What they are before a file says anything. */
void cr_mjcf_compiler_init(cr_mjcf_compiler* compiler);

#endif
