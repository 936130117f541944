/* A whole problem: islands one by one or side by side, each to its own certificate.
 *
 * An island is solved from its own data only, into its own part of v and gamma and a report of its
 * own; the reports are added up in the order of the islands. */
#include "solve/solve.h"

#include "base/copy.h"
#include "base/error.h"
#include "math/scalar.h"
#include "solve/driver.h"
#include "solve/newton/iterative.h"
#include "solve/newton/order.h"
#include "solve/prepare.h"
#include "solve/schedule/island_schedule.h"
#include "solve/schedule/workers.h"
#include "solve/tuning.h"

#include <math.h>
#include <string.h>

cr_solve_options cr_solve_options_default(void) {
  return (cr_solve_options){.solver = CR_SOLVER_NEWTON,
                            .friction = CR_FRICTION_COULOMB,
                            .tolerance = 1e-6,
                            .max_iterations = 100};
}

/* A problem, dealt out. */
typedef struct job {
  const cr_problem* problem;
  const cr_islands* islands;
  const cr_solve_options* options;
  double *v, *gamma;
  cr_solve_report* report; /* [islands] */

  cr_solve_workers* workers;
  const cr_island_schedule* schedule;
  carom_status* status; /* [shares] */
  bool is_one_by_one;   /* whether an island is solved by all threads, */
  bool is_alone;        /* and the shares by the caller, one after the other */
} job;

/* --- Islands ------------------------------------------------------------------------------------
 */

/* Analysis of A, and room for its factor; null when memory ran out. */
static double* prepare_A(cr_problem* p, cr_solve_cache* cache, cr_arena* arena) {
  cr_symbolic* symbolic = CR_PUSH(arena, cr_symbolic, 1);
  if (arena->failed) return NULL;
  bool done = cache
                  ? cr_solve_cache_analyze(cache, &p->pattern, CR_ORDERING_REVERSE, arena, symbolic)
                  : cr_symbolic_analyze(&p->pattern, CR_ORDERING_REVERSE, arena, symbolic);
  p->A_symbolic = symbolic;
  return done ? CR_PUSH(arena, double, symbolic->factor_size) : NULL;
}

/* Factor of A for island `index`, which is the whole or a part of it; as the problem brought it, if
 * it did. */
static bool factor_A(const job* j, int index, cr_problem* p, cr_solve_cache* cache, cr_arena* arena,
                     bool* definite) {
  *definite = true;
  if (p->A_least || (p->A_symbolic && p->A_factor)) return true;
  double* factor = prepare_A(p, cache, arena);
  if (!factor) return false;
  p->A_factor = factor;
  const cr_problem* whole = j->problem;
  const int* blocks = j->islands->block + j->islands->block_start[index];
  if (whole->A_factor &&
      cr_cholesky_extract(whole->A_symbolic, whole->A_factor, p->A_symbolic, blocks, factor))
    return true;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* scratch = CR_SCRATCH(arena, double, p->A_symbolic->scratch_size);
  if (arena->failed) return false;
  cr_cholesky_load(p->A_symbolic, p->A, factor);
  *definite = cr_cholesky_factor(p->A_symbolic, factor, scratch) < 0;
  cr_arena_pop_scratch(arena, mark);
  return true;
}

/* Starts from the guess of impulses, or from v*, gamma = 0. Joints accelerate what hangs on them by
 * much more than the few contacts of a robot, so that v* is the better guess of its velocities. */
static void start(cr_system* system, const cr_solve_options* options, const double* gamma,
                  cr_iterate* iterate) {
  cr_start from = options->start;
  bool is_coulomb = options->friction == CR_FRICTION_COULOMB;
  const cr_problem* p = system->problem;
  if (from == CR_START_COLD)
    memset(iterate->gamma, 0, sizeof(double) * (size_t)p->num_rows);
  else
    CR_FOR_EACH_LAW (k, system->batch)
      cr_law_get(k)->project(&system->batch[k], gamma, iterate->gamma);
  if (from == CR_START_VELOCITIES && !cr_problem_is_articulated(p))
    cr_iterate_start(system, is_coulomb, iterate);
  else
    cr_iterate_balance(system, iterate);
}

/* A frozen problem that is nearly solved takes a step all the same. */
static cr_solve_outcome outcome_of(const cr_newton_report* newton, double residual) {
  if (newton->outcome == CR_NEWTON_CONVERGED) return CR_SOLVE_CERTIFIED;
  if (newton->is_frozen && residual <= CR_DONE) return CR_SOLVE_SETTLED;
  return newton->outcome == CR_NEWTON_STALLED ? CR_SOLVE_STALLED : CR_SOLVE_FAILED;
}

