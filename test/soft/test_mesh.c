/* Generated meshes: volumes, surfaces that close, edges that are shared; and what the check finds,
 * by the number in its sentence. */
#include "math/vec3.h"
#include "soft/element.h"
#include "soft/mesh.h"
#include "soft/shapes.h"
#include "soft/surface.h"
#include "support/check.h"
#include "support/memory.h"

#include <math.h>
#include <string.h>

static cr_soft_mesh make(cr_soft_shape_kind kind, int cells, cr_soft_split split) {
  cr_soft_shape_def def = {kind, {1, 2, 3}, {cells, cells + 1, cells}, split};
  cr_soft_mesh mesh;
  carom_error error;
  check_ok(cr_soft_mesh_make_shape(&def, NULL, &mesh, &error), &error);
  check_ok(cr_soft_mesh_check(&mesh, NULL, &error), &error);
  return mesh;
}

static double volume_of(const cr_soft_mesh* mesh) {
  double sum = 0;
  for (int e = 0; e < mesh->num_elements; e++) sum += cr_soft_mesh_compute_volume(mesh, e);
  return sum;
}

/* The surface's own volume (by the divergence theorem: outward faces) is the elements' sum, and its
 * normals add up to nothing. */
static int expect_closed(const cr_soft_mesh* mesh) {
  cr_soft_face* faces;
  int num_faces;
  carom_error error;
  check_ok(cr_soft_mesh_compute_surface(mesh, &faces, &num_faces, &error), &error);
  v3 sum = v3_zero();
  double volume = 0;
  for (int f = 0; f < num_faces; f++) {
    const int* node = mesh->element + faces[f].element * mesh->nodes_per_element;
    const int* corner = cr_soft_face_nodes[faces[f].face];
    v3 a = v3_load(mesh->node[node[corner[0]]]), b = v3_load(mesh->node[node[corner[1]]]);
    v3 c = v3_load(mesh->node[node[corner[2]]]);
    sum = v3_add(sum, v3_cross(v3_sub(b, a), v3_sub(c, a)));
    volume += v3_dot(a, v3_cross(b, c)) / 6;
    if (mesh->nodes_per_element == 10)
      for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
          check_near(
              mesh->node[node[corner[3 + k]]][i],
              0.5 * (mesh->node[node[corner[k]]][i] + mesh->node[node[corner[(k + 1) % 3]]][i]),
              1e-15);
  }
  check_near(v3_norm(sum), 0, 1e-12);
  check_near(volume, volume_of(mesh), 1e-12);
  cr_soft_faces_release(mesh, faces, num_faces);
  return num_faces;
}

static void test_boxes(void** state) {
  (void)state;
  for (int split = 0; split < 2; split++) {
    cr_soft_mesh mesh = make(CR_SOFT_BOX, 3, (cr_soft_split)split);
    assert_int_equal(mesh.num_elements, (split ? 5 : 6) * 3 * 4 * 3);
    check_near(volume_of(&mesh), 6, 1e-13);
    assert_int_equal(expect_closed(&mesh), 2 * 2 * (12 + 12 + 9));
    cr_soft_mesh_destroy(&mesh);
  }
}

/* Inscribed shapes miss a part of the volume that falls with the square of the cells' size. */
static void test_round_shapes(void** state) {
  (void)state;
  const double volume[] = {0, M_PI * 0.5 * 1 * 3, 4 * M_PI / 3 * 0.5 * 1 * 1.5};
  for (int kind = CR_SOFT_CYLINDER; kind <= CR_SOFT_BALL; kind++)
    for (int split = 0; split < 2; split++) {
      double missing[2];
      for (int k = 0; k < 2; k++) {
        cr_soft_mesh mesh = make((cr_soft_shape_kind)kind, 8 << k, (cr_soft_split)split);
        missing[k] = volume[kind] - volume_of(&mesh);
        expect_closed(&mesh);
        cr_soft_mesh_destroy(&mesh);
      }
      assert_true(missing[1] > 0);
      check_near(log2(missing[0] / missing[1]), 2, 0.25);
    }
}

