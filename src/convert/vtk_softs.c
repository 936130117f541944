/* The mesh of all soft bodies: points are the nodes, of a surface too. Cells carry the soft body
 * and its colour; von Mises' stress and strain stand at tetrahedra, and at the points of surfaces.
 */
#include "convert/vtk_softs.h"

#include <math.h>

/* --- Layout -------------------------------------------------------------------------------------
 */

/* The columns of the cells that do not change, and how far they are filled. */
typedef struct layout {
  bool is_solid;
  int64_t *connectivity, *offsets, num_ids, num_cells;
  uint8_t *types, (*colours)[4];
  int32_t* soft;
} layout;

/* Cells of a soft body, their nodes and how many each has. */
typedef struct cells {
  int count, width;
  const int* nodes;
} cells;

static cells choose_cells(const carom_soft_info* soft, bool is_solid) {
  if (!is_solid) return (cells){soft->num_triangles, 3, soft->triangles};
  return (cells){soft->num_elements, soft->nodes_per_element, soft->elements};
}

static uint8_t choose_type(int width) {
  return width == 3 ? CR_VTK_TRIANGLE : width == 4 ? CR_VTK_TETRA : CR_VTK_QUADRATIC_TETRA;
}

static void add_soft(layout* l, const carom_soft_info* soft, int index, int64_t first) {
  cells c = choose_cells(soft, l->is_solid);
  for (int i = 0; i < c.count; i++) {
    int64_t cell = l->num_cells++;
    for (int k = 0; k < c.width; k++)
      l->connectivity[l->num_ids++] = first + c.nodes[(size_t)i * (size_t)c.width + (size_t)k];
    l->offsets[cell + 1] = l->num_ids;
    if (l->is_solid) l->types[cell] = choose_type(c.width);
    l->soft[cell] = index;
    for (int k = 0; k < 4; k++)
      l->colours[cell][k] = (uint8_t)lrintf(255 * fminf(fmaxf(soft->rgba[k], 0), 1));
  }
}

static bool reserve(cr_vtk_softs* s, layout* l, int64_t num_ids, cr_arena* arena) {
  int64_t points = s->mesh.num_points, count = s->mesh.num_cells;
  s->positions = cr_arena_push(arena, sizeof *s->positions * (size_t)points);
  s->velocities = cr_arena_push(arena, sizeof *s->velocities * (size_t)points);
  int64_t num_values = l->is_solid ? count : points;
  s->stresses = CR_PUSH(arena, float, num_values);
  s->strains = CR_PUSH(arena, float, num_values);
  s->values = CR_PUSH(arena, double, num_values);
  l->connectivity = CR_PUSH(arena, int64_t, num_ids);
  l->offsets = CR_PUSH(arena, int64_t, count + 1);
  l->types = CR_PUSH(arena, uint8_t, l->is_solid ? count : 0);
  l->colours = cr_arena_push(arena, sizeof *l->colours * (size_t)count);
  l->soft = CR_PUSH(arena, int32_t, count);
  return !arena->failed;
}

static cr_vtk_array* name_values(const cr_vtk_softs* s, int64_t count, cr_vtk_array* slot) {
  *slot++ = (cr_vtk_array){"von_mises", CR_VTK_FLOAT32, 1, false, count, s->stresses};
  *slot++ = (cr_vtk_array){"von_mises_strain", CR_VTK_FLOAT32, 1, false, count, s->strains};
  return slot;
}

