/* What laws share: the mean De Saxce term, the largest eigenvalue of W_ii. */
#include "problem/law.h"

#include "math/scalar.h"
#include "math/small.h"

void cr_law_clear_shift(const cr_law_batch* batch, const cr_law_point* point, double* shift) {
  (void)point;
  for (int i = 0; i < batch->count; i++)
    for (int k = 0; k < batch->rows; k++) shift[batch->row[i] + k] = 0;
}

void cr_law_add_slip(const cr_law* law, double coulomb, const double* M, const double* parameter,
                     const double* x, double* term, double* b) {
  static const double none[CR_LAW_MAX_ROWS] = {0};
  static const int first = 0;
  double slip[CR_LAW_MAX_ROWS], shift[CR_LAW_MAX_ROWS];
  for (int a = 0; a < law->rows; a++) slip[a] = b[a] + scalar_dot(M + law->rows * a, x, law->rows);
  cr_law_batch alone = {.count = 1, .row = &first, .parameter = parameter, .rows = law->rows};
  law->compute_shift(&alone, &(cr_law_point){none, none, slip, none}, shift);
  for (int a = 0; a < law->rows; a++) {
    term[a] = 0.5 * (term[a] + coulomb * shift[a]);
    b[a] += term[a];
  }
}

/* 2 cos(2/3 acos x) for 0 <= x <= 1, interpolated in Chebyshev's points: the error is 2e-14 of it.
 */
static double double_cosine_of_two_thirds(double x) {
  static const double c[16] = {
      1.0000000000000078,     1.1547005383740143,    -0.22222222170757222,    0.10691669762576517,
      -0.065843265187766065,  0.045732563618472,     -0.034111146974538542,   0.026584789595972325,
      -0.021093229104735656,  0.016396472135966178,  -0.011799952560977545,   0.0073279835633002222,
      -0.0036305802641436458, 0.0013087857514619827, -0.00029985979199409485, 3.24249267578125e-05};
  double x2 = x * x, x4 = x2 * x2, part[4];
  for (int k = 0; k < 4; k++)
    part[k] = c[4 * k] + c[4 * k + 1] * x + x2 * (c[4 * k + 2] + c[4 * k + 3] * x);
  return part[0] + x4 * part[1] + x4 * x4 * (part[2] + x4 * part[3]);
}

/* Largest root of the characteristic polynomial by its trigonometric form (Smith 1961), q + 2 p
 * cos(1/3 acos h). That has a root at h = -1; as a function of cos(1/2 acos h) it has none. */
static double largest_of_three(const double* W) {
  double q = (W[0] + W[4] + W[8]) * (1.0 / 3);
  double a = W[0] - q, b = W[4] - q, c = W[8] - q;
  double off = W[1] * W[1] + W[2] * W[2] + W[5] * W[5];
  double p = sqrt((a * a + b * b + c * c + 2 * off) * (1.0 / 6));
  if (p <= 1e-15 * q) return q;
  double half = (a * (b * c - W[5] * W[5]) - W[1] * (W[1] * c - W[5] * W[2]) +
                 W[2] * (W[1] * W[5] - b * W[2])) /
                (2 * p * p * p);
  double cosine = sqrt(scalar_clamp(0.5 + 0.5 * half, 0, 1));
  return q + p * double_cosine_of_two_thirds(cosine);
}

static double largest_of_more(const double* W, int rows) {
  double A[SMALL_MAX * SMALL_MAX], largest = 0;
  for (int k = 0; k < rows * rows; k++) A[k] = W[k];
  small_eigen(A, rows, NULL);
  for (int k = 0; k < rows; k++) largest = scalar_max(largest, A[(rows + 1) * k]);
  return largest;
}

double cr_law_largest_eigenvalue(const double* W, int rows) {
  if (rows == 1) return W[0];
  if (rows == 3) return largest_of_three(W);
  if (rows > 3) return largest_of_more(W, rows);
  double mean = 0.5 * (W[0] + W[3]), half = 0.5 * (W[0] - W[3]);
  return mean + scalar_norm2(half, W[1]);
}
