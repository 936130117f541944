/* Ties between links; see tie.h. A spring pulls with k (l - l0) + c dl/dt along the line between
 * its points (Drake's LinearSpringDamper). */
#include "import/tie.h"

#include <stdio.h>
#include <string.h>

#define BALL    "drake:ball_constraint"
#define SPRING  "drake:linear_spring_damper"
#define BUSHING "drake:linear_bushing_rpy"

bool cr_tie_is_known(const char* name) {
  return strcmp(name, BALL) == 0 || strcmp(name, SPRING) == 0 || strcmp(name, BUSHING) == 0;
}

/* The child NAME_PART of the element NAME, which must be there. */
static carom_status find_part(const cr_tie_reader* r, const cr_xml_element* element,
                              const char* part, const cr_xml_element** child) {
  char name[80];
  snprintf(name, sizeof name, "%s_%s", element->name, part);
  CR_TRY(cr_document_child(r->document, element, name, child));
  cr_subject subject = cr_document_subject(r->document, element);
  if (*child) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <%s> is missing", name);
}

static carom_status read_body(const cr_tie_reader* r, const cr_xml_element* element,
                              const char* part, carom_body* body) {
  const cr_xml_element* e;
  CR_TRY(find_part(r, element, part, &e));
  const char* name = cr_xml_get(e, "name");
  if (!name) name = e->text;
  cr_subject subject = cr_document_subject(r->document, e);
  if (!name) return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "it names no link");
  return r->find_body(r->user, e, name, body);
}

static carom_status read_point(const cr_tie_reader* r, const cr_xml_element* element,
                               const char* part, double point[3]) {
  const cr_xml_element* e;
  CR_TRY(find_part(r, element, part, &e));
  const char *value = cr_xml_get(e, "value"), *text = value ? value : e->text;
  return cr_document_parse(r->document, e, value ? "value" : "its text", text ? text : "", 3,
                           point);
}

static carom_status read_number(const cr_tie_reader* r, const cr_xml_element* element,
                                const char* part, bool is_positive, double* number) {
  const cr_xml_element* e;
  CR_TRY(find_part(r, element, part, &e));
  return is_positive ? cr_document_positive(r->document, e, number)
                     : cr_document_not_negative(r->document, e, number);
}

/* What both kinds hold: two points, each of a body. */
typedef struct ends {
  carom_body body[2];
  double point[2][3];
} ends;

static carom_status read_ends(const cr_tie_reader* r, const cr_xml_element* element, ends* e) {
  CR_TRY(read_body(r, element, "body_A", &e->body[0]));
  CR_TRY(read_body(r, element, "body_B", &e->body[1]));
  CR_TRY(read_point(r, element, "p_AP", e->point[0]));
  return read_point(r, element, "p_BQ", e->point[1]);
}

static carom_status add_ball(const cr_tie_reader* r, const cr_xml_element* element) {
  carom_equality_def def = carom_equality_def_default();
  ends e;
  CR_TRY(read_ends(r, element, &e));
  bool turned = e.body[0].id == 0; /* the world comes second */
  def.source = (carom_source){element->file, element->line};
  def.type = CAROM_EQUALITY_CONNECT;
  def.body1 = e.body[turned], def.body2 = e.body[!turned];
  memcpy(def.anchor1, e.point[turned], sizeof def.anchor1);
  memcpy(def.anchor2, e.point[!turned], sizeof def.anchor2);
  return carom_builder_add_equality(r->builder, &def, NULL, r->document->error);
}

static carom_status add_spring(const cr_tie_reader* r, const cr_xml_element* element) {
  carom_spring_def def = carom_spring_def_default();
  ends e;
  CR_TRY(read_ends(r, element, &e));
  def.source = (carom_source){element->file, element->line};
  def.body1 = e.body[0], def.body2 = e.body[1];
  memcpy(def.point1, e.point[0], sizeof def.point1);
  memcpy(def.point2, e.point[1], sizeof def.point2);
  CR_TRY(read_number(r, element, "free_length", true, &def.rest_length));
  CR_TRY(read_number(r, element, "stiffness", false, &def.stiffness));
  CR_TRY(read_number(r, element, "damping", false, &def.damping));
  return carom_builder_add_spring(r->builder, &def, r->document->error);
}

carom_status cr_tie_add(const cr_tie_reader* r, const cr_xml_element* element) {
  static const char ANGLES[] =
      "springs about the angles between two frames are not supported, only "
      "those of joints and between two points "
      "(drake:linear_spring_damper), left out";
  static const char BALL_PARTS[] =
      " drake:ball_constraint_body_A drake:ball_constraint_p_AP drake:ball_constraint_body_B "
      "drake:ball_constraint_p_BQ ";
  static const char SPRING_PARTS[] =
      " drake:linear_spring_damper_body_A drake:linear_spring_damper_p_AP "
      "drake:linear_spring_damper_body_B drake:linear_spring_damper_p_BQ "
      "drake:linear_spring_damper_free_length drake:linear_spring_damper_stiffness "
      "drake:linear_spring_damper_damping ";
  bool is_ball = strcmp(element->name, BALL) == 0;
  if (strcmp(element->name, BUSHING) == 0)
    return cr_document_refuse(r->document, element, NULL, ANGLES);
  CR_TRY(
      cr_document_check_known(r->document, element, is_ball ? BALL_PARTS : SPRING_PARTS, " name "));
  return is_ball ? add_ball(r, element) : add_spring(r, element);
}
