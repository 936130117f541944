/* Polyhedra and ellipsoids: a box given as a mesh against the box itself; hulls against every
 * separating direction that there is; ellipsoids against the conditions of nearest points. */
#include "support/shapes.h"
#include "support/solid.h"

#include <math.h>
#include <stdlib.h>

static cr_hull* box_hull(const double* size) {
  cr_mesh mesh = solid_box(v3_load(size), v3_zero());
  cr_hull* hull = solid_hull(&mesh);
  cr_mesh_release(&mesh);
  return hull;
}

/* A polyhedron of so many vertices, about the origin. */
static cr_hull* random_hull(check_random* random, int count, double size) {
  double* points = malloc((size_t)count * 3 * sizeof *points);
  carom_error error;
  cr_hull* hull;
  assert_non_null(points);
  solid_points_on_sphere(random, count, points);
  for (int i = 0; i < 3 * count; i++) points[i] *= size * (i % 3 == 0 ? 1 : i % 3 == 1 ? 0.7 : 0.5);
  check_ok(cr_hull_create(points, count, solid_allocator(), &hull, &error), &error);
  free(points);
  return hull;
}

static void place(check_random* random, check_body* body, double far) {
  body->X = (pose){v3_scale(far, check_random_direction(random)), check_random_rotation(random)};
}

/* Every point of one manifold is one of the other's. */
static void check_same_points(const cr_manifold* m, const cr_manifold* other, double tolerance) {
  for (int i = 0; i < m->count; i++) {
    double least = INFINITY;
    for (int k = 0; k < other->count; k++)
      least = fmin(least, v3_norm(v3_sub(m->points[i].a, other->points[k].a)) +
                              v3_norm(v3_sub(m->points[i].b, other->points[k].b)));
    check_near(least, 0, tolerance);
  }
}

/* The mesh of a box has the distances of the box to every other type. */
static void test_box_as_mesh(void** state) {
  (void)state;
  check_random random = {11};
  for (int i = 0; i < check_repeats(4000); i++) {
    check_body box, mesh, other;
    box.shape = check_random_shape(&random, CAROM_GEOM_BOX, 0.2, 1);
    other.shape = check_random_shape(&random, (carom_geom_type)(i % 5), 0.2, 1);
    place(&random, &box, 0);
    place(&random, &other, check_random_uniform(&random, 0, 2.5));
    mesh = box;
    mesh.shape = (cr_shape){.type = CAROM_GEOM_MESH, .hull = box_hull(box.shape.size)};
    check_nearest expected = check_nearest_points(&other, &box),
                  found = check_nearest_points(&other, &mesh);
    double tolerance = other.shape.type == CAROM_GEOM_CYLINDER ? 1e-6 : 1e-9;
    if (!(fabs(found.distance - expected.distance) <= tolerance)) {
      check_print_pair(&other, &box);
      fail_msg("distance %.17g, expected %.17g", found.distance, expected.distance);
    }
    check_near(v3_dot(found.n, v3_sub(found.b, found.a)), found.distance, 1e-12);
    cr_manifold manifold;
    cr_geom_collide(&other.shape, &other.X, &mesh.shape, &mesh.X, 0.3, &manifold);
    check_manifold(&other, &mesh, &manifold, 0.3, 10 * tolerance);
    cr_hull_destroy((cr_hull*)mesh.shape.hull, solid_allocator());
  }
}

/* Boxes that stand on each other, as meshes: the same points. */
static void test_same_patch(void** state) {
  (void)state;
  check_random random = {12};
  for (int i = 0; i < check_repeats(2000); i++) {
    check_body low = {.X.R = m3_identity()}, high = low, mesh[2];
    low.shape = check_random_shape(&random, CAROM_GEOM_BOX, 0.3, 1);
    high.shape = check_random_shape(&random, CAROM_GEOM_BOX, 0.3, 1);
    quat turn =
        quat_exp(v3_make(1e-4 * check_random_normal(&random), 1e-4 * check_random_normal(&random),
                         check_random_normal(&random)));
    high.X.R = quat_to_m3(turn);
    high.X.p = v3_make(0.3 * check_random_normal(&random), 0.3 * check_random_normal(&random),
                       low.shape.size[2] + high.shape.size[2] - 1e-4);
    cr_manifold expected, found;
    mesh[0] = low, mesh[1] = high;
    for (int k = 0; k < 2; k++)
      mesh[k].shape = (cr_shape){.type = CAROM_GEOM_MESH, .hull = box_hull(mesh[k].shape.size)};
    cr_geom_collide(&low.shape, &low.X, &high.shape, &high.X, 0.01, &expected);
    cr_geom_collide(&mesh[0].shape, &mesh[0].X, &mesh[1].shape, &mesh[1].X, 0.01, &found);
    check_same_points(&found, &expected, 1e-6);
    check_same_points(&expected, &found, 1e-6);
    for (int k = 0; k < 2; k++) cr_hull_destroy((cr_hull*)mesh[k].shape.hull, solid_allocator());
  }
}

