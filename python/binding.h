/* What the Python package needs beside the public interface: many steps in one call, and the
 * program.
 */
#ifndef CAROM_PYTHON_BINDING_H
#define CAROM_PYTHON_BINDING_H

#include "carom/record.h"

/* What several steps did together. */
typedef struct carom_python_totals {
  int steps;        /* taken; the last may have failed */
  int failed_steps; /* that failed, or were taken again after a failure */
  double residual;  /* largest */
} carom_python_totals;

/* How long and with whom several steps are taken. */
typedef struct carom_python_run {
  int count;                /* steps, at most */
  double seconds;           /* of wall time after which the call returns */
  carom_recorder* recorder; /* takes every step; may be null */
} carom_python_run;

/* Takes steps until one fails.
 * @param totals is added to; @param report of the last step */
carom_status carom_python_step(carom_sim* sim, const carom_python_run* run,
                               carom_python_totals* totals, carom_step_report* report,
                               carom_error* error);

/* The command line, as `carom` takes it; returns the exit code. */
int carom_python_main(int argc, char** argv);

#endif
