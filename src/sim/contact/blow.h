/* What counts as a blow: points and limits are struck by one measure. */
#ifndef CR_SIM_BLOW_H
#define CR_SIM_BLOW_H

#include <stdbool.h>

#define CR_BLOW_ACCELERATIONS 4.0  /* a blow is faster than so many steps of free acceleration */
#define CR_BLOW_LEAST_SPEED   1e-6 /* m/s or rad/s, slower approach is no blow */

/* True when the approach at v0 (negative) is that of a blow, where free motion changes velocities
 * by `gained` in a step. */
static inline bool cr_is_blow_speed(double v0, double gained) {
  return v0 < -CR_BLOW_ACCELERATIONS * gained - CR_BLOW_LEAST_SPEED;
}

#endif
