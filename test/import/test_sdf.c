/* Small SDF texts: frames and where they are, what each joint, shape and extension becomes, worlds
 * and includes, and what is noted. */
#include "import/sdf/load.h"
#include "support/memory.h"
#include "support/scene.h"

#include "carom/dynamics.h"
#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODEL(body) "<sdf version='1.9'><model name='m'>" body "</model></sdf>"
#define LINK(name)  "<link name='" name "'/>"

static carom_model* load(const char* text) { return scene_load(text); }

/* Position and quaternion of a body in the world at the reference configuration. */
static void get_pose(const carom_model* model, const char* name, double x[7]) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  carom_dynamics* dynamics;
  carom_error error;
  double poses[7 * 16], v[64] = {0}, ctrl[16] = {0};
  assert_true(sizes.num_bodies <= 16 && sizes.num_v <= 64 && sizes.num_actuators <= 16);
  check_ok(carom_dynamics_create(model, NULL, &dynamics, &error), &error);
  check_ok(carom_dynamics_set(dynamics, carom_model_get_reference(model), v, ctrl, &error), &error);
  carom_dynamics_compute_poses(dynamics, poses);
  carom_dynamics_destroy(dynamics);
  int body = carom_model_find_body(model, name);
  if (body < 0) fail_msg("no body %s", name);
  memcpy(x, poses + 7 * body, 7 * sizeof *x);
  for (int i = 3; i < 7 && x[3] < 0; i++) x[i] = -x[i];
}

#define check_position(model, name, ...)          \
  do {                                            \
    double actual[7], expected[] = {__VA_ARGS__}; \
    get_pose(model, name, actual);                \
    check_near_array(actual, expected, 3, 1e-12); \
  } while (0)

/* --- Frames -------------------------------------------------------------------------------------
 */

/* Names in any order, also of frames further down; degrees; quaternions with the real part last. */
static void test_frames(void** state) {
  (void)state;
  carom_model* model = load(MODEL(
      "<pose>0 0 10 0 0 0</pose><link name='a'><pose relative_to='f'>1 0 0 0 0 0</pose></link>"
      "<link name='b'><pose relative_to='a'>0 1 0 0 0 0</pose></link>"
      "<frame name='f' attached_to='c'><pose degrees='true'>0 0 1 0 0 90</pose></frame>"
      "<link name='c'><pose>5 0 0 0 0 0</pose></link>"
      "<link name='d'><pose rotation_format='quat_xyzw' relative_to='__model__'>"
      "0 0 0 0 0 0.5 0.5</pose></link>"));
  double x[7];
  check_position(model, "c", 5, 0, 10);
  check_position(model, "a", 5, 1, 11);
  check_position(model, "b", 4, 1, 11);
  get_pose(model, "d", x);
  check_near_array(x + 3, ((double[]){sqrt(.5), 0, 0, sqrt(.5)}), 4, 1e-14);
  carom_model_destroy(model);
}

/* A model's pose is that of the frame that places it. */
static void test_placement(void** state) {
  (void)state;
  carom_model* model = load(
      "<sdf version='1.9'><world name='w'><frame name='table'><pose>0 0 1 0 0 0</pose></frame>"
      "<model name='m' placement_frame='tip'><pose relative_to='table'>1 0 0 0 0 0</pose>"
      "<link name='base'/><link name='arm'><pose>0 0 3 0 0 1.5707963267948966</pose></link>"
      "<frame name='tip' attached_to='arm'><pose>1 0 0 0 0 0</pose></frame></model></world></sdf>");
  /* tip lies at (0 1 3), turned by 90 degrees about z, in the model. */
  check_position(model, "m::base", 0, 0, -2);
  check_position(model, "m::arm", 0, 0, 1);
  carom_model_destroy(model);
}

