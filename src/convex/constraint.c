/* Adding constraints: every field is looked at, and a sentence names the one that is wrong. */
#include "base/cookie.h"
#include "base/copy.h"
#include "convex/problem.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

carom_constraint_def carom_constraint_def_default(void) {
  return (carom_constraint_def){.cookie = CR_COOKIE(constraint), .high = INFINITY};
}

int cr_convex_rows(carom_constraint_kind kind) { return cr_law_get(cr_convex_get_law(kind))->rows; }

cr_law_kind cr_convex_get_law(carom_constraint_kind kind) {
  static const cr_law_kind KINDS[] = {
      [CAROM_CONSTRAINT_CONTACT] = CR_LAW_CONTACT,   [CAROM_CONSTRAINT_DISC] = CR_LAW_DISC,
      [CAROM_CONSTRAINT_BOUNDS] = CR_LAW_BOUNDS,     [CAROM_CONSTRAINT_CONTACT4] = CR_LAW_CONTACT4,
      [CAROM_CONSTRAINT_CONTACT6] = CR_LAW_CONTACT6,
  };
  return KINDS[kind];
}

/* --- Checks -------------------------------------------------------------------------------------
 */

static carom_status refuse(int index, const char* field, double value, const char* rule,
                           carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "constraint %d: %s is %g, must be %s", index,
                      field, value, rule);
}

static carom_status check_law(int index, const carom_constraint_def* def, carom_error* error) {
  switch (def->kind) {
  case CAROM_CONSTRAINT_CONTACT:
  case CAROM_CONSTRAINT_CONTACT4:
  case CAROM_CONSTRAINT_CONTACT6:
    if (def->mu >= 0 && isfinite(def->mu)) return CAROM_OK;
    return refuse(index, "mu", def->mu, "0 or more", error);
  case CAROM_CONSTRAINT_DISC:
    if (def->radius >= 0 && isfinite(def->radius)) return CAROM_OK;
    return refuse(index, "radius", def->radius, "0 or more", error);
  case CAROM_CONSTRAINT_BOUNDS:
    if (isnan(def->low) || def->low == INFINITY)
      return refuse(index, "low", def->low, "a number or -inf", error);
    if (def->high >= def->low && def->high > -INFINITY) return CAROM_OK;
    return refuse(index, "high", def->high, "a number not below low, or inf", error);
  }
  return refuse(index, "kind", def->kind, "one of carom_constraint_kind", error);
}

static carom_status check_blocks(const carom_problem* p, const carom_constraint_def* def,
                                 carom_error* error) {
  int index = p->num_constraints;
  if (def->num_blocks < 1)
    return refuse(index, "the number of blocks", def->num_blocks, "1 or more", error);
  if (!def->blocks || !def->jacobian)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "constraint %d: %s is null", index,
                        def->blocks ? "the Jacobian" : "the list of blocks");
  int64_t columns = 0;
  for (int k = 0; k < def->num_blocks; k++) {
    int block = def->blocks[k];
    if (block < 0 || block >= p->num_blocks)
      return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                          "constraint %d: block %d is not within 0 and %d", index, block,
                          p->num_blocks - 1);
    for (int l = 0; l < k; l++)
      if (def->blocks[l] == block)
        return cr_error_set(error, CAROM_ERROR_BAD_INPUT, "constraint %d: block %d is given twice",
                            index, block);
    columns += p->size[block];
  }
  if (columns * columns <= INT_MAX / 8) return CAROM_OK;
  return cr_error_set(error, CAROM_ERROR_UNSUPPORTED,
                      "constraint %d: it touches %lld unknowns, more than can be kept", index,
                      (long long)columns);
}

static carom_status check_jacobian(const carom_problem* p, const carom_constraint_def* def,
                                   int rows, carom_error* error) {
  for (int k = 0; k < def->num_blocks; k++) {
    int block = def->blocks[k], columns = p->size[block];
    const double* J = def->jacobian[k];
    if (!J)
      return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                          "constraint %d: the Jacobian of block %d is null", p->num_constraints,
                          block);
    for (int i = 0; i < rows * columns; i++)
      if (!isfinite(J[i]))
        return cr_error_set(error, CAROM_ERROR_BAD_INPUT,
                            "constraint %d: element (%d, %d) of the Jacobian of block %d is %g, "
                            "must be finite",
                            p->num_constraints, i / columns, i % columns, block, J[i]);
  }
  return CAROM_OK;
}

static carom_status check_rows(int index, const carom_constraint_def* def, int rows,
                               carom_error* error) {
  const struct {
    const char* name;
    const double* x;
  } arrays[] = {{"v_hat", def->v_hat}, {"R", def->R}, {"guess", def->guess}};
  for (int k = 0; k < 3; k++)
    for (int r = 0; r < rows && arrays[k].x; r++) {
      char name[32];
      snprintf(name, sizeof name, "%s[%d]", arrays[k].name, r);
      double x = arrays[k].x[r];
      if (!isfinite(x)) return refuse(index, name, x, "finite", error);
      if (k == 1 && x < 0) return refuse(index, name, x, "0 or more", error);
    }
  bool is_plane = def->kind == CAROM_CONSTRAINT_CONTACT || def->kind == CAROM_CONSTRAINT_DISC;
  if (def->R && is_plane && def->R[0] != def->R[1])
    return refuse(index, "R[1]", def->R[1], "equal to R[0], as friction has no direction", error);
  return CAROM_OK;
}

