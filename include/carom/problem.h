/** @file
 * The convex contact problem as a thing of its own, without a simulation:
 *
 *     min over v of  1/2 (v - v*)ᵀ A (v - v*) + sum_i l_i(J_i v),
 *
 * with A symmetric positive definite in blocks, v* the velocities without constraints, and for each
 * constraint a law between its velocity J_i v and its impulse gamma_i, with a diagonal
 * regularisation R_i >= 0 and a bias v_hat_i. The same as A (v - v*) = Jᵀ gamma with, for every
 * constraint, u = J v - v_hat, gamma in C, u + R gamma in the dual cone of C, complementary.
 *
 * A problem is created with its blocks, filled, finished, and never changes after that (but for
 * carom_problem_add_regularization). It is solved by carom/solve.h. Units are those of the
 * simulator, though nothing depends on them: kg, m/s, N s.
 */
#ifndef CAROM_PROBLEM_H
#define CAROM_PROBLEM_H

#include "carom/allocator.h"
#include "carom/status.h"
#include "carom/types.h"

#include <stddef.h>

CAROM_BEGIN_DECLS

/** A contact problem. While it is filled, one thread at a time; finished, any number may solve it.
 */
typedef struct carom_problem carom_problem;

/** Kind of a constraint; in brackets its rows. */
typedef enum carom_constraint_kind {
  CAROM_CONSTRAINT_CONTACT, /**< [3] rows t1 t2 n, |gamma_t| <= mu gamma_n; u_n > 0 separates */
  CAROM_CONSTRAINT_DISC,    /**< [2] |gamma| <= radius: friction with a given bound */
  CAROM_CONSTRAINT_BOUNDS,  /**< [1] low <= gamma <= high: limit (0, inf), equality (-inf, inf), dry
                                 friction (-f, f) */
  CAROM_CONSTRAINT_CONTACT4, /**< [4] rows t1 t2 torsion n, |(gamma_t, gamma_s)| <= mu gamma_n: the
                                 row of torsion is the angular velocity times mu_torsion / mu, m */
  CAROM_CONSTRAINT_CONTACT6, /**< [6] rows t1 t2 torsion roll1 roll2 n, likewise; those of rolling
                                 are angular velocities times mu_roll / mu */
} carom_constraint_kind;

/** What a problem is made with. */
typedef struct carom_problem_def {
  uint32_t cookie;
  carom_allocator allocator;
  const char* name;      /**< may be null; copied */
  double dt;             /**< s, of the step that the problem comes from; 0 (default): not known */
  int num_blocks;        /**< blocks of unknowns, at least 1 */
  const int* block_size; /**< [num_blocks] unknowns of each, at least 1: 6 of a free body, say */
} carom_problem_def;

/** A constraint. Its Jacobian is given in dense parts, one for each block that it touches. */
typedef struct carom_constraint_def {
  uint32_t cookie;
  carom_constraint_kind kind;
  double mu;                     /**< contacts: coefficient of friction, 0 or more; default 0 */
  double radius;                 /**< disc: N s, 0 or more; default 0 */
  double low;                    /**< bounds: N s, may be -inf; default 0 */
  double high;                   /**< bounds: N s, may be inf; default inf */
  int num_blocks;                /**< blocks touched, at least 1 */
  const int* blocks;             /**< [num_blocks] their indices, any order, none twice */
  const double* const* jacobian; /**< [num_blocks] for each [rows, block size], row-major */
  const double* R;     /**< [rows] 1/kg, 0 or more; of contact and disc equal in both tangential
                            rows; null: 0 */
  const double* v_hat; /**< [rows] m/s; null: 0 */
  const double* guess; /**< [rows] N s, an impulse to start from; null: none */
} carom_constraint_def;

/** Definitions with every default in place; the only valid start of a definition. */
CAROM_API carom_problem_def carom_problem_def_default(void);
/** See carom_problem_def_default. */
CAROM_API carom_constraint_def carom_constraint_def_default(void);

/** Makes a problem without constraints, A not yet given, v* = 0.
 * @param problem receives it, null on failure
 * @return CAROM_ERROR_INVALID_ARGUMENT (null, unmade definition), CAROM_ERROR_BAD_INPUT (sizes),
 *         CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_problem_create(const carom_problem_def* def, carom_problem** problem,
                                            carom_error* error);

/** Frees a problem; null is allowed. */
CAROM_API void carom_problem_destroy(carom_problem* problem);

