/* A line on stderr that shows how far a command is, where stderr is a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct cli_progress {
  bool is_shown;
  double start, end;  /* s, simulated; of a conversion 0 and the number of frames */
  double begun, last; /* s, wall time: of the command's work, of the last line */
} cli_progress;

/* Wall time, s, from some moment on. */
double cli_wall_time(void);

cli_progress cli_progress_start(bool quiet, double start, double end);

/* Renews the line, a few times a second at most.
 * @param contacts at present; negative: not said */
void cli_progress_update(cli_progress* progress, double time, int contacts);

/* The same for work that goes through frames. */
void cli_progress_update_frames(cli_progress* progress, int done);

/* Clears the line. */
void cli_progress_finish(const cli_progress* progress);

#endif
