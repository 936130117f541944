/* One connected problem made ready for Newton-type solvers: scales, law batches, the matrix
 * H = A + JᵀGJ with its analysis and factor, and the norms that measure iterates. */
#ifndef CR_SOLVE_SYSTEM_H
#define CR_SOLVE_SYSTEM_H

#include "linalg/half.h"
#include "linalg/parallel.h"
#include "solve/tuning.h"
#include "solve/types.h"

/* An iterate. v_c = J v, r = A (v - v*) - Jᵀ gamma and their norms follow from v and gamma. */
typedef struct cr_iterate {
  double* v;        /* [n] */
  double* gamma;    /* [num_rows] */
  double* v_c;      /* [num_rows] */
  double* r;        /* [n] momentum residual */
  double* A_dv;     /* [n] A (v* - v) where has_A_dv */
  double r_norm2;   /* |r|² in A^-1 */
  double dv_norm2;  /* |v - v*|² in A */
  bool has_A_dv;    /* of this v, with dv_norm2 */
  bool is_estimate; /* v_c and r are, see cr_iterate_estimate */
  bool is_balanced; /* r is zero but for round-off of the balance, which is not known */
  double gap;       /* pair gap of the problem itself, J, gamma in C; negative: not known */
} cr_iterate;

typedef struct cr_system {
  const cr_problem* problem;
  cr_law_batch batch[CR_LAW_COUNT];
  const double* rho;       /* [num_rows] rows / trace(W_ii), kg */
  const double* W;         /* [ld * num_rows] W_ii of every constraint, laid out like G */
  const double *R, *v_hat; /* [num_rows] in force: the problem's own, or the proximal ones */
  double *R_proximal, *v_hat_proximal; /* [num_rows] see cr_system_set_proximal */
  double residual_scale;               /* natural residual's denominator */
  const double* A_dv0;                 /* [n] A (v* - v0) */
  double dv0_norm2;                    /* |v* - v0|² in A */
  double A_norm;                       /* |v* - v0|_A, at least that of the velocity floor */
  double v_star_size;                  /* |v*| in the diagonal of A */
  double A_norm_star;                  /* |v*|_A; 0 where its round-off is below A_norm */
  double smallest_R;                   /* least R over scale of all rows */
  bool is_regularized;                 /* every row has R > 0 */

  cr_symbolic H;                    /* analysis of A + JᵀGJ; its pattern where it is iterative */
  double* G;                        /* [ld * num_rows] of the factor, where */
  bool is_factored;                 /* there is one */
  void* factor;                     /* [H.factor_size]; the values of H where it is iterative */
  cr_precision precision;           /* of the factor: doubles or floats */
  double* loaded_A;                 /* [H.factor_size] A laid out like it; null: too large */
  bool has_loaded_A;                /* it is laid out, see load_A */
  const cr_factor_target* A_target; /* where each stored block of A goes in the factor */
  const cr_factor_target* group_target; /* where each block pair of each group goes, see assembly */

  double* scratch_n;       /* [n] */
  double* scratch_impulse; /* [n] */
  double* scratch_rows;    /* [num_rows] */
  double* scratch_solve;   /* for factor and solve */
  double* scratch_local;   /* for products with J */
  double* scratch_group;   /* rows of a group, then columns x stride */
  int factorizations;
  const carom_tasks* tasks; /* that factor H together; null: the caller does */
  int num_tasks;
  cr_schedule schedule;           /* of H where there are tasks */
  struct cr_iterative* iterative; /* null: A and H are factored */
} cr_system;

/* Makes what no solve changes, for any R and without working memory. False when memory ran out. */
bool cr_system_prepare(cr_system* system, const cr_problem* problem, cr_solve_cache* cache,
                       cr_arena* arena);

/* Completes a prepared system, or a copy of one, with the working memory of one solve. */
bool cr_system_start(cr_system* system, cr_arena* arena);

/* Both; where A is not factored, cr_system_start_iterative follows. False when memory ran out. */
bool cr_system_init(cr_system* system, const cr_problem* problem, cr_solve_cache* cache,
                    cr_arena* arena);

/* Has A and H, which are not factored, solved by conjugate gradients, to what the tolerance needs.
 * False when memory ran out. */
bool cr_system_start_iterative(cr_system* system, double tolerance, cr_arena* arena);

