/* Free motion of a soft body: Newton on m(v) = 0 with A as its Jacobian, renewed where convergence
 * is slow, and a line search on the incremental potential (docs/soft.md), so that stiff materials
 * and large steps converge. */
#include "base/copy.h"
#include "sim/soft/soft_inverse.h"

#include <math.h>
#include <string.h>

#define MAX_NEWTON     250
#define CONVERGED      1e-10 /* of v*, in the norm of A */
#define USUAL          1e-6  /* tolerance at which that is enough: with less it shrinks */
#define NEAR_ROUND_OFF 1e-12 /* steps that stop shrinking below this are round-off */
#define LIKELY_RATE    0.1   /* of contraction, before it is known */
#define SLOW           0.2   /* contraction above which A is computed anew */
#define MERIT_NOISE    1e-13 /* round-off of the potential, relative */
#define SMALL          1e-5  /* of v*: a shorter step needs no line search */
#define LEAST_DECREASE 1e-4  /* of what the slope promises */
#define MOST_SLOPE     0.8   /* after a step within round-off of the potential, of that before it */
#define MOST_HALVES    40
#define FORCING        1e-3 /* of a step, for what conjugate gradients leave of it */
#define SLOW_TURN      0.1  /* change of a gradient of deformation in a step, at most */

typedef struct motion {
  cr_step* step;
  cr_step_soft* soft;
  const cr_symbolic* symbolic;
  int n;         /* coordinates */
  double* v;     /* [n] the iterate, in step->v_star */
  double* trial; /* [n] */
  double *residual, *delta, *gradient;
  double (*x)[3]; /* q^tq where the residual was last computed */
  double *A, *factor, *scratch;
  cr_soft_inverse inverse; /* in place of the factor where that is too large */
  double merit;            /* of the iterate; NaN: it has none */
  bool is_fresh;           /* the factor is that of A at the iterate */
  int num_renewed;
} motion;

static bool init(motion* w) {
  cr_arena* arena = w->step->arena;
  w->n = 3 * w->soft->part->mesh.num_nodes;
  w->symbolic = &w->soft->cache->whole;
  w->v = w->step->v_star + w->soft->first_v;
  double** vectors[] = {&w->trial, &w->residual, &w->delta, &w->gradient};
  for (int i = 0; i < 4; i++) *vectors[i] = CR_SCRATCH(arena, double, w->n);
  w->x = (double(*)[3])CR_SCRATCH(arena, double, w->n);
  w->A = CR_SCRATCH(arena, double, w->symbolic->pattern.num_values);
  if (w->soft->is_iterative)
    return cr_soft_inverse_init(w->step, w->soft, w->A, &w->inverse) && !arena->failed;
  w->factor = CR_SCRATCH(arena, double, w->symbolic->factor_size);
  w->scratch = CR_SCRATCH(arena, double, w->symbolic->scratch_size);
  return !arena->failed;
}

static double evaluate(motion* w, const double* v) {
  return cr_soft_compute_residual(w->step, w->soft, v, w->x, w->gradient, w->residual);
}

/* The matrix of a Newton step: from coarse to fine. */
typedef enum fineness {
  PREDICTED, /* stiffness at the predicted q^tq */
  PROJECTED, /* at the iterate, positive semi-definite */
  WHOLE,     /* at the iterate; it need not be positive definite */
} fineness;

static bool factor_as(motion* w, fineness kind) {
  const double(*x)[3] = kind == PREDICTED ? NULL : (const double(*)[3])w->x;
  if (kind == WHOLE && w->soft->is_iterative) return false;
  cr_soft_compute_matrix(w->step, w->soft, x, kind != WHOLE, w->A);
  if (w->soft->is_iterative) {
    w->is_fresh = kind != PREDICTED;
    return cr_soft_inverse_factor(&w->inverse);
  }
  cr_cholesky_load(w->symbolic, w->A, w->factor);
  w->is_fresh = kind != PREDICTED;
  return cr_cholesky_factor(w->symbolic, w->factor, w->scratch) < 0;
}

