/* Meijerink and van der Vorst's incomplete factorisation (1977), block by block. */
#include "linalg/incomplete.h"

#include "base/copy.h"

#include <math.h>
#include <string.h>

/* Pivots of the whole factor are no less than `least`; an incomplete one's may be a little. */
#define SUSPICIOUS 0.5

/* --- Set-up ----------------------------------------------------------------------------------- */

/* Lists the blocks left of the diagonal row by row. */
static void list_rows(const cr_bsm_pattern* p, int* row_first, int* column, int* source) {
  memset(row_first, 0, sizeof(int) * (size_t)(p->num_blocks + 1));
  for (int j = 0; j < p->num_blocks; j++)
    for (int k = p->col_start[j] + 1; k < p->col_start[j + 1]; k++)
      row_first[p->row_index[k] + 1]++;
  for (int i = 0; i < p->num_blocks; i++) row_first[i + 1] += row_first[i];
  for (int j = 0; j < p->num_blocks; j++)
    for (int k = p->col_start[j] + 1; k < p->col_start[j + 1]; k++) {
      int at = row_first[p->row_index[k]]++;
      column[at] = j, source[at] = k;
    }
  for (int i = p->num_blocks; i > 0; i--) row_first[i] = row_first[i - 1];
  row_first[0] = 0;
}

/* Values of the blocks of L and D; returns the most that a row of L or a block row has. */
static int place_values(const cr_bsm_pattern* p, const cr_incomplete* x, int* L_start, int* D_start,
                        int* num_L, int* num_D) {
  int most = 0;
  *num_L = *num_D = 0;
  for (int i = 0; i < p->num_blocks; i++) {
    int first = *num_L;
    for (int k = x->row_first[i]; k < x->row_first[i + 1]; k++) {
      L_start[k] = *num_L;
      *num_L += p->size[i] * p->size[x->column[k]];
    }
    D_start[i] = *num_D;
    *num_D += p->size[i] * p->size[i];
    if (*num_L - first > most) most = *num_L - first;
    if (p->size[i] > most) most = p->size[i];
  }
  return most;
}

bool cr_incomplete_init(const cr_bsm_pattern* pattern, cr_arena* arena, cr_incomplete* incomplete) {
  int left = pattern->num_lower - pattern->num_blocks, num_L, num_D;
  int* row_first = CR_SCRATCH(arena, int, pattern->num_blocks + 1);
  int* column = CR_SCRATCH(arena, int, left);
  int* source = CR_SCRATCH(arena, int, left);
  int* L_start = CR_SCRATCH(arena, int, left);
  int* D_start = CR_SCRATCH(arena, int, pattern->num_blocks);
  if (arena->failed) return false;
  list_rows(pattern, row_first, column, source);
  *incomplete = (cr_incomplete){.pattern = pattern,
                                .row_first = row_first,
                                .column = column,
                                .source = source,
                                .L_start = L_start,
                                .D_start = D_start};
  int most = place_values(pattern, incomplete, L_start, D_start, &num_L, &num_D);
  incomplete->L = CR_SCRATCH(arena, double, num_L);
  incomplete->D_inverse = CR_SCRATCH(arena, double, num_D);
  incomplete->row = CR_SCRATCH(arena, double, most);
  return !arena->failed;
}

/* --- Small blocks, column-major; sizes of three are unrolled ---------------------------------- */

/* C [rows, columns] += scale Aᵀ B, A [inner, rows], B [inner, columns] */
static inline void add_product(int inner, int rows, int columns, double scale, const double* A,
                               const double* B, double* C) {
  for (int c = 0; c < columns; c++)
    for (int r = 0; r < rows; r++) {
      double sum = 0;
      for (int k = 0; k < inner; k++) sum += A[r * inner + k] * B[c * inner + k];
      C[c * rows + r] += scale * sum;
    }
}

