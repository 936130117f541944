/* Materials against finite differences, each other, LAPACK's eigenvalues, and the uniaxial numbers
 * that follow from their energies by a scalar equation. Central differences with h = 1e-5 are good
 * to h² + 1e-16 / h, about 1e-9 of the numbers at hand. */
#include "math/random.h"
#include "math/svd3.h"
#include "soft/material.h"
#include "support/check.h"

#include <lapacke.h>
#include <string.h>

#define CASES 300
#define STEP  1e-5

static const cr_soft_law LAWS[] = {CR_SOFT_COROTATED, CR_SOFT_LINEAR, CR_SOFT_FIXED_COROTATED,
                                   CR_SOFT_ST_VENANT_KIRCHHOFF, CR_SOFT_NEO_HOOKEAN};
enum { NUM_LAWS = 5 };

static cr_soft_material material_of(int law, double young, double poisson) {
  cr_soft_material material;
  carom_error error;
  check_ok(cr_soft_material_init(&material, LAWS[law], young, poisson, 1000, &error), &error);
  return material;
}

static m3 turned_gradient(check_random* random, double x, double y, double z) {
  m3 U = quat_to_m3(random_quat(random)), V = quat_to_m3(random_quat(random));
  m3 D = m3_diagonal(v3_make(x, y, z)), UD = m3_mul(&U, &D), Vt = m3_transpose(&V);
  return m3_mul(&UD, &Vt);
}

/* A rotation times a stretch between 0.5 and 1.6; `is_inverted` turns the smallest value around. */
static m3 random_gradient(check_random* random, bool is_inverted) {
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = check_random_uniform(random, 0.5, 1.6);
  if (is_inverted) s[2] = -check_random_uniform(random, 0.05, 0.3);
  return turned_gradient(random, s[0], s[1], s[2]);
}

static m3 moved(const m3* F, const m3* dF, double step) {
  m3 change = m3_scale(step, dF);
  return m3_add(F, &change);
}

static double dot(const m3* a, const m3* b) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += (&a->m[0][0])[i] * (&b->m[0][0])[i];
  return sum;
}

static void expect_derivatives(const cr_soft_material* material, const m3* F, double step,
                               check_random* random) {
  m3 dF = random_m3(random), P, Q, above = moved(F, &dF, step), below = moved(F, &dF, -step);
  cr_soft_tangent tangent;
  double energy = cr_soft_compute_tangent(material, F, false, NULL, &P, &tangent);
  check_near(cr_soft_compute_stress(material, F, NULL, &Q), energy, 1e-14 * fabs(energy));
  check_near_array(&Q.m[0][0], &P.m[0][0], 9, 1e-13 * sqrt(dot(&P, &P)));

  m3 P_above, P_below;
  double slope = (cr_soft_compute_stress(material, &above, NULL, &P_above) -
                  cr_soft_compute_stress(material, &below, NULL, &P_below)) /
                 (2 * step);
  double scale = (material->mu + material->lambda) * dot(&dF, &dF) * (1 + fabs(energy));
  check_near(slope, dot(&P, &dF), 1e-7 * scale);
  m3 dP = cr_soft_tangent_apply(&tangent, &dF), minus = m3_scale(-1, &P_below), difference;
  difference = m3_add(&P_above, &minus);
  difference = m3_scale(1 / (2 * step), &difference);
  check_near_array(&dP.m[0][0], &difference.m[0][0], 9, 1e-6 * scale);
}

static void test_derivatives(void** state) {
  (void)state;
  check_random random = {1};
  for (int law = 0; law < NUM_LAWS; law++)
    for (int i = 0; i < CASES; i++) {
      cr_soft_material material = material_of(law, 1, check_random_uniform(&random, 0, 0.4));
      m3 F = random_gradient(&random, i % 3 == 0);
      expect_derivatives(&material, &F, STEP, &random);
    }
}

/* Two values that nearly cancel, the third one stretched: the corotated laws have no kink there,
 * but third derivatives like 1 / CR_SOFT_SMOOTHING², for which the steps are smaller. */
static void test_derivatives_on_the_ridge(void** state) {
  (void)state;
  check_random random = {5};
  for (int law = 0; law < NUM_LAWS; law++)
    for (int i = 0; i < CASES; i++) {
      cr_soft_material material = material_of(law, 1, check_random_uniform(&random, 0, 0.4));
      double a = check_random_uniform(&random, 0.2, 0.5);
      double sum = check_random_uniform(&random, 0, 0.2);
      m3 F = turned_gradient(&random, check_random_uniform(&random, 1.5, 5), a, sum - a);
      expect_derivatives(&material, &F, 0.1 * STEP, &random);
    }
}

