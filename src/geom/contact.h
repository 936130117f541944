/* What the narrow-phase functions share: the pair as they see it, feature codes, points.
 *
 * A pair is seen from the centre of A, in world axes, so that round-off grows with the shapes and
 * not with their distance from the world's origin. */
#ifndef CR_GEOM_CONTACT_H
#define CR_GEOM_CONTACT_H

#include "geom/collide.h"

/* Sines of the angles by which directions may miss, of flat and of round shapes. */
#define CR_EXACT_ACROSS 1e-6
#define CR_ROUND_ACROSS 1e-4

/* A shape in place. */
typedef struct cr_placed {
  const cr_shape* shape;
  const m3* R;
  v3 center;                /* m, relative to A's */
  const cr_hull_view* view; /* of a polyhedron, what it shows along the contact normal; or null */
  unsigned cut; /* of a triangle's prism: bits of the sides of face 0 that only the cut of a level
                   surface makes */
} cr_placed;

/* What a polyhedron shows along a unit vector, which is the contact normal where its view is known
 * already. */
static inline cr_hull_view cr_placed_look(const cr_placed* placed, v3 out) {
  if (placed->view) return *placed->view;
  return cr_hull_look(placed->shape->hull, m3_tmulv(placed->R, out));
}

typedef struct cr_contact_pair {
  cr_placed a, b;
  double margin;
  double thickness; /* m: of the thinner one */
  double size;      /* m: half extents of the larger one, summed */
  double across;    /* sine between a line and the plane across the normal above which its end alone
                       is nearest: how well the normal is known, with room to spare */
  double tolerance; /* m: differences below it are noise; 1e-12 of the thickness or so */
  struct cr_pair_memory* memory; /* of earlier looks at the pair, or null */
} cr_contact_pair;

/* Numbers of the points of one rim, so that each keeps its name: the deepest point and those spaced
 * evenly from it, then those where the rim crosses another boundary. */
typedef enum cr_rim_point {
  CR_RIM_NONE = 0,
  CR_RIM_DEEPEST = 1, /* + k: the k-th of CR_RIM_POINTS */
  CR_RIM_OTHER = 7,   /* the deepest of the other disc's rim */
  CR_RIM_ENTRY = 8,   /* an edge enters the disc */
  CR_RIM_EXIT,        /* an edge leaves the disc */
  CR_RIM_LEFT,        /* two rims cross */
  CR_RIM_RIGHT,
  CR_RIM_NEAR, /* towards the other disc's centre */
  CR_RIM_FAR,
} cr_rim_point;

/* Part of the pair's thickness within which a point counts as on an edge or corner, and a side as
 * along an edge, so that noise changes neither names nor numbers where edges meet. */
#define CR_FEATURE_WIDTH 1e-6

/* Smaller and larger of two numbers, as one instruction each; not for NaN. */
static inline double cr_min(double a, double b) { return a < b ? a : b; }
static inline double cr_max(double a, double b) { return a > b ? a : b; }

/* x, brought into [-half, half]. */
static inline double cr_clamp(double x, double half) { return cr_max(-half, cr_min(half, x)); }

/* The unit vector across u (unit) nearest to x, which should not be along u; taken twice, because
 * the rounding of a short first result would count for more once it is stretched. `fallback` for
 * none. */
static inline v3 cr_across(v3 x, v3 u, v3 fallback) {
  v3 first = v3_normalize_or(v3_axpy(x, -v3_dot(x, u), u), fallback);
  return v3_normalize_or(v3_axpy(first, -v3_dot(first, u), u), fallback);
}

/* Points around the rim of a cap that lies flat. */
#define CR_RIM_POINTS 6

/* Two planes or lines that enclose a smaller sine than this meet in a patch, not in one point. The
 * patch's distances are honest, so that its far points matter only where they are near. */
#define CR_PATCH_SINE 0.1

/* Adds a point unless it is beyond the margin. Its feature is named after the parts of both shapes
 * on which it lies, and the numbers of points of rims; of two points with one feature the deeper
 * stays, and of more points than fit the deepest. */
void cr_contact_add(const cr_contact_pair* pair, v3 a, v3 b, cr_rim_point rim_a, cr_rim_point rim_b,
                    cr_manifold* manifold);

/* The same with features that are known. */
void cr_contact_add_named(const cr_contact_pair* pair, v3 a, v3 b, uint32_t feature_a,
                          uint32_t feature_b, cr_manifold* manifold);

/* Distance to an edge within which a point counts as on it. */
static inline double cr_contact_width(const cr_contact_pair* pair) {
  return CR_FEATURE_WIDTH * pair->thickness + pair->tolerance;
}

/* -1, 0, 1: at the low end of [-half, half], between, at the high end. */
static inline int cr_interval_side(double x, double half, double width) {
  double inner = half - width;
  return (x >= inner) - (x <= -inner);
}

/* A part of a box by the sides of the three coordinates, one of 27: faces have one that is not
 * zero, edges two, corners three. */
enum { CR_BOX_MIDDLE = 13 };
static inline int cr_box_feature_step(int axis) { return axis == 0 ? 9 : axis == 1 ? 3 : 1; }

/* The feature of a capsule's point from its parameter in [-1, 1] along the axis. */
static inline uint32_t cr_contact_end_feature(double t) {
  return t < 1e-6 - 1 ? 0 : t > 1 - 1e-6 ? 2 : 1;
}

/* Narrow-phase functions: each fills the manifold of a pair whose types stand in the order of
 * carom_geom_type. */
typedef void cr_collide_fn(const cr_contact_pair* pair, cr_manifold* manifold);
cr_collide_fn cr_collide_plane_sphere, cr_collide_plane_capsule, cr_collide_plane_cylinder,
    cr_collide_plane_box, cr_collide_plane_ellipsoid, cr_collide_plane_mesh;
cr_collide_fn cr_collide_sphere_other;
cr_collide_fn cr_collide_capsule_capsule;
cr_collide_fn cr_collide_convex;
cr_collide_fn cr_collide_support;
cr_collide_fn cr_collide_box_box;

/* Direction of the rim point that the pattern starts with: `down` (in the cap's plane, as long as
 * the sine of the tilt) where the cap is tilted, a fixed direction of the world where it is not. */
v3 cr_contact_rim_start(v3 axis, v3 down);

/* What it is along, before it is scaled to a unit. */
v3 cr_contact_rim_lead(v3 axis, v3 down);

/* Direction of the k-th rim point, from the pattern's start and the direction across it. */
v3 cr_contact_rim_direction(int k, v3 start, v3 side);

#endif
