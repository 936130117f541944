/* Hulls: their shape by Euler's formula and planes, climbing against a look at all points. */
#include "support/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every point lies below every plane, every edge has its opposite, and V - E + F = 2. */
static void check_polyhedron(const cr_hull* hull, const double* points, int count, double slack) {
  for (int f = 0; f < hull->num_faces; f++)
    for (int i = 0; i < count; i++)
      assert_true(v3_dot(cr_hull_normal(hull, f), v3_load(points + 3 * i)) <=
                  hull->plane[4 * f + 3] + slack);
  for (int i = 0; i < hull->num_vertices; i++) {
    for (int e = hull->neighbor_start[i]; e < hull->neighbor_start[i + 1]; e++) {
      int other = hull->neighbor[e], back = 0;
      for (int k = hull->neighbor_start[other]; k < hull->neighbor_start[other + 1]; k++)
        back += hull->neighbor[k] == i;
      assert_int_equal(back, 1);
    }
  }
  assert_int_equal(hull->num_vertices - hull->num_corners / 2 + hull->num_faces, 2);
}

static void test_box(void** state) {
  (void)state;
  cr_mesh mesh = solid_box(v3_make(1, 2, 3), v3_make(1, 1, 1));
  cr_hull* hull = solid_hull(&mesh);
  assert_int_equal(hull->num_vertices, 8);
  assert_int_equal(hull->num_faces, 6);
  check_polyhedron(hull, mesh.vertex, 8, 1e-14);
  check_near(hull->thickness, 2, 1e-14);
  cr_hull_recenter(hull, v3_make(1, 1, 1));
  check_near(hull->radius, sqrt(14), 1e-14);
  check_near(hull->high.z, 3, 1e-14);
  cr_hull_destroy(hull, solid_allocator());
  cr_mesh_release(&mesh);
}

static void test_climbing(void** state) {
  (void)state;
  enum { COUNT = 500 };
  static double points[3 * COUNT];
  check_random random = {5};
  solid_points_on_sphere(&random, COUNT, points);
  carom_error error;
  cr_hull* hull;
  check_ok(cr_hull_create(points, COUNT, solid_allocator(), &hull, &error), &error);
  assert_int_equal(hull->num_vertices, COUNT);
  check_polyhedron(hull, points, COUNT, 1e-12);
  for (int k = 0; k < 20000; k++) {
    double d[3], most = -INFINITY;
    solid_points_on_sphere(&random, 1, d);
    if (k % 4 < 3) d[k % 4] = 0; /* where the table's cells meet and fold */
    for (int i = 0; i < COUNT; i++) most = fmax(most, v3_dot(v3_load(d), v3_load(points + 3 * i)));
    int found = cr_hull_find_support(hull, v3_load(d));
    check_near(v3_dot(v3_load(d), cr_hull_vertex(hull, found)), most, 1e-14);
  }
  int start = hull->start[5] < 0 ? ~hull->start[5] : hull->start[5];
  assert_int_equal(start, cr_hull_find_support(hull, cr_hull_vertex(hull, start)));
  cr_hull_destroy(hull, solid_allocator());
}

/* A motion that has left the numbers ends in a vertex, not outside the table. */
static void test_support_of_no_direction(void** state) {
  (void)state;
  enum { COUNT = 60 };
  static double points[3 * COUNT];
  check_random random = {8};
  solid_points_on_sphere(&random, COUNT, points);
  carom_error error;
  cr_hull* hull;
  check_ok(cr_hull_create(points, COUNT, solid_allocator(), &hull, &error), &error);
  const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e308, 0};
  for (int k = 0; k < 6 * 6 * 6; k++) {
    v3 d = {odd[k % 6], odd[k / 6 % 6], odd[k / 36]};
    int found = cr_hull_find_support(hull, d);
    assert_in_range(found, 0, COUNT - 1);
  }
  cr_hull_destroy(hull, solid_allocator());
}

static void test_flat(void** state) {
  (void)state;
  carom_error error;
  cr_hull* hull;
  double points[15] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.5, 0.5, 1};
  assert_int_equal(cr_hull_create(points, 5, solid_allocator(), &hull, &error),
                   CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message,
                      "5 points span no volume: give a thin box in place of what is flat");
  assert_int_equal(cr_hull_create(points, 3, solid_allocator(), &hull, &error),
                   CAROM_ERROR_BAD_INPUT);
  assert_int_equal(cr_hull_create(points, 0, solid_allocator(), &hull, &error),
                   CAROM_ERROR_BAD_INPUT);
}

/* The hull's own surface encloses what its ball does, but for the flat faces. */
static void test_triangulate(void** state) {
  (void)state;
  cr_mesh ball = solid_ball(4), surface;
  cr_hull* hull = solid_hull(&ball);
  cr_mesh_init(&surface, solid_allocator());
  assert_true(cr_hull_triangulate(hull, &surface));
  cr_mesh_report of_ball, of_hull;
  char text[200];
  assert_true(cr_mesh_check(&ball, &of_ball));
  assert_true(cr_mesh_check(&surface, &of_hull));
  assert_null(cr_mesh_describe(&of_hull, text, sizeof text));
  check_near(of_hull.volume, of_ball.volume, 1e-6);
  cr_hull_destroy(hull, solid_allocator());
  cr_mesh_release(&ball);
  cr_mesh_release(&surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box),
      cmocka_unit_test(test_climbing),
      cmocka_unit_test(test_support_of_no_direction),
      cmocka_unit_test(test_flat),
      cmocka_unit_test(test_triangulate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
