/* Natural residual |gamma - P_C(gamma - rho s)| over its value at v*, gamma = 0, and the pair gap
 *
 *   gap(v, gamma) = 1/2 |A (v - v*) - Jᵀ gamma|² in A^-1 + sum of the laws' gaps,
 *   |v - v_opt|²_A + |gamma - gamma_opt|²_(W + R) <= 2 gap. */
#include "solve/certificate.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "solve/tuning.h"

/* |A^-1 Jᵀ gamma|_A is |v - v*|_A but for the momentum residual. */
double cr_certificate_scale(const cr_system* system, const cr_iterate* iterate) {
  double scale = scalar_max(sqrt(scalar_max(iterate->dv_norm2, 0)), system->A_norm);
  return scalar_max(scale, CR_ROUND_OFF * system->A_norm_star + 1e-300);
}

cr_certificate cr_certificate_residual(cr_system* system, const cr_iterate* iterate,
                                       const cr_law_mode* mode) {
  cr_law_point point = cr_system_point(system, iterate);
  double sum = 0;
  CR_FOR_EACH_LAW (k, system->batch)
    sum += cr_law_get(k)->residual(&system->batch[k], &point, mode, system->rho, NULL);
  cr_certificate m = {.scale = cr_certificate_scale(system, iterate), .gap = INFINITY};
  m.residual = sum > 0 ? sqrt(sum) / system->residual_scale : 0;
  m.momentum = sqrt(iterate->r_norm2) / m.scale;
  /* Comparisons within the laws may lose what is not a number. */
  if (!isfinite(sum + iterate->r_norm2 + iterate->dv_norm2)) m.residual = INFINITY;
  return m;
}

/* The laws' part of the gap at impulses in C, none of which is negative. */
static double laws_gap(const cr_system* system, const cr_iterate* iterate, const double* gamma) {
  cr_law_point point = cr_system_point(system, iterate);
  point.gamma = gamma;
  double gap = 0;
  CR_FOR_EACH_LAW (k, system->batch) gap += cr_law_get(k)->gap(&system->batch[k], &point);
  return gap;
}

/* Projects gamma on C; returns the laws' part of the gap. */
static double project(const cr_system* system, const cr_iterate* iterate, double* gamma) {
  CR_FOR_EACH_LAW (k, system->batch)
    cr_law_get(k)->project(&system->batch[k], iterate->gamma, gamma);
  return laws_gap(system, iterate, gamma);
}

/* The part of the momentum residual of v and gamma, which is the iterate's but for what gamma has
 * moved by. Balance leaves a residual that is not known. */
static double momentum_gap(cr_system* system, const cr_iterate* iterate, const double* gamma) {
  const cr_problem* p = system->problem;
  double *r = system->scratch_impulse, *moved = system->scratch_rows;
  bool has_moved = false;
  for (int i = 0; i < p->num_rows; i++) {
    moved[i] = iterate->gamma[i] - gamma[i];
    has_moved |= moved[i] != 0;
  }
  if (!iterate->is_balanced && !has_moved) return 0.5 * iterate->r_norm2;
  for (int i = 0; i < p->pattern.num_rows; i++) {
    r[i] = iterate->r[i];
    system->scratch_n[i] = p->v_star[i] - iterate->v[i];
  }
  if (iterate->is_balanced) cr_system_multiply_A(system, system->scratch_n, r);
  cr_problem_add_J_transposed(p, iterate->is_balanced ? gamma : moved, r, system->scratch_local);
  return 0.5 * cr_system_inverse_norm2(system, r);
}

/* Of round-off and what is not a number. */
static double clean_gap(double gap) { return gap >= 0 ? gap : isnan(gap) ? INFINITY : 0; }

double cr_certificate_gap(cr_system* system, const cr_iterate* iterate, double* gamma) {
  double gap = project(system, iterate, gamma);
  return clean_gap(gap + momentum_gap(system, iterate, gamma));
}

bool cr_certificate_is_gap(const cr_system* system, const cr_law_mode* mode) {
  return mode->coulomb == 0 && !mode->shift && system->is_regularized;
}

/* Half of it from the laws alone is enough to go on. */
static double gap_value(cr_system* system, const cr_iterate* iterate, double enough,
                        double* scratch) {
  double scale = cr_certificate_scale(system, iterate), laws = project(system, iterate, scratch);
  double bound = sqrt(2 * laws) / scale;
  if (bound > enough) return bound;
  return sqrt(2 * clean_gap(laws + momentum_gap(system, iterate, scratch))) / scale;
}

double cr_certificate_value_above(cr_system* system, const cr_iterate* iterate,
                                  const cr_law_mode* mode, double enough, double* scratch) {
  if (cr_certificate_is_gap(system, mode)) return gap_value(system, iterate, enough, scratch);
  cr_certificate m = cr_certificate_residual(system, iterate, mode);
  return isfinite(m.residual) ? scalar_max(m.residual, m.momentum) : INFINITY;
}

double cr_certificate_value(cr_system* system, const cr_iterate* iterate, const cr_law_mode* mode,
                            double* scratch) {
  return cr_certificate_value_above(system, iterate, mode, INFINITY, scratch);
}

/* The gap after a projected gradient step, with P_C(gamma - rho s) in place of gamma. What slides
 * with an impulse within the cone by e has a gap of e |s_t|, of first order; on the cone's surface
 * it has one of second order, as has the momentum that this takes. */
static double pull_gap(cr_system* system, const cr_iterate* iterate, double enough, double* gamma) {
  const cr_law_mode mode = {0};
  cr_law_point point = cr_system_point(system, iterate);
  CR_FOR_EACH_LAW (k, system->batch)
    cr_law_get(k)->residual(&system->batch[k], &point, &mode, system->rho, gamma);
  double laws = laws_gap(system, iterate, gamma);
  return laws > enough ? laws : clean_gap(laws + momentum_gap(system, iterate, gamma));
}

/* Moves impulses to where they are in C, and, where that is not enough and may be, to where the
 * laws pull them, so that the iterate's own momentum residual is the gap's. */
static double settle_gap(cr_system* system, double enough, cr_iterate* iterate, double* scratch) {
  double scale = cr_certificate_scale(system, iterate);
  double most = 0.5 * enough * enough * scale * scale, laws = project(system, iterate, scratch);
  if (laws > most && (laws > CR_REACHABLE * CR_REACHABLE * most ||
                      pull_gap(system, iterate, most, scratch) > most))
    return sqrt(2 * laws) / scale;
  CR_COPY(iterate->gamma, scratch, system->problem->num_rows);
  cr_iterate_confirm(system, iterate);
  laws = laws_gap(system, iterate, iterate->gamma);
  double gap = clean_gap(laws + 0.5 * iterate->r_norm2);
  if (!cr_system_is_proximal(system)) iterate->gap = gap;
  return sqrt(2 * gap) / cr_certificate_scale(system, iterate);
}

double cr_certificate_settle(cr_system* system, const cr_law_mode* mode, double enough,
                             cr_iterate* iterate, double* scratch) {
  if (cr_certificate_is_gap(system, mode)) return settle_gap(system, enough, iterate, scratch);
  double value = cr_certificate_value(system, iterate, mode, scratch);
  if (value > enough) return value;
  cr_iterate_confirm(system, iterate);
  return cr_certificate_value(system, iterate, mode, scratch);
}
