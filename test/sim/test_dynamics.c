/* Identities between the quantities of a model, on random mechanisms and states: in the user's
 * coordinates, so that free bodies whose centre of mass is off their origin count. */
#include "support/check.h"
#include "support/memory.h"

#include "carom/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { num_cases = 60, max_nv = 64 };

/* --- Random models ------------------------------------------------------------------------------
 */

typedef struct random_model {
  check_random random;
  carom_builder* builder;
  carom_model* model;
  carom_dynamics* dynamics;
  carom_model_sizes sizes;
  double *q, *v, *ctrl;
} random_model;

static double uniform(random_model* m, double low, double high) {
  return check_random_uniform(&m->random, low, high);
}

static void draw(random_model* m, double* x, int n, double scale) {
  for (int i = 0; i < n; i++) x[i] = scale * check_random_normal(&m->random);
}

static carom_body add_body(random_model* m, carom_body parent) {
  carom_error error;
  carom_body_def def = carom_body_def_default();
  carom_body body;
  def.parent = parent;
  draw(m, def.position, 3, 0.4);
  draw(m, def.quaternion, 4, 1);
  def.mass = uniform(m, 0.5, 3);
  draw(m, def.com, 3, 0.1);
  for (int k = 0; k < 3; k++) def.inertia[k] = uniform(m, 0.02, 0.03);
  for (int k = 3; k < 6; k++) def.inertia[k] = uniform(m, -0.002, 0.002);
  check_ok(carom_builder_add_body(m->builder, &def, &body, &error), &error);
  return body;
}

/* @param spring springs, dampers and a motor where the joint can have them */
static void add_joint(random_model* m, carom_body body, carom_joint_type type, bool spring) {
  carom_error error;
  carom_joint_def def = carom_joint_def_default();
  carom_joint joint;
  def.body = body;
  def.type = type;
  draw(m, def.anchor, 3, 0.2);
  draw(m, def.axis, 3, 1);
  if (type != CAROM_JOINT_FREE && spring) {
    def.stiffness = uniform(m, 0, 5);
    def.damping = uniform(m, 0, 1);
    def.armature = uniform(m, 0, 0.1);
  }
  check_ok(carom_builder_add_joint(m->builder, &def, &joint, &error), &error);
  if (!spring || type == CAROM_JOINT_FREE || type == CAROM_JOINT_BALL) return;
  carom_actuator_def motor = carom_actuator_def_default();
  motor.joint = joint;
  motor.gear = uniform(m, 1, 3);
  motor.bias[1] = -uniform(m, 0, 2);
  motor.force_limited = true;
  motor.force_range[0] = -1, motor.force_range[1] = 1;
  check_ok(carom_builder_add_actuator(m->builder, &motor, NULL, &error), &error);
}

static void add_spring(random_model* m, carom_body body1, carom_body body2) {
  carom_error error;
  carom_spring_def def = carom_spring_def_default();
  def.body1 = body1, def.body2 = body2;
  draw(m, def.point1, 3, 0.3);
  draw(m, def.point2, 3, 0.3);
  def.stiffness = uniform(m, 1, 20);
  def.damping = uniform(m, 0, 2);
  check_ok(carom_builder_add_spring(m->builder, &def, NULL), &error);
}

typedef enum parts {
  PARTS_PLAIN,  /* no force but gravity */
  PARTS_SPRUNG, /* springs, dampers, armature, motors */
  PARTS_FLOAT,  /* plain, and nothing hangs on the ground */
} parts;

/* A free body, a floating tree of all kinds of joints, a chain on the ground. */
static void add_parts(random_model* m, parts which) {
  bool springs = which == PARTS_SPRUNG;
  carom_body none = {0}, single = add_body(m, none), base = add_body(m, none);
  add_joint(m, single, CAROM_JOINT_FREE, springs);
  add_joint(m, base, CAROM_JOINT_FREE, springs);
  carom_body bodies[8] = {single, base};
  for (int i = 2; i < 8; i++) {
    int above = i == 7 ? 6 : 1 + check_random_int(&m->random, 0, i - 2);
    bodies[i] = add_body(m, i == 6 && which != PARTS_FLOAT ? none : bodies[above]);
    int kind = check_random_int(&m->random, 0, 3);
    if (kind == 0) add_joint(m, bodies[i], CAROM_JOINT_BALL, springs);
    if (kind == 1 || kind == 3) add_joint(m, bodies[i], CAROM_JOINT_HINGE, springs);
    if (kind == 2 || kind == 3) add_joint(m, bodies[i], CAROM_JOINT_SLIDE, springs);
  }
  if (!springs) return;
  add_spring(m, none, bodies[3]);
  add_spring(m, single, bodies[7]);
  add_spring(m, bodies[4], bodies[2]);
}

