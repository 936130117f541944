/* Balances of a step's report: energy changes by what actuators do less what is dissipated,
 * momentum by the impulses of the contacts. Exact for the midpoint rule where forces are linear;
 * where a scheme has an error of its own, that error is known. */
#include "support/scene.h"
#include "support/world.h"

#include "carom/builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81

/* E1 - E0 + dissipated - done by actuators, of one step. */
static double step_defect(world* w, carom_step_report* report) {
  double before = world_energy(w);
  *report = world_step(w);
  return world_energy(w) - before + report->dissipated - report->actuator_work;
}

/* Fails unless every step is balanced to round-off of energies of about `size`, J, and something
 * was dissipated or done. */
static void expect_exact(const char* text, const carom_sim_def* def, int steps, double size) {
  world w = world_create(text, def);
  carom_step_report report;
  double flow = 0;
  for (int i = 0; i < steps; i++) {
    check_near(step_defect(&w, &report), 0, 1e-13 * size);
    flow += fabs(report.dissipated) + fabs(report.actuator_work);
  }
  assert_true(flow > 1e-3 * size);
  world_destroy(&w);
}

/* A joint spring with a damper, at any angle to gravity. */
static void test_joint_damper(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
  expect_exact(SCENE("<body><joint type='slide' axis='1 0 2' stiffness='40' springref='.1' "
                     "damping='.7'/>" BALL "</body>"),
               &def, 300, 100);
}

static void test_dry_friction(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
  expect_exact(SCENE("<body><joint type='slide' axis='0 0 1' stiffness='40' frictionloss='3'/>" BALL
                     "</body>"),
               &def, 300, 100);
}

/* A motor, an unlimited servo, and a limited one that is a law. */
static void test_actuators(void** state) {
  (void)state;
  static const char* const actuators[] = {
      "<motor joint='j' gear='2' ctrlrange='-1 1' ctrllimited='true'/>",
      "<position joint='j' kp='50' kv='3'/>",
      "<position joint='j' kp='500' kv='3' forcerange='-30 50'/>",
      "<velocity joint='j' kv='5'/>",
  };
  for (int i = 0; i < 4; i++) {
    char text[700];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body><joint name='j' type='slide' axis='0 0 1'/>" BALL
             "</body></worldbody><actuator>%s</actuator></mujoco>",
             actuators[i]);
    carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
    world w = world_create(text, &def);
    carom_step_report report;
    double work = 0;
    for (int k = 0; k < 200; k++) {
      carom_sim_controls(w.sim)[0] = 2 * sin(0.05 * k);
      double size = fabs(world_energy(&w)) + 100, defect = step_defect(&w, &report);
      check_near(defect, 0, 1e-13 * size);
      check_near(report.dissipated, 0, 1e-13 * size);
      work += fabs(report.actuator_work);
    }
    assert_true(work > 1);
    world_destroy(&w);
  }
}

/* A spring and damper between two free bodies in line. */
static carom_model* make_sprung_pair(double damping) {
  carom_builder_def def = carom_builder_def_default();
  carom_builder* builder;
  carom_error error;
  carom_model* model;
  carom_body bodies[2];
  def.gravity[2] = 0;
  check_ok(carom_builder_create(&def, &builder, &error), &error);
  for (int i = 0; i < 2; i++) {
    carom_body_def body = carom_body_def_default();
    carom_joint_def joint = carom_joint_def_default();
    body.position[0] = 0.5 * i;
    body.mass = 1 + i;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.01;
    check_ok(carom_builder_add_body(builder, &body, &bodies[i], &error), &error);
    joint.body = bodies[i];
    joint.type = CAROM_JOINT_FREE;
    check_ok(carom_builder_add_joint(builder, &joint, NULL, &error), &error);
  }
  carom_spring_def spring = carom_spring_def_default();
  spring.body1 = bodies[0], spring.body2 = bodies[1];
  spring.stiffness = 30, spring.damping = damping, spring.rest_length = 0.4;
  check_ok(carom_builder_add_spring(builder, &spring, &error), &error);
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  return model;
}

