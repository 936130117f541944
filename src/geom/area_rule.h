/* What a rule of geom/area.h is made from, for its derivative. */
#ifndef CR_GEOM_AREA_RULE_H
#define CR_GEOM_AREA_RULE_H

#include "geom/area.h"
#include "math/scalar.h"

#include <math.h>

/* About the center. */
typedef struct cr_area_frame {
  int count;
  int is_slender;
  double d[CR_AREA_CORNERS][2]; /* m */
  double share[CR_AREA_CORNERS];
  double first[2], second[3], mean; /* of the corners with their shares */
  const cr_area_moments* moments;
} cr_area_frame;

/* Numbers of points on two rings, and how far off is what moment they bear, by how slender the area
 * is: the smaller over the larger radius of gyration up to 0.15, 0.35, 0.6, 0.85 and 1. */
typedef struct cr_area_tier {
  int outer, inner;
  double error[5];
} cr_area_tier;

/* The rings that corners of the weight w leave. */
typedef struct cr_area_rings {
  double w, center[2]; /* of the corners; m, about the area's */
  double L[3];         /* m: xx, xy, yy */
  double turn[2];      /* unit, towards the first corner; of slender areas beside the long axis */
  double radius[2];
} cr_area_rings;

static inline double cr_area_cross(const double* p, const double* q) {
  return p[0] * q[1] - p[1] * q[0];
}
static inline int cr_area_next(int i, int count) { return i + 1 < count ? i + 1 : 0; }
static inline double cr_area_length(const double* p) { return scalar_norm2(p[0], p[1]); }

/* What a corner counts, twice the triangle of the middle of all corners and a side. */
static inline double cr_area_corner_triangle(const double* p, const double* q,
                                             const double* middle) {
  return scalar_max(cr_area_cross(p, q) - cr_area_cross(middle, q) + cr_area_cross(middle, p), 0);
}

void cr_area_frame_init(const double (*corner)[2], int count, const cr_area_moments* moments,
                        cr_area_frame* frame);

/* The tier of a rule. */
const cr_area_tier* cr_area_find_tier(const cr_area_rule* rule);

/* False where corners of the weight w leave nothing. */
int cr_area_find_rings(const cr_area_frame* frame, const cr_area_tier* tier, double w,
                       cr_area_rings* rings);

/* The points of ring 0 or 1, about the area's center. */
typedef struct cr_area_ring {
  int count, step;
  const double (*part)[2];  /* every step-th is one's */
  double map[2][2], weight; /* m, of a unit vector; of each point */
} cr_area_ring;

cr_area_ring cr_area_find_ring(const cr_area_rings* rings, const cr_area_tier* tier, int k);

static inline void cr_area_place_point(const cr_area_rings* r, const cr_area_ring* of, int i,
                                       double* x) {
  const double* u = of->part[of->step * i];
  for (int k = 0; k < 2; k++) x[k] = r->center[k] + of->map[k][0] * u[0] + of->map[k][1] * u[1];
}

/* How far it is from where other numbers of points are taken, relative. */
double cr_area_find_kink(const cr_area_rule* rule, const cr_area_moments* moments);

/* Moments of a disc whose rim has the corners, evenly spaced. */
void cr_area_measure_disc(const double (*corner)[2], int count, cr_area_moments* moments);

#endif
