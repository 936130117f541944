/* Derivatives of steps whose friction takes something over from the step before, anchored and
 * lagged, with that held, against differences of steps that have it; and of tapes, which carry it.
 */
#include "sim/sim.h"
#include "support/check.h"
#include "support/parameter_differences.h"

#include "carom/parameter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOFT            " carom:stiffness='4e5' carom:dissipation='0.004'"
#define GIVES           " carom:stiffness='2e7' carom:dissipation='0.004'"
#define FREE(pos, geom) "<body pos='" pos "'><freejoint/><geom " geom "/></body>"

/* A soft block at a place, and what holds it. */
#define BLOCK(name, pos, contact, pin)                                                        \
  "<flexcomp name='" name                                                                     \
  "' type='grid' dim='3' count='2 2 2' spacing='0.1 0.08 0.06' radius='0' pos='" pos          \
  "' carom:density='1000' carom:material='neo_hookean'><elasticity young='2e5' poisson='0.3'" \
  " damping='2e-3'/><contact friction='0.6'" contact "/>" pin "</flexcomp>"

static int num_compared;

/* A state some steps after a push, a number of times more of the first step's speed. */
typedef struct course {
  int steps;
  double push, tolerance, h;
} course;

static void compare(const char* text, const carom_sim_def* def, int seed, const course* run) {
  step_differences d = step_differences_create(text, def, seed);
  step_differences_push(&d, run->push, run->steps);
  d.keeps_memory = true;
  bool is_near = step_differences_has_kink(&d) || d.found.nearest_kink < 50 * run->h;
  if (!is_near && d.found.num_held == 0) {
    step_differences_expect(&d, run->h, run->tolerance);
    num_compared++;
  }
  step_differences_destroy(&d);
}

static void expect(carom_friction friction, const char* geom, const char* body, const course* run) {
  char text[4096];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.002' gravity='0 0 -200'/><default><geom"
           " friction='0.6 0.02 0.01'%s/></default><worldbody><geom type='plane' size='5 5 1'/>%s"
           "</worldbody></mujoco>",
           geom, body);
  num_compared = 0;
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= 3; seed++) {
      carom_sim_def def = step_differences_def(step_schemes[i], friction);
      compare(text, &def, seed, run);
    }
  assert_true(num_compared >= 3);
}

/* Sticking, then sliding, the springs along the tangents stretched. */
static void test_anchored(void** state) {
  (void)state;
  const course stick = {30, 0.1, 3e-7, 1e-5}, slide = {30, 2, 3e-7, 1e-5};
  const char *ball = FREE("0 0 0.1", "size='0.1'"),
             *box = FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'"),
             *two = FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'")
                 FREE("0.02 0.01 0.26", "size='0.06'");
  expect(CAROM_FRICTION_ANCHORED, SOFT, ball, &stick);
  expect(CAROM_FRICTION_ANCHORED, SOFT, box, &stick);
  expect(CAROM_FRICTION_ANCHORED, SOFT, box, &slide);
  expect(CAROM_FRICTION_ANCHORED, " carom:stiffness='4e5'", box, &stick);
  expect(CAROM_FRICTION_ANCHORED, SOFT, two, &stick);
}

static void test_lagged(void** state) {
  (void)state;
  const course stick = {30, 0.1, 3e-7, 1e-5}, slide = {30, 2, 3e-7, 1e-5};
  const char *ball = FREE("0 0 0.1", "size='0.1' condim='6'"),
             *box = FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'");
  expect(CAROM_FRICTION_LAGGED, SOFT, ball, &stick);
  expect(CAROM_FRICTION_LAGGED, SOFT, ball, &slide);
  expect(CAROM_FRICTION_LAGGED, "", box, &stick);
  expect(CAROM_FRICTION_LAGGED, "", box, &slide);
}

/* Soft bodies give way themselves, so that anchored friction is Coulomb's there. On the floor, and
 * one on another. */
