/* Dense matrices; see dense.h. */
#include "support/dense.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double* dense_zeros(int count) {
  double* x = calloc((size_t)count + 1, sizeof(double));
  assert_non_null(x);
  return x;
}

static void swap_rows(double* M, int columns, int a, int b) {
  for (int c = 0; c < columns && a != b; c++) {
    double t = M[a * columns + c];
    M[a * columns + c] = M[b * columns + c];
    M[b * columns + c] = t;
  }
}

static int find_pivot(const double* M, int n, int k) {
  int pivot = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(M[i * n + k]) > fabs(M[pivot * n + k])) pivot = i;
  return pivot;
}

void dense_solve(const double* matrix, int n, double* B, int columns) {
  double* M = dense_zeros(n * n);
  memcpy(M, matrix, sizeof(double) * (size_t)n * (size_t)n);
  for (int k = 0; k < n; k++) {
    int pivot = find_pivot(M, n, k);
    swap_rows(M, n, k, pivot);
    swap_rows(B, columns, k, pivot);
    for (int i = 0; i < n; i++) {
      double factor = i == k ? 0 : M[i * n + k] / M[k * n + k];
      for (int c = k; c < n && factor != 0; c++) M[i * n + c] -= factor * M[k * n + c];
      for (int c = 0; c < columns && factor != 0; c++)
        B[i * columns + c] -= factor * B[k * columns + c];
    }
  }
  for (int i = 0; i < n; i++)
    for (int c = 0; c < columns; c++) B[i * columns + c] /= M[i * n + i];
  free(M);
}

double* dense_product(const double* A, const double* B, int rows, int inner, int columns) {
  double* C = dense_zeros(rows * columns);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < inner; k++)
      for (int j = 0; j < columns; j++) C[i * columns + j] += A[i * inner + k] * B[k * columns + j];
  return C;
}

double* dense_transpose(const double* A, int rows, int columns) {
  double* T = dense_zeros(rows * columns);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) T[j * rows + i] = A[i * columns + j];
  return T;
}

double* dense_A(const cr_problem* problem) {
  const cr_bsm_pattern* p = &problem->pattern;
  int n = p->num_rows;
  double* dense = dense_zeros(n * n);
  for (int j = 0; j < p->num_blocks; j++)
    for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++) {
      int i = p->row_index[b], rows = p->size[i];
      for (int c = 0; c < p->size[j]; c++)
        for (int r = 0; r < rows; r++) {
          double value = problem->A[p->value_start[b] + c * rows + r];
          int row = p->row_start[i] + r, column = p->row_start[j] + c;
          dense[row * n + column] = dense[column * n + row] = value;
        }
    }
  return dense;
}

double dense_norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}
