/* Mocap bodies: they move what touches them and what is tied to them, and are otherwise a part of
 * the world. Contact pairs are those that MuJoCo 4.0 lists of the same scene. */
#include "math/quat.h"
#include "support/scene.h"
#include "support/simulation.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81

static void move(simulation* s, const char* body, double x, double y, double z) {
  carom_error error;
  const double position[3] = {x, y, z};
  check_ok(carom_sim_set_mocap(s->sim, simulation_find_body(s, body), position, NULL, &error),
           &error);
}

static void turn(simulation* s, const char* body, v3 axis, double angle) {
  carom_error error;
  double q[4];
  quat_store(quat_from_axis_angle(axis, angle), q);
  check_ok(carom_sim_set_mocap(s->sim, simulation_find_body(s, body), NULL, q, &error), &error);
}

static void expect_place(simulation* s, const char* body, double x, double y, double z,
                         double tolerance) {
  double frame[7];
  const double expected[3] = {x, y, z};
  simulation_compute_pose(s, simulation_find_body(s, body), frame);
  check_near_array(frame, expected, 3, tolerance);
}

/* --- A part of the world ------------------------------------------------------------------------
 */

/* What hangs on it, touches it, is tied to it by a weld, a tendon and a fluid-free spring. */
#define TIED                                                                                      \
  "<geom type='box' size='.3 .3 .1'/><site name='m' pos='.3 0 -.1'/>"                             \
  "<body name='arm' pos='0 .4 0'><joint axis='1 0 0' damping='.1'/>"                              \
  "<geom type='capsule' size='.03 .1' pos='0 .1 0'/></body></body>"                               \
  "<body name='ball' pos='.2 0 1.25' euler='3 5 7'><freejoint/><geom size='.1 .07 .05' "          \
  "type='box'/></body><body name='bob' pos='.3 0 .5'><freejoint/><geom size='.05'/>"              \
  "<site name='b'/></body><body name='hand' pos='-.5 0 1'><joint type='ball'/><geom size='.05 "   \
  ".1' "                                                                                          \
  "type='capsule'/></body></worldbody><tendon><spatial stiffness='40' damping='.3'>"              \
  "<site site='m'/><site site='b'/></spatial></tendon><equality><weld body1='hold' body2='hand' " \
  "carom:stiffness='500' carom:dissipation='.02'/></equality><contact><exclude body1='hold' "     \
  "body2='arm'/></contact></mujoco>"

static const char MOCAP[] = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='hold' "
                            "mocap='true' pos='0 0 1' euler='0 10 0'>" TIED;
static const char STATIC[] = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body "
                             "name='hold' pos='0 0 1' euler='0 10 0'>" TIED;

/* A mocap body that nobody moves is one that is welded to the world; only that, as in MuJoCo, it
 * does not touch what hangs on it, which is excluded here. */
static void test_still(void** state) {
  (void)state;
  simulation a = simulation_create(MOCAP, NULL), b = simulation_create(STATIC, NULL);
  int num_q = carom_model_get_sizes(b.model).num_q;
  assert_int_equal(carom_model_get_sizes(a.model).num_q, num_q + 7);
  assert_int_equal(carom_model_get_sizes(a.model).num_mocaps, 1);
  for (int i = 0; i < 250; i++) {
    simulation_step(&a);
    simulation_step(&b);
    check_near_array(a.q, b.q, num_q, 1e-9);
  }
  assert_true(a.report.contacts > 0);
  check_near(simulation_compute_energy(&a), simulation_compute_energy(&b), 1e-9);
  simulation_destroy(&a);
  simulation_destroy(&b);
}

static bool has_contact(const carom_contact* contacts, int count, int geom1, int geom2) {
  bool any = false;
  for (int i = 0; i < count; i++) any |= contacts[i].geom1 == geom1 && contacts[i].geom2 == geom2;
  return any;
}

/* Two things that have no degrees of freedom do not touch, nor does a mocap body its child. The
 * pairs are those of MuJoCo 4.0: (0, 3) and (3, 5). */
