/* <inertial>: mass, centre of mass and inertia of a body, in one of three forms. */
#include "import/mjcf/body.h"

#include <string.h>

typedef struct cr_mjcf_inertial {
  double mass;
  cr_numbers pos, diaginertia, fullinertia;
  cr_orientation orientation;
} cr_mjcf_inertial;

static const cr_attribute INERTIAL[] = {
    CR_NUMBERS("pos", cr_mjcf_inertial, pos, 3, 3),
    CR_ORIENTATIONS(cr_mjcf_inertial, orientation),
    CR_NUMBER("mass", cr_mjcf_inertial, mass, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("diaginertia", cr_mjcf_inertial, diaginertia, 3, 3),
    CR_NUMBERS("fullinertia", cr_mjcf_inertial, fullinertia, 6, 6),
    CR_END,
};

/* The element of a body, its frames looked into, after `element`; null at the end. */
static const cr_xml_element* next_element(const cr_xml_element* body,
                                          const cr_xml_element* element) {
  if (strcmp(element->name, "frame") == 0 && element->first_child) return element->first_child;
  while (!element->next && element->parent != body) element = element->parent;
  return element->next;
}

/* The body's one <inertial>, or null. */
static carom_status find_inertial(const cr_mjcf* m, const cr_xml_element* body,
                                  const cr_xml_element** found) {
  *found = NULL;
  for (const cr_xml_element* e = body->first_child; e; e = next_element(body, e)) {
    if (strcmp(e->name, "inertial") != 0) continue;
    cr_subject subject = cr_mjcf_subject(m, e);
    if (*found)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the body has another one at line %d",
                             (*found)->line);
    *found = e;
  }
  return CAROM_OK;
}

/* The pose of what is around an element in the body. */
static carom_status find_place(cr_mjcf* m, const cr_xml_element* element,
                               const cr_xml_element* body, v3* position, quat* orientation) {
  *position = v3_zero(), *orientation = quat_identity();
  for (const cr_xml_element* e = element->parent; e != body; e = e->parent) {
    v3 p;
    quat q;
    CR_TRY(cr_mjcf_read_frame(m, e, &p, &q));
    *position = v3_add(p, quat_rotate(q, *position));
    *orientation = quat_normalize(quat_mul(q, *orientation));
  }
  return CAROM_OK;
}

/* xx yy zz xy xz yz in the body's axes.
 * @param turn orientation of what is around the element in the body */
static void set_inertia(const cr_mjcf* m, const cr_mjcf_inertial* inertial, quat turn,
                        double inertia[6]) {
  bool is_full = inertial->fullinertia.count > 0;
  bool is_turned = turn.x != 0 || turn.y != 0 || turn.z != 0;
  if (is_full && !is_turned) {
    memcpy(inertia, inertial->fullinertia.x, 6 * sizeof inertia[0]);
    return;
  }
  const double* principal = inertial->diaginertia.x;
  m3 R = quat_to_m3(cr_mjcf_quaternion(m, &inertial->orientation)), T = quat_to_m3(turn);
  if (is_turned) R = is_full ? T : m3_mul(&T, &R);
  m3 D = is_full ? m3_symmetric(inertial->fullinertia.x) : m3_diagonal(v3_load(principal));
  m3 I = m3_congruence(&R, &D);
  inertia[0] = I.m[0][0], inertia[1] = I.m[1][1], inertia[2] = I.m[2][2];
  inertia[3] = I.m[0][1], inertia[4] = I.m[0][2], inertia[5] = I.m[1][2];
}

carom_status cr_mjcf_read_inertial(cr_mjcf* m, const cr_xml_element* body, carom_body_def* def,
                                   bool* is_given, quat* axes) {
  const cr_xml_element* element;
  *axes = (quat){0};
  *is_given = false;
  CR_TRY(find_inertial(m, body, &element));
  if (!element) return CAROM_OK;
  cr_mjcf_inertial inertial = {0};
  CR_TRY(cr_mjcf_read_attributes(m, element, INERTIAL, &inertial));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!cr_xml_get(element, "mass") || !cr_xml_get(element, "pos"))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is missing",
                           cr_xml_get(element, "mass") ? "pos" : "mass");
  if (inertial.fullinertia.count && (inertial.diaginertia.count || inertial.orientation.is_given))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "fullinertia stands alone, without diaginertia or an orientation");
  def->mass = inertial.mass;
  v3 place;
  quat turn;
  CR_TRY(find_place(m, element, body, &place, &turn));
  v3_store(v3_add(place, quat_rotate(turn, v3_load(inertial.pos.x))), def->com);
  set_inertia(m, &inertial, turn, def->inertia);
  if (!inertial.fullinertia.count)
    *axes = quat_mul(turn, cr_mjcf_quaternion(m, &inertial.orientation));
  *is_given = true;
  return CAROM_OK;
}
