/* Fast bodies meet what they would pass through between two looks, and nothing else: walls and
 * surfaces far thinner than the travel of a step, each other, from any side; what flies beside or
 * along them keeps its speed. */
#include "geom/collide.h"
#include "math/quat.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define DT 3e-3

/* Bodies without friction and gravity, after a number of steps from the velocities v. */
static simulation fly(const char* world, carom_scheme scheme, const double* v, int steps) {
  char text[2048];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 0'/><default><geom friction='0 0 0'/></default>"
           "<asset><mesh name='sheet' vertex='0 -1 -1 0 1 -1 0 1 1 0 -1 1 .002 -1 -1 .002 1 -1 "
           ".002 1 1 .002 -1 1'/><mesh name='groove' carom:convex='false' inertia='exact' "
           "vertex='-1 -1 -1 0 0 -1 -1 1 -1 .5 0 -1 -1 -1 1 0 0 1 -1 1 1 .5 0 1' face='0 4 5 0 5 1 "
           "1 5 6 1 6 2 0 3 7 0 7 4 2 6 7 2 7 3 0 1 3 1 2 3 4 7 5 5 7 6'/></asset>"
           "<worldbody>%s</worldbody></mujoco>",
           world);
  carom_sim_def def = simulation_def(scheme, DT);
  simulation s = simulation_create(text, &def);
  simulation_set(&s, NULL, v);
  for (int i = 0; i < steps; i++) simulation_step(&s);
  return s;
}

#define FLYER(pos, geom) "<body pos='" pos "'><freejoint/><geom mass='0.02' " geom "/></body>"

/* Against walls of 2 or 3 mm, whatever part of a step lies before them. */
static void check_wall(const char* wall, const char* flyer, double half, carom_scheme scheme) {
  char world[512];
  snprintf(world, sizeof world, "%s%s", wall, flyer);
  for (int k = 0; k < 12; k++) {
    const double v[6] = {233 + 17 * k, 3};
    simulation s = fly(world, scheme, v, 12);
    check_near(s.q[0], 2 - half, 1e-5);
    check_near(s.v[0], 0, 1e-3);
    check_near(s.v[1], 3, 1e-6);
    simulation_destroy(&s);
  }
}

static void test_walls(void** state) {
  (void)state;
  const char* walls[] = {"<geom type='box' size='.0015 1 1' pos='2.0015 0 0'/>",
                         "<geom type='mesh' mesh='sheet' pos='2 0 0'/>"};
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++)
    for (int w = 0; w < 2; w++) {
      check_wall(walls[w], FLYER("0 0 0", "size='.004'"), 0.004, (carom_scheme)scheme);
      check_wall(walls[w], FLYER("0 0 0", "type='capsule' size='.002 .03' euler='90 0 0'"), 0.002,
                 (carom_scheme)scheme);
      check_wall(walls[w], FLYER("0 0 0", "type='box' size='.003 .02 .01'"), 0.003,
                 (carom_scheme)scheme);
    }
}

/* What meets a wall far beside its centre turns by radians within the step, and stays before it all
 * the same: in parts. */
static void test_swinging(void** state) {
  (void)state;
  carom_error error;
  const char* flyers[] = {FLYER("0 0 0", "type='capsule' size='.002 .03' euler='90 0 70'"),
                          FLYER("0 0 0", "type='capsule' size='.002 .03' euler='90 0 45'"),
                          FLYER("0 0 0", "type='box' size='.003 .02 .01' euler='0 0 45'"),
                          FLYER("0 0 0", "type='cylinder' size='.02 .002' euler='0 60 0'"),
                          FLYER("0 0 0", "type='cylinder' size='.02 .002' euler='0 70 0'")};
  for (int k = 0; k < 5; k++)
    for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++)
      for (int i = 0; i < 12; i++) {
        char world[512];
        snprintf(world, sizeof world, "<geom type='box' size='.0015 1 1' pos='2.0015 0 0'/>%s",
                 flyers[k]);
        const double v[6] = {233 + 17 * i, 3};
        simulation s = fly(world, (carom_scheme)scheme, v, 0);
        for (int n = 0; n < 12; n++) check_ok(carom_sim_step(s.sim, NULL, &error), &error);
        if (!(s.q[0] < 2))
          fail_msg("flyer %d, scheme %d, %g m/s: at x = %g m", k, scheme, v[0], s.q[0]);
        simulation_destroy(&s);
      }
}

/* A ball that flies into a groove meets both of its sides at once, and so keeps to the middle. */
static void test_groove(void** state) {
  (void)state;
  const char* groove =
      "<geom type='mesh' mesh='groove' pos='2 0 0'/>" FLYER("0 0 0", "size='.004'");
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++)
    for (int k = 0; k < 12; k++) {
      const double v[6] = {233 + 17 * k};
      simulation s = fly(groove, (carom_scheme)scheme, v, 12);
      check_near(s.q[0], 2 - 0.004 * sqrt(2), 1e-5);
      for (int i = 0; i < 3; i++) check_near(s.v[i], 0, 1e-3);
      simulation_destroy(&s);
    }
}

/* Balls that fly at each other with v come to one speed. */
static void check_meeting(const double v[12], double speed, carom_scheme scheme) {
  simulation s = fly(FLYER("0 0 0", "size='.006'") FLYER("1 0 0", "size='.006'"), scheme, v, 6);
  check_near(s.v[0], speed, 1e-3);
  check_near(s.v[6], speed, 1e-3);
  check_near(s.q[7] - s.q[0], 0.012, 1e-5);
  simulation_destroy(&s);
}

