/** @file
 * Recordings of simulations in HDF5, readable while they grow and after a kill.
 *
 * Datasets (units are attributes; n frames): `/meta` attributes `version`, `scene`, `options`,
 * `model`; `/time` [n]; `/q` [n, num_q]; `/v` [n, num_v]; `/bodies/pose` [n, num_bodies, 7];
 * `/energy` [n, 4] kinetic, potential, elastic, dissipated since the start; `/contacts/offset` [n +
 * 1] and, for all contacts one after the other, `/contacts/geom` [m, 2], `/contacts/point` [m, 3],
 * `/contacts/normal` [m, 3], `/contacts/impulse` [m, 3], `/contacts/distance` [m],
 * `/contacts/state` [m]; `/steps` [n, ...] figures of the step report.
 */
#ifndef CAROM_RECORD_H
#define CAROM_RECORD_H

#include "carom/sim.h"

CAROM_BEGIN_DECLS

/** Writes a recording. */
typedef struct carom_recorder carom_recorder;

/** Options of a recording. */
typedef struct carom_recorder_def {
  uint32_t cookie;
  carom_allocator allocator;
  double rate;         /**< frames per simulated second; 0: every step */
  const char* scene;   /**< text of the scene, kept in the recording; may be null */
  const char* options; /**< how it was made (a command line, say); may be null */
  int chunk;           /**< frames per chunk; a kill loses at most one; default 64 */
} carom_recorder_def;

CAROM_API carom_recorder_def carom_recorder_def_default(void);

/** Creates the file and all its datasets, and records the present state as the first frame.
 * @return CAROM_ERROR_FILE when it cannot be created */
CAROM_API carom_status carom_recorder_create(carom_sim* sim, const char* path,
                                             const carom_recorder_def* def,
                                             carom_recorder** recorder, carom_error* error);

/** Takes the state after a step; writes a frame when the rate asks for one.
 * @param wall_time s, of the step; NaN: not known */
CAROM_API carom_status carom_recorder_append(carom_recorder* recorder, carom_sim* sim,
                                             const carom_step_report* report, double wall_time,
                                             carom_error* error);

/** Writes what is left and closes the file; frees the recorder. Null is allowed. */
CAROM_API carom_status carom_recorder_close(carom_recorder* recorder, carom_error* error);

/** Reads a recording. */
typedef struct carom_recording carom_recording;

/** Sizes of a recording. */
typedef struct carom_recording_info {
  const char* version; /**< of the format */
  const char* scene;   /**< text, empty if none; strings live as long as the recording is open */
  const char* options;
  int num_frames, num_q, num_v, num_bodies;
  double start, end; /**< s */
  bool truncated;    /**< the file was not closed properly; what is there is readable */
} carom_recording_info;

/** Opens a recording, also one that is being written or was cut off by a kill.
 * @return CAROM_ERROR_FILE or CAROM_ERROR_BAD_INPUT with a sentence that says what is wrong */
CAROM_API carom_status carom_recording_open(const char* path, carom_recording** recording,
                                            carom_error* error);
CAROM_API void carom_recording_close(carom_recording* recording);
CAROM_API carom_recording_info carom_recording_get_info(const carom_recording* recording);

/** One frame; arrays live until the next call. */
typedef struct carom_frame {
  double time;
  const double* q;
  const double* v;
  const double* poses;  /**< [7 num_bodies] */
  const double* energy; /**< [4] */
  int num_contacts;
  const carom_contact* contacts;
} carom_frame;

CAROM_API carom_status carom_recording_read(carom_recording* recording, int index,
                                            carom_frame* frame, carom_error* error);

CAROM_END_DECLS

#endif
