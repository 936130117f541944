/* The mesh of all soft bodies with von Mises' stress and strain: their tetrahedra, or their
 * surfaces. */
#ifndef CR_CONVERT_VTK_SOFTS_H
#define CR_CONVERT_VTK_SOFTS_H

#include "convert/vtk_mesh.h"

typedef struct cr_vtk_softs {
  const cr_convert_job* job;
  cr_vtk_mesh mesh;
  float (*positions)[3];  /* [num_points] of the frame, as all below */
  float (*velocities)[3]; /* [num_points] m/s */
  float* stresses;        /* [num_cells] Pa, of tetrahedra; [num_points] of surfaces */
  float* strains;         /* likewise, 1 */
  double* values;         /* either, of a body */
} cr_vtk_softs;

/* Lays out the mesh: cells and what does not change.
 * @param solid tetrahedra, with 4 or 10 nodes; else the triangles of the surfaces
 * @param arena holds it */
carom_status cr_vtk_softs_init(cr_vtk_softs* softs, const cr_convert_job* job, bool solid,
                               cr_arena* arena, carom_error* error);

/* @return CAROM_ERROR_BAD_INPUT where a recorded mesh or material is none of a soft body */
carom_status cr_vtk_softs_update(cr_vtk_softs* softs, const carom_frame* frame, carom_error* error);

#endif