static void test_point_damper(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
  world w = world_create_from(make_sprung_pair(0.5), &def);
  carom_step_report report;
  double start = world_energy(&w), dissipated = 0;
  for (int i = 0; i < 1000; i++) {
    check_near(step_defect(&w, &report), 0, 1e-14);
    assert_true(report.dissipated >= 0);
    dissipated += report.dissipated;
  }
  /* It comes to rest. */
  check_near(dissipated, start, 1e-3 * start);
  world_destroy(&w);
}

/* A box slides to a halt: half its kinetic energy, and then nothing. */
static void test_sliding_friction(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
  world w = world_create(SCENE("<geom type='plane' size='1 1 1' friction='.4'/>"
                               "<body pos='0 0 .1'><freejoint/><geom type='box' mass='2' "
                               "size='.3 .3 .1'/></body>"),
                         &def);
  double v[6] = {1.5, 0.5, 0, 0, 0, 0}, start = 0.5 * 2 * 2.5, dissipated = 0;
  carom_step_report report;
  world_set(&w, NULL, v);
  for (int i = 0; i < 100; i++) {
    /* The certificate's tolerance allows 1e-6 of the velocities, of which the work is a product. */
    check_near(step_defect(&w, &report), 0, 1e-6 * start);
    dissipated += report.dissipated;
  }
  check_near(dissipated, start, 1e-5 * start);
  world_destroy(&w);
}

/* An impact: positions advance with the velocity at the step's end, which gives gravity more or
 * less to do than impulses at mean velocities: m g dt (v1 - v0) / 2, whatever the scheme. */
static void test_landing(void** state) {
  (void)state;
  for (int scheme = CAROM_SYMPLECTIC; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    world w = world_create(SCENE("<geom type='plane' size='1 1 1'/><body pos='0 0 .5'><freejoint/>"
                                 "<geom size='.1' mass='2'/></body>"),
                           &def);
    carom_step_report report;
    int impacts = 0;
    for (int i = 0; i < 60; i++) {
      double v0 = world_v(&w)[2], defect = step_defect(&w, &report), v1 = world_v(&w)[2];
      bool advances_by_end = scheme != CAROM_MIDPOINT || report.impact_islands;
      double own = advances_by_end ? 2 * G * def.dt * 0.5 * (v1 - v0) : 0;
      check_near(defect, own, 1e-6 * 0.5 * 2 * v0 * v0 + 1e-13);
      if (report.impact_islands && v0 < -1) {
        impacts++;
        /* And what gravity does in the step. */
        check_near(report.dissipated, v0 * v0 - v1 * v1, 2 * G * def.dt * fabs(v0));
      }
    }
    /* It is slowed down to end one step on the floor, and stopped in the next. */
    assert_in_range(impacts, 1, 2);
    world_destroy(&w);
  }
}

/* --- Convergence --------------------------------------------------------------------------------
 */

/* Sum of the defects over a time of a machine of joints, springs, servos and equalities. */
static double sum_defects(double dt) {
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  def.relinearise = 1;
  world w = world_create(
      "<mujoco><worldbody><body name='upper'><joint name='a' axis='0 1 0' damping='.2'/><geom "
      "type='capsule' "
      "fromto='0 0 0 .3 0 0' size='.03'/><body name='lower' pos='.3 0 0'><joint name='b' axis='0 1 "
      "0' "
      "stiffness='2'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' contype='0'/></body>"
      "</body><body name='load' pos='.7 0 0'><freejoint/><geom "
      "size='.05'/></body></worldbody><actuator>"
      "<position joint='b' kp='20' kv='1'/></actuator><equality><connect body1='lower' "
      "body2='load' anchor='.3 0 .1'/></equality></mujoco>",
      &def);
  carom_step_report report;
  double sum = 0;
  carom_sim_controls(w.sim)[0] = 0.5;
  for (int i = 0; i < (int)lround(0.8 / dt); i++) sum += step_defect(&w, &report);
  world_destroy(&w);
  return sum;
}

