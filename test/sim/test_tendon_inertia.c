/* Inertia of tendons, and bounds on what their actuators do together: values and motion of MuJoCo.
 */
#include "support/simulation.h"

#include "carom/dynamics.h"
#include "carom/scene.h"
#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A chain of a hinge, a hinge and slide, and a ball, with a string over a pulley. */
static const char SCENE[] =
    "<mujoco><option timestep='0.002'/>"
    "<worldbody><site name='w' pos='.3 .2 1'/><site name='x' pos='-.4 .1 .8'/>"
    "<body pos='0 0 .5'><joint name='a' axis='0 1 0'/><geom size='.05' pos='.3 0 0'/><site "
    "name='1' pos='.2 0 .05'/>"
    "<body pos='.4 0 0'><joint axis='0 0 1'/><joint name='s' type='slide' axis='1 0 0'/><geom "
    "type='box' size='.1 .05 .02' pos='.1 0 0'/><site name='2' pos='.1 .05 0'/>"
    "<body pos='.3 0 .1'><joint type='ball'/><geom type='box' size='.1 .2 .3' pos='.1 0 0'/><site "
    "name='3' pos='.1 .2 .3'/></body></body></body>"
    "</worldbody>"
    "<tendon><spatial name='p' armature='2'><site site='w'/><site site='1'/><pulley "
    "divisor='2'/><site site='2'/><site site='3'/><site site='x'/></spatial>"
    "<fixed name='f' armature='.3' actuatorfrcrange='-2 3'><joint joint='a' coef='1'/><joint "
    "joint='s' coef='-2'/></fixed>"
    "<spatial name='q' actuatorfrcrange='-1 1.5'><site site='x'/><site "
    "site='3'/></spatial></tendon>"
    "<actuator><motor tendon='f' gear='2'/><position tendon='f' kp='30' forcerange='-1 1'/><motor "
    "tendon='q'/><position tendon='q' kp='50' kv='2'/><position tendon='p' kp='20' "
    "dampratio='.5'/></actuator>"
    "<sensor><tendonactuatorfrc tendon='f'/><tendonactuatorfrc tendon='q'/></sensor>"
    "</mujoco>";

static const double Q[] = {.3, -.4, .1, .8, .36, .48, 0}, V[] = {1, -2, .5, .3, -.7, .9};
static const double CTRL[] = {3, .5, -2, .4, 1};

/* mj_forward of MuJoCo 4.0.0 at Q, V, CTRL, constraints disabled: rows 0 and 2 of M, qfrc_bias,
 * qacc, actuator_force, sensordata, ten_length; 12 digits. */
static const double M0[] = {35.0518753438,  0.338139985145, 0.702426950542,
                            0.230148986232, 1.96053240674,  -2.91033142561};
static const double M2[] = {0.702426950542,  -1.60460932722, 50.4868022227,
                            0.0084310623387, -3.65060856721, 1.63220869069};
static const double BIAS[] = {-373.334100798, -77.1900810062, -248.012295366,
                              -6.31504490902, -10.5208527287, 1.96057363703};
static const double QACC[] = {11.6090562496, 7.82336787963,  3.77626723332,
                              7.66452491319, -8.32765038467, 9.64701458919};
static const double FORCE[] = {0.6, 1.0, -0.0315268300002, -0.96847317, -20.5962557415};
static const double TOTAL[] = {1.6, -1.0};
static const double LENGTH[] = {1.66392449929, 0.1, 1.61590207723};

static void test_values(void** state) {
  (void)state;
  simulation s = simulation_create(SCENE, NULL);
  carom_dynamics* d;
  carom_error error;
  double M[36], x[6], force[5], total[2], length[3], kinetic, potential, twice = 0;
  check_ok(carom_dynamics_create(s.model, NULL, &d, &error), &error);
  check_ok(carom_dynamics_set(d, Q, V, CTRL, &error), &error);
  carom_dynamics_compute_mass_matrix(d, M);
  check_near_array(M, M0, 6, 1e-10);
  check_near_array(M + 12, M2, 6, 1e-10);
  carom_dynamics_compute_bias(d, x);
  check_near_array(x, BIAS, 6, 1e-9);
  carom_dynamics_compute_actuators(d, NULL, NULL, force);
  check_near_array(force, FORCE, 5, 1e-10);
  check_ok(carom_dynamics_compute_sensors(d, total, &error), &error);
  check_near_array(total, TOTAL, 2, 1e-12);
  carom_dynamics_compute_tendons(d, length, NULL);
  check_near_array(length, LENGTH, 3, 1e-11);
  check_ok(carom_dynamics_compute_forward(d, NULL, true, x, &error), &error);
  check_near_array(x, QACC, 6, 1e-10);
  for (int i = 0; i < 36; i++) twice += M[i] * V[i / 6] * V[i % 6];
  carom_dynamics_compute_energy(d, &kinetic, &potential);
  check_near(kinetic, 0.5 * twice, 1e-12);
  carom_dynamics_destroy(d);
  simulation_destroy(&s);
}

