/* From an SDF file to a model: read the tree, list scopes and frames, work out where they are, hang
 * links on each other, add bodies from the roots outwards, then what names them, compile.
 *
 * The stated inertias are used as they are, also those that no rigid body has, as long as the mass
 * matrix is positive definite; each of these is noted. */
#include "import/sdf/load.h"

#include "import/sdf/reader.h"
#include "io/file.h"

#include "carom/scene.h"

#include <string.h>

bool cr_sdf_is_root(const char* name) {
  return strcmp(name, "sdf") == 0 || strcmp(name, "gazebo") == 0;
}

static carom_status read_tree(cr_sdf* s, const char* name, const char* text, size_t length,
                              cr_xml_element** root) {
  carom_error* error = s->document.error;
  cr_xml_source source = {.name = name, .text = text, .length = length};
  if (!text && !(source.file = cr_file_open_regular(name)))
    return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be opened: %s", name,
                        cr_file_fault(name));
  carom_status status = cr_xml_read(&s->document.xml, &source, root, error);
  if (source.file) fclose(source.file);
  CR_TRY(status);
  if (cr_sdf_is_root((*root)->name)) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                      "%.200s:%d: the root element is '%.60s', must be sdf", (*root)->file,
                      (*root)->line, (*root)->name);
}

static carom_status create_builder(cr_sdf* s) {
  carom_builder_def* def = &s->def;
  const cr_sdf_scope* world = cr_sdf_scope_at(s, CR_SDF_WORLD);
  if (world->element) def->name = cr_xml_get(world->element, "name");
  if (!world->element && s->scopes.count > 1)
    def->name = cr_xml_get(cr_sdf_scope_at(s, 1)->element, "name");
  if (s->friction_rule >= 0) def->friction_rule = (carom_friction_rule)s->friction_rule;
  if (s->gravity) memcpy(def->gravity, s->gravity, sizeof def->gravity);
  return carom_builder_create(def, &s->builder, s->document.error);
}

static carom_status read_document(cr_sdf* s, const cr_xml_element* root) {
  if (!cr_remark_add_form(&s->document.remarks, &s->document.allocator, root))
    return cr_error_memory(s->document.error);
  CR_TRY(cr_document_refuse_xacro(&s->document, root));
  CR_TRY(cr_sdf_index(s, root));
  CR_TRY(cr_sdf_place(s));
  CR_TRY(cr_sdf_hang(s));
  CR_TRY(cr_sdf_read_settings(s, root));
  CR_TRY(create_builder(s));
  CR_TRY(cr_sdf_add_links(s));
  CR_TRY(cr_sdf_add_couplings(s));
  CR_TRY(cr_sdf_add_ties(s));
  CR_TRY(cr_sdf_add_filters(s));
  CR_TRY(cr_sdf_add_sensors(s));
  CR_TRY(cr_builder_give_inertia(s->builder, s->document.error));
  if (s->floor)
    CR_TRY(cr_add_floor(s->builder, s->has_bits ? CR_SDF_ALL_BITS : 1, s->document.error));
  return cr_remark_write_all(&s->document.remarks, s->builder, s->document.error);
}

static void init_reader(cr_sdf* s, const carom_load_def* def, carom_error* error) {
  carom_allocator allocator = cr_allocator_resolve(&def->allocator);
  cr_document_init(&s->document, &allocator, def->permissive, error);
  s->search.pool = &s->document.xml.pool;
  s->names = CR_NAME_TABLE_INIT;
  s->scopes = CR_LIST_INIT(cr_sdf_scope);
  s->frames = CR_LIST_INIT(cr_sdf_frame);
  s->links = CR_LIST_INIT(cr_sdf_link);
  s->joints = CR_LIST_INIT(cr_sdf_joint);
  s->def = carom_builder_def_default();
  s->def.allocator = allocator;
  s->def.allow_unphysical = true;
  s->def.friction_rule = CAROM_FRICTION_RULE_SMALLER;
}

static void destroy_reader(cr_sdf* s) {
  const carom_allocator* allocator = &s->document.allocator;
  carom_builder_destroy(s->builder);
  cr_list* lists[] = {&s->scopes, &s->frames, &s->links, &s->joints};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) cr_list_release(lists[i], allocator);
  cr_name_release(&s->names, allocator);
  cr_text_release(&s->text, allocator);
  cr_document_release(&s->document);
}

carom_status cr_sdf_read(const char* name, const char* text, size_t length,
                         const carom_load_def* def, const cr_sdf_files* files,
                         carom_builder** builder, carom_error* error) {
  cr_sdf s = {.load = def,
              .search = {.main_path = name,
                         .outside = def->outside,
                         .folders = def->search,
                         .alone = def->alone,
                         .absolute = text != NULL},
              .files = files,
              .base = def->base,
              .friction_rule = def->friction_rule,
              .gravity = def->gravity,
              .floor = def->floor};
  cr_xml_element* root = NULL;
  if (files) s.search.exists = files->exists, s.search.user = files->user;
  init_reader(&s, def, error);
  carom_status status = read_tree(&s, name, text, length, &root);
  if (status == CAROM_OK) status = read_document(&s, root);
  if (status == CAROM_OK) *builder = s.builder, s.builder = NULL;
  destroy_reader(&s);
  return status;
}

carom_status cr_sdf_load(const char* name, const char* text, size_t length,
                         const carom_load_def* def, const cr_sdf_files* files, carom_model** model,
                         carom_error* error) {
  carom_builder* builder = NULL;
  CR_TRY(cr_sdf_read(name, text, length, def, files, &builder, error));
  return cr_builder_finish(builder, model, error);
}
