/* How the derivatives of a patch to either side of where it is differ. */
#ifndef CR_DERIVE_PATCH_SIDES_H
#define CR_DERIVE_PATCH_SIDES_H

#include "derive/found_again.h"

/* By how much they do, for a unit of the dof that matters most. */
typedef struct cr_patch_sides {
  double normal; /* 1, or 1/m */
  double place;  /* across the normal, m, or 1 */
} cr_patch_sides;

/* Of a patch, and of a point of its manifold; infinite where on one side there is none, or none
 * that has derivatives. */
cr_patch_sides cr_patch_sides_find(const cr_step* step, const cr_found_again* patch, int point);

#endif
