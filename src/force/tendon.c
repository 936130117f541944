/* Fixed tendons: lengths, springs, dampers. */
#include "force/tendon.h"

#include <math.h>

double cr_tendon_compute_length(const cr_tendon_model* t, int tendon, const double* q) {
  double sum = 0;
  for (int i = t->start[tendon]; i < t->start[tendon + 1]; i++)
    sum += t->coefficient[i] * q[t->q[i]];
  return sum;
}

double cr_tendon_compute_rate(const cr_tendon_model* t, int tendon, const double* v) {
  double sum = 0;
  for (int i = t->start[tendon]; i < t->start[tendon + 1]; i++)
    sum += t->coefficient[i] * v[t->dof[i]];
  return sum;
}

void cr_tendon_add_force(const cr_tendon_model* t, int tendon, double force, double* tau) {
  for (int i = t->start[tendon]; i < t->start[tendon + 1]; i++)
    tau[t->dof[i]] += force * t->coefficient[i];
}

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

void cr_tendon_add_passive(const cr_tendon_model* t, const double* q, const double* v,
                           double* tau) {
  for (int i = 0; i < t->num_tendons; i++) {
    double length = cr_tendon_compute_length(t, i, q), rate = cr_tendon_compute_rate(t, i, v);
    cr_tendon_add_force(t, i, cr_tendon_compute_force(t, i, length, rate), tau);
  }
}

double cr_tendon_sum_energy(const cr_tendon_model* t, const double* q) {
  double sum = 0;
  for (int i = 0; i < t->num_tendons; i++)
    sum += cr_tendon_compute_energy(t, i, cr_tendon_compute_length(t, i, q));
  return sum;
}

double cr_force_find_driven(const cr_force_model* force, int a, const double* q) {
  int tendon = force->actuator_tendon[a];
  return tendon < 0 ? q[force->actuator_q[a]] : cr_tendon_compute_length(&force->tendon, tendon, q);
}

double cr_force_find_driven_rate(const cr_force_model* force, int a, const double* v) {
  int tendon = force->actuator_tendon[a];
  return tendon < 0 ? v[force->actuator_dof[a]] : cr_tendon_compute_rate(&force->tendon, tendon, v);
}

void cr_force_add_driven(const cr_force_model* force, int a, double value, double* tau) {
  int tendon = force->actuator_tendon[a];
  if (tendon < 0)
    tau[force->actuator_dof[a]] += value;
  else
    cr_tendon_add_force(&force->tendon, tendon, value, tau);
}