/* Room for A laid out like the factor of H, where that is small; filled before the second factor,
 * or now. False when memory ran out. */
bool cr_system_reserve_A(cr_system* system, cr_arena* arena);
void cr_system_lay_out_A(cr_system* system);

/* Has H factored by `count` tasks from now on, where it is large enough for this to pay. False when
 * memory ran out. */
bool cr_system_share(cr_system* system, const carom_tasks* tasks, int count, cr_arena* arena);

/* x <- A^-1 x. */
void cr_system_solve_A(cr_system* system, double* x);

/* Puts the proximal problem of the contacts in force: R + (eps scale - R)+, v_hat moved so that
 * nothing changes where gamma = anchor [num_rows]. Null: the problem itself. */
void cr_system_set_proximal(cr_system* system, double eps, const double* anchor);

/* Whether a proximal problem is in force. */
bool cr_system_is_proximal(const cr_system* system);

/* Whether all rows resist so much that Newton needs no proximal weight. */
bool cr_system_is_well_posed(const cr_system* system);

/* Whether Coulomb's friction differs from the convex one. */
bool cr_system_has_cones(const cr_system* system);

/* Takes the vectors of an iterate from the arena. */
bool cr_iterate_init(cr_iterate* iterate, const cr_problem* problem, cr_arena* arena);
bool cr_iterate_init_scratch(cr_iterate* iterate, const cr_problem* problem, cr_arena* arena);
void cr_iterate_copy(const cr_iterate* from, const cr_problem* problem, cr_iterate* to);

/* v = v* + A^-1 Jᵀ gamma: the velocities that balance momentum exactly. */
void cr_iterate_balance(cr_system* system, cr_iterate* iterate);

/* Whether |v0| is next to none of |v* - v0|. */
bool cr_iterate_is_at_rest(cr_system* system);

/* Starts from the iterate's gamma and v0.
 * @param from_rest from zero in place of v0 where that is next to none of |v* - v0| */
void cr_iterate_start(cr_system* system, bool from_rest, cr_iterate* iterate);

/* Recomputes v_c, r and their norms. */
void cr_iterate_update(cr_system* system, cr_iterate* iterate);

/* The same where v is what it was when A (v* - v) was computed last. */
void cr_iterate_confirm(cr_system* system, cr_iterate* iterate);

/* The same from those before a step by alpha, but for v_c's round-off; v and gamma have moved.
 * @param dv_c [num_rows] J times the step */
void cr_iterate_move(cr_system* system, const double* dv_c, double alpha, cr_iterate* iterate);

/* The same where the whole step ends the momentum residual, for less. */
void cr_iterate_estimate(cr_system* system, const double* dv_c, double alpha, cr_iterate* iterate);

/* The precision of factors from now on; it stays double in small problems and where H is not
 * factored. */
void cr_system_set_precision(cr_system* system, cr_precision precision);

/* H = A + JᵀGJ, then its factor; G laid out as in law.h. False when it is not positive definite. */
bool cr_system_factor(cr_system* system, const double* G);

/* y = G x, constraint by constraint; G laid out as in law.h. */
void cr_system_multiply_G(const cr_system* system, const double* G, const double* x, double* y);

/* x <- H^-1 x. */
void cr_system_solve(cr_system* system, double* x);

/* The halves of that by a factor in doubles, X <- L^-1 P X for columns [count, n] and
 * x <- Pᵀ L^-T x. */
void cr_system_solve_forward(cr_system* system, double* X, int count);
void cr_system_solve_backward(cr_system* system, double* x);

/* Whether a factor of H takes so long that a search for what spares one pays. */
bool cr_system_is_large(const cr_system* system);

/* Half solutions of H, of which there are none yet. They are kept, until the next factor, in what a
 * factor in single precision leaves of its array, as far as it goes. */
void cr_system_start_half(cr_system* system, cr_half* half);

/* y = A x. */
void cr_system_multiply_A(const cr_system* system, const double* x, double* y);

/* xᵀ A^-1 x */
double cr_system_inverse_norm2(cr_system* system, const double* x);

/* The laws' point at an iterate, with the R and v_hat in force. */
cr_law_point cr_system_point(const cr_system* system, const cr_iterate* iterate);

#endif
