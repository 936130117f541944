/* Building a problem constraint by constraint: whoever assembles one adds constraints in any order,
 * and finish() puts those over the same blocks side by side. */
#ifndef CR_PROBLEM_ASSEMBLY_H
#define CR_PROBLEM_ASSEMBLY_H

#include "problem/problem.h"

/* Room for what will be added; upper bounds. */
typedef struct cr_assembly_capacity {
  int constraints, rows;
  int block_references; /* sum over constraints of the blocks they touch */
  int64_t J;            /* doubles: sum over constraints of rows times padded columns */
} cr_assembly_capacity;

/* A constraint as added. */
typedef struct cr_assembly_item {
  int kind;
  int block_start, block_count;
  int row; /* first row, in the order of addition */
  int columns, stride;
  int64_t J_start;
  int group;
  double parameter[2];
} cr_assembly_item;

typedef struct cr_assembly {
  const cr_bsm_pattern* pattern;
  cr_assembly_capacity capacity;
  int num_items, num_rows, num_block_references;
  int64_t num_J;
  cr_assembly_item* item;
  int* block;
  double *J, *R, *v_hat;
} cr_assembly;

/* The padded length of a Jacobian row. */
static inline int cr_assembly_stride(int columns) { return (columns + 3) / 4 * 4; }

/* False when memory ran out. Everything lives in the arena. */
bool cr_assembly_init(cr_assembly* assembly, const cr_bsm_pattern* pattern,
                      const cr_assembly_capacity* capacity, cr_arena* arena);

/* What the caller fills after adding a constraint; rows are [stride] apart, zeroed. */
typedef struct cr_assembly_rows {
  double* J;     /* [rows, stride] columns are the given blocks side by side */
  double* R;     /* [rows] zeroed */
  double* v_hat; /* [rows] zeroed */
  int stride;
} cr_assembly_rows;

/* Adds a constraint over `blocks` (ascending). */
cr_assembly_rows cr_assembly_add(cr_assembly* assembly, cr_law_kind kind, const int* blocks,
                                 int block_count, double parameter0, double parameter1);

/* Groups the constraints and completes the constraint part of a problem.
 * @param order [num_items] receives, for each constraint of the problem, its place in the order of
 *              addition
 * @return false when memory ran out */
bool cr_assembly_finish(cr_assembly* assembly, cr_arena* arena, cr_problem* problem, int** order);

#endif
