/* Dense kernels, compiled for several instruction sets and chosen at run time.
 *
 * The AVX2 and AVX-512 tables give the same bits: every element is computed by the same operations
 * in the same order, and sums over the lanes of a vector are taken in one fixed tree whatever the
 * registers. The base table has no fused multiply-add and agrees to round-off.
 *
 * Kernels of panels work on whole vectors: they may read up to CR_KERNEL_SLACK doubles past a panel
 * or a right-hand side, which the sizes of factor and scratch provide for. Kernels of row-major
 * matrices touch nothing outside. */
#ifndef CR_LINALG_KERNELS_H
#define CR_LINALG_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Doubles past the end of an array that kernels may read. */
#define CR_KERNEL_SLACK 8

/* Rows of the longest segment. */
#define CR_SEGMENT_ROWS 8

/* Columns of a panel that stands alone, at most, for its own kernel. */
#define CR_ALONE_WIDTH 12

/* Right-hand sides that the substitutions take at once. */
#define CR_SOLVE_GROUP 4

/* A panel of the factor, column-major: a lower triangle of `width` columns, and from row `below` on
 * the rows of the factor under it. Once factored, the diagonal holds the reciprocals of the
 * factor's. `below` and `stride` are multiples of CR_SEGMENT_ROWS; the rows between the triangle
 * and `below`, and after `rows`, hold zeros. */
typedef struct cr_panel {
  void* values; /* doubles or floats, as the kernels' table says */
  int width;
  int below;
  int rows; /* the end of the rows */
  int stride;
} cr_panel;

/* Rows of a vector that are neighbours there and in a panel. */
typedef struct cr_row_run {
  int start, count;
} cr_row_run;

/* Where the rows of a panel are in a vector. */
typedef struct cr_panel_rows {
  int first; /* of the triangle */
  int num_runs;
  const cr_row_run* run; /* of the rows below, in order */
} cr_panel_rows;

/* Right-hand sides in the order of elimination, and room for one panel's rows of each. */
typedef struct cr_vectors {
  void* y; /* [count][y_stride] numbers of the panels' kind */
  void* z; /* [count][z_stride], at least the rows below a panel and CR_KERNEL_SLACK */
  int y_stride, z_stride;
  int count; /* 1 to CR_SOLVE_GROUP */
} cr_vectors;

/* Up to eight consecutive rows of a panel and where they belong in another. */
typedef struct cr_segment {
  int source; /* row of the panel that updates */
  int target; /* row of the panel that is updated */
  int count;  /* 1 to CR_SEGMENT_ROWS */
} cr_segment;

/* One panel's update of consecutive columns of another: C -= A Bᵀ, with B the rows from
 * `source_row` on, A the rows of the segments, C starting at `target`. */
typedef struct cr_update {
  int64_t target;    /* row 0 of the first column, in the factor */
  int target_stride; /* between columns */
  int source_row;    /* row of the source that belongs to the first column */
  int num_columns;
  int first_segment; /* its first row is source_row */
  int num_segments;
  int panel; /* that is updated: its supernode */
} cr_update;

/* A row-major matrix: `num_rows` x `num_cols`, `stride` doubles between rows. Where a kernel says
 * padded, the stride is a multiple of 4 and the columns from num_cols up to it hold zeros. */
typedef struct cr_rows {
  const double* values;
  int num_rows, num_cols, stride;
} cr_rows;

/* Where a block of the matrix lives inside the factor's array: element (r, c) of the stored block
 * (i, j), i >= j, is factor[offset + r * row_stride + c * col_stride]; one of the strides is 1.
 *
 * Who assembles in place sets the whole array to zero first, gaps included. Of a diagonal block
 * only the lower triangle counts; the upper one may hold anything. */
typedef struct cr_factor_target {
  int64_t offset;
  int row_stride, col_stride;
} cr_factor_target;

/* What a factor is made of. */
typedef enum cr_precision { CR_DOUBLE, CR_SINGLE, CR_PRECISION_COUNT } cr_precision;

