/* Preparation of a connected problem: Delassus scales from A's factor, law batches, the pattern of
 * H = A + JᵀGJ and where its contributions go; products and norms with A. The preparation takes no
 * working memory and reads no R, so that one preparation serves all solves of a problem. */
#include "solve/newton/system.h"

#include "base/copy.h"
#include "math/scalar.h"
#include "solve/newton/iterative.h"
#include "solve/newton/order.h"
#include "solve/schedule/cache.h"
#include "solve/tuning.h"

#include <math.h>
#include <string.h>

/* --- Law batches --------------------------------------------------------------------------------
 */

typedef struct batch_arrays {
  int* row;
  double *parameter, *scale;
} batch_arrays;

static bool allocate_batches(cr_system* system, cr_arena* arena, batch_arrays* arrays) {
  const cr_problem* p = system->problem;
  int count[CR_LAW_COUNT] = {0};
  for (int i = 0; i < p->num_constraints; i++) count[p->kind[i]]++;
  for (int k = 0; k < CR_LAW_COUNT; k++) {
    arrays[k].row = CR_PUSH(arena, int, count[k]);
    arrays[k].parameter = CR_PUSH(arena, double, 2 * count[k]);
    arrays[k].scale = CR_PUSH(arena, double, count[k]);
    system->batch[k] = (cr_law_batch){.row = arrays[k].row,
                                      .parameter = arrays[k].parameter,
                                      .scale = arrays[k].scale,
                                      .rows = cr_law_get(k)->rows,
                                      .ld = p->ld};
  }
  return !arena->failed;
}

/* A constraint without any inverse mass (it acts on nothing) still needs a positive scale. */
static double positive(double scale) { return scale > 0 ? scale : 1; }

static void fill_batches(cr_system* system, batch_arrays* arrays, double* rho) {
  const cr_problem* p = system->problem;
  for (int i = 0; i < p->num_constraints; i++) {
    int kind = p->kind[i], row = p->row[i], rows = cr_law_get(kind)->rows;
    cr_law_batch* batch = &system->batch[kind];
    const double* W = system->W + p->ld * row;
    double trace = 0;
    for (int k = 0; k < rows; k++) trace += W[(rows + 1) * k];
    arrays[kind].row[batch->count] = row;
    arrays[kind].parameter[2 * batch->count] = p->parameter[2 * i];
    arrays[kind].parameter[2 * batch->count + 1] = p->parameter[2 * i + 1];
    arrays[kind].scale[batch->count] = positive(cr_law_largest_eigenvalue(W, rows));
    if (cr_law_get(kind)->is_cone && p->parameter[2 * i + 1] > 0)
      arrays[kind].scale[batch->count] /= p->parameter[2 * i + 1];
    double mean = rows / positive(trace);
    for (int k = 0; k < rows; k++) rho[row + k] = mean;
    batch->count++;
  }
}

/* --- Scales -------------------------------------------------------------------------------------
 */

/* Denominator of the natural residual: its numerator at v = v*, gamma = 0, but no less than what
 * round-off in rho r allows to reach, nor than what the velocity floor makes on every row. */
static double compute_residual_scale(const cr_system* system, const cr_iterate* at_rest) {
  const cr_problem* p = system->problem;
  cr_law_mode mode = {0};
  cr_law_point point = {p->R, p->v_hat, at_rest->v_c, at_rest->gamma};
  double sum = 0, size = 0, rho2 = 0;
  CR_FOR_EACH_LAW (k, system->batch)
    sum += cr_law_get(k)->residual(&system->batch[k], &point, &mode, system->rho, NULL);
  for (int i = 0; i < p->num_rows; i++) {
    double r = system->rho[i] * (fabs(at_rest->v_c[i]) + fabs(p->v_hat[i]));
    size += r * r;
    rho2 += system->rho[i] * system->rho[i];
  }
  return fmax(fmax(sqrt(sum), 1e-8 * sqrt(size)), p->velocity_floor * sqrt(rho2));
}

/* |x|² in A, and A x [n]. */
static double A_norm2(const cr_system* system, const double* x, double* A_x) {
  cr_system_multiply_A(system, x, A_x);
  return scalar_dot(x, A_x, system->problem->pattern.num_rows);
}

