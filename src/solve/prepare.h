/* What all solves of one problem have in common, made once where it is solved again and again: its
 * islands and, where it is a single one, everything of its system that reads no R. */
#ifndef CR_SOLVE_PREPARE_H
#define CR_SOLVE_PREPARE_H

#include "solve/island.h"
#include "solve/newton/system.h"

struct cr_solve_preparation {
  cr_islands islands;
  bool is_whole;    /* one island of all blocks */
  cr_system system; /* of the whole, without working memory; undefined where there are islands */
};

/* Prepares a problem whose A is factored for many solves, between which R alone may change. Null
 * when memory ran out. */
cr_solve_preparation* cr_solve_prepare(const cr_problem* problem, cr_arena* arena);

#endif
