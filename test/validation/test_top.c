/* A heavy top on a point: a free body whose tip is held by a three-row constraint, spinning fast.
 * Its constraint and gyroscopic forces together show the order of a linearised second stage: one
 * under the midpoint rule, two when it is linearised anew at its solution (relinearise = 1).
 *
 * The reference is Euler's equations about the tip, by the classical Runge-Kutta method. */
#include "math/quat.h"
#include "support/convergence.h"

#include <math.h>
#include <string.h>

#define G 9.81

/* 1 kg, no two moments alike, its centre 0.3 m above the tip. */
#define TOP                                                                   \
  "<mujoco><worldbody><body name='top' quat='0.9689124217 0.2474039593 0 0'>" \
  "<freejoint name='top'/>"                                                   \
  "<inertial pos='0 0 0.3' mass='1' diaginertia='0.02 0.025 0.012'/></body>"  \
  "</worldbody><equality><connect body1='top' anchor='0 0 0'/></equality></mujoco>"

static const double START_SPIN[6] = {0, 0, 0, 0.5, 1, 40};

/* --- Euler's equations --------------------------------------------------------------------------
 */

typedef struct top {
  double q[4]; /* orientation */
  double w[3]; /* rad/s, body frame */
} top;

/* I w' = -w x I w + c x Rᵀ (m g), all about the tip. */
static top differentiate(const top* x) {
  const double I[3] = {0.02 + 0.09, 0.025 + 0.09, 0.012};
  v3 w = v3_load(x->w), L = v3_make(I[0] * w.x, I[1] * w.y, I[2] * w.z);
  m3 R = quat_to_m3(quat_load(x->q)), Rt = m3_transpose(&R);
  v3 gravity = m3_mulv(&Rt, v3_make(0, 0, -G));
  v3 torque = v3_sub(v3_cross(v3_make(0, 0, 0.3), gravity), v3_cross(w, L));
  const double* q = x->q;
  return (top){.q = {0.5 * (-q[1] * w.x - q[2] * w.y - q[3] * w.z),
                     0.5 * (q[0] * w.x + q[2] * w.z - q[3] * w.y),
                     0.5 * (q[0] * w.y + q[3] * w.x - q[1] * w.z),
                     0.5 * (q[0] * w.z + q[1] * w.y - q[2] * w.x)},
               .w = {torque.x / I[0], torque.y / I[1], torque.z / I[2]}};
}

static top add(const top* x, double h, const top* d) {
  top sum = *x;
  for (int k = 0; k < 4; k++) sum.q[k] += h * d->q[k];
  for (int k = 0; k < 3; k++) sum.w[k] += h * d->w[k];
  return sum;
}

static top run_reference(top x, double time, int steps) {
  double h = time / steps;
  for (int i = 0; i < steps; i++) {
    top k1 = differentiate(&x), x2 = add(&x, 0.5 * h, &k1);
    top k2 = differentiate(&x2), x3 = add(&x, 0.5 * h, &k2);
    top k3 = differentiate(&x3), x4 = add(&x, h, &k3);
    top k4 = differentiate(&x4);
    x = add(&x, h / 6, &k1);
    x = add(&x, h / 3, &k2);
    x = add(&x, h / 3, &k3);
    x = add(&x, h / 6, &k4);
  }
  return x;
}

/* The top's axis and spin after a time. Fourth order: halving the step changes nothing at 1e-11. */
static void find_reference(const simulation* s, double time, double out[6]) {
  top x, y;
  memcpy(x.q, s->q + 3, sizeof x.q);
  memcpy(x.w, START_SPIN + 3, sizeof x.w);
  y = run_reference(x, time, 40000);
  x = run_reference(x, time, 20000);
  for (int k = 0; k < 3; k++) check_near(x.w[k], y.w[k], 1e-10);
  v3_store(quat_rotate(quat_load(y.q), v3_make(0, 0, 1)), out);
  memcpy(out + 3, y.w, sizeof y.w);
}

/* --- Order --------------------------------------------------------------------------------------
 */

/* Error of the axis after half a second. */
static double find_error(const carom_sim_def* def) {
  double expected[6];
  simulation s = simulation_create(TOP, def);
  simulation_set(&s, NULL, START_SPIN);
  find_reference(&s, 0.5, expected);
  simulation_run_until(&s, 0.5);
  v3 axis = quat_rotate(quat_load(s.q + 3), v3_make(0, 0, 1));
  double error = v3_norm(v3_sub(axis, v3_load(expected)));
  simulation_destroy(&s);
  return error;
}

static void test_order_with_relinearisation(void** state) {
  (void)state;
  for (int relinearise = 1; relinearise <= 2; relinearise++) {
    convergence_def def = {.sim = simulation_def(CAROM_MIDPOINT, 0.005),
                           .halvings = 5,
                           .order = 2,
                           .name = "midpoint, relinearised"};
    def.sim.relinearise = relinearise;
    check_order(&def, find_error);
  }
}

/* Where the tip is after each step. The constraint holds J v at the end of a step, with J of its
 * mid. With the next step's J the same v moves the tip by a dt²/2 more, a = |w x (w x c)|; and the
 * distance that is carried back from mid step to its start along J v misses a dt²/8. So with d =
 * 5/8 a dt² the distances follow x1 = x0/2 - x_/2 + d, which from rest overshoots to 11/8 d: to
 * 0.86 a dt². */
static void test_tip_stays(void** state) {
  (void)state;
  for (double dt = 4e-3; dt > 2e-4; dt *= 0.5) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
    def.relinearise = 1;
    simulation s = simulation_create(TOP, &def);
    simulation_set(&s, NULL, START_SPIN);
    double a = 0;
    for (int i = 0; i < 1000; i++) {
      v3 w = v3_load(s.v + 3), c = v3_make(0, 0, 0.3);
      a = fmax(a, v3_norm(v3_cross(w, v3_cross(w, c))));
      simulation_step(&s);
      check_near(v3_norm(v3_load(s.q)), 0, 0.86 * a * dt * dt);
    }
    simulation_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_with_relinearisation),
      cmocka_unit_test(test_tip_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
