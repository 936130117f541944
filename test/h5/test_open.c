/* HDF5 files that reach beyond themselves: every way that the format has of it is refused by the
 * name of the object, wherever files are opened; nothing of the other file is read, and a pipe in
 * its place keeps nobody. Links within a file are none of these ways. */
#include "h5/h5.h"
#include "support/check.h"
#include "support/recording.h"

#include "carom/problem.h"
#include "carom/problem_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE                                                                                    \
  "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='b' pos='0 0 .3'><freejoint/>" \
  "<geom size='.07'/></body></worldbody></mujoco>"

static char folder[64], path[128], secret[128], pipe_path[128];

static int set_up(void** state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/carom-h5-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/a.h5", folder);
  snprintf(secret, sizeof secret, "%s/secret.txt", folder);
  snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
  FILE* file = fopen(secret, "w");
  for (int i = 0; i < 100; i++) fputs("the text of a secret;", file);
  fclose(file);
  return mkfifo(pipe_path, 0600);
}

static int tear_down(void** state) {
  (void)state;
  remove(path), remove(secret), remove(pipe_path);
  return rmdir(folder);
}

/* --- Ways out -----------------------------------------------------------------------------------
 */

/* Text kept in another file, in place of what is there. */
static void keep_outside(hid_t file, const char* name, const char* other) {
  hsize_t count = 1;
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Tset_size(type, 200);
  H5Pset_external(creation, other, 0, 200);
  if (cr_h5_exists(file, name)) H5Ldelete(file, name, H5P_DEFAULT);
  hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  assert_true(dataset >= 0);
  H5Dclose(dataset), H5Pclose(creation), H5Sclose(space), H5Tclose(type);
}