/* Least R over the constraint's scale. */
static void find_smallest_R(cr_system* system) {
  system->smallest_R = INFINITY;
  CR_FOR_EACH_LAW (k, system->batch) {
    const cr_law_batch* batch = &system->batch[k];
    for (int i = 0; i < batch->count; i++) {
      const double* R = system->R + batch->row[i];
      double least = R[0];
      for (int r = 1; r < batch->rows; r++) least = scalar_min(least, R[r]);
      system->smallest_R = scalar_min(system->smallest_R, least / batch->scale[i]);
    }
  }
  system->is_regularized = system->smallest_R > 0;
}

/* Adds the proximal term of the contacts of one kind. */
static void add_proximal(cr_system* system, int kind, double eps, const double* anchor) {
  const cr_law_batch* batch = &system->batch[kind];
  int rows = cr_law_get(kind)->rows;
  for (int i = 0; i < batch->count; i++)
    for (int r = 0; r < rows; r++) {
      int row = batch->row[i] + r;
      double add = scalar_max(eps * batch->scale[i] - system->problem->R[row], 0);
      system->R_proximal[row] += add;
      system->v_hat_proximal[row] += add * anchor[row];
    }
}

void cr_system_set_proximal(cr_system* system, double eps, const double* anchor) {
  const cr_problem* p = system->problem;
  system->R = p->R, system->v_hat = p->v_hat;
  if (anchor) {
    CR_COPY(system->R_proximal, p->R, p->num_rows);
    CR_COPY(system->v_hat_proximal, p->v_hat, p->num_rows);
    CR_FOR_EACH_LAW (k, system->batch)
      if (cr_law_get(k)->is_cone) add_proximal(system, k, eps, anchor);
    system->R = system->R_proximal, system->v_hat = system->v_hat_proximal;
  }
  find_smallest_R(system);
}

bool cr_system_is_proximal(const cr_system* system) { return system->R != system->problem->R; }

bool cr_system_is_well_posed(const cr_system* system) { return system->smallest_R > CR_WELL_POSED; }

bool cr_system_has_cones(const cr_system* system) {
  bool any = false;
  CR_FOR_EACH_LAW (k, system->batch) any |= cr_law_get(k)->is_cone;
  return any;
}

/* |v*| in the diagonal of A. */
static double find_v_star_size(const cr_problem* p) {
  const cr_bsm_pattern* pattern = &p->pattern;
  double sum = 0;
  for (int b = 0; b < pattern->num_blocks; b++) {
    const double* D = p->A + pattern->value_start[pattern->col_start[b]];
    const double* x = p->v_star + pattern->row_start[b];
    for (int i = 0, n = pattern->size[b]; i < n; i++) sum += D[i * (n + 1)] * x[i] * x[i];
  }
  return sqrt(sum);
}

/* |v*|_A where a bound of it, xᵀA x <= n sum of A_ii x_i², does not show that it is too small to
 * matter; else zero. */
static double find_A_norm_star(const cr_system* system, double* scratch) {
  const cr_problem* p = system->problem;
  double bound = sqrt(p->pattern.num_rows) * system->v_star_size;
  if (system->A_norm > CR_ROUND_OFF * bound) return 0;
  return sqrt(scalar_max(A_norm2(system, p->v_star, scratch), 0));
}

static bool compute_scales(cr_system* system, cr_arena* arena) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  double* A_dv = CR_PUSH(arena, double, n);
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* gamma = CR_SCRATCH(arena, double, p->num_rows);
  double* v_c = CR_SCRATCH(arena, double, p->num_rows);
  double* dv = CR_SCRATCH(arena, double, n);
  double* A_v = CR_SCRATCH(arena, double, n);
  double* local = CR_SCRATCH(arena, double, cr_problem_scratch_size(p));
  if (arena->failed) return false;
  memset(gamma, 0, sizeof(double) * (size_t)p->num_rows);
  if (p->v_c_star)
    CR_COPY(v_c, p->v_c_star, p->num_rows);
  else
    cr_problem_apply_J(p, p->v_star, v_c, local);
  cr_iterate at_rest = {.gamma = gamma, .v_c = v_c};
  system->residual_scale = compute_residual_scale(system, &at_rest);
  for (int i = 0; i < n; i++) dv[i] = p->v_star[i] - p->v0[i];
  double mass = 0; /* of what the rows see, 1 / W_ii */
  for (int i = 0; i < p->num_rows; i++) mass += system->rho[i];
  system->A_dv0 = A_dv;
  system->dv0_norm2 = A_norm2(system, dv, A_dv);
  system->A_norm = fmax(sqrt(scalar_max(system->dv0_norm2, 0)), p->velocity_floor * sqrt(mass));
  system->v_star_size = find_v_star_size(p);
  system->A_norm_star = find_A_norm_star(system, A_v);
  cr_arena_pop_scratch(arena, mark);
  return true;
}

