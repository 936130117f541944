/* URDF files as they are found: links without mass, shapes of no size, colours and scales in many
 * spellings, names that nobody knows. */
#include "support/scene.h"

#include "carom/dynamics.h"
#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MASS    "<inertial><mass value='3'/><inertia ixx='.2' iyy='.3' izz='.4'/></inertial>"
#define LINK(n) "<link name='" n "'>" MASS "</link>"
#define JOINT(n, type, a, b, more)                                                            \
  "<joint name='" n "' type='" type "'><parent link='" a "'/><child link='" b "'/>" more "</" \
  "joint>"
#define HELD   "read as fixed: what it moves has no mass; give its link an <inertial> to let it move"
#define STANDS "read as fixed to the world: it has no mass; give it an <inertial> to let it move"

static carom_model* load(const char* text, carom_base base) {
  carom_load_def def = carom_load_def_default();
  def.base = base;
  return scene_load_with(text, &def);
}

/* Leaves without mass, and all that hangs on them, do not move; what drives or follows them is
 * noted. */
static void test_massless_leaves(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'>" LINK(
               "a") "<link name='b'/><link name='c'><inertial><mass value='0.0'/>"
                    "</inertial></link>" LINK("d") JOINT("j1", "revolute", "a", "b", "")
                        JOINT("j2", "prismatic", "b", "c", "")
                            JOINT("j3", "continuous", "a", "d", "<mimic joint='j1'/>") "</robot>",
           CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_sizes(model).num_v, 7); /* the base and j3 */
  scene_expect_note(model, "scene.xml:1: joint: " HELD " (2 places)");
  carom_model_destroy(model);
}

/* A root without mass stands in the world, unless something fixed to it has some; a chain of links
 * without mass before a heavy one moves. */
static void test_massless_roots(void** state) {
  (void)state;
  const char* text = "<robot name='r'><link name='a'/><link name='m'/>" LINK("b")
      JOINT("j", "revolute", "a", "m", "<axis xyz='0 1 0'/>")
          JOINT("k", "revolute", "m", "b", "<origin xyz='0 .5 0'/>") "</robot>";
  carom_model* model = load(text, CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_sizes(model).num_v, 2);
  scene_expect_note(model, "scene.xml:1: link: " STANDS);
  carom_model_destroy(model);
  model = load("<robot name='r'><link name='foot'/>" LINK("b")
                   JOINT("j", "fixed", "foot", "b", "") "</robot>",
               CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_sizes(model).num_v, 6);
  assert_int_equal(carom_model_get_sizes(model).num_notes, 0);
  carom_model_destroy(model);
  model = load("<robot name='r'><link name='a'/></robot>", CAROM_BASE_FREE);
  assert_int_equal(carom_model_get_sizes(model).num_v, 0);
  carom_model_destroy(model);
}

/* Two hinges on one axis: the inner one turns nothing of its own, and gets a trace of what the
 * outer one carries. */
static void test_trace_of_armature(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'>" LINK("a") "<link name='m'/>" LINK("b")
               JOINT("j", "revolute", "a", "m", "<axis xyz='0 0 1'/>")
                   JOINT("k", "revolute", "m", "b", "<axis xyz='0 0 1'/>") "</robot>",
           CAROM_BASE_FIXED);
  assert_int_equal(carom_model_get_sizes(model).num_v, 2);
  check_near(model->tree.dof_armature[0], 0.4e-4, 1e-15);
  assert_true(model->tree.dof_armature[1] == 0);
  scene_expect_note(model,
                    "scene.xml:1: joint 'j': it moves no inertia of its own: read as with an "
                    "armature of 4e-05");
  carom_model_destroy(model);
}

/* A point mass on its own hinge, which stands askew so that round-off sets it off the axis wherever
 * the outer hinges turn, is a ball of water, or what collides on it. */
