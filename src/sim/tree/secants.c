/* Broyden's updates as recurrences of vectors; see secants.h. */
#include "sim/tree/secants.h"

#include "base/copy.h"
#include "math/scalar.h"

#define MOST          10   /* pairs, after which all is forgotten */
#define LEAST_SQUARED 0.25 /* 1 - d . A z / d . A d: below, the correction is not believed */

bool cr_secants_init(cr_secants* s, int n, cr_arena* arena) {
  *s = (cr_secants){.n = n};
  s->step = CR_SCRATCH(arena, double, MOST* n);
  s->image = CR_SCRATCH(arena, double, MOST* n);
  s->square = CR_SCRATCH(arena, double, MOST);
  s->last = CR_SCRATCH(arena, double, n);
  return !arena->failed;
}

void cr_secants_forget(cr_secants* s) { s->count = 0; }

static void add(double* y, double a, const double* x, int n) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

static void scale(double* y, double a, int n) {
  for (int i = 0; i < n; i++) y[i] *= a;
}

/* x_k+1 = x_k - d_k with d_k+1 = z / (1 - d_k . A z / d_k . A d_k), where z is A^-1 residual and
 * then z += d_j+1 (d_j . A z) / (d_j . A d_j) for all j < k. */
void cr_secants_correct(cr_secants* s, const double* residual, double* delta) {
  int n = s->n;
  double *z = delta, *Az = s->last;
  CR_COPY(Az, residual, n);
  if (s->count == MOST) s->count = 0;
  for (int j = 0; j < s->count; j++) {
    double share = scalar_dot(s->image + (size_t)j * (size_t)n, z, n) / s->square[j];
    if (j + 1 < s->count) {
      add(z, share, s->step + (size_t)(j + 1) * (size_t)n, n);
      add(Az, share, s->image + (size_t)(j + 1) * (size_t)n, n);
    } else if (1 - share > LEAST_SQUARED) {
      scale(z, 1 / (1 - share), n);
      scale(Az, 1 / (1 - share), n);
    } else {
      s->count = 0;
    }
  }
  double square = scalar_dot(z, Az, n);
  if (!(square > 0)) {
    s->count = 0;
    return;
  }
  CR_COPY(s->step + (size_t)s->count * (size_t)n, z, n);
  CR_COPY(s->image + (size_t)s->count * (size_t)n, Az, n);
  s->square[s->count++] = square;
}
