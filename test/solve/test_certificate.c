/* The certificate against costs computed densely: the pair gap is l_p(v) + l_d(gamma) and bounds
 * the distance to the optimum; and the proximal problem, which changes nothing at its anchor. */
#include "solve/certificate.h"
#include "support/dense.h"
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static test_problem_def contact_def(check_random* random) {
  return (test_problem_def){.bodies = check_random_int(random, 1, 8),
                            .contacts = check_random_int(random, 1, 20),
                            .mass_ratio = pow(10, check_random_uniform(random, 0, 4)),
                            .stiffness_low = 1e2,
                            .stiffness_high = 1e8,
                            .mu_low = 0,
                            .mu_high = 2,
                            .sigma = pow(10, check_random_uniform(random, -4, 0)),
                            .redundant = 0.2,
                            .bounds = check_random_int(random, 0, 5),
                            .full_A = true};
}

/* A problem with a system and an iterate of it. */
typedef struct fixture {
  test_problem p;
  cr_arena arena;
  cr_system system;
  cr_iterate iterate;
  int n, m;
} fixture;

static void fixture_init(fixture* f, check_random* random) {
  test_problem_def def = contact_def(random);
  test_problem_make_random(&def, random, &f->p);
  f->n = f->p.problem.pattern.num_rows, f->m = f->p.problem.num_rows;
  cr_arena_init(&f->arena, NULL);
  assert_true(cr_system_init(&f->system, &f->p.problem, NULL, &f->arena));
  assert_true(cr_iterate_init(&f->iterate, &f->p.problem, &f->arena));
}

static void fixture_destroy(fixture* f) {
  cr_arena_destroy(&f->arena);
  test_problem_destroy(&f->p);
}

/* Any v and any gamma, not in C. */
static void draw_iterate(fixture* f, check_random* random) {
  for (int i = 0; i < f->n; i++)
    f->iterate.v[i] = f->p.problem.v_star[i] + 0.3 * check_random_normal(random);
  for (int i = 0; i < f->m; i++) f->iterate.gamma[i] = check_random_normal(random);
  cr_iterate_update(&f->system, &f->iterate);
}

/* A difference of costs that may be far larger: round-off of their sums. */
static void test_gap_is_the_sum_of_costs(void** state) {
  (void)state;
  check_random random = {1};
  for (int repeat = 0; repeat < check_repeats(1000); repeat++) {
    fixture f;
    fixture_init(&f, &random);
    draw_iterate(&f, &random);
    double *inside = dense_zeros(f.m), *own = dense_zeros(f.m), norm2;
    double gap = cr_certificate_gap(&f.system, &f.iterate, inside);
    double primal = test_primal_cost(&f.p.problem, f.iterate.v, &norm2, own);
    double dual = test_dual_cost(&f.p.problem, inside);
    check_near(gap, primal + dual, 1e-12 * (fabs(primal) + fabs(dual)));

    /* At gamma(v) it is half the gradient's square in A^-1. */
    memcpy(f.iterate.gamma, own, sizeof(double) * (size_t)f.m);
    cr_iterate_update(&f.system, &f.iterate);
    gap = cr_certificate_gap(&f.system, &f.iterate, inside);
    check_near(gap, 0.5 * norm2, 1e-12 * (fabs(primal) + fabs(test_dual_cost(&f.p.problem, own))));

    /* A balanced iterate's momentum is measured too. */
    cr_iterate_balance(&f.system, &f.iterate);
    gap = cr_certificate_gap(&f.system, &f.iterate, inside);
    primal = test_primal_cost(&f.p.problem, f.iterate.v, &norm2, own);
    dual = test_dual_cost(&f.p.problem, inside);
    check_near(gap, primal + dual, 1e-12 * (fabs(primal) + fabs(dual)));
    free(inside), free(own);
    fixture_destroy(&f);
  }
}

/* |gamma|² in W + R. */
static double impulse_norm2(const cr_problem* p, const double* gamma) {
  double *zero = dense_zeros(p->pattern.num_rows), sum = 0;
  cr_problem still = *p;
  double* no_bias = dense_zeros(p->num_rows);
  still.v_star = zero, still.v_hat = no_bias;
  sum = 2 * test_dual_cost(&still, gamma);
  free(zero), free(no_bias);
  return sum;
}

