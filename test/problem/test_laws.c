/* Every law against its definition: gamma(v_c) minimises over C, derivatives by finite differences,
 * projections, the certificate's gap, and the primal-dual step. */
#include "problem/law_table.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

#define MOST CR_LAW_MAX_ROWS

/* One constraint with its data. */
typedef struct sample {
  cr_law_kind kind;
  int row;
  double parameter[2], scale;
  double R[MOST], v_hat[MOST], v_c[MOST], gamma[MOST];
} sample;

static int rows_of(const sample* s) { return cr_law_get(s->kind)->rows; }

static cr_law_batch batch_of(const sample* s) {
  return (cr_law_batch){1, &s->row, s->parameter, &s->scale, rows_of(s), rows_of(s)};
}

static cr_law_point point_of(const sample* s) {
  return (cr_law_point){s->R, s->v_hat, s->v_c, s->gamma};
}

static sample random_sample(check_random* random, cr_law_kind kind) {
  static const double bounds[3][2] = {{0, INFINITY}, {-INFINITY, INFINITY}, {-0.3, 0.5}};
  sample s = {.kind = kind, .scale = exp(check_random_uniform(random, -3, 3))};
  s.parameter[0] = exp(check_random_uniform(random, -4, 2));
  if (kind == CR_LAW_BOUNDS)
    memcpy(s.parameter, bounds[check_random_int(random, 0, 2)], sizeof s.parameter);
  double Rt = s.scale * exp(check_random_uniform(random, -6, 0));
  for (int k = 0; k < MOST; k++) {
    s.R[k] = Rt;
    s.v_c[k] = check_random_normal(random);
    s.v_hat[k] = check_random_normal(random);
    s.gamma[k] = check_random_normal(random);
  }
  bool mixed = kind >= CR_LAW_CONTACT4 && check_random_int(random, 0, 1);
  for (int k = 0; k < MOST && mixed; k++)
    s.R[k] = s.scale * exp(check_random_uniform(random, -6, 0));
  if (cr_law_get(kind)->is_cone)
    s.R[rows_of(&s) - 1] = s.scale * exp(check_random_uniform(random, -6, 0));
  return s;
}

static double evaluate(const sample* s, double* gamma, double* G) {
  cr_law_batch batch = batch_of(s);
  cr_law_point point = point_of(s);
  return cr_law_get(s->kind)->evaluate(&batch, &point, gamma, G);
}

static void project(const sample* s, const double* gamma, double* out) {
  cr_law_batch batch = batch_of(s);
  cr_law_get(s->kind)->project(&batch, gamma, out);
}

/* -gammaᵀ d - 1/2 gammaᵀ R gamma, which gamma(v_c) maximises over C. */
static double dual_value(const sample* s, const double* gamma) {
  double sum = 0;
  for (int k = 0; k < rows_of(s); k++)
    sum += -gamma[k] * (s->v_c[k] - s->v_hat[k]) - 0.5 * s->R[k] * gamma[k] * gamma[k];
  return sum;
}

#define FOR_ALL_SAMPLES(s)                      \
  check_random random = {3};                    \
  for (int repeat = 0; repeat < 3000; repeat++) \
    for (sample s = random_sample(&random, repeat % CR_LAW_COUNT), *once = &s; once; once = NULL)

/* l is the maximum, gamma(v_c) its only maximiser: no point of C does better. */
static void test_maximum(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    double gamma[MOST] = {0}, inside[MOST], other[MOST], trial[MOST], most = 0;
    double cost = evaluate(&s, gamma, NULL), size = fabs(cost) + 1e-12;
    project(&s, gamma, inside);
    for (int k = 0; k < rows_of(&s); k++) most = fmax(most, fabs(gamma[k]));
    check_near_array(inside, gamma, rows_of(&s), 2e-13 * (1 + most));
    check_near(dual_value(&s, gamma), cost, 1e-11 * size);
    for (int k = 0; k < MOST; k++) other[k] = gamma[k] + check_random_normal(&random);
    project(&s, other, trial);
    assert_true(dual_value(&s, trial) <= cost + 1e-11 * size);
  }
}

