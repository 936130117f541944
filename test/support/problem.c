/* Reading and making contact problems for tests. */
#include "support/problem.h"

#include "math/vec3.h"
#include "problem/law_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_problem_destroy(test_problem* p) { cr_arena_destroy(&p->arena); }

double* test_problem_dense_J(const cr_problem* p) {
  int n = p->pattern.num_rows;
  double* dense = calloc((size_t)n * (size_t)p->num_rows, sizeof(double));
  for (int g = 0; g < p->num_groups; g++) {
    const cr_problem_group* group = &p->group[g];
    for (int r = 0; r < group->row_count; r++) {
      const double* J = p->J + group->J_start + r * group->stride;
      for (int k = 0; k < group->block_count; k++) {
        int block = p->group_block[group->block_start + k];
        for (int i = 0; i < p->pattern.size[block]; i++)
          dense[(group->row_start + r) * n + p->pattern.row_start[block] + i] = *J++;
      }
    }
  }
  return dense;
}

/* Analyses and factors A, and hands both to the problem. */
static void factor_A(test_problem* p) {
  assert_true(
      cr_symbolic_analyze(&p->problem.pattern, CR_ORDERING_AUTO, &p->arena, &p->A_symbolic));
  double* factor = CR_PUSH(&p->arena, double, p->A_symbolic.factor_size);
  double* scratch = CR_PUSH(&p->arena, double, p->A_symbolic.scratch_size);
  cr_cholesky_load(&p->A_symbolic, p->problem.A, factor);
  assert_int_equal(cr_cholesky_factor(&p->A_symbolic, factor, scratch), -1);
  p->problem.A_symbolic = &p->A_symbolic;
  p->problem.A_factor = factor;
}

/* --- sapproblem ---------------------------------------------------------------------------------
 */

static void expect(FILE* f, const char* word) {
  char token[256];
  assert_int_equal(fscanf(f, "%255s", token), 1);
  assert_string_equal(token, word);
}

static double read_real(FILE* f) {
  double x;
  assert_int_equal(fscanf(f, "%lf", &x), 1);
  return x;
}

static int read_int(FILE* f) {
  int x;
  assert_int_equal(fscanf(f, "%d", &x), 1);
  return x;
}

static double* read_reals(FILE* f, cr_arena* arena, int count) {
  double* x = CR_PUSH(arena, double, count);
  for (int i = 0; i < count; i++) x[i] = read_real(f);
  return x;
}

typedef struct sap_model {
  double dt, beta, sigma;
} sap_model;

static void read_blocks(FILE* f, test_problem* p) {
  expect(f, "blocks");
  int count = read_int(f), used = 0;
  int* size = CR_PUSH(&p->arena, int, count);
  double* values = CR_PUSH(&p->arena, double, (size_t)count * 64);
  for (int b = 0; b < count; b++) {
    size[b] = read_int(f);
    assert_true(size[b] <= 8);
    for (int i = 0; i < size[b] * size[b]; i++) values[used++] = read_real(f);
  }
  assert_true(cr_bsm_pattern_build(&p->arena, count, size, 0, NULL, &p->problem.pattern));
  p->problem.A = values; /* symmetric blocks: row-major is column-major */
}

/* w = |W_ii|_F / 3 with the diagonal of A only, as the format says. */
static double diagonal_w(const test_problem* p, int block_count, const int* blocks, const double* J,
                         int stride) {
  double W[9] = {0}, sum = 0;
  int column = 0;
  for (int k = 0; k < block_count; k++) {
    int b = blocks[k], n = p->problem.pattern.size[b];
    const double* A =
        p->problem.A + p->problem.pattern.value_start[p->problem.pattern.col_start[b]];
    for (int i = 0; i < n; i++, column++)
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
          W[3 * r + c] += J[r * stride + column] * J[c * stride + column] / A[i * n + i];
  }
  for (int k = 0; k < 9; k++) sum += W[k] * W[k];
  return sqrt(sum) / 3;
}

