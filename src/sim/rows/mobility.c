/* Mobilities by the geometry of joints. */
#include "sim/rows/mobility.h"

#include "math/scalar.h"
#include "sim/mover.h"
#include "tree/algorithms.h"

#include <string.h>

bool cr_mobilities_init(const cr_step* step, const cr_step_problem* out, cr_arena* arena,
                        cr_mobilities* m) {
  int num_v = step->model->num_v;
  *m = (cr_mobilities){.step = step,
                       .out = out,
                       .radius2 = CR_PUSH(arena, double, num_v),
                       .composite = CR_PUSH(arena, spatial_inertia, step->model->tree.num_links),
                       .x = CR_PUSH(arena, double, num_v)};
  if (arena->failed) return false;
  for (int i = 0; i < num_v; i++) m->radius2[i] = -1, m->x[i] = 0;
  return true;
}

/* Squared radii of gyration of what hangs on the dofs of a tree: twice the energy of its motion at
 * a rate of 1 over its mass; of what has no mass 1. */
static void measure_tree(cr_mobilities* m, int tree) {
  const cr_step* step = m->step;
  const cr_tree_model* model = &step->model->tree;
  cr_tree_compute_composites(model, tree, &step->kinematics, m->composite);
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    const spatial_inertia* I = &m->composite[model->dof_link[i]];
    sv S = step->kinematics.S[i];
    double radius2 = sv_dot(S, spatial_inertia_mulv(I, S)) / I->mass;
    m->radius2[i] = radius2 > 0 ? radius2 : 1;
  }
}

double cr_mobility_of_turns(cr_mobilities* m, int link) {
  const cr_tree_model* model = &m->step->model->tree;
  int tree = link < 0 ? -1 : model->link_tree[link];
  double most = 0;
  if (tree < 0 || model->tree_is_free_link[tree]) return 0;
  if (m->radius2[model->tree_v_start[tree]] < 0) measure_tree(m, tree);
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
    if (v3_norm2(m->step->kinematics.S[i].ang) > 0) most = scalar_max(most, m->radius2[i]);
  return most;
}

/* x <- D⁻¹ x over a tree's dofs. */
static void apply(cr_mobilities* m, int tree) {
  const int* v_start = m->step->model->tree.tree_v_start;
  if (m->radius2[v_start[tree]] < 0) measure_tree(m, tree);
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++) m->x[i] /= m->radius2[i];
}

static cr_mobility of_link(const cr_step* step, int link) {
  const cr_tree_model* model = &step->model->tree;
  if (cr_mover_of_link(step->model, link)->is_elastic || model->link_tree[link] < 0)
    return (cr_mobility){0, 0};
  const double* I = model->link_inertia + 6 * (size_t)link;
  return (cr_mobility){1, 3 * model->link_mass[link] / (I[0] + I[1] + I[2])};
}

cr_mobility cr_mobility_of_links(const cr_step* step, const int link[2]) {
  cr_mobility sum = {0, 0};
  for (int k = 0; k < 2; k++) {
    if (link[k] < 0) continue;
    cr_mobility m = of_link(step, link[k]);
    sum.linear += m.linear, sum.angular += m.angular;
  }
  return sum;
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

int cr_mobility_find_tree(const cr_mobilities* m, const cr_problem_group* g, int k) {
  int block = m->out->problem.group_block[g->block_start + k];
  return m->out->blocks.block_mover[block];
}

/* A row of J: the parts over its group's blocks, one after another. */
static const double* find_row(const cr_problem* p, cr_row_place at) {
  const cr_problem_group* g = &p->group[at.group];
  return p->J + g->J_start + (int64_t)(at.row - g->row_start) * g->stride;
}

/* Where a block's dofs begin among the model's. */
static int find_dof(const cr_mobilities* m, int block) {
  return m->step->model->tree.segment_v_start[m->out->blocks.block_segment[block]];
}

static void add_row(cr_mobilities* m, cr_row_place at) {
  const cr_problem* p = &m->out->problem;
  const cr_problem_group* g = &p->group[at.group];
  const double* J = find_row(p, at);
  for (int k = 0; k < g->block_count; k++) {
    int block = p->group_block[g->block_start + k], size = p->pattern.size[block];
    double* part = m->x + find_dof(m, block);
    scalar_axpy(part, 1, J, size, part);
    J += size;
  }
}

double cr_mobility_find_velocity(const cr_mobilities* m, cr_row_place at) {
  const cr_problem* p = &m->out->problem;
  const cr_problem_group* g = &p->group[at.group];
  const double* J = find_row(p, at);
  double sum = 0;
  for (int k = 0; k < g->block_count; k++) {
    int block = p->group_block[g->block_start + k], size = p->pattern.size[block];
    sum += scalar_dot(J, m->x + find_dof(m, block), size);
    J += size;
  }
  return sum;
}

void cr_mobility_move(cr_mobilities* m, cr_row_place at) {
  const cr_problem_group* g = &m->out->problem.group[at.group];
  add_row(m, at);
  for (int k = 0, last = -1; k < g->block_count; k++) {
    int tree = cr_mobility_find_tree(m, g, k);
    if (tree != last) apply(m, tree);
    last = tree;
  }
}

void cr_mobility_rest(cr_mobilities* m, cr_row_place at) {
  const cr_problem_group* g = &m->out->problem.group[at.group];
  const int* v_start = m->step->model->tree.tree_v_start;
  for (int k = 0; k < g->block_count; k++) {
    int tree = cr_mobility_find_tree(m, g, k);
    memset(m->x + v_start[tree], 0, sizeof(double) * (size_t)(v_start[tree + 1] - v_start[tree]));
  }
}

double cr_mobility_of_row(cr_mobilities* m, cr_row_place at) {
  cr_mobility_move(m, at);
  double mobility = cr_mobility_find_velocity(m, at);
  cr_mobility_rest(m, at);
  return mobility;
}
