/* Scenes, COLLADA and glTF: units, axes, nodes, colours, the files that they name, and what is
 * refused before assimp sees it. What needs assimp is skipped without it. */
#include "import/mesh/scene.h"
#include "support/solid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- COLLADA */

#define SOURCE                                                                      \
  "<source id='p'><float_array id='pa' count='18'>0 0 0 2 0 0 2 1 0 0 1 0 "         \
  "0 0 4 2 0 4</float_array><technique_common><accessor source='#pa' count='6' "    \
  "stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param "  \
  "name='Z' type='float'/></accessor></technique_common></source><vertices id='v'>" \
  "<input semantic='POSITION' source='#p'/></vertices>"
#define EFFECT(name, rgb)                                                                \
  "<effect id='" name "'><profile_COMMON><technique sid='t'><phong><diffuse><color>" rgb \
  " 1</color></diffuse></phong></technique></profile_COMMON></effect>"

/* A quadrilateral of two by one and a triangle above it, of two materials. */
static void write_collada(char* text, size_t size, const char* asset, const char* nodes) {
  snprintf(
      text, size,
      "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
      "version='1.4.1'><asset>%s</asset><library_effects>" EFFECT("re", "1 0 0") EFFECT(
          "ge",
          "0 0.5 0") "</library_effects><library_materials><material id='rm'>"
                     "<instance_effect url='#re'/></material><material id='gm'><instance_effect "
                     "url='#ge'/>"
                     "</material></library_materials><library_geometries><geometry "
                     "id='g'><mesh>" SOURCE "<polylist material='r' count='1'><input "
                     "semantic='VERTEX' source='#v' offset='0'/>"
                     "<vcount>4</vcount><p>0 1 2 3</p></polylist><triangles material='s' count='1'>"
                     "<input semantic='VERTEX' source='#v' offset='0'/><p>4 5 "
                     "2</p></triangles></mesh>"
                     "</geometry></library_geometries><library_visual_scenes><visual_scene "
                     "id='s'>%s"
                     "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
                     "url='#s'/></scene>"
                     "</COLLADA>",
      asset, nodes);
}

#define INSTANCE                                                                             \
  "<instance_geometry url='#g'><bind_material><technique_common><instance_material "         \
  "symbol='r' target='#rm'/><instance_material symbol='s' target='#gm'/></technique_common>" \
  "</bind_material></instance_geometry>"

static void read_scene(const char* name, const void* bytes, size_t size, cr_mesh* mesh) {
  carom_error error;
  const cr_mesh_source source = {.name = name, .bytes = bytes, .size = size};
  cr_mesh_init(mesh, solid_allocator());
  check_ok(cr_scene_read(&source, mesh, &error), &error);
  assert_true(cr_mesh_weld(mesh));
}

static void read_collada(const char* asset, const char* nodes, cr_mesh* mesh) {
  char text[8192];
  write_collada(text, sizeof text, asset, nodes);
  read_scene("folder/a.dae", text, strlen(text), mesh);
}

/* Fails unless the corner of a triangle is there, to single precision. */
static void check_corner(const cr_mesh* mesh, int triangle, int corner, double x, double y,
                         double z) {
  double expected[3] = {x, y, z};
  const double* actual = mesh->vertex + 3 * (size_t)mesh->triangle[3 * triangle + corner];
  check_near_array(actual, expected, 3, 1e-6);
}

static void test_units_and_axes(void** state) {
  (void)state;
  static const char* const AXES[] = {"", "<up_axis>X_UP</up_axis>", "<up_axis>Y_UP</up_axis>",
                                     "<up_axis>Z_UP</up_axis>"};
  if (!cr_scene_is_supported()) skip();
  for (int i = 0; i < 4; i++) {
    for (int is_inch = 0; is_inch < 2; is_inch++) {
      char asset[200];
      double meter = is_inch ? 0.0254 : 1;
      snprintf(asset, sizeof asset, "%s%s", is_inch ? "<unit name='inch' meter='0.0254'/>" : "",
               AXES[i]);
      cr_mesh mesh;
      read_collada(asset, "<node id='n'>" INSTANCE "</node>", &mesh);
      assert_int_equal(mesh.num_triangles, 3);
      check_corner(&mesh, 2, 0, 0, 0, 4 * meter);
      check_corner(&mesh, 2, 1, 2 * meter, 0, 4 * meter);
      check_corner(&mesh, 2, 2, 2 * meter, meter, 0);
      cr_mesh_release(&mesh);
    }
  }
}

/* Turned by a quarter about z and moved, inside a node that is moved; and mirrored, where triangles
 * turn over. */
