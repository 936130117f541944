/* A column of a step's derivative where contacts are looked at. */
#ifndef CR_DERIVE_CONTACT_COLUMN_H
#define CR_DERIVE_CONTACT_COLUMN_H

#include "derive/row_tangent.h"

/* A column, as contacts ask for it. */
typedef struct cr_contact_column {
  int index;
  const sv* twist;  /* [num_links] about the trees' origins */
  const double* dq; /* [num_v] tangent of q_mid; null: none */
  const cr_row_motion *star, *v0;
  const struct cr_theta_column* shape; /* what of a geometry moves (cr_theta_moves_contacts); null:
                                          nothing */
} cr_contact_column;

#endif