/* Nested models, references into them, joints between frames. */
static void test_nested(void** state) {
  (void)state;
  carom_model* model = load(MODEL(
      "<link name='a'/><model name='n'><pose>1 0 0 0 0 0</pose><link name='a'>"
      "<pose>0 1 0 0 0 0</pose></link><model name='o' canonical_link='y'><pose>0 0 1 0 0 0</pose>"
      "<link name='x'/><link name='y'><pose>7 0 0 0 0 0</pose></link></model></model>"
      "<frame name='f' attached_to='n::o'><pose relative_to='n::a'>0 0 5 0 0 0</pose></frame>"
      "<joint name='j' type='revolute'><parent>n::a</parent><child>f</child>"
      "<axis><xyz>0 0 1</xyz></axis></joint>"));
  check_position(model, "n::a", 1, 1, 0);
  check_position(model, "n::o::x", 1, 0, 1);
  check_position(model, "n::o::y", 8, 0, 1);
  int y = carom_model_find_body(model, "n::o::y");
  carom_joint_info joint = carom_model_get_joint(model, carom_model_find_joint(model, "j"));
  assert_int_equal(carom_model_get_body(model, y).parent, carom_model_find_body(model, "n::a"));
  assert_int_equal(joint.body, y);
  check_near_array(joint.anchor, ((double[]){-7, 1, 4}), 3, 1e-12);
  carom_model_destroy(model);
}

/* Axes in the joint's frame, in a named one, and as older versions have them. */
static void test_axes(void** state) {
  (void)state;
#define TURNED "<link name='a'><pose>0 0 0 1.5707963267948966 0 0</pose></link>"
#define JOINT(xyz)                                                            \
  "<joint name='j' type='revolute'><pose>0 0 0 0 0 1.5707963267948966</pose>" \
  "<parent>world</parent><child>a</child><axis>" xyz "</axis></joint>"
  static const struct {
    const char* text;
    double axis[3];
  } CASES[] = {
      {MODEL(TURNED JOINT("<xyz>1 0 0</xyz>")), {0, 1, 0}},
      {MODEL(TURNED JOINT("<xyz expressed_in='__model__'>0 0 2</xyz>")), {0, 1, 0}},
      {MODEL(TURNED JOINT("<xyz expressed_in='a'>0 0 2</xyz>")), {0, 0, 1}},
      {"<sdf version='1.4'><model name='m'>" TURNED JOINT("<xyz>0 0 1</xyz>") "</model></sdf>",
       {0, 1, 0}},
      {"<sdf version='1.6'><model name='m'>" TURNED JOINT(
           "<xyz>0 0 1</xyz><use_parent_model_frame>1</use_parent_model_frame>") "</model></sdf>",
       {0, 1, 0}},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    carom_model* model = load(CASES[i].text);
    check_near_array(carom_model_get_joint(model, 0).axis, CASES[i].axis, 3, 1e-15);
    carom_model_destroy(model);
  }
}

/* --- Joints -------------------------------------------------------------------------------------
 */

