/* The mesh of all geometries: surfaces as triangles, or solids as tetrahedra from the triangles to
 * the middle of their geometry, all of which are convex. Cells carry body, geometry, group, colour,
 * and the velocity of the body. */
#include "convert/scene.h"
#include "convert/surface.h"
#include "convert/vtk_mesh.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

size_t cr_vtk_type_get_size(cr_vtk_type type) {
  static const size_t SIZES[] = {4, 8, 4, 8, 1};
  return SIZES[type];
}

size_t cr_vtk_array_get_size(const cr_vtk_array* array) {
  return cr_vtk_type_get_size(array->type) * (size_t)array->components * (size_t)array->count;
}

/* --- Layout -------------------------------------------------------------------------------------
 */

/* What is filled while the geometries are added. */
typedef struct layout {
  cr_vtk_bodies* bodies;
  bool is_solid;
  int64_t *connectivity, *offsets;
  uint8_t *types, (*colours)[4];
  int32_t *body, *geom, *group;
  int64_t num_ids;
} layout;

static bool has_middle(const layout* l, const carom_geom_info* geom) {
  return l->is_solid && geom->type != CAROM_GEOM_PLANE;
}

static void add_point(layout* l, const carom_geom_info* geom, const double* point,
                      const double* normal) {
  cr_vtk_bodies* b = l->bodies;
  quat turn = quat_load(geom->quaternion);
  int64_t i = b->mesh.num_points++;
  v3_store(v3_add(v3_load(geom->position), quat_rotate(turn, v3_load(point))), b->points[i]);
  v3_store(quat_rotate(turn, v3_load(normal)), b->normals[i]);
  b->body_of_point[i] = geom->body;
}

static uint8_t quantise(float part) { return (uint8_t)lrintf(255 * fminf(fmaxf(part, 0), 1)); }

/* A triangle, or with a middle (-1: none) a tetrahedron, whose last point lies on the side that its
 * first three turn about. */
static void add_cell(layout* l, const carom_geom_info* geom, int index, const int triangle[3],
                     int64_t first, int64_t middle) {
  cr_vtk_bodies* b = l->bodies;
  int64_t cell = b->mesh.num_cells++;
  bool is_tetra = middle >= 0;
  for (int k = 0; k < 3; k++)
    l->connectivity[l->num_ids++] = first + triangle[is_tetra ? 2 - k : k];
  if (is_tetra) l->connectivity[l->num_ids++] = middle;
  l->offsets[cell + 1] = l->num_ids;
  if (l->is_solid) l->types[cell] = is_tetra ? CR_VTK_TETRA : CR_VTK_TRIANGLE;
  l->body[cell] = b->body_of_cell[cell] = geom->body;
  l->geom[cell] = index, l->group[cell] = geom->group;
  for (int k = 0; k < 4; k++) l->colours[cell][k] = quantise(geom->rgba[k]);
}

static void add_geom(layout* l, const carom_geom_info* geom, int index, const cr_surface* s) {
  static const double ZERO[3];
  int64_t first = l->bodies->mesh.num_points, middle = -1;
  for (int i = 0; i < s->num_points; i++) add_point(l, geom, s->points[i], s->normals[i]);
  if (has_middle(l, geom)) {
    middle = l->bodies->mesh.num_points;
    add_point(l, geom, s->middle, ZERO);
  }
  for (int i = 0; i < s->num_triangles; i++)
    add_cell(l, geom, index, s->triangles[i], first, middle);
}

/* --- Memory -------------------------------------------------------------------------------------
 */

typedef struct totals {
  int64_t points, cells, ids;
} totals;

static totals count_all(const layout* l, double reach, cr_surface* s) {
  const cr_convert_job* job = l->bodies->job;
  totals t = {0};
  for (int i = 0; i < job->info.num_geoms; i++) {
    carom_geom_info geom = carom_recording_get_geom(job->recording, i);
    cr_surface_make(&geom, reach, s);
    t.points += s->num_points + has_middle(l, &geom);
    t.cells += s->num_triangles;
    t.ids += (int64_t)s->num_triangles * (has_middle(l, &geom) ? 4 : 3);
  }
  return t;
}

