/* The laws of S by Newton's method in c: (1 + (G' - G) C) dc = h, where G' and h linearise them
 * anew. Where S may be large, constraints whose G' is the factor's G, which have rows of the
 * identity, are left out of the system. Where nearly rigid contacts hold Newton up, block
 * Gauss-Seidel sweeps over their impulses, each block solved exactly, find the states from which it
 * converges. */
#include "solve/elimination.h"

#include "math/scalar.h"
#include "math/small.h"

#include <string.h>

#define ROWS          CR_ELIMINATION_ROWS
#define GAIN          0.5  /* of the merit's root that must be left at most */
#define DONE          0.1  /* of what the others have left is a small root of the merit */
#define DONE_THOROUGH 1e-4 /* of merit that is none */
#define STEPS         8    /* of Newton's method */
#define STEPS_MOST    12
#define LEAST_STEP    1e-2
#define HOLDS         0.9 /* of the merit that is left of a step that holds Newton up */
#define STALLS        4   /* such steps at most */
#define SWEEPS        20
#define SWEEP_ROWS    36 /* K of more takes longer than it saves */

double cr_elimination_merit(const cr_elimination* x, const cr_law_mode* mode, int kind, int first,
                            int count) {
  cr_law_batch part = cr_law_slice(&x->system->batch[kind], first, count);
  return cr_law_get(kind)->merit(&part, &x->point, mode);
}

const double* cr_elimination_get_G(const cr_elimination* x, int m) {
  return x->memory->G + x->system->problem->room * m;
}