/* The larger of the laws' and of momentum. */
static double find_residual(cr_system* system, const cr_iterate* iterate, const cr_law_mode* mode,
                            const cr_solve_options* options) {
  if (options->without_residual && cr_certificate_is_gap(system, mode)) return 0;
  cr_certificate m = cr_certificate_residual(system, iterate, mode);
  return fmax(m.residual, m.momentum);
}

/* The figures of an island. */
static cr_solve_report make_report(const cr_strategy* s, double* scratch) {
  const cr_newton_report* newton = &s->report;
  const cr_solve_options* options = s->options;
  const cr_iterate* iterate = s->iterate;
  cr_system* system = s->system;
  bool coulomb = options->friction == CR_FRICTION_COULOMB && cr_system_has_cones(system);
  const cr_law_mode law = {.coulomb = coulomb};
  double distance = find_residual(system, iterate, &law, options), gap = INFINITY;
  double residual = newton->is_frozen ? newton->frozen_value : distance;
  if (!coulomb)
    gap = iterate->gap >= 0 ? iterate->gap : cr_certificate_gap(system, iterate, scratch);
  return (cr_solve_report){
      .outcome = outcome_of(newton, residual),
      .iterations = newton->iterations,
      .outer_iterations = newton->outer,
      .factorizations = system->factorizations,
      .islands = 1,
      .relaxed = newton->is_frozen,
      .inexact = system->iterative && system->iterative->has_failed,
      .touched = system->problem->pattern.num_rows,
      .residual = residual,
      .coulomb_residual = coulomb ? distance : 0,
      .gap = gap,
      .relative_gap = sqrt(2 * gap) / cr_certificate_scale(system, iterate),
  };
}

/* Takes an island's figures into the report of the whole. */
static void add_report(cr_solve_report* all, const cr_solve_report* island) {
  if (island->outcome > all->outcome) all->outcome = island->outcome;
  all->iterations = int_max(all->iterations, island->iterations);
  all->outer_iterations = int_max(all->outer_iterations, island->outer_iterations);
  all->factorizations += island->factorizations;
  all->islands += island->islands;
  all->relaxed += island->relaxed;
  all->inexact += island->inexact;
  all->touched += island->touched;
  all->residual = fmax(all->residual, island->residual);
  all->coulomb_residual = fmax(all->coulomb_residual, island->coulomb_residual);
  all->gap += island->gap;
  all->relative_gap = fmax(all->relative_gap, island->relative_gap);
}

static bool is_solved(const cr_solve_report* report) {
  return report->outcome <= CR_SOLVE_SETTLED && !report->inexact;
}

/* What the lightest block weighs of the heaviest one, by the largest diagonal element of each; 1
 * where that is no less than the square of a digit, and where links of robots share their masses.
 */
static double find_lightest(const cr_problem* p) {
  double least = INFINITY, most = 0;
  const cr_bsm_pattern* x = &p->pattern;
  if (p->A_least || cr_problem_is_articulated(p)) return 1;
  for (int k = 0; k < x->num_blocks; k++) {
    const double* block = p->A + x->value_start[x->col_start[k]];
    double own = 0;
    for (int i = 0; i < x->size[k]; i++) own = fmax(own, block[i * (x->size[k] + 1)]);
    least = fmin(least, own);
    most = fmax(most, own);
  }
  return least < CR_DONE * CR_DONE * most ? least / most : 1;
}

/* Those of an island: see cr_budget. The certificate weighs velocities by the roots of masses, so
 * that light bodies may be off by more: where it is more than a digit, a step asks for one more, as
 * it does for what a problem needs of itself. */
static cr_solve_options options_for(const cr_problem* p, double lightest,
                                    const cr_solve_options* all) {
  cr_solve_options own = *all;
  if (p->num_elastic > 0 && own.budget == CR_BUDGET_BOUNDED) own.budget = CR_BUDGET_START;
  if (own.budget == CR_BUDGET_FULL) return own;
  if (lightest < 1) own.tolerance *= CR_DONE;
  if (p->accuracy > 0) own.tolerance = fmin(own.tolerance, p->accuracy);
  return own;
}