/* Kernels of panels whose elements are of one precision. */
typedef struct cr_panel_kernels {
  size_t number_size; /* bytes of an element */

  /* Cholesky factor of a panel's triangle, and the rows below times its inverse transposed.
   * @return -1, or the first column whose pivot is not a positive normal number */
  int (*factor_panel)(const cr_panel* panel);

  /* Applies one update of a factored panel. Above the diagonal of the target it leaves garbage. */
  void (*apply_update)(const cr_panel* source, const cr_update* update, const cr_segment* segments,
                       void* factor);

  /* y1 <- L1⁻¹ y1 and y2 -= L2 y1, where 1 are the rows of the triangle and 2 those below. */
  void (*solve_forward)(const cr_panel* panel, const cr_panel_rows* rows, const cr_vectors* v);

  /* y1 <- L1⁻ᵀ (y1 - L2ᵀ y2) */
  void (*solve_backward)(const cr_panel* panel, const cr_panel_rows* rows, const cr_vectors* v);

  /* Adds a block of doubles, whose rows are columns of the target (c, r), to its place. */
  void (*add_block)(const cr_rows* source, const cr_factor_target* to, void* factor);

  /* Adds the lower triangle of a symmetric matrix, block row by block row, to the places `to` of
   * its blocks. Its upper triangle is given: C [columns, stride] row-major, doubles.
   * @param size of all blocks, of which `block` [num_blocks] are those of C */
  void (*add_blocks)(const double* C, int stride, const int* size, const int* block, int num_blocks,
                     const cr_factor_target* to, void* factor);
} cr_panel_kernels;

typedef struct cr_kernels {
  const char* name;

  const cr_panel_kernels* panels[CR_PRECISION_COUNT];

  /* Y1 <- L1⁻¹ Y1 and Y2 -= L2 Y1 for four right-hand sides side by side, Y [rows][4], that differ
   * from zero only in some runs of the panel's own rows (counted from its first); then adds the
   * diagonals of Y1ᵀ Y1 to products [3][4]: element (r, (r + d) mod 4) to products[d][r]. */
  void (*accumulate_gram)(const cr_panel* panel, const cr_panel_rows* rows, const cr_row_run* own,
                          int num_own, double* Y, double* products);

  /* The same for panels [count] without rows below and up to four rows of a matrix, whose columns
   * [num_rows, stride], `width` of each panel side by side, are the right-hand sides; widths at
   * most CR_ALONE_WIDTH. */
  void (*accumulate_gram_alone)(const cr_panel* panel, int count, const cr_rows* B,
                                double* products);

  /* C += A Bᵀ over `count` elements of the rows of A [num_a, stride_a] and B [num_b, stride_b];
   * C [num_a, CR_SOLVE_GROUP]; num_a, num_b at most CR_SOLVE_GROUP. */
  void (*add_dots)(const double* A, int stride_a, int num_a, const double* B, int stride_b,
                   int num_b, int count, double* C);

  /* B = G J for a padded J whose rows belong together `rows` by `rows`: their matrices [rows,
   * rows], row-major, stand at G, G + next, and so on; B has J's shape. */
  void (*weight_rows)(const cr_rows* J, int rows, const double* G, ptrdiff_t next, double* B);

  /* C += Jᵀ B for padded J and B of one shape; C [num_cols, stride] row-major, all of it written.
   * `values` of B only; its shape is J's. */
  void (*accumulate_product)(const cr_rows* J, const double* B, double* C);

  /* C = Jᵀ B where that is symmetric and only its elements on and right of the diagonal are wanted
   * (the lower triangle, when C is read column-major as the factor's panels are). Left of it each
   * group of four columns is either computed too or left as it was. */
  void (*multiply_product_upper)(const cr_rows* J, const double* B, double* C);

  /* y = J x for a padded J; x [stride], finite in the padding. */
  void (*multiply_rows)(const cr_rows* J, const double* x, double* y);

  /* x = Jᵀ y for a padded J; x [stride]. */
  void (*multiply_transposed)(const cr_rows* J, const double* y, double* x);

  /* y -= sum of a_k X_k over `count` rows of X [count, n], row by row for each element (a
   * small_subtract). */
  void (*subtract_rows)(const double* a, const double* X, int stride, int count, int n, double* y);
} cr_kernels;

typedef enum cr_kernel_level {
  CR_KERNELS_BASE,
  CR_KERNELS_AVX2,
  CR_KERNELS_AVX512,
} cr_kernel_level;

/* The table of an instruction set, or null where this machine or build does not have it. */
const cr_kernels* cr_kernels_get(cr_kernel_level level);

/* The best table of this machine. */
const cr_kernels* cr_kernels_select(void);

#endif
