/* Patches of bodies at rest: how many points, where, with which normal; that they keep their names
 * under small motion; that distances change no faster than the bodies move. */
#include "support/shapes.h"

#include <math.h>

static check_body body_at(carom_geom_type type, double a, double b, double c, v3 p, v3 rotation) {
  return (check_body){{.type = type, .size = {a, b, c}}, {p, quat_to_m3(quat_exp(rotation))}};
}

static int collide(const check_body* a, const check_body* b, double margin, cr_manifold* manifold) {
  int count = cr_geom_collide(&a->shape, &a->X, &b->shape, &b->X, margin, manifold);
  check_manifold(a, b, manifold, margin, 1e-9);
  return count;
}

static void check_normal(const cr_manifold* manifold, double x, double y, double z) {
  assert_true(manifold->normal.x == x && manifold->normal.y == y && manifold->normal.z == z);
}

static bool has_point(const cr_manifold* manifold, double x, double y, double tolerance) {
  for (int i = 0; i < manifold->count; i++)
    if (hypot(manifold->points[i].b.x - x, manifold->points[i].b.y - y) < tolerance) return true;
  return false;
}

#define HALF_TURN 3.14159265358979323846
static const v3 origin = {0, 0, 0}, upright = {0, 0, 0};

static void test_box_on_plane(void** state) {
  (void)state;
  check_body plane = body_at(CAROM_GEOM_PLANE, 0, 0, 0, origin, upright);
  check_body box = body_at(CAROM_GEOM_BOX, 1, 2, 0.5, (v3){3, 4, 0.49}, (v3){0, 0, 0.3});
  cr_manifold manifold;
  assert_int_equal(collide(&plane, &box, 0, &manifold), 4);
  check_normal(&manifold, 0, 0, 1);
  for (int i = 0; i < 4; i++) check_near(manifold.points[i].distance, -0.01, 1e-15);
  /* On its edge, and on its corner. */
  box.X = (pose){{0, 0, hypot(2, 0.5) - 1e-3}, quat_to_m3(quat_exp((v3){atan2(2, 0.5), 0, 0}))};
  assert_int_equal(collide(&plane, &box, 0, &manifold), 2);
  box.X = (pose){{0, 0, 0}, quat_to_m3(quat_exp((v3){0.5, 0.6, 0.7}))};
  box.X.p.z = check_support_height(&box, (v3){0, 0, -1}) - 1e-3;
  assert_int_equal(collide(&plane, &box, 0, &manifold), 1);
  check_near(manifold.points[0].distance, -1e-3, 1e-15);
}

static void test_box_on_equal_box(void** state) {
  (void)state;
  check_body lower = body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, origin, upright);
  check_body upper = body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, (v3){0, 0, 0.999}, upright);
  cr_manifold manifold;
  assert_int_equal(collide(&lower, &upper, 0, &manifold), 4);
  check_normal(&manifold, 0, 0, 1);
  for (int i = 0; i < 4; i++) {
    check_near(manifold.points[i].distance, -0.001, 1e-15);
    assert_true(has_point(&manifold, i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, 1e-15));
  }
  /* Turned by 45 degrees: an octagon. */
  upper.X.R = quat_to_m3(quat_exp((v3){0, 0, HALF_TURN / 4}));
  assert_int_equal(collide(&lower, &upper, 0, &manifold), 8);
  /* Hovering within the margin. */
  upper.X.p.z = 1.01;
  assert_int_equal(collide(&lower, &upper, 0.02, &manifold), 8);
  check_near(check_deepest(&manifold), 0.01, 1e-15);
  assert_int_equal(collide(&lower, &upper, 0.01 - 1e-12, &manifold), 0);
}

/* Boards that lie across each other touch in the square where they cross, however they tilt. */
static void test_crossed_boards(void** state) {
  (void)state;
  const double tilts[] = {0, 1e-13, 1e-10, 1e-7, 1e-5, 1e-3, 0.02};
  check_body lower = body_at(CAROM_GEOM_BOX, 2, 0.1, 0.05, origin, upright);
  for (int i = 0; i < 7; i++) {
    check_body upper = body_at(CAROM_GEOM_BOX, 0.1, 2, 0.05, (v3){0, 0, 0.0999},
                               (v3){tilts[i], -0.7 * tilts[i], 0});
    cr_manifold manifold;
    assert_int_equal(collide(&lower, &upper, 0.01, &manifold), 4);
    for (int k = 0; k < 4; k++)
      assert_true(
          has_point(&manifold, k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, 3 * tilts[i] + 1e-9));
    check_near(manifold.normal.z, 1, tilts[i] * tilts[i] + 1e-15);
  }
}

