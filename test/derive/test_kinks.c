/* Kinks are named: where a constraint, a limit, an actuator is just about to take part or to stop,
 * and not beside that. */
#include "support/step_differences.h"

#include "carom/derivatives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DOWN  "<mujoco><option timestep='0.01'/><worldbody>"
#define FREE  "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody>"
#define FLOOR "<geom type='plane' size='5 5 1' friction='0.5'/>"
#define ROD   "<inertial pos='0.2 0 0' mass='1' diaginertia='0.01 0.01 0.01'/>"

/* How many are named at a state; `control` is that of the first actuator, where there is one. */
static int count_at(const char* text, double q, double v, double control, double tolerance) {
  carom_model* model = scene_load(text);
  carom_sim* sim = NULL;
  carom_sim_def def = carom_sim_def_default();
  carom_error error;
  carom_linearization found = {0};
  double start[3] = {q, 0, 0}, rates[3] = {v, 0, 0};
  def.tolerance = tolerance, def.sleep_share = 0;
  if (carom_sim_create(model, &def, &sim, &error) != CAROM_OK ||
      carom_sim_set_state(sim, 0, start, rates, &error) != CAROM_OK)
    fail_msg("%s", error.message);
  if (model->force.num_controls) carom_sim_controls(sim)[0] = control;
  if (carom_sim_linearize(sim, &found, &error) != CAROM_OK) fail_msg("%s", error.message);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return found.num_kinks;
}

static int count(const char* text, double q, double v, double control) {
  return count_at(text, q, v, control, 1e-12);
}

static const char BALL_ON_FLOOR[] =
    DOWN FLOOR "<body pos='0 0 0.1'><joint name='z' type='slide' axis='0 0 1'/>"
               "<geom size='0.1' mass='1'/></body></worldbody><actuator><motor joint='z'/>"
               "</actuator></mujoco>";

/* A ball that a force bears on the floor. */
static void test_unloaded(void** state) {
  (void)state;
  assert_int_equal(count(BALL_ON_FLOOR, 0, 0, 9.81), 1);
  assert_int_equal(count(BALL_ON_FLOOR, 0, 0, 9.8), 0);
  assert_int_equal(count(BALL_ON_FLOOR, 0, 0, 9.82), 0);
}

/* Within a change of 1e-6 m/s, which dt F makes at a mass of 1 kg, and not beyond. */
static void test_small_change(void** state) {
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    assert_int_equal(count(BALL_ON_FLOOR, 0, 0, 9.81 + side * 0.9e-4), 1);
    assert_int_equal(count(BALL_ON_FLOOR, 0, 0, 9.81 + side * 1.1e-4), 0);
  }
}

/* A foot of 10 g holds a body of 10 kg: what a small change is follows from both. */
static void test_small_change_of_held(void** state) {
  (void)state;
  static const char FOOT[] =
      DOWN FLOOR "<body pos='0 0 0.1'><joint name='foot' type='slide' axis='0 0 1'/>"
                 "<geom size='0.1' mass='0.01'/></body><body pos='1 0 1'><joint name='body'"
                 " type='slide' axis='0 0 1'/><geom size='0.05' mass='10'/></body></worldbody>"
                 "<equality><joint joint1='foot' joint2='body'/></equality>"
                 "<actuator><motor joint='body'/></actuator></mujoco>";
  for (int side = -1; side <= 1; side += 2) {
    assert_int_equal(count(FOOT, 0, 0, 10.01 * 9.81 + side * 0.9e-3), 1);
    assert_int_equal(count(FOOT, 0, 0, 10.01 * 9.81 + side * 1.1e-3), 0);
  }
}

/* Equalities that are far off close at a bounded speed, and at that of a slightly larger error. */
static void test_bounded_equality(void** state) {
  (void)state;
  static const char APART[] = FREE
      "<body><joint name='a' type='slide' axis='0 0 1'/><geom size='0.1' mass='1'/></body>"
      "<body pos='1 0 0'><joint name='b' type='slide' axis='0 0 1'/><geom size='0.1' mass='2'/>"
      "</body></worldbody><equality><joint joint1='a' joint2='b'/></equality></mujoco>";
  assert_int_equal(count_at(APART, 0.1, 0, 0, 1e-10), 0);
  assert_int_equal(count_at(APART, 1e-4, 0, 0, 1e-10), 0);
}

