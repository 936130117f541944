/* Derivatives of steps with contacts, against differences of steps. Weight presses bodies on each
 * other so hard that differences part none. */
#include "support/step_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often a comparison was made: what is flagged as a kink has no one derivative. */
static int num_compared;

/* Steps before the comparison, from random velocities times `push`, and the differences' h. */
typedef struct course {
  int steps;
  double push, h;
} course;

/* Lets bodies fall and settle from a push, then compares. */
static void expect_with(const carom_sim_def* def, const char* text, const course* run) {
  for (int seed = 1; seed <= 3; seed++) {
    step_differences d = step_differences_create(text, def, seed);
    step_differences_push(&d, run->push, run->steps);
    if (!step_differences_has_kink(&d)) {
      /* Solvers end at some 1e-11 of velocities (assemble.c, ROUND_OFF_GAIN), over h. */
      step_differences_expect(&d, run->h, 3e-7);
      num_compared++;
    }
    step_differences_destroy(&d);
  }
}

/* A body under heavy weight, by three schemes and two laws of friction. */
static void expect_under(const char* option, const char* body, course run) {
  static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX};
  char text[4096];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.002' gravity='0 0 -200' %s/><default><geom"
           " friction='0.6 0.02 0.01'/></default><worldbody><geom type='plane' size='5 5 1'/>%s"
           "</worldbody></mujoco>",
           option, body);
  num_compared = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      carom_sim_def def = step_differences_def(step_schemes[i], LAWS[k]);
      expect_with(&def, text, &run);
    }
  assert_true(num_compared > 6);
}

static void expect(const char* body, int steps, double push) {
  expect_under("", body, (course){steps, push, 2e-4});
}

#define FREE(pos, geom) "<body pos='" pos "'><freejoint/><geom " geom "/></body>"

/* --- On a plane ---------------------------------------------------------------------------------
 */

static void test_ball(void** state) {
  (void)state;
  expect(FREE("0 0 0.1", "size='0.1'"), 30, 1);
}

