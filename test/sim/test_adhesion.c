/* Adhesion: what a body bears by what it sticks to, against statics. MuJoCo 4.0 lets the same cup
 * fall at a control of 0.652 and holds it at 0.656, with the same force in the contacts. */
#include "support/scene.h"
#include "support/simulation.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>

#define G 9.81

/* A cup of 2 kg under a ceiling, at a wall or on a slope of what is fixed, with 30 N at most. */
#define CUP(fixed, place)                                                                    \
  "<mujoco><worldbody>" fixed "<body name='cup' " place "><freejoint/>"                      \
  "<geom name='c' type='box' size='.1 .1 .05' mass='2'/><site name='s'/></body></worldbody>" \
  "<actuator><adhesion name='a' body='cup' ctrlrange='0 1' gain='30'/></actuator><sensor>"   \
  "<contact name='net' body1='cup' data='found force' reduce='netforce'/>"                   \
  "<force name='w' site='s'/><actuatorfrc name='f' actuator='a'/></sensor></mujoco>"

static const char CEILING[] =
    CUP("<geom type='box' size='1 1 .1' pos='0 0 1.1'/>", "pos='0 0 .95'");
static const char WALL[] = CUP("<geom type='box' size='.1 1 1' pos='.15 0 0' friction='.8' "
                               "priority='1'/>",
                               "euler='0 90 0'");

/* How far the cup has fallen after a second at a control. */
static double hang(simulation* s, double control) {
  double frame[7];
  int cup = simulation_find_body(s, "cup");
  simulation_compute_pose(s, cup, frame);
  double start = frame[2];
  *carom_sim_controls(s->sim) = control;
  simulation_run_until(s, 1);
  simulation_compute_pose(s, cup, frame);
  return start - frame[2];
}

static const double* read_sensor(simulation* s, const char* name) {
  static double readings[16];
  carom_error error;
  check_ok(carom_sim_compute_sensors(s->sim, readings, &error), &error);
  int index = carom_model_find_sensor(s->model, name);
  return readings + carom_model_get_sensor(s->model, index).address;
}

/* 30 N times the control bears the weight of 19.62 N from 0.654 on; the contacts take the rest. */
static void test_ceiling(void** state) {
  (void)state;
  for (int i = 0; i < NUM_SCHEMES; i++) {
    carom_sim_def def = simulation_def(SCHEMES[i].scheme, 0.002);
    simulation low = simulation_create(CEILING, &def), high = simulation_create(CEILING, &def);
    assert_true(hang(&low, 0.652) > 1);
    check_near(hang(&high, 0.656), 0, 1e-6);
    check_near(read_sensor(&high, "net")[3], 0.656 * 30 - 2 * G, 1e-4);
    check_near_array(read_sensor(&high, "w"), ((const double[]){0, 0, 0}), 3, 1e-3);
    check_near(read_sensor(&high, "f")[0], 0.656 * 30, 1e-12);
    simulation_destroy(&low);
    simulation_destroy(&high);
  }
}

/* At a wall friction bears the weight where mu F = m g: from 0.8175 on. */
static void test_wall(void** state) {
  (void)state;
  simulation low = simulation_create(WALL, NULL), high = simulation_create(WALL, NULL);
  const double a = G - 0.8 * 30 * 0.8 / 2; /* mu F does not suffice: it slips with this, */
  *carom_sim_controls(low.sim) = 0.8;
  simulation_run_until(&low, 0.2);
  check_near(-low.v[2], a * 0.2, 1e-5); /* as long as it touches */
  check_near(hang(&high, 0.83), 0, 1e-6);
  simulation_destroy(&low);
  simulation_destroy(&high);
}

/* What does not touch is not pulled, and falls. */
static void test_apart(void** state) {
  (void)state;
  simulation s = simulation_create(
      CUP("<geom type='box' size='1 1 .1' pos='0 0 1.1'/>", "pos='0 0 .9499'"), NULL);
  *carom_sim_controls(s.sim) = 1;
  simulation_run_until(&s, 0.5);
  check_near(s.q[2], 0.9499 - 0.5 * G * 0.25, 1e-9);
  simulation_destroy(&s);
}

/* Two sliding balls that touch: the pull of one holds both, up to its force over what moves apart,
 * F = f m_b / (m_a + m_b) on the other with f on the first. */
static void test_pair(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><joint name='ja' type='slide' "
      "axis='1 0 0'/><geom size='.1' mass='1'/></body><body name='b' pos='.2 0 0'><joint name='jb' "
      "type='slide' axis='1 0 0'/><geom size='.1' mass='3'/></body></worldbody><actuator>"
      "<adhesion body='a' gain='2' ctrlrange='0 1'/><motor joint='ja'/></actuator></mujoco>",
      NULL);
  double* ctrl = carom_sim_controls(s.sim);
  ctrl[0] = 1, ctrl[1] = -2.6; /* 1.95 N on b */
  simulation_run_until(&s, 0.5);
  check_near(s.v[0], -2.6 / 4 * 0.5, 1e-9);
  check_near(s.v[1], -2.6 / 4 * 0.5, 1e-9);
  ctrl[1] = -2.8; /* 2.1 N */
  simulation_run_until(&s, 0.6);
  assert_true(s.v[1] > s.v[0] + 1e-3);
  simulation_destroy(&s);
}

