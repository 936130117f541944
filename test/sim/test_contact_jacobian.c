/* Jacobians of contacts: together with impulses and moments they are the constraint forces. */
#include "support/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two bodies off their frames, of which one lies on the other, and an arm that is pushed: contacts
 * with torsional and rolling friction are the only constraints. */
static const char PILE[] =
    "<mujoco><default><geom condim='6' friction='.6 .01 .001'/></default><worldbody>"
    "<geom type='plane' size='9 9 1'/>"
    "<body pos='.3 0 .1'><freejoint/>"
    "<geom type='box' size='.2 .2 .1' pos='.05 .02 0' mass='2'/></body>"
    "<body pos='.3 .05 .35' euler='10 5 0'><freejoint/>"
    "<geom type='capsule' size='.05 .1' pos='0 .03 0' euler='90 0 0' mass='1'/></body>"
    "<body pos='-.6 0 .3'><joint name='a' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 -.4 0 0' size='.03'/><body pos='-.4 0 0'>"
    "<joint name='b' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 -.4 0 0' size='.03'/></body></body>"
    "</worldbody></mujoco>";

/* sum of linearᵀ impulse + angularᵀ moment over dt. */
static void sum_contacts(simulation* s, int num_v, double dt, double* sum) {
  int count;
  const carom_contact* contacts = carom_sim_contacts(s->sim, &count);
  double *linear = malloc(sizeof(double) * 6 * (size_t)num_v), *angular = linear + 3 * num_v;
  carom_error error;
  for (int i = 0; i < num_v; i++) sum[i] = 0;
  for (int c = 0; c < count; c++) {
    check_ok(carom_sim_compute_contact_jacobian(s->sim, c, linear, angular, &error), &error);
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < num_v; i++)
        sum[i] += (linear[k * num_v + i] * contacts[c].impulse[k] +
                   angular[k * num_v + i] * contacts[c].moment[k]) /
                  dt;
  }
  free(linear);
}

static void test_sum(void** state) {
  (void)state;
  for (int k = 0; k < NUM_SCHEMES; k++) {
    carom_sim_def def = simulation_def(SCHEMES[k].scheme, 1e-3);
    def.sleep_share = 0; /* forces of what sleeps are of the step before its contacts' */
    simulation s = simulation_create(PILE, &def);
    double force[14], sum[14], largest = 0;
    for (int i = 0; i < 1000; i++) {
      simulation_step(&s);
      carom_sim_compute_constraint_force(s.sim, force);
      sum_contacts(&s, 14, 1e-3, sum);
      double scale = 1;
      for (int j = 0; j < 14; j++) scale = fmax(scale, fabs(force[j]));
      check_near_array(sum, force, 14, 1e-12 * scale);
      largest = fmax(largest, scale);
    }
    assert_true(largest > 10);
    simulation_destroy(&s);
  }
}

static void test_refused(void** state) {
  (void)state;
  simulation s = simulation_create(PILE, NULL);
  carom_error error;
  simulation_step(&s);
  assert_int_equal(carom_sim_compute_contact_jacobian(s.sim, -1, NULL, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_sim_compute_contact_jacobian(s.sim, 1000, NULL, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "does not exist"));
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sum), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
