/* The step of an impact: what is about to have an impact, and all that hangs together with it,
 * takes (theta_q, theta_vq) = (0, 1) and does not bounce; everything else keeps the scheme, to the
 * bit.
 */
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DT 0.01

/* How a free body's position advanced: by the velocity at the end of the step, or by the mean. */
typedef enum advance { BY_MEAN, BY_END, BY_EITHER } advance;

/* One step; finds for each free body (coordinates 7, velocities 6 each) how it advanced. */
static carom_step_report step_and_look(world* w, int bodies, advance* how) {
  double q0[7 * 8], v0[6 * 8];
  memcpy(q0, world_q(w), sizeof(double) * 7 * (size_t)bodies);
  memcpy(v0, world_v(w), sizeof(double) * 6 * (size_t)bodies);
  carom_step_report report = world_step(w);
  for (int b = 0; b < bodies; b++) {
    double moved = world_q(w)[7 * b + 2] - q0[7 * b + 2];
    double end = DT * world_v(w)[6 * b + 2], mean = 0.5 * (end + DT * v0[6 * b + 2]);
    how[b] = fabs(end - mean) < 1e-12 ? BY_EITHER : fabs(moved - end) < 1e-13 ? BY_END : BY_MEAN;
    if (how[b] == BY_MEAN) check_near(moved, mean, 1e-13);
  }
  return report;
}

/* --- Landing ------------------------------------------------------------------------------------
 */

/* Boxes and balls on a floor: struck once or twice on landing, never again, and no rebound. An area
 * gives way by some 1e-5 of the speed, which counts as another one. */
static void check_landing(const char* geom, carom_scheme scheme) {
  char text[400];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .5'><freejoint/>"
           "<geom %s/></body></worldbody></mujoco>",
           geom);
  carom_sim_def def = world_def(DT, scheme);
  world w = world_create(text, &def);
  double impact = 0, rebound = 0;
  int struck = 0;
  for (int i = 0; i < 100; i++) {
    carom_step_report report = world_step(&w);
    impact = fmin(impact, world_v(&w)[2]);
    if (report.impact_islands) assert_true(impact < -1);
    struck += report.impact_islands;
    if (struck) rebound = fmax(rebound, world_v(&w)[2]);
    if (i > 60 && scheme != CAROM_EXPLICIT) assert_int_equal(report.impact_islands, 0);
  }
  assert_true(struck >= 1);
  if (scheme != CAROM_EXPLICIT) assert_true(struck <= (strstr(geom, "box") ? 3 : 2));
  if (rebound > 1e-3 * -impact)
    fail_msg("%s, scheme %d: rebound of %g after %g m/s", geom, (int)scheme, rebound, -impact);
  world_destroy(&w);
}

static void test_landing(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    check_landing("size='.1'", (carom_scheme)scheme);
    check_landing("type='box' size='.1 .08 .05'", (carom_scheme)scheme);
    check_landing("type='capsule' size='.05 .1'", (carom_scheme)scheme);
  }
}

/* A slide that falls on its limit. */
static void test_limit(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(DT, (carom_scheme)scheme);
    world w = world_create("<mujoco><worldbody><body><joint type='slide' axis='0 0 1' "
                           "range='-.5 2'/><geom size='.1'/></body></worldbody></mujoco>",
                           &def);
    int struck = 0;
    double rebound = 0;
    for (int i = 0; i < 100; i++) {
      struck += world_step(&w).impact_islands;
      if (struck) rebound = fmax(rebound, world_v(&w)[0]);
    }
    assert_in_range(struck, 1, 2);
    assert_true(rebound <= 1e-3 * sqrt(2 * 9.81 * 0.5));
    check_near(world_q(&w)[0], -0.5, 1e-4);
    world_destroy(&w);
  }
}

/* --- Who takes part -----------------------------------------------------------------------------
 */

