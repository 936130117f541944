/* <polyline>, a polygon that is extruded along z from 0 on, <cone>, the hull of many corners, and
 * <heightmap>, the heights of a picture: black is 0, the brightest pixel the size along z (as in
 * Gazebo). */
#include "import/heights.h"
#include "import/mesh/read.h"
#include "import/sdf/polygon.h"
#include "import/sdf/reader.h"
#include "io/file.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static carom_status bad(cr_sdf* s, const cr_xml_element* element, const char* why) {
  cr_subject subject = cr_document_subject(&s->document, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s", why);
}

/* Makes a geometry the body that closed triangles bound. */
static carom_status use_solid(cr_sdf* s, const cr_xml_element* shape, const cr_mesh* mesh,
                              bool is_convex, carom_geom_def* geom) {
  carom_mesh_def def = carom_mesh_def_default();
  def.source = (carom_source){shape->file, shape->line};
  def.vertices = mesh->vertex;
  def.num_vertices = mesh->num_vertices;
  def.triangles = mesh->triangle;
  def.num_triangles = mesh->num_triangles;
  def.inertia = CAROM_MESH_EXACT;
  def.convex = is_convex;
  def.only_drawn = geom->contype == 0 && geom->conaffinity == 0 && !geom->gives_mass;
  geom->type = CAROM_GEOM_MESH;
  return carom_builder_add_mesh(s->builder, &def, &geom->mesh, s->document.error);
}

/* ---- Polygons */

static carom_status read_points(cr_sdf* s, const cr_xml_element* shape, int* num_points,
                                cr_polygon* polygon) {
  polygon->num_corners = 0;
  for (const cr_xml_element* e = shape->first_child; e; e = e->next) {
    if (strcmp(e->name, "point") != 0) continue;
    if ((*num_points)++ == CR_POLYGON_MOST_CORNERS)
      return bad(s, shape, "it has more than 1000 points, which is not accepted");
    if (!e->text) return bad(s, e, "it has no numbers, takes 2");
    CR_TRY(cr_document_parse(&s->document, e, "its text", e->text, 2,
                             polygon->corner[polygon->num_corners]));
    polygon->num_corners++;
  }
  const char* why = cr_polygon_prepare(polygon);
  CR_TRY(why ? bad(s, shape, why) : CAROM_OK);
  return cr_document_check_known(&s->document, shape, " point height ", " ");
}

/* All outlines of a geometry, from the first one on. */
static carom_status read_outlines(cr_sdf* s, const cr_xml_element* shape, cr_polygon** polygons,
                                  int* count) {
  int num_points = 0;
  *count = 0;
  for (const cr_xml_element* e = shape; e; e = e->next) *count += strcmp(e->name, "polyline") == 0;
  *polygons = cr_pool_take(&s->document.xml.pool, (size_t)*count * sizeof **polygons);
  if (!*polygons) return cr_error_memory(s->document.error);
  cr_polygon* next = *polygons;
  for (const cr_xml_element* e = shape; e; e = e->next)
    if (strcmp(e->name, "polyline") == 0) CR_TRY(read_points(s, e, &num_points, next++));
  const char* why = cr_polygon_nest(*polygons, *count);
  return why ? bad(s, shape, why) : CAROM_OK;
}

static carom_status add_solid(cr_sdf* s, const cr_xml_element* shape, double height, cr_mesh* mesh,
                              carom_geom_def* geom) {
  bool is_cut;
  cr_polygon* polygons;
  int count;
  CR_TRY(read_outlines(s, shape, &polygons, &count));
  if (!cr_polygon_extrude(polygons, count, height, mesh, &is_cut))
    return cr_error_memory(s->document.error);
  if (!is_cut) return bad(s, shape, "its points are too close to cut it into triangles");
  return use_solid(s, shape, mesh, count == 1 && polygons->is_convex, geom);
}

carom_status cr_sdf_read_polyline(cr_sdf* s, const cr_xml_element* shape, carom_geom_def* geom) {
  double height = 1;
  cr_mesh mesh;
  CR_TRY(cr_sdf_numbers(s, shape, "height", 1, &height));
  if (!(height > 0)) return bad(s, shape, "height must be positive");
  cr_mesh_init(&mesh, &s->document.allocator);
  carom_status status = add_solid(s, shape, height, &mesh, geom);
  cr_mesh_release(&mesh);
  return status;
}

/* ---- Cones */

#define CORNERS 48 /* of the rim, on its circle: 0.3 % of the volume is left out */

/* About z, the tip up, its middle at half of its height. */
static bool build_cone(double radius, double length, cr_mesh* mesh) {
  const double tip[3] = {0, 0, length / 2};
  for (int i = 0; i < CORNERS; i++) {
    double angle = 2 * M_PI * i / CORNERS;
    const double x[3] = {radius * cos(angle), radius * sin(angle), -length / 2};
    if (!cr_mesh_add_vertex(mesh, x)) return false;
  }
  if (!cr_mesh_add_vertex(mesh, tip)) return false;
  for (int i = 0; i < CORNERS; i++)
    if (!cr_mesh_add_triangle(mesh, i, (i + 1) % CORNERS, CORNERS)) return false;
  for (int i = 2; i < CORNERS; i++)
    if (!cr_mesh_add_triangle(mesh, 0, i, i - 1)) return false;
  return true;
}

