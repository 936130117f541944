/* What ParaView gets of a recording: meshes of the bodies, of contact points, of the areas over
 * which these press and of soft bodies, the latter two where there are any. */
#ifndef CR_CONVERT_VTK_PARTS_H
#define CR_CONVERT_VTK_PARTS_H

#include "convert/vtk_softs.h"

enum { CR_VTK_MOST_PARTS = 5 };

typedef struct cr_vtk_part {
  const char *name, *tail; /* of files: of single frames, and behind the name of the output */
  const cr_vtk_mesh* mesh;
} cr_vtk_part;

typedef struct cr_vtk_parts {
  cr_convert_job* job;
  cr_arena arena;
  cr_vtk_bodies bodies;
  cr_vtk_contacts contacts;
  cr_vtk_areas areas;
  cr_vtk_softs softs, surfaces; /* tetrahedra; what is seen of them */
  int count;
  cr_vtk_part part[CR_VTK_MOST_PARTS];
} cr_vtk_parts;

/* Lists the parts; to be freed in any case. */
void cr_vtk_parts_begin(cr_vtk_parts* parts, cr_convert_job* job);

/* Lays out their meshes, those of bodies as solids or as surfaces. */
carom_status cr_vtk_parts_lay_out(cr_vtk_parts* parts, bool solid, carom_error* error);
carom_status cr_vtk_parts_update(cr_vtk_parts* parts, const carom_frame* frame, carom_error* error);
void cr_vtk_parts_free(cr_vtk_parts* parts);

/* The path of a part's file, or list of files, with the output's ending; see cr_convert_make_path.
 */
char* cr_vtk_parts_make_path(const cr_vtk_parts* parts, int part, const char* ending, size_t* size);

#endif
