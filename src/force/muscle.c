/* Force-length, force-velocity and passive curves of a muscle, piecewise quadratic, and the time
 * constants of its activation.
 *
 * Lengths are in units of the optimal one, L0, which follows from the range of the muscle's length
 * and the share of it that the parameters give. */
#include "force/muscle.h"

#include "force/force.h"

#include <math.h>
#include <stdbool.h>

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

/* --- Slopes -------------------------------------------------------------------------------------
 */

/* A curve's value, slope and bend. */
typedef struct bent {
  double value, slope, bend;
} bent;

static bent bend_length(double L, double low, double high) {
  double end = L <= 1 ? low : high, width = fmax(LEAST, 0.5 * fabs(1 - end));
  bool is_outer = fabs(L - end) <= width;
  double value = length_curve(L, low, high), bend = (is_outer ? 1 : -1) / (width * width);
  if (L < low || L > high) return (bent){0, 0, 0};
  return (bent){value, bend * (L - (is_outer ? end : 1)), bend};
}

static bent bend_speed(double V, double most) {
  double y = most - 1, value = speed_curve(V, most), size = fmax(LEAST, y);
  if (V <= -1 || V > fmax(y, 0)) return (bent){value, 0, 0};
  if (V <= 0) return (bent){value, 2 * (V + 1), 2};
  return (bent){value, 2 * (y - V) / size, -2 / size};
}

cr_muscle_slopes cr_muscle_find_gain_slopes(const double range[2], const double* p, double l,
                                            double l_dot) {
  double optimal, L = scale_length(range, p, l, &optimal), per_l = 1 / fmax(LEAST, optimal);
  double per_v = 1 / fmax(LEAST, optimal * p[CR_MUSCLE_SPEED]), F = -p[CR_MUSCLE_FORCE];
  bent x = bend_length(L, p[CR_MUSCLE_LOW], p[CR_MUSCLE_HIGH]);
  bent y = bend_speed(l_dot * per_v, p[CR_MUSCLE_ECCENTRIC]);
  return (cr_muscle_slopes){F * x.value * y.value,
                            F * x.slope * y.value * per_l,
                            F * x.value * y.slope * per_v,
                            F * x.bend * y.value * per_l * per_l,
                            F * x.slope * y.slope * per_l * per_v,
                            F * x.value * y.bend * per_v * per_v};
}

cr_muscle_slopes cr_muscle_find_bias_slopes(const double range[2], const double* p, double l) {
  double optimal, L = scale_length(range, p, l, &optimal), per_l = 1 / fmax(LEAST, optimal);
  double width = fmax(LEAST, 0.5 * (p[CR_MUSCLE_HIGH] - 1)), x = (L - 1) / width;
  double F = -p[CR_MUSCLE_FORCE] * p[CR_MUSCLE_PASSIVE];
  cr_muscle_slopes s = {.value = cr_muscle_compute_bias(range, p, l)};
  if (L <= 1) return s;
  s.l = F * (x <= 1 ? x : 1) * per_l / width;
  s.ll = x <= 1 ? F * per_l * per_l / (width * width) : 0;
  return s;
}

cr_muscle_time_slopes cr_muscle_find_time_slopes(const double time[3], double activation,
                                                 double change) {
  double share = 0.5 + 1.5 * fmin(fmax(activation, 0), 1);
  double by = activation > 0 && activation < 1 ? 1.5 : 0;
  double rise = time[0] * share, fall = time[1] / share;
  double drise = time[0] * by, dfall = -fall / share * by;
  double x = time[2] < LEAST ? (change > 0) : change / time[2] + 0.5, s = smooth_step(x);
  cr_muscle_time_slopes out = {.value = fall + (rise - fall) * s,
                               .activation = dfall + (drise - dfall) * s,
                               .time = {share * s, (1 - s) / share}};
  if (!(x > 0 && x < 1)) return out;
  out.change = (rise - fall) * 30 * x * x * (1 - x) * (1 - x) / time[2];
  out.time[2] = -out.change * change / time[2];
  return out;
}
