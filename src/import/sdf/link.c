/* <link>: bodies, from the roots outwards. Without <inertial> a link has mass 1 and unit inertia,
 * and what an <inertial> leaves out is of that too: the format's defaults. */
#include "import/sdf/reader.h"

#include <math.h>
#include <string.h>

/* The frame of a child link in its parent's, or in the world. */
static void set_pose(const cr_sdf* s, const cr_sdf_link* link, int parent, carom_body_def* def) {
  pose own = cr_sdf_frame_at(s, link->frame)->world;
  def->parent = (carom_body){0};
  if (parent >= 0) {
    const cr_sdf_link* other = cr_sdf_link_at(s, parent);
    def->parent = other->body;
    own = pose_relative(&cr_sdf_frame_at(s, other->frame)->world, &own);
  }
  v3_store(own.p, def->position);
  quat_store(quat_from_m3(&own.R), def->quaternion);
}

/* xx yy zz xy xz yz in the axes of the inertial frame, turned into those of the link. */
static carom_status read_inertia(cr_sdf* s, const cr_xml_element* inertia, const m3* R,
                                 double result[6]) {
  static const char* const NAMES[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double own[6] = {1, 1, 1, 0, 0, 0};
  if (inertia) {
    for (int i = 0; i < 6; i++) CR_TRY(cr_sdf_numbers(s, inertia, NAMES[i], 1, own + i));
    CR_TRY(cr_document_check_known(&s->document, inertia, " ixx iyy izz ixy ixz iyz ", " "));
  }
  m3 A = m3_symmetric(own), I = m3_congruence(R, &A);
  result[0] = I.m[0][0], result[1] = I.m[1][1], result[2] = I.m[2][2];
  result[3] = I.m[0][1], result[4] = I.m[0][2], result[5] = I.m[1][2];
  return CAROM_OK;
}

static carom_status read_stated(cr_sdf* s, const cr_xml_element* inertial, carom_body_def* def) {
  const cr_xml_element *placed, *inertia, *fluid;
  pose frame;
  CR_TRY(cr_document_check_known(&s->document, inertial,
                                 " pose mass inertia fluid_added_mass density ", " auto "));
  CR_TRY(cr_document_child(&s->document, inertial, "pose", &placed));
  CR_TRY(cr_sdf_pose(s, placed, &frame));
  v3_store(frame.p, def->com);
  CR_TRY(cr_sdf_numbers(s, inertial, "mass", 1, &def->mass));
  CR_TRY(cr_document_child(&s->document, inertial, "inertia", &inertia));
  CR_TRY(cr_document_child(&s->document, inertial, "fluid_added_mass", &fluid));
  CR_TRY(read_inertia(s, inertia, &frame.R, def->inertia));
  return fluid ? cr_sdf_add_fluid(s, fluid, def) : CAROM_OK;
}

static carom_status read_inertial(cr_sdf* s, const cr_xml_element* link, carom_body_def* def) {
  const cr_xml_element* inertial;
  CR_TRY(cr_document_child(&s->document, link, "inertial", &inertial));
  def->mass = 1;
  def->inertia[0] = def->inertia[1] = def->inertia[2] = 1;
  if (!inertial) return CAROM_OK;
  const char* automatic = cr_xml_get(inertial, "auto");
  bool from_shapes = automatic && (strcmp(automatic, "true") == 0 || strcmp(automatic, "1") == 0);
  if (!from_shapes) return read_stated(s, inertial, def);
  def->mass = NAN;
  return CAROM_OK;
}

/* What is not used of a link, by name. */
static carom_status note_rest(cr_sdf* s, const cr_xml_element* link) {
  static const char OTHER[] = "not used: it is for another program";
  for (const cr_xml_element* e = link->first_child; e; e = e->next) {
    if (cr_word_is_listed(" light plugin audio_source audio_sink battery projector ", e->name))
      CR_TRY(cr_document_remark(&s->document, e, NULL, OTHER));
  }
  return CAROM_OK;
}

/* Whether gravity pulls, and what would move or brake the link in other ways. */
static carom_status read_motion(cr_sdf* s, cr_sdf_link* link, carom_body_def* def) {
  static const char STANDS[] = "kinematic: read as one that does not move";
  static const char DECAY[] = "not used: it is for the solver of another program";
  const cr_xml_element* decay;
  bool gravity = true, kinematic = false;
  const cr_xml_element* element = link->element;
  CR_TRY(cr_sdf_flag(s, element, "gravity", &gravity));
  CR_TRY(cr_sdf_flag(s, element, "kinematic", &kinematic));
  CR_TRY(cr_document_child(&s->document, element, "velocity_decay", &decay));
  if (!gravity) def->gravity_compensation = 1;
  if (decay && decay->first_child) CR_TRY(cr_document_remark(&s->document, decay, NULL, DECAY));
  link->stands = kinematic && link->parent < 0;
  link->is_held = kinematic && link->parent >= 0;
  return kinematic ? cr_document_remark(&s->document, element, NULL, STANDS) : CAROM_OK;
}

static carom_status add_body(cr_sdf* s, cr_sdf_link* link) {
  const cr_xml_element* element = link->element;
  carom_body_def def = carom_body_def_default();
  def.name = link->name;
  def.source = (carom_source){element->file, element->line};
  CR_TRY(cr_document_check_known(&s->document, element,
                                 " pose inertial visual collision gravity kinematic self_collide "
                                 "velocity_decay must_be_base_link enable_wind sensor light plugin "
                                 "audio_source audio_sink battery projector ",
                                 " name "));
  CR_TRY(note_rest(s, element));
  set_pose(s, link, link->parent >= 0 ? cr_sdf_joint_at(s, link->parent)->parent : CR_SDF_NONE,
           &def);
  CR_TRY(read_inertial(s, element, &def));
  link->takes_mass = isnan(def.mass);
  CR_TRY(read_motion(s, link, &def));
  return carom_builder_add_body(s->builder, &def, &link->body, s->document.error);
}

carom_status cr_sdf_split_link(cr_sdf* s, cr_sdf_joint* joint) {
  static const char SHAPES[] =
      "joints of this kind cannot close loops where the child's inertia is "
      "that of its shapes, left out";
  const cr_sdf_link* link = cr_sdf_link_at(s, joint->child);
  carom_body_def def;
  CR_TRY(carom_builder_get_body(s->builder, link->body, &def, s->document.error));
  if (link->takes_mass) return cr_document_refuse(&s->document, joint->element, NULL, SHAPES);
  def.mass /= 2;
  for (int i = 0; i < 6; i++) def.inertia[i] /= 2;
  CR_TRY(carom_builder_set_body(s->builder, link->body, &def, s->document.error));
  const char* name = cr_sdf_join(s, link->name, "::");
  def.name = name ? cr_sdf_join(s, name, cr_xml_get(joint->element, "name")) : NULL;
  if (!def.name) return cr_error_memory(s->document.error);
  set_pose(s, link, joint->parent, &def);
  return carom_builder_add_body(s->builder, &def, &joint->half, s->document.error);
}

static carom_status add_link(cr_sdf* s, cr_sdf_link* link) {
  const cr_xml_element* deformable = cr_sdf_find_deformable(link);
  if (deformable) return cr_sdf_add_deformable(s, link, deformable);
  CR_TRY(add_body(s, link));
  if (link->parent >= 0)
    CR_TRY(cr_sdf_add_joint(s, cr_sdf_joint_at(s, link->parent)));
  else if (!link->stands)
    CR_TRY(cr_sdf_add_base(s, link));
  return cr_sdf_add_geometry(s, link);
}

/* What hangs on a link that has been added, depth first. */
static carom_status add_branch(cr_sdf* s, const cr_sdf_link* root) {
  int joint = root->first_child;
  while (joint >= 0) {
    cr_sdf_link* link = cr_sdf_link_at(s, cr_sdf_joint_at(s, joint)->child);
    CR_TRY(add_link(s, link));
    int next = link->first_child;
    while (next < 0 && joint >= 0) {
      const cr_sdf_joint* above = cr_sdf_joint_at(s, joint);
      next = above->next;
      const cr_sdf_link* parent = cr_sdf_link_at(s, above->parent);
      joint = parent == root ? CR_SDF_NONE : parent->parent;
    }
    joint = next;
  }
  return CAROM_OK;
}

/* Does a link hang on nothing, or on the world? */
static bool is_root(const cr_sdf* s, const cr_sdf_link* link) {
  return link->parent < 0 || cr_sdf_joint_at(s, link->parent)->parent < 0;
}

carom_status cr_sdf_add_links(cr_sdf* s) {
  for (int i = 0; i < s->links.count; i++) {
    cr_sdf_link* link = cr_sdf_link_at(s, i);
    if (!is_root(s, link)) continue;
    CR_TRY(add_link(s, link));
    CR_TRY(add_branch(s, link));
  }
  return CAROM_OK;
}
