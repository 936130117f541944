/* Back along a trajectory beside the trajectory itself: microseconds of CPU time a step of 300
 * under random controls, forwards on a tape and back, for the first state, all controls and all
 * masses of bodies, frictions of geometries and stiffnesses of joints; the least of three turns.
 *
 *     bench_derive_tape WARM_UP_STEPS FILE... */
#include "timing.h"

#include "carom/carom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS           300
#define MOST_PARAMETERS 2000

static double draw(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

static int count_parts(const carom_parameter_field* field, const carom_model_sizes* sizes) {
  if (!strcmp(field->kind, "body") && !strcmp(field->name, "mass")) return sizes->num_bodies - 1;
  if (!strcmp(field->kind, "geom") && !strcmp(field->name, "friction")) return sizes->num_geoms;
  if (!strcmp(field->kind, "joint") && !strcmp(field->name, "stiffness"))
    return sizes->num_joints - 1;
  return 0;
}

static int list_parameters(const carom_model_sizes* sizes, carom_parameter* out) {
  int count = 0;
  for (int row = 0; row < carom_parameter_count_fields(); row++) {
    const carom_parameter_field field = carom_parameter_get_field(row);
    for (int i = 1; i <= count_parts(&field, sizes) && count < MOST_PARAMETERS; i++)
      out[count++] = (carom_parameter){field.count, field.unit, row, i, 0};
  }
  return count;
}

typedef struct times {
  double forward, back;
} times;

/* One turn, with a tape that is empty. */
static carom_status turn(carom_sim* sim, carom_tape* tape, carom_vjp* out, times* best,
                         carom_error* error) {
  const carom_model* model = carom_sim_model(sim);
  int num_x = carom_model_get_num_x(model), controls = carom_model_get_sizes(model).num_controls;
  unsigned seed = 1;
  double start = thread_time();
  for (int i = 0; i < STEPS; i++) {
    for (int k = 0; k < controls; k++) carom_sim_controls(sim)[k] = 0.3 * draw(&seed);
    carom_status status = carom_tape_step(tape, NULL, error);
    if (status != CAROM_OK) return status;
  }
  best->forward = fmin(best->forward, thread_time() - start);
  for (int i = 0; i < num_x; i++) out->x0[i] = 1;
  start = thread_time();
  carom_status status = carom_tape_pull_back(tape, out->x0, NULL, out, error);
  best->back = fmin(best->back, thread_time() - start);
  return status;
}

static carom_status run(const char* path, int warm_up, carom_sim* sim, carom_error* error) {
  static carom_parameter parameters[MOST_PARAMETERS];
  const carom_model* model = carom_sim_model(sim);
  const carom_model_sizes sizes = carom_model_get_sizes(model);
  int count = list_parameters(&sizes, parameters), numbers = 0;
  const carom_tape_def def = {.parameters = parameters, .num_parameters = count};
  for (int i = 0; i < count; i++) numbers += parameters[i].count;
  carom_vjp out = {.x0 = calloc((size_t)carom_model_get_num_x(model), sizeof(double)),
                   .u = calloc((size_t)(STEPS * sizes.num_controls + 1), sizeof(double)),
                   .theta = calloc((size_t)numbers + 1, sizeof(double))};
  times best = {INFINITY, INFINITY};
  carom_status status = CAROM_OK;
  for (int i = 0; i < warm_up; i++) carom_sim_step(sim, NULL, NULL);
  for (int i = 0; i < 3 && status == CAROM_OK; i++) {
    carom_tape* tape = NULL;
    status = carom_tape_create(sim, &def, &tape, error);
    if (status == CAROM_OK) status = turn(sim, tape, &out, &best, error);
    carom_tape_destroy(tape);
  }
  printf("%-28s %4d parameters %8.1f us a step forwards %8.1f back %6.2f\n", base_name(path), count,
         1e6 * best.forward / STEPS, 1e6 * best.back / STEPS, best.back / best.forward);
  free(out.x0), free(out.u), free(out.theta);
  return status;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s WARM_UP_STEPS FILE...\n", argv[0]);
    return 2;
  }
  for (int i = 2; i < argc; i++) {
    carom_model* model = NULL;
    carom_sim* sim = NULL;
    carom_error error = {0};
    if (carom_model_load(argv[i], NULL, &model, &error) != CAROM_OK ||
        carom_sim_create(model, NULL, &sim, &error) != CAROM_OK ||
        run(argv[i], atoi(argv[1]), sim, &error) != CAROM_OK)
      fprintf(stderr, "%s: %s\n", argv[i], error.message);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
  }
  return 0;
}
