/* Contact points of all shapes but planes from their normal and the features that face each
 * other. */
#ifndef CR_GEOM_PATCH_H
#define CR_GEOM_PATCH_H

#include "geom/contact.h"

/* Cosine between a capsule and the normal from which on it stands rather than leans. */
#define CR_STANDING_COSINE 0.9

/* Fills the manifold for a normal (unit, from A to B) that may be that of the contact.
 *
 * Where a face or cap of one lies flat (within CR_PATCH_SINE) across the normal, what faces it is
 * clipped against it; where lines lie across the normal they meet in a point or, nearly parallel,
 * along their overlap.
 * @param distance minus the overlap along the normal
 * @return true when there are points of both at just this distance: where the shapes are apart the
 *         normal is then that of the closest points */
bool cr_patch_try(const cr_contact_pair* pair, v3 normal, double distance, cr_manifold* manifold);

/* The same for a normal that is known to be that of the contact, up to rounding: the manifold gets
 * at least one point, if it is within the margin.
 * @return false where that is of parts that pass each other, since the normal is not the pair's */
bool cr_patch_build(const cr_contact_pair* pair, v3 normal, double distance, cr_manifold* manifold);

/* The flat patch alone; no points where neither shows a face or cap across the normal. */
void cr_patch_flat(const cr_contact_pair* pair, v3 normal, cr_manifold* manifold);

/* What a shape turns towards the other one. */
typedef enum cr_side_kind {
  CR_SIDE_RECTANGLE,
  CR_SIDE_DISC,
  CR_SIDE_LINE,
  CR_SIDE_POLYGON,
  CR_SIDE_POINT,
} cr_side_kind;

typedef struct cr_side {
  cr_side_kind kind;
  const cr_placed* placed;
  v3 center; /* of the face (polygon: a point of its plane), or of the line's axis; or the point */
  v3 normal; /* faces: outward */
  v3 u, v;   /* unit; rectangle: its edges; disc: in its plane; line: u along it */
  double hu; /* m: half size along u; disc: radius */
  double hv; /* m: half size along v */
  double ball;        /* m: line: the radius about it */
  int face;           /* polygon: of the hull; rectangle: its feature */
  int step_u, step_v; /* rectangle: what a side along u and v adds to the feature */
  double sine;        /* of the angle between the face and the plane across the contact normal */
} cr_side;

/* Points of two sides that face each other along the unit vector `out`, which leads from `base` to
 * `other`. */
typedef struct cr_facing {
  const cr_contact_pair* pair;
  cr_side base, other;
  v3 out;
  double slack; /* m: how far a point may stand over a face and still be clipped to it */
  bool base_is_b;
} cr_facing;

static inline cr_facing cr_patch_turn(const cr_facing* facing) {
  return (cr_facing){facing->pair,        facing->other, facing->base,
                     v3_neg(facing->out), facing->slack, !facing->base_is_b};
}

/* Enters a point of each. */
void cr_patch_add(const cr_facing* facing, v3 on_base, v3 on_other, cr_rim_point rim_base,
                  cr_rim_point rim_other, cr_manifold* manifold);

/* The point of a side's plane straight along `out` from x. */
static inline v3 cr_patch_project(const cr_side* side, v3 x, v3 out) {
  double gap = v3_dot(side->normal, v3_sub(side->center, x)) / v3_dot(side->normal, out);
  return v3_axpy(x, gap, out);
}

/* Brings a point of a side's plane that stands over by a hair back to the side. */
v3 cr_patch_clamp(const cr_side* side, v3 x);

/* Corners of a face, at most; those with more are thinned out. */
#define CR_PATCH_CORNERS 64

/* The corners of a rectangle or polygon, anticlockwise as seen from outside, or a point alone.
 * @return their number */
int cr_patch_find_corners(const cr_side* side, v3* corner);

/* A candidate in the plane of the base, and its height over that along the normal. */
typedef struct cr_patch_point {
  double x, y, height;
} cr_patch_point;

/* Marks those that a manifold has room for: all, or the deepest and the farthest to seven sides. */
void cr_patch_choose(const cr_patch_point* candidate, int count, bool* is_chosen);

/* Clippers: the base is a rectangle, polygon or disc as the name says; of cr_patch_polygon, any
 * that has corners, and the other side no cap. */
void cr_patch_rectangle_rectangle(const cr_facing* facing, cr_manifold* manifold);
void cr_patch_face_line(const cr_facing* facing, cr_manifold* manifold);
void cr_patch_disc_face(const cr_facing* facing, cr_manifold* manifold);
void cr_patch_polygon(const cr_facing* facing, cr_manifold* manifold);
void cr_patch_disc_disc(const cr_facing* facing, cr_manifold* manifold);

/* The other end of the edge at a vertex that lies flattest across `out`, within `sine`; the vertex
 * where there is none. */
int cr_patch_find_edge(const cr_hull* hull, int vertex, v3 out, double sine);

/* The point where two edges, sides, rims or corners meet as seen along the normal, if it is deeper
 * than all others; where they pass each other, only if there are no others. */
void cr_patch_crossing(const cr_contact_pair* pair, cr_manifold* manifold);

/* The same, and the ends of the overlap of nearly parallel lines. */
void cr_patch_lines(const cr_contact_pair* pair, cr_manifold* manifold);

#endif
