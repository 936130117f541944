/* The table that `carom run --csv` writes: a header row, time first. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "carom/sim.h"

typedef struct cli_table cli_table;

typedef struct cli_table_options {
  double rate;          /* rows per simulated second; 0: every step */
  bool joint_reactions; /* what passes through joints, too */
} cli_table_options;

/* Creates the file and writes the header and the present state. */
carom_status cli_table_create(const char* path, carom_sim* sim, const cli_table_options* options,
                              cli_table** table, carom_error* error);

/* Takes the state after a step. */
void cli_table_append(cli_table* table, carom_sim* sim, const carom_step_report* report);

/* Writes the last state if the rate left it out, and closes; null is allowed. */
carom_status cli_table_close(cli_table* table, carom_sim* sim, carom_error* error);

#endif
