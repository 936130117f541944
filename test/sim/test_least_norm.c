/* The least of undetermined forces (carom_sim_def.forces): known ones in closed form, the same for
 * any order of bodies and whatever was before, and the same motion. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 9.81

static carom_sim_def least(void) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
  def.forces = CAROM_FORCES_LEAST;
  def.tolerance = 1e-11;
  def.sleep_share = 0;
  return def;
}

static carom_step_report step(simulation* s) {
  carom_error error;
  carom_step_report report;
  check_ok(carom_sim_step(s->sim, &report, &error), &error);
  assert_int_equal(report.outcome, CAROM_STEP_DONE);
  return report;
}

static double push(const simulation* s, const char* a, const char* b) {
  int first = a ? carom_model_find_body(s->model, a) : 0;
  return carom_sim_sum_contacts(s->sim, first, carom_model_find_body(s->model, b)).normal;
}

/* --- A table ------------------------------------------------------------------------------------
 */

/* A table on four balls, in any order, each on a tile of its own: a quarter of the weight each, and
 * where a weight stands off the middle, that which is linear in the place. */
static void make_table(char* text, size_t size, const int order[4], double x, double y) {
  int n = snprintf(text, size, "<mujoco><option gravity='0 0 -9.81'/><worldbody>");
  for (int k = 0; k < 4; k++) {
    int leg = order[k];
    n += snprintf(text + n, size - (size_t)n,
                  "<body name='tile%d' pos='%g %g -.05'><geom type='box' size='.1 .1 .05'/></body>",
                  leg, leg % 2 ? .5 : -.5, leg / 2 ? .3 : -.3);
  }
  n += snprintf(text + n, size - (size_t)n,
                "<body name='table' pos='0 0 .1'><freejoint/>"
                "<geom type='box' size='.6 .4 .02' mass='10' pos='0 0 .1' contype='0'/>"
                "<geom size='.01' mass='2' pos='%g %g .1' contype='0'/>",
                x, y);
  for (int k = 0; k < 4; k++)
    n += snprintf(text + n, size - (size_t)n,
                  "<geom size='.1' pos='%g %g 0' mass='0.1' friction='.5'/>",
                  order[k] % 2 ? .5 : -.5, order[k] / 2 ? .3 : -.3);
  snprintf(text + n, size - (size_t)n, "</body></worldbody></mujoco>");
}

static void test_table(void** state) {
  (void)state;
  static const int ORDERS[][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 0, 3, 1}};
  static const double PLACES[][2] = {{0, 0}, {0.3, 0.1}};
  for (int k = 0; k < 3; k++)
    for (int w = 0; w < 2; w++) {
      char text[4000], name[16];
      double x = PLACES[w][0], y = PLACES[w][1];
      make_table(text, sizeof text, ORDERS[k], x, y);
      carom_sim_def def = least();
      simulation s = simulation_create(text, &def);
      for (int i = 0; i < 50; i++) assert_true(step(&s).is_least_norm);
      for (int leg = 0; leg < 4; leg++) {
        snprintf(name, sizeof name, "tile%d", leg);
        double sx = leg % 2 ? 1 : -1, sy = leg / 2 ? 1 : -1;
        double expected = 10.4 * G / 4 + 2 * G / 4 * (1 + sx * x / .5 + sy * y / .3);
        check_near(push(&s, name, "table"), expected, 1e-6);
      }
      simulation_destroy(&s);
    }
}

/* Without friction three legs bear what they must; four share one force; of four and a ball that
 * stands beside the table they alone. */
static void test_shared(void** state) {
  (void)state;
  for (int legs = 3; legs <= 4; legs++) {
    char text[2000];
    int n =
        snprintf(text, sizeof text,
                 "<mujoco><option gravity='0 0 -9.81'/><default><geom condim='1'/></default>"
                 "<worldbody><geom type='plane' size='9 9 1'/><body pos='2 0 .1'><freejoint/>"
                 "<geom size='.1' mass='1'/></body><body name='table' pos='0 0 .1'><freejoint/>");
    for (int k = 0; k < legs; k++)
      n += snprintf(text + n, sizeof text - (size_t)n, "<geom size='.1' pos='%g %g 0' mass='1'/>",
                    k % 2 ? .5 : -.5, k / 2 ? .3 : -.3);
    snprintf(text + n, sizeof text - (size_t)n, "</body></worldbody></mujoco>");
    carom_sim_def def = least();
    simulation s = simulation_create(text, &def);
    carom_step_report report = step(&s);
    int count;
    const carom_contact* contacts = carom_sim_contacts(s.sim, &count);
    assert_int_equal(report.undetermined, legs == 4 ? 4 : 0);
    assert_int_equal(count, legs + 1);
    for (int i = 0; i < count; i++)
      assert_int_equal(contacts[i].shared_force, legs == 4 && contacts[i].position[0] < 1);
    simulation_destroy(&s);
  }
}

