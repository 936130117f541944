/** @file
 * Solving contact problems, with a certificate.
 */
#ifndef CAROM_SOLVE_H
#define CAROM_SOLVE_H

#include "carom/problem.h"

CAROM_BEGIN_DECLS

/** How to solve. */
typedef struct carom_solve_def {
  uint32_t cookie;
  carom_solver solver; /**< default Newton */
  carom_friction
      friction;        /**< convex (default): the problem as it stands; Coulomb: with De Saxcé's
                            term mu |u_t| on the normal velocity. Lagged is of simulations only */
  double tolerance;    /**< relative, see carom_solve_report; default 1e-6 */
  int max_iterations;  /**< of each attempt of a solver's strategy; of pgs and apgd a hundredth of
                            theirs; default 100 */
  const double* guess; /**< [num_rows] N s, impulses to start from; null: v*, no impulses */
  bool unmeasured;     /**< v, gamma and the solver's own certificate alone, see
                            carom_solve_report; a problem with negative R is measured all the same */
} carom_solve_def;

CAROM_API carom_solve_def carom_solve_def_default(void);

/** How far a solution is one. */
typedef enum carom_solve_status {
  CAROM_SOLVE_CERTIFIED, /**< the measure is within the tolerance */
  CAROM_SOLVE_STALLED,   /**< iterations ran out, or made no more progress */
  CAROM_SOLVE_FAILED,    /**< a factorisation broke down */
} carom_solve_status;

/** What a solver did and what its result is worth. The certificate of v and gamma is
 *
 *     gap = 1/2 |A (v - v*) - Jᵀ gamma|² in A⁻¹ + sum_i [l_i(J_i v) + 1/2 gamma_iᵀ R_i gamma_i +
 * gamma_iᵀ u_i], |v - v_opt|² in A + |gamma - gamma_opt|² in W + R <= 2 gap;
 *
 * it is infinite where rows are rigid (R = 0) and v does not meet them exactly, and for Coulomb
 * friction, whose solutions are not minima. There the natural residual counts,
 *
 *     |gamma - P_C(gamma - rho (u + R gamma))| / |rho q|,  q = J v* - v_hat,
 *
 * with u_n + mu |u_t| in place of u_n for Coulomb friction. The tolerance is compared with
 * velocity_error where every row is regularised and friction convex, else with the larger of
 * row_residual and momentum.
 *
 * All of that is measured from v and gamma once they are found. Of an unmeasured solution the
 * status, the counts, gap and velocity_error are the solver's (velocity_error the largest of its
 * islands); row_residual and momentum are both the larger of its two where these are compared with
 * the tolerance, and all other figures are NaN. */
typedef struct carom_solve_report {
  carom_solve_status status;
  int iterations;       /**< of the solver (Newton's with their own factor), largest over islands */
  int outer_iterations; /**< proximal or friction iterations, likewise */
  int factorizations;   /**< all islands */
  int islands;          /**< parts of the problem that were solved one by one */
  double primal_cost;   /**< J, l(v); inf where v does not meet rigid rows exactly */
  double dual_cost; /**< J, 1/2 gammaᵀ (W + R) gamma + gammaᵀ q; -primal_cost at the solution */
  double gap;       /**< J, see above */
  double relative_gap;   /**< gap over the larger of |primal_cost| and |dual_cost| */
  double velocity_error; /**< sqrt(2 gap) over max(|v - v*|, |v* - v0|), norms in A */
  double momentum;       /**< |A (v - v*) - Jᵀ gamma| in A⁻¹ over the same scale */
  double residual;      /**< natural residual with one rho = rows / trace(W), at the velocities that
                             gamma gives: independent of units, the same for every solver */
  double row_residual;  /**< natural residual at v, with rho of each constraint from its own W_ii */
  double stick_slip;    /**< m/s, largest slip of a sticking contact */
  double sliding_float; /**< m/s, largest normal velocity u_n + R gamma_n of a sliding contact: the
                             artefact of convex friction */
} carom_solve_report;

/** State of a constraint in a solution. */
typedef enum carom_constraint_state {
  CAROM_STATE_SEPARATE, /**< contact: no impulse */
  CAROM_STATE_STICK,    /**< contact: inside its cone */
  CAROM_STATE_SLIDE,    /**< contact: on its cone */
  CAROM_STATE_INSIDE,   /**< disc, bounds: between the bounds */
  CAROM_STATE_AT_BOUND, /**< disc, bounds: at one */
} carom_constraint_state;

/** A solution: v, gamma and what follows from them. Independent of its problem's life. */
typedef struct carom_solution carom_solution;

/** Solves a finished problem.
 * @param def null: the defaults
 * @param solution receives the result, whatever its status; null on failure
 * @return CAROM_OK (look at the report's status), CAROM_ERROR_INVALID_ARGUMENT,
 *         CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_problem_solve(const carom_problem* problem, const carom_solve_def* def,
                                           carom_solution** solution, carom_error* error);

/** Takes velocities and impulses from elsewhere as a solution, and measures them.
 * @param def friction and tolerance of the report; null: the defaults
 * @param v [num_unknowns]; null: those that the impulses give, v* + A⁻¹ Jᵀ gamma
 * @param gamma [num_rows], projected on the constraints' sets
 * @return CAROM_ERROR_INVALID_ARGUMENT where a number is not finite, CAROM_ERROR_OUT_OF_MEMORY */
CAROM_API carom_status carom_problem_evaluate(const carom_problem* problem,
                                              const carom_solve_def* def, const double* v,
                                              const double* gamma, carom_solution** solution,
                                              carom_error* error);

/** Frees a solution; null is allowed. */
CAROM_API void carom_solution_destroy(carom_solution* solution);

/** The report; alive as long as the solution, like all below. */
CAROM_API const carom_solve_report* carom_solution_get_report(const carom_solution* solution);

/** Velocities v [num_unknowns] and impulses gamma [num_rows]. */
CAROM_API const double* carom_solution_get_v(const carom_solution* solution);
CAROM_API const double* carom_solution_get_gamma(const carom_solution* solution);

/** Constraint velocities [num_rows]: v_c = J v, and u = J v - v_hat (FCLIB's u). These and all
 * below are null where the solution is unmeasured. */
CAROM_API const double* carom_solution_get_v_c(const carom_solution* solution);
CAROM_API const double* carom_solution_get_u(const carom_solution* solution);

/** States [num_constraints]. */
CAROM_API const carom_constraint_state* carom_solution_get_states(const carom_solution* solution);

/** Slip |u_t| of each constraint [num_constraints], m/s: of contacts and discs, else 0. Float of
 * each: u_n + R gamma_n of sliding contacts, else 0. */
CAROM_API const double* carom_solution_get_slip(const carom_solution* solution);
CAROM_API const double* carom_solution_get_float(const carom_solution* solution);

CAROM_END_DECLS

#endif
