/* Quadrature over a convex polygon whose points include its corners.
 *
 * The polygon is a fan of triangles (centroid, p, q) of areas A. With d from the centroid, the
 * second moment of one is A/12 (p pᵀ + q qᵀ + (p + q)(p + q)ᵀ) and its first A/3 (p + q). So
 * points at p and q with the weights a A, at s p and s q with b A, at t (p + q) / 2 with c A and
 * one at the centroid with the rest g have the first moment whatever the numbers (the sum of A (p +
 * q) over a fan about the centroid is zero), and the second for
 *
 *     a + b s² = 1/12,     c t² = 1/3,     2 a + 2 b + c + g = 1.
 *
 * What is left is chosen for the mean distance from the centroid, a number that friction sees in a
 * spin:  (a + b s) D1 + c t D2,  D1 the mean of |p| + |q| over the fan, D2 that of |p + q| / 2.
 * Polygons that are nearly round need g > 0, others b > 0. Triangles and parallelograms, whose
 * corners count alike, have it with corners and points on the way to them alone: with the weights
 * W and V together, V (1 - s²) = 1 - k and V (1 - s) = 1 - m, where k, 1/4 and 1/3, is what the
 * second moments are of those of the corners, and m what the mean distance is of theirs. A line is
 * the same with k = 1/3 and m = 1/2: Simpson's rule of 3/8. */
#include "geom/area.h"

#include <math.h>
#include <stdbool.h>

#define THINNEST 1e-3 /* of the length: the height of a polygon */
#define PARALLEL 1e-6 /* of the length: what the corners of a parallelogram may be off by */
#define INNER    0.4  /* s, where points on the way to corners are in a fan */

/* What a rule depends on. */
typedef struct cr_fan {
  int count;
  double d[CR_AREA_CORNERS][2]; /* m, from the centroid */
  double area[CR_AREA_CORNERS]; /* share of the triangle from corner i on */
  double corner, side;          /* m, D1 and D2 */
  double mean;                  /* m, mean distance */
} cr_fan;

static double cross(const double* p, const double* q) { return p[0] * q[1] - p[1] * q[0]; }
static int next(int i, int count) { return i + 1 < count ? i + 1 : 0; }

/* Integral of r over the triangle of a point and a side at distance h, from the foot of the
 * perpendicular to u: h/6 (u r + h² asinh(u / |h|)). Negative beyond the side. */
static double integrate_r(double h, double u) {
  return h != 0 ? h / 6 * (u * hypot(h, u) + h * h * asinh(u / fabs(h))) : 0;
}

double cr_area_find_mean_distance(const double (*corner)[2], int count, const double* from) {
  double sum = 0, area = 0;
  for (int i = 0; i < count; i++) {
    int k = next(i, count);
    const double p[2] = {corner[i][0] - from[0], corner[i][1] - from[1]};
    const double e[2] = {corner[k][0] - corner[i][0], corner[k][1] - corner[i][1]};
    double length = hypot(e[0], e[1]);
    if (!(length > 0)) continue;
    double h = cross(p, e) / length, u = (p[0] * e[0] + p[1] * e[1]) / length;
    sum += integrate_r(h, u + length) - integrate_r(h, u);
    area += h * length / 2;
  }
  return area > 0 ? sum / area : 0;
}

/* Shares of the corners in the centroid, from the fan about the first one, and the area. */
static double find_centroid(const double (*corner)[2], int count, double* share) {
  double sum = 0;
  for (int i = 0; i < count; i++) share[i] = 0;
  for (int i = 1; i + 1 < count; i++) {
    const double p[2] = {corner[i][0] - corner[0][0], corner[i][1] - corner[0][1]};
    const double q[2] = {corner[i + 1][0] - corner[0][0], corner[i + 1][1] - corner[0][1]};
    double area = cross(p, q) / 2;
    sum += area;
    share[0] += area / 3, share[i] += area / 3, share[i + 1] += area / 3;
  }
  for (int i = 0; i < count && sum > 0; i++) share[i] /= sum;
  return sum;
}

static void init_fan(const double (*corner)[2], int count, const double* share, cr_fan* fan) {
  double center[2] = {0, 0}, sum = 0;
  fan->count = count;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) center[k] += share[i] * corner[i][k];
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) fan->d[i][k] = corner[i][k] - center[k];
  for (int i = 0; i < count; i++)
    sum += fan->area[i] = fmax(cross(fan->d[i], fan->d[next(i, count)]) / 2, 0);
  fan->corner = fan->side = 0;
  for (int i = 0; i < count; i++) {
    const double *p = fan->d[i], *q = fan->d[next(i, count)];
    fan->area[i] /= sum;
    fan->corner += fan->area[i] * (hypot(p[0], p[1]) + hypot(q[0], q[1]));
    fan->side += fan->area[i] * hypot(p[0] + q[0], p[1] + q[1]) / 2;
  }
  fan->mean = cr_area_find_mean_distance(corner, count, center);
}

static void add_point(cr_area_rule* rule, int first, int second, double reach, double weight) {
  if (weight > 0) rule->point[rule->count++] = (cr_area_point){first, second, reach, weight};
}

