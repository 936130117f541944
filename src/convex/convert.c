/* Copies a solver's problem block by block and constraint by constraint, through the same door as
 * everyone. */
#include "convex/convert.h"

#include "base/copy.h"

/* A block, row-major; of diagonal ones the lower triangle counts. */
static carom_status copy_block(const cr_problem* from, int i, int j, int stored, double* values,
                               carom_problem* p, carom_error* error) {
  const cr_bsm_pattern* A = &from->pattern;
  const double* x = from->A + A->value_start[stored];
  int rows = A->size[i], columns = A->size[j];
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      bool mirror = i == j && c > r;
      values[r * columns + c] = mirror ? x[r * rows + c] : x[c * rows + r];
    }
  return carom_problem_set_block(p, i, j, values, error);
}

static carom_status copy_A(const cr_problem* from, cr_arena* scratch, carom_problem* p,
                           carom_error* error) {
  const cr_bsm_pattern* A = &from->pattern;
  int most = 0;
  for (int b = 0; b < A->num_blocks; b++) most = A->size[b] > most ? A->size[b] : most;
  double* values = CR_PUSH(scratch, double, (size_t)most*(size_t)most);
  if (!values) return cr_error_memory(error);
  for (int j = 0; j < A->num_blocks; j++)
    for (int b = A->col_start[j]; b < A->col_start[j + 1]; b++)
      CR_TRY(copy_block(from, A->row_index[b], j, b, values, p, error));
  return carom_problem_set_velocities(p, from->v_star, from->v0, error);
}

/* The part of a group's Jacobian rows that belongs to one of its blocks, closed up. */
static void copy_part(const double* J, int stride, int rows, int column, int size, double* part) {
  for (int r = 0; r < rows; r++) CR_COPY(part + r * size, J + r * stride + column, size);
}

static carom_status copy_constraint(const cr_problem* from, const cr_convex_copy_def* copy,
                                    const cr_problem_group* group, int index, cr_arena* scratch,
                                    carom_problem* p, carom_error* error) {
  static const carom_constraint_kind KINDS[CR_LAW_COUNT] = {
      [CR_LAW_CONTACT] = CAROM_CONSTRAINT_CONTACT,   [CR_LAW_DISC] = CAROM_CONSTRAINT_DISC,
      [CR_LAW_BOUNDS] = CAROM_CONSTRAINT_BOUNDS,     [CR_LAW_CONTACT4] = CAROM_CONSTRAINT_CONTACT4,
      [CR_LAW_CONTACT6] = CAROM_CONSTRAINT_CONTACT6,
  };
  int row = from->row[index], rows = cr_law_get(from->kind[index])->rows, column = 0;
  const int* blocks = from->group_block + group->block_start;
  const double* J = from->J + group->J_start + (int64_t)(row - group->row_start) * group->stride;
  double* values = CR_PUSH(scratch, double, (size_t)rows*(size_t)group->columns);
  const double** parts = cr_arena_push(scratch, sizeof(const double*) * (size_t)group->block_count);
  if (scratch->failed) return cr_error_memory(error);
  for (int k = 0; k < group->block_count; k++) {
    int size = from->pattern.size[blocks[k]];
    double* part = values + (size_t)rows * (size_t)column;
    copy_part(J, group->stride, rows, column, size, part);
    parts[k] = part, column += size;
  }
  const double* parameter = from->parameter + 2 * (size_t)index;
  carom_constraint_def def = carom_constraint_def_default();
  def.kind = KINDS[from->kind[index]];
  def.mu = def.radius = def.low = parameter[0], def.high = parameter[1];
  def.num_blocks = group->block_count, def.blocks = blocks, def.jacobian = parts;
  def.R = from->R + row, def.v_hat = from->v_hat + row;
  def.guess = copy->guess ? copy->guess + row : NULL;
  return carom_problem_add(p, &def, NULL, error);
}

/* Constraints in the order of their addition. */
static carom_status copy_constraints(const cr_problem* from, const cr_convex_copy_def* copy,
                                     cr_arena* scratch, carom_problem* p, carom_error* error) {
  int* place = CR_PUSH(scratch, int, from->num_constraints);
  int* group_of = CR_PUSH(scratch, int, from->num_constraints);
  if (scratch->failed) return cr_error_memory(error);
  for (int k = 0; k < from->num_constraints; k++) place[copy->order[k]] = k;
  for (int g = 0; g < from->num_groups; g++)
    for (int k = 0; k < from->group[g].constraint_count; k++)
      group_of[from->group[g].constraint_start + k] = g;
  for (int i = 0; i < from->num_constraints; i++)
    CR_TRY(
        copy_constraint(from, copy, &from->group[group_of[place[i]]], place[i], scratch, p, error));
  return carom_problem_finish(p, error);
}

carom_status cr_convex_copy(const cr_problem* from, const cr_convex_copy_def* def,
                            carom_problem** problem, carom_error* error) {
  carom_problem_def own = carom_problem_def_default();
  own.allocator = *def->allocator;
  own.name = def->name, own.dt = def->dt;
  own.num_blocks = from->pattern.num_blocks, own.block_size = from->pattern.size;
  CR_TRY(carom_problem_create(&own, problem, error));
  cr_arena scratch;
  cr_arena_init(&scratch, def->allocator);
  carom_status status = copy_A(from, &scratch, *problem, error);
  if (status == CAROM_OK) status = copy_constraints(from, def, &scratch, *problem, error);
  cr_arena_destroy(&scratch);
  if (status == CAROM_OK) return CAROM_OK;
  carom_problem_destroy(*problem);
  *problem = NULL;
  return status;
}
