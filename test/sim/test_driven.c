/* Mocap bodies that move as prescribed and carry along what touches them: tables that shake,
 * conveyors, lifts, cams. */
#include "math/quat.h"
#include "support/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MU 0.5
#define G  9.81

/* A box on a table. */
static const char TABLE[] =
    "<mujoco><worldbody><body name='table' mocap='true' pos='0 0 -.1'>"
    "<geom type='box' size='9 9 .1' friction='.5'/></body><body name='b' pos='0 0 .1'><freejoint/>"
    "<geom type='box' size='.1 .1 .1' mass='2' friction='.5'/></body></worldbody></mujoco>";

static void drive(simulation* s, const char* body, v3 velocity, v3 rate) {
  carom_error error;
  double v[3], w[3];
  v3_store(velocity, v), v3_store(rate, w);
  check_ok(carom_sim_set_motion(s->sim, simulation_find_body(s, body), v, w, &error), &error);
}

/* What the steps of a run have done. */
typedef struct totals {
  double drive, lost, unexplained;
} totals;

static void step(simulation* s, totals* t) {
  simulation_step(s);
  t->drive += s->report.actuator_work, t->lost += s->report.dissipated;
  t->unexplained = fmax(t->unexplained, s->report.unexplained_sum);
}

/* A table that starts and goes on at V is a belt: the box slides at mu g t until it has its speed,
 * the drive does m V V, half of it heat. */
static void test_conveyor(void** state) {
  (void)state;
  static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_LAGGED,
                                        CAROM_FRICTION_ANCHORED};
  for (int k = 0; k < 3 * NUM_SCHEMES; k++) {
    carom_sim_def def = simulation_def(SCHEMES[k / 3].scheme, 0.002);
    def.friction = LAWS[k % 3];
    simulation s = simulation_create(TABLE, &def);
    totals t = {0};
    drive(&s, "table", v3_make(1.5, 0, 0), v3_zero());
    for (int i = 1; i <= 500; i++) {
      step(&s, &t);
      if (0.002 * i < 0.3) check_near(s.v[0], MU * G * 0.002 * i, 0.02);
    }
    check_near(s.v[0], 1.5, 1e-7);
    check_near(s.q[2], 0.1, 1e-3);
    check_near(t.drive, 2 * 1.5 * 1.5, 1e-6);
    check_near(t.lost, 1.5 * 1.5, 1e-6);
    assert_true(t.unexplained < 1e-6);
    simulation_destroy(&s);
  }
}

/* A table that shakes along x, a = A sin(w t), by its mean velocity in each step. Below mu g the
 * box goes along; the drive's work is its kinetic energy. */
static void test_shaken_sticks(void** state) {
  (void)state;
  double w = 2 * M_PI * 2, dt = 0.002, A = 0.9 * MU * G;
  for (int k = 0; k < NUM_SCHEMES; k++) {
    carom_sim_def def = simulation_def(SCHEMES[k].scheme, dt);
    simulation s = simulation_create(TABLE, &def);
    totals t = {0};
    double speed = 0;
    for (int i = 0; i < 400; i++) {
      speed = A / w * (1 - cos(w * (i + 0.5) * dt));
      drive(&s, "table", v3_make(speed, 0, 0), v3_zero());
      step(&s, &t);
      check_near(s.v[0], speed, 1e-6);
    }
    check_near(t.drive - t.lost, 0.5 * 2 * speed * speed, 1e-6);
    assert_true(t.unexplained < 1e-6);
    simulation_destroy(&s);
  }
}

/* Faster than friction can: v = mu g t, whatever the table does. */
static void test_shaken_slides(void** state) {
  (void)state;
  simulation s = simulation_create(TABLE, NULL);
  double dt = carom_sim_dt(s.sim);
  for (int i = 0; i < 200; i++) {
    drive(&s, "table", v3_make(8 * (i + 1) * dt, 0, 0), v3_zero());
    simulation_step(&s);
    check_near(s.v[0], MU * G * (i + 1) * dt, 1e-6);
    check_near(s.v[2], 0, 1e-6);
  }
  simulation_destroy(&s);
}

/* A lift faster than any overlap opens, that falls by less than g: the box stays on it, and the
 * drive lifts it. Schemes of order one have z ahead of v, by dt m g v / 2 of the energy at most. */