static bool reserve(layout* l, const totals* t, cr_arena* arena) {
  cr_vtk_bodies* b = l->bodies;
  b->points = cr_arena_push(arena, sizeof *b->points * (size_t)t->points);
  b->normals = cr_arena_push(arena, sizeof *b->normals * (size_t)t->points);
  b->positions = cr_arena_push(arena, sizeof *b->positions * (size_t)t->points);
  b->directions = cr_arena_push(arena, sizeof *b->directions * (size_t)t->points);
  b->velocities = cr_arena_push(arena, sizeof *b->velocities * (size_t)t->cells);
  b->spins = cr_arena_push(arena, sizeof *b->spins * (size_t)t->cells);
  b->body_of_point = CR_PUSH(arena, int, t->points);
  b->body_of_cell = CR_PUSH(arena, int, t->cells);
  b->twists = CR_PUSH(arena, double, 6 * b->job->info.num_bodies);
  l->connectivity = CR_PUSH(arena, int64_t, t->ids);
  l->offsets = CR_PUSH(arena, int64_t, t->cells + 1);
  l->types = CR_PUSH(arena, uint8_t, l->is_solid ? t->cells : 0);
  l->colours = cr_arena_push(arena, sizeof *l->colours * (size_t)t->cells);
  l->body = CR_PUSH(arena, int32_t, t->cells);
  l->geom = CR_PUSH(arena, int32_t, t->cells);
  l->group = CR_PUSH(arena, int32_t, t->cells);
  return !arena->failed;
}

/* --- Arrays -------------------------------------------------------------------------------------
 */

static void name_arrays(const layout* l) {
  cr_vtk_bodies* b = l->bodies;
  cr_vtk_mesh* m = &b->mesh;
  int64_t p = m->num_points, c = m->num_cells;
  cr_vtk_array* slot = m->slots;
  *slot++ = (cr_vtk_array){"Points", CR_VTK_FLOAT32, 3, false, p, b->positions};
  *slot++ = (cr_vtk_array){"connectivity", CR_VTK_INT64, 1, true, l->num_ids, l->connectivity};
  *slot++ = (cr_vtk_array){"offsets", CR_VTK_INT64, 1, true, c + 1, l->offsets};
  *slot++ = (cr_vtk_array){"types", CR_VTK_UINT8, 1, true, l->is_solid ? c : 0, l->types};
  if (!l->is_solid) *slot++ = (cr_vtk_array){"Normals", CR_VTK_FLOAT32, 3, false, p, b->directions};
  m->num_point_slots = (int)(slot - m->slots);
  *slot++ = (cr_vtk_array){"body", CR_VTK_INT32, 1, true, c, l->body};
  *slot++ = (cr_vtk_array){"geom", CR_VTK_INT32, 1, true, c, l->geom};
  *slot++ = (cr_vtk_array){"group", CR_VTK_INT32, 1, true, c, l->group};
  *slot++ = (cr_vtk_array){"colour", CR_VTK_UINT8, 4, true, c, l->colours};
  *slot++ = (cr_vtk_array){"velocity", CR_VTK_FLOAT32, 3, false, c, b->velocities};
  *slot++ = (cr_vtk_array){"angular_velocity", CR_VTK_FLOAT32, 3, false, c, b->spins};
  m->num_slots = (int)(slot - m->slots);
}

carom_status cr_vtk_bodies_init(cr_vtk_bodies* bodies, cr_convert_job* job, bool solid,
                                cr_arena* arena, carom_error* error) {
  *bodies = (cr_vtk_bodies){.job = job};
  bodies->mesh.kind = solid ? CR_VTK_SOLID : CR_VTK_SURFACE;
  layout l = {.bodies = bodies, .is_solid = solid};
  double reach = cr_scene_compute_reach(job);
  cr_surface surface;
  if (!cr_surface_init(&surface, job->recording, arena)) return cr_error_memory(error);
  totals t = count_all(&l, reach, &surface);
  if (!reserve(&l, &t, arena)) return cr_error_memory(error);
  l.offsets[0] = 0;
  for (int i = 0; i < job->info.num_geoms; i++) {
    carom_geom_info geom = carom_recording_get_geom(job->recording, i);
    cr_surface_make(&geom, reach, &surface);
    add_geom(&l, &geom, i, &surface);
  }
  name_arrays(&l);
  return CAROM_OK;
}

/* --- Frames -------------------------------------------------------------------------------------
 */

static void store_float(v3 a, float p[3]) {
  p[0] = (float)a.x, p[1] = (float)a.y, p[2] = (float)a.z;
}

void cr_vtk_bodies_update(cr_vtk_bodies* b, const carom_frame* frame) {
  for (int64_t i = 0; i < b->mesh.num_points; i++) {
    const double* place = frame->poses + 7 * b->body_of_point[i];
    quat turn = quat_load(place + 3);
    v3 arm = quat_rotate(turn, v3_load(b->points[i]));
    store_float(v3_add(v3_load(place), arm), b->positions[i]);
    store_float(quat_rotate(turn, v3_load(b->normals[i])), b->directions[i]);
  }
  /* It cannot fail: a conversion of shapes begins only where parts are known. */
  carom_recording_compute_velocities(b->job->recording, frame, b->twists, NULL);
  for (int64_t i = 0; i < b->mesh.num_cells; i++) {
    const double* twist = b->twists + 6 * b->body_of_cell[i];
    store_float(v3_load(twist), b->velocities[i]);
    store_float(v3_load(twist + 3), b->spins[i]);
  }
}
