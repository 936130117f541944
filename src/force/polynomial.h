/* Springs and dampers with powers beyond the first, as MJCF has them: a spring pulls back by
 * k x + k2 x² + k3 x³, a damper by b v + b2 v |v| + b3 v³. `more` is {k2, k3} or {b2, b3}. */
#ifndef CR_FORCE_POLYNOMIAL_H
#define CR_FORCE_POLYNOMIAL_H

#include <math.h>

/* The force over the deflection or rate: k + k2 x + k3 x², b + b2 |v| + b3 v². */
static inline double cr_spring_secant(double k, const double more[2], double x) {
  return k + x * (more[0] + x * more[1]);
}
static inline double cr_damper_secant(double b, const double more[2], double v) {
  return b + fabs(v) * (more[0] + fabs(v) * more[1]);
}

/* How the force grows. */
static inline double cr_spring_slope(double k, const double more[2], double x) {
  return k + x * (2 * more[0] + 3 * x * more[1]);
}
static inline double cr_damper_slope(double b, const double more[2], double v) {
  return b + fabs(v) * (2 * more[0] + 3 * fabs(v) * more[1]);
}

/* J, of a spring. */
static inline double cr_spring_energy(double k, const double more[2], double x) {
  return x * x * (k / 2 + x * (more[0] / 3 + x * more[1] / 4));
}

#endif
