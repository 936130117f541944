/* SDF files as they are found: the format's own sizes, friction as Gazebo's files mean it, bit
 * masks, flattened names, joints whose child is the world. */
#include "support/scene.h"

#include "carom/scene.h"
#include "carom/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODEL(content) "<sdf version='1.9'><model name='m'>" content "</model></sdf>"
#define SHAPE(shape, more) \
  "<link name='l'><collision name='c'><geometry>" shape "</geometry>" more "</collision></link>"
#define MU(mu) "<surface><friction><ode><mu>" mu "</mu></ode></friction></surface>"

static carom_model* load_with(const char* text, int rule) {
  carom_load_def def = carom_load_def_default();
  def.friction_rule = rule;
  return scene_load_with(text, &def);
}

static carom_model* load(const char* text) { return load_with(text, -1); }

static void test_own_sizes(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double size[3];
  } CASES[] = {{MODEL(SHAPE("<sphere/>", "")), {1}},
               {MODEL(SHAPE("<box/>", "")), {0.5, 0.5, 0.5}},
               {MODEL(SHAPE("<cylinder><length>3</length></cylinder>", "")), {1, 1.5}},
               {MODEL(SHAPE("<capsule/>", "")), {0.5, 0.5}},
               {MODEL(SHAPE("<ellipsoid/>", "")), {1, 1, 1}}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    carom_model* model = load(CASES[i].text);
    for (int k = 0; k < 3; k++)
      check_near(carom_model_get_geom(model, 0).size[k], CASES[i].size[k], 1e-15);
    carom_model_destroy(model);
  }
}

/* What version 1.2 called the root of a file. */
static void test_old_root(void** state) {
  (void)state;
  carom_model* model =
      load("<gazebo version='1.2'><model name='m'>" SHAPE("<sphere/>", "") "</model></gazebo>");
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 1);
  carom_model_destroy(model);
}

/* The rule of a file: the smaller one, the mean where it has tags of Drake, or as is asked for. */
static void test_friction(void** state) {
  (void)state;
  carom_model* model = load(MODEL(SHAPE("<sphere/>", MU("-1"))));
  assert_int_equal(model->contact.friction_rule, CAROM_FRICTION_RULE_SMALLER);
  check_near(carom_model_get_geom(model, 0).friction, 100, 0);
  scene_expect_note(model, "scene.xml:1: ode: mu below zero: without a bound, read as 100");
  carom_model_destroy(model);
  model = load(MODEL(SHAPE("<sphere/>", "<drake:proximity_properties><drake:mu_dynamic>.4"
                                        "</drake:mu_dynamic></drake:proximity_properties>")));
  assert_int_equal(model->contact.friction_rule, CAROM_FRICTION_RULE_HARMONIC);
  carom_model_destroy(model);
  model = load_with(MODEL(SHAPE("<sphere/>", "")), CAROM_FRICTION_RULE_LARGER);
  assert_int_equal(model->contact.friction_rule, CAROM_FRICTION_RULE_LARGER);
  carom_model_destroy(model);
}

/* A block on a slope of 30 degrees whose own friction is 0.3, on ground of 0.9: it slides by
 * g (sin - 0.3 cos) t² / 2. */