static void test_nodes(void** state) {
  (void)state;
  cr_mesh mesh;
  if (!cr_scene_is_supported()) skip();
  read_collada("",
               "<node id='a'><translate>10 0 0</translate><node id='b'><translate>0 5 0"
               "</translate><rotate>0 0 1 90</rotate>" INSTANCE "</node></node>",
               &mesh);
  check_corner(&mesh, 2, 0, 10, 5, 4);
  check_corner(&mesh, 2, 1, 10, 7, 4);
  check_corner(&mesh, 2, 2, 9, 7, 0);
  cr_mesh_release(&mesh);
  read_collada("", "<node id='a'><scale>-1 1 1</scale>" INSTANCE "</node>", &mesh);
  check_corner(&mesh, 2, 0, 0, 0, 4);
  check_corner(&mesh, 2, 1, -2, 1, 0);
  check_corner(&mesh, 2, 2, -2, 0, 4);
  cr_mesh_release(&mesh);
  read_collada("",
               "<node id='a'>" INSTANCE "</node><node id='b'><matrix>1 0 0 7 0 1 0 0 0 0 1 0 "
               "0 0 0 1</matrix><instance_node url='#a'/></node>",
               &mesh);
  assert_int_equal(mesh.num_triangles, 6);
  check_corner(&mesh, 5, 0, 7, 0, 4);
  cr_mesh_release(&mesh);
}

/* A node that is picked by its name comes with what stands in it, at its place in the scene. */
static void test_picked_nodes(void** state) {
  (void)state;
  char text[8192];
  carom_error error;
  cr_mesh mesh;
  if (!cr_scene_is_supported()) skip();
  write_collada(text, sizeof text, "<unit meter='1'/>",
                "<node id='n1' name='wheel'><translate>0 0 5</translate><node id='n2' name='hub'>"
                "<translate>10 0 0</translate>" INSTANCE "</node></node>"
                "<node id='n3' name='body'>" INSTANCE "</node>");
  cr_mesh_source source = {.name = "a.dae", .bytes = text, .size = strlen(text)};
  static const struct {
    const char* name;
    double x;
  } CASES[] = {{"wheel", 10}, {"hub", 10}, {"body", 0}};
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    source.object = CASES[i].name;
    cr_mesh_init(&mesh, solid_allocator());
    check_ok(cr_scene_read(&source, &mesh, &error), &error);
    assert_int_equal(mesh.num_triangles, 3);
    check_corner(&mesh, 0, 0, CASES[i].x, 0, i < 2 ? 5 : 0);
    cr_mesh_release(&mesh);
  }
  source.object = "roof";
  cr_mesh_init(&mesh, solid_allocator());
  assert_int_equal(cr_scene_read(&source, &mesh, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "a.dae: there is no node 'roof' with triangles");
  cr_mesh_release(&mesh);
}

static void test_colours(void** state) {
  (void)state;
  cr_mesh mesh;
  float rgba[4];
  if (!cr_scene_is_supported()) skip();
  read_collada("", "<node id='n'>" INSTANCE "</node>", &mesh);
  assert_int_equal(mesh.paint[0], 0xff0000ff);
  assert_int_equal(mesh.paint[1], 0xff0000ff);
  assert_int_equal(mesh.paint[2], 0x008000ff);
  cr_mesh_get_colour(mesh.paint[2], rgba);
  check_near((double)rgba[1], 0.5, 1.0 / 255);
  cr_mesh_release(&mesh);
}

static void check_refuses_collada(const char* nodes, const char* what) {
  static char text[1 << 20];
  carom_error error;
  write_collada(text, sizeof text, "", nodes);
  const cr_mesh_source source = {.name = "a.dae", .bytes = text, .size = strlen(text)};
  carom_status status = cr_collada_check(&source, solid_allocator(), &error);
  if (!what) {
    check_ok(status, &error);
    return;
  }
  assert_int_equal(status, CAROM_ERROR_BAD_INPUT);
  if (!strstr(error.message, what)) fail_msg("'%s' is not in '%s'", what, error.message);
}

