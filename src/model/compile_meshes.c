/* Meshes: hulls for collision, and their surfaces for drawing. */
#include "model/compile.h"

#include <string.h>

/* The surface of a hull as triangles about the middle of its bounds, where the geometries' frames
 * are. */
static carom_status fill_surface(cr_compile* c, int index, const cr_hull* hull) {
  const cr_mesh_model* m = &c->model->mesh;
  size_t first = (size_t)m->vertex_start[index], start = (size_t)m->triangle_start[index];
  v3 middle = v3_scale(0.5, v3_add(hull->low, hull->high));
  for (int i = 0; i < hull->num_vertices; i++)
    v3_store(v3_sub(cr_hull_vertex(hull, i), middle),
             CR_FILL(double, m->vertex) + 3 * (first + (size_t)i));
  cr_mesh surface;
  cr_mesh_init(&surface, &c->builder->def.allocator);
  bool done = cr_hull_triangulate(hull, &surface);
  if (done)
    memcpy(CR_FILL(int, m->triangle) + 3 * start, surface.triangle,
           3 * (size_t)surface.num_triangles * sizeof(int));
  CR_SET(int, m->vertex_start, index + 1, (int)first + surface.num_vertices);
  CR_SET(int, m->triangle_start, index + 1, (int)start + surface.num_triangles);
  cr_mesh_release(&surface);
  return done ? CAROM_OK : cr_error_memory(c->error);
}

carom_status cr_compile_meshes(cr_compile* c) {
  for (int i = 0; i < c->builder->meshes.count; i++) {
    const cr_mesh_record* mesh = CR_AT(&c->builder->meshes, cr_mesh_record, i);
    cr_hull_copy(mesh->hull, CR_FILL(char, c->model->hulls) + mesh->offset);
    CR_TRY(fill_surface(c, i, mesh->hull));
  }
  return CAROM_OK;
}
