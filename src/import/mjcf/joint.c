/* <joint> and <freejoint>. */
#include "import/mjcf/body.h"
#include "import/mjcf/layout.h"

#include <math.h>
#include <string.h>

static const char* const TYPES[] = {"free", "ball", "slide", "hinge", NULL}; /* carom_joint_type */
static const char* const LIMITED[] = {"false", "true", "auto", NULL};

#define RIGID_LIMIT                                                                              \
  "limits are rigid, or have the stiffness that carom:limit_stiffness gives; joint friction is " \
  "rigid"
#define FOR_TOOLS "it is for the programs of the file's author"

const cr_attribute cr_mjcf_joint_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_WORD("type", cr_mjcf_joint, type, TYPES),
    CR_NUMBERS("pos", cr_mjcf_joint, pos, 3, 3),
    CR_NUMBERS("axis", cr_mjcf_joint, axis, 3, 3),
    CR_WORD("limited", cr_mjcf_joint, limited, LIMITED),
    CR_NUMBERS("range", cr_mjcf_joint, range, 2, 2),
    CR_NUMBER("margin", cr_mjcf_joint, margin, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("stiffness", cr_mjcf_joint, stiffness, 1, 3),
    CR_NUMBERS("damping", cr_mjcf_joint, damping, 1, 3),
    CR_NUMBER("springref", cr_mjcf_joint, springref, CR_RULE_ANY),
    CR_NUMBER("armature", cr_mjcf_joint, armature, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("frictionloss", cr_mjcf_joint, frictionloss, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("ref", cr_mjcf_joint, ref, CR_RULE_ANY),
    CR_NUMBER("carom:pitch", cr_mjcf_joint, pitch, CR_RULE_ANY),
    CR_NUMBER("carom:limit_stiffness", cr_mjcf_joint, limit_stiffness, CR_RULE_STIFFNESS),
    CR_NUMBER("carom:limit_dissipation", cr_mjcf_joint, limit_dissipation, CR_RULE_NOT_NEGATIVE),
    CR_NOTED("solreflimit", RIGID_LIMIT),
    CR_NOTED("solimplimit", RIGID_LIMIT),
    CR_NOTED("solreffriction", RIGID_LIMIT),
    CR_NOTED("solimpfriction", RIGID_LIMIT),
    CR_NOTED("group", "it is for drawing"),
    CR_NOTED("user", FOR_TOOLS),
    CR_WORD("actuatorfrclimited", cr_mjcf_joint, actuatorfrclimited, LIMITED),
    CR_NUMBERS("actuatorfrcrange", cr_mjcf_joint, actuatorfrcrange, 2, 2),
    CR_FIELD("actuatorgravcomp", CR_ATTRIBUTE_FLAG, cr_mjcf_joint, actuatorgravcomp),
    CR_NUMBERS("springdamper", cr_mjcf_joint, springdamper, 2, 2),
    CR_REFUSED("springyield", "0", "springs do not yield here, give a frictionloss"),
    CR_END,
};

carom_status cr_mjcf_is_limited(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                int limited, const cr_numbers* range, bool* is_limited) {
  static const char EMPTY[] = "its first number is the larger one, so it limits nothing";
  bool is_open = range->x[0] < range->x[1], is_auto = limited == CR_MJCF_LIMITED_AUTO;
  if (is_auto && range->x[0] > range->x[1])
    CR_TRY(cr_mjcf_remark_on(m, element, "range", EMPTY, EMPTY));
  *is_limited = limited == CR_MJCF_LIMITED_TRUE || (is_auto && is_open);
  bool says_something = range->x[0] != 0 || range->x[1] != 0;
  if (m->compiler.autolimits || !is_auto || !says_something) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "%srange is %.9g %.9g, but autolimits is off and %slimited is not given",
                         name, range->x[0], range->x[1], name);
}

carom_status cr_mjcf_read_powers(cr_mjcf* m, const cr_xml_element* element, const char* name,
                                 const cr_numbers* given, double* value, double more[2]) {
  cr_subject subject = cr_mjcf_subject(m, element);
  CR_TRY(cr_check_not_negative(&subject, name, given->x[0]));
  *value = given->x[0];
  more[0] = given->x[1], more[1] = given->x[2];
  return CAROM_OK;
}

static carom_status set_limit(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_joint* joint,
                              carom_joint_def* def) {
  bool is_angle = def->type != CAROM_JOINT_SLIDE;
  if (def->type != CAROM_JOINT_FREE)
    CR_TRY(cr_mjcf_is_limited(m, element, "", joint->limited, &joint->range, &def->limited));
  cr_subject subject = cr_mjcf_subject(m, element);
  if (def->limited && def->type != CAROM_JOINT_BALL)
    CR_TRY(cr_check_range(&subject, "range", joint->range.x));
  for (int i = 0; i < 2; i++)
    def->range[i] = is_angle ? cr_mjcf_angle(m, joint->range.x[i]) : joint->range.x[i];
  def->limit_margin = joint->margin;
  def->limit_stiffness = joint->limit_stiffness;
  def->limit_dissipation = joint->limit_dissipation;
  cr_mjcf_apply_compliance(m, CR_PART_JOINT, def->name, &def->limit_stiffness,
                           &def->limit_dissipation);
  if (m->option.no_limit || m->option.no_constraint) def->limited = false;
  return CAROM_OK;
}

/* Counts where both its numbers are positive, in place of stiffness and damping. */
static carom_status set_spring_damper(cr_mjcf* m, const cr_xml_element* element,
                                      const cr_mjcf_joint* joint, carom_joint_def* def) {
  static const char KIND[] = "only supported with springs and dampers enabled";
  const double* given = joint->springdamper.x;
  if (!(given[0] > 0 && given[1] > 0)) return CAROM_OK;
  if (m->option.no_spring || m->option.no_damper)
    return cr_mjcf_refuse(m, element, "springdamper", KIND, KIND);
  memcpy(def->spring_damper, given, sizeof def->spring_damper);
  return CAROM_OK;
}

static carom_status set_forces(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_joint* joint, carom_joint_def* def) {
  bool is_angle = def->type == CAROM_JOINT_HINGE;
  CR_TRY(cr_mjcf_read_powers(m, element, "stiffness", &joint->stiffness, &def->stiffness,
                             def->stiffness_more));
  CR_TRY(cr_mjcf_read_powers(m, element, "damping", &joint->damping, &def->damping,
                             def->damping_more));
  def->reference = is_angle ? cr_mjcf_angle(m, joint->ref) : joint->ref;
  def->spring_reference = is_angle ? cr_mjcf_angle(m, joint->springref) : joint->springref;
  def->armature = joint->armature;
  def->friction_loss = joint->frictionloss;
  CR_TRY(set_spring_damper(m, element, joint, def));
  if (m->option.no_spring) def->stiffness = def->stiffness_more[0] = def->stiffness_more[1] = 0;
  if (m->option.no_damper) def->damping = def->damping_more[0] = def->damping_more[1] = 0;
  if (m->option.no_frictionloss || m->option.no_constraint) def->friction_loss = 0;
  return CAROM_OK;
}

/* A joint needs a body that is not the world. */
static carom_status check_place(const cr_mjcf* m, const cr_xml_element* element,
                                const cr_mjcf_place* place) {
  if (place->body.id > 0) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the world has no joints");
}

/* What the joint says about the forces of its actuators. */
static carom_status set_drive(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_joint* joint,
                              carom_joint_def* def) {
  static const char TEXT[] = "only hinges and slides bound the forces of their actuators";
  CR_TRY(cr_mjcf_is_limited(m, element, "actuatorfrc", joint->actuatorfrclimited,
                            &joint->actuatorfrcrange, &def->drive_limited));
  def->drive_bears_weight = joint->actuatorgravcomp;
  if (!def->drive_limited) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  memcpy(def->drive_range, joint->actuatorfrcrange.x, sizeof def->drive_range);
  CR_TRY(cr_check_range(&subject, "actuatorfrcrange", def->drive_range));
  if (def->type == CAROM_JOINT_HINGE || def->type == CAROM_JOINT_SLIDE) return CAROM_OK;
  def->drive_limited = false;
  return cr_mjcf_remark_on(m, element, "actuatorfrcrange", TEXT, TEXT);
}

static carom_status add_joint(cr_mjcf* m, const cr_xml_element* element,
                              const carom_joint_def* def) {
  CR_TRY(carom_builder_add_joint(m->builder, def, NULL, m->error));
  cr_mjcf_fill_slot(m, element, m->builder->joints.count - 1);
  return CAROM_OK;
}

carom_status cr_mjcf_read_joint(cr_mjcf* m, const cr_xml_element* element,
                                const cr_mjcf_place* place) {
  const cr_mjcf_class* class;
  CR_TRY(check_place(m, element, place));
  CR_TRY(cr_mjcf_class_of(m, element, place->class, &class));
  cr_mjcf_joint joint = class->joint;
  CR_TRY(cr_mjcf_read_attributes(m, element, cr_mjcf_joint_table, &joint));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  carom_joint_def def = carom_joint_def_default();
  CR_TRY(cr_mjcf_name(m, element, place, &def.name));
  def.source = cr_mjcf_source(element);
  def.body = place->body;
  def.type = (carom_joint_type)joint.type;
  def.pitch = joint.pitch;
  double turn[4] = {1, 0, 0, 0};
  memcpy(def.anchor, joint.pos.x, sizeof def.anchor);
  cr_mjcf_into_body(place, def.anchor, turn);
  v3_store(quat_rotate(place->q, v3_load(joint.axis.x)), def.axis);
  CR_TRY(set_forces(m, element, &joint, &def));
  CR_TRY(set_limit(m, element, &joint, &def));
  CR_TRY(set_drive(m, element, &joint, &def));
  if (def.type == CAROM_JOINT_FREE) CR_TRY(cr_mjcf_align(m, place, CR_MJCF_ALIGN_AUTO));
  return add_joint(m, element, &def);
}

typedef struct cr_mjcf_freejoint {
  int align;
} cr_mjcf_freejoint;

static const cr_attribute FREEJOINT[] = {
    CR_ELSEWHERE("name"),
    CR_NOTED("group", "it is for drawing"),
    CR_WORD("align", cr_mjcf_freejoint, align, LIMITED),
    CR_END,
};

carom_status cr_mjcf_read_freejoint(cr_mjcf* m, const cr_xml_element* element,
                                    const cr_mjcf_place* place) {
  CR_TRY(check_place(m, element, place));
  cr_mjcf_freejoint joint = {CR_MJCF_ALIGN_AUTO};
  CR_TRY(cr_mjcf_read_attributes(m, element, FREEJOINT, &joint));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  carom_joint_def def = carom_joint_def_default();
  CR_TRY(cr_mjcf_name(m, element, place, &def.name));
  def.source = cr_mjcf_source(element);
  def.body = place->body;
  def.type = CAROM_JOINT_FREE;
  CR_TRY(cr_mjcf_align(m, place, joint.align));
  return add_joint(m, element, &def);
}
