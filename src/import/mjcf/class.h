/* The elements that classes give defaults for, as read from the file: class first, then element. */
#ifndef CR_IMPORT_MJCF_CLASS_H
#define CR_IMPORT_MJCF_CLASS_H

#include "import/mjcf/reader.h"

/* Kinds of limits: what `limited` says. */
enum { CR_MJCF_LIMITED_FALSE, CR_MJCF_LIMITED_TRUE, CR_MJCF_LIMITED_AUTO };

typedef struct cr_mjcf_geom {
  int type;
  cr_numbers size, pos, fromto, friction, rgba;
  cr_orientation orientation;
  double mass, density; /* mass: NaN where not given */
  uint32_t contype, conaffinity;
  int condim, priority, group, fluidshape; /* 0: none, 1: ellipsoid */
  cr_numbers fluidcoef, surfacevel;
  bool shellinertia;
  double margin, gap, stiffness, dissipation, modulus, layer, fitscale;
  carom_surface surface; /* torsional and rolling friction stand in `friction` */
  const char *material, *mesh, *hfield;
} cr_mjcf_geom;

typedef struct cr_mjcf_joint {
  int type, limited;
  int actuatorfrclimited;
  cr_numbers pos, axis, range, stiffness, damping, springdamper, actuatorfrcrange;
  double springref, armature, frictionloss, ref, margin, pitch;
  double limit_stiffness, limit_dissipation;
  bool actuatorgravcomp;
} cr_mjcf_joint;

typedef struct cr_mjcf_pair {
  const char *geom1, *geom2;
  int condim;
  cr_numbers friction;
  double margin, gap, stiffness, dissipation;
  carom_surface surface; /* likewise */
} cr_mjcf_pair;

typedef struct cr_mjcf_tendon {
  int limited;
  cr_numbers range, stiffness, damping, springlength;
  double margin, frictionloss, limit_stiffness, limit_dissipation, armature;
  int actuatorfrclimited;
  cr_numbers actuatorfrcrange;
} cr_mjcf_tendon;

typedef struct cr_mjcf_equality {
  bool active;
  const char *body1, *body2, *joint1, *joint2, *tendon1, *tendon2, *site[2];
  cr_numbers anchor, anchor2, relpose, polycoef;
  double distance; /* m; 0: not given */
  double stiffness, dissipation;
} cr_mjcf_equality;

/* The inertia of meshes that say nothing, in the list of words. */
#define CR_MJCF_MESH_LEGACY 2

typedef struct cr_mjcf_mesh {
  const char *file, *name;
  cr_numbers scale, refpos, refquat;
  int inertia, builtin; /* one of cr_mjcf_builtin_names */
  cr_numbers params;    /* of what is built in */
  bool convex;          /* collides as its hull */
  const cr_xml_element* element;
  carom_mesh handle, sheet, drawn; /* of the builder: what collides, what is flat and only weighs,
                                      what is only drawn; 0: not there */
  bool cannot_be_drawn;            /* a note says why */
} cr_mjcf_mesh;

/* A height field; it has no defaults. */
typedef struct cr_mjcf_hfield {
  const char *file, *name;
  int num_rows, num_columns;
  cr_numbers size;
  const cr_xml_element* element;
  carom_height_field handle; /* of the builder; 0: not there yet */
} cr_mjcf_hfield;

/* The law of an actuator, in the types of actuator.h. */
typedef struct cr_mjcf_law {
  int dyntype, gaintype, biastype; /* 0: none, fixed, none */
  cr_numbers dynprm, gainprm, biasprm;
  bool stepwise;                /* it is that of a plugin, which integrates by steps */
  const char* input;            /* what its controls are; null: as the law has it */
  cr_numbers velrange, ffrange; /* of those of velocity and force */
  double inheritrange;          /* 0: not given */
} cr_mjcf_law;

/* What a law says before anything is given. */
cr_mjcf_law cr_mjcf_law_default(void);