static void test_joints(void** state) {
  (void)state;
  carom_model* model = load(MODEL(LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") LINK(
      "f") "<joint name='r' type='revolute'><parent>world</parent><child>a</child><axis><limit>"
           "<lower>-1</lower><upper>2</upper><effort>5</effort><stiffness>100</stiffness>"
           "<dissipation>4</dissipation></limit></axis></joint>"
           "<joint name='p' type='prismatic'><parent>a</parent><child>b</child><axis><limit>"
           "<lower>0</lower><upper>inf</upper></limit></axis></joint>"
           "<joint name='t' type='continuous'><parent>b</parent><child>c</child><axis><limit>"
           "<lower>0</lower><upper>1</upper></limit></axis></joint>"
           "<joint name='u' type='universal'><parent>c</parent><child>d</child>"
           "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>"
           "<joint name='held' type='revolute'><parent>d</parent><child>e</child><axis><limit>"
           "<lower>0.5</lower><upper>0.5</upper></limit></axis></joint>"
           "<drake:joint name='q' type='planar'><drake:parent>e</drake:parent><drake:child>f"
           "</drake:child><drake:damping>1 2 3</drake:damping></drake:joint>"));
  static const char* const NAMES[] = {"r",    "p",   "t",   "u.axis", "u.axis2",
                                      "held", "q.x", "q.y", "q.angle"};
  static const char TYPES[] = "hshhhhssh";
  assert_int_equal(carom_model_get_sizes(model).num_joints, 9);
  for (int i = 0; i < 9; i++) {
    carom_joint_info joint = carom_model_get_joint(model, i);
    assert_string_equal(joint.name, NAMES[i]);
    assert_int_equal(joint.type, TYPES[i] == 'h' ? CAROM_JOINT_HINGE : CAROM_JOINT_SLIDE);
    assert_int_equal(joint.limited, i < 2);
  }
  assert_true(carom_model_get_joint(model, 0).range[1] == 2);
  assert_true(carom_model_get_joint(model, 1).range[1] == 1e10);
  assert_true(model->limit.joint_limit_stiffness[0] == 100);
  check_near(model->limit.joint_limit_dissipation[0], 0.04, 1e-16);
  assert_int_equal(carom_model_get_sizes(model).num_actuators, 1);
  assert_true(carom_model_get_actuator(model, 0).force_range[1] == 5);
  assert_int_equal(carom_model_get_equality(model, 0).type, CAROM_EQUALITY_JOINT);
  carom_model_destroy(model);
}

/* Losses and springs of an axis. */
static void test_dynamics(void** state) {
  (void)state;
  carom_model* model = load(MODEL(LINK(
      "a") "<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis>"
           "<dynamics><damping>2</damping><friction>3</friction><spring_reference>0.5"
           "</spring_reference><spring_stiffness>10</spring_stiffness></dynamics></axis>"
           "<drake:rotor_inertia>0.5</drake:rotor_inertia><drake:gear_ratio>4</drake:gear_ratio>"
           "</joint>"));
  carom_dynamics* dynamics;
  carom_error error;
  double force, M;
  check_ok(carom_dynamics_create(model, NULL, &dynamics, &error), &error);
  check_ok(carom_dynamics_set(dynamics, (double[]){0.2}, (double[]){1}, NULL, &error), &error);
  carom_dynamics_compute_passive(dynamics, &force);
  carom_dynamics_compute_mass_matrix(dynamics, &M);
  check_near(force, 10 * (0.5 - 0.2) - 2, 1e-14);
  check_near(M, 1 + 0.5 * 16, 1e-14); /* the default inertia is 1 */
  assert_true(model->limit.dof_friction_loss[0] == 3);
  carom_dynamics_destroy(dynamics);
  carom_model_destroy(model);
}

/* Followers of both kinds, and a gearbox between hinges whose axes point the other way about. */
static void test_couplings(void** state) {
  (void)state;
#define HINGE(name, child, axis, more)                                                   \
  "<joint name='" name "' type='revolute'><parent>base</parent><child>" child "</child>" \
  "<axis><xyz>" axis "</xyz>" more
  carom_model* model = load(
      MODEL(LINK("base") LINK("a") LINK("b") LINK("c") HINGE("j", "a", "0 0 1", "</axis></joint>")
                HINGE("k", "b", "0 0 1",
                      "<mimic joint='j'><multiplier>2</multiplier>"
                      "<offset>3</offset><reference>0.5</reference></mimic>"
                      "</axis></joint>")
                    HINGE("l", "c", "0 0 -1",
                          "</axis><drake:mimic joint='k' multiplier='4' "
                          "offset='5'/></joint>") "<joint name='g' "
                                                  "type='gearbox'><parent>a</parent><child>c</"
                                                  "child><gearbox_ratio>6"
                                                  "</gearbox_ratio><gearbox_reference_body>base</"
                                                  "gearbox_reference_body>"
                                                  "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 "
                                                  "1</xyz></axis2></joint>"));
  const cr_equality_model* e = &model->equality;
  static const double POLYNOMIALS[][2] = {{2, 2}, {5, 4}, {0, 6}};
  assert_int_equal(e->num_equalities, 3);
  for (int i = 0; i < 3; i++) check_near_array(e->polynomial + 5 * i, POLYNOMIALS[i], 2, 1e-15);
  assert_int_equal(e->joint[5], carom_model_find_joint(model, "j"));
  carom_model_destroy(model);
}

