/* Actuators: what they can act on, activations, muscles, bounds of joints; feedback at any step. */
#include "force/actuator.h"
#include "support/scene.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* --- Where they act -----------------------------------------------------------------------------
 */

#define PLACES                                                                                 \
  "<worldbody><body name='a'><freejoint name='free'/><geom size='.2' pos='.1 0 0'/>"           \
  "<site name='s' pos='.1 .2 .3' euler='10 20 30'/><body pos='.5 0 0'><joint type='ball' "     \
  "name='ball'/><geom size='.1' pos='.1 .1 0'/><site name='t' pos='.2 .1 0' euler='50 0 10'/>" \
  "<body pos='.3 0 0'><joint name='hinge' axis='0 1 1'/><geom size='.1' pos='.1 0 .1'/>"       \
  "<site name='u' pos='.2 .1 .1'/></body></body></body></worldbody>"

static const char* const ACTUATORS[] = {
    "<motor joint='hinge' gear='3'/>",
    "<motor joint='ball' gear='1 -2 3'/>",
    "<motor jointinparent='ball' gear='1 -2 3'/>",
    "<motor joint='free' gear='1 2 3 4 5 6'/>",
    "<motor jointinparent='free' gear='1 2 3 4 5 6'/>",
    "<motor site='t' gear='1 2 3 4 5 6'/>",
    "<motor site='u' refsite='s' gear='1 2 3 4 5 6'/>",
    "<motor slidersite='s' cranksite='u' cranklength='2'/>",
    "<motor slidersite='s' cranksite='u' cranklength='.001'/>",
};
enum { NUM_PLACES = sizeof ACTUATORS / sizeof *ACTUATORS, NUM_Q = 12, NUM_V = 10 };

static carom_dynamics* make_dynamics(const char* body, const char* actuator, carom_model** model) {
  char text[3000];
  carom_dynamics* d;
  snprintf(text, sizeof text, "<mujoco>%s<actuator>%s</actuator></mujoco>", body, actuator);
  *model = scene_load(text);
  assert_int_equal(carom_dynamics_create(*model, NULL, &d, NULL), CAROM_OK);
  return d;
}

static void random_state(check_random* random, double* q, double* v) {
  for (int k = 0; k < NUM_Q; k++) q[k] = 0.4 * check_random_normal(random);
  quat_store(quat_normalize(quat_load(q + 3)), q + 3);
  quat_store(quat_normalize(quat_load(q + 7)), q + 7);
  for (int k = 0; k < NUM_V; k++) v[k] = check_random_normal(random);
}

/* The force times the rate is the power in joint space; the moment gives both. */
static void test_moments(void** state) {
  (void)state;
  check_random random = {4};
  for (int i = 0; i < NUM_PLACES; i++) {
    carom_model* model;
    carom_dynamics* d = make_dynamics(PLACES, ACTUATORS[i], &model);
    for (int repeat = 0; repeat < 30; repeat++) {
      double q[NUM_Q], v[NUM_V], tau[NUM_V], moment[NUM_V], rate, f, ctrl = 1.5, power = 0, sum = 0;
      random_state(&random, q, v);
      carom_dynamics_set(d, q, v, &ctrl, NULL);
      carom_dynamics_compute_actuation(d, tau);
      carom_dynamics_compute_actuator_moment(d, moment);
      carom_dynamics_compute_actuators(d, NULL, &rate, &f);
      for (int k = 0; k < NUM_V; k++) power += tau[k] * v[k], sum += moment[k] * v[k];
      check_near(f, 1.5, 0);
      check_near(power, f * rate, 1e-11);
      check_near(sum, rate, 1e-11);
    }
    carom_dynamics_destroy(d);
    carom_model_destroy(model);
  }
}

/* What acts between two parts of one body does not push that as a whole. */
static void test_inner_forces(void** state) {
  (void)state;
  check_random random = {5};
  for (int i = 0; i < NUM_PLACES; i++) {
    bool is_inner = strstr(ACTUATORS[i], "refsite") || strstr(ACTUATORS[i], "slidersite") ||
                    strstr(ACTUATORS[i], "ball") || strstr(ACTUATORS[i], "hinge");
    carom_model* model;
    carom_dynamics* d = make_dynamics(PLACES, ACTUATORS[i], &model);
    double q[NUM_Q], v[NUM_V], tau[NUM_V], ctrl = 1;
    random_state(&random, q, v);
    carom_dynamics_set(d, q, v, &ctrl, NULL);
    carom_dynamics_compute_actuation(d, tau);
    double whole = fabs(tau[0]) + fabs(tau[1]) + fabs(tau[2]);
    assert_true(is_inner ? whole < 1e-12 : whole > 1);
    carom_dynamics_destroy(d);
    carom_model_destroy(model);
  }
}

