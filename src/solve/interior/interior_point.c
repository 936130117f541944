/* Mehrotra's predictor-corrector with the laws' own scalings (Nesterov-Todd on the cones) and
 * corrections of centrality (Gondzio 1996; Colombo & Gondzio 2008).
 *
 * gamma stays inside C and its slack inside the dual cone; both the momentum balance and the
 * slacks' definitions are met only at convergence. The matrix of every iteration is A + JᵀGJ, as in
 * Newton. */
#include "solve/interior/interior_point.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "solve/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct interior {
  cr_system* system;
  cr_iterate* iterate;
  const cr_law_mode* mode;
  const cr_interior_settings* settings;
  double* state; /* [state_size] */
  int state_size;
  double *G, *h;                         /* linearisation */
  double *dv, *dv_c;                     /* direction, */
  double longest;                        /* and its longest step, at most a little above 1 */
  double *kept_state, *kept_h, *kept_dv; /* a direction, likewise */
  double kept_longest;
  double* shift_store;         /* [num_rows] */
  const double* shift;         /* the De Saxce term in use, or null */
  double *best_v, *best_gamma; /* the iterate of least measure */
} interior;

static bool allocate(interior* x, cr_arena* arena) {
  const cr_problem* p = x->system->problem;
  x->state_size = cr_law_interior_size(p->ld) * p->num_rows;
  x->state = CR_SCRATCH(arena, double, x->state_size);
  x->G = CR_SCRATCH(arena, double, p->ld * p->num_rows);
  x->h = CR_SCRATCH(arena, double, p->num_rows);
  x->dv = CR_SCRATCH(arena, double, p->pattern.num_rows);
  x->dv_c = CR_SCRATCH(arena, double, p->num_rows);
  x->kept_state = CR_SCRATCH(arena, double, x->state_size);
  x->kept_h = CR_SCRATCH(arena, double, p->num_rows);
  x->kept_dv = CR_SCRATCH(arena, double, p->pattern.num_rows);
  x->shift_store = CR_SCRATCH(arena, double, p->num_rows);
  x->best_v = CR_SCRATCH(arena, double, p->pattern.num_rows);
  x->best_gamma = CR_SCRATCH(arena, double, p->num_rows);
  return !arena->failed;
}

/* Mean over the constraints of 1/2 |v_c* - v_hat|² / scale: kinetic energy to be dealt with. */
static double compute_energy(interior* x) {
  const cr_problem* p = x->system->problem;
  double sum = 0;
  cr_problem_apply_J(p, p->v_star, x->dv_c, x->system->scratch_local);
  CR_FOR_EACH_LAW (k, x->system->batch)
    for (int i = 0; i < x->system->batch[k].count; i++)
      for (int r = 0; r < cr_law_get(k)->rows; r++) {
        int row = x->system->batch[k].row[i] + r;
        double d = x->dv_c[row] - x->system->v_hat[row];
        sum += 0.5 * d * d / x->system->batch[k].scale[i];
      }
  return sum / p->num_constraints + 1e-300;
}

/* A start near the iterate's impulses. */
static void start(interior* x, double product) {
  cr_law_point point = cr_system_point(x->system, x->iterate);
  memset(x->state, 0, sizeof(double) * (size_t)x->state_size);
  CR_FOR_EACH_LAW (k, x->system->batch)
    cr_law_get(k)->interior->start(&x->system->batch[k], &point, x->mode->shift, product, x->state);
}

/* From v0, without impulses. */
static void start_cold(interior* x) {
  const cr_problem* p = x->system->problem;
  CR_COPY(x->iterate->v, p->v0, p->pattern.num_rows);
  memset(x->iterate->gamma, 0, sizeof(double) * (size_t)p->num_rows);
  cr_iterate_update(x->system, x->iterate);
  start(x, CR_COLD_SHARE * compute_energy(x));
}

/* From the iterate: products as large as what a constraint leaves of the merit in the mean, or
 * larger, so that the others can move by as much without coming to the surface. */
static void start_near(interior* x) {
  cr_law_point point = cr_system_point(x->system, x->iterate);
  const cr_law_mode mode = {.shift = x->mode->shift};
  double merit = x->iterate->r_norm2, energy = compute_energy(x);
  CR_FOR_EACH_LAW (k, x->system->batch)
    merit += cr_law_get(k)->merit(&x->system->batch[k], &point, &mode);
  double mean = merit / x->system->problem->num_constraints;
  double product = CR_NEAR_MORE * mean;
  start(x, scalar_clamp(product, DBL_EPSILON * energy, CR_COLD_SHARE * energy));
}

