/* Bodies that spin and tip on the area of their foot (patches "area"), in closed form; g = 9.81
 * m/s². Under uniform pressure friction takes the moment mu m g <r> from a spin, <r> the mean
 * distance from the centroid, so that it slows by mu g <r> / k² with the radius of gyration k. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G     9.81
#define MU    0.5
#define DT    1e-3
#define PLANE "<geom type='plane' size='9 9 1'/>"
#define SLAB  "<geom type='box' size='2 2 0.5' pos='0 0 -0.5'/>"
#define SOFT  "<geom type='plane' size='9 9 1' carom:stiffness='1e5' carom:dissipation='0.01'/>"
#define PRISM "<geom type='mesh' mesh='prism' pos='0 0 -0.5'/>"

/* The mean distance of a rectangle with the half sides a and b from its middle. */
static double rectangle(double a, double b) {
  return hypot(a, b) / 3 + a * a / (6 * b) * asinh(b / a) + b * b / (6 * a) * asinh(a / b);
}

/* Of an equilateral triangle with the inradius h: over each of the six right triangles h³/6 (tan
 * sec + asinh tan) at 60 degrees, divided by their area h² tan / 2. */
static double triangle(double h) { return h / 3 * (2 * sqrt(3) + asinh(sqrt(3))) / sqrt(3); }

typedef struct foot {
  const char* name;
  const char* geom;
  double height;  /* m, of its middle over its foot */
  double square;  /* m², the radius of gyration squared */
  double mean;    /* m */
  double corners; /* mean distance of the corners alone, over `mean` */
  int points;
} foot;

static foot list_foot(int k) {
  const foot feet[] = {
      {"disc", "type='cylinder' size='0.1 0.01'", 0.01, 0.005, 0.2 / 3, 1.5, 9},
      {"square", "type='box' size='0.1 0.1 0.01'", 0.01, 0.02 / 3, rectangle(0.1, 0.1), 1.8482, 7},
      {"plate", "type='box' size='0.2 0.1 0.01'", 0.01, 0.05 / 3, rectangle(0.2, 0.1), 1.8846, 8},
      {"triangle", "type='mesh' mesh='wedge'", 0.01, 0.0025, triangle(0.05), 2.1736, 6},
      {"roller", "type='cylinder' size='0.02 0.1' euler='0 90 0'", 0.02, 0.0004 / 4 + 0.01 / 3,
       0.05, 2, 4},
  };
  return feet[k];
}
enum { NUM_FEET = 5 };

/* A body of 1 kg on its foot, on a ground. */
static simulation start(const foot* f, const char* ground, const carom_sim_def* def) {
  char text[2048];
  snprintf(text, sizeof text,
           "<mujoco xmlns:carom='urn:carom'><option gravity='0 0 -9.81'/><compiler angle='degree'/>"
           "<default><geom friction='0.5'/></default><asset><mesh name='wedge' vertex='0.1 0 -0.01 "
           "-0.05 0.0866025403784439 -0.01 -0.05 -0.0866025403784439 -0.01 0.1 0 0.01 "
           "-0.05 0.0866025403784439 0.01 -0.05 -0.0866025403784439 0.01'/><mesh name='prism' "
           "vertex='2 2 .5 -2 2 .5 -2 -2 .5 2 -2 .5 1 1 -.5 -1 1 -.5 -1 -1 -.5 1 -1 -.5'/></asset>"
           "<worldbody>%s<body pos='0 0 %.17g'><freejoint/><geom %s mass='1'/></body></worldbody>"
           "</mujoco>",
           ground, f->height, f->geom);
  return simulation_create(text, def);
}

/* How fast a spin of 20 rad/s slows over 50 steps, once the body has settled; destroys it. */
static double slow_down(simulation* s, carom_step_report* report) {
  const double v[6] = {0, 0, 0, 0, 0, 20};
  for (int i = 0; i < 200; i++) simulation_step(s);
  simulation_set(s, NULL, v);
  for (int i = 0; i < 5; i++) simulation_step(s);
  double before = s->v[5];
  for (int i = 0; i < 50; i++) simulation_step(s);
  double rate = (before - s->v[5]) / (50 * DT);
  check_near(hypot(s->v[0], s->v[1]), 0, 1e-3);
  *report = s->report;
  simulation_destroy(s);
  return rate;
}

