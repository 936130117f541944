#include "solve/prepare.h"

cr_solve_preparation* cr_solve_prepare(const cr_problem* problem, cr_arena* arena) {
  cr_solve_preparation* prepared = CR_PUSH(arena, cr_solve_preparation, 1);
  if (!prepared || !cr_islands_find(problem, arena, &prepared->islands)) return NULL;
  prepared->is_whole = cr_islands_is_whole(&prepared->islands, problem);
  if (!prepared->is_whole) return prepared;
  if (!cr_system_prepare(&prepared->system, problem, NULL, arena)) return NULL;
  cr_system_lay_out_A(&prepared->system); /* which solves at a time may copy */
  return prepared;
}
