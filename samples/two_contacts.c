/* Two boxes of 1 and 2 kg on a moving belt, one on the other, as a contact problem without the
 * simulator: built, and solved with Coulomb friction. */
#include "carom/carom.h"

#include <stdio.h>
#include <stdlib.h>

static carom_error error;

static void check(carom_status status) {
  if (status == CAROM_OK) return;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

/* Velocity of the block `upper` less that of `lower` (-1: the belt), rows t1 t2 n. */
static void add_contact(carom_problem* problem, int lower, int upper, double mu, double belt) {
  static const double plus[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double minus[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
  const int blocks[2] = {upper, lower};
  const double* jacobian[2] = {plus, minus};
  const double v_hat[3] = {belt, 0, 0};
  carom_constraint_def def = carom_constraint_def_default();
  def.mu = mu, def.v_hat = v_hat;
  def.num_blocks = lower < 0 ? 1 : 2, def.blocks = blocks, def.jacobian = jacobian;
  check(carom_problem_add(problem, &def, NULL, &error));
}

int main(void) {
  const double dt = 0.01, fall = -9.81 * dt;
  const double light[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, heavy[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  const double v_star[6] = {0, 0, fall, 0, 0, fall}; /* at rest, after a step of free fall */
  const int sizes[2] = {3, 3};
  carom_problem* problem;
  carom_problem_def def = carom_problem_def_default();
  def.name = "two_contacts", def.dt = dt, def.num_blocks = 2, def.block_size = sizes;
  check(carom_problem_create(&def, &problem, &error));
  check(carom_problem_set_block(problem, 0, 0, light, &error));
  check(carom_problem_set_block(problem, 1, 1, heavy, &error));
  check(carom_problem_set_velocities(problem, v_star, NULL, &error));
  add_contact(problem, -1, 0, 0.5, 1);
  add_contact(problem, 0, 1, 0.2, 0);
  check(carom_problem_finish(problem, &error));
  carom_solve_def how = carom_solve_def_default();
  how.friction = CAROM_FRICTION_COULOMB, how.tolerance = 1e-10;
  carom_solution* solution;
  check(carom_problem_solve(problem, &how, &solution, &error));
  const double *v = carom_solution_get_v(solution), *gamma = carom_solution_get_gamma(solution);
  for (int i = 0; i < 2; i++)
    printf("box %d moves at %.4f m/s, pressed by %.4f N s, pulled by %.4f N s\n", i, v[3 * i],
           gamma[3 * i + 2], gamma[3 * i]);
  carom_solution_destroy(solution);
  carom_problem_destroy(problem);
  return 0;
}
