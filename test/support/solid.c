/* Meshes of known solids; see solid.h. */
#include "support/solid.h"

const carom_allocator* solid_allocator(void) {
  static carom_allocator allocator;
  if (!allocator.allocate) allocator = cr_allocator_resolve(NULL);
  return &allocator;
}

cr_mesh solid_box(v3 half, v3 center) {
  static const int corner[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                    {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                    {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  cr_mesh mesh;
  cr_mesh_init(&mesh, solid_allocator());
  for (int i = 0; i < 8; i++) {
    v3 sign = v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    double x[3];
    v3_store(v3_add(center, v3_mul(sign, half)), x);
    assert_true(cr_mesh_add_vertex(&mesh, x));
  }
  for (int i = 0; i < 12; i++)
    assert_true(cr_mesh_add_triangle(&mesh, corner[i][0], corner[i][1], corner[i][2]));
  return mesh;
}

static void add_corner(cr_mesh* mesh, v3 x) {
  double position[3];
  v3_store(v3_normalize_or(x, x), position);
  assert_true(cr_mesh_add_vertex(mesh, position));
}

static void divide(cr_mesh* mesh, v3 a, v3 b, v3 c, int levels) {
  if (levels == 0) {
    int first = mesh->num_vertices;
    add_corner(mesh, a);
    add_corner(mesh, b);
    add_corner(mesh, c);
    assert_true(cr_mesh_add_triangle(mesh, first, first + 1, first + 2));
    return;
  }
  v3 ab = v3_scale(0.5, v3_add(a, b)), bc = v3_scale(0.5, v3_add(b, c));
  v3 ca = v3_scale(0.5, v3_add(c, a));
  divide(mesh, a, ab, ca, levels - 1);
  divide(mesh, b, bc, ab, levels - 1);
  divide(mesh, c, ca, bc, levels - 1);
  divide(mesh, ab, bc, ca, levels - 1);
}

cr_mesh solid_ball(int levels) {
  cr_mesh mesh;
  cr_mesh_init(&mesh, solid_allocator());
  for (int i = 0; i < 8; i++) {
    v3 x = v3_make(i & 1 ? -1 : 1, 0, 0), y = v3_make(0, i & 2 ? -1 : 1, 0);
    v3 z = v3_make(0, 0, i & 4 ? -1 : 1);
    bool odd = (i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1);
    divide(&mesh, x, odd ? z : y, odd ? y : z, levels);
  }
  assert_true(cr_mesh_weld(&mesh));
  return mesh;
}

void solid_points_on_sphere(check_random* random, int count, double* points) {
  for (int i = 0; i < count; i++) {
    v3 x = v3_make(check_random_normal(random), check_random_normal(random),
                   check_random_normal(random));
    v3_store(v3_normalize_or(x, v3_make(1, 0, 0)), points + 3 * i);
  }
}

cr_hull* solid_hull(const cr_mesh* mesh) {
  carom_error error;
  cr_hull* hull;
  check_ok(cr_hull_create(mesh->vertex, mesh->num_vertices, solid_allocator(), &hull, &error),
           &error);
  return hull;
}

cr_mesh solid_l(void) {
  static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  static const int cap[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
  cr_mesh mesh;
  cr_mesh_init(&mesh, solid_allocator());
  for (int i = 0; i < 12; i++) {
    double x[3] = {outline[i % 6][0], outline[i % 6][1], i < 6 ? -1 : 1};
    assert_true(cr_mesh_add_vertex(&mesh, x));
  }
  for (int i = 0; i < 4; i++) {
    assert_true(cr_mesh_add_triangle(&mesh, cap[i][0], cap[i][2], cap[i][1]));
    assert_true(cr_mesh_add_triangle(&mesh, cap[i][0] + 6, cap[i][1] + 6, cap[i][2] + 6));
  }
  for (int i = 0; i < 6; i++) {
    int next = (i + 1) % 6;
    assert_true(cr_mesh_add_triangle(&mesh, i, next, next + 6));
    assert_true(cr_mesh_add_triangle(&mesh, i, next + 6, i + 6));
  }
  return mesh;
}
