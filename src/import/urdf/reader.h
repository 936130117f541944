/* One URDF document on its way into a builder: what the files of this folder share. */
#ifndef CR_IMPORT_URDF_READER_H
#define CR_IMPORT_URDF_READER_H

#include "import/asset.h"
#include "import/proximity.h"
#include "import/urdf/load.h"
#include "model/record.h"

#include "carom/model.h"
#include "carom/scene.h"

/* Kinds in the reader's table of names; the id is an index into the list of that name. */
enum {
  CR_URDF_NAME_LINK,
  CR_URDF_NAME_JOINT,
  CR_URDF_NAME_MATERIAL,
};

/* Kinds of joint, in the order of their words. */
typedef enum cr_urdf_type {
  CR_URDF_REVOLUTE,
  CR_URDF_CONTINUOUS,
  CR_URDF_PRISMATIC,
  CR_URDF_FIXED,
  CR_URDF_FLOATING,
  CR_URDF_PLANAR,
  CR_URDF_BALL,
  CR_URDF_UNIVERSAL,
  CR_URDF_SCREW,
} cr_urdf_type;

typedef struct cr_urdf_link {
  const cr_xml_element* element;
  int parent;                  /* joint; -1: the root */
  int first_child, last_child; /* joints, in the order of the file */
  carom_body body;
  cr_surface contact;
  bool has_weight;   /* a mass: itself, or what joints of type fixed hold on it */
  bool has_mass;     /* or inertia, in the same way */
  bool carries_mass; /* it, or anything that hangs on it */
  bool is_weightless;
  int collides_with_own; /* robot: 1 it does, -1 it does not, 0 nothing is said */
} cr_urdf_link;

typedef struct cr_urdf_joint {
  const cr_xml_element* element;
  cr_urdf_type type;
  int parent, child;                  /* links */
  int next;                           /* joint of the same parent; -1: the last */
  const cr_xml_element* transmission; /* that drives it, or null */
  double armature;                    /* kg m² or kg, of the transmission */
  double spring_stiffness;            /* N/m or N m/rad, of a hinge or slide */
  double spring_reference;            /* m or rad */
  bool has_feedback;                  /* its force and torque are measured */
  carom_joint joint;                  /* zero where it is not one hinge or slide */
} cr_urdf_joint;

/* What <mujoco><compiler> and <option> say. */
typedef struct cr_urdf_settings {
  carom_builder_def def;
  const char* meshdir;
  bool strips_path; /* of the files of meshes only the last part counts */
} cr_urdf_settings;

typedef struct cr_urdf {
  cr_document document;
  const carom_load_def* load; /* how it is to be read */
  cr_asset_search search;
  carom_base base;
  int friction_rule; /* -1: the harmonic mean */
  bool floor;
  const double* gravity; /* [3] in place of the file's; null: the file's */
  const cr_xml_element* root;
  bool holds_root; /* it has no mass */
  carom_builder* builder;
  cr_urdf_settings settings;
  cr_text text;
  cr_name_table names;
  cr_list links;     /* of cr_urdf_link */
  cr_list joints;    /* of cr_urdf_joint */
  cr_list materials; /* of cr_urdf_colour */
} cr_urdf;

/* Red, green, blue, alpha. */
typedef struct cr_urdf_colour {
  float x[4];
} cr_urdf_colour;

/* The pose that <origin xyz rpy> within an element gives; none: the identity. */
carom_status cr_urdf_pose(cr_urdf* u, const cr_xml_element* element, double position[3],
                          double quaternion[4]);

/* Adds a name to the reader's table; false without memory. */
bool cr_urdf_add_name(cr_urdf* u, int kind, const char* name, int id);

/* The index of a named link or joint that an attribute means. */
carom_status cr_urdf_resolve(const cr_urdf* u, const cr_xml_element* element, const char* attribute,
                             const char* name, int kind, int* index);

static inline cr_urdf_link* cr_urdf_link_at(const cr_urdf* u, int index) {
  return CR_AT(&u->links, cr_urdf_link, index);
}

static inline cr_urdf_joint* cr_urdf_joint_at(const cr_urdf* u, int index) {
  return CR_AT(&u->joints, cr_urdf_joint, index);
}

/* Lists links, joints and named colours; finds out who hangs on whom.
 * @param root receives the one link without a parent */
carom_status cr_urdf_index(cr_urdf* u, int* root);

/* What extensions say that must be known before there are bodies: the compiler's settings, friction
 * of links, inertia of rotors. */
carom_status cr_urdf_read_settings(cr_urdf* u);

/* Holds the joints that move nothing with mass or inertia, and the root on the world where it has
 * none itself. */
carom_status cr_urdf_hold_massless(cr_urdf* u, int root);

/* Adds the bodies, from the root outwards, with their joints and geometries. */
carom_status cr_urdf_add_links(cr_urdf* u, int root);

/* Adds the joint of a link to its parent. */
carom_status cr_urdf_add_joint(cr_urdf* u, cr_urdf_joint* joint);

/* Adds what hangs a root on the world: nothing, or a free joint. */
carom_status cr_urdf_add_base(cr_urdf* u, const cr_urdf_link* root);

/* Adds the geometries of a link. */
carom_status cr_urdf_add_geometry(cr_urdf* u, const cr_urdf_link* link);

/* What an element says about contacts, over what is there. */
carom_status cr_urdf_read_link_contact(cr_urdf* u, cr_urdf_link* link);
carom_status cr_urdf_read_gazebo(cr_urdf* u, const cr_xml_element* gazebo);

/* Adds what names joints and links: couplings, actuators, filters. */
carom_status cr_urdf_add_mimics(cr_urdf* u);
carom_status cr_urdf_add_actuators(cr_urdf* u);
carom_status cr_urdf_add_filters(cr_urdf* u);
carom_status cr_urdf_add_own_filters(cr_urdf* u);

/* Adds what ties links beyond the tree. */
carom_status cr_urdf_add_ties(cr_urdf* u);

/* Adds what <gazebo> measures. */
carom_status cr_urdf_add_sensors(cr_urdf* u);

/* Notes which joint a transmission drives, and the inertia that it adds there. */
carom_status cr_urdf_read_transmission(cr_urdf* u, const cr_xml_element* transmission);

/* Notes which joints <ros2_control> commands. */
carom_status cr_urdf_read_control(cr_urdf* u, const cr_xml_element* control);

#endif
