/* Orders of convergence, from errors at successive halvings of the time step. */
#ifndef CR_TEST_CONVERGENCE_H
#define CR_TEST_CONVERGENCE_H

#include "support/simulation.h"

/* The error of a case that is simulated with these options, against numbers from outside. */
typedef double (*convergence_error)(const carom_sim_def* def);

/* Options, the first time step in them, and how often it is halved. */
typedef struct convergence_def {
  carom_sim_def sim;
  int halvings;
  int order;        /* expected */
  const char* name; /* for messages */
} convergence_def;

/* With e = C dt^p (1 + c dt + ...) the observed order log2(e(dt) / e(dt/2)) differs from p by
 * c dt / (2 ln 2) + ...; the last one must be within this of the expected order. The steps of a
 * case are small enough when c dt < 0.14 at the last but one. */
#define ORDER_TOLERANCE 0.1

/* Fails unless the last observed order is the expected one; prints all of them then. */
void check_order(const convergence_def* def, convergence_error error);

/* Every named scheme in turn has its order on a case, from dt on. */
void check_orders_of_schemes(double dt, int halvings, convergence_error error);

/* Two results of the midpoint rule, at dt and dt / 2, extrapolated. A symmetric scheme has an error
 * of even powers of dt alone, so that O(dt^4) is left. */
void convergence_extrapolate(const double* coarse, const double* fine, int count, double* result);

#endif
