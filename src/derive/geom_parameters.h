/* Sizes, places and orientations of geometries as parameters: how surfaces move where they are
 * touched, and what of a body's inertia follows from its geometries. */
#ifndef CR_DERIVE_GEOM_PARAMETERS_H
#define CR_DERIVE_GEOM_PARAMETERS_H

#include "derive/step_tangent.h"
#include "derive/theta.h"

/* Refuses what has no derivative: sizes of meshes, bodies of strings, masses that are scaled. */
carom_status cr_geom_theta_check(const cr_step_tangent* t, const cr_theta_column* theta);

/* Refuses a layer that is none of its own. */
carom_status cr_geom_theta_check_layer(const cr_step_tangent* t, const cr_theta_column* theta);

/* By which share the pressure grows that a geometry has inside where its extent is 1, and that per
 * depth, for a unit of a number of its own. */
typedef struct cr_geom_growth {
  double pressure, slope;
} cr_geom_growth;
cr_geom_growth cr_geom_theta_find_growth(const carom_model* model, const cr_theta_column* theta);

/* The body whose mass follows from the geometry; -1: none's does. */
int cr_geom_theta_find_body(const carom_model* model, int geom);

/* What the body's moments change by, about `origin`, world axes. */
spatial_inertia cr_geom_theta_find_inertia(const cr_step* step, const cr_theta_column* theta,
                                           v3 origin);

/* How far the part of the surface that has the point x with the outward normal n moves by a size,
 * at that normal; world. */
v3 cr_geom_theta_move_surface(const cr_step* step, const cr_theta_column* theta, v3 x, v3 n);

/* By how much a box or a cylinder stretches by a size along its own axes, relative: what bounds its
 * faces moves so. */
v3 cr_geom_theta_find_stretch(const cr_step* step, const cr_theta_column* theta);

/* How the shape's frame turns and its centre moves by a place; world. */
typedef struct cr_geom_move {
  v3 turn, way;
} cr_geom_move;
cr_geom_move cr_geom_theta_move_frame(const cr_step* step, const cr_theta_column* theta);

#endif
