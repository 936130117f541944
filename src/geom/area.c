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
 * has the same second moments is nearer to the center on the mean (the error falls with w; its
 * root is found by secants). Odd rings see a slender area as it is
 * whichever way they are turned: of an even one points come to lie above each other.
 *
 * By how much friction's moment is off where the area turns about other points than its center is
 * what was found for random convex polygons and holes in discs, rounded up (tests: geom.area). */
#include "geom/area_rule.h"
#include "math/scalar.h"

#include <math.h>

#define THINNEST    1e-7 /* of the length: the height of a polygon; thinner ones are lines */
#define LEAST       0.02 /* weight of the corners together */
#define UNFIT       1    /* no error of a tier: not for such areas */
#define MOST        0.7
#define SPIN        1e-3  /* error of the mean distance with which a rule will do, */
#define EXACT       1e-6  /* and at which it is right, */
#define SMOOTH      1e-15 /* product of the last two of them from which a secant leaves nothing */
#define RING_SHARE  0.2   /* f, of the inner one of two rings, */
#define RING_RADIUS 0.5   /* and its q */

#define cross       cr_area_cross
#define next        cr_area_next
#define length_of   cr_area_length

/* --- Moments ------------------------------------------------------------------------------------
 */

/* Adds ∫ r and the area of a polygon: of the triangle of the point and a side of length l at the
 * distance h, between places u0 and u1 along it from the foot of the perpendicular,
 *
 *   ∫ r = h/6 (u1 r1 - u0 r0 + h² log((r0 + r1 + l) / (r0 + r1 - l))),
 *
 * with the distances r of its ends: negative beyond the side. The logarithm is asinh(u1 / h) -
 * asinh(u0 / h). */
static void add_distances(const double (*corner)[2], int count, const double* from, double* sum,
                          double* area) {
  double p[2] = {corner[0][0] - from[0], corner[0][1] - from[1]}, r = length_of(p);
  for (int i = 0; i < count; i++) {
    const double *at = corner[i], *to = corner[next(i, count)];
    const double e[2] = {to[0] - at[0], to[1] - at[1]}, q[2] = {to[0] - from[0], to[1] - from[1]};
    double length = length_of(e), end = length_of(q);
    double h = length > 0 ? cross(p, e) / length : 0, left = r + end - length;
    if (h != 0) {
      double u = (p[0] * e[0] + p[1] * e[1]) / length;
      double round = left > 0 ? h * h * log((r + end + length) / left) : 0;
      *sum += h / 6 * ((u + length) * end - u * r + round);
      *area += h * length / 2;
    }
    p[0] = q[0], p[1] = q[1], r = end;
  }
}

double cr_area_find_mean_distance(const double (*corner)[2], int count, const double* from) {
  double sum = 0, area = 0;
  add_distances(corner, count, from, &sum, &area);
  return area > 0 ? sum / area : 0;
}

/* Area, first moments, second moments xx, xy, yy of the triangle of the origin and a side. */
static inline void add_side(const double* p, const double* q, double sum[6]) {
  const double t[2] = {p[0] + q[0], p[1] + q[1]};
  double area = cross(p, q) / 2, third = area / 3, twelfth = area / 12;
  sum[0] += area;
  for (int k = 0; k < 2; k++) sum[1 + k] += third * t[k];
  for (int k = 0, at = 3; k < 2; k++)
    for (int l = k; l < 2; l++) sum[at++] += twelfth * (t[k] * t[l] + p[k] * p[l] + q[k] * q[l]);
}

void cr_area_add(cr_area_sums* s, const double (*corner)[2], int count) {
  double area = 0;
  if (s->has_center) {
    add_distances(corner, count, s->center, &s->distances, &area);
    return;
  }
  if (s->count++ == 0)
    for (int k = 0; k < 2; k++) s->from[k] = corner[0][k];
  double p[2] = {corner[0][0] - s->from[0], corner[0][1] - s->from[1]};
  for (int i = 0; i < count; i++) {
    const double* to = corner[next(i, count)];
    const double q[2] = {to[0] - s->from[0], to[1] - s->from[1]};
    add_side(p, q, s->sum);
    p[0] = q[0], p[1] = q[1];
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
      length2 = scalar_max(d[0] * d[0] + d[1] * d[1], length2);
    }
  return sqrt(length2);
}

/* Whether an area is more than a thin sliver; no corners are farther apart than the box about them.
 */
