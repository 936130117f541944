/* Stress of recorded soft bodies: the simulation's, its range, its means at nodes; what cannot be.
 */
#include "support/check.h"
#include "support/recording.h"

#include "carom/scene.h"
#include "carom/sim.h"
#include "carom/soft.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A cube that falls without strain, and a beam that sags where it is held. */
static const char SCENE[] =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<flexcomp name='cube' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' pos='0 0 9' "
    "radius='0'><elasticity young='1e5' poisson='.4'/></flexcomp>"
    "<flexcomp name='beam' type='grid' dim='3' count='4 2 2' spacing='.1 .1 .1' pos='1 0 1' "
    "radius='0' carom:quadratic='true'><elasticity young='1e5' poisson='.3' damping='.01'/>"
    "<pin carom:box='-.16 -1 -1 -.14 1 1'/></flexcomp></worldbody></mujoco>";

static char path[64];
static carom_error error;

/* The simulation in the last frame. */
static carom_sim* restore(carom_recording* recording, carom_model** model, carom_frame* frame) {
  carom_sim* sim;
  carom_recording_info info = carom_recording_get_info(recording);
  check_ok(carom_model_load_string(SCENE, strlen(SCENE), "s", NULL, model, &error), &error);
  check_ok(carom_sim_create(*model, NULL, &sim, &error), &error);
  check_ok(carom_recording_read(recording, info.num_frames - 1, frame, &error), &error);
  check_ok(carom_sim_set_state(sim, frame->time, frame->q, frame->v, &error), &error);
  return sim;
}

static void test_stress_and_strain_are_the_simulations(void** state) {
  (void)state;
  carom_model* model;
  carom_frame frame;
  double of_sim[512], elements[512], nodes[512], means[512], volumes[512], largest = 0;
  carom_recording* recording = check_open_recording(path);
  carom_sim* sim = restore(recording, &model, &frame);
  for (int i = 0; i < 2; i++) {
    carom_soft_info soft = carom_recording_get_soft(recording, i);
    assert_true(soft.num_elements <= 512 && soft.num_nodes <= 512);
    carom_sim_compute_soft_stress(sim, i, of_sim);
    check_ok(carom_recording_compute_soft_stress(recording, i, frame.q, elements, nodes, &error),
             &error);
    for (int e = 0; e < soft.num_elements; e++) largest = fmax(largest, of_sim[e]);
    assert_memory_equal(elements, of_sim, sizeof *elements * (size_t)soft.num_elements);
    carom_soft_compute_volumes(&soft, volumes);
    carom_soft_compute_means(&soft, volumes, of_sim, means);
    assert_memory_equal(nodes, means, sizeof *nodes * (size_t)soft.num_nodes);
    if (i == 0) assert_true(largest < 1);
    carom_sim_compute_soft_strain(sim, i, of_sim);
    check_ok(carom_recording_compute_soft_strain(recording, i, frame.q, elements, nodes, &error),
             &error);
    assert_memory_equal(elements, of_sim, sizeof *elements * (size_t)soft.num_elements);
    carom_soft_compute_means(&soft, volumes, of_sim, means);
    assert_memory_equal(nodes, means, sizeof *nodes * (size_t)soft.num_nodes);
  }
  assert_true(largest > 1000);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  carom_recording_close(recording);
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Here all frames are looked at. The range is the round number above the value that 1 % pass. */
static void test_range(void** state) {
  (void)state;
  carom_recording* recording = check_open_recording(path);
  carom_recording_info info = carom_recording_get_info(recording);
  assert_true(info.num_frames <= 64);
  double *values = malloc(sizeof *values * 64 * 1024), most;
  size_t count = 0;
  for (int f = 0; f < info.num_frames; f++)
    for (int i = 0; i < 2; i++) {
      carom_frame frame;
      carom_soft_info soft = carom_recording_get_soft(recording, i);
      double nodes[512];
      int surface[512], num_surface = carom_soft_list_surface(&soft, surface);
      check_ok(carom_recording_read(recording, f, &frame, &error), &error);
      check_ok(carom_recording_compute_soft_stress(recording, i, frame.q, NULL, nodes, &error),
               &error);
      for (int n = 0; n < num_surface; n++) values[count++] = nodes[surface[n]];
    }
  qsort(values, count, sizeof *values, compare);
  check_ok(carom_recording_compute_stress_range(recording, &most, &error), &error);
  double wanted = values[(size_t)(0.99 * (double)(count - 1))];
  assert_true(most >= wanted && most <= 1.5 * wanted);
  double digits = most / pow(10, floor(log10(most)) - 1);
  check_near(digits, round(digits), 1e-9);
  free(values);
  carom_recording_close(recording);
}

/* Round-off is no stress: a cube that falls has the range of a strain of 1e-6. */
static void test_range_without_stress(void** state) {
  (void)state;
  char falling[64];
  double most;
  const char scene[] = "<mujoco><worldbody><flexcomp name='c' type='grid' dim='3' count='3 3 3' "
                       "spacing='.1 .1 .1' radius='0'><elasticity young='2e7' poisson='.4'/>"
                       "</flexcomp></worldbody></mujoco>";
  assert_int_equal(check_record_temporary(falling, scene, 0.05, 0), 0);
  carom_recording* recording = check_open_recording(falling);
  check_ok(carom_recording_compute_stress_range(recording, &most, &error), &error);
  check_near(most, 20, 1e-12);
  carom_recording_close(recording);
  unlink(falling);
}

static void test_nothing_to_stress(void** state) {
  (void)state;
  char bare[64];
  double most = -1;
  const char scene[] = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"
                       "</mujoco>";
  assert_int_equal(check_record_temporary(bare, scene, 0.01, 0), 0);
  carom_recording* recording = check_open_recording(bare);
  check_ok(carom_recording_compute_stress_range(recording, &most, &error), &error);
  assert_true(most == 0);
  carom_frame frame;
  check_ok(carom_recording_read(recording, 0, &frame, &error), &error);
  assert_int_equal(carom_recording_compute_soft_stress(recording, 0, frame.q, &most, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "no soft body 0"));
  carom_recording_close(recording);
  unlink(bare);
}

/* An element of the recording that is inverted is refused with its number, every time. */
static void test_no_soft_body(void** state) {
  (void)state;
  char broken[64];
  int ids[4096], swap;
  double most;
  assert_int_equal(check_record_temporary(broken, SCENE, 0.01, 0), 0);
  hid_t file = H5Fopen(broken, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t dataset = H5Dopen2(file, "softs/elements", H5P_DEFAULT);
  assert_true(H5Dget_storage_size(dataset) <= sizeof ids);
  assert_true(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids) >= 0);
  swap = ids[12], ids[12] = ids[13], ids[13] = swap;
  assert_true(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids) >= 0);
  H5Dclose(dataset), H5Fclose(file);
  carom_recording* recording = check_open_recording(broken);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(carom_recording_compute_stress_range(recording, &most, &error),
                     CAROM_ERROR_BAD_INPUT);
    assert_non_null(strstr(error.message, "element 3"));
  }
  carom_recording_close(recording);
  unlink(broken);
}

static int enter(void** state) {
  (void)state;
  return check_record_temporary(path, SCENE, 0.25, 0);
}

static int leave(void** state) {
  (void)state;
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stress_and_strain_are_the_simulations),
      cmocka_unit_test(test_range),
      cmocka_unit_test(test_range_without_stress),
      cmocka_unit_test(test_nothing_to_stress),
      cmocka_unit_test(test_no_soft_body),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
