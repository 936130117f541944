/* Nearly rigid friction: steps of piles that fall and come to rest take few iterations, and each is
 * certified; Coulomb's of regularised contacts, too, but for single steps: of 60 runs of each pile
 * with stiff normals that differ by 1e-12 m/s 11 and 3 have one step that takes more than
 * MOST_COULOMB, up to 56, whatever the code's round-off. */
#include "support/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, MOST_COULOMB = 20, RARE = 100 /* steps of which one may take more */ };

/* A pile whose contacts also resist spinning and, with six dimensions, rolling. */
static char* write_pile(int bodies, int condim) {
  static const char plain[] = "<geom friction='.5'/>";
  char* text = world_write_pile(bodies);
  if (condim == 3) return text;
  char *at = strstr(text, plain), *with = malloc(strlen(text) + 100);
  assert_non_null(at);
  assert_non_null(with);
  sprintf(with, "%.*s<geom friction='.5 .01 .003' condim='%d'/>%s", (int)(at - text), text, condim,
          at + sizeof plain - 1);
  free(text);
  return with;
}

/* Every step is solved to the tolerance at once: by the bound on the error where friction
 * is convex, else by the residual. */
static void check_pile_of(int bodies, int condim, int steps, carom_friction friction, double sigma,
                          double beta, int most) {
  bool is_exact = friction != CAROM_FRICTION_COULOMB && condim == 3;
  int may_be_longer = is_exact ? 0 : steps / RARE;
  carom_sim_def def = world_def(0.005, CAROM_MIDPOINT);
  def.friction = friction;
  def.sigma = sigma, def.beta = beta;
  /* Over areas single steps take up to 51 iterations there. */
  if (sigma < 1e-6) def.patches = CAROM_PATCHES_CORNERS;
  char* text = write_pile(bodies, condim);
  world w = world_create(text, &def);
  int largest = 0, sum = 0, missed = 0, longer = 0, num_steps = check_repeats(steps);
  for (int i = 0; i < num_steps; i++) {
    carom_step_report report = world_step(&w);
    assert_int_equal(report.substeps, 1);
    missed +=
        (friction == CAROM_FRICTION_CONVEX ? report.error_bound : report.residual) > def.tolerance;
    sum += report.iterations;
    if (report.iterations > largest) largest = report.iterations;
    /* The first step begins with an equilibrium, to a thousandth of the tolerance. */
    longer += i > 0 && report.iterations > most;
  }
  print_message("%d bodies, condim %d, sigma %g, beta %g: %.1f iterations a step, %d at most; %d "
                "above\n",
                bodies, condim, sigma, beta, (double)sum / num_steps, largest, missed);
  assert_int_equal(missed, 0);
  assert_in_range(longer, 0, may_be_longer);
  world_destroy(&w);
  free(text);
}

static void check_pile(int bodies, int steps, carom_friction friction, double sigma, double beta,
                       int most) {
  check_pile_of(bodies, 3, steps, friction, sigma, beta, most);
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

/* Contacts with moments: single steps of the benches' piles take 13 to 15. */
static void test_moments(void** state) {
  (void)state;
  for (int condim = 4; condim <= 6; condim += 2) {
    check_pile_of(100, condim, 200, CAROM_FRICTION_CONVEX, 1e-6, 1, MOST);
    check_pile_of(100, condim, 200, CAROM_FRICTION_CONVEX, 1e-8, 1, MOST);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stiff),
                                     cmocka_unit_test(test_nearly_rigid),
                                     cmocka_unit_test(test_moments), cmocka_unit_test(test_coulomb),
                                     cmocka_unit_test(test_stiff_normals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
