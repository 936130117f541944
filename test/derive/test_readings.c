/* Derivatives of sensors and energies, against differences of readings: at a state, and after a
 * step; with respect to parameters, of models that were compiled with them. */
#include "support/parameter_differences.h"

#include "carom/parameter.h"
#include "carom/sensor.h"

#include <math.h>
#include <stdlib.h>
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
  "<tendon><spatial name='string' stiffness='20' damping='0.5' springlength='0.1' limited='true'" \
  " range='0 0.3'><site site='fixed'/><site site='imu'/><site site='tip'/></spatial>"             \
  "<fixed name='sum'><joint joint='hinge' coef='0.7'/><joint joint='slide' coef='-1.2'/></fixed>" \
  "</tendon><actuator><motor name='motor' joint='hinge' gear='2'/>"                               \
  "<general name='servo' joint='slide' gear='1.5' gainprm='5 1 0.5' gaintype='affine'"            \
  " biastype='affine' biasprm='0.3 -4 -0.3'/>"                                                    \
  "<general name='pull' tendon='string' dyntype='filter' dynprm='0.1' gainprm='3'/>"              \
  "<position name='both' tendon='sum' kp='3'/></actuator>"

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

/* --- What is asked for --------------------------------------------------------------------------
 */

/* All sensors and both energies of a simulation, with their derivatives. */
typedef struct wanted {
  step_differences d;
  carom_reading_derivatives out;
  int rows, num_x, num_u, num_theta;
  carom_parameter parameters[32];
} wanted;

