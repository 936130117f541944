/* Distances of all pairs of types: against closed forms where there are any; by certificate where
 * shapes are apart; against the least of densely sampled overlaps where they are deep. Normals and
 * witness points must agree with the distance, and nothing may hang on where in the world the pair
 * is, or on its order. */
#include "support/shapes.h"

#include <math.h>

/* A few hundred roundings of numbers of order one. */
#define ROUNDING 1e-13

/* Iterations (of directions on rims, and of the sampled reference) end at steps of 1e-8 or less,
 * whose squares count. */
#define CONVERGED 1e-9

/* Sizes from 0.1 to 1, the centres up to `far` bounding radii apart. */
static void make_pair(check_random* random, int type_a, int type_b, double far, check_body* a,
                      check_body* b) {
  check_body* bodies[2] = {a, b};
  double between = 0.3;
  for (int i = 0; i < 2; i++) {
    bodies[i]->shape = check_random_shape(random, (carom_geom_type)(i ? type_b : type_a), 0.1, 1);
    bodies[i]->X = (pose){check_random_direction(random), check_random_rotation(random)};
    if (bodies[i]->shape.type != CAROM_GEOM_PLANE)
      between += cr_shape_compute_bounding_radius(&bodies[i]->shape);
  }
  between *= check_random_uniform(random, 0, far);
  b->X.p = v3_axpy(a->X.p, between, check_random_direction(random));
}

/* Calls `check` for every ordered pair of types but two planes. */
static void for_each_pair(uint64_t seed, double far, int num_cases,
                          void (*check)(const check_body*, const check_body*)) {
  check_random random = {seed};
  num_cases = check_repeats(num_cases);
  for (int type_a = 0; type_a < 5; type_a++) {
    for (int type_b = type_a == 0; type_b < 5; type_b++) {
      for (int i = 0; i < num_cases; i++) {
        check_body a, b;
        make_pair(&random, type_a, type_b, far, &a, &b);
        check(&a, &b);
      }
    }
  }
}

/* --- Closed forms -------------------------------------------------------------------------------
 */

static double distance_to_segment(v3 x, v3 center, v3 half) {
  double t = v3_dot(v3_sub(x, center), half) / v3_norm2(half);
  return v3_norm(v3_sub(x, v3_axpy(center, fmax(-1, fmin(1, t)), half)));
}

/* Ends against the other segment, and where the lines cross if that is within both. */
static double distance_of_segments(v3 p, v3 u, v3 q, v3 v) {
  double least = INFINITY;
  for (int sign = -1; sign <= 1; sign += 2) {
    least = fmin(least, distance_to_segment(v3_axpy(p, sign, u), q, v));
    least = fmin(least, distance_to_segment(v3_axpy(q, sign, v), p, u));
  }
  v3 n = v3_cross(u, v), d = v3_sub(q, p);
  double s = v3_dot(v3_cross(d, v), n) / v3_norm2(n), t = v3_dot(v3_cross(d, u), n) / v3_norm2(n);
  bool cross = fabs(s) < 1 && fabs(t) < 1;
  return cross ? fmin(least, fabs(v3_dot(d, n)) / v3_norm(n)) : least;
}

static v3 half_axis(const check_body* capsule) {
  return v3_scale(capsule->shape.size[1], m3_column(&capsule->X.R, 2));
}

/* NaN where there is none. */
static double closed_form(const check_body* a, const check_body* b) {
  carom_geom_type p = a->shape.type, q = b->shape.type;
  if (p > q) return closed_form(b, a);
  v3 up = m3_column(&a->X.R, 2);
  if (p == CAROM_GEOM_PLANE) return -check_support_height(b, v3_neg(up)) - v3_dot(up, a->X.p);
  if (p == CAROM_GEOM_SPHERE) return check_point_distance(b, a->X.p) - a->shape.size[0];
  if (p != CAROM_GEOM_CAPSULE || q != CAROM_GEOM_CAPSULE) return NAN;
  return distance_of_segments(a->X.p, half_axis(a), b->X.p, half_axis(b)) - a->shape.size[0] -
         b->shape.size[0];
}

static void check_closed_form(const check_body* a, const check_body* b) {
  double expected = closed_form(a, b);
  if (!isnan(expected)) check_near(check_nearest_points(a, b).distance, expected, ROUNDING);
}

static void test_closed_forms(void** state) {
  (void)state;
  for_each_pair(1, 1.2, 1000, check_closed_form);
}

/* Boxes: the largest separation along the fifteen axes is the depth. */
static double separate_boxes(const check_body* a, const check_body* b) {
  double most = -INFINITY;
  for (int i = 0; i < 3; i++) {
    v3 u = m3_column(&a->X.R, i), v = m3_column(&b->X.R, i);
    most = fmax(most, -fmin(check_overlap(a, b, u), check_overlap(a, b, v3_neg(u))));
    most = fmax(most, -fmin(check_overlap(a, b, v), check_overlap(a, b, v3_neg(v))));
    for (int k = 0; k < 3; k++) {
      v3 w = v3_cross(u, m3_column(&b->X.R, k));
      w = v3_scale(1 / v3_norm(w), w);
      most = fmax(most, -fmin(check_overlap(a, b, w), check_overlap(a, b, v3_neg(w))));
    }
  }
  return most;
}

