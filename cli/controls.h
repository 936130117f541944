/* Controls and poses of mocap bodies over time from a table: a header row "time,NAME,...", then
 * numbers; linear between rows, constant before the first and after the last. */
#ifndef CLI_CONTROLS_H
#define CLI_CONTROLS_H

#include "carom/sim.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_controls {
  int num_columns, num_rows;
  int* target; /* [num_columns] a control; num_controls + k: number k of `poses` */
  int num_controls;
  int num_mocaps; /* of the model, where a column moves one, else 0 */
  int* body;      /* [num_mocaps] */
  double* poses;  /* [7 num_mocaps] */
  double* time;   /* [num_rows] s, ascending */
  double* values; /* [num_rows, num_columns] */
  bool has_begun; /* cli_motion_apply has put the bodies where the table starts */
} cli_controls;

/* Reads a table for the controls of a model, and for its mocap bodies: BODY.x, .y, .z and, of the
 * quaternion, .qw, .qx, .qy, .qz.
 * @return CAROM_ERROR_FILE or CAROM_ERROR_BAD_INPUT with a sentence that names file, line, column
 */
carom_status cli_controls_load(const char* path, const carom_model* model, cli_controls* controls,
                               carom_error* error);

/* The same of an open file, from where it stands. */
carom_status cli_controls_read(FILE* file, const char* path, const carom_model* model,
                               cli_controls* controls, carom_error* error);

void cli_controls_free(cli_controls* controls);

/* Sets the controls and poses of the simulation's time; what has no column stays. */
carom_status cli_controls_apply(const cli_controls* controls, carom_sim* sim, carom_error* error);

/* The same, but for mocap bodies, which move within the step to where the table has them at its
 * end, and carry along what touches them. The first call puts them where it has them now. */
carom_status cli_motion_apply(cli_controls* controls, carom_sim* sim, carom_error* error);

#endif
