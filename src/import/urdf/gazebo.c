/* <gazebo reference="LINK or JOINT">: what of it moves links, holds joints or is measured, as
 * sdformat's reader of URDF hands it on. */
#include "import/instrument.h"
#include "import/urdf/reader.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* More pairs of links than this are not looked at. */
#define MAX_EXCLUDES 1000000

/* Settings for Gazebo's solvers, and what changes nothing since the list of links stays. */
static const char SOLVERS[] =
    " kp kd maxVel minDepth maxContacts stopCfm stopErp stopKp stopKd fudgeFactor cfmDamping "
    "implicitSpringDamper ";
static const char NEUTRAL[] = " preserveFixedJoint disableFixedJointLumping sensor ";

/* ---- Before there are bodies */

/* What a <gazebo> is about; either may be null. */
typedef struct subject_of {
  cr_urdf_link* link;
  cr_urdf_joint* joint;
  double mu1, mu2;
} subject_of;

/* true, yes or 1; what else but false, no or 0 is refused. */
static carom_status read_truth(cr_urdf* u, const cr_xml_element* e, bool* truth) {
  const char* value = cr_xml_get(e, "value");
  const char* word = value ? value : e->text ? e->text : "";
  *truth = strcasecmp(word, "true") == 0 || strcasecmp(word, "yes") == 0 || strcmp(word, "1") == 0;
  bool is_false =
      strcasecmp(word, "false") == 0 || strcasecmp(word, "no") == 0 || strcmp(word, "0") == 0;
  if (*truth || is_false) return CAROM_OK;
  cr_subject subject = cr_document_subject(&u->document, e);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "its text is '%.60s', must be true or false", word);
}

static carom_status read_of_link(cr_urdf* u, const cr_xml_element* e, subject_of* of, bool* used) {
  bool truth;
  *used = true;
  if (strcmp(e->name, "mu1") == 0) return cr_document_not_negative(&u->document, e, &of->mu1);
  if (strcmp(e->name, "mu2") == 0) return cr_document_not_negative(&u->document, e, &of->mu2);
  bool is_self = strcmp(e->name, "selfCollide") == 0,
       is_off = strcmp(e->name, "turnGravityOff") == 0;
  *used = is_self || is_off || strcmp(e->name, "gravity") == 0;
  if (!*used) return CAROM_OK;
  CR_TRY(read_truth(u, e, &truth));
  if (is_self)
    of->link->collides_with_own = truth ? 1 : -1;
  else
    of->link->is_weightless = truth == is_off;
  return CAROM_OK;
}

static carom_status read_of_joint(cr_urdf* u, const cr_xml_element* e, subject_of* of, bool* used) {
  cr_urdf_joint* joint = of->joint;
  *used = true;
  if (strcmp(e->name, "springStiffness") == 0)
    return cr_document_not_negative(&u->document, e, &joint->spring_stiffness);
  if (strcmp(e->name, "springReference") == 0)
    return cr_document_value(&u->document, e, &joint->spring_reference);
  *used = strcmp(e->name, "provideFeedback") == 0;
  return *used ? read_truth(u, e, &joint->has_feedback) : CAROM_OK;
}

static carom_status read_part(cr_urdf* u, const cr_xml_element* e, subject_of* of) {
  static const char SOLVER[] = "not used: it is for the solver of another program";
  static const char GAZEBO[] = "not used: it is for Gazebo";
  static const char DAMPING[] = "not used: links are braked by their joints alone";
  bool used = false;
  if (of->link) CR_TRY(read_of_link(u, e, of, &used));
  if (of->joint && !used) CR_TRY(read_of_joint(u, e, of, &used));
  if (used || cr_word_is_listed(NEUTRAL, e->name)) return CAROM_OK;
  bool is_damping = strcmp(e->name, "dampingFactor") == 0;
  return cr_document_remark(&u->document, e, NULL,
                            cr_word_is_listed(SOLVERS, e->name) ? SOLVER
                            : is_damping                        ? DAMPING
                                                                : GAZEBO);
}

/* The link and the joint of a name. */
static subject_of find_subject(cr_urdf* u, const cr_xml_element* gazebo) {
  const char* name = cr_xml_get(gazebo, "reference");
  subject_of of = {.mu1 = NAN, .mu2 = NAN};
  int link = name ? cr_name_find(&u->names, &u->text, CR_URDF_NAME_LINK, name) : -1;
  int joint = name ? cr_name_find(&u->names, &u->text, CR_URDF_NAME_JOINT, name) : -1;
  if (link >= 0) of.link = cr_urdf_link_at(u, link);
  if (joint >= 0) of.joint = cr_urdf_joint_at(u, joint);
  return of;
}