/* Euler's formula of a solid ball counts the edges: nodes - edges + faces - elements = 1. */
static void test_quadratic(void** state) {
  (void)state;
  for (int split = 0; split < 2; split++) {
    cr_soft_mesh linear = make(CR_SOFT_BALL, 4, (cr_soft_split)split), mesh;
    carom_error error;
    check_ok(cr_soft_mesh_make_quadratic(&linear, &mesh, &error), &error);
    check_ok(cr_soft_mesh_check(&mesh, NULL, &error), &error);
    int surface = expect_closed(&mesh), edges = mesh.num_nodes - linear.num_nodes;
    int faces = (4 * mesh.num_elements + surface) / 2;
    assert_int_equal(linear.num_nodes - edges + faces - mesh.num_elements, 1);
    cr_soft_mesh_destroy(&mesh);
    cr_soft_mesh_destroy(&linear);
  }
}

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* Integrals of monomials over the corner: a! b! c! / (a + b + c + 3)!. */
static void test_quadrature(void** state) {
  (void)state;
  const cr_soft_point* rules[] = {cr_soft_points_1, cr_soft_points_4, cr_soft_points_14};
  const int count[] = {1, 4, 14}, degree[] = {1, 2, 5};
  for (int r = 0; r < 3; r++)
    for (int a = 0; a <= degree[r]; a++)
      for (int b = 0; a + b <= degree[r]; b++)
        for (int c = 0; a + b + c <= degree[r]; c++) {
          double sum = 0;
          for (int p = 0; p < count[r]; p++)
            sum += rules[r][p].weight / 6 * pow(rules[r][p].at[0], a) * pow(rules[r][p].at[1], b) *
                   pow(rules[r][p].at[2], c);
          check_near(sum, factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3),
                     1e-15);
        }
}

static void expect_complaint(const cr_soft_mesh* mesh, const char* words) {
  carom_error error;
  assert_int_equal(cr_soft_mesh_check(mesh, NULL, &error), CAROM_ERROR_BAD_INPUT);
  if (!strstr(error.message, words)) fail_msg("'%s' is not in: %s", words, error.message);
}

static void test_complaints(void** state) {
  (void)state;
  cr_soft_mesh mesh = make(CR_SOFT_BOX, 2, CR_SOFT_SPLIT_SIX);
  int* node = mesh.element + 4 * 7;
  int a = node[0], b = node[1];
  node[0] = b, node[1] = a;
  expect_complaint(&mesh, "element 7 is inverted");
  node[0] = b, node[1] = b;
  expect_complaint(&mesh, "element 7 names node");
  node[0] = a, node[1] = 1000;
  expect_complaint(&mesh, "element 7 names node 1000");
  node[1] = -1;
  expect_complaint(&mesh, "element 7 names node -1");
  node[1] = b;

  double x = mesh.node[5][1];
  mesh.node[5][1] = NAN;
  expect_complaint(&mesh, "coordinate 1 of node 5 is nan");
  mesh.node[5][1] = x;

  double corner[3];
  memcpy(corner, mesh.node[0], sizeof corner);
  memcpy(mesh.node[0], mesh.node[1], sizeof corner);
  expect_complaint(&mesh, "element 0 is degenerate");
  memcpy(mesh.node[0], corner, sizeof corner);

  int all = mesh.num_elements;
  mesh.num_elements = 6;
  expect_complaint(&mesh, "node 2 belongs to no element");
  mesh.num_elements = all;
  cr_soft_mesh_destroy(&mesh);
}