static void test_soft(void** state) {
  (void)state;
  const course stick = {30, 0.1, 3e-7, 2e-6}, slide = {12, 2, 3e-7, 2e-6};
  const course pile = {12, 0.1, 3e-5, 3e-7};
  const char *gives = BLOCK("block", "0 0 0.0299", GIVES, ""),
             *rigid = BLOCK("block", "0 0 0.0299", "", ""),
             *two = BLOCK("block", "0 0 0.0299", GIVES, "")
                 BLOCK("upper", "0.013 -0.007 0.1004' euler='17 0 11", GIVES, "");
  expect(CAROM_FRICTION_LAGGED, SOFT, gives, &stick);
  expect(CAROM_FRICTION_LAGGED, SOFT, gives, &slide);
  expect(CAROM_FRICTION_LAGGED, "", rigid, &slide);
  expect(CAROM_FRICTION_LAGGED, SOFT, two, &pile);
  expect(CAROM_FRICTION_ANCHORED, SOFT, gives, &stick);
}

/* With the bound r = mu m g dt and kappa = e² m a sliding body has m (v - v*) = gamma and v = -2
 * kappa gamma / (r² - gamma²) on the central path, so that dv / dv* = m / (m - d gamma / dv) along
 * the slip and v / v* across. */
static double find_slope(double m, double r, double e, double v_star, double* across) {
  double low = -r, high = r, kappa = e * e * m;
  for (int k = 0; k < 200; k++) { /* the impulse falls as v rises */
    double gamma = 0.5 * (low + high), v = v_star + gamma / m;
    *(v + 2 * kappa * gamma / (r * r - gamma * gamma) > 0 ? &high : &low) = gamma;
  }
  double gamma = low, det = r * r - gamma * gamma;
  *across = 1 + gamma / (m * v_star);
  return m / (m + det * det / (2 * kappa * (r * r + gamma * gamma)));
}

