/* The algebra of the Lorentz cone by its defining identities, on points near its axis and near its
 * surface. */
#include "problem/cone.h"
#include "problem/lorentz.h"
#include "support/check.h"

#include <math.h>

/* A point in the interior; `depth`: how far inside, relative. */
static cone3 draw_inside(check_random* random, double depth) {
  double angle = check_random_uniform(random, 0, 6.283185307179586);
  double tail = exp(check_random_uniform(random, -3, 3));
  return (cone3){{tail * (1 + depth), tail * cos(angle), tail * sin(angle)}};
}

static cone3 draw_any(check_random* random) {
  return (cone3){
      {check_random_normal(random), check_random_normal(random), check_random_normal(random)}};
}

static double size_of(cone3 a) { return fabs(a.x[0]) + cone_tail(a); }

static cone3 move(cone3 a, double t, cone3 d) {
  return (cone3){{a.x[0] + t * d.x[0], a.x[1] + t * d.x[1], a.x[2] + t * d.x[2]}};
}

/* What round-off is multiplied by: how near to the surface a point lies. */
static double condition(cone3 a) { return size_of(a) * size_of(a) / cone_determinant(a); }

#define FOR_ALL_POINTS(u, s)                                                     \
  check_random random = {1};                                                     \
  for (int repeat = 0; repeat < 2000; repeat++)                                  \
    for (cone3 u = draw_inside(&random, pow(10, -(repeat % 7))),                 \
               s = draw_inside(&random, pow(10, -(repeat / 7 % 7))), *once = &u; \
         once; once = NULL)

/* a ∘ (a \ b) = b, the product commutes, and (1, 0, 0) is its unit. */
static void test_product(void** state) {
  (void)state;
  FOR_ALL_POINTS(u, s) {
    cone3 b = draw_any(&random), x = cone_divide(u, b), back = cone_product(u, x);
    cone3 forth = cone_product(s, u), reverse = cone_product(u, s), one = {{1, 0, 0}};
    check_near_array(back.x, b.x, 3, 1e-14 * condition(u) * size_of(b));
    check_near_array(forth.x, reverse.x, 3, 1e-15 * size_of(u) * size_of(s));
    check_near_array(cone_product(one, u).x, u.x, 3, 0);
    check_near(cone_determinant(u), u.x[0] * u.x[0] - u.x[1] * u.x[1] - u.x[2] * u.x[2],
               1e-15 * size_of(u) * size_of(u));
  }
}

/* W u = W^-1 s, W^-1 W = 1, W is symmetric, and w is W² in scaled form: W² u = s. */
static void test_scaling(void** state) {
  (void)state;
  FOR_ALL_POINTS(u, s) {
    cone_scaling W = cone_compute_scaling(u, s);
    double round_off = 1e-14 * condition(u) * condition(s);
    cone3 left = cone_apply(&W, u), right = cone_apply_inverse(&W, s);
    check_near_array(left.x, right.x, 3, round_off * size_of(left));
    cone3 twice = cone_apply(&W, left);
    check_near_array(twice.x, s.x, 3, round_off * size_of(s));
    cone3 a = draw_any(&random), b = draw_any(&random), Wa = cone_apply(&W, a);
    cone3 back = cone_apply_inverse(&W, Wa), Wb = cone_apply(&W, b);
    check_near_array(back.x, a.x, 3, round_off * size_of(a));
    check_near(cone_dot(b, Wa), cone_dot(a, Wb), 1e-14 * size_of(Wa) * size_of(b));
    check_near(cone_determinant(W.w), 1, round_off);
    /* The scaled point is inside: complementarity can be measured there. */
    assert_true(left.x[0] > cone_tail(left));
  }
}

/* The longest step ends on the surface, and steps that never leave have no end. */
static void test_longest_step(void** state) {
  (void)state;
  int endless = 0;
  FOR_ALL_POINTS(u, s) {
    cone3 d = draw_any(&random);
    double t = cone_longest_step(u, d);
    assert_true(t > 0);
    assert_true(isinf(cone_longest_step(u, s)));
    endless += isinf(t);
    if (isinf(t)) {
      cone3 far = move(u, 1e6, d);
      assert_true(far.x[0] >= cone_tail(far) * (1 - 1e-12));
      continue;
    }
    cone3 end = move(u, t, d), before = move(u, 0.999 * t, d), after = move(u, 1.001 * t, d);
    check_near(end.x[0] - cone_tail(end), 0, 1e-10 * (size_of(u) + t * size_of(d)));
    assert_true(before.x[0] > cone_tail(before));
    assert_true(after.x[0] < cone_tail(after));
  }
  assert_in_range(endless, 100, 1000);
}

/* The parts of a split are inside, their difference is what was split and their product what was
 * asked for; in n dimensions it is the same. */
static void test_split(void** state) {
  (void)state;
  check_random random = {2};
  for (int repeat = 0; repeat < 2000; repeat++) {
    cone3 z = draw_any(&random), u, s, un, sn;
    if (repeat == 0) z.x[1] = z.x[2] = 0;
    double product = cone_dot(z, z) * pow(10, -(repeat % 10)), large = cone_dot(z, z) + product;
    cone_split(z, product, &u, &s);
    lorentz_split(z.x, product, 3, un.x, sn.x);
    cone3 both = cone_product(u, s), wanted = {{product, 0, 0}};
    assert_true(u.x[0] > cone_tail(u) && s.x[0] > cone_tail(s));
    check_near_array(both.x, wanted.x, 3, 1e-15 * large);
    for (int k = 0; k < 3; k++) {
      check_near(u.x[k] - s.x[k], z.x[k], 1e-15 * sqrt(large));
      check_near(un.x[k], u.x[k], 1e-15 * sqrt(large));
      check_near(sn.x[k], s.x[k], 1e-15 * sqrt(large));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_product), cmocka_unit_test(test_scaling),
                                     cmocka_unit_test(test_longest_step),
                                     cmocka_unit_test(test_split)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
