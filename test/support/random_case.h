/* A random mechanism in a random state, and derivatives along its motion by finite differences. */
#ifndef CR_TEST_RANDOM_CASE_H
#define CR_TEST_RANDOM_CASE_H

#include "support/mechanism.h"

typedef struct random_case {
  mechanism* m;
  check_random random;
  int nv;
  double *q, *v, *a; /* internal velocities and accelerations; m is updated at q and v */
  v3 gravity;
} random_case;

/* The case of a number: one to a dozen bodies, every kind of joint. */
random_case random_case_create(int seed);

/* The same with given options. */
random_case random_case_create_from(const mechanism_options* options, int seed);
void random_case_destroy(random_case* c);

/* A zeroed array that lives as long as the case. */
double* random_case_array(random_case* c, int count);

/* Moves the mechanism to the time t of the motion that starts at (q, v) with the acceleration a
 * (null: zero); at time t its velocity is v + a t. Its configuration is right up to O(t^3). */
void random_case_move(random_case* c, const double* a, double t);

/* Derivative at t = 0 of `count` numbers that `evaluate` writes about the moved case; central, of
 * fourth order: errors of the motion of order t^3 cancel. The case is moved back to t = 0. */
void random_case_differentiate(random_case* c, const double* a,
                               void (*evaluate)(random_case* c, double* out), int count,
                               double* derivative);

#endif
