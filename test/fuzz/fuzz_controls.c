/* Reads any bytes as a table of controls, and follows it: the answer is controls and poses that are
 * numbers, or a sentence. */
#include "controls.h"
#include "program.h"
#include "small_scene.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void follow(const cli_controls* controls, carom_sim* sim) {
  carom_error error;
  for (int i = 0; i < 5; i++) {
    double time = controls->time[0] + 0.3 * i;
    carom_status status = carom_sim_set_state(sim, time, NULL, NULL, &error);
    if (status != CAROM_OK && !error.message[0]) abort();
    if (status != CAROM_OK) return; /* a time that steps do not advance */
    if (cli_controls_apply(controls, sim, &error) != CAROM_OK && !error.message[0]) abort();
    for (int k = 0; k < carom_model_get_sizes(carom_sim_model(sim)).num_actuators; k++)
      if (isnan(carom_sim_controls(sim)[k])) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static carom_sim* sim;
  carom_error error = {0};
  cli_controls controls;
  if (!sim) sim = fuzz_scene_sim(fuzz_scene_model());
  FILE* file = size ? fmemopen((void*)(uintptr_t)data, size, "r") : NULL;
  if (!file) return 0;
  carom_status status = cli_controls_read(file, "input", carom_sim_model(sim), &controls, &error);
  fclose(file);
  if (status != CAROM_OK && !error.message[0]) abort();
  if (status == CAROM_OK) follow(&controls, sim);
  cli_controls_free(&controls);
  return 0;
}
