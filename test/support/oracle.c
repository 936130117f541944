/* Comparison with reference values: poses, centre of mass, mass matrix, bias, passive forces,
 * energies, accelerations, all to 1e-9 relative. */
#include "support/oracle.h"

#include "math/quat.h"
#include "support/check.h"

#include "carom/sensor.h"

#include <jansson.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELATIVE 1e-9

typedef struct fixture {
  const char* name;
  json_t* oracle;
  const json_t* state;
  carom_model* model;
  carom_model_sizes sizes;
  carom_dynamics* dynamics;
  double *M, *x, *y; /* [num_v, num_v], and [num_v^2 + 7 num_bodies] each */
} fixture;

static double* new_array(size_t count) {
  double* array = calloc(count + 1, sizeof *array);
  assert_non_null(array);
  return array;
}

static fixture fixture_create(const char* folder, const char* name, carom_model* model) {
  char path[1200];
  carom_error error;
  json_error_t json_error;
  fixture f = {.name = name, .model = model};
  snprintf(path, sizeof path, "%s/%s/oracle.json", folder, name);
  f.oracle = json_load_file(path, 0, &json_error);
  if (!f.oracle) fail_msg("%s: %s", path, json_error.text);
  check_ok(carom_dynamics_create(f.model, NULL, &f.dynamics, &error), &error);
  f.sizes = carom_model_get_sizes(f.model);
  size_t n = (size_t)f.sizes.num_v, room = n * n + 7 * (size_t)f.sizes.num_bodies;
  f.M = new_array(n * n), f.x = new_array(room), f.y = new_array(room);
  return f;
}

static void fixture_destroy(fixture* f) {
  free(f->M), free(f->x), free(f->y);
  carom_dynamics_destroy(f->dynamics);
  json_decref(f->oracle);
}

/* Numbers of a field of the state, whatever the nesting; returns how many. */
static int read_numbers(const json_t* value, double* out) {
  if (json_is_number(value)) {
    *out = json_number_value(value);
    return 1;
  }
  int count = 0;
  for (size_t i = 0; i < json_array_size(value); i++)
    count += read_numbers(json_array_get(value, i), out + count);
  return count;
}

static double* read_field(const fixture* f, const char* key, double* out) {
  if (read_numbers(json_object_get(f->state, key), out) == 0)
    fail_msg("%s: the reference has no %s", f->name, key);
  return out;
}

