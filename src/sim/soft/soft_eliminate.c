/* The Schur complement of a soft body's A, and what follows from A of velocities. */
#include "sim/soft/soft_eliminate.h"

#include "sim/soft/soft_inverse.h"

#include <math.h>
#include <string.h>

/* Share of a step's change of velocity, in the norm of A, that a solution may miss by. */
#define MOST_MISSED 0.05

static int num_coordinates(const cr_step_soft* soft) { return 3 * soft->part->mesh.num_nodes; }

/* The analysis with these nodes last, which stays while they are the same ones. */
static bool analyze_kept(const cr_step* step, const cr_step_soft* soft) {
  cr_soft_cache* cache = soft->cache;
  const cr_bsm_pattern* pattern = &soft->part->body.pattern;
  size_t bytes = sizeof(int) * (size_t)pattern->num_blocks;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int* is_kept = CR_SCRATCH(step->arena, int, pattern->num_blocks);
  if (step->arena->failed) return false;
  memset(is_kept, 0, bytes);
  for (int k = 0; k < soft->num_kept; k++) is_kept[soft->kept[k]] = 1;
  bool is_known = cache->is_kept && memcmp(cache->is_kept, is_kept, bytes) == 0;
  if (!is_known) {
    cr_arena_reset(&cache->kept);
    cache->is_kept = CR_PUSH(&cache->kept, int, pattern->num_blocks);
    if (cache->is_kept) memcpy(cache->is_kept, is_kept, bytes);
    is_known = cache->is_kept &&
               cr_schur_analyze(pattern, cache->order, is_kept, &cache->kept, &cache->partly);
    if (!is_known) cache->is_kept = NULL;
  }
  cr_arena_pop_scratch(step->arena, mark);
  return is_known;
}

/* Row in S of every coordinate; -1 where it is not kept. */
static void place_kept(const cr_step_soft* soft, int* place) {
  for (int i = 0; i < num_coordinates(soft); i++) place[i] = -1;
  for (int i = 0; i < 3 * soft->num_kept; i++) place[3 * soft->kept[i / 3] + i % 3] = i;
}

