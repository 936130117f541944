/* Quaternions against matrices, maps against their inverses, poses as a group. */
#include "math/quat.h"
#include "math/random.h"
#include "support/check.h"

#define CASES     1000
#define ROUND_OFF 1e-14
#define PI        3.14159265358979323846

/* The largest difference of two rotations' quaternions; q and -q are one rotation. */
static double rotation_difference(quat a, quat b) {
  double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  double s = dot < 0 ? -1 : 1;
  double dw = fabs(a.w - s * b.w), dx = fabs(a.x - s * b.x);
  double dy = fabs(a.y - s * b.y), dz = fabs(a.z - s * b.z);
  return fmax(fmax(dw, dx), fmax(dy, dz));
}

static void test_rotation_by_quaternion_and_by_matrix(void** state) {
  (void)state;
  check_random random = {1};
  m3 one = m3_identity();
  for (int i = 0; i < CASES; i++) {
    quat a = random_quat(&random), b = random_quat(&random);
    v3 x = random_v3(&random);
    m3 A = quat_to_m3(a), B = quat_to_m3(b), AB = m3_mul(&A, &B), ab = quat_to_m3(quat_mul(a, b));
    check_v3(quat_rotate(a, x), m3_mulv(&A, x), ROUND_OFF * 10);
    check_m3(ab, AB, ROUND_OFF);
    m3 At = m3_transpose(&A), inverse = quat_to_m3(quat_conjugate(a)), product = m3_mul(&At, &A);
    check_m3(inverse, At, 0);
    check_m3(product, one, ROUND_OFF);
    check_near(m3_determinant(&A), 1, ROUND_OFF);
  }
}

static void test_axis_and_angle(void** state) {
  (void)state;
  quat q = quat_from_axis_angle(v3_make(0, 0, 1), PI / 2);
  check_v3(quat_rotate(q, v3_make(1, 0, 0)), v3_make(0, 1, 0), ROUND_OFF);
  check_random random = {2};
  for (int i = 0; i < CASES; i++) {
    v3 axis = random_unit(&random), x = random_v3(&random);
    double angle = check_random_uniform(&random, -10, 10);
    /* Rodrigues. */
    v3 rotated = v3_axpy(v3_scale(cos(angle), x), sin(angle), v3_cross(axis, x));
    rotated = v3_axpy(rotated, (1 - cos(angle)) * v3_dot(axis, x), axis);
    check_v3(quat_rotate(quat_from_axis_angle(axis, angle), x), rotated, ROUND_OFF * 10);
  }
}

/* Also near half turns, where three of the four components of Shepperd's choice vanish in turn. */
static void test_matrix_gives_the_quaternion_back(void** state) {
  (void)state;
  check_random random = {3};
  for (int i = 0; i < CASES; i++) {
    quat q = random_quat(&random);
    if (i % 2) {
      double* part[4] = {&q.w, &q.x, &q.y, &q.z};
      for (int k = 0; k < 4; k++)
        if (k != i / 2 % 4) *part[k] *= pow(10, check_random_uniform(&random, -20, 0));
      q = quat_normalize(q);
    }
    m3 R = quat_to_m3(q);
    check_near(rotation_difference(quat_from_m3(&R), q), 0, ROUND_OFF);
  }
}

static void test_exp_and_log_are_inverse(void** state) {
  (void)state;
  check_random random = {4};
  for (int i = 0; i < CASES; i++) {
    double angle = i % 2 ? check_random_uniform(&random, 0, PI - 1e-6)
                         : pow(10, check_random_uniform(&random, -20, 0));
    v3 r = v3_scale(angle, random_unit(&random));
    check_v3(quat_log(quat_exp(r)), r, ROUND_OFF * fmax(angle, 1e-300) * 10);
    quat q = random_quat(&random);
    check_near(rotation_difference(quat_exp(quat_log(q)), q), 0, ROUND_OFF);
    check_near(quat_norm2(quat_exp(random_v3(&random))), 1, ROUND_OFF);
    assert_true(v3_norm(quat_log(q)) <= PI + ROUND_OFF);
  }
  check_v3(quat_log(quat_identity()), v3_zero(), 0);
  check_v3(quat_log((quat){-1, 0, 0, 0}), v3_zero(), 0);
}

