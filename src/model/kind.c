/* Reading and changing the definitions of parts that a builder has, by one table of kinds. */
#include "model/kind.h"

#include <stddef.h>
#include <string.h>

#define KIND(noun, is_named_, part_, first_id_, list_)                                      \
  .word = #noun, .type = "carom_" #noun "_def", .cookie = CR_COOKIE(noun), .part = (part_), \
  .is_named = (is_named_), .first_id = (first_id_), .list = offsetof(carom_builder, list_), \
  .label = offsetof(cr_##noun##_record, label), .def_size = sizeof(carom_##noun##_def),     \
  .check = cr_##noun##_check

const cr_kind cr_kinds[CR_NUM_KINDS] = {
    [CR_OF_MODEL] = {.word = "model", .part = -1},
    [CR_OF_BODY] = {KIND(body, true, CR_PART_BODY, 0, bodies), .resolve = cr_body_resolve,
                    .make_way = cr_body_make_way},
    [CR_OF_JOINT] = {KIND(joint, true, CR_PART_JOINT, 1, joints), .make_way = cr_joint_make_way},
    [CR_OF_GEOM] = {KIND(geom, true, CR_PART_GEOM, 1, geoms), .resolve = cr_geom_resolve,
                    .make_way = cr_geom_make_way},
    [CR_OF_SITE] = {KIND(site, true, CR_PART_SITE, 1, sites)},
    [CR_OF_PAIR] = {KIND(pair, false, -1, 0, pairs)},
    [CR_OF_SPRING] = {KIND(spring, true, CR_PART_SPRING, 0, springs)},
    [CR_OF_TENDON] = {KIND(tendon, true, CR_PART_TENDON, 1, tendons), .lend = cr_tendon_lend},
    [CR_OF_ACTUATOR] = {KIND(actuator, true, CR_PART_ACTUATOR, 1, actuators),
                        .make_way = cr_actuator_make_way},
    [CR_OF_EQUALITY] = {KIND(equality, true, CR_PART_EQUALITY, 1, equalities)},
    [CR_OF_SOFT] = {KIND(soft, true, CR_PART_SOFT, 1, softs), .finish = cr_soft_finish,
                    .resolve = cr_soft_resolve, .make_way = cr_soft_make_way},
    [CR_OF_ATTACHMENT] = {KIND(attachment, true, -1, 0, attachments)},
};

/* What definitions with a name begin with. */
typedef struct def_head {
  uint32_t cookie;
  carom_source source;
  const char* name;
} def_head;

_Static_assert(offsetof(def_head, name) == offsetof(carom_body_def, name) &&
                   offsetof(def_head, name) == offsetof(carom_attachment_def, name),
               "definitions begin alike");

/* Source and name of a definition of any kind, byte by byte. */
static void write_head(const cr_kind* kind, void* def, carom_source source, const char* name) {
  memcpy((char*)def + offsetof(def_head, source), &source, sizeof source);
  if (kind->is_named) memcpy((char*)def + offsetof(def_head, name), &name, sizeof name);
}

static const char* read_name(const cr_kind* kind, const void* def) {
  const char* name = NULL;
  if (kind->is_named) memcpy(&name, (const char*)def + offsetof(def_head, name), sizeof name);
  return name;
}

cr_addition cr_kind_begin(const carom_builder* builder, int kind, int id, void** record,
                          carom_error* error) {
  const cr_kind* k = &cr_kinds[kind];
  cr_list* list = (cr_list*)(void*)((char*)builder + k->list);
  int index = id - k->first_id;
  *record = NULL;
  cr_addition addition = {.builder = (carom_builder*)builder,
                          .list = list,
                          .part = CR_PART_CHANGES,
                          .subject = {.kind = k->word, .number = id, .error = error}};
  if (index < 0 || index >= list->count || (kind == CR_OF_BODY && id == 0)) {
    cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "%s: %d is none that this builder has",
                 k->word, id);
    return addition;
  }
  *record = (char*)list->items + (size_t)index * list->size;
  const cr_label* label = (const cr_label*)(const void*)((char*)*record + k->label);
  addition.subject = cr_label_subject(builder, label, k->word, index + (kind != CR_OF_BODY), error);
  return addition;
}

