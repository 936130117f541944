/* Which frames of a recording are written, and the walk through them. */
#include "convert/job.h"

#include "base/pace.h"

#include <stdio.h>
#include <string.h>

/* Times are sums of steps, and may lie beside a round number by their rounding. */
#define SLACK 1e-6 /* steps */

/* --- Which frames -------------------------------------------------------------------------------
 */

static carom_status take(cr_convert_job* job, int index, carom_error* error) {
  if (!cr_reserve_one(job->allocator, (void**)&job->frames, job->num_frames, &job->capacity,
                      sizeof *job->frames))
    return cr_error_memory(error);
  job->frames[job->num_frames++] = index;
  return CAROM_OK;
}

/* Frames are in the order of their times. */
static carom_status choose(cr_convert_job* job, const double* times, carom_error* error) {
  const carom_convert_def* def = job->def;
  double slack = SLACK * job->info.dt;
  int first = 0, end = job->info.num_frames;
  while (first < end && times[first] < def->from - slack) first++;
  while (end > first && times[end - 1] > def->until + slack) end--;
  if (first == end)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "the recording has no frame from %g s to %g s; it goes from %g s to %g s",
                        def->from, def->until, job->info.start, job->info.end);
  cr_pace pace = {.start = times[first], .rate = def->rate};
  for (int i = first; i < end; i++)
    if (cr_pace_take(&pace, times[i]) || i == end - 1) CR_TRY(take(job, i, error));
  return CAROM_OK;
}

carom_status cr_convert_choose_frames(cr_convert_job* job, carom_error* error) {
  int count = job->info.num_frames;
  if (count == 0) return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "the recording holds no frame");
  size_t size = sizeof(double) * (size_t)count;
  double* times = cr_alloc(job->allocator, size);
  if (!times) return cr_error_memory(error);
  carom_status status = carom_recording_read_times(job->recording, 0, count, times, error);
  if (status == CAROM_OK) status = choose(job, times, error);
  cr_release(job->allocator, times, size);
  return status;
}

/* --- One after another --------------------------------------------------------------------------
 */

static carom_status stop_at(cr_convert_job* job, int number, carom_error* error) {
  carom_convert_report* report = &job->report;
  report->num_unread = job->num_frames - number;
  if (number > 0) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                      "the recording holds no frame that can be read: %.400s",
                      report->unread.message);
}

carom_status cr_convert_each_frame(cr_convert_job* job, cr_convert_visit visit, void* writer,
                                   carom_error* error) {
  carom_convert_report* report = &job->report;
  for (int i = 0; i < job->num_frames; i++) {
    carom_frame frame;
    carom_status status =
        carom_recording_read(job->recording, job->frames[i], &frame, &report->unread);
    if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(error);
    if (status != CAROM_OK) return stop_at(job, i, error);
    CR_TRY(visit(writer, &frame, i, error));
    report->num_frames = i + 1;
    const carom_convert_def* def = job->def;
    if (def->progress && !def->progress(def->user, i + 1, job->num_frames))
      return cr_error_set(error, CAROM_ERROR_INTERRUPTED, "the caller stopped the conversion");
  }
  return CAROM_OK;
}

bool cr_convert_read_end(cr_convert_job* job, bool last, carom_frame* frame) {
  int index = job->frames[last ? job->num_frames - 1 : 0];
  return carom_recording_read(job->recording, index, frame, NULL) == CAROM_OK;
}

char* cr_convert_make_path(const cr_convert_job* job, const char* ending, const char* tail,
                           size_t* size) {
  size_t length = strlen(job->path), part = strlen(ending);
  if (length > part && strcmp(job->path + length - part, ending) == 0) length -= part;
  *size = length + strlen(tail) + 1;
  char* path = cr_alloc(job->allocator, *size);
  if (path) snprintf(path, *size, "%.*s%s", (int)length, job->path, tail);
  return path;
}
