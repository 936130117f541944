/* From an MJCF file to a model: read the tree, splice the includes, read the sections in their
 * order, compile. The order is that of what needs what: options before angles, classes before
 * bodies, bodies before what names them. */
#include "import/mjcf/load.h"

#include "import/document.h"
#include "import/mjcf/attach.h"
#include "import/mjcf/body.h"
#include "import/mjcf/layout.h"
#include "import/mjcf/reader.h"
#include "io/file.h"

#include "carom/scene.h"

#include <math.h>
#include <string.h>

static carom_status read_extension(cr_mjcf* m, const cr_xml_element* section) {
  static const char TEXT[] = "not used: the only plugin that is supported is mujoco.pid";
  for (const cr_xml_element* e = section->first_child; e; e = e->next) {
    const char* name = cr_xml_get(e, "plugin");
    if (!name || strcmp(name, "mujoco.pid") != 0) CR_TRY(cr_mjcf_remark_on(m, e, NULL, TEXT, TEXT));
  }
  return CAROM_OK;
}

/* Sections that are for drawing or for the tools of the format; one remark for each name. */
static carom_status read_unused(cr_mjcf* m, const cr_xml_element* section) {
  static const char* const NAMES[] = {"size", "visual", "statistic"};
  int i = 0;
  while (i < 2 && strcmp(NAMES[i], section->name) != 0) i++;
  return cr_mjcf_remark_on(m, section, NULL, NAMES[i],
                           "not used: it is for drawing or for the tools of the format");
}

/* The sections before the builder is made, and those after. */
typedef struct section {
  const char* name;
  carom_status (*read)(cr_mjcf*, const cr_xml_element*);
} section;

static const section SETTINGS[] = {
    {"compiler", cr_mjcf_read_compiler},
    {"option", cr_mjcf_read_option},
    {"size", read_unused},
    {"visual", read_unused},
    {"statistic", read_unused},
    {"extension", read_extension},
    {"custom", cr_mjcf_read_custom},
    {"default", cr_mjcf_read_default},
    {"asset", cr_mjcf_read_asset},
    {NULL, NULL},
};

static const section PARTS[] = {
    {"deformable", cr_mjcf_list_flex_nodes}, {"worldbody", cr_mjcf_read_worldbody},
    {"contact", cr_mjcf_read_contact},       {"tendon", cr_mjcf_read_tendon},
    {"equality", cr_mjcf_read_equality},     {"deformable", cr_mjcf_read_deformable},
    {"actuator", cr_mjcf_read_actuator},     {"sensor", cr_mjcf_read_sensor},
    {"keyframe", cr_mjcf_read_keyframe},     {NULL, NULL},
};

static bool has_section(const section* table, const char* name) {
  for (; table->name; table++)
    if (strcmp(table->name, name) == 0) return true;
  return false;
}

/* Calls each reader of a table on all sections of its name. */
static carom_status read_sections(cr_mjcf* m, const section* table) {
  for (; table->name; table++)
    for (const cr_xml_element* s = m->root->first_child; s; s = s->next)
      if (strcmp(s->name, table->name) == 0) CR_TRY(table->read(m, s));
  return CAROM_OK;
}

/* Bodies beside <worldbody>, of files that others include: MuJoCo passes over them. */
static bool is_astray(const cr_xml_element* e) {
  return strcmp(e->name, "body") == 0 || strcmp(e->name, "frame") == 0;
}

static carom_status check_sections(cr_mjcf* m) {
  static const char TEXT[] = "not used: text has no meaning here";
  static const char ASTRAY[] = "ignored: it does not stand in <worldbody>; put it there";
  for (const cr_xml_element* s = m->root->first_child; s; s = s->next)
    if (is_astray(s))
      CR_TRY(cr_mjcf_remark_on(m, s, NULL, ASTRAY, ASTRAY));
    else if (!has_section(SETTINGS, s->name) && !has_section(PARTS, s->name))
      return cr_mjcf_unknown_element(m, s);
  for (const cr_xml_element* e = m->root; e; e = cr_xml_next(e, m->root))
    if (e->text_line) CR_TRY(cr_mjcf_remark_on(m, e, NULL, TEXT, TEXT));
  return cr_remark_add_form(&m->remarks, &m->allocator, m->root) ? CAROM_OK
                                                                 : cr_error_memory(m->error);
}

