/* Small URDF texts: what each joint, shape and extension becomes, and what is noted. */
#include "import/urdf/load.h"
#include "support/memory.h"
#include "support/scene.h"

#include "carom/dynamics.h"
#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MASS "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"

static carom_model* load(const char* text, carom_base base) {
  carom_load_def def = carom_load_def_default();
  def.base = base;
  return scene_load_with(text, &def);
}

/* All types in a row: coordinates as carom/model.h says, axes in the link's frame. */
static void test_joints(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><link name='world'/><link name='a'>" MASS "</link><link name='b'>" MASS
           "</link><link name='c'>" MASS "</link><link name='d'>" MASS "</link><link name='e'>" MASS
           "</link><link name='f'>" MASS "</link><link name='g'>" MASS "</link>"
           "<joint name='j1' type='revolute'><parent link='world'/><child link='a'/>"
           "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 0 2'/>"
           "<limit lower='-1' upper='2' effort='5' velocity='3'/>"
           "<dynamics damping='.5' friction='.25'/></joint><joint name='j2' type='continuous'>"
           "<parent link='a'/><child link='b'/><limit lower='0' upper='1'/></joint>"
           "<joint name='j3' type='prismatic'><parent link='b'/><child link='c'/>"
           "<limit upper='inf'/></joint><joint name='j4' type='fixed'><parent link='c'/>"
           "<child link='d'/></joint><joint name='j5' type='planar'><parent link='d'/>"
           "<child link='e'/></joint><joint name='j6' type='ball'><parent link='e'/>"
           "<child link='f'/></joint><joint name='j7' type='universal'><parent link='f'/>"
           "<child link='g'/></joint></robot>",
           CAROM_BASE_DEFAULT);
  static const carom_joint_type TYPES[] = {CAROM_JOINT_HINGE, CAROM_JOINT_HINGE, CAROM_JOINT_SLIDE,
                                           CAROM_JOINT_SLIDE, CAROM_JOINT_SLIDE, CAROM_JOINT_HINGE,
                                           CAROM_JOINT_BALL,  CAROM_JOINT_HINGE, CAROM_JOINT_HINGE};
  static const char* const NAMES[] = {"j1",       "j2", "j3",   "j5.x", "j5.y",
                                      "j5.angle", "j6", "j7.x", "j7.y"};
  static const double AXES[][3] = {{0, 0, 1}, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 1, 0},
                                   {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  assert_int_equal(carom_model_get_sizes(model).num_joints, 9);
  assert_int_equal(carom_model_get_sizes(model).num_bodies, 8);
  for (int i = 0; i < 9; i++) {
    carom_joint_info joint = carom_model_get_joint(model, i);
    assert_string_equal(joint.name, NAMES[i]);
    assert_int_equal(joint.type, TYPES[i]);
    if (joint.type != CAROM_JOINT_BALL) check_near_array(joint.axis, AXES[i], 3, 1e-15);
  }
  carom_joint_info first = carom_model_get_joint(model, 0), third = carom_model_get_joint(model, 2);
  assert_true(first.limited && first.range[0] == -1 && first.range[1] == 2);
  assert_false(carom_model_get_joint(model, 1).limited);
  assert_true(third.limited && third.range[0] == 0 && third.range[1] == 1e10);
  assert_true(model->force.dof_damping[0] == 0.5 && model->limit.dof_friction_loss[0] == 0.25);
  scene_expect_note(
      model, "scene.xml:1: limit velocity: not enforced, but kept: a joint's velocity has no "
             "limit here");
  carom_model_destroy(model);
}

