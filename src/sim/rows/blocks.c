/* A of some trees: mass matrices by the composite rigid body algorithm, diagonal terms of joint
 * elements, and springs between points. */
#include "sim/rows/blocks.h"

#include "force/actuator.h"
#include "force/elements.h"
#include "sim/rows/tension.h"
#include "sim/soft/soft_step.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/lines.h"
#include "sim/tree/servos.h"

#include <math.h>
#include <string.h>

/* --- Diagonal terms -----------------------------------------------------------------------------
 */

/* Weights of stiffness and damping of a dof in A. */
typedef struct weights {
  double h2, h1;
} weights;

static weights weights_of(const cr_step* step, int tree, int dof) {
  cr_theta theta = step->theta[tree];
  cr_weight w = cr_damping_of_dof(step, dof);
  double dt = step->dt;
  return (weights){(theta.q * theta.vq + w.end) * dt * dt, (theta.v + w.rate) * dt};
}

static void add_actuator_terms(const cr_step* step, int tree, double* diagonal) {
  const cr_sim_plan* plan = &step->sim->plan;
  const cr_force_model* force = &step->model->force;
  for (int k = plan->actuator_start[tree]; k < plan->actuator_start[tree + 1]; k++) {
    int a = plan->actuator[k];
    if (plan->is_servo[a]) continue;
    int dof = force->actuator_dof[a];
    if (step->is_held && step->is_held[dof]) continue;
    double x = cr_step_joint_coordinate(step, force->actuator_q[a], dof);
    cr_drive drive =
        cr_actuator_compute_drive(force, a, step->input, x, cr_step_joint_rate(step, dof));
    weights w = weights_of(step, tree, dof);
    diagonal[dof] += w.h2 * fmax(drive.stiffness, 0) + w.h1 * fmax(drive.damping, 0);
  }
}

void cr_step_compute_diagonal(const cr_step* step, int tree, double* diagonal) {
  const cr_tree_model* model = &step->model->tree;
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    weights w = weights_of(step, tree, i);
    double slope[2];
    cr_force_find_slopes(&step->model->force, model, i, step->q_mid, cr_step_joint_rate(step, i),
                         slope);
    diagonal[i] = w.h2 * slope[0] + w.h1 * slope[1];
  }
  add_actuator_terms(step, tree, diagonal);
  cr_servos_add_terms(step, tree, diagonal);
}

/* --- Pattern ------------------------------------------------------------------------------------
 */

/* Segments of a tree are contiguous, like its dofs. */
static int first_segment(const cr_tree_model* model, int tree) {
  return model->dof_segment[model->tree_v_start[tree]];
}

static int end_segment(const cr_tree_model* model, int tree) {
  return model->dof_segment[model->tree_v_start[tree + 1] - 1] + 1;
}

/* Union of the paths of a spring's links; empty where a tree is not listed. */
static void find_spring_path(const cr_step* step, const cr_blocks* blocks, int spring,
                             cr_path* path) {
  const int* link = step->model->force.spring_link + 2 * spring;
  path->count = 0;
  for (int k = 0; k < 2; k++) {
    int dof = step->model->tree.link_last_dof[link[k]];
    if (dof >= 0 && blocks->segment_block[step->model->tree.dof_segment[dof]] < 0) return;
  }
  for (int k = 0; k < 2; k++) cr_path_add_link(step, blocks, link[k], path);
  cr_path_finish(blocks, path);
}

/* The soft body of a block that is a node. */
static int find_node_part(const cr_step* step, const cr_blocks* blocks, int block) {
  const cr_soft_model* soft = &step->model->soft;
  int node = blocks->block_segment[block] - step->model->tree.num_segments, part = 0;
  while (part + 1 < soft->num_parts && soft->part[part + 1].first_node <= node) part++;
  return part;
}

int cr_blocks_find_tree(const cr_step* step, const cr_blocks* blocks, int block) {
  const cr_tree_model* model = &step->model->tree;
  if (block >= blocks->num_segments) return model->num_trees + find_node_part(step, blocks, block);
  int dof = model->segment_v_start[blocks->block_segment[block]];
  return model->link_tree[model->dof_link[dof]];
}

/* Adds the couplings of a path's blocks with each other. */
static void couple_path(const cr_path* path, int (*couplings)[2], int* count) {
  for (int i = 1; i < path->count; i++)
    for (int j = 0; j < i; j++, ++*count)
      if (couplings) couplings[*count][0] = path->block[i], couplings[*count][1] = path->block[j];
}

