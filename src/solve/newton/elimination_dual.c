/* The active constraints of S as a problem in their impulses alone: velocities are v + K gamma with
 * K = (1 - C G)^-1 C, since the factor's G resists no more. With G = L Lᵀ that is
 *
 *   K = C + FᵀF,   F = U^-1 LᵀC,   U Uᵀ = 1 - LᵀCL,
 *
 * which keeps the null space that redundant contacts give C: a K that round-off makes 1e-8 there
 * moves impulses whose R is as small.
 *
 * Block Gauss-Seidel finds states that lie near; Mehrotra's predictor-corrector with the laws' own
 * scalings (interior_point.c) finds them where many contacts of one body share its load. There a
 * direction is (1 + G K) dgamma = h, or with G = L Lᵀ a positive definite system:
 * dgamma = L y, (1 + LᵀKL) y = L^-1 h. */
#include "solve/newton/elimination_dual.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "math/small.h"
#include "solve/newton/elimination_matrix.h"
#include "solve/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROWS = CR_ELIMINATION_ROWS };

/* How far Gauss-Seidel goes. */
typedef struct sweep_limits {
  int sweeps, rows; /* of K: more takes longer than it saves */
  double settled;   /* share of all impulses that the last sweep moves */
} sweep_limits;

/* With the De Saxce term, which no interior point knows, sweeps are all there is. */
static const sweep_limits CONVEX = {20, 36, 0}, COULOMB = {500, 96, 1e-4};

typedef struct dual {
  const cr_elimination_active* list;
  double v[ROWS]; /* less v_hat */
  double pull[ROWS], gamma[ROWS];
  double slip[ROWS]; /* the De Saxce terms */
} dual;

/* C, of the active rows. */
static void gather_C(const cr_elimination* x, const cr_elimination_active* list, double* to) {
  int n = list->rows;
  for (int i = 0; i < n; i++) {
    const double* C = cr_elimination_get_C(x, list->at[i]);
    for (int j = 0; j < n; j++) to[n * i + j] = C[list->at[j]];
  }
}

/* L with G = L Lᵀ, of a G that may be singular: what it does not resist has no column. */
static void factor_semidefinite(double* G, int n) {
  for (int i = 0; i < n; i++) {
    double *row = G + n * i, whole = row[i];
    for (int j = 0; j < i; j++) {
      double pivot = G[n * j + j];
      row[j] = pivot > 0 ? (row[j] - scalar_dot(row, G + n * j, j)) / pivot : 0;
    }
    double left = row[i] - scalar_dot(row, row, i);
    row[i] = left > n * n * DBL_EPSILON * whole ? sqrt(left) : 0;
  }
}

static void factor_G(const cr_elimination* x, const cr_elimination_active* list,
                     cr_elimination_matrix* m) {
  for (int k = 0; k < m->count; k++) {
    int rows = m->size[k];
    double* L = cr_elimination_matrix_get_L(m, k);
    CR_COPY(L, cr_elimination_get_G(x, list->at[m->row[k]]), rows * rows);
    factor_semidefinite(L, rows);
  }
}

/* Fᵀ in place of C; false where round-off has left no factor. */
static bool compute_F(const cr_elimination* x, const cr_elimination_active* list, double* C) {
  int n = list->rows;
  cr_elimination_matrix m;
  cr_elimination_matrix_init(&m, x, list);
  factor_G(x, list, &m);
  if (!cr_elimination_matrix_factor(&m, -1, C)) return false;
  double y[CR_SOLVE_GROUP][CR_ELIMINATION_STRIDE] = {{0}};
  for (int i = 0; i < n; i += CR_SOLVE_GROUP) {
    int count = n - i < CR_SOLVE_GROUP ? n - i : CR_SOLVE_GROUP;
    for (int k = 0; k < count; k++) {
      CR_COPY(y[k], C + n * (i + k), n);
      cr_elimination_matrix_multiply_Lt(&m, y[k]);
    }
    cr_elimination_matrix_solve_forward(&m, y[0], count);
    for (int k = 0; k < count; k++) CR_COPY(C + n * (i + k), y[k], n);
  }
  return true;
}