/* |v - v_opt|²_A + |gamma - gamma_opt|²_(W + R) <= 2 gap, at points far and near. */
static void test_gap_bounds_distance(void** state) {
  (void)state;
  check_random random = {2};
  double closest = 0;
  for (int repeat = 0; repeat < check_repeats(500); repeat++) {
    fixture f;
    fixture_init(&f, &random);
    const cr_problem* p = &f.p.problem;
    double *v = dense_zeros(f.n), *gamma = dense_zeros(f.m), *inside = dense_zeros(f.m);
    cr_solve_options options = cr_solve_options_default();
    options.friction = CR_FRICTION_CONVEX;
    options.tolerance = 1e-8;
    cr_solve_report report = test_solve(p, &options, v, gamma);
    assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
    for (double share = 1; share > 1e-3; share *= 0.3) {
      draw_iterate(&f, &random);
      for (int i = 0; i < f.n; i++) f.iterate.v[i] = v[i] + share * (f.iterate.v[i] - p->v_star[i]);
      for (int i = 0; i < f.m; i++)
        f.iterate.gamma[i] = gamma[i] + share * f.iterate.gamma[i] * (fabs(gamma[i]) + 1e-3);
      cr_iterate_update(&f.system, &f.iterate);
      double gap = cr_certificate_gap(&f.system, &f.iterate, inside);
      for (int i = 0; i < f.m; i++) inside[i] -= gamma[i];
      double distance2 =
          pow(test_distance(p, f.iterate.v, v), 2) + fmax(impulse_norm2(p, inside), 0);
      /* The optimum is known to its own bound. */
      assert_true(sqrt(distance2) <= sqrt(2 * gap) + report.error_bound);
      closest = fmax(closest, distance2 / (2 * gap));
    }
    free(v), free(gamma), free(inside);
    fixture_destroy(&f);
  }
  print_message("the bound is met to %.2f\n", closest);
  assert_true(closest > 0.5);
}

/* Settled impulses are those that the gap is taken at, and the gap and the number compared with the
 * tolerance are those of the same point measured anew; what is not good enough stays as it is. */
static void test_settled_gap(void** state) {
  (void)state;
  check_random random = {5};
  for (int repeat = 0; repeat < check_repeats(200); repeat++) {
    fixture f;
    fixture_init(&f, &random);
    draw_iterate(&f, &random);
    const cr_law_mode mode = {0};
    double *inside = dense_zeros(f.m), *before = dense_zeros(f.m);
    memcpy(before, f.iterate.gamma, sizeof(double) * (size_t)f.m);
    double gap = cr_certificate_gap(&f.system, &f.iterate, inside);
    double value = cr_certificate_value(&f.system, &f.iterate, &mode, inside), least;
    least = cr_certificate_settle(&f.system, &mode, 0, &f.iterate, inside);
    assert_true(least > 0 && least <= value * (1 + 1e-12) && f.iterate.gap < 0);
    assert_memory_equal(before, f.iterate.gamma, sizeof(double) * (size_t)f.m);
    check_near(cr_certificate_settle(&f.system, &mode, INFINITY, &f.iterate, inside), value,
               1e-12 * value);
    check_near(f.iterate.gap, gap, 1e-12 * gap);
    assert_memory_equal(inside, f.iterate.gamma, sizeof(double) * (size_t)f.m);
    cr_iterate_update(&f.system, &f.iterate);
    assert_true(f.iterate.gap < 0);
    free(inside), free(before);
    fixture_destroy(&f);
  }
}

/* The iterate's norms and residuals against dense ones. */
static void test_iterate(void** state) {
  (void)state;
  check_random random = {3};
  for (int repeat = 0; repeat < check_repeats(200); repeat++) {
    fixture f;
    fixture_init(&f, &random);
    draw_iterate(&f, &random);
    const cr_problem* p = &f.p.problem;
    double *J = test_problem_dense_J(p), *JT = dense_transpose(J, f.m, f.n), *A = dense_A(p);
    double *v_c = dense_product(J, f.iterate.v, f.m, f.n, 1), *dv = dense_zeros(f.n);
    for (int i = 0; i < f.n; i++) dv[i] = f.iterate.v[i] - p->v_star[i];
    double *r = dense_product(A, dv, f.n, f.n, 1), *Adv = dense_product(A, dv, f.n, f.n, 1);
    double *impulse = dense_product(JT, f.iterate.gamma, f.n, f.m, 1), *x = dense_zeros(f.n);
    double norm2 = 0, dv_norm2 = 0;
    for (int i = 0; i < f.n; i++) x[i] = r[i] -= impulse[i];
    dense_solve(A, f.n, x, 1);
    for (int i = 0; i < f.n; i++) norm2 += x[i] * r[i], dv_norm2 += dv[i] * Adv[i];
    double size = dense_norm(Adv, f.n) + dense_norm(impulse, f.n);
    check_near_array(f.iterate.v_c, v_c, f.m, 1e-13 * dense_norm(f.iterate.v, f.n));
    check_near_array(f.iterate.r, r, f.n, 1e-13 * size);
    check_near(f.iterate.r_norm2, norm2, 1e-10 * norm2);
    check_near(f.iterate.dv_norm2, dv_norm2, 1e-12 * dv_norm2);

    /* Balanced, the residual is gone and v = v* + A^-1 Jᵀ gamma. */
    memcpy(x, impulse, sizeof(double) * (size_t)f.n);
    dense_solve(A, f.n, x, 1);
    cr_iterate_balance(&f.system, &f.iterate);
    for (int i = 0; i < f.n; i++)
      check_near(f.iterate.v[i], p->v_star[i] + x[i], 1e-10 * (1 + dense_norm(x, f.n)));
    cr_iterate_update(&f.system, &f.iterate);
    assert_true(sqrt(f.iterate.r_norm2) <= 1e-10 * sqrt(f.iterate.dv_norm2 + 1e-6));
    free(J), free(JT), free(A), free(v_c), free(dv), free(r), free(Adv), free(impulse), free(x);
    fixture_destroy(&f);
  }
}