static void test_depth_of_boxes(void** state) {
  (void)state;
  check_random random = {2};
  int num_cases = check_repeats(5000);
  for (int i = 0; i < num_cases; i++) {
    check_body a, b;
    make_pair(&random, CAROM_GEOM_BOX, CAROM_GEOM_BOX, 0.8, &a, &b);
    double expected = separate_boxes(&a, &b);
    if (expected < 0) check_near(check_nearest_points(&a, &b).distance, expected, ROUNDING);
  }
}

/* --- Agreement ----------------------------------------------------------------------------------
 */

/* Witness points on both surfaces, `distance` apart along the normal. When the shapes are apart
 * this proves the distance: the points bound it from above, the separation along the normal from
 * below. */
static void check_witnesses(const check_body* a, const check_body* b) {
  check_nearest c = check_nearest_points(a, b);
  check_near(v3_norm(c.n), 1, ROUNDING);
  check_near(check_point_distance(a, c.a), 0, ROUNDING);
  check_near(check_point_distance(b, c.b), 0, ROUNDING);
  check_near(v3_dot(c.n, v3_sub(c.b, c.a)), c.distance, ROUNDING);
  if (a->shape.type == CAROM_GEOM_PLANE || b->shape.type == CAROM_GEOM_PLANE) return;
  check_near(-check_overlap(a, b, c.n), c.distance, CONVERGED);
  if (c.distance > 0) check_near(v3_norm(v3_sub(c.b, c.a)), c.distance, CONVERGED);
}

static void test_witnesses(void** state) {
  (void)state;
  for_each_pair(3, 1.2, 1000, check_witnesses);
}

/* No direction has less overlap; sampling finds one that has hardly more. */
static void check_least(const check_body* a, const check_body* b) {
  if (a->shape.type < CAROM_GEOM_CAPSULE || b->shape.type < CAROM_GEOM_CAPSULE) return;
  double distance = check_nearest_points(a, b).distance;
  if (distance < 0) check_near(-distance, check_least_overlap(a, b), CONVERGED);
}

static void test_least_overlap(void** state) {
  (void)state;
  for_each_pair(4, 0.7, 60, check_least);
}

static void check_swapped(const check_body* a, const check_body* b) {
  check_nearest c = check_nearest_points(a, b), d = check_nearest_points(b, a);
  assert_true(c.distance == d.distance);
  assert_true(v3_norm(v3_add(c.n, d.n)) == 0);
  assert_true(v3_norm(v3_sub(c.a, d.b)) == 0 && v3_norm(v3_sub(c.b, d.a)) == 0);
}

static void test_swapped(void** state) {
  (void)state;
  for_each_pair(5, 1.2, 1000, check_swapped);
}

/* The pair moved as one. Where two normals are as good either may come, so the moved one is judged
 * by its overlap. The poses' rounding, at ten metres, is all that may show. */
static void check_moved(const check_body* a, const check_body* b) {
  static check_random random = {60};
  check_nearest c = check_nearest_points(a, b);
  pose X = {v3_scale(10, check_random_direction(&random)), check_random_rotation(&random)};
  check_body moved_a = {a->shape, pose_mul(&X, &a->X)}, moved_b = {b->shape, pose_mul(&X, &b->X)};
  check_nearest moved = check_nearest_points(&moved_a, &moved_b);
  check_near(moved.distance, c.distance, CONVERGED);
  if (a->shape.type == CAROM_GEOM_PLANE || b->shape.type == CAROM_GEOM_PLANE) return;
  v3 n = m3_tmulv(&X.R, moved.n);
  check_near(-check_overlap(a, b, v3_scale(1 / v3_norm(n), n)), c.distance, CONVERGED);
}

static void test_moved_as_one(void** state) {
  (void)state;
  for_each_pair(6, 1.2, 1000, check_moved);
}

/* Nothing within the margin that is not there at a larger one, and nothing missed. */
static void check_margin(const check_body* a, const check_body* b) {
  cr_manifold manifold;
  double distance = check_nearest_points(a, b).distance;
  if (distance <= 0) return;
  double more = distance * (1 + 1e-9), less = distance * (1 - 1e-9);
  assert_true(cr_geom_collide(&a->shape, &a->X, &b->shape, &b->X, more, &manifold) > 0);
  check_manifold(a, b, &manifold, more, ROUNDING);
  check_near(check_deepest(&manifold), distance, CONVERGED);
  assert_int_equal(cr_geom_collide(&a->shape, &a->X, &b->shape, &b->X, less, &manifold), 0);
}

