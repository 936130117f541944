/* GMRES (Saad & Schultz 1986) with modified Gram-Schmidt and Givens rotations. */
#include "solve/newton/gmres.h"

#include "math/scalar.h"

#include <math.h>
#include <string.h>

typedef struct krylov {
  int n, size, limit;
  double* basis;         /* [limit + 1, n] */
  double* h;             /* [limit, limit + 1] columns of the Hessenberg matrix */
  double *cosine, *sine; /* [limit] */
  double *g, *y;         /* [limit + 1] */
} krylov;

static bool init(krylov* k, int n, int limit, cr_arena* arena) {
  size_t room = (size_t)limit + 1;
  *k = (krylov){.n = n, .limit = limit};
  k->basis = CR_SCRATCH(arena, double, room*(size_t)n);
  k->h = CR_SCRATCH(arena, double, room*(size_t)limit);
  k->cosine = CR_SCRATCH(arena, double, room);
  k->sine = CR_SCRATCH(arena, double, room);
  k->g = CR_SCRATCH(arena, double, room);
  k->y = CR_SCRATCH(arena, double, room);
  return !arena->failed;
}

/* Column j of the Hessenberg matrix. */
static double* get_column(const krylov* k, int j) { return k->h + (ptrdiff_t)(k->limit + 1) * j; }

static void rotate(double c, double s, double* a, double* b) {
  double t = c * *a + s * *b;
  *b = -s * *a + c * *b;
  *a = t;
}

/* Orthogonalises basis vector j + 1 and reduces column j of the Hessenberg matrix. */
static void extend(krylov* k, int j) {
  double* w = k->basis + (size_t)(j + 1) * (size_t)k->n;
  double* h = get_column(k, j);
  for (int i = 0; i <= j; i++) {
    const double* q = k->basis + (size_t)i * (size_t)k->n;
    h[i] = scalar_dot(q, w, k->n);
    for (int r = 0; r < k->n; r++) w[r] -= h[i] * q[r];
  }
  double norm = sqrt(scalar_dot(w, w, k->n));
  if (norm > 0)
    for (int r = 0; r < k->n; r++) w[r] /= norm;
  h[j + 1] = norm;
  for (int i = 0; i < j; i++) rotate(k->cosine[i], k->sine[i], &h[i], &h[i + 1]);
  double length = hypot(h[j], h[j + 1]);
  k->cosine[j] = length > 0 ? h[j] / length : 1;
  k->sine[j] = length > 0 ? h[j + 1] / length : 0;
  rotate(k->cosine[j], k->sine[j], &h[j], &h[j + 1]);
  k->g[j + 1] = 0;
  rotate(k->cosine[j], k->sine[j], &k->g[j], &k->g[j + 1]);
}

/* x = basis times the least-squares solution. */
static void finish(const krylov* k, double* x) {
  double* y = k->y;
  for (int i = k->size - 1; i >= 0; i--) {
    y[i] = k->g[i];
    for (int j = i + 1; j < k->size; j++) y[i] -= get_column(k, j)[i] * y[j];
    double pivot = get_column(k, i)[i];
    y[i] = pivot != 0 ? y[i] / pivot : 0;
  }
  memset(x, 0, sizeof(double) * (size_t)k->n);
  for (int j = 0; j < k->size; j++) {
    const double* q = k->basis + (size_t)j * (size_t)k->n;
    for (int r = 0; r < k->n; r++) x[r] += y[j] * q[r];
  }
}

int cr_gmres_solve(const cr_operator* M, double tolerance, int max_iterations, cr_arena* arena,
                   double* x) {
  krylov k;
  int limit = max_iterations < M->size ? max_iterations : M->size;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!init(&k, M->size, limit, arena)) return -1;
  double norm = sqrt(scalar_dot(x, x, k.n));
  k.g[0] = norm;
  for (int i = 0; i < k.n; i++) k.basis[i] = norm > 0 ? x[i] / norm : 0;
  while (k.size < limit && fabs(k.g[k.size]) > tolerance) {
    const double* q = k.basis + (size_t)k.size * (size_t)k.n;
    M->apply(M->context, q, k.basis + (size_t)(k.size + 1) * (size_t)k.n);
    extend(&k, k.size++);
  }
  finish(&k, x);
  cr_arena_pop_scratch(arena, mark);
  return k.size;
}
