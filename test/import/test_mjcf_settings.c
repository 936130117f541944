/* Sections that hold for the whole model: compiler, option, default, custom. */
#include "support/scene.h"

#include "carom/scene.h"
#include "carom/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* `settings`, then a body of one ball of 4.18879 kg on a hinge. */
#define WITH(settings) \
  "<mujoco>" settings "<worldbody><body name='b'><joint/>" BALL "</body></worldbody></mujoco>"
#define BALL_MASS (4.0 / 3 * 3.14159265358979323846)

static carom_body_info load_body(const char* text) {
  carom_model* model = scene_load(text);
  carom_body_info body = carom_model_get_body(model, 1);
  carom_model_destroy(model);
  return body;
}

static void test_masses(void** state) {
  (void)state;
  carom_body_info body = load_body(WITH(""));
  check_near(body.mass, BALL_MASS, 1e-14);
  check_near(body.inertia[0], 0.004 * BALL_MASS, 1e-15);
  body = load_body(WITH("<compiler settotalmass='14'/>"));
  check_near(body.mass, 14, 1e-14);
  check_near(body.inertia[1], 0.056, 1e-15);
  body = load_body(WITH("<compiler settotalmass='-1'/>"));
  check_near(body.mass, BALL_MASS, 1e-14);
  body = load_body(WITH("<compiler boundmass='14' boundinertia='3'/>"));
  check_near(body.mass, 14, 0);
  check_near_array(body.inertia, ((double[]){3, 3, 3, 0, 0, 0}), 6, 1e-15);
  body = load_body("<mujoco><compiler balanceinertia='true'/><worldbody><body><joint/><inertial "
                   "mass='1' pos='0 0 0' diaginertia='1 1 4'/></body></worldbody></mujoco>");
  check_near_array(body.inertia, ((double[]){2, 2, 2, 0, 0, 0}), 6, 1e-15);
}

#define GIVEN "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"

static void test_inertia_sources(void** state) {
  (void)state;
#define BODY "<worldbody><body><joint/>" GIVEN BALL "</body></worldbody></mujoco>"
  check_near(load_body("<mujoco>" BODY).mass, 1, 0);
  check_near(load_body("<mujoco><compiler inertiafromgeom='true'/>" BODY).mass, BALL_MASS, 1e-14);
  check_near(load_body("<mujoco><compiler inertiafromgeom='false'/>" BODY).mass, 1, 0);
  check_near(load_body("<mujoco><compiler inertiagrouprange='0 2'/><worldbody><body><joint/>" BALL
                       "<geom size='1' group='3'/></body></worldbody></mujoco>")
                 .mass,
             BALL_MASS, 1e-14);
}

static void test_options(void** state) {
  (void)state;
  carom_model* model = scene_load("<mujoco model='m'><option timestep='0.01' gravity='1 2 3'/>"
                                  "<worldbody>" BALL "</worldbody></mujoco>");
  double gravity[3];
  carom_model_get_gravity(model, gravity);
  check_near_array(gravity, ((double[]){1, 2, 3}), 3, 0);
  check_near(carom_model_get_timestep(model), 0.01, 0);
  assert_string_equal(carom_model_get_name(model), "m");
  carom_model_destroy(model);
  model = scene_load(SCENE(BALL));
  carom_model_get_gravity(model, gravity);
  check_near_array(gravity, ((double[]){0, 0, -9.81}), 3, 0);
  check_near(carom_model_get_timestep(model), 0.002, 0);
  carom_model_destroy(model);
}

/* Everything that a flag can switch off. */
#define SWITCHED(flag)                                                                          \
  "<mujoco><option><flag " flag "='disable'/></option><worldbody><geom type='plane' name='p'/>" \
  "<body name='b'><joint name='j' range='-1 1' stiffness='1' damping='2' frictionloss='3'/>"    \
  "<geom size='1' name='g'/></body></worldbody><contact><pair geom1='p' geom2='g'/></contact>"  \
  "<equality><joint joint1='j'/></equality><actuator><motor joint='j' ctrlrange='-1 1'/>"       \
  "</actuator></mujoco>"

