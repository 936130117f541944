/* Dealing islands out, largest first (Graham's rule: at most 4/3 of the best longest share).
 *
 * Largest first to within an eighth of the size, in time linear in the number of islands; of equal
 * ones the first comes first. */
#include "solve/schedule/island_schedule.h"

#include <string.h>

/* Classes of sizes: eight to an octave, in descending order. */
enum { NUM_CLASSES = 64 * 8 };

static int class_of_work(int64_t work) {
  int shift = 0;
  while (work >> shift >= 16) shift++;
  return NUM_CLASSES - 1 - (shift * 8 + (int)(work >> shift));
}

int64_t cr_island_work(const cr_problem* problem, const cr_islands* islands, int index) {
  int64_t work = 0;
  for (int k = islands->block_start[index]; k < islands->block_start[index + 1]; k++) {
    int64_t size = problem->pattern.size[islands->block[k]];
    work += size * size * size;
  }
  for (int k = islands->group_start[index]; k < islands->group_start[index + 1]; k++) {
    const cr_problem_group* g = &problem->group[islands->group[k]];
    work += (int64_t)g->row_count * g->stride * g->stride;
  }
  return work;
}

/* A few islands by class, in their order within one, by insertion. */
static void sort_few(const int64_t* work, int count, int* sorted) {
  for (int i = 0; i < count; i++) {
    int own = class_of_work(work[i]), k = i;
    for (; k > 0 && class_of_work(work[sorted[k - 1]]) > own; k--) sorted[k] = sorted[k - 1];
    sorted[k] = i;
  }
}

/* The same for any number. */
static void sort_by_work(const int64_t* work, int count, int* sorted) {
  if ((int64_t)count * count <= NUM_CLASSES) {
    sort_few(work, count, sorted);
    return;
  }
  int start[NUM_CLASSES + 1] = {0};
  for (int i = 0; i < count; i++) start[class_of_work(work[i]) + 1]++;
  for (int c = 0; c < NUM_CLASSES; c++) start[c + 1] += start[c];
  for (int i = 0; i < count; i++) sorted[start[class_of_work(work[i])]++] = i;
}

static int find_least(const int64_t* load, int count) {
  int least = 0;
  for (int s = 1; s < count; s++)
    if (load[s] < load[least]) least = s;
  return least;
}

bool cr_island_schedule_build(const cr_problem* problem, const cr_islands* islands, int count,
                              cr_arena* arena, cr_island_schedule* schedule) {
  int* start = CR_PUSH(arena, int, count + 1);
  int* island = CR_PUSH(arena, int, islands->count);
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  int64_t* work = CR_SCRATCH(arena, int64_t, islands->count);
  int64_t* load = CR_SCRATCH(arena, int64_t, count);
  int* sorted = CR_SCRATCH(arena, int, islands->count);
  int* share = CR_SCRATCH(arena, int, islands->count); /* by place in `sorted` */
  int* next = CR_SCRATCH(arena, int, count);
  if (arena->failed) return false;
  *schedule = (cr_island_schedule){.start = start, .island = island};
  for (int i = 0; i < islands->count; i++)
    schedule->work += work[i] = cr_island_work(problem, islands, i);
  sort_by_work(work, islands->count, sorted);
  memset(load, 0, sizeof(int64_t) * (size_t)count);
  memset(start, 0, sizeof(int) * (size_t)(count + 1));
  for (int k = 0; k < islands->count; k++) {
    share[k] = find_least(load, count);
    load[share[k]] += work[sorted[k]];
    if (load[share[k]] > schedule->most_work) schedule->most_work = load[share[k]];
    start[share[k] + 1]++;
  }
  for (int s = 0; s < count; s++) next[s] = start[s], start[s + 1] += start[s];
  for (int k = 0; k < islands->count; k++) island[next[share[k]]++] = sorted[k];
  cr_arena_pop_scratch(arena, mark);
  return true;
}
