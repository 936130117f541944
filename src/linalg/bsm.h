/* Block-sparse symmetric matrices: the lower triangle by block columns.
 *
 * A block row holds one to six rows for a free body or a node and any number for a segment of a
 * tree. A pattern is plain data in the caller's memory; values are one array, block after block,
 * each column-major with leading dimension equal to the size of its block row. Diagonal blocks are
 * stored whole (both triangles are written; most readers take the lower one). */
#ifndef CR_LINALG_BSM_H
#define CR_LINALG_BSM_H

#include "base/arena.h"
#include "base/shared.h"

#include <stdint.h>

typedef struct cr_bsm_pattern {
  int num_blocks;         /* block rows */
  int num_rows;           /* scalar rows */
  int num_lower;          /* stored blocks */
  int num_values;         /* doubles in all stored blocks */
  const int* size;        /* [num_blocks] rows of a block row, >= 1 */
  const int* row_start;   /* [num_blocks + 1] first scalar row */
  const int* col_start;   /* [num_blocks + 1] first stored block of a block column */
  const int* row_index;   /* [num_lower] block rows, ascending in a column, the diagonal first */
  const int* value_start; /* [num_lower + 1] first value of a stored block */
} cr_bsm_pattern;

/* Builds a pattern with all diagonal blocks and the given couplings, in any order, repeated or not.
 * @param couplings [num_couplings][2] block indices; equal ones are allowed
 * @return false when memory ran out */
bool cr_bsm_pattern_build(cr_arena* arena, int num_blocks, const int* size, int num_couplings,
                          const int (*couplings)[2], cr_bsm_pattern* pattern);

/* Index of the stored block (max(i, j), min(i, j)), or -1. */
int cr_bsm_find_block(const cr_bsm_pattern* pattern, int i, int j);

/* y = A x */
CR_SHARED void cr_bsm_multiply(const cr_bsm_pattern* pattern, const double* values, const double* x,
                               double* y);

/* Writes both triangles into dense [num_rows, num_rows] column-major. For tests and small dumps. */
void cr_bsm_to_dense(const cr_bsm_pattern* pattern, const double* values, double* dense);

#endif