/* Linearised anew it does the same. */
static void test_smoothed(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><option timestep='0.01'/><worldbody><geom name='floor' type='plane' size='5 5 1'"
      " friction='0.5'/><body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/>"
      "<joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/>"
      "<geom size='0.1' mass='2' friction='0.5'/></body></worldbody></mujoco>";
  const double m = 2, r = 0.5 * m * 9.81 * 0.01, smoothing[] = {1e-3, 0.02, 0.3};
  const double shares[] = {0.4, 1.4, 2.4};
  for (int i = 0; i < 18; i++) {
    double e = smoothing[i % 3], v[3] = {shares[i / 3 % 3] * r / m, 0, 0}, across;
    carom_sim_def def = carom_sim_def_default();
    def.scheme = CAROM_IMPLICIT, def.friction = CAROM_FRICTION_LAGGED, def.tolerance = 1e-13;
    def.relinearise = i / 9;
    step_differences d = step_differences_create(TEXT, &def, 0);
    for (int k = 0; k < 10; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    carom_linearization out = {.A = d.A, .B = d.B, .smoothing = e};
    assert_int_equal(carom_sim_linearize(d.sim, &out, NULL), 0);
    check_near(d.A[3 * d.num_x + 3], find_slope(m, r, e, v[0], &across), 1e-6);
    check_near(d.A[4 * d.num_x + 4], across, 1e-6);
    step_differences_expect_transpose(&d, &out);
    step_differences_destroy(&d);
  }
}

/* --- Tapes --------------------------------------------------------------------------------------
 */

/* A block that a spring pulls along a floor, whose end a servo moves: it sticks, then slides. */
#define PULLED(contact)                                                                           \
  "<mujoco><option timestep='0.002' gravity='0 0 -9.81'/><worldbody><geom name='floor'"           \
  " type='plane' size='9 9 1' friction='0.5'" contact "/><body name='block' pos='0 0 0.0999'>"    \
  "<freejoint/><geom name='block' type='box' size='0.2 0.15 0.1' friction='0.5'" contact "/>"     \
  "<inertial pos='0 0 0' mass='2' diaginertia='0.02 0.03 0.04'/><site name='on' pos='0.2 0 0'/>"  \
  "</body><body name='end' pos='0.5 0.05 0.1'><joint name='end' type='slide' axis='1 0.1 0'/>"    \
  "<inertial pos='0 0 0' mass='0.5' diaginertia='1 1 1'/><site name='by'/></body></worldbody>"    \
  "<tendon><spatial name='spring' stiffness='400' damping='2'><site site='on'/><site site='by'/>" \
  "</spatial></tendon><actuator><position joint='end' kp='900' kv='30'/></actuator></mujoco>"

enum { STEPS = 50 };

static double target_at(int step) { return 0.002 * step; }

/* A soft block that a servo pulls by one end of its top. */
#define GRIPPED                                                                   \
  BLOCK("block", "0 0 0.0299", " carom:stiffness='2e6' carom:dissipation='0.01'", \
        "<pin grid='1 0 1 1 1 1'/>")
static const char DRAGGED[] =
    "<mujoco><option timestep='0.002' gravity='0 0 -9.81'/><worldbody><geom name='floor'"
    " type='plane' size='9 9 1' friction='0.5'/><body name='end'><joint name='end' type='slide'"
    " axis='1 0.1 0'/><inertial pos='0 0 0' mass='0.5' diaginertia='1 1 1'/>" GRIPPED
    "</body></worldbody><actuator><position joint='end' kp='900' kv='30'/></actuator></mujoco>";

/* A loss of the last state. */
static double find_loss(const carom_sim* sim, double* cotangent) {
  const carom_model* m = sim->model;
  double sum = 0;
  for (int i = 0; i < m->num_v; i++) {
    double by = 0.3 + 0.1 * i, v = carom_sim_velocities(sim)[i];
    sum += 0.5 * by * v * v;
    if (cotangent) cotangent[m->num_v + i] = by * v;
  }
  for (int i = 0; i < 3; i++) { /* the block's place */
    sum += (2 - i) * carom_sim_coordinates(sim)[i];
    if (cotangent) cotangent[i] = 2 - i;
  }
  return sum;
}

static double run(carom_sim* sim, int* sliding) {
  for (int k = 0; k < STEPS; k++) {
    carom_sim_controls(sim)[0] = target_at(k);
    carom_sim_forget_motion(sim);
    assert_int_equal(carom_sim_step(sim, NULL, NULL), 0);
    *sliding += sim->num_contacts > 0 && sim->contacts[0].state == CAROM_SLIDING;
  }
  return find_loss(sim, NULL);
}

/* The loss with a number of the first state moved. */
static double probe(step_differences* d, int column, double h) {
  int none = 0;
  step_differences_move(d, column, h);
  return run(d->sim, &none);
}

static double probe_parameter(step_differences* d, const carom_parameter* p, double h) {
  carom_model* model = NULL;
  int none = 0;
  carom_sim* sim = parameter_differences_vary(d, p, 0, h, &model);
  double loss = run(sim, &none);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return loss;
}

static void expect_derivative(double x, double by, double scale, const char* what, int column) {
  if (fabs(x - by) > 1e-5 * fmax(scale, fabs(by)))
    fail_msg("%s %d: %.10g, by differences %.10g", what, column, x, by);
}

/* How a tape's steps are taken, and which it keeps. */
typedef struct tape_course {
  carom_friction friction;
  carom_patches patches;
  int keep, relinearise;
  double h;
} tape_course;

enum { NAMES = 3, MOST_X = 64 };

static const char* const OF_BLOCK[NAMES] = {"body.block.mass", "geom.block.friction",
                                            "geom.block.stiffness"};
static const char* const OF_SOFT[NAMES] = {"soft.block.density", "soft.block.friction",
                                           "soft.block.stiffness"};

static void expect_tape(const char* text, const char* const* names, const tape_course* of) {
  carom_sim_def def = carom_sim_def_default();
  def.friction = of->friction, def.patches = of->patches, def.relinearise = of->relinearise;
  def.tolerance = 1e-13, def.solver = CAROM_SOLVER_IPM;
  def.recovery_speed = 1e3, def.sleep_share = 0;
  step_differences d = step_differences_create(text, &def, 0);
  d.keeps_memory = true;
  for (int k = 0; k < 20; k++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  step_differences_save(&d);
  carom_parameter p[NAMES];
  for (int i = 0; i < NAMES; i++)
    assert_int_equal(
        carom_builder_find_parameter(carom_model_get_description(d.model), names[i], &p[i], NULL),
        0);
  int sliding = 0;
  run(d.sim, &sliding);
  assert_in_range(sliding, 3, STEPS - 3);
  assert_int_equal(carom_sim_restore(d.sim, d.state, d.size, NULL), 0);
  carom_tape* tape;
  carom_error error;
  const carom_tape_def how = {.parameters = p, .num_parameters = NAMES, .keep = of->keep};
  assert_int_equal(carom_tape_create(d.sim, &how, &tape, NULL), 0);
  for (int k = 0; k < STEPS; k++) {
    carom_sim_controls(d.sim)[0] = target_at(k);
    assert_int_equal(carom_tape_step(tape, NULL, NULL), 0);
  }
  double end[MOST_X] = {0}, x0[MOST_X], theta[NAMES], u[STEPS];
  assert_in_range(d.num_x, 1, MOST_X);
  find_loss(d.sim, end);
  carom_vjp gradient = {.x0 = x0, .u = u, .theta = theta};
  if (carom_tape_pull_back(tape, end, NULL, &gradient, &error) != CAROM_OK)
    fail_msg("%s", error.message);
  assert_int_equal(gradient.num_held, 0);
  carom_tape_destroy(tape);
  const double h = of->h;
  for (int c = 0; c < d.num_x; c++)
    expect_derivative(x0[c], (probe(&d, c, h) - probe(&d, c, -h)) / (2 * h), 1, "x", c);
  for (int i = 0; i < NAMES; i++) {
    double values[4], by = 1e-5;
    assert_int_equal(
        carom_builder_get_parameter(carom_model_get_description(d.model), &p[i], values, NULL), 0);
    by *= values[0];
    double slope = (probe_parameter(&d, &p[i], by) - probe_parameter(&d, &p[i], -by)) / (2 * by);
    expect_derivative(theta[i] * values[0], slope * values[0], 1, names[i], 0);
  }
  step_differences_destroy(&d);
}

static void test_tape_of_anchored(void** state) {
  (void)state;
  const tape_course each = {CAROM_FRICTION_ANCHORED, CAROM_PATCHES_CORNERS, 1, 0, 1e-6};
  const tape_course some = {CAROM_FRICTION_ANCHORED, CAROM_PATCHES_CORNERS, 7, 0, 1e-6};
  const tape_course again = {CAROM_FRICTION_ANCHORED, CAROM_PATCHES_CORNERS, 1, 2, 1e-6};
  expect_tape(PULLED(" carom:stiffness='2e4' carom:dissipation='0.01'"), OF_BLOCK, &each);
  expect_tape(PULLED(" carom:stiffness='2e4'"), OF_BLOCK, &some);
  expect_tape(PULLED(" carom:stiffness='2e4' carom:dissipation='0.01'"), OF_BLOCK, &again);
}

static void test_tape_of_lagged(void** state) {
  (void)state;
  /* Over its area a corner lifts. */
  for (int k = 0; k < 3; k++) {
    const tape_course of = {CAROM_FRICTION_LAGGED,
                            k == 1 ? CAROM_PATCHES_AREA : CAROM_PATCHES_CORNERS, 1, k == 2, 1e-6};
    expect_tape(PULLED(" carom:stiffness='2e4' carom:dissipation='0.01'"), OF_BLOCK, &of);
  }
}

static void test_tape_of_soft(void** state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const tape_course of = {k < 3 ? CAROM_FRICTION_LAGGED : CAROM_FRICTION_ANCHORED,
                            CAROM_PATCHES_AREA, k == 1 ? 7 : 1, k == 2, 1e-7};
    expect_tape(DRAGGED, OF_SOFT, &of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_anchored),
      cmocka_unit_test(test_lagged),
      cmocka_unit_test(test_soft),
      cmocka_unit_test(test_smoothed),
      cmocka_unit_test(test_tape_of_anchored),
      cmocka_unit_test(test_tape_of_lagged),
      cmocka_unit_test(test_tape_of_soft),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
