/* Parameters of a description: a copy with another number is the model that was built with it, to
 * the bit; the same number changes nothing; what cannot be is refused with part, field and value.
 */
#include "model/model.h"
#include "support/scene.h"
#include "support/world.h"

#include "carom/parameter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Models -------------------------------------------------------------------------------------
 */

static carom_builder* copy_of(const carom_model* model) {
  carom_builder* builder;
  carom_error error;
  check_ok(carom_builder_copy(carom_model_get_description(model), &builder, &error), &error);
  return builder;
}

static carom_model* compile(carom_builder* builder) {
  carom_model* model;
  carom_error error;
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  return model;
}

static carom_parameter find(const carom_builder* builder, const char* name) {
  carom_parameter parameter;
  carom_error error;
  check_ok(carom_builder_find_parameter(builder, name, &parameter, &error), &error);
  return parameter;
}

static void set(carom_builder* builder, const char* name, const double* values) {
  carom_error error;
  carom_parameter parameter = find(builder, name);
  check_ok(carom_builder_set_parameter(builder, &parameter, values, &error), &error);
}

static void get(const carom_builder* builder, const char* name, double* values) {
  carom_error error;
  carom_parameter parameter = find(builder, name);
  check_ok(carom_builder_get_parameter(builder, &parameter, values, &error), &error);
}

/* Every array of a model stands in one block behind its first part, and those without soft bodies
 * point to nothing of their own. */
