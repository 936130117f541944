/* Violated constraints are undone with bounded energy, whatever the lever arm of the mechanism. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Runs a scene; energy may not rise above its start by more than `gain`, J, and every step ends
 * within the tolerance. */
static void run_bounded(simulation* s, double duration, double gain) {
  double start = simulation_compute_energy(s), tolerance = 1e-6;
  while (carom_sim_time(s->sim) < duration) {
    simulation_step(s);
    assert_true(s->report.residual <= tolerance);
    if (simulation_compute_energy(s) > start + gain)
      fail_msg("at %g s: %g J, %g J more than at the start", carom_sim_time(s->sim),
               simulation_compute_energy(s), simulation_compute_energy(s) - start);
  }
}

/* --- Contacts -----------------------------------------------------------------------------------
 */

/* The capsules of a limb and of what it is hinged to overlap at the joint, where the contact has no
 * lever: it presses in vain, and the limb falls as one that collides with nothing. */
static void test_contact_in_joint(void** state) {
  (void)state;
  static const char* const joint[] = {"<joint axis='1 0 0'/>", "<joint type='ball'/>"};
  for (int k = 0; k < 2; k++) {
    double fallen[2];
    for (int collides = 0; collides < 2; collides++) {
      char text[1000];
      snprintf(text, sizeof text,
               "<mujoco><default><geom size='.03' contype='%d'/></default><worldbody>"
               "<body pos='0 0 1'><geom type='capsule' fromto='0 0 0 0 0 -.3'/>"
               "<body pos='0 0 -.3'>%s<geom type='capsule' fromto='0 0 0 0 .3 .1'/></body></body>"
               "</worldbody></mujoco>",
               collides, joint[k]);
      simulation s = simulation_create(text, NULL);
      double mass = 1000 * (M_PI * .0009 * hypot(.3, .1) + 4 * M_PI / 3 * 27e-6);
      run_bounded(&s, 0.2, 0.5 * mass * 0.25 * 0.25);
      fallen[collides] = s.q[0];
      simulation_destroy(&s);
    }
    check_near(fallen[1], fallen[0], 1e-6);
  }
}

/* A sledge between a wall that it overlaps by 3 cm and a block that stands in its way: the wall
 * presses in vain. What it then asks for is remembered, so that each step is the last one again;
 * and doubled step by step where the block is taken away, until the sledge leaves at the recovery
 * speed as one that nothing ever held. */
static void test_pressed_in_vain(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option timestep='.004' carom:patches='corners'/><worldbody>"
      "<geom type='box' size='.5 .5 .5' pos='-.72 0 "
      "0'/><body name='block' mocap='true' pos='.75 0 0'><geom type='box' size='.5 .4 .4'/></body>"
      "<body><joint type='slide' axis='1 0 0'/><geom type='box' size='.25 .1 .1' mass='3'/></body>"
      "</worldbody></mujoco>",
      NULL);
  const double aside[3] = {5, 0, 0};
  carom_error error;
  for (int i = 0; i < 100; i++) {
    simulation_step(&s);
    assert_true(fabs(s.q[0]) < 1e-4);
    if (i < 10) continue;
    assert_true(s.report.outer_iterations <= 1 && s.report.iterations <= 1);
  }
  check_ok(carom_sim_set_mocap(s.sim, simulation_find_body(&s, "block"), aside, NULL, &error),
           &error);
  double last = 0;
  while (s.q[0] < 0.03 - 1e-4) {
    simulation_step(&s);
    assert_true(s.v[0] <= 0.25 * (1 + 1e-6));
    if (s.q[0] < 0.028) assert_true(s.v[0] >= fmin(2 * last, 0.25) * (1 - 1e-3));
    last = s.v[0];
  }
  double free = 0.03 / 0.25, doublings = 6;
  assert_true(carom_sim_time(s.sim) < 0.4 + free + doublings * 0.004);
  simulation_destroy(&s);
}

/* A ball that drops into a slot which friction does not let it leave: its rebound from both walls
 * would press them against each other without end. It sticks, and all its energy is lost, but for
 * what weight gives before positions follow: g dt / 2 times the momentum of the impact. */
