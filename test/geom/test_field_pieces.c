/* Pressure fields of what is not convex: surfaces and height fields, rigid or soft, against convex
 * bodies of the same shape, whose closed forms test_field.c holds. Lengths in m, moduli in Pa. */
#include "geom/collide.h"
#include "geom/field.h"
#include "geom/surface.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define E  1e6

static const cr_shape plane = {.type = CAROM_GEOM_PLANE};
static const cr_shape cube = {.type = CAROM_GEOM_BOX, .size = {0.1, 0.1, 0.1}};
static const cr_shape ball = {.type = CAROM_GEOM_SPHERE, .size = {0.1}};
static const cr_shape egg = {.type = CAROM_GEOM_ELLIPSOID, .size = {0.1, 0.08, 0.06}};
static const cr_shape capsule = {.type = CAROM_GEOM_CAPSULE, .size = {0.05, 0.1}};
static const cr_shape cylinder = {.type = CAROM_GEOM_CYLINDER, .size = {0.1, 0.05}};
static const pose ground = {{0, 0, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

/* --- Solids of small cubes ----------------------------------------------------------------------
 */

/* A solid of cells of a grid of 3 x 3 x 3; a side between two cells is none of it. */
typedef struct blocks {
  bool has[3][3][3];
  double side; /* m, of a cell */
} blocks;

static bool has_block(const blocks* b, int x, int y, int z) {
  return x >= 0 && y >= 0 && z >= 0 && x < 3 && y < 3 && z < 3 && b->has[x][y][z];
}

/* Side `axis` of a cell, towards `sign`: a square in two triangles. */
static void add_square(const blocks* b, const int cell[3], int axis, int sign, cr_mesh* mesh) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3, first = mesh->num_vertices;
  static const int corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int i = 0; i < 4; i++) {
    double x[3];
    x[axis] = b->side * (cell[axis] + (sign > 0) - 1.5);
    x[u] = b->side * (cell[u] + corners[i][0] - 1.5);
    x[v] = b->side * (cell[v] + corners[i][1] - 1.5);
    assert_true(cr_mesh_add_vertex(mesh, x));
  }
  int p = first + 1, q = first + 3;
  if (sign < 0) p = first + 3, q = first + 1;
  assert_true(cr_mesh_add_triangle(mesh, first, p, first + 2));
  assert_true(cr_mesh_add_triangle(mesh, first, first + 2, q));
}

static cr_shape make_shape(const blocks* b) {
  carom_allocator allocator = cr_allocator_resolve(NULL);
  cr_mesh mesh;
  cr_mesh_init(&mesh, &allocator);
  for (int i = 0; i < 27; i++)
    for (int k = 0; k < 6; k++) {
      int cell[3] = {i / 9, i / 3 % 3, i % 3}, next[3] = {cell[0], cell[1], cell[2]};
      next[k / 2] += k % 2 ? 1 : -1;
      if (has_block(b, cell[0], cell[1], cell[2]) && !has_block(b, next[0], next[1], next[2]))
        add_square(b, cell, k / 2, k % 2 ? 1 : -1, &mesh);
    }
  assert_true(cr_mesh_weld(&mesh));
  cr_trisurface* surface = cr_trisurface_create_mesh(&mesh, v3_zero(), &allocator);
  cr_hull* hull;
  carom_error error;
  assert_int_equal(cr_hull_create(mesh.vertex, mesh.num_vertices, &allocator, &hull, &error),
                   CAROM_OK);
  cr_mesh_release(&mesh);
  assert_non_null(surface);
  assert_true(cr_trisurface_is_closed(surface));
  cr_trisurface_measure_reach(surface);
  return (cr_shape){.type = CAROM_GEOM_MESH, .hull = hull, .surface = surface};
}

static void destroy(const cr_shape* shape) {
  carom_allocator allocator = cr_allocator_resolve(NULL);
  cr_trisurface_destroy((cr_trisurface*)shape->surface, &allocator);
  if (shape->hull) cr_hull_destroy((cr_hull*)shape->hull, &allocator);
}

