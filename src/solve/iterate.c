/* Vectors of an iterate and what follows from v and gamma. */
#include "solve/system.h"

#include <string.h>

bool cr_iterate_init(cr_iterate* iterate, const cr_problem* problem, cr_arena* arena) {
  iterate->v = CR_PUSH(arena, double, problem->pattern.num_rows);
  iterate->r = CR_PUSH(arena, double, problem->pattern.num_rows);
  iterate->gamma = CR_PUSH(arena, double, problem->num_rows);
  iterate->v_c = CR_PUSH(arena, double, problem->num_rows);
  return !arena->failed;
}

void cr_iterate_copy(const cr_iterate* from, const cr_problem* problem, cr_iterate* to) {
  size_t n = sizeof(double) * (size_t)problem->pattern.num_rows;
  size_t m = sizeof(double) * (size_t)problem->num_rows;
  memcpy(to->v, from->v, n);
  memcpy(to->r, from->r, n);
  memcpy(to->gamma, from->gamma, m);
  memcpy(to->v_c, from->v_c, m);
}

void cr_iterate_balance(cr_system* system, cr_iterate* iterate) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  memset(iterate->v, 0, sizeof(double) * (size_t)n);
  cr_problem_add_J_transposed(p, iterate->gamma, iterate->v, system->scratch_local);
  cr_cholesky_solve(p->A_symbolic, p->A_factor, iterate->v, 1, n, system->scratch_solve);
  for (int i = 0; i < n; i++) iterate->v[i] += p->v_star[i];
  cr_iterate_update(system, iterate);
}

void cr_iterate_update(cr_system* system, cr_iterate* iterate) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  for (int i = 0; i < n; i++) system->scratch_n[i] = p->v_star[i] - iterate->v[i];
  cr_system_multiply_A(system, system->scratch_n, iterate->r);
  cr_problem_add_J_transposed(p, iterate->gamma, iterate->r, system->scratch_local);
  for (int i = 0; i < n; i++) iterate->r[i] = -iterate->r[i];
  cr_problem_apply_J(p, iterate->v, iterate->v_c, system->scratch_local);
}
