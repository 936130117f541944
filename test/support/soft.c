#include "support/soft.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int num_rows(const soft_case* s) { return 3 * s->mesh.num_nodes; }

static double* zeros(int count) {
  size_t size = (sizeof(double) * (size_t)count + 63) / 64 * 64;
  double* block = aligned_alloc(64, size);
  assert_non_null(block);
  memset(block, 0, size);
  return block;
}

cr_soft_material soft_material(cr_soft_law law, double young, double poisson, double density) {
  cr_soft_material material;
  carom_error error;
  check_ok(cr_soft_material_init(&material, law, young, poisson, density, &error), &error);
  return material;
}

static void make_mesh(const cr_soft_shape_def* shape, bool is_quadratic, cr_soft_mesh* mesh) {
  carom_error error;
  check_ok(cr_soft_mesh_make_shape(shape, NULL, mesh, &error), &error);
  if (!is_quadratic) return;
  cr_soft_mesh linear = *mesh;
  check_ok(cr_soft_mesh_make_quadratic(&linear, mesh, &error), &error);
  cr_soft_mesh_destroy(&linear);
}

soft_case soft_case_create(const cr_soft_shape_def* shape, bool is_quadratic,
                           const cr_soft_material* material) {
  soft_case s = {0};
  carom_error error;
  make_mesh(shape, is_quadratic, &s.mesh);
  check_ok(cr_soft_body_create(&s.body, &s.mesh, material, NULL, &error), &error);
  cr_arena_init(&s.arena, NULL);
  assert_true(cr_symbolic_analyze(&s.body.pattern, CR_ORDERING_AUTO, &s.arena, &s.symbolic));
  s.x = (double(*)[3])zeros(num_rows(&s));
  s.v = (double(*)[3])zeros(num_rows(&s));
  s.load = (double(*)[3])zeros(num_rows(&s));
  memcpy(s.x, s.mesh.node, sizeof(double) * (size_t)num_rows(&s));
  s.is_fixed = calloc((size_t)num_rows(&s), sizeof *s.is_fixed);
  s.mass = zeros(s.body.pattern.num_values);
  s.damping = zeros(s.body.pattern.num_values);
  s.values = zeros(s.body.pattern.num_values);
  s.factor = zeros((int)s.symbolic.factor_size);
  cr_soft_body_add_mass(&s.body, 1, true, s.mass);
  return s;
}

void soft_case_destroy(soft_case* s) {
  free(s->x), free(s->v), free(s->load), free(s->is_fixed);
  free(s->mass), free(s->damping), free(s->values), free(s->factor);
  cr_arena_destroy(&s->arena);
  cr_soft_body_destroy(&s->body);
  cr_soft_mesh_destroy(&s->mesh);
}

int soft_case_fix(soft_case* s, int axis, double at, int coordinates) {
  int count = 0;
  for (int n = 0; n < s->mesh.num_nodes; n++) {
    if (fabs(s->mesh.node[n][axis] - at) > 1e-9) continue;
    for (int k = 0; k < 3; k++) s->is_fixed[3 * n + k] |= coordinates >> k & 1;
    count++;
  }
  return count;
}

void soft_case_pull(soft_case* s, int axis, double at, const double traction[3]) {
  cr_soft_face* faces;
  int num_faces, nodes = s->mesh.nodes_per_element;
  carom_error error;
  check_ok(cr_soft_mesh_compute_surface(&s->mesh, &faces, &num_faces, &error), &error);
  for (int f = 0; f < num_faces; f++) {
    const int* node = s->mesh.element + faces[f].element * nodes;
    bool is_there = true;
    for (int k = 0; k < 3; k++)
      is_there &= fabs(s->mesh.node[node[cr_soft_face_nodes[faces[f].face][k]]][axis] - at) < 1e-9;
    if (is_there) cr_soft_body_add_traction(&s->body, &faces[f], 1, traction, s->load);
  }
  cr_soft_faces_release(&s->mesh, faces, num_faces);
}

double soft_case_elastic(const soft_case* s) {
  return cr_soft_body_evaluate(&s->body, (const double(*)[3])s->x, &(cr_soft_output){0});
}

static double form(const soft_case* s, const double* values, const double* a, const double* b) {
  double *y = zeros(num_rows(s)), sum = 0;
  cr_bsm_multiply(&s->body.pattern, values, b, y);
  for (int i = 0; i < num_rows(s); i++) sum += a[i] * y[i];
  free(y);
  return sum;
}

double soft_case_kinetic(const soft_case* s) {
  return 0.5 * form(s, s->mass, &s->v[0][0], &s->v[0][0]);
}

void soft_case_update_damping(soft_case* s) {
  cr_soft_output output = {.values = s->damping, .stiffness_scale = s->body.material.beta};
  memset(s->damping, 0, sizeof(double) * (size_t)s->body.pattern.num_values);
  cr_soft_body_evaluate(&s->body, (const double(*)[3])s->x, &output);
  for (int k = 0; k < s->body.pattern.num_values; k++)
    s->damping[k] += s->body.material.alpha * s->mass[k];
}

