/* The capstan: a string over a drum holds ratios of its ends' forces up to exp(mu theta)
 * (Eytelwein). Here points on a drum with dry contact, joined by strings (tendons whose limit is
 * taut), each with the bend d: T1/T2 = ((1 + mu tan(d/2)) / (1 - mu tan(d/2)))^n, which goes to the
 * capstan's for small bends. */
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MOST = 24, ROOM = 16000 };

typedef struct text {
  char bytes[ROOM];
  int used;
} text;

#define PUT(t, ...) \
  ((t)->used += snprintf((t)->bytes + (t)->used, ROOM - (size_t)(t)->used, __VA_ARGS__))

static void put_point(text* t, int index, double x, double z) {
  PUT(t,
      "<body name='b%d' pos='%.17g 0 %.17g'><joint type='slide' axis='1 0 0'/>"
      "<joint type='slide' axis='0 0 1'/><geom size='.02' mass='.01' margin='.001' contype='2' "
      "conaffinity='1' "
      "friction='%g'/><site name='s%d'/></body>",
      index, x, z, 0.0, index);
}

/* Margins let all of the string take part from the first step on.
 * n points over the drum's upper half turn, and a weight at either end that slides along the last
 * string; motors pull at the weights. */
static void write_scene(int n, double mu, text* t) {
  double bend = PI / n, r = 0.52, chord = 2 * r * sin(bend / 2);
  t->used = 0;
  PUT(t,
      "<mujoco><option gravity='0 0 0'/><worldbody><geom type='cylinder' size='.5 1' "
      "euler='90 0 0' contype='1' conaffinity='2' friction='%g'/>",
      mu);
  for (int i = 0; i < n; i++) {
    double angle = (i + 0.5) * bend;
    put_point(t, i, r * cos(angle), r * sin(angle));
  }
  /* The end strings leave the first and the last point with the same bend, straight down. */
  for (int side = 0; side < 2; side++) {
    double x = (side ? -1 : 1) * r * cos(bend / 2), z = r * sin(bend / 2) - chord;
    PUT(t,
        "<body pos='%.17g 0 %.17g'><joint name='e%d' type='slide' axis='0 0 -1'/>"
        "<geom size='.02' mass='.1' contype='0' conaffinity='0'/><site name='w%d'/></body>",
        x, z, side, side);
  }
  PUT(t, "</worldbody><tendon>");
  for (int i = 0; i <= n; i++) {
    char from[16], to[16];
    snprintf(from, sizeof from, i == 0 ? "w0" : "s%d", i - 1);
    snprintf(to, sizeof to, i == n ? "w1" : "s%d", i);
    PUT(t,
        "<spatial range='0 %.17g' limited='true' margin='.001'><site site='%s'/><site "
        "site='%s'/></spatial>",
        chord, from, to);
  }
  PUT(t, "</tendon><actuator><motor joint='e0'/><motor joint='e1'/></actuator></mujoco>");
  assert_true(t->used < ROOM);
}

/* How fast the string runs after 0.1 s with the ends' forces in this ratio. */
static double run(int n, double mu, double ratio) {
  static text t;
  write_scene(n, mu, &t);
  carom_sim_def def = world_def(0.001, CAROM_MIDPOINT);
  def.tolerance = 1e-10;
  world w = world_create(t.bytes, &def);
  carom_sim_controls(w.sim)[0] = 10 * ratio;
  carom_sim_controls(w.sim)[1] = 10;
  world_run(&w, 100);
  double speed = world_v(&w)[2 * n];
  world_destroy(&w);
  return speed;
}

/* The ratio at which it begins to run. */
static double find_threshold(int n, double mu, double expected) {
  double low = 0.9 * expected, high = 1.1 * expected;
  for (int i = 0; i < 10; i++) {
    double middle = 0.5 * (low + high);
    if (run(n, mu, middle) > 1e-4)
      high = middle;
    else
      low = middle;
  }
  return 0.5 * (low + high);
}

static void test_ratio(void** state) {
  (void)state;
  for (int n = 6; n <= 24; n *= 2) {
    double mu = 0.3, share = mu * tan(PI / n / 2), exact = pow((1 + share) / (1 - share), n);
    double found = find_threshold(n, mu, exact);
    printf("%d points: ratio %.5f, of the polygon %.5f, of the capstan %.5f\n", n, found, exact,
           exp(mu * PI));
    check_near(found / exact, 1, 1e-3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ratio)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