/* A at the iterate. Where that has been slow, with the curvature that projection cuts off: squashed
 * elements converge quadratically only so. */
static bool renew(motion* w) {
  bool was_slow = w->num_renewed++ > 1;
  return (was_slow && factor_as(w, WHOLE)) || factor_as(w, PROJECTED);
}

/* delta = A^-1 residual, but for a small part; its norm in A, not a number where iterations run
 * out. */
static double iterate(motion* w) {
  const cr_conjugate_goal goal = {cr_soft_strain_floor(w->soft), FORCING, CR_SOFT_MOST};
  memset(w->delta, 0, sizeof(double) * (size_t)w->n);
  cr_conjugate_report report =
      cr_conjugate_solve(&w->inverse.conjugate, w->residual, &goal, w->delta);
  return report.is_done ? sqrt(report.energy + report.left * report.left) : NAN;
}

/* delta = A^-1 residual; its norm in A. */
static double solve(motion* w) {
  if (w->soft->is_iterative) return iterate(w);
  CR_COPY(w->delta, w->residual, w->n);
  cr_cholesky_solve(w->symbolic, w->factor, w->delta, 1, w->n, w->scratch);
  double sum = 0;
  for (int i = 0; i < w->n; i++) sum += w->delta[i] * w->residual[i];
  return sqrt(fabs(sum));
}

/* Round-off: what gravity adds to velocities, and what strains of that size do. */
static double force_scale(const motion* w) {
  const cr_soft_part* part = w->soft->part;
  double g_dt = w->step->dt * v3_norm(v3_load(w->step->model->force.gravity));
  return g_dt * sqrt(part->mass);
}

static double velocity_scale(const motion* w) {
  const double* mass = w->soft->part->body.mass;
  double sum = 0;
  for (int i = 0; i < w->n; i++) sum += mass[i / 3] * w->v[i] * w->v[i];
  return sqrt(sum);
}

static void accept(motion* w, double alpha) {
  for (int i = 0; i < w->n; i++) w->v[i] -= alpha * w->delta[i];
}

/* Whether the potential falls along a step, whose residual is at hand: by its values or, where
 * their round-off hides that, by its slope (Hager and Zhang's approximate Wolfe condition, 2005).
 */
static bool falls(const motion* w, double merit, double alpha, double size) {
  double decrease = LEAST_DECREASE * alpha * size * size, slope = 0;
  if (isnan(w->merit) || merit <= w->merit - decrease) return true;
  double noise =
      MERIT_NOISE * fabs(w->merit) + cr_soft_strain_floor(w->soft) * sqrt(fabs(w->merit));
  if (!(merit <= w->merit + noise)) return false;
  for (int i = 0; i < w->n; i++) slope -= w->delta[i] * w->residual[i];
  return slope <= MOST_SLOPE * size * size;
}

/* Halves the step until the potential falls; 0 where it does not. Leaves the residual of the step
 * that is taken, which is accepted. */
static double search(motion* w, double size, bool is_needed) {
  double alpha = 1;
  for (int k = 0; k < MOST_HALVES; k++, alpha *= 0.5) {
    for (int i = 0; i < w->n; i++) w->trial[i] = w->v[i] - alpha * w->delta[i];
    double merit = evaluate(w, w->trial);
    if (!is_needed || falls(w, merit, alpha, size)) {
      accept(w, alpha);
      w->merit = merit;
      w->is_fresh = false;
      return alpha;
    }
  }
  w->merit = evaluate(w, w->v);
  return 0;
}

