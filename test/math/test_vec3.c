/* Identities of vectors and 3x3 matrices. Tolerances: round-off of a few products of numbers of
 * order one. */
#include "math/random.h"
#include "math/vec3.h"
#include "support/check.h"

#define CASES     1000
#define ROUND_OFF 1e-13

static void test_cross_product_identities(void** state) {
  (void)state;
  check_random random = {1};
  for (int i = 0; i < CASES; i++) {
    v3 a = random_v3(&random), b = random_v3(&random), c = random_v3(&random);
    v3 cross = v3_cross(a, b);
    check_near(v3_dot(a, cross), 0, ROUND_OFF);
    check_near(v3_norm2(cross) + v3_dot(a, b) * v3_dot(a, b), v3_norm2(a) * v3_norm2(b), 1e-12);
    v3 expected = v3_sub(v3_scale(v3_dot(a, c), b), v3_scale(v3_dot(a, b), c));
    check_v3(v3_cross(a, v3_cross(b, c)), expected, 1e-12);
    m3 skew = m3_skew(a);
    check_v3(m3_mulv(&skew, b), cross, ROUND_OFF);
  }
}

static void test_components(void** state) {
  (void)state;
  const double numbers[3] = {1, -2, 3};
  v3 a = v3_load(numbers);
  for (int i = 0; i < 3; i++) {
    check_near(v3_get(a, i), numbers[i], 0);
    v3 changed = v3_set(a, i, 7);
    for (int k = 0; k < 3; k++) check_near(v3_get(changed, k), k == i ? 7 : numbers[k], 0);
  }
  double stored[3];
  v3_store(v3_abs(v3_neg(a)), stored);
  check_near_array(stored, ((const double[3]){1, 2, 3}), 3, 0);
  check_v3(v3_mul(a, v3_axpy(v3_zero(), 2, a)), v3_make(2, 8, 18), 0);
}

static void test_normalising_zero_gives_the_fallback(void** state) {
  (void)state;
  v3 up = v3_make(0, 0, 1);
  check_v3(v3_normalize_or(v3_zero(), up), up, 0);
  check_v3(v3_normalize_or(v3_make(0, -3, 0), up), v3_make(0, -1, 0), 0);
}

static void expect_right_handed_frame(v3 n) {
  v3 t1, t2;
  v3_tangents(n, &t1, &t2);
  m3 frame = m3_from_columns(t1, t2, n), transposed = m3_transpose(&frame), one = m3_identity();
  m3 product = m3_mul(&transposed, &frame);
  check_m3(product, one, 1e-15 * 8);
  check_near(m3_determinant(&frame), 1, 1e-15 * 8);
}

static void test_tangents_make_a_frame(void** state) {
  (void)state;
  for (int axis = 0; axis < 3; axis++)
    for (int sign = -1; sign <= 1; sign += 2)
      expect_right_handed_frame(v3_set(v3_zero(), axis, sign));
  check_random random = {2};
  for (int i = 0; i < CASES; i++) {
    expect_right_handed_frame(random_unit(&random));
    /* Close to the poles, where the formula divides by little if done wrong. */
    double tilt = pow(10, check_random_uniform(&random, -18, 0));
    double z = i % 2 ? 1 : -1;
    v3 near_pole = {tilt * check_random_normal(&random), tilt * check_random_normal(&random), z};
    expect_right_handed_frame(v3_normalize_or(near_pole, v3_make(0, 0, z)));
  }
}

static void test_products_associate(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < CASES; i++) {
    m3 a = random_m3(&random), b = random_m3(&random);
    v3 x = random_v3(&random), y = random_v3(&random);
    m3 ab = m3_mul(&a, &b), at = m3_transpose(&a);
    check_v3(m3_mulv(&ab, x), m3_mulv(&a, m3_mulv(&b, x)), 1e-12);
    check_v3(m3_tmulv(&a, x), m3_mulv(&at, x), 0);
    check_near(v3_dot(y, m3_mulv(&a, x)), v3_dot(m3_tmulv(&a, y), x), 1e-12);
    check_near(m3_determinant(&ab), m3_determinant(&a) * m3_determinant(&b), 1e-11);
    m3 outer = m3_outer(x, y);
    check_v3(m3_mulv(&outer, a.m[0][0] > 0 ? x : y), v3_scale(v3_dot(y, a.m[0][0] > 0 ? x : y), x),
             1e-12);
  }
}

static void test_rows_and_columns(void** state) {
  (void)state;
  check_random random = {4};
  m3 a = random_m3(&random);
  m3 from_rows = m3_from_rows(m3_row(&a, 0), m3_row(&a, 1), m3_row(&a, 2));
  m3 from_columns = m3_from_columns(m3_column(&a, 0), m3_column(&a, 1), m3_column(&a, 2));
  check_m3(from_rows, a, 0);
  check_m3(from_columns, a, 0);
  m3 diagonal = m3_diagonal(v3_make(1, 2, 3)), twice = m3_scale(2, &diagonal);
  check_v3(m3_mulv(&twice, v3_make(1, 1, 1)), v3_make(2, 4, 6), 0);
  const double packed[6] = {1, 2, 3, 4, 5, 6};
  m3 symmetric = m3_symmetric(packed), transposed = m3_transpose(&symmetric);
  check_m3(symmetric, transposed, 0);
  check_v3(m3_row(&symmetric, 1), v3_make(4, 2, 6), 0);
}

/* Cramer's rule: the error grows with the condition number, at most 2 (sqrt 1 + |A|²) here. */
static void test_solve_inverts_the_product(void** state) {
  (void)state;
  check_random random = {5};
  for (int i = 0; i < CASES; i++) {
    m3 a = random_spd(&random);
    v3 x = random_v3(&random);
    check_v3(m3_solve(&a, m3_mulv(&a, x)), x, 1e-11);
  }
}

static void test_congruence_keeps_the_quadratic_form(void** state) {
  (void)state;
  check_random random = {6};
  for (int i = 0; i < CASES; i++) {
    m3 r = random_m3(&random), a = random_m3(&random), c = m3_congruence(&r, &a);
    v3 x = random_v3(&random), y = m3_tmulv(&r, x);
    check_near(v3_dot(x, m3_mulv(&c, x)), v3_dot(y, m3_mulv(&a, y)), 1e-11);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cross_product_identities),
      cmocka_unit_test(test_components),
      cmocka_unit_test(test_normalising_zero_gives_the_fallback),
      cmocka_unit_test(test_tangents_make_a_frame),
      cmocka_unit_test(test_products_associate),
      cmocka_unit_test(test_rows_and_columns),
      cmocka_unit_test(test_solve_inverts_the_product),
      cmocka_unit_test(test_congruence_keeps_the_quadratic_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
