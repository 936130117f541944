/* Derivatives of steps that are taken in parts, after a failure or where a body would go through
 * what it touches, against differences of such steps: forwards and back, controls and parameters.
 */
#include "support/parameter_differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two links that turn by radians in a step, under motors. */
static const char WHIRL[] =
    "<mujoco><option gravity='0 0 -9.81'/><worldbody>"
    "<body><joint name='a' axis='0 1 0' damping='0.01'/><geom name='upper' type='capsule'"
    " fromto='0 0 0 1 0 0' size='.03' contype='0'/>"
    "<body name='lower' pos='1 0 0'><joint name='b' axis='0 1 0.3'/><geom type='capsule'"
    " fromto='0 0 0 1 0 0' size='.03' contype='0'/></body></body></worldbody>"
    "<actuator><motor joint='a' gear='50'/><general joint='b' gainprm='30' dyntype='filter'"
    " dynprm='0.1'/></actuator></mujoco>";

/* A rod that turns fast next to a floor. */
static const char ROD[] =
    "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='5 5 1'/>"
    "<body name='rod' pos='0 0 0.5'><freejoint/><geom type='capsule' size='0.02 0.5' mass='1'"
    " friction='0.5'/></body></worldbody></mujoco>";

static int try_step(carom_sim* sim) {
  size_t size = carom_sim_state_size(sim);
  void* state = malloc(size);
  carom_step_report report;
  assert_non_null(state);
  carom_sim_save(sim, state);
  carom_sim_forget_motion(sim);
  assert_int_equal(carom_sim_step(sim, &report, NULL), 0);
  assert_int_equal(carom_sim_restore(sim, state, size, NULL), 0);
  free(state);
  return report.outcome == CAROM_STEP_DONE && report.braked == 0 ? report.substeps : 0;
}

/* Whether all steps nearby are taken in as many parts. */
static bool is_steady(step_differences* d, double h) {
  bool is_same = true;
  step_differences_save(d);
  for (int c = 0; c < d->num_x + d->num_u && is_same; c++)
    for (int k = -2; k <= 2 && is_same; k++) {
      step_differences_move(d, c, k * h);
      is_same = try_step(d->sim) == d->substeps;
    }
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  if (d->num_u > 0) memcpy(carom_sim_controls(d->sim), d->u, sizeof(double) * (size_t)d->num_u);
  return is_same;
}

/* Velocities' column of a number of the model, against differences where nothing is held with
 * respect to it, and pulled back. */
static void expect_parameter(step_differences* d, const char* name) {
  int nv = d->model->num_v;
  carom_parameter parameter;
  double *C = calloc((size_t)d->num_x, sizeof *C), *v = calloc((size_t)nv, sizeof *v);
  assert_true(C && v);
  assert_int_equal(
      carom_builder_find_parameter(carom_model_get_description(d->model), name, &parameter, NULL),
      0);
  carom_linearization out = {
      .A = d->A, .B = d->B, .C = C, .parameters = &parameter, .num_parameters = 1};
  assert_int_equal(carom_sim_linearize(d->sim, &out, NULL), 0);
  step_differences_expect_transpose(d, &out);
  for (int k = -1; k <= 1 && out.num_held == 0; k += 2) {
    carom_model* model;
    carom_sim* sim = parameter_differences_vary(d, &parameter, 0, k * 1e-6, &model);
    assert_int_equal(try_step(sim), d->substeps);
    carom_sim_forget_motion(sim);
    assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
    for (int i = 0; i < nv; i++) v[i] += k * carom_sim_velocities(sim)[i] / 2e-6;
    carom_sim_destroy(sim);
    carom_model_destroy(model);
  }
  double most = 1;
  for (int i = 0; i < nv; i++)
    most = fmax(most, fmax(fabs(v[i]), fabs(carom_sim_velocities(d->sim)[i])));
  for (int i = 0; i < nv && out.num_held == 0; i++) check_near(C[nv + i] / most, v[i] / most, 1e-7);
  free(C), free(v);
}

/* Compares the step from here where it is taken in parts and has no other kink; returns whether it
 * is. */
static bool expect(step_differences* d, double h, double tolerance, const char* parameter) {
  d->substeps = try_step(d->sim);
  if (d->substeps < 2 || !is_steady(d, h)) return false;
  assert_true(step_differences_has_kink(d) && d->found.nearest_kink == 0);
  if (d->found.num_kinks > 1 || d->found.num_held > 0) return false;
  step_differences_expect(d, h, tolerance);
  expect_parameter(d, parameter);
  return true;
}

/* Free motion that no iteration finds, or that gains energy. */
static void test_whirl(void** state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    int compared = 0;
    for (int k = 0; k < 26; k++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13, def.dt = 0.5;
      step_differences d = step_differences_create(WHIRL, &def, 1 + k);
      double v[2] = {pow(10, 0.1 * k), -2 * pow(10, 0.1 * k)}, q[2] = {0.3 * k, 1};
      assert_int_equal(carom_sim_set_state(d.sim, 0, q, v, NULL), 0);
      compared += expect(&d, 1e-5, 1e-7, "body.lower.mass");
      step_differences_destroy(&d);
    }
    assert_true(compared > 2);
  }
}

/* What meets the floor far beside its centre. At hundreds of metres a second differences of steps
 * tell no more than 1e-6. */
static void test_rod(void** state) {
  (void)state;
  int compared = 0;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 40; k++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13, def.dt = 0.01;
      step_differences d = step_differences_create(ROD, &def, 1);
      double fall = -60 - 5 * k, turn = 0.3 + 0.05 * (k % 7);
      double v[6] = {0.1, 0.2, fall, 1, 2, 0.3}, q[7] = {0, 0, 0.8, cos(turn), 0, sin(turn), 0};
      assert_int_equal(carom_sim_set_state(d.sim, 0, q, v, NULL), 0);
      compared += expect(&d, 5e-5, 1e-6, "body.rod.mass");
      step_differences_destroy(&d);
    }
  assert_true(compared > 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whirl), cmocka_unit_test(test_rod)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
