/* The numeric phase's tables, made from the supernodes. */
#ifndef CR_LINALG_TABLES_H
#define CR_LINALG_TABLES_H

#include "linalg/cholesky.h"
#include "linalg/plan.h"
#include "linalg/supernodes.h"

/* What the tables are made from. */
typedef struct cr_analysis {
  const cr_bsm_pattern* pattern;
  cr_block_graph graph;
  cr_elimination elimination;
  cr_supernodes supernodes;
} cr_analysis;

/* The tables before they are gathered into one block. */
typedef struct cr_tables {
  cr_plan plan;
  cr_factor_target* target; /* [num_lower] */
  int64_t factor_size;
} cr_tables;

/* Makes the tables on the arena's scratch side.
 * @return false when memory ran out */
bool cr_tables_build(const cr_analysis* analysis, cr_arena* arena, cr_tables* tables);

#endif
