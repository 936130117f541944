/* What goes beyond the tree: mimic joints, actuators of transmissions. */
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>

/* ---- Mimic: q = multiplier q_other + offset, a coupler. */

static carom_status add_mimic(cr_urdf* u, const cr_urdf_joint* joint, const cr_xml_element* mimic) {
  static const char FIXED[] = "not used: a fixed joint follows nothing";
  static const char MANY[] = "joints of several degrees of freedom cannot mimic or be mimicked";
  const char* name;
  int other;
  double multiplier = 1, offset = 0;
  CR_TRY(cr_document_require(&u->document, mimic, "joint", &name));
  CR_TRY(cr_urdf_resolve(u, mimic, "joint", name, CR_URDF_NAME_JOINT, &other));
  CR_TRY(cr_document_numbers(&u->document, mimic, "multiplier", 1, &multiplier));
  CR_TRY(cr_document_numbers(&u->document, mimic, "offset", 1, &offset));
  CR_TRY(cr_document_check_known(&u->document, mimic, " ", " joint multiplier offset "));
  const cr_urdf_joint* lead = cr_urdf_joint_at(u, other);
  if (joint->type == CR_URDF_FIXED) return cr_document_remark(&u->document, mimic, NULL, FIXED);
  bool is_held = lead->type == CR_URDF_FIXED;
  if (!joint->joint.id || (!lead->joint.id && !is_held))
    return cr_document_refuse(&u->document, mimic, NULL, MANY);
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){mimic->file, mimic->line};
  def.type = CAROM_EQUALITY_JOINT;
  def.joint1 = joint->joint;
  def.joint2 = lead->joint;
  def.polynomial[0] = offset;
  def.polynomial[1] = is_held ? 0 : multiplier;
  return carom_builder_add_equality(u->builder, &def, NULL, u->document.error);
}

carom_status cr_urdf_add_mimics(cr_urdf* u) {
  for (int i = 0; i < u->joints.count; i++) {
    const cr_urdf_joint* joint = cr_urdf_joint_at(u, i);
    const cr_xml_element* mimic;
    CR_TRY(cr_document_child(&u->document, joint->element, "mimic", &mimic));
    if (mimic) CR_TRY(add_mimic(u, joint, mimic));
  }
  return CAROM_OK;
}

/* ---- Transmissions: a motor with the joint's force as its control, and the rotor's inertia. */

/* The joint that a transmission drives; -1, with a remark, where it is not a simple one. */
static carom_status find_joint(cr_urdf* u, const cr_xml_element* transmission, int* joint) {
  static const char COMPLEX[] = "not used: only simple transmissions of one joint are";
  static const char NO_JOINT[] = "not used: it names no joint of the robot";
  const cr_xml_element *element = NULL, *type;
  int num_joints = 0;
  *joint = -1;
  for (const cr_xml_element* e = transmission->first_child; e; e = e->next)
    if (strcmp(e->name, "joint") == 0 && num_joints++ == 0) element = e;
  CR_TRY(cr_document_child(&u->document, transmission, "type", &type));
  const char* kind = cr_xml_get(transmission, "type");
  if (type && type->text) kind = type->text;
  if (num_joints > 1 || !kind || !strstr(kind, "SimpleTransmission"))
    return cr_document_remark(&u->document, transmission, NULL, COMPLEX);
  const char* name = element ? cr_xml_get(element, "name") : NULL;
  if (name) *joint = cr_name_find(&u->names, &u->text, CR_URDF_NAME_JOINT, name);
  return *joint < 0 ? cr_document_remark(&u->document, transmission, NULL, NO_JOINT) : CAROM_OK;
}

/* Whether something commands a joint of <ros2_control>. */
static bool is_commanded(const cr_xml_element* joint) {
  for (const cr_xml_element* e = joint->first_child; e; e = e->next)
    if (strcmp(e->name, "command_interface") == 0) return true;
  return false;
}

