/* Mesh files: what is read of both kinds of STL and of OBJ, and the sentence for each way in which
 * they can be broken. */
#include "import/mesh/read.h"
#include "support/solid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Reads bytes as a file of this name. */
static carom_status read_file(const char* name, const void* bytes, size_t size, cr_mesh* mesh,
                              cr_mesh_ignored* ignored, carom_error* error) {
  FILE* file = tmpfile();
  assert_non_null(file);
  if (size) assert_int_equal(fwrite(bytes, 1, size, file), size);
  rewind(file);
  cr_mesh_init(mesh, solid_allocator());
  carom_status status = cr_mesh_file_read(file, name, mesh, ignored, error);
  fclose(file);
  return status;
}

static void check_reads(const char* name, const char* text, int vertices, int triangles) {
  cr_mesh mesh;
  cr_mesh_ignored ignored;
  carom_error error;
  check_ok(read_file(name, text, strlen(text), &mesh, &ignored, &error), &error);
  assert_int_equal(mesh.num_vertices, vertices);
  assert_int_equal(mesh.num_triangles, triangles);
  cr_mesh_release(&mesh);
}

static void check_refuses(const char* name, const char* text, const char* sentence) {
  cr_mesh mesh;
  cr_mesh_ignored ignored;
  carom_error error;
  carom_status status = read_file(name, text, strlen(text), &mesh, &ignored, &error);
  cr_mesh_release(&mesh);
  assert_int_not_equal(status, CAROM_OK);
  assert_string_equal(error.message, sentence);
}

#define FACET                                                                       \
  "facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1 0\n " \
  "endloop\nendfacet\n"

static void test_stl_text(void** state) {
  (void)state;
  check_reads("a.stl", "solid x\n" FACET FACET "endsolid x\n", 3, 2);
  check_reads("a.STL", " solid\r\n" FACET, 3, 1);
  check_refuses("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 nan\n",
                "a.stl:4: coordinate 'nan' is not a finite number");
  check_refuses("a.stl", "solid\nfacet\nouter loop\nvertex 0 0\n",
                "a.stl:4: coordinate '' is not a finite number");
  check_refuses("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 0\nendloop\n",
                "a.stl:5: the facet ends with 'endloop' without three vertices");
  check_refuses("a.stl", "solid\nfacet\n\n faced\n",
                "a.stl:4: the word 'faced' is none of an STL file");
  check_refuses("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 0",
                "a.stl:4: the file ends within a facet");
  check_refuses("a.stl", "solid", "a.stl: the mesh has no vertices");
  check_refuses("a.stl", "solip",
                "a.stl: it has 5 bytes, an STL file has 84 at least or begins with 'solid'");
  check_refuses("a.ply", "solid",
                "a.ply: its name ends with none of .stl, .obj, .msh, .dae, .gltf, .glb, .vtk, "
                ".vtu: other meshes are "
                "not "
                "read");
}

static void test_stl_binary(void** state) {
  (void)state;
  unsigned char bytes[84 + 100] = "solid header that is none";
  cr_mesh mesh;
  cr_mesh_ignored ignored;
  carom_error error;
  bytes[80] = 2;
  float one = 1;
  memcpy(bytes + 84 + 12 + 12, &one, 4);
  memcpy(bytes + 84 + 12 + 28, &one, 4);
  memcpy(bytes + 134 + 12 + 12, &one, 4);
  memcpy(bytes + 134 + 12 + 32, &one, 4);
  check_ok(read_file("b.stl", bytes, sizeof bytes, &mesh, &ignored, &error), &error);
  assert_int_equal(mesh.num_vertices, 4);
  assert_int_equal(mesh.num_triangles, 2);
  assert_true(mesh.vertex[3] == 1 && mesh.triangle[3] == 0 && mesh.triangle[5] == 3);
  cr_mesh_release(&mesh);
  bytes[0] = 'S';
  bytes[81] = 1;
  assert_int_equal(read_file("b.stl", bytes, sizeof bytes, &mesh, &ignored, &error),
                   CAROM_ERROR_BAD_INPUT);
  assert_string_equal(
      error.message, "b.stl: it has 184 bytes, but the 258 triangles that it announces take 12984");
  cr_mesh_release(&mesh);
  bytes[81] = 0;
  memset(bytes + 134 + 12, 0xff, 4);
  assert_int_equal(read_file("b.stl", bytes, sizeof bytes, &mesh, &ignored, &error),
                   CAROM_ERROR_BAD_INPUT);
  assert_non_null(strstr(error.message, "b.stl: triangle 2: coordinate is "));
  cr_mesh_release(&mesh);
}

static const char SQUARE[] = "# square\nmtllib x.mtl\no square\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\n"
                             "v 1 1 \\\n 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\ng all\nusemtl red\n";