static void subtract_product(int inner, int rows, int columns, const double* A, const double* B,
                             double* C) {
  if (inner == 3 && rows == 3 && columns == 3)
    add_product(3, 3, 3, -1, A, B, C);
  else
    add_product(inner, rows, columns, -1, A, B, C);
}

/* C [n, columns] = D B with a symmetric D [n, n] */
static void multiply_symmetric(int n, int columns, const double* D, const double* B, double* C) {
  memset(C, 0, sizeof *C * (size_t)(n * columns));
  if (n == 3 && columns == 3)
    add_product(3, 3, 3, 1, D, B, C);
  else
    add_product(n, n, columns, 1, D, B, C);
}

/* D = Cᵀ C by Cholesky into the upper triangle of D, with reciprocals on the diagonal; false where
 * a pivot is below `share` of the least. */
static bool factor_block(int n, const double* least, double share, double* D) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      double sum = D[j * n + i];
      for (int k = 0; k < i; k++) sum -= D[i * n + k] * D[j * n + k];
      if (i < j) {
        D[j * n + i] = sum * D[i * n + i];
        continue;
      }
      if (!(sum > 0 && sum >= share * least[j] && isfinite(sum))) return false;
      D[j * n + j] = 1 / sqrt(sum);
    }
  return true;
}

/* The inverse of D from that, both triangles. */
static void invert_block(int n, double* D) {
  /* C^-1, upper, in place. */
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) {
      double sum = 0;
      for (int k = i; k < j; k++) sum += D[k * n + i] * D[j * n + k];
      D[j * n + i] = -sum * D[j * n + j];
    }
  /* C^-1 C^-T: column j of the upper triangle needs columns j and beyond. */
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double sum = 0;
      for (int k = j; k < n; k++) sum += D[k * n + i] * D[k * n + j];
      D[j * n + i] = sum;
      D[i * n + j] = sum;
    }
}

/* --- Factorisation ---------------------------------------------------------------------------- */

/* The lower triangle of the pattern's diagonal block, both triangles. */
static void load_diagonal(const cr_bsm_pattern* p, const double* values, int i, double* D) {
  int n = p->size[i];
  const double* from = values + p->value_start[p->col_start[i]];
  for (int c = 0; c < n; c++)
    for (int r = c; r < n; r++) D[c * n + r] = D[r * n + c] = from[c * n + r];
}

static void load(cr_incomplete* x, const double* values) {
  const cr_bsm_pattern* p = x->pattern;
  for (int i = 0; i < p->num_blocks; i++) {
    load_diagonal(p, values, i, x->D_inverse + x->D_start[i]);
    for (int k = x->row_first[i]; k < x->row_first[i + 1]; k++) {
      size_t size = sizeof(double) * (size_t)(p->size[i] * p->size[x->column[k]]);
      memcpy(x->L + x->L_start[k], values + p->value_start[x->source[k]], size);
    }
  }
}

static bool invert_pivot(cr_incomplete* x, const double* values, const double* least, int i) {
  const cr_bsm_pattern* p = x->pattern;
  double* D = x->D_inverse + x->D_start[i];
  int n = p->size[i];
  bool is_good = factor_block(n, least + p->row_start[i], SUSPICIOUS, D);
  if (!is_good) {
    load_diagonal(p, values, i, D);
    is_good = factor_block(n, least + p->row_start[i], 0, D);
  }
  if (is_good) invert_block(n, D);
  return is_good;
}

/* A_jk -= E_ijᵀ D_i^-1 E_ik for the blocks j of row i and those k <= j of it that row j has. */
static void update_row(cr_incomplete* x, int i, int at) {
  const cr_bsm_pattern* p = x->pattern;
  int j = x->column[at], n = p->size[i], first = x->row_first[i], own = x->L_start[first];
  const double* E = x->L + x->L_start[at];
  subtract_product(n, p->size[j], p->size[j], E, x->row + x->L_start[at] - own,
                   x->D_inverse + x->D_start[j]);
  for (int k = first, to = x->row_first[j]; k < at && to < x->row_first[j + 1];) {
    int wanted = x->column[k], found = x->column[to];
    if (wanted == found)
      subtract_product(n, p->size[j], p->size[wanted], E, x->row + x->L_start[k] - own,
                       x->L + x->L_start[to]);
    if (wanted <= found) k++;
    if (found <= wanted) to++;
  }
}

