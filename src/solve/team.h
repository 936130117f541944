/* Those who solve the islands of a problem: a share each, with memory of its own that outlives the
 * solve. Which share an island goes to depends on sizes only (shares.h), and no result on the
 * share, so that the number of threads changes no bit and a warm share takes no memory. */
#ifndef CR_SOLVE_TEAM_H
#define CR_SOLVE_TEAM_H

#include "base/locked.h"
#include "base/tasks.h"
#include "solve/cache.h"

/* What solves one share, one island after the other. */
typedef struct cr_solve_member {
  cr_arena arena;        /* reset for every island */
  cr_solve_cache* cache; /* null: analyses are made afresh */
} cr_solve_member;

struct cr_solve_team {
  carom_allocator allocator;
  cr_locked locked; /* what several members take memory from */
  carom_tasks tasks;
  int threads;        /* that work at the same time, at most */
  int64_t least_work; /* problems with less are solved by the caller alone */
  int count;
  cr_solve_member member[]; /* [count] */
};

/* Makes a team whose members work one after the other until it is given tasks.
 * @param count of members, 1 or more */
cr_solve_team* cr_solve_team_create(const carom_allocator* allocator, int count);
void cr_solve_team_destroy(cr_solve_team* team);

/* Ends a turn of every cache (cache.h), and gives every member's arena the size of the largest:
 * any of them may meet the largest island next. */
void cr_solve_team_turn(cr_solve_team* team);

/* The cache for analyses outside solves. */
cr_solve_cache* cr_solve_team_cache(cr_solve_team* team);

#endif
