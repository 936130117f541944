/* Islands dealt out to those who solve them, by sizes alone: the same problem is dealt out the same
 * way whatever the clock says, so that each share's memory is warm when the problem comes again. */
#ifndef CR_SOLVE_ISLAND_SCHEDULE_H
#define CR_SOLVE_ISLAND_SCHEDULE_H

#include "solve/island.h"

typedef struct cr_island_schedule {
  const int* start;  /* [count + 1] into island */
  const int* island; /* [islands] largest first within a share */
  int64_t work;      /* estimate of all islands, see cr_island_work */
  int64_t most_work; /* of a share */
} cr_island_schedule;

/* About the operations of one factorisation of H, from sizes. */
int64_t cr_island_work(const cr_problem* problem, const cr_islands* islands, int index);

/* Deals islands out to `count` shares, each to the one with the least work so far, larger ones
 * first. False when memory ran out. */
bool cr_island_schedule_build(const cr_problem* problem, const cr_islands* islands, int count,
                              cr_arena* arena, cr_island_schedule* schedule);

#endif
