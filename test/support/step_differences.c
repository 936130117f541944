#include "support/step_differences.h"

#include "sim/sim.h"
#include "tree/coordinates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const carom_scheme step_schemes[4] = {CAROM_MIDPOINT, CAROM_SYMPLECTIC, CAROM_IMPLICIT,
                                      CAROM_EXPLICIT};

static double* push(int count) {
  double* x = calloc((size_t)count + 1, sizeof(double));
  assert_non_null(x);
  return x;
}

/* --- Tangents -----------------------------------------------------------------------------------
 */

/* q moved along a tangent of the interface. */
static void move(const carom_model* m, const double* q0, const double* tangent, double h,
                 double* q) {
  double* u = push(m->num_v);
  memcpy(q, q0, sizeof(double) * (size_t)m->num_q);
  for (int t = 0; t < m->tree.num_trees; t++) {
    cr_tree_to_internal(&m->tree, t, q0, tangent, u);
    cr_tree_advance(&m->tree, t, q0, u, h, 0.5, CR_ROTATION_CAYLEY, q);
  }
  for (int i = m->tree.num_v; i < m->num_v; i++) /* nodes of soft bodies */
    q[i - m->tree.num_v + m->tree.num_q] += h * tangent[i];
  free(u);
}

void step_differences_subtract(const carom_model* m, const double* q0, const double* q,
                               double* out) {
  double* u = push(m->num_v);
  for (int t = 0; t < m->tree.num_trees; t++) {
    cr_tree_compute_difference(&m->tree, t, q0, q, u);
    cr_tree_to_interface(&m->tree, t, q0, u, out);
  }
  for (int i = m->tree.num_v; i < m->num_v; i++) {
    int at = i - m->tree.num_v + m->tree.num_q;
    out[i] = q[at] - q0[at];
  }
  free(u);
}

/* --- Steps --------------------------------------------------------------------------------------
 */

typedef struct point {
  double *q, *v, *act, *ctrl;
} point;

static point create_point(const carom_model* m) {
  return (point){push(m->num_q), push(m->num_v), push(m->force.num_activations),
                 push(m->force.num_controls)};
}

static void destroy_point(point* p) { free(p->q), free(p->v), free(p->act), free(p->ctrl); }

static void copy(double* to, const double* from, int count) {
  memcpy(to, from, sizeof(double) * (size_t)count);
}

static void read_point(const step_differences* d, point* p) {
  copy(p->q, carom_sim_coordinates(d->sim), d->model->num_q);
  copy(p->v, carom_sim_velocities(d->sim), d->model->num_v);
  copy(p->act, carom_sim_activations(d->sim), d->model->force.num_activations);
  copy(p->ctrl, carom_sim_controls(d->sim), d->model->force.num_controls);
}

/* Puts the simulation at a point, all else as it was saved. */
static void place(const step_differences* d, const point* at) {
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  const double* q = d->keeps_memory ? NULL : at->q;
  assert_int_equal(carom_sim_set_state(d->sim, 0, q, at->v, NULL), 0);
  if (d->keeps_memory) copy(d->sim->q, at->q, d->model->num_q);
  carom_sim_forget_motion(d->sim);
  copy(carom_sim_activations(d->sim), at->act, d->model->force.num_activations);
  copy(carom_sim_controls(d->sim), at->ctrl, d->model->force.num_controls);
}

static void step(const step_differences* d, point* to) {
  carom_step_report report;
  assert_int_equal(carom_sim_step(d->sim, &report, NULL), 0);
  assert_int_equal(report.outcome, CAROM_STEP_DONE);
  int substeps = d->substeps ? d->substeps : 1;
  if (report.substeps != substeps)
    print_error("substeps %d first %d unexpl %g\n", report.substeps, report.first_outcome,
                report.unexplained);
  assert_int_equal(report.substeps, substeps);
  read_point(d, to);
}

void step_differences_move(const step_differences* d, int c, double h) {
  const carom_model* m = d->model;
  int nv = m->num_v;
  point at = create_point(m);
  double *tangent = push(nv), *q = push(m->num_q);
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  read_point(d, &at);
  copy(at.ctrl, d->u, d->num_u);
  if (c < nv) {
    tangent[c] = 1;
    move(m, at.q, tangent, h, q);
    copy(at.q, q, m->num_q);
  } else if (c < 2 * nv) {
    at.v[c - nv] += h;
  } else if (c < d->num_x) {
    at.act[c - 2 * nv] += h;
  } else {
    at.ctrl[c - d->num_x] += h;
  }
  place(d, &at);
  free(tangent), free(q), destroy_point(&at);
}