static void check_square(const char* face, int triangles) {
  char text[400];
  snprintf(text, sizeof text, "%s%s\n", SQUARE, face);
  check_reads("c.obj", text, 4, triangles);
}

static void test_obj(void** state) {
  (void)state;
  check_square("f 1 2 3", 1);
  check_square("f 1/1 2/1 3/1 4/1 # four", 2);
  check_square("f -4//1 -3//1 -2//1 -1//1\nl 1 2\ns off\nf 1 2 4", 3);
  check_square("v 0 1 0\nv 0 -0 -0\nf 6 2 3 5", 2);
  check_refuses("c.obj", "v 0 0 0\nf 1 2 3\n",
                "c.obj:2: corner '2' names none of the 1 vertices above it");
  check_refuses("c.obj", "v 0 0 0\nf 1 1\n",
                "c.obj:2: the face before '' has fewer than three corners");
  check_refuses("c.obj", "v 0 0 0\nf 0 1 1\n",
                "c.obj:2: corner '0' names none of the 1 vertices above it");
  check_refuses("c.obj", "v 0 0 0\nf 1 -2 1\n",
                "c.obj:2: corner '-2' names none of the 1 vertices above it");
  check_refuses("c.obj", "v 0 0 0\nf 1 1x 1\n",
                "c.obj:2: corner '1x' does not begin with the number of a vertex");
  check_refuses("c.obj", "v 0 0 0\nf 1 99999999999999 1\n",
                "c.obj:2: corner '99999999999999' does not begin with the number of a vertex");
  check_refuses("c.obj", "\nv 0 1e999 0\n", "c.obj:2: coordinate '1e999' is not a finite number");
  check_refuses("c.obj", "what 1\n", "c.obj:1: the word 'what' is none of an OBJ file");
  cr_mesh mesh;
  cr_mesh_ignored ignored;
  carom_error error;
  check_ok(read_file("c.obj", SQUARE, strlen(SQUARE), &mesh, &ignored, &error), &error);
  assert_int_equal(ignored.materials, 2);
  assert_int_equal(ignored.lines, 0);
  cr_mesh_release(&mesh);
}

/* A cube whose top is bent by a corner that stands h higher, which adds h/6 where the cut passes
 * that corner, the shorter diagonal, and would add h/3 where it ended there. */
static void test_bent_quads(void** state) {
  (void)state;
  static const double HEIGHT[] = {1.4, 0.6, 1};
  static const char* const TOP[] = {"5 6 7 8", "6 7 8 5", "7 8 5 6"};
  for (int i = 0; i < 9; i++) {
    char text[400];
    double h = HEIGHT[i / 3] - 1;
    snprintf(text, sizeof text,
             "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 %g\nv 0 1 1\n"
             "f 1 4 3 2\nf %s\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
             1 + h, TOP[i % 3]);
    cr_mesh mesh;
    cr_mesh_ignored ignored;
    cr_mesh_report report;
    carom_error error;
    check_ok(read_file("c.obj", text, strlen(text), &mesh, &ignored, &error), &error);
    assert_true(cr_mesh_check(&mesh, &report) && report.num_open == 0 && report.num_turned == 0);
    check_near(report.volume, 1 + h / 6, 1e-15);
    cr_mesh_release(&mesh);
  }
}

/* Of tetrahedra the surface: two that share a face have six, seen from outside, and enclose their
 * volumes; the node in a corner that no tetrahedron has is left out. */
static void test_tetrahedra(void** state) {
  (void)state;
  static const char TEXT[] =
      "# vtk DataFile Version 3.0\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n"
      "0 0 0 9 9 9 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 10\n4 0 2 3 4\n4 2 3 4 5\nCELL_TYPES 2\n10 "
      "10\n";
  cr_mesh mesh;
  cr_mesh_ignored ignored;
  cr_mesh_report report;
  carom_error error;
  check_ok(read_file("t.vtk", TEXT, strlen(TEXT), &mesh, &ignored, &error), &error);
  assert_int_equal(mesh.num_vertices, 5);
  assert_int_equal(mesh.num_triangles, 6);
  assert_true(cr_mesh_check(&mesh, &report) && report.num_open == 0 && report.num_turned == 0);
  check_near(report.volume, 1.0 / 6 + 1.0 / 3, 1e-15);
  cr_mesh_release(&mesh);
}

/* Columns over a bent hexagon and a bent L, whose tops begin at each of their corners: how much
 * they enclose tells how the tops are cut. Volumes by MuJoCo 4.0, in single precision. */
