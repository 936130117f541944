/* With the reach h + tau tcv of contact.md,
 *
 *   R = 1 / (dt k reach)          v_hat = - (phi + tau (1 - tcv) v0) / reach
 *   phi = distance - tq dt (tvq v1 + (1 - tvq) v0)          with the scheme's timing less v1's part
 *   tau = 2 / sqrt(k W)           critical damping, or as given. */
#include "derive/compliance_tangent.h"

#include "math/scalar.h"
#include "sim/rows/compliance.h"
#include "sim/rows/recovery.h"

#include <math.h>

#define PLAIN 1e-9 /* relative, of v_hat: round-off of what it follows from */

bool cr_compliance_asks_for_mobility(const cr_constraint* c) {
  bool is_hunt_crossley = c->extra && c->extra->hunt_crossley > 0;
  return isfinite(c->stiffness) && isnan(c->dissipation) && !is_hunt_crossley;
}

/* The dissipation time, and how it grows with the distance and the mobility. */
typedef struct dissipation {
  double tau, by_distance, by_mobility, by_stiffness, by_given;
} dissipation;

static dissipation find_dissipation(const cr_constraint* c, const cr_distance_row* at) {
  if (isinf(c->stiffness)) return (dissipation){0};
  if (cr_compliance_asks_for_mobility(c)) {
    double tau = 2 / sqrt(at->mobility * c->stiffness);
    return (dissipation){tau, 0, -0.5 * tau / at->mobility, -0.5 * tau / c->stiffness, 0};
  }
  double slope = c->extra ? c->extra->hunt_crossley : 0;
  dissipation d = {isnan(c->dissipation) ? 0 : c->dissipation, 0, 0, 0, 1};
  if (slope > 0) d.tau += slope * scalar_max(-at->distance, 0);
  if (slope > 0 && at->distance < 0) d.by_distance = -slope;
  return d;
}

/* Times of a row. */
typedef struct timing {
  double h, tcv;
  bool is_scheme;
} timing;

static timing find_timing(const cr_step* step, const cr_constraint* c, double tau) {
  cr_theta theta = c->theta;
  double h = theta.q * theta.vq * step->dt;
  bool is_scheme = step->sim->def.contact == CAROM_CONTACT_SCHEME && isfinite(c->stiffness) &&
                   h + tau * theta.v > 0;
  return is_scheme ? (timing){h, theta.v, true} : (timing){step->dt, 1, false};
}

/* phi, or its change: it is linear. */
static double find_phi(const cr_step* step, const cr_constraint* c, const timing* time,
                       const cr_distance_row* at) {
  cr_theta theta = c->theta;
  double old = time->is_scheme ? 0 : (1 - theta.vq) * at->v0;
  return at->distance - theta.q * step->dt * (theta.vq * at->v1 + old);
}

double cr_compliance_find_v_hat(const cr_step* step, const cr_constraint* c,
                                const cr_distance_row* at) {
  double tau = find_dissipation(c, at).tau;
  timing time = find_timing(step, c, tau);
  double reach = time.h + tau * time.tcv;
  return -(find_phi(step, c, &time, at) + tau * (1 - time.tcv) * at->v0) / reach;
}

bool cr_compliance_is_plain(const cr_step* step, const cr_step_problem* problem,
                            const cr_constraint* c, const cr_distance_row* at, int row) {
  double v_hat = cr_compliance_find_v_hat(step, c, at), taken = problem->problem.v_hat[row];
  if (problem->is_held[row]) return true;
  if (c->extra) taken += c->extra->push; /* which it is less by, where a body is driven */
  double size = fabs(v_hat) + fabs(at->v0) + fabs(at->v1);
  return fabs(taken - v_hat) <= PLAIN * size;
}

bool cr_compliance_is_deep(const cr_step* step, const cr_step_problem* problem,
                           const cr_constraint* c, const cr_distance_row* at, int row) {
  double least = CR_RECOVERY_LEAST_R * at->mobility;
  least = fmax(least, at->weight > 0 ? cr_compliance_find_area_R(step, at->area, at->weight)
                                     : cr_compliance_find_film_R(step, at->film));
  return c->rule == CR_ROW_CONTACT && isinf(c->stiffness) &&
         problem->problem.R[row] > (1 + PLAIN) * least;
}

double cr_compliance_differentiate_dissipation(const cr_constraint* c, const cr_distance_row* at,
                                               const cr_distance_row* change) {
  dissipation d = find_dissipation(c, at);
  return d.by_distance * change->distance + d.by_mobility * change->mobility +
         d.by_stiffness * change->stiffness + d.by_given * change->dissipation;
}

cr_compliance_change cr_compliance_differentiate(const cr_step* step, const cr_constraint* c,
                                                 const cr_distance_row* at,
                                                 const cr_distance_row* change) {
  dissipation d = find_dissipation(c, at);
  timing time = find_timing(step, c, d.tau);
  double reach = time.h + d.tau * time.tcv, v_hat = cr_compliance_find_v_hat(step, c, at);
  double dtau = cr_compliance_differentiate_dissipation(c, at, change);
  double moved =
      find_phi(step, c, &time, change) + (1 - time.tcv) * (dtau * at->v0 + d.tau * change->v0);
  cr_compliance_change out = {0, -(moved + v_hat * time.tcv * dtau) / reach};
  if (isfinite(c->stiffness))
    out.R = -(time.tcv * dtau / reach + change->stiffness / c->stiffness) /
            (step->dt * c->stiffness * reach);
  else if (c->rule == CR_ROW_EQUALITY)
    out.R = CR_EQUALITY_R * change->mobility;
  return out;
}
