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
  v3 *x, *next; /* m, [room] each */
  int room;
  cr_arena* arena;
  cr_field_surface* surface;
} cr_field_cutter;

/* False when memory ran out. */
bool cr_field_cutter_init(cr_field_cutter* cutter, int room, cr_arena* arena,
                          cr_field_surface* surface);

/* A square of the half width `size` in the plane n.x + d = 0, n unit; a polygon that is given. */
void cr_field_cutter_start(cr_field_cutter* cutter, v3 n, double d, double size);
void cr_field_cutter_take(cr_field_cutter* cutter, const v3* corner, int count);

/* Keeps of the polygon what lies where n.x + d is not negative; what lies within a cell's sides. */
void cr_field_cutter_cut(cr_field_cutter* cutter, v3 n, double d);
void cr_field_cutter_cut_by_cell(cr_field_cutter* cutter, const cr_field_side* sides,
                                 const cr_field_cell* cell);

/* Enters what is left. False when memory ran out. */
bool cr_field_cutter_enter(cr_field_cutter* cutter, v3 normal, double slope,
                           const cr_field_linear* pressure);

#endif
