/* Numbers in text: the grammar, correct rounding, and indifference to the locale. */
#include "import/number.h"
#include "support/check.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cr_number_kind read(const char* word, double* value) {
  return cr_number_read(word, (int)strlen(word), value);
}

/* What editors write for a minus and for a blank. */
static void test_typography(void** state) {
  (void)state;
  double value;
  int length;
  assert_int_equal(read("\xe2\x88\x92"
                        "2.5e\xe2\x88\x92"
                        "1",
                        &value),
                   CR_NUMBER_FINITE);
  assert_true(value == -0.25);
  assert_int_equal(read("\xe2\x88\x92", &value), CR_NUMBER_NONE);
  assert_int_equal(cr_number_count_words("1\xc2\xa0"
                                         "2 \xc2\xa0 3"),
                   3);
  assert_string_equal(cr_number_word("\xc2\xa0 7\xc2\xa0", &length), "7\xc2\xa0");
  assert_int_equal(length, 1);
}

static void test_decimals(void** state) {
  (void)state;
  static const struct {
    const char* word;
    double value;
  } CASES[] = {{"0", 0},
               {"-0", -0.0},
               {"+1", 1},
               {"1.5", 1.5},
               {".5", 0.5},
               {"5.", 5},
               {"-.25e2", -25},
               {"1e-3", 1e-3},
               {"1E+2", 100},
               {"0.1", 0.1},
               {"00012", 12},
               {"1e-400", 0},
               {"4.9e-324", 4.9e-324},
               {"1.7976931348623157e308", 1.7976931348623157e308}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    double value = 7;
    assert_int_equal(read(CASES[i].word, &value), CR_NUMBER_FINITE);
    if (value != CASES[i].value) fail_msg("%s gave %.17g", CASES[i].word, value);
  }
}

static void test_no_numbers(void** state) {
  (void)state;
  static const char* const WORDS[] = {"",     ".",    "-",   "e5",  "1e",     "1e+", "1.2.3",
                                      "1,5",  "0x10", "1a",  "a1",  "--1",    "+-1", "1 2",
                                      "nano", "in",   "1_0", "1d5", "nan(1)", "-e-", "\xc2\xb2"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
    double value;
    if (read(WORDS[i], &value) != CR_NUMBER_NONE) fail_msg("'%s' was read", WORDS[i]);
  }
}

static void test_not_finite(void** state) {
  (void)state;
  double value;
  assert_int_equal(read("nan", &value), CR_NUMBER_NOT_FINITE);
  assert_true(isnan(value));
  assert_int_equal(read("-NaN", &value), CR_NUMBER_NOT_FINITE);
  assert_int_equal(read("inf", &value), CR_NUMBER_NOT_FINITE);
  assert_true(isinf(value) && value > 0);
  assert_int_equal(read("-Infinity", &value), CR_NUMBER_NOT_FINITE);
  assert_true(isinf(value) && value < 0);
  assert_int_equal(read("1e999", &value), CR_NUMBER_NOT_FINITE);
}

static void test_long_words(void** state) {
  (void)state;
  char word[600];
  double value;
  memset(word, '1', sizeof word);
  assert_int_equal(cr_number_read(word, 300, &value), CR_NUMBER_FINITE);
  assert_int_equal(cr_number_read(word, 400, &value), CR_NUMBER_NOT_FINITE);
  assert_int_equal(cr_number_read(word, 500, &value), CR_NUMBER_NONE);
}

/* What printf wrote comes back to the same bits. */
static void test_round_trip(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = check_repeats(100000); i > 0; i--) {
    double x = check_random_normal(&random) * pow(10, check_random_int(&random, -300, 300));
    char word[64];
    double value;
    snprintf(word, sizeof word, "%.17g", x);
    assert_int_equal(read(word, &value), CR_NUMBER_FINITE);
    assert_true(value == x);
  }
}

/* A locale with a decimal comma changes nothing, where the machine has one. */
static void test_locale(void** state) {
  (void)state;
  static const char* const LOCALES[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
  bool is_set = false;
  for (int i = 0; i < 4 && !is_set; i++) is_set = setlocale(LC_NUMERIC, LOCALES[i]) != NULL;
  double value;
  assert_int_equal(read("1.5e1", &value), CR_NUMBER_FINITE);
  assert_true(value == 15);
  assert_int_equal(read("1,5", &value), CR_NUMBER_NONE);
  setlocale(LC_NUMERIC, "C");
}

static void test_words(void** state) {
  (void)state;
  int length;
  const char* word = cr_number_word("  ab \t\n c", &length);
  assert_true(length == 2 && strncmp(word, "ab", 2) == 0);
  word = cr_number_word(word + length, &length);
  assert_true(length == 1 && *word == 'c');
  assert_null(cr_number_word(word + length, &length));
  assert_null(cr_number_word("", &length));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_typography), cmocka_unit_test(test_decimals),
      cmocka_unit_test(test_no_numbers), cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_long_words), cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_locale),     cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
