/* The mesh of the areas over which a frame's contacts press. */
#include "convert/vtk_mesh.h"

#include <string.h>

void cr_vtk_areas_init(cr_vtk_areas* areas, const cr_convert_job* job) {
  *areas = (cr_vtk_areas){.mesh = {.kind = CR_VTK_SURFACE}};
  cr_arena_init(&areas->arena, job->allocator);
}

void cr_vtk_areas_free(cr_vtk_areas* areas) { cr_arena_destroy(&areas->arena); }

carom_status cr_vtk_areas_update(cr_vtk_areas* areas, const carom_frame* frame,
                                 carom_error* error) {
  cr_arena* arena = &areas->arena;
  cr_arena_reset(arena);
  int64_t cells = frame->num_triangles, points = 3 * cells;
  double(*position)[3] = cr_arena_push(arena, sizeof *position * (size_t)points);
  double* pressure = CR_PUSH(arena, double, points);
  int64_t *connectivity = CR_PUSH(arena, int64_t, points),
          *offset = CR_PUSH(arena, int64_t, cells + 1);
  if (arena->failed) return cr_error_memory(error);
  for (int64_t i = 0; i < points; i++) {
    const double* corner = frame->triangles[i / 3].corner[i % 3];
    memcpy(position[i], corner, sizeof position[i]);
    pressure[i] = corner[3], connectivity[i] = i;
  }
  for (int64_t i = 0; i <= cells; i++) offset[i] = 3 * i;
  cr_vtk_mesh* m = &areas->mesh;
  m->num_points = points, m->num_cells = cells;
  cr_vtk_array* slot = m->slots;
  *slot++ = (cr_vtk_array){"Points", CR_VTK_FLOAT64, 3, false, points, position};
  *slot++ = (cr_vtk_array){"connectivity", CR_VTK_INT64, 1, false, points, connectivity};
  *slot++ = (cr_vtk_array){"offsets", CR_VTK_INT64, 1, false, cells + 1, offset};
  *slot++ = (cr_vtk_array){"types", CR_VTK_UINT8, 1, false, 0, NULL};
  *slot++ = (cr_vtk_array){"pressure", CR_VTK_FLOAT64, 1, false, points, pressure};
  m->num_point_slots = m->num_slots = (int)(slot - m->slots);
  return CAROM_OK;
}