/* rpy turns about fixed axes, x first: the frame of the link, and the axes of an inertia. */
static void test_poses(void** state) {
  (void)state;
  double poses[21], e[4] = {0.5, 0.5, 0.5, 0.5};
  carom_model* model =
      load("<robot name='r'><link name='a'>" MASS "</link><link name='b'><inertial>"
           "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
           "<inertia ixx='1' iyy='2' izz='2.5' ixy='.1'/></inertial></link>"
           "<joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
           "<origin xyz='1 2 3' rpy='1.5707963267948966 0 1.5707963267948966'/></joint></robot>",
           CAROM_BASE_FIXED);
  carom_dynamics* dynamics;
  carom_error error;
  check_ok(carom_dynamics_create(model, NULL, &dynamics, &error), &error);
  carom_dynamics_compute_poses(dynamics, poses);
  check_near_array(poses + 14, ((double[]){1, 2, 3}), 3, 1e-15);
  check_near_array(poses + 17, e, 4, 1e-15);
  carom_body_info body = carom_model_get_body(model, 2);
  check_near_array(body.inertia, ((double[]){2, 1, 2.5, -0.1, 0, 0}), 6, 1e-15);
  check_near_array(body.com, ((double[]){1, 0, 0}), 3, 0);
  carom_dynamics_destroy(dynamics);
  carom_model_destroy(model);
}

static void expect_base(const char* text, carom_base base, int num_v) {
  carom_model* model = load(text, base);
  assert_int_equal(carom_model_get_sizes(model).num_v, num_v);
  carom_model_destroy(model);
}

static void test_bases(void** state) {
  (void)state;
  const char* loose = "<robot name='r'><link name='a'>" MASS "</link></robot>";
  const char* tied = "<robot name='r'><link name='world'/><link name='a'>" MASS "</link>"
                     "<joint name='j' type='fixed'><parent link='world'/><child link='a'/>"
                     "<origin xyz='0 0 1'/></joint></robot>";
  const char* floating =
      "<robot name='r'><link name='world'/><link name='a'>" MASS "</link>"
      "<joint name='j' type='floating'><parent link='world'/><child link='a'/></joint>"
      "</robot>";
  expect_base(loose, CAROM_BASE_DEFAULT, 6);
  expect_base(loose, CAROM_BASE_FIXED, 0);
  expect_base(loose, CAROM_BASE_FREE, 6);
  expect_base(tied, CAROM_BASE_DEFAULT, 0);
  expect_base(tied, CAROM_BASE_FREE, 6);
  expect_base(floating, CAROM_BASE_DEFAULT, 6);
}

/* Links stand depth first, children in the order of their joints, whatever that of the links. */
static void test_order(void** state) {
  (void)state;
  static const char* const NAMES[] = {"world", "a", "c", "d", "b"};
  carom_model* model =
      load("<robot name='r'><joint name='ac' type='revolute'><parent link='a'/><child link='c'/>"
           "</joint><joint name='ab' type='revolute'><parent link='a'/><child link='b'/></joint>"
           "<link name='b'>" MASS "</link><link name='d'>" MASS "</link><link name='a'>" MASS
           "</link><joint name='cd' type='revolute'><parent link='c'/><child link='d'/></joint>"
           "<link name='c'>" MASS "</link></robot>",
           CAROM_BASE_FIXED);
  for (int i = 0; i < 5; i++) assert_string_equal(carom_model_get_body(model, i).name, NAMES[i]);
  assert_string_equal(carom_model_get_joint(model, 1).name, "cd");
  carom_model_destroy(model);
}