static void test_jammed_rebound(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><default><geom friction='1.2' carom:restitution='.7'/></default><worldbody>"
      "<geom type='plane' size='1 1 1' zaxis='.98 0 .2'/><geom type='plane' size='1 1 1' "
      "zaxis='-.98 0 .2'/><body pos='0 0 .9'><freejoint/><geom size='.12' mass='3'/></body>"
      "</worldbody></mujoco>",
      NULL);
  double start = simulation_compute_energy(&s), dissipated = 0;
  while (carom_sim_time(s.sim) < 0.5) {
    simulation_step(&s);
    assert_true(s.report.substeps == 1 && s.report.unexplained < 1e-4);
    dissipated += s.report.dissipated;
  }
  assert_true(carom_sim_compute_energy(s.sim).kinetic < 1e-6);
  double lost = start - simulation_compute_energy(&s);
  check_near(dissipated, lost, 0.5 * 9.81 * 0.002 * sqrt(2 * 3 * lost));
  simulation_destroy(&s);
}

/* Balls that overlap by 8 cm along a normal that passes the hinge at a distance r: the kinetic
 * energy stays below that of the ball's mass at the recovery speed. */
static void test_small_lever(void** state) {
  (void)state;
  for (double r = 1e-6; r < 0.1; r *= 10) {
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 0'/><worldbody><geom size='.08' pos='-.04 %g 0'/>"
             "<body><joint axis='0 0 1'/><geom size='.08' pos='.04 0 0' mass='3'/></body>"
             "</worldbody></mujoco>",
             r);
    simulation s = simulation_create(text, NULL);
    run_bounded(&s, 0.5, 0.5 * 3 * 0.25 * 0.25);
    simulation_destroy(&s);
  }
}

/* A sledge that slides in the plane only, in the floor: no contact can move along its normal. It
 * goes on as it was pushed, since what presses in vain brakes nothing. */
static void test_immobile_contact(void** state) {
  (void)state;
  simulation s =
      simulation_create("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .018'>"
                        "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
                        "<geom type='box' size='.1 .2 .02'/></body></worldbody></mujoco>",
                        NULL);
  const double v[2] = {0.3, -0.1};
  simulation_set(&s, NULL, v);
  run_bounded(&s, 1, 1e-9);
  check_near_array(s.v, v, 2, 1e-9);
  simulation_destroy(&s);
}

/* The faces of a turntable and its base overlap by a few micrometres and are tilted against each
 * other: the joint can open none of it, and turns as if nothing touched. */
static void test_turntable(void** state) {
  (void)state;
  for (double depth = 1e-7; depth < 1e-3; depth *= 10) {
    char text[800];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 3 -9'/><worldbody><geom type='box' size='.06 .06 .05'/>"
             "<body pos='0 0 %.9f'><joint axis='0 0 1' damping='.01'/>"
             "<geom type='box' size='.05 .05 .05' pos='0 0 .05' euler='2e-4 4e-4 0' mass='1'/>"
             "<inertial pos='.2 0 .05' mass='2' diaginertia='.02 .02 .02'/></body></worldbody>"
             "</mujoco>",
             0.05 - depth);
    simulation s = simulation_create(text, NULL);
    run_bounded(&s, 0.3, 1e-3);
    assert_true(s.q[0] > 0.3);
    simulation_destroy(&s);
  }
}

/* Ten grams under ten tonnes hold at 10 ms, as does every ratio below. */
static void test_mass_ratio(void** state) {
  (void)state;
  for (double ratio = 1e3; ratio < 2e6; ratio *= 10) {
    char text[700];
    snprintf(
        text, sizeof text,
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .15'><freejoint/>"
        "<geom type='box' size='.1 .12 .15' mass='.02'/></body><body pos='0 0 .35'>"
        "<freejoint/><geom type='box' size='.1 .1 .05' mass='%g'/></body></worldbody></mujoco>",
        0.02 * ratio);
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.01);
    simulation s = simulation_create(text, &def);
    for (int i = 0; i < 200; i++) simulation_step(&s);
    /* Each of the two areas gives way by R m g dt², R of the mobility of its corners, 4 / m. */
    double R = fmax(3e-6 * 100 / ratio, 3e-8) * 4;
    check_near(s.q[9], 0.35, 2 * R * ratio * 9.81 * 1e-4);
    simulation_destroy(&s);
  }
}

/* A ball far below the floor rises at the recovery speed with regularised contacts, too, whatever
 * the lengths of its torsional and rolling friction. */
static void test_regularized_moments(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom type='plane' size='1 1 1' condim='6'/><body pos='0 0 -1'>"
             "<freejoint/><geom size='.02' mass='.05' friction='.01 %g %g'/></body></worldbody>"
             "</mujoco>",
             k == 1 ? 0.01 : 1e-4, k == 2 ? 0.01 : 1e-4);
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.04);
    def.beta = 1, def.sigma = 1e-3;
    simulation s = simulation_create(text, &def);
    for (int i = 0; i < 25; i++) simulation_step(&s);
    check_near(s.v[2], 0.25 - 9.81 * 0.04 / (4 * M_PI * M_PI), 0.02);
    simulation_destroy(&s);
  }
}

