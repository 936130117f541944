/* Files of contact problems that are none: every check in its words, files cut anywhere, bytes and
 * numbers changed at random. */
#include "h5/h5.h"
#include "import/problem/reader.h"
#include "support/convex.h"

#include "carom/problem_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Bad text -----------------------------------------------------------------------------------
 */

static const char GOOD[] = "sapproblem 1\none\ndt 0.01\nbeta 1\nsigma 1e-3\nblocks 1\n"
                           "3 1 0 0 0 1 0 0 0 1\nvstar 3 0 0 -1\nv0 3 0 0 0\ncontacts 1\n"
                           "0 -1 0 0.5 1e5 0.1 1 0 0 0 1 0 0 0 1\nend\n";

static void expect_text_refused(const char* text, const char* sentence) {
  carom_error error;
  carom_problem* p;
  carom_status status = cr_problem_load_memory("f.txt", text, strlen(text), &p, &error);
  assert_string_equal(error.message, sentence);
  assert_true(status == CAROM_ERROR_BAD_INPUT);
  assert_null(p);
}

/* GOOD with `from`, which it has once, replaced. */
static void expect_change_refused(const char* from, const char* to, const char* sentence) {
  char text[sizeof GOOD + 100];
  const char* at = strstr(GOOD, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - GOOD), GOOD, to, at + strlen(from));
  expect_text_refused(text, sentence);
}

static void test_bad_text(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p;
  check_ok(cr_problem_load_memory("f.txt", GOOD, strlen(GOOD), &p, &error), &error);
  carom_problem_destroy(p);
  expect_text_refused("", "f.txt: is no contact problem: neither HDF5 nor text that begins with "
                          "'sapproblem'");
  expect_text_refused("sapsolution 1\n", "f.txt: is a solution, not a problem");
  expect_change_refused("sapproblem 1", "sapproblem 2",
                        "f.txt:1: the version is 2, must be a whole number within 1 and 1");
  expect_change_refused("dt 0.01", "dt 0", "f.txt:3: dt is 0, must be positive");
  expect_change_refused("dt 0.01", "dt nan", "f.txt:3: dt is 'nan', must be a finite number");
  expect_change_refused("beta 1", "gamma 1", "f.txt:4: 'gamma' stands where 'beta' must");
  expect_change_refused("sigma 1e-3", "sigma -1", "f.txt:5: sigma is -1, must be 0 or more");
  expect_change_refused("blocks 1", "blocks 1000000",
                        "f.txt:6: the number of blocks is 1e+06, must be a whole number within 1 "
                        "and 54");
  expect_change_refused("3 1 0 0", "3 1 7 0",
                        "f.txt:7: block 0: A is not symmetric: element (1, 0) is 0, element (0, 1) "
                        "is 7");
  expect_change_refused("3 1 0 0", "3 -1 0 0",
                        "f.txt: block 0: A is not positive definite: pivot 0 of the block is -1");
  expect_change_refused("vstar 3", "vstar 4",
                        "f.txt:8: the length of vstar is 4, must be a whole number within 3 and 3");
  expect_change_refused("0 -1 0 0.5", "1 -1 0 0.5",
                        "f.txt:11: block 0 of a contact is 1, must be a whole number within 0 and "
                        "0");
  expect_change_refused("0 -1 0 0.5", "0 0 0 0.5",
                        "f.txt:12: an element of J1 is 'end', must be a "
                        "finite number");
  expect_change_refused("0 -1 0 0.5", "0 -1 0 -0.5",
                        "f.txt:11: mu of a contact is -0.5, must be 0 or more");
  expect_change_refused("1e5", "0", "f.txt:11: k of a contact is 0, must be positive");
  expect_change_refused("1e5", "1e999",
                        "f.txt:11: k of a contact is '1e999', must be a finite "
                        "number");
  expect_change_refused("\nend\n", "\n", "f.txt:12: the file ends before end");
}

/* --- Bad HDF5 -----------------------------------------------------------------------------------
 */

