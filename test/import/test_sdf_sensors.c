/* SDF's sensors: where they are and what they read, against what follows from the scene by hand. */
#include "support/check.h"
#include "support/scene.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORLD(body)                                               \
  "<sdf version='1.9'><world name='w'><gravity>0 0 -10</gravity>" \
  "<magnetic_field>1 2 3</magnetic_field><model name='m'>" body "</model></world></sdf>"

/* A link of 2 kg. */
#define LINK(name, rest)                                                                        \
  "<link name='" name "'><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz>" \
  "</inertia></inertial>" rest "</link>"

/* On its side, a quarter of a turn about x: what is up in the world is along the sensor's y. The
 * link is held by a joint to the world, so that it feels its weight. */
static void test_imu(void** state) {
  (void)state;
  static const char TEXT[] = WORLD(
      LINK("a", "<sensor name='i' type='imu'><pose>0.1 0 0 1.5707963267948966 0 0</pose><imu>"
                "<angular_velocity><x><noise type='none'/></x></angular_velocity></imu></sensor>"
                "<sensor name='f' type='magnetometer'/>"
                "<sensor name='n' type='navsat'/>") "<joint name='j' "
                                                    "type='revolute'><parent>world</"
                                                    "parent><child>a</child><axis><xyz>0 0 1"
                                                    "</xyz></axis></joint>");
  const double v[1] = {2}, c = sqrt(0.5);
  scene_check_reading(TEXT, 0, v, "m::a::i.orientation", 1e-15, c, c, 0, 0);
  scene_check_reading(TEXT, 0, v, "m::a::i.angular_velocity", 1e-15, 0, 2, 0);
  scene_check_reading(TEXT, 0, v, "m::a::f", 1e-15, 1, 2, 3);
  /* 0.1 m from the axis at 2 rad/s; what falls would read nothing, what is held reads 10 upwards.
   */
  scene_check_reading(TEXT, 0, v, "m::a::i.linear_acceleration", 1e-9, -0.4, 10, 0);
  scene_check_reading(TEXT, 0, v, "m::a::n.velocity", 1e-15, 0, 0, 0);
  carom_model* model = scene_load(TEXT);
  scene_expect_note(model, "scene.xml:1: sensor: not used: readings have no noise");
  scene_expect_note(model,
                    "scene.xml:1: sensor type: read as place and velocity in the world, m and m/s");
  carom_model_destroy(model);
}

/* A fan of three rays from a height of 1 m, 45 degrees down, and to the left and right of that: to
 * the ground it is sqrt(2), and sqrt(2) / cos of the angle beside. */
static void test_rays(void** state) {
  (void)state;
  static const char TEXT[] =
      "<sdf version='1.9'><world name='w'><model name='g'><static>true</static><link name='g'>"
      "<collision name='c'><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>"
      "</link></model><model name='m'><static>true</static><link name='a'><pose>0 0 1 0 0 0</pose>"
      "<sensor name='r' type='gpu_lidar'><pose>0 0 0 0 0.7853981633974483 0</pose><lidar><scan>"
      "<horizontal><samples>3</samples><min_angle>-0.5</min_angle><max_angle>0.5</max_angle>"
      "</horizontal><vertical><samples>2</samples><min_angle>0</min_angle><max_angle>0.3</"
      "max_angle>"
      "</vertical></scan><range><min>0.1</min><max>1.55</max></range></lidar></sensor></link>"
      "</model></world></sdf>";
  double side = sqrt(2) / cos(0.5), up = 1 / sin(0.7853981633974483 - 0.3);
  scene_check_reading(TEXT, 0, NULL, "m::a::r.1", 1e-12, sqrt(2));
  scene_check_reading(TEXT, 0, NULL, "m::a::r.0", 1e-12, fmin(side, 1.55));
  scene_check_reading(TEXT, 0, NULL, "m::a::r.2", 1e-12, fmin(side, 1.55));
  assert_true(up > 1.55);
  scene_check_reading(TEXT, 0, NULL, "m::a::r.4", 1e-12, 1.55);
}

