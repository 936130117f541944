/* Contacts of meshes that hold still: cans stand on them, rings hang in rings whatever corners
 * meet, and what starts sunk leaves as solids of the same shape do. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 60000

static void append(char* text, const char* format, double x, double y, double z) {
  size_t length = strlen(text);
  snprintf(text + length, TEXT - length, format, x, y, z);
}

/* --- Cans ---------------------------------------------------------------------------------------
 */

/* A block 1 x 0.8 x 0.3 whose upper side is at z = 0, in `n` by `n` cells on each, as a mesh. */
static void append_block(char* text, int n, bool is_convex) {
  append(text,
         is_convex ? "<mesh name='g' vertex='" : "<mesh name='g' carom:convex='false' vertex='", 0,
         0, 0);
  for (int i = 0; i < 2 * (n + 1) * (n + 1); i++) {
    int column = i % (n + 1), row = i / (n + 1) % (n + 1);
    append(text, "%.17g %.17g %.17g ", column * 1.0 / n - 0.5, row * 0.8 / n - 0.4,
           i < (n + 1) * (n + 1) ? -0.3 : 0);
  }
  append(text, "' inertia='exact' face='", 0, 0, 0);
  int layer = (n + 1) * (n + 1);
  for (int i = 0; i < n * n; i++) {
    int a = i / n * (n + 1) + i % n, b = a + 1, c = a + n + 2, d = a + n + 1;
    bool turn = i % 3 == 0; /* which diagonal */
    append(text, "%g %g %g ", layer + a, layer + b, layer + (turn ? c : d));
    append(text, "%g %g %g ", layer + (turn ? a : b), layer + c, layer + d);
    append(text, "%g %g %g ", a, c, b);
    append(text, "%g %g %g ", a, d, c);
  }
  for (int k = 0; k < 4 * n; k++) { /* around, from corner to corner */
    int at[2];
    for (int e = 0; e < 2; e++) {
      int side = (k + e) / n % 4, i = (k + e) % n;
      int column = side == 0 ? i : side == 1 ? n : side == 2 ? n - i : 0;
      int row = side == 0 ? 0 : side == 1 ? i : side == 2 ? n : n - i;
      at[e] = row * (n + 1) + column;
    }
    append(text, "%g %g %g ", at[0], at[1], layer + at[1]);
    append(text, "%g %g %g ", at[0], layer + at[1], layer + at[0]);
  }
  append(text, "'/>", 0, 0, 0);
}

/* A scene of a can on ground 0: hull, 1 to 3: surfaces, coarse to fine, 4, 5: height fields, all
 * turned by `slope` degrees about x. */
static simulation put_can(int ground, double slope, const double* size, double x, double y) {
  static const int CELLS[6] = {1, 1, 3, 9, 7, 40};
  char* text = malloc(TEXT);
  assert_non_null(text);
  text[0] = 0;
  append(text, "<mujoco><option timestep='0.004'/><asset>", 0, 0, 0);
  if (ground < 4) append_block(text, CELLS[ground], ground == 0);
  if (ground >= 4)
    append(text, "<hfield name='g' nrow='%g' ncol='%g' size='.5 .4 1 .3'/>", CELLS[ground] + 1,
           CELLS[ground] + 2, 0);
  append(text, "</asset><worldbody><body euler='%g 0 0'>", slope, 0, 0);
  append(text, ground < 4 ? "<geom type='mesh' mesh='g'/>" : "<geom type='hfield' hfield='g'/>", 0,
         0, 0);
  double angle = slope * 0.017453292519943295, c = cos(angle), s = sin(angle);
  append(text, "</body><body pos='%.17g %.17g %.17g' ", x, y * c - size[1] * s,
         y * s + size[1] * c);
  append(text, "euler='%g 0 0'><freejoint/><geom type='cylinder' size='%g %g'/></body>", slope,
         size[0], size[1]);
  append(text, "</worldbody></mujoco>", 0, 0, 0);
  simulation out = simulation_create(text, NULL);
  free(text);
  return out;
}

static double find_speed2(const simulation* s) {
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += s->v[i] * s->v[i];
  return sum;
}

/* A can stands still on nine points of its area, level or on a slope that friction holds. */
static void test_cans_stand(void** state) {
  (void)state;
  static const double SIZE[3][2] = {{0.07, 0.05}, {0.2, 0.01}, {0.013, 0.02}};
  for (int i = 0; i < 36; i++) {
    simulation s = put_can(i % 6, i / 18 * 12.0, SIZE[i / 6 % 3], 0.043, -0.021);
    double start[3] = {s.q[0], s.q[1], s.q[2]};
    for (int step = 0; step < 250; step++) {
      simulation_step(&s);
      assert_int_equal(s.report.contacts, 9);
    }

    assert_true(find_speed2(&s) < 1e-10);
    check_near_array(s.q, start, 3, 1e-6);
    simulation_destroy(&s);
  }
}

/* A can at the edge of the ground stays while its middle is over it, by a 40th of its radius, and
 * falls while it is as far beyond. */
