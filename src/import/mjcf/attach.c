/* <attach model="..." body="..." prefix="..."/>: the body or frame of another model, or all that
 * stands in its world, becomes the child of the element; its sections join those of the model
 * around it.
 *
 * Every attachment reads the file anew, so that its elements can be renamed in place. Elements keep
 * the number of their document, whose compiler options hold for them. */
#include "import/mjcf/attach.h"

#include "import/mjcf/class.h"
#include "import/mjcf/layout.h"

#include <string.h>

/* Models within models: a model that attaches itself ends here. */
#define MAX_NESTING 16

/* What is done with the sections of an attached model. */
typedef enum fate {
  FATE_JOIN,   /* all of it joins */
  FATE_SELECT, /* what refers to attached parts joins */
  FATE_LEAVE,  /* noted and left */
  FATE_READ,   /* read elsewhere */
  FATE_STATES, /* read behind those around it, see layout.h */
} fate;

static fate fate_of(const char* name) {
  static const struct {
    const char* name;
    fate fate;
  } FATES[] = {{"contact", FATE_SELECT},  {"tendon", FATE_SELECT},   {"equality", FATE_SELECT},
               {"actuator", FATE_SELECT}, {"sensor", FATE_SELECT},   {"option", FATE_LEAVE},
               {"size", FATE_LEAVE},      {"visual", FATE_LEAVE},    {"statistic", FATE_LEAVE},
               {"custom", FATE_LEAVE},    {"keyframe", FATE_STATES}, {"worldbody", FATE_READ},
               {"compiler", FATE_READ}};
  for (size_t i = 0; i < sizeof FATES / sizeof FATES[0]; i++)
    if (strcmp(FATES[i].name, name) == 0) return FATES[i].fate;
  return FATE_JOIN;
}

/* The name of a <model> of the assets: its own, or that which its file gives itself; null: none. */
static const char* name_of_model(cr_mjcf* m, const cr_xml_element* model) {
  const char *name = cr_xml_get(model, "name"), *file = cr_xml_get(model, "file");
  if ((name && name[0]) || !file) return name;
  char* path;
  carom_error ignored;
  cr_xml_element* root = NULL;
  const char* main_path = CR_AT(&m->documents, cr_mjcf_document, model->document)->file;
  cr_xml_source source = {.file = cr_mjcf_find_file(m, main_path, model, file, &path),
                          .root_only = true};
  if (!source.file) return NULL;
  source.name = path;
  if (cr_xml_read(&m->xml, &source, &root, &ignored) != CAROM_OK) root = NULL;
  fclose(source.file);
  return root ? cr_xml_get(root, "model") : NULL;
}

/* The <model> of the assets that an attachment names. */
static carom_status find_model(cr_mjcf* m, const cr_xml_element* root, const cr_xml_element* attach,
                               const cr_xml_element** found) {
  cr_subject subject = cr_mjcf_subject(m, attach);
  const char* name = cr_xml_get(attach, "model");
  *found = NULL;
  for (const cr_xml_element* section = root->first_child; section; section = section->next) {
    if (strcmp(section->name, "asset") != 0) continue;
    for (const cr_xml_element* e = section->first_child; e; e = e->next) {
      if (strcmp(e->name, "model") != 0) continue;
      const char* other = name_of_model(m, e);
      if (other && strcmp(other, name) == 0) *found = e;
    }
  }
  if (*found) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "model is '%.60s', no model of the assets has this name", name);
}

/* A new document: its compiler options and its class "main" say nothing yet. */
static carom_status add_document(cr_mjcf* m, const cr_xml_element* attach, cr_xml_element* root) {
  cr_mjcf_document document = {
      .attach = attach, .file = root->file, .main_class = m->classes.count};
  cr_mjcf_compiler_init(&document.compiler);
  cr_mjcf_class main_class;
  cr_mjcf_class_init(&main_class);
  CR_TRY(cr_mjcf_check_classes(m, attach));
  int index = m->documents.count;
  if (!cr_list_push(&m->documents, &m->allocator, &document) ||
      !cr_list_push(&m->classes, &m->allocator, &main_class))
    return cr_error_memory(m->error);
  for (cr_xml_element* e = root; e; e = cr_xml_next(e, root)) e->document = index;
  return CAROM_OK;
}

