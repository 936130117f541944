/* What is asked of a solve, and what it reports. */
#ifndef CR_SOLVE_TYPES_H
#define CR_SOLVE_TYPES_H

#include "problem/law_table.h"

/* The friction that the solution obeys. */
typedef enum cr_friction {
  CR_FRICTION_CONVEX,  /* the problem as it stands: Anitescu's relaxation */
  CR_FRICTION_COULOMB, /* with the De Saxce term: true Coulomb friction */
} cr_friction;

/* The algorithm. */
typedef enum cr_solver_kind {
  CR_SOLVER_NEWTON, /* primal-dual Newton with its safeguards */
  CR_SOLVER_PRIMAL, /* the published Newton with exact line search, proximal where rows are rigid */
  CR_SOLVER_PGS,    /* block projected Gauss-Seidel on the dual */
  CR_SOLVER_APGD,   /* accelerated projected gradient on the dual */
  CR_SOLVER_IPM,    /* primal-dual interior point */
  CR_SOLVER_COUNT,
} cr_solver_kind;

/* How far to go for Coulomb friction, where Newton may cycle. Islands with elastic nodes get at
 * least CR_BUDGET_START: elements give way where rigid bodies wedge, so that there is a solution to
 * be found, and one that is not found shows as a dent. */
typedef enum cr_budget {
  CR_BUDGET_FULL,    /* one start after the other; what is not solved is stalled */
  CR_BUDGET_BOUNDED, /* a bounded number of Newton steps, then a frozen problem */
  CR_BUDGET_START,   /* full, then bounded: the first step of a trajectory */
} cr_budget;

/* Where to start. */
typedef enum cr_start {
  CR_START_COLD,       /* v*, no impulses */
  CR_START_IMPULSES,   /* the impulses that gamma holds, and the velocities that balance them */
  CR_START_VELOCITIES, /* the same impulses, and v0: those of the last step, which go with it */
} cr_start;

/* What the solves of one problem share, see solve/prepare.h. */
typedef struct cr_solve_preparation cr_solve_preparation;

typedef struct cr_solve_options {
  cr_solver_kind solver;
  cr_friction friction;
  double tolerance;   /* relative, on the measure of cr_solve_report */
  int max_iterations; /* Newton or interior-point iterations in all; of the first-order solvers'
                         iterations CR_SOLVE_CHEAP for one of these */
  cr_start start;
  cr_budget budget;
  bool without_residual;                   /* where the gap is compared with the tolerance */
  const cr_solve_preparation* preparation; /* of this problem; null: made anew */
} cr_solve_options;

typedef enum cr_solve_outcome {
  CR_SOLVE_CERTIFIED, /* the measure is below the tolerance */
  CR_SOLVE_SETTLED,   /* Coulomb with a bounded budget: the last problem is solved to 0.1 */
  CR_SOLVE_STALLED,   /* iterations ran out, or stopped making progress */
  CR_SOLVE_FAILED,    /* a factorisation broke down */
} cr_solve_outcome;

typedef struct cr_solve_report {
  cr_solve_outcome outcome;
  int iterations;       /* of the solver, largest over islands */
  int outer_iterations; /* proximal or Coulomb, largest over islands */
  int factorizations;   /* of H, all islands */
  int islands;
  int relaxed;             /* islands whose last problem is convex, its De Saxce term frozen */
  int inexact;             /* islands in which conjugate gradients did not get there */
  int touched;             /* unknowns in islands */
  int failed_block;        /* the first of the first island that was not solved; -1: all were */
  double residual;         /* natural residual, relative, largest over islands; 0: left out */
  double coulomb_residual; /* the same of Coulomb's law itself; 0: not its problem */
  double gap;              /* pair gap, J; infinite where rigid rows are not met exactly */
  double error_bound;      /* sqrt(2 gap): bounds |v - v_opt|_A, sqrt(J) */
  double relative_gap;     /* error_bound over the problem's scale */
} cr_solve_report;

/* Analyses that outlive a solve, keyed by pattern; see solve/schedule/cache.h. */
typedef struct cr_solve_cache cr_solve_cache;

/* Who solves the islands, and in which memory; see solve/schedule/workers.h. */
typedef struct cr_solve_workers cr_solve_workers;

#endif