/* Across it the stress goes on without a jump, a valley's or a crest's. */
static void test_stress_across_the_ridge(void** state) {
  (void)state;
  cr_soft_material material = material_of(0, 1, 0.4);
  const double small = 1e-6;
  for (double stretch = 1; stretch < 6; stretch += 0.5) {
    m3 P, Q, F = m3_diagonal(v3_make(stretch, 0.3, -0.3 + small));
    m3 G = m3_diagonal(v3_make(stretch, 0.3, -0.3 - small));
    cr_soft_compute_stress(&material, &F, NULL, &P);
    cr_soft_compute_stress(&material, &G, NULL, &Q);
    double stiffest = 2 * (2 * material.mu + material.lambda * stretch) / CR_SOFT_SMOOTHING;
    for (int k = 0; k < 9; k++)
      check_near((&P.m[0][0])[k], (&Q.m[0][0])[k], 2 * small * (2 + stiffest));
  }
}

/* Where singular values meet, the quotients of differences do not lose their digits. */
static void test_derivatives_where_values_meet(void** state) {
  (void)state;
  check_random random = {2};
  for (int law = 0; law < NUM_LAWS; law++)
    for (int i = 0; i < CASES; i++) {
      cr_soft_material material = material_of(law, 1, 0.3);
      double gap = i % 2 ? pow(10, check_random_uniform(&random, -16, -2)) : 0;
      m3 R = quat_to_m3(random_quat(&random)), D = m3_diagonal(v3_make(1.1, 1.1 + gap, 1.1 - gap));
      m3 F = m3_mul(&R, &D);
      expect_derivatives(&material, &F, STEP, &random);
    }
}

/* dP/dF as a symmetric matrix [9, 9]. */
static void dense_tangent(const cr_soft_tangent* tangent, double C[81]) {
  for (int j = 0; j < 9; j++) {
    m3 dF = m3_zero();
    (&dF.m[0][0])[j] = 1;
    m3 dP = cr_soft_tangent_apply(tangent, &dF);
    for (int i = 0; i < 9; i++) C[9 * i + j] = (&dP.m[0][0])[i];
  }
}

/* The projection is the one of the 9 x 9 matrix: the same vectors, no negative values. */
static void test_projection(void** state) {
  (void)state;
  check_random random = {3};
  int num_indefinite = 0;
  for (int law = 0; law < NUM_LAWS; law++)
    for (int i = 0; i < CASES; i++) {
      cr_soft_material material = material_of(law, 1, 0.45);
      m3 F = random_gradient(&random, i % 2 == 0);
      cr_soft_tangent raw, projected;
      cr_soft_compute_tangent(&material, &F, false, NULL, NULL, &raw);
      cr_soft_compute_tangent(&material, &F, true, NULL, NULL, &projected);
      double C[81], V[81], d[9], expected[81] = {0}, largest = 0;
      dense_tangent(&raw, C);
      for (int k = 0; k < 81; k++) V[k] = C[k], largest = fmax(largest, fabs(C[k]));
      assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', 9, V, 9, d), 0);
      num_indefinite += d[0] < -1e-6;
      for (int k = 0; k < 9; k++)
        for (int r = 0; r < 81; r++)
          expected[r] += fmax(d[k], 0) * V[9 * (r / 9) + k] * V[9 * (r % 9) + k];
      dense_tangent(&projected, C);
      check_near_array(C, expected, 81, 1e-12 * largest);
    }
  assert_true(num_indefinite > 2 * CASES);
}

/* g_j dP_ij/dF_kl h_l against the matrix itself. */
static void test_contraction(void** state) {
  (void)state;
  check_random random = {4};
  for (int law = 0; law < NUM_LAWS; law++) {
    cr_soft_material material = material_of(law, 1, 0.3);
    m3 F = random_gradient(&random, false);
    cr_soft_tangent tangent;
    cr_soft_compute_tangent(&material, &F, true, NULL, NULL, &tangent);
    v3 g = random_v3(&random), h = random_v3(&random);
    m3 K = cr_soft_tangent_contract(&tangent, g, h);
    for (int k = 0; k < 3; k++) {
      m3 dF = m3_outer(v3_set(v3_zero(), k, 1), h), dP = cr_soft_tangent_apply(&tangent, &dF);
      check_v3(m3_column(&K, k), m3_mulv(&dP, g), 1e-12);
    }
  }
}

/* Turning the body turns the stress and keeps the energy; the linear law alone knows no turning. */
static void test_rotation_invariance(void** state) {
  (void)state;
  check_random random = {5};
  for (int law = 0; law < NUM_LAWS; law++) {
    if (LAWS[law] == CR_SOFT_LINEAR) continue;
    for (int i = 0; i < CASES; i++) {
      cr_soft_material material = material_of(law, 1, 0.3);
      m3 F = random_gradient(&random, i % 2 == 0), R = quat_to_m3(random_quat(&random)), P, Q;
      m3 RF = m3_mul(&R, &F), FR = m3_mul(&F, &R);
      double energy = cr_soft_compute_stress(&material, &F, NULL, &P);
      check_near(cr_soft_compute_stress(&material, &RF, NULL, &Q), energy, 1e-12 * (1 + energy));
      m3 RP = m3_mul(&R, &P), PR = m3_mul(&P, &R);
      double scale = 1e-12 * (1 + sqrt(dot(&P, &P)));
      check_m3(Q, RP, scale);
      check_near(cr_soft_compute_stress(&material, &FR, NULL, &Q), energy, 1e-12 * (1 + energy));
      check_m3(Q, PR, scale);
    }
  }
}

