/* A whole problem: islands one by one, in order, each to its own certificate. */
#include "solve/solve.h"

#include "solve/cache.h"
#include "solve/island.h"
#include "solve/newton.h"

#include <math.h>
#include <string.h>

cr_solve_options cr_solve_options_default(void) {
  return (cr_solve_options){.solver = CR_SOLVER_NEWTON,
                            .friction = CR_FRICTION_COULOMB,
                            .tolerance = 1e-6,
                            .max_iterations = 100};
}

/* Factor of A for an island, unless the problem brought one. */
static bool factor_A(cr_problem* p, cr_solve_cache* cache, cr_arena* arena, bool* definite) {
  *definite = true;
  if (p->A_symbolic && p->A_factor) return true;
  cr_symbolic* symbolic = CR_PUSH(arena, cr_symbolic, 1);
  if (arena->failed) return false;
  bool done = cache
                  ? cr_solve_cache_analyze(cache, &p->pattern, CR_ORDERING_REVERSE, arena, symbolic)
                  : cr_symbolic_analyze(&p->pattern, CR_ORDERING_REVERSE, arena, symbolic);
  if (!done) return false;
  double* factor = CR_PUSH(arena, double, symbolic->factor_size);
  size_t mark = cr_arena_mark_scratch(arena);
  double* scratch = CR_SCRATCH(arena, double, symbolic->scratch_size);
  if (arena->failed) return false;
  cr_cholesky_load(symbolic, p->A, factor);
  *definite = cr_cholesky_factor(symbolic, factor, scratch) < 0;
  cr_arena_pop_scratch(arena, mark);
  p->A_symbolic = symbolic, p->A_factor = factor;
  return true;
}

/* Starts from the guess of impulses, balanced; without one from v*, gamma = 0. */
static void start(cr_system* system, const double* gamma, cr_iterate* iterate) {
  size_t size = sizeof(double) * (size_t)system->problem->num_rows;
  if (gamma) {
    for (int k = 0; k < CR_LAW_COUNT; k++)
      cr_law_get(k)->project(&system->batch[k], gamma, iterate->gamma);
  } else
    memset(iterate->gamma, 0, size);
  cr_iterate_balance(system, iterate);
}

/* Takes an island's figures into the report of the whole. */
static void add_report(cr_solve_report* report, const cr_newton_report* island, cr_system* system,
                       const cr_iterate* iterate, const cr_solve_options* options,
                       double* scratch) {
  cr_law_mode mode = {.coulomb = options->friction == CR_FRICTION_COULOMB};
  cr_measure m = cr_measure_residual(system, iterate, &mode);
  m.gap = mode.coulomb > 0 ? INFINITY : cr_measure_gap(system, iterate, scratch);
  report->iterations =
      island->iterations > report->iterations ? island->iterations : report->iterations;
  report->outer_iterations =
      island->outer > report->outer_iterations ? island->outer : report->outer_iterations;
  report->factorizations += system->factorizations;
  report->islands++;
  report->relaxed += island->relaxed;
  report->touched += system->problem->pattern.num_rows;
  report->residual = fmax(report->residual, fmax(m.residual, m.momentum));
  report->gap += m.gap;
  report->relative_gap = fmax(report->relative_gap, sqrt(2 * m.gap) / m.scale);
  cr_solve_outcome outcome = island->outcome == CR_NEWTON_CONVERGED ? CR_SOLVE_CERTIFIED
                             : island->settled                      ? CR_SOLVE_SETTLED
                             : island->outcome == CR_NEWTON_STALLED ? CR_SOLVE_STALLED
                                                                    : CR_SOLVE_FAILED;
  if (outcome > report->outcome) report->outcome = outcome;
}

/* Solves one island; v and gamma are the island's own arrays. */
static carom_status solve_island(cr_problem* p, const cr_solve_options* options,
                                 cr_solve_cache* cache, cr_arena* arena, double* v, double* gamma,
                                 cr_solve_report* report) {
  cr_system system;
  cr_iterate iterate;
  bool definite;
  if (!factor_A(p, cache, arena, &definite)) return CAROM_ERROR_OUT_OF_MEMORY;
  if (!definite) {
    report->outcome = CR_SOLVE_FAILED;
    memcpy(v, p->v_star, sizeof(double) * (size_t)p->pattern.num_rows);
    return CAROM_OK;
  }
  if (!cr_system_init(&system, p, cache, arena) || !cr_iterate_init(&iterate, p, arena))
    return CAROM_ERROR_OUT_OF_MEMORY;
  start(&system, options->warm ? gamma : NULL, &iterate);
  cr_newton_report newton = cr_newton_solve(&system, options, options->warm, arena, &iterate);
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  add_report(report, &newton, &system, &iterate, options, gamma);
  memcpy(v, iterate.v, sizeof(double) * (size_t)p->pattern.num_rows);
  for (int k = 0; k < CR_LAW_COUNT; k++)
    cr_law_get(k)->project(&system.batch[k], iterate.gamma, gamma);
  return CAROM_OK;
}

/* Extracts, solves and puts back island `index`. */
static carom_status solve_part(const cr_problem* problem, const cr_islands* islands, int index,
                               const cr_solve_options* options, cr_solve_cache* cache,
                               cr_arena* arena, double* v, double* gamma, cr_solve_report* report) {
  cr_problem island;
  int* rows;
  if (!cr_islands_extract(problem, islands, index, arena, &island, &rows))
    return CAROM_ERROR_OUT_OF_MEMORY;
  double* v_part = CR_PUSH(arena, double, island.pattern.num_rows);
  double* gamma_part = CR_PUSH(arena, double, island.num_rows);
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  for (int r = 0; r < island.num_rows; r++) gamma_part[r] = gamma[rows[r]];
  carom_status status = solve_island(&island, options, cache, arena, v_part, gamma_part, report);
  if (status != CAROM_OK) return status;
  for (int r = 0; r < island.num_rows; r++) gamma[rows[r]] = gamma_part[r];
  for (int k = 0; k < island.pattern.num_blocks; k++) {
    int block = islands->block[islands->block_start[index] + k];
    memcpy(v + problem->pattern.row_start[block], v_part + island.pattern.row_start[k],
           sizeof(double) * (size_t)island.pattern.size[k]);
  }
  return CAROM_OK;
}

carom_status cr_solve(const cr_problem* problem, const cr_solve_options* options,
                      cr_solve_cache* cache, cr_arena* arena, double* v, double* gamma,
                      cr_solve_report* report) {
  *report = (cr_solve_report){0};
  cr_islands islands;
  memcpy(v, problem->v_star, sizeof(double) * (size_t)problem->pattern.num_rows);
  if (!cr_islands_find(problem, arena, &islands)) return CAROM_ERROR_OUT_OF_MEMORY;
  if (islands.count == 1 && islands.block_start[1] == problem->pattern.num_blocks) {
    cr_problem whole = *problem;
    carom_status status = solve_island(&whole, options, cache, arena, v, gamma, report);
    report->error_bound = sqrt(2 * report->gap);
    return status;
  }
  for (int i = 0; i < islands.count; i++) {
    carom_status status = solve_part(problem, &islands, i, options, cache, arena, v, gamma, report);
    if (status != CAROM_OK) return status;
  }
  report->error_bound = sqrt(2 * report->gap);
  return CAROM_OK;
}