static double max_abs(const double* x, int count) {
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

static void compare(const fixture* f, const char* what, const double* actual,
                    const double* expected, int count, double tolerance) {
  for (int i = 0; i < count; i++)
    if (!(fabs(actual[i] - expected[i]) <= tolerance))
      fail_msg("%s: %s[%d] = %.17g, expected %.17g within %.3g", f->name, what, i, actual[i],
               expected[i], tolerance);
}

/* --- Comparisons --------------------------------------------------------------------------------
 */

/* The sign of a quaternion is free. */
static void check_poses(fixture* f) {
  int n = f->sizes.num_bodies;
  double *xpos = new_array(3 * (size_t)n), *xquat = new_array(4 * (size_t)n);
  carom_dynamics_compute_poses(f->dynamics, f->x);
  read_field(f, "xpos", xpos);
  read_field(f, "xquat", xquat);
  for (int b = 0; b < n; b++) {
    double *q = f->x + 7 * b + 3, *e = xquat + 4 * b;
    double sign = q[0] * e[0] + q[1] * e[1] + q[2] * e[2] + q[3] * e[3] < 0 ? -1 : 1;
    for (int k = 0; k < 4; k++) e[k] *= sign;
    compare(f, "position", f->x + 7 * b, xpos + 3 * b, 3, RELATIVE);
    compare(f, "quaternion", q, e, 4, RELATIVE);
  }
  free(xpos), free(xquat);
}

/* Sites stand on their bodies. */
static void check_sites(fixture* f) {
  double* poses = new_array(7 * (size_t)f->sizes.num_sites);
  carom_dynamics_compute_poses(f->dynamics, f->x);
  carom_dynamics_compute_site_poses(f->dynamics, poses);
  for (int i = 0; i < f->sizes.num_sites; i++) {
    carom_site_info site = carom_model_get_site(f->model, i);
    const double* body = f->x + 7 * site.body;
    quat turn = quat_load(body + 3), own = quat_load(site.quaternion);
    double expected[7];
    v3 p = v3_add(v3_load(body), quat_rotate(turn, v3_load(site.position)));
    quat q = quat_mul(turn, own), actual = quat_load(poses + 7 * i + 3);
    double sign = q.w * actual.w + q.x * actual.x + q.y * actual.y + q.z * actual.z < 0 ? -1 : 1;
    v3_store(p, expected);
    quat_store((quat){sign * q.w, sign * q.x, sign * q.y, sign * q.z}, expected + 3);
    compare(f, "site", poses + 7 * i, expected, 7, RELATIVE);
  }
  free(poses);
}

static void check_com_and_energies(fixture* f) {
  double com[3], expected[3], energy[2], reference[2];
  carom_dynamics_compute_com(f->dynamics, com);
  compare(f, "com", com, read_field(f, "com", expected), 3, RELATIVE);
  carom_dynamics_compute_energy(f->dynamics, &energy[0], &energy[1]);
  read_field(f, "energy_kinetic", &reference[0]);
  read_field(f, "energy_potential", &reference[1]);
  for (int k = 0; k < 2; k++)
    compare(f, k ? "potential energy" : "kinetic energy", &energy[k], &reference[k], 1,
            RELATIVE * fmax(1e-3, fabs(reference[k])));
}

/* Entries relative to the diagonal: |M_ij| <= sqrt(M_ii M_jj). */
static void check_mass_matrix(fixture* f) {
  int n = f->sizes.num_v;
  carom_dynamics_compute_mass_matrix(f->dynamics, f->M);
  const double* expected = read_field(f, "M", f->x);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double scale = sqrt(expected[i + n * i] * expected[j + n * j]);
      compare(f, "M", &f->M[i + n * j], &expected[i + n * j], 1, RELATIVE * scale);
    }
}

static void check_forces(fixture* f) {
  int n = f->sizes.num_v;
  const double* expected = read_field(f, "qfrc_bias", f->x);
  carom_dynamics_compute_bias(f->dynamics, f->y);
  compare(f, "bias", f->y, expected, n, RELATIVE * fmax(1e-3, max_abs(expected, n)));
  read_field(f, "qfrc_passive", f->x);
  carom_dynamics_compute_passive(f->dynamics, f->y);
  compare(f, "passive", f->y, expected, n, RELATIVE * fmax(1e-3, max_abs(expected, n)));
  if (!json_object_get(f->state, "qfrc_actuator")) return;
  read_field(f, "qfrc_actuator", f->x);
  carom_dynamics_compute_actuation(f->dynamics, f->y);
  compare(f, "actuation", f->y, expected, n, RELATIVE * fmax(1e-3, max_abs(expected, n)));
}

/* Condition number of M in the 2-norm, after scaling to a unit diagonal. */
static double compute_condition(const fixture* f) {
  int n = f->sizes.num_v;
  double *A = new_array((size_t)(n * n)), *lambda = new_array((size_t)n);
  for (int i = 0; i < n * n; i++)
    A[i] = f->M[i] / sqrt(f->M[(i / n) * (n + 1)] * f->M[(i % n) * (n + 1)]);
  assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, A, n, lambda), 0);
  double condition = lambda[n - 1] / lambda[0];
  free(A), free(lambda);
  return condition;
}

/* Each acceleration counts in units of the root of its diagonal entry of M, as in the kinetic
 * energy; the condition of M scales what 1e-9 of the forces may do. */
static void check_acceleration(fixture* f, const char* key, const double* force, bool all) {
  int n = f->sizes.num_v;
  carom_error error;
  double* a = new_array((size_t)n);
  check_ok(carom_dynamics_compute_forward(f->dynamics, force, all, a, &error), &error);
  double* expected = read_field(f, key, f->y);
  for (int k = 0; k < n; k++) {
    double weight = sqrt(f->M[k + n * k]);
    a[k] *= weight, expected[k] *= weight;
  }
  double tolerance = 1e-13 * compute_condition(f) + 1e-12;
  assert_true(tolerance < RELATIVE * compute_condition(f));
  compare(f, key, a, expected, n, tolerance * max_abs(expected, n));
  free(a);
}

