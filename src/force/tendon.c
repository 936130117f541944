/* Springs and dampers of tendons. */
#include "force/tendon.h"

#include <math.h>

double cr_tendon_compute_stretch(const cr_tendon_model* t, int tendon, double length) {
  const double* rest = t->rest + 2 * tendon;
  return length - fmin(fmax(length, rest[0]), rest[1]);
}

double cr_tendon_compute_force(const cr_tendon_model* t, int tendon, double length, double rate) {
  return -t->stiffness[tendon] * cr_tendon_compute_stretch(t, tendon, length) -
         t->damping[tendon] * rate;
}

double cr_tendon_compute_energy(const cr_tendon_model* t, int tendon, double length) {
  double stretch = cr_tendon_compute_stretch(t, tendon, length);
  return 0.5 * t->stiffness[tendon] * stretch * stretch;
}

void cr_tendon_add_passive(const cr_force_model* force, const cr_lines* lines, const double* v,
                           double* tau) {
  for (int i = 0; i < force->tendon.num_tendons; i++) {
    double rate = cr_line_compute_rate(&force->line, lines, i, v);
    double f = cr_tendon_compute_force(&force->tendon, i, lines->length[i], rate);
    cr_line_add_force(&force->line, lines, i, f, tau);
  }
}

double cr_tendon_sum_energy(const cr_tendon_model* t, const cr_lines* lines) {
  double sum = 0;
  for (int i = 0; i < t->num_tendons; i++) sum += cr_tendon_compute_energy(t, i, lines->length[i]);
  return sum;
}
