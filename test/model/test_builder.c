/* The builder: every field of every definition is checked as it is added, with its sentence. */
#include "support/check.h"

#include "carom/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static carom_builder* builder;
static carom_body moving; /* body 1, on a hinge (joint 1) and with a ball (geom 1) */
static carom_joint hinge, free_joint, ball_joint;
static carom_geom ball, other;

static int set_up(void** state) {
  (void)state;
  carom_error error;
  check_ok(carom_builder_create(NULL, &builder, &error), &error);
  carom_body_def body = carom_body_def_default();
  body.name = "b";
  check_ok(carom_builder_add_body(builder, &body, &moving, &error), &error);
  carom_joint_def joint = carom_joint_def_default();
  joint.axis[2] = 1;
  joint.body = moving;
  joint.name = "j";
  check_ok(carom_builder_add_joint(builder, &joint, &hinge, &error), &error);
  carom_geom_def geom = carom_geom_def_default();
  geom.body = moving;
  geom.name = "g";
  geom.size[0] = 1;
  check_ok(carom_builder_add_geom(builder, &geom, &ball, &error), &error);
  geom.name = NULL;
  geom.body = (carom_body){0};
  check_ok(carom_builder_add_geom(builder, &geom, &other, &error), &error);
  body.name = "free";
  check_ok(carom_builder_add_body(builder, &body, &joint.body, &error), &error);
  joint.name = "f";
  joint.type = CAROM_JOINT_FREE;
  check_ok(carom_builder_add_joint(builder, &joint, &free_joint, &error), &error);
  body.name = "ball";
  check_ok(carom_builder_add_body(builder, &body, &joint.body, &error), &error);
  joint.name = "q";
  joint.type = CAROM_JOINT_BALL;
  check_ok(carom_builder_add_joint(builder, &joint, &ball_joint, &error), &error);
  return 0;
}

static int tear_down(void** state) {
  (void)state;
  carom_builder_destroy(builder);
  return 0;
}

static void check_refusal(carom_status status, const carom_error* error, const char* message,
                          int line) {
  if (status == CAROM_ERROR_BAD_INPUT && strcmp(error->message, message) == 0) return;
  print_error("status %d\n  actual: %s\nexpected: %s\n", (int)status, error->message, message);
  _fail(__FILE__, line);
}