static void test_shapes(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><material name='red'><color rgba='1 0 0 .5'/></material>"
           "<link name='a'>" MASS "<visual><geometry><sphere radius='.5'/></geometry>"
           "<material name='red'/></visual><collision name='c'><origin xyz='1 0 0'/><geometry>"
           "<box size='2 4 6'/></geometry></collision><collision name='c'><geometry>"
           "<cylinder radius='.1' length='.4'/></geometry></collision><collision><geometry>"
           "<capsule radius='.1' length='.6'/></geometry></collision></link></robot>",
           CAROM_BASE_DEFAULT);
  static const carom_geom_type TYPES[] = {CAROM_GEOM_SPHERE, CAROM_GEOM_BOX, CAROM_GEOM_CYLINDER,
                                          CAROM_GEOM_CAPSULE};
  static const double SIZES[][3] = {{.5}, {1, 2, 3}, {.1, .2}, {.1, .3}};
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 4);
  for (int i = 0; i < 4; i++) {
    carom_geom_info geom = carom_model_get_geom(model, i);
    assert_int_equal(geom.type, TYPES[i]);
    assert_int_equal(geom.group, i == 0 ? 1 : 3);
    assert_int_equal(model->geom.contype[i], i == 0 ? 0 : 1);
    check_near_array(geom.size, SIZES[i], 3, 1e-15);
  }
  assert_int_equal(carom_model_find_geom(model, "c"), 1);
  assert_true(carom_model_get_geom(model, 0).rgba[0] == 1);
  assert_true(carom_model_get_geom(model, 0).rgba[3] == 0.5F);
  assert_true(carom_model_get_geom(model, 1).position[0] == 1);
  carom_model_destroy(model);
}

/* q_b = -2 q_a + .5, and a joint that follows a fixed one is held. */
static void test_mimic(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
           "<link name='c'>" MASS "</link><link name='d'>" MASS "</link><link name='e'>" MASS
           "</link><joint name='jb' type='revolute'><parent link='a'/><child link='b'/>"
           "<mimic joint='jc' multiplier='-2' offset='.5'/></joint>"
           "<joint name='jc' type='revolute'><parent link='a'/><child link='c'/></joint>"
           "<joint name='jd' type='fixed'><parent link='a'/><child link='d'/></joint>"
           "<joint name='je' type='revolute'><parent link='a'/><child link='e'/>"
           "<mimic joint='jd' offset='.1'/></joint></robot>",
           CAROM_BASE_FIXED);
  const cr_equality_model* e = &model->equality;
  assert_int_equal(e->num_equalities, 2);
  assert_true(e->joint[0] == 0 && e->joint[1] == 1 && e->joint[2] == 2 && e->joint[3] == -1);
  assert_true(e->polynomial[0] == 0.5 && e->polynomial[1] == -2 && e->polynomial[2] == 0);
  assert_true(e->polynomial[5] == 0.1 && e->polynomial[6] == 0);
  carom_model_destroy(model);
}

static void test_transmissions(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
           "<link name='c'>" MASS "</link><joint name='jb' type='revolute'><parent link='a'/>"
           "<child link='b'/><limit effort='5' velocity='1'/></joint>"
           "<joint name='jc' type='prismatic'><parent link='a'/><child link='c'/>"
           "<limit effort='0' velocity='1'/></joint><transmission name='t'>"
           "<type>transmission_interface/SimpleTransmission</type><joint name='jb'/>"
           "<actuator name='m'><drake:gear_ratio value='10'/><drake:rotor_inertia value='.02'/>"
           "</actuator></transmission><transmission name='t'>"
           "<type>transmission_interface/SimpleTransmission</type><joint name='jc'/>"
           "<actuator name='m'></actuator></transmission><transmission><type>Four</type>"
           "<joint name='jb'/></transmission></robot>",
           CAROM_BASE_FIXED);
  assert_int_equal(carom_model_get_sizes(model).num_actuators, 2);
  carom_actuator_info first = carom_model_get_actuator(model, 0);
  assert_string_equal(first.name, "m");
  assert_true(first.joint == 0 && first.force_range[0] == -5 && first.force_range[1] == 5);
  assert_string_equal(carom_model_get_actuator(model, 1).name, "jc");
  assert_true(isinf(carom_model_get_actuator(model, 1).force_range[1]));
  check_near(model->tree.dof_armature[0], 2, 1e-15);
  scene_expect_note(model, "scene.xml:1: transmission: not used: only simple transmissions of one "
                           "joint are");
  scene_expect_note(model, "scene.xml:1: limit effort: not limited: effort is not positive");
  carom_model_destroy(model);
}

