/* Recordings beside each other, and the figures that are made of them. */
#ifndef PLOT_CHART_H
#define PLOT_CHART_H

#include "figure.h"
#include "what.h"

typedef struct plot_chart {
  int num_sources;
  plot_source* sources; /* [num_sources] */
  plot_what* whats;     /* [num_sources] the same groups of channels in each */
  char (*labels)[128];  /* [num_sources] in legends */
  double from, to;      /* s, of all recordings together; to > from */
  plot_curve* curves;
  plot_panel* panels; /* [groups] */
  const char** names; /* of channels, then of recordings */
} plot_chart;

/* Opens recordings. To be closed in any case. */
carom_status plot_chart_open(plot_chart* chart, const char* const* paths, int num_paths,
                             carom_error* error);
void plot_chart_close(plot_chart* chart);

/* Adds what a word names, in all recordings.
 * @param missing receives the recording that does not have it, or -1
 * @return CAROM_ERROR_BAD_INPUT also where it is not of the same kind in all */
carom_status plot_chart_add(plot_chart* chart, const char* word, int* missing, carom_error* error);

/* Groups so far. */
int plot_chart_count(const plot_chart* chart);

/* Reads the recordings; then all groups are there to be drawn. */
carom_status plot_chart_read(plot_chart* chart, carom_error* error);

/* The figure of some groups. */
plot_figure plot_chart_figure(const plot_chart* chart, int first_group, int num_groups);

#endif
