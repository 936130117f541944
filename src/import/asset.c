/* Search for the files of a model; see asset.h. */
#include "import/asset.h"

#include "import/xml.h"
#include "io/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a path is tried. */
typedef struct cr_asset_path {
  char* text;
  size_t size;
} cr_asset_path;

static const char* skip_scheme(const char* uri, const char* scheme) {
  size_t length = strlen(scheme);
  return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
}

/* Behind the next part of a path, where that is a number or `word`; else where it began. */
static const char* skip_part(const char* path, const char* word) {
  size_t length = path[0] == '/' ? strcspn(path + 1, "/") : 0,
         digits = strspn(path + 1, "0123456789");
  bool is_word = length == strlen(word) && strncmp(path + 1, word, length) == 0;
  return length > 0 && (is_word || digits == length) ? path + 1 + length : path;
}

/* NAME/REST of a model on a server, https://HOST/1.0/OWNER/models/NAME/VERSION/files/REST; what is
 * between NAME and REST may be missing. In the pool, null where a URI is no such URL. */
static const char* find_on_server(const cr_asset_search* search, const char* uri) {
  static const char MODELS[] = "/models/";
  const char* host = skip_scheme(uri, "https://");
  if (!host) host = skip_scheme(uri, "http://");
  const char* models = host ? strstr(host, MODELS) : NULL;
  if (!models) return NULL;
  const char* name = models + sizeof MODELS - 1;
  int length = (int)strcspn(name, "/");
  const char* rest = skip_part(skip_part(name + length, "tip"), "files");
  size_t size = strlen(name) + 1;
  char* named = length > 0 ? cr_pool_take(search->pool, size) : NULL;
  if (named) snprintf(named, size, "%.*s%s", length, name, rest);
  return named;
}

/* NAME/REST of a package's or model's URI, or null. */
static const char* find_named(const cr_asset_search* search, const char* uri) {
  const char* named = skip_scheme(uri, "package://");
  if (!named) named = skip_scheme(uri, "model://");
  return named ? named : find_on_server(search, uri);
}

/* ---- In the folders around the main file */

/* Tries `between` and `name` in each folder from that of the main file upwards; `path` has room.
 * @param package bytes of the name that are a package's own, 0: none */
static bool try_folders(const cr_asset_search* search, const char* between, const char* name,
                        int package, cr_asset_path* path) {
  const char* main_path = search->main_path;
  int before = package ? (int)strlen(between) + package : 0;
  for (size_t folder = strlen(main_path); folder > 0;) {
    while (folder > 0 && main_path[folder - 1] != '/') folder--;
    snprintf(path->text, path->size, "%.*s%s%s", (int)folder, main_path, between, name);
    if (cr_asset_may_take(search, path->text, before ? (int)folder + before : 0)) return true;
    if (folder > 0) folder--;
  }
  if (main_path[0] == '/') return false;
  for (int up = 1; up <= CR_ASSET_MAX_UP; up++) {
    snprintf(path->text, path->size, "%.*s%s%s", 3 * up, cr_asset_climb, between, name);
    if (cr_asset_may_take(search, path->text, before ? 3 * up + before : 0)) return true;
  }
  return false;
}

/* ---- In the folders that the caller names */

static bool try_named_folder(const cr_asset_search* search, const char* folder, int length,
                             const char* name, cr_asset_path* path) {
  static const char* const BETWEEN[] = {"", "share/", "models/"};
  for (size_t i = 0; i < sizeof BETWEEN / sizeof BETWEEN[0]; i++) {
    snprintf(path->text, path->size, "%.*s/%s%s", length, folder, BETWEEN[i], name);
    if (cr_asset_is_file(search, path->text)) return true;
  }
  /* The folder may be the package itself. */
  const char *rest = strchr(name, '/'), *own = folder + length;
  while (own > folder && own[-1] != '/') own--;
  size_t own_length = (size_t)(folder + length - own);
  if (!rest || (size_t)(rest - name) != own_length || strncmp(name, own, own_length) != 0)
    return false;
  snprintf(path->text, path->size, "%.*s%s", length, folder, rest);
  return cr_asset_is_file(search, path->text);
}

static bool try_search(const cr_asset_search* search, const char* name, cr_asset_path* path) {
  if (search->alone) return false;
  for (const char* folder = search->folders; folder && *folder;) {
    int length = (int)strcspn(folder, ":"), used = length;
    while (used > 1 && folder[used - 1] == '/') used--;
    if (used > 0 && try_named_folder(search, folder, used, name, path)) return true;
    folder += length + (folder[length] == ':');
  }
  return false;
}

/* ---- Packages whose folder has another name */

/* The name that a package.xml or model.config gives, in the pool; null where it cannot be read. */
static const char* read_name(const cr_asset_search* search, const char* path) {
  carom_error ignored;
  cr_xml_tree tree;
  cr_xml_element* root = NULL;
  const char* name = NULL;
  cr_xml_source source = {.name = path, .file = cr_file_open_regular(path)};
  if (!source.file) return NULL;
  cr_xml_init(&tree, &search->pool->allocator);
  if (cr_xml_read(&tree, &source, &root, &ignored) == CAROM_OK && root)
    for (const cr_xml_element* e = root->first_child; e && !name; e = e->next)
      if (strcmp(e->name, "name") == 0 && e->text)
        name = cr_pool_copy(search->pool, e->text, strlen(e->text));
  fclose(source.file);
  cr_xml_destroy(&tree);
  return name;
}

/* The nearest folder around that has a sign; it is only looked at. */
static bool find_sign(const cr_asset_search* search, const char* sign, cr_asset_path* path) {
  cr_asset_search anywhere = *search;
  anywhere.outside = true;
  return try_folders(&anywhere, "", sign, 0, path);
}