static void test_contact_properties(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><link name='a'>" MASS "<collision><geometry><sphere radius='1'/>"
           "</geometry></collision><contact><lateral_friction value='.3'/>"
           "<stiffness value='1000'/><damping value='50'/><rolling_friction value='.01'/>"
           "<spinning_friction value='.02'/><restitution value='.5'/></contact></link><link "
           "name='b'>" MASS
           "<collision><geometry><sphere radius='1'/></geometry><drake:proximity_properties>"
           "<drake:mu_dynamic value='.6'/><drake:mu_static value='.7'/>"
           "<drake:point_contact_stiffness value='2e4'/><drake:hunt_crossley_dissipation "
           "value='1.5'/></drake:proximity_properties>"
           "</collision></link><link name='c'>" MASS "<collision><geometry><sphere radius='1'/>"
           "</geometry></collision></link><joint name='jb' type='revolute'><parent link='a'/>"
           "<child link='b'/></joint><joint name='jc' type='revolute'><parent link='b'/>"
           "<child link='c'/></joint><gazebo reference='c'><mu1>0.9</mu1><mu2>0.9</mu2></gazebo>"
           "<drake:collision_filter_group name='g'><drake:member link='a'/>"
           "<drake:member link='c'/><drake:ignored_collision_filter_group name='g'/>"
           "</drake:collision_filter_group></robot>",
           CAROM_BASE_DEFAULT);
  const cr_contact_model* c = &model->contact;
  check_near_array(c->friction, ((double[]){.3, .6, .9}), 3, 0);
  check_near_array(c->stiffness, ((double[]){1000, 2e4}), 2, 0);
  check_near_array(c->dissipation, ((double[]){.05, 0}), 2, 1e-15);
  assert_true(isinf(c->stiffness[2]));
  assert_int_equal(c->friction_rule, CAROM_FRICTION_RULE_HARMONIC);
  assert_int_equal(model->geom.num_excludes, 1);
  assert_true(model->geom.exclude[0] == ((uint64_t)1 << 32 | 3));
  const carom_surface* s = c->surface;
  assert_true(c->condim[0] == 6 && c->condim[1] == 3);
  assert_true(s[0].rolling_friction == .01 && s[0].torsional_friction == .02);
  assert_true(s[0].restitution == .5 && s[0].static_friction == .3);
  assert_true(s[1].static_friction == .7 && s[1].hunt_crossley == 1.5 && s[1].restitution == 0);
  carom_model_destroy(model);
}

/* What Drake's files call compliant has a pressure, where it has an inside. */
static void test_hydroelastic(void** state) {
  (void)state;
#define FIELD(properties)                                                                      \
  "<collision><geometry><box size='2 4 6'/></geometry><drake:proximity_properties>" properties \
  "</drake:proximity_properties></collision>"
  carom_model* model = load(
      "<robot name='r'><link name='a'>" MASS FIELD(
          "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e6'/>"
          "<drake:hunt_crossley_dissipation value='1.5'/><drake:mesh_resolution_hint value='0.1'/>")
          FIELD("<drake:rigid_hydroelastic/><drake:hydroelastic_modulus value='1e6'/>")
              FIELD("<drake:hydroelastic_modulus value='1e6'/>") FIELD(
                  "<drake:compliant_hydroelastic/>") "<collision><geometry>"
                                                     "<plane normal='0 0 "
                                                     "1'/></geometry><drake:proximity_properties>"
                                                     "<drake:compliant_hydroelastic/"
                                                     "><drake:hydroelastic_modulus value='1e6'/>"
                                                     "</drake:proximity_properties></collision></"
                                                     "link></robot>",
      CAROM_BASE_FIXED);
  const cr_contact_model* c = &model->contact;
  assert_true(c->num_fields == 1 && model->geom.num_geoms == 5);
  check_near(c->pressure[0], 1e6, 0);
  check_near(c->slope[0], 1e6, 0);
  for (int i = 1; i < 5; i++) assert_true(isinf(c->pressure[i]));
  check_near(c->surface[0].hunt_crossley, 1.5, 0);
  check_near(c->dissipation[0], 0, 0);
  scene_expect_note(model, "scene.xml:1: drake:mesh_resolution_hint: not used: round shapes have "
                           "facets where they touch, however small");
  scene_expect_note(model, "scene.xml:1: drake:proximity_properties: contact is at points without "
                           "compliant_hydroelastic");
  scene_expect_note(model, "scene.xml:1: drake:proximity_properties: contact is at points without "
                           "hydroelastic_modulus");
  scene_expect_note(model, "scene.xml:1: collision: contact is at points: planes and meshes that "
                           "are open have no inside");
  carom_model_destroy(model);
}

