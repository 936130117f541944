/* The area over which two faces touch as few points with weights. */
#ifndef CR_GEOM_AREA_H
#define CR_GEOM_AREA_H

#include <stdbool.h>

/* Corners of an outline, points of two rings within, and points of a rule, at most. */
#define CR_AREA_CORNERS 8
#define CR_AREA_OUTER   8
#define CR_AREA_INNER   4
#define CR_AREA_POINTS  (CR_AREA_CORNERS + CR_AREA_OUTER + CR_AREA_INNER)

/* What a rule reproduces of an area, which may have holes. */
typedef struct cr_area_moments {
  double area;      /* m² */
  double center[2]; /* m */
  double second[3]; /* m², about the center, over the area: xx, xy, yy */
  double mean;      /* m, mean distance from the center */
} cr_area_moments;

typedef struct cr_area_point {
  double x[2];   /* m */
  double weight; /* share of the area, positive */
  int corner;    /* of the outline; -1: a point within */
} cr_area_point;

/* Points whose weights sum to one. The corners come first. */
typedef struct cr_area_rule {
  int count;
  cr_area_point point[CR_AREA_POINTS];
  double area;   /* m²; 0 of a line */
  double spin;   /* relative error of the mean distance from the center: of the moment of friction
                    under uniform pressure in pure spin */
  bool is_exact; /* it is right: the weight of the corners follows from it, and is no bound */
  double error; /* of the same in turning about any point, at most: by how much the limit surface is
                   off. Measured over many areas for the number of points (docs/geometry.md) */
} cr_area_rule;

/* Of a convex polygon, corners anticlockwise.
 * @return whether it has an area: more than a thousandth of its length squared */
int cr_area_measure_polygon(const double (*corner)[2], int count, cr_area_moments* moments);

/* What is summed up over convex polygons that lie beside each other, twice: first to find the
 * center and then, about it, the mean distance. All zero to begin with. */
typedef struct cr_area_sums {
  int count;        /* of polygons */
  double from[2];   /* m: what moments are about */
  double sum[6];    /* m² to m⁴: area, first and second moments */
  bool has_center;  /* the first time is over */
  double center[2]; /* m */
  double distances; /* m³ */
} cr_area_sums;

/* Adds a convex polygon, corners anticlockwise. */
void cr_area_add(cr_area_sums* sums, const double (*corner)[2], int count);

/* Ends the first time. @return whether there is an area */
int cr_area_find_center(cr_area_sums* sums);

/* Ends the second time. */
void cr_area_find_moments(const cr_area_sums* sums, cr_area_moments* moments);

/* A rule for an area that has the corners of a convex polygon as its extreme points. Area, center
 * and second moments are exact, the mean distance is to `spin`, and every corner is a point.
 * @param corner m, x and y of each, anticlockwise, 3 to CR_AREA_CORNERS of them
 * @param error relative, of the moment in turning about any point, up to which fewer points will do
 * @return whether there is a rule: not where the corners leave nothing of the moments */
int cr_area_make(const double (*corner)[2], int count, const cr_area_moments* moments, double error,
                 cr_area_rule* rule);

/* The same of a convex polygon; two corners: a line.
 * @return whether there is a rule: not of what has no length, or is thinner than a thousandth of it
 *         but no line */
int cr_area_make_polygon(const double (*corner)[2], int count, double error, cr_area_rule* rule);

/* The same of a disc; the corners are points of its rim, evenly spaced. */
int cr_area_make_disc(const double (*corner)[2], int count, double error, cr_area_rule* rule);

/* Mean distance of a convex polygon from a point. */
double cr_area_find_mean_distance(const double (*corner)[2], int count, const double* from);

#endif
