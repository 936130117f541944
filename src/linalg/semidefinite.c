/* Cholesky with diagonal pivoting (Higham 1990) row by row, and Jacobi's method for eigenvalues
 * (Golub & Van Loan, section 8.5) where a matrix is indefinite by more than round-off. */
#include "linalg/semidefinite.h"

#include "base/copy.h"

#include <math.h>
#include <string.h>

#define EPSILON     0x1p-52
#define MOST_SWEEPS 60
#define MOST_JACOBI 1200  /* rows; Jacobi takes some 40 n³ operations */
#define CLEAN_NOISE 1e-11 /* of the largest element: what may be left out as round-off */

/* --- Cholesky -----------------------------------------------------------------------------------
 */

typedef struct cholesky {
  const double* W;
  int n, rank;
  double tolerance; /* of the rest's diagonal */
  double* F;        /* [n, n] row-major, `rank` columns in use */
  double* rest;     /* [n] diagonal of W - F Fᵀ; of finished pivots -inf */
} cholesky;

static int find_largest(const double* x, int n) {
  int at = 0;
  for (int i = 1; i < n; i++)
    if (x[i] > x[at]) at = i;
  return at;
}

/* In four sums, which run side by side. */
static double dot(const double* a, const double* b, int n) {
  double sum[4] = {0, 0, 0, 0};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int l = 0; l < 4; l++) sum[l] += a[k + l] * b[k + l];
  for (; k < n; k++) sum[0] += a[k] * b[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void eliminate(cholesky* c, int pivot) {
  const double* P = c->F + (size_t)pivot * (size_t)c->n;
  double root = sqrt(c->rest[pivot]);
  for (int i = 0; i < c->n; i++) {
    double *row = c->F + (size_t)i * (size_t)c->n, S;
    if (c->rest[i] == -INFINITY) {
      row[c->rank] = 0;
      continue;
    }
    S = c->W[(size_t)i * (size_t)c->n + (size_t)pivot];
    S -= dot(row, P, c->rank);
    row[c->rank] = i == pivot ? root : S / root;
  }
  for (int i = 0; i < c->n; i++) {
    double x = c->F[(size_t)i * (size_t)c->n + (size_t)c->rank];
    c->rest[i] -= x * x;
  }
  c->rest[pivot] = -INFINITY;
  c->rank++;
}

/* Largest element of W - F Fᵀ; rows of pivots are met exactly. */
static double measure_rest(const cholesky* c) {
  double most = 0;
  for (int i = 0; i < c->n; i++)
    for (int j = 0; j <= i && c->rest[i] > -INFINITY; j++) {
      if (c->rest[j] == -INFINITY) continue;
      const double *a = c->F + (size_t)i * (size_t)c->n, *b = c->F + (size_t)j * (size_t)c->n;
      double S = c->W[(size_t)i * (size_t)c->n + (size_t)j];
      S -= dot(a, b, c->rank);
      most = fmax(most, fabs(S));
    }
  return most;
}

/* False where more than round-off is left over: W is indefinite. */
static bool run_cholesky(cholesky* c) {
  double most = 0;
  for (int i = 0; i < c->n; i++) {
    c->rest[i] = c->W[(size_t)i * (size_t)c->n + (size_t)i];
    most = fmax(most, fabs(c->rest[i]));
  }
  c->tolerance = 8 * EPSILON * c->n * most;
  while (c->rank < c->n) {
    int pivot = find_largest(c->rest, c->n);
    if (!(c->rest[pivot] > c->tolerance)) break;
    eliminate(c, pivot);
  }
  return measure_rest(c) <= fmax(c->tolerance, CLEAN_NOISE * most);
}

/* --- Jacobi -------------------------------------------------------------------------------------
 */

/* Rotates rows p, q of an array [n, n]. */
static void rotate_rows(double* x, int n, int p, int q, double c, double s) {
  double *a = x + (size_t)p * (size_t)n, *b = x + (size_t)q * (size_t)n;
  for (int k = 0; k < n; k++) {
    double u = a[k], v = b[k];
    a[k] = c * u - s * v;
    b[k] = s * u + c * v;
  }
}

static void rotate_columns(double* x, int n, int p, int q, double c, double s) {
  for (size_t k = 0; k < (size_t)n * (size_t)n; k += (size_t)n) {
    double u = x[k + (size_t)p], v = x[k + (size_t)q];
    x[k + (size_t)p] = c * u - s * v;
    x[k + (size_t)q] = s * u + c * v;
  }
}

/* Makes S diagonal and V's rows its eigenvectors. */
static void run_jacobi(double* S, double* V, int n) {
  double total = 0;
  for (size_t k = 0; k < (size_t)n * (size_t)n; k++) total += S[k] * S[k];
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    double off = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double x = S[(size_t)p * (size_t)n + (size_t)q];
        off += x * x;
        if (x * x <= EPSILON * EPSILON * 1e-4 * total / n / n) continue;
        double d = S[(size_t)q * (size_t)n + (size_t)q] - S[(size_t)p * (size_t)n + (size_t)p];
        double theta = d / (2 * x);
        double t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta));
        double c = 1 / sqrt(1 + t * t), s = t * c;
        rotate_rows(S, n, p, q, c, s);
        rotate_columns(S, n, p, q, c, s);
        rotate_rows(V, n, p, q, c, s);
      }
    if (off <= EPSILON * EPSILON * 1e-2 * total) break;
  }
}

