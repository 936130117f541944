/* What ties links beyond the tree: <loop_joint>, and Drake's ball constraints and springs. */
#include "import/stand.h"
#include "import/tie.h"
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>

/* ---- <loop_joint>: two links, each with the frame of the joint in it */

typedef struct loop {
  const cr_xml_element* element;
  carom_body body[2];
  pose frame[2];  /* in the bodies */
  bool is_turned; /* the file's second link is the first here */
} loop;

static carom_status find_body(void* user, const cr_xml_element* element, const char* name,
                              carom_body* body) {
  cr_urdf* u = user;
  int link;
  CR_TRY(cr_urdf_resolve(u, element, "link", name, CR_URDF_NAME_LINK, &link));
  *body = cr_urdf_link_at(u, link)->body;
  return CAROM_OK;
}

static carom_status read_end(cr_urdf* u, const cr_xml_element* e, carom_body* body, pose* frame) {
  const char* name;
  double xyz[3] = {0}, rpy[3] = {0};
  CR_TRY(cr_document_check_known(&u->document, e, " ", " link xyz rpy "));
  CR_TRY(cr_document_require(&u->document, e, "link", &name));
  CR_TRY(cr_document_numbers(&u->document, e, "xyz", 3, xyz));
  CR_TRY(cr_document_numbers(&u->document, e, "rpy", 3, rpy));
  *frame = (pose){v3_load(xyz), quat_to_m3(cr_quat_from_rpy(rpy))};
  return find_body(u, e, name, body);
}

/* The ends in the order of the file, the world second. */
static carom_status read_ends(cr_urdf* u, loop* l) {
  int count = 0;
  cr_subject subject = cr_document_subject(&u->document, l->element);
  for (const cr_xml_element* e = l->element->first_child; e && count < 2; e = e->next) {
    if (strcmp(e->name, "link1") != 0 && strcmp(e->name, "link2") != 0) continue;
    CR_TRY(read_end(u, e, &l->body[count], &l->frame[count]));
    count++;
  }
  if (count < 2)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <link%d> is missing",
                           count + 1);
  if (l->body[0].id != 0) return CAROM_OK;
  carom_body body = l->body[0];
  pose frame = l->frame[0];
  l->body[0] = l->body[1], l->body[1] = body;
  l->frame[0] = l->frame[1], l->frame[1] = frame;
  l->is_turned = true;
  return CAROM_OK;
}

/* Holds the points together that are at x in both frames. */
static carom_status connect(cr_urdf* u, const loop* l, v3 x) {
  carom_equality_def def = carom_equality_def_default();
  def.source = (carom_source){l->element->file, l->element->line};
  def.type = CAROM_EQUALITY_CONNECT;
  def.body1 = l->body[0], def.body2 = l->body[1];
  v3_store(pose_point(&l->frame[0], x), def.anchor1);
  v3_store(pose_point(&l->frame[1], x), def.anchor2);
  return carom_builder_add_equality(u->builder, &def, NULL, u->document.error);
}

static carom_status weld(cr_urdf* u, const loop* l) {
  carom_equality_def def = carom_equality_def_default();
  m3 back = m3_transpose(&l->frame[1].R), R = m3_mul(&l->frame[0].R, &back);
  def.source = (carom_source){l->element->file, l->element->line};
  def.type = CAROM_EQUALITY_WELD;
  def.body1 = l->body[0], def.body2 = l->body[1];
  v3_store(l->frame[1].p, def.anchor2);
  v3_store(l->frame[0].p, def.relative_position);
  quat_store(quat_from_m3(&R), def.relative_quaternion);
  return carom_builder_add_equality(u->builder, &def, NULL, u->document.error);
}

static carom_status read_axis(cr_urdf* u, const loop* l, v3* direction) {
  const cr_xml_element* axis;
  double xyz[3] = {1, 0, 0};
  CR_TRY(cr_document_child(&u->document, l->element, "axis", &axis));
  if (axis) CR_TRY(cr_document_numbers(&u->document, axis, "xyz", 3, xyz));
  cr_subject subject = cr_document_subject(&u->document, l->element);
  CR_TRY(cr_check_direction(&subject, "axis", xyz));
  *direction = v3_normalize_or(v3_load(xyz), v3_make(1, 0, 0));
  return CAROM_OK;
}

/* Along the axis of a hinge two points a metre apart. */
static carom_status add_hinge(cr_urdf* u, const loop* l) {
  v3 axis;
  CR_TRY(read_axis(u, l, &axis));
  CR_TRY(connect(u, l, v3_zero()));
  return connect(u, l, axis);
}

/* A point held, and x of the first link at right angles to y of the second (as the joint of the
 * tree turns about x, then y): by the distance of the points a metre out on each. */
