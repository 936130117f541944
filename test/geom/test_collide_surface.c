/* Surfaces that are not convex: flat ones against planes, closed convex ones against the solid that
 * they enclose, solids of two boxes against the boxes, distances against all triangles. */
#include "geom/patches.h"
#include "geom/ray.h"
#include "geom/surface.h"
#include "support/shapes.h"
#include "support/solid.h"

#include <math.h>
#include <stdlib.h>

static cr_shape surface_shape(const cr_trisurface* surface, const cr_hull* hull) {
  carom_geom_type type = hull ? CAROM_GEOM_MESH : CAROM_GEOM_HEIGHT_FIELD;
  return (cr_shape){.type = type, .hull = hull, .surface = surface};
}

static cr_trisurface* make_surface(cr_mesh* mesh) {
  assert_true(cr_mesh_weld(mesh));
  cr_trisurface* surface = cr_trisurface_create_mesh(mesh, v3_zero(), solid_allocator());
  assert_non_null(surface);
  cr_mesh_release(mesh);
  return surface;
}

/* A field with the slopes a and b, around the origin. */
static cr_trisurface* make_slope(double a, double b) {
  enum { COLUMNS = 15, ROWS = 12 };
  double height[COLUMNS * ROWS], half[2] = {7, 5.5};
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) height[r * COLUMNS + c] = a * (c - 7) + b * (r - 5.5);
  cr_trisurface* surface =
      cr_trisurface_create_grid(height, COLUMNS, ROWS, half, 1, solid_allocator());
  assert_non_null(surface);
  return surface;
}

static double deepest(const cr_patches* patches) {
  double least = INFINITY;
  for (int g = 0; g < patches->count; g++) least = fmin(least, check_deepest(&patches->patch[g]));
  return least;
}

static void check_names(const cr_patches* patches) {
  uint32_t name[CR_PATCHES_MAX * CR_MANIFOLD_MAX];
  int count = 0;
  for (int g = 0; g < patches->count; g++) {
    assert_in_range(patches->patch[g].count, 1, CR_MANIFOLD_MAX);
    for (int i = 0; i < patches->patch[g].count; i++) {
      for (int k = 0; k < count; k++)
        assert_int_not_equal(name[k], patches->patch[g].points[i].feature);
      name[count++] = patches->patch[g].points[i].feature;
    }
  }
}

static cr_shape random_shape(check_random* random, int type, const cr_hull* hull) {
  if (type == CAROM_GEOM_MESH) return (cr_shape){.type = CAROM_GEOM_MESH, .hull = hull};
  return check_random_shape(random, (carom_geom_type)type, 0.2, 1);
}

static cr_hull* make_hull(void) {
  cr_mesh ball = solid_ball(1);
  for (int i = 0; i < ball.num_vertices; i++) ball.vertex[3 * i] *= 0.6;
  cr_hull* hull = solid_hull(&ball);
  cr_mesh_release(&ball);
  return hull;
}

/* On flat ground, however it is cut into triangles and tilted, every shape has the distance to the
 * plane and its normal, and no other. */
static void test_flat(void** state) {
  (void)state;
  check_random random = {31};
  cr_hull* hull = make_hull();
  for (int i = 0; i < check_repeats(3000); i++) {
    double a = i % 3 ? 0 : 0.3 * check_random_normal(&random), b = i % 3 ? 0 : 0.2;
    cr_trisurface* surface = make_slope(a, b);
    check_body field = {surface_shape(surface, NULL),
                        {check_random_direction(&random), check_random_rotation(&random)}};
    check_body plane = {.shape = {.type = CAROM_GEOM_PLANE}, .X.p = field.X.p}, body;
    v3 z = v3_normalize_or(v3_make(-a, -b, 1), v3_zero()), x, y;
    v3_tangents(z, &x, &y);
    m3 tilt = m3_from_columns(x, y, z);
    plane.X.R = m3_mul(&field.X.R, &tilt);
    body.shape = random_shape(&random, CAROM_GEOM_SPHERE + i % 6, hull);
    v3 at = v3_make(check_random_uniform(&random, -2, 2), check_random_uniform(&random, -2, 2),
                    check_random_uniform(&random, 0.1, 1.2));
    body.X = (pose){pose_point(&plane.X, at), check_random_rotation(&random)};
    cr_manifold expected;
    cr_patches found;
    cr_geom_collide(&plane.shape, &plane.X, &body.shape, &body.X, 0.1, &expected);
    cr_geom_collide_patches(&field.shape, &field.X, &body.shape, &body.X, 0.1, &found);
    if ((expected.count > 0) != (found.count == 1) ||
        (found.count && !(fabs(deepest(&found) - check_deepest(&expected)) <= 1e-9 &&
                          v3_norm(v3_sub(found.patch[0].normal, expected.normal)) <= 1e-9))) {
      check_print_pair(&plane, &body);
      fail_msg("case %d: %d patches, deepest %.17g, expected %.17g", i, found.count,
               deepest(&found), check_deepest(&expected));
    }
    check_names(&found);
    cr_trisurface_destroy(surface, solid_allocator());
  }
  cr_hull_destroy(hull, solid_allocator());
}