/* A second joint on a link closes a loop: a point, two points along a hinge's axis, a pose. */
static void test_loops(void** state) {
  (void)state;
#define LOOP(type)                                                                                 \
  MODEL(LINK("a")                                                                                  \
            LINK("b") "<joint name='j' type='ball'><parent>world</parent><child>a</child></joint>" \
                      "<joint name='k' type='ball'><parent>a</parent><child>b</child></joint>"     \
                      "<joint name='l' type='" type                                                \
                      "'><parent>world</parent><child>b</child></joint>")
  static const char* const TEXTS[] = {LOOP("ball"), LOOP("revolute"), LOOP("fixed")};
  static const int COUNTS[] = {1, 2, 1};
  for (int i = 0; i < 3; i++) {
    carom_model* model = load(TEXTS[i]);
    assert_int_equal(carom_model_get_sizes(model).num_equalities, COUNTS[i]);
    assert_int_equal(carom_model_get_equality(model, 0).type,
                     i < 2 ? CAROM_EQUALITY_CONNECT : CAROM_EQUALITY_WELD);
    carom_model_destroy(model);
  }
}

/* --- Links and shapes ---------------------------------------------------------------------------
 */

static void test_inertias(void** state) {
  (void)state;
  carom_model* model = load(MODEL(
      LINK("a") "<link name='b'><inertial><mass>2</mass></inertial></link><link name='c'><inertial>"
                "<pose>1 2 3 0 0 1.5707963267948966</pose><mass>3</mass><inertia><ixx>1</ixx>"
                "<iyy>2</iyy><izz>2.5</izz></inertia></inertial><gravity>false</gravity></link>"
                "<link name='d'><inertial auto='true'><density>2</density></inertial>"
                "<collision name='c'><geometry><box><size>1 2 3</size></box></geometry></collision>"
                "</link>"));
  carom_body_info a = carom_model_get_body(model, 1), b = carom_model_get_body(model, 2),
                  c = carom_model_get_body(model, 3), d = carom_model_get_body(model, 4);
  assert_true(a.mass == 1 && a.inertia[0] == 1 && a.inertia[3] == 0);
  assert_true(b.mass == 2 && b.inertia[2] == 1);
  check_near_array(c.com, ((double[]){1, 2, 3}), 3, 0);
  check_near_array(c.inertia, ((double[]){2, 1, 2.5, 0, 0, 0}), 6, 1e-15);
  assert_true(model->body.gravity_compensation[3] == 1);
  check_near(d.mass, 12, 1e-12);
  carom_model_destroy(model);
}

static void test_shapes(void** state) {
  (void)state;
  carom_model* model = load(
      "<sdf version='1.9'><world name='w'><model name='floor'><static>true</static><link name='l'>"
      "<collision name='c'><geometry><plane><normal>1 0 0</normal></plane></geometry><surface>"
      "<friction><ode><mu>0.25</mu></ode></friction></surface></collision></link></model>"
      "<model name='m'><link name='l'><visual "
      "name='v'><geometry><sphere><radius>2</radius></sphere>"
      "</geometry><material><diffuse>1 0 0 1</diffuse></material></visual><collision name='v'>"
      "<pose>0 0 1 0 0 0</pose><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>"
      "<drake:proximity_properties><drake:mu_dynamic>0.5</drake:mu_dynamic>"
      "<drake:point_contact_stiffness>1000</drake:point_contact_stiffness>"
      "</drake:proximity_properties></collision></link></model></world></sdf>");
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 3);
  carom_geom_info plane = carom_model_get_geom(model, 0), drawn = carom_model_get_geom(model, 1),
                  shape = carom_model_get_geom(model, 2);
  assert_true(plane.type == CAROM_GEOM_PLANE && plane.friction == 0.25);
  check_near_array(plane.quaternion, ((double[]){sqrt(.5), 0, sqrt(.5), 0}), 4, 1e-15);
  assert_true(drawn.group == 1 && drawn.rgba[0] == 1 && drawn.rgba[1] == 0);
  assert_string_equal(drawn.name, "m::l::v");
  assert_true(shape.group == 3 && shape.type == CAROM_GEOM_ELLIPSOID && shape.size[2] == 3);
  assert_true(shape.friction == 0.5 && shape.stiffness == 1000 && shape.position[2] == 1);
  assert_int_equal(carom_model_get_sizes(model).num_joints, 1); /* the floor is static */
  carom_model_destroy(model);
}

