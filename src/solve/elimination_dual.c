/* The active constraints of S as a problem in their impulses alone: velocities are v + K gamma with
 * K = (1 - C G)^-1 C, since the factor's G resists no more.
 *
 * Block Gauss-Seidel finds states that lie near; Mehrotra's predictor-corrector with the laws' own
 * scalings (interior_point.c) finds them where many contacts of one body share its load. There a
 * direction is (1 + G K) dgamma = h, or with G = L Lᵀ a positive definite system:
 * dgamma = L y, (1 + LᵀKL) y = L^-1 h. */
#include "solve/elimination_dual.h"

#include "math/scalar.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

#define ROWS CR_ELIMINATION_ROWS

/* How far Gauss-Seidel goes. */
typedef struct sweep_limits {
  int sweeps, rows; /* of K: more takes longer than it saves */
  double settled;   /* share of all impulses that the last sweep moves */
} sweep_limits;

/* With the De Saxce term, which no interior point knows, sweeps are all there is. */
static const sweep_limits CONVEX = {20, 36, 0}, COULOMB = {500, 96, 1e-4};

/* Of the interior point: */
#define ITERATIONS 30
#define DONE       1e-14 /* of the product of point and slack at the start */
#define HOLDS      0.9   /* of the least product that is left of a step without progress */
#define IDLE       6     /* such steps in a row: what is left is round-off of K */
#define STEP_SHARE 0.99  /* of the way to the boundary */

typedef struct dual {
  const cr_elimination_active* list;
  double v[ROWS]; /* less v_hat */
  double pull[ROWS], gamma[ROWS];
  double slip[ROWS]; /* the De Saxce terms */
} dual;

/* K, of the active rows. */
static void invert(cr_elimination* x, const cr_elimination_active* list) {
  int n = list->rows;
  double *K = x->memory->K, *M = x->memory->M;
  for (int i = 0; i < n; i++) {
    const double* C = cr_elimination_get_C(x, list->at[i]);
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

/* K, and the problem where S is. */
static void start_dual(cr_elimination* x, const cr_elimination_active* list, dual* d) {
  *d = (dual){.list = list};
  double held[ROWS] = {0}, G_held[ROWS] = {0};
  invert(x, list);
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
  memcpy(before, d->gamma + m, sizeof(double) * (size_t)rows);
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
  start_dual(x, list, &d);
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
  int count, rows, kind[ROWS], row[ROWS];
  cr_law_batch batch[ROWS];
  double R[ROWS], v_hat[ROWS], v_c[ROWS]; /* of the laws' point; v_hat, which v has, is 0 */
  double G[ROWS * CR_LAW_MAX_ROWS], L[ROWS * CR_LAW_MAX_ROWS], h[ROWS], dv_c[ROWS];
  double state[CR_LAW_INTERIOR_SIZE * ROWS];
} interior;

static const cr_law_interior* get_law(const interior* q, int k) {
  return cr_law_get(q->kind[k])->interior;
}

/* y = K x */
static void multiply_K(const interior* q, const double* x, double* y) {
  for (int i = 0; i < q->rows; i++) y[i] = scalar_dot(q->x->memory->K + q->rows * i, x, q->rows);
}

/* v_c of the impulses. */
static void update_velocities(interior* q) {
  multiply_K(q, q->d.gamma, q->v_c);
  for (int i = 0; i < q->rows; i++) q->v_c[i] += q->d.v[i];
}

/* Lists the active constraints; the memory is zero. */
static void list_constraints(interior* q) {
  const cr_elimination_active* list = q->d.list;
  q->count = list->count, q->rows = list->rows;
  for (int k = 0, m = 0; k < q->count; k++) {
    const cr_elimination_constraint* one = &q->x->chosen[list->chosen[k]];
    q->kind[k] = one->kind;
    q->batch[k] = cr_law_slice(&q->x->system->batch[one->kind], one->index, 1);
    q->row[k] = m, q->batch[k].row = &q->row[k];
    for (int a = 0; a < one->rows; a++) q->R[m++] = q->x->system->R[one->row + a];
  }
}

/* Mean over the constraints of 1/2 |v - v_hat|² / scale: the product of point and slack to begin
 * with, as in interior_point.c. */
static double compute_energy(const interior* q) {
  double sum = 0;
  for (int k = 0, m = 0; k < q->count; k++)
    for (int a = 0; a < cr_law_get(q->kind[k])->rows; a++, m++)
      sum += 0.5 * q->d.v[m] * q->d.v[m] / *q->batch[k].scale;
  return sum / q->count + 1e-300;
}

static void start_interior(interior* q) {
  list_constraints(q);
  update_velocities(q);
  cr_law_point point = {q->R, q->v_hat, q->v_c, q->d.gamma};
  double energy = compute_energy(q);
  for (int k = 0; k < q->count; k++)
    get_law(q, k)->start(&q->batch[k], &point, NULL, energy, q->state);
}

/* Impulses of the state, and what follows from them. */
static void update(interior* q) {
  for (int k = 0; k < q->count; k++) get_law(q, k)->get_gamma(&q->batch[k], q->state, q->d.gamma);
  update_velocities(q);
}

static double complementarity(const interior* q, double alpha) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < q->count; k++)
    sum += get_law(q, k)->complementarity(&q->batch[k], q->state, alpha, &count);
  return count ? sum / count : 0;
}

