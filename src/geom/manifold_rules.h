/* Derivatives of points that the narrow phase places by a rule: in a pattern on a rim
 * (patch_disc.c, collide_plane.c), at ends of the overlap of nearly parallel lines (patch_line.c).
 */
#ifndef CR_GEOM_MANIFOLD_RULES_H
#define CR_GEOM_MANIFOLD_RULES_H

#include "geom/part.h"

/* The point of the rim part[side]: of the pattern that starts at the deepest point, or that nearest
 * to the other cap's centre.
 * @param mover, part of A and B
 * @param m the normal outward from the rim's shape
 * @param kink is lowered to the tilt below which the pattern has no start
 * @return false where the point is none of these */
bool cr_rule_follow_rim(const cr_mover mover[2], const cr_part part[2], int side, const jet3* m,
                        jet3* x, double* kink);

/* The normal of two parallel lines (edges, capsules, sides of cylinders) side by side: straight
 * across the mean of both directions, from one to the other at the middle of what lies beside each
 * other. It is one element of many, since one end or the other becomes the nearest.
 * @param n its value; receives the derivatives
 * @return false for other lines */
bool cr_rule_follow_parallel(const cr_mover mover[2], jet3* n);

/* Both witnesses at an end of the overlap of two nearly parallel lines.
 * @param n the normal, from A to B
 * @param x receives the points
 * @return false where the point is none */
bool cr_rule_follow_lines(const cr_mover mover[2], const cr_part part[2], const jet3* n, jet3 x[2],
                          double* kink);

#endif
