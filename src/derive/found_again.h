/* Patches of contact as the step found them, searched for again where it looked at them. */
#ifndef CR_DERIVE_FOUND_AGAIN_H
#define CR_DERIVE_FOUND_AGAIN_H

#include "derive/field_contact.h"
#include "geom/manifold_tangent.h"
#include "sim/contact/contact_area.h"

/* How a patch's points move in one column. */
typedef struct cr_patch_change {
  int column;                                            /* that it is about, -1: none yet */
  v3 normal, place[CR_SPREAD_MAX], first[CR_SPREAD_MAX]; /* the last: of those on A */
  v3 other[CR_SPREAD_MAX];                               /* places on B, where they differ, */
  v3 position[CR_SPREAD_MAX];                            /* and then where they will be */
  double distance[CR_SPREAD_MAX];
  double share[CR_SPREAD_MAX];
  double stiffness; /* N/m, of the patch; of pressure fields */
} cr_patch_change;

typedef struct cr_found_again {
  int first; /* of the set's points */
  const cr_contact_point* points;
  const struct cr_swept_pair* swept; /* where they meet later; null: they do not */
  pose X[2];                         /* of both geometries, where it is found */
  const cr_field_contact* field;     /* of pressure fields, which have a normal, but no more of
                                        what follows up to `found`; null: of surfaces */
  cr_manifold manifold;              /* as it is found */
  cr_manifold_tangent tangent;
  cr_point_tangent lead;       /* of what meets later: of the pair's deepest point, whichever
                                  normal it is of */
  const cr_contact_area* area; /* that the points stand for; null: none */
  double area_kink;            /* of its rule */
  double reach_kink; /* m, from where others of its points touch together, or stand for the area */
  cr_manifold_point
      found[CR_SPREAD_MAX];   /* of the set's points, where they are on both surfaces, */
  int source[CR_SPREAD_MAX];  /* and of the manifold's; -1: within the area */
  int of_rule[CR_SPREAD_MAX]; /* the area's; -1: none */
  cr_patch_change* change;
  struct cr_found_again* next;
} cr_found_again;

/* The patch of a point of the set, which lives in t->arena; refuses what has no derivative yet. */
carom_status cr_find_patch_again(cr_step_tangent* t, const cr_contact_set* set,
                                 const cr_contact_point* at, const cr_found_again** found);

#endif
