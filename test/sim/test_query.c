/* Rays and distances: every shape from outside along known lines, on bodies that have moved; hits
 * that lie on the surface along all directions; distances between points that realise them. */
#include "support/world.h"

#include "carom/query.h"

#include <math.h>
#include <string.h>

static const char SHAPES[] =
    "<mujoco><asset><mesh name='wedge' vertex='-.1 -.1 -.1 .3 -.1 -.1 -.1 .3 -.1 -.1 -.1 .3'/>"
    "<hfield name='field' nrow='2' ncol='2' size='1 1 .4 .1' elevation='0 1 0 1'/></asset>"
    "<worldbody><geom name='floor' type='plane' size='9 9 1' pos='0 0 -1'/>"
    "<body name='sphere' pos='2 0 0'><freejoint/><geom name='sphere' size='.2'/></body>"
    "<body name='box' pos='4 0 0'><freejoint/><geom name='box' type='box' size='.1 .2 .3'/></body>"
    "<body name='capsule' pos='6 0 0'><freejoint/>"
    "<geom name='capsule' type='capsule' size='.1 .2'/></body>"
    "<body name='cylinder' pos='8 0 0'><freejoint/>"
    "<geom name='cylinder' type='cylinder' size='.1 .2'/></body>"
    "<body name='ellipsoid' pos='-2 0 0'><freejoint/>"
    "<geom name='ellipsoid' type='ellipsoid' size='.1 .2 .3'/></body>"
    "<body name='mesh' pos='-4 0 0'><freejoint/>"
    "<geom name='mesh' type='mesh' mesh='wedge' pos='.3 .1 0' euler='20 30 40'/></body>"
    "<geom name='field' type='hfield' hfield='field' pos='-7 0 0'/>"
    "</worldbody></mujoco>";

/* The scene, and where its bodies are. */
typedef struct scene {
  world w;
  double poses[7 * 16];
} scene;

static scene scene_create(void) {
  scene s = {.w = world_create(SHAPES, NULL)};
  assert_in_range(s.w.sizes.num_bodies, 1, 16);
  carom_sim_compute_poses(s.w.sim, s.poses);
  return s;
}

static carom_ray_hit cast(const scene* s, const carom_ray* ray) {
  carom_ray_hit hit;
  carom_error error;
  check_ok(carom_model_cast_ray(s->w.model, s->poses, ray, &hit, &error), &error);
  return hit;
}

typedef struct expectation {
  const char* geom;
  carom_ray ray;
  double distance, normal[3];
} expectation;

/* The field rises by 0.4 m over 2 m along x. */
static void test_known_rays(void** state) {
  (void)state;
  scene s = scene_create();
  const double slope = hypot(0.4, 2);
  const expectation all[] = {
      {"sphere", {{2, 0, 3}, {0, 0, -2}, NULL}, 2.8, {0, 0, 1}},
      {"box", {{4, -3, 0.1}, {0, 1, 0}, NULL}, 2.8, {0, -1, 0}},
      {"capsule", {{6, 0, 3}, {0, 0, -1}, NULL}, 2.7, {0, 0, 1}},
      {"capsule", {{6, 1, 0.1}, {0, -1, 0}, NULL}, 0.9, {0, 1, 0}},
      {"cylinder", {{8, 0.05, 3}, {0, 0, -1}, NULL}, 2.8, {0, 0, 1}},
      {"cylinder", {{8, 1, 0.1}, {0, -1, 0}, NULL}, 0.9, {0, 1, 0}},
      {"ellipsoid", {{-2, 0, 3}, {0, 0, -1}, NULL}, 2.7, {0, 0, 1}},
      {"field", {{-7, 0.3, 3}, {0, 0, -1}, NULL}, 2.8, {-0.4 / slope, 0, 2 / slope}},
      {"floor", {{0, 0, 3}, {0, 0, -1}, NULL}, 4, {0, 0, 1}},
      {"sphere", {{2, 0, 0}, {1, 0, 0}, NULL}, 0.2, {1, 0, 0}},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    carom_ray_hit hit = cast(&s, &all[i].ray);
    assert_int_equal(hit.geom, carom_model_find_geom(s.w.model, all[i].geom));
    check_near(hit.distance, all[i].distance, 1e-12);
    check_near_array(hit.normal, all[i].normal, 3, 1e-9);
  }
  world_destroy(&s.w);
}

/* What is skipped is seen through; what meets nothing says so. */
static void test_skipped(void** state) {
  (void)state;
  scene s = scene_create();
  bool skipped[16] = {false};
  carom_ray ray = {{2, 0, 3}, {0, 0, -1}, skipped};
  skipped[carom_model_find_body(s.w.model, "sphere")] = true;
  carom_ray_hit hit = cast(&s, &ray);
  assert_int_equal(hit.geom, carom_model_find_geom(s.w.model, "floor"));
  check_near(hit.distance, 4, 1e-12);
  ray.direction[2] = 1;
  hit = cast(&s, &ray);
  assert_int_equal(hit.geom, -1);
  assert_true(isinf(hit.distance));
  world_destroy(&s.w);
}

/* Bodies that have moved and turned: a ball of no size at the hit touches the geometry, and the
 * normal is that of the plane there: along it the geometry is left. */
