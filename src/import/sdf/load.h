/* Reading SDF with a say in which files there are. */
#ifndef CR_IMPORT_SDF_LOAD_H
#define CR_IMPORT_SDF_LOAD_H

#include "carom/model.h"
#include "carom/scene.h"

#include <stdbool.h>
#include <stdio.h>

/* Finds and opens included files; null members: the file system. Tests and fuzzers bring their own.
 */
typedef struct cr_sdf_files {
  bool (*exists)(void* user, const char* path);
  FILE* (*open)(void* user, const char* path); /* null: the file is not there */
  void* user;
} cr_sdf_files;

/* Whether a file with this root element is SDF: "gazebo" is what version 1.2 and older called it.
 */
bool cr_sdf_is_root(const char* name);

/* Reads a model or a world. With `text` null it is opened at `name`. */
carom_status cr_sdf_load(const char* name, const char* text, size_t length,
                         const carom_load_def* def, const cr_sdf_files* files, carom_model** model,
                         carom_error* error);

/* The same up to the description, which is the caller's then. */
carom_status cr_sdf_read(const char* name, const char* text, size_t length,
                         const carom_load_def* def, const cr_sdf_files* files,
                         carom_builder** builder, carom_error* error);

#endif