static void test_slope(void** state) {
  (void)state;
  const double angle = 0.52359877559829882, g = 9.8, h = 0.1;
  char text[1200];
  snprintf(
      text, sizeof text,
      "<sdf version='1.9'><world name='w'><model name='slope'><static>1</static><pose>0 0 0 0 "
      "%.17g 0</pose><link name='l'><collision name='c'><geometry><box><size>40 9 .2</size></box>"
      "</geometry>" MU("0.9") "</collision></link></model><model name='block'><pose>%.17g 0 %.17g "
                              "0 %.17g 0</pose><link "
                              "name='l'><inertial><mass>2</mass><inertia><ixx>.01</ixx><iyy>.01"
                              "</iyy><izz>.01</izz></inertia></inertial><collision "
                              "name='c'><geometry><box><size>.2 .2 "
                              ".2</size></box></geometry>" MU(
                                  "0.3") "</collision></link></model></world></sdf>",
      angle, 2 * h * sin(angle), 2 * h * cos(angle), angle);
  carom_model* model = load(text);
  carom_sim_def def = carom_sim_def_default();
  carom_error error;
  carom_sim* sim;
  def.dt = 0.005;
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  for (int i = 0; i < 160; i++) check_ok(carom_sim_step(sim, NULL, &error), &error);
  const double* q = carom_sim_coordinates(sim);
  double way = (q[0] - 2 * h * sin(angle)) * cos(angle) - (q[2] - 2 * h * cos(angle)) * sin(angle);
  double wanted = 0.5 * g * (sin(angle) - 0.3 * cos(angle)) * 0.8 * 0.8;
  check_near(way, wanted, 0.01 * wanted);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void test_bits(void** state) {
  (void)state;
#define BITS(b) "<surface><contact><collide_bitmask>" b "</collide_bitmask></contact></surface>"
  carom_model* model =
      load("<sdf version='1.9'><world name='w'><model name='a'>" SHAPE("<sphere/>", BITS("0x0c")) "</model><model name='b'>" SHAPE(
          "<sphere/>",
          BITS(
              "2")) "</model><model name='c'>" SHAPE("<sphere/>",
                                                     "") "</model><model name='d'>" SHAPE("<sphere/"
                                                                                          ">",
                                                                                          "<surface"
                                                                                          "><"
                                                                                          "contact>"
                                                                                          "<collide"
                                                                                          "_without"
                                                                                          "_contact"
                                                                                          ">1"
                                                                                          "</"
                                                                                          "collide_"
                                                                                          "without_"
                                                                                          "contact>"
                                                                                          "</"
                                                                                          "contact>"
                                                                                          "</"
                                                                                          "surface"
                                                                                          ">") "</"
                                                                                               "mod"
                                                                                               "el>"
                                                                                               "</"
                                                                                               "wor"
                                                                                               "ld>"
                                                                                               "</"
                                                                                               "sdf"
                                                                                               ">");
  static const uint32_t WANTED[] = {12, 2, 0xffff, 0};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(model->geom.contype[i], WANTED[i]);
    assert_int_equal(model->geom.conaffinity[i], WANTED[i]);
  }
  carom_model_destroy(model);
}

/* Names with "::" in one scope, as older programs write what they have flattened. */
static void test_flattened(void** state) {
  (void)state;
  carom_model* model = load(
      "<sdf version='1.7'><model name='P'><link name='base'/><frame name='A::__model__' "
      "attached_to="
      "'A::L'><pose relative_to='__model__'>0 5 0 0 0 3.141592653589793</pose></frame><link "
      "name='A::L'><pose relative_to='A::__model__'>2 0 0 0 0 0</pose></link><joint name='A::j' "
      "type='fixed'><parent>base</parent><child>A::L</child></joint></model></sdf>");
  int body = carom_model_find_body(model, "A::L");
  assert_true(body > 0);
  check_near(model->body.local[body].p.x, -2, 1e-14);
  check_near(model->body.local[body].p.y, 5, 1e-14);
  carom_model_destroy(model);
}

/* A joint whose child is the world holds its parent there, and turns the other way. */
static void test_world_as_child(void** state) {
  (void)state;
  carom_model* model = load(
      MODEL("<pose>0 0 2 0 0 0</pose><link name='a'><pose>0 0 2 0 0 0</pose></link><joint name='j' "
            "type='revolute'><pose>.5 0 .5 0 0 0</pose><parent>a"
            "</parent><child>world</child><axis><xyz>0 1 0</xyz><limit><lower>-.5</lower><upper>2"
            "</upper></limit></axis></joint>"));
  assert_int_equal(carom_model_get_sizes(model).num_v, 1);
  carom_joint_info info = carom_model_get_joint(model, 0);
  check_near(info.axis[1], -1, 1e-15);
  check_near(info.range[0], -0.5, 1e-15);
  assert_string_equal(info.name, "j");
  check_near(model->tree.joint_anchor[2], -3.5, 1e-15); /* at 0.5 0 0.5 of the world */
  check_near(model->tree.joint_anchor[0], 0.5, 1e-15);
  carom_model_destroy(model);
}

/* A cone of radius 2 m and height 4 m: its centre of mass is a quarter of the height above its
 * base, its moments are 3/10 m r² and 3/20 m r² + 3/80 m h², both 1.2 m; 48 corners lack 0.3 % of
 * m. */