/* Distance of v_c from the nearest change of region, so that differences do not straddle it. */
static bool is_smooth(sample s, double h) {
  double G0[MOST * MOST], G[MOST * MOST], gamma[MOST];
  evaluate(&s, gamma, G0);
  for (int k = 0; k < rows_of(&s); k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      sample moved = s;
      moved.v_c[k] += 50 * sign * h;
      evaluate(&moved, gamma, G);
      for (int i = 0; i < rows_of(&s) * rows_of(&s); i++)
        if (fabs(G[i] - G0[i]) > 0.02 * (fabs(G0[0]) + fabs(G0[rows_of(&s) * rows_of(&s) - 1])))
          return false;
    }
  return true;
}

/* dl/dv_c = -gamma and G = -dgamma/dv_c, by central differences. */
static void test_derivatives(void** state) {
  (void)state;
  int used = 0;
  FOR_ALL_SAMPLES(s) {
    double h = 1e-5, gamma[MOST], G[MOST * MOST];
    int rows = rows_of(&s);
    if (!is_smooth(s, h)) continue;
    evaluate(&s, gamma, G);
    for (int k = 0; k < rows; k++) {
      sample up = s, down = s;
      double gu[MOST], gd[MOST], size = fabs(G[0]) + fabs(G[rows * rows - 1]) + 1e-12;
      up.v_c[k] += h, down.v_c[k] -= h;
      double slope = (evaluate(&up, gu, NULL) - evaluate(&down, gd, NULL)) / (2 * h);
      check_near(slope, -gamma[k], 1e-4 * h * size + 1e-8 * (1 + fabs(gamma[k])));
      for (int i = 0; i < rows; i++)
        check_near(-(gu[i] - gd[i]) / (2 * h), G[rows * i + k], 1e-3 * size);
    }
    used++;
  }
  assert_true(used > 1500);
}

/* A projection is idempotent and nearer than any other point of the set. */
static void test_projection(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    double p[MOST] = {0}, again[MOST] = {0}, other[MOST], q[MOST] = {0}, near = 0, far = 0;
    project(&s, s.gamma, p);
    project(&s, p, again);
    check_near_array(again, p, rows_of(&s), 1e-15);
    for (int k = 0; k < MOST; k++) other[k] = s.gamma[k] + check_random_normal(&random);
    project(&s, other, q);
    for (int k = 0; k < rows_of(&s); k++) {
      near += pow(s.gamma[k] - p[k], 2);
      far += pow(s.gamma[k] - q[k], 2);
    }
    assert_true(near <= far + 1e-14);
  }
}

/* gap = l + 1/2 gammaᵀ R gamma + gammaᵀ d >= 0 for gamma in C, and 0 at gamma(v_c). */
static void test_gap(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    double best[MOST] = {0}, inside[MOST] = {0}, cost = evaluate(&s, best, NULL);
    cr_law_batch batch = batch_of(&s);
    project(&s, s.gamma, inside);
    memcpy(s.gamma, inside, sizeof inside);
    cr_law_point point = point_of(&s);
    double gap = cr_law_get(s.kind)->gap(&batch, &point), expected = cost - dual_value(&s, inside);
    check_near(gap, expected, 1e-10 * (fabs(cost) + fabs(dual_value(&s, inside)) + 1e-12));
    assert_true(gap >= -1e-15 * (1 + fabs(cost)));
    memcpy(s.gamma, best, sizeof best);
    check_near(cr_law_get(s.kind)->gap(&batch, &point), 0, 1e-15 * (1 + fabs(cost)));
  }
}

/* From gamma(v_c) along the cone's surface, where gammaᵀ (R P + d) stays zero, the gap is the
 * square of the way, also where that is far below the round-off of the costs. */
static void test_small_gaps(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    double best[MOST] = {0}, way = pow(10, check_random_uniform(&random, -12, -2)), square = 0;
    if (!cr_law_get(s.kind)->is_cone) continue;
    evaluate(&s, best, NULL);
    for (int k = 0; k < rows_of(&s); k++) {
      s.gamma[k] = best[k] * (1 + way);
      square += 0.5 * s.R[k] * pow(s.gamma[k] - best[k], 2);
    }
    cr_law_batch batch = batch_of(&s);
    cr_law_point point = point_of(&s);
    check_near(cr_law_get(s.kind)->gap(&batch, &point), square, 1e-3 * square);
  }
}

