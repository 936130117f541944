/* Making, filling and reading contact problems. What a user gives is kept as given, so that files
 * can be written from it; finish.c compiles it. */
#include "convex/problem.h"

#include "base/cookie.h"
#include "base/copy.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* A diagonal block may be asymmetric by this share of its largest element. */
#define SYMMETRY 1e-9

/* --- Memory -------------------------------------------------------------------------------------
 */

void* cr_convex_buffer_add(const carom_allocator* allocator, cr_convex_buffer* b, size_t size) {
  if (b->used + size > b->capacity) {
    size_t capacity = 2 * b->capacity + size;
    void* data = cr_realloc(allocator, b->data, b->capacity, capacity);
    if (!data) return NULL;
    b->data = data, b->capacity = capacity;
  }
  void* at = b->data + b->used;
  memset(at, 0, size);
  b->used += size;
  return at;
}

static void release(const carom_allocator* allocator, cr_convex_buffer* buffer) {
  cr_release(allocator, buffer->data, buffer->capacity);
}

/* --- Checks -------------------------------------------------------------------------------------
 */

carom_status cr_convex_check_open(const carom_problem* problem, carom_error* error) {
  if (problem && !problem->is_finished) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                      problem ? "problem: it is finished and no longer changes"
                              : "problem: it is null");
}

carom_status cr_convex_check_finished(const carom_problem* problem, carom_error* error) {
  if (problem && problem->is_finished) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                      problem ? "problem: carom_problem_finish() has not been called"
                              : "problem: it is null");
}

carom_status cr_convex_check_finite(const char* name, const double* x, int count,
                                    carom_error* error) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i]))
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "%s[%d] is %g, must be finite", name, i,
                          x[i]);
  return CAROM_OK;
}

/* --- Creation -----------------------------------------------------------------------------------
 */

carom_problem_def carom_problem_def_default(void) {
  return (carom_problem_def){.cookie = CR_COOKIE(problem)};
}

static carom_status check_def(const carom_problem_def* def, carom_error* error) {
  if (!def)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "problem: the definition is null");
  CR_TRY(CR_CHECK_COOKIE(def, problem, "problem", error));
  if (!(def->dt >= 0) || isinf(def->dt))
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "problem: dt is %g, must be 0 or more",
                        def->dt);
  if (def->num_blocks < 1 || !def->block_size)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "problem: the number of blocks is %d, must be 1 or more", def->num_blocks);
  int64_t unknowns = 0, values = 0;
  for (int b = 0; b < def->num_blocks; b++) {
    int64_t size = def->block_size[b];
    if (size < 1)
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "block %d: its size is %d, must be positive", b, def->block_size[b]);
    unknowns += size, values += size * size;
    if (values > INT_MAX / 2)
      return cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                          "block %d: the diagonal blocks of A up to here hold more than %d numbers",
                          b, INT_MAX / 2);
  }
  (void)unknowns;
  return CAROM_OK;
}

static bool init(carom_problem* p, const carom_problem_def* def) {
  const char* name = def->name ? def->name : "";
  char* copy = CR_PUSH(&p->arena, char, strlen(name) + 1);
  p->num_blocks = def->num_blocks;
  p->size = CR_PUSH(&p->arena, int, def->num_blocks);
  p->start = CR_PUSH(&p->arena, int, def->num_blocks + 1);
  p->has_diagonal = CR_PUSH(&p->arena, bool, def->num_blocks);
  if (p->arena.failed) return false;
  memcpy(copy, name, strlen(name) + 1);
  p->name = copy, p->dt = def->dt;
  p->start[0] = 0;
  for (int b = 0; b < def->num_blocks; b++) {
    p->size[b] = def->block_size[b];
    p->start[b + 1] = p->start[b] + p->size[b];
    p->has_diagonal[b] = false;
  }
  p->num_unknowns = p->start[p->num_blocks];
  p->v_star = CR_PUSH(&p->arena, double, p->num_unknowns);
  p->v0 = CR_PUSH(&p->arena, double, p->num_unknowns);
  if (p->arena.failed) return false;
  memset(p->v_star, 0, sizeof(double) * (size_t)p->num_unknowns);
  memset(p->v0, 0, sizeof(double) * (size_t)p->num_unknowns);
  return true;
}