/* A box that lies on flat ground has the four corners of its face, whatever lines run below it. */
static void test_corners(void** state) {
  (void)state;
  check_random random = {32};
  cr_trisurface* surface = make_slope(0, 0);
  check_body field = {surface_shape(surface, NULL), {.R = m3_identity()}};
  for (int i = 0; i < check_repeats(500); i++) {
    check_body box = {.shape = {.type = CAROM_GEOM_BOX, .size = {1.3, 0.9, 0.4}}};
    box.X.p = v3_make(check_random_uniform(&random, -3, 3), check_random_uniform(&random, -3, 3),
                      0.4 - 1e-6);
    box.X.R = quat_to_m3(quat_exp(v3_make(0, 0, i % 2 ? check_random_normal(&random) : 0)));
    cr_patches found;
    assert_int_equal(
        cr_geom_collide_patches(&box.shape, &box.X, &field.shape, &field.X, 0.01, &found), 1);
    for (int k = 0; k < 4; k++) {
      v3 corner = pose_point(&box.X, v3_make(k & 1 ? 1.3 : -1.3, k & 2 ? 0.9 : -0.9, -0.4));
      double least = INFINITY;
      for (int j = 0; j < found.patch[0].count; j++)
        least = fmin(least, v3_norm(v3_sub(found.patch[0].points[j].a, corner)));
      check_near(least, 0, 1e-9);
    }
  }
  cr_trisurface_destroy(surface, solid_allocator());
}

/* The surface of a box has the box's distances where the overlap is less than half of it. */
static void test_closed_box(void** state) {
  (void)state;
  check_random random = {33};
  cr_hull* hull = make_hull();
  for (int i = 0; i < check_repeats(2000); i++) {
    check_body box, other;
    box.shape = check_random_shape(&random, CAROM_GEOM_BOX, 0.5, 1);
    other.shape = random_shape(&random, CAROM_GEOM_SPHERE + i % 6, hull);
    box.X = (pose){check_random_direction(&random), check_random_rotation(&random)};
    v3 away = v3_scale(check_random_uniform(&random, 0.8, 2.5), check_random_direction(&random));
    other.X = (pose){v3_add(box.X.p, away), check_random_rotation(&random)};
    cr_mesh mesh = solid_box(v3_load(box.shape.size), v3_zero());
    cr_hull* own = solid_hull(&mesh);
    cr_trisurface* surface = make_surface(&mesh);
    check_body whole = {surface_shape(surface, own), box.X};
    cr_manifold expected, found;
    cr_geom_collide(&other.shape, &other.X, &box.shape, &box.X, 0.3, &expected);
    cr_geom_collide(&other.shape, &other.X, &whole.shape, &whole.X, 0.3, &found);
    double wanted = check_deepest(&expected), got = check_deepest(&found);
    bool is_round =
        other.shape.type == CAROM_GEOM_CYLINDER || other.shape.type == CAROM_GEOM_ELLIPSOID;
    double tolerance = is_round ? 2e-6 : 1e-9;
    if (wanted > -0.05 && !(isinf(wanted) ? isinf(got) : fabs(got - wanted) <= tolerance)) {
      check_print_pair(&other, &box);
      fail_msg("case %d: distance %.17g, expected %.17g", i, got, wanted);
    }
    cr_hull_destroy(own, solid_allocator());
    cr_trisurface_destroy(surface, solid_allocator());
  }
  cr_hull_destroy(hull, solid_allocator());
}

