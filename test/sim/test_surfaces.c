/* Bodies on height fields and meshes that are not convex: flat fields act like planes, a cup holds
 * what lies in it, a hook hangs. */
#include "support/cup.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define FLAT_FIELD                                                                   \
  "<asset><hfield name='h' nrow='21' ncol='23' size='2 2 1 .1'/></asset><worldbody>" \
  "<geom type='hfield' hfield='h' friction='.4'/>"
#define PLANE "<worldbody><geom type='plane' size='0 0 1' friction='.4'/>"

/* The same body on either ground. */
static simulation slide(const char* ground, const char* geom, double height, const char* velocity) {
  char text[1200];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='.002'/>%s<body pos='-1 -.2 %.17g'><freejoint/><geom %s "
           "friction='.4'/></body></worldbody><keyframe><key qpos='-1 -.2 %.17g 1 0 0 0' "
           "qvel='%s'/></keyframe></mujoco>",
           ground, height, geom, height, velocity);
  return simulation_create(text, NULL);
}

/* What slides over the edges of a flat field moves as on a plane. (A cylinder that stands and turns
 * does not: where its friction acts is a matter of the points that stand for its rim.) */
static void test_flat(void** state) {
  (void)state;
  static const struct {
    const char* geom;
    double height;
  } BODIES[] = {{"type='box' size='.15 .1 .05'", 0.05},
                {"type='sphere' size='.1'", 0.1},
                {"type='capsule' size='.05 .1' euler='0 90 0'", 0.05},
                {"type='ellipsoid' size='.1 .08 .05'", 0.05},
                {"type='box' size='.15 .1 .05' euler='30 20 0'", 0.3}};
  for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
    simulation a = slide(FLAT_FIELD, BODIES[i].geom, BODIES[i].height, "1.5 .3 0 0 0 .7");
    simulation b = slide(PLANE, BODIES[i].geom, BODIES[i].height, "1.5 .3 0 0 0 .7");
    double tolerance = i == 4 ? 1e-6 : 1e-9; /* the last one tumbles */
    for (int step = 0; step < 400; step++) {
      simulation_step(&a);
      simulation_step(&b);
      check_near_array(a.q, b.q, 7, tolerance);
    }
    simulation_destroy(&a);
    simulation_destroy(&b);
  }
}

/* A ball and a box fall into the cup, which stands on a plane: they stay, on its floor. */
static void test_cup(void** state) {
  (void)state;
  simulation s =
      simulation_create("<mujoco><option timestep='.002'/><asset>" CUP_MESH "</asset><worldbody>"
                        "<geom type='plane' size='0 0 1'/>"
                        "<body name='cup'><freejoint/><geom type='mesh' mesh='cup'/></body>"
                        "<body name='ball' pos='.2 .1 .4'><freejoint/><geom size='.1'/></body>"
                        "<body name='box' pos='-.15 -.1 .5' euler='20 30 0'><freejoint/>"
                        "<geom type='box' size='.1 .08 .06'/></body></worldbody></mujoco>",
                        NULL);
  simulation_run_until(&s, 3);
  double cup[7], ball[7], box[7];
  simulation_compute_pose(&s, simulation_find_body(&s, "cup"), cup);
  simulation_compute_pose(&s, simulation_find_body(&s, "ball"), ball);
  simulation_compute_pose(&s, simulation_find_body(&s, "box"), box);
  check_near(cup[2], 0, 1e-6);
  check_near(ball[2], 0.2, 1e-6);
  assert_true(fabs(ball[0] - cup[0]) < 0.3 + 1e-6 && fabs(ball[1] - cup[1]) < 0.3 + 1e-6);
  assert_true(box[2] > 0.1 && box[2] < 0.21);
  assert_true(fabs(box[0] - cup[0]) < 0.4 && fabs(box[1] - cup[1]) < 0.4);
  double kinetic = 0;
  for (int i = 6; i < 18; i++) kinetic += s.v[i] * s.v[i];
  assert_true(kinetic < 1); /* the ball may roll */
  simulation_destroy(&s);
}

/* The cup upside down over a post that stands in it: two surfaces that are not convex. */
static void test_on_a_post(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option timestep='.002'/><asset>" CUP_MESH
      "<mesh name='post' carom:convex='false' vertex='-.2 -.2 0 .2 -.2 0 .2 .2 0 -.2 .2 0 "
      "-.2 -.2 .9 .2 -.2 .9 .2 .2 .9 -.2 .2 .9' face='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 "
      "1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7'/></asset><worldbody>"
      "<geom type='mesh' mesh='post'/>"
      "<body name='cup' pos='.05 -.03 1.01' euler='180 0 0'><freejoint/>"
      "<geom type='mesh' mesh='cup'/></body></worldbody></mujoco>",
      NULL);
  simulation_run_until(&s, 1.5);
  double cup[7];
  simulation_compute_pose(&s, simulation_find_body(&s, "cup"), cup);
  check_near(cup[2], 1.0, 1e-6);
  check_near(cup[0], 0.05, 1e-6);
  for (int i = 0; i < 6; i++) check_near(s.v[i], 0, 1e-6);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat),
      cmocka_unit_test(test_cup),
      cmocka_unit_test(test_on_a_post),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