static bool is_broad(const double (*corner)[2], int count, double area) {
  double low[2] = {corner[0][0], corner[0][1]}, high[2] = {corner[0][0], corner[0][1]};
  for (int i = 1; i < count; i++)
    for (int k = 0; k < 2; k++) {
      low[k] = scalar_min(corner[i][k], low[k]);
      high[k] = scalar_max(corner[i][k], high[k]);
    }
  const double d[2] = {high[0] - low[0], high[1] - low[1]};
  if (area > THINNEST * (d[0] * d[0] + d[1] * d[1])) return true;
  double length = find_length(corner, count);
  return area > THINNEST * length * length;
}

int cr_area_measure_polygon(const double (*corner)[2], int count, cr_area_moments* moments) {
  cr_area_sums sums = {.count = 0};
  cr_area_add(&sums, corner, count);
  if (!is_broad(corner, count, sums.sum[0]) || !cr_area_find_center(&sums)) return false;
  cr_area_add(&sums, corner, count);
  cr_area_find_moments(&sums, moments);
  return true;
}

/* --- Rules --------------------------------------------------------------------------------------
 */

static const cr_area_tier tiers[] = {
    {3, 0, {UNFIT, UNFIT, UNFIT, UNFIT, 0.1}},   {4, 0, {0.082, 0.09, 0.092, 0.082, 0.075}},
    {6, 0, {0.072, 0.066, 0.065, 0.058, 0.052}}, {8, 0, {0.066, 0.065, 0.055, 0.047, 0.045}},
    {6, 4, {0.066, 0.065, 0.056, 0.046, 0.033}}, {8, 4, {0.066, 0.065, 0.043, 0.035, 0.025}},
};
enum { NUM_TIERS = sizeof tiers / sizeof *tiers };

/* The same of lines, by the number of points within. */
static const double line_errors[] = {0.09, 0.034, 0.019, 0.011};

static const double slenderness[] = {0.15, 0.35, 0.6, 0.85};
enum { NUM_BOUNDS = sizeof slenderness / sizeof *slenderness, SLENDER = 1 };

/* The smaller over the larger radius of gyration. */
static double find_slenderness(const double* C) {
  double mean = (C[0] + C[2]) / 2, half = scalar_norm2((C[0] - C[2]) / 2, C[1]);
  return sqrt(scalar_max(mean - half, 0) / (mean + half));
}

static int find_class(const double* C) {
  double ratio = find_slenderness(C);
  int class = 0;
  while (class < NUM_BOUNDS && ratio > slenderness[class]) class ++;
  return class;
}

double cr_area_find_kink(const cr_area_rule* rule, const cr_area_moments* moments) {
  double ratio = find_slenderness(moments->second), least = INFINITY;
  for (int i = 0; i < NUM_BOUNDS; i++) least = fmin(least, fabs(ratio - slenderness[i]));
  return fmin(least, fabs(rule->spin - SPIN));
}

const cr_area_tier* cr_area_find_tier(const cr_area_rule* rule) {
  int within = 0, k = 0;
  for (int i = 0; i < rule->count; i++) within += rule->point[i].corner < 0;
  while (k < NUM_TIERS - 1 && tiers[k].outer + tiers[k].inner != within) k++;
  return &tiers[k];
}

/* Corners count by the triangles beside them, as seen from the middle of their own polygon. */
void cr_area_frame_init(const double (*corner)[2], int count, const cr_area_moments* moments,
                        cr_area_frame* f) {
  double middle[2] = {0, 0}, share[CR_AREA_CORNERS], sum = 0, part = 1.0 / count;
  *f = (cr_area_frame){.count = count, .moments = moments};
  f->is_slender = find_slenderness(moments->second) <= slenderness[SLENDER];
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) {
      middle[k] += part * corner[i][k];
      f->d[i][k] = corner[i][k] - moments->center[k];
    }
  for (int k = 0; k < 2; k++) middle[k] -= moments->center[k];
  for (int i = 0; i < count; i++) {
    const double *p = f->d[i], *q = f->d[next(i, count)];
    sum += share[i] = cr_area_corner_triangle(p, q, middle);
  }
  double over = 1 / (2 * sum);
  for (int i = 0; i < count; i++) {
    double s = f->share[i] = over * (share[i] + share[i > 0 ? i - 1 : count - 1]);
    f->mean += s * length_of(f->d[i]);
    for (int k = 0, at = 0; k < 2; k++) {
      f->first[k] += s * f->d[i][k];
      for (int l = k; l < 2; l++) f->second[at++] += s * f->d[i][k] * f->d[i][l];
    }
  }
}

