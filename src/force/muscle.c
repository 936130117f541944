/* Force-length, force-velocity and passive curves of a muscle, piecewise quadratic, and the time
 * constants of its activation.
 *
 * Lengths are in units of the optimal one, L0, which follows from the range of the muscle's length
 * and the share of it that the parameters give. */
#include "force/muscle.h"

#include "force/force.h"

#include <math.h>

#define LEAST 1e-15 /* of divisors */

/* Length of the muscle in units of the optimal one, which `optimal` receives. */
static double scale_length(const double range[2], const double* p, double l, double* optimal) {
  *optimal = (range[1] - range[0]) / fmax(LEAST, p[CR_MUSCLE_RANGE + 1] - p[CR_MUSCLE_RANGE]);
  return p[CR_MUSCLE_RANGE] + (l - range[0]) / fmax(LEAST, *optimal);
}

/* A bump: 0 at `low`, 1 at 1, 0 at `high`, of four parabolas that meet halfway. */
static double length_curve(double L, double low, double high) {
  if (L < low || L > high) return 0;
  double end = L <= 1 ? low : high, width = fmax(LEAST, 0.5 * fabs(1 - end));
  double from_end = fabs(L - end) / width, from_middle = fabs(L - 1) / width;
  return from_end <= 1 ? 0.5 * from_end * from_end : 1 - 0.5 * from_middle * from_middle;
}

/* 0 at the fastest shortening, 1 at rest, `most` at fast lengthening. */
static double speed_curve(double V, double most) {
  double y = most - 1;
  if (V <= -1) return 0;
  if (V <= 0) return (V + 1) * (V + 1);
  return V <= y ? most - (y - V) * (y - V) / fmax(LEAST, y) : most;
}

double cr_muscle_compute_gain(const double range[2], const double* p, double l, double l_dot) {
  double optimal, L = scale_length(range, p, l, &optimal);
  double V = l_dot / fmax(LEAST, optimal * p[CR_MUSCLE_SPEED]);
  return -p[CR_MUSCLE_FORCE] * length_curve(L, p[CR_MUSCLE_LOW], p[CR_MUSCLE_HIGH]) *
         speed_curve(V, p[CR_MUSCLE_ECCENTRIC]);
}

/* A parabola from the optimal length to halfway to the longest, then its tangent. */
double cr_muscle_compute_bias(const double range[2], const double* p, double l) {
  double optimal, L = scale_length(range, p, l, &optimal);
  double width = fmax(LEAST, 0.5 * (p[CR_MUSCLE_HIGH] - 1)), x = (L - 1) / width;
  if (L <= 1) return 0;
  return -p[CR_MUSCLE_FORCE] * p[CR_MUSCLE_PASSIVE] * (x <= 1 ? 0.5 * x * x : x - 0.5);
}

/* From 0 to 1 with two continuous derivatives. */
static double smooth_step(double x) {
  if (x <= 0) return 0;
  return x >= 1 ? 1 : x * x * x * (10 + x * (6 * x - 15));
}

double cr_muscle_compute_time(const double time[3], double activation, double change) {
  double share = 0.5 + 1.5 * fmin(fmax(activation, 0), 1);
  double rise = time[0] * share, fall = time[1] / share;
  if (time[2] < LEAST) return change > 0 ? rise : fall;
  return fall + (rise - fall) * smooth_step(change / time[2] + 0.5);
}
