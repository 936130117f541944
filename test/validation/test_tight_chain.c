/* Chains of light links that hold a heavy ball: they hang and swing with their energy, however
 * their links are held together. */
#include "support/check.h"
#include "support/scene.h"
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUM_LINKS 8
#define LENGTH    0.12
#define LIGHT     0.04
#define HEAVY     300.0

enum { CONNECT, DISTANCE, TENDON };

static const char* const JOINS[] = {
    "<connect site1='%s' site2='%s'/>",
    "<carom:distance body1='%s' body2='%s' anchor='0 0 0' carom:anchor2='0 0 0' distance='0.12'/>",
    "<spatial limited='true' range='0 0.12'><site site='%s'/><site site='%s'/></spatial>"};

/* Names of what holds link i (NUM_LINKS: the ball) from above, and of what it holds. */
static void name_ends(int kind, int i, char upper[20], char lower[20]) {
  const char* form = kind == CONNECT ? "b%d" : kind == DISTANCE ? "l%d" : "a%d";
  snprintf(upper, 20, form, i - 1);
  if (i == 0) snprintf(upper, 20, "%s", kind == DISTANCE ? "world" : "top");
  snprintf(lower, 20, kind == DISTANCE ? "l%d" : "a%d", i);
}

/* Hangs along -z; gravity is turned by 50 degrees. */
static void write_chain(int kind, char* text, size_t size) {
  size_t at = (size_t)snprintf(text, size,
                               "<mujoco><option gravity='-7.515 0 -6.306'/><default><geom "
                               "contype='0' conaffinity='0'/></default><worldbody><site "
                               "name='top'/>");
  for (int i = 0; i <= NUM_LINKS; i++) {
    bool is_ball = i == NUM_LINKS, is_long = kind == CONNECT && !is_ball;
    at += (size_t)snprintf(text + at, size - at, "<body name='l%d' pos='0 0 %g'><freejoint/>", i,
                           -(kind == CONNECT ? i : i + 1) * LENGTH);
    if (is_long)
      at += (size_t)snprintf(text + at, size - at,
                             "<geom type='capsule' fromto='0 0 0 0 0 -.12' size='.008' "
                             "mass='%g'/><site name='b%d' pos='0 0 -.12'/>",
                             LIGHT, i);
    else
      at += (size_t)snprintf(text + at, size - at, "<geom size='.03' mass='%g'/>",
                             is_ball ? HEAVY : LIGHT);
    at += (size_t)snprintf(text + at, size - at, "<site name='a%d'/></body>", i);
  }
  const char* part = kind == TENDON ? "tendon" : "equality";
  at += (size_t)snprintf(text + at, size - at, "</worldbody><%s>", part);
  for (int i = 0; i <= NUM_LINKS; i++) {
    char upper[20], lower[20];
    name_ends(kind, i, upper, lower);
    at += (size_t)snprintf(text + at, size - at, JOINS[kind], upper, lower);
  }
  snprintf(text + at, size - at, "</%s></mujoco>", part);
}

/* The energy of the swing is that of its drop, and the ball stays at its distance. */
static void test_swing(void** state) {
  (void)state;
  for (int kind = CONNECT; kind <= TENDON; kind++)
    for (int scheme = CAROM_SYMPLECTIC; scheme <= CAROM_MIDPOINT; scheme++) {
      char text[6000];
      write_chain(kind, text, sizeof text);
      carom_sim_def def = world_def(0.003, (carom_scheme)scheme);
      world w = world_create(text, &def);
      double length = (kind == CONNECT ? NUM_LINKS : NUM_LINKS + 1) * LENGTH;
      double start = world_energy(&w), drop = HEAVY * 9.81 * length * (1 - cos(50 * M_PI / 180));
      for (int i = 0; i < 800; i++) {
        world_step(&w);
        const double* ball = world_q(&w) + 7 * (size_t)NUM_LINKS;
        double reach = sqrt(ball[0] * ball[0] + ball[1] * ball[1] + ball[2] * ball[2]);
        check_near(reach, length, 2e-4);
        double gain = (world_energy(&w) - start) / drop;
        bool is_implicit = scheme == CAROM_IMPLICIT && kind != TENDON;
        assert_true(gain < 0.02 && gain > (is_implicit ? -0.5 : -0.02));
      }
      world_destroy(&w);
    }
}

/* Under the midpoint rule the swing keeps its energy to 1 in 1000. */
static void test_energy(void** state) {
  (void)state;
  char text[6000];
  write_chain(CONNECT, text, sizeof text);
  carom_sim_def def = world_def(0.002, CAROM_MIDPOINT);
  world w = world_create(text, &def);
  double start = world_energy(&w), drop = HEAVY * 9.81 * NUM_LINKS * LENGTH * 0.357;
  for (int i = 0; i < 1500; i++) {
    world_step(&w);
    check_near((world_energy(&w) - start) / drop, 0, 1e-3);
  }
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_swing), cmocka_unit_test(test_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
