/* Where A - diag(least) is positive semi-definite, |r|² in A^-1 is no more than the sum of
 * r_i² / least_i; rows with least 0 count as the preconditioner has them. */
#include "linalg/conjugate.h"

#include "base/copy.h"
#include "math/scalar.h"

#include <math.h>

bool cr_conjugate_init(cr_conjugate* conjugate, cr_arena* arena) {
  double** vectors[] = {&conjugate->r, &conjugate->z, &conjugate->p, &conjugate->Ap};
  for (int i = 0; i < 4; i++)
    *vectors[i] = CR_SCRATCH(arena, double, conjugate->inner->pattern->num_rows);
  return !arena->failed;
}

/* z = (Lᵀ D L)^-1 r; returns r z. */
static double precondition(cr_conjugate* c) {
  const cr_bsm_pattern* pattern = c->inner->pattern;
  CR_COPY(c->z, c->r, pattern->num_rows);
  cr_incomplete_solve(c->inner, pattern->num_blocks, c->z);
  return scalar_dot(c->r, c->z, pattern->num_rows);
}

static double bound_error(const cr_conjugate* c) {
  double sum = 0;
  for (int i = 0; i < c->inner->pattern->num_rows; i++)
    sum += c->least[i] > 0 ? c->r[i] * c->r[i] / c->least[i] : fabs(c->r[i] * c->z[i]);
  return sqrt(sum);
}

/* b - A x and |x|²_A = x (b - r) */
static void measure(const cr_conjugate* c, const double* b, const double* x,
                    cr_conjugate_report* report) {
  int n = c->inner->pattern->num_rows;
  report->energy = fmax(scalar_dot(x, b, n) - scalar_dot(x, c->r, n), 0);
  report->left = bound_error(c);
}

static bool is_reached(const cr_conjugate_report* report, const cr_conjugate_goal* goal) {
  return report->left <= fmax(goal->absolute, goal->relative * sqrt(report->energy));
}

cr_conjugate_report cr_conjugate_solve(cr_conjugate* conjugate, const double* b,
                                       const cr_conjugate_goal* goal, double* x) {
  const cr_bsm_pattern* pattern = conjugate->inner->pattern;
  int n = pattern->num_rows;
  double *r = conjugate->r, *p = conjugate->p, *Ap = conjugate->Ap;
  cr_conjugate_report report = {0};
  cr_bsm_multiply(pattern, conjugate->values, x, r);
  for (int i = 0; i < n; i++) r[i] = b[i] - r[i];
  double rz = precondition(conjugate);
  CR_COPY(p, conjugate->z, n);
  for (;; report.iterations++) {
    measure(conjugate, b, x, &report);
    report.is_done = is_reached(&report, goal);
    if (report.is_done || report.iterations == goal->most) return report;
    cr_bsm_multiply(pattern, conjugate->values, p, Ap);
    double alpha = rz / scalar_dot(p, Ap, n), last = rz;
    if (!isfinite(alpha)) return report;
    for (int i = 0; i < n; i++) x[i] += alpha * p[i], r[i] -= alpha * Ap[i];
    rz = precondition(conjugate);
    for (int i = 0; i < n; i++) p[i] = conjugate->z[i] + rz / last * p[i];
  }
}
