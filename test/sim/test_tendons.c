/* Fixed tendons: against joints that do the same, closed forms, finite differences, and the balance
 * of energy. */
#include "support/scene.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81

/* A 2 kg slide along the vertical, with joint attributes and what follows the world. */
static world make_slide(const char* attributes, const char* rest, const carom_sim_def* def) {
  char text[900];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body><joint name='j' type='slide' axis='0 0 1' %s/>"
           "<geom size='.1' mass='2'/></body></worldbody>%s</mujoco>",
           attributes, rest);
  return world_create(text, def);
}

static void expect_same_motion(world* a, world* b, int steps, double tolerance) {
  for (int i = 0; i < steps; i++) {
    world_step(a);
    world_step(b);
    for (int k = 0; k < a->sizes.num_q; k++)
      if (!(fabs(world_q(a)[k] - world_q(b)[k]) <= tolerance))
        fail_msg("step %d: q[%d] is %.15g and %.15g", i, k, world_q(a)[k], world_q(b)[k]);
  }
}

/* A tendon over one joint with coefficient c is that joint with stiffness and damping times c², dry
 * friction times c and the range over c: in every scheme. */
static const struct twin {
  const char *joint, *tendon;
  double tolerance; /* rigid rows end within 1e-9 of their scale */
} TWINS[] = {
    {"stiffness='80'", "stiffness='20'", 1e-9},
    {"stiffness='80' damping='4'", "stiffness='20' damping='1'", 1e-9},
    {"damping='12'", "damping='3'", 1e-9},
    {"frictionloss='8'", "frictionloss='4'", 1e-9},
    {"frictionloss='30'", "frictionloss='15'", 1e-9},
    {"stiffness='80' springref='.1'", "stiffness='20' springlength='.2'", 1e-9},
    {"range='-.01 .2'", "range='-.02 .4'", 1e-7},
    {"range='-.01 .2' carom:limit_stiffness='4e4'", "range='-.02 .4' carom:limit_stiffness='1e4'",
     1e-7},
};

static void test_one_joint(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof TWINS / sizeof *TWINS; i++)
    for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
      char tendon[400];
      carom_sim_def def = world_def(0.002, (carom_scheme)scheme);
      snprintf(tendon, sizeof tendon,
               "<tendon><fixed %s><joint joint='j' coef='2'/></fixed></tendon>", TWINS[i].tendon);
      world a = make_slide(TWINS[i].joint, "", &def), b = make_slide("", tendon, &def);
      expect_same_motion(&a, &b, 200, TWINS[i].tolerance);
      world_destroy(&a);
      world_destroy(&b);
    }
}

/* Actuators likewise: motors, servos with and without a limit of the force. */
static void test_actuators(void** state) {
  (void)state;
  static const char* const FORMS[] = {"<motor %s gear='%g'/>", "<position %s gear='%g' kp='50'/>",
                                      "<position %s gear='%g' kp='50' kv='2'/>",
                                      "<position %s gear='%g' kp='50' kv='2' forcerange='-2 3'/>",
                                      "<velocity %s gear='%g' kv='5' ctrlrange='-.2 .2'/>"};
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++)
    for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
      char actuator[2][200], rest[2][500];
      carom_sim_def def = world_def(0.002, (carom_scheme)scheme);
      snprintf(actuator[0], sizeof actuator[0], FORMS[i], "joint='j'", 3.0);
      snprintf(actuator[1], sizeof actuator[1], FORMS[i], "tendon='t'", 1.5);
      for (int k = 0; k < 2; k++)
        snprintf(rest[k], sizeof rest[k],
                 "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>"
                 "<actuator>%s</actuator>",
                 actuator[k]);
      world a = make_slide("", rest[0], &def), b = make_slide("", rest[1], &def);
      carom_sim_controls(a.sim)[0] = carom_sim_controls(b.sim)[0] = 0.3;
      expect_same_motion(&a, &b, 200, 1e-9);
      world_destroy(&a);
      world_destroy(&b);
    }
}

/* Two slides on one body's branches and a third in another tree. */
#define THREE                                                                                \
  "<mujoco><worldbody><body name='base'><joint name='base' type='slide' axis='1 0 0'/>"      \
  "<geom size='.1' mass='1'/>"                                                               \
  "<body pos='0 .5 0'><joint name='a' type='slide' axis='0 0 1'/><geom size='.1' mass='1'/>" \
  "</body><body pos='0 -.5 0'><joint name='b' axis='0 1 0'/>"                                \
  "<geom size='.1' mass='2' pos='.2 0 0'/></body></body>"                                    \
  "<body pos='0 3 0'><joint name='c' type='slide' axis='0 0 1'/><geom size='.1' mass='3'/>"  \
  "</body></worldbody>"

#define ALL "<joint joint='a' coef='1'/><joint joint='b' coef='-.5'/><joint joint='c' coef='2'/>"

/* Energy that is missing after 2 s beside what the damper took, of a spring that joins branches and
 * trees. */
static double lose_energy(const char* tendon, double dt, double* dissipated) {
  char text[1500];
  snprintf(text, sizeof text, THREE "<tendon><fixed stiffness='300' %s>" ALL "</fixed></tendon>%s",
           tendon, "</mujoco>");
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create(text, &def);
  double start = world_energy(&w);
  *dissipated = 0;
  for (int i = 0; i < 2 / dt - 0.5; i++) *dissipated += world_step(&w).dissipated;
  double lost = start - world_energy(&w) - *dissipated;
  world_destroy(&w);
  return lost;
}