/* gamma from the state, then v_c, r and the De Saxce term. */
static void update(interior* x) {
  CR_FOR_EACH_LAW (k, x->system->batch)
    cr_law_get(k)->interior->get_gamma(&x->system->batch[k], x->state, x->iterate->gamma);
  cr_iterate_update(x->system, x->iterate);
  x->shift = x->mode->shift;
  if (x->mode->coulomb == 0) return;
  cr_law_point point = cr_system_point(x->system, x->iterate);
  CR_FOR_EACH_LAW (k, x->system->batch)
    cr_law_get(k)->compute_shift(&x->system->batch[k], &point, x->shift_store);
  x->shift = x->shift_store;
}

static double complementarity(const interior* x, double alpha) {
  double sum = 0;
  int count = 0;
  CR_FOR_EACH_LAW (k, x->system->batch)
    sum += cr_law_get(k)->interior->complementarity(&x->system->batch[k], x->state, alpha, &count);
  return count ? sum / count : 0;
}

static void linearize(interior* x, double target, bool corrector) {
  cr_law_point point = cr_system_point(x->system, x->iterate);
  CR_FOR_EACH_LAW (k, x->system->batch)
    cr_law_get(k)->interior->linearize(&x->system->batch[k], &point, x->shift, target, corrector,
                                       x->state, x->G, x->h);
}

static void find_longest_step(interior* x) {
  x->longest = 1 / CR_FULL_STEP;
  CR_FOR_EACH_LAW (k, x->system->batch)
    x->longest = cr_law_get(k)->interior->longest_step(&x->system->batch[k], x->state, x->longest);
}

/* Direction for the linearisation at hand. */
static void solve_direction(interior* x) {
  const cr_problem* p = x->system->problem;
  for (int i = 0; i < p->pattern.num_rows; i++) x->dv[i] = -x->iterate->r[i];
  cr_problem_add_J_transposed(p, x->h, x->dv, x->system->scratch_local);
  cr_system_solve(x->system, x->dv);
  cr_problem_apply_J(p, x->dv, x->dv_c, x->system->scratch_local);
  CR_FOR_EACH_LAW (k, x->system->batch)
    cr_law_get(k)->interior->complete(&x->system->batch[k], x->dv_c, x->G, x->h, x->state);
  find_longest_step(x);
}

static void move(interior* x, double alpha) {
  for (int i = 0; i < x->system->problem->pattern.num_rows; i++)
    x->iterate->v[i] += alpha * x->dv[i];
  CR_FOR_EACH_LAW (k, x->system->batch)
    cr_law_get(k)->interior->move(&x->system->batch[k], alpha, x->state);
}

static void keep_direction(interior* x) {
  const cr_problem* p = x->system->problem;
  CR_COPY(x->kept_state, x->state, x->state_size);
  CR_COPY(x->kept_h, x->h, p->num_rows);
  CR_COPY(x->kept_dv, x->dv, p->pattern.num_rows);
  x->kept_longest = x->longest;
}

static void restore_direction(interior* x) {
  const cr_problem* p = x->system->problem;
  CR_COPY(x->state, x->kept_state, x->state_size);
  CR_COPY(x->h, x->kept_h, p->num_rows);
  CR_COPY(x->dv, x->kept_dv, p->pattern.num_rows);
  x->longest = x->kept_longest;
}

/* The mean of kept and present. */
static void halve(const double* kept, double* present, int n) {
  for (int i = 0; i < n; i++) present[i] = kept[i] + 0.5 * (present[i] - kept[i]);
}

/* Half of what the direction has changed by since it was kept. Points and scalings are the same. */
static void halve_change(interior* x) {
  const cr_problem* p = x->system->problem;
  halve(x->kept_state, x->state, x->state_size);
  halve(x->kept_h, x->h, p->num_rows);
  halve(x->kept_dv, x->dv, p->pattern.num_rows);
  find_longest_step(x);
}

/* A correction of centrality, for a substitution: products that are off the range at a step that is
 * longer than possible are moved there, all of the way or a part of it, where that lengthens the
 * step. */
static void correct_centrality(interior* x, double target) {
  const cr_law_range products = {CR_LOW * target, CR_HIGH * target};
  double before = x->longest, wanted = fmin(1, CR_FULL_STEP * before + CR_REACH);
  keep_direction(x);
  CR_FOR_EACH_LAW (k, x->system->batch)
    cr_law_get(k)->interior->recenter(&x->system->batch[k], wanted, products, x->G, x->state, x->h);
  solve_direction(x);
  for (int k = 0; k < CR_HALVINGS && x->longest < before; k++) halve_change(x);
  if (x->longest < before) restore_direction(x);
}

