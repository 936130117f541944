/* Areas over which contacts press, as triangles: as large as the face that presses, holes and all,
 * with the force of the weight and its centre. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define G 9.81

static simulation settle(const char* text, carom_patches patches) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  def.patches = patches, def.sleep_share = 0;
  simulation s = simulation_create(text, &def);
  for (int i = 0; i < 300; i++) simulation_step(&s);
  return s;
}

/* A frame with a hole, a ring of four corners outside and inside, above and below. */
static const char FRAME_MESH[] =
    "<mesh name='frame' carom:convex='false' inertia='exact' vertex='.1 .1 -.01 -.1 .1 -.01 -.1 "
    "-.1 "
    "-.01 .1 -.1 -.01 .06 .06 -.01 -.06 .06 -.01 -.06 -.06 -.01 .06 -.06 -.01 .1 .1 .01 -.1 .1 .01 "
    "-.1 -.1 .01 .1 -.1 .01 .06 .06 .01 -.06 .06 .01 -.06 -.06 .01 .06 -.06 .01' face='";

/* A body of 2 kg at rest on a plane. */
static simulation rest(const char* geom, double height, carom_patches patches) {
  char text[3000], faces[1000], *at = faces;
  for (int i = 0; i < 4; i++) {
    int k = (i + 1) % 4;
    const int quads[4][4] = {{i, i + 4, k + 4, k},
                             {i + 8, k + 8, k + 12, i + 12},
                             {i, k, k + 8, i + 8},
                             {i + 4, i + 12, k + 12, k + 4}};
    for (int j = 0; j < 4; j++)
      at += sprintf(at, "%d %d %d %d %d %d ", quads[j][0], quads[j][1], quads[j][2], quads[j][0],
                    quads[j][2], quads[j][3]);
  }
  snprintf(text, sizeof text,
           "<mujoco xmlns:carom='c'><option gravity='0 0 -9.81'/><asset>%s%s'/></asset><worldbody>"
           "<geom type='plane' size='9 9 1'/><body pos='.3 -.2 %.9g'><freejoint/><geom mass='2' "
           "%s/></body></worldbody></mujoco>",
           FRAME_MESH, faces, height, geom);
  return settle(text, patches);
}

typedef struct total {
  int count;
  double area, force; /* m², N */
  double center[2];   /* m, of the pressure, from the body's axis */
  double near, far;   /* m: the nearest and the farthest corner from the body's axis */
  double most;        /* Pa */
} total;

static total sum(const simulation* s) {
  const carom_pressure_triangle* t;
  carom_error error;
  total sum = {.near = INFINITY};
  check_ok(carom_sim_list_pressure(s->sim, &t, &sum.count, &error), &error);
  for (int i = 0; i < sum.count; i++) {
    const double(*x)[4] = t[i].corner;
    double area =
        ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0])) / 2;
    double p = x[0][3] + x[1][3] + x[2][3];
    assert_true(area > 0);
    sum.area += area;
    sum.force += area * p / 3;
    for (int k = 0; k < 3; k++) {
      assert_true(x[k][3] >= 0);
      double r = hypot(x[k][0] - s->q[0], x[k][1] - s->q[1]);
      sum.far = fmax(sum.far, r), sum.near = fmin(sum.near, r);
      sum.most = fmax(sum.most, x[k][3]);
      for (int a = 0; a < 2; a++) sum.center[a] += area / 12 * (p + x[k][3]) * (x[k][a] - s->q[a]);
    }
  }
  for (int a = 0; a < 2; a++) sum.center[a] /= sum.force;
  return sum;
}

static total check_total(const char* geom, double height, carom_patches patches, double area,
                         double tolerance) {
  simulation s = rest(geom, height, patches);
  total t = sum(&s);
  print_message("%s: %d triangles, area %.6f of the face, force %.6f of the weight\n", geom,
                t.count, t.area / area, t.force / (2 * G));
  check_near(t.area / area, 1, tolerance);
  check_near(t.force / (2 * G), 1, 2 * tolerance);
  simulation_destroy(&s);
  return t;
}

static void test_areas(void** state) {
  (void)state;
  total square = check_total("type='box' size='.1 .1 .05'", 0.05, CAROM_PATCHES_AREA, 0.04, 1e-6);
  check_near(square.far, 0.1 * sqrt(2), 1e-6);
  assert_int_equal(square.count, 2);
  check_total("type='box' size='.2 .1 .05'", 0.05, CAROM_PATCHES_AREA, 0.08, 1e-6);
  total disc =
      check_total("type='cylinder' size='.1 .05'", 0.05, CAROM_PATCHES_AREA, M_PI * 0.01, 1e-6);
  check_near(disc.far, 0.1, 1e-3);
}

