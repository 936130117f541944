/* URDF: shapes, the files of meshes, and who does not collide. */
#include "export/urdf.h"
#include "geom/field.h"

#include <math.h>
#include <string.h>

/* ---- Meshes stand in files of their own, named after the robot's */

static void find_mesh_path(const cr_writer* w, int mesh, bool whole, char* path, size_t size) {
  const char* slash = strrchr(w->file.path, '/');
  const char* start = slash && !whole ? slash + 1 : w->file.path;
  const char* dot = strrchr(start, '.');
  int length = dot ? (int)(dot - start) : (int)strlen(start);
  snprintf(path, size, "%.*s_mesh%d.obj", length, start, mesh);
}

static void write_surface_triangles(cr_file* file, const cr_trisurface* surface, v3 shift) {
  for (int i = 0; i < surface->num_vertices; i++) {
    v3 x = v3_add(v3_load(surface->vertex + 3 * (size_t)i), shift);
    cr_file_print(file, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
  }
  for (int f = 0; f < surface->num_triangles; f++) {
    const int* corner = surface->triangle + 3 * (size_t)f;
    cr_file_print(file, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
  }
}

static void write_triangles(cr_file* file, const cr_mesh* mesh) {
  for (int i = 0; i < mesh->num_vertices; i++) {
    v3 x = cr_mesh_vertex(mesh, i);
    cr_file_print(file, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
  }
  for (int f = 0; f < mesh->num_triangles; f++) {
    const int* corner = mesh->triangle + 3 * (size_t)f;
    cr_file_print(file, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
  }
}

static carom_status write_mesh(const cr_writer* w, int index) {
  const cr_mesh_record* mesh = CR_AT(&w->builder->meshes, cr_mesh_record, index);
  const cr_hull* hull = mesh->hull;
  char path[2100];
  cr_file file;
  find_mesh_path(w, index + 1, true, path, sizeof path);
  CR_TRY(cr_file_open(&file, path, w->error));
  if (cr_mesh_is_drawn(mesh)) {
    write_triangles(&file, &mesh->drawn);
    return cr_file_close(&file, w->error);
  }
  if (mesh->surface) {
    write_surface_triangles(&file, mesh->surface, mesh->mass.center);
    return cr_file_close(&file, w->error);
  }
  for (int i = 0; i < hull->num_vertices; i++) {
    v3 x = v3_add(cr_hull_vertex(hull, i), mesh->mass.center);
    cr_file_print(&file, "v %.17g %.17g %.17g\n", x.x, x.y, x.z);
  }
  for (int f = 0; f < hull->num_faces; f++) {
    cr_file_put_text(&file, "f");
    for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; k++)
      cr_file_print(&file, " %d", hull->face_vertex[k] + 1);
    cr_file_put_text(&file, "\n");
  }
  return cr_file_close(&file, w->error);
}

carom_status cr_urdf_write_meshes(cr_writer* w) {
  for (int i = 0; i < w->builder->meshes.count; i++) CR_TRY(write_mesh(w, i));
  return CAROM_OK;
}

/* ---- Shapes */

static void write_round(cr_writer* w, const char* element, const double size[3]) {
  cr_write_open(w, element);
  cr_write_number(w, "radius", size[0]);
  cr_write_number(w, "length", 2 * size[1]);
  cr_write_close(w, element);
}

static void write_geometry(cr_writer* w, const carom_geom_def* def) {
  char path[2100];
  double size[3] = {2 * def->size[0], 2 * def->size[1], 2 * def->size[2]};
  cr_write_open(w, "geometry");
  if (def->type == CAROM_GEOM_BOX) {
    cr_write_open(w, "box");
    cr_write_numbers(w, "size", size, 3);
    cr_write_close(w, "box");
  } else if (def->type == CAROM_GEOM_SPHERE) {
    cr_write_open(w, "sphere");
    cr_write_number(w, "radius", def->size[0]);
    cr_write_close(w, "sphere");
  } else if (def->type == CAROM_GEOM_MESH) {
    find_mesh_path(w, def->mesh.id, false, path, sizeof path);
    cr_write_open(w, "mesh");
    cr_write_text(w, "filename", path);
    cr_write_close(w, "mesh");
  } else {
    write_round(w, def->type == CAROM_GEOM_CAPSULE ? "capsule" : "cylinder", def->size);
  }
  cr_write_close(w, "geometry");
}

static void write_property(cr_writer* w, const char* name, double value) {
  cr_write_open(w, name);
  cr_write_number(w, "value", value);
  cr_write_close(w, name);
}

/* What the pressure is on the medial axis: the format knows no layers. */
static double find_modulus(const cr_writer* w, const carom_geom_def* def) {
  cr_shape shape = {.type = def->type, .size = {def->size[0], def->size[1], def->size[2]}};
  if (def->type == CAROM_GEOM_MESH) {
    const cr_mesh_record* mesh = cr_geom_mesh(w->builder, def);
    shape.hull = mesh->hull, shape.surface = mesh->surface;
  }
  double share = isnan(def->layer) ? 1 : cr_field_find_thickness(&shape) / def->layer;
  return share * def->modulus;
}

static void write_surface(cr_writer* w, const carom_geom_def* def) {
  static const char RULES[] =
      "margins, gaps, priorities, bits of contact, restitution, torsional and "
      "rolling friction and frictionless contacts are left out";
  bool is_usual = def->margin == 0 && def->gap == 0 && def->priority == 0 && def->contype == 1 &&
                  def->conaffinity == 1 && def->condim == 3 && def->surface.restitution == 0;
  if (!is_usual) cr_write_remark(w, RULES);
  bool has_field = isfinite(def->modulus);
  bool is_point = isfinite(def->stiffness), is_soft = is_point || has_field;
  if (def->friction == 1 && isnan(def->surface.static_friction) && !is_soft) return;
  cr_write_open(w, "drake:proximity_properties");
  write_property(w, "drake:mu_dynamic", def->friction);
  if (!isnan(def->surface.static_friction))
    write_property(w, "drake:mu_static", def->surface.static_friction);
  if (is_soft && def->surface.hunt_crossley > 0)
    write_property(w, "drake:hunt_crossley_dissipation", def->surface.hunt_crossley);
  if (is_point) write_property(w, "drake:point_contact_stiffness", def->stiffness);
  if (has_field) {
    cr_write_open(w, "drake:compliant_hydroelastic");
    cr_write_close(w, "drake:compliant_hydroelastic");
    write_property(w, "drake:hydroelastic_modulus", find_modulus(w, def));
  }
  if (is_soft && !isnan(def->dissipation) && def->surface.hunt_crossley == 0)
    write_property(w, "drake:relaxation_time", def->dissipation);
  cr_write_close(w, "drake:proximity_properties");
}

static void write_colour(cr_writer* w, const float rgba[4]) {
  double x[4];
  for (int i = 0; i < 4; i++) x[i] = (double)rgba[i];
  cr_write_open(w, "material");
  cr_write_text(w, "name", "");
  cr_write_open(w, "color");
  cr_write_numbers(w, "rgba", x, 4);
  cr_write_close(w, "color");
  cr_write_close(w, "material");
}

static void write_shape(cr_writer* w, int geom) {
  static const char OTHER[] = "ellipsoids and height fields are left out";
  const cr_geom_record* record = CR_AT(&w->builder->geoms, cr_geom_record, geom);
  const carom_geom_def* def = &record->def;
  bool collides = def->contype != 0 || def->conaffinity != 0;
  if (def->type == CAROM_GEOM_PLANE) return;
  if (def->type == CAROM_GEOM_ELLIPSOID || def->type == CAROM_GEOM_HEIGHT_FIELD) {
    cr_write_remark(w, OTHER);
    return;
  }
  const char* element = collides ? "collision" : "visual";
  v3 place = v3_sub(v3_load(def->position), cr_urdf_offset(w, def->body.id));
  cr_write_open(w, element);
  if (def->type == CAROM_GEOM_MESH && cr_geom_mesh(w->builder, def)->surface)
    cr_write_text(w, "concave", "yes");
  if (record->label.name >= 0) cr_write_reference(w, "name", CR_PART_GEOM, geom);
  cr_urdf_write_origin(w, place, cr_quat_unit(def->quaternion));
  write_geometry(w, def);
  if (collides)
    write_surface(w, def);
  else
    write_colour(w, def->rgba);
  cr_write_close(w, element);
}

void cr_urdf_write_shapes(cr_writer* w, int body) {
  const carom_builder* b = w->builder;
  int geom = CR_AT(&b->bodies, cr_body_record, body)->first_geom;
  for (; geom >= 0; geom = CR_AT(&b->geoms, cr_geom_record, geom)->next) write_shape(w, geom);
}

/* ---- Filters */

/* A group of one link, which ignores another. */
static void write_group(cr_writer* w, int number, int body, int other) {
  char name[40];
  cr_write_open(w, "drake:collision_filter_group");
  snprintf(name, sizeof name, "filter_%d", number);
  cr_write_text(w, "name", name);
  cr_write_open(w, "drake:member");
  cr_write_reference(w, "link", CR_PART_BODY, body);
  cr_write_close(w, "drake:member");
  if (other) {
    snprintf(name, sizeof name, "filter_%d", other);
    cr_write_open(w, "drake:ignored_collision_filter_group");
    cr_write_text(w, "name", name);
    cr_write_close(w, "drake:ignored_collision_filter_group");
  }
  cr_write_close(w, "drake:collision_filter_group");
}

void cr_urdf_write_filters(cr_writer* w) {
  static const char LOOPS[] = "constraints but linear couplings of two joints are left out";
  static const char NONE[] = "contacts were switched off, and are not in this format";
  const carom_builder* b = w->builder;
  for (int i = 0; i < b->excludes.count; i++) {
    const cr_exclude_record* e = CR_AT(&b->excludes, cr_exclude_record, i);
    write_group(w, 2 * i + 1, e->body1, 2 * i + 2);
    write_group(w, 2 * i + 2, e->body2, 0);
  }
  for (int i = 0; i < b->equalities.count; i++) {
    const carom_equality_def* e = &CR_AT(&b->equalities, cr_equality_record, i)->def;
    if (!cr_urdf_is_mimic(e)) cr_write_remark(w, LOOPS);
  }
  if (b->def.disable_contacts) cr_write_remark(w, NONE);
}
