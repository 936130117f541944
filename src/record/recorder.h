/* A recorder: streams of rows, buffered for a chunk of frames and then appended to their datasets.
 */
#ifndef CR_RECORD_RECORDER_H
#define CR_RECORD_RECORDER_H

#include "base/alloc.h"
#include "base/error.h"
#include "record/layout.h"

#include "carom/dynamics.h"
#include "carom/record.h"
#include "carom/sensor.h"

/* Rows on their way into a dataset. */
typedef struct cr_record_stream {
  hid_t dataset; /* -1: none */
  cr_row_shape shape;
  char* rows;
  int count, capacity;
  hsize_t written;
} cr_record_stream;

/* Figures of the steps since the last frame; energies since the start. */
typedef struct cr_record_figures {
  int steps, substeps, iterations, outer_iterations;
  double error_bound, residual, stick_slip, wall_time, dissipated, actuator_work;
} cr_record_figures;

struct carom_recorder {
  carom_allocator allocator;
  carom_sim* sim;
  carom_dynamics* dynamics;            /* of the model, for what only its motion tells */
  carom_joint_reaction* joints;        /* [num_joints] null: not wanted */
  carom_equality_reaction* equalities; /* [num_equalities] likewise */
  char* path;
  size_t path_size;
  double rate, start; /* 1/s; s, of the first frame */
  int chunk;          /* frames */
  hid_t file;
  cr_h5_guard guard;
  cr_record_stream streams[CR_NUM_STREAMS];
  cr_record_figures figures;
  int64_t num_contacts, num_triangles; /* taken */
  int num_frames;                      /* taken */
  bool has_news;                       /* the state is newer than the last frame */
  bool has_failed;                     /* no frames come any more */
  bool is_swmr;                        /* all datasets are there */
  bool is_unwritable;                  /* HDF5 could not write */
};

/* Fills the error of a failure of HDF5: the file cannot be `what` (created, written, closed). The
 * recorder takes no more frames. */
carom_status cr_recorder_fail(carom_recorder* recorder, const char* what, carom_error* error);

/* Appends a row; false when memory ran out. */
bool cr_recorder_add_cells(carom_recorder* recorder, cr_stream_id id, const void* cells);

/* Takes the present state as a frame; writes the chunk when it is full. */
carom_status cr_recorder_add_frame(carom_recorder* recorder, carom_error* error);

/* Writes all rows: contacts, then frames, and their times last. */
carom_status cr_recorder_flush_all(carom_recorder* recorder, carom_error* error);

/* Creates the file with all its datasets, and takes the first frame. */
carom_status cr_recorder_create_file(carom_recorder* recorder, const carom_recorder_def* def,
                                     carom_error* error);

/* Frames of a chunk, such that the widest dataset's stays small. */
int cr_recorder_choose_chunk(const carom_recorder_def* def, const carom_sim* sim);

#endif
