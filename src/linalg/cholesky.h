/* Supernodal block Cholesky P A Pᵀ = L Lᵀ of a block-sparse symmetric positive definite matrix.
 *
 * Analysis (ordering, elimination tree, supernodes, panels, update lists) depends on the pattern
 * alone and is kept while the pattern stands. The factor is one array of panels into which the
 * matrix may be assembled in place. Nothing here allocates but the analysis, in the given arena. */
#ifndef CR_LINALG_CHOLESKY_H
#define CR_LINALG_CHOLESKY_H

#include "linalg/bsm.h"
#include "linalg/kernels.h"

/* How the block rows are ordered before elimination. */
typedef enum cr_ordering {
  CR_ORDERING_AUTO,           /* minimum fill, or the better of it and AMD, by size */
  CR_ORDERING_NATURAL,        /* as they stand */
  CR_ORDERING_REVERSE,        /* last to first: no fill for the mass matrix of a tree */
  CR_ORDERING_MINIMUM_DEGREE, /* exact minimum degree on the block graph, for small graphs */
  CR_ORDERING_MINIMUM_FILL,   /* least fill by a bound, for small graphs */
  CR_ORDERING_AMD,            /* approximate minimum degree */
} cr_ordering;

typedef struct cr_symbolic {
  cr_bsm_pattern pattern;         /* as analysed (a copy that lives with the analysis) */
  int64_t factor_size;            /* doubles of the factor */
  double flops;                   /* floating-point operations of one factorisation */
  const int* permutation;         /* [num_blocks] permutation[k] = block eliminated k-th */
  const cr_factor_target* target; /* [num_lower] of every stored block, in the pattern's order */
  int scratch_size;               /* doubles of scratch that factor and substitutions may use */
  const void* plan;               /* the module's own tables */
  const cr_kernels* kernels;      /* the best of this machine; another may be put here */
  size_t memory_size;             /* bytes of the analysis: one contiguous, relocatable block */
} cr_symbolic;

/* Analyses a pattern. On success the whole analysis is one contiguous block of the arena.
 * @return false when memory ran out */
bool cr_symbolic_analyze(const cr_bsm_pattern* pattern, cr_ordering ordering, cr_arena* arena,
                         cr_symbolic* symbolic);

/* The same with an order of one's own.
 * @param order [num_blocks] block eliminated k-th */
bool cr_symbolic_analyze_ordered(const cr_bsm_pattern* pattern, const int* order, cr_arena* arena,
                                 cr_symbolic* symbolic);

/* Copies an analysis into another arena (one memcpy and a relocation). */
bool cr_symbolic_copy(const cr_symbolic* symbolic, cr_arena* arena, cr_symbolic* copy);

/* True when the analysis is one of this very pattern. */
bool cr_symbolic_matches(const cr_symbolic* symbolic, const cr_bsm_pattern* pattern);

/* Sets the factor's array to the matrix (zeros elsewhere). */
void cr_cholesky_load(const cr_symbolic* symbolic, const double* values, double* factor);

/* Factors in place what was loaded or assembled through `target`. A NaN or an infinity in the
 * matrix makes a pivot fail; none gets into a factor that is reported good.
 * @param factor [factor_size], best aligned to CR_ALIGNMENT
 * @param scratch [scratch_size], not used by today's kernels
 * @return -1, or the first scalar row (in the matrix's own order) whose pivot is not a positive
 *         normal number; the factor is then unusable */
int cr_cholesky_factor(const cr_symbolic* symbolic, double* factor, double* scratch);

/* The same in single precision: half the memory and about half the time, for a factor whose
 * solutions have a relative error of some 1e-7 times the matrix's condition number.
 * @param factor [factor_size] */
int cr_cholesky_factor_single(const cr_symbolic* symbolic, float* factor);

/* The factor of a part of a matrix that is coupled to nothing else of it, from the factor of the
 * whole: its panels stand there as they are.
 * @param blocks [blocks of the part] their places in the whole, ascending
 * @return false where the two analyses, which may have chosen different orders, have different
 *         panels; the factor of the part is then undefined */
bool cr_cholesky_extract(const cr_symbolic* whole, const double* factor, const cr_symbolic* part,
                         const int* blocks, double* part_factor);

/* The other way round: writes the factor of such a part, whose blocks are neighbours in the whole,
 * into the factor of the whole, of which all parts together are everything.
 * @param first_block where the part's blocks begin in the whole
 * @return as cr_cholesky_extract */
bool cr_cholesky_insert(const cr_symbolic* part, const double* part_factor,
                        const cr_symbolic* whole, int first_block, double* factor);

/* Solves A X = B in place. X [num_rows, num_rhs] column-major with leading dimension ldx. A
 * solution has the same bits whether it is computed alone or with others. */
void cr_cholesky_solve(const cr_symbolic* symbolic, const double* factor, double* X, int num_rhs,
                       int ldx, double* scratch);

/* Solves A x = b in place with a factor in single precision. The right-hand side is scaled by its
 * largest element, so that its size does not matter; an element that is not finite spoils all. */
void cr_cholesky_solve_single(const cr_symbolic* symbolic, const float* factor, double* x,
                              double* scratch);

/* The halves of a solution: X <- L⁻¹ P X, and x <- Pᵀ L⁻ᵀ x. */
void cr_cholesky_solve_forward(const cr_symbolic* symbolic, const double* factor, double* X,
                               int num_rhs, int ldx, double* scratch);
void cr_cholesky_solve_backward(const cr_symbolic* symbolic, const double* factor, double* x,
                                double* scratch);

/* xᵀ A⁻¹ x = |L⁻¹ x|², by the forward substitution alone. */
double cr_cholesky_inverse_norm2(const cr_symbolic* symbolic, const double* factor, const double* x,
                                 double* scratch);

#endif
