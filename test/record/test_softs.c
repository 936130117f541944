/* Soft bodies in recordings: meshes and materials are the model's, nodes those of q; early and
 * damaged recordings. */
#include "support/check.h"
#include "support/recording.h"

#include "carom/scene.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SCENE[] =
    "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body pos='3 0 1'><freejoint/><geom size='.1'/></body>"
    "<flexcomp name='cube' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' pos='0 0 .5' "
    "radius='0' rgba='.2 .4 .6 1' carom:density='900'><elasticity young='1e5' poisson='.4' "
    "damping='.01'/></flexcomp>"
    "<flexcomp name='beam' type='grid' dim='3' count='3 2 2' spacing='.1 .1 .1' pos='1 0 1' "
    "radius='0' carom:quadratic='true'><elasticity young='1e6' poisson='.3'/>"
    "<pin carom:box='-.11 -1 -1 -.09 1 1'/></flexcomp></worldbody></mujoco>";

static char path[64];

static carom_model* load_model(void) {
  carom_model* model;
  carom_error error;
  check_ok(carom_model_load_string(SCENE, strlen(SCENE), "softs", NULL, &model, &error), &error);
  return model;
}

static void expect_same(const carom_soft_info* a, const carom_soft_info* b) {
  assert_string_equal(a->name, b->name);
  assert_true(a->num_nodes == b->num_nodes && a->num_elements == b->num_elements);
  assert_true(a->num_triangles == b->num_triangles && a->group == b->group && a->law == b->law);
  assert_true(a->nodes_per_element == b->nodes_per_element);
  assert_true(a->q_address == b->q_address && a->v_address == b->v_address);
  assert_true(a->mass == b->mass && a->volume == b->volume && a->density == b->density);
  assert_true(a->young == b->young && a->poisson == b->poisson && a->friction == b->friction);
  assert_true(a->alpha == b->alpha && a->beta == b->beta);
  assert_memory_equal(a->rgba, b->rgba, sizeof a->rgba);
  size_t n = (size_t)a->num_nodes, e = (size_t)(a->nodes_per_element * a->num_elements);
  assert_memory_equal(a->nodes, b->nodes, 3 * n * sizeof(double));
  assert_memory_equal(a->elements, b->elements, e * sizeof(int));
  assert_memory_equal(a->triangles, b->triangles, 3 * (size_t)a->num_triangles * sizeof(int));
  assert_memory_equal(a->held, b->held, n * sizeof(int));
}

static void test_softs_are_the_models(void** state) {
  (void)state;
  carom_model* model = load_model();
  carom_recording* recording = check_open_recording(path);
  assert_int_equal(carom_recording_get_info(recording).num_softs, 2);
  for (int i = 0; i < 2; i++) {
    carom_soft_info a = carom_recording_get_soft(recording, i), b = carom_model_get_soft(model, i);
    expect_same(&a, &b);
  }
  assert_int_equal(carom_recording_get_soft(recording, 0).num_triangles, 48);
  carom_recording_close(recording);
  carom_model_destroy(model);
}

/* The free cube is at rest in the first frame, and falls as everything does. */
static void test_nodes_stand_in_q(void** state) {
  (void)state;
  carom_recording* recording = check_open_recording(path);
  carom_soft_info soft = carom_recording_get_soft(recording, 0);
  carom_frame frame;
  carom_error error;
  size_t size = 3 * (size_t)soft.num_nodes * sizeof(double);
  check_ok(carom_recording_read(recording, 0, &frame, &error), &error);
  assert_memory_equal(frame.q + soft.q_address, soft.nodes, size);
  check_ok(carom_recording_read(recording, 10, &frame, &error), &error);
  for (int i = 0; i < soft.num_nodes; i++)
    check_near(frame.v[soft.v_address + 3 * i + 2], -9.81 * frame.time, 1e-9);
  carom_recording_close(recording);
}

static void test_early_recording_has_none(void** state) {
  (void)state;
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "softs", H5P_DEFAULT) >= 0);
  assert_true(H5Ldelete(file, "attachments", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  carom_recording* recording = check_open_recording(path);
  assert_int_equal(carom_recording_get_info(recording).num_softs, 0);
  assert_int_equal(carom_recording_get_info(recording).num_bodies, 2);
  carom_recording_close(recording);
}

/* Of a number in a dataset. */
static void expect_damage(const char* name, int index, int value) {
  check_record(path, SCENE, NULL, 0.05, 0);
  check_damage_number(path, name, index, value, "damaged: the soft bodies cannot be read");
}

static void test_damaged(void** state) {
  (void)state;
  expect_damage("softs/elements", 3, 27);
  expect_damage("softs/triangles", 5, -1);
  expect_damage("softs/counts", 0, 26);
  expect_damage("softs/counts", 3, 2147483647);
  expect_damage("softs/q", 1, 100);
  expect_damage("softs/v", 0, -1);
  expect_damage("softs/nodes_per_element", 0, 5);
  expect_damage("softs/law", 0, 5);
}

/* Bytes of a chunk of a dataset of 8-byte numbers in rows. */
static hsize_t chunk_size(const char* name) {
  hsize_t chunk[2];
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), creation = H5Dget_create_plist(dataset);
  assert_int_equal(H5Pget_chunk(creation, 2, chunk), 2);
  H5Pclose(creation), H5Dclose(dataset), H5Fclose(file);
  return 8 * chunk[0] * chunk[1];
}

/* The nodes of a large body count: a frame of these takes 24 kB, and 64 would be 1.5 MiB. */
static void test_chunks_are_bounded(void** state) {
  (void)state;
  static const char LARGE[] =
      "<mujoco><worldbody><flexcomp name='cube' type='grid' dim='3' count='10 10 10' "
      "spacing='.1 .1 .1' radius='0'><elasticity young='1e5' poisson='.4'/></flexcomp>"
      "</worldbody></mujoco>";
  check_record(path, LARGE, NULL, 0.01, 0);
  assert_in_range(chunk_size("q"), 1000000, 1 << 20);
  assert_in_range(chunk_size("v"), 1000000, 1 << 20);
}

static int enter(void** state) {
  (void)state;
  return check_record_temporary(path, SCENE, 0.05, 0);
}

static int leave(void** state) {
  (void)state;
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_softs_are_the_models),     cmocka_unit_test(test_nodes_stand_in_q),
      cmocka_unit_test(test_early_recording_has_none), cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_chunks_are_bounded),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
