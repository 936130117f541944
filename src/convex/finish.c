/* From what a user gave to the plain data of solvers: the pattern of A, its factor, groups of
 * constraints over the same blocks, Delassus blocks, batches of laws. */
#include "base/copy.h"
#include "convex/problem.h"
#include "problem/assembly.h"
#include "solve/prepare.h"
#include "solve/solve.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Bytes for what is compiled, and for an unknown or a row of it, which most problems do with. */
#define LEAST_ROOM 24576
#define ROOM       384

/* --- A ------------------------------------------------------------------------------------------
 */

static int count_A_blocks(const carom_problem* p) {
  return (int)(p->A_blocks.used / sizeof(cr_convex_block));
}

static const cr_convex_block* get_A_block(const carom_problem* p, int index) {
  return (const cr_convex_block*)p->A_blocks.data + index;
}

static carom_status check_A(const carom_problem* p, carom_error* error) {
  int64_t values = 0;
  for (int b = 0; b < p->num_blocks; b++)
    if (!p->has_diagonal[b])
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "block %d: A has no diagonal block", b);
  for (int k = 0; k < count_A_blocks(p); k++) {
    const cr_convex_block* block = get_A_block(p, k);
    values += (int64_t)p->size[block->i] * p->size[block->j];
  }
  if (values <= INT_MAX / 2) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_UNSUPPORTED, "A holds more than %d numbers", INT_MAX / 2);
}

static bool build_pattern(carom_problem* p) {
  int count = count_A_blocks(p);
  cr_scratch_mark mark = cr_arena_mark_scratch(&p->compiled);
  int(*couplings)[2] = cr_arena_push_scratch(&p->compiled, sizeof(int[2]) * (size_t)count);
  if (!couplings) return false;
  for (int k = 0; k < count; k++)
    couplings[k][0] = get_A_block(p, k)->i, couplings[k][1] = get_A_block(p, k)->j;
  bool done = cr_bsm_pattern_build(&p->compiled, p->num_blocks, p->size, count, couplings,
                                   &p->problem.pattern);
  cr_arena_pop_scratch(&p->compiled, mark);
  return done;
}

/* Copies the blocks to their places. */
static carom_status fill_A(carom_problem* p, double* A, bool* seen, carom_error* error) {
  const cr_bsm_pattern* pattern = &p->problem.pattern;
  memset(seen, 0, sizeof *seen * (size_t)pattern->num_lower);
  memset(A, 0, sizeof *A * (size_t)pattern->num_values);
  for (int k = 0; k < count_A_blocks(p); k++) {
    const cr_convex_block* block = get_A_block(p, k);
    int at = cr_bsm_find_block(pattern, block->i, block->j);
    if (seen[at])
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "block (%d, %d) of A is given twice",
                          block->i, block->j);
    seen[at] = true;
    int rows = p->size[block->i], columns = p->size[block->j];
    const double* from = cr_convex_reals(&p->A_values) + block->start;
    double* to = A + pattern->value_start[at];
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++) to[c * rows + r] = from[r * columns + c];
  }
  return CAROM_OK;
}

/* The pivot of a row by elimination within its diagonal block alone; NaN where an earlier one is
 * not positive already. */
static double find_own_pivot(const double* A, int n, int row, double* L) {
  for (int i = 0; i <= row; i++)
    for (int j = 0; j <= i; j++) {
      double sum = A[j * n + i];
      for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
      if (i == row && j == row) return sum;
      if (i == j && !(sum > 0)) return NAN;
      L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
    }
  return NAN;
}

/* Says which pivot of which block is not positive: the block's own, or what others leave of it. */
static carom_status refuse_A(carom_problem* p, int row, carom_error* error) {
  int b = 0;
  while (p->start[b + 1] <= row) b++;
  const cr_bsm_pattern* pattern = &p->problem.pattern;
  int n = p->size[b], local = row - p->start[b];
  double* L = CR_SCRATCH(&p->compiled, double, (size_t)n*(size_t)n);
  if (!L) return cr_error_memory(error);
  const double* A = p->problem.A + pattern->value_start[pattern->col_start[b]];
  double pivot = find_own_pivot(A, n, local, L);
  if (pivot <= 0)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "block %d: A is not positive definite: pivot %d of the block is %.9g", b,
                        local, pivot);
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                      "block %d: A is not positive definite: pivot %d of the block is not positive "
                      "once the blocks coupled to it are eliminated",
                      b, local);
}

