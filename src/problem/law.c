/* The table of laws. */
#include "problem/law.h"

#include "math/scalar.h"
#include "math/small.h"
#include "problem/bounds_law.h"
#include "problem/contact_law.h"
#include "problem/disc_law.h"
#include "problem/moment_law.h"

const cr_law* const cr_law_table[CR_LAW_COUNT] = {
    [CR_LAW_CONTACT] = &cr_contact_law,   [CR_LAW_DISC] = &cr_disc_law,
    [CR_LAW_BOUNDS] = &cr_bounds_law,     [CR_LAW_CONTACT4] = &cr_contact4_law,
    [CR_LAW_CONTACT6] = &cr_contact6_law,
};

/* 2 cos(2/3 acos x) for 0 <= x <= 1, interpolated in Chebyshev's points: the error is 7.5e-9 of it.
 */
static double double_cosine_of_two_thirds(double x) {
  double x2 = x * x, x4 = x2 * x2;
  double low = 1.0000000074663669 + 1.1546993227969706 * x +
               x2 * (-0.22218898553761554 + 0.10655870172048607 * x);
  double high = -0.06385082437042709 + 0.03920064205037524 * x +
                x2 * (-0.020475016864928308 + 0.007308239264467586 * x);
  return low + x4 * (high - 0.0012520906789978358 * x4);
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
