/* Stiff dampers: one mode is exact, several turn no sign, and none of them makes energy; see
 * docs/theory.md. */
#include "sim/tree/damping.h"
#include "support/check.h"
#include "support/scene.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const carom_scheme SCHEMES[] = {CAROM_EXPLICIT, CAROM_SYMPLECTIC, CAROM_IMPLICIT,
                                       CAROM_MIDPOINT};

/* A slide of 2 kg with a damper of dt d / m = z, by what damps it. */
static const char* const DAMPED[] = {
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0' "
    "damping='%.17g'/><geom size='.1' mass='2'/></body></worldbody></mujoco>",
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0'/>"
    "<geom size='.1' mass='2'/></body></worldbody><tendon><fixed damping='%.17g'><joint joint='j' "
    "coef='1'/></fixed></tendon></mujoco>",
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0'/>"
    "<geom size='.1' mass='2'/></body></worldbody><actuator><velocity joint='j' kv='%.17g'/>"
    "</actuator></mujoco>",
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0'/>"
    "<geom size='.1' mass='2'/></body></worldbody><actuator><velocity joint='j' kv='%.17g' "
    "forcerange='-1e9 1e9'/></actuator></mujoco>",
};

/* v1 / v0 = exp(-z) from z = 1 on under midpoint and explicit Euler, 1 / (1 + z) where the scheme
 * is implicit in v; between 0 and 1 always. */
static void test_one_mode(void** state) {
  (void)state;
  for (size_t form = 0; form < sizeof DAMPED / sizeof *DAMPED; form++)
    for (int s = 0; s < 4; s++)
      for (double z = 1e-3; z < 2e6; z *= 10) {
        char text[700];
        const double dt = 0.004;
        snprintf(text, sizeof text, DAMPED[form], 2 * z / dt);
        carom_sim_def def = world_def(dt, SCHEMES[s]);
        world w = world_create(text, &def);
        world_set(&w, NULL, (double[]){1.5});
        double energy = world_energy(&w);
        carom_step_report report = world_step(&w);
        double factor = world_v(&w)[0] / 1.5;
        bool is_implicit = SCHEMES[s] == CAROM_SYMPLECTIC || SCHEMES[s] == CAROM_IMPLICIT;
        if (z >= 1) check_near(factor, is_implicit ? 1 / (1 + z) : exp(-z), 1e-9);
        assert_true(factor >= -1e-12 && factor < 1);
        assert_true(world_energy(&w) <= energy);
        assert_true(report.dissipated >= -1e-9);
        world_destroy(&w);
      }
}

/* The map of one spring and damper has the determinant exp(-z) under midpoint, whatever the spring,
 * and eigenvalues that are not negative where the damping is overcritical. */
static void test_weights(void** state) {
  (void)state;
  const cr_theta theta = {0.5, 0.5, 0.5};
  for (double z = 1.5; z < 2e6; z *= 3)
    for (double share = 1e-6; share < 1; share *= 3) {
      double w = share * z * z / 4; /* dt² k / m */
      cr_weight weight = cr_damping_find_weight(theta, 1, w, z, 1);
      double s = 0.25 + weight.end, s0 = 0.25 + weight.start, t = 0.5 + weight.rate;
      double D = 1 + w * s + z * t, N = 1 - w * s0 - z * (1 - t);
      double det = (N + 0.5 * w) / D, trace = 1 + det - w / D;
      check_near(det, exp(-z), 1e-9);
      assert_true(trace >= -1e-9);
      assert_true(trace * trace >= 4 * det - 1e-9);
    }
}