/* Links of one model collide only where it says so. */
static void test_self_collision(void** state) {
  (void)state;
#define SOLID(name, more)                                                         \
  "<link name='" name "'>" more "<collision name='c'><geometry><sphere><radius>1" \
  "</radius></sphere></geometry></collision></link>"
  carom_model* none = load(MODEL(SOLID("a", "") SOLID("b", "") SOLID("c", "")));
  carom_model* one =
      load(MODEL(SOLID("a", "<self_collide>1</self_collide>") SOLID("b", "") SOLID("c", "")));
  carom_model* all =
      load(MODEL("<self_collide>true</self_collide>" SOLID("a", "") SOLID("b", "") SOLID("c", "")));
  assert_int_equal(none->geom.num_excludes, 3);
  assert_int_equal(one->geom.num_excludes, 1);
  assert_int_equal(all->geom.num_excludes, 0);
  carom_model_destroy(none);
  carom_model_destroy(one);
  carom_model_destroy(all);
}

static void test_world(void** state) {
  (void)state;
  carom_model* model =
      load("<sdf version='1.8'><world name='w'><gravity>0 0 -3</gravity><physics type='ode'>"
           "<max_step_size>0.004</max_step_size></physics><plugin name='p' filename='x'/><light/>"
           "<model name='a'><link name='l'/></model><model name='b'><link name='l'/></model>"
           "</world></sdf>");
  double gravity[3];
  carom_model_get_gravity(model, gravity);
  assert_true(gravity[2] == -3 && carom_model_get_timestep(model) == 0.004);
  assert_int_equal(carom_model_find_body(model, "b::l"), 2);
  assert_string_equal(carom_model_get_name(model), "w");
  scene_expect_note(model, "scene.xml:1: plugin: not used: it is for another program");
  carom_model_destroy(model);
}

/* --- Includes -----------------------------------------------------------------------------------
 */

typedef struct virtual_file {
  const char *path, *text;
} virtual_file;

static const virtual_file FILES[] = {
    {"models/arm/model.config",
     "<model><sdf version='1.4'>old.sdf</sdf><sdf version='1.9'>new.sdf</sdf></model>"},
    {"models/arm/new.sdf",
     "<sdf version='1.9'><model name='arm'><pose>9 9 9 0 0 0</pose><link name='a'>"
     "<pose>0 1 0 0 0 0</pose></link><include><uri>hand.sdf</uri></include></model></sdf>"},
    {"models/arm/hand.sdf",
     "<sdf version='1.6'><model name='hand'><link name='h'><pose frame='f'/></link>"
     "<frame name='f'><pose>0 0 2 0 0 0</pose></frame></model></sdf>"},
    {"loop.sdf", "<sdf version='1.9'><model name='l'><include><uri>loop.sdf</uri></include>"
                 "</model></sdf>"},
    {"robot/model.config", "<model><sdf>arm.urdf</sdf></model>"},
    {"robot/arm.urdf",
     "<robot name='arm'><material name='red'><color rgba='1 0 0 1'/></material><link name='base'>"
     "<inertial><origin xyz='0 0 .5'/><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5'/>"
     "</inertial></link>"
     "<link name='tip'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
     "<visual><geometry><box size='2 4 6'/></geometry><material name='red'/></visual>"
     "<collision name='c'><origin xyz='0 0 3'/><geometry><sphere radius='.5'/></geometry>"
     "</collision></link><link name='flange'/>"
     "<joint name='tip' type='revolute'><parent link='base'/><child link='tip'/>"
     "<origin xyz='0 0 2' rpy='0 0 1.5707963267948966'/><axis xyz='0 1 0'/>"
     "<limit lower='-1' upper='2' effort='5' velocity='3'/><dynamics damping='.7'/></joint>"
     "<joint name='end' type='fixed'><parent link='tip'/><child link='flange'/>"
     "<origin xyz='1 0 0'/></joint></robot>"},
    {"twice.urdf", "<robot name='r'><link name='a'/><link name='b'/>"
                   "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
                   "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint>"
                   "</robot>"},
};