/* The boxes of an L at a pose. */
static void place_boxes(const pose* X, check_body boxes[2]) {
  boxes[0] = (check_body){{.type = CAROM_GEOM_BOX, .size = {1, 0.5, 1}},
                          {pose_point(X, v3_make(1, 0.5, 0)), X->R}};
  boxes[1] = (check_body){{.type = CAROM_GEOM_BOX, .size = {0.5, 1, 1}},
                          {pose_point(X, v3_make(0.5, 1, 0)), X->R}};
}

static double distance_of(const check_body* a, const check_body* b) {
  v3 p, q, n;
  return cr_geom_compute_distance(&a->shape, &a->X, &b->shape, &b->X, &p, &q, &n);
}

typedef struct l_body {
  cr_hull* hull;
  cr_trisurface* surface;
} l_body;

static l_body make_l_body(void) {
  cr_mesh mesh = solid_l();
  cr_hull* hull = solid_hull(&mesh);
  return (l_body){hull, make_surface(&mesh)};
}

static void destroy_l_body(l_body* l) {
  cr_hull_destroy(l->hull, solid_allocator());
  cr_trisurface_destroy(l->surface, solid_allocator());
}

/* Apart, the distance to an L is the least of those to its boxes. */
static void test_l(void** state) {
  (void)state;
  check_random random = {34};
  cr_hull* hull = make_hull();
  l_body own = make_l_body();
  int apart = 0;
  for (int i = 0; i < check_repeats(1500); i++) {
    check_body l = {surface_shape(own.surface, own.hull),
                    {check_random_direction(&random), check_random_rotation(&random)}};
    check_body other = {random_shape(&random, CAROM_GEOM_SPHERE + i % 6, hull),
                        {v3_zero(), m3_identity()}};
    v3 at = v3_make(check_random_uniform(&random, 0.8, 3), check_random_uniform(&random, 0.8, 3),
                    check_random_uniform(&random, -1.5, 1.5));
    other.X = (pose){pose_point(&l.X, at), check_random_rotation(&random)};
    check_body boxes[2];
    place_boxes(&l.X, boxes);
    double wanted = fmin(distance_of(&other, &boxes[0]), distance_of(&other, &boxes[1]));
    if (wanted < 0) continue;
    apart++;
    double got = distance_of(&other, &l);
    bool is_round =
        other.shape.type == CAROM_GEOM_CYLINDER || other.shape.type == CAROM_GEOM_ELLIPSOID;
    if (fabs(got - wanted) <= (is_round ? 2e-6 : 1e-9)) continue;
    check_print_pair(&other, &boxes[0]);
    fail_msg("case %d: distance %.17g, expected %.17g", i, got, wanted);
  }
  assert_true(apart > check_repeats(1500) / 4);
  destroy_l_body(&own);
  cr_hull_destroy(hull, solid_allocator());
}

/* Two of them: the least of four. */
static void test_two_ls(void** state) {
  (void)state;
  check_random random = {35};
  l_body own = make_l_body();
  for (int i = 0; i < check_repeats(400); i++) {
    check_body a = {surface_shape(own.surface, own.hull),
                    {check_random_direction(&random), check_random_rotation(&random)}};
    check_body b = a, of_a[2], of_b[2];
    v3 away = v3_scale(check_random_uniform(&random, 0.5, 4), check_random_direction(&random));
    b.X = (pose){v3_add(a.X.p, away), check_random_rotation(&random)};
    place_boxes(&a.X, of_a);
    place_boxes(&b.X, of_b);
    double wanted = INFINITY;
    for (int k = 0; k < 4; k++) wanted = fmin(wanted, distance_of(&of_a[k / 2], &of_b[k % 2]));
    if (wanted < 0) continue;
    double got = distance_of(&a, &b);
    if (fabs(got - wanted) <= 1e-9) continue;
    check_print_pair(&of_a[0], &of_b[0]);
    fail_msg("case %d: distance %.17g, expected %.17g", i, got, wanted);
  }
  destroy_l_body(&own);
}

