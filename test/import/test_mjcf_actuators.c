/* Actuators: what each form and class makes of gain and bias. Numbers: MuJoCo 4.0.0. */
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A ball of 10 cm on a hinge through its centre with `joint` attributes; `defaults`; one actuator.
 */
static carom_model* load(const char* defaults, const char* joint, const char* actuator,
                         bool permissive) {
  char text[1000];
  snprintf(text, sizeof text,
           "<mujoco><default>%s</default><worldbody><body><joint name='j' %s/>" BALL
           "</body></worldbody><actuator>%s</actuator></mujoco>",
           defaults, joint, actuator);
  return permissive ? scene_load_permissive(text) : scene_load(text);
}

static void check_law(const char* defaults, const char* actuator, double gain, double bias1,
                      double bias2) {
  carom_model* model = load(defaults, "", actuator, false);
  check_near(model->force.actuator_gain[0], gain, 1e-14);
  check_near_array(model->force.actuator_bias, ((double[]){0, bias1, bias2}), 3, 1e-14);
  carom_model_destroy(model);
}

static void test_short_forms(void** state) {
  (void)state;
  check_law("", "<motor joint='j'/>", 1, 0, 0);
  check_law("", "<position joint='j'/>", 1, -1, 0);
  check_law("", "<position joint='j' kp='5' kv='2'/>", 5, -5, -2);
  check_law("", "<velocity joint='j'/>", 1, 0, -1);
  check_law("", "<velocity jointinparent='j' kv='2'/>", 2, 0, -2);
  check_law("", "<general joint='j' gainprm='3' biasprm='0 -4 -1'/>", 3, 0, 0);
  check_law("", "<general joint='j' gainprm='3' biasprm='0 -4 -1' biastype='affine'/>", 3, -4, -1);
}

#define POSITION "<position kp='7' kv='3'/>"
#define VELOCITY "<velocity kv='5'/>"
#define GENERAL  "<general gainprm='9' biasprm='0 2 -3' biastype='affine'/>"

static void test_classes(void** state) {
  (void)state;
  check_law(POSITION, "<position joint='j'/>", 7, -7, -3);
  check_law(POSITION, "<position joint='j' kp='2'/>", 2, -2, -3);
  check_law(POSITION, "<motor joint='j'/>", 1, 0, 0);
  check_law(POSITION, "<velocity joint='j'/>", 1, 0, -1);
  check_law(POSITION, "<general joint='j'/>", 7, -7, -3);
  check_law(VELOCITY, "<velocity joint='j'/>", 5, 0, -5);
  check_law(VELOCITY, "<position joint='j'/>", 1, -1, 0);
  check_law(VELOCITY, "<general joint='j'/>", 5, 0, -5);
  check_law(GENERAL, "<position joint='j'/>", 9, -9, -3);
  check_law(GENERAL, "<velocity joint='j'/>", 9, 0, -9);
  check_law(GENERAL, "<motor joint='j'/>", 1, 0, 0);
  check_law(GENERAL, "<general joint='j' gainprm='2'/>", 2, 2, -3);
  /* Kinds share one default, the last: figures of MuJoCo 4.0. */
  check_law(POSITION "<motor/>", "<position joint='j'/>", 1, -1, 0);
  check_law("<motor/>" POSITION, "<position joint='j'/>", 7, -7, -3);
  check_law(POSITION GENERAL, "<position joint='j'/>", 9, -9, -3);
  check_law(POSITION "<velocity kv='5'/>", "<position joint='j'/>", 1, -1, 0);
  check_law(POSITION "<muscle range='0.6 1.1'/>", "<velocity joint='j'/>", 1, 0, -1);
  check_law("<general gaintype='affine' gainprm='2 3 4' biastype='affine'/>",
            "<position joint='j'/>", 1, -1, 0);
  check_law("<cylinder area='4' bias='0 2 3'/>", "<general joint='j'/>", 4, 2, 3);
  check_law(POSITION "<motor/>", "<general joint='j'/>", 1, 0, 0);
  check_law("<general dyntype='filter'/>", "<position joint='j'/>", 1, -1, 0);
}

