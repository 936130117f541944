/* Areas by few points: moments against closed forms and against integration over the area, the
 * limit surface of friction, extreme points, and what has no area. */
#include "geom/area.h"
#include "support/check.h"

#include <math.h>

enum { MOST = CR_AREA_CORNERS };

static const double square[4][2] = {{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}};
static const double plate[4][2] = {{1, 0.5}, {-1, 0.5}, {-1, -0.5}, {1, -0.5}};
static const double slat[4][2] = {{1, 0.1}, {-1, 0.1}, {-1, -0.1}, {1, -0.1}};
static const double triangle[3][2] = {{0, 0}, {3, 0}, {1, 2}};
static const double trapezium[4][2] = {{-2, -1}, {2, -1}, {1, 1}, {-1, 1}};
static const double kite[4][2] = {{-1, 0}, {0, -0.6}, {3, 0}, {0, 0.6}};
static const double chipped[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {0.8, -1}, {1, -0.8}};

typedef struct shape {
  const char* name;
  int count;
  const double (*corner)[2];
  int points;      /* of its rule for 0.1, */
  int many;        /* and for 0.02 */
  double gap, few; /* of the limit surface: what is measured, rounded up */
} shape;

static const shape shapes[] = {
    {"square", 4, square, 7, 16, 0.061, 0.01},        {"plate", 4, plate, 8, 16, 0.055, 0.015},
    {"slat", 4, slat, 8, 12, 0.045, 0.025},           {"triangle", 3, triangle, 7, 15, 0.05, 0.02},
    {"trapezium", 4, trapezium, 8, 16, 0.045, 0.016}, {"kite", 4, kite, 8, 16, 0.072, 0.03},
    {"chipped", 5, chipped, 8, 17, 0.06, 0.012},
};
enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };

typedef double integrand(const double* x, const void* data);

static double sum_rule(const cr_area_rule* rule, integrand* f, const void* data) {
  double sum = 0;
  for (int i = 0; i < rule->count; i++) sum += rule->point[i].weight * f(rule->point[i].x, data);
  return sum;
}

/* Mean over the triangle a b c: by its corners' middles where quarters of it agree with that, else
 * by those (adaptive, degree 2). */
static double mean_over(const double* a, const double* b, const double* c, integrand* f,
                        const void* data, int depth) {
  double m[3][2], sum = 0;
  for (int k = 0; k < 2; k++)
    m[0][k] = (b[k] + c[k]) / 2, m[1][k] = (a[k] + c[k]) / 2, m[2][k] = (a[k] + b[k]) / 2;
  for (int k = 0; k < 3; k++) sum += f(m[k], data) / 3;
  double fine = 0;
  const double* part[4][3] = {
      {a, m[2], m[1]}, {m[2], b, m[0]}, {m[1], m[0], c}, {m[0], m[1], m[2]}};
  for (int p = 0; p < 4; p++)
    for (int k = 0; k < 3; k++) {
      const double *q = part[p][k], *r = part[p][k < 2 ? k + 1 : 0];
      const double x[2] = {(q[0] + r[0]) / 2, (q[1] + r[1]) / 2};
      fine += f(x, data) / 12;
    }
  if (depth == 0 || (depth < 6 && fabs(fine - sum) < 1e-6)) return fine;
  sum = 0;
  for (int p = 0; p < 4; p++)
    sum += mean_over(part[p][0], part[p][1], part[p][2], f, data, depth - 1) / 4;
  return sum;
}

static double mean_of(const shape* s, integrand* f, const void* data) {
  double sum = 0, whole = 0;
  const double* a = s->corner[0];
  for (int i = 1; i + 1 < s->count; i++) {
    const double *b = s->corner[i], *c = s->corner[i + 1];
    double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    sum += area * mean_over(a, b, c, f, data, 8);
    whole += area;
  }
  return sum / whole;
}

static double one(const double* x, const void* data) { return (void)x, (void)data, 1; }
static double at_x(const double* x, const void* data) { return (void)data, x[0]; }
static double at_y(const double* x, const void* data) { return (void)data, x[1]; }
static double at_xx(const double* x, const void* data) { return (void)data, x[0] * x[0]; }
static double at_xy(const double* x, const void* data) { return (void)data, x[0] * x[1]; }
static double at_yy(const double* x, const void* data) { return (void)data, x[1] * x[1]; }
static double far_from(const double* x, const void* data) {
  const double* c = data;
  return hypot(x[0] - c[0], x[1] - c[1]);
}

static void find_center(const shape* s, double* c) {
  c[0] = mean_of(s, at_x, NULL), c[1] = mean_of(s, at_y, NULL);
}

