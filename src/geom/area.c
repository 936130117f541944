/* Quadrature over an area of which the extreme points, area, center c, second moments C and the
 * mean distance m from the center are known.
 *
 * The corners x_i have the weights w s_i, with the share s_i of the triangles (center, corner, next
 * one) beside them. What is left, 1 - w, stands on one or two rings of points
 *
 *     c' + r L u_k,   u_k evenly spaced unit vectors,
 *
 * with the center c' and second moments L² that the corners leave:
 *
 *     (1 - w) (c' - c) = -w Σ s_i (x_i - c),
 *     (1 - w) (L² + (c' - c)(c' - c)ᵀ) = C - w Σ s_i (x_i - c)(x_i - c)ᵀ.
 *
 * A ring of three points or more with equal weights has the second moments r²/2 L², so that one has
 * r = √2 and two of the weights 1 - f and f have (1 - f) r² + f q² = 2. So area, center and second
 * moments are right whatever w. It is chosen for the mean distance: spread out to the corners what
 * has the same second moments is nearer to the center on the mean (Illinois' method, the error
 * falls with w). Odd rings see a slender area as it is whichever way they are turned: of an even
 * one points come to lie above each other.
 *
 * By how much friction's moment is off where the area turns about other points than its center is
 * what was found for random convex polygons and holes in discs, rounded up (tests: geom.area). */
#include "geom/area.h"

#include <math.h>

#define THINNEST    1e-3 /* of the length: the height of a polygon */
#define LEAST       0.02 /* weight of the corners together */
#define UNFIT       1    /* no error of a tier: not for such areas */
#define USUAL       0.25
#define MOST        0.7
#define SPIN        1e-3 /* error of the mean distance with which a rule will do, */
#define EXACT       1e-6 /* and at which it is right */
#define RING_SHARE  0.2  /* f, of the inner one of two rings, */
#define RING_RADIUS 0.5  /* and its q */

static double cross(const double* p, const double* q) { return p[0] * q[1] - p[1] * q[0]; }
static int next(int i, int count) { return i + 1 < count ? i + 1 : 0; }
static double length_of(const double* p) { return sqrt(p[0] * p[0] + p[1] * p[1]); }

/* --- Moments ------------------------------------------------------------------------------------
 */

/* Integral of r over the triangle of a point and a side at distance h, from the foot of the
 * perpendicular to u: h/6 (u r + h² asinh(u / |h|)). Negative beyond the side. */
static double integrate_r(double h, double u) {
  return h != 0 ? h / 6 * (u * hypot(h, u) + h * h * asinh(u / fabs(h))) : 0;
}

/* Adds ∫ r and the area of a polygon. */
static void add_distances(const double (*corner)[2], int count, const double* from, double* sum,
                          double* area) {
  for (int i = 0; i < count; i++) {
    int k = next(i, count);
    const double p[2] = {corner[i][0] - from[0], corner[i][1] - from[1]};
    const double e[2] = {corner[k][0] - corner[i][0], corner[k][1] - corner[i][1]};
    double length = hypot(e[0], e[1]);
    if (!(length > 0)) continue;
    double h = cross(p, e) / length, u = (p[0] * e[0] + p[1] * e[1]) / length;
    *sum += integrate_r(h, u + length) - integrate_r(h, u);
    *area += h * length / 2;
  }
}

double cr_area_find_mean_distance(const double (*corner)[2], int count, const double* from) {
  double sum = 0, area = 0;
  add_distances(corner, count, from, &sum, &area);
  return area > 0 ? sum / area : 0;
}

/* Area, first moments, second moments xx, xy, yy. */
static void add_triangle(const double* a, const double* b, const double* c, double sum[6]) {
  const double p[2] = {b[0] - a[0], b[1] - a[1]}, q[2] = {c[0] - a[0], c[1] - a[1]};
  double area = cross(p, q) / 2;
  const double total[2] = {a[0] + b[0] + c[0], a[1] + b[1] + c[1]};
  sum[0] += area;
  for (int k = 0; k < 2; k++) sum[1 + k] += area / 3 * total[k];
  for (int k = 0, at = 3; k < 2; k++)
    for (int l = k; l < 2; l++)
      sum[at++] += area / 12 * (total[k] * total[l] + a[k] * a[l] + b[k] * b[l] + c[k] * c[l]);
}

void cr_area_add(cr_area_sums* s, const double (*corner)[2], int count) {
  double x[3][2], area = 0;
  if (s->has_center) {
    add_distances(corner, count, s->center, &s->distances, &area);
    return;
  }
  if (s->count++ == 0)
    for (int k = 0; k < 2; k++) s->from[k] = corner[0][k];
  for (int i = 1; i + 1 < count; i++) {
    for (int k = 0; k < 2; k++) {
      x[0][k] = corner[0][k] - s->from[k];
      x[1][k] = corner[i][k] - s->from[k];
      x[2][k] = corner[i + 1][k] - s->from[k];
    }
    add_triangle(x[0], x[1], x[2], s->sum);
  }
}

