/* Random block-sparse matrices for tests. */
#include "support/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void* check_alloc(size_t size) {
  void* block = aligned_alloc(64, size / 64 * 64 + 64);
  if (!block) fail_msg("out of memory in a test");
  return block;
}

int matrix_max_couplings(int num_blocks) { return num_blocks * (num_blocks + 3); }

static int fill_grid(int num_blocks, int (*couplings)[2]) {
  int count = 0, side = (int)ceil(sqrt(num_blocks));
  for (int k = 0; k < num_blocks; k++) {
    if ((k + 1) % side && k + 1 < num_blocks)
      couplings[count][0] = k, couplings[count++][1] = k + 1;
    if (k + side < num_blocks) couplings[count][0] = k + side, couplings[count++][1] = k;
  }
  return count;
}

static int fill_random(int num_blocks, check_random* random, int (*couplings)[2]) {
  int count = 5 * num_blocks / 2;
  for (int k = 0; k < count; k++)
    for (int e = 0; e < 2; e++) couplings[k][e] = check_random_int(random, 0, num_blocks - 1);
  return count;
}

static int fill_full(int num_blocks, int (*couplings)[2]) {
  int count = 0;
  for (int i = 0; i < num_blocks; i++)
    for (int j = 0; j < i; j++) couplings[count][0] = i, couplings[count++][1] = j;
  return count;
}

/* Groups of two thirds of all blocks, begun every five twelfths. */
static int fill_cliques(int num_blocks, int (*couplings)[2]) {
  int count = 0, step = num_blocks * 5 / 12 + 1, width = num_blocks * 2 / 3;
  for (int first = 0; first < num_blocks; first += step)
    for (int i = first; i < num_blocks && i < first + width; i++)
      for (int j = first; j < i; j++) couplings[count][0] = i, couplings[count++][1] = j;
  return count;
}

int matrix_fill_couplings(matrix_shape shape, int num_blocks, check_random* random,
                          int (*couplings)[2]) {
  if (shape == SHAPE_GRID) return fill_grid(num_blocks, couplings);
  if (shape == SHAPE_RANDOM) return fill_random(num_blocks, random, couplings);
  if (shape == SHAPE_FULL) return fill_full(num_blocks, couplings);
  if (shape == SHAPE_CLIQUES) return fill_cliques(num_blocks, couplings);
  int count = 0;
  for (int k = 0; k + 1 < num_blocks; k++) {
    int other = shape == SHAPE_ARROW ? num_blocks - 1 : k + 1;
    int own = shape == SHAPE_ARROW_FIRST ? 0 : k;
    if (shape == SHAPE_SINGLE || (shape == SHAPE_DISCONNECTED && k % 4 == 3)) continue;
    couplings[count][0] = own;
    couplings[count++][1] = other;
  }
  return count;
}

int matrix_random_size(matrix_sizes sizes, check_random* random) {
  if (sizes == SIZES_SIX) return 6;
  if (sizes == SIZES_THREE) return 3;
  if (sizes == SIZES_LARGE) return 40;
  if (sizes == SIZES_SMALL) return check_random_int(random, 1, 8);
  return check_random_int(random, 0, 3) ? 6 : check_random_int(random, 1, 40);
}

/* A random matrix of three rows and `cols` columns. */
static void fill_rows(check_random* random, int cols, double* J) {
  for (int k = 0; k < 3 * cols; k++) J[k] = check_random_uniform(random, -1, 1);
}

/* Adds weight times J_rowᵀ J_col to a stored block. */
static void add_product(const cr_bsm_pattern* p, double* values, int i, int j, double weight,
                        const double* J_row, const double* J_col) {
  double* block = values + p->value_start[cr_bsm_find_block(p, i, j)];
  for (int c = 0; c < p->size[j]; c++)
    for (int r = 0; r < p->size[i]; r++)
      for (int k = 0; k < 3; k++)
        block[r + c * p->size[i]] += weight * J_row[k * p->size[i] + r] * J_col[k * p->size[j] + c];
}

static void fill_values(const cr_bsm_pattern* p, double stiffness, check_random* random,
                        double* values) {
  memset(values, 0, sizeof(double) * (size_t)p->num_values);
  double J_row[3 * 64], J_col[3 * 64];
  for (int j = 0; j < p->num_blocks; j++)
    for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++) {
      int i = p->row_index[b];
      fill_rows(random, p->size[i], J_row);
      fill_rows(random, p->size[j], J_col);
      if (i == j) {
        for (int r = 0; r < p->size[j]; r++)
          values[p->value_start[b] + r * (p->size[j] + 1)] += check_random_uniform(random, 0.5, 2);
        continue;
      }
      double weight = stiffness * check_random_uniform(random, 0, 1);
      add_product(p, values, i, i, weight, J_row, J_row);
      add_product(p, values, j, j, weight, J_col, J_col);
      add_product(p, values, i, j, weight, J_row, J_col);
    }
}

void matrix_sample_update_dense(matrix_sample* s) {
  cr_bsm_to_dense(&s->pattern, s->values, s->dense);
}

void matrix_sample_init(matrix_sample* s, const matrix_def* def) {
  check_random random = {def->seed};
  int num_blocks = def->shape == SHAPE_SINGLE ? 1 : def->num_blocks;
  int* size = check_alloc(sizeof(int) * (size_t)num_blocks);
  int(*couplings)[2] = check_alloc(sizeof(int[2]) * (size_t)matrix_max_couplings(num_blocks));
  for (int k = 0; k < num_blocks; k++) size[k] = matrix_random_size(def->sizes, &random);
  int count = matrix_fill_couplings(def->shape, num_blocks, &random, couplings);
  cr_arena_init(&s->arena, NULL);
  if (!cr_bsm_pattern_build(&s->arena, num_blocks, size, count, (const int(*)[2])couplings,
                            &s->pattern))
    fail_msg("out of memory in a test");
  free(size);
  free(couplings);
  size_t num_rows = (size_t)s->pattern.num_rows;
  s->values = check_alloc(sizeof(double) * (size_t)s->pattern.num_values);
  s->dense = check_alloc(sizeof(double) * num_rows * num_rows);
  fill_values(&s->pattern, def->stiffness, &random, s->values);
  matrix_sample_update_dense(s);
}

void matrix_sample_destroy(matrix_sample* s) {
  free(s->values);
  free(s->dense);
  cr_arena_destroy(&s->arena);
}

void matrix_check_order(int num_blocks, const int* order) {
  char* seen = check_alloc((size_t)num_blocks);
  memset(seen, 0, (size_t)num_blocks);
  for (int k = 0; k < num_blocks; k++) {
    assert_in_range(order[k], 0, num_blocks - 1);
    assert_false(seen[order[k]]);
    seen[order[k]] = 1;
  }
  free(seen);
}