/* The same of a foot. */
static double measure_rate(const foot* f, const char* ground, carom_patches patches,
                           carom_step_report* report) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
  def.patches = patches;
  simulation s = start(f, ground, &def);
  return slow_down(&s, report);
}

static void test_spin(void** state) {
  (void)state;
  static const char* const grounds[] = {PLANE, SLAB, PRISM, SOFT};
  for (int k = 0; k < NUM_FEET; k++)
    for (int i = 0; i < 4; i++) {
      foot f = list_foot(k);
      carom_step_report report;
      double expected = MU * G * f.mean / f.square;
      double rate = measure_rate(&f, grounds[i], CAROM_PATCHES_AREA, &report);
      print_message("%s on ground %d: %d points, %.5f of the closed form\n", f.name, i,
                    report.contacts, rate / expected);
      assert_int_equal(report.contacts, f.points);
      check_near(rate / expected, 1, 1e-4);
      assert_true(report.patch_error > 0.08 && report.patch_error <= 0.1);
    }
}

/* By the published model, whose normals give way a thousand times as much, pressure goes by the
 * weights, too. */
static void test_regularized(void** state) {
  (void)state;
  for (int k = 0; k < NUM_FEET; k++) {
    foot f = list_foot(k);
    carom_step_report report;
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
    def.patches = CAROM_PATCHES_AREA, def.sigma = 1e-3, def.beta = 1;
    simulation s = start(&f, PLANE, &def);
    double expected = MU * G * f.mean / f.square, rate = slow_down(&s, &report);
    print_message("%s by the published model: %.5f of the closed form\n", f.name, rate / expected);
    check_near(rate / expected, 1, 1e-4);
  }
}

/* A sliver, 0.2 m by 40 micrometres, tends to a line: half of its half length. */
static void test_sliver(void** state) {
  (void)state;
  static const char* const grounds[] = {PLANE, SLAB, PRISM};
  const foot wire = {"wire", "type='box' size='0.1 2e-5 2e-5'", 2e-5, 0.01 / 3, 0.05, 2, 8};
  for (int i = 0; i < 3; i++) {
    carom_step_report report;
    double rate = measure_rate(&wire, grounds[i], CAROM_PATCHES_AREA, &report);
    print_message("sliver on ground %d: %d points, %.5f of the closed form\n", i, report.contacts,
                  rate / (MU * G * wire.mean / wire.square));
    assert_int_equal(report.contacts, wire.points);
    check_near(rate / (MU * G * wire.mean / wire.square), 1, 1e-3);
  }
}

/* Corners alone brake far harder. */
static void test_corners(void** state) {
  (void)state;
  for (int k = 0; k < NUM_FEET; k++) {
    foot f = list_foot(k);
    carom_step_report report;
    double rate = measure_rate(&f, PLANE, CAROM_PATCHES_CORNERS, &report);
    check_near(rate / (MU * G * f.mean / f.square), f.corners, 1e-3);
    assert_true(report.patch_error == 0);
  }
}

/* A tube of the radii 0.1 and `hole`, 2 cm high, as a mesh of SEGMENTS: corners moved out so that
 * its rings have the area of circles. */
enum { SEGMENTS = 64 };
static int write_tube(double hole, char* text) {
  static const char* const quads = "%d %d %d %d %d %d ";
  double turn = 2 * M_PI / SEGMENTS, scale = sqrt(turn / sin(turn));
  char* at = text;
  at += sprintf(at, "<mesh name='tube' carom:convex='false' inertia='exact' vertex='");
  for (int i = 0; i < SEGMENTS; i++)
    for (int k = 0; k < 4; k++) {
      double r = scale * (k & 1 ? hole : 0.1), c = cos(i * turn), s = sin(i * turn);
      at += sprintf(at, "%.15g %.15g %g ", r * c, r * s, k & 2 ? 0.01 : -0.01);
    }
  at += sprintf(at, "' face='");
  for (int i = 0; i < SEGMENTS; i++) {
    int a = 4 * i, b = 4 * ((i + 1) % SEGMENTS); /* + 0: below, out; 1: in; 2: above, out; 3: in */
    at += sprintf(at, quads, a, b, b + 2, a, b + 2, a + 2);
    at += sprintf(at, quads, b + 1, a + 1, a + 3, b + 1, a + 3, b + 3);
    at += sprintf(at, quads, a + 1, b + 1, b, a + 1, b, a);
    at += sprintf(at, quads, a + 2, b + 2, b + 3, a + 2, b + 3, a + 3);
  }
  return (int)(at + sprintf(at, "'/>") - text);
}

