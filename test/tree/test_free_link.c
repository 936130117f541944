/* A tumbling free link by the midpoint rule in the body frame: what the Cayley update keeps. */
#include "support/mechanism.h"

#include <math.h>

static const double dt = 0.005;
static const double principal[3] = {0.1, 0.17, 0.23};

/* A link with its centre of mass off its frame's origin, spinning about it. */
static mechanism* create_spinner(void) {
  mechanism_def def;
  mechanism_def_init(&def);
  mechanism_body body = {.quaternion = {1, 0, 0, 0}, .mass = 2, .com = {0.1, -0.2, 0.05}};
  for (int i = 0; i < 3; i++) body.inertia[i] = principal[i];
  mechanism_joint joint = {.type = CAROM_JOINT_FREE};
  joint.body = mechanism_def_add_body(&def, &body);
  mechanism_def_add_joint(&def, &joint);
  mechanism* m = mechanism_create(&def);
  mechanism_def_destroy(&def);
  return m;
}

/* I (w - w0) + dt wm × I wm with wm = (w + w0)/2. */
static v3 compute_residual(const m3* I, v3 w0, v3 w) {
  v3 mean = v3_scale(0.5, v3_add(w, w0));
  return v3_axpy(m3_mulv(I, v3_sub(w, w0)), dt, v3_cross(mean, m3_mulv(I, mean)));
}

/* The angular velocity at the end of the step, by Newton to round-off. */
static v3 solve_step(const m3* I, v3 w0) {
  v3 w = w0;
  for (int iteration = 0; iteration < 4; iteration++) {
    v3 mean = v3_scale(0.5, v3_add(w, w0));
    m3 turn = m3_skew(mean), slope = m3_skew(m3_mulv(I, mean));
    m3 turned = m3_mul(&turn, I), J = *I;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) J.m[i][j] += 0.5 * dt * (turned.m[i][j] - slope.m[i][j]);
    w = v3_sub(w, m3_solve(&J, compute_residual(I, w0, w)));
  }
  return w;
}

typedef struct spin {
  double energy;
  v3 momentum;
} spin;

static spin measure(mechanism* m, const double* q, const double* v) {
  mechanism_update(m, q, v);
  sv h = cr_tree_compute_momentum(&m->model, 0, &m->kinematics, &m->velocities);
  return (spin){mechanism_compute_kinetic_energy(m, v), h.ang};
}

static void check_same_spin(spin actual, spin start, double tolerance) {
  double L = v3_norm(start.momentum);
  check_near(actual.energy, start.energy, tolerance * start.energy);
  check_near(v3_norm(actual.momentum), L, tolerance * L);
  check_near_array(&actual.momentum.x, &start.momentum.x, 3, tolerance * L);
}

/* Energy, the length of the momentum and its direction in the world, over a million steps. */
static void test_midpoint_keeps_energy_and_momentum(void** state) {
  (void)state;
  mechanism* m = create_spinner();
  m3 I = m3_diagonal(v3_load(principal));
  double q[7] = {1, 2, 3, 1, 0, 0, 0}, v[6] = {0, 0, 0, 3, 20, 1};
  spin start = measure(m, q, v);
  v3 com = m->kinematics.link_com[1];
  for (int step = 0; step < 1000000; step++) {
    v3 w0 = v3_load(v + 3), w = solve_step(&I, w0);
    v3_store(v3_scale(0.5, v3_add(w, w0)), v + 3);
    mechanism_advance(m, q, v, dt, q);
    v3_store(w, v + 3);
    if (step % 100 == 99) check_same_spin(measure(m, q, v), start, 1e-12);
  }
  // The centre of mass stayed where it was, though every step rounds it.
  check_near_array(&m->kinematics.link_com[1].x, &com.x, 3, 1e-11);
  mechanism_destroy(m);
}

/* The published update keeps the energy and ‖L‖, but L itself wanders in the world. */
static void test_linear_update_keeps_energy(void** state) {
  (void)state;
  mechanism* m = create_spinner();
  m3 I = m3_diagonal(v3_load(principal));
  double q[7] = {1, 2, 3, 1, 0, 0, 0}, v[6] = {0, 0, 0, 3, 20, 1};
  spin start = measure(m, q, v);
  double L = v3_norm(start.momentum), strayed = 0;
  for (int step = 0; step < 10000; step++) {
    v3 w0 = v3_load(v + 3), w = solve_step(&I, w0);
    v3_store(v3_scale(0.5, v3_add(w, w0)), v + 3);
    cr_tree_advance(&m->model, 0, q, v, dt, 0.5, CR_ROTATION_LINEAR, q);
    v3_store(w, v + 3);
    spin now = measure(m, q, v);
    strayed = fmax(strayed, v3_norm(v3_sub(now.momentum, start.momentum)));
  }
  spin end = measure(m, q, v);
  check_near(end.energy, start.energy, 1e-12 * start.energy);
  check_near(v3_norm(end.momentum), L, 1e-12 * L);
  assert_true(strayed > 1e-5 * L && strayed < 1e-2 * L);
  mechanism_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_midpoint_keeps_energy_and_momentum),
      cmocka_unit_test(test_linear_update_keeps_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
