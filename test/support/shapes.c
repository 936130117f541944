/* Random shapes and slow references; see shapes.h. */
#include "support/shapes.h"

#include <math.h>

#define PI 3.14159265358979323846

v3 check_random_direction(check_random* random) {
  v3 x = v3_zero();
  while (v3_norm(x) < 1e-6)
    x = v3_make(check_random_normal(random), check_random_normal(random),
                check_random_normal(random));
  return v3_scale(1 / v3_norm(x), x);
}

m3 check_random_rotation(check_random* random) {
  quat q = {check_random_normal(random), check_random_normal(random), check_random_normal(random),
            check_random_normal(random)};
  return quat_to_m3(quat_normalize(q));
}

cr_shape check_random_shape(check_random* random, carom_geom_type type, double low, double high) {
  cr_shape shape = {.type = type};
  for (int i = 0; i < 3; i++)
    shape.size[i] = exp(check_random_uniform(random, log(low), log(high)));
  return shape;
}

static v3 to_local(const check_body* body, v3 x) { return pose_inverse_point(&body->X, x); }

/* Distance of a point in the plane to the quadrant-shaped rest: excesses over two bounds. */
static double corner_distance(double p, double q) {
  return p > 0 && q > 0 ? hypot(p, q) : fmax(p, q);
}

/* Value times the inverse slope: exact on the surface, to first order near it. */
static double ellipsoid_distance(const double* size, v3 x) {
  v3 scaled = v3_make(x.x / size[0], x.y / size[1], x.z / size[2]);
  v3 slope = v3_make(scaled.x / size[0], scaled.y / size[1], scaled.z / size[2]);
  return (v3_norm2(scaled) - 1) / (2 * v3_norm(slope));
}

/* The highest plane: exact on the surface and inside. */
static double hull_distance(const cr_hull* hull, v3 x) {
  double most = -INFINITY;
  for (int f = 0; f < hull->num_faces; f++)
    most = fmax(most, v3_dot(cr_hull_normal(hull, f), x) - hull->plane[4 * f + 3]);
  return most;
}

double check_point_distance(const check_body* body, v3 x) {
  const double* size = body->shape.size;
  v3 l = to_local(body, x);
  switch (body->shape.type) {
  case CAROM_GEOM_PLANE:
    return l.z;
  case CAROM_GEOM_SPHERE:
    return v3_norm(l) - size[0];
  case CAROM_GEOM_CAPSULE:
    return hypot(hypot(l.x, l.y), fmax(fabs(l.z) - size[1], 0)) - size[0];
  case CAROM_GEOM_CYLINDER:
    return corner_distance(hypot(l.x, l.y) - size[0], fabs(l.z) - size[1]);
  case CAROM_GEOM_BOX: {
    double d[3] = {fabs(l.x) - size[0], fabs(l.y) - size[1], fabs(l.z) - size[2]};
    double inside = fmax(d[0], fmax(d[1], d[2]));
    return inside <= 0 ? inside : hypot(hypot(fmax(d[0], 0), fmax(d[1], 0)), fmax(d[2], 0));
  }
  case CAROM_GEOM_ELLIPSOID:
    return ellipsoid_distance(size, l);
  case CAROM_GEOM_HEIGHT_FIELD:
  case CAROM_GEOM_MESH:
    return hull_distance(body->shape.hull, l);
  }
  return NAN;
}