/* Weights sum to one, and the rule has the moments; every corner is a point. */
static void check_rule(const shape* s, const cr_area_rule* rule) {
  integrand* const exact[] = {one, at_x, at_y, at_xx, at_xy, at_yy};
  for (int k = 0; k < 6; k++)
    check_near(sum_rule(rule, exact[k], NULL), mean_of(s, exact[k], NULL), 1e-12);
  for (int i = 0; i < rule->count; i++) assert_true(rule->point[i].weight > 0.004);
  for (int i = 0; i < rule->count; i++)
    assert_int_equal(rule->point[i].corner, i < s->count ? i : -1);
  for (int i = 0; i < s->count; i++)
    for (int k = 0; k < 2; k++) check_near(rule->point[i].x[k], s->corner[i][k], 1e-15);
}

static void test_moments(void** state) {
  (void)state;
  for (int n = 0; n < NUM_SHAPES; n++)
    for (int k = 0; k < 2; k++) {
      const shape* s = &shapes[n];
      cr_area_rule rule;
      assert_true(cr_area_make_polygon(s->corner, s->count, k ? 0.02 : 0.1, &rule));
      assert_int_equal(rule.count, k ? s->many : s->points);
      check_rule(s, &rule);
      double c[2];
      find_center(s, c);
      double mean = mean_of(s, far_from, c);
      check_near(cr_area_find_mean_distance(s->corner, s->count, c), mean, 1e-6);
      assert_true(rule.spin <= 1e-6);
      check_near(sum_rule(&rule, far_from, c) / mean, 1, 2e-6);
    }
}

/* The moment of uniform pressure in pure spin, mu N times the mean distance. */
static void test_closed_forms(void** state) {
  (void)state;
  const double zero[2] = {0};
  cr_area_rule rule;
  assert_true(cr_area_make_polygon(square, 4, 0.1, &rule));
  double sides = (sqrt(2) + asinh(1)) / 6; /* of a square of side 1 */
  check_near(sum_rule(&rule, far_from, zero), sides, 1e-6);
  check_near(sides, 0.3825979, 1e-7);
  static const double line[2][2] = {{1, 2}, {1, 5}};
  const double middle[2] = {1, 3.5};
  for (int k = 0; k < 4; k++) {
    static const double errors[] = {0.1, 0.05, 0.02, 0.01};
    assert_true(cr_area_make_polygon(line, 2, errors[k], &rule));
    assert_int_equal(rule.count, 4 + 2 * k);
    check_near(sum_rule(&rule, far_from, middle), 0.75, 1e-15);
    check_near(sum_rule(&rule, at_yy, NULL), 13, 1e-13);
    for (int i = 0; i < 16; i++) { /* about points beside it, at y - 3.5 = 1.5 t and h away */
      double d = 0.1 * pow(1.4, i), h = d * 0.6, t = d * 0.8, u = 1.5 - t, v = -1.5 - t;
      double exact =
          (u * hypot(u, h) + h * h * asinh(u / h) - v * hypot(v, h) - h * h * asinh(v / h)) / 6;
      const double from[2] = {1 + h, 3.5 + t};
      check_near(sum_rule(&rule, far_from, from) / exact, 1, rule.error);
    }
  }
}

/* A disc and a ring of the outer radius 1, by their moments; all seen from their middle. */
static void make_round(double hole, double error, cr_area_rule* rule) {
  double rim[6][2];
  for (int i = 0; i < 6; i++) rim[i][0] = cos(i * M_PI / 3), rim[i][1] = sin(i * M_PI / 3);
  double part = 1 - hole * hole, second = (1 + hole * hole) / 4;
  const cr_area_moments ring = {.area = M_PI * part,
                                .second = {second, 0, second},
                                .mean = 2.0 / 3 * (1 - hole * hole * hole) / part};
  if (hole > 0)
    assert_true(cr_area_make((const double(*)[2])rim, 6, &ring, error, rule));
  else
    assert_true(cr_area_make_disc((const double(*)[2])rim, 6, error, rule));
}

/* Mean distance from a point at d from the middle of a ring: over circles. */
static double ring_distance(double hole, double d) {
  enum { CIRCLES = 100, STEPS = 400 };
  double sum = 0, whole = 0;
  for (int i = 0; i < CIRCLES; i++) {
    double r = hole + (1 - hole) * (i + 0.5) / CIRCLES;
    for (int k = 0; k < STEPS; k++) {
      double a = 2 * M_PI * (k + 0.5) / STEPS;
      sum += r * hypot(r * cos(a) - d, r * sin(a)), whole += r;
    }
  }
  return sum / whole;
}

