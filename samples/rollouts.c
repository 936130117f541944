/* A thousand rollouts of one model from one state, each with its own push, on four threads: worlds
 * of a batch. Results do not depend on the number of threads. */
#include "carom/carom.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROLLOUTS = 1000, THREADS = 4, STEPS = 200 };

static carom_error error;

static void check(carom_status status) {
  if (status == CAROM_OK) return;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

int main(void) {
  carom_model* model;
  carom_batch* batch;
  check(carom_model_load("samples/pushed_box.xml", NULL, &model, &error));
  carom_sim_def def = carom_sim_def_default();
  def.threads = THREADS;
  check(carom_batch_create(model, ROLLOUTS, &def, &batch, &error));

  /* Pushes the box at 0 ... 4 m/s and lets it slide. */
  carom_model_sizes sizes = carom_model_get_sizes(model);
  double *q = carom_batch_coordinates(batch), *v = carom_batch_velocities(batch), start = q[0];
  for (int k = 0; k < ROLLOUTS; k++) v[sizes.num_v * k] = 4.0 * k / (ROLLOUTS - 1);
  check(carom_batch_step(batch, STEPS, &error));

  for (int k = 0; k < ROLLOUTS; k++)
    if (carom_batch_reports(batch)[k].outcome != CAROM_STEP_DONE) return 1;
  for (int k = 199; k < ROLLOUTS; k += 200)
    printf("rollout %d: %.3f m\n", k, q[sizes.num_q * k] - start);
  carom_batch_destroy(batch);
  carom_model_destroy(model);
  return 0;
}
