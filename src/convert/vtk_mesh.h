/* A data set of VTK in memory: points, cells, arrays on either; what its writers (.vtp, .vtu,
 * .vtkhdf) take. Cells may be of any kind that VTK has, so that volumes (.vtu) go the same way. */
#ifndef CR_CONVERT_VTK_MESH_H
#define CR_CONVERT_VTK_MESH_H

#include "base/arena.h"
#include "convert/job.h"

#include <stdint.h>

typedef enum cr_vtk_type {
  CR_VTK_FLOAT32,
  CR_VTK_FLOAT64,
  CR_VTK_INT32,
  CR_VTK_INT64,
  CR_VTK_UINT8
} cr_vtk_type;

typedef struct cr_vtk_array {
  const char* name;
  cr_vtk_type type;
  int components;
  bool is_fixed; /* the same in all frames */
  int64_t count; /* tuples */
  const void* data;
} cr_vtk_array;

typedef enum cr_vtk_kind {
  CR_VTK_SURFACE, /* PolyData: cells are polygons */
  CR_VTK_POINTS,  /* PolyData: cells are vertices */
  CR_VTK_SOLID,   /* UnstructuredGrid: cells have types */
} cr_vtk_kind;

/* VTK's numbers of cell types. */
enum { CR_VTK_TRIANGLE = 5, CR_VTK_TETRA = 10, CR_VTK_QUADRATIC_TETRA = 24 };

/* What the arrays of a mesh are for; data of points and of cells follow. */
typedef enum cr_vtk_slot {
  CR_VTK_SLOT_POSITIONS,
  CR_VTK_SLOT_CONNECTIVITY, /* points of the cells */
  CR_VTK_SLOT_OFFSETS,      /* cell i takes connectivity from offsets[i] to offsets[i + 1] */
  CR_VTK_SLOT_TYPES,        /* solids only */
  CR_VTK_FIRST_DATA,
  CR_VTK_MOST_SLOTS = CR_VTK_FIRST_DATA + 10
} cr_vtk_slot;

typedef struct cr_vtk_mesh {
  cr_vtk_kind kind;
  int64_t num_points, num_cells;
  cr_vtk_array slots[CR_VTK_MOST_SLOTS];
  int num_point_slots, num_slots; /* data of points end at the first, of cells at the second */
} cr_vtk_mesh;

size_t cr_vtk_type_get_size(cr_vtk_type type);

/* Bytes of an array. */
size_t cr_vtk_array_get_size(const cr_vtk_array* array);

/* --- Bodies -------------------------------------------------------------------------------------
 */

/* Points and normals of all geometries, in the frames of their bodies. */
typedef struct cr_vtk_bodies {
  const cr_convert_job* job;
  cr_vtk_mesh mesh;
  double (*points)[3], (*normals)[3];
  int *body_of_point, *body_of_cell;
  double* twists;         /* [6 num_bodies] */
  float (*positions)[3];  /* [num_points] of the frame, as all below */
  float (*directions)[3]; /* [num_points] normals */
  float (*velocities)[3]; /* [num_cells] */
  float (*spins)[3];      /* [num_cells] */
} cr_vtk_bodies;

/* Lays out the mesh of all geometries: cells and what does not change.
 * @param arena holds it */
carom_status cr_vtk_bodies_init(cr_vtk_bodies* bodies, cr_convert_job* job, bool solid,
                                cr_arena* arena, carom_error* error);
void cr_vtk_bodies_update(cr_vtk_bodies* bodies, const carom_frame* frame);

/* --- Contacts -----------------------------------------------------------------------------------
 */

typedef struct cr_vtk_contacts {
  const cr_convert_job* job;
  cr_vtk_mesh mesh;
  cr_arena arena; /* of the frame */
} cr_vtk_contacts;

void cr_vtk_contacts_init(cr_vtk_contacts* contacts, const cr_convert_job* job);
carom_status cr_vtk_contacts_update(cr_vtk_contacts* contacts, const carom_frame* frame,
                                    carom_error* error);
void cr_vtk_contacts_free(cr_vtk_contacts* contacts);

/* --- Areas --------------------------------------------------------------------------------------
 */

/* The areas over which contacts press: a triangle each, with the pressure at its corners. */
typedef struct cr_vtk_areas {
  cr_vtk_mesh mesh;
  cr_arena arena; /* of the frame */
} cr_vtk_areas;

void cr_vtk_areas_init(cr_vtk_areas* areas, const cr_convert_job* job);
carom_status cr_vtk_areas_update(cr_vtk_areas* areas, const carom_frame* frame, carom_error* error);
void cr_vtk_areas_free(cr_vtk_areas* areas);

#endif
