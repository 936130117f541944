/* How the points that stand for an area move (sim/contact/contact_area.h). */
#ifndef CR_DERIVE_AREA_PATCH_H
#define CR_DERIVE_AREA_PATCH_H

#include "sim/contact/contact_area.h"

/* What a witness point on both surfaces, and the distance, change by. */
typedef struct cr_witness_change {
  v3 a, b;
  double distance;
} cr_witness_change;

/* How both shapes move: a rotation about pose.p and a displacement, and how much each stretches
 * along its own axes, relative. */
typedef struct cr_area_motion {
  const double (*move)[6];
  v3 stretch[2];
} cr_area_motion;

/* What the manifold's points do, its normal, and both shapes. */
typedef struct cr_corner_changes {
  v3 normal;
  cr_area_motion motion;
  cr_witness_change of[CR_MANIFOLD_MAX];
} cr_corner_changes;

/* Points of the area's rule, in their order: their changes and those of their weights. Within the
 * corners they go as what is linear over these does, at a place that moves. */
void cr_area_patch_differentiate(const cr_manifold* manifold, const cr_contact_area* area,
                                 const cr_corner_changes* corners, cr_witness_change* of,
                                 cr_area_change* rule);

#endif
