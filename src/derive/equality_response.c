/* With the factor W = L Lᵀ of the pivots, z = L⁻¹ w of what is wanted, z' as far as it is allowed
 * and y = L z', and with Phi the lower half of L⁻¹ (dW) L⁻ᵀ, half of its diagonal with it,
 *
 *   dL = L Phi,    dz = L⁻¹ dw - Phi z,    dy = L (Phi z' + dz');
 *
 * where z_k is bounded |z'_k|² = allowed min(1, L_kk² / SINGULAR), so that dz'_k = z'_k (d allowed
 * / allowed / 2 + Phi_kk), Phi_kk where it fades. All is scaled by sqrt(allowed / |z'|²) where that
 * is less than 1. */
#include "derive/equality_response.h"

#include <math.h>
#include <string.h>

/* --- The factor ---------------------------------------------------------------------------------
 */

static void factor(cr_equality_response* e) {
  const cr_equality_bounds* b = e->bounds;
  int r = b->num_pivots;
  for (int i = 0; i < r; i++)
    for (int j = 0; j <= i; j++) {
      double sum = cr_equality_entry(b->W, b->count, b->pivot[i], b->pivot[j]);
      for (int k = 0; k < j; k++) sum -= e->L[i * r + k] * e->L[j * r + k];
      e->L[i * r + j] = i == j ? sqrt(sum) : sum / e->L[j * r + j];
    }
}

/* x <- L⁻¹ x, and L⁻ᵀ x. */
static void solve(const cr_equality_response* e, double* x) {
  int r = e->bounds->num_pivots;
  for (int i = 0; i < r; i++) {
    for (int k = 0; k < i; k++) x[i] -= e->L[i * r + k] * x[k];
    x[i] /= e->L[i * r + i];
  }
}

static void solve_transposed(const cr_equality_response* e, double* x) {
  int r = e->bounds->num_pivots;
  for (int i = r - 1; i >= 0; i--) {
    for (int k = i + 1; k < r; k++) x[i] -= e->L[k * r + i] * x[k];
    x[i] /= e->L[i * r + i];
  }
}

static void note_border(cr_equality_response* e, int k, double border) {
  e->border[k] = border;
  e->any_near |= border < CR_DERIVE_NEAR_KINK;
}

/* What is taken of z; where that begins to be less there may be a kink, and there is one where a
 * bounded row and another change places. */
static void cut(cr_step_tangent* t, cr_equality_response* e) {
  const cr_equality_bounds* b = e->bounds;
  int r = b->num_pivots;
  for (int k = 0; k < r; k++) {
    double pivot = e->L[k * r + k] * e->L[k * r + k], fades = pivot / CR_EQUALITY_SINGULAR;
    double most = sqrt(b->allowed * fmin(1, fades));
    e->is_cut[k] = fabs(e->z[k]) > most;
    e->taken[k] = e->is_cut[k] ? copysign(most, e->z[k]) : e->z[k];
    note_border(e, k, most > 0 ? fabs(fabs(e->z[k]) / most - 1) : INFINITY);
    if (!e->is_cut[k]) continue;
    e->is_plain = false;
    cr_step_tangent_mark_kink(t, fmin(fabs(fades - 1), 1 - b->rival[k] / pivot));
  }
  if (!(b->size > 0)) return;
  double size = b->allowed / b->size;
  if (size < 1) e->share = sqrt(size), e->is_plain = false;
  note_border(e, r, fabs(size - 1));
}

void cr_equality_response_mark(cr_step_tangent* t, const cr_equality_response* e) {
  for (int k = 0; k <= e->bounds->num_pivots; k++)
    if (e->border[k] >= CR_DERIVE_NEAR_KINK || e->is_felt[k])
      cr_step_tangent_mark_kink(t, e->border[k]);
}

bool cr_equality_response_find(cr_step_tangent* t, const cr_equality_bounds* bounds,
                               cr_equality_response* e) {
  size_t r = (size_t)bounds->num_pivots;
  *e = (cr_equality_response){.bounds = bounds,
                              .L = CR_PUSH(t->arena, double, r* r),
                              .z = CR_PUSH(t->arena, double, r),
                              .taken = CR_PUSH(t->arena, double, r),
                              .is_cut = CR_PUSH(t->arena, bool, r),
                              .share = 1,
                              .is_plain = true,
                              .border = CR_PUSH(t->arena, double, r + 1),
                              .is_felt = CR_PUSH(t->arena, bool, r + 1),
                              .X = CR_PUSH(t->arena, double, r* r),
                              .dz = CR_PUSH(t->arena, double, r)};
  if (t->arena->failed) return false;
  for (size_t k = 0; k <= r; k++) e->border[k] = INFINITY, e->is_felt[k] = false;
  factor(e);
  for (size_t k = 0; k < r; k++) e->z[k] = bounds->wanted[bounds->pivot[k]];
  solve(e, e->z);
  cut(t, e);
  return true;
}

