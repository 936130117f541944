/* The nearest point of a triangle against conditions that it alone fulfils: it is in the triangle,
 * and no direction into the triangle comes nearer. */
#include "geom/triangle.h"
#include "math/random.h"
#include "support/check.h"

static void test_nearest(void** state) {
  (void)state;
  check_random random = {7};
  int inner = 0;
  for (int i = 0; i < 20000; i++) {
    v3 corner[3], x = v3_scale(2, random_v3(&random));
    double weight[3], sum = 0;
    for (int k = 0; k < 3; k++) corner[k] = random_v3(&random);
    v3 p = cr_triangle_find_nearest(corner, x, weight), same = v3_zero();
    for (int k = 0; k < 3; k++) {
      assert_true(weight[k] >= 0);
      sum += weight[k];
      same = v3_axpy(same, weight[k], corner[k]);
      check_near(fmin(v3_dot(v3_sub(p, x), v3_sub(corner[k], p)), 0), 0, 1e-12);
    }
    check_near(sum, 1, 1e-12);
    check_near(v3_norm(v3_sub(same, p)), 0, 1e-12);
    inner += weight[0] > 0 && weight[1] > 0 && weight[2] > 0;
  }
  assert_true(inner > 1000 && inner < 19000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