/* Two tetrahedra side by side, then with nodes of their own in the same places. */
static void test_parts(void** state) {
  (void)state;
  double node[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                       {3, 0, 0}, {4, 0, 0}, {3, 1, 0}, {3, 0, 1}};
  int element[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  cr_soft_mesh mesh = {.allocator = cr_allocator_resolve(NULL),
                       .num_nodes = 8,
                       .num_elements = 2,
                       .nodes_per_element = 4,
                       .node = node,
                       .element = element};
  expect_complaint(&mesh, "element 1 shares no nodes");
  for (int n = 4; n < 8; n++) node[n][0] -= 3;
  expect_complaint(&mesh, "nodes 0 and 4 are in the same place");
}

/* One element twice, and one that is folded over its neighbour; the sentence has the file's numbers
 * where they are given. */
static void test_same_side(void** state) {
  (void)state;
  double node[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 2}};
  int element[8] = {0, 1, 2, 3, 1, 2, 0, 3};
  int64_t names[2] = {70, 71};
  cr_soft_mesh mesh = {.allocator = cr_allocator_resolve(NULL),
                       .num_nodes = 4,
                       .num_elements = 2,
                       .nodes_per_element = 4,
                       .node = node,
                       .element = element};
  carom_error error;
  expect_complaint(&mesh, "elements 0 and 1 lie on the same side");
  mesh.num_nodes = 5;
  element[7] = 4;
  expect_complaint(&mesh, "elements 0 and 1 lie on the same side");
  assert_int_equal(cr_soft_mesh_check(&mesh, &(cr_soft_numbers){NULL, names}, &error),
                   CAROM_ERROR_BAD_INPUT);
  assert_non_null(strstr(error.message, "elements 70 and 71"));
  node[4][2] = -2;
  int outside[4] = {0, 2, 1, 4};
  memcpy(element + 4, outside, sizeof outside);
  check_ok(cr_soft_mesh_check(&mesh, NULL, &error), &error);
}

/* A new node in the middle of an edge belongs to the regions of both ends. */
static void test_regions(void** state) {
  (void)state;
  cr_soft_mesh linear = make(CR_SOFT_BOX, 2, CR_SOFT_SPLIT_SIX), mesh;
  carom_error error;
  int node[200], element = 3, count = 0, wanted = 0;
  for (int n = 0; n < linear.num_nodes; n++)
    if (linear.node[n][0] == linear.node[0][0]) node[count++] = n;
  cr_soft_region side = {"side", count, 0, node, NULL}, inner = {"inner", 0, 1, NULL, &element};
  check_ok(cr_soft_mesh_add_region(&linear, &side, &error), &error);
  check_ok(cr_soft_mesh_add_region(&linear, &inner, &error), &error);
  assert_int_equal(cr_soft_mesh_add_region(&linear, &side, &error), CAROM_ERROR_BAD_INPUT);
  check_ok(cr_soft_mesh_make_quadratic(&linear, &mesh, &error), &error);
  const cr_soft_region* found = cr_soft_mesh_find_region(&mesh, "side");
  assert_non_null(found);
  for (int n = 0; n < mesh.num_nodes; n++) wanted += mesh.node[n][0] == mesh.node[0][0];
  assert_int_equal(found->num_nodes, wanted);
  for (int k = 0; k < found->num_nodes; k++)
    check_near(mesh.node[found->node[k]][0], mesh.node[0][0], 0);
  assert_int_equal(cr_soft_mesh_find_region(&mesh, "inner")->element[0], 3);
  assert_null(cr_soft_mesh_find_region(&mesh, "sid"));
  char text[40], shorter[12];
  cr_soft_mesh_list_regions(&mesh, text, sizeof text);
  assert_string_equal(text, "'side', 'inner'");
  cr_soft_mesh_list_regions(&mesh, shorter, sizeof shorter);
  assert_string_equal(shorter, "'side' ...");
  cr_soft_mesh_destroy(&mesh);
  cr_soft_mesh_destroy(&linear);
}

