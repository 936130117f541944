/* How stiffness, with its negative eigenvalues cut off, moves with the deformation and with the
 * constants: against differences of the fourth order, of relative error h⁴ + 1e-16 / h. */
#include "math/random.h"
#include "soft/material_slope.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

#define CASES 300

static const cr_soft_law LAWS[] = {CR_SOFT_COROTATED, CR_SOFT_LINEAR, CR_SOFT_FIXED_COROTATED,
                                   CR_SOFT_ST_VENANT_KIRCHHOFF, CR_SOFT_NEO_HOOKEAN};
enum { NUM_LAWS = 5 };

static cr_soft_material material_of(cr_soft_law law) {
  cr_soft_material material;
  carom_error error;
  check_ok(cr_soft_material_init(&material, law, 3, 0.35, 1000, &error), &error);
  return material;
}

/* A rotation times a stretch. */
static m3 random_gradient(check_random* random, double low, double high) {
  m3 U = quat_to_m3(random_quat(random)), V = quat_to_m3(random_quat(random)), D = m3_zero();
  for (int i = 0; i < 3; i++) D.m[i][i] = check_random_uniform(random, low, high);
  m3 UD = m3_mul(&U, &D), Vt = m3_transpose(&V);
  return m3_mul(&UD, &Vt);
}

/* C+ W at F + h A. */
static m3 respond(const cr_soft_material* material, const m3* F, const m3* A, double h,
                  const m3* W) {
  cr_soft_tangent tangent;
  m3 change = m3_scale(h, A), at = m3_add(F, &change);
  cr_soft_compute_tangent(material, &at, true, NULL, NULL, &tangent);
  return cr_soft_tangent_apply(&tangent, W);
}

static double size_of(const m3* A) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += A->m[i / 3][i % 3] * A->m[i / 3][i % 3];
  return sqrt(sum);
}

/* Half of what differences over twice the length say the other way tells how good they are. */
static m3 differ(const cr_soft_material* material, const m3* F, const m3* A, double h,
                 const m3* W) {
  static const double NODE[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};
  m3 sum = m3_zero();
  for (int k = 0; k < 4; k++) {
    m3 at = respond(material, F, A, NODE[k] * h, W);
    at = m3_scale(WEIGHT[k] / (12 * h), &at);
    sum = m3_add(&sum, &at);
  }
  return sum;
}

static m3 contract(const double* X, const m3* A) {
  m3 out = m3_zero();
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 9; k++) out.m[i / 3][i % 3] += X[9 * i + k] * A->m[k / 3][k % 3];
  return out;
}

/* Singular values, the least of which changes its sign where they are below zero, and how far
 * differences go. */
typedef struct range {
  double low, high, step;
} range;

/* Returns whether the case was one that differences can tell. */
static bool expect_bend(const cr_soft_material* material, check_random* random,
                        const range* values) {
  m3 F = random_gradient(random, values->low, values->high);
  m3 A = random_m3(random), W = random_m3(random);
  double X[81] = {0};
  if (cr_soft_material_find_kink(material, &F, &W, 0) < 0.02) return false;
  cr_soft_material_bend(material, &F, &W, 1, X);
  m3 found = contract(X, &A), wanted = differ(material, &F, &A, values->step, &W);
  m3 coarse = differ(material, &F, &A, 2 * values->step, &W);
  m3 apart = m3_scale(-1, &coarse);
  apart = m3_add(&apart, &wanted);
  double size = fmax(size_of(&wanted), material->mu);
  if (size_of(&apart) > 1e-7 * size) return false;
  check_near_array(&found.m[0][0], &wanted.m[0][0], 9, 1e-7 * size);
  return true;
}

/* The last three are pressed flat and inside out. */
static void test_bends(void** state) {
  (void)state;
  static const range RANGES[] = {
      {0.6, 1.5, 1e-3}, {0.9, 0.95, 1e-3}, {-0.1, 0.3, 1e-4}, {-1, 1, 1e-4}, {-0.02, 0.02, 1e-4}};
  check_random random = {1};
  for (int law = 0; law < NUM_LAWS; law++) {
    cr_soft_material material = material_of(LAWS[law]);
    for (int k = 0; k < 5; k++) {
      int told = 0;
      for (int i = 0; i < CASES; i++) told += expect_bend(&material, &random, &RANGES[k]);
      assert_true(told > CASES / 8 || LAWS[law] == CR_SOFT_LINEAR);
    }
  }
}

/* Equal singular values: of a turned body, and pressed alike from all sides. */
static void test_equal_values(void** state) {
  (void)state;
  check_random random = {2};
  for (int law = 0; law < NUM_LAWS; law++) {
    cr_soft_material material = material_of(LAWS[law]);

    for (int i = 0; i < 2; i++) {
      double s = i ? 1.1 : 0.85;
      const range same = {s, s, 1e-3};
      assert_true(expect_bend(&material, &random, &same) || LAWS[law] == CR_SOFT_LINEAR);
    }
  }
}

static void test_constants(void** state) {
  (void)state;
  check_random random = {3};
  for (int law = 0; law < NUM_LAWS; law++)
    for (int i = 0; i < CASES; i++) {
      cr_soft_material material = material_of(LAWS[law]);

      m3 F = random_gradient(&random, 0.6, 1.5), W = random_m3(&random), none = m3_zero(),
         sum = none;
      cr_soft_material change = {.law = LAWS[law],
                                 .mu = check_random_normal(&random),
                                 .lambda = check_random_normal(&random)};
      double h = 1e-5;
      for (int k = -1; k <= 1; k += 2) {
        cr_soft_material at = material;
        at.mu += k * h * change.mu, at.lambda += k * h * change.lambda;
        m3 P = respond(&at, &F, &none, 0, &W);
        P = m3_scale(k / (2 * h), &P);
        sum = m3_add(&sum, &P);
      }
      m3 found = cr_soft_material_vary(&material, &change, &F, &W);
      check_near_array(&found.m[0][0], &sum.m[0][0], 9, 1e-7 * fmax(size_of(&sum), 1));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bends),
                                     cmocka_unit_test(test_equal_values),
                                     cmocka_unit_test(test_constants)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
