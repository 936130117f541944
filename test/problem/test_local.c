/* Local problems against their optimality conditions: x in C, s = M x + b in the normal cone's
 * negative, whatever the matrix's condition; no point of C near x is better. */
#include "problem/law_table.h"
#include "problem/local.h"
#include "support/check.h"

#include <float.h>
#include <math.h>

#define MOST CR_LAW_MAX_ROWS

/* M = sum of scaled outer products: eigenvalues over `decades`. */
static void random_matrix(check_random* random, int n, double decades, double* M) {
  for (int k = 0; k < n * n; k++) M[k] = 0;
  for (int j = 0; j < n; j++) {
    double x[MOST], weight = pow(10, check_random_uniform(random, -decades, 0));
    for (int k = 0; k < n; k++) x[k] = check_random_normal(random);
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) M[n * a + b] += weight * x[a] * x[b];
    M[(n + 1) * j] += pow(10, -decades);
  }
}

typedef struct local {
  cr_law_kind kind;
  int n;
  double M[MOST * MOST], b[MOST], parameter[2], x[MOST], s[MOST];
  double size; /* of the terms of s, which round-off is relative to */
} local;

static local random_local(check_random* random, int kind, double decades) {
  static const double bounds[3][2] = {{0, INFINITY}, {-INFINITY, INFINITY}, {-0.3, 0.5}};
  local l = {.kind = kind, .n = cr_law_get(kind)->rows};
  random_matrix(random, l.n, decades, l.M);
  for (int k = 0; k < l.n; k++) l.b[k] = check_random_normal(random);
  l.parameter[0] = exp(check_random_uniform(random, -5, 2));
  if (kind == CR_LAW_BOUNDS) {
    int choice = check_random_int(random, 0, 2);
    l.parameter[0] = bounds[choice][0], l.parameter[1] = bounds[choice][1];
  }
  cr_law_get(kind)->minimize(l.M, l.b, l.parameter, l.x);
  for (int a = 0; a < l.n; a++) {
    l.s[a] = l.b[a], l.size = fmax(l.size, fabs(l.b[a]));
    for (int b = 0; b < l.n; b++) {
      l.s[a] += l.M[l.n * a + b] * l.x[b];
      l.size = fmax(l.size, fabs(l.M[l.n * a + b] * l.x[b]));
    }
  }
  return l;
}

/* Largest violation of x in C and of s against it, relative. */
static double violation(const local* l) {
  const double *x = l->x, *s = l->s, *p = l->parameter;
  if (l->kind == CR_LAW_BOUNDS)
    return x[0] <= p[0]   ? fmax(-s[0], 0) / l->size
           : x[0] >= p[1] ? fmax(s[0], 0) / l->size
                          : fabs(s[0]) / l->size;
  int t = l->kind == CR_LAW_DISC ? 2 : l->n - 1;
  double xt = 0, st = 0, product = 0;
  for (int k = 0; k < t; k++) xt = hypot(xt, x[k]), st = hypot(st, s[k]);
  if (l->kind == CR_LAW_DISC) {
    double against = fabs(x[0] * s[0] + x[1] * s[1] + p[0] * st) / (p[0] * l->size);
    return fmax((xt - p[0]) / p[0], xt < p[0] * (1 - 1e-12) ? st / l->size : against);
  }
  double in = xt - p[0] * x[t], dual = (p[0] * st - s[t]) / (l->size * (1 + p[0]));
  for (int k = 0; k <= t; k++) product += x[k] * s[k];
  double power = x[t] > 0 ? fabs(product) / (l->size * x[t] * (1 + p[0])) : 0;
  return fmax(fmax(x[t] > 0 ? in / (p[0] * x[t]) : 0, dual), power);
}

/* Round-off of a few dozen operations in s, for matrices of any condition. */
static void test_conditions(void** state) {
  (void)state;
  check_random random = {31};
  double worst[CR_LAW_COUNT] = {0};
  for (int k = 0; k < 100000; k++) {
    local l = random_local(&random, k % CR_LAW_COUNT, check_random_uniform(&random, 0, 9));
    worst[l.kind] = fmax(worst[l.kind], violation(&l));
  }
  for (int k = 0; k < CR_LAW_COUNT; k++)
    print_message("%s: violations up to %.1e\n", cr_law_get((cr_law_kind)k)->name, worst[k]);
  for (int k = 0; k < CR_LAW_COUNT; k++) assert_true(worst[k] <= 100 * DBL_EPSILON);
}

static double cost(const local* l, const double* x) {
  double sum = 0;
  for (int a = 0; a < l->n; a++) {
    sum += l->b[a] * x[a];
    for (int b = 0; b < l->n; b++) sum += 0.5 * x[a] * l->M[l->n * a + b] * x[b];
  }
  return sum;
}

/* Points of C around the minimiser cost no less, by second order: the problem is convex. */
static void test_minimum(void** state) {
  (void)state;
  check_random random = {32};
  for (int k = 0; k < 3000; k++) {
    local l = random_local(&random, k % CR_LAW_COUNT, 3);
    double least = cost(&l, l.x), y[MOST], z[MOST], scale = 1;
    int row = 0;
    cr_law_batch batch = {1, &row, l.parameter, &scale, l.n, l.n};
    for (int trial = 0; trial < 20; trial++) {
      double reach = pow(10, check_random_uniform(&random, -4, 1));
      for (int i = 0; i < l.n; i++) y[i] = l.x[i] + reach * check_random_normal(&random);
      cr_law_get(l.kind)->project(&batch, y, z);
      assert_true(cost(&l, z) >= least - 1e-12 * (1 + fabs(least)));
    }
  }
}

/* Without a tangential push or with one exactly along an axis, and at a corner of the regions. */
static void test_corners(void** state) {
  (void)state;
  const double M[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, skew[9] = {1, 0, 0.9, 0, 1, 0, 0.9, 0, 1};
  double x[3], mu[2] = {0.5, 0};
  cr_contact_minimize(M, (double[3]){0, 0, -1}, mu, x);
  check_near_array(x, ((double[3]){0, 0, 1}), 3, 1e-15);
  cr_contact_minimize(M, (double[3]){0.5, 0, 0.25}, mu, x);
  check_near_array(x, ((double[3]){0, 0, 0}), 3, 0);
  cr_contact_minimize(M, (double[3]){0, 0, 0}, mu, x);
  check_near_array(x, ((double[3]){0, 0, 0}), 3, 0);
  /* minimum of 1/2 (1.25 - 0.9) n² - n along the ray (-1/2, 0, 1) n */
  cr_contact_minimize(skew, (double[3]){0, 0, -1}, mu, x);
  check_near_array(x, ((double[3]){-0.5 / 0.35, 0, 1 / 0.35}), 3, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_conditions),
                                     cmocka_unit_test(test_minimum),
                                     cmocka_unit_test(test_corners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
