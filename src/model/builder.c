/* The builder's life, and what every addition shares: cookies, names, sources, handles. */
#include "model/record.h"

#include <math.h>
#include <string.h>

static carom_status check_options(const carom_builder_def* def, const char* name,
                                  carom_error* error) {
  cr_subject subject = {.kind = "model", .name = name, .error = error};
  CR_TRY(cr_check_finite(&subject, "gravity", def->gravity, 3));
  CR_TRY(cr_check_finite(&subject, "magnetic", def->magnetic, 3));
  CR_TRY(cr_check_positive(&subject, "timestep", def->timestep));
  CR_TRY(cr_check_choice(&subject, "inertia_source", (int)def->inertia_source, CAROM_INERTIA_AUTO,
                         CAROM_INERTIA_BODIES));
  CR_TRY(cr_check_choice(&subject, "friction_rule", (int)def->friction_rule,
                         CAROM_FRICTION_RULE_LARGER, CAROM_FRICTION_RULE_SMALLER));
  CR_TRY(cr_check_not_negative(&subject, "total_mass", def->total_mass));
  CR_TRY(cr_check_not_negative(&subject, "minimum_mass", def->minimum_mass));
  CR_TRY(cr_check_not_negative(&subject, "minimum_inertia", def->minimum_inertia));
  CR_TRY(cr_check_not_negative(&subject, "fluid_density", def->fluid_density));
  CR_TRY(cr_check_not_negative(&subject, "fluid_viscosity", def->fluid_viscosity));
  CR_TRY(cr_check_finite(&subject, "wind", def->wind, 3));
  CR_TRY(cr_check_not_negative(&subject, "rest_speed", def->rest_speed));
  CR_TRY(cr_check_choice(&subject, "patches", (int)def->patches, CAROM_PATCHES_CORNERS,
                         CAROM_PATCHES_AREA));
  CR_TRY(cr_check_positive(&subject, "patch_error", def->patch_error));
  return cr_check_compliance(&subject, "contact_stiffness", def->contact_stiffness, false,
                             "contact_dissipation", def->contact_dissipation);
}

/* Empty lists; takes no memory. */
static void init_lists(carom_builder* builder) {
  builder->names = CR_NAME_TABLE_INIT;
  builder->bodies = CR_LIST_INIT(cr_body_record);
  builder->joints = CR_LIST_INIT(cr_joint_record);
  builder->geoms = CR_LIST_INIT(cr_geom_record);
  builder->pairs = CR_LIST_INIT(cr_pair_record);
  builder->meshes = CR_LIST_INIT(cr_mesh_record);
  builder->height_fields = CR_LIST_INIT(cr_height_field_record);
  builder->excludes = CR_LIST_INIT(cr_exclude_record);
  builder->springs = CR_LIST_INIT(cr_spring_record);
  builder->actuators = CR_LIST_INIT(cr_actuator_record);
  builder->equalities = CR_LIST_INIT(cr_equality_record);
  builder->keyframes = CR_LIST_INIT(cr_keyframe_record);
  builder->tendons = CR_LIST_INIT(cr_tendon_record);
  builder->tendon_terms = CR_LIST_INIT(carom_tendon_term);
  builder->tendon_points = CR_LIST_INIT(carom_tendon_point);
  builder->sites = CR_LIST_INIT(cr_site_record);
  builder->softs = CR_LIST_INIT(cr_soft_record);
  builder->attachments = CR_LIST_INIT(cr_attachment_record);
  builder->attachment_nodes = CR_LIST_INIT(int);
  builder->sensors = CR_LIST_INIT(cr_sensor_record);
  builder->notes = CR_LIST_INIT(cr_note_record);
  builder->numbers = CR_LIST_INIT(double);
}

/* Body 0, which everything hangs on, named "world". */
static carom_status add_world(carom_builder* builder, const char* name, carom_error* error) {
  const carom_allocator* allocator = &builder->def.allocator;
  cr_body_record world = {.def = carom_body_def_default(),
                          .first_child = -1,
                          .last_child = -1,
                          .next = -1,
                          .first_joint = -1,
                          .last_joint = -1,
                          .first_geom = -1,
                          .last_geom = -1};
  world.def.mass = 0;
  int text = cr_text_add(&builder->text, allocator, "world");
  world.label = (cr_label){.name = text, .file = -1, .line = 0};
  if (text < 0 || !cr_list_push(&builder->bodies, allocator, &world) ||
      !cr_name_add(&builder->names, allocator, &builder->text, CR_PART_BODY, text, 0))
    return cr_error_memory(error);
  builder->name = name && name[0] ? cr_text_add(&builder->text, allocator, name) : -1;
  if (name && name[0] && builder->name < 0) return cr_error_memory(error);
  return CAROM_OK;
}

