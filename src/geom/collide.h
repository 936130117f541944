/* Narrow phase: signed distance, normal, witness points and patches of a pair of shapes. */
#ifndef CR_GEOM_COLLIDE_H
#define CR_GEOM_COLLIDE_H

#include "base/shared.h"
#include "geom/shape.h"

#include <stdint.h>

#define CR_MANIFOLD_MAX 8

/* One point of a patch, world frame. */
typedef struct cr_manifold_point {
  v3 a;             /* on the surface of A */
  v3 b;             /* on the surface of B */
  double distance;  /* normal . (b - a), negative in penetration */
  uint32_t feature; /* which features made the point; the same while the same features touch */
} cr_manifold_point;

/* The patch of a pair: points that share one normal. Where faces or edges meet there are several,
 * spanning the patch; each stands for 1/count of the pair's stiffness. */
typedef struct cr_manifold {
  v3 normal; /* unit, from A to B */
  int count;
  cr_manifold_point points[CR_MANIFOLD_MAX];
} cr_manifold;

/* The point that is nearest to being touched, or deepest in. */
static inline int cr_manifold_find_deepest(const cr_manifold* m) {
  int deepest = 0;
  for (int i = 1; i < m->count; i++)
    if (m->points[i].distance < m->points[deepest].distance) deepest = i;
  return deepest;
}

/* Finds the points of two shapes that are closer than `margin` (>= 0; the least distance counts).
 * Any two types in any order, of surfaces (patches.h) the deepest patch; two planes have no points.
 * The result for (B, A) mirrors that for (A, B). Deterministic and without memory of earlier calls.
 * Never NaN for finite poses.
 * @return the number of points, 0 when the shapes are farther apart than the margin */
CR_SHARED int cr_geom_collide(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb,
                              double margin, cr_manifold* manifold);

/* What may be kept of a pair between looks at it, see pair_memory.h; all zero to begin with. */
typedef struct cr_pair_memory cr_pair_memory;

/* A pair to look at. */
typedef struct cr_collide_query {
  const cr_shape *a, *b;
  const pose *Xa, *Xb;
  double margin;          /* m */
  cr_pair_memory* memory; /* null: none; it is changed and makes looks at the same shapes, moved a
                             little, faster, and changes no bit of the result */
} cr_collide_query;

/* As cr_geom_collide. */
int cr_geom_collide_pair(const cr_collide_query* query, cr_manifold* manifold);

/* Whether a pair that needs no patches is worked out as (A, B), not as (B, A) turned round. */
bool cr_geom_stands_first(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb);

/* Turns the result of (B, A) into that of (A, B). */
void cr_manifold_mirror(cr_manifold* manifold);

/* Signed distance (penetration depth negative) and one pair of witness points of two shapes, at any
 * distance. The normal points from A to B. NaN, and zero vectors, where no points are found: for
 * two planes always, for poses that are not finite as it happens. */
double cr_geom_compute_distance(const cr_shape* a, const pose* Xa, const cr_shape* b,
                                const pose* Xb, v3* point_a, v3* point_b, v3* normal);

#endif
