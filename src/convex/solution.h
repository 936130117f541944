/* Solutions: v, gamma and all that follows from them. */
#ifndef CR_CONVEX_SOLUTION_H
#define CR_CONVEX_SOLUTION_H

#include "base/shared.h"
#include "convex/problem.h"

struct carom_solution {
  carom_allocator allocator;
  cr_arena arena;
  carom_solve_report report;
  int num_unknowns, num_constraints, num_rows;
  double *v, *gamma, *v_c, *u;    /* in the order of the user */
  carom_constraint_state* states; /* [num_constraints] */
  double *slip, *float_speed;     /* [num_constraints] m/s */
};

/* An empty solution for a problem; null when memory ran out. */
carom_solution* cr_convex_solution_create(const carom_problem* problem);

/* Completes a solution whose v and gamma (in C) are set: everything but the counts of iterations
 * and the status. False when memory ran out.
 * @param arena scratch */
bool cr_convex_solution_measure(const carom_problem* problem, bool coulomb, cr_arena* arena,
                                carom_solution* solution);

/* False where R is negative; see cr_convex_set_concave. */
bool cr_convex_is_convex(const carom_problem* problem);

/* The number that is compared with the tolerance; see carom_solve_report. */
double cr_convex_solution_get_measure(const carom_problem* problem, bool coulomb,
                                      const carom_solution* solution);

/* Whether that number is the velocity error, which the gap gives. */
bool cr_convex_is_measured_by_gap(const carom_problem* problem, bool coulomb);

/* Rows from the user's order into the problem's, and back; rows that the problem has not are 0. */
CR_SHARED void cr_convex_gather(const carom_problem* problem, const double* rows, double* compiled);
void cr_convex_scatter(const carom_problem* problem, const double* compiled, double* rows);

/* x <- A^-1 x, one factor for all. */
CR_SHARED void cr_convex_solve_A(const carom_problem* problem, double* x, double* scratch);

#endif
