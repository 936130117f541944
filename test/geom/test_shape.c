/* Shapes: volume and inertia against integrals over slices, bounds and widths against support
 * heights, support points on the surface. */
#include "geom/shape.h"
#include "support/shapes.h"

#include <math.h>

#define PI       3.14159265358979323846
#define CASES    1000
#define ROUNDING 1e-14 /* of numbers of order one after a handful of operations */

/* Area of the slice at height z, and its second moments per area about its own x and y. */
typedef struct slice {
  double area, xx, yy;
} slice;

static slice cut(const cr_shape* shape, double z) {
  const double* size = shape->size;
  double radius2 = size[0] * size[0], over = fabs(z) - size[1];
  switch (shape->type) {
  case CAROM_GEOM_BOX:
    return (slice){4 * size[0] * size[1], radius2 / 3, size[1] * size[1] / 3};
  case CAROM_GEOM_SPHERE:
    radius2 -= z * z;
    break;
  case CAROM_GEOM_CAPSULE:
    if (over > 0) radius2 -= over * over;
    break;
  default:
    break;
  }
  return (slice){PI * radius2, radius2 / 4, radius2 / 4};
}

/* Adds volume and the moments about x, y, z of the part between two heights by Gauss's rule of
 * three points, which is exact for the polynomials of degree four and five that the slices make. */
static void integrate(const cr_shape* shape, double low, double high, double* volume, v3* inertia) {
  const double node[] = {-sqrt(0.6), 0, sqrt(0.6)}, weight[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  for (int i = 0; i < 3; i++) {
    double z = 0.5 * (low + high) + 0.5 * (high - low) * node[i];
    slice s = cut(shape, z);
    double dv = 0.5 * (high - low) * weight[i] * s.area;
    *volume += dv;
    *inertia = v3_axpy(*inertia, dv, v3_make(s.yy + z * z, s.xx + z * z, s.xx + s.yy));
  }
}

static void check_mass(const cr_shape* shape) {
  const double* size = shape->size;
  double volume = 0;
  v3 inertia = v3_zero();
  double body = shape->type == CAROM_GEOM_BOX      ? size[2]
                : shape->type == CAROM_GEOM_SPHERE ? size[0]
                                                   : size[1];
  integrate(shape, -body, body, &volume, &inertia);
  if (shape->type == CAROM_GEOM_CAPSULE) {
    integrate(shape, -body - size[0], -body, &volume, &inertia);
    integrate(shape, body, body + size[0], &volume, &inertia);
  }
  v3 unit = cr_shape_compute_unit_inertia(shape);
  check_near(cr_shape_compute_volume(shape), volume, ROUNDING * volume);
  const double actual[] = {unit.x, unit.y, unit.z};
  const double expected[] = {inertia.x / volume, inertia.y / volume, inertia.z / volume};
  check_near_array(actual, expected, 3, ROUNDING * (expected[0] + expected[1] + expected[2]));
}

static void test_mass_by_slices(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < CASES; i++) {
    cr_shape shape = check_random_shape(&random, (carom_geom_type)(1 + i % 4), 0.01, 10);
    check_mass(&shape);
  }
}

/* Moments from textbooks. */
static void test_mass_by_hand(void** state) {
  (void)state;
  cr_shape sphere = {.type = CAROM_GEOM_SPHERE, .size = {3}},
           box = {.type = CAROM_GEOM_BOX, .size = {0.5, 1, 1.5}};
  cr_shape cylinder = {.type = CAROM_GEOM_CYLINDER, .size = {2, 3}},
           plane = {.type = CAROM_GEOM_PLANE, .size = {0}};
  check_near(cr_shape_compute_volume(&sphere), 36 * PI, 1e-13);
  check_near(cr_shape_compute_unit_inertia(&sphere).y, 3.6, ROUNDING);
  check_near(cr_shape_compute_volume(&box), 6, ROUNDING);
  check_near(cr_shape_compute_unit_inertia(&box).x, (4 + 9) / 12.0, ROUNDING);
  check_near(cr_shape_compute_volume(&cylinder), 24 * PI, 1e-13);
  check_near(cr_shape_compute_unit_inertia(&cylinder).z, 2, ROUNDING);
  check_near(cr_shape_compute_unit_inertia(&cylinder).x, 1 + 3, ROUNDING);
  assert_true(isinf(cr_shape_compute_volume(&plane)));
  assert_true(cr_shape_compute_unit_inertia(&plane).z == 0);
}

static check_body random_body(check_random* random, int type) {
  check_body body = {check_random_shape(random, (carom_geom_type)type, 0.1, 1),
                     {check_random_direction(random), check_random_rotation(random)}};
  return body;
}

