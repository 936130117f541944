/* Loads a scene, steps it for two seconds, and prints how fast its bodies move. */
#include "carom/carom.h"

#include <stdio.h>

int main(int argc, char** argv) {
  carom_error error;
  carom_model* model;
  if (carom_model_load(argc > 1 ? argv[1] : "samples/first_scene.xml", NULL, &model, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  carom_sim_def def = carom_sim_def_default();
  def.dt = 0.005;
  def.scheme = CAROM_MIDPOINT;
  carom_sim* sim;
  if (carom_sim_create(model, &def, &sim, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (int step = 1; step <= 400; step++) {
    carom_step_report report;
    if (carom_sim_step(sim, &report, &error) || report.outcome != CAROM_STEP_DONE) break;
    if (step % 100) continue;
    const double* v = carom_sim_velocities(sim);
    printf("%.1f s: %.2f m/s ahead, %.2f m/s down, %d contacts\n", carom_sim_time(sim), v[0], -v[2],
           report.contacts);
  }
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return 0;
}