/* The lengths of slider-cranks and of tendons are potentials: J is their slope (test_lines.c has
 * the tendons'). */
static void test_crank_slope(void** state) {
  (void)state;
  check_random random = {9};
  for (int i = NUM_PLACES - 2; i < NUM_PLACES; i++) {
    carom_model* model;
    carom_dynamics* d = make_dynamics(PLACES, ACTUATORS[i], &model);
    for (int repeat = 0; repeat < 30; repeat++) {
      double q[NUM_Q], v[NUM_V], moment[NUM_V], length[2], h = 1e-6;
      random_state(&random, q, v);
      carom_dynamics_set(d, q, v, NULL, NULL);
      carom_dynamics_compute_actuator_moment(d, moment);
      for (int s = 0; s < 2; s++) {
        double moved[NUM_Q];
        memcpy(moved, q, sizeof moved);
        moved[11] += s ? h : -h;
        carom_dynamics_set(d, moved, NULL, NULL, NULL);
        carom_dynamics_compute_actuators(d, &length[s], NULL, NULL);
      }
      check_near((length[1] - length[0]) / (2 * h), moment[9], 1e-8);
    }
    carom_dynamics_destroy(d);
    carom_model_destroy(model);
  }
}

/* --- Activation ---------------------------------------------------------------------------------
 */

#define SLIDE(actuator)                                                                           \
  "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='0 0 1'/>" \
  "<geom size='.1' mass='2'/></body></worldbody><actuator>" actuator "</actuator></mujoco>"

/* A filter follows its closed form at any step, and the motion what it pushes: x'' = (1 - e^-t/T) /
 * m.
 */
static void test_filter(void** state) {
  (void)state;
  double T = 0.3, dt = 0.01;
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create(SLIDE("<general joint='j' dyntype='filter' dynprm='.3' ctrlrange='0 1'/>"),
                         &def);
  assert_int_equal(w.sizes.num_activations, 1);
  carom_sim_controls(w.sim)[0] = 7;
  world_run(&w, 100);
  check_near(carom_sim_activations(w.sim)[0], 1 - exp(-1 / T), 1e-13);
  check_near(world_v(&w)[0], (1 - T * (1 - exp(-1 / T))) / 2, 0.1 * dt * dt / T);
  world_destroy(&w);
  def.dt = 10;
  w = world_create(SLIDE("<general joint='j' dyntype='filterexact' dynprm='1e-9'/>"), &def);
  carom_sim_controls(w.sim)[0] = 7;
  world_run(&w, 1);
  check_near(carom_sim_activations(w.sim)[0], 7, 0);
  world_destroy(&w);
}

/* An integral within its range; early activations act at once. */
static void test_integrator(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.1, CAROM_EXPLICIT);
  world w = world_create(SLIDE("<general joint='j' dyntype='integrator' actrange='-1 .5'/>"), &def);
  carom_sim_controls(w.sim)[0] = 2;
  world_run(&w, 2);
  check_near(carom_sim_activations(w.sim)[0], 0.4, 1e-15);
  check_near(world_v(&w)[0], 0.1 * (0 + 0.2) / 2, 1e-15);
  world_run(&w, 2);
  check_near(carom_sim_activations(w.sim)[0], 0.5, 0);
  world_destroy(&w);
  w = world_create(SLIDE("<general joint='j' dyntype='integrator' actearly='true'/>"), &def);
  carom_sim_controls(w.sim)[0] = 2;
  world_run(&w, 2);
  check_near(world_v(&w)[0], 0.1 * (0.2 + 0.4) / 2, 1e-15);
  world_destroy(&w);
}

/* A muscle's activation against small steps of its equation; second order in the step. */
static double activate_muscle(double dt, double control, double start, double smooth) {
  char text[900];
  snprintf(text, sizeof text,
           SLIDE("<muscle joint='j' timeconst='.05 .2' tausmooth='%g' force='0' "
                 "lengthrange='0 1'/>"),
           smooth);
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create(text, &def);
  carom_sim_controls(w.sim)[0] = control;
  carom_sim_activations(w.sim)[0] = start;
  world_run(&w, (int)(0.1 / dt + 0.5));
  double a = carom_sim_activations(w.sim)[0];
  world_destroy(&w);
  return a;
}

