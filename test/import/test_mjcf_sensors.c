/* MJCF's sites and sensors: what is read of them, what is left out by name, what is refused. What
 * they read is tested in sim/test_sensors.c. */
#include "support/scene.h"

#include "carom/sensor.h"

#include <math.h>
#include <stdio.h>

/* Parts to be on, then sensors. */
#define SENSOR(text)                                                                            \
  "<mujoco><worldbody><geom name='p' type='plane'/><site name='w'/><body name='a'><freejoint "  \
  "name='f'/><geom name='g' size='.1'/><site name='s'/><body name='b'><joint name='h'/>" BALL   \
  "</body><body><joint name='q' type='ball'/>" BALL "</body></body></worldbody><tendon><fixed " \
  "name='t'><joint joint='h' coef='1'/></fixed></tendon><actuator><motor name='m' joint='h'/>"  \
  "</actuator><sensor>" text "</sensor></mujoco>"

/* --- Sites --------------------------------------------------------------------------------------
 */

static void test_sites(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><default><default class='c'><site type='box' size='.1 .2 .3' rgba='1 0 0 1' "
      "group='4'/></default></default><asset><material name='m' rgba='0 1 0 1'/></asset>"
      "<worldbody><site name='w' pos='1 2 3' size='.4' material='m'/><body pos='0 0 1' "
      "childclass='c'><site name='box' euler='0 0 90'/><site name='line' type='capsule' "
      "size='.05' fromto='0 0 0 0 0 2'/><frame pos='1 0 0'><site name='framed' pos='0 1 "
      "0'/></frame>"
      "</body></worldbody></mujoco>");
  assert_int_equal(carom_model_get_sizes(model).num_sites, 4);
  carom_site_info world = carom_model_get_site(model, carom_model_find_site(model, "w"));
  assert_int_equal(world.body, 0);
  assert_int_equal(world.type, CAROM_GEOM_SPHERE);
  check_near(world.size[0], 0.4, 0);
  check_near(world.rgba[1], 1, 0);
  carom_site_info box = carom_model_get_site(model, carom_model_find_site(model, "box"));
  assert_int_equal(box.body, 1);
  assert_int_equal(box.type, CAROM_GEOM_BOX);
  assert_int_equal(box.group, 4);
  check_near(box.rgba[0], 1, 0);
  check_near(box.quaternion[3], sqrt(0.5), 1e-15);
  carom_site_info line = carom_model_get_site(model, carom_model_find_site(model, "line"));
  check_near(line.size[1], 1, 0);
  check_near(line.position[2], 1, 0);
  carom_site_info framed = carom_model_get_site(model, carom_model_find_site(model, "framed"));
  check_near(framed.position[0], 1, 0);
  check_near(framed.position[1], 1, 0);
  assert_int_equal(carom_model_find_site(model, "none"), -1);
  carom_model_destroy(model);
}

/* --- Sensors ------------------------------------------------------------------------------------
 */

static const struct reading {
  const char *text, *kind, *object, *unit;
  carom_sensor_type type;
  int dim;
} READINGS[] = {
    {"<jointpos joint='h'/>", "jointpos", "h", "rad", CAROM_SENSOR_JOINT_POSITION, 1},
    {"<jointlimitvel joint='q'/>", "jointlimitvel", "q", "rad/s", CAROM_SENSOR_JOINT_LIMIT_VELOCITY,
     1},
    {"<jointactuatorfrc joint='h'/>", "jointactuatorfrc", "h", "N m",
     CAROM_SENSOR_JOINT_ACTUATOR_FORCE, 1},
    {"<ballquat joint='q'/>", "ballquat", "q", "1", CAROM_SENSOR_BALL_QUATERNION, 4},
    {"<tendonpos tendon='t'/>", "tendonpos", "t", "by length", CAROM_SENSOR_TENDON_POSITION, 1},
    {"<actuatorfrc actuator='m'/>", "actuatorfrc", "m", "by force", CAROM_SENSOR_ACTUATOR_FORCE, 1},
    {"<framepos objtype='body' objname='b'/>", "framepos", "b", "m", CAROM_SENSOR_FRAME_POSITION,
     3},
    {"<framequat objtype='geom' objname='g' reftype='site' refname='s'/>", "framequat", "g", "1",
     CAROM_SENSOR_FRAME_QUATERNION, 4},
    {"<subtreecom body='world'/>", "subtreecom", "world", "m", CAROM_SENSOR_SUBTREE_COM, 3},
    {"<gyro site='s'/>", "gyro", "s", "rad/s", CAROM_SENSOR_GYRO, 3},
    {"<rangefinder site='w'/>", "rangefinder", "w", "m", CAROM_SENSOR_RANGEFINDER, 1},
    {"<contact/>", "contact", "", "1, N, N m, m", CAROM_SENSOR_CONTACT, 1},
    {"<contact num='2' data='found force torque dist pos normal tangent'/>", "contact", "",
     "1, N, N m, m", CAROM_SENSOR_CONTACT, 34},
    {"<clock/>", "clock", "", "s", CAROM_SENSOR_CLOCK, 1},
};

