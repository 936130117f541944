/* Bodies, geometries, joints and frames: what each attribute does. */
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define S 0.70710678118654752

static void check_geom_pose(const char* text, const double* position, const double* quaternion) {
  carom_model* model = scene_load(text);
  carom_geom_info geom = carom_model_get_geom(model, 0);
  check_near_array(geom.position, position, 3, 1e-15);
  check_near_array(geom.quaternion, quaternion, 4, 1e-15);
  carom_model_destroy(model);
}

/* One orientation in each form, and the angles' unit. */
static void test_orientations(void** state) {
  (void)state;
  const double zero[3] = {0}, turn_z[4] = {S, 0, 0, S}, turn_y[4] = {S, 0, S, 0};
  const double turn_x[4] = {S, S, 0, 0};
  check_geom_pose(SCENE("<geom size='1' quat='2 0 0 2'/>"), zero, turn_z);
  check_geom_pose(SCENE("<geom size='1' axisangle='0 0 5 90'/>"), zero, turn_z);
  check_geom_pose(SCENE("<geom size='1' euler='0 0 90'/>"), zero, turn_z);
  check_geom_pose(SCENE("<geom size='1' xyaxes='0 3 0 -1 2 0'/>"), zero, turn_z);
  check_geom_pose(SCENE("<geom size='1' zaxis='2 0 0'/>"), zero, turn_y);
  check_geom_pose(SCENE("<geom size='1' zaxis='0 -1 0'/>"), zero, turn_x);
  check_geom_pose("<mujoco><compiler angle='radian'/><worldbody><geom size='1' "
                  "euler='0 1.5707963267948966 0'/></worldbody></mujoco>",
                  zero, turn_y);
}

/* Lower case turns about moving axes, upper case about fixed ones (numbers: MuJoCo 4.0.0). */
static void test_euler_sequences(void** state) {
  (void)state;
  static const struct {
    const char* sequence;
    double quaternion[4];
  } CASES[] = {
      {"xyz", {0.943714364147489, 0.12767944069578063, 0.14487812541736914, 0.2685358227515692}},
      {"XYZ", {0.9515485246437885, 0.03813457647485015, 0.18930785741199999, 0.2392983377447303}},
      {"zyx", {0.9515485246437885, 0.2392983377447303, 0.18930785741199999, 0.03813457647485015}},
      {"xyx", {0.9254165783983234, 0.33682408883346515, 0.17101007166283433, -0.0301536896070458}},
      {"xYz", {0.9515485246437885, 0.12767944069578063, 0.14487812541736914, 0.2392983377447303}},
  };
  const double zero[3] = {0};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "<mujoco><compiler eulerseq='%s'/><worldbody><geom size='1' euler='10 20 30'/>"
             "</worldbody></mujoco>",
             CASES[i].sequence);
    check_geom_pose(text, zero, CASES[i].quaternion);
  }
}

/* Copies stand on a quarter circle of steps, each turned further; names are numbered with as many
 * digits as the count has, those of inner copies first. */
static void test_replicate(void** state) {
  (void)state;
  carom_model* model = scene_load(
      SCENE("<frame pos='0 0 2'><replicate count='3' offset='1 0 0' euler='0 0 90' sep='-' "
            "prefix='A'><body name='b' pos='0 .5 1'><freejoint name='f'/>" BALL
            "</body></replicate></frame>"
            "<body name='last'><replicate count='10' offset='0 .1 0'><geom name='g' size='.01'/>"
            "<replicate count='2' sep='_'><geom name='h' size='.01'/></replicate></replicate>"
            "</body><replicate count='0'><geom type='plane' size='0'/></replicate>"));
  const double* q = carom_model_get_reference(model);
  check_near_array(q, ((double[]){0, 0.5, 3, 1, 0, 0, 0}), 7, 1e-15);
  check_near_array(q + 7, ((double[]){1 - 0.5, 0, 3, S, 0, 0, S}), 7, 1e-15);
  check_near_array(q + 14, ((double[]){1, 1 - 0.5, 3, 0, 0, 0, 1}), 7, 1e-15);
  assert_int_equal(carom_model_find_body(model, "b-0"), 1);
  assert_int_equal(carom_model_find_body(model, "b-2"), 3);
  assert_int_equal(carom_model_find_joint(model, "f-1"), 1);
  assert_int_equal(carom_model_find_body(model, "last"), 4);
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 3 + 10 + 20);
  int g = carom_model_find_geom(model, "g07"), h = carom_model_find_geom(model, "h_107");
  assert_true(g > 0 && h > g);
  check_near(carom_model_get_geom(model, g).position[1], 0.7, 1e-15);
  check_near(carom_model_get_geom(model, h).position[1], 0.7, 1e-15);
  carom_model_destroy(model);
}

