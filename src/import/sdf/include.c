/* <include>: the model of another file, by the name of that file or of the folder that holds it.
 *
 * In a folder, model.config names the file, one for each version; else it is model.sdf. A file may
 * be a URDF one too (urdf.c). */
#include "import/number.h"
#include "import/sdf/reader.h"
#include "io/file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Files that include each other end somewhere. */
#define MAX_DEPTH    32
#define MAX_INCLUDES 20000

#define NEWEST       112

static FILE* open_file(const cr_sdf* s, const char* path) {
  const cr_sdf_files* files = s->files;
  return files && files->open ? files->open(files->user, path) : cr_file_open_regular(path);
}

/* Does a path go up anywhere? */
static bool climbs(const char* uri) {
  for (const char* at = uri; (at = strstr(at, "..")); at += 2)
    if ((at == uri || at[-1] == '/') && (at[2] == '/' || !at[2])) return true;
  return false;
}

carom_status cr_sdf_version(const cr_sdf* s, const cr_xml_element* root, int* version) {
  const char* text = cr_xml_get(root, "version");
  cr_subject subject = cr_document_subject(&s->document, root);
  int length = 0;
  double number;
  *version = 0;
  if (!text)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'version' is missing");
  const char* word = cr_number_word(text, &length);
  bool is_number = word && cr_number_read(word, length, &number) == CR_NUMBER_FINITE;
  if (is_number && strncmp(word, "1.", 2) == 0 && length <= 4) *version = 100 + atoi(word + 2);
  if (*version >= 100 && *version <= NEWEST) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                         "version is '%.60s', must be between 1.0 and 1.12", text);
}

/* Reads a document up to its end; `root` receives its root element. */
static carom_status read_document(cr_sdf* s, const cr_xml_element* include, const char* path,
                                  cr_xml_element** root) {
  cr_subject subject = cr_document_subject(&s->document, include);
  cr_xml_source source = {.name = path, .file = open_file(s, path), .depth = include->depth};
  if (!source.file) {
    cr_subject_fail(&subject, CAROM_ERROR_FILE, "file '%.150s' cannot be opened: %s", path,
                    cr_file_fault(path));
    return CAROM_ERROR_FILE;
  }
  carom_status status = cr_xml_read(&s->document.xml, &source, root, s->document.error);
  fclose(source.file);
  if (status != CAROM_OK || *root) return status;
  cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "file '%.150s' is empty", path);
  return CAROM_ERROR_BAD_INPUT;
}

/* Looks for a file from the including one; `path` receives null where there is none. */
static carom_status find(const cr_sdf* s, const cr_xml_element* include, const char* uri,
                         char** path) {
  cr_asset_search search = s->search;
  search.main_path = include->file, search.exact = true;
  if (!cr_asset_find(&search, uri, path)) return cr_error_memory(s->document.error);
  return CAROM_OK;
}

/* The name of the newest file that a model.config lists. */
static carom_status read_config(cr_sdf* s, const cr_xml_element* include, const char* path,
                                const char** name) {
  cr_xml_element* root = NULL;
  int newest = -1;
  CR_TRY(read_document(s, include, path, &root));
  for (const cr_xml_element* e = root->first_child; e; e = e->next) {
    int version = 0;
    if (strcmp(e->name, "sdf") != 0 || !e->text) continue;
    if (cr_xml_get(e, "version")) CR_TRY(cr_sdf_version(s, e, &version));
    if (version > newest) newest = version, *name = e->text;
  }
  return CAROM_OK;
}

/* The file that a URI means: itself, or one in the folder of that name. */
static carom_status find_model(cr_sdf* s, const cr_xml_element* include, const char* uri,
                               char** path) {
  const char *config = cr_sdf_join(s, uri, "/model.config"), *file = "model.sdf";
  if (!config) return cr_error_memory(s->document.error);
  CR_TRY(find(s, include, uri, path));
  if (*path) return CAROM_OK;
  CR_TRY(find(s, include, config, path));
  if (*path) CR_TRY(read_config(s, include, *path, &file));
  const char *folder = cr_sdf_join(s, uri, "/"),
             *whole = folder ? cr_sdf_join(s, folder, file) : NULL;
  if (!whole) return cr_error_memory(s->document.error);
  return find(s, include, whole, path);
}

static carom_status check_uri(cr_sdf* s, const cr_xml_element* include, const char* uri) {
  static const char CLIMBS[] = "its uri climbs out of the model's folder";
  cr_subject subject = cr_document_subject(&s->document, include);
  if (!uri) return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "element <uri> is missing");
  if (++s->num_includes > MAX_INCLUDES)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "more than %d models are included",
                           MAX_INCLUDES);
  return climbs(uri) ? cr_document_refuse(&s->document, include, NULL, CLIMBS) : CAROM_OK;
}

