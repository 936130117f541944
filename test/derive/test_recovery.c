/* Derivatives of steps whose rigid contacts and limits recover from overlaps and violations, within
 * the bounds of recovery and beyond them, against differences of steps. */
#include "sim/sim.h"
#include "support/parameter_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A leg with a ball for a foot on a floor, its hip on slides, and a damped arm with a limit; and a
 * free ball. `low` is how deep the foot is, about, and `range` how far the knee may turn. */
static const char SCENE[] =
    "<mujoco><option timestep='0.002'/><default><geom friction='0.6'/><joint armature='0.001'/>"
    "</default><worldbody><geom type='plane' size='5 5 1'/>"
    "<body pos='0 0 %g'><joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/>"
    "<geom type='box' size='0.1 0.1 0.05' contype='0' conaffinity='0'/>"
    "<body euler='0 40 0'><joint axis='0 1 0' damping='%g'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.03' contype='0' conaffinity='0'/>"
    "<body pos='0 0 -0.25' euler='0 -70 10'><joint axis='0 1 0' range='%g 90' limited='true'/>"
    "<joint axis='1 0 0' stiffness='5'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.02' contype='0' conaffinity='0'/>"
    "<geom pos='0 0 -0.27' size='0.03'/></body></body></body>"
    "<body pos='1 0 %g'><freejoint/><geom size='0.05'/></body></worldbody></mujoco>";

/* Where the foot touches the floor. */
#define HEIGHT 0.456

typedef struct course {
  double depth, damping, degrees; /* m, N m s, how far the knee is beyond its limit */
} course;

static int expect(const course* run, carom_scheme scheme, carom_friction friction) {
  char text[4096];
  int compared = 0;
  snprintf(text, sizeof text, SCENE, HEIGHT - run->depth, run->damping, run->degrees,
           0.05 - run->depth);
  for (int seed = 1; seed <= 3; seed++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = scheme, def.friction = friction, def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d = step_differences_create(text, &def, seed);
    double* v = calloc((size_t)d.model->num_v, sizeof *v);
    assert_non_null(v);
    for (int k = 0; k < d.model->num_v; k++) v[k] = 0.05 * carom_sim_velocities(d.sim)[k];
    assert_int_equal(carom_sim_set_state(d.sim, 0, d.model->q_reference, v, NULL), 0);
    if (!step_differences_has_kink(&d)) {
      assert_int_equal(d.found.num_held, 0);
      step_differences_expect(&d, 1e-6, 3e-7);
      compared++;
    }
    free(v);
    step_differences_destroy(&d);
  }
  return compared;
}

static void expect_all(const course* run) {
  int compared = 0;
  for (int i = 0; i < 3; i++)
    compared += expect(run, step_schemes[i], i ? CAROM_FRICTION_COULOMB : CAROM_FRICTION_CONVEX);
  assert_true(compared > 3);
}

/* Opens at once, and gives way with the depth. */
static void test_within(void** state) {
  (void)state;
  expect_all(&(course){2e-4, 0, -60});
  expect_all(&(course){2e-4, 0, 0.01});
}

/* Opens at the recovery speed. */
static void test_beyond(void** state) {
  (void)state;
  expect_all(&(course){4e-3, 0, -60});
  expect_all(&(course){-0.05, 0, 0.1});
}

/* A stiff damper is a part of the mobility. */
static void test_damped(void** state) {
  (void)state;
  expect_all(&(course){2e-4, 2, 0.01});
  expect_all(&(course){-0.05, 2, 0.1});
}

/* Balls that bounce, on a floor and off each other, by Newton's law. */
static void test_rebound(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002'/><default><geom friction='0.3' carom:restitution='0.7'/>"
      "</default><worldbody><geom type='plane' size='5 5 1' carom:restitution='0.5'/>"
      "<body pos='0 0 0.0505'><freejoint/><geom name='low' size='0.05'/></body>"
      "<body pos='0.02 0.01 0.1475'><freejoint/><geom name='high' size='0.05'"
      " carom:restitution='0.75'/></body></worldbody></mujoco>";
  static const char* const NAMES[] = {"geom.low.restitution", "geom.high.restitution",
                                      "geom.low.friction"};
  int compared = 0;
  for (int i = 0; i < 3; i++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[i], def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d = step_differences_create(TEXT, &def, 0);
    const double v[12] = {0.2, 0.1, -1, 1, 2, 3, -0.1, 0.1, -2, 0, 1, 0};
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    if (!step_differences_has_kink(&d) && d.found.num_held == 0) {
      step_differences_expect(&d, 3e-6, 3e-7);
      parameter_differences_expect(&d, NAMES, 3, 1e-3);
      compared++;
    }
    assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    assert_true(carom_sim_velocities(d.sim)[8] > 0.5); /* the upper one has turned back */
    step_differences_destroy(&d);
  }
  assert_true(compared > 0);
}

