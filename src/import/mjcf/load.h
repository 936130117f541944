/* Reading MJCF with a say in how included files are opened. */
#ifndef CR_IMPORT_MJCF_LOAD_H
#define CR_IMPORT_MJCF_LOAD_H

#include "import/mjcf/files.h"

#include "carom/model.h"
#include "carom/scene.h"

/* Reads a scene. With `text` null it is opened at `name`, by `files` too. */
carom_status cr_mjcf_load(const char* name, const char* text, size_t length,
                          const carom_load_def* def, const cr_mjcf_files* files,
                          carom_model** model, carom_error* error);

/* The same up to the description, which is the caller's then. */
carom_status cr_mjcf_read(const char* name, const char* text, size_t length,
                          const carom_load_def* def, const cr_mjcf_files* files,
                          carom_builder** builder, carom_error* error);

#endif
