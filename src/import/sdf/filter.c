/* Which links do not collide: those of a model without self_collide, those that a joint joins by
 * closing a loop, and members of Drake's groups that ignore each other. */
#include "import/sdf/reader.h"

#include <string.h>

/* More pairs than this are no filter that anyone writes. */
#define MAX_EXCLUDES 4000000

typedef struct filter {
  cr_sdf* s;
  const cr_xml_element* element; /* that the sentence about too many pairs is about */
  int num_excludes;
} filter;

static carom_status exclude(filter* f, int a, int b) {
  cr_sdf* s = f->s;
  const cr_sdf_link *first = cr_sdf_link_at(s, a), *second = cr_sdf_link_at(s, b);
  if (a == b || !first->collides || !second->collides) return CAROM_OK;
  cr_subject subject = cr_document_subject(&s->document, f->element);
  if (++f->num_excludes > MAX_EXCLUDES)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "more than %d pairs of links do not collide", MAX_EXCLUDES);
  return carom_builder_add_exclude(s->builder, first->body, second->body, s->document.error);
}

/* Links of one model, but for those that say otherwise. */
static carom_status exclude_model(filter* f, int scope) {
  const cr_sdf* s = f->s;
  const cr_sdf_scope* model = cr_sdf_scope_at(s, scope);
  f->element = model->element;
  for (int i = model->first_link; i < model->end_link; i++)
    for (int j = i + 1; j < model->end_link; j++) {
      const cr_sdf_link *a = cr_sdf_link_at(s, i), *b = cr_sdf_link_at(s, j);
      bool is_own = cr_sdf_scope_at(s, a->scope)->names == scope &&
                    cr_sdf_scope_at(s, b->scope)->names == scope;
      if (is_own && !a->self_collides && !b->self_collides) CR_TRY(exclude(f, i, j));
    }
  return CAROM_OK;
}

/* ---- Drake's groups */

/* The link of a group's member; CR_SDF_NONE for elements that are none. */
static carom_status find_member(filter* f, int scope, const cr_xml_element* element, int* link) {
  int frame;
  *link = CR_SDF_NONE;
  if (strcmp(element->name, "drake:member") != 0 || !element->text) return CAROM_OK;
  CR_TRY(cr_sdf_resolve(f->s, scope, element, "its text", element->text, &frame));
  *link = cr_sdf_frame_at(f->s, frame)->link;
  return CAROM_OK;
}

static const cr_xml_element* find_group(const cr_xml_element* model, const char* name) {
  for (const cr_xml_element* e = model->first_child; e; e = e->next) {
    const char* own = cr_xml_get(e, "name");
    if (own && strcmp(e->name, "drake:collision_filter_group") == 0 && strcmp(own, name) == 0)
      return e;
  }
  return NULL;
}

static carom_status exclude_groups(filter* f, int scope, const cr_xml_element* group,
                                   const cr_xml_element* other) {
  for (const cr_xml_element* e = group->first_child; e; e = e->next) {
    int a, b;
    CR_TRY(find_member(f, scope, e, &a));
    for (const cr_xml_element* o = other->first_child; o && a >= 0; o = o->next) {
      CR_TRY(find_member(f, scope, o, &b));
      if (b >= 0) CR_TRY(exclude(f, a, b));
    }
  }
  return CAROM_OK;
}

static carom_status add_group(filter* f, int scope, const cr_xml_element* group) {
  const cr_xml_element *model = cr_sdf_scope_at(f->s, scope)->element, *other;
  f->element = group;
  for (const cr_xml_element* e = group->first_child; e; e = e->next) {
    if (strcmp(e->name, "drake:ignored_collision_filter_group") != 0 || !e->text) continue;
    other = find_group(model, e->text);
    cr_subject subject = cr_document_subject(&f->s->document, e);
    if (!other)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                             "its text is '%.60s', no group has this name", e->text);
    CR_TRY(exclude_groups(f, scope, group, other));
  }
  return CAROM_OK;
}

carom_status cr_sdf_add_filters(cr_sdf* s) {
  filter f = {.s = s};
  for (int i = 1; i < s->scopes.count; i++) {
    const cr_sdf_scope* model = cr_sdf_scope_at(s, i);
    if (model->names == i && !model->is_static) CR_TRY(exclude_model(&f, i));
    for (const cr_xml_element* e = model->element->first_child; e; e = e->next)
      if (strcmp(e->name, "drake:collision_filter_group") == 0) CR_TRY(add_group(&f, i, e));
  }
  for (int i = 0; i < s->joints.count; i++) {
    const cr_sdf_joint* joint = cr_sdf_joint_at(s, i);
    f.element = joint->element;
    if (joint->closes_loop && joint->parent >= 0) CR_TRY(exclude(&f, joint->parent, joint->child));
  }
  return CAROM_OK;
}
