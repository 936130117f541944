/* Those who solve the islands of a problem, and work off other lists of a step: a share each, with
 * memory of its own that outlives the solve. Which share an island goes to depends on sizes only
 * (island_schedule.h), and no result on the share, so that the number of threads changes no bit and
 * a warm share takes no memory. */
#ifndef CR_SOLVE_WORKERS_H
#define CR_SOLVE_WORKERS_H

#include "base/locked.h"
#include "base/tasks.h"
#include "solve/schedule/cache.h"

/* What solves one share, one island after the other. */
typedef struct cr_solve_worker {
  cr_arena arena;        /* reset for every island */
  cr_solve_cache* cache; /* null: analyses are made afresh */
} cr_solve_worker;

struct cr_solve_workers {
  carom_allocator allocator;
  cr_locked locked; /* what several workers take memory from */
  carom_tasks tasks;
  int threads;        /* that work at the same time, at most */
  int64_t least_work; /* problems with less are solved by the caller alone */
  int count;
  cr_solve_worker worker[]; /* [count] */
};

/* Makes workers who work one after the other until they are given tasks.
 * @param count of workers, 1 or more */
cr_solve_workers* cr_solve_workers_create(const carom_allocator* allocator, int count);
void cr_solve_workers_destroy(cr_solve_workers* workers);

/* Ends a turn of every cache (cache.h), and gives every worker's arena the size of the largest:
 * any of them may meet the largest island next. */
void cr_solve_workers_turn(cr_solve_workers* workers);

/* The cache for analyses outside solves. */
cr_solve_cache* cr_solve_workers_cache(cr_solve_workers* workers);

/* --- Other work on lists ------------------------------------------------------------------------
 *
 * A list is cut into parts of equal length, whose number depends on the workers and the list alone.
 */

/* Work on the items [first, end) of a list, the part `index` of it.
 * @param arena a worker's, empty; what it holds afterwards stays until the workers work again
 * @return false where it fails */
typedef bool cr_solve_workers_part(void* data, int index, int first, int end, cr_arena* arena);

/* The parts of a list of `count` items, no more than workers: 1 where there is one thread, or
 * not two parts of at least `least` items. */
int cr_solve_workers_count_parts(const cr_solve_workers* workers, int count, int least);

/* Does the work on all parts, side by side; a part alone is done here, in the caller's arena.
 * @param parts of cr_solve_workers_count_parts
 * @return false where one failed; the caller's arena has failed where memory ran out */
bool cr_solve_workers_run(cr_solve_workers* workers, int parts, int count,
                          cr_solve_workers_part* part, void* data, cr_arena* arena);

#endif
