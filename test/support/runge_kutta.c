#include "support/runge_kutta.h"

static void step(rate_function* f, const void* context, int n, double h, double* y) {
  const double part[4] = {0, h / 2, h / 2, h}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
  double at[RUNGE_KUTTA_MAX], rate[RUNGE_KUTTA_MAX] = {0}, sum[RUNGE_KUTTA_MAX] = {0};
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < n; i++) at[i] = y[i] + part[k] * rate[i];
    f(context, at, rate);
    for (int i = 0; i < n; i++) sum[i] += weight[k] * rate[i];
  }
  for (int i = 0; i < n; i++) y[i] += sum[i];
}

void runge_kutta(rate_function* f, const void* context, int n, double duration, int steps,
                 double* y) {
  for (int i = 0; i < steps; i++) step(f, context, n, duration / steps, y);
}