/* --- Its derivative -----------------------------------------------------------------------------
 */

/* Phi in X. */
static void find_phi(const cr_equality_response* e, const double* W) {
  const cr_equality_bounds* b = e->bounds;
  int r = b->num_pivots;
  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < r; i++) {
      double* row = e->X + i * r;
      for (int j = 0; j < r && half == 0; j++)
        row[j] = cr_equality_entry(W, b->count, b->pivot[i], b->pivot[j]);
      solve(e, row);
    }
    for (int i = 0; i < r; i++) /* the other side next */
      for (int j = 0; j < i; j++) {
        double x = e->X[i * r + j];
        e->X[i * r + j] = e->X[j * r + i], e->X[j * r + i] = x;
      }
  }
  for (int i = 0; i < r; i++) {
    e->X[i * r + i] *= 0.5;
    for (int j = i + 1; j < r; j++) e->X[i * r + j] = 0;
  }
}

/* Entry i of a lower half times x. */
static double multiply_row(const double* M, int r, int i, const double* x) {
  double sum = 0;
  for (int k = 0; k <= i; k++) sum += M[i * r + k] * x[k];
  return sum;
}

/* A bound that is near, and what a column does on either side of it: a motion that is scaled down
 * to what is allowed already is at its bound, and stays there. */
static void compare(const cr_equality_response* e, int k, double held, double free) {
  double size = fabs(held) + fabs(free), least = CR_DERIVE_NEAR_KINK * sqrt(e->bounds->allowed);
  if (!(e->border[k] < CR_DERIVE_NEAR_KINK)) return;
  e->is_felt[k] |= fabs(held - free) > fmax(CR_DERIVE_FELT * size, least);
}

/* dz', and half of d|z'|². */
static double move_taken(const cr_equality_response* e, const cr_equality_move* move) {
  const cr_equality_bounds* b = e->bounds;
  int r = b->num_pivots;
  double sum = 0;
  for (int k = 0; k < r; k++) e->dz[k] = move->wanted[b->pivot[k]];
  solve(e, e->dz);
  for (int k = 0; k < r; k++) {
    double pivot = e->L[k * r + k] * e->L[k * r + k];
    bool fades = pivot < CR_EQUALITY_SINGULAR && move->W;
    double free = e->dz[k] - (move->W ? multiply_row(e->X, r, k, e->z) : 0);
    double held = e->taken[k] * (0.5 * move->allowed / b->allowed + (fades ? e->X[k * r + k] : 0));
    compare(e, k, held, free);
    e->dz[k] = e->is_cut[k] ? held : free;
    sum += e->taken[k] * e->dz[k];
  }
  if (b->size > 0) compare(e, r, 0.5 * move->allowed / sqrt(b->allowed), sum / sqrt(b->allowed));
  return sum;
}

void cr_equality_response_apply(const cr_equality_response* e, const cr_equality_move* move,
                                double* out) {
  const cr_equality_bounds* b = e->bounds;
  int r = b->num_pivots;
  memset(out, 0, sizeof(double) * (size_t)b->num_first);
  for (int k = 0; k < r && e->is_plain; k++) out[b->pivot[k]] = move->wanted[b->pivot[k]];
  if (e->is_plain && !e->any_near) return;
  if (move->W) find_phi(e, move->W);
  double half = move_taken(e, move), share = 0;
  if (e->is_plain) return;
  if (e->share < 1) share = e->share * (0.5 * move->allowed / b->allowed - half / b->size);
  for (int k = 0; k < r && move->W; k++) e->dz[k] += multiply_row(e->X, r, k, e->taken);
  for (int k = 0; k < r; k++)
    out[b->pivot[k]] =
        e->share * multiply_row(e->L, r, k, e->dz) + share * multiply_row(e->L, r, k, e->taken);
}

void cr_equality_response_find_rest(const cr_equality_response* e, int at, double* u) {
  const cr_equality_bounds* b = e->bounds;
  for (int k = 0; k < b->num_pivots; k++)
    e->dz[k] = cr_equality_entry(b->W, b->count, at, b->pivot[k]);
  solve(e, e->dz);
  solve_transposed(e, e->dz);
  memset(u, 0, sizeof(double) * (size_t)b->count);
  for (int k = 0; k < b->num_pivots; k++) u[b->pivot[k]] = -e->dz[k];
  u[at] = 1;
}
