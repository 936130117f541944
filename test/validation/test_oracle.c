/* Published MJCF models, read and evaluated through the public interface, against the reference
 * values beside them (shared/models): see support/oracle.h. */
#include "support/check.h"
#include "support/oracle.h"

#include <stdio.h>

static const char* const NAMES[] = {"dmc_humanoid",    "dmc_cheetah",  "dmc_walker", "dmc_finger",
                                    "gym_ant",         "kuka_iiwa_14", "booster_t1", "gym_humanoid",
                                    "dmc_manipulator", "dmc_fish"};
enum { NUM_MODELS = sizeof NAMES / sizeof NAMES[0] };

static void test_reference_values(void** state) {
  char folder[1100];
  snprintf(folder, sizeof folder, "%s/models/mjcf", (const char*)*state);
  for (int i = 0; i < NUM_MODELS; i++) oracle_check_model(folder, NAMES[i], NULL);
}

int main(void) {
  const char* shared = check_shared_folder();
  if (!shared) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_reference_values, (void*)(uintptr_t)shared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