/* Inverse dynamics of the accelerations of forward dynamics gives the force back. */
static void test_inverse(void** state) {
  (void)state;
  simulation s = simulation_create(SCENE, NULL);
  carom_dynamics* d;
  carom_error error;
  const double given[] = {1, -2, 3, .5, -.25, .75};
  double a[6], force[6];
  check_ok(carom_dynamics_create(s.model, NULL, &d, &error), &error);
  check_ok(carom_dynamics_set(d, Q, V, CTRL, &error), &error);
  check_ok(carom_dynamics_compute_forward(d, given, false, a, &error), &error);
  carom_dynamics_compute_inverse(d, a, force);
  check_near_array(force, given, 6, 1e-11);
  carom_dynamics_destroy(d);
  simulation_destroy(&s);
}

/* qpos and qvel of MuJoCo 4.0.0 after 0.2 s from Q, V, actuators off, by RK4 at 5e-5 s. */
static const double Q_END[] = {0.675054272906, -0.58998231152, 0.312179095031,  0.787656409302,
                               0.530695417441, 0.312957159041, 0.00419182501147};
static const double V_END[] = {2.3469126173,  0.158630061781, 1.79590131593,
                               2.47595084337, -1.80572578463, 1.63226649433};

/* The midpoint rule comes to the same state with its order, and keeps the energy with it. */
static void test_motion(void** state) {
  (void)state;
  char text[sizeof SCENE];
  double error[2], drift[2];
  snprintf(text, sizeof text, "%.*s</mujoco>", (int)(strstr(SCENE, "<actuator>") - SCENE), SCENE);
  for (int k = 0; k < 2; k++) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, k ? 0.001 : 0.002);
    simulation s = simulation_create(text, &def);
    simulation_set(&s, Q, V);
    double energy = simulation_compute_energy(&s);
    simulation_run_until(&s, 0.2);
    error[k] = 0;
    for (int i = 0; i < 7; i++) error[k] = fmax(error[k], fabs(s.q[i] - Q_END[i]));
    for (int i = 0; i < 6; i++) error[k] = fmax(error[k], fabs(s.v[i] - V_END[i]));
    drift[k] = fabs(simulation_compute_energy(&s) - energy);
    simulation_destroy(&s);
  }
  assert_true(error[1] < 1e-5);
  check_near(error[0] / error[1], 4, 0.1);
  check_near(drift[0] / drift[1], 4, 0.2);
}

/* A string between two bodies, which MuJoCo leaves out of its M, is all the same to them: a reel of
 * inertia m r² that it turns. Two carts on rails, 1 kg and 2 kg, with the string's rate x2 - x1:
 * a force F on the second gives it F (m1 + m) / (m1 m2 + m (m1 + m2)). */
static void test_two_trees(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option gravity='0 0 0'/><worldbody>"
      "<body><joint name='a' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/><site name='a'/>"
      "</body><body pos='3 0 0'><joint name='b' type='slide' axis='1 0 0'/>"
      "<geom size='.1' mass='2'/><site name='b'/></body></worldbody><tendon>"
      "<spatial armature='4'><site site='a'/><site site='b'/></spatial></tendon>"
      "<actuator><motor joint='b'/></actuator></mujoco>",
      NULL);
  carom_dynamics* d;
  carom_error error;
  double M[4], a[2];
  const double whole[] = {5, -4, -4, 6}, force[] = {7};
  check_ok(carom_dynamics_create(s.model, NULL, &d, &error), &error);
  check_ok(carom_dynamics_set(d, NULL, NULL, force, &error), &error);
  carom_dynamics_compute_mass_matrix(d, M);
  check_near_array(M, whole, 4, 1e-14);
  check_ok(carom_dynamics_compute_forward(d, NULL, true, a, &error), &error);
  check_near(a[0], 7 * 4 / 14.0, 1e-14);
  check_near(a[1], 7 * 5 / 14.0, 1e-14);
  carom_dynamics_destroy(d);
  carom_sim_controls(s.sim)[0] = force[0];
  simulation_run_until(&s, 0.2);
  check_near(s.v[0], 0.2 * 2, 1e-12);
  check_near(s.v[1], 0.2 * 2.5, 1e-12);
  simulation_destroy(&s);
}

static void test_refused(void** state) {
  (void)state;
  carom_model* model;
  carom_error error;
  carom_load_def def = carom_load_def_default();
  static const char TEXT[] =
      "<mujoco><worldbody><site name='a'/><geom name='g' type='sphere' size='.1' pos='0 0 1'/>"
      "<body pos='0 0 2'><joint/><geom size='.1' pos='1 0 0'/><site name='b'/></body></worldbody>"
      "<tendon><spatial name='t' armature='1'><site site='a'/><geom geom='g'/><site site='b'/>"
      "</spatial></tendon></mujoco>";
  carom_status status =
      carom_model_load_string(TEXT, sizeof TEXT - 1, "scene.xml", &def, &model, &error);
  assert_int_equal(status, CAROM_ERROR_UNSUPPORTED);
  assert_string_equal(error.message,
                      "scene.xml:1: tendon 't': armature is 1, which is not supported "
                      "around geometries");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),  cmocka_unit_test(test_inverse),
      cmocka_unit_test(test_motion),  cmocka_unit_test(test_two_trees),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