static void test_flags(void** state) {
  (void)state;
  carom_model* model = scene_load(SWITCHED("gravity"));
  check_near_array(model->force.gravity, ((double[]){0, 0, 0}), 3, 0);
  assert_true(model->geom.num_pairs == 1 && model->equality.active[0] == 1);
  assert_true(model->limit.joint_limited[0] && model->force.control_range[1] == 1);
  carom_model_destroy(model);
  model = scene_load(SWITCHED("contact"));
  assert_true(model->geom.num_pairs == 0 && model->geom.contype[0] == 0);
  assert_true(model->geom.conaffinity[1] == 0 && model->limit.joint_limited[0]);
  carom_model_destroy(model);
  model = scene_load(SWITCHED("constraint"));
  assert_true(model->geom.num_pairs == 0 && !model->equality.active[0]);
  assert_true(!model->limit.joint_limited[0] && model->limit.dof_friction_loss[0] == 0);
  assert_true(model->force.joint_stiffness[0] == 1);
  carom_model_destroy(model);
  model = scene_load(SWITCHED("limit"));
  assert_true(!model->limit.joint_limited[0] && model->limit.dof_friction_loss[0] == 3);
  carom_model_destroy(model);
  model = scene_load(SWITCHED("frictionloss"));
  assert_true(model->limit.dof_friction_loss[0] == 0 && model->equality.active[0]);
  carom_model_destroy(model);
  model = scene_load(SWITCHED("equality"));
  assert_true(!model->equality.active[0] && model->limit.joint_limited[0]);
  carom_model_destroy(model);
  model = scene_load(SWITCHED("spring"));
  assert_true(model->force.joint_stiffness[0] == 0 && model->force.dof_damping[0] == 2);
  carom_model_destroy(model);
  model = scene_load(SWITCHED("damper"));
  assert_true(model->force.joint_stiffness[0] == 1 && model->force.dof_damping[0] == 0);
  carom_model_destroy(model);
  model = scene_load(SWITCHED("clampctrl"));
  assert_true(isinf(model->force.control_range[1]));
  carom_model_destroy(model);
}

/* Contacts that count in a scene at its reference configuration. */
static int count_contacts(const carom_model* model) {
  carom_sim_def def = carom_sim_def_default();
  carom_sim* sim;
  carom_error error;
  const carom_contact* contacts;
  int count;
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  check_ok(carom_sim_compute_contacts(sim, &contacts, &count, &error), &error);
  carom_sim_destroy(sim);
  return count;
}

/* Parents collide where the filter is off: with what MuJoCo 4.0 lets them, also what is welded to
 * their children. */
static void test_filter_parent(void** state) {
  (void)state;
  for (int off = 0; off < 2; off++) {
    char text[500];
    snprintf(text, sizeof text,
             "<mujoco><option><flag filterparent='%s'/></option><worldbody><body><joint/>" BALL
             "<body pos='.15 0 0'><joint axis='0 1 0'/>" BALL "<body pos='.01 0 0'>" BALL
             "</body></body></body></worldbody></mujoco>",
             off ? "disable" : "enable");
    carom_model* model = scene_load(text);
    assert_int_equal(count_contacts(model), off ? 2 : 0);
    carom_model_destroy(model);
  }
}

/* All contacts have one margin and friction where they are overridden, those of pairs too. */
static void test_override(void** state) {
  (void)state;
  for (int on = 0; on < 2; on++) {
    char text[700];
    snprintf(text, sizeof text,
             "<mujoco><option o_margin='.15' o_friction='.7 .7 .1 .2 .2'><flag override='%s'/>"
             "</option><worldbody><geom type='plane' size='1 1 1' name='p' friction='.3' "
             "margin='.1'/><body pos='0 0 .2'><freejoint/><geom name='b' size='.1' margin='.2'/>"
             "</body></worldbody><contact><pair geom1='p' geom2='b' margin='.4' friction='.1'/>"
             "</contact></mujoco>",
             on ? "enable" : "disable");
    carom_model* model = scene_load(text);
    const cr_contact_model* contact = &model->contact;
    check_near(model->geom.margin[0] + model->geom.margin[1], on ? 0.15 : 0.3, 1e-15);
    check_near(contact->friction[0], on ? 0.7 : 0.3, 0);
    check_near(contact->surface[1].torsional_friction, on ? 0.1 : 0.005, 0);
    check_near(model->geom.pair_margin[0], on ? 0.15 : 0.4, 0);
    check_near(contact->pair_friction[0], on ? 0.7 : 0.1, 0);
    carom_model_destroy(model);
  }
}

/* A flag of old versions: no spring, no damper, no fluid, nothing bears weight. */
static void test_passive(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><option density='1' viscosity='2'><flag passive='disable'/></option><worldbody>"
      "<body gravcomp='1'><joint stiffness='1' damping='2'/>" BALL "</body></worldbody></mujoco>");
  assert_int_equal(model->body.num_compensated, 0);
  assert_int_equal(model->force.fluid.num_parts, 0);
  assert_true(model->force.joint_stiffness[0] == 0 && model->force.dof_damping[0] == 0);
  carom_model_destroy(model);
}

