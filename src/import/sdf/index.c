/* Scopes and what stands in them: models, links, joints and frames by their names. */
#include "import/sdf/reader.h"

#include <string.h>

/* Models within models. */
#define MAX_NESTING 64

static const char* const TYPES[] = {"revolute", "continuous", "prismatic", "fixed",
                                    "ball",     "universal",  "revolute2", "screw",
                                    "gearbox",  "planar",     NULL};

/* A model on its way in. */
typedef struct guest {
  const cr_xml_element* element;
  const cr_xml_element* include; /* that brought it, or null */
  int version;
  int depth;
  bool is_alone; /* the document is this model: its parts' names need no prefix */
} guest;

static bool is_joint(const cr_xml_element* e) {
  return strcmp(e->name, "joint") == 0 || strcmp(e->name, "drake:joint") == 0;
}

/* ---- Names */

/* Files before 1.7 may give a joint the name of a link: it is called NAME_joint then. */
static carom_status find_free_name(cr_sdf* s, int scope, const cr_sdf_frame* frame,
                                   const char** name) {
  static const char RENAMED[] = "named NAME_joint: a link has its name";
  const cr_sdf_scope* place = cr_sdf_scope_at(s, scope);
  *name = frame->name;
  int other = cr_name_find(&s->names, &s->text, place->names, *name);
  if (other < 0) return CAROM_OK;
  if (place->version < 107 && frame->kind == CR_SDF_JOINT) {
    *name = cr_sdf_join(s, frame->name, "_joint");
    if (!*name) return cr_error_memory(s->document.error);
    CR_TRY(cr_document_remark(&s->document, frame->element, NULL, RENAMED));
    if (cr_name_find(&s->names, &s->text, place->names, *name) < 0) return CAROM_OK;
  }
  const cr_xml_element* rival = cr_sdf_frame_at(s, other)->element;
  cr_subject subject = cr_document_subject(&s->document, frame->element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the %s at line %d has this name too",
                         rival ? rival->name : "world", rival ? rival->line : 0);
}

/* Adds a frame under its name.
 * @param index receives its place */
static carom_status add_frame(cr_sdf* s, int scope, cr_sdf_frame* frame, int* index) {
  cr_document* d = &s->document;
  CR_TRY(cr_document_require(d, frame->element, "name", &frame->name));
  CR_TRY(find_free_name(s, scope, frame, &frame->name));
  if (!frame->pose) CR_TRY(cr_document_child(d, frame->element, "pose", &frame->pose));
  frame->scope = scope;
  frame->link = CR_SDF_UNKNOWN;
  *index = s->frames.count;
  int offset = cr_text_add(&s->text, &d->allocator, frame->name);
  int kind = cr_sdf_scope_at(s, scope)->names;
  if (offset < 0 || !cr_list_push(&s->frames, &d->allocator, frame) ||
      !cr_name_add(&s->names, &d->allocator, &s->text, kind, offset, *index))
    return cr_error_memory(d->error);
  return CAROM_OK;
}

/* The name of a part with those of its models. */
static carom_status make_name(cr_sdf* s, int scope, int frame, const char** name) {
  *name = cr_sdf_join(s, cr_sdf_scope_at(s, scope)->prefix, cr_sdf_frame_at(s, frame)->name);
  return *name ? CAROM_OK : cr_error_memory(s->document.error);
}

/* ---- Parts */

static carom_status add_link(cr_sdf* s, int scope, const cr_xml_element* element) {
  cr_sdf_frame frame = {.kind = CR_SDF_LINK, .element = element, .item = s->links.count};
  cr_sdf_link link = {.element = element,
                      .scope = scope,
                      .parent = CR_SDF_NONE,
                      .first_child = CR_SDF_NONE,
                      .last_child = CR_SDF_NONE,
                      .self_collides = cr_sdf_scope_at(s, scope)->self_collides};
  CR_TRY(add_frame(s, scope, &frame, &link.frame));
  CR_TRY(make_name(s, scope, link.frame, &link.name));
  CR_TRY(cr_sdf_flag(s, element, "self_collide", &link.self_collides));
  if (!cr_list_push(&s->links, &s->document.allocator, &link))
    return cr_error_memory(s->document.error);
  return CAROM_OK;
}