int cr_area_find_center(cr_area_sums* s) {
  if (!(s->sum[0] > 0)) return false;
  for (int k = 0; k < 2; k++) s->center[k] = s->from[k] + s->sum[1 + k] / s->sum[0];
  s->has_center = true;
  return true;
}

void cr_area_find_moments(const cr_area_sums* s, cr_area_moments* moments) {
  moments->area = s->sum[0];
  for (int k = 0, at = 0; k < 2; k++) {
    moments->center[k] = s->center[k];
    for (int l = k; l < 2; l++, at++)
      moments->second[at] =
          (s->sum[3 + at] - s->sum[1 + k] * s->sum[1 + l] / s->sum[0]) / s->sum[0];
  }
  moments->mean = s->distances / s->sum[0];
}

/* The largest distance between corners. */
static double find_length(const double (*corner)[2], int count) {
  double length2 = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++) {
      const double d[2] = {corner[i][0] - corner[k][0], corner[i][1] - corner[k][1]};
      length2 = fmax(length2, d[0] * d[0] + d[1] * d[1]);
    }
  return sqrt(length2);
}

int cr_area_measure_polygon(const double (*corner)[2], int count, cr_area_moments* moments) {
  cr_area_sums sums = {.count = 0};
  double length = find_length(corner, count);
  cr_area_add(&sums, corner, count);
  if (!(sums.sum[0] > THINNEST * length * length) || !cr_area_find_center(&sums)) return false;
  cr_area_add(&sums, corner, count);
  cr_area_find_moments(&sums, moments);
  return true;
}

/* --- Rules --------------------------------------------------------------------------------------
 */

/* What a rule is made from, about the center. */
typedef struct frame {
  int count;
  double d[CR_AREA_CORNERS][2]; /* m */
  double share[CR_AREA_CORNERS];
  double first[2], second[3], mean; /* of the corners with their shares */
  const cr_area_moments* moments;
} frame;

/* Numbers of points on two rings, and how far off is what moment they bear, by how slender the area
 * is: the smaller over the larger radius of gyration up to 0.15, 0.35, 0.6, 0.85 and 1. */
typedef struct tier {
  int outer, inner;
  double error[5];
} tier;
static const tier tiers[] = {
    {3, 0, {UNFIT, UNFIT, UNFIT, UNFIT, 0.1}},  {4, 0, {0.13, 0.108, 0.092, 0.082, 0.075}},
    {6, 0, {0.1, 0.088, 0.065, 0.058, 0.052}},  {8, 0, {0.1, 0.07, 0.055, 0.047, 0.045}},
    {6, 4, {0.09, 0.068, 0.056, 0.046, 0.033}}, {8, 4, {0.1, 0.084, 0.043, 0.035, 0.025}},
};
enum { NUM_TIERS = sizeof tiers / sizeof *tiers };

/* The same of lines, by the number of points within. */
static const double line_errors[] = {0.09, 0.034, 0.019, 0.011};

static int find_class(const double* C) {
  double mean = (C[0] + C[2]) / 2, half = hypot((C[0] - C[2]) / 2, C[1]);
  double ratio = sqrt(fmax(mean - half, 0) / (mean + half));
  return (ratio > 0.15) + (ratio > 0.35) + (ratio > 0.6) + (ratio > 0.85);
}

/* Corners count by the triangles beside them, as seen from the middle of their own polygon. */
static void init_frame(const double (*corner)[2], int count, const cr_area_moments* moments,
                       frame* f) {
  double middle[2] = {0, 0}, share[CR_AREA_CORNERS], sum = 0;
  *f = (frame){.count = count, .moments = moments};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) {
      middle[k] += corner[i][k] / count;
      f->d[i][k] = corner[i][k] - moments->center[k];
    }
  for (int k = 0; k < 2; k++) middle[k] -= moments->center[k];
  for (int i = 0; i < count; i++) {
    const double *p = f->d[i], *q = f->d[next(i, count)];
    sum += share[i] = fmax(cross(p, q) - cross(middle, q) + cross(middle, p), 0);
  }
  for (int i = 0; i < count; i++) {
    double s = f->share[i] = (share[i] + share[i > 0 ? i - 1 : count - 1]) / (2 * sum);
    f->mean += s * length_of(f->d[i]);
    for (int k = 0, at = 0; k < 2; k++) {
      f->first[k] += s * f->d[i][k];
      for (int l = k; l < 2; l++) f->second[at++] += s * f->d[i][k] * f->d[i][l];
    }
  }
}