static void couple_all(int first, int num_blocks, int (*couplings)[2], int* count) {
  for (int b = first; b < first + num_blocks; b++)
    for (int a = first; a < b; a++, ++*count)
      if (couplings) couplings[*count][0] = b, couplings[*count][1] = a;
}

/* Blocks of the nodes of a soft body, -1: not listed. */
static const int* node_block(const cr_step* step, const cr_blocks* blocks,
                             const cr_step_soft* soft) {
  return blocks->segment_block + step->model->tree.num_segments + soft->part->first_node;
}

/* Those of a soft body's own matrix. */
static void couple_neighbors(const cr_step_soft* soft, const int* block, int (*couplings)[2],
                             int* count) {
  const cr_bsm_pattern* p = &soft->part->body.pattern;
  for (int j = 0; j < p->num_blocks; j++)
    for (int k = p->col_start[j] + 1; k < p->col_start[j + 1]; k++) {
      int i = p->row_index[k];
      if (block[i] < 0 || block[j] < 0) continue;
      if (couplings) couplings[*count][0] = block[i], couplings[*count][1] = block[j];
      ++*count;
    }
}

/* Couplings of every segment with its ancestors, of all kept nodes of a soft body, or of the nodes
 * that its matrix couples where that is not factored, and of the blocks that a spring or line
 * joins; counts only when `couplings` is null. */
static int list_couplings(const cr_step* step, const cr_blocks* blocks, int (*couplings)[2]) {
  const cr_tree_model* model = &step->model->tree;
  int count = 0;
  for (int b = 0; b < blocks->num_segments; b++) {
    int up = model->segment_parent[blocks->block_segment[b]];
    for (; up >= 0; up = model->segment_parent[up], count++)
      if (couplings) couplings[count][0] = b, couplings[count][1] = blocks->segment_block[up];
  }
  for (int k = 0, first = blocks->num_segments; k < blocks->num_trees; k++) {
    const cr_step_soft* soft = cr_soft_of_tree(step, blocks->trees[k]);
    if (!soft) continue;
    if (soft->is_iterative)
      couple_neighbors(soft, node_block(step, blocks, soft), couplings, &count);
    else
      couple_all(first, soft->num_kept, couplings, &count);
    first += soft->num_kept;
  }
  cr_path path;
  for (int s = 0; s < step->num_strands; s++) {
    cr_tension_find_path(step, blocks, &step->strands[s], &path);
    couple_path(&path, couplings, &count);
  }
  for (int s = 0; s < step->model->force.num_springs; s++) {
    find_spring_path(step, blocks, s, &path);
    couple_path(&path, couplings, &count);
  }
  for (int i = 0; i < step->model->force.line.num_lines && step->sim->plan.num_joined; i++) {
    if (!step->sim->plan.is_joined[i]) continue;
    cr_step_line_path(step, blocks, i, &path);
    couple_path(&path, couplings, &count);
  }
  return count;
}

bool cr_blocks_init(const cr_step* step, const int* trees, int num_trees, cr_arena* arena,
                    cr_blocks* blocks) {
  const cr_tree_model* model = &step->model->tree;
  int count = 0, num_soft_nodes = step->model->soft.num_nodes;
  for (int k = 0; k < num_trees; k++) {
    const cr_step_soft* soft = cr_soft_of_tree(step, trees[k]);
    count += soft ? soft->num_kept : end_segment(model, trees[k]) - first_segment(model, trees[k]);
  }
  int* segment_block = CR_PUSH(arena, int, model->num_segments + num_soft_nodes);
  int* block_segment = CR_PUSH(arena, int, count);
  int* size = CR_PUSH(arena, int, count);
  if (arena->failed) return false;
  for (int s = 0; s < model->num_segments + num_soft_nodes; s++) segment_block[s] = -1;
  int b = 0, num_segments = 0;
  for (int k = 0; k < num_trees; k++) {
    const cr_step_soft* soft = cr_soft_of_tree(step, trees[k]);
    for (int i = 0; soft && i < soft->num_kept; i++, b++)
      block_segment[b] = model->num_segments + soft->part->first_node + soft->kept[i];
    for (int s = soft ? 0 : first_segment(model, trees[k]);
         !soft && s < end_segment(model, trees[k]); s++, b++)
      block_segment[b] = s, num_segments++;
  }
  for (b = 0; b < count; b++) {
    int s = block_segment[b];
    segment_block[s] = b;
    size[b] = model->segment_v_start[s + 1] - model->segment_v_start[s];
  }
  *blocks = (cr_blocks){.num_segments = num_segments,
                        .segment_block = segment_block,
                        .block_segment = block_segment,
                        .trees = trees,
                        .num_trees = num_trees};
  blocks->pattern.num_blocks = count;
  blocks->pattern.size = size;
  int num_couplings = list_couplings(step, blocks, NULL);
  int(*couplings)[2] = cr_arena_push(arena, sizeof(int[2]) * (size_t)num_couplings);
  if (arena->failed) return false;
  list_couplings(step, blocks, couplings);
  cr_bsm_pattern pattern;
  if (!cr_bsm_pattern_build(arena, count, size, num_couplings, couplings, &pattern)) return false;
  blocks->pattern = pattern;
  blocks->values = CR_PUSH(arena, double, pattern.num_values);
  return !arena->failed;
}