static void expect_same_arrays(const carom_model* a, const carom_model* b, const char* what) {
  size_t head = (sizeof *a + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
  if (a->block_size != b->block_size) fail_msg("%s: the models have other sizes", what);
  const char *p = (const char*)a, *q = (const char*)b;
  for (size_t i = head; i < a->block_size; i++)
    if (p[i] != q[i]) fail_msg("%s: the models differ at byte %zu", what, i);
}

static bool are_same_arrays(const carom_model* a, const carom_model* b) {
  size_t head = (sizeof *a + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
  return a->block_size == b->block_size &&
         memcmp((const char*)a + head, (const char*)b + head, a->block_size - head) == 0;
}

/* Both move alike to the bit; destroys them. */
static void expect_same_motion(carom_model* a, carom_model* b, int steps) {
  world first = world_create_from(a, NULL), second = world_create_from(b, NULL);
  for (int i = 0; i < steps; i++) {
    carom_step_report one, other;
    assert_int_equal(carom_sim_step(first.sim, &one, NULL), CAROM_OK);
    assert_int_equal(carom_sim_step(second.sim, &other, NULL), CAROM_OK);
    assert_int_equal(one.outcome, other.outcome);
  }
  world_expect_twins(&first, &second);
  world_destroy(&first), world_destroy(&second);
}

/* --- A text with one number of each kind --------------------------------------------------------
 */

/* A machine with all kinds of parts that MJCF knows; one field of it is written as given. */
typedef struct change {
  const char* parameter;
  const char *before, *after; /* what stands in the text */
  int count;
  double values[6];
} change;

static const char MACHINE[] =
    "<mujoco><option timestep='0.004' gravity='0 0 -9.81'/><worldbody>"
    "<geom name='floor' type='plane' size='2 2 1' friction='0.6 0.01 0.001' condim='4'/>"
    "<body name='box' pos='0 0 0.2' euler='10 20 0'><freejoint/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='.01 .01 .015'/>"
    "<geom name='cube' type='box' size='.1 .08 .06'/></body>"
    "<body name='ball' pos='0.02 0.03 0.4'><freejoint/>"
    "<geom name='round' size='.07' density='900' carom:stiffness='1e4' carom:dissipation='0.01' "
    "carom:modulus='1e6' carom:layer='0.02'/>"
    "</body>"
    "<body name='upper' pos='-1 0 1'><joint name='shoulder' axis='0 1 0' pos='0 0 0' range='-60 60'"
    " armature='0.01' damping='.2' stiffness='3' springref='10' frictionloss='.05'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.04'/><site name='tip' pos='.3 0 .1'/>"
    "<body name='lower' pos='.3 0 0'><joint name='elbow' axis='0 1 0' damping='.1'/>"
    "<geom name='forearm' type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='.5'/></body></body>"
    "<body name='load' pos='-.4 0 .8'><freejoint/><geom type='box' size='.05 .05 .05'/>"
    "<site name='hook' pos='0 0 .05'/></body>"
    "</worldbody><tendon>"
    "<spatial name='rope' stiffness='40' damping='2' frictionloss='.1' springlength='.2'>"
    "<site site='tip'/><site site='hook'/></spatial></tendon><actuator>"
    "<position name='servo' joint='shoulder' kp='200' kv='10' forcerange='-20 20'/>"
    "<motor name='motor' joint='elbow' gear='2' ctrlrange='-1 1'/>"
    "<pid name='pid' joint='elbow' kp='4' ki='2' kv='.3'/>"
    "<dcmotor name='winch' joint='elbow' motorconst='.5 .5' resistance='2' cogging='.1 6 "
    "0'/></actuator>"
    "<equality><connect name='pin' body1='lower' body2='load' anchor='.3 0 "
    "0'/></equality></mujoco>";

static const change CHANGES[] = {
    {"model.gravity", "gravity='0 0 -9.81'", "gravity='1 0 -5'", 3, {1, 0, -5}},
    {"model.timestep", "timestep='0.004'", "timestep='0.003'", 1, {0.003}},
    {"body.box.mass", "mass='1'", "mass='2'", 1, {2}},
    {"body.box.com", "<inertial pos='0 0 0'", "<inertial pos='.01 0 -.02'", 3, {.01, 0, -.02}},
    {"body.box.inertia",
     "diaginertia='.01 .01 .015'",
     "diaginertia='.02 .01 .015'",
     6,
     {.02, .01, .015, 0, 0, 0}},
    {"body.load.position",
     "name='load' pos='-.4 0 .8'",
     "name='load' pos='-.4 .05 .8'",
     3,
     {-.4, .05, .8}},
    {"joint.shoulder.anchor", "pos='0 0 0' range", "pos='.02 0 .01' range", 3, {.02, 0, .01}},
    {"joint.shoulder.axis",
     "name='shoulder' axis='0 1 0'",
     "name='shoulder' axis='.1 1 0'",
     3,
     {.1, 1, 0}},
    {"joint.shoulder.armature", "armature='0.01'", "armature='0.03'", 1, {0.03}},
    {"joint.shoulder.damping", "damping='.2'", "damping='.7'", 1, {.7}},
    {"joint.shoulder.stiffness", "stiffness='3'", "stiffness='5'", 1, {5}},
    {"joint.shoulder.friction_loss", "frictionloss='.05'", "frictionloss='.5'", 1, {.5}},
    {"geom.floor.friction", "friction='0.6 ", "friction='1.7 ", 1, {1.7}},
    {"geom.floor.torsional_friction", "friction='0.6 0.01 ", "friction='0.6 0.05 ", 1, {0.05}},
    {"geom.floor.condim", "condim='4'", "condim='6'", 1, {6}},
    {"geom.cube.size", "size='.1 .08 .06'", "size='.1 .04 .06'", 3, {.1, .04, .06}},
    {"geom.cube.size[1]", "size='.1 .08 .06'", "size='.1 .04 .06'", 1, {.04}},
    {"geom.round.density", "density='900'", "density='90'", 1, {90}},
    {"geom.round.modulus", "carom:modulus='1e6'", "carom:modulus='3e6'", 1, {3e6}},
    {"geom.round.layer", "carom:layer='0.02'", "carom:layer='0.05'", 1, {0.05}},
    {"geom.round.stiffness", "carom:stiffness='1e4'", "carom:stiffness='2e3'", 1, {2e3}},
    {"geom.round.dissipation", "carom:dissipation='0.01'", "carom:dissipation='0.1'", 1, {0.1}},
    {"geom.forearm.mass", "mass='.5'", "mass='.8'", 1, {.8}},
    {"site.hook.position",
     "name='hook' pos='0 0 .05'",
     "name='hook' pos='0 .02 .05'",
     3,
     {0, .02, .05}},
    {"tendon.rope.stiffness", "stiffness='40'", "stiffness='80'", 1, {80}},
    {"tendon.rope.damping", "damping='2'", "damping='4'", 1, {4}},
    {"tendon.rope.friction_loss", "frictionloss='.1'", "frictionloss='.3'", 1, {.3}},
    {"tendon.rope.rest", "springlength='.2'", "springlength='.1'", 2, {.1, .1}},
    {"actuator.servo.force_range", "forcerange='-20 20'", "forcerange='-5 5'", 2, {-5, 5}},
    {"actuator.pid.controller_integral", "ki='2'", "ki='3'", 1, {3}},
    {"actuator.winch.motor_cogging", "cogging='.1 6 0'", "cogging='.2 4 1'", 3, {.2, 4, 1}},
    {"geom.round.adhesion", "density='900'", "density='900' adhesion='.25'", 1, {.25}},
    {"actuator.motor.gear", "gear='2'", "gear='3'", 1, {3}},
    {"actuator.motor.control_range", "ctrlrange='-1 1'", "ctrlrange='-2 1'", 2, {-2, 1}},
    {"equality.pin.anchor1", "anchor='.3 0 0'", "anchor='.25 0 0'", 3, {.25, 0, 0}},
};

/* The text with `before` replaced; `text` has room for it. */
static void replace(char* text, size_t size, const char* before, const char* after) {
  const char* at = strstr(MACHINE, before);
  if (!at) fail_msg("'%s' is not there", before);
  snprintf(text, size, "%.*s%s%s", (int)(at - MACHINE), MACHINE, after, at + strlen(before));
}

/* Models that a text and a copy make with the number are the same, and others than before. */
static void test_as_from_text(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof CHANGES / sizeof CHANGES[0]; i++) {
    const change* c = &CHANGES[i];
    char text[sizeof MACHINE + 100];
    carom_model* first = scene_load(MACHINE);
    replace(text, sizeof text, c->before, c->after);
    carom_model* wanted = scene_load(text);
    carom_builder* builder = copy_of(first);
    assert_int_equal(find(builder, c->parameter).count, c->count);
    set(builder, c->parameter, c->values);
    double values[6];
    get(builder, c->parameter, values);
    check_near_array(values, c->values, c->count, 0);
    carom_model* changed = compile(builder);
    expect_same_arrays(changed, wanted, c->parameter);
    bool is_step = strcmp(c->parameter, "model.timestep") == 0;
    bool is_gravity = strcmp(c->parameter, "model.gravity") == 0;
    if (!is_step && !is_gravity) assert_false(are_same_arrays(changed, first));
    expect_same_motion(changed, wanted, 30);
    carom_model_destroy(first);
  }
}

/* --- All parameters of all parts ----------------------------------------------------------------
 */

static int count_parts(const carom_model* model, const char* kind) {
  carom_model_sizes s = carom_model_get_sizes(model);
  const struct {
    const char* kind;
    int count;
  } COUNTS[] = {{"model", 1},
                {"body", s.num_bodies},
                {"joint", s.num_joints},
                {"geom", s.num_geoms},
                {"site", s.num_sites},
                {"pair", 0},
                {"spring", s.num_springs},
                {"tendon", s.num_tendons},
                {"actuator", s.num_actuators},
                {"equality", s.num_equalities},
                {"soft", s.num_softs},
                {"attachment", s.num_attachments}};
  for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++)
    if (strcmp(COUNTS[i].kind, kind) == 0) return COUNTS[i].count;
  fail_msg("there is a new kind, %s", kind);
  return 0;
}

