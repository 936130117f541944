/* The public entry: scene files in, models out. The root element of a file tells its format. */
#include "import/mjcf/load.h"

#include "base/cookie.h"
#include "base/error.h"
#include "import/sdf/load.h"
#include "import/urdf/load.h"
#include "import/xml.h"
#include "io/file.h"
#include "model/record.h"

#include "carom/scene.h"

#include <string.h>

carom_load_def carom_load_def_default(void) {
  return (carom_load_def){.cookie = CR_COOKIE(load), .friction_rule = -1};
}

/* Arguments that all entries share; `options` receives the definition to use. */
static carom_status check_arguments(const void* input, const carom_load_def* def, bool has_result,
                                    carom_load_def* options, carom_error* error) {
  cr_error_clear(error);
  if (!input || !has_result)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "load: the %s is null",
                        input ? "result" : "input");
  *options = def ? *def : carom_load_def_default();
  return CR_CHECK_COOKIE(options, load, "load", error);
}

/* A scene to be read: a file, or a text. */
typedef struct scene {
  const char* name;
  const char* text; /* null: of the file */
  size_t length;
} scene;

/* Formats, by their root elements. */
static const char* const ROOTS[] = {"mujoco", "robot", "sdf", NULL};
typedef enum format { FORMAT_MJCF, FORMAT_URDF, FORMAT_SDF } format;

static bool find_root(const char* name, format* found) {
  if (cr_sdf_is_root(name)) name = "sdf";
  for (int i = 0; ROOTS[i]; i++)
    if (strcmp(ROOTS[i], name) == 0) {
      *found = (format)i;
      return true;
    }
  return false;
}

/* Reads up to the root element. */
static carom_status find_format(const scene* s, const carom_load_def* def, format* found,
                                carom_error* error) {
  cr_xml_tree tree;
  cr_xml_element* root = NULL;
  carom_allocator allocator = cr_allocator_resolve(&def->allocator);
  cr_xml_source source = {.name = s->name, .text = s->text, .length = s->length, .root_only = true};
  if (!s->text && !(source.file = cr_file_open_regular(s->name)))
    return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be opened: %s", s->name,
                        cr_file_fault(s->name));
  cr_xml_init(&tree, &allocator);
  carom_status status = cr_xml_read(&tree, &source, &root, error);
  if (status == CAROM_OK && root && !find_root(root->name, found))
    status = cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                          "%.200s:%d: the root element is '%.60s', must be mujoco, robot or sdf",
                          root->file, root->line, root->name);
  if (source.file) fclose(source.file);
  cr_xml_destroy(&tree);
  return status;
}

static carom_status read_format(const scene* s, const carom_load_def* def, carom_builder** builder,
                                carom_error* error) {
  format found = FORMAT_MJCF;
  CR_TRY(find_format(s, def, &found, error));
  if (found == FORMAT_URDF)
    return cr_urdf_read(s->name, s->text, s->length, def, NULL, builder, error);
  if (found == FORMAT_SDF)
    return cr_sdf_read(s->name, s->text, s->length, def, NULL, builder, error);
  if (def->base != CAROM_BASE_DEFAULT)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "%.200s: a fixed or a free base is asked for, but this is a MJCF file, "
                        "and says itself what is free",
                        s->name);
  return cr_mjcf_read(s->name, s->text, s->length, def, NULL, builder, error);
}

static carom_status read_scene(const scene* s, const carom_load_def* def, carom_builder** builder,
                               carom_error* error) {
  cr_file_keep_for_writing(def->outputs, def->num_outputs);
  carom_status status = read_format(s, def, builder, error);
  cr_file_keep_for_writing(NULL, 0);
  return status;
}

static carom_status load(const scene* s, const carom_load_def* def, carom_model** model,
                         carom_error* error) {
  carom_builder* builder = NULL;
  CR_TRY(read_scene(s, def, &builder, error));
  return cr_builder_finish(builder, model, error);
}

carom_status carom_builder_load(const char* path, const carom_load_def* def,
                                carom_builder** builder, carom_error* error) {
  carom_load_def options = {0};
  CR_TRY(check_arguments(path, def, builder != NULL, &options, error));
  scene s = {.name = path};
  *builder = NULL;
  return read_scene(&s, &options, builder, error);
}

carom_status carom_model_load(const char* path, const carom_load_def* def, carom_model** model,
                              carom_error* error) {
  carom_load_def options = {0};
  if (model) *model = NULL;
  CR_TRY(check_arguments(path, def, model != NULL, &options, error));
  scene s = {.name = path};
  return load(&s, &options, model, error);
}

carom_status carom_model_load_string(const char* text, size_t length, const char* name,
                                     const carom_load_def* def, carom_model** model,
                                     carom_error* error) {
  carom_load_def options = {0};
  if (model) *model = NULL;
  CR_TRY(check_arguments(text, def, model != NULL, &options, error));
  scene s = {.name = name ? name : "text", .text = text, .length = length};
  return load(&s, &options, model, error);
}
