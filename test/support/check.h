/* What every test file includes: cmocka in the order it wants, and comparisons of doubles. */
#ifndef CR_TEST_CHECK_H
#define CR_TEST_CHECK_H

/* cmocka.h needs the others before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

/* Fails unless |actual - expected| <= tolerance; prints all three. NaN fails. */
#define check_near(actual, expected, tolerance) \
  check_near_at((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

/* Fails unless every |actual[i] - expected[i]| <= tolerance. */
#define check_near_array(actual, expected, count, tolerance) \
  check_near_array_at((actual), (expected), (count), (tolerance), #actual, __FILE__, __LINE__)

void check_near_at(double actual, double expected, double tolerance, const char* what,
                   const char* file, int line);
void check_near_array_at(const double* actual, const double* expected, int count, double tolerance,
                         const char* what, const char* file, int line);

/* Fails with the error's sentence unless the status is CAROM_OK. */
#define check_ok(expression, error)                                                  \
  do {                                                                               \
    if ((expression) != CAROM_OK) fail_msg("%s: %s", #expression, (error)->message); \
  } while (0)

/* The folder of shared reference data, or null (with a loud line on stderr) when it is not there:
 * environment variable CAROM_SHARED, else ../shared beside the source folder. A test then returns
 * through skip(). */
const char* check_shared_folder(void);

enum { CHECK_FILE_NAME = 200 };

/* Names of the files in a folder that end with `ending` (of those without one where it is empty),
 * without it, in order; returns how many, 0 where there is no such folder. Fails where there are
 * more than `most`. */
int check_list_files(const char* folder, const char* ending, int most,
                     char (*names)[CHECK_FILE_NAME]);

/* How many random cases to try: `full`, or a tenth of it (at least one) under sanitizers, which are
 * about ten times slower. */
int check_repeats(int full);

/* Random numbers that are the same everywhere (splitmix64). */
typedef struct check_random {
  uint64_t state;
} check_random;

uint64_t check_random_u64(check_random* random);
double check_random_uniform(check_random* random, double low, double high);
int check_random_int(check_random* random, int low, int high); /* inclusive */
double check_random_normal(check_random* random);

#endif