/* Moves S to where c + alpha step takes it; returns its merit there. */
static double move(cr_elimination* x, const cr_law_mode* mode, double alpha, const double* step) {
  double merit = 0, dv[ROWS] = {0};
  for (int a = 0; a < x->rows; a++) {
    for (int b = 0; b < x->rows; b++)
      dv[a] += x->memory->C[ROWS * a + b] * (x->c[b] + alpha * step[b]);
  }
  for (int k = 0, m = 0; k < x->count; k++) {
    const cr_elimination_constraint* one = &x->chosen[k];
    const double* G = cr_elimination_get_G(x, m);
    for (int a = 0; a < one->rows; a++) {
      double pull = 0;
      for (int b = 0; b < one->rows; b++) pull += G[one->rows * a + b] * dv[m + b];
      x->memory->v_c[one->row + a] = x->v_c[m + a] + dv[m + a];
      x->memory->gamma[one->row + a] = x->gamma[m + a] + x->c[m + a] + alpha * step[m + a] - pull;
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

/* Constraints of S whose linearisation is not the factor's; all of them where S is small. */
typedef struct active {
  int count, rows;
  int chosen[ROWS]; /* [count] which of S */
  int at[ROWS];     /* [rows] which row of S */
  bool is[ROWS];    /* [rows of S] */
} active;

/* Linearises the laws of S where they are: h, and G' - G of the active ones [room, rows of S]. */
static void linearize(cr_elimination* x, const cr_law_mode* mode, active* list, double* h,
                      double* dG) {
  int room = x->system->problem->room;
  list->count = list->rows = 0;
  for (int k = 0, m = 0; k < x->count; k++) {
    const cr_elimination_constraint* one = &x->chosen[k];
    int rows = one->rows, size = rows * rows;
    cr_law_batch part = cr_law_slice(&x->system->batch[one->kind], one->index, 1);
    cr_law_get(one->kind)->linearize(&part, &x->point, mode, x->linear);
    double* G = x->linear->G + room * one->row;
    const double* before = cr_elimination_get_G(x, m);
    bool is_active = !x->is_thorough;
    for (int i = 0; i < size; i++) {
      dG[room * m + i] = G[i] - before[i];
      is_active |= G[i] != before[i];
    }
    memcpy(G, before, sizeof(double) * (size_t)size);
    if (is_active) list->chosen[list->count++] = k;
    for (int a = 0; a < rows; a++, m++) {
      h[m] = x->linear->h[one->row + a];
      list->is[m] = is_active;
      if (is_active) list->at[list->rows++] = m;
    }
  }
}

/* The step of all of S from h: what is not active goes by its h, and the active ones see it. */
static void solve_step(cr_elimination* x, const active* list, const double* dG, double* h) {
  int room = x->system->problem->room, n = list->rows;
  double right[ROWS];
  for (int k = 0, i = 0; k < list->count; k++) {
    int rows = x->chosen[list->chosen[k]].rows, first = list->at[i];
    for (int a = 0; a < rows; a++, i++) {
      double row[ROWS] = {0}, *M = x->memory->M + n * i;
      row[first + a] = 1;
      for (int b = 0; b < rows; b++)
        scalar_axpy(row, dG[room * first + rows * a + b], x->memory->C + ROWS * (first + b),
                    x->rows, row);
      right[i] = h[first + a];
      for (int j = 0; j < x->rows; j++) right[i] -= list->is[j] ? 0 : row[j] * h[j];
      for (int j = 0; j < n; j++) M[j] = row[list->at[j]];
    }
  }
  small_solve(x->memory->M, n, right, 1);
  for (int i = 0; i < n; i++) h[list->at[i]] = right[i];
}

/* Halves the step until the merit of S falls; returns what that then is. */
static double search(cr_elimination* x, const cr_law_mode* mode, double merit, const double* step) {
  for (double alpha = 1; alpha > LEAST_STEP; alpha *= 0.5) {
    double next = move(x, mode, alpha, step);
    if (!(next < merit)) continue;
    for (int k = 0; k < x->rows; k++) x->c[k] += alpha * step[k];
    return next;
  }
  return merit;
}

static double step_newton(cr_elimination* x, const cr_law_mode* mode, double merit) {
  active list = {0};
  double step[ROWS] = {0}, dG[ROWS * CR_LAW_MAX_ROWS] = {0};
  linearize(x, mode, &list, step, dG);
  solve_step(x, &list, dG, step);
  return search(x, mode, merit, step);
}

/* --- Gauss-Seidel -------------------------------------------------------------------------------
 */

/* The active constraints as a problem in their impulses alone: velocities are v + K gamma with
 * K = (1 - C G)^-1 C, since the factor's G resists no more. */
typedef struct dual {
  active list;
  double v[ROWS]; /* less v_hat */
  double pull[ROWS], gamma[ROWS];
} dual;

/* K, of the active rows. */
static void invert(cr_elimination* x, const active* list) {
  int n = list->rows;
  double *K = x->memory->K, *M = x->memory->M;
  for (int i = 0; i < n; i++) {
    const double* C = x->memory->C + ROWS * list->at[i];
    for (int j = 0; j < n; j++) K[n * i + j] = C[list->at[j]], M[n * i + j] = i == j;
    for (int k = 0, m = 0; k < list->count; k++) {
      int rows = x->chosen[list->chosen[k]].rows, first = list->at[m];
      const double* G = cr_elimination_get_G(x, first);
      for (int a = 0; a < rows; a++, m++)
        for (int b = 0; b < rows; b++) M[n * i + m] -= C[first + b] * G[rows * b + a];
    }
  }
  small_solve(M, n, K, n);
}

/* The rows' G times y; all of the active ones. */
static void multiply_G(const cr_elimination* x, const active* list, const double* y, double* G_y) {
  for (int k = 0, m = 0; k < list->count; k++) {
    int rows = x->chosen[list->chosen[k]].rows;
    const double* G = cr_elimination_get_G(x, list->at[m]);
    for (int a = 0; a < rows; a++) {
      G_y[m + a] = 0;
      for (int b = 0; b < rows; b++) G_y[m + a] += G[rows * a + b] * y[m + b];
    }
    m += rows;
  }
}

static void start_dual(cr_elimination* x, dual* d) {
  const active* list = &d->list;
  double held[ROWS] = {0}, G_held[ROWS] = {0};
  for (int i = 0; i < list->rows; i++) {
    const double* C = x->memory->C + ROWS * list->at[i];
    held[i] = 0;
    for (int j = 0; j < x->rows; j++) held[i] += list->is[j] ? 0 : C[j] * x->c[j];
  }
  multiply_G(x, list, held, G_held);
  for (int i = 0; i < list->rows; i++) d->pull[i] = x->gamma[list->at[i]] - G_held[i];
  for (int i = 0; i < list->rows; i++)
    d->v[i] = x->v_c[list->at[i]] + held[i] -
              scalar_dot(x->memory->K + list->rows * i, d->pull, list->rows);
  for (int k = 0, m = 0; k < list->count; k++) {
    const cr_elimination_constraint* one = &x->chosen[list->chosen[k]];
    for (int a = 0; a < one->rows; a++, m++) {
      int row = one->row + a;
      d->v[m] += (x->mode->shift ? x->mode->shift[row] : 0) - x->system->v_hat[row];
      d->gamma[m] = x->point.gamma[row];
    }
  }
}

/* The problem of one constraint, whose rows begin at the m-th, with all others held. */
static void relax(cr_elimination* x, dual* d, const cr_elimination_constraint* one, int m) {
  int n = d->list.rows, rows = one->rows;
  double M[CR_LAW_MAX_ROWS * CR_LAW_MAX_ROWS], b[CR_LAW_MAX_ROWS];
  for (int a = 0; a < rows; a++) {
    const double* K = x->memory->K + n * (m + a);
    b[a] = d->v[m + a] + scalar_dot(K, d->gamma, n) - scalar_dot(K + m, d->gamma + m, rows);
    for (int j = 0; j < rows; j++)
      M[rows * a + j] = K[m + j] + (a == j ? x->system->R[one->row + a] : 0);
  }
  const double* parameter = x->system->batch[one->kind].parameter + 2 * one->index;
  cr_law_get(one->kind)->minimize(M, b, parameter, d->gamma + m);
}

/* c from the impulses. */
static void finish_dual(cr_elimination* x, const dual* d) {
  int n = d->list.rows;
  double change[ROWS] = {0}, y[ROWS] = {0}, G_y[ROWS] = {0};
  for (int i = 0; i < n; i++) change[i] = d->gamma[i] - d->pull[i];
  for (int i = 0; i < n; i++) y[i] = scalar_dot(x->memory->K + n * i, change, n);
  multiply_G(x, &d->list, y, G_y);
  for (int i = 0; i < n; i++) x->c[d->list.at[i]] = change[i] + G_y[i];
}

/* c by sweeps from where S is; its merit there. */
static double sweep(cr_elimination* x, const cr_law_mode* mode) {
  dual d = {0};
  double h[ROWS], dG[ROWS * CR_LAW_MAX_ROWS] = {0};
  linearize(x, mode, &d.list, h, dG);
  if (d.list.rows > SWEEP_ROWS) return stay(x, mode);
  invert(x, &d.list);
  start_dual(x, &d);
  for (int i = 0; i < SWEEPS; i++)
    for (int k = 0, m = 0; k < d.list.count; k++) {
      const cr_elimination_constraint* one = &x->chosen[d.list.chosen[k]];
      relax(x, &d, one, m);
      m += one->rows;
    }
  finish_dual(x, &d);
  return stay(x, mode);
}

/* --- Both ---------------------------------------------------------------------------------------
 */

/* Newton's method until it is held up. */
static bool solve_briefly(cr_elimination* x) {
  double first = stay(x, x->mode), merit = first, before = INFINITY;
  double little = scalar_max(DONE * DONE * x->rest, DONE * x->enough);
  for (int i = 0; i < STEPS && merit > little && merit < before; i++) {
    before = merit;
    merit = step_newton(x, x->mode, merit);
  }
  return merit < GAIN * GAIN * first;
}

/* Where Newton is held up, Gauss-Seidel and the other scale of projections take turns. */
static bool solve_thoroughly(cr_elimination* x) {
  cr_law_mode mode = *x->mode;
  double first = stay(x, &mode), merit = first, best = first, c[ROWS];
  double little = DONE_THOROUGH * x->enough;
  memcpy(c, x->c, sizeof c);
  for (int i = 0, stalls = 0; i < STEPS_MOST && merit > little; i++) {
    double before = merit;
    merit = step_newton(x, &mode, merit);
    if (mode.alternate == x->mode->alternate && merit < best) {
      best = merit;
      memcpy(c, x->c, sizeof c);
    }
    if (merit <= HOLDS * before) continue;
    if (stalls == STALLS) break;
    if (stalls++ % 2 == 1) mode.alternate = !mode.alternate;
    merit = stalls % 2 == 1 ? sweep(x, &mode) : stay(x, &mode);
  }
  merit = stay(x, x->mode);
  if (!(merit < best)) {
    memcpy(x->c, c, sizeof c);
    merit = stay(x, x->mode);
  }
  return merit < GAIN * GAIN * first;
}

bool cr_elimination_solve(cr_elimination* x) {
  return x->is_thorough ? solve_thoroughly(x) : solve_briefly(x);
}