/* Who shares with whom: two tables without friction, of which one stands on the other, share a
 * force each, though they are joined; a ball on a slide stands on the ground and on the slide's
 * end. */
static void test_groups(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option gravity='0 0 -9.81'/><default><geom condim='1' mass='1'/></default>"
      "<worldbody><geom type='plane' size='9 9 1'/>"
      "<body pos='0 0 .1'><freejoint/><geom size='.1' pos='.5 .3 0'/><geom size='.1' pos='-.5 .3 "
      "0'/>"
      "<geom size='.1' pos='.5 -.3 0'/><geom size='.1' pos='-.5 -.3 0'/>"
      "<geom type='box' size='.6 .4 .05' pos='0 0 .15'/></body>"
      "<body pos='0 0 .4'><freejoint/><geom size='.1' pos='.3 .2 0'/><geom size='.1' pos='-.3 .2 "
      "0'/>"
      "<geom size='.1' pos='.3 -.2 0'/><geom size='.1' pos='-.3 -.2 0'/></body>"
      "<body pos='4 0 .1'><joint type='slide' axis='0 0 1' range='0 1' limited='true'/><geom "
      "size='.1'/>"
      "</body></worldbody></mujoco>";
  carom_sim_def def = least();
  simulation s = simulation_create(TEXT, &def);
  carom_step_report report = step(&s);
  carom_joint_reaction reactions[3];
  carom_error error;
  int count, group[3] = {0};
  const carom_contact* contacts = carom_sim_contacts(s.sim, &count);
  assert_int_equal(report.undetermined, 10);
  assert_int_equal(report.undetermined_groups, 3);
  for (int i = 0; i < count; i++) {
    int of = contacts[i].position[0] > 3 ? 2 : contacts[i].position[2] < 0.1 ? 0 : 1;
    if (group[of] == 0) group[of] = contacts[i].shared_force;
    assert_int_equal(contacts[i].shared_force, group[of]);
  }
  assert_int_equal(group[0] + group[1] + group[2], 6);
  assert_int_equal(group[0] * group[1] * group[2], 6);
  check_ok(carom_sim_compute_joint_reactions(s.sim, reactions, &error), &error);
  for (int j = 0; j < 3; j++) assert_int_equal(reactions[j].shared_limit, j == 2 ? group[2] : 0);
  simulation_destroy(&s);
}

/* Three balls on the ground that touch each other, and one on them: alike to all three. */
static void test_pyramid(void** state) {
  (void)state;
  char text[2000];
  int n = snprintf(text, sizeof text,
                   "<mujoco><option gravity='0 0 -9.81'/><default><geom friction='.9'/></default>"
                   "<worldbody><geom type='plane' size='9 9 1'/>");
  for (int k = 0; k < 4; k++) {
    double angle = 2 * M_PI * k / 3, r = k < 3 ? .2 / sqrt(3) : 0;
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "<body name='b%d' pos='%.17g %.17g %.17g'><freejoint/><geom size='.1' mass='1'/>"
                  "</body>",
                  k, r * cos(angle), r * sin(angle), k < 3 ? .1 : .1 + .2 * sqrt(2. / 3));
  }
  snprintf(text + n, sizeof text - (size_t)n, "</worldbody></mujoco>");
  carom_sim_def def = least();
  simulation s = simulation_create(text, &def);
  for (int i = 0; i < 5; i++) assert_true(step(&s).is_least_norm);
  for (int k = 0; k < 3; k++) {
    char name[16], next[16];
    snprintf(name, sizeof name, "b%d", k), snprintf(next, sizeof next, "b%d", (k + 1) % 3);
    check_near(push(&s, name, "b3"), push(&s, "b0", "b3"), 1e-8 * G);
    check_near(push(&s, NULL, name), 4 * G / 3, 1e-8 * G);
    check_near(push(&s, name, next), push(&s, "b0", "b1"), 1e-8 * G);
  }
  simulation_destroy(&s);
}

/* --- Wedged -------------------------------------------------------------------------------------
 */

