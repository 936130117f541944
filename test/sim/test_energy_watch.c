/* The energy watch: the budget of a step closes for every source, steps that add energy are taken
 * again, and what nothing explains is reported (docs/theory.md). */
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- The budget ---------------------------------------------------------------------------------
 */

typedef struct source {
  const char *name, *text;
  double v[6];    /* of the start */
  double control; /* of the first actuator, where there is one */
  double force;   /* along x and z on body 1 */
  bool works;     /* it moves energy in or out */
} source;

#define SLIDE(joint, more)                                                                    \
  "<mujoco><option gravity='0 0 -3'/><worldbody><body name='b'><joint name='j' type='slide' " \
  "axis='1 0 1' " joint "/><geom size='.07' density='700'/></body></worldbody>" more "</mujoco>"

/* All of them are linear, so that the midpoint rule and symplectic work of dry friction are exact.
 */
static const source SOURCES[] = {
    {"gravity", SLIDE("", ""), {0.7}, 0, 0, false},
    {"spring", SLIDE("stiffness='130'", ""), {1.3}, 0, 0, false},
    {"damper", SLIDE("stiffness='60' damping='2.5'", ""), {1.3}, 0, 0, true},
    {"motor", SLIDE("", "<actuator><motor joint='j' gear='3'/></actuator>"), {0.4}, 1.7, 0, true},
    {"servo",
     SLIDE("", "<actuator><position joint='j' kp='90' kv='6'/></actuator>"),
     {0.4},
     0.3,
     0,
     true},
    {"wrench", SLIDE("", ""), {-0.2}, 0, 5, true},
    {"wrench on a free body",
     "<mujoco><worldbody><body name='b'><freejoint/><geom type='box' size='.1 .2 .3'/></body>"
     "</worldbody></mujoco>",
     {1, 2, 3, 0.1, 0.2, -0.3},
     0,
     40,
     true},
    {"dry friction", SLIDE("frictionloss='1.5'", ""), {2}, 0, 0, true},
    {"sliding contact",
     "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='.35'/><body name='b' "
     "pos='0 0 .1'><freejoint/><geom type='box' size='.3 .3 .1' friction='.35'/></body>"
     "</worldbody></mujoco>",
     {2.5},
     0,
     0,
     true},
};

static double find_balance(world* w, double before, const carom_step_report* r) {
  return world_energy(w) - before + r->dissipated - r->actuator_work - r->external_work;
}

static void check_source(const source* s) {
  carom_sim_def def = world_def(0.004, CAROM_MIDPOINT);
  def.sleep_share = 0;
  world w = world_create(s->text, &def);
  const double force[3] = {s->force, 0, 0.5 * s->force}, torque[3] = {0};
  double moved = 0, scale = 0;
  world_set(&w, NULL, s->v);
  if (s->force != 0)
    check_ok(carom_sim_set_wrench(w.sim, 1, force, torque, NULL), &(carom_error){0});
  if (w.sizes.num_actuators) carom_sim_controls(w.sim)[0] = s->control;
  for (int i = 0; i < 120; i++) {
    double before = world_energy(&w);
    carom_step_report r = world_step(&w);
    scale = fmax(scale, carom_sim_compute_energy(w.sim).kinetic);
    double left = find_balance(&w, before, &r);
    moved += fabs(r.dissipated) + fabs(r.actuator_work) + fabs(r.external_work);
    if (fabs(left) > 2e-6 * scale)
      fail_msg("%s: step %d leaves %g of %g J", s->name, i, left, scale);
    assert_true(r.unexplained <= 2e-6 * scale && r.first_outcome == CAROM_STEP_DONE);
  }
  if (s->works != (moved > 1e-3 * scale)) fail_msg("%s: moved %g J", s->name, moved);
  world_destroy(&w);
}

static void test_budget(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++) check_source(&SOURCES[i]);
}

/* Stiff dampers and servos of dt d / m = z with a spring of a tenth of the critical one, which
 * count at times of their own (sim/tree/damping.h). Numbers: stiffness, damping. */
