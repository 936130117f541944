/* Strings around spheres and cylinders, by plane geometry.
 *
 * A string touches a sphere in the plane of its ends and the centre, and a cylinder, seen along the
 * axis, in a plane across it; there it is two tangents of a circle and the arc between them. Along
 * the cylinder's axis it rises in proportion to its length in the plane, so that it is a straight
 * line on the unrolled surface.
 *
 * Conventions are those of the MJCF format: the end points lie outside the circle, else nothing is
 * touched; without a side the shorter chord is taken, with one the way that passes nearer to it;
 * where the two tangents would cross, nothing is touched. */
#include "force/wrap.h"

#include <math.h>
#include <stddef.h>

#define SMALL    1e-15 /* of lengths and their squares: nothing is there */
#define MOST     60    /* halvings of an angle */
#define CROSSING -1e4  /* how good a way is whose tangents cross */

/* A point of the plane. */
typedef struct v2 {
  double x, y;
} v2;

static v2 sub2(v2 a, v2 b) { return (v2){a.x - b.x, a.y - b.y}; }
static double dot2(v2 a, v2 b) { return a.x * b.x + a.y * b.y; }
static double cross2(v2 a, v2 b) { return a.x * b.y - a.y * b.x; }
static double norm2(v2 a) { return hypot(a.x, a.y); }
static v2 on_circle(double radius, double angle) {
  return (v2){radius * cos(angle), radius * sin(angle)};
}

/* Whether the segments a-b and c-d meet. */
static bool do_cross(v2 a, v2 b, v2 c, v2 d) {
  v2 ab = sub2(b, a), cd = sub2(d, c), ac = sub2(c, a);
  double det = cross2(ab, cd);
  if (fabs(det) < SMALL) return false;
  double s = cross2(ac, cd) / det, t = cross2(ac, ab) / det;
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

/* The point of the segment a-b that is nearest to the origin. */
static v2 nearest(v2 a, v2 b) {
  v2 d = sub2(b, a);
  double s = fmin(fmax(-dot2(a, d) / dot2(d, d), 0), 1);
  return (v2){a.x + s * d.x, a.y + s * d.y};
}

/* --- Around -------------------------------------------------------------------------------------
 */

/* The way around that turns by `sense`, +1 counterclockwise: where it touches the circle, and the
 * angle between, in [0, 2 pi). */
static double turn_around(double radius, v2 a, v2 b, int sense, v2 touch[2]) {
  double first = atan2(a.y, a.x) + sense * acos(radius / norm2(a));
  double last = atan2(b.y, b.x) - sense * acos(radius / norm2(b));
  touch[0] = on_circle(radius, first), touch[1] = on_circle(radius, last);
  double angle = fmod(sense * (last - first), 2 * M_PI);
  return angle < 0 ? angle + 2 * M_PI : angle;
}

/* How good a way is: near the side, else short. */
static double rate_way(v2 a, v2 b, const v2 touch[2], const v2* side) {
  if (do_cross(a, touch[0], b, touch[1])) return CROSSING;
  v2 chord = sub2(touch[1], touch[0]);
  if (!side) return -dot2(chord, chord);
  v2 middle = {touch[0].x + touch[1].x, touch[0].y + touch[1].y};
  double size = norm2(middle);
  return size > 0 ? dot2(middle, *side) / size : 0;
}

/* Arc length; negative where the string does not touch. */
static double wrap_around(double radius, v2 a, v2 b, const v2* side, v2 touch[2]) {
  if (norm2(a) < radius || norm2(b) < radius || radius < SMALL) return -1;
  v2 d = sub2(b, a), near, other[2];
  if (dot2(d, d) < SMALL) return -1;
  near = nearest(a, b);
  if (norm2(near) > radius && (!side || dot2(*side, near) >= 0)) return -1;
  double clockwise = turn_around(radius, a, b, -1, touch);
  double counter = turn_around(radius, a, b, 1, other), angle = clockwise;
  double rated = rate_way(a, b, touch, side), rated_other = rate_way(a, b, other, side);
  if (!(rated > rated_other)) {
    angle = counter, rated = rated_other;
    touch[0] = other[0], touch[1] = other[1];
  }
  return rated == CROSSING ? -1 : radius * angle;
}

/* --- Within -------------------------------------------------------------------------------------
 */

/* d/dt of |a - p(t)| + |b - p(t)|, with p(t) on the circle at the angle `t`. */
static double length_slope(double radius, v2 a, v2 b, double t) {
  v2 p = on_circle(radius, t), tangent = {-p.y, p.x}, u = sub2(p, a), w = sub2(p, b);
  return dot2(u, tangent) / norm2(u) + dot2(w, tangent) / norm2(w);
}

/* The string bends at the point of the circle that makes it shortest, between the directions of its
 * ends: the angles before and behind are alike. Zero, or negative where it does not touch. */
static double wrap_within(double radius, v2 a, v2 b, v2 touch[2]) {
  v2 d = sub2(b, a);
  if (norm2(a) <= radius || norm2(b) <= radius || radius < SMALL) return -1;
  if (dot2(d, d) > SMALL && norm2(nearest(a, b)) <= radius) return -1;
  double low = atan2(a.y, a.x), span = atan2(cross2(a, b), dot2(a, b));
  if (fabs(span) > M_PI - SMALL) return -1;
  if (span < 0) low = atan2(b.y, b.x), span = -span;
  double high = low + span;
  for (int i = 0; i < MOST; i++) {
    double middle = 0.5 * (low + high);
    if (length_slope(radius, a, b, middle) < 0)
      low = middle;
    else
      high = middle;
  }
  touch[0] = touch[1] = on_circle(radius, 0.5 * (low + high));
  return 0;
}

/* --- In space -----------------------------------------------------------------------------------
 */

/* An axis across n, for a string that runs through the sphere's centre: all planes are alike. */
static v3 some_normal(v3 n) {
  int largest = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(v3_get(n, i)) > fabs(v3_get(n, largest))) largest = i;
  v3 other = v3_set(v3_make(1, 1, 1), largest, 0);
  return v3_normalize_or(v3_cross(n, other), v3_make(0, 0, 1));
}