static double linearize(const sample* s, const cr_law_mode* mode, double* G, double* Gc,
                        double* h) {
  cr_law_batch batch = batch_of(s);
  cr_law_point point = point_of(s);
  cr_law_linearization out = {G, Gc, h};
  return cr_law_get(s->kind)->linearize(&batch, &point, mode, &out);
}

static double merit(const sample* s, const cr_law_mode* mode) {
  cr_law_batch batch = batch_of(s);
  cr_law_point point = point_of(s);
  return cr_law_get(s->kind)->merit(&batch, &point, mode);
}

/* With v_c held, primal-dual steps lead to gamma(v_c), where the merit vanishes and G is that of
 * the analytic inverse dynamics. */
static void test_primal_dual_fixed_point(void** state) {
  (void)state;
  int converged = 0, total = 0;
  FOR_ALL_SAMPLES(s) {
    double best[MOST] = {0}, G[MOST * MOST] = {0}, G0[MOST * MOST] = {0}, h[MOST];
    cr_law_mode mode = {0};
    evaluate(&s, best, G0);
    double size = 1;
    for (int k = 0; k < rows_of(&s); k++) size += fabs(best[k]);
    for (int i = 0; i < 60; i++) {
      linearize(&s, &mode, G, NULL, h);
      double before = merit(&s, &mode), step = 1;
      sample from = s;
      for (int halve = 0; halve < 20; halve++, step *= 0.5) {
        for (int k = 0; k < rows_of(&s); k++) s.gamma[k] = from.gamma[k] + step * h[k];
        if (merit(&s, &mode) <= before) break;
      }
    }
    total++;
    bool done = true;
    for (int k = 0; k < rows_of(&s); k++) done = done && fabs(s.gamma[k] - best[k]) <= 1e-9 * size;
    converged += done;
    if (!done) continue;
    assert_true(merit(&s, &mode) <= 1e-15 * s.scale * size * size);
    if (is_smooth(s, 1e-6))
      check_near_array(G, G0, rows_of(&s) * rows_of(&s),
                       1e-5 * (fabs(G0[0]) + fabs(G0[rows_of(&s) * rows_of(&s) - 1]) + 1e-12));
  }
  assert_true(converged >= total * 99 / 100);
}

/* The residual r(v_c, gamma) = gamma - P_C(gamma - rho s): the step (h, G) solves its
 * linearisation, so along dgamma = h - G dv_c the residual falls quadratically with the step. */
static void check_linear_model(sample s, bool coulomb, check_random* random) {
  double G[MOST * MOST] = {0}, Gc[MOST * MOST] = {0}, h[MOST], d[MOST];
  cr_law_mode mode = {.coulomb = coulomb};
  int rows = rows_of(&s);
  double before = linearize(&s, &mode, G, Gc, h);
  const double* used = coulomb ? Gc : G;
  double alpha[2] = {1e-4, 5e-5}, excess[2];
  for (int k = 0; k < MOST; k++) d[k] = check_random_normal(random);
  for (int a = 0; a < 2; a++) {
    sample t = s;
    for (int i = 0; i < rows; i++) {
      double g = h[i];
      for (int j = 0; j < rows; j++) g -= used[rows * i + j] * d[j];
      t.gamma[i] += alpha[a] * g;
      t.v_c[i] += alpha[a] * d[i];
    }
    /* |r(alpha)| = (1 - alpha) |r0| + O(alpha²) */
    excess[a] = sqrt(merit(&t, &mode)) - (1 - alpha[a]) * sqrt(before);
  }
  double size = sqrt(before) + 1e-12;
  assert_true(fabs(excess[1]) <= 0.3 * fabs(excess[0]) + 1e-9 * size);
}

static void test_primal_dual_model(void** state) {
  (void)state;
  int used = 0;
  FOR_ALL_SAMPLES(s) {
    double G[MOST * MOST], h[MOST], Gc[MOST * MOST], G2[MOST * MOST];
    cr_law_mode mode = {.coulomb = cr_law_get(s.kind)->is_cone && repeat / CR_LAW_COUNT % 2};
    linearize(&s, &mode, G, Gc, h);
    sample near = s;
    for (int k = 0; k < MOST; k++) near.gamma[k] += 3e-3 * check_random_normal(&random);
    linearize(&near, &mode, G2, Gc, h);
    bool smooth = true;
    for (int i = 0; i < rows_of(&s) * rows_of(&s); i++)
      smooth = smooth && fabs(G2[i] - G[i]) <= 0.05 * (fabs(G[0]) + 1e-9);
    double most = 0;
    for (int k = 0; k < rows_of(&s) * rows_of(&s); k++) most = fmax(most, fabs(G[k]) * s.scale);
    if (!smooth || most > 50) continue;
    check_linear_model(s, mode.coulomb, &random);
    used++;
  }
  assert_true(used > 500);
}

