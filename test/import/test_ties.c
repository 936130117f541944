/* loop_joint, drake:ball_constraint, drake:linear_spring_damper, SDF's loops, kinematic links and
 * fluid_added_mass against what follows by hand. */
#include "support/check.h"
#include "support/scene.h"

#include "carom/sim.h"

#include <math.h>
#include <string.h>

#define LINK(name)                                                                         \
  "<link name='" name "'><inertial><mass value='2'/><inertia ixx='.1' iyy='.1' izz='.1'/>" \
  "</inertial></link>"
/* A link 'b' that is free 1 m to the side of the world's origin. */
#define ROBOT(rest)                                                                          \
  "<robot name='r'><mujoco><option gravity='0 0 -10'/></mujoco><link name='world'/>" LINK(   \
      "b") "<joint name='j' type='floating'><parent link='world'/><child link='b'/><origin " \
           "xyz='1 0 "                                                                       \
           "0'/></joint>" rest "</robot>"
#define BALL_TIE(a, p, b, q)                                                                \
  "<drake:ball_constraint><drake:ball_constraint_body_A name='" a "'/>"                     \
  "<drake:ball_constraint_p_AP value='" p "'/><drake:ball_constraint_body_B name='" b "'/>" \
  "<drake:ball_constraint_p_BQ value='" q "'/></drake:ball_constraint>"
#define SPRING(a, p, b, q, rest)                                                        \
  "<drake:linear_spring_damper><drake:linear_spring_damper_body_A name='" a "'/>"       \
  "<drake:linear_spring_damper_p_AP value='" p "'/><drake:linear_spring_damper_body_B " \
  "name='" b "'/><drake:linear_spring_damper_p_BQ value='" q "'/>" rest                 \
  "</drake:linear_spring_damper>"

/* The pose of 'b' and the energy after steps of 1 ms. */
static carom_energy simulate(const char* text, int steps, double at[7]) {
  carom_model* model = scene_load(text);
  carom_sim* sim;
  carom_error error;
  carom_step_report report;
  carom_sim_def def = carom_sim_def_default();
  double poses[7 * 8];
  def.dt = 1e-3;
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  for (int i = 0; i < steps; i++) check_ok(carom_sim_step(sim, &report, &error), &error);
  carom_sim_compute_poses(sim, poses);
  int body = carom_model_find_body(model, "b");
  memcpy(at, poses + 7 * (body < 0 ? carom_model_find_body(model, "m::b") : body), 7 * sizeof *at);
  carom_energy energy = carom_sim_compute_energy(sim);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return energy;
}

/* Held at the world's origin, 1 m from its centre of mass, it swings down: kinetic energy is
 * m g times the way down, and it stays 1 m away. */
static void expect_swing(const char* text) {
  double at[7];
  carom_energy energy = simulate(text, 400, at);
  assert_true(at[2] < -0.5);
  /* The circle is followed along chords, (omega dt)^2 off. */
  double turned = -2 * 10 * at[2] * 2 / 2.1 * 1e-6;
  check_near(at[0] * at[0] + at[1] * at[1] + at[2] * at[2], 1, 2 * turned);
  check_near(energy.kinetic, -2 * 10 * at[2], 20 * turned);
  /* The pendulum's equation, integrated; Drake 1.58 at 0.1 ms has 0.7332, -0.6800. */
  check_near_array(at, ((double[]){0.733339, 0, -0.679863}), 3, 20 * turned);
}