static void test_box_edges(void** state) {
  (void)state;
  check_body lower = body_at(CAROM_GEOM_BOX, 1, 1, 1, origin, upright);
  check_body upper = body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, (v3){0.2, 0.1, 1 + sqrt(0.5) - 0.001},
                             (v3){HALF_TURN / 4, 0, 0});
  cr_manifold manifold;
  assert_int_equal(collide(&lower, &upper, 0, &manifold), 2);
  check_normal(&manifold, 0, 0, 1);
  assert_true(has_point(&manifold, 0.7, 0.1, 1e-12) && has_point(&manifold, -0.3, 0.1, 1e-12));
  /* Edge across edge: both boxes turned by 45 degrees about axes that cross. */
  lower.X.R = quat_to_m3(quat_exp((v3){HALF_TURN / 4, 0, 0}));
  upper.X =
      (pose){{0.2, 0.1, 1.5 * sqrt(2) - 0.01}, quat_to_m3(quat_exp((v3){0, HALF_TURN / 4, 0}))};
  assert_int_equal(collide(&lower, &upper, 0, &manifold), 1);
  check_near(manifold.points[0].distance, -0.01, 1e-14);
  assert_true(has_point(&manifold, 0.2, 0, 1e-12));
  check_near(manifold.normal.z, 1, 1e-15);
}

/* The points lie around the rim like the corners of a regular polygon. */
static void check_ring(const cr_manifold* manifold, double radius, double x, double y,
                       double tolerance) {
  double sum[2] = {0}, moment[3] = {0};
  assert_int_equal(manifold->count, 6);
  for (int i = 0; i < 6; i++) {
    double dx = manifold->points[i].b.x - x, dy = manifold->points[i].b.y - y;
    check_near(hypot(dx, dy), radius, tolerance);
    sum[0] += dx, sum[1] += dy;
    moment[0] += dx * dx, moment[1] += dy * dy, moment[2] += dx * dy;
  }
  check_near_array(sum, ((double[2]){0, 0}), 2, 6 * tolerance);
  check_near_array(moment, ((double[3]){3 * radius * radius, 3 * radius * radius, 0}), 3,
                   6 * tolerance);
}

static void test_standing_cylinder(void** state) {
  (void)state;
  const check_body bases[] = {
      body_at(CAROM_GEOM_PLANE, 0, 0, 0, (v3){0, 0, 0}, upright),
      body_at(CAROM_GEOM_BOX, 1, 1, 0.5, (v3){0, 0, -0.5}, upright),
      body_at(CAROM_GEOM_CYLINDER, 1, 0.5, 0, (v3){0, 0, -0.5}, upright),
  };
  const double tilts[] = {0, 1e-16, 1e-12, 1e-9, 1e-6};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 5; k++) {
      double tilt = tilts[k];
      check_body cylinder = body_at(CAROM_GEOM_CYLINDER, 0.3, 0.6, 0, (v3){0.2, -0.1, 0.5999},
                                    (v3){tilt, -2 * tilt, 1});
      cr_manifold manifold;
      collide(&bases[i], &cylinder, 0, &manifold);
      check_ring(&manifold, 0.3, 0.2, -0.1, 2 * tilt + 1e-11);
      check_near(manifold.normal.z, 1, 1e-11);
      double sine = hypot(cylinder.X.R.m[0][2], cylinder.X.R.m[1][2]);
      check_near(check_deepest(&manifold), -0.0001 - 0.3 * sine, 1e-11);
    }
  }
}

/* Equal cylinders in a stack, and one that stands over the edge of a table. */
static void test_cylinder_stack_and_overhang(void** state) {
  (void)state;
  check_body lower = body_at(CAROM_GEOM_CYLINDER, 0.4, 0.5, 0, origin, (v3){0, 0, 0.4});
  check_body upper =
      body_at(CAROM_GEOM_CYLINDER, 0.4, 0.5, 0, (v3){1e-13, -1e-12, 0.9999}, upright);
  cr_manifold manifold;
  collide(&lower, &upper, 0, &manifold);
  check_ring(&manifold, 0.4, 0, 0, 1e-11);
  check_near(manifold.normal.z, 1, 1e-15);
  /* Beside each other by half a radius: a lens, with both its corners. */
  upper.X.p = (v3){0.2, 0, 0.9999};
  assert_true(collide(&lower, &upper, 0, &manifold) >= 4);
  double y = sqrt(0.4 * 0.4 - 0.1 * 0.1);
  assert_true(has_point(&manifold, 0.1, y, 1e-12) && has_point(&manifold, 0.1, -y, 1e-12));
  assert_true(has_point(&manifold, 0.4, 0, 1e-12) && has_point(&manifold, -0.2, 0, 1e-12));
  /* The table ends at x = 0. */
  check_body table = body_at(CAROM_GEOM_BOX, 1, 1, 0.5, (v3){-1, 0, 0}, upright);
  upper.X.p = (v3){-0.1, 0.2, 0.9999};
  assert_true(collide(&table, &upper, 0, &manifold) >= 4);
  y = sqrt(0.4 * 0.4 - 0.1 * 0.1);
  assert_true(has_point(&manifold, 0, 0.2 + y, 1e-12) && has_point(&manifold, 0, 0.2 - y, 1e-12));
}

