/* What is ignored is said once, with the first line and the number of places. */
#include "support/scene.h"

#include <string.h>

#define RIGID "contact is rigid, or has the stiffness in N/m that carom:stiffness gives"
#define OURS  "the schemes and solvers here are others, with settings of their own"

static void test_notes(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco xmlns:x='y'>\n<option integrator='RK4' cone='elliptic'/><size nkey='1'/>\n"
      "<visual><map znear='1'/></visual>\n<statistic extent='2'/><visual/>\n"
      "<asset><texture name='t'/><mesh name='m'/>\n<material name='a'/><material "
      "name='b'/></asset>\n"
      "<worldbody>text\n<geom size='1' solref='1 1' condim='6'/>\n<geom size='1' solref='1 1'/>"
      "<light/><site name='s'/><camera/>\n<geom type='mesh' mesh='m' contype='0' "
      "conaffinity='0'/>\n"
      "<body mocap='true'/><geom size='1' x:y='1'/></worldbody>\n"
      "<sensor><tactile name='touch' site='s'/>\n<clock noise='1'/></sensor></mujoco>");
  static const char* const NOTES[] = {
      "scene.xml:12: tactile 'touch': left out: sensors of this kind are not supported",
      "scene.xml:13: clock noise: not used: readings have no noise",
      "scene.xml:7: worldbody: not used: text has no meaning here",
      "scene.xml:2: option integrator: not used: " OURS,
      "scene.xml:2: option cone: not used: " OURS,
      "scene.xml:2: size: not used: it is for drawing or for the tools of the format",
      "scene.xml:3: visual: not used: it is for drawing or for the tools of the format (2 places)",
      "scene.xml:4: statistic: not used: it is for drawing or for the tools of the format",
      "scene.xml:5: texture: not used: it is for drawing",
      "scene.xml:6: material: of it, only the colour is used (2 places)",
      "scene.xml:8: geom solref: not used: " RIGID " (2 places)",
      "scene.xml:9: light: not used: it is for drawing",
      "scene.xml:9: camera: not used: it is for drawing",
      "scene.xml:5: mesh 'm': attributes 'file' and 'vertex' are missing: not drawn",
      "scene.xml:11: geom x:y: not used: its prefix is not one that is read here",
  };
  assert_int_equal(carom_model_get_sizes(model).num_notes, sizeof NOTES / sizeof *NOTES);
  for (size_t i = 0; i < sizeof NOTES / sizeof *NOTES; i++) scene_expect_note(model, NOTES[i]);
  carom_model_destroy(model);
}

/* A permissive reader notes what others refuse. */
static void test_permissive(void** state) {
  (void)state;
  carom_model* model = scene_load_permissive(
      "<mujoco><option density='1'/><worldbody>\n"
      "<body name='b' gravcomp='1'><joint stiffness='1 2' springyield='1'/><geom size='1'/>"
      "<geom name='e' type='sdf' size='1 1 1'/></body>\n<composite/>"
      "<body><inertial mass='1' pos='0 0 0' diaginertia='1 1 3'/></body>\n"
      "<geom type='plane' name='p'/><site name='x'/><site name='y'/></worldbody><tendon><spatial>"
      "<site site='x'/><site site='y'/></spatial></tendon>\n"
      "<contact><pair geom1='e' geom2='p'/></contact></mujoco>");
  assert_true(carom_model_get_sizes(model).num_geoms == 2 && model->geom.num_pairs == 0);
  assert_true(model->force.joint_stiffness[0] == 1);
  static const char* const NOTES[] = {
      "scene.xml:2: geom: shapes of this type are not supported yet, give a mesh",
      "scene.xml:3: composite: composite objects are not supported",
      "scene.xml:3: body: inertia is not that of a rigid body (triangle inequality); it is used as "
      "it stands",
      "scene.xml:2: joint springyield: springs do not yield here, give a frictionloss",
      "scene.xml:5: pair: left out, because a part that it names is left out",
  };
  assert_int_equal(carom_model_get_sizes(model).num_notes, sizeof NOTES / sizeof *NOTES);
  for (size_t i = 0; i < sizeof NOTES / sizeof *NOTES; i++) scene_expect_note(model, NOTES[i]);
  carom_model_destroy(model);
}

/* What says nothing leaves no note; a neutral value of what is refused neither. */
static void test_silence(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco model='m'><compiler angle='radian' alignfree='false'/><option density='0' "
      "viscosity='0.0'><flag filterparent='enable'/></option><worldbody><body gravcomp='0'>"
      "<joint springdamper='0 0'/><geom size='1' fluidshape='none' surfacevel='0 0 0'/></body>"
      "</worldbody></mujoco>");
  assert_int_equal(carom_model_get_sizes(model).num_notes, 0);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_notes),
      cmocka_unit_test(test_permissive),
      cmocka_unit_test(test_silence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
