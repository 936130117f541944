/* Damage to a sound HDF5 file, as the bytes of a fuzzer say: links cut or led elsewhere, datasets
 * and attributes of another type, shape or value. The file itself stays sound, so that it is our
 * readers that are tried, and not HDF5's own, which no caller could protect. */
#ifndef CR_FUZZ_DAMAGE_H5_H
#define CR_FUZZ_DAMAGE_H5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sound file in memory, and the paths of what it holds. */
typedef struct sound_h5 {
  char* bytes;
  size_t size;
  char path[256][96];
  int num_paths;
} sound_h5;

/* Bytes of a fuzzer on their way. */
typedef struct fuzz_bytes {
  const uint8_t* data;
  size_t size;
} fuzz_bytes;

static inline uint8_t fuzz_take(fuzz_bytes* b) {
  if (b->size == 0) return 0;
  b->size--;
  return *b->data++;
}

static inline herr_t damage_list(hid_t object, const char* name, const H5O_info_t* info,
                                 void* user) {
  sound_h5* s = user;
  (void)object, (void)info;
  if (strcmp(name, ".") != 0 && s->num_paths < 256 && strlen(name) < sizeof s->path[0])
    strcpy(s->path[s->num_paths++], name);
  return 0;
}

/* The path for a process's damaged files, in memory where that can be: a disk that stalls is no
 * fault of a reader. */
static inline void damage_name_file(const char* what, char path[64]) {
  const char* folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(path, 64, "%s/carom_fuzz_%s_%d.h5", folder, what, (int)getpid());
}

/* Takes over a file that has been written, and removes it. */
static inline void damage_begin(sound_h5* s, const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) abort();
  s->size = (size_t)ftell(file);
  rewind(file);
  s->bytes = malloc(s->size);
  if (!s->bytes || fread(s->bytes, 1, s->size, file) != s->size) abort();
  fclose(file);
  hid_t opened = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (opened < 0 || H5Ovisit(opened, H5_INDEX_NAME, H5_ITER_INC, damage_list, s) < 0) abort();
  H5Fclose(opened);
  remove(path);
}

static inline hid_t damage_type(uint8_t choice) {
  const hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT,   H5T_NATIVE_INT64,   H5T_NATIVE_UINT64,
                         H5T_NATIVE_INT8,   H5T_NATIVE_FLOAT, H5T_IEEE_F64BE,     H5T_C_S1,
                         H5T_STD_REF_OBJ,   H5T_NATIVE_B32,   H5T_NATIVE_LDOUBLE, H5T_NATIVE_HBOOL};
  hid_t type = H5Tcopy(types[choice % (sizeof types / sizeof types[0])]);
  if (H5Tget_class(type) == H5T_STRING)
    H5Tset_size(type, choice >= 0xf0   ? H5T_VARIABLE
                      : choice >= 0xe0 ? (size_t)1 << 30
                                       : 1 + (size_t)(choice >> 3));
  return type;
}

/* Can values be made of bytes, and not too many? */
static inline bool damage_is_plain(hid_t type) {
  return H5Tis_variable_str(type) <= 0 && H5Tget_class(type) != H5T_REFERENCE &&
         H5Tget_size(type) < 100;
}

/* Of up to three dimensions; large ones have no storage. */
static inline hid_t damage_space(fuzz_bytes* b, bool* is_large) {
  static const hsize_t LARGE[] = {1 << 16, 1 << 20, (hsize_t)1 << 31, (hsize_t)1 << 40};
  uint8_t choice = fuzz_take(b);
  hsize_t size[3];
  for (int i = 0; i < 3; i++) {
    uint8_t length = fuzz_take(b);
    size[i] = length >= 252 ? LARGE[length - 252] : length % 32;
    if (i < choice % 4) *is_large |= length >= 252;
  }
  if (choice & 0x40) return H5Screate(H5S_NULL);
  return choice % 4 ? H5Screate_simple(choice % 4, size, NULL) : H5Screate(H5S_SCALAR);
}

/* Values of any type but of pointers, from the fuzzer's bytes over and over. */
static inline void* damage_values(fuzz_bytes* b, hid_t type, hid_t space) {
  hssize_t count = H5Sget_simple_extent_npoints(space);
  size_t size = (size_t)(count > 0 ? count : 0) * H5Tget_size(type);
  uint8_t* values = calloc(size + 1, 1);
  if (!values) abort();
  for (size_t i = 0; i < size; i++) values[i] = b->size ? fuzz_take(b) : i ? values[i / 2] : 0;
  return values;
}

