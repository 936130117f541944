/* From a URDF file to a model: read the tree, list links and joints, take the settings of the
 * extensions, add bodies from the root outwards, then what names them, compile.
 *
 * The stated inertias are used as they are, also those that no rigid body has, as long as the mass
 * matrix is positive definite; each of these is noted. */
#include "import/urdf/load.h"

#include "import/urdf/reader.h"
#include "io/file.h"

#include "carom/scene.h"

#include <string.h>

static carom_status read_tree(cr_urdf* u, const char* name, const char* text, size_t length) {
  cr_xml_element* root;
  cr_xml_source source = {.name = name, .text = text, .length = length};
  if (!text && !(source.file = cr_file_open_regular(name)))
    return cr_error_set(u->document.error, CAROM_ERROR_FILE, "%.300s: cannot be opened: %s", name,
                        cr_file_fault(name));
  carom_status status = cr_xml_read(&u->document.xml, &source, &root, u->document.error);
  if (source.file) fclose(source.file);
  CR_TRY(status);
  u->root = root;
  if (strcmp(root->name, "robot") == 0) return CAROM_OK;
  return cr_error_set(u->document.error, CAROM_ERROR_UNSUPPORTED,
                      "%.200s:%d: the root element is '%.60s', must be robot", root->file,
                      root->line, root->name);
}

static carom_status create_builder(cr_urdf* u) {
  carom_builder_def* def = &u->settings.def;
  def->allocator = u->document.allocator;
  def->name = cr_xml_get(u->root, "name");
  def->allow_unphysical = true;
  if (u->gravity) memcpy(def->gravity, u->gravity, sizeof def->gravity);
  def->friction_rule =
      u->friction_rule < 0 ? CAROM_FRICTION_RULE_HARMONIC : (carom_friction_rule)u->friction_rule;
  return carom_builder_create(def, &u->builder, u->document.error);
}

static carom_status read_robot(cr_urdf* u) {
  int root;
  if (!cr_remark_add_form(&u->document.remarks, &u->document.allocator, u->root))
    return cr_error_memory(u->document.error);
  CR_TRY(cr_document_refuse_xacro(&u->document, u->root));
  CR_TRY(cr_urdf_index(u, &root));
  CR_TRY(cr_urdf_read_settings(u));
  CR_TRY(cr_urdf_hold_massless(u, root));
  CR_TRY(create_builder(u));
  CR_TRY(cr_urdf_add_links(u, root));
  CR_TRY(cr_urdf_add_mimics(u));
  CR_TRY(cr_urdf_add_ties(u));
  CR_TRY(cr_urdf_add_actuators(u));
  CR_TRY(cr_urdf_add_filters(u));
  CR_TRY(cr_urdf_add_own_filters(u));
  CR_TRY(cr_urdf_add_sensors(u));
  CR_TRY(cr_exclude_overlaps(u->builder, u->document.error));
  CR_TRY(cr_builder_give_inertia(u->builder, u->document.error));
  if (u->floor) CR_TRY(cr_add_floor(u->builder, 1, u->document.error));
  return cr_remark_write_all(&u->document.remarks, u->builder, u->document.error);
}

static void init_reader(cr_urdf* u) {
  u->search.pool = &u->document.xml.pool;
  u->names = CR_NAME_TABLE_INIT;
  u->links = CR_LIST_INIT(cr_urdf_link);
  u->joints = CR_LIST_INIT(cr_urdf_joint);
  u->materials = CR_LIST_INIT(cr_urdf_colour);
  u->settings.def = carom_builder_def_default();
  u->settings.def.inertia_source = CAROM_INERTIA_BODIES;
}

static void destroy_reader(cr_urdf* u) {
  carom_builder_destroy(u->builder);
  cr_list* lists[] = {&u->links, &u->joints, &u->materials};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    cr_list_release(lists[i], &u->document.allocator);
  cr_name_release(&u->names, &u->document.allocator);
  cr_text_release(&u->text, &u->document.allocator);
  cr_document_release(&u->document);
}

carom_status cr_urdf_read(const char* name, const char* text, size_t length,
                          const carom_load_def* def, const cr_urdf_files* files,
                          carom_builder** builder, carom_error* error) {
  cr_urdf u = {.load = def,
               .search = {.main_path = name,
                          .outside = def->outside,
                          .folders = def->search,
                          .alone = def->alone,
                          .absolute = text != NULL},
               .base = def->base,
               .friction_rule = def->friction_rule,
               .gravity = def->gravity,
               .floor = def->floor};
  carom_allocator allocator = cr_allocator_resolve(&def->allocator);
  cr_document_init(&u.document, &allocator, def->permissive, error);
  if (files) u.search.exists = files->exists, u.search.user = files->user;
  init_reader(&u);
  carom_status status = read_tree(&u, name, text, length);
  if (status == CAROM_OK) status = read_robot(&u);
  if (status == CAROM_OK) *builder = u.builder, u.builder = NULL;
  destroy_reader(&u);
  return status;
}

carom_status cr_urdf_load(const char* name, const char* text, size_t length,
                          const carom_load_def* def, const cr_urdf_files* files,
                          carom_model** model, carom_error* error) {
  carom_builder* builder = NULL;
  CR_TRY(cr_urdf_read(name, text, length, def, files, &builder, error));
  return cr_builder_finish(builder, model, error);
}
