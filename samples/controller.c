/* Balances a pole on a cart: reads joints by their names, writes the motor's control, steps. */
#include "carom/carom.h"

#include <stdio.h>
#include <stdlib.h>

static carom_error error;

static void check(carom_status status) {
  if (status == CAROM_OK) return;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

int main(void) {
  carom_model* model;
  carom_sim* sim;
  check(carom_model_load("samples/cart_pole.xml", NULL, &model, &error));
  check(carom_sim_create(model, NULL, &sim, &error));

  /* Where the parts that the law speaks of stand in q, v and the controls. */
  int slide = carom_model_find_joint(model, "slide"),
      hinge = carom_model_find_joint(model, "hinge");
  int motor = carom_model_find_actuator(model, "motor");
  if (slide < 0 || hinge < 0 || motor < 0) return 1;
  carom_joint_info cart = carom_model_get_joint(model, slide);
  carom_joint_info pole = carom_model_get_joint(model, hinge);

  check(carom_sim_set_keyframe(sim, carom_model_find_keyframe(model, "tilted"), &error));
  for (int step = 0; step <= 2000; step++) {
    const double *q = carom_sim_coordinates(sim), *v = carom_sim_velocities(sim);
    double x = q[cart.q_address], angle = q[pole.q_address];
    if (step % 400 == 0)
      printf("%.1f s: cart at %+.3f m, pole at %+.3f rad\n", carom_sim_time(sim), x, angle);

    /* Full state feedback; N. */
    carom_sim_controls(sim)[motor] =
        2 * x + 5 * v[cart.v_address] + 60 * angle + 12 * v[pole.v_address];
    carom_step_report report;
    check(carom_sim_step(sim, &report, &error));
    if (report.outcome != CAROM_STEP_DONE) return 1;
  }
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return 0;
}
