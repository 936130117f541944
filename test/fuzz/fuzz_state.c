/* Reads any bytes as a state file of the program: the answer is a state of the model, or a sentence
 * and the state as it was. */
#include "program.h"
#include "small_scene.h"
#include "state.h"

#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static carom_sim* sim;
  static uint8_t before[1 << 16], after[1 << 16];
  carom_error error = {0};
  if (!sim) sim = fuzz_scene_sim(fuzz_scene_model());
  if (carom_sim_state_size(sim) > sizeof before) abort();
  carom_sim_save(sim, before);
  carom_status status = cli_state_read((const char*)data, size, "input", sim, &error);
  carom_sim_save(sim, after);
  if (status != CAROM_OK && !error.message[0]) abort();
  if (status != CAROM_OK && memcmp(before, after, carom_sim_state_size(sim)) != 0) abort();
  if (carom_sim_restore(sim, before, carom_sim_state_size(sim), &error) != CAROM_OK) abort();
  return 0;
}
