/* Springs and dampers of tendons. */
#include "force/tendon.h"

#include "force/polynomial.h"

#include <math.h>

double cr_tendon_compute_stretch(const cr_tendon_model* t, int tendon, double length) {
  const double* rest = t->rest + 2 * tendon;
  return length - fmin(fmax(length, rest[0]), rest[1]);
}

double cr_tendon_compute_force(const cr_tendon_model* t, int tendon, double length, double rate) {
  double stretch = cr_tendon_compute_stretch(t, tendon, length);
  return -cr_spring_secant(t->stiffness[tendon], t->stiffness_more + 2 * tendon, stretch) *
             stretch -
         cr_tendon_compute_damping(t, tendon, rate) * rate;
}

double cr_tendon_compute_damping(const cr_tendon_model* t, int tendon, double rate) {
  return cr_damper_secant(t->damping[tendon], t->damping_more + 2 * tendon, rate);
}

void cr_tendon_compute_slopes(const cr_tendon_model* t, int tendon, double length, double rate,
                              double slope[2]) {
  double stretch = cr_tendon_compute_stretch(t, tendon, length);
  double k = cr_spring_slope(t->stiffness[tendon], t->stiffness_more + 2 * tendon, stretch);
  double b = cr_damper_slope(t->damping[tendon], t->damping_more + 2 * tendon, rate);
  slope[0] = stretch != 0 ? fmax(k, 0) : 0;
  slope[1] = fmax(b, 0);
}

bool cr_tendon_is_slack(const cr_tendon_model* t, int tendon) {
  const double *k = t->stiffness_more + 2 * tendon, *b = t->damping_more + 2 * tendon;
  return t->stiffness[tendon] == 0 && t->damping[tendon] == 0 && k[0] == 0 && k[1] == 0 &&
         b[0] == 0 && b[1] == 0;
}

double cr_tendon_compute_energy(const cr_tendon_model* t, int tendon, double length) {
  double stretch = cr_tendon_compute_stretch(t, tendon, length);
  return cr_spring_energy(t->stiffness[tendon], t->stiffness_more + 2 * tendon, stretch);
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

double cr_tendon_sum_kinetic(const cr_force_model* force, const cr_lines* lines, const double* v) {
  double sum = 0;
  for (int i = 0; i < force->tendon.num_tendons && force->tendon.num_armatures; i++) {
    double rate = cr_line_compute_rate(&force->line, lines, i, v);
    sum += 0.5 * force->tendon.armature[i] * rate * rate;
  }
  return sum;
}
