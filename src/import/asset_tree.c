/* Where the tree of a model ends; see asset.h. */
#include "import/asset.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define AROUND 1 /* folders around the main file's that belong to it: ../meshes */

/* Length of the folder of a path, with its slash. */
size_t cr_asset_folder_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* How many folders a relative path leads up from where it counts, at its highest. */
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

/* A file or a folder. */
static bool is_there(const cr_asset_search* search, const char* path) {
  struct stat status;
  if (search->exists) return search->exists(search->user, path);
  return stat(path, &status) == 0;
}

/* Whether a folder, so many above the main file's, is where a package or a repository begins, or
 * one of a Python package. */
static bool is_package(const cr_asset_search* search, int up) {
  static const char* const SIGNS[] = {"package.xml",    "model.config", ".git",
                                      "pyproject.toml", "setup.py",     "__init__.py"};
  static const char UP[3 * CR_ASSET_MAX_UP + 1] = "../../../../../../../../";
  int folder = (int)cr_asset_folder_length(search->main_path);
  char path[4096];
  for (size_t k = 0; k < sizeof SIGNS / sizeof SIGNS[0]; k++) {
    int length =
        snprintf(path, sizeof path, "%.*s%.*s%s", folder, search->main_path, 3 * up, UP, SIGNS[k]);
    if (length < (int)sizeof path && is_there(search, path)) return true;
  }
  return false;
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

bool cr_asset_is_outside(const cr_asset_search* search, const char* path) {
  size_t folder = cr_asset_folder_length(search->main_path);
  if (search->outside) return false;
  if (strncmp(path, search->main_path, folder) == 0) path += folder;
  if (path[0] == '/') return !search->absolute && is_apart(search, path);
  int up = cr_asset_count_up(path);
  if (up <= AROUND) return false;
  for (int k = up; k <= CR_ASSET_MAX_UP; k++)
    if (is_package(search, k)) return false;
  return true;
}