static void test_muscle_activation(void** state) {
  (void)state;
  static const double CASES[][3] = {{1, 0, 0}, {0, 1, 0}, {0.5, 0.1, 0.2}, {0.2, 0.9, 0.3}};
  for (int i = 0; i < 4; i++) {
    const double* c = CASES[i];
    double a = c[1], h = 1e-6;
    for (int k = 0; k < 100000; k++) {
      double change = c[0] - a, share = 0.5 + 1.5 * a, rise = 0.05 * share, fall = 0.2 / share;
      double x = fmin(fmax(c[2] > 0 ? change / c[2] + 0.5 : change > 0, 0), 1);
      a += h * change / (fall + (rise - fall) * x * x * x * (10 + x * (6 * x - 15)));
    }
    double coarse = activate_muscle(0.01, c[0], c[1], c[2]) - a;
    double fine = activate_muscle(0.0025, c[0], c[1], c[2]) - a;
    assert_true(fabs(coarse) < 5e-3);
    assert_true(fabs(fine) < fabs(coarse) / 8 + 1e-6);
  }
}

/* --- Muscles ------------------------------------------------------------------------------------
 */

/* Curves at the points that the parameters name, as in the format's documentation: peak force at
 * the optimal length and at rest, none outside its lengths or at the fastest shortening. */
static void test_muscle_curves(void** state) {
  (void)state;
  carom_model* model;
  carom_dynamics* d =
      make_dynamics("<worldbody><body><joint name='j' type='slide'/>" BALL "</body></worldbody>",
                    "<muscle joint='j' force='50' lengthrange='.5 2' range='.5 2' "
                    "lmin='.6' lmax='1.8' vmax='2' fpmax='1.5' fvmax='1.3'/>",
                    &model);
  static const double POINTS[][4] = {/* L, V, activation, force over peak */
                                     {1, 0, 1, 1},
                                     {0.6, 0, 1, 0},
                                     {0.8, 0, 1, 0.5},
                                     {1, -2, 1, 0},
                                     {1, -1, 1, 0.25},
                                     {1, 0.6, 1, 1.3},
                                     {1, 5, 1, 1.3},
                                     {1.4, 0, 0, 0.75},
                                     {1.8, 0, 0, 0.75 + 1.5},
                                     {1.8, 0, 1, 0.75 + 1.5},
                                     {0.3, 0, 1, 0}};
  for (size_t i = 0; i < sizeof POINTS / sizeof *POINTS; i++) {
    const double* p = POINTS[i];
    double force, q = p[0], v = p[1];
    carom_dynamics_set(d, &q, &v, NULL, NULL);
    carom_dynamics_set_activations(d, &p[2], NULL);
    carom_dynamics_compute_actuators(d, NULL, NULL, &force);
    check_near(force, -50 * p[3], 1e-12);
  }
  carom_dynamics_destroy(d);
  carom_model_destroy(model);
}

/* The range of a muscle's length within the joints' limits, and its force from the acceleration. */
static void test_muscle_defaults(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><site name='w' pos='-1 0 0'/><body><joint axis='0 0 1' range='30 90'/>"
      "<geom type='sphere' size='.1' mass='3' pos='1 0 0'/><site name='s' pos='1 0 0'/></body>"
      "</worldbody><tendon><spatial name='t'><site site='w'/><site site='s'/></spatial></tendon>"
      "<actuator><muscle tendon='t' scale='30'/><muscle tendon='t' gear='-2' force='7'/></actuator>"
      "</mujoco>");
  const double* range = model->force.actuator_length_range;
  double longest = 2 * cos(15 * PI / 180), shortest = sqrt(2);
  check_near(range[0], shortest, 1e-12);
  check_near(range[1], longest, 1e-12);
  check_near(range[2], -2 * longest, 1e-12);
  check_near(range[3], -2 * shortest, 1e-12);
  /* At the reference the string runs through the joint and moves nothing. */
  assert_true(model->force.actuator_muscle[CR_MUSCLE_FORCE] > 1e12);
  check_near(model->force.actuator_muscle[2 * CR_MUSCLE_NUM_PARAMETERS + CR_MUSCLE_FORCE], 7, 0);
  carom_model_destroy(model);
}

/* --- Bounds and feedback ------------------------------------------------------------------------
 */