/* K, of the active rows. */
static bool compute_K(cr_elimination* x, const cr_elimination_active* list) {
  int n = list->rows;
  double *F = x->memory->K, *K = x->memory->M;
  gather_C(x, list, F);
  if (!compute_F(x, list, F)) return false;
  gather_C(x, list, K);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      K[n * i + j] += scalar_dot(F + n * i, F + n * j, n);
      K[n * j + i] = K[n * i + j];
    }
  CR_COPY(x->memory->K, K, n * n);
  return true;
}

/* The rows' G times y; all of the active ones. */
static void multiply_G(const cr_elimination* x, const cr_elimination_active* list, const double* y,
                       double* G_y) {
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

/* What c of the others moves the active rows' velocities by. */
static void multiply_held(const cr_elimination* x, const cr_elimination_active* list,
                          double* held) {
  for (int i = 0; i < list->rows; i++) {
    const double* C = cr_elimination_get_C(x, list->at[i]);
    held[i] = 0;
    for (int j = 0; j < x->rows; j++) held[i] += list->is[j] ? 0 : C[j] * x->c[j];
  }
}

/* K, and the problem where S is; false where there is none for round-off. */
static bool start_dual(cr_elimination* x, const cr_elimination_active* list, dual* d) {
  *d = (dual){.list = list};
  double held[ROWS] = {0}, G_held[ROWS] = {0};
  if (!compute_K(x, list)) return false;
  multiply_held(x, list, held);
  multiply_G(x, list, held, G_held);
  for (int i = 0; i < list->rows; i++) d->pull[i] = x->gamma[list->at[i]] - G_held[i];
  for (int i = 0; i < list->rows; i++)
    d->v[i] = x->v_c[list->at[i]] + held[i] -
              scalar_dot(x->memory->K + list->rows * i, d->pull, list->rows);
  for (int k = 0, m = 0; k < list->count; k++) {
    const cr_elimination_constraint* one = &x->chosen[list->chosen[k]];
    for (int row = one->row; row < one->row + one->rows; row++, m++) {
      d->v[m] += (x->mode->shift ? x->mode->shift[row] : 0) - x->system->v_hat[row];
      d->gamma[m] = x->point.gamma[row];
    }
  }
  return true;
}

/* c from the impulses. */
static void finish_dual(cr_elimination* x, const dual* d) {
  int n = d->list->rows;
  double change[ROWS] = {0}, y[ROWS] = {0}, G_y[ROWS] = {0};
  for (int i = 0; i < n; i++) change[i] = d->gamma[i] - d->pull[i];
  for (int i = 0; i < n; i++) y[i] = scalar_dot(x->memory->K + n * i, change, n);
  multiply_G(x, d->list, y, G_y);
  for (int i = 0; i < n; i++) x->c[d->list->at[i]] = change[i] + G_y[i];
}

/* --- Gauss-Seidel -------------------------------------------------------------------------------
 */

/* Solves one constraint, whose rows begin at the m-th, with all others held; returns |dgamma|². */
static double relax(cr_elimination* x, dual* d, const cr_elimination_constraint* one, int m) {
  int n = d->list->rows, rows = one->rows;
  double M[CR_LAW_MAX_ROWS * CR_LAW_MAX_ROWS], b[CR_LAW_MAX_ROWS] = {0};
  for (int a = 0; a < rows; a++) {
    const double* K = x->memory->K + n * (m + a);
    b[a] = d->v[m + a] + scalar_dot(K, d->gamma, n) - scalar_dot(K + m, d->gamma + m, rows);
    for (int j = 0; j < rows; j++)
      M[rows * a + j] = K[m + j] + (a == j ? x->system->R[one->row + a] : 0);
  }
  const double* parameter = x->system->batch[one->kind].parameter + 2 * one->index;
  const cr_law* law = cr_law_get(one->kind);
  if (x->mode->coulomb > 0 && law->is_cone)
    cr_law_add_slip(law, x->mode->coulomb, M, parameter, d->gamma + m, d->slip + m, b);
  double before[CR_LAW_MAX_ROWS], moved = 0;
  CR_COPY(before, d->gamma + m, rows);
  law->minimize(M, b, parameter, d->gamma + m);
  for (int a = 0; a < rows; a++) {
    double change = d->gamma[m + a] - before[a];
    moved += change * change;
  }
  return moved;
}

/* All constraints in turn; returns |dgamma|². */
static double sweep(cr_elimination* x, dual* d) {
  double moved = 0;
  for (int k = 0, m = 0; k < d->list->count; k++) {
    const cr_elimination_constraint* one = &x->chosen[d->list->chosen[k]];
    moved += relax(x, d, one, m);
    m += one->rows;
  }
  return moved;
}

void cr_elimination_sweep(cr_elimination* x, const cr_elimination_active* list) {
  dual d;
  const sweep_limits* limits = x->mode->coulomb > 0 ? &COULOMB : &CONVEX;
  if (list->rows > limits->rows) return;
  if (!start_dual(x, list, &d)) return;
  for (int i = 0; i < limits->sweeps; i++) {
    double moved = sweep(x, &d), size = scalar_dot(d.gamma, d.gamma, list->rows);
    if (moved <= limits->settled * limits->settled * size) break;
  }
  finish_dual(x, &d);
}

/* --- Interior point -----------------------------------------------------------------------------
 */

/* The active constraints with rows of their own, one batch each. */
typedef struct interior {
  cr_elimination* x;
  dual d;
  int kind[ROWS];
  cr_elimination_matrix M; /* 1 + LᵀKL */
  cr_law_batch batch[ROWS];
  double R[ROWS], v_hat[ROWS], v_c[ROWS]; /* of the laws' point; v_hat, which v has, is 0 */
  double G[ROWS * CR_LAW_MAX_ROWS], h[ROWS], dv_c[ROWS];
  double state[CR_LAW_INTERIOR_MOST * ROWS];
} interior;

static const cr_law_interior* get_law(const interior* q, int k) {
  return cr_law_get(q->kind[k])->interior;
}

/* y = K x */
static void multiply_K(const interior* q, const double* x, double* y) {
  for (int i = 0; i < q->M.rows; i++)
    y[i] = scalar_dot(q->x->memory->K + q->M.rows * i, x, q->M.rows);
}

/* v_c of the impulses. */
static void update_velocities(interior* q) {
  multiply_K(q, q->d.gamma, q->v_c);
  for (int i = 0; i < q->M.rows; i++) q->v_c[i] += q->d.v[i];
}

/* Lists the active constraints; the memory is zero. */
static void list_constraints(interior* q) {
  const cr_elimination_active* list = q->d.list;
  cr_elimination_matrix_init(&q->M, q->x, list);
  for (int k = 0, m = 0; k < q->M.count; k++) {
    const cr_elimination_constraint* one = &q->x->chosen[list->chosen[k]];
    q->kind[k] = one->kind;
    q->batch[k] = cr_law_slice(&q->x->system->batch[one->kind], one->index, 1);
    q->batch[k].row = &q->M.row[k];
    for (int a = 0; a < one->rows; a++) q->R[m++] = q->x->system->R[one->row + a];
  }
}

/* Mean over the constraints of 1/2 |v - v_hat|² / scale: the product of point and slack to begin
 * with, as in interior_point.c. */
static double compute_energy(const interior* q) {
  double sum = 0;
  for (int k = 0, m = 0; k < q->M.count; k++)
    for (int a = 0; a < cr_law_get(q->kind[k])->rows; a++, m++)
      sum += 0.5 * q->d.v[m] * q->d.v[m] / *q->batch[k].scale;
  return sum / q->M.count + 1e-300;
}

static void start_interior(interior* q) {
  list_constraints(q);
  update_velocities(q);
  cr_law_point point = {q->R, q->v_hat, q->v_c, q->d.gamma};
  double energy = compute_energy(q);
  for (int k = 0; k < q->M.count; k++)
    get_law(q, k)->start(&q->batch[k], &point, NULL, energy, q->state);
}

/* Impulses of the state, and what follows from them. */
static void update(interior* q) {
  for (int k = 0; k < q->M.count; k++) get_law(q, k)->get_gamma(&q->batch[k], q->state, q->d.gamma);
  update_velocities(q);
}

static double complementarity(const interior* q, double alpha) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < q->M.count; k++)
    sum += get_law(q, k)->complementarity(&q->batch[k], q->state, alpha, &count);
  return count ? sum / count : 0;
}

