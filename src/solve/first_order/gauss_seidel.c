/* Block projected Gauss-Seidel on the dual (Anitescu & Tasora 2010 for rigid contact; Todorov 2014
 * with R), every block solved exactly.
 *
 * With v = v* + A^-1 Jᵀ gamma kept up to date, constraint i sees the gradient g = J_i v - v_hat_i +
 * R_i gamma_i and moves to the minimiser over C_i of
 *
 *   1/2 (x - gamma_i)ᵀ M_i (x - gamma_i) + gᵀ (x - gamma_i),    M_i = (W_ii + R_i + eps) / omega,
 *
 * then v += A^-1 J_iᵀ (x - gamma_i). The minimiser has gᵀd <= -dᵀM_i d for its move d, so that the
 * dual cost falls by (1/omega - 1/2) dᵀ(W_ii + R_i) d at least: over-relaxation below 2 converges
 * (Cryer 1971 for rows). eps makes blocks of low rank definite; neither moves a fixed point. Sweeps
 * run forward only: turning round takes twice as many. */
#include "solve/first_order/gauss_seidel.h"

#include "solve/newton/inverse_columns.h"

#include <string.h>

typedef struct sweeper {
  cr_system* system;
  const double* shift; /* frozen De Saxce term; null: none */
  cr_inverse_columns inverse;
  double* M;     /* [ld * num_rows] M_i, laid out like G */
  double* local; /* [inverse.max_columns] velocities of a group */
  double *v, *gamma;
} sweeper;

/* M_i of every constraint. */
static void fill_blocks(sweeper* s) {
  CR_FOR_EACH_LAW (k, s->system->batch)
    for (int i = 0; i < s->system->batch[k].count; i++) {
      int row = s->system->batch[k].row[i], rows = cr_law_get(k)->rows;
      const double* W = s->system->W + s->system->problem->ld * row;
      double* M = s->M + s->system->problem->ld * row;
      double eps = CR_WELL_POSED * s->system->batch[k].scale[i];
      for (int a = 0; a < rows * rows; a++) M[a] = W[a] / CR_OVER_RELAXATION;
      for (int a = 0; a < rows; a++)
        M[(rows + 1) * a] += (s->system->R[row + a] + eps) / CR_OVER_RELAXATION;
    }
}

static bool init(sweeper* s, cr_arena* arena) {
  const cr_problem* p = s->system->problem;
  if (!cr_inverse_columns_init(&s->inverse, s->system, arena)) return false;
  s->M = CR_SCRATCH(arena, double, p->ld * p->num_rows);
  s->local = CR_SCRATCH(arena, double, s->inverse.max_columns);
  if (arena->failed) return false;
  fill_blocks(s);
  return true;
}

/* b of the local problem in x: g - M gamma.
 * @param i the constraint
 * @param J its first row */
static void compute_linear_term(const sweeper* s, int i, const double* J,
                                const cr_problem_group* group, double* b) {
  const cr_system* system = s->system;
  const cr_law* law = cr_law_get(system->problem->kind[i]);
  int row = system->problem->row[i], rows = law->rows;
  const double* M = s->M + system->problem->ld * row;
  for (int a = 0; a < rows; a++, J += group->stride) {
    b[a] = system->R[row + a] * s->gamma[row + a] - system->v_hat[row + a];
    for (int c = 0; c < group->columns; c++) b[a] += J[c] * s->local[c];
    if (s->shift) b[a] += s->shift[row + a];
    for (int c = 0; c < rows; c++) b[a] -= M[rows * a + c] * s->gamma[row + c];
  }
}

/* Solves constraint i of a group and moves the group's velocities with it. */
static void relax_constraint(sweeper* s, int g, int i) {
  const cr_problem* p = s->system->problem;
  const cr_problem_group* group = &p->group[g];
  const cr_inverse_columns_group* inverse = &s->inverse.group[g];
  const cr_law* law = cr_law_get(p->kind[i]);
  int row = p->row[i], place = row - group->row_start;
  double b[CR_LAW_MAX_ROWS], x[CR_LAW_MAX_ROWS];
  compute_linear_term(s, i, p->J + group->J_start + (int64_t)place * group->stride, group, b);
  law->minimize(s->M + s->system->problem->ld * row, b, p->parameter + 2 * i, x);
  const double* B = s->inverse.B + inverse->B_start + (int64_t)place * inverse->columns;
  for (int a = 0; a < law->rows; a++, B += inverse->columns) {
    double d = x[a] - s->gamma[row + a];
    s->gamma[row + a] = x[a];
    if (d == 0) continue;
    for (int c = 0; c < inverse->columns; c++) s->local[c] += B[c] * d;
  }
}

static void relax_group(sweeper* s, int g) {
  const cr_problem* p = s->system->problem;
  int first = p->group[g].constraint_start, end = first + p->group[g].constraint_count;
  cr_inverse_columns_gather(&s->inverse, p, g, s->v, s->local);
  for (int i = first; i < end; i++) relax_constraint(s, g, i);
  cr_inverse_columns_scatter(&s->inverse, p, g, s->local, s->v);
}

static void sweep(sweeper* s) {
  for (int g = 0; g < s->system->problem->num_groups; g++) relax_group(s, g);
}

cr_newton_outcome cr_gauss_seidel(cr_system* system, const cr_first_order_settings* settings,
                                  cr_arena* arena, cr_iterate* iterate, int* iterations) {
  sweeper s = {
      .system = system, .shift = settings->shift, .v = iterate->v, .gamma = iterate->gamma};
  cr_watch watch;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  if (!init(&s, arena) || !cr_watch_init(&watch, system, settings, arena)) return CR_NEWTON_FAILED;
  cr_newton_outcome outcome = CR_NEWTON_STALLED;
  for (int i = 0;; i++) {
    if (cr_watch_is_due(&watch, i)) {
      /* Anew from gamma: round-off of the updates does not add up. */
      cr_iterate_balance(system, iterate);
      if (cr_watch_measure(&watch, iterate, i, &outcome)) break;
    }
    sweep(&s);
    ++*iterations;
  }
  cr_watch_finish(&watch, outcome, iterate);
  cr_arena_pop_scratch(arena, mark);
  return outcome;
}