/* Adds a definition of `kind` named 'x' with one change, and expects this sentence. */
#define REFUSE(kind, change, message)                                       \
  do {                                                                      \
    carom_error refusal = {0};                                              \
    carom_##kind##_def def = make_##kind();                                 \
    change;                                                                 \
    check_refusal(add_##kind(&def, &refusal), &refusal, message, __LINE__); \
  } while (0)

static carom_body_def make_body(void) {
  carom_body_def def = carom_body_def_default();
  def.name = "x";
  return def;
}

static carom_status add_body(const carom_body_def* def, carom_error* error) {
  return carom_builder_add_body(builder, def, NULL, error);
}

static void test_body(void** state) {
  (void)state;
  REFUSE(body, def.parent.id = 9, "body 'x': parent is handle 9, which this builder did not give");
  REFUSE(body, def.parent.id = -1,
         "body 'x': parent is handle -1, which this builder did not give");
  REFUSE(body, def.position[1] = NAN, "body 'x': position[1] is nan, must be a finite number");
  REFUSE(body, def.position[2] = INFINITY, "body 'x': position[2] is inf, must be a finite number");
  REFUSE(body, def.quaternion[0] = 0, "body 'x': quaternion is 0 0 0 0, must not be zero");
  REFUSE(body, def.quaternion[3] = NAN, "body 'x': quaternion[3] is nan, must be a finite number");
  REFUSE(body, def.mass = -1, "body 'x': mass is -1, must be zero or positive");
  REFUSE(body, def.mass = INFINITY, "body 'x': mass is inf, must be a finite number");
  REFUSE(body, (def.mass = 1, def.com[0] = NAN),
         "body 'x': com[0] is nan, must be a finite number");
  REFUSE(body, (def.mass = 1, def.inertia[5] = NAN),
         "body 'x': inertia[5] is nan, must be a finite number");
  REFUSE(body, (def.mass = 1, def.inertia[0] = -1),
         "body 'x': inertia has the principal moment -1, must not be negative");
  REFUSE(
      body, (def.mass = 1, def.inertia[0] = 2),
      "body 'x': inertia has principal moments 0, 0 and 2, the largest must not exceed the sum of "
      "the others (triangle inequality)");
  REFUSE(body, def.name = "b", "body 'b': the name is used twice");
  REFUSE(body, def.name = "world", "body 'world': the name is used twice");
  REFUSE(body, (def.name = NULL, def.mass = -1), "body 4: mass is -1, must be zero or positive");
  REFUSE(body, (def.source.line = 7, def.mass = -1),
         "line 7: body 'x': mass is -1, must be zero or positive");
  REFUSE(body, (def.source.file = "a.x", def.mass = -1),
         "a.x: body 'x': mass is -1, must be zero or positive");
  REFUSE(body, (def.source = (carom_source){"a.x", 3}, def.name = "", def.mass = -1),
         "a.x:3: body: mass is -1, must be zero or positive");
}

static carom_joint_def make_joint(void) {
  carom_joint_def def = carom_joint_def_default();
  def.axis[2] = 1;
  def.name = "x";
  def.body = moving;
  return def;
}

static carom_status add_joint(const carom_joint_def* def, carom_error* error) {
  return carom_builder_add_joint(builder, def, NULL, error);
}

static void test_joint(void** state) {
  (void)state;
  REFUSE(joint, def.body.id = 0, "joint 'x': body is missing");
  REFUSE(joint, def.body.id = 8, "joint 'x': body is handle 8, which this builder did not give");
  REFUSE(joint, def.type = (carom_joint_type)7, "joint 'x': type is 7, must be between 0 and 3");
  REFUSE(joint, def.anchor[0] = NAN, "joint 'x': anchor[0] is nan, must be a finite number");
  REFUSE(joint, def.axis[2] = 0, "joint 'x': axis is 0 0 0, must not be zero");
  REFUSE(joint, def.axis[2] = NAN, "joint 'x': axis[2] is nan, must be a finite number");
  REFUSE(joint, def.reference = NAN, "joint 'x': reference is nan, must be a finite number");
  REFUSE(joint, def.limited = true,
         "joint 'x': range is 0 0, its first number must be smaller than its second");
  REFUSE(joint, (def.limited = true, def.range[1] = INFINITY),
         "joint 'x': range[1] is inf, must be a finite number");
  REFUSE(joint,
         (def.limited = true, def.type = CAROM_JOINT_BALL, def.range[0] = -1, def.range[1] = 1),
         "joint 'x': range[0] is -1, must be 0 for a ball joint");
  REFUSE(joint, def.limit_margin = -1, "joint 'x': limit_margin is -1, must be zero or positive");
  REFUSE(joint, def.limit_stiffness = 0,
         "joint 'x': limit_stiffness is 0, must be positive or infinite");
  REFUSE(joint, def.limit_stiffness = NAN,
         "joint 'x': limit_stiffness is nan, must be positive or infinite");
  REFUSE(joint, def.limit_dissipation = -1,
         "joint 'x': limit_dissipation is -1, must be zero or positive");
  REFUSE(joint, def.stiffness = -1, "joint 'x': stiffness is -1, must be zero or positive");
  REFUSE(joint, def.spring_reference = INFINITY,
         "joint 'x': spring_reference is inf, must be a finite number");
  REFUSE(joint, def.damping = -1, "joint 'x': damping is -1, must be zero or positive");
  REFUSE(joint, def.armature = -1, "joint 'x': armature is -1, must be zero or positive");
  REFUSE(joint, def.friction_loss = -1, "joint 'x': friction_loss is -1, must be zero or positive");
  REFUSE(joint, def.type = CAROM_JOINT_FREE,
         "joint 'x': a free joint must be the only joint of its body");
  REFUSE(joint, def.body.id = 2, "joint 'x': a free joint must be the only joint of its body");
  REFUSE(joint, def.name = "j", "joint 'j': the name is used twice");
  carom_error error;
  carom_body fresh;
  carom_body_def body = make_body();
  check_ok(carom_builder_add_body(builder, &body, &fresh, &error), &error);
  REFUSE(joint, (def.body = fresh, def.type = CAROM_JOINT_FREE, def.limited = true),
         "joint 'x': a free joint cannot be limited");
}

static carom_geom_def make_geom(void) {
  carom_geom_def def = carom_geom_def_default();
  def.name = "x";
  def.size[0] = def.size[1] = def.size[2] = 1;
  return def;
}

static carom_status add_geom(const carom_geom_def* def, carom_error* error) {
  return carom_builder_add_geom(builder, def, NULL, error);
}

static void test_geom(void** state) {
  (void)state;
  REFUSE(geom, def.body.id = 8, "geom 'x': body is handle 8, which this builder did not give");
  REFUSE(geom, def.type = (carom_geom_type)9, "geom 'x': type is 9, must be between 0 and 7");
  REFUSE(geom, def.size[0] = -0.1, "geom 'x': size is -0.1, must be positive");
  REFUSE(geom, (def.type = CAROM_GEOM_CAPSULE, def.size[1] = 0),
         "geom 'x': size[1] is 0, must be positive");
  REFUSE(geom, (def.type = CAROM_GEOM_CYLINDER, def.size[0] = NAN),
         "geom 'x': size[0] is nan, must be a finite number");
  REFUSE(geom, (def.type = CAROM_GEOM_BOX, def.size[2] = -1),
         "geom 'x': size[2] is -1, must be positive");
  REFUSE(geom, (def.type = CAROM_GEOM_PLANE, def.size[0] = INFINITY),
         "geom 'x': size[0] is inf, must be a finite number");
  REFUSE(geom, def.position[0] = NAN, "geom 'x': position[0] is nan, must be a finite number");
  REFUSE(geom, def.quaternion[0] = 0, "geom 'x': quaternion is 0 0 0 0, must not be zero");
  REFUSE(geom, def.mass = -1, "geom 'x': mass is -1, must be zero or positive");
  REFUSE(geom, def.density = -1, "geom 'x': density is -1, must be zero or positive");
  REFUSE(geom, def.size[0] = 1e200,
         "geom 'x': mass is inf and its largest moment inf, must be finite numbers");
  REFUSE(geom, def.condim = 2, "geom 'x': condim is 2, must be 1, 3, 4 or 6");
  REFUSE(geom, def.surface.rolling_friction = -1,
         "geom 'x': rolling_friction is -1, must be zero or positive");
  REFUSE(geom, def.surface.restitution = 1.5, "geom 'x': restitution is 1.5, must be at most 1");
  REFUSE(geom, def.surface.static_friction = 0.5,
         "geom 'x': static_friction is 0.5, must not be below friction, 1");
  REFUSE(geom, def.friction = -1, "geom 'x': friction is -1, must be zero or positive");
  REFUSE(geom, def.margin = -1, "geom 'x': margin is -1, must be zero or positive");
  REFUSE(geom, def.gap = NAN, "geom 'x': gap is nan, must be a finite number");
  REFUSE(geom, def.stiffness = -1, "geom 'x': stiffness is -1, must be positive or infinite");
  REFUSE(geom, def.dissipation = -1, "geom 'x': dissipation is -1, must be zero or positive");
  REFUSE(geom, def.rgba[3] = NAN, "geom 'x': rgba[3] is nan, must be a finite number");
  REFUSE(geom, def.name = "g", "geom 'g': the name is used twice");
}

static carom_site_def make_site(void) {
  carom_site_def def = carom_site_def_default();
  def.name = "x";
  return def;
}

static carom_status add_site(const carom_site_def* def, carom_error* error) {
  return carom_builder_add_site(builder, def, NULL, error);
}

static void test_site(void** state) {
  (void)state;
  carom_error error;
  carom_site first = {0}, second = {0};
  REFUSE(site, def.body = (carom_body){9},
         "site 'x': body is handle 9, which this builder did not give");
  REFUSE(site, def.position[1] = NAN, "site 'x': position[1] is nan, must be a finite number");
  REFUSE(site, def.quaternion[0] = 0, "site 'x': quaternion is 0 0 0 0, must not be zero");
  REFUSE(site, def.size[0] = 0, "site 'x': size is 0, must be positive");
  REFUSE(site, (def.type = CAROM_GEOM_BOX, def.size[2] = -1),
         "site 'x': size[2] is -1, must be positive");
  REFUSE(site, def.type = CAROM_GEOM_PLANE, "site 'x': type is 0, must be between 1 and 5");
  carom_site_def own = make_site();
  own.name = "s";
  own.body = moving;
  check_ok(carom_builder_add_site(builder, &own, &first, &error), &error);
  REFUSE(site, def.name = "s", "site 's': the name is used twice");
  own.name = NULL;
  check_ok(carom_builder_add_site(builder, &own, &second, &error), &error);
  assert_int_equal(first.id, 1);
  assert_int_equal(second.id, 2);
}

static carom_pair_def make_pair(void) {
  carom_pair_def def = carom_pair_def_default();
  def.geom1 = ball;
  def.geom2 = other;
  return def;
}

static carom_status add_pair(const carom_pair_def* def, carom_error* error) {
  return carom_builder_add_pair(builder, def, error);
}

static void test_pair(void** state) {
  (void)state;
  REFUSE(pair, def.geom1.id = 0, "pair 1: geom1 is missing");
  REFUSE(pair, def.geom2.id = 9, "pair 1: geom2 is handle 9, which this builder did not give");
  REFUSE(pair, def.geom2 = def.geom1, "pair 1: geom1 and geom2 are the same");
  REFUSE(pair, def.condim = 5, "pair 1: condim is 5, must be 0, 1, 3, 4 or 6");
  REFUSE(pair, def.friction = -1, "pair 1: friction is -1, must be zero or positive");
  REFUSE(pair, def.margin = -1, "pair 1: margin is -1, must be zero or positive");
  REFUSE(pair, def.gap = INFINITY, "pair 1: gap is inf, must be a finite number");
  REFUSE(pair, def.stiffness = 0, "pair 1: stiffness is 0, must be positive or infinite");
  REFUSE(pair, def.dissipation = -1, "pair 1: dissipation is -1, must be zero or positive");
  carom_error error;
  check_refusal(carom_builder_add_exclude(builder, moving, (carom_body){9}, &error), &error,
                "exclude 1: body2 is handle 9, which this builder did not give", __LINE__);
}

static carom_spring_def make_spring(void) {
  carom_spring_def def = carom_spring_def_default();
  def.body1 = moving;
  return def;
}

static carom_status add_spring(const carom_spring_def* def, carom_error* error) {
  return carom_builder_add_spring(builder, def, error);
}

static void test_spring(void** state) {
  (void)state;
  REFUSE(spring, def.body1.id = -3,
         "spring 1: body1 is handle -3, which this builder did not give");
  REFUSE(spring, def.body2.id = 9, "spring 1: body2 is handle 9, which this builder did not give");
  REFUSE(spring, def.point1[0] = NAN, "spring 1: point1[0] is nan, must be a finite number");
  REFUSE(spring, def.point2[1] = NAN, "spring 1: point2[1] is nan, must be a finite number");
  REFUSE(spring, def.stiffness = -1, "spring 1: stiffness is -1, must be zero or positive");
  REFUSE(spring, def.damping = -1, "spring 1: damping is -1, must be zero or positive");
  REFUSE(spring, def.rest_length = -1, "spring 1: rest_length is -1, must be zero or positive");
}

static carom_actuator_def make_actuator(void) {
  carom_actuator_def def = carom_actuator_def_default();
  def.name = "x";
  def.joint = hinge;
  return def;
}

static carom_status add_actuator(const carom_actuator_def* def, carom_error* error) {
  return carom_builder_add_actuator(builder, def, NULL, error);
}

static void test_actuator(void** state) {
  (void)state;
  REFUSE(actuator, def.joint.id = 0,
         "actuator 'x': no joint, tendon, site, slider_site or body is given");
  REFUSE(actuator, def.joint.id = 1000,
         "actuator 'x': joint is handle 1000, which this builder did "
         "not give");
  REFUSE(actuator, def.gear = NAN, "actuator 'x': gear is nan, must be a finite number");
  REFUSE(actuator, def.gain = NAN, "actuator 'x': gain is nan, must be a finite number");
  REFUSE(actuator, def.bias[2] = NAN, "actuator 'x': bias[2] is nan, must be a finite number");
  REFUSE(actuator, def.damping_ratio = -1,
         "actuator 'x': damping_ratio is -1, must be zero or positive");
  REFUSE(actuator, (def.damping_ratio = 1, def.gear = 0),
         "actuator 'x': damping_ratio needs a gear that is not 0 and a gain that is not negative; "
         "they are 0 and 1");
  REFUSE(actuator, def.control_limited = true,
         "actuator 'x': control_range is 0 0, its first number must be smaller than its second");
  REFUSE(actuator, (def.force_limited = true, def.force_range[1] = INFINITY),
         "actuator 'x': force_range[1] is inf, must be a finite number");
}

static carom_equality_def make_equality(void) {
  carom_equality_def def = carom_equality_def_default();
  def.name = "x";
  def.body1 = moving;
  def.joint1 = hinge;
  return def;
}

static carom_status add_equality(const carom_equality_def* def, carom_error* error) {
  return carom_builder_add_equality(builder, def, NULL, error);
}

static void test_equality(void** state) {
  (void)state;
  REFUSE(equality, def.type = (carom_equality_type)5,
         "equality 'x': type is 5, must be between 0 and 4");
  REFUSE(equality, def.body1.id = 9,
         "equality 'x': body1 is handle 9, which this builder did not give");
  REFUSE(equality, def.body2 = def.body1, "equality 'x': body1 and body2 are the same");
  REFUSE(equality, def.anchor1[0] = NAN,
         "equality 'x': anchor1[0] is nan, must be a finite number");
  REFUSE(equality, (def.anchor2[0] = 0, def.anchor2[1] = NAN),
         "equality 'x': anchor2[1] is nan, must be a finite number");
  REFUSE(equality, (def.type = CAROM_EQUALITY_WELD, def.relative_position[0] = 0),
         "equality 'x': relative_position[1] is nan, must be a finite number");
  REFUSE(equality, (def.type = CAROM_EQUALITY_WELD, def.relative_quaternion[0] = 0),
         "equality 'x': relative_quaternion is 0 0 0 0, must not be zero");
  REFUSE(equality, (def.type = CAROM_EQUALITY_JOINT, def.joint1.id = 0),
         "equality 'x': joint1 is missing");
  REFUSE(equality, (def.type = CAROM_EQUALITY_JOINT, def.joint2 = hinge),
         "equality 'x': joint1 and joint2 are the same");
  REFUSE(equality, (def.type = CAROM_EQUALITY_JOINT, def.joint2 = ball_joint),
         "equality 'x': joint2 is a ball joint, must be a hinge or a slide");
  REFUSE(equality, (def.type = CAROM_EQUALITY_JOINT, def.polynomial[4] = NAN),
         "equality 'x': polynomial[4] is nan, must be a finite number");
  REFUSE(equality, def.stiffness = NAN,
         "equality 'x': stiffness is nan, must be positive or infinite");
  REFUSE(equality, def.dissipation = -1,
         "equality 'x': dissipation is -1, must be zero or positive");
}

static carom_keyframe_def make_keyframe(void) {
  carom_keyframe_def def = carom_keyframe_def_default();
  def.name = "x";
  return def;
}

static carom_status add_keyframe(const carom_keyframe_def* def, carom_error* error) {
  return carom_builder_add_keyframe(builder, def, error);
}

static void test_keyframe(void** state) {
  (void)state;
  static const double numbers[] = {0, NAN};
  REFUSE(keyframe, def.time = NAN, "keyframe 'x': time is nan, must be a finite number");
  REFUSE(keyframe, (def.q = numbers, def.num_q = 2),
         "keyframe 'x': q[1] is nan, must be a finite number");
  REFUSE(keyframe, (def.v = numbers, def.num_v = -1),
         "keyframe 'x': num_v is -1, must not be negative");
  REFUSE(keyframe, (def.ctrl = numbers + 1, def.num_ctrl = 1),
         "keyframe 'x': ctrl is nan, must be a finite number");
}

static carom_builder_def make_builder(void) { return carom_builder_def_default(); }

static carom_status add_builder(const carom_builder_def* def, carom_error* error) {
  carom_builder* made;
  carom_status status = carom_builder_create(def, &made, error);
  assert_true((made == NULL) == (status != CAROM_OK));
  carom_builder_destroy(made);
  return status;
}

static void test_options(void** state) {
  (void)state;
  REFUSE(builder, def.gravity[2] = NAN, "model: gravity[2] is nan, must be a finite number");
  REFUSE(builder, def.timestep = 0, "model: timestep is 0, must be positive");
  REFUSE(builder, (def.name = "m", def.timestep = -1),
         "model 'm': timestep is -1, must be positive");
  REFUSE(builder, def.inertia_source = (carom_inertia_source)5,
         "model: inertia_source is 5, must be between 0 and 2");
  REFUSE(builder, def.total_mass = -1, "model: total_mass is -1, must be zero or positive");
  REFUSE(builder, def.minimum_mass = -1, "model: minimum_mass is -1, must be zero or positive");
  REFUSE(builder, def.minimum_inertia = NAN,
         "model: minimum_inertia is nan, must be a finite number");
  REFUSE(builder, def.contact_stiffness = 0,
         "model: contact_stiffness is 0, must be positive or infinite");
  REFUSE(builder, def.contact_dissipation = -1,
         "model: contact_dissipation is -1, must be zero or positive");
  REFUSE(builder, def.patches = CAROM_PATCHES_AUTO, "model: patches is 2, must be between 0 and 1");
  REFUSE(builder, def.patch_error = 0, "model: patch_error is 0, must be positive");
}

/* A definition that its default function did not make is refused before anything of it is read. */
#define EXPECT_COOKIE(kind, call)                                                                \
  do {                                                                                           \
    carom_error error;                                                                           \
    carom_##kind##_def def;                                                                      \
    memset(&def, 0xab, sizeof def);                                                              \
    assert_int_equal(call, CAROM_ERROR_INVALID_ARGUMENT);                                        \
    assert_string_equal(error.message,                                                           \
                        #kind ": the definition was not made by carom_" #kind "_def_default()"); \
  } while (0)

static void test_cookies(void** state) {
  (void)state;
  EXPECT_COOKIE(body, add_body(&def, &error));
  EXPECT_COOKIE(joint, add_joint(&def, &error));
  EXPECT_COOKIE(geom, add_geom(&def, &error));
  EXPECT_COOKIE(site, add_site(&def, &error));
  EXPECT_COOKIE(pair, add_pair(&def, &error));
  EXPECT_COOKIE(spring, add_spring(&def, &error));
  EXPECT_COOKIE(actuator, add_actuator(&def, &error));
  EXPECT_COOKIE(equality, add_equality(&def, &error));
  EXPECT_COOKIE(keyframe, add_keyframe(&def, &error));
  carom_error error;
  carom_body_def body = carom_body_def_default();
  char sentence[200];
  body.cookie += 8;
  snprintf(sentence, sizeof sentence,
           "body: the program's carom_body_def has %zu bytes, the library's %zu: they are of "
           "different versions",
           sizeof body + 8, sizeof body);
  assert_int_equal(add_body(&body, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, sentence);
  carom_builder_def def = {0};
  carom_builder* made;
  assert_int_equal(carom_builder_create(&def, &made, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "model: the definition was not made by carom_builder_def_default()");
}

static void test_nulls(void** state) {
  (void)state;
  carom_error error;
  carom_model* model;
  assert_int_equal(add_body(NULL, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "body: the definition is null");
  carom_joint_def joint = carom_joint_def_default();
  joint.axis[2] = 1;
  assert_int_equal(carom_builder_add_joint(NULL, &joint, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "joint: the builder is null");
  assert_int_equal(carom_builder_add_note(builder, CAROM_NOTE_IGNORED, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_builder_compile(NULL, &model, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_builder_compile(builder, NULL, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_builder_create(NULL, NULL, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(add_body(NULL, NULL), CAROM_ERROR_INVALID_ARGUMENT);
  carom_builder_destroy(NULL);
}

/* A refused part leaves nothing behind: its name is free, and the next handle follows. */
static void test_atomicity(void** state) {
  (void)state;
  carom_error error;
  carom_body body;
  carom_body_def def = make_body();
  def.mass = -1;
  assert_int_equal(add_body(&def, &error), CAROM_ERROR_BAD_INPUT);
  def.mass = 1;
  check_ok(carom_builder_add_body(builder, &def, &body, &error), &error);
  assert_int_equal(body.id, 4);
  assert_string_equal(error.message, "");
  /* Names are unique within their kind only. */
  carom_geom_def geom = make_geom();
  check_ok(carom_builder_add_geom(builder, &geom, NULL, &error), &error);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(test_body),      TEST(test_joint),   TEST(test_geom),     TEST(test_site),
      TEST(test_pair),      TEST(test_spring),  TEST(test_actuator), TEST(test_equality),
      TEST(test_keyframe),  TEST(test_options), TEST(test_cookies),  TEST(test_nulls),
      TEST(test_atomicity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
