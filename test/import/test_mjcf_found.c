/* MJCF files as they are found: what MuJoCo takes though it is odd, as MuJoCo takes it. */
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The later of two pairs counts, whichever way round; pairs and constraints within one rigid body
 * do nothing. */
static void test_pairs(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><geom name='a' size='1'/><geom name='c' size='1'/><body name='B'><joint/>"
      "<geom name='b' size='1'/><body name='C' pos='1 0 0'><geom name='d' size='1'/></body></body>"
      "</worldbody><contact><pair geom1='a' geom2='b' friction='.3 .3'/>\n"
      "<pair geom1='b' geom2='a' friction='.7 .7'/><pair geom1='a' geom2='c'/></contact>"
      "<equality><weld body1='C' body2='B'/></equality></mujoco>");
  assert_int_equal(model->geom.num_pairs, 1);
  check_near(model->contact.pair_friction[0], 0.7, 1e-15);
  assert_int_equal(carom_model_get_sizes(model).num_equalities, 0);
  scene_expect_note(model, "scene.xml:2: pair: given again: the later one counts");
  scene_expect_note(model, "scene.xml:2: pair: not used: its geometries are on one rigid body");
  scene_expect_note(model, "scene.xml:2: weld: not used: what it joins is one rigid body");
  carom_model_destroy(model);
}

/* Ends count over a place and an orientation. */
static void test_ends(void** state) {
  (void)state;
  carom_model* model = scene_load(
      SCENE("<geom type='capsule' size='.1' pos='7 7 7' euler='1 2 3' fromto='0 0 1 0 4 1'/>"));
  carom_geom_info info = carom_model_get_geom(model, 0);
  check_near(info.position[0], 0, 1e-15);
  check_near(info.position[1], 2, 1e-15);
  check_near(info.size[1], 2, 1e-15);
  carom_model_destroy(model);
}

/* Quaternions of zeros, of a free joint, a ball joint and a mocap body. */
static void test_zero_quaternions(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><body><freejoint/><geom size='1'/><body><joint type='slide'/><joint "
      "type='ball'/><geom size='1'/></body></body><body mocap='true'><geom size='1'/></body>"
      "</worldbody><keyframe><key qpos='1 2 3 0 0 0 0 .5 0 0 0 0' mquat='0 0 0 0'/></keyframe>"
      "</mujoco>");
  const double* q = model->keyframe.q;
  static const double WANTED[] = {1, 2, 3, 1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  for (int i = 0; i < 19; i++) check_near(q[i], WANTED[i], 1e-15);
  scene_expect_note(model,
                    "scene.xml:1: key: its quaternion 0 0 0 0 is read as 1 0 0 0 (3 places)");
  carom_model_destroy(model);
}

/* Geometries beyond group 5 give no mass, unless the compiler says so. */
static void test_groups_of_mass(void** state) {
  (void)state;
  static const char BODY[] = "<worldbody><body><freejoint/><geom size='.1' mass='2' group='5'/>"
                             "<geom size='.2' mass='5' group='7'/></body></worldbody></mujoco>";
  static const struct {
    const char* start;
    double mass;
  } CASES[] = {{"<mujoco>", 2}, {"<mujoco><compiler inertiagrouprange='0 9'/>", 7}};
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(text, sizeof text, "%s%s", CASES[i].start, BODY);
    carom_model* model = scene_load(text);
    check_near(carom_model_get_body(model, 1).mass, CASES[i].mass, 1e-14);
    carom_model_destroy(model);
  }
}

/* A muscle on a limited tendon over a slide without limits: its length ranges as the tendon's may.
 * One whose length nothing changes loads, and pulls on nothing. */