/* Energy is balanced to the second order of the step, of hundreds of joules that move. */
static void test_energy(void** state) {
  (void)state;
  static const char* const TENDONS[] = {"", "springlength='-.1 .05'", "damping='3'"};
  for (int i = 0; i < 3; i++) {
    double dissipated, coarse = lose_energy(TENDONS[i], 0.001, &dissipated);
    double fine = lose_energy(TENDONS[i], 0.0005, &dissipated);
    assert_true(i == 2 ? dissipated > 0.5 : dissipated == 0);
    assert_true(fabs(coarse) < 0.02);
    assert_true(fabs(coarse) > 3 * fabs(fine));
  }
}

/* The limit of a length stops three joints at once, whatever else they do. */
static void test_limit_of_a_sum(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
  world w =
      world_create(THREE "<tendon><fixed range='-.3 1'>" ALL "</fixed></tendon></mujoco>", &def);
  double least = 1;
  for (int i = 0; i < 300; i++) {
    world_step(&w);
    const double* q = world_q(&w);
    least = fmin(least, q[1] - 0.5 * q[2] + 2 * q[3]);
  }
  check_near(least, -0.3, 1e-5);
  world_destroy(&w);
}

/* Passive forces are the slope of the elastic energy; the equation of motion holds with them. */
static void test_derivatives(void** state) {
  (void)state;
  carom_model* model = scene_load(
      THREE "<tendon><fixed name='t' stiffness='30' damping='2' springlength='-.1 .05'>" ALL
            "</fixed><fixed stiffness='7'><joint joint='a' coef='3'/></fixed></tendon>"
            "<actuator><position tendon='t' kp='4' kv='1' gear='2'/></actuator></mujoco>");
  carom_dynamics* d;
  assert_int_equal(carom_dynamics_create(model, NULL, &d, NULL), CAROM_OK);
  check_random random = {3};
  for (int repeat = 0; repeat < 50; repeat++) {
    double q[4], v[4], zero[4] = {0}, f[4], a[4], sum[4], passive[4], bias[4], ctrl = 0.7;
    for (int k = 0; k < 4; k++)
      q[k] = check_random_normal(&random), v[k] = check_random_normal(&random);
    carom_dynamics_set(d, q, zero, NULL, NULL);
    carom_dynamics_compute_passive(d, f);
    for (int k = 0; k < 4; k++) {
      double e[2], kinetic, step = 1e-5, gravity[2], g[4], at = q[k];
      carom_dynamics_set(d, q, zero, NULL, NULL);
      carom_dynamics_compute_bias(d, g);
      for (int s = 0; s < 2; s++) {
        q[k] = at + (s ? step : -step);
        carom_dynamics_set(d, q, zero, NULL, NULL);
        carom_dynamics_compute_energy(d, &kinetic, &e[s]);
      }
      q[k] = at;
      gravity[0] = (e[1] - e[0]) / (2 * step);
      check_near(g[k] - f[k], gravity[0], 1e-7);
    }
    carom_dynamics_set(d, q, v, &ctrl, NULL);
    assert_int_equal(carom_dynamics_compute_forward(d, NULL, true, a, NULL), CAROM_OK);
    carom_dynamics_compute_inverse(d, a, sum);
    carom_dynamics_compute_passive(d, passive);
    carom_dynamics_compute_actuation(d, bias);
    double length = q[1] - 0.5 * q[2] + 2 * q[3], rate = v[1] - 0.5 * v[2] + 2 * v[3];
    double force = 2 * (4 * ctrl - 4 * 2 * length - 2 * rate);
    check_near_array(bias, ((double[]){0, force, -0.5 * force, 2 * force}), 4, 1e-12);
    for (int k = 0; k < 4; k++) check_near(sum[k], passive[k] + bias[k], 1e-9);
  }
  carom_dynamics_destroy(d);
  carom_model_destroy(model);
}

/* Equalities of tendons over one joint each move as those of the joints. */
static void test_equalities(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
  world a = world_create(THREE "<equality><joint joint1='a' joint2='c' polycoef='0 -.5 .2'/>"
                               "</equality></mujoco>",
                         &def);
  world b = world_create(
      THREE "<tendon><fixed name='a'><joint joint='a' coef='1'/></fixed><fixed name='c'>"
            "<joint joint='c' coef='1'/></fixed></tendon><equality><tendon tendon1='a'"
            " tendon2='c' polycoef='0 -.5 .2'/></equality></mujoco>",
      &def);
  expect_same_motion(&a, &b, 300, 1e-12);
  world_destroy(&a);
  world_destroy(&b);
  /* One alone is held where it was. */
  world c = world_create(THREE "<tendon><fixed name='t'>" ALL "</fixed></tendon>"
                               "<equality><tendon tendon1='t'/></equality></mujoco>",
                         &def);
  for (int i = 0; i < 300; i++) {
    world_step(&c);
    const double* q = world_q(&c);
    check_near(q[1] - 0.5 * q[2] + 2 * q[3], 0, 1e-8);
  }
  world_destroy(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_joint),   cmocka_unit_test(test_actuators),
      cmocka_unit_test(test_energy),      cmocka_unit_test(test_limit_of_a_sum),
      cmocka_unit_test(test_derivatives), cmocka_unit_test(test_equalities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
