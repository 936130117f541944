/* CPU time of the steps of a model file with Carom's defaults, from its reference configuration.
 * Prints one line of JSON. Usage: bench_peers_model FILE DURATION BUDGET CHUNK
 *   DURATION  s of simulated time
 *   BUDGET    s of CPU time after which the run is cut
 *   CHUNK     steps between two looks at the clock */
#include "timing.h"

#include "carom/carom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct run {
  carom_model* model;
  carom_sim* sim;
  carom_sim_def def;
  int steps, wanted, loose, repeated, chunks;
  double time, contacts;
  double* chunk; /* [chunks], s a step */
  bool has_failed;
  carom_error error;
} run;

static bool open_run(run* r, const char* path, double duration, int chunk) {
  carom_load_def load = carom_load_def_default();
  load.permissive = load.outside = true;
  r->def = carom_sim_def_default();
  if (carom_model_load(path, &load, &r->model, &r->error) != CAROM_OK) return false;
  if (carom_sim_create(r->model, &r->def, &r->sim, &r->error) != CAROM_OK) return false;
  r->wanted = (int)(duration / carom_sim_dt(r->sim) + 0.5);
  r->chunk = calloc((size_t)(r->wanted / chunk) + 2, sizeof *r->chunk);
  return r->chunk != NULL;
}

static void add_report(run* r, const carom_step_report* report) {
  r->steps++;
  r->loose += report->residual > r->def.tolerance;
  r->repeated += report->substeps > 1;
  r->contacts += report->contacts;
}

/* Up to `count` steps between two looks at the clock; false where one fails. */
static bool run_chunk(run* r, int count) {
  int begin_steps = r->steps;
  double begin = thread_time();
  for (int k = 0; k < count && !r->has_failed; k++) {
    carom_step_report report;
    carom_status status = carom_sim_step(r->sim, &report, &r->error);
    r->has_failed = status != CAROM_OK || report.outcome != CAROM_STEP_DONE;
    if (!r->has_failed) add_report(r, &report);
  }
  double took = thread_time() - begin;
  r->time += took;
  if (r->steps > begin_steps) r->chunk[r->chunks++] = took / (r->steps - begin_steps);
  return !r->has_failed;
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void print(run* r) {
  qsort(r->chunk, (size_t)r->chunks, sizeof *r->chunk, compare);
  double n = fmax(r->steps, 1), last = r->chunks > 0 ? r->chunks - 1 : 0;
  printf("{\"dofs\": %d, \"dt\": %.9g, \"steps\": %d, \"complete\": %s, \"failed\": %s, ",
         carom_model_get_sizes(r->model).num_v, carom_sim_dt(r->sim), r->steps,
         r->steps == r->wanted ? "true" : "false", r->has_failed ? "true" : "false");
  printf("\"us\": %.3f, \"us_median\": %.3f, \"us_p90\": %.3f, \"us_most\": %.3f, ",
         1e6 * r->time / n, 1e6 * r->chunk[(int)(last / 2)], 1e6 * r->chunk[(int)(0.9 * last)],
         1e6 * r->chunk[(int)last]);
  printf("\"contacts\": %.2f, \"loose\": %d, \"repeated\": %d}\n", r->contacts / n, r->loose,
         r->repeated);
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s FILE DURATION BUDGET CHUNK\n", argv[0]);
    return EXIT_FAILURE;
  }
  run r = {0};
  int chunk = (int)strtol(argv[4], NULL, 10);
  double budget = strtod(argv[3], NULL);
  bool is_open = chunk > 0 && open_run(&r, argv[1], strtod(argv[2], NULL), chunk);
  while (is_open && r.steps < r.wanted && r.time < budget) {
    int left = r.wanted - r.steps;
    if (!run_chunk(&r, left < chunk ? left : chunk)) break;
  }
  if (is_open)
    print(&r);
  else
    fprintf(stderr, "%s\n", r.error.message);
  free(r.chunk);
  carom_sim_destroy(r.sim);
  carom_model_destroy(r.model);
  return is_open ? EXIT_SUCCESS : EXIT_FAILURE;
}