/* The parameter of a part by its number; false of the world, which has none. */
static bool find_numbered(const carom_builder* builder, const carom_parameter_field* field,
                          int number, carom_parameter* parameter) {
  char name[100];
  bool is_model = strcmp(field->kind, "model") == 0;
  if (strcmp(field->kind, "body") == 0 && number == 0) return false;
  if (is_model)
    snprintf(name, sizeof name, "model.%s", field->name);
  else
    snprintf(name, sizeof name, "%s.%d.%s", field->kind, number, field->name);
  *parameter = find(builder, name);
  assert_int_equal(parameter->count, field->count);
  assert_string_equal(parameter->unit, field->unit);
  return true;
}

/* Another number that is likely accepted, and that is told from the first. */
static double vary(double value) {
  if (isnan(value) || isinf(value)) return value;
  return value == 0 ? 0.25 : value * 0.875;
}

/* Moves one parameter away and back; false where it would not move. */
static bool move_and_return(carom_builder* builder, const carom_parameter* parameter) {
  double own[8], other[8], read[8];
  carom_error error;
  check_ok(carom_builder_get_parameter(builder, parameter, own, &error), &error);
  for (int i = 0; i < parameter->count; i++) other[i] = vary(own[i]);
  if (memcmp(own, other, sizeof(double) * (size_t)parameter->count) == 0) return false;
  if (carom_builder_set_parameter(builder, parameter, other, &error) != CAROM_OK) {
    check_ok(carom_builder_get_parameter(builder, parameter, read, &error), &error);
    assert_memory_equal(read, own, sizeof(double) * (size_t)parameter->count);
    return false;
  }
  check_ok(carom_builder_get_parameter(builder, parameter, read, &error), &error);
  assert_memory_equal(read, other, sizeof(double) * (size_t)parameter->count);
  check_ok(carom_builder_set_parameter(builder, parameter, own, &error), &error);
  return true;
}

