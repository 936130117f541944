/* What surfaces that move (belts) and bodies that move as prescribed make of a contact's rows: they
 * head for these motions (sim/rows/contact_rows.c). */
#ifndef CR_DERIVE_SURFACE_MOTION_H
#define CR_DERIVE_SURFACE_MOTION_H

#include "derive/row_tangent.h"
#include "sim/contact/contact_point.h"

/* A contact's rows in a column. */
typedef struct cr_surface_rows {
  const cr_contact_point* point;
  const cr_row_shape* shape; /* [rows] */
  const cr_row_change* change;
  int rows;
  const sv* twist; /* [num_links] about the trees' origins */
  v3 normal;       /* how it turns */
  v3 place, moved; /* where A is touched, at which motions are looked at, and how that moves */
} cr_surface_rows;

/* d [rows] -= v_hat's change by these motions.
 * @return the change of the speed at which the bodies part by prescription */
double cr_surface_motion_subtract(const cr_step* step, const cr_surface_rows* rows, double* d);

#endif
