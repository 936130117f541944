/* Static and dynamic friction: the coefficient mu_d + (mu_s - mu_d) exp(-(v / v_s)²) of the slip
 * before the step (docs/contact.md). */
#include "support/runge_kutta.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G       9.81
#define STATIC  0.6
#define DYNAMIC 0.4
#define SPEED   0.05 /* v_s, m/s */

/* A block of 1 kg on a plane inclined by alpha (gravity turned). */
static simulation start(double alpha, double dt, double speed) {
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%.17g 0 %.17g'/><default><geom friction='%g' "
           "carom:static_friction='%g' carom:stribeck_speed='%g'/></default><worldbody>"
           "<geom type='plane' size='99 99 1'/><body pos='0 0 0.05'><freejoint/>"
           "<geom type='box' size='0.2 0.2 0.05' mass='1'/></body></worldbody></mujoco>",
           G * sin(alpha), -G * cos(alpha), DYNAMIC, STATIC, speed);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  return simulation_create(text, &def);
}

/* It rests up to tan alpha = mu_s, between mu_d and mu_s once it rests, and goes on sliding where
 * it slides faster than the transition. */
static void test_threshold(void** state) {
  (void)state;
  static const double tangents[] = {0.41, 0.5, 0.599, 0.601};
  for (int i = 0; i < 4; i++)
    for (int moving = 0; moving < 2; moving++) {
      simulation s = start(atan(tangents[i]), 2e-3, SPEED);
      const double v[6] = {moving ? 1.0 : 0};
      simulation_set(&s, NULL, v);
      simulation_run_until(&s, 0.2);
      double alpha = atan(tangents[i]), a = G * (sin(alpha) - DYNAMIC * cos(alpha));
      if (moving)
        check_near(s.v[0], 1 + 0.2 * a, 1e-5);
      else if (tangents[i] < STATIC)
        check_near(s.v[0], 0, 1e-9);
      else
        assert_true(s.v[0] > 0);
      simulation_destroy(&s);
    }
}

/* dv/dt = -g mu(v). */
static void find_braking(const void* context, const double* v, double* rate) {
  (void)context;
  *rate = -G * (DYNAMIC + (STATIC - DYNAMIC) * exp(-*v * *v / (SPEED * SPEED)));
}

static double slow_down(double v, double duration) {
  runge_kutta(find_braking, NULL, 1, duration, 20000, &v);
  return v;
}

/* The coefficient of the slip before the step is late by half a step: in all dt/2 g (mu(v) -
 * mu(v0)). */
static void test_transition(void** state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    double dt = ldexp(4e-4, -k), v0 = 0.15, time = 0.032;
    simulation s = start(0, dt, SPEED);
    const double v[6] = {v0};
    simulation_set(&s, NULL, v);
    simulation_run_until(&s, time);
    double exact = slow_down(v0, time), late = 0.5 * dt * G * (STATIC - DYNAMIC);
    double share = exp(-exact * exact / (SPEED * SPEED)) - exp(-v0 * v0 / (SPEED * SPEED));
    check_near(s.v[0] - exact, late * share, 0.2 * late + 1e-6 * G * time);
    simulation_destroy(&s);
  }
}

/* Without a Stribeck speed the coefficient falls at once. */
static void test_step(void** state) {
  (void)state;
  double alpha = atan(0.62);
  simulation s = start(alpha, 1e-3, 0);
  simulation_run_until(&s, 0.1);
  double first = G * (sin(alpha) - STATIC * cos(alpha)),
         rest = G * (sin(alpha) - DYNAMIC * cos(alpha));
  check_near(s.v[0], first * 1e-3 + rest * 0.099, 1e-5);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threshold),
                                     cmocka_unit_test(test_transition),
                                     cmocka_unit_test(test_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