static void test_defect_is_of_second_order(void** state) {
  (void)state;
  /* The servo's damping is stiff from 10 ms on, where its force counts at a time of its own. */
  double coarse = sum_defects(0.005), fine = sum_defects(0.0025), finer = sum_defects(0.00125);
  print_message("defects %.2e, %.2e, %.2e\n", coarse, fine, finer);
  assert_true(fabs(fine) < 0.3 * fabs(coarse));
  assert_true(fabs(finer) < 0.3 * fabs(fine));
}

/* --- Momentum -----------------------------------------------------------------------------------
 */

static void compute_momentum(const world* w, double P[3], double L[3]) {
  carom_dynamics* d;
  assert_int_equal(carom_dynamics_create(w->model, NULL, &d, NULL), CAROM_OK);
  assert_int_equal(carom_dynamics_set(d, world_q(w), world_v(w), NULL, NULL), CAROM_OK);
  carom_dynamics_compute_momentum(d, P, L);
  carom_dynamics_destroy(d);
}

/* Balls that meet off centre in empty space, with friction: both momenta stay. */
static void test_collision_in_space(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
    world w =
        world_create("<mujoco><option gravity='0 0 0'/><worldbody>"
                     "<body pos='-.2 0 .03'><freejoint/><geom size='.1' friction='.5'/></body>"
                     "<body pos='.2 .02 -.03'><freejoint/><geom size='.1' density='3000'/></body>"
                     "<body pos='.02 .4 0'><freejoint/><geom size='.08'/></body>"
                     "</worldbody></mujoco>",
                     &def);
    double v[18] = {1, 0, 0, 3, 1, 0, -1, 0, 0, 0, 0, 5, 0, -2, 0, 0, 0, 0}, P[2][3], L[2][3];
    int contacts = 0;
    world_set(&w, NULL, v);
    compute_momentum(&w, P[0], L[0]);
    for (int i = 0; i < 60; i++) contacts += world_step(&w).contacts;
    compute_momentum(&w, P[1], L[1]);
    assert_true(contacts >= 2);
    /* Impulses are exactly opposite; velocities balance them to the solver's tolerance. */
    check_near_array(P[1], P[0], 3, 1e-6 * 12);
    check_near_array(L[1], L[0], 3, 1e-6 * 1);
    world_destroy(&w);
  }
}

/* A pile's momentum changes by its weight and the impulses of floor and walls. */
static void test_impulses_carry_the_pile(void** state) {
  (void)state;
  char* pile = world_write_pile(12);
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  world w = world_create(pile, &def);
  double mass = 0, P[2][3], L[3];
  for (int b = 1; b < w.sizes.num_bodies; b++) mass += carom_model_get_body(w.model, b).mass;
  compute_momentum(&w, P[0], L);
  for (int i = 0; i < 150; i++) {
    int count, fixed = 0;
    double change[3];
    carom_step_report report = world_step(&w);
    const carom_contact* contacts = carom_sim_contacts(w.sim, &count);
    compute_momentum(&w, P[1], L);
    for (int k = 0; k < 3; k++) change[k] = P[1][k] - P[0][k] + (k == 2) * mass * G * def.dt;
    for (int c = 0; c < count; c++) {
      bool first = carom_model_get_geom(w.model, contacts[c].geom1).body == 0;
      bool second = carom_model_get_geom(w.model, contacts[c].geom2).body == 0;
      for (int k = 0; k < 3; k++) change[k] += ((int)second - (int)first) * contacts[c].impulse[k];
      fixed += first || second;
    }
    assert_int_equal(count, report.contacts);
    if (i > 100) assert_true(fixed >= 3);
    for (int k = 0; k < 3; k++) check_near(change[k], 0, 2e-5 * mass);
    memcpy(P[0], P[1], sizeof P[0]);
  }
  free(pile);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joint_damper),
      cmocka_unit_test(test_dry_friction),
      cmocka_unit_test(test_actuators),
      cmocka_unit_test(test_point_damper),
      cmocka_unit_test(test_sliding_friction),
      cmocka_unit_test(test_landing),
      cmocka_unit_test(test_defect_is_of_second_order),
      cmocka_unit_test(test_collision_in_space),
      cmocka_unit_test(test_impulses_carry_the_pile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
