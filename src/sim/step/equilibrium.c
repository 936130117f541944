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
#include "solve/island.h"
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
  bool* is_closed;          /* [num_rows] */
  carom_step_report* report;
} seeker;

/* One in which nothing moves. */
typedef struct island {
  cr_problem problem;
  int* rows; /* [num_rows] in the whole problem */
  double *v, *gamma, *v_c, *local;
} island;

static bool begin(seeker* s) {
  cr_step* step = s->step;
  cr_step_problem* p = s->p;
  int rows = p->problem.num_rows;
  s->options.friction = CR_FRICTION_CONVEX;
  s->options.tolerance = ACCURACY * step->sim->def.tolerance;
  s->options.max_iterations = step->sim->def.max_iterations;
  s->R = CR_SCRATCH(step->arena, double, rows);
  s->v_hat = CR_SCRATCH(step->arena, double, rows);
  s->rest = CR_SCRATCH(step->arena, double, rows);
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

/* Gives the rows of what is closed their compliance, and no gap to close. */
static void soften(seeker* s) {
  cr_problem* p = &s->p->problem;
  double closed = cr_compliance_find_closed(s->step);
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
  }
}

/* Whether nothing moves in an island, nor bends. */
static bool is_at_rest(const cr_problem* p, const cr_islands* islands, int index) {
  for (int k = islands->block_start[index]; k < islands->block_start[index + 1]; k++) {
    int block = islands->block[k], first = p->pattern.row_start[block];
    if (block >= p->pattern.num_blocks - p->num_elastic) return false;
    for (int i = first; i < first + p->pattern.size[block]; i++)
      if (p->v0[i] != 0) return false;
  }
  return true;
}

static bool extract(const seeker* s, const cr_islands* islands, int index, island* own) {
  cr_arena* arena = s->step->arena;
  if (!cr_islands_extract(&s->p->problem, islands, index, arena, &own->problem, &own->rows))
    return false;
  int rows = own->problem.num_rows;
  own->gamma = CR_SCRATCH(arena, double, rows);
  own->v_c = CR_SCRATCH(arena, double, rows);
  own->v = CR_SCRATCH(arena, double, own->problem.pattern.num_rows);
  own->local = CR_SCRATCH(arena, double, cr_problem_scratch_size(&own->problem));
  return !arena->failed;
}

static bool touches(const seeker* s, const island* own) {
  for (int i = 0; i < own->problem.num_rows; i++)
    if (s->is_closed[own->rows[i]]) return true;
  return false;
}

/* One more solution, and the largest velocity of what is closed in it, m/s; NaN without memory. */
static double solve(seeker* s, island* own) {
  cr_problem* p = &own->problem;
  double most = 0;
  cr_solve_report solved;
  carom_status status = cr_solve(p, &s->options, s->step->sim->workers, s->step->problem_arena,
                                 own->v, own->gamma, &solved);
  if (status != CAROM_OK) return NAN;
  s->report->iterations = int_max(s->report->iterations, solved.iterations);
  s->report->factorizations += solved.factorizations;
  s->options.start = CR_START_IMPULSES;
  cr_problem_apply_J(p, own->v, own->v_c, own->local);
  for (int i = 0; i < p->num_rows; i++) {
    int row = own->rows[i];
    if (!s->is_closed[row]) continue;
    most = scalar_max(most, fabs(own->v_c[i] - s->rest[row]));
    p->v_hat[i] = s->rest[row] + p->R[i] * own->gamma[i];
  }
  return most;
}

/* Until it rests, or a solution does not halve the velocities of the one before. */
static cr_result settle(seeker* s, island* own, bool* rests) {
  double fall = s->step->dt * v3_norm(v3_load(s->step->model->force.gravity));
  double enough = AT_REST * s->step->sim->def.tolerance * fall, most = INFINITY, before;
  s->options.start = CR_START_COLD;
  do {
    before = most;
    most = solve(s, own);
    if (isnan(most)) return CR_NO_MEMORY;
  } while (most > enough && most < before / 2);
  *rests = most <= enough;
  return CR_DONE;
}

/* The impulses of an island where it rests. */
static cr_result seek(seeker* s, const cr_islands* islands, int index) {
  island own;
  bool rests;
  if (!is_at_rest(&s->p->problem, islands, index)) return CR_DONE;
  if (!extract(s, islands, index, &own)) return CR_NO_MEMORY;
  if (!touches(s, &own)) return CR_DONE;
  CR_TRY(settle(s, &own, &rests));
  for (int i = 0; rests && i < own.problem.num_rows; i++) s->p->gamma[own.rows[i]] = own.gamma[i];
  s->p->has_guess |= rests;
  return CR_DONE;
}

cr_result cr_equilibrium_seek(cr_step* step, cr_step_problem* p, carom_step_report* report) {
  int rows = p->problem.num_rows;
  cr_islands islands;
  if (step->sim->memory.count > 0 || p->has_guess) return CR_DONE;
  seeker s = {.step = step, .p = p, .options = cr_solve_options_default(), .report = report};
  cr_scratch_mark all = cr_arena_mark_scratch(step->arena);
  if (!begin(&s) || !cr_islands_find(&p->problem, step->arena, &islands)) return CR_NO_MEMORY;
  soften(&s);
  memset(p->gamma, 0, sizeof *p->gamma * (size_t)rows);
  for (int i = 0; i < islands.count; i++) {
    cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
    CR_TRY(seek(&s, &islands, i));
    cr_arena_pop_scratch(step->arena, mark);
  }
  CR_COPY(p->problem.R, s.R, rows);
  CR_COPY(p->problem.v_hat, s.v_hat, rows);
  cr_arena_pop_scratch(step->arena, all);
  return CR_DONE;
}