static void test_bent_polygons(void** state) {
  (void)state;
  static const double HEIGHT[6] = {1.1, 0.9, 1.2, 1, 0.8, 1.05};
  static const struct {
    double corner[6][2], volume[6];
  } TOPS[] = {{{{1, 0}, {0.5, 0.8}, {-0.5, 0.9}, {-1, 0}, {-0.4, -0.9}, {0.6, -0.8}},
               {2.633666696, 2.420666662, 2.615833329, 2.586833319, 2.466500016, 2.653416643}},
              {{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
               {3.083333363, 3.041666657, 3.041666657, 3.041666657, 3.083333363, 3.024999966}}};
  for (int t = 0; t < 12; t++) {
    char text[1000] = "";
    size_t at = 0;
    for (int i = 0; i < 12; i++)
      at += (size_t)snprintf(text + at, sizeof text - at, "v %g %g %g\n",
                             TOPS[t / 6].corner[i % 6][0], TOPS[t / 6].corner[i % 6][1],
                             i < 6 ? 0 : HEIGHT[i % 6]);
    at += (size_t)snprintf(text + at, sizeof text - at, "f 6 5 4 3 2 1\nf");
    for (int i = 0; i < 6; i++)
      at += (size_t)snprintf(text + at, sizeof text - at, " %d", 7 + (i + t) % 6);
    for (int i = 0, j = 1; i < 6; i++, j = (i + 1) % 6)
      at += (size_t)snprintf(text + at, sizeof text - at, "\nf %d %d %d\nf %d %d %d", i + 1, j + 1,
                             j + 7, i + 1, j + 7, i + 7);
    cr_mesh mesh;
    cr_mesh_ignored ignored;
    cr_mesh_report report;
    carom_error error;
    check_ok(read_file("c.obj", text, strlen(text), &mesh, &ignored, &error), &error);
    assert_true(cr_mesh_check(&mesh, &report) && report.num_open == 0 && report.num_turned == 0);
    check_near(report.volume, TOPS[t / 6].volume[t % 6], 1e-7 * TOPS[t / 6].volume[t % 6]);
    cr_mesh_release(&mesh);
  }
}

/* Round plates of more and more corners keep their area, however they are cut: n/2 sin(2 pi / n).
 */
static void test_large_polygons(void** state) {
  (void)state;
  static const int COUNTS[] = {5, 12, 256, 257, 3000};
  static char text[200000];
  for (size_t c = 0; c < sizeof COUNTS / sizeof *COUNTS; c++) {
    int n = COUNTS[c];
    size_t at = 0;
    for (int i = 0; i < n; i++)
      at += (size_t)snprintf(text + at, sizeof text - at, "v %.17g %.17g 3\n", cos(2 * PI * i / n),
                             sin(2 * PI * i / n));
    at += (size_t)snprintf(text + at, sizeof text - at, "f");
    for (int i = 0; i < n; i++) at += (size_t)snprintf(text + at, sizeof text - at, " %d", i + 1);
    cr_mesh mesh;
    cr_mesh_ignored ignored;
    carom_error error;
    double area = 0;
    check_ok(read_file("c.obj", text, strlen(text), &mesh, &ignored, &error), &error);
    assert_int_equal(mesh.num_triangles, n - 2);
    for (int i = 0; i < mesh.num_triangles; i++) {
      v3 x[3];
      for (int k = 0; k < 3; k++) x[k] = v3_load(mesh.vertex + 3 * mesh.triangle[3 * i + k]);
      area += 0.5 * v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])).z;
    }
    check_near(area, 0.5 * n * sin(2 * PI / n), 1e-12);
    cr_mesh_release(&mesh);
  }
}

/* Published files; the triangles are counted by the size of the file and by its words. */
static void test_published(void** state) {
  (void)state;
  const char* shared = check_shared_folder();
  if (!shared) skip();
  static const struct {
    const char* path;
    int triangles;
  } FILES[] = {{"mjcf/skydio_x2/assets/X2_lowpoly.obj", 2554},
               {"mjcf/booster_t1/assets/Trunk.stl", 6586}};
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    char path[2048];
    snprintf(path, sizeof path, "%s/models/%s", shared, FILES[i].path);
    FILE* file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be opened", path);
    cr_mesh mesh;
    cr_mesh_ignored ignored;
    carom_error error;
    cr_mesh_init(&mesh, solid_allocator());
    check_ok(cr_mesh_file_read(file, path, &mesh, &ignored, &error), &error);
    fclose(file);
    assert_int_equal(mesh.num_triangles, FILES[i].triangles);
    cr_mesh_release(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stl_text),
      cmocka_unit_test(test_stl_binary),
      cmocka_unit_test(test_obj),
      cmocka_unit_test(test_bent_quads),
      cmocka_unit_test(test_bent_polygons),
      cmocka_unit_test(test_tetrahedra),
      cmocka_unit_test(test_large_polygons),
      cmocka_unit_test(test_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