/* Corners and points on the way to them that count alike. */
static void make_alike(int count, double k, double m, cr_area_rule* rule) {
  double s = (1 - k) / (1 - m) - 1, inner = (1 - m) / (1 - s) / count;
  rule->count = 0;
  rule->error = 0;
  for (int i = 0; i < count; i++) add_point(rule, i, i, 1, 1.0 / count - inner);
  for (int i = 0; i < count; i++) add_point(rule, i, i, s, inner);
}

/* The rule of a fan with the numbers b and t. */
static void make_fan(const cr_fan* fan, double b, double t, cr_area_rule* rule) {
  int n = fan->count;
  double a = 1.0 / 12 - b * INNER * INNER, c = 1 / (3 * t * t), rest = 1 - 2 * a - 2 * b - c;
  rule->count = 0;
  for (int i = 0; i < n; i++) {
    double both = fan->area[i] + fan->area[i > 0 ? i - 1 : n - 1];
    add_point(rule, i, i, 1, a * both);
  }
  for (int i = 0; i < n; i++) {
    double both = fan->area[i] + fan->area[i > 0 ? i - 1 : n - 1];
    add_point(rule, i, i, INNER, b * both);
  }
  for (int i = 0; i < n; i++) add_point(rule, i, next(i, n), t, c * fan->area[i]);
  if (rest > 1e-12) add_point(rule, 0, 0, 0, rest);
  double mean = (a + b * INNER) * fan->corner + c * t * fan->side;
  rule->error = fabs(mean / fan->mean - 1);
}

/* b for a t, with nothing at the centroid. */
static double find_inner(double t) { return (5.0 / 12 - 1 / (6 * t * t)) / (1 - INNER * INNER); }

/* The least t in [t0, 1] for which the mean distance is right, by bisection; 1 where there is none:
 * it grows with t where corners are far, compared with sides. */
static double find_reach(const cr_fan* fan, double t0) {
  double low = t0, high = 1;
  for (int k = 0; k < 50; k++) {
    double t = (low + high) / 2, b = find_inner(t);
    double a = 1.0 / 12 - b * INNER * INNER;
    bool is_far = (a + b * INNER) * fan->corner + fan->side / (3 * t) < fan->mean;
    *(is_far ? &low : &high) = t;
  }
  return high;
}

static void choose_fan(const cr_fan* fan, double error, cr_area_rule* rule) {
  double t0 = sqrt(0.4), over = fan->corner / 12 + fan->side / (3 * t0) - fan->mean;
  make_fan(fan, 0, t0, rule);
  if (rule->error <= error) return;
  if (over > 0) {
    make_fan(fan, 0, fan->side / (3 * (fan->mean - fan->corner / 12)), rule);
  } else {
    double t = find_reach(fan, t0);
    make_fan(fan, find_inner(t), t, rule);
  }
}

/* Whether the diagonals halve each other. */
static bool is_parallelogram(const cr_fan* fan, double length) {
  for (int k = 0; k < 2; k++)
    if (fabs(fan->d[0][k] + fan->d[2][k] - fan->d[1][k] - fan->d[3][k]) > PARALLEL * length)
      return false;
  return true;
}

/* The largest distance between corners. */
static double find_length(const double (*corner)[2], int count) {
  double length = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++)
      length = fmax(length, hypot(corner[i][0] - corner[k][0], corner[i][1] - corner[k][1]));
  return length;
}

int cr_area_make_polygon(const double (*corner)[2], int count, double error, cr_area_rule* rule) {
  double length = find_length(corner, count);
  if (count < 2 || !(length > 0)) return false;
  if (count == 2) {
    rule->centroid[0] = rule->centroid[1] = 0.5;
    make_alike(2, 1.0 / 3, 0.5, rule);
    rule->area = 0;
    return true;
  }
  double area = find_centroid(corner, count, rule->centroid);
  if (!(area > THINNEST * length * length)) return false;
  cr_fan fan;
  init_fan(corner, count, rule->centroid, &fan);
  bool is_alike = count == 3 || (count == 4 && is_parallelogram(&fan, length));
  double far = 0;
  for (int i = 0; i < count; i++) far += hypot(fan.d[i][0], fan.d[i][1]) / count;
  if (is_alike)
    make_alike(count, count == 3 ? 1.0 / 4 : 1.0 / 3, fan.mean / far, rule);
  else
    choose_fan(&fan, error, rule);
  rule->area = area;
  return true;
}

/* On the rim together 1/3, half way, turned by half a step, 2/3: area, R²/2 and 2 R / 3. */
void cr_area_make_disc(double radius, cr_area_rule* rule) {
  double half = 1 / sqrt(3); /* of the way to the middle of a side of the hexagon */
  rule->count = 0;
  rule->area = M_PI * radius * radius;
  rule->error = 0;
  for (int i = 0; i < CR_AREA_CORNERS; i++) rule->centroid[i] = i < 6 ? 1.0 / 6 : 0;
  for (int i = 0; i < 6; i++) add_point(rule, i, i, 1, 1.0 / 18);
  for (int i = 0; i < 6; i++) add_point(rule, i, next(i, 6), half, 1.0 / 9);
}