static void test_muscles(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><worldbody><site name='a' pos='0 0 1'/><site name='c' pos='1 0 1'/><body pos='0 0 "
      ".7'>"
      "<joint type='slide' axis='0 0 1'/><geom size='.1'/><site "
      "name='b'/></body></worldbody><tendon>"
      "<spatial name='t' range='.2 .45'><site site='a'/><site site='b'/></spatial><spatial "
      "name='u'>"
      "<site site='a'/><site site='c'/></spatial></tendon><actuator><muscle tendon='t'/><muscle "
      "tendon='t' gear='-2'/><muscle tendon='u'/></actuator></mujoco>");
  const double* range = model->force.actuator_length_range;
  static const double WANTED[] = {0.2, 0.45, -0.9, -0.4, 0.5, 1.5};
  for (int i = 0; i < 6; i++) check_near(range[i], WANTED[i], 1e-12);
  carom_model_destroy(model);
}

/* Planes that only are drawn may move. */
static void test_drawn_planes(void** state) {
  (void)state;
  carom_model* model = scene_load(SCENE(
      "<body><freejoint/>" BALL "<geom type='plane' size='.1 .2 1' contype='0' conaffinity='0'/>"
      "</body>"));
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 2);
  carom_model_destroy(model);
  scene_expect_error(SCENE("<body><freejoint/>" BALL "<geom type='plane' size='.1 .2 1'/></body>"),
                     CAROM_ERROR_BAD_INPUT,
                     "scene.xml:1: geom: a plane must be on a body that does not move, give a box");
}

/* What refers to copies is copied with them, behind the rest, copy by copy: names and order as
 * MuJoCo 4.0 has them. */
static void test_replicated_references(void** state) {
  (void)state;
  static const char* const NAMES[] = {"A",    "B",   "m-0", "n-0",  "q0-0",
                                      "q1-0", "m-1", "n-1", "q0-1", "q1-1"};
  static const char* const JOINTS[] = {"z",    "z",   "j-0", NULL,   "k0-0",
                                       "k1-0", "j-1", NULL,  "k0-1", "k1-1"};
  carom_model* model = scene_load(
      "<mujoco><worldbody><site name='w' pos='0 0 1'/><replicate count='2' offset='.1 0 0' sep='-'>"
      "<body name='b'><joint name='j'/>" BALL
      "<site name='s'/><replicate count='2' offset='0 .3 0'>"
      "<body name='c'><joint name='k'/>" BALL "</body></replicate></body></replicate><body><joint "
      "name='z'/>" BALL
      "</body></worldbody><tendon><spatial name='t'><site site='w'/><site site='s'/>"
      "</spatial></tendon><actuator><motor name='A' joint='z'/><motor name='m' joint='j'/><motor "
      "name='n' tendon='t'/><motor name='q' joint='k'/><motor name='B' joint='z'/></actuator>"
      "<sensor><actuatorfrc name='f' actuator='n'/></sensor></mujoco>");
  assert_int_equal(carom_model_get_sizes(model).num_actuators, 10);
  assert_int_equal(carom_model_get_sizes(model).num_sensors, 2);
  for (int i = 0; i < 10; i++) {
    carom_actuator_info info = carom_model_get_actuator(model, i);
    assert_string_equal(info.name, NAMES[i]);
    if (JOINTS[i])
      assert_string_equal(carom_model_get_joint(model, info.joint).name, JOINTS[i]);
    else
      assert_int_equal(info.tendon, i == 3 ? 0 : 1);
  }
  carom_model_destroy(model);
}

/* Bodies beside <worldbody>, which MuJoCo passes over. */
static void test_astray(void** state) {
  (void)state;
  carom_model* model =
      scene_load("<mujoco><body name='a'><joint class='nowhere'/><geom size='1'/></body><worldbody>"
                 "<body name='b'><freejoint/><geom size='1'/></body></worldbody>"
                 "<frame><body name='b'/></frame></mujoco>");
  assert_int_equal(carom_model_get_sizes(model).num_bodies, 2);
  scene_expect_note(model, "scene.xml:1: body: ignored: it does not stand in <worldbody>; put it "
                           "there (2 places)");
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_zero_quaternions),
      cmocka_unit_test(test_groups_of_mass),
      cmocka_unit_test(test_muscles),
      cmocka_unit_test(test_drawn_planes),
      cmocka_unit_test(test_replicated_references),
      cmocka_unit_test(test_astray),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
