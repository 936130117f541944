/* Pages in memory, to be served. */
#ifndef LIVE_PAGE_H
#define LIVE_PAGE_H

#include "carom/sim.h"

#include <stddef.h>

typedef struct live_page {
  char* text; /* [size] */
  size_t size;
} live_page;

/* The page of a recording; the exit code, after a sentence where something went wrong. */
int live_page_of_recording(const char* recording, double rate, live_page* page);

/* The page of a simulation as it is now, which goes on to show what a server tells it. */
carom_status live_page_of_sim(carom_sim* sim, live_page* page, carom_error* error);

void live_page_free(live_page* page);

#endif