/* At rest: no energy, no stress, and Hooke's stiffness for every law. */
static void test_rest(void** state) {
  (void)state;
  check_random random = {6};
  cr_soft_material hooke = material_of(1, 1e6, 0.3);
  for (int law = 0; law < NUM_LAWS; law++) {
    cr_soft_material material = material_of(law, 1e6, 0.3);
    m3 F = m3_identity(), P, Q, dF = random_m3(&random), zero = m3_zero();
    cr_soft_tangent tangent;
    check_near(cr_soft_compute_tangent(&material, &F, true, NULL, &P, &tangent), 0, 1e-9);
    check_m3(P, zero, 1e-9);
    m3 near = m3_add(&F, &dF), dP = cr_soft_tangent_apply(&tangent, &dF);
    cr_soft_compute_stress(&hooke, &near, NULL, &Q);
    check_m3(dP, Q, 1e-8);
  }
}

/* Collapsed, inverted and huge gradients: numbers everywhere, and a projected stiffness without
 * negative curvature. */
static void test_nasty_gradients(void** state) {
  (void)state;
  check_random random = {7};
  for (int law = 0; law < NUM_LAWS; law++)
    for (int i = 0; i < CASES; i++) {
      cr_soft_material material = material_of(law, 1e6, 0.49);
      double s[3];
      for (int k = 0; k < 3; k++)
        s[k] = check_random_int(&random, 0, 3) ? check_random_uniform(&random, -2, 2) : 0;
      m3 F = m3_diagonal(v3_load(s)), R = quat_to_m3(random_quat(&random)), P;
      if (i % 10 == 0) F = m3_scale(1e6, &F);
      F = m3_mul(&R, &F);
      cr_soft_tangent tangent;
      assert_true(isfinite(cr_soft_compute_tangent(&material, &F, true, NULL, &P, &tangent)));
      assert_true(isfinite(dot(&P, &P)));
      m3 dF = random_m3(&random), dP = cr_soft_tangent_apply(&tangent, &dF);
      assert_true(dot(&dF, &dP) >= -1e-9 * sqrt(dot(&dP, &dP) * dot(&dF, &dF)));
    }
}

/* P_11 at a stretch of x, with the lateral stretch that frees the sides (by bisection: the lateral
 * stress rises with it in the range searched). */
static double uniaxial(const cr_soft_material* material, double x, double* lateral) {
  double low = 0.5, high = 1.5;
  m3 P = {0};
  for (int k = 0; k < 60; k++) {
    *lateral = 0.5 * (low + high);
    m3 F = m3_diagonal(v3_make(x, *lateral, *lateral));
    cr_soft_compute_stress(material, &F, NULL, &P);
    if (P.m[1][1] > 0)
      high = *lateral;
    else
      low = *lateral;
  }
  return P.m[0][0];
}

/* The last number is from a solution with 40 digits. */
static void test_uniaxial(void** state) {
  (void)state;
  const double stretch[] = {0.7, 0.9, 1.1, 1.5, 2};
  const double neo_hookean[] = {-405230.42, -108722.19, 93077.432, 378280.18, 646744.66};
  const double side[] = {1.107934733, 1.031702434, .9714929459, .8801745918, .7980775445};
  const double fixed_corotated[] = {-343170.65, -103902.34, 96792.464, 442868.62, 836683.87};
  cr_soft_material neo = material_of(4, 1e6, 0.3), fixed = material_of(2, 1e6, 0.3);
  for (int i = 0; i < 5; i++) {
    double lateral;
    check_near(uniaxial(&neo, stretch[i], &lateral), neo_hookean[i], 5e-3);
    check_near(lateral, side[i], 5e-10);
    check_near(uniaxial(&fixed, stretch[i], &lateral), fixed_corotated[i], 5e-3);
  }
}

static void test_bad_constants(void** state) {
  (void)state;
  const double bad[][3] = {{-1, 0.3, 1},  {0, 0.3, 1},       {NAN, 0.3, 1}, {1, 0.5, 1},
                           {1, -1, 1},    {1, NAN, 1},       {1, 0.3, 0},   {1, 0.3, -2},
                           {1, 0.3, NAN}, {INFINITY, 0.3, 1}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    cr_soft_material material;
    carom_error error;
    assert_int_equal(cr_soft_material_init(&material, CR_SOFT_COROTATED, bad[i][0], bad[i][1],
                                           bad[i][2], &error),
                     CAROM_ERROR_BAD_INPUT);
    assert_non_null(strstr(error.message, "must be"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_derivatives_on_the_ridge),
      cmocka_unit_test(test_stress_across_the_ridge),
      cmocka_unit_test(test_derivatives_where_values_meet),
      cmocka_unit_test(test_projection),
      cmocka_unit_test(test_contraction),
      cmocka_unit_test(test_rotation_invariance),
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_nasty_gradients),
      cmocka_unit_test(test_uniaxial),
      cmocka_unit_test(test_bad_constants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
