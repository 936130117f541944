/* The area over which two faces touch as few points with weights. */
#ifndef CR_GEOM_AREA_H
#define CR_GEOM_AREA_H

/* Corners of a polygon, and points of a rule, at most. */
#define CR_AREA_CORNERS 8
#define CR_AREA_POINTS  (3 * CR_AREA_CORNERS)

/* A point on the way from the centroid to a corner (first = second) or to the middle of a side. */
typedef struct cr_area_point {
  int first, second; /* of the corners */
  double reach;      /* share of that way: 1 at the corner, 0 at the centroid */
  double weight;     /* share of the area, positive */
} cr_area_point;

/* Points whose weights sum to one. The corners come first. */
typedef struct cr_area_rule {
  double centroid[CR_AREA_CORNERS]; /* shares of the corners that make the centroid */
  int count;
  cr_area_point point[CR_AREA_POINTS];
  double area;  /* m²; 0 of a line */
  double error; /* of the mean distance from the centroid, relative: of the moment of friction under
                   uniform pressure in pure spin */
} cr_area_rule;

/* Of a convex polygon, corners anticlockwise, at most CR_AREA_CORNERS of them. Two corners: a line.
 * Area, centroid and second moments are those of the polygon, and every corner is a point.
 * @param corner m, x and y of each
 * @param error relative, of the mean distance from the centroid, up to which fewer points will do;
 *        rule->error may be larger where the polygon is slender and no parallelogram
 * @return whether there is a rule: not of what has no length, or is thinner than a thousandth of it
 *         but no line */
int cr_area_make_polygon(const double (*corner)[2], int count, double error, cr_area_rule* rule);

/* Of a disc, twelve points. The corners are six points of its rim, evenly spaced. */
void cr_area_make_disc(double radius, cr_area_rule* rule);

/* Mean distance of a convex polygon from a point. */
double cr_area_find_mean_distance(const double (*corner)[2], int count, const double* from);

#endif
