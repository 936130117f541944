/* The surface on which two pressures are equal, as triangles. */
#ifndef CR_GEOM_FIELD_SURFACE_H
#define CR_GEOM_FIELD_SURFACE_H

#include "base/arena.h"
#include "geom/field_pair.h"

typedef struct cr_field_triangle {
  v3 x[3];            /* m, about the pair's place */
  double pressure[3]; /* Pa */
  v3 area;            /* m², along the normal from A to B */
  double slope;       /* Pa/m: of the pressure by a shift of B against A along the normal */
} cr_field_triangle;

typedef struct cr_field_surface {
  int count, capacity;
  cr_field_triangle* triangle;
} cr_field_surface;

/* In the arena's scratch. False when memory ran out. */
bool cr_field_find_surface(const cr_field_pair* pair, cr_arena* arena, cr_field_surface* surface);

#endif
