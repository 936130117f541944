/* Meshes of .msh files: one prism in every form, written by Gmsh 4.15 and as MuJoCo lays it out
 * (its own loader finds the same mass), against closed forms, and the sentences for what is broken.
 */
#include "import/mesh/read.h"
#include "support/scene.h"
#include "support/solid.h"

#include "carom/dynamics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER CR_SOURCE_DIR "/test/fuzz/corpus/msh/"

static const char* const FORMS[] = {"prism_22.msh", "prism_binary_22.msh", "prism_41.msh",
                                    "prism_binary_41.msh", "prism_mujoco.msh"};
enum { NUM_FORMS = sizeof FORMS / sizeof FORMS[0] };

/* Legs of the ends and height, m. */
static const double A = 3, B = 2, H = 1;

/* The moments of a right triangle about its centre are m b²/18, m a²/18 and m a b/36. */
static void check_prism(const cr_mesh* mesh) {
  cr_mesh_mass mass;
  double m = A * B * H / 2, ix = B * B / 18 + H * H / 12, iy = A * A / 18 + H * H / 12;
  const double inertia[6] = {m * ix, m * iy, m * (A * A + B * B) / 18, m * A * B / 36, 0, 0};
  const double center[3] = {A / 3, B / 3, H / 2};
  assert_int_equal(mesh->num_vertices, 6);
  assert_int_equal(mesh->num_triangles, 8);
  cr_mesh_compute_mass(mesh, CR_MESH_EXACT, &mass);
  check_near(mass.volume, m, 1e-14);
  check_near(v3_norm(v3_sub(mass.center, v3_load(center))), 0, 1e-14);
  check_near_array(mass.inertia, inertia, 6, 1e-13);
}

static carom_status read_file(FILE* file, const char* name, cr_mesh* mesh, carom_error* error) {
  cr_mesh_ignored ignored;
  cr_mesh_init(mesh, solid_allocator());
  assert_non_null(file);
  carom_status status = cr_mesh_file_read(file, name, mesh, &ignored, error);
  fclose(file);
  return status;
}

static carom_status read_bytes(const void* bytes, size_t size, cr_mesh* mesh, carom_error* error) {
  FILE* file = tmpfile();
  assert_non_null(file);
  if (size) assert_int_equal(fwrite(bytes, 1, size, file), size);
  rewind(file);
  return read_file(file, "p.msh", mesh, error);
}

/* Triangles that Gmsh 2.2 lists for two groups count once. */
static void test_forms(void** state) {
  (void)state;
  for (int i = 0; i < NUM_FORMS; i++) {
    char path[1000];
    cr_mesh mesh;
    carom_error error;
    snprintf(path, sizeof path, FOLDER "%s", FORMS[i]);
    check_ok(read_file(fopen(path, "rb"), path, &mesh, &error), &error);
    check_prism(&mesh);
    cr_mesh_release(&mesh);
  }
}

/* As an asset of MJCF: the mass of the density, m³ times kg/m³. */
static void test_asset(void** state) {
  (void)state;
  for (int i = 0; i < NUM_FORMS; i++) {
    char text[2000];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='p' inertia='exact' file='" FOLDER "%s'/></asset>"
             "<worldbody><body><joint type='slide' axis='0 0 1'/><geom type='mesh' mesh='p' "
             "density='10'/>"
             "</body></worldbody></mujoco>",
             FORMS[i]);
    carom_model* model = scene_load(text);
    carom_dynamics* dynamics;
    carom_error error;
    double M, v = 0;
    check_ok(carom_dynamics_create(model, NULL, &dynamics, &error), &error);
    check_ok(carom_dynamics_set(dynamics, carom_model_get_reference(model), &v, NULL, &error),
             &error);
    carom_dynamics_compute_mass_matrix(dynamics, &M);
    check_near(M, 10 * A * B * H / 2, 1e-12);
    carom_dynamics_destroy(dynamics);
    carom_model_destroy(model);
  }
}

static void check_refuses(const void* bytes, size_t size, const char* sentence) {
  cr_mesh mesh;
  carom_error error;
  assert_int_equal(read_bytes(bytes, size, &mesh, &error), CAROM_ERROR_BAD_INPUT);
  cr_mesh_release(&mesh);
  assert_string_equal(error.message, sentence);
}

#define TEXT(nodes, elements) \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" nodes "$EndNodes\n$Elements\n" elements
#define NODES "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

static void check_text_refused(const char* text, const char* sentence) {
  check_refuses(text, strlen(text), sentence);
}

static void test_broken_gmsh(void** state) {
  (void)state;
  check_text_refused(TEXT(NODES, "1\n5 2 0 1 2 9\n"),
                     "p.msh: element 5 names node 9, which is not there");
  check_text_refused(TEXT(NODES, "1\n5 3 0 1 2 3 4\n"),
                     "p.msh:13: element 5 is a quadrangle with 4 nodes; a surface is made of "
                     "triangles with 3");
  check_text_refused(TEXT(NODES, "1\n5 4 0 1 2 3 4\n"),
                     "p.msh: there are no triangles: a surface is made of them");
  check_text_refused(TEXT("2\n1 0 0 0\n1 1 0 0\n", "1\n5 2 0 1 1 1\n"),
                     "p.msh: two nodes have the number 1");
  check_text_refused("$NOD\n", "p.msh:1: there is no $MeshFormat");
}

/* MuJoCo's layout with a triangle. */
typedef struct layout {
  int32_t count[4];
  float vertex[3][3];
  int32_t face[3];
} layout;

static void test_broken_mujoco(void** state) {
  (void)state;
  const layout whole = {{3, 0, 0, 1}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1, 2}};
  layout l = whole;
  cr_mesh mesh;
  carom_error error;
  check_ok(read_bytes(&l, sizeof l, &mesh, &error), &error);
  assert_int_equal(mesh.num_triangles, 1);
  cr_mesh_release(&mesh);
  check_refuses(&l, 15,
                "p.msh: it has 15 bytes; a .msh file begins with '$MeshFormat' (Gmsh) or four "
                "counts (MuJoCo)");
  check_refuses(&l, sizeof l - 1,
                "p.msh: it has 63 bytes, but the 3 vertices, 0 normals, 0 texture coordinates and "
                "1 faces that it announces take 64");
  l.face[1] = 3;
  check_refuses(&l, sizeof l, "p.msh: face 1: vertex is 3, must be at least 0 and less than 3");
  l.face[1] = -1;
  check_refuses(&l, sizeof l, "p.msh: face 1: vertex is -1, must be at least 0 and less than 3");
  l = whole;
  l.vertex[2][1] = INFINITY;
  check_refuses(&l, sizeof l, "p.msh: vertex 3: coordinate is inf, must be a finite number");
  l.count[0] = -1;
  check_refuses(&l, sizeof l,
                "p.msh: it announces 4294967295 vertices and 1 faces, at most 24000000 and 8000000 "
                "are accepted");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forms),
      cmocka_unit_test(test_asset),
      cmocka_unit_test(test_broken_gmsh),
      cmocka_unit_test(test_broken_mujoco),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
