/* Files that are written, and datasets that are read and written whole. A damaged file may declare
 * any size: only what its bytes could hold is taken. */
#include "h5/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char CR_H5_OUT_OF_MEMORY[] = "does not fit into memory";

/* Bytes that one stored byte may stand for, by HDF5's own filters. */
#define MOST_COMPRESSION 1100

#define FILE_START       (1 << 16) /* bytes, more than a file has before its data */

/* --- Files --------------------------------------------------------------------------------------
 */

carom_status cr_h5_check_writable(const char* path, carom_error* error) {
  static const char zeros[FILE_START];
  FILE* file = fopen(path, "wb");
  bool done = file && fwrite(zeros, 1, sizeof zeros, file) == sizeof zeros && fflush(file) == 0;
  int reason = errno;
  struct stat kind;
  bool is_plain = file && fstat(fileno(file), &kind) == 0 && S_ISREG(kind.st_mode);
  if (file) fclose(file);
  if (done) return CAROM_OK;
  if (is_plain) remove(path);
  return cr_error_set(error, CAROM_ERROR_FILE, "%.300s: cannot be created: %s", path,
                      strerror(reason));
}

hid_t cr_h5_create(const char* path) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

/* What datasets hold back, one after another: such a failure leaves the file as it is. No file of
 * ours has more of them. */
static bool flush_datasets(hid_t file) {
  hid_t some[64];
  ssize_t count = H5Fget_obj_ids(file, H5F_OBJ_DATASET, 64, some);
  bool done = count >= 0;
  for (ssize_t i = 0; i < count && done; i++) done = H5Dflush(some[i]) >= 0;
  return done;
}

/* Room on the disk for the file as it will be, and a little more. */
static bool reserve_room(hid_t file) {
  void* handle = NULL;
  hsize_t size = 0;
  return H5Fget_filesize(file, &size) >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 &&
         posix_fallocate(*(int*)handle, 0, (off_t)size + FILE_START) == 0;
}

bool cr_h5_flush(hid_t file) {
  return flush_datasets(file) && reserve_room(file) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

void cr_h5_abandon(hid_t file) {
  void* handle = NULL;
  int nowhere = open("/dev/null", O_RDWR);
  if (nowhere >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle)
    dup2(nowhere, *(int*)handle);
  if (nowhere >= 0) close(nowhere);
}

bool cr_h5_exists(hid_t object, const char* path) {
  char part[256];
  for (const char* end = path; *end;) {
    end += strcspn(end, "/");
    if ((size_t)(end - path) >= sizeof part) return false;
    snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
    if (H5Lexists(object, part, H5P_DEFAULT) <= 0) return false;
    if (*end) end++;
  }
  return true;
}

/* --- Reading ------------------------------------------------------------------------------------
 */

/* Why a dataset does not hold numbers of a class (integers count as reals), or null. */
static const char* check_type(hid_t dataset, bool real) {
  hid_t type = H5Dget_type(dataset);
  H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  if (type >= 0) H5Tclose(type);
  if (class == H5T_INTEGER || (real && class == H5T_FLOAT)) return NULL;
  return real ? "does not hold numbers" : "does not hold whole numbers";
}

/* Elements in the chunks that are there, in however few bytes; 0 where a dataset has no chunks. */
static hsize_t count_chunked(hid_t dataset, hid_t creation) {
  hsize_t extent[H5S_MAX_RANK], count = 0;
  int rank = H5Pget_chunk(creation, H5S_MAX_RANK, extent);
  hid_t space = H5Dget_space(dataset);
  if (rank <= 0 || H5Dget_num_chunks(dataset, space, &count) < 0) count = 0;
  if (space >= 0) H5Sclose(space);
  for (int i = 0; i < rank; i++) count *= extent[i];
  return count;
}

hsize_t cr_h5_count_stored(hid_t dataset) {
  hid_t type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset);
  size_t size = type >= 0 ? H5Tget_size(type) : 0;
  hsize_t count = size > 0 ? H5Dget_storage_size(dataset) / size : 0;
  if (creation >= 0 && H5Pget_nfilters(creation) > 0) {
    hsize_t chunked = count_chunked(dataset, creation);
    count *= MOST_COMPRESSION;
    if (chunked < count) count = chunked;
  }
  if (type >= 0) H5Tclose(type);
  if (creation >= 0) H5Pclose(creation);
  return count;
}

static const char* count_numbers(hid_t dataset, bool real, int64_t* count) {
  const char* wrong = check_type(dataset, real);
  if (wrong) return wrong;
  hid_t space = H5Dget_space(dataset);
  hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  if (space >= 0) H5Sclose(space);
  if (points < 0) return "has no size";
  if ((hsize_t)points > cr_h5_count_stored(dataset) || points > INT_MAX)
    return "declares more numbers than it holds";
  *count = points;
  return NULL;
}

static const char* load(hid_t object, const char* path, cr_arena* arena, bool real, void** values,
                        int64_t* count) {
  *count = 0;
  if (!cr_h5_exists(object, path)) return "is not there";
  hid_t dataset = H5Dopen2(object, path, H5P_DEFAULT);
  if (dataset < 0) return "is no dataset that can be read";
  const char* wrong = count_numbers(dataset, real, count);
  size_t size = real ? sizeof(double) : sizeof(int);
  *values = wrong ? NULL : cr_arena_push(arena, size * (size_t)(*count + 1));
  if (!wrong && !*values) wrong = CR_H5_OUT_OF_MEMORY;
  hid_t type = real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT;
  if (!wrong && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
    wrong = "cannot be read";
  H5Dclose(dataset);
  return wrong;
}

const char* cr_h5_load_reals(hid_t object, const char* path, cr_arena* arena, double** values,
                             int64_t* count) {
  return load(object, path, arena, true, (void**)values, count);
}

const char* cr_h5_load_ints(hid_t object, const char* path, cr_arena* arena, int** values,
                            int64_t* count) {
  return load(object, path, arena, false, (void**)values, count);
}

/* --- Writing ------------------------------------------------------------------------------------
 */

static bool save(hid_t object, const char* path, hid_t file_type, hid_t type, const void* values,
                 int64_t count) {
  hsize_t extent = (hsize_t)count;
  hid_t space = H5Screate_simple(1, &extent, NULL), link = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(link, 1);
  hid_t dataset = H5Dcreate2(object, path, file_type, space, link, H5P_DEFAULT, H5P_DEFAULT);
  bool done = dataset >= 0;
  if (done && count > 0) done = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (dataset >= 0) H5Dclose(dataset);
  H5Pclose(link), H5Sclose(space);
  return done;
}

bool cr_h5_save_reals(hid_t object, const char* path, const double* values, int64_t count) {
  return save(object, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, count);
}

bool cr_h5_save_ints(hid_t object, const char* path, const int* values, int64_t count) {
  return save(object, path, H5T_STD_I32LE, H5T_NATIVE_INT, values, count);
}
