/* Meshes and height fields: hulls and surfaces for collision, and surfaces for drawing. */
#include "model/compile.h"

#include <math.h>
#include <string.h>

/* Height fields are drawn with so many columns and rows at most. */
#define MOST_DRAWN 100

static const cr_mesh_record* mesh_at(const carom_builder* b, int index) {
  return CR_AT(&b->meshes, cr_mesh_record, index);
}

static const cr_trisurface* field_at(const carom_builder* b, int index) {
  return CR_AT(&b->height_fields, cr_height_field_record, index - b->meshes.count)->surface;
}

static int drawn(int count) { return count < MOST_DRAWN ? count : MOST_DRAWN; }

cr_aabb cr_compile_find_bounds(const cr_mesh* mesh) {
  cr_aabb bounds = {cr_mesh_vertex(mesh, 0), cr_mesh_vertex(mesh, 0)};
  for (int i = 1; i < mesh->num_vertices; i++) {
    v3 x = cr_mesh_vertex(mesh, i);
    bounds.low = v3_make(fmin(bounds.low.x, x.x), fmin(bounds.low.y, x.y), fmin(bounds.low.z, x.z));
    bounds.high =
        v3_make(fmax(bounds.high.x, x.x), fmax(bounds.high.y, x.y), fmax(bounds.high.z, x.z));
  }
  return bounds;
}

/* A polygon of n corners makes n - 2 triangles. */
void cr_compile_count_surface(const carom_builder* builder, int index, int* num_vertices,
                              int* num_triangles) {
  if (index >= builder->meshes.count) {
    const cr_trisurface* field = field_at(builder, index);
    int columns = drawn(field->num_columns), rows = drawn(field->num_rows);
    *num_vertices += columns * rows;
    *num_triangles += 2 * (columns - 1) * (rows - 1);
    return;
  }
  const cr_mesh_record* mesh = mesh_at(builder, index);
  const cr_hull* hull = mesh->hull;
  if (cr_mesh_is_drawn(mesh)) {
    *num_vertices += mesh->drawn.num_vertices;
    *num_triangles += mesh->drawn.num_triangles;
    return;
  }
  *num_vertices += mesh->surface ? mesh->surface->num_vertices : hull->num_vertices;
  *num_triangles +=
      mesh->surface ? mesh->surface->num_triangles : hull->num_corners - 2 * hull->num_faces;
}

/* Where the triangles and vertices of one surface go. */
typedef struct canvas {
  double* vertex;
  int* triangle;
  v3 middle;
} canvas;

static void draw_vertices(const canvas* to, const double* vertex, int count) {
  for (int i = 0; i < count; i++)
    v3_store(v3_sub(v3_load(vertex + 3 * (size_t)i), to->middle), to->vertex + 3 * (size_t)i);
}

/* Every so many columns and rows, the last one always. */
static void draw_field(const canvas* to, const cr_trisurface* field) {
  int columns = drawn(field->num_columns), rows = drawn(field->num_rows);
  int* triangle = to->triangle;
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < columns; c++) {
      int column = (int)((double)c * (field->num_columns - 1) / (columns - 1));
      int row = (int)((double)r * (field->num_rows - 1) / (rows - 1)), at = r * columns + c;
      size_t from = (size_t)row * (size_t)field->num_columns + (size_t)column;
      v3 x = v3_make(column * field->step[0] - field->high.x, row * field->step[1] - field->high.y,
                     field->height[from]);
      v3_store(v3_sub(x, to->middle), to->vertex + 3 * (size_t)at);
      if (c + 1 == columns || r + 1 == rows) continue;
      const int corner[6] = {at, at + columns + 1, at + columns, at, at + 1, at + columns + 1};
      memcpy(triangle, corner, sizeof corner);
      triangle += 6;
    }
  }
}

static carom_status draw_hull(cr_compile* c, const canvas* to, const cr_hull* hull) {
  cr_mesh surface;
  cr_mesh_init(&surface, &c->builder->def.allocator);
  bool done = cr_hull_triangulate(hull, &surface);
  if (done) draw_vertices(to, surface.vertex, surface.num_vertices);
  if (done) memcpy(to->triangle, surface.triangle, 3 * (size_t)surface.num_triangles * sizeof(int));
  cr_mesh_release(&surface);
  return done ? CAROM_OK : cr_error_memory(c->error);
}

/* A surface as triangles about the middle of its bounds, where the geometries' frames are. */
static carom_status draw(cr_compile* c, int index) {
  const carom_builder* b = c->builder;
  const cr_mesh_model* m = &c->model->mesh;
  int vertices = m->vertex_start[index], triangles = m->triangle_start[index];
  canvas to = {CR_FILL(double, m->vertex) + 3 * (size_t)vertices,
               CR_FILL(int, m->triangle) + 3 * (size_t)triangles, v3_zero()};
  cr_compile_count_surface(b, index, &vertices, &triangles);
  CR_SET(int, m->vertex_start, index + 1, vertices);
  CR_SET(int, m->triangle_start, index + 1, triangles);
  if (index >= b->meshes.count) {
    const cr_trisurface* field = field_at(b, index);
    to.middle = v3_scale(0.5, v3_add(field->low, field->high));
    draw_field(&to, field);
    return CAROM_OK;
  }
  const cr_mesh_record* mesh = mesh_at(b, index);
  if (cr_mesh_is_drawn(mesh)) {
    const cr_mesh* own = &mesh->drawn;
    cr_aabb bounds = cr_compile_find_bounds(own);
    to.middle = v3_scale(0.5, v3_add(bounds.low, bounds.high));
    draw_vertices(&to, own->vertex, own->num_vertices);
    memcpy(to.triangle, own->triangle, 3 * (size_t)own->num_triangles * sizeof(int));
    return CAROM_OK;
  }
  to.middle = v3_scale(0.5, v3_add(mesh->hull->low, mesh->hull->high));
  if (!mesh->surface) return draw_hull(c, &to, mesh->hull);
  draw_vertices(&to, mesh->surface->vertex, mesh->surface->num_vertices);
  memcpy(to.triangle, mesh->surface->triangle,
         3 * (size_t)mesh->surface->num_triangles * sizeof(int));
  return CAROM_OK;
}

carom_status cr_compile_meshes(cr_compile* c) {
  const carom_builder* b = c->builder;
  char *hulls = CR_FILL(char, c->model->hulls), *surfaces = CR_FILL(char, c->model->surfaces);
  for (int i = 0; i < b->meshes.count; i++) {
    const cr_mesh_record* mesh = mesh_at(b, i);
    if (mesh->hull) cr_hull_copy(mesh->hull, hulls + mesh->offset);
    if (mesh->surface) cr_trisurface_copy(mesh->surface, surfaces + mesh->surface_offset);
  }
  for (int i = 0; i < b->height_fields.count; i++) {
    const cr_height_field_record* field = CR_AT(&b->height_fields, cr_height_field_record, i);
    cr_trisurface_copy(field->surface, surfaces + field->offset);
  }
  for (int i = 0; i < c->model->mesh.num_meshes; i++) CR_TRY(draw(c, i));
  return CAROM_OK;
}