/* The natural residual is how far gamma is from P_C(gamma - rho s), which it writes where that is
 * asked for. */
static void test_residual(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    cr_law_batch b = batch_of(&s);
    cr_law_point point = point_of(&s);
    const cr_law* law = cr_law_get(s.kind);
    const cr_law_mode mode = {0};
    double rho[MOST], z[MOST], expected[MOST] = {0}, pulled[MOST] = {0}, sum = 0;
    for (int k = 0; k < MOST; k++) rho[k] = 1 / s.scale;
    for (int k = 0; k < rows_of(&s); k++)
      z[k] = s.gamma[k] - rho[k] * (s.v_c[k] - s.v_hat[k] + s.R[k] * s.gamma[k]);
    law->project(&b, z, expected);
    double residual = law->residual(&b, &point, &mode, rho, pulled), size = 1;
    for (int k = 0; k < rows_of(&s); k++) {
      sum += pow(s.gamma[k] - pulled[k], 2);
      size += fabs(z[k]);
    }
    check_near(residual, sum, 1e-13 * sum);
    assert_true(residual == law->residual(&b, &point, &mode, rho, NULL));
    check_near_array(pulled, expected, rows_of(&s), 1e-13 * size);
  }
}

/* The closed forms against power iteration. */
static void test_eigenvalue(void** state) {
  (void)state;
  check_random random = {5};
  for (int i = 0; i < 1000; i++) {
    double B[MOST * MOST], W[MOST * MOST] = {0}, x[MOST] = {1, .5, .25, .8, .3, .6}, y[MOST],
                                    norm = 0;
    int rows = 1 + i % MOST;
    for (int k = 0; k < MOST * MOST; k++) B[k] = check_random_normal(&random);
    for (int a = 0; a < rows; a++)
      for (int b = 0; b < rows; b++)
        for (int k = 0; k < rows; k++) W[rows * a + b] += B[rows * a + k] * B[rows * b + k];
    for (int step = 0; step < 3000; step++) {
      norm = 0;
      for (int a = 0; a < rows; a++) {
        y[a] = 0;
        for (int b = 0; b < rows; b++) y[a] += W[rows * a + b] * x[b];
        norm = hypot(norm, y[a]);
      }
      for (int a = 0; a < rows; a++) x[a] = y[a] / norm;
    }
    check_near(cr_law_largest_eigenvalue(W, rows), norm, 1e-6 * norm);
  }
}

/* An impulse on the cone's surface is linearised as sliding where that is asked for: G of a contact
 * that seems to stick couples normal and slip as the cone does. All else, the merit too, stays. */
static void test_sliding_on_surface(void** state) {
  (void)state;
  int turned = 0;
  FOR_ALL_SAMPLES(s) {
    if (s.kind != CR_LAW_CONTACT) continue;
    const cr_law_mode plain = {0}, asked = {.slides_on_surface = true};
    double G[2][MOST * MOST], Gc[MOST * MOST], h[2][MOST], mu = s.parameter[0];
    bool on_surface = repeat % 2;
    if (on_surface) s.gamma[2] = hypot(s.gamma[0], s.gamma[1]) / mu;
    for (int k = 0; k < 3; k++) s.v_c[k] = s.v_hat[k] - s.R[k] * s.gamma[k] * (1 + 1e-3 * (k == 2));
    double merit = linearize(&s, &plain, G[0], Gc, h[0]);
    check_near(linearize(&s, &asked, G[1], Gc, h[1]), merit, 0);
    bool sticks = G[0][2] == 0 && G[0][5] == 0 && G[0][8] > 0;
    if (!on_surface || !sticks) {
      check_near_array(G[1], G[0], 9, 0);
      check_near_array(h[1], h[0], 3, 0);
      continue;
    }
    turned++;
    double along = (G[1][2] * s.gamma[0] + G[1][5] * s.gamma[1]) / hypot(s.gamma[0], s.gamma[1]);
    check_near(along, mu * G[1][8], 1e-6 * fabs(mu * G[1][8]));
    for (int k = 0; k < 3; k++) assert_true(isfinite(h[1][k]));
  }
  assert_true(turned > 100);
}