static void linearize(interior* q, double target, bool corrector) {
  cr_law_point point = {q->R, q->v_hat, q->v_c, q->d.gamma};
  for (int k = 0; k < q->M.count; k++)
    get_law(q, k)->linearize(&q->batch[k], &point, NULL, target, corrector, q->state, q->G, q->h);
}

/* The factors of G and of 1 + LᵀKL. */
static bool factor(interior* q) {
  int ld = q->x->system->problem->ld;
  for (int k = 0; k < q->M.count; k++) {
    int rows = q->M.size[k];
    double* L = cr_elimination_matrix_get_L(&q->M, k);
    CR_COPY(L, q->G + ld * q->M.row[k], rows * rows);
    small_factor(L, rows);
  }
  return cr_elimination_matrix_factor(&q->M, 1, q->x->memory->K);
}

/* y = L^-1 h */
static void start_direction(interior* q, double* y) {
  for (int k = 0; k < q->M.count; k++) {
    const double* L = cr_elimination_matrix_get_L(&q->M, k);
    int first = q->M.row[k], rows = q->M.size[k];
    for (int a = 0; a < rows; a++) {
      double sum = q->h[first + a];
      for (int b = 0; b < a; b++) sum -= L[rows * a + b] * y[first + b];
      y[first + a] = sum / L[rows * a + a];
    }
  }
}