bool cr_incomplete_factor(cr_incomplete* incomplete, const double* values, const double* least) {
  const cr_bsm_pattern* p = incomplete->pattern;
  load(incomplete, values);
  for (int i = p->num_blocks - 1; i >= 0; i--) {
    int first = incomplete->row_first[i], end = incomplete->row_first[i + 1], count = 0;
    if (!invert_pivot(incomplete, values, least, i)) return false;
    const double* D = incomplete->D_inverse + incomplete->D_start[i];
    for (int k = first; k < end; k++) {
      int columns = p->size[incomplete->column[k]];
      multiply_symmetric(p->size[i], columns, D, incomplete->L + incomplete->L_start[k],
                         incomplete->row + count);
      count += p->size[i] * columns;
    }
    for (int k = first; k < end; k++) update_row(incomplete, i, k);
    if (count > 0) CR_COPY(incomplete->L + incomplete->L_start[first], incomplete->row, count);
  }
  return true;
}

/* --- Substitution ----------------------------------------------------------------------------- */

/* y -= Bᵀ x, B [n, columns] */
static inline void subtract_transposed(int n, int columns, const double* B, const double* x,
                                       double* y) {
  for (int c = 0; c < columns; c++) {
    double sum = 0;
    for (int r = 0; r < n; r++) sum += B[c * n + r] * x[r];
    y[c] -= sum;
  }
}

/* y -= B x */
static inline void subtract_plain(int n, int columns, const double* B, const double* x, double* y) {
  for (int c = 0; c < columns; c++)
    for (int r = 0; r < n; r++) y[r] -= B[c * n + r] * x[c];
}

/* x <- D x with a symmetric D; x has no more rows than `room`. */
static void multiply_in_place(int n, const double* D, double* x, double* room) {
  for (int r = 0; r < n; r++) {
    double sum = 0;
    for (int c = 0; c < n; c++) sum += D[r * n + c] * x[c];
    room[r] = sum;
  }
  CR_COPY(x, room, n);
}

void cr_incomplete_solve(const cr_incomplete* incomplete, int num_blocks, double* x) {
  const cr_bsm_pattern* p = incomplete->pattern;
  const int *size = p->size, *column = incomplete->column;
  double three[3];
  for (int i = num_blocks - 1; i >= 0; i--) {
    double* own = x + p->row_start[i];
    for (int k = incomplete->row_first[i]; k < incomplete->row_first[i + 1]; k++) {
      const double* B = incomplete->L + incomplete->L_start[k];
      double* y = x + p->row_start[column[k]];
      if (size[i] == 3 && size[column[k]] == 3)
        subtract_transposed(3, 3, B, own, y);
      else
        subtract_transposed(size[i], size[column[k]], B, own, y);
    }
    const double* D = incomplete->D_inverse + incomplete->D_start[i];
    multiply_in_place(size[i], D, own, size[i] <= 3 ? three : incomplete->row);
  }
  for (int i = 0; i < num_blocks; i++) {
    double* own = x + p->row_start[i];
    for (int k = incomplete->row_first[i]; k < incomplete->row_first[i + 1]; k++) {
      const double* B = incomplete->L + incomplete->L_start[k];
      const double* from = x + p->row_start[column[k]];
      if (size[i] == 3 && size[column[k]] == 3)
        subtract_plain(3, 3, B, from, own);
      else
        subtract_plain(size[i], size[column[k]], B, from, own);
    }
  }
}