/* Every parameter of every part goes away and comes back, one after the other: the model is then
 * the same to the bit, and so is its motion. */
static void check_round_trip(carom_model* model, int steps, int least_moved) {
  carom_builder* builder = copy_of(model);
  int moved = 0;
  for (int row = 0; row < carom_parameter_count_fields(); row++) {
    carom_parameter_field field = carom_parameter_get_field(row);
    int count = count_parts(model, field.kind);
    for (int i = 0; i < count && i < 12; i++) {
      carom_parameter parameter;
      if (find_numbered(builder, &field, i, &parameter))
        moved += move_and_return(builder, &parameter);
    }
  }
  if (moved < least_moved) fail_msg("only %d parameters moved", moved);
  carom_model* again = compile(builder);
  if (carom_model_get_sizes(model).num_softs == 0) expect_same_arrays(again, model, "round trip");
  expect_same_motion(again, model, steps);
}

static carom_model* load_file(const char* name) {
  char path[300];
  carom_model* model;
  carom_error error;
  snprintf(path, sizeof path, "%s/scenes/%s", CR_SOURCE_DIR, name);
  check_ok(carom_model_load(path, NULL, &model, &error), &error);
  return model;
}

static void test_round_trip(void** state) {
  (void)state;
  char* pile = world_write_pile(12);
  check_round_trip(scene_load(MACHINE), 30, 150);
  check_round_trip(scene_load(WORLD_MACHINE), 30, 150);
  check_round_trip(scene_load(pile), 30, 100);
  check_round_trip(load_file("humanoid.xml"), 20, 150);
  check_round_trip(load_file("muscles.xml"), 20, 60);
  check_round_trip(load_file("soft_stack.xml"), 3, 40);
  free(pile);
}

