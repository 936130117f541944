/* Constraints of the model: limits, equalities and dry friction against closed forms and against
 * joints that do the same. */
#include "support/scene.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81

/* A 2 kg slide along the vertical with more attributes. */
static world make_slide(const char* attributes, const carom_sim_def* def) {
  char text[600];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body><joint type='slide' axis='0 0 1' %s/>"
           "<geom size='.1' mass='2'/></body></worldbody></mujoco>",
           attributes);
  return world_create(text, def);
}

/* --- Limits -------------------------------------------------------------------------------------
 */

/* Both ends of a rigid limit, by gravity and against it; a compliant one sags by load / k. Rigid
 * rows carry a compliance of 1e-9 of their Delassus scale: dt² g 1e-9 at most, over and over. */
static void test_limits_hold(void** state) {
  (void)state;
  const double up[3] = {0, 0, 2 * 2 * G}, zero[3] = {0, 0, 0};
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.005, (carom_scheme)scheme);
    world rigid = make_slide("range='-.3 .2'", &def);
    world soft = make_slide("range='-.3 .2' carom:limit_stiffness='2e4'", &def);
    for (int side = 0; side < 2; side++) {
      double end = side ? 0.2 : -0.3, sag = 2 * G / 2e4;
      assert_int_equal(carom_sim_set_wrench(rigid.sim, 1, side ? up : zero, zero, NULL), CAROM_OK);
      assert_int_equal(carom_sim_set_wrench(soft.sim, 1, side ? up : zero, zero, NULL), CAROM_OK);
      world_run(&rigid, 400);
      world_run(&soft, 600);
      check_near(world_q(&rigid)[0], end, 1e-6);
      check_near(world_v(&rigid)[0], 0, 1e-6);
      check_near(world_q(&soft)[0], side ? end + sag : end - sag, 1e-6);
    }
    world_destroy(&rigid);
    world_destroy(&soft);
  }
}

/* A swing on a ball joint stops at its angle, whatever the direction. */
static void test_ball_limit(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  world w = world_create("<mujoco><worldbody><body pos='0 0 1'><joint type='ball' range='0 40'/>"
                         "<geom size='.05' pos='.2 .1 0'/></body></worldbody></mujoco>",
                         &def);
  double most = 0, limit = 40 * 3.14159265358979323846 / 180;
  for (int i = 0; i < 1000; i++) {
    world_step(&w);
    const double* q = world_q(&w);
    double angle = 2 * atan2(sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), fabs(q[0]));
    most = fmax(most, angle);
    /* The axis turns while it is pushed: an error of second order in the step's turn, taken back.
     */
    assert_true(angle <= limit + 1e-3);
  }
  assert_true(most >= limit - 1e-3);
  world_destroy(&w);
}

/* Disabled limits and limits that are far do nothing, to the bit. */
static void test_idle_limit(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  world with = make_slide("range='-100 100' stiffness='30' damping='.1'", &def);
  world without = make_slide("stiffness='30' damping='.1'", &def);
  for (int i = 0; i < 300; i++) {
    world_step(&with);
    world_step(&without);
    world_expect_twins(&with, &without);
  }
  world_destroy(&with);
  world_destroy(&without);
}

/* --- Dry friction -------------------------------------------------------------------------------
 */

/* Below its force nothing moves at all; beyond, the rest accelerates. */
static void test_dry_friction(void** state) {
  (void)state;
  const double zero[3] = {0, 0, 0};
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.005, (carom_scheme)scheme);
    world w = make_slide("frictionloss='7'", &def);
    double weight = 2 * G, push[3] = {0, 0, weight + 6.5};
    assert_int_equal(carom_sim_set_wrench(w.sim, 1, push, zero, NULL), CAROM_OK);
    world_run(&w, 200);
    check_near(world_v(&w)[0], 0, 1e-12);
    check_near(world_q(&w)[0], 0, 1e-12);
    push[2] = weight + 9;
    assert_int_equal(carom_sim_set_wrench(w.sim, 1, push, zero, NULL), CAROM_OK);
    world_run(&w, 200);
    check_near(world_v(&w)[0], (9 - 7) / 2.0 * 1, 1e-6);
    push[2] = weight;
    assert_int_equal(carom_sim_set_wrench(w.sim, 1, push, zero, NULL), CAROM_OK);
    world_run(&w, 200);
    /* It came to rest after 2/7 s, and stays. */
    check_near(world_v(&w)[0], 0, 1e-12);
    world_destroy(&w);
  }
}