/* --- Limits -------------------------------------------------------------------------------------
 */

static void test_limit(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint axis='0 0 1' limited='true' "
      "range='20 90'/><geom type='capsule' size='.02' fromto='0 0 0 .4 0 0' mass='2'/></body>"
      "</worldbody></mujoco>",
      NULL);
  while (s.q[0] < 20 * M_PI / 180) {
    simulation_step(&s);
    assert_true(s.v[0] <= 0.25 * (1 + 1e-6));
  }
  check_near(carom_sim_time(s.sim), 20 * M_PI / 180 / 0.25, 0.004);
  simulation_destroy(&s);
}

/* A string that is too long for its limit, pulled all but straight: its length hardly changes with
 * the hinge. The bound is one of a step's start: what turns at 0.3 rad/s has moved on by its end.
 */
static void test_tendon_limit(void** state) {
  (void)state;
  for (double offset = 1e-6; offset < 0.1; offset *= 10) {
    char text[800];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 0'/><worldbody><site name='a' pos='-1 %g 0'/><body>"
             "<joint axis='0 0 1'/><geom type='capsule' size='.02' fromto='0 0 0 .4 0 0' "
             "mass='2'/><site name='b' pos='.4 0 0'/></body></worldbody><tendon>"
             "<spatial limited='true' range='0 1.2'><site site='a'/><site site='b'/></spatial>"
             "</tendon></mujoco>",
             offset);
    simulation s = simulation_create(text, NULL);
    run_bounded(&s, 1, 1.1 * 0.5 * 2 * 0.25 * 0.25);
    simulation_destroy(&s);
  }
}

/* A rod of 60 g on a motor whose armature is forty times its inertia overlaps a wall, or is beyond
 * its limit, or a slider is held where it is not: what moves has the energy that 60 g have at the
 * recovery speed, 1/4 m/s, armature included. */
static void test_armature(void** state) {
  (void)state;
  const char* body[] = {"<joint axis='0 0 1' armature='.13'/>",
                        "<joint axis='0 0 1' armature='.13' limited='true' range='.5 2'/>",
                        "<joint type='slide' axis='1 0 0' armature='2.4'/>"};
  const char* rest[] = {"<geom type='box' size='.1 .1 .1' pos='.3 -.105 0'/></worldbody>",
                        "</worldbody>",
                        "</worldbody><equality><connect body1='b' body2='world' "
                        "anchor='.1 0 0'/></equality>"};
  const double length2 = 0.16, inertia[3] = {0.06 * length2 / 3, 0.06 * length2 / 3, 0.06};
  const double armature[3] = {0.13, 0.13, 2.4};
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 0'/><worldbody><body name='b'>%s<geom type='capsule' "
             "size='.01' fromto='0 0 0 .4 0 0' mass='0'/><inertial pos='.2 0 0' mass='.06' "
             "diaginertia='.0008 .0008 .0008'/></body>%s</mujoco>",
             body[k], rest[k]);
    simulation s = simulation_create(text, NULL);
    if (k == 2) simulation_set(&s, (const double[]){0.05}, NULL);
    for (int i = 0; i < 10; i++) simulation_step(&s);
    check_near(fabs(s.v[0]), 0.25 * sqrt(0.06 / (inertia[k] + armature[k])), 1e-6);
    simulation_destroy(&s);
  }
}

/* --- Loops --------------------------------------------------------------------------------------
 */

/* A crank and a rod whose end is 0.3 m from its socket: closed no faster than the recovery speed,
 * within what that takes, and then stays closed. */
static void test_open_loop(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom type='box' "
      "size='.2 .2 .1' mass='5'/><body pos='.3 0 0'><joint axis='0 1 0'/><geom type='capsule' "
      "size='.02' fromto='0 0 0 .15 0 0' mass='.2'/><body pos='.15 0 0'><joint axis='0 1 0'/>"
      "<geom type='capsule' size='.01' fromto='0 0 0 .4 0 0' mass='.1'/><site name='tip' "
      "pos='.4 0 0'/></body></body><site name='socket' pos='.55 0 -.3'/></body></worldbody>"
      "<equality><connect site1='tip' site2='socket'/></equality></mujoco>",
      NULL);
  run_bounded(&s, 3, 0.5 * 5.3 * 0.25 * 0.25);
  double crank = s.q[7], rod = crank + s.q[8];
  check_near(.3 + .15 * cos(crank) + .4 * cos(rod), .55, 1e-6);
  check_near(-.15 * sin(crank) - .4 * sin(rod), -.3, 1e-6);
  simulation_destroy(&s);
}