/* Of soft bodies: a text with the number and a copy move alike. */
static void test_soft_as_from_text(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<flexcomp name='block' type='grid' count='3 3 3' spacing='.1 .1 .1' pos='0 0 .3' dim='3'"
      " mass='1' radius='0'><contact selfcollide='none'/>"
      "<elasticity young='%s' poisson='%s' damping='0.01'/></flexcomp></worldbody></mujoco>";
  char text[sizeof TEXT + 40];
  snprintf(text, sizeof text, TEXT, "2e4", "0.3");
  carom_model* first = scene_load_permissive(text);
  snprintf(text, sizeof text, TEXT, "5e4", "0.4");
  carom_model* wanted = scene_load_permissive(text);
  carom_builder* builder = copy_of(first);
  set(builder, "soft.block.young", (double[]){5e4});
  set(builder, "soft.block.poisson", (double[]){0.4});
  carom_model_destroy(first);
  expect_same_motion(compile(builder), wanted, 20);
}

/* A body that gives no mass has that of its geometries; one number of the three leaves the others.
 */
static void test_mass_from_geometries(void** state) {
  (void)state;
  carom_model* model = scene_load(SCENE("<body name='a'><freejoint/><geom name='g' type='box' "
                                        "size='.1 .2 .3' pos='.1 0 0' density='500'/></body>"));
  carom_builder* builder = copy_of(model);
  double mass, com[3], inertia[6];
  carom_body_info before = carom_model_get_body(model, 1);
  get(builder, "body.a.mass", &mass), get(builder, "body.a.com", com);
  get(builder, "body.a.inertia", inertia);
  assert_true(mass == before.mass);
  check_near_array(com, before.com, 3, 0), check_near_array(inertia, before.inertia, 6, 0);
  set(builder, "body.a.mass", (double[]){3});
  carom_model* heavy = compile(builder);
  carom_body_info after = carom_model_get_body(heavy, 1);
  assert_true(after.mass == 3);
  check_near_array(after.com, before.com, 3, 0);
  check_near_array(after.inertia, before.inertia, 6, 0);
  carom_model_destroy(heavy);

  /* Through the geometry inertia goes with mass, and mass and density are told last. */
  builder = copy_of(model);
  get(builder, "geom.g.mass", &mass);
  check_near(mass, 500 * 8 * .1 * .2 * .3, 1e-12);
  set(builder, "geom.g.mass", (double[]){2 * mass});
  get(builder, "geom.g.density", &mass);
  assert_true(isnan(mass));
  set(builder, "geom.g.density", (double[]){1500});
  heavy = compile(builder);
  after = carom_model_get_body(heavy, 1);
  check_near(after.mass, 3 * before.mass, 1e-12);
  for (int i = 0; i < 3; i++) check_near(after.inertia[i], 3 * before.inertia[i], 1e-12);
  carom_model_destroy(heavy), carom_model_destroy(model);
}

/* --- What is refused ----------------------------------------------------------------------------
 */

#define EXPECT(status, wanted, sentence)          \
  do {                                            \
    assert_int_equal(status, wanted);             \
    assert_string_equal(error.message, sentence); \
  } while (0)

