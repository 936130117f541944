/* <joint>: one joint of the model, none where it is fixed, or the two or three that act like it. */
#include "import/urdf/reader.h"

#include "carom/scene.h"

#include <math.h>
#include <string.h>

#define NO_DRIVE "not used: it is for the programs that drive the robot"

/* Stands for an infinite end of a range whose other end is finite, rad or m. */
#define FAR_AWAY 1e10

/* What a joint's element says, whatever its type. */
typedef struct traits {
  double axis[3];
  double lower, upper;
  bool has_limit;
  double speed; /* m/s or rad/s; inf: not limited */
  double damping, friction;
} traits;

static carom_status read_dynamics(cr_urdf* u, const cr_xml_element* joint, traits* t) {
  const cr_xml_element* dynamics;
  CR_TRY(cr_document_child(&u->document, joint, "dynamics", &dynamics));
  if (!dynamics) return CAROM_OK;
  CR_TRY(cr_document_check_known(&u->document, dynamics, " ", " damping friction "));
  CR_TRY(cr_document_numbers(&u->document, dynamics, "damping", 1, &t->damping));
  CR_TRY(cr_document_numbers(&u->document, dynamics, "friction", 1, &t->friction));
  cr_subject subject = cr_document_subject(&u->document, dynamics);
  CR_TRY(cr_check_not_negative(&subject, "damping", t->damping));
  return cr_check_not_negative(&subject, "friction", t->friction);
}

static carom_status read_limit(cr_urdf* u, const cr_xml_element* joint, traits* t) {
  static const char NO_SPEED[] = "not enforced, but kept: a joint's velocity has no limit here";
  const cr_xml_element* limit;
  double ignored = 0, speed = 0;
  CR_TRY(cr_document_child(&u->document, joint, "limit", &limit));
  if (!limit) return CAROM_OK;
  CR_TRY(cr_document_check_known(&u->document, limit, " ", " lower upper effort velocity "));
  CR_TRY(cr_document_bound(&u->document, limit, "lower", &t->lower));
  CR_TRY(cr_document_bound(&u->document, limit, "upper", &t->upper));
  CR_TRY(cr_document_bound(&u->document, limit, "effort", &ignored));
  CR_TRY(cr_document_bound(&u->document, limit, "velocity", &speed));
  if (speed > 0) t->speed = speed;
  t->has_limit = cr_xml_get(limit, "lower") || cr_xml_get(limit, "upper");
  if (cr_xml_get(limit, "velocity"))
    CR_TRY(cr_document_remark(&u->document, limit, "velocity", NO_SPEED));
  return CAROM_OK;
}

static carom_status read_traits(cr_urdf* u, const cr_xml_element* joint, traits* t) {
  const cr_xml_element *axis, *other;
  *t = (traits){.axis = {1, 0, 0}, .speed = INFINITY};
  CR_TRY(cr_document_check_known(&u->document, joint,
                                 " origin parent child axis limit dynamics mimic safety_controller "
                                 "calibration actuator drake:screw_thread_pitch ",
                                 " name type "));
  CR_TRY(cr_document_child(&u->document, joint, "axis", &axis));
  if (axis) CR_TRY(cr_document_numbers(&u->document, axis, "xyz", 3, t->axis));
  if (axis) CR_TRY(cr_document_check_known(&u->document, axis, " ", " xyz "));
  CR_TRY(cr_document_child(&u->document, joint, "safety_controller", &other));
  if (other) CR_TRY(cr_document_remark(&u->document, other, NULL, NO_DRIVE));
  CR_TRY(cr_document_child(&u->document, joint, "calibration", &other));
  if (other) CR_TRY(cr_document_remark(&u->document, other, NULL, NO_DRIVE " (calibration)"));
  CR_TRY(read_dynamics(u, joint, t));
  return read_limit(u, joint, t);
}

/* The range of a hinge or slide, where the file means one. */
static carom_status set_range(cr_urdf* u, const cr_urdf_joint* joint, const traits* t,
                              carom_joint_def* def) {
  static const char OPEN[] = "not limited: lower is not below upper";
  if (joint->type == CR_URDF_CONTINUOUS || !t->has_limit) return CAROM_OK;
  if (!(t->lower < t->upper)) return cr_document_remark(&u->document, joint->element, NULL, OPEN);
  if (isinf(t->lower) && isinf(t->upper)) return CAROM_OK;
  def->limited = true;
  def->range[0] = fmax(t->lower, -FAR_AWAY);
  def->range[1] = fmin(t->upper, FAR_AWAY);
  return CAROM_OK;
}

static carom_status check_axis(const cr_urdf* u, const cr_xml_element* joint, const double* axis) {
  cr_subject subject = cr_document_subject(&u->document, joint);
  return cr_check_direction(&subject, "axis", axis);
}

/* A definition with what all joints of an element share. */
static carom_joint_def start_def(const cr_urdf* u, const cr_urdf_joint* joint, const traits* t) {
  carom_joint_def def = carom_joint_def_default();
  def.source = (carom_source){joint->element->file, joint->element->line};
  def.body = cr_urdf_link_at(u, joint->child)->body;
  def.damping = t->damping;
  def.friction_loss = t->friction;
  return def;
}

/* Drake's pitch in m per revolution, in the joint or its actuator. */
static carom_status read_pitch(cr_urdf* u, const cr_xml_element* joint, double* pitch) {
  static const char NAME[] = "drake:screw_thread_pitch";
  const cr_xml_element *actuator, *thread;
  CR_TRY(cr_document_child(&u->document, joint, NAME, &thread));
  CR_TRY(cr_document_child(&u->document, joint, "actuator", &actuator));
  if (!thread && actuator) CR_TRY(cr_document_child(&u->document, actuator, NAME, &thread));
  cr_subject subject = cr_document_subject(&u->document, joint);
  if (thread) return cr_document_value(&u->document, thread, pitch);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <%s> is missing", NAME);
}