/* Joints that ros2_control commands have a motor, whatever the command stands for. */
carom_status cr_urdf_read_control(cr_urdf* u, const cr_xml_element* control) {
  static const char FORCE[] = "read as a motor whose control is the joint's force";
  for (const cr_xml_element* e = control->first_child; e; e = e->next) {
    const char* name = cr_xml_get(e, "name");
    if (strcmp(e->name, "joint") != 0 || !name || !is_commanded(e)) continue;
    int index = cr_name_find(&u->names, &u->text, CR_URDF_NAME_JOINT, name);
    cr_urdf_joint* joint = index >= 0 ? cr_urdf_joint_at(u, index) : NULL;
    if (!joint || joint->transmission) continue;
    joint->transmission = e;
    CR_TRY(cr_document_remark(&u->document, e, NULL, FORCE));
  }
  return CAROM_OK;
}

/* Drake's inertia of the rotor times the square of the gear's ratio. */
carom_status cr_urdf_read_transmission(cr_urdf* u, const cr_xml_element* transmission) {
  static const char SECOND[] = "not used: another one drives its joint";
  const cr_xml_element *actuator, *inertia, *ratio;
  double rotor = 0, gear = 1;
  int index;
  CR_TRY(find_joint(u, transmission, &index));
  if (index < 0) return CAROM_OK;
  CR_TRY(cr_document_child(&u->document, transmission, "actuator", &actuator));
  cr_urdf_joint* joint = cr_urdf_joint_at(u, index);
  if (joint->transmission) return cr_document_remark(&u->document, transmission, NULL, SECOND);
  joint->transmission = transmission;
  if (!actuator) return CAROM_OK;
  CR_TRY(cr_document_child(&u->document, actuator, "drake:rotor_inertia", &inertia));
  CR_TRY(cr_document_child(&u->document, actuator, "drake:gear_ratio", &ratio));
  if (inertia) CR_TRY(cr_document_value(&u->document, inertia, &rotor));
  if (ratio) CR_TRY(cr_document_value(&u->document, ratio, &gear));
  double armature = rotor * gear * gear;
  cr_subject subject = cr_document_subject(&u->document, actuator);
  CR_TRY(cr_check_finite(&subject, "armature", &armature, 1));
  joint->armature = armature;
  return cr_check_not_negative(&subject, "drake:rotor_inertia", rotor);
}

/* The largest force of a joint; infinite where its limit gives none. */
static carom_status read_effort(cr_urdf* u, const cr_urdf_joint* joint, double* effort) {
  static const char NONE[] = "not limited: effort is not positive";
  const cr_xml_element* limit;
  *effort = INFINITY;
  CR_TRY(cr_document_child(&u->document, joint->element, "limit", &limit));
  if (!limit) return CAROM_OK;
  CR_TRY(cr_document_bound(&u->document, limit, "effort", effort));
  if (*effort > 0) return CAROM_OK;
  *effort = INFINITY;
  return cr_document_remark(&u->document, limit, "effort", NONE);
}

static const char* free_name(const cr_urdf* u, const char* name) {
  const carom_builder* b = u->builder;
  bool is_free = name && cr_name_find(&b->names, &b->text, CR_PART_ACTUATOR, name) < 0;
  return is_free ? name : NULL;
}

/* Named after the actuator, else after the joint. */
static carom_status add_actuator(cr_urdf* u, const cr_urdf_joint* joint) {
  const cr_xml_element* actuator;
  const char* name = NULL;
  double effort;
  CR_TRY(cr_document_child(&u->document, joint->transmission, "actuator", &actuator));
  if (actuator) name = free_name(u, cr_xml_get(actuator, "name"));
  CR_TRY(read_effort(u, joint, &effort));
  carom_actuator_def def = carom_actuator_def_default();
  def.source = (carom_source){joint->transmission->file, joint->transmission->line};
  def.name = name ? name : free_name(u, cr_xml_get(joint->element, "name"));
  def.joint = joint->joint;
  def.force_limited = isfinite(effort);
  if (def.force_limited) def.force_range[0] = -effort, def.force_range[1] = effort;
  return carom_builder_add_actuator(u->builder, &def, NULL, u->document.error);
}

carom_status cr_urdf_add_actuators(cr_urdf* u) {
  static const char STILL[] = "not used: its joint is not one that a motor could drive";
  for (int i = 0; i < u->joints.count; i++) {
    const cr_urdf_joint* joint = cr_urdf_joint_at(u, i);
    if (!joint->transmission) continue;
    if (joint->joint.id)
      CR_TRY(add_actuator(u, joint));
    else
      CR_TRY(cr_document_remark(&u->document, joint->transmission, NULL, STILL));
  }
  return CAROM_OK;
}
