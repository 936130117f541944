/* Files of tetrahedra: the same two elements in four forms, ten nodes in two orders, and what is
 * said of files that cannot be used. */
#include "import/tets/tets.h"
#include "soft/element.h"
#include "support/check.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER CR_SOURCE_DIR "/test/fuzz/corpus/tets/"

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

static void test_four_forms(void** state) {
  (void)state;
  expect_two(FOLDER "two_22.msh");
  expect_two(FOLDER "two_41.msh");
  expect_two(FOLDER "two.vtk");
  expect_two(FOLDER "two_5.vtk");
}

/* The two programs list the last two edges in different orders: in ours every node stands in the
 * middle of its edge. */
static void test_ten_nodes(void** state) {
  (void)state;
  const char* const paths[] = {FOLDER "ten.msh", FOLDER "ten.vtk"};
  for (int k = 0; k < 2; k++) {
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

static void test_complaints(void** state) {
  (void)state;
  const struct {
    const char *path, *old, *new, *words;
  } cases[] = {
      {FOLDER "two_22.msh", "2.2 0", "2.2 1", "m:2: binary .msh files are not read"},
      {FOLDER "two_22.msh", "2.2 0", "3.0 0", "m:2: version 3 of .msh is not read"},
      {FOLDER "two_22.msh", "$Nodes", "$Nades", "there are no $Nodes"},
      {FOLDER "two_22.msh", "40 0 0 1", "40 0 x 1", "m:13: a coordinate is 'x'"},
      {FOLDER "two_22.msh", "40 0 0 1", "40 0 nan 1", "m:13: a coordinate is 'nan'"},
      {FOLDER "two_22.msh", "40 0 0 1", "3 0 0 1", "two nodes have the number 3"},
      {FOLDER "two_22.msh", "1 2 5 3 40", "1 2 5 3 41", "tetrahedron 1 names node 41"},
      {FOLDER "two_22.msh", "1 2 5 3 40", "1 5 2 3 40", "m: mesh: element 1 is inverted"},
      {FOLDER "two_22.msh", "\n6\n", "\n600000\n", "has room for"},
      {FOLDER "two_22.msh", "1 2 5 3 40\n$EndElements\n", "1 2 5 3",
       "the file ends where the node of an element"},
      {FOLDER "two_41.msh", "3 1 4 2", "3 1 11 2",
       "m:31: the node of an element is '$EndElements'"},
      {FOLDER "two_41.msh", "3 1 0 2", "3 1 0 3", "a block has 3 nodes where 2 are left"},
      {FOLDER "two.vtk", "ASCII", "BINARY", "m:3: only .vtk files with the word ASCII"},
      {FOLDER "two.vtk", "UNSTRUCTURED_GRID", "POLYDATA", "with DATASET UNSTRUCTURED_GRID"},
      {FOLDER "two.vtk", "4 1 4 2 3", "9 1 4 2 3", "cell 2 has 9 nodes"},
      {FOLDER "two.vtk", "4 1 4 2 3", "4 1 4 2 5", "tetrahedron 1 names node 5"},
      {FOLDER "two.vtk", "CELL_TYPES 3", "CELL_TYPES 2", "there are 2 CELL_TYPES for 3 cells"},
      {FOLDER "two_5.vtk", "0 3 7 11", "0 3 2 11", "the offset of cell 2 is 2"},
      {FOLDER "triangles.msh", "6", "6", "there are no tetrahedra"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char* text = changed(cases[k].path, cases[k].old, cases[k].new);
    expect_complaint(text, cases[k].words);
    free(text);
  }
  expect_complaint("hello", "neither a .msh file of Gmsh nor a legacy .vtk file");
  expect_complaint("", "neither");
  cr_soft_mesh mesh;
  carom_error error;
  assert_int_equal(cr_tets_load("/nowhere.msh", NULL, &mesh, &error), CAROM_ERROR_FILE);
}

/* A file that stops anywhere is a sentence. */
static void test_truncated(void** state) {
  (void)state;
  char* text = changed(FOLDER "two_41.msh", "3 40\n$EndElements\n", "3 40");
  for (size_t size = 0; size + 2 < strlen(text); size++) {
    cr_soft_mesh mesh;
    carom_error error;
    if (cr_tets_load_memory("m", text, size, NULL, &mesh, &error) != CAROM_ERROR_BAD_INPUT)
      fail_msg("%zu characters pass", size);
  }
  free(text);
}

static void test_memory_fails(void** state) {
  (void)state;
  bool is_done = false;
  for (int fail_at = 0; !is_done; fail_at++) {
    check_memory memory = check_memory_make();
    carom_allocator hooks = check_memory_hooks(&memory);
    memory.fail_at = fail_at;
    cr_soft_mesh mesh;
    carom_error error;
    carom_status status = cr_tets_load(FOLDER "two_41.msh", &hooks, &mesh, &error);
    is_done = status == CAROM_OK;
    assert_true(is_done || status == CAROM_ERROR_OUT_OF_MEMORY);
    cr_soft_mesh_destroy(&mesh);
    check_memory_expect_empty(&memory);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_four_forms),   cmocka_unit_test(test_ten_nodes),
      cmocka_unit_test(test_complaints),   cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_memory_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