static inline void damage_replace(hid_t file, const char* path, fuzz_bytes* b) {
  bool is_large = false;
  hid_t type = damage_type(fuzz_take(b)), space = damage_space(b, &is_large);
  H5Ldelete(file, path, H5P_DEFAULT);
  hid_t dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (dataset >= 0 && !is_large && damage_is_plain(type)) {
    void* values = damage_values(b, type, space);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    free(values);
  }
  if (dataset >= 0) H5Dclose(dataset);
  H5Sclose(space), H5Tclose(type);
}

static inline void damage_attribute(hid_t file, const char* path, fuzz_bytes* b) {
  bool is_large = false;
  char name[64];
  hid_t object = H5Oopen(file, path, H5P_DEFAULT);
  if (object < 0) return;
  hid_t type = damage_type(fuzz_take(b));
  hsize_t index = fuzz_take(b) % 16;
  hid_t space = damage_space(b, &is_large);
  if (!is_large && damage_is_plain(type) &&
      H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, index, name, sizeof name,
                         H5P_DEFAULT) > 0) {
    H5Adelete(object, name);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    void* values = damage_values(b, type, space);
    if (attribute >= 0) H5Awrite(attribute, type, values), H5Aclose(attribute);
    free(values);
  }
  H5Sclose(space), H5Tclose(type), H5Oclose(object);
}

/* Puts some of the fuzzer's bytes among the numbers of a dataset. */
static inline void damage_number(hid_t file, const char* path, fuzz_bytes* b) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0) return;
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  size_t each = H5Tget_size(type);
  hssize_t count = H5Sget_simple_extent_npoints(space);
  H5T_class_t kind = H5Tget_class(type);
  if (count > 0 && count < 1 << 16 && (kind == H5T_INTEGER || kind == H5T_FLOAT)) {
    uint8_t* values = calloc((size_t)count, each);
    size_t at = (fuzz_take(b) | (size_t)fuzz_take(b) << 8) % (size_t)count;
    if (!values || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) abort();
    for (size_t k = 0; k < each; k++) values[at * each + k] = fuzz_take(b);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    free(values);
  }
  H5Sclose(space), H5Tclose(type), H5Dclose(dataset);
}

/* Makes a dataset that can grow longer or shorter. */
static inline void damage_extent(hid_t file, const char* path, fuzz_bytes* b) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0) return;
  hid_t space = H5Dget_space(dataset);
  hsize_t size[8] = {0};
  if (H5Sget_simple_extent_ndims(space) > 0 && H5Sget_simple_extent_ndims(space) <= 8) {
    H5Sget_simple_extent_dims(space, size, NULL);
    hsize_t was = size[0];
    size[0] = fuzz_take(b);
    if (size[0] >= 250) size[0] = (hsize_t)1 << (size[0] - 225);
    /* HDF5 looks at each chunk that it cuts off. */
    if (was < 1000) H5Dset_extent(dataset, size);
  }
  H5Sclose(space), H5Dclose(dataset);
}

static inline void damage_once(const sound_h5* s, hid_t file, fuzz_bytes* b) {
  uint8_t what = fuzz_take(b) % 8;
  const char* path = s->path[fuzz_take(b) % s->num_paths];
  const char* other = s->path[fuzz_take(b) % s->num_paths];
  if (what == 0) H5Ldelete(file, path, H5P_DEFAULT);
  if (what == 1) damage_replace(file, path, b);
  if (what == 2) damage_attribute(file, path, b);
  if (what == 3) damage_extent(file, path, b);
  if (what >= 5) damage_number(file, path, b);
  if (what != 4) return;
  H5Ldelete(file, path, H5P_DEFAULT);
  H5Lcreate_hard(file, other, file, path, H5P_DEFAULT, H5P_DEFAULT);
}

/* Makes the damaged file at a path. */
static inline void damage_write(const sound_h5* s, fuzz_bytes b, const char* path) {
  FILE* plain = fopen(path, "wb");
  if (!plain || fwrite(s->bytes, 1, s->size, plain) != s->size || fclose(plain) != 0) abort();
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
  if (file < 0) abort();
  for (int i = 0; i < 8 && b.size; i++) damage_once(s, file, &b);
  H5Fclose(file);
  H5Pclose(access);
}

#endif
