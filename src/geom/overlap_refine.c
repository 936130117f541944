/* Local minima of the overlap function by trying every set of kinks near the start.
 *
 * Between kinks the function is g(n) = sum_j radius_j |n x z_j| - n.w on the unit sphere, with w
 * from the signs of n.u_i. Each try holds n on two kinks (nothing is left to find), on one (a
 * Newton iteration for an angle) or on none (a Newton iteration on the sphere), and the true
 * overlap at the result decides. Where no disc takes part the minimum of -n.w is w/|w|. */
#include "geom/overlap.h"

#include <stddef.h>

/* Sine of the angle to the axis of a disc at which the function has a tip and no slope. */
#define ON_TIP 1e-9

/* Sine of the angle to a kink below which the side on which a direction lies is noise. */
#define AMBIGUOUS 1e-9

/* How far a minimum may lie from the start, in terms of the search's sine. */
#define FARTHEST     5

#define MAX_PASSES   4
#define MAX_NEWTON   30
#define LONGEST_STEP 0.3

/* Longest step away from a tip. */
#define FIRST_STEP 0.01

/* Part of the longest step below which the next one would be round-off. */
#define LAST_STEP 1e-8

typedef struct cr_search {
  const cr_overlap* overlap;
  double near; /* sine of the angle within which kinks are tried */
  v3 start;
  v3 best;
  double least;
} cr_search;

/* Enters a direction (or its negative, whichever is near the start) when it is better. */
static void try_direction(cr_search* search, v3 n) {
  if (v3_dot(n, search->start) < 0) n = v3_neg(n);
  double value = cr_overlap_compute(search->overlap, n);
  if (!(value < search->least - search->overlap->tolerance)) return;
  search->least = value;
  search->best = n;
}

/* w for the signs at n, leaving out one segment (or none: -1). */
static v3 find_piece(const cr_overlap* overlap, v3 n, int held) {
  v3 w = overlap->c;
  for (int i = 0; i < overlap->num_segments; i++)
    if (i != held)
      w = v3_axpy(w, -copysign(overlap->half[i], v3_dot(n, overlap->u[i])), overlap->u[i]);
  return w;
}

/* First and second derivatives of g at n along the unit tangents t, and g itself. */
typedef struct cr_slope {
  double g, first[2], second[2][2];
  double reach; /* how far to go at most: half way to the nearest tip */
  v3 to_tip;    /* unit tangent in its direction */
} cr_slope;

static bool find_slope(const cr_overlap* overlap, v3 n, v3 w, const v3* t, int num_tangents,
                       cr_slope* slope) {
  v3 gradient = v3_neg(w);
  *slope = (cr_slope){.reach = LONGEST_STEP};
  for (int j = 0; j < overlap->num_discs; j++) {
    v3 z = overlap->z[j], around = v3_cross(z, n);
    double sine = v3_norm(around);
    if (!(sine > ON_TIP)) return false;
    if (0.5 * sine < slope->reach) {
      slope->reach = 0.5 * sine;
      slope->to_tip = v3_scale(1 / sine, v3_cross(n, around));
    }
    gradient = v3_axpy(gradient, overlap->radius[j] / sine, v3_cross(around, z));
    for (int i = 0; i < num_tangents; i++)
      for (int k = 0; k < num_tangents; k++)
        slope->second[i][k] +=
            overlap->radius[j] / (sine * sine * sine) * v3_dot(around, t[i]) * v3_dot(around, t[k]);
  }
  slope->g = v3_dot(gradient, n);
  for (int i = 0; i < num_tangents; i++) {
    slope->first[i] = v3_dot(gradient, t[i]);
    slope->second[i][i] -= slope->g;
  }
  return true;
}

/* The Newton step, unless the function is not convex there. */
static bool find_step(const cr_slope* slope, const v3* t, int num_tangents, v3* step) {
  double a = slope->second[0][0], b = slope->second[0][1], d = slope->second[1][1];
  if (num_tangents == 1) {
    *step = v3_scale(-slope->first[0] / a, t[0]);
    return a > 0;
  }
  double det = a * d - b * b;
  *step = v3_axpy(v3_scale((b * slope->first[1] - d * slope->first[0]) / det, t[0]),
                  (b * slope->first[0] - a * slope->first[1]) / det, t[1]);
  return a > 0 && det > 0;
}