static void test_fromto(void** state) {
  (void)state;
  carom_model* model =
      scene_load(SCENE("<geom type='capsule' size='0.1' fromto='0 0 1 0 0 3'/>"
                       "<geom type='cylinder' size='0.1 9' fromto='1 -1 0 1 1 0'/>"
                       "<geom type='box' size='0.1 0.2 0.3' fromto='0 0 0 2 0 0'/>"));
  carom_geom_info capsule = carom_model_get_geom(model, 0);
  check_near_array(capsule.size, ((double[]){0.1, 1}), 2, 0);
  check_near_array(capsule.position, ((double[]){0, 0, 2}), 3, 0);
  check_near_array(capsule.quaternion, ((double[]){0, 1, 0, 0}), 4,
                   1e-15); /* z from end to start */
  carom_geom_info cylinder = carom_model_get_geom(model, 1);
  check_near_array(cylinder.size, ((double[]){0.1, 1}), 2, 1e-15);
  check_near_array(cylinder.quaternion, ((double[]){S, S, 0, 0}), 4, 1e-15);
  carom_geom_info box = carom_model_get_geom(model, 2);
  check_near_array(box.size, ((double[]){0.1, 0.1, 1}), 3, 1e-15);
  check_near_array(box.position, ((double[]){1, 0, 0}), 3, 0);
  carom_model_destroy(model);
}

static void test_geom_attributes(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><asset><material name='red' rgba='1 0 0 0.5'/></asset><worldbody>"
      "<geom name='a' size='1' friction='0.3 .9 .8' condim='6' contype='5' conaffinity='-1' "
      "priority='2' "
      "margin='0.1' gap='0.2' group='4' material='red' carom:stiffness='1e6' "
      "carom:dissipation='0.5' carom:static_friction='0.4' carom:stribeck_speed='0.1' "
      "carom:hunt_crossley='0.2' carom:restitution='0.7'/>"
      "<geom size='1' material='red' rgba='0 1 0 1' carom:stiffness='inf'/><geom type='plane'/>"
      "</worldbody></mujoco>");
  carom_geom_info geom = carom_model_get_geom(model, 0);
  assert_string_equal(geom.name, "a");
  assert_true(geom.friction == 0.3 && geom.stiffness == 1e6 && geom.dissipation == 0.5);
  assert_true(geom.group == 4 && geom.rgba[0] == 1 && geom.rgba[3] == 0.5f);
  assert_true(geom.surface.torsional_friction == 0.9 && geom.surface.rolling_friction == 0.8);
  assert_true(geom.surface.static_friction == 0.4 && geom.surface.stribeck_speed == 0.1);
  assert_true(geom.surface.hunt_crossley == 0.2 && geom.surface.restitution == 0.7);
  assert_true(geom.condim == 6 && !model->contact.is_plain);
  assert_int_equal(model->contact.priority[0], 2);
  assert_true(model->geom.contype[0] == 5 && model->geom.conaffinity[0] == 0xffffffff);
  assert_true(model->geom.margin[0] == 0.1 && model->contact.gap[0] == 0.2);
  geom = carom_model_get_geom(model, 1);
  assert_true(isinf(geom.stiffness) && isnan(geom.dissipation) && geom.rgba[1] == 1);
  geom = carom_model_get_geom(model, 2);
  assert_true(geom.type == CAROM_GEOM_PLANE && isinf(geom.stiffness) && geom.rgba[0] == 0.5f);
  carom_model_destroy(model);
}

