/* <sensor> of links and joints, at the pose that may be relative to any frame. */
#include "import/instrument.h"
#include "import/sdf/reader.h"

#include <string.h>

/* Where a sensor stands, and in what frame where it names none. */
typedef struct place {
  const cr_sdf_link* link;
  carom_body body; /* that, or the half of it that a joint moves */
  int scope, frame;
} place;

static carom_status add_sensor(cr_sdf* s, const cr_xml_element* element, const place* at,
                               const char* owner, bool on_joint) {
  cr_instrument t = {.document = &s->document,
                     .builder = s->builder,
                     .element = element,
                     .on_joint = on_joint,
                     .body = at->body,
                     .link = at->link->element};
  bool is_had;
  pose world;
  CR_TRY(cr_instrument_begin(&t, owner, &is_had));
  if (!is_had) return CAROM_OK;
  CR_TRY(cr_sdf_place_element(s, at->scope, element, at->frame, &world));
  t.local = pose_relative(&cr_sdf_frame_at(s, at->link->frame)->world, &world);
  return cr_instrument_add(&t);
}

static carom_status add_of_link(cr_sdf* s, const cr_sdf_link* link) {
  const place at = {link, link->body, link->scope, link->frame};
  for (const cr_xml_element* e = link->element->first_child; e; e = e->next)
    if (strcmp(e->name, "sensor") == 0) CR_TRY(add_sensor(s, e, &at, link->name, false));
  return CAROM_OK;
}

static carom_status add_of_joint(cr_sdf* s, const cr_sdf_joint* joint) {
  static const char LOOP[] = "left out: forces of a joint that closes a loop by constraints";
  const cr_sdf_link* child = cr_sdf_link_at(s, joint->child);
  const place at = {child, joint->half.id ? joint->half : child->body, joint->scope, joint->frame};
  bool is_read = !joint->closes_loop || joint->half.id;
  for (const cr_xml_element* e = joint->element->first_child; e; e = e->next) {
    if (strcmp(e->name, "sensor") != 0) continue;
    CR_TRY(is_read ? add_sensor(s, e, &at, joint->name, true)
                   : cr_document_remark(&s->document, e, NULL, LOOP));
  }
  return CAROM_OK;
}

carom_status cr_sdf_add_sensors(cr_sdf* s) {
  for (int i = 0; i < s->links.count; i++) CR_TRY(add_of_link(s, cr_sdf_link_at(s, i)));
  for (int i = 0; i < s->joints.count; i++) CR_TRY(add_of_joint(s, cr_sdf_joint_at(s, i)));
  return CAROM_OK;
}
