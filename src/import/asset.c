/* Search for the files of a model; see asset.h. */
#include "import/asset.h"

#include "io/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How far above the current folder packages are looked for, where the path does not say more. */
#define MAX_UP 8

static const char CLIMB[3 * MAX_UP + 1] = "../../../../../../../../";

static const char* skip_scheme(const char* uri, const char* scheme) {
  size_t length = strlen(scheme);
  return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
}

/* Pipes and devices too: opening them tells what they are. */
static bool is_file(const cr_asset_search* search, const char* path) {
  struct stat status;
  if (search->exists) return search->exists(search->user, path);
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* ---- The model's tree */

#define AROUND 1 /* folders around the main file's that belong to it: ../meshes */

/* Length of the folder of a path, with its slash. */
static size_t folder_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* How many folders a relative path leads up from where it counts, at its highest. */
static int count_up(const char* path) {
  int depth = 0, least = 0;
  for (const char* part = path; *part;) {
    size_t length = strcspn(part, "/");
    if (length == 2 && part[0] == '.' && part[1] == '.')
      depth--;
    else if (length > 0 && !(length == 1 && part[0] == '.'))
      depth++;
    if (depth < least) least = depth;
    part += length + (part[length] == '/');
  }
  return -least;
}

/* Whether a folder, `length` bytes of a path without its last slash, is a package. */
static bool is_package(const cr_asset_search* search, const char* path, int length) {
  static const char* const SIGNS[] = {"package.xml", "model.config"};
  char sign[4096];
  for (int k = 0; k < 2; k++) {
    int end = snprintf(sign, sizeof sign, "%.*s/%s", length, path, SIGNS[k]);
    if (end < (int)sizeof sign && is_file(search, sign)) return true;
  }
  return false;
}

/* The folder so many above the main file's, without a slash; false where it is too long. */
static bool climb(const cr_asset_search* search, int up, char folder[4096]) {
  int length = snprintf(folder, 4096, "%.*s%.*s.", (int)folder_length(search->main_path),
                        search->main_path, 3 * up, CLIMB);
  return length < 4096;
}

/* Whether a folder so many above the main file's is a package. */
static bool is_package_above(const cr_asset_search* search, int up) {
  char folder[4096];
  return climb(search, up, folder) && is_package(search, folder, (int)strlen(folder));
}

/* An absolute path, against where the main file really is. */
static bool is_apart(const cr_asset_search* search, const char* path) {
  char folder[PATH_MAX], around[PATH_MAX];
  size_t length = folder_length(search->main_path);
  if (length + 4 > sizeof folder || strstr(path, "/../")) return true;
  snprintf(folder, sizeof folder, "%.*s..", (int)length, search->main_path);
  if (!realpath(folder, around)) return true;
  length = strlen(around);
  return strncmp(path, around, length) != 0 || (length > 1 && path[length] != '/');
}

/* By the path as it is written. */
static bool climbs_out(const cr_asset_search* search, const char* path) {
  size_t folder = folder_length(search->main_path);
  if (strncmp(path, search->main_path, folder) == 0) path += folder;
  if (path[0] == '/') return !search->absolute && is_apart(search, path);
  int up = count_up(path);
  if (up <= AROUND) return false;
  for (int k = up; k <= MAX_UP; k++)
    if (is_package_above(search, k)) return false;
  return true;
}

/* Whether a file really is, all symbolic links followed, where the tree is. What is around the main
 * file's folder does not count where it is everything. */
static bool is_in_tree(const cr_asset_search* search, const char* path) {
  char folder[4096];
  for (int up = 0; up <= MAX_UP; up++) {
    if (!climb(search, up, folder)) return false;
    bool is_root = up <= AROUND || is_package(search, folder, (int)strlen(folder));
    if (up > 0 && cr_file_lies_in("/", folder)) break;
    if (is_root && cr_file_lies_in(path, folder)) return true;
  }
  return false;
}

bool cr_asset_is_outside(const cr_asset_search* search, const char* path) {
  if (search->alone) return true;
  bool is_free = search->outside || (search->absolute && path[0] == '/');
  if (is_free) return false;
  return climbs_out(search, path) || (!search->exists && !is_in_tree(search, path));
}

/* ---- Search */

/* What a search may take: a file of the tree, or of the package that is the path's first `length`
 * bytes, 0: none. */
static bool may_take(const cr_asset_search* search, const char* path, int length) {
  char folder[4096];
  if (search->alone || !is_file(search, path)) return false;
  if (search->outside || search->exists || is_in_tree(search, path)) return true;
  if (length == 0 || !is_package(search, path, length)) return false;
  int end = snprintf(folder, sizeof folder, "%.*s/.", length, path);
  return end < (int)sizeof folder && cr_file_lies_in(path, folder);
}

/* Tries `name` in each folder from that of the main file upwards; `path` has room for all.
 * @param package bytes of the name that are a package's own, 0: none */
static bool try_folders(const cr_asset_search* search, const char* name, int package, char* path,
                        size_t size) {
  const char* main_path = search->main_path;
  for (size_t folder = strlen(main_path); folder > 0;) {
    while (folder > 0 && main_path[folder - 1] != '/') folder--;
    snprintf(path, size, "%.*s%s", (int)folder, main_path, name);
    if (may_take(search, path, package ? (int)folder + package : 0)) return true;
    if (folder > 0) folder--;
  }
  if (main_path[0] == '/') return false;
  for (int up = 1; up <= MAX_UP; up++) {
    snprintf(path, size, "%.*s%s", 3 * up, CLIMB, name);
    if (may_take(search, path, package ? 3 * up + package : 0)) return true;
  }
  return false;
}

/* A path as it stands, or beside the main file. */
static bool try_path(const cr_asset_search* search, const char* name, char* path, size_t size) {
  size_t folder = name[0] == '/' ? 0 : folder_length(search->main_path);
  snprintf(path, size, "%.*s%s", (int)folder, search->main_path, name);
  return is_file(search, path) && !cr_asset_is_outside(search, path);
}

bool cr_asset_find(const cr_asset_search* search, const char* uri, char** found) {
  size_t size = strlen(search->main_path) + strlen(uri) + 3 * MAX_UP + 2;
  char* path = cr_pool_take(search->pool, size);
  *found = NULL;
  if (!path) return false;
  const char* in_package = skip_scheme(uri, "package://");
  if (!in_package) in_package = skip_scheme(uri, "model://");
  const char* plain = skip_scheme(uri, "file://");
  bool is_there = false;
  if (in_package) {
    const char* rest = strchr(in_package, '/');
    int name = (int)strcspn(in_package, "/");
    bool has_rest = rest && rest[1] && count_up(rest + 1) == 0;
    is_there = count_up(in_package) == 0 && try_folders(search, in_package, name, path, size);
    if (!is_there && has_rest) is_there = try_folders(search, rest + 1, 0, path, size);
  } else if (plain || !strstr(uri, "://")) {
    is_there = try_path(search, plain ? plain : uri, path, size);
  }
  if (is_there) *found = path;
  return true;
}

carom_status cr_asset_fail(const cr_asset_search* search, const cr_subject* subject,
                           const char* uri) {
  const char* plain = skip_scheme(uri, "file://");
  cr_asset_search anywhere = *search;
  char* found = NULL;
  if (search->alone) return cr_subject_fail(subject, CAROM_ERROR_FILE, CR_ASSET_ALONE, uri);
  anywhere.outside = true;
  if (!cr_asset_find(&anywhere, uri, &found)) return cr_error_memory(subject->error);
  if (found || climbs_out(search, plain ? plain : uri))
    return cr_subject_fail(subject, CAROM_ERROR_FILE, CR_ASSET_OUTSIDE, uri);
  return cr_subject_fail(subject, CAROM_ERROR_FILE, "file '%.300s' is not found", uri);
}