static void test_all_directions(void** state) {
  (void)state;
  scene s = scene_create();
  world_run(&s.w, 50);
  carom_sim_compute_poses(s.w.sim, s.poses);
  for (int g = 0; g < s.w.sizes.num_geoms; g++) {
    int body = carom_model_get_geom(s.w.model, g).body;
    if (body == 0) continue;
    bool skipped[16];
    for (int b = 0; b < 16; b++) skipped[b] = b != body;
    for (int k = 0; k < 200; k++) {
      double z = (k + 0.5) / 100 - 1, r = sqrt(1 - z * z), turn = 2.4 * k;
      double out[3] = {r * cos(turn), r * sin(turn), z};
      carom_ray ray = {{0}, {-out[0], -out[1], -out[2]}, skipped};
      carom_body_info info = carom_model_get_body(s.w.model, body);
      const double* p = s.poses + 7 * body;
      /* Through the centre of mass, which lies within; only the mesh's is off its frame. */
      for (int i = 0; i < 3; i++) ray.origin[i] = p[i] + info.com[i] + 2 * out[i];
      carom_ray_hit hit = cast(&s, &ray);
      assert_int_equal(hit.geom, g);
      double facing = 0, length = 0;
      for (int i = 0; i < 3; i++) facing += hit.normal[i] * out[i];
      for (int i = 0; i < 3; i++) length += hit.normal[i] * hit.normal[i];
      check_near(length, 1, 1e-12);
      assert_true(facing > 0);
      /* A little ahead the ray is within, and leaves on the other side. */
      for (int i = 0; i < 3; i++) ray.origin[i] = hit.point[i] - 1e-7 * out[i];
      assert_true(cast(&s, &ray).distance > 1e-6);
    }
  }
  world_destroy(&s.w);
}

static carom_distance measure(const scene* s, const char* first, const char* second) {
  carom_distance d;
  carom_error error;
  const int geoms[2] = {carom_model_find_geom(s->w.model, first),
                        carom_model_find_geom(s->w.model, second)};
  check_ok(carom_model_compute_distance(s->w.model, s->poses, geoms, &d, &error), &error);
  return d;
}

static void test_distances(void** state) {
  (void)state;
  scene s = scene_create();
  const double x[3] = {1, 0, 0};
  carom_distance d = measure(&s, "sphere", "box");
  check_near(d.distance, 1.7, 1e-12);
  check_near_array(d.normal, x, 3, 1e-12);
  check_near(d.point1[0], 2.2, 1e-12);
  check_near(d.point2[0], 3.9, 1e-12);
  check_near(measure(&s, "box", "capsule").distance, 1.8, 1e-9);
  check_near(measure(&s, "capsule", "cylinder").distance, 1.8, 1e-9);
  check_near(measure(&s, "floor", "cylinder").distance, 0.8, 1e-12);
  check_near(measure(&s, "ellipsoid", "sphere").distance, 3.7, 1e-9);
  /* Above the field, which rises by 0.4 m over 2 m; beside it there is no distance. */
  carom_error error;
  const int beside[2] = {carom_model_find_geom(s.w.model, "field"),
                         carom_model_find_geom(s.w.model, "sphere")};
  assert_int_equal(carom_model_compute_distance(s.w.model, s.poses, beside, &d, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  double* ball = s.poses + 7 * carom_model_find_body(s.w.model, "sphere");
  ball[0] = -7, ball[2] = 1;
  check_near(measure(&s, "field", "sphere").distance, 0.8 * 2 / hypot(0.4, 2) - 0.2, 1e-9);
  ball[2] = 0;
  /* In overlap: the least way that parts them. */
  ball[0] = 4.05;
  d = measure(&s, "sphere", "box");
  check_near(d.distance, -0.25, 1e-9);
  world_destroy(&s.w);
}

/* For all pairs: distance = normal . (point2 - point1), and mirrored the other way round. */
static void test_witnesses(void** state) {
  (void)state;
  scene s = scene_create();
  world_run(&s.w, 50);
  carom_sim_compute_poses(s.w.sim, s.poses);
  for (int a = 0; a < s.w.sizes.num_geoms; a++)
    for (int b = 0; b < s.w.sizes.num_geoms; b++) {
      carom_distance d, back;
      const int geoms[2] = {a, b}, turned[2] = {b, a};
      carom_error error;
      carom_geom_info first = carom_model_get_geom(s.w.model, a),
                      second = carom_model_get_geom(s.w.model, b);
      if (first.body == second.body) continue;
      if (first.type == CAROM_GEOM_HEIGHT_FIELD || second.type == CAROM_GEOM_HEIGHT_FIELD) continue;
      check_ok(carom_model_compute_distance(s.w.model, s.poses, geoms, &d, &error), &error);
      check_ok(carom_model_compute_distance(s.w.model, s.poses, turned, &back, &error), &error);
      double along = 0;
      for (int i = 0; i < 3; i++) along += d.normal[i] * (d.point2[i] - d.point1[i]);
      check_near(along, d.distance, 1e-12);
      check_near(back.distance, d.distance, 1e-12);
      for (int i = 0; i < 3; i++) check_near(back.normal[i], -d.normal[i], 1e-12);
    }
  world_destroy(&s.w);
}

static void test_refused(void** state) {
  (void)state;
  scene s = scene_create();
  carom_ray_hit hit;
  carom_distance d;
  carom_error error;
  carom_ray ray = {{0, 0, 0}, {0, 0, 0}, NULL};
  assert_int_equal(carom_model_cast_ray(s.w.model, s.poses, &ray, &hit, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "direction is zero"));
  ray.direction[0] = NAN;
  assert_int_equal(carom_model_cast_ray(s.w.model, s.poses, &ray, &hit, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  const int floor_twice[2] = {0, 0}, beyond[2] = {0, s.w.sizes.num_geoms};
  assert_int_equal(carom_model_compute_distance(s.w.model, s.poses, floor_twice, &d, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_model_compute_distance(s.w.model, s.poses, beyond, &d, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "does not exist"));
  world_destroy(&s.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_rays),     cmocka_unit_test(test_skipped),
      cmocka_unit_test(test_all_directions), cmocka_unit_test(test_distances),
      cmocka_unit_test(test_witnesses),      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
