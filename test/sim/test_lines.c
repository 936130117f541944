/* Spatial tendons: lengths by hand, Jacobians as differences of the length, pulleys, springs to
 * second order, stiff ones at any step, limits, equalities. */
#include "force/wrap.h"
#include "support/scene.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

/* --- Wrapping -----------------------------------------------------------------------------------
 */

static void expect_wrap(const cr_wrap_body* body, v3 a, v3 b, double whole) {
  cr_wrap wrap;
  assert_true(cr_wrap_find(body, a, b, &wrap));
  double length =
      v3_norm(v3_sub(wrap.point[0], a)) + wrap.length + v3_norm(v3_sub(b, wrap.point[1]));
  check_near(length, whole, 1e-12);
}

/* Over a circle of radius 1 between points at 2 on either side: tangents of sqrt 3, and the arc
 * between. */
static void test_wrap_by_hand(void** state) {
  (void)state;
  v3 above = {0, 3, 0}, below = {0, -3, 0}, inside = {0, 0.5, 0}, left = {-2, 0, 0},
     right = {2, 0, 0};
  cr_wrap_body ball = {.radius = 1, .frame = pose_identity()};
  cr_wrap_body drum = {.is_cylinder = true, .radius = 1, .frame = pose_identity()};
  double half = 2 * sqrt(3) + PI / 3;
  expect_wrap(&ball, left, right, half);
  expect_wrap(&drum, left, right, half);
  ball.side = drum.side = &below;
  expect_wrap(&drum, left, right, half);
  cr_wrap wrap;
  assert_true(cr_wrap_find(&drum, left, right, &wrap));
  assert_true(wrap.point[0].y < 0 && wrap.point[1].y < 0);
  /* Along the axis the string rises as its length does. */
  expect_wrap(&drum, left, v3_make(2, 0, 1.5), hypot(half, 1.5));
  /* A string that passes over the top touches nothing, but for a side below: then it goes around.
   */
  v3 a = {-1, 1.5, 0}, b = {1, 1.5, 0};
  ball.side = NULL, drum.side = &above;
  assert_false(cr_wrap_find(&ball, a, b, &wrap));
  assert_false(cr_wrap_find(&drum, a, b, &wrap));
  drum.side = &below;
  assert_true(cr_wrap_find(&drum, a, b, &wrap));
  check_near(wrap.length, PI, 1e-12);
  /* Within: both at one height over the circle, it bends at the top. */
  drum.side = &inside;
  expect_wrap(&drum, a, b, 2 * hypot(1, 0.5));
  assert_false(cr_wrap_find(&drum, left, right, &wrap));
  /* Ends within the circle touch nothing. */
  drum.side = NULL;
  assert_false(cr_wrap_find(&drum, v3_make(0.5, 0, 0), right, &wrap));
}

/* --- Jacobians ----------------------------------------------------------------------------------
 */

#define CHAIN                                                                                     \
  "<worldbody><site name='w' pos='-.4 .1 .1'/><site name='v' pos='.1 .5 -.1'/>"                   \
  "<geom name='post' type='cylinder' size='.05 .2' pos='-.2 .3 0' euler='20 30 0' contype='0' "   \
  "conaffinity='0'/>"                                                                             \
  "<body name='a'><joint type='ball'/><geom name='ball' size='.08' contype='0' conaffinity='0'/>" \
  "<site name='a' pos='.3 .1 0'/><site name='in' pos='.21 0 .01'/>"                               \
  "<body name='b' pos='.2 0 0'><joint axis='0 1 1'/><joint axis='1 0 0' pos='0 .1 0'/>"           \
  "<geom name='roll' type='cylinder' size='.06 .1' euler='70 10 0' contype='0' conaffinity='0'/>" \
  "<site name='b' pos='.2 .1 .1'/><site name='side' pos='0 -.3 .1'/></body></body>"               \
  "<body name='c' pos='0 .4 .2'><freejoint/><geom size='.1' pos='.1 0 0' contype='0' "            \
  "conaffinity='0'/><site name='c' pos='-.1 .2 .1' euler='30 20 10'/></body></worldbody>"

enum { NUM_Q = 13, NUM_V = 11, NUM_TENDONS = 5 };

static const char* const TENDON_TEXTS[] = {
    "<spatial name='t'><site site='w'/><site site='b'/><site site='c'/></spatial>",
    "<spatial name='t'><site site='w'/><geom geom='ball'/><site site='b'/><geom geom='post'/>"
    "<site site='c'/></spatial>",
    "<spatial name='t'><site site='v'/><geom geom='ball' sidesite='side'/><site site='b'/>"
    "<geom geom='roll' sidesite='side'/><site site='c'/></spatial>",
    "<spatial name='t'><site site='w'/><geom geom='roll' sidesite='in'/><site site='c'/></spatial>",
    "<spatial name='t'><site site='w'/><site site='a'/><pulley divisor='2'/><site site='a'/>"
    "<geom geom='post'/><site site='c'/></spatial>"};

