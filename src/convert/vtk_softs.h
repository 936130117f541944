/* The mesh of all soft bodies: their tetrahedra with von Mises' stress, or their surfaces. */
#ifndef CR_CONVERT_VTK_SOFTS_H
#define CR_CONVERT_VTK_SOFTS_H

#include "convert/vtk_mesh.h"
#include "soft/body.h"

typedef struct cr_vtk_softs {
  const cr_convert_job* job;
  cr_vtk_mesh mesh;
  float (*positions)[3];  /* [num_points] of the frame, as all below */
  float (*velocities)[3]; /* [num_points] m/s */
  float* stresses;        /* [num_cells] Pa, of tetrahedra; null of surfaces */
  cr_soft_body* bodies;   /* [num_bodies] of tetrahedra only */
  int num_bodies;
} cr_vtk_softs;

/* Lays out the mesh: cells and what does not change. To be freed also when it fails.
 * @param solid tetrahedra, with 4 or 10 nodes; else the triangles of the surfaces
 * @param arena holds it
 * @return CAROM_ERROR_BAD_INPUT where a recorded mesh or material is none of a soft body */
carom_status cr_vtk_softs_init(cr_vtk_softs* softs, const cr_convert_job* job, bool solid,
                               cr_arena* arena, carom_error* error);
void cr_vtk_softs_update(cr_vtk_softs* softs, const carom_frame* frame);
void cr_vtk_softs_free(cr_vtk_softs* softs);

#endif
