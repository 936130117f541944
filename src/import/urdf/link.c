/* <link>: bodies, from the root outwards, with mass and inertia as they are stated. */
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>

/* xx yy zz xy xz yz of <inertia> in the axes of <origin>, turned into those of the link. */
static carom_status read_inertia(cr_urdf* u, const cr_xml_element* element, quat q,
                                 double inertia[6]) {
  static const char* const NAMES[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double own[6] = {0};
  for (int i = 0; i < 6; i++)
    CR_TRY(cr_document_numbers(&u->document, element, NAMES[i], 1, own + i));
  CR_TRY(cr_document_check_known(&u->document, element, " ", " ixx iyy izz ixy ixz iyz "));
  m3 R = quat_to_m3(q), A = m3_symmetric(own), I = m3_congruence(&R, &A);
  inertia[0] = I.m[0][0], inertia[1] = I.m[1][1], inertia[2] = I.m[2][2];
  inertia[3] = I.m[0][1], inertia[4] = I.m[0][2], inertia[5] = I.m[1][2];
  return CAROM_OK;
}

/* A link without <inertial> has no mass, or that of its geometries where <compiler> says so. */
static carom_status read_inertial(cr_urdf* u, const cr_xml_element* link, carom_body_def* def) {
  const cr_xml_element *inertial, *mass, *inertia;
  double quaternion[4];
  CR_TRY(cr_document_child(&u->document, link, "inertial", &inertial));
  if (!inertial) {
    if (u->settings.def.inertia_source == CAROM_INERTIA_BODIES) def->mass = 0;
    return CAROM_OK;
  }
  def->mass = 0;
  CR_TRY(cr_document_check_known(&u->document, inertial, " origin mass inertia ", " "));
  CR_TRY(cr_urdf_pose(u, inertial, def->com, quaternion));
  CR_TRY(cr_document_child(&u->document, inertial, "mass", &mass));
  if (mass) CR_TRY(cr_document_value(&u->document, mass, &def->mass));
  CR_TRY(cr_document_child(&u->document, inertial, "inertia", &inertia));
  return inertia ? read_inertia(u, inertia, quat_load(quaternion), def->inertia) : CAROM_OK;
}

static carom_status add_body(cr_urdf* u, cr_urdf_link* link) {
  const cr_xml_element* element = link->element;
  carom_body_def def = carom_body_def_default();
  def.name = cr_xml_get(element, "name");
  def.source = (carom_source){element->file, element->line};
  CR_TRY(cr_document_check_known(&u->document, element,
                                 " inertial visual collision contact self_collision_checking ",
                                 " name type "));
  CR_TRY(read_inertial(u, element, &def));
  if (link->is_weightless) def.gravity_compensation = 1;
  if (link->parent >= 0) {
    const cr_urdf_joint* joint = cr_urdf_joint_at(u, link->parent);
    def.parent = cr_urdf_link_at(u, joint->parent)->body;
    CR_TRY(cr_urdf_pose(u, joint->element, def.position, def.quaternion));
  }
  return carom_builder_add_body(u->builder, &def, &link->body, u->document.error);
}

/* A root of this name is the world itself. */
static bool is_world(const cr_urdf_link* link) {
  return link->parent < 0 && strcmp(cr_xml_get(link->element, "name"), "world") == 0;
}

static carom_status add_link(cr_urdf* u, cr_urdf_link* link) {
  static const char NO_MASS[] = "not used: the world does not move";
  if (is_world(link)) {
    const cr_xml_element* inertial;
    CR_TRY(cr_document_child(&u->document, link->element, "inertial", &inertial));
    if (inertial) CR_TRY(cr_document_remark(&u->document, inertial, NULL, NO_MASS));
    link->body = (carom_body){0};
  } else {
    CR_TRY(add_body(u, link));
    if (link->parent >= 0)
      CR_TRY(cr_urdf_add_joint(u, cr_urdf_joint_at(u, link->parent)));
    else
      CR_TRY(cr_urdf_add_base(u, link));
  }
  return cr_urdf_add_geometry(u, link);
}

/* Depth first, children in the order of their joints in the file. */
carom_status cr_urdf_add_links(cr_urdf* u, int root) {
  CR_TRY(add_link(u, cr_urdf_link_at(u, root)));
  int joint = cr_urdf_link_at(u, root)->first_child;
  while (joint >= 0) {
    cr_urdf_link* link = cr_urdf_link_at(u, cr_urdf_joint_at(u, joint)->child);
    CR_TRY(add_link(u, link));
    int next = link->first_child;
    while (next < 0 && joint >= 0) {
      next = cr_urdf_joint_at(u, joint)->next;
      joint = cr_urdf_link_at(u, cr_urdf_joint_at(u, joint)->parent)->parent;
    }
    joint = next;
  }
  return CAROM_OK;
}