/* --- Pattern of H -------------------------------------------------------------------------------
 */

static int count_couplings(const cr_problem* p) {
  int count = p->pattern.num_lower;
  for (int g = 0; g < p->num_groups; g++) {
    int b = p->group[g].block_count;
    count += b * (b - 1) / 2;
  }
  return count;
}

static void fill_couplings(const cr_problem* p, int (*couplings)[2]) {
  int at = 0;
  for (int j = 0; j < p->pattern.num_blocks; j++)
    for (int k = p->pattern.col_start[j]; k < p->pattern.col_start[j + 1]; k++, at++)
      couplings[at][0] = p->pattern.row_index[k], couplings[at][1] = j;
  for (int g = 0; g < p->num_groups; g++) {
    const int* block = p->group_block + p->group[g].block_start;
    for (int a = 1; a < p->group[g].block_count; a++)
      for (int b = 0; b < a; b++, at++) couplings[at][0] = block[a], couplings[at][1] = block[b];
  }
}

static bool analyze(cr_system* system, cr_solve_cache* cache, cr_arena* arena) {
  const cr_problem* p = system->problem;
  cr_bsm_pattern pattern;
  int count = count_couplings(p);
  int(*couplings)[2] = cr_arena_push(arena, sizeof(int[2]) * (size_t)count);
  if (arena->failed) return false;
  fill_couplings(p, couplings);
  if (!cr_bsm_pattern_build(arena, p->pattern.num_blocks, p->pattern.size, count, couplings,
                            &pattern))
    return false;
  if (p->A_least) return cr_iterative_lay_out(&pattern, arena, &system->H);
  if (p->order) return cr_order_analyze(&pattern, p->order, cache, arena, &system->H);
  if (cache) return cr_solve_cache_analyze(cache, &pattern, CR_ORDERING_AUTO, arena, &system->H);
  return cr_symbolic_analyze(&pattern, CR_ORDERING_AUTO, arena, &system->H);
}

static bool compute_targets(cr_system* system, cr_arena* arena) {
  const cr_problem* p = system->problem;
  const cr_bsm_pattern* H = &system->H.pattern;
  int count = count_couplings(p);
  for (int g = 0; g < p->num_groups; g++) count += p->group[g].block_count;
  cr_factor_target* A_target = CR_PUSH(arena, cr_factor_target, p->pattern.num_lower);
  cr_factor_target* target = CR_PUSH(arena, cr_factor_target, count);
  if (arena->failed) return false;
  system->A_target = A_target, system->group_target = target;
  for (int j = 0; j < p->pattern.num_blocks; j++)
    for (int k = p->pattern.col_start[j]; k < p->pattern.col_start[j + 1]; k++)
      A_target[k] = system->H.target[cr_bsm_find_block(H, p->pattern.row_index[k], j)];
  for (int g = 0; g < p->num_groups; g++) {
    const int* block = p->group_block + p->group[g].block_start;
    for (int a = 0; a < p->group[g].block_count; a++)
      for (int b = 0; b <= a; b++)
        *target++ = system->H.target[cr_bsm_find_block(H, block[a], block[b])];
  }
  return true;
}

/* --- Set-up -------------------------------------------------------------------------------------
 */

/* Largest group, as the doubles that its assembly needs. */
static size_t group_scratch_size(const cr_problem* p) {
  size_t largest = 0;
  for (int g = 0; g < p->num_groups; g++) {
    size_t size =
        (size_t)(p->group[g].row_count + p->group[g].columns) * (size_t)p->group[g].stride +
        2 * CR_KERNEL_SLACK;
    if (size > largest) largest = size;
  }
  return largest;
}

/* The problem's own W, or one that is made here. */
static bool find_W(cr_system* system, cr_arena* arena) {
  const cr_problem* p = system->problem;
  system->W = p->W;
  if (p->W) return true;
  double* W = CR_PUSH(arena, double, p->ld * p->num_rows);
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* scratch = CR_SCRATCH(arena, double, p->A_symbolic->scratch_size);
  if (arena->failed) return false;
  cr_problem_compute_delassus(p, W, scratch);
  cr_arena_pop_scratch(arena, mark);
  system->W = W;
  return true;
}

