/* A figure: panels above each other over one axis of time. */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include "canvas.h"
#include "curve.h"

/* Curves that share their axes. */
typedef struct plot_panel {
  const char *label, *unit; /* of the values; unit empty: none */
  bool is_log;
  int num_channels;
  const char* const* names; /* [num_channels] */
  const plot_curve* curves; /* [num_recordings, num_channels] */
} plot_panel;

typedef struct plot_figure {
  const char* title; /* null: none */
  double from, to;   /* s */
  int num_recordings, num_panels;
  const char* const* recordings; /* [num_recordings] what the legend calls them */
  const plot_panel* panels;
} plot_figure;

/* The height that suits a figure, px. */
double plot_figure_height(const plot_figure* figure);

/* What a figure shows, in words, for those who do not see it. */
void plot_figure_describe(const plot_figure* figure, char* text, size_t size);

/* Draws a figure.
 * @param page its title and description are those of the figure
 * @param name of the file, for sentences
 * @return CAROM_ERROR_INVALID_ARGUMENT where the page is too small for it */
carom_status plot_figure_draw(const plot_figure* figure, const plot_page* page, FILE* file,
                              const char* name, carom_error* error);

#endif
