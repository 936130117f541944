/* A recording as VTKHDF: out.vtkhdf has the bodies, out_contacts.vtkhdf the contact points,
 * out_soft.vtkhdf and out_soft_surface.vtkhdf the soft bodies where there are any. */
#include "convert/vtk_hdf.h"
#include "convert/vtk_softs.h"

enum { BODIES, CONTACTS, SOFTS, SURFACES, MOST_FILES };

/* A file, and the mesh whose steps go there. */
typedef struct series {
  const char* tail;
  const cr_vtk_mesh* mesh;
  char* path;
  size_t path_size;
  cr_vtk_hdf file;
} series;

typedef struct writer {
  cr_convert_job* job;
  cr_arena arena;
  cr_vtk_bodies bodies;
  cr_vtk_contacts contacts;
  cr_vtk_softs softs, surfaces;
  series series[MOST_FILES];
  int num_series; /* all, or without soft bodies */
} writer;

static carom_status visit(void* writer_, const carom_frame* frame, int number, carom_error* error) {
  writer* w = writer_;
  (void)number;
  cr_vtk_bodies_update(&w->bodies, frame);
  CR_TRY(cr_vtk_contacts_update(&w->contacts, frame, error));
  if (w->num_series > SOFTS) {
    CR_TRY(cr_vtk_softs_update(&w->softs, frame, error));
    CR_TRY(cr_vtk_softs_update(&w->surfaces, frame, error));
  }
  for (int i = 0; i < w->num_series; i++)
    CR_TRY(cr_vtk_hdf_append(&w->series[i].file, w->series[i].mesh, frame->time, error));
  return CAROM_OK;
}

static carom_status close_files(writer* w, carom_error* error) {
  carom_status status = CAROM_OK;
  for (int i = 0; i < w->num_series; i++) {
    int64_t num_bytes = 0;
    carom_status closed =
        cr_vtk_hdf_close(&w->series[i].file, &num_bytes, status == CAROM_OK ? error : NULL);
    if (status == CAROM_OK) status = closed;
    w->job->report.num_bytes += num_bytes;
    w->job->report.num_files++;
  }
  return status;
}

static carom_status lay_out(writer* w, carom_error* error) {
  CR_TRY(cr_vtk_bodies_init(&w->bodies, w->job, false, &w->arena, error));
  if (w->num_series <= SOFTS) return CAROM_OK;
  CR_TRY(cr_vtk_softs_init(&w->softs, w->job, true, &w->arena, error));
  return cr_vtk_softs_init(&w->surfaces, w->job, false, &w->arena, error);
}

static carom_status open_file(writer* w, series* s, carom_error* error) {
  s->path = cr_convert_make_path(w->job, ".vtkhdf", s->tail, &s->path_size);
  if (!s->path) return cr_error_memory(error);
  return cr_vtk_hdf_create(&s->file, s->path, s->mesh->kind, error);
}

static carom_status write_all(writer* w, carom_error* error) {
  CR_TRY(lay_out(w, error));
  for (int i = 0; i < w->num_series; i++) CR_TRY(open_file(w, &w->series[i], error));
  return cr_convert_each_frame(w->job, visit, w, error);
}

static void begin(writer* w, cr_convert_job* job) {
  *w = (writer){.job = job, .num_series = job->info.num_softs > 0 ? MOST_FILES : SOFTS};
  w->series[BODIES] = (series){.tail = ".vtkhdf", .mesh = &w->bodies.mesh};
  w->series[CONTACTS] = (series){.tail = "_contacts.vtkhdf", .mesh = &w->contacts.mesh};
  w->series[SOFTS] = (series){.tail = "_soft.vtkhdf", .mesh = &w->softs.mesh};
  w->series[SURFACES] = (series){.tail = "_soft_surface.vtkhdf", .mesh = &w->surfaces.mesh};
  for (int i = 0; i < w->num_series; i++) w->series[i].file.file = H5I_INVALID_HID;
  cr_arena_init(&w->arena, job->allocator);
  cr_vtk_contacts_init(&w->contacts, job);
}

carom_status cr_convert_write_vtkhdf(cr_convert_job* job, carom_error* error) {
  writer w;
  begin(&w, job);
  carom_status status = write_all(&w, error);
  carom_status closed = close_files(&w, status == CAROM_OK ? error : NULL);
  for (int i = 0; i < w.num_series; i++)
    cr_release(job->allocator, w.series[i].path, w.series[i].path_size);
  cr_vtk_contacts_free(&w.contacts);
  cr_arena_destroy(&w.arena);
  return status == CAROM_OK ? closed : status;
}
