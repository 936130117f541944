/* Recordings in tests. */
#include "support/recording.h"

#include "support/check.h"

#include "carom/scene.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_record(const char* path, const char* text, const double* velocities, double duration,
                  double rate) {
  carom_model* model;
  carom_sim* sim;
  carom_recorder* recorder;
  carom_error error;
  carom_recorder_def def = carom_recorder_def_default();
  def.rate = rate;
  check_ok(carom_model_load_string(text, strlen(text), "scene", NULL, &model, &error), &error);
  check_ok(carom_sim_create(model, NULL, &sim, &error), &error);
  check_ok(carom_sim_set_state(sim, 0, NULL, velocities, &error), &error);
  check_ok(carom_recorder_create(sim, path, &def, &recorder, &error), &error);
  while (carom_sim_time(sim) < duration) {
    carom_step_report report;
    if (carom_model_get_sizes(model).num_actuators)
      carom_sim_controls(sim)[0] = 0.1 * sin(20 * carom_sim_time(sim));
    check_ok(carom_sim_step(sim, &report, &error), &error);
    assert_int_equal(report.outcome, CAROM_STEP_DONE);
    check_ok(carom_recorder_append(recorder, &report, 1e-3, &error), &error);
  }
  check_ok(carom_recorder_close(recorder, &error), &error);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

carom_recording* check_open_recording(const char* path) {
  carom_error error;
  carom_recording* recording;
  check_ok(carom_recording_open(path, NULL, &recording, &error), &error);
  return recording;
}

void check_damage_recording(const char* path, int frame) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t dataset = H5Dopen2(file, "contacts/offset", H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t at[1] = {(hsize_t)frame}, count[1] = {1};
  int64_t senseless = -7;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL);
  hid_t memory = H5Screate_simple(1, count, NULL);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, &senseless) >= 0);
  H5Sclose(memory), H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
}

void check_strip_recording(const char* path) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "geoms", H5P_DEFAULT) >= 0);
  assert_true(H5Ldelete(file, "joints", H5P_DEFAULT) >= 0);
  assert_true(H5Ldelete(file, "bodies/name", H5P_DEFAULT) >= 0);
  H5Fclose(file);
}

int check_record_temporary(char path[64], const char* text, double duration, double rate) {
  snprintf(path, 64, "/tmp/carom_recording_XXXXXX");
  int file = mkstemp(path);
  if (file < 0) return -1;
  close(file);
  check_record(path, text, NULL, duration, rate);
  return 0;
}

void check_damage_number(const char* path, const char* name, int index, int value,
                         const char* words) {
  carom_recording* recording;
  carom_error error;
  int numbers[4096];
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(H5Dget_storage_size(dataset) <= sizeof numbers);
  assert_true(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  numbers[index] = value;
  assert_true(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Dclose(dataset), H5Fclose(file);
  assert_int_equal(carom_recording_open(path, NULL, &recording, &error), CAROM_ERROR_BAD_INPUT);
  assert_non_null(strstr(error.message, words));
}