/* Reads the file of a model, its includes and its compiler options. */
static carom_status read_model(cr_mjcf* m, const cr_xml_element* attach,
                               const cr_xml_element* model, cr_xml_element** root) {
  cr_subject subject = cr_mjcf_subject(m, model);
  const char* file = cr_xml_get(model, "file");
  if (!file || !file[0])
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'file' is missing");
  const char* main_path = CR_AT(&m->documents, cr_mjcf_document, model->document)->file;
  char* path;
  FILE* opened = cr_mjcf_find_file(m, main_path, model, file, &path);
  if (!path) return cr_error_memory(m->error);
  if (!opened) return cr_mjcf_fail_open(m, &subject, file, path);
  cr_xml_source source = {.name = path, .file = opened, .depth = attach->depth};
  carom_status status = cr_xml_read(&m->xml, &source, root, m->error);
  fclose(opened);
  CR_TRY(status);
  if (!*root || strcmp((*root)->name, "mujoco") != 0)
    return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                           "the root element of '%.150s' is not mujoco", file);
  CR_TRY(cr_mjcf_include(m, *root, path));
  CR_TRY(add_document(m, attach, *root));
  for (const cr_xml_element* s = (*root)->first_child; s; s = s->next)
    if (strcmp(s->name, "compiler") == 0) CR_TRY(cr_mjcf_read_compiler(m, s));
  return CAROM_OK;
}

/* Gives the body or frame the class that its elements inherit, which what is around it says. */
static carom_status keep_class(cr_mjcf* m, cr_xml_element* part) {
  for (const cr_xml_element* e = part; e; e = e->parent) {
    const char* class = cr_xml_get(e, "childclass");
    if (class) return cr_mjcf_set_attribute(m, part, "childclass", class);
  }
  return CAROM_OK;
}

/* The body or frame that an attachment names. Frames around it do not count, copies of it have
 * names of their own. */
static carom_status find_part(cr_mjcf* m, const cr_xml_element* attach, cr_xml_element* root,
                              const char* kind, cr_xml_element** found) {
  cr_subject subject = cr_mjcf_subject(m, attach);
  const char* name = cr_xml_get(attach, kind);
  *found = NULL;
  for (cr_xml_element* e = root; e; e = cr_xml_next(e, root)) {
    const char* other = strcmp(e->name, kind) == 0 ? cr_xml_get(e, "name") : NULL;
    if (other && strcmp(other, name) == 0) *found = e;
  }
  if (!*found)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "%s is '%.60s', no %s of the model has this name", kind, name, kind);
  for (const cr_xml_element* e = (*found)->parent; e && e != root; e = e->parent)
    if (strcmp(e->name, "replicate") == 0)
      return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                             "%s '%.60s' stands in a replicate, which is not supported", kind,
                             name);
  return CAROM_OK;
}

/* Moves the named body or frame, or all of the world, into `attach`; what is left is noted. */
static carom_status move_bodies(cr_mjcf* m, cr_xml_element* attach, cr_xml_element* root,
                                cr_mjcf_leftover* left) {
  const char* kind = cr_xml_get(attach, "body") ? "body" : "frame";
  const char* name = cr_xml_get(attach, kind);
  if (name) {
    cr_xml_element* part = NULL;
    CR_TRY(find_part(m, attach, root, kind, &part));
    CR_TRY(keep_class(m, part));
    if (part) cr_mjcf_unlink(part), cr_xml_append(attach, part);
  }
  for (cr_xml_element* section = root->first_child; section; section = section->next) {
    if (strcmp(section->name, "worldbody") != 0) continue;
    if (name) CR_TRY(cr_mjcf_leave_behind(m, left, section));
    while (!name && section->first_child) {
      cr_xml_element* child = section->first_child;
      cr_mjcf_unlink(child);
      cr_xml_append(attach, child);
    }
  }
  return CAROM_OK;
}

/* Lets the sections of an attached model join those of the model around it. In the order of what
 * names what: a tendon that stays behind leaves its actuators there, they leave their sensors. */
