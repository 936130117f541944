/* Which of many moments, one after another, a rate keeps: the first, and then the first at or after
 * every multiple of 1 / rate. */
#ifndef CR_BASE_PACE_H
#define CR_BASE_PACE_H

#include <math.h>
#include <stdbool.h>

typedef struct cr_pace {
  double start, rate; /* s; 1/s, 0: all are kept */
  double next;        /* moments of the rate that have passed; 0 at the start */
} cr_pace;

/* Whether the next moment is kept. */
static inline bool cr_pace_take(cr_pace* pace, double time) {
  double passed = (time - pace->start) * pace->rate * (1 + 1e-12) + 1e-9;
  if (pace->rate > 0 && passed < pace->next) return false;
  pace->next = floor(passed) + 1;
  return true;
}

#endif
