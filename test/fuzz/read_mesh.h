/* What every fuzz target of a reader of surfaces does with the mesh it gets. */
#ifndef CR_FUZZ_READ_MESH_H
#define CR_FUZZ_READ_MESH_H

#include "import/mesh/read.h"
#include "mesh/hull.h"

#include <stdint.h>
#include <stdlib.h>

static inline void fuzz_use_hull(const cr_mesh* mesh) {
  carom_error error;
  cr_hull* hull;
  if (cr_hull_create(mesh->vertex, mesh->num_vertices, &mesh->allocator, &hull, &error) != CAROM_OK)
    return;
  for (int i = 0; i < hull->num_corners; i++)
    if (hull->neighbor[i] < 0 || hull->neighbor[i] >= hull->num_vertices) abort();
  int support = cr_hull_find_support(hull, v3_make(0.1, 0.2, 0.3));
  if (support < 0 || support >= hull->num_vertices) abort();
  cr_hull_destroy(hull, &mesh->allocator);
}

/* Does with a mesh what a model does: weld, check, measure, hull; and frees it. A refusal comes
 * with a sentence. */
static inline void fuzz_use_mesh(carom_status status, cr_mesh* mesh, const carom_error* error) {
  cr_mesh_report report;
  char text[200];
  if (status != CAROM_OK && !error->message[0]) abort();
  if (status == CAROM_OK && cr_mesh_weld(mesh) && cr_mesh_check(mesh, &report)) {
    cr_mesh_describe(&report, text, sizeof text);
    fuzz_use_hull(mesh);
  }
  cr_mesh_release(mesh);
}

#endif