static const char STACK[] =
    "<mujoco><worldbody><geom type='plane' size='3 3 1'/>"
    "<body pos='0 0 .1'><freejoint/><geom type='box' size='.2 .2 .1'/></body>"
    "<body pos='0 0 .3'><freejoint/><geom type='box' size='.2 .2 .1'/></body>"
    "<body pos='0 0 1'><freejoint/><geom type='box' size='.2 .2 .1'/></body>"
    "<body pos='2 0 .1'><freejoint/><geom type='box' size='.2 .2 .1'/></body>"
    "<body pos='-2 0 9'><freejoint/><geom type='box' size='.2 .1 .3'/></body>"
    "</worldbody></mujoco>";

/* A box falls on a stack: one island has an impact, and the box beside it, at rest, and the one in
 * the air keep the midpoint rule. */
static void test_stack(void** state) {
  (void)state;
  carom_sim_def def = world_def(DT, CAROM_MIDPOINT);
  world w = world_create(STACK, &def);
  advance how[5];
  int struck = 0, together = 0;
  for (int i = 0; i < 100; i++) {
    carom_step_report report = step_and_look(&w, 5, how);
    assert_true(report.impact_islands <= 1);
    assert_int_not_equal(how[3], BY_END);
    assert_int_equal(how[4], BY_MEAN);
    struck += report.impact_islands;
    if (report.impact_islands) assert_int_equal(how[2], BY_END);
    together += report.impact_islands && how[0] != BY_MEAN && how[1] != BY_MEAN;
  }
  assert_true(struck > 0);
  assert_int_equal(together, struck);
  world_destroy(&w);
}

/* A ball that lands is tied to another in the air: both take the step of the impact, the third does
 * not. */
static void test_tied(void** state) {
  (void)state;
  carom_sim_def def = world_def(DT, CAROM_MIDPOINT);
  world w =
      world_create("<mujoco><worldbody><geom type='plane' size='3 3 1'/>"
                   "<body name='a' pos='0 0 .5'><freejoint/><geom size='.1'/></body>"
                   "<body name='b' pos='0 0 .9'><freejoint/><geom size='.1'/></body>"
                   "<body name='c' pos='1 0 .9'><freejoint/><geom size='.1'/></body></worldbody>"
                   "<equality><connect body1='a' body2='b' anchor='0 0 .2'/></equality></mujoco>",
                   &def);
  advance how[3];
  int struck = 0;
  for (int i = 0; i < 32; i++) {
    carom_step_report report = step_and_look(&w, 3, how);
    assert_int_equal(how[2], BY_MEAN);
    if (report.impact_islands == 0) {
      assert_true(i > 27 || (how[0] == BY_MEAN && how[1] == BY_MEAN));
      continue;
    }
    struck++;
    assert_int_equal(report.impact_islands, 1);
    assert_true(how[0] != BY_MEAN && how[1] != BY_MEAN);
  }
  assert_in_range(struck, 1, 3);
  world_destroy(&w);
}

/* With the contact timing of the scheme nothing has an impact. */
static void test_scheme_timing(void** state) {
  (void)state;
  carom_sim_def def = world_def(DT, CAROM_MIDPOINT);
  def.contact = CAROM_CONTACT_SCHEME;
  world w = world_create("<mujoco><worldbody><geom type='plane' size='3 3 1'/><body pos='0 0 .5'>"
                         "<freejoint/><geom size='.1' carom:stiffness='1e4' "
                         "carom:dissipation='0'/></body></worldbody></mujoco>",
                         &def);
  advance how[1];
  double rebound = 0;
  for (int i = 0; i < 60; i++) {
    assert_int_equal(step_and_look(&w, 1, how).impact_islands, 0);
    assert_int_not_equal(how[0], BY_END);
    rebound = fmax(rebound, world_v(&w)[2]);
  }
  /* Without damping it comes back. */
  assert_true(rebound > 0.9 * sqrt(2 * 9.81 * 0.4));
  world_destroy(&w);
}

/* --- Independence -------------------------------------------------------------------------------
 */

#define FLYER                                                                          \
  "<body pos='5 0 9'><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='.03 .02 " \
  ".04'/></body>"
