/* Memory of those who solve islands; see team.h. */
#include "solve/schedule/team.h"

/* Work (shares.h) below which a second thread does not pay: islands that start from a good guess
 * take 2 ns for each unit, and to wake a thread takes 40 us, which one half of the work must hide
 * (bench/sim/bench_islands.c with a bound of 0). */
#define LEAST_WORK 50000

/* Analyses kept, over all members where these are not many. */
#define MOST_ANALYSES 4096

static size_t size_of_team(int count) {
  return sizeof(cr_solve_team) + sizeof(cr_solve_member) * (size_t)count;
}

cr_solve_team* cr_solve_team_create(const carom_allocator* allocator, int count) {
  carom_allocator resolved = cr_allocator_resolve(allocator);
  cr_solve_team* team = cr_alloc_zero(&resolved, size_of_team(count));
  if (!team) return NULL;
  team->allocator = resolved;
  team->count = count;
  team->threads = 1;
  team->least_work = LEAST_WORK;
  cr_locked_init(&team->locked, &resolved);
  carom_allocator shared = count > 1 ? cr_locked_allocator(&team->locked) : resolved;
  int entries = count > 16 ? MOST_ANALYSES / 16 : MOST_ANALYSES / count;
  bool done = true;
  for (int i = 0; i < count; i++) {
    cr_arena_init(&team->member[i].arena, &shared);
    team->member[i].cache = cr_solve_cache_create(&shared, entries);
    done = done && team->member[i].cache;
  }
  if (done) return team;
  cr_solve_team_destroy(team);
  return NULL;
}

void cr_solve_team_destroy(cr_solve_team* team) {
  if (!team) return;
  for (int i = 0; i < team->count; i++) {
    cr_arena_destroy(&team->member[i].arena);
    cr_solve_cache_destroy(team->member[i].cache);
  }
  cr_locked_destroy(&team->locked);
  carom_allocator allocator = team->allocator;
  cr_release(&allocator, team, size_of_team(team->count));
}

void cr_solve_team_turn(cr_solve_team* team) {
  size_t largest = 0;
  for (int i = 0; i < team->count; i++) {
    cr_solve_member* member = &team->member[i];
    cr_solve_cache_turn(member->cache);
    cr_arena_reset(&member->arena);
    if (member->arena.capacity > largest) largest = member->arena.capacity;
  }
  for (int i = 0; i < team->count; i++) cr_arena_reserve(&team->member[i].arena, largest);
}

cr_solve_cache* cr_solve_team_cache(cr_solve_team* team) { return team->member[0].cache; }

int cr_solve_team_count_parts(const cr_solve_team* team, int count, int least) {
  int most = count / (least > 0 ? least : 1);
  if (team->threads == 1 || most < 2) return 1;
  return most < team->count ? most : team->count;
}

typedef struct job {
  cr_solve_team* team;
  cr_solve_team_part* part;
  void* data;
  int parts, count;
  _Atomic bool has_failed;
} job;

static void run_part(void* data, int index) {
  job* j = data;
  cr_arena* arena = &j->team->member[index].arena;
  int first = (int)((int64_t)j->count * index / j->parts);
  int end = (int)((int64_t)j->count * (index + 1) / j->parts);
  cr_arena_reset(arena);
  if (!j->part(j->data, index, first, end, arena)) j->has_failed = true;
}

bool cr_solve_team_work(cr_solve_team* team, int parts, int count, cr_solve_team_part* part,
                        void* data, cr_arena* arena) {
  if (parts == 1) return part(data, 0, 0, count, arena);
  job j = {team, part, data, parts, count, false};
  cr_tasks_run(&team->tasks, parts, run_part, &j);
  for (int i = 0; i < parts; i++)
    if (team->member[i].arena.failed) arena->failed = true;
  return !j.has_failed && !arena->failed;
}
