/* Search for the files of a model; see asset.h. */
#include "import/asset.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* How far above the current folder packages are looked for, where the path does not say more. */
#define MAX_UP 8

static bool is_file(const cr_asset_search* search, const char* path) {
  struct stat status;
  if (search->exists) return search->exists(search->user, path);
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Tries `name` in each folder from that of the main file upwards; `path` has room for all. */
static bool try_folders(const cr_asset_search* search, const char* name, char* path, size_t size) {
  const char* main_path = search->main_path;
  for (size_t folder = strlen(main_path); folder > 0;) {
    while (folder > 0 && main_path[folder - 1] != '/') folder--;
    snprintf(path, size, "%.*s%s", (int)folder, main_path, name);
    if (is_file(search, path)) return true;
    if (folder > 0) folder--;
  }
  if (main_path[0] == '/') return false;
  char up[3 * MAX_UP + 1] = "";
  for (int i = 0; i < MAX_UP; i++) {
    memcpy(up + 3 * (size_t)i, "../", 4);
    snprintf(path, size, "%s%s", up, name);
    if (is_file(search, path)) return true;
  }
  return false;
}

/* A path as it stands, or beside the main file. */
static bool try_path(const cr_asset_search* search, const char* name, char* path, size_t size) {
  const char* slash = strrchr(search->main_path, '/');
  int folder = slash && name[0] != '/' ? (int)(slash - search->main_path) + 1 : 0;
  snprintf(path, size, "%.*s%s", folder, search->main_path, name);
  return is_file(search, path);
}

static const char* skip_scheme(const char* uri, const char* scheme) {
  size_t length = strlen(scheme);
  return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
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
    is_there = try_folders(search, in_package, path, size) ||
               (rest && rest[1] && try_folders(search, rest + 1, path, size));
  } else if (plain || !strstr(uri, "://")) {
    is_there = try_path(search, plain ? plain : uri, path, size);
  }
  if (is_there) *found = path;
  return true;
}