static void test_pairs(void** state) {
  (void)state;
  simulation s = simulation_create(
      SCENE("<geom type='plane' size='1 1 .1'/><geom type='box' size='.1 .1 .1' pos='1 0 0'/>"
            "<body name='m' mocap='true' pos='0 0 .05'><geom size='.1'/><body><joint axis='0 1 0'/>"
            "<geom size='.1' pos='.15 0 0'/></body><body pos='0 .3 0'><geom size='.1'/></body>"
            "</body><body mocap='true' pos='0 .1 .05'><geom size='.1'/></body>"),
      NULL);
  const carom_contact* contacts;
  int count;
  carom_error error;
  check_ok(carom_sim_compute_contacts(s.sim, &contacts, &count, &error), &error);
  assert_int_equal(count, 2);
  assert_true(has_contact(contacts, count, 0, 3) && has_contact(contacts, count, 3, 5));
  simulation_destroy(&s);
}

/* --- It moves others ----------------------------------------------------------------------------
 */

/* A box on a platform that rises by less than the recovery speed: it stands on it after each step
 * of a scheme that advances by the step's last velocity, but for the compliance of an overlap (see
 * DEEP_R in assemble.c): 1e-3 (0.1 / 0.25)² of the impact's 0.12 m/s, for a step. */
static void test_lift(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_SYMPLECTIC, 0.002);
  simulation s = simulation_create(
      SCENE("<body name='lift' mocap='true'><geom type='plane' size='1 1 1'/></body>"
            "<body name='box' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"),
      &def);
  for (int i = 1; i <= 500; i++) {
    double z = 0.1 * carom_sim_dt(s.sim) * i;
    move(&s, "lift", 0, 0, z);
    simulation_step(&s);
    expect_place(&s, "box", 0, 0, 0.1 + z, 4e-8);
  }
  turn(&s, "lift", v3_make(0, 1, 0), -0.3);
  for (int i = 0; i < 1000; i++) simulation_step(&s);
  double frame[7];
  simulation_compute_pose(&s, simulation_find_body(&s, "box"), frame);
  check_near(frame[5], sin(-0.15), 1e-6); /* flat on the slope, where friction holds it */
  simulation_destroy(&s);
}

static const char HAND[] =
    SCENE("<body name='goal' mocap='true' pos='.1 .2 1'><site name='at'/></body>"
          "<body name='hand' pos='.1 .2 .8'><freejoint/><geom type='box' size='.1 .05 .02'/>"
          "<site name='s'/></body>");

/* The hand arrives with the goal, where the scheme advances by the step's last velocity: position
 * to the compliance of equalities, 1e-9 of what moves it, rotation to the third order of the angle
 * of one step, which the row linearises. */
static void test_weld(void** state) {
  (void)state;
  char text[1000];
  snprintf(text, sizeof text,
           "%.*s<equality><weld body1='goal' body2='hand'/></equality>"
           "<sensor><framepos objtype='site' objname='s' reftype='site' "
           "refname='at'/></sensor></mujoco>",
           (int)(strlen(HAND) - strlen("</mujoco>")), HAND);
  carom_sim_def def = simulation_def(CAROM_SYMPLECTIC, 0.002);
  def.mocap_time = 0;
  simulation s = simulation_create(text, &def);
  const double below[3] = {0, 0, -0.2};
  double reading[3];
  carom_error error;
  for (int i = 1; i <= 200; i++) {
    double t = carom_sim_dt(s.sim) * i;
    move(&s, "goal", 0.1 + 0.2 * sin(3 * t), 0.2, 1 + t);
    simulation_step(&s);
    expect_place(&s, "hand", 0.1 + 0.2 * sin(3 * t), 0.2, 0.8 + t, 1e-8);
    check_ok(carom_sim_compute_sensors(s.sim, reading, &error), &error);
    check_near_array(reading, below, 3, 1e-8);
  }
  for (int i = 1; i <= 100; i++) {
    turn(&s, "goal", v3_make(0, 0, 1), 0.01 * i);
    simulation_step(&s);
    double frame[7];
    simulation_compute_pose(&s, simulation_find_body(&s, "hand"), frame);
    check_near(frame[6], sin(0.005 * i), 1e-6);
  }
  simulation_destroy(&s);
}