static void test_box(void** state) {
  (void)state;
  expect(FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'"), 30, 0.5);
}

/* By how much more or less speed a small change to one side of the state makes than to the other,
 * in terms of the change, of the column where that is most: steps alone say so. */
static double find_bend(step_differences* d) {
  int nv = d->model->num_v;
  double dt = carom_sim_dt(d->sim), most = 0;
  double* v = calloc((size_t)nv, sizeof *v);
  assert_non_null(v);
  step_differences_save(d);
  for (int c = 0; c < 2 * nv; c++) {
    double change = 2e-6, h = c < nv ? change * dt : change;
    memset(v, 0, sizeof(double) * (size_t)nv);
    for (int side = -1; side <= 1; side++) {
      step_differences_move(d, c, side * h);
      assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
      for (int i = 0; i < nv; i++)
        v[i] += (side ? 1 : -2) * carom_sim_velocities(d->sim)[i] / (2 * change);
    }
    for (int i = 0; i < nv; i++) most = fmax(most, fabs(v[i]));
  }
  step_differences_move(d, 0, 0);
  free(v);
  return most;
}

/* A kink is named where steps have one. */
static void check_kink(const char* body, int weight, carom_patches patches, bool has_kink) {
  char text[1000];
  carom_sim_def def = step_differences_def(CAROM_MIDPOINT, CAROM_FRICTION_COULOMB);
  def.patches = patches;
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 %d'/><worldbody><geom type='plane' size='5 5 1'/>%s"
           "</worldbody></mujoco>",
           -weight, body);
  step_differences d = step_differences_create(text, &def, 0);
  for (int k = 0; k < 50; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  assert_int_equal(find_bend(&d) > 1e-3, has_kink);
  assert_int_equal(step_differences_has_kink(&d), has_kink);
  for (int i = 0; i < d.num_x * d.num_x; i++) assert_true(isfinite(d.A[i]));
  step_differences_destroy(&d);
}

static void expect_kink(const char* body, int weight, bool has_kink) {
  check_kink(body, weight, CAROM_PATCHES_CORNERS, has_kink);
  check_kink(body, weight, CAROM_PATCHES_AREA, has_kink);
}

/* What lies on its side or stands on its cap has points that start anywhere, of which nothing
 * comes. A capsule slides down the side of another one that is parallel: where it can turn about
 * other axes their ends take over, where it moves in the plane across them none does. */
static void test_kinks(void** state) {
  (void)state;
#define LIES_UNDER "<geom type='capsule' size='0.1 0.2' pos='0 0 0.2' euler='90 0 0' friction='0'/>"
#define LIES       "<geom type='capsule' size='0.1 0.2' euler='90 0 0' friction='0'/></body>"
  expect_kink("<body pos='0 0 0.1' euler='0 90 20'><freejoint/>"
              "<inertial pos='0 0 0.1' mass='1' diaginertia='0.02 0.02 0.01'/>"
              "<geom type='capsule' size='0.1 0.2'/></body>",
              500, false);
  expect_kink(FREE("0 0 0.1", "type='cylinder' size='0.2 0.1'"), 500, false);
  expect_kink(LIES_UNDER "<body pos='1e-4 0 0.4'><freejoint/>" LIES, 500, true);
  expect_kink(LIES_UNDER "<body pos='1e-4 0 0.4'><joint type='slide' axis='1 0 0'/>"
                         "<joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/>" LIES,
              500, false);
}

static void test_ellipsoid(void** state) {
  (void)state;
  expect(FREE("0 0 0.1", "type='ellipsoid' size='0.2 0.15 0.1'"), 30, 0.2);
}

/* --- On each other ------------------------------------------------------------------------------
 */

static void test_ball_on_box(void** state) {
  (void)state;
  expect(FREE("0 0 0.1", "type='box' size='0.3 0.25 0.1'") FREE("0.02 0.01 0.26", "size='0.06'"),
         20, 0.1);
}

static void test_box_on_box(void** state) {
  (void)state;
  expect(
      FREE(
          "0 0 0.1",
          "type='box' size='0.3 0.25 0.1'") "<body pos='0.05 0.02 0.25' euler='0 0 25'><freejoint/>"
                                            "<geom type='box' size='0.1 0.12 0.05'/></body>",
      20, 0.1);
}

/* A leg that stands on a ball for a foot. */
static void test_leg(void** state) {
  (void)state;
  expect_under(
      "",
      "<body pos='0 0 0.45'><joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/>"
      "<geom type='box' size='0.1 0.1 0.05'/><body euler='0 40 0'><joint axis='0 1 0'"
      " stiffness='300' damping='0.02'/><geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.03'/>"
      "<body pos='0 0 -0.25' euler='0 -70 10'><joint axis='0 1 0' stiffness='300' damping='0.02'/>"
      "<joint axis='1 0 0' stiffness='300' damping='0.02'/>"
      "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.02' contype='0' conaffinity='0'/>"
      "<geom pos='0 0 -0.27' size='0.03'/></body></body></body>",
      (course){60, 0.1, 4e-5});
}

/* --- Other laws ---------------------------------------------------------------------------------
 */

/* Torsional and rolling friction. */
static void test_moments(void** state) {
  (void)state;
  expect(FREE("0 0 0.1", "size='0.1' condim='4'"), 30, 1);
  expect(FREE("0 0 0.1", "size='0.1' condim='6'"), 30, 1);
  expect(FREE("0 0 0.1", "size='0.1' condim='1'"), 30, 1);
}

/* Belts, of the floor and of what lies on it. */
static void test_belts(void** state) {
  (void)state;
  expect(FREE("0 0 0.1", "size='0.1' surfacevel='0.3 0.2 0.1 1 2 3'"), 30, 1);
  expect(FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1' surfacevel='0.5 0 0 0 0 1'"), 30, 0.5);
  expect_under("carom:contact_stiffness='2e6' carom:contact_dissipation='0.01'",
               FREE("0 0 0.1", "size='0.1' condim='4' surfacevel='0.3 0.2 0.1 1 2 3'"),
               (course){60, 0.5, 2e-4});
}

/* Bodies on one that moves as prescribed, up and turning. */
static void test_driven(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002' gravity='0 0 -200'/><worldbody>"
      "<body name='m' mocap='true'><geom type='box' size='1 1 0.1' friction='0.6'/></body>"
      "<body pos='0.3 0.1 0.2'><freejoint/><geom size='0.1' friction='0.6'%s/></body></worldbody>"
      "</mujoco>";
  static const char* const STIFF[] = {"", " carom:stiffness='2e6' carom:dissipation='0.01'"};
  int compared = 0;
  for (int i = 0; i < 6; i++) {
    char text[1000];
    snprintf(text, sizeof text, TEXT, STIFF[i / 3]);
    carom_sim_def def = step_differences_def(step_schemes[i % 3], CAROM_FRICTION_COULOMB);
    step_differences d = step_differences_create(text, &def, 0);
    const double way[3] = {0.1, 0.2, 0.3}, turn[3] = {0, 0, 1};
    assert_int_equal(carom_sim_set_motion(d.sim, 1, way, turn, NULL), 0);
    for (int k = 0; k < 20; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    if (!step_differences_has_kink(&d) && d.found.num_held == 0) {
      step_differences_expect(&d, 1e-5, 3e-7);
      compared++;
    }
    step_differences_destroy(&d);
  }
  assert_int_equal(compared, 6);
}

/* Springs and dampers. */
static void test_compliant(void** state) {
  (void)state;
  const char* option = "carom:contact_stiffness='2e6' carom:contact_dissipation='0.01'";
  expect_under(option, FREE("0 0 0.1", "size='0.1'"), (course){60, 0.5, 2e-4});
  expect_under(option, FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'"), (course){60, 0.2, 2e-4});
}

/* Dissipation that follows from the mobility, of bodies and of a leg. */
static void test_critical(void** state) {
  (void)state;
  expect_under("carom:contact_stiffness='2e6'", FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'"),
               (course){60, 0.2, 2e-4});
  expect_under("carom:contact_stiffness='3e5'",
               "<body pos='0 0 0.45'><joint type='slide' axis='0 0 1'/>"
               "<joint type='slide' axis='1 0 0'/><geom type='box' size='0.1 0.1 0.05'/>"
               "<body euler='0 40 0'><joint axis='0 1 0' stiffness='300' damping='0.02'/>"
               "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.03'/>"
               "<body pos='0 0 -0.25' euler='0 -70 10'><joint axis='0 1 0' stiffness='300'/>"
               "<joint axis='1 0 0' stiffness='300' damping='0.02'/>"
               "<geom pos='0 0 -0.27' size='0.03'/></body></body></body>",
               (course){50, 0.1, 4e-5});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_belts),       cmocka_unit_test(test_driven),
      cmocka_unit_test(test_ball),        cmocka_unit_test(test_box),
      cmocka_unit_test(test_kinks),       cmocka_unit_test(test_ellipsoid),
      cmocka_unit_test(test_ball_on_box), cmocka_unit_test(test_box_on_box),
      cmocka_unit_test(test_leg),         cmocka_unit_test(test_moments),
      cmocka_unit_test(test_compliant),   cmocka_unit_test(test_critical),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