/* Grounds: a hull, a surface, a height field that is level and one with a trench, 0.1 m wide. */
static int write_grounds(char* text) {
  char* at = text;
  at +=
      sprintf(at, "<mesh name='plate' vertex='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 0 1 -1 0 1 1 "
                  "0 -1 1 0 0 0 -1.2'/><mesh name='block' carom:convex='false' inertia='exact' "
                  "vertex='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 0 1 -1 0 1 1 0 -1 1 0' face='0 2 "
                  "1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7'/>"
                  "<hfield name='level' nrow='21' ncol='21' size='.5 .5 1 1'/>"
                  "<hfield name='trench' nrow='21' ncol='21' size='.5 .5 .02 1' elevation='");
  for (int i = 0; i < 21 * 21; i++) at += sprintf(at, "%d ", i % 21 != 10);
  return (int)(at + sprintf(at, "'/>") - text);
}

static simulation start_ring(const char* ground, const char* geom, double hole) {
  static char text[100000];
  char* at = text;
  at += sprintf(at, "<mujoco xmlns:carom='urn:carom'><option gravity='0 0 -9.81'/><default><geom "
                    "friction='0.5'/></default><asset>");
  at += write_tube(hole, at);
  at += write_grounds(at);
  sprintf(at,
          "</asset><worldbody>%s<body pos='0 0 0.01'><freejoint/><geom %s mass='1'/></body>"
          "</worldbody></mujoco>",
          ground, geom);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
  def.patches = CAROM_PATCHES_AREA;
  return simulation_create(text, &def);
}

/* A tube that spins on a ground, or a disc: by how much it slows, over what uniform pressure takes.
 * @param square m², of the radius of gyration; @param mean m, distance from the middle */
static double measure_ring(const char* ground, const char* geom, double hole, double square,
                           double mean, carom_step_report* report) {
  simulation s = start_ring(ground, geom, hole);
  return slow_down(&s, report) * square / (MU * G * mean);
}

/* Faces with holes: what a mesh that is not convex lies on, with at most twelve points. */
static void test_rings(void** state) {
  (void)state;
  static const char* const grounds[] = {PLANE,
                                        SLAB,
                                        "<geom type='cylinder' size='0.5 0.5' pos='0 0 -0.5'/>",
                                        "<geom type='mesh' mesh='plate'/>",
                                        "<geom type='hfield' hfield='level'/>",
                                        "<geom type='mesh' mesh='tube' pos='0 0 -0.01'/>"};
  static const double holes[] = {0.03, 0.06, 0.09};
  carom_step_report report;
  for (int k = 0; k < 3; k++) {
    double hole = holes[k], square = (0.01 + hole * hole) / 2;
    double mean = 2.0 / 3 * (1e-3 - pow(hole, 3)) / (0.01 - hole * hole);
    for (int i = 0; i < 6; i++) {
      if (k == 2 && i == 4) continue; /* as it turns points come and go */
      bool is_disc = i == 5;
      const char* geom = is_disc ? "type='cylinder' size='0.15 0.01'" : "type='mesh' mesh='tube'";
      double ratio =
          measure_ring(grounds[i], geom, hole, is_disc ? 0.15 * 0.15 / 2 : square, mean, &report);
      print_message("hole of %g on ground %d: %d points, %.5f of the closed form\n", hole, i,
                    report.contacts, ratio);
      check_near(ratio, 1, 3e-3);
      assert_in_range(report.contacts, 8, 12);
    }
  }
}

/* A tube on another mesh that is not convex, triangles on triangles, at rest: its points have the
 * ring's area and mean distance from the middle. */