/* A servo damped in proportion to critical: alone, and behind a gear. */
static void test_damping_ratio(void** state) {
  (void)state;
  double inertia = 1 + 0.004 * 4.0 / 3 * 3.14159265358979323846;
  carom_model* model =
      load("", "armature='1'", "<position joint='j' kp='10' dampratio='1'/>", false);
  check_near(model->force.actuator_bias[2], -2 * sqrt(10 * inertia), 1e-13);
  carom_model_destroy(model);
  model =
      load("", "armature='1'", "<position joint='j' kp='10' dampratio='0.5' gear='-3'/>", false);
  check_near(model->force.actuator_bias[2], -sqrt(10 * inertia) / 3, 1e-13);
  carom_model_destroy(model);
  /* In a chain the inertia is the one with the other joints free. */
  model = scene_load(
      "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='0.3 0 0'/><body pos='1 0 0'>"
      "<joint name='k'/><geom size='.2' pos='.3 .2 0'/></body></body></worldbody><actuator>"
      "<position joint='j' dampratio='1'/><position joint='k' dampratio='1' gear='2'/></actuator>"
      "</mujoco>");
  check_near(model->force.actuator_bias[2], -7.27929127, 1e-8);
  check_near(model->force.actuator_bias[5], -1.04895529, 1e-8);
  carom_model_destroy(model);
}

/* Two links; figures of MuJoCo 4.0, compiled from this text. */
#define ARM(a, b, rest)                                                                         \
  "<mujoco><worldbody><body><joint name='a' axis='0 1 0' armature='.1' " a                      \
  "/><geom type='capsule' size='.05' fromto='0 0 0 .5 0 0' mass='2'/><body pos='.5 0 0'>"       \
  "<joint name='b' axis='0 1 0' " b "/><geom type='capsule' size='.05' fromto='0 0 0 .4 0 .1' " \
  "mass='1'/></body></body></worldbody><tendon><fixed name='t'><joint joint='a' coef='1'/>"     \
  "<joint joint='b' coef='-2'/></fixed></tendon>" rest "</mujoco>"

static void test_arm(void** state) {
  (void)state;
  carom_model* model = scene_load(ARM("", "",
                                      "<actuator><position joint='a' kp='50' dampratio='1'/>"
                                      "<position joint='b' kp='50' dampratio='.7' gear='3'/>"
                                      "<position tendon='t' kp='20' dampratio='1'/></actuator>"));
  check_near(model->force.actuator_bias[2], -8.59842331, 1e-8);
  check_near(model->force.actuator_bias[5], -0.56285235, 1e-8);
  check_near(model->force.actuator_bias[8], -0.68932441, 1e-8);
  carom_model_destroy(model);
  model = scene_load(ARM("springdamper='.5 1'", "springdamper='.3 .7'", ""));
  check_near_array(model->force.joint_stiffness, ((double[]){1.47865767, 0.65973088}), 2, 1e-8);
  check_near_array(model->force.dof_damping, ((double[]){1.47865767, 0.19396088}), 2, 1e-8);
  carom_model_destroy(model);
}

/* jnt_stiffness and dof_damping of MuJoCo 4.0.0, of a ball joint, a hinge on it and a free joint.
 */
static void test_spring_dampers(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><body pos='0 0 1'><joint type='ball' springdamper='.5 .8' pos='.1 0 0'/>"
      "<geom type='box' size='.1 .2 .3' pos='.1 .2 0' euler='10 20 30'/><body pos='.3 0 0'>"
      "<joint axis='0 1 0' springdamper='.2 1'/><geom type='capsule' size='.05 .2' pos='.1 0 0'/>"
      "</body></body><body pos='3 0 1'><joint type='free' springdamper='.4 .6'/>"
      "<geom type='box' size='.1 .2 .3' pos='.1 .2 0' euler='10 20 30'/></body></worldbody>"
      "</mujoco>");
  const double stiffness[] = {16.435369004, 2.265126688, 41.500317287};
  check_near_array(model->force.joint_stiffness, stiffness, 3, 1e-9);
  for (int i = 0; i < 10; i++) {
    double damping = i < 3 ? 10.518636163 : i == 3 ? 0.906050675 : 11.952091379;
    check_near(model->force.dof_damping[i], damping, 1e-9);
  }
  carom_model_destroy(model);
}

