/* Pressure fields of bodies that are not convex, in time: on height fields as on a plane, in a
 * rigid cup and as a soft one, at the depths that closed forms have; g = 9.81 m/s².
 *
 * A soft ball of the radius R on a rigid floor has F(d) = 2π E (d²/2 - d³/3R), a rigid one on a
 * soft floor F(d) = E/H π d² (R - d/3), and a soft floor of the area A on rigid ground d = m g H /
 * (E A), where H is half of the cup's wall. */
#include "support/cup.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G    9.81
#define PI   3.14159265358979323846
#define SOFT "carom:modulus='1e6' "
#define FLAT_FIELD                                                                   \
  "<asset><hfield name='h' nrow='21' ncol='23' size='2 2 1 .1'/></asset><worldbody>" \
  "<geom type='hfield' hfield='h' friction='.4'/>"
#define PLANE "<worldbody><geom type='plane' size='0 0 1' friction='.4'/>"

static simulation slide(const char* ground, const char* geom, double height) {
  char text[1200];
  snprintf(text, sizeof text,
           "<mujoco xmlns:carom='urn:carom'>%s<body pos='-1 -.2 %.17g'><freejoint/><geom %s %s "
           "friction='.4'/></body></worldbody></mujoco>",
           ground, height, geom, SOFT);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
  def.sleep_share = 0;
  simulation s = simulation_create(text, &def);
  const double v[6] = {1.5, 0.3, 0, 0, 0, 0.7};
  simulation_set(&s, NULL, v);
  return s;
}

/* What slides over the sides of its triangles feels none of them. */
static void test_level(void** state) {
  (void)state;
  static const struct {
    const char* geom;
    double height, tolerance; /* round bodies have facets, which are another way round */
  } BODIES[] = {{"type='box' size='.15 .1 .05'", 0.05, 1e-4},
                {"type='sphere' size='.1'", 0.1, 5e-3},
                {"type='capsule' size='.05 .1' euler='0 90 0'", 0.05, 5e-3},
                {"type='cylinder' size='.1 .05'", 0.05, 5e-3}};
  for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
    simulation a = slide(FLAT_FIELD, BODIES[i].geom, BODIES[i].height);
    simulation b = slide(PLANE, BODIES[i].geom, BODIES[i].height);
    for (int step = 0; step < 400; step++) {
      simulation_step(&a);
      simulation_step(&b);
      check_near_array(a.q, b.q, 7, BODIES[i].tolerance);
    }
    simulation_destroy(&a);
    simulation_destroy(&b);
  }
}

#define SETTLES 2000 /* steps */

/* How deep the body that moves comes to rest, of a cup and a ball of 3 kg above its floor. */
static double settle(const char* cup, const char* ball, double height) {
  char text[2600];
  snprintf(text, sizeof text,
           "<mujoco xmlns:carom='urn:carom'><compiler balanceinertia='true'/><asset>" CUP_MESH
           "</asset><worldbody><geom type='mesh' mesh='cup' %s/><body pos='.05 .02 %.17g'>"
           "<freejoint/><geom type='sphere' size='.1' mass='3' %s/></body></worldbody></mujoco>",
           cup, height, ball);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  def.sleep_share = 0;
  simulation s = simulation_create(text, &def);
  double before = simulation_compute_energy(&s), first = before;
  for (int i = 0; i < check_repeats(SETTLES); i++) {
    simulation_step(&s);
    double now = simulation_compute_energy(&s);
    assert_true(now < before + 1e-3 * first);
    before = now;
  }
  double depth = 0.2 - s.q[2];
  check_near(hypot(s.q[0] - 0.05, s.q[1] - 0.02), 0, 1e-3);
  simulation_destroy(&s);
  return depth;
}

/* The depth at which a force of 3 g is borne. */
static double find_depth(bool soft_ball) {
  double low = 0, high = 0.05, R = 0.1, E = 1e6, H = 0.05;
  while (high - low > 1e-15) {
    double d = (low + high) / 2;
    double F =
        soft_ball ? 2 * PI * E * d * d * (0.5 - d / (3 * R)) : E / H * PI * d * d * (R - d / 3);
    if (F < 3 * G)
      low = d;
    else
      high = d;
  }
  return low;
}

static void test_cup(void** state) {
  (void)state;
  double soft = settle("", SOFT, 0.25), hard = settle(SOFT, "", 0.25);
  print_message("soft ball %.5f of the depth, soft cup %.5f\n", soft / find_depth(true),
                hard / find_depth(false));
  if (check_repeats(SETTLES) < SETTLES) return; /* they are still on their way down */
  check_near(soft / find_depth(true), 1, 2e-3);
  check_near(hard / find_depth(false), 1, 2e-3);
}

/* A soft cup on rigid ground, flat and thrown. */
static void test_soft_cup(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[2600];
    snprintf(text, sizeof text,
             "<mujoco xmlns:carom='urn:carom'><asset>" CUP_MESH "</asset><worldbody>"
             "<geom type='plane' size='9 9 1'/><body name='cup' pos='0 0 %s'><freejoint/>"
             "<geom type='mesh' mesh='cup' mass='40' %s/></body></worldbody></mujoco>",
             k ? "1' euler='20 30 0" : "0", SOFT);
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
    def.sleep_share = 0;
    simulation s = simulation_create(text, &def);
    double before = simulation_compute_energy(&s), first = fabs(before);
    for (int i = 0; i < check_repeats(2000); i++) {
      simulation_step(&s);
      double now = simulation_compute_energy(&s);
      assert_true(now < before + 1e-3 * first);
      before = now;
    }
    if (k == 0) check_near(-s.q[2] / (40 * G * 0.05 / 1e6), 1, 1e-3);
    simulation_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_level),
      cmocka_unit_test(test_cup),
      cmocka_unit_test(test_soft_cup),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