/* Axes of the plane: of a sphere towards a and across it, of a cylinder its own. */
static void find_plane(bool is_cylinder, v3 a, v3 b, v3* x, v3* y) {
  *x = v3_make(1, 0, 0), *y = v3_make(0, 1, 0);
  if (is_cylinder) return;
  *x = v3_normalize_or(a, *x);
  v3 normal = v3_cross(a, b);
  normal = v3_norm(normal) < SMALL ? some_normal(*x) : v3_normalize_or(normal, *y);
  *y = v3_cross(normal, *x);
}

/* Heights along the axis, in proportion to the length in the plane. */
static void raise(v3 a, v3 b, v2 a2, v2 b2, const v2 touch[2], v3 local[2], double* length) {
  double before = norm2(sub2(touch[0], a2)), after = norm2(sub2(b2, touch[1]));
  double slope = (b.z - a.z) / (before + *length + after);
  local[0].z = a.z + slope * before;
  local[1].z = a.z + slope * (before + *length);
  *length = hypot(*length, slope * *length);
}

/* Whether the string passes within what surrounds the side. */
static bool is_within(const cr_wrap_body* body, v2 side) {
  return body->side && norm2(side) < body->radius;
}

bool cr_wrap_find(const cr_wrap_body* body, v3 a, v3 b, cr_wrap* wrap) {
  v3 x, y, side = v3_zero(), local[2];
  a = pose_inverse_point(&body->frame, a), b = pose_inverse_point(&body->frame, b);
  if (v3_norm(a) < SMALL || v3_norm(b) < SMALL) return false;
  find_plane(body->is_cylinder, a, b, &x, &y);
  v2 a2 = {v3_dot(a, x), v3_dot(a, y)}, b2 = {v3_dot(b, x), v3_dot(b, y)}, touch[2] = {{0, 0}},
     side2;
  if (body->side) side = pose_inverse_point(&body->frame, *body->side);
  side2 = (v2){v3_dot(side, x), v3_dot(side, y)};
  double r = body->radius, reach = norm2(side2);
  if (is_within(body, side2)) {
    wrap->length = wrap_within(r, a2, b2, touch);
  } else {
    if (body->side) side2 = (v2){side2.x * r / reach, side2.y * r / reach};
    wrap->length = wrap_around(r, a2, b2, body->side ? &side2 : NULL, touch);
  }
  if (wrap->length < 0) return false;
  for (int i = 0; i < 2; i++) local[i] = v3_axpy(v3_scale(touch[i].x, x), touch[i].y, y);
  if (body->is_cylinder) raise(a, b, a2, b2, touch, local, &wrap->length);
  for (int i = 0; i < 2; i++) wrap->point[i] = pose_point(&body->frame, local[i]);
  return true;
}

/* --- Tangents -----------------------------------------------------------------------------------
 */

/* A symmetric rank-one matrix of the plane, s e eᵀ, and sums of two of them. */
typedef struct m2 {
  double m[2][2];
} m2;

static void add_outer2(m2* A, double s, v2 e, v2 f) {
  A->m[0][0] += s * e.x * f.x, A->m[0][1] += s * e.x * f.y;
  A->m[1][0] += s * e.y * f.x, A->m[1][1] += s * e.y * f.y;
}

static v2 across2(v2 t) { return (v2){-t.y, t.x}; }

/* Straight parts as seen along the normal or axis. */
typedef struct course {
  v2 t[2];          /* unit, on the way from a to b */
  double length[2]; /* m, of each */
  m2 by[2][2];      /* d t[i] / d a and d b */
} course;

/* Around: a tangent line turns about where it touches. Within: the touch is where the length is
 * stationary along the circle. */