static const char HAND_ON_GOAL[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body name='goal' mocap='true'/>"
    "<body name='hand'><joint type='slide' axis='1 0 0'/><geom size='.1'/></body></worldbody>"
    "<equality><connect body1='goal' body2='hand' anchor='0 0 0'/></equality></mujoco>";

/* What a mocap body holds follows with a time constant: behind a goal at 1.5 m/s it lags by 1.5 m/s
 * times that, and a gap of 0.8 m is closed as (1 - dt / tau)^n. Below the recovery speed, 0.25 m/s,
 * it follows at once. */
static void test_lag(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_IMPLICIT, 0.002);
  for (int k = 0; k < 2; k++) {
    double tau = k ? 0.05 : def.mocap_time, gap = 0.8;
    def.mocap_time = tau;
    simulation s = simulation_create(HAND_ON_GOAL, &def);
    for (int i = 1; i <= 500; i++) {
      move(&s, "goal", 1.5 * def.dt * i, 0, 0);
      simulation_step(&s);
    }
    check_near(1.5 * def.dt * 500 - s.q[0], 1.5 * tau - 1.5 * def.dt, 1e-6);
    move(&s, "goal", s.q[0] + gap, 0, 0);
    double goal = s.q[0] + gap;
    for (int i = 0; i < 20; i++, gap *= 1 - def.dt / tau) {
      check_near(goal - s.q[0], gap, 1e-6);
      simulation_step(&s);
    }
    simulation_destroy(&s);
  }
  simulation s = simulation_create(HAND_ON_GOAL, &def);
  for (int i = 1; i <= 100; i++) {
    move(&s, "goal", 0.2 * def.dt * i, 0, 0);
    simulation_step(&s);
    check_near(s.q[0], 0.2 * def.dt * i, 1e-9);
  }
  simulation_destroy(&s);
}

/* The midpoint rule advances by the mean of two velocities, of which the last would close the gap
 * e: dt v <- e, e <- e - (dt v_old + e) / 2, which shrinks by the square root of two in a step. */
static void test_midpoint(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.002);
  def.mocap_time = 0;
  simulation s = simulation_create(HAND_ON_GOAL, &def);
  move(&s, "goal", 1, 0, 0);
  double left = 1, way = 0;
  for (int i = 0; i < 20; i++) {
    double wanted = left;
    simulation_step(&s);
    left -= 0.5 * (way + wanted);
    way = wanted;
    check_near(1 - s.q[0], left, 1e-6);
  }
  simulation_destroy(&s);
}

/* A weight on a spring whose upper end is moved comes to rest m g / k below it. */
static void test_spring(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><body name='top' mocap='true' pos='0 0 2'><site name='a'/></body>"
      "<body name='bob' pos='0 0 1'><freejoint/><geom size='.05' mass='2'/><site name='b'/></body>"
      "</worldbody><tendon><spatial stiffness='100' damping='40' springlength='.5'>"
      "<site site='a'/><site site='b'/></spatial></tendon></mujoco>",
      NULL);
  simulation_run_until(&s, 10);
  expect_place(&s, "bob", 0, 0, 2 - 0.5 - 2 * G / 100, 1e-9);
  move(&s, "top", 0, 0, 5);
  simulation_run_until(&s, 20);
  expect_place(&s, "bob", 0, 0, 5 - 0.5 - 2 * G / 100, 1e-9);
  simulation_destroy(&s);
}

/* --- State --------------------------------------------------------------------------------------
 */

static const char KEYS[] =
    "<mujoco><worldbody><body name='b'><joint axis='0 1 0'/><geom size='.1'/></body>"
    "<body name='m' mocap='true' pos='1 2 3'><body name='w' pos='0 0 1'/></body>"
    "<body name='n' mocap='true'/></worldbody><keyframe>"
    "<key qpos='.5' mpos='4 5 6 7 8 9' mquat='0 2 0 0 1 0 0 0'/><key qpos='.25'/></keyframe>"
    "</mujoco>";