static const virtual_file* find_file(const char* path) {
  for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++)
    if (strcmp(FILES[i].path, path) == 0) return &FILES[i];
  return NULL;
}

static bool file_exists(void* user, const char* path) {
  (void)user;
  return find_file(path) != NULL;
}

static FILE* open_file(void* user, const char* path) {
  (void)user;
  const virtual_file* file = find_file(path);
  return file ? fmemopen((void*)(uintptr_t)file->text, strlen(file->text), "r") : NULL;
}

static carom_status load_files(const char* text, bool permissive, carom_model** model,
                               carom_error* error) {
  carom_load_def def = carom_load_def_default();
  cr_sdf_files files = {file_exists, open_file, NULL};
  def.permissive = permissive;
  *model = NULL;
  return cr_sdf_load("scene.xml", text, strlen(text), &def, &files, model, error);
}

#define INCLUDE(more) "<include>" more "</include>"

static void test_includes(void** state) {
  (void)state;
  carom_model* model;
  carom_error error;
  const char* text = "<sdf version='1.9'><world name='w'>" INCLUDE(
      "<uri>models/arm</uri><name>left</name><pose>1 0 0 0 0 0</pose>")
      INCLUDE("<uri>models/arm/hand.sdf</uri><static>true</static>") "</world></sdf>";
  check_ok(load_files(text, false, &model, &error), &error);
  check_position(model, "left::a", 1, 1, 0);
  check_position(model, "left::hand::h", 1, 0, 2);
  check_position(model, "hand::h", 0, 0, 2);
  assert_int_equal(carom_model_get_sizes(model).num_joints, 2);
  carom_model_destroy(model);
}

/* Merged parts stand among those of the model that includes them, and keep their own places. */
static void test_merge(void** state) {
  (void)state;
  carom_model* model;
  carom_error error;
  const char* text =
      MODEL("<link name='base'/><include merge='true'><uri>models/arm/hand.sdf</uri>"
            "<pose>1 0 0 0 0 0</pose></include><joint name='j' type='fixed'><parent>base</parent>"
            "<child>h</child></joint>");
  check_ok(load_files(text, false, &model, &error), &error);
  check_position(model, "h", 1, 0, 2);
  assert_int_equal(carom_model_get_body(model, 2).parent, 1);
  carom_model_destroy(model);
}

/* A URDF file, by the name of its folder: poses along its joints, a joint that has the name of its
 * link, a link without mass, colours by name. */