carom_status carom_builder_create(const carom_builder_def* def, carom_builder** builder,
                                  carom_error* error) {
  cr_error_clear(error);
  if (!builder)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "builder: the result is null");
  *builder = NULL;
  carom_builder_def options = def ? *def : carom_builder_def_default();
  CR_TRY(CR_CHECK_COOKIE(&options, builder, "model", error));
  CR_TRY(check_options(&options, options.name, error));
  options.allocator = cr_allocator_resolve(&options.allocator);
  carom_builder* made = cr_alloc_zero(&options.allocator, sizeof *made);
  if (!made) return cr_error_memory(error);
  const char* name = options.name;
  options.name = NULL;
  made->def = options;
  made->last_file = -1;
  init_lists(made);
  carom_status status = add_world(made, name, error);
  if (status == CAROM_OK)
    *builder = made;
  else
    carom_builder_destroy(made);
  return status;
}

carom_builder_def carom_builder_get_options(const carom_builder* builder) {
  carom_builder_def options = builder->def;
  options.name = cr_text_get(&builder->text, builder->name, NULL);
  return options;
}

carom_status carom_builder_set_options(carom_builder* builder, const carom_builder_def* def,
                                       carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("model", builder, error);
  CR_TRY(CR_CHECK_COOKIE(def, builder, "model", error));
  CR_TRY(check_options(def, cr_text_get(&builder->text, builder->name, NULL), error));
  carom_allocator allocator = builder->def.allocator;
  builder->def = *def;
  builder->def.allocator = allocator;
  builder->def.name = NULL;
  return CAROM_OK;
}

/* All lists; those of LISTS_SHARED and later have records that share what they point to. */
enum { LISTS_SHARED = 18, NUM_LISTS = 21 };
static void list_lists(carom_builder* b, cr_list* lists[NUM_LISTS]) {
  cr_list* all[NUM_LISTS] = {
      &b->bodies,       &b->joints,        &b->geoms,       &b->pairs,
      &b->excludes,     &b->springs,       &b->actuators,   &b->equalities,
      &b->keyframes,    &b->notes,         &b->numbers,     &b->tendons,
      &b->tendon_terms, &b->tendon_points, &b->attachments, &b->attachment_nodes,
      &b->sites,        &b->sensors,       &b->meshes,      &b->height_fields,
      &b->softs};
  memcpy(lists, all, sizeof all);
}

void carom_builder_destroy(carom_builder* builder) {
  if (!builder) return;
  carom_allocator allocator = builder->def.allocator;
  cr_list* lists[NUM_LISTS];
  list_lists(builder, lists);
  for (int i = 0; i < LISTS_SHARED; i++) cr_list_release(lists[i], &allocator);
  cr_meshes_release(builder);
  cr_softs_release(builder);
  cr_name_release(&builder->names, &allocator);
  cr_text_release(&builder->text, &allocator);
  cr_release(&allocator, builder, sizeof *builder);
}

/* The records have one owner more. */
static void take_shares(carom_builder* b) {
  for (int i = 0; i < b->meshes.count; i++)
    cr_share_take(CR_AT(&b->meshes, cr_mesh_record, i)->share);
  for (int i = 0; i < b->height_fields.count; i++)
    cr_share_take(CR_AT(&b->height_fields, cr_height_field_record, i)->share);
  for (int i = 0; i < b->softs.count; i++)
    cr_share_take(CR_AT(&b->softs, cr_soft_record, i)->share);
}

/* Copies of all lists; where memory runs out, the rest is empty. */
static bool copy_lists(const carom_builder* from, carom_builder* to) {
  const carom_allocator* allocator = &from->def.allocator;
  carom_builder source = *from;
  cr_list *sources[NUM_LISTS], *lists[NUM_LISTS];
  bool done = true;
  list_lists(&source, sources);
  list_lists(to, lists);
  for (int i = 0; i < NUM_LISTS; i++) {
    *lists[i] = (cr_list){.size = sources[i]->size};
    done = done && cr_list_copy(sources[i], allocator, lists[i]);
  }
  take_shares(to);
  to->names = CR_NAME_TABLE_INIT;
  to->text = (cr_text){0};
  return done && cr_name_copy(&from->names, allocator, &to->names) &&
         cr_text_copy(&from->text, allocator, &to->text);
}

carom_status carom_builder_copy(const carom_builder* builder, carom_builder** copy,
                                carom_error* error) {
  cr_error_clear(error);
  if (!builder || !copy)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "builder: the %s is null",
                        builder ? "result" : "builder");
  *copy = NULL;
  carom_builder* made = cr_alloc(&builder->def.allocator, sizeof *made);
  if (!made) return cr_error_memory(error);
  *made = *builder;
  if (copy_lists(builder, made)) {
    *copy = made;
    return CAROM_OK;
  }
  carom_builder_destroy(made);
  return cr_error_memory(error);
}

carom_status carom_builder_add_note(carom_builder* builder, carom_note_kind kind, const char* note,
                                    carom_error* error) {
  cr_error_clear(error);
  if (!builder || !note)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "note: the %s is null",
                        builder ? "text" : "builder");
  const carom_allocator* allocator = &builder->def.allocator;
  cr_note_record record = {cr_text_add(&builder->text, allocator, note), (int)kind};
  if (record.text < 0 || !cr_list_push(&builder->notes, allocator, &record))
    return cr_error_memory(error);
  return CAROM_OK;
}

carom_status cr_refuse_null(const char* kind, const carom_builder* builder, carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "%s: the %s is null", kind,
                      builder ? "definition" : "builder");
}

