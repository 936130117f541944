/* Independent pieces of work, done by the caller alone, by a pool of threads, or by a host's. */
#ifndef CR_BASE_TASKS_H
#define CR_BASE_TASKS_H

#include "base/alloc.h"

#include "carom/status.h"
#include "carom/tasks.h"

/* Runs task(data, i) for i from 0 to count - 1 under the caller's floating-point environment, so
 * that a thread with another rounding mode computes the same bits.
 * @param tasks null, or without `run`: one after the other, here */
void cr_tasks_run(const carom_tasks* tasks, int count, carom_task* task, void* data);

/* Threads that wait for work. One caller at a time. */
typedef struct cr_threads cr_threads;

/* Starts count - 1 threads: the caller of a run is the last one.
 * @param count 1 or more
 * @return CAROM_ERROR_OUT_OF_MEMORY also where the system starts no more threads */
carom_status cr_threads_create(const carom_allocator* allocator, int count, cr_threads** pool,
                               carom_error* error);

/* Ends the threads; null is allowed. */
void cr_threads_destroy(cr_threads* pool);

/* The hook that runs tasks on the pool, which must outlive it. */
carom_tasks cr_threads_tasks(cr_threads* pool);

#endif
