/* Equilibrium where a trajectory begins at rest, by the method of multipliers.
 *
 * Coulomb's law has solutions in motion where a structure stands, and the compliance by which
 * redundant impulses are one lets it move a little, which near its limit load is not so little: its
 * law is then not met, and what is found instead moves. So the convex problem is solved first with
 * a compliance in all rows of what is closed, and again with v_hat = R gamma of the solution, which
 * takes that back. Where this comes to rest its impulses obey both laws. Little compliance takes
 * few solutions, and areas have the distribution of their foundation all the same, since it goes by
 * the same weights. */
#include "sim/step/equilibrium.h"

#include "base/copy.h"
#include "base/error.h"
#include "math/scalar.h"
#include "sim/rows/compliance.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>

#define WEIGHT   1e-7 /* R, of a row's mobility */
#define ACCURACY 1e-3 /* tolerances, of each solution */
#define AT_REST  0.1  /* tolerances of g dt, velocities that are none */

typedef struct seeker {
  cr_step* step;
  cr_step_problem* p;
  cr_solve_options options;
  double *R, *v_hat, *rest; /* [num_rows] of the step's own problem, and the velocities of rest */
  double *v, *v_c, *local;
  bool* is_closed; /* [num_rows] */
  carom_step_report* report;
} seeker;

static bool is_at_rest(const cr_step_problem* p) {
  for (int i = 0; i < p->problem.pattern.num_rows; i++)
    if (p->v0[i] != 0) return false;
  return true;
}

static bool begin(seeker* s) {
  cr_step* step = s->step;
  cr_step_problem* p = s->p;
  int rows = p->problem.num_rows;
  s->options.friction = CR_FRICTION_CONVEX;
  s->options.tolerance = ACCURACY * step->sim->def.tolerance;
  s->options.max_iterations = step->sim->def.max_iterations;
  s->options.start = CR_START_COLD;
  s->R = CR_SCRATCH(step->arena, double, rows);
  s->v_hat = CR_SCRATCH(step->arena, double, rows);
  s->rest = CR_SCRATCH(step->arena, double, rows);
  s->v = CR_SCRATCH(step->arena, double, p->problem.pattern.num_rows);
  s->v_c = CR_SCRATCH(step->arena, double, rows);
  s->local = CR_SCRATCH(step->arena, double, cr_problem_scratch_size(&p->problem));
  s->is_closed = CR_SCRATCH(step->arena, bool, rows);
  if (step->arena->failed) return false;
  CR_COPY(s->R, p->problem.R, rows);
  CR_COPY(s->v_hat, p->problem.v_hat, rows);
  CR_COPY(s->rest, p->problem.v_hat, rows);
  return true;
}

/* The mobility of a row; of a point of an area that of its share. */
static double find_mobility(const seeker* s, const cr_constraint* c, int first, int normal) {
  const cr_problem* p = &s->p->problem;
  int rows = normal - first + 1;
  bool is_area = c->point >= 0 && s->p->points->items[c->point].is_area;
  return is_area ? p->R[normal] / s->step->sim->plan.area_R
                 : s->p->W[p->ld * first + rows * rows - 1];
}

/* Gives the rows of what is closed their compliance, and no gap to close; whether there are any. */
static bool soften(seeker* s) {
  cr_problem* p = &s->p->problem;
  double closed = cr_compliance_find_closed(s->step);
  bool any = false;
  memset(s->is_closed, 0, sizeof *s->is_closed * (size_t)p->num_rows);
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_constraint* c = &s->p->constraints[s->p->order[i]];
    int first = p->row[i], normal = first + cr_law_get(p->kind[i])->rows - 1;
    if (!cr_compliance_can_close(c)) continue;
    double gap = cr_compliance_find_start(s->step, s->p, c, normal);
    if (!(fabs(gap) < closed)) continue;
    double R = WEIGHT * find_mobility(s, c, first, normal);
    for (int k = first; k <= normal; k++) s->is_closed[k] = true, p->R[k] = R;
    p->v_hat[normal] = s->rest[normal] += gap / s->step->dt;
    any = true;
  }
  return any;
}

/* One more solution, and the largest velocity of what is closed in it, m/s; NaN without memory. */
static double solve(seeker* s) {
  cr_problem* p = &s->p->problem;
  double most = 0;
  cr_solve_report solved;
  carom_status status = cr_solve(p, &s->options, s->step->sim->workers, s->step->problem_arena,
                                 s->v, s->p->gamma, &solved);
  if (status != CAROM_OK) return NAN;
  s->report->iterations = int_max(s->report->iterations, solved.iterations);
  s->report->factorizations += solved.factorizations;
  s->options.start = CR_START_IMPULSES;
  cr_problem_apply_J(p, s->v, s->v_c, s->local);
  for (int i = 0; i < p->num_rows; i++) {
    if (!s->is_closed[i]) continue;
    most = scalar_max(most, fabs(s->v_c[i] - s->rest[i]));
    p->v_hat[i] = s->rest[i] + p->R[i] * s->p->gamma[i];
  }
  return most;
}

/* Until it rests, or a solution does not halve the velocities of the one before. */
static cr_result settle(seeker* s, bool* rests) {
  double fall = s->step->dt * v3_norm(v3_load(s->step->model->force.gravity));
  double enough = AT_REST * s->step->sim->def.tolerance * fall, most = INFINITY, before;
  do {
    before = most;
    most = solve(s);
    if (isnan(most)) return CR_NO_MEMORY;
  } while (most > enough && most < before / 2);
  *rests = most <= enough;
  return CR_DONE;
}

cr_result cr_equilibrium_seek(cr_step* step, cr_step_problem* p, carom_step_report* report) {
  int rows = p->problem.num_rows;
  bool is_new = step->sim->memory.count == 0 && !p->has_guess;
  if (!is_new || p->problem.num_elastic > 0 || !is_at_rest(p)) return CR_DONE;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  seeker s = {.step = step, .p = p, .options = cr_solve_options_default(), .report = report};
  bool rests = false;
  if (!begin(&s)) return CR_NO_MEMORY;
  if (soften(&s)) CR_TRY(settle(&s, &rests));
  CR_COPY(p->problem.R, s.R, rows);
  CR_COPY(p->problem.v_hat, s.v_hat, rows);
  if (!rests) memset(p->gamma, 0, sizeof *p->gamma * (size_t)rows);
  cr_arena_pop_scratch(step->arena, mark);
  p->has_guess = rests;
  return CR_DONE;
}