static carom_status add_universal(cr_urdf* u, const loop* l) {
  carom_equality_def def = carom_equality_def_default();
  const v3 x = v3_make(1, 0, 0), y = v3_make(0, 1, 0);
  def.source = (carom_source){l->element->file, l->element->line};
  def.type = CAROM_EQUALITY_DISTANCE;
  def.body1 = l->body[0], def.body2 = l->body[1];
  def.distance = sqrt(2);
  v3_store(pose_point(&l->frame[0], l->is_turned ? y : x), def.anchor1);
  v3_store(pose_point(&l->frame[1], l->is_turned ? x : y), def.anchor2);
  CR_TRY(connect(u, l, v3_zero()));
  return carom_builder_add_equality(u->builder, &def, NULL, u->document.error);
}

/* Cuts a body in two halves of its mass and inertia: the second, which `half` receives, is to hang
 * on another body, where the frames of the joint on both lie in each other. */
static carom_status split_body(cr_urdf* u, const loop* l, carom_body* half) {
  carom_body_def def;
  CR_TRY(carom_builder_get_body(u->builder, l->body[0], &def, u->document.error));
  def.mass /= 2;
  for (int i = 0; i < 6; i++) def.inertia[i] /= 2;
  CR_TRY(carom_builder_set_body(u->builder, l->body[0], &def, u->document.error));
  m3 back = m3_transpose(&l->frame[0].R);
  pose place = {v3_zero(), m3_mul(&l->frame[1].R, &back)};
  place.p = v3_sub(l->frame[1].p, m3_mulv(&place.R, l->frame[0].p));
  def.name = NULL;
  def.source = (carom_source){l->element->file, l->element->line};
  def.parent = l->body[1];
  v3_store(place.p, def.position);
  quat_store(quat_from_m3(&place.R), def.quaternion);
  return carom_builder_add_body(u->builder, &def, half, u->document.error);
}

/* Two halves of a link, one that slides on the other link, which a weld holds together. */
static carom_status add_slide(cr_urdf* u, const loop* l) {
  static const char HALVES[] = "one of its links is read as two halves, held together by a weld";
  carom_joint_def slide = carom_joint_def_default();
  carom_equality_def weld = carom_equality_def_default();
  v3 axis;
  slide.source = weld.source = (carom_source){l->element->file, l->element->line};
  slide.name = cr_xml_get(l->element, "name");
  slide.type = CAROM_JOINT_SLIDE;
  CR_TRY(read_axis(u, l, &axis));
  v3_store(m3_mulv(&l->frame[0].R, l->is_turned ? v3_neg(axis) : axis), slide.axis);
  CR_TRY(split_body(u, l, &slide.body));
  CR_TRY(carom_builder_add_joint(u->builder, &slide, NULL, u->document.error));
  weld.type = CAROM_EQUALITY_WELD;
  weld.body1 = l->body[0], weld.body2 = slide.body;
  v3_store(v3_zero(), weld.relative_position);
  CR_TRY(carom_builder_add_equality(u->builder, &weld, NULL, u->document.error));
  return cr_document_remark(&u->document, l->element, NULL, HALVES);
}

static carom_status add_loop(cr_urdf* u, const cr_xml_element* element) {
  static const char KIND[] = "joints of this kind cannot close loops, left out";
  static const char IDLE[] = "not used: what it joins is one rigid body";
  loop l = {.element = element};
  const char* type;
  CR_TRY(cr_document_check_known(&u->document, element, " link1 link2 axis ", " name type "));
  CR_TRY(cr_document_require(&u->document, element, "type", &type));
  CR_TRY(read_ends(u, &l));
  if (cr_stand_link(u->builder, l.body[0].id) == cr_stand_link(u->builder, l.body[1].id))
    return cr_document_remark(&u->document, element, NULL, IDLE);
  if (strcmp(type, "spherical") == 0 || strcmp(type, "ball") == 0) return connect(u, &l, v3_zero());
  if (strcmp(type, "fixed") == 0) return weld(u, &l);
  if (strcmp(type, "prismatic") == 0) return add_slide(u, &l);
  if (strcmp(type, "universal") == 0) return add_universal(u, &l);
  if (strcmp(type, "revolute") == 0 || strcmp(type, "continuous") == 0) return add_hinge(u, &l);
  return cr_document_refuse(&u->document, element, "type", KIND);
}

/* ---- All */

carom_status cr_urdf_add_ties(cr_urdf* u) {
  const cr_tie_reader reader = {&u->document, u->builder, u, find_body};
  for (const cr_xml_element* e = u->root->first_child; e; e = e->next) {
    if (strcmp(e->name, "loop_joint") == 0) CR_TRY(add_loop(u, e));
    if (cr_tie_is_known(e->name)) CR_TRY(cr_tie_add(&reader, e));
  }
  return CAROM_OK;
}