static void test_cans_at_an_edge(void** state) {
  (void)state;
  static const double SIZE[2] = {0.08, 0.06};
  for (int i = 0; i < 12; i++) {
    simulation s = put_can(i % 6, 0, SIZE, i < 6 ? 0.498 : 0.502, 0.05);
    simulation_run_until(&s, 1);
    if (i < 6)
      check_near(s.q[2], SIZE[1], 1e-6);
    else if (!(s.q[2] < 0))
      fail_msg("on ground %d the can stays, at %g", i % 6, s.q[2]);
    simulation_destroy(&s);
  }
}

/* --- Rings --------------------------------------------------------------------------------------
 */

/* A ring about z, of radius 0.1, `r` thick to either side, in `n` by `m` quads. */
static void append_ring(char* text, double r, int n, int m) {
  append(text, "<mesh name='r' carom:convex='false' inertia='exact' vertex='", 0, 0, 0);
  for (int i = 0; i < n * m; i++) {
    double u = 6.283185307179586 * (i / m) / n, w = 6.283185307179586 * (i % m) / m;
    double out = 0.1 + r * cos(w);
    append(text, "%.12g %.12g %.12g ", out * cos(u), out * sin(u), r * sin(w));
  }
  append(text, "' face='", 0, 0, 0);
  for (int i = 0; i < n * m; i++) {
    int a = i, b = (i + m) % (n * m), c = b / m * m + (b + 1) % m, d = a / m * m + (a + 1) % m;
    append(text, "%g %g %g ", a, b, c);
    append(text, "%g %g %g ", a, c, d);
  }
  append(text, "'/>", 0, 0, 0);
}

/* A ring that stands upright, turned by `spin` about its own axis and by `yaw` about z. */
static void append_pose(char* text, double spin, double yaw, double z) {
  double c = cos(yaw / 2), s = sin(yaw / 2), a = cos(spin / 2), b = sin(spin / 2);
  double h = 0.70710678118654752; /* about x by a quarter */
  append(text, "pos='0 0 %.12g' ", z, 0, 0);
  append(text, "quat='%.12g %.12g %.12g ", h * (c * a - s * b), h * (c * a + s * b),
         h * (s * a - c * b));
  append(text, "%.12g'", h * (s * a + c * b), 0, 0);
}

/* Links of a chain hang in each other, above all where corners of one meet corners of the other,
 * and sides of coarse ones, which are saddles all: none passes, and nothing gains energy. */
static void test_rings(void** state) {
  (void)state;
  check_random random = {71};
  for (int k = 0; k < check_repeats(60); k++) {
    int n = 6 + 2 * (k % 4), m = 5 + k % 3, links = 2 + k % 2;
    double r = 0.012 + 0.004 * (k % 5), step = 3.141592653589793 / n;
    bool is_aligned = k % 3 < 2;
    char* text = malloc(TEXT);
    assert_non_null(text);
    text[0] = 0;
    append(text, "<mujoco><option timestep='0.002'/><asset>", 0, 0, 0);
    append_ring(text, r, n, m);
    append(text, "</asset><worldbody><geom type='mesh' mesh='r' ", 0, 0, 0);
    append_pose(text, is_aligned ? step * (k % 2) : check_random_uniform(&random, 0, 6), 0, 0);
    append(text, "/>", 0, 0, 0);
    for (int i = 1; i <= links; i++) {
      double spin = is_aligned ? step * (k / 2 % 2) : check_random_uniform(&random, 0, 6);
      append(text, "<body ", 0, 0, 0);
      append_pose(text, spin, i % 2 * 1.5707963267948966, -i * 1.6 * (0.1 - r));
      append(text, "><freejoint/><geom type='mesh' mesh='r'/></body>", 0, 0, 0);
    }
    append(text, "</worldbody></mujoco>", 0, 0, 0);
    simulation s = simulation_create(text, NULL);
    free(text);
    double energy = simulation_compute_energy(&s);
    simulation_run_until(&s, 0.8);
    for (int i = 1; i <= links; i++) {
      double hang = 2 * i * (0.1 - r), z = s.q[7 * (i - 1) + 2];
      if (z < -1.15 * hang || z > -0.8 * hang) fail_msg("case %d: link %d at %g", k, i, z);
    }
    assert_true(simulation_compute_energy(&s) < energy);
    simulation_destroy(&s);
  }
}

/* Dropped rings of which corners meet corners touch along four edges at a time, so that nothing
 * turns them: they come to rest under each other. */
