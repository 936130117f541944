/* What goes beyond the tree: joints that close loops, that follow others, and links that do not
 * collide. */
#include "import/sdf/reader.h"
#include "import/stand.h"

#include <math.h>
#include <string.h>

/* ---- Loops */

/* Holds the point of the child at `world` on the parent. */
static carom_status add_connect(cr_sdf* s, const cr_sdf_joint* joint, v3 world) {
  const cr_sdf_link* child = cr_sdf_link_at(s, joint->child);
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){joint->element->file, joint->element->line};
  def.type = CAROM_EQUALITY_CONNECT;
  def.body1 = child->body;
  v3_store(pose_inverse_point(&cr_sdf_frame_at(s, child->frame)->world, world), def.anchor1);
  if (joint->parent >= 0) def.body2 = cr_sdf_link_at(s, joint->parent)->body;
  return carom_builder_add_equality(s->builder, &def, NULL, s->document.error);
}

static carom_status add_weld(cr_sdf* s, const cr_sdf_joint* joint) {
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){joint->element->file, joint->element->line};
  def.type = CAROM_EQUALITY_WELD;
  def.body1 = cr_sdf_link_at(s, joint->child)->body;
  if (joint->parent >= 0) def.body2 = cr_sdf_link_at(s, joint->parent)->body;
  return carom_builder_add_equality(s->builder, &def, NULL, s->document.error);
}

/* The direction of an axis; what else it says is noted. */
static carom_status read_axis(cr_sdf* s, const cr_sdf_joint* joint, const char* name,
                              v3* direction) {
  static const char REST[] = "not used: a joint that closes a loop has no spring, loss or limit";
  const cr_xml_element* axis;
  CR_TRY(cr_document_child(&s->document, joint->element, name, &axis));
  if (axis && axis->first_child != axis->last_child)
    CR_TRY(cr_document_remark(&s->document, axis, NULL, REST));
  CR_TRY(cr_sdf_direction(s, joint, axis, direction));
  *direction = v3_normalize_or(*direction, v3_make(0, 0, 1));
  return CAROM_OK;
}

/* Along the axis two points a metre apart. */
static carom_status close_hinge(cr_sdf* s, const cr_sdf_joint* joint, v3 anchor) {
  v3 direction;
  CR_TRY(read_axis(s, joint, "axis", &direction));
  CR_TRY(add_connect(s, joint, anchor));
  return add_connect(s, joint, v3_add(anchor, direction));
}

/* A point held, and the angle between the first axis, which turns with the parent, and the second,
 * which turns with the child: by the distance of the points a metre out on each. */
static carom_status close_universal(cr_sdf* s, const cr_sdf_joint* joint, v3 anchor) {
  static const char ONE[] = "axis and axis2 are the same direction, left out";
  const cr_sdf_link* child = cr_sdf_link_at(s, joint->child);
  v3 axis[2];
  CR_TRY(read_axis(s, joint, "axis", &axis[joint->is_reversed]));
  CR_TRY(read_axis(s, joint, "axis2", &axis[!joint->is_reversed]));
  if (cr_sdf_are_parallel(axis[0], axis[1]))
    return cr_document_refuse(&s->document, joint->element, NULL, ONE);
  CR_TRY(add_connect(s, joint, anchor));
  v3 on_parent = v3_add(anchor, axis[0]), on_child = v3_add(anchor, axis[1]);
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){joint->element->file, joint->element->line};
  def.type = CAROM_EQUALITY_DISTANCE;
  def.body1 = child->body;
  v3_store(pose_inverse_point(&cr_sdf_frame_at(s, child->frame)->world, on_child), def.anchor1);
  v3_store(on_parent, def.anchor2);
  if (joint->parent >= 0) {
    const cr_sdf_link* parent = cr_sdf_link_at(s, joint->parent);
    def.body2 = parent->body;
    v3_store(pose_inverse_point(&cr_sdf_frame_at(s, parent->frame)->world, on_parent), def.anchor2);
  }
  return carom_builder_add_equality(s->builder, &def, NULL, s->document.error);
}

/* Two halves of the child, one on the joint, which a weld holds together: the joint is then one of
 * the tree, with its limits, springs and motor. */
static carom_status close_by_halves(cr_sdf* s, cr_sdf_joint* joint) {
  static const char HALVES[] = "its child is read as two halves, held together by a weld";
  CR_TRY(cr_sdf_split_link(s, joint));
  if (!joint->half.id) return CAROM_OK;
  CR_TRY(cr_sdf_add_joint(s, joint));
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){joint->element->file, joint->element->line};
  def.type = CAROM_EQUALITY_WELD;
  def.body1 = cr_sdf_link_at(s, joint->child)->body;
  def.body2 = joint->half;
  CR_TRY(carom_builder_add_equality(s->builder, &def, NULL, s->document.error));
  return cr_document_remark(&s->document, joint->element, NULL, HALVES);
}