static void test_about_to_slide(void** state) {
  (void)state;
  static const char BLOCK[] =
      DOWN FLOOR "<body pos='0 0 0.1'><joint name='x' type='slide' axis='1 0 0'/>"
                 "<joint type='slide' axis='0 0 1'/><geom size='0.1' mass='2' friction='0.5'/>"
                 "</body></worldbody><actuator><motor joint='x'/></actuator></mujoco>";
  assert_int_equal(count(BLOCK, 0, 0, 0.5 * 2 * 9.81), 1);
  assert_int_equal(count(BLOCK, 0, 0, 9.7), 0);
  assert_int_equal(count(BLOCK, 0, 0, 9.9), 0);
}

/* A block's points at rest share what holds it as they come to: one may be at the edge of its cone
 * while the others hold. All at theirs, the block is about to slide. */
static void test_corners(void** state) {
  (void)state;
  static const char BLOCK[] =
      DOWN FLOOR "<body pos='0 0 0.1'><joint name='x' type='slide' axis='1 0 0'/>"
                 "<joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/>"
                 "<geom type='box' size='0.3 0.2 0.1' mass='2' friction='0.5'/>"
                 "</body></worldbody><actuator><motor joint='x'/></actuator></mujoco>";
  int all = count(BLOCK, 0, 0, 0.5 * 2 * 9.81), resting = 0;
  assert_in_range(all, 2, 8);
  for (int i = 0; i < 40; i++) resting += count(BLOCK, 0, 0, 0.24 * i);
  assert_int_equal(resting, 0);
}

/* A block that slides along (1, 0.6) on four corners, at a speed. */
static carom_sim* push_block(const carom_model* model, carom_friction friction, double speed) {
  carom_sim_def def = carom_sim_def_default();
  carom_sim* sim = NULL;
  const double v[6] = {speed, 0.6 * speed};
  def.friction = friction, def.tolerance = 1e-13, def.sleep_share = 0;
  assert_int_equal(carom_sim_create(model, &def, &sim, NULL), 0);
  assert_int_equal(carom_sim_set_state(sim, 0, NULL, v, NULL), 0);
  return sim;
}

static bool slides_on(const carom_model* model, carom_friction friction, double speed) {
  carom_sim* sim = push_block(model, friction, speed);
  assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
  bool slides = carom_sim_velocities(sim)[0] > 2e-8;
  carom_sim_destroy(sim);
  return slides;
}

static int count_of_block(const carom_model* model, carom_friction friction, double speed) {
  carom_sim* sim = push_block(model, friction, speed);
  carom_linearization found = {0};
  assert_int_equal(carom_sim_linearize(sim, &found, NULL), 0);
  carom_sim_destroy(sim);
  return found.num_kinks;
}

/* The speed at which it comes to stand at the end of the step, mu g dt but for round-off, is a kink
 * from both sides: on one all corners slide, on the other friction holds them, at their bounds in
 * this direction and that. */
static void expect_stand(double mu, carom_friction friction) {
  char text[400];
  snprintf(text, sizeof text,
           DOWN "<geom type='plane' size='5 5 1' friction='%g'/><body pos='0 0 0.1'><freejoint/>"
                "<geom type='box' size='0.3 0.2 0.1' mass='2' friction='%g'/></body></worldbody>"
                "</mujoco>",
           mu, mu);
  carom_model* model = scene_load(text);
  double stands = 0, slides = 0.4 * mu;
  while (slides - stands > 1e-9) {
    double middle = 0.5 * (stands + slides);
    *(slides_on(model, friction, middle) ? &slides : &stands) = middle;
  }
  check_near(stands, mu * 9.81 * 0.01 / hypot(1, 0.6), 1e-7);
  for (int side = -1; side <= 1; side += 2) {
    assert_in_range(count_of_block(model, friction, stands + side * 1e-7), 1, 8);
    assert_in_range(count_of_block(model, friction, stands + side * 5e-7), 1, 8);
    assert_int_equal(count_of_block(model, friction, stands + side * 1e-5), 0);
  }
  carom_model_destroy(model);
}

