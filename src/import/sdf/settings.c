/* What stands in a world or a model beside its parts: gravity, time step, what is for other
 * programs. And which links do not collide. */
#include "import/sdf/reader.h"

#include <string.h>

/* What would move or hold things, and is not read. */
static bool changes_physics(const char* name) {
  static const char NAMES[] = " population drake:deformable ";
  return cr_word_is_listed(NAMES, name);
}

/* Notes, or refuses, what is not a part. */
static carom_status check_children(cr_sdf* s, const cr_xml_element* element, const char* parts) {
  static const char PARTS[] = "parts of this kind are not supported yet, left out";
  static const char OTHER[] = "not used: it is for another program";
  static const char ACTOR[] = "not used: actors are moving pictures, for drawing";
  for (const cr_xml_element* e = element->first_child; e; e = e->next) {
    if (cr_word_is_listed(parts, e->name)) continue;
    if (changes_physics(e->name))
      CR_TRY(cr_document_refuse(&s->document, e, NULL, PARTS));
    else if (strcmp(e->name, "plugin") == 0)
      CR_TRY(cr_document_remark(&s->document, e, NULL, OTHER));
    else if (strcmp(e->name, "actor") == 0)
      CR_TRY(cr_document_remark(&s->document, e, NULL, ACTOR));
    else
      CR_TRY(cr_document_note_stranger(&s->document, e, parts));
  }
  return CAROM_OK;
}

/* Of an engine's settings only the step counts. */
static carom_status read_physics(cr_sdf* s, const cr_xml_element* world) {
  static const char ENGINE[] = "not used but for max_step_size: it is for another program";
  const cr_xml_element* physics;
  double step = 0;
  CR_TRY(cr_document_child(&s->document, world, "physics", &physics));
  if (!physics) return CAROM_OK;
  CR_TRY(cr_sdf_numbers(s, physics, "max_step_size", 1, &step));
  cr_subject subject = cr_document_subject(&s->document, physics);
  CR_TRY(cr_check_not_negative(&subject, "max_step_size", step));
  if (step > 0) s->def.timestep = step;
  return cr_document_remark(&s->document, physics, NULL, ENGINE);
}

/* A world without <gravity> has the format's default. */
static carom_status read_world(cr_sdf* s, const cr_xml_element* world) {
  static const double DEFAULT[3] = {0, 0, -9.8};
  static const char PARTS[] = " model include frame joint gravity physics light scene gui state "
                              "spherical_coordinates magnetic_field atmosphere audio wind ";
  memcpy(s->def.gravity, DEFAULT, sizeof DEFAULT);
  CR_TRY(cr_sdf_numbers(s, world, "magnetic_field", 3, s->def.magnetic));
  CR_TRY(cr_sdf_numbers(s, world, "gravity", 3, s->def.gravity));
  CR_TRY(read_physics(s, world));
  return check_children(s, world, PARTS);
}

carom_status cr_sdf_read_settings(cr_sdf* s, const cr_xml_element* root) {
  static const char PARTS[] =
      " link joint drake:joint frame model include pose static self_collide "
      "drake:collision_filter_group drake:ball_constraint drake:linear_spring_damper "
      "drake:linear_bushing_rpy allow_auto_disable enable_wind ";
  static const double MAGNETIC[3] = {5.5645e-6, 22.8758e-6, -42.3884e-6}; /* T, the format's own */
  const cr_xml_element* world = cr_sdf_scope_at(s, CR_SDF_WORLD)->element;
  memcpy(s->def.magnetic, MAGNETIC, sizeof MAGNETIC);
  CR_TRY(check_children(s, root, world ? " world " : " model include light "));
  if (world) CR_TRY(read_world(s, world));
  for (int i = 1; i < s->scopes.count; i++)
    CR_TRY(check_children(s, cr_sdf_scope_at(s, i)->element, PARTS));
  return CAROM_OK;
}