/* The builder's options, from compiler and option. */
static carom_status create_builder(cr_mjcf* m) {
  carom_builder_def def = carom_builder_def_default();
  const cr_mjcf_compiler* compiler = &m->compiler;
  def.allocator = m->allocator;
  def.name = cr_xml_get(m->root, "model");
  def.timestep = m->option.timestep;
  memcpy(def.magnetic, m->option.magnetic.x, sizeof def.magnetic);
  memcpy(def.gravity, m->option.gravity.x, sizeof def.gravity);
  if (m->option.no_gravity) memset(def.gravity, 0, sizeof def.gravity);
  if (m->gravity) memcpy(def.gravity, m->gravity, sizeof def.gravity);
  static const carom_inertia_source SOURCES[] = {CAROM_INERTIA_BODIES, CAROM_INERTIA_GEOMS,
                                                 CAROM_INERTIA_AUTO};
  def.inertia_source = SOURCES[compiler->inertiafromgeom];
  def.total_mass = fmax(compiler->settotalmass, 0);
  def.minimum_mass = compiler->boundmass;
  def.minimum_inertia = compiler->boundinertia;
  def.balance_inertia = compiler->balanceinertia;
  def.allow_unphysical = m->permissive || compiler->unphysical;
  def.friction_rule = (carom_friction_rule)m->option.friction_rule;
  def.disable_contacts = m->option.no_contact || m->option.no_constraint;
  def.parents_collide = m->option.no_filterparent;
  def.contact_stiffness = m->option.contact_stiffness;
  def.contact_dissipation = m->option.contact_dissipation;
  def.rest_speed = m->option.rest_speed;
  def.patches = (carom_patches)m->option.patches;
  def.patch_error = m->option.patch_error;
  def.fluid_density = m->option.density;
  def.fluid_viscosity = m->option.viscosity;
  memcpy(def.wind, m->option.wind.x, sizeof def.wind);
  return carom_builder_create(&def, &m->builder, m->error);
}

/* A plane for a scene that has none. */
static carom_status add_floor(cr_mjcf* m) {
  if (!m->floor || m->has_plane) return CAROM_OK;
  return cr_add_floor(m->builder, 1, m->error);
}

static carom_status read_tree(cr_mjcf* m, const char* name, const char* text, size_t length) {
  cr_xml_element* root;
  cr_xml_source source = {.name = name, .text = text, .length = length};
  if (!text) {
    const cr_mjcf_files* files = m->files;
    source.file =
        files && files->open ? files->open(files->user, name) : cr_file_open_regular(name);
    if (!source.file)
      return cr_error_set(m->error, CAROM_ERROR_FILE, "%.300s: cannot be opened%s%s", name,
                          files ? "" : ": ", files ? "" : cr_file_fault(name));
  }
  carom_status status = cr_xml_read(&m->xml, &source, &root, m->error);
  if (source.file) fclose(source.file);
  CR_TRY(status);
  if (strcmp(root->name, "mujoco") != 0)
    return cr_error_set(m->error, CAROM_ERROR_UNSUPPORTED,
                        "%.200s:%d: the root element is '%.60s', must be mujoco", root->file,
                        root->line, root->name);
  m->root = root;
  CR_TRY(cr_mjcf_include(m, root, name));
  CR_AT(&m->documents, cr_mjcf_document, 0)->file = root->file;
  return cr_mjcf_attach(m, root);
}

static carom_status read_scene(cr_mjcf* m) {
  static const cr_attribute ROOT[] = {CR_ELSEWHERE("model"), CR_END};
  CR_TRY(check_sections(m));
  CR_TRY(cr_mjcf_read_attributes(m, m->root, ROOT, NULL));
  CR_TRY(read_sections(m, SETTINGS));
  CR_TRY(cr_mjcf_check_documents(m));
  CR_TRY(create_builder(m));
  CR_TRY(read_sections(m, PARTS));
  CR_TRY(cr_mjcf_read_attached_keyframes(m));
  CR_TRY(add_floor(m));
  CR_TRY(cr_mjcf_check_compliance(m));
  return cr_mjcf_write_remarks(m);
}