/* The system of an island; as it was prepared, where it is the whole. */
static bool make_system(const cr_solve_options* options, const cr_problem* p, cr_solve_cache* cache,
                        cr_arena* arena, cr_system* system) {
  const cr_solve_preparation* prepared = options->preparation;
  if (!prepared || !prepared->is_whole) return cr_system_init(system, p, cache, arena);
  *system = prepared->system;
  system->problem = p;
  return cr_system_start(system, arena);
}

/* Impulses in C, where those whose gap is known are already. */
static void take_impulses(const cr_system* system, const cr_iterate* iterate, double* gamma) {
  if (iterate->gap >= 0)
    CR_COPY(gamma, iterate->gamma, system->problem->num_rows);
  else
    CR_FOR_EACH_LAW (k, system->batch)
      cr_law_get(k)->project(&system->batch[k], iterate->gamma, gamma);
}

/* What is kept of the order of an island's blocks, out of the whole problem's, and back. */
static void gather_order(const job* j, int index, cr_order_record* order) {
  for (int k = j->islands->block_start[index]; k < j->islands->block_start[index + 1]; k++)
    *order++ = j->problem->order[j->islands->block[k]];
}

static void scatter_order(const job* j, int index, const cr_order_record* order) {
  for (int k = j->islands->block_start[index]; k < j->islands->block_start[index + 1]; k++)
    j->problem->order[j->islands->block[k]] = *order++;
}

/* An island as a problem of its own, which is the whole or a part of it. */
typedef struct part {
  cr_problem problem;
  int* rows; /* of the whole; null where it is that */
  double *v, *gamma;
} part;

static bool keeps_order(const job* j, const part* x) {
  return j->problem->order && cr_order_is_kept(x->problem.pattern.num_blocks);
}

static bool extract(const job* j, int index, cr_arena* arena, part* x) {
  if (cr_islands_is_whole(j->islands, j->problem)) {
    *x = (part){*j->problem, NULL, j->v, j->gamma};
    return true;
  }
  if (!cr_islands_extract(j->problem, j->islands, index, arena, &x->problem, &x->rows))
    return false;
  x->v = CR_PUSH(arena, double, x->problem.pattern.num_rows);
  x->gamma = CR_PUSH(arena, double, x->problem.num_rows);
  if (keeps_order(j, x))
    x->problem.order = CR_PUSH(arena, cr_order_record, x->problem.pattern.num_blocks);
  if (arena->failed) return false;
  if (keeps_order(j, x)) gather_order(j, index, x->problem.order);
  for (int r = 0; r < x->problem.num_rows; r++) x->gamma[r] = j->gamma[x->rows[r]];
  return true;
}

static void put_back(const job* j, int index, const part* x) {
  if (!x->rows) return;
  const cr_bsm_pattern *own = &x->problem.pattern, *whole = &j->problem->pattern;
  if (keeps_order(j, x)) scatter_order(j, index, x->problem.order);
  for (int r = 0; r < x->problem.num_rows; r++) j->gamma[x->rows[r]] = x->gamma[r];
  for (int k = 0; k < own->num_blocks; k++) {
    int block = j->islands->block[j->islands->block_start[index] + k];
    CR_COPY(j->v + whole->row_start[block], x->v + own->row_start[k], own->size[k]);
  }
}

/* The system of an island and its first iterate. */
static bool begin(const job* j, const cr_solve_options* options, const part* x,
                  cr_solve_cache* cache, cr_strategy* s) {
  cr_system* system = s->system;
  return make_system(options, &x->problem, cache, s->arena, system) &&
         cr_iterate_init(s->iterate, &x->problem, s->arena) &&
         (!x->problem.A_least || cr_system_start_iterative(system, options->tolerance, s->arena)) &&
         (!j->is_one_by_one ||
          cr_system_share(system, &j->workers->tasks, j->workers->threads, s->arena));
}