double check_support_height(const check_body* body, v3 n) {
  const double* size = body->shape.size;
  v3 l = m3_tmulv(&body->X.R, n);
  double center = v3_dot(n, body->X.p);
  switch (body->shape.type) {
  case CAROM_GEOM_PLANE:
    return hypot(l.x, l.y) < 1e-12 && l.z > 0 ? center : INFINITY;
  case CAROM_GEOM_SPHERE:
    return center + size[0];
  case CAROM_GEOM_CAPSULE:
    return center + size[0] + size[1] * fabs(l.z);
  case CAROM_GEOM_CYLINDER:
    return center + size[0] * hypot(l.x, l.y) + size[1] * fabs(l.z);
  case CAROM_GEOM_BOX: {
    double most = -INFINITY;
    for (int i = 0; i < 8; i++) {
      double height = (i & 1 ? size[0] : -size[0]) * l.x + (i & 2 ? size[1] : -size[1]) * l.y +
                      (i & 4 ? size[2] : -size[2]) * l.z;
      most = fmax(most, height);
    }
    return center + most;
  }
  case CAROM_GEOM_ELLIPSOID:
    return center + v3_norm(v3_mul(v3_load(size), l));
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  case CAROM_GEOM_MESH: {
    double most = -INFINITY;
    const cr_hull* hull = body->shape.hull;
    for (int i = 0; i < hull->num_vertices; i++)
      most = fmax(most, v3_dot(l, cr_hull_vertex(hull, i)));
    return center + most;
  }
  }
  return NAN;
}

double check_overlap(const check_body* a, const check_body* b, v3 n) {
  return check_support_height(a, n) + check_support_height(b, v3_neg(n));
}

/* Axes of a body: normals of its flat faces and directions of its straight edges. */
static int axes_of(const check_body* body, v3* axes) {
  int count = body->shape.type == CAROM_GEOM_BOX      ? 3
              : body->shape.type == CAROM_GEOM_SPHERE ? 0
                                                      : 1;
  for (int i = 0; i < count; i++) axes[i] = m3_column(&body->X.R, count == 3 ? i : 2);
  return count;
}

/* Local minimum of the overlap at angle t on the circle of two tangents, by bisection of the step.
 */
static double minimise_on_circle(const check_body* a, const check_body* b, v3 e1, v3 e2, double t,
                                 double step, v3* n) {
  double least = INFINITY;
  for (int iteration = 0; iteration < 200 && step > 1e-12; iteration++) {
    double before = least;
    for (int i = -1; i <= 1; i++) {
      double angle = t + i * step;
      v3 d = v3_axpy(v3_scale(cos(angle), e1), sin(angle), e2);
      double value = check_overlap(a, b, d);
      if (!(value < least)) continue;
      least = value;
      t = angle;
      *n = d;
    }
    if (!(least < before)) step *= 0.5;
  }
  return least;
}

/* Dense samples of the circle normal to `axis`, the local minima refined. */
static double search_circle(const check_body* a, const check_body* b, v3 axis) {
  enum { SAMPLES = 180 };
  double value[SAMPLES], least = INFINITY, step = 2 * PI / SAMPLES;
  v3 e1, e2, n;
  v3_tangents(axis, &e1, &e2);
  for (int i = 0; i < SAMPLES; i++)
    value[i] = check_overlap(a, b, v3_axpy(v3_scale(cos(i * step), e1), sin(i * step), e2));
  for (int i = 0; i < SAMPLES; i++) {
    if (value[i] > value[(i + 1) % SAMPLES] || value[i] > value[(i + SAMPLES - 1) % SAMPLES])
      continue;
    least = fmin(least, minimise_on_circle(a, b, e1, e2, i * step, step, &n));
  }
  return least;
}

/* Descent from n by trying eight tangent directions at shrinking steps; gives up in the valley of a
 * kink, where the search of circles does the rest. */
static double minimise_on_sphere(const check_body* a, const check_body* b, v3 n) {
  double least = check_overlap(a, b, n);
  double step = 0.05;
  for (int iteration = 0; iteration < 300 && step > 1e-9; iteration++) {
    v3 e1, e2, best = n;
    double before = least;
    v3_tangents(n, &e1, &e2);
    for (int i = 0; i < 8; i++) {
      v3 t = v3_axpy(v3_scale(step * cos(i * PI / 4), e1), step * sin(i * PI / 4), e2);
      v3 moved = v3_normalize_or(v3_add(n, t), n);
      double value = check_overlap(a, b, moved);
      if (!(value < least)) continue;
      least = value;
      best = moved;
    }
    n = best;
    if (!(least < before)) step *= 0.5;
  }
  return least;
}

