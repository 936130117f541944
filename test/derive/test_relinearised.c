/* Derivatives of steps that are linearised anew at their solutions, once to three times, against
 * differences of such steps: forwards and back, controls and parameters. */
#include "support/parameter_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four bars that close to a loop, with a stiff damper, a servo with a filter and a tendon, and a
 * ball on one of them that a floor holds up. */
static const char LOOP[] =
    "<mujoco><option timestep='0.004'/><default><geom friction='0.5'/></default><worldbody>"
    "<geom name='floor' type='plane' size='5 5 1' pos='0 0 -0.031'/>"
    "<body name='a'><joint name='j' axis='0 1 0.05' damping='0.3'/><geom type='capsule'"
    " fromto='0 0 0 0.1 0 0.3' size='0.02' contype='0' conaffinity='0'/>"
    "<site name='s' pos='0.1 0.1 0.2'/>"
    "<body name='b' pos='0.1 0 0.3'><joint axis='-0.05 1 0'/><geom type='capsule'"
    " fromto='0 0 0 0.4 0 0.05' size='0.02' contype='0' conaffinity='0'/></body></body>"
    "<body name='c' pos='0.45 0 0'><joint name='k' axis='0 1 0' stiffness='1'/><geom type='capsule'"
    " fromto='0 0 0 0.05 0 0.35' size='0.02' contype='0' conaffinity='0'/>"
    "<geom name='foot' pos='0.1 0 0' size='0.03'/><site name='e' pos='0.1 0.05 0.1'/></body>"
    "</worldbody>"
    "<tendon><spatial name='t' stiffness='20' damping='0.5'><site site='s'/><site site='e'/>"
    "</spatial></tendon>"
    "<equality><connect name='e' body1='b' body2='c' anchor='0.4 0 0.05'/></equality>"
    "<actuator><motor joint='j'/><general joint='k' gainprm='3' biastype='affine'"
    " biasprm='0 -3 -0.1' dyntype='filter' dynprm='0.05'/></actuator></mujoco>";

/* A heavy top, a free body tied to the world at its tip and damped, with another one beside it. */
static const char TOP[] =
    "<mujoco><option timestep='0.004'/><worldbody><body name='top'><freejoint/>"
    "<inertial pos='0 0 .2' mass='1' diaginertia='.01 .012 .004'/>"
    "<body name='rim' pos='0.1 0 0.2'><joint name='h' axis='1 0 0' armature='1e-4'/>"
    "<geom type='box' size='0.02 0.03 0.01'/></body></body>"
    "<body pos='1 0 0'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='.01 .012 .004'/>"
    "</body></worldbody><equality><connect name='tip' body1='top' anchor='0 0 0'/></equality>"
    "<actuator><motor name='m' joint='h'/></actuator></mujoco>";

/* A box that tips over an edge as it slides, on a floor that gives way. */
static const char BOX[] =
    "<mujoco><option timestep='0.004'/><default><geom friction='0.4' carom:stiffness='1e5'"
    " carom:dissipation='0.01'/></default><worldbody><geom type='plane' size='5 5 1'/>"
    "<body name='box' pos='0 0 0.118' euler='20 10 0'><freejoint/>"
    "<geom name='box' friction='0.6' type='box' size='0.1 0.12 0.08'/></body></worldbody></mujoco>";

typedef struct course {
  const char* text;
  const double* v; /* [num_v] of the start, or null */
  int steps;       /* before */
  const char* names[4];
} course;

static carom_sim_def make_def(carom_scheme scheme, int relinearise) {
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme, def.relinearise = relinearise, def.tolerance = 1e-13, def.sleep_share = 0;
  def.recovery_speed = 1e3;
  return def;
}

/* How far the step is from one that is linearised anew another number of times, m/s or rad/s. */
static double find_way(const step_differences* d, const carom_sim_def* def, int relinearise) {
  carom_sim_def once = *def;
  carom_sim* sim;
  double most = 0;
  once.relinearise = relinearise;
  assert_int_equal(carom_sim_create(d->model, &once, &sim, NULL), 0);
  assert_int_equal(carom_sim_set_state(sim, 0, carom_sim_coordinates(d->sim),
                                       carom_sim_velocities(d->sim), NULL),
                   0);
  memcpy(carom_sim_controls(sim), carom_sim_controls(d->sim), sizeof(double) * (size_t)d->num_u);
  step_differences at = *d;
  at.state = NULL;
  step_differences_save(&at);
  carom_sim_forget_motion(d->sim);
  assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
  assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
  for (int i = 0; i < d->model->num_v; i++)
    most = fmax(most, fabs(carom_sim_velocities(sim)[i] - carom_sim_velocities(d->sim)[i]));
  assert_int_equal(carom_sim_restore(d->sim, at.state, at.size, NULL), 0);
  free(at.state);
  carom_sim_destroy(sim);
  return most;
}

