/* Vectors of an iterate and what follows from v and gamma. */
#include "base/copy.h"
#include "math/scalar.h"
#include "solve/newton/system.h"
#include "solve/tuning.h"

#include <string.h>

bool cr_iterate_init(cr_iterate* iterate, const cr_problem* problem, cr_arena* arena) {
  iterate->gap = -1, iterate->has_A_dv = false;
  iterate->v = CR_PUSH(arena, double, problem->pattern.num_rows);
  iterate->r = CR_PUSH(arena, double, problem->pattern.num_rows);
  iterate->A_dv = CR_PUSH(arena, double, problem->pattern.num_rows);
  iterate->gamma = CR_PUSH(arena, double, problem->num_rows);
  iterate->v_c = CR_PUSH(arena, double, problem->num_rows);
  return !arena->failed;
}

bool cr_iterate_init_scratch(cr_iterate* iterate, const cr_problem* problem, cr_arena* arena) {
  iterate->gap = -1, iterate->has_A_dv = false;
  iterate->v = CR_SCRATCH(arena, double, problem->pattern.num_rows);
  iterate->r = CR_SCRATCH(arena, double, problem->pattern.num_rows);
  iterate->A_dv = CR_SCRATCH(arena, double, problem->pattern.num_rows);
  iterate->gamma = CR_SCRATCH(arena, double, problem->num_rows);
  iterate->v_c = CR_SCRATCH(arena, double, problem->num_rows);
  return !arena->failed;
}

void cr_iterate_copy(const cr_iterate* from, const cr_problem* problem, cr_iterate* to) {
  size_t n = sizeof(double) * (size_t)problem->pattern.num_rows;
  size_t m = sizeof(double) * (size_t)problem->num_rows;
  to->r_norm2 = from->r_norm2, to->dv_norm2 = from->dv_norm2, to->gap = from->gap;
  to->is_balanced = from->is_balanced, to->is_estimate = from->is_estimate, to->has_A_dv = false;
  memcpy(to->v, from->v, n);
  memcpy(to->r, from->r, n);
  memcpy(to->gamma, from->gamma, m);
  memcpy(to->v_c, from->v_c, m);
}

void cr_iterate_balance(cr_system* system, cr_iterate* iterate) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  double* impulse = iterate->r;
  memset(impulse, 0, sizeof(double) * (size_t)n);
  cr_problem_add_J_transposed(p, iterate->gamma, impulse, system->scratch_local);
  CR_COPY(iterate->v, impulse, n);
  cr_system_solve_A(system, iterate->v);
  iterate->dv_norm2 = scalar_dot(iterate->v, impulse, n);
  iterate->r_norm2 = 0, iterate->is_balanced = true, iterate->is_estimate = false;
  iterate->has_A_dv = false, iterate->gap = -1;
  for (int i = 0; i < n; i++) iterate->v[i] += p->v_star[i];
  memset(iterate->r, 0, sizeof(double) * (size_t)n);
  cr_problem_apply_J(p, iterate->v, iterate->v_c, system->scratch_local);
  if (system->iterative) cr_iterate_update(system, iterate);
}

/* A (v* - v) and its norm. */
static void multiply_dv(cr_system* system, cr_iterate* iterate) {
  int n = system->problem->pattern.num_rows;
  double* dv = system->scratch_n;
  scalar_axpy(system->problem->v_star, -1, iterate->v, n, dv);
  cr_system_multiply_A(system, dv, iterate->A_dv);
  iterate->dv_norm2 = scalar_dot(dv, iterate->A_dv, n);
  iterate->has_A_dv = true;
}

/* r and its norm. */
static void update_balance(cr_system* system, cr_iterate* iterate) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  CR_COPY(iterate->r, iterate->A_dv, n);
  cr_problem_add_J_transposed(p, iterate->gamma, iterate->r, system->scratch_local);
  for (int i = 0; i < n; i++) iterate->r[i] = -iterate->r[i];
  iterate->r_norm2 = cr_system_inverse_norm2(system, iterate->r);
  iterate->is_balanced = iterate->is_estimate = false, iterate->gap = -1;
}