/* --- Values -------------------------------------------------------------------------------------
 */

/* Copies the block (row segment, column segment) out of a tree's matrix, of which the row-major
 * lower triangle is given; a diagonal block whole. */
static void copy_block(const cr_tree_model* model, int tree, const double* M, int row, int column,
                       double* block) {
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  int r0 = model->segment_v_start[row] - start, c0 = model->segment_v_start[column] - start;
  int rows = model->segment_v_start[row + 1] - model->segment_v_start[row];
  int columns = model->segment_v_start[column + 1] - model->segment_v_start[column];
  for (int r = 0; r < rows; r++) {
    const double* from = M + (size_t)(r0 + r) * n + c0;
    if (row == column)
      for (int c = 0; c <= r; c++) block[c * rows + r] = block[r * rows + c] = from[c];
    else
      for (int c = 0; c < columns; c++) block[c * rows + r] = from[c];
  }
}

const double* cr_step_find_matrix(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  double* M = step->M + step->sim->plan.M_start[tree];
  if (step->placement[tree].has_matrix) return M;
  cr_tree_compute_mass_rows(model, tree, &step->kinematics, &step->scratch, M);
  cr_step_compute_diagonal(step, tree, step->work);
  for (int i = 0; i < n; i++) M[(size_t)i * n + i] += step->work[start + i];
  if (cr_external_is_in_fluid(step->model, tree))
    cr_external_add_fluid_damping(step, tree, step->theta[tree].v * step->dt, M);
  step->placement[tree].has_matrix = true, step->placement[tree].has_factor = false;
  return M;
}

static bool is_on_path(const cr_tree_model* model, int above, int segment) {
  while (segment > above) segment = model->segment_parent[segment];
  return segment == above;
}

/* Segments that only a spring or line joins, of other trees or of other branches, for which the
 * tree's matrix holds nothing, do not couple by inertia. */
static void update_tree(cr_step* step, cr_blocks* blocks, int tree) {
  const cr_tree_model* model = &step->model->tree;
  const double* M = cr_step_find_matrix(step, tree);
  for (int s = first_segment(model, tree); s < end_segment(model, tree); s++) {
    int column = blocks->segment_block[s];
    for (int k = blocks->pattern.col_start[column]; k < blocks->pattern.col_start[column + 1];
         k++) {
      int row = blocks->block_segment[blocks->pattern.row_index[k]];
      double* block = blocks->values + blocks->pattern.value_start[k];
      int size = blocks->pattern.value_start[k + 1] - blocks->pattern.value_start[k];
      if (is_on_path(model, s, row))
        copy_block(model, tree, M, row, s, block);
      else
        memset(block, 0, sizeof(double) * (size_t)size);
    }
  }
}

void cr_blocks_add_form(cr_blocks* blocks, const cr_path* path, const m3* K, const double* J,
                        int stride) {
  for (int b = 0; b < path->count; b++)
    for (int a = b; a < path->count; a++) {
      int k = cr_bsm_find_block(&blocks->pattern, path->block[a], path->block[b]);
      int rows = blocks->pattern.size[path->block[a]],
          columns = blocks->pattern.size[path->block[b]];
      double* block = blocks->values + blocks->pattern.value_start[k];
      for (int c = 0; c < columns; c++) {
        const double* right = J + path->column[b] + c;
        v3 f = m3_mulv(K, v3_make(right[0], right[stride], right[2 * stride]));
        for (int r = 0; r < rows; r++) {
          const double* left = J + path->column[a] + r;
          block[c * rows + r] += left[0] * f.x + left[stride] * f.y + left[2 * stride] * f.z;
        }
      }
    }
}

