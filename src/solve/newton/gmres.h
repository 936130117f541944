/* GMRES without restart for a small operator given by its action. */
#ifndef CR_SOLVE_GMRES_H
#define CR_SOLVE_GMRES_H

#include "base/arena.h"

/* A square matrix by its action y = M x. */
typedef struct cr_operator {
  int size;
  void (*apply)(void* context, const double* x, double* y);
  void* context;
} cr_operator;

/* Solves M x = b.
 * @param tolerance on |M x - b|, absolute
 * @param max_iterations more than the size are not needed; each keeps a vector in memory
 * @param x [size] holds b on entry and the solution on return
 * @param arena scratch
 * @return iterations taken; 0 where |b| is within the tolerance (x is zero then); -1 when memory
 *         ran out */
int cr_gmres_solve(const cr_operator* M, double tolerance, int max_iterations, cr_arena* arena,
                   double* x);

#endif