static void test_names(void** state) {
  (void)state;
  static const struct {
    const char *name, *sentence;
  } CASES[] = {
      {"body.uppre.mass",
       "parameter 'body.uppre.mass': there is no body 'uppre'; the nearest is 'upper'"},
      {"bdoy.box.mass", "parameter 'bdoy.box.mass': there is no kind 'bdoy'; the nearest is "
                        "'body'"},
      {"body.box.mas", "parameter 'body.box.mas': there is no parameter of a body 'mas'; the "
                       "nearest is 'mass'"},
      {"body.box.colour", "parameter 'body.box.colour': there is no parameter of a body 'colour'"},
      {"body.99.mass", "parameter 'body.99.mass': there is no body '99'"},
      {"body.0.mass", "parameter 'body.0.mass': there is no body '0'"},
      {"body.mass", "parameter 'body.mass': must be KIND.NAME.FIELD"},
      {"model.a.gravity", "parameter 'model.a.gravity': must be model.FIELD"},
      {"mass", "parameter 'mass': must be KIND.NAME.FIELD, or model.FIELD"},
      {"", "parameter '': must be KIND.NAME.FIELD, or model.FIELD"},
      {"body.box.com[3]", "parameter 'body.box.com[3]': [ ] is 3, must be less than 3"},
      {"body.box.com[x]", "parameter 'body.box.com[x]': [ ] must hold a number, from 0"},
      {"body.box.com[]", "parameter 'body.box.com[]': [ ] must hold a number, from 0"},
  };
  carom_model* model = scene_load(MACHINE);
  const carom_builder* builder = carom_model_get_description(model);
  carom_parameter p;
  carom_error error;
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
    EXPECT(carom_builder_find_parameter(builder, CASES[i].name, &p, &error), CAROM_ERROR_BAD_INPUT,
           CASES[i].sentence);
  p = find(builder, "body.1.mass");
  assert_string_equal(p.unit, "kg");
  assert_int_equal(find(builder, "body.box.mass").part, p.part);
  carom_model_destroy(model);
}

static void test_values(void** state) {
  (void)state;
  static const struct {
    const char* name;
    double values[6];
    carom_status status;
    const char* sentence;
  } CASES[] = {
      {"body.box.mass",
       {-1},
       CAROM_ERROR_BAD_INPUT,
       "scene.xml:1: body 'box': mass is -1, must be zero or positive"},
      {"body.box.inertia",
       {.01, .01, .03},
       CAROM_ERROR_BAD_INPUT,
       "scene.xml:1: body 'box': inertia has principal moments 0.01, 0.01 and 0.03, the largest "
       "must not exceed the sum of the others (triangle inequality)"},
      {"geom.cube.size[2]",
       {0},
       CAROM_ERROR_BAD_INPUT,
       "scene.xml:1: geom 'cube': size[2] is 0, must be positive"},
      {"geom.floor.condim",
       {3.5},
       CAROM_ERROR_BAD_INPUT,
       "scene.xml:1: geom 'floor': condim is 3.5, must be a whole number"},
      {"geom.floor.condim",
       {5},
       CAROM_ERROR_BAD_INPUT,
       "scene.xml:1: geom 'floor': condim is 5, must be 1, 3, 4 or 6"},
      {"joint.shoulder.limited",
       {2},
       CAROM_ERROR_BAD_INPUT,
       "scene.xml:1: joint 'shoulder': limited is 2, must be 0 or 1"},
      {"joint.shoulder.axis",
       {0, 0, 0},
       CAROM_ERROR_BAD_INPUT,
       "scene.xml:1: joint 'shoulder': axis is 0 0 0, must not be zero"},
      {"joint.shoulder.damping",
       {NAN},
       CAROM_ERROR_BAD_INPUT,
       "scene.xml:1: joint 'shoulder': damping is nan, must be a finite number"},
      {"model.timestep", {0}, CAROM_ERROR_BAD_INPUT, "model: timestep is 0, must be positive"},
  };
  carom_model* model = scene_load(MACHINE);
  carom_builder* builder = copy_of(model);
  carom_error error;
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    carom_parameter p = find(builder, CASES[i].name);
    EXPECT(carom_builder_set_parameter(builder, &p, CASES[i].values, &error), CASES[i].status,
           CASES[i].sentence);
  }
  carom_model* same = compile(builder);
  expect_same_arrays(same, model, "after what was refused");
  carom_model_destroy(same), carom_model_destroy(model);
}

