/* Derivatives of steps without constraints, against differences of steps. */
#include "support/step_differences.h"

#include <math.h>

static const char ARM[] =
    "<mujoco><option timestep='0.002' gravity='1 2 -9.81'/><worldbody>"
    "<body name='base' pos='0 0 1'><joint name='turn' type='hinge' axis='0 0.3 1' damping='0.1'"
    " armature='0.02'/><geom type='capsule' size='0.05 0.2' pos='0.1 0 0.2'/>"
    "<body name='upper' pos='0.3 0 0.2'><joint name='shoulder' type='ball' stiffness='2'"
    " damping='0.05'/><geom type='box' size='0.1 0.05 0.2' pos='0 0.05 0.2'/>"
    "<body name='fore' pos='0 0 0.4' gravcomp='0.7'><joint name='slide' type='slide'"
    " axis='1 0.2 0' stiffness='30' springref='0.1'/><joint name='elbow' axis='0 1 0'"
    " stiffness='1' damping='0.02'/><geom type='capsule' size='0.03 0.15' pos='0.1 0 0.1'/>"
    "</body></body></body>"
    "<body name='free' pos='2 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3' pos='0.2 0.1 "
    "0'/>"
    "<body name='tail' pos='0 0.2 0.3'><joint name='wag' axis='1 0 0' stiffness='0.5'/>"
    "<geom type='capsule' size='0.03 0.2' pos='0 0 0.2'/></body></body>"
    "<body name='alone' pos='-2 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3'/></body>"
    "</worldbody><actuator><motor name='m' joint='turn' gear='3' ctrlrange='-1 1'/>"
    "<position name='p' joint='elbow' kp='4' kv='0.3'/>"
    "<general name='g' joint='slide' dyntype='filter' dynprm='0.05' gainprm='5 2 1'"
    " gaintype='affine' biastype='affine' biasprm='0 -3 -0.2'/>"
    "<general name='i' joint='wag' dyntype='integrator' gainprm='2' biastype='none'/>"
    "</actuator></mujoco>";

static void expect_differences(carom_scheme scheme, bool implicit_coriolis, int seed) {
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme, def.implicit_coriolis = implicit_coriolis, def.disable_contacts = true;
  def.tolerance = 1e-13;
  step_differences d = step_differences_create(ARM, &def, seed);
  step_differences_expect(&d, 3e-4, 1e-8);
  step_differences_destroy(&d);
}

static void test_schemes(void** state) {
  (void)state;
  for (int i = 0; i < 4; i++)
    for (int seed = 1; seed <= 5; seed++) expect_differences(step_schemes[i], seed % 2, seed);
}

/* Dampers whose weights move with how the links beside them stand: a hip of three hinges, a ball, a
 * free base; with a limit that binds, so that the weights count in A, too. */
static const char STIFF[] =
    "<mujoco><option timestep='0.01'/><worldbody><body name='base' pos='0 0 1'>"
    "<joint type='free' damping='0.5'/><inertial pos='0.02 0 0' mass='1'"
    " fullinertia='0.004 0.006 0.009 0.001 0 0.0005'/><body name='hip' pos='0.1 0 0'>"
    "<joint name='x' axis='1 0 0.2' damping='1.5' stiffness='3'/><joint axis='0 1 0' damping='1'/>"
    "<joint axis='0 0.3 1' damping='2' stiffness='20'/><inertial pos='0.05 0.01 -0.1' mass='0.7'"
    " fullinertia='0.003 0.004 0.002 0 0.0005 0.0002'/><body name='shin' pos='0 0 -0.2'>"
    "<joint name='knee' type='ball' damping='0.8' stiffness='2'/><inertial pos='0 0.02 -0.1'"
    " mass='0.5' fullinertia='0.002 0.003 0.0015 0.0002 0 0.0003'/><body pos='0 0 -0.2'>"
    "<joint name='toe' axis='0 1 0' damping='0.7' range='-5 5' limited='true'/>"
    "<inertial pos='0.05 0 0' mass='0.2' diaginertia='0.0005 0.0006 0.0004'/></body></body></body>"
    "</body></worldbody><actuator><position name='servo' joint='x' kp='9' kv='0.4'/></actuator>"
    "</mujoco>";

static void test_stiff_dampers(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= 5; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13;
      step_differences d = step_differences_create(STIFF, &def, seed);
      step_differences_expect(&d, 1e-4, 1e-7);
      assert_true(d.found.num_held <= 1); /* a limit that is far beyond is recovered from */
      step_differences_destroy(&d);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_schemes),
                                     cmocka_unit_test(test_stiff_dampers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
