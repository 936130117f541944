/* Torsional and rolling friction in closed form (g = 9.81 m/s²): a sphere that spins on the spot,
 * one that rolls out, a patch under a moment, and what it does to a sphere on a slope.
 *
 * A contact of one elliptic cone with the semi-axes mu, mu_t, mu_r (docs/contact.md) slides in
 * proportion to its impulses over their semi-axes squared. */
#include "math/quat.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G         9.81
#define RADIUS    0.05
#define TOLERANCE 1e-6 /* of the solver: the default */
#define DT        1e-3

/* A solid sphere of 1 kg on a plane inclined by `slope` (gravity turned), condim 4 or 6. */
static simulation start(double slope, int condim, double torsion, double rolling,
                        carom_friction law) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%.17g 0 %.17g'/>"
           "<default><geom friction='0.8 %g %g' condim='%d'/></default><worldbody>"
           "<geom type='plane' size='9 9 1'/><body pos='0 0 0.05'><freejoint/>"
           "<geom size='0.05' mass='1'/></body></worldbody></mujoco>",
           G * sin(slope), -G * cos(slope), torsion, rolling, condim);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
  def.friction = law;
  return simulation_create(text, &def);
}

static void set_velocity(simulation* s, double vx, double wy, double wz) {
  const double v[6] = {vx, 0, 0, 0, wy, wz};
  simulation_set(s, NULL, v);
}

/* Spins down at mu_t g m / I and then stands: w = 30 - 98.1 t, still from 0.30581 s on, under every
 * law of friction but the convex one, which throws what spins on torsional friction as it throws
 * what slides. Each step is solved to the tolerance of g dt, as an angular velocity over the length
 * mu_t / mu; lagged friction has the bound of the step before. */
static void test_spin_down(void** state) {
  (void)state;
  static const carom_friction laws[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_LAGGED,
                                        CAROM_FRICTION_ANCHORED};
  double inertia = 0.4 * RADIUS * RADIUS, torsion = 0.01, rate = torsion * G / inertia;
  double solved = TOLERANCE * G / (torsion / 0.8);
  for (int k = 0; k < 6; k++) {
    simulation s = start(0, k % 2 ? 6 : 4, torsion, 0.002, laws[k / 2]);
    set_velocity(&s, 0, 0, 30);
    for (int i = 1; i <= 350; i++) {
      simulation_step(&s);
      double t = carom_sim_time(s.sim), expected = fmax(30 - rate * t, 0);
      check_near(s.v[5], expected, solved * t);
      check_near(hypot(s.v[0], s.v[1]), 0, TOLERANCE * G * t);
    }
    simulation_destroy(&s);
  }
}

/* Rolls out at (5/7) mu_r g / r: the moment mu_r N slows the spin, friction the centre. Friction is
 * f = m a, so that the cone leaves the moment sqrt(1 - (f / mu N)²) of mu_r N, and the contact
 * slips by w (mu_r / mu)² (f / M), which takes the time (2/7) m w (mu_r / mu)² / M, 0.9 ms, to
 * build up. */
static void test_roll_out(void** state) {
  (void)state;
  double rolling = 0.001, a = 5.0 / 7 * rolling * G / RADIUS;
  simulation s = start(0, 6, 0.005, rolling, CAROM_FRICTION_COULOMB);
  set_velocity(&s, 1, 1 / RADIUS, 0);
  for (int i = 1; i <= 1000; i++) {
    simulation_step(&s);
    double t = carom_sim_time(s.sim), share = a / (0.8 * G);
    double slip = s.v[4] * (rolling / 0.8) * (rolling / 0.8) * a / (rolling * G);
    check_near(s.v[0], 1 - a * t, a * t * share * share + slip + TOLERANCE * G * t);
    if (i > 20) check_near(s.v[0] - RADIUS * s.v[4], slip, 1e-4 * slip + TOLERANCE * G * t);
  }
  simulation_run_until(&s, 8);
  assert_true(fabs(s.v[0]) <= 1e-6 && fabs(s.v[4]) <= 1e-4);
  simulation_destroy(&s);
}

/* A sphere rests on a slope up to tan alpha = mu_r / r, and rolls down at (5/7) g (sin alpha - cos
 * alpha mu_r / r) beyond. Rolling takes friction too, which leaves the share sqrt(1 - (tan
 * alpha/mu)²) and less of the moment at rest. */
