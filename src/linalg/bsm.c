/* Block-sparse symmetric patterns from lists of couplings, and their products.
 *
 * The couplings are sorted by two stable counting sorts (rows, then columns), so building is linear
 * in blocks and couplings. */
#include "linalg/bsm.h"

#include "base/copy.h"
#include "math/scalar.h"

#include <string.h>

/* Working memory of a build. */
typedef struct build_scratch {
  int* count;      /* [num_blocks + 1] bucket ends of the running sort */
  int (*pairs)[2]; /* [num_couplings] (row, column) sorted by row */
  int* row;        /* [num_couplings] rows sorted by column, then row; later without repeats */
  int* col_start;  /* [num_blocks + 1] of `row` */
} build_scratch;

static bool push_scratch(cr_arena* arena, int num_blocks, int num_couplings, build_scratch* s) {
  s->count = CR_SCRATCH(arena, int, num_blocks + 1);
  s->pairs = (int(*)[2])cr_arena_push_scratch(arena, sizeof(int[2]) * (size_t)num_couplings);
  s->row = CR_SCRATCH(arena, int, num_couplings);
  s->col_start = CR_SCRATCH(arena, int, num_blocks + 1);
  return !arena->failed;
}

/* Turns counts [n] into starts; start[n] becomes the total. */
static void accumulate_starts(int n, int* start) {
  int total = 0;
  for (int i = 0; i < n; i++) {
    int count = start[i];
    start[i] = total;
    total += count;
  }
  start[n] = total;
}

/* Sorts the lower couplings by row into s->pairs; returns how many join two different blocks. */
static int sort_by_row(int num_blocks, int num_couplings, const int (*couplings)[2],
                       build_scratch* s) {
  memset(s->count, 0, sizeof(int) * (size_t)(num_blocks + 1));
  for (int e = 0; e < num_couplings; e++)
    if (couplings[e][0] != couplings[e][1]) s->count[int_max(couplings[e][0], couplings[e][1])]++;
  accumulate_starts(num_blocks, s->count);
  int total = s->count[num_blocks];
  for (int e = 0; e < num_couplings; e++) {
    int row = int_max(couplings[e][0], couplings[e][1]);
    int col = int_min(couplings[e][0], couplings[e][1]);
    if (row == col) continue;
    int* pair = s->pairs[s->count[row]++];
    pair[0] = row;
    pair[1] = col;
  }
  return total;
}

/* Sorts the pairs by column (rows stay ascending) and drops repeats. */
static void sort_by_column(int num_blocks, int num_pairs, build_scratch* s) {
  int* start = s->col_start;
  memset(start, 0, sizeof(int) * (size_t)(num_blocks + 1));
  for (int e = 0; e < num_pairs; e++) start[s->pairs[e][1]]++;
  accumulate_starts(num_blocks, start);
  CR_COPY(s->count, start, num_blocks + 1);
  for (int e = 0; e < num_pairs; e++) s->row[s->count[s->pairs[e][1]]++] = s->pairs[e][0];

  /* Equal rows of a column are neighbours now. */
  int kept = 0;
  for (int j = 0; j < num_blocks; j++) {
    int begin = start[j], end = s->count[j];
    start[j] = kept;
    for (int e = begin; e < end; e++)
      if (e == begin || s->row[e] != s->row[e - 1]) s->row[kept++] = s->row[e];
  }
  start[num_blocks] = kept;
}

/* Fills the arrays of the pattern from the sorted columns. */
static void fill_pattern(int num_blocks, const int* size, const build_scratch* s, int* arrays[5]) {
  int *own_size = arrays[0], *row_start = arrays[1], *col_start = arrays[2];
  int *row_index = arrays[3], *value_start = arrays[4];
  int row = 0, stored = 0, value = 0;
  for (int j = 0; j < num_blocks; j++) {
    own_size[j] = size[j];
    row_start[j] = row;
    row += size[j];
    col_start[j] = stored;
    row_index[stored] = j;
    value_start[stored++] = value;
    value += size[j] * size[j];
    for (int e = s->col_start[j]; e < s->col_start[j + 1]; e++) {
      row_index[stored] = s->row[e];
      value_start[stored++] = value;
      value += size[s->row[e]] * size[j];
    }
  }
  row_start[num_blocks] = row;
  col_start[num_blocks] = stored;
  value_start[stored] = value;
}

bool cr_bsm_pattern_build(cr_arena* arena, int num_blocks, const int* size, int num_couplings,
                          const int (*couplings)[2], cr_bsm_pattern* pattern) {
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  build_scratch s;
  if (!push_scratch(arena, num_blocks, num_couplings, &s)) return false;
  sort_by_column(num_blocks, sort_by_row(num_blocks, num_couplings, couplings, &s), &s);

  int num_lower = num_blocks + s.col_start[num_blocks];
  int* arrays[5] = {
      CR_PUSH(arena, int, num_blocks),     CR_PUSH(arena, int, num_blocks + 1),
      CR_PUSH(arena, int, num_blocks + 1), CR_PUSH(arena, int, num_lower),
      CR_PUSH(arena, int, num_lower + 1),
  };
  if (arena->failed) return false;
  fill_pattern(num_blocks, size, &s, arrays);
  cr_arena_pop_scratch(arena, mark);
  *pattern = (cr_bsm_pattern){.num_blocks = num_blocks,
                              .num_rows = arrays[1][num_blocks],
                              .num_lower = num_lower,
                              .num_values = arrays[4][num_lower],
                              .size = arrays[0],
                              .row_start = arrays[1],
                              .col_start = arrays[2],
                              .row_index = arrays[3],
                              .value_start = arrays[4]};
  return true;
}