/* By how much the normal of a search may miss where the overlap is smooth, in angle; points miss by
 * as much times the size, about 1. */
#define ROUND 1e-4

/* A cylinder or capsule that stands, hangs over or lies on a box, as a mesh: the same points, each
 * with a name of its own. */
static void test_same_round_patch(void** state) {
  (void)state;
  check_random random = {14};
  for (int i = 0; i < check_repeats(3000); i++) {
    check_body box = {.X.R = m3_identity()}, mesh, other = box;
    box.shape = check_random_shape(&random, CAROM_GEOM_BOX, 0.3, 1);
    bool is_cylinder = i % 3 < 2, stands = i % 3 == 0;
    other.shape =
        check_random_shape(&random, is_cylinder ? CAROM_GEOM_CYLINDER : CAROM_GEOM_CAPSULE, 0.2, 1);
    double height = other.shape.size[stands ? 1 : 0];
    v3 noise = v3_make(check_random_normal(&random), check_random_normal(&random), 0);
    m3 lie = quat_to_m3(quat_exp(v3_make(1.5707963267948966, 0, 0)));
    m3 turn =
        quat_to_m3(quat_exp(v3_axpy(v3_make(0, 0, check_random_normal(&random)), 1e-4, noise)));
    other.X.R = stands ? turn : m3_mul(&turn, &lie);
    other.X.p = v3_make(0.4 * check_random_normal(&random), 0.4 * check_random_normal(&random),
                        box.shape.size[2] + height - 1e-4);
    mesh = box;
    mesh.shape = (cr_shape){.type = CAROM_GEOM_MESH, .hull = box_hull(box.shape.size)};
    cr_manifold expected, found;
    cr_geom_collide(&other.shape, &other.X, &box.shape, &box.X, 0.01, &expected);
    cr_geom_collide(&other.shape, &other.X, &mesh.shape, &mesh.X, 0.01, &found);
    cr_hull_destroy((cr_hull*)mesh.shape.hull, solid_allocator());
    assert_int_equal(found.count > 0, expected.count > 0);
    if (found.count == 0 || fabs(expected.normal.z) < 0.9) continue; /* beside the box */
    check_near(v3_norm(v3_sub(found.normal, expected.normal)), 0, ROUND);
    check_same_points(&found, &expected, ROUND);
    check_same_points(&expected, &found, ROUND);
    check_manifold(&other, &box, &found, 0.01, ROUND);
  }
}

/* The least overlap over normals of faces and across two edges: the depth, where hulls overlap. */
static double least_overlap(const check_body* a, const check_body* b) {
  const check_body* body[2] = {a, b};
  double least = INFINITY;
  for (int k = 0; k < 2; k++)
    for (int f = 0; f < body[k]->shape.hull->num_faces; f++) {
      v3 n = m3_mulv(&body[k]->X.R, cr_hull_normal(body[k]->shape.hull, f));
      least = fmin(least, check_overlap(a, b, k ? v3_neg(n) : n));
    }
  const cr_hull *p = a->shape.hull, *q = b->shape.hull;
  for (int i = 0; i < p->num_corners; i++) {
    for (int k = 0; k < q->num_corners; k++) {
      int v = 0, w = 0;
      while (p->neighbor_start[v + 1] <= i) v++;
      while (q->neighbor_start[w + 1] <= k) w++;
      if (p->neighbor[i] < v || q->neighbor[k] < w) continue;
      v3 s = v3_sub(cr_hull_vertex(p, p->neighbor[i]), cr_hull_vertex(p, v));
      v3 t = v3_sub(cr_hull_vertex(q, q->neighbor[k]), cr_hull_vertex(q, w));
      v3 n = v3_cross(m3_mulv(&a->X.R, s), m3_mulv(&b->X.R, t));
      if (v3_norm(n) < 1e-9) continue;
      n = v3_scale(1 / v3_norm(n), n);
      least = fmin(least, fmin(check_overlap(a, b, n), check_overlap(a, b, v3_neg(n))));
    }
  }
  return least;
}

