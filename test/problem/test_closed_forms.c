/* The law of frictional contact against the closed forms of docs/theory.md, written in y = -R^-1
 * (v_c
 * - v_hat): states, impulses, gradients; the compliant contact that it is; maximum dissipation. */
#include "problem/law_table.h"
#include "support/check.h"

#include <float.h>
#include <math.h>

/* Round-off of the few operations that both forms differ by. */
#define ROUND_OFF (100 * DBL_EPSILON)

#define MOST      CR_LAW_MAX_ROWS

/* The law of a contact of so many rows. */
static const cr_law_kind KIND[MOST + 1] = {
    [3] = CR_LAW_CONTACT, [4] = CR_LAW_CONTACT4, [6] = CR_LAW_CONTACT6};

typedef struct sample {
  int n; /* rows, the normal last */
  double mu, Rt, Rn;
  double v_c[MOST], v_hat[MOST];
  double gamma[MOST], G[MOST * MOST], cost; /* of the law */
} sample;

/* A law of the sample's constraint alone, at impulses gamma. */
typedef struct single {
  int row;
  double scale, parameter[2], R[MOST];
  cr_law_batch batch;
  cr_law_point point;
} single;

static void init_single(single* one, const sample* s, const double* gamma) {
  *one = (single){.scale = 1, .parameter = {s->mu, 0}};
  for (int k = 0; k < s->n; k++) one->R[k] = k == s->n - 1 ? s->Rn : s->Rt;
  one->batch = (cr_law_batch){1, &one->row, one->parameter, &one->scale, s->n, s->n};
  one->point = (cr_law_point){one->R, s->v_hat, s->v_c, gamma};
}

static void evaluate(sample* s) {
  single one;
  init_single(&one, s, NULL);
  s->cost = cr_law_get(KIND[s->n])->evaluate(&one.batch, &one.point, s->gamma, s->G);
}

static double evaluate_gap(const sample* s, const double* gamma) {
  single one;
  init_single(&one, s, gamma);
  return cr_law_get(KIND[s->n])->gap(&one.batch, &one.point);
}

/* Of what is not normal. */
static double tangent_norm(const sample* s, const double* x) {
  double norm = 0;
  for (int a = 0; a < s->n - 1; a++) norm = hypot(norm, x[a]);
  return norm;
}

/* d = v_c - v_hat. */
static void compute_d(const sample* s, double* d) {
  for (int a = 0; a < s->n; a++) d[a] = s->v_c[a] - s->v_hat[a];
}

static sample random_sample(check_random* random) {
  static const int rows[3] = {3, 4, 6};
  sample s = {.n = rows[check_random_int(random, 0, 2)],
              .mu = exp(check_random_uniform(random, -4, 2))};
  s.Rt = exp(check_random_uniform(random, -6, 0)), s.Rn = exp(check_random_uniform(random, -6, 0));
  for (int k = 0; k < s.n; k++) {
    s.v_c[k] = check_random_normal(random);
    s.v_hat[k] = check_random_normal(random);
  }
  evaluate(&s);
  return s;
}

static void check_close(double actual, double expected, double size) {
  check_near(actual, expected, ROUND_OFF * size);
}

/* --- States, impulses and gradients -------------------------------------------------------------
 */