static carom_status join_sections(cr_mjcf* m, cr_xml_element* root, cr_xml_element* from,
                                  cr_mjcf_leftover* left) {
  static const char* const ORDER[] = {"contact", "tendon", "equality", "actuator", "sensor"};
  static const char TEXT[] = "not used: those of the model that it is attached to hold";
  for (size_t i = 0; i < sizeof ORDER / sizeof ORDER[0]; i++)
    for (cr_xml_element* s = from->first_child; s; s = s->next)
      if (strcmp(s->name, ORDER[i]) == 0) CR_TRY(cr_mjcf_drop_strangers(m, left, s));
  for (cr_xml_element *s = from->first_child, *next; s; s = next) {
    next = s->next;
    fate kind = fate_of(s->name);
    if (kind == FATE_LEAVE) CR_TRY(cr_mjcf_remark_on(m, s, NULL, TEXT, TEXT));
    if (kind == FATE_JOIN || kind == FATE_SELECT) cr_mjcf_unlink(s), cr_xml_append(root, s);
  }
  return CAROM_OK;
}

/* Classes of the attached model hang on its own "main", which needs a name to be found by. */
static carom_status name_main_class(cr_mjcf* m, const cr_xml_element* root) {
  for (cr_xml_element* s = root->first_child; s; s = s->next)
    if (strcmp(s->name, "default") == 0 && !cr_xml_get(s, "class"))
      CR_TRY(cr_mjcf_set_attribute(m, s, "class", "main"));
  return CAROM_OK;
}

/* Prefixes the keyframes of an attached document, and of those that are attached to it; one without
 * a name is called by the prefix. */
static carom_status name_keyframes(cr_mjcf* m, int document, const char* prefix) {
  for (int i = document; i < m->documents.count; i++) {
    cr_xml_element* root = CR_AT(&m->documents, cr_mjcf_document, i)->root;
    for (cr_xml_element* s = root ? root->first_child : NULL; s; s = s->next) {
      if (strcmp(s->name, "keyframe") != 0) continue;
      for (cr_xml_element* e = s->first_child; e; e = e->next) {
        const char* name = cr_xml_get(e, "name");
        CR_TRY(name && name[0] ? cr_mjcf_prefix_names(m, e, prefix)
                               : cr_mjcf_set_attribute(m, e, "name", prefix));
      }
    }
  }
  return CAROM_OK;
}

static carom_status check_names(const cr_mjcf* m, const cr_xml_element* attach) {
  cr_subject subject = cr_mjcf_subject(m, attach);
  if (cr_xml_get(attach, "body") && cr_xml_get(attach, "frame"))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "body and frame are both given");
  const char* prefix = cr_xml_get(attach, "prefix");
  if (prefix && prefix[0]) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'prefix' is %s",
                         prefix ? "empty" : "missing");
}

/* Moves what is attached of a model into its place, under new names. */
static carom_status join_model(cr_mjcf* m, cr_xml_element* root, cr_xml_element* attach,
                               cr_xml_element* from) {
  const char* prefix = cr_xml_get(attach, "prefix");
  cr_mjcf_leftover left = {.names = CR_NAME_TABLE_INIT};
  cr_xml_element* last = root->last_child;
  carom_status status = name_main_class(m, from);
  if (status == CAROM_OK) status = move_bodies(m, attach, from, &left);
  if (status == CAROM_OK) status = join_sections(m, root, from, &left);
  if (status == CAROM_OK) status = cr_mjcf_prefix_names(m, attach, prefix);
  for (cr_xml_element* s = last->next; s && status == CAROM_OK; s = s->next)
    status = cr_mjcf_prefix_names(m, s, prefix);
  if (status == CAROM_OK) status = name_keyframes(m, from->document, prefix);
  cr_name_release(&left.names, &m->allocator);
  cr_text_release(&left.text, &m->allocator);
  return status;
}

/* Whether an element stands before another in the file. */
static bool is_before(const cr_xml_element* root, const cr_xml_element* a,
                      const cr_xml_element* b) {
  for (const cr_xml_element* e = root; e && e != b; e = cr_xml_next(e, root))
    if (e == a) return true;
  return false;
}

