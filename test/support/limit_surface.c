#include "support/limit_surface.h"

#include <math.h>

void limit_surface_of_square(double a, double d, double* force, double* moment) {
  enum { N = 400 };
  *force = *moment = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      double x = a * ((2 * i + 1.0) / N - 1), y = a * ((2 * k + 1.0) / N - 1);
      double r = hypot(x, y - d) * N * N;
      *force += (d - y) / r;
      *moment += (x * x - y * (d - y)) / r;
    }
}
