/* MJCF's springs and dampers of several powers: forces and energies beside another program's, a
 * period and a decay in closed form, and the way out and back in. */
#include "support/check.h"
#include "support/scene.h"

#include "carom/dynamics.h"
#include "carom/scene.h"
#include "carom/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char* scene(const char* joint, const char* tendon) {
  static char text[1000];
  snprintf(
      text, sizeof text,
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='hinge' axis='0 0 1' "
      "springref='10' %s/><geom size='.1' pos='1 0 0'/></body></worldbody><tendon><fixed name='t' "
      "springlength='0.1 0.2' %s><joint joint='j' coef='1.5'/></fixed></tendon></mujoco>",
      joint, tendon);
  return text;
}

/* qfrc_passive and energy[0] of MuJoCo 4.0.0 in double precision, of these scenes. */
#define JOINT  "stiffness='2 3 5' damping='.1 .2 .3'"
#define TENDON "stiffness='1 2 3' damping='1 2 3'"

static const struct {
  const char *joint, *tendon;
  double q, v, force, energy;
} CASES[] = {
    {JOINT, "", 0.5, 1.0, -1.7411023106099666, 0.15443130169377337},
    {"", TENDON, 0.5, 1.0, -26.6686875, 0.33079635416666675},
    {JOINT, "", 0.5, -2.0, 2.258897689390033, 0.15443130169377337},
    {"", TENDON, 0.5, -2.0, 150.5188125, 0.33079635416666675},
    {JOINT, "", -0.7, 3.0, -7.401109485711849, 0.827121987039133},
    {"", TENDON, -0.7, 3.0, -472.9610625, 0.9590880208333332},
};

static void test_forces_and_energies(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    carom_model* model = scene_load(scene(CASES[i].joint, CASES[i].tendon));
    carom_dynamics* dynamics;
    carom_sim* sim;
    carom_error error;
    double force;
    check_ok(carom_dynamics_create(model, NULL, &dynamics, &error), &error);
    check_ok(carom_dynamics_set(dynamics, &CASES[i].q, &CASES[i].v, NULL, &error), &error);
    carom_dynamics_compute_passive(dynamics, &force);
    check_near(force, CASES[i].force, 1e-13 * fabs(CASES[i].force));
    check_ok(carom_sim_create(model, NULL, &sim, &error), &error);
    check_ok(carom_sim_set_state(sim, 0, &CASES[i].q, &CASES[i].v, &error), &error);
    check_near(carom_sim_compute_energy(sim).elastic, CASES[i].energy, 1e-13);
    carom_sim_destroy(sim);
    carom_dynamics_destroy(dynamics);
    carom_model_destroy(model);
  }
}

#define SLIDE(attributes)                                                                          \
  "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' axis='1 0 0' " attributes \
  "/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>"

/* Where the slide is after a time at rest at 1 m, or at 1 m/s at 0. */
static double run(const char* text, carom_scheme scheme, int steps, double dt, double q, double v,
                  double* speed, double* dissipated) {
  carom_model* model = scene_load(text);
  carom_sim* sim;
  carom_error error;
  carom_step_report report;
  carom_sim_def def = carom_sim_def_default();
  def.dt = dt, def.scheme = scheme;
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  check_ok(carom_sim_set_state(sim, 0, &q, &v, &error), &error);
  *dissipated = 0;
  for (int i = 0; i < steps; i++) {
    check_ok(carom_sim_step(sim, &report, &error), &error);
    *dissipated += report.dissipated;
  }
  double x = carom_sim_coordinates(sim)[0];
  *speed = carom_sim_velocities(sim)[0];
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return x;
}

/* x'' = -x³ from rest at 1 comes back after 4 K(1/sqrt 2) = 7.41629870920549 s. The midpoint rule's
 * phase is off by dt² times the third powers of the frequency. */
static void test_period(void** state) {
  (void)state;
  const double period = 7.41629870920549;
  double v, lost, error[2];
  for (int k = 0; k < 2; k++) {
    int steps = 500 << k;
    double x =
        run(SLIDE("stiffness='0 0 1'"), CAROM_MIDPOINT, steps, period / steps, 1, 0, &v, &lost);
    check_near(x, 1, 1e-6);
    error[k] = v;
    assert_true(lost == 0);
  }
  check_near(error[0] / error[1], 4, 0.1);
  assert_true(fabs(error[1]) < 1e-4);
}

/* x'' = -v |v| from 1 m/s: v = 1 / (1 + t), x = log(1 + t); what is lost is what the mass had. */
static void test_decay(void** state) {
  (void)state;
  double v, lost;
  double x = run(SLIDE("damping='0 1'"), CAROM_MIDPOINT, 1000, 1e-3, 0, 1, &v, &lost);
  check_near(v, 0.5, 1e-6);
  check_near(x, log(2), 1e-6);
  check_near(lost, 0.5 - 0.5 * v * v, 1e-12);
}

/* A cubic damper that takes a thousand times the momentum in a step is stable. */
static void test_stiff(void** state) {
  (void)state;
  double v, lost;
  run(SLIDE("damping='0 0 1e6' stiffness='0 0 1e6'"), CAROM_IMPLICIT, 200, 1e-2, 0.1, 3, &v, &lost);
  assert_true(fabs(v) < 3e-2);
}

static void test_round_trip(void** state) {
  (void)state;
  char path[] = "/tmp/carom_powers_XXXXXX";
  carom_builder* builder;
  carom_error error;
  carom_model* again;
  carom_write_def def = carom_write_def_default();
  int file = mkstemp(path);
  assert_true(file >= 0);
  const char* text = scene(JOINT, TENDON);
  assert_true(write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  check_ok(carom_builder_load(path, NULL, &builder, &error), &error);
  def.format = CAROM_WRITE_MJCF;
  check_ok(carom_builder_write(builder, path, &def, &error), &error);
  check_ok(carom_model_load(path, NULL, &again, &error), &error);
  unlink(path);
  assert_true(again->force.dof_spring_more[0] == 3 && again->force.dof_spring_more[1] == 5);
  assert_true(again->force.dof_damper_more[0] == 0.2 && again->force.dof_damper_more[1] == 0.3);
  assert_true(again->force.tendon.stiffness_more[1] == 3);
  assert_true(again->force.tendon.damping_more[0] == 2);
  carom_model_destroy(again);
  carom_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_and_energies),
      cmocka_unit_test(test_period),
      cmocka_unit_test(test_decay),
      cmocka_unit_test(test_stiff),
      cmocka_unit_test(test_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
