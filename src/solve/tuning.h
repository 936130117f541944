/* Every number of the solver that was chosen and not derived: its meaning, its unit, and what holds
 * it, a test or a scene of scripts/bench. Without a unit a number is a count or relative; weights
 * and R are in scales, the largest eigenvalue of a constraint's W_ii; residuals are relative (see
 * certificate.h). tools/check_tuning holds their number, and that there are none elsewhere. */
#ifndef CR_SOLVE_TUNING_H
#define CR_SOLVE_TUNING_H

/* clang-format off */

/* --- Coulomb friction ------------------------------------------------------------------------ */
#define CR_NEAR             0.2   /* residual of a start that is no impact; cli.scenes */
#define CR_ROUGH            1e-2  /* residual that is still much; sim.rigid_coulomb */
#define CR_BUDGET           17    /* Newton steps, after which no other round begins; cli.scenes */
#define CR_ANCHOR           1e-2  /* weight that holds impulses, at most; sim.certified */
#define CR_ANCHOR_SHARE     3     /* of the residual is that weight; sim.certified */
#define CR_FEW_ROWS         500   /* whose Newton steps cost little; bench pile100 */
#define CR_GROWTH           0.25  /* of the De Saxce term at first; convex.fclib_problems */

/* --- Newton ---------------------------------------------------------------------------------- */
#define CR_PLATEAU          0.9   /* of a measure is no progress; convex.fclib_problems */
#define CR_IDLE             2     /* steps without: turn round; convex.fclib_problems */
#define CR_MEMORY           4     /* steps that are remembered: the merit may rise over them; solve.random */
#define CR_LEAST_STEP       1e-3  /* of a search; solve.random */
#define CR_WELL_POSED       1e-9  /* R that needs no weight; solve.proximal */
#define CR_PROXIMAL_LEAST   1e-7  /* weight of rigid rows at last; solve.random */
#define CR_SHRINK           0.2   /* of a weight after a full step; sim.stiff_piles */
#define CR_STIFF            1e-4  /* R of stiff rows; sim.stiff_piles */
#define CR_SOFT_DROP        5e-6  /* weight that is none for these; convex.fclib_problems */
#define CR_REACHABLE        40    /* tolerances that one correction may take away; bench pile100 */
#define CR_INEXACT          1e-2  /* that a linear solve may leave; solve.precision */
#define CR_GMRES_LEAST      1e-4  /* that it needs no better; convex.fclib_problems */
#define CR_FEW_SLIDING      11    /* contacts solved without GMRES; bench humanoid1 */

/* --- Operations of a factor, flop ------------------------------------------------------------ */
#define CR_SMALL_FLOPS      1e4   /* that are next to none; sim.certified */
#define CR_INTERIOR_FLOPS   2e5   /* that interior points may go first for; sim.stiff_piles */
#define CR_DEAR_FLOPS       1e6   /* that single precision is worth; solve.precision */
#define CR_LARGE_FLOPS      5e6   /* that threads and orders are worth; bench pile400 */

/* --- Nonlinear elimination of the constraints S ---------------------------------------------- */
#define CR_AT_ONCE          8     /* in S at first, an eighth of all at most; late three times; sim.stiff_piles */
#define CR_ELIMINATION_ROWS 192   /* of S; sim.stiff_piles */
#define CR_ROUNDS           12    /* in which S grows; sim.stiff_piles */
#define CR_STALLS           4     /* ways out where Newton in S is held up; sim.stiff_piles */
#define CR_LATE             6     /* steps before S is solved thoroughly; sim.stiff_piles */
#define CR_REST             0.05  /* of the merit's root, to others; bench pile100 */
#define CR_GAIN             0.5   /* of it, at most; bench pile100 */
#define CR_DONE             0.1   /* of what is small is nothing; bench pile100 */
#define CR_STEPS CR_ROUNDS        /* of Newton in S, as many; sim.stiff_piles */
#define CR_VIOLATION        100   /* R times this is seen by the gap; sim.stiff_piles */

/* --- Interior point -------------------------------------------------------------------------- */
#define CR_INTERIOR_LOOSE   1e-3  /* tolerance, for Newton; solve.solvers */
#define CR_INTERIOR_TIGHT   1e-5  /* where that was in vain; convex.fclib_problems */
#define CR_NEARLY_RIGID     1e-5  /* R of what is; sim.stiff_piles */
#define CR_REDUNDANT        1.7   /* rows for each unknown; sim.stiff_piles */
#define CR_FULL_STEP        0.99  /* of the way to the boundary; solve.solvers */
#define CR_AIM              0.01  /* of the mean product, by corrections; solve.solvers */
#define CR_LOW              0.03  /* of the aim, the least product; solve.solvers */
#define CR_HIGH             10    /* and the largest; convex.fclib_problems */
#define CR_CORRECTIONS      8     /* of centrality; solve.solvers */
#define CR_HALVINGS         3     /* of one of them; convex.fclib_problems */
#define CR_REACH            0.5   /* by which a step is to grow; solve.solvers */
#define CR_WORTH            0.05  /* of that is worth another one; solve.solvers */
#define CR_COLD_SHARE       3     /* of the energy, products at first; solve.agreement */
#define CR_NEAR_MORE        30    /* times what a guess leaves; solve.solvers */

/* --- First order, conjugate gradients, memory, threads --------------------------------------- */
#define CR_ROUND_OFF        1e-12 /* of sums of many terms: 4096 of the machine's; convex.problem */
#define CR_SOLVE_CHEAP      100   /* first-order iterations for one of Newton; solve.solvers */
#define CR_OVER_RELAXATION  1.3   /* of Gauss-Seidel; solve.agreement */
#define CR_MOST             50    /* iterations of what should end; convex.fclib_problems */
#define CR_KRYLOV_MOST      1000  /* the same of a linear solve; sim.soft_inverse */
#define CR_ORDER_BLOCKS     300   /* whose order is kept and tried; solve.order */
#define CR_WORSE            1.03  /* times the operations: an order is mended; solve.order */
#define CR_SPOILT           1.6   /* or beyond repair; solve.order */
#define CR_WAIT             8     /* solves until another search; solve.order */
#define CR_LEAST_WORK       50000 /* units of 2 ns (island_schedule.h); bench_sim_islands */
#define CR_MOST_ANALYSES    4096  /* kept over all workers; sim.memory */

/* clang-format on */

#endif