static void linearize(interior* q, double target, bool corrector) {
  cr_law_point point = {q->R, q->v_hat, q->v_c, q->d.gamma};
  for (int k = 0; k < q->count; k++)
    get_law(q, k)->linearize(&q->batch[k], &point, NULL, target, corrector, q->state, q->G, q->h);
}

/* The rows of a constraint among those of all, and its L. */
static int get_block(const interior* q, int k, const double** L) {
  *L = q->L + q->x->system->problem->room * q->row[k];
  return cr_law_get(q->kind[k])->rows;
}

/* L, block by block. */
static void factor_G(interior* q) {
  int room = q->x->system->problem->room;
  for (int k = 0; k < q->count; k++) {
    int rows = cr_law_get(q->kind[k])->rows, first = room * q->row[k];
    memcpy(q->L + first, q->G + first, sizeof(double) * (size_t)(rows * rows));
    small_factor(q->L + first, rows);
  }
}

/* A row of M, which is a column of its panel. */
static double* get_M(const interior* q, int i) {
  return q->x->memory->M + q->x->memory->most_rows * i;
}

/* M = LᵀK */
static void multiply_left(interior* q) {
  int n = q->rows;
  const double *K = q->x->memory->K, *L;
  for (int k = 0; k < q->count; k++) {
    int first = q->row[k], rows = get_block(q, k, &L);
    for (int a = 0; a < rows; a++) {
      double* to = get_M(q, first + a);
      for (int j = 0; j < n; j++) to[j] = L[rows * a + a] * K[n * (first + a) + j];
      for (int b = a + 1; b < rows; b++)
        scalar_axpy(to, L[rows * b + a], K + n * (first + b), n, to);
    }
  }
}

/* M <- M L */
static void multiply_right(interior* q) {
  const double* L;
  for (int i = 0; i < q->rows; i++)
    for (int k = 0; k < q->count; k++) {
      int rows = get_block(q, k, &L);
      double* y = get_M(q, i) + q->row[k];
      for (int a = 0; a < rows; a++) {
        y[a] *= L[rows * a + a];
        for (int b = a + 1; b < rows; b++) y[a] += L[rows * b + a] * y[b];
      }
    }
}

/* The matrix 1 + LᵀKL as one panel. */
static cr_panel get_panel(const interior* q) {
  int rows = (q->rows + CR_SEGMENT_ROWS - 1) / CR_SEGMENT_ROWS * CR_SEGMENT_ROWS;
  return (cr_panel){q->x->memory->M, q->rows, rows, rows, q->x->memory->most_rows};
}

