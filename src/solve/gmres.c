/* GMRES (Saad & Schultz 1986) with modified Gram-Schmidt and Givens rotations. */
#include "solve/gmres.h"

#include <math.h>
#include <string.h>

#define MAX_BASIS 40

typedef struct krylov {
  int n, size;
  double* basis;              /* [n, MAX_BASIS + 1] */
  double* z;                  /* [n] preconditioned vector */
  double* rows;               /* [num_rows] */
  double* rows2;              /* [num_rows] */
  double (*h)[MAX_BASIS + 1]; /* [MAX_BASIS] columns of the Hessenberg matrix */
  double cosine[MAX_BASIS], sine[MAX_BASIS], g[MAX_BASIS + 1];
} krylov;

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* w = (A + JᵀGJ) H^-1 q. */
static void apply(cr_system* system, const double* G, krylov* k, const double* q, double* w) {
  memcpy(k->z, q, sizeof(double) * (size_t)k->n);
  cr_system_solve(system, k->z);
  cr_problem_apply_J(system->problem, k->z, k->rows, system->scratch_local);
  cr_system_multiply_G(system, G, k->rows, k->rows2);
  cr_system_multiply_A(system, k->z, w);
  cr_problem_add_J_transposed(system->problem, k->rows2, w, system->scratch_local);
}

static void rotate(double c, double s, double* a, double* b) {
  double t = c * *a + s * *b;
  *b = -s * *a + c * *b;
  *a = t;
}

/* Orthogonalises basis vector j + 1 and reduces column j of the Hessenberg matrix. */
static void extend(krylov* k, int j) {
  double* w = k->basis + (size_t)(j + 1) * (size_t)k->n;
  double* h = k->h[j];
  for (int i = 0; i <= j; i++) {
    const double* q = k->basis + (size_t)i * (size_t)k->n;
    h[i] = dot(q, w, k->n);
    for (int r = 0; r < k->n; r++) w[r] -= h[i] * q[r];
  }
  double norm = sqrt(dot(w, w, k->n));
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

/* x = H^-1 (basis times the least-squares solution). */
static void finish(cr_system* system, krylov* k, double* x) {
  double y[MAX_BASIS];
  for (int i = k->size - 1; i >= 0; i--) {
    y[i] = k->g[i];
    for (int j = i + 1; j < k->size; j++) y[i] -= k->h[j][i] * y[j];
    y[i] /= k->h[i][i];
  }
  memset(x, 0, sizeof(double) * (size_t)k->n);
  for (int j = 0; j < k->size; j++) {
    const double* q = k->basis + (size_t)j * (size_t)k->n;
    for (int r = 0; r < k->n; r++) x[r] += y[j] * q[r];
  }
  cr_system_solve(system, x);
}

static bool allocate(krylov* k, const cr_problem* p, int basis, cr_arena* arena) {
  k->n = p->pattern.num_rows;
  k->basis = CR_SCRATCH(arena, double, (size_t)k->n*(size_t)(basis + 1));
  k->z = CR_SCRATCH(arena, double, k->n);
  k->rows = CR_SCRATCH(arena, double, p->num_rows);
  k->rows2 = CR_SCRATCH(arena, double, p->num_rows);
  k->h = cr_arena_push_scratch(arena, sizeof(double[MAX_BASIS + 1]) * (size_t)basis);
  return !arena->failed;
}

int cr_gmres_solve(cr_system* system, const double* G, double tolerance, int max_iterations,
                   cr_arena* arena, double* x) {
  krylov k = {0};
  int limit = max_iterations < MAX_BASIS ? max_iterations : MAX_BASIS;
  size_t mark = cr_arena_mark_scratch(arena);
  if (!allocate(&k, system->problem, limit, arena)) return -1;
  double norm = sqrt(dot(x, x, k.n));
  if (norm > 0) {
    for (int i = 0; i < k.n; i++) k.basis[i] = x[i] / norm;
    k.g[0] = norm;
    while (k.size < limit && fabs(k.g[k.size]) > tolerance * norm) {
      const double* q = k.basis + (size_t)k.size * (size_t)k.n;
      apply(system, G, &k, q, k.basis + (size_t)(k.size + 1) * (size_t)k.n);
      extend(&k, k.size++);
    }
    finish(system, &k, x);
  }
  cr_arena_pop_scratch(arena, mark);
  return k.size;
}
