/* Free rigid bodies under the midpoint rule: a tumbling one keeps its invariants, one that spins
 * about its middle axis turns over when it should (the Dzhanibekov effect).
 *
 * With the Cayley map and the momentum balance in the body frame, one step multiplies the
 * body-frame angular momentum by the transposed rotation of the step, and the kinetic energy
 * changes by w_mid . (I w1 - I w0) = 0: both hold exactly, so only round-off is left. */
#include "math/quat.h"
#include "support/convergence.h"

#include <math.h>

#define TUMBLING                                                        \
  "<mujoco><option gravity='0 0 0'/><worldbody><body>"                  \
  "<freejoint name='root'/>"                                            \
  "<inertial pos='0.3 -0.2 0.1' mass='2' diaginertia='0.1 0.17 0.23'/>" \
  "</body></worldbody></mujoco>"

#define MIDDLE_AXIS                                      \
  "<mujoco><option gravity='0 0 0'/><worldbody><body>"   \
  "<freejoint/>"                                         \
  "<inertial pos='0 0 0' mass='1' diaginertia='1 2 3'/>" \
  "</body></worldbody></mujoco>"

/* --- Invariants ---------------------------------------------------------------------------------
 */

static const double INERTIA[3] = {0.1, 0.17, 0.23};
static const v3 COM = {0.3, -0.2, 0.1};

/* Kinetic energy of the rotation, and the spatial vectors of angular momentum about the centre of
 * mass and of the centre's velocity. */
typedef struct invariants {
  double energy;
  v3 L, velocity;
} invariants;

static invariants measure(const simulation* s) {
  m3 R = quat_to_m3(quat_load(s->q + 3));
  v3 w = v3_load(s->v + 3);
  v3 L = v3_make(INERTIA[0] * w.x, INERTIA[1] * w.y, INERTIA[2] * w.z);
  v3 spin = m3_mulv(&R, w), arm = m3_mulv(&R, COM);
  return (invariants){.energy = 0.5 * v3_dot(w, L),
                      .L = m3_mulv(&R, L),
                      .velocity = v3_add(v3_load(s->v), v3_cross(spin, arm))};
}

static void check_invariants(const invariants* now, const invariants* first) {
  double size = v3_norm(first->L);
  check_near(now->energy, first->energy, 1e-12 * first->energy);
  check_near(v3_norm(now->L), size, 1e-12 * size);
  check_near(v3_norm(v3_sub(now->L, first->L)), 0, 1e-12 * size);
  check_near(v3_norm(v3_sub(now->velocity, first->velocity)), 0, 1e-12 * v3_norm(first->velocity));
}

/* A million steps of 5 ms at 20 rad/s, about a centre of mass that moves and is not the frame's
 * origin. Round-off of 1e-16 a step walks to 1e-13 in a million. */
static void test_tumbling_body_keeps_its_invariants(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 5e-3);
  simulation s = simulation_create(TUMBLING, &def);
  const double v[6] = {1, -2, 3, 3, 20, 1};
  simulation_set(&s, NULL, v);
  invariants first = measure(&s);
  for (int i = 0; i < check_repeats(1000); i++) {
    for (int k = 0; k < 1000; k++) simulation_step(&s);
    invariants now = measure(&s);
    check_invariants(&now, &first);
  }
  simulation_destroy(&s);
}

/* --- Turning over -------------------------------------------------------------------------------
 */

/* The rate of growth is 1/sqrt(3) 1/s, so that errors of about t (w dt)^4 / 80 grow a hundredfold
 * until the first turn at 8 s: 3e-11 at dt = 1 ms. The numbers, from two independent integrators,
 * have ten digits: 5e-11. */
static void test_middle_axis(void** state) {
  (void)state;
  static const double expected[2][3] = {{-0.8745734379, 0.4849961873, 0.5050012205},
                                        {-0.0058138370, -1.0000330991, 0.0088279990}};
  static const double v[6] = {0, 0, 0, 0.01, 1, 0.01};
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  simulation a = simulation_create(MIDDLE_AXIS, &def);
  def.dt *= 0.5;
  simulation b = simulation_create(MIDDLE_AXIS, &def);
  simulation_set(&a, NULL, v);
  simulation_set(&b, NULL, v);
  for (int i = 0; i < 2; i++) {
    double w[3];
    simulation_run_until(&a, 10 * (i + 1));
    simulation_run_until(&b, 10 * (i + 1));
    convergence_extrapolate(a.v + 3, b.v + 3, 3, w);
    check_near_array(w, expected[i], 3, 8e-11);
  }
  simulation_destroy(&a);
  simulation_destroy(&b);
}

static double middle_axis_error(const carom_sim_def* def) {
  static const double expected[3] = {-0.8745734379, 0.4849961873, 0.5050012205};
  static const double v[6] = {0, 0, 0, 0.01, 1, 0.01};
  simulation s = simulation_create(MIDDLE_AXIS, def);
  simulation_set(&s, NULL, v);
  simulation_run_until(&s, 10);
  double error = v3_norm(v3_sub(v3_load(s.v + 3), v3_load(expected)));
  simulation_destroy(&s);
  return error;
}

static void test_orders(void** state) {
  (void)state;
  check_orders_of_schemes(0.01, 4, middle_axis_error);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tumbling_body_keeps_its_invariants),
      cmocka_unit_test(test_middle_axis),
      cmocka_unit_test(test_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