static random_model random_model_create(int seed, parts which) {
  random_model m = {.random = {(uint64_t)seed}};
  carom_error error;
  carom_builder_def def = carom_builder_def_default();
  for (int k = 0; k < 3; k++) def.gravity[k] = uniform(&m, -10, 10);
  check_ok(carom_builder_create(&def, &m.builder, &error), &error);
  add_parts(&m, which);
  check_ok(carom_builder_compile(m.builder, &m.model, &error), &error);
  check_ok(carom_dynamics_create(m.model, NULL, &m.dynamics, &error), &error);
  m.sizes = carom_model_get_sizes(m.model);
  assert_in_range(m.sizes.num_v, 12, max_nv);
  m.q = calloc((size_t)m.sizes.num_q, sizeof(double));
  m.v = calloc((size_t)m.sizes.num_v, sizeof(double));
  m.ctrl = calloc((size_t)m.sizes.num_actuators + 1, sizeof(double));
  draw(&m, m.q, m.sizes.num_q, 1);
  draw(&m, m.v, m.sizes.num_v, 1);
  draw(&m, m.ctrl, m.sizes.num_actuators, 1);
  check_ok(carom_dynamics_set(m.dynamics, m.q, m.v, m.ctrl, &error), &error);
  return m;
}

static void random_model_destroy(random_model* m) {
  carom_dynamics_destroy(m->dynamics);
  carom_model_destroy(m->model);
  carom_builder_destroy(m->builder);
  free(m->q), free(m->v), free(m->ctrl);
}

static void turn(double* quat, const double* w, double dt) {
  double norm = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), half = 0.5 * dt * norm;
  double n = sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
  double c = cos(half) / n, s = norm > 0 ? sin(half) / norm / n : 0;
  double a[4] = {quat[0], quat[1], quat[2], quat[3]}, b[3] = {s * w[0], s * w[1], s * w[2]};
  quat[0] = a[0] * c - a[1] * b[0] - a[2] * b[1] - a[3] * b[2];
  quat[1] = a[0] * b[0] + a[1] * c + a[2] * b[2] - a[3] * b[1];
  quat[2] = a[0] * b[1] - a[1] * b[2] + a[2] * c + a[3] * b[0];
  quat[3] = a[0] * b[2] + a[1] * b[1] - a[2] * b[0] + a[3] * c;
}

/* The configuration after dt at constant velocity v, into q. */
static void advance(const random_model* m, const double* v, double dt, double* q) {
  memcpy(q, m->q, sizeof(double) * (size_t)m->sizes.num_q);
  for (int j = 0; j < m->sizes.num_joints; j++) {
    carom_joint_info info = carom_model_get_joint(m->model, j);
    double* qj = q + info.q_address;
    const double* vj = v + info.v_address;
    bool is_free = info.type == CAROM_JOINT_FREE;
    if (is_free || info.type == CAROM_JOINT_BALL) turn(qj + 3 * is_free, vj + 3 * is_free, dt);
    for (int k = 0; k < 3 && is_free; k++) qj[k] += dt * vj[k];
    if (!is_free && info.type != CAROM_JOINT_BALL) qj[0] += dt * vj[0];
  }
}

/* Places the model dt along the motion that starts at its state with acceleration a. */
static void place_at(random_model* m, const double* a, double dt) {
  double q[max_nv + 16], v[max_nv], mean[max_nv];
  for (int i = 0; i < m->sizes.num_v; i++) {
    v[i] = m->v[i] + dt * a[i];
    mean[i] = m->v[i] + 0.5 * dt * a[i];
  }
  advance(m, mean, dt, q);
  assert_int_equal(carom_dynamics_set(m->dynamics, q, v, m->ctrl, NULL), CAROM_OK);
}

static double max_abs(const double* x, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* --- Identities ---------------------------------------------------------------------------------
 */

static void test_inverse_of_forward(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_model m = random_model_create(seed, PARTS_SPRUNG);
    int n = m.sizes.num_v;
    double f[max_nv], a[max_nv], back[max_nv], other[max_nv];
    draw(&m, f, n, 1);
    assert_int_equal(carom_dynamics_compute_forward(m.dynamics, f, false, a, NULL), CAROM_OK);
    carom_dynamics_compute_inverse(m.dynamics, a, back);
    check_near_array(back, f, n, 1e-10 * fmax(1, max_abs(f, n)));

    /* All forces together. */
    assert_int_equal(carom_dynamics_compute_forward(m.dynamics, f, true, a, NULL), CAROM_OK);
    carom_dynamics_compute_inverse(m.dynamics, a, back);
    carom_dynamics_compute_passive(m.dynamics, other);
    for (int i = 0; i < n; i++) back[i] -= other[i];
    carom_dynamics_compute_actuation(m.dynamics, other);
    for (int i = 0; i < n; i++) back[i] -= other[i];
    check_near_array(back, f, n, 1e-9 * fmax(1, max_abs(f, n)));
    random_model_destroy(&m);
  }
}

