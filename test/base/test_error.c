/* Statuses, error sentences, version. */
#include "base/error.h"
#include "support/check.h"

#include "carom/version.h"

#include <stdio.h>
#include <string.h>

static void test_every_status_has_a_text_of_its_own(void** state) {
  (void)state;
#define STATUS_VALUE(name, value, text) CAROM_ERROR_##name,
  const carom_status all[] = {CAROM_OK, CAROM_STATUS_LIST(STATUS_VALUE)};
#undef STATUS_VALUE
  int count = (int)(sizeof all / sizeof all[0]);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) {
      assert_int_not_equal(all[i], all[j]);
      assert_string_not_equal(carom_status_text(all[i]), carom_status_text(all[j]));
    }
  assert_string_equal(carom_status_text((carom_status)1000), "unknown status");
}

static void test_sentence_is_formatted_and_cut(void** state) {
  (void)state;
  carom_error error;
  assert_int_equal(
      cr_error_set(&error, CAROM_ERROR_BAD_INPUT, "%s:%d: mass is %g", "a.xml", 3, -1.0),
      CAROM_ERROR_BAD_INPUT);
  assert_int_equal(error.status, CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message, "a.xml:3: mass is -1");

  char text[2 * sizeof error.message];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  cr_error_set(&error, CAROM_ERROR_FILE, "%s", text);
  assert_int_equal(strlen(error.message), sizeof error.message - 1);

  assert_int_equal(cr_error_clear(&error), CAROM_OK);
  assert_int_equal(error.status, CAROM_OK);
  assert_string_equal(error.message, "");
}

static void test_null_error_is_allowed(void** state) {
  (void)state;
  assert_int_equal(cr_error_set(NULL, CAROM_ERROR_FILE, "unheard"), CAROM_ERROR_FILE);
  assert_int_equal(cr_error_memory(NULL), CAROM_ERROR_OUT_OF_MEMORY);
  assert_int_equal(cr_error_clear(NULL), CAROM_OK);
}

static carom_status pass_on(carom_status status, int* reached) {
  CR_TRY(status);
  *reached = 1;
  return CAROM_OK;
}

static void test_try_returns_failures_only(void** state) {
  (void)state;
  int reached = 0;
  assert_int_equal(pass_on(CAROM_ERROR_NUMERICAL, &reached), CAROM_ERROR_NUMERICAL);
  assert_int_equal(reached, 0);
  assert_int_equal(pass_on(CAROM_OK, &reached), CAROM_OK);
  assert_int_equal(reached, 1);
}

static void test_version_text_agrees_with_its_numbers(void** state) {
  (void)state;
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", CAROM_VERSION_MAJOR, CAROM_VERSION_MINOR,
           CAROM_VERSION_PATCH);
  assert_string_equal(text, CAROM_VERSION_STRING);
  assert_string_equal(carom_version(), CAROM_VERSION_STRING);
  assert_string_equal(carom_version(), CR_PROJECT_VERSION);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_status_has_a_text_of_its_own),
      cmocka_unit_test(test_sentence_is_formatted_and_cut),
      cmocka_unit_test(test_null_error_is_allowed),
      cmocka_unit_test(test_try_returns_failures_only),
      cmocka_unit_test(test_version_text_agrees_with_its_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