static carom_status init_reader(cr_mjcf* m) {
  cr_xml_init(&m->xml, &m->allocator);
  m->names = CR_NAME_TABLE_INIT;
  m->classes = CR_LIST_INIT(cr_mjcf_class);
  m->materials = CR_LIST_INIT(cr_numbers);
  m->meshes = CR_LIST_INIT(cr_mjcf_mesh);
  m->hfields = CR_LIST_INIT(cr_mjcf_hfield);
  m->flex_nodes = CR_LIST_INIT(cr_mjcf_flex_node);
  m->compliance = CR_LIST_INIT(cr_mjcf_compliance);
  m->remarks = CR_LIST_INIT(cr_remark);
  m->left_out = CR_LIST_INIT(int);
  m->slots = CR_LIST_INIT(cr_mjcf_slot);
  m->aligned = CR_LIST_INIT(cr_mjcf_aligned);
  m->waiting = CR_LIST_INIT(int);
  m->documents = CR_LIST_INIT(cr_mjcf_document);
  cr_mjcf_document main_document = {0};
  if (!cr_list_push(&m->documents, &m->allocator, &main_document)) return cr_error_memory(m->error);
  cr_mjcf_compiler_init(&m->compiler);
  carom_builder_def usual = carom_builder_def_default();
  m->option = (cr_mjcf_option){.timestep = 0.002,
                               .gravity = {.x = {0, 0, -9.81}},
                               .magnetic = {.x = {0, -0.5, 0}},
                               .no_override = 1,
                               .o_friction = {.x = {1, 1, 0.005, 0.0001, 0.0001}},
                               .contact_stiffness = INFINITY,
                               .contact_dissipation = NAN,
                               .rest_speed = usual.rest_speed,
                               .patches = (int)usual.patches,
                               .patch_error = usual.patch_error};
  cr_mjcf_class main_class;
  cr_mjcf_class_init(&main_class);
  if (!cr_list_push(&m->classes, &m->allocator, &main_class)) return cr_error_memory(m->error);
  return cr_mjcf_add_name(m, CR_MJCF_NAME_CLASS, "main", 0);
}

static void destroy_reader(cr_mjcf* m) {
  carom_builder_destroy(m->builder);
  cr_list* lists[] = {&m->classes,    &m->materials, &m->compliance, &m->meshes,
                      &m->flex_nodes, &m->hfields,   &m->remarks,    &m->left_out,
                      &m->documents,  &m->slots,     &m->waiting,    &m->aligned};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    cr_list_release(lists[i], &m->allocator);
  cr_name_release(&m->names, &m->allocator);
  cr_text_release(&m->text, &m->allocator);
  cr_xml_destroy(&m->xml);
}

carom_status cr_mjcf_read(const char* name, const char* text, size_t length,
                          const carom_load_def* def, const cr_mjcf_files* files,
                          carom_builder** builder, carom_error* error) {
  cr_mjcf m = {.allocator = cr_allocator_resolve(&def->allocator),
               .error = error,
               .files = files,
               .main_path = name,
               .permissive = def->permissive,
               .floor = def->floor,
               .outside = def->outside,
               .alone = def->alone,
               .is_text = text != NULL,
               .gravity = def->gravity};
  carom_status status = init_reader(&m);
  if (status == CAROM_OK) status = read_tree(&m, name, text, length);
  if (status == CAROM_OK) status = read_scene(&m);
  if (status == CAROM_OK) *builder = m.builder, m.builder = NULL;
  destroy_reader(&m);
  return status;
}

carom_status cr_mjcf_load(const char* name, const char* text, size_t length,
                          const carom_load_def* def, const cr_mjcf_files* files,
                          carom_model** model, carom_error* error) {
  carom_builder* builder = NULL;
  CR_TRY(cr_mjcf_read(name, text, length, def, files, &builder, error));
  return cr_builder_finish(builder, model, error);
}