static const char* const STIFF[] = {
    SLIDE("stiffness='%.17g' damping='%.17g'", ""),
    SLIDE("", "<tendon><fixed stiffness='%.17g' damping='%.17g'><joint joint='j' coef='1'/></fixed>"
              "</tendon>"),
    SLIDE("", "<actuator><position joint='j' kp='%.17g' kv='%.17g'/></actuator>"),
    SLIDE("", "<actuator><position joint='j' kp='%.17g' kv='%.17g' forcerange='-1e9 1e9'/>"
              "</actuator>"),
    SLIDE("", "<actuator><position joint='j' kp='%.17g' kv='%.17g' forcerange='-30 30'/>"
              "</actuator>"),
    SLIDE("", "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator>"
              "<position tendon='t' kp='%.17g' kv='%.17g'/></actuator>")};

/* Whatever the stiffness, the budget of the midpoint rule closes; and it would not if the forces
 * counted at the mean velocity. */
static void check_stiff(size_t form, double z) {
  const double dt = 0.004, m = 700 * 4 * M_PI / 3 * 0.07 * 0.07 * 0.07, v[6] = {1.3};
  char text[900];
  snprintf(text, sizeof text, STIFF[form], 0.1 * z * z * m / (4 * dt * dt), z * m / dt);
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create(text, &def);
  world_set(&w, NULL, v);
  if (w.sizes.num_actuators) carom_sim_controls(w.sim)[0] = 0.002;
  double scale = world_energy(&w), moved = 0;
  for (int i = 0; i < 120; i++) {
    double before = world_energy(&w);
    carom_step_report r = world_step(&w);
    double left = find_balance(&w, before, &r);
    moved += fabs(r.dissipated) + fabs(r.actuator_work);
    if (fabs(left) > 1e-9 * (scale + moved))
      fail_msg("form %zu, z %g: step %d leaves %g of %g J", form, z, i, left, scale + moved);
    assert_int_equal(r.first_outcome, CAROM_STEP_DONE);
  }
  if (moved < 0.5 * scale) fail_msg("form %zu, z %g: moved %g J", form, z, moved);
  world_destroy(&w);
}

static void test_stiff_budget(void** state) {
  (void)state;
  for (size_t form = 0; form < sizeof STIFF / sizeof *STIFF; form++)
    for (double z = 0.1; z < 2e4; z *= sqrt(10)) check_stiff(form, z);
}

/* Two hinges whose servos are stiff beside the links, dt kv / I = 60 and more, one of them limited:
 * they go to where they are sent and back with no step repeated, and gains are round-off. */
static void test_stiff_servos(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.003, CAROM_MIDPOINT);
  world w = world_create(
      "<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 "
      ".25 0 0' size='.02' mass='.2' contype='0'/><body pos='.25 0 0'><joint name='b' axis='0 1 "
      "0'/><geom type='capsule' fromto='0 0 0 .15 0 0' size='.02' mass='.06' contype='0'/></body>"
      "</body></worldbody><actuator><position joint='a' kp='4000' kv='90'/><position joint='b' "
      "kp='1500' kv='30' forcerange='-200 200'/></actuator></mujoco>",
      &def);
  double worked = 0;
  for (int i = 0; i < 600; i++) {
    double target = i / 150 % 2 ? -0.4 : 0.7;
    for (int k = 0; k < 2; k++) carom_sim_controls(w.sim)[k] = k ? -target : target;
    carom_step_report r = world_step(&w);
    worked += fabs(r.actuator_work);
    assert_int_equal(r.first_outcome, CAROM_STEP_DONE);
    assert_true(r.unexplained <= 1e-3 * worked);
    if (i % 150 == 149) check_near(world_q(&w)[0], target, 1e-3);
  }
  assert_true(worked > 1);
  world_destroy(&w);
}

