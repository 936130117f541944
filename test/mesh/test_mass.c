/* Mass properties of meshes against solids of known ones, and what is said of broken surfaces. */
#include "support/solid.h"

#include <math.h>
#include <string.h>

static void check_box(cr_mesh_solid solid, v3 half, v3 center) {
  cr_mesh mesh = solid_box(half, center);
  cr_mesh_mass mass;
  cr_mesh_compute_mass(&mesh, solid, &mass);
  double volume = 8 * half.x * half.y * half.z;
  double rounding = 1e-15 * (1 + v3_norm(center) / half.x);
  check_near(mass.volume, volume, 4 * rounding * volume);
  check_near(mass.center.x, center.x, 1e-13);
  check_near(mass.center.y, center.y, 1e-13);
  check_near(mass.center.z, center.z, 1e-13);
  double x2 = half.x * half.x, y2 = half.y * half.y, z2 = half.z * half.z;
  const double expected[6] = {(y2 + z2) / 3, (x2 + z2) / 3, (x2 + y2) / 3, 0, 0, 0};
  for (int i = 0; i < 6; i++) check_near(mass.inertia[i], volume * expected[i], 1e-12);
  cr_mesh_release(&mesh);
}

static void test_box(void** state) {
  (void)state;
  check_box(CR_MESH_EXACT, v3_make(1, 2, 3), v3_make(0.3, -0.2, 0.1));
  check_box(CR_MESH_LEGACY, v3_make(1, 2, 3), v3_make(0.3, -0.2, 0.1));
  check_box(CR_MESH_EXACT, v3_make(0.1, 0.2, 0.3), v3_make(100, -200, 300));
}

/* The shell of a cube of side 2: six squares of area 4; moments of a square and its distance. */
static void test_shell(void** state) {
  (void)state;
  cr_mesh mesh = solid_box(v3_make(1, 1, 1), v3_make(5, 6, 7));
  cr_mesh_mass mass;
  cr_mesh_compute_mass(&mesh, CR_MESH_SHELL, &mass);
  check_near(mass.volume, 24, 1e-13);
  check_near(mass.center.y, 6, 1e-13);
  /* About x: faces at +-x have 4 (1/3 + 1/3), the other four 4 (1 + 1/3). */
  for (int i = 0; i < 3; i++) check_near(mass.inertia[i], 2 * 8.0 / 3 + 4 * 16.0 / 3, 1e-12);
  cr_mesh_release(&mesh);
}

/* A tetrahedron with corners at 0 and at 1 on each axis: the integrals of x², x y and 1 over it are
 * 1/60, 1/120 and 1/6. */
static void test_tetrahedron(void** state) {
  (void)state;
  static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  cr_mesh mesh;
  cr_mesh_init(&mesh, solid_allocator());
  for (int i = 0; i < 4; i++) assert_true(cr_mesh_add_vertex(&mesh, corner[i]));
  for (int i = 0; i < 4; i++)
    assert_true(cr_mesh_add_triangle(&mesh, face[i][0], face[i][1], face[i][2]));
  cr_mesh_mass mass;
  cr_mesh_compute_mass(&mesh, CR_MESH_EXACT, &mass);
  check_near(mass.volume, 1.0 / 6, 1e-15);
  check_near(mass.center.x, 0.25, 1e-15);
  for (int i = 0; i < 3; i++) check_near(mass.inertia[i], 2 * (1.0 / 60 - 1.0 / 96), 1e-15);
  for (int i = 3; i < 6; i++) check_near(mass.inertia[i], -(1.0 / 120 - 1.0 / 96), 1e-15);
  cr_mesh_release(&mesh);
}

static void check_sentence(const cr_mesh* mesh, const char* expected) {
  cr_mesh_report report;
  char text[200];
  assert_true(cr_mesh_check(mesh, &report));
  const char* sentence = cr_mesh_describe(&report, text, sizeof text);
  if (!expected) {
    assert_null(sentence);
  } else {
    assert_non_null(sentence);
    assert_non_null(strstr(sentence, expected));
  }
}

static void test_flaws(void** state) {
  (void)state;
  cr_mesh mesh = solid_box(v3_make(1, 2, 3), v3_zero());
  check_sentence(&mesh, NULL);
  for (int f = 0; f < 12; f++) {
    int swap = mesh.triangle[3 * f];
    mesh.triangle[3 * f] = mesh.triangle[3 * f + 1];
    mesh.triangle[3 * f + 1] = swap;
  }
  check_sentence(&mesh, "the surface is inverted: its faces look inwards, the volume is -48");
  int swap = mesh.triangle[12];
  mesh.triangle[12] = mesh.triangle[13];
  mesh.triangle[13] = swap;
  check_sentence(&mesh, "faces look to different sides: 3 sides run the same way twice");
  mesh.num_triangles = 11;
  mesh.triangle[13] = mesh.triangle[12];
  check_sentence(&mesh, "the surface is open: 6 sides have no neighbour, the first at face ");
  cr_mesh_report report;
  assert_true(cr_mesh_check(&mesh, &report));
  assert_int_equal(report.num_degenerate, 1);
  assert_int_equal(report.first_degenerate, 4);
  mesh.num_triangles = 0;
  check_sentence(&mesh, "the surface encloses no volume");
  cr_mesh_release(&mesh);
}

static void test_weld(void** state) {
  (void)state;
  cr_mesh ball = solid_ball(3);
  assert_int_equal(ball.num_triangles, 8 * 64);
  assert_int_equal(ball.num_vertices, 4 * 64 + 2);
  check_sentence(&ball, NULL);
  cr_mesh_release(&ball);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box),         cmocka_unit_test(test_shell),
      cmocka_unit_test(test_tetrahedron), cmocka_unit_test(test_flaws),
      cmocka_unit_test(test_weld),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
