/* Drake's ball constraints and springs of models. */
#include "import/tie.h"

#include "import/sdf/reader.h"

#include <string.h>

/* Whose names are meant. */
typedef struct place {
  cr_sdf* s;
  int scope;
} place;

/* The world, or a link. */
static carom_status find_body(void* user, const cr_xml_element* element, const char* name,
                              carom_body* body) {
  const place* p = user;
  int frame;
  *body = (carom_body){0};
  if (strcmp(name, "world") == 0) return CAROM_OK;
  CR_TRY(cr_sdf_resolve(p->s, p->scope, element, "its text", name, &frame));
  int link = cr_sdf_frame_at(p->s, frame)->link;
  cr_subject subject = cr_document_subject(&p->s->document, element);
  if (link < 0 || cr_sdf_frame_at(p->s, frame)->kind != CR_SDF_LINK)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "its text is '%.100s', which is no link", name);
  *body = cr_sdf_link_at(p->s, link)->body;
  return CAROM_OK;
}

carom_status cr_sdf_add_ties(cr_sdf* s) {
  for (int i = 1; i < s->scopes.count; i++) {
    place p = {s, i};
    const cr_tie_reader reader = {&s->document, s->builder, &p, find_body};
    const cr_xml_element* model = cr_sdf_scope_at(s, i)->element;
    for (const cr_xml_element* e = model->first_child; e; e = e->next)
      if (cr_tie_is_known(e->name)) CR_TRY(cr_tie_add(&reader, e));
  }
  return CAROM_OK;
}