/* A stiff damper and a stiff servo under implicit Euler: forces that count at the end of the step
 * work along its mean velocity, so that energy is lost and never found. */
static void test_implicit_forces(void** state) {
  (void)state;
  const char* texts[] = {
      SLIDE("damping='4000'", ""),
      SLIDE("", "<actuator><position joint='j' kp='5000' kv='3000'/></actuator>")};
  for (int k = 0; k < 2; k++) {
    carom_sim_def def = world_def(0.01, CAROM_IMPLICIT);
    world w = world_create(texts[k], &def);
    const double v[1] = {5};
    world_set(&w, NULL, v);
    for (int i = 0; i < 50; i++) {
      carom_step_report r = world_step(&w);
      assert_true(r.unexplained <= 1e-10 && r.first_outcome == CAROM_STEP_DONE);
    }
    world_destroy(&w);
  }
}

/* A body that a weld pulls after a mocap body that a hand moves is carried and lifted, and that is
 * explained. */
static void test_moving_ground(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  world w =
      world_create("<mujoco><worldbody><body name='hand' mocap='true'/><body name='b'><freejoint/>"
                   "<geom type='box' size='.1 .1 .1'/></body></worldbody>"
                   "<equality><weld body1='hand' body2='b'/></equality></mujoco>",
                   &def);
  double potential = carom_sim_compute_energy(w.sim).potential;
  for (int i = 0; i < 200; i++) {
    const double position[3] = {0.002 * i, 0, 0.004 * i};
    check_ok(carom_sim_set_mocap(w.sim, 1, position, NULL, NULL), &(carom_error){0});
    carom_step_report r = world_step(&w);
    assert_int_equal(r.first_outcome, CAROM_STEP_DONE);
  }
  assert_true(carom_sim_compute_energy(w.sim).potential > potential + 50);
  world_destroy(&w);
}

/* A hand draws a hinge against a damper that takes at once all that the weld gives: much more than
 * the masses could have, in every step, and nothing of it stays. The damper has dt d / I = 50. */
static void test_dampers_take(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
  world w = world_create(
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='hand' mocap='true' pos='.5 0 0'/>"
      "<body name='b'><joint axis='0 1 0' damping='2000'/><geom type='capsule' size='.03' "
      "fromto='0 0 0 .5 0 0' mass='1'/></body></worldbody>"
      "<equality><connect body1='hand' body2='b' anchor='0 0 0'/></equality></mujoco>",
      &def);
  const double position[3] = {0.3, 0, -0.4};
  check_ok(carom_sim_set_mocap(w.sim, 1, position, NULL, NULL), &(carom_error){0});
  for (int i = 0; i < 500; i++) {
    carom_step_report r = world_step(&w);
    assert_int_equal(r.first_outcome, CAROM_STEP_DONE);
    assert_true(r.unexplained < 1e-3);
  }
  assert_true(fabs(world_q(&w)[0]) > 0.5);
  world_destroy(&w);
}

/* --- Gains --------------------------------------------------------------------------------------
 */

#define LINK(pos, inner)                                                                 \
  "<body pos='" pos "'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .8 0 0' " \
  "size='.03' contype='0' conaffinity='0'/>" inner "</body>"

static const char WHIRL[] =
    "<mujoco><worldbody>" LINK("0 0 0", LINK(".8 0 0", LINK(".8 0 0", ""))) "</worldbody></mujoco>";

/* Three rods that turn by more than a radian a step gain nothing to speak of, in any scheme, and no
 * step fails. */
