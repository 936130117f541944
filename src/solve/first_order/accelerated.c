/* Accelerated projected gradient descent on the dual (Mazhar, Heyn, Negrut & Tasora 2015:
 * Nesterov's method with step adaptation and restart), q(gamma) = 1/2 gammaᵀ N gamma + rᵀ gamma, N
 * = W + R.
 *
 * From the extrapolated point y: gamma⁺ = P_C(y - D grad q(y) / L), D = 1 / (scale + R) of each
 * constraint: a metric that is the same in a constraint's rows leaves its projection Euclidean and
 * takes the ratio of masses out of the problem's condition. L doubles until the quadratic model at
 * y bounds q from above, and shrinks by a tenth after each step. Where the step turns against the
 * gradient the momentum is dropped (O'Donoghue & Candes 2015). */
#include "solve/first_order/accelerated.h"

#include "math/scalar.h"
#include "solve/tuning.h"

#include <string.h>

typedef struct accelerated {
  cr_system* system;
  const cr_first_order_settings* settings;
  cr_iterate* iterate;      /* gamma⁺, with v_c = J v in balance */
  double* D;                /* [num_rows] */
  double *last, *last_c;    /* [num_rows] gamma before, and its v_c */
  double *y, *y_c;          /* [num_rows] extrapolated point, and its v_c */
  double *gradient, *trial; /* [num_rows] */
  double L, theta;
} accelerated;

static bool allocate(accelerated* s, cr_arena* arena) {
  int rows = s->system->problem->num_rows;
  double** arrays[] = {&s->D, &s->last, &s->last_c, &s->y, &s->y_c, &s->gradient, &s->trial};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    *arrays[k] = CR_SCRATCH(arena, double, rows);
  return !arena->failed;
}

/* The metric; the start without momentum. */
static void start(accelerated* s) {
  const cr_system* system = s->system;
  size_t size = sizeof(double) * (size_t)system->problem->num_rows;
  CR_FOR_EACH_LAW (k, system->batch)
    for (int i = 0; i < system->batch[k].count; i++) {
      int row = system->batch[k].row[i], rows = cr_law_get(k)->rows;
      double R = 0;
      for (int a = 0; a < rows; a++) R = scalar_max(R, system->R[row + a]);
      for (int a = 0; a < rows; a++) s->D[row + a] = 1 / (system->batch[k].scale[i] + R);
    }
  cr_iterate_balance(s->system, s->iterate);
  memcpy(s->y, s->iterate->gamma, size);
  memcpy(s->y_c, s->iterate->v_c, size);
  s->L = s->theta = 1;
}

static void compute_gradient(accelerated* s) {
  const cr_system* system = s->system;
  for (int r = 0; r < system->problem->num_rows; r++) {
    s->gradient[r] = s->y_c[r] - system->v_hat[r] + system->R[r] * s->y[r];
    if (s->settings->shift) s->gradient[r] += s->settings->shift[r];
  }
}

/* gamma⁺ for the present L, balanced. */
static void project_step(accelerated* s) {
  const cr_system* system = s->system;
  for (int r = 0; r < system->problem->num_rows; r++)
    s->trial[r] = s->y[r] - s->D[r] / s->L * s->gradient[r];
  CR_FOR_EACH_LAW (k, system->batch)
    cr_law_get(k)->project(&system->batch[k], s->trial, s->iterate->gamma);
  cr_iterate_balance(s->system, s->iterate);
}

/* q(gamma⁺) <= q(y) + grad.d + L/2 |d|² in D^-1, which is dᵀ N d <= L |d|². */
static bool is_bounded(const accelerated* s) {
  const cr_system* system = s->system;
  double curvature = 0, norm2 = 0;
  for (int r = 0; r < system->problem->num_rows; r++) {
    double d = s->iterate->gamma[r] - s->y[r];
    curvature += d * (s->iterate->v_c[r] - s->y_c[r] + system->R[r] * d);
    norm2 += d * d / s->D[r];
  }
  return !(curvature > s->L * norm2 * (1 + 1e-10)) || s->L >= 1 / CR_ROUND_OFF;
}

/* The next y, or gamma⁺ itself where the step turned against the gradient. */
static void extrapolate(accelerated* s) {
  int rows = s->system->problem->num_rows;
  const double *gamma = s->iterate->gamma, *v_c = s->iterate->v_c;
  double turn = 0, t2 = s->theta * s->theta;
  for (int r = 0; r < rows; r++) turn += s->gradient[r] * (gamma[r] - s->last[r]);
  double next = 0.5 * (sqrt(t2 * t2 + 4 * t2) - t2);
  double beta = turn > 0 ? 0 : s->theta * (1 - s->theta) / (t2 + next);
  s->theta = turn > 0 ? 1 : next;
  for (int r = 0; r < rows; r++) {
    s->y[r] = gamma[r] + beta * (gamma[r] - s->last[r]);
    s->y_c[r] = v_c[r] + beta * (v_c[r] - s->last_c[r]);
  }
}

static void step(accelerated* s, int* iterations) {
  size_t size = sizeof(double) * (size_t)s->system->problem->num_rows;
  memcpy(s->last, s->iterate->gamma, size);
  memcpy(s->last_c, s->iterate->v_c, size);
  compute_gradient(s);
  project_step(s);
  for (; !is_bounded(s); ++*iterations) {
    s->L *= 2;
    project_step(s);
  }
  extrapolate(s);
  s->L *= 0.9;
  ++*iterations;
}

cr_newton_outcome cr_accelerated(cr_system* system, const cr_first_order_settings* settings,
                                 cr_arena* arena, cr_iterate* iterate, int* iterations) {
  accelerated s = {.system = system, .settings = settings, .iterate = iterate};
  cr_watch watch;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!allocate(&s, arena) || !cr_watch_init(&watch, system, settings, arena))
    return CR_NEWTON_FAILED;
  start(&s);
  cr_newton_outcome outcome = CR_NEWTON_STALLED;
  for (int begin = *iterations;;) {
    int i = *iterations - begin;
    if (cr_watch_is_due(&watch, i) && cr_watch_measure(&watch, iterate, i, &outcome)) break;
    step(&s, iterations);
  }
  cr_watch_finish(&watch, outcome, iterate);
  cr_arena_pop_scratch(arena, mark);
  return outcome;
}