static void test_lying(void** state) {
  (void)state;
  const check_body bases[] = {
      body_at(CAROM_GEOM_PLANE, 0, 0, 0, (v3){0, 0, 0}, upright),
      body_at(CAROM_GEOM_BOX, 1, 1, 0.5, (v3){0, 0, -0.5}, upright),
      body_at(CAROM_GEOM_CYLINDER, 1, 0.5, 0, (v3){0, 0, -0.5}, upright),
  };
  const carom_geom_type types[] = {CAROM_GEOM_CAPSULE, CAROM_GEOM_CYLINDER};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      check_body lying =
          body_at(types[k], 0.1, 0.5, 0, (v3){0.1, 0.2, 0.0999}, (v3){0, HALF_TURN / 2, 0});
      cr_manifold manifold;
      assert_int_equal(collide(&bases[i], &lying, 0, &manifold), 2);
      check_near(manifold.normal.z, 1, 1e-15);
      assert_true(has_point(&manifold, 0.6, 0.2, 1e-9) && has_point(&manifold, -0.4, 0.2, 1e-9));
    }
  }
}

/* Capsules and cylinders side by side touch at both ends of their overlap; crossed ones once. */
static void test_side_by_side(void** state) {
  (void)state;
  const carom_geom_type types[] = {CAROM_GEOM_CAPSULE, CAROM_GEOM_CYLINDER};
  for (int i = 0; i < 4; i++) {
    check_body lower = body_at(types[i & 1], 0.1, 0.5, 0, origin, (v3){0, HALF_TURN / 2, 0});
    check_body upper = lower;
    upper.shape.type = types[i / 2];
    upper.X.p = (v3){0.3, 0, 0.1999};
    cr_manifold manifold;
    assert_int_equal(collide(&lower, &upper, 0, &manifold), 2);
    assert_true(has_point(&manifold, 0.5, 0, 1e-12) && has_point(&manifold, -0.2, 0, 1e-12));
    check_near(manifold.normal.z, 1, 1e-15);
    check_near(manifold.points[0].distance, -0.0001, 1e-15);
    check_near(manifold.points[1].distance, -0.0001, 1e-15);
    upper.X.R = quat_to_m3(quat_exp((v3){HALF_TURN / 2, 0, 0}));
    assert_int_equal(collide(&lower, &upper, 0, &manifold), 1);
    assert_true(has_point(&manifold, 0.3, 0, 1e-12));
  }
}

/* Configurations at rest, by number; A is below. */
static int rest_pair(int number, check_body* a, check_body* b) {
  const check_body pairs[][2] = {
      {body_at(CAROM_GEOM_PLANE, 0, 0, 0, origin, upright),
       body_at(CAROM_GEOM_BOX, 0.5, 0.4, 0.3, (v3){0, 0, 0.299}, upright)},
      {body_at(CAROM_GEOM_PLANE, 0, 0, 0, origin, upright),
       body_at(CAROM_GEOM_CYLINDER, 0.5, 0.4, 0, (v3){0, 0, 0.399}, upright)},
      {body_at(CAROM_GEOM_PLANE, 0, 0, 0, origin, upright),
       body_at(CAROM_GEOM_CAPSULE, 0.1, 0.4, 0, (v3){0, 0, 0.099}, (v3){HALF_TURN / 2, 0, 0})},
      {body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, origin, upright),
       body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, (v3){0, 0, 0.999}, upright)},
      {body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, origin, upright),
       body_at(CAROM_GEOM_BOX, 0.3, 0.2, 0.5, (v3){0.1, 0, 0.999}, (v3){0, 0, 0.5})},
      {body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, origin, upright),
       body_at(CAROM_GEOM_CYLINDER, 0.3, 0.5, 0, (v3){0, 0, 0.999}, upright)},
      {body_at(CAROM_GEOM_CYLINDER, 0.5, 0.5, 0, origin, upright),
       body_at(CAROM_GEOM_CYLINDER, 0.3, 0.5, 0, (v3){0.1, 0, 0.999}, upright)},
      {body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, origin, upright),
       body_at(CAROM_GEOM_CYLINDER, 0.1, 0.4, 0, (v3){0, 0, 0.599}, (v3){HALF_TURN / 2, 0, 0})},
      {body_at(CAROM_GEOM_CAPSULE, 0.1, 0.5, 0, origin, (v3){HALF_TURN / 2, 0, 0}),
       body_at(CAROM_GEOM_CAPSULE, 0.1, 0.3, 0, (v3){0, 0, 0.199}, (v3){HALF_TURN / 2, 0, 0})},
      {body_at(CAROM_GEOM_BOX, 0.5, 0.5, 0.5, origin, upright),
       body_at(CAROM_GEOM_CAPSULE, 0.1, 0.4, 0, (v3){0, 0, 0.599}, (v3){HALF_TURN / 2, 0, 0})},
  };
  int count = (int)(sizeof pairs / sizeof pairs[0]);
  if (number < count) *a = pairs[number][0], *b = pairs[number][1];
  return count;
}

