/* Files of tetrahedra: the same two elements in every form that others write, ten nodes in two
 * orders, regions, and what is said of files that cannot be used. The seeds were written by Gmsh
 * 4.15 and VTK 9.7, but for those without a word for their form in the name. */
#include "import/tets/tets.h"
#include "soft/element.h"
#include "support/check.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER CR_SOURCE_DIR "/test/fuzz/corpus/"

static void expect_two(const char* path) {
  static const double NODE[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  static const int ELEMENT[8] = {0, 1, 2, 3, 1, 4, 2, 3};
  cr_soft_mesh mesh;
  carom_error error;
  check_ok(cr_tets_load(path, NULL, &mesh, &error), &error);
  assert_int_equal(mesh.num_nodes, 5);
  assert_int_equal(mesh.num_elements, 2);
  assert_int_equal(mesh.nodes_per_element, 4);
  check_near_array(mesh.node[0], NODE[0], 15, 0);
  assert_memory_equal(mesh.element, ELEMENT, sizeof ELEMENT);
  cr_soft_mesh_destroy(&mesh);
}

static const char* const FORMS[] = {
    FOLDER "gmsh/two_22.msh",
    FOLDER "gmsh/two_41.msh",
    FOLDER "vtk/two.vtk",
    FOLDER "vtk/two_5.vtk",
    FOLDER "gmsh/two_binary_22.msh",
    FOLDER "gmsh/two_binary_41.msh",
    FOLDER "gmsh/two_regions_22.msh",
    FOLDER "gmsh/two_regions_41.msh",
    FOLDER "vtk/two_regions_42.vtk",
    FOLDER "vtk/two_binary_42.vtk",
    FOLDER "vtk/two_binary_51.vtk",
    FOLDER "vtu/two_ascii.vtu",
    FOLDER "vtu/two_binary.vtu",
    FOLDER "vtu/two_binary_zlib.vtu",
    FOLDER "vtu/two_appended.vtu",
    FOLDER "vtu/two_raw.vtu",
    FOLDER "vtu/two_appended_zlib.vtu",
    FOLDER "vtu/two_raw_64.vtu",
    FOLDER "vtu/two_raw_zlib.vtu",
    FOLDER "vtu/two_raw_zlib_64.vtu",
    FOLDER "vtu/two_big_endian.vtu",
};
enum { NUM_FORMS = sizeof FORMS / sizeof FORMS[0] };

static void test_forms(void** state) {
  (void)state;
  for (int k = 0; k < NUM_FORMS; k++) expect_two(FORMS[k]);
}

static void expect_region(const cr_soft_mesh* mesh, const char* name, int nodes, int elements,
                          int last_node) {
  const cr_soft_region* region = cr_soft_mesh_find_region(mesh, name);
  if (!region) fail_msg("there is no region '%s'", name);
  assert_int_equal(region->num_nodes, nodes);
  assert_int_equal(region->num_elements, elements);
  assert_int_equal(region->node[nodes - 1], last_node);
}

/* A triangle's group has its nodes; solids may be in two groups, one of them without a name. */
static void test_groups(void** state) {
  (void)state;
  const char* const paths[] = {FOLDER "gmsh/two_regions_22.msh", FOLDER "gmsh/two_regions_41.msh",
                               FOLDER "gmsh/two_binary_22.msh", FOLDER "gmsh/two_binary_41.msh"};
  for (int k = 0; k < 4; k++) {
    cr_soft_mesh mesh;
    carom_error error;
    check_ok(cr_tets_load(paths[k], NULL, &mesh, &error), &error);
    assert_int_equal(mesh.num_regions, 3);
    expect_region(&mesh, "held here", 3, 0, 2);
    expect_region(&mesh, "rubber", 5, 2, 4);
    expect_region(&mesh, "volume 2", 5, 2, 4);
    cr_soft_mesh_destroy(&mesh);
  }
}

/* Data of whole numbers are regions, by value and where they are not zero; others are none. */
static void test_data(void** state) {
  (void)state;
  int count = 0;
  for (int k = 0; k < NUM_FORMS; k++) {
    if (!strstr(FORMS[k], ".vt") || strstr(FORMS[k], "two.vtk") || strstr(FORMS[k], "two_5.vtk"))
      continue;
    cr_soft_mesh mesh;
    carom_error error;
    check_ok(cr_tets_load(FORMS[k], NULL, &mesh, &error), &error);
    assert_int_equal(mesh.num_regions, 7);
    expect_region(&mesh, "part", 5, 2, 4);
    expect_region(&mesh, "part=7", 3, 0, 2);
    expect_region(&mesh, "part=1", 4, 1, 3);
    expect_region(&mesh, "part=2", 4, 1, 4);
    expect_region(&mesh, "held here", 2, 0, 4);
    expect_region(&mesh, "held here=1", 2, 0, 4);
    expect_region(&mesh, "held here=0", 3, 0, 3);
    cr_soft_mesh_destroy(&mesh);
    count++;
  }
  assert_int_equal(count, 13);
}

/* The two programs list the last two edges in different orders: in ours every node stands in the
 * middle of its edge. */
static void test_ten_nodes(void** state) {
  (void)state;
  const char* const paths[] = {FOLDER "gmsh/ten.msh",           FOLDER "vtk/ten.vtk",
                               FOLDER "gmsh/ten_binary_22.msh", FOLDER "gmsh/ten_binary_41.msh",
                               FOLDER "vtk/ten_binary_42.vtk",  FOLDER "vtk/ten_binary_51.vtk",
                               FOLDER "vtu/ten_raw_zlib.vtu",   FOLDER "vtu/ten_ascii.vtu"};
  for (int k = 0; k < 8; k++) {
    cr_soft_mesh mesh;
    carom_error error;
    check_ok(cr_tets_load(paths[k], NULL, &mesh, &error), &error);
    assert_int_equal(mesh.nodes_per_element, 10);
    for (int e = 0; e < 6; e++)
      for (int i = 0; i < 3; i++)
        check_near(mesh.node[mesh.element[4 + e]][i],
                   0.5 * (mesh.node[mesh.element[cr_soft_edge[e][0]]][i] +
                          mesh.node[mesh.element[cr_soft_edge[e][1]]][i]),
                   0);
    cr_soft_mesh_destroy(&mesh);
  }
}

/* The text of a seed, with one piece of it replaced. */
static char* changed(const char* path, const char* old, const char* new) {
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  char text[4000] = {0}, *result = malloc(8000);
  assert_true(fread(text, 1, sizeof text - 1, file) > 0);
  fclose(file);
  char* at = strstr(text, old);
  if (!at || !result) fail_msg("'%s' is not in %s", old, path);
  snprintf(result, 8000, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  return result;
}

static void expect_complaint(const char* text, const char* words) {
  cr_soft_mesh mesh;
  carom_error error;
  assert_int_equal(cr_tets_load_memory("m", text, strlen(text), NULL, &mesh, &error),
                   CAROM_ERROR_BAD_INPUT);
  assert_null(mesh.node);
  if (!strstr(error.message, words)) fail_msg("'%s' is not in: %s", words, error.message);
}

static const struct {
  const char *path, *old, *new, *words;
} COMPLAINTS[] = {
    {FOLDER "gmsh/two_22.msh", "2.2 0", "2.2 1", "m: byte 24: the order of bytes is marked with"},
    {FOLDER "gmsh/two_22.msh", "2.2 0 8", "2.2 1 4", "m:2: the size of numbers is 4 bytes"},
    {FOLDER "gmsh/two_22.msh", "2.2 0", "3.0 0", "m:2: version 3 of .msh is not read"},
    {FOLDER "gmsh/two_22.msh", "$Nodes", "$Nades", "there are no $Nodes"},
    {FOLDER "gmsh/two_22.msh", "40 0 0 1", "40 0 x 1", "m:13: coordinate 1 of node 40 is 'x'"},
    {FOLDER "gmsh/two_22.msh", "40 0 0 1", "40 0 nan 1", "m:13: coordinate 1 of node 40 is nan"},
    {FOLDER "gmsh/two_22.msh", "40 0 0 1", "3 0 0 1", "two nodes have the number 3"},
    {FOLDER "gmsh/two_22.msh", "1 2 5 3 40", "1 2 5 3 41",
     "element 4 names node 41, which is not there"},
    {FOLDER "gmsh/two_22.msh", "1 2 5 3 40", "1 5 2 3 40", "m: mesh: element 4 is inverted"},
    {FOLDER "gmsh/two_22.msh", "\n6\n", "\n600000\n", "has room for"},
    {FOLDER "gmsh/two_22.msh", "1 2 5 3 40\n$EndElements\n", "1 2 5 3",
     "the file ends where the node of an element"},
    {FOLDER "gmsh/two_22.msh", "1 2 5 3 40", "1 2 5 40 3", "element 4 is inverted"},
    {FOLDER "gmsh/two_22.msh", "40 0 0 1", "40 0 0 0", "element 3 is degenerate"},
    {FOLDER "gmsh/two_22.msh", "5 1 1 1\n", "5 0 0 1\n", "element 4 is degenerate"},
    {FOLDER "gmsh/two_22.msh", "3 4 2 1 1 1 2 3 40", "3 5 2 1 1 1 2 3 40 1 2 3 40",
     "m:21: element 3 is a hexahedron with 8 nodes"},
    {FOLDER "gmsh/two_22.msh", "3 4 2 1 1", "3 77 2 1 1", "elements of type 77 are not known"},
    {FOLDER "gmsh/two_22.msh", "\"rubber\"", "rubber", "m:6: the name of a physical group is not"},
    {FOLDER "gmsh/two_22.msh", "3 1 \"", "4 1 \"", "m:6: the dimension is 4"},
    {FOLDER "gmsh/two_41.msh", "3 1 4 2", "3 1 11 2",
     "m:31: the node of an element is '$EndElements'"},
    {FOLDER "gmsh/two_41.msh", "3 1 0 2", "3 1 0 3", "a block has 3 nodes where 2 are left"},
    {FOLDER "vtk/two.vtk", "ASCII", "OCTAL", "m:3: only .vtk files with the word ASCII"},
    {FOLDER "vtk/two.vtk", "UNSTRUCTURED_GRID", "POLYDATA", "with DATASET UNSTRUCTURED_GRID"},
    {FOLDER "vtk/two.vtk", "4 1 4 2 3", "9 1 4 2 3", "cell 2 has 9 nodes"},
    {FOLDER "vtk/two.vtk", "4 1 4 2 3", "4 1 4 2 5", "element 2 names node 5"},
    {FOLDER "vtk/two.vtk", "CELL_TYPES 3", "CELL_TYPES 2", "there are 2 CELL_TYPES for 3 cells"},
    {FOLDER "vtk/two_5.vtk", "0 3 7 11", "0 3 2 11", "the offset of cell 2 is 2"},
    {FOLDER "vtk/two.vtk", "5\n10\n10", "5\n12\n10",
     "cell 1 is of type 12; a soft body is made of tetra"},
    {FOLDER "vtk/two_regions_42.vtk", "FIELD FieldData 1", "FIELD FieldData 9",
     "the number of tuples is 'FIELD'"},
    {FOLDER "gmsh/triangles.msh", "6", "6", "there are no tetrahedra, only flat elements (1)"},
    {FOLDER "vtu/two_ascii.vtu", "VTKFile type", "VTKFilm type", "mismatched tag"},
    {FOLDER "vtu/two_ascii.vtu", "0 0 0 1 0 0", "0 0 nan 1 0 0",
     "m:32: coordinate 2 of node 0 is nan"},
    {FOLDER "vtu/two_ascii.vtu", "3 7 11", "3 7 6", "the offset of cell 2 is 6"},
    {FOLDER "vtu/two_ascii.vtu", "1 4 2 3", "1 4 2 9", "element 2 names node 9"},
    {FOLDER "vtu/two_ascii.vtu", "\"offsets\"", "\"upsets\"",
     "there is no DataArray 'offsets' in Cells"},
    {FOLDER "vtu/two_ascii.vtu", "NumberOfPoints=\"5\"", "NumberOfPoints=\"5e7\"",
     "there is room for"},
    {FOLDER "vtu/two_ascii.vtu", "NumberOfPoints=\"5\"", "NumberOfPoints=\"-5\"",
     "must be a whole number"},
    {FOLDER "vtu/two_binary_zlib.vtu", "vtkZLib", "vtkLZ4",
     "compressor 'vtkLZ4DataCompressor' is not read"},
    {FOLDER "vtu/two_binary_zlib.vtu", "AQAAA", "AgAAA", "are damaged or end early"},
    {FOLDER "vtu/two_binary.vtu", "Float64", "String", "numbers of type 'String' are not read"},
};

static void test_complaints(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof COMPLAINTS / sizeof COMPLAINTS[0]; k++) {
    char* text = changed(COMPLAINTS[k].path, COMPLAINTS[k].old, COMPLAINTS[k].new);
    expect_complaint(text, COMPLAINTS[k].words);
    free(text);
  }
  expect_complaint("hello", "neither a .msh file of Gmsh nor a .vtk or .vtu file");
  expect_complaint("", "neither");
  cr_soft_mesh mesh;
  carom_error error;
  assert_int_equal(cr_tets_load("/nowhere.msh", NULL, &mesh, &error), CAROM_ERROR_FILE);
}

static size_t read_bytes(const char* path, char* bytes, size_t most) {
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(bytes, 1, most, file);
  fclose(file);
  return size;
}

/* A file that stops anywhere before its last number is a sentence; what comes behind is data and
 * closing words. */
static void test_truncated(void** state) {
  (void)state;
  const struct {
    const char* path;
    size_t behind; /* bytes that may be missing */
  } cases[] = {{FOLDER "gmsh/two_41.msh", 16},        {FOLDER "gmsh/two_binary_41.msh", 14},
               {FOLDER "gmsh/two_binary_22.msh", 14}, {FOLDER "vtk/two_binary_51.vtk", 430},
               {FOLDER "vtu/two_ascii.vtu", 2},       {FOLDER "vtu/two_raw_zlib.vtu", 40}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char bytes[4000];
    size_t whole = read_bytes(cases[k].path, bytes, sizeof bytes);
    for (size_t size = 0; size + cases[k].behind < whole; size++) {
      cr_soft_mesh mesh;
      carom_error error;
      if (cr_tets_load_memory("m", bytes, size, NULL, &mesh, &error) != CAROM_ERROR_BAD_INPUT)
        fail_msg("%zu characters of %s pass", size, cases[k].path);
    }
  }
}

static void expect_memory_fails(const char* path) {
  bool is_done = false;
  for (int fail_at = 0; !is_done; fail_at++) {
    check_memory memory = check_memory_make();
    carom_allocator hooks = check_memory_hooks(&memory);
    memory.fail_at = fail_at;
    cr_soft_mesh mesh;
    carom_error error;
    carom_status status = cr_tets_load(path, &hooks, &mesh, &error);
    is_done = status == CAROM_OK;
    if (!is_done && status != CAROM_ERROR_OUT_OF_MEMORY)
      fail_msg("%s, allocation %d: %s", path, fail_at, error.message);
    cr_soft_mesh_destroy(&mesh);
    check_memory_expect_empty(&memory);
  }
}

static void test_memory_fails(void** state) {
  (void)state;
  for (int k = 0; k < NUM_FORMS; k++) expect_memory_fails(FORMS[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forms),        cmocka_unit_test(test_groups),
      cmocka_unit_test(test_data),         cmocka_unit_test(test_ten_nodes),
      cmocka_unit_test(test_complaints),   cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_memory_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
