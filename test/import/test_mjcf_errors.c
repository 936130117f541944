/* Every sentence that MJCF's bad input ends in, word for word. */
#include "support/scene.h"

/* A hinge 'j' on body 'A' with 'W' welded to it, and a free joint 'f'. */
#define MECHANISM                                                                      \
  "<mujoco><worldbody><body name='A'><joint name='j'/>" BALL "<body name='W'/></body>" \
  "<body name='F'><freejoint name='f'/>" BALL "</body></worldbody>"
#define EQUALITY(text)   MECHANISM "<equality>" text "</equality></mujoco>"
#define ACTUATOR(text)   MECHANISM "<actuator>" text "</actuator></mujoco>"

#define FLEX(attributes) "<mujoco><deformable><flex " attributes "/></deformable></mujoco>"

typedef struct bad_scene {
  const char* text;
  carom_status status;
  const char* message;
} bad_scene;

static void check_scenes(const bad_scene* scenes, size_t count) {
  for (size_t i = 0; i < count; i++)
    scene_expect_error(scenes[i].text, scenes[i].status, scenes[i].message);
}

#define CHECK(scenes) check_scenes(scenes, sizeof(scenes) / sizeof *(scenes))

static const bad_scene GEOMS[] = {
    {SCENE("\n<geom name='foot' size='-0.1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:2: geom 'foot': size is -0.1, must be positive"},
    {SCENE("<geom/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: size has 0 numbers, a sphere takes 1"},
    {SCENE("<geom name='a' type='capsule' size='0.1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom 'a': size has 1 number, a capsule takes 2"},
    {SCENE("<geom name='a' size='1 2 3 4'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom 'a': size has 4 numbers, takes 1 to 3"},
    {SCENE("<geom size='0.1a'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: size: '0.1a' is not a number"},
    {SCENE("<geom size='nan'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: size is nan, must be a finite number"},
    {SCENE("<geom size=''/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: size has 0 numbers, takes 1 to 3"},
    {SCENE("<geom size='1e999'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: size is 1e999, must be a finite number"},
    {SCENE("<geom type='spher' size='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: type is 'spher', must be plane, sphere, capsule, cylinder, box, "
     "ellipsoid, mesh, hfield or sdf"},
    {SCENE("<geom type='sdf' size='1 1 1'/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: geom: type is 'sdf': shapes of this type are not supported yet, give a mesh; "
     "--permissive makes it a note"},
    {SCENE("<geom type='ellipsoid' size='1 1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: size has 2 numbers, a ellipsoid takes 3"},
    {SCENE("<geom type='mesh' mesh='m'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: mesh is 'm', no mesh has this name"},
    {SCENE("<geom type='mesh'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: attribute 'mesh' is missing"},
    {"<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset>\n<worldbody>"
     "<geom type='mesh' mesh='m'/></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: mesh 'm': its 4 points span no volume: give a "
     "thin box in place of what is flat"},
    {"<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/></asset>\n"
     "<worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: mesh 'm': face has 4, must be a number from 0 to 3"},
    {"<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 2' "
     "inertia='exact'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: mesh 'm': the surface is open: 3 sides have no neighbour, the first at face 1; "
     "its mass cannot be exact, legacy and convex take any surface"},
    {"<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 3 2 0 3 1' "
     "inertia='exact'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: mesh 'm': the surface is open: 3 sides have no neighbour, the first at face 1; "
     "its mass cannot be exact, legacy and convex take any surface"},
    {"<mujoco><asset><mesh file='/nowhere/m.stl'/></asset><worldbody>"
     "<geom type='mesh' mesh='m'/></worldbody></mujoco>",
     CAROM_ERROR_FILE,
     "scene.xml:1: mesh: file '/nowhere/m.stl' cannot be opened"
     ": No such file or directory"},
    {SCENE("<geom type='box' mesh='m'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: mesh is 'm', no mesh has this name"},
    {SCENE("<geom size='1' sise='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: attribute 'sise' is not known; is 'size' meant?"},
    {SCENE("<geom size='1' carom:stifness='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: attribute 'carom:stifness' is not known; is 'carom:stiffness' meant?"},
    {SCENE("<geom size='1' carom:stiffness='0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: carom:stiffness is 0, must be positive or inf"},
    {SCENE("<geom size='1' carom:modulus='0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: carom:modulus is 0, must be positive or inf"},
    {SCENE("<geom size='1' carom:modulus='-1e5'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: carom:modulus is -1e5, must be positive or inf"},
    {SCENE("<geom size='1' carom:modulus='1e5' carom:layer='0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: carom:layer is 0, must be positive"},
    {SCENE("<geom name='floor' type='plane' size='1 1 1' carom:modulus='1e5'/>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom 'floor': modulus is 100000 Pa, but a plane has no inside: give its layer, "
     "the depth at which the pressure is that"},
    {"<mujoco xmlns:carom='c'><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset>"
     "<worldbody><geom name='hill' type='hfield' hfield='h' carom:modulus='1e5'/></worldbody>"
     "</mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom 'hill': modulus is 100000 Pa, but a height field has no inside: let what "
     "touches it have the modulus"},
    {"<mujoco xmlns:carom='c'><asset><mesh name='m' carom:convex='false' vertex='0 0 0 1 0 0 0 1 0 "
     "0 0 1' face='0 2 1 0 3 2 0 1 3'/></asset><worldbody><body><freejoint/><geom name='lid' "
     "type='mesh' mesh='m' carom:modulus='1e5'/></body></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom 'lid': modulus is 100000 Pa, but a mesh whose surface is open has no "
     "inside: close it, or let it collide as its hull"},
    {SCENE("<geom size='1' carom:stiffness='nan'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: carom:stiffness is nan, must be positive or inf"},
    {SCENE("<geom size='1' carom:dissipation='-1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: carom:dissipation is -1, must be zero or positive"},
    {SCENE("<geom size='1' carom:tangential_stiffness='5'/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: geom: carom:tangential_stiffness is '5': tangential compliance is not supported "
     "yet; --permissive makes it a note"},
    {SCENE("<geom size='1' pos='1 2'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: pos has 2 numbers, takes 3"},
    {SCENE("<geom size='1' quat='0 0 0 0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: quat is 0 0 0 0, must not be zero"},
    {SCENE("<geom size='1' zaxis='0 0 0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: zaxis is 0 0 0, must not be zero"},
    {SCENE("<geom size='1' euler='1 2 3' quat='1 0 0 0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: quat is a second orientation, takes one"},
    {SCENE("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: fromto has both ends at one point"},
    {SCENE("<geom type='sphere' size='1' fromto='0 0 0 0 0 1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: fromto is given, but a sphere has no ends"},
    {SCENE("<geom size='1' mass='-1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: mass is -1, must be zero or positive"},
    {SCENE("<geom size='1' density='-1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: density is -1, must be zero or positive"},
    {SCENE("<geom size='1e200' type='sphere'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: mass is inf and its largest moment inf, must be finite numbers"},
    {SCENE("<geom size='1' friction='-1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: friction is -1, must be zero or positive"},
    {SCENE("<geom size='1' condim='2'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: condim is 2, must be 1, 3, 4 or 6"},
    {SCENE("<geom size='1' condim='3.5'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: condim is '3.5', must be a whole number"},
    {SCENE("<geom size='1' contype='4294967296'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: contype is '4294967296', must be a number of 32 bits"},
    {SCENE("<geom size='1' margin='-1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: margin is -1, must be zero or positive"},
    {SCENE("<geom size='1' material='m'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: material is 'm', no material has this name"},
    {SCENE("<geom size='1' class='c'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: class is 'c', no class has this name"},
    {SCENE("<geom size='1' name='a'/><geom size='1' name='a'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom 'a': the name is used twice"},
    {SCENE("<geom size='1' adhesion='-1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: adhesion is -1, must be zero or positive"},
    {SCENE("<geom size='1'><foo/></geom>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: foo: this element is not known within 'geom'"},
};

static void test_geoms(void** state) {
  (void)state;
  CHECK(GEOMS);
}

static const bad_scene BODIES[] = {
    {SCENE("<body name='b' pos='1 2'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'b': pos has 2 numbers, takes 3"},
    {SCENE("<body childclass='c'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body: childclass is 'c', no class has this name"},
    {SCENE("<body gravcomp='x'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body: gravcomp: 'x' is not a number"},
    {SCENE("<body foo='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body: attribute 'foo' is not known"},
    {SCENE("<body name='world'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'world': the name is used twice"},
    {SCENE("<inertial mass='1' pos='0 0 0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: inertial: the world has no inertia"},
    {SCENE("<body><inertial pos='0 0 0'/></body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: inertial: attribute 'mass' is missing"},
    {SCENE("<body><inertial mass='1'/></body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: inertial: attribute 'pos' is missing"},
    {SCENE("<body><inertial mass='-1' pos='0 0 0'/></body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: inertial: mass is -1, must be zero or positive"},
    {SCENE("<body name='b'><inertial mass='1' pos='0 0 0' diaginertia='1 1 3'/></body>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'b': inertia has principal moments 1, 1 and 3, the largest must not exceed "
     "the sum of the others (triangle inequality)"},
    {SCENE("<body name='b'><inertial mass='1' pos='0 0 0' diaginertia='-1 1 1'/></body>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'b': inertia has the principal moment -1, must not be negative"},
    {SCENE("<body name='b'><inertial mass='1' pos='0 0 0' fullinertia='1 1 1 2 0 0'/></body>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'b': inertia has the principal moment -1, must not be negative"},
    {SCENE("<body><inertial mass='1' pos='0 0 0' fullinertia='1 1 1 0 0 0' diaginertia='1 1 "
           "1'/></body>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: inertial: fullinertia stands alone, without diaginertia or an orientation"},
    {SCENE("<body><inertial mass='1' pos='0 0 0'/>\n<inertial mass='1' pos='0 0 0'/></body>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:2: inertial: the body has another one at line 1"},
    {SCENE("<body><frame><frame/><inertial mass='1' pos='0 0 0'/></frame>\n<geom size='1'/>\n"
           "<inertial mass='1' pos='0 0 0'/></body>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:3: inertial: the body has another one at line 1"},
    {SCENE("<frame><inertial mass='1' pos='0 0 0'/></frame>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: inertial: the world has no inertia"},
    {SCENE("<replicate/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: replicate: attribute 'count' is missing"},
    {SCENE("<replicate count='-2'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: replicate: count is -2, must be zero or positive"},
    {SCENE("<replicate count='2000000000'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: replicate: the copies hold more than 1000000 elements"},
    {SCENE("<replicate count='900'><replicate count='900'><replicate count='900'/></replicate>"
           "</replicate>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: replicate: the copies hold more than 1000000 elements"},
    {SCENE("<replicate count='2' childclass='x'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: replicate: childclass is 'x', no class has this name"},
    {SCENE("<flexcomp/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: flexcomp: only soft bodies of three dimensions are supported, give a chain of "
     "bodies or a thin solid; --permissive makes it a note"},
    {SCENE("<flexcomp dim='3' type='mesh'/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: flexcomp: type is 'mesh': a surface is no solid: use grid, gmsh or direct; "
     "--permissive makes it a note"},
    {SCENE("<flexcomp dim='3'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flexcomp: 'elasticity' with a 'young' is missing: nothing holds it together"},
    {SCENE("<flexcomp dim='3'><elasticity young='-1'/></flexcomp>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: elasticity: young is -1, must be positive"},
    {SCENE("<flexcomp dim='3'><elasticity young='1e5' poisson='.5'/></flexcomp>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: soft: material: Poisson's ratio is 0.5, must be above -1 and below 0.5"},
    {SCENE("<flexcomp dim='3' count='1 2 2'><elasticity young='1e5'/></flexcomp>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flexcomp: count[0] is 1, must be a number of nodes from 2 on"},
    {SCENE("<flexcomp dim='3'><elasticity young='1'/><contact carom:restitution='.5'/></flexcomp>"),
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: contact: carom:restitution is '.5': soft bodies rebound by their elasticity; "
     "--permissive makes it a note"},
    {SCENE("<flexcomp dim='3'><elasticity young='1'/><contact carom:static_friction='.5'/>"
           "</flexcomp>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: soft: static_friction is 0.5, must not be below friction, 1"},
    {SCENE("<flexcomp dim='3'><elasticity young='1 psi'/></flexcomp>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: elasticity: young has the unit 'psi', takes Pa, kPa, MPa or GPa"},
    {SCENE("<flexcomp dim='3'><elasticity young='-1 Pa'/></flexcomp>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: elasticity: young is -1, must be positive"},
    {SCENE("<flexcomp dim='3' carom:unit='mm'><elasticity young='1'/></flexcomp>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flexcomp: carom:unit is of points of files and lists; spacing is in m"},
    {SCENE("<flexcomp dim='3' carom:substance='jelly'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flexcomp: soft: substance is 'jelly', must be liver, rubber, polyethylene, "
     "nylon, "
     "aluminium or steel"},
    {SCENE("<flexcomp dim='3' type='gmsh'><elasticity young='1e5'/></flexcomp>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: flexcomp: attribute 'file' is missing"},
    {SCENE("<flexcomp dim='3' count='2 2 2'><elasticity young='1e5'/><pin id='8'/></flexcomp>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: pin: node is 8, there are 8 nodes"},
    {SCENE("<flexcomp dim='3' count='2 2 2'><elasticity young='1e5'/><pin grid='0 2 0'/>"
           "</flexcomp>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: pin: 2 to 2 along axis 1 are not on a grid"},
    {SCENE("<flexcomp dim='3' count='2 2 2'><elasticity young='1e5'/>"
           "<pin carom:body='x'/></flexcomp>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: pin: carom:body is 'x', no body above has this name"},
    {SCENE("<flexcomp dim='3' count='2 2 2'><elasticity young='1e5'/>"
           "<pin carom:box='5 5 5 6 6 6'/></flexcomp>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: attachment: it holds no node of the soft body"},
    {SCENE("<flexcomp dim='3' count='2 2 2'><elasticity young='1e5'/><pin carom:region='tip'/>"
           "</flexcomp>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: attachment: region 'tip' is not there; the mesh has no regions"},
    {SCENE("<flexcomp dim='3' type='gmsh' file='" CR_SOURCE_DIR
           "/test/fuzz/corpus/gmsh/two_regions_41.msh'><elasticity young='1e5'/>"
           "<pin carom:region='tip'/></flexcomp>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: attachment: region 'tip' is not there; the mesh has 'held here', 'rubber', "
     "'volume 2'"},
    {SCENE("<body><composite/></body>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: composite: composite objects are not supported; --permissive makes it a note"},
    {SCENE("<frame foo='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: frame: attribute 'foo' is not known"},
};

static void test_bodies(void** state) {
  (void)state;
  CHECK(BODIES);
}

static const bad_scene JOINTS[] = {
    {SCENE("<body><freejoint/><geom type='plane'/></body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: a plane must be on a body that does not move, give a box"},
    {SCENE("<joint/>"), CAROM_ERROR_BAD_INPUT, "scene.xml:1: joint: the world has no joints"},
    {SCENE("<freejoint/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: freejoint: the world has no joints"},
    {SCENE("<body name='b'><joint name='j'/></body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'b': its joint 'j' moves no inertia of its own, so the mass matrix is not "
     "positive definite; give the body mass and inertia, or the joint armature"},
    {SCENE("<body name='b'><joint name='j'/><inertial mass='1' pos='0 0 0' diaginertia='0 0 "
           "0'/></body>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'b': its joint 'j' moves no inertia of its own, so the mass matrix is not "
     "positive definite; give the body mass and inertia, or the joint armature"},
    {SCENE("<body name='b'><joint/><body><joint/>" BALL "</body></body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body 'b': its joint moves nothing that other joints, of this body or on it, do "
     "not "
     "move in the same way, so the mass matrix is not positive definite; give it another axis or "
     "armature, or leave it out"},
    {SCENE("<body><joint/><joint/>" BALL "</body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: body: its joint moves nothing that other joints, of this body or on it, do not "
     "move in the same way, so the mass matrix is not positive definite; give it another axis or "
     "armature, or leave it out"},
    {SCENE("<body><joint/>" BALL "<body><freejoint name='f'/>" BALL "</body></body>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'f': a free joint must be on a body whose parent does not move"},
    {SCENE("<body><freejoint/><joint/>" BALL "</body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: a free joint must be the only joint of its body"},
    {SCENE("<body><joint type='hing'/></body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: type is 'hing', must be free, ball, slide or hinge"},
    {SCENE("<body><joint axis='0 0 0'/>" BALL "</body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: axis is 0 0 0, must not be zero"},
    {SCENE("<body><joint limited='yes'/></body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: limited is 'yes', must be false, true or auto"},
    {SCENE("<body><joint limited='true'/>" BALL "</body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: range is 0 0, its first number must be smaller than its second"},
    {SCENE("<body><joint limited='true' range='2 1'/>" BALL "</body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: range is 2 1, its first number must be smaller than its second"},
    {SCENE("<body><joint type='ball' range='-10 90'/>" BALL "</body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: range[0] is -0.174532925, must be 0 for a ball joint"},
    {SCENE("<body><joint type='ball' limited='true' range='0 -9'/>" BALL "</body>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: range is 0 -0.157079633, its first number must be smaller than its "
     "second"},
    {SCENE("<body><joint damping='-1'/>" BALL "</body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: damping is -1, must be zero or positive"},
    {SCENE("<body><joint type='ball' stiffness='1 2'/>" BALL "</body>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: joint: stiffness and damping have higher powers on hinges and slides only"},
    {SCENE("<body><joint armature='-1'/>" BALL "</body>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: armature is -1, must be zero or positive"},
};

static void test_joints(void** state) {
  (void)state;
  CHECK(JOINTS);
}

static const bad_scene EQUALITIES[] = {
    {EQUALITY("<connect body1='A'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: connect: attribute 'anchor' is missing"},
    {EQUALITY("<connect body1='X' anchor='0 0 0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: connect: body1 is 'X', no body has this name"},
    {EQUALITY("<connect body1='A' body2='A' anchor='0 0 0'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: equality: body1 and body2 are the same"},
    {EQUALITY("<connect site1='s' site2='t'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: connect: site1 is 's', no site has this name"},
    {EQUALITY("<weld site2='t'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: weld: attribute 'site1' is missing"},
    {EQUALITY("<weld site1='s' site2='t' body1='a'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: weld: sites and bodies, anchor or relpose are both given"},
    {EQUALITY("<weld body1='A' relpose='1 2'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: weld: relpose has 2 numbers, takes 7"},
    {EQUALITY("<joint joint1='x'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: joint1 is 'x', no joint has this name"},
    {EQUALITY("<joint joint1='f'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: equality: joint1 is a free joint, must be a hinge or a slide"},
    {EQUALITY("<joint joint1='j' joint2='j'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: equality: joint1 and joint2 are the same"},
    {EQUALITY("<tendon tendon1='t'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon: tendon1 is 't', no tendon has this name"},
    {EQUALITY("<tendon tendon2='t'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon: attribute 'tendon1' is missing"},
    {EQUALITY("<flex flex='f'/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: flex: constraints of this kind are not supported yet; --permissive makes it a "
     "note"},
    {EQUALITY("<foo/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: foo: this element is not known within 'equality'"},
    {EQUALITY("<joint joint1='j' active='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: active is '1', must be false or true"},
};

static void test_equalities(void** state) {
  (void)state;
  CHECK(EQUALITIES);
}

static const bad_scene ACTUATORS[] = {
    {ACTUATOR("<motor/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor: attribute 'joint' is missing"},
    {ACTUATOR("<motor name='m' joint='x'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor 'm': joint is 'x', no joint has this name"},
    {ACTUATOR("<motor body='s'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor: body is 's', no body has this name"},
    {ACTUATOR("<motor site='x'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor: site is 'x', no site has this name"},
    {ACTUATOR("<motor slidersite='x'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor: slidersite is 'x', no site has this name"},
    {ACTUATOR("<motor cranksite='x'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor: attribute 'slidersite' is missing"},
    {ACTUATOR("<motor tendon='t'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor: tendon is 't', no tendon has this name"},
    {ACTUATOR("<muscle joint='j' range='2 1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: actuator: muscle range is 2 1, its first number must be smaller than its "
     "second"},
    {ACTUATOR("<muscle joint='j' lmin='1.5'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: actuator: muscle low and high are 1.5 and 1.6, 1 must lie between"},
    {ACTUATOR("<orientation joint='j'/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: orientation: servos of orientations are not supported yet: give servos about "
     "three axes; --permissive makes it a note"},
    {ACTUATOR("<general joint='j' dyntype='user'/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: general: laws of the user are not supported; --permissive makes it a note"},
    {ACTUATOR("<general joint='j' dyntype='filter' dynprm='-1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: actuator: time_constant is -1, must be zero or positive"},
    {ACTUATOR("<intvelocity joint='j'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: intvelocity: actrange is 0 0, its first number must be smaller than its second"},
    {ACTUATOR("<damper joint='j'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: damper: ctrlrange is 0 0, its first number must be smaller than its second"},
    {ACTUATOR("<damper joint='j' ctrlrange='-1 1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: damper: ctrlrange starts at -1, must not be negative"},
    {ACTUATOR("<position joint='j' kv='1' dampratio='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: position: kv and dampratio are both given"},
    {ACTUATOR("<position joint='j' kv='-1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: position: kv is -1, must be zero or positive"},
    {ACTUATOR("<position joint='j' inheritrange='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: position: inheritrange is 1, but the joint has no range"},
    {ACTUATOR("<position joint='j' inheritrange='1' ctrlrange='0 1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: position: ctrlrange and inheritrange are both given"},
    {ACTUATOR("<motor joint='j' ctrllimited='true'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor: ctrlrange is 0 0, its first number must be smaller than its second"},
    {ACTUATOR("<motor joint='j' forcelimited='true' forcerange='2 1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: motor: forcerange is 2 1, its first number must be smaller than its second"},
    {ACTUATOR("<foo/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: foo: this element is not known within 'actuator'"},
    {ACTUATOR("<position joint='j' kp='-1' dampratio='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: actuator: damping_ratio needs a gear that is not 0 and a gain that is not "
     "negative; they are 1 and -1"},
    {ACTUATOR("<general joint='j' actdim='2' dyntype='integrator'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: general: actdim is 2, the actuator has 1 state"},
    {ACTUATOR("<pid joint='j' input='vel pos'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: pid: input is 'vel pos', must be some of pos, vel, ff, in this order"},
    {ACTUATOR("<pid joint='j' ki='1' input='vel'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: actuator: the controller's states need a control of position"},
    {ACTUATOR("<dcmotor joint='j' resistance='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: dcmotor: the motor's constant is 0, must be positive: give motorconst or "
     "nominal"},
    {ACTUATOR("<dcmotor joint='j' motorconst='1'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: dcmotor: the resistance is 0, must be positive: give resistance or nominal"},
    {ACTUATOR("<dcmotor joint='j' motorconst='1' resistance='1' thermal='1'/>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: dcmotor: thermal needs two of resistance, capacitance and time constant"},
    {ACTUATOR("<dcmotor joint='j' motorconst='1' resistance='1' controller='1'/>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: actuator: the motor's controller needs a control of position, velocity or "
     "force"},
    {ACTUATOR("<general joint='j' dyntype='pid'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: general: dyntype pid needs gaintype pid"},
    {ACTUATOR("<general joint='j' input='ff'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: general: input is 'ff', must be pos, vel or pressure"},
    {ACTUATOR("<plugin joint='j' plugin='a.b'/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: plugin: the only plugin that is supported is mujoco.pid: give a general "
     "actuator; --permissive makes it a note"},
    {ACTUATOR("<plugin joint='j' plugin='mujoco.pid'><config key='a'/></plugin>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: config: key is 'a', must be kp, ki, kd, imax or slewmax"},
    {ACTUATOR("<plugin joint='j' instance='a'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: plugin: instance is 'a', no plugin's instance has this name"},
    {ACTUATOR("<plugin joint='j' plugin='mujoco.pid' dyntype='filter'/>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: plugin: mujoco.pid with a dyntype is not supported: give a pid; --permissive "
     "makes it a note"},
};

static void test_actuators(void** state) {
  (void)state;
  CHECK(ACTUATORS);
}

static const bad_scene SETTINGS[] = {
    {"<mujoco><compiler autolimits='false'/><worldbody><body><joint name='j' range='0 "
     "1'/></body></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': range is 0 1, but autolimits is off and limited is not given"},
    {"<mujoco><compiler angle='grad'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: compiler: angle is 'grad', must be degree or radian"},
    {"<mujoco><compiler eulerseq='xya'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: compiler: eulerseq is 'xya', must be three of x, y, z, X, Y and Z"},
    {"<mujoco><compiler coordinate='global'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: compiler: coordinate is 'global', must be local"},
    {"<mujoco><compiler settotalmass='2'/><worldbody/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "model: total_mass is 2, but the masses sum to 0"},
    {"<mujoco><compiler foo='1'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: compiler: attribute 'foo' is not known"},
    {"<mujoco><option timestep='0'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: option: timestep is 0, must be positive"},
    {"<mujoco><option timestep='-1'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: option: timestep is -1, must be positive"},
    {"<mujoco><option carom:patches='faces'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: option: carom:patches is 'faces', must be corners or area"},
    {"<mujoco><option carom:patch_error='0'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: option: carom:patch_error is 0, must be positive"},
    {"<mujoco><option gravity='0 0'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: option: gravity has 2 numbers, takes 3"},
    {"<mujoco><option density='-1.2'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: option: density is -1.2, must be zero or positive"},
    {"<mujoco><option><flag gravity='off'/></option></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flag: gravity is 'off', must be enable or disable"},
    {"<mujoco><option o_friction='1 2'><flag override='enable'/></option></mujoco>",
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: option: o_friction is '1 2': friction that differs between directions is not "
     "supported, the first value counts; --permissive makes it a note"},
    {"<mujoco><option><foo/></option></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: foo: this element is not known within 'option'"},
    {"<mujoco><default class='foo'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: default: class is 'foo', must be main at the top level"},
    {"<mujoco><default><default/></default></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: default: attribute 'class' is missing"},
    {"<mujoco><default><default class='a'/><default class='a'/></default></mujoco>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: default: class 'a' is defined twice"},
    {"<mujoco><default><geom size='x'/></default></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: geom: size: 'x' is not a number"},
    {"<mujoco><default><foo/></default></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: foo: this element is not known within 'default'"},
    {"<mujoco><asset><material/></asset></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: material: attribute 'name' is missing"},
    {"<mujoco><asset><material name='a'/><material name='a'/></asset></mujoco>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: material 'a': the name is used twice"},
    {"<mujoco><asset><foo/></asset></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: foo: this element is not known within 'asset'"},
    {"<mujoco><custom><numeric name='carom.geom.a.stiffness' data='1'/></custom></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: numeric 'carom.geom.a.stiffness': no geom has the name 'a'"},
    {"<mujoco><custom><numeric name='carom.geom.stiffness' data='1'/></custom></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: numeric 'carom.geom.stiffness': the name must be carom.PART.NAME.FIELD, with "
     "geom, equality or pair and stiffness or dissipation, geom or pair and static_friction, "
     "stribeck_speed, hunt_crossley or restitution, or joint and limit_stiffness or "
     "limit_dissipation"},
    {"<mujoco><custom><numeric name='carom.geom.a.stiffness'/></custom></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: numeric 'carom.geom.a.stiffness': attribute 'data' is missing"},
    {"<mujoco><custom><numeric name='carom.geom.a.stiffness' data='-1'/></custom></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: numeric 'carom.geom.a.stiffness': data is -1, must be positive or inf"},
    {"<mujoco><custom><numeric name='carom.geom.a.stiffness' data='1'/><numeric "
     "name='carom.geom.a.stiffness' data='1'/></custom></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: numeric 'carom.geom.a.stiffness': the name is used twice"},
};

static void test_settings(void** state) {
  (void)state;
  CHECK(SETTINGS);
}

#define TENDON(text)                                                                            \
  "<mujoco><worldbody><body><joint name='j'/>" BALL "<body><joint name='k' "                    \
  "actuatorfrcrange='-1 1'/>" BALL "</body></body><body><freejoint name='f'/>" BALL             \
  "<site name='s'/></body><geom name='g' size='1' contype='0' conaffinity='0'/><geom name='b' " \
  "type='box' size='1 1 1' contype='0' conaffinity='0'/></worldbody><tendon>" text              \
  "</tendon></mujoco>"

static const bad_scene OTHERS[] = {
    {"<xacro/>", CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: the root element is 'xacro', must be mujoco, robot or sdf"},
    {"<mujoco><foo/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: foo: this element is not known within 'mujoco'"},
    {"<mujoco foo='1'/>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: mujoco: attribute 'foo' is not known"},
    {"<mujoco><worldbody childclass='a'/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: worldbody: attribute 'childclass' is not known"},
    {"<mujoco><contact><pair geom1='a' geom2='b'/></contact></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: pair: geom1 is 'a', no geom has this name"},
    {"<mujoco><contact><pair geom1='a'/></contact><worldbody><geom name='a' "
     "size='1'/></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: pair: attribute 'geom2' is missing"},
    {"<mujoco><contact><pair geom1='a' geom2='a'/></contact><worldbody><geom name='a' "
     "size='1'/></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: pair: geom1 and geom2 are the same"},
    {"<mujoco><contact><pair name='p' geom1='a' geom2='b' friction='1 "
     "2'/></contact><worldbody><geom name='a' size='1'/><body><joint/><geom name='b' "
     "size='1'/></body></worldbody></mujoco>",
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: pair 'p': friction is '1 2': friction that differs between directions is not "
     "supported, the first value counts; --permissive makes it a note"},
    {"<mujoco><contact><exclude body1='a' body2='world'/></contact></mujoco>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: exclude: body1 is 'a', no body has this name"},
    {"<mujoco><contact><exclude body1='world'/></contact></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: exclude: attribute 'body2' is missing"},
    {"<mujoco><worldbody><geom name='a' type='mesh' mesh='m' contype='0' conaffinity='0'/><geom "
     "name='b' size='1'/></worldbody><contact><pair geom1='a' geom2='b'/></contact></mujoco>",
     CAROM_ERROR_UNSUPPORTED, "scene.xml:1: pair: geom1 is 'a', which is left out of the model"},
    {"<mujoco><worldbody><body><joint name='j' actuatorfrclimited='true' actuatorfrcrange='1 "
     "-1'/>" BALL "</body></worldbody></mujoco>",
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint 'j': actuatorfrcrange is 1 -1, its first number must be smaller than its "
     "second"},
    {TENDON("<spatial name='t'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: spatial 't': its path has no points"},
    {TENDON("<spatial name='t'><site site='s'/></spatial>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon 't': a string of its path runs over fewer than two sites"},
    {TENDON("<spatial name='t'><site/></spatial>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: site: attribute 'site' is missing"},
    {TENDON("<spatial name='t'><site site='x'/></spatial>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: site: site is 'x', no site has this name"},
    {TENDON("<spatial name='t'><geom geom='g'/><site site='s'/></spatial>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon 't': a geometry on its path is not between two sites"},
    {TENDON("<spatial name='t'><site site='s'/><geom geom='b'/><site site='s'/></spatial>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon 't': it winds around a geometry that is neither a sphere nor a cylinder"},
    {TENDON("<spatial name='t'><site site='s'/><site site='s'/><pulley divisor='0'/></spatial>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: pulley: divisor is 0, must be positive"},
    {TENDON("<spatial name='t'><site site='s'/><site site='s'/><pulley divisor='2'/></spatial>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon 't': a string of its path runs over fewer than two sites"},
    {TENDON("<spatial name='t'><joint joint='j' coef='1'/></spatial>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: this element is not known within 'spatial'"},
    {TENDON("<fixed name='t'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon 't': it runs over no joint"},
    {TENDON("<fixed name='t'><joint joint='x' coef='1'/></fixed>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: joint is 'x', no joint has this name"},
    {TENDON("<fixed name='t'><joint joint='j'/></fixed>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: joint: attribute 'coef' is missing"},
    {TENDON("<fixed name='t'><joint joint='f' coef='1'/></fixed>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon 't': joint is a free joint, must be a hinge or a slide"},
    {TENDON("<fixed name='t'><site site='s'/></fixed>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: site: this element is not known within 'fixed'"},
    {TENDON("<fixed name='t' limited='true' range='2 1'><joint joint='j' coef='1'/></fixed>"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon 't': range is 2 1, its first number must be smaller than its second"},
    {TENDON("<fixed name='t' springlength='2 1'><joint joint='j' coef='1'/></fixed>"),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: tendon 't': rest is 2 1, the first must not be larger"},
    {TENDON("<fixed name='t'/><fixed name='t'/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: tendon 't': it runs over no joint"},
    {FLEX(""), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: flex: only soft bodies of three dimensions are supported, give a chain of "
     "bodies or a thin solid; --permissive makes it a note"},
    {FLEX("dim='1'"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: flex: dim is '1': only soft bodies of three dimensions are supported, give a "
     "chain of bodies or a thin solid; --permissive makes it a note"},
    {FLEX("dim='3'"), CAROM_ERROR_BAD_INPUT, "scene.xml:1: flex: attribute 'body' is missing"},
    {FLEX("dim='3' body=''"), CAROM_ERROR_BAD_INPUT, "scene.xml:1: flex: it has no vertices"},
    {FLEX("dim='3' body='world' node='n'"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: flex: node is 'n': nodes that vertices are interpolated between are not "
     "supported; --permissive makes it a note"},
    {FLEX("dim='3' body='a b' vertex='0 0 0'"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flex: body names 2 bodies for 1 vertices, must be one for all or one for each"},
    {FLEX("dim='3' body='a'"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flex: body is 'a', no body above has this name"},
    {FLEX("dim='3' body='world' vertex='0 0 0'"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flex: attribute 'element' is missing"},
    {FLEX("dim='3' body='world' vertex='0 0 0' element='0 1 2'"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flex: element has 3 numbers, must be a multiple of 4"},
    {FLEX("dim='3' body='world' vertex='0 0 0' element='0 0 0 1'"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: flex: element 0 has node 1, must be a number from 0 to 0"},
    {FLEX("dim='3' body='world' vertex='0 0 0 1 0 0 0 1 0 1 1 0' element='0 1 2 3'"),
     CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: soft: mesh: element 0 is degenerate: its volume is 0 m3 with an edge of 1.41421 "
     "m"},
    {"<mujoco><worldbody><flexcomp dim='3' count='2 2 2'><elasticity young='1'/></flexcomp>"
     "</worldbody><keyframe><key name='k' qvel='0'/></keyframe></mujoco>",
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: key 'k': qvel is '0': states of models with soft bodies are not read from MJCF; "
     "--permissive makes it a note"},
    {"<mujoco><worldbody><body name='a'><freejoint/>" BALL "</body></worldbody><deformable><flex "
     "dim='3' body='a' vertex='0 0 0 1 0 0 0 1 0 0 0 1' element='0 1 2 3'/></deformable></mujoco>",
     CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: flex: all its vertices are on bodies that move: rigid ones are geometries of "
     "type mesh"},
    {"<mujoco><worldbody><body><joint/>" BALL
     "</body></worldbody><keyframe><key name='k' qpos='1 2'/></keyframe></mujoco>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: keyframe 'k': q has 2 numbers, the model has 1"},
    {"<mujoco><worldbody><body><joint/>" BALL
     "</body></worldbody><keyframe><key qvel='x'/></keyframe></mujoco>",
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: key: qvel: 'x' is not a number"},
    {"<mujoco><keyframe><key ctrl='1'/></keyframe></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: keyframe: ctrl has 1 number, the model has 0"},
    {"<mujoco><keyframe><foo/></keyframe></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: foo: this element is not known within 'keyframe'"},
    {"<mujoco><keyframe><key name='a'/><key name='a'/></keyframe></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: keyframe 'a': the name is used twice"},
    {"<mujoco>\n<include/></mujoco>", CAROM_ERROR_BAD_INPUT,
     "scene.xml:2: include: attribute 'file' is missing"},
    {"<mujoco>\n<include file='nothere.xml'/></mujoco>", CAROM_ERROR_FILE,
     "scene.xml:2: include: file 'nothere.xml' cannot be opened"
     ": No such file or directory"},
};

static void test_others(void** state) {
  (void)state;
  CHECK(OTHERS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_geoms),     cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_joints),    cmocka_unit_test(test_equalities),
      cmocka_unit_test(test_actuators), cmocka_unit_test(test_settings),
      cmocka_unit_test(test_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