static void test_whirl(void** state) {
  (void)state;
  const double speeds[] = {20, 90, 260};
  int repeated = 0;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++)
    for (int k = 0; k < 3; k++) {
      carom_sim_def def = world_def(0.008, (carom_scheme)scheme);
      world w = world_create(WHIRL, &def);
      double s = speeds[k], v[3] = {s, -1.7 * s, 0.6 * s}, q[3] = {0.1, 1.1, -0.4};
      world_set(&w, q, v);
      double start = world_energy(&w), most = start, sum = 0;
      for (int i = 0; i < 150; i++) {
        carom_step_report r = world_step(&w);
        repeated += r.first_outcome != CAROM_STEP_DONE;
        most = fmax(most, world_energy(&w));
        sum = fmax(sum, r.unexplained_sum);
      }
      assert_true(most <= start + sum + 1e-9 * start);
      if (scheme >= CAROM_IMPLICIT && most > start + 0.1 * fabs(start))
        fail_msg("scheme %d: %g J of %g", scheme, most, start);
      world_destroy(&w);
    }
  assert_true(repeated > 0);
}

static const char SERVO[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide'/><geom "
    "size='.1' mass='2'/></body></worldbody><actuator><position joint='j' kp='%g' kv='0' %s/>"
    "</actuator></mujoco>";

/* A servo without damping that rules which are explicit somewhere see once in dt w of 0.7 to 70
 * gives no more than it held, within what these may gain, limited or not: its work is the
 * actuator's, so that what the rule adds to it must be told apart. */
static void test_explicit_servos(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_SYMPLECTIC; scheme++)
    for (double kp = 1e4; kp < 2e8; kp *= 10)
      for (int limited = 0; limited < 2; limited++) {
        char text[500];
        carom_sim_def def = world_def(0.01, (carom_scheme)scheme);
        snprintf(text, sizeof text, SERVO, kp, limited ? "forcerange='-900 900'" : "");
        world w = world_create(text, &def);
        double held = limited ? 900 * 0.3 : 0.5 * kp * 0.09;
        carom_sim_controls(w.sim)[0] = 0.3;
        for (int i = 0; i < 500; i++) {
          carom_step_report r = world_step(&w);
          assert_int_equal(r.outcome, CAROM_STEP_DONE);
          if (!(world_energy(&w) < 1.3 * held))
            fail_msg("scheme %d, kp %g: step %d with %g of %g J", scheme, kp, i, world_energy(&w),
                     held);
        }
        world_destroy(&w);
      }
}

/* One whose bound turns its arm past the target and back within a step has done nothing on the way,
 * wherever the step sees it pull. */
static void test_bounded_servo(void** state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    char text[600];
    double bound = 200 << k, kp = 7e4, held = bound * 0.9 - 0.5 * bound * bound / kp;
    carom_sim_def def = world_def(0.03, CAROM_MIDPOINT);
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 1 0'/>"
             "<geom type='capsule' size='.05' fromto='0 0 0 .6 0 0' mass='2'/></body></worldbody>"
             "<actuator><position joint='j' kp='%g' forcerange='%g %g'/></actuator></mujoco>",
             kp, -bound, bound);
    world w = world_create(text, &def);
    carom_sim_controls(w.sim)[0] = 0.9;
    for (int i = 0; i < 200; i++) {
      world_step(&w);
      if (!(world_energy(&w) < 1.05 * held))
        fail_msg("bound %g N m: step %d with %g of %g J", bound, i, world_energy(&w), held);
    }
    world_destroy(&w);
  }
}

/* Springs and servos that symplectic Euler resolves keep their energy, although it swings by dt w
 * in every period: no step is taken again. */
static void test_symplectic_swing(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[500];
    carom_sim_def def = world_def(0.01, CAROM_SYMPLECTIC);
    snprintf(text, sizeof text, SERVO, k ? 800.0 : 0.0, "");
    world w =
        world_create(k ? text
                       : "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' "
                         "stiffness='800'/><geom size='.1' mass='2'/></body></worldbody></mujoco>",
                     &def);
    double most = 0;
    world_set(&w, NULL, (double[]){k ? 2 : 1.5});
    for (int i = 0; i < 4000; i++) {
      carom_step_report r = world_step(&w);
      assert_int_equal(r.first_outcome, CAROM_STEP_DONE);
      assert_true(r.unexplained_sum < 0.02 * 2 * 2 * 2);
      if (i >= 3900) most = fmax(most, fabs(world_v(&w)[0]));
    }
    check_near(most, k ? 2 : 1.5, 0.03);
    world_destroy(&w);
  }
}

