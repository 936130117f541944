/* Several patches of one pair: where a surface is not convex the points have several normals. */
#ifndef CR_GEOM_PATCHES_H
#define CR_GEOM_PATCHES_H

#include "geom/collide.h"

/* Of a pair; where there are more the deepest stay. */
#define CR_PATCHES_MAX 16

typedef struct cr_patches {
  int count;
  cr_manifold patch[CR_PATCHES_MAX];
} cr_patches;

/* As cr_geom_collide, for any two shapes, with all points of surfaces that are not convex: those of
 * one normal make a patch. No two points have one feature.
 * @return the number of patches */
int cr_geom_collide_patches(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb,
                            double margin, cr_patches* patches);

/* As cr_geom_collide_pair, of the patches of a pair that whose normal is nearest to a given one. */
int cr_geom_collide_along(const cr_collide_query* query, v3 normal, cr_manifold* manifold);

/* True for what cr_geom_collide cannot do: one of the shapes is a surface, none a plane, and they
 * are no kin. */
static inline bool cr_geom_needs_patches(const cr_shape* a, const cr_shape* b) {
  return (a->surface || b->surface) && a->type != CAROM_GEOM_PLANE && b->type != CAROM_GEOM_PLANE &&
         !cr_shapes_meet_as_hulls(a, b);
}

/* Directions along which a growing patch keeps its farthest points. */
#define CR_GATHER_SIDES (CR_MANIFOLD_MAX - 1)

/* The points of one normal so far: all, while there is room, and the deepest, and the farthest to
 * several sides. */
typedef struct cr_gather_group {
  v3 normal;
  int count; /* of points that differ, or more than there is room for */
  cr_manifold_point first[CR_MANIFOLD_MAX];
  v3 side[CR_GATHER_SIDES];
  double most[CR_GATHER_SIDES];
  cr_manifold_point point[CR_MANIFOLD_MAX]; /* the last one is the deepest */
} cr_gather_group;

typedef struct cr_gather {
  int count;
  double near;  /* m: points nearer to each other are one */
  bool is_sunk; /* points were met that are too deep to say where out is */
  cr_gather_group group[CR_PATCHES_MAX];
} cr_gather;

void cr_gather_add(cr_gather* gather, v3 normal, const cr_manifold_point* point);

/* The patches of what was gathered, with features that differ. */
void cr_gather_finish(const cr_gather* gather, cr_patches* patches);

#endif