/* Corrections while they let the step grow. */
static void lengthen_step(interior* x, double target) {
  for (int i = 0; i < CR_CORRECTIONS && CR_FULL_STEP * x->longest < CR_FULL_STEP; i++) {
    double before = x->longest, growth = fmin(1 - CR_FULL_STEP * before, CR_REACH);
    correct_centrality(x, target);
    if (x->longest - before < CR_WORTH * growth) return;
  }
}

/* Where few points have come too near to the surface, all would wait for them. */
static void lift(interior* x, double least) {
  bool any = false;
  CR_FOR_EACH_LAW (k, x->system->batch)
    any |= cr_law_get(k)->interior->lift(&x->system->batch[k], least, x->state);
  if (any) update(x);
}

/* One predictor and corrector on one factorisation, towards a product that only corrections of
 * centrality can reach, or else towards Mehrotra's. */
static bool step(interior* x) {
  bool corrects = x->settings->corrects;
  double mu = complementarity(x, 0);
  if (corrects) lift(x, CR_DONE * mu);
  linearize(x, 0, false);
  if (!cr_system_factor(x->system, x->G)) return false;
  solve_direction(x);
  double affine = complementarity(x, fmin(1, x->longest));
  double ratio = mu > 0 ? affine / mu : 0;
  double target = (corrects ? CR_AIM : ratio * ratio * ratio) * mu;
  linearize(x, target, true);
  solve_direction(x);
  if (corrects) lengthen_step(x, target);
  move(x, fmin(1, CR_FULL_STEP * x->longest));
  return true;
}

static void keep_best(interior* x) {
  const cr_problem* p = x->system->problem;
  CR_COPY(x->best_v, x->iterate->v, p->pattern.num_rows);
  CR_COPY(x->best_gamma, x->iterate->gamma, p->num_rows);
}

static void restore_best(interior* x) {
  const cr_problem* p = x->system->problem;
  CR_COPY(x->iterate->v, x->best_v, p->pattern.num_rows);
  CR_COPY(x->iterate->gamma, x->best_gamma, p->num_rows);
  cr_iterate_update(x->system, x->iterate);
}

/* Impulses of the last iterate are pulled to where the laws would have them, so that products which
 * are only small are none. What is above the tolerance is known in full, momentum too. */
static double measure(interior* x) {
  const cr_law_mode mode = {.coulomb = x->mode->coulomb, .shift = x->mode->shift};
  double enough = x->settings->tolerance;
  double value = cr_certificate_value(x->system, x->iterate, &mode, x->dv_c);
  if (value <= enough || !cr_certificate_is_gap(x->system, &mode)) return value;
  double settled = cr_certificate_settle(x->system, &mode, enough, x->iterate, x->dv_c);
  return settled <= enough ? settled : value;
}

static cr_newton_outcome run(interior* x, int* iterations) {
  double best = INFINITY;
  cr_newton_outcome outcome = CR_NEWTON_STALLED;
  for (int i = 0, idle = 0;; i++) {
    update(x);
    double value = measure(x);
    if (value <= x->settings->tolerance) return CR_NEWTON_CONVERGED;
    idle = x->settings->corrects && value >= CR_PLATEAU * best && best < CR_INTERIOR_LOOSE
               ? idle + 1
               : 0;
    if (value < best) {
      best = value;
      keep_best(x);
    }
    if (i >= x->settings->max_iterations || idle == CR_IDLE || !isfinite(value)) break;
    if (!step(x)) {
      outcome = CR_NEWTON_FAILED;
      break;
    }
    ++*iterations;
  }
  if (best < INFINITY) restore_best(x);
  return outcome;
}

cr_newton_outcome cr_interior_point(cr_system* system, const cr_law_mode* mode,
                                    const cr_interior_settings* settings, cr_arena* arena,
                                    cr_iterate* iterate, int* iterations) {
  interior x = {.system = system, .iterate = iterate, .mode = mode, .settings = settings};
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!allocate(&x, arena)) return CR_NEWTON_FAILED;
  cr_system_set_precision(system, CR_DOUBLE);
  if (settings->start == CR_INTERIOR_NEAR)
    start_near(&x);
  else
    start_cold(&x);
  cr_newton_outcome outcome = run(&x, iterations);
  cr_arena_pop_scratch(arena, mark);
  return outcome;
}