/* Sections of one name add up; the later one wins where both say something. */
static void test_repeated_sections(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><compiler angle='radian'/><option timestep='0.1' gravity='0 0 -1'/>"
      "<worldbody><body><joint ref='90'/>" BALL "</body></worldbody><option timestep='0.2'/>"
      "<compiler angle='degree'/><worldbody><body><joint ref='180'/>" BALL "</body></worldbody>"
      "</mujoco>");
  const double pi = 3.14159265358979323846;
  check_near_array(carom_model_get_reference(model), ((double[]){pi / 2, pi}), 2, 1e-15);
  check_near(carom_model_get_timestep(model), 0.2, 0);
  check_near(model->force.gravity[2], -1, 0);
  carom_model_destroy(model);
}

/* Classes: what is inherited from where. */
static void test_classes(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><default><default class='a'><geom density='2'/><default class='aa'>"
      "<geom group='3'/></default></default><geom size='0.3' friction='0.5 0.1'/>"
      "<default class='b'><geom size='0.4' rgba='1 1 1 1'/></default></default>"
      "<default><geom size='0.5'/></default>"
      "<worldbody><geom/><geom class='a'/><geom class='aa' friction='0.7'/><geom class='main'/>"
      "<body childclass='b'><geom/><body><geom/><geom class='a'/></body>"
      "<body childclass='aa'><geom/></body></body></worldbody></mujoco>");
  /* The second top-level section changes main, not the classes that were copied from it. */
  const double sizes[] = {0.5, 0.3, 0.3, 0.5, 0.4, 0.4, 0.3, 0.3};
  const double frictions[] = {0.5, 0.5, 0.7, 0.5, 0.5, 0.5, 0.5, 0.5};
  const int groups[] = {0, 0, 3, 0, 0, 0, 0, 3};
  for (int i = 0; i < 8; i++) {
    carom_geom_info geom = carom_model_get_geom(model, i);
    assert_true(geom.size[0] == sizes[i] && geom.group == groups[i]);
    assert_true(geom.friction == frictions[i]);
  }
  carom_model_destroy(model);
}

/* An orientation of the element takes the place of its class's, in whatever form. */
static void test_class_orientations(void** state) {
  (void)state;
  carom_model* model =
      scene_load("<mujoco><default><geom size='1' euler='0 0 90'/></default><worldbody><geom/>"
                 "<geom quat='0 1 0 0'/><geom zaxis='0 0 1'/></worldbody></mujoco>");
  const double s = 0.70710678118654752;
  check_near_array(carom_model_get_geom(model, 0).quaternion, ((double[]){s, 0, 0, s}), 4, 1e-15);
  check_near_array(carom_model_get_geom(model, 1).quaternion, ((double[]){0, 1, 0, 0}), 4, 0);
  check_near_array(carom_model_get_geom(model, 2).quaternion, ((double[]){1, 0, 0, 0}), 4, 0);
  carom_model_destroy(model);
}

/* Compliance from classes, from elements, from <custom>, and the model's own. */
static void test_compliance(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><option carom:contact_stiffness='7' carom:contact_dissipation='0.7'/><custom>"
      "<numeric name='carom.geom.a.b.stiffness' data='3'/><numeric name='other' data='1 2'/>"
      "<numeric name='carom.joint.j.limit_stiffness' data='4'/>"
      "<numeric name='carom.joint.j.limit_dissipation' data='0.4'/>"
      "<numeric name='carom.equality.e.dissipation' data='0.5'/>"
      "<numeric name='carom.pair.p.stiffness' data='inf'/></custom>"
      "<default><default class='c'><geom carom:stiffness='1' carom:dissipation='0.1'/></default>"
      "<equality carom:stiffness='6'/><pair carom:stiffness='8'/></default>"
      "<worldbody><geom name='x' size='1' class='c'/><geom size='1' class='c' carom:stiffness='2'/>"
      "<geom name='a.b' size='1' class='c'/><geom size='1'/>"
      "<body><joint name='j' carom:limit_stiffness='9'/><geom name='y' "
      "size='1'/></body></worldbody>"
      "<contact><pair name='p' geom1='x' geom2='y'/></contact>"
      "<equality><joint name='e' joint1='j'/></equality></mujoco>");
  const double k[] = {1, 2, 3, 7, 7}, tau[] = {0.1, 0.1, 0.1, 0.7, 0.7};
  for (int i = 0; i < 5; i++) {
    carom_geom_info geom = carom_model_get_geom(model, i);
    assert_true(geom.stiffness == k[i] && geom.dissipation == tau[i]);
  }
  assert_true(model->limit.joint_limit_stiffness[0] == 4);
  assert_true(model->limit.joint_limit_dissipation[0] == 0.4);
  assert_true(model->equality.stiffness[0] == 6 && model->equality.dissipation[0] == 0.5);
  assert_true(isinf(model->contact.pair_stiffness[0]));
  carom_model_destroy(model);
}