static void test_bounds(void** state) {
  (void)state;
  check_random random = {2};
  for (int i = 0; i < CASES; i++) {
    check_body body = random_body(&random, 1 + i % 4);
    cr_aabb box = cr_shape_compute_aabb(&body.shape, &body.X);
    for (int k = 0; k < 3; k++) {
      v3 axis = v3_set(v3_zero(), k, 1);
      check_near(v3_get(box.high, k), check_support_height(&body, axis), ROUNDING);
      check_near(v3_get(box.low, k), -check_support_height(&body, v3_neg(axis)), ROUNDING);
    }
  }
}

/* A plane bounds the world only where its normal is an axis. */
static void test_bounds_of_planes(void** state) {
  (void)state;
  cr_shape plane = {.type = CAROM_GEOM_PLANE, .size = {0}};
  pose X = {{1, 2, 3}, m3_identity()};
  cr_aabb box = cr_shape_compute_aabb(&plane, &X);
  assert_true(box.high.z == 3 && isinf(box.low.z) && isinf(box.high.x) && isinf(box.low.y));
  X.R = m3_from_columns(v3_make(0, 1, 0), v3_make(0, 0, -1), v3_make(-1, 0, 0));
  box = cr_shape_compute_aabb(&plane, &X);
  assert_true(box.low.x == 1 && isinf(box.high.x) && isinf(box.high.z) && isinf(box.low.z));
  X.R = quat_to_m3(quat_exp(v3_make(0.1, 0, 0)));
  box = cr_shape_compute_aabb(&plane, &X);
  assert_true(isinf(box.high.z) && isinf(box.low.z));
  assert_true(isinf(cr_shape_compute_bounding_radius(&plane)));
  assert_true(isinf(cr_shape_compute_thickness(&plane)));
}

/* The widths along random directions are no less than the thickness, along the axes one is; no
 * point is farther than the bounding radius, and one is as far. */
static void test_widths(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < CASES; i++) {
    check_body body = random_body(&random, 1 + i % 4);
    body.X.p = v3_zero();
    double thickness = cr_shape_compute_thickness(&body.shape), least = INFINITY;
    double radius = cr_shape_compute_bounding_radius(&body.shape);
    const double* size = body.shape.size;
    v3 corner = {size[0], body.shape.type == CAROM_GEOM_BOX ? size[1] : 0, 0};
    if (body.shape.type == CAROM_GEOM_BOX) corner.z = size[2];
    if (body.shape.type == CAROM_GEOM_CYLINDER) corner.z = size[1];
    if (body.shape.type == CAROM_GEOM_CAPSULE) corner = v3_make(0, 0, 1);
    v3 far = v3_normalize_or(m3_mulv(&body.X.R, corner), corner);
    check_near(check_support_height(&body, far), radius, ROUNDING);
    for (int k = 0; k < 30; k++) {
      v3 n = k < 3 ? m3_column(&body.X.R, k) : check_random_direction(&random);
      double height = check_support_height(&body, n);
      double width = height + check_support_height(&body, v3_neg(n));
      assert_true(width >= thickness - ROUNDING && height <= radius + ROUNDING);
      least = fmin(least, width);
    }
    check_near(least, thickness, ROUNDING);
  }
}

/* Support points lie on the surface, as high as any; also for directions along axes and zeros,
 * where whole faces are highest. */
static void test_support_points(void** state) {
  (void)state;
  check_random random = {4};
  for (int i = 0; i < CASES; i++) {
    check_body body = random_body(&random, 1 + i % 4);
    body.X = pose_identity();
    v3 d = check_random_direction(&random);
    for (int k = 0; k < 3; k++)
      if (check_random_int(&random, 0, 2) == 0)
        d = v3_set(d, k, check_random_int(&random, 0, 1) ? 0.0 : -0.0);
    if (v3_norm(d) == 0) continue;
    v3 x = cr_shape_compute_support(&body.shape, d), n = v3_scale(1 / v3_norm(d), d);
    check_near(v3_dot(n, x), check_support_height(&body, n), ROUNDING);
    check_near(check_point_distance(&body, x), 0, ROUNDING);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mass_by_slices), cmocka_unit_test(test_mass_by_hand),
      cmocka_unit_test(test_bounds),         cmocka_unit_test(test_bounds_of_planes),
      cmocka_unit_test(test_widths),         cmocka_unit_test(test_support_points),
  };
  return cmocka_run_group_tests_name("geom.shape", tests, NULL, NULL);
}
