/* A user's program that reads a scene: a ball falls for half a second. */
#include "carom/carom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const char text[] = "<mujoco><worldbody><body pos='0 0 2'><freejoint/><geom size='.1'/></body>"
                      "</worldbody></mujoco>";
  carom_error error;
  carom_model* model;
  carom_sim* sim;
  if (carom_model_load_string(text, strlen(text), "ball", NULL, &model, &error) != CAROM_OK ||
      carom_sim_create(model, NULL, &sim, &error) != CAROM_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  while (carom_sim_time(sim) < 0.4999) carom_sim_step(sim, NULL, NULL);
  double z = carom_sim_coordinates(sim)[2];
  printf("it has fallen to %.5f m\n", z);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return fabs(z - (2 - 0.5 * 9.81 * 0.25)) > 1e-9;
}