static void test_ball(void** state) {
  (void)state;
  expect_swing(ROBOT(BALL_TIE("b", "-1 0 0", "world", "0 0 0")));
  expect_swing(ROBOT(BALL_TIE("world", "0 0 0", "b", "-1 0 0")));
  expect_swing("<sdf version='1.9'><world name='w'><gravity>0 0 -10</gravity><model name='m'>"
               "<link name='b'><pose>1 0 0 0 0 0</pose><inertial><mass>2</mass><inertia><ixx>.1"
               "</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial></link>"
               "<drake:ball_constraint><drake:ball_constraint_body_A>world"
               "</drake:ball_constraint_body_A><drake:ball_constraint_p_AP>0 0 0"
               "</drake:ball_constraint_p_AP><drake:ball_constraint_body_B>b"
               "</drake:ball_constraint_body_B><drake:ball_constraint_p_BQ>-1 0 0"
               "</drake:ball_constraint_p_BQ></drake:ball_constraint></model></world></sdf>");
}

/* Each loop is closed about the world's y axis; fixed: nothing moves. */
static void test_loop_joints(void** state) {
  (void)state;
#define LOOP(type, more)                                                                          \
  ROBOT("<loop_joint name='l' type='" type "'><link1 link='world' rpy='0 0 .5'/><link2 link='b' " \
        "xyz='-1 0 0' rpy='0 0 .5'/>" more "</loop_joint>")
  double at[7];
  expect_swing(LOOP("spherical", ""));
  expect_swing(LOOP("continuous", "<axis xyz='0.479425538604203 0.8775825618903728 0'/>"));
  simulate(LOOP("fixed", ""), 100, at);
  check_near_array(at, ((double[]){1, 0, 0, 1, 0, 0, 0}), 7, 1e-6);
  /* About its own x axis, which gravity does not turn it about... */
  simulate(LOOP("revolute", "<axis xyz='0.8775825618903728 -0.479425538604203 0'/>"), 100, at);
  check_near_array(at, ((double[]){1, 0, 0, 1, 0, 0, 0}), 7, 1e-6);
  simulate(LOOP("universal", ""), 100, at); /* x and y of the joint are level */
  assert_true(at[2] < -0.04);
  expect_swing(ROBOT("<loop_joint name='l' type='universal'><link1 link='b' xyz='-1 0 0'/><link2 "
                     "link='world'/></loop_joint>"));
  /* x is level, y upright: it does not turn about the world's y. */
  simulate(ROBOT("<loop_joint name='l' type='universal'><link1 link='b' xyz='-1 0 0' "
                 "rpy='1.5707963267948966 0 0'/><link2 link='world' rpy='1.5707963267948966 0 0'/>"
                 "</loop_joint>"),
           100, at);
  check_near_array(at, ((double[]){1, 0, 0, 1, 0, 0, 0}), 7, 1e-6);
  scene_expect_error(LOOP("helical", ""), CAROM_ERROR_UNSUPPORTED,
                     "scene.xml:1: loop_joint 'l': type is 'helical': joints of this kind cannot "
                     "close loops; --permissive makes it a note");
  scene_expect_error(ROBOT("<loop_joint name='l' type='fixed'><link1 link='b'/></loop_joint>"),
                     CAROM_ERROR_BAD_INPUT,
                     "scene.xml:1: loop_joint 'l': element <link2> is missing");
}

/* A free link that a loop holds on a line falls along it with that part of 10 m/s^2, whichever end
 * the file names first; the way is exact in steps, since the acceleration is constant. */
static void test_loop_slide(void** state) {
  (void)state;
  double at[7], along = -0.5 * 10 * 0.8 * 0.1 * 0.1;
  const double wanted[7] = {1 + 0.6 * cos(0.5) * along, 0.6 * sin(0.5) * along, 0.8 * along, 1};
  simulate(LOOP("prismatic", "<axis xyz='.6 0 .8'/>"), 100, at);
  check_near_array(at, wanted, 7, 1e-8);
  simulate(ROBOT("<loop_joint name='l' type='prismatic'><link1 link='b' xyz='-1 0 0' rpy='0 0 .5'/>"
                 "<link2 link='world' rpy='0 0 .5'/><axis xyz='.6 0 .8'/></loop_joint>"),
           100, at);
  check_near_array(at, wanted, 7, 1e-8);
}