static void read_contact(FILE* f, test_problem* p, cr_assembly* assembly, const sap_model* m) {
  int b[2] = {read_int(f), read_int(f)};
  double phi = read_real(f), mu = read_real(f), k = read_real(f), tau = read_real(f);
  int count = b[1] < 0 ? 1 : 2;
  bool swap = count == 2 && b[1] < b[0];
  int sorted[2] = {swap ? b[1] : b[0], swap ? b[0] : b[1]};
  cr_assembly_rows rows = cr_assembly_add(assembly, CR_LAW_CONTACT, sorted, count, mu, 0);
  for (int side = 0; side < count; side++) {
    int n = p->problem.pattern.size[b[side]];
    int offset = (side == 0) == !swap ? 0 : p->problem.pattern.size[b[1 - side]];
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < n; c++) rows.J[r * rows.stride + offset + c] = read_real(f);
  }
  double w = diagonal_w(p, count, sorted, rows.J, rows.stride), pi = 3.14159265358979323846;
  rows.R[0] = rows.R[1] = m->sigma * w;
  rows.R[2] = fmax(m->beta * m->beta / (4 * pi * pi) * w, 1 / (m->dt * k * (m->dt + tau)));
  rows.v_hat[2] = -phi / (m->dt + tau);
}

void test_problem_load_sap(const char* path, test_problem* p) {
  FILE* f = fopen(path, "r");
  if (!f) fail_msg("cannot open %s", path);
  *p = (test_problem){0};
  cr_arena_init(&p->arena, NULL);
  sap_model m;
  expect(f, "sapproblem");
  assert_int_equal(read_int(f), 1);
  assert_int_equal(fscanf(f, "%255s", p->name), 1);
  expect(f, "dt"), m.dt = read_real(f);
  expect(f, "beta"), m.beta = read_real(f);
  expect(f, "sigma"), m.sigma = read_real(f);
  read_blocks(f, p);
  expect(f, "vstar"), p->problem.v_star = read_reals(f, &p->arena, read_int(f));
  expect(f, "v0"), p->problem.v0 = read_reals(f, &p->arena, read_int(f));
  expect(f, "contacts");
  int contacts = read_int(f);
  cr_assembly_capacity capacity = {contacts, 3 * contacts, 2 * contacts,
                                   (int64_t)contacts * 3 * 16};
  cr_assembly assembly;
  assert_true(cr_assembly_init(&assembly, &p->problem.pattern, &capacity, &p->arena));
  for (int i = 0; i < contacts; i++) read_contact(f, p, &assembly, &m);
  expect(f, "end");
  fclose(f);
  assert_true(cr_assembly_finish(&assembly, &p->arena, &p->problem, &p->order));
  factor_A(p);
}

void test_solution_load_sap(const char* path, test_solution* s) {
  FILE* f = fopen(path, "r");
  if (!f) fail_msg("cannot open %s", path);
  char name[256];
  expect(f, "sapsolution"), read_int(f);
  assert_int_equal(fscanf(f, "%255s", name), 1);
  expect(f, "beta"), read_real(f);
  expect(f, "sigma"), read_real(f);
  expect(f, "cost"), s->cost = read_real(f);
  expect(f, "relres"), s->residual = read_real(f);
  expect(f, "v"), s->n = read_int(f);
  s->v = malloc(sizeof(double) * (size_t)(s->n + 1));
  for (int i = 0; i < s->n; i++) s->v[i] = read_real(f);
  expect(f, "gamma"), s->rows = read_int(f);
  s->gamma = malloc(sizeof(double) * (size_t)(s->rows + 1));
  for (int i = 0; i < s->rows; i++) s->gamma[i] = read_real(f);
  fclose(f);
}

void test_solution_destroy(test_solution* s) {
  free(s->v);
  free(s->gamma);
}

/* --- Random problems ----------------------------------------------------------------------------
 */

static double log_uniform(check_random* random, double low, double high) {
  if (isinf(high)) return INFINITY;
  return exp(check_random_uniform(random, log(low), log(high)));
}

/* Free bodies: mass, and an inertia of a body of 0.1 m in random axes. */
static void make_bodies(const test_problem_def* def, check_random* random, test_problem* p) {
  int n = def->bodies, num_couplings = def->full_A ? n / 2 : 0;
  int* size = CR_PUSH(&p->arena, int, n);
  int(*couplings)[2] = cr_arena_push(&p->arena, sizeof(int[2]) * (size_t)(num_couplings + 1));
  for (int i = 0; i < n; i++) size[i] = 6;
  for (int i = 0; i < num_couplings; i++) {
    couplings[i][0] = check_random_int(random, 0, n - 1);
    couplings[i][1] = check_random_int(random, 0, n - 1);
  }
  assert_true(
      cr_bsm_pattern_build(&p->arena, n, size, num_couplings, couplings, &p->problem.pattern));
  const cr_bsm_pattern* A = &p->problem.pattern;
  double* values = CR_PUSH(&p->arena, double, A->num_values);
  memset(values, 0, sizeof(double) * (size_t)A->num_values);
  for (int j = 0; j < n; j++) {
    double mass = log_uniform(random, 1, fmax(def->mass_ratio, 1 + 1e-12));
    double* block = values + A->value_start[A->col_start[j]];
    for (int k = 0; k < 3; k++) {
      block[7 * k] = mass;
      block[7 * (3 + k)] = mass * 0.01 * check_random_uniform(random, 0.3, 1);
    }
    /* A weak spring between coupled bodies, small against both diagonals. */
    for (int b = A->col_start[j] + 1; b < A->col_start[j + 1]; b++)
      for (int k = 0; k < 36; k++)
        values[A->value_start[b] + k] = 1e-4 * check_random_uniform(random, -1, 1);
  }
  p->problem.A = values;
}

