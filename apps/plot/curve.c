/* Thinning as in Jugel et al. 2014, "M4: a visualization-oriented time series data aggregation":
 * where columns are no wider than a pixel the drawing is the same. */
#include "curve.h"

#include <math.h>

void plot_curve_cut(const plot_curve* curve, double from, double to, int* first, int* last) {
  *first = 0, *last = curve->count - 1;
  while (*first < *last && curve->x[*first + 1] <= from) ++*first;
  while (*last > *first && curve->x[*last - 1] >= to) --*last;
}

/* Adds an index, unless it was the last one added. */
static void add(int* chosen, int* count, int index) {
  if (*count == 0 || chosen[*count - 1] != index) chosen[(*count)++] = index;
}

/* The points of begin ... end - 1, which is one column without gaps. */
static void thin_column(const plot_curve* curve, int begin, int end, int* chosen, int* count) {
  int lowest = begin, highest = begin;
  for (int i = begin; i < end; i++) {
    if (curve->y[i] < curve->y[lowest]) lowest = i;
    if (curve->y[i] > curve->y[highest]) highest = i;
  }
  add(chosen, count, begin);
  add(chosen, count, lowest < highest ? lowest : highest);
  add(chosen, count, lowest < highest ? highest : lowest);
  add(chosen, count, end - 1);
}

int plot_curve_thin(const plot_curve* curve, int first, int last, int columns, int* chosen) {
  int count = 0;
  if (last - first + 1 <= 4 * columns) {
    for (int i = first; i <= last; i++) chosen[count++] = i;
    return count;
  }
  double start = curve->x[first], width = (curve->x[last] - start) / columns;
  for (int begin = first; begin <= last;) {
    double column = floor((curve->x[begin] - start) / width);
    bool is_gap = !isfinite(curve->y[begin]);
    int end = begin + 1;
    while (end <= last && floor((curve->x[end] - start) / width) == column &&
           !isfinite(curve->y[end]) == is_gap)
      end++;
    if (is_gap)
      add(chosen, &count, begin);
    else
      thin_column(curve, begin, end, chosen, &count);
    begin = end;
  }
  return count;
}
