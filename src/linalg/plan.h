/* The tables that the numeric phase walks: supernodes, their rows, and who updates whom where. */
#ifndef CR_LINALG_PLAN_H
#define CR_LINALG_PLAN_H

#include "linalg/cholesky.h"

/* Rows and columns are numbered in the order of elimination, scalar row by scalar row. */
typedef struct cr_supernode {
  int64_t offset;   /* of its panel in the factor */
  int first_row;    /* its first column */
  int width;        /* columns */
  int below;        /* row of the panel where the rows below begin */
  int rows;         /* end of the panel's rows */
  int stride;       /* doubles between the columns of the panel */
  int parent;       /* -1 for a root */
  int first_run;    /* of the rows below, in `run` */
  int first_update; /* of the panels it updates, in `update` */
} cr_supernode;

typedef struct cr_plan {
  int num_supernodes, num_runs, num_updates, num_segments;
  int max_below;                 /* most rows below a panel */
  const cr_supernode* supernode; /* [num_supernodes + 1] children before parents */
  const cr_row_run* run;         /* [num_runs] */
  const cr_update* update;       /* [num_updates] */
  const cr_segment* segment;     /* [num_segments] */
  const int* row;                /* [num_rows] row of the matrix eliminated k-th */
  const int* block_row;          /* [num_blocks] first row of a block in the order of elimination */
  const int* block_parent;       /* [num_blocks] in the elimination tree, a block; -1 for a root */
  const int* block_supernode;    /* [num_blocks] */
} cr_plan;

/* Factors one supernode's panel, from which all its descendants are subtracted; -1, or the matrix's
 * row whose pivot is bad. */
int cr_cholesky_factor_columns(const cr_symbolic* symbolic, cr_precision precision, int supernode,
                               void* factor);

/* Subtracts a factored panel from one that it updates. */
void cr_cholesky_apply_update(const cr_symbolic* symbolic, cr_precision precision, int supernode,
                              int update, void* factor);

/* Factors one supernode's panel, whose descendants are done, and subtracts it from the panels that
 * it updates; -1, or the matrix's row whose pivot is bad. */
int cr_cholesky_factor_panel(const cr_symbolic* symbolic, cr_precision precision, int supernode,
                             void* factor);

#endif
