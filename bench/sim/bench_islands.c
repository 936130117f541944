/* Islands side by side: milliseconds a step for 1, 2, 4 threads, and the gain. Scenes: a yard of
 * separate stacks of boxes, 1 to `most` of them.
 *
 *     bench_sim_islands [most stacks] [steps] [boxes in a stack]
 *
 * The last state is compared to the bit. Run it on an idle machine with as many cores. */
#include "timing.h"

#include "carom/carom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int THREADS[] = {1, 2, 4};
enum { NUM_THREADS = sizeof THREADS / sizeof THREADS[0], BOX_TEXT = 180 };

/* Boxes that fall a little, crooked, so that the stacks work until they rest. */
static carom_model* make_yard(int stacks, int height) {
  size_t size = 200 + (size_t)stacks * (size_t)height * BOX_TEXT;
  char* text = malloc(size);
  int at = snprintf(text, size, "<mujoco><worldbody><geom type='plane' size='0 0 1'/>");
  for (int s = 0; s < stacks; s++)
    for (int k = 0; k < height; k++)
      at += snprintf(text + at, size - (size_t)at,
                     "<body pos='%d %g %g' euler='0 0 %d'><freejoint/>"
                     "<geom type='box' size='.1 .1 .1'/></body>",
                     s, 0.01 * (k % 2), 0.1 + 0.21 * k, 7 * k + s);
  snprintf(text + at, size - (size_t)at, "</worldbody></mujoco>");
  carom_model* model = NULL;
  carom_error error;
  if (carom_model_load_string(text, strlen(text), "yard", NULL, &model, &error) != CAROM_OK) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  free(text);
  return model;
}

/* Milliseconds a step after a warm-up; q receives the last coordinates. */
static double time_steps(const carom_model* model, int threads, int steps, double* q) {
  carom_sim_def def = carom_sim_def_default();
  carom_sim* sim;
  carom_error error;
  def.threads = threads;
  if (carom_sim_create(model, &def, &sim, &error) != CAROM_OK) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  for (int i = 0; i < steps / 4; i++) carom_sim_step(sim, NULL, NULL);
  double start = wall_time();
  for (int i = 0; i < steps; i++) carom_sim_step(sim, NULL, NULL);
  double time = 1e3 * (wall_time() - start) / steps;
  memcpy(q, carom_sim_coordinates(sim),
         sizeof(double) * (size_t)carom_model_get_sizes(model).num_q);
  carom_sim_destroy(sim);
  return time;
}

static void run_yard(int stacks, int height, int steps) {
  carom_model* model = make_yard(stacks, height);
  size_t size = sizeof(double) * (size_t)carom_model_get_sizes(model).num_q;
  double *first = malloc(size), *q = malloc(size), alone = 0;
  printf("%6d", stacks);
  for (int i = 0; i < NUM_THREADS; i++) {
    double time = time_steps(model, THREADS[i], steps, q);
    if (i == 0) memcpy(first, q, size), alone = time;
    printf("  %8.3f ms x%4.2f%s", time, alone / time, memcmp(first, q, size) ? " DIFFERS" : "");
  }
  printf("\n");
  free(first), free(q);
  carom_model_destroy(model);
}

int main(int argc, char** argv) {
  int most = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 200;
  int height = argc > 3 ? atoi(argv[3]) : 4;
  printf("stacks  1 thread           2 threads          4 threads\n");
  for (int stacks = 1; stacks <= most; stacks *= 2) run_yard(stacks, height, steps);
  return 0;
}