/* A ball in a groove whose walls rise at an angle a, on either side: normal force N and friction T
 * up each wall bear it for N cos a + T sin a = m g / 2. The least have T = N tan a where friction
 * allows it, so that each wall pushes straight up, else T = mu N. A third wall that it just touches
 * in front has none to bear. */
static void test_wedged(void** state) {
  (void)state;
  static const double ANGLES[] = {20, 45};
  for (int k = 0; k < 2; k++) {
    char text[2000];
    double a = ANGLES[k] * M_PI / 180, mu = 0.5, t = fmin(tan(a), mu);
    snprintf(
        text, sizeof text,
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><default>"
        "<geom friction='.5'/></default><worldbody>"
        "<body name='left' pos='%.17g 0 %.17g' euler='0 %.17g 0'><geom type='box' size='.3 1 .1'/>"
        "</body><body name='right' pos='%.17g 0 %.17g' euler='0 %.17g 0'>"
        "<geom type='box' size='.3 1 .1'/></body>"
        "<body name='front' pos='0 -.2 0'><geom type='box' size='.1 .1 .1'/></body>"
        "<body name='ball'><freejoint/><geom size='.1' mass='3'/></body></worldbody></mujoco>",
        -.2 * sin(a), -.2 * cos(a), a, .2 * sin(a), -.2 * cos(a), -a);
    carom_sim_def def = least();
    simulation s = simulation_create(text, &def);
    for (int i = 0; i < 20; i++) assert_true(step(&s).is_least_norm);
    double expected = 3 * G / 2 / (cos(a) + t * sin(a));
    check_near(push(&s, "left", "ball"), expected, 1e-6);
    check_near(push(&s, "right", "ball"), expected, 1e-6);
    check_near(push(&s, "front", "ball"), 0, 1e-6);
    simulation_destroy(&s);
  }
}

/* --- A wall -------------------------------------------------------------------------------------
 */

/* Three by three blocks on each other, in two orders of bodies and with another way to where they
 * stand: the forces between any two are the same. */
static void make_wall(char* text, size_t size, bool turned) {
  int n = snprintf(text, size,
                   "<mujoco><option gravity='0 0 -9.81'/><default><geom friction='.6'/></default>"
                   "<worldbody><geom type='plane' size='9 9 1'/>");
  for (int k = 0; k < 9; k++) {
    int i = turned ? 8 - k : k, row = i / 3;
    double x = (i % 3 - 1) * .2 + (row == 1 ? .06 : 0);
    n += snprintf(text + n, size - (size_t)n,
                  "<body name='b%d' pos='%.17g 0 %.17g'><freejoint/>"
                  "<geom type='box' size='.1 .1 .05' mass='%d'/></body>",
                  i, x, .05 + .1 * row, 1 + i % 3);
  }
  snprintf(text + n, size - (size_t)n, "</worldbody></mujoco>");
}

static void test_order(void** state) {
  (void)state;
  double force[2][9][9];
  for (int k = 0; k < 2; k++) {
    char text[4000];
    make_wall(text, sizeof text, k == 1);
    carom_sim_def def = least();
    def.patches = CAROM_PATCHES_CORNERS; /* which hardly give way at all */
    simulation s = simulation_create(text, &def);
    carom_error error;
    if (k == 1) { /* it was pushed before */
      const double aside[3] = {1, 0.5, 0}, none[3] = {0};
      check_ok(carom_sim_set_wrench(s.sim, 3, aside, none, &error), &error);
      for (int i = 0; i < 5; i++) step(&s);
      check_ok(carom_sim_set_wrench(s.sim, 3, none, none, &error), &error);
    }
    for (int i = 0; i < 10; i++) assert_true(step(&s).is_least_norm);
    for (int a = 0; a < 9; a++)
      for (int b = 0; b < 9; b++) {
        char names[2][16];
        snprintf(names[0], sizeof names[0], "b%d", a),
            snprintf(names[1], sizeof names[1], "b%d", b);
        force[k][a][b] = push(&s, names[0], names[1]);
      }
    simulation_destroy(&s);
  }
  for (int a = 0; a < 9; a++)
    for (int b = 0; b < 9; b++) check_near(force[1][a][b], force[0][a][b], 1e-9 * 18 * G);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),   cmocka_unit_test(test_shared), cmocka_unit_test(test_groups),
      cmocka_unit_test(test_pyramid), cmocka_unit_test(test_wedged), cmocka_unit_test(test_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