/* A loop between links that fixed joints make one body holds nothing. */
static void test_idle_loop(void** state) {
  (void)state;
  carom_model* model = scene_load(ROBOT(
      "<loop_joint name='l' type='fixed'><link1 link='b'/><link2 link='c'/></loop_joint>" LINK(
          "c") "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>"));
  assert_int_equal(carom_model_get_sizes(model).num_equalities, 0);
  scene_expect_note(model, "scene.xml:1: loop_joint: not used: what it joins is one rigid body");
  carom_model_destroy(model);
}

/* 2 kg on 1000 N/m and 3 N s/m, from 1 m above: hangs where the spring is 2 cm longer than 0.5 m,
 * and swings about that as a damped oscillator. */
#define TRAITS                                                                                  \
  "<drake:linear_spring_damper_free_length value='0.5'/><drake:linear_spring_damper_stiffness " \
  "value='1000'/><drake:linear_spring_damper_damping value='3'/>"

static void test_spring(void** state) {
  (void)state;
  double at[7];
  carom_energy energy = simulate(ROBOT(SPRING("world", "1 0 0.52", "b", "0 0 0", TRAITS)), 200, at);
  check_near(at[2], 0, 1e-9);
  check_near(energy.elastic, 0.5 * 1000 * 0.02 * 0.02, 1e-9);
  /* z'' + c/m z' + k/m z = 0 from 0.1 m above the rest, for a tenth of a second */
  simulate(ROBOT(SPRING("b", "0 0 0", "world", "1 0 0.42", TRAITS)), 100, at);
  double delta = 3 / (2 * 2.0), omega = sqrt(1000 / 2.0 - delta * delta), t = 0.1;
  double z = 0.1 * exp(-delta * t) * (cos(omega * t) + delta / omega * sin(omega * t)) - 0.1;
  check_near(at[2], z, 2e-4 * 0.1);
  scene_expect_error(ROBOT(SPRING("b", "0 0 0", "world", "0 0 0", "")), CAROM_ERROR_BAD_INPUT,
                     "scene.xml:1: drake:linear_spring_damper: element "
                     "<drake:linear_spring_damper_free_length> is missing");
  scene_expect_error(
      ROBOT(SPRING("b", "0 0 0", "nobody", "0 0 0", TRAITS)), CAROM_ERROR_BAD_INPUT,
      "scene.xml:1: drake:linear_spring_damper_body_B 'nobody': link is 'nobody', no "
      "link has this name");
}

/* --- SDF ----------------------------------------------------------------------------------------
 */

#define SDF(rest)                                                                      \
  "<sdf version='1.9'><world name='w'><gravity>0 0 -10</gravity><model name='m'>" rest \
  "</model></world></sdf>"
#define BODY(name, pose, more)                                                         \
  "<link name='" name "'><pose>" pose " 0 0 0</pose><inertial><mass>2</mass><inertia>" \
  "<ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia>" more "</inertial>"
#define HUNG(parent, child, pose)                                          \
  "<joint name='j' type='ball'><pose>" pose " 0 0 0</pose><parent>" parent \
  "</parent><child>" child "</child></joint>"
#define UNIVERSAL(parent, child, pose)                                                    \
  "<joint name='u' type='universal'><pose>" pose " 0 0 0</pose><parent>" parent           \
  "</parent><child>" child "</child><axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 0 1</xyz>" \
  "</axis2></joint>"

/* A universal joint about y of the world and z of the body: it swings about y, and does not about
 * x, as it would on the ball joint alone; and the other way round where the world is the child. */
