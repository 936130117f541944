/* Restores damaged states: the answer is a state that can be stepped from and saved again, or a
 * sentence. The first byte says whether the state's own sum is put right after the damage, which is
 * (place, bytes) over and over. */
#include "base/hash.h"
#include "small_scene.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* Where the sum stands in a saved state, and where what it is of begins. */
enum { SUM_AT = 16, SUMMED_FROM = 24, MAX_SIZE = 1 << 16 };

static carom_sim* sim;
static uint8_t good[MAX_SIZE];
static size_t good_size;

static void begin(void) {
  carom_error error;
  carom_step_report report;
  sim = fuzz_scene_sim(fuzz_scene_model());
  for (int i = 0; i < 3; i++)
    if (carom_sim_step(sim, &report, &error) != CAROM_OK) abort();
  good_size = carom_sim_state_size(sim);
  if (good_size > MAX_SIZE) abort();
  carom_sim_save(sim, good);
}

static void damage(const uint8_t* data, size_t size, uint8_t* state) {
  while (size > 3) {
    size_t at = (data[0] | (size_t)data[1] << 8) % good_size, length = data[2] % 16;
    data += 3, size -= 3;
    for (size_t k = 0; k < length && k < size && at + k < good_size; k++) state[at + k] = data[k];
    data += length < size ? length : size;
    size -= length < size ? length : size;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static uint8_t state[MAX_SIZE];
  carom_error error = {0};
  carom_step_report report;
  if (!sim) begin();
  if (size < 2) return 0;
  memcpy(state, good, good_size);
  damage(data + 2, size - 2, state);
  if (data[0] & 1) {
    uint64_t sum = cr_hash_bytes(CR_HASH_SEED, state + SUMMED_FROM, good_size - SUMMED_FROM);
    memcpy(state + SUM_AT, &sum, sizeof sum);
  }
  carom_status status = carom_sim_restore(sim, state, good_size - data[1] % 2, &error);
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (status == CAROM_OK) {
    uint8_t* again = malloc(carom_sim_state_size(sim));
    carom_sim_save(sim, again);
    if (carom_sim_state_size(sim) != good_size || memcmp(again, state, good_size) != 0) abort();
    free(again);
    carom_sim_step(sim, &report, &error);
  }
  if (carom_sim_restore(sim, good, good_size, &error) != CAROM_OK) abort();
  return 0;
}