static void test_memory_fails(void** state) {
  (void)state;
  cr_soft_shape_def def = {CR_SOFT_BALL, {1, 1, 1}, {2, 2, 2}, CR_SOFT_SPLIT_SIX};
  bool is_done = false;
  for (int fail_at = 0; !is_done; fail_at++) {
    check_memory memory = check_memory_make();
    carom_allocator hooks = check_memory_hooks(&memory);
    memory.fail_at = fail_at;
    cr_soft_mesh linear = {0}, mesh = {0};
    cr_soft_face* faces = NULL;
    int num_faces;
    carom_error error = {0};
    is_done = cr_soft_mesh_make_shape(&def, &hooks, &linear, &error) == CAROM_OK &&
              cr_soft_mesh_make_quadratic(&linear, &mesh, &error) == CAROM_OK &&
              cr_soft_mesh_check(&mesh, NULL, &error) == CAROM_OK &&
              cr_soft_mesh_compute_surface(&mesh, &faces, &num_faces, &error) == CAROM_OK;
    assert_true(is_done || error.status == CAROM_ERROR_OUT_OF_MEMORY);
    if (is_done) cr_soft_faces_release(&mesh, faces, num_faces);
    cr_soft_mesh_destroy(&mesh);
    cr_soft_mesh_destroy(&linear);
    check_memory_expect_empty(&memory);
  }
}

static void test_bad_shapes(void** state) {
  (void)state;
  const cr_soft_shape_def bad[] = {{CR_SOFT_BOX, {1, -1, 1}, {2, 2, 2}, 0},
                                   {CR_SOFT_BOX, {1, 1, NAN}, {2, 2, 2}, 0},
                                   {CR_SOFT_BOX, {1, 1, 1}, {2, 0, 2}, 0},
                                   {CR_SOFT_BALL, {1, 1, 1}, {2, 1, 2}, 0},
                                   {CR_SOFT_BOX, {1, 1, 1}, {2000, 2000, 2000}, 0}};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    cr_soft_mesh mesh;
    carom_error error;
    assert_int_equal(cr_soft_mesh_make_shape(&bad[k], NULL, &mesh, &error), CAROM_ERROR_BAD_INPUT);
  }
}

/* The flat tetrahedra of an element fill it, all the right way round, and those on the surface have
 * its triangles. */
static void test_tets(void** state) {
  (void)state;
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    cr_soft_shape_def def = {.kind = CR_SOFT_BALL, .size = {1, 2, 3}, .cells = {4, 4, 4}};
    carom_error error;
    cr_soft_mesh mesh, finer;
    check_ok(cr_soft_mesh_make_shape(&def, NULL, &mesh, &error), &error);
    if (quadratic) {
      check_ok(cr_soft_mesh_make_quadratic(&mesh, &finer, &error), &error);
      cr_soft_mesh_destroy(&mesh);
      mesh = finer;
    }
    int count = cr_soft_mesh_count_tets(&mesh), parts = count / mesh.num_elements;
    cr_soft_mesh flat;
    check_ok(cr_soft_mesh_create(&flat, mesh.num_nodes, count, 4, NULL, &error), &error);
    memcpy(flat.node, mesh.node, sizeof *mesh.node * (size_t)mesh.num_nodes);
    for (int t = 0; t < count; t++) {
      cr_soft_mesh_get_tet(&mesh, t, flat.element + 4 * t);
      double whole = cr_soft_mesh_compute_volume(&mesh, t / parts);
      check_near(cr_soft_mesh_compute_volume(&flat, t), whole / parts, 1e-13);
    }
    check_ok(cr_soft_mesh_check(&flat, NULL, &error), &error);
    cr_soft_surface a, b;
    check_ok(cr_soft_surface_create(&a, &mesh, &error), &error);
    check_ok(cr_soft_surface_create(&b, &flat, &error), &error);
    assert_int_equal(a.num_triangles, b.num_triangles);
    for (int n = 0; n < a.num_nodes; n++) check_near(a.area[n], b.area[n], 1e-13);
    cr_soft_surface_destroy(&a);
    cr_soft_surface_destroy(&b);
    cr_soft_mesh_destroy(&flat);
    cr_soft_mesh_destroy(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boxes),        cmocka_unit_test(test_round_shapes),
      cmocka_unit_test(test_quadratic),    cmocka_unit_test(test_quadrature),
      cmocka_unit_test(test_complaints),   cmocka_unit_test(test_parts),
      cmocka_unit_test(test_same_side),    cmocka_unit_test(test_regions),
      cmocka_unit_test(test_memory_fails), cmocka_unit_test(test_bad_shapes),
      cmocka_unit_test(test_tets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