/* The root of a symmetric matrix, (M + √det 1) / √(trace + 2 √det). False where it has none. */
static bool find_root(const double* M, double* L) {
  double det = M[0] * M[2] - M[1] * M[1], trace = M[0] + M[2];
  if (!(trace > 0) || !(det > 1e-18 * trace * trace)) return false;
  double s = sqrt(det), t = sqrt(trace + 2 * s);
  L[0] = (M[0] + s) / t, L[1] = M[1] / t, L[2] = (M[2] + s) / t;
  return true;
}

/* A quarter of the ring's step from the long axis of L, to the side of u: no two of its points lie
 * beside each other on it. */
static void turn_from_axis(const double* L, const double* u, int count, double* turn) {
  double axis = 0.5 * atan2(2 * L[1], L[0] - L[2]), c = cos(axis), s = sin(axis);
  double angle = axis + M_PI / (2 * count) + (c * u[0] + s * u[1] < 0 ? M_PI : 0);
  turn[0] = cos(angle), turn[1] = sin(angle);
}

int cr_area_find_rings(const cr_area_frame* f, const cr_area_tier* t, double w, cr_area_rings* r) {
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
  if (f->is_slender) turn_from_axis(r->L, u, t->outer, r->turn);
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

static const double (*find_parts(int count, int* step))[2] {
  *step = count == 4 ? 2 : 1;
  return count == 3 ? third : count == 6 ? sixth : eighth;
}

cr_area_ring cr_area_find_ring(const cr_area_rings* r, const cr_area_tier* t, int k) {
  cr_area_ring out = {.count = k ? t->inner : t->outer};
  if (out.count == 0) return out;
  double inner = t->inner ? RING_SHARE : 0, c = r->radius[k] * r->turn[0];
  double s = r->radius[k] * r->turn[1];
  out.part = find_parts(out.count, &out.step);
  out.map[0][0] = r->L[0] * c + r->L[1] * s, out.map[0][1] = r->L[1] * c - r->L[0] * s;
  out.map[1][0] = r->L[1] * c + r->L[2] * s, out.map[1][1] = r->L[2] * c - r->L[1] * s;
  out.weight = (1 - r->w) * (k ? inner : 1 - inner) / out.count;
  return out;
}

/* How much larger the mean distance of a rule is, relative; -1 where there is none. */
static double compare(const cr_area_frame* f, const cr_area_tier* t, double w, cr_area_rings* r) {
  if (!cr_area_find_rings(f, t, w, r)) return -1;
  double sum = w * f->mean, x[2];
  for (int k = 0; k < (t->inner ? 2 : 1); k++) {
    cr_area_ring of = cr_area_find_ring(r, t, k);
    double part = 0;
    for (int i = 0; i < of.count; i++) {
      cr_area_place_point(r, &of, i, x);
      part += length_of(x);
    }
    sum += of.weight * part;
  }
  return sum / f->moments->mean - 1;
}

/* Of one ring of even weights about the center, seen in all directions alike, the mean distance is
 *
 *   w m_c + sqrt((1 - w) (T - w s))
 *
 * with the traces T and s of second moments of the area and of its corners, and their mean distance
 * m_c: where that is the area's m, and its slope over m there. */
static double guess_weight(const cr_area_frame* f, double* slope) {
  double T = f->moments->second[0] + f->moments->second[2], s = f->second[0] + f->second[2];
  double m = f->moments->mean, a = f->mean * f->mean - s, b = T + s - 2 * m * f->mean;
  double root = b + sqrt(scalar_max(b * b - 4 * a * (m * m - T), 0));
  double w = root > 0 ? scalar_clamp(2 * (T - m * m) / root, LEAST, MOST) : LEAST;
  double left = scalar_max(T - w * s, 1e-3 * T), q = sqrt((1 - w) * left);
  *slope = (f->mean - (left + s * (1 - w)) / (2 * q)) / m;
  return w;
}

/* Where the secant leads from (x, y) and the point before it, or from the first one its slope;
 * halfway between the ends where that is beyond them, or there is no rule at the point. */
static double find_next(double x, double y, double slope, double low, double high) {
  double next = x - y / slope;
  return y > -1 && next > low && next < high ? next : (low + high) / 2;
}

/* The last trial and the one before, whose error is -1 where there is none; a slope. */
typedef struct secant {
  double w, error, last, at_last, slope;
} secant;

/* Goes on to the last digit, so that weights are smooth functions of the corners: a secant squares
 * the error for nothing. */
static double polish(const cr_area_frame* f, const cr_area_tier* t, secant* s, cr_area_rings* r) {
  for (int i = 0;; i++) {
    bool has_two = s->at_last > -1 && s->at_last != s->error;
    if (has_two) s->slope = (s->error - s->at_last) / (s->w - s->last);
    double next_w = s->w - s->error / s->slope;
    if (i == 3 || fabs(s->error * (has_two ? s->at_last : 1)) < SMOOTH) {
      cr_area_find_rings(f, t, next_w, r);
      return fabs(s->error);
    }
    s->last = s->w, s->at_last = s->error;
    s->w = next_w, s->error = compare(f, t, next_w, r);
  }
}

/* The weight of the corners for which the mean distance is right, else the nearest. @return the
 * error that is left */
static double choose_weight(const cr_area_frame* f, const cr_area_tier* t, cr_area_rings* r) {
  double low = LEAST, high = MOST, slope, w = guess_weight(f, &slope), last = 0, at_last = -1;
  double error = compare(f, t, w, r);
  bool is_bounded = error > 0;
  if (w == LEAST && !is_bounded) return -error;
  for (int i = 0; i < 60 && fabs(error) > EXACT; i++) {
    if (error > 0)
      low = w;
    else
      high = w;
    if (at_last > -1) slope = (error - at_last) / (w - last);
    last = w, at_last = error;
    w = find_next(w, error, slope, low, high);
    if (!is_bounded && w < (low + high) / 2) w = LEAST;
    error = compare(f, t, w, r);
    is_bounded |= error > 0;
    if (w == LEAST && !(error > 0)) return -error;
  }
  if (error <= -1) error = compare(f, t, low, r);
  if (fabs(error) > EXACT) return fabs(error);
  secant last_two = {w, error, last, at_last, slope};
  return polish(f, t, &last_two, r);
}

static void add_point(cr_area_rule* rule, const double* center, const double* x, double weight,
                      int corner) {
  cr_area_point* point = &rule->point[rule->count++];
  *point = (cr_area_point){{center[0] + x[0], center[1] + x[1]}, weight, corner};
}

static void enter_rings(const cr_area_frame* f, const cr_area_tier* t, const cr_area_rings* r,
                        cr_area_rule* rule) {
  const double* center = f->moments->center;
  double x[2];
  rule->count = 0;
  for (int i = 0; i < f->count; i++) add_point(rule, center, f->d[i], r->w * f->share[i], i);
  for (int k = 0; k < 2; k++) {
    cr_area_ring of = cr_area_find_ring(r, t, k);
    for (int i = 0; i < of.count; i++) {
      cr_area_place_point(r, &of, i, x);
      add_point(rule, center, x, of.weight, -1);
    }
  }
}

int cr_area_make(const double (*corner)[2], int count, const cr_area_moments* moments, double error,
                 cr_area_rule* rule) {
  cr_area_frame f;
  cr_area_rings r, best = {.w = 0};
  cr_area_frame_init(corner, count, moments, &f);
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
  rule->is_exact = rule->spin <= EXACT;
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
  rule->area = rule->spin = 0, rule->is_exact = true;
  rule->error = line_errors[chosen];
}

int cr_area_make_polygon(const double (*corner)[2], int count, double error, cr_area_rule* rule) {
  if (count < 2) return false;
  if (count == 2) {
    if (!(find_length(corner, count) > 0)) return false;
    make_line(corner, error, rule);
    return true;
  }
  cr_area_moments moments;
  if (!cr_area_measure_polygon(corner, count, &moments)) return false;
  return cr_area_make(corner, count, &moments, error, rule);
}

void cr_area_measure_disc(const double (*corner)[2], int count, cr_area_moments* moments) {
  *moments = (cr_area_moments){.center = {0, 0}};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) moments->center[k] += corner[i][k] / count;
  double R = hypot(corner[0][0] - moments->center[0], corner[0][1] - moments->center[1]);
  moments->area = M_PI * R * R;
  moments->second[0] = moments->second[2] = R * R / 4, moments->second[1] = 0;
  moments->mean = 2 * R / 3;
}

int cr_area_make_disc(const double (*corner)[2], int count, double error, cr_area_rule* rule) {
  cr_area_moments moments;
  cr_area_measure_disc(corner, count, &moments);
  return cr_area_make(corner, count, &moments, error, rule);
}