/* gamma = P(y), and D = dP/dy, as the theory writes them. */
static void closed_form(const sample* s, double* P, double* D) {
  int m = s->n - 1;
  double y[MOST] = {0}, t[MOST] = {0}, yr = 0, ratio = s->Rt / s->Rn;
  double muh = s->mu * ratio, mut2 = s->mu * s->mu * ratio;
  for (int k = 0; k <= m; k++) y[k] = -(s->v_c[k] - s->v_hat[k]) / (k == m ? s->Rn : s->Rt);
  for (int k = 0; k < m; k++) yr = hypot(yr, y[k]);
  for (int k = 0; k < m; k++) t[k] = y[k] / yr;
  for (int k = 0; k < s->n * s->n; k++) D[k] = 0;
  for (int k = 0; k <= m; k++) P[k] = 0;
  if (yr <= s->mu * y[m]) {
    for (int k = 0; k <= m; k++) P[k] = y[k], D[(s->n + 1) * k] = 1;
  } else if (y[m] > -muh * yr) {
    double n = (y[m] + muh * yr) / (1 + mut2), dn[MOST];
    for (int k = 0; k <= m; k++) dn[k] = (k == m ? 1 : muh * t[k]) / (1 + mut2);
    for (int k = 0; k <= m; k++) P[k] = k == m ? n : s->mu * n * t[k];
    for (int b = 0; b <= m; b++) D[s->n * m + b] = dn[b];
    for (int a = 0; a < m; a++)
      for (int b = 0; b <= m; b++) {
        double across = b == m ? 0 : (a == b ? 1.0 : 0.0) - t[a] * t[b];
        D[s->n * a + b] = s->mu * t[a] * dn[b] + s->mu * n / yr * across;
      }
  }
}

/* gamma(v_c) = P(y) and G = dP/dy R^-1. */
static void test_closed_forms(void** state) {
  (void)state;
  check_random random = {8};
  for (int k = 0; k < 10000; k++) {
    sample s = random_sample(&random);
    double P[MOST], D[MOST * MOST], size = 0, size_G = 0;
    int n = s.n;
    closed_form(&s, P, D);
    for (int a = 0; a < s.n; a++) size = fmax(size, fabs(s.v_c[a] - s.v_hat[a]));
    size *= (1 + s.mu) * (1 + s.mu) / fmin(s.Rt, s.Rn);
    for (int a = 0; a < n * n; a++) size_G = fmax(size_G, fabs(s.G[a]));
    size_G *= (1 + s.mu) * (1 + s.mu) * fmax(s.Rn / s.Rt, s.Rt / s.Rn);
    for (int a = 0; a < n; a++) check_close(s.gamma[a], P[a], size);
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++)
        check_close(s.G[n * a + b], D[n * a + b] / (b == n - 1 ? s.Rn : s.Rt), size_G);
  }
}

/* Where it slides, gamma_n without a division by R: also where R is next to nothing. */
static void test_slide(void** state) {
  (void)state;
  check_random random = {12};
  int slides = 0;
  for (int k = 0; k < 10000; k++) {
    sample s = random_sample(&random);
    double small = pow(10, check_random_uniform(&random, -14, 0));
    s.Rt *= small, s.Rn *= small;
    evaluate(&s);
    int m = s.n - 1;
    double d[MOST];
    compute_d(&s, d);
    if (s.gamma[m] == 0 || tangent_norm(&s, s.gamma) < s.mu * s.gamma[m] * (1 - 1e-12)) continue;
    double pull = s.mu * tangent_norm(&s, d);
    double stiffness = 1 / (s.Rn + s.mu * s.mu * s.Rt);
    check_close(s.gamma[m], (pull - d[m]) * stiffness, (pull + fabs(d[m])) * stiffness);
    slides++;
  }
  assert_true(slides > 3000);
}

/* --- The certificate's bracket ------------------------------------------------------------------
 */

/* Impulses in the cone, on its surface one time in three. */
static void draw_impulse(const sample* s, check_random* random, double* gamma) {
  int m = s->n - 1;
  double n = exp(check_random_normal(random));
  double share = check_random_int(random, 0, 2) ? check_random_uniform(random, 0, 1) : 1;
  for (int a = 0; a < m; a++) gamma[a] = check_random_normal(random);
  double length = tangent_norm(s, gamma);
  for (int a = 0; a < m; a++) gamma[a] *= share * s->mu * n / length;
  gamma[m] = n;
}

/* |s_t| ((mu gamma_n - |gamma_t|) + |gamma_t - |gamma_t| t|² / 2 |gamma_t|) with t = P_t / |P_t|.
 */
static double sliding_product(const sample* s, const double* slack, const double* gamma) {
  int m = s->n - 1;
  double slip = tangent_norm(s, slack), P = tangent_norm(s, s->gamma), across[MOST];
  double length = tangent_norm(s, gamma);
  for (int a = 0; a < m; a++) across[a] = gamma[a] - length * s->gamma[a] / P;
  double off = tangent_norm(s, across);
  return slip * (s->mu * gamma[m] - length + (length > 0 ? off * off / (2 * length) : 0));
}

