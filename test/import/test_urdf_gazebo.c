/* What a URDF file says to Gazebo: sensors, links that do not collide with their own robot or have
 * no weight, springs of joints, against what follows by hand. */
#include "support/check.h"
#include "support/scene.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A link of 2 kg with a ball of 0.1 m. */
#define LINK(name)                                                                      \
  "<link name='" name "'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/>" \
  "</inertial><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
#define HINGE(name, parent, child, place)                                                   \
  "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child \
  "'/><axis xyz='0 0 1'/><origin xyz='" place "'/></joint>"
#define ROBOT(rest)                                                                            \
  "<robot name='r'><mujoco><option gravity='0 0 -10'/></mujoco><link name='world'/>" LINK("a") \
      HINGE("ja", "world", "a", "0 0 1") rest "</robot>"

/* 0.1 m from an axis at 2 rad/s, held against gravity, on its side; the joint bears 20 N. */
static void test_sensors(void** state) {
  (void)state;
  static const char TEXT[] =
      ROBOT("<gazebo reference='a'><sensor name='i' type='imu'><always_on>1</always_on>"
            "<pose>0.1 0 0 1.5707963267948966 0 0</pose><plugin filename='x' name='y'/></sensor>"
            "<sensor name='c' type='contact'><contact><collision>c</collision></contact></sensor>"
            "<sensor name='cam' type='camera'/></gazebo>"
            "<gazebo reference='ja'><sensor name='f' type='force_torque'/>"
            "<provideFeedback>true</provideFeedback></gazebo><gazebo><sensor name='x' "
            "type='imu'/></gazebo>"
            "<sensor name='lone' type='imu'/>");
  const double v[1] = {2}, c = sqrt(0.5);
  scene_check_reading(TEXT, 0, v, "a::i.orientation", 1e-15, c, c, 0, 0);
  scene_check_reading(TEXT, 0, v, "a::i.angular_velocity", 1e-15, 0, 2, 0);
  scene_check_reading(TEXT, 0, v, "a::i.linear_acceleration", 1e-9, -0.4, 10, 0);
  /* of the child on its parent */
  scene_check_reading(TEXT, 0, v, "ja::f.force", 1e-9, 0, 0, -20);
  scene_check_reading(TEXT, 0, v, "ja.force", 1e-9, 0, 0, -20);
  scene_check_reading(TEXT, 0, v, "ja.torque", 1e-9, 0, 0, 0);
  carom_model* model = scene_load(TEXT);
  assert_true(carom_model_find_sensor(model, "a::c") >= 0);
  assert_int_equal(carom_model_get_sizes(model).num_sensors, 8);
  scene_expect_note(model,
                    "scene.xml:1: sensor: not used: there is no instrument of this kind here");
  scene_expect_note(model, "scene.xml:1: sensor: not used: a sensor is on a link or a joint");
  scene_expect_note(model, "scene.xml:1: sensor: not used: sensors are read where they are in "
                           "<gazebo>");
  carom_model_destroy(model);
}

static void test_self_collision(void** state) {
  (void)state;
#define CHAIN \
  LINK("b")   \
  LINK("c")   \
  LINK("d")   \
  HINGE("jb", "a", "b", "1 0 0") HINGE("jc", "b", "c", "1 0 0") HINGE("jd", "c", "d", "1 0 0")
  carom_model* model =
      scene_load(ROBOT(CHAIN "<gazebo reference='a'><selfCollide>false</selfCollide></gazebo>"
                             "<gazebo reference='c'><selfCollide>0</selfCollide></gazebo>"
                             "<gazebo reference='d'><selfCollide>true</selfCollide></gazebo>"));
  /* a with b and c, c with b; d and the ground collide with all */
  assert_int_equal(model->geom.num_excludes, 3);
  for (int i = 0; i < model->geom.num_excludes; i++)
    assert_true((model->geom.exclude[i] & 0xffffffffu) != 4 && model->geom.exclude[i] >> 32 != 0);
  carom_model_destroy(model);
  model = scene_load(ROBOT(CHAIN));
  assert_int_equal(model->geom.num_excludes, 0);
  carom_model_destroy(model);
}

static void test_weight_and_springs(void** state) {
  (void)state;
  carom_model* model = scene_load(ROBOT(LINK("b") LINK("c") HINGE("jb", "a", "b", "1 0 0") HINGE(
      "jc", "b", "c",
      "1 0 0") "<gazebo reference='a'><turnGravityOff>true</turnGravityOff><kp>1e6</kp></gazebo>"
               "<gazebo reference='b'><gravity>no</gravity><material>Gazebo/Red</material></gazebo>"
               "<gazebo reference='c'><turnGravityOff>False</turnGravityOff></gazebo>"
               "<gazebo reference='jb'><springStiffness>3</springStiffness><springReference>0.5"
               "</springReference><stopKp>1</stopKp><preserveFixedJoint>true</preserveFixedJoint>"
               "</gazebo><gazebo reference='nobody'><mu1>1</mu1></gazebo>"));
  check_near_array(model->body.gravity_compensation, ((double[]){0, 1, 1, 0}), 4, 0);
  scene_expect_note(
      model, "scene.xml:1: kp: not used: it is for the solver of another program (2 places)");
  scene_expect_note(model, "scene.xml:1: material: not used: it is for Gazebo");
  scene_expect_note(model, "scene.xml:1: gazebo reference: not used: no link or joint has the name "
                           "that it gives");
  carom_sim* sim;
  carom_error error;
  check_ok(carom_sim_create(model, NULL, &sim, &error), &error);
  check_near(carom_sim_compute_energy(sim).elastic, 0.5 * 3 * 0.25, 1e-15);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  scene_expect_error(ROBOT("<gazebo reference='a'><selfCollide>maybe</selfCollide></gazebo>"),
                     CAROM_ERROR_BAD_INPUT,
                     "scene.xml:1: selfCollide: its text is 'maybe', must be true or false");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sensors),
      cmocka_unit_test(test_self_collision),
      cmocka_unit_test(test_weight_and_springs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
