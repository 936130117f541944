/* Every number of the solver that was chosen and not derived: its meaning; the range in which
 * piles, clutter, robots and the public problems hardly tell the difference (a dash: only this
 * value was tried; docs/notes/2026-11-27-tuning.md has the figures); and what holds it: a test, or
 * a scene of scripts/bench. Weights and R are in scales, the largest eigenvalue of a constraint's
 * W_ii; residuals and tolerances are relative. */
#ifndef CR_SOLVE_TUNING_H
#define CR_SOLVE_TUNING_H

/* clang-format off */

/* --- Coulomb friction ------------------------------------------------------------------------ */
#define CR_NEAR            0.2   /* residual of a start that is no impact; 0.07-0.8; cli.scenes */
#define CR_ROUGH           1e-2  /* residual that is still much; 2.5e-3-4e-2; sim.rigid_coulomb */
#define CR_BUDGET_STEPS          17    /* Newton steps: no more rounds; 8-34, a trade; cli.scenes */
#define CR_ANCHOR          1e-2  /* weight that holds impulses; 2.5e-3-4e-2; sim.certified */
#define CR_ANCHOR_SHARE    3     /* of the residual, at most; 1-6; sim.certified */
#define CR_FEW_ROWS        500   /* whose Newton steps cost little; 250-1000; bench pile100 */
#define CR_GROWTH          0.25  /* of the De Saxce term; 0.08-0.8; convex.fclib_problems */

/* --- Newton ---------------------------------------------------------------------------------- */
#define CR_PLATEAU         0.9   /* of a measure: no progress; 0.8-0.95; convex.fclib_problems */
#define CR_IDLE            2     /* steps without: turn round; 1-4; convex.fclib_problems */
#define CR_MEMORY          4     /* steps over which the merit may rise; -; solve.random */
#define CR_LEAST_STEP      1e-3  /* of a search; 2.5e-4-4e-3; solve.random */
#define CR_WELL_POSED      1e-9  /* R that needs no weight; 2.5e-10-4e-9; solve.proximal */
#define CR_PROXIMAL_LEAST  1e-7  /* weight of rigid rows at last; 2.5e-8-4e-7; solve.random */
#define CR_SHRINK          0.2   /* of a weight after a full step; 0.07-0.3; sim.stiff_piles */
#define CR_STIFF           1e-4  /* R of stiff rows; 4e-5-1.5e-4; sim.stiff_piles */
#define CR_SOFT_DROP       5e-6  /* weight that is none for these; -; convex.fclib_problems */
#define CR_REACHABLE       40    /* tolerances that a correction ends; 20-100; bench pile100 */
#define CR_INEXACT         1e-2  /* that a linear solve may leave; 2.5e-3-4e-2; solve.precision */
#define CR_GMRES_LEAST     1e-4  /* that it needs not better; 1e-6-1e-4; convex.fclib_problems */
#define CR_GMRES_MAX       300   /* iterations; 150-600; solve.krylov */
#define CR_FEW_SLIDING     11    /* contacts solved without GMRES; -; bench humanoid1 */

/* --- Operations of a factor ------------------------------------------------------------------ */
#define CR_SMALL_FLOPS     1e4   /* that are next to none; 2.5e3-4e4; cli.scenes */
#define CR_INTERIOR_FLOPS  2e5   /* that interior points may go first for; 5e4-8e5; sim.stiff_piles */
#define CR_DEAR_FLOPS      1e6   /* that floats are worth; 1e6-4e6; solve.precision */
#define CR_LARGE_FLOPS     5e6   /* that threads and orders are worth; 1e6-2e7; bench pile400 */

/* --- Nonlinear elimination of the constraints S ---------------------------------------------- */
#define CR_SHARE           16    /* of all, S at once; 8-32; bench pile100 */
#define CR_AT_ONCE         8     /* at most; 8-24; sim.stiff_piles */
#define CR_ELIMINATION_ROWS 192  /* of S; 192-480; sim.stiff_piles */
#define CR_ROUNDS          12    /* in which S grows; 6-24; sim.stiff_piles */
#define CR_STALLS          4     /* ways out where Newton in S is held up; 2-8; sim.stiff_piles */
#define CR_LATE            6     /* steps before S is solved thoroughly; 5-8; sim.stiff_piles */
#define CR_REST            0.05  /* of the merit's root, to others; 0.005-0.1; bench pile100 */
#define CR_GAIN            0.5   /* of it, at most; 0.5-1; bench pile100 */
#define CR_DONE            0.1   /* of what is small is nothing; 0.025-0.4; bench pile100 */
#define CR_STEPS           12    /* of Newton in S; 8-24; sim.stiff_piles */
#define CR_VIOLATION       100   /* R times this: seen by the gap; 50-200; sim.stiff_piles */

/* --- Interior point -------------------------------------------------------------------------- */
#define CR_INTERIOR_LOOSE  1e-3  /* tolerance, for Newton; 2.5e-4-4e-3; solve.solvers */
#define CR_INTERIOR_TIGHT  1e-5  /* where that was in vain; -; convex.fclib_problems */
#define CR_NEARLY_RIGID    1e-5  /* R of what is; 2.5e-6-4e-5; sim.stiff_piles */
#define CR_REDUNDANT       1.7   /* rows for each unknown; 1.7-7; sim.stiff_piles */
#define CR_FULL_STEP       0.99  /* of the way to the boundary; 0.99-0.9995; solve.solvers */
#define CR_AIM             0.01  /* of the mean product; 2.5e-3-0.02; solve.solvers */
#define CR_LOW             0.03  /* of the aim, the least; 7.5e-3-0.1; solve.solvers */
#define CR_HIGH            10    /* and the largest; 5-20; convex.fclib_problems */
#define CR_CORRECTIONS     8     /* of centrality; 4-16; solve.solvers */
#define CR_HALVINGS        3     /* of one of them; 1-6; convex.fclib_problems */
#define CR_REACH           0.5   /* by which a step is to grow; 0.17-0.9; solve.solvers */
#define CR_WORTH           0.05  /* of that, worth another; 0.0125-0.1; solve.solvers */
#define CR_COLD_SHARE      3     /* of the energy, products at first; 1-6; solve.agreement */
#define CR_NEAR_MORE       30    /* times what a guess leaves; -; solve.solvers */

/* --- First order, conjugate gradients, memory, threads --------------------------------------- */
#define CR_SOLVE_CHEAP     100   /* first-order iterations for one of Newton; -; solve.solvers */
#define CR_OVER_RELAXATION 1.3   /* of Gauss-Seidel; -; solve.agreement */
#define CR_MOST            50    /* iterations of what should end; 40-120; convex.fclib_problems */
#define CR_CONJUGATE_MOST  1000  /* the same of conjugate gradients; -; sim.soft_inverse */
#define CR_ORDER_BLOCKS    300   /* whose order is kept and tried; -; solve.order */
#define CR_WORSE           1.03  /* times the operations: mended; -; solve.order */
#define CR_SPOILT          1.6   /* or beyond repair; -; solve.order */
#define CR_WAIT            8     /* solves until another search; -; solve.order */
#define CR_LEAST_WORK      50000 /* that a second thread is worth; -; bench_sim_islands */
#define CR_MOST_ANALYSES   4096  /* kept; -; sim.memory */

/* clang-format on */

#endif