static void test_mujoco(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><mujoco>"
           "<compiler inertiafromgeom='auto' settotalmass='8' fusestatic='false'/>"
           "<option timestep='.01' gravity='0 0 -1'/><size/></mujoco><link name='a'>" MASS
           "</link><link name='b'><collision><geometry><sphere radius='1'/></geometry>"
           "</collision></link><joint name='j' type='revolute'><parent link='a'/>"
           "<child link='b'/></joint></robot>",
           CAROM_BASE_DEFAULT);
  double gravity[3], m = 1000 * 4.0 / 3 * 3.14159265358979323846;
  carom_model_get_gravity(model, gravity);
  assert_true(gravity[2] == -1 && carom_model_get_timestep(model) == 0.01);
  check_near(carom_model_get_body(model, 2).mass, 8 * m / (m + 2), 1e-12);
  scene_expect_note(model,
                    "scene.xml:1: size: not used: of this extension compiler and option are");
  carom_model_destroy(model);
}

/* An inertia that no rigid body has, no inertia at all, no mass: used as stated. */
static void test_inertias(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>"
           "<inertia ixx='1' iyy='1' izz='9'/></inertial></link><link name='c'>" MASS "</link>"
           "<joint name='jb' type='fixed'><parent link='a'/><child link='b'/></joint>"
           "<joint name='jc' type='revolute'><parent link='b'/><child link='c'/></joint></robot>",
           CAROM_BASE_DEFAULT);
  assert_true(carom_model_get_body(model, 1).mass == 0);
  assert_true(carom_model_get_body(model, 2).inertia[2] == 9);
  scene_expect_note(model, "scene.xml:1: body 'b': inertia is not that of a rigid body (triangle "
                           "inequality); it is used as it stands");
  carom_model_destroy(model);
}

/* What is not known is noted once for each name. */
static void test_strangers(void** state) {
  (void)state;
  carom_model* model =
      load("<robot name='r' xmlns:xacro='x'><?xml version='1.0'?><!-- a -- b -->"
           "<link name='a' kind='x'>" MASS "<audio_source/></link><frame/><frame/></robot>",
           CAROM_BASE_DEFAULT);
  static const char LOST[] = "ignored, though it may be physics: the name is not known";
  char note[200];
  assert_int_equal(carom_model_get_sizes(model).num_notes, 3);
  snprintf(note, sizeof note, "scene.xml:1: frame: %s (2 places)", LOST);
  scene_expect_note(model, note);
  snprintf(note, sizeof note, "scene.xml:1: audio_source: %s", LOST);
  scene_expect_note(model, note);
  snprintf(note, sizeof note, "scene.xml:1: link kind: %s", LOST);
  scene_expect_note(model, note);
  carom_model_destroy(model);
}

/* --- Meshes -------------------------------------------------------------------------------------
 */

static const char* only_file;

static bool exists(void* user, const char* path) {
  (*(int*)user)++;
  return strcmp(path, only_file) == 0;
}

/* Where a mesh is looked for: found is "cannot be opened", since it is not there, not found is "no
 * such file". */
