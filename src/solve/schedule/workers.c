/* Memory of those who solve islands; see workers.h. */
#include "solve/schedule/workers.h"

#include "solve/tuning.h"

static size_t size_of_workers(int count) {
  return sizeof(cr_solve_workers) + sizeof(cr_solve_worker) * (size_t)count;
}

cr_solve_workers* cr_solve_workers_create(const carom_allocator* allocator, int count) {
  carom_allocator resolved = cr_allocator_resolve(allocator);
  cr_solve_workers* workers = cr_alloc_zero(&resolved, size_of_workers(count));
  if (!workers) return NULL;
  workers->allocator = resolved;
  workers->count = count;
  workers->threads = 1;
  workers->least_work = CR_LEAST_WORK;
  cr_locked_init(&workers->locked, &resolved);
  carom_allocator shared = count > 1 ? cr_locked_allocator(&workers->locked) : resolved;
  int entries = count > 16 ? CR_MOST_ANALYSES / 16 : CR_MOST_ANALYSES / count;
  bool done = true;
  for (int i = 0; i < count; i++) {
    cr_arena_init(&workers->worker[i].arena, &shared);
    workers->worker[i].cache = cr_solve_cache_create(&shared, entries);
    done = done && workers->worker[i].cache;
  }
  if (done) return workers;
  cr_solve_workers_destroy(workers);
  return NULL;
}

void cr_solve_workers_destroy(cr_solve_workers* workers) {
  if (!workers) return;
  for (int i = 0; i < workers->count; i++) {
    cr_arena_destroy(&workers->worker[i].arena);
    cr_solve_cache_destroy(workers->worker[i].cache);
  }
  cr_locked_destroy(&workers->locked);
  carom_allocator allocator = workers->allocator;
  cr_release(&allocator, workers, size_of_workers(workers->count));
}

void cr_solve_workers_turn(cr_solve_workers* workers) {
  size_t largest = 0;
  for (int i = 0; i < workers->count; i++) {
    cr_solve_worker* worker = &workers->worker[i];
    cr_solve_cache_turn(worker->cache);
    cr_arena_reset(&worker->arena);
    if (worker->arena.capacity > largest) largest = worker->arena.capacity;
  }
  for (int i = 0; i < workers->count; i++) cr_arena_reserve(&workers->worker[i].arena, largest);
}

cr_solve_cache* cr_solve_workers_cache(cr_solve_workers* workers) {
  return workers->worker[0].cache;
}

int cr_solve_workers_count_parts(const cr_solve_workers* workers, int count, int least) {
  int most = count / (least > 0 ? least : 1);
  if (workers->threads == 1 || most < 2) return 1;
  return most < workers->count ? most : workers->count;
}

typedef struct job {
  cr_solve_workers* workers;
  cr_solve_workers_part* part;
  void* data;
  int parts, count;
  _Atomic bool has_failed;
} job;

static void run_part(void* data, int index) {
  job* j = data;
  cr_arena* arena = &j->workers->worker[index].arena;
  int first = (int)((int64_t)j->count * index / j->parts);
  int end = (int)((int64_t)j->count * (index + 1) / j->parts);
  cr_arena_reset(arena);
  if (!j->part(j->data, index, first, end, arena)) j->has_failed = true;
}

bool cr_solve_workers_run(cr_solve_workers* workers, int parts, int count,
                          cr_solve_workers_part* part, void* data, cr_arena* arena) {
  if (parts == 1) return part(data, 0, 0, count, arena);
  job j = {workers, part, data, parts, count, false};
  cr_tasks_run(&workers->tasks, parts, run_part, &j);
  for (int i = 0; i < parts; i++)
    if (workers->worker[i].arena.failed) arena->failed = true;
  return !j.has_failed && !arena->failed;
}