static carom_status factor_A(carom_problem* p, carom_error* error) {
  if (!build_pattern(p)) return cr_error_memory(error);
  double* A = CR_PUSH(&p->compiled, double, p->problem.pattern.num_values);
  bool* seen = CR_PUSH(&p->compiled, bool, p->problem.pattern.num_lower);
  if (p->compiled.failed) return cr_error_memory(error);
  CR_TRY(fill_A(p, A, seen, error));
  p->problem.A = A;
  if (!cr_symbolic_analyze(&p->problem.pattern, CR_ORDERING_AUTO, &p->compiled, &p->A_symbolic))
    return cr_error_memory(error);
  double* factor = CR_PUSH(&p->compiled, double, p->A_symbolic.factor_size);
  double* scratch = CR_PUSH(&p->compiled, double, p->A_symbolic.scratch_size);
  if (p->compiled.failed) return cr_error_memory(error);
  cr_cholesky_load(&p->A_symbolic, A, factor);
  int row = cr_cholesky_factor(&p->A_symbolic, factor, scratch);
  if (row >= 0) return refuse_A(p, row, error);
  p->problem.A_symbolic = &p->A_symbolic, p->problem.A_factor = factor;
  if (p->has_momentum)
    cr_cholesky_solve(&p->A_symbolic, factor, p->v_star, 1, p->num_unknowns, scratch);
  if (!p->has_v0) CR_COPY(p->v0, p->v_star, p->num_unknowns);
  p->problem.v_star = p->v_star, p->problem.v0 = p->v0;
  return cr_convex_check_finite("v*", p->v_star, p->num_unknowns, error);
}

/* --- Constraints --------------------------------------------------------------------------------
 */

/* A contact without friction enters with its normal row alone. */
static bool is_frictionless(const cr_convex_constraint* c) {
  return cr_convex_is_contact(c->kind) && c->parameter[0] == 0;
}

static void add_to(const carom_problem* p, const cr_convex_constraint* c, cr_assembly* assembly) {
  bool normal_only = is_frictionless(c);
  int first = normal_only ? c->rows - 1 : 0, column = 0;
  const int* blocks = (const int*)p->blocks.data + c->block_start;
  const double* J = cr_convex_reals(&p->J) + c->J_start;
  cr_assembly_rows rows =
      normal_only ? cr_assembly_add(assembly, CR_LAW_BOUNDS, blocks, c->block_count, 0, INFINITY)
                  : cr_assembly_add(assembly, cr_convex_get_law(c->kind), blocks, c->block_count,
                                    c->parameter[0], c->parameter[1]);
  for (int k = 0; k < c->block_count; k++) {
    int size = p->size[blocks[k]];
    for (int r = first; r < c->rows; r++)
      CR_COPY(rows.J + (r - first) * rows.stride + column, J + r * size, size);
    J += c->rows * size, column += size;
  }
  for (int r = first; r < c->rows; r++) {
    rows.R[r - first] = cr_convex_get_R(p, c->row + r);
    rows.v_hat[r - first] = cr_convex_reals(&p->v_hat)[c->row + r];
  }
}

/* Where the rows of each constraint went. */
static bool find_places(carom_problem* p, const int* order) {
  p->place = CR_PUSH(&p->compiled, int, p->num_constraints);
  p->row_of = CR_PUSH(&p->compiled, int, p->num_rows);
  if (p->compiled.failed) return false;
  for (int k = 0; k < p->num_constraints; k++) {
    const cr_convex_constraint* c = cr_convex_get(p, order[k]);
    int first = is_frictionless(c) ? c->rows - 1 : 0;
    p->place[order[k]] = k;
    for (int r = 0; r < c->rows; r++)
      p->row_of[c->row + r] = r < first ? -1 : p->problem.row[k] + r - first;
  }
  return true;
}

static bool assemble(carom_problem* p) {
  cr_assembly_capacity capacity = {.constraints = p->num_constraints,
                                   .rows = p->num_rows,
                                   .block_references = (int)(p->blocks.used / sizeof(int))};
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_convex_constraint* c = cr_convex_get(p, i);
    capacity.J += (int64_t)c->rows * cr_assembly_stride(c->columns);
  }
  cr_assembly assembly;
  int* order;
  if (!cr_assembly_init(&assembly, &p->problem.pattern, &capacity, &p->compiled)) return false;
  for (int i = 0; i < p->num_constraints; i++) add_to(p, cr_convex_get(p, i), &assembly);
  return cr_assembly_finish(&assembly, &p->compiled, &p->problem, &order) && find_places(p, order);
}

/* --- Laws ---------------------------------------------------------------------------------------
 */

static bool make_batches(carom_problem* p) {
  const cr_problem* q = &p->problem;
  int* row = CR_PUSH(&p->compiled, int, q->num_constraints);
  double* parameter = CR_PUSH(&p->compiled, double, 2 * q->num_constraints);
  double* scale = CR_PUSH(&p->compiled, double, q->num_constraints);
  if (p->compiled.failed) return false;
  int used = 0;
  for (int kind = 0; kind < CR_LAW_COUNT; kind++) {
    p->batch[kind] = (cr_law_batch){.row = row + used,
                                    .parameter = parameter + 2 * (size_t)used,
                                    .scale = scale + used,
                                    .rows = cr_law_get(kind)->rows,
                                    .ld = q->ld};
    for (int i = 0; i < q->num_constraints; i++) {
      if (q->kind[i] != kind) continue;
      row[used] = q->row[i];
      parameter[2 * used] = q->parameter[2 * i], parameter[2 * used + 1] = q->parameter[2 * i + 1];
      scale[used++] = p->scales.largest[i];
      p->batch[kind].count++;
    }
  }
  return true;
}