/* Ten levels of ten nodes each would be 1e10. */
static void test_collada_limits(void** state) {
  (void)state;
  static char nodes[1 << 19];
  size_t length = 0;
  for (int level = 0; level < 10; level++) {
    length += (size_t)sprintf(nodes + length, "<node id='n%d'>", level);
    for (int i = 0; i < 10; i++)
      length += (size_t)sprintf(nodes + length, "<instance_node url='#n%d'/>", level + 1);
    length += (size_t)sprintf(nodes + length, "</node>");
  }
  check_refuses_collada(nodes, "a.dae:1: node: its nodes unfold to more than 100000");
  check_refuses_collada("<node id='a'><instance_node url='#a'/></node>", "or in themselves");
  check_refuses_collada("<node id='a'><node><instance_node url='#b'/></node></node>"
                        "<node id='b'><instance_node url='#a'/></node>",
                        "or in themselves");
  check_refuses_collada("<node id='a'/><node id='b'><instance_node url='#a'/></node>", NULL);
  length = 0;
  for (int i = 0; i < 300; i++) length += (size_t)sprintf(nodes + length, "<node>");
  for (int i = 0; i < 300; i++) length += (size_t)sprintf(nodes + length, "</node>");
  check_refuses_collada(nodes, "elements stand more than 200 deep");
  check_refuses_collada("<node>", "a.dae:1: ");
}

/* ---- glTF */

#define TRIANGLE_BYTES 44 /* three positions and three numbers of 16 bits, and two of nothing */

static void fill_triangle(unsigned char bytes[TRIANGLE_BYTES]) {
  const float position[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0};
  const uint16_t index[3] = {0, 1, 2};
  memset(bytes, 0, TRIANGLE_BYTES);
  memcpy(bytes, position, sizeof position);
  memcpy(bytes + 36, index, sizeof index);
}

/* One triangle, scaled by a node within a node that is moved. */
static void write_gltf(char* text, size_t size, const char* uri, const char* nodes, int count) {
  snprintf(
      text, size,
      "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[%s],"
      "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.2158605,1,0,1]}}],"
      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,"
      "\"material\":0}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%d,"
      "\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,2,0]},{\"bufferView\":1,"
      "\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,"
      "\"byteOffset\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}],"
      "\"buffers\":[{\"byteLength\":44%s}]}",
      nodes, count, uri);
}

#define NODES "{\"children\":[1],\"translation\":[0,0,3]},{\"mesh\":0,\"scale\":[2,2,2]}"

static void check_triangle(const cr_mesh* mesh) {
  assert_int_equal(mesh->num_triangles, 1);
  check_corner(mesh, 0, 0, 0, 0, 3);
  check_corner(mesh, 0, 1, 2, 0, 3);
  check_corner(mesh, 0, 2, 0, 4, 3);
  /* 0.2158605 of light is level 0.5021 = 128/255 (IEC 61966-2-1). */
  assert_int_equal(mesh->paint[0], 0x80ff00ff);
}

static void write_file(const char* folder, const char* name, const void* bytes, size_t size) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

/* A buffer in a file beside the scene is read; one above it is not, though it is there. */
static void test_gltf_files(void** state) {
  (void)state;
  char top[] = "/tmp/carom-scenes-XXXXXX", folder[100], path[200], text[4096];
  unsigned char bytes[TRIANGLE_BYTES];
  carom_error error;
  cr_mesh mesh;
  if (!cr_scene_is_supported()) skip();
  assert_non_null(mkdtemp(top));
  snprintf(folder, sizeof folder, "%s/in", top);
  snprintf(path, sizeof path, "mkdir %s", folder);
  assert_int_equal(system(path), 0);
  fill_triangle(bytes);
  write_file(folder, "t.bin", bytes, sizeof bytes);
  write_file(top, "t.bin", bytes, sizeof bytes);
  snprintf(path, sizeof path, "%s/t.gltf", folder);
  write_gltf(text, sizeof text, ",\"uri\":\"t.bin\"", NODES, 3);
  read_scene(path, text, strlen(text), &mesh);
  check_triangle(&mesh);
  cr_mesh_release(&mesh);
  write_gltf(text, sizeof text, ",\"uri\":\"../t.bin\"", NODES, 3);
  const cr_mesh_source source = {.name = path, .bytes = text, .size = strlen(text)};
  cr_mesh_init(&mesh, solid_allocator());
  assert_int_equal(cr_scene_read(&source, &mesh, &error), CAROM_ERROR_BAD_INPUT);
  assert_non_null(strstr(error.message, "t.gltf: buffers[0]: file '../t.bin' lies outside the "
                                        "scene's folder"));
  cr_mesh_release(&mesh);
  snprintf(path, sizeof path, "rm -r %s", top);
  assert_int_equal(system(path), 0);
}

static void put_word(unsigned char* to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(value >> 8 * i);
}