static blocks all_blocks(double side) {
  blocks b = {.side = side};
  for (int i = 0; i < 27; i++) b.has[i / 9][i / 3 % 3][i % 3] = true;
  return b;
}

/* --- Contacts -----------------------------------------------------------------------------------
 */

typedef struct result {
  v3 force, moment; /* on B, about the world's origin */
  cr_field_patches patches;
} result;

/* What is known of the pair: B comes free along z, by `depth`. */
static result touch(cr_field_body a, cr_field_body b, v3 at, double depth) {
  const cr_field_pair pair = {{a, b}, v3_make(0, 0, 1), at, depth};
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  result r = {0};
  assert_true(cr_field_find_patches(&pair, &arena, &r.patches));
  cr_arena_destroy(&arena);
  for (int g = 0; g < r.patches.count; g++) {
    const cr_field_patch* patch = &r.patches.patch[g];
    for (int i = 0; i < patch->count; i++) {
      const cr_field_point* point = &patch->point[i];
      v3 f = v3_scale(patch->stiffness * point->share * point->depth, patch->normal);
      r.force = v3_add(r.force, f);
      r.moment = v3_add(r.moment, v3_cross(point->place, f));
    }
  }
  return r;
}

/* A patch of several normals has no moment about its own, so that the moments of one patch and of
 * some differ by a little where side faces press, too. */
static void check_same(const result* a, const result* b, double tolerance, double d) {
  double size = v3_norm(b->force);
  check_near(v3_norm(v3_sub(a->force, b->force)) / size, 0, tolerance);
  check_near(v3_norm(v3_sub(a->moment, b->moment)) / (0.1 * size), 0, tolerance + 2 * d + 2e-3);
}

static pose place(v3 p, v3 axis, double angle) {
  return (pose){p, quat_to_m3(quat_from_axis_angle(axis, angle))};
}

static double find_low(const cr_shape* shape, const m3* R) {
  v3 down = m3_tmulv(R, v3_make(0, 0, -1));
  return v3_dot(cr_shape_compute_support(shape, down), down);
}

/* A soft body that sinks into a rigid cube's upper side, as a surface of 108 triangles or whole. */
static void test_rigid_surface(void** state) {
  (void)state;
  const cr_shape* shapes[] = {&cube, &ball, &egg, &capsule, &cylinder};
  static const double off[] = {1e-9, 5e-3, 5e-3, 5e-3, 1e-3};
  blocks b = all_blocks(0.2 / 3);
  const cr_shape mesh = make_shape(&b);
  for (int n = 0; n < 5; n++)
    for (int turn = 0; turn < 6; turn++)
      for (double d = 1e-4; d < 0.02; d *= 5) {
        pose X = place(v3_make(0.02, 0.013, 0), v3_make(0.8, 0.6, 0), 0.31 * turn), Y = ground;
        X.p.z = 0.1 - d + find_low(shapes[n], &X.R);
        v3 at = v3_make(0.02, 0.013, 0.1);
        const cr_field_body soft = {shapes[n], &X, E};
        result whole = touch((cr_field_body){&cube, &Y, INFINITY}, soft, at, d);
        result parts = touch((cr_field_body){&mesh, &Y, INFINITY}, soft, at, d);
        assert_true(whole.force.z > 0);
        check_same(&parts, &whole, off[n], d);
      }
  destroy(&mesh);
}

/* The same cube soft, as a surface: its field is that of a box. */
static void test_soft_surface(void** state) {
  (void)state;
  const cr_shape* shapes[] = {&cube, &ball, &egg, &capsule, &cylinder, &plane};
  static const double off[] = {1e-9, 8e-3, 8e-3, 8e-3, 8e-3, 1e-9};
  blocks b = all_blocks(0.2 / 3);
  const cr_shape mesh = make_shape(&b);
  check_near(cr_field_find_thickness(&mesh), 0.1, 1e-12);
  for (int n = 0; n < 6; n++)
    for (int k = 0; k < 2; k++)
      for (double d = 1e-4; d < 0.02; d *= 5) {
        bool flat = n == 5;
        pose X = place(v3_make(0.02, 0.013, 0), v3_make(0, 0, 1), 0.3), Y = ground;
        X.p.z = flat ? -0.1 + d : 0.1 - d + find_low(shapes[n], &X.R);
        if (flat) X.R = place(v3_zero(), v3_make(1, 0, 0), PI).R, X.p.z = 0.1 - d;
        v3 at = v3_make(0.02, 0.013, 0.1);
        const cr_field_body other = {shapes[n], &X, k ? INFINITY : flat ? 5e7 : 3e6};
        result whole = touch((cr_field_body){&cube, &Y, E}, other, at, d);
        result parts = touch((cr_field_body){&mesh, &Y, E}, other, at, d);
        assert_true(whole.force.z > 0);
        check_same(&parts, &whole, off[n], d);
      }
  destroy(&mesh);
}

