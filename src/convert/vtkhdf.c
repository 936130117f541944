/* A recording as VTKHDF: out.vtkhdf has the bodies, out_contacts.vtkhdf the contact points,
 * out_areas.vtkhdf, out_soft.vtkhdf and out_soft_surface.vtkhdf areas and soft bodies where there
 * are any. */
#include "convert/vtk_hdf.h"
#include "convert/vtk_parts.h"

/* The file of a part. */
typedef struct series {
  char* path;
  size_t path_size;
  cr_vtk_hdf file;
} series;

typedef struct writer {
  cr_convert_job* job;
  cr_vtk_parts parts;
  series series[CR_VTK_MOST_PARTS]; /* one for each part */
} writer;

static carom_status visit(void* writer_, const carom_frame* frame, int number, carom_error* error) {
  writer* w = writer_;
  (void)number;
  CR_TRY(cr_vtk_parts_update(&w->parts, frame, error));
  for (int i = 0; i < w->parts.count; i++)
    CR_TRY(cr_vtk_hdf_append(&w->series[i].file, w->parts.part[i].mesh, frame->time, error));
  return CAROM_OK;
}

static carom_status close_files(writer* w, carom_error* error) {
  carom_status status = CAROM_OK;
  for (int i = 0; i < w->parts.count; i++) {
    int64_t num_bytes = 0;
    carom_status closed =
        cr_vtk_hdf_close(&w->series[i].file, &num_bytes, status == CAROM_OK ? error : NULL);
    if (status == CAROM_OK) status = closed;
    w->job->report.num_bytes += num_bytes;
    w->job->report.num_files++;
  }
  return status;
}

static carom_status open_file(writer* w, int part, carom_error* error) {
  series* s = &w->series[part];
  s->path = cr_vtk_parts_make_path(&w->parts, part, ".vtkhdf", &s->path_size);
  if (!s->path) return cr_error_memory(error);
  return cr_vtk_hdf_create(&s->file, s->path, w->parts.part[part].mesh->kind, error);
}

static carom_status write_all(writer* w, carom_error* error) {
  CR_TRY(cr_vtk_parts_lay_out(&w->parts, false, error));
  for (int i = 0; i < w->parts.count; i++) CR_TRY(open_file(w, i, error));
  return cr_convert_each_frame(w->job, visit, w, error);
}

static void begin(writer* w, cr_convert_job* job) {
  *w = (writer){.job = job};
  cr_vtk_parts_begin(&w->parts, job);
  for (int i = 0; i < w->parts.count; i++) w->series[i].file.file = H5I_INVALID_HID;
}

carom_status cr_convert_write_vtkhdf(cr_convert_job* job, carom_error* error) {
  writer w;
  begin(&w, job);
  carom_status status = write_all(&w, error);
  carom_status closed = close_files(&w, status == CAROM_OK ? error : NULL);
  for (int i = 0; i < w.parts.count; i++)
    cr_release(job->allocator, w.series[i].path, w.series[i].path_size);
  cr_vtk_parts_free(&w.parts);
  return status == CAROM_OK ? closed : status;
}
