/* The factorisation of one matrix by several threads, with the bits of one thread.
 *
 * A task takes panels from a common list, the farthest from the root first. A panel takes what its
 * descendants subtract from it in their order, waits for one that is not done, and is factored.
 * Everything that a panel waits for stands before it in the list, and was taken by a task that
 * runs: the tasks end however many of them run at the same time, one after the other included. */
#ifndef CR_LINALG_PARALLEL_H
#define CR_LINALG_PARALLEL_H

#include "base/tasks.h"
#include "linalg/cholesky.h"

/* What a panel receives. */
typedef struct cr_incoming {
  int source, update;
} cr_incoming;

/* The list and what it takes to work it off, for one analysis. */
typedef struct cr_schedule {
  const int* order;            /* [supernodes] as they are taken */
  const int* start;            /* [supernodes + 1] into incoming */
  const cr_incoming* incoming; /* by panel, in ascending order of the source */
  _Atomic int* is_done;        /* [supernodes] */
} cr_schedule;

/* @return false when memory ran out */
bool cr_schedule_build(const cr_symbolic* symbolic, cr_arena* arena, cr_schedule* schedule);

/* Factors what was loaded or assembled.
 * @param factor as for cr_cholesky_factor, or for cr_cholesky_factor_single
 * @param count of tasks
 * @return as cr_cholesky_factor */
int cr_cholesky_factor_parallel(const cr_symbolic* symbolic, cr_precision precision, void* factor,
                                const cr_schedule* schedule, const carom_tasks* tasks, int count);

#endif