/* A soft table of four legs, and a bridge: the force of each foot is that of a box, E / H A d, and
 * both surfaces soft are in series. */
static void test_feet(void** state) {
  (void)state;
  blocks table = all_blocks(0.1), floor_blocks = all_blocks(0.2);
  for (int i = 0; i < 9; i++)
    if (i / 3 == 1 || i % 3 == 1) table.has[i / 3][i % 3][0] = false;
  const cr_shape below = make_shape(&floor_blocks), above = make_shape(&table);
  double H[2] = {cr_field_find_thickness(&below), cr_field_find_thickness(&above)};
  for (double d = 1e-6; d < 2e-3; d *= 10) {
    pose X = place(v3_make(0, 0, -0.3), v3_make(0, 0, 1), 0);
    pose Y = place(v3_make(0.02, 0.01, 0.15 - d), v3_make(0, 0, 1), 0.2);
    for (int k = 0; k < 3; k++) {
      double pa = k == 1 ? INFINITY : E, pb = k == 2 ? INFINITY : 3 * E;
      result r =
          touch((cr_field_body){&below, &X, pa}, (cr_field_body){&above, &Y, pb}, v3_zero(), d);
      double give = (k == 1 ? 0 : H[0] / pa) + (k == 2 ? 0 : H[1] / pb);
      check_near(r.force.z / (0.04 * d / give), 1, 1e-6 + 50 * d);
      check_near(hypot(r.force.x, r.force.y) / r.force.z, 0, 1e-6 + 50 * d);
      check_near(-r.moment.y / r.force.z, 0.02, 1e-6 + d);
    }
  }
  destroy(&below), destroy(&above);
}

/* Height fields: level ground bears as a plane does, and a soft ball in a groove presses against
 * both of its sides. */
static void test_height_field(void** state) {
  (void)state;
  carom_allocator allocator = cr_allocator_resolve(NULL);
  double flat[25] = {0}, groove[25];
  static const double half[2] = {0.4, 0.4};
  for (int i = 0; i < 25; i++) groove[i] = 0.2 * abs(i % 5 - 2);
  cr_trisurface* level = cr_trisurface_create_grid(flat, 5, 5, half, 0.1, &allocator);
  cr_trisurface* bent = cr_trisurface_create_grid(groove, 5, 5, half, 0.1, &allocator);
  const cr_shape field = {.type = CAROM_GEOM_HEIGHT_FIELD, .surface = level};
  const cr_shape ditch = {.type = CAROM_GEOM_HEIGHT_FIELD, .surface = bent};
  for (double d = 1e-5; d < 0.02; d *= 6) {
    pose X = place(v3_make(0.03, 0.02, 0.1 - d), v3_make(0, 0, 1), 0.3);
    v3 at = v3_make(0.03, 0.02, 0);
    for (int n = 0; n < 2; n++) {
      const cr_field_body soft = {n ? &ball : &cube, &X, E};
      result r = touch((cr_field_body){&field, &ground, INFINITY}, soft, at, d);
      result same = touch((cr_field_body){&plane, &ground, INFINITY}, soft, at, d);
      check_same(&r, &same, n ? 3e-3 : 1e-9, d);
      assert_int_equal(r.patches.count, 1);
    }
    X.p = v3_make(0, 0.02, (0.1 - d) * sqrt(2));
    result r = touch((cr_field_body){&ditch, &ground, INFINITY}, (cr_field_body){&ball, &X, E},
                     v3_make(0, 0.02, 0.04), d);
    double each = 2 * PI * E * d * d * (0.5 - d / 0.3);
    assert_int_equal(r.patches.count, 2);
    check_near(r.force.z / (sqrt(2) * each), 1, 3e-3);
    for (int g = 0; g < 2; g++) {
      check_near(fabs(r.patches.patch[g].normal.x), sqrt(0.5), 1e-9);
      check_near(r.patches.patch[g].normal.z, sqrt(0.5), 1e-9);
    }
  }
  destroy(&field), destroy(&ditch);
}