static void link_outside(hid_t file, const char* name, const char* other) {
  if (cr_h5_exists(file, name)) H5Ldelete(file, name, H5P_DEFAULT);
  assert_true(H5Lcreate_external(other, "/", file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* A soft link to what an external link leads to. */
static void link_over_a_link(hid_t file, const char* name, const char* other) {
  hid_t group = H5Gcreate2(file, "ways", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  link_outside(group, "out", other);
  H5Gclose(group);
  if (cr_h5_exists(file, name)) H5Ldelete(file, name, H5P_DEFAULT);
  assert_true(H5Lcreate_soft("/ways/out/x", file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* Numbers of another file's dataset, as many as it has at the time. */
static void map_outside(hid_t file, const char* name, const char* other) {
  hsize_t count = 3, most = H5S_UNLIMITED, first = 0, stride = 1, all = H5S_UNLIMITED;
  hid_t space = H5Screate_simple(1, &count, &most), from = H5Screate_simple(1, &count, &most);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, &stride, &all, &stride);
  H5Sselect_hyperslab(from, H5S_SELECT_SET, &first, &stride, &all, &stride);
  assert_true(H5Pset_virtual(creation, space, other, "x", from) >= 0);
  if (cr_h5_exists(file, name)) H5Ldelete(file, name, H5P_DEFAULT);
  hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  assert_true(dataset >= 0);
  H5Dclose(dataset), H5Pclose(creation), H5Sclose(from), H5Sclose(space);
}

static const struct {
  void (*add)(hid_t file, const char* name, const char* other);
  const char* words;
} WAYS[] = {
    {keep_outside, "is kept in another file, '"},
    {link_outside, "is a link to another file"},
    {link_over_a_link, "/ways/out is a link to another file"},
    {map_outside, "is made of other datasets (virtual)"},
};

enum { NUM_WAYS = sizeof WAYS / sizeof WAYS[0] };

static void damage(int way, const char* name, const char* other) {
  cr_h5_guard guard;
  cr_h5_begin(&guard);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  WAYS[way].add(file, name, other);
  assert_true(H5Fclose(file) >= 0);
  cr_h5_end(&guard);
}

/* The sentence is of the file and, for ways of its own, of the object. */
static void check_sentence(const carom_error* error, int way, const char* name) {
  char object[64];
  snprintf(object, sizeof object, "/%s is", name);
  if (!strstr(error->message, WAYS[way].words) || strncmp(error->message, path, strlen(path)) != 0)
    fail_msg("way %d: %s", way, error->message);
  if (WAYS[way].words[0] != '/') assert_non_null(strstr(error->message, object));
  assert_null(strstr(error->message, "secret;"));
}

/* --- Recordings ---------------------------------------------------------------------------------
 */

static void expect_recording_refused(int way, const char* name, const char* other) {
  carom_recording* recording;
  carom_error error;
  check_record(path, SCENE, NULL, 0.02, 0);
  carom_recording_close(check_open_recording(path));
  damage(way, name, other);
  assert_int_equal(carom_recording_open(path, NULL, &recording, &error), CAROM_ERROR_BAD_INPUT);
  assert_null(recording);
  check_sentence(&error, way, name);
}

static void test_recordings(void** state) {
  (void)state;
  static const char* const NAMES[] = {"meta/scene", "meta/options", "time", "unused"};
  for (int way = 0; way < NUM_WAYS; way++)
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
      expect_recording_refused(way, NAMES[i], secret);
      expect_recording_refused(way, NAMES[i], pipe_path);
    }
}

/* A file may call its own objects by several names. */
static void test_links_within(void** state) {
  (void)state;
  check_record(path, SCENE, NULL, 0.02, 0);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Lcreate_soft("/meta/scene", file, "again", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/nowhere", file, "nothing", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(file, "meta", file, "meta/self", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  carom_recording* recording = check_open_recording(path);
  assert_true(carom_recording_get_info(recording).num_frames > 1);
  carom_recording_close(recording);
}

/* A pipe, a device and a folder are no recordings, and nobody waits for the first. */
static void test_special_files(void** state) {
  (void)state;
  carom_recording* recording;
  carom_error error;
  static const char* const WORDS[] = {"named pipe", "a device", "a folder"};
  const char* paths[] = {pipe_path, "/dev/zero", folder};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(carom_recording_open(paths[i], NULL, &recording, &error), CAROM_ERROR_FILE);
    assert_non_null(strstr(error.message, WORDS[i]));
    carom_problem* problem;
    assert_int_equal(carom_problem_load(paths[i], &problem, &error), CAROM_ERROR_FILE);
    assert_non_null(strstr(error.message, WORDS[i]));
  }
}

/* --- Problems -----------------------------------------------------------------------------------
 */

static void write_problem(void) {
  cr_h5_guard guard;
  cr_h5_begin(&guard);
  hid_t file = cr_h5_create(path);
  hid_t meta = H5Gcreate2(file, "meta", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(cr_h5_write_text_attribute(meta, "format", "carom problem"));
  H5Gclose(meta);
  assert_true(cr_h5_flush(file));
  H5Fclose(file);
  cr_h5_end(&guard);
}

static void test_problems(void** state) {
  (void)state;
  static const char* const NAMES[] = {"v_star", "solution"};
  carom_problem* problem;
  carom_error error;
  for (int way = 0; way < NUM_WAYS; way++)
    for (int i = 0; i < 2; i++) {
      write_problem();
      damage(way, NAMES[i], i ? secret : pipe_path);
      assert_int_equal(carom_problem_load(path, &problem, &error), CAROM_ERROR_BAD_INPUT);
      check_sentence(&error, way, NAMES[i]);
    }
}

/* In memory, as a caller of its own may have them, the same holds. */
static void test_images(void** state) {
  (void)state;
  static char bytes[1 << 20];
  for (int way = 0; way < NUM_WAYS; way++) {
    cr_h5_guard guard;
    write_problem();
    damage(way, "x", secret);
    FILE* file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    cr_h5_begin(&guard);
    assert_true(cr_h5_open_image(bytes, size, &guard) < 0);
    cr_h5_end(&guard);
    assert_true(guard.is_refused && strstr(guard.reason, WAYS[way].words));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_recordings), cmocka_unit_test(test_links_within),
      cmocka_unit_test(test_special_files), cmocka_unit_test(test_problems),
      cmocka_unit_test(test_images)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