static void expect_file_refused(const char* sentence) {
  carom_error error;
  carom_problem* p;
  assert_int_equal(carom_problem_load(test_convex_path, &p, &error), CAROM_ERROR_BAD_INPUT);
  assert_null(p);
  assert_string_equal(error.message + strlen(test_convex_path), sentence);
}

static void test_bad_fclib(void** state) {
  (void)state;
  const int four = 4, two = 2, seven[6] = {0, 1, 2, 3, 4, 77}, down[7] = {0, 1, 0, 3, 4, 5, 6};
  const double mu[2] = {0.5, -1}, nan[6] = {0, 0, NAN, 0, 0, 0}, bad[6] = {1, 1, 1, 1, -2, 1};
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_ints("fclib_global/spacedim", &four, 1);
  expect_file_refused(": /fclib_global/spacedim is 4, only problems in 3 dimensions are read");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_ints("fclib_global/M/m", &two, 1);
  expect_file_refused(": /fclib_global/M: row 2 of entry 2 is not within 0 and 1");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_ints("fclib_global/M/i", seven, 6);
  expect_file_refused(": /fclib_global/M: row 77 of entry 5 is not within 0 and 5");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_ints("fclib_global/M/p", down, 7);
  expect_file_refused(": /fclib_global/M/p[2] is 0, less than the one before it");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_ints("fclib_global/M/p", seven, 6);
  expect_file_refused(": /fclib_global/M/p has 6 numbers, must have 7");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_reals("fclib_global/M/x", nan, 6);
  expect_file_refused(": /fclib_global/M: entry 2 (row 2, column 2) is nan, must be finite");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_reals("fclib_global/M/x", bad, 6);
  expect_file_refused(": block 4: A is not positive definite: pivot 0 of the block is -2");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_reals("fclib_global/vectors/mu", mu, 2);
  expect_file_refused(": constraint 1: mu is -1, must be 0 or more");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_reals("fclib_global/vectors/w", nan, 6);
  expect_file_refused(": constraint 0: v_hat[1] is nan, must be finite");
  test_convex_save_two(CAROM_PROBLEM_FCLIB_GLOBAL);
  test_convex_put_reals("fclib_global/vectors/f", nan, 5);
  expect_file_refused(": /fclib_global/vectors/f has 5 numbers, must have 6");
}

static void test_bad_local(void** state) {
  (void)state;
  const int nz = 4, zero = 0, i[4] = {0, 1, 2, 0}, p[4] = {0, 1, 2, 1}, p_both[5] = {0, 1, 2, 1, 0};
  const int i_both[5] = {0, 1, 2, 0, 1}, five = 5;
  const double x[4] = {1, 1, 1, 5}, x_both[5] = {1, 1, 1, 0.5, 0.25};
  test_convex_save_two(CAROM_PROBLEM_FCLIB_LOCAL);
  test_convex_put_ints("fclib_local/W/nz", &nz, 1);
  test_convex_put_ints("fclib_local/W/i", i, 4), test_convex_put_ints("fclib_local/W/p", p, 4);
  test_convex_put_reals("fclib_local/W/x", x, 4);
  expect_file_refused(": /fclib_local/W is not positive semi-definite: the part of contact 0 (1 "
                      "contacts) has an eigenvalue or pivot of -4");
  test_convex_put_ints("fclib_local/W/nz", &five, 1);
  test_convex_put_ints("fclib_local/W/i", i_both, 5),
      test_convex_put_ints("fclib_local/W/p", p_both, 5);
  test_convex_put_reals("fclib_local/W/x", x_both, 5);
  expect_file_refused(
      ": /fclib_local/W is not symmetric: element (1, 0) is 0.25, element (0, 1) is "
      "0.5");
  test_convex_put_ints("fclib_local/W/nz", &zero, 1);
  expect_file_refused(": /fclib_local/W: the rows of contact 0 are zero");
}

