/* Controls over time from a table: a header row "time,NAME,...", then numbers; linear between rows,
 * constant before the first and after the last. */
#ifndef CLI_CONTROLS_H
#define CLI_CONTROLS_H

#include "carom/sim.h"

typedef struct cli_controls {
  int num_columns, num_rows;
  int* actuator;  /* [num_columns] */
  double* time;   /* [num_rows] s, ascending */
  double* values; /* [num_rows, num_columns] */
} cli_controls;

/* Reads a table for the actuators of a model.
 * @return CAROM_ERROR_FILE or CAROM_ERROR_BAD_INPUT with a sentence that names file, line, column
 */
carom_status cli_controls_load(const char* path, const carom_model* model, cli_controls* controls,
                               carom_error* error);

void cli_controls_free(cli_controls* controls);

/* Writes the controls of a time; those of actuators without a column stay. */
void cli_controls_apply(const cli_controls* controls, double time, double* ctrl);

#endif
