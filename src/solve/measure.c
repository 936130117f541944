/* Natural residual |gamma - P_C(gamma - rho s)| over its value at v*, gamma = 0, and the pair gap
 *
 *   gap(v, gamma) = 1/2 |A (v - v*) - Jᵀ gamma|² in A^-1 + sum of the laws' gaps,
 *   |v - v_opt|²_A + |gamma - gamma_opt|²_(W + R) <= 2 gap. */
#include "solve/measure.h"

#include "math/scalar.h"

#include <string.h>

/* Velocities below this share of |v*|_A are round-off. */
#define FLOOR 1e-12

/* |A^-1 Jᵀ gamma|_A is |v - v*|_A but for the momentum residual. */
static double velocity_scale(const cr_system* system, const cr_iterate* iterate) {
  double scale = scalar_max(sqrt(scalar_max(iterate->dv_norm2, 0)), system->A_norm);
  return scalar_max(scale, FLOOR * system->A_norm_star + 1e-300);
}

cr_measure cr_measure_residual(cr_system* system, const cr_iterate* iterate,
                               const cr_law_mode* mode) {
  cr_law_point point = cr_system_point(system, iterate);
  double sum = 0;
  for (int k = 0; k < CR_LAW_COUNT; k++)
    sum += cr_law_get(k)->residual(&system->batch[k], &point, mode, system->rho);
  cr_measure m = {.scale = velocity_scale(system, iterate), .gap = INFINITY};
  m.residual = sum > 0 ? sqrt(sum) / system->residual_scale : 0;
  m.momentum = sqrt(iterate->r_norm2) / m.scale;
  /* Comparisons within the laws may lose what is not a number. */
  if (!isfinite(sum + iterate->r_norm2 + iterate->dv_norm2)) m.residual = INFINITY;
  return m;
}

double cr_measure_gap(cr_system* system, const cr_iterate* iterate, double* gamma) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  for (int k = 0; k < CR_LAW_COUNT; k++)
    cr_law_get(k)->project(&system->batch[k], iterate->gamma, gamma);
  double* r = system->scratch_impulse;
  for (int i = 0; i < n; i++) system->scratch_n[i] = p->v_star[i] - iterate->v[i];
  cr_system_multiply_A(system, system->scratch_n, r);
  cr_problem_add_J_transposed(p, gamma, r, system->scratch_local);
  double gap = 0.5 * cr_system_inverse_norm2(system, r);
  cr_law_point point = cr_system_point(system, iterate);
  point.gamma = gamma;
  for (int k = 0; k < CR_LAW_COUNT; k++) gap += cr_law_get(k)->gap(&system->batch[k], &point);
  return gap >= 0 ? gap : isnan(gap) ? INFINITY : 0;
}

double cr_measure_value(cr_system* system, const cr_iterate* iterate, const cr_law_mode* mode,
                        double* scratch) {
  bool convex = mode->coulomb == 0 && !mode->shift;
  if (convex && system->is_regularized) {
    double gap = cr_measure_gap(system, iterate, scratch);
    return sqrt(2 * gap) / velocity_scale(system, iterate);
  }
  cr_measure m = cr_measure_residual(system, iterate, mode);
  return isfinite(m.residual) ? scalar_max(m.residual, m.momentum) : INFINITY;
}
