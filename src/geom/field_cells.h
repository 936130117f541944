/* A body's inside in convex cells, in each of which the extent (field.h) is linear. */
#ifndef CR_GEOM_FIELD_CELLS_H
#define CR_GEOM_FIELD_CELLS_H

#include "base/arena.h"
#include "geom/field_pair.h"

/* Of a cell of what is no mesh, at most. */
#define CR_FIELD_SIDES_MAX 40

/* Where n.x + d is not negative. */
typedef struct cr_field_side {
  v3 n;
  double d;
} cr_field_side;

/* The extent gradient.x + value within all its sides; beside them a cell ends where that is 0. */
typedef struct cr_field_cell {
  v3 gradient; /* 1/m */
  double value;
  int first, count; /* sides */
} cr_field_cell;

typedef struct cr_field_cells {
  int count, num_sides;
  cr_field_cell* cell;
  cr_field_side* side;
  cr_field_cell* dcell; /* their changes as the body moves; null: none are wanted, as the next */
  cr_field_side* dside;
} cr_field_cells;

/* A body that moves: a turn about its pose's p and a displacement, and what its sizes grow by. */
typedef struct cr_field_carrier {
  const pose* X;
  v3 turn, way;
  const double* size; /* [3] */
} cr_field_carrier;

static inline cr_field_carrier cr_field_carry(const cr_field_body* body,
                                              const cr_field_motion* motion, int k) {
  return (cr_field_carrier){body->X, motion->turn[k], motion->way[k], motion->size[k]};
}

/* How a plane n.x + d about the origin changes that it carries along. */
cr_field_side cr_field_carry_plane(const cr_field_carrier* carrier, v3 origin, v3 n);

/* From the shape's frame into the world about the origin; and, once they are there, how they
 * change, their changes being those in that frame. */
void cr_field_place_cells(cr_field_cells* cells, const pose* X, v3 origin);
void cr_field_carry_cells(const cr_field_carrier* carrier, v3 origin, cr_field_cells* cells);

/* Where to look at a body: in a layer below its outermost point in a direction. */
typedef struct cr_field_view {
  v3 outward;   /* unit, world */
  double depth; /* m, of the layer */
  v3 origin;    /* world: what is found is about it */
  v3 doutward;  /* how the layer changes; as nothing does where no body moves */
  double ddepth;
} cr_field_view;

/* Room for the cells of a convex body, in the arena's scratch. False when memory ran out. */
bool cr_field_reserve_cells(const cr_field_body* body, bool moves, cr_arena* arena,
                            cr_field_cells* cells);

/* The cells that reach into the layer, in world axes, in place of what is there.
 * @param carrier moves them; null: nothing moves */
void cr_field_list_cells(const cr_field_body* body, const cr_field_view* view,
                         const cr_field_carrier* carrier, cr_field_cells* cells);

#endif