static void test_joint_attributes(void** state) {
  (void)state;
  carom_model* model = scene_load(
      SCENE("<body><joint name='h' type='hinge' pos='1 2 3' axis='0 0 -2' range='-90 45' ref='30' "
            "springref='60' stiffness='2' damping='3' armature='4' frictionloss='5' margin='0.1' "
            "carom:limit_stiffness='1e4' carom:limit_dissipation='0.2'/>"
            "<joint type='slide' range='-1 2' ref='0.5'/>" BALL
            "<body><joint type='ball' range='0 90'/>" BALL "</body></body>"));
  const double degree = 3.14159265358979323846 / 180;
  carom_joint_info joint = carom_model_get_joint(model, 0);
  assert_true(joint.type == CAROM_JOINT_HINGE && joint.limited && joint.body == 1);
  check_near_array(joint.anchor, ((double[]){1, 2, 3}), 3, 0);
  check_near_array(joint.axis, ((double[]){0, 0, -1}), 3, 0);
  check_near_array(joint.range, ((double[]){-90 * degree, 45 * degree}), 2, 1e-15);
  check_near(carom_model_get_reference(model)[0], 30 * degree, 1e-15);
  check_near(model->force.q_spring[0], 60 * degree, 1e-15);
  assert_true(model->force.joint_stiffness[0] == 2 && model->force.dof_damping[0] == 3);
  assert_true(model->tree.dof_armature[0] == 4 && model->limit.dof_friction_loss[0] == 5);
  assert_true(model->limit.joint_limit_margin[0] == 0.1);
  assert_true(model->limit.joint_limit_stiffness[0] == 1e4);
  assert_true(model->limit.joint_limit_dissipation[0] == 0.2);
  joint = carom_model_get_joint(model, 1);
  check_near_array(joint.range, ((double[]){-1, 2}), 2, 0);
  assert_true(carom_model_get_reference(model)[1] == 0.5 && model->force.q_spring[1] == 0);
  joint = carom_model_get_joint(model, 2);
  assert_true(joint.type == CAROM_JOINT_BALL && joint.limited && joint.body == 2);
  check_near_array(joint.range, ((double[]){0, 90 * degree}), 2, 1e-15);
  check_near_array(carom_model_get_reference(model) + 2, ((double[]){1, 0, 0, 0}), 4, 0);
  carom_model_destroy(model);
}

/* A free joint starts at the body's pose; a <freejoint> takes no defaults, a <joint> does. */
static void test_free_joints(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><default><joint damping='2' armature='3' limited='true'/></default><worldbody>"
      "<body pos='1 2 3' euler='0 0 90'><freejoint name='f'/>" BALL "</body>"
      "<body pos='4 5 6'><joint type='free' name='j'/>" BALL "</body></worldbody></mujoco>");
  check_near_array(carom_model_get_reference(model),
                   ((double[]){1, 2, 3, S, 0, 0, S, 4, 5, 6, 1, 0, 0, 0}), 14, 1e-15);
  assert_true(model->force.dof_damping[0] == 0 && model->tree.dof_armature[5] == 0);
  assert_true(model->force.dof_damping[6] == 2 && model->tree.dof_armature[11] == 3);
  assert_false(carom_model_get_joint(model, 1).limited);
  assert_int_equal(carom_model_find_joint(model, "f"), 0);
  assert_int_equal(carom_model_find_joint(model, "j"), 1);
  carom_model_destroy(model);
}

/* When a range is a limit. */
static void test_limited(void** state) {
  (void)state;
  static const struct {
    const char* joint;
    bool limited;
  } CASES[] = {{"range='-1 1'", true},
               {"range='0 0'", false},
               {"range='1 -1'", false},
               {"range='-1 1' limited='false'", false},
               {"range='-1 1' limited='auto'", true},
               {"", false}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char text[200];
    snprintf(text, sizeof text, SCENE("<body><joint %s/>" BALL "</body>"), CASES[i].joint);
    carom_model* model = scene_load(text);
    assert_int_equal(carom_model_get_joint(model, 0).limited, CASES[i].limited);
    carom_model_destroy(model);
  }
}

/* A frame moves what stands in it: numbers of MuJoCo 4.0.0. */
static void test_frames(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><default><default class='c'><geom size='0.4'/></default></default><worldbody>"
      "<frame pos='1 0 0' euler='0 0 90' childclass='c'><geom pos='1 0 0'/>"
      "<body pos='2 0 0'><frame pos='1 0 0'><frame euler='0 90 0'><joint pos='1 0 0' axis='0 0 1'/>"
      "<geom pos='0 0 1'/></frame></frame></body></frame></worldbody></mujoco>");
  carom_geom_info geom = carom_model_get_geom(model, 0);
  assert_true(geom.size[0] == 0.4);
  check_near_array(geom.position, ((double[]){1, 1, 0}), 3, 1e-15);
  check_near_array(geom.quaternion, ((double[]){S, 0, 0, S}), 4, 1e-15);
  geom = carom_model_get_geom(model, 1);
  assert_true(geom.size[0] == 0.4 && geom.body == 1);
  check_near_array(geom.position, ((double[]){2, 0, 0}), 3, 1e-15);
  carom_joint_info joint = carom_model_get_joint(model, 0);
  check_near_array(joint.anchor, ((double[]){1, 0, -1}), 3, 1e-15);
  check_near_array(joint.axis, ((double[]){1, 0, 0}), 3, 1e-15);
  check_near_array(model->tree.link_position + 3, ((double[]){1, 2, 0}), 3, 1e-15);
  carom_model_destroy(model);
}