static carom_status read_type(cr_sdf* s, const cr_xml_element* element, cr_sdf_type* type) {
  const char* word;
  CR_TRY(cr_document_require(&s->document, element, "type", &word));
  for (int i = 0; TYPES[i]; i++)
    if (strcmp(TYPES[i], word) == 0) {
      *type = (cr_sdf_type)i;
      return CAROM_OK;
    }
  cr_subject subject = cr_document_subject(&s->document, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "type is '%.60s', must be revolute, continuous, prismatic, fixed, ball, "
                         "universal, revolute2, screw or gearbox",
                         word);
}

static carom_status add_joint(cr_sdf* s, int scope, const cr_xml_element* element) {
  cr_sdf_frame frame = {.kind = CR_SDF_JOINT, .element = element, .item = s->joints.count};
  cr_sdf_joint joint = {.element = element, .scope = scope, .next = CR_SDF_NONE};
  CR_TRY(read_type(s, element, &joint.type));
  CR_TRY(add_frame(s, scope, &frame, &joint.frame));
  CR_TRY(make_name(s, scope, joint.frame, &joint.name));
  if (!cr_list_push(&s->joints, &s->document.allocator, &joint))
    return cr_error_memory(s->document.error);
  return CAROM_OK;
}

/* ---- Models */

static carom_status add_parts(cr_sdf* s, int scope, const cr_xml_element* element, int depth);

/* The name that a guest goes by: that of the include, else its own. */
static carom_status find_guest_name(cr_sdf* s, const guest* g, bool is_merged, const char** name) {
  CR_TRY(cr_document_require(&s->document, g->element, "name", name));
  if (!g->include) return CAROM_OK;
  const char *own, *start;
  CR_TRY(cr_sdf_word(s, g->include, "name", &own));
  if (own) *name = own;
  if (!is_merged) return CAROM_OK;
  start = cr_sdf_join(s, "_merged__", *name);
  *name = start ? cr_sdf_join(s, start, "__model__") : NULL;
  return *name ? CAROM_OK : cr_error_memory(s->document.error);
}

/* What the include says over the model: pose, placement, static. */
static carom_status read_traits(cr_sdf* s, const guest* g, cr_sdf_frame* frame,
                                cr_sdf_scope* scope) {
  scope->placement = cr_xml_get(g->element, "placement_frame");
  CR_TRY(cr_sdf_flag(s, g->element, "self_collide", &scope->self_collides));
  bool is_static = false;
  CR_TRY(cr_sdf_flag(s, g->element, "static", &is_static));
  if (g->include) {
    const char* placement;
    CR_TRY(cr_document_child(&s->document, g->include, "pose", &frame->pose));
    CR_TRY(cr_sdf_word(s, g->include, "placement_frame", &placement));
    CR_TRY(cr_sdf_flag(s, g->include, "static", &is_static));
    if (placement) scope->placement = placement;
  }
  if (!frame->pose) CR_TRY(cr_document_child(&s->document, g->element, "pose", &frame->pose));
  scope->is_static = scope->is_static || is_static;
  return CAROM_OK;
}

/* The frame of a model, among those of the scope that it stands in. */
static carom_status add_model_frame(cr_sdf* s, int parent, const guest* g, const char* name,
                                    cr_sdf_frame* frame, int* index) {
  cr_xml_attribute attribute = {"name", name};
  cr_xml_element named = *g->element;
  named.attributes = &attribute, named.num_attributes = 1;
  frame->element = &named; /* only for its name and place in sentences */
  CR_TRY(add_frame(s, parent, frame, index));
  cr_sdf_frame_at(s, *index)->element = g->element;
  return CAROM_OK;
}

static carom_status add_model(cr_sdf* s, int parent, const guest* g) {
  const cr_sdf_scope host = *cr_sdf_scope_at(s, parent);
  const char *merge = g->include ? cr_xml_get(g->include, "merge") : NULL, *name;
  bool is_merged = merge && (strcmp(merge, "true") == 0 || strcmp(merge, "1") == 0);
  int index = s->scopes.count;
  cr_subject subject = cr_document_subject(&s->document, g->element);
  if (g->depth > MAX_NESTING)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "models are nested more than %d deep",
                           MAX_NESTING);
  cr_sdf_frame frame = {.kind = CR_SDF_MODEL, .item = index};
  cr_sdf_scope scope = {.element = g->element,
                        .parent = parent,
                        .names = is_merged ? host.names : index,
                        .version = g->version,
                        .first_link = s->links.count,
                        .is_static = host.is_static,
                        .prefix = host.prefix};
  CR_TRY(find_guest_name(s, g, is_merged, &name));
  CR_TRY(read_traits(s, g, &frame, &scope));
  if (is_merged) scope.self_collides = host.self_collides;
  CR_TRY(add_model_frame(s, parent, g, name, &frame, &scope.frame));
  if (!is_merged && !g->is_alone) {
    const char* start = cr_sdf_join(s, host.prefix, name);
    scope.prefix = start ? cr_sdf_join(s, start, "::") : NULL;
    if (!scope.prefix) return cr_error_memory(s->document.error);
  }
  if (!cr_list_push(&s->scopes, &s->document.allocator, &scope))
    return cr_error_memory(s->document.error);
  CR_TRY(add_parts(s, index, g->element, g->depth));
  cr_sdf_scope_at(s, index)->end_link = s->links.count;
  return CAROM_OK;
}