static void test_about_to_stand(void** state) {
  (void)state;
  expect_stand(0.5, CAROM_FRICTION_COULOMB);
  expect_stand(0.5, CAROM_FRICTION_CONVEX);
  expect_stand(1.2, CAROM_FRICTION_COULOMB);
}

/* What is within its bounds and does not move is no kink. */
static void test_at_rest_within(void** state) {
  (void)state;
  static const char DRY[] =
      FREE "<body><joint axis='0 1 0' frictionloss='3'/>" ROD "</body></worldbody></mujoco>";
  assert_int_equal(count(DRY, 0, 0, 0), 0);
}

/* A limit that is met exactly at the end of the step, at a speed at which that is an impact, too.
 */
static void test_limit(void** state) {
  (void)state;
  static const char LIMITED[] = FREE "<body><joint axis='0 1 0' limited='true' range='-90 0'/>" ROD
                                     "</body></worldbody></mujoco>";
  assert_int_equal(count(LIMITED, -0.005, 0.5, 0), 2);
  assert_int_equal(count(LIMITED, -0.00501, 0.5, 0), 0);
  assert_int_equal(count(LIMITED, -0.00499, 0.5, 0), 0);
}

/* What moves nothing is no kink: a limit just met by a joint that is held there. */
static void test_limit_of_held(void** state) {
  (void)state;
  static const char HELD[] =
      FREE "<body><joint name='j' axis='0 1 0' limited='true' range='-90 0'/>" ROD
           "</body></worldbody><equality><joint joint1='j'/></equality></mujoco>";
  static const char LIMITED[] = FREE "<body><joint axis='0 1 0' limited='true' range='-90 0'/>" ROD
                                     "</body></worldbody></mujoco>";
  assert_int_equal(count(LIMITED, 1e-10, 0, 0), 1);
  assert_int_equal(count(HELD, 1e-10, 0, 0), 0);
}

/* A servo whose force is at its bound where the step looks: kp (u - dt v1 / 4) = 5, v1 = 1. */
static void test_actuator(void** state) {
  (void)state;
  static const char SERVO[] = FREE "<body><joint name='j' axis='0 1 0'/>" ROD
                                   "</body></worldbody><actuator><position joint='j' kp='40'"
                                   " forcelimited='true' forcerange='-5 5'/></actuator></mujoco>";
  assert_int_equal(count(SERVO, 0, 0, 0.1275), 1);
  assert_int_equal(count(SERVO, 0, 0, 0.1274), 0);
  assert_int_equal(count(SERVO, 0, 0, 0.1276), 0);
}

/* A control that is clamped beyond its range. */
static void test_control(void** state) {
  (void)state;
  static const char CLAMPED[] = FREE "<body><joint name='j' axis='0 1 0'/>" ROD
                                     "</body></worldbody><actuator><motor joint='j'"
                                     " ctrllimited='true' ctrlrange='-1 2'/></actuator></mujoco>";
  assert_int_equal(count(CLAMPED, 0, 0, -1), 1);
  assert_int_equal(count(CLAMPED, 0, 0, 2), 1);
  assert_int_equal(count(CLAMPED, 0, 0, 1.9999), 0);
  assert_int_equal(count(CLAMPED, 0, 0, 2.0001), 0);
}

/* A rod of which one end strikes the floor and turns it: the other end comes down half as fast
 * again, which no free motion has it. Where the search of a step at 1 m/s ends, 10 mm above the
 * floor, is a kink. */
