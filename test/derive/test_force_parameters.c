/* Derivatives of steps with respect to what forces along rows are made of (actuators, tendons,
 * springs between points, powers of joints), against differences of steps of models that were
 * compiled with them. */
#include "support/parameter_differences.h"

#include "carom/parameter.h"

#include <math.h>

/* Two limbs, and what floats; one joint has dry friction, so that A counts. */
#define WORLD(forces)                                                                          \
  "<mujoco><option timestep='0.001'/><default><geom type='box' size='0.15 0.05 0.04'"          \
  " contype='0' conaffinity='0'/></default><worldbody><site name='w' pos='0 0.2 0.4'/>"        \
  "<body name='a' pos='0.3 0 0' euler='20 30 70'><joint name='ja' axis='0 1 0'/>"              \
  "<geom pos='0.15 0 0'/><site name='sa' pos='0.12 0.06 0.02'/>"                               \
  "<body name='b' pos='0.3 0 0' euler='20 30 70'><joint name='jb' axis='0 1 1'"                \
  " stiffness='1 2 3' damping='0.01 0.02 0.01' frictionloss='0.05'/>"                          \
  "<geom pos='0.15 0 0'/><geom name='round' type='sphere' size='0.1' pos='0.3 0 0'/>"          \
  "<site name='sb' pos='0.12 0.06 0.02'/></body></body>"                                       \
  "<body name='c' pos='0.2 0.6 0.1' euler='20 30 70'><joint name='jc' type='ball'/>"           \
  "<geom pos='0.15 0 0'/><site name='sc' pos='0.12 0.06 0.02'/>"                               \
  "<site name='tc' pos='0.05 -0.03 0.06'/>"                                                    \
  "<body name='d' pos='0.3 0 0' euler='20 30 70'><joint name='jd' type='slide' axis='1 0 0'/>" \
  "<geom pos='0.15 0 0'/><site name='sd' pos='0.12 0.06 0.02'/></body></body>"                 \
  "<body name='e' pos='0.1 0.3 0.6'><freejoint name='je'/><site name='se' pos='0.1 0 0'/>"     \
  "<site name='te' pos='0 0.1 0'/><geom pos='0.02 0 0.01'/></body></worldbody>" forces "</mujoco>"

static void test_tendons(void** state) {
  (void)state;
  static const char* const NAMES[] = {
      "tendon.f.stiffness",      "tendon.f.stiffness_more", "tendon.f.rest",
      "tendon.f.damping",        "tendon.f.damping_more",   "tendon.g.armature",
      "tendon.g.damping",        "tendon.p.stiffness",      "tendon.p.rest",
      "tendon.p.damping",        "tendon.p.armature",       "joint.jb.stiffness_more",
      "joint.jb.damping_more",   "joint.jb.stiffness",      "joint.jb.damping",
      "joint.ja.stiffness_more",
  };
  parameter_differences_expect_all(
      WORLD("<tendon><fixed name='f' stiffness='20 5 3' damping='0.5 0.1 0.2'"
            " springlength='-0.1 0.1'><joint joint='ja' coef='0.7'/><joint joint='jd'"
            " coef='-1.2'/></fixed><fixed name='g' armature='0.02' damping='0.1'>"
            "<joint joint='jb' coef='0.4'/><joint joint='ja' coef='0.4'/></fixed>"
            "<spatial name='p' stiffness='30' damping='0.4' armature='0.1' springlength='0.2 0.4'>"
            "<site site='w'/><site site='sb'/><site site='sd'/></spatial></tendon>"),
      NAMES, sizeof NAMES / sizeof *NAMES, 3e-3);
}