/* Whether fixed joints make one rigid body of a joint's links. */
static bool is_within_body(const cr_sdf* s, const cr_sdf_joint* joint) {
  int parent = joint->parent >= 0 ? cr_sdf_link_at(s, joint->parent)->body.id : 0;
  int child = cr_sdf_link_at(s, joint->child)->body.id;
  return cr_stand_link(s->builder, child) == cr_stand_link(s->builder, parent);
}

static carom_status close_loop(cr_sdf* s, cr_sdf_joint* joint) {
  static const char KIND[] = "joints of this kind cannot close loops, left out";
  static const char IDLE[] = "not used: what it joins is one rigid body";
  if (is_within_body(s, joint)) return cr_document_remark(&s->document, joint->element, NULL, IDLE);
  v3 anchor = cr_sdf_frame_at(s, joint->frame)->world.p;
  switch (joint->type) {
  case CR_SDF_FIXED:
    return add_weld(s, joint);
  case CR_SDF_BALL:
    return add_connect(s, joint, anchor);
  case CR_SDF_REVOLUTE:
  case CR_SDF_CONTINUOUS:
    return close_hinge(s, joint, anchor);
  case CR_SDF_UNIVERSAL:
  case CR_SDF_REVOLUTE2:
    return close_universal(s, joint, anchor);
  case CR_SDF_PRISMATIC:
  case CR_SDF_SCREW:
  case CR_SDF_PLANAR:
    return close_by_halves(s, joint);
  default:
    return cr_document_refuse(&s->document, joint->element, NULL, KIND);
  }
}

/* Whether a link hangs on the world by joints of type fixed only. */
static bool is_on_world(const cr_sdf* s, const cr_sdf_link* link) {
  while (link->parent >= 0) {
    const cr_sdf_joint* joint = cr_sdf_joint_at(s, link->parent);
    if (joint->type != CR_SDF_FIXED) return false;
    if (joint->parent < 0) return s->base != CAROM_BASE_FREE;
    link = cr_sdf_link_at(s, joint->parent);
  }
  return cr_sdf_scope_at(s, link->scope)->is_static || link->stands || s->base == CAROM_BASE_FIXED;
}

/* Holds a kinematic link where it is, what hangs on it and what it hangs on move about it. */
static carom_status hold(cr_sdf* s, const cr_sdf_link* link) {
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){link->element->file, link->element->line};
  def.type = CAROM_EQUALITY_WELD;
  def.body1 = link->body;
  return carom_builder_add_equality(s->builder, &def, NULL, s->document.error);
}

/* ---- Joints that follow others: q = multiplier (q_lead - reference) + offset */

typedef struct follow {
  const cr_xml_element* element;
  int lead; /* joint */
  double multiplier, offset, reference;
} follow;

static carom_status add_follow(cr_sdf* s, const cr_sdf_joint* joint, const follow* f) {
  static const char MANY[] = "joints of several degrees of freedom, or none, cannot be coupled";
  const cr_sdf_joint* lead = cr_sdf_joint_at(s, f->lead);
  if (joint->is_idle) return CAROM_OK;
  if (!joint->part.id || !lead->part.id)
    return cr_document_refuse(&s->document, f->element, NULL, MANY);
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){f->element->file, f->element->line};
  def.type = CAROM_EQUALITY_JOINT;
  def.joint1 = joint->part;
  def.joint2 = lead->part;
  def.polynomial[0] = f->offset - f->multiplier * f->reference;
  def.polynomial[1] = f->multiplier;
  return carom_builder_add_equality(s->builder, &def, NULL, s->document.error);
}

static carom_status find_joint(cr_sdf* s, int scope, const cr_xml_element* element, int* joint) {
  const char* name;
  int frame;
  CR_TRY(cr_document_require(&s->document, element, "joint", &name));
  CR_TRY(cr_sdf_resolve(s, scope, element, "joint", name, &frame));
  const cr_sdf_frame* f = cr_sdf_frame_at(s, frame);
  cr_subject subject = cr_document_subject(&s->document, element);
  if (f->kind != CR_SDF_JOINT)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "joint is '%.60s', which is no joint",
                           name);
  *joint = f->item;
  return CAROM_OK;
}