static bool run(motion* w) {
  double last = INFINITY, alpha = 1, care = fmin(1, w->step->sim->def.tolerance / USUAL);
  double forces = force_scale(w), floor = cr_soft_strain_floor(w->soft);
  w->merit = evaluate(w, w->v);
  if (!factor_as(w, PREDICTED)) return false;
  for (int i = 0; i < MAX_NEWTON; i++) {
    double size = solve(w), scale = fmax(forces, velocity_scale(w));
    double near = NEAR_ROUND_OFF * scale + floor;
    if (!isfinite(size)) return false;
    if ((alpha < 1 || size > SLOW * last) && size > near && !w->is_fresh) {
      if (!renew(w)) return false;
      size = solve(w);
    }
    if (i + 1 > w->step->free_iterations) w->step->free_iterations = i + 1;
    /* What is left after this step, by the contraction seen. */
    double rate = isfinite(last) ? fmin(LIKELY_RATE, size / last) : 1;
    if (w->soft->is_iterative) rate = fmax(rate, FORCING);
    bool is_still = size > 0.5 * last;
    if (rate * size <= CONVERGED * care * scale + 0.1 * floor || (size <= near && is_still) ||
        (rate * size <= CONVERGED * scale && is_still)) {
      accept(w, 1);
      return true;
    }
    alpha = search(w, size, size > SMALL * scale);
    if (alpha == 0 && (w->is_fresh || !renew(w))) return false;
    last = alpha == 1 ? size : INFINITY;
  }
  return false;
}

/* By the acceleration of the step before. */
static void predict(cr_step* step, const cr_step_soft* soft) {
  const double *v0 = step->v0 + soft->first_v, *a = step->sim->a_free + soft->first_v;
  double* v = step->v_star + soft->first_v;
  for (int i = 0; i < 3 * soft->part->mesh.num_nodes; i++)
    v[i] = soft->held[i / 3] == 1 ? 0 : v0[i] + step->dt * a[i];
}

/* Whether elements at the start of the step hardly turn and strain by dt v0. */
static bool is_slow(cr_step* step, const cr_step_soft* soft) {
  int n = 3 * soft->part->mesh.num_nodes;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double(*dx)[3] = (double(*)[3])CR_SCRATCH(step->arena, double, n);
  if (step->arena->failed) return false;
  for (int i = 0; i < n; i++) dx[i / 3][i % 3] = step->dt * step->v0[soft->first_v + i];
  bool is_near =
      cr_soft_body_is_near(&soft->part->body, soft->x0, (const double(*)[3])dx, SLOW_TURN);
  cr_arena_pop_scratch(step->arena, mark);
  return is_near;
}

bool cr_soft_begin(cr_step* step, cr_step_soft* soft) {
  cr_theta theta = step->theta[soft->tree], usual = step->sim->theta;
  bool has_impact = theta.q != usual.q || theta.vq != usual.vq;
  if (has_impact || theta.q * theta.vq == 0 || !is_slow(step, soft))
    return cr_soft_move(step, soft);
  size_t size = sizeof(double) * 3 * (size_t)soft->part->mesh.num_nodes;
  memcpy(step->v_star + soft->first_v, step->v0 + soft->first_v, size);
  memcpy(step->v_lin + soft->first_v, step->v0 + soft->first_v, size);
  soft->is_waiting = true;
  return cr_soft_prepare(step, soft);
}

bool cr_soft_move(cr_step* step, cr_step_soft* soft) {
  motion w = {.step = step, .soft = soft};
  soft->is_waiting = false;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  predict(step, soft);
  if (!cr_soft_prepare(step, soft) || !init(&w)) return false;
  bool done = run(&w);
  CR_COPY(step->v_lin + soft->first_v, w.v, w.n);
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}

double cr_soft_compute_load_work(const cr_step* step) {
  const carom_model* m = step->model;
  const double* force = step->sim->node_force;
  double sum = 0;
  for (int i = 0; i < 3 * m->soft.num_nodes; i++)
    sum += force[i] * 0.5 * (step->v[m->tree.num_v + i] + step->v0[m->tree.num_v + i]);
  return step->dt * sum;
}