/* The pressure of the triangles at a place; NaN: it lies in none. */
static double pressure_at(const carom_pressure_triangle* t, int count, const double* x) {
  for (int i = 0; i < count; i++) {
    const double(*c)[4] = t[i].corner;
    double w[3], whole = 0, p = 0;
    for (int k = 0; k < 3; k++) {
      const double *a = c[(k + 1) % 3], *b = c[(k + 2) % 3];
      whole += w[k] = (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]);
    }
    for (int k = 0; k < 3; k++) p += w[k] / whole * c[k][3];
    if (fmin(w[0], fmin(w[1], w[2])) > -1e-9 * whole) return p;
  }
  return NAN;
}

/* A box of half the length a whose weight stands e from the middle, on ground that gives way,
 * presses over 3 (a - e) of its length, with a pressure that falls from its edge on: as far as few
 * points hold the moment, and with the pressure of each of them. */
static void test_lifted(void** state) {
  (void)state;
  static const double e = 0.05, a = 0.1;
  simulation s = settle(
      "<mujoco xmlns:carom='c'><option gravity='0 0 -9.81' "
      "carom:patch_error='0.02'/><worldbody><geom "
      "type='plane' size='9 9 1' carom:stiffness='1e6' carom:dissipation='0.02'/><body pos='0 0 "
      ".05'>"
      "<freejoint/><inertial pos='.05 0 0' mass='2' diaginertia='.01 .01 .01'/><geom type='box' "
      "size='.1 .1 .05'/></body></worldbody></mujoco>",
      CAROM_PATCHES_AREA);
  total t = sum(&s);
  double length = 3 * (a - e);
  print_message("lifted: area %.6f, force %.6f, most %.6f of what they should be\n",
                t.area / (2 * a * length), t.force / (2 * G), t.most * a * length / (2 * G));
  check_near(t.area / (2 * a * length), 1, 0.05);
  check_near(t.force / (2 * G), 1, 0.03);
  const carom_pressure_triangle* list;
  carom_error error;
  int count, num_points, compared = 0;
  const carom_contact* c = carom_sim_contacts(s.sim, &num_points);
  check_ok(carom_sim_list_pressure(s.sim, &list, &count, &error), &error);
  for (int i = 0; i < num_points; i++) {
    double p = c[i].impulse[2] / 1e-3 / c[i].area;
    double found = pressure_at(list, count, c[i].position);
    if (p > 0) check_near(found / t.most, p / t.most, 1e-5);
    if (!(p > 0)) assert_true(!(found > 1e-5 * t.most));
    compared += p > 0;
  }
  assert_true(compared > 4 && compared < num_points);
  simulation_destroy(&s);
}

/* A frame of four beams, a surface, with a square hole of half the width 0.06. */
static void test_hole(void** state) {
  (void)state;
  static const char FRAME[] = "type='mesh' mesh='frame'";
  simulation s = rest(FRAME, 0.01, CAROM_PATCHES_AREA);
  total t = sum(&s);
  print_message("frame: %d triangles, area %.6f of the face, force %.6f\n", t.count,
                t.area / (4 * (0.01 - 0.0036)), t.force / (2 * G));
  check_near(t.area, 4 * (0.01 - 0.0036), 1e-9);
  check_near(t.force / (2 * G), 1, 1e-6);
  check_near(t.near, 0.06 * sqrt(2), 1e-6);
  simulation_destroy(&s);
}

/* Of pressure fields the surface itself: of a box over the whole face, but for the rim, of a ball
 * as large as where it is cut by the plane, and most in the middle: p = E depth / radius there. */
static void test_fields(void** state) {
  (void)state;
  check_total("type='box' size='.1 .1 .05' carom:modulus='1e6'", 0.05, CAROM_PATCHES_CORNERS, 0.04,
              2e-3);
  check_total("type='cylinder' size='.1 .05' carom:modulus='1e6'", 0.05, CAROM_PATCHES_CORNERS,
              M_PI * 0.01, 0.01);
  simulation s = rest("type='sphere' size='.1' carom:modulus='1e5' carom:dissipation='.05'", 0.0921,
                      CAROM_PATCHES_CORNERS);
  total t = sum(&s);
  double depth = 0.1 - s.q[2];
  print_message("ball: %d triangles, area %.4f, force %.4f, most %.4f\n", t.count,
                t.area / (M_PI * (0.2 * depth - depth * depth)), t.force / (2 * G),
                t.most / (1e5 * depth / 0.1));
  check_near(t.area / (M_PI * (0.2 * depth - depth * depth)), 1, 0.02);
  check_near(t.force / (2 * G), 1, 0.02);
  check_near(t.most / (1e5 * depth / 0.1), 1, 0.05); /* corners of facets stand out */
  simulation_destroy(&s);
}

/* Corners stand for no area. */
static void test_none(void** state) {
  (void)state;
  simulation s = rest("type='box' size='.1 .1 .05'", 0.05, CAROM_PATCHES_CORNERS);
  assert_int_equal(sum(&s).count, 0);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_areas),  cmocka_unit_test(test_lifted), cmocka_unit_test(test_hole),
      cmocka_unit_test(test_fields), cmocka_unit_test(test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
