/* Where the files are that a model names: meshes by package://, model://, file:// or a path. */
#ifndef CR_IMPORT_ASSET_H
#define CR_IMPORT_ASSET_H

#include "import/pool.h"

#include <stdbool.h>

/* Where files are looked for. */
typedef struct cr_asset_search {
  cr_pool* pool;
  const char* main_path;                        /* the file that names them */
  bool (*exists)(void* user, const char* path); /* null: asks the file system */
  void* user;
} cr_asset_search;

/* Finds a file. A path, with or without file://, counts from the folder of the main file. Of
 * package://NAME/REST and model://NAME/REST, NAME/REST is looked for in that folder and in each one
 * around it, then REST in the same ones (a package whose folder has another name). Other schemes
 * are not found.
 * @param found receives the path, in the pool; null where there is no such file
 * @return false without memory */
bool cr_asset_find(const cr_asset_search* search, const char* uri, char** found);

#endif