/* Poses stand last in q; keyframes give them, in the format's two lists. */
static void test_keyframes(void** state) {
  (void)state;
  simulation s = simulation_create(KEYS, NULL);
  carom_error error;
  const double first[] = {0.5, 4, 5, 6, 0, 1, 0, 0, 7, 8, 9, 1, 0, 0, 0};
  const double second[] = {0.25, 1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  assert_int_equal(carom_model_get_sizes(s.model).num_q, 15);
  check_near_array(s.q, first, 15, 0);
  expect_place(&s, "w", 4, 5, 5, 1e-15);
  check_ok(carom_sim_set_keyframe(s.sim, 1, &error), &error);
  check_near_array(s.q, second, 15, 0);
  assert_int_equal(carom_model_get_body(s.model, simulation_find_body(&s, "m")).mocap_address, 1);
  assert_int_equal(carom_model_get_body(s.model, simulation_find_body(&s, "n")).mocap_address, 8);
  assert_int_equal(carom_model_get_body(s.model, simulation_find_body(&s, "w")).mocap_address, -1);
  assert_int_equal(carom_model_get_body(s.model, simulation_find_body(&s, "b")).mocap_address, -1);
  simulation_destroy(&s);
}

/* A saved state holds the poses. */
static void test_restore(void** state) {
  (void)state;
  simulation s = simulation_create(KEYS, NULL);
  carom_error error;
  size_t size = carom_sim_state_size(s.sim);
  void* saved = malloc(size);
  assert_non_null(saved);
  move(&s, "m", 1, 1, 1);
  carom_sim_save(s.sim, saved);
  move(&s, "m", 2, 2, 2);
  check_ok(carom_sim_restore(s.sim, saved, size, &error), &error);
  expect_place(&s, "m", 1, 1, 1, 0);
  free(saved);
  simulation_destroy(&s);
}

/* --- Refusals -----------------------------------------------------------------------------------
 */

static void expect_refused(simulation* s, int body, const double* p, const double* q,
                           const char* sentence) {
  carom_error error;
  double before[15];
  memcpy(before, s->q, sizeof before);
  assert_int_equal(carom_sim_set_mocap(s->sim, body, p, q, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, sentence);
  assert_memory_equal(before, s->q, sizeof before);
}

static void test_refusals(void** state) {
  (void)state;
  simulation s = simulation_create(KEYS, NULL);
  const double bad[4] = {0, 1, NAN, 0}, zero[4] = {0};
  int m = simulation_find_body(&s, "m"), w = simulation_find_body(&s, "w");
  expect_refused(&s, -1, NULL, NULL, "mocap: body -1 is no mocap body");
  expect_refused(&s, 0, NULL, NULL, "mocap: body 0 is no mocap body");
  expect_refused(&s, 99, NULL, NULL, "mocap: body 99 is no mocap body");
  expect_refused(&s, w, NULL, NULL, "mocap: body 3 is no mocap body");
  expect_refused(&s, m, bad, NULL, "state: mocap position[2] is nan, must be finite");
  expect_refused(&s, m, NULL, bad, "state: mocap quaternion[2] is nan, must be finite");
  expect_refused(&s, m, NULL, zero, "mocap: the quaternion is zero");
  simulation_destroy(&s);
  scene_expect_error(SCENE("<body><body mocap='true' name='m'/></body>"), CAROM_ERROR_BAD_INPUT,
                     "scene.xml:1: body 'm': a mocap body must hang on the world");
  scene_expect_error(SCENE("<body mocap='true'><joint name='j'/>" BALL "</body>"),
                     CAROM_ERROR_BAD_INPUT,
                     "scene.xml:1: joint 'j': its body is a mocap body, which has no joints");
  scene_expect_error(
      "<mujoco><worldbody><body mocap='true'/></worldbody><keyframe><key mpos='1 2'/></keyframe>"
      "</mujoco>",
      CAROM_ERROR_BAD_INPUT,
      "scene.xml:1: keyframe: mocap_position has 2 numbers, the model has 3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_still),   cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_lift),    cmocka_unit_test(test_weld),
      cmocka_unit_test(test_lag),     cmocka_unit_test(test_midpoint),
      cmocka_unit_test(test_spring),  cmocka_unit_test(test_keyframes),
      cmocka_unit_test(test_restore), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
