/* Exact derivatives of what the narrow phase finds by the poses of both shapes. */
#ifndef CR_GEOM_MANIFOLD_TANGENT_H
#define CR_GEOM_MANIFOLD_TANGENT_H

#include "geom/collide.h"

/* A derivative by a small displacement of a shape is six columns: by a rotation (rad) about the
 * world's x, y and z through the shape's centre (pose.p), then by a displacement (m) along them.
 * First index: 0 for A's displacement, 1 for B's. */
typedef struct cr_point_tangent {
  v3 a[2][6], b[2][6];   /* of the witness points */
  double distance[2][6]; /* of the signed distance */
  double kink;           /* as of the manifold, of this point alone */
} cr_point_tangent;

typedef struct cr_manifold_tangent {
  v3 normal[2][6];
  double kink; /* of the normal: about how far from here other parts of the shapes would take over,
                  as a displacement in terms of the smaller shape's size, or an angle in rad; 0: the
                  derivatives to both sides differ, and these are those of the parts at hand */
  int count;
  cr_point_tangent points[CR_MANIFOLD_MAX];
  const char* obstacle; /* null: all is there. Else a clause that says why it is not; what is there
                           of the numbers is not to be used */
} cr_manifold_tangent;

/* What displacements of both shapes make of such a derivative. */
static inline v3 cr_manifold_sum_vectors(const v3 by[2][6], double move[2][6]) {
  v3 sum = v3_zero();
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) sum = v3_axpy(sum, move[k][i], by[k][i]);
  return sum;
}

static inline double cr_manifold_sum_numbers(const double by[2][6], double move[2][6]) {
  double sum = 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) sum += move[k][i] * by[k][i];
  return sum;
}

/* Differentiates a manifold that cr_geom_collide_pair found for the query (of surfaces: one of the
 * patches of cr_geom_collide_patches). The number and the features of its points are held. No pair
 * is searched again: each witness is on a face, edge, vertex or smooth part, and what keeps it the
 * nearest point, or the point over another part along the normal, is differentiated; see
 * docs/derivatives.md. */
CR_SHARED void cr_manifold_compute_tangent(const cr_collide_query* query,
                                           const cr_manifold* manifold,
                                           cr_manifold_tangent* tangent);

/* The same where points stand for an area, which has no kink where a disc that lies flat shows its
 * rim from another place on. */
CR_SHARED void cr_manifold_compute_area_tangent(const cr_collide_query* query,
                                                const cr_manifold* manifold,
                                                cr_manifold_tangent* tangent);

#endif