/* Relative to the largest number of a reading; the sign of a quaternion is free. */
static void check_sensors(fixture* f) {
  carom_error error;
  if (f->sizes.num_sensors == 0) return;
  double *readings = new_array((size_t)f->sizes.num_readings),
         *expected = new_array((size_t)f->sizes.num_readings);
  assert_int_equal(read_numbers(json_object_get(f->state, "sensordata"), expected),
                   f->sizes.num_readings);
  check_ok(carom_dynamics_compute_sensors(f->dynamics, readings, &error), &error);
  for (int i = 0; i < f->sizes.num_sensors; i++) {
    carom_sensor_info sensor = carom_model_get_sensor(f->model, i);
    double *a = readings + sensor.address, *e = expected + sensor.address, dot = 0;
    bool is_quaternion =
        sensor.type == CAROM_SENSOR_FRAME_QUATERNION || sensor.type == CAROM_SENSOR_BALL_QUATERNION;
    for (int k = 0; k < sensor.dim; k++) dot += a[k] * e[k];
    for (int k = 0; k < sensor.dim && is_quaternion && dot < 0; k++) e[k] = -e[k];
    compare(f, sensor.name, a, e, sensor.dim, RELATIVE * fmax(1e-3, max_abs(e, sensor.dim)));
  }
  free(readings), free(expected);
}

static void check_state(fixture* f) {
  carom_error error;
  int n = f->sizes.num_v;
  double *q = new_array((size_t)f->sizes.num_q), *v = new_array((size_t)n);
  double *ctrl = new_array((size_t)f->sizes.num_actuators), *passive = new_array((size_t)n);
  assert_int_equal(read_numbers(json_object_get(f->state, "qpos"), q), f->sizes.num_q);
  assert_int_equal(read_numbers(json_object_get(f->state, "qvel"), v), n);
  const json_t* controls = json_object_get(f->state, "ctrl"); /* none: no actuators in the tables */
  if (json_array_size(controls))
    assert_int_equal(read_numbers(controls, ctrl), f->sizes.num_actuators);
  check_ok(carom_dynamics_set(f->dynamics, q, v, ctrl, &error), &error);
  check_poses(f);
  check_sites(f);
  check_com_and_energies(f);
  check_mass_matrix(f);
  check_forces(f);
  carom_dynamics_compute_passive(f->dynamics, passive);
  check_acceleration(f, "qacc_free", passive, false);
  if (json_object_get(f->state, "qacc_actuated"))
    check_acceleration(f, "qacc_actuated", NULL, true);
  check_sensors(f);
  free(q), free(v), free(ctrl), free(passive);
}

void oracle_find_model(const char* folder, const char* name, char* path, size_t size) {
  json_error_t json_error;
  snprintf(path, size, "%s/%s/oracle.json", folder, name);
  json_t* oracle = json_load_file(path, 0, &json_error);
  if (!oracle) fail_msg("%s: %s", path, json_error.text);
  snprintf(path, size, "%s/%s/%s", folder, name,
           json_string_value(json_object_get(oracle, "file")));
  json_decref(oracle);
}

void oracle_check_model(const char* folder, const char* name, const carom_load_def* def) {
  char path[2048];
  carom_model* model;
  carom_error error;
  oracle_find_model(folder, name, path, sizeof path);
  check_ok(carom_model_load(path, def, &model, &error), &error);
  oracle_check_loaded(folder, name, model);
  carom_model_destroy(model);
}

void oracle_check_loaded(const char* folder, const char* name, carom_model* model) {
  fixture f = fixture_create(folder, name, model);
  const json_t* states = json_object_get(f.oracle, "states");
  assert_true(json_array_size(states) >= 5);
  for (size_t k = 0; k < json_array_size(states); k++) {
    f.state = json_array_get(states, k);
    check_state(&f);
  }
  fixture_destroy(&f);
}
