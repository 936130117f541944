/* All kept nodes of a soft body couple with each other; where its matrix is not factored, only
 * those that the matrix couples. */
#include "sim/soft/soft_blocks.h"

#include "base/copy.h"
#include "sim/soft/soft_step.h"

/* Blocks of the nodes, -1: not listed. */
static const int* node_block(const cr_step* step, const cr_blocks* blocks,
                             const cr_step_soft* soft) {
  return blocks->segment_block + step->model->tree.num_segments + soft->part->first_node;
}

int cr_soft_list_segments(const cr_step* step, int mover, int* segments) {
  const cr_step_soft* soft = cr_soft_of_tree(step, mover);
  int first = step->model->tree.num_segments + soft->part->first_node;
  for (int i = 0; segments && i < soft->num_kept; i++) segments[i] = first + soft->kept[i];
  return soft->num_kept;
}

static int couple_all(const cr_step_soft* soft, const int* block, int (*couplings)[2]) {
  int count = 0;
  for (int b = 0; b < soft->num_kept; b++)
    for (int a = 0; a < b; a++, count++) {
      if (!couplings) continue;
      couplings[count][0] = block[soft->kept[b]];
      couplings[count][1] = block[soft->kept[a]];
    }
  return count;
}

static int couple_neighbors(const cr_step_soft* soft, const int* block, int (*couplings)[2]) {
  const cr_bsm_pattern* p = &soft->part->body.pattern;
  int count = 0;
  for (int j = 0; j < p->num_blocks; j++)
    for (int k = p->col_start[j] + 1; k < p->col_start[j + 1]; k++) {
      int i = p->row_index[k];
      if (block[i] < 0 || block[j] < 0) continue;
      if (couplings) couplings[count][0] = block[i], couplings[count][1] = block[j];
      count++;
    }
  return count;
}

int cr_soft_couple(const cr_step* step, const cr_blocks* blocks, int mover, int (*couplings)[2]) {
  const cr_step_soft* soft = cr_soft_of_tree(step, mover);
  const int* block = node_block(step, blocks, soft);
  return soft->is_iterative ? couple_neighbors(soft, block, couplings)
                            : couple_all(soft, block, couplings);
}

/* Copies S, whose kept nodes are consecutive blocks. */
static void fill_schur(cr_blocks* blocks, const cr_step_soft* soft, int first) {
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
static void fill_unfactored(cr_blocks* blocks, const cr_step_soft* soft, const int* block) {
  const cr_bsm_pattern *from = &soft->part->body.pattern, *to = &blocks->pattern;
  for (int j = 0; j < from->num_blocks; j++) {
    if (block[j] < 0) continue;
    int at = to->col_start[block[j]];
    for (int k = from->col_start[j]; k < from->col_start[j + 1]; k++) {
      if (block[from->row_index[k]] < 0) continue;
      CR_COPY(blocks->values + to->value_start[at], soft->A + from->value_start[k], 9);
      at++;
    }
  }
}

void cr_soft_fill_blocks(cr_step* step, int mover, cr_blocks* blocks) {
  const cr_step_soft* soft = cr_soft_of_tree(step, mover);
  const int* block = node_block(step, blocks, soft);
  if (soft->is_iterative)
    fill_unfactored(blocks, soft, block);
  else
    fill_schur(blocks, soft, block[soft->kept[0]]);
}

void cr_soft_fill_least_rows(const cr_step* step, int mover, const cr_blocks* blocks,
                             double* least) {
  const cr_step_soft* soft = cr_soft_of_tree(step, mover);
  const int* block = node_block(step, blocks, soft);
  for (int i = 0; i < soft->num_kept; i++)
    for (int k = 0; k < 3; k++)
      least[blocks->pattern.row_start[block[soft->kept[i]]] + k] =
          soft->part->body.mass[soft->kept[i]];
}

/* --- Points -------------------------------------------------------------------------------------
 */

void cr_soft_count_path(const carom_model* model, const cr_mover_point* point, int* blocks,
                        int* columns) {
  (void)model;
  *blocks += point->barycentric->count, *columns += 3 * point->barycentric->count;
}

/* Nodes that are held in the world have no block. */
bool cr_soft_add_path(const cr_step* step, const cr_blocks* blocks, const cr_mover_point* point,
                      cr_path* path) {
  for (int k = 0; k < point->barycentric->count; k++) {
    int block = blocks->segment_block[step->model->tree.num_segments + point->barycentric->node[k]];
    if (block >= 0 && !cr_path_insert(path, block)) return false;
  }
  return true;
}

void cr_soft_add_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_mover_point* point, const cr_point_rows* out) {
  const cr_barycentric_point* barycentric = point->barycentric;
  for (int k = 0; k < barycentric->count; k++) {
    int segment = step->model->tree.num_segments + barycentric->node[k];
    if (blocks->segment_block[segment] < 0) continue;
    double* columns = out->J + cr_path_find_column(blocks, path, segment);
    for (int r = 0; r < out->rows; r++) {
      v3 d = v3_scale(out->sign * barycentric->weight[k], out->directions[r]);
      for (int i = 0; i < 3; i++) columns[r * out->stride + i] += v3_get(d, i);
    }
  }
}

/* Of its nodes, by their weights. */
double cr_soft_find_mass(const carom_model* model, const cr_mover_point* point) {
  const cr_barycentric_point* barycentric = point->barycentric;
  double sum = 0;
  for (int k = 0; k < barycentric->count; k++) {
    int part = 0;
    while (part + 1 < model->soft.num_parts &&
           model->soft.part[part + 1].first_node <= barycentric->node[k])
      part++;
    const cr_soft_part* p = &model->soft.part[part];
    sum += barycentric->weight[k] * p->body.mass[barycentric->node[k] - p->first_node];
  }
  return sum;
}
