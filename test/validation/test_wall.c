/* Dry walls in running bond on a table that is tilted in its plane: one collapses where no forces
 * at the ends of its joints, without tension and within friction, balance the weights: a linear
 * program, solved by `wall.py` beside this file. The program takes friction as associated, so that
 * it is an upper bound for walls that slide; below it forces that balance exist, and what starts at
 * rest stays. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST 16000

typedef struct wall {
  int rows, columns;
  double friction, tilt; /* degrees, by wall.py */
  carom_patches patches;
  bool has_neighbour; /* a block far off that slides from the start */
} wall;

static const wall ROCKS = {8, 4, 1, 43.791, CAROM_PATCHES_AREA, false};

/* The same blocks as tools/make_masonry writes, with gravity turned instead of the table. */
static void write_wall(const wall* w, double tilt, char* text) {
  int n = snprintf(text, MOST,
                   "<mujoco><option gravity='%.17g 0 %.17g'/><default><geom friction='%g' "
                   "density='2000'/></default><worldbody><geom type='plane' size='9 9 1'/>",
                   9.81 * sin(tilt), -9.81 * cos(tilt), w->friction);
  for (int row = 0; row < w->rows; row++) {
    int half = row % 2;
    for (int k = 0; k < w->columns + half; k++) {
      bool is_end = half && (k == 0 || k == w->columns);
      double x = (k - w->columns / 2. + 0.5) * 0.4 - half * 0.2;
      if (is_end) x += k == 0 ? 0.1 : -0.1;
      n += snprintf(
          text + n, (size_t)(MOST - n),
          "<body pos='%.17g 0 %.17g'><freejoint/><geom type='box' size='%g .1 .1'/></body>", x,
          0.1 + 0.2 * row, is_end ? 0.1 : 0.2);
    }
  }
  if (w->has_neighbour)
    n += snprintf(text + n, (size_t)(MOST - n),
                  "<body pos='0 50 .1'><freejoint/><geom type='box' size='.2 .1 .1'/></body>");
  snprintf(text + n, (size_t)(MOST - n), "</worldbody></mujoco>");
}

/* How far any block has moved after a second, or until it has fallen, m.
 * @param share of the tilt */
static double run(const wall* w, double share, carom_scheme scheme, carom_friction friction) {
  static char text[MOST];
  write_wall(w, share * w->tilt * M_PI / 180, text);
  carom_sim_def def = simulation_def(scheme, 0.002);
  def.friction = friction, def.patches = w->patches;
  simulation s = simulation_create(text, &def);
  int count = carom_model_get_sizes(s.model).num_q / 7;
  if (w->has_neighbour) {
    double v[6 * 80] = {0};
    v[6 * --count + 1] = 1;
    simulation_set(&s, NULL, v);
  }
  double start[7 * 80], worst = 0;
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
  print_message("%d x %d, friction %g, at %g: moved by %.3g m\n", w->rows, w->columns, w->friction,
                share, worst);
  return worst;
}

/* Stands at any tilt up to 2 % below, where it moves by what steps leave, and falls 2 % above. */
static void expect_tilt(const wall* w, carom_scheme scheme, carom_friction friction) {
  static const double below[] = {0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98};
  for (size_t i = 0; i < sizeof below / sizeof *below; i++)
    assert_true(run(w, below[i], scheme, friction) < 1e-7);
  assert_true(run(w, 1.02, scheme, friction) > 0.05);
}

static void test_schemes(void** state) {
  (void)state;
  expect_tilt(&ROCKS, CAROM_MIDPOINT, CAROM_FRICTION_COULOMB);
  expect_tilt(&ROCKS, CAROM_SYMPLECTIC, CAROM_FRICTION_COULOMB);
  expect_tilt(&ROCKS, CAROM_IMPLICIT, CAROM_FRICTION_COULOMB);
}

static void test_convex(void** state) {
  (void)state;
  expect_tilt(&ROCKS, CAROM_MIDPOINT, CAROM_FRICTION_CONVEX);
}

/* Walls whose blocks slide. */
static void test_sliding(void** state) {
  (void)state;
  static const wall walls[] = {{4, 4, 0.7, 33.5686, CAROM_PATCHES_AREA, false},
                               {8, 4, 0.7, 30.3962, CAROM_PATCHES_AREA, false},
                               {4, 4, 0.9, 39.5715, CAROM_PATCHES_AREA, false}};
  for (int i = 0; i < 3; i++) expect_tilt(&walls[i], CAROM_MIDPOINT, CAROM_FRICTION_COULOMB);
}

/* 75 blocks, which near their limit stand by forces that hardly any others are beside. */
static void test_large(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    wall w = {12, 6, 1, 41.911, k ? CAROM_PATCHES_CORNERS : CAROM_PATCHES_AREA, false};
    assert_true(run(&w, 0.98, CAROM_MIDPOINT, CAROM_FRICTION_COULOMB) < 1e-7);
    assert_true(run(&w, 1.02, CAROM_MIDPOINT, CAROM_FRICTION_COULOMB) > 0.05);
  }
}

/* What stands at the start does so whatever moves elsewhere. */
static void test_neighbour(void** state) {
  (void)state;
  wall w = {12, 6, 1, 41.911, CAROM_PATCHES_AREA, true};
  assert_true(run(&w, 0.98, CAROM_MIDPOINT, CAROM_FRICTION_COULOMB) < 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schemes), cmocka_unit_test(test_convex),
      cmocka_unit_test(test_large),   cmocka_unit_test(test_neighbour),
      cmocka_unit_test(test_sliding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
