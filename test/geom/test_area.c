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
  int points; /* of its rule, at most */
  double gap; /* of the limit surface: what is measured, rounded up */
} shape;

static const shape shapes[] = {
    {"square", 4, square, 8, 0.043},       {"plate", 4, plate, 8, 0.053},
    {"slat", 4, slat, 8, 0.075},           {"triangle", 3, triangle, 6, 0.081},
    {"trapezium", 4, trapezium, 12, 0.06}, {"kite", 4, kite, 12, 0.112},
    {"chipped", 5, chipped, 11, 0.046},
};
enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };

/* Where a point of a rule is. */
static void place(const double (*corner)[2], int count, const cr_area_rule* rule, int i,
                  double* x) {
  const cr_area_point* p = &rule->point[i];
  for (int k = 0; k < 2; k++) {
    double center = 0;
    for (int j = 0; j < count; j++) center += rule->centroid[j] * corner[j][k];
    double middle = (corner[p->first][k] + corner[p->second][k]) / 2;
    x[k] = center + p->reach * (middle - center);
  }
}

typedef double integrand(const double* x, const void* data);

static double sum_rule(const shape* s, const cr_area_rule* rule, integrand* f, const void* data) {
  double sum = 0;
  for (int i = 0; i < rule->count; i++) {
    double x[2];
    place(s->corner, s->count, rule, i, x);
    sum += rule->point[i].weight * f(x, data);
  }
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

static void test_moments(void** state) {
  (void)state;
  integrand* const exact[] = {one, at_x, at_y, at_xx, at_xy, at_yy};
  for (int n = 0; n < NUM_SHAPES; n++) {
    const shape* s = &shapes[n];
    cr_area_rule rule;
    assert_true(cr_area_make_polygon(s->corner, s->count, 1e-6, &rule));
    assert_in_range(rule.count, s->count, s->points);
    for (int k = 0; k < 6; k++)
      check_near(sum_rule(s, &rule, exact[k], NULL), mean_of(s, exact[k], NULL), 1e-12);
    for (int i = 0; i < rule.count; i++) assert_true(rule.point[i].weight > 0.005);
    double c[2];
    find_center(s, c);
    double mean = mean_of(s, far_from, c);
    check_near(cr_area_find_mean_distance(s->corner, s->count, c), mean, 1e-6);
    assert_true(rule.error < 1e-6);
    check_near(sum_rule(s, &rule, far_from, c) / mean, 1, rule.error + 1e-6);
  }
}

/* The moment of uniform pressure in pure spin, mu N times the mean distance. */
static void test_closed_forms(void** state) {
  (void)state;
  const double zero[2] = {0};
  cr_area_rule rule;
  assert_true(cr_area_make_polygon(square, 4, 0, &rule));
  double sides = (sqrt(2) + asinh(1)) / 6; /* of a square of side 1 */
  check_near(sum_rule(&shapes[0], &rule, far_from, zero), sides, 1e-12);
  check_near(sides, 0.3825979, 1e-7);
  check_near(rule.point[0].weight, 0.0403800, 1e-7);
  check_near(rule.point[4].reach / 2, 0.2263352, 1e-7);
  static const double line[2][2] = {{1, 2}, {1, 5}};
  assert_true(cr_area_make_polygon(line, 2, 0, &rule));
  const shape s = {"line", 2, line, 4, 0};
  const double middle[2] = {1, 3.5};
  assert_int_equal(rule.count, 4);
  check_near(sum_rule(&s, &rule, far_from, middle), 0.75, 1e-15);
  check_near(sum_rule(&s, &rule, at_yy, NULL), 13, 1e-13);
}

static void make_hexagon(double (*rim)[2]) {
  for (int i = 0; i < 6; i++) rim[i][0] = cos(i * M_PI / 3), rim[i][1] = sin(i * M_PI / 3);
}

static void test_disc(void** state) {
  (void)state;
  double rim[6][2];
  const double zero[2] = {0};
  make_hexagon(rim);
  const shape s = {"disc", 6, rim, 12, 0};
  cr_area_rule rule;
  cr_area_make_disc(1, &rule);
  assert_int_equal(rule.count, 12);
  check_near(sum_rule(&s, &rule, one, NULL), 1, 1e-15);
  check_near(sum_rule(&s, &rule, at_x, NULL), 0, 1e-15);
  check_near(sum_rule(&s, &rule, at_xx, NULL), 0.25, 1e-15);
  check_near(sum_rule(&s, &rule, at_xy, NULL), 0, 1e-15);
  check_near(sum_rule(&s, &rule, far_from, zero), 2.0 / 3, 1e-15);
}

/* The power that friction takes when the patch turns about a point, over the same of uniform
 * pressure: the support function of the limit surface, so that the largest difference bounds how
 * far apart the two surfaces of force against moment are. Few points leave a few percent. */
static void test_limit_surface(void** state) {
  (void)state;
  for (int n = 0; n < NUM_SHAPES; n++) {
    const shape* s = &shapes[n];
    cr_area_rule rule;
    assert_true(cr_area_make_polygon(s->corner, s->count, 1e-6, &rule));
    double c[2], worst = 0, far = 0;
    find_center(s, c);
    for (int i = 0; i < s->count; i++) far = fmax(far, far_from(s->corner[i], c));
    for (int k = 0; k < 12; k++)
      for (double d = 0.05 * far; d < 30 * far; d *= 1.5) {
        const double x[2] = {c[0] + d * cos(0.1 + k * M_PI / 6),
                             c[1] + d * sin(0.1 + k * M_PI / 6)};
        double exact = mean_of(s, far_from, x);
        worst = fmax(worst, fabs(sum_rule(s, &rule, far_from, x) / exact - 1));
      }
    print_message("%s: limit surface off by %.4f at most\n", s->name, worst);
    assert_true(worst < s->gap);
  }
}

/* The rule with few points is taken where its error is no more than what is asked for. */
static void test_number_by_error(void** state) {
  (void)state;
  cr_area_rule few, many;
  assert_true(cr_area_make_polygon(trapezium, 4, 0.1, &few));
  assert_true(cr_area_make_polygon(trapezium, 4, 1e-3, &many));
  assert_int_equal(few.count, 8);
  assert_int_equal(many.count, 12);
  double mean = cr_area_find_mean_distance(trapezium, 4, (double[]){0, -1.0 / 9});
  check_near(fabs(sum_rule(&shapes[4], &few, far_from, (double[]){0, -1.0 / 9}) / mean - 1),
             few.error, 1e-6);
  assert_true(few.error > 1e-3 && few.error < 0.1 && many.error < 1e-3);
}

/* Random convex polygons: points of an ellipse. */
static void test_random(void** state) {
  (void)state;
  check_random random = {36};
  for (int k = 0; k < check_repeats(2000); k++) {
    double corner[MOST][2], angle[MOST], flat = check_random_uniform(&random, 0.05, 1);
    int count = check_random_int(&random, 3, MOST);
    for (int i = 0; i < count; i++)
      angle[i] = (i + check_random_uniform(&random, 0, 0.9)) * 2 * M_PI / count;
    for (int i = 0; i < count; i++)
      corner[i][0] = cos(angle[i]), corner[i][1] = flat * sin(angle[i]);
    const shape s = {"random", count, corner, CR_AREA_POINTS, 0};
    cr_area_rule rule;
    if (!cr_area_make_polygon(corner, count, 5e-3, &rule)) continue;
    double c[2] = {sum_rule(&s, &rule, at_x, NULL), sum_rule(&s, &rule, at_y, NULL)};
    double mean = cr_area_find_mean_distance(corner, count, c);
    check_near(sum_rule(&s, &rule, one, NULL), 1, 1e-12);
    check_near(fabs(sum_rule(&s, &rule, far_from, c) / mean - 1), rule.error, 1e-9);
    assert_true(rule.error < 0.1);
    for (int i = 0; i < rule.count; i++) assert_true(rule.point[i].weight > 0);
    for (int i = 0; i < count; i++)
      assert_true(rule.point[i].first == i && rule.point[i].second == i &&
                  rule.point[i].reach == 1);
  }
}

static void test_none(void** state) {
  (void)state;
  static const double same[3][2] = {{1, 1}, {1, 1}, {1, 1}};
  static const double sliver[3][2] = {{0, 0}, {1, 0}, {0.5, 1e-4}};
  static const double turned[3][2] = {{0, 0}, {0, 1}, {1, 0}};
  cr_area_rule rule;
  assert_false(cr_area_make_polygon(same, 3, 0, &rule));
  assert_false(cr_area_make_polygon(same, 2, 0, &rule));
  assert_false(cr_area_make_polygon(same, 1, 0, &rule));
  assert_false(cr_area_make_polygon(sliver, 3, 0, &rule));
  assert_false(cr_area_make_polygon(turned, 3, 0, &rule));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moments),
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_disc),
      cmocka_unit_test(test_limit_surface),
      cmocka_unit_test(test_number_by_error),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