static void test_margin(void** state) {
  (void)state;
  for_each_pair(7, 1.5, 500, check_margin);
}

/* --- By hand ------------------------------------------------------------------------------------
 */

static void check_value(check_body a, check_body b, double distance, v3 n) {
  check_nearest c = check_nearest_points(&a, &b);
  check_near(c.distance, distance, ROUNDING);
  check_near(v3_norm(v3_sub(c.n, n)), 0, ROUNDING);
}

static check_body body_at(carom_geom_type type, double a, double b, double c, v3 p, v3 turn) {
  return (check_body){{.type = type, .size = {a, b, c}}, {p, quat_to_m3(quat_exp(turn))}};
}

/* Corner to corner, edge to corner, rim to rim and the like, where shapes are apart. */
static void test_by_hand(void** state) {
  (void)state;
  const v3 none = {0, 0, 0};
  const double root2 = sqrt(0.5), root3 = sqrt(1.0 / 3);
  check_body box = body_at(CAROM_GEOM_BOX, 1, 1, 1, none, none);
  check_body cylinder = body_at(CAROM_GEOM_CYLINDER, 1, 1, 0, none, none);
  check_body capsule = body_at(CAROM_GEOM_CAPSULE, 0.5, 1, 0, none, none);
  box.X.p = v3_make(3, 3, 3);
  check_value(body_at(CAROM_GEOM_BOX, 1, 1, 1, none, none), box, sqrt(3),
              v3_make(root3, root3, root3));
  check_value(cylinder, box, hypot(2 * sqrt(2) - 1, 1),
              v3_scale(1 / hypot(2 * sqrt(2) - 1, 1), v3_make(2 - root2, 2 - root2, 1)));
  check_value(capsule, box, sqrt(9) - 0.5, v3_make(2 / 3.0, 2 / 3.0, 1 / 3.0));
  box.X.p = v3_make(3, 0, 3);
  check_value(body_at(CAROM_GEOM_BOX, 1, 1, 1, none, none), box, sqrt(2), v3_make(root2, 0, root2));
  check_value(cylinder, box, sqrt(2), v3_make(root2, 0, root2));
  check_value(capsule, box, sqrt(5) - 0.5, v3_make(2 / sqrt(5), 0, 1 / sqrt(5)));
  cylinder.X.p = v3_make(3, 4, 5);
  check_value(body_at(CAROM_GEOM_CYLINDER, 1, 1, 0, none, none), cylinder, sqrt(18),
              v3_scale(1 / sqrt(18), v3_make(1.8, 2.4, 3)));
  check_value(capsule, cylinder, 5 - 0.5, v3_make(0.6 * 0.8, 0.8 * 0.8, 0.6));
  /* Coaxial: cap to cap, end to cap; deep: the caps' way out is shorter. */
  cylinder.X.p = v3_make(0, 0, 2.5);
  check_value(body_at(CAROM_GEOM_CYLINDER, 1, 1, 0, none, none), cylinder, 0.5, v3_make(0, 0, 1));
  check_value(capsule, cylinder, 0, v3_make(0, 0, 1));
  cylinder.X.p = v3_make(0, 0, 1.75);
  check_value(body_at(CAROM_GEOM_CYLINDER, 1, 1, 0, none, none), cylinder, -0.25, v3_make(0, 0, 1));
  check_value(capsule, cylinder, -0.75, v3_make(0, 0, 1));
}

/* Two planes; and poses that are not finite, of which nothing is asked but an end. */
static void test_no_distance(void** state) {
  (void)state;
  const v3 none = {0, 0, 0};
  check_body plane = body_at(CAROM_GEOM_PLANE, 0, 0, 0, none, none);
  cr_manifold manifold;
  assert_true(isnan(check_nearest_points(&plane, &plane).distance));
  assert_int_equal(cr_geom_collide(&plane.shape, &plane.X, &plane.shape, &plane.X, 1, &manifold),
                   0);
  for (int type_a = 0; type_a < 5; type_a++) {
    for (int type_b = type_a == 0; type_b < 5; type_b++) {
      check_body a = body_at((carom_geom_type)type_a, 1, 1, 1, none, none);
      check_body b = body_at((carom_geom_type)type_b, 1, 1, 1, v3_make(NAN, 0, 0), none);
      check_nearest_points(&a, &b);
      int count = cr_geom_collide(&a.shape, &a.X, &b.shape, &b.X, 1, &manifold);
      assert_in_range(count, 0, CR_MANIFOLD_MAX);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_depth_of_boxes),
      cmocka_unit_test(test_witnesses),    cmocka_unit_test(test_least_overlap),
      cmocka_unit_test(test_swapped),      cmocka_unit_test(test_moved_as_one),
      cmocka_unit_test(test_margin),       cmocka_unit_test(test_by_hand),
      cmocka_unit_test(test_no_distance),
  };
  return cmocka_run_group_tests_name("geom.collide_pairs", tests, NULL, NULL);
}