/* Shortens a step so that it does not pass a tip; what leads around the tip is kept, because that
 * is what turns a step towards the tip into one away from it. */
static v3 limit_step(const cr_slope* slope, v3 step) {
  double along = v3_dot(step, slope->to_tip), length;
  step = v3_axpy(step, cr_clamp(along, slope->reach) - along, slope->to_tip);
  length = v3_norm(step);
  return length > 2 * slope->reach ? v3_scale(2 * slope->reach / length, step) : step;
}

/* Newton's iteration on the sphere, or on the great circle normal to `held` where it is given.
 * Fails where it leaves the neighbourhood of the start: the minimum of this piece is none of the
 * whole. */
static bool newton(const cr_search* search, v3 w, const v3* held, v3* n) {
  const cr_overlap* overlap = search->overlap;
  double farthest = FARTHEST * search->near;
  int num_tangents = held ? 1 : 2;
  for (int iteration = 0; iteration < MAX_NEWTON; iteration++) {
    v3 t[2], step;
    cr_slope slope;
    if (held)
      t[0] = v3_cross(*held, *n);
    else
      v3_tangents(*n, &t[0], &t[1]);
    if (!find_slope(overlap, *n, w, t, num_tangents, &slope)) return false;
    if (!find_step(&slope, t, num_tangents, &step)) return false;
    double length = v3_norm(step);
    *n = v3_normalize_or(v3_add(*n, limit_step(&slope, step)), *n);
    if (length < LAST_STEP * slope.reach) return true;
    if (v3_norm2(v3_sub(*n, search->start)) > farthest * farthest) return false;
  }
  return true;
}

/* The minimum of g on the circle normal to segment `held`, with the signs at n, a point of it. */
static void try_circle_from(cr_search* search, int held, v3 n) {
  const cr_overlap* overlap = search->overlap;
  v3 u = overlap->u[held], w = find_piece(overlap, n, held);
  bool round = false;
  for (int j = 0; j < overlap->num_discs; j++)
    round = round || v3_norm2(v3_cross(u, overlap->z[j])) > 0;
  if (!round)
    n = cr_across(w, u, n);
  else if (!newton(search, w, &u, &n))
    return;
  try_direction(search, cr_across(n, u, n));
}

/* A segment other than `held` whose sign at n is noise, or -1. */
static int find_ambiguous(const cr_overlap* overlap, v3 n, int held) {
  for (int i = 0; i < overlap->num_segments; i++)
    if (i != held && fabs(v3_dot(n, overlap->u[i])) < AMBIGUOUS) return i;
  return -1;
}

/* From where other kinks cross the circle, both ways. */
static void try_circle(cr_search* search, int held) {
  v3 u = search->overlap->u[held];
  v3 n = cr_across(search->start, u, search->start);
  if (find_ambiguous(search->overlap, n, held) < 0) {
    try_circle_from(search, held, n);
    return;
  }
  v3 tangent = v3_cross(u, n);
  try_circle_from(search, held, v3_axpy(n, 10 * AMBIGUOUS, tangent));
  try_circle_from(search, held, v3_axpy(n, -10 * AMBIGUOUS, tangent));
}

/* From the tip at axis j of two discs, where it is near the start, a step down the slope of the
 * rest. False where the tip is steeper than the rest. */