/* A field that another one decides. */
static void test_without_effect(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><compiler settotalmass='5'/><worldbody><body name='a'><joint name='j' axis='0 1 0'"
      " springdamper='.1 1'/><geom size='.1'/></body></worldbody></mujoco>");
  carom_builder* builder = copy_of(model);
  carom_error error;
  carom_parameter p = find(builder, "body.a.mass");
  EXPECT(carom_builder_set_parameter(builder, &p, (double[]){1}, &error), CAROM_ERROR_UNSUPPORTED,
         "scene.xml:1: body 'a': mass cannot be set while all masses are scaled to total_mass, 5 "
         "kg");
  p = find(builder, "joint.j.damping");
  EXPECT(carom_builder_set_parameter(builder, &p, (double[]){1}, &error), CAROM_ERROR_UNSUPPORTED,
         "scene.xml:1: joint 'j': damping cannot be set while it follows from spring_damper, 0.1 "
         "1");
  set(builder, "model.total_mass", (double[]){0});
  set(builder, "body.a.mass", (double[]){1});
  carom_model* changed = compile(builder);
  assert_true(carom_model_get_body(changed, 1).mass == 1);
  carom_model_destroy(changed), carom_model_destroy(model);
}

/* --- Definitions --------------------------------------------------------------------------------
 */

static void test_definitions(void** state) {
  (void)state;
  carom_model* model = scene_load(MACHINE);
  carom_builder* builder = copy_of(model);
  carom_error error;
  carom_body box = carom_model_get_body_handle(model, carom_model_find_body(model, "box"));
  carom_body_def body;
  check_ok(carom_builder_get_body(builder, box, &body, &error), &error);
  assert_string_equal(body.name, "box");
  assert_string_equal(body.source.file, "scene.xml");
  assert_true(body.mass == 1);
  body.mass = 4, body.inertia[0] = .03, body.inertia[1] = .03, body.inertia[2] = .03;
  check_ok(carom_builder_set_body(builder, box, &body, &error), &error);

  carom_tendon_def tendon;
  check_ok(carom_builder_get_tendon(builder, (carom_tendon){1}, &tendon, &error), &error);
  assert_int_equal(tendon.num_points, 2);
  assert_int_equal(tendon.path[1].type, CAROM_PATH_SITE);
  check_ok(carom_builder_set_tendon(builder, (carom_tendon){1}, &tendon, &error), &error);

  /* What others refer to stays, and names. */
  carom_joint_def joint;
  check_ok(carom_builder_get_joint(builder, (carom_joint){3}, &joint, &error), &error);
  assert_string_equal(joint.name, "shoulder");
  joint.type = CAROM_JOINT_BALL;
  EXPECT(carom_builder_set_joint(builder, (carom_joint){3}, &joint, &error),
         CAROM_ERROR_UNSUPPORTED, "scene.xml:1: joint 'shoulder': type cannot be changed");
  joint.type = CAROM_JOINT_HINGE, joint.name = "arm";
  EXPECT(carom_builder_set_joint(builder, (carom_joint){3}, &joint, &error),
         CAROM_ERROR_UNSUPPORTED,
         "scene.xml:1: joint 'shoulder': its name cannot be changed, to 'arm'");
  EXPECT(carom_builder_get_joint(builder, (carom_joint){9}, &joint, &error),
         CAROM_ERROR_INVALID_ARGUMENT, "joint: 9 is none that this builder has");
  EXPECT(carom_builder_get_body(builder, (carom_body){0}, &body, &error),
         CAROM_ERROR_INVALID_ARGUMENT, "body: 0 is none that this builder has");

  /* A free joint may change although it is its body's only one. */
  check_ok(carom_builder_get_joint(builder, (carom_joint){1}, &joint, &error), &error);
  assert_int_equal(joint.type, CAROM_JOINT_FREE);
  joint.armature = .1;
  check_ok(carom_builder_set_joint(builder, (carom_joint){1}, &joint, &error), &error);

  /* And a description grows. */
  carom_geom_def geom = carom_geom_def_default();
  geom.body = box, geom.type = CAROM_GEOM_SPHERE, geom.size[0] = .1;
  check_ok(carom_builder_add_geom(builder, &geom, NULL, &error), &error);
  carom_model* changed = compile(builder);
  assert_true(carom_model_get_body(changed, carom_model_index_of_body(changed, box)).mass == 4);
  assert_int_equal(carom_model_get_sizes(changed).num_geoms,
                   carom_model_get_sizes(model).num_geoms + 1);
  carom_model_destroy(changed), carom_model_destroy(model);
}