/* What a step from the saved state, moved along column c by h, is other than `end` [num_x]. */
static void probe(const step_differences* d, const point* end, int c, double h, double* x) {
  const carom_model* m = d->model;
  int nv = m->num_v;
  point to = create_point(m);
  step_differences_move(d, c, h);
  step(d, &to);
  step_differences_subtract(m, end->q, to.q, x);
  for (int i = 0; i < nv; i++) x[nv + i] = to.v[i] - end->v[i];
  for (int i = 2 * nv; i < d->num_x; i++) x[i] = to.act[i - 2 * nv] - end->act[i - 2 * nv];
  destroy_point(&to);
}

static void linearize(step_differences* d) {
  carom_error error;
  d->found = (carom_linearization){.A = d->A, .B = d->B};
  if (carom_sim_linearize(d->sim, &d->found, &error) != CAROM_OK) fail_msg("%s", error.message);
}

void step_differences_push(step_differences* d, double times, int steps) {
  double* v = push(d->model->num_v);
  for (int k = 0; k < d->model->num_v; k++) v[k] = times * carom_sim_velocities(d->sim)[k];
  assert_int_equal(carom_sim_set_state(d->sim, 0, d->model->q_reference, v, NULL), 0);
  for (int k = 0; k < steps; k++) assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
  free(v);
}

bool step_differences_has_kink(step_differences* d) {
  linearize(d);
  return d->found.num_kinks > 0;
}

void step_differences_save(step_differences* d) {
  free(d->state);
  d->size = carom_sim_state_size(d->sim);
  d->state = malloc(d->size);
  assert_non_null(d->state);
  carom_sim_save(d->sim, d->state);
  copy(d->u, carom_sim_controls(d->sim), d->num_u);
}

void step_differences_compute(step_differences* d, double h) {
  static const double NODE[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};
  point end = create_point(d->model);
  double* x = push(d->num_x);
  step_differences_save(d);
  linearize(d);
  step_differences_move(d, 0, 0);
  step(d, &end);
  for (int c = 0; c < d->num_x + d->num_u; c++) {
    double* to = c < d->num_x ? d->dA + c : d->dB + (c - d->num_x);
    int stride = c < d->num_x ? d->num_x : d->num_u;
    for (int i = 0; i < d->num_x; i++) to[i * stride] = 0;
    for (int k = 0; k < 4; k++) {
      probe(d, &end, c, NODE[k] * h, x);
      for (int i = 0; i < d->num_x; i++) to[i * stride] += WEIGHT[k] / (12 * h) * x[i];
    }
  }
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  copy(carom_sim_controls(d->sim), d->u, d->num_u);
  free(x), destroy_point(&end);
}

/* --- Comparison ---------------------------------------------------------------------------------
 */

/* What one unit of a row or column is worth as a velocity. */
static double unit(const step_differences* d, int i) {
  return i < d->model->num_v ? 1 / carom_sim_dt(d->sim) : 1;
}

static double compare(const step_differences* d, const double* found, const double* expected,
                      int columns, bool is_state) {
  double worst = 0;
  for (int c = 0; c < columns; c++) {
    double scale = 1;
    for (int i = 0; i < d->num_x; i++)
      scale = fmax(scale, fabs(unit(d, i) * expected[i * columns + c]));
    if (is_state && c < d->model->num_v) scale = fmax(scale, unit(d, c));
    for (int i = 0; i < d->num_x; i++) {
      double error = unit(d, i) * fabs(found[i * columns + c] - expected[i * columns + c]);
      worst = fmax(worst, isfinite(error) ? error / scale : INFINITY);
    }
  }
  return worst;
}

/* A row vector times a matrix, less what was found, relative to the sizes of the terms. */
static double compare_product(const double* x, const double* M, int rows, int columns,
                              const double* found) {
  double worst = 0;
  for (int c = 0; c < columns; c++) {
    double sum = 0, size = 1e-300;
    for (int i = 0; i < rows; i++) {
      sum += x[i] * M[i * columns + c];
      size += fabs(x[i] * M[i * columns + c]);
    }
    worst = fmax(worst, fabs(sum - found[c]) / fmax(size, 1e-6));
  }
  return worst;
}

/* Rows that repeat each other are told apart by traces of 1e-9 to 1e-11: so much of the digits
 * goes. */
