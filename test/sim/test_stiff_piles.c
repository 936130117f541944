/* Nearly rigid friction: steps of piles that fall and come to rest take few iterations, and each is
 * certified; Coulomb's of regularised contacts, too. */
#include "support/world.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 12, MOST_COULOMB = 20 };

/* Every step is solved to the tolerance at once: by the bound on the error where friction is
 * convex, else by the residual. */
static void check_pile(int bodies, int steps, carom_friction friction, double sigma) {
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  def.friction = friction;
  def.sigma = sigma, def.beta = 1;
  char* text = world_write_pile(bodies);
  world w = world_create(text, &def);
  int largest = 0, sum = 0;
  double bound = 0;
  for (int i = 0; i < steps; i++) {
    carom_step_report report = world_step(&w);
    assert_int_equal(report.substeps, 1);
    bound = fmax(bound, friction == CAROM_FRICTION_CONVEX ? report.error_bound : report.residual);
    sum += report.iterations;
    if (report.iterations > largest) largest = report.iterations;
  }
  print_message("%d bodies, sigma %g: %.1f iterations a step, %d at most\n", bodies, sigma,
                (double)sum / steps, largest);
  assert_true(bound <= def.tolerance);
  assert_in_range(largest, 1, friction == CAROM_FRICTION_CONVEX ? MOST : MOST_COULOMB);
  world_destroy(&w);
  free(text);
}

static void test_stiff(void** state) {
  (void)state;
  check_pile(100, 300, CAROM_FRICTION_CONVEX, 1e-4);
  check_pile(100, 300, CAROM_FRICTION_CONVEX, 1e-6);
}

static void test_nearly_rigid(void** state) {
  (void)state;
  check_pile(100, 300, CAROM_FRICTION_CONVEX, 1e-8);
  check_pile(200, 60, CAROM_FRICTION_CONVEX, 1e-8);
}

static void test_coulomb(void** state) {
  (void)state;
  check_pile(40, 300, CAROM_FRICTION_COULOMB, 1e-3);
  check_pile(100, 200, CAROM_FRICTION_COULOMB, 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stiff),
                                     cmocka_unit_test(test_nearly_rigid),
                                     cmocka_unit_test(test_coulomb)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