static void check_mesh(const char* uri, const char* file, bool is_found) {
  char text[600];
  int asked = 0;
  carom_error error;
  carom_model* model;
  carom_load_def def = carom_load_def_default();
  cr_urdf_files files = {exists, &asked};
  snprintf(text, sizeof text,
           "<robot name='r'><link name='a'>" MASS "<visual><geometry><mesh filename='%s'/>"
           "</geometry></visual></link></robot>",
           uri);
  only_file = file;
  check_ok(cr_urdf_load("top/pkg/urdf/r.urdf", text, strlen(text), &def, &files, &model, &error),
           &error);
  char note[400];
  snprintf(note, sizeof note,
           "top/pkg/urdf/r.urdf:1: mesh: not drawn: file '%s' cannot be opened: No such file or "
           "directory",
           file);
  scene_expect_note(model, is_found ? note
                                    : "top/pkg/urdf/r.urdf:1: mesh filename: not drawn: there is "
                                      "no such file");
  carom_model_destroy(model);
}

static void test_mesh_paths(void** state) {
  (void)state;
  check_mesh("package://pkg/m/x.stl", "top/pkg/m/x.stl", true);
  check_mesh("model://pkg/m/x.stl", "top/pkg/urdf/pkg/m/x.stl", true);
  check_mesh("package://other/m/x.stl", "top/pkg/m/x.stl", true);
  check_mesh("package://far/x.stl", "../../far/x.stl", true);
  check_mesh("package://far/x.stl", "top/far/y.stl", false);
  check_mesh("m/x.stl", "top/pkg/urdf/m/x.stl", true);
  check_mesh("../m/x.stl", "top/pkg/urdf/../m/x.stl", true);
  check_mesh("file:///abs/x.stl", "/abs/x.stl", true);
  check_mesh("http://a/x.stl", "a/x.stl", false);
  check_mesh("package://x.stl", "x.stl", true);
}

/* What the caller says of gravity and a floor counts. */
static void test_load_def(void** state) {
  (void)state;
  static const char TEXT[] = "<robot name='r'><link name='a'>" MASS "</link></robot>";
  const double wanted[3] = {1, 2, 3};
  double gravity[3];
  carom_model* model;
  carom_error error;
  carom_load_def def = carom_load_def_default();
  def.gravity = wanted;
  def.floor = true;
  check_ok(carom_model_load_string(TEXT, strlen(TEXT), NULL, &def, &model, &error), &error);
  carom_model_get_gravity(model, gravity);
  check_near_array(gravity, wanted, 3, 0);
  assert_int_equal(carom_model_get_geom(model, 0).type, CAROM_GEOM_PLANE);
  carom_model_destroy(model);
}

/* Every allocation fails in turn; nothing is lost. */
static void test_memory(void** state) {
  (void)state;
  static const char TEXT[] =
      "<robot name='r'><material name='m'><color rgba='1 0 0 1'/></material><frame x='y'/>"
      "<link name='a'>" MASS "</link><link name='b'>" MASS "<visual><geometry>"
      "<mesh filename='package://p/x.stl'/></geometry></visual><collision name='c'>"
      "<geometry><sphere radius='1'/></geometry></collision></link>"
      "<joint name='j' type='planar'><parent link='a'/><child link='b'/>"
      "<limit velocity='1'/></joint></robot>";
  check_memory_of_loading(TEXT, 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints),        cmocka_unit_test(test_poses),
      cmocka_unit_test(test_bases),         cmocka_unit_test(test_order),
      cmocka_unit_test(test_shapes),        cmocka_unit_test(test_mimic),
      cmocka_unit_test(test_transmissions), cmocka_unit_test(test_contact_properties),
      cmocka_unit_test(test_hydroelastic),  cmocka_unit_test(test_mujoco),
      cmocka_unit_test(test_inertias),      cmocka_unit_test(test_strangers),
      cmocka_unit_test(test_mesh_paths),    cmocka_unit_test(test_memory),
      cmocka_unit_test(test_load_def),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
