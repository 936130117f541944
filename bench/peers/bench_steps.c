/* Thread CPU time of a scene's steps: microseconds a step over the whole run and over its second
 * half, with what the steps report. Usage: bench_peers_steps SCENE STEPS DT [convex] */
#include "carom/carom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the steps of a half of the run cost. */
typedef struct half {
  double time, residual, iterations;
  int steps, contacts;
} half;

static int fail(const carom_error* error) {
  fprintf(stderr, "%s\n", error->message);
  return EXIT_FAILURE;
}

static carom_status run(carom_sim* sim, int steps, half halves[2], carom_error* error) {
  for (int k = 0; k < steps; k++) {
    half* h = &halves[2 * k >= steps];
    carom_step_report report;
    double begin = thread_time();
    carom_status status = carom_sim_step(sim, &report, error);
    h->time += thread_time() - begin;
    if (status != CAROM_OK) return status;
    h->steps++;
    h->iterations += report.iterations;
    h->residual = fmax(h->residual, report.residual);
    h->contacts = report.contacts;
  }
  return CAROM_OK;
}

static void print(const half halves[2]) {
  const half *a = &halves[0], *b = &halves[1];
  printf("{\"us\": %.2f, \"us_second_half\": %.2f, \"iterations\": %.2f, ",
         1e6 * (a->time + b->time) / (a->steps + b->steps), 1e6 * b->time / b->steps,
         (a->iterations + b->iterations) / (a->steps + b->steps));
  printf("\"residual_second_half\": %.2g, \"contacts\": %d}\n", b->residual, b->contacts);
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s SCENE STEPS DT [convex]\n", argv[0]);
    return EXIT_FAILURE;
  }
  carom_error error;
  carom_model* model;
  carom_sim* sim;
  carom_load_def load = carom_load_def_default();
  load.permissive = true;
  if (carom_model_load(argv[1], &load, &model, &error) != CAROM_OK) return fail(&error);
  carom_sim_def def = carom_sim_def_default();
  def.dt = strtod(argv[3], NULL);
  if (argc > 4 && strcmp(argv[4], "convex") == 0) def.friction = CAROM_FRICTION_CONVEX;
  if (carom_sim_create(model, &def, &sim, &error) != CAROM_OK) return fail(&error);
  half halves[2] = {0};
  int steps = (int)strtol(argv[2], NULL, 10);
  if (run(sim, steps > 1 ? steps : 2, halves, &error) != CAROM_OK) return fail(&error);
  print(halves);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return EXIT_SUCCESS;
}
