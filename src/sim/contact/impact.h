/* What counts as an impact, of points as of limits. */
#ifndef CR_SIM_IMPACT_H
#define CR_SIM_IMPACT_H

#include <math.h>
#include <stdbool.h>

#define CR_IMPACT_ACCELERATIONS 4.0  /* faster than so many steps of free acceleration */
#define CR_IMPACT_LEAST_SPEED   1e-6 /* m/s or rad/s, slower approach is no impact */

/* True when the approach at v0 (negative) is that of an impact, where free motion changes
 * velocities by `gained` in a step. */
static inline bool cr_is_impact_speed(double v0, double gained) {
  return v0 < -CR_IMPACT_ACCELERATIONS * gained - CR_IMPACT_LEAST_SPEED;
}

/* How far an approach is from being an impact, below zero where it is one, as a change of
 * velocities: by its speed, or by what is left of the gap at the end of the step. Of those that
 * hardly move it makes no difference. */
static inline double cr_find_impact_border(double v0, double gained, bool is_own, double open) {
  double off = v0 + CR_IMPACT_ACCELERATIONS * gained + CR_IMPACT_LEAST_SPEED;
  if (fabs(v0) < 10 * CR_IMPACT_LEAST_SPEED) return INFINITY;
  return fmax(off / (is_own ? 1 + 2 * CR_IMPACT_ACCELERATIONS : 1), open);
}

#endif