static void test_bad_own(void** state) {
  (void)state;
  const int kind[2] = {0, 7}, start[3] = {0, 1, 9}, block[3] = {0, 0, 5}, sizes[2] = {3, 2};
  const double J[3] = {1, 2, 3};
  test_convex_save_two(CAROM_PROBLEM_CAROM);
  test_convex_put_ints("constraints/kind", kind, 2);
  expect_file_refused(": /constraints/kind[1] is 7, must be within 0 and 4");
  test_convex_save_two(CAROM_PROBLEM_CAROM);
  test_convex_put_ints("constraints/block_start", start, 3);
  expect_file_refused(": /constraints/block_start does not ascend from 0 to 3");
  test_convex_save_two(CAROM_PROBLEM_CAROM);
  test_convex_put_ints("constraints/block", block, 3);
  expect_file_refused(": constraint 1: block 5 is not within 0 and 1");
  test_convex_save_two(CAROM_PROBLEM_CAROM);
  test_convex_put_reals("constraints/J", J, 3);
  expect_file_refused(": /constraints/J ends within constraint 0");
  test_convex_save_two(CAROM_PROBLEM_CAROM);
  test_convex_put_ints("unknowns/block_size", sizes, 2);
  expect_file_refused(": /unknowns/v_star has 6 numbers, the blocks have 5 unknowns");
  test_convex_save_two(CAROM_PROBLEM_CAROM);
  test_convex_put_reals("unknowns/block_size", J, 3);
  expect_file_refused(": /unknowns/block_size does not hold whole numbers");
}

static void test_no_problem(void** state) {
  (void)state;
  carom_error error;
  carom_problem* p;
  unlink(test_convex_path);
  assert_int_equal(carom_problem_load(test_convex_path, &p, &error), CAROM_ERROR_FILE);
  assert_non_null(strstr(error.message, ": cannot be opened: No such file or directory"));
  hid_t file = H5Fcreate(test_convex_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  expect_file_refused(": is an HDF5 file, but holds no contact problem of FCLIB or Carom");
}

/* --- Damage -------------------------------------------------------------------------------------
 */

static char* read_file(size_t* size) {
  FILE* file = fopen(test_convex_path, "rb");
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char* data = malloc(*size);
  assert_true(fread(data, 1, *size, file) == *size);
  fclose(file);
  return data;
}

/* Cut anywhere, a file is refused in a sentence. */
static void test_truncated(void** state) {
  (void)state;
  for (int format = CAROM_PROBLEM_CAROM; format <= CAROM_PROBLEM_FCLIB_GLOBAL; format++) {
    size_t size;
    test_convex_save_two((carom_problem_format)format);
    char* data = read_file(&size);
    int tries = check_repeats(100);
    for (int i = 0; i < tries; i++) {
      carom_error error;
      carom_problem* p;
      size_t length = size * (size_t)i / (size_t)tries;
      assert_int_equal(cr_problem_load_memory("cut", data, length, &p, &error),
                       CAROM_ERROR_BAD_INPUT);
      assert_true(strncmp(error.message, "cut: ", 5) == 0 && !strchr(error.message, '\n'));
    }
    free(data);
  }
}

/* With single bytes changed it is refused, or it is a problem. */
static void test_corrupt(void** state) {
  (void)state;
#ifdef CR_SANITIZED
  print_error("SKIPPED: HDF5 itself leaks and asks for any amount of memory on such files\n");
  skip();
#endif
  check_random random = {6};
  for (int format = CAROM_PROBLEM_CAROM; format <= CAROM_PROBLEM_FCLIB_GLOBAL; format++) {
    size_t size;
    test_convex_save_two((carom_problem_format)format);
    char* data = read_file(&size);
    for (int i = 0; i < check_repeats(300); i++) {
      carom_error error;
      carom_problem* p;
      int at = check_random_int(&random, 8, (int)size - 1), bit = check_random_int(&random, 0, 7);
      data[at] = (char)(data[at] ^ (1 << bit));
      carom_status status = cr_problem_load_memory("bad", data, size, &p, &error);
      assert_true((status == CAROM_OK) == (p != NULL));
      data[at] = (char)(data[at] ^ (1 << bit));
      carom_problem_destroy(p);
    }
    free(data);
  }
}

/* Changes one number of one dataset, to something near, large or negative. */
static void spoil(hid_t file, const char* dataset, check_random* random) {
  static const int INTS[] = {-1, 0, 1, 2, 3, 6, 7, 1000, 2147483647, -2147483647 - 1};
  static const double REALS[] = {-1, 0, 1e-300, 1e300, INFINITY, NAN, 3, -1e300, 1e-9, 0.5};
  cr_arena arena;
  int64_t count;
  int *ints, which = check_random_int(random, 0, 9);
  double* reals;
  cr_arena_init(&arena, NULL);
  hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT);
  if (!cr_h5_load_ints(file, dataset, &arena, &ints, &count) && count > 0) {
    ints[check_random_int(random, 0, (int)count - 1)] = INTS[which];
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ints) >= 0);
  } else if (!cr_h5_load_reals(file, dataset, &arena, &reals, &count) && count > 0) {
    reals[check_random_int(random, 0, (int)count - 1)] = REALS[which];
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, reals) >= 0);
  }
  H5Dclose(set);
  cr_arena_destroy(&arena);
}

