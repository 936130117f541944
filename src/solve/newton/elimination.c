/* The laws of S by Newton's method in c: (1 + (G' - G) C) dc = h, where G' and h linearise them
 * anew. Where S may be large, constraints whose G' is the factor's G, which have rows of the
 * identity, are left out of the system. Where nearly rigid contacts hold Newton up, the problem in
 * their impulses (elimination_dual.c) finds the states from which it converges. */
#include "solve/newton/elimination.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "math/small.h"
#include "solve/newton/elimination_dual.h"
#include "solve/tuning.h"

#include <string.h>

enum { ROWS = CR_ELIMINATION_ROWS };

static void clear(double* x, int count) { memset(x, 0, sizeof(double) * (size_t)count); }

/* Moves S to where c + alpha step takes it; returns its merit there. */
static double move(cr_elimination* x, const cr_law_mode* mode, double alpha, const double* step) {
  double merit = 0, c[ROWS] = {0}, dv[ROWS] = {0};
  for (int a = 0; a < x->rows; a++) c[a] = x->c[a] + alpha * step[a];
  for (int a = 0; a < x->rows; a++) dv[a] = scalar_dot(cr_elimination_get_C(x, a), c, x->rows);
  for (int k = 0, m = 0; k < x->count; k++) {
    const cr_elimination_constraint* one = &x->chosen[k];
    const double* G = cr_elimination_get_G(x, m);
    for (int a = 0; a < one->rows; a++) {
      double pull = 0;
      for (int b = 0; b < one->rows; b++) pull += G[one->rows * a + b] * dv[m + b];
      x->memory->v_c[one->row + a] = x->v_c[m + a] + dv[m + a];
      x->memory->gamma[one->row + a] = x->gamma[m + a] + c[m + a] - pull;
    }
    m += one->rows;
    merit += cr_elimination_merit(x, mode, one->kind, one->index, 1);
  }
  return merit;
}

static double stay(cr_elimination* x, const cr_law_mode* mode) {
  static const double none[ROWS] = {0};
  return move(x, mode, 0, none);
}

/* --- Newton -------------------------------------------------------------------------------------
 */

/* Which constraints are active: all where S is small, */
typedef enum choice {
  CHANGED, /* else those whose linearisation is not the factor's, */
  LEFT,    /* or was not somewhere on the way, */
  ALL,     /* or all. */
} choice;

/* Linearises the laws of S where they are: h, and G' - G of the active ones [ld, rows of S]. With
 * the De Saxce term G' is what has it, G is the factor's all the same. */
static void linearize(cr_elimination* x, const cr_law_mode* mode, choice which,
                      cr_elimination_active* list, double* h, double* dG) {
  int ld = x->system->problem->ld;
  list->count = list->rows = 0;
  clear(h, x->rows), clear(dG, ld * x->rows);
  for (int k = 0, m = 0; k < x->count; k++) {
    const cr_elimination_constraint* one = &x->chosen[k];
    int rows = one->rows, size = rows * rows;
    cr_law_batch part = cr_law_slice(&x->system->batch[one->kind], one->index, 1);
    cr_law_get(one->kind)->linearize(&part, &x->point, mode, x->linear);
    double* G = x->linear->G + ld * one->row;
    const double* now = mode->coulomb > 0 ? x->linear->G_coulomb + ld * one->row : G;
    const double* before = cr_elimination_get_G(x, m);
    bool is_active = !cr_elimination_is_thorough(x) || which == ALL;
    for (int i = 0; i < size; i++) {
      dG[ld * m + i] = now[i] - before[i];
      is_active |= now[i] != before[i];
    }
    CR_COPY(G, before, size);
    x->has_left[k] |= is_active;
    is_active |= which == LEFT && x->has_left[k];
    if (is_active) list->chosen[list->count++] = k;
    for (int a = 0; a < rows; a++, m++) {
      h[m] = x->linear->h[one->row + a];
      list->is[m] = is_active;
      if (is_active) list->at[list->rows++] = m;
    }
  }
}

