/* Triangle meshes as growing arrays, and welding by a hash of positions. */
#include "mesh/mesh.h"

#include "base/copy.h"

#include <math.h>

void cr_mesh_init(cr_mesh* mesh, const carom_allocator* allocator) {
  *mesh = (cr_mesh){.allocator = *allocator};
}

void cr_mesh_release(cr_mesh* mesh) {
  cr_release(&mesh->allocator, mesh->vertex, (size_t)mesh->vertex_capacity * 3 * sizeof(double));
  cr_release(&mesh->allocator, mesh->triangle, (size_t)mesh->triangle_capacity * 3 * sizeof(int));
  cr_release(&mesh->allocator, mesh->paint, (size_t)mesh->paint_capacity * sizeof(uint32_t));
  cr_release(&mesh->allocator, mesh->part, (size_t)mesh->part_capacity * sizeof(int));
  carom_allocator allocator = mesh->allocator;
  cr_mesh_init(mesh, &allocator);
}

bool cr_mesh_begin_part(cr_mesh* mesh) {
  void* items = mesh->part;
  bool fits =
      cr_reserve_one(&mesh->allocator, &items, mesh->num_parts, &mesh->part_capacity, sizeof(int));
  mesh->part = items;
  if (fits) mesh->part[mesh->num_parts++] = mesh->num_triangles;
  return fits;
}

bool cr_mesh_add_vertex(cr_mesh* mesh, const double position[3]) {
  void* items = mesh->vertex;
  bool fits = cr_reserve_one(&mesh->allocator, &items, mesh->num_vertices, &mesh->vertex_capacity,
                             3 * sizeof(double));
  mesh->vertex = items;
  if (!fits) return false;
  CR_COPY(mesh->vertex + 3 * (size_t)mesh->num_vertices, position, 3);
  mesh->num_vertices++;
  return true;
}

/* Room for the paint of one triangle more. */
static bool reserve_paint(cr_mesh* mesh) {
  void* items = mesh->paint;
  bool fits = cr_reserve_one(&mesh->allocator, &items, mesh->num_triangles, &mesh->paint_capacity,
                             sizeof(uint32_t));
  mesh->paint = items;
  return fits;
}

bool cr_mesh_add_triangle(cr_mesh* mesh, int a, int b, int c) {
  void* items = mesh->triangle;
  bool fits = cr_reserve_one(&mesh->allocator, &items, mesh->num_triangles,
                             &mesh->triangle_capacity, 3 * sizeof(int));
  mesh->triangle = items;
  if (!fits || !reserve_paint(mesh)) return false;
  mesh->paint[mesh->num_triangles] = mesh->brush;
  int* corner = mesh->triangle + 3 * (size_t)mesh->num_triangles++;
  corner[0] = a, corner[1] = b, corner[2] = c;
  return true;
}

bool cr_mesh_add_range(cr_mesh* mesh, const cr_mesh* from, int first, int end) {
  for (int f = first; f < end; f++) {
    int at = mesh->num_vertices;
    mesh->brush = from->paint[f];
    for (int k = 0; k < 3; k++) {
      int vertex = from->triangle[3 * (size_t)f + (size_t)k];
      if (!cr_mesh_add_vertex(mesh, from->vertex + 3 * (size_t)vertex)) return false;
    }
    if (!cr_mesh_add_triangle(mesh, at, at + 1, at + 2)) return false;
  }
  return true;
}

uint32_t cr_mesh_mix_paint(const double rgba[4]) {
  uint32_t paint = 0;
  for (int i = 0; i < 4; i++) {
    double level = rgba[i] > 0 ? fmin(rgba[i], 1) : 0;
    paint = paint << 8 | (uint32_t)(255 * level + 0.5);
  }
  return paint ? paint : 1;
}

void cr_mesh_get_colour(uint32_t paint, float rgba[4]) {
  for (int i = 0; i < 4; i++) rgba[i] = (float)(paint >> (24 - 8 * i) & 255) / 255;
}

void cr_mesh_turn(cr_mesh* mesh) {
  for (int f = 0; f < mesh->num_triangles; f++) {
    int* corner = mesh->triangle + 3 * (size_t)f;
    int swap = corner[1];
    corner[1] = corner[2];
    corner[2] = swap;
  }
}

void cr_mesh_scale(cr_mesh* mesh, v3 scale) {
  for (int i = 0; i < mesh->num_vertices; i++)
    v3_store(v3_mul(scale, cr_mesh_vertex(mesh, i)), mesh->vertex + 3 * (size_t)i);
  if (scale.x * scale.y * scale.z < 0) cr_mesh_turn(mesh);
}
