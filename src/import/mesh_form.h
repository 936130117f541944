/* What kind of solid a triangle mesh is: whether it fills its hull, and whether it may collide as
 * the surface that it is. */
#ifndef CR_IMPORT_MESH_FORM_H
#define CR_IMPORT_MESH_FORM_H

#include "mesh/mesh.h"

/* A closed surface that looks outwards is a solid; what is none has only its hull. */
typedef enum cr_mesh_form {
  CR_MESH_FORM_SOLID,
  CR_MESH_FORM_OPEN,    /* sides that nothing continues */
  CR_MESH_FORM_TURNED,  /* neighbours that look to different sides */
  CR_MESH_FORM_EMPTY,   /* it encloses nothing, or a hull cannot be made of it */
  CR_MESH_FORM_CROSSED, /* it runs through itself */
} cr_mesh_form;

typedef struct cr_mesh_judgement {
  cr_mesh_form form;
  double filling; /* of a solid: its volume as part of its hull's */
} cr_mesh_judgement;

/* Makes one vertex of those that only rounding keeps apart, so that what was closed before it was
 * written is closed; false without memory. */
bool cr_mesh_close(cr_mesh* mesh);

/* Judges a welded mesh, but does not look whether it runs through itself. A solid that is turned
 * inside out as a whole is turned back.
 * @return false without memory */
bool cr_mesh_judge(cr_mesh* mesh, cr_mesh_judgement* judgement);

/* Whether a solid runs through itself.
 * @return false without memory */
bool cr_mesh_is_crossed(const cr_mesh* mesh, bool* is_crossed);

#endif