/* dgamma = L y */
static void finish_direction(interior* q, const double* y, double* dgamma) {
  for (int k = 0; k < q->M.count; k++) {
    const double* L = cr_elimination_matrix_get_L(&q->M, k);
    int first = q->M.row[k], rows = q->M.size[k];
    for (int a = 0; a < rows; a++) {
      dgamma[first + a] = 0;
      for (int b = 0; b <= a; b++) dgamma[first + a] += L[rows * a + b] * y[first + b];
    }
  }
}

/* dv_c for the linearisation at hand; returns its longest step, at most 1. */
static double solve_direction(interior* q) {
  double y[CR_ELIMINATION_STRIDE] = {0}, dgamma[ROWS] = {0};
  start_direction(q, y);
  cr_elimination_matrix_solve_forward(&q->M, y, 1);
  cr_elimination_matrix_solve_backward(&q->M, y, 1);
  finish_direction(q, y, dgamma);
  multiply_K(q, dgamma, q->dv_c);
  for (int k = 0; k < q->M.count; k++)
    get_law(q, k)->complete(&q->batch[k], q->dv_c, q->G, q->h, q->state);
  double longest = 1 / CR_FULL_STEP;
  for (int k = 0; k < q->M.count; k++)
    longest = get_law(q, k)->longest_step(&q->batch[k], q->state, longest);
  return longest;
}

/* One predictor and corrector on one factorisation. */
static bool step(interior* q, double mu) {
  linearize(q, 0, false);
  if (!factor(q)) return false;
  double ratio = complementarity(q, fmin(1, solve_direction(q))) / mu;
  linearize(q, ratio * ratio * ratio * mu, true);
  double alpha = fmin(1, CR_FULL_STEP * solve_direction(q));
  for (int k = 0; k < q->M.count; k++) get_law(q, k)->move(&q->batch[k], alpha, q->state);
  update(q);
  return true;
}

void cr_elimination_run_interior(cr_elimination* x, const cr_elimination_active* list) {
  interior q = {.x = x};
  if (!start_dual(x, list, &q.d)) return;
  start_interior(&q);
  update(&q);
  double first = complementarity(&q, 0), mu = first, least = first, best[ROWS];
  memcpy(best, q.d.gamma, sizeof best);
  for (int i = 0, idle = 0; i < CR_MOST && idle < 6 && mu > DBL_EPSILON * first; i++) {
    if (!step(&q, mu)) break;
    mu = complementarity(&q, 0);
    idle = mu < CR_PLATEAU * least ? 0 : idle + 1;
    if (!(mu < least)) continue;
    least = mu;
    memcpy(best, q.d.gamma, sizeof best);
  }
  memcpy(q.d.gamma, best, sizeof best);
  finish_dual(x, &q.d);
}
