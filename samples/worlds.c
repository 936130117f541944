/* Worlds of a batch with numbers of their own: how far a pushed box slides, by the friction of the
 * floor, beside v^2 / (2 mu g). */
#include "carom/carom.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = 4 };

static carom_error error;

static void check(carom_status status) {
  if (status == CAROM_OK) return;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

/* The model with another friction of its floor; box and floor have the larger one of theirs. */
static carom_model* vary(const carom_model* model, double friction) {
  carom_builder* builder;
  carom_model* other;
  carom_parameter floor;
  check(carom_builder_copy(carom_model_get_description(model), &builder, &error));
  check(carom_builder_find_parameter(builder, "geom.floor.friction", &floor, &error));
  check(carom_builder_set_parameter(builder, &floor, &friction, &error));
  check(carom_builder_compile(builder, &other, &error));
  carom_builder_destroy(builder);
  return other;
}

int main(void) {
  carom_model *model, *models[WORLDS];
  carom_batch* batch;
  carom_sim_def def = carom_sim_def_default();
  def.dt = 0.002;
  def.threads = 2;
  check(carom_model_load("samples/pushed_box.xml", NULL, &model, &error));
  check(carom_batch_create(model, WORLDS, &def, &batch, &error));
  int num_q = carom_model_get_sizes(model).num_q, num_v = carom_model_get_sizes(model).num_v;
  for (int w = 0; w < WORLDS; w++) {
    models[w] = vary(model, 0.5 + 0.1 * w);
    check(carom_batch_set_model(batch, w, models[w], &error));
    carom_batch_velocities(batch)[(size_t)w * (size_t)num_v] = 3; /* m/s */
  }
  check(carom_batch_step(batch, 500, &error));
  for (int w = 0; w < WORLDS; w++) {
    double mu = 0.5 + 0.1 * w;
    printf("friction %.1f: %.2f m, by the law %.2f m\n", mu,
           carom_batch_coordinates(batch)[(size_t)w * (size_t)num_q], 9 / (2 * mu * 9.81));
  }
  carom_batch_destroy(batch);
  for (int w = 0; w < WORLDS; w++) carom_model_destroy(models[w]);
  carom_model_destroy(model);
  return 0;
}
