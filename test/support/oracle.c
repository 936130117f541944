/* Comparison with reference values: poses, centre of mass, mass matrix, bias, passive forces,
 * energies, accelerations, residuals of equalities, sensors, all to 1e-9 relative, or to what the
 * reference itself is good for. */
#include "support/oracle.h"

#include "math/quat.h"
#include "model/model.h"
#include "support/check.h"
#include "support/mechanism.h"

#include "carom/scene.h"
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
  double relative; /* of what inertias enter: 1e-9, or what those of the reference are good for */
  oracle_errors* errors;
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

/* Muscles' ranges of length, which the generator found by simulation to 5 %, replace our extremes.
 */
static void take_length_ranges(fixture* f) {
  size_t i;
  json_t* row;
  double* ranges = (double*)(uintptr_t)f->model->force.actuator_length_range;
  json_array_foreach(json_object_get(f->oracle, "actuators"), i, row) {
    if (strcmp(json_string_value(json_object_get(row, "gaintype")), "muscle") != 0) continue;
    double wanted[2];
    assert_int_equal(read_numbers(json_object_get(row, "lengthrange"), wanted), 2);
    for (int k = 0; k < 2; k++) {
      check_near(ranges[2 * i + (size_t)k], wanted[k], 0.05 * (wanted[1] - wanted[0]));
      ranges[2 * i + (size_t)k] = wanted[k];
    }
  }
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

/* The row of a quantity; sensors share one. */
static oracle_error* find_error(oracle_errors* errors, const char* what) {
  for (int i = 0; i < errors->count; i++)
    if (strcmp(errors->items[i].what, what) == 0) return &errors->items[i];
  assert_true(errors->count < ORACLE_MAX_QUANTITIES);
  oracle_error* added = &errors->items[errors->count++];
  *added = (oracle_error){.what = what};
  return added;
}

/* True for what follows from the configuration alone. */
static bool is_geometry(const char* what) {
  static const char* const NAMES[] = {"position", "quaternion", "site", "equality residual", NULL};
  for (int i = 0; NAMES[i]; i++)
    if (strcmp(NAMES[i], what) == 0) return true;
  return false;
}

/* Keeps the worst error, scaled such that RELATIVE is what `tolerance` allows, and the first that
 * is too large. */
static void compare(const fixture* f, const char* what, const double* actual,
                    const double* expected, int count, double tolerance) {
  double limit = is_geometry(what) ? RELATIVE : f->relative;
  oracle_error* error = find_error(f->errors, what);
  for (int i = 0; i < count; i++) {
    double relative = RELATIVE * fabs(actual[i] - expected[i]) / tolerance;
    if (!(relative <= error->worst)) error->worst = relative;
    if (relative <= limit || f->errors->failure[0]) continue;
    snprintf(f->errors->failure, sizeof f->errors->failure,
             "%s: %s[%d] = %.17g, expected %.17g: %.2g, at most %.2g is allowed", f->name, what, i,
             actual[i], expected[i], relative, limit);
  }
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

/* Large matrices are given by their diagonals and by three products. */
static void check_products(fixture* f) {
  int n = f->sizes.num_v;
  size_t k;
  json_t* pair;
  double *x = new_array((size_t)n), *expected = new_array((size_t)n);
  double *actual = new_array((size_t)n), *diagonal = new_array((size_t)n);
  for (int i = 0; i < n; i++) diagonal[i] = f->M[i + n * i];
  read_field(f, "M_diag", expected);
  compare(f, "M", diagonal, expected, n, RELATIVE * max_abs(expected, n));
  json_array_foreach(json_object_get(f->state, "M_products"), k, pair) {
    assert_int_equal(read_numbers(json_object_get(pair, "x"), x), n);
    assert_int_equal(read_numbers(json_object_get(pair, "Mx"), expected), n);
    for (int i = 0; i < n; i++) {
      actual[i] = 0;
      for (int j = 0; j < n; j++) actual[i] += f->M[i * n + j] * x[j];
    }
    compare(f, "M", actual, expected, n, RELATIVE * max_abs(expected, n));
  }
  free(x), free(expected), free(actual), free(diagonal);
}

/* Entries relative to the diagonal: |M_ij| <= sqrt(M_ii M_jj). */
static void check_mass_matrix(fixture* f) {
  int n = f->sizes.num_v;
  carom_dynamics_compute_mass_matrix(f->dynamics, f->M);
  if (!json_object_get(f->state, "M")) {
    check_products(f);
    return;
  }
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
  /* Far below what may be, where the inertias of both are the same. */
  double share = f->relative > RELATIVE ? RELATIVE : 1e-13;
  double tolerance = share * compute_condition(f) + 1e-12;
  compare(f, key, a, expected, n, tolerance * max_abs(expected, n));
  free(a);
}

/* Relative to the largest number of a reading; the sign of a quaternion is free. The values of SDF
 * files have no readings. */
static void check_sensors(fixture* f) {
  carom_error error;
  if (f->sizes.num_sensors == 0 || !json_object_get(f->oracle, "sensors")) return;
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
    compare(f, "sensors", a, e, sensor.dim, RELATIVE * fmax(1e-3, max_abs(e, sensor.dim)));
  }
  free(readings), free(expected);
}

/* A point of a body in the world. */
static v3 find_anchor(const fixture* f, int equality, int which) {
  const cr_equality_model* e = &f->model->equality;
  const double* body = f->x + 7 * f->model->body.link_body[e->link[2 * equality + which]];
  v3 local = v3_load(e->anchor + 6 * equality + 3 * which);
  return v3_add(v3_load(body), quat_rotate(quat_load(body + 3), local));
}

/* The coordinate of joint `which` beyond its reference; 0 where there is none. */
static double find_coordinate(const fixture* f, const double* q, int equality, int which) {
  int joint = f->model->equality.joint[2 * equality + which];
  if (joint < 0) return 0;
  return q[f->model->tree.joint_q_start[joint]] - f->model->tree.joint_reference[joint];
}

/* Of connects and couplings of joints, in the order of the reference's rows; poses stand in x. */
static void check_residuals(fixture* f, const double* q) {
  const cr_equality_model* e = &f->model->equality;
  const json_t* rows = json_object_get(f->state, "equality_residual");
  carom_dynamics_compute_poses(f->dynamics, f->x);
  for (size_t r = 0; r < json_array_size(rows);) {
    double pair[2], actual[3], expected[3];
    read_numbers(json_array_get(rows, r), pair);
    int i = (int)pair[0], type = e->type[i], count = type == CAROM_EQUALITY_CONNECT ? 3 : 1;
    for (int k = 0; k < count; k++, r++) {
      read_numbers(json_array_get(rows, r), pair);
      expected[k] = pair[1];
    }
    if (type == CAROM_EQUALITY_CONNECT) {
      v3_store(v3_sub(find_anchor(f, i, 0), find_anchor(f, i, 1)), actual);
    } else if (type == CAROM_EQUALITY_JOINT) {
      double x = find_coordinate(f, q, i, 1), power = 1, sum = 0;
      for (int k = 0; k < 5; k++, power *= x) sum += e->polynomial[5 * i + k] * power;
      actual[0] = find_coordinate(f, q, i, 0) - sum;
    } else {
      continue;
    }
    compare(f, "equality residual", actual, expected, count, RELATIVE);
  }
}

/* A vector of the reference against ours, relative to its largest entry; nothing where the
 * reference does not have it. */
static void check_vector(fixture* f, const char* key, const double* actual, int count) {
  double* expected = new_array((size_t)count);
  int found = read_numbers(json_object_get(f->state, key), expected);
  if (found > 0) {
    assert_int_equal(found, count);
    compare(f, key, actual, expected, count, RELATIVE * fmax(1e-3, max_abs(expected, count)));
  }
  free(expected);
}

/* Sparse rows over the interface's velocities. */
static void check_moments(fixture* f) {
  size_t n = (size_t)f->sizes.num_v, na = (size_t)f->sizes.num_actuators, i, k;
  double *moment = new_array(n * na), *expected = new_array(n * na);
  json_t *row, *dof;
  json_array_foreach(json_object_get(f->state, "actuator_moment"), i, row) {
    const json_t* values = json_object_get(row, "val");
    json_array_foreach(json_object_get(row, "dof"), k, dof)
        expected[i * n + (size_t)json_integer_value(dof)] =
            json_number_value(json_array_get(values, k));
  }
  carom_dynamics_compute_actuator_moment(f->dynamics, moment);
  compare(f, "actuator_moment", moment, expected, (int)(n * na),
          RELATIVE * fmax(1e-3, max_abs(expected, (int)(n * na))));
  free(moment), free(expected);
}

static void check_lines(fixture* f) {
  int nt = f->sizes.num_tendons, na = f->sizes.num_actuators, num_act = f->sizes.num_activations;
  double *length = new_array((size_t)(nt + na)), *rate = new_array((size_t)(nt + na));
  double *force = new_array((size_t)na), *rates = new_array((size_t)num_act);
  carom_dynamics_compute_tendons(f->dynamics, length, rate);
  check_vector(f, "tendon_length", length, nt);
  check_vector(f, "tendon_velocity", rate, nt);
  carom_dynamics_compute_actuators(f->dynamics, length, rate, force);
  check_vector(f, "actuator_length", length, na);
  check_vector(f, "actuator_velocity", rate, na);
  check_vector(f, "actuator_force", force, na);
  carom_dynamics_compute_activation_rates(f->dynamics, rates);
  check_vector(f, "act_dot", rates, num_act);
  if (json_object_get(f->state, "actuator_moment")) check_moments(f);
  free(length), free(rate), free(force), free(rates);
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
  double* act = new_array((size_t)f->sizes.num_activations);
  assert_int_equal(read_numbers(json_object_get(f->state, "act"), act), f->sizes.num_activations);
  check_ok(carom_dynamics_set_activations(f->dynamics, act, &error), &error);
  free(act);
  check_poses(f);
  check_sites(f);
  check_residuals(f, q);
  check_com_and_energies(f);
  check_mass_matrix(f);
  check_forces(f);
  check_lines(f);
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

carom_model* oracle_load(const char* folder, const char* name, const carom_load_def* def,
                         carom_error* error) {
  static const char TAG[] = "drake:rotor_inertia";
  char path[2048];
  carom_model* model = NULL;
  oracle_find_model(folder, name, path, sizeof path);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  char* text = calloc(1, 1 << 22);
  assert_non_null(text);
  size_t length = fread(text, 1, (1 << 22) - 1, file);
  fclose(file);
  bool has_tag = strstr(text, TAG) != NULL;
  for (char* at = text; (at = strstr(at, TAG)); at++)
    memcpy(at, "drake:left_out_here", sizeof TAG - 1);
  carom_status status = has_tag ? carom_model_load_string(text, length, path, def, &model, error)
                                : carom_model_load(path, def, &model, error);
  free(text);
  return status == CAROM_OK ? model : NULL;
}

/* Adds to a link what a body's tables have more than the model. */
static void correct_inertia(carom_model* model, int body, const json_t* row) {
  double table[6];
  double* inertia = (double*)(uintptr_t)model->tree.link_inertia + 6 * model->body.link[body];
  mechanism_read_numbers(json_object_get(row, "inertia"), table);
  for (int k = 0; k < 6; k++) table[k] -= model->body.inertia[6 * body + k];
  m3 more = m3_symmetric(table), turned = m3_congruence(&model->body.local[body].R, &more);
  const double parts[6] = {turned.m[0][0], turned.m[1][1], turned.m[2][2],
                           turned.m[0][1], turned.m[0][2], turned.m[1][2]};
  for (int k = 0; k < 6; k++) inertia[k] += parts[k];
}

void oracle_take_inertias(const char* folder, const char* name, carom_model* model) {
  fixture f = fixture_create(folder, name, model);
  const json_t* bodies = json_object_get(f.oracle, "bodies");
  assert_int_equal(json_array_size(bodies), model->body.num_bodies);
  for (int b = 1; b < model->body.num_bodies; b++)
    if (model->body.link[b] > 0) correct_inertia(model, b, json_array_get(bodies, (size_t)b));
  fixture_destroy(&f);
}

void oracle_measure(const char* folder, const char* name, carom_model* model, double relative,
                    oracle_errors* errors) {
  fixture f = fixture_create(folder, name, model);
  f.relative = relative;
  f.errors = errors;
  *errors = (oracle_errors){0};
  const json_t* states = json_object_get(f.oracle, "states");
  take_length_ranges(&f);
  assert_true(json_array_size(states) >= 5);
  for (size_t k = 0; k < json_array_size(states); k++) {
    f.state = json_array_get(states, k);
    check_state(&f);
  }
  fixture_destroy(&f);
}