static const cr_panel_kernels* get_kernels(const interior* q) {
  return q->x->system->H.kernels->panels[CR_DOUBLE];
}

/* Factors that; false where it is not positive definite, which round-off alone can bring about. */
static bool factor(interior* q) {
  cr_panel panel = get_panel(q);
  factor_G(q);
  multiply_left(q);
  multiply_right(q);
  for (int i = 0; i < q->rows; i++) {
    double* column = get_M(q, i);
    column[i] += 1;
    for (int k = q->rows; k < panel.rows; k++) column[k] = 0;
  }
  return get_kernels(q)->factor_panel(&panel) < 0;
}

/* y <- (1 + LᵀKL)^-1 y */
static void substitute(const interior* q, double* y) {
  double below[CR_KERNEL_SLACK];
  cr_panel panel = get_panel(q);
  cr_panel_rows rows = {0};
  cr_vectors vectors = {y, below, ROWS, CR_KERNEL_SLACK, 1};
  get_kernels(q)->solve_forward(&panel, &rows, &vectors);
  get_kernels(q)->solve_backward(&panel, &rows, &vectors);
}

/* y = L^-1 h */
static void start_direction(const interior* q, double* y) {
  const double* L;
  for (int k = 0; k < q->count; k++) {
    int first = q->row[k], rows = get_block(q, k, &L);
    for (int a = 0; a < rows; a++) {
      double sum = q->h[first + a];
      for (int b = 0; b < a; b++) sum -= L[rows * a + b] * y[first + b];
      y[first + a] = sum / L[rows * a + a];
    }
  }
}

/* dgamma = L y */
static void finish_direction(const interior* q, const double* y, double* dgamma) {
  const double* L;
  for (int k = 0; k < q->count; k++) {
    int first = q->row[k], rows = get_block(q, k, &L);
    for (int a = 0; a < rows; a++) {
      dgamma[first + a] = 0;
      for (int b = 0; b <= a; b++) dgamma[first + a] += L[rows * a + b] * y[first + b];
    }
  }
}

/* dv_c for the linearisation at hand; returns its longest step, at most 1. */
static double solve_direction(interior* q) {
  double y[ROWS + CR_KERNEL_SLACK] = {0}, dgamma[ROWS];
  start_direction(q, y);
  substitute(q, y);
  finish_direction(q, y, dgamma);
  multiply_K(q, dgamma, q->dv_c);
  double longest = 1 / STEP_SHARE;
  for (int k = 0; k < q->count; k++)
    longest = fmin(longest, get_law(q, k)->complete(&q->batch[k], q->dv_c, q->G, q->h, q->state));
  return longest;
}

/* One predictor and corrector on one factorisation. */
static bool step(interior* q, double mu) {
  linearize(q, 0, false);
  if (!factor(q)) return false;
  double ratio = complementarity(q, fmin(1, solve_direction(q))) / mu;
  linearize(q, ratio * ratio * ratio * mu, true);
  double alpha = fmin(1, STEP_SHARE * solve_direction(q));
  for (int k = 0; k < q->count; k++) get_law(q, k)->move(&q->batch[k], alpha, q->state);
  update(q);
  return true;
}

void cr_elimination_run_interior(cr_elimination* x, const cr_elimination_active* list) {
  interior q = {.x = x};
  start_dual(x, list, &q.d);
  start_interior(&q);
  update(&q);
  double first = complementarity(&q, 0), mu = first, least = first, best[ROWS];
  memcpy(best, q.d.gamma, sizeof best);
  for (int i = 0, idle = 0; i < ITERATIONS && idle < IDLE && mu > DONE * first; i++) {
    if (!step(&q, mu)) break;
    mu = complementarity(&q, 0);
    idle = mu < HOLDS * least ? 0 : idle + 1;
    if (!(mu < least)) continue;
    least = mu;
    memcpy(best, q.d.gamma, sizeof best);
  }
  memcpy(q.d.gamma, best, sizeof best);
  finish_dual(x, &q.d);
}
