/* Bodies and shapes of a description where the reference configuration has them. */
#ifndef CR_IMPORT_STAND_H
#define CR_IMPORT_STAND_H

#include "geom/shape.h"
#include "model/record.h"

/* Where a body's frame is, and the link that it belongs to: the first body above that a joint
 * moves, and the link that this one hangs on. */
typedef struct cr_stand {
  pose X;
  int link;   /* 0: what does not move */
  int parent; /* of the link */
} cr_stand;

/* The link that a body belongs to. */
int cr_stand_link(const carom_builder* builder, int body);

/* Fills stands [bodies of the builder]; parents stand before their children in the builder. */
void cr_stand_all(const carom_builder* builder, cr_stand* stands);

/* The shape of a geometry and its pose; false for planes and height fields. */
bool cr_stand_shape(const carom_builder* builder, const carom_geom_def* def, const cr_stand* stands,
                    cr_shape* shape, pose* X);

#endif
