/* What pictures show of meshes and height fields: triangles about the middle of the bounds, where
 * the frames of their geometries are drawn. */
#include "model/record.h"

#include <math.h>
#include <string.h>

/* Height fields are drawn with so many columns and rows at most. */
#define MOST_DRAWN 100

static int drawn(int count) { return count < MOST_DRAWN ? count : MOST_DRAWN; }

static cr_aabb find_bounds(const cr_mesh* mesh) {
  cr_aabb bounds = {cr_mesh_vertex(mesh, 0), cr_mesh_vertex(mesh, 0)};
  for (int i = 1; i < mesh->num_vertices; i++) {
    v3 x = cr_mesh_vertex(mesh, i);
    bounds.low = v3_make(fmin(bounds.low.x, x.x), fmin(bounds.low.y, x.y), fmin(bounds.low.z, x.z));
    bounds.high =
        v3_make(fmax(bounds.high.x, x.x), fmax(bounds.high.y, x.y), fmax(bounds.high.z, x.z));
  }
  return bounds;
}

/* Room in an empty mesh for exactly so many. */
static bool make_room(cr_mesh* mesh, int num_vertices, int num_triangles) {
  mesh->vertex = cr_alloc(&mesh->allocator, 3 * sizeof(double) * (size_t)num_vertices);
  if (!mesh->vertex) return false;
  mesh->vertex_capacity = mesh->num_vertices = num_vertices;
  mesh->triangle = cr_alloc(&mesh->allocator, 3 * sizeof(int) * (size_t)num_triangles);
  if (!mesh->triangle) return false;
  mesh->triangle_capacity = mesh->num_triangles = num_triangles;
  return true;
}

static void move(cr_mesh* mesh, v3 middle) {
  for (int i = 0; i < mesh->num_vertices; i++)
    v3_store(v3_sub(cr_mesh_vertex(mesh, i), middle), mesh->vertex + 3 * (size_t)i);
}

static bool copy(cr_mesh* to, const double* vertex, int num_vertices, const int* triangle,
                 int num_triangles) {
  if (!make_room(to, num_vertices, num_triangles)) return false;
  memcpy(to->vertex, vertex, 3 * sizeof(double) * (size_t)num_vertices);
  memcpy(to->triangle, triangle, 3 * sizeof(int) * (size_t)num_triangles);
  return true;
}

/* The triangles of the hull, which may hold more memory than they need. */
static bool copy_hull(cr_mesh* to, const cr_hull* hull) {
  cr_mesh triangles;
  cr_mesh_init(&triangles, &to->allocator);
  bool done =
      cr_hull_triangulate(hull, &triangles) && copy(to, triangles.vertex, triangles.num_vertices,
                                                    triangles.triangle, triangles.num_triangles);
  cr_mesh_release(&triangles);
  return done;
}

bool cr_show_mesh(cr_mesh_record* mesh, const carom_allocator* allocator) {
  cr_mesh* to = &mesh->shown;
  const cr_mesh* given = &mesh->drawn;
  const cr_trisurface* surface = mesh->surface;
  cr_mesh_init(to, allocator);
  bool done = cr_mesh_is_drawn(mesh) ? copy(to, given->vertex, given->num_vertices, given->triangle,
                                            given->num_triangles)
              : surface ? copy(to, surface->vertex, surface->num_vertices, surface->triangle,
                               surface->num_triangles)
                        : copy_hull(to, mesh->hull);
  if (!done) return false;
  mesh->bounds =
      cr_mesh_is_drawn(mesh) ? find_bounds(given) : (cr_aabb){mesh->hull->low, mesh->hull->high};
  move(to, v3_scale(0.5, v3_add(mesh->bounds.low, mesh->bounds.high)));
  return true;
}

/* Every so many columns and rows, the last one always. */
static void draw_field(cr_mesh* to, const cr_trisurface* field) {
  int columns = drawn(field->num_columns), rows = drawn(field->num_rows);
  int* triangle = to->triangle;
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < columns; c++) {
      int column = (int)((double)c * (field->num_columns - 1) / (columns - 1));
      int row = (int)((double)r * (field->num_rows - 1) / (rows - 1)), at = r * columns + c;
      size_t from = (size_t)row * (size_t)field->num_columns + (size_t)column;
      v3 x = v3_make(column * field->step[0] - field->high.x, row * field->step[1] - field->high.y,
                     field->height[from]);
      v3_store(x, to->vertex + 3 * (size_t)at);
      if (c + 1 == columns || r + 1 == rows) continue;
      const int corner[6] = {at, at + columns + 1, at + columns, at, at + 1, at + columns + 1};
      memcpy(triangle, corner, sizeof corner);
      triangle += 6;
    }
  }
}

bool cr_show_height_field(cr_height_field_record* field, const carom_allocator* allocator) {
  const cr_trisurface* surface = field->surface;
  int columns = drawn(surface->num_columns), rows = drawn(surface->num_rows);
  cr_mesh_init(&field->shown, allocator);
  if (!make_room(&field->shown, columns * rows, 2 * (columns - 1) * (rows - 1))) return false;
  draw_field(&field->shown, surface);
  move(&field->shown, v3_scale(0.5, v3_add(surface->low, surface->high)));
  return true;
}
