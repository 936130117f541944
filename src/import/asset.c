/* Search for the files of a model; see asset.h. */
#include "import/asset.h"

#include "import/xml.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char* skip_scheme(const char* uri, const char* scheme) {
  size_t length = strlen(scheme);
  return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
}

static bool is_file(const cr_asset_search* search, const char* path) {
  struct stat status;
  if (search->exists) return search->exists(search->user, path);
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* NAME/REST of a package's or model's URI, or null. */
static const char* find_named(const char* uri) {
  const char* named = skip_scheme(uri, "package://");
  return named ? named : skip_scheme(uri, "model://");
}

carom_status cr_asset_fail(const cr_asset_search* search, const cr_subject* subject,
                           const char* uri) {
  static const char HOW[] = "; name the folder that holds it (--search)";
  const char *plain = skip_scheme(uri, "file://"), *named = find_named(uri);
  bool may_be_there = named && cr_asset_count_up(named) == 0;
  if (cr_asset_is_outside(search, plain ? plain : uri))
    return cr_subject_fail(subject, CAROM_ERROR_FILE, CR_ASSET_OUTSIDE, uri);
  return cr_subject_fail(subject, CAROM_ERROR_FILE, "file '%.300s' is not found%s", uri,
                         may_be_there ? HOW : "");
}

/* ---- In the folders around the main file */

/* Tries `between` and `name` in each folder from that of the main file upwards; `path` has room. */
static bool try_folders(const cr_asset_search* search, const char* between, const char* name,
                        char* path, size_t size) {
  const char* main_path = search->main_path;
  for (size_t folder = strlen(main_path); folder > 0;) {
    while (folder > 0 && main_path[folder - 1] != '/') folder--;
    snprintf(path, size, "%.*s%s%s", (int)folder, main_path, between, name);
    if (is_file(search, path)) return true;
    if (folder > 0) folder--;
  }
  if (main_path[0] == '/') return false;
  char up[3 * CR_ASSET_MAX_UP + 1] = "";
  for (int i = 0; i < CR_ASSET_MAX_UP; i++) {
    memcpy(up + 3 * (size_t)i, "../", 4);
    snprintf(path, size, "%s%s%s", up, between, name);
    if (is_file(search, path)) return true;
  }
  return false;
}

/* ---- In the folders that the caller names */

static bool try_named_folder(const cr_asset_search* search, const char* folder, int length,
                             const char* name, char* path, size_t size) {
  static const char* const BETWEEN[] = {"", "share/", "models/"};
  for (size_t i = 0; i < sizeof BETWEEN / sizeof BETWEEN[0]; i++) {
    snprintf(path, size, "%.*s/%s%s", length, folder, BETWEEN[i], name);
    if (is_file(search, path)) return true;
  }
  /* The folder may be the package itself. */
  const char *rest = strchr(name, '/'), *own = folder + length;
  while (own > folder && own[-1] != '/') own--;
  size_t own_length = (size_t)(folder + length - own);
  if (!rest || (size_t)(rest - name) != own_length || strncmp(name, own, own_length) != 0)
    return false;
  snprintf(path, size, "%.*s%s", length, folder, rest);
  return is_file(search, path);
}

static bool try_search(const cr_asset_search* search, const char* name, char* path, size_t size) {
  for (const char* folder = search->folders; folder && *folder;) {
    int length = (int)strcspn(folder, ":"), used = length;
    while (used > 1 && folder[used - 1] == '/') used--;
    if (used > 0 && try_named_folder(search, folder, used, name, path, size)) return true;
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
  cr_xml_source source = {.name = path, .file = fopen(path, "rb")};
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

/* Whether the main file's own package, where it has one, has the name of a URI's package.
 * @param is_known receives whether it has one */
static bool is_own_package(const cr_asset_search* search, const char* named, bool* is_known) {
  static const char* const SIGNS[] = {"package.xml", "model.config"};
  size_t size = strlen(search->main_path) + 3 * CR_ASSET_MAX_UP + 16;
  char* path = cr_pool_take(search->pool, size);
  *is_known = false;
  for (int i = 0; i < 2 && path; i++) {
    if (!try_folders(search, "", SIGNS[i], path, size)) continue;
    const char* name = read_name(search, path);
    *is_known = true;
    size_t length = strcspn(named, "/");
    return name && strlen(name) == length && strncmp(name, named, length) == 0;
  }
  return false;
}

/* REST in the folders around, where these belong to the package, or to none that is known. */
static bool try_own(const cr_asset_search* search, const char* named, char* path, size_t size) {
  const char* rest = strchr(named, '/');
  bool is_known, has_rest = rest && rest[1] && cr_asset_count_up(rest + 1) == 0;
  if (!has_rest || search->exact) return false;
  bool is_own = is_own_package(search, named, &is_known);
  if (is_known && !is_own) return false;
  return try_folders(search, "", rest + 1, path, size);
}

bool cr_asset_stands_in(const cr_asset_search* search, const char* uri, const char* path) {
  const char* named = find_named(uri);
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
static bool try_path(const cr_asset_search* search, const char* name, char* path, size_t size) {
  size_t folder = name[0] == '/' ? 0 : cr_asset_folder_length(search->main_path);
  snprintf(path, size, "%.*s%s", (int)folder, search->main_path, name);
  return is_file(search, path) && !cr_asset_is_outside(search, path);
}

bool cr_asset_find(const cr_asset_search* search, const char* uri, char** found) {
  size_t folders = search->folders ? strlen(search->folders) : 0;
  size_t size = strlen(search->main_path) + strlen(uri) + folders + 3 * CR_ASSET_MAX_UP + 2 + 8;
  char* path = cr_pool_take(search->pool, size);
  *found = NULL;
  if (!path) return false;
  const char *named = find_named(uri), *plain = skip_scheme(uri, "file://");
  bool is_there = false;
  if (named) {
    if (cr_asset_count_up(named) == 0)
      is_there = try_folders(search, "", named, path, size) ||
                 try_search(search, named, path, size) ||
                 try_folders(search, "models/", named, path, size);
    is_there = is_there || try_own(search, named, path, size);
  } else if (plain || !strstr(uri, "://")) {
    const char* name = plain ? plain : uri;
    is_there =
        try_path(search, name, path, size) ||
        (cr_asset_count_up(name) == 0 && name[0] != '/' && try_search(search, name, path, size));
  }
  if (is_there) *found = path;
  return true;
}