static void check_ranges(const char* joint, const char* actuator, double control_low,
                         double control_high, double force_low, double force_high) {
  carom_model* model = load("", joint, actuator, false);
  carom_actuator_info info = carom_model_get_actuator(model, 0);
  const double actual[] = {info.control_range[0], info.control_range[1], info.force_range[0],
                           info.force_range[1]};
  const double expected[] = {control_low, control_high, force_low, force_high};
  for (int i = 0; i < 4; i++)
    if (actual[i] != expected[i] && !(fabs(actual[i] - expected[i]) < 1e-15))
      fail_msg("%s %s: number %d is %g, expected %g", joint, actuator, i, actual[i], expected[i]);
  carom_model_destroy(model);
}

static void test_ranges(void** state) {
  (void)state;
  const double inf = INFINITY, degree = 3.14159265358979323846 / 180;
  check_ranges("", "<motor joint='j'/>", -inf, inf, -inf, inf);
  check_ranges("", "<motor joint='j' ctrlrange='-1 2' forcerange='-3 4'/>", -1, 2, -3, 4);
  check_ranges("", "<motor joint='j' ctrlrange='-1 2' ctrllimited='false'/>", -inf, inf, -inf, inf);
  check_ranges("", "<motor joint='j' ctrlrange='2 -1'/>", -inf, inf, -inf, inf);
  check_ranges("range='-90 90'", "<position joint='j' inheritrange='1'/>", -90 * degree,
               90 * degree, -inf, inf);
  check_ranges("range='0 90'", "<position joint='j' inheritrange='0.5'/>", 22.5 * degree,
               67.5 * degree, -inf, inf);
  /* The joint's bound is its own. */
  carom_model* model = load("", "actuatorfrcrange='-6 8'", "<motor joint='j' gear='2'/>", false);
  assert_int_equal(model->force.num_drive_ranges, 1);
  check_near_array(model->force.dof_drive_range, ((double[]){-6, 8}), 2, 0);
  carom_model_destroy(model);
}

/* Permissive reading leaves out what it cannot have, and the keyframes' controls with it. */
static void test_left_out(void** state) {
  (void)state;
  carom_model* model = scene_load_permissive(
      "<mujoco><worldbody><body><joint name='j' type='ball'/>" BALL "</body></worldbody>\n"
      "<actuator><motor name='a' joint='j'/><pid name='b' joint='j'/>\n"
      "<orientation name='c' joint='j'/><general name='d' joint='j' dyntype='user'/>\n"
      "<motor name='e' joint='j' gear='2'/></actuator>\n"
      "<keyframe><key ctrl='1 2 3 4 5 6 7 8' act='1'/></keyframe></mujoco>");
  assert_int_equal(carom_model_get_sizes(model).num_actuators, 3);
  assert_int_equal(carom_model_find_actuator(model, "e"), 2);
  assert_int_equal(carom_model_find_actuator(model, "c"), -1);
  scene_expect_note(
      model,
      "scene.xml:3: orientation 'c': left out: servos of orientations are not supported yet: give "
      "servos about three axes");
  scene_expect_note(model,
                    "scene.xml:3: general 'd': left out: laws of the user are not supported");
  scene_expect_note(model, "scene.xml:5: key act: not used: it counts actuators that are left out");
  check_near_array(model->keyframe.ctrl, ((double[]){1, 2, 3, 8}), 4, 0);
  carom_model_destroy(model);
}

/* Short forms with controllers, and their classes: figures of MuJoCo 4.0. */
static void check_controller(const char* defaults, const char* actuator, int controls,
                             const double kp_ki_kd[3], const double motor[3]) {
  carom_model* model = load(defaults, "range='-1 2'", actuator, false);
  const cr_force_model* f = &model->force;
  const double* law = f->law;
  assert_int_equal(f->law_controls[0], controls);
  bool is_motor = law[CR_LAW_RESISTANCE] > 0;
  const double gains[] = {is_motor ? law[CR_LAW_KP] : -f->actuator_bias[1], law[CR_LAW_KI],
                          is_motor ? law[CR_LAW_KD] : -f->actuator_bias[2]};
  check_near_array(gains, kp_ki_kd, 3, 1e-14);
  if (motor)
    check_near_array(((double[]){law[CR_LAW_RESISTANCE], law[CR_LAW_CONSTANT], law[CR_LAW_TIME]}),
                     motor, 3, 1e-8);
  carom_model_destroy(model);
}

#define N(...) ((const double[3]){__VA_ARGS__})