void step_differences_expect_transpose(step_differences* d, const carom_linearization* wanted) {
  double *x1 = push(d->num_x), *x0 = push(d->num_x), *u = push(d->num_u);
  double* theta = push(1000);
  carom_vjp vjp = {.x0 = x0,
                   .u = u,
                   .theta = theta,
                   .smoothing = wanted->smoothing,
                   .parameters = wanted->parameters,
                   .num_parameters = wanted->num_parameters};
  carom_error error;
  int columns = 0;
  for (int i = 0; i < wanted->num_parameters; i++) columns += wanted->parameters[i].count;
  for (int i = 0; i < d->num_x; i++) x1[i] = check_random_normal(&d->random);
  if (carom_sim_compute_vjp(d->sim, x1, &vjp, &error) != CAROM_OK) fail_msg("%s", error.message);
  check_near(compare_product(x1, wanted->A, d->num_x, d->num_x, x0), 0, 1e-7);
  check_near(compare_product(x1, wanted->B, d->num_x, d->num_u, u), 0, 1e-7);
  if (wanted->C) check_near(compare_product(x1, wanted->C, d->num_x, columns, theta), 0, 1e-7);
  assert_int_equal(vjp.num_kinks, wanted->num_kinks);
  free(x1), free(x0), free(u), free(theta);
}

void step_differences_expect(step_differences* d, double h, double tolerance) {
  step_differences_compute(d, h);
  step_differences_expect_transpose(d, &d->found);
  d->worst =
      fmax(compare(d, d->A, d->dA, d->num_x, true), compare(d, d->B, d->dB, d->num_u, false));
  if (d->worst <= tolerance) return;
  for (int i = 0; i < d->num_x; i++)
    for (int c = 0; c < d->num_x + d->num_u; c++) {
      bool is_state = c < d->num_x;
      double a = is_state ? d->A[i * d->num_x + c] : d->B[i * d->num_u + c - d->num_x];
      double b = is_state ? d->dA[i * d->num_x + c] : d->dB[i * d->num_u + c - d->num_x];
      if (unit(d, i) * fabs(a - b) > tolerance)
        print_error("row %d column %d: %.12g, by differences %.12g\n", i, c, a, b);
    }
  fail_msg("derivatives are off by %g; %d kinks, the nearest %g; %d held", d->worst,
           d->found.num_kinks, d->found.nearest_kink, d->found.num_held);
}

/* --- Creation -----------------------------------------------------------------------------------
 */

carom_sim_def step_differences_def(carom_scheme scheme, carom_friction friction) {
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme, def.friction = friction, def.tolerance = 1e-13;
  def.solver = CAROM_SOLVER_IPM, def.recovery_speed = 1e3, def.sleep_share = 0;
  return def;
}

static void draw(step_differences* d) {
  const carom_model* m = d->model;
  double *q = push(m->num_q), *v = push(m->num_v), *tangent = push(m->num_v);
  for (int i = 0; i < m->num_v; i++) {
    tangent[i] = 0.5 * check_random_normal(&d->random);
    v[i] = check_random_normal(&d->random);
  }
  move(m, carom_sim_coordinates(d->sim), tangent, 1, q);
  assert_int_equal(carom_sim_set_state(d->sim, 0, q, v, NULL), 0);
  for (int i = 0; i < m->force.num_activations; i++)
    carom_sim_activations(d->sim)[i] = check_random_uniform(&d->random, -0.8, 0.8);
  for (int i = 0; i < m->force.num_controls; i++)
    carom_sim_controls(d->sim)[i] = check_random_uniform(&d->random, -0.8, 0.8);
  free(q), free(v), free(tangent);
}

step_differences step_differences_create(const char* text, const carom_sim_def* def, int seed) {
  return step_differences_of(scene_load(text), def, seed);
}

step_differences step_differences_of(carom_model* model, const carom_sim_def* def, int seed) {
  step_differences d = {.model = model, .random = {(uint64_t)seed}};
  carom_error error;
  if (carom_sim_create(d.model, def, &d.sim, &error) != CAROM_OK) fail_msg("%s", error.message);
  d.num_x = carom_model_get_num_x(d.model), d.num_u = d.model->force.num_controls;
  double** squares[] = {&d.A, &d.dA};
  d.u = push(d.num_u);
  double** inputs[] = {&d.B, &d.dB};
  for (int i = 0; i < 2; i++) {
    *squares[i] = push(d.num_x * d.num_x);
    *inputs[i] = push(d.num_x * d.num_u);
  }
  if (seed) draw(&d);
  return d;
}

void step_differences_destroy(step_differences* d) {
  free(d->A), free(d->B), free(d->dA), free(d->dB), free(d->state), free(d->u);
  carom_sim_destroy(d->sim);
  carom_model_destroy(d->model);
}

void step_differences_expect_all(const char* text, int seeds, double h, double tolerance) {
  for (int i = 0; i < 4; i++)
    for (int seed = 1; seed <= seeds; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13;
      step_differences d = step_differences_create(text, &def, seed);
      step_differences_expect(&d, h, tolerance);
      assert_int_equal(d.found.num_held, 0);
      step_differences_destroy(&d);
    }
}