/** Sets a block of A, once. A block off the diagonal stands for its transpose too; a diagonal block
 * is symmetric (to 1e-9 of its largest element; the mean of both triangles is taken).
 * @param row,column indices of blocks
 * @param values [size of row, size of column] row-major, kg
 * @return CAROM_ERROR_BAD_INPUT with the block and the element that is wrong */
CAROM_API carom_status carom_problem_set_block(carom_problem* problem, int row, int column,
                                               const double* values, carom_error* error);

/** Sets velocities.
 * @param v_star [num_unknowns] m/s, without constraints
 * @param v0 [num_unknowns] m/s, at the start of the step: enters the scale of relative errors and
 *        first guesses; null: v* */
CAROM_API carom_status carom_problem_set_velocities(carom_problem* problem, const double* v_star,
                                                    const double* v0, carom_error* error);

/** Sets v* = A⁻¹ f instead; it is computed by carom_problem_finish.
 * @param f [num_unknowns] N s */
CAROM_API carom_status carom_problem_set_momentum(carom_problem* problem, const double* f,
                                                  carom_error* error);

/** Adds a constraint; its rows follow those of the constraints before it. Checks every field.
 * @param index receives its number, may be null */
CAROM_API carom_status carom_problem_add(carom_problem* problem, const carom_constraint_def* def,
                                         int* index, carom_error* error);

/** Completes the problem: factors A and prepares what solvers need.
 * @return CAROM_ERROR_BAD_INPUT where a diagonal block is missing, A is not positive definite (with
 *         block and pivot), or a constraint's Jacobian is zero */
CAROM_API carom_status carom_problem_finish(carom_problem* problem, carom_error* error);

/** Adds eta to R of every row, 1/kg: W + eta I in the dual. */
CAROM_API carom_status carom_problem_add_regularization(carom_problem* problem, double eta,
                                                        carom_error* error);

/** How large a problem is. */
typedef struct carom_problem_sizes {
  int num_blocks;
  int num_unknowns;
  int num_constraints;
  int num_contacts; /**< of these */
  int num_rows;     /**< of all constraints */
} carom_problem_sizes;

CAROM_API carom_problem_sizes carom_problem_get_sizes(const carom_problem* problem);

/** Name and dt as given, "" and 0 where they were not. */
CAROM_API const char* carom_problem_get_name(const carom_problem* problem);
CAROM_API double carom_problem_get_dt(const carom_problem* problem);

/** v* and v0 [num_unknowns], of a finished problem. */
CAROM_API const double* carom_problem_get_v_star(const carom_problem* problem);
CAROM_API const double* carom_problem_get_v0(const carom_problem* problem);

/** R [num_rows] 1/kg, v_hat [num_rows] m/s, and the guess [num_rows] N s, null where no constraint
 * brought one. */
CAROM_API const double* carom_problem_get_R(const carom_problem* problem);
CAROM_API const double* carom_problem_get_v_hat(const carom_problem* problem);
CAROM_API const double* carom_problem_get_guess(const carom_problem* problem);

/** A constraint as it stands in the problem; pointers live until the next change. */
typedef struct carom_constraint_info {
  carom_constraint_kind kind;
  double mu, radius, low, high; /**< as given; what the kind does not have is 0 */
  int row, num_rows;            /**< first row and number of rows */
  int num_blocks;
  const int* blocks;      /**< [num_blocks] ascending */
  const double* jacobian; /**< the blocks' parts one after the other, each [num_rows, block size] */
} carom_constraint_info;

/** Describes a constraint.
 * @param index from 0 to num_constraints - 1 */
CAROM_API carom_constraint_info carom_problem_get_constraint(const carom_problem* problem,
                                                             int index);

/** First unknown of a block; for num_blocks, the number of unknowns. */
CAROM_API int carom_problem_get_block_start(const carom_problem* problem, int block);

/** Sum of the diagonal of W = J A⁻¹ Jᵀ over all rows, 1/kg, of a finished problem. */
CAROM_API double carom_problem_compute_trace(const carom_problem* problem);

CAROM_END_DECLS

#endif