/* M a + bias = inverse dynamics; M is symmetric; v M v / 2 is the kinetic energy. */
static void test_mass_matrix(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_model m = random_model_create(seed, PARTS_SPRUNG);
    int n = m.sizes.num_v;
    double M[max_nv * max_nv], bias[max_nv], column[max_nv], unit[max_nv] = {0}, kinetic, potential;
    carom_dynamics_compute_mass_matrix(m.dynamics, M);
    carom_dynamics_compute_bias(m.dynamics, bias);
    double scale = fmax(1, max_abs(bias, n)), energy = 0;
    for (int k = 0; k < n; k++) {
      unit[k] = 1;
      carom_dynamics_compute_inverse(m.dynamics, unit, column);
      unit[k] = 0;
      for (int i = 0; i < n; i++) check_near(M[i * n + k], column[i] - bias[i], 1e-13 * scale);
      for (int i = 0; i < n; i++) check_near(M[i * n + k], M[k * n + i], 1e-14 * scale);
      energy += 0.5 * m.v[k] * dot(M + k * n, m.v, n);
    }
    carom_dynamics_compute_energy(m.dynamics, &kinetic, &potential);
    check_near(kinetic, energy, 1e-13 * fmax(1, energy));
    random_model_destroy(&m);
  }
}

/* The point of a body, given in its frame, at the pose of the body. */
static void locate(random_model* m, int body, const double local[3], double point[3]) {
  double poses[7 * 16];
  carom_dynamics_compute_poses(m->dynamics, poses);
  const double *p = poses + 7 * body, *u = p + 4;
  double t[3] = {2 * (u[1] * local[2] - u[2] * local[1]), 2 * (u[2] * local[0] - u[0] * local[2]),
                 2 * (u[0] * local[1] - u[1] * local[0])};
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    point[k] = p[k] + local[k] + p[3] * t[k] + u[a] * t[b] - u[b] * t[a];
  }
}

/* J v is the velocity of the point, by central differences (error h² times third derivatives). */
static void test_jacobian_is_derivative(void** state) {
  (void)state;
  const double h = 1e-5;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_model m = random_model_create(seed, PARTS_SPRUNG);
    int n = m.sizes.num_v, body = check_random_int(&m.random, 1, m.sizes.num_bodies - 1);
    double J[3 * max_nv], zero[max_nv] = {0}, local[3], x[3], ends[2][3];
    draw(&m, local, 3, 0.5);
    locate(&m, body, local, x);
    carom_dynamics_compute_jacobian(m.dynamics, body, x, J, NULL);
    for (int k = 0; k < 2; k++) {
      place_at(&m, zero, k ? h : -h);
      locate(&m, body, local, ends[k]);
    }
    for (int k = 0; k < 3; k++) {
      double velocity = dot(J + k * n, m.v, n);
      check_near((ends[1][k] - ends[0][k]) / (2 * h), velocity, 1e-7 * fmax(1, fabs(velocity)));
    }
    random_model_destroy(&m);
  }
}

/* Two points of a body: their velocities differ by w × (x - y). */
static void test_angular_jacobian(void** state) {
  (void)state;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_model m = random_model_create(seed, PARTS_PLAIN);
    int n = m.sizes.num_v, body = check_random_int(&m.random, 1, m.sizes.num_bodies - 1);
    double J[2][3 * max_nv], W[3 * max_nv], x[2][3], v[2][3], w[3];
    for (int k = 0; k < 2; k++) {
      draw(&m, x[k], 3, 1);
      carom_dynamics_compute_jacobian(m.dynamics, body, x[k], J[k], W);
      for (int i = 0; i < 3; i++) v[k][i] = dot(J[k] + i * n, m.v, n);
    }
    for (int i = 0; i < 3; i++) w[i] = dot(W + i * n, m.v, n);
    for (int i = 0; i < 3; i++) {
      int a = (i + 1) % 3, b = (i + 2) % 3;
      double across = w[a] * (x[1][b] - x[0][b]) - w[b] * (x[1][a] - x[0][a]);
      check_near(v[1][i] - v[0][i], across, 1e-12 * fmax(1, fabs(across)));
    }
    random_model_destroy(&m);
  }
}