static void test_universal_loop(void** state) {
  (void)state;
  double at[7];
  expect_swing(SDF(BODY("b", "1 0 0", "") "</link>" HUNG("world", "b", "-1 0 0")
                       UNIVERSAL("world", "b", "-1 0 0")));
  simulate(SDF(BODY("b", "0 1 0", "") "</link>" HUNG("world", "b", "0 -1 0")), 400, at);
  assert_true(at[2] < -0.5);
  simulate(SDF(BODY("b", "0 1 0", "") "</link>" HUNG("world", "b", "0 -1 0")
                   UNIVERSAL("world", "b", "0 -1 0")),
           400, at);
  check_near_array(at, ((double[]){0, 1, 0}), 3, 1e-6);
  simulate(SDF(BODY("b", "0 1 0", "") "</link>" HUNG("world", "b", "0 -1 0")
                   UNIVERSAL("b", "world", "0 0 0")),
           400, at);
  check_near_array(at, ((double[]){0, 1, 0}), 3, 1e-6);
}

#define JOINT(name, type, parent, child, pose, axis, more)                            \
  "<joint name='" name "' type='" type "'><pose>" pose " 0 0 0</pose><parent>" parent \
  "</parent><child>" child "</child><axis><xyz>" axis "</xyz>" more "</axis></joint>"

/* A crank of 1 m, a rod of 2 m and a block that slides up and down: whichever joint closes the
 * loop, the rod moves alike, to what two ways to close it differ by in steps of dt, (omega dt)^2.
 */
static void test_slide_loop(void** state) {
  (void)state;
#define MECHANISM(joints)                                                                        \
  SDF(BODY("a", ".5 0 0", "") "</link>" BODY("b", "1 0 -1", "") "</link>" BODY(                  \
      "c", "1 0 -2", "") "</link>" JOINT("wa", "revolute", "world", "a", "-.5 0 0", "0 1 0", "") \
          JOINT("ab", "revolute", "a", "b", "0 0 1", "0 1 0", "") joints)
#define BC       JOINT("bc", "revolute", "b", "c", "0 0 0", "0 1 0", "")
#define WC(more) JOINT("wc", "prismatic", "world", "c", "0 0 0", "0 0 1", more)
  double by_halves[7], by_points[7];
  simulate(MECHANISM(BC WC("")), 300, by_halves);
  simulate(MECHANISM(WC("") BC), 300, by_points);
  assert_true(by_halves[2] < -1.4);
  check_near_array(by_halves, by_points, 7, 4 * 4 * 1e-6); /* about 4 rad/s at the end */
  /* Its limit holds, too. */
  simulate(MECHANISM(BC WC("<limit><lower>-.01</lower><upper>1</upper></limit>")), 300, by_halves);
  check_near(by_halves[2], -1.01, 1e-6);
}

/* Two planes, one on a joint of the tree and one that closes a loop, meet in a line: the link
 * slides down along (0.8, 0, 0.6) and does not turn. */
static void test_planar_loop(void** state) {
  (void)state;
#define PLANE(name, rpy)                                                          \
  "<drake:joint name='" name "' type='planar'><drake:parent>world</drake:parent>" \
  "<drake:child>b</drake:child><pose relative_to='b'>0 0 0 " rpy "</pose></drake:joint>"
  double at[7], along = -0.5 * 10 * 0.6 * 0.1 * 0.1;
  simulate(SDF(BODY("b", "0 0 0", "") "</link>" PLANE("p", "1.5707963267948966 0 0")
                   PLANE("q", "0 -0.6435011087932844 0")),
           100, at);
  check_near_array(at, ((double[]){0.8 * along, 0, 0.6 * along, 1, 0, 0, 0}), 7, 1e-8);
}

/* Fixed joints of one body close nothing: sdformat's own tests hold a link by five of them. */
static void test_fixed_twice(void** state) {
  (void)state;
#define WELD(name, parent, child)                                                             \
  "<joint name='" name "' type='fixed'><parent>" parent "</parent><child>" child "</child></" \
  "joint>"
  carom_model* model = scene_load(SDF(BODY("a", "0 0 0", "") "</link>" BODY(
      "b", "1 0 0", "") "</link>" WELD("j", "a", "b") WELD("k", "a", "b")));
  assert_int_equal(carom_model_get_sizes(model).num_v, 6);
  assert_int_equal(carom_model_get_sizes(model).num_equalities, 0);
  scene_expect_note(model, "scene.xml:1: joint: not used: what it joins is one rigid body");
  carom_model_destroy(model);
}