static cr_semidefinite_outcome factor_by_eigenvalues(const double* W, int n, cr_arena* arena,
                                                     double* F, double* shift, double* worst) {
  size_t count = (size_t)n * (size_t)n;
  double *S = CR_SCRATCH(arena, double, count), *V = CR_SCRATCH(arena, double, count), most = 0;
  if (arena->failed) return CR_SEMIDEFINITE_MEMORY;
  CR_COPY(S, W, count);
  memset(V, 0, sizeof *V * count);
  for (int i = 0; i < n; i++) V[(size_t)i * (size_t)n + (size_t)i] = 1;
  run_jacobi(S, V, n);
  *worst = 0;
  for (int i = 0; i < n; i++) {
    double value = S[(size_t)i * (size_t)n + (size_t)i];
    most = fmax(most, value), *worst = fmin(*worst, value);
  }
  if (!(*worst >= -CR_SEMIDEFINITE_TOLERANCE * most)) return CR_SEMIDEFINITE_INDEFINITE;
  *shift = -*worst;
  for (int k = 0; k < n; k++) {
    double root = sqrt(fmax(S[(size_t)k * (size_t)n + (size_t)k] + *shift, 0));
    for (int i = 0; i < n; i++)
      F[(size_t)i * (size_t)n + (size_t)k] = root * V[(size_t)k * (size_t)n + (size_t)i];
  }
  return CR_SEMIDEFINITE_DONE;
}

/* Rows of F [n, n] close up to [n, rank]. */
static void close_up(double* F, int n, int rank) {
  for (int i = 1; i < n; i++)
    memmove(F + (size_t)i * (size_t)rank, F + (size_t)i * (size_t)n, sizeof *F * (size_t)rank);
}

cr_semidefinite_outcome cr_semidefinite_factor(const double* W, int n, cr_arena* arena, double** F,
                                               int* rank, double* shift, double* worst) {
  cholesky c = {.W = W, .n = n};
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  c.F = *F = CR_PUSH(arena, double, (size_t)n*(size_t)n);
  c.rest = CR_SCRATCH(arena, double, n);
  *worst = *shift = 0;
  *rank = n;
  if (arena->failed) return CR_SEMIDEFINITE_MEMORY;
  cr_semidefinite_outcome outcome = CR_SEMIDEFINITE_DONE;
  if (run_cholesky(&c)) {
    *rank = c.rank;
  } else if (n <= MOST_JACOBI) {
    outcome = factor_by_eigenvalues(W, n, arena, *F, shift, worst);
  } else {
    for (int i = 0; i < n; i++)
      if (c.rest[i] > -INFINITY) *worst = fmin(*worst, c.rest[i]);
    outcome = CR_SEMIDEFINITE_INDEFINITE;
  }
  if (outcome == CR_SEMIDEFINITE_DONE) close_up(*F, n, *rank);
  cr_arena_pop_scratch(arena, mark);
  return outcome;
}