static carom_status add_include(cr_sdf* s, int parent, const cr_xml_element* include, int depth) {
  guest g = {.include = include, .depth = depth + 1};
  CR_TRY(cr_document_check_known(&s->document, include,
                                 " uri name pose static placement_frame plugin ", " merge "));
  CR_TRY(cr_sdf_include(s, include, depth, &g.element, &g.version));
  if (!g.element) return CAROM_OK;
  cr_sdf_scan(s, g.element);
  return add_model(s, parent, &g);
}

static carom_status add_parts(cr_sdf* s, int scope, const cr_xml_element* element, int depth) {
  for (const cr_xml_element* e = element->first_child; e; e = e->next) {
    cr_sdf_frame frame = {.kind = CR_SDF_FRAME, .element = e, .item = CR_SDF_NONE};
    int index;
    if (strcmp(e->name, "link") == 0)
      CR_TRY(add_link(s, scope, e));
    else if (is_joint(e))
      CR_TRY(add_joint(s, scope, e));
    else if (strcmp(e->name, "frame") == 0)
      CR_TRY(add_frame(s, scope, &frame, &index));
    else if (strcmp(e->name, "include") == 0)
      CR_TRY(add_include(s, scope, e, depth));
    else if (strcmp(e->name, "model") == 0)
      CR_TRY(add_model(s, scope,
                       &(guest){.element = e,
                                .version = cr_sdf_scope_at(s, scope)->version,
                                .depth = depth + 1}));
  }
  return CAROM_OK;
}

/* ---- The document */

/* The world's scope and frame; a file without a world stands in one all the same. */
static carom_status add_world(cr_sdf* s, const cr_xml_element* world, int version) {
  const char* name = "world";
  cr_sdf_scope scope = {.element = world, .parent = CR_SDF_NONE, .version = version, .prefix = ""};
  cr_sdf_frame frame = {.kind = CR_SDF_MODEL,
                        .element = world,
                        .name = name,
                        .placed = CR_SDF_DONE,
                        .attached = CR_SDF_DONE,
                        .local = pose_identity(),
                        .link = CR_SDF_NONE};
  const carom_allocator* allocator = &s->document.allocator;
  if (!cr_list_push(&s->scopes, allocator, &scope) || !cr_list_push(&s->frames, allocator, &frame))
    return cr_error_memory(s->document.error);
  return CAROM_OK;
}

carom_status cr_sdf_index(cr_sdf* s, const cr_xml_element* root) {
  const cr_xml_element* world;
  int version, num_models = 0;
  CR_TRY(cr_sdf_version(s, root, &version));
  cr_sdf_scan(s, root);
  CR_TRY(cr_document_child(&s->document, root, "world", &world));
  CR_TRY(add_world(s, world, version));
  if (world) return add_parts(s, CR_SDF_WORLD, world, 0);
  for (const cr_xml_element* e = root->first_child; e; e = e->next)
    num_models += strcmp(e->name, "model") == 0 || strcmp(e->name, "include") == 0;
  cr_subject subject = cr_document_subject(&s->document, root);
  if (!num_models)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the file holds no world and no model");
  if (num_models > 1) return add_parts(s, CR_SDF_WORLD, root, 0);
  const cr_xml_element* model;
  CR_TRY(cr_document_child(&s->document, root, "model", &model));
  if (!model) return add_parts(s, CR_SDF_WORLD, root, 0);
  return add_model(s, CR_SDF_WORLD,
                   &(guest){.element = model, .version = version, .depth = 1, .is_alone = true});
}
