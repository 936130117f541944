/* A recording as VTKHDF: out.vtkhdf has the bodies, out_contacts.vtkhdf the contact points. */
#include "convert/vtk_hdf.h"

typedef struct writer {
  cr_convert_job* job;
  char *bodies_path, *contacts_path;
  size_t bodies_size, contacts_size;
  cr_arena arena;
  cr_vtk_bodies bodies;
  cr_vtk_contacts contacts;
  cr_vtk_hdf files[2];
} writer;

static carom_status visit(void* writer_, const carom_frame* frame, int number, carom_error* error) {
  writer* w = writer_;
  (void)number;
  cr_vtk_bodies_update(&w->bodies, frame);
  CR_TRY(cr_vtk_contacts_update(&w->contacts, frame, error));
  CR_TRY(cr_vtk_hdf_append(&w->files[0], &w->bodies.mesh, frame->time, error));
  return cr_vtk_hdf_append(&w->files[1], &w->contacts.mesh, frame->time, error);
}

static carom_status close_files(writer* w, carom_error* error) {
  carom_status status = CAROM_OK;
  for (int i = 0; i < 2; i++) {
    int64_t num_bytes = 0;
    carom_status closed =
        cr_vtk_hdf_close(&w->files[i], &num_bytes, status == CAROM_OK ? error : NULL);
    if (status == CAROM_OK) status = closed;
    w->job->report.num_bytes += num_bytes;
    w->job->report.num_files++;
  }
  return status;
}

static carom_status write_all(writer* w, carom_error* error) {
  w->bodies_path = cr_convert_make_path(w->job, ".vtkhdf", ".vtkhdf", &w->bodies_size);
  w->contacts_path = cr_convert_make_path(w->job, ".vtkhdf", "_contacts.vtkhdf", &w->contacts_size);
  if (!w->bodies_path || !w->contacts_path) return cr_error_memory(error);
  CR_TRY(cr_vtk_bodies_init(&w->bodies, w->job, false, &w->arena, error));
  CR_TRY(cr_vtk_hdf_create(&w->files[0], w->bodies_path, error));
  CR_TRY(cr_vtk_hdf_create(&w->files[1], w->contacts_path, error));
  return cr_convert_each_frame(w->job, visit, w, error);
}

carom_status cr_convert_write_vtkhdf(cr_convert_job* job, carom_error* error) {
  writer w = {.job = job, .files = {{.file = H5I_INVALID_HID}, {.file = H5I_INVALID_HID}}};
  cr_arena_init(&w.arena, job->allocator);
  cr_vtk_contacts_init(&w.contacts, job);
  carom_status status = write_all(&w, error);
  carom_status closed = close_files(&w, status == CAROM_OK ? error : NULL);
  cr_release(job->allocator, w.bodies_path, w.bodies_size);
  cr_release(job->allocator, w.contacts_path, w.contacts_size);
  cr_vtk_contacts_free(&w.contacts);
  cr_arena_destroy(&w.arena);
  return status == CAROM_OK ? closed : status;
}
