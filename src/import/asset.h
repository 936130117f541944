/* Where the files are that a model names: meshes by package://, model://, file:// or a path. */
#ifndef CR_IMPORT_ASSET_H
#define CR_IMPORT_ASSET_H

#include "import/pool.h"
#include "model/check.h"

#include <stdbool.h>

/* Where files are looked for. */
typedef struct cr_asset_search {
  cr_pool* pool;
  const char* main_path;                        /* the file that names them */
  bool (*exists)(void* user, const char* path); /* null: asks the file system */
  void* user;
  bool outside;  /* files outside the model's tree count, too */
  bool alone;    /* none does */
  bool absolute; /* so do absolute paths: of a text in memory, which stands nowhere */
} cr_asset_search;

/* Whether a path leads out of the model's tree: the folder of the main file and the one around it,
 * and all of the package where a folder above holds package.xml or model.config. A file counts
 * where it really is, symbolic links followed.
 * @param path as it is opened: from where main_path counts from */
bool cr_asset_is_outside(const cr_asset_search* search, const char* path);

/* The sentence, of the path. */
#define CR_ASSET_OUTSIDE \
  "file '%.300s' lies outside the model's tree; it is read where that is allowed (--outside)"

/* The same, where no file is read. */
#define CR_ASSET_ALONE "file '%.300s' is not read: the model is read without other files"

/* The sentence for a file that was not found, or lies outside the tree. */
carom_status cr_asset_fail(const cr_asset_search* search, const cr_subject* subject,
                           const char* uri);

/* Finds a file. A path, with or without file://, counts from the folder of the main file. Of
 * package://NAME/REST and model://NAME/REST, NAME/REST is looked for in that folder and in each one
 * around it, then REST in the same ones (a package whose folder has another name), and taken where
 * it lies in the tree, or in a package, which has package.xml or model.config. Other schemes are
 * not found, and neither is what lies outside the model's tree or is a folder.
 * @param found receives the path, in the pool; null where there is no such file
 * @return false without memory */
bool cr_asset_find(const cr_asset_search* search, const char* uri, char** found);

#endif