/* A ball in the floor beside a soft body, whose nodes are no dofs of links. */
static void test_beside_soft(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='1 0 0.049'><freejoint/><geom size='0.05'/></body>"
      "<flexcomp name='soft' type='grid' dim='3' count='4 4 4' radius='0' pos='0 0 1'"
      " spacing='0.05 0.05 0.05' carom:density='1000'><elasticity young='1e6' poisson='0.3'/>"
      "</flexcomp></worldbody></mujoco>";
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-13, def.sleep_share = 0;
  step_differences d = step_differences_create(TEXT, &def, 0);
  assert_false(step_differences_has_kink(&d));
  assert_int_equal(d.found.num_held, 0);
  step_differences_expect(&d, 5e-6, 3e-7);
  step_differences_destroy(&d);
}

/* A loop of four bars in a plane: of the three rows that close it the one across repeats what the
 * hinges hold. */
static void test_loop(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002'/><worldbody>"
      "<body name='a'><joint name='j' axis='0 1 0' damping='0.01'/><geom type='capsule'"
      " fromto='0 0 0 0.1 0 0.3' size='0.02' contype='0' conaffinity='0'/>"
      "<body name='b' pos='0.1 0 0.3'><joint axis='0 1 0'/><geom type='capsule'"
      " fromto='0 0 0 0.4 0 0.05' size='0.02' contype='0' conaffinity='0'/></body></body>"
      "<body name='c' pos='0.45 0 0'><joint axis='0 1 0'/><geom type='capsule'"
      " fromto='0 0 0 0.05 0 0.35' size='0.02' contype='0' conaffinity='0'/></body></worldbody>"
      "<equality><connect body1='b' body2='c' anchor='0.4 0 0.05'/></equality>"
      "<actuator><motor joint='j'/></actuator></mujoco>";
  for (int i = 0; i < 3; i++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[i], def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d = step_differences_create(TEXT, &def, 0);
    carom_sim_controls(d.sim)[0] = 1;
    for (int k = 0; k < 50; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    step_differences_expect(&d, 2e-6, 3e-7);
    assert_int_equal(d.found.num_held, 0);
    step_differences_destroy(&d);
  }
}

/* Four bars whose hinges are not quite parallel, so that a row across hardly moves, with a ball
 * that a floor holds up; the loop is `apart` out of place. */
static const char SKEW[] =
    "<mujoco><option timestep='0.002'/><default><geom friction='0.5'/></default><worldbody>"
    "<geom type='plane' size='5 5 1' pos='0 0 %g'/>"
    "<body name='a'><joint name='j' axis='0 1 %g' damping='0.01'/><geom type='capsule'"
    " fromto='0 0 0 0.1 0 0.3' size='0.02' contype='0' conaffinity='0'/>"
    "<body name='b' pos='0.1 0 0.3'><joint axis='%g 1 0'/><geom type='capsule'"
    " fromto='0 0 0 0.4 0 0.05' size='0.02' contype='0' conaffinity='0'/></body></body>"
    "<body name='c' pos='0.45 0 0'><joint axis='0 1 0'/><geom type='capsule'"
    " fromto='0 0 0 0.05 0 0.35' size='0.02' contype='0' conaffinity='0'/>"
    "<geom pos='0.1 0 0' size='0.03'/></body></worldbody>"
    "<equality><connect name='e' body1='b' body2='c' anchor='0.4 0 0.05'/></equality>"
    "<actuator><motor joint='j'/></actuator></mujoco>";

/* How the loop is bounded. */
typedef struct loop_course {
  double floor, skew, apart, speed; /* m, rad, rad, rad/s */
} loop_course;

static int expect_loop(const loop_course* run, carom_scheme scheme) {
  char text[2048];
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme, def.tolerance = 1e-13, def.sleep_share = 0;
  snprintf(text, sizeof text, SKEW, run->floor, run->skew, -run->skew);
  step_differences d = step_differences_create(text, &def, 0);
  const double q[3] = {run->apart, -0.4 * run->apart, 0.7 * run->apart};
  const double v[3] = {run->speed, -1.2 * run->speed, 0.9 * run->speed};
  assert_int_equal(carom_sim_set_state(d.sim, 0, q, v, NULL), 0);
  carom_sim_controls(d.sim)[0] = 1;
  bool is_smooth = !step_differences_has_kink(&d);
  assert_int_equal(d.found.num_held, 0);
  if (is_smooth) step_differences_expect(&d, 1e-6, 3e-7);
  step_differences_destroy(&d);
  return is_smooth;
}

static void expect_loops(const loop_course* run) {
  int compared = 0;
  for (int i = 0; i < 3; i++) compared += expect_loop(run, step_schemes[i]);
  assert_true(compared > 0);
}

/* Closes fading along what hardly moves, as fast as the recovery speed allows or, where it moves,
 * as its links do. */
static void test_fading(void** state) {
  (void)state;
  expect_loops(&(loop_course){-1, 0.05, 1e-3, 0});
  expect_loops(&(loop_course){-1, 0.05, 1e-3, 5});
}

/* Further out of place than closes at once. */
static void test_far_apart(void** state) {
  (void)state;
  expect_loops(&(loop_course){-1, 0.05, 6e-3, 0.5});
  expect_loops(&(loop_course){-1, 0.2, 5e-2, 3});
}

/* With an equality of joints, whose mobility is its own. */
static void test_mixed(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002'/><default><geom contype='0' conaffinity='0'/></default>"
      "<worldbody><body name='a'><joint name='i' axis='0 1 0.1'/><geom type='capsule'"
      " fromto='0 0 0 0.1 0 0.3' size='0.02'/>"
      "<body name='b' pos='0.1 0 0.3'><joint name='j' axis='0 1 0'/><joint name='k' axis='1 0 0'/>"
      "<geom type='capsule' fromto='0 0 0 0.4 0 0.05' size='0.02'/></body></body>"
      "<body name='c' pos='0.6 0 0.3'><joint name='l' axis='0 1 0.2'/><joint axis='0 0 1'/>"
      "<geom type='capsule' fromto='0 0 0 0.05 0 0.35' size='0.02'/></body></worldbody>"
      "<equality><connect body1='b' body2='c' anchor='0.4 0 0.05'/>"
      "<joint joint1='i' joint2='l' polycoef='0 -0.5 0.1 0 0'/></equality></mujoco>";
  int compared = 0;
  for (int i = 0; i < 6; i++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[i / 2], def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d = step_differences_create(TEXT, &def, 0);
    const double s = i % 2 ? 1 : 2, q[5] = {2e-3, -3e-3, 1e-3, 4e-3, -2e-3};
    const double v[5] = {1 * s, -2 * s, 0.5 * s, -1 * s, 0.8 * s};
    assert_int_equal(carom_sim_set_state(d.sim, 0, q, v, NULL), 0);
    bool is_smooth = !step_differences_has_kink(&d);
    assert_int_equal(d.found.num_held, 0);
    if (is_smooth) step_differences_expect(&d, 1e-6, 3e-7), compared++;
    step_differences_destroy(&d);
  }
  assert_true(compared > 0);
}

/* A ball in a floor that recovers by what the loop leaves to it. */
static void test_waiting(void** state) {
  (void)state;
  expect_loops(&(loop_course){-0.029, 0, 0, 1});
  expect_loops(&(loop_course){-0.0295, 0.05, 1e-3, 1});
  expect_loops(&(loop_course){-0.0298, 0.2, 1e-3, 0});
}

/* A joint and a tendon whose ranges exclude each other press in vain, so that later steps begin
 * with less of their speeds. */
static void test_eased(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002'/><worldbody><body><joint name='j' axis='0 1 0'"
      " limited='true' range='0.01 90'/><geom type='capsule' fromto='0 0 0 0.1 0 0.3' size='0.02'/>"
      "<body pos='0.1 0 0.3'><joint name='k' axis='0 1 0'/><geom type='capsule'"
      " fromto='0 0 0 0.4 0 0.05' size='0.02'/></body></body></worldbody>"
      "<tendon><fixed limited='true' range='-1 -2e-4'><joint joint='j' coef='1'/>"
      "</fixed></tendon><actuator><motor joint='k'/></actuator></mujoco>";
  for (int i = 0; i < 3; i++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[i], def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d = step_differences_create(TEXT, &def, 0);
    carom_sim_controls(d.sim)[0] = 1;
    for (int k = 0; k < 3; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    step_differences_expect(&d, 1e-6, 3e-7);
    assert_int_equal(d.found.num_held, 0);
    step_differences_destroy(&d);
  }
}

/* --- Recovery that a step slows -----------------------------------------------------------------
 */

typedef struct wedge {
  const char* text; /* with a number, */
  double number;
  double q[8], v[8];
  const char* names[4]; /* of parameters */
  int relinearise;
} wedge;

static step_differences create_wedge(const wedge* run, carom_scheme scheme,
                                     carom_friction friction) {
  char text[4096];
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme, def.friction = friction, def.tolerance = 1e-13, def.sleep_share = 0;
  def.relinearise = run->relinearise;
  snprintf(text, sizeof text, run->text, run->number);
  step_differences d = step_differences_create(text, &def, 0);
  assert_int_equal(carom_sim_set_state(d.sim, 0, run->q, run->v, NULL), 0);
  for (int k = 0; k < d.num_u; k++) carom_sim_controls(d.sim)[k] = 0.5;
  return d;
}

/* Takes a step; returns whether it has slowed a row, which all begin at full speed. */
static bool slows(const step_differences* d) {
  bool any = false;
  assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
  for (int i = 0; i < d->sim->memory.count; i++) any |= d->sim->memory.records[i].recovery < 1;
  return any;
}

static int expect_slowed(const wedge* run, carom_scheme scheme, carom_friction friction) {
  step_differences d = create_wedge(run, scheme, friction);
  bool is_smooth = !step_differences_has_kink(&d);
  int count = 0;
  while (count < 4 && run->names[count]) count++;
  assert_true(!is_smooth || d.found.num_held == 0); /* one that is taken in parts has a kink */
  if (is_smooth) step_differences_expect(&d, 3e-7, 3e-7);
  if (is_smooth && count > 0) parameter_differences_expect(&d, run->names, count, 2e-5);
  assert_true(slows(&d));
  step_differences_destroy(&d);
  return is_smooth;
}

static void expect_all_slowed(const wedge* run) {
  int compared = 0;
  for (int i = 0; i < 3; i++) {
    compared += expect_slowed(run, step_schemes[i], CAROM_FRICTION_COULOMB);
    compared += expect_slowed(run, step_schemes[i], CAROM_FRICTION_CONVEX);
  }
  assert_true(compared > 3);
}

/* A ball between a floor and a ceiling, with its radius. */
static const char WEDGED[] =
    "<mujoco><option timestep='0.002'/><default><geom friction='0.3'/></default><worldbody>"
    "<geom type='plane' size='5 5 1'/>"
    "<geom type='plane' size='5 5 1' pos='0 0 0.2' euler='180 0 0'/>"
    "<body pos='0 0 0.1003'><freejoint/><geom size='%.15g'/></body></worldbody></mujoco>";

static wedge wedge_of(double radius) {
  return (wedge){.text = WEDGED,
                 .number = radius,
                 .q = {0, 0, 0.1003, 1},
                 .v = {0.1, 0.02, -0.03, 0.5, 1, 0.3}};
}

static void test_wedged(void** state) {
  (void)state;
  for (int i = 1; i <= 3; i++) {
    const wedge run = wedge_of(0.1 + 2.5e-4 * i);
    expect_all_slowed(&run);
  }
}

/* What is fast enough against a wedge takes more than recovery to stop: there it begins to be no
 * longer slowed, which is a kink. */
static void test_slowing_ends(void** state) {
  (void)state;
  double slow = -1, fast = -200;
  wedge run = wedge_of(0.101);
  for (int i = 0; i < 50; i++) {
    run.v[2] = 0.5 * (slow + fast);
    step_differences d = create_wedge(&run, CAROM_IMPLICIT, CAROM_FRICTION_COULOMB);
    *(slows(&d) ? &slow : &fast) = run.v[2];
    step_differences_destroy(&d);
  }
  assert_true(slow < -1 && fast > -200);
  const double at[] = {slow, fast, slow + 0.01, fast - 0.01};
  for (int i = 0; i < 4; i++) {
    run.v[2] = at[i];
    step_differences d = create_wedge(&run, CAROM_IMPLICIT, CAROM_FRICTION_COULOMB);
    assert_int_equal(step_differences_has_kink(&d), i < 2);
    step_differences_destroy(&d);
  }
}

/* The smoothed derivative holds it. */
static void test_slowed_smoothly(void** state) {
  (void)state;
  const wedge run = wedge_of(0.101);
  step_differences d = create_wedge(&run, CAROM_MIDPOINT, CAROM_FRICTION_COULOMB);
  carom_linearization out = {.A = d.A, .B = d.B, .smoothing = 1e-4};
  assert_int_equal(carom_sim_linearize(d.sim, &out, NULL), 0);
  assert_true(out.num_held > 0);
  step_differences_expect_transpose(&d, &out);
  step_differences_destroy(&d);
}

/* An arm whose limits press its ball into a floor, with a damper (N m s) and a stiff string that
 * are parts of mobilities; linearised anew, too. */
static void test_limits_on_floor(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002'/><default><geom friction='0.5'/><joint armature='0.001'/>"
      "</default><worldbody><geom type='plane' size='5 5 1' pos='0 0 0.0157'/>"
      "<site name='s' pos='0 0.2 0.5'/><body pos='0 0 0.3'><joint axis='0 1 0' damping='%g' "
      "range='10 90' limited='true'/>"
      "<geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.02' contype='0' conaffinity='0'/>"
      "<body pos='0.4 0 0'><joint name='j' axis='0 1 0' range='30 90' limited='true'/>"
      "<joint axis='0 0 1' stiffness='5'/>"
      "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02' contype='0' conaffinity='0'/>"
      "<geom name='ball' pos='0.3 0 0' size='0.03' friction='0.6'/><site "
      "name='e'/></body></body></worldbody>"
      "<tendon><spatial stiffness='2000' damping='5'><site site='s'/><site site='e'/></spatial>"
      "</tendon><actuator><motor joint='j'/></actuator></mujoco>";
  wedge run = {.text = TEXT,
               .q = {0.17, 0.51, 0.1},
               .v = {0.2, -0.1, 0.3},
               .names = {"geom.ball.friction", "joint.j.range"}};
  expect_all_slowed(&run);
  run.number = 0.5;
  expect_all_slowed(&run);
  run.relinearise = 2;
  expect_all_slowed(&run);
}

/* A loop of four bars, a limit of which asks for what another one forbids. */
static void test_limits_in_loop(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002'/><default><geom contype='0' conaffinity='0'/></default>"
      "<worldbody><body name='a'><joint name='j' axis='0 1 0' damping='0.01' limited='true'"
      " range='%g 90'/><geom type='capsule' fromto='0 0 0 0.1 0 0.3' size='0.02'/>"
      "<body name='b' pos='0.1 0 0.3'><joint axis='0 1 0'/><geom type='capsule'"
      " fromto='0 0 0 0.4 0 0.05' size='0.02'/></body></body>"
      "<body name='c' pos='0.45 0 0'><joint axis='0 1 0' limited='true' range='-90 -0.5'/>"
      "<geom type='capsule' fromto='0 0 0 0.05 0 0.35' size='0.02'/></body></worldbody>"
      "<equality><connect name='e' body1='b' body2='c' anchor='0.4 0 0.05'/></equality>"
      "<actuator><motor joint='j'/></actuator></mujoco>";
  wedge run = {.text = TEXT, .number = 0.3, .v = {0.3, -0.36, 0.27}};
  expect_all_slowed(&run);
  run.relinearise = 1;
  expect_all_slowed(&run);
}

/* An arm that an equality turns into a ball on a floor, by as far out of place as given (rad). */
static void test_equality_on_ball(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.002'/><default><geom friction='0.5'/></default><worldbody>"
      "<geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 0.3'><joint name='i' axis='0.1 1 0'/><geom type='capsule'"
      " fromto='0 0 0 0.3 0 0' size='0.02' contype='0' conaffinity='0'/><body pos='0.3 0 0'>"
      "<joint axis='0 0 1' stiffness='5' armature='0.1'/><geom pos='0.1 0 0' "
      "size='0.05'/></body></body>"
      "<body pos='0.41 0.01 0.12'><freejoint/><geom size='0.1205' mass='3'/></body></worldbody>"
      "<equality><joint joint1='i' polycoef='%g 0 0 0 0'/></equality></mujoco>";
  wedge run = {.text = TEXT,
               .number = 0.35,
               .q = {0.31, 0.03, 0.41, 0.01, 0.1198, 1},
               .v = {0.2, -0.1, 0.1, 0.2, 0.1, 0.3}};
  expect_all_slowed(&run);
  run.number = 0.311;
  expect_all_slowed(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_within),
      cmocka_unit_test(test_beyond),
      cmocka_unit_test(test_damped),
      cmocka_unit_test(test_rebound),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_fading),
      cmocka_unit_test(test_far_apart),
      cmocka_unit_test(test_mixed),
      cmocka_unit_test(test_waiting),
      cmocka_unit_test(test_beside_soft),
      cmocka_unit_test(test_eased),
      cmocka_unit_test(test_wedged),
      cmocka_unit_test(test_slowing_ends),
      cmocka_unit_test(test_slowed_smoothly),
      cmocka_unit_test(test_limits_on_floor),
      cmocka_unit_test(test_limits_in_loop),
      cmocka_unit_test(test_equality_on_ball),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