static carom_status check_W(const carom_problem* p, carom_error* error) {
  for (int i = 0; i < p->num_constraints; i++) {
    double trace = cr_convex_get_trace(&p->problem, p->place[i]);
    if (trace > 0 && isfinite(trace)) continue;
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "constraint %d: the trace of J A^-1 J' is %g, must be positive: no unknown "
                        "moves it",
                        i, trace);
  }
  return CAROM_OK;
}

/* Squares of what solvers square must be numbers: v in A, and q over W. */
static carom_status check_scales(const carom_problem* p, cr_arena* arena, carom_error* error) {
  const cr_problem* q = &p->problem;
  size_t n = (size_t)p->num_unknowns;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double *y = CR_SCRATCH(arena, double, n), sum = 0;
  if (arena->failed) return cr_error_memory(error);
  const double* velocities[2] = {q->v_star, q->v0};
  for (int k = 0; k < 2; k++) {
    cr_bsm_multiply(&q->pattern, q->A, velocities[k], y);
    for (size_t i = 0; i < n; i++) sum += velocities[k][i] * y[i] + y[i] * y[i];
  }
  for (int i = 0; i < q->num_constraints; i++) {
    int rows = cr_law_get(q->kind[i])->rows;
    double trace = cr_convex_get_trace(q, i);
    for (int r = q->row[i]; r < q->row[i] + rows; r++) {
      double bias = p->scales.q[r], impulse = bias / trace;
      sum += bias * bias + impulse * impulse + trace * trace + q->R[r] * q->R[r];
    }
  }
  cr_arena_pop_scratch(arena, mark);
  if (isfinite(sum)) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                      "problem: its numbers are too large or too small: the squares of its "
                      "velocities and impulses are not finite");
}

static void find_least_R(carom_problem* p) {
  p->least_R = INFINITY;
  for (int r = 0; r < p->problem.num_rows; r++) p->least_R = fmin(p->least_R, p->problem.R[r]);
}

static carom_status prepare_laws(carom_problem* p, carom_error* error) {
  p->W = CR_PUSH(&p->compiled, double, p->problem.ld*(size_t)p->problem.num_rows);
  double* solve = CR_PUSH(&p->compiled, double, p->A_symbolic.scratch_size);
  if (p->compiled.failed) return cr_error_memory(error);
  cr_problem_compute_delassus(&p->problem, p->W, solve);
  p->problem.W = p->W;
  find_least_R(p);
  CR_TRY(check_W(p, error));
  if (!cr_convex_scales_compute(&p->problem, &p->compiled, &p->scales))
    return cr_error_memory(error);
  CR_TRY(check_scales(p, &p->compiled, error));
  p->problem.v_c_star = p->scales.v_c_star, p->problem.v_c0 = p->scales.v_c0;
  return make_batches(p) ? CAROM_OK : cr_error_memory(error);
}

carom_status carom_problem_finish(carom_problem* p, carom_error* error) {
  CR_TRY(cr_convex_check_open(p, error));
  CR_TRY(check_A(p, error));
  cr_arena_reserve(&p->compiled, LEAST_ROOM + ROOM * (size_t)(p->num_unknowns + p->num_rows));
  CR_TRY(factor_A(p, error));
  if (!assemble(p)) return cr_error_memory(error);
  CR_TRY(prepare_laws(p, error));
  p->preparation = cr_solve_prepare(&p->problem, &p->compiled);
  if (!p->preparation) return cr_error_memory(error);
  p->is_finished = true;
  return cr_error_clear(error);
}

/* --- After that ---------------------------------------------------------------------------------
 */

double carom_problem_compute_trace(const carom_problem* p) {
  double sum = 0;
  for (int i = 0; i < p->problem.num_constraints; i++) sum += cr_convex_get_trace(&p->problem, i);
  return sum;
}

carom_status carom_problem_add_regularization(carom_problem* p, double eta, carom_error* error) {
  CR_TRY(cr_convex_check_finished(p, error));
  if (!(eta >= 0) || isinf(eta))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "problem: eta is %g, must be 0 or more", eta);
  double* R = (double*)(void*)p->R.data;
  for (int r = 0; r < p->num_rows; r++) R[r] += eta;
  for (int r = 0; r < p->problem.num_rows; r++) p->problem.R[r] += eta;
  find_least_R(p);
  return cr_error_clear(error);
}
