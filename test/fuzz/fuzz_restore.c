/* Restores damaged states: the answer is a state that can be stepped from and saved again, or a
 * sentence. The first byte says whether the state's own sum is put right after the damage, which is
 * (place, bytes) over and over, and whether the state is of a scene at rest. */
#include "base/hash.h"
#include "small_scene.h"

#include "carom/scene.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* Where the sum stands in a saved state, where what it is of begins, and what rests depends on. */
enum { SUM_AT = 16, SUMMED_FROM = 24, RULES_AT = 56, MAX_SIZE = 1 << 16 };

static const char RESTING_SCENE[] =
    "<mujoco model='resting'><worldbody><geom type='plane' size='5 5 1'/>"
    "<body name='lower' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='upper' pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='other' pos='1 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body name='arm' pos='0 3 .1'><joint name='j' axis='0 1 0' range='-1 60' limited='true'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body></worldbody>"
    "<actuator><motor name='a' joint='j'/></actuator></mujoco>";

typedef struct start {
  carom_sim* sim;
  uint8_t state[MAX_SIZE];
  size_t size;
} start;

static void begin(start* s, carom_sim* sim, int num_steps, int resting) {
  carom_error error;
  carom_step_report report = {0};
  s->sim = sim;
  for (int i = 0; i < num_steps; i++)
    if (carom_sim_step(sim, &report, &error) != CAROM_OK) abort();
  s->size = carom_sim_state_size(sim);
  if (s->size > MAX_SIZE || report.sleeping_trees != resting) abort();
  carom_sim_save(sim, s->state);
}

/* A scene with a little of everything, and one in which everything has come to rest. */
static const start* find_start(int resting) {
  static start starts[2];
  carom_error error;
  carom_model* model = NULL;
  carom_sim* sim = NULL;
  carom_sim_def def = carom_sim_def_default();
  if (starts[resting].sim) return &starts[resting];
  def.sleep_share = 1;
  if (!resting) {
    begin(&starts[0], fuzz_scene_sim(fuzz_scene_model()), 3, 0);
  } else {
    if (carom_model_load_string(RESTING_SCENE, strlen(RESTING_SCENE), "resting", NULL, &model,
                                &error) != CAROM_OK ||
        carom_sim_create(model, &def, &sim, &error) != CAROM_OK)
      abort();
    begin(&starts[1], sim, 600, 4);
  }
  return &starts[resting];
}

static void damage(const uint8_t* data, size_t size, const start* from, uint8_t* state) {
  memcpy(state, from->state, from->size);
  while (size > 3) {
    size_t at = (data[0] | (size_t)data[1] << 8) % from->size, length = data[2] % 16;
    data += 3, size -= 3;
    for (size_t k = 0; k < length && k < size && at + k < from->size; k++) state[at + k] = data[k];
    data += length < size ? length : size;
    size -= length < size ? length : size;
  }
}

static void sum_again(uint8_t* state, size_t size) {
  uint64_t sum = cr_hash_bytes(CR_HASH_SEED, state + SUMMED_FROM, size - SUMMED_FROM);
  memcpy(state + SUM_AT, &sum, sizeof sum);
}

static int is_same_state(carom_sim* sim, const uint8_t* state, size_t size) {
  uint8_t* again = malloc(carom_sim_state_size(sim));
  carom_sim_save(sim, again);
  int same = carom_sim_state_size(sim) == size && memcmp(again, state, size) == 0;
  free(again);
  return same;
}

/* A state that was taken is the sim's, to the bit; but where its rules and what rests do not go
 * together, nothing rests any more, and it is the sim's own state that is taken to the bit. */
static void check_taken(carom_sim* sim, const start* from, const uint8_t* state) {
  carom_error error;
  uint64_t rules;
  if (is_same_state(sim, state, from->size)) return;
  size_t size = carom_sim_state_size(sim);
  uint8_t* own = malloc(size);
  carom_sim_save(sim, own);
  memcpy(&rules, own + RULES_AT, sizeof rules);
  if (rules != 0 || carom_sim_restore(sim, own, size, &error) != CAROM_OK ||
      !is_same_state(sim, own, size))
    abort();
  free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static uint8_t state[MAX_SIZE];
  carom_error error = {0};
  carom_step_report report;
  if (size < 2) return 0;
  const start* from = find_start(data[0] >> 1 & 1);
  carom_sim* sim = from->sim;
  damage(data + 2, size - 2, from, state);
  if (data[0] & 1) sum_again(state, from->size);
  carom_status status = carom_sim_restore(sim, state, from->size - data[1] % 2, &error);
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (status == CAROM_OK) {
    check_taken(sim, from, state);
    carom_sim_step(sim, &report, &error);
  }
  if (carom_sim_restore(sim, from->state, from->size, &error) != CAROM_OK) abort();
  return 0;
}
