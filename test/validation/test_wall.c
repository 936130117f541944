/* A dry wall in running bond on a table that is tilted in its plane: it collapses where no forces
 * at the ends of its joints, without tension and within friction, balance the weights: a linear
 * program, solved by `wall.py` beside this file. The program takes friction as associated, so that
 * it is an upper bound; with a friction of 1 blocks hardly slide, and it is within 2 % of where the
 * wall falls. (Of the same wall with a friction of 0.7, where they do, it is 3 to 6 % above that.)
 */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS    8
#define COLUMNS 4
#define TILT    43.791 /* degrees, by wall.py */
#define MOST    16000

/* The same blocks as tools/make_masonry writes, with gravity turned instead of the table. */
static void write_wall(double tilt, char* text) {
  int n = snprintf(text, MOST,
                   "<mujoco><option gravity='%.17g 0 %.17g'/><default><geom friction='1' "
                   "density='2000'/></default><worldbody><geom type='plane' size='9 9 1'/>",
                   9.81 * sin(tilt), -9.81 * cos(tilt));
  for (int row = 0; row < ROWS; row++) {
    int half = row % 2;
    for (int k = 0; k < COLUMNS + half; k++) {
      bool is_end = half && (k == 0 || k == COLUMNS);
      double x = (k - COLUMNS / 2. + 0.5) * 0.4 - half * 0.2;
      if (is_end) x += k == 0 ? 0.1 : -0.1;
      n += snprintf(
          text + n, (size_t)(MOST - n),
          "<body pos='%.17g 0 %.17g'><freejoint/><geom type='box' size='%g .1 .1'/></body>", x,
          0.1 + 0.2 * row, is_end ? 0.1 : 0.2);
    }
  }
  snprintf(text + n, (size_t)(MOST - n), "</worldbody></mujoco>");
}

/* How far any block has moved after a while, m. */
static double run(double tilt) {
  static char text[MOST];
  write_wall(tilt, text);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.002);
  simulation s = simulation_create(text, &def);
  int count = carom_model_get_sizes(s.model).num_q / 7;
  double start[7 * 64], worst = 0;
  memcpy(start, carom_sim_coordinates(s.sim), sizeof(double) * 7 * (size_t)count);
  carom_step_report report; /* a heap that falls may take steps in parts */
  carom_error error;
  while (carom_sim_time(s.sim) < 1 && worst < 0.1) {
    check_ok(carom_sim_step(s.sim, &report, &error), &error);
    const double* q = carom_sim_coordinates(s.sim);
    for (int i = 0; i < 7 * count; i++)
      if (i % 7 < 3) worst = fmax(worst, fabs(q[i] - start[i]));
  }
  simulation_destroy(&s);
  return worst;
}

static void test_tilt(void** state) {
  (void)state;
  double below = run(0.98 * TILT * M_PI / 180), above = run(1.02 * TILT * M_PI / 180);
  print_message("moved by %.3g m below, %.3g m above\n", below, above);
  assert_true(below < 1e-5);
  assert_true(above > 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tilt)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
