/* A of some movers: what each of them has, springs between points and lines. */
#include "sim/rows/blocks.h"

#include "base/copy.h"
#include "force/elements.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/lines.h"

#include <string.h>

/* --- Pattern ------------------------------------------------------------------------------------
 */

/* Adds the couplings of a path's blocks with each other. */
static void couple_path(const cr_path* path, int (*couplings)[2], int* count) {
  for (int i = 1; i < path->count; i++)
    for (int j = 0; j < i; j++, ++*count)
      if (couplings) couplings[*count][0] = path->block[i], couplings[*count][1] = path->block[j];
}

/* Couplings within the movers, and of the blocks that a spring or line joins; counts only when
 * `couplings` is null. */
static int list_couplings(const cr_step* step, const cr_blocks* blocks, int (*couplings)[2]) {
  int count = 0;
  for (int k = 0; k < blocks->num_movers; k++)
    count += cr_mover_of(step->model, blocks->movers[k])
                 ->couple(step, blocks, blocks->movers[k], couplings ? couplings + count : NULL);
  cr_path path;
  for (int s = 0; s < step->num_strands; s++) {
    cr_path_find_links(step, blocks, step->strands[s].link, &path);
    couple_path(&path, couplings, &count);
  }
  for (int s = 0; s < step->model->force.num_springs; s++) {
    cr_path_find_links(step, blocks, step->model->force.spring_link + 2 * s, &path);
    couple_path(&path, couplings, &count);
  }
  for (int i = 0; i < step->model->force.line.num_lines && step->sim->plan.num_joined; i++) {
    if (!step->sim->plan.is_joined[i]) continue;
    cr_path_find_line(step, blocks, i, &path);
    couple_path(&path, couplings, &count);
  }
  return count;
}

/* The segments of all blocks, in the order of the movers. */
static bool list_blocks(const cr_step* step, cr_arena* arena, cr_blocks* blocks) {
  int count = 0;
  for (int k = 0; k < blocks->num_movers; k++)
    count +=
        cr_mover_of(step->model, blocks->movers[k])->list_segments(step, blocks->movers[k], NULL);
  int* block_segment = CR_PUSH(arena, int, count);
  int* block_mover = CR_PUSH(arena, int, count);
  if (arena->failed) return false;
  for (int k = 0, b = 0; k < blocks->num_movers; k++) {
    int mover = blocks->movers[k], first = b;
    b += cr_mover_of(step->model, mover)->list_segments(step, mover, block_segment + b);
    for (int i = first; i < b; i++) block_mover[i] = mover;
  }
  blocks->pattern.num_blocks = count;
  blocks->block_segment = block_segment, blocks->block_mover = block_mover;
  return true;
}

bool cr_blocks_init(const cr_step* step, const int* movers, int num_movers, cr_arena* arena,
                    cr_blocks* blocks) {
  const cr_tree_model* model = &step->model->tree;
  *blocks = (cr_blocks){.movers = movers, .num_movers = num_movers};
  if (!list_blocks(step, arena, blocks)) return false;
  int count = blocks->pattern.num_blocks;
  int num_segments = model->num_segments + step->model->soft.num_nodes;
  int* segment_block = CR_PUSH(arena, int, num_segments);
  int* size = CR_PUSH(arena, int, count);
  if (arena->failed) return false;
  for (int s = 0; s < num_segments; s++) segment_block[s] = -1;
  for (int b = 0; b < count; b++) {
    int s = blocks->block_segment[b];
    segment_block[s] = b;
    size[b] = model->segment_v_start[s + 1] - model->segment_v_start[s];
    blocks->num_segments += s < model->num_segments;
  }
  blocks->segment_block = segment_block;
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
  cr_path_find_links(step, blocks, step->model->force.spring_link + 2 * spring, &path);
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
  for (int k = 0; k < 2; k++) {
    cr_mover_point point = {.link = s.link[k], .place = s.point[k]};
    cr_point_rows rows = {k ? 1 : -1, axes, 3, J, path.columns};
    cr_path_add_point_rows(step, blocks, &path, &point, &rows);
  }
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

/* The rank-one term of a joined line. */
static void add_line(cr_step* step, cr_blocks* blocks, int line) {
  cr_path path;
  cr_path_find_line(step, blocks, line, &path);
  double weight = path.count > 0 ? cr_step_line_weight(step, line) : 0;
  if (!(weight > 0)) return;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* J = CR_SCRATCH(step->arena, double, path.columns);
  if (step->arena->failed) return;
  memset(J, 0, sizeof(double) * (size_t)path.columns);
  cr_path_add_line(step, blocks, &path, line, 1, J);
  cr_blocks_add_square(blocks, &path, weight, J);
  cr_arena_pop_scratch(step->arena, mark);
}

void cr_blocks_update(cr_step* step, cr_blocks* blocks) {
  for (int k = 0; k < blocks->num_movers; k++)
    cr_mover_of(step->model, blocks->movers[k])->fill_blocks(step, blocks->movers[k], blocks);
  for (int s = 0; s < step->model->force.num_springs; s++) add_spring(step, blocks, s);
  for (int i = 0; i < step->model->force.line.num_lines && step->sim->plan.num_joined; i++)
    if (step->sim->plan.is_joined[i]) add_line(step, blocks, i);
}

/* --- Vectors ------------------------------------------------------------------------------------
 */

void cr_blocks_gather(const cr_step* step, const cr_blocks* blocks, const double* v, double* x) {
  const int* start = step->model->tree.segment_v_start;
  for (int b = 0; b < blocks->pattern.num_blocks; b++)
    CR_COPY(x + blocks->pattern.row_start[b], v + start[blocks->block_segment[b]],
            blocks->pattern.size[b]);
}

void cr_blocks_scatter(const cr_step* step, const cr_blocks* blocks, const double* x, double* v) {
  const int* start = step->model->tree.segment_v_start;
  for (int b = 0; b < blocks->pattern.num_blocks; b++)
    CR_COPY(v + start[blocks->block_segment[b]], x + blocks->pattern.row_start[b],
            blocks->pattern.size[b]);
}
