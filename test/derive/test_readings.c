/* Derivatives of sensors and energies, against differences of readings: at a state, and after a
 * step; with respect to parameters, of models that were compiled with them. */
#include "support/reading_differences.h"

#include <string.h>

#define JOINTS                                                                                    \
  "<option timestep='0.002'/><worldbody><site name='fixed' pos='0.3 0.2 1.5'/>"                   \
  "<geom name='floor' type='plane' size='9 9 1' contype='0' conaffinity='0'/>"                    \
  "<body name='base' pos='0 0 1'><freejoint/>"                                                    \
  "<inertial pos='0.02 0.01 -0.03' mass='3' fullinertia='0.03 0.04 0.05 0.002 0.003 0.001'/>"     \
  "<geom type='sphere' size='0.1' contype='0' conaffinity='0'/>"                                  \
  "<site name='imu' pos='0.1 0 0.05' euler='10 20 30'/>"                                          \
  "<body name='arm' pos='0.2 0 0'><joint name='ball' type='ball' range='0 20' limited='true'"     \
  " damping='0.1'/><inertial pos='0.1 0 0.02' mass='1' fullinertia='0.02 0.02 0.03 0 0.001 0'/>"  \
  "<site name='elbow' pos='0.2 0 0'/>"                                                            \
  "<body name='hand' pos='0.3 0 0'><joint name='hinge' axis='0.2 1 0.1' stiffness='4'"            \
  " springref='15' damping='0.05' armature='0.02' range='-5 5' limited='true'"                    \
  " actuatorfrcrange='-90 90'/><joint name='slide' type='slide' axis='1 0 0.3'/>"                 \
  "<inertial pos='0.05 0.02 0' mass='0.6' diaginertia='0.004 0.005 0.006'/>"                      \
  "<site name='tip' pos='0.15 0.02 0.03' euler='40 0 10'/></body></body></body>"                  \
  "<body name='crate' pos='1 1 1'><freejoint/><inertial pos='0 0 0' mass='2'"                     \
  " diaginertia='0.02 0.03 0.04'/></body></worldbody>"                                            \
  "<tendon><spatial name='string' stiffness='20' damping='0.5' springlength='0.05 0.1' "          \
  "limited='true'"                                                                                \
  " range='0 0.3'><site site='fixed'/><site site='imu'/><site site='tip'/></spatial>"             \
  "<fixed name='sum'><joint joint='hinge' coef='0.7'/><joint joint='slide' coef='-1.2'/></fixed>" \
  "<fixed name='tight' actuatorfrcrange='-0.5 0.5'><joint joint='slide' coef='2'/></fixed>"       \
  "</tendon><actuator><motor name='motor' joint='hinge' gear='2'/>"                               \
  "<general name='servo' joint='slide' gear='1.5' gainprm='5 1 0.5' gaintype='affine'"            \
  " biastype='affine' biasprm='0.3 -4 -0.3'/>"                                                    \
  "<general name='pull' tendon='string' dyntype='filter' dynprm='0.1' gainprm='3'/>"              \
  "<position name='both' tendon='sum' kp='3'/><motor name='idle' joint='hinge' gear='0'/>"        \
  "<position name='one' tendon='tight' kp='30'/><position name='two' tendon='tight' kp='20'"      \
  " kv='1'/></actuator>"

#define OF_STATE                                                                               \
  "<jointpos joint='hinge'/><jointvel joint='slide'/><jointlimitpos joint='hinge'/>"           \
  "<jointlimitvel joint='hinge'/><jointlimitpos joint='ball'/><jointlimitvel joint='ball'/>"   \
  "<jointactuatorfrc joint='hinge'/><jointactuatorfrc joint='slide'/>"                         \
  "<ballquat joint='ball'/><ballangvel joint='ball'/><tendonpos tendon='string'/>"             \
  "<tendonvel tendon='string'/><tendonlimitpos tendon='string'/>"                              \
  "<tendonlimitvel tendon='string'/><tendonpos tendon='sum'/><tendonvel tendon='sum'/>"        \
  "<tendonactuatorfrc tendon='string'/><tendonactuatorfrc tendon='sum'/>"                      \
  "<actuatorpos actuator='pull'/><actuatorvel actuator='pull'/><actuatorfrc actuator='pull'/>" \
  "<actuatorfrc actuator='servo'/><actuatorfrc actuator='both'/>"                              \
  "<actuatorfrc actuator='idle'/><actuatorfrc actuator='one'/><actuatorfrc actuator='two'/>"   \
  "<tendonactuatorfrc tendon='tight'/>"                                                        \
  "<framepos objtype='site' objname='tip'/>"                                                   \
  "<framepos objtype='site' objname='tip' reftype='site' refname='imu'/>"                      \
  "<framequat objtype='site' objname='tip' reftype='xbody' refname='crate'/>"                  \
  "<framexaxis objtype='site' objname='tip' reftype='site' refname='imu'/>"                    \
  "<framezaxis objtype='body' objname='arm'/>"                                                 \
  "<framelinvel objtype='site' objname='tip' reftype='xbody' refname='crate'/>"                \
  "<framelinvel objtype='site' objname='tip'/>"                                                \
  "<frameangvel objtype='site' objname='tip' reftype='site' refname='imu'/>"                   \
  "<subtreecom body='base'/><subtreelinvel body='base'/><subtreeangmom body='base'/>"          \
  "<subtreeangmom body='arm'/><subtreecom body='world'/><velocimeter site='imu'/>"             \
  "<gyro site='tip'/><magnetometer site='imu'/><clock/><e_potential/><e_kinetic/>"             \
  "<jointvel joint='hinge' cutoff='1e-9'/>"