/* The Cayley map of 2a turns by 2 atan|a| about a. */
static void test_cayley_map(void** state) {
  (void)state;
  check_random random = {5};
  for (int i = 0; i < CASES; i++) {
    quat q = random_quat(&random);
    v3 a = random_v3(&random), axis = v3_normalize_or(a, v3_zero());
    quat turned = quat_mul(q, quat_from_axis_angle(axis, 2 * atan(v3_norm(a))));
    check_near(rotation_difference(quat_cayley(q, a), turned), 0, ROUND_OFF);
    check_near(rotation_difference(quat_cayley(quat_cayley(q, a), v3_neg(a)), q), 0, ROUND_OFF);
  }
}

/* d/dt q = q ∘ (0, ω/2): the matrix of q then turns as R [ω]×. */
static void test_angular_velocity_is_in_the_body_frame(void** state) {
  (void)state;
  check_random random = {6};
  for (int i = 0; i < CASES; i++) {
    quat q = random_quat(&random);
    v3 w = random_v3(&random);
    double h = 1e-5;
    m3 plus = quat_to_m3(quat_cayley(q, v3_scale(h / 2, w)));
    m3 minus = quat_to_m3(quat_cayley(q, v3_scale(-h / 2, w)));
    m3 negative = m3_scale(-1, &minus), difference = m3_add(&plus, &negative);
    m3 rate = m3_scale(0.5 / h, &difference), R = quat_to_m3(q), W = m3_skew(w);
    m3 expected = m3_mul(&R, &W);
    /* h² |w|³ / 4 of the difference quotient and eps/h of round-off. */
    double speed = v3_norm(w);
    check_m3(rate, expected, h * h * speed * speed * speed + 1e-10);
  }
}

static void test_zero_quaternion_becomes_the_identity(void** state) {
  (void)state;
  quat q = quat_normalize((quat){0, 0, 0, 0});
  check_near(rotation_difference(q, quat_identity()), 0, 0);
  check_near(quat_norm2(quat_normalize((quat){1e-3, 2e5, -3, 4})), 1, ROUND_OFF);
}

static void test_poses_are_a_group(void** state) {
  (void)state;
  check_random random = {7};
  for (int i = 0; i < CASES; i++) {
    pose a = random_pose(&random), b = random_pose(&random), ab = pose_mul(&a, &b);
    v3 x = random_v3(&random);
    check_v3(pose_point(&ab, x), pose_point(&a, pose_point(&b, x)), ROUND_OFF * 10);
    check_v3(pose_inverse_point(&a, pose_point(&a, x)), x, ROUND_OFF * 10);
    pose back = pose_relative(&a, &ab), same = pose_relative(&a, &a), none = pose_identity();
    check_v3(back.p, b.p, ROUND_OFF * 10);
    check_m3(back.R, b.R, ROUND_OFF * 10);
    check_v3(same.p, none.p, ROUND_OFF);
    check_m3(same.R, none.R, ROUND_OFF);
  }
}

static void test_load_and_store(void** state) {
  (void)state;
  const double numbers[4] = {1, 2, 3, 4};
  double stored[4];
  quat_store(quat_load(numbers), stored);
  check_near_array(stored, numbers, 4, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rotation_by_quaternion_and_by_matrix),
      cmocka_unit_test(test_axis_and_angle),
      cmocka_unit_test(test_matrix_gives_the_quaternion_back),
      cmocka_unit_test(test_exp_and_log_are_inverse),
      cmocka_unit_test(test_cayley_map),
      cmocka_unit_test(test_angular_velocity_is_in_the_body_frame),
      cmocka_unit_test(test_zero_quaternion_becomes_the_identity),
      cmocka_unit_test(test_poses_are_a_group),
      cmocka_unit_test(test_load_and_store),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