static void test_included_urdf(void** state) {
  (void)state;
  carom_model* model;
  carom_error error;
  const char* text = "<sdf version='1.9'><world name='w'>" INCLUDE(
      "<uri>robot</uri><name>left</name><pose>1 0 0 0 0 0</pose>") "</world></sdf>";
  check_ok(load_files(text, false, &model, &error), &error);
  check_position(model, "left::base", 1, 0, 0);
  check_position(model, "left::tip", 1, 0, 2);
  check_position(model, "left::flange", 1, 1, 2);
  carom_body_info base = carom_model_get_body(model, carom_model_find_body(model, "left::base"));
  check_near(base.mass, 2, 0);
  check_near_array(base.com, ((double[]){0, 0, .5}), 3, 0);
  check_near(carom_model_get_body(model, carom_model_find_body(model, "left::flange")).mass, 0, 0);
  carom_joint_info joint =
      carom_model_get_joint(model, carom_model_find_joint(model, "left::tip_joint"));
  assert_int_equal(joint.type, CAROM_JOINT_HINGE);
  check_near_array(joint.axis, ((double[]){0, 1, 0}), 3, 1e-15);
  check_near_array(joint.range, ((double[]){-1, 2}), 2, 0);
  carom_geom_info looks = carom_model_get_geom(model, 0);
  check_near_array(looks.size, ((double[]){1, 2, 3}), 3, 0);
  assert_true(looks.rgba[0] == 1 && looks.rgba[1] == 0);
  assert_int_equal(carom_model_find_geom(model, "left::tip::c"), 1);
  assert_int_equal(carom_model_get_sizes(model).num_v, 7);
  carom_model_destroy(model);
}

