/* The Lorentz cone in up to six dimensions, x0 >= |(x1, x2, ...)|: cone.h's algebra for vectors of
 * any length. */
#ifndef CR_PROBLEM_LORENTZ_H
#define CR_PROBLEM_LORENTZ_H

#include "math/small.h"
#include "problem/law.h"

/* |(x1, ...)|. */
double lorentz_tail(const double* a, int n);

/* Jordan product out = a ∘ b. */
void lorentz_multiply(const double* a, const double* b, int n, double* out);

/* The out with a ∘ out = b, for a in the interior. */
void lorentz_divide(const double* a, const double* b, int n, double* out);

/* Largest t >= 0 with a + t d in the cone (infinite if all are), for a in the interior. */
double lorentz_longest_step(const double* a, const double* d, int n);

/* z = u - s with u and s in the interior and u ∘ s = product (1, 0, ...), see cone_split. */
void lorentz_split(const double* z, double product, int n, double* u, double* s);

/* cr_centrality_pull for both eigenvalues of a product, in its place. */
void lorentz_pull(double* product, int n, cr_law_range range);

/* Moves u and s, which are inside, off the surface where the least eigenvalue of their product may
 * be below `least`: both of their parts along the scaling's axis by cr_centrality_lift. False where
 * it is not. */
bool lorentz_lift(double* u, double* s, int n, double scale, double least);

/* Nesterov-Todd scaling W = b (2 v vᵀ - diag(1, -1, ...)) with W u = W^-1 s, as a matrix: G of
 * interior points wants its elements. */
typedef struct lorentz_scaling {
  int n;
  double W[SMALL_MAX * SMALL_MAX], inverse[SMALL_MAX * SMALL_MAX]; /* [n, n] */
} lorentz_scaling;

void lorentz_compute_scaling(const double* u, const double* s, int n, lorentz_scaling* scaling);

/* y = A x for a matrix of a scaling. */
void lorentz_apply(const double* A, const double* x, int n, double* y);

#endif