carom_status cr_sdf_read_cone(cr_sdf* s, const cr_xml_element* shape, carom_geom_def* geom) {
  double radius = 1, length = 1;
  cr_mesh mesh;
  CR_TRY(cr_sdf_numbers(s, shape, "radius", 1, &radius));
  CR_TRY(cr_sdf_numbers(s, shape, "length", 1, &length));
  if (!(radius > 0) || !(length > 0)) return bad(s, shape, "radius and length must be positive");
  cr_mesh_init(&mesh, &s->document.allocator);
  carom_status status = build_cone(radius, length, &mesh) ? use_solid(s, shape, &mesh, true, geom)
                                                          : cr_error_memory(s->document.error);
  cr_mesh_release(&mesh);
  CR_TRY(status);
  return cr_document_check_known(&s->document, shape, " radius length ", " ");
}

/* ---- Heights */

static carom_status read_picture(cr_sdf* s, const cr_xml_element* shape, const char* path,
                                 cr_heights* heights) {
  carom_error error;
  cr_subject subject = cr_document_subject(&s->document, shape);
  FILE* file = cr_file_open_regular(path);
  if (!file)
    return cr_subject_fail(&subject, CAROM_ERROR_FILE, "file '%.150s' cannot be opened: %s", path,
                           cr_file_fault(path));
  carom_status status = cr_heights_read(file, path, &s->document.allocator, heights, &error);
  fclose(file);
  if (status == CAROM_ERROR_OUT_OF_MEMORY) return cr_error_memory(s->document.error);
  return status == CAROM_OK ? status : cr_subject_fail(&subject, status, "%s", error.message);
}

static void scale(cr_heights* heights, double most) {
  size_t count = (size_t)heights->num_columns * (size_t)heights->num_rows;
  double brightest = 0;
  for (size_t i = 0; i < count; i++) brightest = fmax(brightest, heights->height[i]);
  for (size_t i = 0; i < count && brightest > 0; i++) heights->height[i] *= most / brightest;
}

static carom_status add_field(cr_sdf* s, const cr_xml_element* shape, const char* path,
                              const double size[3], cr_heights* heights, carom_geom_def* geom) {
  CR_TRY(read_picture(s, shape, path, heights));
  scale(heights, size[2]);
  carom_height_field_def def = carom_height_field_def_default();
  def.source = (carom_source){shape->file, shape->line};
  def.num_columns = heights->num_columns;
  def.num_rows = heights->num_rows;
  def.heights = heights->height;
  def.size[0] = size[0] / 2, def.size[1] = size[1] / 2;
  geom->type = CAROM_GEOM_HEIGHT_FIELD;
  geom->gives_mass = false;
  return carom_builder_add_height_field(s->builder, &def, &geom->height_field, s->document.error);
}

static carom_status read_size(cr_sdf* s, const cr_xml_element* shape, double size[3]) {
  cr_subject subject = cr_document_subject(&s->document, shape);
  for (int i = 0; i < 3; i++) size[i] = 1;
  CR_TRY(cr_sdf_numbers(s, shape, "size", 3, size));
  for (int i = 0; i < 3; i++)
    if (!(size[i] > 0))
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "size[%d] is %.9g, must be positive",
                             i, size[i]);
  return CAROM_OK;
}

/* Null where there is none. */
static carom_status find_file(cr_sdf* s, const cr_xml_element* shape, const char** uri,
                              char** path) {
  cr_asset_search search = s->search;
  CR_TRY(cr_sdf_word(s, shape, "uri", uri));
  if (!*uri) return bad(s, shape, "element <uri> is missing");
  search.main_path = shape->file;
  return cr_asset_find(&search, *uri, path) ? CAROM_OK : cr_error_memory(s->document.error);
}

static bool is_png(const char* path) {
  const char* dot = strrchr(path, '.');
  return dot && strcasecmp(dot, ".png") == 0;
}

carom_status cr_sdf_read_heightmap(cr_sdf* s, const cr_xml_element* shape, carom_geom_def* geom,
                                   v3* offset, bool* is_there) {
  static const char FORMAT[] = "height maps but PNG pictures are not supported, left out";
  double size[3], position[3] = {0, 0, 0};
  const char* uri;
  char* path;
  *is_there = false;
  CR_TRY(find_file(s, shape, &uri, &path));
  CR_TRY(read_size(s, shape, size));
  CR_TRY(cr_sdf_numbers(s, shape, "pos", 3, position));
  if (!is_png(uri)) return cr_document_refuse(&s->document, shape, NULL, FORMAT);
  cr_subject subject = cr_document_subject(&s->document, shape);
  if (!path) return cr_asset_fail(&s->search, &subject, uri);
  cr_heights heights = {0};
  carom_status status = add_field(s, shape, path, size, &heights, geom);
  cr_heights_release(&heights, &s->document.allocator);
  CR_TRY(status);
  *offset = v3_load(position);
  *is_there = true;
  return cr_document_check_known(&s->document, shape,
                                 " uri size pos texture blend sampling "
                                 "use_terrain_paging ",
                                 " ");
}
