/* Height fields of MJCF: heights in the element and in files of both kinds, where they end up, and
 * the sentence for each way in which they can be wrong. */
#include "import/heights.h"
#include "support/scene.h"
#include "support/solid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three columns and two rows of grey: 0 51 255, below them 102 0 0. */
static const unsigned char PICTURE[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0xb8,
    0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
    0x30, 0xfe, 0xcf, 0x90, 0xc6, 0xc0, 0x00, 0x00, 0x07, 0x67, 0x01, 0x99, 0xab, 0xf5, 0xf3,
    0x72, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static carom_status read_bytes(const void* bytes, size_t size, cr_heights* heights,
                               carom_error* error) {
  FILE* file = tmpfile();
  assert_non_null(file);
  if (size) assert_int_equal(fwrite(bytes, 1, size, file), size);
  rewind(file);
  carom_status status = cr_heights_read(file, "x", solid_allocator(), heights, error);
  fclose(file);
  return status;
}

/* The last row of the picture is the row of least y. */
static void test_picture(void** state) {
  (void)state;
  static const double EXPECTED[6] = {102, 0, 0, 0, 51, 255};
  cr_heights heights;
  carom_error error;
  check_ok(read_bytes(PICTURE, sizeof PICTURE, &heights, &error), &error);
  assert_int_equal(heights.num_columns, 3);
  assert_int_equal(heights.num_rows, 2);
  check_near_array(heights.height, EXPECTED, 6, 0);
  cr_heights_release(&heights, solid_allocator());
}

/* Wherever a picture ends or is damaged there is a sentence, or it is read. */
static void test_damaged_picture(void** state) {
  (void)state;
  unsigned char bytes[sizeof PICTURE];
  for (size_t i = 0; i < 2 * sizeof PICTURE; i++) {
    memcpy(bytes, PICTURE, sizeof bytes);
    bytes[i % sizeof bytes] ^= 0x15;
    size_t size = i < sizeof bytes ? sizeof bytes : i - sizeof bytes;
    cr_heights heights;
    carom_error error;
    carom_status status = read_bytes(i < sizeof bytes ? bytes : PICTURE, size, &heights, &error);
    assert_true(status == CAROM_OK || status == CAROM_ERROR_BAD_INPUT);
    cr_heights_release(&heights, solid_allocator());
  }
}

static void test_binary(void** state) {
  (void)state;
  struct {
    int32_t size[2];
    float height[6];
  } file = {{2, 3}, {1, 2, 3, 4, 5, 6}};
  cr_heights heights;
  carom_error error;
  check_ok(read_bytes(&file, sizeof file, &heights, &error), &error);
  assert_int_equal(heights.num_rows, 2);
  assert_int_equal(heights.num_columns, 3);
  for (int i = 0; i < 6; i++) check_near(heights.height[i], i + 1, 0);
  cr_heights_release(&heights, solid_allocator());

  assert_int_equal(read_bytes(&file, 30, &heights, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "x: the file ends before all heights are read");
  cr_heights_release(&heights, solid_allocator());
  file.height[2] = INFINITY;
  assert_int_equal(read_bytes(&file, sizeof file, &heights, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "x: a height is not a finite number");
  cr_heights_release(&heights, solid_allocator());
  file.size[1] = 1 << 30;
  assert_int_equal(read_bytes(&file, sizeof file, &heights, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message,
                      "x: it has 2 rows and 1073741824 columns, must be between 2 and 32768");
  assert_int_equal(read_bytes(&file, 5, &heights, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message,
                      "x: the file is neither a PNG nor has it two numbers to begin with");
}

#define FIELD(attributes)                                      \
  "<mujoco><asset><hfield name='h' " attributes "/></asset>\n" \
  "<worldbody><geom type='hfield' hfield='h' pos='0 0 3'/></worldbody></mujoco>"

/* Heights are brought to the range from 0 to size[2]; the first row is that of greatest y. */
static void test_element(void** state) {
  (void)state;
  carom_model* model =
      scene_load(FIELD("nrow='2' ncol='3' size='4 5 0.6 0.1' elevation='1 2 3  4 1 1'"));
  static const double Z[6] = {0.6, 0, 0, 0, 0.2, 0.4};
  carom_geom_info geom = carom_model_get_geom(model, 0);
  assert_int_equal(geom.type, CAROM_GEOM_HEIGHT_FIELD);
  const double size[3] = {4, 5, 0.35};
  check_near_array(geom.size, size, 3, 1e-15);
  check_near(geom.position[2], 3 + 0.25, 1e-15);
  carom_mesh_info mesh = carom_model_get_mesh(model, geom.mesh);
  assert_int_equal(mesh.num_vertices, 6);
  assert_int_equal(mesh.num_triangles, 4);
  for (int i = 0; i < 6; i++) {
    const double x[3] = {4.0 * (i % 3 - 1), i < 3 ? -5 : 5, Z[i] - 0.25};
    check_near_array(mesh.vertices + 3 * i, x, 3, 1e-15);
  }
  carom_model_destroy(model);

  model = scene_load(FIELD("nrow='201' ncol='301' size='4 5 6 0.1'"));
  geom = carom_model_get_geom(model, 0);
  check_near(geom.size[2], 0.05, 1e-15);
  assert_int_equal(carom_model_get_mesh(model, geom.mesh).num_vertices, 10000);
  carom_model_destroy(model);
}

static void expect(const char* text, const char* message) {
  scene_expect_error(text, CAROM_ERROR_BAD_INPUT, message);
}

static void test_errors(void** state) {
  (void)state;
  expect(FIELD("nrow='2' ncol='2'"), "scene.xml:1: hfield 'h': attribute 'size' is missing");
  expect(FIELD("nrow='2' ncol='1' size='1 1 1 1'"),
         "scene.xml:1: hfield 'h': ncol is 1, must be between 2 and 32768");
  expect(FIELD("nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'"),
         "scene.xml:1: hfield 'h': elevation has 3 numbers, must be 4 (nrow times ncol)");
  expect(FIELD("nrow='2' ncol='2' size='0 1 1 1'"),
         "scene.xml:1: height field 'h': size[0] is 0, must be positive");
  expect(FIELD("nrow='2' ncol='2' size='1 1 1 1'/><hfield name='h' size='1 1 1 1'"),
         "scene.xml:1: hfield 'h': the name 'h' is used twice");
  expect(SCENE("<geom type='hfield' hfield='x'/>"),
         "scene.xml:1: geom: hfield is 'x', no height field has this name");
  expect(SCENE("<geom type='hfield'/>"), "scene.xml:1: geom: attribute 'hfield' is missing");
  expect("<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody>"
         "<body><freejoint/>" BALL "<geom name='g' type='hfield' hfield='h'/></body></worldbody>"
         "</mujoco>",
         "scene.xml:1: geom 'g': a height field must be on a body that does not move, give a box");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_picture), cmocka_unit_test(test_damaged_picture),
      cmocka_unit_test(test_binary),  cmocka_unit_test(test_element),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