/* --- Storage ------------------------------------------------------------------------------------
 */

/* Sizes of all buffers, to go back to where memory runs out. */
typedef struct fill {
  size_t constraints, blocks, J, R, v_hat, guess;
} fill;

static fill measure(const carom_problem* p) {
  return (fill){p->constraints.used, p->blocks.used, p->J.used,
                p->R.used,           p->v_hat.used,  p->guess.used};
}

static void rewind_to(carom_problem* p, fill f) {
  p->constraints.used = f.constraints, p->blocks.used = f.blocks, p->J.used = f.J;
  p->R.used = f.R, p->v_hat.used = f.v_hat, p->guess.used = f.guess;
}

/* The blocks in ascending order: `order` are positions in the definition. */
static void sort_blocks(const carom_constraint_def* def, int* order) {
  for (int k = 0; k < def->num_blocks; k++) {
    int at = k;
    for (; at > 0 && def->blocks[order[at - 1]] > def->blocks[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
}

static void copy_jacobian(const carom_problem* p, const carom_constraint_def* def, int rows,
                          int* blocks, double* J) {
  sort_blocks(def, blocks);
  for (int k = 0; k < def->num_blocks; k++) {
    int from = blocks[k], block = def->blocks[from];
    size_t count = (size_t)rows * (size_t)p->size[block];
    CR_COPY(J, def->jacobian[from], count);
    J += count, blocks[k] = block;
  }
}

static bool append_row_values(carom_problem* p, cr_convex_buffer* buffer, int rows,
                              const double* x) {
  double* to = cr_convex_buffer_add(&p->allocator, buffer, sizeof *to * (size_t)rows);
  if (to && x) CR_COPY(to, x, rows);
  return to != NULL;
}

static bool append(carom_problem* p, const carom_constraint_def* def, int rows) {
  cr_convex_constraint c = {.kind = def->kind, .row = p->num_rows, .rows = rows};
  c.block_start = (int)(p->blocks.used / sizeof(int)), c.block_count = def->num_blocks;
  c.J_start = p->J.used / sizeof(double);
  for (int k = 0; k < def->num_blocks; k++) c.columns += p->size[def->blocks[k]];
  bool bounds = def->kind == CAROM_CONSTRAINT_BOUNDS;
  c.parameter[0] = bounds ? def->low : cr_convex_is_contact(def->kind) ? def->mu : def->radius;
  c.parameter[1] = bounds ? def->high : 0;
  cr_convex_constraint* to = cr_convex_buffer_add(&p->allocator, &p->constraints, sizeof c);
  int* blocks =
      cr_convex_buffer_add(&p->allocator, &p->blocks, sizeof *blocks * (size_t)def->num_blocks);
  double* J =
      cr_convex_buffer_add(&p->allocator, &p->J, sizeof *J * (size_t)rows * (size_t)c.columns);
  if (!to || !blocks || !J || !append_row_values(p, &p->R, rows, def->R) ||
      !append_row_values(p, &p->v_hat, rows, def->v_hat) ||
      !append_row_values(p, &p->guess, rows, def->guess))
    return false;
  *to = c;
  copy_jacobian(p, def, rows, blocks, J);
  return true;
}

carom_status cr_convex_set_concave(carom_problem* p, const double* delta, carom_error* error) {
  CR_TRY(cr_convex_check_open(p, error));
  p->concave = CR_PUSH(&p->arena, double, p->num_rows);
  if (!p->concave) return cr_error_memory(error);
  CR_COPY(p->concave, delta, p->num_rows);
  return CAROM_OK;
}

carom_status carom_problem_add(carom_problem* p, const carom_constraint_def* def, int* index,
                               carom_error* error) {
  CR_TRY(cr_convex_check_open(p, error));
  char what[32];
  snprintf(what, sizeof what, "constraint %d", p->num_constraints);
  if (!def)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "%s: the definition is null", what);
  CR_TRY(CR_CHECK_COOKIE(def, constraint, what, error));
  CR_TRY(check_law(p->num_constraints, def, error));
  int rows = cr_convex_rows(def->kind);
  CR_TRY(check_blocks(p, def, error));
  CR_TRY(check_jacobian(p, def, rows, error));
  CR_TRY(check_rows(p->num_constraints, def, rows, error));
  if (p->num_rows > INT_MAX / 16)
    return cr_error_set(error, CAROM_ERROR_UNSUPPORTED, "constraint %d: there are too many",
                        p->num_constraints);
  fill before = measure(p);
  if (!append(p, def, rows)) {
    rewind_to(p, before);
    return cr_error_memory(error);
  }
  if (index) *index = p->num_constraints;
  p->num_constraints++, p->num_rows += rows;
  p->num_contacts += cr_convex_is_contact(def->kind);
  p->has_guess |= def->guess != NULL;
  return cr_error_clear(error);
}
