/* Recordings in other formats: checks, the choice of frames and of the writer; tables. */
#include "base/cookie.h"
#include "convert/job.h"

#include <math.h>

carom_convert_def carom_convert_def_default(void) {
  return (carom_convert_def){.cookie = CR_COOKIE(convert),
                             .from = -INFINITY,
                             .until = INFINITY,
                             .columns = CAROM_TABLE_DEFAULT};
}

static carom_status check_def(const carom_convert_def* def, carom_error* error) {
  CR_TRY(CR_CHECK_COOKIE(def, convert, "conversion", error));
  if (!(def->rate >= 0) || isinf(def->rate))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "conversion: rate is %g, must be 0 or more", def->rate);
  if (isnan(def->from) || isnan(def->until))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "conversion: from or until is no number");
  if ((unsigned)def->format <= CAROM_CONVERT_GLTF) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "conversion: there is no format %d",
                      (int)def->format);
}

/* --- Tables -------------------------------------------------------------------------------------
 */

static carom_status put_row(void* table, const carom_frame* frame, int number, carom_error* error) {
  (void)number, (void)error;
  carom_table_append(table, frame);
  return CAROM_OK;
}

carom_status cr_convert_write_csv(cr_convert_job* job, carom_error* error) {
  carom_table* table;
  carom_table_def def = carom_table_def_default();
  def.allocator = *job->allocator;
  def.recording = job->recording;
  def.columns = job->def->columns;
  CR_TRY(carom_table_create(job->path, &def, &table, error));
  carom_status status = cr_convert_each_frame(job, put_row, table, error);
  carom_status closed =
      carom_table_close(table, &job->report.num_bytes, status == CAROM_OK ? error : NULL);
  job->report.num_files = 1;
  return status == CAROM_OK ? closed : status;
}

/* --- All formats --------------------------------------------------------------------------------
 */

static carom_status write_format(cr_convert_job* job, carom_error* error) {
  switch (job->def->format) {
  case CAROM_CONVERT_CSV:
    return cr_convert_write_csv(job, error);
  case CAROM_CONVERT_PVD:
    return cr_convert_write_vtk(job, error);
  case CAROM_CONVERT_VTKHDF:
    return cr_convert_write_vtkhdf(job, error);
  case CAROM_CONVERT_GLB:
  case CAROM_CONVERT_GLTF:
    return cr_convert_write_gltf(job, error);
  }
  return CAROM_OK;
}

static carom_status run(cr_convert_job* job, carom_error* error) {
  if (job->def->format != CAROM_CONVERT_CSV && !job->info.has_parts)
    return cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                        "the recording says nothing of bodies and geometries, because it is of an "
                        "early version; only a table can be made of it");
  CR_TRY(cr_convert_choose_frames(job, error));
  return write_format(job, error);
}

carom_status carom_convert_recording(carom_recording* recording, const char* path,
                                     const carom_convert_def* def, carom_convert_report* report,
                                     carom_error* error) {
  carom_convert_def chosen = def ? *def : carom_convert_def_default();
  if (!recording || !path)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "conversion: an argument is null");
  CR_TRY(check_def(&chosen, error));
  carom_allocator allocator = cr_allocator_resolve(&chosen.allocator);
  cr_convert_job job = {.recording = recording,
                        .info = carom_recording_get_info(recording),
                        .path = path,
                        .def = &chosen,
                        .allocator = &allocator};
  carom_status status = run(&job, error);
  cr_release(&allocator, job.frames, sizeof *job.frames * (size_t)job.capacity);
  if (report) *report = job.report;
  return status == CAROM_OK ? cr_error_clear(error) : status;
}