/* Apart: both witness points are on the hulls, and a plane that far from either separates them, so
 * that no distance is less. Overlapping: no direction overlaps less. */
static void test_hulls(void** state) {
  (void)state;
  check_random random = {13};
  for (int i = 0; i < check_repeats(150); i++) {
    check_body a = {.shape.type = CAROM_GEOM_MESH}, b = a;
    cr_hull* hull[2] = {random_hull(&random, i % 3 ? 12 : 40, 1), random_hull(&random, 14, 0.8)};
    a.shape.hull = hull[0], b.shape.hull = hull[1];
    for (int k = 0; k < 20; k++) {
      place(&random, &a, 1);
      place(&random, &b, check_random_uniform(&random, 0, 2));
      check_nearest c = check_nearest_points(&a, &b);
      check_near(-check_overlap(&a, &b, c.n), c.distance, 1e-9);
      if (c.distance > 0) {
        check_near(v3_norm(v3_sub(c.b, c.a)), c.distance, 1e-8);
        check_near(check_point_distance(&a, c.a), 0, 1e-8);
        check_near(check_point_distance(&b, c.b), 0, 1e-8);
      } else if (k < 3) {
        check_near(-c.distance, least_overlap(&a, &b), 1e-8);
      }
      check_nearest turned = check_nearest_points(&b, &a);
      assert_true(turned.distance == c.distance && turned.a.x == c.b.x && turned.b.y == c.a.y);
    }
    for (int k = 0; k < 2; k++) cr_hull_destroy(hull[k], solid_allocator());
  }
}

/* A block of a ring of so many, 0.4 m long within. */
static cr_hull* ring_block(int blocks, double* middle) {
  double corner[24], half = M_PI / blocks, inner = 0.2 / tan(half);
  carom_error error;
  cr_hull* hull;
  *middle = inner + 0.15;
  for (int i = 0; i < 8; i++) {
    double r = i & 1 ? inner + 0.3 : inner;
    corner[3 * i] = r - *middle;
    corner[3 * i + 1] = (i & 2 ? 1 : -1) * r * tan(half);
    corner[3 * i + 2] = i & 4 ? 0.1 : -0.1;
  }
  check_ok(cr_hull_create(corner, 8, solid_allocator(), &hull, &error), &error);
  return hull;
}

/* Blocks side by side whose faces all but touch: where rounding keeps GJK from an end, what it has
 * then is no contact. */
static void test_neighbours(void** state) {
  (void)state;
  check_random random = {17};
  for (int i = 0; i < check_repeats(20000); i++) {
    int blocks = check_random_int(&random, 8, 60);
    double middle, noise = pow(10, -check_random_uniform(&random, 7, 11));
    cr_hull* hull = ring_block(blocks, &middle);
    check_body a = {.shape = {.type = CAROM_GEOM_MESH, .hull = hull}}, b = a;
    quat turn = quat_from_axis_angle(v3_make(0, 0, 1), 2 * M_PI / blocks);
    quat little = quat_exp(v3_scale(noise, check_random_direction(&random)));
    a.X = (pose){v3_make(middle, 0, 0), m3_identity()};
    b.X = (pose){quat_rotate(turn, a.X.p), quat_to_m3(quat_mul(little, turn))};
    b.X.p = v3_axpy(b.X.p, noise, check_random_direction(&random));
    check_nearest c = check_nearest_points(&a, &b);
    check_near(c.distance, -least_overlap(&a, &b), 1e-8 + 2 * noise);
    check_near(-check_overlap(&a, &b, c.n), c.distance, 1e-9);
    cr_hull_destroy(hull, solid_allocator());
  }
}