/* At most nine points at the default, and the whole limit surface. */
static void test_rings(void** state) {
  (void)state;
  const double zero[2] = {0}, holes[] = {0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95};
  for (int n = 0; n < 8; n++)
    for (int k = 0; k < 2; k++) {
      double hole = holes[n], worst = 0;
      cr_area_rule rule;
      make_round(hole, k ? 0.02 : 0.1, &rule);
      assert_in_range(rule.count, 9, k ? 18 : 9);
      check_near(sum_rule(&rule, one, NULL), 1, 1e-12);
      check_near(sum_rule(&rule, at_x, NULL), 0, 1e-12);
      check_near(sum_rule(&rule, at_xx, NULL), (1 + hole * hole) / 4, 1e-12);
      check_near(sum_rule(&rule, at_xy, NULL), 0, 1e-12);
      double mean = 2.0 / 3 * (1 - pow(hole, 3)) / (1 - hole * hole);
      check_near(sum_rule(&rule, far_from, zero) / mean, 1, 1e-3);
      check_near(fabs(sum_rule(&rule, far_from, zero) / mean - 1), rule.is_exact ? 0 : rule.spin,
                 1e-9);
      for (double d = 0.05; d < 20; d *= 1.5)
        for (int i = 0; i < 6; i++) {
          const double from[2] = {d * cos(i * 0.3), d * sin(i * 0.3)};
          double exact = ring_distance(hole, d);
          worst = fmax(worst, fabs(sum_rule(&rule, far_from, from) / exact - 1));
        }
      print_message("hole of %.2f: %d points, spin off by %.1e, limit surface by %.4f at most\n",
                    hole, rule.count, rule.spin, worst);
      assert_true(worst < rule.error && worst < (k ? 0.02 : 0.1));
    }
}

/* A square with a square hole as triangles: moments in closed form. */
static void test_triangles(void** state) {
  (void)state;
  double part[8][3][2];
  for (int side = 0; side < 4; side++) {
    double c = cos(side * M_PI / 2), s = sin(side * M_PI / 2);
    const double x[4][2] = {{2, -2}, {2, 2}, {1, 1}, {1, -1}};
    static const int corner[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (int k = 0; k < 6; k++) {
      const double* p = x[corner[k / 3][k % 3]];
      part[2 * side + k / 3][k % 3][0] = 5 + c * p[0] - s * p[1];
      part[2 * side + k / 3][k % 3][1] = 7 + s * p[0] + c * p[1];
    }
  }
  cr_area_moments m;
  cr_area_sums sums = {.count = 0};
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 8; i++) cr_area_add(&sums, (const double(*)[2])part[i], 3);
    if (pass == 0) assert_true(cr_area_find_center(&sums));
  }
  cr_area_find_moments(&sums, &m);
  double distance = (sqrt(2) + asinh(1)) / 6;
  check_near(m.area, 12, 1e-12);
  check_near(m.center[0], 5, 1e-12), check_near(m.center[1], 7, 1e-12);
  check_near(m.second[0], (16 * 16 - 4 * 4) / 12.0 / 12, 1e-12);
  check_near(m.second[1], 0, 1e-12);
  check_near(m.mean, (16 * 4 - 4 * 2) * distance / 12, 1e-12);
  assert_false(cr_area_find_center(&(cr_area_sums){.count = 0}));
}

/* The largest difference of the power that friction takes when the area turns about a point, over
 * that of uniform pressure: the support function of the limit surface, so that it bounds how far
 * apart the two surfaces of force against moment are. */
static double find_gap(const shape* s, const cr_area_rule* rule) {
  double c[2], worst = 0, far = 0;
  find_center(s, c);
  for (int i = 0; i < s->count; i++) far = fmax(far, far_from(s->corner[i], c));
  for (int k = 0; k < 12; k++)
    for (double d = 0.05 * far; d < 30 * far; d *= 1.5) {
      const double x[2] = {c[0] + d * cos(0.1 + k * M_PI / 6), c[1] + d * sin(0.1 + k * M_PI / 6)};
      double exact = cr_area_find_mean_distance(s->corner, s->count, x);
      worst = fmax(worst, fabs(sum_rule(rule, far_from, x) / exact - 1));
    }
  return worst;
}

static void test_limit_surface(void** state) {
  (void)state;
  for (int n = 0; n < NUM_SHAPES; n++) {
    const shape* s = &shapes[n];
    cr_area_rule few, many;
    assert_true(cr_area_make_polygon(s->corner, s->count, 0.1, &few));
    assert_true(cr_area_make_polygon(s->corner, s->count, 0.02, &many));
    double a = find_gap(s, &few), b = find_gap(s, &many);
    print_message("%s: limit surface off by %.4f (%d points), %.4f (%d)\n", s->name, a, few.count,
                  b, many.count);
    assert_true(a < s->gap && a < few.error);
    assert_true(b < s->few && b < many.error);
  }
}