/* Signed distances of points to an L: by its boxes outside; inside it is the distance to the sides.
 */
static void test_signed_distance(void** state) {
  (void)state;
  check_random random = {36};
  l_body own = make_l_body();
  for (int i = 0; i < check_repeats(3000); i++) {
    v3 x =
        v3_make(check_random_uniform(&random, -0.5, 2.5), check_random_uniform(&random, -0.5, 2.5),
                check_random_uniform(&random, -1.5, 1.5));
    check_body boxes[2];
    pose here = pose_identity();
    place_boxes(&here, boxes);
    double wanted = fmin(check_point_distance(&boxes[0], x), check_point_distance(&boxes[1], x));
    if (wanted < 0) { /* inside: sides of the outline, and the inner edge at (1, 1) */
      double end = 1 - fabs(x.z), side = fmin(x.x, x.y);
      side = fmin(side, x.y < 1 ? (x.x > 1 ? fmin(2 - x.x, 1 - x.y) : 9) : 1 - x.x);
      side = fmin(side, x.y > 1 ? 2 - x.y : 9);
      if (x.x <= 1 && x.y <= 1) side = fmin(side, hypot(1 - x.x, 1 - x.y));
      wanted = -fmin(end, side);
    }
    v3 nearest;
    double got = cr_trisurface_compute_distance(own.surface, x, &nearest);
    check_near(got, wanted, 1e-12);
    check_near(v3_norm(v3_sub(x, nearest)), fabs(wanted), 1e-12);
  }
  destroy_l_body(&own);
}

/* Rays from outside meet an L where they meet the first of its boxes, and a slope where its plane
 * is.
 */
static void test_rays(void** state) {
  (void)state;
  check_random random = {37};
  l_body own = make_l_body();
  cr_shape l = surface_shape(own.surface, own.hull);
  cr_trisurface* surface = make_slope(0.3, -0.2);
  cr_shape slope = surface_shape(surface, NULL);
  v3 up = v3_make(-0.3, 0.2, 1);
  for (int i = 0; i < check_repeats(3000); i++) {
    check_body boxes[2];
    pose here = pose_identity();
    place_boxes(&here, boxes);
    v3 x = v3_scale(4, check_random_direction(&random));
    v3 to = v3_make(check_random_uniform(&random, 0, 2), check_random_uniform(&random, 0, 2), 0);
    v3 d = v3_normalize_or(v3_sub(to, x), x);
    double wanted = INFINITY;
    for (int k = 0; k < 2; k++)
      wanted = fmin(wanted, cr_ray_cast(&boxes[k].shape, v3_sub(x, boxes[k].X.p), d));
    double got = cr_ray_cast(&l, x, d);
    if (isinf(wanted)) assert_true(isinf(got));
    if (!isinf(wanted)) check_near(got, wanted, 1e-12);

    v3 from =
        v3_make(check_random_uniform(&random, -5, 5), check_random_uniform(&random, -4, 4), 5);
    v3 down = i % 3 ? v3_normalize_or(v3_make(0.2 * check_random_normal(&random),
                                              0.2 * check_random_normal(&random), -1),
                                      up)
                    : v3_make(0, 0, -1);
    wanted = -v3_dot(up, from) / v3_dot(up, down);
    v3 hit = v3_axpy(from, wanted, down);
    if (fabs(hit.x) < 6.9 && fabs(hit.y) < 5.4)
      check_near(cr_ray_cast(&slope, from, down), wanted, 1e-12);
  }
  cr_trisurface_destroy(surface, solid_allocator());
  destroy_l_body(&own);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat),       cmocka_unit_test(test_corners),
      cmocka_unit_test(test_closed_box), cmocka_unit_test(test_l),
      cmocka_unit_test(test_two_ls),     cmocka_unit_test(test_signed_distance),
      cmocka_unit_test(test_rays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
