/* The classical Runge-Kutta method of order 4, for what tests compare with. */
#ifndef CR_TEST_RUNGE_KUTTA_H
#define CR_TEST_RUNGE_KUTTA_H

#define RUNGE_KUTTA_MAX 16

/* dy/dt of y [n]. */
typedef void rate_function(const void* context, const double* y, double* rate);

/* Takes y [n <= RUNGE_KUTTA_MAX] on by a duration, in equal steps. */
void runge_kutta(rate_function* f, const void* context, int n, double duration, int steps,
                 double* y);

#endif