/* The rings that corners of the weight w leave. */
typedef struct rings {
  double w, center[2]; /* of the corners; m, about the area's */
  double L[3];         /* m: xx, xy, yy */
  double turn[2];      /* unit, towards the first corner */
  double radius[2];
} rings;

/* The root of a symmetric matrix, (M + √det 1) / √(trace + 2 √det). False where it has none. */
static bool find_root(const double* M, double* L) {
  double det = M[0] * M[2] - M[1] * M[1], trace = M[0] + M[2];
  if (!(trace > 0) || !(det > 1e-18 * trace * trace)) return false;
  double s = sqrt(det), t = sqrt(trace + 2 * s);
  L[0] = (M[0] + s) / t, L[1] = M[1] / t, L[2] = (M[2] + s) / t;
  return true;
}

static bool find_rings(const frame* f, const tier* t, double w, rings* r) {
  double M[3], left = 1 - w;
  r->w = w;
  for (int k = 0; k < 2; k++) r->center[k] = -w * f->first[k] / left;
  for (int k = 0, at = 0; k < 2; k++)
    for (int l = k; l < 2; l++, at++)
      M[at] = (f->moments->second[at] - w * f->second[at]) / left - r->center[k] * r->center[l];
  if (!find_root(M, r->L)) return false;
  double share = t->inner ? RING_SHARE : 0;
  r->radius[1] = RING_RADIUS;
  r->radius[0] = sqrt((2 - share * RING_RADIUS * RING_RADIUS) / (1 - share));
  const double* d = f->d[0];
  double u[2] = {r->L[2] * d[0] - r->L[1] * d[1], r->L[0] * d[1] - r->L[1] * d[0]};
  double size = length_of(u);
  for (int k = 0; k < 2; k++) r->turn[k] = size > 0 ? u[k] / size : k == 0;
  return true;
}

/* Cosines and sines of the parts of a turn. */
#define HALF_ROOT3 0.8660254037844386
#define HALF_ROOT2 0.7071067811865476
static const double third[3][2] = {{1, 0}, {-0.5, HALF_ROOT3}, {-0.5, -HALF_ROOT3}};
static const double sixth[6][2] = {{1, 0},  {0.5, HALF_ROOT3},   {-0.5, HALF_ROOT3},
                                   {-1, 0}, {-0.5, -HALF_ROOT3}, {0.5, -HALF_ROOT3}};
static const double eighth[8][2] = {
    {1, 0},  {HALF_ROOT2, HALF_ROOT2},   {0, 1},  {-HALF_ROOT2, HALF_ROOT2},
    {-1, 0}, {-HALF_ROOT2, -HALF_ROOT2}, {0, -1}, {HALF_ROOT2, -HALF_ROOT2}};

static const double* find_part(int count, int i) {
  return count == 3 ? third[i] : count == 6 ? sixth[i] : eighth[(8 / count) * i];
}

/* A point of ring 0 or 1, about the area's center. */
static void place_point(const rings* r, const tier* t, int ring, int i, double* x) {
  int count = ring ? t->inner : t->outer;
  const double* part = find_part(count, i);
  double u = r->radius[ring] * (r->turn[0] * part[0] - r->turn[1] * part[1]);
  double v = r->radius[ring] * (r->turn[1] * part[0] + r->turn[0] * part[1]);
  x[0] = r->center[0] + r->L[0] * u + r->L[1] * v;
  x[1] = r->center[1] + r->L[1] * u + r->L[2] * v;
}

static double find_weight(const rings* r, const tier* t, int ring) {
  double inner = t->inner ? RING_SHARE : 0;
  return (1 - r->w) * (ring ? inner / t->inner : (1 - inner) / t->outer);
}

/* How much larger the mean distance of a rule is, relative; -1 where there is none. */
static double compare(const frame* f, const tier* t, double w, rings* r) {
  if (!find_rings(f, t, w, r)) return -1;
  double sum = w * f->mean, x[2];
  for (int ring = 0; ring < 2; ring++)
    for (int i = 0; i < (ring ? t->inner : t->outer); i++) {
      place_point(r, t, ring, i, x);
      sum += find_weight(r, t, ring) * length_of(x);
    }
  return sum / f->moments->mean - 1;
}

/* The weight of the corners for which the mean distance is right, else the nearest. @return the
 * error that is left */
