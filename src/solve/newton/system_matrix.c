/* The matrix H = A + JᵀGJ of a system: assembly group by group, its factor in either precision, and
 * solutions by it. */
#include "base/copy.h"
#include "solve/newton/iterative.h"
#include "solve/newton/system.h"
#include "solve/tuning.h"

#include <string.h>

/* --- A ------------------------------------------------------------------------------------------
 */

/* The kernels of the factor's panels. */
static const cr_panel_kernels* panel_kernels(const cr_system* system) {
  return system->H.kernels->panels[system->precision];
}

/* Adds the stored blocks of A (column-major each) to a factor's room. */
static void add_A(const cr_system* system, void* factor) {
  const cr_bsm_pattern* A = &system->problem->pattern;
  const cr_panel_kernels* kernels = panel_kernels(system);
  for (int j = 0; j < A->num_blocks; j++)
    for (int k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
      int rows = A->size[A->row_index[k]];
      cr_rows block = {system->problem->A + A->value_start[k], A->size[j], rows, rows};
      kernels->add_block(&block, &system->A_target[k], factor);
    }
}

/* --- H ------------------------------------------------------------------------------------------
 */

/* Constraints from i on, before the end, whose kinds are one. */
static int count_alike(const int* kind, int i, int end) {
  int first = i;
  while (i < end && kind[i] == kind[first]) i++;
  return i - first;
}

/* Whether the diagonals of `count` matrices [rows, rows], `next` apart, have an element that is not
 * zero. */
static bool has_weight(const double* G, int rows, int count, ptrdiff_t next) {
  for (int i = 0; i < count; i++, G += next)
    for (int k = 0; k < rows; k++)
      if (G[(rows + 1) * k] != 0) return true;
  return false;
}

/* B = G J over the rows of one group; false when all of G is zero. */
static bool multiply_G(const cr_problem* p, const cr_problem_group* group, const double* G,
                       double* B) {
  const cr_kernels* kernels = cr_problem_kernels(p);
  const double* J = p->J + group->J_start;
  int end = group->constraint_start + group->constraint_count;
  bool any = false;
  for (int i = group->constraint_start, count; i < end; i += count) {
    count = count_alike(p->kind, i, end);
    int rows = cr_law_get(p->kind[i])->rows;
    const double* g = G + p->ld * p->row[i];
    cr_rows part = {J, count * rows, group->columns, group->stride};
    kernels->weight_rows(&part, rows, g, p->ld * rows, B);
    any = any || has_weight(g, rows, count, p->ld * rows);
    J += part.num_rows * part.stride, B += part.num_rows * part.stride;
  }
  return any;
}

static const cr_factor_target* add_group(cr_system* system, const cr_problem_group* group,
                                         const double* G, const cr_factor_target* target) {
  const cr_problem* p = system->problem;
  int blocks = group->block_count;
  double* B = system->scratch_group;
  double* C = B + group->row_count * group->stride + CR_KERNEL_SLACK;
  if (multiply_G(p, group, G, B)) {
    cr_rows J = {p->J + group->J_start, group->row_count, group->columns, group->stride};
    system->H.kernels->multiply_product_upper(&J, B, C);
    panel_kernels(system)->add_blocks(C, group->stride, p->pattern.size,
                                      p->group_block + group->block_start, blocks, target,
                                      system->factor);
  }
  return target + blocks * (blocks + 1) / 2;
}

/* A in a factor's room. */
static void lay_out_A(const cr_system* system, size_t size, void* room) {
  memset(room, 0, size);
  add_A(system, room);
}

static size_t factor_bytes(const cr_system* system) {
  return panel_kernels(system)->number_size * (size_t)system->H.factor_size;
}

void cr_system_lay_out_A(cr_system* system) {
  if (!system->loaded_A || system->has_loaded_A) return;
  lay_out_A(system, factor_bytes(system), system->loaded_A);
  system->has_loaded_A = true;
}

/* Where A has few numbers, to lay it out a second time costs no more than to copy it. */
bool cr_system_reserve_A(cr_system* system, cr_arena* arena) {
  const cr_bsm_pattern* A = &system->problem->pattern;
  if (system->H.flops >= CR_DEAR_FLOPS) return true;
  system->loaded_A = CR_PUSH(arena, double, system->H.factor_size);
  if (arena->failed) return false;
  if (2 * (int64_t)A->value_start[A->col_start[A->num_blocks]] > system->H.factor_size)
    cr_system_lay_out_A(system);
  return true;
}

/* A alone where H is going to be: copied from the second factor on, as at rest one is enough. */
static void load_A(cr_system* system) {
  if (system->factorizations > 0) cr_system_lay_out_A(system);
  if (system->has_loaded_A)
    memcpy(system->factor, system->loaded_A, factor_bytes(system));
  else
    lay_out_A(system, factor_bytes(system), system->factor);
}

void cr_system_set_precision(cr_system* system, cr_precision precision) {
  bool can_be_single = !system->iterative && !system->loaded_A;
  system->precision = can_be_single ? precision : CR_DOUBLE;
}

static bool factor(cr_system* system) {
  if (system->iterative) return cr_iterative_factor(system->iterative);
  if (system->tasks)
    return cr_cholesky_factor_parallel(&system->H, system->precision, system->factor,
                                       &system->schedule, system->tasks, system->num_tasks) < 0;
  if (system->precision == CR_SINGLE)
    return cr_cholesky_factor_single(&system->H, system->factor) < 0;
  return cr_cholesky_factor(&system->H, system->factor, system->scratch_solve) < 0;
}

bool cr_system_factor(cr_system* system, const double* G) {
  const cr_problem* p = system->problem;
  load_A(system);
  CR_COPY(system->G, G, p->ld * p->num_rows);
  const cr_factor_target* target = system->group_target;
  for (int g = 0; g < p->num_groups; g++) target = add_group(system, &p->group[g], G, target);
  system->factorizations++;
  system->is_factored = factor(system);
  return system->is_factored;
}

void cr_system_solve(cr_system* system, double* x) {
  if (system->iterative) {
    cr_iterative_solve(system->iterative, x);
    return;
  }
  if (system->precision == CR_SINGLE)
    cr_cholesky_solve_single(&system->H, system->factor, x, system->scratch_solve);
  else
    cr_cholesky_solve(&system->H, system->factor, x, 1, system->problem->pattern.num_rows,
                      system->scratch_solve);
}

void cr_system_solve_forward(cr_system* system, double* X, int count) {
  cr_cholesky_solve_forward(&system->H, system->factor, X, count, system->problem->pattern.num_rows,
                            system->scratch_solve);
}

void cr_system_solve_backward(cr_system* system, double* x) {
  cr_cholesky_solve_backward(&system->H, system->factor, x, system->scratch_solve);
}

bool cr_system_is_large(const cr_system* system) { return system->H.flops > CR_LARGE_FLOPS; }

void cr_system_start_half(cr_system* system, cr_half* half) {
  int64_t size = system->H.factor_size, used = (size + 1) / 2;
  double* factor = system->factor;
  bool has_spare = system->precision == CR_SINGLE;
  cr_half_start(half, system->precision, factor, system->scratch_solve,
                has_spare ? factor + used : NULL, has_spare ? size - used : 0);
}
