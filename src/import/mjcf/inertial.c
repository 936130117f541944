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

/* The body's one <inertial>, or null. */
static carom_status find_inertial(const cr_mjcf* m, const cr_xml_element* body,
                                  const cr_xml_element** found) {
  *found = NULL;
  for (const cr_xml_element* child = body->first_child; child; child = child->next) {
    if (strcmp(child->name, "inertial") != 0) continue;
    cr_subject subject = cr_mjcf_subject(m, child);
    if (*found)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the body has another one at line %d",
                             (*found)->line);
    *found = child;
  }
  return CAROM_OK;
}

/* xx yy zz xy xz yz in the body's axes. */
static void set_inertia(const cr_mjcf* m, const cr_mjcf_inertial* inertial, double inertia[6]) {
  if (inertial->fullinertia.count) {
    memcpy(inertia, inertial->fullinertia.x, 6 * sizeof inertia[0]);
    return;
  }
  const double* principal = inertial->diaginertia.x;
  m3 R = quat_to_m3(cr_mjcf_quaternion(m, &inertial->orientation));
  m3 D = m3_diagonal(v3_load(principal)), I = m3_congruence(&R, &D);
  inertia[0] = I.m[0][0], inertia[1] = I.m[1][1], inertia[2] = I.m[2][2];
  inertia[3] = I.m[0][1], inertia[4] = I.m[0][2], inertia[5] = I.m[1][2];
}

carom_status cr_mjcf_read_inertial(cr_mjcf* m, const cr_xml_element* body, carom_body_def* def,
                                   bool* is_given) {
  const cr_xml_element* element;
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
  memcpy(def->com, inertial.pos.x, sizeof def->com);
  set_inertia(m, &inertial, def->inertia);
  *is_given = true;
  return CAROM_OK;
}
