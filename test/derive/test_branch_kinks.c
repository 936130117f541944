/* Where a step is about to be taken otherwise it has a kink, or jumps: cuts through each kind, from
 * one side of which to the other what the step decides differs, and so does its slope or the step
 * itself. */
#include "support/scene.h"

#include "carom/derivatives.h"

#include <math.h>
#include <string.h>

#define BEGIN "<mujoco><option timestep='0.01'/><worldbody>"
#define FLOOR "<geom type='plane' size='5 5 1' friction='0.5'/>"

/* A line of states: one number of q, v or the control of the first actuator goes by x. */
typedef struct cut {
  const char* text;
  carom_scheme scheme;
  carom_friction friction;
  double q[7], v[6];
  char of; /* 'q', 'v' or 'u' */
  int index;
  double reach; /* of x, within which a small change is */
} cut;

/* A step from there. */
typedef struct taken {
  int kinks, contacts, impacts;
  double y; /* m, rad: the new coordinates' sum; of a control the activation */
} taken;

static taken take(const cut* c, double x) {
  carom_model* model = scene_load(c->text);
  carom_sim_def def = carom_sim_def_default();
  carom_sim* sim = NULL;
  carom_linearization found = {0};
  carom_step_report report;
  carom_error error;
  double q[7], v[6];
  memcpy(q, c->q, sizeof q);
  memcpy(v, c->v, sizeof v);
  if (c->of != 'u') (c->of == 'q' ? q : v)[c->index] = x;
  def.scheme = c->scheme, def.friction = c->friction, def.tolerance = 1e-10, def.sleep_share = 0;
  assert_int_equal(carom_sim_create(model, &def, &sim, NULL), 0);
  assert_int_equal(carom_sim_set_state(sim, 0, q, v, NULL), 0);
  if (c->of == 'u') carom_sim_controls(sim)[0] = x, carom_sim_activations(sim)[0] = 0.3;
  if (carom_sim_linearize(sim, &found, &error)) fail_msg("%s", error.message);
  assert_int_equal(carom_sim_step(sim, &report, NULL), 0);
  assert_int_equal(report.substeps, 1);
  taken out = {found.num_kinks, report.contacts, report.impact_islands, 0};
  for (int i = 0; i < model->num_q; i++) out.y += carom_sim_coordinates(sim)[i];
  if (c->of == 'u') out.y = carom_sim_activations(sim)[0];
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return out;
}

/* Where the step is taken otherwise, between two x at which it is. */
static double seek(const cut* c, double low, double high) {
  taken first = take(c, low);
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    taken at = take(c, middle);
    *(at.contacts == first.contacts && at.impacts == first.impacts ? &low : &high) = middle;
  }
  return low;
}

/* Named on both sides, and not beside; slopes or steps differ there. */
static void expect_kink(const cut* c, double x) {
  double h = c->reach, slope[2], end[2];
  for (int k = 0; k < 2; k++) {
    double side = k ? h : -h, y1 = take(c, x + side).y, y2 = take(c, x + 2 * side).y;
    slope[k] = (y2 - y1) / side, end[k] = 2 * y1 - y2;
    assert_true(take(c, x + 0.1 * side).kinks > 0);
    assert_int_equal(take(c, x + 100 * side).kinks, 0);
  }
  double size = fmax(fabs(slope[0]), fabs(slope[1]));
  assert_true(fabs(slope[1] - slope[0]) + fabs(end[1] - end[0]) / h > 1e-3 * size);
}

/* An activation rises within 10 ms and falls within 40. */
static void test_activation(void** state) {
  (void)state;
  expect_kink(&(cut){BEGIN "<body><joint name='j' axis='0 1 0'/><geom size='0.1' pos='0.2 0 0'/>"
                           "</body></worldbody><actuator><muscle joint='j' force='20'"
                           " lengthrange='-2 2' timeconst='0.01 0.04'/></actuator></mujoco>",
                     .of = 'u', .reach = 1e-6},
              0.3);
}

#define SLIDER                                                                             \
  "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'" \
  " stiffness='100'/><geom size='0.1' mass='1' friction='0.5'"

/* What gives way has an impact where it touches just now, and none where it overlaps already. */
static void test_compliant_impact(void** state) {
  (void)state;
  cut c = {BEGIN FLOOR SLIDER " carom:stiffness='1e4'/></body></worldbody></mujoco>",
           .scheme = CAROM_MIDPOINT,
           .v = {0, -1},
           .of = 'q',
           .index = 1,
           .reach = 1e-8};
  double x = seek(&c, -1e-3, 1e-3);
  check_near(x, 0, 1e-9);
  expect_kink(&c, x);
}

/* By explicit Euler whatever meets the floor is one: a ball that is damped explicitly meets it, and
 * implicitly, as one with an impact is, does not. */
static void test_explicit_impact(void** state) {
  (void)state;
  cut c = {BEGIN FLOOR "<body pos='0 0 0.1'><joint type='slide' axis='0 0 1' damping='20'/>"
                       "<geom size='0.1' mass='1'/></body></worldbody></mujoco>",
           .scheme = CAROM_EXPLICIT, .q = {1e-3}, .of = 'v', .reach = 1e-6};
  double x = seek(&c, -0.1, 0.1);
  check_near(x, (-0.1 + 0.01 * 9.81) / (1 - 0.01 * 20), 1e-9);
  expect_kink(&c, x);
}

/* A ball that only its equality with a faster one brings down to the floor. */
static void test_impact_of_solution(void** state) {
  (void)state;
  cut c = {BEGIN FLOOR
           "<body pos='0 0 0.1'><joint name='b' type='slide' axis='0 0 1'/><geom size='0.1'"
           " mass='1'/></body><body pos='1 0 1'><joint name='a' type='slide' axis='0 0 1'/>"
           "<geom size='0.05' mass='1'/></body></worldbody><equality><joint joint1='b'"
           " joint2='a'/></equality></mujoco>",
           .scheme = CAROM_MIDPOINT,
           .q = {0, 6.4e-3},
           .v = {-0.5, -0.6},
           .of = 'q',
           .index = 0,
           .reach = 1e-8};
  expect_kink(&c, seek(&c, 6.1e-3, 6.9e-3));
}

/* By the convex law a ball that slides at 1 m/s presses before it meets the floor, if it is looked
 * at: no farther than gravity moves it. */
static void test_activity(void** state) {
  (void)state;
  cut c = {BEGIN FLOOR SLIDER "/></body></worldbody></mujoco>",
           .scheme = CAROM_MIDPOINT,
           .friction = CAROM_FRICTION_CONVEX,
           .v = {1, 0},
           .of = 'q',
           .index = 1,
           .reach = 1e-8};
  expect_kink(&c, seek(&c, 1e-3, 1e-2));
}

/* A box on edge, the other of whose face is about to touch together with it. */
static void test_reach(void** state) {
  (void)state;
  cut c = {
      BEGIN FLOOR
      "<body pos='0 0 0.095'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
      "<joint axis='0 1 0'/>"
      "<geom type='box' size='0.2 0.2 0.1' mass='1' friction='0.5'/></body></worldbody></mujoco>",
      .scheme = CAROM_MIDPOINT,
      .v = {1, -1, 0},
      .of = 'q',
      .index = 2,
      .reach = 1e-8};
  expect_kink(&c, seek(&c, 1e-3, 1e-2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_activation),         cmocka_unit_test(test_compliant_impact),
      cmocka_unit_test(test_explicit_impact),    cmocka_unit_test(test_activity),
      cmocka_unit_test(test_impact_of_solution), cmocka_unit_test(test_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