static carom_status refuse_null(int kind, const carom_builder* builder, carom_error* error) {
  return cr_refuse_null(cr_kinds[kind].word, builder, error);
}

carom_status cr_kind_get(const carom_builder* builder, int kind, int id, void* def,
                         carom_error* error) {
  const cr_kind* k = &cr_kinds[kind];
  void* record;
  cr_error_clear(error);
  if (!builder || !def) return refuse_null(kind, builder, error);
  cr_addition addition = cr_kind_begin(builder, kind, id, &record, error);
  if (!record) return CAROM_ERROR_INVALID_ARGUMENT;
  memcpy(def, record, k->def_size);
  write_head(k, def, addition.subject.source, addition.subject.name);
  if (k->lend) k->lend(builder, record, def);
  return CAROM_OK;
}

/* What others may refer to stays. */
static carom_status check_fixed(const cr_addition* addition, int kind, const void* def,
                                const void* record) {
  for (int i = 0; i < cr_num_fixed_fields; i++) {
    const cr_fixed_field* f = &cr_fixed_fields[i];
    if (f->kind != kind) continue;
    const char *given = (const char*)def + f->offset, *own = (const char*)record + f->offset;
    if (memcmp(given, own, f->size) != 0)
      return cr_subject_fail(&addition->subject, CAROM_ERROR_UNSUPPORTED, "%s cannot be changed",
                             f->word);
  }
  const char* name = read_name(&cr_kinds[kind], def);
  const char* own = addition->subject.name ? addition->subject.name : "";
  if (!name || strcmp(name, own) == 0) return CAROM_OK;
  return cr_subject_fail(&addition->subject, CAROM_ERROR_UNSUPPORTED,
                         "its name cannot be changed, to '%.60s'", name);
}

carom_status cr_kind_set(carom_builder* builder, int kind, int id, const void* def,
                         carom_error* error) {
  const cr_kind* k = &cr_kinds[kind];
  void* record;
  cr_definition made;
  cr_error_clear(error);
  if (!builder || !def) return refuse_null(kind, builder, error);
  CR_TRY(cr_cookie_check(*(const uint32_t*)def, k->cookie, k->word, k->type, error));
  cr_addition addition = cr_kind_begin(builder, kind, id, &record, error);
  if (!record) return CAROM_ERROR_INVALID_ARGUMENT;
  CR_TRY(check_fixed(&addition, kind, def, record));
  memcpy(&made, def, k->def_size);
  if (k->lend) k->lend(builder, record, &made);
  CR_TRY(k->check(&addition, &made));

  /* Pointers of a record's definition are null. */
  write_head(k, &made, (carom_source){0}, NULL);
  if (k->lend) k->lend(NULL, NULL, &made);
  memcpy(record, &made, k->def_size);
  if (k->finish) k->finish(record);
  return CAROM_OK;
}

/* Of parts with handles, and of those that are counted from 0. */
#define ACCESS(KIND, noun, handle_type, id)                                                  \
  carom_status carom_builder_get_##noun(const carom_builder* builder, handle_type noun,      \
                                        carom_##noun##_def* def, carom_error* error) {       \
    return cr_kind_get(builder, KIND, id, def, error);                                       \
  }                                                                                          \
  carom_status carom_builder_set_##noun(carom_builder* builder, handle_type noun,            \
                                        const carom_##noun##_def* def, carom_error* error) { \
    return cr_kind_set(builder, KIND, id, def, error);                                       \
  }
ACCESS(CR_OF_BODY, body, carom_body, body.id)
ACCESS(CR_OF_JOINT, joint, carom_joint, joint.id)
ACCESS(CR_OF_GEOM, geom, carom_geom, geom.id)
ACCESS(CR_OF_SITE, site, carom_site, site.id)
ACCESS(CR_OF_PAIR, pair, int, pair)
ACCESS(CR_OF_SPRING, spring, int, spring)
ACCESS(CR_OF_TENDON, tendon, carom_tendon, tendon.id)
ACCESS(CR_OF_ACTUATOR, actuator, carom_actuator, actuator.id)
ACCESS(CR_OF_EQUALITY, equality, carom_equality, equality.id)
ACCESS(CR_OF_SOFT, soft, carom_soft, soft.id)
ACCESS(CR_OF_ATTACHMENT, attachment, int, attachment)