/* A at v_lin. False when memory ran out. */
static bool compute_A(const cr_step* step, cr_step_soft* soft) {
  soft->A = CR_PUSH(step->problem_arena, double, soft->part->body.pattern.num_values);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* x = CR_SCRATCH(step->arena, double, num_coordinates(soft));
  if (step->arena->failed || step->problem_arena->failed) return false;
  cr_soft_compute_mid(step, soft, soft->theta, step->v_lin + soft->first_v, x);
  cr_soft_compute_matrix(step, soft, (const double(*)[3])x, true, soft->A);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

cr_result cr_soft_eliminate(cr_step* step, cr_step_soft* soft) {
  if (!compute_A(step, soft)) return CR_NO_MEMORY;
  if (soft->is_iterative) return CR_DONE;
  int n = num_coordinates(soft), count = 3 * soft->num_kept;
  if (!analyze_kept(step, soft)) return CR_NO_MEMORY;
  const cr_symbolic* symbolic = &soft->cache->partly;
  soft->factor = CR_PUSH(step->problem_arena, double, symbolic->factor_size);
  soft->S = CR_PUSH(step->problem_arena, double, (size_t)count*(size_t)cr_schur_stride(count));
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int* place = CR_SCRATCH(step->arena, int, n);
  if (step->arena->failed || step->problem_arena->failed) return CR_NO_MEMORY;
  cr_cholesky_load(symbolic, soft->A, soft->factor);
  place_kept(soft, place);
  bool is_good = cr_schur_factor(symbolic, place, count, soft->factor, soft->S) < 0;
  cr_arena_pop_scratch(step->arena, mark);
  return is_good ? CR_DONE : CR_UNSOLVED;
}

/* r <- A^-1 r. False when memory ran out. */
static bool correct_by_factor(const cr_step* step, const cr_step_soft* soft, double* r) {
  const cr_symbolic* symbolic = &soft->cache->partly;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* scratch = CR_SCRATCH(step->arena, double, symbolic->scratch_size);
  if (step->arena->failed) return false;
  cr_cholesky_solve(symbolic, soft->factor, r, 1, num_coordinates(soft), scratch);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* The same from the acceleration of the last free motion. What does not get there is not a number,
 * so that the step fails.
 * @param x scratch [3 num_nodes] */
static bool correct_by_iteration(const cr_step* step, cr_step_soft* soft, double* r, double* x) {
  int n = num_coordinates(soft);
  cr_soft_inverse inverse;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  if (!cr_soft_inverse_init(step, soft, soft->A, &inverse)) return false;
  const double* a = step->sim->a_free + soft->first_v;
  for (int i = 0; i < n; i++) x[i] = step->relinearised ? 0 : -step->dt * a[i];
  const cr_conjugate_goal goal = {cr_soft_strain_floor(soft),
                                  CR_SOFT_SHARE * step->sim->def.tolerance, CR_SOFT_MOST};
  bool is_good = cr_soft_inverse_factor(&inverse);
  cr_conjugate_report report = {0};
  if (is_good) report = cr_conjugate_solve(&inverse.conjugate, r, &goal, x);
  soft->left = report.left <= goal.absolute ? 0 : report.left / sqrt(report.energy);
  for (int i = 0; i < n; i++) r[i] = report.is_done ? x[i] : NAN;
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

bool cr_soft_linearize(cr_step* step, cr_step_soft* soft) {
  int n = num_coordinates(soft);
  const double* v_lin = step->v_lin + soft->first_v;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double(*x)[3] = (double(*)[3])CR_SCRATCH(step->arena, double, n);
  double* gradient = CR_SCRATCH(step->arena, double, n);
  double* r = CR_SCRATCH(step->arena, double, n);
  if (step->arena->failed) return false;
  cr_soft_compute_residual(step, soft, v_lin, x, gradient, r);
  bool done = soft->is_iterative ? correct_by_iteration(step, soft, r, gradient)
                                 : correct_by_factor(step, soft, r);
  if (!done) return false;
  for (int i = 0; i < n; i++) step->v_star[soft->first_v + i] = v_lin[i] - r[i];
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* |x|² in the norm of A of the nodes that are not held; y [n] is scratch. */
static double find_norm2(const cr_step_soft* soft, const double* x, double* y) {
  int n = num_coordinates(soft);
  double sum = 0;
  cr_bsm_multiply(&soft->part->body.pattern, soft->A, x, y);
  for (int i = 0; i < n; i++) sum += soft->held[i / 3] == 1 ? 0 : x[i] * y[i];
  return sum;
}

/* What m(v) is more than A (v - v*), into r; dv and x are scratch. */
static void find_missed(const cr_step* step, const cr_step_soft* soft, double (*x)[3], double* dv,
                        double* r) {
  const double *v = step->v + soft->first_v, *v_star = step->v_star + soft->first_v;
  int n = num_coordinates(soft);
  cr_soft_compute_residual(step, soft, v, x, dv, r);
  for (int i = 0; i < n; i++) dv[i] = soft->held[i / 3] == 1 ? 0 : v_star[i] - v[i];
  cr_bsm_multiply(&soft->part->body.pattern, soft->A, dv, x[0]);
  for (int i = 0; i < n; i++) r[i] = soft->held[i / 3] == 1 ? 0 : r[i] + x[i / 3][i % 3];
}

bool cr_soft_bends(const cr_step* step, const cr_step_soft* soft) {
  int n = num_coordinates(soft);
  bool is_implicit = soft->theta.q * soft->theta.vq >= 1; /* which takes more than that makes */
  if (soft->is_iterative || soft->num_kept == 0 || is_implicit) return false;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double(*x)[3] = (double(*)[3])CR_SCRATCH(step->arena, double, n);
  double* dv = CR_SCRATCH(step->arena, double, n);
  double* r = CR_SCRATCH(step->arena, double, n);
  if (step->arena->failed) return false;
  find_missed(step, soft, x, dv, r);
  if (!correct_by_factor(step, soft, r)) return false;
  double missed = find_norm2(soft, r, dv);
  for (int i = 0; i < n; i++) r[i] = step->v[soft->first_v + i] - step->v0[soft->first_v + i];
  double moved = find_norm2(soft, r, dv);
  cr_arena_pop_scratch(step->arena, mark);
  return missed > MOST_MISSED * MOST_MISSED * moved &&
         0.5 * missed > cr_soft_compute_loss(step, soft);
}

/* A dv = (S dv_k on the kept nodes, 0 elsewhere) has the given dv_k in its solution. */
bool cr_soft_complete(cr_step* step, const cr_step_soft* soft) {
  if (soft->is_iterative) return true;
  int n = num_coordinates(soft), count = 3 * soft->num_kept, stride = cr_schur_stride(count);
  const cr_symbolic* symbolic = &soft->cache->partly;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* x = CR_SCRATCH(step->arena, double, n);
  double* dv = CR_SCRATCH(step->arena, double, count);
  double* scratch = CR_SCRATCH(step->arena, double, symbolic->scratch_size);
  if (step->arena->failed) return false;
  const double* v_star = step->v_star + soft->first_v;
  double* v = step->v + soft->first_v;
  memset(x, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < count; i++) {
    int at = 3 * soft->kept[i / 3] + i % 3;
    dv[i] = v[at] - v_star[at];
  }
  for (int i = 0; i < count; i++) {
    const double* row = soft->S + (size_t)i * (size_t)stride;
    double sum = 0;
    for (int j = 0; j < count; j++) sum += row[j] * dv[j];
    x[3 * soft->kept[i / 3] + i % 3] = sum;
  }
  cr_cholesky_solve(symbolic, soft->factor, x, 1, n, scratch);
  for (int i = 0; i < count; i++) x[3 * soft->kept[i / 3] + i % 3] = dv[i];
  for (int i = 0; i < n; i++) v[i] = v_star[i] + x[i];
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}