static int expect(const course* run, carom_scheme scheme, int relinearise) {
  carom_sim_def def = make_def(scheme, relinearise);
  step_differences d = step_differences_create(run->text, &def, 0);
  if (run->v) assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, run->v, NULL), 0);
  for (int k = 0; k < d.num_u; k++) carom_sim_controls(d.sim)[k] = 0.5 + 0.3 * k;
  for (int k = 0; k < run->steps; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  bool is_smooth = !step_differences_has_kink(&d) && d.found.num_held == 0;
  if (is_smooth && find_way(&d, &def, 0) > 1e-4) {
    int count = 0;
    while (count < 4 && run->names[count]) count++;
    step_differences_expect(&d, 3e-6, 1e-7);
    parameter_differences_expect(&d, run->names, count, 1e-3);
  } else {
    is_smooth = false;
  }
  step_differences_destroy(&d);
  return is_smooth;
}

/* At `least` of three schemes by three numbers of linearisations. */
static void expect_all(const course* run, int least) {
  int compared = 0;
  for (int i = 0; i < 3; i++)
    for (int n = 1; n <= 3; n++) compared += expect(run, step_schemes[i], n);
  assert_true(compared >= least);
}

/* By symplectic Euler the loop is linear; by implicit Euler its tight rows count with forces that
 * the same step has found before, which are held. */
static void test_loop(void** state) {
  (void)state;
  const double v[3] = {2, -2.4, 1.8};
  expect_all(&(course){LOOP, v, 0, {"joint.j.damping", "tendon.t.stiffness", "geom.foot.friction"}},
             3);
}

static void test_top(void** state) {
  (void)state;
  const double v[13] = {0, 0, 0, 0.5, 1, 20, 2};
  expect_all(&(course){TOP, v, 3, {"actuator.m.gear"}}, 9);
}

static void test_box(void** state) {
  (void)state;
  const double v[6] = {0.5, 0.2, -0.3, 2, -3, 1};
  expect_all(&(course){BOX, v, 1, {"body.box.mass", "geom.box.friction", "geom.box.stiffness"}}, 9);
}

/* --- Soft bodies --------------------------------------------------------------------------------
 */

/* A soft block that a floor strains. */
static const char SOFT[] =
    "<mujoco><option timestep='0.004'/><worldbody><geom type='plane' size='5 5 1' friction='0.5'/>"
    "<flexcomp name='soft' type='grid' dim='3' count='2 2 3' radius='0' pos='0 0 0.062'"
    " spacing='0.08 0.07 0.06' carom:density='1000' carom:material='%s'>"
    "<elasticity young='%g' poisson='0.3' damping='%g'/></flexcomp></worldbody></mujoco>";

typedef struct soft_course {
  const char* law;
  double young, beta, dt; /* Pa, s, s */
  int steps;              /* before */
} soft_course;

static step_differences create_soft(const soft_course* run, const carom_sim_def* def) {
  char text[1024];
  double v[36];
  snprintf(text, sizeof text, SOFT, run->law, run->young, run->beta);
  step_differences d = step_differences_create(text, def, 0);
  for (int i = 0; i < 36; i++) v[i] = sin(5 * i) - (i % 3 == 2 ? 2 : 0.5);
  assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
  for (int k = 0; k < run->steps; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  return d;
}

static int expect_soft(const soft_course* run, carom_scheme scheme, int relinearise) {
  static const char* const NAMES[] = {"soft.soft.young", "soft.soft.beta", "soft.soft.density"};
  carom_sim_def def = make_def(scheme, relinearise);
  def.dt = run->dt;
  step_differences d = create_soft(run, &def);
  bool is_smooth = !step_differences_has_kink(&d) && d.found.num_held == 0;
  if (is_smooth) {
    step_differences_expect(&d, 3e-6, 1e-7);
    parameter_differences_expect(&d, NAMES, run->beta > 0 ? 3 : 1, 1e-3);
  }
  step_differences_destroy(&d);
  return is_smooth;
}

static void test_soft(void** state) {
  (void)state;
  static const char* const LAWS[] = {"corotated", "neo_hookean"};
  int compared = 0;
  for (int law = 0; law < 2; law++)
    for (int i = 0; i < 3; i++)
      for (int n = 1; n < 3; n++)
        compared +=
            expect_soft(&(soft_course){LAWS[law], 1e5, 0.002, 0.004, 5}, step_schemes[i], n);
  assert_true(compared >= 10);
}

/* What bends too much for one linearisation has another one without being asked for. */
static void test_bending(void** state) {
  (void)state;
  for (int steps = 2; steps < 4; steps++) {
    const soft_course run = {"corotated", 1e4, 0, 0.02, steps};
    carom_sim_def def = make_def(CAROM_MIDPOINT, 0);
    def.dt = run.dt;
    step_differences d = create_soft(&run, &def);
    check_near(find_way(&d, &def, 1), 0, 1e-12);
    assert_true(find_way(&d, &def, 2) > 1e-3);
    step_differences_destroy(&d);
    assert_int_equal(expect_soft(&run, CAROM_MIDPOINT, 0), 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loop), cmocka_unit_test(test_top),     cmocka_unit_test(test_box),
      cmocka_unit_test(test_soft), cmocka_unit_test(test_bending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
