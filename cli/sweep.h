/* `carom sweep`: runs of a scene with other numbers, as a table whose bytes do not depend on the
 * number of threads, and are those that the Python package's `carom sweep` writes. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "common/error.h"
#include "options.h"
#include "reading.h"

#include "carom/sim.h"

#include <stdio.h>

typedef struct sweep_options {
  const char *scene, *output, *scheme, *keyframe;
  double duration, dt, tolerance; /* dt 0: the scene's */
  int friction, solver, threads;
  cli_texts vary;
  bool quiet;
  cli_reading reading;
} sweep_options;

/* Values of one parameter, or of an option of runs. */
typedef struct sweep_axis {
  char* name;
  int count;
  double* numbers; /* [count]; null: words */
  char** words;    /* [count]; null: numbers */
} sweep_axis;

/* A sweep: all combinations, the last axis varying fastest. */
typedef struct sweep {
  const sweep_options* options;
  carom_model* model;
  sweep_axis axes[CLI_MOST_TEXTS];
  int num_axes, num_points;
  char** rows; /* [num_points] lines of the table, null: not measured yet */
} sweep;

/* Reads NAME=START:STOP:COUNT or NAME=VALUE,VALUE,... of every --vary. */
carom_status sweep_read_axes(sweep* s, carom_error* error);
void sweep_release_axes(sweep* s);

/* Which of an axis's values a point has. */
int sweep_index(const sweep* s, int point, int axis);

/* Writes a number as Python does: the shortest that is read as the same number. */
void sweep_write_number(FILE* file, double number);

/* Compiles the model of a point. */
carom_status sweep_make_model(const sweep* s, int point, carom_model** model, carom_error* error);

/* One run, and its line in the table, to be freed; null where Ctrl-C has ended it. Any number of
 * threads may measure. */
carom_status sweep_measure(const sweep* s, int point, char** row, carom_error* error);

/* The header of the table. */
void sweep_write_header(const sweep* s, FILE* file);

/* Opens FILE.csv.part and takes the rows that it holds into the sweep; what a killed process left
 * unfinished is cut off. A file of another sweep is refused. */
carom_status sweep_open_part(sweep* s, const char* path, FILE** part, carom_error* error);

#endif
