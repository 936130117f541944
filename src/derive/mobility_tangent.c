/* W = j A⁻¹ jᵀ changes by 2 (dj) z - zᵀ (dA) z with the answer z = A⁻¹ jᵀ, and the mobility of the
 * joints' geometry, j D⁻¹ jᵀ, by 2 (dj) x - xᵀ (dD) x, x = D⁻¹ jᵀ. D_i = M_ii / m of what hangs on
 * dof i; as dof k further out moves, what it carries has d M_ii = - 2 (S_k × S_i) · I_k S_i. */
#include "derive/mobility_tangent.h"

#include "base/copy.h"
#include "derive/tension_tangent.h"
#include "sim/tree/tree_factor.h"

#include <string.h>

/* --- Answers ------------------------------------------------------------------------------------
 */

/* z of rows, in all dofs. */
static bool solve_rows(cr_constraint_state* s, const cr_row_sum* along, double* z) {
  cr_arena* arena = s->t->arena;
  double* x = CR_PUSH(arena, double, s->n);
  double* scratch = CR_PUSH(arena, double, s->out->A_symbolic.scratch_size);
  if (arena->failed) return false;
  memset(x, 0, sizeof(double) * (size_t)s->n);
  memset(z, 0, sizeof(double) * (size_t)s->t->num_v);
  for (int k = 0; k < along->count; k++) cr_problem_add_row(s->p, along->row[k], along->by[k], x);
  cr_cholesky_solve(s->p->A_symbolic, s->p->A_factor, x, 1, s->n, scratch);
  cr_blocks_scatter(s->t->step, &s->out->blocks, x, z);
  return true;
}

/* - zᵀ (dA) z of a tree: with all that hangs on dof k, its momentum h and the velocity that it
 * stands on, dof k turns h but for what it has of that, zᵀ (dA) z = 2 h · drift_k. */
static void add_mobility_slope(const cr_constraint_state* s, int tree, const cr_row_motion* motion,
                               double* slope) {
  const cr_tree_model* model = &s->t->step->model->tree;
  const cr_tree_kinematics* kinematics = &s->t->step->kinematics;
  sv* momentum = s->t->step->scratch.f;
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];
  for (int i = first; i < end; i++)
    momentum[i] = spatial_inertia_mulv(&kinematics->link_I[i], motion->link[i]);
  for (int i = end - 1; i > first; i--) {
    int parent = model->link_parent[i];
    momentum[parent] = sv_add(momentum[parent], momentum[i]);
  }
  for (int k = model->tree_v_start[tree]; k < model->tree_v_start[tree + 1]; k++)
    slope[k] = -2 * sv_dot(momentum[model->dof_link[k]], motion->drift[k]);
}

/* Whether it moves a tree. */
static bool moves(const cr_tree_model* model, int tree, const double* z) {
  int i = model->tree_v_start[tree];
  while (i < model->tree_v_start[tree + 1] && z[i] == 0) i++;
  return i < model->tree_v_start[tree + 1];
}

bool cr_answer_push(const cr_constraint_state* s, cr_row_motion** motion, double** v,
                    double** slope) {
  cr_step_tangent* t = s->t;
  size_t size = sizeof(double) * (size_t)t->num_v;
  *v = CR_PUSH(t->arena, double, t->num_v);
  *motion = CR_PUSH(t->arena, cr_row_motion, 1);
  *slope = CR_PUSH(t->arena, double, t->num_v);
  if (t->arena->failed || !cr_row_motion_push(t, *v, *motion)) return false;
  memset(*v, 0, size), memset(*slope, 0, size);
  return true;
}

bool cr_answer_find(cr_constraint_state* s, const cr_row_sum* along, cr_answer* answer) {
  const cr_blocks* blocks = &s->out->blocks;
  double* z;
  if (!cr_answer_push(s, &answer->motion, &z, &answer->slope) || !solve_rows(s, along, z))
    return false;
  const cr_tree_model* model = &s->t->step->model->tree;
  memset(answer->motion->link, 0, sizeof(sv) * (size_t)model->num_links);
  memset(answer->motion->drift, 0, sizeof(sv) * (size_t)model->num_v);
  for (int b = 0, count = cr_tree_factor_count(s->t->step, blocks); b < count; b++) {
    if (!moves(model, blocks->movers[b], z)) continue;
    cr_row_motion_find(s->t->step, blocks->movers[b], answer->motion);
    add_mobility_slope(s, blocks->movers[b], answer->motion, answer->slope);
  }
  cr_tension_tangent_add_mobility(s, answer->motion, answer->slope);
  return true;
}

/* --- Levers -------------------------------------------------------------------------------------
 */

double cr_mobility_find_radius_slope(const cr_step* step, const spatial_inertia* composite, int by,
                                     int dof) {
  const cr_tree_model* model = &step->model->tree;
  const sv* S = step->kinematics.S;
  if (model->dof_joint[dof] == model->dof_joint[by]) return 0;
  sv moved = sv_cross_motion(S[by], S[dof]);
  return 2 * sv_dot(moved, spatial_inertia_mulv(&composite[model->dof_link[by]], S[dof])) /
         composite[model->dof_link[dof]].mass;
}

/* --- What else is in A --------------------------------------------------------------------------
 */

/* - zᵀ (dA) z. */
double cr_mobility_tangent_move(const cr_constraint_state* s, const double* z,
                                const cr_matrix_way* way, double* work) {
  const cr_step_tangent* t = s->t;
  const cr_weight_tangent* w = way->weight;
  int column = way->column;
  if (w) return -z[w->dof] * z[w->dof] * w->matrix;
  const cr_row_force_direction by = {cr_column(t, t->q_mid, column),
                                     cr_column(t, t->v_star, column), cr_column(t, t->v0, column),
                                     cr_column(t, t->q0, column)};
  double sum = 0;
  for (int k = 0; k < t->row_forces->count; k++) {
    const cr_row_force* p = &t->row_forces->items[k];
    cr_row_force_add_matrix(p, z, &by, column, 1, work);
    for (int i = 0; i < p->line.n; i++) {
      int dof = p->line.dof[i];
      sum -= z[dof] * work[dof], work[dof] = 0;
    }
  }
  return sum + cr_tension_tangent_move_strings(s, z, by.q_mid);
}

void cr_mobility_tangent_pull(const cr_constraint_state* s, const double* z, double cotangent,
                              const cr_mobility_cotangents* out) {
  const cr_step_tangent* t = s->t;
  for (int k = 0; k < t->weights->count; k++) {
    const cr_weight_tangent* w = &t->weights->items[k];
    double by = -cotangent * z[w->dof] * z[w->dof] * w->matrix;
    for (int i = 0; i < w->n; i++)
      out->q0[w->group[i]] += by * w->q[i], out->v0[w->group[i]] += by * w->v[i];
  }
  for (int k = 0; k < t->row_forces->count; k++)
    cr_row_force_add_matrix_transposed(&t->row_forces->items[k], z, z, -cotangent, &out->of_forces);
  cr_tension_tangent_pull_mobility(s, z, cotangent, out->of_forces.q_mid);
}
