/* What a recording says of a run as a whole: figures of its steps, energies, how it ended. */
#ifndef PLOT_SUMMARY_H
#define PLOT_SUMMARY_H

#include "chart.h"

/* Of one quantity over frames. */
typedef struct plot_statistics {
  int count; /* of frames that have a value */
  double first, last, least, most, mean;
} plot_statistics;

typedef struct plot_summary {
  double steps;     /* all */
  double wall_time; /* s, of the steps; NaN: not recorded */
  plot_statistics contacts, iterations, outer_iterations, residual, slip;
  plot_statistics sharing, shared; /* contacts that share forces, and such forces */
  plot_statistics areas;           /* relative error of the moment of friction over areas */
  plot_statistics kinetic, potential, elastic, dissipated, work, balance;
  plot_statistics bound; /* of the frames that have one */
  int unbounded_frames;  /* that have none: rigid contacts */
  double total[2];       /* J, energy at the start and the end */
  double rise;           /* J, most that energy less work of actuators rose after a low */
  double exchanged;      /* J, most kinetic and elastic energy and range of the potential one */
  double tolerance;      /* of the solver; NaN: not known */
  int loose_frames;      /* with steps above the tolerance */
  int divided_frames;    /* with steps that failed, and were taken in parts */
  double duration;       /* s, that was asked for; NaN: not known */
  bool has_ended_early;
} plot_summary;

enum { PLOT_NUM_SUMMARY_CHANNELS = 19 };

/* Adds the channels of a summary to a chart of one recording.
 * @param first receives the number of the first */
carom_status plot_summary_add(plot_chart* chart, int* first, carom_error* error);

/* The summary, after the chart was read. */
plot_summary plot_summary_make(const plot_chart* chart, int first);

#endif
