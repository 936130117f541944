/* Our own form of a contact problem (docs/problems.md): everything as it was given. */
#include "convex/problem.h"
#include "import/problem/reader.h"

#include "carom/problem_file.h"

#include <math.h>

typedef struct contents {
  int64_t num_blocks, num_unknowns, num_constraints, num_rows, num_A, num_references;
  int *size, *A_row, *A_column, *kind, *block_start, *block;
  double *v_star, *v0, *A, *parameter, *R, *v_hat, *J, *guess, *concave;
  int64_t num_A_values, num_J;
} contents;

/* --- Datasets -----------------------------------------------------------------------------------
 */

static carom_status load_unknowns(cr_problem_source* s, hid_t file, contents* c) {
  c->num_blocks = c->num_unknowns = c->num_A = c->num_A_values = -1;
  CR_TRY(cr_problem_load_ints(s, file, "unknowns/block_size", &c->num_blocks, &c->size));
  CR_TRY(cr_problem_load_reals(s, file, "unknowns/v_star", &c->num_unknowns, &c->v_star));
  CR_TRY(cr_problem_load_reals(s, file, "unknowns/v0", &c->num_unknowns, &c->v0));
  CR_TRY(cr_problem_load_ints(s, file, "A/row", &c->num_A, &c->A_row));
  CR_TRY(cr_problem_load_ints(s, file, "A/column", &c->num_A, &c->A_column));
  return cr_problem_load_reals(s, file, "A/value", &c->num_A_values, &c->A);
}

static carom_status load_concave(cr_problem_source* s, hid_t file, contents* c) {
  if (!cr_h5_exists(file, "constraints/concave")) return CAROM_OK;
  CR_TRY(cr_problem_load_reals(s, file, "constraints/concave", &c->num_rows, &c->concave));
  for (int64_t r = 0; r < c->num_rows; r++)
    if (!(c->concave[r] >= 0 && isfinite(c->concave[r])))
      return cr_problem_refuse(s, "/constraints/concave[%lld] is %g, must be 0 or more",
                               (long long)r, c->concave[r]);
  return CAROM_OK;
}

static carom_status load_constraints(cr_problem_source* s, hid_t file, contents* c) {
  c->num_constraints = c->num_rows = c->num_references = c->num_J = -1;
  CR_TRY(cr_problem_load_ints(s, file, "constraints/kind", &c->num_constraints, &c->kind));
  int64_t parameters = 2 * c->num_constraints, starts = c->num_constraints + 1;
  CR_TRY(cr_problem_load_reals(s, file, "constraints/parameter", &parameters, &c->parameter));
  CR_TRY(cr_problem_load_reals(s, file, "constraints/R", &c->num_rows, &c->R));
  CR_TRY(cr_problem_load_reals(s, file, "constraints/v_hat", &c->num_rows, &c->v_hat));
  CR_TRY(cr_problem_load_ints(s, file, "constraints/block_start", &starts, &c->block_start));
  CR_TRY(cr_problem_load_ints(s, file, "constraints/block", &c->num_references, &c->block));
  CR_TRY(cr_problem_load_reals(s, file, "constraints/J", &c->num_J, &c->J));
  if (cr_h5_exists(file, "constraints/guess"))
    CR_TRY(cr_problem_load_reals(s, file, "constraints/guess", &c->num_rows, &c->guess));
  return load_concave(s, file, c);
}

static carom_status check_version(const cr_problem_source* s, hid_t file, double* dt) {
  hid_t meta = H5Gopen2(file, "meta", H5P_DEFAULT);
  int version = 0;
  *dt = 0;
  bool known = meta >= 0 && cr_h5_read_int_attribute(meta, "version", &version);
  if (meta >= 0) cr_h5_read_real_attribute(meta, "dt", dt);
  if (meta >= 0) H5Gclose(meta);
  if (known && version == 1) return CAROM_OK;
  return cr_problem_refuse(s, "the problem's format has version %d, this program reads version 1",
                           version);
}

/* --- Problem ------------------------------------------------------------------------------------
 */

static carom_status create(cr_problem_source* s, hid_t file, const contents* c, double dt,
                           carom_problem** problem) {
  carom_problem_def def = carom_problem_def_default();
  def.name = cr_problem_load_text(s, file, "meta/name");
  def.dt = dt;
  def.num_blocks = (int)c->num_blocks, def.block_size = c->size;
  CR_TRY(cr_problem_pass(s, 0, carom_problem_create(&def, problem, s->error)));
  int unknowns = carom_problem_get_sizes(*problem).num_unknowns;
  if (unknowns == c->num_unknowns) return CAROM_OK;
  return cr_problem_refuse(s, "/unknowns/v_star has %lld numbers, the blocks have %d unknowns",
                           (long long)c->num_unknowns, unknowns);
}