/* What a start near the sample's gamma asks of products: far above round-off, and small beside what
 * point and slack are. */
static double choose_product(const sample* s) {
  double sum = 0;
  for (int k = 0; k < rows_of(s); k++) {
    double slack = s->v_c[k] - s->v_hat[k] + s->R[k] * s->gamma[k];
    sum += s->scale * s->gamma[k] * s->gamma[k] + slack * slack / s->scale;
  }
  return 1e-6 * sum;
}

/* An interior start near a guess lies in C, has the product that was asked for in every pair, and
 * is no farther from a guess that is gamma(v_c) than smoothing takes it: sqrt(product) in each
 * eigenvalue. */
static void test_interior_start_near(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    double solution[MOST] = {0}, gamma[MOST], inside[MOST];
    double interior_state[CR_LAW_INTERIOR_MOST * MOST] = {0};
    const cr_law_interior* interior = cr_law_get(s.kind)->interior;
    cr_law_batch batch = batch_of(&s);
    int rows = rows_of(&s), pairs = 0;
    evaluate(&s, solution, NULL);
    memcpy(s.gamma, solution, sizeof solution);
    cr_law_point point = point_of(&s);
    double product = choose_product(&s), reach = sqrt(product / s.scale), most = 0;
    if (cr_law_get(s.kind)->is_cone) reach /= fmin(1, s.parameter[0]);
    interior->start(&batch, &point, NULL, product, interior_state);
    double sum = interior->complementarity(&batch, interior_state, 0, &pairs);
    check_near(sum, pairs * product, 1e-8 * product);
    interior->get_gamma(&batch, interior_state, gamma);
    project(&s, gamma, inside);
    for (int k = 0; k < rows; k++) most = fmax(most, fabs(gamma[k]));
    check_near_array(inside, gamma, rows, 1e-13 * most);
    check_near_array(gamma, solution, rows, 2 * reach);
  }
}

/* With products at round-off a start from a solution is still inside. */
static void test_interior_start_at_solution(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    double interior_state[CR_LAW_INTERIOR_MOST * MOST] = {0}, G[MOST * MOST], h[MOST];
    const cr_law_interior* interior = cr_law_get(s.kind)->interior;
    cr_law_batch batch = batch_of(&s);
    evaluate(&s, s.gamma, NULL);
    cr_law_point point = point_of(&s);
    interior->start(&batch, &point, NULL, 1e-10 * choose_product(&s), interior_state);
    interior->linearize(&batch, &point, NULL, 0, false, interior_state, G, h);
    for (int k = 0; k < rows_of(&s); k++) assert_true(isfinite(h[k]) && isfinite(G[k]));
  }
}

/* An interior point near a sample's gamma with its direction, for J dv_c = dv. */
typedef struct inside {
  const cr_law_interior* law;
  cr_law_batch batch;
  double state[CR_LAW_INTERIOR_MOST * MOST], G[MOST * MOST], h[MOST], dv[MOST], product;
} inside;

static inside start_inside(const sample* s, double share, double velocity) {
  inside x = {.law = cr_law_get(s->kind)->interior, .product = choose_product(s)};
  x.batch = batch_of(s);
  cr_law_point point = point_of(s);
  for (int k = 0; k < rows_of(s); k++) x.dv[k] = velocity * s->v_c[k];
  x.law->start(&x.batch, &point, NULL, x.product, x.state);
  x.law->linearize(&x.batch, &point, NULL, share * x.product, false, x.state, x.G, x.h);
  return x;
}

/* The direction of an interior point: gamma moves by h - G dv_c, and the products, which are a
 * square in the step, have the slope that leads to those that were asked for. */