typedef struct cr_mjcf_actuator {
  const char *joint, *jointinparent, *tendon, *site, *refsite, *slidersite, *cranksite, *body;
  int ctrllimited, forcelimited, actlimited, group, actdim;
  bool actearly;
  double cranklength;
  cr_numbers ctrlrange, forcerange, actrange, lengthrange, gear;
  cr_mjcf_law law; /* of the element; of a class that of its last default, of whatever kind */
  const char*
      kind; /* of that default: elements of other kinds do not start from it; null: general */
  /* Of the short forms, while they are read; NaN: not given. */
  double kp, gain, kv, dampratio, area, diameter, tausmooth, muscle[9];
  cr_numbers timeconst, bias, muscle_range;
  const char *plugin, *instance; /* of <plugin> */
  bool is_filtered;              /* a plugin's control goes through a filter first */
  double armature;               /* gear² of it and of the damping counts at what it works on */
  double ki, imax, slewmax, resistance;
  cr_numbers posrange, motorconst, nominal, saturation, inductance, cogging, thermal, lugre;
  cr_numbers controller, damping;
} cr_mjcf_actuator;

/* A default class: what its elements start from. */
typedef struct cr_mjcf_class {
  cr_mjcf_geom geom;
  cr_mjcf_geom site; /* of it, shape, place and colour */
  cr_mjcf_joint joint;
  cr_mjcf_pair pair;
  cr_mjcf_equality equality;
  cr_mjcf_tendon tendon;
  cr_mjcf_actuator actuator;
  cr_numbers material; /* rgba */
  cr_mjcf_mesh mesh;
} cr_mjcf_class;

/* The values of the class "main" before the file says anything. */
void cr_mjcf_class_init(cr_mjcf_class* class);

/* Fails when there are too many to make one more; a class weighs more than the text that makes it.
 */
carom_status cr_mjcf_check_classes(const cr_mjcf* m, const cr_xml_element* element);

/* The index of a class that an attribute names; -1 with the error set. */
carom_status cr_mjcf_find_class(const cr_mjcf* m, const cr_xml_element* element,
                                const char* attribute, const char* name, int* index);

/* The class of an element: its own attribute, or `inherited`. */
carom_status cr_mjcf_class_of(const cr_mjcf* m, const cr_xml_element* element, int inherited,
                              const cr_mjcf_class** class);

/* The attributes of each kind of element. */
extern const cr_attribute cr_mjcf_geom_table[], cr_mjcf_joint_table[], cr_mjcf_pair_table[];
extern const cr_attribute cr_mjcf_equality_table[], cr_mjcf_material_table[];
extern const cr_attribute cr_mjcf_tendon_table[];
extern const cr_attribute cr_mjcf_mesh_table[];
extern const cr_attribute cr_mjcf_site_table[];

/* True for the elements of the actuator section that are actuators. */
bool cr_mjcf_is_actuator(const char* name);

/* Reads an actuator's attributes, with what its kind of element implies, over `actuator`. Kinds
 * that are not supported leave it as it is. */
carom_status cr_mjcf_read_actuator_values(cr_mjcf* m, const cr_xml_element* element,
                                          bool is_default, cr_mjcf_actuator* actuator);

/* The unit quaternion of an orientation, in the compiler's angles. */
quat cr_mjcf_quaternion(const cr_mjcf* m, const cr_orientation* orientation);

/* Whether a range holds, and an error where the file leaves that open (autolimits off).
 * @param name what stands before "range" and "limited" in the attributes' names
 * @param limited one of CR_MJCF_LIMITED_… */
carom_status cr_mjcf_is_limited(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                int limited, const cr_numbers* range, bool* is_limited);

/* A spring or damper: the factor of the first power, and those of the second and third. */
carom_status cr_mjcf_read_powers(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                 const cr_numbers* given, double* value, double more[2]);

/* An angle of the file in radians. */
double cr_mjcf_angle(const cr_mjcf* m, double angle);

/* What <custom> says about the compliance of a named part (a cr_part, or CR_MJCF_PART_PAIR):
 * replaces the values where it says anything. */
void cr_mjcf_apply_compliance(cr_mjcf* m, int part, const char* name, double* stiffness,
                              double* dissipation);
void cr_mjcf_apply_surface(cr_mjcf* m, int part, const char* name, carom_surface* surface);
#define CR_MJCF_PART_PAIR CR_NUM_PARTS

#endif
