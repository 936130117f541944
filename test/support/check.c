/* Comparisons, the shared data folder, and random numbers for the tests. */
#include "support/check.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void check_near_at(double actual, double expected, double tolerance, const char* what,
                   const char* file, int line) {
  if (fabs(actual - expected) <= tolerance) return;
  print_error("%s = %.17g, expected %.17g within %.3g, off by %.3g\n", what, actual, expected,
              tolerance, actual - expected);
  _fail(file, line);
}

void check_near_array_at(const double* actual, const double* expected, int count, double tolerance,
                         const char* what, const char* file, int line) {
  for (int i = 0; i < count; i++) {
    if (fabs(actual[i] - expected[i]) <= tolerance) continue;
    print_error("%s[%d] = %.17g, expected %.17g within %.3g, off by %.3g\n", what, i, actual[i],
                expected[i], tolerance, actual[i] - expected[i]);
    _fail(file, line);
  }
}

const char* check_shared_folder(void) {
  static char folder[1024];
  const char* chosen = getenv("CAROM_SHARED");
  snprintf(folder, sizeof folder, "%s", chosen ? chosen : CR_SOURCE_DIR "/../shared");
  struct stat status;
  if (stat(folder, &status) == 0) return folder;
  fprintf(stderr, "SKIPPED: the reference data folder %s is not there (set CAROM_SHARED)\n",
          folder);
  return NULL;
}

static int compare_names(const void* a, const void* b) { return strcmp(a, b); }

int check_list_files(const char* folder, const char* ending, int most,
                     char (*names)[CHECK_FILE_NAME]) {
  DIR* directory = opendir(folder);
  int count = 0;
  if (!directory) return 0;
  for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
    char* dot = strrchr(entry->d_name, '.');
    if (!ending[0] && !dot) dot = entry->d_name + strlen(entry->d_name);
    if (!dot || strcmp(dot, ending) != 0) continue;
    assert_true(count < most && dot - entry->d_name < CHECK_FILE_NAME);
    snprintf(names[count++], CHECK_FILE_NAME, "%.*s", (int)(dot - entry->d_name), entry->d_name);
  }
  closedir(directory);
  qsort(names, (size_t)count, CHECK_FILE_NAME, compare_names);
  return count;
}

int check_repeats(int full) {
#ifdef CR_SANITIZED
  return full < 10 ? 1 : full / 10;
#else
  return full;
#endif
}

uint64_t check_random_u64(check_random* random) {
  uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

double check_random_uniform(check_random* random, double low, double high) {
  return low + (high - low) * ((double)(check_random_u64(random) >> 11) * 0x1p-53);
}

int check_random_int(check_random* random, int low, int high) {
  return low + (int)(check_random_u64(random) % (uint64_t)(high - low + 1));
}

double check_random_normal(check_random* random) {
  double u = check_random_uniform(random, 0x1p-53, 1), w = check_random_uniform(random, 0, 1);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * w);
}
