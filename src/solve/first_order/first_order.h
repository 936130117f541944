/* What first-order solvers of the dual share: their settings, and a watch that measures iterates
 * now and then, keeps the best, and says when to stop.
 *
 *   min over gamma in C of  1/2 gammaᵀ (W + R) gamma + gammaᵀ (J v* - v_hat),    W = J A^-1 Jᵀ */
#ifndef CR_SOLVE_FIRST_ORDER_H
#define CR_SOLVE_FIRST_ORDER_H

#include "solve/newton/primal_dual.h"

typedef struct cr_first_order_settings {
  const double* shift; /* [num_rows] frozen De Saxce term; null: none */
  double tolerance;    /* on cr_certificate_value */
  int max_iterations;
} cr_first_order_settings;

typedef struct cr_watch {
  cr_system* system;
  cr_law_mode mode;
  const cr_first_order_settings* settings;
  int next;      /* iteration of the next measurement */
  double best;   /* least measure seen */
  double* gamma; /* [num_rows] its impulses */
  double* last;  /* [num_rows] impulses at the last measurement */
  double* scratch;
} cr_watch;

/* Takes its memory from the arena's scratch. */
bool cr_watch_init(cr_watch* watch, cr_system* system, const cr_first_order_settings* settings,
                   cr_arena* arena);

/* True at iterations that are to be measured: ever rarer, an eighth of those done apart. */
bool cr_watch_is_due(const cr_watch* watch, int iteration);

/* Measures an iterate in balance; true when the solver is to stop, with the outcome. */
bool cr_watch_measure(cr_watch* watch, const cr_iterate* iterate, int iteration,
                      cr_newton_outcome* outcome);

/* Puts the best iterate back. */
void cr_watch_finish(cr_watch* watch, cr_newton_outcome outcome, cr_iterate* iterate);

#endif
