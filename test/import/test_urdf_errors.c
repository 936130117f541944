/* Every sentence that bad URDF ends in, word for word. */
#include "support/scene.h"

#define MASS "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"

static const struct bad {
  const char* text;
  carom_status status;
  const char* message;
} BAD[] = {
    {"<robot name='r'/>", CAROM_ERROR_BAD_INPUT, "scene.xml:1: robot 'r': the robot has no links"},
    {"<robot>\n<link name='a'>" MASS "</link>\n<link name='b'>" MASS "</link></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:3: link 'b': it hangs on no joint, and neither does link 'a' at line 2; a robot "
     "has one root"},
    {"<robot><link name='a'>" MASS "</link>\n<link name='a'>" MASS "</link></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:2: link 'a': another link at line 1 has this name"},
    {"<robot><link/></robot>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: link: attribute 'name' is missing"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
     "<joint name='k' type='revolute'><parent link='b'/><child link='a'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: robot: every link is the child of a joint, so no link is the root"},
    {"<robot name='r'><link name='r'>" MASS "</link><link name='a'>" MASS "</link>"
     "<link name='b'>" MASS "</link><joint name='j' type='revolute'><parent link='a'/>"
     "<child link='b'/></joint><joint name='k' type='revolute'><parent link='b'/>"
     "<child link='a'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: robot 'r': 2 links hang on each other in a circle, and not on the root 'r'"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
     "</joint>\n<joint name='k' type='revolute'><parent link='a'/><child link='b'/>"
     "</joint></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:2: joint 'k': its child 'b' has a parent already, by joint 'j' at line 1"},
    {"<robot><link name='a'>" MASS "</link><joint name='j' type='revolute'>"
     "<parent link='a'/><child link='c'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': its child is 'c' (line 1), no link has this name"},
    {"<robot><link name='a'>" MASS "</link><joint name='j' type='fixed'><parent link='a'/>"
     "</joint></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: joint 'j': element <child> is missing"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': type is 'hinge', must be revolute, continuous, prismatic, fixed, "
     "floating or planar (or Drake's ball or universal, or Bullet's spherical)"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='screw'><parent link='a'/><child link='b'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': element <drake:screw_thread_pitch> is missing"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
     "<axis xyz='0 0 0'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: joint 'j': axis is 0 0 0, must not be zero"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
     "<origin xyz='0 ${h} 0'/></joint></robot>",
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: origin: this is xacro, a template: expand it first ('xacro FILE > robot.urdf', "
     "of ROS)"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
     "<origin rpy='0 0'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: origin: rpy has 2 numbers, takes 3"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
     "<limit lower='nan'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: limit: lower is nan, must be a finite number"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
     "<dynamics damping='-1'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: dynamics: damping is -1, must be zero or positive"},
    {"<robot><link name='a'>" MASS "</link><link name='b'>" MASS "</link>"
     "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
     "<mimic joint='x'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: mimic: joint is 'x', no joint has this name"},
    {"<robot><link name='a'><inertial><mass value='-1'/></inertial></link></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: body 'a': mass is -1, must be zero or positive"},
    {"<robot><link name='a'>" MASS "</link><link name='b'><inertial><mass value='2'/><inertia "
     "ixx='-3'/></inertial></link><joint name='j' type='revolute'><parent link='a'/><child "
     "link='b'/></joint></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'b': its joint 'j' moves a negative inertia, -3, so the mass matrix is not "
     "positive definite; correct the inertia of the body, or of what hangs on it"},
    {"<robot><link name='a'>" MASS "<collision><geometry><box size='1 1'/></geometry>"
     "</collision></link></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: box: size has 2 numbers, takes 3"},
    {"<robot><link name='a'>" MASS "<collision><geometry><sphere radius='-1'/></geometry>"
     "</collision></link></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: geom: size is -1, must be positive"},
    {"<robot><link name='a'>" MASS "<collision><geometry><sphere radius='1'/></geometry>"
     "<drake:proximity_properties><drake:hydroelastic_modulus value='0'/>"
     "</drake:proximity_properties></collision></link></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: drake:hydroelastic_modulus: value is 0, must be positive"},
    {"<robot><link name='a'>" MASS "<collision><geometry><cone/></geometry></collision>"
     "</link></robot>",
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: cone: shapes of this kind are not supported yet; --permissive makes it a note"},
    {"<robot><link name='a'>" MASS "<collision><geometry><mesh filename='no/such.stl'/>"
     "</geometry></collision></link></robot>",
     CAROM_ERROR_FILE, "scene.xml:1: mesh: file 'no/such.stl' is not found"},
    {"<robot><reduced_deformable name='d'/><link name='a'>" MASS "</link></robot>",
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: reduced_deformable 'd': parts of this kind are not supported yet; --permissive "
     "makes it a note"},
    {"<robot><link name='a'>" MASS "</link><drake:collision_filter_group name='g'>"
     "<drake:member link='z'/><drake:ignored_collision_filter_group name='g'/>"
     "</drake:collision_filter_group></robot>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: drake:member: link is 'z', no link has this name"},
    {"<robot><mujoco><compiler balanceinertia='yes'/></mujoco><link name='a'>" MASS
     "</link></robot>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: compiler: balanceinertia is 'yes', must be true or false"},
};

static void test_errors(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
    scene_expect_error(BAD[i].text, BAD[i].status, BAD[i].message);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