/* Turns the rows and columns of fixed coordinates into those of the identity. */
static void fix_rows(soft_case* s) {
  const cr_bsm_pattern* p = &s->body.pattern;
  for (int j = 0; j < p->num_blocks; j++)
    for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++)
      for (int k = 0; k < 9; k++) {
        int row = 3 * p->row_index[b] + k % 3, column = 3 * j + k / 3;
        if (s->is_fixed[row] || s->is_fixed[column])
          s->values[p->value_start[b] + k] = row == column;
      }
}

static bool factor(soft_case* s) {
  fix_rows(s);
  cr_cholesky_load(&s->symbolic, s->values, s->factor);
  s->num_factored++;
  double* scratch = zeros(s->symbolic.scratch_size + 1);
  bool ok = cr_cholesky_factor(&s->symbolic, s->factor, scratch) < 0;
  free(scratch);
  return ok;
}

static void solve(const soft_case* s, double* b) {
  double* scratch = zeros(s->symbolic.scratch_size + 1);
  for (int i = 0; i < num_rows(s); i++)
    if (s->is_fixed[i]) b[i] = 0;
  cr_cholesky_solve(&s->symbolic, s->factor, b, 1, num_rows(s), scratch);
  free(scratch);
}

/* Newton's problem: minimise phi(y) = 1/2 (y - y0) M (y - y0) weight_mass + dt / (2 θv) |vθ|²_D
 * + (E(x) - load x) weight_elastic, with x = origin + slope y. At rest y is x itself. */
typedef struct newton {
  soft_case* s;
  const double *y0, *origin;
  double mass, damping, theta_v, elastic, slope;
} newton;

static void place(const newton* n, const double* y, double* x) {
  for (int i = 0; i < num_rows(n->s); i++) x[i] = n->origin[i] + n->slope * y[i];
}

/* phi and its gradient; the matrix into s->values where `has_matrix`. */
static double evaluate(const newton* n, const double* y, double* gradient, bool has_matrix,
                       bool is_projected) {
  soft_case* s = n->s;
  int rows = num_rows(s), count = s->body.pattern.num_values;
  double *x = zeros(rows), *change = zeros(rows), *mean = zeros(rows), *product = zeros(rows);
  double* elastic = zeros(rows);
  place(n, y, x);
  if (has_matrix)
    for (int k = 0; k < count; k++)
      s->values[k] = n->mass * s->mass[k] + n->damping * n->theta_v * s->damping[k];
  cr_soft_output output = {.gradient = elastic,
                           .values = has_matrix ? s->values : NULL,
                           .stiffness_scale = n->elastic * n->slope * n->slope,
                           .is_projected = is_projected};
  double phi = n->elastic * cr_soft_body_evaluate(&s->body, (const double(*)[3])x, &output);
  for (int i = 0; i < rows; i++) {
    phi -= n->elastic * (&s->load[0][0])[i] * x[i];
    gradient[i] = n->elastic * n->slope * (elastic[i] - (&s->load[0][0])[i]);
    change[i] = n->mass > 0 ? y[i] - n->y0[i] : 0;
    mean[i] = n->mass > 0 ? n->theta_v * y[i] + (1 - n->theta_v) * n->y0[i] : 0;
  }
  if (n->mass > 0) {
    cr_bsm_multiply(&s->body.pattern, s->mass, change, product);
    for (int i = 0; i < rows; i++) {
      gradient[i] += n->mass * product[i];
      phi += 0.5 * n->mass * change[i] * product[i];
    }
    cr_bsm_multiply(&s->body.pattern, s->damping, mean, product);
    for (int i = 0; i < rows; i++) {
      gradient[i] += n->damping * product[i];
      if (n->theta_v > 0) phi += 0.5 * n->damping / n->theta_v * mean[i] * product[i];
    }
  }
  for (int i = 0; i < rows; i++)
    if (s->is_fixed[i]) gradient[i] = 0;
  free(x), free(change), free(mean), free(product), free(elastic);
  return phi;
}

static double largest_of(const double* a, int count) {
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i]));
  return largest;
}

/* Halves the step until phi falls as it should; returns the part taken. */
static double search(const newton* n, double* y, const double* step, double phi, double slope) {
  int rows = num_rows(n->s);
  double *trial = zeros(rows), *gradient = zeros(rows), part = 1;
  for (int k = 0; k < 40; k++, part *= 0.5) {
    for (int i = 0; i < rows; i++) trial[i] = y[i] + part * step[i];
    double after = evaluate(n, trial, gradient, false, false);
    if (after <= phi + 1e-4 * part * slope + 1e-13 * fabs(phi)) break;
  }
  memcpy(y, trial, sizeof(double) * (size_t)rows);
  free(trial), free(gradient);
  return part;
}

/* Newton with the true matrix where that is positive definite, else with the projected one; until
 * its steps are in round-off. */
