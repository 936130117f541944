/* The order in which a large island's blocks are eliminated, kept from solve to solve: what changes
 * of the contacts in a step hardly matters to it, so that it needs not be found anew, and with time
 * a better one is found than a step could pay for. */
#ifndef CR_SOLVE_ORDER_H
#define CR_SOLVE_ORDER_H

#include "solve/schedule/cache.h"

/* What is kept of a block. The bits of solutions depend on it. Zero: nothing is known. */
typedef struct cr_order_record {
  int rank;         /* its place in the order of its island, from 1 on; 0: none */
  int tries;        /* since the order was made, to make it better */
  int wait;         /* solves until there are more of them */
  float operations; /* of a factor when the order was made, or became better */
} cr_order_record;

/* Whether orders of so many blocks are kept. */
bool cr_order_is_kept(int num_blocks);

/* Whether a record may be that of one of so many blocks. */
bool cr_order_is_valid(const cr_order_record* record, int num_blocks);

/* The analysis of H in the order that is kept; where there is none, or others are better since, in
 * the one that AUTO stands for. Tries to make it better now and then.
 * @param record [pattern->num_blocks] receives the order
 * @param cache null: the analysis is made afresh
 * @return false when memory ran out */
bool cr_order_analyze(const cr_bsm_pattern* pattern, cr_order_record* record, cr_solve_cache* cache,
                      cr_arena* arena, cr_symbolic* symbolic);

#endif
