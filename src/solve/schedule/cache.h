/* Analyses of H that outlive a step: a contact graph that stands is analysed once.
 *
 * Two arenas take turns: the analyses used in a step are found in (or made beside) those of the
 * step before and kept; the others are dropped when the turn changes. */
#ifndef CR_SOLVE_CACHE_H
#define CR_SOLVE_CACHE_H

#include "solve/types.h"

/* @param capacity analyses kept per turn; more are made afresh every time */
cr_solve_cache* cr_solve_cache_create(const carom_allocator* allocator, int capacity);
void cr_solve_cache_destroy(cr_solve_cache* cache);

/* Ends a turn: what was not asked for since the last call is dropped. */
void cr_solve_cache_turn(cr_solve_cache* cache);

/* The analysis of a pattern, valid until the next turn but one. False when memory ran out. */
bool cr_solve_cache_analyze(cr_solve_cache* cache, const cr_bsm_pattern* pattern,
                            cr_ordering ordering, cr_arena* arena, cr_symbolic* symbolic);

/* The same for an order that is given.
 * @param order [pattern->num_blocks] block eliminated k-th */
bool cr_solve_cache_analyze_ordered(cr_solve_cache* cache, const cr_bsm_pattern* pattern,
                                    const int* order, cr_arena* arena, cr_symbolic* symbolic);

/* Whether that analysis is there already. */
bool cr_solve_cache_has(const cr_solve_cache* cache, const cr_bsm_pattern* pattern,
                        const int* order);

#endif