static void test_actuators(void** state) {
  (void)state;
  static const char* const NAMES[] = {
      "actuator.string.gear",      "actuator.string.gain",        "actuator.servo.gear",
      "actuator.servo.gain",       "actuator.servo.bias",         "actuator.bent.gear",
      "actuator.bent.gain",        "actuator.bent.bias",          "actuator.bent.gain_feedback",
      "actuator.push.wrench",      "actuator.push.gear",          "actuator.between.wrench",
      "actuator.between.gear",     "actuator.ball.wrench",        "actuator.parent.wrench",
      "actuator.float.wrench",     "actuator.crank.gear",         "actuator.crank.bias",
      "actuator.joint.gear",       "actuator.joint.bias",         "actuator.held.gear",
      "actuator.held.force_range", "actuator.held.gain",          "actuator.ball.gain_feedback",
      "actuator.on_b.gear",        "actuator.on_b.gain_feedback",
  };
  parameter_differences_expect_all(
      WORLD("<tendon><spatial name='p'><site site='w'/><site site='sb'/></spatial>"
            "<fixed name='f'><joint joint='ja' coef='0.7'/><joint joint='jb' coef='-1.2'/>"
            "</fixed></tendon><actuator><motor name='string' tendon='p' gear='3'/>"
            "<position name='servo' tendon='f' kp='20' kv='0.5'/>"
            "<general name='bent' tendon='p' gainprm='5 1 0.05' gaintype='affine'"
            " biastype='affine' biasprm='0.3 -9 -0.3'/>"
            "<motor name='push' site='sb' gear='1 2 0.5 0.1 0.2 0.3'/>"
            "<general name='between' site='te' refsite='sd' gear='1 0.3 0.2 0.1 0.2 0.1'"
            " gainprm='10' biastype='affine' biasprm='0.1 -9 -0.2'/>"
            "<general name='ball' joint='jc' gear='0.1 0.3 0.2' gainprm='5 1 0.5'"
            " gaintype='affine'/><motor name='parent' jointinparent='jc' gear='0.1 0.3 0.2'/>"
            "<motor name='float' joint='je' gear='1 2 3 0.1 0.2 0.3'/>"
            "<general name='crank' cranksite='sd' slidersite='tc' cranklength='0.9'"
            " gainprm='3' biastype='affine' biasprm='0 -2 -0.1'/>"
            "<general name='joint' joint='ja' gear='2' gainprm='3' biastype='affine'"
            " biasprm='0.2 -2 -0.1'/><general name='held' joint='jd' gear='2' gainprm='100'"
            " forcerange='-0.01 0.01'/><general name='on_b' joint='jb' gear='1.5'"
            " gainprm='5 1 0.05' gaintype='affine' biastype='affine'"
            " biasprm='0.3 -9 -0.3'/></actuator>"),
      NAMES, sizeof NAMES / sizeof *NAMES, 3e-3);
}

/* What makes inputs of controls: filters, muscles, ranges that hold and such that do not. */
static void test_inputs(void** state) {
  (void)state;
  static const char* const NAMES[] = {
      "actuator.m.time_constant", "actuator.m.length_range",     "actuator.m.control_range",
      "actuator.n.time_constant", "actuator.n.length_range",     "actuator.f.time_constant[0]",
      "actuator.f.control_range", "actuator.e.time_constant[0]", "actuator.e.control_range",
      "actuator.e.gain",          "actuator.i.activation_range", "actuator.i.control_range",
      "actuator.u.control_range", "actuator.l.control_range",    "actuator.m.force_range",
  };
  parameter_differences_expect_all(
      WORLD("<tendon><spatial name='p'><site site='w'/><site site='sb'/></spatial></tendon>"
            "<actuator><muscle name='m' tendon='p' force='30' lengthrange='0.1 1.5'"
            " ctrlrange='0.1 0.9' timeconst='0.01 0.04' tausmooth='0.3'/>"
            "<muscle name='n' joint='jb' force='20' lengthrange='-2 2' timeconst='0.02 0.03'"
            " tausmooth='0.2'/><general name='f' joint='ja' dyntype='filter' dynprm='0.05' "
            "gainprm='3'"
            " ctrlrange='-0.1 0.1'/><general name='e' joint='jd' dyntype='filterexact'"
            " dynprm='0.02' gainprm='3' actearly='true' ctrlrange='-0.4 2'/>"
            "<intvelocity name='i' joint='jd' kp='20' actrange='-0.2 0.1' ctrlrange='-9 0.3'/>"
            "<motor name='u' tendon='p' ctrlrange='-0.2 0.3' gear='3'/>"
            "<position name='l' joint='ja' kp='20' kv='0.2' forcerange='-200 200'"
            " ctrlrange='-0.1 0.1'/></actuator>"),
      NAMES, sizeof NAMES / sizeof *NAMES, 3e-4);
}

/* Servos of limited force, within it and at its bounds, on joints and lines. Soft rows beside stiff
 * ones end within the solver's tolerance, which differences over little show. */
static void test_limited(void** state) {
  (void)state;
  static const char* const NAMES[] = {
      "actuator.a.gain",        "actuator.a.bias",        "actuator.a.gear",
      "actuator.a.force_range", "actuator.b.gain",        "actuator.b.bias",
      "actuator.b.gear",        "actuator.b.force_range", "actuator.h.force_range",
      "actuator.s.gain",        "actuator.s.bias",        "actuator.s.gear",
      "actuator.s.wrench",      "actuator.ball.gain",     "actuator.ball.wrench",
  };
  static const char* const WIDE[] = {"actuator.p.gain", "actuator.p.bias", "actuator.p.gear"};
  static const char TEXT[] =
      WORLD("<tendon><spatial name='p'><site site='w'/><site site='sb'/></spatial>"
            "<spatial name='q'><site site='sc'/><site site='te'/></spatial></tendon>"
            "<actuator><position name='a' joint='ja' gear='1.2' kp='20' kv='0.2'"
            " forcerange='-200 200'/><position name='b' joint='jd' gear='1.2' kp='20' kv='0.2'"
            " forcerange='-0.01 0.01'/><position name='h' tendon='q' kp='20' kv='0.2'"
            " forcerange='-0.02 0.02'/><position name='p' tendon='p' kp='20' kv='0.2'"
            " forcerange='-200 200'/><position name='s' site='te' refsite='sd'"
            " gear='1 0.3 0.2 0.1 0.2 0.1' kp='10' kv='0.2' forcerange='-200 200'/>"
            "<position name='ball' joint='jc' gear='0.1 0.3 0.2' kp='10' kv='0.2'"
            " forcerange='-200 200'/></actuator>");
  parameter_differences_expect_all(TEXT, NAMES, sizeof NAMES / sizeof *NAMES, 3e-3);
  parameter_differences_expect_all(TEXT, WIDE, 3, 3e-2);
}