carom_status cr_urdf_read_gazebo(cr_urdf* u, const cr_xml_element* gazebo) {
  static const char MU2[] = "not used: friction is the same in all directions, that of mu1";
  static const char NOBODY[] = "not used: no link or joint has the name that it gives";
  subject_of of = find_subject(u, gazebo);
  bool is_lost = cr_xml_get(gazebo, "reference") && !of.link && !of.joint;
  if (is_lost) return cr_document_remark(&u->document, gazebo, "reference", NOBODY);
  for (const cr_xml_element* e = gazebo->first_child; e; e = e->next) CR_TRY(read_part(u, e, &of));
  if (of.link && !isnan(of.mu1)) of.link->contact.friction = of.mu1;
  if (!isnan(of.mu2) && of.mu2 != of.mu1)
    return cr_document_remark(&u->document, gazebo, NULL, MU2);
  return CAROM_OK;
}

/* ---- Who collides */

/* A link that does not collide with its own robot meets only those that say that they do, and what
 * stands in the world. */
carom_status cr_urdf_add_own_filters(cr_urdf* u) {
  int count = 0;
  for (int i = 0; i < u->links.count; i++) {
    const cr_urdf_link* a = cr_urdf_link_at(u, i);
    for (int j = 0; j < u->links.count && a->collides_with_own < 0; j++) {
      const cr_urdf_link* b = cr_urdf_link_at(u, j);
      bool is_twice = j <= i && b->collides_with_own < 0;
      if (i == j || is_twice || b->collides_with_own > 0 || !a->body.id || !b->body.id) continue;
      cr_subject subject = cr_document_subject(&u->document, a->element);
      if (++count > MAX_EXCLUDES)
        return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                               "more than %d pairs of links do not collide", MAX_EXCLUDES);
      CR_TRY(carom_builder_add_exclude(u->builder, a->body, b->body, u->document.error));
    }
  }
  return CAROM_OK;
}

/* ---- What is measured */

/* <pose> within a sensor, relative to its link or joint. */
static carom_status read_pose(cr_urdf* u, const cr_xml_element* sensor, pose* local) {
  const cr_xml_element* e;
  double x[6] = {0};
  CR_TRY(cr_document_child(&u->document, sensor, "pose", &e));
  if (e && e->text) CR_TRY(cr_document_parse(&u->document, e, "its text", e->text, 6, x));
  *local = (pose){v3_load(x), quat_to_m3(cr_quat_from_rpy(x + 3))};
  return CAROM_OK;
}

static carom_status add_sensor(cr_urdf* u, const cr_xml_element* sensor, const char* owner,
                               const cr_urdf_link* link, bool on_joint) {
  cr_instrument t = {.document = &u->document,
                     .builder = u->builder,
                     .element = sensor,
                     .on_joint = on_joint,
                     .body = link->body,
                     .link = link->element};
  bool is_had;
  CR_TRY(cr_instrument_begin(&t, owner, &is_had));
  if (!is_had) return CAROM_OK;
  CR_TRY(read_pose(u, sensor, &t.local));
  return cr_instrument_add(&t);
}

static carom_status add_feedback(cr_urdf* u, const cr_urdf_joint* joint) {
  cr_instrument t = {.document = &u->document,
                     .builder = u->builder,
                     .element = joint->element,
                     .body = cr_urdf_link_at(u, joint->child)->body,
                     .local = pose_identity()};
  return cr_instrument_add_feedback(&t, cr_xml_get(joint->element, "name"));
}

static carom_status add_of_gazebo(cr_urdf* u, const cr_xml_element* gazebo) {
  static const char WHOLE[] = "not used: a sensor is on a link or a joint";
  subject_of of = find_subject(u, gazebo);
  const char* owner = cr_xml_get(gazebo, "reference");
  for (const cr_xml_element* e = gazebo->first_child; e; e = e->next) {
    if (strcmp(e->name, "sensor") != 0) continue;
    if (of.link)
      CR_TRY(add_sensor(u, e, owner, of.link, false));
    else if (of.joint)
      CR_TRY(add_sensor(u, e, owner, cr_urdf_link_at(u, of.joint->child), true));
    else if (!owner)
      CR_TRY(cr_document_remark(&u->document, e, NULL, WHOLE));
  }
  return CAROM_OK;
}

carom_status cr_urdf_add_sensors(cr_urdf* u) {
  for (const cr_xml_element* e = u->root->first_child; e; e = e->next)
    if (strcmp(e->name, "gazebo") == 0) CR_TRY(add_of_gazebo(u, e));
  for (int i = 0; i < u->joints.count; i++)
    if (cr_urdf_joint_at(u, i)->has_feedback) CR_TRY(add_feedback(u, cr_urdf_joint_at(u, i)));
  return CAROM_OK;
}