/* With P = gamma(v_c) and s = R P + d: Pᵀs = 0, gammaᵀs is what the theory says of each state, and
 * the bracket is 1/2 |gamma - P|²_R + gammaᵀs. */
static void test_bracket(void** state) {
  (void)state;
  check_random random = {13};
  int states[3] = {0};
  for (int k = 0; k < 10000; k++) {
    sample s = random_sample(&random);
    double gamma[MOST], slack[MOST], d[MOST], product = 0, own = 0, square = 0, size = 0;
    int m = s.n - 1;
    draw_impulse(&s, &random, gamma);
    compute_d(&s, d);
    for (int a = 0; a <= m; a++) {
      double R = a == m ? s.Rn : s.Rt;
      slack[a] = R * s.gamma[a] + d[a];
      own += s.gamma[a] * slack[a], product += gamma[a] * slack[a];
      square += 0.5 * R * pow(gamma[a] - s.gamma[a], 2);
      size += (fabs(gamma[a]) + fabs(s.gamma[a])) * (fabs(R * s.gamma[a]) + fabs(d[a]));
    }
    size *= (1 + s.mu) * (1 + s.mu);
    check_close(own, 0, size);
    check_close(evaluate_gap(&s, gamma), square + product, size + square);
    bool sticks = tangent_norm(&s, s.gamma) < s.mu * s.gamma[m] * (1 - 1e-12);
    bool separates = s.gamma[m] == 0;
    if (sticks) check_close(product, 0, size);
    if (!sticks && !separates) check_close(product, sliding_product(&s, slack, gamma), size);
    states[separates ? 0 : sticks ? 1 : 2]++;
  }
  for (int k = 0; k < 3; k++) assert_true(states[k] > 500);
}

/* Where R = 0 it is infinite unless d is in the dual cone, and gammaᵀd there. */
static void test_rigid_bracket(void** state) {
  (void)state;
  check_random random = {14};
  int feasible = 0;
  for (int k = 0; k < 10000; k++) {
    sample s = random_sample(&random);
    double gamma[MOST], d[MOST], product = 0, size = 0;
    int m = s.n - 1;
    s.Rt = s.Rn = 0;
    draw_impulse(&s, &random, gamma);
    compute_d(&s, d);
    for (int a = 0; a <= m; a++) product += gamma[a] * d[a], size += fabs(gamma[a] * d[a]);
    double gap = evaluate_gap(&s, gamma);
    if (d[m] >= s.mu * tangent_norm(&s, d)) {
      check_close(gap, product, size);
      feasible++;
    } else {
      assert_true(isinf(gap) && gap > 0);
    }
  }
  assert_in_range(feasible, 500, 9500);
}

/* --- Conic form ---------------------------------------------------------------------------------
 */

static double norm2_in_R(const sample* s, const double* x) {
  double sum = 0;
  for (int a = 0; a < s->n; a++) sum += (a == s->n - 1 ? s->Rn : s->Rt) * x[a] * x[a];
  return sum;
}

/* mu |g_t| - g_n for g = d + R sigma: at most 0 in the dual cone. */
static double outside_dual_cone(const sample* s, const double* sigma) {
  double gt = 0, gn = 0;
  for (int a = 0; a < s->n; a++) {
    double R = a == s->n - 1 ? s->Rn : s->Rt, g = s->v_c[a] - s->v_hat[a] + R * sigma[a];
    if (a == s->n - 1)
      gn = g;
    else
      gt = hypot(gt, g);
  }
  return s->mu * gt - gn;
}