/* A spiral of directions over the sphere; the best few are starts of a descent. */
static double search_sphere(const check_body* a, const check_body* b) {
  enum { SAMPLES = 600, STARTS = 6 };
  v3 start[STARTS];
  double value[STARTS], least = INFINITY;
  for (int i = 0; i < STARTS; i++) value[i] = INFINITY;
  for (int i = 0; i < SAMPLES; i++) {
    double z = 1 - (2 * i + 1.0) / SAMPLES, r = sqrt(1 - z * z), angle = 2.399963229728653 * i;
    v3 n = v3_make(r * cos(angle), r * sin(angle), z);
    double h = check_overlap(a, b, n);
    int k = STARTS;
    while (k > 0 && h < value[k - 1]) k--;
    for (int j = STARTS - 1; j > k; j--) value[j] = value[j - 1], start[j] = start[j - 1];
    if (k < STARTS) value[k] = h, start[k] = n;
  }
  for (int i = 0; i < STARTS; i++) least = fmin(least, minimise_on_sphere(a, b, start[i]));
  return least;
}

double check_least_overlap(const check_body* a, const check_body* b) {
  v3 axes[6];
  int count = axes_of(a, axes);
  count += axes_of(b, axes + count);
  double least = search_sphere(a, b);
  for (int i = 0; i < count; i++) {
    least = fmin(least, check_overlap(a, b, axes[i]));
    least = fmin(least, check_overlap(a, b, v3_neg(axes[i])));
    least = fmin(least, search_circle(a, b, axes[i]));
    for (int k = 0; k < i; k++) {
      v3 across = v3_cross(axes[i], axes[k]);
      if (v3_norm(across) < 1e-9) continue;
      across = v3_scale(1 / v3_norm(across), across);
      least = fmin(least, check_overlap(a, b, across));
      least = fmin(least, check_overlap(a, b, v3_neg(across)));
    }
  }
  return least;
}

double check_deepest(const cr_manifold* manifold) {
  double least = INFINITY;
  for (int i = 0; i < manifold->count; i++) least = fmin(least, manifold->points[i].distance);
  return least;
}

void check_manifold(const check_body* a, const check_body* b, const cr_manifold* manifold,
                    double margin, double tolerance) {
  assert_in_range(manifold->count, 0, CR_MANIFOLD_MAX);
  if (manifold->count == 0) return;
  check_near(v3_norm(manifold->normal), 1, 1e-14);
  for (int i = 0; i < manifold->count; i++) {
    const cr_manifold_point* p = &manifold->points[i];
    assert_true(p->distance < margin);
    check_near(v3_dot(manifold->normal, v3_sub(p->b, p->a)), p->distance, tolerance);
    check_near(check_point_distance(a, p->a), 0, tolerance);
    check_near(check_point_distance(b, p->b), 0, tolerance);
    for (int k = 0; k < i; k++) assert_int_not_equal(manifold->points[k].feature, p->feature);
  }
}

const char* check_type_name(carom_geom_type type) {
  static const char* const names[] = {"plane", "sphere",    "capsule", "cylinder",
                                      "box",   "ellipsoid", "mesh",    "height field"};
  return names[type];
}

void check_print_pair(const check_body* a, const check_body* b) {
  const check_body* both[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    const cr_shape* shape = &both[i]->shape;
    const pose* X = &both[i]->X;
    print_error("%s {%.17g, %.17g, %.17g} at {%.17g, %.17g, %.17g} turned {",
                check_type_name(shape->type), shape->size[0], shape->size[1], shape->size[2],
                X->p.x, X->p.y, X->p.z);
    for (int k = 0; k < 9; k++) print_error("%.17g%s", X->R.m[k / 3][k % 3], k < 8 ? ", " : "}\n");
  }
}

check_nearest check_nearest_points(const check_body* a, const check_body* b) {
  check_nearest c;
  c.distance = cr_geom_compute_distance(&a->shape, &a->X, &b->shape, &b->X, &c.a, &c.b, &c.n);
  return c;
}
