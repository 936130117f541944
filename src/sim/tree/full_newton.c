/* Newton's method with the unsymmetric Jacobian of m(v), column by column by differences of inverse
 * dynamics, and steps that are halved until the next one, with the same Jacobian, is shorter: the
 * natural monotonicity test (Deuflhard 2004, section 3.3), which does not depend on the units of
 * residuals. */
#include "sim/tree/full_newton.h"

#include "linalg/lu.h"
#include "sim/tree/balance.h"

#include <math.h>

#define MOST_STEPS   60
#define MOST_DOFS    1000 /* of all trees: the Jacobian is dense */
#define DIFFERENCE   1e-7 /* of the largest velocity */
#define CONVERGED    1e-8 /* of it: the step after such a one is round-off, as contraction is 1e-7 */
#define SMALLEST     1e-4 /* share of a step that is worth while */
#define LEAST_CHANGE 1e-9 /* m/s or rad/s, of differences */

typedef struct full_newton {
  cr_step* step;
  const int* trees;
  int num_trees, n;
  int *dof, *pivot;             /* [n] */
  double *residual, *moved;     /* [num_v] */
  double *x, *delta, *next, *J; /* [n], [n, n] */
} full_newton;

/* x = J^-1 residual; returns its length. */
static double solve(const full_newton* f, const double* residual, double* x) {
  int n = f->n;
  double sum = 0;
  for (int i = 0; i < n; i++) x[i] = residual[f->dof[i]];
  cr_lu_solve(f->J, f->pivot, n, x);
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* --- Residual -----------------------------------------------------------------------------------
 */

/* At x + share * along, into `out` [num_v]; what is kept of A belongs to other velocities. */
static void evaluate(const full_newton* f, const double* along, double share, double* out) {
  double* v = f->step->v_star;
  for (int i = 0; i < f->n; i++) v[f->dof[i]] = f->x[i] + (along ? share * along[i] : 0);
  cr_balance_compute_residual(f->step, f->trees, f->num_trees, v, out);
}

static double find_scale(const full_newton* f) {
  double scale = LEAST_CHANGE / DIFFERENCE;
  for (int i = 0; i < f->n; i++)
    scale = fmax(scale, fmax(fabs(f->x[i]), fabs(f->step->v0[f->dof[i]])));
  return scale;
}

/* J at x, where the residual is. */
static void differentiate(const full_newton* f, double h) {
  for (int j = 0; j < f->n; j++) {
    double x = f->x[j];
    f->x[j] = x + h;
    double change = f->x[j] - x;
    evaluate(f, NULL, 0, f->moved);
    for (int i = 0; i < f->n; i++)
      f->J[i * f->n + j] = (f->moved[f->dof[i]] - f->residual[f->dof[i]]) / change;
    f->x[j] = x;
  }
}

/* --- Iterations ---------------------------------------------------------------------------------
 */

/* The share of the step that is taken; 0: none is any good. */
static double search(const full_newton* f, double size) {
  for (double share = 1; share > SMALLEST; share *= 0.5) {
    evaluate(f, f->delta, -share, f->residual);
    double next = solve(f, f->residual, f->next);
    if (next <= (1 - 0.25 * share) * size) return share;
  }
  return 0;
}

static bool run(const full_newton* f) {
  evaluate(f, NULL, 0, f->residual);
  for (int k = 0; k < MOST_STEPS; k++) {
    double scale = find_scale(f);
    differentiate(f, DIFFERENCE * scale);
    if (!cr_lu_factor(f->J, f->n, f->pivot)) return false;
    double size = solve(f, f->residual, f->delta);
    if (!isfinite(size)) return false;
    bool is_last = size <= CONVERGED * scale;
    double share = is_last ? 1 : search(f, size);
    if (share == 0) return false;
    for (int i = 0; i < f->n; i++) f->x[i] -= share * f->delta[i];
    if (is_last) return true;
  }
  return false;
}

static bool init(full_newton* f) {
  const cr_tree_model* model = &f->step->model->tree;
  cr_arena* arena = f->step->arena;
  for (int k = 0; k < f->num_trees; k++)
    f->n += model->tree_v_start[f->trees[k] + 1] - model->tree_v_start[f->trees[k]];
  if (f->n > MOST_DOFS) return false;
  f->dof = CR_SCRATCH(arena, int, f->n);
  f->pivot = CR_SCRATCH(arena, int, f->n);
  double** vectors[] = {&f->x, &f->delta, &f->next};
  for (int i = 0; i < 3; i++) *vectors[i] = CR_SCRATCH(arena, double, f->n);
  f->residual = CR_SCRATCH(arena, double, model->num_v);
  f->moved = CR_SCRATCH(arena, double, model->num_v);
  f->J = CR_SCRATCH(arena, double, (size_t)f->n*(size_t)f->n);
  if (arena->failed) return false;
  for (int k = 0, i = 0; k < f->num_trees; k++)
    for (int d = model->tree_v_start[f->trees[k]]; d < model->tree_v_start[f->trees[k] + 1]; d++)
      f->dof[i++] = d;
  for (int i = 0; i < f->n; i++) f->x[i] = f->step->v0[f->dof[i]];
  return true;
}

bool cr_full_newton_solve(cr_step* step, const int* trees, int num_trees) {
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  full_newton f = {.step = step, .trees = trees, .num_trees = num_trees};
  for (int k = 0; k < num_trees; k++) step->placement[trees[k]] = (cr_placement){0};
  bool done = init(&f) && run(&f);
  for (int i = 0; i < f.n && done; i++) step->v_star[f.dof[i]] = f.x[i];
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}
