/* The convex contact problem of one step as plain data (docs/theory.md, "The problem, three
 * times"):
 *
 *   min over v of  1/2 (v - v*)ᵀ A (v - v*) + sum_i l_i(J_i v)
 *
 * It knows nothing of bodies, joints or shapes. Unknowns v come in blocks. Constraints that touch
 * the same blocks stand together in a group, whose Jacobian rows are one dense row-major array over
 * the group's columns (its blocks side by side), so that products and J'GJ run over whole groups.
 */
#ifndef CR_PROBLEM_PROBLEM_H
#define CR_PROBLEM_PROBLEM_H

#include "base/shared.h"
#include "linalg/bsm.h"
#include "linalg/cholesky.h"

/* The laws a constraint may follow; each has its file and its entry in law_table.c. */
typedef enum cr_law_kind {
  CR_LAW_CONTACT, /* three rows t1 t2 n, |gamma_t| <= mu gamma_n; parameters mu, weight */
  CR_LAW_DISC,    /* two rows t1 t2, |gamma| <= radius; parameters radius, - */
  CR_LAW_BOUNDS,  /* one row, low <= gamma <= high; parameters low, high */
  /* Contacts with moments, see moment_law.h; |gamma_t| <= mu gamma_n; parameters mu, weight: what
   * a point of an area counts over the mean, by which forces that are not unique are shared; 0: as
   * one */
  CR_LAW_CONTACT4, /* rows t1 t2 torsion n */
  CR_LAW_CONTACT6, /* rows t1 t2 torsion roll1 roll2 n */
  CR_LAW_COUNT,
} cr_law_kind;

/* Constraints over the same blocks of unknowns. */
typedef struct cr_problem_group {
  int block_start, block_count;           /* into cr_problem.group_block */
  int constraint_start, constraint_count; /* its constraints are consecutive */
  int row_start, row_count;               /* and so are their rows */
  int columns;                            /* sum of its blocks' sizes */
  int stride;                             /* columns rounded up to a multiple of 4, zero padded */
  int64_t J_start;                        /* first element of its rows in cr_problem.J */
} cr_problem_group;

typedef struct cr_problem {
  /* Unknowns. */
  cr_bsm_pattern pattern;        /* of A */
  const double* A;               /* values of the pattern; symmetric positive definite */
  const cr_symbolic* A_symbolic; /* the one factor of A, shared by all who need it */
  const double* A_factor;
  const double* A_least; /* [n] not null: A is too large to be factored. A less the diagonal matrix
                          * of these is positive semi-definite; 0 in the rows of trees */
  double accuracy;       /* tolerance at most, where a step asks for it; 0: the step's own */
  int most_iterations;   /* of all solves with it, beyond which a factor would be cheaper */
  const double* v_star;  /* [n] velocity of the free motion */
  const double* v0;      /* [n] velocity at the start of the step */
  double velocity_floor; /* m/s, rad/s: relative measures take smaller ones for this */
  int num_elastic;       /* the last blocks: nodes of elastic bodies, see cr_budget */

  /* Constraints. */
  int num_groups, num_constraints, num_rows;
  int max_stride; /* largest stride of a group */
  int ld;         /* leading dimension of matrices, doubles for each row; see law.h */
  const cr_problem_group* group; /* [num_groups] */
  const int* group_block;        /* blocks of all groups, ascending within a group */
  const double* J;               /* rows of all groups; CR_KERNEL_SLACK doubles may follow */
  const int* kind;               /* [num_constraints] cr_law_kind */
  const int* row;                /* [num_constraints] first row */
  const double* parameter;       /* [2 each] see cr_law_kind */
  double* R;                     /* [num_rows] diagonal regularisation >= 0, 1/kg */
  double* v_hat;                 /* [num_rows] bias, m/s */
  const double* W; /* Delassus blocks, see cr_problem_compute_delassus; null: not known */
  const double *v_c_star, *v_c0; /* [num_rows] J v* and J v0; null: not known */
  struct cr_order_record*
      order; /* [num_blocks] see solve/newton/order.h; null: orders are not kept */
} cr_problem;

static inline const cr_kernels* cr_problem_kernels(const cr_problem* problem) {
  return problem->A_symbolic ? problem->A_symbolic->kernels : cr_kernels_select();
}

/* Whether joints couple the velocities of blocks. */
static inline bool cr_problem_is_articulated(const cr_problem* problem) {
  return problem->num_elastic == 0 && problem->pattern.num_lower > problem->pattern.num_blocks;
}

/* Groups whose unknowns are copied before the first of them is multiplied. */
#define CR_PROBLEM_GATHERED 8

/* Doubles of scratch for products with J. */
static inline size_t cr_problem_scratch_size(const cr_problem* problem) {
  return CR_PROBLEM_GATHERED * (size_t)problem->max_stride;
}

/* v_c = J v [num_rows]. scratch: [cr_problem_scratch_size]. */
void cr_problem_apply_J(const cr_problem* problem, const double* v, double* v_c, double* scratch);

/* x += Jᵀ gamma [n]. scratch: the same. */
CR_SHARED void cr_problem_add_J_transposed(const cr_problem* problem, const double* gamma,
                                           double* x, double* scratch);

/* v_c = J v of a v that is zero in most blocks. */
void cr_problem_apply_J_to_part(const cr_problem* problem, const double* v, double* v_c,
                                double* scratch);

/* x += weight times one row of J. */
void cr_problem_add_row(const cr_problem* problem, int row, double weight, double* x);

/* The group that has a row. */
int cr_problem_find_group(const cr_problem* problem, int row);

/* W_ii = J_i A^-1 J_iᵀ of every constraint, 1/kg.
 * @param W [ld * num_rows] row-major rows x rows matrices, the one of a constraint at ld times
 *          its first row
 * @param scratch [A_symbolic->scratch_size] */
void cr_problem_compute_delassus(const cr_problem* problem, double* W, double* scratch);

/* The same of the groups [first, end) alone. */
void cr_problem_compute_delassus_of(const cr_problem* problem, int first, int end, double* W,
                                    double* scratch);

/* The same where A is not factored: with the part of A that a constraint's blocks make together
 * with all that are coupled to them, as if the others stood still. False when memory ran out.
 * @param arena scratch */
bool cr_problem_estimate_delassus(const cr_problem* problem, cr_arena* arena, double* W);

#endif