/* No jump, whatever small move, where a soft ball or box goes over the steps of a rigid surface or
 * a soft one over a rigid box. */
static void test_continuity(void** state) {
  (void)state;
  blocks stairs = all_blocks(0.1);
  for (int i = 0; i < 9; i++)
    stairs.has[2][i / 3][2] = stairs.has[1][i / 3][2] = stairs.has[2][i / 3][1] = false;
  const cr_shape mesh = make_shape(&stairs);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 150; i++) {
      double force[2] = {0, 0};
      v3 moment[2];
      for (int j = 0; j < 2; j++) {
        double x = -0.1 + 2e-3 * i + j * 1e-9;
        pose X = place(v3_make(x, 0.013, 0.237 - x), v3_make(0.6, 0, 0.8), 0.4), Y = ground;
        if (k & 1) X.p.z -= 0.02;
        const cr_shape* shape = k & 1 ? &cube : &ball;
        bool soft = k < 2;
        result r = touch((cr_field_body){&mesh, &Y, soft ? INFINITY : E},
                         (cr_field_body){shape, &X, soft ? E : INFINITY}, X.p, 0.03);
        force[j] = v3_norm(r.force), moment[j] = r.moment;
      }
      if (force[0] < 1) continue;
      check_near(force[1] / force[0], 1, k < 2 ? 1e-5 : 1e-4);
      check_near(v3_norm(v3_sub(moment[1], moment[0])) / force[0], 0, k < 2 ? 1e-5 : 1e-4);
    }
  destroy(&mesh);
}

/* What only just touches, and triangles that are slivers: next to nothing, or what whole ones do,
 * never a number that is none. */
static void test_degenerate(void** state) {
  (void)state;
  const cr_shape* shapes[] = {&cube, &ball, &egg, &capsule, &cylinder};
  blocks b = all_blocks(0.2 / 3);
  const cr_shape whole = make_shape(&b);
  double thin = 0.2 / 3;
  for (int sliver = 0; sliver < 2; sliver++) {
    if (sliver) { /* rows of vertices come as near as 1e-10 m to each other */
      double* x = (double*)whole.surface->vertex;
      for (int i = 0; i < 3 * whole.surface->num_vertices; i++)
        if (fabs(x[i]) < 0.05 && x[i] > 0) x[i] = -thin / 2 + 1e-10;
    }
    for (int n = 0; n < 5; n++)
      for (int k = 0; k < 2; k++)
        for (double d = 1e-18; d < 0.03; d *= 100) {
          pose X = place(v3_make(-thin / 2, 0.013, 0), v3_make(0.8, 0.6, 0), 0.3), Y = ground;
          X.p.z = 0.1 - d + find_low(shapes[n], &X.R);
          result r = touch((cr_field_body){&whole, &Y, k ? E : INFINITY},
                           (cr_field_body){shapes[n], &X, k ? INFINITY : E}, X.p, d);
          assert_true(isfinite(v3_norm(r.force)) && isfinite(v3_norm(r.moment)));
          if (d < 1e-7) assert_true(v3_norm(r.force) < 1e-2);
          if (d > 1e-3) assert_true(r.force.z > 0);
        }
  }
  destroy(&whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rigid_surface), cmocka_unit_test(test_soft_surface),
      cmocka_unit_test(test_feet),          cmocka_unit_test(test_height_field),
      cmocka_unit_test(test_continuity),    cmocka_unit_test(test_degenerate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
