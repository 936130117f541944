/* How contacts of pressure fields move (sim/contact/contact_field.h). */
#ifndef CR_DERIVE_FIELD_CONTACT_H
#define CR_DERIVE_FIELD_CONTACT_H

#include "derive/contact_column.h"
#include "geom/field.h"
#include "geom/manifold_tangent.h"
#include "sim/contact/contact_point.h"

/* Turns and ways of both bodies, of the pair's normal, its depth, both pressures, both's sizes. */
#define CR_FIELD_MOVES   24
#define CR_FIELD_DEPTH   15
#define CR_FIELD_STIFFER 16
#define CR_FIELD_LARGER  18

/* A patch, found again where the step looked at it. */
typedef struct cr_field_contact {
  const cr_contact_point* points; /* of the patch */
  v3 normal, place[2];            /* of the deepest point of the pair's shapes, on both, */
  double distance;
  v3 dnormal[2][6], dplace[2][6]; /* which, place[0] of the places, move with both shapes as in
                                     geom/manifold_tangent.h */
  double ddistance[2][6];
  v3 motion, turn;   /* m/s, rad/s, of B over A there by prescription, as in cr_contact_extra */
  double along;      /* m: how far B was moved along that normal to be looked at */
  double others;     /* m, how much farther what might become the deepest is; inf: nothing might */
  cr_field_patch at; /* with B where it was looked at, */
  cr_field_patch by[CR_FIELD_MOVES]; /* and what it changes by, by each move */
} cr_field_contact;

/* Whether a point is one of a patch of pressure. */
bool cr_field_contact_has(const cr_step* step, const cr_contact_point* point);

/* The patch of a point.
 * @param why receives a clause that says why there is none; null: there is one
 * @return null when memory ran out, too */
const cr_field_contact* cr_field_contact_find(cr_step_tangent* t, const cr_contact_point* points,
                                              const char** why);

/* What a patch changes by, and the distances of its points. */
typedef struct cr_field_contact_change {
  cr_field_patch patch;
  double distance[CR_FIELD_POINTS];
} cr_field_contact_change;

/* Displacements of both geometries in a column, a turn before a way, and those of the parts of
 * their surfaces that the deepest point is on. */
typedef struct cr_field_contact_move {
  double shape[2][6], part[2][6];
} cr_field_contact_move;

/* How it does in a column. */
void cr_field_contact_differentiate(const cr_step* step, const cr_field_contact* contact,
                                    const cr_contact_column* column, cr_field_contact_move* move,
                                    cr_field_contact_change* change);

#endif
