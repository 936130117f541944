/* The points of a patch where they stand for the area over which it touches (geom/area.h). */
#ifndef CR_SIM_CONTACT_AREA_H
#define CR_SIM_CONTACT_AREA_H

#include "geom/area_surface.h"
#include "geom/area_tangent.h"
#include "geom/collide.h"

#define CR_SPREAD_MAX (CR_AREA_POINTS + CR_MANIFOLD_MAX)

/* Points of a patch, and what each counts. */
typedef struct cr_spread {
  int count;
  cr_manifold_point points[CR_SPREAD_MAX];
  double share[CR_SPREAD_MAX]; /* of the area, summing to one over the points of one area */
  double area[CR_SPREAD_MAX];  /* m², what it stands for; 0 where there is none */
  double error; /* relative, of the moment of friction, at most; 0 where there is no area */
} cr_spread;

/* Who touches, and how exactly that is wanted. */
typedef struct cr_contact_area_pair {
  const cr_shape* shape[2];
  const pose* X[2];
  double error; /* relative, of the moment of friction, that is good enough */
} cr_contact_area_pair;

/* What a manifold's points span: its corners, anticlockwise, and the rule for it. */
typedef struct cr_contact_area {
  int count;                    /* of corners; 0: the points span nothing that has a rule */
  int corner[CR_MANIFOLD_MAX];  /* of the manifold's points */
  double x[CR_MANIFOLD_MAX][2]; /* m, across the normal along its tangents, from the first point */
  bool is_surface;              /* the area is that of a mesh's faces, seen so, else: */
  cr_area_look look;
  cr_area_moments moments;
  cr_area_kind kind;
  cr_area_rule rule;
} cr_contact_area;

/* Whether distances are linear in the place, as those of two faces are. */
bool cr_contact_area_is_level(const cr_manifold* manifold);

/* Spreads the points of a manifold that lie no farther than `reach` over the polygon or line that
 * they span, over the disc of a cap (of either shape) that lies flat all round, or over the face of
 * a surface, holes and all, that lies on a face. The extreme points stay
 * and keep their features, those within have features of their own, that stay while the extreme
 * ones do. Points that lie farther, or that span nothing, are as they were, with the share that
 * they would have alone.
 * @param area receives what they span; null: it is not asked for */
void cr_contact_area_spread(const cr_contact_area_pair* pair, const cr_manifold* manifold,
                            double reach, cr_spread* spread, cr_contact_area* area);

/* The same area as convex polygons that lie beside each other (a disc as one of many sides), in
 * coordinates along the tangents of the manifold's normal from its first point; none of a line. */
void cr_contact_area_visit(const cr_contact_area_pair* pair, const cr_manifold* manifold,
                           double reach, cr_area_taker* take, void* user);

#endif