static void spoil_one(carom_problem_format format, check_random* random) {
  static const char* const OWN[] = {"unknowns/block_size",
                                    "unknowns/v_star",
                                    "unknowns/v0",
                                    "A/row",
                                    "A/column",
                                    "A/value",
                                    "constraints/kind",
                                    "constraints/parameter",
                                    "constraints/R",
                                    "constraints/v_hat",
                                    "constraints/block_start",
                                    "constraints/block",
                                    "constraints/J"};
  static const char* const GLOBAL[] = {
      "fclib_global/M/p",      "fclib_global/M/i",  "fclib_global/M/x", "fclib_global/M/m",
      "fclib_global/M/n",      "fclib_global/M/nz", "fclib_global/H/p", "fclib_global/H/i",
      "fclib_global/H/x",      "fclib_global/H/nz", "fclib_global/H/n", "fclib_global/vectors/f",
      "fclib_global/vectors/w"};
  static const char* const LOCAL[] = {
      "fclib_local/W/p",      "fclib_local/W/i",  "fclib_local/W/x",       "fclib_local/W/m",
      "fclib_local/W/n",      "fclib_local/W/nz", "fclib_local/vectors/q", "fclib_local/vectors/mu",
      "fclib_local/spacedim", "fclib_local/W/p",  "fclib_local/W/i",       "fclib_local/W/x",
      "fclib_local/W/nz"};
  const char* const* lists[] = {OWN, LOCAL, GLOBAL};
  hid_t file = H5Fopen(test_convex_path, H5F_ACC_RDWR, H5P_DEFAULT);
  spoil(file, lists[format][check_random_int(random, 0, 12)], random);
  H5Fclose(file);
}

/* With numbers changed it is refused in a sentence, or it is a problem that can be solved. */
static void test_spoiled(void** state) {
  (void)state;
  check_random random = {8};
  for (int i = 0; i < check_repeats(600); i++) {
    carom_error error;
    carom_problem* p;
    carom_solution* s;
    alarm(60); /* a solver that never ends is a failure too */
    carom_problem_format format = (carom_problem_format)(i % 3);
    test_convex_save_two(format);
    for (int k = 0; k <= i % 2; k++) spoil_one(format, &random);
    carom_status status = carom_problem_load(test_convex_path, &p, &error);
    assert_true((status == CAROM_OK) == (p != NULL));
    if (!p) assert_true(strncmp(error.message, test_convex_path, strlen(test_convex_path)) == 0);
    if (!p) continue;
    check_ok(carom_problem_solve(p, NULL, &s, &error), &error);
    carom_solution_destroy(s), carom_problem_destroy(p);
  }
}

int main(void) {
  H5dont_atexit(); /* HDF5 fails to tidy up after files that it could not read, and says so */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_text),   cmocka_unit_test(test_bad_fclib),
      cmocka_unit_test(test_bad_local),  cmocka_unit_test(test_bad_own),
      cmocka_unit_test(test_no_problem), cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_corrupt),    cmocka_unit_test(test_spoiled)};
  return cmocka_run_group_tests(tests, test_convex_make_path, test_convex_remove_path);
}
