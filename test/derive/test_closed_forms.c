/* Derivatives of trajectories, steps' chained, against what is known in closed form, and their
 * order under refinement. */
#include "support/scene.h"

#include "carom/derivatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trajectory with the derivative of its state over the first one, and over a parameter. */
typedef struct chain {
  carom_model* model;
  carom_sim* sim;
  carom_parameter parameter;
  int n;
  double *X, *P; /* [n, n] d x / d x0; [n] d x / d theta */
  double *A, *C, *next;
} chain;

static double* push(int count) {
  double* x = calloc((size_t)count + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static chain create_with(const char* text, carom_scheme scheme, double dt, const char* parameter,
                         carom_contact_timing contact) {
  chain c = {.model = scene_load(text)};
  carom_sim_def def = carom_sim_def_default();
  carom_error error;
  def.scheme = scheme, def.dt = dt, def.contact = contact, def.tolerance = 1e-12,
  def.sleep_share = 0;
  if (carom_sim_create(c.model, &def, &c.sim, &error) != CAROM_OK ||
      carom_builder_find_parameter(carom_model_get_description(c.model), parameter, &c.parameter,
                                   &error) != CAROM_OK)
    fail_msg("%s", error.message);
  c.parameter.count = 1;
  c.n = carom_model_get_num_x(c.model);
  c.X = push(c.n * c.n), c.A = push(c.n * c.n), c.next = push(c.n * c.n);
  c.P = push(c.n), c.C = push(c.n);
  for (int i = 0; i < c.n; i++) c.X[i * c.n + i] = 1;
  return c;
}

static chain create(const char* text, carom_scheme scheme, double dt, const char* parameter) {
  return create_with(text, scheme, dt, parameter, carom_sim_def_default().contact);
}

static void destroy(chain* c) {
  free(c->X), free(c->A), free(c->next), free(c->P), free(c->C);
  carom_sim_destroy(c->sim);
  carom_model_destroy(c->model);
}

/* y = A x + add, column by column. */
static void multiply(const chain* c, const double* x, int columns, const double* add, double* y) {
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < columns; k++) {
      double sum = add ? add[i * columns + k] : 0;
      for (int j = 0; j < c->n; j++) sum += c->A[i * c->n + j] * x[j * columns + k];
      y[i * columns + k] = sum;
    }
}

static void advance(chain* c, int steps) {
  size_t size = sizeof(double) * (size_t)c->n;
  for (int s = 0; s < steps; s++) {
    carom_linearization out = {
        .A = c->A, .C = c->C, .parameters = &c->parameter, .num_parameters = 1};
    carom_error error;
    if (carom_sim_linearize(c->sim, &out, &error) != CAROM_OK) fail_msg("%s", error.message);
    multiply(c, c->X, c->n, NULL, c->next);
    memcpy(c->X, c->next, size * (size_t)c->n);
    multiply(c, c->P, 1, c->C, c->next);
    memcpy(c->P, c->next, size);
    assert_int_equal(carom_sim_step(c->sim, NULL, NULL), 0);
  }
}

/* A block that slides on a floor: x = v0 t - mu g t²/2 until it stands, at v0² / (2 mu g). */
static void test_sliding_block(void** state) {
  (void)state;
  chain c =
      create("<mujoco><option timestep='0.001'/><worldbody>"
             "<geom name='floor' type='plane' size='5 5 1' friction='0.3'/>"
             "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/>"
             "<joint type='slide' axis='0 0 1'/>"
             "<geom type='box' size='0.1 0.1 0.1' friction='0.1'/></body></worldbody></mujoco>",
             CAROM_MIDPOINT, 0.001, "geom.floor.friction");
  const double v0 = 2, mu = 0.3, g = 9.81, v[2] = {v0, 0};
  assert_int_equal(carom_sim_set_state(c.sim, 0, NULL, v, NULL), 0);
  double t = 0.5 * v0 / (mu * g);
  int steps = (int)(t / 0.001);
  t = 0.001 * steps;
  advance(&c, steps);
  check_near(c.X[0 * c.n + 2], t, 1e-9);
  check_near(c.P[0], -0.5 * g * t * t, 1e-6);
  check_near(c.P[2], -g * t, 1e-6);
  /* At rest the place is that of the stop, whose step a derivative sees as it falls: to one dt. */
  advance(&c, (int)(1.2 * v0 / (mu * g) / 0.001) - steps);
  check_near(carom_sim_velocities(c.sim)[0], 0, 1e-9);
  check_near(c.X[0 * c.n + 2], v0 / (mu * g), 0.002);
  check_near(c.P[0], -v0 * v0 / (2 * mu * mu * g), 0.01);
  destroy(&c);
}

/* A ball sinks by m g / k. */
static void test_sink(void** state) {
  (void)state;
  chain c = create("<mujoco><option timestep='0.005'/><worldbody>"
                   "<geom name='floor' type='plane' size='5 5 1'/><body pos='0 0 0.1'>"
                   "<joint type='slide' axis='0 0 1'/><geom name='ball' size='0.1' mass='2'"
                   " carom:stiffness='5000' carom:dissipation='0.05'/></body></worldbody></mujoco>",
                   CAROM_MIDPOINT, 0.005, "geom.ball.stiffness");
  advance(&c, 400);
  check_near(carom_sim_coordinates(c.sim)[0], -2 * 9.81 / 5000, 1e-9);
  check_near(c.P[0], 2 * 9.81 / (5000.0 * 5000.0), 1e-12);
  check_near(c.X[0], 0, 1e-6);
  destroy(&c);
}

/* A ball on a spring of the floor, without loss, leaves it after half a period pi sqrt(m / k), at
 * the speed at which it came: later by so much it is lower. Steps meet and leave the floor at whole
 * ones, so that derivatives are right to their length. */
static void test_bounce(void** state) {
  (void)state;
  const double k = 1e4, m = 2, pi = 3.14159265358979323846, dt = 1e-5;
  chain c =
      create_with("<mujoco><option timestep='0.00001' gravity='0 0 0'/><worldbody>"
                  "<geom name='floor' type='plane' size='5 5 1'/><body pos='0 0 0.1005'>"
                  "<joint type='slide' axis='0 0 1'/><geom name='ball' size='0.1' mass='2'"
                  " carom:stiffness='1e4' carom:dissipation='0'/></body></worldbody></mujoco>",
                  CAROM_MIDPOINT, dt, "geom.ball.stiffness", CAROM_CONTACT_SCHEME);
  const double v[1] = {-1};
  assert_int_equal(carom_sim_set_state(c.sim, 0, NULL, v, NULL), 0);
  advance(&c, (int)(0.06 / dt));
  check_near(carom_sim_velocities(c.sim)[0], 1, 1e-3);
  double later = 0.5 * pi * sqrt(m) * pow(k, -1.5);
  check_near(c.P[0], later, 0.02 * later);
  destroy(&c);
}

static double transition(carom_scheme scheme, double dt) {
  chain c = create("<mujoco><option timestep='0.001'/><worldbody><body pos='0 0 1'>"
                   "<joint name='j' axis='0 1 0'/><inertial pos='0.5 0 0' mass='1'"
                   " diaginertia='0.01 0.01 0.01'/></body></worldbody></mujoco>",
                   scheme, dt, "joint.j.damping");
  const double v[1] = {1};
  assert_int_equal(carom_sim_set_state(c.sim, 0, NULL, v, NULL), 0);
  advance(&c, (int)(0.8 / dt + 0.5));
  double found = c.X[0];
  destroy(&c);
  return found;
}

/* The pendulum's variational equation by a scheme has the order of the scheme. */
static void test_order(void** state) {
  (void)state;
  static const struct {
    carom_scheme scheme;
    double order;
  } CASES[] = {{CAROM_MIDPOINT, 2}, {CAROM_IMPLICIT, 1}, {CAROM_SYMPLECTIC, 1}};
  double exact = (4 * transition(CAROM_MIDPOINT, 0.00025) - transition(CAROM_MIDPOINT, 0.0005)) / 3;
  for (int i = 0; i < 3; i++) {
    double coarse = transition(CASES[i].scheme, 0.004) - exact;
    double fine = transition(CASES[i].scheme, 0.002) - exact;
    check_near(log2(fabs(coarse / fine)), CASES[i].order, 0.1);
  }
}

/* Where a weight comes to rest that hangs from a tendon: r - m g / k, r the end of its slack. */
static void test_hanging_weight(void** state) {
  (void)state;
  static const char* const NAMES[] = {"tendon.t.rest", "tendon.t.stiffness", "body.w.mass"};
  const double g = 9.81, m = 2, k = 300, wanted[3] = {1, m * g / (k * k), -g / k};
  for (int i = 0; i < 3; i++) {
    chain c = create("<mujoco><worldbody><body name='w'><joint name='z' type='slide' axis='0 0 1'"
                     " damping='40'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>"
                     "</worldbody><tendon><fixed name='t' stiffness='300' springlength='-0.1 0.2'>"
                     "<joint joint='z' coef='1'/></fixed></tendon></mujoco>",
                     CAROM_IMPLICIT, 0.01, NAMES[i]);
    advance(&c, 400);
    assert_true(fabs(carom_sim_coordinates(c.sim)[0] - (-0.1 - m * g / k)) < 1e-10);
    assert_true(fabs(c.P[0] - wanted[i]) < 1e-9 * fabs(wanted[i]));
    assert_true(fabs(c.P[1]) < 1e-9);
    destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sliding_block),  cmocka_unit_test(test_sink),
      cmocka_unit_test(test_bounce),         cmocka_unit_test(test_order),
      cmocka_unit_test(test_hanging_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
