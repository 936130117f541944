/* Half solutions Y = L⁻¹ P B of right-hand sides B with few elements, so that YᵀY = Bᵀ A⁻¹ B.
 *
 * What has elements in few blocks leaves zeros everywhere but in the supernodes on the paths from
 * these blocks to the root of the elimination tree: Y is computed and kept there alone. The other
 * half of a solution, A⁻¹ B c = Pᵀ L⁻ᵀ (Y c), takes a backward substitution. */
#ifndef CR_LINALG_HALF_H
#define CR_LINALG_HALF_H

#include "linalg/cholesky.h"

/* Columns of B with elements in the same blocks. */
typedef struct cr_half_group {
  int columns;  /* 1 to CR_SOLVE_GROUP */
  int first;    /* of all */
  int rows;     /* of its supernodes together */
  int num_path; /* supernodes, children before parents */
  const int* path;
  double* y; /* [rows, columns] */
} cr_half_group;

typedef struct cr_half {
  const cr_symbolic* symbolic;
  cr_precision precision;
  const void* factor;
  double* scratch;
  int most, columns, num_groups;
  cr_half_group* group; /* [most] */
  int *path, *next_path;
  int* head;         /* [num_blocks] */
  double* spare;     /* where the next columns of Y may be kept, */
  int64_t num_spare; /* this many numbers; what does not fit is in the arena's scratch */
  cr_arena* arena;
} cr_half;

/* Takes memory for `most` columns, whatever their blocks, but for Y.
 * @param arena its scratch; kept
 * @return false when memory ran out */
bool cr_half_init(cr_half* half, const cr_symbolic* symbolic, int most, cr_arena* arena);

/* Forgets all columns.
 * @param factor in either precision; kept
 * @param scratch [symbolic->scratch_size], kept
 * @param spare [num_spare] kept, for Y; the arena's scratch serves where it does not do */
void cr_half_start(cr_half* half, cr_precision precision, const void* factor, double* scratch,
                   double* spare, int64_t num_spare);

/* Adds columns to B.
 * @param block [num_blocks] none twice
 * @param values [columns, stride] of each column the elements in these blocks, side by side
 * @return false when memory ran out */
bool cr_half_add(cr_half* half, const int* block, int num_blocks, const double* values, int stride,
                 int columns);

/* G = YᵀY, both triangles, in the rows and columns from that of `first` on, where a call of
 * cr_half_add began.
 * @param G [columns, ld] */
void cr_half_compute_gram(const cr_half* half, int first, double* G, int ld);

/* x = A⁻¹ B c.
 * @param c [columns]
 * @param x [num_rows] */
void cr_half_solve(const cr_half* half, const double* c, double* x);

#endif