static void add_spring(cr_step* step, cr_blocks* blocks, int spring) {
  static const v3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  cr_path path;
  find_spring_path(step, blocks, spring, &path);
  if (path.count == 0) return;
  cr_force_spring s =
      cr_force_locate_spring(&step->model->force, spring, step->kinematics.link_pose);
  int tree = cr_step_find_tree(step, s.link[0], s.link[1]);
  cr_theta theta = step->theta[tree];
  cr_weight w = cr_damping_of_spring(step, spring);
  double dt = step->dt;
  m3 K = cr_external_spring_matrix(step, spring, &s, (theta.q * theta.vq + w.end) * dt * dt,
                                   (theta.v + w.rate) * dt);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* J = CR_SCRATCH(step->arena, double, 3 * path.columns);
  if (step->arena->failed) return;
  memset(J, 0, sizeof(double) * 3 * (size_t)path.columns);
  for (int k = 0; k < 2; k++)
    cr_path_add_point_rows(step, blocks, &path, s.link[k], s.point[k], k ? 1 : -1, axes, 3, J,
                           path.columns);
  cr_blocks_add_form(blocks, &path, &K, J, path.columns);
  cr_arena_pop_scratch(step->arena, mark);
}

void cr_blocks_add_square(cr_blocks* blocks, const cr_path* path, double weight, const double* J) {
  for (int b = 0; b < path->count; b++)
    for (int a = b; a < path->count; a++) {
      int k = cr_bsm_find_block(&blocks->pattern, path->block[a], path->block[b]);
      int rows = blocks->pattern.size[path->block[a]];
      int columns = blocks->pattern.size[path->block[b]];
      double* block = blocks->values + blocks->pattern.value_start[k];
      for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
          block[c * rows + r] += weight * J[path->column[a] + r] * J[path->column[b] + c];
    }
}

/* Copies S, whose kept nodes are consecutive blocks. */
static void update_soft(cr_blocks* blocks, const cr_step_soft* soft, int first) {
  const cr_bsm_pattern* p = &blocks->pattern;
  size_t stride = (size_t)cr_schur_stride(3 * soft->num_kept);
  for (int j = first; j < first + soft->num_kept; j++)
    for (int k = p->col_start[j]; k < p->col_start[j + 1]; k++) {
      const double* from = soft->S + 3 * (size_t)(p->row_index[k] - first) * stride;
      for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
          blocks->values[p->value_start[k] + 3 * c + r] =
              from[(size_t)r * stride + 3 * (size_t)(j - first) + (size_t)c];
    }
}

/* Copies A, whose nodes are consecutive blocks but for those that are held. */
static void update_unfactored(cr_blocks* blocks, const cr_step_soft* soft, const int* block) {
  const cr_bsm_pattern *from = &soft->part->body.pattern, *to = &blocks->pattern;
  for (int j = 0; j < from->num_blocks; j++) {
    if (block[j] < 0) continue;
    int at = to->col_start[block[j]];
    for (int k = from->col_start[j]; k < from->col_start[j + 1]; k++) {
      if (block[from->row_index[k]] < 0) continue;
      memcpy(blocks->values + to->value_start[at++], soft->A + from->value_start[k],
             9 * sizeof(double));
    }
  }
}

void cr_blocks_update(cr_step* step, cr_blocks* blocks) {
  int block = blocks->num_segments;
  for (int k = 0; k < blocks->num_trees; k++) {
    const cr_step_soft* soft = cr_soft_of_tree(step, blocks->trees[k]);
    if (!soft) {
      update_tree(step, blocks, blocks->trees[k]);
      continue;
    }
    if (soft->is_iterative)
      update_unfactored(blocks, soft, node_block(step, blocks, soft));
    else
      update_soft(blocks, soft, block);
    block += soft->num_kept;
  }
  for (int s = 0; s < step->model->force.num_springs; s++) add_spring(step, blocks, s);
  cr_step_lines_add_blocks(step, blocks);
}

/* --- Vectors ------------------------------------------------------------------------------------
 */

void cr_blocks_gather(const cr_step* step, const cr_blocks* blocks, const double* v, double* x) {
  const int* start = step->model->tree.segment_v_start;
  for (int b = 0; b < blocks->pattern.num_blocks; b++)
    memcpy(x + blocks->pattern.row_start[b], v + start[blocks->block_segment[b]],
           sizeof(double) * (size_t)blocks->pattern.size[b]);
}

void cr_blocks_scatter(const cr_step* step, const cr_blocks* blocks, const double* x, double* v) {
  const int* start = step->model->tree.segment_v_start;
  for (int b = 0; b < blocks->pattern.num_blocks; b++)
    memcpy(v + start[blocks->block_segment[b]], x + blocks->pattern.row_start[b],
           sizeof(double) * (size_t)blocks->pattern.size[b]);
}