carom_status cr_addition_begin(const cr_addition* addition, uint32_t cookie, uint32_t expected,
                               const char* type) {
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_cookie_check(cookie, expected, subject->kind, type, subject->error));
  const char* name = subject->name;
  if (addition->part < 0 || !name || !name[0]) return CAROM_OK;
  const carom_builder* builder = addition->builder;
  if (cr_name_find(&builder->names, &builder->text, addition->part, name) < 0) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "the name is used twice");
}

/* The file's offset in the text; -2 without memory. */
static int intern_file(carom_builder* builder, const char* file) {
  if (!file) return -1;
  if (builder->last_file >= 0 && strcmp(builder->text.bytes + builder->last_file, file) == 0)
    return builder->last_file;
  int offset = cr_text_add(&builder->text, &builder->def.allocator, file);
  if (offset < 0) return -2;
  return builder->last_file = offset;
}

carom_status cr_addition_finish(const cr_addition* addition, void* record, cr_label* label,
                                int* index) {
  carom_builder* builder = addition->builder;
  const carom_allocator* allocator = &builder->def.allocator;
  const cr_subject* subject = &addition->subject;
  bool is_named = subject->name && subject->name[0];
  bool is_in_table = is_named && addition->part >= 0;
  *index = addition->list->count;

  /* Everything that may fail comes first. */
  if (!cr_list_reserve(addition->list, allocator, 1) ||
      (is_in_table && !cr_name_reserve(&builder->names, allocator, &builder->text)))
    return cr_error_memory(subject->error);
  label->line = subject->source.line;
  label->file = intern_file(builder, subject->source.file);
  label->name = is_named ? cr_text_add(&builder->text, allocator, subject->name) : -1;
  if (label->file == -2 || (is_named && label->name < 0)) return cr_error_memory(subject->error);

  cr_list_push(addition->list, allocator, record);
  if (is_in_table)
    cr_name_add(&builder->names, allocator, &builder->text, addition->part, label->name, *index);
  return CAROM_OK;
}

cr_subject cr_label_subject(const carom_builder* builder, const cr_label* label, const char* kind,
                            int number, carom_error* error) {
  const cr_text* text = &builder->text;
  return (cr_subject){.kind = kind,
                      .name = cr_text_get(text, label->name, NULL),
                      .source = {cr_text_get(text, label->file, NULL), label->line},
                      .number = number,
                      .error = error};
}

/* A handle's id between `lowest` and `highest`. */
static carom_status check_handle(const cr_addition* addition, const char* field, int id, int lowest,
                                 int highest) {
  if (id >= lowest && id <= highest) return CAROM_OK;
  const cr_subject* subject = &addition->subject;
  if (id == 0) return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s is missing", field);
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "%s is handle %d, which this builder did not give", field, id);
}

carom_status cr_check_body(const cr_addition* addition, const char* field, carom_body body,
                           int lowest) {
  return check_handle(addition, field, body.id, lowest, addition->builder->bodies.count - 1);
}

carom_status cr_check_joint(const cr_addition* addition, const char* field, carom_joint joint,
                            int lowest) {
  return check_handle(addition, field, joint.id, lowest, addition->builder->joints.count);
}

carom_status cr_check_tendon(const cr_addition* addition, const char* field, carom_tendon tendon,
                             int lowest) {
  return check_handle(addition, field, tendon.id, lowest, addition->builder->tendons.count);
}

carom_status cr_check_scalar_joint(const cr_addition* addition, const char* field,
                                   carom_joint joint, int lowest) {
  CR_TRY(cr_check_joint(addition, field, joint, lowest));
  if (joint.id == 0) return CAROM_OK;
  carom_joint_type type =
      CR_AT(&addition->builder->joints, cr_joint_record, joint.id - 1)->def.type;
  if (type == CAROM_JOINT_HINGE || type == CAROM_JOINT_SLIDE) return CAROM_OK;
  return cr_subject_fail(&addition->subject, CAROM_ERROR_BAD_INPUT,
                         "%s is %s, must be a hinge or a slide", field,
                         type == CAROM_JOINT_BALL ? "a ball joint" : "a free joint");
}

carom_status cr_check_site(const cr_addition* addition, const char* field, carom_site site,
                           int lowest) {
  return check_handle(addition, field, site.id, lowest, addition->builder->sites.count);
}

carom_status cr_check_actuator(const cr_addition* addition, const char* field,
                               carom_actuator actuator) {
  return check_handle(addition, field, actuator.id, 1, addition->builder->actuators.count);
}

carom_status cr_check_geom(const cr_addition* addition, const char* field, carom_geom geom) {
  return check_handle(addition, field, geom.id, 1, addition->builder->geoms.count);
}

quat cr_quat_unit(const double* numbers) {
  double largest = 0;
  for (int i = 0; i < 4; i++) largest = fmax(largest, fabs(numbers[i]));
  if (!(largest > 0)) return quat_identity();
  double scaled[4];
  for (int i = 0; i < 4; i++) scaled[i] = numbers[i] / largest;
  return quat_normalize(quat_load(scaled));
}
