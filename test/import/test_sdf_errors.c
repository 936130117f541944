/* Every sentence that bad SDF ends in, word for word. */
#include "support/scene.h"

#define MODEL(body) "<sdf version='1.9'><model name='m'>" body "</model></sdf>"
#define A           "<link name='a'/>"
#define JOINT(type, more) \
  "<joint name='j' type='" type "'><parent>world</parent><child>a</child>" more "</joint>"
#define SHAPE(shape) \
  MODEL("<link name='a'><collision name='c'><geometry>" shape "</geometry></collision></link>")

#define MESH(file)                                                                        \
  "<collision name='c'><geometry><mesh><uri>" CR_SOURCE_DIR "/test/fuzz/corpus/vtk/" file \
  "</uri></mesh></geometry></collision>"
#define SOFT(collision, properties, more)                                      \
  MODEL("<link name='a'>" collision "<drake:deformable_properties>" properties \
        "</drake:deformable_properties>" more "</link>")

static const struct bad {
  const char* text;
  carom_status status;
  const char* message;
} BAD[] = {
    {"<sdf/>", CAROM_ERROR_BAD_INPUT, "scene.xml:1: sdf: attribute 'version' is missing"},
    {"<sdf version='2.0'/>", CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: sdf: version is '2.0', must be between 1.0 and 1.12"},
    {"<sdf version='1.9'/>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: sdf: the file holds no world and no model"},
    {"<sdf version='1.9'><model/></sdf>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: model: attribute 'name' is missing"},
    {MODEL(A "\n" A), CAROM_ERROR_BAD_INPUT,
     "scene.xml:2: link 'a': the link at line 1 has this name too"},
    {SOFT("", "", ""), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: link 'a': a deformable link needs a <collision>"},
    {SOFT(MESH("two.vtk") MESH("two.vtk"), "", ""), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: link 'a': a deformable link has one <collision>, here are more"},
    {SOFT(MESH("none.vtk"), "", ""), CAROM_ERROR_FILE,
     "scene.xml:1: mesh: file '" CR_SOURCE_DIR "/test/fuzz/corpus/vtk/none.vtk' is not found"},
    {SOFT(MESH("two.vtk"), "", "<inertial/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: link 'a': a deformable link has no <inertial>: its density gives its mass"},
    {SOFT(MESH("two.vtk"), "<drake:youngs_modulus>-1</drake:youngs_modulus>", ""),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: soft 'a': material: Young's modulus is -1 Pa, must be positive"},
    {SOFT(MESH("two.vtk"), "<drake:material_model>jelly</drake:material_model>", ""),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: drake:deformable_properties: drake:material_model is 'jelly', must be "
     "linear_corotated, corotated or linear"},
    {SOFT(MESH("two.vtk"), "", "<drake:wall_boundary_condition/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: drake:wall_boundary_condition: it needs drake:point_on_plane and "
     "drake:outward_normal"},
    {MODEL("<link name='a'><pose>1 2 3</pose></link>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: pose: its text has 3 numbers, takes 6"},
    {MODEL("<link name='a'><pose relative_to='b'/></link>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: pose: relative_to is 'b', no frame has this name here"},
    {MODEL("<link name='a'><pose relative_to='f'/></link><frame name='f'>"
           "<pose relative_to='a'/></frame>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: link 'a': its pose is relative to itself, by way of other frames"},
    {MODEL(A "<frame name='f' attached_to='g'><pose relative_to='a'/></frame>"
             "<frame name='g' attached_to='f'><pose relative_to='a'/></frame>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: frame 'f': it is attached to itself, by way of other frames, or to a chain of "
     "too many"},
    {MODEL("<link name='a'><pose rotation_format='matrix'>1</pose></link>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: pose: rotation_format is 'matrix', must be euler_rpy or quat_xyzw"},
    {MODEL("<link name='a'><gravity>maybe</gravity></link>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: link 'a': gravity is 'maybe', must be true or false"},
    {MODEL("<link name='a'><inertial><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial>"
           "</link>"),
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: fluid_added_mass: added mass that differs with the direction, or lies beside "
     "the link's centre of mass, is not supported; --permissive makes it a note"},
    {MODEL("<link name='w'/><link name='a'/><joint name='j' type='universal'><parent>w</parent>"
           "<child>a</child><axis><xyz>0 2 0</xyz></axis><axis2><xyz>0 -1 0</xyz></axis2></joint>"),
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: joint 'j': axis and axis2 are the same direction, so it turns about one axis "
     "only; give them two (0 0 1 where none is given); --permissive makes it a note"},
    {MODEL("<link name='a'><inertial><mass>heavy</mass></inertial></link>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: inertial: mass: 'heavy' is not a number"},
    {MODEL(A JOINT("hinge", "")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': type is 'hinge', must be revolute, continuous, prismatic, fixed, "
     "ball, universal, revolute2, screw or gearbox"},
    {MODEL(A "<joint name='j' type='fixed'><child>a</child></joint>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': element <parent> is missing"},
    {MODEL(A "<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': its parent and its child are the same link 'a'"},
    {MODEL(A "<joint name='j' type='fixed'><parent>a</parent><child>b</child></joint>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': its child is 'b', no frame has this name here"},
    {MODEL(A JOINT("revolute", "<axis><xyz>0 0 0</xyz></axis>")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: axis: xyz is 0 0 0, must not be zero"},
    {MODEL(A JOINT("revolute", "<axis><dynamics><damping>-1</damping></dynamics></axis>")),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: dynamics: damping is -1, must be zero or positive"},
    {MODEL(A JOINT("revolute", "<axis><mimic joint='k'/></axis>")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: mimic: joint is 'k', no frame has this name here"},
    {MODEL(A JOINT("revolute", "<axis><mimic joint='a'/></axis>")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: mimic: joint is 'a', which is no joint"},
    {MODEL(A JOINT("gearbox", "")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': element <gearbox_reference_body> is missing"},
    {MODEL(A "<drake:linear_bushing_rpy/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: drake:linear_bushing_rpy: springs about the angles between two frames are not "
     "supported, only those of joints and between two points (drake:linear_spring_damper); "
     "--permissive makes it a note"},
    {SHAPE("<box><size>1 2</size></box>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: box: size has 2 numbers, takes 3"},
    {SHAPE("<image/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: image: shapes of this kind are not supported yet; --permissive makes it a note"},
    {SHAPE("<cone><length>0</length></cone>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: cone: radius and length must be positive"},
    {SHAPE("<mesh/>"), CAROM_ERROR_BAD_INPUT, "scene.xml:1: mesh: element <uri> is missing"},
    {SHAPE("<mesh><uri>model://x/y.stl</uri></mesh>"), CAROM_ERROR_FILE,
     "scene.xml:1: mesh: file 'model://x/y.stl' is not found; name the folder that holds it "
     "(--search)"},
    {SHAPE("<plane><normal>0 0 0</normal></plane>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: plane: normal is 0 0 0, must not be zero"},
};

static void test_sentences(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
    scene_expect_error(BAD[i].text, BAD[i].status, BAD[i].message);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sentences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
