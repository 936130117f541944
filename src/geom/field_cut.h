/* Convex polygons that planes cut, and what is left of them as triangles of a surface. */
#ifndef CR_GEOM_FIELD_CUT_H
#define CR_GEOM_FIELD_CUT_H

#include "base/arena.h"
#include "geom/field_cells.h"

typedef struct cr_field_triangle {
  v3 x[3];            /* m, about the pair's place */
  double pressure[3]; /* Pa */
  v3 area;            /* m², along the normal from A to B */
  double slope;       /* Pa/m: of the pressure by a shift of B against A along the normal */
} cr_field_triangle;

typedef struct cr_field_surface {
  int count, capacity;
  cr_field_triangle* triangle;
  bool moves;                /* changes are wanted, too: */
  cr_field_triangle* change; /* of its numbers; else null */
} cr_field_surface;

/* A pressure, or where it is rigid the extent: gradient.x + value. */
typedef struct cr_field_linear {
  v3 gradient;
  double value;
  bool is_rigid;
} cr_field_linear;

/* The polygon that is cut. */
typedef struct cr_field_cutter {
  int count;
  v3 *x, *next;   /* m, [room] each */
  v3 *dx, *dnext; /* their changes; null: the surface does not move */
  int room;
  cr_arena* arena;
  cr_field_surface* surface;
} cr_field_cutter;

/* False when memory ran out. */
bool cr_field_cutter_init(cr_field_cutter* cutter, int room, cr_arena* arena,
                          cr_field_surface* surface);

/* A plane, and its change; where nothing moves that is not looked at. */
typedef struct cr_field_plane {
  cr_field_side at, d;
} cr_field_plane;

/* A square of the half width `size` in a plane, n unit; a polygon that is given.
 * @param change of the corners; null: nothing moves */
void cr_field_cutter_start(cr_field_cutter* cutter, const cr_field_plane* plane, double size);
void cr_field_cutter_take(cr_field_cutter* cutter, const v3* corner, const v3* change, int count);

/* Keeps of the polygon what lies where n.x + d is not negative. */
void cr_field_cutter_cut(cr_field_cutter* cutter, const cr_field_plane* plane);

/* What lies on a surface: its normal, how the pressure grows by a shift, the pressure. */
typedef struct cr_field_face {
  v3 normal;
  double slope; /* Pa/m */
  cr_field_linear pressure;
} cr_field_face;

/* Enters what is left.
 * @param change of the face; null: nothing moves
 * @return false when memory ran out */
bool cr_field_cutter_enter(cr_field_cutter* cutter, const cr_field_face* face,
                           const cr_field_face* change);

#endif