static void test_glb(void** state) {
  (void)state;
  static unsigned char bytes[4096];
  char text[2048];
  cr_mesh mesh;
  carom_error error;
  write_gltf(text, sizeof text, "", NODES, 3);
  size_t length = strlen(text);
  while (length % 4) text[length++] = ' ';
  size_t size = 20 + length + 8 + TRIANGLE_BYTES;
  memcpy(bytes, "glTF", 4);
  put_word(bytes + 4, 2);
  put_word(bytes + 8, (uint32_t)size);
  put_word(bytes + 12, (uint32_t)length);
  memcpy(bytes + 16, "JSON", 4);
  memcpy(bytes + 20, text, length);
  put_word(bytes + 20 + length, TRIANGLE_BYTES);
  memcpy(bytes + 24 + length, "BIN", 4);
  fill_triangle(bytes + 28 + length);
  cr_mesh_source source = {.name = "t.glb", .bytes = (char*)bytes, .size = size};
  check_ok(cr_gltf_check(&source, &error), &error);
  source.size--;
  assert_int_equal(cr_gltf_check(&source, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "t.glb: it is no whole GLB file of version 2");
  if (!cr_scene_is_supported()) skip();
  read_scene("t.glb", bytes, size, &mesh);
  check_triangle(&mesh);
  cr_mesh_release(&mesh);
}

static void check_refuses_gltf(const char* nodes, int count, const char* sentence) {
  char text[4096];
  carom_error error;
  write_gltf(text, sizeof text, "", nodes, count);
  const cr_mesh_source source = {.name = "t.gltf", .bytes = text, .size = strlen(text)};
  assert_int_equal(cr_gltf_check(&source, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, sentence);
}

static void test_gltf_limits(void** state) {
  (void)state;
  check_refuses_gltf(NODES, 4, "t.gltf: accessors[0]: it does not lie in its view");
  check_refuses_gltf(NODES, 2000000000,
                     "t.gltf: accessors[0]: count, byteOffset and byteStride must be in range");
  check_refuses_gltf("{\"children\":[0]}", 3, "t.gltf: scenes[0]: a node has a parent");
  check_refuses_gltf("{\"children\":[1,1]},{}", 3, "t.gltf: nodes[1]: it has two parents");
  check_refuses_gltf("{\"children\":[1]}", 3, "t.gltf: nodes[0]: a child is no node");
  check_refuses_gltf("{\"mesh\":1}", 3, "t.gltf: nodes[0]: mesh names none");
  char nodes[4096];
  size_t length = 0;
  for (int i = 1; i <= 202; i++)
    length += (size_t)sprintf(nodes + length, "{\"children\":[%d]},", i);
  sprintf(nodes + length, "{}");
  char text[8192];
  carom_error error;
  write_gltf(text, sizeof text, "", nodes, 3);
  const cr_mesh_source source = {.name = "t.gltf", .bytes = text, .size = strlen(text)};
  assert_int_equal(cr_gltf_check(&source, &error), CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "t.gltf: nodes[201]: nodes stand in nodes more than 200 deep");
}

/* ---- Both */

static void test_folders(void** state) {
  (void)state;
  assert_true(cr_scene_may_open("a/b.gltf", "a/c.bin"));
  assert_true(cr_scene_may_open("a/b.gltf", "a/d/c..bin"));
  assert_true(cr_scene_may_open("b.gltf", "c.bin"));
  assert_false(cr_scene_may_open("a/b.gltf", "c.bin"));
  assert_false(cr_scene_may_open("a/b.gltf", "a/../c.bin"));
  assert_false(cr_scene_may_open("a/b.gltf", "a/d/.."));
  assert_false(cr_scene_may_open("b.gltf", "/c.bin"));
  assert_false(cr_scene_may_open("a/b.gltf", "a//c.bin"));
}

static void test_missing_library(void** state) {
  (void)state;
  const cr_mesh_source source = {.name = "a.dae", .bytes = "<COLLADA/>", .size = 10};
  cr_mesh mesh;
  carom_error error;
  if (cr_scene_is_supported()) skip();
  cr_mesh_init(&mesh, solid_allocator());
  assert_int_equal(cr_scene_read(&source, &mesh, &error), CAROM_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "libassimp-dev"));
}

int main(void) {
  if (!cr_scene_is_supported())
    fputs("SKIPPED: built without assimp (libassimp-dev): scenes are not read\n", stderr);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_units_and_axes),  cmocka_unit_test(test_nodes),
      cmocka_unit_test(test_colours),         cmocka_unit_test(test_collada_limits),
      cmocka_unit_test(test_gltf_files),      cmocka_unit_test(test_glb),
      cmocka_unit_test(test_gltf_limits),     cmocka_unit_test(test_folders),
      cmocka_unit_test(test_missing_library), cmocka_unit_test(test_picked_nodes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
