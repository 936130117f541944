/* A semicircular arch of n voussoirs under its own weight stands where a line of thrust lies within
 * its thickness. The least thickness over the mean radius is the least t for which forces at the
 * corners of all joints, without tension and within friction, balance each voussoir, a trapezium: a
 * linear program, solved by `arch.py` beside this file. For many voussoirs it goes to Heyman's
 * 0.1075. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST 8000

static void append(char* text, const char* format, double x, double y, double z) {
  size_t used = strlen(text);
  snprintf(text + used, MOST - used, format, x, y, z);
}

/* An arch of mean radius 1 m on two springings. */
static void write_arch(int n, double thickness, char* text) {
  double step = M_PI / n, half = thickness / 2;
  strcpy(text, "<mujoco><asset><mesh name='m' vertex='");
  for (int k = 0; k < 8; k++) {
    double r = k & 1 ? 1 + half : 1 - half, a = k & 2 ? step / 2 : -step / 2;
    append(text, "%.17g %.17g %.17g ", r * sin(a), k & 4 ? 0.15 : -0.15, r * cos(a));
  }
  append(text, "'/></asset><worldbody>", 0, 0, 0);
  for (int side = -1; side <= 1; side += 2)
    append(text, "<geom type='box' size='%.17g .2 .05' pos='%.17g 0 %.17g' friction='.7'/>",
           thickness, side, -0.05);
  for (int i = 0; i < n; i++)
    append(text,
           "<body euler='0 %.17g 0'><freejoint/><geom type='mesh' mesh='m' density='2000' "
           "friction='.7'/></body>",
           (i + 0.5) * 180 / n - 90, 0, 0);
  append(text, "</worldbody></mujoco>", 0, 0, 0);
}

/* How far any voussoir has moved after a while, m. */
static double run(int n, double thickness) {
  char text[MOST] = "";
  write_arch(n, thickness, text);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.002);
  simulation s = simulation_create(text, &def);
  carom_step_report report; /* a heap that falls may take steps in parts */
  carom_error error;
  while (carom_sim_time(s.sim) < 2) check_ok(carom_sim_step(s.sim, &report, &error), &error);
  double worst = 0;
  for (int i = 0; i < n; i++)
    worst = fmax(worst, sqrt(pow(s.q[7 * i], 2) + pow(s.q[7 * i + 1], 2) + pow(s.q[7 * i + 2], 2)));
  simulation_destroy(&s);
  return worst;
}

static void test_least_thickness(void** state) {
  (void)state;
  static const struct {
    int n;
    double least; /* by arch.py */
  } ARCHES[] = {{9, 0.101526}, {15, 0.106068}, {27, 0.106721}};
  for (int k = 0; k < 3; k++) {
    double above = run(ARCHES[k].n, 1.003 * ARCHES[k].least);
    double below = run(ARCHES[k].n, 0.997 * ARCHES[k].least);
    print_message("%d voussoirs: %.3g m above, %.3g m below\n", ARCHES[k].n, above, below);
    assert_true(above < 1e-6);
    assert_true(below > 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_thickness)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
