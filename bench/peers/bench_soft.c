/* Thread CPU time of each step of a scene's first soft body, and the height of one of its nodes
 * after it. Prints one line of JSON: {"us": [...], "z": [...], "memory": MiB}.
 *
 *     bench_peers_soft SCENE DT STEPS NODE euler|midpoint|half
 *
 * half: forces at the end of a step, positions by the mean of both velocities, as in Drake. */
#include "timing.h"

#include "carom/carom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
  carom_model* model;
  carom_sim* sim;
  carom_error error;
  double *us, *z; /* [steps] */
  int steps, node;
} bench;

static bool check(const bench* b, carom_status status) {
  if (status != CAROM_OK) fprintf(stderr, "%s\n", b->error.message);
  return status == CAROM_OK;
}

static void set_scheme(carom_sim_def* def, const char* name) {
  def->scheme = strcmp(name, "midpoint") == 0 ? CAROM_MIDPOINT : CAROM_IMPLICIT;
  if (strcmp(name, "half") != 0) return;
  def->scheme = CAROM_THETA;
  def->theta[0] = def->theta[1] = 1, def->theta[2] = 0.5;
}

static bool open(bench* b, char** argv) {
  carom_sim_def def = carom_sim_def_default();
  def.dt = strtod(argv[2], NULL);
  set_scheme(&def, argv[5]);
  b->steps = (int)strtol(argv[3], NULL, 10);
  b->node = (int)strtol(argv[4], NULL, 10);
  b->us = calloc((size_t)b->steps + 1, sizeof(double));
  b->z = calloc((size_t)b->steps + 1, sizeof(double));
  return b->us && b->z && check(b, carom_model_load(argv[1], NULL, &b->model, &b->error)) &&
         check(b, carom_sim_create(b->model, &def, &b->sim, &b->error));
}

static bool run(bench* b) {
  int address = carom_model_get_soft(b->model, 0).q_address + 3 * b->node + 2;
  for (int k = 0; k < b->steps; k++) {
    carom_step_report report;
    double begin = thread_time();
    carom_status status = carom_sim_step(b->sim, &report, &b->error);
    b->us[k] = 1e6 * (thread_time() - begin);
    if (!check(b, status)) return false;
    if (report.outcome != CAROM_STEP_DONE) return fprintf(stderr, "step %d failed\n", k), false;
    b->z[k] = carom_sim_coordinates(b->sim)[address];
  }
  return true;
}

static void print(const char* name, const double* values, int count) {
  printf("\"%s\": [", name);
  for (int k = 0; k < count; k++) printf("%s%.9g", k > 0 ? ", " : "", values[k]);
  printf("]");
}

int main(int argc, char** argv) {
  if (argc < 6) {
    fprintf(stderr, "usage: %s SCENE DT STEPS NODE euler|midpoint|half\n", argv[0]);
    return EXIT_FAILURE;
  }
  bench b = {0};
  bool done = open(&b, argv) && run(&b);
  if (done) {
    printf("{");
    print("us", b.us, b.steps);
    printf(", ");
    print("z", b.z, b.steps);
    printf(", \"memory\": %.1f}\n", peak_memory());
  }
  free(b.us), free(b.z);
  carom_sim_destroy(b.sim);
  carom_model_destroy(b.model);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