/* --- Equalities ---------------------------------------------------------------------------------
 */

/* The position of a body's frame in the world. */
static void locate(world* w, int body, double x[3]) {
  double poses[7 * 16];
  assert_true(w->sizes.num_bodies <= 16);
  carom_sim_compute_poses(w->sim, poses);
  memcpy(x, poses + 7 * body, 3 * sizeof(double));
}

/* A pendulum on two connects in a row is a pendulum on a hinge: the same acceleration in every
 * state. Two points make six rows for five that are independent. */
static void test_connects_are_a_hinge(void** state) {
  (void)state;
  carom_sim_def def = world_def(1e-3, CAROM_EXPLICIT);
  def.tolerance = 1e-8;
  world hinge = world_create("<mujoco><worldbody><body><joint axis='0 1 0'/><inertial pos='.3 0 0' "
                             "mass='2' diaginertia='.02 .03 .04'/></body></worldbody></mujoco>",
                             &def);
  world tied = world_create(
      "<mujoco><worldbody><body name='b'><freejoint/><inertial pos='.3 0 0' mass='2' "
      "diaginertia='.02 .03 .04'/></body></worldbody><equality>"
      "<connect body1='b' anchor='0 .2 0'/><connect body1='b' anchor='0 -.2 0'/></equality>"
      "</mujoco>",
      &def);
  for (double angle = -3; angle < 3; angle += 0.4) {
    double q[7] = {0, 0, 0, cos(angle / 2), 0, sin(angle / 2), 0}, v[6] = {0}, a[6], expected[1];
    world_set(&hinge, &angle, NULL);
    world_set(&tied, q, v);
    assert_int_equal(carom_sim_compute_acceleration(hinge.sim, expected, NULL, NULL), CAROM_OK);
    assert_int_equal(carom_sim_compute_acceleration(tied.sim, a, NULL, NULL), CAROM_OK);
    /* From rest: compliance of 1e-9 of the scale, and the solver's tolerance. */
    check_near(a[4], expected[0], 1e-6 * 2 * G);
    check_near(a[3], 0, 1e-6 * 2 * G);
    check_near(a[5], 0, 1e-6 * 2 * G);
  }
  world_destroy(&hinge);
  world_destroy(&tied);
}

/* A loop of four bars, as a chain whose end is tied: the tie holds while it swings. */
static void test_loop_stays_closed(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
  world w = world_create(
      "<mujoco><default><geom type='capsule' fromto='0 0 0 .4 0 0' size='.02' contype='0' "
      "conaffinity='0'/><joint axis='0 1 0'/></default><worldbody>"
      "<body><joint/><geom/><body pos='.4 0 0'><joint/><geom/><body name='last' pos='.4 0 0'>"
      "<joint/><geom fromto='0 0 0 0 0 .5'/><body name='tip' pos='0 0 .5'><inertial pos='0 0 0' "
      "mass='.01' "
      "diaginertia='1e-6 1e-6 1e-6'/></body></body></body></body></worldbody><equality>"
      "<connect body1='last' anchor='0 0 .5'/></equality></mujoco>",
      &def);
  double start[3], now[3], moved = 0;
  int tip = carom_model_find_body(w.model, "tip");
  locate(&w, tip, start);
  for (int i = 0; i < 500; i++) {
    world_step(&w);
    locate(&w, tip, now);
    /* Steps of 2 ms turn bars by up to 0.02 rad: the linearised tie is off by its square, once. */
    check_near_array(now, start, 3, 4e-4);
    moved = fmax(moved, fabs(world_q(&w)[0]));
  }
  assert_true(moved > 0.5);
  world_destroy(&w);
}