/* How far the normal of a pair at rest turns, per motion (a shift, and a turn in radians, each of
 * one). A face's normal turns with its body. That of two capsules side by side leads from axis to
 * axis, 0.199 apart, and is fixed at the end of the upper one, half of which is 0.3 long. */
static double find_turn(const check_body* a, const check_body* b) {
  bool are_capsules = a->shape.type == CAROM_GEOM_CAPSULE && b->shape.type == CAROM_GEOM_CAPSULE;
  return are_capsules ? (1 + 0.3) / 0.199 : 1;
}

/* Moves a body by up to `size`, and turns it by as much. */
static void disturb(check_random* random, double size, check_body* body) {
  v3 turn = v3_scale(size, check_random_direction(random));
  m3 R = quat_to_m3(quat_exp(turn));
  body->X.R = m3_mul(&R, &body->X.R);
  body->X.p = v3_axpy(body->X.p, size, check_random_direction(random));
}

static bool has_feature(const cr_manifold* manifold, uint32_t feature) {
  for (int i = 0; i < manifold->count; i++)
    if (manifold->points[i].feature == feature) return true;
  return false;
}

static void test_features_persist(void** state) {
  (void)state;
  check_random random = {5};
  check_body a, b;
  int count = rest_pair(1000, &a, &b);
  for (int i = 0; i < count; i++) {
    cr_manifold first, moved;
    rest_pair(i, &a, &b);
    collide(&a, &b, 0.01, &first);
    for (int k = 0; k < 300; k++) {
      double size = pow(10, check_random_uniform(&random, -15, i == 3 ? -8 : -4));
      rest_pair(i, &a, &b);
      disturb(&random, size, &b);
      assert_int_equal(collide(&a, &b, 0.01, &moved), first.count);
      check_near(v3_norm(v3_cross(moved.normal, first.normal)), 0,
                 1.001 * find_turn(&a, &b) * size + 1e-15);
      for (int j = 0; j < first.count; j++)
        if (!has_feature(&moved, first.points[j].feature)) {
          check_print_pair(&a, &b);
          fail_msg("pair %d lost feature %x after a motion of %g", i, first.points[j].feature,
                   size);
        }
    }
  }
}

/* No point of B moves farther than the step plus the turn times its radius. */
static void test_distance_is_continuous(void** state) {
  (void)state;
  check_random random = {6};
  int num_cases = check_repeats(20000);
  for (int i = 0; i < num_cases; i++) {
    int type_a = check_random_int(&random, 1, 4), type_b = check_random_int(&random, 1, 4);
    check_body a = {check_random_shape(&random, (carom_geom_type)type_a, 0.1, 1), pose_identity()};
    check_body b = {check_random_shape(&random, (carom_geom_type)type_b, 0.1, 1), pose_identity()};
    b.X.R = check_random_rotation(&random);
    b.X.p = v3_scale(check_random_uniform(&random, 0, 2), check_random_direction(&random));
    v3 pa, pb, n;
    double before = cr_geom_compute_distance(&a.shape, &a.X, &b.shape, &b.X, &pa, &pb, &n);
    double size = pow(10, check_random_uniform(&random, -12, -2));
    disturb(&random, size, &b);
    double after = cr_geom_compute_distance(&a.shape, &a.X, &b.shape, &b.X, &pa, &pb, &n);
    double reach = size * (1 + cr_shape_compute_bounding_radius(&b.shape));
    check_near(after, before, reach + 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box_on_plane),
      cmocka_unit_test(test_box_on_equal_box),
      cmocka_unit_test(test_crossed_boards),
      cmocka_unit_test(test_box_edges),
      cmocka_unit_test(test_standing_cylinder),
      cmocka_unit_test(test_cylinder_stack_and_overhang),
      cmocka_unit_test(test_lying),
      cmocka_unit_test(test_side_by_side),
      cmocka_unit_test(test_features_persist),
      cmocka_unit_test(test_distance_is_continuous),
  };
  return cmocka_run_group_tests_name("geom.collide_patch", tests, NULL, NULL);
}