#define OF_STEP                                            \
  "<accelerometer site='imu'/><accelerometer site='tip'/>" \
  "<framelinacc objtype='xbody' objname='hand'/><frameangacc objtype='site' objname='tip'/>"

static const char STATE[] = "<mujoco>" JOINTS "<sensor>" OF_STATE "</sensor></mujoco>";
static const char STEP[] = "<mujoco><option><flag limit='disable'/></option>" JOINTS
                           "<sensor>" OF_STATE OF_STEP "</sensor></mujoco>";

/* --- Tests --------------------------------------------------------------------------------------
 */

static const char* const NAMES[] = {
    "model.gravity",
    "body.arm.mass",
    "body.hand.com",
    "body.hand.inertia",
    "joint.hinge.armature",
    "joint.hinge.stiffness",
    "actuator.servo.gain",
    "actuator.servo.bias",
    "actuator.servo.gain_feedback",
    "actuator.motor.gain",
    "joint.hinge.spring_reference",
    "actuator.servo.gear",
    "actuator.pull.gear",
    "actuator.both.gear",
    "tendon.string.stiffness",
    "tendon.string.stiffness_more",
    "tendon.string.rest",
    "joint.hinge.stiffness_more",
    "body.hand.position",
    "body.hand.quaternion",
    "joint.ball.anchor",
    "joint.hinge.axis",
};
enum { NUM_NAMES = sizeof NAMES / sizeof *NAMES };

static void test_state(void** state) {
  (void)state;
  for (int seed = 1; seed <= 3; seed++) {
    reading_differences w = reading_differences_create(STATE, NULL, seed);
    reading_differences_ask(&w, false, NAMES, NUM_NAMES);
    reading_differences_expect(&w, NAMES);
    reading_differences_destroy(&w);
  }
}

static void test_after_step(void** state) {
  (void)state;
  for (int seed = 1; seed <= 2; seed++) {
    reading_differences w = reading_differences_create(STEP, NULL, seed);
    reading_differences_ask(&w, true, NAMES, NUM_NAMES);
    reading_differences_expect(&w, NAMES);
    assert_int_equal(w.out.num_held, 0);
    reading_differences_destroy(&w);
  }
}

static const char REFUSED[] =
    "<mujoco><worldbody><body name='b'><freejoint/><geom size='0.1'/><site name='s'/></body>"
    "</worldbody><sensor><force name='force' site='s'/><touch name='touch' site='s'/>"
    "<accelerometer name='imu' site='s'/>"
    "<framequat name='frame' objtype='body' objname='b'/></sensor></mujoco>";

static void expect_refusal(carom_sim* sim, int sensor, const carom_parameter* p, const char* why) {
  carom_error error;
  carom_reading_derivatives out = {.of = &sensor, .num_of = 1};
  if (p) out.parameters = p, out.num_parameters = 1;
  assert_int_not_equal(carom_sim_differentiate_readings(sim, &out, &error), CAROM_OK);
  if (!strstr(error.message, why)) fail_msg("%s", error.message);
}

static void test_refusals(void** state) {
  (void)state;
  step_differences d = step_differences_create(REFUSED, NULL, 0);
  carom_parameter com;
  assert_int_equal(carom_builder_find_parameter(carom_model_get_description(d.model),
                                                "body.b.inertia", &com, NULL),
                   0);
  expect_refusal(d.sim, 0, NULL, "sensor \"force\" (0): an acceleration is a step's");
  expect_refusal(d.sim, 1, NULL, "are a step's, ask for the reading after the step");
  expect_refusal(d.sim, 2, NULL, "sensor \"imu\" (2): an acceleration is a step's, ask for");
  expect_refusal(d.sim, 3, &com, "its principal axes turn with the parameter");
  expect_refusal(d.sim, 4, NULL, "there is no sensor 4, the model has 4");
  assert_int_equal(carom_sim_differentiate_readings(d.sim, NULL, NULL),
                   CAROM_ERROR_INVALID_ARGUMENT);
  step_differences_destroy(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_state),
      cmocka_unit_test(test_after_step),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
