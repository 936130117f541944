/* What a step says of its contacts: states, impulses, slip and float, against closed forms of a box
 * and a ball on an incline. */
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81

/* A box on a floor with friction .5, under gravity turned by an angle. */
static world make_incline(double angle, const carom_sim_def* def) {
  char text[500];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%.17g 0 %.17g' carom:patches='corners'/><worldbody>"
           "<geom type='plane' size='1 1 1' "
           "friction='.5'/><body pos='0 0 .05'><freejoint/><geom type='box' size='.2 .1 .05' "
           "mass='3' friction='.5'/></body></worldbody></mujoco>",
           G * sin(angle), -G * cos(angle));
  return world_create(text, def);
}

/* Sum of the impulses on the box, in world axes, and how many contacts are in a state. */
static void sum_contacts(const world* w, double sum[3], int counts[3]) {
  int count;
  const carom_contact* contacts = carom_sim_contacts(w->sim, &count);
  memset(sum, 0, 3 * sizeof(double));
  memset(counts, 0, 3 * sizeof(int));
  for (int i = 0; i < count; i++) {
    counts[contacts[i].state]++;
    for (int k = 0; k < 3; k++) sum[k] += contacts[i].impulse[k];
    check_near(contacts[i].normal[2], 1, 1e-12);
    assert_int_equal(contacts[i].geom1, 0);
    assert_int_equal(contacts[i].geom2, 1);
  }
}

static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX,
                                      CAROM_FRICTION_LAGGED, CAROM_FRICTION_ANCHORED};

/* Below the angle of friction: all four corners stick, carry the weight, and do not slip. */
static void test_sticking(void** state) {
  (void)state;
  for (int law = 0; law < 4; law++) {
    carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
    def.friction = LAWS[law];
    double angle = 0.9 * atan(0.5), sum[3];
    int counts[3];
    world w = make_incline(angle, &def);
    world_run(&w, 20);
    for (int i = 0; i < 100; i++) {
      carom_step_report report = world_step(&w);
      sum_contacts(&w, sum, counts);
      assert_int_equal(counts[CAROM_STICKING], 4);
      assert_int_equal(report.contacts, 4);
      check_near(sum[0], -3 * G * sin(angle) * def.dt, 1e-6);
      check_near(sum[2], 3 * G * cos(angle) * def.dt, 1e-6);
      assert_true(report.stick_slip <= 1e-6);
      check_near(report.float_distance, 0, 0);
    }
    check_near(world_v(&w)[0], 0, 1e-6);
    world_destroy(&w);
  }
}

/* Beyond it: all slide, with friction at its bound against the motion, and a = g (sin - mu cos). */
static void test_sliding(void** state) {
  (void)state;
  for (int law = 0; law < 4; law++) {
    carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
    def.friction = LAWS[law];
    double angle = 1.3 * atan(0.5), sum[3], a = G * (sin(angle) - 0.5 * cos(angle));
    int counts[3];
    world w = make_incline(angle, &def);
    world_run(&w, 50);
    for (int i = 0; i < 50; i++) {
      double v0 = world_v(&w)[0];
      world_step(&w);
      sum_contacts(&w, sum, counts);
      assert_int_equal(counts[CAROM_STICKING], 0);
      assert_true(counts[CAROM_SLIDING] >= 2);
      check_near((world_v(&w)[0] - v0) / def.dt, a, 1e-3 * a);
      check_near(-sum[0], 0.5 * sum[2], 1e-4 * sum[2]);
    }
    world_destroy(&w);
  }
}

/* Pressed twice as hard, a box that slides has for one step half of the friction that the new load
 * would allow: with lagged friction it slides nevertheless. */
static void test_sliding_under_a_growing_load(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_IMPLICIT);
  def.friction = CAROM_FRICTION_LAGGED;
  const double v[6] = {2}, press[3] = {0, 0, -3 * G}, zero[3] = {0};
  double sum[3];
  int counts[3];
  world w = make_incline(0, &def);
  world_set(&w, NULL, v);
  world_run(&w, 5);
  carom_error error;
  check_ok(carom_sim_set_wrench(w.sim, 1, press, zero, &error), &error);
  for (int i = 0; i < 2; i++) {
    carom_step_report report = world_step(&w);
    sum_contacts(&w, sum, counts);
    assert_int_equal(counts[CAROM_STICKING], 0);
    assert_true(counts[CAROM_SLIDING] >= 2);
    check_near(report.stick_slip, 0, 0);
    check_near(-sum[0], 0.5 * (i + 1) * 3 * G * def.dt, 1e-4 * 3 * G * def.dt);
  }
  world_destroy(&w);
}