static void test_lift(void** state) {
  (void)state;
  for (int k = 0; k < NUM_SCHEMES; k++) {
    carom_sim_def def = simulation_def(SCHEMES[k].scheme, 0.002);
    simulation s = simulation_create(TABLE, &def);
    totals t = {0};
    double z = 0;
    for (int i = 0; i < 750; i++) {
      double speed = 2 * sin(M_PI * 0.002 * (i + 0.5));
      z += 0.002 * speed;
      drive(&s, "table", v3_make(0, 0, speed), v3_zero());
      step(&s, &t);
      check_near(s.q[2], 0.1 + z, SCHEMES[k].scheme == CAROM_MIDPOINT ? 2e-5 : 1e-9);
      check_near(s.v[2], speed, 1e-2);
    }
    double energy = 2 * (G * (s.q[2] - 0.1) + 0.5 * s.v[2] * s.v[2]);
    check_near(t.drive - t.lost, energy, 0.51 * 0.002 * 2 * G * fabs(s.v[2]));
    /* Symplectic Euler's is measured against its own energy, with weight half a step behind. */
    bool swings = SCHEMES[k].scheme == CAROM_SYMPLECTIC;
    assert_true(t.unexplained < (swings ? 0.5 * 0.002 * 2 * G * 2 : 1e-12));
    simulation_destroy(&s);
  }
}

/* A disc that turns about a point off its axis lifts a follower by e (1 - cos(w t)). */
static double run_cam(double dt) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  simulation s = simulation_create(
      "<mujoco><worldbody><body name='cam' mocap='true'><geom type='cylinder' size='.1 .05' "
      "pos='0 0 -.02' euler='90 0 0' friction='0'/></body><body name='f' pos='0 0 .13'>"
      "<joint type='slide' axis='0 0 1'/><geom type='box' size='.2 .05 .05' mass='1' friction='0'/>"
      "</body></worldbody></mujoco>",
      &def);
  double w = 5, worst = 0;
  drive(&s, "cam", v3_zero(), v3_make(0, -w, 0));
  while (carom_sim_time(s.sim) < 1.5) {
    simulation_step(&s);
    double t = carom_sim_time(s.sim);
    worst = fmax(worst, fabs(s.q[0] - 0.02 * (1 - cos(w * t))));
  }
  simulation_destroy(&s);
  return worst;
}

static void test_cam(void** state) {
  (void)state;
  double coarse = run_cam(0.004), fine = run_cam(0.002);
  print_message("cam: %.3g m at 4 ms, %.3g m at 2 ms\n", coarse, fine);
  assert_true(coarse < 1e-4 && fine < 0.6 * coarse);
}

/* A turntable takes a box around its axis. */
static void test_turntable(void** state) {
  (void)state;
  simulation s = simulation_create(TABLE, NULL);
  double dt = carom_sim_dt(s.sim);
  carom_error error;
  double q[14];
  memcpy(q, s.q, sizeof q);
  q[0] = 0.5;
  check_ok(carom_sim_set_state(s.sim, 0, q, NULL, &error), &error);
  double rate = 0;
  for (int i = 0; i < 1000; i++) {
    rate = fmin(2, 2 * i * dt);
    drive(&s, "table", v3_zero(), v3_make(0, 0, rate));
    simulation_step(&s);
  }
  check_near(hypot(s.q[0], s.q[1]), 0.5, 5e-3);
  check_near(hypot(s.v[0], s.v[1]), 0.5 * rate, 1e-2);
  check_near(s.v[5], rate, 1e-3);
  simulation_destroy(&s);
}

/* The velocity is a part of the state, beside what contacts remember: right away and of a box that
 * has stood for some steps. */
static void test_saved(void** state) {
  (void)state;
  for (int before = 0; before < 4; before++) {
    simulation s = simulation_create(TABLE, NULL);
    carom_error error;
    for (int i = 0; i < before; i++) simulation_step(&s);
    drive(&s, "table", v3_make(1, 0, 0.5), v3_make(0, 0, 1));
    simulation_step(&s);
    size_t size = carom_sim_state_size(s.sim);
    void* saved = malloc(size);
    carom_sim_save(s.sim, saved);
    for (int i = 0; i < 20; i++) simulation_step(&s);
    double z = s.q[2], x = s.q[0];
    drive(&s, "table", v3_zero(), v3_zero());
    simulation_step(&s);
    check_ok(carom_sim_restore(s.sim, saved, size, &error), &error);
    for (int i = 0; i < 20; i++) simulation_step(&s);
    assert_true(s.q[2] == z && s.q[0] == x);
    free(saved);
    simulation_destroy(&s);
  }
}

static void test_bad_input(void** state) {
  (void)state;
  simulation s = simulation_create(TABLE, NULL);
  carom_error error;
  const double bad[3] = {0, NAN, 0};
  int box = simulation_find_body(&s, "b"), table = simulation_find_body(&s, "table");
  assert_int_equal(carom_sim_set_motion(s.sim, box, NULL, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "motion: body 2 is no mocap body");
  assert_int_equal(carom_sim_set_motion(s.sim, 99, NULL, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_sim_set_motion(s.sim, table, bad, NULL, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_int_equal(carom_sim_set_motion(s.sim, table, NULL, bad, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conveyor),      cmocka_unit_test(test_shaken_sticks),
      cmocka_unit_test(test_shaken_slides), cmocka_unit_test(test_lift),
      cmocka_unit_test(test_cam),           cmocka_unit_test(test_turntable),
      cmocka_unit_test(test_saved),         cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
