/* Gram matrices B A⁻¹ Bᵀ of a few rows B that are zero outside a few block rows of A: one forward
 * substitution along the paths of those block rows in the elimination tree. */
#ifndef CR_LINALG_GRAM_H
#define CR_LINALG_GRAM_H

#include "linalg/cholesky.h"

/* Largest number of rows. */
#define CR_GRAM_COLUMNS 4

/* Doubles of scratch for each block of A, beside CR_GRAM_COLUMNS for each row. */
#define CR_GRAM_BLOCK_SCRATCH 5

/* What all Gram matrices over the same block rows share. */
typedef struct cr_gram {
  const cr_symbolic* symbolic;
  const double* factor;
  int num_touched;
  const int* blocks;
  int num_nodes; /* supernodes on the paths; 0 where each block row stands alone */
  const struct cr_gram_node* node;
  const struct cr_panel* panel; /* [num_touched] theirs, where each stands alone */
  double* Y;                    /* [num_rows, CR_GRAM_COLUMNS] */
} cr_gram;

/* @param blocks [num_touched] block rows, any order, none twice; kept
 * @param scratch [symbolic->scratch_size], kept until the last computation */
void cr_gram_init(cr_gram* gram, const cr_symbolic* symbolic, const double* factor, int num_touched,
                  const int* blocks, double* scratch);

/* G = B A⁻¹ Bᵀ.
 * @param B [num_rows, stride] the touched block rows' columns side by side
 * @param num_rows at most CR_GRAM_COLUMNS
 * @param G [num_rows, num_rows] both triangles */
void cr_gram_compute(const cr_gram* gram, const double* B, int num_rows, int stride, double* G);

#endif