/* Springs between points, from three random states by three schemes. */
static void expect_springs(const char* const* names, int count) {
  static const carom_spring_def SPRINGS[] = {
      {.name = "s", .body1 = {2}, .body2 = {4}, .rest_length = 0.2, .damping = 0.3},
      {.name = "t", .body1 = {3}, .body2 = {0}, .rest_length = 0, .damping = 0.3},
      {.name = "u", .body1 = {1}, .body2 = {2}, .rest_length = 2, .damping = 0.1},
      {.name = "v", .body1 = {5}, .body2 = {1}, .rest_length = 0.1},
      {.name = "w", .body1 = {4}, .body2 = {1}, .rest_length = NAN, .damping = 0.2}};
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= 3; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13;
      step_differences d =
          step_differences_of(scene_load_springs(WORLD(""), SPRINGS, 5), &def, seed);
      parameter_differences_expect(&d, names, count, 3e-3);
      step_differences_destroy(&d);
    }
}

static void test_springs(void** state) {
  (void)state;
  static const char* const NAMES[] = {
      "spring.0.stiffness", "spring.0.damping",     "spring.0.rest_length", "spring.0.point1",
      "spring.0.point2",    "spring.1.stiffness",   "spring.1.damping",     "spring.1.point1",
      "spring.1.point2",    "spring.2.rest_length", "spring.2.stiffness",   "spring.2.point1",
      "spring.3.stiffness", "spring.3.rest_length", "spring.3.point1",
  };
  expect_springs(NAMES, sizeof NAMES / sizeof *NAMES);
}

/* Places, which strings, wrenches, cranks and springs between points move with. */
static const char* const PLACES[] = {
    "body.a.position", "body.a.quaternion", "joint.ja.anchor", "joint.ja.axis",
    "body.b.position", "body.b.quaternion", "joint.jb.anchor", "body.c.position",
    "joint.jc.anchor", "body.d.position",   "joint.jd.axis",   "body.d.quaternion",
};
enum { NUM_PLACES = sizeof PLACES / sizeof *PLACES };

static void test_places_of_lines(void** state) {
  (void)state;
  parameter_differences_expect_all(
      WORLD("<tendon><spatial name='p' stiffness='30 4' damping='0.4 0.1' springlength='0.2 0.4'"
            " limited='true' range='0.1 0.3' carom:limit_stiffness='300'"
            " carom:limit_dissipation='0.02'><site site='w'/><site site='sb'/>"
            "<geom geom='round' sidesite='w'/><site site='sd'/><pulley divisor='2'/>"
            "<site site='te'/><site site='sc'/></spatial>"
            "<spatial name='q' frictionloss='0.3' armature='0.2' stiffness='25'><site "
            "site='se'/><site "
            "site='sb'/></spatial>"
            "</tendon><actuator><motor tendon='p' gear='3'/>"
            "<general tendon='q' gainprm='5 1 0.05' gaintype='affine' biastype='affine'"
            " biasprm='0.3 -9 -0.3'/><motor site='sb' gear='1 2 0.5 0.1 0.2 0.3'/>"
            "<general site='te' refsite='sd' gear='1 0.3 0.2 0.1 0.2 0.1' gainprm='10'"
            " biastype='affine' biasprm='0.1 -9 -0.2'/>"
            "<general site='sc' refsite='tc' gear='1 0.3 0.2 0.1 0.2 0.1' gainprm='10'/>"
            "<motor joint='jc' gear='0.1 0.3 0.2'/><motor jointinparent='jc' gear='0.1 0.3 0.2'/>"
            "<general cranksite='sd' slidersite='tc' cranklength='0.9' gainprm='3'"
            " biastype='affine' biasprm='0 -2 -0.1'/>"
            "<position tendon='q' kp='20' kv='0.2' forcerange='-200 200'/>"
            "<position site='te' refsite='sd' gear='1 0.3 0.2 0.1 0.2 0.1' kp='10' kv='0.2'"
            " forcerange='-200 200'/></actuator>"),
      PLACES, NUM_PLACES, 3e-3);
}

static void test_places_of_springs(void** state) {
  (void)state;
  expect_springs(PLACES, NUM_PLACES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tendons),
      cmocka_unit_test(test_actuators),
      cmocka_unit_test(test_springs),
      cmocka_unit_test(test_limited),
      cmocka_unit_test(test_inputs),
      cmocka_unit_test(test_places_of_lines),
      cmocka_unit_test(test_places_of_springs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
