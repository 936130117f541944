/* What follows from a solution of a contact problem, computed densely and independently. */
#ifndef CR_TEST_SOLUTION_H
#define CR_TEST_SOLUTION_H

#include "solve/newton/system.h"
#include "solve/solve.h"
#include "support/problem.h"

/* Primal cost l(v), and the gradient's norm squared in A^-1 (through gamma(v)). */
double test_primal_cost(const cr_problem* p, const double* v, double* gradient_norm2,
                        double* gamma);

/* Dual cost 1/2 gammaᵀ (W + R) gamma + gammaᵀ (J v* - v_hat). */
double test_dual_cost(const cr_problem* p, const double* gamma);

/* Largest violation of the conic form's optimality conditions, each relative to the scales of
 * velocities and impulses: momentum, slack in the dual cone, complementarity, impulse in its set.
 * With `coulomb` the slack has the De Saxce term. Bounded rows and discs count with their own
 * conditions. */
double test_optimality(const cr_problem* p, const double* v, const double* gamma, bool coulomb);

/* Largest violation of the same conditions in units of what a pair gap allows, so that 1 is the
 * proven bound: with b = sqrt(2 gap), |v - v_opt|_A and |gamma - gamma_opt|_(W + R) are at most b.
 * Cones and one-sided rows only. */
double test_gap_excess(const cr_problem* p, const double* v, const double* gamma, double gap);

/* Least R / (scale + R) of all rows, with scale the largest eigenvalue of W_ii. In the metric of
 * the constraints' scales the dual's curvature is at least this, and at most as many as there are
 * constraints at a body: Gauss-Seidel gains a factor e in some 1 / epsilon sweeps, the accelerated
 * gradient in some 1 / sqrt(epsilon) steps, a few times more where many constraints meet. Six
 * digits are 14 such factors: ten thousand iterations are enough above the values below. */
double test_smallest_epsilon(const cr_problem* p);

#define TEST_EPSILON_PGS  2e-3
#define TEST_EPSILON_APGD 1e-4

/* |a - b| in the norm of A. */
double test_distance(const cr_problem* p, const double* a, const double* b);

/* A problem's system and an iterate of it without impulses, for solvers that are tested alone. */
typedef struct test_solver {
  cr_arena arena;
  cr_system system;
  cr_iterate iterate;
} test_solver;

void test_solver_init(test_solver* solver, const cr_problem* p);

void test_solver_destroy(test_solver* solver);

/* Solves with a fresh arena; fails the test when memory runs out. */
cr_solve_report test_solve(const cr_problem* p, const cr_solve_options* options, double* v,
                           double* gamma);

#endif
