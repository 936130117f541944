/* Contact points of boxes, cylinders and capsules from their normal and the features that face each
 * other. */
#ifndef CR_GEOM_PATCH_H
#define CR_GEOM_PATCH_H

#include "geom/contact.h"

/* Fills the manifold for a contact normal (unit, from A to B).
 *
 * Where a face or cap of one lies flat (within CR_PATCH_SINE) across the normal, what faces it is
 * clipped against it; where lines lie across the normal they meet in a point or, nearly parallel,
 * along their overlap.
 * @param distance minus the overlap along the normal: a point with this distance is always among
 * the result (up to the pair's tolerance), if it is within the margin
 * @return true when such a point exists: the normal is then that of the closest points where the
 *         shapes are apart */
bool cr_patch_build(const cr_contact_pair* pair, v3 normal, double distance, cr_manifold* manifold);

/* What a shape turns towards the other one. */
typedef enum cr_side_kind { CR_SIDE_RECTANGLE, CR_SIDE_DISC, CR_SIDE_LINE } cr_side_kind;

typedef struct cr_side {
  cr_side_kind kind;
  const cr_placed* placed;
  v3 center;   /* of the face, or of the line's axis */
  v3 normal;   /* faces: outward */
  v3 u, v;     /* unit; rectangle: its edges; disc: in its plane; line: u along it */
  double hu;   /* m: half size along u; disc: radius */
  double hv;   /* m: half size along v */
  double ball; /* m: line: the radius about it */
  double sine; /* of the angle between the face and the plane across the contact normal */
} cr_side;

/* Points of two sides that face each other along the unit vector `out`, which leads from `base` to
 * `other`. */
typedef struct cr_facing {
  const cr_contact_pair* pair;
  cr_side base, other;
  v3 out;
  bool base_is_b;
} cr_facing;

/* Enters a point of each. */
void cr_patch_add(const cr_facing* facing, v3 on_base, v3 on_other, cr_rim_point rim_base,
                  cr_rim_point rim_other, cr_manifold* manifold);

/* The point of a side's plane straight along `out` from x. */
v3 cr_patch_project(const cr_side* side, v3 x, v3 out);

/* Clippers: the base is a rectangle or disc. */
void cr_patch_rectangle_rectangle(const cr_facing* facing, cr_manifold* manifold);
void cr_patch_face_line(const cr_facing* facing, cr_manifold* manifold);
void cr_patch_disc_rectangle(const cr_facing* facing, cr_manifold* manifold);
void cr_patch_disc_disc(const cr_facing* facing, cr_manifold* manifold);

/* The point where two edges, sides, rims or corners meet as seen along the normal, if it is deeper
 * than all others.
 * @param strict only if they do meet there, rather than pass each other */
void cr_patch_crossing(const cr_contact_pair* pair, bool strict, cr_manifold* manifold);

/* The same, and the ends of the overlap of nearly parallel lines. */
void cr_patch_lines(const cr_contact_pair* pair, cr_manifold* manifold);

#endif
