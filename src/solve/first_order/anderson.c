/* Anderson acceleration: the next argument is g(x) less the combination of the last differences
 * that cancels the residual best in the least-squares sense, by regularised normal equations. */
#include "solve/first_order/anderson.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "solve/tuning.h"

#include <math.h>

#define DEPTH CR_MEMORY

bool cr_anderson_init(cr_anderson* anderson, int n, cr_arena* arena) {
  *anderson = (cr_anderson){.n = n,
                            .x = CR_PUSH(arena, double, n),
                            .f = CR_PUSH(arena, double, n),
                            .dx = CR_PUSH(arena, double, (size_t)n* DEPTH),
                            .df = CR_PUSH(arena, double, (size_t)n* DEPTH)};
  return !arena->failed;
}

/* Cholesky solve of a small dense system in place; false when it is singular. */
static bool solve_small(double N[DEPTH][DEPTH], double* b, int m) {
  for (int j = 0; j < m; j++) {
    for (int k = 0; k < j; k++) N[j][j] -= N[j][k] * N[j][k];
    if (!(N[j][j] > 0)) return false;
    N[j][j] = sqrt(N[j][j]);
    for (int i = j + 1; i < m; i++) {
      for (int k = 0; k < j; k++) N[i][j] -= N[i][k] * N[j][k];
      N[i][j] /= N[j][j];
    }
  }
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < i; k++) b[i] -= N[i][k] * b[k];
    b[i] /= N[i][i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) b[i] -= N[k][i] * b[k];
    b[i] /= N[i][i];
  }
  return true;
}

/* Coefficients c with f ~ sum c_k df_k. */
static bool fit(const cr_anderson* a, int m, double c[DEPTH]) {
  double N[DEPTH][DEPTH], trace = 0;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j <= i; j++)
      N[i][j] = N[j][i] = scalar_dot(a->df + (size_t)i * a->n, a->df + (size_t)j * a->n, a->n);
    trace += N[i][i];
    c[i] = scalar_dot(a->df + (size_t)i * a->n, a->f, a->n);
  }
  for (int i = 0; i < m; i++) N[i][i] += CR_ROUND_OFF * trace;
  return m > 0 && trace > 0 && solve_small(N, c, m);
}

void cr_anderson_step(cr_anderson* anderson, double* x, const double* g) {
  int n = anderson->n, slot = (anderson->count - 1 + DEPTH) % DEPTH;
  double c[DEPTH];
  for (int i = 0; i < n; i++) {
    double f = g[i] - x[i];
    if (anderson->count > 0) {
      anderson->dx[(size_t)slot * n + i] = x[i] - anderson->x[i];
      anderson->df[(size_t)slot * n + i] = f - anderson->f[i];
    }
    anderson->x[i] = x[i];
    anderson->f[i] = f;
  }
  int m = anderson->count < DEPTH ? anderson->count : DEPTH;
  bool fitted = fit(anderson, m, c);
  CR_COPY(x, g, n);
  for (int k = 0; fitted && k < m; k++)
    for (int i = 0; i < n; i++)
      x[i] -= c[k] * (anderson->dx[(size_t)k * n + i] + anderson->df[(size_t)k * n + i]);
  anderson->count++;
}