/* A small gain in every step counts as much as a large one: weights next to those of the midpoint
 * rule add a thousandth a step to an oscillator, and are stopped when the sum is too much. */
static void test_sum(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.01, CAROM_THETA);
  def.theta[0] = def.theta[1] = 0.5, def.theta[2] = 0.48;
  world w = world_create("<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' "
                         "stiffness='400'/><geom size='.1' mass='1'/></body></worldbody></mujoco>",
                         &def);
  const double v[1] = {3};
  int first = -1;
  world_set(&w, NULL, v);
  for (int i = 0; i < 5000; i++) {
    carom_step_report r = world_step(&w);
    if (r.first_outcome == CAROM_STEP_ENERGY && first < 0) first = i;
  }
  assert_true(first > 5 && first < 200);
  assert_true(world_energy(&w) <
              4.5 * 1.3); /* by itself 4.5 J (1 + 0.04 (w dt)²)^5000 = 13,000 J */
  world_destroy(&w);
}

#define STIFF_ROD(pos, k, m)                                                                   \
  "<body pos='" pos "'><joint type='ball' stiffness='" k "'/><geom type='capsule' size='.03' " \
  "fromto='.04 0 0 .06 0 0' mass='" m "'/>"

/* What blows up in rules that are explicit somewhere: a rod whirls at a ball joint about its own
 * axis; a bar of which the damping is too stiff for the step; rods on joints with dt w of
 * hundreds that fall on the ground, where the step of an impact takes springs as they were. None
 * ends with more than twice what there is at most of energy, that of the fall or of the start. */
static void test_explosions(void** state) {
  (void)state;
  static const struct {
    const char* text;
    carom_scheme first, last;
    double dt, v[3], most; /* J */
  } cases[] = {
      {"<mujoco><worldbody><body><joint type='ball'/><geom type='capsule' size='.012' fromto='0 0 "
       "0 .05 .15 .1' mass='.05'/></body></worldbody></mujoco>",
       CAROM_EXPLICIT,
       CAROM_SYMPLECTIC,
       0.003,
       {20, 60, 40},
       0.05 * 9.81 * 0.4 + 0.5 * 0.05 * 0.19 * 0.19 / 3 * 5600},
      {"<mujoco><worldbody><flexcomp name='f' dim='3' type='grid' count='5 3 3' spacing='.05 .05 "
       ".05' pos='0 0 1' radius='.001' carom:density='900'><elasticity young='2e4' poisson='.3' "
       "damping='.5'/><contact selfcollide='none'/></flexcomp></worldbody></mujoco>",
       CAROM_EXPLICIT,
       CAROM_EXPLICIT,
       0.002,
       {0},
       900 * 0.2 * 0.01 * 9.81 * 1.2},
      {"<mujoco><worldbody><geom type='plane' size='1 1 1'/>" STIFF_ROD("0 0 .15", "50", ".02")
           STIFF_ROD(".1 0 0", "3e4", ".006") STIFF_ROD(".1 0 0", "1e-3", ".3")
               STIFF_ROD(".1 0 0", "2e5", ".01")
                   STIFF_ROD(".1 0 0", "4e3",
                             ".01") "</body></body></body></body></body></worldbody></mujoco>",
       CAROM_IMPLICIT,
       CAROM_MIDPOINT,
       0.007,
       {0},
       0.51}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (carom_scheme scheme = cases[k].first; scheme <= cases[k].last; scheme++) {
      carom_sim_def def = world_def(cases[k].dt, scheme);
      world w = world_create(cases[k].text, &def);
      double v[300] = {cases[k].v[0], cases[k].v[1], cases[k].v[2]};
      if (v[0] != 0) world_set(&w, NULL, v);
      double start = world_energy(&w);
      for (int i = 0; i < 400; i++) {
        carom_step_report r = world_step(&w);
        if (r.outcome != CAROM_STEP_DONE || !(world_energy(&w) < start + 2 * cases[k].most))
          fail_msg("case %d, scheme %d, step %d: outcome %d, %g J after %g J", (int)k, (int)scheme,
                   i, r.outcome, world_energy(&w), start);
      }
      world_destroy(&w);
    }
}

/* What was gained is part of the state: a restored simulation decides as the other one. */
static void test_restore(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.008, CAROM_MIDPOINT);
  world a = world_create(WHIRL, &def), b = world_create(WHIRL, &def);
  const double v[3] = {60, -100, 30};
  world_set(&a, NULL, v);
  for (int i = 0; i < 40; i++) {
    world_state s = world_save(&a);
    world_restore(&b, &s);
    carom_step_report ra = world_step(&a), rb = world_step(&b);
    assert_true(ra.unexplained == rb.unexplained && ra.unexplained_sum == rb.unexplained_sum);
    world_expect_twins(&a, &b);
    free(s.bytes);
  }
  world_destroy(&a);
  world_destroy(&b);
}

