/* What may be read: regular files, where they really lie; how deep a text nests. */
#include "io/file.h"
#include "io/json.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char* in_folder(const char* name) {
  static char paths[4][128];
  static int next;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int set_up(void** state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/carom-io-XXXXXX");
  if (!mkdtemp(folder) || mkdir(in_folder("in"), 0700) || mkfifo(in_folder("in/pipe"), 0600))
    return -1;
  write_text(in_folder("in/file"), "inside");
  write_text(in_folder("out"), "outside");
  return symlink("../out", in_folder("in/link")) || symlink("file", in_folder("in/own")) ||
         symlink("loop", in_folder("in/loop"));
}

static int tear_down(void** state) {
  (void)state;
  static const char* const NAMES[] = {"in/pipe", "in/file", "in/link", "in/own", "in/loop", "out"};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) remove(in_folder(NAMES[i]));
  rmdir(in_folder("in"));
  return rmdir(folder);
}

static void expect(const char* path, const char* fault) {
  FILE* file = cr_file_open_regular(path);
  assert_true(!file == (fault != NULL));
  if (file) fclose(file);
  if (fault) assert_string_equal(cr_file_fault(path), fault);
}

static void test_regular_files_only(void** state) {
  (void)state;
  expect(in_folder("in/file"), NULL);
  expect(in_folder("in/link"), NULL);
  expect(in_folder("in/pipe"), "it is a named pipe, no regular file");
  expect("/dev/zero", "it is a device, no regular file");
  expect(folder, "it is a folder");
  expect(in_folder("none"), "No such file or directory");
  expect(in_folder("in/loop"), "Too many levels of symbolic links");
}

static void test_outputs_are_not_read(void** state) {
  (void)state;
  const char* outputs[] = {NULL, in_folder("out")};
  cr_file_keep_for_writing(outputs, 2);
  expect(in_folder("in/file"), NULL);
  expect(in_folder("in/link"), "it is to be written, as an output");
  cr_file_keep_for_writing(NULL, 0);
  expect(in_folder("in/link"), NULL);
}

static void test_real_places(void** state) {
  (void)state;
  assert_true(cr_file_lies_in(in_folder("in/file"), in_folder("in")));
  assert_true(cr_file_lies_in(in_folder("in/own"), in_folder("in")));
  assert_true(cr_file_lies_in(in_folder("in/../in/file"), in_folder("in/.")));
  assert_false(cr_file_lies_in(in_folder("in/link"), in_folder("in")));
  assert_true(cr_file_lies_in(in_folder("in/link"), folder));
  assert_false(cr_file_lies_in(in_folder("out"), in_folder("in")));
  assert_false(cr_file_lies_in(in_folder("out"), in_folder("ou")));
  assert_true(cr_file_lies_in(in_folder("none"), in_folder("in")));
  assert_true(cr_file_lies_in(in_folder("out"), "/"));
}

static void test_depth_of_json(void** state) {
  (void)state;
  static const struct {
    const char* text;
    int depth;
  } CASES[] = {{"", 0},
               {"1", 0},
               {"[]", 1},
               {"[[],[],{}]", 2},
               {"{\"a\":[{}]}", 3},
               {"\"[[[[\"", 0},
               {"\"\\\"[[[\"", 0},
               {"[\"\\\\\",[]]", 2},
               {"]]]]]]][", 1},
               {"[[[[", 4}};
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    size_t length = strlen(CASES[i].text);
    assert_true(cr_json_is_shallow(CASES[i].text, length, CASES[i].depth));
    if (CASES[i].depth > 0)
      assert_false(cr_json_is_shallow(CASES[i].text, length, CASES[i].depth - 1));
  }
  assert_true(cr_json_is_shallow("\"\\", 2, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_regular_files_only), cmocka_unit_test(test_outputs_are_not_read),
      cmocka_unit_test(test_real_places), cmocka_unit_test(test_depth_of_json)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