static void test_ring_on_mesh(void** state) {
  (void)state;
  for (double hole = 0.03; hole < 0.1; hole += 0.03) {
    simulation s = start_ring("<geom type='mesh' mesh='block'/>", "type='mesh' mesh='tube'", hole);
    for (int i = 0; i < 20; i++) simulation_step(&s);
    int count;
    const carom_contact* c = carom_sim_contacts(s.sim, &count);
    double area = 0, reach = 0;
    for (int i = 0; i < count; i++) {
      area += c[i].area;
      reach += c[i].area * hypot(c[i].position[0], c[i].position[1]);
    }
    check_near(area / (M_PI * (0.01 - hole * hole)), 1, 1e-6);
    check_near(reach / (2 * M_PI / 3 * (1e-3 - pow(hole, 3))), 1, 2e-3);
    simulation_destroy(&s);
  }
}

/* Height fields: a disc on level ground, and over a trench, where it lies on the two segments of it
 * beyond d = 0.05 m, in half of each of which the angle goes to a = acos(d / r). */
static void test_trench(void** state) {
  (void)state;
  static const char DISC[] = "type='cylinder' size='0.15 0.01'";
  double r = 0.15, d = 0.05, a = acos(d / r), across = tan(a) / cos(a);
  double reach = 4.0 / 3 * (r * r * r * a - d * d * d / 2 * (across + log(tan(a) + 1 / cos(a))));
  double mean = reach / (2 * (r * r * a - d * sqrt(r * r - d * d)));
  carom_step_report report;
  double level = measure_ring("<geom type='hfield' hfield='level'/>", DISC, 0.05, r * r / 2,
                              2 * r / 3, &report);
  double over = measure_ring("<geom type='hfield' hfield='trench' pos='0 0 -0.02'/>", DISC, 0.05,
                             r * r / 2, mean, &report);
  print_message("disc on a height field: %.5f, over a trench with %d points %.5f of the closed "
                "form\n",
                level, report.contacts, over);
  check_near(level, 1, 1e-3);
  check_near(over, 1, 3e-3);
}

/* How far a box has turned after 1 s, whose weight falls `inside` (m) the edge of what it stands
 * on.
 */
static double tip(double inside, double tolerance) {
  char ground[128];
  snprintf(ground, sizeof ground, "<geom type='box' size='0.5 0.5 0.5' pos='%.17g 0 -0.5'/>",
           inside - 0.5);
  foot f = list_foot(1);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
  def.patches = CAROM_PATCHES_AREA, def.sleep_share = 0, def.tolerance = tolerance;
  simulation s = start(&f, ground, &def);
  simulation_run_until(&s, 1);
  double turned = 2 * fabs(s.q[5]);
  simulation_destroy(&s);
  return turned;
}

/* What stands on an area tips where it ends: its corners are points. A box that is put down flat
 * gives way by a few tolerances of g dt² in the first step, so that how close to the edge it stands
 * follows from the tolerance. A weight beyond the edge by d turns by more than 3/2 g d t² / (2 a²),
 * a = 0.1. */
static void test_tipping(void** state) {
  (void)state;
  assert_true(tip(1e-7, 1e-6) < 1e-7);
  assert_true(tip(-1e-7, 1e-6) > 7e-5);
  assert_true(tip(1e-9, 1e-8) < 1e-9);
  assert_true(tip(-1e-9, 1e-8) > 7e-7);
}

/* The largest of the pressures over the mean one, less one, once the box's weight has been borne
 * off its middle by `moment` (N m) for 20 steps and then in the middle again. */
static double find_unevenness(simulation* s, double moment) {
  const double none[3] = {0}, turn[3] = {0, moment, 0};
  carom_error error;
  int count;
  for (int i = 0; i < 21; i++) {
    check_ok(carom_sim_set_wrench(s->sim, 1, none, i < 20 ? turn : none, &error), &error);
    simulation_step(s);
  }
  const carom_contact* c = carom_sim_contacts(s->sim, &count);
  double most = 0, area = 0, sum = 0;
  for (int i = 0; i < count; i++) area += c[i].area, sum += c[i].impulse[2];
  for (int i = 0; i < count; i++)
    most = fmax(most, fabs(c[i].impulse[2] / c[i].area * area / sum - 1));
  return most;
}

/* An area bears what comes at once without giving way, to a few tolerances, and bears it as the
 * foundation does whatever it bore before: a third of its width off the middle, so that a half of
 * it bore nothing. */