static void find_course(bool is_within_it, double radius, v2 a, v2 b, const v2 touch[2],
                        course* c) {
  v2 way[2] = {sub2(touch[0], a), sub2(b, touch[1])}, e[2];
  *c = (course){0};
  for (int i = 0; i < 2; i++) {
    c->length[i] = norm2(way[i]);
    c->t[i] = (v2){way[i].x / c->length[i], way[i].y / c->length[i]};
    e[i] = across2(c->t[i]);
    add_outer2(&c->by[i][i], (i ? 1 : -1) / c->length[i], e[i], e[i]);
  }
  if (!is_within_it) return;
  v2 out = {touch[0].x / radius, touch[0].y / radius}, s = across2(out);
  double along[2] = {dot2(e[0], s), dot2(e[1], s)};
  double bend = along[0] * along[0] / c->length[0] + along[1] * along[1] / c->length[1] -
                (dot2(c->t[0], out) - dot2(c->t[1], out)) / radius;
  for (int i = 0; i < 2; i++) /* what the touch does along s by a and b, and the parts with it */
    for (int k = 0; k < 2; k++)
      add_outer2(&c->by[i][k],
                 (i ? -1 : 1) * along[i] / c->length[i] * along[k] / (c->length[k] * bend), e[i],
                 e[k]);
}

static m3 lift(const m2* A, v3 x, v3 y) {
  m3 sum = m3_zero();
  v3 axis[2] = {x, y};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      m3 outer = m3_outer(axis[i], axis[k]), part = m3_scale(A->m[i][k], &outer);
      sum = m3_add(&sum, &part);
    }
  return sum;
}

static void add_outer(m3* A, double s, v3 a, v3 b) {
  m3 outer = m3_outer(a, b), part = m3_scale(s, &outer);
  *A = m3_add(A, &part);
}

/* The plane turns about the centre with a and b, of which the touch is a sum. */
static void turn_plane(v3 a, v3 b, const v3 touch[2], const course* c, v3 x, v3 y,
                       cr_wrap_tangent* t) {
  v3 n = v3_cross(x, y), ab = v3_cross(a, b);
  double area = v3_dot(ab, n);
  for (int i = 0; i < 2; i++) {
    double of_a = v3_dot(v3_cross(touch[i], b), n) / area;
    double of_b = v3_dot(v3_cross(a, touch[i]), n) / area;
    double scale = (i ? -1 : 1) / c->length[i];
    add_outer(&t->by[i][0], scale * (of_a - (i == 0)), n, n);
    add_outer(&t->by[i][1], scale * (of_b - (i == 1)), n, n);
  }
}

/* A part of the unrolled surface rises by `slope` of its length in the plane. */
static void incline(v3 a, v3 b, double arc, const course* c, v3 x, v3 y, cr_wrap_tangent* t) {
  double whole = c->length[0] + arc + c->length[1], slope = (b.z - a.z) / whole;
  double stretch = sqrt(1 + slope * slope);
  v3 axis = v3_make(0, 0, 1), plane[2];
  for (int i = 0; i < 2; i++) plane[i] = v3_axpy(v3_scale(c->t[i].x, x), c->t[i].y, y);
  v3 by_a = v3_scale(1 / whole, v3_axpy(v3_neg(axis), slope, plane[0]));
  v3 by_b = v3_scale(1 / whole, v3_axpy(axis, -slope, plane[1]));
  for (int i = 0; i < 2; i++) {
    v3 d = v3_axpy(plane[i], slope, axis);
    v3 rise = v3_axpy(axis, -slope / (stretch * stretch), d);
    for (int k = 0; k < 2; k++) {
      t->by[i][k] = m3_scale(1 / stretch, &t->by[i][k]);
      add_outer(&t->by[i][k], 1 / stretch, rise, k ? by_b : by_a);
    }
  }
}

static m3 to_world(const pose* frame, const m3* A) {
  m3 back = m3_transpose(&frame->R), half = m3_mul(&frame->R, A);
  return m3_mul(&half, &back);
}

void cr_wrap_find_tangent(const cr_wrap_body* body, v3 a, v3 b, const cr_wrap* wrap,
                          cr_wrap_tangent* tangent) {
  v3 x, y, touch[2], side = v3_zero();
  v2 touch2[2];
  course c;
  a = pose_inverse_point(&body->frame, a), b = pose_inverse_point(&body->frame, b);
  find_plane(body->is_cylinder, a, b, &x, &y);
  for (int i = 0; i < 2; i++) {
    touch[i] = pose_inverse_point(&body->frame, wrap->point[i]);
    touch2[i] = (v2){v3_dot(touch[i], x), v3_dot(touch[i], y)};
  }
  if (body->side) side = pose_inverse_point(&body->frame, *body->side);
  bool within = is_within(body, (v2){v3_dot(side, x), v3_dot(side, y)});
  v2 a2 = {v3_dot(a, x), v3_dot(a, y)}, b2 = {v3_dot(b, x), v3_dot(b, y)};
  find_course(within, body->radius, a2, b2, touch2, &c);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) tangent->by[i][k] = lift(&c.by[i][k], x, y);
  double rise = touch[1].z - touch[0].z;
  double arc = body->is_cylinder ? sqrt(fmax(wrap->length * wrap->length - rise * rise, 0)) : 0;
  if (body->is_cylinder)
    incline(a, b, arc, &c, x, y, tangent);
  else
    turn_plane(a, b, touch, &c, x, y, tangent);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) tangent->by[i][k] = to_world(&body->frame, &tangent->by[i][k]);
}