static carom_body_info load_body(const char* text) {
  carom_model* model = scene_load(text);
  carom_body_info body = carom_model_get_body(model, 1);
  carom_model_destroy(model);
  return body;
}

static void test_inertial(void** state) {
  (void)state;
  carom_body_info body = load_body(SCENE("<body><joint/><inertial mass='2' pos='1 2 3' "
                                         "diaginertia='1 2 2.5' euler='0 0 90'/></body>"));
  assert_true(body.mass == 2);
  check_near_array(body.com, ((double[]){1, 2, 3}), 3, 0);
  check_near_array(body.inertia, ((double[]){2, 1, 2.5, 0, 0, 0}), 6, 1e-15);
  body = load_body(SCENE(
      "<body><joint/><inertial mass='2' pos='0 0 0' fullinertia='1 2 2.5 .1 .2 .3'/></body>"));
  check_near_array(body.inertia, ((double[]){1, 2, 2.5, .1, .2, .3}), 6, 0);
}

/* Two balls of mass 1 and 3, one metre apart: a body's mass from its geometries. */
static void test_inertia_from_geoms(void** state) {
  (void)state;
  carom_body_info body = load_body(
      SCENE("<body><joint/><geom size='0.1' mass='1'/><geom size='0.2' mass='3' pos='1 0 0'/>"
            "</body>"));
  double own = 0.4 * (0.01 + 3 * 0.04), shift = 0.75;
  assert_true(body.mass == 4);
  check_near_array(body.com, ((double[]){0.75, 0, 0}), 3, 1e-15);
  check_near_array(body.inertia, ((double[]){own, own + shift, own + shift, 0, 0, 0}), 6, 1e-15);
}

/* A chain nested deeper than a C stack would like. */
static void test_long_chain(void** state) {
  (void)state;
  enum { LINKS = 10000 };
  static char text[LINKS * 80];
  char* end = text + sprintf(text, "<mujoco><worldbody>");
  for (int i = 0; i < LINKS; i++)
    end += sprintf(end, "<body pos='0 0 -1'><joint axis='0 1 0'/><geom size='0.1'/>");
  for (int i = 0; i < LINKS; i++) end += sprintf(end, "</body>");
  sprintf(end, "</worldbody></mujoco>");
  carom_model* model = scene_load(text);
  assert_int_equal(model->tree.num_v, LINKS);
  assert_int_equal(model->tree.num_segments, 1);
  carom_model_destroy(model);
}

/* Within frames an inertial moves with them; figures of MuJoCo 4.0, compiled from this text, and a
 * full inertia in place of the diagonal one. */
static void test_inertial_in_frames(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><worldbody><body><joint/><frame pos='1 2 3' euler='0 0 90'><frame pos='.1 0 0' "
      "euler='30 0 0'><geom size='.1'/><inertial pos='.5 .25 0' mass='2' "
      "%s/></frame></frame></body></worldbody></mujoco>";
  const char* const FORMS[] = {"diaginertia='1 2 2.5'", "fullinertia='1 2 2.5 0 0 0'"};
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(text, sizeof text, TEXT, FORMS[i]);
    carom_model* model = scene_load(text);
    carom_body_info body = carom_model_get_body(model, 1);
    check_near_array(body.com, ((double[]){0.78349365, 2.6, 3.125}), 3, 1e-8);
    check_near_array(body.inertia, ((double[]){2.125, 1, 2.375, 0, 0.216506351, 0}), 6, 1e-9);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orientations),
      cmocka_unit_test(test_euler_sequences),
      cmocka_unit_test(test_replicate),
      cmocka_unit_test(test_fromto),
      cmocka_unit_test(test_geom_attributes),
      cmocka_unit_test(test_joint_attributes),
      cmocka_unit_test(test_free_joints),
      cmocka_unit_test(test_limited),
      cmocka_unit_test(test_frames),
      cmocka_unit_test(test_inertial),
      cmocka_unit_test(test_inertial_in_frames),
      cmocka_unit_test(test_inertia_from_geoms),
      cmocka_unit_test(test_long_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