/* The format's own, within the axis. */
static carom_status add_mimic(cr_sdf* s, const cr_sdf_joint* joint) {
  const cr_xml_element *axis, *mimic = NULL;
  follow f = {.multiplier = 1};
  CR_TRY(cr_document_child(&s->document, joint->element, "axis", &axis));
  if (axis) CR_TRY(cr_document_child(&s->document, axis, "mimic", &mimic));
  if (!mimic) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, mimic, " multiplier offset reference ",
                                 " joint axis "));
  f.element = mimic;
  CR_TRY(find_joint(s, joint->scope, mimic, &f.lead));
  CR_TRY(cr_sdf_numbers(s, mimic, "multiplier", 1, &f.multiplier));
  CR_TRY(cr_sdf_numbers(s, mimic, "offset", 1, &f.offset));
  CR_TRY(cr_sdf_numbers(s, mimic, "reference", 1, &f.reference));
  return add_follow(s, joint, &f);
}

/* Drake's, within the joint. */
static carom_status add_drakes_mimic(cr_sdf* s, const cr_sdf_joint* joint) {
  const cr_xml_element* mimic;
  follow f = {.multiplier = 1};
  CR_TRY(cr_document_child(&s->document, joint->element, "drake:mimic", &mimic));
  if (!mimic) return CAROM_OK;
  f.element = mimic;
  CR_TRY(find_joint(s, joint->scope, mimic, &f.lead));
  CR_TRY(cr_document_numbers(&s->document, mimic, "multiplier", 1, &f.multiplier));
  CR_TRY(cr_document_numbers(&s->document, mimic, "offset", 1, &f.offset));
  return add_follow(s, joint, &f);
}

/* ---- Gearboxes: theta_2 = -ratio theta_1, the angles of child and parent on the reference body */

/* The hinge by which a link turns on a body, and whether its angle counts the other way about. */
static int find_hinge(const cr_sdf* s, int link, int body, v3 axis, double* sign) {
  int index = cr_sdf_link_at(s, link)->parent;
  if (index < 0 || cr_sdf_joint_at(s, index)->parent != body) return CR_SDF_NONE;
  const cr_sdf_joint* joint = cr_sdf_joint_at(s, index);
  bool is_hinge = joint->type == CR_SDF_REVOLUTE || joint->type == CR_SDF_CONTINUOUS;
  *sign = v3_dot(joint->axis, axis) < 0 ? -1 : 1;
  return is_hinge && joint->part.id ? index : CR_SDF_NONE;
}

static carom_status add_gearbox(cr_sdf* s, const cr_sdf_joint* gear) {
  static const char APART[] = "a gearbox whose links do not turn on its reference body by hinges "
                              "of their own is not supported, left out";
  const char* name;
  double ratio = 1, sign[2];
  int frame;
  v3 axis[2];
  const cr_xml_element* e;
  cr_subject subject = cr_document_subject(&s->document, gear->element);
  CR_TRY(cr_sdf_word(s, gear->element, "gearbox_reference_body", &name));
  if (!name)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "element <gearbox_reference_body> is missing");
  CR_TRY(cr_sdf_numbers(s, gear->element, "gearbox_ratio", 1, &ratio));
  CR_TRY(cr_sdf_resolve(s, gear->scope, gear->element, "gearbox_reference_body", name, &frame));
  for (int i = 0; i < 2; i++) {
    CR_TRY(cr_document_child(&s->document, gear->element, i ? "axis2" : "axis", &e));
    CR_TRY(cr_sdf_direction(s, gear, e, &axis[i]));
  }
  int body = cr_sdf_frame_at(s, frame)->link;
  int lead = gear->parent < 0 ? CR_SDF_NONE : find_hinge(s, gear->parent, body, axis[0], &sign[0]);
  int other = find_hinge(s, gear->child, body, axis[1], &sign[1]);
  if (lead < 0 || other < 0) return cr_document_refuse(&s->document, gear->element, NULL, APART);
  follow f = {.element = gear->element, .lead = lead, .multiplier = -ratio * sign[0] * sign[1]};
  return add_follow(s, cr_sdf_joint_at(s, other), &f);
}

carom_status cr_sdf_add_couplings(cr_sdf* s) {
  for (int i = 0; i < s->links.count; i++) {
    const cr_sdf_link* link = cr_sdf_link_at(s, i);
    if (link->is_held && !is_on_world(s, link)) CR_TRY(hold(s, link));
  }
  for (int i = 0; i < s->joints.count; i++) {
    cr_sdf_joint* joint = cr_sdf_joint_at(s, i);
    if (joint->is_idle) continue;
    if (joint->closes_loop) CR_TRY(close_loop(s, joint));
    if (joint->type == CR_SDF_GEARBOX) CR_TRY(add_gearbox(s, joint));
    CR_TRY(add_mimic(s, joint));
    CR_TRY(add_drakes_mimic(s, joint));
  }
  return CAROM_OK;
}
