/* A ball that hits a spring and damper in parallel which never pull (Kelvin and Voigt, f >= 0). It
 * leaves when the force is zero, at the phase 2 acos(zeta) of the damped motion, with
 *
 *     e = exp(-2 zeta acos(zeta) / sqrt(1 - zeta²)),    zeta = tau w0 / 2,  w0² = k / m.
 *
 * Errors of the midpoint rule with contacts at the scheme's own timing: (w0 dt)²/12 per radian of
 * the contact's pi or less, and half (w0 dt)² in the step in which the force ends. Where the ball
 * touches within a step, its damping force k tau v starts up to a step early or late: 2 zeta w0 dt.
 * Contacts at the end of the step add a damping ratio of w0 dt/4, and e falls with it by pi at
 * most. Each of the pi / (w0 dt) steps is solved to the tolerance of what it does, w0 dt. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define RATE 100.0 /* w0, 1/s: 1 kg on 1e4 N/m */

typedef struct bounce {
  double zeta, dt;
  double start; /* m above touch */
  double friction;
  carom_contact_timing timing;
} bounce;

/* Speed after the contact over that before; no gravity. */
static double find_restitution(const bounce* b) {
  char text[512];
  snprintf(
      text, sizeof text,
      "<mujoco><option gravity='0 0 0'/><worldbody><geom type='plane' size='1 1 1' friction='0'/>"
      "<body pos='0 0 %.15g'><freejoint/><geom size='0.1' mass='1' friction='%g' "
      "carom:stiffness='1e4' carom:dissipation='%.15g'/></body></worldbody></mujoco>",
      0.1 + b->start, b->friction, 2 * b->zeta / RATE);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, b->dt);
  def.contact = b->timing;
  simulation s = simulation_create(text, &def);
  const double v[6] = {0, 0, -1, 0, 0, 0};
  simulation_set(&s, NULL, v);
  while (s.q[2] <= 0.1 + b->start && carom_sim_time(s.sim) < 1) simulation_step(&s);
  double e = s.v[2];
  simulation_destroy(&s);
  return e;
}

static double error_bound(const bounce* b) {
  double z = RATE * b->dt, bound = z * z + M_PI * 1e-6;
  if (b->start > 0) bound += 2 * b->zeta * z;
  return b->timing == CAROM_CONTACT_SCHEME ? bound : bound + M_PI / 4 * z;
}

/* From touch, or from 1.37 mm above it, which is no whole number of steps. */
static void check_bounces(double friction, carom_contact_timing timing) {
  static const double known[][2] = {
      {0, 1}, {0.01, 0.9692647505}, {0.1, 0.7440793977}, {0.3, 0.4509754529}, {0.7, 0.2102845644}};
  for (int i = 0; i < 5; i++) {
    double zeta = known[i][0], e = exp(-2 * zeta * acos(zeta) / sqrt(1 - zeta * zeta));
    check_near(e, known[i][1], 5e-11);
    for (int above = 0; above < 2; above++)
      for (int k = 0; k < 2 + check_repeats(4); k++) {
        bounce b = {zeta, ldexp(4e-4, -k), above ? 1.37e-3 : 0, friction, timing};
        check_near(find_restitution(&b), e, error_bound(&b));
      }
  }
}

static void test_without_friction(void** state) {
  (void)state;
  check_bounces(0, CAROM_CONTACT_SCHEME);
  check_bounces(0, CAROM_CONTACT_IMPLICIT);
}

/* Friction has nothing to do in a straight fall. */
static void test_with_friction(void** state) {
  (void)state;
  check_bounces(1, CAROM_CONTACT_SCHEME);
  check_bounces(1, CAROM_CONTACT_IMPLICIT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_without_friction),
      cmocka_unit_test(test_with_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
