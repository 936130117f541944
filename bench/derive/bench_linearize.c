/* Derivatives of steps beside the steps themselves: microseconds of CPU time of each, where a model
 * comes to after so many steps under random controls, and every 50 of them.
 *
 *     bench_derive_linearize STEPS FILE... */
#include "timing.h"

#include "carom/carom.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct sums {
  double step, linearize;
  int count, kinks, held, refused;
} sums;

static double draw(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

static void look(carom_sim* sim, double* A, double* B, carom_error* error, sums* s) {
  carom_linearization out = {.A = A, .B = B};
  double start = thread_time();
  carom_status status = carom_sim_linearize(sim, &out, error);
  s->linearize += thread_time() - start;
  s->count++;
  s->refused += status != CAROM_OK;
  s->kinks += status == CAROM_OK && out.num_kinks > 0;
  s->held += status == CAROM_OK && out.num_held > 0;
}

static void run(const char* path, int steps) {
  carom_model* model = NULL;
  carom_sim* sim = NULL;
  carom_error error = {0};
  if (carom_model_load(path, NULL, &model, &error) != CAROM_OK ||
      carom_sim_create(model, NULL, &sim, &error) != CAROM_OK) {
    fprintf(stderr, "%s\n", error.message);
    carom_model_destroy(model);
    return;
  }
  size_t x = (size_t)carom_model_get_num_x(model);
  carom_model_sizes sizes = carom_model_get_sizes(model);
  double* A = malloc(sizeof(double) * x * x);
  double* B = malloc(sizeof(double) * (x * (size_t)sizes.num_controls + 1));
  sums s = {0};
  unsigned seed = 1;
  error.message[0] = 0;
  for (int i = 0; i < steps && A && B; i++) {
    for (int k = 0; k < sizes.num_controls; k++) carom_sim_controls(sim)[k] = 0.3 * draw(&seed);
    if (i % 50 == 49) look(sim, A, B, &error, &s);
    double start = thread_time();
    carom_sim_step(sim, NULL, NULL);
    s.step += thread_time() - start;
  }
  double step = 1e6 * s.step / steps, each = s.count ? 1e6 * s.linearize / s.count : 0;
  printf("%-28s %4d dofs %8.1f us a step %9.1f us derivatives %6.2f  looks %d kinks %d held %d"
         " refused %d %s\n",
         base_name(path), sizes.num_v, step, each, each / step, s.count, s.kinks, s.held, s.refused,
         s.refused ? error.message : "");
  free(A), free(B);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s STEPS FILE...\n", argv[0]);
    return 2;
  }
  for (int i = 2; i < argc; i++) run(argv[i], atoi(argv[1]));
  return 0;
}