static double* push(int count) {
  double* x = calloc((size_t)count + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static wanted create(const char* text, int seed, bool after, const char* const* names, int count) {
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-13;
  wanted w = {.d = step_differences_create(text, &def, seed)};
  const carom_model* m = w.d.model;
  int sensors = carom_model_get_sizes(m).num_sensors;
  int* of = calloc((size_t)sensors + 2, sizeof *of);
  assert_non_null(of);
  for (int i = 0; i < sensors; i++) of[i] = i;
  of[sensors] = CAROM_READING_KINETIC, of[sensors + 1] = CAROM_READING_POTENTIAL;
  w.out.of = of, w.out.num_of = sensors + 2, w.out.after_step = after;
  w.rows = carom_model_count_readings(m, of, sensors + 2);
  w.num_x = w.d.num_x, w.num_u = w.d.num_u;
  for (int i = 0; i < count; i++) {
    carom_error error;
    if (carom_builder_find_parameter(carom_model_get_description(m), names[i], &w.parameters[i],
                                     &error) != CAROM_OK)
      fail_msg("%s", error.message);
    w.num_theta += w.parameters[i].count;
  }
  w.out.num_parameters = count;
  w.out.x = push(w.rows * w.num_x), w.out.u = push(w.rows * w.num_u);
  w.out.theta = push(w.rows * w.num_theta);
  step_differences_save(&w.d);
  return w;
}

static void differentiate(wanted* w) {
  carom_error error;
  w->out.parameters = w->parameters;
  if (carom_sim_differentiate_readings(w->d.sim, &w->out, &error) != CAROM_OK)
    fail_msg("%s", error.message);
}

static void destroy(wanted* w) {
  free((void*)(uintptr_t)w->out.of), free(w->out.x), free(w->out.u), free(w->out.theta);
  step_differences_destroy(&w->d);
}

/* --- Differences --------------------------------------------------------------------------------
 */

static void read(const wanted* w, carom_sim* sim, double* y) {
  carom_error error;
  if (w->out.after_step) assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
  if (carom_sim_compute_sensors(sim, y, &error) != CAROM_OK) fail_msg("%s", error.message);
  carom_energy e = carom_sim_compute_energy(sim);
  y[w->rows - 2] = e.kinetic, y[w->rows - 1] = e.potential + e.elastic;
}

/* Quaternions of either sign are the same. */
static void align(const double* base, double* y, int rows) {
  for (int i = 0; i < rows; i++)
    if (fabs(y[i] + base[i]) < 1e-2 * fabs(base[i]) && fabs(base[i]) > 1e-3) y[i] = -y[i];
}

static const double NODE[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};

static void expect_column(const wanted* w, const double* M, int columns, int c, const double* sum,
                          const char* name) {
  double most = 1;
  for (int i = 0; i < w->rows; i++) most = fmax(most, fabs(sum[i]));
  for (int i = 0; i < w->rows; i++)
    if (fabs(M[i * columns + c] - sum[i]) > 1e-7 * most)
      fail_msg("%s %d row %d: %.12g, by differences %.12g", name, c, i, M[i * columns + c], sum[i]);
}

static void check_state(wanted* w) {
  double *y = push(w->rows), *sum = push(w->rows), *base = push(w->rows);
  const double h = 1e-4;
  step_differences_move(&w->d, 0, 0);
  read(w, w->d.sim, base);
  for (int c = 0; c < w->num_x + w->num_u; c++) {
    memset(sum, 0, sizeof *sum * (size_t)w->rows);
    for (int k = 0; k < 4; k++) {
      step_differences_move(&w->d, c, NODE[k] * h);
      read(w, w->d.sim, y);
      align(base, y, w->rows);
      for (int i = 0; i < w->rows; i++) sum[i] += WEIGHT[k] / (12 * h) * y[i];
    }
    bool is_x = c < w->num_x;
    expect_column(w, is_x ? w->out.x : w->out.u, is_x ? w->num_x : w->num_u,
                  is_x ? c : c - w->num_x, sum, is_x ? "x" : "u");
  }
  free(y), free(sum), free(base);
}

/* Readings of a model with a parameter moved by h. */
static void read_other(const wanted* w, const carom_parameter* p, int element, double h,
                       double* y) {
  carom_model* model = NULL;
  carom_sim* sim = parameter_differences_vary(&w->d, p, element, h, &model);
  read(w, sim, y);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static double scale_of(const wanted* w, const carom_parameter* p, int element) {
  double values[16];
  const carom_builder* description = carom_model_get_description(w->d.model);
  assert_int_equal(carom_builder_get_parameter(description, p, values, NULL), 0);
  return fmax(fabs(values[element]), 0.005);
}

static void check_parameters(wanted* w, const char* const* names) {
  double *y = push(w->rows), *sum = push(w->rows);
  assert_int_equal(carom_sim_restore(w->d.sim, w->d.state, w->d.size, NULL), 0);
  for (int i = 0, at = 0; i < w->out.num_parameters; i++)
    for (int e = 0; e < w->parameters[i].count; e++, at++) {
      double h = 3e-3 * scale_of(w, &w->parameters[i], e);
      memset(sum, 0, sizeof *sum * (size_t)w->rows);
      for (int k = 0; k < 4; k++) {
        read_other(w, &w->parameters[i], e, NODE[k] * h, y);
        for (int r = 0; r < w->rows; r++) sum[r] += WEIGHT[k] / (12 * h) * y[r];
      }
      expect_column(w, w->out.theta, w->num_theta, at, sum, names[i]);
    }
  free(y), free(sum);
}

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
};
enum { NUM_NAMES = sizeof NAMES / sizeof *NAMES };

static void test_state(void** state) {
  (void)state;
  for (int seed = 1; seed <= 3; seed++) {
    wanted w = create(STATE, seed, false, NAMES, NUM_NAMES);
    differentiate(&w);
    check_state(&w);
    check_parameters(&w, NAMES);
    destroy(&w);
  }
}

static void test_after_step(void** state) {
  (void)state;
  for (int seed = 1; seed <= 2; seed++) {
    wanted w = create(STEP, seed, true, NAMES, NUM_NAMES);
    differentiate(&w);
    assert_int_equal(w.out.num_held, 0);
    check_state(&w);
    check_parameters(&w, NAMES);
    destroy(&w);
  }
}

static const char REFUSED[] =
    "<mujoco><worldbody><body name='b'><freejoint/><geom size='0.1'/><site name='s'/></body>"
    "</worldbody><sensor><force name='force' site='s'/><touch name='touch' site='s'/>"
    "<rangefinder name='ray' site='s'/><accelerometer name='imu' site='s'/>"
    "<framepos name='frame' objtype='body' objname='b'/></sensor></mujoco>";

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
  expect_refusal(d.sim, 0, NULL, "sensor \"force\" (0): what passes between bodies has none");
  expect_refusal(d.sim, 1, NULL, "sensor \"touch\" (1): impulses of contacts and limits have none");
  expect_refusal(d.sim, 2, NULL, "sensor \"ray\" (2): its ray ends on one surface or another");
  expect_refusal(d.sim, 3, NULL, "sensor \"imu\" (3): an acceleration is a step's, ask after one");
  expect_refusal(d.sim, 4, &com, "its frame moves with the parameter");
  expect_refusal(d.sim, 5, NULL, "there is no sensor 5, the model has 5");
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