static void test_bad_includes(void** state) {
  (void)state;
  static const struct {
    const char* text;
    carom_status status;
    const char* message;
  } CASES[] = {
      {MODEL(INCLUDE("<uri>nowhere</uri>")), CAROM_ERROR_FILE,
       "scene.xml:1: include: model 'nowhere' is not found; name the folder that holds it "
       "(--search, "
       "GZ_SIM_RESOURCE_PATH), or leave it out (--permissive)"},
      {MODEL(INCLUDE("")), CAROM_ERROR_BAD_INPUT, "scene.xml:1: include: element <uri> is missing"},
      {MODEL(INCLUDE("<uri>models/../loop.sdf</uri>")), CAROM_ERROR_UNSUPPORTED,
       "scene.xml:1: include: its uri climbs out of the model's folder; --permissive makes it a "
       "note"},
      {MODEL(INCLUDE("<uri>loop.sdf</uri>")), CAROM_ERROR_BAD_INPUT,
       "loop.sdf:1: include: 'loop.sdf' is included more than 32 deep: a file includes itself"},
      {MODEL(INCLUDE("<uri>twice.urdf</uri>")), CAROM_ERROR_BAD_INPUT,
       "twice.urdf:1: joint 'k': its child 'b' has a parent already"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    carom_model* model;
    carom_error error;
    assert_int_equal(load_files(CASES[i].text, false, &model, &error), CASES[i].status);
    assert_string_equal(error.message, CASES[i].message);
  }
}

/* --- Memory -------------------------------------------------------------------------------------
 */

/* Every allocation fails in turn: a sentence, no leak. */
static void test_memory(void** state) {
  (void)state;
  static const char TEXT[] =
      "<sdf version='1.6'><world name='w'><model name='m'><frame name='f'/><link name='a'/>"
      "<link name='b'><pose relative_to='f'>1 2 3 0 0 0</pose><collision name='c'><geometry>"
      "<sphere><radius>1</radius></sphere></geometry></collision></link><joint name='a' "
      "type='universal'><parent>a</parent><child>b</child><axis><xyz>1 0 "
      "0</xyz></axis></joint><joint name='l' type='ball'>"
      "<parent>world</parent><child>b</child></joint></model><plugin name='p'/></world></sdf>";
  check_memory_of_loading(TEXT, 30);
}

/* A root hangs on the world where that is asked for, and is free where it is fixed. */
static void test_bases(void** state) {
  (void)state;
  static const char* const TEXTS[] = {
      MODEL(LINK("a") LINK("b") "<joint name='j' type='revolute'><parent>a</parent><child>b</child>"
                                "</joint>"),
      MODEL(
          LINK("a") "<joint name='j' type='fixed'><parent>world</parent><child>a</child></joint>")};
  static const carom_base BASES[] = {CAROM_BASE_FIXED, CAROM_BASE_FREE};
  static const int COUNTS[] = {1, 6};
  for (int i = 0; i < 2; i++) {
    carom_load_def def = carom_load_def_default();
    def.base = BASES[i];
    def.floor = true;
    carom_model* model = scene_load_with(TEXTS[i], &def);
    assert_int_equal(carom_model_get_sizes(model).num_v, COUNTS[i]);
    assert_true(carom_model_find_geom(model, "floor") >= 0);
    carom_model_destroy(model);
  }
}

/* --- Soft bodies --------------------------------------------------------------------------------
 */

#define SOFT(properties, more)                                                                 \
  MODEL("<link name='a'><pose>0 0 2 0 0 0</pose><collision name='c'>"                          \
        "<pose>0 0 1 1.5707963267948966 0 0</pose><geometry><mesh><uri>" CR_SOURCE_DIR         \
        "/test/fuzz/corpus/vtk/two_regions_42.vtk</uri><scale>2 2 2</scale></mesh></geometry>" \
        "<drake:proximity_properties><drake:mu_dynamic>0.4</drake:mu_dynamic>"                 \
        "</drake:proximity_properties></collision><drake:deformable_properties>" properties    \
        "</drake:deformable_properties>" more "</link>")

/* Material and friction as stated; the mesh where the collision is, scaled and turned by a right
 * angle about x: its z becomes -y. */
static void test_deformable(void** state) {
  (void)state;
  carom_model* model = load(
      SOFT("<drake:youngs_modulus>3e4</drake:youngs_modulus><drake:poissons_ratio>0.4"
           "</drake:poissons_ratio><drake:mass_density>900</drake:mass_density>"
           "<drake:mass_damping>0.5</drake:mass_damping><drake:stiffness_damping>0.01"
           "</drake:stiffness_damping><drake:material_model>corotated</drake:material_model>",
           "<drake:wall_boundary_condition><drake:point_on_plane>0 -0.5 0</drake:point_on_plane>"
           "<drake:outward_normal>0 3 0</drake:outward_normal></drake:wall_boundary_condition>"));
  assert_int_equal(carom_model_get_sizes(model).num_bodies, 1);
  carom_soft_info soft = carom_model_get_soft(model, carom_model_find_soft(model, "a"));
  const double expected[] = {3e4, 0.4, 900, 0.5, 0.01, 0.4};
  const double actual[] = {soft.young, soft.poisson, soft.density,
                           soft.alpha, soft.beta,    soft.friction};
  check_near_array(actual, expected, 6, 0);
  assert_int_equal(soft.law, CAROM_SOFT_FIXED_COROTATED);
  const double node[3] = {0, -2, 3}; /* (0, 0, 1) of the file */
  check_near_array(soft.nodes + 9, node, 3, 1e-12);
  const int held[5] = {0, 0, 0, 1, 1};
  assert_memory_equal(soft.held, held, sizeof held);
  carom_model_destroy(model);
}

/* What a file leaves out has Drake's defaults. */
static void test_deformable_defaults(void** state) {
  (void)state;
  carom_model* model = load(SOFT("", ""));
  carom_soft_info soft = carom_model_get_soft(model, 0);
  const double expected[] = {1e8, 0.49, 1500, 0, 0};
  const double actual[] = {soft.young, soft.poisson, soft.density, soft.alpha, soft.beta};
  check_near_array(actual, expected, 5, 0);
  assert_int_equal(soft.law, CAROM_SOFT_COROTATED);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_deformable),    cmocka_unit_test(test_deformable_defaults),
      cmocka_unit_test(test_frames),        cmocka_unit_test(test_placement),
      cmocka_unit_test(test_nested),        cmocka_unit_test(test_axes),
      cmocka_unit_test(test_joints),        cmocka_unit_test(test_dynamics),
      cmocka_unit_test(test_couplings),     cmocka_unit_test(test_loops),
      cmocka_unit_test(test_inertias),      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_world),         cmocka_unit_test(test_self_collision),
      cmocka_unit_test(test_includes),      cmocka_unit_test(test_merge),
      cmocka_unit_test(test_included_urdf), cmocka_unit_test(test_bad_includes),
      cmocka_unit_test(test_memory),        cmocka_unit_test(test_bases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