static void test_search(void** state) {
  (void)state;
  static const char ROD_ABOVE[] =
      FREE "<geom type='plane' size='5 5 1' condim='1'/><body pos='0 0 0.1'>"
           "<joint type='slide' axis='0 0 1'/><joint axis='0 -1 0'/>"
           "<inertial pos='0 0 0' mass='1' diaginertia='0.01 0.0833333 0.0833333'/>"
           "<geom size='0.1' pos='-0.5 0 0' condim='1'/>"
           "<geom size='0.1' pos='0.5 0 0' condim='1'/></body>"
           "</worldbody></mujoco>";
  const double apart[] = {-1e-6, -1e-8, 1e-8, 1e-6};
  for (int i = 0; i < 4; i++) {
    double height = 0.01 + apart[i], q[2] = {0.5 * height, asin(height)}, v[2] = {-1, 0};
    carom_linearization found = {0};
    carom_model* model = scene_load(ROD_ABOVE);
    carom_sim_def def = carom_sim_def_default();
    carom_sim* sim = NULL;
    def.sleep_share = 0;
    assert_int_equal(carom_sim_create(model, &def, &sim, NULL), 0);
    assert_int_equal(carom_sim_set_state(sim, 0, q, v, NULL), 0);
    assert_int_equal(carom_sim_linearize(sim, &found, NULL), 0);
    assert_int_equal(found.num_kinks, fabs(apart[i]) < 1e-7);
    assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
    if (apart[i] < 0) check_near(carom_sim_velocities(sim)[1], -1, 2e-4);
    if (apart[i] > 0) check_near(carom_sim_velocities(sim)[1], -1.5, 2e-4);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
  }
}

/* A ball that meets the floor at 4 g dt, from where on that is an impact. */
static void test_impact(void** state) {
  (void)state;
  double v = -4 * 9.81 * 0.01 - 1e-6;
  for (int side = -1; side <= 1; side += 2) {
    assert_int_equal(count(BALL_ON_FLOOR, 1e-3, v + side * 1e-8, 0), 1);
    assert_int_equal(count(BALL_ON_FLOOR, 1e-3, v + side * 2e-5, 0), 0);
  }
}

static const char TOUCHING[] = FREE FLOOR "<body pos='0 0 0.1'><joint type='slide' axis='0 0 1'/>"
                                          "<geom size='0.1' mass='1'/></body></worldbody></mujoco>";

/* An overlap opens at once up to 0.25 m/s. */
static void test_recovery(void** state) {
  (void)state;
  assert_int_equal(count(TOUCHING, -0.0025, 0, 0), 1);
  assert_int_equal(count(TOUCHING, -0.0024, 0, 0), 0);
  assert_int_equal(count(TOUCHING, -0.0026, 0, 0), 0);
}

/* What deep overlaps give way, 1e-3 W (o / s)², is more than the trace of 1e-8 W from o = s
 * sqrt(1e-5) on: seen by an impact at 100 m/s. */
static void test_deep(void** state) {
  (void)state;
  static const char STRUCK[] =
      "<mujoco><option timestep='0.0001' gravity='0 0 0'/><worldbody>" FLOOR
      "<body pos='0 0 0.1'><joint type='slide' axis='0 0 1'/><geom size='0.1' mass='1'/></body>"
      "</worldbody></mujoco>";
  double depth = 1e-4 * 0.25 * sqrt(1e-5);
  assert_int_equal(count(STRUCK, -depth * (1 + 1e-4), -100, 0), 1);
  assert_int_equal(count(STRUCK, -depth * (1 + 1e-2), -100, 0), 0);
  assert_int_equal(count(STRUCK, -depth * (1 + 1e-4), -10, 0), 0);
}

/* A ball that has come to touch, as near as numbers go, is found again. */
static void test_touching(void** state) {
  (void)state;
  for (int i = -3; i <= 3; i++) count(TOUCHING, i * 1e-17, -1e-3, 0);
}

/* A box that is 10 nm above the floor stays there where that is none at the tolerance, and comes
 * down half of it in a step of the midpoint rule where it is not; the derivatives are the same, but
 * for what an area gives way by at the first tolerance. */