static void test_controllers(void** state) {
  (void)state;
  check_controller("", "<pid joint='j'/>", 3, N(1, 0, 0), NULL);
  check_controller("<pid kp='7' ki='2' input='pos'/>", "<pid joint='j'/>", 1, N(7, 2, 0), NULL);
  check_controller("<position kp='7' kv='2'/>", "<pid joint='j' kp='2'/>", 3, N(2, 0, 0), NULL);
  check_controller("<general gaintype='pid' biastype='affine' biasprm='0 -5 -1' gainprm='3' "
                   "dyntype='pid' dynprm='.2 .1'/>",
                   "<pid joint='j'/>", 3, N(5, 3, 1), NULL);
  check_controller("", "<dcmotor joint='j' motorconst='.5 .2' nominal='12 3 100'/>", 8, N(0, 0, 0),
                   N(1.26491106, 0.31622777, 0));
  check_controller("", "<dcmotor joint='j' nominal='12 3 100' damping='.01'/>", 8, N(0, 0, 0),
                   N(0.32, 0.08, 0));
  check_controller("", "<dcmotor joint='j' resistance='2' input='none'/>", 16, N(0, 0, 0),
                   N(2, 0, 0));
  check_controller("<dcmotor motorconst='.3' resistance='1' inductance='.1' controller='1 2 3' "
                   "input='pos'/>",
                   "<dcmotor joint='j' motorconst='.5' resistance='2'/>", 1, N(1, 2, 3),
                   N(2, 0.5, 0.1));
}

/* Controls, states and what they are called. */
static void test_controls(void** state) {
  (void)state;
  carom_model* model = load("", "range='-1 2'",
                            "<pid name='p' joint='j' input='pos ff' inheritrange='.5' ffrange='-3 "
                            "4' ki='1' slewmax='2'/><dcmotor name='m' joint='j' motorconst='0' "
                            "resistance='1' input='none' lugre='1 1 1 1 1'/><motor joint='j'/>",
                            false);
  carom_model_sizes sizes = carom_model_get_sizes(model);
  const cr_force_model* f = &model->force;
  const double degree = 3.14159265358979323846 / 180;
  char name[20];
  assert_int_equal(sizes.num_actuators, 3);
  assert_int_equal(sizes.num_controls, 3);
  assert_int_equal(sizes.num_activations, 3);
  check_near_array(f->control_range, ((double[]){-0.25 * degree, 1.25 * degree, -3, 4}), 4, 1e-15);
  carom_model_get_control_name(model, 1, name, sizeof name);
  assert_string_equal(name, "p.force");
  carom_model_get_control_name(model, 2, name, sizeof name);
  assert_string_equal(name, "actuator2");
  assert_int_equal(carom_model_find_control(model, "p.force"), 1);
  assert_int_equal(carom_model_find_control(model, "p"), 0);
  assert_int_equal(carom_model_find_control(model, "m"), -1);
  assert_int_equal(carom_model_get_control(model, 1).kind, CAROM_CONTROL_FORCE);
  carom_actuator_info info = carom_model_get_actuator(model, 1);
  assert_int_equal(info.num_controls, 0);
  assert_int_equal(info.activation, 2);
  carom_model_destroy(model);
}

/* Adhesion: the control has a range; a class keeps the gain for its own kind of element. */
static void test_adhesion(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><default><adhesion gain='7' ctrlrange='0 2'/></default><worldbody><body name='a'>"
      "<joint name='j'/>" BALL "</body><body name='b'/></worldbody><actuator>"
      "<adhesion body='a'/><adhesion body='b' gain='3' ctrlrange='0 1'/><motor joint='j'/>"
      "</actuator></mujoco>");
  const cr_force_model* f = &model->force;
  assert_int_equal(f->num_adhesions, 2);
  const int bodies[] = {1, 2, -1};
  assert_memory_equal(f->actuator_body, bodies, sizeof bodies);
  check_near_array(((double[]){f->actuator_gain[0], f->actuator_gain[3], f->actuator_gain[6]}),
                   ((double[]){7, 3, 1}), 3, 0);
  check_near_array(f->control_range, ((double[]){0, 2, 0, 1}), 4, 0);
  assert_int_equal(carom_model_get_actuator(model, 1).body, 2);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_forms),   cmocka_unit_test(test_classes),
      cmocka_unit_test(test_damping_ratio), cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_left_out),      cmocka_unit_test(test_adhesion),
      cmocka_unit_test(test_controllers),   cmocka_unit_test(test_controls),
      cmocka_unit_test(test_arm),           cmocka_unit_test(test_spring_dampers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