static double choose_weight(const frame* f, const tier* t, rings* r) {
  double low = LEAST, high = USUAL, at_low = compare(f, t, low, r);
  if (!(at_low > 0)) return -at_low;
  double at_high = compare(f, t, high, r), error = at_high;
  if (at_high > 0) low = high, at_low = at_high, high = MOST, at_high = compare(f, t, high, r);
  for (int i = 0, side = 0; i < 60 && fabs(error) > EXACT; i++) {
    double w =
        at_high <= -1 ? (low + high) / 2 : (low * at_high - high * at_low) / (at_high - at_low);
    error = compare(f, t, w, r);
    if (error > 0) {
      low = w, at_low = error;
      if (side > 0 && at_high > -1) at_high /= 2;
      side = 1;
    } else {
      high = w, at_high = error;
      if (side < 0) at_low /= 2;
      side = -1;
    }
  }
  if (error <= -1) error = compare(f, t, low, r);
  return fabs(error);
}

static void add_point(cr_area_rule* rule, const double* center, const double* x, double weight,
                      int corner) {
  cr_area_point* point = &rule->point[rule->count++];
  *point = (cr_area_point){{center[0] + x[0], center[1] + x[1]}, weight, corner};
}

static void enter_rings(const frame* f, const tier* t, const rings* r, cr_area_rule* rule) {
  const double* center = f->moments->center;
  double x[2];
  rule->count = 0;
  for (int i = 0; i < f->count; i++) add_point(rule, center, f->d[i], r->w * f->share[i], i);
  for (int ring = 0; ring < 2; ring++)
    for (int i = 0; i < (ring ? t->inner : t->outer); i++) {
      place_point(r, t, ring, i, x);
      add_point(rule, center, x, find_weight(r, t, ring), -1);
    }
}

int cr_area_make(const double (*corner)[2], int count, const cr_area_moments* moments, double error,
                 cr_area_rule* rule) {
  frame f;
  rings r, best = {.w = 0};
  init_frame(corner, count, moments, &f);
  int slender = find_class(moments->second), chosen = -1, first = 0;
  while (first < NUM_TIERS - 1 && tiers[first].error[slender] > error) first++;
  rule->spin = 1;
  /* What has its area far from the center, as a ring does, has no points there: fewer rings. */
  for (int k = 0; k < NUM_TIERS && !(rule->spin < SPIN); k++) {
    int i = k <= first ? first - k : k;
    if (tiers[i].error[slender] >= UNFIT) continue;
    double spin = choose_weight(&f, &tiers[i], &r);
    if (spin < rule->spin) rule->spin = spin, best = r, chosen = i;
  }
  if (chosen < 0) return false;
  enter_rings(&f, &tiers[chosen], &best, rule);
  rule->area = moments->area;
  rule->error = fmax(tiers[chosen].error[slender], rule->spin);
  return true;
}

/* Corners with 1 / (2 (n + 2)) each, and n points with the rest, evenly spaced over n / (n + 1) of
 * the length as the middles of n parts are: length, second moment and mean distance are right for n
 * even; for n = 2 it is Simpson's rule of 3/8. */
static void make_line(const double (*corner)[2], double error, cr_area_rule* rule) {
  int chosen = 0, last = sizeof line_errors / sizeof *line_errors - 1;
  while (chosen < last && line_errors[chosen] > error) chosen++;
  int n = 2 * (chosen + 1);
  double w = 1.0 / (n + 2);
  const double middle[2] = {(corner[0][0] + corner[1][0]) / 2, (corner[0][1] + corner[1][1]) / 2};
  const double half[2] = {corner[1][0] - middle[0], corner[1][1] - middle[1]};
  rule->count = 0;
  for (int i = 0; i < 2; i++)
    add_point(rule, middle, (double[]){(2 * i - 1) * half[0], (2 * i - 1) * half[1]}, w / 2, i);
  for (int i = 0; i < n; i++) {
    double s = (2 * i + 1 - n) / (n + 1.0);
    add_point(rule, middle, (double[]){s * half[0], s * half[1]}, (1 - w) / n, -1);
  }
  rule->area = rule->spin = 0;
  rule->error = line_errors[chosen];
}

int cr_area_make_polygon(const double (*corner)[2], int count, double error, cr_area_rule* rule) {
  if (count < 2 || !(find_length(corner, count) > 0)) return false;
  if (count == 2) {
    make_line(corner, error, rule);
    return true;
  }
  cr_area_moments moments;
  if (!cr_area_measure_polygon(corner, count, &moments)) return false;
  return cr_area_make(corner, count, &moments, error, rule);
}

int cr_area_make_disc(const double (*corner)[2], int count, double error, cr_area_rule* rule) {
  cr_area_moments moments = {.center = {0, 0}};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) moments.center[k] += corner[i][k] / count;
  double R = hypot(corner[0][0] - moments.center[0], corner[0][1] - moments.center[1]);
  moments.area = M_PI * R * R;
  moments.second[0] = moments.second[2] = R * R / 4, moments.second[1] = 0;
  moments.mean = 2 * R / 3;
  return cr_area_make(corner, count, &moments, error, rule);
}
