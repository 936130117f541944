/** @file
 * Recordings in the formats of other programs: tables, ParaView, glTF.
 *
 * `docs/export.md` says what the files hold. HDF5 and the JSON of glTF take their memory from the C
 * library, the rest from the allocator.
 */
#ifndef CAROM_CONVERT_H
#define CAROM_CONVERT_H

#include "carom/table.h"

CAROM_BEGIN_DECLS

/** Formats that a recording can be written in. */
typedef enum carom_convert_format {
  CAROM_CONVERT_CSV,    /**< a table (carom/table.h) */
  CAROM_CONVERT_PVD,    /**< ParaView, any version: a list of frames, each in a .vtp or .vtu file */
  CAROM_CONVERT_VTKHDF, /**< ParaView 5.12 and later: all frames in one HDF5 file */
  CAROM_CONVERT_GLB,    /**< glTF 2.0 with an animation, binary */
  CAROM_CONVERT_GLTF,   /**< the same as text, with the data in it */
} carom_convert_format;

/** Options of a conversion. */
typedef struct carom_convert_def {
  uint32_t cookie;
  carom_allocator allocator;
  carom_convert_format format;
  double rate;      /**< frames per simulated second, at most; 0 (default): all */
  double from;      /**< s, no frames before; default -inf */
  double until;     /**< s, no frames after; default inf */
  unsigned columns; /**< CSV: carom_table_columns, or-ed; CAROM_TABLE_DEFAULT */
  bool solid;       /**< PVD: bodies as volume cells (.vtu) instead of surfaces (.vtp) */
  bool (*progress)(void* user, int done, int count); /**< after each frame; false stops the work;
                                                          may be null */
  void* user;                                        /**< handed to `progress` */
} carom_convert_def;

/** CSV, all frames. */
CAROM_API carom_convert_def carom_convert_def_default(void);

/** What was written. */
typedef struct carom_convert_report {
  int num_frames;
  int num_unread;     /**< frames asked for, from the first that could not be read on */
  int num_files;      /**< files */
  int64_t num_bytes;  /**< of all files */
  carom_error unread; /**< why the first unread frame could not be read */
} carom_convert_report;

/** Writes a recording in another format. Frames after one that cannot be read are left out.
 * @param path of the file; existing files are replaced. PVD: beside `path` = `out.pvd` also
 *        `out_contacts.pvd` and the folder `out_frames`; VTKHDF: also `out_contacts.vtkhdf`. None
 *        of them may be the recording's own
 * @param def null: the defaults
 * @param report may be null
 * @return CAROM_ERROR_FILE when it cannot be written; CAROM_ERROR_BAD_INPUT when no frame can be
 * read; CAROM_ERROR_UNSUPPORTED when the recording says nothing of geometries (an early version;
 * CSV can be made of it); CAROM_ERROR_INTERRUPTED when `progress` returned false;
 * CAROM_ERROR_INVALID_ARGUMENT, also when there is no frame from `from` to `until` */
CAROM_API carom_status carom_convert_recording(carom_recording* recording, const char* path,
                                               const carom_convert_def* def,
                                               carom_convert_report* report, carom_error* error);

CAROM_END_DECLS

#endif