/* Without a model, a part of the document that stands before. */
static carom_status attach_self(cr_mjcf* m, cr_xml_element* root, cr_xml_element* attach) {
  cr_subject subject = cr_mjcf_subject(m, attach);
  const char* kind = cr_xml_get(attach, "body") ? "body" : "frame";
  cr_xml_element* part = NULL;
  if (!cr_xml_get(attach, kind))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "model is missing: give it, or a body or frame of this one");
  CR_TRY(find_part(m, attach, root, kind, &part));
  if (is_before(root, part, attach)) return cr_mjcf_attach_self(m, root, attach, part);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "%s is '%.60s', which must stand before its copy in the file", kind,
                         cr_xml_get(attach, kind));
}

static carom_status expand(cr_mjcf* m, cr_xml_element* root, int nesting);

static carom_status attach_model(cr_mjcf* m, cr_xml_element* root, cr_xml_element* attach,
                                 int nesting) {
  static const cr_attribute ATTACH[] = {CR_ELSEWHERE("model"), CR_ELSEWHERE("body"),
                                        CR_ELSEWHERE("frame"), CR_ELSEWHERE("prefix"), CR_END};
  cr_subject subject = cr_mjcf_subject(m, attach);
  const cr_xml_element* model = NULL;
  cr_xml_element* other = NULL;
  CR_TRY(cr_mjcf_read_attributes(m, attach, ATTACH, NULL));
  CR_TRY(cr_mjcf_expect_no_children(m, attach));
  CR_TRY(check_names(m, attach));
  if (!cr_xml_get(attach, "model")) return attach_self(m, root, attach);
  CR_TRY(find_model(m, root, attach, &model));
  if (nesting == MAX_NESTING)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "models are attached to models more than %d deep", MAX_NESTING);
  if (model) CR_TRY(read_model(m, attach, model, &other));
  if (!other) return CAROM_OK;
  CR_TRY(expand(m, other, nesting + 1));
  CR_TRY(cr_mjcf_list_slots(m, other));
  return join_model(m, root, attach, other);
}

/* Attaches models and copies what refers to copies, in the order of the file, inner elements before
 * what they stand in: behind their children. What an attachment brings has been seen to. */
static carom_status expand_within(cr_mjcf* m, cr_xml_element* root, cr_xml_element* top,
                                  int nesting) {
  cr_xml_element* e = top;
  while (e->first_child) e = e->first_child;
  while (e != top) {
    if (strcmp(e->name, "attach") == 0) CR_TRY(attach_model(m, root, e, nesting));
    if (strcmp(e->name, "replicate") == 0) CR_TRY(cr_mjcf_replicate_references(m, root, e));
    if (!e->next) {
      e = e->parent;
      continue;
    }
    for (e = e->next; e->first_child;) e = e->first_child;
  }
  return CAROM_OK;
}

static carom_status expand(cr_mjcf* m, cr_xml_element* root, int nesting) {
  for (cr_xml_element* s = root->first_child; s; s = s->next)
    if (strcmp(s->name, "worldbody") == 0) CR_TRY(expand_within(m, root, s, nesting));
  return CAROM_OK;
}

carom_status cr_mjcf_attach(cr_mjcf* m, cr_xml_element* root) { return expand(m, root, 0); }

carom_status cr_mjcf_check_documents(cr_mjcf* m) {
  static const char INERTIA[] =
      "the compiler options of its model about masses are others than those around it, which is "
      "not supported";
  cr_mjcf_select_document(m, 0);
  const cr_mjcf_compiler* ours = &m->compiler;
  for (int i = 1; i < m->documents.count; i++) {
    const cr_mjcf_document* document = CR_AT(&m->documents, cr_mjcf_document, i);
    const cr_mjcf_compiler* theirs = &document->compiler;
    if (theirs->inertiafromgeom != ours->inertiafromgeom || theirs->settotalmass > 0 ||
        theirs->boundmass != ours->boundmass || theirs->boundinertia != ours->boundinertia ||
        theirs->balanceinertia != ours->balanceinertia || theirs->unphysical != ours->unphysical)
      CR_TRY(cr_mjcf_refuse(m, document->attach, NULL, INERTIA, INERTIA));
  }
  return CAROM_OK;
}
