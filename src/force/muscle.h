/* Curves of a muscle (the MJCF format's, after Millard et al. 2013 in the dynamics). */
#ifndef CR_FORCE_MUSCLE_H
#define CR_FORCE_MUSCLE_H

/* Active force per activation, N (negative: it pulls), and passive force, at the length l and rate.
 * @param range [2] lengths that the first two parameters stand for
 * @param parameters [CR_MUSCLE_NUM_PARAMETERS] */
double cr_muscle_compute_gain(const double range[2], const double* parameters, double l,
                              double l_dot);
double cr_muscle_compute_bias(const double range[2], const double* parameters, double l);

/* Time constant of the activation, s: of a rise or a fall, or between where the change is narrower
 * than `time[2]`.
 * @param time [3] rise, fall, width */
double cr_muscle_compute_time(const double time[3], double activation, double change);

/* A curve's value, its slopes over length and rate, and how these grow. */
typedef struct cr_muscle_slopes {
  double value, l, v, ll, lv, vv;
} cr_muscle_slopes;

/* Of both forces; the passive one has none over the rate. */
cr_muscle_slopes cr_muscle_find_gain_slopes(const double range[2], const double* parameters,
                                            double l, double l_dot);
cr_muscle_slopes cr_muscle_find_bias_slopes(const double range[2], const double* parameters,
                                            double l);

/* cr_muscle_compute_time, and how it grows with the activation, the change and `time`. */
typedef struct cr_muscle_time_slopes {
  double value, activation, change, time[3];
} cr_muscle_time_slopes;
cr_muscle_time_slopes cr_muscle_find_time_slopes(const double time[3], double activation,
                                                 double change);

#endif