static void test_load(void** state) {
  (void)state;
  for (int k = 0; k < NUM_FEET; k++) {
    foot f = list_foot(k);
    carom_sim_def def = simulation_def(CAROM_IMPLICIT, DT);
    def.patches = CAROM_PATCHES_AREA, def.sleep_share = 0;
    simulation s = start(&f, PLANE, &def);
    simulation_step(&s);
    for (int i = 0; i < 6; i++) check_near(s.v[i] * 0.02, 0, 1e-6 * G * DT);
    double uneven = find_unevenness(&s, k == 4 ? 0 : G * 0.06);
    print_message("%s: pressure uneven by %g\n", f.name, uneven);
    assert_true(uneven < 1e-3);
    simulation_destroy(&s);
  }
}

/* Twenty boxes on each other, each a centimetre off the one below, stand and gain nothing; what
 * they lose is what their areas give in the first step. */
static void test_stack(void** state) {
  (void)state;
  char text[8000], *at = text;
  at += sprintf(at, "<mujoco><worldbody><geom type='plane' size='9 9 1'/>");
  for (int i = 0; i < 20; i++)
    at += sprintf(at,
                  "<body pos='%g 0 %g'><freejoint/><geom type='box' size='.1 .1 .05' mass='1'/>"
                  "</body>",
                  0.01 * (i % 2), 0.05 + 0.1 * i);
  sprintf(at, "</worldbody></mujoco>");
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 5e-3);
  def.patches = CAROM_PATCHES_AREA, def.sleep_share = 0;
  simulation s = simulation_create(text, &def);
  double start_energy = simulation_compute_energy(&s), gain = 0;
  for (int i = 0; i < 200; i++) {
    simulation_step(&s);
    gain = fmax(gain, s.report.unexplained);
  }
  double lost = start_energy - simulation_compute_energy(&s);
  print_message("stack: %g J of %g lost, gain %g J\n", lost, start_energy, gain);
  assert_true(fabs(lost) < 1e-6 * start_energy && gain < 1e-12);
  simulation_destroy(&s);
}

/* A box on a slope that gives way so far that its upper edge lifts: it comes to rest. Over what is
 * left of the polygon it rocked for ever, as that took over all of the stiffness at once. */
static void test_lifted(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
  def.patches = CAROM_PATCHES_AREA, def.sleep_share = 0;
  simulation s = simulation_create(
      "<mujoco><option gravity='4 0 -9'/><worldbody><geom type='plane' size='9 9 1' "
      "carom:stiffness='1e4'/><body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' "
      "mass='1' friction='.9'/></body></worldbody></mujoco>",
      &def);
  simulation_run_until(&s, 4);
  int count;
  carom_sim_contacts(s.sim, &count);
  assert_in_range(count, 3, 6); /* of seven */
  for (int i = 0; i < 6; i++) check_near(s.v[i], 0, 1e-6);
  simulation_destroy(&s);
}

/* What falls flat by half a millimetre rests six steps after it has come down, however it is
 * stepped: nothing of what the area gives way by is taken back. */
static void test_landing(void** state) {
  (void)state;
  static const carom_scheme schemes[] = {CAROM_MIDPOINT, CAROM_SYMPLECTIC, CAROM_IMPLICIT};
  for (int k = 0; k < 3 * (NUM_FEET - 1); k++) {
    foot f = list_foot(k / 3);
    f.height += 5e-4;
    carom_sim_def def = simulation_def(schemes[k % 3], DT);
    def.patches = CAROM_PATCHES_AREA, def.sleep_share = 0;
    simulation s = start(&f, PLANE, &def);
    int count = 0, steps = 0;
    for (; steps < 100 && count == 0; steps++)
      simulation_step(&s), carom_sim_contacts(s.sim, &count);
    assert_in_range(steps, 2, 50);
    for (int i = 0; i < 6; i++) simulation_step(&s);
    for (int i = 0; i < 6; i++) check_near(s.v[i], 0, 1e-9);
    simulation_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lifted),       cmocka_unit_test(test_spin),
      cmocka_unit_test(test_regularized),  cmocka_unit_test(test_corners),
      cmocka_unit_test(test_sliver),       cmocka_unit_test(test_rings),
      cmocka_unit_test(test_ring_on_mesh), cmocka_unit_test(test_trench),
      cmocka_unit_test(test_tipping),      cmocka_unit_test(test_load),
      cmocka_unit_test(test_landing),      cmocka_unit_test(test_stack)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