static bool leave_tip(const cr_search* search, v3 w, int j, v3* n) {
  const cr_overlap* overlap = search->overlap;
  v3 tip = overlap->z[j], z = overlap->z[1 - j];
  if (v3_dot(tip, search->start) < 0) tip = v3_neg(tip);
  if (v3_norm2(v3_sub(tip, search->start)) > search->near * search->near) return false;
  v3 across = v3_axpy(tip, -v3_dot(tip, z), z);
  double sine = v3_norm(across);
  if (sine < 10 * ON_TIP) return false;
  v3 slope = v3_axpy(v3_neg(w), overlap->radius[1 - j] / sine, across);
  slope = v3_axpy(slope, -v3_dot(slope, tip), tip);
  double steep = v3_norm(slope);
  if (!(steep > overlap->radius[j])) return false;
  *n = v3_normalize_or(v3_axpy(tip, -cr_min(0.1 * sine, FIRST_STEP) / steep, slope), tip);
  return true;
}

/* The minimum of one disc's piece: from the point of its rim that is nearest to w. */
static void try_rim(cr_search* search, v3 w) {
  v3 z = search->overlap->z[0], across = v3_axpy(w, -v3_dot(w, z), z);
  double length = v3_norm(across), radius = search->overlap->radius[0];
  if (length > radius)
    try_direction(search, v3_normalize_or(v3_axpy(w, -radius / length, across), z));
}

static void try_sphere_from(cr_search* search, v3 n) {
  const cr_overlap* overlap = search->overlap;
  v3 w = find_piece(overlap, n, -1);
  if (overlap->num_discs == 0) {
    try_direction(search, v3_normalize_or(w, n));
  } else if (overlap->num_discs == 1) {
    try_rim(search, w);
  } else {
    if (newton(search, w, NULL, &n)) try_direction(search, n);
    for (int j = 0; j < 2; j++)
      if (leave_tip(search, w, j, &n) && newton(search, w, NULL, &n)) try_direction(search, n);
  }
}

/* From where kinks cross, into each quarter between them. */
static void try_sphere(cr_search* search) {
  int kink = find_ambiguous(search->overlap, search->start, -1);
  if (kink < 0) {
    try_sphere_from(search, search->start);
    return;
  }
  v3 u = search->overlap->u[kink], across = v3_cross(u, search->start);
  for (int i = 0; i < 4; i++) {
    v3 n = v3_axpy(search->start, (i & 1 ? 10 : -10) * AMBIGUOUS, u);
    try_sphere_from(search, v3_axpy(n, (i & 2 ? 10 : -10) * AMBIGUOUS, across));
  }
}

/* One pass over all sets of kinks near the start; most exact directions first. */
static void try_all(cr_search* search) {
  const cr_overlap* overlap = search->overlap;
  const v3* u = overlap->u;
  int near[6], count = 0;
  for (int i = 0; i < overlap->num_segments; i++) {
    if (fabs(v3_dot(search->start, u[i])) < search->near) near[count++] = i;
    if (v3_norm2(v3_cross(search->start, u[i])) < search->near * search->near)
      try_direction(search, u[i]);
  }
  for (int i = 0; i < count; i++) {
    for (int k = i + 1; k < count; k++) {
      v3 across = v3_cross(u[near[i]], u[near[k]]);
      double sine = v3_norm(across);
      if (sine > 1e-9) try_direction(search, v3_scale(1 / sine, across));
    }
  }
  for (int i = 0; i < count; i++) try_circle(search, near[i]);
  try_sphere(search);
}

/* True when n lies on no other side of any kink than the start did: it is then a minimum of the
 * piece that it was sought on, and all pieces at hand were tried. */
static bool has_same_signs(const cr_overlap* overlap, v3 start, v3 n) {
  for (int i = 0; i < overlap->num_segments; i++) {
    double before = v3_dot(start, overlap->u[i]), after = v3_dot(n, overlap->u[i]);
    if (fabs(before) > AMBIGUOUS && fabs(after) > AMBIGUOUS && before * after < 0) return false;
  }
  return true;
}

double cr_overlap_refine(const cr_overlap* overlap, double sine, v3* n) {
  cr_search search = {.overlap = overlap, .near = sine, .best = *n};
  search.least = cr_overlap_compute(overlap, *n) + 2 * overlap->tolerance;
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    search.start = search.best;
    try_all(&search);
    if (has_same_signs(overlap, search.start, search.best)) break;
  }
  *n = search.best;
  return cr_overlap_compute(overlap, *n);
}