/* Solves island `index`. */
static carom_status solve_island(const job* j, int index, cr_solve_cache* cache, cr_arena* arena) {
  part x;
  cr_system system;
  cr_iterate iterate;
  cr_solve_report* report = &j->report[index];
  bool definite;
  if (!extract(j, index, arena, &x) || !factor_A(j, index, &x.problem, cache, arena, &definite))
    return CAROM_ERROR_OUT_OF_MEMORY;
  double lightest = find_lightest(&x.problem);
  const cr_solve_options options = options_for(&x.problem, lightest, j->options);
  cr_strategy s = {
      &system, &options, arena, &iterate, j->options->tolerance, lightest, .report = {.outer = 1}};
  if (!definite) {
    report->outcome = CR_SOLVE_FAILED;
    CR_COPY(x.v, x.problem.v_star, x.problem.pattern.num_rows);
    put_back(j, index, &x);
    return CAROM_OK;
  }
  if (!begin(j, &options, &x, cache, &s)) return CAROM_ERROR_OUT_OF_MEMORY;
  start(&system, &options, x.gamma, &iterate);
  bool coulomb = options.friction == CR_FRICTION_COULOMB && cr_system_has_cones(&system);
  cr_driver_solve(&s, &(cr_target){.mode = {.coulomb = coulomb},
                                   .tolerance = options.tolerance,
                                   .warm = options.start != CR_START_COLD,
                                   .confirms = options.budget != CR_BUDGET_FULL});
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  *report = make_report(&s, x.gamma);
  CR_COPY(x.v, iterate.v, x.problem.pattern.num_rows);
  take_impulses(&system, &iterate, x.gamma);
  put_back(j, index, &x);
  return CAROM_OK;
}

/* --- Shares -------------------------------------------------------------------------------------
 */

/* Solves the islands of a share, as a task. */
static void solve_share(void* data, int share) {
  const job* j = data;
  cr_solve_worker* worker = &j->workers->worker[share];
  j->status[share] = CAROM_OK;
  for (int k = j->schedule->start[share]; k < j->schedule->start[share + 1]; k++) {
    cr_arena_reset(&worker->arena);
    j->status[share] = solve_island(j, j->schedule->island[k], worker->cache, &worker->arena);
    if (j->status[share] != CAROM_OK) return;
  }
}

/* Deals the islands out. Little work is done here, in the same shares, because to wake others would
 * take longer; and so is what one share would have more than half of: its islands are shared out
 * themselves. */
static bool deal_out(job* j, cr_island_schedule* schedule, cr_arena* arena) {
  cr_solve_workers* workers = j->workers;
  j->status = CR_PUSH(arena, carom_status, workers->count);
  if (!cr_island_schedule_build(j->problem, j->islands, workers->count, arena, schedule))
    return false;
  j->schedule = schedule;
  j->is_one_by_one = workers->threads > 1 && 2 * schedule->most_work > schedule->work;
  j->is_alone = schedule->work < workers->least_work || j->is_one_by_one;
  return true;
}

/* What became of all islands. */
static carom_status add_up(const job* j, cr_solve_report* report) {
  const cr_islands* islands = j->islands;
  for (int s = 0; j->workers && s < j->workers->count; s++) CR_TRY(j->status[s]);
  for (int i = 0; i < islands->count; i++) {
    if (is_solved(report) && !is_solved(&j->report[i]))
      report->failed_block = islands->block[islands->block_start[i]];
    add_report(report, &j->report[i]);
  }
  report->error_bound = sqrt(2 * report->gap);
  return CAROM_OK;
}

/* The islands as they were prepared, or found now. */
static bool find_islands(const cr_problem* problem, const cr_solve_options* options,
                         cr_arena* arena, cr_islands* islands) {
  if (!options->preparation) return cr_islands_find(problem, arena, islands);
  *islands = options->preparation->islands;
  return true;
}

carom_status cr_solve(const cr_problem* problem, const cr_solve_options* options,
                      cr_solve_workers* workers, cr_arena* arena, double* v, double* gamma,
                      cr_solve_report* report) {
  cr_islands islands;
  cr_island_schedule schedule;
  *report = (cr_solve_report){.failed_block = -1};
  CR_COPY(v, problem->v_star, problem->pattern.num_rows);
  if (!find_islands(problem, options, arena, &islands)) return CAROM_ERROR_OUT_OF_MEMORY;
  job j = {problem, &islands, options, v, gamma, .workers = workers};
  j.report = CR_PUSH(arena, cr_solve_report, islands.count);
  if (arena->failed || (workers && !deal_out(&j, &schedule, arena)))
    return CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < islands.count; i++) j.report[i] = (cr_solve_report){0};
  if (!workers)
    for (int i = 0; i < islands.count; i++) CR_TRY(solve_island(&j, i, NULL, arena));
  else if (j.is_alone)
    for (int s = 0; s < workers->count; s++) solve_share(&j, s);
  else
    cr_tasks_run(&workers->tasks, workers->count, solve_share, &j);
  return add_up(&j, report);
}