/* As few points as what is asked for allows. */
static void test_number_by_error(void** state) {
  (void)state;
  static const double errors[] = {1, 0.1, 0.08, 0.055, 0.045, 0.04, 0.02};
  static const int points[] = {7, 7, 8, 10, 12, 14, 16};
  for (int k = 0; k < 7; k++) {
    cr_area_rule rule;
    assert_true(cr_area_make_polygon(square, 4, errors[k], &rule));
    assert_int_equal(rule.count, points[k]);
    assert_true(rule.error <= errors[k] || k == 6);
  }
}

/* Random convex polygons, points of an ellipse as slender as can be: moments, and the error that
 * comes with the rule. */
static void test_random(void** state) {
  (void)state;
  check_random random = {36};
  double worst = 0, spin = 0;
  for (int k = 0; k < check_repeats(4000); k++) {
    static const double errors[] = {0.25, 0.1, 0.06, 0.02};
    double corner[MOST][2], angle[MOST], flat = pow(10, check_random_uniform(&random, -6.3, 0));
    int count = check_random_int(&random, 3, MOST);
    double spread = check_random_uniform(&random, 0, 0.9);
    for (int i = 0; i < count; i++)
      angle[i] = (i + check_random_uniform(&random, 0, spread)) * 2 * M_PI / count;
    for (int i = 0; i < count; i++)
      corner[i][0] = cos(angle[i]), corner[i][1] = flat * sin(angle[i]);
    const shape s = {"random", count, corner, 0, 0, 0, 0};
    cr_area_rule rule;
    cr_area_moments m;
    if (!cr_area_make_polygon(corner, count, errors[k % 4], &rule)) continue;
    assert_true(cr_area_measure_polygon(corner, count, &m));
    check_near(sum_rule(&rule, one, NULL), 1, 1e-12);
    check_near(sum_rule(&rule, at_x, NULL), m.center[0], 1e-12);
    check_near(sum_rule(&rule, at_y, NULL), m.center[1], 1e-12);
    double xx = sum_rule(&rule, at_xx, NULL) - m.center[0] * m.center[0];
    check_near(xx, m.second[0], 1e-12);
    double mean = cr_area_find_mean_distance(corner, count, m.center);
    double off = fabs(sum_rule(&rule, far_from, m.center) / mean - 1);
    check_near(off, rule.is_exact ? 0 : rule.spin, 1e-8);
    spin = fmax(spin, rule.spin);
    for (int i = 0; i < rule.count; i++) assert_true(rule.point[i].weight > 0);
    for (int i = 0; i < rule.count; i++) assert_int_equal(rule.point[i].corner, i < count ? i : -1);
    worst = fmax(worst, find_gap(&s, &rule) / rule.error);
  }
  print_message("off by %.3f of what the rule says at most, in a spin by %.1e\n", worst, spin);
  assert_true(worst < 1 && spin < 1e-3);
}

/* Slivers tend to lines: of a triangle, whose width grows to the middle and falls again, the mean
 * distance from the middle is a third of half the length, of a strip half of it. */
static void test_slivers(void** state) {
  (void)state;
  for (double thin = 1e-2; thin > 1e-6; thin /= 10)
    for (int k = 0; k < 2; k++) {
      const double wedge[3][2] = {{-1, 0}, {1, 0}, {0, thin}};
      const double strip[4][2] = {{-1, 0}, {1, 0}, {1, thin}, {-1, thin}};
      const shape s = {"sliver", k ? 4 : 3, k ? strip : wedge, 0, 0, 0, 0};
      cr_area_rule rule;
      double c[2];
      assert_true(cr_area_make_polygon(s.corner, s.count, 0.1, &rule));
      find_center(&s, c);
      check_near(sum_rule(&rule, far_from, c), k ? 0.5 : 1.0 / 3, 2 * thin);
      check_near(sum_rule(&rule, at_xx, NULL), k ? 1.0 / 3 : 1.0 / 6, 1e-12);
      assert_true(find_gap(&s, &rule) < rule.error && rule.error <= 0.1);
    }
}

static void test_none(void** state) {
  (void)state;
  static const double same[3][2] = {{1, 1}, {1, 1}, {1, 1}};
  static const double turned[3][2] = {{0, 0}, {0, 1}, {1, 0}};
  cr_area_rule rule;
  assert_false(cr_area_make_polygon(same, 3, 0, &rule));
  assert_false(cr_area_make_polygon(same, 2, 0, &rule));
  assert_false(cr_area_make_polygon(same, 1, 0, &rule));
  assert_false(cr_area_make_polygon(turned, 3, 0, &rule));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moments),       cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_rings),         cmocka_unit_test(test_triangles),
      cmocka_unit_test(test_limit_surface), cmocka_unit_test(test_number_by_error),
      cmocka_unit_test(test_random),        cmocka_unit_test(test_none),
      cmocka_unit_test(test_slivers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