/* An overdamped servo goes to its target without passing it, its speed never turning. */
static void test_servo(void** state) {
  (void)state;
  const double kp = 900, kv = 36;
  for (int s = 0; s < 4; s++)
    for (int limited = 0; limited < 2; limited++) {
      char text[700];
      snprintf(text, sizeof text,
               "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='h' axis='0 1 0'/>"
               "<inertial pos='0 0 0' mass='.3' diaginertia='4e-4 4e-4 4e-4'/></body></worldbody>"
               "<actuator><position joint='h' kp='%g' kv='%g' %s/></actuator></mujoco>",
               kp, kv, limited ? "forcerange='-1e6 1e6'" : "");
      carom_sim_def def = world_def(0.003, SCHEMES[s]);
      world w = world_create(text, &def);
      carom_sim_controls(w.sim)[0] = 0.8;
      double last = INFINITY;
      for (int i = 1; i <= 300; i++) {
        world_step(&w);
        double q = world_q(&w)[0], v = world_v(&w)[0];
        assert_true(v >= -1e-9 && v <= last + 1e-9 && q <= 0.8 + 1e-9);
        /* Half a step late where positions advance with the mean velocity, or the old one. */
        check_near(q, 0.8 * (1 - exp(-i * 0.003 * kp / kv)), 0.8 * 0.003 * kp / kv + 1e-3);
        last = v;
      }
      check_near(world_q(&w)[0], 0.8, 1e-6);
      world_destroy(&w);
    }
}

/* A double pendulum with dampers that are stiff at the coarsest step, dt d / m = 8 and more, and
 * not at the finest. */
static double end_angle(int steps) {
  carom_sim_def def = world_def(0.6 / steps, CAROM_MIDPOINT);
  world w = world_create(
      "<mujoco><worldbody><body><joint name='a' axis='0 1 0' damping='.6'/><geom type='capsule' "
      "fromto='0 0 0 .3 0 0' size='.02' mass='.4'/><body pos='.3 0 0'><joint name='b' axis='0 1 0' "
      "damping='.9' stiffness='3'/><geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' mass='.2' "
      "contype='0'/></body></body></worldbody></mujoco>",
      &def);
  for (int i = 0; i < steps; i++) world_step(&w);
  double q = world_q(&w)[0] + world_q(&w)[1];
  world_destroy(&w);
  return q;
}

/* Errors fall with the square of the step through all of that. */
static void test_order(void** state) {
  (void)state;
  double end = end_angle(25600), error[3];
  for (int k = 0; k < 3; k++) error[k] = fabs(end_angle(200 << 2 * k) - end);
  print_message("errors %.2e, %.2e, %.2e\n", error[0], error[1], error[2]);
  assert_true(error[0] < 1e-4 && error[1] < error[0]);
  assert_true(error[2] < error[0] / 200); /* 16² = 256, less a bit */
}

/* Ten links with a stiff damper at each joint: no joint's velocity turns where none pushes it. The
 * continuous motion from one joint's velocity is that of a chain in honey. */
static void test_chain(void** state) {
  (void)state;
  for (int s = 0; s < 4; s++)
    for (double d = 1e-2; d < 1e5; d *= 10) {
      char text[4000] = "<mujoco><option gravity='0 0 0'/><worldbody>";
      size_t at = strlen(text);
      for (int i = 0; i < 10; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "<body pos='%g 0 0'><joint axis='0 1 0' damping='%g'/><geom "
                               "type='capsule' fromto='0 0 0 .1 0 0' size='.01' mass='.05' "
                               "contype='0' conaffinity='0'/>",
                               i ? 0.1 : 0.0, d);
      for (int i = 0; i < 10; i++) at += (size_t)snprintf(text + at, sizeof text - at, "</body>");
      snprintf(text + at, sizeof text - at, "</worldbody></mujoco>");
      carom_sim_def def = world_def(0.005, SCHEMES[s]);
      world w = world_create(text, &def);
      double v[10] = {0}, kinetic = INFINITY;
      v[4] = 1;
      world_set(&w, NULL, v);
      double before[10];
      int turns = 0;
      for (int i = 0; i < 40; i++) {
        for (int k = 0; k < 10; k++) before[k] = world_v(&w)[k];
        world_step(&w);
        double energy = world_energy(&w);
        assert_true(energy <= kinetic * (1 + 1e-9) + 1e-18);
        kinetic = energy;
        for (int k = 0; k < 10 && i > 4; k++)
          turns += before[k] * world_v(&w)[k] < 0 && fabs(world_v(&w)[k]) > 1e-6;
      }
      /* Signs settle: chatter would turn one in every step. */
      assert_in_range(turns, 0, 20);
      world_destroy(&w);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_mode),
                                     cmocka_unit_test(test_weights), cmocka_unit_test(test_servo),
                                     cmocka_unit_test(test_order), cmocka_unit_test(test_chain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