carom_status carom_problem_create(const carom_problem_def* def, carom_problem** problem,
                                  carom_error* error) {
  if (!problem)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "problem: the result is null");
  *problem = NULL;
  CR_TRY(check_def(def, error));
  carom_allocator allocator = cr_allocator_resolve(&def->allocator);
  carom_problem* p = cr_alloc_zero(&allocator, sizeof *p);
  if (!p) return cr_error_memory(error);
  p->allocator = allocator;
  cr_arena_init(&p->arena, &allocator);
  cr_arena_init(&p->compiled, &allocator);
  if (!init(p, def)) {
    carom_problem_destroy(p);
    return cr_error_memory(error);
  }
  *problem = p;
  return cr_error_clear(error);
}

void carom_problem_destroy(carom_problem* p) {
  if (!p) return;
  carom_allocator allocator = p->allocator;
  cr_convex_buffer* buffers[] = {&p->A_blocks, &p->A_values, &p->constraints, &p->blocks,
                                 &p->J,        &p->R,        &p->v_hat,       &p->guess};
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) release(&allocator, buffers[i]);
  cr_arena_destroy(&p->compiled);
  cr_arena_destroy(&p->arena);
  cr_release(&allocator, p, sizeof *p);
}

/* --- A and velocities ---------------------------------------------------------------------------
 */

static carom_status check_symmetric(int block, int n, const double* x, carom_error* error) {
  double largest = 0;
  for (int k = 0; k < n * n; k++) largest = fmax(largest, fabs(x[k]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (fabs(x[i * n + j] - x[j * n + i]) > SYMMETRY * largest)
        return cr_error_set(
            error, CAROM_ERROR_BAD_INPUT,
            "block %d: A is not symmetric: element (%d, %d) is %.9g, element (%d, %d) is %.9g",
            block, i, j, x[i * n + j], j, i, x[j * n + i]);
  return CAROM_OK;
}

static carom_status check_block(const carom_problem* p, int row, int column, const double* values,
                                carom_error* error) {
  int last = p->num_blocks - 1, index = row < 0 || row > last ? row : column;
  if (index < 0 || index > last)
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                        "block (%d, %d): index %d is not within 0 and %d", row, column, index,
                        last);
  if (!values)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "block (%d, %d): the values are null",
                        row, column);
  int columns = p->size[column];
  for (int k = 0; k < p->size[row] * columns; k++)
    if (!isfinite(values[k]))
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "block (%d, %d): element (%d, %d) of A is %g, must be finite", row,
                          column, k / columns, k % columns, values[k]);
  if (row == column && p->has_diagonal[row])
    return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "block (%d, %d) of A is given twice", row,
                        column);
  return row == column ? check_symmetric(row, columns, values, error) : CAROM_OK;
}

carom_status carom_problem_set_block(carom_problem* p, int row, int column, const double* values,
                                     carom_error* error) {
  CR_TRY(cr_convex_check_open(p, error));
  CR_TRY(check_block(p, row, column, values, error));
  int i = row > column ? row : column, j = row > column ? column : row;
  int rows = p->size[i], columns = p->size[j];
  size_t count = (size_t)rows * (size_t)columns, start = p->A_values.used / sizeof(double);
  cr_convex_block* block = cr_convex_buffer_add(&p->allocator, &p->A_blocks, sizeof *block);
  double* x = block ? cr_convex_buffer_add(&p->allocator, &p->A_values, count * sizeof *x) : NULL;
  if (!x) {
    if (block) p->A_blocks.used -= sizeof *block;
    return cr_error_memory(error);
  }
  *block = (cr_convex_block){i, j, start};
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      x[r * columns + c] = row == column ? 0.5 * (values[r * columns + c] + values[c * columns + r])
                           : row > column ? values[r * columns + c]
                                          : values[c * rows + r];
  if (row == column) p->has_diagonal[row] = true;
  return cr_error_clear(error);
}

