/* `carom view` without a file to write: a page served to a browser, of a recording or of a
 * simulation that goes on. */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "session.h"

/* How a page is served. */
typedef struct live_options {
  const char* address;
  int port;   /* 0: any free one */
  bool opens; /* a browser */
} live_options;

/* Serves the page of a recording until a signal comes.
 * @param rate frames per simulated second at most; 0: all
 * @return exit code, after a sentence where something went wrong */
int live_show_recording(const live_options* options, const char* recording, double rate);

/* Simulates a scene and shows it, likewise. The simulation rests while nobody watches. */
int live_show_scene(const live_options* options, const live_session_def* def);

#endif
