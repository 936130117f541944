/* Published robot models against reference values that other programs computed. */
#include "support/mechanism.h"

#include <glob.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One state of one model, with arrays for what is compared. */
typedef struct fixture {
  mechanism* m;
  const json_t* oracle;
  const json_t* state;
  const char* name;
  double *q, *v, *u;     /* interface and internal velocities */
  double *M, *expected;  /* [num_v, num_v] */
  double *x, *y, *z, *w; /* [num_v] */
} fixture;

static double* new_array(int count) {
  double* array = calloc((size_t)count + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

static fixture* fixture_create(const json_t* oracle, const char* name, bool keep_free_origin) {
  fixture* f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->m = mechanism_create_from_oracle(oracle, keep_free_origin);
  f->oracle = oracle;
  f->name = name;
  int nv = f->m->model.num_v, nq = f->m->model.num_q;
  f->q = new_array(nq);
  f->v = new_array(nv), f->u = new_array(nv);
  f->x = new_array(nv), f->y = new_array(nv), f->z = new_array(nv), f->w = new_array(nv);
  f->M = new_array(nv * nv), f->expected = new_array(nv * nv);
  return f;
}

static void fixture_destroy(fixture* f) {
  double* const arrays[] = {f->q, f->v, f->u, f->x, f->y, f->z, f->w, f->M, f->expected};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  mechanism_destroy(f->m);
  free(f);
}

static const json_t* get_field(const fixture* f, const char* key) {
  return json_object_get(f->state, key);
}

/* The model's gravity; zero where its flags switch it off. */
static v3 read_gravity(const fixture* f) {
  const json_t* option = json_object_get(f->oracle, "option");
  const int gravity_disabled = 128;
  double g[3];
  mechanism_read_numbers(json_object_get(option, "gravity"), g);
  bool is_off = json_integer_value(json_object_get(option, "disableflags")) & gravity_disabled;
  return is_off ? v3_zero() : v3_load(g);
}

static double max_abs(const double* x, int count) {
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

/* Fails with the model's name where a value is off by more than `tolerance`. */
static void compare(const fixture* f, const char* what, const double* actual,
                    const double* expected, int count, double tolerance) {
  for (int i = 0; i < count; i++) {
    if (fabs(actual[i] - expected[i]) <= tolerance) continue;
    fail_msg("%s: %s[%d] = %.17g, expected %.17g, off by %.3g", f->name, what, i, actual[i],
             expected[i], actual[i] - expected[i]);
  }
}

static void check_poses(const fixture* f) {
  int n = f->m->num_bodies;
  double *xpos = new_array(3 * n), *xquat = new_array(4 * n);
  mechanism_read_numbers(get_field(f, "xpos"), xpos);
  mechanism_read_numbers(get_field(f, "xquat"), xquat);
  for (int b = 0; b < n; b++) {
    pose X = mechanism_compute_body_pose(f->m, b);
    m3 R = quat_to_m3(quat_normalize(quat_load(xquat + 4 * b)));
    compare(f, "xpos", &X.p.x, xpos + 3 * b, 3, 1e-11);
    compare(f, "xquat (as a matrix)", X.R.m[0], R.m[0], 9, 1e-11);
  }
  free(xpos);
  free(xquat);
}

static void check_com(const fixture* f) {
  const cr_tree_model* model = &f->m->model;
  double mass = model->link_mass[0], expected[3];
  v3 moment = v3_scale(mass, f->m->kinematics.link_com[0]);
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_add_mass_moment(model, t, &f->m->kinematics, &mass, &moment);
  v3 com = v3_scale(1 / mass, moment);
  mechanism_read_numbers(get_field(f, "com"), expected);
  compare(f, "com", &com.x, expected, 3, 1e-11);
}

/* The angle of a rotation, or the distance, from the spring's rest to q. */
static double compute_spring_energy(const fixture* f) {
  const json_t *joints = json_object_get(f->oracle, "joints"), *joint, *tendon;
  double rest[256], energy = 0;
  assert_true(f->m->model.num_q <= 256);
  mechanism_read_numbers(json_object_get(f->oracle, "qpos_spring"), rest);
  size_t i;
  json_array_foreach(joints, i, joint) {
    double k = json_number_value(json_object_get(joint, "stiffness"));
    int at = f->m->model.joint_q_start[i];
    if (k == 0) continue;
    assert_true(f->m->model.joint_type[i] >= CAROM_JOINT_SLIDE);
    energy += 0.5 * k * (f->q[at] - rest[at]) * (f->q[at] - rest[at]);
  }
  json_array_foreach(json_object_get(f->oracle, "tendons"), i, tendon) {
    double k = json_number_value(json_object_get(tendon, "stiffness")), range[2];
    double length = json_number_value(json_array_get(get_field(f, "tendon_length"), i));
    mechanism_read_numbers(json_object_get(tendon, "springlength"), range);
    double stretch = length - fmax(range[0], fmin(range[1], length));
    energy += 0.5 * k * stretch * stretch;
  }
  return energy;
}

static void check_energies(const fixture* f) {
  double kinetic = mechanism_compute_kinetic_energy(f->m, f->u);
  double expected = json_number_value(get_field(f, "energy_kinetic"));
  compare(f, "energy_kinetic", &kinetic, &expected, 1, 1e-11 * fabs(expected));

  v3 gravity = read_gravity(f);
  double ground = f->m->model.link_mass[0] * v3_dot(gravity, f->m->kinematics.link_com[0]);
  double springs = compute_spring_energy(f);
  double potential = mechanism_compute_gravity_energy(f->m, gravity) - ground + springs;
  expected = json_number_value(get_field(f, "energy_potential"));
  double scale = fmax(fabs(expected), springs);
  compare(f, "energy_potential", &potential, &expected, 1, 1e-11 * fmax(1, scale));
}

/* y = the interface's mass matrix times x: velocity in, force out. */
static void multiply_interface(fixture* f, const double* x, double* y) {
  const cr_tree_model* model = &f->m->model;
  int n = model->num_v;
  double* u = f->w;
  memset(y, 0, sizeof *y * (size_t)n);
  for (int t = 0; t < model->num_trees; t++) cr_tree_to_internal(model, t, f->q, x, u);
  for (int c = 0; c < n; c++)
    for (int r = 0; r < n; r++) y[r] += f->M[r + n * c] * u[c];
  for (int t = 0; t < model->num_trees; t++) cr_tree_force_to_interface(model, t, f->q, y, y);
}

/* Entries relative to the diagonal: |M_ij| <= sqrt(M_ii M_jj). */
static void check_mass_matrix(fixture* f) {
  int n = f->m->model.num_v;
  mechanism_read_numbers(get_field(f, "M"), f->expected);
  for (int c = 0; c < n; c++) {
    memset(f->x, 0, sizeof *f->x * (size_t)n);
    f->x[c] = 1;
    multiply_interface(f, f->x, f->y);
    for (int r = 0; r < n; r++) {
      double scale = sqrt(fabs(f->expected[r + n * r] * f->expected[c + n * c]));
      compare(f, "M", &f->y[r], &f->expected[r + n * c], 1, 1e-11 * scale);
    }
  }
}

static void check_mass_products(fixture* f) {
  int n = f->m->model.num_v;
  size_t i;
  const json_t* pair;
  json_array_foreach(get_field(f, "M_products"), i, pair) {
    mechanism_read_numbers(json_object_get(pair, "x"), f->x);
    mechanism_read_numbers(json_object_get(pair, "Mx"), f->z);
    multiply_interface(f, f->x, f->y);
    compare(f, "M x", f->y, f->z, n, 1e-11 * max_abs(f->z, n));
  }
}

/* The interface's velocity is constant where its acceleration is zero; internally an anchor off the
 * origin then accelerates by R (w × (w × c)). */
static void compute_rest_acceleration(const fixture* f, double* a) {
  const cr_tree_model* model = &f->m->model;
  memset(a, 0, sizeof *a * (size_t)model->num_v);
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_acceleration_to_interface(model, t, f->q, f->u, a, a);
  for (int k = 0; k < model->num_v; k++) a[k] = -a[k];
}

static void check_bias(fixture* f) {
  const cr_tree_model* model = &f->m->model;
  int n = model->num_v;
  cr_tree_loads loads = {.gravity = read_gravity(f)};
  compute_rest_acceleration(f, f->x);
  mechanism_compute_inverse_dynamics(f->m, f->x, &loads, f->y);
  for (int t = 0; t < model->num_trees; t++) cr_tree_force_to_interface(model, t, f->q, f->y, f->y);
  mechanism_read_numbers(get_field(f, "qfrc_bias"), f->z);
  compare(f, "qfrc_bias", f->y, f->z, n, 1e-11 * fmax(1e-3, max_abs(f->z, n)));
}

/* Condition number of M in the 2-norm, after scaling to a unit diagonal. */
static double compute_condition(const fixture* f) {
  int n = f->m->model.num_v;
  double *A = new_array(n * n), *lambda = new_array(n);
  for (int c = 0; c < n; c++)
    for (int r = 0; r < n; r++)
      A[r + n * c] = f->M[r + n * c] / sqrt(f->M[r + n * r] * f->M[c + n * c]);
  assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, A, n, lambda), 0);
  double condition = lambda[n - 1] / lambda[0];
  free(A);
  free(lambda);
  return condition;
}

/* Each acceleration counts in units of the root of its diagonal entry of M, as in the kinetic
 * energy; the error allowed grows with the condition of M. */
static void check_acceleration(fixture* f) {
  const cr_tree_model* model = &f->m->model;
  int n = model->num_v;
  cr_tree_loads loads = {.gravity = read_gravity(f)};
  mechanism_read_numbers(get_field(f, "qfrc_passive"), f->x);
  for (int t = 0; t < model->num_trees; t++) cr_tree_force_to_internal(model, t, f->q, f->x, f->x);
  if (!mechanism_compute_forward_dynamics(f->m, f->x, NULL, &loads, f->y))
    fail_msg("%s: a pivot is not positive", f->name);
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_acceleration_to_interface(model, t, f->q, f->u, f->y, f->y);
  mechanism_read_numbers(get_field(f, "qacc_free"), f->z);
  for (int k = 0; k < n; k++) {
    double weight = sqrt(f->M[k + n * k]);
    f->y[k] *= weight, f->z[k] *= weight;
  }
  double condition = compute_condition(f);
  double tolerance = 1e-12 + 1e-15 * condition;
  compare(f, "qacc_free", f->y, f->z, n, tolerance * max_abs(f->z, n));
}

static void check_state(fixture* f) {
  const cr_tree_model* model = &f->m->model;
  assert_int_equal(mechanism_read_numbers(get_field(f, "qpos"), f->q), model->num_q);
  assert_int_equal(mechanism_read_numbers(get_field(f, "qvel"), f->v), model->num_v);
  for (int t = 0; t < model->num_trees; t++) {
    cr_tree_normalize(model, t, f->q);
    cr_tree_to_internal(model, t, f->q, f->v, f->u);
  }
  mechanism_update(f->m, f->q, f->u);
  mechanism_compute_mass_matrix(f->m, f->M);
  check_poses(f);
  check_com(f);
  check_energies(f);
  if (get_field(f, "M")) check_mass_matrix(f);
  if (get_field(f, "M_products")) check_mass_products(f);
  check_bias(f);
  check_acceleration(f);
}

static void check_model(const char* file, bool keep_free_origin) {
  json_error_t error;
  json_t* oracle = json_load_file(file, 0, &error);
  if (!oracle) fail_msg("%s:%d: %s", file, error.line, error.text);
  fixture* f = fixture_create(oracle, file, keep_free_origin);
  size_t i;
  json_array_foreach(json_object_get(oracle, "states"), i, f->state) check_state(f);
  fixture_destroy(f);
  json_decref(oracle);
}

static void check_models(const char* format, int expected_count) {
  char pattern[1200];
  snprintf(pattern, sizeof pattern, "%s/models/%s/*/oracle.json", check_shared_folder(), format);
  glob_t files;
  assert_int_equal(glob(pattern, 0, NULL, &files), 0);
  assert_true((int)files.gl_pathc >= expected_count);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    check_model(files.gl_pathv[i], false);
    check_model(files.gl_pathv[i], true);
  }
  globfree(&files);
}

static void test_mjcf(void** state) {
  (void)state;
  check_models("mjcf", 21);
}

static void test_urdf(void** state) {
  (void)state;
  check_models("urdf", 8);
}

static void test_sdf(void** state) {
  (void)state;
  check_models("sdf", 8);
}

int main(void) {
  if (!check_shared_folder()) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mjcf),
      cmocka_unit_test(test_urdf),
      cmocka_unit_test(test_sdf),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
