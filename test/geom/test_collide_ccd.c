/* Distances and depths of random pairs against libccd (GJK and EPA over support functions).
 *
 * libccd's depth is that of a polytope within A - B, a lower bound whatever became of its
 * iteration; the overlap along its direction is an upper one. It has no distance, only whether
 * shapes meet. So a distance d is bracketed: with a ball of radius d + e added to one shape they
 * meet, with one of d - e they do not. */
#include "support/shapes.h"

#include <ccd/ccd.h>
#include <math.h>

/* A body with a ball added. */
typedef struct inflated {
  check_body body;
  double ball;
} inflated;

/* The support point, by formulas of its own. */
static void find_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const inflated* shape = object;
  const double* size = shape->body.shape.size;
  carom_geom_type type = shape->body.shape.type;
  v3 d = v3_make(direction->v[0], direction->v[1], direction->v[2]);
  d = v3_scale(1 / v3_norm(d), d);
  v3 l = m3_tmulv(&shape->body.X.R, d), x = v3_zero();
  double ball = shape->ball, across = hypot(l.x, l.y);
  if (type == CAROM_GEOM_SPHERE || type == CAROM_GEOM_CAPSULE) ball += size[0];
  if (type == CAROM_GEOM_CYLINDER && across > 0)
    x = v3_make(size[0] * l.x / across, size[0] * l.y / across, 0);
  if (type == CAROM_GEOM_BOX) x = v3_make(copysign(size[0], l.x), copysign(size[1], l.y), 0);
  if (type != CAROM_GEOM_SPHERE) x.z = copysign(size[type == CAROM_GEOM_BOX ? 2 : 1], l.z);
  x = v3_axpy(pose_point(&shape->body.X, x), ball, d);
  ccdVec3Set(point, x.x, x.y, x.z);
}

static void find_center(const void* object, ccd_vec3_t* center) {
  const inflated* shape = object;
  ccdVec3Set(center, shape->body.X.p.x, shape->body.X.p.y, shape->body.X.p.z);
}

static ccd_t settings(void) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = find_support;
  ccd.center1 = ccd.center2 = find_center;
  ccd.max_iterations = 1000;
  ccd.epa_tolerance = 1e-9;
  return ccd;
}

static bool meet(const check_body* a, const check_body* b, double ball) {
  ccd_t ccd = settings();
  inflated first = {*a, ball}, second = {*b, 0};
  return ccdGJKIntersect(&first, &second, &ccd);
}

/* libccd may take shapes for apart that as good as touch; and takes them for touching where the
 * square of a distance is below the rounding of one, so from 1.5e-8. */
#define SURELY_MEET  1e-2
#define SURELY_APART 1e-7
#define ROUNDING     1e-9

static void check_distance(const check_body* a, const check_body* b, double distance) {
  assert_true(meet(a, b, distance + SURELY_MEET));
  if (distance > SURELY_APART) assert_false(meet(a, b, distance - SURELY_APART));
}

/* Returns whether libccd's bounds are tight. Now and then it has no direction, and depth zero. */
static bool check_depth(const check_body* a, const check_body* b, double depth) {
  ccd_t ccd = settings();
  inflated first = {*a, 0}, second = {*b, 0};
  double lower;
  ccd_vec3_t direction, position;
  if (ccdGJKPenetration(&first, &second, &ccd, &lower, &direction, &position) != 0) {
    assert_true(depth < SURELY_MEET);
    return false;
  }
  v3 n = v3_make(direction.v[0], direction.v[1], direction.v[2]);
  double length = v3_norm(n), upper = INFINITY;
  if (length > 0) upper = check_overlap(a, b, v3_scale(1 / length, n));
  assert_true(depth >= lower - ROUNDING && depth <= upper + ROUNDING);
  return upper - lower < 1e-4;
}

/* Sizes from 0.1 to 1; anything from nearly concentric to apart. */
static void make_pair(check_random* random, int type_a, int type_b, check_body* a, check_body* b) {
  a->shape = check_random_shape(random, (carom_geom_type)type_a, 0.1, 1);
  b->shape = check_random_shape(random, (carom_geom_type)type_b, 0.1, 1);
  a->X = (pose){v3_zero(), check_random_rotation(random)};
  double radii =
      cr_shape_compute_bounding_radius(&a->shape) + cr_shape_compute_bounding_radius(&b->shape);
  double between = check_random_uniform(random, 0.05, 1.2) * radii;
  b->X = (pose){v3_scale(between, check_random_direction(random)), check_random_rotation(random)};
}

/* Of the depths libccd knows three in four to 1e-4 or better, for every pair of types; in the rest
 * it has ended early. */
static void check_types(check_random* random, int type_a, int type_b, int num_cases) {
  int apart = 0, deep = 0, tight = 0;
  for (int i = 0; i < num_cases; i++) {
    check_body a, b;
    v3 on_a, on_b, n;
    make_pair(random, type_a, type_b, &a, &b);
    double distance = cr_geom_compute_distance(&a.shape, &a.X, &b.shape, &b.X, &on_a, &on_b, &n);
    if (distance > 0) {
      check_distance(&a, &b, distance);
      apart++;
    } else {
      tight += check_depth(&a, &b, -distance);
      deep++;
    }
  }
  assert_true(apart > num_cases / 10 && deep > num_cases / 10);
  assert_true(4 * tight > 3 * deep);
}

static void test_random_pairs(void** state) {
  (void)state;
  check_random random = {1};
  for (int a = CAROM_GEOM_SPHERE; a <= CAROM_GEOM_BOX; a++)
    for (int b = CAROM_GEOM_SPHERE; b <= CAROM_GEOM_BOX; b++)
      check_types(&random, a, b, check_repeats(1500));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_pairs)};
  return cmocka_run_group_tests_name("geom.collide_ccd", tests, NULL, NULL);
}
