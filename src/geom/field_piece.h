/* Bodies that are not convex, piece by piece: triangles of a rigid surface, cells of what has a
 * pressure. */
#ifndef CR_GEOM_FIELD_PIECE_H
#define CR_GEOM_FIELD_PIECE_H

#include "geom/field_cells.h"
#include "geom/surface.h"

#define CR_FIELD_CORNERS     6
#define CR_FIELD_PIECE_SIDES 24

typedef struct cr_field_piece {
  bool is_facet; /* a triangle of a rigid surface, with its outward normal */
  int count;
  v3 corner[CR_FIELD_CORNERS]; /* their hull holds the piece; first a triangle of its surface */
  v3 normal;                   /* unit */
  cr_field_cell cell;          /* of what has a pressure */
  cr_field_side side[CR_FIELD_PIECE_SIDES];
  int below; /* the side at the walk's depth; -1: it ends before */
} cr_field_piece;

/* Whether a body is taken in pieces. */
static inline bool cr_field_has_pieces(const cr_field_body* body) {
  return body->shape->surface != NULL;
}

/* The pieces of a body in world axes about the origin, one after the other. */
typedef struct cr_field_walk {
  const cr_field_body* body;
  v3 origin;
  cr_field_carrier carrier; /* of a body that moves */
  double depth;             /* m: how far what has a pressure reaches below its surface, at most, */
  double ddepth;            /* and its change where the body moves */
  cr_trisurface_walk triangles;
} cr_field_walk;

/* Those of a body that are no farther than `depth` from a box in its own frame. */
cr_field_walk cr_field_begin_pieces(const cr_field_body* body, const cr_aabb* box, v3 origin,
                                    double depth);
/* @param change of it, as the body moves; null: none is wanted */
bool cr_field_next_piece(cr_field_walk* walk, cr_field_piece* piece, cr_field_piece* change);

/* A convex body and a piece that touches it; with how the latter changes and what carries the
 * former where they move, else null. */
typedef struct cr_field_seen {
  const cr_field_body* body;
  const cr_field_piece *piece, *change;
  const cr_field_carrier* carrier;
} cr_field_seen;

/* Where it is touched: the layer that holds all of the piece that is within. False where none is.
 */
bool cr_field_find_view(const cr_field_seen* seen, v3 origin, cr_field_view* view);

#endif