bool cr_system_prepare(cr_system* system, const cr_problem* problem, cr_solve_cache* cache,
                       cr_arena* arena) {
  *system = (cr_system){.problem = problem};
  batch_arrays arrays[CR_LAW_COUNT];
  if (!analyze(system, cache, arena) || !compute_targets(system, arena)) return false;
  if (!cr_system_reserve_A(system, arena) || !find_W(system, arena)) return false;
  double* rho = CR_PUSH(arena, double, problem->num_rows);
  if (!allocate_batches(system, arena, arrays)) return false;
  fill_batches(system, arrays, rho);
  system->rho = rho;
  return compute_scales(system, arena);
}

bool cr_system_start(cr_system* system, cr_arena* arena) {
  const cr_problem* p = system->problem;
  int scratch = system->H.scratch_size;
  if (p->A_symbolic && p->A_symbolic->scratch_size > scratch) scratch = p->A_symbolic->scratch_size;
  system->factor = CR_PUSH(arena, double, system->H.factor_size);
  system->G = CR_PUSH(arena, double, p->ld * p->num_rows);
  system->scratch_n = CR_PUSH(arena, double, p->pattern.num_rows);
  system->scratch_impulse = CR_PUSH(arena, double, p->pattern.num_rows);
  system->scratch_rows = CR_PUSH(arena, double, p->num_rows);
  system->scratch_solve = CR_PUSH(arena, double, scratch);
  system->scratch_local = CR_PUSH(arena, double, cr_problem_scratch_size(p));
  system->scratch_group = CR_PUSH(arena, double, group_scratch_size(p));
  system->R_proximal = CR_PUSH(arena, double, p->num_rows);
  system->v_hat_proximal = CR_PUSH(arena, double, p->num_rows);
  if (arena->failed) return false;
  cr_system_set_proximal(system, 0, NULL);
  return true;
}

bool cr_system_init(cr_system* system, const cr_problem* problem, cr_solve_cache* cache,
                    cr_arena* arena) {
  return cr_system_prepare(system, problem, cache, arena) && cr_system_start(system, arena);
}

bool cr_system_start_iterative(cr_system* system, double tolerance, cr_arena* arena) {
  system->iterative = cr_iterative_create(system->problem, &system->H, system->factor, tolerance,
                                          system->A_norm, arena);
  return system->iterative;
}

bool cr_system_share(cr_system* system, const carom_tasks* tasks, int count, cr_arena* arena) {
  if (system->iterative || system->H.flops < CR_LARGE_FLOPS) return true;
  system->tasks = tasks, system->num_tasks = count;
  return cr_schedule_build(&system->H, arena, &system->schedule);
}

/* --- Products and norms -------------------------------------------------------------------------
 */

void cr_system_multiply_A(const cr_system* system, const double* x, double* y) {
  cr_bsm_multiply(&system->problem->pattern, system->problem->A, x, y);
}

static inline void multiply_square(const int rows, const double* g, const double* x, double* y) {
  for (int a = 0; a < rows; a++) {
    double sum = 0;
    for (int b = 0; b < rows; b++) sum += g[rows * a + b] * x[b];
    y[a] = sum;
  }
}

/* y = G x, constraint by constraint. */
void cr_system_multiply_G(const cr_system* system, const double* G, const double* x, double* y) {
  const cr_problem* p = system->problem;
  for (int i = 0; i < p->num_constraints; i++) {
    int rows = cr_law_get(p->kind[i])->rows, row = p->row[i];
    if (rows == 3)
      multiply_square(3, G + p->ld * row, x + row, y + row);
    else
      multiply_square(rows, G + p->ld * row, x + row, y + row);
  }
}

void cr_system_solve_A(cr_system* system, double* x) {
  const cr_problem* p = system->problem;
  if (system->iterative)
    cr_iterative_solve_A(system->iterative, x);
  else
    cr_cholesky_solve(p->A_symbolic, p->A_factor, x, 1, p->pattern.num_rows, system->scratch_solve);
}

double cr_system_inverse_norm2(cr_system* system, const double* x) {
  const cr_problem* p = system->problem;
  if (system->iterative) return cr_iterative_inverse_norm2(system->iterative, x);
  return cr_cholesky_inverse_norm2(p->A_symbolic, p->A_factor, x, system->scratch_solve);
}

cr_law_point cr_system_point(const cr_system* system, const cr_iterate* iterate) {
  return (cr_law_point){system->R, system->v_hat, iterate->v_c, iterate->gamma};
}
