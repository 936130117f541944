/* Inputs that break careless geometry: coincident centres, aligned axes, equal sizes, touching
 * faces, large ratios of sizes, positions on a grid, turns by almost nothing. Whatever comes, the
 * answer is finite, lies on the surfaces, says what it means, is mirrored by swapping, and is not
 * improved by the obvious directions. */
#include "support/shapes.h"

#include <math.h>

/* How far a patch's deepest point may be from the depth, as patch.c has it: by a part of the
 * thinner shape's thickness where faces are all but parallel, and by what a point rises that is
 * brought back to a face which it overhangs by 1e-6 of the larger shape's three half extents,
 * tilted by a sine below 0.1. */
#define FLAT_SLACK     1e-6
#define OVERHANG_SLACK (1e-6 * 3 * 0.1)

static double pick(check_random* random, const double* values, int count) {
  return values[check_random_int(random, 0, count - 1)];
}

/* Sizes from a few that coincide, differ by a little, or by a lot. */
static cr_shape nasty_shape(check_random* random, carom_geom_type type) {
  static const double sizes[] = {0.5, 0.5, 0.5, 0.25, 1, 0.5 + 1e-12, 0.5 + 1e-7, 1e-3, 30};
  cr_shape shape = {.type = type};
  for (int i = 0; i < 3; i++) shape.size[i] = pick(random, sizes, 9);
  return shape;
}

/* Turns by multiples of a quarter, sixth or eighth about axes, with and without a little more. */
static m3 nasty_rotation(check_random* random) {
  static const double angles[] = {0, 0, 1.5707963267948966, 0.7853981633974483, 1.0471975511965976};
  static const double more[] = {0, 0, 0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3, 0.1};
  v3 axis = v3_set(v3_zero(), check_random_int(random, 0, 2), 1);
  quat q = quat_from_axis_angle(axis, pick(random, angles, 5));
  v3 little = v3_scale(pick(random, more, 9), check_random_direction(random));
  return quat_to_m3(quat_normalize(quat_mul(quat_exp(little), q)));
}

static v3 nasty_position(check_random* random) {
  static const double more[] = {0, 0, 0, 1e-17, 1e-14, 1e-10, 1e-6, 1e-2};
  v3 x = v3_make(0.25 * check_random_int(random, -4, 4), 0.25 * check_random_int(random, -4, 4),
                 0.25 * check_random_int(random, -4, 4));
  if (check_random_int(random, 0, 3) == 0) x = v3_zero();
  return v3_axpy(x, pick(random, more, 8), check_random_direction(random));
}

static double largest_size(const check_body* body) {
  return fmax(body->shape.size[0], fmax(body->shape.size[1], body->shape.size[2]));
}

/* Overlap at all axes and their normals may not be less than what was found. */
static double least_obvious_overlap(const check_body* a, const check_body* b) {
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    v3 u = m3_column(&a->X.R, i), v = m3_column(&b->X.R, i);
    least = fmin(least, fmin(check_overlap(a, b, u), check_overlap(a, b, v3_neg(u))));
    least = fmin(least, fmin(check_overlap(a, b, v), check_overlap(a, b, v3_neg(v))));
  }
  return least;
}

/* Two bodies that agree in every number have no order to mirror. */
static bool are_same(const check_body* a, const check_body* b) {
  double difference = v3_norm(v3_sub(a->X.p, b->X.p));
  for (int i = 0; i < 3; i++) difference += fabs(a->shape.size[i] - b->shape.size[i]);
  for (int i = 0; i < 9; i++) difference += fabs(a->X.R.m[i / 3][i % 3] - b->X.R.m[i / 3][i % 3]);
  return a->shape.type == b->shape.type && difference == 0;
}

static void check_mirror(const check_body* a, const check_body* b, const cr_manifold* manifold,
                         double margin) {
  cr_manifold turned;
  int count = cr_geom_collide(&b->shape, &b->X, &a->shape, &a->X, margin, &turned);
  assert_int_equal(count, manifold->count);
  if (count == 0) return;
  assert_true(turned.normal.x == -manifold->normal.x && turned.normal.y == -manifold->normal.y &&
              turned.normal.z == -manifold->normal.z);
  for (int i = 0; i < count; i++) {
    const cr_manifold_point *p = &manifold->points[i], *q = &turned.points[i];
    assert_true(p->a.x == q->b.x && p->a.y == q->b.y && p->a.z == q->b.z);
    assert_true(p->b.x == q->a.x && p->b.y == q->a.y && p->b.z == q->a.z);
    assert_true(p->distance == q->distance);
    assert_int_equal(p->feature >> 16 | p->feature << 16, q->feature);
  }
}

static void check_pair(const check_body* a, const check_body* b) {
  cr_manifold manifold;
  double size = fmax(largest_size(a), largest_size(b));
  double thickness =
      fmin(cr_shape_compute_thickness(&a->shape), cr_shape_compute_thickness(&b->shape));
  assert_true(cr_geom_collide(&a->shape, &a->X, &b->shape, &b->X, INFINITY, &manifold) > 0);
  check_manifold(a, b, &manifold, INFINITY, 1e-9 * size);
  if (!are_same(a, b)) check_mirror(a, b, &manifold, INFINITY);
  if (a->shape.type != CAROM_GEOM_PLANE && b->shape.type != CAROM_GEOM_PLANE) {
    double overlap = check_overlap(a, b, manifold.normal);
    check_near(check_deepest(&manifold), -overlap, FLAT_SLACK * thickness + OVERHANG_SLACK * size);
    assert_true(overlap <= least_obvious_overlap(a, b) + 1e-6 * size);
  }
  double margin = check_deepest(&manifold) + 0.01;
  if (margin < 0) margin = 0;
  cr_geom_collide(&a->shape, &a->X, &b->shape, &b->X, margin, &manifold);
  check_manifold(a, b, &manifold, margin, 1e-9 * size);
}

static void test_nasty_pairs(void** state) {
  (void)state;
  check_random random = {3};
  int num_cases = check_repeats(120000);
  for (int i = 0; i < num_cases; i++) {
    int type_a = check_random_int(&random, 0, 4), type_b = check_random_int(&random, 0, 4);
    if (type_a == CAROM_GEOM_PLANE && type_b == CAROM_GEOM_PLANE) continue;
    check_body a = {.shape = nasty_shape(&random, (carom_geom_type)type_a)};
    check_body b = {.shape = nasty_shape(&random, (carom_geom_type)type_b)};
    if (type_a == type_b && check_random_int(&random, 0, 2) == 0) b.shape = a.shape;
    a.X = (pose){nasty_position(&random), nasty_rotation(&random)};
    b.X = (pose){nasty_position(&random), nasty_rotation(&random)};
    if (check_random_int(&random, 0, 3) == 0) b.X.R = a.X.R;
    if (check_random_int(&random, 0, 5) == 0) b.X.p = a.X.p;
    check_pair(&a, &b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nasty_pairs)};
  return cmocka_run_group_tests_name("geom.collide_nasty", tests, NULL, NULL);
}
