/* Random block-sparse matrices for tests. */
#ifndef CR_TEST_MATRICES_H
#define CR_TEST_MATRICES_H

#include "linalg/bsm.h"
#include "support/check.h"

/* Which blocks are coupled. */
typedef enum matrix_shape {
  SHAPE_SINGLE,       /* one block */
  SHAPE_CHAIN,        /* each with the next */
  SHAPE_ARROW,        /* all with the last */
  SHAPE_ARROW_FIRST,  /* all with the first: natural order fills everything */
  SHAPE_GRID,         /* a square grid */
  SHAPE_RANDOM,       /* about 2.5 couplings a block */
  SHAPE_DISCONNECTED, /* short chains apart */
  SHAPE_FULL,
  SHAPE_CLIQUES, /* overlapping groups, each with all of its own */
  SHAPE_COUNT
} matrix_shape;

/* How many rows the blocks have. */
typedef enum matrix_sizes {
  SIZES_SIX,
  SIZES_THREE,
  SIZES_SMALL, /* 1 to 8 */
  SIZES_TREES, /* mostly 6, some up to 40 */
  SIZES_COUNT,
  SIZES_LARGE = SIZES_COUNT, /* 40 */
} matrix_sizes;

typedef struct matrix_def {
  matrix_shape shape;
  matrix_sizes sizes;
  int num_blocks;
  double stiffness; /* of the couplings against unit masses; sets the condition number */
  uint64_t seed;
} matrix_def;

typedef struct matrix_sample {
  cr_arena arena;
  cr_bsm_pattern pattern;
  double* values; /* [num_values] */
  double* dense;  /* [num_rows, num_rows] column-major, both triangles */
} matrix_sample;

/* Makes a positive definite matrix: unit masses plus one stiff random constraint of three rows for
 * every coupling, like the Hessian of a contact problem. Fails the test when memory runs out. */
void matrix_sample_init(matrix_sample* sample, const matrix_def* def);
void matrix_sample_destroy(matrix_sample* sample);

/* Couplings of a shape: at most matrix_max_couplings(num_blocks). */
int matrix_max_couplings(int num_blocks);
int matrix_fill_couplings(matrix_shape shape, int num_blocks, check_random* random,
                          int (*couplings)[2]);
int matrix_random_size(matrix_sizes sizes, check_random* random);

/* Fails unless every block stands in the order once. */
void matrix_check_order(int num_blocks, const int* order);

/* Rebuilds `dense` from the values. */
void matrix_sample_update_dense(matrix_sample* sample);

/* malloc that fails the test instead of returning null; at least one byte. */
void* check_alloc(size_t size);

#endif
