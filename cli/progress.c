/* The progress line: bar, percentage, simulated time, times real time, time left, contacts. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL 0.1 /* s between two lines */
enum { BAR_WIDTH = 24 };

double cli_wall_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_start(bool quiet, double start, double end) {
  double now = cli_wall_time();
  return (cli_progress){.is_shown = !quiet && isatty(STDERR_FILENO),
                        .start = start,
                        .end = end,
                        .begun = now,
                        .last = now - INTERVAL};
}

/* "1 h 05 min", "3 min 20 s" or "12 s". */
static void format_duration(double seconds, char* text, size_t size) {
  if (!(seconds < 360000))
    snprintf(text, size, "a while");
  else if (seconds >= 3600)
    snprintf(text, size, "%d h %02d min", (int)(seconds / 3600), (int)fmod(seconds / 60, 60));
  else if (seconds >= 60)
    snprintf(text, size, "%d min %02d s", (int)(seconds / 60), (int)fmod(seconds, 60));
  else
    snprintf(text, size, "%.0f s", ceil(seconds));
}

/* Whether the line is to be renewed; then begins it with bar and percentage, and gives the time
 * left. */
static bool begin_line(cli_progress* p, double at, char* left, size_t size) {
  if (!p->is_shown) return false;
  double now = cli_wall_time(), elapsed = now - p->begun;
  if (now - p->last < INTERVAL) return false;
  p->last = now;
  double done = p->end > p->start ? (at - p->start) / (p->end - p->start) : 1;
  char bar[BAR_WIDTH + 1];
  for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(done * BAR_WIDTH) ? '#' : '.';
  bar[BAR_WIDTH] = '\0';
  format_duration(done > 0 ? elapsed * (1 - done) / done : INFINITY, left, size);
  fprintf(stderr, "\r[%s] %3.0f %%  ", bar, 100 * done);
  return true;
}

void cli_progress_update(cli_progress* p, double time, int contacts) {
  char left[32];
  if (!begin_line(p, time, left, sizeof left)) return;
  double elapsed = p->last - p->begun;
  fprintf(stderr, "%.2f of %.6g s, %.3g times real time, %s left", time, p->end,
          elapsed > 0 ? (time - p->start) / elapsed : 0, left);
  if (contacts >= 0) fprintf(stderr, ", %d contacts", contacts);
  fputs("\x1b[K", stderr);
  fflush(stderr);
}

void cli_progress_update_frames(cli_progress* p, int done) {
  char left[32];
  if (!begin_line(p, done, left, sizeof left)) return;
  fprintf(stderr, "%d of %.0f frames, %s left\x1b[K", done, p->end, left);
  fflush(stderr);
}

void cli_progress_finish(const cli_progress* p) {
  if (p->is_shown) fputs("\r\x1b[K", stderr);
}
