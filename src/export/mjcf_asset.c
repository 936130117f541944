/* MJCF: meshes, as the hulls or surfaces that collide or the triangles that are only drawn, in the
 * frames that their geometries are given in; and height fields. */
#include "export/writer.h"

static void write_vertices(cr_writer* w, const double* vertex, int count, v3 shift) {
  cr_file_put_text(&w->file, " vertex=\"");
  for (int i = 0; i < count; i++) {
    v3 x = v3_add(v3_load(vertex + 3 * (size_t)i), shift);
    cr_file_print(&w->file, "%s%.17g %.17g %.17g", i ? " " : "", x.x, x.y, x.z);
  }
  cr_file_put_text(&w->file, "\"");
}

static void write_faces(cr_writer* w, const int* triangle, int count) {
  cr_file_put_text(&w->file, " face=\"");
  for (int i = 0; i < 3 * count; i++) cr_file_print(&w->file, "%s%d", i ? " " : "", triangle[i]);
  cr_file_put_text(&w->file, "\"");
}

static void write_mesh(cr_writer* w, int index) {
  const cr_mesh_record* mesh = CR_AT(&w->builder->meshes, cr_mesh_record, index);
  const cr_trisurface* surface = mesh->surface;
  char name[32];
  snprintf(name, sizeof name, "mesh_%d", index + 1);
  cr_write_open(w, "mesh");
  cr_write_text(w, "name", name);
  if (cr_mesh_is_drawn(mesh)) {
    write_vertices(w, mesh->drawn.vertex, mesh->drawn.num_vertices, v3_zero());
    write_faces(w, mesh->drawn.triangle, mesh->drawn.num_triangles);
    cr_write_close(w, "mesh");
    return;
  }
  cr_write_text(w, "inertia", "convex");
  if (surface) {
    cr_write_text(w, "carom:convex", "false");
    write_vertices(w, surface->vertex, surface->num_vertices, mesh->mass.center);
    write_faces(w, surface->triangle, surface->num_triangles);
  } else {
    write_vertices(w, mesh->hull->vertex, mesh->hull->num_vertices, mesh->mass.center);
  }
  cr_write_close(w, "mesh");
}

double cr_mjcf_find_lowest(const cr_trisurface* field, double* span) {
  size_t count = (size_t)field->num_columns * (size_t)field->num_rows;
  double low = INFINITY;
  for (size_t i = 0; i < count; i++) low = fmin(low, field->height[i]);
  *span = field->high.z - low;
  return low;
}

/* The format brings heights to the range from 0 to size[2]: what lies lower is for the geometry's
 * place. Its first row is that of greatest y. */
static void write_field(cr_writer* w, int index) {
  const cr_trisurface* field =
      CR_AT(&w->builder->height_fields, cr_height_field_record, index)->surface;
  char name[32];
  double span, low = cr_mjcf_find_lowest(field, &span);
  double base = low - field->low.z;
  const double size[4] = {field->high.x, field->high.y, span > 0 ? span : 1, base > 0 ? base : 1};
  snprintf(name, sizeof name, "field_%d", index + 1);
  cr_write_open(w, "hfield");
  cr_write_text(w, "name", name);
  cr_write_integer(w, "nrow", field->num_rows);
  cr_write_integer(w, "ncol", field->num_columns);
  cr_write_numbers(w, "size", size, 4);
  if (span > 0) {
    cr_file_put_text(&w->file, " elevation=\"");
    for (int r = field->num_rows - 1; r >= 0; r--)
      for (int c = 0; c < field->num_columns; c++)
        cr_file_print(&w->file, "%.17g ",
                      field->height[(size_t)r * (size_t)field->num_columns + (size_t)c] - low);
    cr_file_put_text(&w->file, "\"");
  }
  cr_write_close(w, "hfield");
}

void cr_mjcf_write_assets(cr_writer* w) {
  const carom_builder* b = w->builder;
  if (b->meshes.count == 0 && b->height_fields.count == 0) return;
  cr_write_open(w, "asset");
  for (int i = 0; i < b->meshes.count; i++) write_mesh(w, i);
  for (int i = 0; i < b->height_fields.count; i++) write_field(w, i);
  cr_write_close(w, "asset");
}