static void test_rings_at_rest(void** state) {
  (void)state;
  for (int scheme = CAROM_EXPLICIT; scheme <= CAROM_MIDPOINT; scheme++) {
    char* text = malloc(TEXT);
    assert_non_null(text);
    text[0] = 0;
    append(text, "<mujoco><asset>", 0, 0, 0);
    append_ring(text, 0.025, 16, 10);
    append(text, "</asset><worldbody><geom type='mesh' mesh='r' ", 0, 0, 0);
    append_pose(text, 0, 0, 0);
    append(text, "/>", 0, 0, 0);
    for (int i = 1; i <= 2; i++) {
      append(text, "<body ", 0, 0, 0);
      append_pose(text, 0, i % 2 * 1.5707963267948966, -i * 0.14);
      append(text, "><freejoint/><geom type='mesh' mesh='r'/></body>", 0, 0, 0);
    }
    append(text, "</worldbody></mujoco>", 0, 0, 0);
    carom_sim_def def = simulation_def((carom_scheme)scheme, 0.003);
    simulation s = simulation_create(text, &def);
    free(text);
    simulation_run_until(&s, 3);
    for (int i = 0; i < 12; i++) check_near(s.v[i], 0, 1e-5);
    for (int i = 0; i < 2; i++) check_near(s.q[7 * i + 2], -(i + 1) * 0.15, 1e-6);
    simulation_destroy(&s);
  }
}

/* --- Sunk ---------------------------------------------------------------------------------------
 */

#define FACES "face='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7'"

static void append_box(char* text, const double* half) {
  append(text, "carom:convex='false' inertia='exact' " FACES " scale='%g %g %g' ", half[0], half[1],
         half[2]);
  append(text, "vertex='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1'/>", 0, 0, 0);
}

/* Two boxes of 1 kg without gravity, as surfaces where the bits say so. */
static simulation overlap_boxes(const double half[2][3], const double* at, int as_surface) {
  static const double NONE[3] = {0};
  char* text = malloc(TEXT);
  assert_non_null(text);
  text[0] = 0;
  append(text, "<mujoco><option timestep='0.002' gravity='0 0 0'/><asset>", 0, 0, 0);
  append(text, "<mesh name='a' ", 0, 0, 0);
  append_box(text, half[0]);
  append(text, "<mesh name='b' ", 0, 0, 0);
  append_box(text, half[1]);
  append(text, "</asset><worldbody>", 0, 0, 0);
  for (int i = 0; i < 2; i++) {
    const double* x = i ? at : NONE;
    append(text, "<body pos='%g %g %g' ", x[0], x[1], x[2]);
    append(text, i ? "euler='1 2 10'><freejoint/>" : "><freejoint/>", 0, 0, 0);
    if (as_surface & 1 << i)
      append(text,
             i ? "<geom type='mesh' mesh='b' mass='1'/>" : "<geom type='mesh' mesh='a' mass='1'/>",
             0, 0, 0);
    else
      append(text, "<geom type='box' size='%g %g %g' mass='1'/>", half[i][0], half[i][1],
             half[i][2]);
    append(text, "</body>", 0, 0, 0);
  }
  append(text, "</worldbody></mujoco>", 0, 0, 0);
  simulation s = simulation_create(text, NULL);
  free(text);
  return s;
}

/* Boxes that start in each other by 10 % to all of one come apart along the axis along which
 * primitive boxes do, by more than they overlapped, with no more energy than twice that of 1 kg on
 * 1 kg at a recovery speed of 0.25 m/s. */
static void test_sunk(void** state) {
  (void)state;
  static const struct {
    double half[2][3], at[3];
    int axis;
    double overlap; /* m, along it */
  } CASES[] = {{{{0.12, 0.12, 0.1}, {0.1, 0.1, 0.1}}, {0.02, 0.01, 0.18}, 2, 0.02},
               {{{0.12, 0.12, 0.1}, {0.1, 0.1, 0.1}}, {0.02, 0.01, 0.12}, 2, 0.08},
               {{{0.12, 0.12, 0.1}, {0.1, 0.1, 0.1}}, {0.02, 0.01, 0.08}, 2, 0.12},
               {{{0.6, 0.5, 0.25}, {0.1, 0.1, 0.04}}, {0.1, -0.1, 0.16}, 2, 0.13},
               {{{0.2, 0.25, 0.2}, {0.5, 0.6, 0.012}}, {0.04, 0.02, 0.15}, 2, 0.062},
               {{{0.2, 0.25, 0.2}, {0.3, 0.3, 0.015}}, {0.46, 0.01, 0.03}, 0, 0.04}};
  const double most = 2 * 0.5 * 0.5 * 0.25 * 0.25;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    for (int as_surface = 0; as_surface < 4; as_surface++) {
      simulation s = overlap_boxes(CASES[i].half, CASES[i].at, as_surface);
      simulation_run_until(&s, 1.5);
      int axis = CASES[i].axis;
      double moved = s.q[7 + axis] - s.q[axis] - CASES[i].at[axis];
      double energy = simulation_compute_energy(&s);
      if (!(moved > CASES[i].overlap && energy < most))
        fail_msg("case %d, %d: by %g m, %g J", (int)i, as_surface, moved, energy);
      simulation_destroy(&s);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cans_stand), cmocka_unit_test(test_cans_at_an_edge),
      cmocka_unit_test(test_rings),      cmocka_unit_test(test_rings_at_rest),
      cmocka_unit_test(test_sunk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