/* The total momentum is the mass times the velocity of the centre of mass. */
static void test_momentum_moves_com(void** state) {
  (void)state;
  const double h = 1e-5;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_model m = random_model_create(seed, PARTS_PLAIN);
    double zero[max_nv] = {0}, linear[3], angular[3], com[2][3], mass = 0;
    carom_dynamics_compute_momentum(m.dynamics, linear, angular);
    for (int k = 0; k < 2; k++) {
      place_at(&m, zero, k ? h : -h);
      mass = carom_dynamics_compute_com(m.dynamics, com[k]);
    }
    for (int k = 0; k < 3; k++)
      check_near(mass * (com[1][k] - com[0][k]) / (2 * h), linear[k],
                 1e-7 * fmax(1, max_abs(linear, 3)));
    random_model_destroy(&m);
  }
}

/* Kinetic and potential energy change by the power of motors and dampers. */
static void test_energy_balance(void** state) {
  (void)state;
  const double h = 1e-5;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_model m = random_model_create(seed, (parts)(seed % 2));
    int n = m.sizes.num_v;
    double a[max_nv], f[max_nv], rest[max_nv], zero[max_nv] = {0}, energy[2];
    assert_int_equal(carom_dynamics_compute_forward(m.dynamics, NULL, true, a, NULL), CAROM_OK);
    carom_dynamics_compute_actuation(m.dynamics, f);
    double power = dot(f, m.v, n);
    /* Dampers: the part of the passive forces that depends on the velocity. */
    carom_dynamics_compute_passive(m.dynamics, f);
    check_ok(carom_dynamics_set(m.dynamics, m.q, zero, m.ctrl, NULL), &(carom_error){0});
    carom_dynamics_compute_passive(m.dynamics, rest);
    power += dot(f, m.v, n) - dot(rest, m.v, n);
    for (int k = 0; k < 2; k++) {
      double kinetic, potential;
      place_at(&m, a, k ? h : -h);
      carom_dynamics_compute_energy(m.dynamics, &kinetic, &potential);
      energy[k] = kinetic + potential;
    }
    double scale = fmax(1, fmax(fabs(energy[0]), fabs(power)));
    check_near((energy[1] - energy[0]) / (2 * h), power, 2e-6 * scale * fmax(1, max_abs(a, n)));
    random_model_destroy(&m);
  }
}

/* Without the ground, momentum about the world's origin changes by m g and c × m g. */
static void test_momentum_balance(void** state) {
  (void)state;
  const double h = 1e-5;
  for (int seed = 1; seed <= num_cases; seed++) {
    random_model m = random_model_create(seed, PARTS_FLOAT);
    double a[max_nv], P[2][3], L[2][3], g[3], c[3];
    carom_model_get_gravity(m.model, g);
    double mass = carom_dynamics_compute_com(m.dynamics, c);
    assert_int_equal(carom_dynamics_compute_forward(m.dynamics, NULL, true, a, NULL), CAROM_OK);
    for (int k = 0; k < 2; k++) {
      place_at(&m, a, k ? h : -h);
      carom_dynamics_compute_momentum(m.dynamics, P[k], L[k]);
    }
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      double force = mass * g[k], moment = mass * (c[i] * g[j] - c[j] * g[i]);
      check_near((P[1][k] - P[0][k]) / (2 * h), force, 1e-5 * fmax(1, max_abs(a, m.sizes.num_v)));
      check_near((L[1][k] - L[0][k]) / (2 * h), moment, 1e-5 * fmax(1, max_abs(a, m.sizes.num_v)));
    }
    random_model_destroy(&m);
  }
}

/* Every allocation fails in turn; nothing is lost. */
static void test_out_of_memory(void** state) {
  (void)state;
  random_model m = random_model_create(1, PARTS_SPRUNG);
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  carom_status status = CAROM_ERROR_OUT_OF_MEMORY;
  for (int i = 0; status != CAROM_OK; i++) {
    carom_dynamics* d;
    memory = check_memory_make();
    memory.fail_at = i;
    status = carom_dynamics_create(m.model, &hooks, &d, NULL);
    assert_true(status == CAROM_OK || (status == CAROM_ERROR_OUT_OF_MEMORY && !d && i < 100));
    carom_dynamics_destroy(d);
    check_memory_expect_empty(&memory);
  }
  random_model_destroy(&m);
}

static void test_bad_state_is_refused(void** state) {
  (void)state;
  random_model m = random_model_create(1, PARTS_SPRUNG);
  carom_error error;
  m.v[3] = NAN;
  assert_int_equal(carom_dynamics_set(m.dynamics, m.q, m.v, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "state: v[3] is nan, must be finite");
  random_model_destroy(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inverse_of_forward),     cmocka_unit_test(test_mass_matrix),
      cmocka_unit_test(test_jacobian_is_derivative), cmocka_unit_test(test_angular_jacobian),
      cmocka_unit_test(test_momentum_moves_com),     cmocka_unit_test(test_energy_balance),
      cmocka_unit_test(test_momentum_balance),       cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_bad_state_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
