/* Incomplete block Cholesky without fill, A ~ Lᵀ D L, as a preconditioner.
 *
 * Blocks are eliminated last to first, like CR_ORDERING_REVERSE, and what falls outside of the
 * pattern is dropped: where nothing does, as in the mass matrix of a tree, it is A's own factor. */
#ifndef CR_LINALG_INCOMPLETE_H
#define CR_LINALG_INCOMPLETE_H

#include "linalg/bsm.h"

typedef struct cr_incomplete {
  const cr_bsm_pattern* pattern; /* borrowed */
  const int* row_first;          /* [num_blocks + 1] first block left of the diagonal, of a row */
  const int* column;             /* [row_first[num_blocks]] ascending in a row */
  const int* source;             /* the same block in the pattern */
  const int* L_start;            /* first value of it */
  const int* D_start;            /* [num_blocks] first value of a diagonal block */
  double* L;                     /* blocks like those of the pattern */
  double* D_inverse;             /* [size, size] each, both triangles */
  double* row;                   /* scratch: blocks of a row of L, or a block row of a vector */
} cr_incomplete;

/* Takes the arrays from the arena's scratch side. False when memory ran out. */
bool cr_incomplete_init(const cr_bsm_pattern* pattern, cr_arena* arena, cr_incomplete* incomplete);

/* Factors a positive definite matrix. A pivot that dropping has made smaller than that of the whole
 * factor can be is taken from A's own diagonal block.
 * @param least [num_rows] A less the diagonal matrix of these is positive semi-definite; 0 does
 * @return false when a diagonal block of A is not positive definite */
bool cr_incomplete_factor(cr_incomplete* incomplete, const double* values, const double* least);

/* x <- (Lᵀ D L)^-1 x of the first `num_blocks` blocks, to which no others are coupled, or of all.
 */
void cr_incomplete_solve(const cr_incomplete* incomplete, int num_blocks, double* x);

#endif