static void test_errors(void** state) {
  (void)state;
  scene_expect_error("<mujoco><worldbody><body name='b'/></worldbody><actuator><adhesion body='b' "
                     "ctrlrange='-1 1'/></actuator></mujoco>",
                     CAROM_ERROR_BAD_INPUT,
                     "scene.xml:1: adhesion: ctrlrange starts at -1, must not be negative");
  scene_expect_error("<mujoco><worldbody><body name='b'/></worldbody><actuator><muscle body='b'/>"
                     "</actuator></mujoco>",
                     CAROM_ERROR_BAD_INPUT,
                     "scene.xml:1: actuator: it acts on a body, where a muscle has no length");
}

/* A cup of 2 kg with a sticky surface, under a ceiling that it touches with four points; the sum of
 * both surfaces' adhesion, or that of the one with the higher priority, or of the pair. MuJoCo 4.0
 * lets it fall at 4.89 N a point and holds it at 4.93 N (with a gap of 1 cm). */
static double hang_sticky(const char* ceiling, const char* cup, const char* pair) {
  char text[600];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom name='b' type='box' size='1 1 .1' pos='0 0 1.1' %s/>"
           "<body name='cup' pos='0 0 .95'><freejoint/><geom name='c' type='box' "
           "size='.1 .1 .05' mass='2' %s/></body></worldbody><contact>%s</contact></mujoco>",
           ceiling, cup, pair);
  simulation s = simulation_create(text, NULL);
  simulation_run_until(&s, 1);
  double fallen = 0.95 - s.q[2];
  simulation_destroy(&s);
  return fallen;
}

static void test_sticky_surfaces(void** state) {
  (void)state;
  assert_true(hang_sticky("adhesion='2'", "adhesion='2.9'", "") > 1);
  check_near(hang_sticky("adhesion='2'", "adhesion='2.91'", ""), 0, 1e-6);
  assert_true(hang_sticky("adhesion='2' priority='1'", "adhesion='9'", "") > 1);
  check_near(hang_sticky("adhesion='4.91' priority='1'", "adhesion='-0'", ""), 0, 1e-6);
  assert_true(hang_sticky("adhesion='9'", "", "<pair geom1='b' geom2='c'/>") > 1);
  check_near(hang_sticky("", "", "<pair geom1='b' geom2='c' adhesion='4.91'/>"), 0, 1e-6);
}

/* Over a gap: what is below a magnet within its gap rises to it, beyond it falls. */
static void test_gap(void** state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom type='box' size='1 1 .1' pos='0 0 1.1' gap='.01' "
             "adhesion='10'/><body pos='0 0 %g'><freejoint/><geom type='sphere' size='.05' "
             "mass='.5'/></body></worldbody></mujoco>",
             i ? 0.9401 : 0.9399);
    simulation s = simulation_create(text, NULL);
    simulation_run_until(&s, 0.02);
    /* Half a kilogram under 10 N less its weight. */
    check_near(s.v[2], i ? 0.02 * (20 - G) : -0.02 * G, 1e-12);
    simulation_run_until(&s, 1);
    assert_true(i ? fabs(s.q[2] - 0.95) < 1e-5 : s.q[2] < 0);
    simulation_destroy(&s);
  }
}

/* At a wall, where the pull of four corners makes friction: mu 4 A = m g from 6.13 N on, whatever
 * number of points the contact has. */
static void test_sticky_wall(void** state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    int i = k % 2;
    carom_sim_def def = carom_sim_def_default();
    def.patches = k < 2 ? CAROM_PATCHES_CORNERS : CAROM_PATCHES_AREA;
    char text[400];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom type='box' size='.1 1 1' pos='.15 0 0' friction='.8' "
             "priority='1' adhesion='%g'/><body euler='0 90 0'><freejoint/><geom type='box' "
             "size='.1 .1 .05' mass='2'/></body></worldbody></mujoco>",
             i ? 6.2 : 6.0);
    simulation s = simulation_create(text, &def);
    simulation_run_until(&s, 0.2);
    if (i)
      check_near(s.q[2], 0, 1e-6);
    else
      check_near(-s.v[2], (G - 4 * 6.0 * 0.8 / 2) * 0.2, 1e-5);
    simulation_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ceiling),     cmocka_unit_test(test_wall),
      cmocka_unit_test(test_apart),       cmocka_unit_test(test_pair),
      cmocka_unit_test(test_errors),      cmocka_unit_test(test_sticky_surfaces),
      cmocka_unit_test(test_sticky_wall), cmocka_unit_test(test_gap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
