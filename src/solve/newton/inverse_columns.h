/* Columns of A^-1 Jᵀ, the velocities that each constraint's impulse makes: B_i = A^-1 J_iᵀ, stored
 * over the blocks that A couples to the constraint's own. Where A is block diagonal these are its
 * own blocks. */
#ifndef CR_SOLVE_INVERSE_COLUMNS_H
#define CR_SOLVE_INVERSE_COLUMNS_H

#include "solve/newton/system.h"

/* Those of a group: a row of `columns` doubles for each of the group's rows. */
typedef struct cr_inverse_columns_group {
  int block_start,
      block_count; /* into cr_inverse_columns.block; the group's own blocks come first */
  int columns;     /* sum of the blocks' sizes */
  int64_t B_start; /* first element in cr_inverse_columns.B */
} cr_inverse_columns_group;

typedef struct cr_inverse_columns {
  cr_inverse_columns_group* group; /* [num_groups] */
  int* block;
  double* B;
  int max_columns;
} cr_inverse_columns;

/* Computes them all into scratch memory of the arena. False when memory ran out. */
bool cr_inverse_columns_init(cr_inverse_columns* inverse, cr_system* system, cr_arena* arena);

/* local [columns] <- the group's part of v, and back. */
void cr_inverse_columns_gather(const cr_inverse_columns* inverse, const cr_problem* problem,
                               int group, const double* v, double* local);
void cr_inverse_columns_scatter(const cr_inverse_columns* inverse, const cr_problem* problem,
                                int group, const double* local, double* v);

#endif