static carom_status add_single(cr_urdf* u, cr_urdf_joint* joint, const traits* t,
                               carom_joint_type type) {
  carom_joint_def def = start_def(u, joint, t);
  def.name = cr_xml_get(joint->element, "name");
  def.type = type;
  if (type == CAROM_JOINT_HINGE || type == CAROM_JOINT_SLIDE) {
    CR_TRY(check_axis(u, joint->element, t->axis));
    memcpy(def.axis, t->axis, sizeof def.axis);
    def.armature = joint->armature;
    def.speed_limit = t->speed;
    def.stiffness = joint->spring_stiffness;
    def.spring_reference = joint->spring_reference;
    if (joint->type == CR_URDF_SCREW) CR_TRY(read_pitch(u, joint->element, &def.pitch));
    CR_TRY(set_range(u, joint, t, &def));
    return carom_builder_add_joint(u->builder, &def, &joint->joint, u->document.error);
  }
  if (type == CAROM_JOINT_FREE) def.damping = def.friction_loss = 0;
  return carom_builder_add_joint(u->builder, &def, NULL, u->document.error);
}

/* One of several joints that act like one, "NAME.suffix". */
static carom_status add_part(cr_urdf* u, const cr_urdf_joint* joint, const traits* t,
                             const char* suffix, carom_joint_type type, v3 axis) {
  const char* name = cr_xml_get(joint->element, "name");
  size_t size = strlen(name) + strlen(suffix) + 2;
  char* whole = cr_pool_take(&u->document.xml.pool, size);
  if (!whole) return cr_error_memory(u->document.error);
  snprintf(whole, size, "%s.%s", name, suffix);
  carom_joint_def def = start_def(u, joint, t);
  def.name = whole;
  def.type = type;
  v3_store(axis, def.axis);
  return carom_builder_add_joint(u->builder, &def, NULL, u->document.error);
}

/* Two slides and a hinge about the plane's normal. The slides go along x and y, turned the shortest
 * way with z onto the normal. */
static carom_status add_planar(cr_urdf* u, const cr_urdf_joint* joint, const traits* t) {
  CR_TRY(check_axis(u, joint->element, t->axis));
  quat q = quat_turn_z(v3_load(t->axis));
  CR_TRY(add_part(u, joint, t, "x", CAROM_JOINT_SLIDE, quat_rotate(q, v3_make(1, 0, 0))));
  CR_TRY(add_part(u, joint, t, "y", CAROM_JOINT_SLIDE, quat_rotate(q, v3_make(0, 1, 0))));
  return add_part(u, joint, t, "angle", CAROM_JOINT_HINGE, quat_rotate(q, v3_make(0, 0, 1)));
}

/* Hinges about x, then about y of what has turned. */
static carom_status add_universal(cr_urdf* u, const cr_urdf_joint* joint, const traits* t) {
  CR_TRY(add_part(u, joint, t, "x", CAROM_JOINT_HINGE, v3_make(1, 0, 0)));
  return add_part(u, joint, t, "y", CAROM_JOINT_HINGE, v3_make(0, 1, 0));
}

/* Is this a weld of the whole robot to the world that --free-base loosens? */
static bool is_loosened(const cr_urdf* u, const cr_urdf_joint* joint) {
  return u->base == CAROM_BASE_FREE && joint->type == CR_URDF_FIXED &&
         cr_urdf_link_at(u, joint->parent)->body.id == 0;
}

carom_status cr_urdf_add_joint(cr_urdf* u, cr_urdf_joint* joint) {
  static const char STIFF[] = "not used: friction and damping of a free joint are not supported";
  traits t;
  CR_TRY(read_traits(u, joint->element, &t));
  switch (joint->type) {
  case CR_URDF_REVOLUTE:
  case CR_URDF_CONTINUOUS:
  case CR_URDF_SCREW:
    return add_single(u, joint, &t, CAROM_JOINT_HINGE);
  case CR_URDF_PRISMATIC:
    return add_single(u, joint, &t, CAROM_JOINT_SLIDE);
  case CR_URDF_FIXED:
    return is_loosened(u, joint) ? add_single(u, joint, &t, CAROM_JOINT_FREE) : CAROM_OK;
  case CR_URDF_FLOATING:
    if (t.damping > 0 || t.friction > 0)
      CR_TRY(cr_document_refuse(&u->document, joint->element, NULL, STIFF));
    return add_single(u, joint, &t, CAROM_JOINT_FREE);
  case CR_URDF_PLANAR:
    return add_planar(u, joint, &t);
  case CR_URDF_BALL:
    return add_single(u, joint, &t, CAROM_JOINT_BALL);
  case CR_URDF_UNIVERSAL:
    return add_universal(u, joint, &t);
  }
  return CAROM_OK;
}

carom_status cr_urdf_add_base(cr_urdf* u, const cr_urdf_link* root) {
  if (u->base == CAROM_BASE_FIXED || u->holds_root) return CAROM_OK;
  carom_joint_def def = carom_joint_def_default();
  def.source = (carom_source){root->element->file, root->element->line};
  def.body = root->body;
  def.type = CAROM_JOINT_FREE;
  return carom_builder_add_joint(u->builder, &def, NULL, u->document.error);
}