/* R gamma - v_hat of the proximal problem is that of the problem itself at the anchor, and every
 * contact row has at least the weight asked for. */
static void test_proximal_problem(void** state) {
  (void)state;
  check_random random = {4};
  for (int repeat = 0; repeat < check_repeats(200); repeat++) {
    fixture f;
    fixture_init(&f, &random);
    draw_iterate(&f, &random);
    const cr_problem* p = &f.p.problem;
    double eps = pow(10, check_random_uniform(&random, -4, 1));
    cr_system_set_proximal(&f.system, eps, f.iterate.gamma);
    for (int i = 0; i < f.m; i++) {
      double gamma = f.iterate.gamma[i], before = p->R[i] * gamma - p->v_hat[i];
      double size = f.system.R[i] * fabs(gamma) + fabs(f.system.v_hat[i]);
      check_near(f.system.R[i] * gamma - f.system.v_hat[i], before, 1e-15 * size);
      assert_true(f.system.R[i] >= p->R[i]);
    }
    const cr_law_batch* contacts = &f.system.batch[CR_LAW_CONTACT];
    for (int i = 0; i < contacts->count; i++)
      for (int k = 0; k < 3; k++)
        assert_true(f.system.R[contacts->row[i] + k] >= eps * contacts->scale[i] * (1 - 1e-15));
    cr_system_set_proximal(&f.system, 0, NULL);
    assert_ptr_equal(f.system.R, p->R);
    assert_ptr_equal(f.system.v_hat, p->v_hat);
    fixture_destroy(&f);
  }
}

/* Impulses of what slides that are within their cones by a little e have a gap of first order in e,
 * and pulled to where the laws would have them one of second order, so that a point near the
 * solution is known to be so. The gap bounds how far it is all the same. */
static void test_pulled_gap(void** state) {
  (void)state;
  check_random random = {8};
  int within = 0, pulled = 0;
  for (int repeat = 0; repeat < check_repeats(300); repeat++) {
    fixture f;
    fixture_init(&f, &random);
    const cr_problem* p = &f.p.problem;
    const cr_law_mode mode = {0};
    double *v = dense_zeros(f.n), *gamma = dense_zeros(f.m), *scratch = dense_zeros(f.m);
    cr_solve_options options = cr_solve_options_default();
    options.friction = CR_FRICTION_CONVEX, options.tolerance = 1e-9;
    cr_solve_report report = test_solve(p, &options, v, gamma);
    memcpy(f.iterate.v, v, sizeof(double) * (size_t)f.n);
    for (int i = 0; i < f.m; i++) f.iterate.gamma[i] = gamma[i] * (1 - 1e-6);
    cr_iterate_update(&f.system, &f.iterate);
    double value = cr_certificate_value(&f.system, &f.iterate, &mode, scratch), enough = value / 5;
    double settled = cr_certificate_settle(&f.system, &mode, enough, &f.iterate, scratch);
    within += value > 1e-5;
    if (value > 1e-5 && settled <= enough) {
      double gap = cr_certificate_gap(&f.system, &f.iterate, scratch);
      check_near(f.iterate.gap, gap, 1e-9 * gap);
      for (int i = 0; i < f.m; i++) scratch[i] -= gamma[i];
      double far2 = pow(test_distance(p, f.iterate.v, v), 2) + fmax(impulse_norm2(p, scratch), 0);
      assert_true(sqrt(far2) <= sqrt(2 * gap) + report.error_bound);
      pulled++;
    }
    free(v), free(gamma), free(scratch);
    fixture_destroy(&f);
  }
  print_message("%d of %d\n", pulled, within);
  assert_true(pulled > within / 2 && within > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gap_is_the_sum_of_costs),
                                     cmocka_unit_test(test_gap_bounds_distance),
                                     cmocka_unit_test(test_settled_gap),
                                     cmocka_unit_test(test_pulled_gap),
                                     cmocka_unit_test(test_iterate),
                                     cmocka_unit_test(test_proximal_problem)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