int cr_bsm_find_block(const cr_bsm_pattern* pattern, int i, int j) {
  int row = int_max(i, j), col = int_min(i, j);
  int low = pattern->col_start[col], high = pattern->col_start[col + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (pattern->row_index[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < pattern->col_start[col + 1] && pattern->row_index[low] == row ? low : -1;
}

/* y += D x with the lower triangle of a diagonal block D [n, n]. */
static void multiply_diagonal(int n, const double* D, const double* x, double* y) {
  for (int c = 0; c < n; c++) {
    double sum = D[c + c * n] * x[c];
    for (int r = c + 1; r < n; r++) {
      y[r] += D[r + c * n] * x[c];
      sum += D[r + c * n] * x[r];
    }
    y[c] += sum;
  }
}

/* The commonest size of a block, for which loops are unrolled. */
enum { FREE_BODY = 6 };

/* y += D x with the whole diagonal block of a free body, whose columns need not wait for each
 * other's sums as rows and columns of a triangle do. */
static inline void multiply_free_body(const double* D, const double* x, double* restrict y) {
  double sum[FREE_BODY];
  for (int r = 0; r < FREE_BODY; r++) sum[r] = D[r] * x[0];
  for (int c = 1; c < FREE_BODY; c++)
    for (int r = 0; r < FREE_BODY; r++) sum[r] += D[FREE_BODY * c + r] * x[c];
  for (int r = 0; r < FREE_BODY; r++) y[r] += sum[r];
}

/* The vectors of y = A x. */
typedef struct product {
  const double* x;
  double* y;
} product;

/* y_row += B x_col and y_col += Bᵀ x_row for a block B [rows, cols], two columns at once. */
static void multiply_both(const double* B, int rows, int cols, product at_row, product at_col) {
  int c = 0;
  for (; c + 1 < cols; c += 2, B += 2 * rows) {
    double x[2] = {at_col.x[c], at_col.x[c + 1]}, sum[2] = {0, 0};
    for (int r = 0; r < rows; r++) {
      double b[2] = {B[r], B[rows + r]}, x_row = at_row.x[r];
      at_row.y[r] = at_row.y[r] + b[0] * x[0] + b[1] * x[1];
      sum[0] += b[0] * x_row, sum[1] += b[1] * x_row;
    }
    at_col.y[c] += sum[0], at_col.y[c + 1] += sum[1];
  }
  for (; c < cols; c++, B += rows) {
    double sum = 0;
    for (int r = 0; r < rows; r++) {
      at_row.y[r] += B[r] * at_col.x[c];
      sum += B[r] * at_row.x[r];
    }
    at_col.y[c] += sum;
  }
}

void cr_bsm_multiply(const cr_bsm_pattern* pattern, const double* values, const double* x,
                     double* y) {
  const int *size = pattern->size, *start = pattern->row_start;
  for (int k = 0; k < pattern->num_rows; k++) y[k] = 0;
  for (int j = 0; j < pattern->num_blocks; j++) {
    int diagonal = pattern->col_start[j];
    product at_j = {x + start[j], y + start[j]};
    const double* D = values + pattern->value_start[diagonal];
    if (size[j] == FREE_BODY)
      multiply_free_body(D, at_j.x, at_j.y);
    else
      multiply_diagonal(size[j], D, at_j.x, at_j.y);
    for (int b = diagonal + 1; b < pattern->col_start[j + 1]; b++) {
      int i = pattern->row_index[b];
      product at_i = {x + start[i], y + start[i]};
      multiply_both(values + pattern->value_start[b], size[i], size[j], at_i, at_j);
    }
  }
}

void cr_bsm_to_dense(const cr_bsm_pattern* pattern, const double* values, double* dense) {
  size_t n = (size_t)pattern->num_rows;
  for (size_t k = 0; k < n * n; k++) dense[k] = 0;
  for (int j = 0; j < pattern->num_blocks; j++)
    for (int b = pattern->col_start[j]; b < pattern->col_start[j + 1]; b++) {
      int i = pattern->row_index[b], rows = pattern->size[i];
      const double* block = values + pattern->value_start[b];
      for (int c = 0; c < pattern->size[j]; c++)
        for (int r = i == j ? c : 0; r < rows; r++) {
          size_t row = (size_t)(pattern->row_start[i] + r);
          size_t col = (size_t)(pattern->row_start[j] + c);
          dense[row + col * n] = dense[col + row * n] = block[r + c * rows];
        }
    }
}