#define FLOOR "<geom type='plane' size='3 3 1'/>"
#define TUMBLE \
  "<body pos='0 0 .6' euler='20 30 0'><freejoint/><geom type='box' size='.2 .1 .05'/></body>"

/* A body in flight has the same bits with and without another that lands and tumbles meanwhile. */
static void test_bystander(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(DT, (carom_scheme)scheme);
    world alone = world_create("<mujoco><worldbody>" FLOOR FLYER "</worldbody></mujoco>", &def);
    world busy =
        world_create("<mujoco><worldbody>" FLOOR FLYER TUMBLE "</worldbody></mujoco>", &def);
    double v[12] = {1, 2, 3, 4, 5, 6, 0.3};
    int struck = 0;
    world_set(&alone, NULL, v);
    world_set(&busy, NULL, v);
    for (int i = 0; i < 100; i++) {
      world_step(&alone);
      struck += world_step(&busy).impact_islands;
      assert_memory_equal(world_q(&alone), world_q(&busy), 7 * sizeof(double));
      assert_memory_equal(world_v(&alone), world_v(&busy), 6 * sizeof(double));
    }
    assert_true(struck > 0);
    world_destroy(&alone);
    world_destroy(&busy);
  }
}

/* Two tumbling boxes far apart are two islands: each as if it were alone, but for round-off, which
 * a tumble amplifies. */
static void test_two_islands(void** state) {
  (void)state;
  carom_sim_def def = world_def(DT, CAROM_MIDPOINT);
  world one = world_create("<mujoco><worldbody>" FLOOR TUMBLE "</worldbody></mujoco>", &def);
  world two = world_create("<mujoco><worldbody>" FLOOR TUMBLE
                           "<body pos='4 0 .8' euler='0 40 0'><freejoint/><geom type='box' "
                           "size='.2 .1 .05'/></body></worldbody></mujoco>",
                           &def);
  int islands = 0;
  for (int i = 0; i < 150; i++) {
    world_step(&one);
    int now = world_step(&two).islands;
    islands = now > islands ? now : islands;
    check_near_array(world_q(&one), world_q(&two), 7, 1e-7);
    check_near_array(world_v(&one), world_v(&two), 6, 1e-6);
  }
  assert_int_equal(islands, 2);
  world_destroy(&one);
  world_destroy(&two);
}

/* Bodies that a spring joins go on as they do where nothing else is, while a ball lands. */
static void test_springs_elsewhere(void** state) {
  (void)state;
  static const char SPRUNG[] =
      "<mujoco><worldbody><geom type='plane' size='5 5 1'/>%s"
      "<body pos='0 0 3'><freejoint/><geom size='.1'/><site name='a' pos='.1 0 0'/></body>"
      "<body pos='.5 0 3.2'><freejoint/><geom size='.1'/><site name='b' pos='0 .1 0'/></body>"
      "</worldbody><tendon><spatial stiffness='200' springlength='.2'><site site='a'/>"
      "<site site='b'/></spatial></tendon></mujoco>";
  static const char BALL[] = "<body pos='3 0 .6'><joint type='slide' axis='0 0 1'/>"
                             "<geom size='.1'/></body>";
  char with[1000], without[1000];
  snprintf(with, sizeof with, SPRUNG, BALL);
  snprintf(without, sizeof without, SPRUNG, "");
  carom_sim_def def = world_def(DT, CAROM_MIDPOINT);
  world a = world_create(with, &def), b = world_create(without, &def);
  int struck = 0;
  for (int i = 0; i < 50; i++) {
    struck += world_step(&a).impact_islands;
    world_step(&b);
    for (int k = 0; k < 12; k++) assert_true(world_v(&a)[k + 1] == world_v(&b)[k]);
  }
  assert_true(struck >= 1);
  world_destroy(&a), world_destroy(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_landing),       cmocka_unit_test(test_limit),
      cmocka_unit_test(test_stack),         cmocka_unit_test(test_tied),
      cmocka_unit_test(test_scheme_timing), cmocka_unit_test(test_bystander),
      cmocka_unit_test(test_two_islands),   cmocka_unit_test(test_springs_elsewhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
