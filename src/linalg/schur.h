/* Schur complements: what is left of a matrix when some of its blocks are eliminated.
 *
 * The kept blocks are eliminated last. The factor is one of the whole matrix and solves with it
 * too; its kept part L_kk gives S = A_kk - A_ke A_ee^-1 A_ek = L_kk L_kkᵀ. */
#ifndef CR_LINALG_SCHUR_H
#define CR_LINALG_SCHUR_H

#include "linalg/cholesky.h"

/* Analyses a pattern with its kept blocks last.
 * @param order [num_blocks] in which the others are eliminated; the kept ones may stand anywhere
 * @param is_kept [num_blocks] not 0: kept
 * @return false when memory ran out */
bool cr_schur_analyze(const cr_bsm_pattern* pattern, const int* order, const int* is_kept,
                      cr_arena* arena, cr_symbolic* symbolic);

/* S of the kept rows from the factor of the whole, both triangles.
 * @param place [num_rows] row in S of a kept row, -1 of the others
 * @param count rows of S
 * @param S [count, stride], stride = count rounded up to a multiple of 4
 * @param arena scratch of as much as S
 * @return false when memory ran out */
bool cr_schur_extract(const cr_symbolic* symbolic, const double* factor, const int* place,
                      int count, cr_arena* arena, double* S);

static inline int cr_schur_stride(int count) { return (count + 3) / 4 * 4; }

#endif
