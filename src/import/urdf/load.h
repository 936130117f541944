/* Reading URDF with a say in which files are there. */
#ifndef CR_IMPORT_URDF_LOAD_H
#define CR_IMPORT_URDF_LOAD_H

#include "carom/model.h"
#include "carom/scene.h"

#include <stdbool.h>

/* Answers for the file system; null: the file system itself. Tests and fuzzers bring their own. */
typedef struct cr_urdf_files {
  bool (*exists)(void* user, const char* path);
  void* user;
} cr_urdf_files;

/* Reads a robot. With `text` null it is opened at `name`. */
carom_status cr_urdf_load(const char* name, const char* text, size_t length,
                          const carom_load_def* def, const cr_urdf_files* files,
                          carom_model** model, carom_error* error);

/* The same up to the description, which is the caller's then. */
carom_status cr_urdf_read(const char* name, const char* text, size_t length,
                          const carom_load_def* def, const cr_urdf_files* files,
                          carom_builder** builder, carom_error* error);

#endif
