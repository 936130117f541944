/* An axis: the range it shows, its ticks at round numbers, and what stands at them. */
#ifndef PLOT_AXIS_H
#define PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { PLOT_MAX_TICKS = 32, PLOT_TICK_SIZE = 24 };

typedef struct plot_axis {
  bool is_log;
  double least, most; /* shown */
  int num_ticks;
  double ticks[PLOT_MAX_TICKS];
  char texts[PLOT_MAX_TICKS][PLOT_TICK_SIZE]; /* of (tick - offset) / 10^exponent */
  int exponent;
  double offset;
} plot_axis;

/* An axis over a range of values, a little wider than they are.
 * @param least, most of the values; not finite: there are none
 * @param count ticks that there is room for, about */
plot_axis plot_axis_make(double least, double most, int count);

/* An axis that shows exactly this range. */
plot_axis plot_axis_make_exact(double least, double most, int count);

/* A logarithmic axis from a power of ten to another. */
plot_axis plot_axis_make_log(double least, double most, int count);

/* Where a value stands, from 0 to 1 within the range. */
double plot_axis_place(const plot_axis* axis, double value);

/* What the axis is called: "energy − 12.5 (10⁻³ J)". */
void plot_axis_name(const plot_axis* axis, const char* label, const char* unit, char* text,
                    size_t size);

#endif
