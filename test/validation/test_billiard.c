/* A ball or a cylinder that is pushed without spin on a flat table slides, with friction, until it
 * rolls: v = v0 / (1 + I / (m r²)) from t = (v0 - v) / (mu g) on, whatever the friction. It never
 * leaves the table.
 *
 * While it slides, forces are constant and the midpoint rule is exact; the momentum about the
 * contact is kept by every solution of the contact problem, so that the final speed is as exact as
 * the balance of momentum. The step in which rolling begins moves it by the mean of both speeds: mu
 * g dt²/8 off at most. The solver's tolerance is relative to what a step's forces do.
 *
 * Distances are those of the free motion at mid step, where the ball has sunk by g dt²/4; the
 * contact acts half-way between the surfaces and so has an arm that is shorter by e = g dt²/(8 r)
 * of it, and the share v/v0 = a/(a + c), c = I/(m r²), a = (1 - e)², is lower for that. Linearised
 * anew at the solution, where the surfaces touch, the arm is right. */
#include "support/simulation.h"

#include <math.h>

#define G         9.81
#define MU        0.2
#define TOLERANCE 1e-6 /* of the solver: the default */

#define TABLE(body)                                                                    \
  "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='0.2'/>"                \
  "<body pos='0 0 0.05'><freejoint/><geom friction='0.2' mass='0.2' " body "/></body>" \
  "</worldbody></mujoco>"

#define BALL_ON_TABLE     TABLE("type='sphere' size='0.05'")
#define CYLINDER_ON_TABLE TABLE("type='cylinder' size='0.05 0.08' euler='90 0 0'")

typedef struct stroke {
  const char* scene;
  double v0, dt;
  int relinearise;
  double share; /* v / v0 when it rolls: 1/(1 + c) */
  double time;  /* when rolling starts at v0 = 1 */
} stroke;

static bool is_rolling(const simulation* s) {
  int count;
  const carom_contact* contacts = carom_sim_contacts(s->sim, &count);
  for (int i = 0; i < count; i++)
    if (contacts[i].state != CAROM_STICKING) return false;
  return count > 0;
}

/* How much lower the share is for an arm that is shorter by a part of it. */
static double share_lost(double share, double shorter) {
  double a = (1 - shorter) * (1 - shorter), c = 1 / share - 1;
  return share - a / (a + c);
}

static void check_stroke(const stroke* c) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, c->dt);
  def.relinearise = c->relinearise;
  simulation s = simulation_create(c->scene, &def);
  const double v[6] = {c->v0, 0, 0, 0, 0, 0};
  double rolling = c->share * c->v0, begin = c->v0 * c->time, started = -1;
  double slid = 0.5 * (c->v0 + rolling) * begin;
  simulation_set(&s, NULL, v);
  while (carom_sim_time(s.sim) < begin + 0.1) {
    simulation_step(&s);
    check_near(s.q[2], 0.05, 1e-6);
    if (started < 0 && is_rolling(&s)) started = carom_sim_time(s.sim);
  }
  double shorter = c->relinearise ? 0 : G * c->dt * c->dt / (8 * 0.05);
  double error = TOLERANCE * MU * G * begin + share_lost(c->share, shorter) * c->v0;
  check_near(started, begin + 0.5 * c->dt, 0.5 * c->dt + error / (MU * G));
  check_near(s.v[0], rolling, error);
  check_near(s.v[4], rolling / 0.05, (error + shorter * rolling) / 0.05);
  check_near(s.q[0] - rolling * (carom_sim_time(s.sim) - begin), slid,
             MU * G * c->dt * c->dt / 8 + error * (begin + 0.1));
  simulation_destroy(&s);
}

static void check_strokes(stroke c) {
  static const double speeds[] = {1, 5}, steps[] = {1e-2, 2e-3, 5e-4};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++)
      for (c.relinearise = 0; c.relinearise < 2; c.relinearise++) {
        c.v0 = speeds[i], c.dt = steps[k];
        check_stroke(&c);
      }
}

static void test_ball(void** state) {
  (void)state;
  double time = 2 / (7 * MU * G);
  check_near(time, 0.145623998835, 5e-13);
  check_near(0.5 * (1 + 5.0 / 7) * time, 0.124820570430, 5e-13);
  check_strokes((stroke){.scene = BALL_ON_TABLE, .share = 5.0 / 7, .time = time});
}

static void test_cylinder(void** state) {
  (void)state;
  double time = 1 / (3 * MU * G);
  check_near(time, 0.169894665308, 5e-13);
  check_strokes((stroke){.scene = CYLINDER_ON_TABLE, .share = 2.0 / 3, .time = time});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_cylinder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