/* Joints bound what all their actuators do together, in steps as in the dynamics. */
static void test_drive_ranges(void** state) {
  (void)state;
  static const char* const FORMS[] = {
      "<motor joint='j' gear='2'/><motor joint='j'/>", "<motor tendon='t' gear='3'/>",
      "<position joint='j' kp='1e6' kv='1e5'/>",
      "<position tendon='t' kp='1e6'/><velocity joint='j' kv='10'/>"};
  for (int i = 0; i < 4; i++)
    for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
      char text[1500];
      snprintf(text, sizeof text,
               "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' "
               "axis='0 0 1' actuatorfrcrange='-3 5'/><geom size='.1' mass='2'/></body></worldbody>"
               "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator>%s"
               "</actuator></mujoco>",
               FORMS[i]);
      carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
      world w = world_create(text, &def);
      for (int a = 0; a < w.sizes.num_actuators; a++) carom_sim_controls(w.sim)[a] = 100;
      world_run(&w, 10);
      check_near(world_v(&w)[0], 5.0 / 2 * 0.1, 1e-7);
      for (int a = 0; a < w.sizes.num_actuators; a++) carom_sim_controls(w.sim)[a] = -100;
      world_run(&w, 9);
      double before = world_energy(&w), work = world_step(&w).actuator_work;
      check_near(work, world_energy(&w) - before, 1e-9);
      check_near(world_v(&w)[0], 2.0 / 2 * 0.1, 1e-7);
      world_destroy(&w);
    }
}

/* Gains a thousand times what explicit steps bear: servos hold, dampers stop, on all they act on.
 */
static void test_stiff_feedback(void** state) {
  (void)state;
  static const char* const FORMS[] = {
      "<position joint='j' kp='1e7' kv='1e5'/>",
      "<position tendon='t' kp='1e7' kv='1e5'/>",
      "<position tendon='s' kp='1e7' kv='1e5'/>",
      "<general site='b' refsite='w' gear='0 0 1 0 0 0' gainprm='1e7' biastype='affine' "
      "biasprm='0 -1e7 -1e5'/>",
      "<general joint='j' gaintype='affine' gainprm='0 0 -1e6' ctrlrange='0 1'/>",
      "<damper tendon='s' kv='1e6' ctrlrange='0 1'/>",
      "<intvelocity joint='j' kp='1e7' kv='1e5' actrange='-1 1'/>"};
  static const double CONTROLS[] = {1e-3, 1e-3, 1.001, 1.001, 1, 1, 0};
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++)
    for (int scheme = CAROM_IMPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
      char text[1800];
      snprintf(
          text, sizeof text,
          "<mujoco><worldbody><site name='w' pos='0 0 -1'/><body><joint name='j' type='slide' "
          "axis='0 0 1'/><geom size='.1' mass='2'/><site name='b'/></body></worldbody>"
          "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed><spatial name='s'>"
          "<site site='w'/><site site='b'/></spatial></tendon><actuator>%s</actuator></mujoco>",
          FORMS[i]);
      carom_sim_def def = world_def(0.02, (carom_scheme)scheme);
      world w = world_create(text, &def);
      carom_sim_controls(w.sim)[0] = CONTROLS[i];
      for (int k = 0; k < 200; k++) {
        world_step(&w);
        assert_true(fabs(world_v(&w)[0]) < 1);
      }
      assert_true(fabs(world_q(&w)[0]) < 1.1);
      world_destroy(&w);
    }
}

/* Activations belong to the state: saved and restored to the bit, set by keyframes. */
static void test_state(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
  world w = world_create(
      "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='1 0 0'/></body></worldbody>"
      "<actuator><motor joint='j'/><general joint='j' dyntype='filter' dynprm='.1'/><general "
      "joint='j' dyntype='integrator'/></actuator><keyframe><key name='k' act='.3 .4' "
      "ctrl='1 2 3'/></keyframe></mujoco>",
      &def);
  carom_error error;
  assert_int_equal(w.sizes.num_activations, 2);
  check_ok(carom_sim_set_keyframe(w.sim, 0, &error), &error);
  check_near_array(carom_sim_activations(w.sim), ((double[]){0.3, 0.4}), 2, 0);
  world_run(&w, 10);
  world_state middle = world_save(&w);
  world_run(&w, 10);
  world_state end = world_save(&w);
  world_restore(&w, &middle);
  world_run(&w, 10);
  world_state again = world_save(&w);
  world_expect_same(&end, &again);
  carom_sim_activations(w.sim)[1] = NAN;
  assert_int_equal(carom_sim_step(w.sim, NULL, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "state: act[1] is nan, must be finite");
  free(middle.bytes), free(end.bytes), free(again.bytes);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moments),       cmocka_unit_test(test_inner_forces),
      cmocka_unit_test(test_crank_slope),   cmocka_unit_test(test_filter),
      cmocka_unit_test(test_integrator),    cmocka_unit_test(test_muscle_activation),
      cmocka_unit_test(test_muscle_curves), cmocka_unit_test(test_muscle_defaults),
      cmocka_unit_test(test_drive_ranges),  cmocka_unit_test(test_stiff_feedback),
      cmocka_unit_test(test_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