static void make_velocities(check_random* random, test_problem* p) {
  int n = p->problem.pattern.num_rows;
  double* v_star = CR_PUSH(&p->arena, double, n);
  double* v0 = CR_PUSH(&p->arena, double, n);
  for (int i = 0; i < n; i++) {
    v0[i] = check_random_normal(random);
    v_star[i] = v0[i] + 0.1 * check_random_normal(random);
  }
  p->problem.v_star = v_star, p->problem.v0 = v0;
}

/* Rows of a point at arm r along orthonormal directions, for velocities (linear, angular). */
static void point_rows(const v3* direction, int rows, v3 r, double sign, double* J, int stride) {
  for (int k = 0; k < rows; k++) {
    v3 torque = v3_cross(r, direction[k]);
    v3_store(v3_scale(sign, direction[k]), J + k * stride);
    v3_store(v3_scale(sign, torque), J + k * stride + 3);
  }
}

static v3 random_vector(check_random* random, double size) {
  return v3_make(check_random_uniform(random, -size, size),
                 check_random_uniform(random, -size, size),
                 check_random_uniform(random, -size, size));
}

static cr_assembly_rows add_point_rows(cr_assembly* a, const test_problem_def* def,
                                       check_random* random, cr_law_kind kind, double p0,
                                       double p1) {
  int b[2] = {check_random_int(random, 0, def->bodies - 1),
              check_random_int(random, -1, def->bodies - 1)};
  bool world = b[1] < 0 || b[1] == b[0];
  int sorted[2] = {b[0], b[0]};
  if (!world) sorted[0] = b[0] < b[1] ? b[0] : b[1], sorted[1] = b[0] < b[1] ? b[1] : b[0];
  cr_assembly_rows rows = cr_assembly_add(a, kind, sorted, world ? 1 : 2, p0, p1);
  v3 n = v3_normalize_or(random_vector(random, 1), v3_make(0, 0, 1)), frame[3];
  v3_tangents(n, &frame[0], &frame[1]);
  frame[2] = n;
  int count = cr_law_get(kind)->rows < 3 ? cr_law_get(kind)->rows : 3;
  const v3* direction = count == 1 ? frame + 2 : frame;
  point_rows(direction, count, random_vector(random, 0.1), 1, rows.J, rows.stride);
  if (!world) point_rows(direction, count, random_vector(random, 0.1), -1, rows.J + 6, rows.stride);
  return rows;
}

/* Row `to` about an axis, times a length. */
static void angular_row(v3 axis, double length, bool world, double* J) {
  v3_store(v3_scale(length, axis), J + 3);
  if (!world) v3_store(v3_scale(-length, axis), J + 9);
}

/* Between the friction and the normal of point rows in the first three: torsion, and rolling. */
static void add_moments(const test_problem_def* def, check_random* random, int rows, bool world,
                        const cr_assembly_rows* out) {
  v3 axis[3];
  for (int k = 0; k < 3; k++) axis[k] = v3_load(out->J + k * out->stride);
  memcpy(out->J + (rows - 1) * out->stride, out->J + 2 * out->stride,
         sizeof(double) * (size_t)out->stride);
  memset(out->J + 2 * out->stride, 0, sizeof(double) * (size_t)(out->stride * (rows - 3)));
  angular_row(axis[2], log_uniform(random, def->length_low, def->length_high), world,
              out->J + 2 * out->stride);
  double roll = log_uniform(random, def->length_low, def->length_high);
  for (int k = 0; k < rows - 4; k++)
    angular_row(axis[k], roll, world, out->J + (3 + k) * out->stride);
}