/* --- Failures -----------------------------------------------------------------------------------
 */

static const char TWO[] =
    "<mujoco><worldbody>"
    "<body name='ball' pos='3 0 0'><freejoint/><geom size='.1'/></body>"
    "<body name='mad'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 1 0 0' size='.03'/>"
    "<body name='end' pos='1 0 0'><joint axis='0 0 1'/><geom type='capsule' fromto='0 0 0 1 0 0' "
    "size='.03' contype='0'/></body></body></worldbody></mujoco>";

/* Velocities beyond numbers' squares cannot be stepped: the body is named, and where the run is to
 * go on it stands still while the other one falls. */
static void test_on_failure(void** state) {
  (void)state;
  const double v[8] = {0, 0, 0, 0, 0, 0, 1e200, -1e200};
  for (int k = 0; k < 2; k++) {
    carom_sim_def def = world_def(0.01, CAROM_MIDPOINT);
    def.on_failure = k ? CAROM_FAILURE_CONTINUE : CAROM_FAILURE_STOP;
    world w = world_create(TWO, &def);
    carom_step_report r;
    world_set(&w, NULL, v);
    world_state before = world_save(&w);
    check_ok(carom_sim_step(w.sim, &r, NULL), &(carom_error){0});
    assert_string_equal(carom_model_get_body(w.model, r.failed_body).name, "mad");
    if (k == 0) {
      world_state now = world_save(&w);
      assert_int_not_equal(r.outcome, CAROM_STEP_DONE);
      world_expect_same(&now, &before);
      free(now.bytes);
    } else {
      assert_int_equal(r.outcome, CAROM_STEP_DONE);
      assert_int_equal(r.held_trees, 1);
      assert_int_not_equal(r.first_outcome, CAROM_STEP_DONE);
      check_near(carom_sim_time(w.sim), 0.01, 1e-15);
      check_near(world_v(&w)[2], -0.0981, 1e-9);
      assert_true(fabs(world_v(&w)[6]) < 1);
      assert_int_equal(world_step(&w).first_outcome, CAROM_STEP_DONE);
    }
    free(before.bytes);
    world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_budget),
                                     cmocka_unit_test(test_stiff_budget),
                                     cmocka_unit_test(test_stiff_servos),
                                     cmocka_unit_test(test_implicit_forces),
                                     cmocka_unit_test(test_moving_ground),
                                     cmocka_unit_test(test_dampers_take),
                                     cmocka_unit_test(test_explicit_servos),
                                     cmocka_unit_test(test_bounded_servo),
                                     cmocka_unit_test(test_symplectic_swing),
                                     cmocka_unit_test(test_whirl),
                                     cmocka_unit_test(test_sum),
                                     cmocka_unit_test(test_explosions),
                                     cmocka_unit_test(test_restore),
                                     cmocka_unit_test(test_on_failure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