static void test_point_mass(void** state) {
  (void)state;
#define POINT(name, shape) \
  "<link name='" name "'><inertial><mass value='1.7'/></inertial>" shape "</link>"
#define ASKEW "<origin rpy='.3 .7 1.1' xyz='.1 -.7 .3'/><axis xyz='0 .6 .8'/>"
  carom_model* model =
      load("<robot name='r'>" LINK("a") LINK("b") POINT("p", "")
               POINT("s", "<collision><geometry><box size='.3 .2 .2'/></geometry></collision>")
                   JOINT("j", "revolute", "a", "b", ASKEW) JOINT("k", "revolute", "b", "p", ASKEW)
                       JOINT("l", "revolute", "b", "s", ASKEW) "</robot>",
           CAROM_BASE_FIXED);
  double radius = cbrt(3 * 1.7 / (4 * M_PI * 1000)), given = 0.4 * 1.7 * radius * radius;
  assert_int_equal(carom_model_get_sizes(model).num_v, 3);
  check_near(model->tree.dof_armature[1], given, 1e-15);
  assert_true(model->tree.dof_armature[0] == 0 && model->tree.dof_armature[2] == 0);
  check_near(model->tree.link_inertia[6 * model->tree.dof_link[2] + 1], 1.7 / 12 * 0.13, 1e-12);
  carom_model_destroy(model);
}

/* A free point mass is a ball of water, too, beside what hangs on it: of one alone M has its mass
 * and 2/5 m r^2. */
static void test_free_point(void** state) {
  (void)state;
  double radius = cbrt(3 * 1.7 / (4 * M_PI * 1000)), moment = 0.4 * 1.7 * radius * radius;
  carom_model* model = load("<robot name='r'>" POINT("p", "") "</robot>", CAROM_BASE_DEFAULT);
  check_near_array(carom_model_get_body(model, 1).inertia, ((double[]){moment, moment, moment}), 3,
                   1e-12 * moment);
  scene_expect_note(model, "scene.xml:1: body 'p': its inertia is none about some axis: read as "
                           "with that of a ball of water of its mass");
  carom_model_destroy(model);
  model = load("<robot name='r'>" POINT("p", "") LINK("b")
                   JOINT("j", "revolute", "p", "b", "") "</robot>",
               CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_sizes(model).num_v, 7);
  carom_model_destroy(model);
}

/* Inertia without a mass lets nothing move from its place: such a root stands in the world. */
static void test_weightless_root(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><link name='a'><inertial><mass value='0'/><inertia ixx='1' iyy='1' "
           "izz='1'/></inertial></link>" LINK("b")
               JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 1'/>") "</robot>",
           CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_sizes(model).num_v, 1);
  scene_expect_note(model, "scene.xml:1: link: " STANDS);
  carom_model_destroy(model);
}

/* A free body of some mass without inertia about an axis has that of what collides, at its mass:
 * for a box of 3 kg and 2 x 4 x 6 m that is 13, 10, 5 kg m². What hangs on joints keeps its own. */
static void test_inertia_of_shapes(void** state) {
  (void)state;
  static const char* const INERTIAS[] = {"", "<inertia ixx='0' iyy='0' izz='0'/>",
                                         "<inertia ixx='1' iyy='1' izz='0'/>"};
  static const double WANTED[3] = {13, 10, 5};
  for (int i = 0; i < 3; i++) {
    char text[500];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='foot'/><link name='a'><inertial><origin xyz='1 2 3'/>"
             "<mass value='3'/>%s</inertial><collision><geometry><box size='2 4 6'/></geometry>"
             "</collision></link>" JOINT("j", "fixed", "foot", "a", "") "</robot>",
             INERTIAS[i]);
    carom_model* model = load(text, CAROM_BASE_DEFAULT);
    carom_body_info body = carom_model_get_body(model, 2);
    check_near(body.mass, 3, 0);
    for (int k = 0; k < 3; k++) {
      check_near(body.inertia[k], WANTED[k], 1e-14);
      check_near(body.com[k], k + 1, 0);
    }
    scene_expect_note(model, "scene.xml:1: body 'a': its inertia is none about some axis: read as "
                             "that of its shapes with its mass");
    carom_model_destroy(model);
  }
}

/* A joint on the world where no link has this name, as Drake reads it; others are missed. */
static void test_world_as_parent(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'>" LINK("a") JOINT("j", "revolute", "world", "a", "") "</robot>",
           CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_sizes(model).num_v, 1);
  assert_int_equal(carom_model_get_sizes(model).num_bodies, 2);
  scene_expect_note(model,
                    "scene.xml:1: parent: world: read as the world itself: no link has this name");
  carom_model_destroy(model);
}

