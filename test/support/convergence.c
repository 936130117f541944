/* Orders of convergence; see convergence.h. */
#include "support/convergence.h"

#include <math.h>

#define MOST_HALVINGS 12

void check_order(const convergence_def* def, convergence_error error) {
  double errors[MOST_HALVINGS + 1], order = 0;
  assert_in_range(def->halvings, 1, MOST_HALVINGS);
  carom_sim_def sim = def->sim;
  for (int k = 0; k <= def->halvings; k++) {
    sim.dt = def->sim.dt * pow(0.5, k);
    errors[k] = error(&sim);
    order = k ? log2(errors[k - 1] / errors[k]) : 0;
  }
  print_message("%s: order %.3f\n", def->name, order);
  if (fabs(order - def->order) <= ORDER_TOLERANCE) return;
  print_error("%s: expected order %d\n", def->name, def->order);
  for (int k = 0; k <= def->halvings; k++)
    print_error("  dt %.3g  error %.3g  order %.3f\n", def->sim.dt * pow(0.5, k), errors[k],
                k ? log2(errors[k - 1] / errors[k]) : NAN);
  fail();
}

void check_orders_of_schemes(double dt, int halvings, convergence_error error) {
  for (int i = 0; i < NUM_SCHEMES; i++) {
    convergence_def def = {.sim = simulation_def(SCHEMES[i].scheme, dt),
                           .halvings = halvings,
                           .order = SCHEMES[i].order,
                           .name = SCHEMES[i].name};
    check_order(&def, error);
  }
}

void convergence_extrapolate(const double* coarse, const double* fine, int count, double* result) {
  for (int i = 0; i < count; i++) result[i] = (4 * fine[i] - coarse[i]) / 3;
}