/* The step of all of S from h: what is not active goes by its h, and the active ones see it. */
static void solve_step(cr_elimination* x, const cr_elimination_active* list, const double* dG,
                       double* h) {
  int ld = x->system->problem->ld, n = list->rows;
  double right[ROWS];
  for (int k = 0, i = 0; k < list->count; k++) {
    int rows = x->chosen[list->chosen[k]].rows, first = list->at[i];
    for (int a = 0; a < rows; a++, i++) {
      double row[ROWS], *M = x->memory->M + n * i;
      clear(row, x->rows);
      row[first + a] = 1;
      for (int b = 0; b < rows; b++)
        scalar_axpy(row, dG[ld * first + rows * a + b], cr_elimination_get_C(x, first + b), x->rows,
                    row);
      right[i] = h[first + a];
      for (int j = 0; j < x->rows; j++) right[i] -= list->is[j] ? 0 : row[j] * h[j];
      for (int j = 0; j < n; j++) M[j] = row[list->at[j]];
    }
  }
  small_solve_with(x->system->H.kernels->subtract_rows, x->memory->M, n, right, 1);
  for (int i = 0; i < n; i++) h[list->at[i]] = right[i];
}

/* Halves the step until the merit of S falls; returns what that then is. */
static double search(cr_elimination* x, const cr_law_mode* mode, double merit, const double* step) {
  for (double alpha = 1; alpha > CR_LEAST_STEP; alpha *= 0.5) {
    double next = move(x, mode, alpha, step);
    if (!(next < merit)) continue;
    for (int k = 0; k < x->rows; k++) x->c[k] += alpha * step[k];
    return next;
  }
  return merit;
}

static double step_newton(cr_elimination* x, const cr_law_mode* mode, double merit) {
  cr_elimination_active list = {0};
  double step[ROWS], dG[ROWS * CR_LAW_MAX_ROWS];
  linearize(x, mode, CHANGED, &list, step, dG);
  solve_step(x, &list, dG, step);
  return search(x, mode, merit, step);
}

/* --- Both ---------------------------------------------------------------------------------------
 */

/* Merit of S that is none beside what the others have left. */
static double find_little(const cr_elimination* x) {
  return scalar_max(CR_DONE * CR_DONE * x->rest, CR_DONE * x->enough);
}

/* Newton's method until it is held up. */
static bool solve_briefly(cr_elimination* x) {
  double first = stay(x, x->mode), merit = first, before = INFINITY;
  double little = find_little(x);
  for (int i = 0; i < CR_STEPS && merit > little && merit < before; i++) {
    before = merit;
    merit = step_newton(x, x->mode, merit);
  }
  return merit < CR_GAIN * CR_GAIN * first;
}

/* A constraint that the interior point leaves to its linearisation may be what holds Newton up, at
 * the edge of another state. */
static choice choose_active(const cr_law_mode* mode, bool sweeps) {
  if (mode->coulomb > 0) return CHANGED;
  return sweeps ? LEFT : ALL;
}

/* Gets away from where Newton is held up for the n-th time; returns the merit there. The interior
 * point is of the convex problem. */
static double escape(cr_elimination* x, cr_law_mode* mode, int n) {
  if (n % 2 == 0 || (n > 1 && mode->coulomb > 0)) {
    mode->alternate = !mode->alternate;
    return stay(x, mode);
  }
  cr_elimination_active list = {0};
  double h[ROWS], dG[ROWS * CR_LAW_MAX_ROWS];
  bool sweeps = n == 1;
  linearize(x, mode, choose_active(mode, sweeps), &list, h, dG);
  if (sweeps)
    cr_elimination_sweep(x, &list);
  else
    cr_elimination_run_interior(x, &list);
  return stay(x, mode);
}

/* Where Newton is held up, Gauss-Seidel, an interior point and the other scale of projections take
 * turns. */
static bool solve_thoroughly(cr_elimination* x) {
  cr_law_mode mode = *x->mode;
  double first = stay(x, &mode), merit = first, best = first, c[ROWS];
  double little = find_little(x);
  memcpy(c, x->c, sizeof c);
  for (int i = 0, stalls = 0; i < CR_STEPS && merit > little; i++) {
    double before = merit;
    merit = step_newton(x, &mode, merit);
    if (mode.alternate == x->mode->alternate && merit < best) {
      best = merit;
      memcpy(c, x->c, sizeof c);
    }
    if (merit <= CR_PLATEAU * before) continue;
    if (stalls == CR_STALLS) break;
    merit = escape(x, &mode, ++stalls);
  }
  merit = stay(x, x->mode);
  if (!(merit < best)) {
    memcpy(x->c, c, sizeof c);
    merit = stay(x, x->mode);
  }
  return merit < CR_GAIN * CR_GAIN * first;
}

bool cr_elimination_solve(cr_elimination* x) {
  memset(x->has_left, 0, sizeof(bool) * (size_t)x->count);
  return cr_elimination_is_thorough(x) ? solve_thoroughly(x) : solve_briefly(x);
}