static int minimise(newton* n, double* y) {
  soft_case* s = n->s;
  int rows = num_rows(s), iteration = 0;
  double *gradient = zeros(rows), *step = zeros(rows), scale = 0, last = INFINITY;
  for (; iteration < 60; iteration++) {
    bool is_kept = s->is_factor_kept && s->has_factor;
    double phi = evaluate(n, y, gradient, !is_kept, false);
    if (!is_kept && !factor(s)) {
      evaluate(n, y, gradient, true, true);
      assert_true(factor(s));
    }
    s->has_factor = true;
    for (int i = 0; i < rows; i++) step[i] = -gradient[i];
    solve(s, step);
    double slope = 0;
    for (int i = 0; i < rows; i++) slope += gradient[i] * step[i];
    double size = largest_of(step, rows);
    search(n, y, step, phi, slope);
    scale = fmax(scale, largest_of(y, rows));
    if (size <= 1e-12 * scale || (size <= 1e-7 * scale && size > 0.25 * last)) break;
    last = size;
  }
  free(gradient), free(step);
  assert_true(iteration < 60);
  return iteration + 1;
}

int soft_case_settle(soft_case* s) {
  double* origin = zeros(num_rows(s));
  newton n = {.s = s, .origin = origin, .elastic = 1, .slope = 1};
  int iterations = minimise(&n, &s->x[0][0]);
  free(origin);
  return iterations;
}

/* The explicit step: M (v - v0) + dt θv D v = -dt (gradient - load + (1 - θv) D v0). */
static void step_explicit(soft_case* s, double theta_v, double dt, double* v) {
  int rows = num_rows(s);
  double* gradient = zeros(rows);
  newton n = {.s = s,
              .y0 = v,
              .origin = &s->x[0][0],
              .mass = 1,
              .damping = dt,
              .theta_v = theta_v,
              .elastic = dt,
              .slope = 1};
  double *zero = zeros(rows), *rest = zeros(rows);
  cr_soft_output output = {.gradient = gradient};
  cr_soft_body_evaluate(&s->body, (const double(*)[3])s->x, &output);
  cr_bsm_multiply(&s->body.pattern, s->damping, v, rest);
  for (int i = 0; i < rows; i++) zero[i] = -dt * (gradient[i] - (&s->load[0][0])[i] + rest[i]);
  if (!s->has_factor || !s->is_factor_kept) {
    for (int k = 0; k < s->body.pattern.num_values; k++)
      s->values[k] = s->mass[k] + n.damping * theta_v * s->damping[k];
    assert_true(factor(s));
    s->has_factor = true;
  }
  solve(s, zero);
  for (int i = 0; i < rows; i++) v[i] += zero[i];
  free(gradient), free(zero), free(rest);
}

void soft_case_step(soft_case* s, soft_theta theta, double dt) {
  int rows = num_rows(s);
  double *v = zeros(rows), *v0 = zeros(rows), *origin = zeros(rows), *x = &s->x[0][0];
  memcpy(v0, s->v, sizeof(double) * (size_t)rows);
  memcpy(v, s->v, sizeof(double) * (size_t)rows);
  if (theta.q * theta.vq == 0) {
    assert_true(theta.q == 0);
    step_explicit(s, theta.v, dt, v);
  } else {
    for (int i = 0; i < rows; i++) origin[i] = x[i] + theta.q * dt * (1 - theta.vq) * v0[i];
    newton n = {.s = s,
                .y0 = v0,
                .origin = origin,
                .mass = 1,
                .damping = dt,
                .theta_v = theta.v,
                .elastic = 1 / (theta.q * theta.vq),
                .slope = theta.q * theta.vq * dt};
    minimise(&n, v);
  }
  for (int i = 0; i < rows; i++) {
    x[i] += dt * (theta.vq * v[i] + (1 - theta.vq) * v0[i]);
    (&s->v[0][0])[i] = v[i];
  }
  free(v), free(v0), free(origin);
}

double soft_case_frequency(soft_case* s) {
  int rows = num_rows(s);
  cr_soft_output output = {.values = s->values, .stiffness_scale = 1};
  memset(s->values, 0, sizeof(double) * (size_t)s->body.pattern.num_values);
  cr_soft_body_evaluate(&s->body, (const double(*)[3])s->x, &output);
  assert_true(factor(s));
  double *u = zeros(rows), *Mu = zeros(rows), quotient = 0;
  for (int i = 0; i < rows; i++) u[i] = !s->is_fixed[i];
  for (int iteration = 0; iteration < 60; iteration++) {
    double norm = sqrt(form(s, s->mass, u, u));
    for (int i = 0; i < rows; i++) u[i] /= norm;
    cr_bsm_multiply(&s->body.pattern, s->mass, u, Mu);
    double* next = zeros(rows);
    memcpy(next, Mu, sizeof(double) * (size_t)rows);
    solve(s, next);
    quotient = 0;
    for (int i = 0; i < rows; i++) quotient += next[i] * Mu[i];
    memcpy(u, next, sizeof(double) * (size_t)rows);
    free(next);
  }
  free(u), free(Mu);
  return 1 / (2 * M_PI * sqrt(quotient));
}
