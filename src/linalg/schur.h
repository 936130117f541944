/* Schur complements: what is left of a matrix when some of its blocks are eliminated.
 *
 * The kept blocks are eliminated last. When only they are left to be factored, their panels hold
 * S = A_kk - A_ke A_ee^-1 A_ek. The factor is one of the whole matrix and solves with it too. */
#ifndef CR_LINALG_SCHUR_H
#define CR_LINALG_SCHUR_H

#include "linalg/cholesky.h"

/* Analyses a pattern with its kept blocks last.
 * @param order [num_blocks] in which the others are eliminated; the kept ones may stand anywhere
 * @param is_kept [num_blocks] not 0: kept
 * @return false when memory ran out */
bool cr_schur_analyze(const cr_bsm_pattern* pattern, const int* order, const int* is_kept,
                      cr_arena* arena, cr_symbolic* symbolic);

/* Factors in place what was loaded (cr_cholesky_load), and takes S of the kept rows on the way,
 * both triangles.
 * @param symbolic from cr_schur_analyze
 * @param place [num_rows] row in S of a kept row, -1 of the others
 * @param count rows of S
 * @param factor see cr_cholesky_factor
 * @param S [count, stride], stride = cr_schur_stride(count)
 * @return as cr_cholesky_factor */
int cr_schur_factor(const cr_symbolic* symbolic, const int* place, int count, double* factor,
                    double* S);

static inline int cr_schur_stride(int count) { return (count + 3) / 4 * 4; }

#endif