/* A convex contact that slides floats by (dt + tau) mu v, as the report says; a Coulomb contact
 * does not. A plate gathers speed slowly, so that it does not hop. */
static void test_float(void** state) {
  (void)state;
  const double a = 0.5, push[3] = {0.5 * 3 * G + 3 * a, 0, 0}, zero[3] = {0, 0, 0};
  for (int law = 0; law < 2; law++) {
    carom_sim_def def = world_def(0.01, CAROM_IMPLICIT);
    def.friction = LAWS[law];
    world w = world_create("<mujoco><worldbody><geom type='plane' size='1 1 1' friction='.5'/>"
                           "<body pos='0 0 .001'><freejoint/><geom type='box' size='.3 .3 .001' "
                           "mass='3' friction='.5'/></body></worldbody></mujoco>",
                           &def);
    assert_int_equal(carom_sim_set_wrench(w.sim, 1, push, zero, NULL), CAROM_OK);
    for (int i = 1; i <= 200; i++) {
      carom_step_report report = world_step(&w);
      double speed = world_v(&w)[0], height = law == 1 ? def.dt * 0.5 * speed : 0;
      /* When it starts to rise at mu v the floor pushes by m mu v more, which costs mu² a dt. */
      check_near(speed, a * def.dt * i, 1.01 * 0.25 * a * def.dt);
      check_near(world_q(&w)[2] - 0.001, height, 1e-6);
      check_near(report.float_distance, height, 1e-6);
    }
    world_destroy(&w);
  }
}

/* Points found without a step: where a box lies and where a ball hangs above the floor. */
static void test_contacts_of_a_state(void** state) {
  (void)state;
  world w = make_incline(0, NULL);
  const carom_contact* contacts;
  int count;
  assert_int_equal(carom_sim_compute_contacts(w.sim, &contacts, &count, NULL), CAROM_OK);
  assert_int_equal(count, 4);
  for (int i = 0; i < count; i++) {
    check_near(fabs(contacts[i].position[0]), 0.2, 1e-12);
    check_near(fabs(contacts[i].position[1]), 0.1, 1e-12);
    check_near(contacts[i].distance, 0, 1e-12);
    const double zero[3] = {0, 0, 0};
    check_near_array(contacts[i].impulse, zero, 3, 0);
  }
  double q[7];
  memcpy(q, world_q(&w), sizeof q);
  q[2] = 0.05 + 1e-5;
  world_set(&w, q, NULL);
  assert_int_equal(carom_sim_compute_contacts(w.sim, &contacts, &count, NULL), CAROM_OK);
  assert_int_equal(count, 0);
  q[2] = 0.04;
  world_set(&w, q, NULL);
  assert_int_equal(carom_sim_compute_contacts(w.sim, &contacts, &count, NULL), CAROM_OK);
  assert_int_equal(count, 4);
  for (int i = 0; i < count; i++) check_near(contacts[i].distance, -0.01, 1e-12);
  world_destroy(&w);
}

/* With contacts disabled everything falls through. */
static void test_disabled(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
  def.disable_contacts = true;
  world w = make_incline(0, &def);
  for (int i = 0; i < 100; i++) assert_int_equal(world_step(&w).contacts, 0);
  check_near(world_q(&w)[2], 0.05 - 0.5 * G, 1e-12);
  world_destroy(&w);
}

/* A box put into the floor comes out no faster than the recovery speed allows. */
static void test_recovery(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
    def.recovery_speed = k ? 0.1 : 0.25;
    world w = make_incline(0, &def);
    double q[7], fastest = 0;
    memcpy(q, world_q(&w), sizeof q);
    q[2] = 0.03;
    world_set(&w, q, NULL);
    for (int i = 0; i < 100; i++) {
      double before = world_q(&w)[2];
      world_step(&w);
      fastest = fmax(fastest, (world_q(&w)[2] - before) / def.dt);
    }
    assert_true(fastest <= def.recovery_speed * (1 + 1e-6));
    assert_true(fastest >= 0.9 * def.recovery_speed);
    check_near(world_q(&w)[2], 0.05, 1e-4);
    world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sticking),
                                     cmocka_unit_test(test_sliding),
                                     cmocka_unit_test(test_sliding_under_a_growing_load),
                                     cmocka_unit_test(test_float),
                                     cmocka_unit_test(test_contacts_of_a_state),
                                     cmocka_unit_test(test_disabled),
                                     cmocka_unit_test(test_recovery)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