/* Words and numbers as Bullet's files have them: commas behind numbers, spherical joints. */
static void test_bullet(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'>" LINK("a") LINK("b")
               JOINT("j", "spherical", "a", "b", "<origin xyz='1, 2, 3' rpy='0, 0 0'/>") "</robot>",
           CAROM_BASE_FIXED);
  assert_int_equal(carom_model_get_sizes(model).num_v, 3);
  carom_model_destroy(model);
}

/* Of vectors with a number too many the first ones count; of single numbers one too many is refused
 * (test_urdf_errors). */
static void test_more_numbers(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><link name='a'>" MASS "<collision><origin xyz='1 2 3 4' rpy='0 0 0 0'/>"
           "<geometry><sphere radius='1'/></geometry></collision></link></robot>",
           CAROM_BASE_FIXED);
  check_near_array(carom_model_get_geom(model, 0).position, ((double[]){1, 2, 3}), 3, 1e-15);
  scene_expect_note(model, "scene.xml:1: origin xyz: it has more numbers than it takes: the first "
                           "ones count (2 places)");
  carom_model_destroy(model);
}

/* Drake's ellipsoid has its half axes. A plane is endless, through the origin of its shape and
 * square to its normal, wherever that is turned: a body's shape that is turned by a quarter about y
 * has the plane z = 2 here. */
static void test_plane_and_ellipsoid(void** state) {
  (void)state;
  carom_model* model = load(
      "<robot name='r'><link name='a'><collision><origin xyz='0 0 2' rpy='0 -1.5707963267948966 "
      "0'/><geometry><plane normal='3 0 0'/></geometry></collision></link></robot>",
      CAROM_BASE_DEFAULT);
  carom_geom_info plane = carom_model_get_geom(model, 0);
  const double* q = plane.quaternion;
  const double normal[] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                           1 - 2 * (q[1] * q[1] + q[2] * q[2])};
  assert_int_equal(plane.type, CAROM_GEOM_PLANE);
  check_near_array(plane.position, ((double[]){0, 0, 2}), 3, 1e-15);
  check_near_array(normal, ((double[]){0, 0, 1}), 3, 1e-15);
  carom_model_destroy(model);
  model = load("<robot name='r'><link name='a'>" MASS "<collision><geometry><drake:ellipsoid a='1' "
               "b='2' c='3'/></geometry></collision></link></robot>",
               CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_geom(model, 0).type, CAROM_GEOM_ELLIPSOID);
  check_near_array(carom_model_get_geom(model, 0).size, ((double[]){1, 2, 3}), 3, 0);
  carom_model_destroy(model);
}

/* Shapes of no size touch nothing; a capsule of no length is a sphere. */
static void test_sizes(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><link name='a'>" MASS
           "<collision><geometry><box size='1 0 1'/></geometry></collision>"
           "<collision><geometry><cylinder radius='.2' length='0'/></geometry></collision>"
           "<collision><geometry><capsule radius='.3' length='0'/></geometry></collision>"
           "<visual><geometry><sphere radius='0'/></geometry></visual>"
           "<visual><geometry><box size='-1 2 3'/></geometry></visual></link></robot>",
           CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 1);
  assert_int_equal(carom_model_get_geom(model, 0).type, CAROM_GEOM_SPHERE);
  check_near(carom_model_get_geom(model, 0).size[0], 0.3, 1e-15);
  scene_expect_note(model,
                    "scene.xml:1: collision: left out: a size of its shape is zero (2 places)");
  scene_expect_note(model, "scene.xml:1: visual: not drawn: a size of its shape is zero");
  carom_model_destroy(model);
}

static void check_colour(const char* rgba, const float* wanted) {
  char text[400];
  snprintf(text, sizeof text,
           "<robot name='r'><link name='a'>" MASS "<visual><geometry><sphere "
           "radius='1'/></geometry><material name='m'><color rgba='%s'/></material></visual></link>"
           "</robot>",
           rgba);
  carom_model* model = load(text, CAROM_BASE_DEFAULT);
  carom_geom_info info = carom_model_get_geom(model, 0);
  for (int i = 0; i < 4; i++) check_near((double)info.rgba[i], (double)wanted[i], 1e-7);
  carom_model_destroy(model);
}