static void name_arrays(cr_vtk_softs* s, const layout* l) {
  cr_vtk_mesh* m = &s->mesh;
  int64_t p = m->num_points, c = m->num_cells;
  cr_vtk_array* slot = m->slots;
  *slot++ = (cr_vtk_array){"Points", CR_VTK_FLOAT32, 3, false, p, s->positions};
  *slot++ = (cr_vtk_array){"connectivity", CR_VTK_INT64, 1, true, l->num_ids, l->connectivity};
  *slot++ = (cr_vtk_array){"offsets", CR_VTK_INT64, 1, true, c + 1, l->offsets};
  *slot++ = (cr_vtk_array){"types", CR_VTK_UINT8, 1, true, l->is_solid ? c : 0, l->types};
  *slot++ = (cr_vtk_array){"velocity", CR_VTK_FLOAT32, 3, false, p, s->velocities};
  if (!l->is_solid) slot = name_values(s, p, slot);
  m->num_point_slots = (int)(slot - m->slots);
  *slot++ = (cr_vtk_array){"soft", CR_VTK_INT32, 1, true, c, l->soft};
  *slot++ = (cr_vtk_array){"colour", CR_VTK_UINT8, 4, true, c, l->colours};
  if (l->is_solid) slot = name_values(s, c, slot);
  m->num_slots = (int)(slot - m->slots);
}

static carom_status lay_out(cr_vtk_softs* s, bool solid, cr_arena* arena, carom_error* error) {
  layout l = {.is_solid = solid};
  int64_t num_ids = 0, first = 0;
  for (int i = 0; i < s->job->info.num_softs; i++) {
    carom_soft_info soft = carom_recording_get_soft(s->job->recording, i);
    cells c = choose_cells(&soft, solid);
    s->mesh.num_points += soft.num_nodes;
    s->mesh.num_cells += c.count;
    num_ids += (int64_t)c.count * c.width;
  }
  if (!reserve(s, &l, num_ids, arena)) return cr_error_memory(error);
  l.offsets[0] = 0;
  for (int i = 0; i < s->job->info.num_softs; i++) {
    carom_soft_info soft = carom_recording_get_soft(s->job->recording, i);
    add_soft(&l, &soft, i, first);
    first += soft.num_nodes;
  }
  name_arrays(s, &l);
  return CAROM_OK;
}

carom_status cr_vtk_softs_init(cr_vtk_softs* softs, const cr_convert_job* job, bool solid,
                               cr_arena* arena, carom_error* error) {
  *softs = (cr_vtk_softs){.job = job, .mesh.kind = solid ? CR_VTK_SOLID : CR_VTK_SURFACE};
  return lay_out(softs, solid, arena, error);
}

/* --- Frames -------------------------------------------------------------------------------------
 */

static void store_floats(const double* from, int count, float (*to)[3]) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) to[i][k] = (float)from[3 * (size_t)i + (size_t)k];
}

/* What carom_recording_compute_soft_stress and its like are. */
typedef carom_status compute(carom_recording* recording, int soft, const double* q,
                             double* elements, double* nodes, carom_error* error);

/* The values of a body, from the first of its places on. */
static carom_status store_values(cr_vtk_softs* s, compute* of, int index, const double* q,
                                 float* to, carom_error* error) {
  carom_soft_info soft = carom_recording_get_soft(s->job->recording, index);
  bool is_solid = s->mesh.kind == CR_VTK_SOLID;
  int count = is_solid ? soft.num_elements : soft.num_nodes;
  double *elements = is_solid ? s->values : NULL, *nodes = is_solid ? NULL : s->values;
  CR_TRY(of(s->job->recording, index, q, elements, nodes, error));
  for (int k = 0; k < count; k++) to[k] = (float)s->values[k];
  return CAROM_OK;
}

carom_status cr_vtk_softs_update(cr_vtk_softs* s, const carom_frame* frame, carom_error* error) {
  bool is_solid = s->mesh.kind == CR_VTK_SOLID;
  int64_t first = 0, value = 0;
  for (int i = 0; i < s->job->info.num_softs; i++) {
    carom_soft_info soft = carom_recording_get_soft(s->job->recording, i);
    store_floats(frame->q + soft.q_address, soft.num_nodes, s->positions + first);
    store_floats(frame->v + soft.v_address, soft.num_nodes, s->velocities + first);
    first += soft.num_nodes;
    CR_TRY(store_values(s, carom_recording_compute_soft_stress, i, frame->q, s->stresses + value,
                        error));
    CR_TRY(store_values(s, carom_recording_compute_soft_strain, i, frame->q, s->strains + value,
                        error));
    value += is_solid ? soft.num_elements : soft.num_nodes;
  }
  return CAROM_OK;
}