static void check_closed_gap(carom_patches patches) {
  static const char BOX[] = DOWN FLOOR
      "<body pos='0 0 0.10000001'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
      "</worldbody></mujoco>";
  double A[2][144];
  for (int i = 0; i < 2; i++) {
    carom_sim_def def = carom_sim_def_default();
    def.sleep_share = 0, def.tolerance = i ? 1e-12 : 1e-6;
    def.patches = patches;
    step_differences d = step_differences_create(BOX, &def, 0);
    carom_linearization out = {.A = d.A};
    carom_error error;
    if (carom_sim_linearize(d.sim, &out, &error)) fail_msg("%s", error.message);
    assert_int_equal(out.num_held, 0);
    memcpy(A[i], d.A, sizeof A[i]);
    assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    double fallen = 1e-8 - (carom_sim_coordinates(d.sim)[2] - 0.1);
    check_near(fallen, i ? 5e-9 : 0, 1e-10);
    step_differences_destroy(&d);
  }
  double least = patches == CAROM_PATCHES_AREA ? 3e-4 : 1e-6; /* R is 300 times the trace */
  for (int i = 0; i < 144; i++) check_near(A[0][i], A[1][i], least * (1 + fabs(A[1][i])));
}

static void test_closed_gap(void** state) {
  (void)state;
  check_closed_gap(CAROM_PATCHES_CORNERS);
  check_closed_gap(CAROM_PATCHES_AREA);
}

/* --- Frozen slip --------------------------------------------------------------------------------
 */

/* A dry wall on its way down: 4 rows of 2 blocks, halves at the ends, gravity turned by 54°. */
static void write_wall(char* text, size_t size) {
  size_t n = (size_t)snprintf(text, size,
                              "<mujoco><option gravity='7.936 0 -5.766'/><default><geom "
                              "friction='1' density='2000'/></default><worldbody>"
                              "<geom type='plane' size='9 9 1'/>");
  for (int row = 0; row < 4; row++)
    for (int k = 0; k < 2 + row % 2; k++) {
      bool is_end = row % 2 && k != 1;
      double x = (k - 0.5) * 0.4 - row % 2 * 0.2 + (is_end ? 0.1 - 0.1 * k : 0);
      n += (size_t)snprintf(text + n, size - n,
                            "<body pos='%g 0 %g'><freejoint/><geom type='box' size='%g .1 .1'/>"
                            "</body>",
                            x, 0.1 + 0.2 * row, is_end ? 0.1 : 0.2);
    }
  snprintf(text + n, size - n, "</worldbody></mujoco>");
}

/* A step that ends with its slip frozen has solved another problem than Coulomb's: it is held. */
static void test_frozen_slip(void** state) {
  (void)state;
  char text[4000];
  carom_sim_def def = carom_sim_def_default();
  def.dt = 0.002, def.sleep_share = 0;
  write_wall(text, sizeof text);
  step_differences d = step_differences_create(text, &def, 0);
  int found = 0;
  for (int k = 0; k < 60 && found == 0; k++) {
    carom_linearization out = {.A = d.A};
    carom_step_report report;
    carom_error error;
    if (carom_sim_linearize(d.sim, &out, &error)) fail_msg("%s", error.message);
    assert_int_equal(carom_sim_step(d.sim, &report, NULL), 0);
    if (report.relaxed_islands == 0 || report.substeps > 1) continue;
    assert_true(out.num_held >= report.relaxed_islands);
    found++;
  }
  assert_int_equal(found, 1);
  step_differences_destroy(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frozen_slip),      cmocka_unit_test(test_unloaded),
      cmocka_unit_test(test_about_to_slide),   cmocka_unit_test(test_limit),
      cmocka_unit_test(test_actuator),         cmocka_unit_test(test_touching),
      cmocka_unit_test(test_corners),          cmocka_unit_test(test_at_rest_within),
      cmocka_unit_test(test_recovery),         cmocka_unit_test(test_small_change),
      cmocka_unit_test(test_limit_of_held),    cmocka_unit_test(test_control),
      cmocka_unit_test(test_about_to_stand),   cmocka_unit_test(test_search),
      cmocka_unit_test(test_impact),           cmocka_unit_test(test_deep),
      cmocka_unit_test(test_closed_gap),       cmocka_unit_test(test_small_change_of_held),
      cmocka_unit_test(test_bounded_equality),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