static carom_status set_blocks(const cr_problem_source* s, const contents* c, carom_problem* p) {
  int64_t used = 0;
  for (int64_t k = 0; k < c->num_A; k++) {
    int i = c->A_row[k], j = c->A_column[k];
    if (i < 0 || i >= c->num_blocks || j < 0 || j >= c->num_blocks)
      return cr_problem_refuse(s, "/A: block (%d, %d) is not there, blocks go from 0 to %lld", i, j,
                               (long long)c->num_blocks - 1);
    int64_t count = (int64_t)c->size[i] * c->size[j];
    if (used + count > c->num_A_values)
      return cr_problem_refuse(s, "/A/value ends within block (%d, %d)", i, j);
    CR_TRY(cr_problem_pass(s, 0, carom_problem_set_block(p, i, j, c->A + used, s->error)));
    used += count;
  }
  CR_TRY(cr_problem_pass(s, 0, carom_problem_set_velocities(p, c->v_star, c->v0, s->error)));
  if (used == c->num_A_values) return CAROM_OK;
  return cr_problem_refuse(s, "/A/value has %lld numbers, the blocks have %lld",
                           (long long)c->num_A_values, (long long)used);
}

/* The definition of constraint i from row and J on, with parts of its Jacobian. */
static carom_status describe(const cr_problem_source* s, const contents* c, int i, int64_t row,
                             int64_t J, const double** parts, carom_constraint_def* def) {
  static const int ROWS[] = {3, 2, 1, 4, 6};
  if (c->kind[i] < 0 || c->kind[i] > 4)
    return cr_problem_refuse(s, "/constraints/kind[%d] is %d, must be within 0 and 4", i,
                             c->kind[i]);
  int rows = ROWS[c->kind[i]], first = c->block_start[i], end = c->block_start[i + 1];
  if (first < 0 || end < first || end > c->num_references)
    return cr_problem_refuse(s, "/constraints/block_start does not ascend from 0 to %lld",
                             (long long)c->num_references);
  if (row + rows > c->num_rows)
    return cr_problem_refuse(s, "/constraints/R ends before constraint %d", i);
  for (int k = first; k < end; k++) {
    int block = c->block[k];
    if (block < 0 || block >= c->num_blocks)
      return cr_problem_refuse(s, "constraint %d: block %d is not within 0 and %lld", i, block,
                               (long long)c->num_blocks - 1);
    parts[k - first] = c->J + J;
    J += (int64_t)rows * c->size[block];
    if (J > c->num_J) return cr_problem_refuse(s, "/constraints/J ends within constraint %d", i);
  }
  const double* x = c->parameter + 2 * (size_t)i;
  *def = carom_constraint_def_default();
  def->kind = (carom_constraint_kind)c->kind[i];
  def->mu = def->radius = def->low = x[0], def->high = x[1];
  def->num_blocks = end - first, def->blocks = c->block + first, def->jacobian = parts;
  def->R = c->R + row, def->v_hat = c->v_hat + row;
  def->guess = c->guess ? c->guess + row : NULL;
  return CAROM_OK;
}

static carom_status add_constraints(cr_problem_source* s, const contents* c, carom_problem* p) {
  const double** parts =
      cr_arena_push(&s->arena, sizeof(const double*) * (size_t)(c->num_references + 1));
  if (!parts) return cr_error_memory(s->error);
  int64_t row = 0, J = 0;
  for (int i = 0; i < c->num_constraints; i++) {
    carom_constraint_def def;
    CR_TRY(describe(s, c, i, row, J, parts, &def));
    CR_TRY(cr_problem_pass(s, 0, carom_problem_add(p, &def, NULL, s->error)));
    carom_constraint_info info = carom_problem_get_constraint(p, i);
    row += info.num_rows;
    for (int k = 0; k < info.num_blocks; k++) J += (int64_t)info.num_rows * c->size[info.blocks[k]];
  }
  if (row != c->num_rows)
    return cr_problem_refuse(s, "/constraints/R has %lld numbers, the constraints have %lld rows",
                             (long long)c->num_rows, (long long)row);
  if (J != c->num_J)
    return cr_problem_refuse(s, "/constraints/J has %lld numbers, the constraints have %lld",
                             (long long)c->num_J, (long long)J);
  if (c->concave) CR_TRY(cr_problem_pass(s, 0, cr_convex_set_concave(p, c->concave, s->error)));
  return cr_problem_pass(s, 0, carom_problem_finish(p, s->error));
}

carom_status cr_carom_problem_load(cr_problem_source* s, hid_t file, carom_problem** problem) {
  contents c = {0};
  double dt;
  CR_TRY(check_version(s, file, &dt));
  CR_TRY(load_unknowns(s, file, &c));
  CR_TRY(load_constraints(s, file, &c));
  carom_status status = create(s, file, &c, dt, problem);
  if (status == CAROM_OK) status = set_blocks(s, &c, *problem);
  if (status == CAROM_OK) status = add_constraints(s, &c, *problem);
  if (status == CAROM_OK) return CAROM_OK;
  carom_problem_destroy(*problem);
  *problem = NULL;
  return status;
}

carom_status cr_carom_load_solution(cr_problem_source* s, hid_t file, const carom_problem* problem,
                                    cr_read_solution* solution) {
  carom_problem_sizes sizes = carom_problem_get_sizes(problem);
  int64_t unknowns = sizes.num_unknowns, rows = sizes.num_rows;
  CR_TRY(cr_problem_load_reals(s, file, "solution/v", &unknowns, &solution->v));
  return cr_problem_load_reals(s, file, "solution/gamma", &rows, &solution->gamma);
}
