/* The part of a shape on which a witness point lies, as the derivatives of contacts see it: which
 * way the point may slide on it, and how that turns its normal. */
#ifndef CR_GEOM_PART_H
#define CR_GEOM_PART_H

#include "geom/jet.h"
#include "geom/shape.h"

#include <stdint.h>

/* A shape of a pair in place. Derivatives are by a twist of B about its centre (angular, then
 * linear, world axes) while A stays. */
typedef struct cr_mover {
  const cr_shape* shape;
  const pose* X;
  v3 center; /* m, relative to A's */
  bool moves;
  bool is_hull; /* seen as its hull, though it has a surface */
  bool is_area; /* of a pair whose points stand for an area */
  double along; /* sine between unit vectors that count as one */
} cr_mover;

/* A vector, or a point (relative to A's centre), that is fixed to the shape. */
jet3 cr_mover_carry_vector(const cr_mover* mover, v3 u);
jet3 cr_mover_carry_point(const cr_mover* mover, v3 x);

typedef enum cr_part_kind {
  CR_PART_NONE, /* not recognised */
  CR_PART_FACE,
  CR_PART_EDGE,
  CR_PART_VERTEX,
  CR_PART_BALL,  /* of a sphere, or the end of a capsule */
  CR_PART_SIDE,  /* of a capsule or cylinder */
  CR_PART_RIM,   /* of a cylinder */
  CR_PART_ROUND, /* of an ellipsoid */
} cr_part_kind;

/* World axes; points relative to A's centre. */
typedef struct cr_part {
  cr_part_kind kind;
  v3 x;          /* the witness point */
  v3 outward;    /* unit: the contact normal, away from the shape */
  v3 normal;     /* face: unit, outward */
  v3 u;          /* unit; edge, side: along it; rim: normal of its cap; capsule's end: outward */
  v3 center;     /* ball, rim, round: its centre; side: the axis' point beside x */
  double radius; /* m */
  m3 square;     /* round: R diag(half axes squared) R^T, m^2 */
  bool is_end;   /* side: the end of its line */
  double room;   /* m: how far x is from the end of the part; inf where it has none */
  double cone; /* sine of the angle by which `outward` lies within the normals of the part; negative
                  where it is none of them */
} cr_part;

/* The part on which x lies.
 * @param outward unit, from the shape to the other one
 * @param width m: distance within which a point is at an edge or vertex
 * @param feature its half of the point's code (cr_manifold_point) */
cr_part cr_part_find(const cr_mover* mover, v3 x, v3 outward, double width, uint32_t feature);

/* Makes of an edge, rim or vertex the face at it that lies flattest across the contact normal.
 * False where there is none. */
bool cr_part_flatten(const cr_mover* mover, double width, cr_part* part);

/* Makes of a face of a surface the edge (freedom 1) or vertex (0) of a triangle at x, though the
 * surface is level there: triangles are clipped by each other's sides. False where there is none.
 */
bool cr_part_sharpen(const cr_mover* mover, double width, int freedom, cr_part* part);

/* In how many directions a point that is held by the other shape may slide on the part. */
static inline int cr_part_count_freedom(const cr_part* part) {
  bool is_line = part->kind == CR_PART_EDGE || part->kind == CR_PART_RIM ||
                 (part->kind == CR_PART_SIDE && !part->is_end);
  return part->kind == CR_PART_FACE ? 2 : is_line;
}

/* How the witness of a pair of nearest points moves on the part when the contact normal turns:
 * C da / length = D dm, where da and dm are the displacement and the turn of `outward` relative to
 * the shape, as components along two unit vectors t across the normal. A face has C = 0, D = 1, a
 * vertex C = 1, D = 0; on a smooth part C = 1 and D is its inverse curvature over `length`. */
void cr_part_find_law(const cr_part* part, const v3 t[2], double length, double C[2][2],
                      double D[2][2]);

/* By how much the contact normal misses the normals of the part, as a vector across it that turns
 * it there: what the search for it left. */
v3 cr_part_find_miss(const cr_part* part);

/* Moves x by a short way across the normal, brings it back to the part, and sets `outward`. */
void cr_part_move(cr_part* part, v3 by, v3 outward);

/* The point of the part that keeps to the contact normal m, or a fixed point of it where it does
 * not depend on that. */
jet3 cr_part_follow(const cr_mover* mover, const cr_part* part, const jet3* m);

#endif