static void test_sensors(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof READINGS / sizeof *READINGS; i++) {
    char text[1200];
    snprintf(text, sizeof text, SENSOR("<e_kinetic name='first' cutoff='2'/>%s"), READINGS[i].text);
    carom_model* model = scene_load(text);
    carom_model_sizes sizes = carom_model_get_sizes(model);
    assert_int_equal(sizes.num_sensors, 2);
    assert_int_equal(sizes.num_readings, 1 + READINGS[i].dim);
    assert_int_equal(sizes.num_notes, 0);
    check_near(carom_model_get_sensor(model, carom_model_find_sensor(model, "first")).cutoff, 2, 0);
    carom_sensor_info sensor = carom_model_get_sensor(model, 1);
    assert_string_equal(sensor.kind, READINGS[i].kind);
    assert_string_equal(sensor.object, READINGS[i].object);
    assert_string_equal(sensor.unit, READINGS[i].unit);
    assert_int_equal(sensor.type, READINGS[i].type);
    assert_int_equal(sensor.address, 1);
    assert_int_equal(sensor.dim, READINGS[i].dim);
    assert_true(isinf(sensor.cutoff));
    carom_model_destroy(model);
  }
}

/* Readings change no motion: what is not had is left out, and nothing is refused for it. */
static void test_left_out(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
      "<geom name='drawn' type='mesh' mesh='m' contype='0' conaffinity='0'/><site name='s'/>"
      "<camera name='c'/></worldbody><sensor>\n<framepos name='a' objtype='geom' objname='drawn'/>"
      "\n<framepos name='b' objtype='camera' objname='c'/>\n<user name='c' dim='2'/>\n"
      "<rangefinder name='d' camera='c'/>\n<gyro site='s'/></sensor></mujoco>");
  assert_int_equal(carom_model_get_sizes(model).num_sensors, 1);
  scene_expect_note(
      model, "scene.xml:2: framepos 'a': left out, because the part that it is on is left out");
  scene_expect_note(model,
                    "scene.xml:3: framepos 'b': left out: frames of cameras are not supported");
  scene_expect_note(model,
                    "scene.xml:4: user 'c': left out: sensors of this kind are not supported");
  scene_expect_note(model, "scene.xml:5: rangefinder 'd': left out: range finders look from sites "
                           "along their z axes only");
  carom_model_destroy(model);
}

static const struct refusal {
  const char *text, *message;
} REFUSALS[] = {
    {"<jointpos/>", "scene.xml:1: jointpos: attribute 'joint' is missing"},
    {"<jointpos joint='x'/>", "scene.xml:1: jointpos: joint is 'x', no joint has this name"},
    {"<jointpos joint='q'/>",
     "scene.xml:1: sensor: joint is a ball joint, must be a hinge or a slide"},
    {"<ballquat joint='h'/>",
     "scene.xml:1: sensor: joint is of another type, must be a ball joint"},
    {"<jointlimitfrc joint='f'/>",
     "scene.xml:1: sensor: joint is a free joint, which has no limits"},
    {"<gyro site='x'/>", "scene.xml:1: gyro: site is 'x', no site has this name"},
    {"<gyro site='s' cutoff='-1'/>", "scene.xml:1: gyro: cutoff is -1, must be zero or positive"},
    {"<gyro site='s' colour='1'/>", "scene.xml:1: gyro: attribute 'colour' is not known"},
    {"<framepos objname='a'/>", "scene.xml:1: framepos: attribute 'objtype' is missing"},
    {"<framepos objtype='body'/>", "scene.xml:1: framepos: attribute 'objname' is missing"},
    {"<framepos objtype='body' objname='a' reftype='site'/>",
     "scene.xml:1: framepos: attribute 'refname' is missing"},
    {"<framepos objtype='leg' objname='a'/>",
     "scene.xml:1: framepos: objtype is 'leg', must be body, xbody, geom, site or camera"},
    {"<contact geom1='g' body1='a'/>",
     "scene.xml:1: contact: body1 is given beside another one of this side"},
    {"<contact data='force found'/>",
     "scene.xml:1: contact: data has 'found', must be of found, force, torque, dist, pos, normal, "
     "tangent, in this order"},
    {"<contact num='0'/>", "scene.xml:1: sensor: contact.num is 0, must be between 1 and 10000"},
    {"<contact data=''/>", "scene.xml:1: sensor: contact.data is 0, must be between 1 and 127"},
    {"<clock name='x'/><clock name='x'/>", "scene.xml:1: sensor 'x': the name is used twice"},
    {"<sonar/>", "scene.xml:1: sonar: this element is not known within 'sensor'"},
};

static void test_refusals(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof REFUSALS / sizeof *REFUSALS; i++) {
    char text[1200];
    snprintf(text, sizeof text, SENSOR("%s"), REFUSALS[i].text);
    scene_expect_error(text, CAROM_ERROR_BAD_INPUT, REFUSALS[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sites),
      cmocka_unit_test(test_sensors),
      cmocka_unit_test(test_left_out),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