static void test_interior_direction(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    inside x = start_inside(&s, 0.5, 1e-3);
    double before[MOST], after[MOST];
    int rows = rows_of(&s), pairs = 0;
    x.law->get_gamma(&x.batch, x.state, before);
    x.law->complete(&x.batch, x.dv, x.G, x.h, x.state);
    assert_true(x.law->longest_step(&x.batch, x.state, INFINITY) > 0);
    double sum = x.law->complementarity(&x.batch, x.state, 0, &pairs);
    double forth = x.law->complementarity(&x.batch, x.state, 1, &(int){0});
    double back = x.law->complementarity(&x.batch, x.state, -1, &(int){0});
    check_near(0.5 * (forth - back), -0.5 * sum, 1e-9 * (fabs(forth) + fabs(back)));
    x.law->move(&x.batch, 1e-3, x.state);
    x.law->get_gamma(&x.batch, x.state, after);
    for (int a = 0; a < rows; a++) {
      double step = x.h[a];
      for (int b = 0; b < rows; b++) step -= x.G[rows * a + b] * x.dv[b];
      check_near(after[a] - before[a], 1e-3 * step, 1e-12 * (fabs(before[a]) + fabs(step)));
    }
  }
}

/* A contact that slides near a solution, stiff: what keeps gamma and the slack inside is 1e-16 of
 * them, and G is 1e8. A velocity that halves the slack leads to where the products vanish, at the
 * end of a step of 1; with G's round-off in the direction the step would have no length. */
static void check_near_surface(cr_law_kind kind, check_random* random) {
  double mu = 0.5, slip = 0.3, impulse = 0.03, R = 1e-8, dv[MOST] = {0}, t[MOST], size = 0;
  sample s = {.kind = kind, .parameter = {mu}, .scale = 1};
  int n = cr_law_get(kind)->rows - 1;
  for (int i = 0; i < n; i++) t[i] = check_random_normal(random), size += t[i] * t[i];
  for (int i = 0; i <= n; i++) {
    bool is_normal = i == n;
    double slide = is_normal ? mu * slip : slip * t[i] / sqrt(size);
    s.R[i] = R;
    s.gamma[i] = is_normal ? impulse : -mu * impulse * t[i] / sqrt(size);
    s.v_c[i] = slide - R * s.gamma[i];
    dv[i] = -0.5 * slide;
  }
  double G[MOST * MOST], h[MOST], x[CR_LAW_INTERIOR_MOST * MOST] = {0};
  const cr_law_interior* law = cr_law_get(kind)->interior;
  cr_law_batch batch = batch_of(&s);
  cr_law_point point = point_of(&s);
  law->start(&batch, &point, NULL, 1e-17, x);
  law->linearize(&batch, &point, NULL, 0, false, x, G, h);
  law->complete(&batch, dv, G, h, x);
  check_near(law->longest_step(&batch, x, INFINITY), 1, 0.05);
}

static void test_direction_near_surface(void** state) {
  (void)state;
  check_random random = {1};
  for (int k = 0; k < 100; k++) {
    check_near_surface(CR_LAW_CONTACT, &random);
    check_near_surface(CR_LAW_CONTACT4, &random);
    check_near_surface(CR_LAW_CONTACT6, &random);
  }
}

/* A correction of centrality asks of every pair that its product, after a share of the direction,
 * goes into the range, and of none that is there already: so the sum of products that the new
 * direction leads to in first order is the old one and what is missing. One pair that is below the
 * range goes to its end. */
static void test_recentering(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    inside x = start_inside(&s, 1, 0);
    double kept[MOST], product = x.product, size = 0;
    int rows = rows_of(&s), pairs = 0;
    x.law->complete(&x.batch, x.dv, x.G, x.h, x.state);
    memcpy(kept, x.h, sizeof kept);
    for (int k = 0; k < rows; k++) size = fmax(size, fabs(kept[k]));
    /* all products are what they are at the start, far inside */
    x.law->recenter(&x.batch, 0, (cr_law_range){0.5 * product, 2 * product}, x.G, x.state, x.h);
    check_near_array(x.h, kept, rows, 1e-10 * size);
    x.law->complete(&x.batch, x.dv, x.G, x.h, x.state);
    double before[2] = {x.law->complementarity(&x.batch, x.state, 1, &pairs),
                        x.law->complementarity(&x.batch, x.state, -1, &(int){0})};
    /* and now below, each by half of it */
    x.law->recenter(&x.batch, 0, (cr_law_range){1.5 * product, 2 * product}, x.G, x.state, x.h);
    x.law->complete(&x.batch, x.dv, x.G, x.h, x.state);
    double after[2] = {x.law->complementarity(&x.batch, x.state, 1, &(int){0}),
                       x.law->complementarity(&x.batch, x.state, -1, &(int){0})};
    double slope = 0.5 * (after[0] - after[1] - before[0] + before[1]), sum = 0;
    for (int i = 0; i < 2; i++) sum += fabs(before[i]) + fabs(after[i]);
    check_near(slope, 0.5 * pairs * product, 1e-9 * sum);
  }
}

