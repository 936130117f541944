/* A conversion at work: which frames, and one after another to whoever writes them. */
#ifndef CR_CONVERT_JOB_H
#define CR_CONVERT_JOB_H

#include "base/alloc.h"
#include "base/error.h"

#include "carom/convert.h"

typedef struct cr_convert_job {
  carom_recording* recording;
  carom_recording_info info;
  const char* path;
  const carom_convert_def* def;
  const carom_allocator* allocator;
  int* frames; /* [num_frames, capacity] in the recording */
  int num_frames, capacity;
  carom_convert_report report;
} cr_convert_job;

/* Chooses the frames from `from` to `until`, thinned out to the rate; the last one stays. */
carom_status cr_convert_choose_frames(cr_convert_job* job, carom_error* error);

/* Takes one frame, `number` from zero among the chosen ones. */
typedef carom_status (*cr_convert_visit)(void* writer, const carom_frame* frame, int number,
                                         carom_error* error);

/* Hands all chosen frames to `visit`, up to the first that cannot be read; counts them in the
 * report.
 * @return what `visit` returned when that failed; CAROM_ERROR_BAD_INPUT when none can be read;
 * CAROM_ERROR_INTERRUPTED */
carom_status cr_convert_each_frame(cr_convert_job* job, cr_convert_visit visit, void* writer,
                                   carom_error* error);

/* The first chosen frame and the last; false where it cannot be read. */
bool cr_convert_read_end(cr_convert_job* job, bool last, carom_frame* frame);

/* `path` without this ending, where it has it, and with `tail` instead.
 * @param size receives the size of the block, for its release
 * @return null when memory ran out */
char* cr_convert_make_path(const cr_convert_job* job, const char* ending, const char* tail,
                           size_t* size);

/* The writers of formats. */
carom_status cr_convert_write_csv(cr_convert_job* job, carom_error* error);
carom_status cr_convert_write_vtk(cr_convert_job* job, carom_error* error);
carom_status cr_convert_write_vtkhdf(cr_convert_job* job, carom_error* error);
carom_status cr_convert_write_gltf(cr_convert_job* job, carom_error* error);

#endif
