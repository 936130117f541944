/* Derivatives of rules of areas by their corners, against differences of rules. */
#include "geom/area_tangent.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CR_AREA_CORNERS };

static int make(cr_area_kind kind, const double (*corner)[2], int count, double error,
                cr_area_rule* rule) {
  return kind == CR_AREA_OF_DISC ? cr_area_make_disc(corner, count, error, rule)
                                 : cr_area_make_polygon(corner, count, error, rule);
}

/* The numbers of a rule along a direction, at t. */
static bool find_numbers(cr_area_kind kind, const double (*corner)[2], const double (*by)[2],
                         int count, double error, double t, double* y) {
  double x[MOST][2];
  cr_area_rule rule;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) x[i][k] = corner[i][k] + t * by[i][k];
  if (!make(kind, (const double(*)[2])x, count, error, &rule)) return false;
  for (int i = 0; i < rule.count; i++) {
    for (int k = 0; k < 2; k++) *y++ = rule.point[i].x[k];
    *y++ = rule.point[i].weight;
  }
  *y++ = rule.area;
  return true;
}

#define STEP 1e-4

/* By differences of order six. @return false where the rule is another one nearby */
static bool differ(cr_area_kind kind, const double (*corner)[2], const double (*by)[2], int count,
                   double error, double* dy) {
  static const double weight[] = {0, 3.0 / 4, -3.0 / 20, 1.0 / 60};
  double y[3 * CR_AREA_POINTS + 1];
  cr_area_rule rule;
  make(kind, corner, count, error, &rule);
  int size = 3 * rule.count + 1;
  memset(dy, 0, sizeof(double) * (size_t)size);
  for (int k = -3; k <= 3; k++) {
    double x[MOST][2];
    cr_area_rule near;
    for (int i = 0; i < count; i++)
      for (int e = 0; e < 2; e++) x[i][e] = corner[i][e] + k * STEP * by[i][e];
    if (!make(kind, (const double(*)[2])x, count, error, &near) || near.count != rule.count ||
        near.is_exact != rule.is_exact)
      return false;
    find_numbers(kind, corner, by, count, error, k * STEP, y);
    double w = (k < 0 ? -1 : 1) * weight[abs(k)] / STEP;
    for (int i = 0; i < size; i++) dy[i] += w * y[i];
  }
  return true;
}

/* The largest difference, relative to the size of what moves; 0 where rules change. */
static double compare(cr_area_kind kind, const double (*corner)[2], const double (*by)[2],
                      int count, double error) {
  cr_area_rule rule;
  cr_area_change change;
  double dy[3 * CR_AREA_POINTS + 1], most = 0;
  assert_true(make(kind, corner, count, error, &rule));
  if (!differ(kind, corner, by, count, error, dy)) return 0;
  cr_area_differentiate(&(cr_area_corners){.kind = kind, .count = count, .x = corner}, by, &rule,
                        &change);
  for (int i = 0; i < rule.count; i++) {
    for (int k = 0; k < 2; k++) most = fmax(most, fabs(change.x[i][k] - dy[3 * i + k]));
    most = fmax(most, fabs(change.weight[i] - dy[3 * i + 2]));
  }
  return fmax(most, fabs(change.area - dy[3 * rule.count]));
}

static void draw_directions(check_random* random, int count, double (*by)[2]) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) by[i][k] = check_random_uniform(random, -1, 1);
}

static void test_polygons(void** state) {
  (void)state;
  check_random random = {5};
  int compared = 0;
  for (int n = 0; n < 400; n++) {
    double corner[MOST][2], by[MOST][2], error = n % 2 ? 0.1 : 0.02;
    int count = check_random_int(&random, 3, MOST);
    double flat = check_random_uniform(&random, 0.2, 1), turn = check_random_uniform(&random, 0, 6);
    for (int i = 0; i < count; i++) {
      double a = (i + check_random_uniform(&random, 0, 0.6)) * 2 * M_PI / count;
      const double x[2] = {cos(a), flat * sin(a)};
      corner[i][0] = cos(turn) * x[0] - sin(turn) * x[1];
      corner[i][1] = sin(turn) * x[0] + cos(turn) * x[1];
    }
    draw_directions(&random, count, by);
    double off = compare(CR_AREA_OF_POLYGON, (const double(*)[2])corner, (const double(*)[2])by,
                         count, error);
    assert_true(off < 1e-8);
    compared += off > 0;
  }
  assert_true(compared > 350);
}

static void test_discs(void** state) {
  (void)state;
  for (int n = 0; n < 2; n++) {
    double corner[6][2], by[6][2], error = n ? 0.1 : 0.02;
    for (int i = 0; i < 6; i++) {
      double a = 0.4 + i * M_PI / 3;
      corner[i][0] = 1.3 + 0.7 * cos(a), corner[i][1] = -0.4 + 0.7 * sin(a);
      by[i][0] = 0.3 + 0.5 * cos(a) - 0.8 * sin(a), by[i][1] = 0.2 + 0.5 * sin(a) + 0.8 * cos(a);
    }
    double off =
        compare(CR_AREA_OF_DISC, (const double(*)[2])corner, (const double(*)[2])by, 6, error);
    assert_true(off > 0 && off < 1e-8);
  }
}

static void test_lines(void** state) {
  (void)state;
  const double corner[2][2] = {{0.3, 0.1}, {1.2, -0.7}}, by[2][2] = {{0.4, -0.2}, {0.9, 0.6}};
  double off = compare(CR_AREA_OF_POLYGON, corner, by, 2, 0.02);
  assert_true(off > 0 && off < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_polygons),
      cmocka_unit_test(test_discs),
      cmocka_unit_test(test_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
