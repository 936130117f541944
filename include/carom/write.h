/** @file
 * Scene files out of descriptions: read with carom_builder_load, built in code, or both.
 *
 * A written file holds what the description compiles into: bodies with their masses and inertias as
 * numbers, to all digits, whatever rules they came from. Read again it gives the same dynamics.
 * What a format cannot hold is told, one sentence for each kind of thing (docs/models.md says
 * what).
 */
#ifndef CAROM_WRITE_H
#define CAROM_WRITE_H

#include "carom/model.h"

CAROM_BEGIN_DECLS

/** Formats of scenes. */
typedef enum carom_write_format {
  CAROM_WRITE_AUTO, /**< by the ending of the path: .urdf, else MJCF */
  CAROM_WRITE_MJCF, /**< MJCF; meshes stand in the file */
  CAROM_WRITE_URDF, /**< URDF; meshes stand beside it as OBJ, PATH-without-ending_mesh0.obj and on
                     */
} carom_write_format;

/** How a scene is written. */
typedef struct carom_write_def {
  uint32_t cookie;
  carom_write_format format;
  void (*remark)(void* user, const char* sentence); /**< told what is left out; may be null */
  void* user;
} carom_write_def;

/** By the ending, with no remarks. */
CAROM_API carom_write_def carom_write_def_default(void);

/** Reads a scene file like carom_model_load, but not further than to its description, which may be
 * added to, compiled and written.
 * @param builder receives the builder, to be freed with carom_builder_destroy; null on failure */
CAROM_API carom_status carom_builder_load(const char* path, const carom_load_def* def,
                                          carom_builder** builder, carom_error* error);

/** Writes a description as a scene file.
 * @param def null: the defaults
 * @return what carom_builder_compile returns where it does not compile; CAROM_ERROR_FILE;
 *         CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_builder_write(const carom_builder* builder, const char* path,
                                           const carom_write_def* def, carom_error* error);

CAROM_END_DECLS

#endif
