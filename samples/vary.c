/* Varies numbers of a model without a file: how fast a pole falls, by the mass of its cart.
 */
#include "carom/carom.h"

#include <stdio.h>
#include <stdlib.h>

static carom_error error;

static void check(carom_status status) {
  if (status == CAROM_OK) return;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

static void set(carom_builder* builder, const char* name, double value) {
  carom_parameter parameter;
  check(carom_builder_find_parameter(builder, name, &parameter, &error));
  check(carom_builder_set_parameter(builder, &parameter, &value, &error));
}

/* Seconds until the pole has fallen by a quarter turn. */
static double fall(const carom_model* model) {
  carom_sim* sim;
  check(carom_sim_create(model, NULL, &sim, &error));
  check(carom_sim_set_keyframe(sim, carom_model_find_keyframe(model, "tilted"), &error));
  int hinge = carom_model_get_joint(model, carom_model_find_joint(model, "hinge")).q_address;
  while (carom_sim_coordinates(sim)[hinge] < 1.57 && carom_sim_time(sim) < 10)
    check(carom_sim_step(sim, NULL, &error));
  double time = carom_sim_time(sim);
  carom_sim_destroy(sim);
  return time;
}

int main(void) {
  carom_model* model;
  check(carom_model_load("samples/cart_pole.xml", NULL, &model, &error));
  for (int i = 1; i <= 4; i++) {
    carom_builder* builder; /* a copy of what the model was compiled from */
    carom_model* other;
    check(carom_builder_copy(carom_model_get_description(model), &builder, &error));
    set(builder, "body.cart.mass", 0.2 * i * i);
    check(carom_builder_compile(builder, &other, &error));
    carom_body_info cart = carom_model_get_body(other, carom_model_find_body(other, "cart"));
    printf("on a cart of %.1f kg the pole falls in %.2f s\n", cart.mass, fall(other));
    carom_model_destroy(other);
    carom_builder_destroy(builder);
  }
  carom_model_destroy(model);
  return 0;
}
