#include "convert/vtk_parts.h"

#include <stdio.h>

static void add(cr_vtk_parts* p, const char* name, const char* tail, const cr_vtk_mesh* mesh) {
  p->part[p->count++] = (cr_vtk_part){name, tail, mesh};
}

static bool has_softs(const cr_vtk_parts* p) { return p->job->info.num_softs > 0; }

void cr_vtk_parts_begin(cr_vtk_parts* p, cr_convert_job* job) {
  *p = (cr_vtk_parts){.job = job};
  cr_arena_init(&p->arena, job->allocator);
  cr_vtk_contacts_init(&p->contacts, job);
  cr_vtk_areas_init(&p->areas, job);
  add(p, "bodies", "", &p->bodies.mesh);
  add(p, "contacts", "_contacts", &p->contacts.mesh);
  if (job->info.num_triangles > 0) add(p, "areas", "_areas", &p->areas.mesh);
  if (!has_softs(p)) return;
  add(p, "soft", "_soft", &p->softs.mesh);
  add(p, "surface", "_soft_surface", &p->surfaces.mesh);
}

carom_status cr_vtk_parts_lay_out(cr_vtk_parts* p, bool solid, carom_error* error) {
  CR_TRY(cr_vtk_bodies_init(&p->bodies, p->job, solid, &p->arena, error));
  if (!has_softs(p)) return CAROM_OK;
  CR_TRY(cr_vtk_softs_init(&p->softs, p->job, true, &p->arena, error));
  return cr_vtk_softs_init(&p->surfaces, p->job, false, &p->arena, error);
}

carom_status cr_vtk_parts_update(cr_vtk_parts* p, const carom_frame* frame, carom_error* error) {
  cr_vtk_bodies_update(&p->bodies, frame);
  CR_TRY(cr_vtk_contacts_update(&p->contacts, frame, error));
  CR_TRY(cr_vtk_areas_update(&p->areas, frame, error));
  if (!has_softs(p)) return CAROM_OK;
  CR_TRY(cr_vtk_softs_update(&p->softs, frame, error));
  return cr_vtk_softs_update(&p->surfaces, frame, error);
}

void cr_vtk_parts_free(cr_vtk_parts* p) {
  cr_vtk_contacts_free(&p->contacts);
  cr_vtk_areas_free(&p->areas);
  cr_arena_destroy(&p->arena);
}

char* cr_vtk_parts_make_path(const cr_vtk_parts* p, int part, const char* ending, size_t* size) {
  char tail[64];
  snprintf(tail, sizeof tail, "%s%s", p->part[part].tail, ending);
  return cr_convert_make_path(p->job, ending, tail, size);
}
