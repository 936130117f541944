/* A shape and the triangle of a surface, or two triangles, at work: what the parts of the narrow
 * phase of surfaces share. */
#ifndef CR_GEOM_SURFACE_MEETING_H
#define CR_GEOM_SURFACE_MEETING_H

#include "geom/difference.h"
#include "geom/patches.h"
#include "geom/surface.h"
#include "geom/surface_zone.h"

/* Part of the square of a distance that may be left to gain. */
#define CR_MEETING_GAP 1e-14

/* Part of the thickness by which overlaps may differ and count as the same. */
#define CR_MEETING_TIE 1e-9

/* Part of a triangle's extent within which its corners count as level, and sine between normals
 * that count as one. */
#define CR_LEVEL 1e-7

/* The prism behind a triangle as a polyhedron: corners 0 to 2 of the triangle, 3 to 5 behind them.
 */
typedef struct cr_prism {
  cr_hull hull;
  cr_shape shape;
  double vertex[18], plane[20];
} cr_prism;

/* A side of the pair: a convex shape, or a triangle of a surface at a pose. */
typedef struct cr_party {
  const cr_shape* shape;
  const cr_trisurface* surface; /* null: convex */
  const pose* X;
  int triangle;
  cr_facet facet;
  v3 normal;    /* of the facet, world */
  unsigned cut; /* bits of the sides beyond which the surface goes on level */
  cr_prism prism;
} cr_party;

/* One of a pair's triangles, or two, at work. */
typedef struct cr_meeting {
  cr_party a, b; /* b is a surface's */
  double margin;
  cr_contact_pair pair;
  cr_difference difference; /* of the pair */
  cr_gather* gather;
} cr_meeting;

/* Takes up a triangle of a surface, with a prism that is `depth` thick, or as much as this share of
 * the wall behind it where that is less. */
void cr_party_take(cr_party* party, int triangle, double depth, double share);

/* The pair of what a and b have taken up. */
void cr_meeting_place(cr_meeting* meeting);

/* Radius about the axis or centre that searches see of a convex shape, else 0. */
double cr_meeting_ball(const cr_meeting* meeting);

/* By how much the cores overlap along n. */
static inline double cr_meeting_overlap(const cr_meeting* m, v3 n) {
  return cr_difference_compute_overlap(&m->difference, m3_tmulv(m->pair.a.R, n));
}

/* A name of 14 bits of two numbers. */
static inline uint32_t cr_meeting_mix(uint32_t a, uint32_t b) {
  uint32_t hash = (a + 0x9e3779b9u) * 0x85ebca6bu ^ (b + 1) * 0xc2b2ae35u;
  return (hash ^ hash >> 15) & 0x3fff;
}

/* Whether the contact normal is that of the party's triangle, times the sign. */
static inline bool cr_party_is_along(const cr_party* p, v3 normal, double sign) {
  return v3_norm2(v3_axpy(p->normal, -sign, normal)) < CR_LEVEL * CR_LEVEL;
}

/* Gathers a patch's points, but those that the cut of level surfaces makes and those deeper than
 * `most`, which is noted. */
void cr_meeting_enter(const cr_meeting* meeting, const cr_manifold* manifold, double most);

/* Notes where the triangles at work cross, both of surfaces. What lies just on an edge is moved off
 * it by a hair. */
void cr_meeting_note_crossing(const cr_meeting* meeting, cr_crossings* crossings);

/* Gathers points of zones in which no direction was a contact normal, as of saddles in each other:
 * by the zone's own normal and depth. */
void cr_meeting_enter_zones(const cr_meeting* meeting, cr_crossings* crossings);

/* Gathers the points of a shape that lies deeper in the mesh b than half a wall tells the way out
 * of, as a convex one: over the triangle by which it gets out first. Nothing where it is not in
 * there in fact.
 * @param is_inside whether it is known to be */
void cr_meeting_enter_sunk(const cr_meeting* meeting, bool is_inside);

#endif