/* Compliant ties give way by load / k: 3 N m and 19.62 N on a weld. */
static void test_compliant_weld(void** state) {
  (void)state;
  const double zero[3] = {0, 0, 0}, torque[3] = {0, 3, 0};
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  world w =
      world_create("<mujoco><worldbody><body name='b' pos='1 0 2'><freejoint/><geom size='.1' "
                   "mass='2'/></body></worldbody><equality><weld body1='b' anchor='1 0 2' "
                   "carom:stiffness='5e3' carom:dissipation='.05'/></equality></mujoco>",
                   &def);
  assert_int_equal(carom_sim_set_wrench(w.sim, 1, zero, torque, NULL), CAROM_OK);
  world_run(&w, 2000);
  check_near(world_q(&w)[2], 2 - 2 * G / 5e3, 1e-7);
  check_near(2 * asin(world_q(&w)[5]), 3 / 5e3, 1e-7);
  check_near(world_q(&w)[0], 1, 1e-9);
  world_destroy(&w);
}

/* q1 = polynomial of q2 holds while a spring drives q2. */
static void test_joint_polynomial(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
  world w = world_create(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='a' type='slide' axis='1 0 "
      "0'/>"
      "<geom size='.1'/></body><body pos='0 1 0'><joint name='b' type='slide' axis='1 0 0' "
      "stiffness='40' springref='.4'/><geom size='.1'/></body></worldbody><equality>"
      "<joint joint1='a' joint2='b' polycoef='.1 -1 2 0 1'/></equality></mujoco>",
      &def);
  double x0[2] = {0.1, 0}, most = 0;
  world_set(&w, x0, NULL);
  for (int i = 0; i < 1000; i++) {
    world_step(&w);
    double x = world_q(&w)[1];
    /* Half the curvature, 2 to 4, times the square of what b moves in a step at 0.9 m/s or less,
     * once: the next step takes it back. */
    check_near(world_q(&w)[0], 0.1 - x + 2 * x * x + x * x * x * x, 4 * 0.0018 * 0.0018 * 2);
    most = fmax(most, fabs(x));
  }
  assert_true(most > 0.3);
  world_destroy(&w);
}

/* What is violated at the start is pulled together, and an inactive tie does nothing. */
static void test_violated_and_inactive(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><freejoint/><geom size='.05'/>"
      "</body><body name='b' pos='.5 0 0'><freejoint/><geom size='.05'/></body></worldbody>"
      "<equality><connect active='%s' body1='a' body2='b' anchor='.25 0 0'/></equality></mujoco>";
  for (int active = 0; active < 2; active++) {
    char scene[600];
    carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
    snprintf(scene, sizeof scene, text, active ? "true" : "false");
    world w = world_create(scene, &def);
    double q[14];
    memcpy(q, world_q(&w), sizeof q);
    q[7] += 0.1;
    world_set(&w, q, NULL);
    int constraints = 0;
    for (int i = 0; i < 100; i++) constraints += world_step(&w).constraints;
    double apart = world_q(&w)[7] - world_q(&w)[0];
    assert_int_equal(constraints, active ? 3 * 100 : 0);
    check_near(apart, active ? 0.5 : 0.6, 1e-6);
    world_destroy(&w);
  }
}

/* A ball joint limited to no turn at all bears what hangs on it, off to the side: it turns by no
 * more than a step of free fall does. */
static void test_locked_ball(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
  world w = world_create("<mujoco><worldbody><body><joint type='ball' limited='true' range='0 0'/>"
                         "<geom size='.1' pos='1 .3 0'/><geom size='.05' pos='.3 .3 .9'/></body>"
                         "</worldbody></mujoco>",
                         &def);
  for (int i = 0; i < 500; i++) {
    world_run(&w, 1);
    assert_true(fabs(world_q(&w)[0]) > 1 - 1e-7);
  }
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits_hold),
      cmocka_unit_test(test_ball_limit),
      cmocka_unit_test(test_idle_limit),
      cmocka_unit_test(test_dry_friction),
      cmocka_unit_test(test_connects_are_a_hinge),
      cmocka_unit_test(test_loop_stays_closed),
      cmocka_unit_test(test_compliant_weld),
      cmocka_unit_test(test_joint_polynomial),
      cmocka_unit_test(test_violated_and_inactive),
      cmocka_unit_test(test_locked_ball),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
