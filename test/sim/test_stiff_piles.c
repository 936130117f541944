/* Nearly rigid friction: steps of piles that fall and come to rest take few iterations, and each is
 * certified; Coulomb's of regularised contacts, too, but for single steps: of 60 runs of each pile
 * with stiff normals that differ by 1e-12 m/s 11 and 3 have one step that takes more than
 * MOST_COULOMB, up to 56, whatever the code's round-off. */
#include "support/world.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 12, MOST_COULOMB = 20, RARE = 100 /* steps of which one may take more */ };

/* Every step is solved to the tolerance at once: by the bound on the error where friction
 * is convex, else by the residual. */
static void check_pile(int bodies, int steps, carom_friction friction, double sigma, double beta,
                       int most) {
  int may_be_longer = friction == CAROM_FRICTION_COULOMB ? steps / RARE : 0;
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  def.friction = friction;
  def.sigma = sigma, def.beta = beta;
  char* text = world_write_pile(bodies);
  world w = world_create(text, &def);
  int largest = 0, sum = 0, missed = 0, longer = 0;
  for (int i = 0; i < steps; i++) {
    carom_step_report report = world_step(&w);
    assert_int_equal(report.substeps, 1);
    missed +=
        (friction == CAROM_FRICTION_CONVEX ? report.error_bound : report.residual) > def.tolerance;
    sum += report.iterations;
    if (report.iterations > largest) largest = report.iterations;
    longer += report.iterations > most;
  }
  print_message("%d bodies, sigma %g, beta %g: %.1f iterations a step, %d at most; %d above\n",
                bodies, sigma, beta, (double)sum / steps, largest, missed);
  assert_int_equal(missed, 0);
  assert_in_range(longer, 0, may_be_longer);
  world_destroy(&w);
  free(text);
}

static void test_stiff(void** state) {
  (void)state;
  check_pile(100, 300, CAROM_FRICTION_CONVEX, 1e-4, 1, MOST);
  check_pile(100, 300, CAROM_FRICTION_CONVEX, 1e-6, 1, MOST);
}

static void test_nearly_rigid(void** state) {
  (void)state;
  check_pile(100, 300, CAROM_FRICTION_CONVEX, 1e-8, 1, MOST);
  check_pile(200, 60, CAROM_FRICTION_CONVEX, 1e-8, 1, MOST);
}

static void test_coulomb(void** state) {
  (void)state;
  check_pile(40, 300, CAROM_FRICTION_COULOMB, 1e-3, 1, MOST_COULOMB);
  check_pile(100, 200, CAROM_FRICTION_COULOMB, 1e-3, 1, MOST_COULOMB);
}

/* Normals more than ten times as stiff as friction: what GMRES leaves of a Newton step has to be
 * small as momentum, where their energy is large. */
static void test_stiff_normals(void** state) {
  (void)state;
  check_pile(40, 300, CAROM_FRICTION_COULOMB, 1e-4, 0.3, MOST_COULOMB);
  check_pile(40, 300, CAROM_FRICTION_COULOMB, 1e-6, 0.3, MOST_COULOMB);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stiff), cmocka_unit_test(test_nearly_rigid),
      cmocka_unit_test(test_coulomb), cmocka_unit_test(test_stiff_normals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