/* What holds 2 kg that stand out by 0.5 m: their weight, and its moment about the joint. */
static void test_force_torque(void** state) {
  (void)state;
  static const char TEXT[] = WORLD(LINK("a", "") LINK(
      "b",
      "<pose>0.5 0 0 0 0 0</pose>") "<joint name='h' "
                                    "type='fixed'><parent>world</parent><child>a</child></joint>"
                                    "<joint name='j' "
                                    "type='fixed'><parent>a</parent><child>b</child><pose>-0.5 0 0 "
                                    "0 0 0</pose>"
                                    "<sensor name='w' "
                                    "type='force_torque'><force_torque><measure_direction>parent_"
                                    "to_child"
                                    "</measure_direction></force_torque></sensor></joint>");
  scene_check_reading(TEXT, 0, NULL, "m::j::w.force", 1e-9, 0, 0, 20);
  scene_check_reading(TEXT, 0, NULL, "m::j::w.torque", 1e-9, 0, -10, 0);
}

/* On a slide up and down, which a second joint keeps from moving: that one bears the weight where
 * it slides to the side, and a hinge, of which constraints are made, is not read. */
static void test_force_of_loops(void** state) {
  (void)state;
#define HELD(type)                                                                              \
  WORLD(LINK("a", "") "<joint name='i' type='prismatic'><parent>world</parent><child>a</child>" \
                      "</joint><joint name='j' type='" type "'><parent>world</parent><child>a"  \
                      "</child><axis><xyz>1 0 0</xyz></axis><sensor name='w' "                  \
                      "type='force_torque'/></joint>")
  scene_check_reading(HELD("prismatic"), 0, NULL, "m::j::w.force", 1e-6, 0, 0, -20);
  carom_model* model = scene_load(HELD("revolute"));
  scene_expect_note(model, "scene.xml:1: sensor: left out: forces of a joint that closes a loop by "
                           "constraints");
  assert_int_equal(carom_model_get_sizes(model).num_sensors, 0);
  carom_model_destroy(model);
}

/* A ball of 2 kg that lies on the ground is pushed by its weight, at its lowest point. Found is how
 * many contacts there are. */
static void test_contact(void** state) {
  (void)state;
  static const char TEXT[] =
      "<sdf version='1.9'><world name='w'><gravity>0 0 -10</gravity><model name='g'><static>true"
      "</static><link name='g'><collision name='c'><geometry><plane/></geometry></collision></link>"
      "</model><model name='m'><pose>0 0 0.1 0 0 0</pose>" LINK(
          "a", "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>"
               "</collision><sensor name='c' type='contact'><contact><collision>c</collision>"
               "</contact></sensor>") "</model></world></sdf>";
  scene_check_reading(TEXT, 20, NULL, "m::a::c", 1e-5, 1, 0, 0, 20, 0, 0, 0, 0, 0, 0);
}

/* A lidar of 2048 columns, as many have, is left out with what hangs on it. */
static void test_many_rays(void** state) {
  (void)state;
  carom_model* model = scene_load(
      WORLD(LINK("a", "<sensor name='r' type='gpu_lidar'><lidar><scan><horizontal><samples>2048"
                      "</samples></horizontal><vertical><samples>1e300</samples></vertical></scan>"
                      "</lidar></sensor>")));
  scene_expect_note(
      model, "scene.xml:1: sensor: left out: it has more rays than 2000, give it fewer samples");
  assert_int_equal(carom_model_get_sizes(model).num_sensors, 0);
  carom_model_destroy(model);
}

static void test_left_out(void** state) {
  (void)state;
  carom_model* model = scene_load(WORLD(LINK("a", "<sensor name='p' type='air_pressure'/>")));
  scene_expect_note(model,
                    "scene.xml:1: sensor: not used: there is no instrument of this kind here");
  assert_int_equal(carom_model_get_sizes(model).num_sensors, 0);
  carom_model_destroy(model);
  scene_expect_error(
      WORLD(LINK("a", "<sensor name='r' type='ray'><ray><scan><horizontal><samples>0</samples>"
                      "</horizontal></scan></ray></sensor>")),
      CAROM_ERROR_BAD_INPUT,
      "scene.xml:1: horizontal: samples is 0, must be a positive whole number");
  scene_expect_error(WORLD(LINK("a", "<sensor name='r' type='ray'><ray><range><max>-1</max></range>"
                                     "</ray></sensor>")),
                     CAROM_ERROR_BAD_INPUT, "scene.xml:1: range: max is -1, must be positive");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_imu),
      cmocka_unit_test(test_rays),
      cmocka_unit_test(test_force_torque),
      cmocka_unit_test(test_contact),
      cmocka_unit_test(test_many_rays),
      cmocka_unit_test(test_left_out),
      cmocka_unit_test(test_force_of_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