carom_status carom_problem_set_velocities(carom_problem* p, const double* v_star, const double* v0,
                                          carom_error* error) {
  CR_TRY(cr_convex_check_open(p, error));
  if (!v_star) return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "problem: v* is null");
  CR_TRY(cr_convex_check_finite("v*", v_star, p->num_unknowns, error));
  if (v0) CR_TRY(cr_convex_check_finite("v0", v0, p->num_unknowns, error));
  CR_COPY(p->v_star, v_star, p->num_unknowns);
  if (v0) CR_COPY(p->v0, v0, p->num_unknowns);
  p->has_v0 = v0 != NULL, p->has_momentum = false;
  return cr_error_clear(error);
}

carom_status carom_problem_set_momentum(carom_problem* p, const double* f, carom_error* error) {
  CR_TRY(cr_convex_check_open(p, error));
  if (!f) return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "problem: f is null");
  CR_TRY(cr_convex_check_finite("f", f, p->num_unknowns, error));
  CR_COPY(p->v_star, f, p->num_unknowns);
  p->has_momentum = true, p->has_v0 = false;
  return cr_error_clear(error);
}

/* --- Reading ------------------------------------------------------------------------------------
 */

carom_problem_sizes carom_problem_get_sizes(const carom_problem* p) {
  return (carom_problem_sizes){p->num_blocks, p->num_unknowns, p->num_constraints, p->num_contacts,
                               p->num_rows};
}

const char* carom_problem_get_name(const carom_problem* p) { return p->name; }
double carom_problem_get_dt(const carom_problem* p) { return p->dt; }
const double* carom_problem_get_v_star(const carom_problem* p) { return p->v_star; }
const double* carom_problem_get_v0(const carom_problem* p) { return p->v0; }
const double* carom_problem_get_R(const carom_problem* p) { return cr_convex_reals(&p->R); }
const double* carom_problem_get_v_hat(const carom_problem* p) { return cr_convex_reals(&p->v_hat); }

const double* carom_problem_get_guess(const carom_problem* p) {
  return p->has_guess ? cr_convex_reals(&p->guess) : NULL;
}

carom_constraint_info carom_problem_get_constraint(const carom_problem* p, int index) {
  const cr_convex_constraint* c = cr_convex_get(p, index);
  bool contact = cr_convex_is_contact(c->kind), bounds = c->kind == CAROM_CONSTRAINT_BOUNDS;
  return (carom_constraint_info){
      .kind = c->kind,
      .mu = contact ? c->parameter[0] : 0,
      .radius = c->kind == CAROM_CONSTRAINT_DISC ? c->parameter[0] : 0,
      .low = bounds ? c->parameter[0] : 0,
      .high = bounds ? c->parameter[1] : 0,
      .row = c->row,
      .num_rows = c->rows,
      .num_blocks = c->block_count,
      .blocks = (const int*)p->blocks.data + c->block_start,
      .jacobian = cr_convex_reals(&p->J) + c->J_start,
  };
}

int carom_problem_get_block_start(const carom_problem* p, int block) { return p->start[block]; }

void cr_convex_apply_J(const carom_problem* p, const double* v, double* v_c) {
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_convex_constraint* c = cr_convex_get(p, i);
    const int* blocks = (const int*)p->blocks.data + c->block_start;
    const double* J = cr_convex_reals(&p->J) + c->J_start;
    for (int r = 0; r < c->rows; r++) v_c[c->row + r] = 0;
    for (int k = 0; k < c->block_count; k++) {
      const double* x = v + p->start[blocks[k]];
      for (int r = 0; r < c->rows; r++)
        for (int j = 0; j < p->size[blocks[k]]; j++) v_c[c->row + r] += *J++ * x[j];
    }
  }
}