static void test_colours(void** state) {
  (void)state;
  static const float GIVEN[4] = {0.1F, 0.4F, 0.7F, 1}, CLEAR[4] = {0.1F, 0.4F, 0.7F, 0.5F};
  const carom_geom_def grey = carom_geom_def_default();
  check_colour("0.1 0.4 0.7", GIVEN);
  check_colour("0.1, .4,0.7, 1", GIVEN);
  check_colour("0.1 0.4 0.7 0.5", CLEAR);
  check_colour("", grey.rgba);
  check_colour("red", grey.rgba);
  check_colour("1 1 1 1 1", grey.rgba);
}

/* Names that nobody knows are said to be ignored physics, with the one that is meant; what stands
 * in what is for drawing or for others is not. */
static void test_unknown_names(void** state) {
  (void)state;
  carom_model* model = load(
      "<robot name='r'><lnik name='z'/><link name='a'>" MASS
      "<Collision/><visual><geometry><sphere "
      "radius='1'/></geometry><shading/></visual></link>" LINK("b")
          JOINT("j", "revolute", "a", "b",
                "<dynamics dampng='1'/><mimc joint='j'/>") "<gazebo><anything/></gazebo></robot>",
      CAROM_BASE_DEFAULT);
  static const char* const MEANT[][2] = {{"lnik", "link"},
                                         {"Collision", "collision"},
                                         {"dynamics dampng", "damping"},
                                         {"mimc", "mimic"}};
  for (int i = 0; i < 4; i++) {
    char note[200];
    snprintf(note, sizeof note,
             "scene.xml:1: %s: ignored, though it may be physics: the name is not "
             "known; is '%s' meant?",
             MEANT[i][0], MEANT[i][1]);
    scene_expect_note(model, note);
  }
  scene_expect_note(model, "scene.xml:1: shading: not used: it is not known here");
  carom_model_destroy(model);
}

static void test_xacro(void** state) {
  (void)state;
  static const char* const TEXTS[] = {
      "<robot name='r'>" LINK("a") "<xacro:wheel side='left'/></robot>",
      "<robot name='r'><link name='a'>" MASS
      "<collision><geometry><mesh filename='$(find p)/a.stl'/>"
      "</geometry></collision></link></robot>"};
  static const char* const NAMES[] = {"xacro:wheel", "mesh"};
  for (int i = 0; i < 2; i++) {
    char sentence[200];
    snprintf(sentence, sizeof sentence,
             "scene.xml:1: %s: this is xacro, a template: expand it first "
             "('xacro FILE > robot.urdf', of ROS)",
             NAMES[i]);
    scene_expect_error(TEXTS[i], CAROM_ERROR_UNSUPPORTED, sentence);
  }
  carom_model_destroy(load("<robot name='r' xmlns:xacro='x'>" LINK(
                               "a") "<gazebo><plugin><ns>$(arg ns)</ns></plugin></gazebo></robot>",
                           CAROM_BASE_DEFAULT));
}

/* Joints that ros2_control commands have motors, bounded by their effort. */
static void test_ros2_control(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'>" LINK("a") LINK("b") LINK("c")
               JOINT("j", "revolute", "a", "b", "<limit lower='-1' upper='1' effort='7'/>")
                   JOINT("k", "continuous", "b", "c",
                         "") "<ros2_control name='s' type='system'><joint "
                             "name='j'><command_interface name='position'/>"
                             "</joint><joint name='k'><state_interface "
                             "name='position'/></joint></ros2_control></robot>",
           CAROM_BASE_DEFAULT);
  assert_int_equal(carom_model_get_sizes(model).num_actuators, 1);
  carom_actuator_info info = carom_model_get_actuator(model, 0);
  assert_string_equal(info.name, "j");
  check_near(info.force_range[1], 7, 1e-15);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_massless_leaves),
      cmocka_unit_test(test_massless_roots),
      cmocka_unit_test(test_trace_of_armature),
      cmocka_unit_test(test_point_mass),
      cmocka_unit_test(test_free_point),
      cmocka_unit_test(test_weightless_root),
      cmocka_unit_test(test_inertia_of_shapes),
      cmocka_unit_test(test_world_as_parent),
      cmocka_unit_test(test_bullet),
      cmocka_unit_test(test_more_numbers),
      cmocka_unit_test(test_plane_and_ellipsoid),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_colours),
      cmocka_unit_test(test_unknown_names),
      cmocka_unit_test(test_xacro),
      cmocka_unit_test(test_ros2_control),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
