/* A thousand rollouts of one model from one state, each with its own push, on four threads. Every
 * thread has a copy of the simulation; results do not depend on who computes what. */
#include "carom/carom.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROLLOUTS = 1000, THREADS = 4, STEPS = 200 };

static carom_sim* start;          /* what all rollouts start from; only read */
static double distance[ROLLOUTS]; /* m, that the box has slid */
static int failed[THREADS];

/* Pushes the box at 0 ... 4 m/s and lets it slide. */
static carom_status roll(carom_sim* sim, const void* state, size_t size, int k) {
  double v[6] = {4.0 * k / (ROLLOUTS - 1)};
  carom_status status = carom_sim_restore(sim, state, size, NULL);
  if (!status) status = carom_sim_set_state(sim, 0, NULL, v, NULL);
  double x = carom_sim_coordinates(sim)[0];
  for (int i = 0; i < STEPS && !status; i++) status = carom_sim_step(sim, NULL, NULL);
  distance[k] = carom_sim_coordinates(sim)[0] - x;
  return status;
}

/* Every THREADS-th rollout. */
static void* work(void* argument) {
  int thread = *(int*)argument;
  carom_sim* sim;
  failed[thread] = carom_sim_copy(start, &sim, NULL) != CAROM_OK;
  if (failed[thread]) return NULL;
  size_t size = carom_sim_state_size(sim);
  void* state = malloc(size);
  if (state) carom_sim_save(sim, state);
  failed[thread] = !state;
  for (int k = thread; k < ROLLOUTS && !failed[thread]; k += THREADS)
    failed[thread] = roll(sim, state, size, k) != CAROM_OK;
  free(state);
  carom_sim_destroy(sim);
  return NULL;
}

int main(void) {
  carom_error error;
  carom_model* model;
  if (carom_model_load("samples/pushed_box.xml", NULL, &model, &error)) return 1;
  if (carom_sim_create(model, NULL, &start, &error)) return 1;
  pthread_t threads[THREADS];
  int numbers[THREADS], bad = 0;
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, work, &numbers[i])) return 1;
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL), bad |= failed[i];
  for (int k = 199; k < ROLLOUTS; k += 200) printf("rollout %d: %.3f m\n", k, distance[k]);
  carom_sim_destroy(start);
  carom_model_destroy(model);
  return bad;
}
