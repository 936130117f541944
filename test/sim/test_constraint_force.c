/* Generalised forces of all constraints together: weight at rest, of rigid bodies, of what sleeps
 * and of nodes; and what the equations of motion leave for them. */
#include "support/simulation.h"
#include "support/soft_scene.h"
#include "support/world.h"

#include "carom/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A box whose centre of mass is off its frame, awake and asleep: the floor bears its weight, and
 * turns it by the lever of the frame's origin. */
static void test_weight(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><geom type='plane' size='9 9 1'/><body pos='.3 0 .1'><freejoint/>"
      "<geom type='box' size='.1 .1 .1' pos='.05 .02 0' mass='2'/></body></worldbody></mujoco>",
      NULL);
  const double weight = 2 * 9.81, expected[6] = {0, 0, weight, 0.02 * weight, -0.05 * weight, 0};
  for (int sleeps = 0; sleeps < 2; sleeps++) {
    double force[6];
    simulation_run_until(&s, sleeps ? 2 : 0.01);
    assert_int_equal(s.report.sleeping_trees, sleeps);
    carom_sim_compute_constraint_force(s.sim, force);
    for (int k = 0; k < 6; k++) check_near(force[k], expected[k], 1e-5 * weight);
  }
  carom_sim_forget(s.sim);
  double force[6];
  carom_sim_compute_constraint_force(s.sim, force);
  for (int k = 0; k < 6; k++) assert_true(force[k] == 0);
  simulation_destroy(&s);
}

/* An arm that beats on the floor and on its limits: with every other force at the start of the
 * step, M a + bias = passive + actuation + constraints. */
static void test_equation_of_motion(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_EXPLICIT, 1e-3);
  def.tolerance = 1e-10; /* of what the equation holds to */
  simulation s = simulation_create(
      "<mujoco><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .5'>"
      "<joint name='a' axis='0 1 0' range='-40 70' damping='.1'/>"
      "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03'/><body pos='.4 0 0'>"
      "<joint name='b' axis='0 1 0' range='-60 30' stiffness='2'/>"
      "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03'/></body></body></worldbody>"
      "<actuator><motor joint='b'/></actuator></mujoco>",
      &def);
  carom_dynamics* dynamics;
  carom_error error;
  int pressed = 0;
  check_ok(carom_dynamics_create(s.model, NULL, &dynamics, &error), &error);
  for (int i = 0; i < 1500; i++) {
    double a[2], passive[2], actuation[2], sum[2], force[2];
    carom_sim_controls(s.sim)[0] = 3 * sin(0.01 * i);
    check_ok(carom_dynamics_set(dynamics, s.q, s.v, carom_sim_controls(s.sim), &error), &error);
    check_ok(carom_sim_compute_acceleration(s.sim, a, NULL, &error), &error);
    carom_dynamics_compute_passive(dynamics, passive);
    carom_dynamics_compute_actuation(dynamics, actuation);
    carom_dynamics_compute_inverse(dynamics, a, sum);
    simulation_step(&s);
    carom_sim_compute_constraint_force(s.sim, force);
    double scale = 1 + fabs(sum[0]) + fabs(sum[1]);
    for (int k = 0; k < 2; k++)
      check_near(force[k], sum[k] - passive[k] - actuation[k], 1e-9 * scale);
    pressed += force[0] != 0 || force[1] != 0;
  }
  assert_true(pressed > 300 && pressed < 1500);
  carom_dynamics_destroy(dynamics);
  simulation_destroy(&s);
}

/* A soft block at rest: the forces on its nodes bear its weight, those inside it feel none. */
static void test_nodes(void** state) {
  (void)state;
  carom_sim_def options = world_def(0.01, CAROM_IMPLICIT);
  soft_scene s = soft_scene_create(NULL);
  carom_soft_def def = soft_block(0.2, 3, 0.1);
  soft_scene_add_plane(&s);
  soft_scene_add(&s, &def);
  world w = soft_scene_finish(&s, &options);
  world_run(&w, 100);
  double weight = carom_model_get_soft(w.model, 0).mass * 9.81, sum = 0;
  double* force = malloc(sizeof(double) * (size_t)w.sizes.num_v);
  assert_non_null(force);
  carom_sim_compute_constraint_force(w.sim, force);
  for (int n = 0; n < w.sizes.num_v / 3; n++) {
    sum += force[3 * n + 2];
    if (world_q(&w)[3 * n + 2] > 0.05) assert_true(force[3 * n + 2] == 0);
  }
  check_near(sum, weight, 1e-3 * weight);
  free(force);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weight),
      cmocka_unit_test(test_equation_of_motion),
      cmocka_unit_test(test_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