/* The longest step is where the direction leaves the interior: gamma leaves C there, or its slack
 * the dual cone, where products are not those of two points of cones; and no longer than what is
 * asked for. */
static void test_longest_step(void** state) {
  (void)state;
  FOR_ALL_SAMPLES(s) {
    inside x = start_inside(&s, 1e-3, 1);
    x.law->complete(&x.batch, x.dv, x.G, x.h, x.state);
    double longest = x.law->longest_step(&x.batch, x.state, INFINITY);
    if (isinf(longest)) continue;
    check_near(x.law->longest_step(&x.batch, x.state, 0.5 * longest), 0.5 * longest, 0);
    check_near(x.law->longest_step(&x.batch, x.state, 2 * longest), longest, 0);
    double before[MOST], gamma[MOST], moved[MOST];
    x.law->get_gamma(&x.batch, x.state, before);
    for (int turn = 0; turn < 2; turn++) { /* to the end and a little farther */
      inside y = x;
      y.law->move(&y.batch, turn == 0 ? 0.999 * longest : longest, y.state);
      y.law->get_gamma(&y.batch, y.state, gamma);
      project(&s, gamma, moved);
      for (int k = 0; k < rows_of(&s) && turn == 0; k++)
        check_near(moved[k], gamma[k], 1e-9 * (fabs(before[k]) + fabs(gamma[k])));
      double left = y.law->longest_step(&y.batch, y.state, INFINITY);
      if (turn == 0) check_near(left, 1e-3 * longest, 1e-5 * longest);
    }
  }
}

/* A point that has come too near to the surface moves off it, by the root of the product that is
 * asked for at most, so that it can go farther in its direction; others stay where they are. */
static void test_lift(void** state) {
  (void)state;
  int lifted[CR_LAW_COUNT] = {0};
  FOR_ALL_SAMPLES(s) {
    inside x = start_inside(&s, 1e-8, 1);
    double before[MOST], after[MOST], least = 0.1 * x.product;
    double reach = sqrt(least / s.scale);
    x.law->complete(&x.batch, x.dv, x.G, x.h, x.state);
    assert_false(x.law->lift(&x.batch, 0.01 * x.product, x.state));
    double longest = x.law->longest_step(&x.batch, x.state, 1);
    x.law->move(&x.batch, longest * (1 - 1e-6), x.state);
    x.law->get_gamma(&x.batch, x.state, before);
    double left = x.law->longest_step(&x.batch, x.state, INFINITY);
    bool is_low = x.law->lift(&x.batch, least, x.state);
    lifted[s.kind] += is_low;
    x.law->get_gamma(&x.batch, x.state, after);
    if (cr_law_get(s.kind)->is_cone) reach /= fmin(1, s.parameter[0]);
    for (int k = 0; k < rows_of(&s); k++)
      check_near(after[k], before[k], is_low ? (1 + 1e-9) * reach : 0);
    double farther = x.law->longest_step(&x.batch, x.state, INFINITY);
    if (is_low && longest < 1)
      assert_true(farther > left);
    else if (!is_low)
      assert_true(farther == left);
  }
  for (int k = 0; k < CR_LAW_COUNT; k++) assert_in_range(lifted[k], 100, 3000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_maximum),
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_projection),
      cmocka_unit_test(test_gap),
      cmocka_unit_test(test_small_gaps),
      cmocka_unit_test(test_primal_dual_fixed_point),
      cmocka_unit_test(test_primal_dual_model),
      cmocka_unit_test(test_residual),
      cmocka_unit_test(test_eigenvalue),
      cmocka_unit_test(test_sliding_on_surface),
      cmocka_unit_test(test_interior_start_near),
      cmocka_unit_test(test_interior_start_at_solution),
      cmocka_unit_test(test_interior_direction),
      cmocka_unit_test(test_direction_near_surface),
      cmocka_unit_test(test_recentering),
      cmocka_unit_test(test_longest_step),
      cmocka_unit_test(test_lift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
