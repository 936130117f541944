/* Balls and cylinders on slopes: they roll with a = g sin a / (1 + c), c = I/(m r²), when friction
 * reaches mu >= c/(1 + c) tan a, and slide with g (sin a - mu cos a) below that. An inclined sphere
 * with published bounds.
 *
 * Forces are constant, which the midpoint rule integrates exactly; what is left is the solver's
 * tolerance, relative to what a step's forces do: the arm of the contact is the radius, as it is at
 * the end of the step. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G         9.81
#define RADIUS    0.05
#define TOLERANCE 1e-6 /* of the solver: the default */

typedef struct slope {
  const char* geom;
  double degrees, friction, gravity;
  double stiffness; /* N/m; inf: rigid */
  double c;         /* I / (m r²) */
  double dt;
  carom_scheme scheme;
  int relinearise;
} slope;

static simulation start(const slope* c) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 %g'/><worldbody><frame euler='0 %.12g 0'>"
           "<geom type='plane' size='9 9 1' friction='0' carom:stiffness='%g'/>"
           "<body pos='0 0 %g'><freejoint/><geom friction='%.12g' mass='0.1' %s/></body>"
           "</frame></worldbody></mujoco>",
           -c->gravity, c->degrees, c->stiffness, RADIUS, c->friction, c->geom);
  carom_sim_def def = simulation_def(c->scheme, c->dt);
  def.relinearise = c->relinearise;
  return simulation_create(text, &def);
}

static double speed_along(const simulation* s, const slope* c) {
  double a = c->degrees * M_PI / 180;
  return s->v[0] * cos(a) - s->v[2] * sin(a);
}

static double expected_acceleration(const slope* c) {
  double a = c->degrees * M_PI / 180, needed = c->c / (1 + c->c) * tan(a);
  if (c->friction < needed) return c->gravity * (sin(a) - c->friction * cos(a));
  return c->gravity * sin(a) / (1 + c->c);
}

/* A second from rest. */
static void check_slope(const slope* c) {
  simulation s = start(c);
  simulation_run_until(&s, 1);
  double expected = expected_acceleration(c);
  check_near(speed_along(&s, c), expected, c->gravity * TOLERANCE);
  simulation_destroy(&s);
}

/* --- Rolling and sliding ------------------------------------------------------------------------
 */

static const slope BALL = {.geom = "type='sphere' size='0.05'",
                           .degrees = 30,
                           .gravity = G,
                           .stiffness = INFINITY,
                           .c = 0.4,
                           .scheme = CAROM_MIDPOINT};

static const slope CYLINDER = {.geom = "type='cylinder' size='0.05 0.08' euler='90 0 0'",
                               .degrees = 30,
                               .gravity = G,
                               .stiffness = INFINITY,
                               .c = 0.5,
                               .scheme = CAROM_MIDPOINT};

/* Beside the friction that rolling needs by 1e-4 of it, and far from it; with one
 * linearisation and two. */
static void check_frictions(slope c, double needed) {
  const double frictions[] = {0.1, needed * (1 - 1e-4), needed * (1 + 1e-4), 0.5, 2};
  check_near(c.c / (1 + c.c) * tan(M_PI / 6), needed, 5e-7);
  for (int i = 0; i < 5; i++)
    for (c.relinearise = 0; c.relinearise < 2; c.relinearise++)
      for (c.dt = 1e-2; c.dt > 1e-3; c.dt *= 0.5) {
        c.friction = frictions[i];
        check_slope(&c);
      }
}

static void test_ball(void** state) {
  (void)state;
  check_near(G * sin(M_PI / 6) / 1.4, 3.50357142857, 5e-12);
  check_frictions(BALL, 0.164957);
}

static void test_cylinder(void** state) {
  (void)state;
  check_near(G * sin(M_PI / 6) / 1.5, 3.27, 5e-12);
  check_frictions(CYLINDER, 0.192450);
}

/* Every scheme finds the same velocities: they do not depend on where forces are taken. Only the
 * midpoint's arm is short. */
static void test_every_scheme(void** state) {
  (void)state;
  for (int i = 0; i < NUM_SCHEMES; i++) {
    slope c = BALL;
    c.scheme = SCHEMES[i].scheme, c.friction = 0.5, c.dt = 1e-3, c.relinearise = 1;
    check_slope(&c);
  }
}

/* Rolling without slipping, friction does no work: the midpoint rule keeps the energy. Each step's
 * solution is off by the tolerance of g dt at the speed it has. */
static void test_rolling_keeps_energy(void** state) {
  (void)state;
  slope c = BALL;
  c.friction = 0.5, c.dt = 1e-2, c.relinearise = 1;
  simulation s = start(&c);
  double energy = simulation_compute_energy(&s);
  for (int i = 0; i < 200; i++) {
    simulation_step(&s);
    double change = 0.1 * G * c.dt * fabs(speed_along(&s, &c));
    double next = simulation_compute_energy(&s);
    check_near(next, energy, TOLERANCE * change);
    energy = next;
  }
  simulation_destroy(&s);
}

/* --- Published ----------------------------------------------------------------------------------
 */

/* Drake's inclined plane with sphere: 15 degrees, k = 1e7 N/m; its bound on the acceleration is
 * 5.5e-4 m/s². */
static void test_inclined_sphere(void** state) {
  (void)state;
  slope c = BALL;
  c.degrees = 15, c.stiffness = 1e7, c.friction = 0.5, c.dt = 1e-3, c.gravity = G;
  simulation s = start(&c);
  simulation_run_until(&s, 1);
  check_near(speed_along(&s, &c), 1.8136, 5.5e-4);
  simulation_destroy(&s);
}

/* A small ball or cylinder that slides at first: of its speed 1 / (1 + c) is left, and no slip, as
 * long steps as it likes. */
static void check_billiard(const char* geom, double c, carom_scheme scheme, double dt) {
  const double r = 0.0125, v[6] = {1.7};
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='0.2'/>"
           "<body pos='0 0 %g'><freejoint/><geom friction='0.2' mass='0.06' %s/></body>"
           "</worldbody></mujoco>",
           r, geom);
  carom_sim_def def = simulation_def(scheme, dt);
  simulation s = simulation_create(text, &def);
  simulation_set(&s, NULL, v);
  simulation_run_until(&s, 2);
  check_near(s.v[0], 1.7 / (1 + c), 2e-9);
  check_near(s.v[0] - r * s.v[4], 0, 2e-9);
  simulation_destroy(&s);
}

static void test_billiard(void** state) {
  (void)state;
  const double dt[] = {1e-2, 4e-3};
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++)
    for (int k = 0; k < 2; k++) {
      check_billiard("size='.0125'", 0.4, (carom_scheme)scheme, dt[k]);
      /* What looks at the start of a step takes a rim that turns by 0.58 rad in it for a hexagon.
       */
      if (k == 0 && scheme <= CAROM_SYMPLECTIC) continue;
      check_billiard("type='cylinder' size='.0125 .03' euler='90 0 0'", 0.5, (carom_scheme)scheme,
                     dt[k]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_billiard),
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_cylinder),
      cmocka_unit_test(test_every_scheme),
      cmocka_unit_test(test_rolling_keeps_energy),
      cmocka_unit_test(test_inclined_sphere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