/* l = 1/2 |gamma|² in R, and gamma is the sigma of least cost with d + R sigma in the dual cone. */
static void test_conic_form(void** state) {
  (void)state;
  check_random random = {11};
  int feasible = 0;
  for (int k = 0; k < 10000; k++) {
    sample s = random_sample(&random);
    double size = 0, least = norm2_in_R(&s, s.gamma), sigma[MOST];
    for (int a = 0; a < s.n; a++) size = fmax(size, fabs(s.v_c[a] - s.v_hat[a]));
    double cost_size = size * size * (1 + s.mu) * (1 + s.mu) / fmin(s.Rt, s.Rn);
    check_close(s.cost, 0.5 * least, cost_size);
    check_near(fmax(outside_dual_cone(&s, s.gamma), 0), 0,
               ROUND_OFF * size * (1 + s.mu) * (1 + s.mu));
    for (int a = 0; a < s.n; a++) sigma[a] = s.gamma[a] + 0.3 * check_random_normal(&random);
    if (outside_dual_cone(&s, sigma) > 0) continue;
    feasible++;
    assert_true(norm2_in_R(&s, sigma) >= least - ROUND_OFF * cost_size);
  }
  assert_true(feasible > 1000);
}

/* --- Compliant contact --------------------------------------------------------------------------
 */

/* With R_n^-1 = dt k (dt + tau) and v_hat_n = -phi / (dt + tau) the normal impulse is dt times the
 * force of a spring and damper at the end of the step, in stick; while it slides with R_t = 0, the
 * same at a distance lessened by (dt + tau) mu |v_t|. */
static void test_compliant_contact(void** state) {
  (void)state;
  check_random random = {9};
  int slides = 0;
  for (int k = 0; k < 10000; k++) {
    double dt = 5e-3, stiffness = exp(check_random_uniform(&random, 5, 20));
    double tau = check_random_uniform(&random, 0, 0.1),
           phi = -check_random_uniform(&random, 0, 0.01);
    sample s = {.n = 3, .mu = 0.5, .Rt = k % 2 ? 0 : 1e-2, .Rn = 1 / (dt * stiffness * (dt + tau))};
    s.v_hat[2] = -phi / (dt + tau);
    for (int a = 0; a < 3; a++) s.v_c[a] = 0.1 * check_random_normal(&random);
    evaluate(&s);
    double vt = hypot(s.v_c[0], s.v_c[1]),
           slope = s.mu * s.gamma[2] - hypot(s.gamma[0], s.gamma[1]);
    bool sticks = slope > ROUND_OFF * s.gamma[2];
    if (s.gamma[2] == 0 || (s.Rt > 0 && !sticks)) continue;
    double lessened = s.Rt > 0 ? 0 : (dt + tau) * s.mu * vt;
    double force = -stiffness * (phi - lessened + dt * s.v_c[2]) - stiffness * tau * s.v_c[2];
    double size = stiffness * (fabs(phi) + lessened + (dt + tau) * fabs(s.v_c[2]));
    check_close(s.gamma[2] / dt, force, size);
    slides += s.Rt == 0;
  }
  assert_true(slides > 1000);
}

/* Given gamma_n, friction minimises g_t.gamma_t + R_t/2 |gamma_t|² over |gamma_t| <= mu gamma_n: it
 * opposes the slip, and where it slides it takes all that the disc allows. */
static void test_maximum_dissipation(void** state) {
  (void)state;
  check_random random = {10};
  for (int k = 0; k < 10000; k++) {
    sample s = random_sample(&random);
    double d[MOST], size = 0;
    for (int a = 0; a < s.n - 1; a++) d[a] = s.v_c[a] - s.v_hat[a], size = hypot(size, d[a]);
    double free_size = size / s.Rt, radius = s.mu * s.gamma[s.n - 1];
    double cut = free_size > radius ? radius / free_size : 1;
    for (int a = 0; a < s.n - 1; a++)
      check_close(s.gamma[a], -cut * d[a] / s.Rt, radius + free_size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed_forms),
                                     cmocka_unit_test(test_slide),
                                     cmocka_unit_test(test_bracket),
                                     cmocka_unit_test(test_rigid_bracket),
                                     cmocka_unit_test(test_conic_form),
                                     cmocka_unit_test(test_compliant_contact),
                                     cmocka_unit_test(test_maximum_dissipation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