void cr_iterate_confirm(cr_system* system, cr_iterate* iterate) {
  if (!iterate->has_A_dv) multiply_dv(system, iterate);
  update_balance(system, iterate);
  cr_problem_apply_J(system->problem, iterate->v, iterate->v_c, system->scratch_local);
}

void cr_iterate_update(cr_system* system, cr_iterate* iterate) {
  iterate->has_A_dv = false;
  cr_iterate_confirm(system, iterate);
}

bool cr_iterate_is_at_rest(cr_system* system) {
  const cr_problem* p = system->problem;
  cr_system_multiply_A(system, p->v0, system->scratch_n);
  double v2 = scalar_dot(p->v0, system->scratch_n, p->pattern.num_rows);
  return v2 < CR_ROUGH * CR_ROUGH * system->dv0_norm2;
}

/* v0 of what moves, and rest for the blocks that hardly do: whose |v0| is below CR_ROUGH of |v* -
 * v0|. Coulomb's law alone does not say that what stands by friction stays: it has other solutions
 * as far from rest as one likes to begin, and from the velocities that the tolerance has left
 * Newton would find one that is a few times as fast, step by step.
 * @return whether there are any of these */
static bool take_rest(cr_system* system, double* v) {
  const cr_problem* p = system->problem;
  const cr_bsm_pattern* x = &p->pattern;
  double* moment = system->scratch_n;
  bool any = false;
  cr_system_multiply_A(system, p->v0, moment);
  for (int b = 0; b < x->num_blocks; b++) {
    int begin = x->row_start[b], size = x->size[b];
    double v2 = scalar_dot(p->v0 + begin, moment + begin, size);
    double dv2 = scalar_dot(p->v_star + begin, system->A_dv0 + begin, size) -
                 scalar_dot(p->v0 + begin, system->A_dv0 + begin, size);
    bool rests = v2 < CR_ROUGH * CR_ROUGH * dv2;
    for (int i = begin; i < begin + size; i++) v[i] = rests ? 0 : p->v0[i];
    any |= rests;
  }
  return any;
}

void cr_iterate_start(cr_system* system, bool from_rest, cr_iterate* iterate) {
  const cr_problem* p = system->problem;
  size_t size = sizeof(double) * (size_t)p->pattern.num_rows;
  if (from_rest && take_rest(system, iterate->v)) {
    cr_iterate_update(system, iterate);
    return;
  }
  memcpy(iterate->v, p->v0, size);
  memcpy(iterate->A_dv, system->A_dv0, size);
  iterate->dv_norm2 = system->dv0_norm2, iterate->has_A_dv = true;
  update_balance(system, iterate);
  if (p->v_c0)
    CR_COPY(iterate->v_c, p->v_c0, p->num_rows);
  else
    cr_problem_apply_J(p, p->v0, iterate->v_c, system->scratch_local);
}

/* v_c and A (v* - v) after a step. */
static void move_velocities(cr_system* system, const double* dv_c, double alpha,
                            cr_iterate* iterate) {
  multiply_dv(system, iterate);
  scalar_axpy(iterate->v_c, alpha, dv_c, system->problem->num_rows, iterate->v_c);
}

void cr_iterate_move(cr_system* system, const double* dv_c, double alpha, cr_iterate* iterate) {
  move_velocities(system, dv_c, alpha, iterate);
  update_balance(system, iterate);
}

void cr_iterate_estimate(cr_system* system, const double* dv_c, double alpha, cr_iterate* iterate) {
  move_velocities(system, dv_c, alpha, iterate);
  for (int i = 0; i < system->problem->pattern.num_rows; i++) iterate->r[i] *= 1 - alpha;
  iterate->r_norm2 *= (1 - alpha) * (1 - alpha);
  iterate->is_balanced = false, iterate->is_estimate = true, iterate->gap = -1;
}
