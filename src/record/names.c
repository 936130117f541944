/* Names of the bodies and joints of a recording, so that its columns can be told apart. */
#include "record/recorder.h"

#include <stdio.h>
#include <string.h>

typedef const char* (*get_name)(const carom_model* model, int index);

static const char* get_body_name(const carom_model* model, int index) {
  return carom_model_get_body(model, index).name;
}

static const char* get_joint_name(const carom_model* model, int index) {
  return carom_model_get_joint(model, index).name;
}

/* A dataset of one dimension; true for none. */
static bool write_column(hid_t file, const char* path, hid_t file_type, hid_t type, int count,
                         const void* cells) {
  hsize_t extent = (hsize_t)count;
  hid_t space = H5Screate_simple(1, &extent, NULL), link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(link, 1);
  hid_t dataset = H5Dcreate2(file, path, file_type, space, link, H5P_DEFAULT, H5P_DEFAULT);
  bool done = dataset >= 0;
  if (done && count > 0) done = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) >= 0;
  if (dataset >= 0) H5Dclose(dataset);
  H5Pclose(link), H5Sclose(space);
  return done;
}

/* Strings of one length, filled up with zeros. */
static carom_status write_strings(const carom_recorder* r, const char* path, int count,
                                  get_name get) {
  const carom_model* model = carom_sim_model(r->sim);
  size_t length = 1;
  for (int i = 0; i < count; i++) {
    size_t needed = strlen(get(model, i)) + 1;
    if (needed > length) length = needed;
  }
  size_t size = length * (size_t)(count ? count : 1);
  char* text = cr_alloc_zero(&r->allocator, size);
  if (!text) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < count; i++) snprintf(text + length * (size_t)i, length, "%s", get(model, i));
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length);
  H5Tset_cset(type, H5T_CSET_UTF8);
  bool done = write_column(r->file, path, type, type, count, text);
  H5Tclose(type);
  cr_release(&r->allocator, text, size);
  return done ? CAROM_OK : CAROM_ERROR_FILE;
}

/* Numbers of the joints, chosen by `which`: 0 body, 1 first q, 2 first v. */
static carom_status write_joint_numbers(const carom_recorder* r, const char* path, int count,
                                        int which) {
  size_t size = sizeof(int) * (size_t)(count ? count : 1);
  int* numbers = cr_alloc(&r->allocator, size);
  if (!numbers) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int j = 0; j < count; j++) {
    carom_joint_info info = carom_model_get_joint(carom_sim_model(r->sim), j);
    numbers[j] = which == 0 ? info.body : which == 1 ? info.q_address : info.v_address;
  }
  bool done = write_column(r->file, path, H5T_STD_I32LE, H5T_NATIVE_INT, count, numbers);
  cr_release(&r->allocator, numbers, size);
  return done ? CAROM_OK : CAROM_ERROR_FILE;
}

carom_status cr_recorder_write_names(const carom_recorder* r) {
  carom_model_sizes sizes = carom_model_get_sizes(carom_sim_model(r->sim));
  CR_TRY(write_strings(r, "bodies/name", sizes.num_bodies, get_body_name));
  CR_TRY(write_strings(r, "joints/name", sizes.num_joints, get_joint_name));
  CR_TRY(write_joint_numbers(r, "joints/body", sizes.num_joints, 0));
  CR_TRY(write_joint_numbers(r, "joints/q", sizes.num_joints, 1));
  return write_joint_numbers(r, "joints/v", sizes.num_joints, 2);
}
