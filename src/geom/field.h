/* Contact of bodies whose inside has a pressure: where both pressures are equal, as few points. */
#ifndef CR_GEOM_FIELD_H
#define CR_GEOM_FIELD_H

#include "base/arena.h"
#include "geom/field_pair.h"

/* Points that a patch is reduced to: two rings. */
#define CR_FIELD_SIDES  7
#define CR_FIELD_POINTS (2 * CR_FIELD_SIDES)

/* Patches of a pair, at most. */
#define CR_FIELD_PATCHES 4

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

/* Of convex bodies one; of others one for each of the directions in which they press. */
typedef struct cr_field_patches {
  int count;
  cr_field_patch patch[CR_FIELD_PATCHES];
} cr_field_patches;

/* False when memory ran out; the arena lends scratch. */
bool cr_field_find_patches(const cr_field_pair* pair, cr_arena* arena, cr_field_patches* patches);

/* How each number of theirs changes in a motion; counts and errors are held.
 * @param change count is -1 where one is as narrow as a line, and has no derivative */
bool cr_field_differentiate(const cr_field_pair* pair, const cr_field_motion* motion,
                            cr_arena* arena, cr_field_patches* change);

#endif
