/* The mesh of a frame's contact points: a vertex each, with the force, the mean of the step, on the
 * second geometry's body. */
#include "convert/vtk_mesh.h"

#include <string.h>

void cr_vtk_contacts_init(cr_vtk_contacts* contacts, const cr_convert_job* job) {
  *contacts = (cr_vtk_contacts){.job = job, .mesh = {.kind = CR_VTK_POINTS}};
  cr_arena_init(&contacts->arena, job->allocator);
}

void cr_vtk_contacts_free(cr_vtk_contacts* contacts) { cr_arena_destroy(&contacts->arena); }

/* The columns of the points. */
typedef struct columns {
  int64_t *connectivity, *offsets;
  double (*positions)[3], (*forces)[3], (*normals)[3], (*shears)[3], *distances, *slips, *areas,
      *area_errors, *pressures;
  int32_t (*geoms)[2], *states;
} columns;

static bool reserve(columns* c, int count, cr_arena* arena) {
  size_t n = (size_t)count;
  c->connectivity = CR_PUSH(arena, int64_t, n);
  c->offsets = CR_PUSH(arena, int64_t, n + 1);
  c->positions = cr_arena_push(arena, sizeof *c->positions * n);
  c->forces = cr_arena_push(arena, sizeof *c->forces * n);
  c->normals = cr_arena_push(arena, sizeof *c->normals * n);
  c->shears = cr_arena_push(arena, sizeof *c->shears * n);
  c->areas = CR_PUSH(arena, double, n);
  c->area_errors = CR_PUSH(arena, double, n);
  c->pressures = CR_PUSH(arena, double, n);
  c->distances = CR_PUSH(arena, double, n);
  c->slips = CR_PUSH(arena, double, n);
  c->geoms = cr_arena_push(arena, sizeof *c->geoms * n);
  c->states = CR_PUSH(arena, int32_t, n);
  return !arena->failed;
}

/* Pressure and shear over what the point stands for; zero where that is not known. */
static void fill_pressure(columns* c, int i, const carom_contact* contact) {
  double push = 0, over = contact->area > 0 ? 1 / contact->area : 0;
  for (int k = 0; k < 3; k++) push += c->forces[i][k] * contact->normal[k];
  c->areas[i] = contact->area, c->area_errors[i] = contact->area_error;
  c->pressures[i] = push * over;
  for (int k = 0; k < 3; k++)
    c->shears[i][k] = (c->forces[i][k] - push * contact->normal[k]) * over;
}

static void fill(columns* c, int i, const carom_contact* contact, double dt) {
  c->connectivity[i] = i, c->offsets[i + 1] = i + 1;
  memcpy(c->positions[i], contact->position, sizeof contact->position);
  memcpy(c->normals[i], contact->normal, sizeof contact->normal);
  for (int k = 0; k < 3; k++) c->forces[i][k] = contact->impulse[k] / dt;
  c->distances[i] = contact->distance, c->slips[i] = contact->slip;
  c->geoms[i][0] = contact->geom1, c->geoms[i][1] = contact->geom2;
  c->states[i] = (int32_t)contact->state;
  fill_pressure(c, i, contact);
}

static void name_arrays(cr_vtk_mesh* m, const columns* c) {
  int64_t n = m->num_points;
  cr_vtk_array* slot = m->slots;
  *slot++ = (cr_vtk_array){"Points", CR_VTK_FLOAT64, 3, false, n, c->positions};
  *slot++ = (cr_vtk_array){"connectivity", CR_VTK_INT64, 1, false, n, c->connectivity};
  *slot++ = (cr_vtk_array){"offsets", CR_VTK_INT64, 1, false, n + 1, c->offsets};
  *slot++ = (cr_vtk_array){"types", CR_VTK_UINT8, 1, false, 0, NULL};
  *slot++ = (cr_vtk_array){"force", CR_VTK_FLOAT64, 3, false, n, c->forces};
  *slot++ = (cr_vtk_array){"normal", CR_VTK_FLOAT64, 3, false, n, c->normals};
  *slot++ = (cr_vtk_array){"distance", CR_VTK_FLOAT64, 1, false, n, c->distances};
  *slot++ = (cr_vtk_array){"slip", CR_VTK_FLOAT64, 1, false, n, c->slips};
  *slot++ = (cr_vtk_array){"geoms", CR_VTK_INT32, 2, false, n, c->geoms};
  *slot++ = (cr_vtk_array){"state", CR_VTK_INT32, 1, false, n, c->states};
  *slot++ = (cr_vtk_array){"area", CR_VTK_FLOAT64, 1, false, n, c->areas};
  *slot++ = (cr_vtk_array){"area_error", CR_VTK_FLOAT64, 1, false, n, c->area_errors};
  *slot++ = (cr_vtk_array){"pressure", CR_VTK_FLOAT64, 1, false, n, c->pressures};
  *slot++ = (cr_vtk_array){"shear", CR_VTK_FLOAT64, 3, false, n, c->shears};
  m->num_point_slots = m->num_slots = (int)(slot - m->slots);
}

carom_status cr_vtk_contacts_update(cr_vtk_contacts* contacts, const carom_frame* frame,
                                    carom_error* error) {
  columns c;
  cr_arena_reset(&contacts->arena);
  if (!reserve(&c, frame->num_contacts, &contacts->arena)) return cr_error_memory(error);
  c.offsets[0] = 0;
  for (int i = 0; i < frame->num_contacts; i++)
    fill(&c, i, &frame->contacts[i], contacts->job->info.dt);
  contacts->mesh.num_points = contacts->mesh.num_cells = frame->num_contacts;
  name_arrays(&contacts->mesh, &c);
  return CAROM_OK;
}