/* Without friction: the normal alone, as the law of contact asks. */
static void add_contact(cr_assembly* a, const test_problem_def* def, check_random* random,
                        const test_problem* p) {
  double mu = check_random_uniform(random, def->mu_low, def->mu_high), dt = 0.005;
  cr_law_kind kind = mu > 0 ? CR_LAW_CONTACT : CR_LAW_BOUNDS;
  if (mu > 0 && def->moments > 0 && check_random_uniform(random, 0, 1) < def->moments)
    kind = check_random_int(random, 0, 1) ? CR_LAW_CONTACT4 : CR_LAW_CONTACT6;
  int normal = cr_law_get(kind)->rows - 1;
  cr_assembly_rows rows = add_point_rows(a, def, random, kind, mu, mu > 0 ? 0 : INFINITY);
  const cr_assembly_item* item = &a->item[a->num_items - 1];
  double k = log_uniform(random, def->stiffness_low, def->stiffness_high);
  for (int r = 0; r < normal; r++)
    rows.R[r] = def->sigma *
                diagonal_w(p, item->block_count, a->block + item->block_start, rows.J, rows.stride);
  if (normal > 2) add_moments(def, random, normal + 1, item->block_count == 1, &rows);
  rows.R[normal] = isinf(k) ? 0 : 1 / (dt * k * 2 * dt);
  /* Rigid contacts in all directions can be met together only where rest is allowed. */
  rows.v_hat[normal] = check_random_uniform(random, -0.1, isinf(k) ? 0 : 0.1);
}

/* The rows of an earlier contact again, slightly off in the bias. */
static void add_copy(cr_assembly* a, check_random* random, int which) {
  cr_assembly_item item = a->item[which];
  int count = cr_law_get(item.kind)->rows, normal = count - 1;
  cr_assembly_rows rows = cr_assembly_add(a, item.kind, a->block + item.block_start,
                                          item.block_count, item.parameter[0], item.parameter[1]);
  memcpy(rows.J, a->J + item.J_start, sizeof(double) * (size_t)count * (size_t)item.stride);
  for (int k = 0; k < count; k++) rows.R[k] = a->R[item.row + k];
  double bias = a->v_hat[item.row + normal] + 1e-3 * check_random_normal(random);
  rows.v_hat[normal] = rows.R[normal] > 0 ? bias : fmin(bias, 0);
}

static void add_bounds(cr_assembly* a, const test_problem_def* def, check_random* random) {
  static const double bounds[4][2] = {
      {0, INFINITY}, {-INFINITY, INFINITY}, {-0.05, 0.05}, {-0.2, 0.1}};
  int kind = check_random_int(random, 0, 4);
  if (kind == 4) {
    cr_assembly_rows rows = add_point_rows(a, def, random, CR_LAW_DISC, 0.05, 0);
    rows.R[0] = rows.R[1] = 1e-4;
    return;
  }
  cr_assembly_rows rows =
      add_point_rows(a, def, random, CR_LAW_BOUNDS, bounds[kind][0], bounds[kind][1]);
  rows.R[0] = 1e-4;
  rows.v_hat[0] = check_random_uniform(random, -0.1, 0.1);
}

test_problem_def test_problem_def_mild(int bodies, int contacts, int bounds, bool full_A) {
  return (test_problem_def){.bodies = bodies,
                            .contacts = contacts,
                            .mass_ratio = 10,
                            .stiffness_low = 1e3,
                            .stiffness_high = 1e6,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .sigma = 1e-2,
                            .bounds = bounds,
                            .full_A = full_A};
}

void test_problem_make_random(const test_problem_def* def, check_random* random, test_problem* p) {
  *p = (test_problem){0};
  cr_arena_init(&p->arena, NULL);
  make_bodies(def, random, p);
  make_velocities(random, p);
  int constraints = def->contacts + def->bounds;
  cr_assembly_capacity capacity = {constraints, CR_LAW_MAX_ROWS * constraints, 2 * constraints,
                                   (int64_t)constraints * CR_LAW_MAX_ROWS * 12};
  cr_assembly assembly;
  assert_true(cr_assembly_init(&assembly, &p->problem.pattern, &capacity, &p->arena));
  for (int i = 0; i < def->contacts; i++) {
    bool copy = i > 0 && check_random_uniform(random, 0, 1) < def->redundant;
    if (copy)
      add_copy(&assembly, random, check_random_int(random, 0, i - 1));
    else
      add_contact(&assembly, def, random, p);
  }
  for (int i = 0; i < def->bounds; i++) add_bounds(&assembly, def, random);
  assert_true(cr_assembly_finish(&assembly, &p->arena, &p->problem, &p->order));
  factor_A(p);
}