/* Whether the main file's own package, where it has one, has the name of a URI's package.
 * @param is_known receives whether it has one */
static bool is_own_package(const cr_asset_search* search, const char* named, bool* is_known) {
  static const char* const SIGNS[] = {"package.xml", "model.config"};
  size_t size = strlen(search->main_path) + 3 * CR_ASSET_MAX_UP + 16;
  cr_asset_path path = {cr_pool_take(search->pool, size), size};
  *is_known = false;
  for (int i = 0; i < 2 && path.text; i++) {
    if (!find_sign(search, SIGNS[i], &path)) continue;
    const char* name = read_name(search, path.text);
    *is_known = true;
    size_t length = strcspn(named, "/");
    return name && strlen(name) == length && strncmp(name, named, length) == 0;
  }
  return false;
}

/* REST in the folders around, where these belong to the package, or to none that is known. */
static bool try_own(const cr_asset_search* search, const char* named, cr_asset_path* path) {
  const char* rest = strchr(named, '/');
  bool is_known, has_rest = rest && rest[1] && cr_asset_count_up(rest + 1) == 0;
  if (!has_rest || search->exact) return false;
  bool is_own = is_own_package(search, named, &is_known);
  if (is_known && !is_own) return false;
  return try_folders(search, "", rest + 1, 0, path);
}

bool cr_asset_stands_in(const cr_asset_search* search, const char* uri, const char* path) {
  const char* named = find_named(search, uri);
  bool is_known;
  if (!named) return false;
  size_t length = strlen(named), whole = strlen(path);
  if (whole >= length && strcmp(path + whole - length, named) == 0) return false;
  for (const char* folder = search->folders; folder && *folder;) {
    size_t part = strcspn(folder, ":");
    if (part && strncmp(path, folder, part) == 0) return false;
    folder += part + (folder[part] == ':');
  }
  return !is_own_package(search, named, &is_known);
}

/* ---- All */

/* A path as it stands, or beside the main file. */
static bool try_path(const cr_asset_search* search, const char* name, cr_asset_path* path) {
  size_t folder = name[0] == '/' ? 0 : cr_asset_folder_length(search->main_path);
  snprintf(path->text, path->size, "%.*s%s", (int)folder, search->main_path, name);
  return cr_asset_is_file(search, path->text) && !cr_asset_is_outside(search, path->text);
}

static bool try_named(const cr_asset_search* search, const char* named, cr_asset_path* path) {
  int package = (int)strcspn(named, "/");
  if (cr_asset_count_up(named) == 0 &&
      (try_folders(search, "", named, package, path) || try_search(search, named, path) ||
       try_folders(search, "models/", named, package, path)))
    return true;
  return try_own(search, named, path);
}

/* Whether the folder that a path begins with is one that the main file is in. */
static bool begins_around(const cr_asset_search* search, const char* name) {
  char real[PATH_MAX];
  size_t length = strcspn(name, "/");
  bool is_real = !search->exists && realpath(search->main_path, real);
  const char* at = is_real ? real : search->main_path;
  if (!name[length]) return false;
  for (const char* slash; (slash = strchr(at, '/')); at = slash + 1)
    if ((size_t)(slash - at) == length && strncmp(at, name, length) == 0) return true;
  return false;
}

/* A path that is not beside the main file: in the search folders, or as NAME/REST of a package in
 * the folders around, for models and where NAME is one of these folders itself. */
static bool try_plain(const cr_asset_search* search, const char* name, cr_asset_path* path) {
  if (cr_asset_count_up(name) > 0 || name[0] == '/') return false;
  if (try_search(search, name, path)) return true;
  bool is_named = search->exact || begins_around(search, name);
  return is_named && try_folders(search, "", name, (int)strcspn(name, "/"), path);
}

bool cr_asset_find(const cr_asset_search* search, const char* uri, char** found) {
  size_t folders = search->folders ? strlen(search->folders) : 0;
  size_t size = strlen(search->main_path) + strlen(uri) + folders + 3 * CR_ASSET_MAX_UP + 10;
  cr_asset_path path = {cr_pool_take(search->pool, size), size};
  *found = NULL;
  if (!path.text) return false;
  const char *named = find_named(search, uri), *plain = skip_scheme(uri, "file://");
  const char* name = plain ? plain : uri;
  bool is_there = false;
  if (named) {
    is_there = try_named(search, named, &path);
  } else if (plain || !strstr(uri, "://")) {
    is_there = try_path(search, name, &path) || try_plain(search, name, &path);
  }
  if (is_there) *found = path.text;
  return true;
}

carom_status cr_asset_fail(const cr_asset_search* search, const cr_subject* subject,
                           const char* uri) {
  static const char HOW[] = "; name the folder that holds it (--search)";
  const char *plain = skip_scheme(uri, "file://"), *named = find_named(search, uri);
  bool may_be_there = named && cr_asset_count_up(named) == 0;
  cr_asset_search anywhere = *search;
  char* found = NULL;
  if (search->alone) return cr_subject_fail(subject, CAROM_ERROR_FILE, CR_ASSET_ALONE, uri);
  anywhere.outside = true;
  if (!cr_asset_find(&anywhere, uri, &found)) return cr_error_memory(subject->error);
  if (found || cr_asset_climbs_out(search, plain ? plain : uri))
    return cr_subject_fail(subject, CAROM_ERROR_FILE, CR_ASSET_OUTSIDE, uri);
  return cr_subject_fail(subject, CAROM_ERROR_FILE, "file '%.300s' is not found%s", uri,
                         may_be_there ? HOW : "");
}
