/* Where the tree of a model ends; see asset.h. */
#include "import/asset.h"
#include "io/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define AROUND 1 /* folders around the main file's that belong to it: ../meshes */

const char cr_asset_climb[3 * CR_ASSET_MAX_UP + 1] = "../../../../../../../../";

size_t cr_asset_folder_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

int cr_asset_count_up(const char* path) {
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

bool cr_asset_is_file(const cr_asset_search* search, const char* path) {
  struct stat status;
  if (search->exists) return search->exists(search->user, path);
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* A file or a folder. */
static bool is_there(const cr_asset_search* search, const char* path) {
  struct stat status;
  if (search->exists) return search->exists(search->user, path);
  return stat(path, &status) == 0;
}

/* Whether one of the first `count` signs stands in a folder, `length` bytes of a path without its
 * last slash: the first two are of packages, the others of repositories and Python packages. */
static bool has_sign(const cr_asset_search* search, const char* path, int length, int count) {
  static const char* const SIGNS[] = {"package.xml",    "model.config", ".git",
                                      "pyproject.toml", "setup.py",     "__init__.py"};
  char sign[4096];
  for (int k = 0; k < count; k++) {
    int end = snprintf(sign, sizeof sign, "%.*s/%s", length, path, SIGNS[k]);
    if (end < (int)sizeof sign && is_there(search, sign)) return true;
  }
  return false;
}

#define OF_PACKAGES 2
#define OF_TREES    6

/* The folder so many above the main file's, without a slash; false where it is too long. */
static bool climb(const cr_asset_search* search, int up, char folder[4096]) {
  int length = snprintf(folder, 4096, "%.*s%.*s.", (int)cr_asset_folder_length(search->main_path),
                        search->main_path, 3 * up, cr_asset_climb);
  return length < 4096;
}

/* Whether a tree begins in a folder so many above the main file's. */
static bool begins_above(const cr_asset_search* search, int up) {
  char folder[4096];
  return climb(search, up, folder) && has_sign(search, folder, (int)strlen(folder), OF_TREES);
}

/* An absolute path, against where the main file really is. */
static bool is_apart(const cr_asset_search* search, const char* path) {
  char folder[PATH_MAX], around[PATH_MAX];
  size_t length = cr_asset_folder_length(search->main_path);
  if (length + 4 > sizeof folder || strstr(path, "/../")) return true;
  snprintf(folder, sizeof folder, "%.*s..", (int)length, search->main_path);
  if (!realpath(folder, around)) return true;
  length = strlen(around);
  return strncmp(path, around, length) != 0 || (length > 1 && path[length] != '/');
}

bool cr_asset_climbs_out(const cr_asset_search* search, const char* path) {
  size_t folder = cr_asset_folder_length(search->main_path);
  if (strncmp(path, search->main_path, folder) == 0) path += folder;
  if (path[0] == '/') return !search->absolute && is_apart(search, path);
  int up = cr_asset_count_up(path);
  if (up <= AROUND) return false;
  for (int k = up; k <= CR_ASSET_MAX_UP; k++)
    if (begins_above(search, k)) return false;
  return true;
}

/* Whether a file really is, all symbolic links followed, where the tree is. What is around the main
 * file's folder does not count where it is everything. */
static bool is_in_tree(const cr_asset_search* search, const char* path) {
  char folder[4096];
  for (int up = 0; up <= CR_ASSET_MAX_UP; up++) {
    if (!climb(search, up, folder)) return false;
    bool is_root = up <= AROUND || has_sign(search, folder, (int)strlen(folder), OF_TREES);
    if (up > 0 && cr_file_lies_in("/", folder)) break;
    if (is_root && cr_file_lies_in(path, folder)) return true;
  }
  return false;
}

/* Whether a path from the main file's folder on climbs out and comes back to a file in the tree, as
 * ../../NAME/mesh.stl does in a repository NAME. */
static bool comes_back(const cr_asset_search* search, const char* path) {
  size_t folder = cr_asset_folder_length(search->main_path);
  bool is_beside = path[0] != '/' || (folder > 0 && !strncmp(path, search->main_path, folder));
  return is_beside && !search->exists && is_there(search, path) && is_in_tree(search, path);
}

bool cr_asset_is_outside(const cr_asset_search* search, const char* path) {
  if (search->alone) return true;
  bool is_free = search->outside || (search->absolute && path[0] == '/');
  if (is_free) return false;
  if (cr_asset_climbs_out(search, path)) return !comes_back(search, path);
  return !search->exists && !is_in_tree(search, path);
}

bool cr_asset_may_take(const cr_asset_search* search, const char* path, int length) {
  char folder[4096];
  if (search->alone || !cr_asset_is_file(search, path)) return false;
  if (search->outside || search->exists || is_in_tree(search, path)) return true;
  if (length == 0 || !has_sign(search, path, length, OF_PACKAGES)) return false;
  int end = snprintf(folder, sizeof folder, "%.*s/.", length, path);
  return end < (int)sizeof folder && cr_file_lies_in(path, folder);
}
