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
  const char*
      folders;   /* that packages and models are looked for in too, ':' between; may be null */
  bool exact;    /* no file of another package stands in */
  bool outside;  /* files outside the model's tree count, too */
  bool absolute; /* so do absolute paths: of a text in memory, which stands nowhere */
} cr_asset_search;

/* How far above the current folder packages are looked for, where the path does not say more. */
#define CR_ASSET_MAX_UP 8

/* Length of the folder of a path, with its slash. */
size_t cr_asset_folder_length(const char* path);

/* How many folders a relative path leads up from where it counts, at its highest. */
int cr_asset_count_up(const char* path);

/* Whether a path leads out of the model's tree: the folder of the main file and the one around it,
 * and all of the package or repository where a folder above holds package.xml, model.config, .git,
 * pyproject.toml, setup.py or __init__.py.
 * @param path as it is opened: from where main_path counts from */
bool cr_asset_is_outside(const cr_asset_search* search, const char* path);

/* The sentence, of the path. */
#define CR_ASSET_OUTSIDE \
  "file '%.300s' lies outside the model's tree; it is read where that is allowed (--outside)"

/* The sentence for a file that was not found, or lies outside the tree. */
carom_status cr_asset_fail(const cr_asset_search* search, const cr_subject* subject,
                           const char* uri);

/* Finds a file. A path, with or without file://, counts from the folder of the main file, then from
 * those of `folders`. Of package://NAME/REST and model://NAME/REST, NAME/REST is looked for in that
 * folder and in each one around it, then in those of `folders` (also in their share/ and models/,
 * and in one that is called NAME itself), in models/ of the ones around, and at last REST in these:
 * where their package has that name, or is not known. Other schemes are not found, and neither is
 * what lies outside the model's tree.
 * @param found receives the path, in the pool; null where there is no such file
 * @return false without memory */
bool cr_asset_find(const cr_asset_search* search, const char* uri, char** found);

/* Whether a file that was found is one of another folder than its package is called. */
bool cr_asset_stands_in(const cr_asset_search* search, const char* uri, const char* path);

/* What a note says of it. */
#define CR_ASSET_STANDS_IN \
  "its package is not found: read as the file of that name in the folders around"

#endif