/* What a file asks for counts where a simulation's options do not say; these go before. */
static void test_patches(void** state) {
  (void)state;
  static const char ASKS[] = "<mujoco><option carom:patches='corners' carom:patch_error='0.02'/>"
                             "<worldbody>" BALL "</worldbody></mujoco>";
  const struct {
    const char* text;
    carom_patches asked, expected;
    double asked_error, expected_error;
  } cases[] = {{ASKS, CAROM_PATCHES_AUTO, CAROM_PATCHES_CORNERS, 0, 0.02},
               {ASKS, CAROM_PATCHES_AREA, CAROM_PATCHES_AREA, 0.3, 0.3},
               {SCENE(BALL), CAROM_PATCHES_AUTO, CAROM_PATCHES_AREA, 0, 0.1},
               {SCENE(BALL), CAROM_PATCHES_CORNERS, CAROM_PATCHES_CORNERS, 0, 0.1}};
  for (int i = 0; i < 4; i++) {
    carom_model* model = scene_load(cases[i].text);
    carom_sim_def def = carom_sim_def_default();
    carom_error error;
    carom_sim* sim;
    assert_int_equal(def.patches, CAROM_PATCHES_AUTO);
    def.patches = cases[i].asked, def.patch_error = cases[i].asked_error;
    check_ok(carom_sim_create(model, &def, &sim, &error), &error);
    carom_sim_def resolved = carom_sim_get_options(sim);
    assert_int_equal(resolved.patches, cases[i].expected);
    assert_true(resolved.patch_error == cases[i].expected_error);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
  }
}

static void test_floor(void** state) {
  (void)state;
  carom_load_def def = carom_load_def_default();
  carom_error error;
  carom_model* model;
  def.floor = true;
  const char* text = SCENE("<geom name='floor' size='1'/>");
  check_ok(carom_model_load_string(text, strlen(text), NULL, &def, &model, &error), &error);
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 2);
  assert_true(carom_model_get_geom(model, 1).type == CAROM_GEOM_PLANE);
  scene_expect_note(model, "a floor at z = 0 is added");
  carom_model_destroy(model);
  text =
      SCENE("<body pos='0 0 -1'><freejoint/><body pos='0 0 -.25'><geom size='.5'/></body></body>");
  check_ok(carom_model_load_string(text, strlen(text), NULL, &def, &model, &error), &error);
  check_near(carom_model_get_geom(model, 0).position[2], -1.75, 1e-15);
  scene_expect_note(model, "a floor at z = -1.75 is added, below what would start in it");
  carom_model_destroy(model);
  text = SCENE("<geom type='plane' pos='0 0 1'/>");
  check_ok(carom_model_load_string(text, strlen(text), NULL, &def, &model, &error), &error);
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 1);
  assert_int_equal(carom_model_get_sizes(model).num_notes, 0);
  carom_model_destroy(model);
}

/* The gravity of the call takes the place of the file's, also where the file switches it off. */
static void test_gravity_of_the_call(void** state) {
  (void)state;
  static const double GRAVITY[3] = {1, -2, 3};
  static const char TEXT[] = "<mujoco><option gravity='0 0 -5'><flag gravity='disable'/></option>"
                             "<worldbody>" BALL "</worldbody></mujoco>";
  carom_load_def def = carom_load_def_default();
  carom_error error;
  carom_model* model;
  double gravity[3];
  def.gravity = GRAVITY;
  check_ok(carom_model_load_string(TEXT, strlen(TEXT), NULL, &def, &model, &error), &error);
  carom_model_get_gravity(model, gravity);
  check_near_array(gravity, GRAVITY, 3, 0);
  carom_model_destroy(model);
  def.gravity = (double[]){0, NAN, 0};
  assert_int_equal(carom_model_load_string(TEXT, strlen(TEXT), NULL, &def, &model, &error),
                   CAROM_ERROR_BAD_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_masses),        cmocka_unit_test(test_inertia_sources),
      cmocka_unit_test(test_options),       cmocka_unit_test(test_flags),
      cmocka_unit_test(test_filter_parent), cmocka_unit_test(test_override),
      cmocka_unit_test(test_passive),       cmocka_unit_test(test_repeated_sections),
      cmocka_unit_test(test_classes),       cmocka_unit_test(test_class_orientations),
      cmocka_unit_test(test_compliance),    cmocka_unit_test(test_patches),
      cmocka_unit_test(test_floor),         cmocka_unit_test(test_gravity_of_the_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