/* q after the interface velocity v for the time h: for differences, to first order. */
static void move(const double* q, const double* v, double h, double* out) {
  quat ball = quat_load(q), free = quat_load(q + 9);
  quat_store(quat_mul(ball, quat_exp(v3_scale(h, v3_load(v)))), out);
  for (int k = 0; k < 2; k++) out[4 + k] = q[4 + k] + h * v[3 + k];
  for (int k = 0; k < 3; k++) out[6 + k] = q[6 + k] + h * v[5 + k];
  quat_store(quat_mul(free, quat_exp(v3_scale(h, v3_load(v + 8)))), out + 9);
}

static void random_state(check_random* random, double* q, double* v) {
  for (int k = 0; k < NUM_Q; k++) q[k] = 0.3 * check_random_normal(random) + (k == 0 || k == 9);
  quat_store(quat_normalize(quat_load(q)), q);
  quat_store(quat_normalize(quat_load(q + 9)), q + 9);
  for (int k = 0; k < NUM_V; k++) v[k] = check_random_normal(random);
}

/* The slope of a length along v is J v, and the rate. Where the step crosses from touching to not,
 * the length has a kink: those few do not count. */
static int check_slope(carom_dynamics* d, const double* q, const double* v) {
  double ends[2], moved[NUM_Q], J[NUM_V], length, rate, sum = 0, h = 1e-6;
  for (int s = 0; s < 2; s++) {
    move(q, v, s ? h : -h, moved);
    carom_dynamics_set(d, moved, NULL, NULL, NULL);
    carom_dynamics_compute_tendons(d, &ends[s], NULL);
  }
  carom_dynamics_set(d, q, v, NULL, NULL);
  carom_dynamics_compute_tendons(d, &length, &rate);
  carom_dynamics_compute_tendon_jacobian(d, J);
  for (int k = 0; k < NUM_V; k++) sum += J[k] * v[k];
  check_near(rate, sum, 1e-12);
  return fabs((ends[1] - ends[0]) / (2 * h) - rate) < 1e-7;
}

static void test_jacobians(void** state) {
  (void)state;
  check_random random = {11};
  for (int t = 0; t < NUM_TENDONS; t++) {
    char text[3000];
    snprintf(text, sizeof text, "<mujoco>" CHAIN "<tendon>%s</tendon></mujoco>", TENDON_TEXTS[t]);
    carom_model* model = scene_load(text);
    carom_dynamics* d;
    assert_int_equal(carom_dynamics_create(model, NULL, &d, NULL), CAROM_OK);
    int good = 0;
    for (int i = 0; i < 300; i++) {
      double q[NUM_Q], v[NUM_V];
      random_state(&random, q, v);
      good += check_slope(d, q, v);
    }
    assert_true(good >= 298);
    carom_dynamics_destroy(d);
    carom_model_destroy(model);
  }
}

/* --- Motion -------------------------------------------------------------------------------------
 */

/* Energy that a swinging pair loses in a quarter of a second to a scheme of second order, one
 * linearisation only. */
static double lose_energy(const char* tendon, double dt) {
  char text[3000];
  snprintf(text, sizeof text, "<mujoco>" CHAIN "<tendon>%s</tendon></mujoco>", tendon);
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create(text, &def);
  double start = world_energy(&w), dissipated = 0;
  for (int i = 0; i < 0.25 / dt - 0.5; i++) dissipated += world_step(&w).dissipated;
  double lost = start - world_energy(&w) - dissipated;
  world_destroy(&w);
  return lost;
}

static void test_energy(void** state) {
  (void)state;
  static const char* const SPRINGS[] = {
      "<spatial stiffness='100' springlength='.2'><site site='w'/><site site='b'/><site site='c'/>"
      "</spatial>",
      "<spatial stiffness='100' damping='2' springlength='0 .3'><site site='w'/><geom geom='ball'/>"
      "<site site='b'/><site site='c'/></spatial>"};
  for (int i = 0; i < 2; i++) {
    double coarse = lose_energy(SPRINGS[i], 0.0005), fine = lose_energy(SPRINGS[i], 0.00025);
    assert_true(fabs(coarse) < 0.05);
    check_near(coarse / fine, 4, 0.1);
  }
}

