/* Dense matrices 1 + s LᵀXL of the active constraints of S, with blocks L of a matrix G = L Lᵀ that
 * has one for each constraint, and a symmetric X. */
#ifndef CR_SOLVE_ELIMINATION_MATRIX_H
#define CR_SOLVE_ELIMINATION_MATRIX_H

#include "solve/newton/elimination_set.h"

typedef struct cr_elimination_matrix {
  const cr_elimination* x; /* whose memory->M holds the factor */
  int count, rows;
  int row[CR_ELIMINATION_ROWS], size[CR_ELIMINATION_ROWS]; /* [count] of a constraint */
  double L[CR_ELIMINATION_ROWS * CR_LAW_MAX_ROWS];         /* [rows, ld] */
} cr_elimination_matrix;

/* Lists the active constraints, without any L. */
void cr_elimination_matrix_init(cr_elimination_matrix* m, const cr_elimination* x,
                                const cr_elimination_active* list);

/* The block L of a constraint [size, size]. */
static inline double* cr_elimination_matrix_get_L(cr_elimination_matrix* m, int k) {
  return m->L + m->x->system->problem->ld * m->row[k];
}

/* Factors 1 + sign LᵀXL; false where it is not positive definite, which round-off alone can bring
 * about.
 * @param X [rows, rows] */
bool cr_elimination_matrix_factor(cr_elimination_matrix* m, double sign, const double* X);

/* y <- Lᵀ y */
void cr_elimination_matrix_multiply_Lt(cr_elimination_matrix* m, double* y);

/* Doubles from one right-hand side to the next. */
#define CR_ELIMINATION_STRIDE (CR_ELIMINATION_ROWS + CR_KERNEL_SLACK)

/* y <- U^-1 y, of the factor U Uᵀ.
 * @param y [count, CR_ELIMINATION_STRIDE], zeros after the rows
 * @param count at most CR_SOLVE_GROUP */
void cr_elimination_matrix_solve_forward(const cr_elimination_matrix* m, double* y, int count);

/* y <- U^-T y */
void cr_elimination_matrix_solve_backward(const cr_elimination_matrix* m, double* y, int count);

#endif