/* Handles and indices, where the parts are not added in the model's order. */
static void test_handles(void** state) {
  (void)state;
  carom_builder* builder;
  carom_body parents[2], bodies[2];
  carom_joint joints[4];
  carom_geom geoms[4];
  carom_error error;
  check_ok(carom_builder_create(NULL, &builder, &error), &error);
  for (int i = 0; i < 4; i++) {
    carom_body_def body = carom_body_def_default();
    if (i >= 2) body.parent = parents[i - 2];
    carom_body* to = i < 2 ? &parents[i] : &bodies[i - 2];
    check_ok(carom_builder_add_body(builder, &body, to, &error), &error);
    carom_joint_def joint = carom_joint_def_default();
    joint.body = *to, joint.axis[0] = 1, joint.pitch = i;
    check_ok(carom_builder_add_joint(builder, &joint, &joints[i], &error), &error);
    carom_geom_def geom = carom_geom_def_default();
    geom.body = *to, geom.size[0] = 1 + i;
    check_ok(carom_builder_add_geom(builder, &geom, &geoms[i], &error), &error);
  }
  carom_model* model = compile(builder);
  assert_int_equal(carom_model_index_of_body(model, parents[1]), 3); /* behind the first's child */
  for (int i = 0; i < 4; i++) {
    int joint = carom_model_index_of_joint(model, joints[i]);
    int geom = carom_model_index_of_geom(model, geoms[i]);
    assert_true(carom_model_get_joint(model, joint).pitch == i);
    assert_true(carom_model_get_geom(model, geom).size[0] == 1 + i);
    assert_int_equal(carom_model_get_joint_handle(model, joint).id, joints[i].id);
    assert_int_equal(carom_model_get_geom_handle(model, geom).id, geoms[i].id);
  }
  for (int i = 0; i < 5; i++)
    assert_int_equal(carom_model_index_of_body(model, carom_model_get_body_handle(model, i)), i);
  assert_int_equal(carom_model_index_of_body(model, (carom_body){5}), -1);
  assert_int_equal(carom_model_index_of_joint(model, (carom_joint){0}), -1);
  assert_int_equal(carom_model_index_of_geom(model, (carom_geom){5}), -1);
  carom_model_destroy(model);
}

/* Meshes are shared by copies, and live as long as any of them. */
static void test_shared_meshes(void** state) {
  (void)state;
  carom_model* first =
      scene_load("<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"
                 "<hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody>"
                 "<geom type='hfield' hfield='h'/>"
                 "<body pos='0 0 1'><freejoint/><geom name='g' type='mesh' mesh='m'/></body>"
                 "</worldbody></mujoco>");
  const cr_hull* hull = first->geom.shape[1].hull;
  const double* vertices = carom_model_get_mesh(first, 0).vertices;
  carom_builder* builder = copy_of(first);
  carom_model_destroy(first);
  set(builder, "geom.g.friction", (double[]){.25});
  carom_model* second = compile(builder);
  assert_ptr_equal(second->geom.shape[1].hull, hull);
  assert_ptr_equal(carom_model_get_mesh(second, 0).vertices, vertices);
  world w = world_create_from(second, NULL);
  world_run(&w, 200);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_from_text),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_soft_as_from_text),
      cmocka_unit_test(test_mass_from_geometries),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_without_effect),
      cmocka_unit_test(test_definitions),
      cmocka_unit_test(test_handles),
      cmocka_unit_test(test_shared_meshes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