/* A chain drawn taut between two walls, whose closing row has no mobility while it is straight and
 * next to none beside that: within a millimetre or so it is free, and what brings it back must not
 * throw it. At the recovery speed its 302 kg would have 9 J at each turn. */
static void test_taut_chain(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><site name='wall' pos='2 0 1'/><body pos='0 0 1'><joint axis='.1 .9 "
      "-.4'/><geom type='capsule' size='.05' contype='0' fromto='.1 0 0 .4 0 0' mass='1'/><body "
      "pos='.5 0 0'><joint axis='.6 .3 -.7'/><geom type='capsule' size='.05' contype='0' "
      "fromto='.1 0 0 .4 0 0' mass='300'/><body pos='.5 0 0'><joint axis='-.1 .6 .8'/><geom "
      "type='capsule' size='.05' contype='0' fromto='.1 0 0 .4 0 0' mass='.5'/><body pos='.5 0 "
      "0'><joint axis='.8 .5 .1'/><geom type='capsule' size='.05' contype='0' fromto='.1 0 0 .4 0 "
      "0' mass='.5'/><site name='tip' pos='.5 0 0'/></body></body></body></body></worldbody>"
      "<equality><connect site1='tip' site2='wall'/></equality></mujoco>",
      NULL);
  double sum = 0;
  for (int i = 0; i < 2000; i++) {
    carom_error error;
    check_ok(carom_sim_step(s.sim, &s.report, &error), &error);
    sum += carom_sim_compute_energy(s.sim).kinetic / 2000;
  }
  assert_true(sum < 0.01 * 0.5 * 302 * 0.25 * 0.25);
  simulation_destroy(&s);
}

/* A closed planar loop at rest in space, welded: three of the weld's rows hold but round-off. */
static void test_planar_loop(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option gravity='0 0 0'/><default><geom contype='0' type='capsule' size='.1'/>"
      "</default><worldbody><body name='a' euler='10 50 30'><geom type='sphere'/>"
      "<body pos='.3 0 0'><joint axis='1 0 0'/><geom fromto='0 0 0 0 2 0'/><body pos='-.3 2 0'>"
      "<joint axis='1 0 0'/><geom fromto='0 0 0 0 0 3'/><body name='d' pos='.3 0 3'>"
      "<joint axis='1 0 0'/><geom fromto='0 0 0 0 -2 0'/></body></body></body></body></worldbody>"
      "<equality><weld body1='a' body2='d'/></equality></mujoco>",
      NULL);
  run_bounded(&s, 1, 1e-12);
  simulation_destroy(&s);
}

/* A four-bar of a crank, a coupler and a rocker whose axis is off by eps. */
static simulation create_four_bar(double eps, double dt) {
  char text[1200];
  double b = 0.45, c = 0.35, d = 0.5, angle = 1.1;
  double x = 0.2 * cos(angle), y = 0.2 * sin(angle), l = hypot(d - x, y);
  double along = (b * b - c * c + l * l) / (2 * l), up = sqrt(b * b - along * along);
  double ux = (d - x) / l, uy = -y / l, px = x + along * ux - up * uy,
         py = y + along * uy + up * ux;
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body><joint axis='0 -1 0'/><inertial pos='%.17g 0 %.17g' mass='1' "
           "diaginertia='.01 .01 .01'/><body pos='%.17g 0 %.17g'><joint axis='0 -1 0'/>"
           "<inertial pos='%.17g 0 %.17g' mass='1.5' diaginertia='.01 .02 .02'/>"
           "<site name='c' pos='%.17g 0 %.17g'/></body></body><body pos='.5 0 0'>"
           "<joint axis='%.17g -1 %.17g'/><inertial pos='%.17g 0 %.17g' mass='1' "
           "diaginertia='.01 .01 .01'/><site name='r' pos='%.17g 0 %.17g'/></body></worldbody>"
           "<equality><connect site1='c' site2='r'/></equality></mujoco>",
           x / 2, y / 2, x, y, (px - x) / 2, (py - y) / 2, px - x, py - y, eps, -0.7 * eps,
           (px - d) / 2, py / 2, px - d, py);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  return simulation_create(text, &def);
}

