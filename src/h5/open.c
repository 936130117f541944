/* Files that are there, opened. HDF5 lets a file keep its data in others, at any path: external
 * storage, external links, virtual datasets. A file of strangers could show whatever its reader may
 * read, or hang in a pipe; so a file is looked through before anything of it is read, and nothing
 * in it is followed on the way. */
#include "h5/h5.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

/* More links than any file of ours has, and few enough to look at. */
#define MOST_LINKS 200000

/* A walk through a file. */
typedef struct walk {
  cr_h5_guard* guard;
  int num_links;
} walk;

static herr_t refuse(const walk* w, const char* name, const char* what, const char* where) {
  snprintf(w->guard->reason, sizeof w->guard->reason, "/%.80s %s%s%.100s%s", name, what,
           where ? " '" : "", where ? where : "", where ? "'" : "");
  w->guard->is_refused = true;
  return -1;
}

/* How a dataset keeps its numbers is looked up in its creation properties, which opens no other
 * file. */
static herr_t check_dataset(const walk* w, hid_t dataset, const char* name) {
  hid_t how = H5Dget_create_plist(dataset);
  herr_t result = 0;
  char file[100] = "";
  if (how >= 0 && H5Pget_external_count(how) > 0) {
    H5Pget_external(how, 0, sizeof file - 1, file, NULL, NULL);
    result = refuse(w, name, "is kept in another file,", file);
  } else if (how >= 0 && H5Pget_layout(how) == H5D_VIRTUAL) {
    result = refuse(w, name, "is made of other datasets (virtual)", NULL);
  }
  if (how >= 0) H5Pclose(how);
  return result;
}

/* What cannot be opened now cannot be later, and is left to whoever asks for it. */
static herr_t check_link(hid_t group, const char* name, const H5L_info_t* link, void* user) {
  walk* w = user;
  if (++w->num_links > MOST_LINKS) return refuse(w, name, "is one link of too many", NULL);
  if (link->type == H5L_TYPE_SOFT) return 0;
  if (link->type == H5L_TYPE_EXTERNAL) return refuse(w, name, "is a link to another file", NULL);
  if (link->type != H5L_TYPE_HARD) return refuse(w, name, "is a link of an unknown kind", NULL);
  hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  if (object < 0) return 0;
  herr_t result = H5Iget_type(object) == H5I_DATASET ? check_dataset(w, object, name) : 0;
  H5Oclose(object);
  return result;
}

/* Looks a file through that has been opened, and closes it where it may not be read. What is
 * damaged so that the walk ends early is not read either. */
static hid_t look_through(hid_t file, cr_h5_guard* guard) {
  walk w = {.guard = guard};
  if (file < 0) return file;
  if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, check_link, &w) >= 0) return file;
  H5Fclose(file);
  return H5I_INVALID_HID;
}

/* Tries at metadata that a writer may have under its hands. HDF5 waits twice as long before each:
 * 16 ms in all; with its own number, 100, it would never come back from a file whose writer is
 * dead. */
#define READ_ATTEMPTS 24

hid_t cr_h5_open(const char* path, unsigned flags, cr_h5_guard* guard) {
  if (!cr_h5_is_file(path)) return H5I_INVALID_HID;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (flags & H5F_ACC_SWMR_READ) H5Pset_metadata_read_attempts(access, READ_ATTEMPTS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  hid_t file = H5Fopen(path, flags, access);
  H5Pclose(access);
  return look_through(file, guard);
}

hid_t cr_h5_open_image(const void* data, size_t size, cr_h5_guard* guard) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_fapl_core(access, 4096, 0);
  char* copy = H5allocate_memory(size ? size : 1, false);
  hid_t file = -1;
  if (copy) {
    memcpy(copy, data, size);
    if (H5Pset_file_image(access, copy, size) >= 0) file = H5Fopen("image", H5F_ACC_RDONLY, access);
    H5free_memory(copy);
  }
  H5Pclose(access);
  return look_through(file, guard);
}

bool cr_h5_is_file(const char* path) {
  FILE* file = cr_file_open_regular(path);
  if (!file) return false;
  fclose(file);
  return H5Fis_hdf5(path) > 0;
}