static void test_cone(void** state) {
  (void)state;
  carom_model* model =
      load(MODEL("<link name='l'><inertial auto='true'><density>1000</density></inertial>"
                 "<collision name='c'><geometry><cone><radius>2</radius><length>4</length></cone>"
                 "</geometry></collision></link>"));
  carom_body_info body = carom_model_get_body(model, 1);
  double mass = 1000 * acos(-1) * 2 * 2 * 4 / 3;
  check_near(body.mass, mass, 3e-3 * mass);
  check_near(body.com[2], -1, 1e-12);
  check_near(body.inertia[0], 1.2 * mass, 6e-3 * mass);
  check_near(body.inertia[2], 1.2 * mass, 8e-3 * mass);
  carom_model_destroy(model);
}

/* What is a moving picture, or does not move by itself. */
static void test_others(void** state) {
  (void)state;
  carom_model* model =
      load("<sdf version='1.9'><world name='w'><actor name='walker'/><model name='m'>"
           "<link name='l'><kinematic>true</kinematic></link></model></world></sdf>");
  assert_int_equal(carom_model_get_sizes(model).num_v, 0);
  scene_expect_note(model, "scene.xml:1: actor: not used: actors are moving pictures, for drawing");
  scene_expect_note(model, "scene.xml:1: link: kinematic: read as one that does not move");
  carom_model_destroy(model);
}

/* Gazebo's own two models, which its worlds include and seldom hold; others are missed. */
#define INCLUDES(sun, ground)                                                \
  "<sdf version='1.9'><world name='w'><include><uri>" sun "</uri></include>" \
  "<include><uri>" ground "</uri></include></world></sdf>"

static void test_well_known(void** state) {
  (void)state;
  static const char* const TEXTS[] = {
      INCLUDES("model://sun", "model://ground_plane"),
      INCLUDES("https://fuel.gazebosim.org/1.0/openrobotics/models/Sun",
               "https://fuel.ignitionrobotics.org/1.0/OpenRobotics/models/Ground Plane")};
  for (int i = 0; i < 2; i++) {
    carom_model* model = load(TEXTS[i]);
    assert_int_equal(carom_model_get_sizes(model).num_geoms, 1);
    assert_int_equal(carom_model_get_geom(model, 0).type, CAROM_GEOM_PLANE);
    check_near(carom_model_get_geom(model, 0).friction, 100, 0);
    carom_model_destroy(model);
  }
  scene_expect_error(
      "<sdf version='1.9'><world name='w'><include><uri>model://tree</uri></include>"
      "</world></sdf>",
      CAROM_ERROR_FILE,
      "scene.xml:1: include: model 'model://tree' is not found; name the folder that "
      "holds it (--search, GZ_SIM_RESOURCE_PATH), or leave it out (--permissive)");
}

/* An arm of 4 kg at 0.25 m: by default the child's force on its parent, in the child's axes. */
static void test_force_torque(void** state) {
  (void)state;
  carom_model* model = load(
      "<sdf version='1.9'><world name='w'><model name='m'><link name='a'><inertial><pose>.25 0 0 0 "
      "0 "
      "0</pose><mass>4</mass></inertial></link><joint name='j' type='fixed'><parent>world</parent>"
      "<child>a</child><sensor name='s' type='force_torque'/><sensor name='t' type='force_torque'>"
      "<force_torque><measure_direction>parent_to_child</measure_direction></force_torque></sensor>"
      "</joint></model></world></sdf>");
  carom_sim_def def = carom_sim_def_default();
  carom_error error;
  carom_sim* sim;
  double readings[12];
  static const double WANTED[] = {0, 0, -39.2, 0, 9.8, 0, 0, 0, 39.2, 0, -9.8, 0};
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  check_ok(carom_sim_step(sim, NULL, &error), &error);
  check_ok(carom_sim_compute_sensors(sim, readings, &error), &error);
  for (int i = 0; i < 12; i++) check_near(readings[i], WANTED[i], 1e-9);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_sizes),    cmocka_unit_test(test_friction),
      cmocka_unit_test(test_old_root),     cmocka_unit_test(test_cone),
      cmocka_unit_test(test_slope),        cmocka_unit_test(test_bits),
      cmocka_unit_test(test_flattened),    cmocka_unit_test(test_world_as_child),
      cmocka_unit_test(test_others),       cmocka_unit_test(test_well_known),
      cmocka_unit_test(test_force_torque),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