/* Bodies on springs of a period far below the step come to rest where statics puts them. */
static void test_stiff_springs(void** state) {
  (void)state;
  for (int scheme = CAROM_IMPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    carom_sim_def def = world_def(0.02, (carom_scheme)scheme);
    world w = world_create(
        "<mujoco><worldbody><site name='top' pos='0 0 1'/><body><joint type='slide' axis='0 0 1'/>"
        "<geom size='.1' mass='1'/><site name='s'/></body></worldbody><tendon>"
        "<spatial stiffness='1e8' damping='1e6' springlength='1'><site site='top'/>"
        "<site site='s'/></spatial></tendon></mujoco>",
        &def);
    world_set(&w, NULL, (double[]){1});
    world_run(&w, 200);
    bool damps = scheme == CAROM_IMPLICIT; /* the midpoint rule turns fast decay into a swing */
    check_near(world_q(&w)[0], -9.81 / 1e8, damps ? 1e-10 : 1e-5);
    check_near(world_v(&w)[0], 0, damps ? 1e-9 : 1);
    world_destroy(&w);
  }
}

/* Two weights on a rope over a post, one on the block of a tackle: with the rope taut, the tackle's
 * weight falls half as fast: m1 a1 = m1 g - T, m2 a1/2 = 2 T - m2 g, here as T in either half. */
static void test_tackle(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.001, CAROM_MIDPOINT);
  world w = world_create(
      "<mujoco><worldbody><site name='p' pos='0 0 2'/><site name='r' pos='1 0 2'/>"
      "<body><joint type='slide' axis='0 0 1'/><geom size='.1' mass='3'/><site name='a'/></body>"
      "<body pos='1 0 0'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='2'/>"
      "<site name='b'/></body></worldbody><tendon><spatial limited='true' range='0 3'>"
      "<site site='a'/><site site='p'/><pulley divisor='.5'/><site site='r'/><site site='b'/>"
      "</spatial></tendon></mujoco>",
      &def);
  /* The length, |a| + 2 |b| = 2 + 4 at first, is beyond its limit: start taut at 3. */
  world_set(&w, (double[]){1, 1}, NULL);
  world_run(&w, 100);
  double time = 0.1, m1 = 3, m2 = 2, g = 9.81;
  double a1 = -g * (m1 * 4 - 2 * m2) / (4 * m1 + m2);
  check_near(world_v(&w)[0], a1 * time, 1e-6);
  check_near(world_v(&w)[1], -a1 / 2 * time, 1e-6);
  world_destroy(&w);
}

/* Two spatial tendons in a fixed ratio: what the one gains, the other has twice. */
static void test_equality(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
  world w = world_create(
      "<mujoco><worldbody><site name='p' pos='0 0 2'/><body><joint/><joint type='slide' axis='1 0 "
      "0'/><geom size='.1' mass='3' pos='.2 .1 0'/><site name='a' pos='.2 0 0'/></body>"
      "<body pos='1 0 0'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='2'/>"
      "<site name='b'/></body></worldbody><tendon>"
      "<spatial name='x'><site site='a'/><site site='p'/></spatial>"
      "<spatial name='y'><site site='p'/><site site='b'/></spatial></tendon>"
      "<equality><tendon tendon1='x' tendon2='y' polycoef='0 2'/></equality></mujoco>",
      &def);
  carom_dynamics* d;
  assert_int_equal(carom_dynamics_create(w.model, NULL, &d, NULL), CAROM_OK);
  double first[2], now[2];
  /* The rates of the start are in the ratio too. */
  world_set(&w, NULL, (double[]){1, 2, -2 * (0.2 / sqrt(4.04)) / 2 * sqrt(5) / 2});
  carom_dynamics_compute_tendons(d, first, NULL);
  for (int i = 0; i < 200; i++) {
    world_step(&w);
    carom_dynamics_set(d, world_q(&w), NULL, NULL, NULL);
    carom_dynamics_compute_tendons(d, now, NULL);
    check_near(now[0] - first[0], 2 * (now[1] - first[1]), 2e-5);
  }
  assert_true(fabs(now[0] - first[0]) > 0.05);
  carom_dynamics_destroy(d);
  world_destroy(&w);
}

/* Dry friction of a string holds a weight up to its bound, and brakes it by no more. */
static void test_friction(void** state) {
  (void)state;
  for (int slips = 0; slips < 2; slips++) {
    char text[900];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><site name='p' pos='0 0 2'/><body><joint type='slide' axis='0 0 "
             "1'/><geom size='.1' mass='1'/><site name='a'/></body></worldbody><tendon>"
             "<spatial frictionloss='%d'><site site='p'/><site site='a'/></spatial></tendon>"
             "</mujoco>",
             slips ? 8 : 11);
    carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
    world w = world_create(text, &def);
    world_run(&w, 100);
    check_near(world_v(&w)[0], slips ? -0.2 * (9.81 - 8) : 0, 1e-9);
    world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrap_by_hand), cmocka_unit_test(test_jacobians),
      cmocka_unit_test(test_energy),       cmocka_unit_test(test_stiff_springs),
      cmocka_unit_test(test_tackle),       cmocka_unit_test(test_equality),
      cmocka_unit_test(test_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