/* Two balls that meet in the air share their speeds; two that pass each other by a tenth of a
 * millimetre keep them. */
static void test_meeting(void** state) {
  (void)state;
  const double v[12] = {120, 0, 0, 0, 0, 0, -120};
  const double onward[12] = {150, 0, 0, 0, 0, 0, -90};
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    check_meeting(v, 0, (carom_scheme)scheme);
    check_meeting(onward, 30, (carom_scheme)scheme);
    simulation s = fly(FLYER("0 0 0", "size='.006'") FLYER("1 .0121 0", "size='.006'"),
                       (carom_scheme)scheme, v, 6);
    for (int i = 0; i < 12; i++) assert_true(s.v[i] == v[i]);
    simulation_destroy(&s);
  }
}

/* Along a wall, a hair off it, and past its edge. */
static void test_passing(void** state) {
  (void)state;
  const double v[6] = {280};
  const char* wall = "<geom type='box' size='1 1 .001' pos='1.5 0 -.001'/>";
  const char* flyers[] = {FLYER("0 0 .00401", "size='.004'"), FLYER("0 1.0041 0", "size='.004'"),
                          FLYER("0 0 .00301", "type='box' size='.02 .01 .003'")};
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++)
    for (int k = 0; k < 3; k++) {
      char world[512];
      snprintf(world, sizeof world, "%s%s", wall, flyers[k]);
      simulation s = fly(world, (carom_scheme)scheme, v, 6);
      for (int i = 0; i < 6; i++) check_near(s.v[i], v[i], 1e-9);
      simulation_destroy(&s);
    }
}

/* --- Cards --------------------------------------------------------------------------------------
 */

/* Two cards that fly free: where they are, how they move; each spins about an axis of its own. */
typedef struct throw {
  double q[14], v[12];
}
throw;

static const cr_shape CARD = {.type = CAROM_GEOM_BOX, .size = {0.001, 0.03, 0.045}};

static pose place_card(const throw *t, int card, double time) {
  const double *q = t->q + 7 * card, *v = t->v + 6 * card;
  quat now = {q[3], q[4], q[5], q[6]};
  quat then = quat_mul(now, quat_exp(v3_scale(time, v3_load(v + 3))));
  return (pose){v3_axpy(v3_load(q), time, v3_load(v)), quat_to_m3(then)};
}

static double find_gap(const throw *t, double time, v3* normal) {
  const pose A = place_card(t, 0, time), B = place_card(t, 1, time);
  v3 a, b;
  return cr_geom_compute_distance(&CARD, &A, &CARD, &B, &a, &b, normal);
}

static v3 draw_vector(check_random* random) {
  v3 x = {check_random_normal(random), check_random_normal(random), check_random_normal(random)};
  return x;
}

/* The second one a little away from the first. */
static throw draw_throw(check_random * random) {
  throw t = {{0}, {0}};
  for (int k = 0; k < 2; k++) {
    quat turn = quat_exp(draw_vector(random));
    const double q[4] = {turn.w, turn.x, turn.y, turn.z};
    for (int i = 0; i < 4; i++) t.q[7 * k + 3 + i] = q[i];
    v3_store(v3_scale(k ? 1.5 : 0, draw_vector(random)), t.v + 6 * k);
    t.v[6 * k + 3 + check_random_int(random, 0, 2)] = 14 * check_random_normal(random);
  }
  v3_store(v3_scale(0.04, draw_vector(random)), t.q + 7);
  double wanted = 1e-5 * exp(check_random_uniform(random, 0, 5));
  for (int k = 0; k < 20; k++) {
    v3 n;
    double gap = find_gap(&t, 0, &n);
    v3_store(v3_axpy(v3_load(t.q + 7), wanted - gap, n), t.q + 7);
  }
  return t;
}

/* Cards that turn fast, a hair to a millimetre from each other, are struck where they meet within
 * the step, and fly on where they do not. */
static void test_cards(void** state) {
  (void)state;
  check_random random = {7};
  int met = 0, passed = 0;
  carom_error error;
  const char* world = FLYER("0 0 0", "type='box' size='.001 .03 .045'")
      FLYER("1 0 0", "type='box' size='.001 .03 .045'");
  for (int k = 0; k < 800; k++) {
    const throw t = draw_throw(&random);
    double least = INFINITY, change = 0;
    for (int i = 0; i <= 400; i++) least = fmin(least, find_gap(&t, DT * i / 400, &(v3){0}));
    simulation s = fly(world, (carom_scheme)(k % 4), t.v, 0);
    check_ok(carom_sim_set_state(s.sim, 0, t.q, t.v, &error), &error);
    check_ok(carom_sim_step(s.sim, NULL, &error), &error);
    const double* v = carom_sim_velocities(s.sim);
    for (int i = 0; i < 12; i++) change = fmax(change, fabs(v[i] - t.v[i]));
    if (least > 1e-6 && change > 1e-9) fail_msg("%d: %g m apart, by %g", k, least, change);
    if (least < -1e-5 && !(change > 1e-6)) fail_msg("%d: %g m deep", k, -least);
    met += least<-1e-5, passed += least> 1e-6;
    simulation_destroy(&s);
  }
  assert_true(met > 100 && passed > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walls),   cmocka_unit_test(test_swinging),
      cmocka_unit_test(test_groove),  cmocka_unit_test(test_meeting),
      cmocka_unit_test(test_passing), cmocka_unit_test(test_cards),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
