/* Solids and what is none; see mesh_form.h. */
#include "import/mesh_form.h"

#include "geom/surface.h"
#include "mesh/hull.h"

#include <math.h>

/* How far a vertex may be off for what rounding does to it, as part of the largest coordinate:
 * some steps of single precision. */
#define ROUNDING 1e-6

bool cr_mesh_close(cr_mesh* mesh) {
  double largest = 0;
  for (int i = 0; i < 3 * mesh->num_vertices; i++) largest = fmax(largest, fabs(mesh->vertex[i]));
  return cr_mesh_weld_near(mesh, ROUNDING * largest);
}

/* The volume of the hull, 0 where there is none; false without memory. */
static bool measure_hull(const cr_mesh* mesh, double* volume) {
  cr_hull* hull;
  cr_mesh surface;
  cr_mesh_mass mass;
  carom_error error;
  *volume = 0;
  carom_status status =
      cr_hull_create(mesh->vertex, mesh->num_vertices, &mesh->allocator, &hull, &error);
  if (status != CAROM_OK) return status != CAROM_ERROR_OUT_OF_MEMORY;
  cr_mesh_init(&surface, &mesh->allocator);
  bool done = cr_hull_triangulate(hull, &surface);
  if (done) {
    cr_mesh_compute_mass(&surface, CR_MESH_EXACT, &mass);
    *volume = mass.volume;
  }
  cr_mesh_release(&surface);
  cr_hull_destroy(hull, &mesh->allocator);
  return done;
}

bool cr_mesh_judge(cr_mesh* mesh, cr_mesh_judgement* judgement) {
  cr_mesh_report report;
  double whole = 0;
  *judgement = (cr_mesh_judgement){.form = CR_MESH_FORM_EMPTY};
  if (mesh->num_triangles == 0) return true;
  if (!cr_mesh_check(mesh, &report)) return false;
  if (report.num_open > 0 || report.num_turned > 0) {
    judgement->form = report.num_open > 0 ? CR_MESH_FORM_OPEN : CR_MESH_FORM_TURNED;
    return true;
  }
  if (!measure_hull(mesh, &whole)) return false;
  if (!(whole > 0) || !(fabs(report.volume) > 0)) return true;
  if (report.volume < 0) cr_mesh_turn(mesh);
  *judgement = (cr_mesh_judgement){CR_MESH_FORM_SOLID, fabs(report.volume) / whole};
  return true;
}

bool cr_mesh_is_crossed(const cr_mesh* mesh, bool* is_crossed) {
  cr_trisurface* surface = cr_trisurface_create_skin(mesh, v3_zero(), &mesh->allocator);
  if (!surface) return false;
  *is_crossed = cr_trisurface_find_crossing(surface) >= 0;
  cr_trisurface_destroy(surface, &mesh->allocator);
  return true;
}
