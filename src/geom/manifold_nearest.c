/* Nearest points follow the motion of B, A at rest, by the laws of their parts (part.h). With da
 * and db, the displacements of the points, dn, that of the normal from A to B, all across it, and
 * the twist (w, v) of B about its centre p,
 *
 *   C_a da = D_a dn,   C_b (db - V) = -D_b (dn - w x n),   db - da = d dn,   V = v + w x (b - p):
 *
 * four equations for da and dn once db is put in. The first order of the same conditions at points
 * that do not fulfil them yet is Newton's step to those that do. */
#include "geom/manifold_nearest.h"

#include "math/small.h"

/* Inverse condition of equations below which they determine nothing. */
#define SINGULAR 1e-9

/* Newton's steps from 1e-4 to round-off. */
#define POLISHES 3

bool cr_nearest_solve(double* A, int n, double* B) {
  double copy[16], inverse[16] = {0}, largest = 0;
  for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(copy[i] = A[i]));
  for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
  small_solve(copy, n, inverse, n);
  for (int i = 0; i < n * n; i++)
    if (!(fabs(inverse[i]) * largest < 1 / SINGULAR)) return false;
  small_solve(A, n, B, JET_SIZE);
  return true;
}

/* Lengths in terms of the size; rows of A, then of B; columns da, dn. */
typedef struct equations {
  v3 t[2]; /* unit, across n */
  double C[2][2][2], D[2][2][2], A[4][4], X[4][JET_SIZE];
} equations;

static equations find_equations(const cr_nearest* nearest) {
  equations e = {.X = {{0}}};
  double d = nearest->distance / nearest->size;
  v3_tangents(nearest->n.x, &e.t[0], &e.t[1]);
  for (int s = 0; s < 2; s++)
    cr_part_find_law(&nearest->part[s], e.t, nearest->size, e.C[s], e.D[s]);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      e.A[i][k] = e.C[0][i][k];
      e.A[i][2 + k] = -e.D[0][i][k];
      e.A[2 + i][k] = e.C[1][i][k];
      e.A[2 + i][2 + k] = e.C[1][i][k] * d + e.D[1][i][k];
    }
  return e;
}

/* Adds M times the components of x across n to column j of the rows of a side. */
static void add_product(equations* e, double M[2][2], v3 x, int side, int j) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) e->X[2 * side + i][j] += M[i][k] * v3_dot(e->t[k], x);
}

/* Column j of da (row 0) or dn (row 2) as a vector. */
static v3 get_column(const equations* e, int row, int j) {
  return v3_axpy(v3_scale(e->X[row][j], e->t[0]), e->X[row + 1][j], e->t[1]);
}

/* A Newton step; false where the points are not unique. */
static bool polish_once(cr_nearest* nearest) {
  equations e = find_equations(nearest);
  cr_part* part = nearest->part;
  v3 n = nearest->n.x, apart = v3_sub(part[1].x, part[0].x);
  apart = v3_axpy(apart, -v3_dot(apart, n), n);
  add_product(&e, e.C[1], v3_scale(1 / nearest->size, apart), 1, 0);
  for (int s = 0; s < 2; s++) add_product(&e, e.D[s], v3_neg(cr_part_find_miss(&part[s])), s, 0);
  if (!cr_nearest_solve(e.A[0], 4, e.X[0])) return false;
  v3 dn = get_column(&e, 2, 0), da = v3_scale(nearest->size, get_column(&e, 0, 0));
  v3 db = v3_sub(v3_axpy(da, nearest->distance, dn), apart);
  nearest->n.x = v3_normalize_or(v3_add(n, dn), n);
  cr_part_move(&part[0], da, nearest->n.x);
  cr_part_move(&part[1], db, v3_neg(nearest->n.x));
  return true;
}

void cr_nearest_polish(cr_nearest* nearest) {
  for (int i = 0; i < POLISHES && polish_once(nearest); i++) continue;
}

bool cr_nearest_differentiate(cr_nearest* nearest) {
  equations e = find_equations(nearest);
  jet3 b = cr_mover_carry_point(&nearest->mover[1], nearest->part[1].x);
  jet3 n = cr_mover_carry_vector(&nearest->mover[1], nearest->n.x);
  for (int j = 0; j < JET_SIZE; j++) {
    add_product(&e, e.C[1], v3_scale(1 / nearest->size, b.d[j]), 1, j);
    add_product(&e, e.D[1], n.d[j], 1, j);
  }
  if (!cr_nearest_solve(e.A[0], 4, e.X[0])) return false;
  nearest->x[0] = jet3_constant(nearest->part[0].x);
  nearest->x[1] = b;
  for (int j = 0; j < JET_SIZE; j++) {
    v3 da = v3_scale(nearest->size, get_column(&e, 0, j)), dn = get_column(&e, 2, j);
    v3 along = v3_scale(v3_dot(n.x, b.d[j]), n.x);
    nearest->n.d[j] = dn;
    nearest->x[0].d[j] = da;
    nearest->x[1].d[j] = v3_add(along, v3_axpy(da, nearest->distance, dn));
  }
  return true;
}
