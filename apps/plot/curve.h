/* What a curve shows of its points: those of a range of time, thinned out so that what is drawn
 * looks as all of it. */
#ifndef PLOT_CURVE_H
#define PLOT_CURVE_H

#include <stdbool.h>

/* Points in the order of time; a value that is not finite is a gap. */
typedef struct plot_curve {
  const double *x, *y; /* [count] */
  int count;
} plot_curve;

/* Indices of the points that lie between two times, and of those next to them. */
void plot_curve_cut(const plot_curve* curve, double from, double to, int* first, int* last);

/* Chooses points of first ... last (included): of every column of time the first, the lowest, the
 * highest and the last, and what stands beside gaps.
 * @param chosen receives ascending indices; [last - first + 1]
 * @return how many */
int plot_curve_thin(const plot_curve* curve, int first, int last, int columns, int* chosen);

#endif
