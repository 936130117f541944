/* Contact of bodies whose inside has a pressure: where both pressures are equal, as few points. */
#ifndef CR_GEOM_FIELD_H
#define CR_GEOM_FIELD_H

#include "base/arena.h"
#include "base/shared.h"
#include "geom/shape.h"

/* Points that a patch is reduced to: two rings. */
#define CR_FIELD_SIDES  7
#define CR_FIELD_POINTS (2 * CR_FIELD_SIDES)

/* A body in place. The pressure at a point within is `pressure` times its extent: 0 on the surface,
 * 1 on the medial axis of a primitive, in the middle of a mesh; of a plane the depth in metres. */
typedef struct cr_field_body {
  const cr_shape* shape;
  const pose* X;
  double pressure; /* Pa, of a plane Pa/m; inf: rigid */
} cr_field_body;

/* Two bodies that overlap, at most one of them rigid. */
typedef struct cr_field_pair {
  cr_field_body body[2];
  v3 normal;    /* unit, world, from A to B: moved along it by `depth` B is free of A */
  v3 place;     /* world, within the overlap or next to it: all is worked out about it */
  double depth; /* m */
} cr_field_pair;

/* A spring of the patch: its force is stiffness * share * depth. */
typedef struct cr_field_point {
  v3 place;     /* world */
  double share; /* of the stiffness; positive, together one */
  double depth; /* m, not negative */
} cr_field_point;

/* The points have force, moment and stiffness of the pressure, against a shift along the normal and
 * against a tilt; and the moment that friction has against a spin about the centre of stiffness. */
typedef struct cr_field_patch {
  v3 normal;        /* unit, world, from A to B: the direction of the force on B */
  double stiffness; /* N/m */
  double area;      /* m², across the normal */
  int count;        /* 0: they do not touch */
  cr_field_point point[CR_FIELD_POINTS];
  double error; /* relative, of the moment of friction in a spin */
} cr_field_patch;

/* The least distance from the surface of that where the extent is 1: the primitive's medial axis, a
 * mesh's middle. 0 where there is no inside: planes, surfaces that are not convex. */
CR_SHARED double cr_field_find_thickness(const cr_shape* shape);

/* False when memory ran out; the arena lends scratch. */
bool cr_field_find_patch(const cr_field_pair* pair, cr_arena* arena, cr_field_patch* patch);

#endif
