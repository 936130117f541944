/* The scenes of soft bodies beside closed forms: the sag of a cantilever, bounces after Hertz with
 * a Kelvin-Voigt material, a stack's height, the torque of a twisted bar, how far a tyre rolls. */
#include "support/soft_world.h"

#include <math.h>

#define G 9.81

/* Sanitizers only see that scenes start, in test/cli/test_scenes.py. */
#define SKIP_WHERE_SLOW() \
  if (check_repeats(100) < 100) skip()

/* Under its own weight rho g A l⁴ / 8 EI and, by shear, rho g l² / 2 kappa G; with the large
 * rotations of the elastica, which take 0.02 mm, 29.645 mm. Linear tetrahedra are stiffer. */
static void test_cantilever(void** state) {
  (void)state;
  SKIP_WHERE_SLOW();
  static const struct {
    double y, most, least; /* y, and bounds of the sag over the exact one */
  } beam[] = {{-0.4, 0.2, 0.5}, {0, 0.8, 0.95}, {0.4, 0.995, 1}};
  const double exact = 0.02940963 + 1000 * G / (2 * 5. / 6 * 2.5e7);
  carom_sim_def options = world_def(0.04, CAROM_IMPLICIT);
  world w = soft_world_load("soft_cantilever.xml", &options);
  world_run(&w, 60);
  for (int k = 0; k < 3; k++) {
    double u[3];
    soft_world_displacement(&w, k, 0, 1, u);
    print_message("end %.3f mm down, %.2f %% of %.3f\n", -1e3 * u[2], -100 * u[2] / exact,
                  1e3 * exact);
    assert_true(-u[2] > beam[k].most * exact && -u[2] < beam[k].least * exact);
  }
  world_destroy(&w);
}

/* A ball of Kelvin-Voigt material pushes with k (d^1.5 + 1.5 beta d^0.5 d'), k = 4/3 E* R^0.5
 * (Hertz; Kuwabara and Kono 1987), until it would pull. Its greatest speed upwards over how fast it
 * came. */
static double rebound(const carom_soft_info* s, double radius, double beta, double speed) {
  const double h = 1e-5, k = 4. / 3 * s->young / (1 - s->poisson * s->poisson) * sqrt(radius);
  double d = 0, u = speed, most = 0;
  for (int i = 0; i < 20000 && d >= 0; i++) {
    double force = k * (pow(d, 1.5) + 1.5 * beta * sqrt(d) * u);
    if (force < 0) break;
    u += h * (G - force / s->mass);
    d += h * u;
    most = fmax(most, -u);
  }
  return most / speed;
}

/* Implicit Euler damps as dt of beta would. Hertz' theory is that of small dents and slow impacts;
 * here the dent is a fifth of the radius, and waves go 17 times as fast as the ball: a tenth. */
static void test_ball(void** state) {
  (void)state;
  SKIP_WHERE_SLOW();
  const double speed = 1, dt = 2e-3;
  carom_sim_def options = world_def(dt, CAROM_IMPLICIT);
  world w = soft_world_load("soft_ball.xml", &options);
  soft_world_throw(&w, (const double[3]){0, 0, -0.2999}, (const double[3]){0, 0, -speed});
  double x[3], v[3], most[3] = {0};
  for (int i = 0; i < 27; i++) {
    world_run(&w, 1);
    for (int k = 0; k < 3; k++) {
      soft_world_centre(&w, k, x, v);
      most[k] = fmax(most[k], v[2] / speed);
    }
  }
  for (int k = 0; k < 3; k++) {
    carom_soft_info s = carom_model_get_soft(w.model, k);
    double exact = rebound(&s, 0.1, s.beta + dt, speed);
    print_message("beta %g s: rebounds with %.3f of its speed, Hertz %.3f\n", s.beta, most[k],
                  exact);
    check_near(most[k], exact, 0.1);
  }
  world_destroy(&w);
}

/* Blocks of nu 0 shorten by what weighs on them, rho g h² / 2E + m g h / EA, if it weighs evenly;
 * faces that are turned to each other touch in points, on cells of a third of them: a twentieth. */
static void test_stack(void** state) {
  (void)state;
  SKIP_WHERE_SLOW();
  carom_sim_def options = world_def(0.02, CAROM_IMPLICIT);
  world w = soft_world_load("soft_stack.xml", &options);
  world_run(&w, 100);
  double sunk = 0.65 - world_q(&w)[2];
  double exact = 300 * G * 0.6 * 0.6 / (2 * 2e5) + 2 * G * 0.6 / (2e5 * 0.15 * 0.15);
  print_message("top %.3f mm down, evenly squeezed %.3f\n", 1e3 * sunk, 1e3 * exact);
  check_near(sunk, exact, 0.05 * exact);
  world_run(&w, 50);
  check_near(0.65 - world_q(&w)[2], sunk, 1e-6);
  check_near(hypot(world_q(&w)[0], world_q(&w)[1]), 0, 1e-5);
  world_destroy(&w);
}

/* Saint-Venant's torsion of a square bar; its ends cannot warp, over a length of about a tenth. */
static void test_twist(void** state) {
  (void)state;
  SKIP_WHERE_SLOW();
  carom_sim_def options = world_def(0.01, CAROM_IMPLICIT);
  world w = soft_world_load("soft_twist.xml", &options);
  world_run(&w, 100);
  int hinge = carom_model_find_joint(w.model, "turn");
  double angle = world_q(&w)[carom_model_get_joint(w.model, hinge).q_address];
  double torque = 6.2832 - 4 * angle;
  double exact = 0.140577 * 2e5 / 2.8 * pow(0.06, 4) * angle / 0.6;
  print_message("%.4f N m at %.4f rad, Saint-Venant %.4f\n", torque, angle, exact);
  check_near(angle, 0.5 * M_PI, 0.1);
  check_near(torque, exact, 0.04 * exact);
  world_destroy(&w);
}

/* A rigid wheel of these masses goes g sin / (1 + I / m r²) t² / 2 and turns by that over r. Rubber
 * that is damped, and facets that fall over their edges, make it slower. */
static void test_tyre(void** state) {
  (void)state;
  SKIP_WHERE_SLOW();
  const double outer = 0.2, inner = 0.12, slope = 5 * M_PI / 180, time = 1.6;
  carom_sim_def options = world_def(0.004, CAROM_IMPLICIT);
  world w = soft_world_load("soft_tyre.xml", &options);
  const double start[3] = {world_q(&w)[0], world_q(&w)[1], world_q(&w)[2]};
  double tyre = carom_model_get_soft(w.model, 0).mass, hub = 2, turned = 0, way = 0;
  for (int i = 0; i < 400; i++) {
    world_run(&w, 1);
    turned += 0.004 * world_v(&w)[4];
  }
  for (int k = 0; k < 3; k++) way += pow(world_q(&w)[k] - start[k], 2);
  way = sqrt(way);
  double inertia = 0.5 * (tyre * (inner * inner + outer * outer) + hub * inner * inner);
  double rigid =
      0.5 * G * sin(slope) * time * time / (1 + inertia / ((tyre + hub) * outer * outer));
  print_message("rolls %.3f m, a rigid one %.3f; %.4f m a radian\n", way, rigid, way / turned);
  assert_true(way > 0.88 * rigid && way < rigid);
  check_near(way / turned, outer, 0.01 * outer);
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cantilever), cmocka_unit_test(test_ball), cmocka_unit_test(test_stack),
      cmocka_unit_test(test_twist),      cmocka_unit_test(test_tyre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