/* A nut of 2 kg on a screw of 2 pi m per revolution, in a carrier that turns with it: z'' = -g m /
 * (m + I), exact in steps to half of z'' t dt, and it turns by z. */
static void test_screw_loop(void** state) {
  (void)state;
#define NUT(joints) SDF(BODY("a", "0 0 0", "") "</link>" BODY("b", "0 0 0", "") "</link>" joints)
#define WA          JOINT("wa", "revolute", "world", "a", "0 0 0", "0 0 1", "")
#define AB          JOINT("ab", "prismatic", "a", "b", "0 0 0", "0 0 1", "")
#define WB                                                                                   \
  "<joint name='wb' type='screw'><parent>world</parent><child>b</child><screw_thread_pitch>" \
  "6.283185307179586</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>"
  static const char* const ORDERS[] = {NUT(WA AB WB), NUT(WB WA AB)};
  for (int i = 0; i < 2; i++) {
    double at[7], rate = 10 * 2 / 2.2;
    simulate(ORDERS[i], 300, at);
    check_near(at[2], -0.5 * rate * 0.3 * 0.3, 0.5 * rate * 0.3 * 1e-3);
    check_near(at[6], sin(at[2] / 2), 1e-6);
  }
  carom_model* model = scene_load(ORDERS[0]);
  int half = carom_model_find_body(model, "m::b::wb");
  assert_true(carom_model_get_body(model, half).mass == 1);
  carom_model_destroy(model);
  scene_expect_error(
      SDF("<link name='a'/><link name='b'><inertial auto='true'/><collision name='c'><geometry>"
          "<sphere/></geometry></collision></link>" WA AB WB),
      CAROM_ERROR_UNSUPPORTED,
      "scene.xml:1: joint 'wb': joints of this kind cannot close loops where the child's inertia "
      "is that of its shapes; --permissive makes it a note");
}

/* A kinematic link holds what it hangs on. */
static void test_kinematic(void** state) {
  (void)state;
  expect_swing(SDF(BODY("b", "1 0 0", "") "</link>" BODY(
      "k", "0 0 0", "") "<kinematic>true</kinematic></link>" HUNG("b", "k", "0 0 0")));
  carom_model* model =
      scene_load("<sdf version='1.9'><model name='m'><link name='b'><kinematic>1</kinematic></link>"
                 "<joint name='j' type='fixed'><parent>world</parent><child>b</child></joint>"
                 "</model></sdf>");
  assert_int_equal(carom_model_get_sizes(model).num_equalities, 0); /* it stands already */
  carom_model_destroy(model);
}

/* 2 kg of fluid on 2 kg: it falls with g / 2. Steps are exact to g/2 t dt. */
static void test_added_mass(void** state) {
  (void)state;
  double at[7];
  carom_energy energy =
      simulate(SDF(BODY("b", "0 0 0",
                        "<fluid_added_mass><xx>2</xx><yy>2</yy><zz>2</zz><pp>.3</pp>"
                        "</fluid_added_mass>") "</link>"),
               200, at);
  check_near(at[2], -0.5 * 5 * 0.2 * 0.2, 5 * 0.2 * 1e-3);
  check_near(energy.kinetic, 0.5 * 4 * 1, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),        cmocka_unit_test(test_loop_joints),
      cmocka_unit_test(test_loop_slide),  cmocka_unit_test(test_idle_loop),
      cmocka_unit_test(test_planar_loop), cmocka_unit_test(test_fixed_twice),
      cmocka_unit_test(test_spring),      cmocka_unit_test(test_universal_loop),
      cmocka_unit_test(test_slide_loop),  cmocka_unit_test(test_screw_loop),
      cmocka_unit_test(test_kinematic),   cmocka_unit_test(test_added_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
