/* Screws: a hinge with a pitch h (m/rad) is a hinge and a slide on one axis whose coordinates are
 * tied by x = h q, so with P = (1, h)' its mass matrix is P'M P and its bias P'c; and a nut on a
 * vertical thread falls with h g / (I/m + h²). */
#include "support/world.h"

#include "carom/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PITCH 0.3

/* An arm, then a screw or its two joints, then another arm. */
#define CHAIN(joints)                                                                          \
  "<mujoco><compiler angle='radian'/><worldbody><body pos='0 0 1'><joint axis='0 1 0'/><geom " \
  "size='.1 .3' type='capsule' "                                                               \
  "mass='1'/><body pos='.3 .1 .2' quat='1 .2 .3 .4'>" joints                                   \
  "<geom size='.1 .2 .3' type='box' pos='.1 .2 0' mass='2'/><body pos='0 .3 0'>"               \
  "<joint axis='1 1 0'/><geom size='.2' mass='.5' pos='.3 0 0'/></body></body></body>"         \
  "</worldbody></mujoco>"

typedef struct system {
  carom_model* model;
  carom_dynamics* dynamics;
  int n;
  double M[16], bias[4], poses[28];
} system;

static system make(const char* text) {
  system s = {0};
  carom_error error;
  check_ok(carom_model_load_string(text, strlen(text), "scene.xml", NULL, &s.model, &error),
           &error);
  check_ok(carom_dynamics_create(s.model, NULL, &s.dynamics, &error), &error);
  s.n = carom_model_get_sizes(s.model).num_v;
  return s;
}

static void evaluate(system* s, const double* q, const double* v) {
  carom_error error;
  check_ok(carom_dynamics_set(s->dynamics, q, v, NULL, &error), &error);
  carom_dynamics_compute_mass_matrix(s->dynamics, s->M);
  carom_dynamics_compute_bias(s->dynamics, s->bias);
  carom_dynamics_compute_poses(s->dynamics, s->poses);
}

static void destroy(system* s) {
  carom_dynamics_destroy(s->dynamics);
  carom_model_destroy(s->model);
}

static void test_hinge_and_slide(void** state) {
  (void)state;
  char text[1200];
  const double h = PITCH / (2 * M_PI);
  snprintf(text, sizeof text,
           CHAIN("<joint axis='1 2 3' pos='.1 0 0' ref='.2' carom:pitch='%.17g'/>"), PITCH);
  system screw = make(text), pair = make(CHAIN("<joint axis='1 2 3' pos='.1 0 0' ref='.2'/>"
                                               "<joint type='slide' axis='1 2 3'/>"));
  check_random random = {7};
  const double P[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, h, 0}, {0, 0, 1}};
  for (int round = 0; round < 50; round++) {
    double q[3], v[3], M[9] = {0}, bias[3] = {0};
    for (int i = 0; i < 3; i++) q[i] = check_random_uniform(&random, -7, 7);
    for (int i = 0; i < 3; i++) v[i] = check_random_normal(&random);
    evaluate(&screw, q, v);
    evaluate(&pair, (double[]){q[0], q[1], h * (q[1] - 0.2), q[2]},
             (double[]){v[0], v[1], h * v[1], v[2]});
    for (int a = 0; a < 4; a++)
      for (int i = 0; i < 3; i++) {
        bias[i] += P[a][i] * pair.bias[a];
        for (int b = 0; b < 4; b++)
          for (int j = 0; j < 3; j++) M[3 * i + j] += P[a][i] * pair.M[4 * a + b] * P[b][j];
      }
    check_near_array(screw.M, M, 9, 1e-13);
    check_near_array(screw.bias, bias, 3, 1e-11);
    check_near_array(screw.poses, pair.poses, 28, 1e-12);
  }
  destroy(&screw);
  destroy(&pair);
}

#define NUT                                                                                      \
  "<mujoco><option timestep='.001'/><worldbody><body><joint name='s' axis='0 0 1' carom:pitch='" \
  "0.5'/><inertial pos='.1 0 0' mass='3' diaginertia='.02 .03 .04'/></body></worldbody></mujoco>"

/* Falls as the closed form says, and keeps its energy. */
static void test_nut(void** state) {
  (void)state;
  const double h = 0.5 / (2 * M_PI), inertia = 0.04 + 3 * 0.1 * 0.1 + 3 * h * h;
  carom_sim_def def = world_def(0.001, CAROM_MIDPOINT);
  world w = world_create(NUT, &def);
  double start = world_energy(&w);
  world_run(&w, 1000);
  double rate = -3 * 9.81 * h / inertia;
  check_near(world_v(&w)[0], rate, 1e-10);
  check_near(world_q(&w)[0], rate / 2, 1e-10);
  check_near(world_energy(&w), start, 1e-9);
  carom_joint_info info = carom_model_get_joint(w.model, 0);
  check_near(info.pitch, 0.5, 1e-15);
  world_destroy(&w);
}

/* Files that know screws: pitch in m per revolution, and the older rad/m of a left-handed thread.
 */
static void test_formats(void** state) {
  (void)state;
#define SDF(version, pitch)                                                                  \
  "<sdf version='" version "'><model name='m'><link name='a'/><joint name='j' type='screw'>" \
  "<parent>world</parent><child>a</child>" pitch "</joint></model></sdf>"
  static const struct {
    const char* text;
    double pitch;
  } CASES[] = {
      {SDF("1.10", "<screw_thread_pitch>0.25</screw_thread_pitch>"), 0.25},
      {SDF("1.6", "<thread_pitch>-4</thread_pitch>"), M_PI / 2},
      {SDF("1.10", ""), 1},
      {"<robot name='r'><link name='world'/><link name='a'><inertial><mass value='1'/></inertial>"
       "</link><drake:joint name='j' type='screw'><parent link='world'/><child link='a'/>"
       "<drake:screw_thread_pitch value='0.125'/></drake:joint></robot>",
       0.125},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    system s = make(CASES[i].text);
    check_near(carom_model_get_joint(s.model, 0).pitch, CASES[i].pitch, 1e-15);
    destroy(&s);
  }
}

/* Only hinges have a pitch. */
static void test_bad_pitch(void** state) {
  (void)state;
  static const char TEXT[] = "<mujoco><worldbody><body><joint name='j' type='slide' carom:pitch='1'"
                             "/><geom size='.1'/></body></worldbody></mujoco>";
  carom_model* model;
  carom_error error;
  assert_int_equal(carom_model_load_string(TEXT, strlen(TEXT), "s.xml", NULL, &model, &error),
                   CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error.message,
                      "s.xml:1: joint 'j': pitch is 1, must be 0 where the joint is no hinge");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hinge_and_slide),
      cmocka_unit_test(test_nut),
      cmocka_unit_test(test_formats),
      cmocka_unit_test(test_bad_pitch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