/* The vector between nearest points is normal to both surfaces; equal axes make a sphere. */
static void test_ellipsoids(void** state) {
  (void)state;
  check_random random = {14};
  for (int i = 0; i < check_repeats(5000); i++) {
    check_body a, b;
    a.shape = check_random_shape(&random, (carom_geom_type)(i % 6), 0.2, 1);
    b.shape = check_random_shape(&random, CAROM_GEOM_ELLIPSOID, 0.2, 1);
    place(&random, &a, 1);
    place(&random, &b, check_random_uniform(&random, 0, 3));
    check_nearest c = check_nearest_points(&a, &b);
    double tolerance = a.shape.type <= CAROM_GEOM_SPHERE ? 1e-12 : 2e-6;
    if (!(fabs(check_overlap(&a, &b, c.n) + c.distance) <= tolerance) ||
        !(fabs(check_point_distance(&b, c.b)) <= 2e-6)) {
      check_print_pair(&a, &b);
      fail_msg("distance %.17g, overlap %.17g, off the surface by %g", c.distance,
               check_overlap(&a, &b, c.n), check_point_distance(&b, c.b));
    }
    if (c.distance > 1e-3 && a.shape.type > CAROM_GEOM_PLANE &&
        !(fabs(v3_norm(v3_sub(c.b, c.a)) - c.distance) <= 1e-5)) {
      check_print_pair(&a, &b);
      fail_msg("points %.17g apart, distance %.17g", v3_norm(v3_sub(c.b, c.a)), c.distance);
    }
    if (c.distance < 0 && i % 6 == 1)
      assert_true(check_overlap(&a, &b, c.n) <= check_least_overlap(&a, &b) + 1e-9);
  }
}

static void test_ball(void** state) {
  (void)state;
  check_random random = {15};
  for (int i = 0; i < check_repeats(2000); i++) {
    check_body a, sphere, ball;
    a.shape = check_random_shape(&random, (carom_geom_type)(i % 5), 0.2, 1);
    sphere.shape = check_random_shape(&random, CAROM_GEOM_SPHERE, 0.2, 1);
    place(&random, &a, 1);
    place(&random, &sphere, check_random_uniform(&random, 0, 3));
    double radius = sphere.shape.size[0];
    ball = sphere;
    ball.shape = (cr_shape){.type = CAROM_GEOM_ELLIPSOID, .size = {radius, radius, radius}};
    double expected = check_nearest_points(&a, &sphere).distance,
           found = check_nearest_points(&a, &ball).distance;
    /* The polytope has not enough corners for what is deep and round. */
    if (fabs(found - expected) <= (expected > -0.3 ? 2e-6 : 5e-5)) continue;
    check_print_pair(&a, &ball);
    fail_msg("distance %.17g, expected %.17g", found, expected);
  }
}

/* Names of the points of a mesh that lies on another one keep while noise moves it. */
static void test_steady_names(void** state) {
  (void)state;
  check_random random = {16};
  const double half[3] = {0.5, 0.4, 0.3}, large[3] = {0.8, 0.8, 0.2};
  cr_hull *small = box_hull(half), *big = box_hull(large);
  check_body low = {.shape = {.type = CAROM_GEOM_MESH, .hull = big}, .X.R = m3_identity()};
  check_body high = {.shape = {.type = CAROM_GEOM_MESH, .hull = small}};
  for (int i = 0; i < 300; i++) {
    uint32_t names[CR_MANIFOLD_MAX] = {0};
    quat turn = quat_exp(v3_make(0, 0, check_random_normal(&random)));
    v3 p =
        v3_make(0.3 * check_random_normal(&random), 0.3 * check_random_normal(&random), 0.5 - 1e-5);
    for (int k = 0; k < 5; k++) {
      cr_manifold m;
      quat noise = quat_exp(v3_scale(k ? 1e-10 : 0, check_random_direction(&random)));
      high.X.R = quat_to_m3(quat_mul(noise, turn));
      high.X.p = v3_axpy(p, k ? 1e-10 : 0, check_random_direction(&random));
      int count = cr_geom_collide(&low.shape, &low.X, &high.shape, &high.X, 0.01, &m);
      for (int j = 0; j < count; j++) {
        int at = 0;
        while (k && at < CR_MANIFOLD_MAX && names[at] != m.points[j].feature) at++;
        assert_true(at < CR_MANIFOLD_MAX);
        if (!k) names[j] = m.points[j].feature;
      }
    }
  }
  cr_hull_destroy(small, solid_allocator());
  cr_hull_destroy(big, solid_allocator());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box_as_mesh),      cmocka_unit_test(test_same_patch),
      cmocka_unit_test(test_same_round_patch), cmocka_unit_test(test_hulls),
      cmocka_unit_test(test_ellipsoids),       cmocka_unit_test(test_ball),
      cmocka_unit_test(test_steady_names),     cmocka_unit_test(test_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