/* Axes of exported files are off by round-off of their digits: the loop is over-constrained, and
 * moves all the same, off by no more than the shape is. */
static void test_misaligned_four_bar(void** state) {
  (void)state;
  double swing[8];
  simulation straight = create_four_bar(0, 0.002);
  for (int i = 0; i < 8; i++) {
    simulation_run_until(&straight, 0.06 * (i + 1));
    swing[i] = straight.q[0];
  }
  assert_true(fabs(swing[7]) > 0.5);
  simulation_destroy(&straight);
  for (double eps = 1e-9; eps < 2e-3; eps *= 10) {
    simulation s = create_four_bar(eps, 0.002);
    for (int i = 0; i < 8; i++) {
      simulation_run_until(&s, 0.06 * (i + 1));
      check_near(s.q[0], swing[i], 20 * eps + 1e-7);
    }
    simulation_destroy(&s);
  }
}

/* A loop of links from 10 g to 20 kg, without contacts: linear but for what recovery bounds, and
 * solved in three steps of Newton or so (5.2 with a weight that only shrinks). */
static void test_light_link(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.002);
  simulation s = simulation_create(
      "<mujoco><worldbody><body><joint axis='0 -1 0'/>"
      "<inertial pos='.05 0 .09' mass='1' diaginertia='.003 .003 .003'/>"
      "<body pos='.09 0 .178'><joint axis='0 -1 0'/>"
      "<inertial pos='.22 0 .04' mass='20' diaginertia='.3 .3 .3'/>"
      "<site name='c' pos='.44 0 .09'/></body></body><body pos='.5 0 0'><joint axis='0 -1 0'/>"
      "<inertial pos='.015 0 .13' mass='.01' diaginertia='6e-5 6e-5 6e-5'/>"
      "<site name='r' pos='.03 0 .268'/></body></worldbody>"
      "<equality><connect site1='c' site2='r'/></equality></mujoco>",
      &def);
  int iterations = 0;
  for (int i = 0; i < 500; i++) {
    carom_step_report report;
    assert_int_equal(carom_sim_step(s.sim, &report, NULL), CAROM_OK);
    assert_int_equal(report.outcome, CAROM_STEP_DONE);
    iterations += report.iterations;
  }
  if (iterations > 4 * 500) fail_msg("%g iterations a step", iterations / 500.0);
  simulation_destroy(&s);
}

/* --- Mocap bodies -------------------------------------------------------------------------------
 */

/* An arm whose hand is welded to a mocap body that it cannot reach at once: it gets no faster than
 * what closes the gap with the time constant asks for, and arrives. */
static void test_open_weld(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='target' mocap='true' "
      "pos='.5 .5 .9'/><body pos='0 0 1'><joint axis='0 0 1'/><joint axis='0 1 0'/><geom "
      "type='capsule' size='.04' fromto='0 0 0 .4 0 0' mass='2'/><body pos='.4 0 0'>"
      "<joint axis='0 1 0'/><geom type='capsule' size='.03' fromto='.1 0 0 .5 0 0' mass='1'/>"
      "<body name='hand' pos='.5 0 0'><joint axis='1 0 0'/><joint axis='0 1 0'/>"
      "<joint axis='0 0 1'/><geom size='.03' pos='.1 0 0' mass='.4'/></body></body></body>"
      "</worldbody><equality><weld body1='target' body2='hand' relpose='0 0 0 1 0 0 0'/>"
      "</equality></mujoco>",
      NULL);
  double frame[7], gap = hypot(hypot(.9 - .5, .5), .1);
  const double goal[3] = {.5, .5, .9};
  run_bounded(&s, 1, 0.5 * 3.4 * pow(gap / 0.02, 2));
  simulation_compute_pose(&s, simulation_find_body(&s, "hand"), frame);
  check_near_array(frame, goal, 3, 1e-5);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contact_in_joint),
      cmocka_unit_test(test_pressed_in_vain),
      cmocka_unit_test(test_jammed_rebound),
      cmocka_unit_test(test_small_lever),
      cmocka_unit_test(test_immobile_contact),
      cmocka_unit_test(test_turntable),
      cmocka_unit_test(test_mass_ratio),
      cmocka_unit_test(test_regularized_moments),
      cmocka_unit_test(test_armature),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_tendon_limit),
      cmocka_unit_test(test_open_loop),
      cmocka_unit_test(test_taut_chain),
      cmocka_unit_test(test_planar_loop),
      cmocka_unit_test(test_misaligned_four_bar),
      cmocka_unit_test(test_light_link),
      cmocka_unit_test(test_open_weld),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