static void test_rest_on_slope(void** state) {
  (void)state;
  double rolling = 0.005, alpha = atan(rolling / RADIUS);
  simulation rest = start(0.99 * alpha, 6, 0.005, rolling, CAROM_FRICTION_COULOMB);
  simulation roll = start(1.05 * alpha, 6, 0.005, rolling, CAROM_FRICTION_COULOMB);
  simulation_run_until(&rest, 2);
  simulation_run_until(&roll, 1);
  check_near(rest.v[0], 0, 1e-5);
  check_near(rest.q[0], 0, 1e-5);
  double beta = 1.05 * alpha, a = 5.0 / 7 * G * (sin(beta) - cos(beta) * rolling / RADIUS);
  double f = G * sin(beta) - a, share = f / (0.8 * G * cos(beta));
  double lost = 5.0 / 7 * G * rolling / RADIUS * 0.5 * share * share;
  check_near(roll.v[0], a + lost, 0.1 * lost + 0.02 * a);
  simulation_destroy(&rest);
  simulation_destroy(&roll);
}

/* A box of 2 kg, 0.2 m wide, on four corners of torsional friction under a moment: what it bears is
 * that of friction at the corners, mu m g r with their distance r, with each corner's own mu_t m g
 * / 4 beside it: for corners that turn about the middle the cone of a corner has the semi-axes mu
 * and mu_t, and together they bear m g sqrt((mu r)² + mu_t²). */
static void test_patch(void** state) {
  (void)state;
  const char* text = "<mujoco><option carom:patches='corners'/><default><geom friction='0.5 0.05 "
                     "0.0001' condim='4'/></default><worldbody>"
                     "<geom type='plane' size='9 9 1'/><body name='box' pos='0 0 0.1'><freejoint/>"
                     "<geom type='box' size='0.1 0.1 0.1' mass='2'/></body></worldbody></mujoco>";
  double r = 0.1 * sqrt(2), most = 2 * G * hypot(0.5 * r, 0.05), inertia = 2.0 / 3 * 2 * 0.01;
  static const double shares[] = {0.5, 0.99, 1.01, 1.5};
  for (int i = 0; i < 4; i++) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
    simulation s = simulation_create(text, &def);
    const double force[3] = {0}, torque[3] = {0, 0, shares[i] * most};
    carom_error error;
    simulation_run_until(&s, 0.1);
    check_ok(carom_sim_set_wrench(s.sim, simulation_find_body(&s, "box"), force, torque, &error),
             &error);
    simulation_run_until(&s, 0.2);
    double expected = fmax(shares[i] - 1, 0) * most / inertia * 0.1;
    check_near(s.v[5], expected, 1e-5 * G / r);
    simulation_destroy(&s);
  }
}

/* Angular velocity in world axes: that of a free joint is in the body's. */
static v3 find_spin(const simulation* s) {
  return quat_rotate(quat_load(s->q + 3), v3_load(s->v + 3));
}

/* Impulse and moment of a contact are what acts: the sphere's momentum changes by them and weight.
 */
static void test_reported_moment(void** state) {
  (void)state;
  simulation s = start(0, 6, 0.01, 0.002, CAROM_FRICTION_COULOMB);
  set_velocity(&s, 0.5, 10, 7);
  for (int i = 0; i < 100; i++) {
    v3 v0 = v3_load(s.v), w0 = find_spin(&s);
    int count;
    simulation_step(&s);
    const carom_contact* c = carom_sim_contacts(s.sim, &count);
    assert_int_equal(count, 1);
    double sign = c->normal[2] < 0 ? -1 : 1, inertia = 0.4 * RADIUS * RADIUS;
    v3 f = v3_scale(sign, v3_load(c->impulse)), m = v3_scale(sign, v3_load(c->moment));
    v3 dv = v3_sub(v3_load(s.v), v0), dw = v3_sub(find_spin(&s), w0);
    v3 about = v3_add(m, v3_cross(v3_make(0, 0, -RADIUS), f));
    check_near(f.x, dv.x, 1e-9);
    check_near(f.y, dv.y, 1e-9);
    /* A step turns what it changes by (w dt)²/8 more or less than the midpoint does. */
    double turn = DT * DT * v3_norm2(w0) / 8 * inertia * v3_norm(dw);
    check_near(v3_norm(v3_axpy(about, -inertia, dw)), 0, 1e-12 + turn);
  }
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spin_down),       cmocka_unit_test(test_roll_out),
      cmocka_unit_test(test_rest_on_slope),   cmocka_unit_test(test_patch),
      cmocka_unit_test(test_reported_moment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