#define FUEL "/OpenRobotics/models/"

/* Whether a URI is one of some, or ends with one that is a path; whatever the case of letters. */
static bool is_one_of(const char* const* known, const char* uri) {
  for (; *known; known++) {
    size_t whole = strlen(uri), length = strlen(*known);
    size_t before = (*known)[0] == '/' && whole > length ? whole - length : 0;
    if (strcasecmp(uri + before, *known) == 0) return true;
  }
  return false;
}

/* Gazebo's own two, which its worlds include and seldom hold: a lamp, and ground with the friction
 * that Gazebo gives it. */
static carom_status add_well_known(cr_sdf* s, const cr_xml_element* include, const char* uri,
                                   cr_xml_element** root, bool* is_known) {
  static const char SUN[] = "not used: it is a lamp, for drawing";
  static const char GROUND[] = "its file is not found: read as Gazebo's own, a plane at z = 0";
  static const char PLANE[] =
      "<sdf version='1.6'><model name='ground_plane'><static>true</static><link name='link'>"
      "<collision name='collision'><geometry><plane><normal>0 0 1</normal></plane></geometry>"
      "<surface><friction><ode><mu>100</mu><mu2>100</mu2></ode></friction></surface></collision>"
      "</link></model></sdf>";
  static const char* const SUNS[] = {"model://sun", FUEL "Sun", NULL};
  static const char* const GROUNDS[] = {"model://ground_plane", FUEL "Ground Plane", NULL};
  bool is_sun = is_one_of(SUNS, uri), is_ground = is_one_of(GROUNDS, uri);
  *is_known = is_sun || is_ground;
  if (!*is_known) return CAROM_OK;
  CR_TRY(cr_document_remark(&s->document, include, NULL, is_sun ? SUN : GROUND));
  cr_xml_source source = {
      .name = include->file, .text = PLANE, .length = sizeof PLANE - 1, .depth = include->depth};
  return is_ground ? cr_xml_read(&s->document.xml, &source, root, s->document.error) : CAROM_OK;
}

/* A model that is not there; the first model of a document is its own. */
static carom_status leave_out(cr_sdf* s, const cr_xml_element* include, const char* uri) {
  static const char MISSING[] = "left out: there is no such model";
  cr_subject subject = cr_document_subject(&s->document, include);
  if (s->document.permissive) return cr_document_remark(&s->document, include, NULL, MISSING);
  return cr_subject_fail(&subject, CAROM_ERROR_FILE,
                         "model '%.200s' is not found; name the folder that holds it (--search, "
                         "GZ_SIM_RESOURCE_PATH), or leave it out (--permissive)",
                         uri);
}

/* The model of a document; null where it is a lamp. */
static carom_status find_root_model(cr_sdf* s, const cr_xml_element* include,
                                    const cr_xml_element* root, const cr_xml_element** model,
                                    int* version) {
  static const char LAMP[] = "not used: it is for drawing";
  const char* path = root->file;
  cr_subject subject = cr_document_subject(&s->document, include);
  *version = NEWEST;
  if (strcmp(root->name, "robot") == 0) return cr_sdf_convert_urdf(s, root, model);
  if (!cr_sdf_is_root(root->name))
    return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                           "the root element of '%.150s' is '%.60s', must be sdf or robot", path,
                           root->name);
  CR_TRY(cr_sdf_version(s, root, version));
  CR_TRY(cr_document_child(&s->document, root, "model", model));
  if (*model) return CAROM_OK;
  const cr_xml_element* light;
  CR_TRY(cr_document_child(&s->document, root, "light", &light));
  if (light) return cr_document_remark(&s->document, light, NULL, LAMP);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "'%.150s' holds no model", path);
}

carom_status cr_sdf_include(cr_sdf* s, const cr_xml_element* include, int depth,
                            const cr_xml_element** model, int* version) {
  const char* uri;
  char* path = NULL;
  cr_xml_element* root = NULL;
  CR_TRY(cr_sdf_word(s, include, "uri", &uri));
  CR_TRY(check_uri(s, include, uri));
  *model = NULL;
  cr_subject subject = cr_document_subject(&s->document, include);
  if (depth > MAX_DEPTH)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "'%.150s' is included more than %d deep: a file includes itself", uri,
                           MAX_DEPTH);
  CR_TRY(find_model(s, include, uri, &path));
  bool is_known = false;
  if (!path) CR_TRY(add_well_known(s, include, uri, &root, &is_known));
  if (!path && !is_known) return leave_out(s, include, uri);
  if (path) CR_TRY(read_document(s, include, path, &root));
  if (!root) return CAROM_OK;
  return find_root_model(s, include, root, model, version);
}
